// SPDX-License-Identifier: GPL-2.0-only
/* vm_fault_write.c - what a write leaves behind that succeeded, and one that failed */
#include "lib/fault/vm_fault_write.h"

bool fault_written(struct fault_env *e)
{
	struct etw_session_stat st;

	return !vm_stat(e->fd, e->base, &st) && st.written == e->before.written + 1 &&
	       vm_dropped(&st) == vm_dropped(&e->before);
}

bool fault_counted(struct fault_env *e, const struct fault_state *was, int ret)
{
	uint32_t cause = ret == -ENOMEM ? ETW_DROP_NO_BUFFER : ETW_DROP_COPY_FAULT;
	struct etw_session_stat st;
	uint64_t more;

	(void)was;
	if (vm_stat(e->fd, e->base, &st) || st.written != e->before.written)
		return false;
	more = vm_dropped(&st) - vm_dropped(&e->before);
	e->info.events += more;		/* for the test that runs it */
	return more == st.dropped[cause] - e->before.dropped[cause] && more <= 1 &&
	       (more || ret == -EFAULT);
}
