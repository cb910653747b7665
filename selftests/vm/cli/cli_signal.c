// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_signal - a signal that comes in the last instruction before etw stat waits is not missed
 */
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "lib/vm.h"
#include "lib/command/vm_trace.h"

#ifdef __x86_64__

#define STEPS_MAX	1000000
#define SYSCALL_CODE	0x050f	/* the instruction */

FIXTURE(cli_signal) {
	struct vm_trace t;
};

FIXTURE_SETUP(cli_signal)
{
	ASSERT_EQ(0, vm_trace_begin(&self->t));
}

FIXTURE_TEARDOWN(cli_signal)
{
	vm_trace_end(&self->t);
}

/* etw stat, which the caller traces from its first instruction; it waits for an hour. */
static pid_t start_stat(void)
{
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execl(vc_path(), "etw", "stat", "--interval", "3600", NULL);
		_exit(127);
	}
	return pid;
}

/* Let it go on to its next stop, without a signal; false: it has ended. */
static bool go(pid_t pid, int how)
{
	int status;

	return !ptrace(how, pid, NULL, NULL) && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status);
}

/* Is the next instruction the system call that waits? */
static bool waits_next(pid_t pid)
{
	struct user_regs_struct regs;
	long code;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		return false;
	if (regs.rax != SYS_clock_nanosleep && regs.rax != SYS_nanosleep && regs.rax != SYS_ppoll)
		return false;
	code = ptrace(PTRACE_PEEKTEXT, pid, regs.rip, NULL);
	return (code & 0xffff) == SYSCALL_CODE;
}

/* Up to the end of its first write, of the block to stdout. */
static bool prints(pid_t pid)
{
	struct user_regs_struct regs;

	while (go(pid, PTRACE_SYSCALL))
		if (!ptrace(PTRACE_GETREGS, pid, NULL, &regs) && regs.orig_rax == SYS_write &&
		    regs.rdi == 1)
			return go(pid, PTRACE_SYSCALL);
	return false;
}

TEST_F(cli_signal, right_before_waiting)
{
	int status, steps = 0;
	pid_t pid = start_stat();

	ASSERT_LT(0, pid);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(prints(pid));
	while (!waits_next(pid) && steps++ < STEPS_MAX)
		ASSERT_TRUE(go(pid, PTRACE_SINGLESTEP));
	ASSERT_TRUE(waits_next(pid));
	ASSERT_EQ(0, kill(pid, SIGINT));
	EXPECT_EQ(0, ptrace(PTRACE_DETACH, pid, NULL, NULL));
	status = vm_reap(pid);
	EXPECT_EQ(0, status);
	if (status == -1) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

#endif

TEST_HARNESS_MAIN
