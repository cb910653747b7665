// SPDX-License-Identifier: GPL-2.0-only
/*
 * abi_struct - every command with a bad argument struct
 *
 * There is a variant for each command and a function for each kind of error; after every
 * refusal the whole state is unchanged.
 */
#include "lib/vm.h"
#include "lib/vm_abi.h"
#include "lib/vm_state.h"

#include <stddef.h>

FIXTURE(abi) {
	struct env e;
	struct vm_state *was;
};

FIXTURE_VARIANT(abi) {
	unsigned long cmd;
	uint32_t size;
	uint32_t first;		/* published size, if the struct has grown */
	fill_fn fill;
	bool consumer;		/* issued on the consumer's file */
	bool out;		/* writes results back */
	bool bpf;		/* -EOPNOTSUPP where BPF programs cannot call the module */
	uint32_t flags_at;	/* offset of flags, 0 if there are none */
	uint32_t reserved_at;	/* offset of a reserved member, or 0 */
};

#define SESSION(verb, filler)							\
	FIXTURE_VARIANT_ADD(abi, session_##verb) {				\
		.cmd = ETW_IOC_SESSION_##verb, .fill = filler, .out = true,	\
		.size = sizeof(struct etw_session),				\
		.first = ETW_SESSION_SIZE_FIRST,				\
		.flags_at = offsetof(struct etw_session, flags) }

SESSION(START, fill_start);
SESSION(STOP, fill_victim);
SESSION(QUERY, fill_victim);
SESSION(UPDATE, fill_update);
SESSION(FLUSH, fill_victim);

FIXTURE_VARIANT_ADD(abi, session_stat) {
	.cmd = ETW_IOC_SESSION_STAT, .size = sizeof(struct etw_session_stat),
	.first = ETW_SESSION_STAT_SIZE_FIRST, .fill = fill_stat, .out = true,
	.flags_at = offsetof(struct etw_session_stat, flags),
	.reserved_at = offsetof(struct etw_session_stat, reserved),
};

FIXTURE_VARIANT_ADD(abi, enable) {
	.cmd = ETW_IOC_ENABLE, .size = sizeof(struct etw_enable), .fill = fill_enable,
	.flags_at = offsetof(struct etw_enable, flags),
	.reserved_at = offsetof(struct etw_enable, reserved) + 6,
};

FIXTURE_VARIANT_ADD(abi, unregister) {
	.cmd = ETW_IOC_UNREGISTER, .size = sizeof(struct etw_unregister),
	.fill = fill_unregister,
};

FIXTURE_VARIANT_ADD(abi, notify) {
	.cmd = ETW_IOC_NOTIFY, .size = sizeof(struct etw_notify),
	.fill = fill_nothing, .out = true,
	.reserved_at = offsetof(struct etw_notify, logger_id),
};

#define FLAGGED(name, nr, type, filler, ...)					\
	FIXTURE_VARIANT_ADD(abi, name) {					\
		.cmd = nr, .size = sizeof(struct type), .fill = filler,		\
		.flags_at = offsetof(struct type, flags), ##__VA_ARGS__ }

FLAGGED(session_enum, ETW_IOC_SESSION_ENUM, etw_session_enum, fill_enum, .out = true);
FLAGGED(register, ETW_IOC_REGISTER, etw_register, fill_register, .out = true);
FLAGGED(provider_enum, ETW_IOC_PROVIDER_ENUM, etw_provider_enum, fill_provider_enum, .out = true);
FLAGGED(provider_query, ETW_IOC_PROVIDER_QUERY, etw_provider_query, fill_provider_query,
	.out = true);
FLAGGED(write, ETW_IOC_WRITE, etw_event_write, fill_write);
FLAGGED(write_many, ETW_IOC_WRITE_MANY, etw_write_many, fill_many, .out = true);
FLAGGED(provider_set, ETW_IOC_PROVIDER_SET, etw_provider_set, fill_set,
	.reserved_at = offsetof(struct etw_provider_set, reserved));
FLAGGED(group_enum, ETW_IOC_GROUP_ENUM, etw_provider_enum, fill_nothing, .out = true);
FLAGGED(group_query, ETW_IOC_GROUP_QUERY, etw_group_query, fill_group, .out = true);
FLAGGED(disallow_set, ETW_IOC_DISALLOW_SET, etw_disallow, fill_disallow,
	.reserved_at = offsetof(struct etw_disallow, capacity));
FLAGGED(disallow_query, ETW_IOC_DISALLOW_QUERY, etw_disallow, fill_query, .out = true);

FLAGGED(session_system, ETW_IOC_SESSION_SYSTEM, etw_session_system, fill_system,
	.reserved_at = offsetof(struct etw_session_system, reserved), .out = true);
FLAGGED(session_missed, ETW_IOC_SESSION_MISSED, etw_session_missed, fill_missed);

FLAGGED(trace_event, ETW_IOC_TRACE_EVENT, etw_trace_event, fill_trace,
	.first = ETW_TRACE_EVENT_SIZE_FIRST,
	.reserved_at = offsetof(struct etw_trace_event, counter));

FLAGGED(bpf_provider, ETW_IOC_BPF_PROVIDER, etw_bpf_provider, fill_bpf, .out = true, .bpf = true,
	.reserved_at = offsetof(struct etw_bpf_provider, reserved));
FLAGGED(session_capture, ETW_IOC_SESSION_CAPTURE, etw_session_capture, fill_capture, .out = true);

FIXTURE_VARIANT_ADD(abi, classic) {
	.cmd = ETW_IOC_CLASSIC, .size = sizeof(struct etw_classic_write), .fill = fill_classic,
	.reserved_at = offsetof(struct etw_classic_write, reserved),
};

FIXTURE_VARIANT_ADD(abi, consumer_open) {
	.cmd = ETW_IOC_CONSUMER_OPEN, .size = sizeof(struct etw_consumer_open),
	.fill = fill_consumer_open, .out = true,
	.flags_at = offsetof(struct etw_consumer_open, flags),
};

#define ACCESS(verb, filler, ...)						\
	FIXTURE_VARIANT_ADD(abi, access_##verb) {				\
		.cmd = ETW_IOC_ACCESS_##verb, .fill = filler,			\
		.size = sizeof(struct etw_access),				\
		.flags_at = offsetof(struct etw_access, flags),			\
		.reserved_at = offsetof(struct etw_access, reserved), ##__VA_ARGS__ }

ACCESS(SET, fill_access_set);
ACCESS(QUERY, fill_access, .out = true);
ACCESS(REMOVE, fill_access);

FIXTURE_VARIANT_ADD(abi, buffer_take) {
	.cmd = ETW_IOC_BUFFER_TAKE, .size = sizeof(struct etw_buffer_take),
	.fill = fill_nothing, .consumer = true, .out = true,
	.flags_at = offsetof(struct etw_buffer_take, flags),
};

FIXTURE_VARIANT_ADD(abi, buffer_give) {
	.cmd = ETW_IOC_BUFFER_GIVE, .size = sizeof(struct etw_buffer_give),
	.fill = fill_give, .consumer = true,
};

FIXTURE_VARIANT_ADD(abi, consumer_stat) {
	.cmd = ETW_IOC_CONSUMER_STAT, .size = sizeof(struct etw_consumer_stat),
	.fill = fill_nothing, .consumer = true, .out = true,
	.flags_at = offsetof(struct etw_consumer_stat, flags),
};

FIXTURE_SETUP(abi)
{
	struct etw_access list = { .size = sizeof(list), .guid = vm_guid(0x50) };
	struct etw_session system = vm_session("t-system");
	struct env *e = &self->e;

	vm_pin(0);
	e->page = sysconf(_SC_PAGESIZE);
	e->pages = mmap(NULL, 3 * e->page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, e->pages);
	ASSERT_EQ(0, mprotect(e->pages + 2 * e->page, e->page, PROT_NONE));
	e->fd = vm_open();
	ASSERT_LE(0, e->fd);
	vm_stop_all(e->fd);
	e->base = vm_state_session(e->fd, "t-base");
	e->victim = vm_state_session(e->fd, "t-victim");
	ASSERT_NE(0, e->base);
	ASSERT_NE(0, e->victim);
	system.mode |= ETW_MODE_SYSTEM;
	ASSERT_EQ(0, vm_start(e->fd, &system));
	e->system = system.handle;
	e->slot = vm_register_flags(e->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0);
	e->spare = vm_register(e->fd, vm_guid(3));
	ASSERT_LE(0, e->slot);
	ASSERT_LE(0, e->spare);
	ASSERT_EQ(0, set_up_classic(e));
	ASSERT_EQ(0, join(e));
	ASSERT_EQ(0, vm_enable(e->fd, e->base, vm_guid(1), 0, 0, 0));
	e->cfd = vm_consume(e->fd, e->base, O_NONBLOCK, NULL);
	ASSERT_LE(0, e->cfd);
	ASSERT_EQ(0, deliver_two(e));
	ASSERT_EQ(0, vm_ioctl(e->fd, ETW_IOC_ACCESS_SET, &list));
	self->was = vm_state_get(e->fd);
	ASSERT_NE(NULL, self->was);
}

FIXTURE_TEARDOWN(abi)
{
	struct etw_access list = { .size = sizeof(list), .guid = vm_guid(0x50) };

	vm_ioctl(self->e.fd, ETW_IOC_ACCESS_REMOVE, &list);
	list.guid = vm_guid(0x51);
	vm_ioctl(self->e.fd, ETW_IOC_ACCESS_REMOVE, &list);
	close(self->e.cfd);
	vm_stop_all(self->e.fd);
	close(self->e.fd);
}

/* A valid argument at p, of the given size. */
static void *good(struct env *e, const FIXTURE_VARIANT(abi) *v, void *p, uint32_t size)
{
	memset(p, 0, size);
	*(uint32_t *)p = size;
	v->fill(e, p);
	*(uint32_t *)p = size;
	return p;
}

static int issue(struct env *e, const FIXTURE_VARIANT(abi) *v, void *arg)
{
	return vm_ioctl(v->consumer ? e->cfd : e->fd, v->cmd, arg);
}

/* What a good argument returns */
static int success(const FIXTURE_VARIANT(abi) *v)
{
	return v->bpf && access("/sys/kernel/btf/etw", F_OK) ? -EOPNOTSUPP : 0;
}

static int issue_size(struct env *e, const FIXTURE_VARIANT(abi) *v, uint32_t size)
{
	void *arg = good(e, v, e->pages, v->size);

	*(uint32_t *)arg = size;
	return issue(e, v, arg);
}

/* Calls that are refused */
#define REFUSAL(kind)								\
	static void kind(struct __test_metadata *_metadata,			\
			 FIXTURE_DATA(abi) *self, const FIXTURE_VARIANT(abi) *variant)

REFUSAL(size_zero)
{
	EXPECT_EQ(-EINVAL, issue_size(&self->e, variant, 0));
}

REFUSAL(size_short)
{
	EXPECT_EQ(-EINVAL, issue_size(&self->e, variant, (variant->first ?: variant->size) - 1));
	EXPECT_EQ(-EINVAL, issue_size(&self->e, variant, 4));
	EXPECT_EQ(-EINVAL, issue_size(&self->e, variant, 1));
}

REFUSAL(size_huge)
{
	EXPECT_EQ(-E2BIG, issue_size(&self->e, variant, 0xFFFFFFFF));
	EXPECT_EQ(-E2BIG, issue_size(&self->e, variant, 0x80000000));
}

/*
 * A program that was built when the struct was published, and has no memory for more.  The
 * argument ends where the next page cannot be read or written.
 */
TEST_F(abi, first_size_works)
{
	struct env *e = &self->e;
	uint8_t *arg = e->pages + 2 * e->page - variant->first;

	if (!variant->first)
		return;		/* today's is the first */
	memcpy(arg, good(e, variant, e->pages, variant->size), variant->first);
	*(uint32_t *)arg = variant->first;
	EXPECT_EQ(0, issue(e, variant, arg));
	EXPECT_EQ(variant->first, *(uint32_t *)arg);
}

/* A size in between, which no program has: the same rules */
TEST_F(abi, size_between_works)
{
	struct env *e = &self->e;
	uint8_t *arg = good(e, variant, e->pages, variant->size);

	if (!variant->first)
		return;
	*(uint32_t *)arg = variant->first + 4;
	memset(arg + variant->first + 4, 0x5a, 8);
	EXPECT_EQ(0, issue(e, variant, arg));
	EXPECT_EQ(0x5a, arg[variant->first + 4]);
	EXPECT_EQ(0x5a, arg[variant->first + 11]);
}

TEST_F(abi, longer_with_zero_tail_works)
{
	struct env *e = &self->e;

	EXPECT_EQ(success(variant),
		  issue(e, variant, good(e, variant, e->pages, variant->size + 40)));
}

REFUSAL(longer_with_unknown_tail)
{
	struct env *e = &self->e;
	uint8_t *arg = good(e, variant, e->pages, variant->size + 40);

	arg[variant->size + 39] = 1;
	EXPECT_EQ(-E2BIG, issue(e, variant, arg));
}

REFUSAL(longer_into_nowhere)
{
	struct env *e = &self->e;
	uint8_t *arg = e->pages + 2 * e->page - ((variant->size + 7) & ~7u);

	good(e, variant, arg, variant->size);
	*(uint32_t *)arg = variant->size + 64;
	EXPECT_EQ(-EFAULT, issue(e, variant, arg));
}

REFUSAL(pointer_null)
{
	EXPECT_EQ(-EFAULT, issue(&self->e, variant, NULL));
}

REFUSAL(pointer_nowhere)
{
	struct env *e = &self->e;

	EXPECT_EQ(-EFAULT, issue(e, variant, e->pages + 2 * e->page));
}

REFUSAL(pointer_half_way)
{
	struct env *e = &self->e;
	uint8_t *arg = e->pages + 2 * e->page - 4;

	*(uint32_t *)arg = variant->size;
	EXPECT_EQ(-EFAULT, issue(e, variant, arg));
}

REFUSAL(pointer_kernel)
{
	static const uintptr_t places[] = {
		0xffff888000000000, 0xffffffff81000000, 0xffffffffffffff00,
		0x0000800000000000, 0x8000000000000000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		EXPECT_EQ(-EFAULT, issue(&self->e, variant, (void *)places[i]));
}

/*
 * If results cannot be written back, the command is refused and changes nothing.  A command
 * without results writes nothing.
 */
TEST_F(abi, pointer_read_only)
{
	struct env *e = &self->e;

	good(e, variant, e->pages, variant->size);
	ASSERT_EQ(0, mprotect(e->pages, e->page, PROT_READ));
	EXPECT_EQ(variant->out ? -EFAULT : success(variant), issue(e, variant, e->pages));
	ASSERT_EQ(0, mprotect(e->pages, e->page, PROT_READ | PROT_WRITE));
	EXPECT_EQ(success(variant) || variant->out, vm_state_same(e->fd, self->was));
}

/* The kernel copies the struct, so its alignment does not matter. */
TEST_F(abi, pointer_unaligned_works)
{
	struct env *e = &self->e;

	good(e, variant, e->pages + 64, variant->size);
	memmove(e->pages + 1, e->pages + 64, variant->size);
	EXPECT_EQ(success(variant), issue(e, variant, e->pages + 1));
}

REFUSAL(flag_unknown)
{
	struct env *e = &self->e;
	uint8_t *arg;
	int bit;

	if (!variant->flags_at)
		return;		/* this command has none */
	for (bit = 4; bit < 32; bit++) {
		if (variant->cmd == ETW_IOC_CONSUMER_OPEN &&
		    (1 << bit) & (O_NONBLOCK | O_CLOEXEC))
			continue;
		if (variant->cmd == ETW_IOC_WRITE &&
		    (1 << bit) & (ETW_WRITE_CAN_WALK | ETW_WRITE_LOST))
			continue;
		arg = good(e, variant, e->pages, variant->size);
		*(uint32_t *)(arg + variant->flags_at) |= 1u << bit;
		EXPECT_EQ(-EINVAL, issue(e, variant, arg))
			TH_LOG("flag bit %d", bit);
	}
}

REFUSAL(reserved_not_zero)
{
	struct env *e = &self->e;
	uint8_t *arg;

	if (!variant->reserved_at)
		return;		/* this command has no such member */
	arg = good(e, variant, e->pages, variant->size);
	arg[variant->reserved_at] = 1;
	EXPECT_EQ(-EINVAL, issue(e, variant, arg));
}

/* A command for the other kind of file is unknown here. */
REFUSAL(wrong_file)
{
	struct env *e = &self->e;
	void *arg = good(e, variant, e->pages, variant->size);

	EXPECT_EQ(-ENOTTY, vm_ioctl(variant->consumer ? e->fd : e->cfd, variant->cmd, arg));
}

#define KIND(name)	{ #name, name }

static const struct {
	const char *name;
	void (*call)(struct __test_metadata *_metadata, FIXTURE_DATA(abi) *self,
		     const FIXTURE_VARIANT(abi) *variant);
} refusals[] = {
	KIND(size_zero), KIND(size_short), KIND(size_huge),
	KIND(longer_with_unknown_tail), KIND(longer_into_nowhere),
	KIND(pointer_null), KIND(pointer_nowhere), KIND(pointer_half_way), KIND(pointer_kernel),
	KIND(flag_unknown), KIND(reserved_not_zero), KIND(wrong_file),
};

TEST_F(abi, refused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		refusals[i].call(_metadata, self, variant);
		EXPECT_TRUE(vm_state_same(self->e.fd, self->was))
			TH_LOG("after %s", refusals[i].name);
	}
}

static bool known(unsigned int nr)
{
	return (nr >= 0x01 && nr <= 0x0a) || (nr >= 0x10 && nr <= 0x12) ||
	       (nr >= 0x20 && nr <= 0x29) || (nr >= 0x30 && nr <= 0x32) || nr == 0x40 ||
	       (nr >= 0x50 && nr <= 0x52);
}

TEST(unknown_command)
{
	char arg[4096] = { 0 };
	unsigned int nr;
	int fd = vm_open();

	ASSERT_LE(0, fd);
	*(uint32_t *)arg = 64;
	for (nr = 0; nr < 256; nr++) {
		if (!known(nr))
			EXPECT_EQ(-ENOTTY, vm_ioctl(fd, ETW_IOC(nr), arg))
				TH_LOG("command 0x%x", nr);
		EXPECT_EQ(-ENOTTY, vm_ioctl(fd, _IO(0xE8, nr), arg));
		EXPECT_EQ(-ENOTTY, vm_ioctl(fd, _IOWR(ETW_IOC_MAGIC, nr, uint64_t), arg));
	}
	EXPECT_EQ(0, vm_sessions(fd, NULL, 0));
	close(fd);
}

TEST_HARNESS_MAIN
