/* SPDX-License-Identifier: MIT */
/*
 * poll_wakeup.h - end another thread's poll
 *
 * A pipe and not an eventfd, because all eventfds are the same inode: a program
 * that closes descriptors it does not know, and reuses their numbers, must not
 * find our bytes in its files.
 */
#ifndef ETW_LIB_WAKE_H
#define ETW_LIB_WAKE_H

#include "kdev.h"

struct etw_wake {
	int fds[2];	/* poll the first for POLLIN */
	struct etw_kdev_id id;
};

#define ETW_WAKE_CLOSED	{ .fds = { -1, -1 } }

int etw_wake_open(struct etw_wake *wake);	/* 0 or -errno */
void etw_wake_close(struct etw_wake *wake);
void etw_wake_signal(const struct etw_wake *wake);
void etw_wake_clear(const struct etw_wake *wake);

#endif /* ETW_LIB_WAKE_H */
