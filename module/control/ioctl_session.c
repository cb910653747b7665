// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_session.c - the commands on sessions, and opening a consumer
 *
 * Each needs a right on the session, see etw/abi_access.h; so do the commands
 * that only look, since what is traced is the operator's business.
 */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "alloc.h"
#include "ioctl.h"
#include "ioctl_file.h"
#include "provider/provider.h"
#include "session/session.h"

/* A copy of the name if one is given; NULL and length 0 mean "by handle". */
static int name_or_handle(u64 ptr, u32 len, char **name)
{
	*name = NULL;
	return len ? etw_ioctl_name_in(ptr, len, name) : 0;
}

/* The running session, with a reference, if the caller has these rights on it. */
static struct etw_trace_session *session_get(u64 handle, const char *name, u32 name_len,
					     u32 rights)
{
	struct etw_trace_session *s;

	mutex_lock(&etw_control);
	s = etw_access_session(handle, name, name_len, rights);
	if (!IS_ERR(s))
		etw_session_hold(s);
	mutex_unlock(&etw_control);
	return s;
}

/*
 * The session named by an argument struct, with a reference; room for its name
 * at out, if any, can be written.  name and out may be the same buffer.
 */
static struct etw_trace_session *lookup(u64 handle, u64 name_ptr, u32 name_len,
					u64 out, u32 cap, u32 rights)
{
	struct etw_trace_session *s;
	char *name;
	int err;

	err = name_or_handle(name_ptr, name_len, &name);
	if (err)
		return ERR_PTR(err);
	err = etw_ioctl_name_room(out, cap);
	s = err ? ERR_PTR(err) : session_get(handle, name, name_len, rights);
	kfree(name);
	return s;
}

/* As lookup(), for a command whose outcome is told through describe(). */
static struct etw_trace_session *lookup_for(const struct etw_session *a, u32 rights)
{
	int err;

	if (a->flags)
		return ERR_PTR(-EINVAL);
	err = etw_ioctl_log_room(a->log);
	if (err)
		return ERR_PTR(err);
	return lookup(a->handle, a->name, a->name_len, a->name_out, a->name_cap, rights);
}

/* Fill the members marked out. */
static int describe(struct etw_trace_session *s, struct etw_session *a)
{
	u64 lost = etw_session_dropped(s, NULL);
	int err;

	mutex_lock(&s->lock);
	a->handle = s->handle;
	a->mode = s->mode;
	a->guid = s->guid;
	a->buffer_kb = s->ring.size / 1024;
	a->min_buffers = s->min_buffers;
	a->max_buffers = s->max_buffers;
	a->flush_ms = s->buffering ? 0 : s->flush_ms;
	a->clock = s->clock_type;
	a->logger_id = s->logger_id;
	a->buffers = s->total;
	a->free_buffers = etw_pool_free(&s->ring.pool);
	a->buffers_written = min_t(u64, s->buffers_delivered, U32_MAX);
	a->events_lost = min_t(u64, lost, U32_MAX);
	a->rt_buffers_lost = min_t(u64, s->rt_buffers_lost, U32_MAX);
	a->worker_id = 0;
	a->clock_freq = s->clock_freq;
	a->start_clock = s->start.clock;
	a->start_mono = s->start.mono;
	a->start_wall = s->start.wall;
	a->sync_clock = s->sync.clock;
	a->sync_mono = s->sync.mono;
	a->sync_wall = s->sync.wall;
	mutex_unlock(&s->lock);
	a->name_out_len = s->name_len;
	err = etw_ioctl_name_out(a->name_out, a->name_cap, s->name, s->name_len);
	return err ?: etw_ioctl_log_out(s, a->log);
}

/* Stop a session by handle if it still runs. */
static int stop_handle(u64 handle)
{
	struct etw_trace_session *s;

	mutex_lock(&etw_control);
	s = etw_session_find(handle, NULL, 0);
	if (!s) {
		mutex_unlock(&etw_control);
		return -ENOENT;
	}
	etw_session_stop(s);
	return 0;
}

/* What starting a session of that kind takes. */
static u32 start_rights(const struct etw_session *a)
{
	u32 rights = a->file ? ETW_RIGHT_CREATE_ONDISK : 0;

	if (!a->file || a->mode & ETW_MODE_REAL_TIME)
		rights |= ETW_RIGHT_CREATE_REALTIME;
	return rights;
}

/* The log of a session that is to have one; NULL: it has none. */
static struct etw_logfile *log_get(const struct etw_session *a)
{
	struct etw_session_file file;
	struct etw_logtarget *target;
	struct etw_logfile *log;
	int err;

	if (!a->file)
		return NULL;
	err = etw_ioctl_file_in(a->file, &file);
	if (err)
		return ERR_PTR(err);
	target = etw_logtarget_get(&file, a->mode);
	if (IS_ERR(target))
		return ERR_CAST(target);
	/* Each snapshot is a file that is made again. */
	err = a->mode & ETW_MODE_BUFFERING && !target->dir ? -EINVAL : -ENOMEM;
	log = err == -ENOMEM ? etw_logfile_get(target) : NULL;
	if (log)
		return log;
	etw_logtarget_put(target);
	return ERR_PTR(err);
}

/* Start it, and begin its file, and tell the caller. */
static int start(const struct etw_session_config *config, struct etw_session *a)
{
	struct etw_trace_session *s = etw_session_start(config);
	int err = 0;

	if (IS_ERR(s)) {
		etw_logfile_put(config->log);
		return PTR_ERR(s);
	}
	if (s->log && !s->buffering)
		err = etw_logfile_start(s);
	if (!err)
		err = describe(s, a);
	if (err)
		stop_handle(s->handle);
	etw_session_put(s);
	return err;
}

long etw_ioctl_session_start(struct file *file, void *arg)
{
	struct etw_session *a = arg;
	struct etw_session_config config = {
		.guid = a->guid,
		.name_len = a->name_len,
		.buffer_kb = a->buffer_kb,
		.min_buffers = a->min_buffers,
		.max_buffers = a->max_buffers,
		.flush_ms = a->flush_ms,
		.clock = a->clock,
		.mode = a->mode,
	};
	char *name;
	int err;

	if (a->flags)
		return -EINVAL;
	/* A GUID that is yet to be made has no list. */
	if (!etw_access_may(etw_guid_is_null(&a->guid) ? &etw_access_default : &a->guid,
			    start_rights(a)))
		return -EPERM;
	err = etw_ioctl_name_in(a->name, a->name_len, &name);
	if (err)
		return err;
	config.name = name;
	err = etw_ioctl_name_room(a->name_out, a->name_cap);
	if (!err)
		err = etw_ioctl_log_room(a->log);
	if (err)
		goto out;
	config.log = log_get(a);
	err = PTR_ERR_OR_ZERO(config.log);
	if (!err)
		err = start(&config, a);
out:
	kfree(name);
	return err;
}

/* The caller could not be told of its session. */
void etw_ioctl_session_unstart(struct file *file, void *arg)
{
	struct etw_session *a = arg;

	stop_handle(a->handle);
}

/* One step on a running session, then tell its state. */
static long step(struct etw_session *a, u32 rights,
		 int (*run)(struct etw_trace_session *s, const struct etw_session *a))
{
	struct etw_trace_session *s = lookup_for(a, rights);
	int err;

	if (IS_ERR(s))
		return PTR_ERR(s);
	err = run(s, a);
	if (!err)
		err = describe(s, a);
	etw_session_put(s);
	return err;
}

static int look(struct etw_trace_session *s, const struct etw_session *a)
{
	return a->file ? -EINVAL : 0;
}

/* The file that a command names, which takes the right to files. */
static struct etw_logtarget *target_get(struct etw_trace_session *s,
					const struct etw_session_file *file)
{
	if (!etw_access_may(&s->guid, ETW_RIGHT_CREATE_ONDISK))
		return ERR_PTR(-EPERM);
	return etw_logtarget_get(file, READ_ONCE(s->mode));
}

/* Everything up to now is for the file, what comes then for readers. */
static int end_log(struct etw_trace_session *s)
{
	int err;

	if (!etw_access_may(&s->guid, ETW_RIGHT_CREATE_REALTIME))
		return -EPERM;
	err = etw_deliver_flush(s);
	return err ?: etw_logfile_change(s, ETW_LOG_END, NULL);
}

/* Go on in another file: one that is given, or the next one; or without. */
static int update_file(struct etw_trace_session *s, const struct etw_session *a)
{
	struct etw_logtarget *target;
	struct etw_session_file file;
	int err;

	if (!s->log || s->buffering)
		return -EINVAL;
	err = etw_ioctl_file_in(a->file, &file);
	if (err)
		return err;
	if (file.flags == ETW_FILE_END)
		return end_log(s);
	if (file.flags == ETW_FILE_NEXT) {
		if (!etw_access_may(&s->guid, ETW_RIGHT_CREATE_ONDISK))
			return -EPERM;
		return READ_ONCE(s->mode) & ETW_MODE_NEWFILE ?
		       etw_logfile_change(s, ETW_LOG_NEXT_FILE, NULL) : -EINVAL;
	}
	target = target_get(s, &file);
	if (IS_ERR(target))
		return PTR_ERR(target);
	return etw_logfile_change(s, ETW_LOG_OTHER_FILE, target);
}

static int update(struct etw_trace_session *s, const struct etw_session *a)
{
	int err = a->file ? update_file(s, a) : 0;

	return err ?: etw_session_update(s, a->max_buffers, a->flush_ms);
}

/* Into the file that the command names, or else that of the session. */
static int flush_snapshot(struct etw_trace_session *s, const struct etw_session *a)
{
	struct etw_logtarget *target;
	struct etw_session_file file;
	int err;

	if (a->file) {
		err = etw_ioctl_file_in(a->file, &file);
		if (err)
			return err;
		target = target_get(s, &file);
	} else {
		target = etw_logtarget_copy(s->log->target) ?: ERR_PTR(-ENOMEM);
	}
	return IS_ERR(target) ? PTR_ERR(target) : etw_logfile_snapshot(s, target);
}

static int flush(struct etw_trace_session *s, const struct etw_session *a)
{
	int err;

	if (s->buffering && (a->file || s->log))
		return flush_snapshot(s, a);
	err = a->file ? -EINVAL : etw_deliver_flush(s);
	return !err && s->log ? etw_logfile_flush(s) : err;
}

/* Of several that stop a session at once, one does; the others: -ENOENT. */
static int stop(struct etw_trace_session *s, const struct etw_session *a)
{
	return a->file ? -EINVAL : stop_handle(s->handle);
}

long etw_ioctl_session_query(struct file *file, void *arg)
{
	return step(arg, ETW_RIGHT_QUERY, look);
}

long etw_ioctl_session_update(struct file *file, void *arg)
{
	return step(arg, ETW_RIGHT_CREATE_REALTIME, update);
}

long etw_ioctl_session_flush(struct file *file, void *arg)
{
	return step(arg, ETW_RIGHT_CREATE_REALTIME, flush);
}

long etw_ioctl_session_stop(struct file *file, void *arg)
{
	return step(arg, ETW_RIGHT_CREATE_REALTIME, stop);
}

/*
 * Fill handles of the running sessions that the caller may query; how many, or
 * -EPERM: none, and there could not be.
 */
static int list_visible(u64 handles[ETW_SESSIONS_MAX])
{
	struct etw_access_scan scan;
	u32 i, all, n = 0;

	mutex_lock(&etw_control);
	etw_access_scan(&scan, ETW_RIGHT_QUERY);
	all = etw_sessions_list(handles, ETW_SESSIONS_MAX);
	for (i = 0; i < all; i++)
		if (etw_access_scan_grants(&scan,
					   &etw_session_find(handles[i], NULL, 0)->guid))
			handles[n++] = handles[i];
	mutex_unlock(&etw_control);
	return n || scan.others ? (int)n : -EPERM;
}

long etw_ioctl_session_enum(struct file *file, void *arg)
{
	struct etw_session_enum *e = arg;
	u64 handles[ETW_SESSIONS_MAX];
	int n;

	if (e->flags || e->reserved)
		return -EINVAL;
	n = list_visible(handles);
	if (n < 0)
		return n;
	e->count = n;
	e->limit = etw_max_sessions;
	n = min(e->count, e->capacity);
	if (n && copy_to_user(u64_to_user_ptr(e->handles), handles, n * sizeof(*handles)))
		return -EFAULT;
	return 0;
}

static int stat_consumers(struct etw_trace_session *s, struct etw_session_stat *st)
{
	u32 cap = min_t(u32, st->consumer_cap, ETW_CONSUMERS_MAX);
	struct etw_consumer_info *info;
	int err = 0;
	u32 n;

	info = kcalloc(ETW_CONSUMERS_MAX, sizeof(*info), ETW_GFP);
	if (!info)
		return -ENOMEM;
	st->consumer_count = etw_consumers_info(s, info, ETW_CONSUMERS_MAX);
	n = min(cap, st->consumer_count);
	if (st->consumers && n &&
	    copy_to_user(u64_to_user_ptr(st->consumers), info, n * sizeof(*info)))
		err = -EFAULT;
	kfree(info);
	return err;
}

long etw_ioctl_session_stat(struct file *file, void *arg)
{
	struct etw_session_stat *st = arg;
	struct etw_trace_session *s;
	int err;

	if (st->flags || st->reserved)
		return -EINVAL;
	s = lookup(st->handle, st->name, st->name_len, 0, 0, ETW_RIGHT_QUERY);
	if (IS_ERR(s))
		return PTR_ERR(s);
	err = stat_consumers(s, st);
	st->handle = s->handle;
	st->written = etw_session_written(s);
	etw_session_dropped(s, st->dropped);
	mutex_lock(&s->lock);
	st->buffers_delivered = s->buffers_delivered;
	st->events_delivered = s->events_delivered;
	st->overwritten_buffers = atomic64_read(&s->overwritten_buffers);
	st->overwritten_events = atomic64_read(&s->overwritten_events);
	st->discarded_buffers = s->discarded_buffers;
	st->discarded_events = s->discarded_events;
	mutex_unlock(&s->lock);
	etw_session_put(s);
	return err;
}

/*
 * The descriptor is installed last, when the caller has been told its number:
 * a number that nobody was told could not be closed.
 */
long etw_ioctl_consumer_open(struct file *file, void *arg, void __user *user)
{
	struct etw_consumer_open *o = arg;
	struct etw_trace_session *s;
	struct file *consumer;
	int fd;

	if (o->flags & ~(O_NONBLOCK | O_CLOEXEC))
		return -EINVAL;
	s = lookup(o->session, o->name, o->name_len, 0, 0, ETW_RIGHT_ACCESS_REALTIME);
	if (IS_ERR(s))
		return PTR_ERR(s);
	fd = get_unused_fd_flags(o->flags & O_CLOEXEC);
	if (fd < 0) {
		etw_session_put(s);
		return fd;
	}
	o->session = s->handle;
	o->fd = fd;
	o->buffer_size = s->ring.size;
	o->clock = s->clock_type;
	o->clock_freq = s->clock_freq;
	consumer = etw_consumer_open(s, o->flags);
	if (IS_ERR(consumer)) {
		put_unused_fd(fd);
		etw_session_put(s);
		return PTR_ERR(consumer);
	}
	if (copy_to_user(user, o, sizeof(*o))) {
		put_unused_fd(fd);
		fput(consumer);
		return -EFAULT;
	}
	fd_install(fd, consumer);
	return 0;
}
