/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_procs.c - names of processes: the right name or none, with a simulated /proc and
 * clock
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/tap.h"

#include "cli/print/process_names.c"

void cli_die(const char *fmt, ...)
{
	printf("Bail out! %s\n", fmt);
	exit(1);
}

static char root[] = "/tmp/cli_procs.XXXXXX";
static struct moment clocks;

static void now(struct moment *moment)
{
	*moment = clocks;
}

/* Wall clock time of boot */
#define BOOT	(ETW_UNIX_EPOCH_100NS + 1000 * SECOND)

/* The time this many milliseconds after boot */
static int64_t at(int64_t ms)
{
	return BOOT + ms * 10000;
}

static void set_clock(int64_t ms)
{
	clocks.boot = ms * 10000;
	clocks.wall = at(ms);
	clocks.apart = 0;
}

static void path_of(char path[128], unsigned int pid, unsigned int tid)
{
	if (pid == tid)
		snprintf(path, 128, "%s/%u/stat", root, pid);
	else
		snprintf(path, 128, "%s/%u/task/%u/stat", root, pid, tid);
}

/* A thread with that name, started at that tick */
static void live(unsigned int pid, unsigned int tid, const char *name, unsigned int ticks)
{
	char path[128];
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "%s/%u", root, pid);
	mkdir(path, 0700);
	strcat(path, "/task");
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%u/task/%u", root, pid, tid);
	mkdir(path, 0700);
	path_of(path, pid, tid);
	file = fopen(path, "w");
	fprintf(file, "%u (%s) S", tid, name);
	for (i = 4; i < STAT_START; i++)
		fprintf(file, " %d", -i);
	fprintf(file, " %u 0 0\n", ticks);
	fclose(file);
}

static void die(unsigned int pid, unsigned int tid)
{
	char path[128];

	path_of(path, pid, tid);
	unlink(path);
}

static uint64_t key_of(unsigned int pid, int64_t ms)
{
	return (uint64_t)(ms * 1000000) >> KEY_UNIT_SHIFT << KEY_ID_BITS | pid;
}

static void has(const char *got, const char *want, const char *name)
{
	if (!ok(want ? got && !strcmp(got, want) : !got, "%s", name))
		printf("# got %s\n", got ? got : "none");
}

static struct procs *open_procs(void)
{
	set_clock(10000);
	return procs_open(root, 100, now);
}

static void test_lifetime(void)
{
	struct procs *p = open_procs();

	live(7, 7, "first", 500);
	has(procs_get(p, 7, 7, at(9000), NULL), "first", "a living one's name");
	has(procs_get(p, 7, 7, at(5000), NULL), "first", "from its first tick on");
	has(procs_get(p, 7, 7, at(4999), NULL), NULL, "but not before, when the id was another's");
	has(procs_get(p, 8, 8, at(9000), NULL), NULL, "an unused id");
	die(7, 7);
	has(procs_get(p, 7, 7, at(9500), NULL), "first",
	    "it has ended, but was seen after the event");
	set_clock(12000);
	has(procs_get(p, 7, 7, at(10001), NULL), NULL, "an event after it was last seen");
	live(7, 7, "second", 1100);
	has(procs_get(p, 7, 7, at(10500), NULL), NULL, "between both");
	set_clock(13000);
	has(procs_get(p, 7, 7, at(12500), NULL), "second", "the next one with its id");
	has(procs_get(p, 7, 7, at(10500), NULL), NULL, "never for events before it");
	live(7, 7, "renamed", 1100);
	has(procs_get(p, 7, 7, at(12600), NULL), "second", "a known name is not looked up again");
	set_clock(14000);
	has(procs_get(p, 7, 7, at(13500), NULL), "renamed", "the name at the time of the look-up");
	has(procs_get(p, 0, 0, at(1), NULL), "swapper", "the idle task");
	has(procs_get(p, 0, 5, at(1), NULL), "swapper", "on any CPU");
	procs_free(p);
	die(7, 7);
}

static void test_threads(void)
{
	struct procs *p = open_procs();

	live(7, 7, "main", 500);
	live(7, 9, "worker", 700);
	has(procs_get(p, 7, 9, at(8000), NULL), "worker", "a thread");
	has(procs_get(p, 7, 9, at(6999), NULL), NULL, "before it began");
	has(procs_get(p, 7, 7, at(6999), NULL), "main", "when its process was there");
	has(procs_get(p, 8, 9, at(8000), NULL), NULL, "not of another process");
	has(procs_get(p, 7, 9, at(8000), NULL), "worker", "whatever is asked between");
	procs_free(p);
	die(7, 9);
	die(7, 7);
}

static void test_keys(void)
{
	struct procs *p = open_procs();
	uint64_t first = key_of(7, 5003), second = key_of(7, 10907), other = key_of(8, 5003);

	live(7, 7, "first", 500);
	has(procs_get(p, 7, 7, at(9000), &first), "first", "by its key");
	has(procs_get(p, 7, 7, at(9000), &second), NULL, "another key");
	has(procs_get(p, 7, 7, at(9000), &other), NULL, "the key of another id");
	die(7, 7);
	set_clock(12000);
	has(procs_get(p, 7, 7, at(11000), &first), "first", "it has ended: its key stays its own");
	set_clock(13000);
	live(7, 7, "second", 1090);
	has(procs_get(p, 7, 7, at(12100), &first), "first", "also when the id is another's");
	has(procs_get(p, 7, 7, at(12500), &second), "second", "the next one, by its key");
	has(procs_get(p, 7, 7, at(12500), &first), NULL, "which has taken the slot");
	/* Both ends of a tick, in the key's unit. */
	first = key_of(7, 10900);
	second = key_of(7, 10909);
	has(procs_get(p, 7, 7, at(12600), &first), "second", "begun early in its tick");
	has(procs_get(p, 7, 7, at(12600), &second), "second", "begun late in it");
	first = key_of(7, 10898);
	second = key_of(7, 10912);
	has(procs_get(p, 7, 7, at(12600), &first), NULL, "begun before it");
	has(procs_get(p, 7, 7, at(12600), &second), NULL, "begun after it");
	procs_free(p);
	die(7, 7);
}

/* fork(), an event, exec(): the key stays the same, the name changes. */
static void test_key_renamed(void)
{
	struct procs *p = open_procs();
	uint64_t key = key_of(7, 5003);

	live(7, 7, "bash", 500);
	has(procs_get(p, 7, 7, at(9000), &key), "bash", "by its key, before it was renamed");
	live(7, 7, "worker", 500);
	has(procs_get(p, 7, 7, at(9500), &key), "bash", "a known name is not looked up again");
	set_clock(12000);
	has(procs_get(p, 7, 7, at(11000), &key), "worker", "a later event, by the same key");
	procs_free(p);
	die(7, 7);
}

/* The clock is set: times prove nothing any more, keys still do. */
static void test_clock_set(void)
{
	struct procs *p = open_procs();
	uint64_t key = key_of(7, 5003);

	live(7, 7, "name", 500);
	has(procs_get(p, 7, 7, at(9000), NULL), "name", "before the clock is set");
	set_clock(11000);
	clocks.wall += 3600 * SECOND;
	has(procs_get(p, 7, 7, at(10500), NULL), NULL, "afterwards");
	has(procs_get(p, 7, 7, at(9000), NULL), NULL, "also of events before");
	has(procs_get(p, 7, 7, at(10600), &key), "name", "a key is good");
	procs_free(p);
	die(7, 7);
}

static void test_names(void)
{
	static const char *const names[] = { "a b", "a) S 1 2 (b", "((", "))", "", "\x1b[31m\n" };
	struct procs *p;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		p = open_procs();
		live(7, 7, names[i], 500);
		has(procs_get(p, 7, 7, at(9000), NULL), names[i], "a name with any characters");
		procs_free(p);
	}
	die(7, 7);
}

static void test_lies(void)
{
	static const char *const lines[] = { "", "7", "7 (x", "7 (x)", "7 x) S", "7 (x) S 1 2 3",
		"7 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 z" };
	struct procs *p;
	char path[128];
	FILE *file;
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		live(7, 7, "x", 1);
		path_of(path, 7, 7);
		file = fopen(path, "w");
		fputs(lines[i], file);
		fclose(file);
		p = open_procs();
		has(procs_get(p, 7, 7, at(9000), NULL), NULL, lines[i]);
		procs_free(p);
	}
	die(7, 7);
}

/* With more ids than slots, evicted ids are looked up again. */
static void test_many(void)
{
	struct procs *p = open_procs();
	unsigned int id, wrong = 0;
	char name[16];

	for (id = 1; id <= 20; id++) {
		snprintf(name, sizeof(name), "n%u", id);
		live(id, id, name, 100);
	}
	for (id = 1; id <= 20000; id++) {
		const char *got = procs_get(p, id, id, at(9000), NULL);

		snprintf(name, sizeof(name), "n%u", id);
		wrong += id <= 20 ? !got || strcmp(got, name) : !!got;
	}
	for (id = 1; id <= 20; id++) {
		const char *got = procs_get(p, id, id, at(9000), NULL);

		snprintf(name, sizeof(name), "n%u", id);
		wrong += !got || strcmp(got, name);
		die(id, id);
	}
	is(wrong, 0, "20,000 ids");
	procs_free(p);
}

/* For this process, with the real clock and the real /proc */
static void test_real(void)
{
	struct procs *p = procs_open("/proc", sysconf(_SC_CLK_TCK), read_clocks);
	struct moment moment;
	char comm[64] = "";
	FILE *file = fopen("/proc/self/comm", "r");

	if (file && fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = '\0';
	if (file)
		fclose(file);
	read_clocks(&moment);
	if (p && comm[0]) {
		has(procs_get(p, getpid(), getpid(), moment.wall, NULL), comm,
		    "this test's own name");
		has(procs_get(p, getpid(), getpid(), moment.wall - moment.boot, NULL), NULL,
		    "not when the machine was booted");
	} else {
		skip("/proc has no processes");
	}
	procs_free(p);
	p = procs_new();
	ok(!p == !ids_are_ours(), "names are known where ids are the initial namespace's");
	procs_free(p);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(root))
		return 1;
	test_lifetime();
	test_threads();
	test_keys();
	test_key_renamed();
	test_clock_set();
	test_names();
	test_lies();
	test_many();
	test_real();
	snprintf(command, sizeof(command), "rm -rf %s", root);
	ok(!system(command), "all is put away");
	return done_testing();
}
