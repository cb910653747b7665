// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_probe - probes of functions and programs as providers of the command: what they record
 * agrees with what was done, and no probe stays longer than somebody uses it
 *
 * RUN: in turn
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/driver/vm_kmod.h"
#include "lib/vm_access.h"
#include "lib/vm_log.h"

#define OUT	LOG_DIR "/a.etl"
#define TRACEFS	"/sys/kernel/tracing/"
#define ROLE	"ETW_PROBE_ROLE"	/* in the environment: how often to come by the probes */

/* ------------------------------------------------------------------ what is probed */

/* As <sys/sdt.h> does: a place with two arguments, passed only if somebody traces it */
__attribute__((section(".probes"), used)) unsigned short cli_probe_counter;

__attribute__((__noinline__, __noclone__)) long cli_probe_target(long n, int negative)
{
	if (*(volatile unsigned short *)&cli_probe_counter)
		asm volatile("990:	nop\n"
			     "	.pushsection .note.stapsdt,\"?\",\"note\"\n"
			     "	.balign 4\n"
			     "	.4byte 992f-991f, 994f-993f, 3\n"
			     "991:	.asciz \"stapsdt\"\n"
			     "992:	.balign 4\n"
			     "993:	.8byte 990b, _.stapsdt.base, cli_probe_counter\n"
			     "	.asciz \"cli_probe\"\n"
			     "	.asciz \"passed\"\n"
			     "	.asciz \"8@%0 -4@%1\"\n"
			     "994:	.balign 4\n"
			     "	.popsection\n"
			     "	.ifndef _.stapsdt.base\n"
			     "	.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
			     "	.weak _.stapsdt.base\n"
			     "	.hidden _.stapsdt.base\n"
			     "_.stapsdt.base: .space 1\n"
			     "	.size _.stapsdt.base, 1\n"
			     "	.popsection\n"
			     "	.endif\n"
			     : : "r"(n), "r"(negative));
	return n + 42;
}

struct cli_probe_object {
	short number;
	char name[12];
	unsigned int low : 4, high : 9;
	struct cli_probe_object *next;
};

__attribute__((__noinline__, __noclone__))
struct cli_probe_object *cli_probe_next(struct cli_probe_object *object)
{
	asm volatile("" : : "r"(object) : "memory");
	return object->next;
}

/* The command starts this program again to be probed. */
__attribute__((constructor))
static void play_role(void)
{
	struct cli_probe_object second = { 7, "second", 1, 2, NULL };
	struct cli_probe_object first = { -3, "first", 9, 300, &second };
	const char *role = getenv(ROLE);
	long n;

	for (n = 0; role && n < atoi(role); n++)
		if (cli_probe_target(n, -7) != n + 42)
			_exit(1);
	if (role)
		_exit(cli_probe_next(&first) != &second);
}

/* ------------------------------------------------------------------------- fixture */

FIXTURE(probe) {
	int fd;
	struct vc_run r;
	char self[512];
	char names[4][700];
	unsigned int used;
};

FIXTURE_SETUP(probe)
{
	ssize_t len = readlink("/proc/self/exe", self->self, sizeof(self->self) - 1);

	mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	ASSERT_LT(0, len);
	self->self[len] = '\0';
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(32768));
}

FIXTURE_TEARDOWN(probe)
{
	unsetenv(ROLE);
	vm_stop_all(self->fd);
	close(self->fd);
	vl_log_dir_end();
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, (char *)NULL)

static char events[65536];

/* The dynamic events that there are, with this word */
static unsigned int dynamic(const char *word)
{
	int fd = open(TRACEFS "dynamic_events", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t ret;

	while ((ret = read(fd, events + len, sizeof(events) - 1 - len)) > 0)
		len += ret;
	close(fd);
	events[len] = '\0';
	return vc_lines_with(events, word, "");
}

static bool write_to(const char *file, const char *line)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
	bool good = write(fd, line, strlen(line)) == (ssize_t)strlen(line);

	close(fd);
	return good;
}

/* PREFIX:the path of this program:REST */
static const char *of_self(FIXTURE_DATA(probe) *self, const char *prefix, const char *rest)
{
	char *name = self->names[self->used++ % ARRAY_SIZE(self->names)];

	snprintf(name, sizeof(self->names[0]), "%s:%s%s", prefix, self->self, rest);
	return name;
}

/* --------------------------------------------------------------- what was recorded */

/* The names and types of functions' arguments */
static bool has_types(void)
{
	return !access("/sys/kernel/btf/vmlinux", R_OK);
}

/* Each of 5 processes opens one file; the arguments have names and types. */
TEST_F(probe, calls_and_returns)
{
	static const char script[] =
		"i=0; while test $i -lt 5; do /bin/cat /etc/etw-none 2>/dev/null; i=$((i + 1)); done";

	if (!has_types())
		SKIP(return, "the kernel has no BTF");
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "kprobe:do_sys_openat2", "-p",
			 "kretprobe:do_sys_openat2:info", "--", "sh", "-c", script)) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_EQ(0, dynamic("etw/"));
	ASSERT_EQ(0, RUN("dump", OUT, "--filter", "filename == \"/etc/etw-none\""));
	EXPECT_EQ(5, vc_lines_with(self->r.out, "kprobe:do_sys_openat2 do_sys_openat2/Start", "dfd=-100 "));
	EXPECT_EQ(5, vc_lines_with(self->r.out, "cat-", "how=0x"));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "kretprobe:do_sys_openat2", "--json", "--filter",
			 "ret == -2 && process == cat"));
	EXPECT_LE(5, vc_lines_with(self->r.out, "\"ret\":-2", "\"do_sys_openat2\""));
	ASSERT_EQ(0, RUN("dump", OUT, "--operations", "--filter", "filename == \"/etc/etw-none\""));
	EXPECT_EQ(5, vc_lines_with(self->r.out, "us dfd=", "ret=-2") +
		     vc_lines_with(self->r.out, "ms dfd=", "ret=-2")) {
		TH_LOG("%s", self->r.out);
	}
}

#define READ	LOG_DIR "/read"

/* What the arguments lead to, by the kernel's types */
TEST_F(probe, members_in_the_kernel)
{
	static const char fields[] = "kprobe:vfs_read(file->f_inode->i_ino, "
				     "str(file->f_path.dentry->d_name.name), file->f_pos, count):info";
	char inode[64];
	struct stat st;

	if (!has_types())
		SKIP(return, "the kernel has no BTF");
	ASSERT_EQ(0, system("echo 12345678 >" READ));
	ASSERT_EQ(0, stat(READ, &st));
	snprintf(inode, sizeof(inode), "i_ino=%llu ", (unsigned long long)st.st_ino);
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", fields, "--filter", "name == \"read\"", "--",
			 "dd", "if=" READ, "of=/dev/null", "bs=5", "status=none")) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT));
	EXPECT_EQ(3, vc_lines_with(self->r.out, inode, " count=5")) {
		TH_LOG("%s not in %s", inode, self->r.out);
	}
	EXPECT_EQ(1, vc_lines_with(self->r.out, "name=\"read\" f_pos=5 ", ""));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "name=\"read\" f_pos=9 ", ""));
	EXPECT_TRUE((RUN("watch", "-p", "kprobe:vfs_read(file->f_inod)", "--", "true"),
		     vc_refused(&self->r, 1, "there is no member f_inod; did you mean f_inode?")));
	EXPECT_TRUE((RUN("watch", "-p", "kprobe:vfs_read(file->f_path)", "--", "true"),
		     vc_refused(&self->r, 1, "name one of its members")));
	EXPECT_EQ(0, dynamic("etw/"));
}

/* By the debug information of a program, and without any field */
TEST_F(probe, members_in_a_program)
{
	const char *take = of_self(self, "uprobe", ":cli_probe_next(object->number, object->name, "
				   "object->low, object->high, object->next->number)");
	const char *ret = of_self(self, "uretprobe", ":cli_probe_next(ret->number, ret->name)");

	setenv(ROLE, "0", 1);
	ASSERT_EQ(0, RUN("watch", "-p", take, "-p", ret, "--", self->self)) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_EQ(1, vc_lines_with(self->r.out, "number=-3 name=\"first\" low=9 high=300 ", "=7")) {
		TH_LOG("%s", self->r.out);
	}
	EXPECT_EQ(1, vc_lines_with(self->r.out, "/Stop", "number=7 name=\"second\""));
	ASSERT_EQ(0, RUN("watch", "-p", of_self(self, "uprobe", ":cli_probe_next()"), "--", self->self));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "cli_probe_next/Start", "info")) {
		TH_LOG("%s", self->r.out);
	}
	EXPECT_EQ(0, vc_lines_with(self->r.out, "object", ""));
}

/* The types of a module's functions are the module's. */
TEST_F(probe, functions_of_modules)
{
	if (!has_types())
		SKIP(return, "the kernel has no BTF");
	ASSERT_EQ(0, RUN("watch", "-p", "kprobe:p9_client_walk", "--", "ls", "/usr/share/doc"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "p9_client_walk/Start", "nwname=")) {
		TH_LOG("%s%s", self->r.out, self->r.err);
	}
	EXPECT_LE(1, vc_lines_with(self->r.out, "oldfid=0x", "clone="));
}

/* Which module's is meant nobody can say. */
TEST_F(probe, functions_of_two_modules)
{
	ASSERT_EQ(0, vm_insmod("etw_hello"));
	EXPECT_EQ(0, RUN("watch", "-p", "kprobe:_mcgen_km_callback", "--", "true"));
	ASSERT_EQ(0, vm_insmod("etw_blk"));
	EXPECT_TRUE((RUN("watch", "-p", "kprobe:_mcgen_km_callback", "--", "true"),
		     vc_refused(&self->r, 1, "several functions of this name")));
	EXPECT_EQ(0, dynamic("etw/"));
	vm_rmmod("etw_hello");
	EXPECT_EQ(0, RUN("watch", "-p", "kprobe:_mcgen_km_callback", "--", "true"));
	vm_rmmod("etw_blk");
}

/* Where an instruction begins: the first is a call of the tracer, or a mark before it. */
TEST_F(probe, inside_of_functions)
{
	const char *name = "kprobe:vfs_read+0x4";

	if (RUN("watch", "-p", name, "--", "cat", "/etc/hostname"))
		name = "kprobe:vfs_read+5";
	ASSERT_EQ(0, RUN("watch", "-p", name, "--", "cat", "/etc/hostname")) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_LE(1, vc_lines_with(self->r.out, name, "cat-"));
	EXPECT_LE(1, vc_lines_with(self->r.out, " vfs_read info", "cat-"));
	EXPECT_EQ(0, vc_lines_with(self->r.out, " vfs_read info", "file="));
	/* One of several names of a function, of which the kernel lists only one */
	EXPECT_EQ(0, RUN("watch", "-p", "kprobe:__x64_sys_getppid", "--", "true")) {
		TH_LOG("%s", self->r.err);
	}
}

TEST_F(probe, functions_of_programs)
{
	setenv(ROLE, "3", 1);
	ASSERT_EQ(0, RUN("watch", "-p", of_self(self, "uprobe", ":cli_probe_t*"), "-p",
			 of_self(self, "uretprobe", ":cli_probe_target"), "--", self->self)) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_EQ(3, vc_lines_with(self->r.out, ":cli_probe_target cli_probe_target/Start", ""));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "cli_probe_target/Start", "n=1 negative=-7"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, ":cli_probe_target cli_probe_target/Stop", "ret=42"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "cli_probe_target/Stop", "ret=44"));
	ASSERT_EQ(0, RUN("watch", "--operations", "-p", of_self(self, "uprobe", ":cli_probe_target"),
			 "-p", of_self(self, "uretprobe", ":cli_probe_target"), "--", self->self));
	EXPECT_EQ(3, vc_lines(self->r.out));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "n=1 negative=-7", "ret=43")) TH_LOG("%s", self->r.out);
	EXPECT_EQ(0, dynamic("etw/"));
}

/* What is called while a probe is handled is not seen: a loss, of this provider only. */
TEST_F(probe, missed)
{
	ASSERT_EQ(0, RUN("record", "-o", OUT, "-p", "kprobe:perf_tp_event", "-p",
			 "kprobe:vfs_read", "--", "cat", "/etc/hostname"));
	EXPECT_EQ(1, vc_lines_with(self->r.err, "\"kprobe:perf_tp_event\"", "the kernel missed it")) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_EQ(0, vc_lines_with(self->r.err, "\"kprobe:vfs_read\"", "the kernel missed it"));
	EXPECT_EQ(1, vc_lines_with(self->r.err, "events lost when written",
				   "the kernel missed their probe"));
	EXPECT_EQ(3, RUN("verify", OUT));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "the kernel missed their probe", "")) {
		TH_LOG("%s", self->r.out);
	}
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "Etw-Ledger"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "the kernel missed their probe", "; provider ")) {
		TH_LOG("%s", self->r.out);
	}
	EXPECT_EQ(3, RUN("record", "-q", "--strict", "--replace", "-o", OUT, "-p",
			 "kprobe:perf_tp_event", "-p", "kprobe:vfs_read", "--", "cat", "/etc/hostname"));
	ASSERT_EQ(0, RUN("record", "-q", "--strict", "--replace", "-o", OUT, "-p", "kprobe:vfs_read",
			 "--", "cat", "/etc/hostname"));
	EXPECT_EQ(0, RUN("verify", OUT));
}

/* The file that a buffering session writes, and the counts by cause, have the loss as well. */
TEST_F(probe, missed_while_buffering)
{
	ASSERT_EQ(0, RUN("record", "--buffering", "-o", OUT, "-p", "kprobe:perf_tp_event", "-p",
			 "kprobe:vfs_read", "--", "cat", "/etc/hostname"));
	EXPECT_EQ(1, vc_lines_with(self->r.err, "events lost when written",
				   "the kernel missed their probe")) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_EQ(3, RUN("verify", OUT));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "the kernel missed their probe", "")) {
		TH_LOG("%s", self->r.out);
	}
	ASSERT_EQ(0, RUN("record", "--json", "--replace", "-o", OUT, "-p", "kprobe:perf_tp_event",
			 "-p", "kprobe:vfs_read", "--", "cat", "/etc/hostname"));
	EXPECT_NE(NULL, strstr(self->r.out, "\"probe_missed\":"));
	EXPECT_EQ(NULL, strstr(self->r.out, "\"probe_missed\":0"));
}

/* A session that has ended counts nothing, so only the command can say it. */
TEST_F(probe, missed_and_not_counted)
{
	EXPECT_EQ(3, RUN("record", "--json", "--strict", "--session", "mine", "-o", OUT, "-p",
			 "kprobe:perf_tp_event", "-p", "kprobe:vfs_read", "--", "sh", "-c",
			 "cat /etc/hostname; $0 stop mine", vc_path()));
	EXPECT_EQ(1, vc_lines_with(self->r.err, "\"kprobe:perf_tp_event\": the trace does not say",
				   "missed: the session has ended")) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_EQ(NULL, strstr(self->r.out, "\"probe_missed\":0")) {
		TH_LOG("%s", self->r.out);
	}
}

/* The session goes on without a command, and whoever flushes, disables or stops it asks the kernel. */
TEST_F(probe, missed_while_no_command_runs)
{
	ASSERT_EQ(0, RUN("start", "mine", "--file", OUT));
	ASSERT_EQ(0, RUN("enable", "mine", "-p", "kprobe:perf_tp_event", "-p", "kprobe:vfs_read"));
	ASSERT_EQ(0, system("cat /etc/hostname >/dev/null"));
	ASSERT_EQ(0, RUN("flush", "mine"));
	EXPECT_STREQ("", self->r.err);
	EXPECT_EQ(3, RUN("verify", "mine"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "the kernel missed their probe", "")) {
		TH_LOG("%s", self->r.out);
	}
	ASSERT_EQ(0, RUN("disable", "mine", "kprobe:vfs_read"));
	ASSERT_EQ(0, RUN("stop", "mine"));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "Etw-Ledger"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "the kernel missed their probe", "; provider ")) {
		TH_LOG("%s", self->r.out);
	}
	/* A session that begins now has not lost what was missed before. */
	ASSERT_EQ(0, RUN("start", "mine", "--file", OUT));
	ASSERT_EQ(0, RUN("enable", "mine", "-p", "kprobe:vfs_read"));
	ASSERT_EQ(0, system("cat /etc/hostname >/dev/null"));
	ASSERT_EQ(0, RUN("stop", "mine", "--strict"));
	EXPECT_EQ(0, RUN("verify", OUT));
}

/* Nobody counts then, so that the trace cannot be complete. */
TEST_F(probe, switched_off)
{
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	ASSERT_EQ(0, RUN("start", "mine", "--file", OUT));
	ASSERT_EQ(0, RUN("enable", "mine", "kprobe:vfs_read"));
	ASSERT_EQ(0, RUN("flush", "mine"));
	EXPECT_STREQ("", self->r.err);
	ASSERT_EQ(0, system("echo 0 >/sys/kernel/debug/kprobes/enabled"));
	ASSERT_EQ(0, RUN("stop", "mine"));
	EXPECT_EQ(1, vc_lines_with(self->r.err, "\"kprobe:vfs_read\": the kernel's probes are switched off", "")) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, system("echo 1 >/sys/kernel/debug/kprobes/enabled"));
	EXPECT_EQ(3, RUN("verify", OUT));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "the kernel missed their probe", "")) {
		TH_LOG("%s", self->r.out);
	}
}

/* Each place with its counter; without a session the program does not come by. */
TEST_F(probe, static_probes)
{
	setenv(ROLE, "4", 1);
	ASSERT_EQ(0, RUN("list", "providers", of_self(self, "usdt", ":*"))) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_EQ(1, vc_lines_with(self->r.out, ":cli_probe:passed", "usdt:/"));
	EXPECT_EQ(1, vc_lines(self->r.out));
	ASSERT_EQ(0, RUN("watch", "-p", of_self(self, "usdt", ":cli_probe:passed"), "--", self->self)) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_EQ(4, vc_lines_with(self->r.out, "cli_probe:passed passed", "arg2=-7"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "arg1=0x3 ", "")) {
		TH_LOG("%s", self->r.out);
	}
	EXPECT_EQ(0, dynamic("etw/"));
	EXPECT_TRUE((RUN("list", "providers", of_self(self, "usdt", ":cli_probe:pased")),
		     vc_refused(&self->r, 1, "did you mean")));
	EXPECT_NE(NULL, strstr(self->r.err, ":cli_probe:passed\"?"));
}

/* ----------------------------------------------------------------------- lifetime */

TEST_F(probe, last_while_sessions_use_them)
{
	ASSERT_EQ(0, RUN("start", "a"));
	ASSERT_EQ(0, RUN("start", "b"));
	ASSERT_EQ(0, RUN("enable", "a", "-p", "kprobe:vfs_read", "-p", "kprobe:vfs_write"));
	EXPECT_EQ(2, dynamic("etw/"));
	ASSERT_EQ(0, RUN("enable", "b", "-p", "kprobe:vfs_read"));
	EXPECT_EQ(1, dynamic("etw/pvfs_read"));
	ASSERT_EQ(0, RUN("list", "providers"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "kprobe:vfs_read", "a, b"));
	EXPECT_EQ(2, dynamic("etw/"));
	ASSERT_EQ(0, RUN("disable", "a", "kprobe:vfs_*"));
	EXPECT_EQ(1, dynamic("etw/pvfs_read"));
	EXPECT_EQ(1, dynamic("etw/"));
	EXPECT_TRUE((RUN("disable", "a", "kprobe:vfs_write"),
		     vc_refused(&self->r, 1, "no session has one of these probes enabled")));
	ASSERT_EQ(0, RUN("stop", "b"));
	EXPECT_EQ(0, dynamic("etw/")) {
		TH_LOG("%s", events);
	}
}

/* What a killed command or a session that ended otherwise left over goes with the next command. */
TEST_F(probe, left_overs)
{
	static struct vc_run killed;

	ASSERT_TRUE(vc_start(&killed, "watch", "-p", "kprobe:vfs_*", "--no-processes", "--", "sleep",
			     "1000", (char *)NULL));
	EXPECT_TRUE(vm_until(dynamic("etw/pvfs_") > 10));
	kill(killed.pid, SIGKILL);
	vc_end(&killed);
	EXPECT_LT(10, dynamic("etw/pvfs_"));
	EXPECT_TRUE(vm_until((RUN("list", "sessions"), !dynamic("etw/"))));
	ASSERT_EQ(0, RUN("start", "a"));
	ASSERT_EQ(0, RUN("enable", "a", "kprobe:vfs_read"));
	vm_stop_all(self->fd);
	EXPECT_EQ(1, dynamic("etw/"));
	ASSERT_EQ(0, RUN("list", "sessions"));
	EXPECT_EQ(0, dynamic("etw/"));
}

TEST_F(probe, of_other_tools_stay)
{
	ASSERT_TRUE(write_to(TRACEFS "kprobe_events", "p:etw/mine vfs_read\n"));
	ASSERT_TRUE(write_to(TRACEFS "kprobe_events", "p:kprobes/mine vfs_read\n"));
	EXPECT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "kprobe:vfs_read", "--", "true"));
	EXPECT_EQ(2, dynamic("mine"));
	EXPECT_EQ(1, dynamic("etw/"));
	/* They are trace events as any other. */
	EXPECT_EQ(0, RUN("watch", "-p", "tracepoint:kprobes:mine", "--", "cat", "/etc/hostname"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "tracepoint:kprobes:mine", "cat-"));
	EXPECT_TRUE(write_to(TRACEFS "dynamic_events", "-:etw/mine\n"));
	EXPECT_TRUE(write_to(TRACEFS "dynamic_events", "-:kprobes/mine\n"));
}

/* Whoever comes first makes it, whoever goes last removes it, and nobody is disturbed. */
TEST_F(probe, of_many_commands_at_once)
{
	static struct vc_run r[5];
	unsigned int i, round;

	if (!has_types())
		SKIP(return, "the kernel has no BTF");
	for (round = 0; round < 4; round++) {
		for (i = 0; i < ARRAY_SIZE(r); i++)
			ASSERT_TRUE(vc_start(&r[i], "watch", "-p", "kprobe:do_sys_openat2", "-p",
					     i % 2 ? "kprobe:vfs_read" : "kprobe:vfs_write",
					     "--no-processes", "--show",
					     "filename == /etc/hostname", "--", "cat",
					     "/etc/hostname", (char *)NULL));
		for (i = 0; i < ARRAY_SIZE(r); i++) {
			EXPECT_EQ(0, vc_end(&r[i]));
			EXPECT_LE(1, vc_lines_with(r[i].out, "do_sys_openat2", "\"/etc/hostname\"")) {
				TH_LOG("%s%s", r[i].out, r[i].err);
			}
		}
		EXPECT_EQ(0, dynamic("etw/"));
	}
}

/* Change the own name, as a user who has a budget. */
static void renaming_child(void)
{
	const struct vm_who who = { .uid = VM_ALICE, .gid = VM_ALICE };
	int i;

	if (vm_become(&who))
		_exit(1);
	for (i = 0; i < 200; i++)
		prctl(PR_SET_NAME, i & 1 ? "one" : "two");
	_exit(0);
}

/*
 * Etw-Process adds up the user's bytes under a lock.  A probe of what takes and gives back locks
 * writes an event that the same user pays for, while that lock is taken.
 */
TEST_F(probe, of_the_lock_of_a_budget)
{
	int status = -1;
	pid_t pid;

	ASSERT_EQ(0, RUN("start", "mine", "--user-budget", "64M"));
	ASSERT_EQ(0, RUN("enable", "mine", "Etw-Process"));
	ASSERT_EQ(0, RUN("enable", "mine", "kprobe:_raw_spin_unlock_irqrestore"));
	ASSERT_EQ(0, RUN("enable", "mine", "kprobe:_raw_spin_lock"));
	pid = fork();
	if (!pid)
		renaming_child();
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, RUN("stop", "mine"));
}

/* ---------------------------------------------------------------------------- names */

TEST_F(probe, are_listed)
{
	ASSERT_EQ(0, RUN("list", "providers", "kprobe:vfs_rea*"));
	EXPECT_EQ(3, vc_lines_with(self->r.out, "kprobe:vfs_read", ""));
	ASSERT_EQ(0, RUN("list", "providers", "kretprobe:vfs_read", "--json"));
	EXPECT_EQ(1, vc_objects(self->r.out));
	EXPECT_NE(NULL, strstr(self->r.out, "\"provider_name\":\"kretprobe:vfs_read\""));
	ASSERT_EQ(0, RUN("list", "providers", of_self(self, "uprobe", ":cli_probe_t?rget")));
	EXPECT_EQ(1, vc_lines(self->r.out));
	EXPECT_EQ(0, dynamic("etw/"));
}

/* Of one program, and only with such an argument, as with any trace event */
TEST_F(probe, some_calls)
{
	if (!has_types())
		SKIP(return, "the kernel has no BTF");
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "kprobe:do_sys_openat2", "--exe", "head",
			 "--filter", "filename contains etw-none", "--", "sh", "-c",
			 "cat /etc/etw-none; head /etc/etw-none; head -c 1 /etc/hostname")) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "kprobe:do_sys_openat2", "--json"));
	EXPECT_EQ(1, vc_objects(self->r.out)) TH_LOG("%s", self->r.out);
	EXPECT_NE(NULL, strstr(self->r.out, "/etc/etw-none"));
}

TEST_F(probe, wrong_names)
{
	ASSERT_EQ(0, RUN("start", "mine"));
	EXPECT_TRUE((RUN("enable", "mine", "kprobe:vfs_raed"),
		     vc_refused(&self->r, 1, "did you mean \"kprobe:vfs_read\"?")));
	/* A name with one letter more is nearer than one with many. */
	EXPECT_TRUE((RUN("enable", "mine", "uprobe:libc:mallo"),
		     vc_refused(&self->r, 1, "did you mean \"uprobe:libc:malloc\"?")));
	EXPECT_TRUE((RUN("enable", "mine", "kprobe:no_such_function_at_all"),
		     vc_refused(&self->r, 1, "the kernel has no such function that can be traced")));
	EXPECT_TRUE((RUN("enable", "mine", "kprobe:*"), vc_refused(&self->r, 1, "at most 100")));
	EXPECT_TRUE((RUN("enable", "mine", "kretprobe:vfs_read+4"),
		     vc_refused(&self->r, 1, "only possible for kprobe and uprobe")));
	EXPECT_TRUE((RUN("enable", "mine", "kprobe:vfs_read+1"),
		     vc_refused(&self->r, 1, "does not let this be probed")));
	EXPECT_TRUE((RUN("enable", "mine", "kprobe:sched_clock"),
		     vc_refused(&self->r, 1, "(it is notrace or blacklisted")));
	EXPECT_TRUE((RUN("enable", "mine", "kprobe:atomic_notifier_call_chain"),
		     vc_refused(&self->r, 1, "(it is notrace or blacklisted")));
	EXPECT_TRUE((RUN("enable", "mine", "uprobe:/etc/hostname:main"),
		     vc_refused(&self->r, 1, "not a 64-bit program")));
	EXPECT_TRUE((RUN("enable", "mine", "uprobe:etw-no-such-program:main"),
		     vc_refused(&self->r, 1, "no such file in PATH")));
	EXPECT_TRUE((RUN("enable", "mine", of_self(self, "uprobe", ":cli_probe_tarhet")),
		     vc_refused(&self->r, 1, ":cli_probe_target\"?")));
	EXPECT_EQ(0, dynamic("etw/"));
	self->r.nobody = true;
	EXPECT_TRUE((RUN("list", "providers", "kprobe:vfs_read"),
		     vc_refused(&self->r, 1, "root's rights on /sys/kernel/tracing")));
	self->r.nobody = false;
}

TEST_HARNESS_MAIN
