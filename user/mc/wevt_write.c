// SPDX-License-Identifier: MIT
/*
 * wevt_write.c - WEVT_TEMPLATE: header, providers, and common parts of their lists
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wevt_write.h"
#include "tdh/wevt/format.h"

uint32_t etw_wevt_here(const struct etw_wevt_writer *w)
{
	return w->out->len - w->begin;
}

void etw_wevt_place(struct etw_wevt_writer *w, const void *object, uint32_t offset)
{
	bool is_new;
	uint32_t number = etw_intern(&w->places, &object, sizeof(object), &is_new);

	if (!number)
		w->error = -ENOMEM;
	else if (is_new)
		etw_bytes_put32(&w->offsets, offset);
	else
		etw_bytes_set32(&w->offsets, 4 * (number - 1), offset);
}

uint32_t etw_wevt_place_of(const struct etw_wevt_writer *w, const void *object)
{
	uint32_t number = object ? etw_interned(&w->places, &object, sizeof(object)) : 0, offset = 0;

	if (number && !w->offsets.error)
		memcpy(&offset, w->offsets.data + 4 * (number - 1), sizeof(offset));
	return offset;
}

uint32_t etw_wevt_message(const struct etw_wevt_writer *w, const struct etw_mf_message *message)
{
	return etw_message_ids_find(&w->ids, message);
}

void etw_wevt_error(struct etw_wevt_writer *w, unsigned int line, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	w->error = w->error ? w->error : -EINVAL;
	etw_problem_add(w->problems, line, false, "%s", text);
}

void etw_wevt_list_begin(struct etw_wevt_writer *w, const char *signature, unsigned int count,
			 size_t header, size_t size)
{
	w->list = w->out->len;
	etw_bytes_put(w->out, signature, 4);
	etw_bytes_put32(w->out, 0);
	etw_bytes_put32(w->out, count);
	etw_bytes_zero_to(w->out, w->list + header);
	w->names_at = w->list + header + count * size;
	etw_bytes_cut(&w->names, 0);
}

void etw_wevt_list_end(struct etw_wevt_writer *w)
{
	etw_bytes_put(w->out, w->names.data, w->names.len);
	if (w->names.error)
		w->error = w->names.error;
	etw_bytes_set32(w->out, w->list + 4, w->out->len - w->list);
}

void etw_wevt_list_end_or_none(struct etw_wevt_writer *w, unsigned int count)
{
	etw_wevt_list_end(w);
	if (!count)
		etw_bytes_set32(w->out, w->list + 4, 0);
}

uint32_t etw_wevt_name(struct etw_wevt_writer *w, const char *name)
{
	size_t at = w->names.len;

	etw_bytes_put32(&w->names, 0);
	etw_bytes_utf16(&w->names, name);
	etw_bytes_put16(&w->names, 0);
	etw_bytes_align(&w->names, 0, 4);
	etw_bytes_set32(&w->names, at, w->names.len - at);
	return w->names_at - w->begin + at;
}

uint32_t etw_wevt_bare_name(struct etw_wevt_writer *w, const char *name)
{
	size_t at = w->names.len;

	etw_bytes_utf16(&w->names, name);
	etw_bytes_put16(&w->names, 0);
	return w->names_at - w->begin + at;
}

struct etw_sorted *etw_wevt_sorted(struct etw_wevt_writer *w, unsigned int count)
{
	struct etw_sorted *sorted = calloc(count ? count : 1, sizeof(*sorted));
	unsigned int i;

	if (!sorted)
		w->error = -ENOMEM;
	for (i = 0; sorted && i < count; i++)
		sorted[i].index = i;
	return sorted;
}

static int compare(const void *a, const void *b)
{
	const struct etw_sorted *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

void etw_wevt_sort(struct etw_sorted *sorted, unsigned int count)
{
	qsort(sorted, count, sizeof(*sorted), compare);
}

unsigned int etw_wevt_count_maps(const struct etw_mf_provider *provider, bool patterns)
{
	unsigned int n = 0, i;

	for (i = 0; i < provider->map_count; i++)
		n += (provider->maps[i].kind == ETW_MAP_PATTERN) == patterns;
	return n;
}

static bool has_event_attributes(const struct etw_mf_provider *provider)
{
	unsigned int i;

	for (i = 0; i < provider->event_count; i++) {
		const struct etw_mf_event *event = &provider->events[i];

		if (event->name || (event->attributes && *event->attributes))
			return true;
	}
	return false;
}

/* A provider's lists, in order */
static const struct list {
	uint32_t kind;
	void (*write)(struct etw_wevt_writer *w);
} lists[] = {
	{ ETW_WEVT_CHANNELS, etw_wevt_channels },
	{ ETW_WEVT_MAPS, etw_wevt_maps },
	{ ETW_WEVT_PATTERNS, etw_wevt_patterns },
	{ ETW_WEVT_TEMPLATES, etw_wevt_templates },
	{ ETW_WEVT_PROVIDER_ATTRIBUTES, etw_wevt_provider_attributes },
	{ ETW_WEVT_OPCODES, etw_wevt_opcodes },
	{ ETW_WEVT_LEVELS, etw_wevt_levels },
	{ ETW_WEVT_TASKS, etw_wevt_tasks },
	{ ETW_WEVT_KEYWORDS, etw_wevt_keywords },
	{ ETW_WEVT_EVENTS, etw_wevt_events },
	{ ETW_WEVT_EVENT_ATTRIBUTES, etw_wevt_event_attributes },
	{ ETW_WEVT_FILTERS, etw_wevt_filters },
};

#define LISTS	(sizeof(lists) / sizeof(lists[0]))

static bool has_list(const struct etw_wevt_writer *w, uint32_t kind)
{
	const struct etw_mf_provider *p = w->provider;
	bool v5 = w->version >= ETW_WEVT_VERSION_5;

	switch (kind) {
	case ETW_WEVT_CHANNELS:
		return w->used.of[ETW_PART_CHANNEL].count;
	case ETW_WEVT_MAPS:
	case ETW_WEVT_PATTERNS:
		return etw_wevt_count_maps(p, kind == ETW_WEVT_PATTERNS);
	case ETW_WEVT_TEMPLATES:
		return p->template_count;
	case ETW_WEVT_PROVIDER_ATTRIBUTES:
		return v5;
	case ETW_WEVT_EVENTS:
		return p->event_count;
	case ETW_WEVT_EVENT_ATTRIBUTES:
		return v5 && has_event_attributes(p);
	case ETW_WEVT_FILTERS:
		return p->filter_count;
	default:
		return true;
	}
}

static void write_provider(struct etw_wevt_writer *w)
{
	const struct list *chosen[LISTS];
	unsigned int n = 0, slots, i;
	size_t start = w->out->len;

	for (i = 0; i < LISTS; i++)
		if (has_list(w, lists[i].kind))
			chosen[n++] = &lists[i];
	slots = w->version >= ETW_WEVT_VERSION_5 ? n : ETW_WEVT_SLOTS_3;
	etw_bytes_put(w->out, "WEVT", 4);
	etw_bytes_put32(w->out, 0);
	etw_bytes_put32(w->out, etw_wevt_message(w, w->provider->message));
	etw_bytes_put32(w->out, n);
	etw_bytes_zero_to(w->out, w->out->len + 8 * slots);
	for (i = 0; i < n && !w->error && !w->out->error; i++) {
		if (chosen[i]->kind == ETW_WEVT_EVENTS)
			etw_bytes_align(w->out, w->begin, 8);
		etw_bytes_set32(w->out, start + 16 + 8 * i, chosen[i]->kind);
		etw_bytes_set32(w->out, start + 20 + 8 * i, etw_wevt_here(w));
		chosen[i]->write(w);
	}
	etw_bytes_set32(w->out, start + 4, w->out->len - start);
}

static void write_all(struct etw_wevt_writer *w)
{
	const struct etw_manifest *m = w->manifest;
	size_t table = w->begin + 16;
	unsigned int i;

	etw_bytes_put(w->out, "CRIM", 4);
	etw_bytes_put32(w->out, 0);
	etw_bytes_put16(w->out, w->version);
	etw_bytes_put16(w->out, 1);
	etw_bytes_put32(w->out, m->provider_count);
	for (i = 0; i < m->provider_count; i++) {
		etw_bytes_put(w->out, &m->providers[i].guid, sizeof(GUID));
		etw_bytes_put32(w->out, 0);
	}
	for (i = 0; i < m->provider_count && !w->error && !w->out->error; i++) {
		w->provider = &m->providers[i];
		if (etw_references_make(w->provider, &w->used)) {
			w->error = -ENOMEM;
			return;
		}
		etw_bytes_set32(w->out, table + 20 * i + 16, etw_wevt_here(w));
		write_provider(w);
		etw_interner_clear(&w->places);
		etw_bytes_cut(&w->offsets, 0);
		etw_references_free(&w->used);
	}
	etw_bytes_set32(w->out, w->begin + 4, etw_wevt_here(w));
	/* Like mc.exe, append two bytes that the length does not count. */
	etw_bytes_put16(w->out, 0);
}

int etw_wevt_write(const struct etw_manifest *manifest, unsigned int version,
		   struct etw_bytes *out, struct etw_problems *problems)
{
	struct etw_wevt_writer w = {
		.manifest = manifest, .problems = problems, .version = version, .out = out,
		.begin = out->len,
	};
	int ret;

	if (version != ETW_WEVT_VERSION_5 && version != ETW_WEVT_VERSION_3)
		return -EINVAL;
	ret = etw_message_ids_make(manifest, &w.ids, problems);
	if (ret)
		return ret;
	write_all(&w);
	if (!w.error && out->len - w.begin > UINT32_MAX)
		etw_wevt_error(&w, 0, "the binary would be longer than 4 GB");
	ret = w.error ? w.error : w.offsets.error ? w.offsets.error : out->error;
	if (ret)
		etw_bytes_cut(out, w.begin);
	etw_message_ids_free(&w.ids);
	etw_bytes_free(&w.names);
	etw_bytes_free(&w.offsets);
	return ret;
}
