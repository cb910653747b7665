// SPDX-License-Identifier: GPL-2.0-only
/*
 * consumer - reading a session: read, poll, take and give back
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"

#include <sys/socket.h>

struct event {
	uint32_t number;	/* first, for vm_see() */
	char fill[100];
};

FIXTURE(consumer) {
	int fd;
	int slot;
	struct etw_session s;
	struct vm_reader r;
	uint32_t next;
};

FIXTURE_SETUP(consumer)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->s = vm_session("t-consumer");
	self->s.buffer_kb = 8;
	self->s.min_buffers = 16;
	self->s.max_buffers = 16;
	self->s.flush_ms = 600000;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->s.handle, O_NONBLOCK));
}

FIXTURE_TEARDOWN(consumer)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

static int put(FIXTURE_DATA(consumer) *self)
{
	struct event e = { .number = self->next++ };

	return vm_write(self->fd, self->slot, 1, 4, 1, &e, sizeof(e));
}

/* One delivered buffer with one event in it. */
static int buffer(FIXTURE_DATA(consumer) *self)
{
	int ret = put(self);

	return ret ? ret : vm_flush(self->fd, self->s.handle);
}

TEST_F(consumer, open_describes_the_session)
{
	struct etw_consumer_open o = { .size = sizeof(o), .name = VM_PTR("T-Consumer"),
				       .name_len = 10, .flags = O_CLOEXEC };

	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_CONSUMER_OPEN, &o));
	EXPECT_EQ(8192, o.buffer_size);
	EXPECT_EQ(self->s.clock, o.clock);
	EXPECT_EQ(self->s.clock_freq, o.clock_freq);
	EXPECT_EQ(FD_CLOEXEC, fcntl(o.fd, F_GETFD));
	EXPECT_EQ(0, fcntl(o.fd, F_GETFL) & O_NONBLOCK);
	close(o.fd);
	EXPECT_EQ(O_NONBLOCK, fcntl(self->r.fd, F_GETFL) & O_NONBLOCK);
}

TEST_F(consumer, read_with_too_little_room)
{
	volatile uintptr_t nowhere = 16;

	ASSERT_EQ(0, buffer(self));
	EXPECT_EQ(-1, read(self->r.fd, self->r.buf, 8191));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->r.fd, self->r.buf, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->r.fd, (void *)nowhere, 8192));
	EXPECT_EQ(EFAULT, errno);
	/* None of these took the buffer. */
	EXPECT_EQ(1, vm_read_one(&self->r, NULL, NULL));
	EXPECT_EQ(0, self->r.last_sequence);
}

TEST_F(consumer, read_gives_whole_buffers)
{
	static uint8_t room[3 * 8192 + 100];
	uint64_t events = 0;
	int i;

	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, buffer(self));
	memset(room, 0xAA, sizeof(room));
	EXPECT_EQ(3 * 8192, read(self->r.fd, room, sizeof(room)));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(NULL, vm_walk(room + i * 8192, 8192, NULL, NULL, &events));
	EXPECT_EQ(3, events);
	EXPECT_EQ(0xAA, room[3 * 8192]);
	EXPECT_EQ(2 * 8192, read(self->r.fd, room, sizeof(room)));
	EXPECT_EQ(-1, read(self->r.fd, room, sizeof(room)));
	EXPECT_EQ(EAGAIN, errno);
}

/* A reader whose memory ends within the second buffer keeps what was read. */
TEST_F(consumer, read_into_half_a_room)
{
	struct vm_seen seen = { 0 };
	uint8_t *room = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ssize_t n;

	ASSERT_NE(MAP_FAILED, room);
	ASSERT_EQ(0, munmap(room + 3 * 4096, 4096));
	ASSERT_EQ(0, buffer(self));
	ASSERT_EQ(0, buffer(self));
	n = read(self->r.fd, room, 2 * 8192);
	EXPECT_TRUE(n == 8192 || (n == -1 && errno == EFAULT));
	EXPECT_EQ(-EAGAIN, vm_drain(&self->r, vm_see, &seen));
	EXPECT_EQ(n == 8192 ? 1 : 2, seen.records);
	EXPECT_EQ(1, seen.last);
}

/* A blocking reader gets what comes, and 0 when the session stops. */
TEST_F(consumer, read_blocks)
{
	struct vm_reader r;
	int status, ret;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (vm_reader_open(&r, self->fd, self->s.handle, 0))
			_exit(100);
		ret = vm_drain(&r, NULL, NULL);
		_exit(ret ? 101 : (int)r.events);
	}
	ASSERT_TRUE(vm_until(({
		struct etw_session_stat st;

		!vm_stat(self->fd, self->s.handle, &st) && st.consumer_count == 2; })));
	ASSERT_EQ(0, buffer(self));
	ASSERT_EQ(0, buffer(self));
	ASSERT_EQ(0, put(self));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(3, WEXITSTATUS(status));
}

TEST_F(consumer, poll)
{
	struct pollfd p = { .fd = self->r.fd, .events = POLLIN };

	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, put(self));
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLIN, p.revents & POLLIN);
	EXPECT_EQ(1, vm_read_one(&self->r, NULL, NULL));
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	/* The end is something to read, too. */
	EXPECT_EQ(1, poll(&p, 1, VM_LIMIT_MS));
	EXPECT_NE(0, p.revents & (POLLIN | POLLHUP));
	EXPECT_EQ(0, read(self->r.fd, self->r.buf, self->r.size));
	EXPECT_EQ(0, read(self->r.fd, self->r.buf, self->r.size));
}

TEST_F(consumer, end_comes_after_everything)
{
	struct vm_seen seen = { 0 };
	int i;

	for (i = 0; i < 300; i++)
		ASSERT_EQ(0, put(self));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_drain(&self->r, vm_see, &seen));
	EXPECT_EQ(300, seen.records);
	EXPECT_TRUE(seen.ordered);
}

/* Sequence, processor and time of the buffers of one session. */
static void check_header(void *ctx, const struct etw_buffer_header *b,
			 const struct vm_record *r)
{
	int *bad = ctx;

	if (b->processor != 0)
		(*bad)++;
	if (r->head->timestamp > b->timestamp)
		(*bad)++;
	if (r->head->process_id != getpid() || r->head->thread_id != getpid())
		(*bad)++;
	if (r->head->type != ETW_TYPE_EVENT64 || r->len != sizeof(struct event))
		(*bad)++;
}

TEST_F(consumer, buffers_are_numbered)
{
	const struct etw_buffer_header *b = (const void *)self->r.buf;
	int i, bad = 0;

	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, buffer(self));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(1, vm_read_one(&self->r, check_header, &bad));
		EXPECT_EQ(i, b->sequence);
		EXPECT_EQ(self->s.logger_id, b->logger_id);
		EXPECT_EQ(self->s.clock, b->clock & ETW_CLOCK_TYPE_MASK);
	}
	EXPECT_EQ(0, bad);
}

/* Bytes that no writer fills: padding is 0, and the tail is 0xFF in every buffer. */
TEST_F(consumer, odd_sizes_leave_no_bytes_behind)
{
	static char data[300];
	uint32_t size;

	memset(data, 0xEE, sizeof(data));
	for (size = 0; size < sizeof(data); size++) {
		ASSERT_EQ(0, vm_write(self->fd, self->slot, 1, 4, 1, data, size));
		if (size % 7 == 0)
			ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
		EXPECT_NE(-EBADMSG, vm_drain(&self->r, NULL, NULL));
	}
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_drain(&self->r, NULL, NULL));
	EXPECT_EQ(NULL, self->r.error);
	EXPECT_EQ(sizeof(data), self->r.events);
}

TEST_F(consumer, take_and_give)
{
	struct etw_consumer_info info;
	struct etw_buffer_take t[3];
	int i;

	EXPECT_EQ(-EAGAIN, vm_take(self->r.fd, &t[0]));
	EXPECT_EQ(0, t[0].index);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, buffer(self));
	ASSERT_EQ(0, vm_take(self->r.fd, &t[0]));
	ASSERT_EQ(0, vm_take(self->r.fd, &t[1]));
	EXPECT_NE(t[0].index, t[1].index);
	EXPECT_EQ(0, t[0].sequence);
	EXPECT_EQ(1, t[1].sequence);
	EXPECT_EQ(1, t[0].events);
	EXPECT_LT(ETW_BUFFER_HEADER_SIZE + ETW_EVENT_HEADER_SIZE, t[0].used);
	EXPECT_EQ(-EBUSY, vm_take(self->r.fd, &t[2]));
	ASSERT_EQ(0, vm_consumer_info(self->r.fd, &info));
	EXPECT_EQ(2, info.held);
	EXPECT_EQ(2, info.backlog);
	EXPECT_EQ(2, info.buffers);
	EXPECT_EQ(getpid(), info.pid);
	/* In any order. */
	EXPECT_EQ(0, vm_give(self->r.fd, t[1].index));
	ASSERT_EQ(0, vm_take(self->r.fd, &t[2]));
	EXPECT_EQ(2, t[2].sequence);
	EXPECT_EQ(0, vm_give(self->r.fd, t[0].index));
	EXPECT_EQ(0, vm_give(self->r.fd, t[2].index));
	/* What was not taken can still be read. */
	EXPECT_EQ(1, vm_read_one(&self->r, NULL, NULL));
	EXPECT_EQ(3, self->r.last_sequence);
}

TEST_F(consumer, give_what_is_not_held)
{
	static const uint32_t wrong[] = { 1, 15, 16, 1000, 0x7FFFFFFF, 0xFFFFFFFF };
	struct etw_buffer_take t;
	unsigned int i;

	EXPECT_EQ(-EINVAL, vm_give(self->r.fd, 0));
	ASSERT_EQ(0, buffer(self));
	ASSERT_EQ(0, vm_take(self->r.fd, &t));
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		if (wrong[i] != t.index)
			EXPECT_EQ(-EINVAL, vm_give(self->r.fd, wrong[i]));
	EXPECT_EQ(0, vm_give(self->r.fd, t.index));
	EXPECT_EQ(-EINVAL, vm_give(self->r.fd, t.index));
}

/* What one consumer holds, another cannot give back. */
TEST_F(consumer, give_what_another_holds)
{
	struct etw_buffer_take t, u;
	int other = vm_consume(self->fd, self->s.handle, O_NONBLOCK, NULL);

	ASSERT_LE(0, other);
	ASSERT_EQ(0, buffer(self));
	ASSERT_EQ(0, vm_take(self->r.fd, &t));
	EXPECT_EQ(-EINVAL, vm_give(other, t.index));
	ASSERT_EQ(0, vm_take(other, &u));
	EXPECT_EQ(t.index, u.index);	/* the same bytes for both */
	EXPECT_EQ(0, vm_give(other, u.index));
	EXPECT_EQ(0, vm_give(self->r.fd, t.index));
	close(other);
}

TEST_F(consumer, take_at_the_end)
{
	struct etw_buffer_take t, end;

	ASSERT_EQ(0, put(self));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	ASSERT_EQ(0, vm_take(self->r.fd, &t));
	EXPECT_EQ(1, t.events);
	EXPECT_EQ(-ENODATA, vm_take(self->r.fd, &end));
	EXPECT_EQ(0, vm_give(self->r.fd, t.index));
	EXPECT_EQ(-ENODATA, vm_take(self->r.fd, &end));
}

/* complete_through: everything up to that time is in the buffers below that number. */
TEST_F(consumer, complete_through)
{
	struct etw_buffer_take t = { .size = sizeof(t), .flags = ETW_TAKE_PEEK };
	uint64_t through;
	const struct etw_event_header *h;

	ASSERT_EQ(0, buffer(self));
	ASSERT_EQ(0, vm_ioctl(self->r.fd, ETW_IOC_BUFFER_TAKE, &t));
	through = t.complete_through;
	EXPECT_EQ(1, t.complete_sequence);
	ASSERT_EQ(1, vm_read_one(&self->r, NULL, NULL));
	h = (const void *)(self->r.buf + ETW_BUFFER_HEADER_SIZE);
	EXPECT_LE(h->timestamp, through);
	ASSERT_EQ(0, buffer(self));
	EXPECT_EQ(0, vm_ioctl(self->r.fd, ETW_IOC_BUFFER_TAKE, &t));
	EXPECT_LT(through, t.complete_through);
	EXPECT_EQ(2, t.complete_sequence);
	ASSERT_EQ(1, vm_read_one(&self->r, NULL, NULL));
	h = (const void *)(self->r.buf + ETW_BUFFER_HEADER_SIZE);
	EXPECT_LT(through, h->timestamp);
}

static int send_fd(int sock, int fd)
{
	char c = 'f', room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec v = { &c, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = room,
			    .msg_controllen = sizeof(room) };
	struct cmsghdr *cm = CMSG_FIRSTHDR(&m);

	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cm), &fd, sizeof(fd));
	return sendmsg(sock, &m, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int sock)
{
	char c, room[CMSG_SPACE(sizeof(int))];
	struct iovec v = { &c, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = room,
			    .msg_controllen = sizeof(room) };
	int fd = -1;

	if (recvmsg(sock, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

/* The file is passed to another process; its opener closes it and continues without it. */
TEST_F(consumer, passed_to_another_process)
{
	int sock[2], status;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	pid = fork();
	if (!pid) {
		struct vm_reader r = self->r;

		close(self->r.fd);
		r.fd = receive_fd(sock[1]);
		if (r.fd < 0 || vm_until(vm_drain(&r, NULL, NULL) == 0) == 0)
			_exit(1);
		_exit(r.events != 2);
	}
	ASSERT_EQ(0, buffer(self));
	ASSERT_EQ(0, send_fd(sock[0], self->r.fd));
	close(self->r.fd);
	self->r.fd = -1;
	ASSERT_EQ(0, buffer(self));
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_HARNESS_MAIN
