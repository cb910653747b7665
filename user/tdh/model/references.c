// SPDX-License-Identifier: MIT
/*
 * references.c - everything that a provider's events refer to, its own and standard
 * things
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "references.h"

#define CHANNEL_METADATA	12	/* ProviderMetadata of winmeta.xml */
#define STANDARD_MAX	256		/* values of levels, opcodes and channels */

struct seen {
	bool level[STANDARD_MAX];
	bool opcode[STANDARD_MAX];
	bool channel[STANDARD_MAX];
	bool task;
	uint64_t keywords;	/* bits with a name */
};

void etw_references_free(struct etw_references *used)
{
	free(used->channels);
	free(used->levels);
	free(used->tasks);
	free(used->opcodes);
	free(used->keywords);
	memset(used, 0, sizeof(*used));
}

const struct etw_mf_channel *etw_references_channel(const struct etw_mf_event *event)
{
	const struct etw_mf_channel *metadata = etw_standard_channel(CHANNEL_METADATA);

	return event->channel == metadata ? NULL : event->channel;
}

const struct etw_mf_message *etw_references_channel_message(const struct etw_mf_channel *channel)
{
	const struct etw_mf_channel *standard;

	if (channel->message || !channel->imported)
		return channel->message;
	standard = etw_standard_channel(channel->value);
	return standard && !strcmp(standard->name, channel->name) ? standard->message : NULL;
}

static unsigned int opcodes_of(const struct etw_mf_provider *p)
{
	unsigned int n = p->opcode_count, i;

	for (i = 0; i < p->task_count; i++)
		n += p->tasks[i].opcode_count;
	return n;
}

static int allocate(const struct etw_mf_provider *p, struct etw_references *used)
{
	used->channels = calloc(p->channel_count + STANDARD_MAX, sizeof(*used->channels));
	used->levels = calloc(p->level_count + STANDARD_MAX, sizeof(*used->levels));
	used->tasks = calloc(p->task_count + 1, sizeof(*used->tasks));
	used->opcodes = calloc(opcodes_of(p) + STANDARD_MAX, sizeof(*used->opcodes));
	used->keywords = calloc(p->keyword_count + 64, sizeof(*used->keywords));
	if (used->channels && used->levels && used->tasks && used->opcodes && used->keywords)
		return 0;
	etw_references_free(used);
	return -ENOMEM;
}

static void take_own(const struct etw_mf_provider *p, struct etw_references *used, struct seen *seen)
{
	unsigned int i, j;

	for (i = 0; i < p->channel_count; i++)
		used->channels[i] = &p->channels[i];
	for (i = 0; i < p->level_count; i++)
		used->levels[i] = &p->levels[i];
	for (i = 0; i < p->task_count; i++)
		used->tasks[i] = &p->tasks[i];
	for (i = 0; i < p->keyword_count; i++) {
		used->keywords[i] = &p->keywords[i];
		seen->keywords |= p->keywords[i].mask;
	}
	for (i = 0; i < p->opcode_count; i++)
		used->opcodes[i].opcode = &p->opcodes[i];
	used->opcode_count = p->opcode_count;
	for (i = 0; i < p->task_count; i++) {
		for (j = 0; j < p->tasks[i].opcode_count; j++) {
			used->opcodes[used->opcode_count].opcode = &p->tasks[i].opcodes[j];
			used->opcodes[used->opcode_count++].task = &p->tasks[i];
		}
	}
	used->channel_count = p->channel_count;
	used->level_count = p->level_count;
	used->task_count = p->task_count;
	used->keyword_count = p->keyword_count;
}

static void take_keywords(struct etw_references *used, struct seen *seen, uint64_t keywords)
{
	const struct etw_mf_keyword *keyword;
	uint64_t rest = keywords & ~seen->keywords;

	while (rest) {
		keyword = etw_standard_keyword(rest & -rest);
		seen->keywords |= rest & -rest;
		rest &= rest - 1;
		if (keyword)
			used->keywords[used->keyword_count++] = keyword;
	}
}

/* Take the standard things that the event refers to. */
static void take_standard(struct etw_references *used, struct seen *seen,
			  const struct etw_mf_event *event)
{
	const struct etw_mf_channel *channel = etw_references_channel(event);
	const struct etw_mf_named *level = event->level, *opcode = event->opcode;
	const struct etw_mf_task *task = event->task;

	if (channel && channel == etw_standard_channel(channel->value) &&
	    !seen->channel[channel->value]) {
		seen->channel[channel->value] = true;
		used->channels[used->channel_count++] = channel;
	}
	if (level && level == etw_standard_level(level->value) && !seen->level[level->value]) {
		seen->level[level->value] = true;
		used->levels[used->level_count++] = level;
	}
	if (task && task == etw_standard_task(task->value) && !seen->task) {
		seen->task = true;
		used->tasks[used->task_count++] = task;
	}
	if (opcode && opcode == etw_standard_opcode(opcode->value) &&
	    !seen->opcode[opcode->value]) {
		seen->opcode[opcode->value] = true;
		used->opcodes[used->opcode_count++].opcode = opcode;
	}
	take_keywords(used, seen, event->keywords);
}

int etw_references_make(const struct etw_mf_provider *provider, struct etw_references *used)
{
	struct seen seen = { .task = false };
	unsigned int i;

	memset(used, 0, sizeof(*used));
	if (allocate(provider, used))
		return -ENOMEM;
	take_own(provider, used, &seen);
	for (i = 0; i < provider->event_count; i++)
		take_standard(used, &seen, &provider->events[i]);
	return 0;
}
