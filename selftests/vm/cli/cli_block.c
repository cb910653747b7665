// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_block - which disk requests are slow, and whose are they? The sample driver etw_blk and
 * etw dump --operations, against dd and a disk whose requests take a known time
 */
#include "lib/vm.h"
#include "lib/command/vm_trace.h"
#include "lib/driver/vm_kmod.h"

#define DISK		"/dev/nullb0"
#define QUEUE		"/sys/block/nullb0/queue/"
#define DISK_MS		20	/* of each request */
#define REQUESTS	5
#define LOOP		"/dev/loop0"
#define IMAGE		"/run/etw-block.img"
#define PARTS		"/run/etw-parts"
#define BYTES		8192	/* of each */
#define SLOW		"duration > 20ms && process == dd"

FIXTURE(block) {
	struct vm_trace t;
	char *manifest;
	bool disk;
};

static char *manifest(void)
{
	char *path = NULL;

	if (asprintf(&path, "%s/../user/samples/etw_blk/etw_blk.man", vm_build()) < 0)
		return NULL;
	return path;
}

FIXTURE_SETUP(block)
{
	char command[128];

	self->manifest = manifest();
	/* It is not in use: an earlier test has ended. */
	snprintf(command, sizeof(command),
		 "modprobe -qr null_blk; modprobe -q null_blk nr_devices=1 irqmode=2 completion_nsec=%d hw_queue_depth=1",
		 DISK_MS * 1000000);
	if (system(command) || access(DISK, F_OK))
		SKIP(return, "there is no null_blk");
	if (access("/sys/module/null_blk/initstate", F_OK))
		SKIP(return, "null_blk is built in, so its requests do not take a known time");
	self->disk = true;
	/* One request at a time: the others wait in the queue until a kworker issues them. */
	ASSERT_TRUE(vm_write_text(QUEUE "scheduler", "mq-deadline"));
	ASSERT_TRUE(vm_write_text(QUEUE "max_sectors_kb", "8"));
	ASSERT_EQ(0, vm_trace_begin(&self->t));
	vm_rmmod_try("etw_blk");
	ASSERT_EQ(0, vm_insmod("etw_blk"));
}

FIXTURE_TEARDOWN(block)
{
	if (!self->disk)
		return;
	vm_trace_end(&self->t);
	EXPECT_EQ(0, vm_rmmod("etw_blk"));
	EXPECT_EQ(0, system("modprobe -r null_blk"));
	free(self->manifest);
}

/* Write all requests to the disk at once; the process that did. */
static pid_t dd(void)
{
	static char to[] = "of=" DISK;
	char size[32];
	pid_t pid;

	snprintf(size, sizeof(size), "bs=%d", REQUESTS * BYTES);
	pid = fork();
	if (!pid) {
		execlp("dd", "dd", "if=/dev/zero", to, size, "count=1", "oflag=direct",
		       "status=none", NULL);
		_exit(127);
	}
	return vm_reap(pid) ? -1 : pid;
}

/* Are all lines that one? */
static bool all_are(const char *text, const char *line, int count)
{
	for (; !strncmp(text, line, strlen(line)); count--)
		text += strlen(line);
	return !count && !*text;
}

TEST_F(block, names_who_asked)
{
	char want[64], complete[128];
	pid_t pid;
	int i;

	if (_metadata->skip)
		return;
	ASSERT_EQ(0, RUN("start", "live", "--processes"));
	ASSERT_EQ(0, RUN("start", "file", "--processes", "--file", LOG));
	ASSERT_EQ(0, RUN("enable", "live", "Sample-Block", "--timeout", "60s"));
	ASSERT_EQ(0, RUN("enable", "file", "Sample-Block", "--timeout", "60s"));
	pid = dd();
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, RUN("flush", "live"));
	ASSERT_EQ(0, RUN("stop", "file"));
	snprintf(want, sizeof(want), "%d dd %d\n", pid, BYTES);
	snprintf(complete, sizeof(complete), "%d dd 1\n", pid);
	for (i = 0; i < 2; i++) {
		RUN("dump", i ? LOG : "live", "--operations", "--filter", SLOW, "--manifest",
		    self->manifest, "--format", "%p %n %{bytes}", "--count", "5", "--no-losses");
		EXPECT_TRUE(vc_report(&self->t.r, all_are(self->t.r.out, want, REQUESTS)));
	}
	/* It was others that issued them, so whoever issues is no answer. */
	RUN("dump", LOG, "--manifest", self->manifest, "--id", "RequestIssue", "--filter",
	    "process != dd && bytes == 8192", "--format", "1");
	EXPECT_TRUE(vc_report(&self->t.r, vc_lines(self->t.r.out) > 0));
	RUN("dump", LOG, "--manifest", self->manifest, "--filter",
	    "id == 2 && latency_ns > 20ms && bytes == 8192", "--format", "%{issuer} %{issuer_name} 1");
	EXPECT_TRUE(vc_report(&self->t.r, all_are(self->t.r.out, complete, REQUESTS)));
}

/* In one command, of a process that has ended when its requests are shown */
TEST_F(block, watch)
{
	if (_metadata->skip)
		return;
	RUN("watch", "-p", "Sample-Block", "--timeout", "60s", "--operations", "--show", SLOW,
	    "--format", "%n", "dd", "if=/dev/zero", "of=" DISK, "bs=40960", "count=1",
	    "oflag=direct");
	EXPECT_TRUE(vc_report(&self->t.r, !self->t.r.status &&
			      all_are(self->t.r.out, "dd\n", REQUESTS)));
}

/*
 * A loop device has a cache and no FUA, so the block layer has a flush follow a write that dd wants
 * on the disk.  The data completes, and then the write: it is one request.
 */
TEST_F(block, flushed_write)
{
	int status;

	if (_metadata->skip)
		return;
	if (system("modprobe -q loop && truncate -s 1M " IMAGE " && losetup " LOOP " " IMAGE))
		SKIP(return, "there is no loop device");
	status = RUN("record", "-p", "Sample-Block", "--timeout", "60s", "-q", "-o", LOG, "dd",
		     "if=/dev/zero", "of=" LOOP, "bs=4096", "count=1", "oflag=direct,dsync");
	EXPECT_EQ(0, system("losetup -d " LOOP "; rm " IMAGE));
	ASSERT_EQ(0, status);
	/* It waits for the flush; and dd asks for another one at the end. */
	RUN("dump", LOG, "--manifest", self->manifest, "--id", "RequestComplete", "--filter",
	    "op == write && issuer_name == dd", "--format", "%{bytes}");
	EXPECT_STREQ("4096\n0\n", self->t.r.out);
	RUN("dump", LOG, "--manifest", self->manifest, "--id", "RequestComplete,RequestIssue",
	    "--filter", "op == flush || bytes == 4096", "--format", "%e %{op}");
	EXPECT_STREQ("RequestIssue write\nRequestIssue flush\nRequestComplete flush\nRequestComplete write\n"
		     "RequestIssue flush\nRequestComplete flush\n", self->t.r.out);
	RUN("dump", LOG, "--manifest", self->manifest, "--id", "RequestComplete", "--filter",
	    "request == 0", "--format", "%{op} %{bytes}");
	EXPECT_STREQ("", self->t.r.out);
}

/* A disk that transfers half of what every other command asks for: the rest is asked for again. */
TEST_F(block, request_in_parts)
{
	if (_metadata->skip)
		return;
	static const char setup[] =
		"modprobe -q sd_mod; modprobe -q scsi_debug dev_size_mb=8 && udevadm settle 2>/dev/null;"
		"cd /sys/bus/pseudo/drivers/scsi_debug && echo 0x100 >opts && echo 2 >every_nth && "
		"ln -sf /dev/$(ls /sys/devices/pseudo_0/adapter0/host*/target*/*:*/block) " PARTS;
	int status;

	if (system(setup) || access(PARTS, R_OK))
		SKIP(return, "there is no scsi_debug");
	status = RUN("record", "-p", "Sample-Block", "--timeout", "60s", "-q", "-o", LOG, "dd",
		     "if=" PARTS, "of=/dev/null", "bs=32768", "count=6", "iflag=direct");
	EXPECT_EQ(0, system("echo 0 >/sys/bus/pseudo/drivers/scsi_debug/every_nth; rm " PARTS
			    "; modprobe -r scsi_debug"));
	ASSERT_EQ(0, status);
	RUN("dump", LOG, "--manifest", self->manifest, "--id", "RequestComplete", "--filter",
	    "op == read && issuer_name == dd", "--format", "%{bytes}");
	EXPECT_TRUE(vc_report(&self->t.r, all_are(self->t.r.out, "32768\n", 6)));
	RUN("dump", LOG, "--manifest", self->manifest, "--id", "RequestIssue", "--filter",
	    "op == read && bytes < 32768 && bytes > 4096", "--format", "again");
	EXPECT_TRUE(vc_report(&self->t.r, vc_lines(self->t.r.out) > 0));
	RUN("dump", LOG, "--manifest", self->manifest, "--operations", "--filter",
	    "op == read && process == dd", "--format", "%{bytes}");
	EXPECT_TRUE(vc_report(&self->t.r, all_are(self->t.r.out, "32768\n", 6) &&
			      !strstr(self->t.r.err, "had not begun")));
}

TEST_HARNESS_MAIN
