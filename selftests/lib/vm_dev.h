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

/* For use without the harness, which defines it the same way. */
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

#define VM_PTR(p)	((uint64_t)(uintptr_t)(p))

long long vm_ms(void);

/* Wait until cond holds; false if it did not come true within the limit. */
#define vm_until(cond) ({						\
	long long _end = vm_ms() + VM_LIMIT_MS;				\
	bool _ok;							\
	while (!(_ok = !!(cond)) && vm_ms() < _end)			\
		usleep(2000);						\
	_ok; })

int vm_ioctl(int fd, unsigned long cmd, void *arg);

int vm_open(void);

/* Write the text to a file that exists, such as one in /proc; false: it was not taken. */
bool vm_write_text(const char *path, const char *text);

void vm_pin(int cpu);

/* Call take with each process, and thread of the kernel, whose name begins so, until it says false. */
void vm_each_named(const char *begin, bool (*take)(void *context, pid_t pid), void *context);

#define VM_CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"

/* Take CPU 1 offline or online again; false: this machine cannot. */
bool vm_cpu1_online(bool on);

/*
 * The folder of the etw command and of modules/KERNEL: $ETW_BUILD, or else the one above
 * the program's own, BUILD/FOLDER/PROGRAM.
 */
const char *vm_build(void);

/* A GUID that no other test uses: n chooses one of a test's own. */
struct etw_guid vm_guid(unsigned int n);

bool vm_guid_zero(const struct etw_guid *guid);

/* ------------------------------------------------------------- sessions */

/* A real-time session of 64 KB buffers; change members before vm_start(). */
struct etw_session vm_session(const char *name);

static inline int vm_start(int fd, struct etw_session *s)
{
	return vm_ioctl(fd, ETW_IOC_SESSION_START, s);
}

/* Start a session as vm_session() makes it; its handle, or 0. */
uint64_t vm_start_named(int fd, const char *name);

int vm_session_op(int fd, unsigned long cmd, uint64_t handle, struct etw_session *out);

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

uint64_t vm_dropped(const struct etw_session_stat *st);

/* Handles of the running sessions; their number, or a negative errno. */
int vm_sessions(int fd, uint64_t *handles, unsigned int capacity);

/* Providers that etw.ko registers itself */
#define VM_OWN_PROVIDERS	3

/*
 * The providers that the caller may see, without etw.ko's own; their number, or a negative
 * errno.
 */
int vm_providers(int fd, struct etw_guid *guids, unsigned int capacity);

/* Leave no session of an earlier test behind. */
void vm_stop_all(int fd);

/* --------------------------------------------------------------- enable */

struct etw_enable vm_enable_arg(uint64_t session, struct etw_guid provider);

int vm_enable(int fd, uint64_t session, struct etw_guid provider, uint8_t level, uint64_t any,
	      uint64_t all);

int vm_disable(int fd, uint64_t session, struct etw_guid provider);

/* ------------------------------------------------------------- provider */

/* The slot of a new registration, or a negative errno. */
int vm_register_flags(int fd, struct etw_guid provider, uint32_t flags, uint64_t cookie);

static inline int vm_register(int fd, struct etw_guid provider)
{
	return vm_register_flags(fd, provider, 0, 0);
}

int vm_unregister(int fd, uint32_t slot);

/*
 * Wait until the flush timer of a session started for this purpose, with the shortest
 * interval, has expired so many times.  False: it does not.
 */
bool vm_flush_timer(int fd, unsigned int times);

/*
 * The start of most tests: on CPU 0, without a session of an earlier test, with vm_guid(1)
 * registered in *slot.  The device's file, or a negative errno.
 */
int vm_begin(int *slot);

/* One event with one piece of data. */
int vm_write(int fd, uint32_t slot, uint16_t id, uint8_t level, uint64_t keyword, const void *data,
	     uint32_t size);

/* ------------------------------------------------------------- consumer */

/* The file of a new consumer, or a negative errno. */
int vm_consume(int fd, uint64_t session, uint32_t flags, struct etw_consumer_open *out);

static inline int vm_take(int cfd, struct etw_buffer_take *take)
{
	*take = (struct etw_buffer_take){ .size = sizeof(*take) };
	return vm_ioctl(cfd, ETW_IOC_BUFFER_TAKE, take);
}

int vm_give(int cfd, uint32_t index);

int vm_consumer_info(int cfd, struct etw_consumer_info *info);

/*
 * All other threads of this process sleep in a system call, so a thread that could go on has
 * done so.
 */
bool vm_others_sleep(void);
/* In a sleep that a signal ends? Others may only be on the way to it. */
bool vm_others_wait(void);

/* What a file of /proc says of a process or a thread, by its id; false: nothing. */
bool vm_proc_read(pid_t id, const char *file, char *to, size_t room);
/* The letter of its state, as in proc(5); 0: there is none. */
char vm_proc_state(pid_t id);

/* Reap a child that must end; its wait status, -1 if it hangs or was reaped. */
int vm_reap(pid_t pid);

/* A child that does something each time it is asked to, until it or the test ends */
struct vm_helper {
	pid_t pid;
	int to, from;
};

/* Start it and wait until it is ready.  serve: returns 0 or -errno when vm_helper_next() is false. */
int vm_helper_start(struct vm_helper *h, int (*serve)(int in, int out, const void *context),
		    const void *context);

/* Say that it is ready, or has done what it was asked to, and wait until it is asked again. */
bool vm_helper_next(int in, int out);

/* Ask it, and wait until it has done it. */
bool vm_helper_ask(const struct vm_helper *h);

/* End it; what serve returned. */
int vm_helper_end(struct vm_helper *h);

#endif /* ETW_SELFTEST_VM_DEV_H */
