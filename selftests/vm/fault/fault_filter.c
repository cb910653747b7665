// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_filter - every failure of calls that carry filters for callbacks, or of
 * payloads
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault.h"
#include "lib/controller/payload.h"

FAULT_FIXTURE

/* The filter of all tries, and the data that callbacks received. */
static struct {
	struct etw_filter_header head;
	uint8_t bytes[100];
} blob;
static struct etw_filter filters[2];
static void *program;
static uint64_t passed[ETW_FILTER_CHAIN_MAX / 8];
static int extra = -1;	/* a second registration with notices */

static void give(struct fault_env *e, uint32_t control, uint32_t count)
{
	static const struct etw_payload_field field = { "A", TDH_INTYPE_ANSISTRING, 1, 0, -1, -1 };
	static const struct etw_payload_layout layout = { 1, 0, 1, &field };
	static const struct etw_payload_predicate p = { "A", ETW_PAYLOAD_CONTAINS, "x" };

	blob.head = (struct etw_filter_header){ .id = 3, .size = sizeof(blob) };
	filters[0] = (struct etw_filter){ VM_PTR(&blob), sizeof(blob), ETW_FILTER_SCHEMATIZED };
	if (!program && etw_payload_create(&layout, false, &p, 1, &program, NULL))
		exit(1);
	filters[1] = (struct etw_filter){ VM_PTR(program),
		((struct etw_payload_header *)program)->size, ETW_FILTER_PAYLOAD };
	e->arg.enable = vm_enable_arg(e->base, vm_guid(1));
	e->arg.enable.control = control;
	e->arg.enable.filters = VM_PTR(filters);
	e->arg.enable.filter_count = count;
	if (extra < 0)
		extra = vm_register_flags(e->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0x54);
}

static int do_enable(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_ENABLE, &e->arg.enable);
}

static int next(struct fault_env *e)
{
	e->arg.notify = (struct etw_notify){ .size = sizeof(e->arg.notify),
					     .filter = VM_PTR(passed),
					     .filter_cap = sizeof(passed) };
	memset(passed, 0, sizeof(passed));
	return vm_ioctl(e->fd, ETW_IOC_NOTIFY, &e->arg.notify);
}

/* Is this the filter data that the callback has to receive? */
static bool is_told(const struct etw_notify *n, uint32_t control)
{
	struct etw_filter_header *h = (void *)passed;

	return n->control == control && n->filter_type == ETW_FILTER_SCHEMATIZED &&
	       n->filter_len == sizeof(blob) && h->id == 3 && h->size == sizeof(blob) &&
	       h->instance && !memcmp(h + 1, blob.bytes, sizeof(blob.bytes));
}

/* Both registrations, and nothing else. */
static bool both_told(struct fault_env *e, uint32_t control)
{
	bool good = !next(e) && is_told(&e->arg.notify, control) && !next(e) &&
		    is_told(&e->arg.notify, control);

	return good && next(e) == -EAGAIN;
}

static void clean_up(struct fault_env *e)
{
	vm_unregister(e->fd, extra);
	extra = -1;
	vm_disable(e->fd, e->base, vm_guid(1));
	fault_no_notices(e);
}

/* ------------------------------------------------------------------ enabling */

static void before_enable(struct fault_env *e)
{
	give(e, ETW_CONTROL_ENABLE, 2);
}

static bool is_enabled(struct fault_env *e)
{
	return e->area[e->slot].enabled && both_told(e, ETW_CONTROL_ENABLE);
}

/* They have another filter from before, which stays if this call fails. */
static void before_change(struct fault_env *e)
{
	give(e, ETW_CONTROL_ENABLE, 1);
	do_enable(e);
	fault_no_notices(e);
	give(e, ETW_CONTROL_ENABLE, 2);
}

static void before_capture(struct fault_env *e)
{
	before_change(e);
	give(e, ETW_CONTROL_CAPTURE, 1);
}

static bool is_captured(struct fault_env *e)
{
	return both_told(e, ETW_CONTROL_CAPTURE);
}

/* It succeeds whatever fails, because its allocations may wait. */
static void before_disable(struct fault_env *e)
{
	before_change(e);
	e->arg.enable = vm_enable_arg(e->base, vm_guid(1));
	e->arg.enable.control = ETW_CONTROL_DISABLE;
}

static bool is_disabled(struct fault_env *e)
{
	return !e->area[e->slot].enabled && !next(e) && !e->arg.notify.filter_len;
}

static const struct fault_op enable_ops[] = {
	{ .name = "ENABLE with data and a program", .prepare = before_enable, .call = do_enable,
	  .done = is_enabled, .clean = clean_up, .once = true, .enomem = 5, .efault = 4 },
	{ .name = "... of what is enabled", .prepare = before_change, .call = do_enable,
	  .done = is_enabled, .clean = clean_up, .once = true, .enomem = 5, .efault = 4 },
	{ .name = "CAPTURE with data", .prepare = before_capture, .call = do_enable,
	  .done = is_captured, .clean = clean_up, .once = true, .enomem = 1, .efault = 3 },
	{ .name = "DISABLE", .prepare = before_disable, .call = do_enable, .done = is_disabled,
	  .clean = clean_up, .once = true, .efault = 1 },
};

/* ------------------------------------------------------------------- notices */

static void before_notify(struct fault_env *e)
{
	give(e, ETW_CONTROL_ENABLE, 1);
	do_enable(e);
}

static bool is_notice(struct fault_env *e)
{
	return is_told(&e->arg.notify, ETW_CONTROL_ENABLE) && e->arg.notify.cookie == 0x51 &&
	       !e->arg.notify.dropped;
}

/* After a failure the notification is still queued, unchanged. */
static bool comes_again(struct fault_env *e, const struct fault_state *was, int ret)
{
	bool same = fault_same(e, was, true, false);

	(void)ret;
	return !next(e) && is_notice(e) && same;
}

static const struct fault_op notify_ops[] = {
	{ .name = "NOTIFY with data", .prepare = before_notify, .call = next,
	  .done = is_notice, .judge = comes_again, .clean = clean_up, .once = true,
	  .efault = 4 },
};

FAULT_TEST(enabling, enable_ops)
FAULT_TEST(notices, notify_ops)

TEST_HARNESS_MAIN
