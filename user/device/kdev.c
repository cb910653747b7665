/* SPDX-License-Identifier: MIT */
/*
 * kdev.c - /dev/etw, one function per command
 *
 * errno belongs to the program that uses the library: these functions restore it after
 * each system call.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* secure_getenv */
#endif
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

static int system_map(int fd, size_t len, void *fixed, void **out)
{
	int saved = errno;
	void *p = mmap(fixed, len, PROT_READ,
		       MAP_SHARED | (fixed ? MAP_FIXED : 0), fd, 0);

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

int etw_kdev_map(int fd, size_t len, void *fixed, void **out)
{
	return etw_kdev_ops->map(fd, len, fixed, out);
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

/* Every argument struct starts with its size. */
static int command(int fd, unsigned int nr, void *arg, uint32_t size)
{
	int ret;

	/* Not a cancellation point, so the fast path needs no cancellation handling. */
	do {
		memcpy(arg, &size, sizeof(size));
		ret = etw_kdev_ops->ioctl(fd, nr, arg);
	} while (ret == -EINTR && nr != ETW_IOC_ENABLE);
	return ret;
}

int etw_kdev_session_start(int fd, struct etw_session *session)
{
	return command(fd, ETW_IOC_SESSION_START, session, sizeof(*session));
}

int etw_kdev_session_stop(int fd, struct etw_session *session)
{
	return command(fd, ETW_IOC_SESSION_STOP, session, sizeof(*session));
}

int etw_kdev_session_query(int fd, struct etw_session *session)
{
	return command(fd, ETW_IOC_SESSION_QUERY, session, sizeof(*session));
}

int etw_kdev_session_update(int fd, struct etw_session *session)
{
	return command(fd, ETW_IOC_SESSION_UPDATE, session, sizeof(*session));
}

int etw_kdev_session_flush(int fd, struct etw_session *session)
{
	return command(fd, ETW_IOC_SESSION_FLUSH, session, sizeof(*session));
}

int etw_kdev_session_enum(int fd, struct etw_session_enum *list)
{
	return command(fd, ETW_IOC_SESSION_ENUM, list, sizeof(*list));
}

int etw_kdev_session_capture(int fd, struct etw_session_capture *capture)
{
	return command(fd, ETW_IOC_SESSION_CAPTURE, capture, sizeof(*capture));
}

int etw_kdev_session_stat(int fd, struct etw_session_stat *stat)
{
	return command(fd, ETW_IOC_SESSION_STAT, stat, sizeof(*stat));
}

int etw_kdev_enable(int fd, struct etw_enable *enable)
{
	return command(fd, ETW_IOC_ENABLE, enable, sizeof(*enable));
}

int etw_kdev_register(int fd, struct etw_register *reg)
{
	return command(fd, ETW_IOC_REGISTER, reg, sizeof(*reg));
}

int etw_kdev_unregister(int fd, uint32_t slot)
{
	struct etw_unregister reg = { .slot = slot };

	return command(fd, ETW_IOC_UNREGISTER, &reg, sizeof(reg));
}

int etw_kdev_notify(int fd, struct etw_notify *notify)
{
	return command(fd, ETW_IOC_NOTIFY, notify, sizeof(*notify));
}

int etw_kdev_provider_enum(int fd, struct etw_provider_enum *list)
{
	return command(fd, ETW_IOC_PROVIDER_ENUM, list, sizeof(*list));
}

int etw_kdev_provider_query(int fd, struct etw_provider_query *query)
{
	return command(fd, ETW_IOC_PROVIDER_QUERY, query, sizeof(*query));
}

int etw_kdev_provider_set(int fd, struct etw_provider_set *set)
{
	return command(fd, ETW_IOC_PROVIDER_SET, set, sizeof(*set));
}

int etw_kdev_group_enum(int fd, struct etw_provider_enum *list)
{
	return command(fd, ETW_IOC_GROUP_ENUM, list, sizeof(*list));
}

int etw_kdev_group_query(int fd, struct etw_group_query *query)
{
	return command(fd, ETW_IOC_GROUP_QUERY, query, sizeof(*query));
}

int etw_kdev_disallow_set(int fd, struct etw_disallow *disallow)
{
	return command(fd, ETW_IOC_DISALLOW_SET, disallow, sizeof(*disallow));
}

int etw_kdev_disallow_query(int fd, struct etw_disallow *disallow)
{
	return command(fd, ETW_IOC_DISALLOW_QUERY, disallow, sizeof(*disallow));
}

int etw_kdev_write(int fd, struct etw_event_write *write)
{
	return command(fd, ETW_IOC_WRITE, write, sizeof(*write));
}

int etw_kdev_access_set(int fd, struct etw_access *access)
{
	return command(fd, ETW_IOC_ACCESS_SET, access, sizeof(*access));
}

int etw_kdev_access_query(int fd, struct etw_access *access)
{
	return command(fd, ETW_IOC_ACCESS_QUERY, access, sizeof(*access));
}

int etw_kdev_access_remove(int fd, const struct etw_guid *guid)
{
	struct etw_access access = { .guid = *guid };

	return command(fd, ETW_IOC_ACCESS_REMOVE, &access, sizeof(access));
}

int etw_kdev_classic(int fd, struct etw_classic_write *write)
{
	return command(fd, ETW_IOC_CLASSIC, write, sizeof(*write));
}

int etw_kdev_consumer_open(int fd, struct etw_consumer_open *open)
{
	return command(fd, ETW_IOC_CONSUMER_OPEN, open, sizeof(*open));
}

int etw_kdev_buffer_take(int consumer_fd, struct etw_buffer_take *take)
{
	return command(consumer_fd, ETW_IOC_BUFFER_TAKE, take, sizeof(*take));
}

int etw_kdev_consumer_stat(int consumer_fd, struct etw_consumer_info *info)
{
	struct etw_consumer_stat stat = { 0 };
	int ret = command(consumer_fd, ETW_IOC_CONSUMER_STAT, &stat, sizeof(stat));

	if (!ret)
		*info = stat.info;
	return ret;
}

/* Errors of files and their disks */
static unsigned int of_file(int err)
{
	switch (err) {
	case EDQUOT:
		return ERROR_DISK_FULL;
	case EIO:
		return ERROR_IO_DEVICE;
	case EFBIG:
		return ERROR_FILE_TOO_LARGE;
	case ETXTBSY:
		return ERROR_SHARING_VIOLATION;
	case ENOTDIR:
	case EISDIR:
	case ELOOP:
	case ESPIPE:
		return ERROR_BAD_PATHNAME;
	default:
		return ERROR_INVALID_PARAMETER;
	}
}

/* The list in abi.h */
unsigned int etw_win32_from_errno(int err)
{
	switch (err < 0 ? -err : err) {
	case 0:
		return ERROR_SUCCESS;
	case EFAULT:
		return ERROR_NOACCESS;
	case ENOENT:
		return ERROR_WMI_INSTANCE_NOT_FOUND;
	case ESRCH:
		return ERROR_WMI_GUID_NOT_FOUND;
	case EEXIST:
		return ERROR_ALREADY_EXISTS;
	case ENOSPC:
	case EMFILE:
	case ENFILE:
	case EAGAIN:		/* no more threads */
		return ERROR_NO_SYSTEM_RESOURCES;
	case ENOMEM:
	case ENOBUFS:
		return ERROR_NOT_ENOUGH_MEMORY;
	case EMSGSIZE:
		return ERROR_MORE_DATA;
	case EOVERFLOW:
		return ERROR_ARITHMETIC_OVERFLOW;
	case EPERM:
	case EACCES:
	case EROFS:
		return ERROR_ACCESS_DENIED;
	case EBADF:
		return ERROR_INVALID_HANDLE;
	case ETIMEDOUT:
		return ERROR_TIMEOUT;
	case ESHUTDOWN:
		return ERROR_ACTIVE_CONNECTIONS;
	case ENODEV:
	case ENXIO:
		return ERROR_WMI_SERVER_UNAVAILABLE;
	case ENOTTY:
	case E2BIG:
	case ENOSYS:
	case EOPNOTSUPP:
		return ERROR_NOT_SUPPORTED;
	case ECANCELED:
		return ERROR_CANCELLED;
	case EBUSY:
		return ERROR_BUSY;
	default:
		return of_file(err < 0 ? -err : err);
	}
}

unsigned int etw_win32_from_open(int err)
{
	err = err < 0 ? -err : err;
	/* Any error that means the device does not exist */
	if (err == ENOENT || err == ENXIO || err == ENODEV || err == ENOTDIR)
		return ERROR_WMI_SERVER_UNAVAILABLE;
	return etw_win32_from_errno(err);
}
