// SPDX-License-Identifier: MIT
/* cli_recordfile - what becomes of an older log file of the name: record, start and flush */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/tap.h"
#include "cli/request/start_options.h"

static char dir[] = "/tmp/etw-recordfile-XXXXXX";

/* Run a shell command in the directory and return its exit status. */
static int shell(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Begin to record into a.etl; no device reports sessions. */
static int begin(struct startfile *file)
{
	memset(file, 0, sizeof(*file));
	file->path = "a.etl";
	return older_log_move(-1, file, "session");
}

static void test_moved(void)
{
	static struct startfile file;

	is(shell("echo before >a.etl; echo 'long ago' >a.etl.old; chmod 600 a.etl.old"), 0, "two");
	is(begin(&file), 0, "make way");
	is(shell("test ! -e a.etl && grep -q before a.etl.old"), 0, "the old one is moved");
	older_log_restore(&file, false);
	is(shell("grep -q before a.etl && grep -q 'long ago' a.etl.old && "
		 "test $(stat -c %a a.etl.old) = 600"), 0, "nothing recorded: both are back");
	is(shell("test \"$(echo *)\" = 'a.etl a.etl.old'"), 0, "nothing else");
	is(begin(&file), 0, "again");
	is(shell("echo half >a.etl"), 0, "the session has begun");
	older_log_restore(&file, true);
	is(shell("grep -q before a.etl && grep -q 'long ago' a.etl.old"), 0, "and did not get far");
	is(begin(&file), 0, "again");
	is(shell("echo new >a.etl"), 0, "it records");
	older_log_drop(&file);
	is(shell("grep -q new a.etl && grep -q before a.etl.old"), 0, "the one before is kept");
	is(shell("test \"$(echo *)\" = 'a.etl a.etl.old'"), 0, "and no other");
	is(shell("rm a.etl.old"), 0, "only one");
	is(begin(&file), 0, "make way");
	older_log_restore(&file, false);
	is(shell("test \"$(echo *)\" = a.etl && grep -q new a.etl"), 0, "is restored, too");
}

static void test_refused(void)
{
	static struct startfile file;

	is(shell("mkdir a.etl.old"), 0, "a folder in the way");
	is(begin(&file), -EISDIR, "is not replaced");
	older_log_restore(&file, false);
	is(shell("rmdir a.etl.old && test \"$(echo *)\" = a.etl && grep -q new a.etl"), 0,
	   "the old one stays");
	unlink("a.etl");
}

/* A link's target decides: a file is not moved if recording to its place is impossible. */
static void test_links(void)
{
	static const char *const kinds[] = {
		"ln -s /dev/null a.etl", "mkfifo pipe && ln -s pipe a.etl",
		"mkdir folder && ln -s folder a.etl", "mkdir a.etl", "mkfifo a.etl",
		"ln -s /proc/self/fd/1 a.etl", "ln -s /dev/null b && ln -s b a.etl",
	};
	static struct startfile file;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		is(shell(kinds[i]), 0, kinds[i]);
		ok(begin(&file) < 0, "is refused");
		older_log_restore(&file, false);
		is(shell("test -e a.etl && test ! -e a.etl.old && rm -r *"), 0, "and stays");
	}
	is(shell("echo kept >file && ln -s file a.etl"), 0, "a link to a file");
	is(begin(&file), 0, "makes way");
	is(shell("test ! -e a.etl && test -L a.etl.old && grep -q kept file"), 0,
	   "is moved itself");
	older_log_restore(&file, false);
	is(shell("test -L a.etl && test ! -e a.etl.old && rm a.etl file"), 0, "is back");
	is(shell("ln -s nowhere a.etl"), 0, "one that leads nowhere");
	is(begin(&file), 0, "makes way");
	is(shell("test ! -L a.etl && test -L a.etl.old && rm a.etl.old"), 0, "likewise");
}

/* A file that did not exist before is removed by its creator. */
static void test_new(void)
{
	static struct startfile file;

	is(begin(&file), 0, "no old one");
	is(shell("echo other >a.etl"), 0, "another process creates it");
	older_log_restore(&file, false);
	is(shell("grep -q other a.etl && rm a.etl"), 0, "and keeps it if no session began");
	is(begin(&file), 0, "no old one");
	is(shell("echo half >a.etl"), 0, "the session makes it");
	older_log_restore(&file, true);
	is(shell("test ! -e a.etl"), 0, "it is removed");
	is(shell(": >a.etl; chmod 640 a.etl"), 0, "an empty one");
	is(begin(&file), 0, "stays where it is");
	is(shell("echo half >a.etl"), 0, "is written to");
	older_log_restore(&file, true);
	is(shell("test ! -s a.etl && test $(stat -c %a a.etl) = 640 && rm a.etl"), 0,
	   "and is empty again");
}

/* Asked to, it is not kept, but restored if nothing is recorded. */
static void test_replaced(void)
{
	static struct startfile file = { .path = "a.etl", .replace = true };

	is(shell("echo before >a.etl; echo kept >a.etl.old"), 0, "two");
	is(older_log_move(-1, &file, "session"), 0, "the first is to be replaced");
	is(shell("test ! -e a.etl && grep -q kept a.etl.old"), 0, "it is moved away, and not there");
	older_log_restore(&file, true);
	is(shell("grep -q before a.etl && test \"$(echo *)\" = 'a.etl a.etl.old'"), 0, "it is back");
	is(older_log_move(-1, &file, "session"), 0, "again");
	is(shell("echo new >a.etl"), 0, "it records");
	older_log_drop(&file);
	ok(!older_log_kept(&file), "nothing is said to be kept");
	is(shell("grep -q new a.etl && grep -q kept a.etl.old && "
		 "test \"$(echo *)\" = 'a.etl a.etl.old' && rm *"), 0, "nothing else is there");
}

/* The first of several files comes behind all that exist, gaps included. */
static void test_numbers(void)
{
	static struct startfile file = { .path = "a%d.etl", .mode = ETW_MODE_NEWFILE };

	is(older_log_move(-1, &file, "session"), 0, "no file");
	is(file.first, 1, "begins with 1");
	is(shell("touch a2.etl a07.etl a9.etlx b11.etl a5.etl"), 0, "some");
	is(older_log_move(-1, &file, "session"), 0, "of which the last");
	is(file.first, 6, "is followed");
	file.replace = true;
	file.first = 0;
	is(older_log_move(-1, &file, "session"), 0, "to be replaced");
	is(file.first, 1, "it begins anew, with a number to count from");
	is(shell("rm *"), 0, "removed");
	file = (struct startfile){ .path = "nowhere/a%d.etl", .mode = ETW_MODE_NEWFILE };
	is(older_log_move(-1, &file, "session"), -ENOENT, "a folder that is not there");
}

int main(void)
{
	if (!mkdtemp(dir) || chdir(dir))
		abort();
	test_moved();
	test_refused();
	test_links();
	test_new();
	test_replaced();
	test_numbers();
	is(chdir("/") || rmdir(dir), 0, "nothing is left");
	return done_testing();
}
