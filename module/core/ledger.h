/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ledger.h - the records of losses, see "losses" in format.h
 */
#ifndef ETW_CORE_LEDGER_H
#define ETW_CORE_LEDGER_H

#include "core/record.h"

#define ETW_LOSS_SESSION_MAX	64	/* bytes of the session's name that are kept, with NUL */

/* Bytes that one record takes in a buffer, at most. */
#define ETW_LOSS_SLOT_MAX	416

const char *etw_loss_cause(u32 code);
const char *etw_loss_text(u32 code);
u32 etw_loss_build(u8 *slot, const struct etw_loss_payload *loss, const char *session,
		   u32 session_len, s64 timestamp, u16 flags);
bool etw_loss_parse(const struct etw_record_view *view, struct etw_loss_payload *loss);

/* Is it a loss of one consumer or file, rather than of the session?  No header counts its events. */
static inline bool etw_loss_of_stream(u32 code)
{
	return code > ETW_LOSS_ABANDONED && code < ETW_LOSS_END;
}

#endif /* ETW_CORE_LEDGER_H */
