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

#include "alloc.h"
#include "logfile.h"
#include "session/deliver.h"

struct snapshot {
	struct etw_consumer consumer;
	struct etw_buffer **list;	/* held */
	u32 count;
	u64 lost;			/* before list was held; buffers lost later are in it */
};

/* Hold all waiting buffers; more may arrive while memory is allocated for list. */
static int snapshot_hold(struct etw_trace_session *s, struct snapshot *snap)
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

static int snapshot_write(struct etw_trace_session *s, struct snapshot *snap,
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
		err = etw_logtarget_complete(t, s, snap->lost) ?: etw_logtarget_sync(t->file);
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
 * Flush the session into a file.  Consumes the caller's reference to the target.  After an
 * error no buffer was taken from the session, and a file that was begun is empty.
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
		err = snapshot_hold(s, &snap);
	if (!err) {
		err = snapshot_write(s, &snap, t);
		snapshot_account(s, &snap, t, err);
		/* ENOSPC means too many consumers. */
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
