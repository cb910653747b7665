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

static void align(struct etw_wevt_writer *w, size_t to)
{
	size_t len = etw_wevt_here(w);

	etw_bytes_zero_to(w->out, w->begin + (len + to - 1) / to * to);
}

static struct etw_place *find_place(const struct etw_wevt_writer *w, const void *thing)
{
	size_t i = ((uintptr_t)thing >> 3) * 0x9e3779b97f4a7c15u >> 32 & (w->place_cap - 1);

	while (w->places[i].thing && w->places[i].thing != thing)
		i = (i + 1) & (w->place_cap - 1);
	return &w->places[i];
}

static bool grow_places(struct etw_wevt_writer *w)
{
	struct etw_wevt_writer bigger = *w;
	unsigned int i;

	bigger.place_cap = w->place_cap ? 2 * w->place_cap : 256;
	bigger.places = calloc(bigger.place_cap, sizeof(*bigger.places));
	if (!bigger.places) {
		w->error = -ENOMEM;
		return false;
	}
	for (i = 0; i < w->place_cap; i++) {
		if (w->places[i].thing)
			*find_place(&bigger, w->places[i].thing) = w->places[i];
	}
	free(w->places);
	w->places = bigger.places;
	w->place_cap = bigger.place_cap;
	return true;
}

void etw_wevt_place(struct etw_wevt_writer *w, const void *thing, uint32_t offset)
{
	struct etw_place *place;

	if (2 * w->place_count >= w->place_cap && !grow_places(w))
		return;
	place = find_place(w, thing);
	w->place_count += !place->thing;
	place->thing = thing;
	place->offset = offset;
}

uint32_t etw_wevt_place_of(const struct etw_wevt_writer *w, const void *thing)
{
	return thing && w->place_cap ? find_place(w, thing)->offset : 0;
}

static void places_clear(struct etw_wevt_writer *w)
{
	free(w->places);
	w->places = NULL;
	w->place_count = w->place_cap = 0;
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
	if (w->problems)
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
	etw_bytes_zero_to(&w->names, (w->names.len + 3) / 4 * 4);
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

/* The lists of a provider, in order; at most ETW_WEVT_LISTS. */
static unsigned int choose_lists(const struct etw_wevt_writer *w, uint32_t *kinds)
{
	const struct etw_mf_provider *p = w->provider;
	bool v5 = w->version >= ETW_WEVT_VERSION_5;
	unsigned int n = 0;

	if (w->used.channel_count)
		kinds[n++] = ETW_WEVT_CHANNELS;
	if (etw_wevt_count_maps(p, false))
		kinds[n++] = ETW_WEVT_MAPS;
	if (etw_wevt_count_maps(p, true))
		kinds[n++] = ETW_WEVT_PATTERNS;
	if (p->template_count)
		kinds[n++] = ETW_WEVT_TEMPLATES;
	if (v5)
		kinds[n++] = ETW_WEVT_PROVIDER_ATTRIBUTES;
	kinds[n++] = ETW_WEVT_OPCODES;
	kinds[n++] = ETW_WEVT_LEVELS;
	kinds[n++] = ETW_WEVT_TASKS;
	kinds[n++] = ETW_WEVT_KEYWORDS;
	if (p->event_count)
		kinds[n++] = ETW_WEVT_EVENTS;
	if (v5 && etw_wevt_has_event_attributes(p))
		kinds[n++] = ETW_WEVT_EVENT_ATTRIBUTES;
	if (p->filter_count)
		kinds[n++] = ETW_WEVT_FILTERS;
	return n;
}

static void write_list(struct etw_wevt_writer *w, uint32_t kind)
{
	static void (*const write[ETW_WEVT_LISTS])(struct etw_wevt_writer *) = {
		[ETW_WEVT_LEVELS] = etw_wevt_levels,
		[ETW_WEVT_TASKS] = etw_wevt_tasks,
		[ETW_WEVT_OPCODES] = etw_wevt_opcodes,
		[ETW_WEVT_KEYWORDS] = etw_wevt_keywords,
		[ETW_WEVT_EVENTS] = etw_wevt_events,
		[ETW_WEVT_CHANNELS] = etw_wevt_channels,
		[ETW_WEVT_MAPS] = etw_wevt_maps,
		[ETW_WEVT_TEMPLATES] = etw_wevt_templates,
		[ETW_WEVT_PATTERNS] = etw_wevt_patterns,
		[ETW_WEVT_FILTERS] = etw_wevt_filters,
		[ETW_WEVT_EVENT_ATTRIBUTES] = etw_wevt_event_attributes,
		[ETW_WEVT_PROVIDER_ATTRIBUTES] = etw_wevt_provider_attributes,
	};

	write[kind](w);
}

static void write_provider(struct etw_wevt_writer *w)
{
	uint32_t kinds[ETW_WEVT_LISTS];
	unsigned int n = choose_lists(w, kinds), i;
	unsigned int slots = w->version >= ETW_WEVT_VERSION_5 ? n : ETW_WEVT_SLOTS_3;
	size_t start = w->out->len;

	etw_bytes_put(w->out, "WEVT", 4);
	etw_bytes_put32(w->out, 0);
	etw_bytes_put32(w->out, etw_wevt_message(w, w->provider->message));
	etw_bytes_put32(w->out, n);
	etw_bytes_zero_to(w->out, w->out->len + 8 * slots);
	for (i = 0; i < n && !w->error && !w->out->error; i++) {
		if (kinds[i] == ETW_WEVT_EVENTS)
			align(w, 8);
		etw_bytes_set32(w->out, start + 16 + 8 * i, kinds[i]);
		etw_bytes_set32(w->out, start + 20 + 8 * i, etw_wevt_here(w));
		write_list(w, kinds[i]);
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
		places_clear(w);
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
	ret = w.error ? w.error : out->error;
	if (ret)
		etw_bytes_cut(out, w.begin);
	etw_message_ids_free(&w.ids);
	etw_bytes_free(&w.names);
	return ret;
}
