// SPDX-License-Identifier: GPL-2.0-only
/*
 * target_write.c - a session's log file: begin it, add buffers, end it
 *
 * All operations use the credentials of the caller that supplied the file, and are
 * charged to the session's cgroup.
 */
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/falloc.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uio.h>

#include "core/loghead.h"
#include "alloc.h"
#include "compat.h"
#include "logfile.h"
#include "session/buffer.h"

#define BOOT_SLACK	(60 * 10000000LL)	/* allowed difference of boot times, 100 ns */

/* The thread's own credentials and cgroup, saved during an operation on a target's file. */
struct persona {
	const struct cred *cred;
	struct mem_cgroup *memcg;
};

static void persona_take(struct persona *old, const struct etw_logtarget *t,
			 struct etw_trace_session *s)
{
	old->cred = override_creds(t->cred);
	old->memcg = set_active_memcg(s->memcg);
}

static void persona_drop(const struct persona *old)
{
	set_active_memcg(old->memcg);
	revert_creds(old->cred);
}

/* ------------------------------------------------------------------- beginning */

static int make_file(struct etw_logtarget *t, const char *base)
{
	char name[NAME_MAX + 1];
	int flags = O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_LARGEFILE;
	u32 len = t->made + t->made_len - base;
	struct file *file;

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, base, len);
	name[len] = '\0';
	/* To read what proves that the file is whole; a file that may only be written will do. */
	file = file_open_root(&t->dir->f_path, name, flags | O_RDWR, t->file_mode);
	if (file == ERR_PTR(-EACCES))
		file = file_open_root(&t->dir->f_path, name, flags | O_WRONLY, t->file_mode);
	if (IS_ERR(file))
		return PTR_ERR(file);
	t->file = file;
	return etw_logtarget_check(t);
}

/*
 * A file that another process shortens, and that is then written to behind its end, has its
 * size again, and a hole.  The last byte of the last buffer that is not 0 proves that there is
 * none before: a hole behind that byte would lose nothing.
 */
static void proof_set(struct etw_logtarget *t, const u8 *data, size_t len, u64 at)
{
	while (len > 1 && !data[len - 1])
		len--;
	t->proof_at = at + len - 1;
	t->proof = data[len - 1];
}

/* data was written over other data: the proof may have changed. */
static void proof_update(struct etw_logtarget *t, const u8 *data, size_t len, u64 at)
{
	if (t->proof_at >= at && t->proof_at - at < len)
		t->proof = data[t->proof_at - at];
}

static loff_t file_size(const struct etw_logtarget *t)
{
	/* Others may change it meanwhile: every size that it had is a right answer. */
	return data_race(i_size_read(file_inode(t->file)));
}

/* After a failed write-back a file may lack data that nobody cut off; late_error reports that. */
static bool write_back_failed(const struct etw_logtarget *t)
{
	return t->late_error || errseq_check(&t->file->f_mapping->wb_err, t->seen_error);
}

/*
 * Does the file lack what was written?  Its size must tell if it cannot be read.  A hole reads
 * as 0; any other byte was written by somebody, and what surrounds it can be read.
 */
static bool file_is_cut(struct etw_logtarget *t)
{
	loff_t pos = t->proof_at;
	u8 byte = 0;
	ssize_t n;

	if (file_size(t) < t->bytes)
		return true;
	if (!t->provable || write_back_failed(t))
		return false;
	n = kernel_read(t->file, &byte, 1, &pos);
	if (n < 0) {
		/* Others pass: the next look may find what this one missed. */
		t->provable = n != -EBADF && n != -EINVAL && n != -EACCES && n != -EPERM;
		return false;
	}
	/* The page may have been dropped since the first check. */
	if ((n && byte == t->proof) || write_back_failed(t))
		return false;
	/* A remote file system may answer "end of file" for data that it has not flushed. */
	return (n && !byte) || file_size(t) <= t->proof_at;
}

/*
 * A buffer that ends at `end`, and whose last len bytes are data, was written where the next
 * one goes.  If the file was cut before, the buffer only filled it up behind a hole.
 */
void etw_logtarget_append(struct etw_logtarget *t, const void *data, size_t len, u64 end)
{
	t->cut = t->cut || file_is_cut(t);
	proof_set(t, data, len, end - len);
	t->at = end;
	t->bytes = max(t->bytes, end);
}

/* Write all of data at *at, and set *at to the end of what was written. */
int etw_logtarget_write_at(struct etw_logtarget *t, const void *data, size_t len, u64 *at)
{
	const void *all = data;
	loff_t pos = *at;
	ssize_t n = 1;

	for (; len && n > 0; data += n, len -= n) {
		n = kernel_write(t->file, data, len, &pos);
		if (n <= 0)
			break;
	}
	if (!len)
		proof_update(t, all, pos - *at, *at);
	*at = pos;
	return n > 0 ? 0 : n ?: -ENOSPC;
}

/*
 * As truncate(2) by whoever opened the file: the VFS asks security modules, and refuses files
 * that are immutable or append-only by now, and files that the opener may no longer write.
 * ftruncate(2) would not look at the latter, but the VFS does not export what it does.
 */
static int set_size(struct etw_logtarget *t, u64 size)
{
	const struct cred *old = override_creds(t->file->f_cred);
	int err = vfs_truncate(&t->file->f_path, size);

	revert_creds(old);
	return err;
}

static int write_header(struct etw_logtarget *t)
{
	u64 at = ETW_LOG_HEADER_AT;

	return etw_logtarget_write_at(t, &t->header, sizeof(t->header), &at);
}

/*
 * The file's end, in its header by the wall clock, and in the first buffer's own header by both
 * clocks: the wall clock may have been set since the session began.
 */
static int write_end(struct etw_logtarget *t)
{
	u64 at = offsetof(struct etw_buffer_header, ref_time);

	t->header.end_time = t->endless ? 0 : t->end[0];
	return etw_logtarget_write_at(t, t->end, sizeof(t->end), &at) ?: write_header(t);
}

/*
 * The end of a circular file follows when the disk has the rest: after a power cut that left the
 * end but not the newest buffers, older ones in their places would look whole.
 */
static int put_end(struct etw_logtarget *t, struct etw_trace_session *s)
{
	preempt_disable();
	t->end[0] = etw_clock_wall();
	t->end[1] = etw_clock_read(s->hot.clock);
	preempt_enable();
	return t->mode & ETW_MODE_CIRCULAR ? write_header(t) : write_end(t);
}

static void fill_header(struct etw_logtarget *t, struct etw_trace_session *s)
{
	struct etw_log_header *h = &t->header;
	u64 now = ktime_get_real_ns(), up = ktime_get_boottime_ns();

	memset(h, 0, sizeof(*h));
	h->buffer_size = s->hot.ring.size;
	/* Windows 10, file layout 1.5 */
	h->version[0] = 10;
	h->version[2] = 1;
	h->version[3] = 5;
	/* Above the highest number; a CPU added later is counted when it writes. */
	h->processors = cpumask_last(cpu_present_mask) + 1;
	h->timer_resolution = TICK_NSEC / 100;
	h->max_file_size = t->max_size;
	h->mode = s->hot.mode;
	h->start_buffers = 1;
	h->pointer_size = 8;
	/* For readers that convert CPU cycles into time. */
	if (etw_clock_is_tsc(s->hot.clock))
		h->cpu_mhz = div_u64(s->clock_freq, 1000000);
	h->zone = t->zone;
	h->boot_time = div_u64(now - up, 100) + ETW_UNIX_EPOCH_100NS;
	h->frequency = s->clock_freq;
	h->start_time = s->start.wall;
	h->clock = s->clock_type;
	h->buffers_written = 1;
}

static int write_head(struct etw_logtarget *t, struct etw_trace_session *s)
{
	struct etw_log_head head = {
		.start_clock = s->start.clock,
		.thread_id = task_pid_nr(current),
		.process_id = task_tgid_nr(current),
		.logger_id = s->hot.logger_id,
		.logger = s->name,
		.logger_len = s->name_len,
		.file = t->made,
		.file_len = t->made_len,
	};
	u8 *buffer;
	int err;

	buffer = kvmalloc(s->hot.ring.size, ETW_GFP);
	if (!buffer)
		return -ENOMEM;
	t->doubted = false;
	t->endless = false;
	t->end[0] = 0;
	fill_header(t, s);
	head.header = t->header;
	t->head_used = etw_log_head_build(buffer, &head);
	t->head_time = head.start_clock;
	err = etw_logtarget_write_at(t, buffer, s->hot.ring.size, &t->bytes);
	proof_set(t, buffer, s->hot.ring.size, 0);
	kvfree(buffer);
	t->at = s->hot.ring.size;
	return err;
}

/* Read the rest of the header buffer that is needed.  It gets no more records if it is odd. */
static void read_head_rest(struct etw_logtarget *t, u32 size)
{
	struct {
		struct etw_buffer_header top;
		struct etw_system_header record;
	} head;
	loff_t pos = 0;

	t->head_used = size;
	if (kernel_read(t->file, &head, sizeof(head), &pos) != sizeof(head))
		return;
	t->head_time = head.record.timestamp;
	if (head.top.offset >= ETW_LOG_HEAD_MIN && head.top.offset < size &&
	    IS_ALIGNED(head.top.offset, (u32)ETW_RECORD_ALIGN))
		t->head_used = head.top.offset;
}

/*
 * The file to append to has this size and the header that was read.  If nobody closed it, or it
 * has not the size that its header tells, only a record will say so once it is closed again.
 * Without room for that in its first buffer it gets no end.
 */
static int record_former(struct etw_logtarget *t, struct etw_trace_session *s, u64 size)
{
	u64 promised = (u64)t->header.buffers_written * s->hot.ring.size;
	s64 missing = ETW_LOG_UNCLOSED;
	int err;

	if (t->header.end_time && size == promised)
		return 0;
	if (t->header.end_time && size < promised)
		missing = div_u64(promised - t->at, s->hot.ring.size);
	err = etw_logtarget_record_former(t, s, missing);
	if (missing > 0)
		t->old_buffers_lost = min_t(u64, t->old_buffers_lost + missing, U32_MAX);
	t->endless = err == -ENOSPC;
	return t->endless ? 0 : err;
}

/* Read the header of a log to append to.  -EINVAL: it does not match the session. */
static int read_head(struct etw_logtarget *t, struct etw_trace_session *s, u64 size)
{
	struct etw_log_header *h = &t->header, own;
	loff_t pos = ETW_LOG_HEADER_AT;
	s64 apart;
	int err;

	fill_header(t, s);
	own = *h;
	if (size < s->hot.ring.size || kernel_read(t->file, h, sizeof(*h), &pos) != sizeof(*h))
		return -EINVAL;
	apart = h->boot_time - own.boot_time;
	if (h->buffer_size != own.buffer_size || h->clock != own.clock ||
	    h->frequency != own.frequency || h->pointer_size != 8 || h->mode & ETW_MODE_CIRCULAR)
		return -EINVAL;
	if (h->clock != ETW_CLOCK_SYSTEM && (apart > BOOT_SLACK || apart < -BOOT_SLACK))
		return -EINVAL;
	read_head_rest(t, s->hot.ring.size);
	/* A power cut during a stop may have left the end, but also space that was not used. */
	if (h->end_time && h->mode & ETW_MODE_PREALLOCATE)
		size = clamp((u64)h->buffers_written * s->hot.ring.size, (u64)s->hot.ring.size, size);
	t->at = rounddown(size, (u64)s->hot.ring.size);
	t->bytes = t->at;
	t->old_buffers = div_u64(t->bytes, s->hot.ring.size) - 1;
	proof_set(t, (const u8 *)h, sizeof(*h), ETW_LOG_HEADER_AT);
	t->old_events_lost = h->events_lost;
	t->old_buffers_lost = h->buffers_lost;
	err = record_former(t, s, size);
	if (err)
		return err;
	/* The file has no end until it is closed again. */
	h->end_time = 0;
	h->mode |= ETW_MODE_APPEND;
	h->processors = max(h->processors, own.processors);
	return write_header(t);
}

/* Allocate the whole size: blocks if the file system supports that, else a hole. */
static int preallocate(struct etw_logtarget *t)
{
	int err = vfs_fallocate(t->file, 0, 0, t->limit);

	if (err != -EOPNOTSUPP)
		return err;
	return set_size(t, t->limit);
}

/* Reserve blocks for this many bytes if the file system supports that. */
static int file_reserve(struct etw_logtarget *t, u64 bytes)
{
	int err = vfs_fallocate(t->file, FALLOC_FL_KEEP_SIZE, 0, bytes);

	return err == -EOPNOTSUPP ? 0 : err;
}

static int file_begin(struct etw_logtarget *t, struct etw_trace_session *s)
{
	const char *base = etw_logtarget_name(t);
	loff_t size;
	int err = 0;

	if (!t->file)
		err = make_file(t, base);
	if (!err)
		err = etw_logtarget_claim(t);
	if (err)
		return err;
	t->late_error = 0;
	t->doubted = false;
	t->endless = false;
	t->begun_error = filemap_sample_wb_err(t->file->f_mapping);
	t->seen_error = t->begun_error;
	t->bytes = 0;
	etw_logtarget_count_anew(t, s->hot.ring.size);
	t->headless = false;
	t->cut = false;
	t->provable = (t->file->f_mode & FMODE_READ) && (t->file->f_mode & FMODE_CAN_READ);
	t->first_time = 0;
	memset(&t->recorded, 0, sizeof(t->recorded));
	t->linked = file_inode(t->file)->i_nlink;
	size = file_size(t);
	if (t->mode & ETW_MODE_APPEND && size)
		return read_head(t, s, size);
	/* This order preserves the old content if nothing can be written. */
	if (t->expected)
		err = file_reserve(t, t->expected);
	if (!err)
		err = write_head(t, s);
	if (!err && size > t->bytes)
		err = set_size(t, t->bytes);
	if (!err && t->mode & ETW_MODE_PREALLOCATE)
		err = preallocate(t);
	/* Remove a partial header, and a header in front of old content. */
	if (err && (t->bytes || !size))
		set_size(t, 0);
	else if (err && t->expected)
		set_size(t, size);	/* frees the blocks reserved after the old end */
	return err;
}

/* -EINVAL: the limit allows less than a header and two buffers, the least for a circle. */
int etw_logtarget_fits(const struct etw_logtarget *t, const struct etw_trace_session *s)
{
	return t->limit && t->limit < 3ULL * s->hot.ring.size ? -EINVAL : 0;
}

/* Open and begin the file.  A target with a directory may be retried after an error. */
int etw_logtarget_begin(struct etw_logtarget *t, struct etw_trace_session *s)
{
	struct persona old;
	int err;

	persona_take(&old, t, s);
	err = file_begin(t, s);
	persona_drop(&old);
	if (err)
		etw_logtarget_close(t);
	/* ENOSPC means too many sessions or buffers. */
	return err == -ENOSPC ? -EDQUOT : err;
}

/* --------------------------------------------------------------------- writing */

/* Return how many of count buffers fit after the last one. */
static u32 file_room(const struct etw_logtarget *t, u32 size, u32 count)
{
	if (!t->limit)
		return count;
	/* A file that is appended to may exceed the limit already. */
	return t->at < t->limit ? min_t(u64, count, (t->limit - t->at) / size) : 0;
}

/*
 * Begin the file again if another process has shortened it: what is left of it cannot be
 * continued, because the reader would find a gap.
 */
static int renew(struct etw_logtarget *t, struct etw_trace_session *s)
{
	int err;

	if (!t->headless) {
		if (!t->cut && !file_is_cut(t))
			return 0;
		etw_logtarget_note_cut(t, s);
		t->bytes = 0;
		t->headless = true;
		t->cut = false;
	}
	err = set_size(t, 0) ?: write_head(t, s);
	if (!err && t->mode & ETW_MODE_PREALLOCATE)
		err = preallocate(t);
	t->headless = err;
	if (err)
		t->bytes = 0;
	return err;
}

/*
 * Write buffers together: for small ones each call costs more than the copy, and nobody can cut
 * the file between them.  Returns how many are whole in the file, or the error of the first one.
 */
static int write_together(struct etw_logtarget *t, u32 size, struct etw_buffer **list, u32 count)
{
	struct kvec pieces[ETW_LOG_BATCH];
	struct iov_iter from;
	struct kiocb kiocb;
	u64 at = t->at;
	ssize_t bytes;
	u32 i;

	count = min_t(u32, count, ETW_LOG_BATCH);
	for (i = 0; i < count; i++)
		pieces[i] = (struct kvec){ list[i]->buf.data, size };
	iov_iter_kvec(&from, ITER_SOURCE, pieces, count, (size_t)count * size);
	init_sync_kiocb(&kiocb, t->file);
	kiocb.ki_pos = at;
	bytes = etw_iocb_iter_write(t->file, &kiocb, &from);
	if (bytes < 0)
		return bytes;
	/* Without room for a whole one, a second try tells the error. */
	return bytes >= size ? bytes / size :
		etw_logtarget_write_at(t, list[0]->buf.data, size, &at) ?: 1;
}

/* As write_together(); notes what was written, and whether the file was cut before. */
static int write_run(struct etw_logtarget *t, struct etw_trace_session *s,
		     struct etw_buffer **list, u32 count)
{
	u32 size = s->hot.ring.size, i;
	int n = write_together(t, size, list, count);

	if (n <= 0)
		return n;
	for (i = 0; i < n; i++)
		proof_update(t, list[i]->buf.data, size, t->at + i * (u64)size);
	etw_logtarget_note(t, s, list, n);
	etw_logtarget_append(t, list[n - 1]->buf.data, size, t->at + n * (u64)size);
	return n;
}

/*
 * An error of data that was written before: the buffers that it concerns are not known.
 * The cursor is our own, so that others who have the file open find the error too.
 */
static int find_late_error(struct etw_logtarget *t)
{
	int err = errseq_check_and_advance(&t->file->f_mapping->wb_err, &t->seen_error);

	if (err)
		t->late_error = err;
	else if (t->linked && !file_inode(t->file)->i_nlink)
		t->late_error = -ENOENT;
	return err;
}

/*
 * A file system that an error, or an administrator, made read-only beneath open files may
 * still take data, which then never reach the disk.
 */
static int check_writable(const struct file *file)
{
	return sb_rdonly(file_inode(file)->i_sb) ? -EROFS : 0;
}

/* Let the next buffer have a place; -EFBIG: max_size leaves none. */
static int make_room(struct etw_logtarget *t, u32 size)
{
	if (file_room(t, size, 1))
		return 0;
	if (!(t->mode & ETW_MODE_CIRCULAR))
		return -EFBIG;
	t->at = size;
	etw_logtarget_come_round(t);
	return 0;
}

/*
 * Record what is missing before the next buffer.  The last buffer that fits in a file is for
 * events: its losses are recorded at its end, or in the next file.
 */
static int record_losses(struct etw_logtarget *t, struct etw_trace_session *s)
{
	u32 size = s->hot.ring.size;

	if (!etw_logtarget_misses(t))
		return 0;
	if (!(t->mode & ETW_MODE_CIRCULAR) && file_room(t, size, 2) < 2)
		return t->mode & ETW_MODE_NEWFILE ? -EFBIG : 0;
	return make_room(t, size) ?: etw_logtarget_put_losses(t, s);
}

/*
 * Write some of these buffers.  Returns how many, or the error of the first one.
 * -EFBIG: max_size leaves no room; depending on the mode the buffer is lost or the next
 * file begins.
 */
int etw_logtarget_write(struct etw_logtarget *t, struct etw_trace_session *s,
			struct etw_buffer **list, u32 count)
{
	u32 size = s->hot.ring.size;
	struct persona old;
	int n;

	persona_take(&old, t, s);
	n = check_writable(t->file) ?: renew(t, s);
	if (!n)
		n = record_losses(t, s);
	if (!n)
		n = make_room(t, size);
	if (!n)
		n = write_run(t, s, list, file_room(t, size, count));
	persona_drop(&old);
	if (n > 0)
		find_late_error(t);
	return n;
}

/*
 * Write the file's entry in its directory to the disk, which not every file system does when it
 * writes a new file.  No path is resolved for that.  A directory that cannot be opened or synced
 * is no error: a security module may keep us from it, or the file system has no such thing.  An
 * error of the disk is one.
 */
static int sync_name(struct file *file)
{
	struct path dir = {
		.mnt = file->f_path.mnt,
		.dentry = dget_parent(file->f_path.dentry),
	};
	struct file *opened = dentry_open(&dir, O_RDONLY | O_DIRECTORY | O_LARGEFILE, file->f_cred);
	int err = 0;

	dput(dir.dentry);
	if (IS_ERR(opened))
		return 0;
	if (opened->f_op->fsync)
		err = vfs_fsync(opened, 0);
	etw_logtarget_close_file(opened);
	return err == -EIO || err == -ENOSPC || err == -EDQUOT || err == -EROFS ? err : 0;
}

/*
 * Write the file to its disk, and its name if that may be new.  Write-back errors after since are
 * returned even if another fsync(2) of the same open file has found them, and stay visible to that.
 */
int etw_logtarget_sync(struct file *file, errseq_t since, bool name)
{
	errseq_t seen = READ_ONCE(file->f_wb_err);
	int err;

	if (!file->f_op->fsync)
		return 0;
	err = vfs_fsync(file, 0);
	if (!err) {
		err = errseq_check(&file->f_mapping->wb_err, since) ?: check_writable(file);
		return !err && name ? sync_name(file) : err;
	}
	spin_lock(&file->f_lock);
	file->f_wb_err = seen;
	spin_unlock(&file->f_lock);
	return err;
}

/*
 * The disk lost data that it had taken, and no reader could tell: say so in the first buffer.
 * Without room there, the file gets no end.  The disk may take neither.
 */
static void file_doubt(struct etw_logtarget *t, struct etw_trace_session *s, int err)
{
	if (t->doubted)
		return;
	t->doubted = true;
	if (!etw_logtarget_record_doubt(t, s, err))
		return;
	t->endless = true;
	t->header.end_time = 0;
	write_header(t);
}

/* Does the file still have the header that was written last? */
static bool has_header(const struct etw_logtarget *t)
{
	struct etw_log_header h;
	loff_t pos = ETW_LOG_HEADER_AT;

	return t->file->f_mode & FMODE_READ && kernel_read(t->file, &h, sizeof(h), &pos) == sizeof(h) &&
	       !memcmp(&h, &t->header, sizeof(h));
}

/*
 * Data of the file was lost by this -errno: say so in it, and sync that.  If the file was closed
 * since, others may have changed it: then it is not this one any more.
 */
void etw_logtarget_doubt(struct etw_logtarget *t, struct etw_trace_session *s, int err)
{
	bool closed = list_empty(&t->node);
	struct persona old;

	if (t->doubted || (closed && etw_logtarget_claim(t)))
		return;
	persona_take(&old, t, s);
	if (!closed || has_header(t))
		file_doubt(t, s, err);
	persona_drop(&old);
	etw_logtarget_sync(t->file, t->begun_error, false);
}

/*
 * The disk has all of the file but its end, if that is still to be written: do so, and sync it.
 * A file that another process has changed meanwhile stays without one.
 */
int etw_logtarget_seal(struct etw_logtarget *t, struct etw_trace_session *s)
{
	struct persona old;
	int err = 0;

	if (!t->end[0] || t->header.end_time || t->endless || t->headless)
		return 0;
	persona_take(&old, t, s);
	if (!(t->file->f_mode & FMODE_READ) || has_header(t))
		err = write_end(t);
	persona_drop(&old);
	return err ?: etw_logtarget_sync(t->file, t->begun_error, false);
}

static int put_last(struct etw_logtarget *t, struct etw_trace_session *s, u64 buffers)
{
	struct etw_log_header *h = &t->header;
	u64 lost = etw_session_lost(s);
	int err, more = 0;

	err = renew(t, s);
	if (err)
		return err;
	etw_logtarget_end_losses(t, s, !t->limit || file_room(t, s->hot.ring.size, 1));
	if (t->late_error && t->late_error != -ENOENT)
		file_doubt(t, s, t->late_error);
	buffers += t->cut_buffers;
	h->buffers_written = div_u64(t->bytes, s->hot.ring.size);
	h->events_lost = min_t(u64, lost + t->old_events_lost, U32_MAX);
	h->buffers_lost = min_t(u64, buffers + t->old_buffers_lost, U32_MAX);
	err = put_end(t, s);
	/* Cut off unused preallocated space, or a partial buffer. */
	if (file_size(t) > t->bytes)
		more = set_size(t, t->bytes);
	return err ?: more;
}

#define FINISH_TRIES	10	/* somebody may go on cutting */

static int file_finish(struct etw_logtarget *t, struct etw_trace_session *s, u64 buffers)
{
	int late = find_late_error(t), later, err, tries = 0;
	bool cut;

	do {
		err = put_last(t, s, buffers);
		cut = !err && (t->cut || file_is_cut(t));
	} while (cut && ++tries < FINISH_TRIES);
	later = find_late_error(t);
	if (later)
		file_doubt(t, s, later);
	return err ?: cut ? -EIO : late ?: later;
}

/*
 * Complete the file if it is open, and leave it open.  lost: buffers missing in it;
 * continued: the session goes on, so what it has not delivered yet will not be in the file.
 * After an error, which is also in late_error, the file may be incomplete.
 */
int etw_logtarget_complete(struct etw_logtarget *t, struct etw_trace_session *s, u64 lost,
			   bool continued)
{
	struct persona old;
	int err;

	if (!t->file)
		return 0;
	/* A file that is appended to stays continued if one of its sessions was. */
	if (continued)
		t->header.continued = ETW_LOG_CONTINUED;
	persona_take(&old, t, s);
	err = file_finish(t, s, lost);
	persona_drop(&old);
	if (err)
		t->late_error = err;
	return err;
}

/* Give up a file that was begun, and empty it, or at least let it not seem complete. */
void etw_logtarget_abandon(struct etw_logtarget *t, struct etw_trace_session *s)
{
	struct persona old;

	if (!t->file)
		return;
	persona_take(&old, t, s);
	if (set_size(t, 0))
		file_doubt(t, s, -EIO);
	persona_drop(&old);
	t->bytes = 0;
	etw_logtarget_close(t);
}
