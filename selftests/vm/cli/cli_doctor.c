// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_doctor - what etw doctor says of this machine, and that the commands it proposes fix it
 *
 * The module is taken for one that was installed, so the files of its kernel are put where
 * modprobe looks.
 *
 * RUN: in turn
 */
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/driver/vm_kmod.h"
#include "lib/vm_clock.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define DIR	"/run/etw-doctor"
#define MODULES	"/run/etw-modules"
#define LOG	DIR "/log.etl"
#define GUID	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define PERFMON	38

FIXTURE(cli_doctor) {
	int fd;
	struct vc_run r;
};

/* The folder of this kernel's modules */
static const char *modules(void)
{
	static char folder[256];
	struct utsname u;

	uname(&u);
	snprintf(folder, sizeof(folder), "/lib/modules/%s", u.release);
	return folder;
}

/* Have etw.ko alone there.  What depmod makes of it serves all tests. */
static int install_module(void)
{
	char from[VM_MODULE_PATH], command[2048];

	vm_module_path("etw", from);
	snprintf(command, sizeof(command), "mkdir -p %s " MODULES "/extra && mount --bind " MODULES
		 " %s && { [ %s -ot " MODULES "/modules.dep ] || { cp %s " MODULES
		 "/extra/ && depmod 2>/dev/null; } }", modules(), modules(), from, from);
	return system(command);
}

static void uninstall_module(void)
{
	umount2(modules(), MNT_DETACH);
}

FIXTURE_SETUP(cli_doctor)
{
	vm_pin(0);
	/* The machine that runs the virtual one may be a container, and shares its files. */
	unlink("/.dockerenv");
	mkdir(DIR, 0755);
	setenv("ETW_MANIFEST_PATH", DIR "/manifests", 1);
	ASSERT_EQ(0, install_module());
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
}

FIXTURE_TEARDOWN(cli_doctor)
{
	vm_stop_all(self->fd);
	close(self->fd);
	uninstall_module();
	EXPECT_EQ(0, system("rm -rf " DIR));
}

static void flush(int fd)
{
	uint64_t handles[4];
	int i, count = vm_sessions(fd, handles, ARRAY_SIZE(handles));

	for (i = 0; i < count; i++)
		vm_flush(fd, handles[i]);
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, NULL)
#define DOCTOR(status)	EXPECT_TRUE(vc_report(&self->r, RUN("doctor") == (status)))
#define SAYS(text)	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.out, text)))
#define SAYS_NOT(text)	EXPECT_TRUE(vc_report(&self->r, !strstr(self->r.out, text)))

/* Copy the command that follows a line with the text; false: there is none. */
static bool proposed(const struct vc_run *r, const char *text, char *command, size_t size)
{
	static const char before[] = "fix: ";
	const char *line = strstr(r->out, text), *at;

	line = line ? strchr(line, '\n') : NULL;
	at = line ? strstr(line, before) : NULL;
	if (!at || memchr(line + 1, '\n', at - line - 1))
		return false;
	at += sizeof(before) - 1;
	snprintf(command, size, "%.*s", (int)strcspn(at, "\n"), at);
	return true;
}

/* Execute it, with etw found. */
static int execute(const char *command)
{
	char line[2048];

	snprintf(line, sizeof(line), "PATH=%s:$PATH; %s", vm_build(), command);
	return system(line);
}

TEST_F(cli_doctor, all_is_well)
{
	DOCTOR(0);
	EXPECT_STREQ("", self->r.err);
	SAYS("ok       module ");
	SAYS("extra/etw.ko, for this kernel\n");
	SAYS("ok       signature ");
	SAYS("ok       loaded     yes");
	SAYS("ok       device     /dev/etw, mode 0666, root:root\n");
	SAYS("ok       interface  the module and this command have the same commands\n");
	SAYS("ok       rights     all, by CAP_SYS_ADMIN\n");
	SAYS("ok       memory     sessions take ");
	SAYS("ok       memlock ");
	SAYS("ok       numbers    0 of at most 64 sessions");
	SAYS("ok       tracefs ");
	SAYS("ok       perf ");
	SAYS("ok       symbols ");
	SAYS("ok       manifests  none installed");
	SAYS("ok       sessions   none runs\n");
	SAYS_NOT("unknown ");
	SAYS_NOT("wrong ");
	RUN("doctor", "--json");
	EXPECT_EQ(0, self->r.status);
	EXPECT_LT(10, vc_objects(self->r.out));
}

/* Nothing has changed: no session, no file of the device's stays open. */
TEST_F(cli_doctor, only_looks)
{
	DOCTOR(0);
	EXPECT_EQ(0, vm_sessions(self->fd, NULL, 0));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, vm_rmmod("etw"));
	EXPECT_EQ(0, vm_insmod("etw"));
	self->fd = vm_open();
}

TEST_F(cli_doctor, not_loaded)
{
	char command[256] = "";

	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, vm_rmmod("etw"));
	DOCTOR(1);
	SAYS("wrong    loaded     the module is not loaded\n");
	SAYS("unknown  device     /dev/etw comes with the module\n");
	SAYS("unknown  clock ");
	EXPECT_STREQ("etw: doctor: 1 thing is wrong\n", self->r.err);
	EXPECT_TRUE(proposed(&self->r, "the module is not loaded", command, sizeof(command)));
	EXPECT_STREQ("modprobe etw", command);
	RUN("list");
	EXPECT_TRUE(vc_refused(&self->r, 1, "/dev/etw: no such device: run \"etw doctor\""));
	EXPECT_EQ(0, execute(command));
	self->fd = vm_open();
	EXPECT_LE(0, self->fd);
	DOCTOR(0);
}

TEST_F(cli_doctor, not_installed)
{
	uninstall_module();
	DOCTOR(0);
	SAYS("warning  module     etw.ko is loaded, but not installed in ");
	ASSERT_EQ(0, install_module());
}

TEST_F(cli_doctor, device_of_others)
{
	char command[256] = "";

	ASSERT_EQ(0, chmod("/dev/etw", 0600));
	self->r.nobody = true;
	DOCTOR(1);
	SAYS("wrong    device     you may not open /dev/etw (mode 0600, root:root)");
	EXPECT_TRUE(proposed(&self->r, "you may not open", command, sizeof(command)));
	EXPECT_STREQ("sudo chmod 666 /dev/etw", command);
	RUN("list");
	EXPECT_TRUE(vc_refused(&self->r, 1, "/dev/etw: Permission denied: run \"etw doctor\""));
	self->r.nobody = false;
	EXPECT_EQ(0, execute(command + strlen("sudo ")));
	self->r.nobody = true;
	DOCTOR(0);
	SAYS("ok       device     /dev/etw, mode 0666, root:root\n");
}

TEST_F(cli_doctor, device_that_is_missing)
{
	char command[256] = "";

	ASSERT_EQ(0, rename("/dev/etw", "/dev/etw-kept"));
	DOCTOR(1);
	SAYS("wrong    device     the module is loaded, but there is no /dev/etw\n");
	EXPECT_TRUE(proposed(&self->r, "there is no /dev/etw", command, sizeof(command)));
	EXPECT_EQ(0, execute(command));
	DOCTOR(0);
	ASSERT_EQ(0, rename("/dev/etw-kept", "/dev/etw"));
	/* Something else in its place */
	setenv("ETW_DEVICE", "/dev/null", 1);
	DOCTOR(1);
	SAYS("wrong    device     ETW_DEVICE names /dev/null, which is not the module's device\n");
	EXPECT_TRUE(proposed(&self->r, "ETW_DEVICE names", command, sizeof(command)));
	EXPECT_STREQ("unset ETW_DEVICE", command);
	SAYS("wrong    interface  /dev/null is not a device of the module\n");
	setenv("ETW_DEVICE", DIR "/none", 1);
	DOCTOR(1);
	SAYS("wrong    device     ETW_DEVICE names " DIR "/none, which does not exist\n");
	SAYS_NOT("mknod");
	/* A user's file is not to be removed. */
	ASSERT_EQ(0, execute("echo mine >" DIR "/file"));
	setenv("ETW_DEVICE", DIR "/file", 1);
	DOCTOR(1);
	EXPECT_TRUE(proposed(&self->r, "ETW_DEVICE names", command, sizeof(command)));
	EXPECT_STREQ("unset ETW_DEVICE", command);
	SAYS_NOT(" rm ");
	unsetenv("ETW_DEVICE");
}

/* Without a right to the device from the control group, as in a unit with DevicePolicy=closed */
TEST_F(cli_doctor, device_of_a_control_group)
{
	char line[256], command[256] = "";
	struct stat st;

	ASSERT_EQ(0, stat("/dev/etw", &st));
	ASSERT_EQ(0, mkdir(DIR "/cgroup", 0755));
	if (mount("cgroup", DIR "/cgroup", "cgroup", 0, "devices"))
		SKIP(return, "no control groups of version 1 for devices");
	snprintf(line, sizeof(line), "mkdir " DIR "/cgroup/closed && echo %d >" DIR
		 "/cgroup/closed/tasks && echo 'c %u:%u rwm' >" DIR "/cgroup/closed/devices.deny",
		 getpid(), major(st.st_rdev), minor(st.st_rdev));
	EXPECT_EQ(0, execute(line));
	DOCTOR(1);
	SAYS("wrong    device     the control group may not open /dev/etw; a systemd unit needs DeviceAllow=/dev/etw rw\n");
	SAYS_NOT("podman");
	EXPECT_EQ(0, execute(": >/run/.containerenv"));
	DOCTOR(1);
	EXPECT_TRUE(proposed(&self->r, "the container may not open /dev/etw", command,
			     sizeof(command)));
	EXPECT_STREQ("podman run --device /dev/etw ...", command);
	unlink("/run/.containerenv");
	snprintf(line, sizeof(line), "echo %d >" DIR "/cgroup/tasks", getpid());
	EXPECT_EQ(0, execute(line));
	EXPECT_EQ(0, rmdir(DIR "/cgroup/closed"));
	EXPECT_EQ(0, umount2(DIR "/cgroup", MNT_DETACH));
}

/* Rights of a user, and that they are those which the kernel has as well */
TEST_F(cli_doctor, rights)
{
	char command[256] = "";

	self->r.nobody = true;
	DOCTOR(0);
	SAYS("warning  rights     you may register providers and write events");
	SAYS("unknown  sessions   you may not query sessions\n");
	SAYS("ok       tracefs    mounted; the kernel's events are for CAP_PERFMON");
	EXPECT_TRUE(proposed(&self->r, "you may register", command, sizeof(command)));
	RUN("list");
	EXPECT_TRUE(vc_refused(&self->r, 1, "run \"etw doctor\""));
	self->r.nobody = false;
	setenv("ETW_ACCESS_CONF", DIR "/access.conf", 1);
	EXPECT_EQ(0, execute(command + strlen("sudo ")));
	self->r.nobody = true;
	DOCTOR(0);
	SAYS("ok       rights     you may trace: the default access list gives you ");
	SAYS("ok       sessions   none runs\n");
	RUN("start", "nobodys");
	EXPECT_EQ(0, self->r.status);
	self->r.nobody = false;
	EXPECT_EQ(0, execute("etw access remove default"));
	self->r.nobody = true;
	self->r.capability = PERFMON;
	DOCTOR(0);
	SAYS("ok       rights     you may trace: the built-in access list gives you all");
	self->r.capability = 0;
	unsetenv("ETW_ACCESS_CONF");
}

/* Ids of another user namespace are not those that the lists have. */
TEST_F(cli_doctor, rights_in_a_user_namespace)
{
	EXPECT_EQ(0, execute("unshare --user --map-root-user etw doctor | grep '^unknown  rights .*this one root has no privilege$'"));
	EXPECT_NE(0, execute("unshare --user --map-root-user etw doctor | grep 'etw access add'"));
}

/* What an entry denies no later one gives, so none is proposed, whether or not it can be read. */
TEST_F(cli_doctor, rights_that_are_denied)
{
	static const char *const denied[] = { "enable", "all" };
	static const char *const said[] = { "the default access list gives you only ", "but you may not trace" };
	char command[256];
	unsigned int i;

	setenv("ETW_ACCESS_CONF", DIR "/access.conf", 1);
	for (i = 0; i < ARRAY_SIZE(denied); i++) {
		self->r.nobody = false;
		snprintf(command, sizeof(command),
			 "printf 'list default\\n\\tdeny user:65534 %s\\n\\tallow everyone query\\n' >" DIR
			 "/access.conf && etw access load", denied[i]);
		ASSERT_EQ(0, execute(command));
		self->r.nobody = true;
		DOCTOR(0);
		SAYS(said[i]);
		SAYS_NOT("etw access add");
	}
	self->r.nobody = false;
	EXPECT_EQ(0, execute("etw access remove default"));
	unsetenv("ETW_ACCESS_CONF");
}

/* CAP_PERFMON is not enough to read tracefs; what is proposed is. */
TEST_F(cli_doctor, tracefs_of_root)
{
	char command[256] = "";

	EXPECT_EQ(0, execute("mount -o remount,gid=0,mode=700 /sys/kernel/tracing"));
	self->r.nobody = true;
	self->r.capability = PERFMON;
	DOCTOR(0);
	SAYS("warning  tracefs    /sys/kernel/tracing/events: Permission denied");
	EXPECT_TRUE(proposed(&self->r, "warning  tracefs", command, sizeof(command)));
	EXPECT_STREQ("sudo mount -o remount,gid=65534,mode=750 /sys/kernel/tracing", command);
	EXPECT_EQ(0, execute(command + strlen("sudo ")));
	DOCTOR(0);
	SAYS("ok       tracefs    /sys/kernel/tracing, readable\n");
	RUN("list", "providers", "tracepoint:sched:sched_switch");
	EXPECT_TRUE(vc_report(&self->r, !self->r.status));
	RUN("watch", "-p", "tracepoint:sched:sched_switch", "--", "true");
	EXPECT_TRUE(vc_report(&self->r, !self->r.status &&
			      strstr(self->r.out, "tracepoint:sched:sched_switch")));
	self->r.capability = 0;
	EXPECT_EQ(0, execute("mount -o remount,gid=0,mode=700 /sys/kernel/tracing"));
}

TEST_F(cli_doctor, session_that_loses)
{
	int slot = vm_register(self->fd, vm_guid(1));

	ASSERT_LE(0, slot);
	RUN("start", "it's mine", "--buffer-size", "4", "--file", LOG);
	ASSERT_EQ(0, self->r.status);
	DOCTOR(0);
	SAYS("ok       sessions   1 session; nothing is lost, no file is full\n");
	RUN("enable", "it's mine", GUID);
	vm_write(self->fd, slot, 1, 1, 1, (char[5000]){ 0 }, 5000);
	DOCTOR(0);
	SAYS("warning  sessions   \"it's mine\" has lost: 1 event larger than a buffer");
	SAYS("; start it anew with --buffer-size 16 for larger events\n");
	SAYS("fix: etw verify 'it'\\''s mine'\n");
}

/* More buffers do not help against a budget. */
TEST_F(cli_doctor, session_with_a_budget)
{
	int slot = vm_register(self->fd, vm_guid(1));
	char command[256] = "";

	ASSERT_LE(0, slot);
	RUN("start", "small", "--user-budget", "1K");
	ASSERT_EQ(0, self->r.status);
	RUN("enable", "small", GUID);
	vm_write(self->fd, slot, 1, 1, 1, (char[1500]){ 0 }, 1500);
	DOCTOR(0);
	SAYS("warning  sessions   \"small\" has lost: 1 event user above the budget of the session");
	EXPECT_TRUE(proposed(&self->r, "has lost", command, sizeof(command)));
	EXPECT_STREQ("etw update small --user-budget 2", command);
	EXPECT_EQ(0, execute(command));
	RUN("query", "small");
	SAYS("user budget  2 KB per second");
}

/* A reader that takes nothing: first it is slow, then it loses. */
TEST_F(cli_doctor, reader_that_is_slow)
{
	struct etw_consumer_open open = { .size = sizeof(open), .name = VM_PTR("slow"),
					  .name_len = 4 };
	int slot = vm_register(self->fd, vm_guid(1)), i;
	char command[256] = "", text[96];

	ASSERT_LE(0, slot);
	RUN("start", "slow", "--buffer-size", "4", "--max-buffers", "8");
	RUN("enable", "slow", GUID);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_CONSUMER_OPEN, &open));
	for (i = 0; i < 6; i++) {
		vm_write(self->fd, slot, 1, 1, 1, "x", 1);
		flush(self->fd);
	}
	DOCTOR(0);
	snprintf(text, sizeof(text), "warning  sessions   \"slow\": process %d is slow to read it: ",
		 getpid());
	SAYS(text);
	for (i = 0; i < 40; i++) {
		vm_write(self->fd, slot, 1, 1, 1, "x", 1);
		flush(self->fd);
	}
	DOCTOR(0);
	SAYS("warning  sessions   \"slow\" has lost: ");
	snprintf(text, sizeof(text), "lost by a reader that was too slow (process %d)", getpid());
	SAYS(text);
	EXPECT_TRUE(proposed(&self->r, "has lost", command, sizeof(command)));
	EXPECT_STREQ("etw update slow --max-buffers 16", command);
	EXPECT_EQ(0, execute(command));
	RUN("query", "slow");
	SAYS("maximum 16)");
	close(open.fd);
}

/* What is left of the disk counts for a file that grows. */
TEST_F(cli_doctor, disk_that_is_full)
{
	ASSERT_EQ(0, mkdir(DIR "/small", 0755));
	ASSERT_EQ(0, mount("tmpfs", DIR "/small", "tmpfs", 0, "size=4m"));
	RUN("start", "small", "--file", DIR "/small/log.etl");
	DOCTOR(0);
	SAYS("warning  sessions   \"small\": the disk of its log file \"" DIR "/small/log.etl\" has ");
	RUN("stop", "small");
	EXPECT_EQ(0, umount2(DIR "/small", MNT_DETACH));
}

/* Which files are full: a sequential one near its size, never a circular one */
TEST_F(cli_doctor, log_files)
{
	static char data[3000];
	int slot = vm_register(self->fd, vm_guid(1)), i;

	ASSERT_LE(0, slot);
	RUN("start", "full", "--buffer-size", "4", "--file", LOG, "--max-size", "64K");
	RUN("start", "ring", "--buffer-size", "4", "--file", DIR "/ring.etl", "--circular",
	    "--max-size", "64K");
	RUN("enable", "ring", GUID);
	for (i = 0; i < 40; i++) {
		vm_write(self->fd, slot, 1, 1, 1, data, 3000);
		flush(self->fd);
	}
	DOCTOR(0);
	SAYS("ok       sessions   2 sessions; nothing is lost, no file is full\n");
	RUN("enable", "full", GUID);
	for (i = 0; i < 14; i++) {
		vm_write(self->fd, slot, 1, 1, 1, data, 3000);
		flush(self->fd);
	}
	DOCTOR(0);
	SAYS("warning  sessions   \"full\": its log file \"" LOG "\" has ");
	for (i = 0; i < 5; i++) {
		vm_write(self->fd, slot, 1, 1, 1, data, 3000);
		flush(self->fd);
	}
	DOCTOR(1);
	SAYS("wrong    sessions   \"full\": its log file \"" LOG "\" is full: it records no more\n");
	SAYS_NOT("\"ring\"");
}

TEST_F(cli_doctor, autologger)
{
	setenv("ETW_AUTOLOGGER_DIR", DIR, 1);
	ASSERT_EQ(0, execute("echo 'start --no-such-option' >" DIR "/doctor-boot.conf"));
	DOCTOR(0);
	SAYS("ok       autologger 1 session configured, 0 started since boot\n");
	RUN("autologger", "start");
	EXPECT_EQ(1, self->r.status);
	DOCTOR(1);
	SAYS("wrong    autologger session \"doctor-boot\" was not started: ");
	SAYS("fix: etw autologger check doctor-boot\n");
	unlink("/run/etw/autologger/doctor-boot");
	unsetenv("ETW_AUTOLOGGER_DIR");
}

TEST_F(cli_doctor, manifest_that_is_broken)
{
	char command[512] = "";

	ASSERT_EQ(0, mkdir(DIR "/manifests", 0755));
	ASSERT_EQ(0, execute("echo '<instrumentationManifest>' >" DIR "/manifests/" GUID ".man"));
	DOCTOR(1);
	SAYS("wrong    manifests  " DIR "/manifests/" GUID ".man");
	EXPECT_TRUE(proposed(&self->r, "wrong    manifests", command, sizeof(command)));
	EXPECT_NE(0, execute(command));
	EXPECT_STREQ("etw manifest check " DIR "/manifests/" GUID ".man", command);
	unlink(DIR "/manifests/" GUID ".man");
	DOCTOR(0);
}

/* Why the TSC is not the clock; what is proposed makes it the clock, as new sessions say. */
TEST_F(cli_doctor, clock)
{
	char command[256] = "";

	if (strstr((RUN("doctor"), self->r.out), "the kernel found the TSC unstable"))
		SKIP(return, "the kernel does not use the TSC");
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, vm_rmmod("etw"));
	ASSERT_EQ(0, vm_insmod_with("etw", "trust_tsc=0"));
	DOCTOR(0);
	if (strstr(self->r.out, "ok       clock"))
		SKIP(return, "the CPU declares its TSC invariant");
	SAYS("warning  clock      CLOCK_BOOTTIME, which is slower: the CPU does not declare the TSC invariant");
	RUN("start", "clock");
	SAYS(", 1000000000 ticks per second");
	RUN("stop", "clock");
	RUN("doctor");
	EXPECT_TRUE(proposed(&self->r, "declare the TSC invariant", command, sizeof(command)));
	EXPECT_STREQ("modprobe -r etw && modprobe etw trust_tsc=1", command);
	EXPECT_EQ(0, execute(command));
	DOCTOR(0);
	SAYS("ok       clock      the TSC: trust_tsc=1 replaces the flag ");
	RUN("start", "clock");
	SAYS_NOT(", 1000000000 ticks per second");
	RUN("stop", "clock");
	self->fd = vm_open();
}

TEST_HARNESS_MAIN
