/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * typed.h - what an event has besides its payload
 */
#ifndef ETW_TYPED_H
#define ETW_TYPED_H

#include "core/traits.h"
#include "trace.h"

struct etw_typed_event {
	struct etw_record_source source;	/* as it is written */
	struct etw_record_extra extra;
	struct etw_typed typed;
};

int etw_typed_event(struct etw_typed_event *to, const struct etw_snapshot *snapshot,
		    const struct etw_trace_how *how);

#endif /* ETW_TYPED_H */
