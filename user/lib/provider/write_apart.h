/* SPDX-License-Identifier: MIT */
/*
 * write_apart.h - write an event through a registration that ends with the write
 *
 * For a vfork child, which shares the memory of its parent and must not change it, and
 * for a signal handler that must not wait for the write that it interrupted.
 */
#ifndef ETW_LIB_PROVIDER_WRITE_APART_H
#define ETW_LIB_PROVIDER_WRITE_APART_H

#include "registration.h"

/*
 * Write through a descriptor and a registration that end when this returns. The
 * arguments are those of etw_reg_write(). -EBADF: the registration has ended; -ENOMEM:
 * it was not possible.
 */
int etw_write_apart(struct etw_fork_state *proc, struct etw_reg *reg, uint64_t handle,
		    unsigned int command, void *write, uint32_t size);

/*
 * Count an event as lost through another process's registration: slot, in the file of
 * descriptor fd. -ENOMEM, unless the kernel has counted no loss because no session wants
 * the event, or only INDEPENDENT ones do: then 0, or -ENOENT for a classic record.
 */
int etw_write_lost(int fd, const struct etw_kdev_id *id, uint32_t slot, unsigned int command,
		   const void *write);

#endif /* ETW_LIB_PROVIDER_WRITE_APART_H */
