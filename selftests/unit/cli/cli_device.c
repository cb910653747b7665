// SPDX-License-Identifier: MIT
/* The etw command over the model of the device: its messages when the device fails */
#include "cli_fake.h"

#include <etw/format.h>

#include "lib/tap.h"

#define GROUP		"01234567-0001-0001-0102-030405060708"
#define PROVIDER	"89abcdef-0001-0001-0102-030405060708"

static const struct etw_guid group = { 0x01234567, 1, 1, { 1, 2, 3, 4, 5, 6, 7, 8 } };

/* Fail one call of a command: the one after failing_after others. */
static int failing_nr, failing_after, failing_error;

static int failing_ioctl(int fd, unsigned int command, void *arg)
{
	if ((int)(command & 0xFF) == failing_nr && !failing_after--)
		return failing_error;
	return cli_ioctl(fd, command, arg);
}

static void fail(int nr, int after, int error)
{
	failing_nr = nr;
	failing_after = after;
	failing_error = error;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

/* ----------------------------------------------------------------------- list */

static void test_groups(void)
{
	/* The model knows only the first group, as if the other had been removed meanwhile. */
	fake->guids[0] = group;
	fake->guids[1] = (struct etw_guid){ 0x77, 0, 0, { 0 } };
	fake->guid_count = 2;
	is(RUN(cmd_list, (char *)"list"), 0, "list all");
	ok(strstr(out, "\n\nGROUP") && strstr(out, GROUP) && !strstr(out, "00000077-"),
	   "with the existing group, after an empty line");
	is(RUN(cmd_list, (char *)"list", (char *)"groups", (char *)"-v"), 0, "list groups");
	ok(!strncmp(out, "group  ", 7) && strstr(out, GROUP), "without that line");
}

static void test_none(void)
{
	fake->guid_count = 1;
	fail(0x27, 0, -EPERM);
	is(RUN(cmd_list, (char *)"list"), 0, "all, where there is no group to be seen");
	ok(strstr(out, "session") && !ends_with(out, "\n\n"), "ends without a line between");
	fail(0x27, 0, -EPERM);
	is(RUN(cmd_list, (char *)"list", (char *)"groups"), 0, "the groups of these");
	ok(!strcmp(out, "no groups\n"), "no groups are listed");
	fail(0x27, 0, -EPERM);
	is(RUN(cmd_list, (char *)"list", (char *)"groups", (char *)"--json"), 0, "as JSON");
	ok(strstr(out, "[]"), "likewise");
}

static void test_unknown(void)
{
	int json;

	fake->guid_count = 2;
	for (json = 0; json < 2; json++) {
		fail(0x27, 0, -ENOMEM);
		is(RUN(cmd_list, (char *)"list", (char *)"groups",
		       json ? (char *)"--json" : (char *)"-v"), 1,
		   "a group that cannot be queried");
		ok(strstr(err, "cannot list the groups: Cannot allocate memory") && !*out,
		   "is no group that is not there");
	}
	fail(0x27, 1, -ENOMEM);
	is(RUN(cmd_list, (char *)"list", (char *)"groups"), 1, "the second one of them");
	ok(strstr(out, GROUP) && strstr(err, "cannot list the groups"), "after the first");
}

/* --------------------------------------------------------------------- enable */

static int enable(int after, int error)
{
	fail(0x10, after, error);
	return RUN(cmd_enable, (char *)"enable", (char *)"session", (char *)PROVIDER,
		   (char *)"--capture");
}

static void test_capture(void)
{
	static const char enabled[] = "it is enabled, but was not asked for its state";

	is(enable(9, 0), 0, "enable, and ask for the state");
	is(fake->enable.control, ETW_CONTROL_CAPTURE, "both");
	is(enable(0, -ENOMEM), 1, "it cannot be enabled");
	ok(strstr(err, "Cannot allocate memory") && !strstr(err, enabled), "the message says so");
	is(enable(1, -ENOMEM), 1, "it can, and not be asked");
	ok(strstr(err, enabled) && strstr(err, "Cannot allocate memory"), "the message says both");
	is(fake->enable.control, ETW_CONTROL_ENABLE, "the provider is enabled");
	is(enable(1, -ETIMEDOUT), 1, "it was asked, and is not through");
	ok(strstr(err, "they go on") && !strstr(err, enabled), "which is something else");
	is(enable(1, -ENOENT), 1, "the session has ended meanwhile");
	ok(strstr(err, "no session") && !strstr(err, enabled), "and nothing is enabled");
}

/* ----------------------------------------------------------- a GUID derived from a name */

static int by_name(int (*command)(int argc, char **argv), const char *provider, int error)
{
	fail(0x24, 0, error);
	return RUN(command, (char *)"command", (char *)"session", (char *)provider);
}

static void test_hashed(void)
{
	static const char note[] = "etw: nobody has registered 54374442-";
	char guid[37];

	is(by_name(cmd_enable, "*Acme.Trace.Logger", -ESRCH), 0, "a name without a registration");
	ok(!strncmp(err, note, strlen(note)) && !*out &&
	   ends_with(err, " (the GUID made of \"Acme.Trace.Logger\") yet\n"),
	   "is reported: %s", err);
	if (strlen(err) < strlen(note) + 36)
		return;
	memcpy(guid, err + strlen(note) - 9, 36);
	guid[36] = '\0';
	is(by_name(cmd_enable, guid, -ESRCH), 0, "its GUID");
	ok(!*err, "gets no note");
	is(by_name(cmd_enable, "*Acme.Trace.Logger", -EPERM), 0, "without the right to query");
	ok(!*err, "nothing is printed");
	is(by_name(cmd_disable, "*Acme.Trace.Logger", -ESRCH), 0, "disabling it");
	ok(!*err, "needs no registration");
}

/* The module is older than the provider that names processes. */
static void test_processes(void)
{
	struct etw_register reg = { .size = sizeof(reg), .provider = ETW_PROCESS_GUID };
	int fd;

	fail(-1, 0, 0);
	is(RUN(cmd_start, (char *)"start", (char *)"older", (char *)"--processes"), 0,
	   "a session without the names that it should record");
	ok(strstr(err, "\"older\" records no names of processes: the loaded etw.ko has no provider Etw-Process"),
	   "is started, and the lack is reported: %s", err);
	fd = etw_kdev_open();
	ok(fd >= 0 && !etw_kdev_register(fd, &reg), "the provider registers");
	is(RUN(cmd_start, (char *)"start", (char *)"newer", (char *)"--processes"), 0,
	   "a session with them");
	ok(!strstr(err, "no names"), "has nothing to report: %s", err);
	etw_kdev_close(fd);
}

int main(void)
{
	struct etw_session s = { .buffer_kb = 4 };

	cli_fake_init(failing_ioctl);
	etw_kdev_name_session(&s, "session");
	fake_start(&s);
	test_groups();
	test_none();
	test_unknown();
	test_capture();
	test_hashed();
	test_processes();
	return done_testing();
}
