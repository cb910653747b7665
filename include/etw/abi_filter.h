/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_filter.h - the filters of ETW_IOC_ENABLE; abi.h includes it
 *
 * A malformed filter of any type fails the whole call: EINVAL.  The kernel ignores
 * reserved members here: Microsoft's structs have padding in their place, which
 * callers leave uninitialized.  Filters that have no meaning for the control code are
 * checked, then ignored.
 *
 * Source: Microsoft's EVENT_FILTER_DESCRIPTOR, EVENT_FILTER_EVENT_ID,
 * EVENT_FILTER_EVENT_NAME and EVENT_FILTER_LEVEL_KW pages.
 */
#ifndef ETW_ABI_FILTER_H
#define ETW_ABI_FILTER_H

#include <linux/types.h>

/*
 * etw_filter.type: the supported EVENT_FILTER_TYPE_*.  PID, EXECUTABLE_NAME, CONTAINER
 * and the two PACKAGE filters are scope filters: they select the user registrations that
 * the session enables.  A registration must pass all of them; kernel modules' are
 * never selected.  Of the kernel's own events (abi_trace.h) they select those that such
 * processes cause, whenever one occurs; in an interrupt, the interrupted process.  Names are UTF-8 without a NUL, separated by ';'.  Unlike PIDs, names
 * also select registrations made later.  An application is identified by the path of its
 * control group (v2), because systemd and the container engines give each application a
 * group of its own:
 *	EXECUTABLE_NAME	the last component of the program's path
 *	CONTAINER	a path that starts with '/': that group and all below it; else a
 *			component of the path, or 12 or more digits of the hexadecimal
 *			id that docker, podman, containerd and CRI-O put into one
 *	PACKAGE_APP_ID	from the innermost systemd unit: X for app[-LAUNCHER]-X-RANDOM.scope
 *			and app[-LAUNCHER]-X[@RANDOM].service (which flatpaks use), NAME.APP
 *			for a snap, else the unit's name
 *	PACKAGE_ID	NAME for a snap, else like PACKAGE_APP_ID
 * systemd's escapes in unit names, like \x2d, are not decoded.
 */
#define ETW_FILTER_NONE			0
#define ETW_FILTER_SCHEMATIZED		0x80000000	/* etw_filter_header, data */
#define ETW_FILTER_TRACEHANDLE		0x80000002	/* __u64: handle of a session */
#define ETW_FILTER_PID			0x80000004	/* __u32 pids[1..8] */
#define ETW_FILTER_EXECUTABLE_NAME	0x80000008	/* names, 1536 bytes at most */
#define ETW_FILTER_PACKAGE_ID		0x80000010	/* likewise */
#define ETW_FILTER_PACKAGE_APP_ID	0x80000020	/* likewise */
#define ETW_FILTER_PAYLOAD		0x80000100	/* a program, see below */
#define ETW_FILTER_EVENT_ID		0x80000200	/* etw_filter_event_id */
#define ETW_FILTER_EVENT_NAME		0x80000400	/* etw_filter_event_name */
#define ETW_FILTER_STACKWALK		0x80001000	/* etw_filter_event_id */
#define ETW_FILTER_STACKWALK_NAME	0x80002000	/* etw_filter_event_name */
#define ETW_FILTER_STACKWALK_LEVEL_KW	0x80004000	/* etw_filter_level_kw */
#define ETW_FILTER_CONTAINER		0x80008000	/* names, 1536 bytes at most */

#define ETW_FILTERS_MAX		13	/* filters of one enable call */
#define ETW_PID_FILTER_MAX	8	/* PIDs of one PID scope filter */
#define ETW_FILTER_NAMES_MAX	1536	/* bytes of one scope filter */
#define ETW_FILTER_EVENT_IDS	64
#define ETW_FILTER_EVENT_NAME_MAX	4096	/* bytes of a filter by names */
#define ETW_FILTER_DATA_MAX	1024	/* bytes of a SCHEMATIZED filter, its header included */
#define ETW_FILTER_CHAIN_MAX	8192	/* bytes of all sessions' SCHEMATIZED filters together */

/*
 * SCHEMATIZED: data that only the provider understands.  With ENABLE the session keeps
 * the filter, and the provider's callbacks get it with each change and when a
 * registration is added, together with the filters of the other enabling sessions: one
 * after the other, each at a multiple of 8 bytes.  If a session enabled both the provider
 * and its group with a filter, the callbacks get the provider's filter.  With CAPTURE
 * the callbacks get the filter with that request only.
 *
 * TRACEHANDLE: CAPTURE only.  The provider is to log its state concerning the session
 * with this handle, which must be running (ENOENT).  A CAPTURE takes SCHEMATIZED or
 * TRACEHANDLE, not both.
 */
struct etw_filter_header {
	__u16 id;		/* for the provider; passed on unchanged */
	__u8  version;		/* likewise */
	__u8  reserved[5];
	__u64 instance;		/* callback: 1 << (logger id - 1), as etw_event_write.filter */
	__u32 size;		/* bytes of the filter, this header included */
	__u32 next;		/* 0; callback: bytes from here to the next header, 0: last */
};

/*
 * EVENT_FILTER_EVENT_ID: the first 4 + 2 * count bytes; len may be larger.
 * TraceLogging events, which have a schema or use channel 11, always pass: their
 * ids mean nothing.
 */
struct etw_filter_event_id {
	__u8  in;		/* 1: only these; 0: all but these */
	__u8  reserved;
	__u16 count;
	__u16 ids[ETW_FILTER_EVENT_IDS];
};

/*
 * EVENT_FILTER_EVENT_NAME: the first 20 bytes, then count names, each with its
 * NUL; len may be larger.  A name matches if it equals the name in the event's schema
 * (format.h), byte for byte.  The filter does not apply to events without a schema, nor
 * to events that the filter's level and keywords do not select.
 */
struct etw_filter_event_name {
	__u64 any;		/* 0 counts as all ones */
	__u64 all;
	__u8  level;		/* 0 counts as 255 */
	__u8  in;		/* 1: only these; 0: all but these */
	__u16 count;
	__u8  names[4];
};

/* EVENT_FILTER_LEVEL_KW */
struct etw_filter_level_kw {
	__u64 any;		/* 0 counts as all ones */
	__u64 all;
	__u8  level;		/* 0 counts as 255 */
	__u8  in;		/* 1: only these; 0: all but these */
	__u8  reserved[6];
};

struct etw_filter {
	__u64 ptr;		/* user address of the filter's data */
	__u32 len;		/* bytes */
	__u32 type;		/* ETW_FILTER_* */
};

/* --------------------------------------------------------- payload filters */

/*
 * A payload filter is a program.  For some events, by id and version, it states what their
 * payload must look like.  All other events pass.  So do TraceLogging events, which have a
 * schema or use channel 11: their ids mean nothing; except the kernel's own (abi_trace.h), of
 * which each provider has one, with id and version 0.  The program walks the payload's fields
 * in order, one step per field, because a field's position may depend on the fields before
 * it, and tests some of them.  It has no jumps: each step runs once.
 *
 *	struct etw_payload_header
 *	struct etw_payload_event [events]	ascending by id, then version
 *	for each event in turn: its steps, then its tests, ascending by step
 *	the texts of all tests in turn, each zero-padded to 8 bytes
 *
 * The parts are contiguous, and each "at" has the only possible value.  Any other error
 * refuses the whole program: EINVAL.
 *
 * The tests of an event form groups, one for each TdhCreatePayloadFilter(): all tests of a
 * group must hold, or one of them if the group's bit is set in "ors".  The event passes if
 * every group of "all" holds and, if "any" has groups, one of those holds.  A test of a
 * field that lies beyond the end of the payload does not hold, whatever its operator.
 *
 * Text comparison ignores the case of ASCII letters.  A text ends at its first NUL, its
 * length, or the end of the payload.  CONTAINS and DOESNTCONTAIN search at most
 * ETW_PAYLOAD_SEARCH_MAX bytes of a field.  If those bytes contain neither the text nor,
 * before their last unit, a NUL, both tests hold.  An event passes if more than
 * ETW_PAYLOAD_ELEMENTS_MAX array elements of variable length come before the fields that
 * decide.
 *
 * A writer cannot be preempted meanwhile and may be an interrupt, so the filters of all
 * sessions together may examine ETW_FILTER_BUDGET bytes of one event, which is what the
 * costliest single filter may need.  A payload filter counts as the event's size, and once
 * more, up to ETW_PAYLOAD_SEARCH_MAX, for each test of a text and ETW_PAYLOAD_ARRAYS times
 * for arrays of variable elements, in the event of the program that has most of them; a
 * filter of names counts as the schema; one that makes a single test, of a number behind fields
 * of a constant length, may not count at all, and may decide before the rest of the payload is
 * looked at: an event that it rejects is not lost, even if it is too large or cannot be read.
 * The event passes a filter that would need more than is left, and the session counts that
 * (etw_session_stat.undecided).
 *
 * Source: Microsoft's TdhCreatePayloadFilter, TdhAggregatePayloadFilters and
 * PAYLOAD_FILTER_PREDICATE pages.
 */

#define ETW_PAYLOAD_FORMAT	1
#define ETW_PAYLOAD_SIZE_MAX	4096	/* bytes of a program */
#define ETW_PAYLOAD_GROUPS	8	/* groups per event */
#define ETW_PAYLOAD_PREDICATES	8	/* tests per group */
#define ETW_PAYLOAD_TESTS	16	/* tests per event, in all groups together */
#define ETW_PAYLOAD_STEPS	255	/* steps per event */
#define ETW_PAYLOAD_REGISTERS	16	/* values saved for later steps */
#define ETW_PAYLOAD_TEXT_MAX	255	/* units of a test's text */
#define ETW_PAYLOAD_SEARCH_MAX	4096	/* bytes of a field that a search examines */
#define ETW_PAYLOAD_ELEMENTS_MAX	4096	/* array elements of variable length */
#define ETW_PAYLOAD_ARRAYS	16	/* tests that arrays of variable elements count as */
#define ETW_FILTER_BUDGET	(ETW_RECORD_MAX + \
				 (ETW_PAYLOAD_TESTS + ETW_PAYLOAD_ARRAYS) * ETW_PAYLOAD_SEARCH_MAX)

struct etw_payload_header {
	__u32 size;		/* bytes of the program */
	__u16 format;		/* ETW_PAYLOAD_FORMAT */
	__u16 events;		/* 1 or more */
};

struct etw_payload_event {
	__u16 id;
	__u8  version;
	__u8  steps;		/* 1 or more */
	__u8  tests;		/* 1 or more */
	__u8  ors;		/* bit i: group i holds if one of its tests holds */
	__u8  all;		/* bit i: group i must hold */
	__u8  any;		/* bits of groups, one of which must hold; 0: none */
	__u32 at;		/* offset of the steps */
	__u32 reserved;		/* 0 */
};

/* etw_payload_step.kind: what an element of the field is */
#define ETW_PAYLOAD_FIXED	1	/* length bytes, or length units of 2 */
#define ETW_PAYLOAD_STRING8	2	/* up to a NUL */
#define ETW_PAYLOAD_STRING16	3	/* up to a NUL of 2 bytes */
#define ETW_PAYLOAD_COUNTED	4	/* __u16 number of bytes, then the bytes */
#define ETW_PAYLOAD_COUNTED_BE	5	/* the same, big-endian */
#define ETW_PAYLOAD_COUNTED32	6	/* __u32 number of bytes, then the bytes */
#define ETW_PAYLOAD_REST	7	/* the rest of the payload */
#define ETW_PAYLOAD_SID		8	/* a security identifier */
#define ETW_PAYLOAD_POINTER	9	/* 8 bytes; 4 if a 32-bit process wrote the event */

/* etw_payload_step.flags */
#define ETW_PAYLOAD_COUNT_FIELD	 0x1	/* count is the number of a register */
#define ETW_PAYLOAD_LENGTH_FIELD 0x2	/* length is the number of a register; FIXED only */
#define ETW_PAYLOAD_UNITS	 0x4	/* length is in units of 2 bytes; FIXED only */

struct etw_payload_step {
	__u8  kind;
	__u8  flags;
	__u8  save;		/* register + 1; 0: none.  FIXED of 1, 2, 4, 8 bytes, count 1 */
	__u8  reserved;		/* 0 */
	__u16 count;		/* elements; 1 for REST */
	__u16 length;		/* 0 unless FIXED */
};

/* etw_payload_test.type: of a field with one element */
#define ETW_PAYLOAD_UNSIGNED	0	/* FIXED of 1, 2, 4 or 8 bytes */
#define ETW_PAYLOAD_SIGNED	1	/* likewise */
#define ETW_PAYLOAD_GUID	2	/* FIXED of 16 bytes */
#define ETW_PAYLOAD_TEXT8	3	/* bytes: any but STRING16, SID, POINTER */
#define ETW_PAYLOAD_TEXT16	4	/* units of 2: any but STRING8, SID, POINTER */

/* etw_payload_test.op: PAYLOADFIELD_* of TDH.  Integers: */
#define ETW_PAYLOAD_EQ		0
#define ETW_PAYLOAD_NE		1
#define ETW_PAYLOAD_LE		2
#define ETW_PAYLOAD_GT		3
#define ETW_PAYLOAD_LT		4
#define ETW_PAYLOAD_GE		5
#define ETW_PAYLOAD_BETWEEN	6	/* both ends included */
#define ETW_PAYLOAD_NOTBETWEEN	7
#define ETW_PAYLOAD_MODULO	8	/* is a multiple of value[0] */
/* Texts; the last two GUIDs as well: */
#define ETW_PAYLOAD_CONTAINS	20
#define ETW_PAYLOAD_DOESNTCONTAIN 21
#define ETW_PAYLOAD_IS		30
#define ETW_PAYLOAD_ISNOT	31

/*
 * value: an integer, extended to 64 bits by the test's signedness, then the upper
 * bound of BETWEEN and NOTBETWEEN, else 0; a GUID; or the offset of the text, then 0.
 * The text of CONTAINS and DOESNTCONTAIN is followed by length zero bytes, for the
 * kernel's use; its length is not 0.
 */
struct etw_payload_test {
	__u8  step;
	__u8  op;
	__u8  type;
	__u8  group;
	__u32 length;		/* of the text, in its units; else 0 */
	__u64 value[2];
};

#endif /* ETW_ABI_FILTER_H */
