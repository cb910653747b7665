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

LONGLONG vl_filetime(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 10000000LL + ts.tv_nsec / 100 + ETW_UNIX_EPOCH_100NS;
}

void vl_keep(PEVENT_RECORD record)
{
	struct vl_reader *r = record->UserContext;
	unsigned int n = atomic_load(&r->count);
	struct vl_event *e = &r->events[n % VL_EVENTS];
	size_t len = record->UserDataLength;

	if (vl_is_header(record))
		return;
	memset(e, 0, sizeof(*e));
	e->header = record->EventHeader;
	e->context = record->BufferContext;
	e->data_len = len;
	memcpy(e->data, record->UserData, len < sizeof(e->data) ? len : sizeof(e->data));
	e->item_count = record->ExtendedDataCount;
	if (e->item_count) {
		e->item_type = record->ExtendedData[0].ExtType;
		e->item_size = record->ExtendedData[0].DataSize;
		if (e->item_size >= sizeof(e->item))
			memcpy(&e->item, (void *)(uintptr_t)record->ExtendedData[0].DataPtr,
			       sizeof(e->item));
	}
	atomic_store(&r->count, n + 1);
}

static void *vl_reader_main(void *arg)
{
	struct vl_reader *r = arg;

	r->result = ProcessTrace(&r->handle, 1, NULL, NULL);
	atomic_store(&r->done, true);
	return NULL;
}

struct vl_reader *vl_read(const char *session)
{
	struct vl_reader *r = calloc(1, sizeof(*r));
	EVENT_TRACE_LOGFILEA logfile = {
		.LoggerName = (char *)session,
		.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME |
				    PROCESS_TRACE_MODE_EVENT_RECORD,
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
