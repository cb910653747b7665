/* SPDX-License-Identifier: MIT */
/*
 * poll_wakeup.h - end another thread's poll
 *
 * A pipe, not an eventfd, since all eventfds share one inode: if a program closes
 * descriptors that it does not know and reuses their numbers, our bytes must not end up
 * in its files.
 */
#ifndef ETW_DEVICE_POLL_WAKEUP_H
#define ETW_DEVICE_POLL_WAKEUP_H

#include "kdev.h"

struct etw_poll_wakeup {
	int fds[2];	/* poll the first for POLLIN */
	struct etw_kdev_id id;
};

#define ETW_WAKE_CLOSED	{ .fds = { -1, -1 } }

int etw_poll_wakeup_open(struct etw_poll_wakeup *wake);	/* 0 or -errno */
void etw_poll_wakeup_close(struct etw_poll_wakeup *wake);
void etw_poll_wakeup_signal(const struct etw_poll_wakeup *wake);
void etw_poll_wakeup_clear(const struct etw_poll_wakeup *wake);

#endif /* ETW_DEVICE_POLL_WAKEUP_H */
