// SPDX-License-Identifier: MIT
/*
 * arguments.c - map the fields of a template to the arguments and name of a function
 *
 * The function's name encodes all of its arguments, so that templates with equal fields
 * share a function.  Each field has a letter, upper case for an array or a block of packed
 * values; then its constant count or length (or their product), or R and the number of the
 * argument with the count, or r and the number of the argument with the length.
 *
 * Arguments have the numbers of the top-level fields, from 0.
 */
#include <errno.h>
#include <string.h>

#include "emit.h"

static const struct etw_mc_type types[] = {
	[TDH_INTYPE_UNICODESTRING] = { 'z', ETW_MC_STRING, "PCWSTR ", "const WCHAR* ", "WCHAR", 0 },
	[TDH_INTYPE_ANSISTRING] = { 's', ETW_MC_STRING, "PCSTR ", "const char* ", "char", 0 },
	[TDH_INTYPE_INT8] = { 'c', ETW_MC_VALUE, "const signed char ", .size = 1 },
	[TDH_INTYPE_UINT8] = { 'u', ETW_MC_VALUE, "const unsigned char ", .size = 1 },
	[TDH_INTYPE_INT16] = { 'l', ETW_MC_VALUE, "const signed short ", .size = 2 },
	[TDH_INTYPE_UINT16] = { 'h', ETW_MC_VALUE, "const unsigned short ", .size = 2 },
	[TDH_INTYPE_INT32] = { 'd', ETW_MC_VALUE, "const signed int ", .size = 4 },
	[TDH_INTYPE_UINT32] = { 'q', ETW_MC_VALUE, "const unsigned int ", .size = 4 },
	[TDH_INTYPE_INT64] = { 'i', ETW_MC_VALUE, "const signed long long ", .size = 8 },
	[TDH_INTYPE_UINT64] = { 'x', ETW_MC_VALUE, "const unsigned long long ", .size = 8 },
	[TDH_INTYPE_FLOAT] = { 'f', ETW_MC_VALUE, "const float ", .size = 4 },
	[TDH_INTYPE_DOUBLE] = { 'g', ETW_MC_VALUE, "const double ", .size = 8 },
	[TDH_INTYPE_BOOLEAN] = { 't', ETW_MC_VALUE, "const signed int ", .size = 4 },
	[TDH_INTYPE_BINARY] = { 'b', ETW_MC_BINARY, "const unsigned char* ",
				"const unsigned char* ", "char", 0 },
	[TDH_INTYPE_GUID] = { 'j', ETW_MC_OBJECT, "const GUID* ", .size = 16 },
	[TDH_INTYPE_POINTER] = { 'p', ETW_MC_VALUE, "const void* ", .size = 8 },
	[TDH_INTYPE_FILETIME] = { 'm', ETW_MC_OBJECT, "const FILETIME* ", .size = 8 },
	[TDH_INTYPE_SYSTEMTIME] = { 'y', ETW_MC_OBJECT, "const SYSTEMTIME* ", .size = 16 },
	[TDH_INTYPE_SID] = { 'k', ETW_MC_SID, "const SID* ", "const unsigned char* ", "char", 0 },
	[TDH_INTYPE_HEXINT32] = { 'd', ETW_MC_VALUE, "const signed int ", .size = 4 },
	[TDH_INTYPE_HEXINT64] = { 'i', ETW_MC_VALUE, "const signed long long ", .size = 8 },
	[TDH_INTYPE_MANIFEST_COUNTEDSTRING] = { 'w', ETW_MC_COUNTED, "const WCHAR* ",
						"const WCHAR* ", "WCHAR", 0 },
	[TDH_INTYPE_MANIFEST_COUNTEDANSISTRING] = { 'a', ETW_MC_COUNTED, "const char* ",
						    "const char* ", "char", 0 },
	[TDH_INTYPE_MANIFEST_COUNTEDBINARY] = { 'e', ETW_MC_COUNTED, "const unsigned char* ",
						"const unsigned char* ", "char", 0 },
};

static const struct etw_mc_type structure = {
	'n', ETW_MC_STRUCT, "const void* ", "const void* ", "char", 0
};

#define TYPES	(sizeof(types) / sizeof(types[0]))

/* A constant count of 0 or 1 is not an array. */
static void count_of(const struct etw_mf_field *field, struct etw_mc_arg *arg)
{
	arg->count = 1;
	arg->count_arg = -1;
	if (field->flags & ETW_MF_COUNT_FIELD)
		arg->count_arg = field->count;
	else if (field->count > 1)
		arg->count = field->count;
	arg->array = arg->count_arg >= 0 || arg->count > 1;
}

/* The length in units; NUL-terminated strings have length 0 and no length_arg. */
static void length_of(const struct etw_mf_field *field, struct etw_mc_arg *arg)
{
	arg->length = 0;
	arg->length_arg = -1;
	if (arg->type->kind != ETW_MC_STRING && arg->type->kind != ETW_MC_BINARY &&
	    !(arg->type->kind == ETW_MC_SID && arg->array))
		return;
	if (field->flags & ETW_MF_LENGTH_FIELD)
		arg->length_arg = field->length;
	else if (arg->type->kind != ETW_MC_SID)
		arg->length = field->length;
	/* The only binary field that may omit its length is an IPv6 address. */
	if (arg->type->kind == ETW_MC_BINARY && !arg->length && arg->length_arg < 0)
		arg->length = 16;
}

/* 0, or -EINVAL: not a type of manifests. */
static int argument(const struct etw_mf_field *field, struct etw_mc_arg *arg)
{
	bool sized;
	int ret = 0;

	arg->type = &types[TDH_INTYPE_UINT8];
	if (field->flags & ETW_MF_STRUCT)
		arg->type = &structure;
	else if (field->in_type < TYPES && types[field->in_type].letter)
		arg->type = &types[field->in_type];
	else
		ret = -EINVAL;
	count_of(field, arg);
	length_of(field, arg);
	sized = arg->length || arg->length_arg >= 0;
	switch (arg->type->kind) {
	case ETW_MC_VALUE:
	case ETW_MC_OBJECT:
		arg->value = !arg->array;
		arg->real = arg->value && strchr("fg", arg->type->letter);
		break;
	case ETW_MC_BINARY:
		break;
	case ETW_MC_STRING:
	case ETW_MC_SID:
		arg->block = arg->array && !sized;
		break;
	case ETW_MC_COUNTED:
	case ETW_MC_STRUCT:
		arg->block = true;
		break;
	}
	arg->counted = arg->type->kind == ETW_MC_COUNTED && !arg->array;
	return ret;
}

/* Add to a name what follows the letter. */
static void put_numbers(struct etw_text *name, const struct etw_mc_arg *arg)
{
	unsigned long constant = arg->count * (arg->length ? arg->length : 1ul);

	/* Packed strings are written as one block, whatever their number. */
	if (arg->type->kind == ETW_MC_STRING && arg->block) {
		etw_text_char(name, 'R');
		return;
	}
	if (constant > 1 || arg->length)
		etw_text_printf(name, "%lu", constant);
	if (arg->length_arg >= 0)
		etw_text_printf(name, "r%d", arg->length_arg);
	if (arg->count_arg >= 0)
		etw_text_printf(name, "%c%d", arg->length ? 'r' : 'R', arg->count_arg);
}

void etw_mc_arguments(struct etw_mc *mc, struct etw_mc_event *e)
{
	const struct etw_mf_template *t = e->event->template;
	unsigned int i, pieces = 1;

	e->arg_count = t ? t->top : 0;
	e->args = etw_mc_alloc(mc, (e->arg_count + 1) * sizeof(*e->args));
	mc->scratch.len = 0;
	etw_text_printf(&mc->scratch, "McTemplate%s%c0", mc->options->callout ? "Co" : "",
			mc->mode->letter);
	for (i = 0; i < e->arg_count; i++) {
		struct etw_mc_arg *arg = &e->args[i];
		char letter;

		if (argument(&t->fields[i], arg))
			etw_mc_error(mc, t->fields[i].line,
				     "\"%s\": no generated code can write this inType",
				     t->fields[i].name);
		pieces += 1 + arg->counted;
		letter = arg->type->letter;
		etw_text_char(&mc->scratch, arg->array ? (char)(letter - 'a' + 'A') : letter);
		put_numbers(&mc->scratch, arg);
	}
	e->function = etw_mc_scratch(mc);
	if (pieces > MAX_EVENT_DATA_DESCRIPTORS)
		etw_mc_error(mc, t->line,
			     "template \"%s\": generated code can write %d pieces of data, this has %u",
			     t->id, MAX_EVENT_DATA_DESCRIPTORS - 1, pieces - 1);
}
