// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_event.c - the kernel's trace events as providers: which there are, and until when
 *
 * A process makes such a provider by describing a trace event.  It stays while an open file
 * holds it or a session has it enabled; a work removes what neither is true of.
 *
 * trace_lock guards the list and the holds.  Lock order: trace_lock, then the lock of a
 * provider.  The callback takes only the latter, so the work, which waits for the callback
 * when it unregisters, holds neither while it does.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "alloc.h"
#include "guid.h"
#include "provider/process.h"
#include "provider/registration.h"
#include "trace_event.h"

static DEFINE_MUTEX(trace_lock);
static LIST_HEAD(trace_providers);
static unsigned int trace_count;

/* An open file that made a provider; in the file's list, under trace_lock */
struct trace_hold {
	struct list_head node;
	struct etw_trace_provider *of;
};

static void trace_review(struct work_struct *work);
static DECLARE_WORK(review_work, trace_review);

/* ---------------------------------------------------------------- one of them */

static void trace_enable(const struct etw_guid *source, u32 control, u8 level, u64 any, u64 all,
			 const struct etw_filter *filter, void *context)
{
	struct etw_trace_provider *t = context;
	int err = 0;

	mutex_lock(&t->lock);
	if (control == ETW_CONTROL_ENABLE && !t->leaving)
		err = etw_trace_counters_start(t);
	mutex_unlock(&t->lock);
	if (err && t->id)
		pr_warn_ratelimited("etw: the trace event with id %u is not traced: error %d\n",
				    t->id, err);
	else if (err)
		pr_warn_ratelimited("etw: the counter 0x%llx of type %u is not sampled: error %d\n",
				    t->config, t->counter, err);
	/* perf waits for a grace period for each: not in hundreds of callbacks at once. */
	if (control == ETW_CONTROL_DISABLE)
		schedule_work(&review_work);
}

static void trace_free(struct etw_trace_provider *t)
{
	if (!t)
		return;
	free_percpu(t->counters);
	kfree(t->schema);
	kfree(t);
}

static struct etw_trace_provider *trace_new(const struct etw_trace_event *arg, const void *schema,
					    const struct etw_trace_piece *pieces)
{
	struct etw_trace_provider *t = kzalloc(struct_size(t, pieces, arg->piece_count), ETW_GFP);

	if (!t)
		return NULL;
	mutex_init(&t->lock);
	t->desc.channel = ETW_CHANNEL_TRACELOGGING;
	t->desc.level = arg->level;
	t->desc.opcode = arg->opcode;
	t->desc.task = arg->task;
	t->desc.keyword = arg->keyword;
	t->id = arg->id;
	t->counter = arg->counter;
	t->config = arg->config;
	t->period = arg->period;
	t->frequency = arg->flags & ETW_TRACE_FREQUENCY;
	t->schema_len = arg->schema_len;
	t->piece_count = arg->piece_count;
	memcpy(t->pieces, pieces, array_size(arg->piece_count, sizeof(*pieces)));
	t->schema = kmemdup(schema, arg->schema_len, ETW_GFP);
	t->counters = alloc_percpu_gfp(struct perf_event *, ETW_GFP);
	if (!t->schema || !t->counters) {
		trace_free(t);
		return NULL;
	}
	return t;
}

/* TraceLogging's traits: their size, and the name with its NUL. */
static int trace_set_name(struct etw_provider *provider, const char *name)
{
	u16 size = sizeof(size) + strlen(name) + 1;
	u8 *traits = kmalloc(size, ETW_GFP);
	int err;

	if (!traits)
		return -ENOMEM;
	memcpy(traits, &size, sizeof(size));
	strscpy(traits + sizeof(size), name, size - sizeof(size));
	err = etw_set_traits(provider, traits, size);
	kfree(traits);
	return err;
}

/* Its lock keeps the callback waiting until events can be described. */
static int trace_register(struct etw_trace_provider *t, const struct etw_guid *guid,
			  const char *name)
{
	int err;

	mutex_lock(&t->lock);
	err = etw_registration_of_kernel(guid, name, trace_enable, t, &t->provider);
	if (!err)
		err = trace_set_name(t->provider, name);
	t->leaving = err;
	mutex_unlock(&t->lock);
	if (err)
		etw_unregister_handle(t->provider);
	return err;
}

/* ------------------------------------------------------------------- all of them */

static struct etw_trace_provider *trace_find(const struct etw_guid *guid)
{
	struct etw_trace_provider *t;

	lockdep_assert_held(&trace_lock);
	list_for_each_entry(t, &trace_providers, node)
		if (etw_guid_equal(&t->provider->guid, guid))
			return t;
	return NULL;
}

static bool trace_same(const struct etw_trace_provider *a, const struct etw_trace_provider *b)
{
	return a->id == b->id && a->counter == b->counter && a->config == b->config &&
	       a->period == b->period && a->frequency == b->frequency && a->schema_len == b->schema_len &&
	       a->piece_count == b->piece_count && !memcmp(&a->desc, &b->desc, sizeof(a->desc)) &&
	       !memcmp(a->schema, b->schema, a->schema_len) &&
	       !memcmp(a->pieces, b->pieces, array_size(a->piece_count, sizeof(a->pieces[0])));
}

static bool trace_held_by(const struct etw_process *holder, const struct etw_trace_provider *t)
{
	struct trace_hold *hold;

	list_for_each_entry(hold, &holder->trace_holds, node)
		if (hold->of == t)
			return true;
	return false;
}

/* Register *new, or find an equal one; *new is NULL where it was taken. */
static struct etw_trace_provider *trace_find_or_add(struct etw_trace_provider **new,
						    const struct etw_guid *guid, const char *name)
{
	struct etw_trace_provider *t = trace_find(guid);
	int err;

	if (t)
		return trace_same(t, *new) ? t : ERR_PTR(-EEXIST);
	if (trace_count >= ETW_TRACE_EVENTS_MAX)
		return ERR_PTR(-ENOSPC);
	/* Whoever may trace need not be root, and must not write a driver's events. */
	if (etw_registration_of_module(guid, trace_enable))
		return ERR_PTR(-EEXIST);
	t = *new;
	err = etw_trace_record_room() ?: trace_register(t, guid, name);
	if (err)
		return ERR_PTR(err);
	*new = NULL;
	list_add_tail(&t->node, &trace_providers);
	trace_count++;
	return t;
}

/**
 * etw_trace_provider_make() - make a trace event a provider, or find the one it is
 * @holder: the open file that holds it from now on
 * @arg: its numbers, which were checked
 * @name: the provider's
 * @schema: @arg->schema_len bytes
 * @pieces: @arg->piece_count of them
 *
 * May sleep.
 *
 * Return: 0; -EEXIST, also if a module has the GUID; -ENOSPC; -ENOMEM; errors of
 * etw_register_handle().
 */
int etw_trace_provider_make(struct etw_process *holder, const struct etw_trace_event *arg,
			    const char *name, const void *schema,
			    const struct etw_trace_piece *pieces)
{
	struct etw_trace_provider *t, *new = trace_new(arg, schema, pieces);
	struct trace_hold *hold = kmalloc(sizeof(*hold), ETW_GFP);
	int err = new && hold ? 0 : -ENOMEM;

	if (!err) {
		mutex_lock(&trace_lock);
		t = trace_find_or_add(&new, &arg->provider, name);
		err = PTR_ERR_OR_ZERO(t);
		if (!err && !trace_held_by(holder, t)) {
			hold->of = t;
			t->holds++;
			list_add(&hold->node, &holder->trace_holds);
			hold = NULL;
		}
		mutex_unlock(&trace_lock);
	}
	kfree(hold);
	trace_free(new);
	return err;
}

/* The file is closed: nobody else uses its list. */
void etw_trace_provider_release(struct etw_process *holder)
{
	struct trace_hold *hold, *tmp;

	if (list_empty(&holder->trace_holds))
		return;
	mutex_lock(&trace_lock);
	list_for_each_entry_safe(hold, tmp, &holder->trace_holds, node) {
		hold->of->holds--;
		list_del(&hold->node);
		kfree(hold);
	}
	mutex_unlock(&trace_lock);
	schedule_work(&review_work);
}

void etw_trace_for_each(void (*call)(struct etw_trace_provider *t))
{
	struct etw_trace_provider *t;

	mutex_lock(&trace_lock);
	list_for_each_entry(t, &trace_providers, node)
		call(t);
	mutex_unlock(&trace_lock);
}

/* Nobody finds it any more, and its callback does not start it again. */
static void trace_leave(struct etw_trace_provider *t, struct list_head *to)
{
	lockdep_assert_held(&trace_lock);
	mutex_lock(&t->lock);
	t->leaving = true;
	mutex_unlock(&t->lock);
	list_move(&t->node, to);
	trace_count--;
}

#define ENDED_AT_ONCE	64

/* Remove all of a list from trace_leave(). */
static void trace_end_all(struct list_head *left)
{
	struct etw_provider *handles[ENDED_AT_ONCE];
	struct etw_trace_provider *t, *tmp;
	unsigned int count = 0;
	LIST_HEAD(ended);

	list_for_each_entry_safe(t, tmp, left, node) {
		mutex_lock(&t->lock);
		etw_trace_counters_stop(t);
		mutex_unlock(&t->lock);
		handles[count++] = t->provider;
		list_move_tail(&t->node, &ended);
		if (count < ENDED_AT_ONCE && !list_empty(left))
			continue;
		/* Waits for callbacks and writers, and with them for handlers that have begun. */
		etw_registration_end_handles(handles, count);
		count = 0;
	}
	list_for_each_entry_safe(t, tmp, &ended, node)
		trace_free(t);
}

/* One that a file holds and that has counters, but no session has it enabled; held once more. */
static struct etw_trace_provider *trace_idle(void)
{
	struct etw_trace_provider *t;

	mutex_lock(&trace_lock);
	list_for_each_entry(t, &trace_providers, node) {
		if (t->holds && READ_ONCE(t->active) && !etw_provider_enabled(t->provider, 0, 0)) {
			t->holds++;
			mutex_unlock(&trace_lock);
			return t;
		}
	}
	mutex_unlock(&trace_lock);
	return NULL;
}

/* Whoever enables one now calls its callback afterwards, which waits for its lock. */
static void trace_stop_idle(void)
{
	struct etw_trace_provider *t;

	while ((t = trace_idle())) {
		mutex_lock(&t->lock);
		if (!etw_provider_enabled(t->provider, 0, 0))
			etw_trace_counters_stop(t);
		mutex_unlock(&t->lock);
		mutex_lock(&trace_lock);
		t->holds--;
		mutex_unlock(&trace_lock);
	}
}

/*
 * Stop those that no session has enabled, and remove those of them that nobody holds.  After
 * that a new review is due whenever one is released or disabled.
 */
static void trace_review(struct work_struct *work)
{
	struct etw_trace_provider *t, *tmp;
	LIST_HEAD(left);

	trace_stop_idle();
	mutex_lock(&trace_lock);
	list_for_each_entry_safe(t, tmp, &trace_providers, node)
		if (!t->holds && !etw_provider_enabled(t->provider, 0, 0))
			trace_leave(t, &left);
	mutex_unlock(&trace_lock);
	trace_end_all(&left);
}

int __init etw_trace_event_init(void)
{
	return etw_trace_counters_init();
}

/* There are no files and no sessions, so nothing is held or enabled. */
void etw_trace_event_exit(void)
{
	etw_trace_counters_exit();
	cancel_work_sync(&review_work);
	trace_review(NULL);
	/* The last of their callbacks may have queued it again. */
	cancel_work_sync(&review_work);
	etw_trace_record_exit();
}
