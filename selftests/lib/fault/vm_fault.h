/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_fault.h - run a system call with its 1st, 2nd, 3rd... point of failure
 * failing, and compare everything that can be seen before and after
 *
 * A kernel with fault injection asks, at every allocation and every copy from
 * or to user space, whether it is to fail.  /proc/thread-self/fail-nth counts
 * these questions for the calling thread and says yes to the nth.  A call that
 * returns before the nth question has had all of its failures.
 */
#ifndef ETW_SELFTEST_VM_FAULT_H
#define ETW_SELFTEST_VM_FAULT_H

#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"
#include "lib/vm_state.h"

#include "kmod/etw_test/etw_test.h"

#include <dirent.h>
#include <sys/mount.h>

#define FAULT_DEBUGFS	"/sys/kernel/debug"
#define FAULT_MOST	3000	/* points of one call */
#define FAULT_SWEEPS	24

/* The kernel's provider */
static const struct etw_guid fault_kguid = ETW_TEST_GUID;

/* ------------------------------------------------------------- injection */

extern int fault_nth_fd;

bool fault_knob(const char *attr, const char *knob, const char *value);

/*
 * NULL, or why failures cannot be injected.  Enables them for every allocation, including
 * those that may wait, and without messages in the log.
 */
const char *fault_ready(void);

/* Let the nth point from now on fail. */
bool fault_arm(unsigned int nth);

/* No more failures; was there one?  Reading that is a point itself. */
bool fault_disarm(void);

/* ------------------------------------------------------------ what is seen */

struct fault_env {
	int fd;				/* controls and provides */
	int slot;			/* vm_guid(1), with notices */
	int slot2;			/* the same, without */
	int kfd;			/* etw_test, provider 0 registered; or -1 */
	uint64_t base;			/* a session that the test does not use */
	const struct etw_enable_entry *area;
	/* of one try */
	uint64_t handle;
	int tmp;
	int pid;
	uint32_t held;			/* a buffer that was taken */
	void *map;
	size_t map_size;
	union {
		struct etw_session session;
		struct etw_session_enum session_enum;
		struct etw_session_stat stat;
		struct etw_enable enable;
		struct etw_register reg;
		struct etw_unregister unreg;
		struct etw_notify notify;
		struct etw_event_write write;
		struct etw_classic_write classic;
		struct etw_session_capture capture;
		struct etw_provider_enum provider_enum;
		struct etw_provider_query query;
		struct etw_consumer_open open;
		struct etw_buffer_take take;
		struct etw_buffer_give give;
		struct etw_consumer_stat consumer_stat;
		struct etw_provider_set set;
		struct etw_disallow disallow;
		struct etw_group_query group;
	} arg;
	struct etw_data_descriptor data[ETW_DATA_MAX];
	char text[ETW_NAME_MAX];
	uint8_t room[131072];
	struct vm_reader reader;
	struct etw_session_stat before;
	struct etw_consumer_info info;
};

struct fault_state {
	struct vm_state *st;
	uint8_t area[ETW_ENABLE_AREA_SIZE];
	struct etw_test_enabled key;	/* of the kernel's static provider */
	int fds;
	int maps;
	int blocks;			/* of the module's memory, by vmalloc */
	int refs;
	bool notice;			/* one waits at env->fd */
};

int fault_count_fds(void);

int fault_refs(void);

bool fault_polls(int fd, short events);

/*
 * Is the state unchanged?  quiet: print nothing if not.  The enable area counts its changes,
 * so it is the same only if it was not touched at all.
 */
bool fault_same(const struct fault_env *e, const struct fault_state *was, bool area, bool quiet);

/* ------------------------------------------------------------- all failures */

/**
 * struct fault_op - one call and what holds for it
 * @name: for the reader
 * @prepare: before the state is looked at, so that @call finds what it needs
 * @call: one system call; a result or a negative errno
 * @done: after success: has everything come about that the call promises?
 * @undo: after success: back to the state before, as far as that is possible
 * @judge: instead of comparing states after a failure
 * @clean: at the end of each try
 * @late: cannot be taken back: a failure may come when all has been done
 * @none: there is nothing in it that can fail
 * @once: success cannot be undone, so states are not compared after it
 * @enomem: so many failures at least are ENOMEM, or had no effect: a command that finds no
 *	memory under a lock allocates it without the lock, and tries again
 * @efault: so many at least are EFAULT
 */
struct fault_op {
	const char *name;
	void (*prepare)(struct fault_env *e);
	int (*call)(struct fault_env *e);
	bool (*done)(struct fault_env *e);
	void (*undo)(struct fault_env *e);
	bool (*judge)(struct fault_env *e, const struct fault_state *was, int ret);
	void (*clean)(struct fault_env *e);
	bool late;
	bool none;
	bool once;
	unsigned int enomem;
	unsigned int efault;
};

struct fault_sum {
	unsigned int points, enomem, efault, other, survived, bad;
};

/*
 * All tries.  True: every one of them was right, and there were enough.  The kernel's own
 * debugging allocates memory now and then between our points, so that one of ours may be
 * skipped: then try again, with other calls in between.
 */
bool fault_all(struct fault_env *e, const struct fault_op *op);

/* ------------------------------------------------------------- what is there */

/* Take every notice that waits. */
void fault_no_notices(struct fault_env *e);

/*
 * The objects of the calls: a session, a provider registered twice by the process and one of
 * the kernel, with its static key.  NULL, or what is missing.
 */
const char *fault_begin(struct fault_env *e);

void fault_end(struct fault_env *e);

/* Does everything still work?  An event of each provider reaches a consumer. */
bool fault_all_works(struct fault_env *e);

/* The fixture that the fault programs share; op->... by fault_all(). */
#define FAULT_FIXTURE							\
FIXTURE(fault) {							\
	struct fault_env *e;						\
};									\
FIXTURE_SETUP(fault)							\
{									\
	const char *why = fault_ready();				\
									\
	self->e = NULL;							\
	if (why)							\
		SKIP(return, "%s", why);				\
	self->e = calloc(1, sizeof(*self->e));				\
	ASSERT_NE(NULL, self->e);					\
	why = fault_begin(self->e);					\
	ASSERT_EQ(NULL, why)						\
		TH_LOG("cannot have %s", why);				\
}									\
FIXTURE_TEARDOWN(fault)							\
{									\
	if (!self->e)							\
		return;							\
	fault_no_notices(self->e);					\
	EXPECT_TRUE(fault_all_works(self->e));				\
	fault_end(self->e);						\
	free(self->e);							\
}

/* A test that runs some operations. */
#define FAULT_TEST(name, ops)						\
TEST_F(fault, name)							\
{									\
	unsigned int _i;						\
									\
	if (_metadata->skip)						\
		return;							\
	for (_i = 0; _i < ARRAY_SIZE(ops); _i++)			\
		EXPECT_TRUE(fault_all(self->e, &(ops)[_i]));		\
}

#endif /* ETW_SELFTEST_VM_FAULT_H */
