// SPDX-License-Identifier: MIT
/* atomic_file - write files under a temporary name, then rename them */
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

static char dir[] = "/tmp/etw-atomic-file-XXXXXX";

/* Simulate a file system without renameat2() flags or without hard links. */
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

/* The number of files with this in their names, and the name of the last one */
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
	int ret = etw_atomic_file_open(f, path, replace ? ETW_ATOMIC_REPLACE : 0);

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
	ok(count("a.part-", NULL) == 1 && access("a", F_OK), "the file has a temporary name");
	is(etw_atomic_file_commit(&f), 0, "commit");
	ok(has("a", "new") && count("", NULL) == 1, "the file has its own name");
	ok(!stat("a", &st) && (st.st_mode & 0777) == 0640, "permissions are those of any file");
	umask(022);
	is(etw_atomic_file_open(&f, "a", 0), -EEXIST, "one that exists");
	is(begin(&f, "b", false, "x"), 0, "another one");
	is(etw_atomic_file_rollback(&f), 0, "rolled back");
	is(etw_atomic_file_rollback(&none), 0, "so is one that was never opened");
	is(count("", NULL), 1, "it leaves nothing");
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
	ok(access("a", F_OK) && count("a.part-", last) == 1,
	   "a process that dies leaves no half file");
	unlink(last);
}

/* Another process creates the file meanwhile. */
static void test_appears(const char *how)
{
	struct etw_atomic_file f;

	begin(&f, "a", false, "ours");
	put("a", "theirs");
	is(etw_atomic_file_commit(&f), -EEXIST, how);
	ok(has("a", "theirs") && count("", NULL) == 1, "the other file stays, ours is removed");
	unlink("a");
	begin(&f, "a", false, "ours");
	is(etw_atomic_file_commit(&f), 0, "else not");
	ok(has("a", "ours") && count("", NULL) == 1, "the file exists");
	unlink("a");
	begin(&f, "a", true, "ours");
	put("a", "theirs");
	is(etw_atomic_file_commit(&f), 0, "to be replaced");
	ok(has("a", "ours") && count("", NULL) == 1, "the file is replaced");
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
	is(etw_atomic_file_open(&f, "link", 0), -EEXIST, "a link exists");
	is(etw_atomic_file_open(&f, "loose", 0), -EEXIST, "so does one that leads nowhere");
	is(etw_atomic_file_open(&f, "loose", ETW_ATOMIC_REPLACE), -ENOENT,
	   "which nothing replaces");
	is(begin(&f, "link", true, "new"), 0, "replace");
	ok(has("link", "old"), "the old file stays until the commit");
	is(etw_atomic_file_commit(&f), 0, "commit");
	ok(!lstat("link", &st) && S_ISLNK(st.st_mode) && has("old", "new"), "the link is one");
	ok(!stat("old", &st) && (st.st_mode & 0777) == 0604, "with its permissions");
	unlink("link");
	unlink("old");
	unlink("loose");
	is(count("", NULL), 0, "nothing else");
}

/* A caller with many files closes them in between. */
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
	is(etw_atomic_file_reopen(&f), 0, "reopened");
	is(pwrite(f.fd, "N", 1, 0), 1, "and written");
	close(f.fd);
	f.fd = -1;
	rename(f.temp_path, "aside");
	if (symlink("victim", f.temp_path))
		abort();
	is(etw_atomic_file_reopen(&f), -ELOOP, "a link is not opened");
	is(etw_atomic_file_commit(&f), -ELOOP, "nor committed");
	ok(has("old", "old") && has("victim", "victim") && has("aside", "New"), "all stay");
	begin(&f, "old", true, "new");
	close(f.fd);
	f.fd = -1;
	chmod("victim", 0400);
	rename("victim", f.temp_path);
	is(etw_atomic_file_reopen(&f), -ESTALE, "another file is not opened");
	is(etw_atomic_file_commit(&f), -ESTALE, "nor given the owner and mode of the old one");
	ok(has("old", "old"), "the old file stays");
	unlink("old");
	unlink("aside");
	is(count("", NULL), 0, "nothing else");
}

#define ACL	"system.posix_acl_access"
#define DEFAULT_ACL	"system.posix_acl_default"

/* With an access list, the group bits of a file are the most that the list may grant. */
static void test_acl(void)
{
	/* owner rw-, user 12345 rw-, group ---, mask rw-, other --- */
	static const struct {
		uint32_t version;
		struct {
			uint16_t tag, perm;
			uint32_t id;
		} entry[5];
	} acl = { 2, { { 0x01, 6, -1 }, { 0x02, 6, 12345 }, { 0x04, 0, -1 }, { 0x10, 6, -1 },
		       { 0x20, 0, -1 } } };
	struct etw_atomic_file f;
	struct stat st;

	put("old", "old");
	if (setxattr("old", ACL, &acl, sizeof(acl), 0)) {
		skip("no access control lists in %s", dir);
		unlink("old");
		return;
	}
	ok(begin(&f, "old", true, "new") == 0 && etw_atomic_file_commit(&f) == 0, "replaced");
	ok(!stat("old", &st) && (st.st_mode & 0777) == 0600,
	   "the group gets nothing that the list granted to others");
	unlink("old");
	/* A new file in a folder with a default list inherits it. */
	put("old", "old");
	chmod("old", 0640);
	if (setxattr(".", DEFAULT_ACL, &acl, sizeof(acl), 0))
		abort();
	ok(begin(&f, "old", true, "new") == 0 && etw_atomic_file_commit(&f) == 0, "replaced");
	ok(getxattr("old", ACL, NULL, 0) < 0 && errno == ENODATA,
	   "the new file does not inherit the folder's list");
	ok(!stat("old", &st) && (st.st_mode & 0777) == 0640, "and has the old file's mode");
	removexattr(".", DEFAULT_ACL);
	unlink("old");
}

static void test_refused(void)
{
	const unsigned int R = ETW_ATOMIC_REPLACE;
	struct etw_atomic_file f;

	is(etw_atomic_file_open(&f, "", R), -ENOENT, "no name");
	is(etw_atomic_file_open(&f, "nowhere/a", R), -ENOENT, "no directory");
	is(etw_atomic_file_open(&f, "nowhere/", R), -ENOENT, "a folder that is not there");
	is(etw_atomic_file_open(&f, "/tmp", 0), -EEXIST, "a directory");
	is(etw_atomic_file_open(&f, "/tmp", R), -EISDIR, "to be replaced");
	is(etw_atomic_file_open(&f, "/dev/null", 0), -EEXIST, "a device");
	is(etw_atomic_file_open(&f, "/dev/null", R), -ENOTSUP, "to be replaced");
	is(count("", NULL), 0, "nothing was made");
}

/* Pipes and devices are written in place, if the caller requests it. */
static void test_in_place(void)
{
	const unsigned int both = ETW_ATOMIC_REPLACE | ETW_ATOMIC_DEVICE;
	struct etw_atomic_file f;
	int fd;

	is(etw_atomic_file_open(&f, "/dev/null", both), 0, "a device");
	ok(f.fd >= 0 && !f.temp_path && etw_atomic_file_commit(&f) == 0, "is written in place");
	if (mkfifo("pipe", 0600))
		abort();
	is(etw_atomic_file_open(&f, "pipe", both), -ESPIPE, "a pipe cannot seek");
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	is(etw_atomic_file_open(&f, "pipe", ETW_ATOMIC_STREAM), 0, "a stream need not");
	is(write(f.fd, "x", 1), 1, "it is written");
	is(etw_atomic_file_rollback(&f), 0, "and stays");
	close(fd);
	unlink("pipe");
	is(count("", NULL), 0, "nothing else");
}

/* Names of any length, and a process that changes its directory */
static void test_names(void)
{
	char name[NAME_MAX + 1], last[NAME_MAX + 1];
	struct etw_atomic_file f;
	int len;

	for (len = NAME_MAX - 13; len <= NAME_MAX; len++) {
		memset(name, 'x', (size_t)len);
		name[len] = '\0';
		if (begin(&f, name, false, "long") || count(".part-", last) != 1 || chdir("/") ||
		    etw_atomic_file_commit(&f) || chdir(dir) || !has(name, "long"))
			break;
		unlink(name);
	}
	is(len, NAME_MAX + 1, "long names");
	is(count("", NULL), 0, "nothing else");
}

/* Several files: all are replaced, or none. */
static void test_several(const char *how)
{
	struct etw_atomic_file f[3], *list[3] = { &f[0], &f[1], &f[2] };
	unsigned int i, round, failed = 9;
	int ret;

	for (round = 0; round < 2; round++) {
		put("0", "old 0");
		put("1", "old 1");
		begin(&f[0], "0", true, "new 0");
		begin(&f[1], "1", true, "new 1");
		begin(&f[2], "2", round, "new 2");
		/* A directory with the last file's name */
		if (round && mkdir("2", 0700))
			abort();
		close(f[1].fd);
		f[1].fd = -1;
		ret = etw_atomic_file_commit_all(list, 3, &failed);
		ok(ret == (round ? -EISDIR : 0), "%s: %s", how, round ? "one fails" : "committed");
		if (round) {
			is(failed, 2, "the last one");
			for (i = 0; i < 3; i++)
				is(etw_atomic_file_rollback(&f[i]), 0, "rolled back");
			ok(has("0", "old 0") && has("1", "old 1"), "the old ones are back");
		} else {
			ok(has("0", "new 0") && has("1", "new 1") && has("2", "new 2"), "all");
		}
		is(count("", NULL), 3, "nothing else");
		unlink("0");
		unlink("1");
		remove("2");
	}
	begin(&f[0], "0", false, "new");
	begin(&f[1], "1", false, "new");
	put("1", "theirs");
	is(etw_atomic_file_commit_all(list, 2, &failed), -EEXIST, "one exists meanwhile");
	etw_atomic_file_rollback(&f[0]);
	etw_atomic_file_rollback(&f[1]);
	ok(has("1", "theirs") && count("", NULL) == 1, "the first file is rolled back");
	unlink("1");
}

/* The replaced file cannot get its name back: it is kept, and its name is returned. */
static void test_rollback_fails(void)
{
	struct etw_atomic_file f[2], *list[2] = { &f[0], &f[1] };
	unsigned int failed;

	put("0", "old");
	begin(&f[0], "0", true, "new");
	begin(&f[1], "1", true, "new");
	if (mkdir("1", 0700))
		abort();
	is(etw_atomic_file_commit_all(list, 2, &failed), -EISDIR, "the second one fails");
	unlink("0");
	if (mkdir("0", 0700))
		abort();
	is(etw_atomic_file_rollback(&f[0]), -EISDIR, "a folder has the old one's name");
	ok(f[0].backup && has(f[0].backup, "old"), "its backup stays");
	etw_atomic_file_rollback(&f[1]);
	ok(!rmdir("0") && !rmdir("1") && f[0].backup && !unlink(f[0].backup) && !count("", NULL),
	   "nothing else");
	free(f[0].backup);
}

static void make(const char *folder, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	put(path, "x");
}

static void test_folders(void)
{
	const unsigned int folder = ETW_ATOMIC_FOLDER, both = folder | ETW_ATOMIC_REPLACE;
	struct etw_atomic_file f;
	struct stat st;

	is(etw_atomic_file_open(&f, "f/", folder), 0, "a folder");
	make(f.temp_path, "mark");
	if (mkdir("f", 0710))
		abort();
	is(etw_atomic_file_commit(&f), -EEXIST, "an empty folder is not replaced without the flag");
	is(etw_atomic_file_open(&f, "f", folder), -EEXIST, "nor can a replacement begin");
	is(etw_atomic_file_open(&f, "f", both), 0, "but asked");
	ok(!stat(f.temp_path, &st) && (st.st_mode & 0777) == 0700, "private until then");
	make(f.temp_path, "mark");
	is(etw_atomic_file_commit(&f), 0, "the folder is replaced");
	ok(!access("f/mark", F_OK) && !stat("f", &st) && (st.st_mode & 0777) == 0710,
	   "and has its permissions");
	is(etw_atomic_file_open(&f, "f", both), 0, "a folder with something in it");
	is(etw_atomic_file_commit(&f), -ENOTEMPTY, "is not replaced");
	is(etw_atomic_file_open(&f, "f", both), 0, "unless a file marks it as ours");
	f.mark = "mark";
	make(f.temp_path, "new");
	is(etw_atomic_file_commit(&f), 0, "by a file in it");
	ok(!access("f/new", F_OK) && access("f/mark", F_OK), "the folder is replaced");
	put("g", "file");
	is(etw_atomic_file_open(&f, "g", both), -ENOTDIR, "a file is not replaced by a folder");
	unlink("g");
	unlink("f/new");
	ok(!rmdir("f") && !count("", NULL), "nothing else");
}

static int begin_keep(struct etw_atomic_file *f, const char *path, const char *text)
{
	int ret = etw_atomic_file_open(f, path, ETW_ATOMIC_KEEP);

	if (!ret && write(f->fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	return ret;
}

/* What exists becomes FILE.old, all or none of several. */
static void test_kept(void)
{
	struct etw_atomic_file f, g, *both[] = { &f, &g };
	unsigned int failed;
	struct stat st;

	is(begin_keep(&f, "a", "1"), 0, "a new file");
	is(etw_atomic_file_commit(&f), 0, "committed");
	ok(!f.kept && has("a", "1"), "keeps nothing");
	is(begin_keep(&f, "a", "2"), 0, "one that exists");
	ok(has("a", "1"), "stays until the commit");
	is(etw_atomic_file_commit(&f), 0, "committed");
	ok(has("a", "2") && has("a.old", "1") && f.kept && strstr(f.kept, "/a.old"), "it is kept");
	free(f.kept);
	is(begin_keep(&f, "a", "3") | begin_keep(&g, "b", "b"), 0, "two");
	is(mkdir("b", 0755), 0, "in the way of one");
	is(etw_atomic_file_commit_all(both, 2, &failed), -EISDIR, "are not committed");
	is(etw_atomic_file_rollback(&f) | etw_atomic_file_rollback(&g), 0, "nor one of them");
	ok(has("a", "2") && has("a.old", "1") && count("", NULL) == 3, "all is as it was");
	rmdir("b");
	is(begin_keep(&f, "a", "3"), 0, "again");
	is(etw_atomic_file_commit(&f), 0, "committed");
	ok(has("a", "3") && has("a.old", "2") && count("", NULL) == 2, "the last one is kept");
	free(f.kept);
	is(unlink("a") | close(open("a", O_CREAT | O_WRONLY, 0604)) | chmod("a", 0604), 0, "an empty one");
	is(begin_keep(&f, "a", "4") | etw_atomic_file_commit(&f), 0, "is replaced");
	ok(!f.kept && has("a", "4") && has("a.old", "2") && !stat("a", &st) &&
	   (st.st_mode & 0777) == 0604, "with its permissions");
	is(rename("a", "c") | symlink("c", "a"), 0, "a link");
	is(begin_keep(&f, "a", "5") | etw_atomic_file_commit(&f), 0, "is moved itself");
	ok(has("a", "5") && has("c", "4") && !lstat("a.old", &st) && S_ISLNK(st.st_mode), "and kept");
	free(f.kept);
	is(begin_keep(&f, "a", "6"), 0, "a file");
	is(unlink("a.old") | mkdir("a.old", 0755), 0, "whose older one would be a folder");
	is(etw_atomic_file_commit(&f), -EISDIR, "is refused");
	ok(has("a", "5") && count("", NULL) == 3, "all is as it was");
	is(rmdir("a.old") | unlink("a") | unlink("c"), 0, "removed");
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
	test_in_place();
	test_names();
	for (i = 0; i < 3; i++) {
		no_flags = i > 0;
		no_links = i > 1;
		test_appears(i ? i > 1 ? "without links" : "without flags" : "with all");
		test_rollback_fails();
		test_several(i ? "without flags" : "with flags");
		test_folders();
	test_kept();
	}
	is(chdir("/") || rmdir(dir), 0, "nothing is left");
	return done_testing();
}
