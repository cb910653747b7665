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

static bool within(const void *p, const void *array, unsigned int count, size_t size)
{
	uintptr_t at = (uintptr_t)p, begin = (uintptr_t)array;

	return array && at >= begin && at < begin + count * size;
}

static bool own_channel(const struct etw_mf_provider *p, const struct etw_mf_channel *channel)
{
	return within(channel, p->channels, p->channel_count, sizeof(*channel));
}

const struct etw_mf_channel *etw_references_channel(const struct etw_mf_provider *provider,
					      const struct etw_mf_event *event)
{
	const struct etw_mf_channel *channel = event->channel;

	if (channel && channel->value == CHANNEL_METADATA && !own_channel(provider, channel))
		return NULL;
	return channel;
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
	used->opcode_own = p->opcode_count;
	for (i = 0; i < p->task_count; i++) {
		for (j = 0; j < p->tasks[i].opcode_count; j++) {
			used->opcodes[used->opcode_own].opcode = &p->tasks[i].opcodes[j];
			used->opcodes[used->opcode_own++].task = &p->tasks[i];
		}
	}
	used->channel_count = used->channel_own = p->channel_count;
	used->level_count = used->level_own = p->level_count;
	used->task_count = used->task_own = p->task_count;
	used->keyword_count = used->keyword_own = p->keyword_count;
	used->opcode_count = used->opcode_own;
}

static bool own_opcode(const struct etw_mf_provider *p, const struct etw_mf_event *event)
{
	const struct etw_mf_task *task = event->task;

	return within(event->opcode, p->opcodes, p->opcode_count, sizeof(*event->opcode)) ||
	       (task && within(event->opcode, task->opcodes, task->opcode_count,
			       sizeof(*event->opcode)));
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

static void take_standard(const struct etw_mf_provider *p, struct etw_references *used,
			  struct seen *seen, const struct etw_mf_event *event)
{
	const struct etw_mf_channel *channel = etw_references_channel(p, event);
	const struct etw_mf_named *level = event->level, *opcode = event->opcode;
	const struct etw_mf_task *task = event->task;

	if (channel && !own_channel(p, channel) && !seen->channel[channel->value]) {
		seen->channel[channel->value] = true;
		used->channels[used->channel_count++] = channel;
	}
	if (level && !within(level, p->levels, p->level_count, sizeof(*level)) &&
	    !seen->level[level->value]) {
		seen->level[level->value] = true;
		used->levels[used->level_count++] = level;
	}
	if (task && !within(task, p->tasks, p->task_count, sizeof(*task)) && !seen->task) {
		seen->task = true;
		used->tasks[used->task_count++] = task;
	}
	if (opcode && !own_opcode(p, event) && !seen->opcode[opcode->value]) {
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
		take_standard(provider, used, &seen, &provider->events[i]);
	return 0;
}
