// SPDX-License-Identifier: GPL-2.0-only
/*
 * capture.c - request the state of providers: periodically, and of those that forward events
 *
 * The list of a timer belongs to a session.  It is under etw_control, which the work takes.
 * Once the session stops, the work does nothing and does not queue itself again;
 * etw_capture_timer_stop() waits until it does not run.
 *
 * A process that forwards (ETW_REGISTER_FORWARDS) has events that were written elsewhere, as into
 * the ring of a BPF program, and that no session has yet.  Its state is these events: it writes
 * them, then takes its next notification.  A session that has not got them counts them as lost.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "write/reserve.h"
#include "callback_kernel.h"
#include "callback_user.h"
#include "capture.h"
#include "enable.h"
#include "notice.h"
#include "registration.h"

/* How long a session waits for all that forward. */
#define FORWARD_LIMIT	(2 * HZ)

/* -------------------------------------------------------------------- timer */

static void capture_timer_restart(struct etw_enabler *session)
{
	if (session->capture.count)
		mod_delayed_work(etw_control_wq, &session->capture.work,
				 (unsigned long)session->capture.period_s * HZ);
	else
		cancel_delayed_work(&session->capture.work);
}

static void capture_timer_work(struct work_struct *work)
{
	struct etw_enabler *session = container_of(to_delayed_work(work), struct etw_enabler,
						   capture.work);
	u32 i;

	mutex_lock(&etw_control);
	if (!session->capture.stopped) {
		for (i = 0; i < session->capture.count; i++) {
			struct etw_enable_request req = {
				.session = session,
				.provider = session->capture.guids[i],
				.control = ETW_CONTROL_CAPTURE,
			};

			etw_provider_enable(&req, NULL, NULL);
		}
		capture_timer_restart(session);
	}
	mutex_unlock(&etw_control);
}

void etw_capture_timer_init(struct etw_enabler *session)
{
	INIT_DELAYED_WORK(&session->capture.work, capture_timer_work);
}

/*
 * Request the state of these providers every period_s seconds; count 0 ends this.
 * Exchanges *guids for the old list.
 */
void etw_capture_timer_set(struct etw_enabler *session, struct etw_guid **guids, u32 count,
			   u32 period_s)
{
	lockdep_assert_held(&etw_control);
	swap(session->capture.guids, *guids);
	session->capture.count = count;
	session->capture.period_s = count ? period_s : 0;
	capture_timer_restart(session);
}

/* After etw_provider_session_stopped(); without etw_control. */
void etw_capture_timer_stop(struct etw_enabler *session)
{
	cancel_delayed_work_sync(&session->capture.work);
}

/* ---------------------------------------------------------- forwarded events */

static void forwarded_lost(const struct etw_registration *reg, struct etw_session_hot *session)
{
	preempt_disable();
	etw_reserve_count_drops(session, ETW_DROP_DRAIN, &reg->provider->guid,
				ETW_LOSS_UNCOUNTED);
	preempt_enable();
}

static bool is_forwarder_of(const struct etw_registration *reg, const struct etw_enabler *session,
			    struct etw_forwarders which)
{
	const bool own = etw_enabled_by(reg->entry, reg, session);
	const bool group = etw_enabled_by(reg->group, reg, session);

	if (which.list)
		return group && etw_disallowed_has(which.list, &reg->provider->guid);
	return (own && (!which.guid || etw_guid_equal(which.guid, &reg->entry->guid))) ||
	       (group && (!which.guid || etw_guid_equal(which.guid, &reg->group->guid)));
}

/* One whose process has ended is asked, too: its end answers, and counts first. */
static void forwarders_ask(const struct etw_enabler *session, struct etw_forwarders which,
			   struct etw_waiter *waiter)
{
	struct etw_registration *reg;
	struct etw_notice_call call;

	mutex_lock(&etw_control);
	list_for_each_entry(reg, &etw_forwarders, forward_node) {
		if (!is_forwarder_of(reg, session, which))
			continue;
		etw_notice_call_fill(&call, &reg->provider->enable, ETW_CONTROL_CAPTURE, NULL,
				     waiter);
		etw_callback_queue(reg, &call);
	}
	mutex_unlock(&etw_control);
}

/* waiter: of those that were asked; NULL: that is not known, or nobody was. */
static void forwarders_lost(const struct etw_enabler *session, struct etw_forwarders which,
			    const struct etw_waiter *waiter)
{
	struct etw_registration *reg;

	mutex_lock(&etw_control);
	list_for_each_entry(reg, &etw_forwarders, forward_node)
		if (is_forwarder_of(reg, session, which) &&
		    (!waiter || etw_callback_queue_waits(reg, waiter)))
			forwarded_lost(reg, session->hot);
	mutex_unlock(&etw_control);
}

/*
 * Let the session have what was written until now and is yet to be forwarded to it.  ends: it may
 * not get it later, so it counts an unknown loss for each process that has not written it within
 * FORWARD_LIMIT.  Without etw_control; sleeps, and returns early if the task is killed.  -ETIMEDOUT:
 * not all have written it.
 */
int etw_capture_forwarded(struct etw_enabler *session, struct etw_forwarders which, bool ends)
{
	struct etw_waiter *waiter;
	long answered = 0;
	bool dropped;

	/* One that is added now has nothing from before this call. */
	if (list_empty(&etw_forwarders))
		return 0;
	waiter = etw_waiter_alloc();
	if (waiter) {
		forwarders_ask(session, which, waiter);
		etw_waiter_done(waiter);
		answered = wait_for_completion_killable_timeout(&waiter->done, FORWARD_LIMIT);
	}
	dropped = waiter && READ_ONCE(waiter->dropped);
	if (ends && (answered <= 0 || dropped))
		forwarders_lost(session, which, dropped ? NULL : waiter);
	etw_waiter_put(waiter);
	return answered > 0 && !dropped ? 0 : -ETIMEDOUT;
}

/* Its process has ended without having unregistered it: what it had to write is lost. */
void etw_capture_forwarder_died(const struct etw_registration *reg)
{
	const struct etw_snapshot *snapshot;
	u32 i;

	lockdep_assert_held(&etw_control);
	snapshot = rcu_dereference_protected(reg->provider->snapshot,
					     lockdep_is_held(&etw_control));
	for (i = 0; snapshot && i < snapshot->count; i++)
		forwarded_lost(reg, snapshot->entries[i].session);
}
