/* SPDX-License-Identifier: MIT */
/*
 * lib_access_errors - EventAccessControl() when file and kernel disagree, the file cannot
 * be used, or the thread is cancelled
 */
#include "lib_access.h"

#include <sys/file.h>
#include <sys/syscall.h>

#include "lib/access/conf.h"

/*
 * B163: a file that was not loaded, for example because that failed at boot: the built-in
 * list must not replace its deny entries.
 */
static void test_not_loaded(void)
{
	static const char theirs[] = "list " GUID_TEXT "\n\tdeny user:7 all # never\n";
	static const char by_default[] = "list default\n\tdeny user:7 all\n";
	struct etw_access_error error;
	int fd;

	fresh();
	file_put(theirs);
	is(control(&provider, EventSecurityAddDACL, USER(5), 1, TRUE), ERROR_INVALID_STATE,
	   "AddDACL to a list that is not loaded");
	ok(holds(theirs), "leaves it alone");
	query(&provider);
	ok(aces() == 2 && ace_is(0, ACCESS_ALLOWED_ACE_TYPE, EVERYONE, 0x1a00),
	   "the kernel has no list");
	is(control(&other, EventSecurityAddDACL, USER(5), 1, TRUE), ERROR_SUCCESS,
	   "AddDACL to another GUID's");
	fd = etw_kdev_open();
	is(etw_access_load(fd, NULL, NULL, &error), 0, "loaded");
	is(control(&provider, EventSecurityAddDACL, USER(5), 1, TRUE), ERROR_SUCCESS,
	   "AddDACL now");
	query(&provider);
	ok(aces() == 2 && ace_is(0, ACCESS_DENIED_ACE_TYPE, USER(7), 0x1fff) &&
	   ace_is(1, ACCESS_ALLOWED_ACE_TYPE, USER(5), 1), "follows the deny entry");

	file_put("list " GUID_TEXT "\n\tdeny user:7 all\n\tallow user:6 query\n");
	is(control(&provider, EventSecurityAddDACL, USER(8), 1, TRUE), ERROR_INVALID_STATE,
	   "AddDACL to a list that was edited");
	is(etw_access_append(fd, (const void *)&provider, NULL, 0, &error), -ENOTUNIQ, "likewise");
	ok(strstr(error.what, "etw access load"), "and the message names the remedy");
	query(&provider);
	ok(aces() == 2 && ace_is(1, ACCESS_ALLOWED_ACE_TYPE, USER(5), 1),
	   "in force is the old one");
	is(control(&provider, EventSecuritySetDACL, USER(8), 1, TRUE), ERROR_SUCCESS,
	   "SetDACL replaces both");
	file_put(theirs);
	is(EventAccessRemove(&provider), ERROR_SUCCESS, "as does removing");
	ok(holds(""), "them");

	fresh();
	file_put(by_default);
	is(control(&provider, EventSecurityAddDACL, USER(5), 1, TRUE), ERROR_INVALID_STATE,
	   "AddDACL to a default that is not loaded");
	ok(holds(by_default), "is not put down as the built-in one");
	etw_kdev_close(fd);
}

static int failing_flock, failing_fsync;

/* Replaces the C library's */
int flock(int fd, int operation)
{
	errno = failing_flock;
	return failing_flock ? -1 : syscall(SYS_flock, fd, operation);
}

int fsync(int fd)
{
	errno = failing_fsync;
	return failing_fsync ? -1 : syscall(SYS_fsync, fd);
}

/* Errors of the file are not reported as errors of the arguments. */
static void test_file_errors(void)
{
	static const char text[] = "list default\n";

	fresh();
	control(&standard, EventSecuritySetDACL, USER(5), 1, TRUE);
	file_put(text);
	failing_flock = ENOLCK;
	is(control(&provider, EventSecuritySetDACL, USER(5), 1, TRUE), ERROR_LOCK_FAILED,
	   "no locks");
	failing_flock = 0;
	failing_fsync = EIO;
	is(control(&provider, EventSecuritySetDACL, USER(5), 1, TRUE), ERROR_IO_DEVICE,
	   "a disk that fails");
	failing_fsync = EDQUOT;
	is(EventAccessRemove(&standard), ERROR_DISK_FULL, "no room");
	failing_fsync = 0;
	ok(holds(text), "the file is unchanged");
	if (truncate(path, ETW_ACCESS_CONF_MAX + 1))
		abort();
	is(control(&provider, EventSecuritySetDACL, USER(5), 1, TRUE), ERROR_FILE_TOO_LARGE,
	   "a file of 4 MB and a byte");
	unlink(path);
	if (mkfifo(path, 0600))
		abort();
	is(control(&provider, EventSecuritySetDACL, USER(5), 1, TRUE), ERROR_BAD_PATHNAME,
	   "a FIFO is no file");
	unlink(path);
	query(&provider);
	ok(aces() == 1 && ace_is(0, ACCESS_ALLOWED_ACE_TYPE, USER(5), 1), "no list has changed");
}

/* ------------------------------------------------------------ cancellation */

static ULONG results[3];
static int done;

/* A thread that is already cancelled, and ends after its calls. */
static void *doomed(void *arg)
{
	unsigned char buffer[512];
	ULONG size = sizeof(buffer);

	(void)arg;
	pthread_cancel(pthread_self());
	results[0] = control(&provider, EventSecurityAddDACL, USER(5), 1, TRUE);
	done++;
	results[1] = EventAccessQuery(&provider, buffer, &size);
	done++;
	results[2] = EventAccessRemove(&standard);
	done++;
	pthread_testcancel();
	done++;
	return NULL;
}

static unsigned int open_files(void)
{
	unsigned int n = 0;
	int fd;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void test_cancelled(void)
{
	pthread_t thread;
	void *result = NULL;
	unsigned int files;

	fresh();
	files = open_files();
	if (pthread_create(&thread, NULL, doomed, NULL))
		abort();
	pthread_join(thread, &result);
	ok(done == 3 && result == PTHREAD_CANCELED, "cancelled after all three calls");
	ok(!results[0] && !results[1] && !results[2], "which succeeded");
	is(open_files(), files, "no file is left open");
	/* A lock that is not released would hang the test. */
	alarm(30);
	is(control(&provider, EventSecurityAddDACL, USER(6), 1, TRUE), ERROR_SUCCESS,
	   "the lock is free");
	alarm(0);
}

int main(void)
{
	access_begin();
	test_not_loaded();
	test_file_errors();
	test_cancelled();
	return access_end();
}
