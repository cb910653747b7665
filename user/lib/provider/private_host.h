/* SPDX-License-Identifier: MIT */
/*
 * private_host.h - what private sessions need of the registrations
 */
#ifndef ETW_LIB_PROVIDER_PRIVATE_HOST_H
#define ETW_LIB_PROVIDER_PRIVATE_HOST_H

#include "registration.h"

/* Make this folder the one that private sessions call. */
void etw_private_host_set(void);

/*
 * A registration with a callback was made: if a private session has enabled its provider
 * already, run the callback before this returns. The lock is held, and dropped meanwhile.
 */
void etw_private_host_registered(struct etw_fork_state *proc, uint64_t handle);

/*
 * Forget what the sessions of this process's parent have enabled, unless that was done. The
 * lock is held.
 */
void etw_private_host_forget(struct etw_fork_state *proc);

#endif /* ETW_LIB_PROVIDER_PRIVATE_HOST_H */
