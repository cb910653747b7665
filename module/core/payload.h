/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * payload.h - payload filters: check a program once, run it for each event
 *
 * The program is that of abi_filter.h.  Only checked programs run, so running one
 * needs no memory, cannot fail, and takes time in proportion to the payload, once for the
 * walk and once for each test, at most ETW_PAYLOAD_TESTS: see etw_payload_weight().  It reads
 * the pieces of a payload in place.
 */
#ifndef ETW_CORE_PAYLOAD_H
#define ETW_CORE_PAYLOAD_H

#include "core/record.h"
#include <etw/abi_filter.h>

/*
 * Check a program of len bytes, 8-byte aligned, and prepare it in place, once.  0 or
 * -EINVAL.
 */
int etw_payload_load(void *program, u32 len);

/* How often a checked program examines a payload, up to ETW_PAYLOAD_SEARCH_MAX, at most. */
u32 etw_payload_weight(const void *program);

/*
 * Does an event pass?  source was measured, without other items.  typed: data descriptors
 * with a type are no payload.  The payload may change meanwhile, and even the list of its
 * pieces may: no byte beyond a piece is read.  Any context.
 */
bool etw_payload_pass(const void *program, const struct etw_record_source *source, bool typed);

#endif /* ETW_CORE_PAYLOAD_H */
