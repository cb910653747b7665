/* SPDX-License-Identifier: MIT */
/*
 * kinds.c - count events by their kind, and by their provider
 *
 * The decoder recognises events of one kind (tdh/decode/identity.c); the kind's place in the table
 * is noted there, so that most events are found without a hash.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "convert/names.h"
#include "report_private.h"
#include "tdh/decode/decoder.h"

/*
 * etw_identity.marks: the kind of the latest event, as its slot from 1 and the generation that this
 * is of, and whether it is that of all events
 */
enum { MARK_SLOT, MARK_GENERATION, MARK_STAYS };

void report_kind_release(struct report_entry *entry)
{
	struct report_kind *kind = (struct report_kind *)entry;

	report_fields_free(kind);
	free(kind->provider_name);
	free(kind->name);
	free(kind->title);
	free(kind->operation_name);
}

void report_provider_release(struct report_entry *entry)
{
	free(((struct report_provider *)entry)->name);
}

void report_provider_title(const struct report_provider *provider, struct etw_text *to)
{
	if (provider->name)
		etw_text_puts(to, provider->name);
	else
		etw_text_guid(to, &provider->guid);
}

static struct report_kind *marked(struct report *r, const struct convert_event *e)
{
	const struct etw_identity *identity = e->decoder->identity;

	if (!identity || !identity->marks[MARK_STAYS] ||
	    identity->marks[MARK_GENERATION] != r->kinds.generation)
		return NULL;
	return (struct report_kind *)r->kinds.entries[identity->marks[MARK_SLOT] - 1];
}

/*
 * Note the kind of an event. Is it perhaps the first of another schema? Those with an identity have
 * one schema; the others have it from their plan.
 */
static bool mark(struct report *r, const struct etw_decoder *decoder, struct report_kind *kind)
{
	struct etw_identity *identity = decoder->identity;
	const uint32_t slot = kind->entry.slot + 1;
	bool is_new;

	if (!identity) {
		is_new = kind->plan != decoder->plan;
		kind->plan = decoder->plan;
		return is_new;
	}
	is_new = identity->marks[MARK_SLOT] != slot ||
		 identity->marks[MARK_GENERATION] != r->kinds.generation;
	identity->marks[MARK_SLOT] = slot;
	identity->marks[MARK_GENERATION] = r->kinds.generation;
	/* Without the name of its provider an event's kind does not follow from its identity. */
	identity->marks[MARK_STAYS] = kind->provider_name != NULL;
	return is_new;
}

static const char *provider_name(const struct report *r, const struct convert_event *e)
{
	if (e->decoded->provider && *e->decoded->provider)
		return e->decoded->provider;
	return r->host.provider ?
	       r->host.provider(r->host.context, &e->event->record.header->provider) : NULL;
}

/* A part of a key, with its NUL, as much of it as is kept */
static void add_name(struct etw_text *key, const char *name)
{
	etw_text_char(key, name ? '+' : '-');
	etw_text_add(key, name ? name : "", name ? strnlen(name, REPORT_NAME) : 0);
	etw_text_char(key, '\0');
}

/* The key of a kind; the event's name, without the provider's, becomes r->scratch. */
static void make_key(struct report *r, const struct convert_event *e, const char *provider,
		     bool *named)
{
	const struct etw_event_header *header = e->event->record.header;
	const struct etw_event_descriptor *desc = &header->desc;
	const uint16_t how = header->flags & (EVENT_HEADER_FLAG_CLASSIC_HEADER |
					      EVENT_HEADER_FLAG_TRACE_MESSAGE);
	const char *opcode;

	*named = etw_decoded_name(e->decoded, &opcode);
	etw_text_cut(&r->scratch, 0);
	convert_add_name(e->decoded, CONVERT_RAW, &r->scratch);
	etw_text_cut(&r->key, 0);
	etw_text_add(&r->key, (const char *)&header->provider, sizeof(header->provider));
	etw_text_add(&r->key, (const char *)&desc->id, sizeof(desc->id));
	etw_text_char(&r->key, (char)desc->version);
	etw_text_char(&r->key, (char)desc->opcode);
	etw_text_char(&r->key, (char)desc->level);
	etw_text_add(&r->key, (const char *)&how, sizeof(how));
	add_name(&r->key, provider);
	add_name(&r->key, *named ? r->scratch.data : NULL);
}

static void put_title(struct etw_text *to, const char *provider, const struct etw_guid *guid,
		      const char *name)
{
	if (provider)
		etw_text_add(to, provider, strnlen(provider, REPORT_NAME));
	else
		etw_text_guid(to, guid);
	etw_text_char(to, '/');
	etw_text_add(to, name, strnlen(name, REPORT_NAME));
}

void report_event_title(const struct report *r, const struct convert_event *e, struct etw_text *to)
{
	struct etw_text name = { .data = NULL };

	convert_add_name(e->decoded, CONVERT_RAW, &name);
	put_title(to, provider_name(r, e), &e->event->record.header->provider,
		  name.len ? name.data : "");
	if (name.error)
		to->error = name.error;
	etw_text_free(&name);
}

static int fill(struct report *r, struct report_kind *kind, const struct convert_event *e,
		const char *provider, bool named)
{
	const struct etw_event_header *header = e->event->record.header;
	struct etw_text title = { .data = NULL };

	kind->guid = header->provider;
	kind->id = header->desc.id;
	kind->version = header->desc.version;
	kind->opcode = header->desc.opcode;
	kind->level = header->desc.level;
	put_title(&title, provider, &header->provider, r->scratch.data);
	kind->title = title.data;
	if (provider)
		kind->provider_name = report_name(provider);
	if (named)
		kind->name = report_name(r->scratch.data);
	if (title.error || (provider && !kind->provider_name) || (named && !kind->name))
		return -ENOMEM;
	if (report_distinct_add(&r->all_kinds, r->key.data, r->key.len) < 0)
		return -ENOMEM;
	return report_operations_name(kind, e);
}

static int find_kind(struct report *r, struct report_place *place)
{
	const char *provider = provider_name(r, place->event);
	struct report_entry *entry;
	bool named;
	int ret;

	make_key(r, place->event, provider, &named);
	if (r->key.error || r->scratch.error)
		return -ENOMEM;
	ret = report_bounded_get(&r->kinds, r->key.data, r->key.len, &entry);
	if (ret < 0)
		return ret;
	place->kind = (struct report_kind *)entry;
	if (ret) {
		place->kind->first = place->kind->last = place->ns;
		ret = fill(r, place->kind, place->event, provider, named);
	}
	if (mark(r, place->event->decoder, place->kind))
		report_fields_forget(place->kind);
	return ret;
}

static int find_provider(struct report *r, struct report_kind *kind)
{
	struct report_provider *provider;
	struct report_entry *entry;
	int ret = report_bounded_get(&r->providers, &kind->guid, sizeof(kind->guid), &entry);

	if (ret < 0)
		return ret;
	provider = (struct report_provider *)entry;
	if (ret) {
		provider->guid = kind->guid;
		provider->series.shift = r->scale.shift;
		if (report_distinct_add(&r->all_providers, &kind->guid, sizeof(kind->guid)) < 0)
			return -ENOMEM;
	}
	if (!provider->name && kind->provider_name) {
		provider->name = report_name(kind->provider_name);
		if (!provider->name)
			return -ENOMEM;
	}
	kind->provider = provider;
	kind->provider_generation = r->providers.generation;
	return 0;
}

int report_kind_find(struct report *r, struct report_place *place)
{
	struct report_kind *kind = marked(r, place->event);
	struct report_provider *provider;
	int err;

	place->kind = kind;
	if (!kind) {
		err = find_kind(r, place);
		if (err)
			return err;
		kind = place->kind;
	}
	if (kind->provider_generation != r->providers.generation) {
		err = find_provider(r, kind);
		if (err)
			return err;
	}
	kind->entry.events++;
	kind->entry.bytes += place->bytes;
	if (place->ns < kind->first)
		kind->first = place->ns;
	if (place->ns > kind->last)
		kind->last = place->ns;
	provider = kind->provider;
	provider->entry.events++;
	provider->entry.bytes += place->bytes;
	report_series_update(&provider->series, &r->scale, provider->rate, REPORT_SERIES);
	provider->rate[place->bucket / (REPORT_BUCKETS / REPORT_SERIES)]++;
	return 0;
}
