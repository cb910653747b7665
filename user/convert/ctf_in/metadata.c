/* SPDX-License-Identifier: MIT */
/*
 * metadata.c - the metadata of a CTF trace: packets of text, memory, names, look-ups
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metadata.h"
#include "convert/hash.h"

#define PACKET_MAGIC	0x75D11D57u
#define PACKET_HEAD	37		/* bytes */
#define CHUNK		65536
#define NAMES		4096		/* slots of the hash table at first */

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(16) char data[];
};

struct name {
	struct name *next;
	uint64_t hash;
	size_t len;
	char text[];
};

struct cm_arena {
	struct chunk *chunks;
	size_t total;
	struct name **names;	/* slots */
	size_t name_slots, name_count;
};

void *cm_alloc(struct cm_meta *meta, size_t size)
{
	struct cm_arena *arena = meta->arena;
	struct chunk *chunk = arena->chunks;
	void *p;

	if (size > CM_MEMORY_MAX)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK ? size : CHUNK;

		if (arena->total + room > CM_MEMORY_MAX)
			return NULL;
		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->size = room;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->total += room;
	}
	p = chunk->data + chunk->used;
	chunk->used += size;
	return p;
}

/* As many slots as names, or more */
static bool grow_names(struct cm_arena *arena)
{
	size_t slots = arena->name_slots ? 2 * arena->name_slots : NAMES, i;
	struct name **names, *name, *next;

	if (arena->name_count < arena->name_slots)
		return true;
	names = calloc(slots, sizeof(*names));
	if (!names)
		return false;
	for (i = 0; i < arena->name_slots; i++) {
		for (name = arena->names[i]; name; name = next) {
			next = name->next;
			name->next = names[name->hash % slots];
			names[name->hash % slots] = name;
		}
	}
	free(arena->names);
	arena->names = names;
	arena->name_slots = slots;
	return true;
}

const char *cm_name(struct cm_meta *meta, const char *s, size_t len)
{
	struct cm_arena *arena = meta->arena;
	const uint64_t hash = hash_bytes(0, s, len);
	struct name **slot, *name;

	if (!grow_names(arena))
		return NULL;
	slot = &arena->names[hash % arena->name_slots];
	for (name = *slot; name; name = name->next)
		if (name->hash == hash && name->len == len && !memcmp(name->text, s, len))
			return name->text;
	name = cm_alloc(meta, sizeof(*name) + len + 1);
	if (!name)
		return NULL;
	arena->name_count++;
	name->hash = hash;
	name->len = len;
	memcpy(name->text, s, len);
	name->next = *slot;
	*slot = name;
	return name->text;
}

static struct cm_meta *meta_new(void)
{
	struct cm_meta *meta = calloc(1, sizeof(*meta));

	if (!meta)
		return NULL;
	meta->arena = calloc(1, sizeof(*meta->arena));
	if (!meta->arena) {
		free(meta);
		return NULL;
	}
	return meta;
}

void cm_free(struct cm_meta *meta)
{
	struct chunk *chunk, *next;

	if (!meta)
		return;
	for (chunk = meta->arena->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(meta->arena->names);
	free(meta->arena);
	free(meta);
}

/* ------------------------------------------------------------- packets of text */

static uint32_t load32(const char *p, bool swap)
{
	uint32_t value;

	memcpy(&value, p, 4);
	return swap ? __builtin_bswap32(value) : value;
}

/* The text of all packets, in to; how much, or -EBADMSG. */
static long long unpack(struct cm_meta *meta, const char *data, size_t size, bool swap, char *to)
{
	size_t at = 0, len = 0;

	while (size - at >= PACKET_HEAD) {
		uint32_t content = load32(data + at + 24, swap) / 8;
		uint32_t packet = load32(data + at + 28, swap) / 8;

		if (load32(data + at, swap) != PACKET_MAGIC || content < PACKET_HEAD ||
		    packet < content || packet > size - at) {
			snprintf(meta->problem, sizeof(meta->problem),
				 "metadata: no packet at offset %zu", at);
			return -EBADMSG;
		}
		if (data[at + 32] || data[at + 33]) {
			snprintf(meta->problem, sizeof(meta->problem),
				 "metadata: compressed or encrypted");
			return -EBADMSG;
		}
		memcpy(to + len, data + at + PACKET_HEAD, content - PACKET_HEAD);
		len += content - PACKET_HEAD;
		at += packet;
	}
	return (long long)len;
}

static int parse_text(struct cm_meta *meta, const char *text, size_t size)
{
	if (size && text[0] == 0x1E)
		return cm_parse_json(meta, text, size);
	return cm_parse_tsdl(meta, text, size);
}

static int parse(struct cm_meta *meta, const char *data, size_t size)
{
	uint32_t magic = size >= 4 ? load32(data, false) : 0;
	long long len;
	char *text;
	int err;

	if (size > CM_TEXT_MAX) {
		snprintf(meta->problem, sizeof(meta->problem), "metadata: %zu bytes are too much",
			 size);
		return -EBADMSG;
	}
	if (magic != PACKET_MAGIC && magic != __builtin_bswap32(PACKET_MAGIC))
		return parse_text(meta, data, size);
	text = malloc(size);
	if (!text)
		return -ENOMEM;
	len = unpack(meta, data, size, magic != PACKET_MAGIC, text);
	err = len < 0 ? (int)len : parse_text(meta, text, (size_t)len);
	free(text);
	return err;
}

/* --------------------------------------------------------------------- model */

enum cm_role cm_role_of(const char *name)
{
	static const char *const names[CM_ROLES] = {
		[CM_MAGIC] = "magic", [CM_STREAM_ID] = "stream_id",
		[CM_CONTENT_SIZE] = "content_size", [CM_PACKET_SIZE] = "packet_size",
		[CM_BEGIN] = "timestamp_begin", [CM_END] = "timestamp_end",
		[CM_DISCARDED] = "events_discarded", [CM_EVENT_ID] = "id",
	};
	unsigned int i;

	for (i = 1; i < CM_ROLES; i++)
		if (!strcmp(name, names[i]))
			return (enum cm_role)i;
	return CM_NO_ROLE;
}

/* "_data_length" of "data", as LTTng and we call it */
static bool names_length(const char *length, const char *of)
{
	size_t len = strlen(of);

	return length[0] == '_' && !strncmp(length + 1, of, len) &&
	       !strcmp(length + 1 + len, "_length");
}

void cm_finish_struct(struct cm_type *type)
{
	uint32_t i;

	for (i = 0; i < type->member_count; i++) {
		const struct cm_type *t = type->members[i].type;

		if (t->align > type->align)
			type->align = t->align;
		type->has_variant |= t->has_variant;
		if (i && t->kind == CM_SEQUENCE && t->path.count == 1 &&
		    t->path.name[0] == type->members[i - 1].name &&
		    type->members[i - 1].type->kind == CM_INT &&
		    names_length(type->members[i - 1].name, type->members[i].name))
			type->members[i - 1].is_length = true;
	}
}

static int by_id(const void *a, const void *b)
{
	const struct cm_event *x = *(struct cm_event *const *)a;
	const struct cm_event *y = *(struct cm_event *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* No two events of a stream have the same id. */
static int sort_events(struct cm_meta *meta, struct cm_stream *stream)
{
	struct cm_event *event;
	uint32_t i = 0;

	stream->by_id = cm_alloc(meta, (stream->event_count + 1) * sizeof(*stream->by_id));
	if (!stream->by_id)
		return -ENOMEM;
	for (event = stream->events; event; event = event->next)
		stream->by_id[i++] = event;
	qsort(stream->by_id, stream->event_count, sizeof(*stream->by_id), by_id);
	for (i = 1; i < stream->event_count; i++) {
		if (stream->by_id[i]->id != stream->by_id[i - 1]->id)
			continue;
		snprintf(meta->problem, sizeof(meta->problem),
			 "metadata: two events of stream %llu have id %llu",
			 (unsigned long long)stream->id,
			 (unsigned long long)stream->by_id[i]->id);
		return -EBADMSG;
	}
	return 0;
}

struct cm_meta *cm_parse(const char *data, size_t size, char *problem, size_t problem_size)
{
	struct cm_meta *meta = meta_new();
	struct cm_stream *stream;
	int err;

	problem[0] = '\0';
	if (!meta)
		return NULL;
	err = parse(meta, data, size);
	for (stream = meta->streams; !err && stream; stream = stream->next)
		err = sort_events(meta, stream);
	if (!err)
		cm_use_true_names(meta);
	if (!err && !meta->has_trace) {
		snprintf(meta->problem, sizeof(meta->problem), "metadata: no trace is described");
		err = -EBADMSG;
	}
	if (!err)
		return meta;
	if (err != -ENOMEM)
		snprintf(problem, problem_size, "%s", meta->problem);
	cm_free(meta);
	return NULL;
}

const struct cm_stream *cm_stream(const struct cm_meta *meta, uint64_t id)
{
	const struct cm_stream *stream;

	for (stream = meta->streams; stream; stream = stream->next)
		if (stream->id == id)
			return stream;
	return NULL;
}

const struct cm_event *cm_event(const struct cm_stream *stream, uint64_t id)
{
	uint32_t low = 0, high = stream->event_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (stream->by_id[middle]->id == id)
			return stream->by_id[middle];
		if (stream->by_id[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
