// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_tracepoint - tracepoints and classes of the system as providers of the command: what is
 * recorded agrees with what was done, names are found, and nothing stays
 *
 * RUN: in turn
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_items.h"
#include "lib/vm_log.h"
#include "lib/vm_workload.h"

#define OUT	LOG_DIR "/a.etl"
#define TRACEFS	"/sys/kernel/tracing/"

FIXTURE(tracepoint) {
	int fd;
	struct vc_run r;
};

FIXTURE_SETUP(tracepoint)
{
	mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(32768));
}

FIXTURE_TEARDOWN(tracepoint)
{
	vm_stop_all(self->fd);
	close(self->fd);
	vl_log_dir_end();
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, (char *)NULL)

/* Each of 20 processes opens one file; an earlier kernel knows nothing of the file. */
TEST_F(tracepoint, what_processes_did)
{
	static const char script[] =
		"i=0; while test $i -lt 20; do /bin/cat /etc/etw-none 2>/dev/null; i=$((i + 1)); done";

	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "tracepoint:syscalls:sys_enter_openat",
			 "-p", "system:process", "--", "sh", "-c", script)) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT, "--filter", "filename == \"/etc/etw-none\""));
	EXPECT_EQ(20, vc_lines_with(self->r.out, "tracepoint:syscalls:sys_enter_openat",
				 "filename=\"/etc/etw-none\""));
	EXPECT_EQ(20, vc_lines_with(self->r.out, "cat-", "dfd=-100"));
	ASSERT_EQ(0, RUN("dump", OUT, "--filter", "filename == /bin/cat"));
	EXPECT_EQ(20, vc_lines_with(self->r.out, "sched_process_exec", "filename=\"/bin/cat\""));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "tracepoint:sched:sched_process_exit", "--json",
			 "--filter", "process == cat"));
	EXPECT_EQ(20, vc_lines_with(self->r.out, "\"comm\":\"cat\"", "sched_process_exit"));
	EXPECT_EQ(20, vc_objects(self->r.out));
}

/* In the trace itself, although the filters of the session let nothing but one process pass. */
TEST_F(tracepoint, names_of_values)
{
	static const char script[] = "/bin/cat /etc/etw-none 2>/dev/null; kill -CHLD $$; sleep 0.1";

	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT,
			 "-p", "tracepoint:sched:sched_switch", "--exe", "sleep",
			 "-p", "tracepoint:syscalls:sys_exit_openat",
			 "-p", "tracepoint:signal:signal_generate", "--", "sh", "-c", script)) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT));
	EXPECT_LE(1, vc_lines_with(self->r.out, "sched_switch", "prev_comm=\"sleep\"")) {
		TH_LOG("%s", self->r.out);
	}
	EXPECT_LE(1, vc_lines_with(self->r.out, "sched_switch", "prev_state=S next"));
	EXPECT_EQ(0, vc_lines_with(self->r.out, "sched_switch", "prev_state=0x"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "sys_exit_openat", "ret=ENOENT"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "signal_generate", "sig=SIGCHLD"));
	ASSERT_EQ(0, RUN("dump", OUT, "--json", "--filter", "prev_state == S"));
	EXPECT_LE(1, vc_objects(self->r.out));
	EXPECT_EQ(vc_objects(self->r.out), vc_lines_with(self->r.out, "\"prev_state\":\"S\"", ""));
}

/* A reader that comes after the names were written has them from tracefs. */
TEST_F(tracepoint, names_for_a_late_reader)
{
	const char *lines;
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/sh", "sh", "-c", "while :; do sleep 0.02; done", NULL);
		_exit(1);
	}
	ASSERT_EQ(0, RUN("start", "mine", "--flush", "50ms"));
	ASSERT_EQ(0, RUN("enable", "mine", "tracepoint:sched:sched_switch", "--exe", "sleep"));
	/* The first reader has what was delivered, the second what comes. */
	RUN("dump", "mine", "--duration", "100ms");
	ASSERT_EQ(0, RUN("dump", "mine", "-n", "20"));
	lines = self->r.out;
	/* During exec, the program of a process changes before its name. */
	EXPECT_EQ(20, vc_lines_with(lines, "sched_switch", "prev_comm=\"sleep\"") +
		      vc_lines_with(lines, "sched_switch", "prev_comm=\"sh\"")) {
		TH_LOG("%s", lines);
	}
	EXPECT_EQ(0, vc_lines_with(lines, "sched_switch", "prev_state=0x"));
	ASSERT_EQ(0, RUN("stop", "mine"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Everybody may register such a provider; a reader of its file would wait for ever. */
TEST_F(tracepoint, a_program_that_is_called_so)
{
	static const char name[] = "tracepoint:../../../../tmp/etw-e:x";
	struct etw_register r = {
		.size = sizeof(r), .provider = vm_guid(1), .name = VM_PTR(name),
		.name_len = sizeof(name) - 1,
	};

	ASSERT_TRUE(!mkdir("/tmp/etw-e", 0700) || errno == EEXIST);
	ASSERT_TRUE(!mkdir("/tmp/etw-e/x", 0700) || errno == EEXIST);
	ASSERT_TRUE(!mkfifo("/tmp/etw-e/x/format", 0600) || errno == EEXIST);
	ASSERT_EQ(0, RUN("start", "mine"));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_REGISTER, &r));
	ASSERT_EQ(0, RUN("enable", "mine", "7e570001-5e1f-4e57-8001-020304050607")) TH_LOG("%s", self->r.err);
	EXPECT_EQ(0, RUN("dump", "mine", "--duration", "100ms"));
	ASSERT_EQ(0, RUN("stop", "mine"));
	unlink("/tmp/etw-e/x/format");
	rmdir("/tmp/etw-e/x");
	rmdir("/tmp/etw-e");
}

/* No threads come and go for it, but those of Etw-Process: for its begin, its rundown and its end. */
TEST_F(tracepoint, enabling_is_not_traced)
{
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "tracepoint:sched:sched_process_exit",
			 "-p", "tracepoint:syscalls:sys_*_readlink*", "--", "true"));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "tracepoint:sched:sched_process_exit"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "true-", "comm=\"true\""));
	EXPECT_GE(3, vc_lines_with(self->r.out, "", "comm=\"etw/")) TH_LOG("%s", self->r.out);
}

/* Other processes of the machine may begin programs, too. */
TEST_F(tracepoint, counts_by_name)
{
	static struct vc_run dump;
	char text[100];
	int count;

	ASSERT_EQ(0, RUN("record", "-o", OUT, "-p", "tracepoint:syscalls:sys_*_getppid:info",
			 "-p", "tracepoint:sched:sched_process_exec", "--", "true"));
	ASSERT_EQ(0, vc_run(&dump, "dump", OUT, "-p", "tracepoint:sched:sched_process_exec", NULL));
	count = vc_lines_with(dump.out, "sched_process_exec", "");
	EXPECT_EQ(1, vc_lines_with(dump.out, "sched_process_exec", "/true\"")) TH_LOG("%s", dump.out);
	snprintf(text, sizeof(text), "etw: %d event%s of \"tracepoint:sched:sched_process_exec\"", count,
		 count == 1 ? "" : "s");
	EXPECT_NE(NULL, strstr(self->r.err, text)) TH_LOG("%s", self->r.err);
	EXPECT_NE(NULL, strstr(self->r.err,
			       "\"tracepoint:syscalls:sys_*_getppid\" is registered, but no event was recorded")) {
		TH_LOG("%s", self->r.err);
	}
}

static unsigned int folders(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *d;
	unsigned int n = 0;

	while (dir && (d = readdir(dir)))
		n += d->d_type == DT_DIR && d->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

TEST_F(tracepoint, are_listed)
{
	ASSERT_EQ(0, RUN("list", "providers", "tracepoint:sched:*"));
	EXPECT_EQ(folders(TRACEFS "events/sched"), vc_lines(self->r.out));
	EXPECT_EQ(vc_lines(self->r.out), vc_lines_with(self->r.out, "tracepoint:sched:sched_", ""));
	ASSERT_EQ(0, RUN("list", "providers", "tracepoint:signal", "--json"));
	EXPECT_EQ(1, vc_objects(self->r.out));
	EXPECT_NE(NULL, strstr(self->r.out, "\"provider_name\":\"tracepoint:signal:signal_deliver\""));
	/* A pattern of other providers */
	ASSERT_EQ(0, RUN("list", "providers", "etw-p*"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "Etw-Process", ""));
	ASSERT_EQ(0, RUN("list", "providers", "nobody*"));
	EXPECT_EQ(0, vc_lines_with(self->r.out, "Etw-Process", ""));
}

/* A whole system, enabled and disabled by pattern; run.sh removes the module. */
TEST_F(tracepoint, patterns_on_and_off)
{
	struct etw_guid guids[64];

	ASSERT_EQ(0, RUN("start", "mine"));
	ASSERT_EQ(0, RUN("enable", "mine", "-p", "tracepoint:sched:sched_process_*", "-p",
			 "tracepoint:signal"));
	EXPECT_LT(6, vm_providers(self->fd, guids, ARRAY_SIZE(guids)));
	ASSERT_EQ(0, RUN("list", "providers"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "tracepoint:sched:sched_process_fork", "mine"));
	ASSERT_EQ(0, RUN("disable", "mine", "-p", "tracepoint:sched", "-p",
			 "tracepoint:signal:signal_deliver"));
	EXPECT_TRUE(vm_until(vm_providers(self->fd, guids, ARRAY_SIZE(guids)) == 1));
	EXPECT_TRUE((RUN("disable", "mine", "tracepoint:sched"),
		     vc_refused(&self->r, 1, "no session has one of these trace events enabled")));
	ASSERT_EQ(0, RUN("stop", "mine"));
	EXPECT_TRUE(vm_until(!vm_providers(self->fd, guids, ARRAY_SIZE(guids))));
}

/* A class and one of its events, whichever it is: the last one says how it is enabled. */
TEST_F(tracepoint, in_two_sets)
{
	ASSERT_EQ(0, RUN("start", "mine"));
	ASSERT_EQ(0, RUN("enable", "mine", "-p", "system:process", "-p",
			 "tracepoint:sched:sched_process_fork:warning", "-p",
			 "tracepoint:sched:sched_process_exec")) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_TRUE((RUN("enable", "mine", "-p", "system:process", "-p", "system:process"),
		     vc_refused(&self->r, 2, "is given twice")));
	ASSERT_EQ(0, RUN("list", "providers", "-v"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "warning", "mine"))
	{
		TH_LOG("%s", self->r.out);
	}
}

/* The second of three cannot be enabled. */
TEST_F(tracepoint, enabled_in_part)
{
	char name[] = "s0";

	for (; name[1] < '0' + ETW_PROVIDER_SESSIONS; name[1]++) {
		ASSERT_EQ(0, RUN("start", name, "--buffer-size", "4", "--max-buffers", "4"));
		ASSERT_EQ(0, RUN("enable", name, "tracepoint:sched:sched_process_exec"));
	}
	ASSERT_EQ(0, RUN("start", "mine"));
	EXPECT_EQ(1, RUN("enable", "mine", "system:process"));
	EXPECT_NE(NULL, strstr(self->r.err, "8 sessions have it enabled already\n"));
	EXPECT_NE(NULL, strstr(self->r.err, "of the 3 trace events of \"system:process\", 1 is enabled"))
	{
		TH_LOG("%s", self->r.err);
	}
}

/* The kernel's formats say of no argument that it has a sign. */
TEST_F(tracepoint, negative_arguments)
{
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "tracepoint:syscalls:sys_enter_kill", "--",
			 "sh", "-c", "kill -s 0 -- -99999; :"));
	ASSERT_EQ(0, RUN("dump", OUT));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "sys_enter_kill", "pid=-99999 ")) TH_LOG("%s", self->r.out);
}

/* A container's events name it, and have the pids of both namespaces, unless something else is asked. */
TEST_F(tracepoint, containers)
{
	static const char script[] =
		"mkdir -p " VM_GROUPS "/etw-box && echo $$ > " VM_GROUPS "/etw-box/cgroup.procs && "
		"exec unshare -p -f cat /etc/hostname";

	if (!vm_groups())
		SKIP(return, "no cgroup2");
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "system:file,sched", "--", "sh", "-c",
			 script)) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT, "--filter", "filename == /etc/hostname"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "cat-", " inside=1/1@")) TH_LOG("%s", self->r.out);
	EXPECT_EQ(1, vc_lines_with(self->r.out, "sys_enter_openat", "container=\"/etw-box\""));
	EXPECT_EQ(0, vc_lines_with(self->r.out, "cat-1/1 ", ""));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "tracepoint:sched:sched_switch", "--filter",
			 "prev_comm == cat"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "container=\"/etw-box\"", " inside=1/1@"));
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "system:file", "--with", "none",
			 "-p", "system:sched", "--with", "login", "--", "sh", "-c", script));
	ASSERT_EQ(0, RUN("dump", OUT, "--filter", "filename == /etc/hostname"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "cat-", "")) TH_LOG("%s", self->r.out);
	EXPECT_EQ(0, vc_lines_with(self->r.out, "container=", "")) TH_LOG("%s", self->r.out);
	EXPECT_EQ(0, vc_lines_with(self->r.out, "inside=", ""));
	rmdir(VM_GROUPS "/etw-box");
}

/* The pieces of its schema, with the names of its flags and states, are no events. */
TEST_F(tracepoint, no_event)
{
	ASSERT_EQ(0, RUN("watch", "-p", "tracepoint:sched:sched_switch", "--exe", "nosuch", "--",
			 "true"));
	EXPECT_EQ(0, vc_lines(self->r.out)) TH_LOG("%s", self->r.out);
	EXPECT_NE(NULL, strstr(self->r.err, "no event was printed")) TH_LOG("%s", self->r.err);
}

/* The begin and the end of a system call are one operation; only one lasts so long. */
TEST_F(tracepoint, slow_system_calls)
{
	ASSERT_EQ(0, RUN("watch", "-p", "tracepoint:syscalls:sys_*_clock_nanosleep", "--operations",
			 "--show", "duration > 300ms", "--", "sh", "-c", "sleep 0.1; sleep 0.4"));
	EXPECT_EQ(1, vc_lines(self->r.out)) TH_LOG("%s", self->r.out);
	EXPECT_EQ(1, vc_lines_with(self->r.out, "sleep-", "ret=0"));
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "system:file", "--", "cat",
			 "/etc/hostname"));
	ASSERT_EQ(0, RUN("dump", OUT, "--operations", "--filter", "filename == /etc/hostname"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "cat-", "filename=\"/etc/hostname\""));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "sys_enter_openat", "ret=3"));
}

/* Requests of two disks to the same sectors, each of which ends in a thread of the kernel */
TEST_F(tracepoint, disk_requests)
{
	static const char script[] =
		"modprobe -q loop; for d in a b; do truncate -s 4M " LOG_DIR "/$d; "
		"losetup -f " LOG_DIR "/$d || exit 9; done; "
		"for d in a b; do dd if=/dev/zero of=$(losetup -nO NAME -j " LOG_DIR "/$d) bs=64k "
		"count=8 oflag=direct & done 2>/dev/null; wait; "
		"for d in a b; do losetup -d $(losetup -nO NAME -j " LOG_DIR "/$d); done";

	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "system:disk", "--", "sh", "-c", script)) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT, "--operations"));
	EXPECT_EQ(16, vc_lines_with(self->r.out, "block_rq_issue", " bytes=65536 ")) TH_LOG("%s", self->r.out);
	EXPECT_STREQ("", self->r.err);
}

/* The kernel's records have them as bytes. */
TEST_F(tracepoint, addresses)
{
	ASSERT_TRUE(vm_loopback_up());
	ASSERT_EQ(0, RUN("start", "mine", "--file", OUT));
	ASSERT_EQ(0, RUN("enable", "mine", "tracepoint:sock:inet_sock_set_state"));
	ASSERT_TRUE(vm_loopback_connection());
	ASSERT_EQ(0, RUN("stop", "mine"));
	ASSERT_EQ(0, RUN("dump", OUT));
	EXPECT_LE(1, vc_lines_with(self->r.out, "newstate=TCP_SYN_SENT", " daddr=127.0.0.1 ")) {
		TH_LOG("%s", self->r.out);
	}
	EXPECT_LE(1, vc_lines_with(self->r.out, "newstate=TCP_SYN_SENT",
				   " daddr_v6=::ffff:127.0.0.1"));
	ASSERT_EQ(0, RUN("dump", OUT, "--json", "--filter", "daddr == 127.0.0.1"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "\"daddr\":\"127.0.0.1\"", ""));
}

/* What a program calls, and what it may call: the file -1 refuses all of them. */
static void call_with_addresses(void)
{
	static char room[4096];
	struct sockaddr_in *in = (void *)room;
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(443),
				    .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/run/etw.sock" };

	in->sin_family = AF_INET;
	in->sin_port = htons(4711);
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	syscall(SYS_connect, -1, in, sizeof(*in));
	syscall(SYS_bind, -1, &in6, sizeof(in6));
	syscall(SYS_sendto, -1, "x", 1, 0, &un, sizeof(un));
	memcpy(un.sun_path, "\0etw", 4);
	syscall(SYS_connect, -1, &un, offsetof(struct sockaddr_un, sun_path) + 4);
	syscall(SYS_sendto, -1, "x", 1, 0, NULL, 0);
	syscall(SYS_connect, -1, in, INT32_MAX);
	syscall(SYS_connect, -1, in, -5);
	syscall(SYS_connect, -1, in, 3);
	syscall(SYS_bind, -1, (void *)-4096L, 77);
	syscall(SYS_bind, -1, NULL, 78);
}

/* Programs tell the kernel where they are, and how long. */
TEST_F(tracepoint, socket_addresses)
{
	static const char *const lines[][2] = {
		{ "sys_enter_connect", " uservaddr=127.0.0.1:4711 addrlen=16" },
		{ "sys_enter_bind", " umyaddr=[::1]:443 addrlen=28" },
		{ "sys_enter_sendto", " addr=unix:/run/etw.sock addr_len=110" },
		{ "sys_enter_connect", " uservaddr=unix:@etw addrlen=6" },
		{ "sys_enter_sendto", " addr= addr_len=0" },
		{ "sys_enter_connect", " uservaddr=127.0.0.1:4711 addrlen=2147483647" },
		{ "sys_enter_connect", " uservaddr= addrlen=-5" },
		{ "sys_enter_connect", " uservaddr=020012 addrlen=3" },
		{ "sys_enter_bind", " umyaddr= addrlen=77" },
		{ "sys_enter_bind", " umyaddr= addrlen=78" },
	};
	unsigned int i;

	ASSERT_EQ(0, RUN("start", "mine", "--file", OUT));
	ASSERT_EQ(0, RUN("enable", "mine", "-p", "tracepoint:syscalls:sys_enter_connect",
			 "-p", "tracepoint:syscalls:sys_enter_bind",
			 "-p", "tracepoint:syscalls:sys_enter_sendto")) {
		TH_LOG("%s", self->r.err);
	}
	call_with_addresses();
	ASSERT_EQ(0, RUN("stop", "mine"));
	ASSERT_EQ(0, RUN("dump", OUT));
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		EXPECT_EQ(1, vc_lines_with(self->r.out, lines[i][0], lines[i][1])) {
			TH_LOG("%u: %s", i, self->r.out);
		}
	ASSERT_EQ(0, RUN("dump", OUT, "--json", "--filter", "umyaddr == \"[::1]:443\""));
	EXPECT_EQ(1, vc_objects(self->r.out));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "\"umyaddr\":\"[::1]:443\"", ""));
}

/* A datagram of 777 bytes over the loopback device */
static bool send_datagram(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(to);
	char data[1000] = "";
	bool good;

	good = !bind(in, (struct sockaddr *)&to, len) &&
	       !getsockname(in, (struct sockaddr *)&to, &len) &&
	       sendto(out, data, 777, 0, (struct sockaddr *)&to, len) == 777 &&
	       read(in, data, sizeof(data)) == 777;
	close(in);
	close(out);
	return good;
}

/* How much sockets send and receive: by events, or on older kernels by probes, which do not stay */
TEST_F(tracepoint, sizes_of_the_network)
{
	static const char *const by_events[][2] = {
		{ "sock_send_length", " ret=10000" }, { "sock_send_length", " ret=777" },
		{ "sock_recv_length", " ret=777" },
	}, *const by_probes[][2] = {
		{ "tcp_sendmsg/Stop", " ret=10000" }, { "udp_sendmsg/Stop", " ret=777" },
		{ "udp_recvmsg/Stop", " ret=777" }, { "tcp_sendmsg/Start", " size=10000" },
		{ "udp_sendmsg/Start", " len=777" }, { "udp_recvmsg/Start", " len=1000" },
	};
	const bool events = !access(TRACEFS "events/sock/sock_send_length", F_OK);
	const char *const (*rows)[2] = events ? by_events : by_probes;
	unsigned int i, count = events ? ARRAY_SIZE(by_events) : ARRAY_SIZE(by_probes);
	char pid[32];

	ASSERT_TRUE(vm_loopback_up());
	ASSERT_EQ(0, RUN("start", "mine", "--file", OUT, "--max-buffers", "100"));
	ASSERT_EQ(0, RUN("enable", "mine", "system:net"));
	EXPECT_STREQ("", self->r.err);
	ASSERT_TRUE(vm_loopback_connection());
	ASSERT_TRUE(send_datagram());
	ASSERT_EQ(0, RUN("disable", "mine", "system:net")) TH_LOG("%s", self->r.err);
	EXPECT_NE(0, system("grep etw/ " TRACEFS "dynamic_events"));
	ASSERT_EQ(0, RUN("stop", "mine", "--strict")) TH_LOG("%s", self->r.err);
	snprintf(pid, sizeof(pid), "pid == %d", getpid());
	ASSERT_EQ(0, RUN("dump", OUT, "--filter", pid));
	for (i = 0; i < count; i++)
		EXPECT_EQ(strstr(rows[i][1], "10000") ? 20 : 1,
			  vc_lines_with(self->r.out, rows[i][0], rows[i][1])) {
			TH_LOG("%s%s: %s", rows[i][0], rows[i][1], self->r.out);
		}
	EXPECT_EQ(events, !vc_lines_with(self->r.out, " kprobe:", ""));
}

/* What etw.ko tells itself: who maps what, and how the machine does */
TEST_F(tracepoint, images_and_counters)
{
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "system:image,counters", "--", "cat",
			 "/etc/hostname")) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT, "--filter", "process == cat && FileName contains libc.so", "--processes"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "Etw-Image ImageLoad info", "BuildId=")) {
		TH_LOG("%s", self->r.out);
	}
	ASSERT_EQ(0, RUN("dump", OUT, "--processes", "--id", "ImageRundown"));
	EXPECT_LE(3, vc_lines_with(self->r.out, "ImageBase=0x", "libc.so"));
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "system:image,counters", "--exe", "cat", "--",
			 "sh", "-c", "cat /etc/hostname; tac /etc/hostname"));
	EXPECT_EQ(1, vc_lines_with(self->r.err, "--exe selects programs", "\"Etw-Counters\" comes"));
	ASSERT_EQ(0, RUN("dump", OUT, "--processes", "--filter", "process == cat"));
	EXPECT_LE(3, vc_lines_with(self->r.out, "ImageLoad", "BuildId=")) TH_LOG("%s", self->r.out);
	ASSERT_EQ(0, RUN("dump", OUT, "--processes", "--filter", "process != cat"));
	EXPECT_EQ(0, vc_lines_with(self->r.out, "Etw-Image", "")) TH_LOG("%s", self->r.out);
	ASSERT_EQ(0, RUN("dump", OUT ".old", "-p", "Etw-Counters"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "Etw-Counters Memory", "TotalBytes="));
	EXPECT_LE(1, vc_lines_with(self->r.out, "Processor=0 ", "IdleNs="));
	ASSERT_EQ(0, RUN("start", "mine"));
	ASSERT_EQ(0, RUN("enable", "mine", "system:image"));
	ASSERT_EQ(0, RUN("list", "providers", "etw-image"));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "Etw-Image", "mine"));
	ASSERT_EQ(0, RUN("disable", "mine", "system:image"));
	ASSERT_EQ(0, RUN("list", "providers", "etw-image"));
	EXPECT_EQ(0, vc_lines_with(self->r.out, "Etw-Image", "mine"));
	ASSERT_EQ(0, RUN("stop", "mine"));
}

/* A class has no event that the kernel always refuses: where nothing is lost, none is missing. */
TEST_F(tracepoint, classes_are_complete)
{
	static const char *const classes[] = {
		"cgroup", "console", "irq", "module", "power", "signal", "fault", "memory",
	};
	char name[32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		snprintf(name, sizeof(name), "system:%s", classes[i]);
		EXPECT_EQ(0, RUN("record", "-q", "--replace", "-o", OUT, "-p", name, "--", "true")) {
			TH_LOG("%s: %s", name, self->r.err);
		}
		EXPECT_EQ(0, RUN("verify", OUT)) {
			TH_LOG("%s: %s", name, self->r.out);
		}
	}
}

TEST_F(tracepoint, wrong_names)
{
	ASSERT_EQ(0, RUN("start", "mine"));
	EXPECT_TRUE((RUN("enable", "mine", "tracepoint:sched:no_such"),
		     vc_refused(&self->r, 1, "the kernel has no such trace event")));
	EXPECT_TRUE((RUN("enable", "mine", "tracepoint:sched:sched_swich"),
		     vc_refused(&self->r, 1, "did you mean \"tracepoint:sched:sched_switch\"?")));
	EXPECT_TRUE((RUN("enable", "mine", "tracepoint:sched_swich"),
		     vc_refused(&self->r, 1, "did you mean \"tracepoint:sched:sched_switch\"?")));
	EXPECT_TRUE((RUN("enable", "mine", "-p", "fentry:vfs_read"),
		     vc_refused(&self->r, 1, "did you mean kprobe:FUNCTION?")));
	EXPECT_TRUE((RUN("enable", "mine", "system"),
		     vc_refused(&self->r, 1, "did you mean system:CLASS?")));
	EXPECT_TRUE((RUN("enable", "mine", "system:disk,tape"),
		     vc_refused(&self->r, 1, "there are cgroup, console, counters, disk, fault, file, image,")));
	EXPECT_TRUE((RUN("enable", "mine", "system:"),
		     vc_refused(&self->r, 1, "the name of a class is missing")));
	self->r.nobody = true;
	EXPECT_TRUE((RUN("list", "providers", "tracepoint:*"),
		     vc_refused(&self->r, 1, "cannot read the kernel's trace events")));
	self->r.nobody = false;
}

TEST_HARNESS_MAIN
