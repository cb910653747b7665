// SPDX-License-Identifier: GPL-2.0-only
/* memory.c - addresses and contents of etw.ko's memory, and the lock of the caller's */
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "ops.h"
#include "provider/provider.h"
#include "session/trace_session.h"

static struct etw_test_range range(const void *start, size_t size)
{
	return (struct etw_test_range){ .start = (unsigned long)start, .size = size };
}

/* The provider stays registered and its session runs, so none of this is freed. */
int etw_test_place_op(void *arg)
{
	struct etw_test_place *p = arg;
	struct etw_provider *provider = etw_test_provider(p->index);
	const struct etw_snapshot *snapshot;
	struct etw_trace_session *s;
	struct etw_session_cpu *sc;
	struct etw_buf *buf;
	int ret = -ENOENT;
	u64 cur;

	if (!provider || p->cpu >= nr_cpu_ids || !cpu_possible(p->cpu))
		return -EINVAL;
	rcu_read_lock_sched();
	snapshot = rcu_dereference_sched(provider->snapshot);
	if (!snapshot || !snapshot->count)
		goto out;
	s = container_of(snapshot->entries[0].session, struct etw_trace_session, hot);
	sc = per_cpu_ptr(s->hot.cpu, p->cpu);
	cur = etw_word_read(&sc->rc.cur);
	p->provider = range(provider, sizeof(*provider));
	p->snapshot = range(snapshot, struct_size(snapshot, entries, snapshot->count));
	p->session = range(s, sizeof(*s));
	p->table = range(s->hot.ring.pool.table, s->capacity * sizeof(*s->hot.ring.pool.table));
	p->percpu = range(sc, sizeof(*sc));
	p->word = (unsigned long)&sc->rc.cur;
	if (ETW_CUR_INDEX(cur)) {
		buf = etw_pool_buf(&s->hot.ring.pool, ETW_CUR_INDEX(cur));
		p->control = range(etw_buffer_of(buf), sizeof(struct etw_buffer));
		p->data = range(buf->data, s->hot.ring.size);
		p->commit = (unsigned long)&buf->commit;
	}
	ret = 0;
out:
	rcu_read_unlock_sched();
	return ret;
}

int etw_test_peek_op(void *arg)
{
	struct etw_test_peek *p = arg;
	void *copy;
	int ret;

	if (!p->size || p->size > SZ_1M)
		return -EINVAL;
	copy = kvzalloc(p->size, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	ret = copy_from_kernel_nofault(copy, (void *)(unsigned long)p->start, p->size);
	if (!ret && copy_to_user(u64_to_user_ptr(p->to), copy, p->size))
		ret = -EFAULT;
	kvfree(copy);
	return ret;
}

/* Hold the lock of the caller's mappings, as a process does whose mmap() waits for something. */
int etw_test_hold_op(void *arg)
{
	mmap_write_lock(current->mm);
	while (!fatal_signal_pending(current))
		msleep_interruptible(10);
	mmap_write_unlock(current->mm);
	return -EINTR;
}
