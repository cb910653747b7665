// SPDX-License-Identifier: GPL-2.0-only
/*
 * typed.c - traits, and events whose data descriptors have types
 */
#include <linux/irq_work.h>
#include <linux/slab.h>

#include "ops.h"

int etw_test_set_op(void *arg)
{
	struct etw_test_set *set = arg;
	struct etw_provider *provider = etw_test_provider(set->index);

	if (!provider)
		return -ENOENT;
	if (set->len > sizeof(set->bytes))
		return -EINVAL;
	if (set->flags & ETW_SET_TRAITS)
		set->result = etw_set_traits(provider, set->bytes, set->len);
	else
		set->result = etw_use_descriptor_types(provider, set->types);
	return 0;
}

struct typed_job {
	struct irq_work work;
	struct etw_provider *provider;
	struct etw_test_typed *typed;
	struct etw_data_descriptor data[ETW_TEST_PIECES];
};

static void write_typed(struct typed_job *job)
{
	struct etw_test_typed *t = job->typed;

	t->result = etw_write(job->provider, &t->desc, t->count, job->data);
}

static void write_hardirq(struct irq_work *work)
{
	write_typed(container_of(work, struct typed_job, work));
}

int etw_test_typed_op(void *arg)
{
	struct etw_test_typed *t = arg;
	struct etw_provider *provider = etw_test_provider(t->index);
	struct typed_job *job;
	u32 i;

	if (!provider)
		return -ENOENT;
	if (t->count > ETW_TEST_PIECES)
		return -EINVAL;
	for (i = 0; i < t->count; i++)
		if (t->pieces[i].at > sizeof(t->bytes) ||
		    t->pieces[i].size > sizeof(t->bytes) - t->pieces[i].at)
			return -EINVAL;
	job = kzalloc(sizeof(*job), GFP_KERNEL);
	if (!job)
		return -ENOMEM;
	job->provider = provider;
	job->typed = t;
	for (i = 0; i < t->count; i++) {
		job->data[i] = etw_data(t->bytes + t->pieces[i].at, t->pieces[i].size);
		job->data[i].reserved = t->pieces[i].type;
	}
	if (t->hardirq) {
		job->work = IRQ_WORK_INIT_HARD(write_hardirq);
		irq_work_queue(&job->work);
		irq_work_sync(&job->work);
	} else {
		write_typed(job);
	}
	kfree(job);
	return 0;
}
