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
 * log->lock protects the members; nothing is synced under it.  close_work and sync_work end
 * before the thread does, which holds the session until then.
 */
#include <linux/file.h>
#include <linux/fs.h>

#include "logfile.h"
#include "session/deliver.h"
#include "session/session.h"

/* A former file: sync and close it. */
static void log_close_work(struct work_struct *work)
{
	struct etw_logfile *log = container_of(work, struct etw_logfile, close_work);
	int err = etw_logtarget_sync(log->closing, log->closing_since, true);

	etw_logtarget_close_file(log->closing);
	log->closing = NULL;
	mutex_lock(&log->lock);
	log->close_error = log->close_error ?: err;
	if (err)
		log->status.former_error = -err;
	mutex_unlock(&log->lock);
}

/* Sync and close a file that another one replaces; err: what is wrong with it already. */
void etw_logfile_close_later(struct etw_logfile *log, struct file *file, errseq_t since, int err)
{
	flush_work(&log->close_work);
	log->closing = file;
	log->closing_since = since;
	mutex_lock(&log->lock);
	log->close_error = err;
	if (err)
		log->status.former_error = -err;
	mutex_unlock(&log->lock);
	queue_work(etw_wq, &log->close_work);
}

/* Returns the error of the file that was shared so far. */
static int log_replace_file(struct etw_logfile *log, struct file *file, errseq_t since,
			    u32 sync_ms)
{
	struct file *old;
	int err;

	mutex_lock(&log->lock);
	old = log->file;
	log->file = file ? get_file(file) : NULL;
	log->since = since;
	log->named = false;
	err = log->sync_error;
	log->sync_error = 0;
	WRITE_ONCE(log->sync_ms, file ? sync_ms : 0);
	mutex_unlock(&log->lock);
	if (old)
		etw_logtarget_close_file(old);
	if (file && sync_ms)
		mod_delayed_work(etw_wq, &log->sync_work, msecs_to_jiffies(sync_ms));
	return err;
}

/* The thread's target has begun its file, or tried to. */
void etw_logfile_share(struct etw_logfile *log, const struct etw_logtarget *t)
{
	log_replace_file(log, t->file, t->begun_error, t->sync_ms);
}

/* The thread's file ends.  Returns the error of its syncs so far. */
int etw_logfile_unshare(struct etw_logfile *log)
{
	return log_replace_file(log, NULL, 0, 0);
}

/* Sync the present file, if there is one.  An error stays as long as the file does. */
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
	mutex_lock(&log->lock);
	if (!err)
		log->synced = done;
	if (log->file == file) {
		log->named = named || !err;
		/* One failure makes the file incomplete, whatever later syncs do. */
		err = log->sync_error = log->sync_error ?: err;
		log->status.error = log->status.error ?: -err;
	}
	mutex_unlock(&log->lock);
	etw_logtarget_close_file(file);
	return err;
}

/* Sync the session's file, and the one before it if that is not done yet. */
int etw_logfile_sync(struct etw_trace_session *s)
{
	struct etw_logfile *log = s->log;
	int err = 0;

	if (flush_work(&log->close_work)) {
		mutex_lock(&log->lock);
		err = log->close_error;
		mutex_unlock(&log->lock);
	}
	return log_sync_present(log) ?: err;
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

/* The thread ends; its last file is closed. */
void etw_logfile_sync_end(struct etw_logfile *log)
{
	cancel_delayed_work_sync(&log->sync_work);
	flush_work(&log->close_work);
}
