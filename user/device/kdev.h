/* SPDX-License-Identifier: MIT */
/*
 * kdev.h - /dev/etw, one function per command
 *
 * Internal to the library and the tools beside it; not installed. Each function returns
 * 0 (or as documented) or a negative errno, never sets errno, and fills in the size
 * member of its argument. All are thread-safe, and none keeps a pointer. Only
 * etw_kdev_poll() is a cancellation point.
 */
#ifndef ETW_DEVICE_KDEV_H
#define ETW_DEVICE_KDEV_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <etw/abi.h>

/* The device to use instead of ETW_DEVICE_PATH; ignored in set-uid programs. */
#define ETW_DEVICE_ENV	"ETW_DEVICE"

/* The file that a descriptor refers to, to notice when the program replaces it. */
struct etw_kdev_id {
	uint64_t dev;
	uint64_t ino;
	uint64_t rdev;
};

/*
 * The interface to the operating system. Unit tests replace it with a model of the
 * module. All return a negative errno on failure.
 */
struct etw_kdev_ops {
	int (*open)(const char *path);		/* O_RDWR | O_CLOEXEC */
	void (*close)(int fd);
	int (*ioctl)(int fd, unsigned int command, void *arg);
	/* MAP_SHARED, PROT_READ */
	int (*map)(int fd, size_t len, void **out);
	ssize_t (*read)(int fd, void *buf, size_t len);
	int (*poll)(struct pollfd *fds, unsigned int count, int timeout_ms);
	int (*identify)(int fd, struct etw_kdev_id *id);
};

extern const struct etw_kdev_ops etw_kdev_system;
extern const struct etw_kdev_ops *etw_kdev_ops;

/* Open the device; -ENOENT or -ENXIO: the module is not loaded. */
int etw_kdev_open(void);
void etw_kdev_close(int fd);
ssize_t etw_kdev_read(int fd, void *buf, size_t len);
int etw_kdev_poll(struct pollfd *fds, unsigned int count, int timeout_ms);
int etw_kdev_identify(int fd, struct etw_kdev_id *id);
/* Does fd still refer to the file that was identified as id? */
bool etw_kdev_is(int fd, const struct etw_kdev_id *id);

/* Address a session by name; the string is read when a command is issued. */
void etw_kdev_name_session(struct etw_session *session, const char *name);

/*
 * Issue a command. Not a cancellation point, so the fast path needs no cancellation
 * handling. Only ENABLE returns -EINTR: a signal arrived during the wait for callbacks;
 * the request is done.
 */
static inline int etw_kdev_command(int fd, unsigned int command, void *arg, uint32_t size)
{
	int ret;

	do {
		memcpy(arg, &size, sizeof(size));
		ret = etw_kdev_ops->ioctl(fd, command, arg);
	} while (ret == -EINTR && command != ETW_IOC_ENABLE);
	return ret;
}

/* int etw_kdev_NAME(int fd, struct TYPE *arg) issues ETW_IOC_COMMAND. */
#define ETW_KDEV_COMMAND(name, COMMAND, type)						\
static inline int etw_kdev_##name(int fd, struct type *arg)				\
{											\
	return etw_kdev_command(fd, ETW_IOC_##COMMAND, arg, sizeof(*arg));		\
}

ETW_KDEV_COMMAND(session_start, SESSION_START, etw_session)
ETW_KDEV_COMMAND(session_stop, SESSION_STOP, etw_session)
ETW_KDEV_COMMAND(session_query, SESSION_QUERY, etw_session)
ETW_KDEV_COMMAND(session_update, SESSION_UPDATE, etw_session)
ETW_KDEV_COMMAND(session_flush, SESSION_FLUSH, etw_session)
ETW_KDEV_COMMAND(session_enum, SESSION_ENUM, etw_session_enum)
ETW_KDEV_COMMAND(session_capture, SESSION_CAPTURE, etw_session_capture)
ETW_KDEV_COMMAND(session_system, SESSION_SYSTEM, etw_session_system)
ETW_KDEV_COMMAND(session_missed, SESSION_MISSED, etw_session_missed)
ETW_KDEV_COMMAND(session_stat, SESSION_STAT, etw_session_stat)
ETW_KDEV_COMMAND(enable, ENABLE, etw_enable)
ETW_KDEV_COMMAND(register, REGISTER, etw_register)
ETW_KDEV_COMMAND(unregister, UNREGISTER, etw_unregister)
ETW_KDEV_COMMAND(notify, NOTIFY, etw_notify)
ETW_KDEV_COMMAND(provider_enum, PROVIDER_ENUM, etw_provider_enum)
ETW_KDEV_COMMAND(provider_query, PROVIDER_QUERY, etw_provider_query)
ETW_KDEV_COMMAND(provider_set, PROVIDER_SET, etw_provider_set)
ETW_KDEV_COMMAND(group_enum, GROUP_ENUM, etw_provider_enum)
ETW_KDEV_COMMAND(group_query, GROUP_QUERY, etw_group_query)
ETW_KDEV_COMMAND(trace_event, TRACE_EVENT, etw_trace_event)
ETW_KDEV_COMMAND(bpf_provider, BPF_PROVIDER, etw_bpf_provider)
ETW_KDEV_COMMAND(disallow_set, DISALLOW_SET, etw_disallow)
ETW_KDEV_COMMAND(disallow_query, DISALLOW_QUERY, etw_disallow)
ETW_KDEV_COMMAND(access_set, ACCESS_SET, etw_access)
ETW_KDEV_COMMAND(access_query, ACCESS_QUERY, etw_access)
ETW_KDEV_COMMAND(access_remove, ACCESS_REMOVE, etw_access)
/* On success arg->fd is the consumer's own descriptor; close it. */
ETW_KDEV_COMMAND(consumer_open, CONSUMER_OPEN, etw_consumer_open)
/* On the consumer's descriptor */
ETW_KDEV_COMMAND(buffer_take, BUFFER_TAKE, etw_buffer_take)
ETW_KDEV_COMMAND(consumer_stat, CONSUMER_STAT, etw_consumer_stat)

/* The errors that a Win32 code stands for; 0 ends the list. */
struct etw_win32_errors {
	unsigned int code;
	int errors[8];
};

/*
 * The Win32 code of an errno, positive or negative; 0 is ERROR_SUCCESS. Errors that the
 * table lacks have the code of its last row, which lists none, or, if that is 0, the
 * code of etw_win32_from_errno().
 */
unsigned int etw_win32_find(const struct etw_win32_errors *table, int err);
unsigned int etw_win32_from_errno(int err);
/* The same for a failed etw_kdev_open(), where ENOENT means no module. */
unsigned int etw_win32_from_open(int err);

#endif /* ETW_DEVICE_KDEV_H */
