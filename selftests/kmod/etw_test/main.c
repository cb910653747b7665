// SPDX-License-Identifier: GPL-2.0-only
/* main.c - /dev/etw_test: a kernel provider controlled by a test */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include <etw/kernel.h>

#include "compat.h"
#include "ops.h"

#define PAYLOAD_MAX	(128 * 1024)
#define DEPTH_MAX	256	/* calls, of about 30 bytes of stack each */
#define WRITES_MAX	10000	/* in one call, which cannot be interrupted */

ETW_DEFINE_PROVIDER(test_provider, ETW_TEST_GUID);

/* One provider; its address is the context of its callback. */
struct slot {
	struct etw_provider *provider;	/* NULL: not registered */
	u32 flags;
	atomic_t running;		/* calls of its callback */
	struct etw_test_log *log;
};

static struct slot slots[ETW_TEST_PROVIDERS];
static DEFINE_MUTEX(test_lock);		/* slots */
static DEFINE_SPINLOCK(log_lock);	/* slots[].log */
static DECLARE_WAIT_QUEUE_HEAD(gate_wait);
static bool gate_open = true;
static u8 *payload;

struct etw_provider *etw_test_provider(u32 index)
{
	return slots[index].provider;
}

static int test_unregister(struct slot *slot)
{
	struct etw_provider *p = slot->provider;

	return p == &test_provider ? etw_unregister(p) : etw_unregister_handle(p);
}

static int test_inside(struct slot *slot, struct etw_provider *p)
{
	static const struct etw_event_descriptor desc = { .id = 99, .level = 1 };

	if (slot->flags & ETW_TEST_UNREG_INSIDE)
		return p == &test_provider ? etw_unregister(p) : etw_unregister_handle(p);
	if (slot->flags & ETW_TEST_WRITE_INSIDE)
		return etw_write(p, &desc, 0, NULL);
	return 0;
}

static void test_filter(struct etw_test_call *call, const struct etw_filter *filter)
{
	if (!filter)
		return;
	call->filter_type = filter->type;
	call->filter_len = filter->len;
	memcpy(call->filter, (const void *)(unsigned long)filter->ptr,
	       min_t(u32, filter->len, sizeof(call->filter)));
}

static void test_callback(const struct etw_guid *source, u32 control, u8 level,
			  u64 any, u64 all, const struct etw_filter *filter, void *context)
{
	struct slot *slot = context;
	struct etw_test_call call = {
		.source = *source, .control = control, .level = level,
		.any = any, .all = all };
	bool known = slot >= slots && slot < slots + ETW_TEST_PROVIDERS;

	test_filter(&call, filter);
	call.good_context = known && in_task() && !irqs_disabled() && preemptible() &&
			    !(current->flags & PF_WQ_WORKER);
	if (WARN_ON_ONCE(!known))
		return;
	atomic_inc(&slot->running);
	if (slot->flags & ETW_TEST_GATED)
		wait_event(gate_wait, READ_ONCE(gate_open));
	/* During registration this module does not have the handle yet. */
	if (READ_ONCE(slot->provider))
		call.inside = test_inside(slot, slot->provider);
	spin_lock(&log_lock);
	if (slot->log->count < ETW_TEST_CALLS)
		slot->log->calls[slot->log->count] = call;
	slot->log->count++;
	spin_unlock(&log_lock);
	atomic_dec(&slot->running);
}

static int test_register_op(void *arg)
{
	struct etw_test_register *r = arg;
	struct slot *slot = &slots[r->index];
	etw_enable_fn fn = r->flags & ETW_TEST_CALLBACK ? test_callback : NULL;
	struct etw_provider *p = &test_provider;

	if (slot->provider && r->index)
		return -EEXIST;
	if (!slot->provider)
		slot->flags = r->flags;
	if (r->index)
		r->result = etw_register_handle(&r->guid, NULL, fn, slot, &p);
	else
		r->result = etw_register(p, ETW_TEST_NAME, fn, slot);
	if (!r->result)
		WRITE_ONCE(slot->provider, p);
	return 0;
}

static int test_unregister_op(void *arg)
{
	struct etw_test_register *r = arg;
	struct slot *slot = &slots[r->index];

	if (!slot->provider)
		return -ENOENT;
	if (etw_test_trap_uses(slot->provider))
		return -EBUSY;
	r->result = test_unregister(slot);
	if (!r->result)
		slot->provider = NULL;
	return 0;
}

/* ---------------------------------------------------------------- writing */

struct job {
	struct etw_test_write *w;
	struct etw_provider *provider;
	struct etw_data_descriptor *data;
	struct timer_list timer;
	struct irq_work work;
	struct completion done;
};

/* All pieces as one object; its first bytes are the number, if there is one. */
static int write_fixed(struct job *job)
{
	struct etw_test_write *w = job->w;
	u32 first;
	int ret;

	memcpy(&first, payload, sizeof(first));
	if (w->numbered)
		memcpy(payload, &w->number, sizeof(w->number));
	ret = etw_write_fixed(job->provider, &w->desc, payload, w->size);
	memcpy(payload, &first, sizeof(first));
	return ret;
}

static int write_known(struct job *job)
{
	struct etw_test_write *w = job->w;
	const struct etw_data_descriptor data[] = {
		etw_data(w->numbered ? (void *)&w->number : payload, 4),
		etw_data(payload, 31),
		etw_data(payload, 16),
		etw_data(payload, 1),
	};

	BUILD_BUG_ON(4 + 31 + 16 + 1 != ETW_TEST_KNOWN_SIZE);
	return etw_write(job->provider, &w->desc, ARRAY_SIZE(data), data);
}

static int write_one(struct job *job)
{
	struct etw_test_write *w = job->w;

	/* Zeroes follow the payload. */
	if (w->transfer & ETW_TEST_STRING)
		return etw_write_string(job->provider, w->desc.level, w->desc.keyword,
					w->transfer & ETW_TEST_TRANSFER ? &w->activity : NULL,
					w->transfer & ETW_TEST_NOTHING ? NULL :
					(u16 *)(payload + PAYLOAD_MAX - w->size));
	if (w->transfer & ETW_TEST_EX)
		return etw_write_ex(job->provider, &w->desc, w->exclude,
				    w->transfer & ETW_TEST_PRIVATE ? ETW_EX_INPRIVATE :
						ETW_EX_NO_FAULTING,
				    NULL, NULL, w->descriptors, job->data);
	if (w->transfer & ETW_TEST_FIXED)
		return write_fixed(job);
	if (w->transfer & ETW_TEST_KNOWN)
		return write_known(job);
	if (w->transfer)
		return etw_write_transfer(job->provider, &w->desc, &w->activity,
					  &w->related, w->descriptors, job->data);
	return etw_write(job->provider, &w->desc, w->descriptors, job->data);
}

static void write_all(struct job *job)
{
	struct etw_test_write *w = job->w;
	u32 i;
	int ret;

	for (i = 0; i < w->count; i++, w->number++) {
		etw_test_trap_rearm();
		if (!w->index && !ETW_EVENT_ENABLED(test_provider, &w->desc)) {
			w->tested++;
			continue;
		}
		ret = write_one(job);
		if (ret) {
			w->failed++;
			w->result = ret;
		} else {
			w->ok++;
		}
	}
}

/*
 * Write at this call depth. barrier() prevents a tail call, so every level is a real
 * call.
 */
static noinline void write_below(struct job *job, u32 depth)
{
	if (depth)
		write_below(job, depth - 1);
	else
		write_all(job);
	barrier();
}

static void write_softirq(struct timer_list *timer)
{
	struct job *job = container_of(timer, struct job, timer);

	WARN_ON_ONCE(!in_serving_softirq());
	write_all(job);
	complete(&job->done);
}

static void write_hardirq(struct irq_work *work)
{
	struct job *job = container_of(work, struct job, work);

	WARN_ON_ONCE(!in_hardirq());
	write_all(job);
	complete(&job->done);
}

static void write_from(struct job *job, u32 context)
{
	init_completion(&job->done);
	switch (context) {
	case ETW_TEST_SOFTIRQ:
		timer_setup(&job->timer, write_softirq, 0);
		mod_timer(&job->timer, jiffies + 1);
		break;
	case ETW_TEST_HARDIRQ:
		job->work = IRQ_WORK_INIT_HARD(write_hardirq);
		irq_work_queue(&job->work);
		break;
	case ETW_TEST_IRQS_OFF:
		local_irq_disable();
		write_all(job);
		local_irq_enable();
		return;
	case ETW_TEST_BH_OFF:
		local_bh_disable();
		write_all(job);
		local_bh_enable();
		return;
	case ETW_TEST_PREEMPT_OFF:
		preempt_disable();
		preempt_disable();
		write_all(job);
		preempt_enable();
		preempt_enable();
		return;
	default:
		write_below(job, job->w->depth);
		return;
	}
	wait_for_completion(&job->done);
	if (context == ETW_TEST_SOFTIRQ)
		etw_timer_delete_sync(&job->timer);
	else
		irq_work_sync(&job->work);
}

static int test_write_op(void *arg)
{
	struct etw_test_write *w = arg;
	struct job *job;
	u32 i, rest = w->size, part, first = !!w->numbered;

	if (w->count > WRITES_MAX || w->size > PAYLOAD_MAX || !w->descriptors ||
	    w->descriptors > ETW_DATA_MAX + 1 || w->depth > DEPTH_MAX)
		return -EINVAL;
	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job)
		return -ENOMEM;
	job->w = w;
	/* The static provider can also be written to before and after its registration. */
	job->provider = w->index ? slots[w->index].provider : &test_provider;
	job->data = kcalloc(w->descriptors, sizeof(*job->data), GFP_KERNEL);
	if (job->data && first)
		job->data[0] = etw_data(&w->number, sizeof(w->number));
	for (i = first; job->data && i < w->descriptors; i++, rest -= part) {
		part = rest / (w->descriptors - i);
		job->data[i] = etw_data(payload, part);
	}
	if (job->data && job->provider)
		write_from(job, w->context);
	else
		w->result = -ENOENT;
	kfree(job->data);
	kfree(job);
	return 0;
}

static int test_enabled_op(void *arg)
{
	struct etw_test_enabled *e = arg;
	struct etw_provider *p = slots[e->index].provider;
	struct etw_event_descriptor desc = { .level = e->level, .keyword = e->keyword };

	if (!p)
		return -ENOENT;
	e->inline_test = !e->index && ETW_ENABLED(test_provider, desc.level, e->keyword);
	e->provider_enabled = etw_provider_enabled(p, e->level, e->keyword);
	e->event_enabled = etw_event_enabled(p, &desc);
	return 0;
}

static int test_log_op(void *arg)
{
	struct etw_test_log *log = arg;
	u32 index = log->index;

	spin_lock(&log_lock);
	*log = *slots[index].log;
	slots[index].log->count = 0;
	spin_unlock(&log_lock);
	log->index = index;
	log->running = atomic_read(&slots[index].running);
	return 0;
}

static int test_gate_op(void *arg)
{
	WRITE_ONCE(gate_open, *(int *)arg);
	wake_up_all(&gate_wait);
	return 0;
}

static int test_activity_op(void *arg)
{
	struct etw_test_activity *a = arg;

	a->result = etw_activity_id_control(a->control, &a->id);
	return 0;
}

/* If indexed, the first member is the provider's index. */
static const struct {
	unsigned int cmd;
	u32 size;
	int (*run)(void *arg);
	bool indexed;
	bool locked;
} ops[] = {
	{ ETW_TEST_REGISTER, sizeof(struct etw_test_register), test_register_op, true, true },
	{ ETW_TEST_UNREGISTER, sizeof(struct etw_test_register), test_unregister_op, true, true },
	{ ETW_TEST_WRITE, sizeof(struct etw_test_write), test_write_op, true, true },
	{ ETW_TEST_ENABLED, sizeof(struct etw_test_enabled), test_enabled_op, true, true },
	{ ETW_TEST_LOG, sizeof(struct etw_test_log), test_log_op, true, false },
	{ ETW_TEST_GATE, sizeof(int), test_gate_op, false, false },
	{ ETW_TEST_ACTIVITY, sizeof(struct etw_test_activity), test_activity_op, false, false },
	{ ETW_TEST_TRAP, sizeof(struct etw_test_trap), etw_test_trap_op, true, true },
	{ ETW_TEST_PLACE, sizeof(struct etw_test_place), etw_test_place_op, true, true },
	{ ETW_TEST_PEEK, sizeof(struct etw_test_peek), etw_test_peek_op, false, false },
	{ ETW_TEST_SET, sizeof(struct etw_test_set), etw_test_set_op, true, true },
	{ ETW_TEST_TYPED, sizeof(struct etw_test_typed), etw_test_typed_op, true, true },
	{ ETW_TEST_BAD, sizeof(struct etw_test_bad), etw_test_bad_op, true, true },
	{ ETW_TEST_DIE, sizeof(struct etw_test_die), etw_test_die_op, true, true },
	{ ETW_TEST_HOLD, sizeof(int), etw_test_hold_op, false, false },
	{ ETW_TEST_MACHINE, sizeof(struct etw_test_machine), etw_test_machine_op, false, true },
	{ ETW_TEST_SIZES, sizeof(struct etw_test_sizes), etw_test_sizes_op, true, true },
};

static long test_run(int op, void __user *user)
{
	void *arg = memdup_user(user, ops[op].size);
	long ret = -EINVAL;

	if (IS_ERR(arg))
		return PTR_ERR(arg);
	if (ops[op].indexed && *(u32 *)arg >= ETW_TEST_PROVIDERS)
		goto out;
	if (ops[op].locked)
		mutex_lock(&test_lock);
	ret = ops[op].run(arg);
	if (ops[op].locked)
		mutex_unlock(&test_lock);
	if (!ret && copy_to_user(user, arg, ops[op].size))
		ret = -EFAULT;
out:
	kfree(arg);
	return ret;
}

static long test_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (ops[i].cmd == cmd)
			return test_run(i, (void __user *)arg);
	return -ENOTTY;
}

static const struct file_operations test_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = test_ioctl,
};

static struct miscdevice test_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "etw_test",
	.fops = &test_fops,
};

static void test_free(void)
{
	int i;

	etw_test_trap_remove();
	for (i = 0; i < ETW_TEST_PROVIDERS; i++) {
		if (slots[i].provider)
			WARN_ON(test_unregister(&slots[i]));
		kfree(slots[i].log);
	}
	kfree(payload);
}

static int __init test_init(void)
{
	int i, ret = -ENOMEM;

	payload = kzalloc(PAYLOAD_MAX + sizeof(u16), GFP_KERNEL);
	if (!payload)
		goto fail;
	memset(payload, 0x5a, PAYLOAD_MAX);
	for (i = 0; i < ETW_TEST_PROVIDERS; i++) {
		slots[i].log = kzalloc(sizeof(*slots[i].log), GFP_KERNEL);
		if (!slots[i].log)
			goto fail;
	}
	ret = misc_register(&test_device);
	if (!ret)
		return 0;
fail:
	test_free();
	return ret;
}

static void __exit test_exit(void)
{
	misc_deregister(&test_device);
	test_free();
}

module_init(test_init);
module_exit(test_exit);

MODULE_DESCRIPTION("Kernel provider that the tests of etw direct");
MODULE_LICENSE("GPL");
