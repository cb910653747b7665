// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault - every failure of the calls on /dev/etw that register, enable, query and write
 *
 * Each call is made with its 1st, 2nd, 3rd... allocation or copy failing.  A call that fails
 * has changed nothing; a call that succeeds has done all of its work.
 *
 * TIMEOUT: 900
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault_write.h"

FAULT_FIXTURE

/* ---------------------------------------------------------- open, map, close */

static int do_open(struct fault_env *e)
{
	e->tmp = vm_open();
	return e->tmp;
}

static void own_file(struct fault_env *e)
{
	e->tmp = vm_open();
}

static void close_tmp(struct fault_env *e)
{
	if (e->tmp >= 0)
		close(e->tmp);
	e->tmp = -1;
}

static int do_map(struct fault_env *e)
{
	e->map = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, e->tmp, 0);
	return e->map == MAP_FAILED ? -errno : 0;
}

/* An address without mappings around it, so that no page tables exist either. */
static int do_map_apart(struct fault_env *e)
{
	e->map = mmap((void *)0x200000000000, ETW_ENABLE_AREA_SIZE, PROT_READ,
		      MAP_SHARED | MAP_FIXED_NOREPLACE, e->tmp, 0);
	return e->map == MAP_FAILED ? -errno : 0;
}

/* The area stays with the file, even if mapping it failed. */
static bool kept_by_file(struct fault_env *e, const struct fault_state *was, int ret)
{
	close(e->tmp);
	e->tmp = vm_open();
	return ret == -ENOMEM && fault_same(e, was, true, false);
}

static bool map_works(struct fault_env *e)
{
	static const uint8_t none[ETW_ENABLE_AREA_SIZE];

	return !memcmp(e->map, none, sizeof(none));
}

static void unmap(struct fault_env *e)
{
	if (e->map != MAP_FAILED)
		munmap(e->map, ETW_ENABLE_AREA_SIZE);
	e->map = MAP_FAILED;
}

static void unmap_and_close(struct fault_env *e)
{
	unmap(e);
	close_tmp(e);
}

/* A file with an enabled provider; closing it gives all of that back. */
static void own_provider(struct fault_env *e)
{
	e->tmp = vm_open();
	vm_enable(e->fd, e->base, vm_guid(7), 0, 0, 0);
	vm_register_flags(e->tmp, vm_guid(7), ETW_REGISTER_NOTIFY, 7);
	vm_register(e->tmp, vm_guid(8));
}

static int do_close(struct fault_env *e)
{
	int fd = e->tmp;

	e->tmp = -1;
	return close(fd) ? -errno : 0;
}

static bool is_closed(struct fault_env *e)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(7) };

	return !vm_ioctl(e->fd, ETW_IOC_PROVIDER_QUERY, &q) && !q.reg_count;
}

static void disable_7(struct fault_env *e)
{
	vm_disable(e->fd, e->base, vm_guid(7));
	close_tmp(e);
}

static const struct fault_op file_ops[] = {
	{ .name = "open", .call = do_open, .undo = close_tmp, .enomem = 1 },
	{ .name = "mmap of the first area", .prepare = own_file, .call = do_map,
	  .done = map_works, .undo = unmap, .judge = kept_by_file,
	  .clean = unmap_and_close, .once = true, .enomem = 3 },
	{ .name = "mmap, no page tables", .prepare = own_file, .call = do_map_apart,
	  .done = map_works, .undo = unmap, .judge = kept_by_file,
	  .clean = unmap_and_close, .once = true, .enomem = 6 },
	{ .name = "close", .prepare = own_provider, .call = do_close, .done = is_closed,
	  .clean = disable_7, .once = true, .none = true },
};

/* ----------------------------------------------------------------- register */

static void register_arg(struct fault_env *e, unsigned int guid, bool named)
{
	e->arg.reg = (struct etw_register){
		.size = sizeof(e->arg.reg), .provider = vm_guid(guid), .cookie = 77,
		.flags = ETW_REGISTER_NOTIFY,
		.name = named ? VM_PTR("t-fault-provider") : 0, .name_len = named ? 16 : 0 };
}

static int do_register(struct fault_env *e)
{
	return vm_ioctl(e->tmp, ETW_IOC_REGISTER, &e->arg.reg);
}

static void before_first(struct fault_env *e)
{
	e->tmp = vm_open();
	register_arg(e, 5, false);
}

static void before_named(struct fault_env *e)
{
	e->tmp = dup(e->fd);
	register_arg(e, 5, true);
}

static void before_enabled(struct fault_env *e)
{
	e->tmp = dup(e->fd);
	vm_enable(e->fd, e->base, vm_guid(6), 0, 0, 0);
	register_arg(e, 6, true);
}

static bool is_registered(struct fault_env *e)
{
	struct etw_provider_query q = {
		.size = sizeof(q), .provider = e->arg.reg.provider,
		.name_out = VM_PTR(e->text), .name_cap = sizeof(e->text) };
	bool enabled = e->arg.reg.provider.data1 == vm_guid(6).data1;
	int ret = vm_ioctl(e->fd, ETW_IOC_PROVIDER_QUERY, &q);

	return !ret && q.reg_count == 1 && q.name_len == e->arg.reg.name_len &&
	       q.enable_count == enabled && fault_polls(e->tmp, POLLIN) == enabled;
}

static void undo_register(struct fault_env *e)
{
	vm_unregister(e->tmp, e->arg.reg.slot);
}

/* Is it the entry of a registration that is not enabled, or of one that has ended? */
static bool is_off(const struct etw_enable_entry *entry)
{
	return !entry->enabled || (entry->level == 255 && entry->any == ~0ULL);
}

/*
 * Nothing is registered.  A registration that was made and taken back changed the slot's
 * entry; a file's first one made the area, which stays.
 */
static bool is_not_registered(struct fault_env *e, const struct fault_state *was, int ret)
{
	struct fault_state now = *was;
	int slot;

	if (e->arg.reg.provider.data1 == vm_guid(5).data1 && !e->arg.reg.name &&
	    vm_count_lines("/proc/vmallocinfo", "[etw]") == was->blocks + 1)
		now.blocks++;
	for (slot = 0; slot < ETW_REGISTRATIONS_MAX; slot++)
		if (!is_off(&e->area[slot]))
			return false;
	return fault_same(e, &now, ret != -EFAULT, false);
}

static void disable_6(struct fault_env *e)
{
	vm_disable(e->fd, e->base, vm_guid(6));
	close_tmp(e);
}

/* ETW_IOC_UNREGISTER of a named registration that is enabled. */
static void before_unregister(struct fault_env *e)
{
	before_enabled(e);
	do_register(e);
	e->arg.unreg = (struct etw_unregister){
		.size = sizeof(e->arg.unreg), .slot = e->arg.reg.slot };
}

static int do_unregister(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_UNREGISTER, &e->arg.unreg);
}

static bool is_unregistered(struct fault_env *e)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(6) };

	return !vm_ioctl(e->fd, ETW_IOC_PROVIDER_QUERY, &q) && !q.reg_count &&
	       !fault_polls(e->fd, POLLIN);
}

static void clean_unregister(struct fault_env *e)
{
	vm_unregister(e->fd, e->arg.unreg.slot);
	disable_6(e);
}

static const struct fault_op register_ops[] = {
	{ .name = "REGISTER, the file's first", .prepare = before_first, .call = do_register,
	  .done = is_registered, .undo = undo_register, .judge = is_not_registered,
	  .clean = close_tmp, .once = true, .enomem = 4, .efault = 3 },
	{ .name = "REGISTER with a name", .prepare = before_named, .call = do_register,
	  .done = is_registered, .undo = undo_register, .judge = is_not_registered,
	  .clean = close_tmp, .enomem = 4, .efault = 4 },
	{ .name = "REGISTER of what is enabled", .prepare = before_enabled,
	  .call = do_register, .done = is_registered, .undo = undo_register,
	  .judge = is_not_registered, .clean = disable_6, .enomem = 3, .efault = 4 },
	{ .name = "UNREGISTER", .prepare = before_unregister, .call = do_unregister,
	  .done = is_unregistered, .clean = clean_unregister, .once = true, .efault = 1 },
};

/* ------------------------------------------------------------------- notices */

/* Two notices: one that has been dropped, 8 that wait. */
static void before_notify(struct fault_env *e)
{
	int i;

	for (i = 0; i < 9; i++)
		vm_enable(e->fd, e->base, vm_guid(1), i % 5 + 1, 0, 0);
	e->arg.notify = (struct etw_notify){ .size = sizeof(e->arg.notify) };
}

static int do_notify(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_NOTIFY, &e->arg.notify);
}

/* It is the oldest one left, and reports the one that was dropped. */
static bool is_first_notice(struct fault_env *e)
{
	const struct etw_notify *n = &e->arg.notify;
	bool ok = n->control == ETW_CONTROL_ENABLE && n->level == 2 && n->dropped == 1 &&
		  n->cookie == 0x51;

	if (!ok)
		fprintf(stderr, "# notice: control %u level %u dropped %u cookie %llx\n",
			n->control, n->level, n->dropped, (unsigned long long)n->cookie);
	return ok;
}

/* After a failure the notification is still queued, unchanged. */
static bool notice_comes_again(struct fault_env *e, const struct fault_state *was, int ret)
{
	bool same = fault_same(e, was, true, false);

	(void)ret;
	e->arg.notify = (struct etw_notify){ .size = sizeof(e->arg.notify) };
	return !do_notify(e) && is_first_notice(e) && same;
}

static void clean_notify(struct fault_env *e)
{
	fault_no_notices(e);
	vm_disable(e->fd, e->base, vm_guid(1));
	fault_no_notices(e);
}

static const struct fault_op notify_ops[] = {
	{ .name = "NOTIFY", .prepare = before_notify, .call = do_notify,
	  .done = is_first_notice, .judge = notice_comes_again, .clean = clean_notify,
	  .once = true, .efault = 3 },
};

/* -------------------------------------------------------------------- writing */

static void before_write(struct fault_env *e, uint32_t pieces, uint32_t size)
{
	uint32_t i;

	vm_enable(e->fd, e->base, vm_guid(1), 0, 0, 0);
	fault_no_notices(e);
	for (i = 0; i < pieces; i++)
		e->data[i] = (struct etw_data_descriptor){ .ptr = VM_PTR(e->room),
							   .size = size };
	e->arg.write = (struct etw_event_write){
		.size = sizeof(e->arg.write), .slot = e->slot, .data_count = pieces,
		.data = VM_PTR(e->data), .desc = { .id = 3, .level = 1, .keyword = 1 } };
	vm_flush(e->fd, e->base);
	vm_stat(e->fd, e->base, &e->before);
}

static void before_write_small(struct fault_env *e)
{
	before_write(e, 1, 16);
}

static void before_write_large(struct fault_env *e)
{
	before_write(e, 2, 20000);
}

static void before_write_many(struct fault_env *e)
{
	before_write(e, ETW_DATA_MAX, 24);
}

static int do_write(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_WRITE, &e->arg.write);
}

static void clean_write(struct fault_env *e)
{
	vm_disable(e->fd, e->base, vm_guid(1));
	fault_no_notices(e);
}

static const struct fault_op write_ops[] = {
	{ .name = "WRITE", .prepare = before_write_small, .call = do_write,
	  .done = fault_written, .judge = fault_counted, .clean = clean_write, .once = true,
	  .efault = 2 },
	{ .name = "WRITE of 40,000 bytes", .prepare = before_write_large, .call = do_write,
	  .done = fault_written, .judge = fault_counted, .clean = clean_write, .once = true,
	  .enomem = 1, .efault = 3 },
	{ .name = "WRITE of 128 pieces", .prepare = before_write_many, .call = do_write,
	  .done = fault_written, .judge = fault_counted, .clean = clean_write, .once = true,
	  .enomem = 2, .efault = 129 },
};

/* -------------------------------------------------------------------- looking */

static int do_enum(struct fault_env *e)
{
	e->arg.provider_enum = (struct etw_provider_enum){
		.size = sizeof(e->arg.provider_enum), .guids = VM_PTR(e->room),
		.capacity = 100 };
	return vm_ioctl(e->fd, ETW_IOC_PROVIDER_ENUM, &e->arg.provider_enum);
}

static int do_query(struct fault_env *e)
{
	e->arg.query = (struct etw_provider_query){
		.size = sizeof(e->arg.query), .provider = fault_kguid,
		.name_out = VM_PTR(e->text), .name_cap = sizeof(e->text),
		.regs = VM_PTR(e->room), .reg_cap = 50,
		.enables = VM_PTR(e->room + 65536), .enable_cap = 8 };
	return vm_ioctl(e->fd, ETW_IOC_PROVIDER_QUERY, &e->arg.query);
}

static bool found_two(struct fault_env *e)
{
	return e->arg.provider_enum.count == 2 + VM_OWN_PROVIDERS;
}

static bool found_it(struct fault_env *e)
{
	return e->arg.query.reg_count == 1 && e->arg.query.enable_count == 1 &&
	       !strncmp(e->text, ETW_TEST_NAME, sizeof(ETW_TEST_NAME) - 1);
}

static void enable_test(struct fault_env *e)
{
	vm_enable(e->fd, e->base, fault_kguid, 0, 0, 0);
}

static void disable_test(struct fault_env *e)
{
	vm_disable(e->fd, e->base, fault_kguid);
}

static const struct fault_op look_ops[] = {
	{ .name = "PROVIDER_ENUM", .call = do_enum, .done = found_two, .enomem = 1,
	  .efault = 4 },
	{ .name = "PROVIDER_QUERY", .prepare = enable_test, .call = do_query,
	  .done = found_it, .clean = disable_test, .enomem = 2, .efault = 5 },
};

FAULT_TEST(file, file_ops)
FAULT_TEST(registering, register_ops)
FAULT_TEST(notices, notify_ops)
FAULT_TEST(looking, look_ops)

/* Most of the failures of one size of event must have been losses. */
TEST_F(fault, writing)
{
	unsigned int i;

	if (_metadata->skip)
		return;
	for (i = 0; i < ARRAY_SIZE(write_ops); i++) {
		self->e->info.events = 0;
		EXPECT_TRUE(fault_all(self->e, &write_ops[i]));
		EXPECT_LE(i + 2, self->e->info.events);
	}
}

TEST_HARNESS_MAIN
