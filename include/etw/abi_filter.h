/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_filter.h - the filters of ETW_IOC_ENABLE; abi.h includes it
 *
 * A malformed filter of any type refuses the call as a whole: EINVAL.  Reserved
 * members are not looked at here: Microsoft's structs have padding in their
 * place, in which callers leave what was there.  Filters that make no sense with
 * the control code are checked too, and ignored.
 *
 * Source: Microsoft's EVENT_FILTER_DESCRIPTOR, EVENT_FILTER_EVENT_ID,
 * EVENT_FILTER_EVENT_NAME and EVENT_FILTER_LEVEL_KW pages.
 */
#ifndef ETW_ABI_FILTER_H
#define ETW_ABI_FILTER_H

#include <linux/types.h>

/*
 * etw_filter.type: EVENT_FILTER_TYPE_* known here.  PID to PACKAGE_APP_ID are
 * scope filters: they select the user registrations that the session enables,
 * all of them together, and no kernel registration.  Their names are UTF-8
 * without a NUL, with ';' between them; unlike PIDs they go for later registrations
 * too.  What identifies an application is the path of its control group (v2), for
 * systemd and the container engines give each a group of its own:
 *	EXECUTABLE_NAME	the last component of the program's path
 *	CONTAINER	a path that starts with '/': that group and all below it; else a
 *			component of the path, or 12 or more digits of the hexadecimal
 *			id that docker, podman, containerd and CRI-O put into one
 *	PACKAGE_APP_ID	of the innermost systemd unit: X for app[-LAUNCHER]-X-RANDOM.scope
 *			and app[-LAUNCHER]-X[@RANDOM].service (flatpaks are such), NAME.APP
 *			for a snap, else the unit's name
 *	PACKAGE_ID	NAME for a snap, else as PACKAGE_APP_ID
 * systemd's escapes in the names of units, like \x2d, stay as they are.
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
#define ETW_FILTER_CHAIN_MAX	8192	/* bytes of those of all sessions, as told */

/*
 * SCHEMATIZED: data that only the provider understands.  It stays with what the
 * session enabled and is told to the provider's callbacks, with each change and
 * when one registers, together with those of the other sessions that have
 * enabled it: one after the other, each at a multiple of 8 bytes.  Where a
 * session enabled the provider and its group with one each, the provider's own
 * is told.  With CAPTURE it is told to them with that request alone, as is
 * TRACEHANDLE, which goes with CAPTURE only: the provider is asked for what there
 * is to say about that session, which runs (ENOENT).  A CAPTURE has one of the
 * two, not both.
 */
struct etw_filter_header {
	__u16 id;		/* the provider's business, as is */
	__u8  version;		/* this */
	__u8  reserved[5];
	__u64 instance;		/* told: 1 << (logger id - 1), for etw_event_write.filter */
	__u32 size;		/* bytes of the filter, this header included */
	__u32 next;		/* 0; told: bytes from this header to the next, 0: last */
};

/*
 * TraceLogging's events, which have a schema or are of channel 11, pass whatever
 * the ids are.
 * EVENT_FILTER_EVENT_ID: the first 4 + 2 * count bytes; len may be more.
 */
struct etw_filter_event_id {
	__u8  in;		/* 1: only these; 0: all but these */
	__u8  reserved;
	__u16 count;
	__u16 ids[ETW_FILTER_EVENT_IDS];
};

/*
 * EVENT_FILTER_EVENT_NAME: the first 20 bytes, then count names, each with its
 * NUL; len may be more.  Names are compared whole, as bytes, with the one in the
 * event's schema (format.h).  Events without a schema, and those that are not of
 * the filter's own level and keywords, are none of its business.
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
	__u8  in;		/* 1: only such events; 0: all but such */
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
 * schema or use channel 11: their ids mean nothing.  The program walks the payload's fields
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
 * ETW_PAYLOAD_SEARCH_MAX bytes of a field, because a writer cannot be preempted meanwhile.
 * If those bytes contain neither the text nor, before their last unit, a NUL, both tests
 * hold, so that no event is lost.  For the same reason an event passes if more than
 * ETW_PAYLOAD_ELEMENTS_MAX array elements of variable length come before the fields that
 * decide.
 *
 * Source: Microsoft's TdhCreatePayloadFilter, TdhAggregatePayloadFilters and
 * PAYLOAD_FILTER_PREDICATE pages.
 */

#define ETW_PAYLOAD_FORMAT	1
#define ETW_PAYLOAD_SIZE_MAX	4096	/* bytes of a program */
#define ETW_PAYLOAD_GROUPS	8	/* of an event */
#define ETW_PAYLOAD_PREDICATES	8	/* tests of a group */
#define ETW_PAYLOAD_TESTS	16	/* of an event, all its groups */
#define ETW_PAYLOAD_STEPS	255	/* of an event */
#define ETW_PAYLOAD_REGISTERS	16	/* values that later steps need */
#define ETW_PAYLOAD_TEXT_MAX	255	/* units of the text of a test */
#define ETW_PAYLOAD_SEARCH_MAX	4096	/* bytes of a field that a search looks at */
#define ETW_PAYLOAD_ELEMENTS_MAX	4096	/* of arrays, each with a length of its own */

struct etw_payload_header {
	__u32 size;		/* of the program, bytes */
	__u16 format;		/* ETW_PAYLOAD_FORMAT */
	__u16 events;		/* 1 or more */
};

struct etw_payload_event {
	__u16 id;
	__u8  version;
	__u8  steps;		/* 1 or more */
	__u8  tests;		/* 1 or more */
	__u8  ors;		/* bit i: one test of group i is enough */
	__u8  all;		/* bit i: group i must hold */
	__u8  any;		/* bit i: group i or another one of these must */
	__u32 at;		/* offset of the steps */
	__u32 reserved;		/* 0 */
};

/* etw_payload_step.kind: what an element of the field is */
#define ETW_PAYLOAD_FIXED	1	/* length bytes, or length units of 2 */
#define ETW_PAYLOAD_STRING8	2	/* up to a NUL */
#define ETW_PAYLOAD_STRING16	3	/* up to a NUL of 2 bytes */
#define ETW_PAYLOAD_COUNTED	4	/* __u16 of bytes, then so many */
#define ETW_PAYLOAD_COUNTED_BE	5	/* the same, big-endian */
#define ETW_PAYLOAD_COUNTED32	6	/* __u32 of bytes, then so many */
#define ETW_PAYLOAD_REST	7	/* all that is left */
#define ETW_PAYLOAD_SID		8	/* a security identifier */
#define ETW_PAYLOAD_POINTER	9	/* 8 bytes, 4 of a 32-bit process */

/* etw_payload_step.flags */
#define ETW_PAYLOAD_COUNT_FIELD	 0x1	/* count is the number of a register */
#define ETW_PAYLOAD_LENGTH_FIELD 0x2	/* length is; FIXED only */
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
 * value: an integer, as wide as 64 bits in the test's signedness, and the upper
 * one of BETWEEN and NOTBETWEEN, else 0; a GUID; or the offset of the text, and 0.
 * Behind the text of CONTAINS and DOESNTCONTAIN there are length bytes of 0, for
 * the kernel's use; length is then not 0.
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
