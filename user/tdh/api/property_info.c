/* SPDX-License-Identifier: MIT */
/*
 * property_info.c - the fields of a template as EVENT_PROPERTY_INFO
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "use.h"

static bool has_own_count(const struct etw_mf_field *field)
{
	return field->flags & ETW_MF_COUNT_INLINE;
}

int etw_epi_plan(struct etw_epi_plan *plan, const struct etw_mf_template *fields,
		 unsigned int pointer_size)
{
	unsigned int i, counts = 0;

	memset(plan, 0, sizeof(*plan));
	plan->pointer_size = pointer_size;
	if (!fields)
		return 0;
	plan->fields = fields;
	plan->count = fields->count;
	plan->top = fields->top;
	for (i = 0; i < fields->count; i++)
		counts += has_own_count(&fields->fields[i]);
	if (!counts)
		return 0;
	plan->before = calloc(fields->count + 1, sizeof(*plan->before));
	if (!plan->before)
		return -ENOMEM;
	for (i = 0; i < fields->count; i++)
		plan->before[i + 1] = plan->before[i] + has_own_count(&fields->fields[i]);
	plan->count += counts;
	plan->top += plan->before[fields->top];
	return 0;
}

void etw_epi_free(struct etw_epi_plan *plan)
{
	free(plan->before);
	plan->before = NULL;
}

/* Where in the array what belongs to a field begins: its count, if that is its own. */
static uint16_t start_of(const struct etw_epi_plan *plan, unsigned int field)
{
	return (uint16_t)(field + (plan->before ? plan->before[field] : 0));
}

/* Where the field itself is. */
static uint16_t place_of(const struct etw_epi_plan *plan, unsigned int field)
{
	return (uint16_t)(start_of(plan, field) + has_own_count(&plan->fields->fields[field]));
}

/* Bytes of a type that always has the same; 0: it has not. */
static uint16_t size_of(uint16_t in_type, unsigned int pointer_size)
{
	static const uint8_t sizes[] = {
		[TDH_INTYPE_INT8] = 1, [TDH_INTYPE_UINT8] = 1, [TDH_INTYPE_INT16] = 2,
		[TDH_INTYPE_UINT16] = 2, [TDH_INTYPE_INT32] = 4, [TDH_INTYPE_UINT32] = 4,
		[TDH_INTYPE_INT64] = 8, [TDH_INTYPE_UINT64] = 8, [TDH_INTYPE_FLOAT] = 4,
		[TDH_INTYPE_DOUBLE] = 8, [TDH_INTYPE_BOOLEAN] = 4, [TDH_INTYPE_GUID] = 16,
		[TDH_INTYPE_FILETIME] = 8, [TDH_INTYPE_SYSTEMTIME] = 16,
		[TDH_INTYPE_HEXINT32] = 4, [TDH_INTYPE_HEXINT64] = 8,
	};

	switch (in_type) {
	case TDH_INTYPE_POINTER:
	case TDH_INTYPE_SIZET:
		return (uint16_t)pointer_size;
	case TDH_INTYPE_UNICODECHAR:
		return 2;
	case TDH_INTYPE_ANSICHAR:
		return 1;
	default:
		return in_type < sizeof(sizes) ? sizes[in_type] : 0;
	}
}

static void fill_struct(EVENT_PROPERTY_INFO *epi, const struct etw_epi_plan *plan,
			const struct etw_mf_field *field)
{
	uint16_t first = start_of(plan, field->first);

	epi->structType.StructStartIndex = first;
	epi->structType.NumOfStructMembers =
		(uint16_t)(start_of(plan, (unsigned int)field->first + field->members) - first);
}

static void fill_type(struct etw_block *block, EVENT_PROPERTY_INFO *epi,
		      const struct etw_mf_field *field)
{
	uint16_t schema[2];

	epi->nonStructType.InType = field->flags & ETW_MF_LENGTH_INLINE ?
		TDH_INTYPE_MANIFEST_COUNTEDBINARY : field->in_type;
	epi->nonStructType.OutType = field->out_type;
	if (field->map)
		epi->nonStructType.MapNameOffset = etw_block_string(block, field->map->name);
	if (field->schema) {
		memcpy(schema, field->schema, sizeof(schema));
		epi->customSchemaType.CustomSchemaOffset =
			etw_block_bytes(block, field->schema, sizeof(schema) + schema[1]);
	}
}

static void fill(struct etw_block *block, EVENT_PROPERTY_INFO *epi,
		 const struct etw_epi_plan *plan, unsigned int i)
{
	const struct etw_mf_field *field = &plan->fields->fields[i];
	const unsigned int of_tdh = ETW_MF_STRUCT | ETW_MF_LENGTH_FIELD | ETW_MF_COUNT_FIELD |
				    ETW_MF_LENGTH_FIXED | ETW_MF_COUNT_FIXED | ETW_MF_TAGS |
				    ETW_MF_CUSTOM;

	memset(epi, 0, sizeof(*epi));
	epi->Flags = (PROPERTY_FLAGS)(field->flags & of_tdh);
	epi->NameOffset = etw_block_string(block, field->name);
	if (field->flags & ETW_MF_STRUCT)
		fill_struct(epi, plan, field);
	else
		fill_type(block, epi, field);
	epi->count = field->count;
	if (field->flags & ETW_MF_COUNT_FIELD)
		epi->countPropertyIndex = place_of(plan, field->count);
	epi->length = field->length;
	if (field->flags & ETW_MF_LENGTH_FIELD)
		epi->lengthPropertyIndex = place_of(plan, field->length);
	else if (!field->length && !(field->flags & ETW_MF_STRUCT))
		epi->length = size_of(field->in_type, plan->pointer_size);
	epi->Tags = field->tags;
	if (has_own_count(field)) {
		epi->Flags = (PROPERTY_FLAGS)(epi->Flags | PropertyParamCount);
		epi->countPropertyIndex = start_of(plan, i);
	}
}

static void fill_count(struct etw_block *block, EVENT_PROPERTY_INFO *epi, const char *name)
{
	memset(epi, 0, sizeof(*epi));
	epi->NameOffset = etw_block_strings(block, name, ETW_COUNT_SUFFIX);
	epi->nonStructType.InType = TDH_INTYPE_UINT16;
	epi->nonStructType.OutType = TDH_OUTTYPE_UNSIGNEDSHORT;
	epi->count = 1;
	epi->length = 2;
}

void etw_epi_put(struct etw_block *block, size_t at, const struct etw_epi_plan *plan)
{
	EVENT_PROPERTY_INFO epi;
	unsigned int i;

	for (i = 0; plan->fields && i < plan->fields->count; i++) {
		if (has_own_count(&plan->fields->fields[i])) {
			fill_count(block, &epi, plan->fields->fields[i].name);
			etw_block_put(block, at + start_of(plan, i) * sizeof(epi), &epi,
				      sizeof(epi));
		}
		fill(block, &epi, plan, i);
		etw_block_put(block, at + place_of(plan, i) * sizeof(epi), &epi, sizeof(epi));
	}
}
