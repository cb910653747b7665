/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * etw_test.h - /dev/etw_test: a kernel provider that a test directs
 *
 * Provider 0 is a static object with the GUID ETW_TEST_GUID; the others are
 * run-time handles with a GUID of the test's.  Structs are the same for the
 * kernel and the test; results come back as negative errnos within them.
 */
#ifndef ETW_TEST_H
#define ETW_TEST_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <etw/format.h>

#define ETW_TEST_GUID	ETW_GUID(0x7e57ab1e, 0x0001, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)
#define ETW_TEST_NAME	"Etw-Test-Provider"

#define ETW_TEST_PROVIDERS	4
#define ETW_TEST_CALLS		64

#define ETW_TEST_IOC(nr)	_IO(0xE9, (nr))
#define ETW_TEST_REGISTER	ETW_TEST_IOC(1)	/* etw_test_register */
#define ETW_TEST_UNREGISTER	ETW_TEST_IOC(2)	/* etw_test_register */
#define ETW_TEST_WRITE		ETW_TEST_IOC(3)	/* etw_test_write */
#define ETW_TEST_ENABLED	ETW_TEST_IOC(4)	/* etw_test_enabled */
#define ETW_TEST_LOG		ETW_TEST_IOC(5)	/* etw_test_log */
#define ETW_TEST_GATE		ETW_TEST_IOC(6)	/* int: 1 opens it, 0 closes it */
#define ETW_TEST_ACTIVITY	ETW_TEST_IOC(7)	/* etw_test_activity */

#define ETW_TEST_CALLBACK	0x1	/* with a callback that logs its calls */
#define ETW_TEST_GATED		0x2	/* ... and waits for the gate to open */
#define ETW_TEST_UNREG_INSIDE	0x4	/* ... and tries to unregister itself */
#define ETW_TEST_WRITE_INSIDE	0x8	/* ... and writes an event, id 99 */

struct etw_test_register {
	__u32 index;
	__u32 flags;
	struct etw_guid guid;
	__s32 result;
	__u32 reserved;
};

/* where an event is written from */
#define ETW_TEST_PROCESS	0
#define ETW_TEST_SOFTIRQ	1
#define ETW_TEST_HARDIRQ	2

struct etw_test_write {
	__u32 index;
	__u32 context;
	__u32 count;		/* events */
	__u32 size;		/* payload bytes, each 0x5a; at most 128 KB */
	struct etw_event_descriptor desc;
	__u32 descriptors;	/* the payload is split into so many; 1..129 */
	__u32 transfer;		/* with activity and related */
	struct etw_guid activity;
	struct etw_guid related;
	__u32 ok;		/* out */
	__u32 failed;		/* out */
	__s32 result;		/* out: of the last one that failed */
	__u32 tested;		/* out: events for which the inline test said no */
};

struct etw_test_enabled {
	__u32 index;
	__u32 inline_test;	/* out: ETW_ENABLED(), provider 0 only */
	__u64 keyword;
	__u32 level;
	__u32 provider_enabled;	/* out */
	__u32 event_enabled;	/* out */
	__u32 reserved;
};

/* A call of the enable callback. */
struct etw_test_call {
	struct etw_guid source;
	__u64 any;
	__u64 all;
	__u32 control;
	__u32 level;
	__u32 good_context;	/* the context pointer, in a context that may sleep */
	__s32 inside;		/* result of what it tried inside */
};

struct etw_test_log {
	__u32 index;
	__u32 count;		/* out: calls since the last time */
	struct etw_test_call calls[ETW_TEST_CALLS];
};

struct etw_test_activity {
	__u32 control;
	__s32 result;
	struct etw_guid id;
};

#endif /* ETW_TEST_H */
