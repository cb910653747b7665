// SPDX-License-Identifier: MIT
/*
 * message_ids.c - assign numbers to a manifest's messages
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message_ids.h"
#include "references.h"

enum tag {
	TAG_CLASSIC = 0x0,
	TAG_KEYWORD = 0x1,
	TAG_OPCODE = 0x3,
	TAG_LEVEL = 0x5,
	TAG_TASK = 0x7,
	TAG_PROVIDER = 0x9,
	TAG_EVENT = 0xb,
	TAG_VALUE_MAP = 0xd,
	TAG_BIT_MAP = 0xf,
};

/* The state of numbering, one provider after the other */
struct numbering {
	struct etw_message_ids *ids;
	struct etw_problems *problems;
	unsigned int provider;	/* index */
	uint32_t next;		/* of the provider and its channels */
	uint32_t next_value, next_bit;	/* of maps */
	bool full;		/* the provider limit was reported */
	bool no_memory;
};

uint32_t etw_message_ids_find(const struct etw_message_ids *ids,
			      const struct etw_mf_message *message)
{
	uintptr_t found = (uintptr_t)etw_names_find(&ids->by_message, message, NULL, 0);

	return found ? (uint32_t)(found - 1) : ETW_MESSAGE_NONE;
}

static bool needs_one(const struct numbering *n, const struct etw_mf_message *message)
{
	return message && !etw_names_find(&n->ids->by_message, message, NULL, 0);
}

static void add(struct numbering *n, const struct etw_message_id *entry)
{
	struct etw_message_ids *ids = n->ids;
	size_t room = ids->room ? 2 * ids->room : 256;
	struct etw_message_id *list;

	if (ids->count == ids->room) {
		list = realloc(ids->list, room * sizeof(*list));
		if (!list) {
			n->no_memory = true;
			return;
		}
		ids->list = list;
		ids->room = room;
	}
	ids->list[ids->count++] = *entry;
	/* Not NULL, which means that there is no number. */
	etw_names_add(&ids->by_message, entry->message, NULL, 0, (void *)((uintptr_t)entry->id + 1));
	n->no_memory |= ids->by_message.no_memory;
}

/* A message's first element determines its number. */
static void number(struct numbering *n, const struct etw_mf_message *message, enum tag tag,
		   uint32_t value, unsigned int line)
{
	struct etw_message_id entry = {
		.id = (uint32_t)tag << 28 | n->provider << 24 | (value & 0xffffff),
		.standard = message && message->standard, .message = message, .line = line,
	};

	if (!needs_one(n, message))
		return;
	if (n->provider >= ETW_MESSAGE_PROVIDERS) {
		if (!n->full && n->problems)
			etw_problem_add(n->problems, line, false,
					"only the first %d providers get message numbers: those "
					"of later ones must be in a <messageTable>",
					ETW_MESSAGE_PROVIDERS);
		n->full = true;
		return;
	}
	add(n, &entry);
}

static uint32_t value_of(enum etw_part part, const struct etw_reference *of)
{
	const uint64_t value = ((const struct etw_mf_named *)of->part)->value;

	if (part == ETW_PART_OPCODE && of->task)
		return (uint32_t)((of->task->value & 0xff) << 16 | value);
	if (part == ETW_PART_KEYWORD)
		return value ? 64 - (uint32_t)__builtin_clzll(value) : 0;
	return (uint32_t)value;
}

static void number_names(struct numbering *n, const struct etw_references *used)
{
	static const struct {
		enum etw_part part;
		enum tag tag;
	} parts[] = {
		{ ETW_PART_LEVEL, TAG_LEVEL }, { ETW_PART_TASK, TAG_TASK },
		{ ETW_PART_OPCODE, TAG_OPCODE }, { ETW_PART_KEYWORD, TAG_KEYWORD },
	};
	unsigned int i, j;

	for (i = 0; i < used->of[ETW_PART_CHANNEL].count; i++) {
		const struct etw_mf_channel *c = used->of[ETW_PART_CHANNEL].list[i].part;
		const struct etw_mf_message *message = etw_references_channel_message(c);

		if (needs_one(n, message))
			number(n, message, TAG_PROVIDER, n->next++, c->line);
	}
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct etw_reference_list *of = &used->of[parts[i].part];

		for (j = 0; j < of->count; j++) {
			const struct etw_mf_named *named = of->list[j].part;

			number(n, named->message, parts[i].tag,
			       value_of(parts[i].part, &of->list[j]), named->line);
		}
	}
}

/* System, Application and Security; their messages have the bare event id. */
static bool is_classic(const struct etw_mf_channel *channel)
{
	return channel && channel->value >= 8 && channel->value <= 10;
}

static void number_events(struct numbering *n, const struct etw_mf_provider *p)
{
	unsigned int i;

	for (i = 0; i < p->event_count; i++) {
		const struct etw_mf_event *e = &p->events[i];

		number(n, e->message, is_classic(e->channel) ? TAG_CLASSIC : TAG_EVENT,
		       (uint32_t)e->desc.Version << 16 | e->desc.Id, e->line);
	}
}

static void number_maps(struct numbering *n, const struct etw_mf_provider *p)
{
	unsigned int i, j;

	for (i = 0; i < p->map_count; i++) {
		const struct etw_mf_map *map = &p->maps[i];
		bool bits = map->kind == ETW_MAP_BITS;

		for (j = 0; j < map->count; j++) {
			const struct etw_mf_map_entry *e = &map->entries[j];

			if (needs_one(n, e->message))
				number(n, e->message, bits ? TAG_BIT_MAP : TAG_VALUE_MAP,
				       bits ? n->next_bit++ : n->next_value++, e->line);
		}
	}
	for (i = 0; i < p->filter_count; i++) {
		const struct etw_mf_filter *f = &p->filters[i];

		number(n, f->message, TAG_LEVEL,
		       0x80u << 16 | (uint32_t)f->version << 8 | f->value, f->line);
	}
}

static void number_provider(struct numbering *n, const struct etw_mf_provider *p)
{
	struct etw_references used;

	if (etw_references_make(p, &used)) {
		n->no_memory = true;
		return;
	}
	n->provider = p->index;
	n->next = n->next_value = n->next_bit = 1;
	if (needs_one(n, p->message))
		number(n, p->message, TAG_PROVIDER, n->next++, p->line);
	number_names(n, &used);
	number_events(n, p);
	number_maps(n, p);
	etw_references_free(&used);
}

static void number_entries(struct numbering *n, const struct etw_manifest *m)
{
	unsigned int i;

	for (i = 0; i < m->entry_count; i++) {
		const struct etw_mf_entry *e = &m->entries[i];
		struct etw_message_id entry = {
			.id = e->value, .symbol = e->symbol, .message = e->message, .line = e->line,
		};

		if (needs_one(n, e->message))
			add(n, &entry);
	}
}

static int compare(const void *a, const void *b)
{
	const struct etw_message_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int report_equal(const struct etw_message_ids *ids, struct etw_problems *problems)
{
	unsigned int i;
	int ret = 0;

	for (i = 1; i < ids->count; i++) {
		const struct etw_message_id *a = &ids->list[i - 1], *b = &ids->list[i];

		if (a->id != b->id)
			continue;
		ret = -EINVAL;
		if (problems)
			etw_problem_add(problems, a->line > b->line ? a->line : b->line, false,
					"two messages have the number 0x%08x; a <messageTable> can "
					"give one of them another", a->id);
	}
	return ret;
}

int etw_message_ids_make(const struct etw_manifest *manifest, struct etw_message_ids *ids,
			 struct etw_problems *problems)
{
	struct numbering n = { .ids = ids, .problems = problems };
	unsigned int i;
	int ret;

	memset(ids, 0, sizeof(*ids));
	number_entries(&n, manifest);
	for (i = 0; i < manifest->provider_count && !n.no_memory; i++)
		number_provider(&n, &manifest->providers[i]);
	if (ids->count)
		qsort(ids->list, ids->count, sizeof(*ids->list), compare);
	ret = n.no_memory ? -ENOMEM : n.full ? -EINVAL : report_equal(ids, problems);
	if (ret)
		etw_message_ids_free(ids);
	return ret;
}

void etw_message_ids_free(struct etw_message_ids *ids)
{
	free(ids->list);
	etw_names_clear(&ids->by_message);
	memset(ids, 0, sizeof(*ids));
}
