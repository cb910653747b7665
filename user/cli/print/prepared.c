/* SPDX-License-Identifier: MIT */
/*
 * prepared.c - parts of a line that are the same for all events of one kind
 *
 * The decoder recognises such events; what they share is formatted for the first of them,
 * and copied for the others.
 */
#include "cli/cli.h"
#include "event.h"
#include "prepared.h"

/* Do the parts follow from the event's kind alone? */
static bool is_constant(const struct event_printer *printer)
{
	return !printer->colour && !printer->hex && !printer->operation &&
	       printer->decoded->provider && *printer->decoded->provider;
}

static void format_parts(struct event_printer *printer, struct etw_identity *identity,
			 event_part_fn *const parts[])
{
	unsigned int i;

	identity->text.len = 0;
	for (i = 0; i < ETW_PREPARED && parts[i]; i++) {
		parts[i](printer, &identity->text);
		identity->ends[i] = identity->text.len;
	}
	text_check(&identity->text);
	identity->prepared = i;
	identity->prepared_by = parts;
}

void event_prepare(struct event_printer *printer, event_part_fn *const parts[])
{
	struct etw_identity *identity = printer->decoder->identity;

	printer->parts = parts;
	printer->prepared = NULL;
	if (!identity || !is_constant(printer))
		return;
	if (identity->prepared_by != parts)
		format_parts(printer, identity, parts);
	printer->prepared = identity;
}

void event_put_part(struct event_printer *printer, unsigned int i)
{
	if (printer->prepared)
		etw_identity_part(printer->prepared, i, &printer->out);
	else
		printer->parts[i](printer, &printer->out);
}

bool event_has_own_items(const struct event_printer *printer)
{
	return !printer->prepared || etw_decoder_own_items(printer->decoder);
}
