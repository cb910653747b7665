// SPDX-License-Identifier: MIT
/*
 * references.c - what a provider's events refer to, its own and standard things
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "references.h"

#define CHANNEL_METADATA	12	/* ProviderMetadata of winmeta.xml */
#define STANDARD_MAX	256		/* more than there are of any part */

void etw_references_free(struct etw_references *used)
{
	unsigned int part;

	for (part = 0; part < ETW_PARTS; part++)
		free(used->of[part].list);
	memset(used, 0, sizeof(*used));
}

const struct etw_mf_channel *etw_references_channel(const struct etw_mf_event *event)
{
	const struct etw_mf_channel *metadata = etw_standard(ETW_PART_CHANNEL, CHANNEL_METADATA);

	return event->channel == metadata ? NULL : event->channel;
}

const struct etw_mf_message *etw_references_channel_message(const struct etw_mf_channel *channel)
{
	const struct etw_mf_channel *standard;

	if (channel->message || !channel->imported)
		return channel->message;
	standard = etw_standard(ETW_PART_CHANNEL, channel->value);
	return standard && !strcmp(standard->name, channel->name) ? standard->message : NULL;
}

static void take(struct etw_references *used, enum etw_part part, const void *thing,
		 const struct etw_mf_task *task)
{
	used->of[part].list[used->of[part].count++] = (struct etw_reference){ thing, task };
}

static int take_own(const struct etw_mf_provider *p, struct etw_references *used)
{
	size_t of_tasks = 0, room;
	enum etw_part part;
	unsigned int i, j;

	for (i = 0; i < p->task_count; i++)
		of_tasks += p->tasks[i].opcode_count;
	for (part = 0; part < ETW_PARTS; part++) {
		const struct etw_mf_parts own = etw_mf_parts(p, part);

		room = own.count + STANDARD_MAX + (part == ETW_PART_OPCODE ? of_tasks : 0);
		used->of[part].list = calloc(room, sizeof(*used->of[part].list));
		if (!used->of[part].list)
			return -ENOMEM;
		for (i = 0; i < own.count; i++)
			take(used, part, etw_mf_part_at(&own, i), NULL);
	}
	for (i = 0; i < p->task_count; i++)
		for (j = 0; j < p->tasks[i].opcode_count; j++)
			take(used, ETW_PART_OPCODE, &p->tasks[i].opcodes[j], &p->tasks[i]);
	return 0;
}

/* Take a standard thing, unless it is none or was taken. */
static void take_standard(struct etw_references *used, enum etw_part part,
			  const struct etw_mf_named *thing)
{
	const struct etw_reference_list *of = &used->of[part];
	unsigned int i;

	if (!thing || thing != etw_standard(part, thing->value))
		return;
	for (i = of->count; i; i--)
		if (of->list[i - 1].part == thing)
			return;
	take(used, part, thing, NULL);
}

/* Take the standard things that the event refers to. */
static void take_event(const struct etw_mf_provider *p, struct etw_references *used,
		       const struct etw_mf_event *event)
{
	enum etw_part part;
	uint64_t bits;

	for (part = 0; part < ETW_PART_CHANNEL; part++)
		take_standard(used, part, etw_mf_event_part(event, part));
	take_standard(used, ETW_PART_CHANNEL, (const void *)etw_references_channel(event));
	for (bits = event->keywords; bits; bits &= bits - 1)
		take_standard(used, ETW_PART_KEYWORD,
			      etw_mf_part(p, ETW_PART_KEYWORD, bits & -bits));
}

int etw_references_make(const struct etw_mf_provider *provider, struct etw_references *used)
{
	unsigned int i;

	memset(used, 0, sizeof(*used));
	if (take_own(provider, used)) {
		etw_references_free(used);
		return -ENOMEM;
	}
	for (i = 0; i < provider->event_count; i++)
		take_event(provider, used, &provider->events[i]);
	return 0;
}
