// SPDX-License-Identifier: MIT
/* etw autologger over the model of the device: when the number of the file moves on */
#include "cli_fake.h"

#include "lib/tap.h"
#include "cli/autologger/autologger.h"

/* Below a folder of this test's own, which it works in */
#undef AUTOLOGGER_RUN
#undef AUTOLOGGER_STATE
#define AUTOLOGGER_RUN		"./run"
#define AUTOLOGGER_STATE	"./state"
#include "cli/autologger/start.c"
#include "cli/autologger/state.c"

static char *slurp(const char *path)
{
	static char text[4096];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
	return text;
}

static int act(const char *action)
{
	return RUN(cmd_autologger, (char *)"autologger", (char *)action, (char *)"boot");
}

static void started(const char *file, const char *counter)
{
	ok(act("start") == 0, "started: %s", err);
	ok(strstr(slurp("run/boot"), file), "its file is %s", file);
	ok(!strcmp(slurp("state/boot"), counter), "which is kept");
	ok(access("state/.boot.new", F_OK), "and nothing besides");
	is(act("stop"), 0, "stopped");
}

static void failed(const char *counter)
{
	fake->error[0x01] = -ENOSPC;
	is(act("start"), 1, "one that cannot be started");
	ok(strstr(err, "session \"boot\""), "is told: %s", err);
	ok(!strcmp(slurp("state/boot"), counter), "its number stays what it was");
	ok(access("state/.boot.new", F_OK), "and nothing is left");
}

/* B165: a number counts once its session has begun. */
static void test_counter(void)
{
	failed("");
	started("b.etl.0001\n", "FileCounter = 1\n");
	failed("FileCounter = 1\n");
	started("b.etl.0002\n", "FileCounter = 2\n");
	started("b.etl.0001\n", "FileCounter = 1\n");
}

/* One that cannot be kept is not used. */
static void test_no_state(void)
{
	if (unlink("state/boot") || rmdir("state"))
		abort();
	fclose(fopen("state", "w"));
	is(act("start"), 1, "where no number can be kept");
	ok(strstr(err, "./state/boot: Not a directory"), "it is told: %s", err);
	ok(!fake->sessions[0].s.handle, "and no session runs");
}

int main(void)
{
	static const char *const left[] = { "run/boot", "run", "state", "b.etl.0001", "b.etl.0002",
					    "boot.conf" };
	char dir[] = "/tmp/etw-autolog.XXXXXX";
	size_t i;
	FILE *f;

	if (!mkdtemp(dir) || chdir(dir))
		abort();
	f = fopen("boot.conf", "w");
	fprintf(f, "Start = 1\nGuid = 01234567-0001-0001-0102-030405060708\nFileMax = 2\n"
		"FileName = %s/b.etl\n", dir);
	fclose(f);
	setenv("ETW_AUTOLOGGER_DIR", dir, 1);
	fake_init();
	test_counter();
	test_no_state();
	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		remove(left[i]);
	is(rmdir(dir), 0, "nothing else was made");
	return done_testing();
}
