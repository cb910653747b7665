/* SPDX-License-Identifier: MIT */
/*
 * map.c - <maps> and <namedQueries>
 */
#include <string.h>

#include "manifest.h"

#define CHILDREN(...)	(const struct manifest_element *const[]){ __VA_ARGS__, NULL }

static const char *const kinds[] = {
	[ETW_MAP_VALUE] = "valueMap", [ETW_MAP_BITS] = "bitMap",
	[ETW_MAP_PATTERN] = "patternMap",
};

static const char *const map_attributes[] = { "name", "symbol", "format", NULL };
enum { NAME, SYMBOL, FORMAT };

static void map_begin(struct etw_mx *x, enum etw_mf_map_kind kind)
{
	struct manifest_map *map = etw_mx_add(x, &x->provider->maps, sizeof(*map));

	if (!map)
		return;
	x->map = map;
	map->m.line = x->line;
	map->m.kind = kind;
	map->m.name = etw_mx_require(x, NAME, kinds[kind]);
	map->m.symbol = etw_mx_symbol(x, SYMBOL, kinds[kind], map->m.name);
	if (kind == ETW_MAP_PATTERN)
		map->m.format = etw_mx_keep_raw(x, FORMAT);
}

static void value_map_begin(struct etw_mx *x)
{
	map_begin(x, ETW_MAP_VALUE);
}

static void bit_map_begin(struct etw_mx *x)
{
	map_begin(x, ETW_MAP_BITS);
}

static void pattern_map_begin(struct etw_mx *x)
{
	map_begin(x, ETW_MAP_PATTERN);
}

static void map_end(struct etw_mx *x)
{
	if (!x->map->entries.count)
		etw_mx_error(x, x->map->m.line, kinds[x->map->m.kind], x->map->m.name,
			     "has no element map");
}

static const char *const entry_attributes[] = { "value", "message", "symbol", "name", NULL };
enum { ENTRY_VALUE, ENTRY_MESSAGE, ENTRY_SYMBOL, ENTRY_NAME };

static void pattern_entry(struct etw_mx *x, struct etw_mf_map_entry *e)
{
	const char *map = x->map->m.name;

	e->name = etw_mx_keep_raw(x, ENTRY_NAME);
	e->text = etw_mx_keep_raw(x, ENTRY_VALUE);
	if ((!e->name || !e->text) && !x->err)
		etw_mx_error(x, x->line, "patternMap", map, "map: attribute %s is missing",
			     e->name ? "value" : "name");
}

static void entry_begin(struct etw_mx *x)
{
	struct manifest_entry *draft = etw_mx_add(x, &x->map->entries, sizeof(*draft));
	const char *map = x->map->m.name, *kind = kinds[x->map->m.kind];
	struct manifest_value v = etw_mx_trim(x->values[ENTRY_VALUE]);
	uint64_t value = 0;

	if (!draft)
		return;
	draft->e.line = x->line;
	draft->e.message_id = ETW_MESSAGE_NONE;
	draft->e.symbol = etw_mx_symbol(x, ENTRY_SYMBOL, kind, map);
	if (x->map->m.kind == ETW_MAP_PATTERN) {
		pattern_entry(x, &draft->e);
		return;
	}
	if (!v.s)
		etw_mx_error(x, x->line, kind, map, "map: attribute value is missing");
	else if (!etw_mx_parse_number(v, &value) || value > UINT32_MAX)
		etw_mx_error(x, x->line, kind, map,
			     "map: value \"%.*s\" must be a number of 32 bits", (int)v.len, v.s);
	else if (x->map->m.kind == ETW_MAP_BITS && value & (value - 1))
		etw_mx_error(x, x->line, kind, map,
			     "map: value \"%.*s\" must be one bit of 0x1 to 0x80000000, or 0",
			     (int)v.len, v.s);
	draft->e.value = (uint32_t)value;
	draft->message = etw_mx_note_raw(x, ENTRY_MESSAGE);
	if (!draft->message && !x->err)
		etw_mx_error(x, x->line, kind, map, "map: attribute message is missing");
}

static const struct manifest_element entry = {
	.name = "map", .attributes = entry_attributes, .begin = entry_begin,
};

const struct manifest_element etw_mx_value_map = {
	.name = "valueMap", .attributes = map_attributes, .begin = value_map_begin,
	.end = map_end, .children = CHILDREN(&entry),
};

const struct manifest_element etw_mx_bit_map = {
	.name = "bitMap", .attributes = map_attributes, .begin = bit_map_begin,
	.end = map_end, .children = CHILDREN(&entry),
};

static const struct manifest_element pattern_map = {
	.name = "patternMap", .attributes = map_attributes, .begin = pattern_map_begin,
	.end = map_end, .children = CHILDREN(&entry),
};

const struct manifest_element etw_mx_maps = {
	.name = "maps", .attributes = etw_mx_no_attributes,
	.children = CHILDREN(&etw_mx_value_map, &etw_mx_bit_map, &pattern_map),
};

const struct manifest_element etw_mx_queries = {
	.name = "namedQueries", .attributes = etw_mx_no_attributes,
	.children = CHILDREN(&pattern_map),
};
