// SPDX-License-Identifier: GPL-2.0-only
/*
 * abi_session - bad arguments of the session commands and of opening consumers
 *
 * Each test has one error; after every refusal the whole state is unchanged.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_state.h"

#include <sys/sysinfo.h>

FIXTURE(bad) {
	int fd;
	int slot;
	uint64_t base;
	struct vm_state *was;
	char name[ETW_NAME_MAX + 8];
};

FIXTURE_SETUP(bad)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->was = vm_state_base(self->fd, 0, 0, &self->base);
	ASSERT_NE(NULL, self->was);
	memset(self->name, 'n', sizeof(self->name));
}

FIXTURE_TEARDOWN(bad)
{
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
	vm_stop_all(self->fd);
	close(self->fd);
}

TEST_F(bad, name_empty)
{
	struct etw_session s = vm_session("");

	EXPECT_EQ(-EINVAL, vm_start(self->fd, &s));
}

/* B114 */
TEST_F(bad, name_too_long)
{
	struct etw_session s = vm_session("");

	s.name = VM_PTR(self->name);
	s.name_len = ETW_NAME_MAX + 1;
	EXPECT_EQ(-ENAMETOOLONG, vm_start(self->fd, &s));
}

TEST_F(bad, name_length_huge)
{
	struct etw_session s = vm_session("");

	s.name = VM_PTR(self->name);
	s.name_len = 0xFFFFFFFF;
	EXPECT_EQ(-ENAMETOOLONG, vm_start(self->fd, &s));
	s.name_len = 0x80000000;
	EXPECT_EQ(-ENAMETOOLONG, vm_start(self->fd, &s));
}

TEST_F(bad, name_nowhere)
{
	struct etw_session s = vm_session("t-name");

	s.name = 0;
	EXPECT_EQ(-EFAULT, vm_start(self->fd, &s));
	s.name = 0xffff888000000000;
	EXPECT_EQ(-EFAULT, vm_start(self->fd, &s));
	s.name = 0x10;
	EXPECT_EQ(-EFAULT, vm_start(self->fd, &s));
}

TEST_F(bad, name_half_way)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct etw_session s = vm_session("t-name");

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, munmap(p + page, page));
	memset(p, 'n', page);
	s.name = VM_PTR(p + page - 3);
	EXPECT_EQ(-EFAULT, vm_start(self->fd, &s));
}

TEST_F(bad, name_out_nowhere)
{
	struct etw_session s = vm_session("t-out");

	s.name_out = 0xffff888000000000;
	s.name_cap = 64;
	EXPECT_EQ(-EFAULT, vm_start(self->fd, &s));
	s = vm_session(NULL);
	s.handle = self->base;
	s.name_out = 0x10;
	s.name_cap = 64;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, &s));
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_SESSION_STOP, &s));
}

/* B112 */
TEST_F(bad, name_taken)
{
	struct etw_session s = vm_session("t-base");

	EXPECT_EQ(-EEXIST, vm_start(self->fd, &s));
}

/* B112 */
TEST_F(bad, name_taken_in_other_case)
{
	struct etw_session s = vm_session("T-bAsE");

	EXPECT_EQ(-EEXIST, vm_start(self->fd, &s));
}

/* B112 */
TEST_F(bad, guid_taken)
{
	struct etw_session s = vm_session("t-other"), q;

	ASSERT_EQ(0, vm_query(self->fd, self->base, &q));
	s.guid = q.guid;
	EXPECT_EQ(-EEXIST, vm_start(self->fd, &s));
}

TEST_F(bad, mode_unknown)
{
	struct etw_session s = vm_session("t-mode");
	int bit;

	for (bit = 0; bit < 32; bit++) {
		if ((ETW_MODE_REAL_TIME | ETW_MODE_BUFFERING | ETW_MODE_INDEPENDENT |
		     ETW_MODE_LOCAL_SEQUENCE | ETW_MODE_GLOBAL_SEQUENCE |
		     ETW_MODE_NO_PER_PROCESSOR | ETW_MODE_SECURE | ETW_MODE_SYSTEM) &
		    (1u << bit))
			continue;
		s.mode = ETW_MODE_REAL_TIME | 1u << bit;
		EXPECT_EQ(-EINVAL, vm_start(self->fd, &s))
			TH_LOG("mode bit %d", bit);
	}
}

TEST_F(bad, mode_contradicts)
{
	struct etw_session s = vm_session("t-mode");

	s.mode = ETW_MODE_REAL_TIME | ETW_MODE_BUFFERING;
	EXPECT_EQ(-EINVAL, vm_start(self->fd, &s));
}

/* B170 */
TEST_F(bad, clock_unknown)
{
	struct etw_session s = vm_session("t-clock");

	s.clock = 4;
	EXPECT_EQ(-EINVAL, vm_start(self->fd, &s));
	s.clock = 0xFFFFFFFF;
	EXPECT_EQ(-EINVAL, vm_start(self->fd, &s));
}

TEST_F(bad, buffers_over_an_eighth_of_ram)
{
	struct etw_session s = vm_session("t-large");
	struct sysinfo si;
	uint64_t kb;

	ASSERT_EQ(0, sysinfo(&si));
	kb = (uint64_t)si.totalram * si.mem_unit / 1024;
	s.buffer_kb = 1024;
	s.min_buffers = s.max_buffers = kb / 8 / 1024 + 2;
	EXPECT_EQ(-ENOSPC, vm_start(self->fd, &s));
	s.min_buffers = 2;
	EXPECT_EQ(-ENOSPC, vm_start(self->fd, &s));
	s.buffer_kb = ETW_BUFFER_KB_MAX;
	s.max_buffers = 0xFFFFFFFF;
	EXPECT_EQ(-ENOSPC, vm_start(self->fd, &s));
	s.buffer_kb = 0xFFFFFFFF;
	s.min_buffers = 0xFFFFFFFF;
	EXPECT_EQ(-ENOSPC, vm_start(self->fd, &s));
}

TEST_F(bad, update_over_an_eighth_of_ram)
{
	struct etw_session s = vm_session(NULL);

	s.handle = self->base;
	s.max_buffers = 0xFFFFFFFF;
	EXPECT_EQ(-ENOSPC, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &s));
}

static const unsigned long by_handle[] = {
	ETW_IOC_SESSION_STOP, ETW_IOC_SESSION_QUERY, ETW_IOC_SESSION_UPDATE,
	ETW_IOC_SESSION_FLUSH,
};

TEST_F(bad, handle_unknown)
{
	const uint64_t handles[] = { 0, self->base + 1, ~self->base, UINT64_MAX };
	struct etw_session_stat st;
	unsigned int i, j;

	for (j = 0; j < ARRAY_SIZE(handles); j++) {
		for (i = 0; i < ARRAY_SIZE(by_handle); i++)
			EXPECT_EQ(-ENOENT, vm_session_op(self->fd, by_handle[i],
							 handles[j], NULL));
		EXPECT_EQ(-ENOENT, vm_stat(self->fd, handles[j], &st));
		EXPECT_EQ(-ENOENT, vm_enable(self->fd, handles[j], vm_guid(1), 0, 0, 0));
		EXPECT_EQ(-ENOENT, vm_consume(self->fd, handles[j], 0, NULL));
	}
}

/* B138 */
TEST_F(bad, name_unknown)
{
	struct etw_consumer_open o = { .size = sizeof(o), .name = VM_PTR("t-none"),
				       .name_len = 6, .session = self->base };
	struct etw_session_stat st = { .size = sizeof(st), .name = VM_PTR("t-none"),
				       .name_len = 6, .handle = self->base };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(by_handle); i++) {
		struct etw_session s = vm_session("t-none");

		s.handle = self->base;	/* the name decides */
		EXPECT_EQ(-ENOENT, vm_ioctl(self->fd, by_handle[i], &s));
	}
	EXPECT_EQ(-ENOENT, vm_ioctl(self->fd, ETW_IOC_CONSUMER_OPEN, &o));
	EXPECT_EQ(-ENOENT, vm_ioctl(self->fd, ETW_IOC_SESSION_STAT, &st));
}

TEST_F(bad, name_of_others_too_long)
{
	struct etw_consumer_open o = { .size = sizeof(o), .name = VM_PTR(self->name),
				       .name_len = ETW_NAME_MAX + 1 };
	struct etw_session_stat st = { .size = sizeof(st), .name = VM_PTR(self->name),
				       .name_len = 0xFFFFFFFF };
	struct etw_session s = vm_session("");

	s.name = VM_PTR(self->name);
	s.name_len = ETW_NAME_MAX + 1;
	EXPECT_EQ(-ENAMETOOLONG, vm_ioctl(self->fd, ETW_IOC_SESSION_STOP, &s));
	EXPECT_EQ(-ENAMETOOLONG, vm_ioctl(self->fd, ETW_IOC_CONSUMER_OPEN, &o));
	EXPECT_EQ(-ENAMETOOLONG, vm_ioctl(self->fd, ETW_IOC_SESSION_STAT, &st));
}

TEST_F(bad, enum_capacity)
{
	struct etw_session_enum e = { .size = sizeof(e), .capacity = 0 };
	uint64_t handles[2] = { 0, 0x55 };

	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_ENUM, &e));
	EXPECT_EQ(1, e.count);
	/* Only existing handles are written, however large the given capacity is. */
	e.handles = VM_PTR(handles);
	e.capacity = 0xFFFFFFFF;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_ENUM, &e));
	EXPECT_EQ(self->base, handles[0]);
	EXPECT_EQ(0x55, handles[1]);
	e.handles = 0;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_SESSION_ENUM, &e));
	e.handles = 0xffff888000000000;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_SESSION_ENUM, &e));
}

TEST_F(bad, name_cap)
{
	struct etw_session s = vm_session(NULL);
	char out[8] = "xxxxxxx";

	s.handle = self->base;
	s.name_out = VM_PTR(out);
	s.name_cap = 3;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, &s));
	EXPECT_EQ(6, s.name_out_len);
	EXPECT_EQ(0, memcmp(out, "t-bxxxx", 8));
	s.name_cap = 0xFFFFFFFF;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, &s));
	EXPECT_EQ(0, memcmp(out, "t-basex", 8));
}

TEST_F(bad, stat_consumers_nowhere)
{
	struct etw_session_stat st = { .size = sizeof(st), .handle = self->base,
				       .consumers = 0x10, .consumer_cap = 4 };
	int cfd = vm_consume(self->fd, self->base, 0, NULL);

	ASSERT_LE(0, cfd);
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_SESSION_STAT, &st));
	close(cfd);
	EXPECT_TRUE(vm_until(vm_state_same(self->fd, self->was)));
}

TEST_F(bad, consumer_seventeenth)
{
	int cfd[ETW_CONSUMERS_MAX], i;

	for (i = 0; i < ETW_CONSUMERS_MAX; i++) {
		cfd[i] = vm_consume(self->fd, self->base, 0, NULL);
		ASSERT_LE(0, cfd[i]);
	}
	EXPECT_EQ(-ENOSPC, vm_consume(self->fd, self->base, 0, NULL));
	for (i = 0; i < ETW_CONSUMERS_MAX; i++)
		close(cfd[i]);
}

/* No descriptor is free: the consumer must not stay half open. */
TEST_F(bad, consumer_without_descriptor)
{
	int fds[1024], n = 0;

	while (n < 1024 && (fds[n] = dup(self->fd)) >= 0)
		n++;
	if (n < 1024)
		EXPECT_EQ(-EMFILE, vm_consume(self->fd, self->base, 0, NULL));
	while (n--)
		close(fds[n]);
}

/* Only so many missed events of a provider are counted at once. */
TEST_F(bad, missed_count)
{
	struct etw_session_missed missed = {
		.size = sizeof(missed), .handle = self->base, .provider = vm_guid(1),
	};

	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_SESSION_MISSED, &missed));
	missed.events = 1ull << 32;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_SESSION_MISSED, &missed));
	missed.flags = ETW_MISSED_BEGIN | ETW_MISSED_SINCE;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_SESSION_MISSED, &missed));
}

/* B139 */
TEST_F(bad, session_sixty_fifth)
{
	uint64_t handles[ETW_SESSIONS_MAX];
	struct etw_session s;
	struct vm_state *full;
	char name[32];
	int i;

	for (i = 1; i < ETW_SESSIONS_MAX; i++) {
		snprintf(name, sizeof(name), "t-%d", i);
		s = vm_session(name);
		s.buffer_kb = 4;
		ASSERT_EQ(0, vm_start(self->fd, &s));
		handles[i] = s.handle;
	}
	full = vm_state_get(self->fd);
	ASSERT_NE(NULL, full);
	EXPECT_EQ(ETW_SESSIONS_MAX, full->sessions);
	s = vm_session("t-65");
	EXPECT_EQ(-ENOSPC, vm_start(self->fd, &s));
	EXPECT_TRUE(vm_state_same(self->fd, full));
	for (i = 1; i < ETW_SESSIONS_MAX; i++)
		EXPECT_EQ(0, vm_stop(self->fd, handles[i]));
	/* A place is free again. */
	EXPECT_EQ(0, vm_start(self->fd, &s));
	EXPECT_EQ(0, vm_stop(self->fd, s.handle));
}

TEST_HARNESS_MAIN
