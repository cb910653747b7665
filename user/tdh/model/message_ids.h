/* SPDX-License-Identifier: MIT */
/*
 * message_ids.h - the numbers of a manifest's messages
 *
 * A message has one number, by which the message table and WEVT_TEMPLATE know it: that
 * of the <messageTable>, or one made from the first element that refers to it, in the
 * order provider, channels, levels, tasks, opcodes (those of tasks behind the others),
 * keywords, events, maps, filters:
 *
 *	tag << 28 | index of the provider << 24 | what follows
 *	0x1  keyword	its bit, counted from 1
 *	0x3  opcode	low byte of its task << 16 | value
 *	0x5  level	value
 *	0x5  filter	0x80 << 16 | version << 8 | value
 *	0x7  task	value
 *	0x9  provider, channel	counted from 1 in each provider
 *	0xb  event	version << 16 | id; tag 0 on the channels System, Application, Security
 *	0xd  valueMap's entry, 0xf  bitMap's	counted from 1 in each provider
 *
 * The standard things that events refer to (win:Error) follow those that the provider
 * defines, in the order of the events; they share their messages among providers.
 */
#ifndef ETW_TDH_MODEL_MESSAGE_IDS_H
#define ETW_TDH_MODEL_MESSAGE_IDS_H

#include "model.h"
#include "names.h"

/* Providers that get numbers; the messages of others need a <messageTable>. */
#define ETW_MESSAGE_PROVIDERS	16

struct etw_message_id {
	uint32_t id;
	bool standard;		/* from winmeta.xml: has no symbol in headers */
	const char *symbol;	/* set in the <messageTable>, or NULL */
	const struct etw_mf_message *message;
	unsigned int line;	/* of the element that set the number */
};

/* All messages with a number. All zero is empty. */
struct etw_message_ids {
	struct etw_message_id *list;	/* in ascending order */
	unsigned int count, room;
	struct etw_names by_message;	/* the number of each, plus 1 */
};

/*
 * Number the messages of a complete manifest. 0, -ENOMEM, or -EINVAL: two messages have
 * one number, or a provider is beyond the sixteenth; problems (may be NULL) say which.
 * Time: O(n log n).
 */
int etw_message_ids_make(const struct etw_manifest *manifest, struct etw_message_ids *ids,
			 struct etw_problems *problems);
void etw_message_ids_free(struct etw_message_ids *ids);

/* ETW_MESSAGE_NONE: message is NULL or has no number. */
uint32_t etw_message_ids_find(const struct etw_message_ids *ids,
			      const struct etw_mf_message *message);

#endif /* ETW_TDH_MODEL_MESSAGE_IDS_H */
