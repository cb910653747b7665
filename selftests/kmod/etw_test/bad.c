// SPDX-License-Identifier: GPL-2.0-only
/*
 * bad.c - events of a faulty driver: pointers that cannot be read, and a task that dies in
 * the middle of a write
 */
#include <linux/completion.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/vmalloc.h>
#include <asm/ptrace.h>

#include "ops.h"

#define BEFORE	100	/* bytes that can be read, of a piece that runs over the end */

static const struct etw_guid good_id = ETW_TEST_GUID;

/* An address of that kind; memory is two pages, the second of which is freed. */
static u64 address(const struct etw_test_bad *b, const u8 *memory)
{
	switch (b->kind) {
	case ETW_TEST_BAD_NULL:
		return 0x10;
	case ETW_TEST_BAD_USER:
		return b->user;
	case ETW_TEST_BAD_POISON:
		return 0xdead000000000100ULL;
	case ETW_TEST_BAD_TOP:
		return (unsigned long)-22L;
	case ETW_TEST_BAD_GUARD:
		return (unsigned long)memory + PAGE_SIZE;
	default: /* ETW_TEST_BAD_TAIL */
		return (unsigned long)memory + PAGE_SIZE - BEFORE;
	}
}

/* The compiler knows the sizes, and need not look at the address of the empty piece. */
static int write_known(struct etw_provider *provider, const struct etw_event_descriptor *desc,
		       u64 bad, bool empty)
{
	static const u8 good[8] = "no event";
	const struct etw_data_descriptor with[] = {
		etw_data(good, sizeof(good)),
		etw_data((void *)(unsigned long)bad, 8),
		etw_data(good, sizeof(good)),
	};
	const struct etw_data_descriptor without[] = {
		etw_data(good, sizeof(good)),
		etw_data((void *)(unsigned long)bad, 0),
	};

	return empty ? etw_write(provider, desc, ARRAY_SIZE(without), without) :
		       etw_write(provider, desc, ARRAY_SIZE(with), with);
}

static int write_bad(struct etw_provider *provider, struct etw_test_bad *b, u64 bad)
{
	static const u8 good[8] = "no event";
	struct etw_data_descriptor data[3] = {
		etw_data(good, sizeof(good)),
		{ .ptr = bad, .size = b->size },
		etw_data(good, sizeof(good)),
	};
	const struct etw_guid *guid = (const void *)(unsigned long)bad;

	switch (b->place) {
	case ETW_TEST_BAD_ACTIVITY:
		return etw_write_transfer(provider, &b->desc, guid, NULL, 1, data);
	case ETW_TEST_BAD_RELATED:
		return etw_write_transfer(provider, &b->desc, &good_id, guid, 1, data);
	case ETW_TEST_BAD_STRING:
		return etw_write_string(provider, b->desc.level, b->desc.keyword, NULL,
					(const u16 *)(unsigned long)bad);
	case ETW_TEST_BAD_SCHEMA:
		data[1].reserved = ETW_DATA_EVENT_METADATA;
		return etw_write(provider, &b->desc, 3, data);
	case ETW_TEST_BAD_KNOWN:
	case ETW_TEST_BAD_NONE:
		return write_known(provider, &b->desc, bad, b->place == ETW_TEST_BAD_NONE);
	default: /* ETW_TEST_BAD_PIECE */
		return etw_write(provider, &b->desc, 3, data);
	}
}

int etw_test_bad_op(void *arg)
{
	struct etw_test_bad *b = arg;
	struct etw_provider *provider = etw_test_provider(b->index);
	u8 *memory;
	u32 i;

	if (!provider)
		return -ENOENT;
	/* A page that nothing is mapped to follows each area. */
	memory = __vmalloc(PAGE_SIZE, GFP_KERNEL);
	if (!memory)
		return -ENOMEM;
	memset(memory, 'x', PAGE_SIZE);
	for (i = 0; i < b->count; i++)
		b->result = write_bad(provider, b, address(b, memory));
	vfree(memory);
	return 0;
}

/* ------------------------------------------------------------------- dying */

static DECLARE_COMPLETION(begun);

/* What an oops does: the task ends here, whatever it was about to do. */
static void die(void)
{
	local_irq_enable();
	while (preempt_count())
		preempt_enable_notrace();
	kthread_complete_and_exit(NULL, 0);
}

/* What etw_write_fixed() does, up to the copy of the payload. */
static int begin_and_die(void *arg)
{
	struct etw_test_die *d = arg;
	struct etw_open open;
	void *payload;

	complete(&begun);
	payload = __etw_reserve(etw_test_provider(d->index), &d->desc, 8, &open);
	if (payload > ETW_EXAMINE)
		die();
	if (payload == ETW_EXAMINE)
		preempt_enable_notrace();
	d->result = payload ? -ENOMSG : -EAGAIN;
	return 0;
}

/* Returns when the thread is gone. */
static void let_die(struct task_struct *task, u32 cpu)
{
	kthread_bind(task, cpu);
	get_task_struct(task);
	reinit_completion(&begun);
	wake_up_process(task);
	wait_for_completion(&begun);
	kthread_stop(task);
	put_task_struct(task);
}

/* A typed event: etw_record_put_items() stores its schema between reserve and commit. */
static int write_and_die(void *arg)
{
	static const u8 schema[] = "\x07\0\0Evt";
	struct etw_test_die *d = arg;
	struct etw_data_descriptor data[2] = {
		etw_data_typed(ETW_DATA_EVENT_METADATA, schema, sizeof(schema)),
		etw_data(schema, sizeof(schema)),
	};

	complete(&begun);
	/* With options, so that it takes the general way. */
	etw_write_ex(etw_test_provider(d->index), &d->desc, 0, 0, NULL, NULL, 2, data);
	/* It did not die: etw_test_die_op() finds that. */
	d->result = -EIO;
	return 0;
}

/* For the trace event; the size is not known when this is compiled, and all is freed. */
static int trace_and_die(void *arg)
{
	struct etw_test_die *d = arg;
	size_t size = d->desc.id + 1;

	complete(&begun);
	OPTIMIZER_HIDE_VAR(size);
	kfree(kmalloc(size, GFP_KERNEL));
	d->result = -EIO;
	return 0;
}

static const struct {
	const char *function;	/* where a probe ends the thread; NULL: it ends by itself */
	int (*run)(void *arg);
} deaths[] = {
	[ETW_TEST_DIE_EVENT] = { "etw_record_put_items", write_and_die },
	[ETW_TEST_DIE_TRACED] = { "etw_write_asked", trace_and_die },
	[ETW_TEST_DIE_BEGUN] = { NULL, begin_and_die },
};

#ifdef CONFIG_KPROBES
static struct task_struct *victim;

static int before(struct kprobe *p, struct pt_regs *regs)
{
	if (current != READ_ONCE(victim))
		return 0;
	instruction_pointer_set(regs, (unsigned long)die);
	return 1;
}

/* With it the kernel does not make the probe a jump, from which there is no other return. */
static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static void die_at_probe(struct etw_test_die *d, struct task_struct *task)
{
	struct kprobe probe = {
		.symbol_name = deaths[d->where].function,
		.pre_handler = before,
		.post_handler = after,
	};

	d->result = register_kprobe(&probe);
	if (d->result) {
		kthread_stop(task);
		return;
	}
	WRITE_ONCE(victim, task);
	let_die(task, d->cpu);
	WRITE_ONCE(victim, NULL);
	unregister_kprobe(&probe);
}
#else
static void die_at_probe(struct etw_test_die *d, struct task_struct *task)
{
	kthread_stop(task);
	d->result = -EOPNOTSUPP;
}
#endif

int etw_test_die_op(void *arg)
{
	struct etw_test_die *d = arg;
	struct task_struct *task;

	if (d->where >= ARRAY_SIZE(deaths))
		return -EINVAL;
	if (!etw_test_provider(d->index))
		return -ENOENT;
	task = kthread_create(deaths[d->where].run, d, "etw_test_dies");
	if (IS_ERR(task)) {
		d->result = PTR_ERR(task);
		return 0;
	}
	d->result = 0;
	if (deaths[d->where].function)
		die_at_probe(d, task);
	else
		let_die(task, d->cpu);
	return 0;
}
