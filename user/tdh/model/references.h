/* SPDX-License-Identifier: MIT */
/*
 * references.h - everything that a provider's events refer to, its own and standard
 * things
 *
 * First the provider's own definitions, then the standard ones that its events use
 * (win:Error, win:Start), each once, in the order of the events.
 */
#ifndef ETW_TDH_MODEL_REFERENCES_H
#define ETW_TDH_MODEL_REFERENCES_H

#include "model.h"

/* An opcode and its task; NULL: none */
struct etw_references_opcode {
	const struct etw_mf_named *opcode;
	const struct etw_mf_task *task;
};

/* The provider's own come first in each list. */
struct etw_references {
	const struct etw_mf_channel **channels;
	const struct etw_mf_named **levels;
	const struct etw_mf_task **tasks;
	struct etw_references_opcode *opcodes;	/* tasks' own after the provider's */
	const struct etw_mf_keyword **keywords;
	unsigned int channel_count, level_count, task_count, opcode_count, keyword_count;
};

/* 0 or -ENOMEM.  Time: O(n) of the provider's elements. */
int etw_references_make(const struct etw_mf_provider *provider, struct etw_references *used);
void etw_references_free(struct etw_references *used);

/*
 * An event's channel as in the binaries: none for the metadata channel, which events
 * without a channel get if the provider has a control GUID.
 */
const struct etw_mf_channel *etw_references_channel(const struct etw_mf_event *event);

/* The message of a channel; for an imported one, that of the standard channel. */
const struct etw_mf_message *etw_references_channel_message(const struct etw_mf_channel *channel);

#endif /* ETW_TDH_MODEL_REFERENCES_H */
