/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_payload.h - the payload filter of ETW_IOC_ENABLE: its program
 *
 * A program says for some events, by id and version, what their payload has to
 * be like; all other events pass, and so do TraceLogging's, which have a schema or
 * are of channel 11, and whose ids say nothing.  It walks the fields of the payload in their order, one
 * step each, because where a field lies may depend on those before it, and tests
 * some of them.  It is a list, without jumps: a step runs once.
 *
 *	struct etw_payload_header
 *	struct etw_payload_event [events]	ascending by id, then version
 *	of each event in turn: its steps, then its tests, ascending by step
 *	the texts of all tests in turn, each padded with zeros to 8 bytes
 *
 * There is no slack between them, and each "at" is where it must be.  Whatever
 * else is wrong refuses the program as a whole: EINVAL.
 *
 * The tests of an event form groups, one for each TdhCreatePayloadFilter(): all
 * tests of a group must hold, or one of them if it is among "ors".  The event
 * passes if all groups of "all" hold and, if there are groups in "any", one of
 * those.  A test of a field that the payload is too short for does not hold,
 * whatever its operator.
 *
 * Text is compared without regard to the case of ASCII letters.  A text ends at
 * its first NUL, its length, or the end of the payload.  CONTAINS and DOESNTCONTAIN
 * look at ETW_PAYLOAD_SEARCH_MAX bytes of a field at most, for a writer cannot be
 * preempted meanwhile: where by then neither what is searched for was nor, before
 * the last unit of these, a NUL, both hold, so that no event is lost by it.  For
 * the same reason an event passes whose arrays of strings and the like have more
 * than ETW_PAYLOAD_ELEMENTS_MAX elements before the fields that decide.
 *
 * Source: Microsoft's TdhCreatePayloadFilter, TdhAggregatePayloadFilters and
 * PAYLOAD_FILTER_PREDICATE pages.
 */
#ifndef ETW_ABI_PAYLOAD_H
#define ETW_ABI_PAYLOAD_H

#include <linux/types.h>

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

#endif /* ETW_ABI_PAYLOAD_H */
