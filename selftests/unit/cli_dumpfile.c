// SPDX-License-Identifier: MIT
/* etw dump of log files: order, losses, damage; needs no device */
#include "etl_make.h"

#include <sys/wait.h>
#include "tap.h"

static char out[65536], err[4096];

static size_t slurp(const char *path, char *to, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(to, 1, size - 1, f) : 0;

	to[n] = '\0';
	if (f)
		fclose(f);
	unlink(path);
	return n;
}

/* Run the command; its exit status. */
static int dump(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int dump(const char *format, ...)
{
	char command[1024], all[1400];
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(all, sizeof(all), "TZ=UTC ETW_DEVICE=/nonexistent build/etw dump %s "
		 ">/tmp/etw-dump.%d.out 2>/tmp/etw-dump.%d.err", command, getpid(), getpid());
	status = system(all);
	snprintf(all, sizeof(all), "/tmp/etw-dump.%d.out", getpid());
	slurp(all, out, sizeof(out));
	snprintf(all, sizeof(all), "/tmp/etw-dump.%d.err", getpid());
	slurp(all, err, sizeof(err));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The ids of the events printed by --format '%i ' or the like, as one line. */
static bool printed(const char *want)
{
	char *p;

	for (p = out; *p; p++)
		if (*p == '\n')
			*p = ' ';
	if (!strcmp(out, want))
		return true;
	printf("# %s\n", out);
	return false;
}

static void put(struct make *m, uint16_t cpu, uint64_t sequence, int a, int b)
{
	make_buffer(m, cpu, sequence);
	feed_event(&m->feed, 1000 + a * 100, a, NULL, "abc", 3);
	feed_event(&m->feed, 1000 + b * 100, b, NULL, "abc", 3);
	make_put(m);
}

int main(void)
{
	static struct make one, two;
	char other[256], command[256];
	FILE *f;

	make_begin(&one, 1);
	put(&one, 0, 1, 10, 40);
	put(&one, 1, 2, 20, 50);
	make_end(&one);
	make_begin(&two, 1);
	put(&two, 0, 1, 30, 60);
	make_end(&two);

	is(dump("%s", one.path), 0, "a file, without a device");
	ok(strstr(out, "2022-06-18 04:26:40.0000010") && strstr(out, "event(10)") &&
	   strstr(out, "data=616263") && strstr(out, "MSNT_SystemTrace"), "its events");
	ok(!err[0], "nothing to tell");
	is(dump("--json %s", one.path), 0, "as JSON");
	ok(out[0] == '{' && strstr(out, "\"id\":50"), "lines of objects");
	is(dump("-n 2 %s", one.path), 0, "the first two");
	ok(strstr(out, "2022-06-18 04:26:40.0000010") && strstr(out, "event(10)") && !strstr(out, "event(20)"), "and no more");
	is(dump("--format '%%i' %s %s", one.path, two.path), 0, "two files");
	ok(printed("0 0 10 20 30 40 50 60 "), "by time");

	/* As record, autologger and logrotate call them; a session is not asked for its name. */
	snprintf(other, sizeof(other), "%s.old", two.path);
	if (rename(two.path, other))
		abort();
	is(dump("%s", strrchr(other, '/') + 1), 1, "no file of that name here");
	ok(strstr(err, "no such device"), "so it is a session's");
	snprintf(command, sizeof(command), "--help >/dev/null; etw=$PWD/build/etw; cd /tmp && "
		 "ETW_DEVICE=/nonexistent $etw dump --format '%%i' %s", strrchr(other, '/') + 1);
	is(dump("%s", command), 0, "a file without a file's name");
	ok(printed("0 30 60 "), "its events");
	if (rename(other, two.path))
		abort();

	f = fopen(two.path, "r+");
	fseek(f, MAKE_SIZE, SEEK_SET);
	fwrite("\0\0\0\0", 4, 1, f);
	fclose(f);
	is(dump("--format '%%i' %s %s", one.path, two.path), 0, "one has a bad buffer");
	ok(printed("0 0 10 20 40 50 "), "what is there is shown");
	ok(strstr(err, "at offset 4096: the buffer's size is smaller than its header"),
	   "and where it is wrong");
	if (truncate(two.path, 100))
		abort();
	is(dump("%s", two.path), 1, "no log file");
	ok(strstr(err, "not a log file") && !out[0], "is refused");
	is(dump("/nonexistent.etl"), 1, "no file");
	ok(strstr(err, "No such file"), "says so");
	is(dump("%s mine", one.path), 2, "a file and a session");
	is(dump("mine yours"), 2, "two sessions");
	is(dump("--duration 3 %s", one.path), 2, "a file that lasts");
	unlink(one.path);
	unlink(two.path);
	return done_testing();
}
