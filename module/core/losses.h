/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * losses.h - what one stream has lost and not recorded yet, added up by cause
 */
#ifndef ETW_CORE_LOSSES_H
#define ETW_CORE_LOSSES_H

#include "core/ledger.h"
#include <etw/abi.h>

/*
 * The kinds of losses that are added up apart: for each cause of the session one, for what nobody
 * could count of its probes one, and for each other cause one.
 */
#define ETW_LOSS_UNCOUNTED_KIND	ETW_DROP_CAUSES
#define ETW_LOSS_OTHER_KINDS	(ETW_DROP_CAUSES + 1)
#define ETW_LOSS_KINDS		(ETW_LOSS_OTHER_KINDS + ETW_LOSS_END - ETW_LOSS_ABANDONED)

/* All zero: nothing was lost. */
struct etw_losses {
	u32 present;			/* bit i: sum[i] is a loss */
	bool missing;			/* buffers are, and no stand-in records them yet */
	struct etw_loss_payload sum[ETW_LOSS_KINDS];
	struct etw_buffer_header last;	/* of the last missing buffer; a flag of any is set */
	s64 closed;			/* ... when it was closed, session clock */
};

/* Where records go, and what they have in common. */
struct etw_loss_output {
	u8 *data;		/* a buffer */
	u32 at;			/* ... its used bytes, a multiple of 8 */
	u32 end;		/* ... and its size */
	s64 timestamp;		/* ticks of the buffer's clock */
	s64 noted;		/* FILETIME of timestamp */
	const char *session;
	u32 session_len;
};

void etw_losses_add(struct etw_losses *losses, const struct etw_loss_payload *loss);
void etw_losses_add_records(struct etw_losses *losses, const u8 *data, u32 begin, u32 end);
void etw_losses_add_missing_buffer(struct etw_losses *losses,
				   const struct etw_buffer_header *header, s64 closed);
void etw_losses_move(struct etw_losses *to, struct etw_losses *from);
u32 etw_losses_build(const struct etw_losses *losses, struct etw_loss_output *output);
void etw_losses_clear(struct etw_losses *losses, u32 built);
u32 etw_losses_stand_in(const struct etw_losses *losses, struct etw_loss_output *output);
u32 etw_loss_of_file_error(int err);

#endif /* ETW_CORE_LOSSES_H */
