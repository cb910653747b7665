/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_lib.h - libetw for the programs that run in the virtual machine
 *
 * Shorthands for its calls, and a thread that reads a session and keeps what
 * it gets.  Sessions are controlled through the library; vm_dev.h only clears
 * away what earlier tests left, and looks.
 */
#ifndef ETW_SELFTEST_VM_LIB_H
#define ETW_SELFTEST_VM_LIB_H

#include "vm.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>

#define VL_EVENTS	4096	/* that one reader keeps */
#define VL_TIMEOUT	60000	/* ms, for enable callbacks */

/* An EVENT_TRACE_PROPERTIES with room for the longest name, A or W. */
struct vl_props {
	EVENT_TRACE_PROPERTIES p;
	WCHAR name[ETW_NAME_MAX + 1];
};

static inline struct vl_props vl_props(void)
{
	return (struct vl_props){
		.p.Wnode.BufferSize = sizeof(struct vl_props),
		.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID,
		.p.LogFileMode = EVENT_TRACE_REAL_TIME_MODE,
		.p.LoggerNameOffset = offsetof(struct vl_props, name),
	};
}

/* A GUID that no other test uses: n chooses one of a test's own. */
static inline GUID vl_guid(unsigned int n)
{
	struct etw_guid from = vm_guid(n);
	GUID to;

	memcpy(&to, &from, sizeof(to));
	return to;
}

static inline bool vl_same_guid(const GUID *a, const GUID *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* A session of the default settings; its handle, or 0. */
static inline TRACEHANDLE vl_start(const char *name)
{
	struct vl_props props = vl_props();
	TRACEHANDLE handle = 0;

	return StartTraceA(&handle, name, &props.p) ? 0 : handle;
}

static inline ULONG vl_control(TRACEHANDLE session, ULONG code)
{
	struct vl_props props = vl_props();

	return ControlTraceA(session, NULL, &props.p, code);
}

static inline ULONG vl_enable(TRACEHANDLE session, unsigned int guid, UCHAR level,
			      ULONGLONG any, ULONGLONG all)
{
	GUID provider = vl_guid(guid);

	return EnableTraceEx2(session, &provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER,
			      level, any, all, 0, NULL);
}

static inline ULONG vl_disable(TRACEHANDLE session, unsigned int guid)
{
	GUID provider = vl_guid(guid);

	return EnableTraceEx2(session, &provider, EVENT_CONTROL_CODE_DISABLE_PROVIDER,
			      0, 0, 0, 0, NULL);
}

static inline REGHANDLE vl_register(unsigned int guid)
{
	GUID provider = vl_guid(guid);
	REGHANDLE reg = 0;

	return EventRegister(&provider, NULL, NULL, &reg) ? 0 : reg;
}

static inline EVENT_DESCRIPTOR vl_event(USHORT id, UCHAR level, ULONGLONG keyword)
{
	return (EVENT_DESCRIPTOR){ .Id = id, .Level = level, .Keyword = keyword };
}

/* One event with one number. */
static inline ULONG vl_write(REGHANDLE reg, USHORT id, UCHAR level, ULONGLONG keyword,
			     ULONG value)
{
	EVENT_DESCRIPTOR desc = vl_event(id, level, keyword);
	EVENT_DATA_DESCRIPTOR data;

	EventDataDescCreate(&data, &value, sizeof(value));
	return EventWrite(reg, &desc, 1, &data);
}

static inline LONGLONG vl_filetime(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 10000000LL + ts.tv_nsec / 100 + ETW_UNIX_EPOCH_100NS;
}

static inline ULONG vl_tid(void)
{
	return syscall(SYS_gettid);
}

/* -------------------------------------------------------------- reading */

/* What is kept of an event */
struct vl_event {
	EVENT_HEADER header;
	ETW_BUFFER_CONTEXT context;
	USHORT item_count;
	USHORT item_type;	/* of the first extended item */
	USHORT item_size;
	USHORT data_len;
	GUID item;
	unsigned char data[64];
};

struct vl_reader {
	TRACEHANDLE handle;
	pthread_t thread;
	ULONG result;		/* of ProcessTrace() */
	atomic_uint count;
	atomic_bool done;
	struct vl_event events[VL_EVENTS];
};

/* The event that each trace begins with: it tells of the session. */
static inline bool vl_is_head(const GUID *provider, UCHAR opcode)
{
	return !memcmp(provider, &EventTraceGuid, sizeof(*provider)) && !opcode;
}

static inline bool vl_is_header(const EVENT_RECORD *record)
{
	return vl_is_head(&record->EventHeader.ProviderId,
			  record->EventHeader.EventDescriptor.Opcode);
}

static inline void vl_keep(PEVENT_RECORD record)
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

static inline void *vl_reader_main(void *arg)
{
	struct vl_reader *r = arg;

	r->result = ProcessTrace(&r->handle, 1, NULL, NULL);
	atomic_store(&r->done, true);
	return NULL;
}

/* Read a session on a thread; NULL if that does not work. */
static inline struct vl_reader *vl_read(const char *session)
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

/* Wait until that many events have come, flushing the session. */
static inline bool vl_got(struct vl_reader *r, TRACEHANDLE session, unsigned int count)
{
	return vm_until((vl_control(session, EVENT_TRACE_CONTROL_FLUSH),
			 atomic_load(&r->count) >= count));
}

/* After the session has stopped: how many events there were, -1 if it hangs. */
static inline int vl_end(struct vl_reader *r)
{
	if (!vm_until(atomic_load(&r->done)))
		return -1;
	pthread_join(r->thread, NULL);
	CloseTrace(r->handle);
	return atomic_load(&r->count);
}

/* Start a thread on a CPU. */
static inline int vl_thread_on(pthread_t *thread, int cpu, void *(*fn)(void *), void *arg)
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

#endif /* ETW_SELFTEST_VM_LIB_H */
