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
