// SPDX-License-Identifier: GPL-2.0-only
/*
 * capture_timer.c - request the state of providers periodically
 *
 * The list belongs to a session.  It is under etw_control, which the work takes.  Once
 * the session stops, the work does nothing and does not queue itself again;
 * etw_capture_timer_stop() waits until it does not run.
 */
#include <linux/slab.h>

#include "capture_timer.h"
#include "enable.h"

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
