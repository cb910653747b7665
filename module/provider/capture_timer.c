// SPDX-License-Identifier: GPL-2.0-only
/*
 * capture_timer.c - asking providers for their state again and again
 *
 * The list is a session's own, under etw_control, as is the work while it runs.
 * A session that stops is not found any more by its work, which then does not
 * come again; etw_periodic_stop() waits for the one that may be running.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "alloc.h"
#include "ioctl.h"
#include "provider.h"
#include "session/session.h"

static void again(struct etw_trace_session *s)
{
	if (s->periodic.count)
		mod_delayed_work(etw_control_wq, &s->periodic.work,
				 (unsigned long)s->periodic.period_s * HZ);
	else
		cancel_delayed_work(&s->periodic.work);
}

/* Who cannot be asked this time, for want of memory, is asked the next time. */
static void ask_all(struct work_struct *work)
{
	struct etw_trace_session *s = container_of(to_delayed_work(work),
						   struct etw_trace_session, periodic.work);
	u32 i;

	mutex_lock(&etw_control);
	if (etw_session_find(s->handle, NULL, 0) == s) {
		for (i = 0; i < s->periodic.count; i++) {
			struct etw_enable_request req = {
				.session = s,
				.provider = s->periodic.guids[i],
				.control = ETW_CONTROL_CAPTURE,
			};

			etw_provider_enable(&req, NULL);
		}
		again(s);
	}
	mutex_unlock(&etw_control);
}

void etw_periodic_init(struct etw_trace_session *s)
{
	INIT_DELAYED_WORK(&s->periodic.work, ask_all);
}

/* The session is not found any more; without etw_control. */
void etw_periodic_stop(struct etw_trace_session *s)
{
	cancel_delayed_work_sync(&s->periodic.work);
}

static bool has_null(const struct etw_guid *guids, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (etw_guid_is_null(&guids[i]))
			return true;
	return false;
}

/*
 * The caller needs what asking each of them once takes.  On success *guids are
 * those that were set before.  Under etw_control.
 */
static int replace(const struct etw_session_capture *c, struct etw_guid **guids)
{
	struct etw_trace_session *s;
	u32 i;

	s = etw_access_session(c->handle, NULL, 0, ETW_RIGHT_CREATE_REALTIME);
	if (IS_ERR(s))
		return PTR_ERR(s);
	for (i = 0; i < c->count; i++)
		if (!etw_access_granted(&(*guids)[i], ETW_RIGHT_GUID_ENABLE))
			return -EPERM;
	swap(s->periodic.guids, *guids);
	s->periodic.count = c->count;
	s->periodic.period_s = c->count ? c->period_s : 0;
	again(s);
	return 0;
}

static long set(const struct etw_session_capture *c)
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
	err = replace(c, &guids);
	mutex_unlock(&etw_control);
	kfree(guids);		/* those that were set, or not to be */
	return err;
}

static long tell(struct etw_session_capture *c)
{
	struct etw_trace_session *s;
	struct etw_guid *guids;
	u32 n = 0;
	long err;

	guids = kcalloc(ETW_CAPTURE_MAX, sizeof(*guids), ETW_GFP);
	if (!guids)
		return -ENOMEM;
	mutex_lock(&etw_control);
	s = etw_access_session(c->handle, NULL, 0, ETW_RIGHT_QUERY);
	err = PTR_ERR_OR_ZERO(s);
	if (!err) {
		n = min(c->count, s->periodic.count);
		memcpy(guids, s->periodic.guids, n * sizeof(*guids));
		c->count = s->periodic.count;
		c->period_s = s->periodic.period_s;
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
	return c->flags & ETW_CAPTURE_SET ? set(c) : tell(c);
}
