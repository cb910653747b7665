/* SPDX-License-Identifier: MIT */
/*
 * embed.c - schemas in the trace itself: write them as events, and read them
 *
 * Pieces come in any order, and those of several processes are interleaved. Any of them
 * may be forged: the number and size of incomplete schemas are limited, and dropping
 * one affects no other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder.h"
#include "embed.h"
#include "tdh/manifest/xml_write.h"
#include "tdh/store/installed.h"
#include "tdh/store/store.h"
#include "base/table.h"
#include "etl/file.h"
#include "etl/record.h"

#define CHUNK_MAX	0xFF00u		/* bytes of a piece, as in EventSource */

#define PARTS_MAX	64		/* incomplete schemas */
#define PARTS_BYTES	(64u << 20)	/* their bytes */
#define KNOWN_MAX	1024		/* complete schemas */
#define KNOWN_BYTES	(256u << 20)	/* bytes of all schemas ever parsed */

#define FORMAT_XML	1
#define MAGIC		0x5B

struct envelope {
	uint8_t format, major, minor, magic;
	uint16_t total, number;
};

/* -------------------------------------------------------------------- writing */

static void fill_header(struct etw_event_header *header, const GUID *guid, int64_t time)
{
	memset(header, 0, sizeof(*header));
	header->type = ETW_TYPE_EVENT64;
	header->flags = ETW_EVENT_NO_CPUTIME;
	header->thread_id = gettid();
	header->process_id = getpid();
	header->timestamp = time;
	memcpy(&header->provider, guid, sizeof(*guid));
	header->desc = (struct etw_event_descriptor){
		.id = 0xFFFE, .version = 1, .opcode = 0xFE, .task = 0xFFFE,
		/* All keywords except those of channels */
		.keyword = 0x00FFFFFFFFFFFFFF,
	};
}

static int put_pieces(const GUID *guid, int64_t time, size_t chunk, const struct etw_text *xml,
		      etw_embed_put_fn *put, void *context)
{
	size_t total = (xml->len + chunk - 1) / chunk, at, len;
	struct etw_event_header *header;
	struct envelope *envelope;
	uint8_t *record;
	int ret = 0;

	if (total > ETW_EMBED_CHUNKS_MAX)
		return -E2BIG;
	record = malloc(sizeof(*header) + sizeof(*envelope) + chunk);
	if (!record)
		return -ENOMEM;
	header = (struct etw_event_header *)record;
	envelope = (struct envelope *)(header + 1);
	fill_header(header, guid, time);
	*envelope = (struct envelope){ FORMAT_XML, 1, 0, MAGIC, (uint16_t)total, 0 };
	for (at = 0; envelope->number < total && !ret; envelope->number++, at += len) {
		len = xml->len - at < chunk ? xml->len - at : chunk;
		memcpy(envelope + 1, xml->data + at, len);
		header->size = sizeof(*header) + sizeof(*envelope) + len;
		ret = put(context, record, header->size);
	}
	free(record);
	return ret;
}

/* The events of the i-th provider that none before it describes, in malloc()ed memory */
static struct etw_mf_event *own_events(const struct etw_providers *all, unsigned int i,
				       unsigned int *count)
{
	const struct etw_mf_provider *p = all->list[i];
	struct etw_mf_event *events = malloc((p->event_count + 1) * sizeof(*events));
	unsigned int j;

	*count = 0;
	for (j = 0; events && j < p->event_count; j++) {
		const struct etw_mf_event *e = &p->events[j];

		if (etw_providers_event(all, e->desc.Id, e->desc.Version, NULL) == e)
			events[(*count)++] = *e;
	}
	return events;
}

/* The pieces of one provider, of what it adds to those before it */
static int put_provider(const struct etw_providers *all, unsigned int i, int64_t time, size_t chunk,
			etw_embed_put_fn *put, void *context)
{
	struct etw_mf_provider part = *all->list[i];
	struct etw_mf_event *events = own_events(all, i, &part.event_count);
	struct etw_text xml = { 0 };
	int ret = events ? 0 : -ENOMEM;

	part.events = events;
	if (!ret && (!i || part.event_count))
		ret = etw_manifest_xml(&part, &xml);
	if (!ret && xml.len)
		ret = put_pieces(&part.guid, time, chunk, &xml, put, context);
	etw_text_free(&xml);
	free(events);
	return ret;
}

int etw_embed_records(const GUID *guid, int64_t time, size_t max_size, etw_embed_put_fn *put,
		      void *context)
{
	const size_t head = sizeof(struct etw_event_header) + sizeof(struct envelope);
	struct etw_providers all;
	size_t chunk = CHUNK_MAX;
	int ret = -ENOENT, err = 0;
	unsigned int i;

	if (max_size && max_size <= head)
		return -E2BIG;
	if (max_size && max_size - head < chunk)
		chunk = max_size - head;
	if (etw_store_find_all(guid, &all))
		return -ENOMEM;
	/* Readers prefer the last. */
	for (i = all.count; i && (!err || err == -EINVAL); i--) {
		err = put_provider(&all, i - 1, time, chunk, put, context);
		if (!err || ret)
			ret = err;
	}
	etw_providers_free(&all);
	return err && err != -EINVAL ? err : ret;
}

bool etw_embed_is(const EVENT_RECORD *record)
{
	const EVENT_DESCRIPTOR *desc = &record->EventHeader.EventDescriptor;

	return desc->Id == 0xFFFE && desc->Opcode == 0xFE && desc->Task == 0xFFFE &&
	       !(record->EventHeader.Flags & (EVENT_HEADER_FLAG_CLASSIC_HEADER |
					      EVENT_HEADER_FLAG_TRACE_MESSAGE));
}

bool etw_embed_is_piece(const struct etw_event_header *header)
{
	return etw_kind_is_schema(header);
}

struct piece {
	void *data;	/* NULL: not received */
	size_t size;
};

struct part {
	struct part *next;	/* the next older one */
	GUID guid;
	uint32_t process;
	struct envelope envelope;
	unsigned int left;	/* missing pieces */
	size_t bytes;
	struct piece pieces[];
};

struct known {
	GUID guid;
	uint64_t hash;		/* of the text */
	size_t size;
	const struct etw_mf_provider *provider;	/* NULL: not a manifest of that provider */
	struct etw_manifest *manifest;
};

struct etw_embedded {
	struct part *parts;	/* the newest first */
	unsigned int part_count;
	size_t part_bytes;
	struct known known[KNOWN_MAX];
	unsigned int known_count;
	size_t parsed;		/* bytes */
};

/* ---------------------------------------------------------------------- pieces */

static void free_part(struct etw_embedded *e, struct part **at)
{
	struct part *part = *at;
	unsigned int i;

	*at = part->next;
	for (i = 0; i < part->envelope.total; i++)
		free(part->pieces[i].data);
	e->part_count--;
	e->part_bytes -= part->bytes;
	free(part);
}

static void free_oldest(struct etw_embedded *e)
{
	struct part **at = &e->parts;

	while ((*at)->next)
		at = &(*at)->next;
	free_part(e, at);
}

static struct part **find_part(struct etw_embedded *e, const GUID *guid, uint32_t process)
{
	struct part **at;

	for (at = &e->parts; *at; at = &(*at)->next)
		if ((*at)->process == process && !memcmp(&(*at)->guid, guid, sizeof(*guid)))
			break;
	return at;
}

static struct part *new_part(struct etw_embedded *e, const GUID *guid, uint32_t process,
			     const struct envelope *envelope)
{
	struct part *part = calloc(1, sizeof(*part) + envelope->total * sizeof(part->pieces[0]));

	if (!part)
		return NULL;
	if (e->part_count == PARTS_MAX)
		free_oldest(e);
	part->guid = *guid;
	part->process = process;
	part->envelope = *envelope;
	part->left = envelope->total;
	part->next = e->parts;
	e->parts = part;
	e->part_count++;
	return part;
}

/*
 * Find the schema that the piece belongs to. A duplicate piece, or one that contradicts
 * earlier ones, starts the schema again: a writer is repeating it.
 */
static struct part *part_for(struct etw_embedded *e, const GUID *guid, uint32_t process,
			     const struct envelope *envelope)
{
	struct part **at = find_part(e, guid, process), *part = *at;

	if (part && (part->envelope.major != envelope->major ||
		     part->envelope.minor != envelope->minor ||
		     part->envelope.total != envelope->total ||
		     part->pieces[envelope->number].data)) {
		free_part(e, at);
		part = NULL;
	}
	return part ? part : new_part(e, guid, process, envelope);
}

static bool put_piece(struct etw_embedded *e, struct part *part, unsigned int number,
		      const void *data, size_t size)
{
	struct piece *piece = &part->pieces[number];

	piece->data = malloc(size + 1);
	if (!piece->data)
		return false;
	memcpy(piece->data, data, size);
	piece->size = size;
	part->left--;
	part->bytes += size;
	e->part_bytes += size;
	return true;
}

/* -------------------------------------------------------------------- schemas */

static char *join(const struct part *part)
{
	char *text = malloc(part->bytes + 1), *to = text;
	unsigned int i;

	for (i = 0; text && i < part->envelope.total; i++) {
		memcpy(to, part->pieces[i].data, part->pieces[i].size);
		to += part->pieces[i].size;
	}
	return text;
}

/* The newest of a provider's schemas before one (NULL: the newest of all); NULL: no more */
static struct known *find_known(struct etw_embedded *e, const GUID *guid, struct known *before)
{
	struct known *known = before ? before : e->known + e->known_count;

	while (known-- > e->known)
		if (!memcmp(&known->guid, guid, sizeof(*guid)))
			return known;
	return NULL;
}

static bool is_known(struct etw_embedded *e, const GUID *guid, uint64_t hash, size_t size)
{
	struct known *known = NULL;

	while ((known = find_known(e, guid, known)))
		if (known->size == size && known->hash == hash)
			return true;
	return false;
}

/*
 * Parse a new text: is it a manifest of that provider? Earlier ones are kept: they may
 * describe events that it does not.
 */
static bool learn(struct etw_embedded *e, const GUID *guid, const char *text, size_t size)
{
	uint64_t hash = etw_hash(0, text, size);
	struct etw_problems problems = { .count = 0 };
	const struct etw_mf_provider *provider;
	struct etw_manifest *manifest;

	if (is_known(e, guid, hash, size))
		return false;
	if (e->known_count == KNOWN_MAX || size > KNOWN_BYTES - e->parsed)
		return false;
	e->parsed += size;
	if (etw_manifest_read_memory(text, size, "the trace", &manifest, &problems))
		manifest = NULL;
	etw_problems_free(&problems);
	provider = manifest ? etw_manifest_provider(manifest, guid) : NULL;
	e->known[e->known_count++] = (struct known){ *guid, hash, size, provider, manifest };
	return provider;
}

static bool complete(struct etw_embedded *e, struct part *part)
{
	char *text = join(part);
	bool new = text && learn(e, &part->guid, text, part->bytes);

	free(text);
	free_part(e, find_part(e, &part->guid, part->process));
	return new;
}

bool etw_embedded_feed(struct etw_decoder *d, const GUID *guid, uint32_t process,
		       const void *payload, size_t size)
{
	struct envelope envelope;
	struct etw_embedded *e = d->embedded;
	struct part *part;

	if (size <= sizeof(envelope))
		return false;
	memcpy(&envelope, payload, sizeof(envelope));
	if (envelope.format != FORMAT_XML || envelope.magic != MAGIC ||
	    envelope.total > ETW_EMBED_CHUNKS_MAX || envelope.number >= envelope.total)
		return false;
	if (!e)
		e = d->embedded = calloc(1, sizeof(*e));
	part = e ? part_for(e, guid, process, &envelope) : NULL;
	if (!part || !put_piece(e, part, envelope.number, (const char *)payload +
				sizeof(envelope), size - sizeof(envelope)))
		return false;
	if (!part->left) {
		if (!complete(e, part))
			return false;
		/* Earlier events were decoded without it. */
		etw_schema_cache_clear(&d->manifests);
		etw_schema_cache_clear(&d->tracelogging);
		return true;
	}
	while (e->part_bytes > PARTS_BYTES)
		free_oldest(e);
	return false;
}

static bool is_of(const struct etw_mf_provider *p, const GUID *guid, bool controlled)
{
	if (controlled)
		return p->has_control_guid && !memcmp(&p->control_guid, guid, sizeof(*guid));
	return !memcmp(&p->guid, guid, sizeof(*guid));
}

/* The newest provider in the trace that describes the event, by its decode or control GUID */
static const struct etw_mf_provider *find_in_trace(struct etw_embedded *e, const GUID *guid,
						   const EVENT_DESCRIPTOR *desc, bool controlled,
						   const struct etw_mf_event **event,
						   struct etw_manifest **manifest)
{
	struct known *known = NULL;
	unsigned int i;

	while (e && (known = find_known(e, guid, known))) {
		for (i = 0; known->provider && i < known->manifest->provider_count; i++) {
			const struct etw_mf_provider *p = &known->manifest->providers[i];

			*event = is_of(p, guid, controlled) ?
				etw_mf_event_find(p, desc->Id, desc->Version) : NULL;
			if (!*event)
				continue;
			*manifest = etw_manifest_get(known->manifest);
			return p;
		}
	}
	return NULL;
}

/* The newest schema in the trace; with a provider of this decode GUID, if there is one */
static const struct known *newest_in_trace(struct etw_embedded *e, const GUID *guid)
{
	struct known *known = NULL, *newest = NULL;

	while (e && (known = find_known(e, guid, known))) {
		if (!known->provider)
			continue;
		if (is_of(known->provider, guid, false))
			return known;
		newest = newest ? newest : known;
	}
	return newest;
}

const struct etw_mf_provider *etw_embedded_find(const struct etw_decoder *d, const GUID *guid,
						const struct etw_mf_event **event,
						struct etw_manifest **manifest)
{
	const EVENT_DESCRIPTOR *desc = &d->record->EventHeader.EventDescriptor;
	const struct known *newest = newest_in_trace(d->embedded, guid);
	const struct etw_mf_provider *found, *stored;
	const struct etw_mf_event *own = NULL;
	struct etw_manifest *in;
	bool decoded;

	*event = NULL;
	found = find_in_trace(d->embedded, guid, desc, false, event, manifest);
	if (found)
		return found;
	stored = etw_store_find_event(guid, desc->Id, desc->Version, event, manifest);
	/* A control GUID counts only if it is the decode GUID of no schema. */
	decoded = newest && is_of(newest->provider, guid, false);
	if (stored && decoded && !is_of(stored, guid, false)) {
		etw_manifest_put(*manifest);
		stored = NULL;
		*event = NULL;
	}
	if (!newest || decoded || (stored && is_of(stored, guid, false))) {
		if (stored || !newest)
			return stored;
		*manifest = etw_manifest_get(newest->manifest);
		return newest->provider;
	}
	found = find_in_trace(d->embedded, guid, desc, true, &own, &in);
	if (!found && stored)
		return stored;
	if (stored)
		etw_manifest_put(*manifest);
	*event = own;
	*manifest = found ? in : etw_manifest_get(newest->manifest);
	return found ? found : newest->provider;
}

void etw_embedded_free(struct etw_embedded *e)
{
	unsigned int i;

	if (!e)
		return;
	while (e->parts)
		free_part(e, &e->parts);
	for (i = 0; i < e->known_count; i++)
		etw_manifest_put(e->known[i].manifest);
	free(e);
}

/* ----------------------------------------------------------------------- files */

struct scan {
	struct etw_decoder *decoder;
	int found;		/* schemas that the records complete */
};

static int scan_record(void *context, const struct etw_record_view *record)
{
	struct scan *scan = context;
	GUID guid;

	if (!etw_embed_is_piece(record->header))
		return 0;
	memcpy(&guid, &record->header->provider, sizeof(guid));
	scan->found += etw_embedded_feed(scan->decoder, &guid, record->header->process_id,
					 record->data, record->data_len);
	return 0;
}

/* Load the schemas for all decoders of the process. */
static int load_all(const struct etw_decoder *d)
{
	const struct etw_embedded *e = d->embedded;
	unsigned int i;
	int err = 0;

	for (i = 0; e && i < e->known_count && !err; i++)
		if (e->known[i].provider)
			err = etw_store_add(e->known[i].manifest);
	return err;
}

int etw_embed_scan(struct etw_decoder *decoder, const char *path)
{
	struct etw_decoder *own = decoder ? NULL : etw_decoder_new();
	struct scan found = { decoder ? decoder : own, 0 };
	struct etw_etl_file *f;
	int ret = decoder || own ? etw_etl_open(path, NULL, NULL, &f) : -ENOMEM;

	if (!ret) {
		ret = etw_etl_ends(f, scan_record, &found);
		etw_etl_close(f);
	}
	if (!ret)
		ret = found.found;
	if (ret > 0 && own && load_all(own))
		ret = -ENOMEM;
	etw_decoder_free(own);
	return ret;
}
