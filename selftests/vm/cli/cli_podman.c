// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_podman - containers of podman: what is traced of them, and programs in them that write
 * events. Skipped where podman is not installed, or cannot run a container.
 *
 * TIMEOUT: 600
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <sys/mount.h>

#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_items.h"
#include "lib/vm_log.h"

#define OUT	LOG_DIR "/a.etl"
#define APP	"b7d1f6a4-3c0e-4f52-a1d8-5e9c7b2a6f13"	/* Sample-App */
#define ROOT	LOG_DIR "/root"		/* of the containers: the machine's /usr */

/* Nothing of it remains in the machine's own storage. */
#define PODMAN	"podman --root " LOG_DIR "/store --runroot " LOG_DIR "/state --storage-driver vfs " \
		"--cgroup-manager cgroupfs --events-backend none run --rm --network none "

FIXTURE(podman) {
	struct vc_run r;
	int fd;
	bool there;
};

static int podman_end(FIXTURE_DATA(podman) *self)
{
	int ret;

	self->there = false;
	vm_stop_all(self->fd);
	close(self->fd);
	ret = umount(ROOT "/usr");
	vl_log_dir_end();
	return ret;
}

FIXTURE_SETUP(podman)
{
	static const char root[] =
		"cd " ROOT " && mkdir usr proc dev sys tmp etc run b && mount --bind /usr usr && "
		"for i in bin lib lib64 sbin; do ln -s usr/$i $i || exit 1; done";

	if (system("command -v podman >/dev/null 2>&1"))
		SKIP(return, "podman is not installed");
	if (!vm_groups())
		SKIP(return, "no cgroup2");
	self->there = true;
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(65536));
	ASSERT_EQ(0, mkdir(ROOT, 0755));
	ASSERT_EQ(0, system(root));
	if (system(PODMAN "--rootfs " ROOT " true >/dev/null 2>&1")) {
		podman_end(self);
		SKIP(return, "this kernel has not all that podman needs");
	}
}

FIXTURE_TEARDOWN(podman)
{
	if (self->there)
		EXPECT_EQ(0, podman_end(self));
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, (char *)NULL)

/* A program of the container has its pid outside, its pid inside, and the container's name. */
TEST_F(podman, both_pids_and_the_container)
{
	if (!self->there)
		return;
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "tracepoint:sched:sched_process_exec",
			 "--filter", "filename contains b2sum", "--with", "container", "--", "sh",
			 "-c", PODMAN "--rootfs " ROOT " b2sum /usr/bin/true")) {
		TH_LOG("%s", self->r.err);
	}
	EXPECT_NE(NULL, strstr(self->r.out, "  /usr/bin/true"));
	ASSERT_EQ(0, RUN("dump", OUT));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "b2sum", "inside=1/1@")) {
		TH_LOG("%s", self->r.out);
	}
	EXPECT_EQ(1, vc_lines_with(self->r.out, "b2sum", "/libpod-"));
	ASSERT_EQ(0, RUN("dump", OUT, "--filter", "pid == 1"));
	EXPECT_EQ(0, vc_lines(self->r.out));
}

/* Its libraries are those of the container, with their build ids. */
TEST_F(podman, images)
{
	if (!self->there)
		return;
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "system:image", "--with", "container",
			 "--", "sh", "-c", PODMAN "--rootfs " ROOT " b2sum /usr/bin/true")) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "Etw-Image", "--filter",
			 "process == b2sum && FileName == \"/usr/bin/b2sum\""));
	EXPECT_EQ(1, vc_lines_with(self->r.out, "ImageLoad", "/libpod-")) {
		TH_LOG("%s", self->r.out);
	}
	EXPECT_EQ(1, vc_lines_with(self->r.out, "inside=1/1@", "BuildId="));
}

/* With the device, a program in a container writes events as any other. */
TEST_F(podman, program_in_a_container)
{
	char script[1024];

	if (!self->there)
		return;
	snprintf(script, sizeof(script), PODMAN "--device /dev/etw -v %s:/b:ro --rootfs " ROOT
		 " /b/samples/sample_app -n 5 -d 0", vm_build());
	ASSERT_EQ(0, RUN("record", "-o", OUT, "-p", APP, "--with", "container", "--", "sh",
			 "-c", script)) {
		TH_LOG("%s%s", self->r.out, self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT));
	EXPECT_LE(5, vc_lines_with(self->r.out, "inside=1/1@", "/libpod-")) {
		TH_LOG("%s", self->r.out);
	}
}

TEST_HARNESS_MAIN
