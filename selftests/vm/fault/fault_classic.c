// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_classic - every failure of a write by a classic provider
 *
 * As in fault.c: a call that fails has written nothing and is counted once by its cause; a
 * call that succeeds has written its record.
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault_write.h"

FAULT_FIXTURE

/* A record of a provider that base has enabled. */
static void prepare(struct fault_env *e, unsigned int pieces, unsigned int size)
{
	struct etw_classic_write *w = &e->arg.classic;
	struct etw_session s = { .logger_id = 0 };
	unsigned int i;

	vm_query(e->fd, e->base, &s);
	vm_enable(e->fd, e->base, vm_guid(5), 0, 0, 0);
	for (i = 0; i < pieces; i++)
		e->data[i] = (struct etw_data_descriptor){ VM_PTR(e->room), size, 0 };
	*w = (struct etw_classic_write){
		.size = sizeof(*w), .kind = ETW_CLASSIC_MESSAGE,
		.options = ETW_MESSAGE_GUID | ETW_MESSAGE_SEQUENCE,
		.slot = vm_register_flags(e->fd, vm_guid(5), ETW_REGISTER_CLASSIC, 0),
		.logger_id = s.logger_id, .data = VM_PTR(e->data), .data_count = pieces,
	};
	vm_flush(e->fd, e->base);
	vm_stat(e->fd, e->base, &e->before);
}

static void before_small(struct fault_env *e)
{
	prepare(e, 2, 10);
}

static void before_large(struct fault_env *e)
{
	prepare(e, 1, 40000);
}

static int do_classic(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_CLASSIC, &e->arg.classic);
}

static void clean(struct fault_env *e)
{
	vm_unregister(e->fd, e->arg.classic.slot);
	vm_disable(e->fd, e->base, vm_guid(5));
}

static const struct fault_op classic_ops[] = {
	{ .name = "CLASSIC", .prepare = before_small, .call = do_classic, .done = fault_written,
	  .judge = fault_counted, .clean = clean, .once = true, .enomem = 1, .efault = 4 },
	{ .name = "CLASSIC of 40,000 bytes", .prepare = before_large, .call = do_classic,
	  .done = fault_written, .judge = fault_counted, .clean = clean, .once = true, .enomem = 2,
	  .efault = 3 },
};

/* Most of the failures must have been losses. */
TEST_F(fault, classic)
{
	unsigned int i;

	if (_metadata->skip)
		return;
	for (i = 0; i < ARRAY_SIZE(classic_ops); i++) {
		self->e->info.events = 0;
		EXPECT_TRUE(fault_all(self->e, &classic_ops[i]));
		EXPECT_LE(3, self->e->info.events);
	}
}

TEST_HARNESS_MAIN
