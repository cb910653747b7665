/* SPDX-License-Identifier: MIT */
/*
 * callback.h - the thread that runs enable callbacks
 *
 * One thread per process: the first registration with a callback starts it, and the
 * last EventUnregister() ends it. It blocks all signals. All functions are called with
 * the lock of struct etw_fork_state held.
 */
#ifndef ETW_LIB_PROVIDER_CALLBACK_H
#define ETW_LIB_PROVIDER_CALLBACK_H

#include "registration.h"

/* Start the thread unless it runs; 0 or -errno. */
int etw_callback_start(struct etw_fork_state *proc);

/* Inside a callback: the session whose notification a classic provider receives. */
uint32_t etw_callback_logger_id(void);

/* Notify the thread that the device's descriptor has changed. */
void etw_callback_moved(struct etw_fork_state *proc);

/* A notification of a private session; len bytes of filter data lie at data. */
struct etw_private_notice {
	struct etw_private_notice *next;
	struct etw_notify n;
	uint64_t data[];
};

/*
 * Queue a notification, which the thread takes over, and start the thread if need be. Returns
 * the number by which to wait for it.
 */
uint64_t etw_callback_queue(struct etw_fork_state *proc, struct etw_private_notice *notice);

/*
 * Wait until the callbacks up to that number have returned; false: not in time. Returns at
 * once inside a callback. timeout_ms 0xFFFFFFFF: without limit. Drops the lock while waiting.
 */
bool etw_callback_wait_queued(struct etw_fork_state *proc, uint64_t number, uint32_t timeout_ms);

/*
 * Wait until the callback of a closed registration is not running. Returns at once if
 * the caller is that callback. Drops the lock while waiting.
 */
void etw_callback_wait(struct etw_fork_state *proc, uint64_t handle);

/*
 * Wait until the first callback of a new registration that was already enabled has
 * returned. Returns at once inside a callback, which runs on the thread itself. Drops the
 * lock while waiting.
 *
 * The wait needs no timeout. REGISTER sets the enable entry and queues the notification
 * before it returns, and the thread takes notifications in order. So either the
 * callback runs, or the device has dropped the notification and the thread finds an
 * empty queue after the registration.
 */
void etw_callback_wait_first(struct etw_fork_state *proc, struct etw_reg *reg, uint64_t handle);

/*
 * End the thread and wait for it; if called from a callback, the thread ends later.
 * Drops the lock while waiting.
 */
void etw_callback_stop(struct etw_fork_state *proc, struct etw_fork_state_saved *saved);

#endif /* ETW_LIB_PROVIDER_CALLBACK_H */
