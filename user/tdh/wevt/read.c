// SPDX-License-Identifier: MIT
/*
 * read.c - WEVT_TEMPLATE into a manifest: header, providers, checked reads
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

/* A manifest refers to few texts more than once; see etw_wevt_read.h. */
#define ENTRIES_PER_BYTE	2
#define TEXT_PER_BYTE	16
#define TEXT_LEAST	65536

static void problem(struct etw_wevt_reader *r, bool warning, const char *fmt, va_list args)
{
	char text[256];

	if (!r->problems)
		return;
	vsnprintf(text, sizeof(text), fmt, args);
	etw_problem_add(r->problems, 0, warning, "%s", text);
}

void etw_wevt_bad(struct etw_wevt_reader *r, const char *fmt, ...)
{
	va_list args;

	if (r->error)
		return;
	r->error = -EINVAL;
	va_start(args, fmt);
	problem(r, false, fmt, args);
	va_end(args);
}

void etw_wevt_warn(struct etw_wevt_reader *r, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	problem(r, true, fmt, args);
	va_end(args);
}

uint16_t etw_wevt_u16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

uint32_t etw_wevt_u32(const uint8_t *p)
{
	return etw_wevt_u16(p) | (uint32_t)etw_wevt_u16(p + 2) << 16;
}

uint64_t etw_wevt_u64(const uint8_t *p)
{
	return etw_wevt_u32(p) | (uint64_t)etw_wevt_u32(p + 4) << 32;
}

const uint8_t *etw_wevt_bytes(struct etw_wevt_reader *r, uint32_t offset, size_t len)
{
	if (r->error)
		return NULL;
	if (offset > r->size || len > r->size - offset) {
		etw_wevt_bad(r, "offset 0x%x: %zu bytes do not lie within the resource", offset,
			     len);
		return NULL;
	}
	return r->data + offset;
}

const uint8_t *etw_wevt_entries(struct etw_wevt_reader *r, uint32_t offset, uint32_t count,
				size_t size)
{
	const uint8_t *p = etw_wevt_bytes(r, offset, (size_t)count * size);

	if (!p)
		return NULL;
	r->entries_left -= (int64_t)((size_t)count * size);
	if (r->entries_left < 0) {
		etw_wevt_bad(r, "offset 0x%x: lists overlap", offset);
		return NULL;
	}
	return p;
}

const uint8_t *etw_wevt_list(struct etw_wevt_reader *r, enum etw_wevt_list kind,
			     size_t header, size_t size, uint32_t *count)
{
	static const char signatures[ETW_WEVT_LISTS][5] = {
		[ETW_WEVT_LEVELS] = "LEVL", [ETW_WEVT_TASKS] = "TASK",
		[ETW_WEVT_OPCODES] = "OPCO", [ETW_WEVT_KEYWORDS] = "KEYW",
		[ETW_WEVT_EVENTS] = "EVNT", [ETW_WEVT_CHANNELS] = "CHAN",
		[ETW_WEVT_MAPS] = "MAPS", [ETW_WEVT_TEMPLATES] = "TTBL",
		[ETW_WEVT_PATTERNS] = "QTAB", [ETW_WEVT_FILTERS] = "FLTR",
		[ETW_WEVT_EVENT_ATTRIBUTES] = "EVTA", [ETW_WEVT_PROVIDER_ATTRIBUTES] = "PRVA",
	};
	uint32_t at = r->lists[kind];
	const uint8_t *p;

	*count = 0;
	if (!at)
		return NULL;
	p = etw_wevt_bytes(r, at, header);
	if (!p)
		return NULL;
	if (memcmp(p, signatures[kind], 4)) {
		etw_wevt_bad(r, "offset 0x%x: no list of signature %s", at, signatures[kind]);
		return NULL;
	}
	p = etw_wevt_entries(r, at + header, etw_wevt_u32(p + 8), size);
	if (p)
		*count = etw_wevt_u32(r->data + at + 8);
	return p;
}

void *etw_wevt_alloc(struct etw_wevt_reader *r, size_t count, size_t size)
{
	void *p = r->error || count > SIZE_MAX / 2 / size ? NULL :
		  etw_manifest_alloc(r->manifest, count * size);

	if (!p && !r->error)
		r->error = -ENOMEM;
	return p;
}

const char *etw_wevt_utf16(struct etw_wevt_reader *r, const uint8_t *s, size_t len)
{
	const char *copy;
	size_t n = 0;

	while (n + 2 <= len && etw_wevt_u16(s + n))
		n += 2;
	r->text_left -= n + 2;
	if (r->text_left < 0)
		etw_wevt_bad(r, "texts overlap");
	if (r->error)
		return "";
	etw_text_cut(&r->text, 0);
	etw_text_utf16(&r->text, s, n);
	copy = r->text.error ? NULL : etw_manifest_strdup(r->manifest, r->text.data ?
							  r->text.data : "", r->text.len);
	if (!copy)
		r->error = -ENOMEM;
	return copy ? copy : "";
}

const char *etw_wevt_name_at(struct etw_wevt_reader *r, uint32_t offset)
{
	const uint8_t *p = etw_wevt_bytes(r, offset, 4);
	uint32_t len = p ? etw_wevt_u32(p) : 0;

	if (!p)
		return "";
	if (len < 4) {
		etw_wevt_bad(r, "offset 0x%x: a name is no longer than its length", offset);
		return "";
	}
	p = etw_wevt_bytes(r, offset, len);
	return p ? etw_wevt_utf16(r, p + 4, len - 4) : "";
}

const char *etw_wevt_bare_name_at(struct etw_wevt_reader *r, uint32_t offset)
{
	const uint8_t *p = etw_wevt_bytes(r, offset, 2);

	return p ? etw_wevt_utf16(r, p, r->size - offset) : "";
}

bool etw_wevt_things_new(struct etw_wevt_reader *r, struct etw_wevt_things *things,
			 uint32_t first, uint32_t size, unsigned int count)
{
	things->list = calloc(count ? count : 1, sizeof(*things->list));
	if (!things->list) {
		r->error = -ENOMEM;
		return false;
	}
	things->first = first;
	things->size = size;
	things->count = count;
	return true;
}

const void *etw_wevt_thing(const struct etw_wevt_things *things, uint32_t offset)
{
	uint32_t at = offset - things->first;

	if (!things->count || offset < things->first || at % things->size ||
	    at / things->size >= things->count)
		return NULL;
	return things->list[at / things->size];
}

const void *etw_wevt_at(const struct etw_wevt_at *list, unsigned int count, uint32_t offset)
{
	unsigned int low = 0, high = count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (list[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low < count && list[low].offset == offset ? list[low].thing : NULL;
}

static int by_offset(const void *a, const void *b)
{
	const struct etw_wevt_at *x = a, *y = b;

	/* Of equal ones the first in memory is found. */
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (uintptr_t)x->thing < (uintptr_t)y->thing ? -1 : x->thing != y->thing;
}

void etw_wevt_at_sort(struct etw_wevt_at *list, unsigned int count)
{
	if (count)
		qsort(list, count, sizeof(*list), by_offset);
}

static void forget(struct etw_wevt_things *things)
{
	free(things->list);
	memset(things, 0, sizeof(*things));
}

/* What was kept for the provider that is done. */
static void provider_end(struct etw_wevt_reader *r)
{
	forget(&r->channels);
	forget(&r->levels);
	forget(&r->tasks);
	forget(&r->opcodes);
	free(r->maps);
	free(r->templates);
	r->maps = r->templates = NULL;
	r->map_count = r->template_count = 0;
	memset(r->lists, 0, sizeof(r->lists));
}

/* A C identifier. */
static const char *symbol_of(struct etw_wevt_reader *r, const char *name)
{
	char *s = etw_manifest_strdup(r->manifest, name, strlen(name)), *p;

	if (!s) {
		r->error = -ENOMEM;
		return "";
	}
	for (p = s; *p; p++) {
		bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');

		if (!letter && (p == s || *p < '0' || *p > '9'))
			*p = '_';
	}
	return s;
}

/* Version 3 has no name: the message mostly is it, else the GUID does. */
static void name_provider(struct etw_wevt_reader *r)
{
	struct etw_mf_provider *p = r->provider;
	const struct etw_mf_message *message = p->message;
	unsigned int i;

	for (i = 0; message && i < r->table_count && !p->name; i++)
		p->name = message->text[i];
	if (!p->name) {
		etw_text_cut(&r->text, 0);
		etw_text_guid(&r->text, &p->guid);
		p->name = r->text.error ? NULL :
			  etw_manifest_strdup(r->manifest, r->text.data, r->text.len);
	}
	if (!p->name) {
		r->error = -ENOMEM;
		p->name = "";
	}
}

static void find_lists(struct etw_wevt_reader *r, const uint8_t *slots, uint32_t count)
{
	uint32_t i, kind;

	for (i = 0; i < count; i++) {
		kind = etw_wevt_u32(slots + 8 * i);
		if (kind < ETW_WEVT_LISTS && !r->lists[kind])
			r->lists[kind] = etw_wevt_u32(slots + 8 * i + 4);
	}
}

static void read_provider(struct etw_wevt_reader *r, uint32_t offset)
{
	const uint8_t *p = etw_wevt_bytes(r, offset, 16), *slots;

	if (!p)
		return;
	if (memcmp(p, "WEVT", 4)) {
		etw_wevt_bad(r, "offset 0x%x: no provider of signature WEVT", offset);
		return;
	}
	slots = etw_wevt_entries(r, offset + 16, etw_wevt_u32(p + 12), 8);
	if (!slots)
		return;
	find_lists(r, slots, etw_wevt_u32(p + 12));
	r->provider->message_id = etw_wevt_u32(p + 8);
	r->provider->message = etw_wevt_message_of(r, r->provider->message_id);
	etw_wevt_read_provider_attributes(r);
	if (!r->provider->name)
		name_provider(r);
	r->provider->symbol = symbol_of(r, r->provider->name);
	etw_wevt_read_channels(r);
	etw_wevt_read_levels(r);
	etw_wevt_read_tasks(r);
	etw_wevt_read_opcodes(r);
	etw_wevt_read_keywords(r);
	etw_wevt_read_maps(r);
	etw_wevt_read_templates(r);
	etw_wevt_read_events(r);
	etw_wevt_read_event_attributes(r);
	etw_wevt_settle_channels(r);
	etw_wevt_read_filters(r);
}

static void read_all(struct etw_wevt_reader *r)
{
	const uint8_t *p = etw_wevt_bytes(r, 0, 16);
	struct etw_mf_provider *providers;
	uint32_t count, i;

	if (!p)
		return;
	if (memcmp(p, "CRIM", 4) || etw_wevt_u32(p + 4) > r->size) {
		etw_wevt_bad(r, "no WEVT_TEMPLATE resource (signature CRIM), or a cut one");
		return;
	}
	if (etw_wevt_u16(p + 8) < 3 || etw_wevt_u16(p + 8) > 5) {
		etw_wevt_bad(r, "WEVT_TEMPLATE of version %u is not known",
			     etw_wevt_u16(p + 8));
		return;
	}
	count = etw_wevt_u32(p + 12);
	p = etw_wevt_entries(r, 16, count, 20);
	providers = p ? etw_wevt_alloc(r, count, sizeof(*providers)) : NULL;
	if (!providers)
		return;
	r->manifest->providers = providers;
	for (i = 0; i < count && !r->error; i++) {
		r->provider = &providers[i];
		memcpy(&providers[i].guid, p + 20 * i, sizeof(GUID));
		providers[i].control_guid = providers[i].guid;
		providers[i].index = i;
		read_provider(r, etw_wevt_u32(p + 20 * i + 16));
		provider_end(r);
	}
	r->manifest->provider_count = count;
}

static int set_cultures(struct etw_wevt_reader *r)
{
	const char **cultures = etw_wevt_alloc(r, r->table_count + 1, sizeof(*cultures));
	unsigned int i;

	for (i = 0; cultures && i < r->table_count; i++) {
		const char *culture = r->tables[i].culture;

		cultures[i] = etw_manifest_strdup(r->manifest, culture, strlen(culture));
		if (!cultures[i])
			r->error = -ENOMEM;
	}
	r->manifest->cultures = cultures;
	r->manifest->culture_count = r->table_count;
	return r->error;
}

int etw_wevt_read(const void *data, size_t size, struct etw_wevt_table *tables,
		  unsigned int table_count, const char *name, struct etw_manifest **out,
		  struct etw_problems *problems)
{
	struct etw_wevt_reader r = {
		.data = data, .size = size, .problems = problems, .tables = tables,
		.table_count = table_count, .entries_left = ENTRIES_PER_BYTE * (int64_t)size,
		.text_left = TEXT_PER_BYTE * (int64_t)size + TEXT_LEAST,
	};

	/* Offsets are of 32 bits. */
	if (size > UINT32_MAX)
		r.size = UINT32_MAX;
	r.manifest = etw_manifest_new(name);
	if (!r.manifest)
		return -ENOMEM;
	if (!set_cultures(&r))
		r.error = etw_wevt_tables_open(&r);
	if (!r.error)
		read_all(&r);
	if (!r.error)
		r.error = etw_manifest_finish(r.manifest);
	etw_wevt_tables_close(&r);
	etw_text_free(&r.text);
	if (r.error)
		etw_manifest_put(r.manifest);
	else
		*out = r.manifest;
	return r.error;
}

int etw_manifest_read_wevt(const void *data, size_t size, const void *messages,
			   size_t messages_size, const char *culture, const char *name,
			   struct etw_manifest **out, struct etw_problems *problems)
{
	struct etw_wevt_table table = {
		.data = messages, .size = messages_size, .culture = culture ? culture : "en-US",
	};

	return etw_wevt_read(data, size, &table, !!messages, name, out, problems);
}
