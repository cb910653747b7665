/* SPDX-License-Identifier: MIT */
/*
 * lib_fake.h - a model of /dev/etw, small and only as strict as the tests need
 *
 * Implements etw_kdev_ops.  An open file is the read end of a pipe, identified by its
 * inode number, so it works over fork, and poll is real; a byte in the pipe is a
 * notification or a wake-up.  State and enable areas are in memory that parent and child
 * share.
 */
#ifndef ETW_LIB_FAKE_H
#define ETW_LIB_FAKE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <etw/abi.h>
#include <etw/abi_filter.h>
#include "device/kdev.h"

#define FAKE_FILES	16
#define FAKE_PROVIDERS	8
#define FAKE_SESSIONS	4
#define FAKE_BUFFERS	64
#define FAKE_BUFFER_SIZE 4096
#define FAKE_RDEV	0xE70
#define FAKE_LISTS	4

struct fake_reg {
	bool used;
	uint32_t flags;
	uint64_t cookie;
	struct etw_guid guid;
	/* PROVIDER_SET */
	uint32_t set_calls;
	uint32_t types;			/* 1: descriptor types are evaluated */
	uint32_t traits_len;		/* 0: none */
	uint8_t traits[64];
};

struct fake_file {
	uint64_t ino;
	pid_t pid;
	int write_end;		/* in the process that opened the file */
	struct fake_reg regs[ETW_REGISTRATIONS_MAX];
	struct etw_notify notices[64];
	uint64_t data[64][ETW_FILTER_CHAIN_MAX / 8];	/* filter data of the notices */
	uint32_t first, count;	/* ring of notices */
};

struct fake_provider {
	struct etw_guid guid;
	struct etw_enable_entry entry;
	struct etw_enable asked;	/* by the session that enabled it */
	uint16_t logger_id;		/* of that session; 0: disabled */
};

struct fake_session {
	struct etw_session s;
	char name[ETW_NAME_MAX + 1];
	uint32_t name_len;
	struct etw_session_system system;
};

struct fake_write {
	struct etw_event_write event;
	struct etw_guid provider;
	uint32_t len;
	unsigned char data[1024];
	uint64_t stack[ETW_STACK_MAX];
};

struct fake_state {
	pthread_mutex_t lock;
	struct fake_file files[FAKE_FILES];
	uint32_t file_count;
	struct fake_provider providers[FAKE_PROVIDERS];
	uint32_t provider_count;
	struct fake_session sessions[FAKE_SESSIONS];
	uint64_t next_handle;
	struct etw_enable enable;	/* the last call's arguments, with */
	struct {			/* its filters */
		uint32_t type, len;
		uint8_t data[ETW_PAYLOAD_SIZE_MAX];
	} filters[ETW_FILTERS_MAX];
	uint64_t data[ETW_FILTER_CHAIN_MAX / 8];	/* added to all notices that follow */
	uint32_t data_len, data_type;
	struct fake_write last;
	struct {
		struct etw_classic_write record;
		uint32_t len, count;
		unsigned char data[1024];
	} classic;
	uint32_t attempts, opens, ioctls, writes, lost, stale, registers;
	/* Groups: results and arguments of their commands */
	struct etw_guid guids[64];
	uint32_t guid_count;
	uint64_t guid_session;
	struct etw_group_member members[16];
	struct etw_provider_enable enables[2];
	uint32_t member_count;
	int open_error;			/* -errno of the next opens */
	int map_error;			/* -errno of the next mappings */
	int error[256];			/* -errno of the next command, by number */
	bool mute;			/* registering queues no notification */
	bool wants_stack;		/* some session, for all events */
	uint64_t lost_filter;		/* of the last report of a loss */
	bool lost_one_by_one;		/* the process may not report several losses at once */
	bool lacks_many;		/* an older module: it has no ETW_IOC_WRITE_MANY */
	uint32_t unknown;		/* commands answered with ENOTTY */
	uint32_t walks;			/* writes answered with "a stack is wanted" */
	/* The only consumer */
	uint64_t consumer_ino;
	int consumer_wake;
	unsigned char buffers[FAKE_BUFFERS][FAKE_BUFFER_SIZE] __attribute__((__aligned__(8)));
	uint32_t buffer_count, buffer_next;
	struct {			/* access lists of GUIDs */
		struct etw_guid guid;
		bool used;
		uint32_t count;
		struct etw_access_entry entries[ETW_ACCESS_ENTRIES_MAX];
	} access[FAKE_LISTS];
	bool ended;
	uint64_t complete_through, complete_sequence;
	uint32_t flushes;
};

static struct fake_state *fake;
static unsigned char *fake_areas;
static int fake_memfd;

__attribute__((__unused__))
static struct etw_enable_entry *fake_area(uint32_t file)
{
	return (void *)(fake_areas + file * ETW_ENABLE_AREA_SIZE);
}

static uint64_t fake_ino(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

static struct fake_file *fake_file(int fd)
{
	uint64_t ino = fake_ino(fd);
	uint32_t i;

	for (i = 0; ino && i < fake->file_count; i++)
		if (fake->files[i].ino == ino)
			return &fake->files[i];
	return NULL;
}

/* The read end of a new pipe. */
static int fake_pipe(int *write_end)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	*write_end = fds[1];
	return fds[0];
}

/* A free place in the table, or one of a process that has ended. */
static struct fake_file *fake_new_file(void)
{
	uint32_t i;

	for (i = 0; i < FAKE_FILES; i++) {
		struct fake_file *f = &fake->files[i];

		if (!f->ino || (kill(f->pid, 0) && errno == ESRCH))
			break;
	}
	if (i == FAKE_FILES)
		abort();
	if (i >= fake->file_count)
		fake->file_count = i + 1;
	memset(fake_area(i), 0, ETW_ENABLE_AREA_SIZE);
	return memset(&fake->files[i], 0, sizeof(fake->files[i]));
}

static int fake_open(const char *path)
{
	struct fake_file *f;
	int fd, end;

	(void)path;
	fake->attempts++;
	if (fake->open_error)
		return fake->open_error;
	fd = fake_pipe(&end);
	if (fd < 0)
		return fd;
	pthread_mutex_lock(&fake->lock);
	fake->opens++;
	f = fake_new_file();
	f->ino = fake_ino(fd);
	f->pid = getpid();
	f->write_end = end;
	pthread_mutex_unlock(&fake->lock);
	return fd;
}

static void fake_close(int fd)
{
	struct fake_file *f = fake_file(fd);

	pthread_mutex_lock(&fake->lock);
	if (f && f->pid == getpid()) {
		close(f->write_end);
		f->ino = 0;
	}
	pthread_mutex_unlock(&fake->lock);
	close(fd);
}

static int fake_map(int fd, size_t len, void **out)
{
	struct fake_file *f = fake_file(fd);
	void *p;

	if (!f)
		return -ENODEV;
	if (fake->map_error)
		return fake->map_error;
	p = mmap(NULL, len, PROT_READ, MAP_SHARED, fake_memfd,
		 (f - fake->files) * ETW_ENABLE_AREA_SIZE);
	if (p == MAP_FAILED)
		return -errno;
	*out = p;
	return 0;
}

/* All opens of a device have one inode. */
static int fake_identify(int fd, struct etw_kdev_id *id)
{
	int ret = etw_kdev_system.identify(fd, id);

	if (!ret && fake_file(fd)) {
		id->dev = 5;
		id->ino = 77;
		id->rdev = FAKE_RDEV;
	}
	return ret;
}

#include "lib_fake_cmds.h"

static int fake_ioctl(int fd, unsigned int command, void *arg)
{
	struct fake_file *f = fake_file(fd);
	uint32_t nr = command & 0xFF;
	int ret;

	pthread_mutex_lock(&fake->lock);
	fake->ioctls++;
	if (fake->error[nr]) {
		ret = fake->error[nr];
		fake->error[nr] = 0;
	} else if (fake->consumer_ino && fake_ino(fd) == fake->consumer_ino) {
		ret = fake_consumer_ioctl(nr, arg);
	} else {
		ret = f ? fake_command(f, fd, nr, arg) : -ENOTTY;
	}
	pthread_mutex_unlock(&fake->lock);
	return ret;
}

static ssize_t fake_read(int fd, void *buf, size_t len)
{
	ssize_t ret;
	char byte;

	(void)fd;
	if (len < FAKE_BUFFER_SIZE)
		return -EINVAL;
	pthread_mutex_lock(&fake->lock);
	if (fake->buffer_next < fake->buffer_count) {
		memcpy(buf, fake->buffers[fake->buffer_next++ % FAKE_BUFFERS],
		       FAKE_BUFFER_SIZE);
		ret = read(fd, &byte, 1) == 1 ? FAKE_BUFFER_SIZE : -EIO;
	} else {
		ret = fake->ended ? 0 : -EAGAIN;
	}
	pthread_mutex_unlock(&fake->lock);
	return ret;
}

static int fake_poll(struct pollfd *fds, unsigned int count, int timeout_ms)
{
	return etw_kdev_system.poll(fds, count, timeout_ms);
}

static const struct etw_kdev_ops fake_ops = {
	.open = fake_open,
	.close = fake_close,
	.ioctl = fake_ioctl,
	.map = fake_map,
	.read = fake_read,
	.poll = fake_poll,
	.identify = fake_identify,
};

__attribute__((__unused__))
static void fake_init(void)
{
	size_t size = FAKE_FILES * ETW_ENABLE_AREA_SIZE;
	pthread_mutexattr_t attr;

	fake_memfd = memfd_create("areas", MFD_CLOEXEC);
	if (fake_memfd < 0 || ftruncate(fake_memfd, size))
		abort();
	fake_areas = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fake_memfd, 0);
	fake = mmap(NULL, sizeof(*fake), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fake_areas == MAP_FAILED || fake == MAP_FAILED)
		abort();
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&fake->lock, &attr);
	etw_kdev_ops = &fake_ops;
}

/* Enable or disable a provider, as a session would. */
__attribute__((__unused__))
static void fake_control(const void *guid, uint32_t control, uint8_t level,
			 uint64_t any, uint64_t all)
{
	pthread_mutex_lock(&fake->lock);
	fake_set(guid, NULL, control, level, any, all);
	pthread_mutex_unlock(&fake->lock);
}

#endif /* ETW_LIB_FAKE_H */
