// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_session.c - the commands on sessions, and opening a consumer
 *
 * Each command requires a right on the session, see etw/abi_access.h, even a query:
 * what is traced may be confidential.
 */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "alloc.h"
#include "control_lock.h"
#include "guid.h"
#include "handlers.h"
#include "ioctl.h"
#include "ioctl_file.h"
#include "provider/capture.h"
#include "provider/enable.h"
#include "session/buffer.h"
#include "session/consumer.h"
#include "session/consumer_file.h"
#include "session/deliver.h"
#include "session/session.h"

/* A copy of the name, or NULL if len is 0: the session is named by its handle. */
static int name_or_handle(u64 ptr, u32 len, char **name)
{
	*name = NULL;
	return len ? etw_ioctl_name_in(ptr, len, name) : 0;
}

/*
 * The session that an argument struct names, with a reference.  Checks that its name can
 * be written to out, if that is given.  name and out may be the same buffer.
 */
static struct etw_trace_session *session_named(u64 handle, u64 name_ptr, u32 name_len,
					u64 out, u32 cap, u32 rights)
{
	struct etw_trace_session *s;
	char *name;
	int err;

	err = name_or_handle(name_ptr, name_len, &name);
	if (err)
		return ERR_PTR(err);
	err = etw_ioctl_name_room(out, cap);
	s = err ? ERR_PTR(err) : etw_session_get(handle, name, name_len, rights);
	kfree(name);
	return s;
}

/* Like session_named(), for a command whose result session_describe() fills in. */
static struct etw_trace_session *session_for(const struct etw_session *a, u32 rights)
{
	int err;

	if (a->flags)
		return ERR_PTR(-EINVAL);
	err = etw_ioctl_log_room(a->log);
	if (err)
		return ERR_PTR(err);
	return session_named(a->handle, a->name, a->name_len, a->name_out, a->name_cap, rights);
}

/* Fill the members marked out. */
static int session_describe(struct etw_trace_session *s, struct etw_session *a)
{
	u64 lost = etw_session_lost(s);
	int err;

	mutex_lock(&s->lock);
	a->handle = s->handle;
	a->mode = s->hot.mode;
	a->guid = s->enabler.guid;
	a->buffer_kb = s->hot.ring.size / 1024;
	a->min_buffers = s->min_buffers;
	a->max_buffers = s->max_buffers;
	a->flush_ms = s->hot.buffering ? 0 : s->flush_ms;
	a->clock = s->clock_type;
	a->logger_id = s->hot.logger_id;
	a->buffers = s->hot.fair.buffers;
	a->free_buffers = etw_buffers_available(s);
	a->reserve_buffers = etw_fair_reserve(&s->hot.fair);
	a->user_budget_kb = s->hot.fair.budget_kb;
	a->discarded_buffers = s->discarded_buffers;
	a->discarded_events = s->discarded_events;
	a->buffers_written = min_t(u64, s->buffers_delivered, U32_MAX);
	a->events_lost = min_t(u64, lost, U32_MAX);
	a->rt_buffers_lost = min_t(u64, s->rt_buffers_lost, U32_MAX);
	a->worker_id = 0;
	a->clock_freq = s->clock_freq;
	a->start_clock = s->start.clock;
	a->start_mono = s->start.boot - s->asleep;
	a->start_wall = s->start.wall;
	a->sync_clock = s->sync.clock;
	a->sync_mono = s->sync.boot - s->asleep;
	a->sync_wall = s->sync.wall;
	mutex_unlock(&s->lock);
	a->name_out_len = s->name_len;
	err = etw_ioctl_name_out(a->name_out, a->name_cap, s->name, s->name_len);
	return err ?: etw_ioctl_log_out(s, a->log);
}

/* Stop a session by handle, if it still runs, and wait for its log file. */
static int stop_handle(u64 handle)
{
	struct etw_trace_session *s;

	mutex_lock(&etw_control);
	s = etw_session_find(handle, NULL, 0);
	if (!s) {
		mutex_unlock(&etw_control);
		return -ENOENT;
	}
	etw_session_hold(s);
	etw_session_stop(s);
	etw_logfile_stop(s);
	etw_session_put(s);
	return 0;
}

/* The rights that starting such a session takes. */
static u32 start_rights(const struct etw_session *a)
{
	u32 rights = a->file ? ETW_RIGHT_CREATE_ONDISK : 0;

	if (!a->file || a->mode & ETW_MODE_REAL_TIME)
		rights |= ETW_RIGHT_CREATE_REALTIME;
	return rights;
}

/* The log for a new session; NULL: it has none. */
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
	/* Each snapshot makes the file anew, so it needs a directory. */
	err = a->mode & ETW_MODE_BUFFERING && !target->dir ? -EINVAL : -ENOMEM;
	log = err == -ENOMEM ? etw_logfile_get(target) : NULL;
	if (log)
		return log;
	etw_logtarget_put(target);
	return ERR_PTR(err);
}

/* Start the session, begin its file and fill in the result. */
static int session_start(const struct etw_session_config *config, struct etw_session *a)
{
	struct etw_trace_session *s = etw_session_start(config);
	int err = 0;

	if (IS_ERR(s)) {
		etw_logfile_put(config->log);
		return PTR_ERR(s);
	}
	if (s->log && !s->hot.buffering)
		err = etw_logfile_start(s);
	if (!err)
		err = session_describe(s, a);
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
		.user_budget_kb = a->user_budget_kb,
		.log_free = etw_logfile_put,
	};
	char *name;
	int err;

	if (a->flags)
		return -EINVAL;
	/* A session without a GUID gets a new one, which has no list of its own. */
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
		err = session_start(&config, a);
out:
	kfree(name);
	return err;
}

/* The result could not be copied to the caller. */
void etw_ioctl_session_start_undo(struct file *file, void *arg)
{
	struct etw_session *a = arg;

	stop_handle(a->handle);
}

/* Run one command on a session, then fill in its state. */
static long session_step(struct etw_session *a, u32 rights,
		 int (*run)(struct etw_trace_session *s, const struct etw_session *a))
{
	struct etw_trace_session *s = session_for(a, rights);
	int err;

	if (IS_ERR(s))
		return PTR_ERR(s);
	err = run(s, a);
	if (!err)
		err = session_describe(s, a);
	etw_session_put(s);
	return err;
}

static int session_query(struct etw_trace_session *s, const struct etw_session *a)
{
	return a->file ? -EINVAL : 0;
}

/* The file that a command names; takes the right to files. */
static struct etw_logtarget *target_get(struct etw_trace_session *s,
					const struct etw_session_file *file)
{
	if (!etw_access_may(&s->enabler.guid, ETW_RIGHT_CREATE_ONDISK))
		return ERR_PTR(-EPERM);
	return etw_logtarget_get(file, READ_ONCE(s->hot.mode));
}

/* Events up to now go into the file, later ones to readers. */
static int session_end_log(struct etw_trace_session *s)
{
	int err;

	if (!etw_access_may(&s->enabler.guid, ETW_RIGHT_CREATE_REALTIME))
		return -EPERM;
	err = etw_deliver_flush(s, true);
	return err ?: etw_logfile_change(s, ETW_LOG_END, NULL);
}

/* Go on in another file, given or the next one; or without a file. */
static int session_update_file(struct etw_trace_session *s, const struct etw_session *a)
{
	struct etw_logtarget *target;
	struct etw_session_file file;
	int err;

	if (!s->log || s->hot.buffering)
		return -EINVAL;
	err = etw_ioctl_file_in(a->file, &file);
	if (err)
		return err;
	if (file.flags == ETW_FILE_END)
		return session_end_log(s);
	if (file.flags == ETW_FILE_NEXT) {
		if (!etw_access_may(&s->enabler.guid, ETW_RIGHT_CREATE_ONDISK))
			return -EPERM;
		return READ_ONCE(s->hot.mode) & ETW_MODE_NEWFILE ?
		       etw_logfile_change(s, ETW_LOG_NEXT_FILE, NULL) : -EINVAL;
	}
	target = target_get(s, &file);
	if (IS_ERR(target))
		return PTR_ERR(target);
	return etw_logfile_change(s, ETW_LOG_OTHER_FILE, target);
}

static int session_update(struct etw_trace_session *s, const struct etw_session *a)
{
	int err = a->file ? session_update_file(s, a) : 0;

	/* A file that was taken is no failure, even if the session has stopped since. */
	if (err || (a->file && !a->max_buffers && !a->flush_ms && !a->user_budget_kb))
		return err;
	return etw_session_update(s, a->max_buffers, a->flush_ms, a->user_budget_kb);
}

/* Flush into the file that the command names, or else that of the session. */
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

static int session_flush(struct etw_trace_session *s, const struct etw_session *a)
{
	u32 reported;
	int err, late;

	if (a->file && !s->hot.buffering)
		return -EINVAL;
	late = etw_capture_forwarded(&s->enabler, (struct etw_forwarders){ }, false);
	if (s->hot.buffering && (a->file || s->log))
		return flush_snapshot(s, a);
	reported = s->log ? etw_logfile_reported(s->log) : 0;
	err = etw_deliver_flush(s, true);
	if (!err && s->log)
		err = etw_logfile_flush(s) ?: etw_logfile_sync(s, reported);
	/* ENOSPC means too many sessions or buffers. */
	return err == -ENOSPC ? -EDQUOT : err ?: late;
}

/* If several callers stop a session at once, all but one get -ENOENT. */
static int session_stop(struct etw_trace_session *s, const struct etw_session *a)
{
	if (a->file)
		return -EINVAL;
	etw_capture_forwarded(&s->enabler, (struct etw_forwarders){ }, true);
	return stop_handle(s->handle);
}

long etw_ioctl_session_query(struct file *file, void *arg)
{
	return session_step(arg, ETW_RIGHT_QUERY, session_query);
}

long etw_ioctl_session_update(struct file *file, void *arg)
{
	return session_step(arg, ETW_RIGHT_CREATE_REALTIME, session_update);
}

long etw_ioctl_session_flush(struct file *file, void *arg)
{
	return session_step(arg, ETW_RIGHT_CREATE_REALTIME, session_flush);
}

long etw_ioctl_session_stop(struct file *file, void *arg)
{
	return session_step(arg, ETW_RIGHT_CREATE_REALTIME, session_stop);
}

/*
 * Fill handles with those of the running sessions that the caller may query and return
 * their number.  -EPERM: it could not query any session by the default list either.
 */
static int session_list(u64 handles[ETW_SESSIONS_MAX])
{
	struct etw_access_scan scan;
	u32 i, all, n = 0;

	mutex_lock(&etw_control);
	etw_access_scan(&scan, ETW_RIGHT_QUERY);
	all = etw_sessions_list(handles, ETW_SESSIONS_MAX);
	for (i = 0; i < all; i++)
		if (etw_access_scan_grants(&scan,
					   &etw_session_find(handles[i], NULL, 0)->enabler.guid))
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
	n = session_list(handles);
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
	u64 dropped[ETW_DROP_CAUSES];	/* in the order of their numbers */
	struct etw_trace_session *s;
	int err;

	if (st->flags || st->reserved)
		return -EINVAL;
	s = session_named(st->handle, st->name, st->name_len, 0, 0, ETW_RIGHT_QUERY);
	if (IS_ERR(s))
		return PTR_ERR(s);
	err = stat_consumers(s, st);
	st->handle = s->handle;
	st->written = etw_session_written(s);
	etw_session_dropped(s, dropped);
	memcpy(st->dropped, dropped, sizeof(st->dropped));
	memset(st->dropped_later, 0, sizeof(st->dropped_later));
	memcpy(st->dropped_later, dropped + ETW_DROP_FIRST_CAUSES,
	       sizeof(dropped) - sizeof(st->dropped));
	st->undecided = etw_session_undecided(s);
	mutex_lock(&s->lock);
	st->buffers_delivered = s->buffers_delivered;
	st->events_delivered = s->events_delivered;
	st->overwritten_buffers = atomic64_read(&s->overwritten_buffers);
	st->overwritten_events = atomic64_read(&s->overwritten_events);
	st->discarded_buffers = s->discarded_buffers;
	st->discarded_events = s->discarded_events;
	st->abandoned_buffers = s->abandoned_buffers;
	st->abandoned_events = s->abandoned_events;
	st->growth_refused = s->growth.refused;
	mutex_unlock(&s->lock);
	etw_session_put(s);
	return err;
}

/* -------------------------------------------------------------- capture timer */

static bool has_null(const struct etw_guid *guids, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (etw_guid_is_null(&guids[i]))
			return true;
	return false;
}

/*
 * The caller needs the rights for asking each provider once.  On success *guids is the
 * list that was set before.  Under etw_control.
 */
static int capture_replace(const struct etw_session_capture *c, struct etw_guid **guids)
{
	struct etw_trace_session *s;
	u32 i;

	s = etw_session_lookup(c->handle, NULL, 0, ETW_RIGHT_CREATE_REALTIME);
	if (IS_ERR(s))
		return PTR_ERR(s);
	for (i = 0; i < c->count; i++)
		if (!etw_access_granted(&(*guids)[i], ETW_RIGHT_GUID_ENABLE))
			return -EPERM;
	etw_capture_timer_set(&s->enabler, guids, c->count, c->period_s);
	return 0;
}

static long capture_set(const struct etw_session_capture *c)
{
	struct etw_guid *guids;
	long err;

	if (c->count > ETW_CAPTURE_MAX || (c->count && !c->period_s))
		return -EINVAL;
	guids = memdup_user(u64_to_user_ptr(c->guids), c->count * sizeof(*guids));
	if (IS_ERR(guids))
		return PTR_ERR(guids);
	if (has_null(guids, c->count)) {
		kfree(guids);
		return -EINVAL;
	}
	mutex_lock(&etw_control);
	err = capture_replace(c, &guids);
	mutex_unlock(&etw_control);
	kfree(guids);		/* the old list, or after an error the new one */
	return err;
}

static long capture_query(struct etw_session_capture *c)
{
	struct etw_trace_session *s;
	struct etw_guid *guids;
	u32 n = 0;
	long err;

	guids = kcalloc(ETW_CAPTURE_MAX, sizeof(*guids), ETW_GFP);
	if (!guids)
		return -ENOMEM;
	mutex_lock(&etw_control);
	s = etw_session_lookup(c->handle, NULL, 0, ETW_RIGHT_QUERY);
	err = PTR_ERR_OR_ZERO(s);
	if (!err) {
		n = min(c->count, s->enabler.capture.count);
		memcpy(guids, s->enabler.capture.guids, n * sizeof(*guids));
		c->count = s->enabler.capture.count;
		c->period_s = s->enabler.capture.period_s;
	}
	mutex_unlock(&etw_control);
	if (n && copy_to_user(u64_to_user_ptr(c->guids), guids, n * sizeof(*guids)))
		err = -EFAULT;
	kfree(guids);
	return err;
}

long etw_ioctl_session_capture(struct file *file, void *arg)
{
	struct etw_session_capture *c = arg;

	if (c->flags & ~ETW_CAPTURE_SET)
		return -EINVAL;
	return c->flags & ETW_CAPTURE_SET ? capture_set(c) : capture_query(c);
}

/* ---------------------------------------------------------- the system's events */

static_assert(sizeof(struct etw_session_system) == 56);

/* Set what was given, if SET, and return what was there. */
static void system_exchange(struct etw_trace_session *s, struct etw_session_system *arg)
{
	const struct etw_session_system given = *arg;

	mutex_lock(&s->lock);
	memcpy(arg->enable, s->system, sizeof(arg->enable));
	arg->sample_interval = s->sample_interval;
	if (given.flags & ETW_SYSTEM_SET) {
		memcpy(s->system, given.enable, sizeof(s->system));
		s->sample_interval = given.sample_interval;
	}
	mutex_unlock(&s->lock);
}

long etw_ioctl_session_system(struct file *file, void *arg)
{
	struct etw_session_system *system = arg;
	struct etw_trace_session *s;
	int err = 0;

	if (system->flags & ~ETW_SYSTEM_SET || system->reserved)
		return -EINVAL;
	/* Whoever may change it may know it. */
	s = etw_session_get(system->handle, NULL, 0, ETW_RIGHT_CREATE_REALTIME);
	if (PTR_ERR_OR_ZERO(s) == -EPERM && !(system->flags & ETW_SYSTEM_SET))
		s = etw_session_get(system->handle, NULL, 0, ETW_RIGHT_QUERY);
	if (IS_ERR(s))
		return PTR_ERR(s);
	if (READ_ONCE(s->hot.mode) & ETW_MODE_SYSTEM)
		system_exchange(s, system);
	else
		err = -EINVAL;
	etw_session_put(s);
	return err;
}

/*
 * The count that the session keeps while it has the provider enabled has become this one.
 * *events: how many came to it since *since.
 */
static int missed_grows(struct etw_trace_session *s, const struct etw_session_missed *arg,
			u64 *since, u64 *events)
{
	struct etw_missed *m;
	u64 more = 0;

	lockdep_assert_held(&etw_control);
	m = etw_enable_missed(&arg->provider, &s->enabler);
	if (!m || (arg->flags == ETW_MISSED_SINCE && !m->begun))
		return -ENOENT;
	if (arg->flags == ETW_MISSED_BEGIN && m->begun)
		return 0;
	if (m->begun && arg->events > m->count)
		more = arg->events - m->count;
	*events = min_t(u64, more, U32_MAX);
	*since = m->time;
	/* The next call counts the rest, which is as old. */
	m->count = arg->events - (more - *events);
	if (m->count == arg->events)
		m->time = etw_session_time(s);
	m->begun = true;
	return 0;
}

static bool missed_is_right(const struct etw_session_missed *arg)
{
	if (arg->flags)
		return arg->flags == ETW_MISSED_BEGIN || arg->flags == ETW_MISSED_SINCE;
	return arg->events && arg->events <= U32_MAX;
}

long etw_ioctl_session_missed(struct file *file, void *arg)
{
	const struct etw_session_missed *missed = arg;
	struct etw_trace_session *s;
	u64 since, events = 0;
	int err = 0;

	if (!missed_is_right(missed) || etw_guid_is_null(&missed->provider))
		return -EINVAL;
	s = etw_session_get(missed->handle, NULL, 0, ETW_RIGHT_CREATE_REALTIME);
	if (IS_ERR(s))
		return PTR_ERR(s);
	if (missed->flags) {
		mutex_lock(&etw_control);
		err = missed_grows(s, missed, &since, &events);
		mutex_unlock(&etw_control);
	} else {
		since = s->start.clock;
		events = missed->events;
	}
	if (events)
		err = etw_session_missed(s, &missed->provider, since, events);
	etw_session_put(s);
	return err;
}

/* ------------------------------------------------------------------ consumers */

/*
 * The descriptor is installed last, after its number was copied to the caller, who could
 * not close a descriptor without knowing it.
 */
long etw_ioctl_consumer_open(struct file *file, void *arg, void __user *user)
{
	struct etw_consumer_open *o = arg;
	struct etw_trace_session *s;
	struct file *consumer;
	int fd;

	if (o->flags & ~(O_NONBLOCK | O_CLOEXEC))
		return -EINVAL;
	s = session_named(o->session, o->name, o->name_len, 0, 0, ETW_RIGHT_ACCESS_REALTIME);
	if (IS_ERR(s))
		return PTR_ERR(s);
	fd = get_unused_fd_flags(o->flags & O_CLOEXEC);
	if (fd < 0) {
		etw_session_put(s);
		return fd;
	}
	o->session = s->handle;
	o->fd = fd;
	o->buffer_size = s->hot.ring.size;
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
