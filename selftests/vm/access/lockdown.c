// SPDX-License-Identifier: GPL-2.0-only
/*
 * lockdown - a kernel that is locked down for confidentiality gives no addresses away
 *
 * Lockdown cannot be taken back, and no module can be loaded after it, so this runs as the
 * last program of a machine, and only with ETW_LOCKDOWN=1.
 */
#include "lib/vm.h"
#include "lib/vm_dev.h"

#include <sys/mount.h>

#define LOCKDOWN	"/sys/kernel/security/lockdown"

static int enable(int fd, uint64_t session, uint32_t property)
{
	struct etw_enable e = vm_enable_arg(session, vm_guid(1));

	e.property = property;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

TEST(no_stacks)
{
	struct etw_session s = vm_session("lockdown");
	const char *wanted = getenv("ETW_LOCKDOWN");
	int fd = vm_open();

	if (!wanted)
		SKIP(return, "ETW_LOCKDOWN=1 runs it");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, vm_start(fd, &s));
	ASSERT_EQ(0, enable(fd, s.handle, ETW_ENABLE_STACK_TRACE));
	mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	if (!vm_write_text(LOCKDOWN, "confidentiality"))
		SKIP(return, "this kernel has no lockdown");
	EXPECT_EQ(-EPERM, enable(fd, s.handle, ETW_ENABLE_STACK_TRACE));
	EXPECT_EQ(0, enable(fd, s.handle, ETW_ENABLE_SID));
	EXPECT_EQ(0, vm_stop(fd, s.handle));
	close(fd);
}

TEST_HARNESS_MAIN
