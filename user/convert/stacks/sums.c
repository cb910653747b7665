/* SPDX-License-Identifier: MIT */
/*
 * sums.c - the stacks of events, equal ones added up
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "convert/items.h"
#include "convert/slices/slices.h"
#include "etl/record.h"
#include "sums.h"

#define PROCESS_TEXT	32	/* bytes of "process N" */

struct entry {
	struct stack_sum sum;
	size_t name_len;
	/* its frames, then the process's name with a NUL */
	_Alignas(8) char data[];
};

struct stack_sums {
	struct convert *c;
	stack_sums_write *write;
	struct frame_names *names;
	struct etw_table table;
	struct entry **list;		/* in order of arrival */
	size_t bytes;
	int64_t first, last;
	uint64_t rounds;
	uint64_t without, cut;		/* events */
	uint32_t stack[FRAME_NAMES_STACK];
};

struct stack_sums *stack_sums_new(struct convert *c, stack_sums_write *write)
{
	struct stack_sums *sums = calloc(1, sizeof(*sums));

	if (!sums)
		return NULL;
	sums->c = c;
	sums->write = write;
	sums->names = frame_names_new(c->symbolizer);
	sums->list = calloc(STACK_SUMS_MAX, sizeof(*sums->list));
	if (sums->names && sums->list)
		return sums;
	stack_sums_free(sums);
	return NULL;
}

void stack_sums_free(struct stack_sums *sums)
{
	if (!sums)
		return;
	etw_table_clear(&sums->table, free);
	frame_names_free(sums->names);
	free(sums->list);
	free(sums);
}

const struct frame_names *stack_sums_names(const struct stack_sums *sums)
{
	return sums->names;
}

int64_t stack_sums_first(const struct stack_sums *sums)
{
	return sums->first;
}

int64_t stack_sums_last(const struct stack_sums *sums)
{
	return sums->last;
}

uint64_t stack_sums_rounds(const struct stack_sums *sums)
{
	return sums->rounds;
}

/* --------------------------------------------------------------------- adding */

static const char *process_name(struct stack_sums *sums, const struct etw_event *event,
				char text[PROCESS_TEXT])
{
	const uint32_t pid = event->record.header->process_id;
	const void *item = items_find(&event->record, ETW_EXT_PROCESS_START_KEY, sizeof(uint64_t));
	struct etw_process process;
	uint64_t key;

	if (item)
		memcpy(&key, item, sizeof(key));
	if (sums->c->processes && etw_process_find(sums->c->processes, pid, event->time,
						   item ? &key : NULL, &process) && *process.name)
		return process.name;
	snprintf(text, PROCESS_TEXT, "process %u", pid);
	return text;
}

static bool same(const void *entry, const void *key)
{
	const struct entry *e = entry;
	const struct stack_sum *one = &e->sum, *other = key;

	return one->count == other->count && !strcmp(one->process, other->process) &&
	       !memcmp(one->frames, other->frames, one->count * sizeof(*one->frames));
}

static struct entry *new_entry(const struct stack_sum *like, size_t *size)
{
	const size_t frames = like->count * sizeof(*like->frames);
	const size_t name = strlen(like->process) + 1;
	struct entry *entry;

	*size = sizeof(*entry) + frames + name;
	entry = malloc(*size);
	if (!entry)
		return NULL;
	*entry = (struct entry){ .sum = { .process = entry->data + frames, .count = like->count,
					  .frames = (const uint32_t *)entry->data } };
	memcpy(entry->data, like->frames, frames);
	memcpy(entry->data + frames, like->process, name);
	return entry;
}

/* Write all and forget them. */
static int flush(struct stack_sums *sums)
{
	size_t i;
	int err = 0;

	for (i = 0; i < sums->table.count && !err; i++)
		err = sums->write(sums->c, &sums->list[i]->sum);
	etw_table_clear(&sums->table, free);
	sums->bytes = 0;
	sums->rounds++;
	return err;
}

static int add(struct stack_sums *sums, const struct stack_sum *like)
{
	const uint64_t hash = etw_hash(etw_hash(0, like->process, strlen(like->process)),
				       like->frames, like->count * sizeof(*like->frames));
	struct entry *entry = etw_table_find(&sums->table, hash, same, like);
	size_t size;
	int err = 0;

	if (entry) {
		entry->sum.events++;
		return 0;
	}
	if (sums->table.count >= STACK_SUMS_MAX || sums->bytes >= STACK_SUMS_BYTES)
		err = flush(sums);
	if (err)
		return err;
	entry = new_entry(like, &size);
	if (!entry || etw_table_add(&sums->table, hash, entry)) {
		free(entry);
		return convert_no_memory(sums->c);
	}
	sums->list[sums->table.count - 1] = entry;
	sums->bytes += size;
	entry->sum.events = 1;
	return 0;
}

int stack_sums_event(struct stack_sums *sums, const struct convert_event *e)
{
	char text[PROCESS_TEXT];
	struct stack_sum sum = { .frames = sums->stack };
	const int64_t ns = slices_time(e->event);
	bool cut;

	if (etw_kind_of(&e->event->record) == ETW_KIND_TRACE)
		return 0;
	sum.count = frame_names_of(sums->names, e->event, sums->stack, &cut);
	if (!sum.count) {
		sums->without++;
		return 0;
	}
	sums->cut += cut;
	if (!sums->first || ns < sums->first)
		sums->first = ns;
	if (ns > sums->last)
		sums->last = ns;
	sum.process = process_name(sums, e->event, text);
	return add(sums, &sum);
}

int stack_sums_end(struct stack_sums *sums)
{
	struct convert *c = sums->c;

	if (sums->without)
		convert_note(c, "%" PRIu64 " event%s without a stack %s not in the output",
			     sums->without, sums->without == 1 ? "" : "s",
			     sums->without == 1 ? "is" : "are");
	convert_note_cut(c, sums->cut);
	if (c->lost_events)
		convert_note(c, "%" PRIu64 " lost event%s not in the output", c->lost_events,
			     c->lost_events == 1 ? " is" : "s are");
	return flush(sums);
}
