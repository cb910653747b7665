// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli - the etw command's subcommands that control sessions, and their errors
 */
#include "lib/vm.h"
#include "lib/vm_state.h"
#include "lib/command/vm_cli.h"

#define GUID_TEXT	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */

/* What TraceLogging's tools make of the name MyProvider */
static const struct etw_guid by_name =
	ETW_GUID(0xb3864c38, 0x4273, 0x58c5, 0x54, 0x5b, 0x8b, 0x36, 0x08, 0x34, 0x34, 0x71);

FIXTURE(cli) {
	int fd;
	struct vc_run r;
};

FIXTURE_SETUP(cli)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
}

FIXTURE_TEARDOWN(cli)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, NULL)
#define PRINTED(text)	EXPECT_TRUE(vc_printed(&self->r, text))
#define HAS(text)	EXPECT_NE(NULL, strstr(self->r.out, text))

/* A test that gives more than its helper takes would test another command. */
TEST_F(cli, helper_drops_no_argument)
{
	EXPECT_EQ(-1, RUN("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15",
			  "16", "17", "18", "19", "20", "21", "22", "23", "24", "25"));
	EXPECT_NE(NULL, strstr(self->r.err, "more than 24 arguments"));
	EXPECT_EQ(2, RUN("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15",
			 "16", "17", "18", "19", "20", "21", "22", "23", "24"));
}

TEST_F(cli, start_query_stop)
{
	RUN("start", "cli", "--buffer-size", "16", "--max-buffers", "40", "--flush", "2.5");
	PRINTED("session      cli\n");
	HAS(" of 16 KB, ");
	HAS("maximum 40)");
	HAS("flush timer  2.500 s");
	RUN("query", "CLI");
	PRINTED("session      cli\n");
	RUN("query", "cli", "--json");
	PRINTED("\"session\":\"cli\"");
	EXPECT_EQ(1, vc_objects(self->r.out));
	HAS("\"mode\":\"real-time\"");
	HAS("\"buffer_kb\":16,");
	HAS("\"max_buffers\":40,");
	HAS("\"flush_ms\":2500,");
	HAS("\"events_lost\":0");
	HAS("\"guid\":\"");
	EXPECT_EQ(1, vm_sessions(self->fd, NULL, 0));
	RUN("stop", "cli");
	PRINTED("session \"cli\" stopped: 0 buffers delivered, 0 events lost");
	EXPECT_EQ(0, vm_sessions(self->fd, NULL, 0));
}

TEST_F(cli, start_and_stop_json)
{
	RUN("start", "cli", "--json", "--buffering", "--clock", "system", "--independent");
	PRINTED("\"mode\":\"buffering\"");
	EXPECT_EQ(1, vc_objects(self->r.out));
	HAS("\"independent\":true");
	HAS("\"clock\":\"system\"");
	HAS("\"clock_freq\":10000000");
	RUN("stop", "--json", "cli");
	PRINTED("\"session\":\"cli\"");
	EXPECT_EQ(1, vc_objects(self->r.out));
}

TEST_F(cli, name_that_is_not_ascii)
{
	RUN("start", "Gr\xc3\xbc\xc3\x9f" "e \"q\"", "--json");
	PRINTED("\"session\":\"Gr\xc3\xbc\xc3\x9f" "e \\\"q\\\"\"");
	RUN("list", "sessions");
	PRINTED("Gr\xc3\xbc\xc3\x9f" "e \\\"q\\\"");
	RUN("stop", "Gr\xc3\xbc\xc3\x9f" "e \"q\"");
	PRINTED("stopped");
}

TEST_F(cli, list)
{
	int slot = vm_register(self->fd, vm_guid(1));
	char pid[32];

	ASSERT_LE(0, slot);
	RUN("list", "sessions");
	PRINTED("no sessions\n");
	ASSERT_NE(0, vm_start_named(self->fd, "cli-one"));
	ASSERT_NE(0, vm_start_named(self->fd, "cli-two"));
	RUN("list", "-v");
	PRINTED("session      cli-one\n");
	HAS("session      cli-two\n");
	HAS("(no name)  " GUID_TEXT "\n");
	snprintf(pid, sizeof(pid), "pid %d (cli)", getpid());
	HAS(pid);
	RUN("enable", "cli-two", GUID_TEXT, "--level", "warning", "--any", "0xF0");
	PRINTED("");
	RUN("list", "providers", "--verbose");
	PRINTED("enabled     cli-two: level warning, any 0xf0, all 0x0\n");
	HAS("enabled by cli-two\n");
	RUN("list", "--json");
	PRINTED("\"sessions\":[");
	EXPECT_EQ(1, vc_objects(self->r.out));
	HAS("\"session\":\"cli-one\"");
	HAS("\"providers\":[");
	HAS(GUID_TEXT);
}

/* The session that enables a provider; NULL if it is not exactly one. */
static const struct etw_provider_enable *enabled(int fd, struct etw_guid guid)
{
	static struct etw_provider_enable e;
	struct etw_provider_query q = { .size = sizeof(q), .provider = guid,
					.enables = VM_PTR(&e), .enable_cap = 1 };

	if (vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &q) || q.enable_count != 1)
		return NULL;
	return &e;
}

TEST_F(cli, enable_and_disable)
{
	uint64_t session = vm_start_named(self->fd, "cli");
	const struct etw_provider_enable *e;

	RUN("enable", "cli", "{7E570001-5e1f-4e57-8001-020304050607}", "--level", "info",
	    "--any", "ff", "--all", "0x3", "--ignore-keyword-0");
	PRINTED("");
	e = enabled(self->fd, vm_guid(1));
	ASSERT_NE(NULL, e);
	EXPECT_EQ(session, e->session);
	EXPECT_EQ(4, e->level);
	EXPECT_EQ(0xff, e->any);
	EXPECT_EQ(3, e->all);
	EXPECT_EQ(ETW_ENABLE_IGNORE_KEYWORD_0, e->property);
	EXPECT_EQ(0, e->pid_filtered);
	RUN("enable", "cli", GUID_TEXT, "--level", "17", "--pid", "1", "--timeout", "1000");
	PRINTED("");
	e = enabled(self->fd, vm_guid(1));
	ASSERT_NE(NULL, e);
	EXPECT_EQ(17, e->level);
	EXPECT_EQ(0, e->any);
	EXPECT_EQ(1, e->pid_filtered);
	RUN("enable", "cli", "*myprovider");
	EXPECT_TRUE(vc_noted(&self->r, "nobody has registered "));
	EXPECT_NE(NULL, enabled(self->fd, by_name));
	RUN("disable", "cli", GUID_TEXT);
	PRINTED("");
	/* It is enabled: no need to say that it is TraceLogging's. */
	RUN("disable", "cli", "MyProvider");
	PRINTED("");
	EXPECT_EQ(NULL, enabled(self->fd, vm_guid(1)));
	EXPECT_EQ(NULL, enabled(self->fd, by_name));
}

/* Options apply to the provider before them, those before the first one to all. */
TEST_F(cli, enable_several)
{
	const struct etw_provider_enable *e;

	vm_start_named(self->fd, "cli");
	RUN("enable", "cli", "--any", "0x8", "-p", GUID_TEXT ":warning", "--all", "0x10", "-p",
	    "*myprovider", "--level", "info");
	EXPECT_TRUE(vc_noted(&self->r, "nobody has registered "));
	e = enabled(self->fd, vm_guid(1));
	ASSERT_NE(NULL, e);
	EXPECT_EQ(3, e->level);
	EXPECT_EQ(0x8, e->any);
	EXPECT_EQ(0x10, e->all);
	e = enabled(self->fd, by_name);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(4, e->level);
	EXPECT_EQ(0x8, e->any);
	EXPECT_EQ(0, e->all);
	RUN("disable", "cli", "-p", GUID_TEXT, "-p", "MyProvider");
	PRINTED("");
	/* Nothing is enabled if one of them is not known, or given twice. */
	RUN("enable", "cli", "-p", GUID_TEXT, "-p", "No-Such-Provider");
	EXPECT_TRUE(vc_refused(&self->r, 1, "\"No-Such-Provider\""));
	RUN("enable", "cli", "-p", GUID_TEXT, "-p", GUID_TEXT);
	EXPECT_TRUE(vc_refused(&self->r, 2, "is given twice"));
	EXPECT_EQ(NULL, enabled(self->fd, vm_guid(1)));
}

TEST_F(cli, flush_and_stat)
{
	int i, slot = vm_register(self->fd, vm_guid(1));

	RUN("start", "cli", "--flush", "600");
	RUN("enable", "cli", GUID_TEXT);
	for (i = 0; i < 7; i++)
		ASSERT_EQ(0, vm_write(self->fd, slot, 1, 1, 1, "x", 1));
	RUN("flush", "cli");
	PRINTED("");
	EXPECT_STREQ("", self->r.out);
	RUN("flush", "cli", "--json");
	PRINTED("\"buffers_delivered\":1,");
	RUN("stat", "cli", "--once", "--json");
	PRINTED("\"written\":7");
	EXPECT_EQ(1, vc_objects(self->r.out));
	RUN("stat", "--count", "2", "--interval", "0.1");
	PRINTED("cli");
	RUN("stat", "cli", "-n", "2", "-i", "0.1", "--json");
	PRINTED("\"written\":7");
	EXPECT_EQ(2, vc_objects(self->r.out));
}

/* --------------------------------------------------------------- errors */

FIXTURE(bad) {
	int fd;
	int slot;
	uint64_t session;
	struct vc_run r;
	struct vm_state *was;
};

FIXTURE_SETUP(bad)
{
	struct etw_session s = vm_session("cli-base");

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	s.flush_ms = 600000;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	self->slot = vm_register(self->fd, vm_guid(1));
	ASSERT_LE(0, self->slot);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 3, 1, 0));
	self->was = vm_state_get(self->fd);
	ASSERT_NE(NULL, self->was);
}

FIXTURE_TEARDOWN(bad)
{
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
	vm_stop_all(self->fd);
	close(self->fd);
}

#define FAILS(text)	EXPECT_TRUE(vc_refused(&self->r, 1, text))
#define MISUSED(text)	EXPECT_TRUE(vc_refused(&self->r, 2, text))

TEST_F(bad, session_taken)
{
	RUN("start", "cli-base");
	FAILS("\"cli-base\" already exists");
	RUN("start", "CLI-BASE", "--json");
	FAILS("\"CLI-BASE\" already exists");
}

/* The message names the conflict: the name, or the GUID. */
TEST_F(bad, session_guid_taken)
{
	struct etw_session s = vm_session("cli-guid");

	s.guid = vm_guid(1);
	ASSERT_EQ(0, vm_start(self->fd, &s));
	RUN("start", "cli-new", "--guid", GUID_TEXT);
	FAILS("session \"cli-new\": session \"cli-guid\" has GUID " GUID_TEXT " already");
	RUN("start", "Cli-Guid", "--guid", GUID_TEXT);
	FAILS("\"Cli-Guid\" already exists");
	RUN("start", "cli-base", "--guid", GUID_TEXT);
	FAILS("\"cli-base\" already exists");
	ASSERT_EQ(0, vm_stop(self->fd, s.handle));
}

TEST_F(bad, session_name)
{
	char name[ETW_NAME_MAX + 2] = "";

	memset(name, 'n', ETW_NAME_MAX + 1);
	RUN("start", name);
	MISUSED("longer than 1024 bytes");
	RUN("query", name);
	MISUSED("longer than 1024 bytes");
	RUN("start", "");
	MISUSED("empty");
	RUN("start");
	MISUSED("missing SESSION");
}

TEST_F(bad, session_unknown)
{
	static const char *const commands[] = { "query", "stop", "flush", "dump", "stat" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		RUN(commands[i], "no-such");
		FAILS("no session \"no-such\"\n");
		RUN(commands[i], "CLI-bsae");
		FAILS("no session \"CLI-bsae\": did you mean \"cli-base\"?\n");
	}
	RUN("enable", "cli-bas", GUID_TEXT);
	FAILS("no session \"cli-bas\": did you mean \"cli-base\"?\n");
	RUN("enable", "cli-base", "Etw-Procces");
	FAILS("TraceLogging's): did you mean \"Etw-Process\"?\n");
	RUN("enable", "no-such", GUID_TEXT);
	FAILS("no session \"no-such\"");
	RUN("disable", "no-such", GUID_TEXT);
	FAILS("no session \"no-such\"");
}

TEST_F(bad, session_65th)
{
	struct etw_session s;
	char name[32];
	uint64_t handles[ETW_SESSIONS_MAX];
	int i;

	for (i = 1; i < ETW_SESSIONS_MAX; i++) {
		snprintf(name, sizeof(name), "cli-%d", i);
		s = vm_session(name);
		s.buffer_kb = 4;
		ASSERT_EQ(0, vm_start(self->fd, &s));
		handles[i] = s.handle;
	}
	RUN("start", "cli-one-more", "--buffer-size", "4");
	FAILS("too many sessions");
	EXPECT_EQ(ETW_SESSIONS_MAX, vm_sessions(self->fd, NULL, 0));
	for (i = 1; i < ETW_SESSIONS_MAX; i++)
		ASSERT_EQ(0, vm_stop(self->fd, handles[i]));
}

TEST_F(bad, ninth_session)
{
	uint64_t handles[9];
	char name[32];
	int i;

	for (i = 1; i < 9; i++) {
		snprintf(name, sizeof(name), "cli-%d", i);
		handles[i] = vm_start_named(self->fd, name);
		ASSERT_NE(0, handles[i]);
		if (i == 8)
			break;
		RUN("enable", name, GUID_TEXT);
		ASSERT_EQ(0, self->r.status);
	}
	RUN("enable", "cli-8", GUID_TEXT);
	FAILS("8 sessions");
	for (i = 1; i < 9; i++)
		ASSERT_EQ(0, vm_stop(self->fd, handles[i]));
}

TEST_F(bad, buffers_that_do_not_fit)
{
	RUN("start", "cli-big", "--buffer-size", "16384", "--min-buffers", "60000");
	FAILS("1/8 of memory");
}

TEST_F(bad, provider)
{
	RUN("enable", "cli-base", "{7e570001-5e1f-4e57-8001-02030405060}");
	MISUSED("is not a GUID");
	RUN("enable", "cli-base", "{00000000-0000-0000-0000-000000000000}");
	MISUSED("the zero GUID is none");
	RUN("enable", "cli-base", "No-Such-Provider");
	FAILS("manifest is named \"No-Such-Provider\"");
	RUN("disable", "cli-base", "No-Such-Provider");
	FAILS("manifest is named \"No-Such-Provider\"");
}

TEST_F(bad, options)
{
	RUN("enable", "cli-base", GUID_TEXT, "--level", "loud");
	MISUSED("--level: no manifest of provider");
	RUN("enable", "cli-base", GUID_TEXT, "--level", "256");
	MISUSED("is not a level");
	RUN("enable", "cli-base", GUID_TEXT, "--any", "xyz");
	MISUSED("--any: no manifest of provider");
	RUN("enable", "cli-base", GUID_TEXT, "--all", "0x12345678123456789");
	MISUSED("is not a hexadecimal number");
	RUN("enable", "cli-base", GUID_TEXT, "--pid", "0");
	MISUSED("--pid");
	RUN("stat", "cli-base", "--count", "0");
	MISUSED("--count");
	RUN("dump", "cli-base", "--count", "4294967296");
	MISUSED("--count");
	RUN("query", "cli-base", "--bogus");
	MISUSED("unknown option");
	RUN("bogus");
	MISUSED("no such command");
}

TEST_F(bad, not_permitted)
{
	static const char *const commands[] = { "query", "stop", "flush", "dump", "stat" };
	unsigned int i;

	self->r.nobody = true;
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		RUN(commands[i], "cli-base");
		FAILS("not permitted");
	}
	RUN("start", "cli-nobody");
	FAILS("not permitted");
	RUN("list");
	FAILS("not permitted");
	RUN("enable", "cli-base", GUID_TEXT, "--level", "5");
	FAILS("not permitted");
	RUN("disable", "cli-base", GUID_TEXT);
	FAILS("not permitted");
	/* Nor do names reveal what exists. */
	RUN("enable", "cli-base", "No-Such-Provider");
	FAILS("not permitted");
	RUN("query", "no-such");
	FAILS("not permitted");
}

/* ------------------------------------------------------ names of others */

/* A process without rights that registers a provider under a name; its pid. */
static pid_t stranger(const char *name, struct etw_guid guid)
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		struct etw_register r = { .size = sizeof(r), .provider = guid,
					  .name = VM_PTR(name), .name_len = strlen(name) };

		if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
		    setresuid(65534, 65534, 65534))
			_exit(1);
		/* The device is open to all; the parent's file would be the parent's. */
		if (vm_ioctl(vm_open(), ETW_IOC_REGISTER, &r))
			_exit(1);
		if (write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

/* One of several fails: which ones are enabled is said. */
TEST_F(cli, enabled_in_part)
{
	char name[16];
	int i;

	ASSERT_NE(0, vm_start_named(self->fd, "cli"));
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		snprintf(name, sizeof(name), "other-%d", i);
		ASSERT_EQ(0, vm_enable(self->fd, vm_start_named(self->fd, name), vm_guid(2), 0, 0, 0));
	}
	RUN("enable", "cli", "-p", GUID_TEXT, "-p", "7e570002-5e1f-4e57-8001-020304050607");
	EXPECT_TRUE(vc_report(&self->r, self->r.status == 1 &&
			      strstr(self->r.err, "8 sessions have it enabled already\n") &&
			      strstr(self->r.err, "provider \"" GUID_TEXT "\" is enabled\n")));
	EXPECT_NE(NULL, enabled(self->fd, vm_guid(1)));
}

TEST_F(cli, name_of_a_stranger_is_not_taken)
{
	pid_t invented = stranger("Stranger", vm_guid(2));
	pid_t stolen = stranger("MyProvider", vm_guid(3));

	ASSERT_LT(0, invented);
	ASSERT_LT(0, stolen);
	ASSERT_NE(0, vm_start_named(self->fd, "cli"));
	RUN("enable", "cli", "Stranger");
	EXPECT_TRUE(vc_refused(&self->r, 1, "only processes say that this is their name: use the GUID, 7e570002-"));
	EXPECT_EQ(NULL, enabled(self->fd, vm_guid(2)));
	RUN("enable", "cli", "Strangr");
	EXPECT_TRUE(vc_refused(&self->r, 1, "*NAME takes TraceLogging's)\n"));
	RUN("enable", "cli", "MyProvider");
	EXPECT_TRUE(vc_refused(&self->r, 1, "7e570003-"));
	RUN("enable", "cli", "*MyProvider");
	EXPECT_TRUE(vc_noted(&self->r, "but a program announces this name with the GUID "));
	EXPECT_EQ(NULL, enabled(self->fd, vm_guid(3)));
	EXPECT_NE(NULL, enabled(self->fd, by_name));
	/* It is seen for what it is, and its GUID works. */
	RUN("list", "providers");
	PRINTED("7e570002-");
	RUN("enable", "cli", "7e570002-5e1f-4e57-8001-020304050607");
	PRINTED("");
	EXPECT_NE(NULL, enabled(self->fd, vm_guid(2)));
	kill(invented, SIGKILL);
	kill(stolen, SIGKILL);
	EXPECT_EQ(SIGKILL, vm_reap(invented));
	EXPECT_EQ(SIGKILL, vm_reap(stolen));
}

TEST_HARNESS_MAIN
