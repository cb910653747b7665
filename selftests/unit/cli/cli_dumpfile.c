// SPDX-License-Identifier: MIT
/* etw dump of log files: order, losses, damage; needs no device */
#include "unit/etl/etl_make.h"

#include "cli_run.h"
#include "lib/tap.h"

/* The file ends between two buffers: all of its contents are valid, but the cut is reported. */
static void test_cut(void)
{
	static struct make m;
	char out[64];

	make_begin(&m, 1);
	make_two(&m, 0, 1, 10, 40);
	make_two(&m, 1, 2, 20, 50);
	make_end(&m);
	if (truncate(m.path, 2 * MAKE_SIZE))
		abort();
	snprintf(out, sizeof(out), "/tmp/etw-dumpfile-%d", getpid());
	is(run("dump --format '%%i' %s", m.path), 0, "a file that was cut off");
	ok(run_reported("1 of 3 buffers is missing") && run_printed("0 10 40"),
	   "is reported by dump");
	is(run("convert -q --to json -o %s %s", out, m.path), 0, "and by");
	ok(run_reported("1 of 3 buffers is missing"), "convert");
	unlink(out);
	is(run("merge -q -o %s %s", out, m.path), 0, "and by");
	ok(run_reported("1 of 3 buffers is missing"), "merge");
	unlink(out);
	if (truncate(m.path, MAKE_SIZE))
		abort();
	is(run("split -q --by cpu -o %s%%d %s", out, m.path), 0, "and by");
	ok(run_reported("2 of 3 buffers are missing\n"), "split");
	unlink(m.path);
}

/* path: a file whose events nothing describes, which was dumped */
static void test_unnamed(const char *path)
{
	ok(run_reported("etw: 4 events are shown without names, because no manifest describes them: 4 of 0000feed-0000-0000-0100-000000000000; --manifest FILE or etw manifest install gives one\n") &&
	   strchr(run_err, '\n')[1] == '\0', "one message, that they have no names");
	is(run("dump --json -n 1 --id 10 %s", path), 0, "one event");
	ok(run_reported("etw: 1 event is shown without names, because no manifest describes it: 1 of "),
	   "the number is that of what was printed");
	ok(run("dump --format '%%t %%i' %s", path) == 0 && run_reported(""), "no names are asked for");
	ok(run("dump --raw %s", path) == 0 && run_reported(""), "nor by --raw");
	ok(run("dump --format '%%e' %s", path) == 0 && run_reported("4 events are shown without names"),
	   "but by this format");
}

int main(void)
{
	static struct make one, two;
	char other[256], command[256];
	FILE *f;

	make_begin(&one, 1);
	make_two(&one, 0, 1, 10, 40);
	make_two(&one, 1, 2, 20, 50);
	make_end(&one);
	make_begin(&two, 1);
	make_two(&two, 0, 1, 30, 60);
	make_end(&two);

	is(run("dump %s", one.path), 0, "a file, without a device");
	ok(strstr(run_out, "2022-06-18 04:26:40.0000010") && strstr(run_out, "event(10)") &&
	   strstr(run_out, "data=616263") && strstr(run_out, "MSNT_SystemTrace"), "its events");
	test_unnamed(one.path);
	is(run("dump --json %s", one.path), 0, "as JSON");
	ok(run_out[0] == '{' && strstr(run_out, "\"id\":50"), "lines of objects");
	is(run("dump -n 2 %s", one.path), 0, "the first two");
	ok(strstr(run_out, "event(10)") && !strstr(run_out, "event(20)"), "and no more");
	is(run("dump --format '%%i' %s %s", one.path, two.path), 0, "two files");
	ok(run_printed("0 0 10 20 30 40 50 60"), "by time");

	/* Names as record, autologger and logrotate make them are no session names. */
	snprintf(other, sizeof(other), "%s.old", two.path);
	if (rename(two.path, other))
		abort();
	is(run("dump %s", strrchr(other, '/') + 1), 1, "no file of that name here");
	ok(strstr(run_err, "no such device"), "so the name is a session's");
	snprintf(command, sizeof(command), "--help >/dev/null; etw=$PWD/build/etw; cd /tmp && "
		 "ETW_DEVICE=/nonexistent $etw dump --format '%%i' %s", strrchr(other, '/') + 1);
	is(run("dump %s", command), 0, "a file without a file's name");
	ok(run_printed("0 30 60"), "its events");
	if (rename(other, two.path))
		abort();

	f = fopen(two.path, "r+");
	fseek(f, MAKE_SIZE, SEEK_SET);
	fwrite("\0\0\0\0", 4, 1, f);
	fclose(f);
	is(run("dump --format '%%i' %s %s", one.path, two.path), 0, "one has a bad buffer");
	ok(run_printed("0 0 10 20 40 50"), "the rest is shown");
	ok(strstr(run_err, "at offset 4096: the buffer's size is smaller than its header"),
	   "with the place of the damage");
	if (truncate(two.path, 100))
		abort();
	is(run("dump %s", two.path), 1, "no log file");
	ok(strstr(run_err, "not a log file") && !run_out[0], "is refused");
	is(run("dump /nonexistent.etl"), 1, "no file");
	ok(strstr(run_err, "No such file"), "the error is reported");
	is(run("dump %s mine", one.path), 2, "a file and a session");
	is(run("dump mine yours"), 2, "two sessions");
	is(run("dump --duration 3 %s", one.path), 2, "a file that lasts");
	unlink(one.path);
	unlink(two.path);
	test_cut();
	return done_testing();
}
