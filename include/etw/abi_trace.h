/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_trace.h - the kernel's own trace events, and perf's samples, as providers; abi.h includes it
 *
 * A trace event is what tracefs has a folder for: events/SYSTEM/NAME, with the number of the
 * event in "id" and the layout of its record in "format".  Static tracepoints, the system
 * calls, and probes made through kprobe_events and uprobe_events are trace events.
 */
#ifndef ETW_ABI_TRACE_H
#define ETW_ABI_TRACE_H

#include <linux/types.h>
#include <etw/format.h>

#define ETW_TRACE_EVENTS_MAX	4096	/* providers made by ETW_IOC_TRACE_EVENT */
#define ETW_TRACE_PIECES_MAX	60	/* of one event */
#define ETW_TRACE_SCHEMA_MAX	8192	/* bytes */
#define ETW_TRACE_MANIFEST_MAX	32768	/* bytes */
#define ETW_TRACE_USER_TEXTS	2	/* pieces of one event that read user memory */
#define ETW_TRACE_USER_TEXT_MAX	256	/* bytes of each, a text or not */

/*
 * etw_trace_piece.kind: what becomes of a part of the kernel's record
 *	COPY		size bytes
 *	BYTES		size as a u16, and so many bytes
 *	TEXT		an array of characters: its length as a u16, and the characters before
 *			the first NUL
 *	TEXT_AT		the same, of what a data location points to
 *	ARRAY_AT	what a data location points to: the number of its elements, of size bytes
 *			each, as a u16, and the elements
 *	USER_TEXT	a u64, the address of a text in the process that hits the tracepoint: its
 *			length as a u16, and so many characters, at most
 *			ETW_TRACE_USER_TEXT_MAX; as far as they can be read without a page fault
 *	USER_BYTES	a u64, the address of bytes in that process, and at length_offset an s32,
 *			how many the process says there are: as a u16 how many of them follow, and
 *			these, at most size, which is 1 to ETW_TRACE_USER_TEXT_MAX; as far as they
 *			can be read without a page fault; none where the s32 is negative.  Bytes
 *			stay in the process's format: a struct sockaddr has Linux's address family
 */
#define ETW_TRACE_COPY		0
#define ETW_TRACE_BYTES		1
#define ETW_TRACE_TEXT		2
#define ETW_TRACE_TEXT_AT	3
#define ETW_TRACE_ARRAY_AT	4
#define ETW_TRACE_USER_TEXT	5
#define ETW_TRACE_USER_BYTES	6	/* EINVAL: the module is older */

/* etw_trace_piece.flags */
#define ETW_TRACE_RELATIVE	0x1	/* the location counts from the end of itself */

/*
 * A part of the record.  A data location is a u32 at the offset: where the data begin in the
 * record, and in the upper half how many bytes they have.  A part that does not lie in the
 * record is empty: no bytes, length 0.
 */
struct etw_trace_piece {
	__u16 offset;		/* bytes, in the record */
	__u16 size;		/* bytes; USER_BYTES: the most that are read */
	__u8  kind;		/* ETW_TRACE_COPY... */
	__u8  flags;		/* ETW_TRACE_RELATIVE */
	__u16 length_offset;	/* USER_BYTES: of the length, in the record; else 0 */
};

/*
 * etw_trace_event.flags.  SAMPLE: the events are not a trace event's, but each is a sample of a
 * counter as perf_event_open(2) describes it, of the type counter in the attribute config, taken
 * on every CPU each time that it has counted period (with FREQUENCY: so often a second; a clock of
 * the type PERF_TYPE_SOFTWARE leaves out CPUs that are idle).  id is 0, and the record is a struct
 * etw_trace_sample.
 */
#define ETW_TRACE_SAMPLE	0x1
#define ETW_TRACE_FREQUENCY	0x2

#define ETW_TRACE_FREQUENCY_MAX	10000	/* samples a second of each CPU */

struct etw_trace_sample {
	__u64 address;		/* of the instruction that was interrupted */
	__u64 counted;		/* perf's last period; it may have counted more if it was throttled */
	__u32 in_kernel;	/* 1: the address is the kernel's; 0: the process's */
	__u32 cpu;
};

/*
 * ETW_IOC_TRACE_EVENT: make a trace event a kernel provider.  It has the TraceLogging
 * metadata of the call, and each of its events consists of the parts in their order.  The
 * kernel's probe is in place only while a session has the provider enabled, and a moment longer;
 * it needs no process.
 *
 * The provider lasts while this file is open, and after that until no session has it
 * enabled any more.  A call for a provider that exists makes it last for this file, too.
 * So a command makes it, enables it, and ends.
 *
 * While it is enabled, the module that has the tracepoint cannot be removed.
 *
 * manifest has names of the values of its fields: the event's metadata have no place for them.
 * It is the XML of a manifest with this provider, in which an event with id 0 and the name of
 * this one has a template with the named fields.  The module does not read it.  It writes the
 * manifest to each session that enables the provider, and to all of the provider's sessions when
 * one captures its state, whatever their filters are, in the events with which programs embed
 * manifests: id 0xFFFE, opcode 0xFE, task 0xFFFE.  So readers find it in the trace.
 *
 * Its events show addresses of the kernel and data of all processes: ETW_IOC_ENABLE needs
 * CAP_PERFMON, too, whatever the access lists say, else EPERM.  A session that was enabled
 * without it before the provider existed gets no event.
 *
 * Needs CAP_PERFMON (or CAP_SYS_ADMIN) in the initial user namespace, the right
 * ETW_RIGHT_REGISTER_GUIDS on the provider, and a kernel that is not locked down for
 * confidentiality: else EPERM.  EEXIST: the provider exists with another event or other
 * parts, or is a kernel module's, or etw.ko's own.  ENOSPC: there are ETW_TRACE_EVENTS_MAX.
 * EOPNOTSUPP: this kernel has no trace events.  Whether it has a counter is found when a session
 * enables the provider: then its log says so.
 */
struct etw_trace_event {
	__u32 size;
	__u32 flags;		/* ETW_TRACE_SAMPLE... */
	struct etw_guid provider;
	__u64 name;		/* char *, the provider's: 1 to ETW_NAME_MAX bytes */
	__u32 name_len;
	__u32 id;		/* of the trace event, from tracefs */
	__u64 schema;		/* the event's metadata, beginning with their size as a u16 */
	__u32 schema_len;	/* bytes, at most ETW_TRACE_SCHEMA_MAX */
	__u32 piece_count;	/* at most ETW_TRACE_PIECES_MAX */
	__u64 pieces;		/* struct etw_trace_piece * */
	__u64 keyword;		/* of its events */
	__u8  level;		/* of its events */
	__u8  opcode;		/* of its events: 1 where they begin something, 2 where they end it */
	__u16 task;		/* of its events: equal for beginning and end; 0: none */
	__u32 counter;		/* SAMPLE: PERF_TYPE_*, or the type of a PMU; else 0 */
	__u64 config;		/* SAMPLE; else 0 */
	__u64 period;		/* SAMPLE: not 0; else 0 */
	__u64 manifest;		/* char *, or 0 */
	__u32 manifest_len;	/* bytes, at most ETW_TRACE_MANIFEST_MAX; 0: none */
	__u32 reserved;		/* 0 */
};

#define ETW_TRACE_EVENT_SIZE_FIRST	96	/* before manifest */

#endif /* ETW_ABI_TRACE_H */
