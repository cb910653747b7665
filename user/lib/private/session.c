// SPDX-License-Identifier: MIT
/*
 * session.c - start, control and stop private sessions
 *
 * Lock order: wish_lock, the lock of the table of sessions, the host's lock, a session's lock.
 * All signals are blocked while one of the first two is held, since a handler could write an event.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <evntprov.h>
#include "filter.h"
#include "lib/registered.h"
#include "private_session.h"

#define FILE_MODES	(ETW_MODE_SEQUENTIAL | ETW_MODE_CIRCULAR | ETW_MODE_NEWFILE)
#define BUFFER_KB_MIN	4
#define BUFFER_KB_MAX	16384
#define SPARE_BUFFERS	20	/* besides the minimum, unless the caller says how many */

_Atomic(struct private_state *) etw_private_state;

/*
 * The memory of the last session in each place, for reuse unless it is busy: see
 * private_session.h. In a child those of its parent's sessions stay busy.
 */
static struct private_session *memory[ETW_PRIVATE_SESSIONS];

/* The process that fork() made last */
static _Atomic pid_t forked;

struct saved {
	sigset_t signals;
	int cancel;
	bool limit;			/* SIGXFSZ was pending already */
};

/* ---------------------------------------------------------------- the table */

static void fork_child(void)
{
	atomic_store(&forked, getpid());
	etw_private_files_inherited();
}

struct private_state *etw_private_state_get(void)
{
	struct private_state *state = atomic_load(&etw_private_state), *other = NULL;

	if (state)
		return state;
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (state == MAP_FAILED)
		return NULL;
	if (madvise(state, sizeof(*state), MADV_WIPEONFORK)) {
		munmap(state, sizeof(*state));
		return NULL;
	}
	if (!atomic_compare_exchange_strong(&etw_private_state, &other, state)) {
		munmap(state, sizeof(*state));
		return other;
	}
	pthread_atfork(NULL, NULL, fork_child);
	return state;
}

bool etw_private_here(void)
{
	struct private_state *state = atomic_load(&etw_private_state);

	return state && atomic_load(&state->count);
}

bool etw_private_is_child(void)
{
	return !etw_private_here() && atomic_load(&forked) == getpid();
}

static void state_lock(struct private_state *state, struct saved *saved)
{
	sigset_t all, pending;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved->signals);
	sigpending(&pending);
	saved->limit = sigismember(&pending, SIGXFSZ);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel);
	pthread_mutex_lock(&state->lock);
}

static void state_unlock(struct private_state *state, const struct saved *saved)
{
	const struct timespec now = { 0 };
	int saved_errno = errno;
	sigset_t limit;

	pthread_mutex_unlock(&state->lock);
	/* A log file that may not grow any more is no reason to end the program. */
	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	if (!saved->limit)
		sigtimedwait(&limit, NULL, &now);
	errno = saved_errno;
	pthread_setcancelstate(saved->cancel, NULL);
	pthread_sigmask(SIG_SETMASK, &saved->signals, NULL);
}

/* Compare without regard to ASCII case, in any locale. */
static bool same_name(const char *a, const char *b, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		char x = a[i] >= 'A' && a[i] <= 'Z' ? a[i] + 32 : a[i];
		char y = b[i] >= 'A' && b[i] <= 'Z' ? b[i] + 32 : b[i];

		if (x != y)
			return false;
	}
	return !a[len];
}

/* The session of this name, or this handle if there is no name; the lock is held. */
static struct private_session *find(struct private_state *state, uint64_t handle,
				    const char *name, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < ETW_PRIVATE_SESSIONS; i++) {
		struct private_session *s = atomic_load(&state->session[i]);

		if (s && (len ? same_name(s->name, name, len) : s->handle == handle))
			return s;
	}
	return NULL;
}

static struct private_session *find_named(struct private_state *state,
					  const struct etw_session *session)
{
	return find(state, session->handle, (const void *)(uintptr_t)session->name,
		    session->name_len);
}

bool etw_private_has(uint64_t handle, const char *name, uint32_t len)
{
	struct private_state *state = atomic_load(&etw_private_state);
	struct saved saved;
	bool has;

	if (!state)
		return false;
	state_lock(state, &saved);
	has = find(state, handle, name, len);
	state_unlock(state, &saved);
	return has;
}

/* A free place in the table; -ENOSPC: this kind of session is there as often as it may be. */
static int find_slot(struct private_state *state, bool in_proc)
{
	int i, slot = -ENOSPC, count = 0;

	for (i = ETW_PRIVATE_SESSIONS; i-- > 0;) {
		struct private_session *s = atomic_load(&state->session[i]);

		if (!s)
			slot = i;
		else if (s->mode & ETW_MODE_PRIVATE_IN_PROC)
			count++;
	}
	return in_proc && count >= ETW_PRIVATE_IN_PROC ? -ENOSPC : slot;
}

/* ------------------------------------------------------------------- start */

static bool is_registered(const struct etw_guid *guid)
{
	etw_registered_fn *list = atomic_load(&etw_registered);
	bool found = false;
	size_t count, i;
	GUID *guids;

	guids = list ? list(&count) : NULL;
	if (!guids)
		return false;
	for (i = 0; i < count; i++)
		found |= !memcmp(&guids[i], guid, sizeof(*guid));
	free(guids);
	return found;
}

static uint64_t memory_most(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 8;
}

/* As for the device's sessions: sizes are corrected, and only impossible ones refused. */
static int correct_sizes(const struct etw_session *session, uint32_t cpus, uint32_t *kb,
			 uint32_t *min, uint32_t *max)
{
	*kb = session->buffer_kb ? session->buffer_kb : 64;
	if (*kb < BUFFER_KB_MIN)
		*kb = BUFFER_KB_MIN;
	if (*kb > BUFFER_KB_MAX)
		*kb = BUFFER_KB_MAX;
	*kb = ALIGN(*kb, 4u);
	*min = session->min_buffers > 2 * cpus ? session->min_buffers : 2 * cpus;
	*max = session->max_buffers ? session->max_buffers : *min + SPARE_BUFFERS;
	if (*max < *min || session->mode & ETW_MODE_BUFFERING)
		*max = *min;
	if (*max > ETW_BUFFERS_MAX || (uint64_t)*max * *kb * 1024 > memory_most())
		return -ENOSPC;
	return 0;
}

/* A session that was used before, or a new one. */
static struct private_session *session_take(uint32_t slot)
{
	struct private_session *s = memory[slot];

	if (!s || s->busy) {
		s = aligned_alloc(64, ALIGN(sizeof(*s), (size_t)64));
		if (!s)
			return NULL;
		memset(s, 0, sizeof(*s));
		s->before = memory[slot];
		memory[slot] = s;
	}
	s->busy = true;
	/* A child may have got them in any state. */
	sem_init(&s->work, 0, 0);
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void set_clock(struct private_session *s, uint32_t clock)
{
	s->type = clock ? clock : ETW_CLOCK_QPC;
	s->clock = etw_private_clock_pick(s->type, &s->frequency);
	if (s->clock == PRIVATE_TSC && s->mode & ETW_MODE_NO_PER_PROCESSOR)
		s->clock = PRIVATE_TSC_ORDERED;
	s->start_mono = private_ns(CLOCK_MONOTONIC);
	s->start_wall = private_wall();
	s->start_clock = private_clock_read(s->clock);
	s->sync_mono = s->start_mono;
	s->sync_wall = s->start_wall;
	s->sync_clock = s->start_clock;
	s->collected = s->start_clock;
}

static void set_settings(struct private_session *s, const struct etw_session *session,
			 uint32_t slot, uint64_t count)
{
	s->slot = slot;
	s->handle = ETW_PRIVATE_HANDLE | count << 16 | ETW_PRIVATE_LOGGER_ID(slot);
	memcpy(s->name, (const void *)(uintptr_t)session->name, session->name_len);
	s->name[session->name_len] = '\0';
	s->mode = session->mode;
	s->guid = session->guid;
	s->pid = getpid();
	s->buffering = session->mode & ETW_MODE_BUFFERING;
	atomic_store(&s->flush_ms, session->flush_ms);
	atomic_store(&s->woken, false);
	atomic_store(&s->armed, false);
	atomic_store(&s->losing, false);
	memset(&s->losses, 0, sizeof(s->losses));
	s->delivered_buffers = 0;
	s->events_lost = 0;
	s->next_sequence = 0;
	s->error = 0;
	set_clock(s, session->clock);
}

/* Everything that can fail; the file comes last, because it may replace one. */
static int session_prepare(struct private_session *s, const struct etw_session *session,
			   const struct etw_private_config *config)
{
	uint32_t kb, max, cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct etw_session_info info;
	int err = correct_sizes(session, cpus, &kb, &s->min_buffers, &max);

	if (err)
		return err;
	if (config->path) {
		err = etw_private_file_init(&s->file, config->path, s->mode, config->max_size,
					    kb * 1024);
		s->file.fresh = config->fresh;
	} else {
		memset(&s->file, 0, sizeof(s->file));
		s->file.fd = -1;
	}
	if (!err)
		err = etw_private_buffers_get(s, max, kb * 1024);
	if (err)
		return err;
	etw_private_session_info(s, &info);
	if (!s->buffering)
		err = etw_private_thread_start(s);
	if (!err && config->path && !s->buffering && !(s->mode & ETW_MODE_DELAY_OPEN)) {
		err = etw_private_file_begin(&s->file, &info);
		if (err)
			etw_private_thread_stop(s);
		/* ENOSPC is about sessions: see private.h. */
		err = err == -ENOSPC ? -EDQUOT : err;
	}
	return err;
}

/* Nobody uses the buffers, and no file is open. kept: a writer may still be in a buffer. */
static void session_release(struct private_session *s, bool kept)
{
	etw_private_buffers_put(s, kept);
	s->busy = kept;
}

/* Take back what etw_private_buffers_get() put into the pool. */
static void session_undo(struct private_session *s)
{
	while (etw_pool_pop(&s->ring.pool))
		;
	session_release(s, false);
}

static void report(struct private_session *s, struct etw_session *session);

static int start_locked(struct private_state *state, struct etw_session *session,
			const struct etw_private_config *config)
{
	struct private_session *s;
	int slot, err;

	if (find(state, 0, (const void *)(uintptr_t)session->name, session->name_len))
		return -EEXIST;
	slot = find_slot(state, session->mode & ETW_MODE_PRIVATE_IN_PROC);
	if (slot < 0)
		return slot;
	s = session_take(slot);
	if (!s)
		return -ENOMEM;
	set_settings(s, session, slot, atomic_fetch_add(&state->count, 1) + 1);
	err = session_prepare(s, session, config);
	if (err) {
		session_undo(s);
		return err;
	}
	atomic_store_explicit(&state->session[slot], s, memory_order_release);
	report(s, session);
	return 0;
}

int etw_private_start(struct etw_session *session, const struct etw_private_config *config)
{
	static const struct etw_guid any;
	struct private_state *state;
	struct saved saved;
	int err;

	if (memcmp(&session->guid, &any, sizeof(any)) && !is_registered(&session->guid))
		return -ESRCH;
	state = etw_private_state_get();
	if (!state)
		return -ENOMEM;
	/* Else the parent's session of the same place would seem to have enabled providers. */
	etw_private_inherit();
	state_lock(state, &saved);
	err = start_locked(state, session, config);
	state_unlock(state, &saved);
	return err;
}

/* ------------------------------------------------------------------ report */

static uint32_t saturate(uint64_t value)
{
	return value < UINT32_MAX ? value : UINT32_MAX;
}

static void report_file(struct private_session *s, struct etw_session_log *log)
{
	struct private_file *file = &s->file;
	uint32_t len = strlen(file->path);

	log->name_len = len;
	memcpy((void *)(uintptr_t)log->name, file->path, len < log->name_cap ? len : log->name_cap);
	log->error = -s->error;
	log->max_size = file->max_size;
	log->number = file->mode & ETW_MODE_NEWFILE ? file->number : 0;
	log->buffers = file->bytes / s->ring.size;
	log->full = file->full;
	log->bytes = file->bytes;
	log->buffers_lost = file->buffers_lost;
	log->events_lost = file->events_lost;
	log->buffers_written = file->buffers_written;
}

/* Losses that nobody has collected yet count as well. */
static uint64_t events_lost(const struct private_session *s)
{
	uint64_t lost = s->events_lost;
	uint32_t i, cause;

	for (i = 0; i < s->cpu_room; i++)
		for (cause = 0; cause < ETW_DROP_CAUSES; cause++)
			lost += atomic_load(&s->cpus[i].lost[cause].events);
	return lost;
}

/* Fill in what the device's commands do; both locks, or nobody else has the session. */
static void report(struct private_session *s, struct etw_session *session)
{
	uint32_t len = strlen(s->name);

	session->handle = s->handle;
	session->name_out_len = len;
	if (session->name_out)
		memcpy((void *)(uintptr_t)session->name_out, s->name,
		       len < session->name_cap ? len : session->name_cap);
	session->mode = s->mode;
	session->guid = s->guid;
	session->buffer_kb = s->ring.size / 1024;
	session->min_buffers = s->min_buffers;
	session->max_buffers = s->total;
	session->flush_ms = atomic_load(&s->flush_ms);
	session->clock = s->type;
	session->logger_id = ETW_PRIVATE_LOGGER_ID(s->slot);
	session->buffers = s->total;
	session->free_buffers = etw_pool_free(&s->ring.pool);
	session->buffers_written = saturate(s->delivered_buffers);
	session->events_lost = saturate(events_lost(s));
	session->rt_buffers_lost = 0;
	session->worker_id = 0;
	session->clock_freq = s->frequency;
	session->start_clock = s->start_clock;
	session->start_mono = s->start_mono;
	session->start_wall = s->start_wall;
	session->sync_clock = s->sync_clock;
	session->sync_mono = s->sync_mono;
	session->sync_wall = s->sync_wall;
	if (session->log)
		report_file(s, (void *)(uintptr_t)session->log);
}

/* ----------------------------------------------------------------- control */

/* Do something with a session, with both locks, and report its state. */
static int with_session(struct etw_session *session,
			int (*act)(struct private_session *s, const void *arg), const void *arg)
{
	struct private_state *state = atomic_load(&etw_private_state);
	struct private_session *s;
	struct saved saved;
	int err = -ENOENT;

	if (!state)
		return -ENOENT;
	state_lock(state, &saved);
	s = find_named(state, session);
	if (s) {
		pthread_mutex_lock(&s->lock);
		err = act ? act(s, arg) : 0;
		if (!err)
			report(s, session);
		pthread_mutex_unlock(&s->lock);
	}
	state_unlock(state, &saved);
	return err;
}

int etw_private_query(struct etw_session *session)
{
	return with_session(session, NULL, NULL);
}

/* Continue in another file; if it cannot be begun, in the present one. */
static int change_file(struct private_session *s, const struct etw_private_config *config)
{
	struct private_file next;
	struct private_file_end end;
	struct etw_session_info info;
	uint32_t size = config->max_size ? config->max_size : s->file.max_size;
	int err = etw_private_file_init(&next, config->path, s->mode, size, s->ring.size);

	if (err)
		return err;
	etw_private_session_info(s, &info);
	if (!(s->mode & ETW_MODE_DELAY_OPEN))
		err = etw_private_file_begin(&next, &info);
	if (err)
		return err;
	etw_private_deliver_all(s);
	next.buffers_written = s->file.buffers_written;
	next.buffers_lost = s->file.buffers_lost;
	next.events_lost = s->file.events_lost;
	next.missed = s->file.missed;
	if (s->file.head) {
		etw_private_session_end(s, true, &end);
		etw_private_file_end(&s->file, &end, NULL);
		memset(&next.missed, 0, sizeof(next.missed));
	}
	s->file = next;
	return 0;
}

static int update(struct private_session *s, const void *arg)
{
	const struct etw_private_config *config = ((const void *const *)arg)[0];
	const struct etw_session *session = ((const void *const *)arg)[1];
	int err = 0;

	if (config->path)
		err = s->buffering ? -EINVAL : change_file(s, config);
	if (!err && session->flush_ms) {
		atomic_store(&s->flush_ms, session->flush_ms);
		atomic_store(&s->armed, true);
		etw_private_wake(s);
	}
	return err;
}

int etw_private_update(struct etw_session *session, const struct etw_private_config *config)
{
	const void *args[] = { config, session };

	return with_session(session, update, args);
}

/* A snapshot goes to the file that is named now, or else to the one that was at the start. */
static int flush(struct private_session *s, const void *path)
{
	const char *name = path ? path : s->file.pattern;
	struct private_file file;
	int err;

	if (!s->buffering) {
		etw_private_deliver_all(s);
		return s->error;
	}
	if (!*name)
		return -EINVAL;
	err = etw_private_file_init(&file, name, s->mode & ~FILE_MODES, 0, s->ring.size);
	if (!err)
		err = etw_private_deliver_snapshot(s, &file);
	if (err)
		return err;
	strcpy(file.pattern, s->file.pattern);
	s->file = file;
	return 0;
}

int etw_private_flush(struct etw_session *session, const char *path)
{
	return with_session(session, flush, path);
}

static int next_file(struct private_session *s, const void *arg)
{
	struct private_file_end end;
	struct etw_session_info info;

	(void)arg;
	if (!(s->mode & ETW_MODE_NEWFILE))
		return -EINVAL;
	etw_private_deliver_all(s);
	etw_private_session_info(s, &info);
	etw_private_session_end(s, true, &end);
	return etw_private_file_next(&s->file, &info, &end);
}

int etw_private_next_file(struct etw_session *session)
{
	return with_session(session, next_file, NULL);
}

/* -------------------------------------------------------------------- stop */

/*
 * End a session that nobody finds any more. A writer that never comes back, since it was
 * stopped or has left by longjmp(), keeps what it may still touch.
 */
static int session_end(struct private_session *s, struct etw_session *session)
{
	bool whole;
	int err;

	etw_private_thread_stop(s);
	pthread_mutex_lock(&s->lock);
	whole = etw_private_deliver_end(s);
	err = s->error;
	report(s, session);
	pthread_mutex_unlock(&s->lock);
	session_release(s, !whole);
	return err;
}

/* Its providers are no longer enabled, and unless quiet their callbacks run. */
static void disable_all(uint32_t slot, bool quiet)
{
	const struct etw_private_host *host = atomic_load(&etw_private_host);
	struct etw_private_change change = {
		.slot = slot, .control = ETW_CONTROL_DISABLE, .quiet = quiet,
	};
	int err = 0;

	while (host && !err && host->enabled(slot, &change.guid)) {
		err = host->change(&change);
		etw_private_filter_free(change.events);
		free(change.data);
		change.events = NULL;
		change.data = NULL;
	}
}

static int stop_locked(struct private_state *state, struct private_session *s,
		       struct etw_session *session, bool quiet)
{
	atomic_store(&state->session[s->slot], NULL);
	disable_all(s->slot, quiet);
	return session_end(s, session);
}

int etw_private_stop(struct etw_session *session)
{
	struct private_state *state = atomic_load(&etw_private_state);
	struct private_session *s;
	struct saved saved;
	int err = -ENOENT;

	if (!state)
		return -ENOENT;
	state_lock(state, &saved);
	s = find_named(state, session);
	/* A vfork child cannot change what its parent's providers see. */
	if (s)
		err = s->pid != getpid() ? -EOPNOTSUPP : stop_locked(state, s, session, false);
	state_unlock(state, &saved);
	return err;
}

/*
 * The program ends, by exit() or by returning from main(): complete its files. Callbacks do not
 * run, since what they use may have been destroyed.
 */
static __attribute__((__destructor__)) void stop_all(void)
{
	struct private_state *state = atomic_load(&etw_private_state);
	struct etw_session none = { 0 };
	struct saved saved;
	uint32_t i;

	if (!state)
		return;
	state_lock(state, &saved);
	for (i = 0; i < ETW_PRIVATE_SESSIONS; i++) {
		struct private_session *s = atomic_load(&state->session[i]);

		if (s && s->pid == getpid())
			stop_locked(state, s, &none, true);
	}
	state_unlock(state, &saved);
}
