// SPDX-License-Identifier: GPL-2.0-only
/*
 * abi_enable - bad arguments of enabling, registering and querying providers
 *
 * Each test has one error; after every refusal the whole state is unchanged.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_state.h"

FIXTURE(bad) {
	int fd;
	int slot;
	uint64_t base;
	struct etw_enable e;
	struct vm_state *was;
};

FIXTURE_SETUP(bad)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->was = vm_state_base(self->fd, 4, 0xff, &self->base);
	ASSERT_NE(NULL, self->was);
	self->e = vm_enable_arg(self->base, vm_guid(1));
}

FIXTURE_TEARDOWN(bad)
{
	EXPECT_TRUE(vm_state_same(self->fd, self->was));
	vm_stop_all(self->fd);
	close(self->fd);
}

static int enable(int fd, struct etw_enable *e)
{
	return vm_ioctl(fd, ETW_IOC_ENABLE, e);
}

static int enable_filters(int fd, struct etw_enable *e, struct etw_filter *f,
			  unsigned int count)
{
	e->filters = VM_PTR(f);
	e->filter_count = count;
	return enable(fd, e);
}

/* B19, B35: unknown control codes do not reach a provider. */
TEST_F(bad, control_unknown)
{
	self->e.control = 3;
	EXPECT_EQ(-EINVAL, enable(self->fd, &self->e));
	self->e.control = 0xFFFFFFFF;
	EXPECT_EQ(-EINVAL, enable(self->fd, &self->e));
	/* 3 is WAIT if no other member is set; nothing is pending here. */
	self->e = (struct etw_enable){ .size = sizeof(self->e), .control = ETW_CONTROL_WAIT,
				       .timeout_ms = 0xFFFFFFFF };
	EXPECT_EQ(-ENOENT, vm_ioctl(self->fd, ETW_IOC_ENABLE, &self->e));
	self->e.level = 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_ENABLE, &self->e));
}

TEST_F(bad, property_unknown)
{
	const uint32_t known = ETW_ENABLE_SID | ETW_ENABLE_TS_ID | ETW_ENABLE_STACK_TRACE |
		ETW_ENABLE_PSM_KEY | ETW_ENABLE_IGNORE_KEYWORD_0 | ETW_ENABLE_PROCESS_START_KEY |
		ETW_ENABLE_EVENT_KEY | ETW_ENABLE_EXCLUDE_INPRIVATE | ETW_ENABLE_CONTAINER |
		ETW_ENABLE_CONTEXT | ETW_ENABLE_READERS | ETW_ENABLE_PROVIDER_GROUP |
		ETW_ENABLE_USER_STACK;
	int bit;

	for (bit = 0; bit < 32; bit++) {
		self->e.property = 1u << bit;
		if (!(self->e.property & known))
			EXPECT_EQ(-EINVAL, enable(self->fd, &self->e))
				TH_LOG("property bit %d", bit);
	}
}

TEST_F(bad, reserved_not_zero)
{
	int i;

	for (i = 0; i < 7; i++) {
		self->e.reserved[i] = 1;
		EXPECT_EQ(-EINVAL, enable(self->fd, &self->e));
		self->e.reserved[i] = 0;
	}
}

/* B19 */
TEST_F(bad, provider_zero)
{
	memset(&self->e.provider, 0, sizeof(self->e.provider));
	EXPECT_EQ(-EINVAL, enable(self->fd, &self->e));
}

TEST_F(bad, filter_count)
{
	struct etw_filter f[32] = { { 0 } };

	EXPECT_EQ(-EINVAL, enable_filters(self->fd, &self->e, f, ETW_FILTERS_MAX + 1));
	EXPECT_EQ(-EINVAL, enable_filters(self->fd, &self->e, f, 0xFFFFFFFF));
	EXPECT_EQ(-EINVAL, enable_filters(self->fd, &self->e, f, 0x10000000));
}

TEST_F(bad, filters_nowhere)
{
	EXPECT_EQ(-EFAULT, enable_filters(self->fd, &self->e, NULL, 1));
	EXPECT_EQ(-EFAULT, enable_filters(self->fd, &self->e,
					  (void *)0xffff888000000000, 1));
}

TEST_F(bad, filter_type_unknown)
{
	uint32_t pid = getpid();
	struct etw_filter f = { .ptr = VM_PTR(&pid), .len = 4, .type = 0x8000FFFF };

	EXPECT_EQ(-EINVAL, enable_filters(self->fd, &self->e, &f, 1));
	f.type = 1;
	EXPECT_EQ(-EINVAL, enable_filters(self->fd, &self->e, &f, 1));
}

/* B42 */
TEST_F(bad, filter_twice)
{
	uint32_t pid = getpid();
	struct etw_filter f[2] = {
		{ .ptr = VM_PTR(&pid), .len = 4, .type = ETW_FILTER_PID },
		{ .ptr = VM_PTR(&pid), .len = 4, .type = ETW_FILTER_PID },
	};

	EXPECT_EQ(-EINVAL, enable_filters(self->fd, &self->e, f, 2));
}

/* B45: 1 to 8 PIDs, whole ones. */
TEST_F(bad, pid_filter_length)
{
	uint32_t pids[16] = { getpid() };
	struct etw_filter f = { .ptr = VM_PTR(pids), .type = ETW_FILTER_PID };
	static const uint32_t lengths[] = {
		0, 1, 2, 3, 5, 7, 30, 31, 33, 36, 64, 1024, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		f.len = lengths[i];
		EXPECT_EQ(-EINVAL, enable_filters(self->fd, &self->e, &f, 1))
			TH_LOG("length %u", lengths[i]);
	}
}

TEST_F(bad, pid_filter_nowhere)
{
	struct etw_filter f = { .ptr = 0x10, .len = 4, .type = ETW_FILTER_PID };

	EXPECT_EQ(-EFAULT, enable_filters(self->fd, &self->e, &f, 1));
	f.ptr = 0xffff888000000000;
	EXPECT_EQ(-EFAULT, enable_filters(self->fd, &self->e, &f, 1));
}

struct counts {
	unsigned int records;
};

static void count(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct counts *c = ctx;

	(void)b;
	(void)r;
	c->records++;
}

/* B20: the first eight still get the events. */
TEST_F(bad, session_ninth)
{
	uint64_t handles[9];
	struct vm_reader r;
	struct vm_state *full;
	struct counts c;
	char name[16];
	int i;

	handles[0] = self->base;
	for (i = 1; i < 9; i++) {
		snprintf(name, sizeof(name), "t-%d", i);
		handles[i] = vm_start_named(self->fd, name);
		ASSERT_NE(0, handles[i]);
	}
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, vm_enable(self->fd, handles[i], vm_guid(1), 0, 0, 0));
	full = vm_state_get(self->fd);
	EXPECT_EQ(-ENOSPC, vm_enable(self->fd, handles[8], vm_guid(1), 0, 0, 0));
	EXPECT_TRUE(vm_state_same(self->fd, full));
	EXPECT_EQ(0, vm_enable(self->fd, handles[7], vm_guid(1), 5, 0, 0));
	EXPECT_EQ(0, vm_enable(self->fd, handles[8], vm_guid(2), 0, 0, 0));
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 1, 4, 1, "x", 1));
	for (i = 0; i < 9; i++) {
		c.records = 0;
		ASSERT_EQ(0, vm_reader_open(&r, self->fd, handles[i], 0));
		EXPECT_EQ(0, vm_stop(self->fd, handles[i]));
		EXPECT_EQ(0, vm_drain(&r, count, &c));
		EXPECT_EQ(i < 8, c.records);
		vm_reader_close(&r);
	}
	free(full);
	free(self->was);
	self->was = vm_state_get(self->fd);
	EXPECT_EQ(0, self->was->sessions);
}

TEST_F(bad, register_guid_zero)
{
	struct etw_guid zero = { 0 };

	EXPECT_EQ(-EINVAL, vm_register(self->fd, zero));
}

TEST_F(bad, register_name)
{
	struct etw_register r = { .size = sizeof(r), .provider = vm_guid(2) };
	char name[ETW_NAME_MAX + 1];

	memset(name, 'n', sizeof(name));
	r.name = VM_PTR(name);
	r.name_len = ETW_NAME_MAX + 1;
	EXPECT_EQ(-ENAMETOOLONG, vm_ioctl(self->fd, ETW_IOC_REGISTER, &r));
	r.name_len = 0xFFFFFFFF;
	EXPECT_EQ(-ENAMETOOLONG, vm_ioctl(self->fd, ETW_IOC_REGISTER, &r));
	r.name = 0x10;
	r.name_len = 5;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_REGISTER, &r));
}

TEST_F(bad, register_too_many)
{
	int i, n, fd = vm_open();

	ASSERT_LE(0, fd);
	for (n = 0; n < ETW_REGISTRATIONS_MAX; n++)
		if (vm_register(fd, vm_guid(1000 + n)) < 0)
			break;
	EXPECT_EQ(ETW_REGISTRATIONS_MAX, n);
	EXPECT_EQ(-ENOSPC, vm_register(fd, vm_guid(3000)));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, vm_unregister(fd, i * 100));
	for (i = 0; i < 8; i++)
		EXPECT_LE(0, vm_register(fd, vm_guid(3000 + i)));
	EXPECT_EQ(-ENOSPC, vm_register(fd, vm_guid(3100)));
	close(fd);
	EXPECT_TRUE(vm_until(vm_state_same(self->fd, self->was)));
}

static const uint32_t bad_slots[] = {
	1, 5, 1023, 1024, 1025, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF };

TEST_F(bad, unregister_slot)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_slots); i++)
		EXPECT_EQ(-EBADF, vm_unregister(self->fd, self->slot + bad_slots[i]));
}

TEST_F(bad, unregister_twice)
{
	int slot = vm_register(self->fd, vm_guid(2));

	ASSERT_LE(0, slot);
	EXPECT_EQ(0, vm_unregister(self->fd, slot));
	EXPECT_EQ(-EBADF, vm_unregister(self->fd, slot));
}

TEST_F(bad, query_unknown_provider)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(77) };

	EXPECT_EQ(-ESRCH, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	memset(&q.provider, 0, sizeof(q.provider));
	EXPECT_EQ(-ESRCH, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
}

TEST_F(bad, query_lists)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(1) };

	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_EQ(1, q.reg_count);
	EXPECT_EQ(1, q.enable_count);
	q.regs = 0x10;
	q.reg_cap = 0xFFFFFFFF;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	q.reg_cap = 0;
	q.enables = 0xffff888000000000;
	q.enable_cap = 0xFFFFFFFF;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
}

TEST_F(bad, enum_lists)
{
	struct etw_provider_enum e = { .size = sizeof(e) };
	struct etw_guid guids[2] = { { 0 } };

	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_ENUM, &e));
	EXPECT_LE(1, e.count);
	e.guids = 0x10;
	e.capacity = 0xFFFFFFFF;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_PROVIDER_ENUM, &e));
	e.guids = VM_PTR(guids);
	e.capacity = 1;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_ENUM, &e));
	EXPECT_FALSE(vm_guid_zero(&guids[0]));
	EXPECT_TRUE(vm_guid_zero(&guids[1]));
}

TEST_HARNESS_MAIN
