// SPDX-License-Identifier: GPL-2.0-only
/* plain.c - operations on descriptors other than the tables' ioctls */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include "exec.h"

RUN(open)
{
	(void)thread;
	return fd_add(x, result(open(ETW_DEVICE_PATH, v[0])), FD_DEV, 0);
}

RUN(close)
{
	struct fuzz_fd *f = fd_find(x, (int)v[0]);

	(void)thread;
	if (f)
		f->fd = -1;
	return result(close((int)v[0]));
}

RUN(dup)
{
	struct fuzz_fd *f = fd_find(x, (int)v[0]);

	(void)thread;
	return fd_add(x, result(dup((int)v[0])), f ? f->kind : FD_OTHER, f ? f->buffer_size : 0);
}

RUN(read)
{
	uint64_t len = v[2] > 16 * PAGE ? 16 * PAGE : v[2];

	(void)x;
	(void)thread;
	return result(syscall(SYS_read, (int)v[0], v[1], len));
}

RUN(poll)
{
	struct pollfd p = { .fd = (int)v[0], .events = (short)v[1] };

	(void)x;
	(void)thread;
	return result(poll(&p, 1, 3));
}

RUN(epoll)
{
	struct epoll_event e = { .events = (uint32_t)v[1] | (v[1] & 2 ? EPOLLET : 0) };
	int ep = epoll_create1(EPOLL_CLOEXEC);
	long ret;

	(void)thread;
	if (ep < 0)
		return -errno;
	ret = result(epoll_ctl(ep, EPOLL_CTL_ADD, (int)v[0], &e));
	if (!ret)
		ret = result(epoll_wait(ep, &e, 1, 3));
	if (v[2] & 1)
		fd_add(x, ep, FD_OTHER, 0);	/* the file stays watched */
	else
		close(ep);
	return ret;
}

RUN(fcntl)
{
	(void)x;
	(void)thread;
	return result(fcntl((int)v[0], (int)v[1], v[2]));
}

/* Send a descriptor to itself through a socket, which is its only owner for a moment. */
RUN(pass_fd)
{
	struct fuzz_fd *f = fd_find(x, (int)v[0]);
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec io = { &byte, 1 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int pair[2], fd = (int)v[0], got = -1;
	long ret;

	(void)thread;
	if (!f)
		return -EBADF;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair))
		return -errno;
	*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
			       .cmsg_len = CMSG_LEN(sizeof(int)) };
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	ret = result(sendmsg(pair[0], &m, 0));
	if (ret > 0) {
		f->fd = -1;
		close(fd);
		ret = result(recvmsg(pair[1], &m, 0));
	}
	if (ret > 0 && CMSG_FIRSTHDR(&m)) {
		memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(got));
		ret = fd_add(x, got, f->kind, f->buffer_size);
	}
	close(pair[0]);
	close(pair[1]);
	return ret;
}

/* -------------------------------------------------------------------- events */

RUN(burst)
{
	struct etw_data_descriptor d[3] = { { PAYLOAD_BASE, v[3] > 65536 ? 65536 : v[3], 0 },
					    { PAYLOAD_BASE, 3, 0 }, { PAYLOAD_BASE, 0, 0 } };
	struct etw_event_write w = {
		.size = sizeof(w), .slot = v[1], .data = (uintptr_t)d, .data_count = 3,
		.desc = { .id = 7, .level = v[4], .keyword = v[5] } };
	uint64_t i, count = v[2] > 1000 ? 1000 : v[2];
	long ret = 0, bad = 0;

	if (d[0].size > 4096 && count > 100)
		count = 100;
	(void)thread;
	for (i = 0; i < count && !atomic_load(&x->stop); i++) {
		ret = result(ioctl((int)v[0], ETW_IOC_WRITE, &w));
		if (ret < 0)
			bad = ret;
	}
	return bad;
}

/* Events behind each other, of which few are not what the kernel takes */
RUN(events)
{
	/* The first word is the size of metadata for an event without a field, called "e". */
	static const unsigned char metadata[] = { 5, 0, 0, 'e', 0 };
	_Alignas(8) unsigned char bytes[4096] = { 0 };
	struct etw_write_many many = {
		.size = sizeof(many), .slot = v[1], .events = (uintptr_t)bytes,
		.filter = v[4] & 1 ? v[4] : 0,
	};
	uint64_t seed = v[2], i;
	struct etw_many_event *e;

	(void)x;
	(void)thread;
	for (i = 0; i <= v[3] % 24; i++, many.bytes += e->size) {
		seed = rnd_mix(seed + i + 1);
		e = (void *)(bytes + many.bytes);
		e->payload_len = seed & 63;
		e->schema = seed >> 8 & 7 ? sizeof(*e) + 64 : 0;
		e->size = sizeof(*e) + 72;
		e->flags = seed >> 11 & 1;
		e->time = seed >> 12 & 3 ? v[5] + i : seed;
		e->desc.id = i;
		e->desc.level = seed >> 16 & 7;
		e->desc.keyword = seed >> 20 & 1 ? seed >> 32 : 0;
		if (!i)
			memcpy(bytes + sizeof(*e) + 64, metadata, sizeof(metadata));
	}
	/* Anything in one of them */
	if (!(seed >> 40 & 7))
		bytes[(seed >> 44) % many.bytes] ^= seed >> 56;
	if (!(seed >> 48 & 31))
		many.bytes += seed >> 53 & 4095;
	/* Some have a time, which nothing published keeps from being any. */
	shared->typed = true;
	return result(ioctl((int)v[0], ETW_IOC_WRITE_MANY, &many));
}

RUN(sleep)
{
	(void)x;
	(void)thread;
	usleep(v[0] % 30 * 1000);
	return 0;
}

/* ------------------------------------------------------------------ reading */

static void audit(const void *buf, uint32_t size, const char *how)
{
	uint64_t records = 0;
	const char *error = audit_buffer(buf, size, &records);

	__atomic_fetch_add(&shared->buffers, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->records, records, __ATOMIC_RELAXED);
	if (error)
		finding("a buffer got by %s: %s", how, error);
}

/* Read and check all available data. */
RUN(audit)
{
	struct fuzz_fd *f = fd_find(x, (int)v[0]);
	uint8_t *buf = arena(thread) + AT_DATA;
	struct pollfd p = { .fd = (int)v[0], .events = POLLIN };
	long ret = -EBADF, n = 0;

	if (!f || !f->buffer_size || f->buffer_size > DATA_ROOM)
		return -EBADF;
	while (poll(&p, 1, 0) == 1) {
		ret = result(read(f->fd, buf, f->buffer_size));
		if (ret <= 0)
			return n ? n : ret;
		if (ret != f->buffer_size)
			finding("read gave %ld bytes of a buffer of %u", ret, f->buffer_size);
		/* With PROG_FLIP another thread has changed the memory since. */
		if (!(x->prog->flags & PROG_FLIP))
			audit(buf, f->buffer_size, "read");
		n++;
	}
	return n ? n : -EAGAIN;
}

/* Take a buffer, map it, check it, and sometimes give it back. */
RUN(audit_map)
{
	struct etw_buffer_take t = { .size = sizeof(t) };
	struct fuzz_fd *f = fd_find(x, (int)v[0]);
	struct etw_buffer_give g = { .size = sizeof(g) };
	void *p;
	long ret;

	(void)thread;
	if (!f || !f->buffer_size || f->buffer_size > 1 << 20)
		return -EBADF;
	ret = result(ioctl(f->fd, ETW_IOC_BUFFER_TAKE, &t));
	if (ret < 0)
		return ret;
	p = mmap(NULL, f->buffer_size, PROT_READ, MAP_SHARED, f->fd,
		 (off_t)t.index * f->buffer_size);
	if (p != MAP_FAILED) {
		/* In a threaded program another thread may give it back, and then it changes. */
		if (!(x->prog->flags & PROG_THREADED))
			audit(p, f->buffer_size, "mmap");
		munmap(p, f->buffer_size);
	}
	g.index = t.index;
	if (v[1] & 1 || p == MAP_FAILED)
		return result(ioctl(f->fd, ETW_IOC_BUFFER_GIVE, &g));
	done_take(x, &t);
	return 0;
}

/* ---------------------------------------------------------------- odd calls */

RUN(odd_ioctl)
{
	uint8_t *p = (uint8_t *)v[2];
	uint32_t size = 64;

	(void)x;
	if (p >= arena(thread) + AT_DATA && p < arena(thread) + AT_GUARD2 - 4)
		memcpy(p, &size, sizeof(size));
	return result(syscall(SYS_ioctl, (int)v[0], v[1], v[2]));
}

RUN(odd_call)
{
	struct iovec io[2] = { { arena(thread) + AT_DATA, PAGE }, { arena(thread) + AT_STRUCT, 8 } };
	struct stat st;
	int fd = (int)v[0];
	loff_t at = 0;

	(void)x;
	switch (v[1] % 12) {
	case 0: return result(write(fd, io[0].iov_base, 100));
	case 1: return result(lseek(fd, 4096, SEEK_SET));
	case 2: return result(ftruncate(fd, 0));
	case 3: return result(fsync(fd));
	case 4: return result(fstat(fd, &st));
	case 5: return result(readv(fd, io, 2));
	case 6: return result(pread(fd, io[0].iov_base, PAGE, 4096));
	case 7: return result(sendfile(fd, fd, &at, 4096));
	case 8: return result(flock(fd, LOCK_EX | LOCK_NB));
	case 9: return result(posix_fadvise(fd, 0, 4096, POSIX_FADV_DONTNEED));
	case 10: return result(fallocate(fd, 0, 0, 4096));
	}
	return result(syscall(SYS_getdents64, fd, io[0].iov_base, PAGE));
}

RUN(cpu)
{
	cpu_set_t set;

	(void)x;
	(void)thread;
	CPU_ZERO(&set);
	if (v[0] & 1)
		CPU_SET(0, &set);
	if (v[0] & 2)
		CPU_SET(1, &set);
	return result(sched_setaffinity(0, sizeof(set), &set));
}

/* Reach the limits: many registrations, consumers or sessions. */
RUN(many)
{
	struct etw_register r = { .size = sizeof(r), .flags = v[1] & 1, .provider = fuzz_guids[1] };
	struct etw_consumer_open o = { .size = sizeof(o), .flags = O_NONBLOCK,
				       .session = x->handles[0] };
	struct etw_session s = { .size = sizeof(s), .mode = ETW_MODE_REAL_TIME, .buffer_kb = 4 };
	uint64_t i, count = v[2] > 1000 ? 1100 : v[2];
	char name[32];
	long ret = 0;

	(void)thread;
	for (i = 0; i < count && ret >= 0 && !atomic_load(&x->stop); i++) {
		if (v[1] & 4) {
			s.name_len = sprintf(name, "many-%d", (int)i);
			s.name = (uintptr_t)name;
			ret = result(ioctl((int)v[0], ETW_IOC_SESSION_START, &s));
			if (ret >= 0)
				done_start(x, &s);
		} else if (v[1] & 2) {
			ret = result(ioctl((int)v[0], ETW_IOC_CONSUMER_OPEN, &o));
			if (ret >= 0)
				done_consume(x, &o);
		} else {
			ret = result(ioctl((int)v[0], ETW_IOC_REGISTER, &r));
		}
	}
	return ret;
}
