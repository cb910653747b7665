// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_top - etw top: that it counts what is written, and that its session never stays
 *
 * What its screen shows is tested on the host: selftests/unit/top.
 */
#include "lib/vm.h"
#include "lib/command/vm_record.h"

#include <pty.h>

#define TOP(...) \
	do { \
		ASSERT_TRUE(vc_start(&self->r, "top", __VA_ARGS__, NULL)); \
		ASSERT_TRUE(enabled(self->reg)); \
	} while (0)

static bool gone(FIXTURE_DATA(record) *self)
{
	return vm_until(!sessions(self));
}

static bool printed(FIXTURE_DATA(record) *self, const char *text)
{
	return vc_report(&self->r, vm_until((vc_look(&self->r), strstr(self->r.out, text))));
}

TEST_F(record, counts)
{
	TOP("-p", GUID_1, "--json", "--interval", "0.5");
	EXPECT_EQ(1, sessions(self));
	ASSERT_TRUE(writes(self, self->reg, 4, 30));
	EXPECT_TRUE(printed(self, "\"rows\":[{\"key\":\"" GUID_1 "\",\"events\":30,"));
	ASSERT_TRUE(writes(self, self->reg, 4, 12));
	ASSERT_EQ(0, kill(self->r.pid, SIGINT));
	EXPECT_EQ(0, vc_end(&self->r));
	/* What was written before the end is in the last block. */
	EXPECT_NE(NULL, strstr(self->r.out, "\"key\":\"" GUID_1 "\",\"events\":42,"));
	EXPECT_LT(0, vc_objects(self->r.out));
	EXPECT_STREQ("", self->r.err);
	EXPECT_EQ(0, sessions(self));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 1, 1));
}

TEST_F(record, of_a_session)
{
	struct vc_run other;

	ASSERT_EQ(0, vc_run(&other, "start", "mine", "--flush", "50ms", NULL));
	ASSERT_EQ(0, vc_run(&other, "enable", "mine", GUID_1, NULL));
	ASSERT_TRUE(vc_start(&self->r, "top", "mine", "--interval", "0.5", "--by", "process", NULL));
	EXPECT_TRUE(printed(self, "mine  by process"));
	ASSERT_TRUE(writes(self, self->reg, 4, 30));
	EXPECT_TRUE(printed(self, " 30 events, "));
	EXPECT_TRUE(printed(self, "cli_top-"));
	EXPECT_EQ(0, vc_run(&other, "stop", "mine", NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(1, vc_run(&self->r, "top", "mine", "--once", NULL));
	EXPECT_TRUE(vc_refused(&self->r, 1, "no session \"mine\""));
}

TEST_F(record, once)
{
	EXPECT_EQ(0, vc_run(&self->r, "top", "-p", GUID_1, "--once", "-i", "0.1", NULL));
	EXPECT_NE(NULL, strstr(self->r.out, " 0 events, 0"));
	EXPECT_TRUE(reported(self, "provider \"" GUID_1 "\" is registered, but no event was counted"));
	EXPECT_EQ(0, sessions(self));
}

/* A loss is on the first line, and reported at the end. */
TEST_F(record, loses)
{
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);
	EVENT_DATA_DESCRIPTOR data;
	char *big = calloc(1, 20000);

	TOP("-p", GUID_1, "--interval", "0.5", "--buffer-size", "16");
	EventDataDescCreate(&data, big, 20000);
	EXPECT_EQ(ERROR_MORE_DATA, EventWrite(self->reg, &desc, 1, &data));
	EXPECT_TRUE(printed(self, "LOST 1 event: 1 larger than a buffer\n"));
	/* The record of the loss names the provider. A later buffer has it. */
	EXPECT_TRUE(vm_until((writes(self, self->reg, 1, 1), vc_look(&self->r),
			      strstr(self->r.out, " LOST "))));
	ASSERT_EQ(0, kill(self->r.pid, SIGTERM));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_TRUE(reported(self, "1 event lost when written: larger than a buffer\n"));
	free(big);
}

/* On a terminal; returns its other end */
static int on_terminal(FIXTURE_DATA(record) *self, pid_t *pid)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	int terminal = -1;

	(void)self;
	*pid = forkpty(&terminal, NULL, NULL, &size);
	if (!*pid) {
		setenv("TERM", "xterm", 1);
		execl(vc_path(), "etw", "top", "-p", GUID_1, (char *)NULL);
		_exit(127);
	}
	return terminal;
}

TEST_F(record, terminal_vanishes)
{
	int terminal, status;
	pid_t pid;

	terminal = on_terminal(self, &pid);
	ASSERT_LE(0, terminal);
	ASSERT_TRUE(enabled(self->reg));
	EXPECT_EQ(1, sessions(self));
	close(terminal);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, sessions(self));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 1, 1));
}

TEST_F(record, killed)
{
	int terminal, status;
	pid_t pid;

	terminal = on_terminal(self, &pid);
	ASSERT_LE(0, terminal);
	ASSERT_TRUE(enabled(self->reg));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(gone(self));
	close(terminal);
}

TEST_HARNESS_MAIN
