/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * logfile.h - the log file of a session: its target, its file, its thread, its snapshots
 */
#ifndef ETW_LOGFILE_H
#define ETW_LOGFILE_H

#include <linux/completion.h>
#include <linux/errseq.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "session/consumer.h"
#include <etw/format.h>

/*
 * The target that a session is written to: a file, or a directory and a name.  One task
 * owns it at a time: the caller while it prepares the target, then the log thread.
 */
struct etw_logtarget {
	struct file *file;		/* NULL: not made yet, or that failed */
	struct file *dir;		/* NULL: none */
	const struct cred *cred;	/* of the caller that supplied it */
	u32 mode;			/* its bits of ETW_MODE_FILE */
	umode_t file_mode;
	u32 max_size;			/* as given */
	u64 limit;			/* bytes; 0: none */
	u64 expected;			/* bytes to reserve room for; 0: not known */
	u32 number, max_number;		/* of NEWFILE */
	u32 sync_ms;			/* 0: never */
	u32 name_len;
	char name[ETW_FILE_NAME_MAX];	/* with its %d */
	struct etw_time_zone zone;

	/* the open file */
	struct list_head node;		/* in open_files of target.c */
	struct etw_log_header header;	/* as written to the file */
	u64 at;				/* where the next buffer goes */
	u64 bytes;			/* the end of the last one */
	u64 events;			/* of the session in the file; see uncounted */
	bool uncounted;			/* it may have more events than these */
	u32 *slots;			/* CIRCULAR: what each buffer of the file has; or NULL */
	bool headless;			/* has no header, and nothing else */
	bool cut;			/* by another process, which renew() will find */
	bool provable;			/* the file can be read */
	u8 proof;			/* the byte at proof_at, see proof_set() */
	u64 proof_at;
	bool linked;			/* had a name when it was begun */
	errseq_t begun_error;		/* of write-back, before the file was begun */
	errseq_t seen_error;		/* ... found so far */
	int late_error;			/* earlier data was lost, or the file lost its name */
	bool doubted;			/* its first buffer says so, or could not be written */
	bool endless;			/* ... or had no room for that, so that there must be no end */
	s64 end[2];			/* of the file, by both clocks; see put_end() */
	u32 old_events_lost, old_buffers_lost;	/* APPEND: before this session */
	u64 old_buffers;		/* APPEND: in the file from before this session */
	u64 cut_buffers, cut_events;	/* another process cut them off; not accounted for yet */
	u32 head_used;			/* bytes of the first buffer */
	s64 head_time;			/* its header's timestamp, session clock */
	s64 first_time;			/* FILETIME of the first event; 0: none */
	struct etw_buffer_header last;	/* of the last buffer */
	u64 last_closed;
	struct etw_losses recorded;	/* in the file */
	u64 stand_ins;			/* buffers of the file that only record losses */
	struct etw_losses *missed;	/* not recorded in it yet; of whoever writes the file */
	u8 *block;			/* ETW_STAND_IN_ROOM bytes to build in, then as many of tail */
	u32 made_len;
	char made[ETW_FILE_NAME_MAX];	/* its name */
};

#define ETW_LOG_BATCH	16		/* buffers written together, at most */
#define ETW_LOG_UNCLOSED	(-1)	/* see etw_logtarget_record_former() */

enum etw_log_change {
	ETW_LOG_STAYS,
	ETW_LOG_PREPARES,	/* a caller prepares a change, which the thread will be asked for */
	ETW_LOG_NEXT_FILE,
	ETW_LOG_OTHER_FILE,
	ETW_LOG_END,
};

/* The answer to a caller that waits for a change; on the caller's stack, under log->lock. */
struct etw_log_ticket {
	bool answered;
	int answer;
};

struct etw_logfile {
	struct etw_consumer consumer;
	struct etw_losses missed;	/* in the thread's files, not recorded yet */
	u64 dropped;			/* buffers of the consumer's gaps that missed includes */
	struct etw_trace_session *session;	/* set when the thread starts */
	struct delayed_work sync_work;
	struct work_struct close_work;
	struct etw_logtarget *former;	/* of close_work, see sync.c: a file that is complete */
	bool running;			/* the thread was started; never for BUFFERING */
	struct completion ended;	/* the thread has ended */
	wait_queue_head_t wait;		/* for callers that wait for the thread */
	struct etw_logtarget *target;	/* the thread's, once it runs; else it never changes */

	struct mutex lock;		/* innermost */
	enum etw_log_change change;	/* requested */
	struct etw_logtarget *next;	/* OTHER_FILE: the file to continue in */
	u64 until;			/* END: when the buffers below this number are written */
	bool stopped;			/* no more changes */
	bool over;			/* the session has become a real-time one */
	struct etw_log_ticket *ticket;	/* for change; NULL: its owner gave up waiting */
	struct etw_log_ticket *making;	/* for the change being made; likewise */
	u64 done;			/* buffers below this number were written, or lost */
	struct file *file;		/* of the thread's target until that is closed, for syncs */
	errseq_t since;			/* its begun_error */
	bool named;			/* the name of that file was synced */
	u64 synced;			/* buffers below this number were synced */
	int sync_error;			/* of the present file */
	struct file *closing;		/* that of former until close_work has synced it; not held */
	int closing_error;		/* ... the error of another sync of it */
	u32 failures;			/* buffers not written, files found incomplete as they were closed */
	int failure;			/* the error of the last one */
	int write_error;		/* of the last buffer not written since the present file began */
	u32 reported;			/* failures that a FLUSH has returned */
	u32 sync_ms;
	u32 made_len;			/* name of the present file, or of the last one: */
	char made[ETW_FILE_NAME_MAX];
	struct etw_session_log status;	/* without the pointers to the caller's memory */
};

/* target.c; all sleep */
struct etw_logtarget *etw_logtarget_get(const struct etw_session_file *file, u32 mode);
struct etw_logtarget *etw_logtarget_copy(const struct etw_logtarget *old);
struct etw_logtarget *etw_logtarget_empty(void);
void etw_logtarget_hand_over(struct etw_logtarget *former, struct etw_logtarget *t,
			     struct file *file);
void etw_logtarget_put(struct etw_logtarget *t);
int etw_logtarget_check(const struct etw_logtarget *t);
const char *etw_logtarget_name(struct etw_logtarget *t);
void etw_logtarget_advance(struct etw_logtarget *t);
int etw_logtarget_claim(struct etw_logtarget *t);
void etw_logtarget_close(struct etw_logtarget *t);
void etw_logtarget_close_file(struct file *file);

/* losses.c; all sleep */
int etw_logtarget_put_losses(struct etw_logtarget *t, struct etw_trace_session *s);
void etw_logtarget_end_losses(struct etw_logtarget *t, struct etw_trace_session *s, bool fits);
bool etw_logtarget_misses(const struct etw_logtarget *t);
int etw_logtarget_add_to_head(struct etw_logtarget *t, const void *records, u32 len);
int etw_logtarget_record_doubt(struct etw_logtarget *t, struct etw_trace_session *s, int err);
int etw_logtarget_record_former(struct etw_logtarget *t, struct etw_trace_session *s, s64 missing);
void etw_logtarget_note(struct etw_logtarget *t, struct etw_trace_session *s,
			struct etw_buffer *const *list, u32 count);
void etw_logtarget_note_cut(struct etw_logtarget *t, struct etw_trace_session *s);
void etw_logtarget_count_anew(struct etw_logtarget *t, u32 size);
void etw_logtarget_come_round(struct etw_logtarget *t);

/* target_write.c; all sleep */
int etw_logtarget_write_at(struct etw_logtarget *t, const void *data, size_t len, u64 *at);
void etw_logtarget_append(struct etw_logtarget *t, const void *data, size_t len, u64 end);
int etw_logtarget_fits(const struct etw_logtarget *t, const struct etw_trace_session *s);
int etw_logtarget_begin(struct etw_logtarget *t, struct etw_trace_session *s);
int etw_logtarget_write(struct etw_logtarget *t, struct etw_trace_session *s,
			struct etw_buffer **list, u32 count);
int etw_logtarget_complete(struct etw_logtarget *t, struct etw_trace_session *s, u64 lost,
			   bool continued);
int etw_logtarget_sync(struct file *file, errseq_t since, bool name);
void etw_logtarget_doubt(struct etw_logtarget *t, struct etw_trace_session *s, int err);
int etw_logtarget_seal(struct etw_logtarget *t, struct etw_trace_session *s);
void etw_logtarget_abandon(struct etw_logtarget *t, struct etw_trace_session *s);

/* sync.c; all sleep */
void etw_logfile_failed(struct etw_logfile *log, int err);
void etw_logfile_sync_init(struct etw_logfile *log);
void etw_logfile_share(struct etw_logfile *log, const struct etw_logtarget *t);
int etw_logfile_close(struct etw_logfile *log, int err, bool stopping);
u32 etw_logfile_reported(struct etw_logfile *log);
int etw_logfile_sync(struct etw_trace_session *s, u32 reported);
void etw_logfile_settle(struct etw_logfile *log);
void etw_logfile_sync_end(struct etw_logfile *log);

/* writer_thread.c, snapshot.c; all sleep */
struct etw_logfile *etw_logfile_get(struct etw_logtarget *t);
void etw_logfile_put(struct etw_logfile *log);
void etw_logfile_report(struct etw_logfile *log, struct etw_trace_session *s,
			const struct etw_logtarget *t, int err);
int etw_logfile_start(struct etw_trace_session *s);
void etw_logfile_stop(struct etw_trace_session *s);
int etw_logfile_flush(struct etw_trace_session *s);
int etw_logfile_change(struct etw_trace_session *s, enum etw_log_change change,
		       struct etw_logtarget *next);
int etw_logfile_snapshot(struct etw_trace_session *s, struct etw_logtarget *t);
void etw_logfile_describe(struct etw_logfile *log, struct etw_session_log *status,
			  char name[ETW_FILE_NAME_MAX]);
void etw_logfile_losses(struct etw_trace_session *s, u64 *buffers, u64 *events);

#endif /* ETW_LOGFILE_H */
