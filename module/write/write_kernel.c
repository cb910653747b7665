// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_kernel.c - the functions with which kernel modules write events
 */
#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "activity.h"
#include "described.h"
#include "hotpath.h"
#include "opts.h"
#include "plain_typed.h"
#include "scope.h"
#include "write_kernel.h"

/* A run-time handle has no static key to skip writes while the provider is disabled. */
static __always_inline bool has_snapshot(const struct etw_provider *provider)
{
	return rcu_access_pointer(provider->snapshot);
}

static __always_inline const struct etw_guid *activity_of(const struct etw_guid *given,
							  struct etw_guid *room)
{
	if (static_branch_unlikely(&etw_activity_used) && !given)
		return etw_activity_current(room);
	return given;
}

static __always_inline int write_measured(const struct etw_provider *provider,
					  struct etw_record_source *source,
					  const struct etw_write_opts *opts)
{
	struct etw_guid activity UNINITIALIZED;

	source->activity = activity_of(source->activity, &activity);
	return etw_hotpath_write(provider, source, opts);
}

/* etw_record_measure() returned err.  Out of line, to keep its registers off the fast path. */
static noinline int write_doubtful(const struct etw_provider *provider,
				   struct etw_record_source *source,
				   const struct etw_write_opts *opts, int err)
{
	if (err == -EFAULT && etw_record_pieces_ok(source))
		return write_measured(provider, source, opts);
	if (err == -EFAULT)
		return etw_hotpath_drop(provider, source->desc, opts, ETW_DROP_COPY_FAULT);
	if (err == -EOVERFLOW)
		return etw_hotpath_drop(provider, source->desc, opts, ETW_DROP_EVENT_SIZE);
	return err;
}

/* Every other write, and those about which there is a doubt. */
static noinline int write_kernel(const struct etw_provider *provider,
				 const struct etw_event_descriptor *desc,
				 const struct etw_guid *activity,
				 const struct etw_guid *related, u32 count,
				 const struct etw_data_descriptor *data,
				 const struct etw_write_opts *opts)
{
	struct etw_record_source source UNINITIALIZED;
	int err;

	etw_plain_describe(&source, provider, desc, activity, related, count, data);
	source.ids = etw_plain_ids();
	err = etw_record_measure(&source);
	if (unlikely(err))
		return write_doubtful(provider, &source, opts, err);
	return write_measured(provider, &source, opts);
}

/*
 * etw_write() ends, without and with an error.  Preemption is off before, and on after it.  A
 * function that calls these last needs no frame for what enabling preemption may call.
 */
static noinline int write_nothing(void)
{
	preempt_enable_notrace();
	return 0;
}

static noinline int write_failed(int err)
{
	preempt_enable_notrace();
	return err;
}

static __always_inline int write_done(int err)
{
	return likely(!err) ? write_nothing() : write_failed(err);
}

/* As write_nothing(), for an event that is not plain. */
static noinline int write_general(const struct etw_provider *provider,
				  const struct etw_event_descriptor *desc, u32 count,
				  const struct etw_data_descriptor *data)
{
	const struct etw_snapshot *snapshot = rcu_dereference_sched(provider->snapshot);
	struct etw_record_source source UNINITIALIZED;
	struct etw_guid activity UNINITIALIZED;
	int ret;

	if (unlikely(!snapshot))
		return write_nothing();
	etw_plain_describe(&source, provider, desc, activity_of(NULL, &activity), NULL, count, data);
	source.ids = etw_plain_ids();
	ret = etw_hotpath_write_driver(snapshot, &source);
	preempt_enable_notrace();
	if (unlikely(ret == ETW_HOTPATH_UNDONE))
		return write_kernel(provider, desc, NULL, NULL, count, data, NULL);
	return ret;
}

/* As write_nothing(), for ETW_WAY_FILTERED and ETW_WAY_NUMBER, by running the filter's program. */
static noinline __no_stack_protector int
write_examined(const struct etw_provider *provider, const struct etw_event_descriptor *desc,
	       u32 count, const struct etw_data_descriptor *data,
	       const struct etw_snapshot *snapshot)
{
	struct etw_record_source source UNINITIALIZED;
	int ret;

	etw_plain_describe(&source, provider, desc, NULL, NULL, count, data);
	if (unlikely(!etw_plain_write(snapshot, true, true, &source, &ret)))
		return write_general(provider, desc, count, data);
	return write_done(ret);
}

/*
 * As write_nothing(), for ETW_WAY_FILTERED, ETW_WAY_IDS and ETW_WAY_NUMBER, and for what is not
 * quite ETW_WAY_ONE.
 */
static noinline __no_stack_protector int
write_filtered(const struct etw_provider *provider, const struct etw_event_descriptor *desc,
	       u32 count, const struct etw_data_descriptor *data,
	       const struct etw_snapshot *snapshot)
{
	enum etw_payload_answer answer = etw_plain_try_payload(snapshot, desc, data, count);
	struct etw_record_source source UNINITIALIZED;
	int ret;

	if (answer == ETW_PAYLOAD_FAILS)
		return write_nothing();
	if (answer == ETW_PAYLOAD_RUN)
		return write_examined(provider, desc, count, data, snapshot);
	etw_plain_describe(&source, provider, desc, NULL, NULL, count, data);
	if (unlikely(!etw_plain_write(snapshot, true, false, &source, &ret)))
		return write_general(provider, desc, count, data);
	return write_done(ret);
}

/* As write_nothing(), for ETW_WAY_STACK. */
static noinline int write_stackless(const struct etw_provider *provider,
				    const struct etw_event_descriptor *desc, u32 count,
				    const struct etw_data_descriptor *data,
				    const struct etw_snapshot *snapshot)
{
	if (etw_match_stack(snapshot->entries[0].events, desc))
		return write_general(provider, desc, count, data);
	return write_filtered(provider, desc, count, data, snapshot);
}

/* As write_nothing(), for ETW_WAY_ONE. */
static noinline int write_plain(const struct etw_provider *provider,
				const struct etw_event_descriptor *desc, u32 count,
				const struct etw_data_descriptor *data,
				const struct etw_snapshot *snapshot)
{
	struct etw_record_source source UNINITIALIZED;
	int ret;

	etw_plain_describe(&source, provider, desc, NULL, NULL, count, data);
	if (unlikely(!etw_plain_write(snapshot, false, false, &source, &ret)))
		return write_filtered(provider, desc, count, data, snapshot);
	return write_done(ret);
}

/* As write_nothing(), for ETW_WAY_TYPED of one session. */
static noinline __no_stack_protector int
write_plain_typed(const struct etw_provider *provider, const struct etw_event_descriptor *desc,
	    u32 count, const struct etw_data_descriptor *data, const struct etw_snapshot *snapshot)
{
	struct etw_record_source source UNINITIALIZED;
	int ret;

	etw_plain_describe(&source, provider, desc, NULL, NULL, count, data);
	if (unlikely(!etw_plain_write_typed(snapshot, 1, 0, NULL, &source, &ret)))
		return write_general(provider, desc, count, data);
	return write_done(ret);
}

/* To all sessions, for a payer.  Preemption is off, and stays so.  false: nothing was done. */
static noinline __no_stack_protector bool
typed_to_several(u64 payer, const struct etw_provider *provider,
		 const struct etw_event_descriptor *desc, u32 count,
		 const struct etw_data_descriptor *data, const struct etw_snapshot *snapshot,
		 int *result)
{
	struct etw_record_source source UNINITIALIZED;

	etw_plain_describe(&source, provider, desc, NULL, NULL, count, data);
	return etw_plain_write_typed(snapshot, snapshot->count, payer, NULL, &source, result);
}

/* As typed_to_several(), to the only session. */
static noinline __no_stack_protector bool
typed_to_one(u64 payer, const struct etw_provider *provider,
		 const struct etw_event_descriptor *desc, u32 count,
		 const struct etw_data_descriptor *data, const struct etw_snapshot *snapshot,
		 int *result)
{
	struct etw_record_source source UNINITIALIZED;

	etw_plain_describe(&source, provider, desc, NULL, NULL, count, data);
	return etw_plain_write_typed(snapshot, 1, payer, NULL, &source, result);
}

/* As write_nothing(), for ETW_WAY_TYPED of several sessions. */
static noinline int write_plain_typed_several(const struct etw_provider *provider,
					      const struct etw_event_descriptor *desc, u32 count,
					      const struct etw_data_descriptor *data,
					      const struct etw_snapshot *snapshot)
{
	int ret;

	if (unlikely(!typed_to_several(0, provider, desc, count, data, snapshot, &ret)))
		return write_general(provider, desc, count, data);
	return write_done(ret);
}

/* As write_nothing(), for ETW_WAY_SEVERAL. */
static noinline __no_stack_protector int
write_several(const struct etw_provider *provider, const struct etw_event_descriptor *desc,
	      u32 count, const struct etw_data_descriptor *data,
	      const struct etw_snapshot *snapshot)
{
	struct etw_record_source source UNINITIALIZED;
	int ret;

	etw_plain_describe(&source, provider, desc, NULL, NULL, count, data);
	if (unlikely(!etw_plain_write_all(snapshot, false, &source, &ret)))
		return write_general(provider, desc, count, data);
	return write_done(ret);
}

/* As write_nothing(), for ETW_WAY_SEVERAL if some of the sessions have filters. */
static noinline __no_stack_protector int
write_several_filtered(const struct etw_provider *provider,
		       const struct etw_event_descriptor *desc, u32 count,
		       const struct etw_data_descriptor *data, const struct etw_snapshot *snapshot)
{
	struct etw_record_source source UNINITIALIZED;
	int ret;

	etw_plain_describe(&source, provider, desc, NULL, NULL, count, data);
	if (unlikely(!etw_plain_write_all(snapshot, true, &source, &ret)))
		return write_general(provider, desc, count, data);
	return write_done(ret);
}

/* As write_nothing(), for ETW_WAY_SEVERAL; without a stack, for the events that none asks for. */
static noinline int write_asked(const struct etw_provider *provider,
				const struct etw_event_descriptor *desc, u32 count,
				const struct etw_data_descriptor *data,
				const struct etw_snapshot *snapshot)
{
	if (!etw_plain_asked(snapshot, desc))
		return write_nothing();
	if (snapshot->filtered)
		return write_several_filtered(provider, desc, count, data, snapshot);
	return write_several(provider, desc, count, data, snapshot);
}

/**
 * etw_write_transfer() - write an event with activity ids
 * @provider: a provider; nothing is written unless it is registered
 * @desc: the event's descriptor, written unchanged
 * @activity: activity id, or NULL: the task's, see etw_activity_id_control()
 * @related: related activity id, stored as an extended item, or NULL
 * @count: number of data descriptors, at most 128
 * @data: pieces of the payload, stored one after the other without padding
 *
 * Any context, NMI included; does not sleep.  Tests level and keyword itself,
 * but ETW_EVENT_ENABLED() before the call is cheaper.
 *
 * Return: 0, even if no session takes the event; -EINVAL: more than 128 pieces;
 * -EOVERFLOW: over 64 KB with header and items; -EMSGSIZE: larger than a session's
 * buffer; -ENOBUFS: a session had no free buffer; -EFAULT: the payload, an activity id
 * or metadata could not be read.  The sessions that fail count the event as lost; the
 * others get it.
 */
int etw_write_transfer(struct etw_provider *provider,
		       const struct etw_event_descriptor *desc,
		       const struct etw_guid *activity,
		       const struct etw_guid *related, u32 count,
		       const struct etw_data_descriptor *data)
{
	if (!activity && !related)
		return __etw_write(provider, desc, count, data);
	if (!has_snapshot(provider))
		return 0;
	return write_kernel(provider, desc, activity, related, count, data, NULL);
}
EXPORT_SYMBOL_GPL(etw_write_transfer);

/**
 * __etw_write() - etw_write() of every event, out of line
 * @provider: as for etw_write()
 * @desc: likewise
 * @count: likewise
 * @data: likewise
 *
 * Return: as etw_write().
 */
int __etw_write(struct etw_provider *provider,
		const struct etw_event_descriptor *desc, u32 count,
		const struct etw_data_descriptor *data)
{
	const struct etw_snapshot *snapshot;

	/* Each of these enables preemption again, so this function needs no stack. */
	preempt_disable_notrace();
	snapshot = rcu_dereference_sched(provider->snapshot);
	if (unlikely(!snapshot))
		return write_nothing();
	if (static_branch_unlikely(&etw_activity_used))
		return write_general(provider, desc, count, data);
	if (likely(snapshot->way == ETW_WAY_ONE))
		return write_plain(provider, desc, count, data, snapshot);
	if (snapshot->way == ETW_WAY_TYPED)
		return snapshot->count == 1 ? write_plain_typed(provider, desc, count, data, snapshot) :
			write_plain_typed_several(provider, desc, count, data, snapshot);
	if (snapshot->way >= ETW_WAY_FILTERED && snapshot->way <= ETW_WAY_NUMBER)
		return write_filtered(provider, desc, count, data, snapshot);
	if (snapshot->way == ETW_WAY_SEVERAL)
		return write_asked(provider, desc, count, data, snapshot);
	if (snapshot->way == ETW_WAY_STACK)
		return write_stackless(provider, desc, count, data, snapshot);
	return write_general(provider, desc, count, data);
}
EXPORT_SYMBOL_GPL(__etw_write);

/**
 * etw_write_ex() - write an event to all sessions except some
 * @provider: a provider; nothing is written unless it is registered
 * @desc: the event's descriptor, written unchanged
 * @exclude: bit i excludes the session with logger id i + 1
 * @flags: ETW_EX_INPRIVATE; ETW_EX_NO_FAULTING, which changes nothing; or 0
 * @activity: as for etw_write_transfer()
 * @related: as for etw_write_transfer()
 * @count: number of data descriptors, at most 128
 * @data: pieces of the payload, stored one after the other without padding
 *
 * As etw_write_transfer().
 *
 * Return: as etw_write_transfer(); -EINVAL also for unknown flags.
 */
int etw_write_ex(struct etw_provider *provider,
		 const struct etw_event_descriptor *desc, u64 exclude, u32 flags,
		 const struct etw_guid *activity, const struct etw_guid *related,
		 u32 count, const struct etw_data_descriptor *data)
{
	struct etw_write_opts opts = {
		.exclude = exclude,
		.inprivate = flags & ETW_EX_INPRIVATE,
	};

	if (flags & ~(ETW_EX_INPRIVATE | ETW_EX_NO_FAULTING))
		return -EINVAL;
	if (!has_snapshot(provider))
		return 0;
	return write_kernel(provider, desc, activity, related, count, data, &opts);
}
EXPORT_SYMBOL_GPL(etw_write_ex);

/* To all sessions of a snapshot, straight.  Preemption is off.  false: nothing was done. */
static __always_inline bool write_typed_paid(u64 payer, const struct etw_provider *provider,
					     const struct etw_event_descriptor *desc, u32 count,
					     const struct etw_data_descriptor *data,
					     const struct etw_snapshot *snapshot, int *result)
{
	if (unlikely(snapshot->way != ETW_WAY_TYPED) || static_branch_unlikely(&etw_activity_used))
		return false;
	return likely(snapshot->count == 1) ?
		typed_to_one(payer, provider, desc, count, data, snapshot, result) :
		typed_to_several(payer, provider, desc, count, data, snapshot, result);
}

/*
 * As etw_write(), for an event that a task causes and its user pays for, so that they and not
 * the drivers lose events when they cause too many.  payer: see fair.h; 0 in interrupts.
 */
int etw_write_paid(u64 payer, const struct etw_provider *provider,
		   const struct etw_event_descriptor *desc, u32 count,
		   const struct etw_data_descriptor *data)
{
	const struct etw_write_opts opts = { .payer = payer };
	const struct etw_snapshot *snapshot;
	bool done;
	int ret = 0;

	preempt_disable_notrace();
	snapshot = rcu_dereference_sched(provider->snapshot);
	done = !snapshot || write_typed_paid(payer, provider, desc, count, data, snapshot, &ret);
	preempt_enable_notrace();
	if (likely(done))
		return ret;
	return write_kernel(provider, desc, NULL, NULL, count, data, &opts);
}

/*
 * As etw_write_paid(), to the sessions that etw_scope_ask() has found, and to no other one that
 * has enabled the provider since.  Preemption is off since it was asked.
 */
int etw_write_asked(u64 payer, const struct etw_provider *provider,
		    const struct etw_event_descriptor *desc, const struct etw_scope_answer *answer,
		    u32 count, const struct etw_data_descriptor *data)
{
	const struct etw_write_opts opts = { .payer = payer, .exclude = answer->excluded };
	int ret;

	if (likely(answer->all) &&
	    likely(write_typed_paid(payer, provider, desc, count, data, answer->snapshot, &ret)))
		return ret;
	return write_kernel(provider, desc, NULL, NULL, count, data, &opts);
}

/*
 * As etw_write_paid() with sessions to exclude, as for etw_write_ex().  The event's stack begins
 * at regs, or with the program if regs are the program's.  Any context.
 */
int etw_write_traced(u64 payer, const struct etw_provider *provider,
		     const struct etw_event_descriptor *desc, u64 exclude,
		     const struct pt_regs *regs, u32 count, const struct etw_data_descriptor *data)
{
	const struct etw_write_opts opts = { .payer = payer, .exclude = exclude, .regs = regs };

	if (!has_snapshot(provider))
		return 0;
	return write_kernel(provider, desc, NULL, NULL, count, data, &opts);
}

/*
 * As etw_write(), for an event that describes the others: it is for those of these sessions, bits
 * of their logger ids, that have the provider enabled, whatever they select.
 */
int etw_write_describing(const struct etw_provider *provider, u64 sessions,
			 const struct etw_event_descriptor *desc, u32 count,
			 const struct etw_data_descriptor *data)
{
	const struct etw_write_opts opts = { .describes = true, .exclude = ~sessions };

	if (!has_snapshot(provider))
		return 0;
	return write_kernel(provider, desc, NULL, NULL, count, data, &opts);
}
