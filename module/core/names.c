// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * names.c - compile and apply filters of event names
 */
#include "core/enable_entry.h"
#include "core/names.h"
#include "core/traits.h"

#define HEAD	offsetof(struct etw_filter_event_name, names)

#define WORD		sizeof(u64)
#define EACH_BYTE(x)	((u64)(x) * 0x0101010101010101ull)

/* The word at `at`, of which only left bytes are there; the others are 0.  Little-endian. */
static __always_inline u64 word_of(const u8 *at, u32 left)
{
	u64 word = 0;
	u32 i;

	if (likely(left >= WORD)) {
		__builtin_memcpy(&word, at, WORD);
		return word;
	}
	for (i = 0; i < left; i++)
		word |= (u64)at[i] << 8 * i;
	return word;
}

/*
 * The hash of the name that ends at a NUL or after room bytes, and its length.  Reads a word at
 * a time, and no byte behind room.  The last bytes of a word get into the upper bits only; the
 * last step mixes them into all.
 */
static __always_inline u32 hash_of(const u8 *name, u32 room, u32 *len)
{
	u64 h = 0, word, nuls;
	u32 at, bits;

	for (at = 0; at < room; at += WORD) {
		word = word_of(name + at, room - at);
		/* The lowest bit set is that of the first byte that is 0. */
		nuls = (word - EACH_BYTE(1)) & ~word & EACH_BYTE(0x80);
		bits = nuls ? __builtin_ctzll(nuls) / 8 * 8 : 64;
		if (bits)
			h = (h ^ (word << (64 - bits))) * 0x9e3779b97f4a7c15ull;
		if (nuls) {
			at += bits / 8;
			break;
		}
	}
	*len = at < room ? at : room;
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15ull;
	return h >> 32;
}

/* Bytes of the count names at text with their NULs; 0: text ends before they do. */
static u32 names_length(const u8 *text, u32 len, u32 count)
{
	const u8 *at = text, *nul;

	while (count--) {
		nul = memchr(at, 0, text + len - at);
		if (!nul)
			return 0;
		at = nul + 1;
	}
	return at - text;
}

/* At most half of the table is used, so a search ends soon. */
static u32 table_size(u32 count)
{
	u32 n = 2;

	while (n < 2 * count)
		n *= 2;
	return n;
}

static void read_head(struct etw_filter_event_name *to, const void *filter)
{
	memcpy(to, filter, HEAD);
}

/*
 * Size of the compiled filter; 0: the filter is malformed.  len may exceed what the names
 * take.
 */
size_t etw_names_size(const void *filter, u32 len)
{
	struct etw_filter_event_name head;
	u32 text;

	if (len < HEAD || len > ETW_FILTER_EVENT_NAME_MAX)
		return 0;
	read_head(&head, filter);
	if (head.in > 1)
		return 0;
	text = names_length((const u8 *)filter + HEAD, len - HEAD, head.count);
	if (head.count && !text)
		return 0;
	return sizeof(struct etw_event_names) + table_size(head.count) * sizeof(u16) + text;
}

static const char *text_of(const struct etw_event_names *names)
{
	return (const char *)(names->table + names->text);
}

/* The table entry of the name, or the free entry where it belongs. */
static __always_inline u32 find(const struct etw_event_names *names, const u8 *name, u32 len,
				u32 hash)
{
	u32 i = hash & names->mask;
	const char *there;

	for (; names->table[i]; i = (i + 1) & names->mask) {
		there = text_of(names) + names->table[i] - 1;
		if (!strncmp(there, (const char *)name, len) && !there[len])
			break;
	}
	return i;
}

/* etw_names_size() has checked the filter and returned the size of to. */
void etw_names_compile(struct etw_event_names *to, const void *filter, u32 len)
{
	const u8 *text = (const u8 *)filter + HEAD, *at = text;
	struct etw_filter_event_name head;
	u32 i, n, size, hash;

	read_head(&head, filter);
	n = table_size(head.count);
	size = names_length(text, len - HEAD, head.count);
	etw_filter_set(&to->judged, head.level, head.any, head.all, 0);
	to->in = head.in;
	to->mask = n - 1;
	to->text = n;
	memset(to->table, 0, n * sizeof(to->table[0]));
	memcpy(to->table + n, text, size);
	for (i = 0; i < head.count; i++, at += n + 1) {
		hash = hash_of(at, text + size - at, &n);
		to->table[find(to, at, n, hash)] = at - text + 1;
	}
}

/*
 * Does the filter let the event pass?  It applies only to events that have a name and
 * match its level and keywords.  schema: the event's, or NULL.
 */
bool etw_names_pass(const struct etw_event_names *names,
		    const struct etw_event_descriptor *desc,
		    const void *schema, u32 schema_len)
{
	const u8 *name;
	u32 room, len, hash;

	if (!schema || !etw_entry_wants(&names->judged, desc->level, desc->keyword))
		return true;
	name = etw_schema_name_at(schema, schema_len, &room);
	if (!name)
		return true;
	hash = hash_of(name, room, &len);
	/* A name without an end, unless it is as long as any may be, is none. */
	if (len == room && room < ETW_SCHEMA_NAME_MAX)
		return true;
	return !!names->table[find(names, name, len, hash)] == names->in;
}
