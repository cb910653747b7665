/* SPDX-License-Identifier: MIT */
/*
 * poll_wakeup.c - end another thread's poll
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cancel.h"
#include "poll_wakeup.h"

int etw_poll_wakeup_open(struct etw_poll_wakeup *wake)
{
	int saved = errno, ret = 0;

	if (pipe2(wake->fds, O_CLOEXEC | O_NONBLOCK)) {
		ret = -errno;
		wake->fds[0] = -1;
		wake->fds[1] = -1;
		errno = saved;
		return ret;
	}
	/* Both ends of a pipe are the same file. */
	ret = etw_kdev_system.identify(wake->fds[0], &wake->id);
	if (ret)
		etw_poll_wakeup_close(wake);
	return ret;
}

static bool ours(const struct etw_poll_wakeup *wake, int end)
{
	struct etw_kdev_id now;

	return wake->fds[end] >= 0 &&
	       !etw_kdev_system.identify(wake->fds[end], &now) &&
	       now.dev == wake->id.dev && now.ino == wake->id.ino;
}

void etw_poll_wakeup_close(struct etw_poll_wakeup *wake)
{
	int saved = errno, cancel = etw_cancel_hold(), i;

	for (i = 0; i < 2; i++) {
		if (ours(wake, i))
			close(wake->fds[i]);
		wake->fds[i] = -1;
	}
	etw_cancel_allow(cancel);
	errno = saved;
}

void etw_poll_wakeup_signal(const struct etw_poll_wakeup *wake)
{
	int saved = errno, cancel = etw_cancel_hold();

	/* A full pipe wakes the thread as well. */
	if (ours(wake, 1) && write(wake->fds[1], "", 1) < 0)
		errno = saved;
	etw_cancel_allow(cancel);
}

void etw_poll_wakeup_clear(const struct etw_poll_wakeup *wake)
{
	int saved = errno, cancel = etw_cancel_hold();
	char bytes[64];

	if (ours(wake, 0) && read(wake->fds[0], bytes, sizeof(bytes)) < 0)
		errno = saved;
	etw_cancel_allow(cancel);
}
