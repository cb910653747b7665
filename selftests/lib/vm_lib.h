/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_lib.h - libetw for the programs that run in the virtual machine
 *
 * Shorthands for its calls, and a thread that reads a session and keeps what
 * it gets.  Sessions are controlled through the library; vm_dev.h only
 * stops the sessions of earlier tests, and queries.
 */
#ifndef ETW_SELFTEST_VM_LIB_H
#define ETW_SELFTEST_VM_LIB_H

#include "vm_clock.h"
#include "vm_dev.h"

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

struct vl_props vl_props(void);

/* A GUID that no other test uses: n chooses one of a test's own. */
GUID vl_guid(unsigned int n);

static inline bool vl_same_guid(const GUID *a, const GUID *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* A session of the default settings; its handle, or 0. */
TRACEHANDLE vl_start(const char *name);

ULONG vl_control(TRACEHANDLE session, ULONG code);

ULONG vl_enable(TRACEHANDLE session, unsigned int guid, UCHAR level, ULONGLONG any, ULONGLONG all);

ULONG vl_disable(TRACEHANDLE session, unsigned int guid);

REGHANDLE vl_register(unsigned int guid);

static inline EVENT_DESCRIPTOR vl_event(USHORT id, UCHAR level, ULONGLONG keyword)
{
	return (EVENT_DESCRIPTOR){ .Id = id, .Level = level, .Keyword = keyword };
}

/* One event with one number. */
ULONG vl_write(REGHANDLE reg, USHORT id, UCHAR level, ULONGLONG keyword, ULONG value);

static inline ULONG vl_tid(void)
{
	return syscall(SYS_gettid);
}

/* -------------------------------------------------------------- reading */

/* An extended item */
struct vl_item {
	USHORT type;
	USHORT size;
	bool linkage;		/* another one follows */
	unsigned char *data;
};

/* What is kept of an event */
struct vl_event {
	EVENT_HEADER header;
	ETW_BUFFER_CONTEXT context;
	USHORT item_count;
	USHORT data_len;
	struct vl_item *items;	/* allocated, with their data */
	unsigned char data[64];
};

/* The event's first item of this type; one of size 0 if it has none. */
const struct vl_item *vl_item(const struct vl_event *event, USHORT type);

struct vl_reader {
	TRACEHANDLE handle;
	pthread_t thread;
	ULONG result;		/* of ProcessTrace() */
	atomic_uint count;
	atomic_bool done;
	struct vl_event events[VL_EVENTS];
};

/* The event that each trace begins with: it describes the session. */
static inline bool vl_is_head(const GUID *provider, UCHAR opcode)
{
	return !memcmp(provider, &EventTraceGuid, sizeof(*provider)) && !opcode;
}

static inline bool vl_is_header(const EVENT_RECORD *record)
{
	return vl_is_head(&record->EventHeader.ProviderId,
			  record->EventHeader.EventDescriptor.Opcode);
}

void vl_keep(PEVENT_RECORD record);

/*
 * Read a session on a thread; NULL if that fails.  Mode: flags in addition to
 * PROCESS_TRACE_MODE_REAL_TIME and _EVENT_RECORD.
 */
struct vl_reader *vl_read_mode(const char *session, ULONG mode);

static inline struct vl_reader *vl_read(const char *session)
{
	return vl_read_mode(session, 0);
}

/* Wait until that many events have come, flushing the session. */
static inline bool vl_got(struct vl_reader *r, TRACEHANDLE session, unsigned int count)
{
	return vm_until((vl_control(session, EVENT_TRACE_CONTROL_FLUSH),
			 atomic_load(&r->count) >= count));
}

/* After the session has stopped: how many events there were, -1 if it hangs. */
int vl_end(struct vl_reader *r);

/* ------------------------------------------------- a session and its reader */

struct vl_fixture {
	int fd;			/* the device, for vm_stop_all() */
	TRACEHANDLE session;
	REGHANDLE reg;		/* of the provider vl_guid(1), not enabled yet */
	struct vl_reader *r;
};

/* On CPU 0: stop old sessions, start one, register a provider; mode is vl_read_mode()'s. */
bool vl_set_up(struct vl_fixture *f, const char *name, ULONG mode);

/* Stop the session; false if a step fails, or ProcessTrace() failed. */
bool vl_tear_down(struct vl_fixture *f);

/* Start a thread on a CPU. */
int vl_thread_on(pthread_t *thread, int cpu, void *(*fn)(void *), void *arg);

#endif /* ETW_SELFTEST_VM_LIB_H */
