// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_operations - etw dump --operations between two processes, whose clock says how long it took
 */
#include <time.h>

#include "lib/vm.h"
#include "lib/command/vm_trace.h"

FIXTURE(operations) {
	struct vm_trace t;
};

FIXTURE_SETUP(operations)
{
	ASSERT_EQ(0, vm_trace_begin(&self->t));
}

FIXTURE_TEARDOWN(operations)
{
	vm_trace_end(&self->t);
}

/* A start (1) or stop (2) */
static int write_opcode(int fd, uint32_t slot, uint8_t opcode, uint32_t activity)
{
	struct etw_event_write w = {
		.size = sizeof(w), .slot = slot, .flags = ETW_WRITE_ACTIVITY,
		.activity = { .data1 = activity },
		.desc = { .id = opcode, .level = 4, .opcode = opcode, .keyword = 1 },
	};

	return vm_ioctl(fd, ETW_IOC_WRITE, &w);
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* One process starts, the other one stops: the first is blamed, live and in a file. */
TEST_F(operations, two_processes)
{
	double before = now_ms(), between, after, got;
	const char *duration;
	char want[64];
	pid_t pid;
	int i;

	ASSERT_EQ(0, RUN("start", "ops", "--processes"));
	ASSERT_EQ(0, RUN("start", "file", "--processes", "--file", LOG));
	ASSERT_EQ(0, RUN("enable", "ops", PROVIDER));
	ASSERT_EQ(0, RUN("enable", "file", PROVIDER));
	pid = fork();
	if (!pid) {
		int fd = vm_open(), slot = vm_register(fd, vm_guid(1));

		_exit(slot < 0 || write_opcode(fd, slot, 1, 7) || write_opcode(fd, slot, 1, 8));
	}
	ASSERT_EQ(0, vm_reap(pid));
	between = now_ms();
	ASSERT_TRUE(vm_until(now_ms() - between > 20));
	ASSERT_EQ(0, write_opcode(self->t.fd, self->t.slot, 2, 7));
	ASSERT_EQ(0, write_opcode(self->t.fd, self->t.slot, 2, 9));
	after = now_ms();
	ASSERT_EQ(0, RUN("flush", "ops"));
	ASSERT_EQ(0, RUN("stop", "file"));
	snprintf(want, sizeof(want), "\"pid\":%d,", pid);
	for (i = 0; i < 2; i++) {
		RUN("dump", i ? LOG : "ops", "--operations", "--json", "--count", "1", "--filter",
		    "duration > 20ms && process == cli_operations");
		ASSERT_TRUE(vc_report(&self->t.r, !self->t.r.status && vc_lines(self->t.r.out) == 1));
		EXPECT_TRUE(vc_report(&self->t.r, strstr(self->t.r.out, want)));
		duration = strstr(self->t.r.out, "\"duration_ns\":");
		ASSERT_NE(NULL, duration);
		got = atof(duration + strlen("\"duration_ns\":")) / 1e6;
		EXPECT_TRUE(got > 20 && got < after - before);
	}
	RUN("dump", LOG, "--operations");
	EXPECT_TRUE(vc_report(&self->t.r, vc_lines(self->t.r.out) == 1 &&
			      strstr(self->t.r.err, "1 operation did not end\n") &&
			      strstr(self->t.r.err, "1 operation ended that had not begun\n")));
}

TEST_HARNESS_MAIN
