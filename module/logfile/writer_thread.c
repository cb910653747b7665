// SPDX-License-Identifier: GPL-2.0-only
/*
 * writer_thread.c - the thread that writes a session's log file, by target_write.c
 *
 * The thread is a consumer of the session like any other: if the disk is slow it loses
 * its own backlog, and neither writers nor other consumers lose anything.
 *
 * Locking: log->target belongs to the thread while it runs.  log->lock protects requests
 * to the thread and its answers; session->lock may be taken before it, and neither is
 * held during writes.  A caller that changes the file first reserves log->change, so that
 * no file is begun that the thread does not take; then it prepares the new one, puts it into
 * log->next and waits, with a ticket for the answer, until the thread has taken it.  A thread
 * that ends refuses reservations, and waits for the one that it has given.
 *
 * The thread holds a reference on the session and on the module.  It ends when the
 * session has stopped and everything is written, or when the session has become a
 * real-time one.
 *
 * The log of a BUFFERING session has no thread, see snapshot.c.
 */
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "alloc.h"
#include "logfile.h"
#include "session/ledger.h"
#include "session/session.h"

#define LOG_PIECE	(1U << 20)	/* bytes to write together */

/* Make a log, which then owns the target; NULL: no memory, and the target is not owned. */
struct etw_logfile *etw_logfile_get(struct etw_logtarget *t)
{
	struct etw_logfile *log = kzalloc(sizeof(*log), ETW_GFP);

	if (!log)
		return NULL;
	log->former = etw_logtarget_empty();
	if (!log->former) {
		kfree(log);
		return NULL;
	}
	init_completion(&log->ended);
	init_waitqueue_head(&log->wait);
	mutex_init(&log->lock);
	etw_logfile_sync_init(log);
	log->target = t;
	t->missed = &log->missed;
	log->consumer.lost_as = ETW_LOSS_FILE_SLOW;
	log->made_len = t->name_len;
	memcpy(log->made, t->name, t->name_len);
	return log;
}

/* Free a log whose thread does not run.  Takes NULL. */
void etw_logfile_put(struct etw_logfile *log)
{
	if (!log)
		return;
	etw_logtarget_put(log->target);
	etw_logtarget_put(log->next);
	etw_logtarget_put(log->former);
	mutex_destroy(&log->lock);
	kfree(log);
}

/* Return the losses of the files: buffers that could not be written or were dropped. */
void etw_logfile_losses(struct etw_trace_session *s, u64 *buffers, u64 *events)
{
	struct etw_logfile *log = s->log;

	mutex_lock(&s->lock);
	*buffers = log->consumer.info.buffers_lost;
	*events = log->consumer.info.events_lost;
	mutex_unlock(&s->lock);
	mutex_lock(&log->lock);
	*buffers += log->status.buffers_lost;
	*events += log->status.events_lost;
	mutex_unlock(&log->lock);
}

/* Report the state of the file; err: of the last operation. */
void etw_logfile_report(struct etw_logfile *log, struct etw_trace_session *s,
		      const struct etw_logtarget *t, int err)
{
	mutex_lock(&log->lock);
	log->status.error = err && err != -EFBIG ? -err : -(t->late_error ?: log->sync_error);
	log->status.full = err == -EFBIG;
	log->status.max_size = t->max_size;
	log->status.number = t->mode & ETW_MODE_NEWFILE ? t->number : 0;
	log->status.bytes = t->bytes;
	log->status.buffers = div_u64(t->bytes, s->hot.ring.size);
	if (t->made_len) {
		log->made_len = t->made_len;
		memcpy(log->made, t->made, t->made_len);
	}
	mutex_unlock(&log->lock);
}

/* Account for what another process cut off the file. */
static void log_account_cut(struct etw_logfile *log)
{
	struct etw_logtarget *t = log->target;

	if (likely(!t->cut_buffers && !t->cut_events))
		return;
	mutex_lock(&log->lock);
	log->status.buffers_lost += t->cut_buffers;
	log->status.events_lost += t->cut_events;
	mutex_unlock(&log->lock);
	t->cut_buffers = 0;
	t->cut_events = 0;
}

/* -------------------------------------------------------------------- writing */

/* Add to log->missed what the queue has dropped since the thread took from it last. */
static void log_take_gap(struct etw_logfile *log)
{
	lockdep_assert_held(&log->consumer.session->lock);
	etw_losses_move(&log->missed, &log->consumer.gap);
	log->dropped = log->consumer.info.buffers_lost;
}

/* The file ends, but not the session: an error by which it lacks a buffer is a former file's. */
static void log_pass_error(struct etw_logfile *log)
{
	mutex_lock(&log->lock);
	if (log->write_error)
		log->status.former_error = -log->write_error;
	log->write_error = 0;
	mutex_unlock(&log->lock);
}

/* Complete and close the file; a stopping session waits for its disk. */
static int log_end_file(struct etw_logfile *log, struct etw_trace_session *s, bool stopping)
{
	u64 buffers;
	int err;

	mutex_lock(&log->lock);
	buffers = log->dropped + log->status.buffers_lost;
	/* A sync found that, and not the thread. */
	if (log->sync_error)
		log->target->late_error = log->sync_error;
	mutex_unlock(&log->lock);
	err = etw_logtarget_complete(log->target, s, buffers, !stopping);
	log_account_cut(log);
	if (!stopping)
		log_pass_error(log);
	return etw_logfile_close(log, err, stopping);
}

static int log_next_file(struct etw_logfile *log, struct etw_trace_session *s)
{
	int err;

	if (log->target->file) {
		log_end_file(log, s, false);
		etw_logtarget_advance(log->target);
	}
	err = etw_logtarget_begin(log->target, s);
	etw_logfile_share(log, log->target);
	return err;
}

/* Write some buffers, to the next file if necessary.  Returns their number or an error. */
static int log_write_some(struct etw_logfile *log, struct etw_trace_session *s,
		      struct etw_buffer **list, u32 count)
{
	int n = 0;

	if (!log->target->file)
		n = log_next_file(log, s);
	if (!n)
		n = etw_logtarget_write(log->target, s, list, count);
	if (n == -EFBIG && log->target->mode & ETW_MODE_NEWFILE) {
		n = log_next_file(log, s);
		if (!n)
			n = etw_logtarget_write(log->target, s, list, count);
	}
	return n;
}

/* Account for n written buffers; n < 0: the error of the first one, which is lost. */
static void log_account(struct etw_logfile *log, struct etw_trace_session *s,
		    struct etw_buffer **list, int n)
{
	etw_logfile_report(log, s, log->target, min(n, 0));
	log_account_cut(log);
	if (n < 0)
		etw_ledger_miss(s, &log->missed, list[0], etw_loss_of_file_error(n));
	mutex_lock(&log->lock);
	if (n < 0) {
		log->status.buffers_lost++;
		log->status.events_lost += list[0]->events;
		if (n != -EFBIG) {
			etw_logfile_failed(log, n);
			log->write_error = n;
		}
	} else {
		log->status.buffers_written += n;
	}
	mutex_unlock(&log->lock);
}

/* Give these buffers back to the writers, then wake those who flush, who may need them. */
static void log_return(struct etw_logfile *log, struct etw_trace_session *s,
		       struct etw_buffer **list, u32 count)
{
	u64 done = list[count - 1]->sequence + 1;

	mutex_lock(&s->lock);
	etw_consumer_give_some(&log->consumer, list, count);
	mutex_unlock(&s->lock);
	mutex_lock(&log->lock);
	log->done = done;
	mutex_unlock(&log->lock);
	wake_up_all(&log->wait);
}

/* Write all buffers, and return them; those that fail are lost. */
static void log_write(struct etw_logfile *log, struct etw_trace_session *s,
			  struct etw_buffer **list, u32 count)
{
	u32 i;
	int n;

	for (i = 0; i < count; i += max(n, 1)) {
		n = log_write_some(log, s, list + i, count - i);
		log_account(log, s, list + i, n);
		log_return(log, s, list + i, max(n, 1));
		cond_resched();
	}
}

/* May the thread find a change that is requested?  A hint, without the lock. */
static bool change_requested(const struct etw_logfile *log)
{
	return READ_ONCE(log->change) > ETW_LOG_PREPARES;
}

/* Return the requested change if it is due, else ETW_LOG_STAYS. */
static enum etw_log_change change_due(struct etw_logfile *log, struct etw_logtarget **next)
{
	enum etw_log_change change;

	mutex_lock(&log->lock);
	change = log->change;
	if (change == ETW_LOG_PREPARES ||
	    (change == ETW_LOG_END && log->done < log->until && !log->stopped))
		change = ETW_LOG_STAYS;
	if (change != ETW_LOG_STAYS) {
		*next = log->next;
		log->next = NULL;
		log->making = log->ticket;
		log->ticket = NULL;
		WRITE_ONCE(log->change, ETW_LOG_STAYS);
		/* No change follows an end; if the end fails, the session is stopping. */
		if (change == ETW_LOG_END)
			log->stopped = true;
	}
	mutex_unlock(&log->lock);
	return change;
}

/*
 * Let the session continue without a file.  Waiting buffers go to its readers, or to the
 * first reader that attaches.
 */
static int log_end(struct etw_logfile *log, struct etw_trace_session *s)
{
	mutex_lock(&s->lock);
	if (s->state != ETW_RUNNING) {
		mutex_unlock(&s->lock);
		return -ESHUTDOWN;
	}
	log_take_gap(log);
	etw_consumer_detach_locked(&log->consumer);
	WRITE_ONCE(s->hot.mode, (s->hot.mode & ~ETW_MODE_FILE) | ETW_MODE_REAL_TIME);
	if (!s->flush_ms)
		etw_session_set_flush_locked(s, ETW_FLUSH_MS_DEFAULT);
	mutex_unlock(&s->lock);
	mutex_lock(&log->lock);
	WRITE_ONCE(log->over, true);
	mutex_unlock(&log->lock);
	wake_up_all(&log->wait);
	log_end_file(log, s, false);
	return 0;
}

/* Nothing is written any more: release the file and its directory. */
static void log_leave(struct etw_logfile *log)
{
	etw_logtarget_put(log->target);
	log->target = NULL;
}

/* Make the requested change, if any.  True: the session continues without a file. */
static bool log_change(struct etw_logfile *log, struct etw_trace_session *s)
{
	enum etw_log_change change;
	struct etw_logtarget *next;
	bool over = false;
	int err = 0;

	/* A request that this misses is found before the thread waits. */
	if (likely(!change_requested(log)))
		return false;
	change = change_due(log, &next);
	if (change != ETW_LOG_STAYS) {
		/* The thread has taken no buffer that it has not written. */
		mutex_lock(&s->lock);
		log_take_gap(log);
		mutex_unlock(&s->lock);
	}
	switch (change) {
	case ETW_LOG_STAYS:
	case ETW_LOG_PREPARES:
		return false;
	case ETW_LOG_NEXT_FILE:
		err = log_next_file(log, s);
		break;
	case ETW_LOG_OTHER_FILE:
		log_end_file(log, s, false);
		etw_logtarget_put(log->target);
		log->target = next;
		next->missed = &log->missed;
		etw_logfile_share(log, next);
		break;
	case ETW_LOG_END:
		err = log_end(log, s);
		over = !err;
		break;
	}
	etw_logfile_report(log, s, log->target, err);
	if (over)
		log_leave(log);
	mutex_lock(&log->lock);
	if (log->making) {
		log->making->answer = err;
		WRITE_ONCE(log->making->answered, true);
		log->making = NULL;
	}
	mutex_unlock(&log->lock);
	wake_up_all(&log->wait);
	return over;
}

/* A hint; the thread looks again under the locks. */
static bool log_has_work(struct etw_logfile *log, struct etw_trace_session *s)
{
	return READ_ONCE(log->consumer.cursor) || change_requested(log) ||
	       READ_ONCE(s->state) == ETW_STOPPED;
}

/*
 * Take some waiting buffers: enough for an efficient write, but at most an eighth of all
 * buffers, so that event writers keep most of them.  Returns their number.  -EAGAIN:
 * there is none yet; -ENODATA: none will come.
 */
static int log_take(struct etw_logfile *log, struct etw_trace_session *s,
		struct etw_buffer *list[ETW_LOG_BATCH])
{
	u32 room = clamp(LOG_PIECE / s->hot.ring.size, 1U, (u32)ETW_LOG_BATCH), n;
	int err = 0;

	mutex_lock(&s->lock);
	log_take_gap(log);
	n = etw_consumer_take_some(&log->consumer, list, clamp(s->total / 8, 1U, room));
	if (!n) {
		err = s->state == ETW_STOPPED ? -ENODATA : -EAGAIN;
		/* Everything delivered was written, lost or dropped. */
		mutex_lock(&log->lock);
		log->done = s->next_sequence;
		mutex_unlock(&log->lock);
	}
	mutex_unlock(&s->lock);
	if (err)
		wake_up_all(&log->wait);
	return err ?: (int)n;
}

/* The session has stopped, and everything is written. */
static void log_finish(struct etw_logfile *log, struct etw_trace_session *s)
{
	int err;

	mutex_lock(&log->lock);
	log->stopped = true;
	mutex_unlock(&log->lock);
	/* Whoever prepares a change has begun a file for it. */
	wait_event_freezable(log->wait, READ_ONCE(log->change) != ETW_LOG_PREPARES);
	log_change(log, s);
	mutex_lock(&s->lock);
	log_take_gap(log);
	mutex_unlock(&s->lock);
	err = log_end_file(log, s, true);
	if (err)
		etw_logfile_report(log, s, log->target, err);
	/* The status keeps the error by which the file lacks a buffer. */
	mutex_lock(&log->lock);
	log->status.error = log->status.error ?: -log->write_error;
	mutex_unlock(&log->lock);
	etw_consumer_detach(&log->consumer);
}

static int log_thread(void *data)
{
	struct etw_trace_session *s = data;
	struct etw_buffer *list[ETW_LOG_BATCH];
	struct etw_logfile *log = s->log;
	int n;

	set_freezable();
	mutex_lock(&s->lock);
	etw_consumer_runs(&log->consumer);
	mutex_unlock(&s->lock);
	while (!log_change(log, s)) {
		try_to_freeze();
		n = log_take(log, s, list);
		if (n == -ENODATA) {
			log_finish(log, s);
			break;
		}
		if (n < 0) {
			wait_event_freezable(s->wait, log_has_work(log, s));
			continue;
		}
		log_write(log, s, list, n);
	}
	etw_logfile_sync_end(log);
	log_leave(log);
	complete_all(&log->ended);
	wake_up_all(&log->wait);
	etw_session_put(s);
	module_put_and_kthread_exit(0);
}

/* ---------------------------------------------------------------- controlling */

/*
 * Begin to write s->log; the session has just been started.  After an error the log has
 * no thread, and the caller stops the session.  The file is begun last, when nothing else
 * can fail.
 */
int etw_logfile_start(struct etw_trace_session *s)
{
	struct etw_logfile *log = s->log;
	struct task_struct *task;
	int err;

	err = etw_logtarget_fits(log->target, s);
	if (!err)
		err = etw_consumer_attach(s, &log->consumer);
	if (err)
		return err;
	task = kthread_create(log_thread, s, "etw/%u", s->hot.logger_id);
	if (IS_ERR(task)) {
		err = PTR_ERR(task);
		goto err_detach;
	}
	if (!(log->target->mode & ETW_MODE_DELAY_OPEN))
		err = etw_logtarget_begin(log->target, s);
	if (err)
		goto err_task;
	etw_logfile_report(log, s, log->target, 0);
	log->session = s;
	etw_logfile_share(log, log->target);
	etw_session_hold(s);
	__module_get(THIS_MODULE);
	mutex_lock(&log->lock);
	log->running = true;
	mutex_unlock(&log->lock);
	wake_up_process(task);
	return 0;

err_task:
	kthread_stop(task);	/* before its first step */
err_detach:
	etw_consumer_detach(&log->consumer);
	return err;
}

/* The session has stopped: wait until everything is written, or for a fatal signal. */
void etw_logfile_stop(struct etw_trace_session *s)
{
	if (s->log && READ_ONCE(s->log->running))
		wait_for_completion_killable(&s->log->ended);
}

/*
 * Wait until everything delivered so far was written or lost, or the session continues
 * without a file.  -EINTR: a fatal signal came first.
 */
int etw_logfile_flush(struct etw_trace_session *s)
{
	struct etw_logfile *log = s->log;
	u64 sequence;

	if (!READ_ONCE(log->running))
		return 0;
	mutex_lock(&s->lock);
	sequence = s->next_sequence;
	mutex_unlock(&s->lock);
	return wait_event_killable(log->wait, READ_ONCE(log->done) >= sequence ||
				   READ_ONCE(log->over) || completion_done(&log->ended)) ?
	       -EINTR : 0;
}

/* Reserve the next change, which log_request() or log_cancel() has to follow. */
static int log_reserve(struct etw_logfile *log)
{
	int err = 0;

	mutex_lock(&log->lock);
	if (log->over)
		err = -EINVAL;
	else if (log->stopped || !log->running)
		err = -ESHUTDOWN;
	else if (log->change != ETW_LOG_STAYS)
		err = -EBUSY;
	else
		WRITE_ONCE(log->change, ETW_LOG_PREPARES);
	mutex_unlock(&log->lock);
	return err;
}

/* The change that was reserved will not be requested. */
static void log_cancel(struct etw_logfile *log)
{
	mutex_lock(&log->lock);
	WRITE_ONCE(log->change, ETW_LOG_STAYS);
	mutex_unlock(&log->lock);
	wake_up_all(&log->wait);
}

/* Request the change that was reserved from the thread. */
static void log_request(struct etw_logfile *log, enum etw_log_change change,
			struct etw_logtarget *next, u64 until, struct etw_log_ticket *ticket)
{
	mutex_lock(&log->lock);
	WRITE_ONCE(log->change, change);
	log->next = next;
	log->until = until;
	log->ticket = ticket;
	mutex_unlock(&log->lock);
	wake_up_all(&log->wait);
}

/* Wait for the answer; -EINTR: a fatal signal came first. */
static int log_wait(struct etw_logfile *log, struct etw_log_ticket *ticket)
{
	int err = wait_event_killable(log->wait, READ_ONCE(ticket->answered) ||
				      completion_done(&log->ended));

	mutex_lock(&log->lock);
	if (log->ticket == ticket)
		log->ticket = NULL;
	if (log->making == ticket)
		log->making = NULL;
	mutex_unlock(&log->lock);
	return err && !ticket->answered ? -EINTR : ticket->answer;
}

/*
 * Continue in another file, next, which the caller no longer owns even after an error; in
 * the next file of NEWFILE; or without a file: the session becomes a real-time one when
 * everything delivered is written.
 * -EINVAL: it already has; -ESHUTDOWN: the session stops, or is becoming a real-time
 * one; -EBUSY: another change is not made yet.  After these no file is changed.  -EINTR: a
 * fatal signal came, and the change will still be made.
 */
int etw_logfile_change(struct etw_trace_session *s, enum etw_log_change change,
		       struct etw_logtarget *next)
{
	struct etw_log_ticket ticket = { .answer = -ESHUTDOWN };
	u64 until;
	int err;

	err = next ? etw_logtarget_fits(next, s) : 0;
	err = err ?: log_reserve(s->log);
	if (err)
		goto err_put;
	if (next && !(next->mode & ETW_MODE_DELAY_OPEN))
		err = etw_logtarget_begin(next, s);
	if (err)
		goto err_cancel;
	mutex_lock(&s->lock);
	until = s->next_sequence;
	mutex_unlock(&s->lock);
	log_request(s->log, change, next, until, &ticket);
	wake_up_interruptible_all(&s->wait);
	err = log_wait(s->log, &ticket);
	if (!err)
		etw_logfile_settle(s->log);
	return err;

err_cancel:
	log_cancel(s->log);
err_put:
	etw_logtarget_put(next);
	return err;
}

/* Fill in the members marked "out" except the losses, and the file's name. */
void etw_logfile_describe(struct etw_logfile *log, struct etw_session_log *status,
			  char name[ETW_FILE_NAME_MAX])
{
	mutex_lock(&log->lock);
	*status = log->status;
	status->sync_ms = log->sync_ms;
	status->name_len = log->made_len;
	memcpy(name, log->made, log->made_len);
	mutex_unlock(&log->lock);
}
