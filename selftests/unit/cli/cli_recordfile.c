// SPDX-License-Identifier: MIT
/* cli_recordfile - how etw record treats an existing file of its name */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/tap.h"
#include "cli/record/recording.h"

static char dir[] = "/tmp/etw-recordfile-XXXXXX";

/* Run a shell command in the directory and return its exit status. */
static int shell(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Begin to record into a.etl; no device reports sessions. */
static int begin(struct record *r)
{
	memset(r, 0, sizeof(*r));
	r->fd = -1;
	r->file.path = "a.etl";
	return record_backup_create(r);
}

static void test_moved(void)
{
	static struct record r;

	is(shell("echo before >a.etl; echo 'long ago' >a.etl.old; chmod 600 a.etl.old"), 0, "two");
	is(begin(&r), 0, "make way");
	is(shell("test ! -e a.etl && grep -q before a.etl.old"), 0, "the old one is moved");
	record_backup_restore(&r);
	is(shell("grep -q before a.etl && grep -q 'long ago' a.etl.old && "
		 "test $(stat -c %a a.etl.old) = 600"), 0, "nothing recorded: both are back");
	is(shell("test \"$(echo *)\" = 'a.etl a.etl.old'"), 0, "nothing else");
	is(begin(&r), 0, "again");
	is(shell("echo half >a.etl"), 0, "the session has begun");
	r.started = true;
	record_backup_restore(&r);
	is(shell("grep -q before a.etl && grep -q 'long ago' a.etl.old"), 0, "and did not get far");
	is(begin(&r), 0, "again");
	is(shell("echo new >a.etl"), 0, "it records");
	record_backup_remove(&r);
	is(shell("grep -q new a.etl && grep -q before a.etl.old"), 0, "the one before is kept");
	is(shell("test \"$(echo *)\" = 'a.etl a.etl.old'"), 0, "and no other");
	is(shell("rm a.etl.old"), 0, "only one");
	is(begin(&r), 0, "make way");
	record_backup_restore(&r);
	is(shell("test \"$(echo *)\" = a.etl && grep -q new a.etl"), 0, "is restored, too");
}

static void test_refused(void)
{
	static struct record r;

	is(shell("mkdir a.etl.old"), 0, "a folder in the way");
	is(begin(&r), 1, "is not replaced");
	record_backup_restore(&r);
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
	static struct record r;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		is(shell(kinds[i]), 0, kinds[i]);
		is(begin(&r), 1, "is refused");
		record_backup_restore(&r);
		is(shell("test -e a.etl && test ! -e a.etl.old && rm -r *"), 0, "and stays");
	}
	is(shell("echo kept >file && ln -s file a.etl"), 0, "a link to a file");
	is(begin(&r), 0, "makes way");
	is(shell("test ! -e a.etl && test -L a.etl.old && grep -q kept file"), 0,
	   "is moved itself");
	record_backup_restore(&r);
	is(shell("test -L a.etl && test ! -e a.etl.old && rm a.etl file"), 0, "is back");
	is(shell("ln -s nowhere a.etl"), 0, "one that leads nowhere");
	is(begin(&r), 0, "makes way");
	is(shell("test ! -L a.etl && test -L a.etl.old && rm a.etl.old"), 0, "likewise");
}

/* A file that did not exist before is removed by its creator. */
static void test_new(void)
{
	static struct record r;

	is(begin(&r), 0, "no old one");
	is(shell("echo other >a.etl"), 0, "another process creates it");
	record_backup_restore(&r);
	is(shell("grep -q other a.etl && rm a.etl"), 0, "and keeps it if no session began");
	is(begin(&r), 0, "no old one");
	is(shell("echo half >a.etl"), 0, "the session makes it");
	r.started = true;
	record_backup_restore(&r);
	is(shell("test ! -e a.etl"), 0, "it is removed");
	is(shell(": >a.etl; chmod 640 a.etl"), 0, "an empty one");
	is(begin(&r), 0, "stays where it is");
	is(shell("echo half >a.etl"), 0, "is written to");
	r.started = true;
	record_backup_restore(&r);
	is(shell("test ! -s a.etl && test $(stat -c %a a.etl) = 640 && rm a.etl"), 0,
	   "and is empty again");
}

int main(void)
{
	if (!mkdtemp(dir) || chdir(dir))
		abort();
	test_moved();
	test_refused();
	test_links();
	test_new();
	is(chdir("/") || rmdir(dir), 0, "nothing is left");
	return done_testing();
}
