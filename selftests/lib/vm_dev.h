/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_dev.h - /dev/etw for the programs that run in the virtual machine
 *
 * Thin wrappers that return 0 or a result, or a negative errno, over the bare
 * ioctls: these tests judge the ABI, so no library stands in between.  It
 * compiles for 64 and for 32 bits.
 */
#ifndef ETW_SELFTEST_VM_DEV_H
#define ETW_SELFTEST_VM_DEV_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <etw/abi.h>

#define VM_LIMIT_MS	90000	/* how long a test waits for a condition */

#define VM_PTR(p)	((uint64_t)(uintptr_t)(p))

static inline long long vm_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Wait until cond holds; false if it did not come true within the limit. */
#define vm_until(cond) ({						\
	long long _end = vm_ms() + VM_LIMIT_MS;				\
	bool _ok;							\
	while (!(_ok = !!(cond)) && vm_ms() < _end)			\
		usleep(2000);						\
	_ok; })

static inline int vm_ioctl(int fd, unsigned long cmd, void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

static inline int vm_open(void)
{
	int fd = open(ETW_DEVICE_PATH, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static inline void vm_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* A GUID that no other test uses: n chooses one of a test's own. */
static inline struct etw_guid vm_guid(unsigned int n)
{
	struct etw_guid guid = ETW_GUID(0x7e570000, 0x5e1f, 0x4e57, 0x80, 1, 2, 3, 4,
					5, 6, 7);

	guid.data1 += n;
	return guid;
}

static inline bool vm_guid_zero(const struct etw_guid *guid)
{
	static const struct etw_guid zero;

	return !memcmp(guid, &zero, sizeof(zero));
}

/* ------------------------------------------------------------- sessions */

/* A real-time session of 64 KB buffers; change members before vm_start(). */
static inline struct etw_session vm_session(const char *name)
{
	return (struct etw_session){
		.size = sizeof(struct etw_session),
		.name = VM_PTR(name),
		.name_len = name ? strlen(name) : 0,
		.buffer_kb = 64,
		.mode = ETW_MODE_REAL_TIME,
	};
}

static inline int vm_start(int fd, struct etw_session *s)
{
	return vm_ioctl(fd, ETW_IOC_SESSION_START, s);
}

/* Start a session as vm_session() makes it; its handle, or 0. */
static inline uint64_t vm_start_named(int fd, const char *name)
{
	struct etw_session s = vm_session(name);

	return vm_start(fd, &s) ? 0 : s.handle;
}

static inline int vm_session_op(int fd, unsigned long cmd, uint64_t handle,
				struct etw_session *out)
{
	struct etw_session s = { .size = sizeof(s), .handle = handle };
	int ret = vm_ioctl(fd, cmd, &s);

	if (!ret && out)
		*out = s;
	return ret;
}

static inline int vm_stop(int fd, uint64_t handle)
{
	return vm_session_op(fd, ETW_IOC_SESSION_STOP, handle, NULL);
}

static inline int vm_flush(int fd, uint64_t handle)
{
	return vm_session_op(fd, ETW_IOC_SESSION_FLUSH, handle, NULL);
}

static inline int vm_query(int fd, uint64_t handle, struct etw_session *out)
{
	return vm_session_op(fd, ETW_IOC_SESSION_QUERY, handle, out);
}

static inline int vm_stat(int fd, uint64_t handle, struct etw_session_stat *out)
{
	*out = (struct etw_session_stat){ .size = sizeof(*out), .handle = handle };
	return vm_ioctl(fd, ETW_IOC_SESSION_STAT, out);
}

static inline uint64_t vm_dropped(const struct etw_session_stat *st)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++)
		sum += st->dropped[i];
	return sum;
}

/* Handles of the running sessions; their number, or a negative errno. */
static inline int vm_sessions(int fd, uint64_t *handles, unsigned int capacity)
{
	struct etw_session_enum e = {
		.size = sizeof(e), .handles = VM_PTR(handles), .capacity = capacity };
	int ret = vm_ioctl(fd, ETW_IOC_SESSION_ENUM, &e);

	return ret ? ret : (int)e.count;
}

/* Leave no session of an earlier test behind. */
static inline void vm_stop_all(int fd)
{
	uint64_t handles[256];
	int i, n = vm_sessions(fd, handles, 256);

	for (i = 0; i < n && i < 256; i++)
		vm_stop(fd, handles[i]);
}

/* --------------------------------------------------------------- enable */

static inline struct etw_enable vm_enable_arg(uint64_t session,
					      struct etw_guid provider)
{
	return (struct etw_enable){
		.size = sizeof(struct etw_enable),
		.session = session,
		.provider = provider,
		.control = ETW_CONTROL_ENABLE,
	};
}

static inline int vm_enable(int fd, uint64_t session, struct etw_guid provider,
			    uint8_t level, uint64_t any, uint64_t all)
{
	struct etw_enable e = vm_enable_arg(session, provider);

	e.level = level;
	e.any = any;
	e.all = all;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

static inline int vm_disable(int fd, uint64_t session, struct etw_guid provider)
{
	struct etw_enable e = vm_enable_arg(session, provider);

	e.control = ETW_CONTROL_DISABLE;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

/* ------------------------------------------------------------- provider */

/* The slot of a new registration, or a negative errno. */
static inline int vm_register_flags(int fd, struct etw_guid provider,
				    uint32_t flags, uint64_t cookie)
{
	struct etw_register r = { .size = sizeof(r), .flags = flags,
				  .provider = provider, .cookie = cookie };
	int ret = vm_ioctl(fd, ETW_IOC_REGISTER, &r);

	return ret ? ret : (int)r.slot;
}

static inline int vm_register(int fd, struct etw_guid provider)
{
	return vm_register_flags(fd, provider, 0, 0);
}

static inline int vm_unregister(int fd, uint32_t slot)
{
	struct etw_unregister u = { .size = sizeof(u), .slot = slot };

	return vm_ioctl(fd, ETW_IOC_UNREGISTER, &u);
}

/*
 * What most tests start from: on CPU 0, without a session of an earlier test,
 * with vm_guid(1) registered in *slot.  The device's file, or a negative errno.
 */
static inline int vm_begin(int *slot)
{
	int fd;

	vm_pin(0);
	fd = vm_open();
	if (fd < 0)
		return fd;
	vm_stop_all(fd);
	*slot = vm_register(fd, vm_guid(1));
	if (*slot >= 0)
		return fd;
	close(fd);
	return *slot;
}

/* One event with one piece of data. */
static inline int vm_write(int fd, uint32_t slot, uint16_t id, uint8_t level,
			   uint64_t keyword, const void *data, uint32_t size)
{
	struct etw_data_descriptor d = { .ptr = VM_PTR(data), .size = size };
	struct etw_event_write w = {
		.size = sizeof(w),
		.slot = slot,
		.data_count = 1,
		.data = VM_PTR(&d),
		.desc = { .id = id, .level = level, .keyword = keyword },
	};

	return vm_ioctl(fd, ETW_IOC_WRITE, &w);
}

/* ------------------------------------------------------------- consumer */

/* The file of a new consumer, or a negative errno. */
static inline int vm_consume(int fd, uint64_t session, uint32_t flags,
			     struct etw_consumer_open *out)
{
	struct etw_consumer_open o = { .size = sizeof(o), .session = session,
				       .flags = flags | O_CLOEXEC };
	int ret = vm_ioctl(fd, ETW_IOC_CONSUMER_OPEN, &o);

	if (ret)
		return ret;
	if (out)
		*out = o;
	return o.fd;
}

static inline int vm_take(int cfd, struct etw_buffer_take *take)
{
	*take = (struct etw_buffer_take){ .size = sizeof(*take) };
	return vm_ioctl(cfd, ETW_IOC_BUFFER_TAKE, take);
}

static inline int vm_give(int cfd, uint32_t index)
{
	struct etw_buffer_give g = { .size = sizeof(g), .index = index };

	return vm_ioctl(cfd, ETW_IOC_BUFFER_GIVE, &g);
}

static inline int vm_consumer_info(int cfd, struct etw_consumer_info *info)
{
	struct etw_consumer_stat st = { .size = sizeof(st) };
	int ret = vm_ioctl(cfd, ETW_IOC_CONSUMER_STAT, &st);

	if (!ret)
		*info = st.info;
	return ret;
}

/* Reap a child that must end; its wait status, -1 if it hangs. */
static inline int vm_reap(pid_t pid)
{
	int status = -1;

	if (!vm_until(waitpid(pid, &status, WNOHANG) == pid))
		return -1;
	return status;
}

#endif /* ETW_SELFTEST_VM_DEV_H */
