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

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
	/* MAP_SHARED, PROT_READ; replaces the mapping at fixed unless that is NULL */
	int (*map)(int fd, size_t len, void *fixed, void **out);
	ssize_t (*read)(int fd, void *buf, size_t len);
	int (*poll)(struct pollfd *fds, unsigned int count, int timeout_ms);
	int (*identify)(int fd, struct etw_kdev_id *id);
};

extern const struct etw_kdev_ops etw_kdev_system;
extern const struct etw_kdev_ops *etw_kdev_ops;

/* Open the device; -ENOENT or -ENXIO: the module is not loaded. */
int etw_kdev_open(void);
void etw_kdev_close(int fd);
int etw_kdev_map(int fd, size_t len, void *fixed, void **out);
ssize_t etw_kdev_read(int fd, void *buf, size_t len);
int etw_kdev_poll(struct pollfd *fds, unsigned int count, int timeout_ms);
int etw_kdev_identify(int fd, struct etw_kdev_id *id);
/* Does fd still refer to the file that was identified as id? */
bool etw_kdev_is(int fd, const struct etw_kdev_id *id);

/* Address a session by name; the string is read when a command is issued. */
void etw_kdev_name_session(struct etw_session *session, const char *name);

int etw_kdev_session_start(int fd, struct etw_session *session);
int etw_kdev_session_stop(int fd, struct etw_session *session);
int etw_kdev_session_query(int fd, struct etw_session *session);
int etw_kdev_session_update(int fd, struct etw_session *session);
int etw_kdev_session_flush(int fd, struct etw_session *session);
int etw_kdev_session_enum(int fd, struct etw_session_enum *list);
int etw_kdev_session_capture(int fd, struct etw_session_capture *capture);
int etw_kdev_session_stat(int fd, struct etw_session_stat *stat);

/* -EINTR: a signal arrived during the wait for callbacks; the request is done */
int etw_kdev_enable(int fd, struct etw_enable *enable);

int etw_kdev_register(int fd, struct etw_register *reg);
int etw_kdev_unregister(int fd, uint32_t slot);
int etw_kdev_notify(int fd, struct etw_notify *notify);
int etw_kdev_provider_enum(int fd, struct etw_provider_enum *list);
int etw_kdev_provider_query(int fd, struct etw_provider_query *query);
int etw_kdev_provider_set(int fd, struct etw_provider_set *set);
int etw_kdev_group_enum(int fd, struct etw_provider_enum *list);
int etw_kdev_group_query(int fd, struct etw_group_query *query);
int etw_kdev_disallow_set(int fd, struct etw_disallow *disallow);
int etw_kdev_disallow_query(int fd, struct etw_disallow *disallow);
int etw_kdev_write(int fd, struct etw_event_write *write);
int etw_kdev_classic(int fd, struct etw_classic_write *write);

int etw_kdev_access_set(int fd, struct etw_access *access);
int etw_kdev_access_query(int fd, struct etw_access *access);
int etw_kdev_access_remove(int fd, const struct etw_guid *guid);

/* On success open->fd is the consumer's own descriptor; close it. */
int etw_kdev_consumer_open(int fd, struct etw_consumer_open *open);
int etw_kdev_buffer_take(int consumer_fd, struct etw_buffer_take *take);
int etw_kdev_consumer_stat(int consumer_fd, struct etw_consumer_info *info);

/* The Win32 code of an errno, positive or negative; 0 is ERROR_SUCCESS. */
unsigned int etw_win32_from_errno(int err);
/* The same for a failed etw_kdev_open(), where ENOENT means no module. */
unsigned int etw_win32_from_open(int err);

#endif /* ETW_DEVICE_KDEV_H */
