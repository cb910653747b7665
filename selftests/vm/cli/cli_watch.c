// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_watch - etw watch: what it prints, and that its session never stays
 */
#include "lib/vm.h"
#include "lib/command/vm_record.h"

/* It runs: the provider is enabled, which comes after its reader. */
#define WATCH(...) \
	do { \
		ASSERT_TRUE(vc_start(&self->r, "watch", __VA_ARGS__, NULL)); \
		ASSERT_TRUE(enabled(self->reg)); \
	} while (0)

static bool gone(FIXTURE_DATA(record) *self)
{
	return vm_until(!sessions(self));
}

static bool lines(FIXTURE_DATA(record) *self, int count)
{
	return vm_until((vc_look(&self->r), vc_lines(self->r.out) >= count));
}

TEST_F(record, prints_live)
{
	WATCH("-p", GUID_1, "--json");
	EXPECT_EQ(1, sessions(self));
	ASSERT_TRUE(writes(self, self->reg, 4, 3));
	/* While it runs, without a flush */
	EXPECT_TRUE(lines(self, 3));
	ASSERT_TRUE(writes(self, self->reg, 4, 2));
	ASSERT_EQ(0, kill(self->r.pid, SIGINT));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(5, vc_objects(self->r.out));
	EXPECT_STREQ("", self->r.err);
	EXPECT_EQ(0, sessions(self));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 1, 1));
}

/* What the command prints is never among the events. */
TEST_F(record, watches_a_command)
{
	ASSERT_TRUE(vc_start(&self->r, "watch", "-p", GUID_1 ":4", "--json", "--", "sh", "-c",
			     "echo printed; " WAITS, NULL));
	ASSERT_TRUE(vm_until(exists(BEGUN)));
	EXPECT_TRUE(EventProviderEnabled(self->reg, 4, 1));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 5, 1));
	ASSERT_TRUE(writes(self, self->reg, 4, 4));
	ASSERT_TRUE(make(GO, ""));
	EXPECT_EQ(3, vc_end(&self->r));
	EXPECT_EQ(4, vc_objects(self->r.out));
	EXPECT_STREQ("printed\n", self->r.err);
	EXPECT_EQ(0, sessions(self));
}

/* The kernel filters before it writes, --show what was read. */
TEST_F(record, filters_and_shows)
{
	WATCH("-p", GUID_1, "--fields", "id=7: u32 Number", "--filter", "Number >= 2", "--show",
	      "cpu == 0", "--format", "%D");
	ASSERT_TRUE(writes(self, self->reg, 4, 5));
	ASSERT_EQ(0, kill(self->r.pid, SIGTERM));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_STREQ("02000000\n03000000\n04000000\n", self->r.out);
	EXPECT_STREQ("", self->r.err);
}

TEST_F(record, ends)
{
	struct vc_run other;

	/* Neither does a command that cannot run or a provider that is unknown leave anything. */
	EXPECT_EQ(1, vc_run(&self->r, "watch", "-p", "No-Such-Provider", NULL));
	EXPECT_TRUE(vc_refused(&self->r, 1, "no manifest is named \"No-Such-Provider\""));
	EXPECT_EQ(127, vc_run(&self->r, "watch", "-p", GUID_1, "--", "/nonexistent", NULL));
	EXPECT_TRUE(vc_refused(&self->r, 127, "\"/nonexistent\": cannot be run"));
	EXPECT_EQ(0, sessions(self));
	EXPECT_EQ(128 + SIGTERM, vc_run(&self->r, "watch", "-p", GUID_1, "--duration", "0.3", "--",
					"sleep", "600", NULL));
	EXPECT_EQ(0, sessions(self));
	WATCH("-p", GUID_1, "-n", "2");
	ASSERT_TRUE(writes(self, self->reg, 4, 5));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(2, vc_lines(self->r.out));
	EXPECT_EQ(0, sessions(self));
	WATCH("-p", GUID_1, "--session", "mine");
	ASSERT_TRUE(writes(self, self->reg, 4, 1));
	EXPECT_EQ(0, vc_run(&other, "stop", "mine", NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(1, vc_lines(self->r.out));
	EXPECT_TRUE(reported(self, "session \"mine\" was stopped by another process\n"));
}

/* Each has a session of its own; a name that is taken is refused, and its session stays. */
TEST_F(record, several_at_once)
{
	struct vc_run other, third;

	WATCH("-p", GUID_1);
	ASSERT_TRUE(vc_start(&other, "watch", "-p", GUID_2, "--session", "mine", NULL));
	ASSERT_TRUE(enabled(self->other));
	EXPECT_EQ(1, vc_run(&third, "watch", "-p", GUID_3, "--session", "mine", NULL));
	EXPECT_TRUE(vc_refused(&third, 1, "session \"mine\" already exists"));
	EXPECT_EQ(2, sessions(self));
	ASSERT_TRUE(writes(self, self->reg, 4, 1));
	ASSERT_TRUE(writes(self, self->other, 4, 2));
	kill(self->r.pid, SIGHUP);
	kill(other.pid, SIGINT);
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(0, vc_end(&other));
	EXPECT_EQ(1, vc_lines(self->r.out));
	EXPECT_EQ(2, vc_lines(other.out));
	EXPECT_EQ(0, sessions(self));
}

/* SIGKILL leaves no session, though the command goes on; nor does a stuck reader. */
TEST_F(record, killed)
{
	int status;

	ASSERT_TRUE(vc_start(&self->r, "watch", "-p", GUID_1, "--", "sh", "-c", WAITS, NULL));
	ASSERT_TRUE(vm_until(exists(BEGUN)));
	EXPECT_EQ(1, sessions(self));
	ASSERT_EQ(0, kill(self->r.pid, SIGKILL));
	ASSERT_EQ(self->r.pid, waitpid(self->r.pid, &status, 0));
	EXPECT_TRUE(gone(self));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 1, 1));
	ASSERT_TRUE(make(GO, ""));
}

TEST_F(record, stuck_reader)
{
	struct pollfd pipe = { .events = POLLOUT };
	int ends[2], status;

	ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
	pipe.fd = ends[1];
	self->r.to = ends[1];
	WATCH("-p", GUID_1, "--json");
	/* Events are refused when the pipe is full, or the reader is late. */
	ASSERT_TRUE(vm_until((writes(self, self->reg, 4, 20), poll(&pipe, 1, 0) == 0)));
	/* The first asks it to end, which it cannot; the second kills. */
	ASSERT_EQ(0, kill(self->r.pid, SIGINT));
	ASSERT_TRUE(vm_until(kill(self->r.pid, SIGINT) || waitpid(self->r.pid, &status, WNOHANG)));
	EXPECT_TRUE(gone(self));
	close(ends[0]);
	close(ends[1]);
}

TEST_F(record, closed_pipe)
{
	int ends[2];

	ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
	self->r.to = ends[1];
	WATCH("-p", GUID_1, "--json");
	close(ends[1]);
	ASSERT_TRUE(writes(self, self->reg, 4, 3));
	close(ends[0]);
	EXPECT_EQ(128 + SIGPIPE, vc_end(&self->r));
	EXPECT_STREQ("", self->r.err);
	EXPECT_EQ(0, sessions(self));
}

/* nohup(1) means it. */
TEST_F(record, ignored_signal)
{
	struct sigaction before, ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGHUP, &ignore, &before);
	WATCH("-p", GUID_1);
	sigaction(SIGHUP, &before, NULL);
	ASSERT_EQ(0, kill(self->r.pid, SIGHUP));
	ASSERT_TRUE(writes(self, self->reg, 4, 1));
	EXPECT_TRUE(lines(self, 1));
	ASSERT_TRUE(writes(self, self->reg, 4, 1));
	EXPECT_TRUE(lines(self, 2));
	ASSERT_EQ(0, kill(self->r.pid, SIGTERM));
	EXPECT_EQ(0, vc_end(&self->r));
}

TEST_F(record, reports_at_the_end)
{
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);
	EVENT_DATA_DESCRIPTOR data;
	char *big = calloc(1, 20000);

	WATCH("-p", GUID_1, "-p", GUID_2 ":3", "-p", GUID_3, "--strict", "--buffer-size", "16");
	EventDataDescCreate(&data, big, 20000);
	EXPECT_EQ(ERROR_MORE_DATA, EventWrite(self->reg, &desc, 1, &data));
	ASSERT_TRUE(writes(self, self->reg, 1, 1));
	ASSERT_EQ(0, kill(self->r.pid, SIGINT));
	EXPECT_EQ(3, vc_end(&self->r));
	EXPECT_TRUE(reported(self, "etw: 1 event lost when written: larger than a buffer, as shown above\n"));
	EXPECT_TRUE(reported(self, "provider \"" GUID_2 "\" is registered, but no event was printed; "
				   "selected were events up to level 3\n"));
	EXPECT_TRUE(reported(self, "provider \"" GUID_3 "\" is not registered: "));
	EXPECT_EQ(3, vc_lines(self->r.err));
	free(big);
}

TEST_HARNESS_MAIN
