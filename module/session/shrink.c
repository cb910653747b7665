// SPDX-License-Identifier: GPL-2.0-only
/*
 * shrink.c - free buffers are given back when the machine's memory is short
 *
 * A session that has grown keeps its buffers, in case it needs them again.  If the kernel
 * reclaims memory, those that are free go, down to min_buffers, as long as so many stay free
 * that the worker does not at once ask for more.  Nothing is lost: the reserve stays, buffers
 * that hold events are not touched, and a BUFFERING session keeps what its next snapshot
 * needs.  The pool grows again as it did before.
 *
 * Reclaim may run in any allocation, also in one under a lock of ours.  So the shrinker waits for
 * no lock, and it never frees a session.
 */
#include <linux/kref.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/shrinker.h>

#include "buffer.h"
#include "compat.h"
#include "deliver.h"
#include "epoch.h"
#include "session.h"
#include "shrink.h"

static struct shrinker *etw_shrinker;

/* Free buffers that the session can do without; without session->lock a guess. */
static u32 shrink_surplus(const struct etw_trace_session *s)
{
	u32 total = READ_ONCE(s->hot.fair.buffers), free = etw_buffers_available(s);
	u32 keep = etw_deliver_growth_mark(s);

	if (s->hot.buffering || READ_ONCE(s->state) != ETW_RUNNING ||
	    total <= s->min_buffers || free <= keep)
		return 0;
	return min(total - s->min_buffers, free - keep);
}

static unsigned long shrink_pages(const struct etw_trace_session *s)
{
	return s->hot.ring.size >> PAGE_SHIFT;
}

static unsigned long shrink_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct etw_trace_session *s;
	unsigned long pages = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(s, &etw_sessions, node)
		pages += shrink_surplus(s) * shrink_pages(s);
	rcu_read_unlock();
	return pages ?: SHRINK_EMPTY;
}

/* Give back at least that many pages of the session, or all that it can.  Returns how many. */
static unsigned long shrink_session_locked(struct etw_trace_session *s, unsigned long pages)
{
	u32 n = shrink_surplus(s), index, left;
	u32 keep = etw_fair_reserve(&s->hot.fair) + etw_deliver_growth_mark(s);
	struct etw_pool *pool = &s->hot.ring.pool;
	struct etw_buffer *b, *tmp;
	unsigned long freed = 0;
	LIST_HEAD(mapped);

	lockdep_assert_held(&s->lock);
	for (; n && freed < pages; n--) {
		index = etw_pool_pop_above(pool, 0, keep, &left);
		if (!index)
			break;
		b = etw_buffer_of(etw_pool_buf(pool, index));
		if (b->mapped) {
			list_add(&b->node, &mapped);
			continue;
		}
		etw_buffer_empty(s, b);
		freed += shrink_pages(s);
	}
	list_for_each_entry_safe(b, tmp, &mapped, node) {
		list_del_init(&b->node);
		etw_pool_push(pool, b->buf.index);
	}
	return freed;
}

/* References to the sessions that can give back memory. */
static u32 shrink_candidates(struct etw_trace_session *list[ETW_SESSIONS_MAX])
{
	struct etw_trace_session *s;
	u32 n = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(s, &etw_sessions, node)
		if (n < ETW_SESSIONS_MAX && shrink_surplus(s) && kref_get_unless_zero(&s->ref))
			list[n++] = s;
	rcu_read_unlock();
	return n;
}

static unsigned long shrink_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct etw_trace_session *list[ETW_SESSIONS_MAX];
	u32 i, n = shrink_candidates(list);
	unsigned long freed = 0;

	for (i = 0; i < n; i++) {
		if (freed < sc->nr_to_scan && mutex_trylock(&list[i]->lock)) {
			freed += shrink_session_locked(list[i], sc->nr_to_scan - freed);
			mutex_unlock(&list[i]->lock);
		}
		etw_session_put_later(list[i]);
	}
	sc->nr_scanned = max(freed, sc->nr_to_scan);
	return freed ?: SHRINK_STOP;
}

int __init etw_shrink_init(void)
{
	etw_shrinker = etw_shrinker_register(shrink_count, shrink_scan);
	return etw_shrinker ? 0 : -ENOMEM;
}

void etw_shrink_exit(void)
{
	etw_shrinker_unregister(etw_shrinker);
}
