/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * etw_test.h - /dev/etw_test: a kernel provider controlled by a test
 *
 * Provider 0 is a static object with the GUID ETW_TEST_GUID; the others are run-time
 * handles with GUIDs that the test chooses.  Structs are the same for the kernel and the
 * test; results come back as negative errnos within them.
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
#define ETW_TEST_FILTER		256	/* bytes of filter data that are kept */

#define ETW_TEST_IOC(nr)	_IO(0xE9, (nr))
#define ETW_TEST_REGISTER	ETW_TEST_IOC(1)	/* etw_test_register */
#define ETW_TEST_UNREGISTER	ETW_TEST_IOC(2)	/* etw_test_register */
#define ETW_TEST_WRITE		ETW_TEST_IOC(3)	/* etw_test_write */
#define ETW_TEST_ENABLED	ETW_TEST_IOC(4)	/* etw_test_enabled */
#define ETW_TEST_LOG		ETW_TEST_IOC(5)	/* etw_test_log */
#define ETW_TEST_GATE		ETW_TEST_IOC(6)	/* int: 1 opens it, 0 closes it */
#define ETW_TEST_ACTIVITY	ETW_TEST_IOC(7)	/* etw_test_activity */
#define ETW_TEST_TRAP		ETW_TEST_IOC(8)	/* etw_test_trap */
#define ETW_TEST_PLACE		ETW_TEST_IOC(9)	/* etw_test_place */
#define ETW_TEST_PEEK		ETW_TEST_IOC(10) /* etw_test_peek */

#define ETW_TEST_SET		ETW_TEST_IOC(11) /* etw_test_set */
#define ETW_TEST_TYPED		ETW_TEST_IOC(12) /* etw_test_typed */
#define ETW_TEST_BAD		ETW_TEST_IOC(13) /* etw_test_bad */
#define ETW_TEST_DIE		ETW_TEST_IOC(14) /* etw_test_die */
#define ETW_TEST_HOLD		ETW_TEST_IOC(15) /* int, unused; until the caller is killed */
#define ETW_TEST_MACHINE	ETW_TEST_IOC(20) /* etw_test_machine */
#define ETW_TEST_SIZES		ETW_TEST_IOC(21) /* etw_test_sizes */

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

/* context that an event is written from */
#define ETW_TEST_PROCESS	0
#define ETW_TEST_SOFTIRQ	1
#define ETW_TEST_HARDIRQ	2
/* the caller's context, with something disabled */
#define ETW_TEST_IRQS_OFF	3
#define ETW_TEST_BH_OFF		4
#define ETW_TEST_PREEMPT_OFF	5	/* twice */

#define ETW_TEST_TRANSFER	0x1	/* etw_write_transfer(): with activity and related */
#define ETW_TEST_EX		0x2	/* etw_write_ex(): with exclude and no ids */
#define ETW_TEST_PRIVATE	0x4	/* ... and ETW_WRITE_INPRIVATE */
#define ETW_TEST_STRING		0x8	/* etw_write_string(): the payload, of an even size, and a NUL */
#define ETW_TEST_NOTHING	0x10	/* ... but a NULL pointer */
#define ETW_TEST_FIXED		0x20	/* etw_write_fixed(): all pieces as one object */
#define ETW_TEST_KNOWN		0x40	/* etw_write(): pieces whose sizes the compiler knows, ... */
#define ETW_TEST_KNOWN_SIZE	52	/* ... together */

struct etw_test_write {
	__u32 index;
	__u32 context;
	__u32 count;		/* events */
	__u32 size;		/* payload bytes, each 0x5a; at most 128 KB */
	struct etw_event_descriptor desc;
	__u32 descriptors;	/* number of pieces the payload is split into; 1..129 */
	__u32 transfer;		/* ETW_TEST_TRANSFER ... ETW_TEST_KNOWN */
	struct etw_guid activity;
	struct etw_guid related;
	__u32 ok;		/* out */
	__u32 failed;		/* out */
	__s32 result;		/* out: of the last one that failed */
	__u32 tested;		/* out: events that the inline test rejected */
	__u32 numbered;		/* the payload begins with an incrementing __u32 */
	__u32 number;		/* ... starting here; out: the next one */
	__u64 exclude;		/* of etw_write_ex() */
	__u32 depth;		/* depth of calls between the entry and the write; at most 256 */
	__u32 reserved;
};

#define ETW_TEST_SIZES_TAIL	4	/* bytes of the second piece: "tail" */
#define ETW_TEST_SIZES_MAX	31

/* An event whose size the compiler knows: etw_test_byte(size, 0) and so on. */
struct etw_test_sizes {
	__u32 index;
	__u32 size;		/* at most ETW_TEST_SIZES_MAX */
	__u32 fixed;		/* etw_write_fixed(); else etw_write(), and a second piece */
	__s32 result;		/* out: of the write */
	struct etw_event_descriptor desc;
};

static inline __u8 etw_test_byte(__u32 size, __u32 at)
{
	return (__u8)(size * 31 + at * 7 + 1);
}

#define ETW_TEST_MACHINE_TSC	0	/* the kernel finds the TSC unstable */
#define ETW_TEST_MACHINE_STALL	1	/* nothing runs for ms milliseconds, or longer: wrap_ms */
#define ETW_TEST_MACHINE_DEVICES 2	/* PCI devices stay awake when the machine sleeps */

struct etw_test_machine {
	__u32 what;		/* ETW_TEST_MACHINE_* */
	__u32 ms;
	__u32 wrap_ms;		/* after which the kernel's clock source wraps */
	__u32 reserved;
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
	__u32 good_context;	/* the context pointer was right, in a thread that may sleep and die */
	__s32 inside;		/* result of the operation tried inside */
	__u32 filter_type;	/* of the call's filter data, 0: none */
	__u32 filter_len;	/* size in bytes; only the bytes that fit are stored */
	__u8  filter[ETW_TEST_FILTER];
};

struct etw_test_log {
	__u32 index;
	__u32 count;		/* out: finished calls since the last time */
	struct etw_test_call calls[ETW_TEST_CALLS];
	__u32 running;		/* out: unfinished calls */
	__u32 reserved;
};

struct etw_test_activity {
	__u32 control;
	__s32 result;
	struct etw_guid id;
};

/*
 * A trap writes an event, with a struct etw_test_trap_event as payload, from wherever it
 * is hit.  There is one trap at a time.
 */
#define ETW_TEST_TRAP_REMOVE	0	/* no more hits after that */
#define ETW_TEST_TRAP_LOOK	1	/* only fills in the results */
#define ETW_TEST_TRAP_KPROBE	2	/* before a given kernel instruction */
#define ETW_TEST_TRAP_FTRACE	4	/* at the beginning of a given kernel function */
#define ETW_TEST_TRAP_FAULT	3	/* at every page fault of the machine */

/* hit context: indices of hits[] */
#define ETW_TEST_HIT_TASK	0
#define ETW_TEST_HIT_SOFTIRQ	1
#define ETW_TEST_HIT_HARDIRQ	2
#define ETW_TEST_HIT_NMI	3
#define ETW_TEST_HITS		4

struct etw_test_trap {
	__u32 index;		/* provider */
	__u32 kind;		/* ETW_TEST_TRAP_* */
	__u32 offset;		/* of the instruction in its function */
	__u32 most;		/* maximum events per ETW_TEST_WRITE; 0: no limit */
	char function[64];
	__u32 number;		/* of its first event; out: of the next one */
	/* out, since the trap was set */
	__s32 result;		/* -EOPNOTSUPP: the kernel lacks the feature */
	__u64 hits[ETW_TEST_HITS];
	__u64 faults;		/* in kernel mode, of the process that set the trap */
	__u64 ok;		/* events */
	__u64 failed;
};

struct etw_test_trap_event {
	__u32 number;
	__u32 hit;		/* ETW_TEST_HIT_* */
};

/* Per-CPU memory that writing to the first session of a provider uses */
struct etw_test_range {
	__u64 start;
	__u64 size;
};

struct etw_test_place {
	__u32 index;
	__u32 cpu;
	/* out */
	struct etw_test_range provider;
	struct etw_test_range snapshot;
	struct etw_test_range session;
	struct etw_test_range table;	/* of buffers */
	struct etw_test_range percpu;	/* the CPU's part of the session */
	struct etw_test_range control;	/* of the CPU's buffer; empty: it has none */
	struct etw_test_range data;
	__u64 word;			/* in percpu: where the next record goes */
	__u64 commit;			/* in control */
};

/* Read the kernel's memory. */
struct etw_test_peek {
	__u64 start;
	__u64 size;		/* at most 1 MB */
	__u64 to;		/* pointer */
};

/* etw_set_traits() and etw_use_descriptor_types() */
struct etw_test_set {
	__u32 index;
	__u32 flags;		/* ETW_SET_*, one of them */
	__u32 types;
	__u32 len;		/* size of the traits; at most the size of bytes */
	__u8  bytes[512];
	__s32 result;		/* out */
	__u32 reserved;
};

/* One event with typed data descriptors */
#define ETW_TEST_PIECES	8

struct etw_test_piece {
	__u32 type;		/* descriptor.reserved */
	__u32 at;		/* offset in bytes */
	__u32 size;
};

struct etw_test_typed {
	__u32 index;
	__u32 hardirq;		/* 1: written from hard interrupt context */
	struct etw_event_descriptor desc;
	__u32 count;		/* of pieces */
	__s32 result;		/* out */
	struct etw_test_piece pieces[ETW_TEST_PIECES];
	__u8  bytes[1024];
};

/* Where an event has an address that cannot be read, */
#define ETW_TEST_BAD_PIECE	0
#define ETW_TEST_BAD_ACTIVITY	1
#define ETW_TEST_BAD_RELATED	2
#define ETW_TEST_BAD_STRING	3
#define ETW_TEST_BAD_SCHEMA	4	/* of a provider with ETW_SET_TYPES */
#define ETW_TEST_BAD_KNOWN	5	/* a piece whose size the compiler knows */
#define ETW_TEST_BAD_NONE	6	/* a piece that the compiler knows to be empty */
/* ... and which kind of address */
#define ETW_TEST_BAD_NULL	0	/* near NULL */
#define ETW_TEST_BAD_USER	1	/* of the program, which could read it */
#define ETW_TEST_BAD_POISON	2	/* not canonical */
#define ETW_TEST_BAD_TOP	3	/* an error pointer */
#define ETW_TEST_BAD_GUARD	4	/* not mapped */
#define ETW_TEST_BAD_TAIL	5	/* mapped, but not the page behind it */
#define ETW_TEST_BAD_KINDS	6

struct etw_test_bad {
	__u32 index;
	__u32 place;
	__u32 kind;
	__u32 size;		/* of the piece */
	__u32 count;		/* events */
	__s32 result;		/* out: of the last one */
	__u64 user;
	struct etw_event_descriptor desc;
};

#define ETW_TEST_DIE_EVENT	0	/* between reserve and commit of an event, in the general way */
#define ETW_TEST_DIE_TRACED	1	/* while a record of kmem:kmalloc is made an event */
#define ETW_TEST_DIE_BEGUN	2	/* in the driver's own code, after __etw_reserve() */

/*
 * Let a kernel thread on this CPU end, as by an oops.  For ETW_TEST_DIE_EVENT the provider needs
 * ETW_SET_TYPES, for ETW_TEST_DIE_BEGUN it may not have types; ETW_TEST_DIE_TRACED is for a provider
 * of the kernel's trace event.
 */
struct etw_test_die {
	__u32 index;
	__u32 cpu;
	/*
	 * out: -EOPNOTSUPP, the kernel has no kprobes; -EIO, it lived; -EAGAIN, __etw_reserve() left
	 * the event to __etw_write(); -ENOMSG, no session takes it
	 */
	__s32 result;
	__u32 where;		/* ETW_TEST_DIE_* */
	struct etw_event_descriptor desc;
};

#endif /* ETW_TEST_H */
