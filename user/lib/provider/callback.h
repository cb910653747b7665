/* SPDX-License-Identifier: MIT */
/*
 * callback.h - the thread that runs enable callbacks
 *
 * One thread per process, started by the first registration with a callback,
 * ended by the last one's EventUnregister().  All signals are blocked in it.
 * All functions are called with the lock of struct etw_fork_state held.
 */
#ifndef ETW_LIB_PROVIDER_CALLBACK_H
#define ETW_LIB_PROVIDER_CALLBACK_H

#include "registration.h"

/* See that the thread runs; 0 or -errno. */
int etw_callback_start(struct etw_fork_state *proc);

/* Inside a callback: the session that a classic provider is told of. */
uint32_t etw_callback_logger_id(void);

/* The device's descriptor is another one now. */
void etw_callback_moved(struct etw_fork_state *proc);

/*
 * Wait until the callback of a closed registration is not running; at once if
 * the caller is that callback.  Drops the lock while it waits.
 */
void etw_callback_wait(struct etw_fork_state *proc, uint64_t handle);

struct etw_reg;

/*
 * Wait until the first callback of a new registration has returned, if it was
 * enabled already; at once inside a callback, for which the thread would wait, and
 * in a vfork child.  Drops the lock while it waits.
 *
 * What is waited for is known, not guessed: REGISTER has set the enable entry and
 * queued the notification before it returned, and the thread takes notifications in
 * their order.  So either that callback comes, or the thread finds nothing queued
 * after the registration was made, where the device has dropped it.
 */
void etw_callback_told(struct etw_fork_state *proc, struct etw_reg *reg, uint64_t handle);

/*
 * End the thread and wait for it; called from a callback, it ends later.
 * Drops the lock while it waits.
 */
void etw_callback_stop(struct etw_fork_state *proc, struct etw_fork_state_saved *saved);

#endif /* ETW_LIB_PROVIDER_CALLBACK_H */
