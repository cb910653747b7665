/* SPDX-License-Identifier: MIT */
/*
 * property.c - get a field's bytes by name: TdhGetProperty(); and a template's fields
 * as EVENT_PROPERTY_INFO
 *
 * The path is first looked up in the schema, to distinguish a missing field from a
 * payload that is too short; then the decoder walks to the field.
 */
#include <stdlib.h>
#include <errno.h>
#include <string.h>

#include "use.h"

#define WAY_MAX		17	/* exceeds the nesting limit of structures */
#define WHOLE		0xFFFFFFFFu	/* PROPERTY_DATA_DESCRIPTOR.ArrayIndex */

/* One step of the path. */
struct step {
	const WCHAR *name;
	ULONG index;
	unsigned int position;	/* of the field with that name, in the schema */
	bool is_count;	/* the count of the array with that name is wanted */
};

struct way {
	struct step steps[WAY_MAX];
	unsigned int count;
	/* the result */
	size_t start, end;
	const uint8_t *copy;	/* of a count that has no bytes in the payload */
	uint8_t bytes[2];
};

static ULONG set_steps(struct way *way, ULONG count, const PROPERTY_DATA_DESCRIPTOR *from)
{
	memset(way, 0, sizeof(*way));
	if (count > WAY_MAX)
		return ERROR_NOT_FOUND;
	while (way->count < count) {
		struct step *step = &way->steps[way->count];

		step->name = (const WCHAR *)(uintptr_t)from[way->count].PropertyName;
		if (!step->name)
			return ERROR_INVALID_PARAMETER;
		step->index = from[way->count].ArrayIndex;
		way->count++;
	}
	return ERROR_SUCCESS;
}

/* -------------------------------------------------------------- in the schema */

/* Is this the field's name as written by TdhGetEventInformation()? */
static bool is_called(const struct etw_mf_field *field, const char *suffix, const WCHAR *name)
{
	const WCHAR *rest = etw_block_match(name, field->name);

	if (rest)
		rest = etw_block_match(rest, suffix);
	return rest && !*rest;
}

static const struct etw_mf_field *find(const struct etw_mf_template *fields, unsigned int first,
				       unsigned int count, struct step *step)
{
	const struct etw_mf_field *field;
	unsigned int i;

	for (i = first; i < first + count; i++) {
		step->position = i;
		if (is_called(&fields->fields[i], "", step->name))
			return &fields->fields[i];
	}
	for (i = first; i < first + count; i++) {
		field = &fields->fields[i];
		step->position = i;
		step->is_count = field->flags & ETW_MF_COUNT_INLINE &&
				 is_called(field, ETW_COUNT_SUFFIX, step->name);
		if (step->is_count)
			return field;
	}
	return NULL;
}

static ULONG check_way(struct way *way, const struct etw_mf_template *fields)
{
	unsigned int first = 0, count = fields ? fields->top : 0, i;
	const struct etw_mf_field *field;

	for (i = 0; i < way->count; i++) {
		field = find(fields, first, count, &way->steps[i]);
		if (!field)
			return ERROR_NOT_FOUND;
		if (i + 1 == way->count)
			break;
		if (!(field->flags & ETW_MF_STRUCT) || way->steps[i].is_count)
			return ERROR_INVALID_PARAMETER;
		first = field->first;
		count = field->members;
	}
	return ERROR_SUCCESS;
}

/* -------------------------------------------------------------- in the payload */

static bool begins(const struct etw_field *field)
{
	return field->kind == ETW_FIELD_STRUCT_BEGIN || field->kind == ETW_FIELD_ARRAY_BEGIN;
}

static bool ends(const struct etw_field *field)
{
	return field->kind == ETW_FIELD_STRUCT_END || field->kind == ETW_FIELD_ARRAY_END;
}

/* A field has just begun: move past its end, and record where its values are. */
static int pass(struct etw_decoder *decoder, const struct etw_field *begin, struct way *way)
{
	struct etw_field field = *begin;
	unsigned int depth = 0;
	bool any = false;
	int ret = 1;

	do {
		if (field.kind == ETW_FIELD_VALUE) {
			if (!any)
				way->start = field.offset;
			way->end = field.offset + field.length;
			any = true;
		}
		depth += begins(&field);
		depth -= ends(&field);
		if (!depth)
			break;
		ret = etw_decode_next(decoder, &field);
	} while (ret == 1);
	if (!any)
		way->start = way->end = begin->offset;
	return ret == 1 ? 0 : -EBADMSG;
}

/* Move to the sibling at that position, past the fields before it. */
static int go_to(struct etw_decoder *decoder, unsigned int position, struct etw_field *field,
		 struct way *way)
{
	int ret;

	for (;;) {
		ret = etw_decode_next(decoder, field);
		if (ret != 1 || ends(field))
			return -EBADMSG;
		if (field->position == position)
			return 0;
		ret = pass(decoder, field, way);
		if (ret)
			return ret;
	}
}

/* Move from an array's beginning to its element; -ENOENT: the array is shorter. */
static int go_to_element(struct etw_decoder *decoder, ULONG index, struct etw_field *field,
			 struct way *way)
{
	ULONG i;
	int ret;

	if (index >= field->count)
		return -ENOENT;
	for (i = 0;; i++) {
		if (etw_decode_next(decoder, field) != 1)
			return -EBADMSG;
		if (i == index)
			return 0;
		ret = pass(decoder, field, way);
		if (ret)
			return ret;
	}
}

static int walk(struct etw_decoder *decoder, struct way *way)
{
	struct etw_field field;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < way->count && !ret; i++) {
		const struct step *step = &way->steps[i];
		const bool last = i + 1 == way->count;
		ULONG index = step->index == WHOLE && !last ? 0 : step->index;

		ret = go_to(decoder, step->position, &field, way);
		if (!ret && step->is_count) {
			way->bytes[0] = (uint8_t)field.count;
			way->bytes[1] = (uint8_t)(field.count >> 8);
			way->copy = way->bytes;
			way->start = 0;
			way->end = sizeof(way->bytes);
			return index == WHOLE || !index ? 0 : -ENOENT;
		}
		if (!ret && index != WHOLE && field.kind == ETW_FIELD_ARRAY_BEGIN)
			ret = go_to_element(decoder, index, &field, way);
		else if (!ret && index != WHOLE && index)
			ret = -ENOENT;	/* treat it as an array of one */
	}
	return ret ? ret : pass(decoder, &field, way);
}

/* Find the field and set way->start and end. */
static ULONG locate(struct etw_use *use, struct way *way, ULONG count,
		    const PROPERTY_DATA_DESCRIPTOR *from)
{
	ULONG ret = set_steps(way, count, from);

	if (!ret)
		ret = check_way(way, use->plan->template);
	if (!ret)
		ret = etw_tdh_error(walk(use->decoder, way));
	if (!ret && !way->copy && way->end > use->record.UserDataLength)
		ret = ERROR_EVT_INVALID_EVENT_DATA;
	return ret;
}

/* size: NULL if the bytes are wanted. */
static ULONG get(PEVENT_RECORD event, ULONG contexts, PTDH_CONTEXT context, ULONG count,
		 const PROPERTY_DATA_DESCRIPTOR *from, ULONG *size, ULONG room, PBYTE buffer)
{
	struct etw_use use;
	struct way way;
	ULONG ret;

	if (!count || !from)
		return ERROR_INVALID_PARAMETER;
	ret = etw_use_begin(&use, event, contexts, context);
	if (ret)
		return ret;
	ret = locate(&use, &way, count, from);
	if (!ret && size)
		*size = (ULONG)(way.end - way.start);
	else if (!ret && way.end - way.start > room)
		ret = ERROR_INSUFFICIENT_BUFFER;
	else if (!ret && way.end > way.start)
		memcpy(buffer, (way.copy ? way.copy : (const uint8_t *)use.record.UserData) + way.start,
		       way.end - way.start);
	etw_use_end(&use);
	return ret;
}

TDHSTATUS TdhGetPropertySize(PEVENT_RECORD pEvent, ULONG TdhContextCount,
			     PTDH_CONTEXT pTdhContext, ULONG PropertyDataCount,
			     PPROPERTY_DATA_DESCRIPTOR pPropertyData, ULONG *pPropertySize)
{
	if (!pPropertySize)
		return ERROR_INVALID_PARAMETER;
	return get(pEvent, TdhContextCount, pTdhContext, PropertyDataCount, pPropertyData,
		   pPropertySize, 0, NULL);
}

TDHSTATUS TdhGetProperty(PEVENT_RECORD pEvent, ULONG TdhContextCount, PTDH_CONTEXT pTdhContext,
			 ULONG PropertyDataCount, PPROPERTY_DATA_DESCRIPTOR pPropertyData,
			 ULONG BufferSize, PBYTE pBuffer)
{
	if (BufferSize && !pBuffer)
		return ERROR_INVALID_PARAMETER;
	return get(pEvent, TdhContextCount, pTdhContext, PropertyDataCount, pPropertyData, NULL,
		   BufferSize, pBuffer);
}

/* -------------------------------------------------------------- property info */

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

/* The index of a field's first entry in the array: that of its own count, if it has one. */
static uint16_t start_of(const struct etw_epi_plan *plan, unsigned int field)
{
	return (uint16_t)(field + (plan->before ? plan->before[field] : 0));
}

/* The index of the field itself. */
static uint16_t place_of(const struct etw_epi_plan *plan, unsigned int field)
{
	return (uint16_t)(start_of(plan, field) + has_own_count(&plan->fields->fields[field]));
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
		epi->length = (uint16_t)etw_in_type_size(field->in_type, plan->pointer_size);
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
