// SPDX-License-Identifier: MIT
/*
 * read.c - convert a WEVT_TEMPLATE to a manifest: the header and the providers
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "read.h"

/* A manifest refers to few texts more than once; see read.h. */
#define ENTRIES_PER_BYTE	2
#define TEXT_PER_BYTE	16
#define TEXT_LEAST	65536

/* A C identifier. */
static const char *symbol_of(struct etw_wevt_reader *r, const char *name)
{
	char *s = etw_wevt_keep(r, name), *p;

	for (p = s; p && *p; p++) {
		bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');

		if (!letter && (p == s || *p < '0' || *p > '9'))
			*p = '_';
	}
	return s ? s : "";
}

/* Version 3 has no name: use the message, which usually is the name, or else the GUID. */
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
		p->name = etw_wevt_keep_text(r);
	}
	if (!p->name)
		p->name = "";
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
	r->provider->message = etw_wevt_message_of(r, etw_wevt_u32(p + 8));
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
		etw_names_clear(&r->names);
		memset(r->lists, 0, sizeof(r->lists));
	}
	r->manifest->provider_count = count;
}

static int set_cultures(struct etw_wevt_reader *r)
{
	const char **cultures = etw_wevt_alloc(r, r->table_count + 1, sizeof(*cultures));
	unsigned int i;

	for (i = 0; cultures && i < r->table_count; i++)
		cultures[i] = etw_wevt_keep(r, r->tables[i].culture);
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

	/* Offsets have 32 bits. */
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
