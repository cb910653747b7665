// SPDX-License-Identifier: MIT
/*
 * wevt_write_events.c - WEVT_TEMPLATE: events, their names and attributes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wevt_write.h"
#include "tdh/wevt/format.h"

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
		const struct etw_mf_keyword *k = w->used.keywords[all->sorted[i].index];

		if (k->mask && (event->keywords & k->mask) == k->mask)
			all->list[n++] = etw_wevt_place_of(w, k);
	}
	return n;
}

static void write_event(struct etw_wevt_writer *w, const struct etw_mf_event *event,
			const struct keywords *keywords)
{
	const struct etw_mf_channel *channel = etw_references_channel(w->provider, event);
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
	unsigned int n = w->used.keyword_count, i;

	all->sorted = etw_wevt_sorted(w, n);
	all->list = calloc(n + 1, sizeof(*all->list));
	all->count = 0;
	if (!all->sorted || !all->list)
		return false;
	for (i = 0; i < n; i++)
		all->sorted[i].key = w->used.keywords[i]->mask;
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

bool etw_wevt_has_event_attributes(const struct etw_mf_provider *provider)
{
	unsigned int i;

	for (i = 0; i < provider->event_count; i++) {
		const struct etw_mf_event *event = &provider->events[i];

		if (event->name || (event->attributes && *event->attributes))
			return true;
	}
	return false;
}

/* A name or an attribute of an event */
struct entry {
	const struct etw_mf_event *event;
	uint8_t kind;
	char *text;
	uint32_t offset;
};

struct entries {
	struct entry *list;
	unsigned int count, cap;
};

static bool add(struct entries *all, const struct etw_mf_event *event, uint8_t kind,
		const char *text, size_t len)
{
	struct entry *list;

	if (all->count == all->cap) {
		list = realloc(all->list, (2 * all->cap + 64) * sizeof(*list));
		if (!list)
			return false;
		all->list = list;
		all->cap = 2 * all->cap + 64;
	}
	all->list[all->count] = (struct entry){
		.event = event, .kind = kind, .text = strndup(text, len),
	};
	return all->list[all->count++].text;
}

/* The end of the attribute at s: its ';' outside quotes, or the end of the text. */
static const char *attribute_end(const char *s)
{
	bool quoted = false;

	for (; *s && (quoted || *s != ';'); s++)
		quoted ^= *s == '"';
	return s;
}

static bool add_event(struct entries *all, const struct etw_mf_event *event)
{
	const char *s = event->attributes ? event->attributes : "", *end;

	if (event->name && !add(all, event, ETW_WEVT_EVENT_NAME, event->name, strlen(event->name)))
		return false;
	for (; *s; s = *end ? end + 1 : end) {
		while (*s == ' ' || *s == '\t' || *s == '\n')
			s++;
		end = attribute_end(s);
		if (end > s && !add(all, event, ETW_WEVT_EVENT_ATTRIBUTE, s, end - s))
			return false;
	}
	return true;
}

static int by_text(const void *a, const void *b)
{
	const struct entry *const *x = a, *const *y = b;

	return etw_utf16_order((*x)->text, (*y)->text);
}

/* Write each text once, in sorted order. */
static bool write_texts(struct etw_wevt_writer *w, struct entries *all)
{
	struct entry **sorted = calloc(all->count, sizeof(*sorted));
	unsigned int i;

	if (!sorted)
		return false;
	for (i = 0; i < all->count; i++)
		sorted[i] = &all->list[i];
	qsort(sorted, all->count, sizeof(*sorted), by_text);
	for (i = 0; i < all->count; i++) {
		bool again = i && !strcmp(sorted[i]->text, sorted[i - 1]->text);

		sorted[i]->offset = again ? sorted[i - 1]->offset :
				    etw_wevt_bare_name(w, sorted[i]->text);
	}
	free(sorted);
	return true;
}

/* Collect the names and attributes of all events, by id and version. */
static bool collect(struct etw_wevt_writer *w, struct entries *all)
{
	const struct etw_mf_provider *p = w->provider;
	struct etw_sorted *events = etw_wevt_sorted(w, p->event_count);
	bool ok = events;
	unsigned int i;

	for (i = 0; ok && i < p->event_count; i++)
		events[i].key = (uint32_t)p->events[i].desc.Id << 8 | p->events[i].desc.Version;
	if (ok)
		etw_wevt_sort(events, p->event_count);
	for (i = 0; ok && i < p->event_count; i++)
		ok = add_event(all, &p->events[events[i].index]);
	free(events);
	return ok;
}

void etw_wevt_event_attributes(struct etw_wevt_writer *w)
{
	struct entries all = { .list = NULL };
	unsigned int i;

	if (!collect(w, &all))
		goto no_memory;
	etw_wevt_list_begin(w, "EVTA", all.count, 12, ETW_WEVT_ATTRIBUTE_SIZE);
	if (all.count && !write_texts(w, &all))
		goto no_memory;
	for (i = 0; i < all.count; i++) {
		const struct entry *e = &all.list[i];

		etw_bytes_put8(w->out, e->kind);
		etw_bytes_put8(w->out, e->event->desc.Version);
		etw_bytes_put16(w->out, e->event->desc.Id);
		etw_bytes_put32(w->out, e->offset);
	}
	etw_bytes_zero_to(&w->names, (w->names.len + 3) / 4 * 4);
	etw_wevt_list_end(w);
	goto out;
no_memory:
	w->error = -ENOMEM;
out:
	for (i = 0; i < all.count; i++)
		free(all.list[i].text);
	free(all.list);
}
