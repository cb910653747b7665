// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot.c - snapshots of BUFFERING sessions in files
 *
 * A flush of such a session hands over what its ring holds; here that goes into a file,
 * written by whoever asks for it.  He is a consumer while it lasts: what nobody took
 * before is in the file, too.  It counts as taken only when the file is complete, so
 * after an error all of it waits for the next reader, or file.
 *
 * Locking.  session->lock for the consumer; it is not held while anything is written.
 * The target is the caller's own.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include "alloc.h"
#include "logfile.h"
#include "session/deliver.h"

struct snapshot {
	struct etw_consumer consumer;
	struct etw_buffer **list;	/* held */
	u32 count;
	u64 lost;			/* before that: what is dropped while it is held is there */
};

/* Hold all that waits; more may come while there is no room for it yet. */
static int hold(struct etw_trace_session *s, struct snapshot *snap)
{
	u32 room = 0;

	for (;;) {
		mutex_lock(&s->lock);
		snap->count = etw_consumer_hold(&snap->consumer, snap->list, room);
		snap->lost = snap->consumer.info.buffers_lost;
		mutex_unlock(&s->lock);
		if (snap->count <= room)
			return 0;
		kvfree(snap->list);
		room = snap->count;
		snap->list = kvmalloc_array(room, sizeof(*snap->list), ETW_GFP);
		if (!snap->list) {
			snap->count = 0;
			return -ENOMEM;
		}
	}
}

static int write_all(struct etw_trace_session *s, struct snapshot *snap,
		     struct etw_logtarget *t)
{
	int n, err;
	u32 i;

	t->expected = (snap->count + 1ULL) * s->hot.ring.size;
	err = etw_logtarget_begin(t, s);
	for (i = 0; !err && i < snap->count; i += max(n, 0)) {
		n = etw_logtarget_write(t, s, snap->list + i,
					min_t(u32, snap->count - i, ETW_LOG_BATCH));
		err = min(n, 0);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	if (!err)
		err = etw_logtarget_complete(t, s, snap->lost);
	if (err)
		etw_logtarget_abandon(t, s);
	else
		etw_logtarget_close(t);
	return err;
}

/* What became of it, where somebody may ask. */
static void account(struct etw_trace_session *s, const struct snapshot *snap,
		    const struct etw_logtarget *t, int err)
{
	struct etw_logfile *log = s->log;

	if (!log)
		return;
	etw_logfile_tell(log, s, t, err);
	if (err)
		return;
	mutex_lock(&log->lock);
	log->status.buffers_written += snap->count;
	mutex_unlock(&log->lock);
}

/*
 * Flush the session into a file, which is the caller's no more.  After an error nothing
 * is taken from the session; of a file that was begun nothing is left.
 */
int etw_logfile_snapshot(struct etw_trace_session *s, struct etw_logtarget *t)
{
	struct snapshot snap = { .consumer.info.pid = task_tgid_nr(current) };
	int err;

	err = etw_consumer_attach(s, &snap.consumer);
	if (err)
		goto out_put;
	err = etw_deliver_flush(s);
	if (!err)
		err = hold(s, &snap);
	if (!err) {
		err = write_all(s, &snap, t);
		account(s, &snap, t, err);
		/* ENOSPC is for consumers. */
		if (err == -ENOSPC)
			err = -EDQUOT;
	}
	mutex_lock(&s->lock);
	etw_consumer_release(&snap.consumer, snap.list, snap.count, !err);
	etw_consumer_detach_locked(&snap.consumer);
	mutex_unlock(&s->lock);
	kvfree(snap.list);
out_put:
	etw_logtarget_put(t);
	return err;
}
