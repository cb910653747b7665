// SPDX-License-Identifier: MIT
/*
 * wevt_lists.c - WEVT_TEMPLATE: a provider's names, maps, events and their attributes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wevt_write.h"
#include "tdh/wevt/format.h"

void etw_wevt_channels(struct etw_wevt_writer *w)
{
	const struct etw_reference_list *used = &w->used.of[ETW_PART_CHANNEL];
	unsigned int i;

	etw_wevt_list_begin(w, "CHAN", used->count, 12, ETW_WEVT_CHANNEL_SIZE);
	for (i = 0; i < used->count; i++) {
		const struct etw_mf_channel *c = used->list[i].part;
		bool imported = c->imported || i >= w->provider->channel_count;

		etw_wevt_place(w, c, etw_wevt_here(w));
		etw_bytes_put32(w->out, imported ? ETW_WEVT_IMPORTED : 0);
		etw_bytes_put32(w->out, etw_wevt_name(w, c->name));
		etw_bytes_put32(w->out, c->value);
		etw_bytes_put32(w->out, etw_wevt_message(w, etw_references_channel_message(c)));
	}
	etw_wevt_list_end(w);
}

/* As written; opcodes are sorted by value, then by task. */
static uint64_t value_of(enum etw_part part, const struct etw_reference *of)
{
	const struct etw_mf_named *named = of->part;

	return part != ETW_PART_OPCODE ? named->value :
	       named->value << 16 | (of->task ? of->task->value : 0);
}

/* value_size: bytes of a value in the list, which is sorted by it */
static void write_sorted(struct etw_wevt_writer *w, const char *signature, enum etw_part part,
			 size_t value_size)
{
	const struct etw_reference_list *used = &w->used.of[part];
	struct etw_sorted *sorted = etw_wevt_sorted(w, used->count);
	unsigned int i;

	if (!sorted)
		return;
	for (i = 0; i < used->count; i++)
		sorted[i].key = value_of(part, &used->list[i]);
	etw_wevt_sort(sorted, used->count);
	etw_wevt_list_begin(w, signature, used->count, 12, value_size + 8);
	for (i = 0; i < used->count; i++) {
		const struct etw_mf_named *named = used->list[sorted[i].index].part;

		etw_wevt_place(w, named, etw_wevt_here(w));
		etw_bytes_put(w->out, &sorted[i].key, value_size);
		etw_bytes_put32(w->out, etw_wevt_message(w, named->message));
		etw_bytes_put32(w->out, etw_wevt_name(w, named->name));
	}
	etw_wevt_list_end_or_none(w, used->count);
	free(sorted);
}

void etw_wevt_levels(struct etw_wevt_writer *w)
{
	write_sorted(w, "LEVL", ETW_PART_LEVEL, 4);
}

void etw_wevt_opcodes(struct etw_wevt_writer *w)
{
	write_sorted(w, "OPCO", ETW_PART_OPCODE, 4);
}

void etw_wevt_keywords(struct etw_wevt_writer *w)
{
	write_sorted(w, "KEYW", ETW_PART_KEYWORD, 8);
}

void etw_wevt_tasks(struct etw_wevt_writer *w)
{
	const struct etw_reference_list *used = &w->used.of[ETW_PART_TASK];
	unsigned int i;

	etw_wevt_list_begin(w, "TASK", used->count, 12, ETW_WEVT_TASK_SIZE);
	for (i = 0; i < used->count; i++) {
		const struct etw_mf_task *task = used->list[i].part;

		etw_wevt_place(w, task, etw_wevt_here(w));
		etw_bytes_put32(w->out, task->value);
		etw_bytes_put32(w->out, etw_wevt_message(w, task->message));
		etw_bytes_put(w->out, &task->event_guid, sizeof(task->event_guid));
		etw_bytes_put32(w->out, etw_wevt_name(w, task->name));
	}
	etw_wevt_list_end_or_none(w, used->count);
}

/* mc.exe leaves an uninitialized header word, the offset of the last template: write it, too. */
void etw_wevt_filters(struct etw_wevt_writer *w)
{
	const struct etw_mf_provider *p = w->provider;
	const struct etw_mf_filter *last = &p->filters[p->filter_count - 1];
	unsigned int i;

	etw_wevt_list_begin(w, "FLTR", p->filter_count, 16, ETW_WEVT_FILTER_SIZE);
	etw_bytes_set32(w->out, w->list + 12, etw_wevt_place_of(w, last->template));
	for (i = 0; i < p->filter_count; i++) {
		const struct etw_mf_filter *f = &p->filters[i];

		etw_bytes_put8(w->out, f->value);
		etw_bytes_put8(w->out, f->version);
		etw_bytes_put16(w->out, 0);
		etw_bytes_put32(w->out, etw_wevt_message(w, f->message));
		etw_bytes_put32(w->out, etw_wevt_name(w, f->name));
		etw_bytes_put32(w->out, etw_wevt_place_of(w, f->template));
	}
	etw_wevt_list_end(w);
}

static void provider_guid(struct etw_wevt_writer *w, uint32_t kind, const GUID *guid)
{
	etw_bytes_align(&w->names, 0, 4);
	etw_bytes_put32(w->out, kind);
	etw_bytes_put32(w->out, w->names_at - w->begin + w->names.len);
	etw_bytes_put(&w->names, guid, sizeof(*guid));
}

void etw_wevt_provider_attributes(struct etw_wevt_writer *w)
{
	static const GUID none;
	const struct etw_mf_provider *p = w->provider;
	bool group = memcmp(&p->group_guid, &none, sizeof(none));

	etw_wevt_list_begin(w, "PRVA", 1 + p->has_control_guid + group, 12,
			    ETW_WEVT_ATTRIBUTE_SIZE);
	etw_bytes_put32(w->out, ETW_WEVT_PROVIDER_NAME);
	etw_bytes_put32(w->out, etw_wevt_bare_name(w, p->name));
	if (p->has_control_guid)
		provider_guid(w, ETW_WEVT_CONTROL_GUID, &p->control_guid);
	if (group)
		provider_guid(w, ETW_WEVT_GROUP_GUID, &p->group_guid);
	etw_bytes_align(&w->names, 0, 4);
	etw_wevt_list_end(w);
}

/* ------------------------------------------------------------------------ maps */

/* Maps of one kind; the caller frees the list.  NULL: out of memory, w->error is set. */
static const struct etw_mf_map **choose(struct etw_wevt_writer *w, bool patterns)
{
	const struct etw_mf_provider *p = w->provider;
	const struct etw_mf_map **maps = calloc(p->map_count, sizeof(*maps));
	unsigned int n = 0, i;

	if (!maps)
		w->error = -ENOMEM;
	for (i = 0; maps && i < p->map_count; i++) {
		if ((p->maps[i].kind == ETW_MAP_PATTERN) == patterns)
			maps[n++] = &p->maps[i];
	}
	return maps;
}

static int by_name(const void *a, const void *b)
{
	const struct etw_mf_map *const *x = a, *const *y = b;
	int order = etw_utf16_order((*x)->name, (*y)->name);

	return order ? order : *x < *y ? -1 : *x > *y;
}

/* Write a map, with its entries by ascending value. */
static void write_map(struct etw_wevt_writer *w, const struct etw_mf_map *map)
{
	struct etw_sorted *sorted = etw_wevt_sorted(w, map->count);
	bool bits = map->kind == ETW_MAP_BITS;
	unsigned int i;

	if (!sorted)
		return;
	for (i = 0; i < map->count; i++)
		sorted[i].key = map->entries[i].value;
	etw_wevt_sort(sorted, map->count);
	etw_bytes_put(w->out, bits ? "BMAP" : "VMAP", 4);
	etw_bytes_put32(w->out, ETW_WEVT_MAP_SIZE + map->count * ETW_WEVT_MAP_ENTRY_SIZE);
	etw_bytes_put32(w->out, etw_wevt_place_of(w, map->name));
	etw_bytes_put32(w->out, bits ? ETW_WEVT_BITS : 0);
	etw_bytes_put32(w->out, map->count);
	for (i = 0; i < map->count; i++) {
		const struct etw_mf_map_entry *entry = &map->entries[sorted[i].index];

		etw_bytes_put32(w->out, entry->value);
		etw_bytes_put32(w->out, etw_wevt_message(w, entry->message));
	}
	free(sorted);
}

/* Maps in manifest order; their offsets and names sorted by name. */
void etw_wevt_maps(struct etw_wevt_writer *w)
{
	unsigned int count = etw_wevt_count_maps(w->provider, false), i;
	const struct etw_mf_map **maps = choose(w, false), **sorted = choose(w, false);
	size_t offsets;

	if (!maps || !sorted)
		goto out;
	qsort(sorted, count, sizeof(*sorted), by_name);
	etw_wevt_list_begin(w, "MAPS", count, 12, 4);
	for (i = 0; i < count; i++)
		w->names_at += ETW_WEVT_MAP_SIZE + maps[i]->count * ETW_WEVT_MAP_ENTRY_SIZE;
	for (i = 0; i < count; i++)
		etw_wevt_place(w, sorted[i]->name, etw_wevt_name(w, sorted[i]->name));
	offsets = w->out->len;
	etw_bytes_zero_to(w->out, offsets + 4 * count);
	for (i = 0; i < count; i++) {
		etw_wevt_place(w, maps[i], etw_wevt_here(w));
		write_map(w, maps[i]);
	}
	for (i = 0; i < count; i++)
		etw_bytes_set32(w->out, offsets + 4 * i, etw_wevt_place_of(w, sorted[i]));
	etw_wevt_list_end(w);
out:
	free(maps);
	free(sorted);
}

/* Like mc.exe's, its length extends to the end of its texts, including maps in between. */
static void write_pattern(struct etw_wevt_writer *w, const struct etw_mf_map *map)
{
	size_t at = w->out->len;
	unsigned int i;

	etw_wevt_place(w, map, etw_wevt_here(w));
	etw_bytes_put(w->out, "QUER", 4);
	etw_bytes_put32(w->out, 0);
	etw_bytes_put32(w->out, etw_wevt_name(w, map->name));
	etw_bytes_put32(w->out, etw_wevt_name(w, map->format ? map->format : ""));
	etw_bytes_put32(w->out, map->count);
	for (i = 0; i < map->count; i++) {
		const struct etw_mf_map_entry *entry = &map->entries[i];

		etw_bytes_put32(w->out, etw_wevt_name(w, entry->name ? entry->name : ""));
		etw_bytes_put32(w->out, etw_wevt_name(w, entry->text ? entry->text : ""));
	}
	etw_bytes_set32(w->out, at + 4, w->names_at + w->names.len - at);
}

void etw_wevt_patterns(struct etw_wevt_writer *w)
{
	unsigned int count = etw_wevt_count_maps(w->provider, true), i;
	const struct etw_mf_map **maps = choose(w, true);
	size_t offsets;

	if (!maps)
		return;
	etw_wevt_list_begin(w, "QTAB", count, 12, 4);
	for (i = 0; i < count; i++)
		w->names_at += ETW_WEVT_MAP_SIZE + maps[i]->count * ETW_WEVT_MAP_ENTRY_SIZE;
	offsets = w->out->len;
	etw_bytes_zero_to(w->out, offsets + 4 * count);
	for (i = 0; i < count; i++)
		write_pattern(w, maps[i]);
	for (i = 0; i < count; i++)
		etw_bytes_set32(w->out, offsets + 4 * i, etw_wevt_place_of(w, maps[i]));
	etw_wevt_list_end(w);
	free(maps);
}

/* ---------------------------------------------------------------------- events */

/* Keywords by ascending mask, each mask once */
struct keywords {
	struct etw_sorted *sorted;
	unsigned int count;
	uint32_t *list;		/* offsets of one event's keywords */
};

/* Fill all->list with the keywords of an event; returns their number. */
static unsigned int keywords_of(const struct etw_wevt_writer *w, const struct keywords *all,
				const struct etw_mf_event *event)
{
	unsigned int n = 0, i;

	if (!event->keywords)
		return 0;
	for (i = 0; i < all->count; i++) {
		const struct etw_mf_named *k =
			w->used.of[ETW_PART_KEYWORD].list[all->sorted[i].index].part;

		if (k->value && (event->keywords & k->value) == k->value)
			all->list[n++] = etw_wevt_place_of(w, k);
	}
	return n;
}

static void write_event(struct etw_wevt_writer *w, const struct etw_mf_event *event,
			const struct keywords *keywords)
{
	const struct etw_mf_channel *channel = etw_references_channel(event);
	unsigned int n = keywords_of(w, keywords, event), i;

	etw_bytes_put16(w->out, event->desc.Id);
	etw_bytes_put8(w->out, event->desc.Version);
	etw_bytes_put8(w->out, channel ? event->desc.Channel : 0);
	etw_bytes_put8(w->out, event->desc.Level);
	etw_bytes_put8(w->out, event->desc.Opcode);
	etw_bytes_put16(w->out, event->desc.Task);
	etw_bytes_put64(w->out, event->desc.Keyword);
	etw_bytes_put32(w->out, etw_wevt_message(w, event->message));
	etw_bytes_put32(w->out, etw_wevt_place_of(w, event->template));
	etw_bytes_put32(w->out, etw_wevt_place_of(w, event->opcode));
	etw_bytes_put32(w->out, etw_wevt_place_of(w, event->level));
	etw_bytes_put32(w->out, etw_wevt_place_of(w, event->task));
	etw_bytes_put32(w->out, n);
	etw_bytes_put32(w->out, n ? w->names_at - w->begin + w->names.len : 0);
	etw_bytes_put32(w->out, etw_wevt_place_of(w, channel));
	for (i = 0; i < n; i++)
		etw_bytes_put32(&w->names, keywords->list[i]);
}

static bool sort_keywords(struct etw_wevt_writer *w, struct keywords *all)
{
	const struct etw_reference_list *used = &w->used.of[ETW_PART_KEYWORD];
	unsigned int n = used->count, i;

	all->sorted = etw_wevt_sorted(w, n);
	all->list = calloc(n + 1, sizeof(*all->list));
	all->count = 0;
	if (!all->sorted || !all->list)
		return false;
	for (i = 0; i < n; i++)
		all->sorted[i].key = value_of(ETW_PART_KEYWORD, &used->list[i]);
	etw_wevt_sort(all->sorted, n);
	for (i = 0; i < n; i++) {
		if (!i || all->sorted[i].key != all->sorted[i - 1].key)
			all->sorted[all->count++] = all->sorted[i];
	}
	return true;
}

/* Events by id; the keywords' offsets are in the place of other lists' names. */
void etw_wevt_events(struct etw_wevt_writer *w)
{
	const struct etw_mf_provider *p = w->provider;
	struct etw_sorted *events = etw_wevt_sorted(w, p->event_count);
	struct keywords keywords;
	unsigned int i;

	if (!sort_keywords(w, &keywords) || !events) {
		w->error = -ENOMEM;
		goto out;
	}
	for (i = 0; i < p->event_count; i++)
		events[i].key = p->events[i].desc.Id;
	etw_wevt_sort(events, p->event_count);
	etw_wevt_list_begin(w, "EVNT", p->event_count, 16, ETW_WEVT_EVENT_SIZE);
	for (i = 0; i < p->event_count; i++)
		write_event(w, &p->events[events[i].index], &keywords);
	etw_wevt_list_end(w);
out:
	free(events);
	free(keywords.sorted);
	free(keywords.list);
}

/* A name or an attribute of an event */
struct attribute {
	const struct etw_mf_event *event;
	uint8_t kind;
	char *text;
	uint32_t offset;
};

static void add(struct etw_bytes *all, const struct etw_mf_event *event, uint8_t kind,
		const char *text, size_t len)
{
	struct attribute attribute = { event, kind, strndup(text, len), 0 };

	if (!attribute.text)
		all->error = -ENOMEM;
	etw_bytes_put(all, &attribute, sizeof(attribute));
	if (all->error)
		free(attribute.text);
}

/* The end of the attribute at s: its ';' outside quotes, or the end of the text. */
static const char *attribute_end(const char *s)
{
	bool quoted = false;

	for (; *s && (quoted || *s != ';'); s++)
		quoted ^= *s == '"';
	return s;
}

static void add_event(struct etw_bytes *all, const struct etw_mf_event *event)
{
	const char *s = event->attributes ? event->attributes : "", *end;

	if (event->name)
		add(all, event, ETW_WEVT_EVENT_NAME, event->name, strlen(event->name));
	for (; *s; s = *end ? end + 1 : end) {
		while (*s == ' ' || *s == '\t' || *s == '\n')
			s++;
		end = attribute_end(s);
		if (end > s)
			add(all, event, ETW_WEVT_EVENT_ATTRIBUTE, s, end - s);
	}
}

static int by_text(const void *a, const void *b)
{
	const struct attribute *const *x = a, *const *y = b;

	return etw_utf16_order((*x)->text, (*y)->text);
}

/* Write each text once, in sorted order.  0 or -ENOMEM */
static int write_texts(struct etw_wevt_writer *w, struct attribute *list, unsigned int count)
{
	struct attribute **sorted = calloc(count + 1, sizeof(*sorted));
	unsigned int i;

	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		sorted[i] = &list[i];
	qsort(sorted, count, sizeof(*sorted), by_text);
	for (i = 0; i < count; i++) {
		bool again = i && !strcmp(sorted[i]->text, sorted[i - 1]->text);

		sorted[i]->offset = again ? sorted[i - 1]->offset :
				    etw_wevt_bare_name(w, sorted[i]->text);
	}
	free(sorted);
	return 0;
}

/* The names and attributes of all events, by id and version: struct attribute */
void etw_wevt_event_attributes(struct etw_wevt_writer *w)
{
	const struct etw_mf_provider *p = w->provider;
	struct etw_sorted *events = etw_wevt_sorted(w, p->event_count);
	struct etw_bytes all = { .len = 0 };
	struct attribute *list;
	unsigned int count, i;

	for (i = 0; events && i < p->event_count; i++)
		events[i].key = (uint32_t)p->events[i].desc.Id << 8 | p->events[i].desc.Version;
	if (events)
		etw_wevt_sort(events, p->event_count);
	for (i = 0; events && i < p->event_count; i++)
		add_event(&all, &p->events[events[i].index]);
	list = (struct attribute *)all.data;
	count = all.len / sizeof(*list);
	etw_wevt_list_begin(w, "EVTA", count, 12, ETW_WEVT_ATTRIBUTE_SIZE);
	if (all.error || write_texts(w, list, count))
		w->error = -ENOMEM;
	for (i = 0; i < count; i++) {
		etw_bytes_put8(w->out, list[i].kind);
		etw_bytes_put8(w->out, list[i].event->desc.Version);
		etw_bytes_put16(w->out, list[i].event->desc.Id);
		etw_bytes_put32(w->out, list[i].offset);
		free(list[i].text);
	}
	etw_bytes_align(&w->names, 0, 4);
	etw_wevt_list_end(w);
	etw_bytes_free(&all);
	free(events);
}
