// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folders of manifests with invalid files: each is read once, costs nothing on later
 * look-ups, and is noticed when it is fixed
 *
 * The linker redirects realloc() to this file.  Unreadable files are tested as a user who
 * is not root: only files of root or of that user are read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tdh/store/folder.h"
#include "tdh/store/installed.h"
#include "lib/tap.h"

#define NOBODY	65534

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

static int until_failure = -1;	/* -1: no failure */

void *__wrap_realloc(void *p, size_t size)
{
	if (until_failure >= 0 && !until_failure--)
		return NULL;
	return __real_realloc(p, size);
}

static char folder[64];
static int folder_fd;

/* The files, by the first number of their GUID. */
enum {
	OUTSIDE,
	ABSOLUTE,
	ABOVE,
	ITSELF,
	LONG_ONE,
	LONGER,
	LOOP,
	PIPE,
	DIRECTORY,
	BROKEN,
	LOCKED,
	GOOD,
	KINDS,
	UNKNOWN = 1000,
};

static size_t in_use(void)
{
	return __sanitizer_get_current_allocated_bytes ?
		__sanitizer_get_current_allocated_bytes() : mallinfo2().uordblks;
}

static GUID guid_of(unsigned int i)
{
	GUID guid = { i, 0x7d54, 0x4a39, { 0x9d, 0x4e, 0x2b, 0x9a, 0x1f, 0x0d, 0x8e, 0x01 } };

	return guid;
}

static char *name_of(unsigned int i)
{
	static char name[ETW_FOLDER_LINK];
	GUID guid = guid_of(i);

	etw_folder_link_name(&guid, name);
	return name;
}

/* Overwrite an existing file in place: the folder does not change then. */
static void write_manifest(unsigned int i, const char *name)
{
	int fd = openat(folder_fd, name_of(i), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || dprintf(fd,
		"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'>"
		"<instrumentation><events><provider name='%s' symbol='P%u'"
		" guid='{%08x-7d54-4a39-9d4e-2b9a1f0d8e01}' resourceFileName='t' messageFileName='t'/>"
		"</events></instrumentation></instrumentationManifest>\n", name, i, i) < 0 || close(fd))
		ok(0, "cannot write %s", name_of(i));
}

static void link_to(unsigned int i, const char *target)
{
	if (symlinkat(target, folder_fd, name_of(i)))
		ok(0, "cannot link %s", name_of(i));
}

static void make_kinds(void)
{
	char text[1001];
	int fd;

	memset(text, 'x', sizeof(text));
	text[1000] = '\0';
	link_to(LONGER, text);
	text[NAME_MAX + 1] = '\0';
	link_to(LONG_ONE, text);
	link_to(OUTSIDE, "../elsewhere");
	link_to(ABSOLUTE, "/etc/passwd");
	link_to(ABOVE, "..");
	link_to(ITSELF, ".");
	link_to(LOOP, name_of(LOOP));
	if (mkfifoat(folder_fd, name_of(PIPE), 0644))
		ok(0, "a pipe");
	if (mkdirat(folder_fd, name_of(DIRECTORY), 0755))
		ok(0, "a folder");
	fd = openat(folder_fd, name_of(BROKEN), O_WRONLY | O_CREAT, 0644);
	if (fd < 0 || write(fd, "<broken", 7) != 7 || close(fd))
		ok(0, "a broken one");
	write_manifest(LOCKED, "Locked");
	fchmodat(folder_fd, name_of(LOCKED), 0, 0);
	write_manifest(GOOD, "Good");
}

static int finds(unsigned int i)
{
	GUID guid = guid_of(i);

	return etw_installed_in(0, &guid) != NULL;
}

static int find_kinds(void)
{
	int i, count = 0;

	for (i = 0; i < KINDS; i++)
		count += finds((unsigned int)i);
	return count;
}

static int find_good(void)
{
	return finds(GOOD);
}

static int each(int *count)
{
	struct etw_store_list all = { .list = NULL };
	int err = etw_installed_all(&all);

	*count = (int)all.count;
	etw_store_list_free(&all);
	return err;
}

static int problem_count(void)
{
	unsigned int i;

	for (i = 0; etw_installed_problem(i); i++)
		;
	return (int)i;
}

/*
 * Look up again until no change is reported, which takes a while for young files; after
 * that none may be reported.
 */
static int settles(int (*find)(void))
{
	int i, still;

	for (i = 0; i < 300; i++) {
		etw_installed_forget();
		find();
		if (!etw_installed_changed())
			break;
		usleep(100000);
	}
	for (still = 0; still < 3; still++)
		if (etw_installed_changed())
			return 0;
	return i < 300;
}

static void test_look(void)
{
	static const int errors[KINDS] = {
		[OUTSIDE] = -EPERM, [ABSOLUTE] = -EPERM, [ABOVE] = -EPERM, [ITSELF] = -EPERM,
		[LONG_ONE] = -EPERM, [LONGER] = -EPERM, [LOOP] = -EPERM, [PIPE] = -EPERM,
		[DIRECTORY] = -EPERM, [LOCKED] = -EACCES,
	};
	struct etw_folder_file file;
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		memset(&file, 0xff, sizeof(file));
		is(etw_folder_look(folder_fd, name_of(i), &file), errors[i], name_of(i));
		ok(memchr(file.name, 0, sizeof(file.name)) &&
		   !strcmp(file.name, i == ITSELF ? "." : name_of(i)), "the name is one");
		ok(file.seen && file.stat.st_ino, "and its type was seen");
	}
	is(etw_folder_look(folder_fd, name_of(UNKNOWN), &file), -ENOENT,
	   "a name that does not exist");
	ok(!file.seen && !file.stat.st_ino, "was not seen");
}

/* Files are read once, and again when one of them has changed. */
static void test_kinds(void)
{
	size_t before;
	int i, count;

	is(find_kinds(), 1, "one can be read");
	ok(settles(find_kinds), "when nothing changes, nothing is read again");
	is(problem_count(), KINDS - 1, "each is reported");
	each(&count);
	before = in_use();
	for (i = 0; i < 200; i++) {
		each(&count);
		find_kinds();
	}
	is(count, 1, "all were examined");
	is(in_use() - before, 0, "looking again uses no memory");
	is(problem_count(), KINDS - 1, "nor are they reported again");
	ok(!etw_installed_changed(), "nothing has changed");
}

static void test_mended(uid_t user)
{
	if (seteuid(getuid()) || fchmodat(folder_fd, name_of(LOCKED), 0644, 0) || seteuid(user))
		ok(0, "cannot unlock");
	ok(etw_installed_changed(), "a file that may be read now is seen");
	etw_installed_forget();
	is(find_kinds(), 2, "and found");
	ok(settles(find_kinds), "all is quiet again");
	if (seteuid(getuid()) || unlinkat(folder_fd, name_of(OUTSIDE), 0))
		ok(0, "cannot remove");
	link_to(OUTSIDE, name_of(GOOD));
	if (seteuid(user))
		ok(0, "cannot be another");
	ok(etw_installed_changed(), "a link that leads elsewhere is seen");
}

/* A change may have the same time as the one before, which was read. */
static void test_young(void)
{
	int i, seen = 0;

	ok(settles(find_good), "the folder is old");
	for (i = 0; i < 20 && !seen; i++) {
		write_manifest(GOOD, "Good");
		etw_installed_forget();
		seen = find_good() && etw_installed_changed();
	}
	ok(seen, "a file just written may be written again");
}

static void set_folder_mode(mode_t mode, uid_t user)
{
	if (seteuid(getuid()) || fchmod(folder_fd, mode) || seteuid(user))
		ok(0, "cannot change the folder");
}

/* A folder that is readable but not searchable: every name in it fails. */
static void test_unsearchable(uid_t user)
{
	unsigned int i, found = 0;
	size_t before;

	set_folder_mode(user == getuid() ? 0655 : 0744, user);
	ok(settles(find_good), "nothing is read again");
	is(find_good(), 0, "nothing is found");
	is(problem_count(), 1, "which is reported");
	before = in_use();
	for (i = 0; i < 2000; i++)
		found += (unsigned int)finds(UNKNOWN + i);
	is(found, 0, "nor are 2,000 unknown ones");
	is(in_use() - before, 0, "they take no memory");
	is(problem_count(), 1, "nor are they reported");
	ok(!etw_installed_changed(), "nothing has changed");
	set_folder_mode(0755, user);
	ok(etw_installed_changed(), "it may be searched: seen");
	etw_installed_forget();
	is(find_good(), 1, "and found");
}

static void test_trusted(uid_t user)
{
	set_folder_mode(0775, user);
	ok(settles(find_good), "a group may write to the folder");
	is(find_good(), 0, "nothing is found");
	set_folder_mode(0755, user);
	ok(etw_installed_changed(), "it may not: seen");
	etw_installed_forget();
	is(find_good(), 1, "and found");
	ok(settles(find_good), "all is quiet again");
	set_folder_mode(0775, user);
	ok(etw_installed_changed(), "it may again: seen");
	set_folder_mode(0755, user);
}

/* More manifests than the first list has room for */
static void test_memory(void)
{
	int i, count, err = -ENOMEM, failures;

	for (i = 0; i < 40; i++)
		write_manifest(2000 + (unsigned int)i, "Many");
	etw_installed_forget();
	is(each(&count), 0, "all are found");
	ok(count > 40, "they are many");
	for (failures = 0; failures < 10 && err == -ENOMEM; failures++) {
		until_failure = failures;
		err = each(&i);
		if (err)
			ok(err == -ENOMEM && i < count, "lack of memory is reported");
	}
	until_failure = -1;
	is(err, 0, "there is enough");
	is(i, count, "all are found again");
	is(failures, 5, "after lists of 8, 16, 32 and 64");
}

int main(void)
{
	uid_t user = getuid() ? getuid() : NOBODY;
	char command[100];

	strcpy(folder, "/tmp/tdh_installed_XXXXXX");
	umask(022);
	if (!mkdtemp(folder) || chmod(folder, 0755)) {
		ok(0, "no folder");
		return done_testing();
	}
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	setenv("ETW_MANIFEST_PATH", folder, 1);
	make_kinds();
	if (seteuid(user))
		ok(0, "cannot be another");
	test_look();
	test_kinds();
	test_mended(user);
	if (seteuid(getuid()))
		ok(0, "cannot be oneself");
	test_young();
	if (seteuid(user))
		ok(0, "cannot be another");
	test_unsearchable(user);
	test_trusted(user);
	if (seteuid(getuid()))
		ok(0, "cannot be oneself");
	test_memory();
	etw_installed_forget();
	close(folder_fd);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) | done_testing();
}
