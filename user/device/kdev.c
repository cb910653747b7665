/* SPDX-License-Identifier: MIT */
/*
 * kdev.c - /dev/etw, and errors as Win32 codes
 *
 * errno belongs to the program that uses the library: these functions restore it after
 * each system call.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <etw/winerror.h>
#include "base/cancel.h"
#include "kdev.h"

/* Convert a system call's result to 0 or more, or -errno, and restore errno. */
static long restore(long result, int saved)
{
	if (result < 0) {
		result = -errno;
		errno = saved;
	}
	return result;
}

static int system_open(const char *path)
{
	int saved = errno;

	return restore(open(path, O_RDWR | O_CLOEXEC), saved);
}

static void system_close(int fd)
{
	int saved = errno;

	/* On Linux the descriptor is closed even after EINTR. */
	restore(close(fd), saved);
}

static int system_ioctl(int fd, unsigned int command, void *arg)
{
	int saved = errno;

	return restore(ioctl(fd, command, arg), saved);
}

static int system_map(int fd, size_t len, void **out)
{
	int saved = errno;
	void *p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return restore(-1, saved);
	*out = p;
	return 0;
}

static ssize_t system_read(int fd, void *buf, size_t len)
{
	int saved = errno;

	return restore(read(fd, buf, len), saved);
}

static int system_poll(struct pollfd *fds, unsigned int count, int timeout_ms)
{
	int saved = errno;

	return restore(poll(fds, count, timeout_ms), saved);
}

static int system_identify(int fd, struct etw_kdev_id *id)
{
	int saved = errno, ret;
	struct stat st;

	ret = restore(fstat(fd, &st), saved);
	if (ret)
		return ret;
	id->dev = st.st_dev;
	id->ino = st.st_ino;
	id->rdev = st.st_rdev;
	return 0;
}

const struct etw_kdev_ops etw_kdev_system = {
	.open = system_open,
	.close = system_close,
	.ioctl = system_ioctl,
	.map = system_map,
	.read = system_read,
	.poll = system_poll,
	.identify = system_identify,
};

const struct etw_kdev_ops *etw_kdev_ops = &etw_kdev_system;

int etw_kdev_open(void)
{
	const char *path = secure_getenv(ETW_DEVICE_ENV);
	int cancel = etw_cancel_hold();
	int fd = etw_kdev_ops->open(path && *path ? path : ETW_DEVICE_PATH);

	etw_cancel_allow(cancel);
	return fd;
}

void etw_kdev_close(int fd)
{
	int cancel = etw_cancel_hold();

	if (fd >= 0)
		etw_kdev_ops->close(fd);
	etw_cancel_allow(cancel);
}

ssize_t etw_kdev_read(int fd, void *buf, size_t len)
{
	int cancel = etw_cancel_hold();
	ssize_t n = etw_kdev_ops->read(fd, buf, len);

	etw_cancel_allow(cancel);
	return n;
}

int etw_kdev_poll(struct pollfd *fds, unsigned int count, int timeout_ms)
{
	return etw_kdev_ops->poll(fds, count, timeout_ms);
}

int etw_kdev_identify(int fd, struct etw_kdev_id *id)
{
	return etw_kdev_ops->identify(fd, id);
}

bool etw_kdev_is(int fd, const struct etw_kdev_id *id)
{
	struct etw_kdev_id now;

	return fd >= 0 && !etw_kdev_identify(fd, &now) && now.dev == id->dev &&
	       now.ino == id->ino && now.rdev == id->rdev;
}

void etw_kdev_name_session(struct etw_session *session, const char *name)
{
	session->name = (uintptr_t)name;
	session->name_len = strlen(name);
}

/* ------------------------------------------------------------------ errors */

unsigned int etw_win32_find(const struct etw_win32_errors *table, int err)
{
	const size_t max = sizeof(table->errors) / sizeof(table->errors[0]);
	size_t i;

	if (!err)
		return ERROR_SUCCESS;
	for (; table->errors[0]; table++)
		for (i = 0; i < max && table->errors[i]; i++)
			if (table->errors[i] == abs(err))
				return table->code;
	return table->code ? table->code : etw_win32_from_errno(err);
}

unsigned int etw_win32_from_errno(int err)
{
	/* The list in abi.h, then the errors of files and their disks */
	static const struct etw_win32_errors table[] = {
		{ ERROR_NOACCESS, { EFAULT } },
		{ ERROR_WMI_INSTANCE_NOT_FOUND, { ENOENT } },
		{ ERROR_WMI_GUID_NOT_FOUND, { ESRCH } },
		{ ERROR_ALREADY_EXISTS, { EEXIST } },
		/* EAGAIN: no more threads */
		{ ERROR_NO_SYSTEM_RESOURCES, { ENOSPC, EMFILE, ENFILE, EAGAIN } },
		{ ERROR_NOT_ENOUGH_MEMORY, { ENOMEM, ENOBUFS } },
		{ ERROR_MORE_DATA, { EMSGSIZE } },
		{ ERROR_ARITHMETIC_OVERFLOW, { EOVERFLOW } },
		{ ERROR_ACCESS_DENIED, { EPERM, EACCES, EROFS } },
		{ ERROR_INVALID_HANDLE, { EBADF } },
		{ ERROR_TIMEOUT, { ETIMEDOUT } },
		{ ERROR_ACTIVE_CONNECTIONS, { ESHUTDOWN } },
		{ ERROR_WMI_SERVER_UNAVAILABLE, { ENODEV, ENXIO } },
		{ ERROR_NOT_SUPPORTED, { ENOTTY, E2BIG, ENOSYS, EOPNOTSUPP, ELIBACC } },
		{ ERROR_CANCELLED, { ECANCELED } },
		{ ERROR_BUSY, { EBUSY } },
		{ ERROR_DISK_FULL, { EDQUOT } },
		{ ERROR_IO_DEVICE, { EIO } },
		{ ERROR_FILE_TOO_LARGE, { EFBIG } },
		{ ERROR_SHARING_VIOLATION, { ETXTBSY } },
		{ ERROR_BAD_PATHNAME, { ENOTDIR, EISDIR, ELOOP, ESPIPE } },
		{ ERROR_INVALID_PARAMETER, { 0 } },
	};

	return etw_win32_find(table, err);
}

unsigned int etw_win32_from_open(int err)
{
	/* Any error that means the device does not exist */
	static const struct etw_win32_errors table[] = {
		{ ERROR_WMI_SERVER_UNAVAILABLE, { ENOENT, ENXIO, ENODEV, ENOTDIR } },
		{ 0, { 0 } },
	};

	return etw_win32_find(table, err);
}
