// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot.c - write snapshots of BUFFERING sessions to files
 *
 * A flush of such a session delivers the contents of its ring, and the task that requested
 * the flush writes them to a file.  The task is a consumer meanwhile, so the file also
 * gets buffers that no consumer has taken before.  They count as taken only when the file
 * is complete: after an error they all wait for the next reader, or file.
 *
 * session->lock protects the consumer; it is not held during writes.  The target belongs
 * to the caller.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "alloc.h"
#include "logfile.h"
#include "session/deliver.h"

struct snapshot {
	struct etw_consumer consumer;
	struct etw_buffer **list;	/* held */
	u32 count;
	u64 lost;			/* before list was held; buffers lost later are in it */
	struct etw_losses missed;	/* ... with these */
	struct etw_losses unrecorded;	/* by the file so far */
};

/* Hold all waiting buffers; more may arrive while memory is allocated for list. */
static int snapshot_hold(struct etw_trace_session *s, struct snapshot *snap)
{
	u32 room = 0;

	for (;;) {
		mutex_lock(&s->lock);
		snap->count = etw_consumer_hold(&snap->consumer, snap->list, room);
		snap->lost = snap->consumer.info.buffers_lost;
		etw_losses_move(&snap->missed, &snap->consumer.gap);
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

static int snapshot_write(struct etw_trace_session *s, struct snapshot *snap,
		     struct etw_logtarget *t)
{
	int n, err;
	u32 i;

	/* With the header and a buffer that records lost ones. */
	t->expected = (snap->count + 1ULL + snap->missed.missing) * s->hot.ring.size;
	snap->unrecorded = snap->missed;
	t->missed = &snap->unrecorded;
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
		err = etw_logtarget_complete(t, s, snap->lost, true) ?:
		      etw_logtarget_sync(t->file, t->begun_error, true) ?:
		      etw_logtarget_seal(t, s);
	if (err)
		etw_logtarget_abandon(t, s);
	else
		etw_logtarget_close(t);
	return err;
}

/* Record the outcome in the session's log, if it has one. */
static void snapshot_account(struct etw_trace_session *s, const struct snapshot *snap,
		    const struct etw_logtarget *t, int err)
{
	struct etw_logfile *log = s->log;

	if (!log)
		return;
	etw_logfile_report(log, s, t, err);
	if (err)
		return;
	mutex_lock(&log->lock);
	log->status.buffers_written += snap->count;
	mutex_unlock(&log->lock);
}

/*
 * The consumer leaves.  If the file is complete, it has what was dropped after it was held;
 * if not, what the file would have recorded is still to be recorded.
 */
static void snapshot_leave(struct etw_trace_session *s, struct snapshot *snap, int err)
{
	struct etw_consumer *c = &snap->consumer;

	mutex_lock(&s->lock);
	if (err) {
		etw_losses_move(&snap->missed, &c->gap);
		c->gap = snap->missed;
	} else if (snap->count && c->gap.missing &&
		   c->gap.last.sequence <= snap->list[snap->count - 1]->sequence) {
		memset(&c->gap, 0, sizeof(c->gap));
	}
	etw_consumer_release(c, snap->list, snap->count, !err);
	etw_consumer_detach_locked(c);
	mutex_unlock(&s->lock);
	kvfree(snap->list);
}

/*
 * Flush the session into a file.  Consumes the caller's reference to the target.  After an
 * error no buffer was taken from the session, and a file that was begun is empty.
 */
int etw_logfile_snapshot(struct etw_trace_session *s, struct etw_logtarget *t)
{
	struct snapshot *snap = kzalloc(sizeof(*snap), ETW_GFP);
	int err = -ENOMEM;

	if (!snap)
		goto out_put;
	snap->consumer.info.pid = task_tgid_nr(current);
	snap->consumer.lost_as = ETW_LOSS_UNREAD;
	err = etw_consumer_attach(s, &snap->consumer);
	if (err)
		goto out_free;
	err = etw_deliver_flush(s, true);
	if (!err)
		err = snapshot_hold(s, snap);
	if (!err) {
		err = snapshot_write(s, snap, t);
		snapshot_account(s, snap, t, err);
		/* ENOSPC means too many consumers. */
		if (err == -ENOSPC)
			err = -EDQUOT;
	}
	snapshot_leave(s, snap, err);
out_free:
	kfree(snap);
out_put:
	etw_logtarget_put(t);
	return err;
}
