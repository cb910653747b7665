/* SPDX-License-Identifier: MIT */
/*
 * lib_accessfile - the file of the access lists: the properties a new file keeps from the
 * old one, and its lock
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "lib_fake.h"
#include "lib/tap.h"
#include "lib/threads.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/access/access.h"
#include "lib/access/conf_file.h"
#include "device/kdev.h"

static const struct etw_guid provider = { 0x11111111, 1, 1, { 1, 2, 3, 4, 5, 6, 7, 8 } };
static char dir[64], path[128], lock[128], target[128];
static struct etw_access_error error;

static void put(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || fchmod(fd, mode))
		abort();
	close(fd);
}

/* Replace the file with this text, like a caller that changes lists. */
static int replace(const char *text, size_t len)
{
	struct etw_access_file file;
	int ret = etw_access_file_open(path, &file);

	if (ret)
		return ret;
	ret = etw_access_file_prepare(&file, text, len);
	if (!ret)
		ret = etw_access_file_commit(&file);
	etw_access_file_close(&file);
	return ret;
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	return lstat(name, &st) ? 0 : st.st_mode & 07777;
}

static void test_mode(void)
{
	mode_t mask = umask(022);

	is(replace("# 1\n", 4), 0, "a first file");
	is(mode_of(path), 0644, "is for all to read");
	chmod(path, 0600);
	is(replace("# 2\n", 4), 0, "one in the place of another");
	is(mode_of(path), 0600, "has its mode");
	chmod(path, 0664);
	is(replace("# 3\n", 4), 0, "whatever that is");
	is(mode_of(path), 0664, "and whatever the umask");
	umask(mask);
}

static void test_owner(void)
{
	struct stat st;

	if (geteuid()) {
		ok(true, "# SKIP only root can give a file away");
		return;
	}
	if (chown(path, 12345, 54321))
		abort();
	is(replace("# 4\n", 4), 0, "a file of another user");
	ok(!stat(path, &st) && st.st_uid == 12345 && st.st_gid == 54321, "stays theirs");
	unlink(path);
}

static void test_link(void)
{
	put(target, "list default\n", 0644);
	unlink(path);
	if (symlink(target, path))
		abort();
	is(replace("# 5\n", 4), -ELOOP, "a symbolic link");
	is(etw_access_load(etw_kdev_open(), NULL, NULL, &error), -ELOOP, "to load neither");
	is(etw_access_load(etw_kdev_open(), path, NULL, &error), 0, "unless its path is given");
	ok(mode_of(path) == 0777 && mode_of(target) == 0644, "both are as they were");
	unlink(path);
	unlink(target);
}

static void test_size(void)
{
	char *text = malloc(ETW_ACCESS_CONF_MAX + 1);
	struct etw_access_file file;
	struct stat st;

	memset(text, '\n', ETW_ACCESS_CONF_MAX + 1);
	is(replace(text, ETW_ACCESS_CONF_MAX), 0, "as large as can be read");
	is(replace(text, ETW_ACCESS_CONF_MAX + 1), -EFBIG, "one byte more");
	ok(!stat(path, &st) && st.st_size == ETW_ACCESS_CONF_MAX, "leaves the file alone");
	is(replace("a\0b\n", 4), 0, "text with a NUL");
	is(etw_access_file_look(path, true, &file), 0, "is there");
	ok(file.len == 4 && !memcmp(file.text, "a\0b\n", 4), "with all that follows the NUL");
	etw_access_file_close(&file);
	free(text);
	unlink(path);
}

/* A file with a NUL is refused, so that the text after it is not lost. */
static void test_nul(void)
{
	static const char text[] = "# a\0b\nlist default\n";
	struct etw_access_list list = { .guid = provider };
	struct etw_access_file file;
	int fd = etw_kdev_open();

	is(replace(text, sizeof(text) - 1), 0, "a file with a NUL");
	is(etw_access_store(fd, &provider, &list, &error), -EUCLEAN, "is not edited");
	ok(error.line == 1 && error.column == 4, "and the error has its position");
	is(etw_access_file_look(path, true, &file), 0, "the file");
	ok(file.len == sizeof(text) - 1 && !memcmp(file.text, text, file.len), "is unchanged");
	etw_access_file_close(&file);
	etw_kdev_close(fd);
	unlink(path);
}

/* ------------------------------------------------------------------ the lock */

static bool is_free(void)
{
	int fd = open(lock, O_RDWR | O_CLOEXEC);
	bool got = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);

	if (fd >= 0)
		close(fd);
	return got;
}

static void test_fork(void)
{
	struct etw_access_file file;
	pid_t child;

	is(etw_access_file_open(path, &file), 0, "locked");
	ok(!is_free(), "by one");
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	etw_access_file_close(&file);
	ok(is_free(), "a child that has it open does not keep it");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static atomic_bool loaded;

static void *load(void *arg)
{
	int fd = etw_kdev_open();
	int *ret = arg;

	*ret = etw_access_load(fd, NULL, NULL, &error);
	etw_kdev_close(fd);
	atomic_store(&loaded, true);
	return NULL;
}

static void test_load(void)
{
	struct etw_access_file file;
	struct stat st;
	pthread_t thread;
	int fd, ret = 1;

	put(path, "list default\n\tallow everyone all\n", 0644);
	unlink(lock);
	fd = etw_kdev_open();
	is(etw_access_load(fd, NULL, NULL, &error), 0, "load");
	ok(!stat(lock, &st), "takes the lock");
	unlink(lock);
	is(etw_access_load(fd, path, NULL, &error), 0, "load another file");
	ok(stat(lock, &st), "needs no lock");
	etw_kdev_close(fd);
	is(etw_access_file_open(path, &file), 0, "locked");
	if (pthread_create(&thread, NULL, load, &ret))
		abort();
	ok(others_sleep() && !atomic_load(&loaded), "load waits");
	etw_access_file_close(&file);
	pthread_join(thread, NULL);
	is(ret, 0, "and then loads");
	unlink(path);
	fd = etw_kdev_open();
	is(etw_access_load(fd, NULL, NULL, &error), 0, "without a file");
	setenv("ETW_ACCESS_CONF", "/nonexistent/etw/access.conf", 1);
	is(etw_access_load(fd, NULL, NULL, &error), 0, "and without a place for it");
	setenv("ETW_ACCESS_CONF", path, 1);
	etw_kdev_close(fd);
}

static int failing_create, failing_flock;

/* Replaces the C library's */
int openat(int at, const char *name, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	if (flags & O_CREAT && failing_create) {
		errno = failing_create;
		return -1;
	}
	return syscall(SYS_openat, at, name, flags, mode);
}

int flock(int fd, int operation)
{
	errno = failing_flock;
	return failing_flock ? -1 : syscall(SYS_flock, fd, operation);
}

/* 0 and the file's list in the kernel, or the error. */
static int loads(void)
{
	int ret, fd = etw_kdev_open();

	memset(fake->access, 0, sizeof(fake->access));
	ret = etw_access_load(fd, NULL, NULL, &error);
	etw_kdev_close(fd);
	return ret ? ret : fake->access[0].used && !fake->access[0].count ? 0 : -ENOMSG;
}

/* At boot the lists are loaded even if the lock cannot be made. */
static void test_no_lock(void)
{
	static const int errors[] = { ENOSPC, EDQUOT, EPERM, EACCES, EROFS, EIO, ENOMEM };
	struct etw_access_file file;
	unsigned int i;

	put(path, "list default\n", 0644);
	unlink(lock);
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		failing_create = errors[i];
		is(loads(), 0, "loaded without a lock, which cannot be made");
		is(etw_access_file_open(path, &file), -errors[i], "changing the file is refused");
	}
	failing_create = 0;
	failing_flock = ENOLCK;
	is(loads(), 0, "loaded without the lock, which cannot be taken");
	is(etw_access_file_open(path, &file), -ENOLCK, "changing the file is refused");
	failing_flock = 0;
	unlink(lock);
	if (mkdir(lock, 0700))
		abort();
	is(loads(), 0, "loaded with something else where the lock should be");
	put(target, "list default\n", 0644);
	unlink(path);
	if (symlink(target, path))
		abort();
	is(loads(), -ELOOP, "a symbolic link is not followed");
	unlink(path);
	is(loads(), -ENOMSG, "and no file is no list");
	rmdir(lock);
	put(path, "list default\n", 0644);
	if (symlink(target, lock))
		abort();
	is(loads(), 0, "a lock that is a symbolic link is not used");
	is(etw_access_file_open(path, &file), -ELOOP, "and changing the file is refused");
	unlink(path);
	if (symlink(target, path))
		abort();
	is(loads(), -ELOOP, "as is the file that is one, with such a lock");
	unlink(lock);
	unlink(path);
	unlink(target);
}

/* Several entries are appended all or none. */
static void test_append(void)
{
	static struct etw_access_entry entries[ETW_ACCESS_ENTRIES_MAX];
	struct etw_access_list list;
	int i, fd = etw_kdev_open();
	bool own;

	for (i = 0; i < ETW_ACCESS_ENTRIES_MAX; i++)
		entries[i] = (struct etw_access_entry){ ETW_ACCESS_ALLOW, ETW_ACCESS_USER, 0, i, 1 };
	list = (struct etw_access_list){ .guid = provider };
	is(etw_access_store(fd, &provider, &list, &error), 0, "an empty list");
	is(etw_access_append(fd, &provider, entries, 62, &error), 0, "62 entries");
	is(etw_access_append(fd, &provider, entries, 3, &error), -ENOSPC, "3 more");
	is(etw_access_get(fd, &provider, &list, &own), 0, "look");
	is(list.count, 62, "are not added");
	is(etw_access_append(fd, &provider, entries + 62, 2, &error), 0, "2 more");
	is(etw_access_get(fd, &provider, &list, &own), 0, "look");
	ok(list.count == 64 && !memcmp(list.entries, entries, sizeof(entries)), "all 64, in order");
	is(etw_access_append(fd, &provider, entries, UINT32_MAX, &error), -ENOSPC, "a great many");
	etw_kdev_close(fd);
	unlink(path);
}

/* Lists of a file that was not loaded: the kernel has none of them. */
static void fill_lists(void)
{
	FILE *to = fopen(path, "w");
	int i;

	for (i = 0; i < ETW_ACCESS_LISTS_MAX; i++)
		fprintf(to, "list 22222222-0000-0000-0000-%012x\n", i);
	if (fclose(to))
		abort();
}

static size_t lists_in_file(void)
{
	struct etw_access_conf conf = { 0 };
	struct etw_access_file file;
	size_t count = 0;

	if (!etw_access_file_look(path, false, &file) &&
	    !etw_access_parse(file.text, file.len, NULL, &conf, &error))
		count = conf.count;
	etw_access_conf_free(&conf);
	etw_access_file_close(&file);
	return count;
}

/* A stored file can be loaded, even if the kernel has room for more lists. */
static void test_many(void)
{
	struct etw_access_list list = { .guid = provider }, another = { .count = 1 };
	struct etw_access_entry entry = { ETW_ACCESS_ALLOW, ETW_ACCESS_EVERYONE, 0, 0, 1 };
	int fd = etw_kdev_open();
	bool own;

	another.guid = (struct etw_guid){ 0x22222222, 0, 0, { 0, 0, 0, 0, 0, 0, 0, 7 } };
	another.entries[0] = entry;
	memset(fake->access, 0, sizeof(fake->access));
	fill_lists();
	is(etw_access_store(fd, &provider, &list, &error), -ENOSPC, "one list more than the most");
	is(etw_access_append(fd, &provider, &entry, 1, &error), -ENOSPC, "nor by adding an entry");
	is(lists_in_file(), ETW_ACCESS_LISTS_MAX, "the file is still one to be loaded");
	is(etw_access_get(fd, &provider, &list, &own), 0, "look");
	ok(!own, "the kernel has no list either");
	is(etw_access_store(fd, &another.guid, &another, &error), 0, "another in the place of one");
	is(etw_access_store(fd, &another.guid, NULL, &error), 0, "one less");
	is(etw_access_store(fd, &provider, &list, &error), 0, "makes room for one");
	is(lists_in_file(), ETW_ACCESS_LISTS_MAX, "and no more than that");
	etw_kdev_close(fd);
	unlink(path);
}

int main(void)
{
	fake_init();
	strcpy(dir, "/tmp/etw-accessfile-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/access.conf", dir);
	snprintf(lock, sizeof(lock), "%s/.access.conf.lock", dir);
	snprintf(target, sizeof(target), "%s/target", dir);
	setenv("ETW_ACCESS_CONF", path, 1);
	test_mode();
	test_owner();
	test_link();
	test_size();
	test_nul();
	test_fork();
	test_load();
	test_no_lock();
	test_append();
	test_many();
	unlink(lock);
	ok(!rmdir(dir), "no files are left");
	return done_testing();
}
