// SPDX-License-Identifier: GPL-2.0-only
/* notify_lost - a notification whose caller can no longer receive it */
#include "lib/vm.h"
#include "lib/vm_notify.h"

#include <pthread.h>
#include <sys/utsname.h>

/* Where a thread may lose its CPU within a system call; made so if possible. */
static bool preemptible(FIXTURE_DATA(notify) *self)
{
	FILE *f = fopen(PREEMPT, "re");
	struct utsname u;
	char word[32];

	/* It marks the way it goes: none voluntary (full) */
	while (f && fscanf(f, "%31s", word) == 1)
		if (sscanf(word, "(%15[a-z])", self->preempt) == 1)
			break;
	if (f)
		fclose(f);
	if (*self->preempt)
		return set_preempt("full");
	return !uname(&u) && strstr(u.version, "PREEMPT") &&
	       !strstr(u.version, "PREEMPT_DYNAMIC");
}

/*
 * The other thread.  It waits for notification 1 to be handled and has the higher priority, so
 * it continues in the middle of the call that reports that: notification 2 belongs to that
 * call, whose caller has not received it yet, and now no longer can.
 */
struct thief {
	int fd;
	struct etw_enable e;
	struct etw_notify *page;	/* the argument of that call */
	struct etw_notify n;
	int enabled, took, blocked;
};

static void *steal(void *arg)
{
	struct thief *t = arg;

	t->enabled = vm_ioctl(t->fd, ETW_IOC_ENABLE, &t->e);
	t->n.size = sizeof(t->n);
	t->took = vm_ioctl(t->fd, ETW_IOC_NOTIFY, &t->n);
	t->blocked = mprotect(t->page, 4096, PROT_NONE);
	return NULL;
}

static int start_thief(pthread_t *thread, struct thief *t)
{
	struct sched_param first = { .sched_priority = 1 };
	pthread_attr_t attr;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &first);
	ret = pthread_create(thread, &attr, steal, t);
	pthread_attr_destroy(&attr);
	return ret;
}

/*
 * The result of NOTIFY for the caller whose notification 2 is stolen; 0: the other thread came
 * too late.
 */
static int be_stolen_from(struct __test_metadata *_metadata, FIXTURE_DATA(notify) *self,
			  bool another)
{
	struct thief t = { .fd = self->fd, .e = vm_enable_arg(self->a, vm_guid(1)) };
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	pthread_t thread;
	int ret;

	t.e.timeout_ms = 0xFFFFFFFF;
	t.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, t.page);
	t.page->size = sizeof(*t.page);
	ASSERT_EQ(0, start_thief(&thread, &t));
	ASSERT_EQ(1, poll(&p, 1, VM_LIMIT_MS));
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(0, self->n.dropped);
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 2, 1, 0, 2));
	if (another)
		ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 3, 1, 0, 3));
	ret = vm_ioctl(self->fd, ETW_IOC_NOTIFY, t.page);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, t.enabled);
	EXPECT_EQ(another ? 0 : -EAGAIN, t.took);
	EXPECT_EQ(0, t.blocked);
	munmap(t.page, 4096);
	if (!ret)
		while (!next(self))
			;
	return ret;
}

static void check_stolen(struct __test_metadata *_metadata, FIXTURE_DATA(notify) *self,
			 bool another)
{
	int ret;

	if (!preemptible(self))
		SKIP(return, "no thread of this kernel's gives way in a system call");
	vm_pin(0);
	ASSERT_TRUE(vm_until((ret = be_stolen_from(_metadata, self, another))));
	ASSERT_EQ(-EFAULT, ret);
	ASSERT_EQ(0, control(self, self->a, ETW_CONTROL_ENABLE, 4, 1, 0, 4));
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(4, self->n.level);
	EXPECT_EQ(1, self->n.dropped);
	EXPECT_EQ(-EAGAIN, next(self));
}

TEST_F(notify, lost_one_counts_as_dropped)
{
	check_stolen(_metadata, self, false);
}

TEST_F(notify, lost_one_counts_while_another_is_handled)
{
	check_stolen(_metadata, self, true);
}

TEST_HARNESS_MAIN
