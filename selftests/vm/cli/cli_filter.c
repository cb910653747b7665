// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_filter - the filters and items of etw enable, and how etw dump and etw
 * list show them
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"
#include "lib/command/vm_cli.h"

#include <TraceLoggingProvider.h>

#define GUID_TEXT	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */

FIXTURE(cli_filter) {
	int fd;
	TRACEHANDLE session;
	REGHANDLE reg;
	struct vc_run r;
};

FIXTURE_SETUP(cli_filter)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vl_start("cli");
	ASSERT_NE(0, self->session);
	self->reg = vl_register(1);
	ASSERT_NE(0, self->reg);
}

FIXTURE_TEARDOWN(cli_filter)
{
	EventUnregister(self->reg);
	vm_stop_all(self->fd);
	close(self->fd);
}

#define TL_GUID		"7e570009-5e1f-4e57-8001-020304050607"
#define FIELDS		"--fields", "id=0: u32 Size", "--filter", "Size > 100"
#define LOG		"/run/cli_filter.etl"

TRACELOGGING_DEFINE_PROVIDER(tl_provider, "Cli-Filter-Tl",
	(0x7e570009, 0x5e1f, 0x4e57, 0x80, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07));

/* With the argument "write" it only writes two events. */
__attribute__((__constructor__))
static void write_tracelogging(int argc, char **argv)
{
	ULONG size;

	if (argc != 2 || strcmp(argv[1], "write"))
		return;
	if (TraceLoggingRegister(tl_provider))
		_exit(2);
	for (size = 1; size < 1000; size += 500)
		TraceLoggingWrite(tl_provider, "Sized", TraceLoggingUInt32(size, "Size"));
	TraceLoggingUnregister(tl_provider);
	_exit(0);
}

static const char *own_path(void)
{
	static char path[256];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[len > 0 ? len : 0] = '\0';
	return path;
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, NULL)
#define ENABLE(...)	RUN("enable", "cli", GUID_TEXT, __VA_ARGS__)
#define PRINTED(text)	EXPECT_TRUE(vc_printed(&self->r, text))
#define REFUSED(text)	EXPECT_TRUE(vc_refused(&self->r, 2, text))
#define HAS(text)	EXPECT_NE(NULL, strstr(self->r.out, text))

/* What the session has set for the provider. */
static struct etw_provider_enable enabled(int fd)
{
	struct etw_provider_enable e = { 0 };
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(1),
					.enables = VM_PTR(&e), .enable_cap = 1 };

	vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &q);
	return e;
}

TEST_F(cli_filter, every_option)
{
	struct etw_provider_enable e;

	ENABLE("--exe", "cat", "--exe", "ls;cp", "--container", "/a", "--package", "p", "--app",
	       "p.q", "--id", "1,5,10-12");
	PRINTED("");
	e = enabled(self->fd);
	EXPECT_EQ(self->session, e.session);
	EXPECT_EQ(0, e.property);
	EXPECT_EQ(0xffff & (ETW_FILTER_EXECUTABLE_NAME | ETW_FILTER_CONTAINER |
			    ETW_FILTER_PACKAGE_ID | ETW_FILTER_PACKAGE_APP_ID |
			    ETW_FILTER_EVENT_ID), e.filters);
	ENABLE("--with", "sid,login,app,container,context,process-key,event-key",
	       "--exclude-private");
	PRINTED("");
	e = enabled(self->fd);
	EXPECT_EQ(ETW_ENABLE_SID | ETW_ENABLE_TS_ID | ETW_ENABLE_PSM_KEY | ETW_ENABLE_CONTAINER |
		  ETW_ENABLE_PROCESS_START_KEY | ETW_ENABLE_EVENT_KEY |
		  ETW_ENABLE_CONTEXT | ETW_ENABLE_EXCLUDE_INPRIVATE, e.property);
	EXPECT_EQ(0, e.filters);
	ENABLE("--stack-not-id", "7", "--stack-level", "warning");
	PRINTED("");
	e = enabled(self->fd);
	EXPECT_EQ(ETW_ENABLE_STACK_TRACE, e.property);
	EXPECT_EQ(0xffff & (ETW_FILTER_STACKWALK | ETW_FILTER_STACKWALK_LEVEL_KW), e.filters);
	ENABLE("--with", "user-stack");
	PRINTED("");
	e = enabled(self->fd);
	EXPECT_EQ(ETW_ENABLE_STACK_TRACE | ETW_ENABLE_USER_STACK, e.property);
	RUN("list", "providers", "-v");
	PRINTED(", with user-stack\n");
	ENABLE("--stack");
	PRINTED("");
	e = enabled(self->fd);
	EXPECT_EQ(ETW_ENABLE_STACK_TRACE, e.property);
	EXPECT_EQ(0, e.filters);
}

/* Ids, and a program: this one and another. */
TEST_F(cli_filter, selects)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		ENABLE(i ? "--not-id" : "--id", "1,3-4", "--exe", "nosuch;cli_filter");
		PRINTED("");
		ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 1));
		ASSERT_EQ(0, vl_write(self->reg, 2, 1, 1, 2));
		ASSERT_EQ(0, vl_write(self->reg, 4, 1, 1, 4));
		ASSERT_EQ(0, vl_write(self->reg, 5, 1, 1, 5));
	}
	ENABLE("--exe", "nosuch");
	PRINTED("");
	EXPECT_FALSE(EventProviderEnabled(self->reg, 0, 0));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--count", "4", NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(4, vc_lines(self->r.out));
	HAS(" event(1) ");
	HAS(" event(4) ");
	HAS(" event(2) ");
	HAS(" event(5) ");
}

TEST_F(cli_filter, items_text)
{
	ENABLE("--with", "sid,login,process-key,event-key,container", "--stack");
	PRINTED("");
	ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 1));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--count", "1", NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	HAS(" sid=S-1-22-1-0 login=0 process-key=0x");
	HAS(" event-key=0x");
	HAS(" container=\"/\"");
	HAS(" stack=[0x");
}

TEST_F(cli_filter, items_json)
{
	ENABLE("--with", "sid,login,process-key,event-key,container", "--stack");
	PRINTED("");
	ASSERT_EQ(0, vl_write(self->reg, 1, 1, 1, 1));
	ASSERT_TRUE(vc_start(&self->r, "dump", "cli", "--json", "--count", "1", NULL));
	EXPECT_EQ(0, vc_end(&self->r));
	EXPECT_EQ(1, vc_objects(self->r.out));
	HAS("\"sid\":\"S-1-22-1-0\"");
	HAS("\"login_session\":0");
	HAS("\"process_start_key\":\"0x");
	HAS("\"event_key\":\"0x");
	HAS("\"container\":\"/\"");
	HAS("\"stack\":[\"0x");
}

TEST_F(cli_filter, list)
{
	ENABLE("--id", "1", "--exe", "cli_filter", "--stack", "--with", "sid");
	RUN("list", "providers", "-v");
	PRINTED(", processes by exe, events by event id, with sid, stack\n");
	RUN("list", "providers", "--json");
	EXPECT_EQ(1, vc_objects(self->r.out));
	HAS("\"filters\":[\"exe\",\"event id\"],\"items\":[\"sid\",\"stack\"]");
}

/* The message names the error, and the earlier setting stays. */
TEST_F(cli_filter, usage)
{
	char many[300] = "0", names[1600];
	struct etw_provider_enable e;
	int i;

	for (i = 1; i <= 64; i++)
		snprintf(many + strlen(many), 5, ",%d", i);
	memset(names, 'n', sizeof(names));
	names[sizeof(names) - 1] = '\0';
	ENABLE("--id", "7");
	PRINTED("");
	ENABLE("--id", many);
	REFUSED("--id: more than 64 events");
	ENABLE("--id", "1", "--not-id", "2");
	REFUSED("either the events wanted or those not wanted");
	ENABLE("--id", "5-3");
	REFUSED("--");
	ENABLE("--id", "65536");
	REFUSED("--");
	ENABLE("--id", "1,,2");
	REFUSED("--");
	ENABLE("--exe", "a;;b");
	REFUSED("--exe: \"a;;b\": the list has an empty part");
	ENABLE("--container", names);
	REFUSED("--container: more than 1536 bytes of names");
	ENABLE("--with", "sid,stak");
	REFUSED("\"stak\"");
	ENABLE("--stack-level", "loud");
	REFUSED("--");
	e = enabled(self->fd);
	EXPECT_EQ(0xffff & ETW_FILTER_EVENT_ID, e.filters);
}

/* Filters by process let no event of a kernel module pass: that is said, once. */
TEST_F(cli_filter, processes_of_a_kernel_provider)
{
	static const char *const commands[] = { "record", "watch" };
	char out[] = "--output=/run/etw-filter.etl";
	unsigned int i;

	ENABLE("--exe", "sh");
	PRINTED("");
	RUN("enable", "cli", "-p", "Etw-Process", "--id", "1");
	PRINTED("");
	RUN("enable", "cli", "-p", "Etw-Process", "--container", "a");
	EXPECT_TRUE(vc_noted(&self->r, "--container selects programs, so no event of the kernel provider \"Etw-Process\" comes\n"));
	RUN("enable", "cli", "-p", "Etw-Process", "--pid", "1", "-p", GUID_TEXT);
	EXPECT_TRUE(vc_noted(&self->r, "--pid selects programs"));
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		RUN(commands[i], "--exe", "sh", "-p", "Etw-Process", "-p", GUID_TEXT, i ? "--json" : out,
		    "true");
		EXPECT_TRUE(vc_report(&self->r, !self->r.status && strstr(self->r.err, "etw: --exe selects programs, so no event of the kernel provider \"Etw-Process\" comes\n")));
	}
	unlink("/run/etw-filter.etl");
}

/* The kernel does not know the fields of TraceLogging's events: all of them pass. */
TEST_F(cli_filter, tracelogging)
{
	ASSERT_EQ(0, TraceLoggingRegister(tl_provider));
	RUN("enable", "cli", TL_GUID, FIELDS);
	EXPECT_TRUE(vc_noted(&self->r, "if it writes TraceLogging events, all of them pass --filter, because the kernel does not know their fields: use etw dump --filter\n"));
	RUN("enable", "cli", TL_GUID, "--id", "7");
	PRINTED("");
	RUN("enable", "cli", TL_GUID, "--filter", "level < 4");
	EXPECT_TRUE(vc_report(&self->r, !self->r.status && !self->r.err[0]));
	TraceLoggingUnregister(tl_provider);
	ENABLE(FIELDS);
	PRINTED("");
	RUN("watch", "-p", TL_GUID, FIELDS, "--format", "%{Size}", "--", own_path(), "write");
	EXPECT_TRUE(vc_report(&self->r, !self->r.status && !strcmp(self->r.out, "1\n501\n") &&
			      strstr(self->r.err, ": 2 TraceLogging events passed --filter untested, because the kernel does not know their fields: use --show\n")));
	RUN("watch", "-p", TL_GUID, "--show", "Size > 100", "--format", "%{Size}", "--", own_path(),
	    "write");
	EXPECT_TRUE(vc_report(&self->r, !self->r.status && !strcmp(self->r.out, "501\n") &&
			      !strstr(self->r.err, "untested")));
	RUN("record", "-o", LOG, "-p", TL_GUID, FIELDS, "--", own_path(), "write");
	EXPECT_TRUE(vc_report(&self->r, !self->r.status &&
			      strstr(self->r.err, ": 2 TraceLogging events passed --filter untested, because the kernel does not know their fields: use etw dump --filter\n")));
	RUN("dump", LOG, "--filter", "Size > 100", "--format", "%{Size}");
	PRINTED("501\n");
	unlink(LOG);
}

TEST_HARNESS_MAIN
