/* SPDX-License-Identifier: MIT */
/*
 * map.c - values of payload filters by the names that a manifest's map gives them
 *
 *	Color == Red
 *	Color != "Dark blue"
 *
 * The kernel compares numbers.  What begins with a digit or a sign is one already.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "payload.h"
#include "base/text.h"

#define NAMES_SHOWN	60	/* bytes of a map's names in a message */
#define NAME_MAX_BYTES	256

/* As "etw dump" shows it; NULL: it has no name. */
static const char *entry_name(const struct layout *layout, const struct etw_mf_map_entry *entry)
{
	const char *text = etw_mf_text(layout->manifest, entry->message);

	if (text)
		return text;
	return entry->name ? entry->name : entry->symbol;
}

bool payload_is_mapped(struct scan *s, const struct layout *layout, int field)
{
	const struct etw_mf_map *map = layout->maps[field];

	scan_column(s);
	return map && map->kind == ETW_MAP_VALUE && *s->at && !strchr("-0123456789", *s->at);
}

/* One word, or what is between double quotes. */
static bool take_name(struct scan *s, size_t column, char name[NAME_MAX_BYTES])
{
	const bool quoted = *s->at == '"';
	const char *at = s->at + quoted;
	size_t len = 0;

	while (*at && !strchr(quoted ? "\"" : " \t\n&|()\"", *at)) {
		if (quoted && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
			at++;
		if (len == NAME_MAX_BYTES - 1)
			return scan_fail(s, column, "the value is too long");
		name[len++] = *at++;
	}
	name[len] = '\0';
	if (quoted && *at++ != '"')
		return scan_fail(s, column, "the string does not end");
	if (!len)
		return scan_fail(s, column, "a value is missing");
	s->at = at;
	return true;
}

static bool no_such(struct scan *s, size_t column, const struct layout *layout, int field,
		    const char *name)
{
	const struct etw_mf_map *map = layout->maps[field];
	struct etw_text shown = { .data = NULL };
	unsigned int i;

	for (i = 0; i < map->by_value_count && shown.len < NAMES_SHOWN; i++) {
		const struct etw_mf_map_entry *entry = &map->entries[map->by_value[i]];
		const char *other = entry_name(layout, entry);

		etw_text_printf(&shown, "%s%" PRIu32 " ", i ? ", " : "", entry->value);
		if (other)
			etw_text_escape(&shown, other, strnlen(other, NAMES_SHOWN));
	}
	scan_fail(s, column, "%.32s has no value %.24s; it has %.80s%s", layout->fields[field].name,
		  name, shown.data && !shown.error ? shown.data : "others", i < map->by_value_count ? ", ..." : "");
	etw_text_free(&shown);
	return false;
}

bool payload_mapped(struct scan *s, const struct layout *layout, int field, char *value,
		    size_t size)
{
	const struct etw_mf_map *map = layout->maps[field];
	size_t column = scan_column(s);
	char name[NAME_MAX_BYTES];
	unsigned int i, found = 0;

	if (!take_name(s, column, name))
		return false;
	for (i = 0; i < map->by_value_count; i++) {
		const struct etw_mf_map_entry *entry = &map->entries[map->by_value[i]];
		const char *other = entry_name(layout, entry);

		if (!other || strcmp(other, name))
			continue;
		if (found++)
			return scan_fail(s, column, "more than one value of %.64s is called %.48s",
					 layout->fields[field].name, name);
		snprintf(value, size, "%" PRIu32, entry->value);
	}
	return found || no_such(s, column, layout, field, name);
}
