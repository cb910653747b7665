// SPDX-License-Identifier: GPL-2.0-only
/*
 * forging - the GUIDs of kernel modules' providers are refused to processes
 *
 * Alice is an effective user id of this process while it registers: the kernel keeps the
 * credentials that a registration was made with.
 *
 * TIMEOUT: 120
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/vm_buf.h"
#include "lib/vm_traits.h"

#include <evntprov.h>

#define DRIVER	1	/* of etw_test's providers, a run-time handle */

FIXTURE(forging) {
	int fd;
	int kfd;
	const struct etw_enable_entry *area;
	uint64_t session;
	struct vm_reader reader;
	struct etw_guid guid, group, other;
};

FIXTURE_SETUP(forging)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_access_clear(self->fd);
	self->kfd = vm_kmod_fresh("etw_test");
	ASSERT_LE(0, self->kfd);
	self->area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->area);
	self->session = vm_start_named(self->fd, "t-forging");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->reader, self->fd, self->session,
				    O_NONBLOCK));
	self->guid = vm_guid(1);
	self->group = vm_guid(2);
	self->other = vm_guid(3);
}

FIXTURE_TEARDOWN(forging)
{
	vm_reader_close(&self->reader);
	vm_access_clear(self->fd);
	vm_stop_all(self->fd);
	close(self->kfd);
	close(self->fd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
}

/* ------------------------------------------------------------ driver and forger */

static int driver_registers(FIXTURE_DATA(forging) *self)
{
	return vm_test_register(self->kfd, DRIVER, self->guid, 0);
}

static int driver_unregisters(FIXTURE_DATA(forging) *self)
{
	return vm_test_unregister(self->kfd, DRIVER);
}

static int driver_writes(FIXTURE_DATA(forging) *self)
{
	struct etw_test_write w = { .index = DRIVER, .count = 1, .size = 1, .descriptors = 1,
				    .desc = { .id = 2, .level = 1, .keyword = 1 } };
	int ret = vm_ioctl(self->kfd, ETW_TEST_WRITE, &w);

	return ret ? ret : w.result;
}

/* The slot of a registration by alice, who has no capability. */
static int alice_registers(int fd, struct etw_guid guid, uint32_t flags)
{
	int slot;

	if (seteuid(VM_ALICE))
		return -EPERM;
	slot = vm_register_flags(fd, guid, flags, 0);
	return seteuid(0) ? -EPERM : slot;
}

static int alice_writes(FIXTURE_DATA(forging) *self, int slot)
{
	return vm_write(self->fd, slot, 1, 1, 1, "a", 1);
}

struct counts {
	unsigned int forged, genuine;
	unsigned int wrong_mode;
};

static void count(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct counts *c = ctx;

	c->forged += r->head->desc.id == 1;
	c->genuine += r->head->desc.id != 1;
	c->wrong_mode += !(r->head->flags & (r->head->desc.id == 1 ? ETW_EVENT_USER_MODE :
							    ETW_EVENT_KERNEL_MODE));
}

static struct counts delivered(FIXTURE_DATA(forging) *self)
{
	struct counts c = { 0 };

	vm_flush(self->fd, self->session);
	vm_drain(&self->reader, count, &c);
	return c;
}

/* The registration of this process with that GUID. */
static struct etw_provider_reg queried(FIXTURE_DATA(forging) *self, struct etw_guid guid)
{
	struct etw_provider_reg regs[4] = { { 0 } };
	struct etw_provider_query q = { .size = sizeof(q), .provider = guid,
					.regs = VM_PTR(regs), .reg_cap = ARRAY_SIZE(regs) };
	unsigned int i;

	if (!vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q))
		for (i = 0; i < q.reg_count && i < ARRAY_SIZE(regs); i++)
			if (!(regs[i].flags & ETW_REG_KERNEL))
				return regs[i];
	return (struct etw_provider_reg){ .flags = ~0 };
}

static struct vm_blob decode_traits(struct etw_guid decode)
{
	struct vm_blob b = vm_traits("Forger");

	vm_trait(&b, ETW_TRAIT_DECODE, &decode, sizeof(decode));
	return b;
}

/* ----------------------------------------------------------- the module is first */

struct attempt {
	struct etw_guid guid;
	uint32_t flags;
};

static int do_register(void *arg)
{
	const struct attempt *a = arg;
	int fd = vm_open(), slot = fd < 0 ? fd : vm_register_flags(fd, a->guid, a->flags, 0);

	return slot < 0 ? slot : 0;
}

TEST_F(forging, module_first)
{
	static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };
	static const struct vm_who monitor = { VM_ALICE, VM_ALICE, 0, CAP_PERFMON, false };
	static const struct vm_who inside = { VM_ALICE, VM_ALICE, 0, 0, true };
	struct attempt attempt = { self->guid, 0 }, classic = { self->guid, ETW_REGISTER_CLASSIC };
	int slot;

	ASSERT_EQ(0, driver_registers(self));
	EXPECT_EQ(-EACCES, vm_as(&alice, do_register, &attempt));
	EXPECT_EQ(-EACCES, vm_as(&alice, do_register, &classic));
	EXPECT_EQ(-EACCES, vm_as(&monitor, do_register, &attempt));
	EXPECT_EQ(-EACCES, vm_as(&inside, do_register, &attempt));
	EXPECT_EQ(-EACCES, alice_registers(self->fd, self->guid, ETW_REGISTER_NOTIFY));
	/* CAP_SYS_ADMIN can load a module that does the same. */
	slot = vm_register(self->fd, self->guid);
	EXPECT_LE(0, slot);
	EXPECT_EQ(0, vm_unregister(self->fd, slot));

	ASSERT_EQ(0, driver_unregisters(self));
	EXPECT_EQ(0, vm_as(&alice, do_register, &attempt));
}

TEST_F(forging, two_modules_hold_it)
{
	ASSERT_EQ(0, driver_registers(self));
	ASSERT_EQ(0, vm_test_register(self->kfd, 2, self->guid, 0));
	ASSERT_EQ(0, driver_unregisters(self));
	EXPECT_EQ(-EACCES, alice_registers(self->fd, self->guid, 0));
	ASSERT_EQ(0, vm_test_unregister(self->kfd, 2));
	EXPECT_LE(0, alice_registers(self->fd, self->guid, 0));
}

/* An event is shown under the GUID that decodes it. */
TEST_F(forging, decode_guid)
{
	struct vm_blob traits = decode_traits(self->guid);
	int slot;

	ASSERT_EQ(0, driver_registers(self));
	slot = alice_registers(self->fd, self->other, 0);
	ASSERT_LE(0, slot);
	EXPECT_EQ(-EACCES, vm_set_slot(self->fd, slot, ETW_SET_TRAITS, traits.bytes, traits.len, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->other, 0, 0, 0));
	EXPECT_EQ(0, alice_writes(self, slot));
	EXPECT_EQ(1, delivered(self).forged);

	ASSERT_EQ(0, driver_unregisters(self));
	ASSERT_EQ(0, vm_set_slot(self->fd, slot, ETW_SET_TRAITS, traits.bytes, traits.len, 0));
	EXPECT_EQ(0, alice_writes(self, slot));
	ASSERT_EQ(0, driver_registers(self));
	EXPECT_EQ(-EACCES, alice_writes(self, slot));
	EXPECT_EQ(1, queried(self, self->other).refused);
	ASSERT_EQ(0, driver_unregisters(self));
	EXPECT_EQ(0, alice_writes(self, slot));
	EXPECT_EQ(2, delivered(self).forged);
}

/* ---------------------------------------------------------- the process is first */

TEST_F(forging, process_first)
{
	struct counts c;
	int slot = alice_registers(self->fd, self->guid, 0);

	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->guid, 0, 0, 0));
	EXPECT_EQ(0, alice_writes(self, slot));
	EXPECT_EQ(0, queried(self, self->guid).flags);

	ASSERT_EQ(0, driver_registers(self));
	EXPECT_EQ(-EACCES, alice_writes(self, slot));
	EXPECT_EQ(-EACCES, alice_writes(self, slot));
	EXPECT_EQ(0, driver_writes(self));
	EXPECT_EQ(ETW_REG_REFUSED, queried(self, self->guid).flags);
	EXPECT_EQ(2, queried(self, self->guid).refused);
	EXPECT_EQ(0, queried(self, self->guid).sessions);
	c = delivered(self);
	EXPECT_EQ(1, c.forged);
	EXPECT_EQ(1, c.genuine);

	ASSERT_EQ(0, driver_unregisters(self));
	EXPECT_EQ(0, alice_writes(self, slot));
	EXPECT_EQ(0, queried(self, self->guid).flags);
	EXPECT_EQ(1, delivered(self).forged);
}

TEST_F(forging, process_first_classic)
{
	struct etw_classic_write w = { .size = sizeof(w), .logger_id = 1, .guid = self->other };
	struct etw_session s = { .size = sizeof(s) };

	w.slot = alice_registers(self->fd, self->guid, ETW_REGISTER_CLASSIC);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->guid, 0, 0, 0));
	ASSERT_EQ(0, vm_query(self->fd, self->session, &s));
	w.logger_id = s.logger_id;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_CLASSIC, &w));
	ASSERT_EQ(0, driver_registers(self));
	EXPECT_EQ(-EACCES, vm_ioctl(self->fd, ETW_IOC_CLASSIC, &w));
	EXPECT_EQ(1, queried(self, self->guid).refused);
	ASSERT_EQ(0, driver_unregisters(self));
}

/* It has joined a group, and another session enables that. */
TEST_F(forging, process_first_in_a_group)
{
	struct vm_blob traits = vm_group_traits("Forger", self->group);
	struct etw_enable e = vm_enable_arg(self->session, self->group);
	int slot = alice_registers(self->fd, self->guid, 0);

	ASSERT_EQ(0, vm_set_slot(self->fd, slot, ETW_SET_TRAITS, traits.bytes, traits.len, 0));
	e.property = ETW_ENABLE_PROVIDER_GROUP;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	EXPECT_EQ(0, alice_writes(self, slot));
	ASSERT_EQ(0, driver_registers(self));
	EXPECT_EQ(-EACCES, alice_writes(self, slot));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	EXPECT_EQ(-EACCES, alice_writes(self, slot));
	ASSERT_EQ(0, driver_unregisters(self));
	EXPECT_EQ(0, alice_writes(self, slot));
	EXPECT_EQ(2, delivered(self).forged);
}

/* Its entry does not show whether, and how, sessions have enabled the driver. */
TEST_F(forging, enable_state_does_not_reach_it)
{
	struct etw_enable_entry refused;
	int slot = alice_registers(self->fd, self->guid, 0);
	struct vm_blob traits = vm_group_traits("Forger", self->group);

	ASSERT_LE(0, slot);
	ASSERT_EQ(0, driver_registers(self));
	refused = self->area[slot];
	EXPECT_EQ(1, refused.enabled);
	EXPECT_EQ(255, refused.level);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->guid, 3, 5, 1));
	EXPECT_EQ(0, memcmp(&refused, (void *)&self->area[slot], sizeof(refused)));
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	EXPECT_EQ(0, memcmp(&refused, (void *)&self->area[slot], sizeof(refused)));

	/* Nor does joining a group admit it. */
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->guid, 3, 5, 1));
	ASSERT_EQ(0, vm_set_slot(self->fd, slot, ETW_SET_TRAITS, traits.bytes, traits.len, 0));
	refused.generation = self->area[slot].generation;
	EXPECT_EQ(0, memcmp(&refused, (void *)&self->area[slot], sizeof(refused)));
	EXPECT_EQ(-EACCES, alice_writes(self, slot));

	ASSERT_EQ(0, driver_unregisters(self));
	EXPECT_EQ(3, self->area[slot].level);
	EXPECT_EQ(5, self->area[slot].any);
}

static int enable_with_data(FIXTURE_DATA(forging) *self, uint32_t control)
{
	const struct etw_filter_header secret = { .id = 1, .size = sizeof(secret) };
	struct etw_filter filter = { .ptr = VM_PTR(&secret), .len = sizeof(secret),
				     .type = ETW_FILTER_SCHEMATIZED };
	struct etw_enable e = vm_enable_arg(self->session, self->guid);

	e.filters = VM_PTR(&filter);
	e.filter_count = 1;
	e.control = control;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static int notified(FIXTURE_DATA(forging) *self)
{
	char data[256];
	struct etw_notify n = { .size = sizeof(n), .filter = VM_PTR(data),
				.filter_cap = sizeof(data) };

	return vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n);
}

TEST_F(forging, filter_data_does_not_reach_it)
{
	int slot = alice_registers(self->fd, self->guid, ETW_REGISTER_NOTIFY);

	ASSERT_LE(0, slot);
	ASSERT_EQ(0, enable_with_data(self, ETW_CONTROL_ENABLE));
	EXPECT_EQ(0, notified(self));
	/* Queued notifications are dropped. */
	ASSERT_EQ(0, enable_with_data(self, ETW_CONTROL_CAPTURE));
	ASSERT_EQ(0, driver_registers(self));
	EXPECT_EQ(-EAGAIN, notified(self));
	ASSERT_EQ(0, enable_with_data(self, ETW_CONTROL_ENABLE));
	ASSERT_EQ(0, enable_with_data(self, ETW_CONTROL_CAPTURE));
	EXPECT_EQ(-EAGAIN, notified(self));
	ASSERT_EQ(0, driver_unregisters(self));
	EXPECT_EQ(0, notified(self));
}

/* ----------------------------------------------------------------- the library */

/* As alice; the number of the first step that went wrong. */
static int do_library(void *arg)
{
	const EVENT_DESCRIPTOR event = { .Id = 1, .Level = 1, .Keyword = 1 };
	FIXTURE_DATA(forging) *self = arg;
	REGHANDLE first, second = 5;
	GUID guid;

	memcpy(&guid, &self->guid, sizeof(guid));
	if (EventRegister(&guid, NULL, NULL, &first) || EventWrite(first, &event, 0, NULL))
		return -1;
	if (driver_registers(self) || EventWrite(first, &event, 0, NULL) != ERROR_ACCESS_DENIED)
		return -2;
	if (EventRegister(&guid, NULL, NULL, &second) != ERROR_ACCESS_DENIED || second)
		return -3;
	return driver_unregisters(self) || EventWrite(first, &event, 0, NULL) ? -4 : 0;
}

TEST_F(forging, errors_of_the_library)
{
	static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };

	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->guid, 0, 0, 0));
	EXPECT_EQ(0, vm_as(&alice, do_library, self));
	EXPECT_EQ(2, delivered(self).forged);
}

/* -------------------------------------------------------------------- the mode */

/* Every way in which a driver writes; etw_write_string() writes id 0. */
static int driver_writes_all(FIXTURE_DATA(forging) *self)
{
	static const uint32_t ways[] = { 0, ETW_TEST_TRANSFER, ETW_TEST_EX, ETW_TEST_STRING };
	unsigned int way, context;
	int bad = 0;

	for (context = ETW_TEST_PROCESS; context <= ETW_TEST_HARDIRQ; context++)
		for (way = 0; way < ARRAY_SIZE(ways); way++) {
			struct etw_test_write w = {
				.index = DRIVER, .count = 1, .size = 2, .descriptors = 1,
				.context = context, .transfer = ways[way],
				.desc = { .id = 2, .level = 1, .keyword = 1 },
			};

			bad += vm_ioctl(self->kfd, ETW_TEST_WRITE, &w) || !w.ok;
		}
	return bad;
}

static int user_writes(FIXTURE_DATA(forging) *self, int slot, uint32_t flags)
{
	struct etw_data_descriptor d = { .ptr = VM_PTR(u"x"), .size = 4 };
	struct etw_event_write w = {
		.size = sizeof(w), .slot = slot, .flags = flags,
		.desc = { .id = 1, .level = 1, .keyword = 1 },
		.data = VM_PTR(&d), .data_count = 1,
	};

	return vm_ioctl(self->fd, ETW_IOC_WRITE, &w);
}

/* Every record names its writer, which a process that has the GUID cannot change. */
TEST_F(forging, mode)
{
	struct vm_blob traits = decode_traits(self->guid);
	struct counts c;
	int slot;

	ASSERT_EQ(0, driver_registers(self));
	slot = vm_register(self->fd, self->guid);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->guid, 0, 0, 0));
	EXPECT_EQ(0, driver_writes_all(self));
	EXPECT_EQ(0, user_writes(self, slot, 0));
	EXPECT_EQ(0, user_writes(self, slot, ETW_WRITE_STRING_ONLY | ETW_WRITE_INPRIVATE));
	EXPECT_EQ(0, user_writes(self, slot, ETW_WRITE_ACTIVITY | ETW_WRITE_RELATED));
	EXPECT_EQ(-EINVAL, user_writes(self, slot, ETW_EVENT_KERNEL_MODE));
	ASSERT_EQ(0, vm_set_slot(self->fd, slot, ETW_SET_TRAITS, traits.bytes, traits.len, 0));
	EXPECT_EQ(0, user_writes(self, slot, 0));
	c = delivered(self);
	EXPECT_EQ(12, c.genuine);
	EXPECT_EQ(4, c.forged);
	EXPECT_EQ(0, c.wrong_mode);
}

/* ------------------------------------------------------------------- the right */

TEST_F(forging, right_in_the_list)
{
	int slot;

	ASSERT_EQ(0, driver_registers(self));
	ASSERT_EQ(0, vm_access(self->fd, self->guid, VM_ALLOW(EVERYONE, 0, ETW_RIGHT_ALL)));
	EXPECT_EQ(-EACCES, alice_registers(self->fd, self->guid, 0));
	ASSERT_EQ(0, vm_access(self->fd, self->guid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_REGISTER_KERNEL)));
	EXPECT_EQ(-EPERM, alice_registers(self->fd, self->guid, 0));
	ASSERT_EQ(0, vm_access(self->fd, self->guid,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_REGISTER_GUIDS |
					ETW_RIGHT_REGISTER_KERNEL)));
	slot = alice_registers(self->fd, self->guid, 0);
	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->guid, 0, 0, 0));
	EXPECT_EQ(0, alice_writes(self, slot));

	/* A change takes effect at once. */
	ASSERT_EQ(0, vm_access_remove(self->fd, self->guid));
	EXPECT_EQ(-EACCES, alice_writes(self, slot));
	ASSERT_EQ(0, vm_access(self->fd, vm_default,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_REGISTER_KERNEL)));
	EXPECT_EQ(0, alice_writes(self, slot));
	EXPECT_EQ(2, delivered(self).forged);
}

/* Other registrations of the process are not affected. */
TEST_F(forging, others_are_not_concerned)
{
	int slot = alice_registers(self->fd, self->guid, 0), other;

	other = alice_registers(self->fd, self->other, 0);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->other, 0, 0, 0));
	ASSERT_EQ(0, driver_registers(self));
	EXPECT_EQ(-EACCES, alice_writes(self, slot));
	EXPECT_EQ(0, alice_writes(self, other));
	EXPECT_EQ(1, delivered(self).forged);
	/* A module that fails to end its registration lets go of it, too. */
	EXPECT_EQ(0, vm_unregister(self->fd, slot));
	EXPECT_EQ(0, driver_unregisters(self));
}

TEST_HARNESS_MAIN
