// SPDX-License-Identifier: GPL-2.0-only
/*
 * trap.c - writes an event from within the code that writes events
 *
 * The probes run wherever the traced instruction runs, NMIs included.
 */
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <asm/ptrace.h>

#include "ops.h"

static struct etw_provider *target;	/* NULL: no trap is set */
static u32 kind;
static u32 most;
static pid_t owner;
static atomic_t left;			/* events left of most */
static atomic64_t hits[ETW_TEST_HITS];
static atomic64_t faults, ok, failed;
static atomic_t number;			/* of the next event */

/* breakpoint: in the handler of one, which counts as an NMI, and an NMI as a hardirq */
static u32 here(bool breakpoint)
{
	unsigned long nmis = (nmi_count() >> NMI_SHIFT) - breakpoint;

	if (nmis)
		return ETW_TEST_HIT_NMI;
	if (hardirq_count() >> HARDIRQ_SHIFT > breakpoint)
		return ETW_TEST_HIT_HARDIRQ;
	return in_serving_softirq() ? ETW_TEST_HIT_SOFTIRQ : ETW_TEST_HIT_TASK;
}

static void spring(bool breakpoint)
{
	static const struct etw_event_descriptor desc = { .id = 98, .level = 1, .keyword = 1 };
	struct etw_test_trap_event event = { .hit = here(breakpoint) };
	struct etw_data_descriptor data = etw_data(&event, sizeof(event));

	atomic64_inc(&hits[event.hit]);
	if (most && atomic_dec_if_positive(&left) < 0)
		return;
	event.number = atomic_inc_return(&number) - 1;
	if (etw_write(target, &desc, 1, &data))
		atomic64_inc(&failed);
	else
		atomic64_inc(&ok);
}

/* Allow the writer's next event to hit the trap as often again. */
void etw_test_trap_rearm(void)
{
	if (most)
		atomic_set(&left, most);
}

bool etw_test_trap_uses(const struct etw_provider *provider)
{
	return target == provider;
}

/* ---------------------------------------------------------------- kprobes */

#ifdef CONFIG_KPROBES
static char function[sizeof_field(struct etw_test_trap, function)];
static struct kprobe probe;

static int before(struct kprobe *p, struct pt_regs *regs)
{
	spring(!kprobe_ftrace(p));
	return 0;
}

/*
 * A post handler prevents the kernel from replacing the instruction with a jump, which
 * takes more than a byte to patch.
 */
static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static int plant(const struct etw_test_trap *t)
{
	strscpy(function, t->function, sizeof(function));
	memset(&probe, 0, sizeof(probe));
	probe.symbol_name = function;
	probe.offset = t->offset;
	probe.pre_handler = before;
	probe.post_handler = after;
	return register_kprobe(&probe);
}

static void uproot(void)
{
	unregister_kprobe(&probe);
}
#else
static int plant(const struct etw_test_trap *t)
{
	return -EOPNOTSUPP;
}

static void uproot(void)
{
}
#endif

/* ----------------------------------------------------------------- ftrace */

#ifdef CONFIG_DYNAMIC_FTRACE
static void traced(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		   struct ftrace_regs *regs)
{
	if (rcu_is_watching())
		spring(false);
}

/* Without FTRACE_OPS_FL_RECURSION: what it calls may call it again. */
static struct ftrace_ops tracer = { .func = traced };

static void untrace(void)
{
	unregister_ftrace_function(&tracer);
	ftrace_set_filter(&tracer, NULL, 0, 1);
}

static int trace(const struct etw_test_trap *t)
{
	char name[sizeof(t->function)];
	int err;

	strscpy(name, t->function, sizeof(name));
	err = ftrace_set_filter(&tracer, name, strlen(name), 1);
	if (!err)
		err = register_ftrace_function(&tracer);
	if (err)
		ftrace_set_filter(&tracer, NULL, 0, 1);
	return err;
}
#else
static int trace(const struct etw_test_trap *t)
{
	return -EOPNOTSUPP;
}

static void untrace(void)
{
}
#endif

/* ------------------------------------------------------------- page faults */

static void fault(void *data, unsigned long address, struct pt_regs *regs,
		  unsigned long error)
{
	if (!user_mode(regs) && task_tgid_nr(current) == owner)
		atomic64_inc(&faults);
	spring(false);
}

static struct {
	const char *name;
	struct tracepoint *point;
} points[] = {
	{ .name = "page_fault_user" },
	{ .name = "page_fault_kernel" },
};

static void match(struct tracepoint *point, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(point->name, points[i].name))
			points[i].point = point;
}

static void let_go(int n)
{
	while (n--)
		tracepoint_probe_unregister(points[n].point, fault, NULL);
	tracepoint_synchronize_unregister();
}

static int take_hold(void)
{
	int i, err;

	for_each_kernel_tracepoint(match, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		err = points[i].point ?
		      tracepoint_probe_register(points[i].point, fault, NULL) : -EOPNOTSUPP;
		if (err) {
			let_go(i);
			return err;
		}
	}
	return 0;
}

/* --------------------------------------------------------------------- op */

void etw_test_trap_remove(void)
{
	if (!target)
		return;
	if (kind == ETW_TEST_TRAP_KPROBE)
		uproot();
	else if (kind == ETW_TEST_TRAP_FTRACE)
		untrace();
	else
		let_go(ARRAY_SIZE(points));
	target = NULL;
	most = 0;
}

static int trap_set(const struct etw_test_trap *t)
{
	int i, err;

	if (target)
		return -EBUSY;
	if (!etw_test_provider(t->index))
		return -ENOENT;
	for (i = 0; i < ETW_TEST_HITS; i++)
		atomic64_set(&hits[i], 0);
	atomic64_set(&faults, 0);
	atomic64_set(&ok, 0);
	atomic64_set(&failed, 0);
	atomic_set(&number, t->number);
	owner = task_tgid_nr(current);
	kind = t->kind;
	most = t->most;
	etw_test_trap_rearm();
	target = etw_test_provider(t->index);
	if (kind == ETW_TEST_TRAP_KPROBE)
		err = plant(t);
	else
		err = kind == ETW_TEST_TRAP_FTRACE ? trace(t) : take_hold();
	if (err) {
		target = NULL;
		most = 0;
	}
	return err;
}

int etw_test_trap_op(void *arg)
{
	struct etw_test_trap *t = arg;
	int i;

	t->function[sizeof(t->function) - 1] = '\0';
	t->result = 0;
	switch (t->kind) {
	case ETW_TEST_TRAP_REMOVE:
		etw_test_trap_remove();
		break;
	case ETW_TEST_TRAP_LOOK:
		break;
	case ETW_TEST_TRAP_KPROBE:
	case ETW_TEST_TRAP_FTRACE:
	case ETW_TEST_TRAP_FAULT:
		t->result = trap_set(t);
		break;
	default:
		return -EINVAL;
	}
	for (i = 0; i < ETW_TEST_HITS; i++)
		t->hits[i] = atomic64_read(&hits[i]);
	t->faults = atomic64_read(&faults);
	t->number = atomic_read(&number);
	t->ok = atomic64_read(&ok);
	t->failed = atomic64_read(&failed);
	return 0;
}
