/* SPDX-License-Identifier: MIT */
/*
 * open_numbers.c - the numbers of an event, by which a stop is known to belong to a start
 */
#include <string.h>
#include "base/table.h"
#include "open_numbers.h"

#define IDENTITY	8	/* bytes that tell things of a kind apart */

static bool is_number(const struct etw_field *field)
{
	return field->kind == ETW_FIELD_VALUE && !field->depth && field->size <= sizeof(uint64_t) &&
	       (field->value_kind == ETW_VALUE_UNSIGNED || field->value_kind == ETW_VALUE_SIGNED ||
		field->value_kind == ETW_VALUE_HEX);
}

void open_numbers_read(struct open_numbers *numbers, struct etw_decoder *decoder)
{
	struct etw_field field;
	uint64_t names = 0, values = 0, value;
	size_t size = 0;
	uint32_t name;

	memset(numbers, 0, sizeof(*numbers));
	etw_decode_rewind(decoder);
	while (numbers->count < OPEN_NUMBERS && etw_decode_next(decoder, &field) == 1) {
		if (!is_number(&field))
			continue;
		value = field.value.u;
		name = (uint32_t)etw_hash(0, field.name, strlen(field.name));
		numbers->list[numbers->count].name = name;
		numbers->list[numbers->count++].value = value;
		if (size >= IDENTITY)
			continue;
		size += field.size;
		names = etw_hash(names, &name, sizeof(name));
		values = etw_hash(values, &value, sizeof(value));
		if (size >= IDENTITY) {
			numbers->identity = etw_hash(names, &values, sizeof(values)) | 1;
			numbers->identity_names = (uint32_t)names | 1;
		}
	}
	etw_decode_rewind(decoder);
}

unsigned int open_numbers_equal(const struct open_numbers *a, const struct open_numbers *b)
{
	unsigned int equal = 0;
	uint32_t i, k;

	if (!a->identity || a->identity != b->identity)
		return 0;
	for (i = 0; i < a->count; i++) {
		for (k = 0; k < b->count && a->list[i].name != b->list[k].name; k++)
			;
		if (k == b->count)
			continue;
		if (a->list[i].value != b->list[k].value)
			return 0;
		equal++;
	}
	return equal;
}

bool open_numbers_differ(const struct open_numbers *a, const struct open_numbers *b)
{
	return a->identity && a->identity_names == b->identity_names && a->identity != b->identity;
}
