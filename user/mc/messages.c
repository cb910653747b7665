// SPDX-License-Identifier: MIT
/*
 * messages.c - generate macros for the ids of messages
 *
 * Their names come from the <messageTable>, or are MSG_ and the id of the string.
 */
#include <errno.h>

#include "emit.h"

void etw_mc_messages(struct etw_mc *mc)
{
	const struct etw_message_ids *ids = &mc->ids;
	int ret = etw_message_ids_make(mc->manifest, &mc->ids, mc->problems);
	unsigned int i;

	if (ret == -ENOMEM)
		longjmp(mc->no_memory, 1);
	if (ret) {
		mc->error = ret;
		return;
	}
	if (ids->count)
		etw_mc_print(mc, "\n/* Messages */\n");
	for (i = 0; i < ids->count; i++) {
		const struct etw_message_id *id = &ids->list[i];
		const char *symbol = id->symbol;

		if (id->standard || (!symbol && !id->message->id))
			continue;
		if (!symbol)
			symbol = etw_mc_text(mc, "MSG_%s", etw_mc_word(mc, id->message->id));
		if (etw_mc_symbol(mc, symbol, etw_mc_text(mc, "0x%08XL", id->id), id->line))
			etw_mc_print(mc, "#define %s 0x%08XL\n", symbol, id->id);
	}
}
