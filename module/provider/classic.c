// SPDX-License-Identifier: GPL-2.0-only
/*
 * classic.c - enable classic providers, which have one session at a time
 */
#include <linux/bits.h>

#include "classic.h"
#include "notice.h"

/* Return the bit of the slot in scope that was enabled last; 0: scope is empty. */
u8 etw_classic_latest(const struct etw_enablement *slots, u8 scope)
{
	int i, latest = -1;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		if (scope & BIT(i) &&
		    (latest < 0 || slots[i].order > slots[latest].order))
			latest = i;
	return latest < 0 ? 0 : BIT(latest);
}

/* Give an enabled registration's callback its session's id, level and keyword. */
void etw_classic_notice(struct etw_notice_call *call, const struct etw_registration *reg)
{
	const struct etw_enablement *slot = &reg->entry->slots[__ffs(reg->scope)];

	lockdep_assert_held(&etw_control);
	call->level = slot->level;
	call->any = (u32)slot->any;
	call->all = 0;
	call->logger_id = slot->session->hot->logger_id;
}
