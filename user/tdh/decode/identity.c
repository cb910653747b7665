/* SPDX-License-Identifier: MIT */
/*
 * identity.c - recognise events that differ only in time, place and payload
 *
 * Their plan and names are found once. The key is what these follow from: the flags, the
 * provider, the descriptor, and the items that hold a schema, traits or a GUID. Events
 * whose plan follows from more, such as the payload, have no identity.
 */
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "tdh/kernel_logger/kernel_logger.h"
#include "tdh/store/store.h"

#define KEY_MAX		4096	/* bytes: events with longer schemas have no identity */

#define WORD		sizeof(uint64_t)
#define HASHED		64		/* bytes of an item: names may begin alike */
#define HASH_BY		0x9E3779B97F4A7C15u

static size_t whole_words(size_t size)
{
	return (size + WORD - 1) / WORD * WORD;
}

static inline unsigned int item_count(const EVENT_RECORD *record)
{
	return record->ExtendedData ? record->ExtendedDataCount : 0;
}

static inline bool describes(const EVENT_HEADER_EXTENDED_DATA_ITEM *item)
{
	return (item->ExtType == EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL ||
		item->ExtType == EVENT_HEADER_EXT_TYPE_PROV_TRAITS ||
		item->ExtType == EVENT_HEADER_EXT_TYPE_CONTROL_GUID) && item->DataPtr;
}

static inline const uint8_t *data_of(const EVENT_HEADER_EXTENDED_DATA_ITEM *item)
{
	return (const uint8_t *)(uintptr_t)item->DataPtr;
}

/* Provider and descriptor are next to each other. */
static inline void header_words(const EVENT_HEADER *header, uint64_t words[5])
{
	_Static_assert(offsetof(EVENT_HEADER, EventDescriptor) ==
		       offsetof(EVENT_HEADER, ProviderId) + sizeof(GUID), "one block");
	words[0] = header->Flags;
	memcpy(words + 1, &header->ProviderId, sizeof(GUID));
	memcpy(words + 3, &header->EventDescriptor, sizeof(EVENT_DESCRIPTOR));
}

static inline uint64_t item_word(const EVENT_HEADER_EXTENDED_DATA_ITEM *item)
{
	return (uint64_t)item->ExtType << 16 | item->DataSize;
}

/* The last word overlaps the one before, so that no byte is compared alone. */
static inline bool same_bytes(const uint8_t *a, const uint8_t *b, size_t size)
{
	size_t at;

	if (size < WORD)
		return !memcmp(a, b, size);
	for (at = 0; at < size - WORD; at += WORD)
		if (etw_load(a + at, WORD) != etw_load(b + at, WORD))
			return false;
	return etw_load(a + size - WORD, WORD) == etw_load(b + size - WORD, WORD);
}

static inline bool has_header(const struct etw_identity *identity, const EVENT_HEADER *header)
{
	uint64_t words[5], own[5];

	header_words(header, words);
	memcpy(own, identity->key, sizeof(own));
	return !((own[0] ^ words[0]) | (own[1] ^ words[1]) | (own[2] ^ words[2]) |
		 (own[3] ^ words[3]) | (own[4] ^ words[4]));
}

static bool has_items(const struct etw_identity *identity, const EVENT_RECORD *record)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = record->ExtendedData;
	const uint8_t *key = identity->key + 5 * WORD, *end = identity->key + identity->key_size;
	unsigned int left;

	for (left = item_count(record); left; left--, item++) {
		if (!describes(item))
			continue;
		if (key == end || etw_load(key, WORD) != item_word(item) ||
		    !same_bytes(key + WORD, data_of(item), item->DataSize))
			return false;
		key += WORD + whole_words(item->DataSize);
	}
	return key == end;
}

/* Of the first and the last bytes; at least 8 there are */
static uint64_t hash_bytes(uint64_t hash, const uint8_t *data, size_t size)
{
	const size_t most = size < HASHED ? size : HASHED;
	size_t at;

	for (at = 0; at + WORD < most; at += WORD)
		hash = etw_hash_number(HASH_BY, hash ^ etw_load(data + at, WORD));
	return etw_hash_number(HASH_BY, hash ^ etw_load(data + size - WORD, WORD));
}

/* Events that alternate mostly differ in these. */
static uint64_t hash_of(const EVENT_RECORD *record)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = record->ExtendedData;
	uint64_t words[5], hash;
	unsigned int i;

	header_words(&record->EventHeader, words);
	hash = words[0] ^ words[1] ^ words[3] ^ words[4];
	for (i = 0; i < item_count(record); i++, item++)
		if (describes(item) && item->DataSize >= WORD)
			hash = hash_bytes(hash ^ item_word(item), data_of(item), item->DataSize);
	return etw_hash_number(HASH_BY, hash);
}

static struct etw_identity_slot *set_of(struct etw_decoder *d, uint64_t hash)
{
	return d->identities[hash % ETW_IDENTITY_SETS];
}

static void free_identity(struct etw_identity *identity)
{
	if (identity)
		etw_text_free(&identity->text);
	free(identity);
}

void etw_identities_clear(struct etw_decoder *d)
{
	struct etw_identity_slot *slot = d->identities[0];
	unsigned int left;

	for (left = ETW_IDENTITY_SETS * ETW_IDENTITY_WAYS; left; left--, slot++) {
		free_identity(slot->identity);
		slot->identity = NULL;
	}
	d->identity = NULL;
}

/* The schemas of manifests may have changed. */
static bool is_current(const struct etw_decoder *d, const struct etw_identity *identity)
{
	return identity->plan->source == ETW_DECODE_CLASSIC ||
	       etw_store_generation() == d->generation;
}

/* Make a slot of a set its first one; those before it move by one. */
static void move_first(struct etw_identity_slot *set, unsigned int way)
{
	const struct etw_identity_slot slot = set[way];

	for (; way; way--)
		set[way] = set[way - 1];
	set[0] = slot;
}

static struct etw_identity *find_in_set(struct etw_decoder *d, const EVENT_RECORD *record)
{
	const uint64_t hash = hash_of(record);
	struct etw_identity_slot *set = set_of(d, hash);
	struct etw_identity *identity;
	unsigned int way;

	for (way = 0; way < ETW_IDENTITY_WAYS && set[way].identity; way++) {
		identity = set[way].identity;
		if (set[way].hash != hash || !has_header(identity, &record->EventHeader) ||
		    !has_items(identity, record))
			continue;
		if (way)
			move_first(set, way);
		return identity;
	}
	return NULL;
}

struct etw_identity *etw_identity_find(struct etw_decoder *d, const EVENT_RECORD *record,
				       bool repeated)
{
	struct etw_identity *identity = d->identity;

	if (d->manifests.emptied | d->tracelogging.emptied | d->classic.emptied) {
		d->manifests.emptied = d->tracelogging.emptied = d->classic.emptied = false;
		etw_identities_clear(d);
		return NULL;
	}
	if (!identity || !has_header(identity, &record->EventHeader) ||
	    (!repeated && !has_items(identity, record)))
		identity = find_in_set(d, record);
	return identity && is_current(d, identity) ? identity : NULL;
}

/* Does the plan follow from the key alone? */
static bool has_identity(const struct etw_decoder *d)
{
	const struct etw_schema_plan *plan = d->plan;

	if (!plan)
		return false;
	return plan->source != ETW_DECODE_CLASSIC ||
	       (!plan->sizes_pointers &&
		d->record->EventHeader.ProviderId.Data1 != etw_kernel_stack_guid.Data1 &&
		!etw_classic_is_own(&d->record->EventHeader.ProviderId));
}

static size_t key_size(const EVENT_RECORD *record)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = record->ExtendedData;
	size_t size = 5 * WORD;
	unsigned int i;

	for (i = 0; i < item_count(record); i++)
		size += describes(item + i) ? WORD + whole_words(item[i].DataSize) : 0;
	return size;
}

static void fill_key(struct etw_identity *identity, const EVENT_RECORD *record,
		     const char **provider)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = record->ExtendedData;
	uint8_t *key = identity->key;
	const char *name = *provider;
	uint64_t words[5];
	unsigned int i;

	header_words(&record->EventHeader, words);
	memcpy(key, words, sizeof(words));
	key += sizeof(words);
	for (i = 0; i < item_count(record); i++, item++) {
		const char *data = (const char *)data_of(item);
		uint64_t word = item_word(item);

		if (!describes(item))
			continue;
		memcpy(key, &word, WORD);
		memcpy(key + WORD, data, item->DataSize);
		/* The name of the provider may be in the event itself. */
		if (name >= data && name < data + item->DataSize)
			*provider = (const char *)key + WORD + (name - data);
		key += WORD + whole_words(item->DataSize);
		identity->items++;
		identity->has_control |= item->ExtType == EVENT_HEADER_EXT_TYPE_CONTROL_GUID;
	}
}

/* Their plans are not looked at: they may be gone. */
static bool same_key(const struct etw_identity *a, const struct etw_identity *b)
{
	return a->key_size == b->key_size && !memcmp(a->key, b->key, a->key_size);
}

/* Replace the one with this key, which is not current, or the one that was not used for longest. */
static void put_in_set(struct etw_decoder *d, struct etw_identity *identity)
{
	const uint64_t hash = hash_of(d->record);
	struct etw_identity_slot *set = set_of(d, hash);
	unsigned int way = 0;

	while (way < ETW_IDENTITY_WAYS - 1 && set[way].identity &&
	       (set[way].hash != hash || !same_key(set[way].identity, identity)))
		way++;
	free_identity(set[way].identity);
	set[way] = (struct etw_identity_slot){ hash, identity };
	move_first(set, way);
}

void etw_identity_put(struct etw_decoder *d)
{
	size_t size = key_size(d->record);
	struct etw_identity *identity;

	if (!has_identity(d) || size > KEY_MAX)
		return;
	identity = calloc(1, sizeof(*identity) + size);
	if (!identity)
		return;
	identity->key_size = size;
	fill_key(identity, d->record, &d->event.provider);
	identity->plan = d->plan;
	identity->keywords = d->keywords;
	identity->event = d->event;
	put_in_set(d, identity);
	d->identity = identity;
}
