// SPDX-License-Identifier: MIT
/*
 * etw autologger over the model of the device: the options of a file, and the number of the
 * log file
 */
#include "cli_fake.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

#include "lib/tap.h"
#include "cli/autologger/autologger.h"

/* Use a folder of this test's own */
#undef AUTOLOGGER_RUN
#undef AUTOLOGGER_STATE
#define AUTOLOGGER_RUN		"./run"
#define AUTOLOGGER_STATE	"./state"
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

/* The number of files in a folder */
static int entries(const char *folder)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);
	int count = 0;

	while (dir && (entry = readdir(dir)))
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	return count;
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
	is(entries("state"), 1, "and no other file");
	is(act("stop"), 0, "stopped");
}

static void failed(const char *counter)
{
	fake->error[0x01] = -ENOSPC;
	is(act("start"), 1, "one that cannot be started");
	ok(strstr(err, "session \"boot\""), "is reported: %s", err);
	ok(strstr(slurp("run/boot"), "Status = 1450\n"), "with ERROR_NO_SYSTEM_RESOURCES");
	ok(!strcmp(slurp("state/boot"), counter), "its number stays what it was");
	is(entries("state"), *counter ? 1 : 0, "and nothing is left");
}

/* B165: the number increases once its session has started. */
static void test_counter(void)
{
	failed("");
	started("b.etl.0001\n", "FileCounter = 1\n");
	failed("FileCounter = 1\n");
	started("b.etl.0002\n", "FileCounter = 2\n");
	started("b.etl.0001\n", "FileCounter = 1\n");
}

/* A number that cannot be stored is not used. */
static void test_no_state(void)
{
	struct rlimit limit;
	int status;

	/* write(2) takes a part of the number only; no result may wait to be written. */
	fflush(stdout);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = 5;
	setrlimit(RLIMIT_FSIZE, &limit);
	status = act("start");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	is(status, 1, "where no number can be written");
	ok(!fake->sessions[0].s.handle, "no session runs");
	ok(!strcmp(slurp("state/boot"), "FileCounter = 1\n"), "the number stays what it was");
	is(entries("state"), 1, "and nothing is left");
	if (unlink("state/boot") || rmdir("state"))
		abort();
	fclose(fopen("state", "w"));
	is(act("start"), 1, "where no number can be kept");
	ok(strstr(err, "./state/boot: Not a directory"), "the error is reported: %s", err);
	ok(!fake->sessions[0].s.handle, "and no session runs");
}

/* ------------------------------------------------------------------- options */

#define GUID_1	"01234567-0001-0001-0102-030405060708"
#define START	"start --guid " GUID_1

static struct autologger_conf conf;

/* Load the file of session "x" with this text; true: it has no error. */
static bool load(const char *text)
{
	FILE *f = fopen("x.conf", "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
	autologger_unload(&conf);
	return autologger_load("x", &conf, false);
}

/* B164: the settings of a session have the defaults of the registry. */
static void test_defaults(void)
{
	ok(load(START "\n"), "a session with a GUID only: %s", conf.what);
	ok(!conf.manual && conf.session.s.guid.data1 == 0x01234567, "is started at boot");
	is(conf.session.s.clock, ETW_CLOCK_QPC, "its clock is qpc");
	ok(conf.file.path && !strcmp(conf.file.path, "/var/log/etw/x.etl"),
	   "its file has its name");
	is(conf.file.max_size, 100 << 20, "and 100 MB at most");
	ok(!conf.file_max && !conf.session.s.flush_ms && !conf.session.s.buffer_kb &&
	   !conf.session.s.min_buffers && !conf.session.s.max_buffers, "the others are 0");
	is(startfile_mode(&conf.file, &conf.session), 100, "100 MB");
	is(conf.session.s.mode, EVENT_TRACE_FILE_MODE_SEQUENTIAL, "sequential");
	ok(load(START " --real-time --manual\n"), "a real-time session");
	ok(!conf.file.path && !conf.file.max_size && conf.manual, "has no file, and is manual");
	is(conf.session.s.mode, EVENT_TRACE_REAL_TIME_MODE, "real-time");
	ok(load(START " --buffering\n") && !conf.file.path, "nor has a buffering one");
	ok(load(START " --buffering --file /a\n") && conf.file.max_size == 100 << 20,
	   "but for one that is named");
	ok(load(START " --real-time --file /a --max-size none\n") && !conf.file.max_size,
	   "none is no limit");
	is(startfile_mode(&conf.file, &conf.session), 0, "0");
	is(conf.session.s.mode, EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_REAL_TIME_MODE,
	   "both a file and readers");
}

/* B164, B166: all settings */
static void test_values(void)
{
	const struct enable_request *first, *second;

	ok(load(START " --buffer-size 64 --min-buffers 8 --max-buffers 60000 --clock cycles "
		"--flush 5 --file '/var/log/a b.etl' --file-max 16 --circular --max-size 4096K "
		"--secure --independent\n"
		"enable " GUID_1 " --level 255 --any 0xFFFFFFFFFFFFFFFF --all 2 "
		"--with sid --ignore-keyword-0 --exe 'bash;a=b' --id 1,5-9\n"
		"enable '*Some-Name'\n"), "every option: %s", conf.what);
	ok(conf.session.s.buffer_kb == 64 && conf.session.s.min_buffers == 8 &&
	   conf.session.s.max_buffers == 60000 && conf.session.s.clock == ETW_CLOCK_CYCLES &&
	   conf.session.s.flush_ms == 5000 && conf.file_max == 16, "numbers");
	ok(!strcmp(conf.file.path, "/var/log/a b.etl") && conf.file.max_size == 4 << 20,
	   "the file");
	is(startfile_mode(&conf.file, &conf.session), 4, "in MB");
	is(conf.session.s.mode, EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_SECURE_MODE |
	   EVENT_TRACE_INDEPENDENT_SESSION_MODE, "its modes");
	is(conf.enable_count, 2, "two providers");
	first = &conf.enables[0]->request;
	second = &conf.enables[1]->request;
	ok(first->enable.level == 255 && first->enable.any == UINT64_MAX &&
	   first->enable.all == 2 && first->filters.ids.given &&
	   first->enable.property == (ETW_ENABLE_SID | ETW_ENABLE_IGNORE_KEYWORD_0), "the first");
	ok(!strcmp(second->provider, "*Some-Name") && !second->enable.level &&
	   !second->enable.any && !second->enable.property, "the second wants all");
}

static void bad(const char *text, const char *what)
{
	ok(!load(text) && conf.status == ERROR_INVALID_PARAMETER && strstr(conf.what, what),
	   "%s", conf.what);
}

static void test_bad(void)
{
	char many[1024 * sizeof("enable *p\n") + 2], *at = many;
	int i;

	bad("", "the start line is missing");
	bad("enable *a\n", "the start line is missing");
	bad("start\n\nstart --x\n", "line 1: --guid is missing");
	bad(START "\n\nstart --x\n", "line 3: a second start line, the first is line 1");
	for (i = 0; i < 1025; i++)
		at = stpcpy(at, "enable *p\n");
	bad(many, "line 1025: more than 1024 providers");
	bad(START "\nenable *a --level 256\n", "line 2: --level: ");
	is(conf.enable_count, 0, "a wrong line is not used");
	bad("start\n", "line 1: --guid is missing");
	bad("\n" START " --frob\n", "line 2: unknown option \"--frob\"");
	bad(START " --help\n", "--help: not in a file");
	bad(START " session\n", "unexpected argument \"session\"");
	bad("start --guid 0123\n", "is not a GUID");
	bad(START " --file a.etl\n", "is not an absolute path");
	bad(START " --file-max 17 --file /a\n", "--file-max: ");
	bad(START " --file-max 2 --real-time\n", "the session has no file");
	bad(START " --buffering --circular\n", "need --file");
	bad(START " --buffer-size 16385\n", "--buffer-size: ");
	bad(START " --clock 4\n", "--clock: ");
	bad(START " --circular --append\n", "exclude one another");
	/* B167: these options are refused */
	bad(START " --new-files --file /a%d --max-size 1M\n", "--new-files: not in a session");
	/* The guid is kept nevertheless, to find two files with the same one. */
	bad(START " --frob\n", "unknown option");
	is(conf.session.s.guid.data1, 0x01234567, "its GUID is known");
}

int main(void)
{
	static const char *const left[] = { "run/boot", "run", "state", "b.etl.0001", "b.etl.0002",
					    "boot.conf", "x.conf" };
	char dir[] = "/tmp/etw-autolog.XXXXXX";
	size_t i;
	FILE *f;

	if (!mkdtemp(dir) || chdir(dir))
		abort();
	f = fopen("boot.conf", "w");
	fprintf(f, START " --file-max 2 \\\n --file %s/b.etl\n", dir);
	fclose(f);
	setenv("ETW_AUTOLOGGER_DIR", dir, 1);
	cli_fake_init(NULL);
	test_defaults();
	test_values();
	test_bad();
	test_counter();
	test_no_state();
	autologger_unload(&conf);
	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		remove(left[i]);
	is(rmdir(dir), 0, "nothing else was made");
	return done_testing();
}
