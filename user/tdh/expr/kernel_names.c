// SPDX-License-Identifier: MIT
/*
 * kernel_names.c - the numbers that a name stands for in a test of a field
 *
 * "etw dump" compares a name with the field's text.  A text is made of the names of a map, or of
 * an error; so every number that has it is among those that the names lead to, and each of these
 * is compared as "etw dump" does it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_private.h"
#include "base/suggest.h"
#include "tdh/decode/error_names.h"

#define TRIES_MAX	65536	/* names compared, in all combinations of those that are alike */
#define NAMES_SHOWN	80	/* bytes of a map's names in a message */

struct search {
	struct etw_kernel_compiler *c;
	const struct etw_kernel_number *number;
	uint32_t constant;
	struct etw_kernel_values *values;
	unsigned int tries;
	bool named;		/* there is such a name, be it of a number that the field cannot have */
};

static const struct etw_expr_const *constant_of(const struct search *s)
{
	return &s->c->sources[s->c->source].expr->consts[s->constant];
}

/* The number as the decoder reads it from the field's bytes */
static uint64_t as_read(const struct etw_kernel_number *number, uint64_t value)
{
	if (number->kind == ETW_VALUE_SIGNED)
		return (uint64_t)etw_extend(value, number->size);
	return value & UINT64_MAX >> (64 - 8 * number->size);
}

/* Does "etw dump" call this number so? */
static bool is_called(const struct search *s, uint64_t number)
{
	const struct etw_field field = {
		.kind = ETW_FIELD_VALUE, .value_kind = s->number->kind, .name = "",
		.in_type = s->number->field->in_type, .out_type = s->number->field->out_type,
		.size = s->number->size, .value.u = number,
		.map = s->number->map.map ? &s->number->map : NULL,
	};
	const struct etw_expr_test equal = { .op = ETW_EXPR_EQ, .first = s->constant, .count = 1 };
	struct etw_expr_value value;

	etw_expr_take_value(&value, &field);
	return etw_expr_value_passes(s->c->sources[s->c->source].expr, &equal, &value);
}

static void try_number(struct search *s, uint64_t value)
{
	const uint64_t number = as_read(s->number, value);
	struct etw_kernel_values *values = s->values;
	unsigned int i;

	for (i = 0; i < values->count; i++)
		if (values->list[i] == number)
			return;
	if (values->count < ETW_KERNEL_LEAVES_MAX && is_called(s, number))
		values->list[values->count++] = number;
}

/* Maps have values of 32 bits, which may have a sign in a wider field. */
static void try_value(struct search *s, uint64_t value)
{
	s->named = true;
	try_number(s, value);
	if (value <= UINT32_MAX)
		try_number(s, (uint64_t)(int32_t)value);
}

/* The length of name if the text begins with it, as a whole or up to a bar; else 0 */
static size_t begins(const char *text, const char *name)
{
	size_t len = 0;

	while (name[len] && etw_expr_lower(name[len]) == text[len])
		len++;
	return !name[len] && (!text[len] || text[len] == '|') ? len : 0;
}

/* The rest of a text of names, and at its end perhaps a number, joined by bars; no bit is there twice. */
static void try_bits(struct search *s, const char *text, uint64_t bits)
{
	const struct etw_mf_map *map = s->number->map.map;
	const char *name;
	char *end;
	unsigned int i;
	uint64_t rest;
	size_t len;

	for (i = 0; i < map->by_value_count && s->tries++ < TRIES_MAX; i++) {
		const uint32_t value = map->entries[map->by_value[i]].value;

		name = bits & value ? NULL : etw_field_map_name(&s->number->map, value);
		len = name ? begins(text, name) : 0;
		if (len && !text[len])
			try_value(s, bits | value);
		else if (len && value)
			try_bits(s, text + len + 1, bits | value);
	}
	rest = text[0] == '0' && text[1] == 'x' ? strtoull(text, &end, 16) : 0;
	if (rest && !*end)
		try_value(s, bits | rest);
}

static void try_whole(struct search *s)
{
	const struct etw_mf_map *map = s->number->map.map;
	const char *name;
	unsigned int i;

	for (i = 0; i < map->by_value_count; i++) {
		const uint32_t value = map->entries[map->by_value[i]].value;

		name = etw_field_map_name(&s->number->map, value);
		if (name && etw_expr_is_called(name, constant_of(s)))
			try_value(s, value);
	}
}

static void try_errors(struct search *s)
{
	uint32_t code;
	size_t i = 0;

	while (etw_error_next(s->number->field->out_type, &i, &code))
		try_number(s, code);
	s->named |= s->values->count;
}

/* ------------------------------------------------------------------- messages */

static void suggest(const struct search *s, struct suggest *near)
{
	const struct etw_kernel_number *number = s->number;
	unsigned int i;
	uint32_t code;
	size_t next = 0;
	const char *name;

	for (i = 0; number->map.map && i < number->map.map->by_value_count; i++) {
		name = etw_field_map_name(&number->map,
					  number->map.map->entries[number->map.map->by_value[i]].value);
		if (name)
			suggest_try(near, name);
	}
	while (number->kind == ETW_VALUE_ERROR && etw_error_next(number->field->out_type, &next, &code))
		suggest_try(near, etw_error_name(number->field->out_type, code));
}

/* The first of a map's names */
static void list_names(const struct search *s, struct etw_text *shown)
{
	const struct etw_mf_map *map = s->number->map.map;
	const char *name;
	unsigned int i;

	etw_text_puts(shown, "it has ");
	for (i = 0; map && i < map->by_value_count && shown->len < NAMES_SHOWN; i++) {
		const uint32_t value = map->entries[map->by_value[i]].value;

		name = etw_field_map_name(&s->number->map, value);
		etw_text_printf(shown, "%s%" PRIu32 " ", i ? ", " : "", value);
		if (name)
			etw_text_escape(shown, name, strnlen(name, NAMES_SHOWN));
	}
	etw_text_puts(shown, !i ? "none" : i < map->by_value_count ? ", ..." : "");
}

static bool no_such_name(const struct search *s)
{
	const struct etw_expr_const *k = constant_of(s);
	struct etw_text shown = { .data = NULL };
	struct suggest near;

	suggest_begin_len(&near, k->text, k->len);
	suggest(s, &near);
	if (!*near.best && !s->number->map.map) {
		etw_text_puts(&shown, "it has names of common errors only: give the number");
	} else if (*near.best) {
		etw_text_puts(&shown, "did you mean ");
		etw_text_escape(&shown, near.best, strlen(near.best));
		etw_text_char(&shown, '?');
	} else {
		list_names(s, &shown);
	}
	etw_kernel_fail(s->c, k->at + 1, "%.32s has no value %.*s; %.140s", s->number->field->name,
			k->at_len > 40 ? 40 : (int)k->at_len,
			s->c->sources[s->c->source].text + k->at, shown.error ? "" : shown.data);
	etw_text_free(&shown);
	return false;
}

bool etw_kernel_named(struct etw_kernel_compiler *c, const struct etw_kernel_number *number,
		      uint32_t constant, struct etw_kernel_values *values)
{
	struct search s = { .c = c, .number = number, .constant = constant, .values = values };

	values->count = 0;
	if (number->map.map && number->map.map->kind == ETW_MAP_BITS)
		try_bits(&s, constant_of(&s)->text, 0);
	else if (number->map.map)
		try_whole(&s);
	if (number->kind == ETW_VALUE_ERROR)
		try_errors(&s);
	if (s.tries >= TRIES_MAX || values->count == ETW_KERNEL_LEAVES_MAX)
		return etw_kernel_fail(c, constant_of(&s)->at + 1,
				       "too many values of %.32s have this name", number->field->name) >= 0;
	return s.named || no_such_name(&s);
}
