// SPDX-License-Identifier: GPL-2.0-only
/*
 * consumer_map - the buffers mapped into a consumer
 *
 * Whatever a process does to the mapping, it stays read-only and shows only the buffers of
 * this session; neither a fork nor the end of the session, file or process makes it
 * dangerous.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"

#ifndef MADV_DOFORK
#define MADV_DOFORK 11
#endif

#define BUFFERS	16
#define SIZE	8192

FIXTURE(map) {
	int fd;
	int slot;
	int cfd;
	struct etw_session s;
	struct etw_buffer_take t;
	uint8_t *p;		/* the buffer that is held */
	off_t at;		/* its place in the file */
	size_t total;		/* buffers of the session */
};

FIXTURE_SETUP(map)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->s = vm_session("t-map");
	self->s.buffer_kb = SIZE / 1024;
	self->s.min_buffers = self->s.max_buffers = BUFFERS;
	self->s.flush_ms = 600000;
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	/* One more for what the consumer loses */
	self->total = self->s.buffers + self->s.reserve_buffers + 1;
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 0, 0, 0));
	self->cfd = vm_consume(self->fd, self->s.handle, O_NONBLOCK, NULL);
	ASSERT_LE(0, self->cfd);
	ASSERT_EQ(0, vm_write(self->fd, self->slot, 42, 4, 1, "mapped", 7));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(0, vm_take(self->cfd, &self->t));
	self->at = (off_t)self->t.index * SIZE;
	self->p = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, self->cfd, self->at);
	ASSERT_NE(MAP_FAILED, self->p)
		TH_LOG("mmap: %s", strerror(errno));
}

FIXTURE_TEARDOWN(map)
{
	if (self->cfd >= 0)
		close(self->cfd);
	vm_stop_all(self->fd);
	close(self->fd);
}

static bool intact(const void *p)
{
	const struct etw_event_header *h = p + ETW_BUFFER_HEADER_SIZE;
	uint64_t events = 0;

	return !vm_walk(p, SIZE, NULL, NULL, &events) && events == 1 &&
	       h->desc.id == 42 && !memcmp(h + 1, "mapped", 7);
}

TEST_F(map, shows_the_buffer)
{
	EXPECT_TRUE(intact(self->p));
	EXPECT_EQ(ETW_BUFFER_HEADER_SIZE + ETW_EVENT_HEADER_SIZE + 8, self->t.used);
}

TEST_F(map, whole_table)
{
	const size_t size = self->total * SIZE;
	uint8_t *all = mmap(NULL, size, PROT_READ, MAP_SHARED, self->cfd, SIZE);
	unsigned int sum = 0;
	size_t i;

	ASSERT_NE(MAP_FAILED, all);
	EXPECT_TRUE(intact(all + self->at - SIZE));	/* indices start at 1 */
	for (i = 0; i < size; i++)
		sum += all[i];
	EXPECT_NE(0, sum);
	EXPECT_EQ(0, munmap(all, size));
}

TEST_F(map, never_writable)
{
	void *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, self->cfd, self->at);

	EXPECT_EQ(MAP_FAILED, p);
	p = mmap(NULL, SIZE, PROT_WRITE, MAP_SHARED, self->cfd, self->at);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(-1, mprotect(self->p, SIZE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(self->p, 4096, PROT_WRITE));
}

/* A private writable mapping would be a copy, but it is not offered. */
TEST_F(map, never_private_and_writable)
{
	void *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->cfd, self->at);

	EXPECT_EQ(MAP_FAILED, p);
}

TEST_F(map, odd_places)
{
	const size_t total = self->total;
	const struct { long long at; size_t len; } bad[] = {
		{ 0, SIZE }, { 0, 4096 }, { 4096, SIZE }, { SIZE + 4096, 4096 },
		{ SIZE + 4096, SIZE }, { SIZE, 4096 }, { SIZE, SIZE + 4096 },
		{ (total + 1) * SIZE, SIZE }, { SIZE, (total + 1) * SIZE },
		{ total * SIZE, 2 * SIZE }, { 1LL << 40, SIZE },
		{ 0x7fffffffffffe000, SIZE }, { (1LL << 32) * SIZE, SIZE } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		void *p = mmap(NULL, bad[i].len, PROT_READ, MAP_SHARED, self->cfd, bad[i].at);

		EXPECT_EQ(MAP_FAILED, p)
			TH_LOG("offset %llx length %zx", bad[i].at, bad[i].len);
	}
	EXPECT_TRUE(intact(self->p));
}

TEST_F(map, does_not_grow)
{
	EXPECT_EQ(MAP_FAILED, mremap(self->p, SIZE, 2 * SIZE, MREMAP_MAYMOVE));
	EXPECT_TRUE(intact(self->p));
}

TEST_F(map, can_be_moved)
{
	uint8_t *q = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *moved = mremap(self->p, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, q);

	if (moved != MAP_FAILED) {
		EXPECT_TRUE(intact(moved));
		EXPECT_EQ(0, munmap(moved, SIZE));
	} else {
		EXPECT_TRUE(intact(self->p));
	}
}

TEST_F(map, part_can_go)
{
	EXPECT_EQ(0, munmap(self->p + 4096, 4096));
	EXPECT_EQ(42, ((const struct etw_event_header *)
		       (self->p + ETW_BUFFER_HEADER_SIZE))->desc.id);
	EXPECT_EQ(0, munmap(self->p, 4096));
	EXPECT_EQ(0, vm_give(self->cfd, self->t.index));
}

/* What a part was punched out of still cannot be made writable. */
TEST_F(map, split_stays_read_only)
{
	ASSERT_EQ(0, madvise(self->p, 4096, MADV_RANDOM));
	EXPECT_EQ(-1, mprotect(self->p, 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(-1, mprotect(self->p + 4096, 4096, PROT_READ | PROT_WRITE));
	EXPECT_TRUE(intact(self->p));
}

TEST_F(map, outlives_the_file)
{
	close(self->cfd);
	self->cfd = -1;
	EXPECT_TRUE(intact(self->p));
	EXPECT_EQ(0, munmap(self->p, SIZE));
}

TEST_F(map, outlives_the_session)
{
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_TRUE(intact(self->p));
	close(self->cfd);
	self->cfd = -1;
	/* The memory is still ours: it shows no new data of the kernel. */
	ASSERT_NE(0, vm_start_named(self->fd, "t-map"));
	EXPECT_TRUE(intact(self->p));
	EXPECT_EQ(0, munmap(self->p, SIZE));
}

/* Can the byte be read?  The check survives a fault. */
static bool readable(const void *p)
{
	int ends[2];
	bool yes;

	if (pipe(ends))
		return false;
	yes = write(ends[1], p, 1) == 1;
	close(ends[0]);
	close(ends[1]);
	return yes;
}

/* A forked child has the mapping or does not have it; either is safe. */
static void fork_test(struct __test_metadata *_metadata, FIXTURE_DATA(map) *self)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid) {
			if (i % 2)
				munmap(self->p, SIZE);
			_exit(readable(self->p) && !intact(self->p));
		}
		status = vm_reap(pid);
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_EQ(0, WEXITSTATUS(status));
		EXPECT_TRUE(intact(self->p));
	}
	EXPECT_EQ(0, vm_give(self->cfd, self->t.index));
	EXPECT_EQ(0, munmap(self->p, SIZE));
}

TEST_F(map, fork)
{
	fork_test(_metadata, self);
}

TEST_F(map, fork_after_madvise_dofork)
{
	madvise(self->p, SIZE, MADV_DOFORK);
	fork_test(_metadata, self);
}

/* The child lives on with the mapping after everything else has ended. */
TEST_F(map, child_outlives_all)
{
	int status, go[2];
	char c;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	madvise(self->p, SIZE, MADV_DOFORK);
	pid = fork();
	if (!pid) {
		close(go[1]);
		close(self->fd);
		close(self->cfd);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(readable(self->p) && !intact(self->p));
	}
	munmap(self->p, SIZE);
	close(self->cfd);
	self->cfd = -1;
	ASSERT_EQ(0, vm_stop(self->fd, self->s.handle));
	ASSERT_EQ(1, write(go[1], "g", 1));
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* The buffer was given back and is written again: the mapping shows the new data. */
TEST_F(map, follows_the_buffer)
{
	const struct etw_buffer_header *b = (const void *)self->p;
	int64_t first = b->sequence;
	struct etw_buffer_take t;
	int i;

	ASSERT_EQ(0, vm_give(self->cfd, self->t.index));
	for (i = 0; i < 4 * BUFFERS; i++) {
		ASSERT_EQ(0, vm_write(self->fd, self->slot, 42, 4, 1, "mapped", 7));
		ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
		ASSERT_EQ(0, vm_take(self->cfd, &t));
		if (t.index == self->t.index) {
			EXPECT_EQ(t.sequence, b->sequence);
			EXPECT_TRUE(intact(self->p));
		}
		ASSERT_EQ(0, vm_give(self->cfd, t.index));
	}
	EXPECT_LT(first, b->sequence);
}

/* The memory never shows in a core dump or through another session's file. */
TEST_F(map, other_session_other_pages)
{
	uint64_t other = vm_start_named(self->fd, "t-other");
	struct etw_consumer_open o;
	int ofd = vm_consume(self->fd, other, O_NONBLOCK, &o);
	uint8_t *p;
	unsigned int i, sum = 0;

	ASSERT_LE(0, ofd);
	p = mmap(NULL, o.buffer_size, PROT_READ, MAP_SHARED, ofd, o.buffer_size);
	ASSERT_NE(MAP_FAILED, p);
	for (i = sizeof(struct etw_buffer_header); i < o.buffer_size; i++)
		sum += p[i];
	EXPECT_EQ(0, sum);
	munmap(p, o.buffer_size);
	close(ofd);
}

TEST_HARNESS_MAIN
