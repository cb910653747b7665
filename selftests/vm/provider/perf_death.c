// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_death - writers that die in a record of perf
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_tracefs.h"
#include "lib/driver/vm_bad_driver.h"

#include <sys/mount.h>
#include <sys/utsname.h>

/*
 * Before 6.11 perf itself takes no more records on a CPU after such a death, until a reboot. From
 * 7.0 on a tracepoint's probe is a reader of SRCU: who takes a probe away waits for the dead one.
 */
static bool perf_outlives_deaths(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	return !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       major == 6 && minor >= 11;
}

/* Deaths in a record of perf leave its scratch memory free: more of them than there are of it. */
TEST_F(bad_driver, death_in_a_trace_event)
{
	struct etw_session_stat st;
	struct etw_trace_event e;
	struct etw_enable enable;
	int i;

	if (!perf_outlives_deaths())
		SKIP(return, "perf does not outlive the death of a writer");
	mount("tracefs", VM_TRACEFS, "tracefs", 0, NULL);
	e = vm_trace_event(vm_guid(2), "kmem/kmalloc");
	ASSERT_NE(0, e.id);
	ASSERT_EQ(0, begin(self, ETW_MODE_REAL_TIME));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	enable = vm_enable_arg(self->s.handle, e.provider);
	enable.timeout_ms = 0xFFFFFFFF;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &enable));
	for (i = 0; i < DEATHS; i++) {
		ASSERT_EQ(0, dies_in(self, ETW_TEST_DIE_TRACED)) {
			TH_LOG("after %d deaths", i);
		}
	}
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_LT(0, st.written);
	EXPECT_EQ(0, etw_stat_dropped(&st, ETW_DROP_NESTING));
}

TEST_HARNESS_MAIN
