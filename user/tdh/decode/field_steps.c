/* SPDX-License-Identifier: MIT */
/*
 * field_steps.c - how to find each field's bytes, and the kind of its value
 *
 * Source: Microsoft's pages "EVENT_PROPERTY_INFO structure" and "InputType complex
 * type"; winmeta.xml for the valid out-types of each in-type. Invalid ones are replaced
 * with the in-type's default.
 */
#include "decoder.h"

#define IN_MAX		26	/* in-types of manifests and TraceLogging */
#define IN_CLASSIC	300	/* start of the in-types of classic events */

struct in_type {
	uint8_t how, size;
	uint8_t value_kind;	/* default */
	uint16_t out_type;	/* likewise */
};

static const struct in_type in_types[IN_MAX] = {
	[TDH_INTYPE_UNICODESTRING] = { ETW_HOW_NUL16, 2, ETW_VALUE_STRING16, TDH_OUTTYPE_STRING },
	[TDH_INTYPE_ANSISTRING] = { ETW_HOW_NUL8, 1, ETW_VALUE_STRING8, TDH_OUTTYPE_STRING },
	[TDH_INTYPE_INT8] = { ETW_HOW_FIXED, 1, ETW_VALUE_SIGNED, TDH_OUTTYPE_BYTE },
	[TDH_INTYPE_UINT8] = { ETW_HOW_FIXED, 1, ETW_VALUE_UNSIGNED, TDH_OUTTYPE_UNSIGNEDBYTE },
	[TDH_INTYPE_INT16] = { ETW_HOW_FIXED, 2, ETW_VALUE_SIGNED, TDH_OUTTYPE_SHORT },
	[TDH_INTYPE_UINT16] = { ETW_HOW_FIXED, 2, ETW_VALUE_UNSIGNED, TDH_OUTTYPE_UNSIGNEDSHORT },
	[TDH_INTYPE_INT32] = { ETW_HOW_FIXED, 4, ETW_VALUE_SIGNED, TDH_OUTTYPE_INT },
	[TDH_INTYPE_UINT32] = { ETW_HOW_FIXED, 4, ETW_VALUE_UNSIGNED, TDH_OUTTYPE_UNSIGNEDINT },
	[TDH_INTYPE_INT64] = { ETW_HOW_FIXED, 8, ETW_VALUE_SIGNED, TDH_OUTTYPE_LONG },
	[TDH_INTYPE_UINT64] = { ETW_HOW_FIXED, 8, ETW_VALUE_UNSIGNED, TDH_OUTTYPE_UNSIGNEDLONG },
	[TDH_INTYPE_FLOAT] = { ETW_HOW_FIXED, 4, ETW_VALUE_FLOAT, TDH_OUTTYPE_FLOAT },
	[TDH_INTYPE_DOUBLE] = { ETW_HOW_FIXED, 8, ETW_VALUE_DOUBLE, TDH_OUTTYPE_DOUBLE },
	[TDH_INTYPE_BOOLEAN] = { ETW_HOW_FIXED, 4, ETW_VALUE_BOOLEAN, TDH_OUTTYPE_BOOLEAN },
	[TDH_INTYPE_BINARY] = { ETW_HOW_UNKNOWN, 1, ETW_VALUE_BINARY, TDH_OUTTYPE_HEXBINARY },
	[TDH_INTYPE_GUID] = { ETW_HOW_FIXED, 16, ETW_VALUE_GUID, TDH_OUTTYPE_GUID },
	[TDH_INTYPE_POINTER] = { ETW_HOW_POINTER, 0, ETW_VALUE_HEX, TDH_OUTTYPE_HEXINT64 },
	[TDH_INTYPE_FILETIME] = { ETW_HOW_FIXED, 8, ETW_VALUE_TIME, TDH_OUTTYPE_DATETIME },
	[TDH_INTYPE_SYSTEMTIME] = { ETW_HOW_FIXED, 16, ETW_VALUE_SYSTEMTIME, TDH_OUTTYPE_DATETIME },
	[TDH_INTYPE_SID] = { ETW_HOW_SID, 0, ETW_VALUE_SID, TDH_OUTTYPE_STRING },
	[TDH_INTYPE_HEXINT32] = { ETW_HOW_FIXED, 4, ETW_VALUE_HEX, TDH_OUTTYPE_HEXINT32 },
	[TDH_INTYPE_HEXINT64] = { ETW_HOW_FIXED, 8, ETW_VALUE_HEX, TDH_OUTTYPE_HEXINT64 },
	[TDH_INTYPE_MANIFEST_COUNTEDSTRING] = {
		ETW_HOW_COUNTED, 2, ETW_VALUE_STRING16, TDH_OUTTYPE_STRING },
	[TDH_INTYPE_MANIFEST_COUNTEDANSISTRING] = {
		ETW_HOW_COUNTED, 1, ETW_VALUE_STRING8, TDH_OUTTYPE_STRING },
	[TDH_INTYPE_MANIFEST_COUNTEDBINARY] = {
		ETW_HOW_COUNTED, 1, ETW_VALUE_BINARY, TDH_OUTTYPE_HEXBINARY },
};

static const struct in_type classic_types[] = {
	{ ETW_HOW_COUNTED, 2, ETW_VALUE_STRING16, TDH_OUTTYPE_STRING },
	{ ETW_HOW_COUNTED, 1, ETW_VALUE_STRING8, TDH_OUTTYPE_STRING },
	{ ETW_HOW_COUNTED_BE, 2, ETW_VALUE_STRING16, TDH_OUTTYPE_STRING },
	{ ETW_HOW_COUNTED_BE, 1, ETW_VALUE_STRING8, TDH_OUTTYPE_STRING },
	{ ETW_HOW_REST, 2, ETW_VALUE_STRING16, TDH_OUTTYPE_STRING },
	{ ETW_HOW_REST, 1, ETW_VALUE_STRING8, TDH_OUTTYPE_STRING },
	{ ETW_HOW_FIXED, 2, ETW_VALUE_STRING16, TDH_OUTTYPE_STRING },
	{ ETW_HOW_FIXED, 1, ETW_VALUE_STRING8, TDH_OUTTYPE_STRING },
	{ ETW_HOW_POINTER, 0, ETW_VALUE_HEX, TDH_OUTTYPE_HEXINT64 },
	{ ETW_HOW_DUMP, 1, ETW_VALUE_BINARY, TDH_OUTTYPE_HEXBINARY },
	{ ETW_HOW_WBEMSID, 0, ETW_VALUE_SID, TDH_OUTTYPE_STRING },
};

#define CLASSIC_COUNT	(sizeof(classic_types) / sizeof(classic_types[0]))

static const struct in_type *type_of(uint16_t in_type)
{
	static const struct in_type none = { ETW_HOW_UNKNOWN, 1, ETW_VALUE_NONE, 0 };

	if (in_type < IN_MAX && in_types[in_type].size | in_types[in_type].how)
		return &in_types[in_type];
	if (in_type >= IN_CLASSIC && in_type < IN_CLASSIC + CLASSIC_COUNT)
		return &classic_types[in_type - IN_CLASSIC];
	return &none;
}

uint16_t etw_out_type_default(uint16_t in_type)
{
	return type_of(in_type)->out_type;
}

static bool is_integer(const struct in_type *type)
{
	return type->value_kind == ETW_VALUE_UNSIGNED || type->value_kind == ETW_VALUE_SIGNED ||
	       type->value_kind == ETW_VALUE_HEX || type->value_kind == ETW_VALUE_BOOLEAN ||
	       type->value_kind == ETW_VALUE_TIME;
}

unsigned int etw_in_type_size(uint16_t in_type, unsigned int pointer_size)
{
	const struct in_type *type = type_of(in_type);

	return type->how == ETW_HOW_POINTER ? pointer_size :
		type->how == ETW_HOW_FIXED ? type->size : 0;
}

unsigned int etw_integer_size(uint16_t in_type)
{
	return is_integer(type_of(in_type)) ? type_of(in_type)->size : 0;
}

static enum etw_value_kind integer_kind(const struct in_type *type, uint16_t out_type)
{
	static const struct {
		uint8_t kind, size;	/* size 0: any */
	} kinds[] = {
		[TDH_OUTTYPE_BYTE] = { ETW_VALUE_SIGNED, 0 }, [TDH_OUTTYPE_SHORT] = { ETW_VALUE_SIGNED, 0 },
		[TDH_OUTTYPE_INT] = { ETW_VALUE_SIGNED, 0 }, [TDH_OUTTYPE_LONG] = { ETW_VALUE_SIGNED, 0 },
		[TDH_OUTTYPE_UNSIGNEDBYTE] = { ETW_VALUE_UNSIGNED, 0 },
		[TDH_OUTTYPE_UNSIGNEDSHORT] = { ETW_VALUE_UNSIGNED, 0 },
		[TDH_OUTTYPE_UNSIGNEDINT] = { ETW_VALUE_UNSIGNED, 0 },
		[TDH_OUTTYPE_UNSIGNEDLONG] = { ETW_VALUE_UNSIGNED, 0 },
		[TDH_OUTTYPE_PID] = { ETW_VALUE_UNSIGNED, 0 },
		[TDH_OUTTYPE_TID] = { ETW_VALUE_UNSIGNED, 0 },
		[TDH_OUTTYPE_ETWTIME] = { ETW_VALUE_UNSIGNED, 0 },
		[TDH_OUTTYPE_HEXINT8] = { ETW_VALUE_HEX, 0 }, [TDH_OUTTYPE_HEXINT16] = { ETW_VALUE_HEX, 0 },
		[TDH_OUTTYPE_HEXINT32] = { ETW_VALUE_HEX, 0 },
		[TDH_OUTTYPE_HEXINT64] = { ETW_VALUE_HEX, 0 },
		[TDH_OUTTYPE_CODE_POINTER] = { ETW_VALUE_HEX, 0 },
		[TDH_OUTTYPE_BOOLEAN] = { ETW_VALUE_BOOLEAN, 0 },
		[TDH_OUTTYPE_PORT] = { ETW_VALUE_PORT, 2 }, [TDH_OUTTYPE_IPV4] = { ETW_VALUE_IPV4, 4 },
		[TDH_OUTTYPE_ERRORCODE] = { ETW_VALUE_ERROR, 4 },
		[TDH_OUTTYPE_WIN32ERROR] = { ETW_VALUE_ERROR, 4 },
		[TDH_OUTTYPE_NTSTATUS] = { ETW_VALUE_ERROR, 4 },
		[TDH_OUTTYPE_HRESULT] = { ETW_VALUE_ERROR, 4 },
		[TDH_OUTTYPE_DATETIME] = { ETW_VALUE_TIME, 8 },
		[TDH_OUTTYPE_DATETIME_UTC] = { ETW_VALUE_TIME, 8 },
		[TDH_OUTTYPE_CULTURE_INSENSITIVE_DATETIME] = { ETW_VALUE_TIME, 8 },
	};

	/* A character */
	if (out_type == TDH_OUTTYPE_STRING && (type->size == 1 || type->size == 2))
		return type->size == 1 ? ETW_VALUE_STRING8 : ETW_VALUE_STRING16;
	if (out_type >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[out_type].kind ||
	    (kinds[out_type].size && kinds[out_type].size != type->size))
		return type->value_kind;
	return kinds[out_type].kind;
}

static enum etw_value_kind binary_kind(uint16_t out_type)
{
	switch (out_type) {
	case TDH_OUTTYPE_IPV6:
		return ETW_VALUE_IPV6;
	case TDH_OUTTYPE_SOCKETADDRESS:
		return ETW_VALUE_SOCKADDR;
	case TDH_OUTTYPE_STRING:
	case TDH_OUTTYPE_XML:
	case TDH_OUTTYPE_JSON:
	case TDH_OUTTYPE_UTF8:
		return ETW_VALUE_STRING8;
	default:
		return ETW_VALUE_BINARY;
	}
}

static enum etw_value_kind kind_of(const struct in_type *type, uint16_t out_type)
{
	if (type->value_kind == ETW_VALUE_BINARY)
		return binary_kind(out_type);
	return is_integer(type) ? integer_kind(type, out_type) : type->value_kind;
}

static bool may_have_length(uint16_t in_type)
{
	return in_type == TDH_INTYPE_UNICODESTRING || in_type == TDH_INTYPE_ANSISTRING ||
	       in_type == TDH_INTYPE_BINARY;
}

void etw_step_fill(struct etw_field_step *step, const struct etw_mf_field *field)
{
	const struct in_type *type = type_of(field->in_type);

	*step = (struct etw_field_step){ 0 };
	if (field->flags & (ETW_MF_COUNT_FIELD | ETW_MF_COUNT_FIXED | ETW_MF_COUNT_INLINE) ||
	    field->count > 1)
		step->flags = ETW_STEP_ARRAY;
	if (field->flags & ETW_MF_STRUCT) {
		*step = (struct etw_field_step){ .how = ETW_HOW_STRUCT, .flags = step->flags };
		return;
	}
	step->how = type->how;
	step->size = type->size;
	step->value_kind = (uint8_t)kind_of(type, field->out_type);
	if (may_have_length(field->in_type) && field->flags & ETW_MF_LENGTH_INLINE)
		step->how = ETW_HOW_COUNTED;
	else if (may_have_length(field->in_type) &&
		 (field->length || field->flags & (ETW_MF_LENGTH_FIELD | ETW_MF_LENGTH_FIXED)))
		step->how = ETW_HOW_SIZED;
	else if (field->in_type == TDH_INTYPE_BINARY && step->value_kind != ETW_VALUE_IPV6)
		step->how = ETW_HOW_REST;	/* of the event */
	else if (step->how == ETW_HOW_UNKNOWN && step->value_kind == ETW_VALUE_IPV6)
		*step = (struct etw_field_step){
			.how = ETW_HOW_FIXED, .size = 16, .value_kind = ETW_VALUE_IPV6,
			.flags = step->flags };
}

/* Does a field come before another, or before a structure that contains it? */
static bool comes_before(const struct etw_field_step *steps, unsigned int index, unsigned int at)
{
	while (steps[at].in != steps[index].in) {
		if (!steps[at].in)
			return false;
		at = steps[at].in - 1u;	/* which is lower, see has_members() */
	}
	return index < at;
}

/* Can a count or length of the field at be the value of the field index? */
static bool is_known_before(const struct etw_mf_template *template, const struct etw_field_step *steps,
			    unsigned int index, unsigned int at)
{
	const struct etw_mf_field *field;

	if (index >= at || !comes_before(steps, index, at))
		return false;
	field = &template->fields[index];
	if (field->flags & (ETW_MF_STRUCT | ETW_MF_COUNT_FIELD | ETW_MF_COUNT_FIXED) ||
	    field->count > 1)
		return false;
	return (field->in_type >= TDH_INTYPE_INT8 && field->in_type <= TDH_INTYPE_UINT64) ||
	       field->in_type == TDH_INTYPE_HEXINT32 || field->in_type == TDH_INTYPE_HEXINT64;
}

/* A structure's members follow it, so that none contains itself. */
static bool has_members(const struct etw_mf_template *template, unsigned int at)
{
	const struct etw_mf_field *field = &template->fields[at];

	return field->first + field->members <= template->count &&
	       field->first + field->members <= UINT16_MAX &&
	       (!field->members || field->first > at);
}

static bool is_sound(const struct etw_mf_template *template, const struct etw_field_step *steps,
		     unsigned int at)
{
	const struct etw_mf_field *field = &template->fields[at];

	if (field->flags & ETW_MF_STRUCT && !has_members(template, at))
		return false;
	if (field->flags & ETW_MF_COUNT_FIELD &&
	    !is_known_before(template, steps, field->count, at))
		return false;
	if (field->flags & ETW_MF_STRUCT)
		return true;
	return !(field->flags & ETW_MF_LENGTH_FIELD) ||
	       is_known_before(template, steps, field->length, at);
}

/* Fill in all steps and their structures; only structures are checked so far. */
static void fill_all(struct etw_field_step *steps, const struct etw_mf_template *template)
{
	const struct etw_mf_field *field;
	unsigned int i, j;

	for (i = 0; i < template->count; i++)
		etw_step_fill(&steps[i], &template->fields[i]);
	for (i = 0; i < template->count; i++) {
		field = &template->fields[i];
		if (!(field->flags & ETW_MF_STRUCT) || !has_members(template, i))
			continue;
		for (j = field->first; j < (unsigned int)field->first + field->members; j++)
			steps[j].in = (uint16_t)(i + 1);
	}
}

/* Maps and the names of codes need the general way; so do parts of arrays and lengths. */
static enum etw_plain plain_of(const struct etw_field_step *step, const struct etw_mf_field *field)
{
	const bool wide = step->value_kind == ETW_VALUE_STRING16;

	if (step->flags & (ETW_STEP_ARRAY | ETW_STEP_KEEP) || field->map)
		return ETW_PLAIN_NONE;
	if (wide || step->value_kind == ETW_VALUE_STRING8) {
		if (step->how == ETW_HOW_COUNTED)
			return wide ? ETW_PLAIN_COUNTED16 : ETW_PLAIN_COUNTED8;
		if (step->how == ETW_HOW_NUL8 && !wide)
			return ETW_PLAIN_NUL8;
		return step->how == ETW_HOW_NUL16 && wide ? ETW_PLAIN_NUL16 : ETW_PLAIN_NONE;
	}
	if (step->how == ETW_HOW_POINTER)
		return step->value_kind == ETW_VALUE_HEX ? ETW_PLAIN_POINTER : ETW_PLAIN_NONE;
	if (step->how != ETW_HOW_FIXED)
		return ETW_PLAIN_NONE;
	switch (step->value_kind) {
	case ETW_VALUE_UNSIGNED:
		return ETW_PLAIN_UNSIGNED;
	case ETW_VALUE_SIGNED:
		return ETW_PLAIN_SIGNED;
	case ETW_VALUE_HEX:
		return ETW_PLAIN_HEX;
	default:
		return ETW_PLAIN_NONE;
	}
}

bool etw_field_steps_fill(struct etw_field_step *steps, const struct etw_mf_template *template)
{
	unsigned int i;
	bool keeps = false;

	fill_all(steps, template);
	for (i = 0; i < template->count; i++) {
		const struct etw_mf_field *field = &template->fields[i];

		if (!is_sound(template, steps, i)) {
			steps[i] = (struct etw_field_step){ .how = ETW_HOW_UNKNOWN, .in = steps[i].in };
			continue;
		}
		if (field->flags & ETW_MF_COUNT_FIELD)
			steps[field->count].flags |= ETW_STEP_KEEP;
		if (field->flags & ETW_MF_LENGTH_FIELD && !(field->flags & ETW_MF_STRUCT))
			steps[field->length].flags |= ETW_STEP_KEEP;
		keeps |= field->flags & (ETW_MF_COUNT_FIELD | ETW_MF_LENGTH_FIELD);
	}
	if (template->top && template->top <= template->count)
		steps[template->top - 1].flags |= ETW_STEP_LAST;
	for (i = 0; i < template->count; i++) {
		steps[i].plain = (uint8_t)plain_of(&steps[i], &template->fields[i]);
		steps[i].hidden = template->fields[i].out_type == TDH_OUTTYPE_NOPRINT;
	}
	return keeps;
}
