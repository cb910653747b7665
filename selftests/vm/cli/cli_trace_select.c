// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_trace_select - of the kernel's own events only those of some processes, and only those
 * whose fields are so, before they are written; each session for itself
 *
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_items.h"
#include "lib/vm_log.h"

#define OUT	LOG_DIR "/a.etl"
#define OTHER	LOG_DIR "/b.etl"
#define CALL	"tracepoint:syscalls:sys_enter_getppid"
#define CALLS	50

FIXTURE(select) {
	int fd;
	struct vc_run r;
};

FIXTURE_SETUP(select)
{
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(32768));
}

FIXTURE_TEARDOWN(select)
{
	vm_stop_all(self->fd);
	close(self->fd);
	vl_log_dir_end();
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, (char *)NULL)

/* CALLS calls each time, in that group, or if it is NULL the test's */
static int serve_calls(int in, int out, const void *group)
{
	int i;

	if (group && !vm_enter_group(group))
		return -EIO;
	while (vm_helper_next(in, out))
		for (i = 0; i < CALLS; i++)
			syscall(SYS_getppid);
	return 0;
}

static bool caller_start(struct vm_helper *caller, const char *group)
{
	return !vm_helper_start(caller, serve_calls, group);
}

static void caller_end(struct vm_helper *caller)
{
	/* Another caller may have inherited the pipe. */
	kill(caller->pid, SIGKILL);
	vm_helper_end(caller);
}

/* Events of the file, and how many of them are of that process; -1: dump says why */
static int events(FIXTURE_DATA(select) *self, const char *file, pid_t pid, int *of_it)
{
	char filter[32];
	int all;

	*of_it = -1;
	snprintf(filter, sizeof(filter), "pid == %d", pid);
	all = RUN("dump", file, "-p", CALL) ? -1 : vc_lines(self->r.out);
	if (all >= 0 && !RUN("dump", file, "-p", CALL, "--filter", filter))
		*of_it = vc_lines(self->r.out);
	fprintf(stderr, "%s", self->r.err);
	return all;
}

/* One session wants one process, another one all: each gets its events. */
TEST_F(select, by_pid)
{
	struct vm_helper a, b;
	char pid[16];
	int n;

	ASSERT_TRUE(caller_start(&a, NULL) && caller_start(&b, NULL));
	snprintf(pid, sizeof(pid), "%d", a.pid);
	ASSERT_EQ(0, RUN("start", "one", "--file", OUT));
	ASSERT_EQ(0, RUN("start", "all", "--file", OTHER));
	ASSERT_EQ(0, RUN("enable", "one", "-p", CALL, "--pid", pid)) TH_LOG("%s", self->r.err);
	EXPECT_STREQ("", self->r.err);
	ASSERT_TRUE(vm_helper_ask(&a) && vm_helper_ask(&b));
	ASSERT_EQ(0, RUN("enable", "all", "-p", CALL));
	ASSERT_TRUE(vm_helper_ask(&a) && vm_helper_ask(&b));
	ASSERT_EQ(0, RUN("enable", "one", "-p", CALL));
	ASSERT_TRUE(vm_helper_ask(&a) && vm_helper_ask(&b));
	ASSERT_EQ(0, RUN("stop", "one"));
	ASSERT_EQ(0, RUN("stop", "all"));
	EXPECT_LE(4 * CALLS, events(self, OUT, a.pid, &n));
	EXPECT_EQ(3 * CALLS, n);
	EXPECT_LE(4 * CALLS, events(self, OUT, b.pid, &n));
	EXPECT_EQ(CALLS, n);
	EXPECT_LE(4 * CALLS, events(self, OTHER, a.pid, &n));
	EXPECT_EQ(2 * CALLS, n);
	EXPECT_LE(4 * CALLS, events(self, OTHER, b.pid, &n));
	EXPECT_EQ(2 * CALLS, n);
	caller_end(&a);
	caller_end(&b);
}

/* A process that runs later, by the name of its program's file, whatever it was called by */
TEST_F(select, by_program)
{
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "tracepoint:syscalls:sys_enter_openat",
			 "--exe", "head,no-such", "--", "sh", "-c",
			 "cat /etc/etw-none; head /etc/etw-none; ln -s /bin/cat " LOG_DIR "/head; " LOG_DIR "/head /etc/etw-none; :"));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "tracepoint:syscalls:sys_enter_openat", "--json"));
	EXPECT_LT(0, vc_objects(self->r.out));
	EXPECT_EQ(NULL, strstr(self->r.out, "\"process\":\"cat\""));
	ASSERT_EQ(0, RUN("dump", OUT, "--filter", "filename == /etc/etw-none", "--json"));
	EXPECT_EQ(1, vc_objects(self->r.out)) TH_LOG("%s", self->r.out);
}

/* A group may be that of a container: what runs in it, and below it. */
TEST_F(select, by_container)
{
	struct vm_helper inside, below, outside;
	int n;

	if (!vm_groups())
		SKIP(return, "no cgroup2");
	mkdir(VM_GROUPS "/etw-select", 0755);
	ASSERT_TRUE(caller_start(&inside, "/etw-select") &&
		    caller_start(&below, "/etw-select/below") &&
		    caller_start(&outside, NULL));
	ASSERT_TRUE(vm_helper_ask(&inside) && vm_helper_ask(&below));
	ASSERT_EQ(0, RUN("start", "one", "--file", OUT));
	ASSERT_EQ(0, RUN("enable", "one", "-p", CALL, "--container", "/etw-select", "--with",
			 "container"));
	ASSERT_TRUE(vm_helper_ask(&inside) && vm_helper_ask(&below) && vm_helper_ask(&outside));
	ASSERT_EQ(0, RUN("stop", "one"));
	EXPECT_EQ(2 * CALLS, events(self, OUT, inside.pid, &n));
	EXPECT_EQ(CALLS, n);
	EXPECT_EQ(2 * CALLS, events(self, OUT, below.pid, &n));
	EXPECT_EQ(CALLS, n);
	caller_end(&inside);
	caller_end(&below);
	caller_end(&outside);
	rmdir(VM_GROUPS "/etw-select/below");
	rmdir(VM_GROUPS "/etw-select");
}

/* As in a container: the event has the pid of both namespaces, and the group. */
TEST_F(select, pid_in_a_container)
{
	pid_t pid, inner;
	int n;

	if (!vm_groups())
		SKIP(return, "no cgroup2");
	ASSERT_EQ(0, RUN("start", "one", "--file", OUT));
	ASSERT_EQ(0, RUN("enable", "one", "-p", CALL, "--container", "etw-select", "--with",
			 "container"));
	pid = fork();
	if (!pid) {
		if (!vm_enter_group("/etw-select") || unshare(CLONE_NEWPID))
			_exit(0);
		inner = fork();
		if (!inner) {
			syscall(SYS_getppid);
			_exit(0);
		}
		waitpid(inner, &n, 0);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &n, 0));
	ASSERT_EQ(0, RUN("stop", "one"));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", CALL));
	EXPECT_EQ(1, vc_lines(self->r.out)) TH_LOG("%s", self->r.out);
	EXPECT_NE(NULL, strstr(self->r.out, "inside=1/1@")) TH_LOG("%s", self->r.out);
	EXPECT_NE(NULL, strstr(self->r.out, "/etw-select"));
	/* Its pid is that of the initial namespace. */
	ASSERT_EQ(0, RUN("dump", OUT, "-p", CALL, "--filter", "pid == 1"));
	EXPECT_STREQ("", self->r.out);
	rmdir(VM_GROUPS "/etw-select");
}

/* Texts of a process, and numbers; of several events, those that lack the field pass no test. */
TEST_F(select, by_fields)
{
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "tracepoint:syscalls:sys_*_write",
			 "--filter", "count == 777", "-p", "tracepoint:syscalls:sys_enter_openat",
			 "--filter", "filename contains etw-none and flags != 1", "--", "sh", "-c",
			 "head -c 777 /dev/zero >/dev/null; head -c 778 /dev/zero >/dev/null; cat /etc/etw-none; cat /etc/hostname"))
		TH_LOG("%s", self->r.err);
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "tracepoint:syscalls:sys_enter_write", "--json"));
	EXPECT_EQ(1, vc_objects(self->r.out)) TH_LOG("%s", self->r.out);
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "tracepoint:syscalls:sys_exit_write", "--json"));
	EXPECT_EQ(0, vc_objects(self->r.out));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "tracepoint:syscalls:sys_enter_openat", "--json"));
	EXPECT_EQ(1, vc_objects(self->r.out)) TH_LOG("%s", self->r.out);
	/* What both of a pair have or lack */
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "tracepoint:syscalls:sys_*_getppid",
			 "--filter", "not exists(ret)", "--", "sh", "-c", ":"));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "tracepoint:syscalls:sys_exit_getppid", "--json"));
	EXPECT_EQ(0, vc_objects(self->r.out));
}

/* As "etw dump" shows the values, whose filter passes the same events */
TEST_F(select, by_names)
{
	static const char *const filters[][2] = {
		{ "tracepoint:sched:sched_switch", "prev_state == S && prev_comm == sleep" },
		{ "tracepoint:syscalls:sys_exit_openat", "ret == ENOENT" },
		{ "tracepoint:signal:signal_generate", "sig in (SIGUSR1, SIGUSR2)" },
	};
	unsigned int i;
	int all;

	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", filters[0][0], "--filter", filters[0][1],
			 "-p", filters[1][0], "--filter", filters[1][1], "-p", filters[2][0], "--filter",
			 filters[2][1], "--", "sh", "-c",
			 "trap : USR1 CHLD; cat /etc/etw-none; kill -CHLD $$; kill -USR1 $$; sleep 0.1")) {
		TH_LOG("%s", self->r.err);
	}
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		ASSERT_EQ(0, RUN("dump", OUT, "-p", filters[i][0]));
		all = vc_lines(self->r.out);
		EXPECT_LE(1, all) TH_LOG("%s", filters[i][1]);
		ASSERT_EQ(0, RUN("dump", OUT, "-p", filters[i][0], "--filter", filters[i][1]));
		EXPECT_EQ(all, vc_lines(self->r.out)) TH_LOG("%s", self->r.out);
	}
	EXPECT_EQ(1, vc_lines_with(self->r.out, "sig=SIGUSR1", ""));
	ASSERT_EQ(0, RUN("start", "mine"));
	EXPECT_TRUE((RUN("enable", "mine", "tracepoint:syscalls:sys_exit_openat", "--filter",
			 "ret == ENOETN"),
		     vc_refused(&self->r, 2, "ret has no value ENOETN; did you mean ENOENT?")));
	EXPECT_TRUE((RUN("enable", "mine", "tracepoint:sched:sched_switch", "--filter",
			 "prev_state == sleeping"),
		     vc_refused(&self->r, 2, "prev_state has no value sleeping; it has")));
}

/*
 * A session that the boot starts enables trace events as well, with all filters.  They are traced
 * when the command ends.
 */
TEST_F(select, of_an_autologger)
{
	static const char text[] = "start --guid 7e5700a1-5e1f-4e57-8001-020304050607 --file " OUT "\n"
				   "enable " CALL " --filter 'no_such == 1'\n"
				   "enable tracepoint:syscalls:sys_*_write --exe head --filter 'count == 777'\n";
	FILE *f;

	mkdir("/etc/etw", 0755);
	mkdir("/etc/etw/autologger.d", 0755);
	f = fopen("/etc/etw/autologger.d/trace.conf", "w");
	ASSERT_TRUE(f && fputs(text, f) >= 0 && !fclose(f));
	EXPECT_EQ(1, RUN("autologger", "start", "trace"));
	EXPECT_NE(NULL, strstr(self->r.err, "no event has a field no_such")) TH_LOG("%s", self->r.err);
	EXPECT_EQ(1, vc_lines(self->r.err)) TH_LOG("%s", self->r.err);
	EXPECT_EQ(0, system("head -c 777 /dev/zero >/dev/null; head -c 778 /dev/zero >/dev/null; dd if=/dev/zero of=/dev/null bs=777 count=1 2>/dev/null"));
	unlink("/etc/etw/autologger.d/trace.conf");
	ASSERT_EQ(0, RUN("stop", "trace"));
	EXPECT_EQ(0, RUN("verify", OUT)) TH_LOG("%s", self->r.out);
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "tracepoint:syscalls:sys_enter_write"));
	EXPECT_EQ(1, vc_lines(self->r.out)) TH_LOG("%s", self->r.out);
}

/* Where a program spends its time, and what it counts */
TEST_F(select, samples)
{
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "profile:500", "--stack", "-p",
			 "pmu:page-faults", "--exe", "sh,dash,bash", "--", "sh", "-c",
			 "i=0; while test $i -lt 3000; do i=$((i + 1)); done")) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "profile:500", "--filter", "process == sh", "-n", "50"));
	EXPECT_LT(4, vc_lines(self->r.out)) TH_LOG("%s", self->r.out);
	EXPECT_NE(NULL, strstr(self->r.out, "sample info address=0x"));
	EXPECT_NE(NULL, strstr(self->r.out, "in_kernel=false"));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "pmu:page-faults:1", "-n", "50"));
	EXPECT_EQ(50, vc_lines(self->r.out));
	EXPECT_NE(NULL, strstr(self->r.out, "counted=1 "));
	ASSERT_EQ(0, RUN("list", "providers", "pmu:*-faults"));
	EXPECT_NE(NULL, strstr(self->r.out, "pmu:major-faults:1"));
	ASSERT_EQ(0, RUN("start", "mine"));
	EXPECT_TRUE((RUN("enable", "mine", "pmu:page-fault"),
		     vc_refused(&self->r, 1, "did you mean \"pmu:page-faults\"?")));
	EXPECT_TRUE((RUN("enable", "mine", "profile:20000"),
		     vc_refused(&self->r, 1, "per second and CPU, 1 to 10000")));
	EXPECT_TRUE((RUN("enable", "mine", "pmu:page-faults:0"),
		     vc_refused(&self->r, 1, "must be at least 1")));
	/* The emulated machine has no counters in hardware. */
	EXPECT_TRUE((RUN("enable", "mine", "pmu:bus-cycles"),
		     vc_refused(&self->r, 1, "this machine does not count that")));
	ASSERT_EQ(0, RUN("enable", "mine", "-p", "profile:10:info"));
	ASSERT_EQ(0, RUN("disable", "mine", "profile:10"));
}

/* perf is refused to these by Debian's kernels, whose perf_event_paranoid is 3. */
TEST_F(select, samples_without_root)
{
	self->r.nobody = true;
	EXPECT_TRUE((RUN("list", "providers", "pmu:*"),
		     vc_refused(&self->r, 1, "it takes CAP_PERFMON")));
	EXPECT_TRUE((RUN("watch", "-p", "profile:99", "--", "true"),
		     vc_refused(&self->r, 1, "it takes CAP_PERFMON")));
	self->r.capability = CAP_PERFMON;
	EXPECT_EQ(0, RUN("watch", "-p", "profile:500", "--exe", "sh,dash", "-n", "3", "--", "sh", "-c",
			 "trap '' TERM; i=0; while test $i -lt 20000; do i=$((i + 1)); done")) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_EQ(3, vc_lines_with(self->r.out, "profile:500", "sample info")) TH_LOG("%s", self->r.out);
}

TEST_F(select, refused)
{
	ASSERT_EQ(0, RUN("start", "mine"));
	EXPECT_TRUE((RUN("enable", "mine", "tracepoint:sched", "--filter", "next_pid == 1 and no_such == 2"),
		     vc_refused(&self->r, 2, "no event has a field no_such")));
	EXPECT_TRUE((RUN("enable", "mine", "system:process", "--filter", "filename > 3"),
		     vc_refused(&self->r, 2, "for texts it has ==")));
	EXPECT_TRUE((RUN("watch", "-p", "system:process", "--filter", "process == cat"),
		     vc_refused(&self->r, 2, "filter it with --show")));
	EXPECT_TRUE((RUN("enable", "mine", "system:process", "--fields", "id=1: u8 a", "--filter", "a == 1"),
		     vc_refused(&self->r, 2, "--fields: the fields of \"system:process\" are known")));
}

TEST_HARNESS_MAIN
