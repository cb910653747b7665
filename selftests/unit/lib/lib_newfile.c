// SPDX-License-Identifier: MIT
/* lib_newfile - files that have their name only once they are complete */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "lib/tap.h"

static char dir[] = "/tmp/etw-newfile-XXXXXX";

/* What the file system is said not to have: flags of renameat2(), and links */
static bool no_flags, no_links;

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	if (flags && no_flags) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int link(const char *from, const char *to)
{
	if (no_links) {
		errno = EPERM;
		return -1;
	}
	return (int)syscall(SYS_link, from, to);
}

/* -------------------------------------------------------------------- helpers */

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static bool has(const char *name, const char *text)
{
	char line[64] = "";
	FILE *f = fopen(name, "r");
	bool same = f && fgets(line, sizeof(line), f) && !strcmp(line, text);

	if (f)
		fclose(f);
	return same;
}

/* Files here with this in their names; of those, the last one's name */
static unsigned int count(const char *part, char last[NAME_MAX + 1])
{
	struct dirent *entry;
	unsigned int n = 0;
	DIR *d = opendir(".");

	while (d && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    strstr(entry->d_name, part)) {
			n++;
			if (last)
				strcpy(last, entry->d_name);
		}
	if (d)
		closedir(d);
	return n;
}

static int begin(struct etw_atomic_file *f, const char *path, bool replace, const char *text)
{
	int ret = etw_atomic_file_open(f, path, replace);

	if (!ret && write(f->fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	return ret;
}

/* ---------------------------------------------------------------------- tests */

static void test_new(void)
{
	struct etw_atomic_file f, none = { 0 };
	struct stat st;

	umask(027);
	is(begin(&f, "a", false, "new"), 0, "begin");
	ok(count("a.part-", NULL) == 1 && access("a", F_OK), "it has another name");
	is(etw_atomic_file_commit(&f), 0, "commit");
	ok(has("a", "new") && count("", NULL) == 1, "it has its own");
	ok(!stat("a", &st) && (st.st_mode & 0777) == 0640, "permissions are those of any file");
	umask(022);
	is(etw_atomic_file_open(&f, "a", false), -EEXIST, "one that exists");
	is(begin(&f, "b", false, "x"), 0, "another one");
	etw_atomic_file_drop(&f);
	etw_atomic_file_drop(&none);
	etw_atomic_file_settle(&none);
	is(count("", NULL), 1, "dropped, it leaves nothing");
	unlink("a");
}

static void test_killed(void)
{
	char last[NAME_MAX + 1];
	struct etw_atomic_file f;
	int status;
	pid_t pid = fork();

	if (!pid) {
		begin(&f, "a", false, "half");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ok(access("a", F_OK) && count("a.part-", last) == 1, "who dies leaves no half file");
	unlink(last);
}

/* Somebody makes one of that name meanwhile. */
static void test_appears(const char *how)
{
	struct etw_atomic_file f;

	begin(&f, "a", false, "ours");
	put("a", "theirs");
	is(etw_atomic_file_commit(&f), -EEXIST, how);
	ok(has("a", "theirs") && count("", NULL) == 1, "it stays, ours is gone");
	unlink("a");
	begin(&f, "a", false, "ours");
	is(etw_atomic_file_commit(&f), 0, "else not");
	ok(has("a", "ours") && count("", NULL) == 1, "it is there");
	unlink("a");
	begin(&f, "a", true, "ours");
	put("a", "theirs");
	is(etw_atomic_file_commit(&f), 0, "to be replaced");
	ok(has("a", "ours") && count("", NULL) == 1, "it is");
	unlink("a");
}

static void test_links(void)
{
	struct etw_atomic_file f;
	struct stat st;

	put("old", "old");
	chmod("old", 0604);
	if (symlink("old", "link") || symlink("nowhere", "loose"))
		abort();
	is(etw_atomic_file_open(&f, "link", false), -EEXIST, "a link exists");
	is(etw_atomic_file_open(&f, "loose", false), -EEXIST, "so does one that leads nowhere");
	is(etw_atomic_file_open(&f, "loose", true), -ENOENT, "which nothing replaces");
	is(begin(&f, "link", true, "new"), 0, "replace");
	ok(has("link", "old"), "the old one stays till the end");
	is(etw_atomic_file_commit(&f), 0, "commit");
	ok(!lstat("link", &st) && S_ISLNK(st.st_mode) && has("old", "new"), "the link is one");
	ok(!stat("old", &st) && (st.st_mode & 0777) == 0604, "with its permissions");
	unlink("link");
	unlink("old");
	unlink("loose");
	is(count("", NULL), 0, "nothing else");
}

/* Whoever may write to the folder puts something else where the file lies. */
static void test_reopened(void)
{
	struct etw_atomic_file f;
	struct stat st;

	put("old", "old");
	put("victim", "victim");
	chmod("old", 0222);
	begin(&f, "old", true, "new");
	ok(!fstat(f.fd, &st) && (st.st_mode & 0777) == 0600, "its owner may open it again");
	close(f.fd);
	f.fd = -1;
	is(etw_atomic_file_reopen(&f), 0, "which he does");
	is(pwrite(f.fd, "N", 1, 0), 1, "to write");
	close(f.fd);
	f.fd = -1;
	rename(f.part, "aside");
	if (symlink("victim", f.part))
		abort();
	is(etw_atomic_file_reopen(&f), -ELOOP, "but no link");
	unlink(f.part);
	if (link("victim", f.part))
		abort();
	is(etw_atomic_file_reopen(&f), -ESTALE, "and no other file");
	is(etw_atomic_file_place(&f), -ESTALE, "nor is one placed");
	etw_atomic_file_drop(&f);
	ok(has("old", "old") && has("victim", "victim") && has("aside", "New"), "all stay");
	unlink("old");
	unlink("victim");
	unlink("aside");
	is(count("", NULL), 0, "nothing else");
}

#define ACL	"system.posix_acl_access"

/* The group's bits of a file with a list are what the list may grant to anybody. */
static void test_acl(void)
{
	/* rw- for the owner, rw- for user 12345, --- for the group, rw- at most, --- else */
	static const struct {
		uint32_t version;
		struct {
			uint16_t tag, perm;
			uint32_t id;
		} entry[5];
	} acl = { 2, { { 0x01, 6, -1 }, { 0x02, 6, 12345 }, { 0x04, 0, -1 }, { 0x10, 6, -1 },
		       { 0x20, 0, -1 } } };
	char got[sizeof(acl) + 1];
	struct etw_atomic_file f;
	struct stat st;

	put("old", "old");
	if (setxattr("old", ACL, &acl, sizeof(acl), 0)) {
		skip("no access control lists in %s", dir);
		unlink("old");
		return;
	}
	ok(begin(&f, "old", true, "new") == 0 && etw_atomic_file_commit(&f) == 0, "replaced");
	ok(getxattr("old", ACL, got, sizeof(got)) == sizeof(acl) &&
	   !memcmp(got, &acl, sizeof(acl)), "its access control list stays");
	unlink("old");
	put("old", "old");
	chmod("old", 0640);
	is(setxattr(".", "system.posix_acl_default", &acl, sizeof(acl), 0), 0, "the folder's");
	ok(begin(&f, "old", true, "new") == 0 && etw_atomic_file_commit(&f) == 0, "replaced");
	is(removexattr(".", "system.posix_acl_default"), 0, "no more");
	ok(getxattr("old", ACL, got, sizeof(got)) < 0 && errno == ENODATA, "one without has none");
	ok(!stat("old", &st) && (st.st_mode & 0777) == 0640, "and the same permissions");
	unlink("old");
}

static void test_refused(void)
{
	struct etw_atomic_file f;

	is(etw_atomic_file_open(&f, "", true), -ENOENT, "no name");
	is(etw_atomic_file_open(&f, "nowhere/a", true), -ENOENT, "no directory");
	is(etw_atomic_file_open(&f, "nowhere/", true), -ENOENT, "a folder that is not there");
	is(etw_atomic_file_open(&f, "/tmp", false), -EEXIST, "a directory");
	is(etw_atomic_file_open(&f, "/tmp", true), -EISDIR, "to be replaced");
	is(etw_atomic_file_open(&f, "/dev/null", false), -EEXIST, "a device");
	is(etw_atomic_file_open(&f, "/dev/null", true), 1, "to be written as it is");
	etw_atomic_file_drop(&f);
	is(count("", NULL), 0, "nothing was made");
}

/* As long as a name can be, and of a process that goes elsewhere */
static void test_names(void)
{
	static const char two_bytes[] = "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4";
	char name[NAME_MAX + 1];
	struct etw_atomic_file f;

	memset(name, 'x', NAME_MAX);
	name[NAME_MAX] = '\0';
	/* Characters of two bytes where it is cut */
	memcpy(name + 236, two_bytes, sizeof(two_bytes) - 1);
	is(begin(&f, name, false, "long"), 0, "a long name");
	if (chdir("/"))
		abort();
	is(etw_atomic_file_commit(&f), 0, "from elsewhere");
	if (chdir(dir))
		abort();
	ok(has(name, "long") && count("", NULL) == 1, "is there");
	unlink(name);
}

/* A name need not be UTF-8: here no character ever begins. */
static void test_odd_names(void)
{
	char name[NAME_MAX + 1], last[NAME_MAX + 1];
	struct etw_atomic_file f;
	char *part = NULL;
	int len;

	for (len = NAME_MAX - 13; len <= NAME_MAX; len++) {
		memset(name, 0x80, (size_t)len);
		name[len] = '\0';
		if (begin(&f, name, false, "odd") || etw_atomic_file_commit(&f) || !has(name, "odd"))
			break;
		unlink(name);
	}
	is(len, NAME_MAX + 1, "names of bytes that no character begins with");
	is(etw_atomic_file_folder(name, &part), 0, "a folder, by a relative name");
	ok(part && count(".part-", last) == 1 && strlen(last) == NAME_MAX,
	   "has one as long as it can be");
	is(part && !rmdir(part), 1, "it is there");
	free(part);
}

/* Several: all, or none. */
static void test_several(const char *how)
{
	struct etw_atomic_file f[3];
	unsigned int i, round;
	int ret[3];

	for (round = 0; round < 2; round++) {
		put("0", "old 0");
		put("1", "old 1");
		begin(&f[0], "0", true, "new 0");
		begin(&f[1], "1", true, "new 1");
		begin(&f[2], "2", round, "new 2");
		/* In the way of the last one */
		if (round && mkdir("2", 0700))
			abort();
		close(f[1].fd);
		f[1].fd = -1;
		for (i = 0; i < 3; i++)
			ret[i] = etw_atomic_file_place(&f[i]);
		ok(!ret[0] && !ret[1] && ret[2] == (round ? -EISDIR : 0), "%s: placed", how);
		ok(has("0", "new 0") && has("1", "new 1"), "they have their names");
		for (i = 3; i--;) {
			if (round)
				etw_atomic_file_drop(&f[i]);
			else
				etw_atomic_file_settle(&f[i]);
		}
		if (round)
			ok(has("0", "old 0") && has("1", "old 1"), "the old ones are back");
		else
			ok(has("0", "new 0") && has("1", "new 1") && has("2", "new 2"), "settled");
		is(count("", NULL), 3, "nothing else");
		unlink("0");
		unlink("1");
		remove("2");
	}
	begin(&f[0], "0", false, "new");
	is(etw_atomic_file_place(&f[0]), 0, "a new one is placed");
	etw_atomic_file_drop(&f[0]);
	is(count("", NULL), 0, "and taken away");
}

/* What was replaced cannot get its name back: it is told, and kept. */
static void test_undo(void)
{
	struct etw_atomic_file f;
	char *part;

	put("0", "old");
	begin(&f, "0", true, "new");
	is(etw_atomic_file_place(&f), 0, "placed");
	part = strdup(f.part);
	unlink("0");
	if (!part || mkdir("0", 0700))
		abort();
	is(etw_atomic_file_undo(&f), -EISDIR, "in the way of what was replaced");
	ok(f.part && !strcmp(f.part, part), "where it is, is told");
	etw_atomic_file_drop(&f);
	ok(has(part, "old"), "and it stays there");
	ok(!rmdir("0") && !unlink(part) && !count("", NULL), "nothing else");
	free(part);
}

static void test_folders(void)
{
	char *part;

	is(etw_atomic_file_folder("f", &part), 0, "a folder");
	if (mkdir("other", 0700))
		abort();
	is(etw_atomic_file_rename(part, "other", true), -EEXIST, "never replaces one, even if empty");
	is(etw_atomic_file_rename(part, "f", true), 0, "but gets its name");
	free(part);
	ok(!rmdir("f") && !rmdir("other") && !count("", NULL), "nothing else");
}

int main(void)
{
	unsigned int i;

	if (!mkdtemp(dir) || chdir(dir))
		abort();
	test_new();
	test_killed();
	test_links();
	test_reopened();
	test_acl();
	test_refused();
	test_names();
	test_odd_names();
	for (i = 0; i < 3; i++) {
		no_flags = i > 0;
		no_links = i > 1;
		test_appears(i ? i > 1 ? "without links" : "without flags" : "with all");
		test_undo();
		test_several(i ? "without flags" : "with flags");
		test_folders();
	}
	is(chdir("/") || rmdir(dir), 0, "nothing is left");
	return done_testing();
}
