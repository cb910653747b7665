// SPDX-License-Identifier: GPL-2.0-only
/*
 * held_provider.c - kernel providers that a process made: which there are, and until when
 *
 * A process makes such a provider by describing its events.  It stays while an open file
 * holds it or a session has it enabled; a work removes those that are neither held nor enabled.
 *
 * held_lock guards the list, the holds and the counts of the kinds.  Its holder may wait for
 * memory of a process.  Whoever must not wait for that looks at the list under list_lock, which is
 * held besides to change it.  Lock order: held_lock, list_lock, the lock of a provider.  The
 * callback takes only the last, so the work, which waits for the callback when it unregisters,
 * holds none while it does.
 *
 * kind->withdraw() runs before the registration ends.  Ending it waits for an RCU grace period
 * before the provider is freed, so a writer that found the provider only needs to have
 * preemption disabled.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "alloc.h"
#include "guid.h"
#include "held_provider.h"
#include "provider/enable.h"
#include "provider/process.h"
#include "provider/registration.h"

static DEFINE_MUTEX(held_lock);
static DEFINE_MUTEX(list_lock);
static LIST_HEAD(held_providers);

/* An open file that made a provider; in the file's list, under held_lock */
struct held_by {
	struct list_head node;
	struct etw_held_provider *of;
};

static void held_review(struct work_struct *work);
static DECLARE_WORK(review_work, held_review);

/* ---------------------------------------------------------------- one of them */

/* A session that had it before knows what its events mean; whoever captures the state may not. */
static void held_describe(struct etw_held_provider *p, u32 control)
{
	u64 sessions, one;

	lockdep_assert_held(&p->lock);
	if (control != ETW_CONTROL_ENABLE) {
		p->kind->describe(p, U64_MAX);
		return;
	}
	sessions = p->undescribed | etw_enabled_since(&p->provider->guid, &p->described);
	p->undescribed = 0;
	for (; sessions; sessions &= ~one) {
		one = sessions & -sessions;
		if (!p->kind->describe(p, one))
			p->undescribed |= one;
	}
}

static void held_enable(const struct etw_guid *source, u32 control, u8 level, u64 any, u64 all,
			const struct etw_filter *filter, void *context)
{
	struct etw_held_provider *p = context;

	/* What starts before it is in the list misses CPUs that come online. */
	wait_for_completion(&p->made);
	mutex_lock(&p->lock);
	if (control != ETW_CONTROL_DISABLE && !p->leaving && p->kind->describe)
		held_describe(p, control);
	if (control == ETW_CONTROL_ENABLE && !p->leaving && p->kind->start)
		p->kind->start(p);
	mutex_unlock(&p->lock);
	/* Stopping may wait for grace periods: not in hundreds of callbacks at once. */
	if (control == ETW_CONTROL_DISABLE)
		schedule_work(&review_work);
}

/**
 * etw_held_provider_prepare() - initialize a new one, for etw_held_provider_make()
 * @p: all zero
 * @kind: its kind
 */
void etw_held_provider_prepare(struct etw_held_provider *p, struct etw_held_kind *kind)
{
	mutex_init(&p->lock);
	init_completion(&p->made);
	p->kind = kind;
}

/* TraceLogging's traits: their size, and the name with its NUL. */
static int held_set_name(struct etw_provider *provider, const char *name)
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

/* The callback waits for p->made, which is completed here only if this fails. */
static int held_register(struct etw_held_provider *p, const struct etw_guid *guid,
			 const char *name)
{
	int err;

	err = etw_registration_of_kernel(guid, name, p->kind->one_event, held_enable, p,
					 &p->provider);
	if (!err)
		err = held_set_name(p->provider, name);
	if (!err && p->kind->publish)
		err = p->kind->publish(p);
	if (err) {
		p->leaving = true;
		complete_all(&p->made);
		etw_unregister_handle(p->provider);
	}
	return err;
}

/* ------------------------------------------------------------------- all of them */

static struct etw_held_provider *held_find(const struct etw_guid *guid)
{
	struct etw_held_provider *p;

	lockdep_assert_held(&held_lock);
	list_for_each_entry(p, &held_providers, node)
		if (etw_guid_equal(&p->provider->guid, guid))
			return p;
	return NULL;
}

static bool held_has(const struct etw_process *holder, const struct etw_held_provider *p)
{
	struct held_by *hold;

	list_for_each_entry(hold, &holder->held_providers, node)
		if (hold->of == p)
			return true;
	return false;
}

/* Register *new, or find an equal one; *new is NULL where it was taken. */
static struct etw_held_provider *held_find_or_add(struct etw_held_provider **new,
						  const struct etw_guid *guid, const char *name)
{
	struct etw_held_provider *p = held_find(guid);
	struct etw_held_kind *kind = (*new)->kind;
	int err;

	if (p)
		return p->kind == kind && kind->same(p, *new) ? p : ERR_PTR(-EEXIST);
	if (kind->count >= kind->max)
		return ERR_PTR(-ENOSPC);
	/* Whoever may trace need not be root, and must not write a driver's events. */
	if (etw_registration_of_module(guid, held_enable))
		return ERR_PTR(-EEXIST);
	p = *new;
	err = held_register(p, guid, name);
	if (err)
		return ERR_PTR(err);
	*new = NULL;
	mutex_lock(&list_lock);
	list_add_tail(&p->node, &held_providers);
	mutex_unlock(&list_lock);
	complete_all(&p->made);
	kind->count++;
	return p;
}

/**
 * etw_held_provider_make() - register a provider, or find the one that is the same
 * @holder: the open file that holds it from now on
 * @guid: the provider's
 * @name: the provider's
 * @new: what etw_held_provider_prepare() was called for; the callee's from now on
 *
 * May sleep.
 *
 * Return: the provider, valid while @holder is open; else -EEXIST, also if a module has the
 * GUID; -ENOSPC; -ENOMEM; errors of the kind and of etw_register_handle().
 */
struct etw_held_provider *etw_held_provider_make(struct etw_process *holder,
						 const struct etw_guid *guid, const char *name,
						 struct etw_held_provider *new)
{
	struct held_by *hold = kmalloc(sizeof(*hold), ETW_GFP);
	struct etw_held_provider *p = ERR_PTR(-ENOMEM);
	struct etw_held_kind *kind = new->kind;

	if (hold) {
		mutex_lock(&held_lock);
		p = held_find_or_add(&new, guid, name);
		if (!IS_ERR(p) && !held_has(holder, p)) {
			hold->of = p;
			p->holds++;
			list_add(&hold->node, &holder->held_providers);
			hold = NULL;
		}
		mutex_unlock(&held_lock);
	}
	kfree(hold);
	if (new)
		kind->free(new);
	return p;
}

/* The file is closed: nobody else uses its list. */
void etw_held_provider_release(struct etw_process *holder)
{
	struct held_by *hold, *tmp;

	if (list_empty(&holder->held_providers))
		return;
	mutex_lock(&held_lock);
	list_for_each_entry_safe(hold, tmp, &holder->held_providers, node) {
		hold->of->holds--;
		list_del(&hold->node);
		kfree(hold);
	}
	mutex_unlock(&held_lock);
	schedule_work(&review_work);
}

/* Does not wait for processes that make providers.  Lock held for call(): list_lock. */
void etw_held_provider_for_each(const struct etw_held_kind *kind,
				void (*call)(struct etw_held_provider *p))
{
	struct etw_held_provider *p;

	mutex_lock(&list_lock);
	list_for_each_entry(p, &held_providers, node)
		if (p->kind == kind)
			call(p);
	mutex_unlock(&list_lock);
}

/*
 * Nobody finds it any more, and its callback does not start it again.  Its GUID may become a new
 * provider's and be enabled before this one has stopped: if this one were not disabled, both would
 * write.
 */
static void held_leave(struct etw_held_provider *p, struct list_head *to)
{
	lockdep_assert_held(&held_lock);
	mutex_lock(&p->lock);
	p->leaving = true;
	mutex_unlock(&p->lock);
	if (p->kind->withdraw)
		p->kind->withdraw(p);
	etw_registration_disable_handle(p->provider);
	mutex_lock(&list_lock);
	list_move(&p->node, to);
	mutex_unlock(&list_lock);
	p->kind->count--;
}

#define ENDED_AT_ONCE	64

/* Remove all of a list from held_leave(). */
static void held_end_all(struct list_head *left)
{
	struct etw_provider *handles[ENDED_AT_ONCE];
	struct etw_held_provider *p, *tmp;
	unsigned int count = 0;
	LIST_HEAD(ended);

	list_for_each_entry_safe(p, tmp, left, node) {
		mutex_lock(&p->lock);
		if (p->kind->stop)
			p->kind->stop(p);
		mutex_unlock(&p->lock);
		handles[count++] = p->provider;
		list_move_tail(&p->node, &ended);
		if (count < ENDED_AT_ONCE && !list_empty(left))
			continue;
		/* Waits for callbacks and writers, and with them for handlers that have begun. */
		etw_registration_end_handles(handles, count);
		count = 0;
	}
	list_for_each_entry_safe(p, tmp, &ended, node)
		p->kind->free(p);
}

/* One that a file holds and that is started, but no session has it enabled; held once more. */
static struct etw_held_provider *held_idle(void)
{
	struct etw_held_provider *p;

	mutex_lock(&held_lock);
	list_for_each_entry(p, &held_providers, node) {
		if (p->holds && p->kind->active && p->kind->active(p) &&
		    !etw_provider_enabled(p->provider, 0, 0)) {
			p->holds++;
			mutex_unlock(&held_lock);
			return p;
		}
	}
	mutex_unlock(&held_lock);
	return NULL;
}

/* Whoever enables one now calls its callback afterwards, which waits for its lock. */
static void held_stop_idle(void)
{
	struct etw_held_provider *p;

	while ((p = held_idle())) {
		mutex_lock(&p->lock);
		if (!etw_provider_enabled(p->provider, 0, 0))
			p->kind->stop(p);
		mutex_unlock(&p->lock);
		mutex_lock(&held_lock);
		p->holds--;
		mutex_unlock(&held_lock);
	}
}

/*
 * Stop those that no session has enabled, and remove those of them that nobody holds.  After
 * that a new review is due whenever one is released or disabled.
 */
static void held_review(struct work_struct *work)
{
	struct etw_held_provider *p, *tmp;
	LIST_HEAD(left);

	held_stop_idle();
	mutex_lock(&held_lock);
	list_for_each_entry_safe(p, tmp, &held_providers, node)
		if (!p->holds && !etw_provider_enabled(p->provider, 0, 0))
			held_leave(p, &left);
	mutex_unlock(&held_lock);
	held_end_all(&left);
}

/* There are no files and no sessions, so nothing is held or enabled. */
void etw_held_provider_exit(void)
{
	cancel_work_sync(&review_work);
	held_review(NULL);
	/* The last of their callbacks may have queued it again. */
	cancel_work_sync(&review_work);
}
