/* SPDX-License-Identifier: GPL-2.0-only */
/* vm_notify.h - a provider of the process that receives enable notifications */
#ifndef ETW_SELFTEST_VM_NOTIFY_H
#define ETW_SELFTEST_VM_NOTIFY_H

#include "vm.h"

#define PREEMPT	"/sys/kernel/debug/sched/preempt"

FIXTURE(notify) {
	int fd;
	int slot;
	uint64_t a, b;
	struct etw_notify n;
	char preempt[16];	/* the kernel's way, to be put back; or nothing */
};

static inline bool set_preempt(const char *mode)
{
	int fd = open(PREEMPT, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, mode, strlen(mode)) == (ssize_t)strlen(mode);

	if (fd >= 0)
		close(fd);
	return ok;
}

FIXTURE_SETUP(notify)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->a = vm_start_named(self->fd, "t-a");
	self->b = vm_start_named(self->fd, "t-b");
	ASSERT_NE(0, self->a);
	ASSERT_NE(0, self->b);
	self->slot = vm_register_flags(self->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0xc00c1e);
	ASSERT_LE(0, self->slot);
}

FIXTURE_TEARDOWN(notify)
{
	if (*self->preempt)
		EXPECT_TRUE(set_preempt(self->preempt));
	vm_stop_all(self->fd);
	close(self->fd);
}

static inline int next(FIXTURE_DATA(notify) *self)
{
	self->n = (struct etw_notify){ .size = sizeof(self->n) };
	return vm_ioctl(self->fd, ETW_IOC_NOTIFY, &self->n);
}

/* An enabling call with everything in it. */
static inline int control(FIXTURE_DATA(notify) *self, uint64_t session, uint32_t code,
			  uint8_t level, uint64_t any, uint64_t all, unsigned int source)
{
	struct etw_enable e = vm_enable_arg(session, vm_guid(1));

	e.control = code;
	e.level = level;
	e.any = any;
	e.all = all;
	if (source)
		e.source = vm_guid(source);
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

#endif /* ETW_SELFTEST_VM_NOTIFY_H */
