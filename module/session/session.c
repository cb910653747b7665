// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c - sessions: start, find, update, stop
 *
 * A running session is in etw_sessions and in by_id[], both under etw_control, and
 * holds a reference on the module.  STOP takes it off etw_sessions at once, so that its name
 * is free.  It keeps its id until no provider knows it, its clock until everything is
 * delivered (epoch.c), and its memory until the last consumer has closed.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "access/access.h"
#include "alloc.h"
#include "buffer.h"
#include "buffer_pages.h"
#include "control_lock.h"
#include "deliver.h"
#include "epoch.h"
#include "grow.h"
#include "provider/capture.h"
#include "provider/change.h"
#include "provider/enable.h"
#include "session.h"
#include "write/clock.h"
#include "write/reserve.h"

unsigned int etw_max_sessions = ETW_SESSIONS_MAX;

static struct etw_trace_session *by_id[ETW_SESSIONS_MAX + 1];	/* under etw_control */
static u64 starts;					/* under etw_control */

#define HANDLE(count, id)	((count) << 16 | (id))
#define HANDLE_ID(handle)	((u16)(handle))

/* ------------------------------------------------------------------ finding */

/*
 * Find the running session with this name, or with this handle if name_len is 0.  Names
 * are compared without regard to ASCII case.  NULL: there is none.
 */
struct etw_trace_session *etw_session_find(u64 handle, const char *name, u32 name_len)
{
	struct etw_trace_session *s;

	lockdep_assert_held(&etw_control);
	if (!name_len) {
		u32 id = HANDLE_ID(handle);

		if (id > ETW_SESSIONS_MAX)
			return NULL;
		s = by_id[array_index_nospec(id, ETW_SESSIONS_MAX + 1)];
		return s && s->handle == handle && !s->stopping ? s : NULL;
	}
	list_for_each_entry(s, &etw_sessions, node)
		if (s->name_len == name_len && !strncasecmp(s->name, name, name_len))
			return s;
	return NULL;
}

/* Do as many system sessions run as there may be? */
static bool session_system_full(void)
{
	const struct etw_trace_session *s;
	u32 n = 0;

	list_for_each_entry(s, &etw_sessions, node)
		n += READ_ONCE(s->hot.mode) & ETW_MODE_SYSTEM ? 1 : 0;
	return n >= ETW_SYSTEM_SESSIONS_MAX;
}

static struct etw_trace_session *session_find_guid(const struct etw_guid *guid)
{
	struct etw_trace_session *s;

	list_for_each_entry(s, &etw_sessions, node)
		if (!memcmp(&s->enabler.guid, guid, sizeof(*guid)))
			return s;
	return NULL;
}

struct etw_trace_session *etw_session_hold(struct etw_trace_session *s)
{
	kref_get(&s->ref);
	return s;
}

/*
 * Store the handles of up to capacity running sessions and return the number of running
 * sessions, which may exceed capacity.
 */
u32 etw_sessions_list(u64 *handles, u32 capacity)
{
	u32 id, n = 0;

	lockdep_assert_held(&etw_control);
	for (id = 1; id <= ETW_SESSIONS_MAX; id++) {
		if (!by_id[id] || by_id[id]->stopping)
			continue;
		if (n < capacity)
			handles[n] = by_id[id]->handle;
		n++;
	}
	return n;
}

/*
 * Find the running session with this name or handle if the caller has these rights on it.
 * -EPERM: the caller lacks them; -ENOENT: there is no session, and the caller has these
 * rights by the default list.
 */
struct etw_trace_session *etw_session_lookup(u64 handle, const char *name, u32 name_len,
					     u32 rights)
{
	struct etw_trace_session *s = etw_session_find(handle, name, name_len);
	const struct etw_guid *guid = s ? &s->enabler.guid : &etw_access_default;

	/* Controlling a session that only writes a file requires the right to files. */
	if (s && rights & ETW_RIGHT_CREATE_REALTIME && s->log &&
	    !(READ_ONCE(s->hot.mode) & ETW_MODE_REAL_TIME))
		rights ^= ETW_RIGHT_CREATE_REALTIME | ETW_RIGHT_CREATE_ONDISK;
	/* The right to read a session's events includes the right to query it. */
	if (!etw_access_granted(guid, rights) &&
	    (rights != ETW_RIGHT_QUERY || !etw_access_granted(guid, ETW_RIGHT_ACCESS_REALTIME)))
		return ERR_PTR(-EPERM);
	return s ?: ERR_PTR(-ENOENT);
}

/* The same, with a reference.  Without etw_control. */
struct etw_trace_session *etw_session_get(u64 handle, const char *name, u32 name_len, u32 rights)
{
	struct etw_trace_session *s;

	mutex_lock(&etw_control);
	s = etw_session_lookup(handle, name, name_len, rights);
	if (!IS_ERR(s))
		etw_session_hold(s);
	mutex_unlock(&etw_control);
	return s;
}

/* The sessions that the caller may query; bit i: the session with logger id i + 1. */
u64 etw_sessions_visible(void)
{
	const struct etw_trace_session *s;
	struct etw_access_scan scan;
	u64 visible = 0;

	etw_access_scan(&scan, ETW_RIGHT_QUERY);
	list_for_each_entry(s, &etw_sessions, node)
		if (etw_access_scan_grants(&scan, &s->enabler.guid))
			visible |= BIT_ULL(s->hot.logger_id - 1);
	return visible;
}

/* ------------------------------------------------------------------ freeing */

static void session_free(struct etw_trace_session *s)
{
	if (s->log)
		s->log_free(s->log);
	etw_buffers_free(s);
	etw_account_close(&s->account);
	free_percpu(s->hot.cpu);
	mem_cgroup_put(s->memcg);
	mutex_destroy(&s->lock);
	mutex_destroy(&s->flush_lock);
	kfree(s->enabler.capture.guids);
	kvfree(s->enabler.disallowed);
	kfree(s->name);
	kfree(s);
}

static void session_release(struct kref *ref)
{
	session_free(container_of(ref, struct etw_trace_session, ref));
}

/* May sleep. */
void etw_session_put(struct etw_trace_session *s)
{
	kref_put(&s->ref, session_release);
}

static void session_free_work(struct work_struct *work)
{
	session_free(container_of(work, struct etw_trace_session, free_work));
}

static void session_release_later(struct kref *ref)
{
	struct etw_trace_session *s = container_of(ref, struct etw_trace_session, ref);

	INIT_WORK(&s->free_work, session_free_work);
	queue_work(etw_wq, &s->free_work);
}

/* For those who may not sleep, or not wait for what freeing a session takes. */
void etw_session_put_later(struct etw_trace_session *s)
{
	kref_put(&s->ref, session_release_later);
}

/* ----------------------------------------------------------------- starting */

/* Bytes of a session's buffers. */
static u64 memory_most(void)
{
	return (u64)totalram_pages() * PAGE_SIZE / 8;
}

/*
 * May the session have max_buffers buffers?  A BUFFERING session counts twice, because a
 * snapshot may hold as many again.
 */
static bool size_allowed(const struct etw_trace_session *s, u32 max_buffers)
{
	u64 buffers = (u64)max_buffers * (s->hot.buffering ? 2 : 1);

	return buffers <= ETW_BUFFERS_MAX &&
	       (buffers + etw_fair_reserve(&s->hot.fair)) * s->hot.ring.size <= memory_most();
}

/* How many buffers besides max_buffers there may be, for which size_allowed() holds. */
static u64 reserve_room(const struct etw_trace_session *s, u32 max_buffers)
{
	u32 indices = U16_MAX - ETW_BUFFERS_BESIDES - max_buffers;

	return min_t(u64, indices, div_u64(memory_most(), s->hot.ring.size) - max_buffers);
}

/* The value of a session's budget_kb for this user_budget_kb. */
static u32 session_budget(u32 user_budget_kb)
{
	return user_budget_kb == ETW_BUDGET_NONE ? 0 : user_budget_kb;
}

/* As ETW does, correct sizes silently, and refuse only impossible ones: -ENOSPC. */
static int correct_sizes(struct etw_trace_session *s, const struct etw_session_config *config)
{
	u32 kb = config->buffer_kb ?: 64;

	kb = clamp(kb, (u32)ETW_BUFFER_KB_MIN, (u32)ETW_BUFFER_KB_MAX);
	s->hot.ring.size = PAGE_ALIGN(kb * 1024);
	s->min_buffers = max(config->min_buffers,
			     ETW_BUFFERS_PER_CPU * (s->hot.shared ? 1 : num_online_cpus()));
	s->max_buffers = config->max_buffers;
	if (!s->max_buffers && s->min_buffers <= ETW_BUFFERS_MAX)
		s->max_buffers = min(s->min_buffers + 20, (u32)ETW_BUFFERS_MAX);
	s->max_buffers = max(s->max_buffers, s->min_buffers);
	if (s->hot.buffering)
		s->max_buffers = s->min_buffers;	/* its ring does not grow */
	if (!size_allowed(s, s->max_buffers))
		return -ENOSPC;
	etw_fair_init(&s->hot.fair, s->hot.shared ? 1 : num_online_cpus());
	/* A BUFFERING session overwrites its oldest events and refuses nobody. */
	if (!s->hot.buffering)
		etw_fair_limit(&s->hot.fair, s->max_buffers, reserve_room(s, s->max_buffers));
	/* A session that only writes a file can wait until a buffer is full. */
	if (config->flush_ms)
		s->flush_ms = max(config->flush_ms, ETW_FLUSH_MS_MIN);
	else if (config->mode & ETW_MODE_REAL_TIME)
		s->flush_ms = ETW_FLUSH_MS_DEFAULT;
	return 0;
}

static int check_config(const struct etw_session_config *config)
{
	u32 known = ETW_MODE_REAL_TIME | ETW_MODE_BUFFERING | ETW_MODE_INDEPENDENT |
		    ETW_MODE_GLOBAL_SEQUENCE | ETW_MODE_LOCAL_SEQUENCE |
		    ETW_MODE_NO_PER_PROCESSOR | ETW_MODE_SECURE | ETW_MODE_SYSTEM |
		    (config->log ? ETW_MODE_FILE : 0);
	u32 sequence = ETW_MODE_GLOBAL_SEQUENCE | ETW_MODE_LOCAL_SEQUENCE;
	u32 policy = config->mode & (ETW_MODE_REAL_TIME | ETW_MODE_BUFFERING);

	if (config->mode & ~known || config->clock > ETW_CLOCK_CYCLES)
		return -EINVAL;
	/* At most one of the two, exactly one without a file. */
	if (policy == (ETW_MODE_REAL_TIME | ETW_MODE_BUFFERING) || (!policy && !config->log))
		return -EINVAL;
	/* The file of a snapshot is a plain one. */
	if (policy & ETW_MODE_BUFFERING && config->mode & ETW_MODE_FILE & ~ETW_MODE_KBYTES)
		return -EINVAL;
	if ((config->mode & sequence) == sequence)
		return -EINVAL;
	return 0;
}

/* Allocate and initialise a session, which cannot be found yet. */
static struct etw_trace_session *session_alloc(const struct etw_session_config *config)
{
	struct etw_trace_session *s;
	int cpu, err;

	s = kzalloc(sizeof(*s), ETW_GFP);
	if (!s)
		return ERR_PTR(-ENOMEM);
	kref_init(&s->ref);
	mutex_init(&s->lock);
	mutex_init(&s->flush_lock);
	s->memcg = get_mem_cgroup_from_mm(current->mm);
	etw_account_open(&s->account);
	s->hot.mode = config->mode;
	s->hot.buffering = config->mode & ETW_MODE_BUFFERING;
	s->hot.independent = config->mode & ETW_MODE_INDEPENDENT;
	s->hot.fair.budget_kb = session_budget(config->user_budget_kb);
	s->enabler.hot = &s->hot;
	s->enabler.secure = config->mode & ETW_MODE_SECURE;
	s->hot.shared = config->mode & ETW_MODE_NO_PER_PROCESSOR;
	etw_ring_cpu_init(&s->hot.common.rc, 0, etw_buffer_node_of_cpu(raw_smp_processor_id()));
	s->hot.ring.ops = &etw_session_ring_ops;
	s->clock_type = config->clock ?: ETW_CLOCK_QPC;
	err = correct_sizes(s, config);
	if (err)
		goto err_free;

	err = -ENOMEM;
	s->name = kmemdup_nul(config->name, config->name_len, ETW_GFP);
	if (!s->name)
		goto err_free;
	s->name_len = config->name_len;
	s->hot.cpu = alloc_percpu_gfp(struct etw_session_cpu, ETW_GFP);
	if (!s->hot.cpu)
		goto err_free;
	for_each_possible_cpu(cpu) {
		etw_ring_cpu_init(&per_cpu_ptr(s->hot.cpu, cpu)->rc, cpu,
				  etw_buffer_node_of_cpu(cpu));
		per_cpu_ptr(s->hot.cpu, cpu)->session = &s->hot;
	}
	etw_deliver_init(s);
	etw_grow_init(s);
	etw_capture_timer_init(&s->enabler);
	err = etw_buffers_init(s);
	if (err)
		goto err_free;
	return s;

err_free:
	session_free(s);
	return ERR_PTR(err);
}

/* A random GUID, RFC 4122 version 4. */
static void make_guid(struct etw_guid *guid)
{
	get_random_bytes(guid, sizeof(*guid));
	guid->data3 = (guid->data3 & 0x0fff) | 0x4000;
	guid->data4[0] = (guid->data4[0] & 0x3f) | 0x80;
}

/* Give the session its identity and make it findable.  -EAGAIN: see etw_epoch_enter(). */
static int session_publish(struct etw_trace_session *s, const struct etw_guid *guid)
{
	u16 id;

	lockdep_assert_held(&etw_control);
	if (etw_session_find(0, s->name, s->name_len))
		return -EEXIST;
	s->enabler.guid = *guid;
	if (etw_guid_is_null(guid))
		make_guid(&s->enabler.guid);
	else if (session_find_guid(guid))
		return -EEXIST;
	if (s->hot.mode & ETW_MODE_SYSTEM && session_system_full())
		return -ENOSPC;
	for (id = 1; id <= etw_max_sessions && by_id[id]; id++)
		;
	if (id > etw_max_sessions)
		return -ENOSPC;
	s->hot.logger_id = id;
	s->handle = HANDLE(++starts, id);
	if (!etw_epoch_enter(s))
		return -EAGAIN;
	by_id[id] = s;
	return 0;
}

/*
 * Start a session; the caller has checked access.  On success the caller gets a reference
 * and the session owns the log file; on failure the caller still owns it.
 *
 * The name is looked up before memory is allocated, so that -EEXIST takes precedence over
 * errors of the allocation, and again when the session becomes findable.
 */
struct etw_trace_session *etw_session_start(const struct etw_session_config *config)
{
	struct etw_trace_session *s;
	bool taken;
	int err;

	err = check_config(config);
	if (err)
		return ERR_PTR(err);
	mutex_lock(&etw_control);
	taken = etw_session_find(0, config->name, config->name_len);
	mutex_unlock(&etw_control);
	if (taken)
		return ERR_PTR(-EEXIST);

	if (!try_module_get(THIS_MODULE))
		return ERR_PTR(-ENODEV);
	s = session_alloc(config);
	if (IS_ERR(s)) {
		err = PTR_ERR(s);
		goto err_module;
	}
	do {
		if (err == -EAGAIN)
			etw_epoch_wait();
		mutex_lock(&etw_control);
		err = session_publish(s, &config->guid);
		if (!err) {
			s->log = config->log;
			s->log_free = config->log_free;
			etw_session_hold(s);
		}
		mutex_unlock(&etw_control);
	} while (err == -EAGAIN);
	if (err)
		goto err_put;
	return s;

err_put:
	etw_session_put(s);
err_module:
	module_put(THIS_MODULE);
	return ERR_PTR(err);
}

/* ------------------------------------------------------------------ running */

/* The new interval also applies to buffers in use, even if the session had no timer. */
void etw_session_set_flush_locked(struct etw_trace_session *s, u32 ms)
{
	lockdep_assert_held(&s->lock);
	WRITE_ONCE(s->flush_ms, max(ms, ETW_FLUSH_MS_MIN));
	etw_deliver_rearm(s);
}

/* -ENOMEM.  Under flush_lock, too; releases the other lock meanwhile. */
static int set_max_buffers(struct etw_trace_session *s, u32 max_buffers)
{
	u32 most = s->hot.fair.most;
	int err;

	lockdep_assert_held(&s->lock);
	etw_fair_limit(&s->hot.fair, max_buffers, reserve_room(s, max_buffers));
	err = etw_buffers_reserve(s, etw_buffers_capacity(s, max_buffers));
	if (err) {
		s->hot.fair.most = max(most, etw_fair_reserve(&s->hot.fair));
		return err;
	}
	s->max_buffers = max_buffers;
	s->growth.wait_ms = 0;
	WRITE_ONCE(s->dry, ETW_DRY_NOT);
	return 0;
}

/* The same for a ring, which gets so many. */
static int widen_ring(struct etw_trace_session *s, u32 buffers)
{
	int err = etw_buffers_reserve(s, etw_buffers_capacity(s, buffers));

	if (err)
		return err;
	s->min_buffers = buffers;
	s->max_buffers = buffers;
	return 0;
}

/*
 * CPUs have come online: there may be as many buffers for each as there are at a session's start,
 * if its size may be that, and a reserve for them.  If memory is short, the session lacks them
 * still.  Under flush_lock, too; releases the other lock meanwhile.
 */
void etw_session_fit_cpus(struct etw_trace_session *s)
{
	u32 cpus = num_online_cpus(), before = s->hot.fair.cpus;
	u32 buffers = max(ETW_BUFFERS_PER_CPU * cpus, s->max_buffers);

	lockdep_assert_held(&s->lock);
	if (s->state != ETW_RUNNING || s->hot.shared || cpus <= before)
		return;
	WRITE_ONCE(s->hot.fair.cpus, cpus);
	if (!size_allowed(s, buffers))
		buffers = s->max_buffers;
	if (s->hot.buffering ? widen_ring(s, buffers) : set_max_buffers(s, buffers)) {
		WRITE_ONCE(s->hot.fair.cpus, before);
		etw_buffer_growth_refused(s);
		return;
	}
	etw_fair_fit(&s->hot.fair);
}

/* UPDATE: 0 leaves a value unchanged. */
int etw_session_update(struct etw_trace_session *s, u32 max_buffers, u32 flush_ms,
		       u32 user_budget_kb)
{
	int err = 0;

	mutex_lock(&s->flush_lock);
	mutex_lock(&s->lock);
	if (s->state != ETW_RUNNING)
		err = -ESHUTDOWN;
	max_buffers = max_buffers ? max(max_buffers, s->min_buffers) : 0;
	if (!err && max_buffers && !s->hot.buffering)
		err = size_allowed(s, max_buffers) ? set_max_buffers(s, max_buffers) : -ENOSPC;
	if (!err && user_budget_kb)
		WRITE_ONCE(s->hot.fair.budget_kb, session_budget(user_budget_kb));
	if (!err && flush_ms)
		etw_session_set_flush_locked(s, flush_ms);
	mutex_unlock(&s->lock);
	mutex_unlock(&s->flush_lock);
	return err;
}

/* The session's clock. */
u64 etw_session_time(const struct etw_trace_session *s)
{
	u64 now;

	preempt_disable();
	now = etw_clock_read(READ_ONCE(s->hot.clock));
	preempt_enable();
	return now;
}

/*
 * Count events of this provider that its probe missed since a time on the session's clock.
 * -ESHUTDOWN: the session stops.  No snapshot keeps the caller among the writers that a stop
 * waits for, so the lock and the state do.
 */
int etw_session_missed(struct etw_trace_session *s, const struct etw_guid *provider, u64 since,
		       u64 events)
{
	int err = 0;

	mutex_lock(&s->lock);
	if (s->state == ETW_RUNNING)
		etw_reserve_count_missed(&s->hot, provider, since, events);
	else
		err = -ESHUTDOWN;
	mutex_unlock(&s->lock);
	return err;
}

/* ----------------------------------------------------------------- stopping */

/*
 * Stop a running session.  Called with etw_control held; releases it.  Drops the table's
 * reference; the caller has its own.  Nobody finds the session any more, but it keeps its id
 * while providers know it.
 *
 * When the memory is freed, nothing uses the session any more:
 *  - writers: it is in no snapshot, and a grace period has passed since;
 *  - CPU hotplug: it was off the list before that grace period;
 *  - epoch.c: etw_epoch_leave() took it off its list;
 *  - irq_work and works: etw_deliver_stop() and etw_capture_timer_stop() ended them;
 *  - control calls, consumers, the log file's thread and grow.c: each has a reference.
 */
void etw_session_stop(struct etw_trace_session *s)
{
	struct etw_memory memory = { };
	int err;

	lockdep_assert_held(&etw_control);
	s->stopping = true;
	list_del_rcu(&s->node);
	for (;;) {
		err = etw_provider_session_stopped(&s->enabler, &memory);
		if (!err)
			by_id[s->hot.logger_id] = NULL;
		mutex_unlock(&etw_control);
		if (!etw_memory_again(&memory, &err, ETW_GFP | __GFP_NOFAIL))
			break;
		mutex_lock(&etw_control);
	}
	etw_memory_free(&memory);

	etw_static_keys_settle();
	/* F: writers that found the session in an old snapshot are done */
	synchronize_rcu_expedited();
	etw_capture_timer_stop(&s->enabler);
	etw_deliver_stop(s);
	etw_epoch_leave(s);
	etw_session_put(s);
	module_put(THIS_MODULE);
}
