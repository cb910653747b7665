/* SPDX-License-Identifier: MIT */
/*
 * decode.c - find an event's schema and names
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "base/event_mode.h"
#include "tdh/kernel_logger/kernel_logger.h"
#include "embed.h"
#include "tdh/store/store.h"

/* The key of manifest and classic plans: whole words, for schema_cache.c */
struct event_key {
	uint64_t guid[2];
	uint64_t event;		/* version above the id; classic: the type */
};

#define STRING_EVENT	UINT64_MAX	/* .event of all that EventWriteString() wrote */

/* The extended items that describe the schema or the provider; NULL: missing */
struct items {
	const uint8_t *metadata, *traits;
	const void *control;
	size_t metadata_size, traits_size;
	const char *provider;		/* its name in the traits */
	const void *decode;		/* the provider's decode GUID */
};

static const struct etw_mf_field string_fields[] = {
	{ .name = "message", .in_type = TDH_INTYPE_UNICODESTRING,
	  .out_type = TDH_OUTTYPE_STRING, .count = 1 },
};

static const struct etw_mf_template string_template = {
	.id = "", .fields = string_fields, .count = 1, .top = 1,
};

static const struct etw_mf_event string_event = { .name = "String", .template = &string_template };

struct etw_decoder *etw_decoder_new(void)
{
	struct etw_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->generation = etw_store_generation();
	d->ended = 1;
	return d;
}

void etw_decoder_free(struct etw_decoder *d)
{
	if (!d)
		return;
	etw_identities_clear(d);
	etw_schema_cache_clear(&d->manifests);
	etw_schema_cache_clear(&d->tracelogging);
	etw_schema_cache_clear(&d->classic);
	etw_embedded_free(d->embedded);
	etw_text_free(&d->scratch);
	free(d->kept);
	free(d);
}

static void find_items(const EVENT_RECORD *record, struct items *items)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = record->ExtendedData;
	unsigned int i, count = item ? record->ExtendedDataCount : 0;
	const GUID *provider = &record->EventHeader.ProviderId;
	const uint8_t *decode = NULL;

	*items = (struct items){ .control = provider, .decode = provider };
	for (i = 0; i < count; i++, item++) {
		const void *data = (const void *)(uintptr_t)item->DataPtr;

		if (!data)
			continue;
		if (item->ExtType == EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL) {
			items->metadata = data;
			items->metadata_size = item->DataSize;
		} else if (item->ExtType == EVENT_HEADER_EXT_TYPE_PROV_TRAITS) {
			items->traits = data;
			items->traits_size = item->DataSize;
		} else if (item->ExtType == EVENT_HEADER_EXT_TYPE_CONTROL_GUID &&
			   item->DataSize >= sizeof(GUID)) {
			items->control = data;
		}
	}
	if (!items->traits)
		return;
	items->provider = etw_traits_name(items->traits, items->traits_size, &decode);
	if (items->provider && !*items->provider)
		items->provider = NULL;
	if (decode && !(record->EventHeader.Flags & EVENT_HEADER_FLAG_DECODE_GUID))
		items->decode = decode;
}

/* Plans that follow from manifests may not be right any more. */
static void check_generation(struct etw_decoder *d)
{
	unsigned int generation = etw_store_generation();

	if (generation == d->generation)
		return;
	etw_schema_cache_clear(&d->manifests);
	etw_schema_cache_clear(&d->tracelogging);
	d->generation = generation;
}

/* As plan_tracelogging(), for an event whose values have names; takes their reference. */
static int plan_named(struct etw_decoder *d, const uint8_t *metadata, size_t size,
		      const struct etw_value_names *names)
{
	uint8_t *key = malloc(sizeof(names->guid) + size);
	struct etw_schema_plan *plan = NULL;
	int error = key ? 0 : -ENOMEM;

	if (key) {
		memcpy(key, &names->guid, sizeof(names->guid));
		memcpy(key + sizeof(names->guid), metadata, size);
		d->plan = etw_schema_cache_find(&d->tracelogging, key, sizeof(names->guid) + size);
		free(key);
	}
	if (!error && !d->plan)
		plan = etw_tlmeta_parse(metadata, size, names, &error);
	if (!plan) {
		etw_manifest_put(names->manifest);
		return error;
	}
	plan->manifest = names->manifest;
	d->plan = etw_schema_cache_put(&d->tracelogging, plan);
	return d->plan ? 0 : -ENOMEM;
}

static int plan_tracelogging(struct etw_decoder *d, const struct items *items)
{
	size_t size = items->metadata_size;
	struct etw_value_names names;
	struct etw_schema_plan *plan;
	const char *event;
	uint32_t tags;
	uint16_t own;
	int error;

	/* Data after its own size does not belong to it, and cannot identify it. */
	if (size >= sizeof(own)) {
		memcpy(&own, items->metadata, sizeof(own));
		if (own < size)
			size = own;
	}
	check_generation(d);
	event = etw_tlmeta_name(items->metadata, size, &tags);
	if (event && etw_value_names_of(d, items->provider, items->decode, event, &names))
		return plan_named(d, items->metadata, size, &names);
	d->plan = etw_schema_cache_find(&d->tracelogging, items->metadata, size);
	if (d->plan)
		return 0;
	plan = etw_tlmeta_parse(items->metadata, size, NULL, &error);
	if (!plan)
		return error;
	d->plan = etw_schema_cache_put(&d->tracelogging, plan);
	return d->plan ? 0 : -ENOMEM;
}

static void key_of(struct event_key *key, const void *guid, const EVENT_DESCRIPTOR *desc,
		   bool classic)
{
	memcpy(key->guid, guid, sizeof(key->guid));
	key->event = (uint64_t)desc->Version << 16 | (classic ? desc->Opcode : desc->Id);
}

/* Build the plan of a classic event. NULL and *error: -ENOENT (unknown) or -ENOMEM. */
static struct etw_schema_plan *make_classic_plan(struct etw_decoder *d, const struct event_key *key,
						 uint16_t variant, int *error)
{
	const EVENT_HEADER *header = &d->record->EventHeader;
	const struct etw_mf_provider *provider;
	const struct etw_mf_event *event;
	struct etw_schema_plan *plan;

	event = etw_classic_find(&header->ProviderId, header->EventDescriptor.Opcode,
				 etw_classic_version(d->record), &provider);
	if (!event && header->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER)
		event = etw_kernel_find(d->record, variant, &provider);
	*error = -ENOENT;
	if (!event)
		return NULL;
	*error = -ENOMEM;
	plan = etw_plan_of_event(event, NULL, key, sizeof(*key));
	if (!plan)
		return NULL;
	plan->source = ETW_DECODE_CLASSIC;
	plan->provider = provider;
	plan->sizes_pointers = etw_kernel_sizes_pointers(event);
	return etw_schema_cache_put(&d->classic, plan);
}

static int plan_classic(struct etw_decoder *d)
{
	const EVENT_HEADER *header = &d->record->EventHeader;
	struct event_key key;
	uint16_t variant = 0;
	int error;

	/*
	 * Unless marked as classic, only events of the trace itself are: their types are
	 * opcodes of manifests' events otherwise.
	 */
	if (header->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER)
		variant = etw_kernel_variant(d->record);
	else if (!etw_classic_is_own(&header->ProviderId))
		return -ENOENT;
	key_of(&key, &header->ProviderId, &header->EventDescriptor, true);
	key.event |= (uint64_t)variant << 32 | (uint64_t)etw_classic_version(d->record) << 48;
	d->plan = etw_schema_cache_find(&d->classic, &key, sizeof(key));
	if (!d->plan)
		d->plan = make_classic_plan(d, &key, variant, &error);
	if (!d->plan)
		return error;
	if (d->plan->sizes_pointers)
		d->pointer_size = etw_kernel_pointer(d->plan->event, d->record, d->pointer_size);
	return 0;
}

/* An unknown event gets a plan of its own. NULL: out of memory. */
static struct etw_schema_plan *make_manifest_plan(struct etw_decoder *d, const struct event_key *key)
{
	const struct etw_mf_event *event = NULL;
	const struct etw_mf_provider *provider;
	struct etw_manifest *manifest = NULL;
	struct etw_schema_plan *plan;
	GUID guid;

	memcpy(&guid, key->guid, sizeof(guid));
	provider = etw_embedded_find(d, &guid, &event, &manifest);
	if (key->event == STRING_EVENT)
		event = &string_event;
	plan = etw_plan_of_event(event, provider, key, sizeof(*key));
	if (!plan) {
		etw_manifest_put(manifest);
		return NULL;
	}
	plan->manifest = manifest;
	if (event == &string_event)
		plan->source = ETW_DECODE_STRING;
	return etw_schema_cache_put(&d->manifests, plan);
}

static int plan_manifest(struct etw_decoder *d, const struct items *items)
{
	struct event_key key;

	check_generation(d);
	key_of(&key, items->decode, &d->record->EventHeader.EventDescriptor, false);
	if (d->record->EventHeader.Flags & EVENT_HEADER_FLAG_STRING_ONLY)
		key.event = STRING_EVENT;
	d->plan = etw_schema_cache_find(&d->manifests, &key, sizeof(key));
	if (!d->plan)
		d->plan = make_manifest_plan(d, &key);
	if (!d->plan)
		return -ENOMEM;
	return d->plan->event ? 0 : -ENOENT;
}

static int find_plan(struct etw_decoder *d, const struct items *items)
{
	const EVENT_HEADER *header = &d->record->EventHeader;
	int ret;

	d->plan = NULL;
	if (items->metadata)
		return plan_tracelogging(d, items);
	if (header->Flags & EVENT_HEADER_FLAG_STRING_ONLY)
		return plan_manifest(d, items);
	ret = plan_classic(d);
	if (ret != -ENOENT || header->Flags &
	    (EVENT_HEADER_FLAG_CLASSIC_HEADER | EVENT_HEADER_FLAG_TRACE_MESSAGE))
		return ret;
	return plan_manifest(d, items);
}

static void name_all(struct etw_decoder *d, const struct etw_schema_plan *plan)
{
	const EVENT_HEADER *header = &d->record->EventHeader;
	bool classic = header->Flags & (EVENT_HEADER_FLAG_CLASSIC_HEADER |
					EVENT_HEADER_FLAG_TRACE_MESSAGE);

	d->event.level = etw_decode_part(d, ETW_PART_LEVEL);
	if (!classic || (plan && plan->source == ETW_DECODE_CLASSIC)) {
		d->event.task = etw_decode_part(d, ETW_PART_TASK);
		d->event.opcode = etw_decode_part(d, ETW_PART_OPCODE);
	}
	if (!classic)
		d->event.channel = etw_decode_part(d, ETW_PART_CHANNEL);
	if (!plan)
		return;
	if (plan->provider)
		d->event.provider = plan->provider->name;
	if (plan->source == ETW_DECODE_MANIFEST && !plan->event)
		return;
	d->event.source = plan->source;
	d->event.event = plan->event_name;
	d->event.message = plan->message;
	d->event.tags = plan->tags;
	if (plan->event) {
		d->event.attributes = plan->event->attributes;
		d->event.symbol = plan->event->symbol;
	}
	d->event.field_count = plan->template ? (USHORT)plan->template->top : 0;
}

/* All of a descriptor except the keyword */
static uint64_t first_word(const EVENT_DESCRIPTOR *desc)
{
	uint64_t word;

	_Static_assert(offsetof(EVENT_DESCRIPTOR, Keyword) == sizeof(word), "first word");
	memcpy(&word, desc, sizeof(word));
	return word;
}

/*
 * Set the event's names. An event is usually like the previous one, or like the last
 * one of its plan: then only the names stored in the event itself change.
 */
static void name_event(struct etw_decoder *d, const struct items *items)
{
	const EVENT_HEADER *header = &d->record->EventHeader;
	uint64_t desc = first_word(&header->EventDescriptor);
	struct etw_schema_plan *plan = d->plan;
	bool known = plan && plan->is_named && plan->named_flags == header->Flags &&
		plan->named_for == desc;

	if (!known) {
		d->event = (struct etw_decoded){ .source = ETW_DECODE_NONE };
		name_all(d, plan);
		d->named = NULL;
	} else if (d->named != plan) {
		d->event = plan->named;
	}
	if (plan && !known) {
		plan->named = d->event;
		plan->named_for = desc;
		plan->named_flags = header->Flags;
		plan->is_named = true;
	}
	d->named = plan;
	d->event.record = d->record;
	d->event.mode = etw_event_mode(header->Flags);
	if (!plan || !plan->provider)
		d->event.provider = items->provider;
	memcpy(&d->event.decode_guid, items->decode, sizeof(GUID));
	memcpy(&d->event.control_guid, items->control, sizeof(GUID));
}

/* Allocate the values that later fields refer to. */
static int make_kept(struct etw_decoder *d)
{
	size_t need = d->plan && d->plan->keeps ? d->plan->template->count : 0;
	uint32_t *kept;

	if (need <= d->kept_room)
		return 0;
	kept = realloc(d->kept, need * sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	d->kept = kept;
	d->kept_room = need;
	return 0;
}

/* Find the plan and the names; returns as etw_decode(). */
static int describe(struct etw_decoder *d, const EVENT_RECORD *record)
{
	const bool is_piece = etw_embed_is(record);
	struct items items;
	int ret;

	if (is_piece)
		etw_embedded_feed(d, &record->EventHeader.ProviderId,
				  record->EventHeader.ProcessId, d->data, d->size);
	find_items(record, &items);
	ret = find_plan(d, &items);
	if (!ret && make_kept(d)) {
		d->plan = NULL;
		ret = -ENOMEM;
	}
	d->keywords = d->plan && d->plan->provider && (d->plan->source == ETW_DECODE_MANIFEST ||
		d->plan->source == ETW_DECODE_STRING) ? d->plan : NULL;
	name_event(d, &items);
	if (ret && items.metadata) {
		d->event.source = ETW_DECODE_TRACELOGGING;
		d->event.event = etw_tlmeta_name(items.metadata, items.metadata_size,
						 &d->event.tags);
	}
	if (ret && is_piece)
		d->event.event = "ManifestData";
	if (ret)
		d->named = d->plan = NULL;
	d->identity = NULL;
	if (!is_piece)
		etw_identity_put(d);
	return ret;
}

static void describe_again(struct etw_decoder *d, struct etw_identity *identity)
{
	if (d->identity != identity) {
		d->event = identity->event;
		d->plan = identity->plan;
		d->keywords = identity->keywords;
		/* The plan has the names of the last event that was not recognised. */
		d->named = NULL;
		d->identity = identity;
	}
	d->event.record = d->record;
}

int etw_decode_repeated(struct etw_decoder *d, const EVENT_RECORD *record, bool repeated,
			const struct etw_decoded **event)
{
	struct etw_identity *identity = etw_identity_find(d, record, repeated);
	int ret = 0;

	d->record = record;
	d->data = record->UserData ? record->UserData : (const void *)"";
	d->size = record->UserData ? record->UserDataLength : 0;
	d->pointer_size = record->EventHeader.Flags & EVENT_HEADER_FLAG_32_BIT_HEADER ? 4 : 8;
	if (identity)
		describe_again(d, identity);
	else
		ret = describe(d, record);
	d->is_fresh = false;
	etw_decode_rewind(d);
	if (event)
		*event = &d->event;
	return ret;
}

int etw_decode(struct etw_decoder *d, const EVENT_RECORD *record, const struct etw_decoded **event)
{
	return etw_decode_repeated(d, record, false, event);
}
