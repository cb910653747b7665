// SPDX-License-Identifier: GPL-2.0-only
/*
 * sync.c - bring a log file to its disk
 *
 * A sync can take long, so the log thread does not sync while the session runs: a flush
 * syncs in the task that requested it, the periodic sync and that of a file which another
 * one has replaced run on etw_wq.  They share the thread's file through log->file, which
 * has a reference of its own.  The thread waits for one sync only: if it ends a file while
 * the file before that is not synced yet, so that one file at most waits for its disk.
 *
 * A file that ends stays in log->file until it is complete, and then moves to close_work, or is
 * synced by a thread that stops.  If that fails, the file is made to say so: it may have its end
 * already, and else would seem complete as long as its pages are cached, and later if the lost
 * ones are within payloads.  A circular file gets its end only then, see put_end(), and whoever
 * has it replaced waits for that.
 *
 * So a flush finds every file of the session that is not on its disk: it syncs log->file, then
 * waits for close_work.  What failed meanwhile, or before, is counted in log->failures, as are
 * buffers that could not be written; log->reported says how many of these flushes have returned.
 * A flush remembers the latter when it begins: of several at once, each returns the error.
 *
 * log->lock protects the members, but log->former belongs to close_work while that is queued, and
 * else to the thread; nothing is synced under the lock.  close_work and sync_work end before the
 * thread does, which holds the session until then.
 */
#include <linux/file.h>
#include <linux/fs.h>

#include "logfile.h"
#include "session/deliver.h"
#include "session/session.h"

/* A buffer could not be written, or a file that the session no longer writes is incomplete. */
void etw_logfile_failed(struct etw_logfile *log, int err)
{
	lockdep_assert_held(&log->lock);
	log->failures++;
	log->failure = err;
}

/* ... because another one has replaced it. */
static void log_former_failed(struct etw_logfile *log, int err)
{
	etw_logfile_failed(log, err);
	log->status.former_error = -err;
}

/* Sync a file that is complete, and then let it have its end, unless a sync has failed before. */
static int log_sync_complete(struct etw_logfile *log, struct etw_logtarget *t, struct file *file,
			     const int *before)
{
	int err = etw_logtarget_sync(file, t->begun_error, true);
	bool failed;

	mutex_lock(&log->lock);
	failed = err || *before;
	mutex_unlock(&log->lock);
	return failed ? err : etw_logtarget_seal(t, log->session);
}

/* A former file: sync and close it. */
static void log_close_work(struct work_struct *work)
{
	struct etw_logfile *log = container_of(work, struct etw_logfile, close_work);
	struct etw_logtarget *former = log->former;
	int err = log_sync_complete(log, former, former->file, &log->closing_error), lost;

	mutex_lock(&log->lock);
	lost = err ?: log->closing_error;
	log->closing = NULL;
	mutex_unlock(&log->lock);
	if (lost)
		etw_logtarget_doubt(former, log->session, lost);
	etw_logtarget_close(former);
	if (!err)
		return;
	mutex_lock(&log->lock);
	log_former_failed(log, err);
	mutex_unlock(&log->lock);
}

/* Another file replaces the shared one: have it synced and closed.  err as below. */
static int log_close_later(struct etw_logfile *log, int err)
{
	flush_work(&log->close_work);
	/* Only this thread changes log->file, whose reference this takes. */
	etw_logtarget_hand_over(log->former, log->target, log->file);
	mutex_lock(&log->lock);
	err = err ?: log->sync_error;
	if (err)
		log_former_failed(log, err);
	log->closing = log->file;
	log->closing_error = log->sync_error;
	log->file = NULL;
	log->sync_error = 0;
	queue_work(etw_wq, &log->close_work);
	mutex_unlock(&log->lock);
	return err;
}

/* The session stops: sync and close its last file.  err as below. */
static int log_close_last(struct etw_logfile *log, int err)
{
	/* Only this thread changes log->file. */
	struct file *file = log->file;
	int lost = log_sync_complete(log, log->target, file, &log->sync_error);

	mutex_lock(&log->lock);
	lost = log->sync_error ?: lost;
	err = err ?: lost;
	if (err)
		etw_logfile_failed(log, err);
	log->file = NULL;
	mutex_unlock(&log->lock);
	if (lost)
		etw_logtarget_doubt(log->target, log->session, lost);
	etw_logtarget_close(log->target);
	etw_logtarget_close_file(file);
	return err;
}

/* The thread's target has begun its file, or tried to; the file before is closed. */
void etw_logfile_share(struct etw_logfile *log, const struct etw_logtarget *t)
{
	u32 sync_ms = t->file ? t->sync_ms : 0;

	mutex_lock(&log->lock);
	log->file = t->file ? get_file(t->file) : NULL;
	log->since = t->begun_error;
	log->named = false;
	log->sync_error = 0;
	WRITE_ONCE(log->sync_ms, sync_ms);
	mutex_unlock(&log->lock);
	if (sync_ms)
		mod_delayed_work(etw_wq, &log->sync_work, msecs_to_jiffies(sync_ms));
}

/*
 * The file of log->target, if there is one, is complete: close it, at once if the session stops.
 * err: what is wrong with it already.  Returns the error of the file so far: one that could not
 * be synced once is incomplete, whatever later syncs do.
 */
int etw_logfile_close(struct etw_logfile *log, int err, bool stopping)
{
	WRITE_ONCE(log->sync_ms, 0);
	if (!log->file)
		return err;
	return stopping ? log_close_last(log, err) : log_close_later(log, err);
}

/* Some file systems do not go on syncing for a task that is killed, which says nothing of the file. */
static bool was_killed(int err)
{
	return (err == -EINTR || err == -ERESTARTSYS) && fatal_signal_pending(current);
}

/* Sync the shared file, if there is one.  An error stays as long as the file does. */
static int log_sync_present(struct etw_logfile *log)
{
	struct file *file;
	errseq_t since;
	bool named;
	u64 done;
	int err;

	mutex_lock(&log->lock);
	file = log->file ? get_file(log->file) : NULL;
	since = log->since;
	done = log->done;
	named = log->named;
	mutex_unlock(&log->lock);
	if (!file)
		return 0;
	err = etw_logtarget_sync(file, since, !named);
	if (was_killed(err))
		goto out;
	mutex_lock(&log->lock);
	if (!err)
		log->synced = done;
	if (log->file == file) {
		log->named = named || !err;
		/* One failure makes the file incomplete, whatever later syncs do. */
		err = log->sync_error = log->sync_error ?: err;
		log->status.error = log->status.error ?: -err;
	} else if (err) {
		if (log->closing == file)
			log->closing_error = log->closing_error ?: err;
		log_former_failed(log, err);
	}
	mutex_unlock(&log->lock);
out:
	etw_logtarget_close_file(file);
	return err;
}

/* A flush begins: returns what it gives to etw_logfile_sync(). */
u32 etw_logfile_reported(struct etw_logfile *log)
{
	u32 reported;

	mutex_lock(&log->lock);
	reported = log->reported;
	mutex_unlock(&log->lock);
	return reported;
}

/* FLUSH has other meanings for most errors of a file system: -EIO stands for them. */
static int failure_to_tell(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EROFS ? err : -EIO;
}

/*
 * Sync the session's file, then wait for the one before it: a file that is replaced meanwhile
 * moves from one to the other.  Returns also what failed and was not reported before the flush.
 */
int etw_logfile_sync(struct etw_trace_session *s, u32 reported)
{
	struct etw_logfile *log = s->log;
	int err = log_sync_present(log);

	flush_work(&log->close_work);
	mutex_lock(&log->lock);
	if (log->failures != reported)
		err = err ?: failure_to_tell(log->failure);
	log->reported = log->failures;
	mutex_unlock(&log->lock);
	return err;
}

static void log_sync_work(struct work_struct *work)
{
	struct etw_logfile *log = container_of(to_delayed_work(work), struct etw_logfile,
					       sync_work);
	struct etw_trace_session *s = log->session;
	u32 ms;

	if (!etw_deliver_flush(s, false) && !etw_logfile_flush(s) &&
	    READ_ONCE(log->done) != READ_ONCE(log->synced))
		log_sync_present(log);
	ms = READ_ONCE(log->sync_ms);
	if (ms)
		queue_delayed_work(etw_wq, &log->sync_work, msecs_to_jiffies(ms));
}

void etw_logfile_sync_init(struct etw_logfile *log)
{
	INIT_DELAYED_WORK(&log->sync_work, log_sync_work);
	INIT_WORK(&log->close_work, log_close_work);
}

/* Another file has replaced the session's: a circular one has its end only after this. */
void etw_logfile_settle(struct etw_logfile *log)
{
	/* Of another file that has been replaced meanwhile, waiting does no harm. */
	if (data_race(READ_ONCE(log->former->mode)) & ETW_MODE_CIRCULAR)
		flush_work(&log->close_work);
}

/* The thread ends; its last file is closed. */
void etw_logfile_sync_end(struct etw_logfile *log)
{
	cancel_delayed_work_sync(&log->sync_work);
	flush_work(&log->close_work);
}
