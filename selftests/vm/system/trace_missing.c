// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_missing - the kernel refuses a counter or a probe: every session that lacks events by
 * that says so, also one that begins later; and what it does not refuse is there soon
 *
 * KERNEL: every
 */
#include <sys/mount.h>
#include <sys/syscall.h>

#include "lib/vm.h"
#include "lib/vm_tracefs.h"
#include "lib/driver/vm_kmod.h"

#include <etw/format.h>

#define CALLS	10

FIXTURE(missing) {
	int fd;
	uint64_t first, second, third;
};

FIXTURE_SETUP(missing)
{
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	vm_rmmod_try("etw_fail");
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->first = vm_start_named(self->fd, "t-first");
	self->second = vm_start_named(self->fd, "t-second");
	self->third = vm_start_named(self->fd, "t-third");
	ASSERT_TRUE(self->first && self->second && self->third);
}

FIXTURE_TEARDOWN(missing)
{
	vm_rmmod_try("etw_fail");
	vm_pin(0);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Returns when the provider knows. */
static int control(FIXTURE_DATA(missing) *self, uint32_t control, uint64_t session,
		   struct etw_guid guid)
{
	struct etw_enable e = vm_enable_arg(session, guid);

	e.control = control;
	e.level = 4;
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static int enable(FIXTURE_DATA(missing) *self, uint64_t session, struct etw_guid guid)
{
	return control(self, ETW_CONTROL_ENABLE, session, guid);
}

static bool stat_of(FIXTURE_DATA(missing) *self, uint64_t session, uint64_t *lacks,
		    uint64_t *written)
{
	struct etw_session_stat st;

	if (vm_stat(self->fd, session, &st))
		return false;
	*lacks = etw_stat_dropped(&st, ETW_DROP_PROBE);
	*written = st.written;
	return *lacks == vm_dropped(&st);
}

/* How often the session recorded that it lacks events; -1: it lost others. */
static long lacks(FIXTURE_DATA(missing) *self, uint64_t session)
{
	uint64_t missed, written;

	return stat_of(self, session, &missed, &written) ? (long)missed : -1;
}

static uint64_t written(FIXTURE_DATA(missing) *self, uint64_t session)
{
	uint64_t missed, count = 0;

	stat_of(self, session, &missed, &count);
	return count;
}

/* A CPU comes back and perf refuses it a counter. */
TEST_F(missing, counter_of_a_cpu)
{
	struct etw_trace_event e = vm_trace_event(vm_guid(1), "syscalls/sys_enter_getppid");
	unsigned int i;

	if (access(VM_CPU1_ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot go offline");
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	ASSERT_EQ(0, enable(self, self->first, vm_guid(1)));
	ASSERT_EQ(0, vm_insmod_with("etw_fail", "function=perf_event_create_kernel_counter second=1"));
	ASSERT_TRUE(vm_cpu1_online(false));
	EXPECT_EQ(0, lacks(self, self->first));
	ASSERT_TRUE(vm_cpu1_online(true));
	EXPECT_TRUE(vm_until(lacks(self, self->first) == 1));
	ASSERT_EQ(0, enable(self, self->second, vm_guid(1)));
	EXPECT_EQ(1, lacks(self, self->second));
	ASSERT_EQ(0, control(self, ETW_CONTROL_DISABLE, self->second, vm_guid(1)));
	ASSERT_EQ(0, enable(self, self->second, vm_guid(1)));
	EXPECT_EQ(2, lacks(self, self->second));
	/* What perf grants then is there at once. */
	ASSERT_EQ(0, vm_rmmod("etw_fail"));
	ASSERT_EQ(0, enable(self, self->third, vm_guid(1)));
	vm_pin(1);
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	EXPECT_EQ(0, lacks(self, self->third));
	EXPECT_LE(CALLS, written(self, self->third));
}

/* A process that makes a provider, and ends with the error. */
static pid_t make_slowly(FIXTURE_DATA(missing) *self)
{
	struct etw_trace_event e = vm_trace_event(vm_guid(2), "syscalls/sys_enter_getppid");
	pid_t pid = fork();

	if (!pid)
		_exit(-vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	return pid;
}

/* Does the session get the system call as CPU 1 makes it? */
static bool is_traced(FIXTURE_DATA(missing) *self, uint64_t session)
{
	uint64_t before = written(self, session);

	vm_pin(1);
	syscall(SYS_getppid);
	vm_pin(0);
	return written(self, session) > before;
}

/* A CPU that comes back is traced soon, whatever a process that makes a provider waits for. */
TEST_F(missing, counter_while_a_provider_is_made)
{
	struct etw_trace_event e = vm_trace_event(vm_guid(1), "syscalls/sys_enter_getppid");
	long long began;
	int status;
	pid_t pid;

	if (access(VM_CPU1_ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot go offline");
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	ASSERT_EQ(0, enable(self, self->first, vm_guid(1)));
	ASSERT_EQ(0, vm_insmod_with("etw_fail", "function=etw_set_traits error=-12 delay=10000"));
	pid = make_slowly(self);
	ASSERT_TRUE(vm_cpu1_online(false));
	ASSERT_TRUE(vm_until(vm_proc_state(pid) == 'D'));
	began = vm_ms();
	ASSERT_TRUE(vm_cpu1_online(true));
	EXPECT_TRUE(vm_until(is_traced(self, self->first)));
	TH_LOG("traced after %lld ms", vm_ms() - began);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	status = vm_reap(pid);
	EXPECT_EQ(ENOMEM, WEXITSTATUS(status));
	EXPECT_EQ(0, vm_rmmod("etw_fail"));
}

static void refuse_probe(struct __test_metadata *_metadata, FIXTURE_DATA(missing) *self,
			 const char *parameters, struct etw_guid guid)
{
	pid_t child;

	ASSERT_EQ(0, vm_insmod_with("etw_fail", parameters));
	ASSERT_EQ(0, enable(self, self->first, guid));
	EXPECT_EQ(1, lacks(self, self->first));
	ASSERT_EQ(0, enable(self, self->second, guid));
	EXPECT_EQ(1, lacks(self, self->second));
	ASSERT_EQ(0, vm_rmmod("etw_fail"));
	ASSERT_EQ(0, enable(self, self->third, guid));
	child = fork();
	if (!child) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	vm_reap(child);
	EXPECT_EQ(0, lacks(self, self->third));
	EXPECT_LT(0, written(self, self->third));
}

TEST_F(missing, probes_of_processes)
{
	const struct etw_guid guid = ETW_PROCESS_GUID;

	refuse_probe(_metadata, self, "function=tracepoint_probe_register", guid);
}

TEST_F(missing, probe_of_images)
{
	const struct etw_guid guid = ETW_IMAGE_GUID;

	refuse_probe(_metadata, self, "function=register_kprobe", guid);
}

TEST_HARNESS_MAIN
