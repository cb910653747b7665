/* SPDX-License-Identifier: MIT */
/*
 * guard.h - writers to private sessions that look at a provider's filters or traits
 *
 * These stay while a writer is inside. New writers are counted on one of two sides, which
 * etw_guard_drain() switches, so that a steady stream of them cannot hold it up. A writer that
 * left by siglongjmp() is counted for ever: then nothing more is freed that it might use.
 */
#ifndef ETW_LIB_PROVIDER_GUARD_H
#define ETW_LIB_PROVIDER_GUARD_H

#include "lib/private/private.h"

/* The side, for etw_guard_leave() */
unsigned int etw_guard_enter(struct etw_private_guard *guard);
void etw_guard_leave(struct etw_private_guard *guard, unsigned int side);

/*
 * Wait for all writers that came before; what they use is out of the reach of new ones.
 * False: one of them, perhaps this thread, is still inside after a second.
 */
bool etw_guard_drain(struct etw_private_guard *guard);

#endif /* ETW_LIB_PROVIDER_GUARD_H */
