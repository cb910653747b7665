// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_control - etw update, disallow, capture, and the finer options of enable
 */
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_traits.h"

#define GUID_TEXT	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define OTHER_TEXT	"7e570002-5e1f-4e57-8001-020304050607"
#define GROUP_TEXT	"7e570046-5e1f-4e57-8001-020304050607"	/* vm_guid(70) */

FIXTURE(cli) {
	int fd;
	uint64_t session;
	struct vm_two two;		/* its process's half: vm_guid(1) */
	struct etw_notify n;
	uint64_t filters[ETW_FILTER_CHAIN_MAX / 8];
	struct vc_run r;
};

/* The provider is a member of a group, and its callbacks wait to be taken. */
FIXTURE_SETUP(cli)
{
	struct vm_blob traits = vm_group_traits("Member", vm_guid(70));

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vm_start_named(self->fd, "cli");
	ASSERT_NE(0, self->session);
	self->two.fd = self->fd;
	self->two.slot = vm_register_flags(self->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0);
	ASSERT_LE(0, self->two.slot);
	ASSERT_EQ(0, vm_set_slot(self->fd, self->two.slot, ETW_SET_TRAITS | ETW_SET_TYPES,
				 traits.bytes, traits.len, 1));
}

FIXTURE_TEARDOWN(cli)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, NULL)
#define ENABLE(...)	RUN("enable", "cli", GUID_TEXT, __VA_ARGS__)
#define PRINTED(text)	EXPECT_TRUE(vc_printed(&self->r, text))
#define FAILS(text)	EXPECT_TRUE(vc_refused(&self->r, 1, text))
#define MISUSED(text)	EXPECT_TRUE(vc_refused(&self->r, 2, text))

/* The next notification; -EAGAIN: none. */
static int next(FIXTURE_DATA(cli) *self)
{
	self->n = (struct etw_notify){ .size = sizeof(self->n), .filter = VM_PTR(self->filters),
				       .filter_cap = sizeof(self->filters) };
	return vm_ioctl(self->fd, ETW_IOC_NOTIFY, &self->n);
}

static bool from(FIXTURE_DATA(cli) *self, struct etw_guid source)
{
	return !memcmp(&self->n.source, &source, sizeof(source));
}

/* Has a session the group's one member enabled? */
static bool member_enabled(FIXTURE_DATA(cli) *self)
{
	struct etw_group_member m = { .reg.pid = 0 };
	struct etw_group_query q = { .size = sizeof(q), .group = vm_guid(70),
				     .members = VM_PTR(&m), .member_cap = 1 };

	return !vm_ioctl(self->fd, ETW_IOC_GROUP_QUERY, &q) && q.member_count == 1 &&
	       m.reg.sessions;
}

/* An event of that name, or of none. */
static int write_named(FIXTURE_DATA(cli) *self, uint16_t id, const char *name, uint8_t level,
		       uint64_t keyword)
{
	struct etw_event_descriptor desc = { .id = id, .level = level, .keyword = keyword };
	struct vm_blob schema = vm_schema(name ? name : "");
	struct vm_piece pieces[2] = { VM_BLOB_PIECE(1, &schema), { 0, "x", 1 } };

	return vm_two_write(&self->two, 0, desc, name ? pieces : pieces + 1, name ? 2 : 1, false);
}

/* Does the session take it? */
static int takes(FIXTURE_DATA(cli) *self, const char *name, uint8_t level, uint64_t keyword)
{
	struct etw_session_stat st;
	uint64_t before;

	if (vm_stat(self->fd, self->session, &st))
		return -1;
	before = st.written;
	if (write_named(self, 0, name, level, keyword) ||
	    vm_stat(self->fd, self->session, &st) || vm_dropped(&st))
		return -1;
	return st.written - before;
}

/* Does the event with that id have a stack?  -1: the event is missing. */
static int has_stack(const char *out, int id)
{
	char key[32];
	const char *line, *end, *stack;

	snprintf(key, sizeof(key), "\"id\":%d,", id);
	line = strstr(out, key);
	if (!line)
		return -1;
	end = strchr(line, '\n');
	stack = strstr(line, "\"stack\":[");
	return stack && stack < end;
}

/* --------------------------------------------------------------------- update */

TEST_F(cli, update)
{
	struct etw_session s;

	RUN("update", "cli", "--max-buffers", "111", "--flush", "2.5");
	PRINTED("maximum 111)");
	ASSERT_EQ(0, vm_query(self->fd, self->session, &s));
	EXPECT_EQ(111, s.max_buffers);
	EXPECT_EQ(2500, s.flush_ms);
	/* What is not given stays. */
	RUN("update", "CLI", "--flush", "7", "--json");
	PRINTED("\"max_buffers\":111,");
	EXPECT_EQ(1, vc_objects(self->r.out));
	ASSERT_EQ(0, vm_query(self->fd, self->session, &s));
	EXPECT_EQ(111, s.max_buffers);
	EXPECT_EQ(7000, s.flush_ms);
	RUN("update", "cli", "--max-buffers", "60000");
	FAILS("1/8 of memory");
	RUN("update", "no-such", "--flush", "1");
	FAILS("no session \"no-such\"");
	self->r.nobody = true;
	RUN("update", "cli", "--flush", "1");
	FAILS("not permitted");
	ASSERT_EQ(0, vm_query(self->fd, self->session, &s));
	EXPECT_EQ(111, s.max_buffers);
	EXPECT_EQ(7000, s.flush_ms);
}

/* What would change nothing is refused. */
TEST_F(cli, update_of_a_buffering_session)
{
	static const char text[] =
		"session \"ring\": a buffering session keeps its buffers and has no flush timer";

	RUN("start", "ring", "--buffering");
	PRINTED("buffering");
	RUN("update", "ring", "--flush", "3");
	FAILS(text);
	RUN("update", "ring", "--max-buffers", "9", "--json");
	FAILS(text);
	RUN("stop", "ring");
	PRINTED("stopped");
}

/* ------------------------------------------------------------------------ stop */

static bool discards(FIXTURE_DATA(cli) *self, int events, bool strict, const char *text)
{
	while (events--)
		if (vm_write(self->fd, self->two.slot, 1, 0, 0, "x", 1))
			return false;
	vc_run(&self->r, "stop", "cli", strict ? "--strict" : NULL, NULL);
	return vc_report(&self->r, self->r.status == (strict ? 3 : 0) && strstr(self->r.out, text));
}

/* The stop itself throws away what nobody has read; only it can say how much that was. */
TEST_F(cli, stop_discards)
{
	struct etw_session s = { .handle = self->session };

	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	EXPECT_TRUE(discards(self, 7, true,
			     "\n7 events in 1 buffer that nobody read were discarded\n"));
	self->session = vm_start_named(self->fd, "cli");
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	EXPECT_TRUE(discards(self, 1, false,
			     "\n1 event in 1 buffer that nobody read was discarded\n"));
	RUN("start", "cli", "--buffering");
	s.name = VM_PTR("cli");
	s.name_len = 3;
	s.size = sizeof(s);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, &s));
	EXPECT_EQ(0, s.discarded_events);
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, vm_guid(1), 0, 0, 0));
	EXPECT_TRUE(discards(self, 3, true,
			     "\n3 events in 1 buffer that nobody read were discarded\n"));
	/* Nothing to discard */
	RUN("start", "cli");
	RUN("stop", "cli", "--strict");
	EXPECT_EQ(0, self->r.status);
	EXPECT_EQ(NULL, strstr(self->r.out, "discarded"));
}

/* ---------------------------------------------------------------------- enable */

/* A group that is taken for a provider would never write an event. */
TEST_F(cli, group_as_a_provider)
{
	static const char note[] = "etw: no provider with GUID " GROUP_TEXT
				   " is registered, but a group has it: --group controls that\n";

	RUN("enable", "cli", GROUP_TEXT);
	EXPECT_EQ(0, self->r.status);
	EXPECT_STREQ(note, self->r.err);
	EXPECT_FALSE(member_enabled(self));
	RUN("enable", "cli", GROUP_TEXT, "--group");
	PRINTED("");
	/* Neither registered nor a group: it may still register. */
	RUN("enable", "cli", OTHER_TEXT);
	PRINTED("");
	ENABLE("--level", "3");
	PRINTED("");
}

/* ------------------------------------------------------------------- disallow */

TEST_F(cli, disallow)
{
	RUN("enable", "cli", GROUP_TEXT, "--group");
	PRINTED("");
	EXPECT_TRUE(member_enabled(self));
	RUN("disallow", "cli");
	PRINTED("no providers\n");
	RUN("disallow", "cli", OTHER_TEXT, "{" GUID_TEXT "}");
	PRINTED("");
	EXPECT_FALSE(member_enabled(self));
	RUN("disallow", "cli");
	PRINTED(OTHER_TEXT "\n" GUID_TEXT "\n");
	RUN("disallow", "cli", "--json");
	PRINTED("{\"disallowed\":[\"" OTHER_TEXT "\",\"" GUID_TEXT "\"]}\n");
	/* It replaces the previous setting. */
	RUN("disallow", "cli", OTHER_TEXT);
	PRINTED("");
	EXPECT_TRUE(member_enabled(self));
	RUN("disallow", "cli", GUID_TEXT);
	PRINTED("");
	EXPECT_FALSE(member_enabled(self));
	RUN("disallow", "cli", "No-Such-Provider");
	FAILS("manifest is named \"No-Such-Provider\"");
	RUN("disallow", "cli", GUID_TEXT, "--clear");
	MISUSED("--clear: give no provider");
	EXPECT_FALSE(member_enabled(self));
	RUN("disallow", "cli", "--clear");
	PRINTED("");
	EXPECT_TRUE(member_enabled(self));
	RUN("disallow", "no-such");
	FAILS("no session \"no-such\"");
}

/* -------------------------------------------------------------------- capture */

TEST_F(cli, capture_every)
{
	unsigned int asked = 0;

	RUN("enable", "cli", GUID_TEXT);
	PRINTED("");
	RUN("capture", "cli", "--show");
	PRINTED("no providers\n");
	RUN("capture", "cli", OTHER_TEXT, GUID_TEXT, "--every", "1");
	PRINTED("");
	RUN("capture", "cli", "--show");
	PRINTED("every 1 s\n" OTHER_TEXT "\n" GUID_TEXT "\n");
	EXPECT_TRUE(vm_until((asked += !next(self) && self->n.control == ETW_CONTROL_CAPTURE,
			      asked == 2)));
	RUN("capture", "cli", GUID_TEXT, "--every", "3600");
	PRINTED("");
	RUN("capture", "cli", "--show", "--json");
	PRINTED("{\"every_s\":3600,\"providers\":[\"" GUID_TEXT "\"]}\n");
	RUN("capture", "cli", "--every", "0");
	PRINTED("");
	RUN("capture", "cli", "--show");
	PRINTED("no providers\n");
	RUN("capture", "no-such", "--show");
	FAILS("no session \"no-such\"");
}

/* Enabled first, then asked, with the same data and by the same source. */
TEST_F(cli, enable_and_capture)
{
	const struct etw_filter_header *head = (void *)self->filters;

	ENABLE("--capture", "--data", "7:5c", "--source", OTHER_TEXT, "--level", "3");
	PRINTED("");
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(ETW_CONTROL_ENABLE, self->n.control);
	EXPECT_EQ(3, self->n.level);
	EXPECT_TRUE(from(self, vm_guid(2)));
	EXPECT_EQ(7, head->id);
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(ETW_CONTROL_CAPTURE, self->n.control);
	EXPECT_TRUE(from(self, vm_guid(2)));
	EXPECT_EQ(7, head->id);
	EXPECT_EQ(-EAGAIN, next(self));
	/* Its scope and its filters have not changed. */
	ENABLE("--capture", "--pid", "1");
	PRINTED("");
	ASSERT_EQ(0, next(self));
	EXPECT_EQ(ETW_CONTROL_DISABLE, self->n.control);
	EXPECT_EQ(-EAGAIN, next(self));
}

/* B31: each control carries its source. */
TEST_F(cli, source)
{
	static const char *const commands[] = { "enable", "capture", "disable" };
	static const uint32_t controls[] = { ETW_CONTROL_ENABLE, ETW_CONTROL_CAPTURE,
					     ETW_CONTROL_DISABLE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		RUN(commands[i], "cli", GUID_TEXT, "--source", "{" OTHER_TEXT "}");
		PRINTED("");
		ASSERT_EQ(0, next(self));
		EXPECT_EQ(controls[i], self->n.control);
		EXPECT_TRUE(from(self, vm_guid(2)));
	}
}

/* No thread fetches the notifications: all three calls wait, and report the timeout. */
TEST_F(cli, timeout)
{
	uint32_t last = 0;

	ENABLE("--timeout", "50");
	FAILS("its callbacks did not finish in time; the change is in force");
	ENABLE("--timeout", "50", "--capture");
	FAILS("the change is in force, but it was not asked for its state");
	RUN("capture", "cli", GUID_TEXT, "--timeout", "50");
	FAILS("its callbacks did not finish in time; they go on");
	RUN("disable", "cli", GUID_TEXT, "--timeout", "50");
	FAILS("its callbacks did not finish in time; the change is in force");
	while (!next(self))
		last = self->n.control;
	EXPECT_EQ(ETW_CONTROL_DISABLE, last);
}

/* -------------------------------------------------------------------- filters */

/* B55: names concern events of their level and keywords only; others pass. */
TEST_F(cli, names_of_a_level)
{
	ENABLE("--name", "Start", "--name-level", "warning", "--name-any", "6", "--name-all", "2");
	PRINTED("");
	EXPECT_EQ(1, takes(self, "Start", 3, 2));
	EXPECT_EQ(0, takes(self, "Other", 3, 2));
	EXPECT_EQ(1, takes(self, "Other", 4, 2));
	EXPECT_EQ(1, takes(self, "Other", 3, 8));
	EXPECT_EQ(1, takes(self, "Other", 3, 4));
	ENABLE("--not-name", "Start", "--name-level", "3");
	PRINTED("");
	EXPECT_EQ(0, takes(self, "Start", 3, 2));
	EXPECT_EQ(1, takes(self, "Start", 4, 2));
}

TEST_F(cli, stacks_of_levels)
{
	ENABLE("--stack-level", "3", "--stack-any", "6", "--stack-all", "2");
	ASSERT_EQ(0, write_named(self, 1, NULL, 3, 2));
	ASSERT_EQ(0, write_named(self, 2, NULL, 4, 2));
	ASSERT_EQ(0, write_named(self, 3, NULL, 3, 4));
	ENABLE("--stack-not-level", "3");
	ASSERT_EQ(0, write_named(self, 4, NULL, 3, 2));
	ASSERT_EQ(0, write_named(self, 5, NULL, 4, 2));
	ENABLE("--stack-any", "4");
	ASSERT_EQ(0, write_named(self, 6, NULL, 5, 4));
	ASSERT_EQ(0, write_named(self, 7, NULL, 5, 8));
	RUN("dump", "cli", "--json", "--count", "7");
	ASSERT_EQ(7, vc_objects(self->r.out));
	EXPECT_EQ(1, has_stack(self->r.out, 1));
	EXPECT_EQ(0, has_stack(self->r.out, 2));
	EXPECT_EQ(0, has_stack(self->r.out, 3));
	EXPECT_EQ(0, has_stack(self->r.out, 4));
	EXPECT_EQ(1, has_stack(self->r.out, 5));
	EXPECT_EQ(1, has_stack(self->r.out, 6));
	EXPECT_EQ(0, has_stack(self->r.out, 7));
	ENABLE("--stack-level", "3", "--stack-not-level", "2");
	MISUSED("either the events wanted or those not wanted");
}

TEST_F(cli, stacks_of_names)
{
	ENABLE("--stack-not-name", "Start");
	ASSERT_EQ(0, write_named(self, 1, "Start", 3, 2));
	ASSERT_EQ(0, write_named(self, 2, "Other", 3, 2));
	ENABLE("--stack-name", "Start", "--stack-name-level", "3", "--stack-name-any", "6",
	       "--stack-name-all", "2");
	ASSERT_EQ(0, write_named(self, 3, "Start", 3, 2));
	ASSERT_EQ(0, write_named(self, 4, "Other", 3, 2));
	ASSERT_EQ(0, write_named(self, 5, "Other", 4, 2));
	ASSERT_EQ(0, write_named(self, 6, "Other", 3, 4));
	RUN("dump", "cli", "--json", "--count", "6");
	ASSERT_EQ(6, vc_objects(self->r.out));
	EXPECT_EQ(0, has_stack(self->r.out, 1));
	EXPECT_EQ(1, has_stack(self->r.out, 2));
	EXPECT_EQ(1, has_stack(self->r.out, 3));
	EXPECT_EQ(0, has_stack(self->r.out, 4));
	EXPECT_EQ(1, has_stack(self->r.out, 5));
	EXPECT_EQ(1, has_stack(self->r.out, 6));
}

TEST_HARNESS_MAIN
