/* SPDX-License-Identifier: MIT */
/*
 * names.c - names, levels and maps, for the metadata
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"
#include "tdh/decode/decoder.h"

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

void ctf_names_begin(struct ctf_names *names, bool legal)
{
	etw_interner_clear(&names->all);
	names->legal = legal;
}

static void put_name(struct ctf_names *names, const char *name, size_t len)
{
	size_t i;

	if (!names->legal) {
		etw_text_utf8(&names->text, name, len);
		return;
	}
	for (i = 0; i < len; i++) {
		if (is_plain(name[i]))
			etw_text_char(&names->text, name[i]);
		else
			etw_text_printf(&names->text, "_x%02X", (uint8_t)name[i]);
	}
}

/*
 * The numbers of equal names start at how many names there are, so that a thousand of them
 * do not take a million tries.
 */
const char *ctf_names_add(struct ctf_names *names, const char *name, size_t len)
{
	size_t end, number = 2;
	bool is_new;

	etw_text_cut(&names->text, 0);
	put_name(names, name, len);
	if (!names->text.len)
		etw_text_puts(&names->text, "unnamed");
	end = names->text.len;
	for (;;) {
		if (names->text.error ||
		    !etw_intern(&names->all, names->text.data, names->text.len, &is_new))
			return NULL;
		if (is_new)
			break;
		etw_text_cut(&names->text, end);
		etw_text_printf(&names->text, "_%zu", number);
		number = number == 2 ? names->all.table.count + 1 : number + 1;
		if (number == 2)
			number++;
	}
	etw_text_char(&names->text, '\0');
	return names->text.error ? NULL : names->text.data;
}

void ctf_names_free(struct ctf_names *names)
{
	etw_text_free(&names->text);
	etw_interner_clear(&names->all);
}

int ctf_loglevel(unsigned int level)
{
	static const int levels[] = { -1, 2, 3, 4, 6, 14 };

	return level < sizeof(levels) / sizeof(levels[0]) ? levels[level] : -1;
}

bool ctf_map_each(struct etw_text *to, const struct ctf_node *node, ctf_map_fn *put)
{
	const struct etw_mf_map *map = node->map->map;
	const unsigned int bits = node->size * 8u;
	struct ctf_names labels = { .legal = false };
	unsigned int i;
	bool any = false;

	ctf_names_begin(&labels, false);
	for (i = 0; i < map->by_value_count; i++) {
		uint32_t value = map->entries[map->by_value[i]].value;
		int64_t number = node->is_signed && bits == 32 ? (int32_t)value : (int64_t)value;
		const char *label = etw_field_map_name(node->map, value);

		if (!label || !*label || (bits < 32 && number >> (bits - node->is_signed)))
			continue;
		label = ctf_names_add(&labels, label, strlen(label));
		if (!label)
			continue;
		put(to, number, label, !any);
		any = true;
	}
	ctf_names_free(&labels);
	return any;
}

void ctf_tsdl_quote(struct etw_text *to, const char *text, size_t len)
{
	struct etw_text clean = { .data = NULL };
	size_t i;

	etw_text_utf8(&clean, text, len);
	etw_text_char(to, '"');
	for (i = 0; i < clean.len; i++) {
		uint8_t c = (uint8_t)clean.data[i];

		if (c == '"' || c == '\\')
			etw_text_char(to, '\\');
		if (c == 0)
			etw_text_puts(to, "\xE2\x90\x80");
		else if (c < 0x20 || c == 0x7F)
			etw_text_printf(to, "\\%03o", c);
		else
			etw_text_char(to, (char)c);
	}
	etw_text_char(to, '"');
	if (clean.error)
		to->error = clean.error;
	etw_text_free(&clean);
}
