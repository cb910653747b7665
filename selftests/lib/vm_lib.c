// SPDX-License-Identifier: GPL-2.0-only
/* vm_lib.c - libetw for the programs that run in the virtual machine */
#include "lib/vm_lib.h"

struct vl_props vl_props(void)
{
	return (struct vl_props){
		.p.Wnode.BufferSize = sizeof(struct vl_props),
		.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID,
		.p.LogFileMode = EVENT_TRACE_REAL_TIME_MODE,
		.p.LoggerNameOffset = offsetof(struct vl_props, name),
	};
}

GUID vl_guid(unsigned int n)
{
	struct etw_guid from = vm_guid(n);
	GUID to;

	memcpy(&to, &from, sizeof(to));
	return to;
}

TRACEHANDLE vl_start(const char *name)
{
	struct vl_props props = vl_props();
	TRACEHANDLE handle = 0;

	return StartTraceA(&handle, name, &props.p) ? 0 : handle;
}

ULONG vl_control(TRACEHANDLE session, ULONG code)
{
	struct vl_props props = vl_props();

	return ControlTraceA(session, NULL, &props.p, code);
}

ULONG vl_enable(TRACEHANDLE session, unsigned int guid, UCHAR level, ULONGLONG any, ULONGLONG all)
{
	GUID provider = vl_guid(guid);

	return EnableTraceEx2(session, &provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER,
			      level, any, all, 0, NULL);
}

ULONG vl_disable(TRACEHANDLE session, unsigned int guid)
{
	GUID provider = vl_guid(guid);

	return EnableTraceEx2(session, &provider, EVENT_CONTROL_CODE_DISABLE_PROVIDER,
			      0, 0, 0, 0, NULL);
}

REGHANDLE vl_register(unsigned int guid)
{
	GUID provider = vl_guid(guid);
	REGHANDLE reg = 0;

	return EventRegister(&provider, NULL, NULL, &reg) ? 0 : reg;
}

ULONG vl_write(REGHANDLE reg, USHORT id, UCHAR level, ULONGLONG keyword, ULONG value)
{
	EVENT_DESCRIPTOR desc = vl_event(id, level, keyword);
	EVENT_DATA_DESCRIPTOR data;

	EventDataDescCreate(&data, &value, sizeof(value));
	return EventWrite(reg, &desc, 1, &data);
}

/* Copy the extended items into one block: first their descriptions, then their data. */
static struct vl_item *vl_copy_items(const EVENT_RECORD *record)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *from = record->ExtendedData;
	size_t count = record->ExtendedDataCount, i, size = 0;
	struct vl_item *items;
	unsigned char *to;

	for (i = 0; i < count; i++)
		size += from[i].DataSize;
	items = malloc(count * sizeof(*items) + size);
	if (!items)
		abort();
	to = (unsigned char *)&items[count];
	for (i = 0; i < count; i++) {
		items[i] = (struct vl_item){ from[i].ExtType, from[i].DataSize,
					     from[i].Linkage, to };
		memcpy(to, (void *)(uintptr_t)from[i].DataPtr, from[i].DataSize);
		to += from[i].DataSize;
	}
	return items;
}

const struct vl_item *vl_item(const struct vl_event *event, USHORT type)
{
	static unsigned char no_data[1];
	static const struct vl_item none = { .data = no_data };
	unsigned int i;

	for (i = 0; i < event->item_count; i++)
		if (event->items[i].type == type)
			return &event->items[i];
	return &none;
}

void vl_keep(PEVENT_RECORD record)
{
	struct vl_reader *r = record->UserContext;
	unsigned int n = atomic_load(&r->count);
	struct vl_event *e = &r->events[n % VL_EVENTS];
	size_t len = record->UserDataLength;

	if (vl_is_header(record))
		return;
	free(e->items);
	memset(e, 0, sizeof(*e));
	e->header = record->EventHeader;
	e->context = record->BufferContext;
	e->data_len = len;
	memcpy(e->data, record->UserData, len < sizeof(e->data) ? len : sizeof(e->data));
	e->item_count = record->ExtendedDataCount;
	if (e->item_count)
		e->items = vl_copy_items(record);
	atomic_store(&r->count, n + 1);
}

static void *vl_reader_main(void *arg)
{
	struct vl_reader *r = arg;

	r->result = ProcessTrace(&r->handle, 1, NULL, NULL);
	atomic_store(&r->done, true);
	return NULL;
}

struct vl_reader *vl_read_mode(const char *session, ULONG mode)
{
	struct vl_reader *r = calloc(1, sizeof(*r));
	EVENT_TRACE_LOGFILEA logfile = {
		.LoggerName = (char *)session,
		.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME |
				    PROCESS_TRACE_MODE_EVENT_RECORD | mode,
		.EventRecordCallback = vl_keep,
		.Context = r,
	};

	if (!r)
		return NULL;
	r->handle = OpenTraceA(&logfile);
	if (r->handle == INVALID_PROCESSTRACE_HANDLE ||
	    pthread_create(&r->thread, NULL, vl_reader_main, r)) {
		free(r);
		return NULL;
	}
	return r;
}

int vl_end(struct vl_reader *r)
{
	if (!vm_until(atomic_load(&r->done)))
		return -1;
	pthread_join(r->thread, NULL);
	CloseTrace(r->handle);
	return atomic_load(&r->count);
}

bool vl_set_up(struct vl_fixture *f, const char *name, ULONG mode)
{
	vm_pin(0);
	f->fd = vm_open();
	if (f->fd < 0)
		return false;
	vm_stop_all(f->fd);
	f->session = vl_start(name);
	f->reg = vl_register(1);
	f->r = vl_read_mode(name, mode);
	return f->session && f->reg && f->r;
}

bool vl_tear_down(struct vl_fixture *f)
{
	bool ok = !f->reg || !EventUnregister(f->reg);

	vm_stop_all(f->fd);
	ok &= vl_end(f->r) >= 0 && !f->r->result;
	close(f->fd);
	return ok;
}

int vl_thread_on(pthread_t *thread, int cpu, void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	cpu_set_t set;
	int ret;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	ret = pthread_create(thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	return ret;
}
