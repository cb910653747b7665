/* SPDX-License-Identifier: MIT */
/*
 * references.h - what a provider's events refer to
 *
 * First the provider's own definitions, then the standard ones that its events use
 * (win:Error, win:Start), each once, in the order of the events.
 */
#ifndef ETW_TDH_MODEL_REFERENCES_H
#define ETW_TDH_MODEL_REFERENCES_H

#include "model.h"

struct etw_reference {
	const void *part;	/* struct etw_mf_task, _channel or _named, which those begin with */
	const struct etw_mf_task *task;	/* that owns this opcode, or NULL */
};

/* The provider's own come first in each list; tasks' own opcodes after the provider's. */
struct etw_references {
	struct etw_reference_list {
		struct etw_reference *list;
		unsigned int count;
	} of[ETW_PARTS];
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
