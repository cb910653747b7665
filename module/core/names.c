// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * names.c - compile and apply filters of event names
 */
#include "core/filter.h"
#include "core/names.h"
#include "core/traits.h"

#define HEAD	offsetof(struct etw_filter_event_name, names)

/* FNV-1a */
static u32 hash(const u8 *name, u32 len)
{
	u32 h = 2166136261u;

	while (len--)
		h = (h ^ *name++) * 16777619u;
	return h;
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
static u32 find(const struct etw_event_names *names, const u8 *name, u32 len)
{
	u32 i = hash(name, len) & names->mask;
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
	u32 i, n, size;

	read_head(&head, filter);
	n = table_size(head.count);
	size = names_length(text, len - HEAD, head.count);
	etw_filter_set(&to->judged, head.level, head.any, head.all, 0);
	to->in = head.in;
	to->longest = 0;
	to->mask = n - 1;
	to->text = n;
	memset(to->table, 0, n * sizeof(to->table[0]));
	memcpy(to->table + n, text, size);
	for (i = 0; i < head.count; i++, at += n + 1) {
		n = strlen((const char *)at);
		if (n > to->longest)
			to->longest = n;
		to->table[find(to, at, n)] = at - text + 1;
	}
}

static bool has(const struct etw_event_names *names, const char *name, u32 len)
{
	return len <= names->longest && names->table[find(names, (const u8 *)name, len)];
}

/*
 * Does the filter let the event pass?  It applies only to events that have a name and
 * match its level and keywords.  schema: the event's, or NULL.
 */
bool etw_names_pass(const struct etw_event_names *names,
		    const struct etw_event_descriptor *desc,
		    const void *schema, u32 schema_len)
{
	const char *name;
	u32 len;

	if (!schema || !etw_entry_wants(&names->judged, desc->level, desc->keyword))
		return true;
	name = etw_schema_name(schema, schema_len, &len);
	return !name || has(names, name, len) == names->in;
}
