// SPDX-License-Identifier: MIT
/*
 * mangle.c - map the fields of a template to the arguments and name of a function
 *
 * The function's name encodes all of its arguments, so that templates with equal fields
 * share a function.  Each field has a letter, upper case for an array or a block of packed
 * values; then its constant count or length (or their product), or R and the number of the
 * argument with the count, or r and the number of the argument with the length.
 *
 * Arguments have the numbers of the top-level fields, from 0.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

static const struct etw_mc_type types[] = {
	[TDH_INTYPE_UNICODESTRING] = { 'z', ETW_MC_STRING, "PCWSTR ", "const WCHAR* ", "WCHAR" },
	[TDH_INTYPE_ANSISTRING] = { 's', ETW_MC_STRING, "PCSTR ", "const char* ", "char" },
	[TDH_INTYPE_INT8] = { 'c', ETW_MC_VALUE, "const signed char ", NULL, NULL },
	[TDH_INTYPE_UINT8] = { 'u', ETW_MC_VALUE, "const unsigned char ", NULL, NULL },
	[TDH_INTYPE_INT16] = { 'l', ETW_MC_VALUE, "const signed short ", NULL, NULL },
	[TDH_INTYPE_UINT16] = { 'h', ETW_MC_VALUE, "const unsigned short ", NULL, NULL },
	[TDH_INTYPE_INT32] = { 'd', ETW_MC_VALUE, "const signed int ", NULL, NULL },
	[TDH_INTYPE_UINT32] = { 'q', ETW_MC_VALUE, "const unsigned int ", NULL, NULL },
	[TDH_INTYPE_INT64] = { 'i', ETW_MC_VALUE, "const signed long long ", NULL, NULL },
	[TDH_INTYPE_UINT64] = { 'x', ETW_MC_VALUE, "const unsigned long long ", NULL, NULL },
	[TDH_INTYPE_FLOAT] = { 'f', ETW_MC_VALUE, "const float ", NULL, NULL },
	[TDH_INTYPE_DOUBLE] = { 'g', ETW_MC_VALUE, "const double ", NULL, NULL },
	[TDH_INTYPE_BOOLEAN] = { 't', ETW_MC_VALUE, "const signed int ", NULL, NULL },
	[TDH_INTYPE_BINARY] = { 'b', ETW_MC_BINARY, "const unsigned char* ",
				"const unsigned char* ", "char" },
	[TDH_INTYPE_GUID] = { 'j', ETW_MC_OBJECT, "const GUID* ", NULL, "GUID" },
	[TDH_INTYPE_POINTER] = { 'p', ETW_MC_VALUE, "const void* ", NULL, NULL },
	[TDH_INTYPE_FILETIME] = { 'm', ETW_MC_OBJECT, "const FILETIME* ", NULL, "FILETIME" },
	[TDH_INTYPE_SYSTEMTIME] = { 'y', ETW_MC_OBJECT, "const SYSTEMTIME* ", NULL,
				    "SYSTEMTIME" },
	[TDH_INTYPE_SID] = { 'k', ETW_MC_SID, "const SID* ", "const unsigned char* ", "char" },
	[TDH_INTYPE_HEXINT32] = { 'd', ETW_MC_VALUE, "const signed int ", NULL, NULL },
	[TDH_INTYPE_HEXINT64] = { 'i', ETW_MC_VALUE, "const signed long long ", NULL, NULL },
	[TDH_INTYPE_MANIFEST_COUNTEDSTRING] = { 'w', ETW_MC_COUNTED, "const WCHAR* ",
						"const WCHAR* ", "WCHAR" },
	[TDH_INTYPE_MANIFEST_COUNTEDANSISTRING] = { 'a', ETW_MC_COUNTED, "const char* ",
						    "const char* ", "char" },
	[TDH_INTYPE_MANIFEST_COUNTEDBINARY] = { 'e', ETW_MC_COUNTED, "const unsigned char* ",
						"const unsigned char* ", "char" },
};

static const struct etw_mc_type structure = {
	'n', ETW_MC_STRUCT, "const void* ", "const void* ", "char"
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

int etw_mc_arg(const struct etw_mf_field *field, struct etw_mc_arg *arg)
{
	bool sized;

	memset(arg, 0, sizeof(*arg));
	if (field->flags & ETW_MF_STRUCT)
		arg->type = &structure;
	else if (field->in_type < TYPES && types[field->in_type].letter)
		arg->type = &types[field->in_type];
	else
		return -EINVAL;
	count_of(field, arg);
	length_of(field, arg);
	sized = arg->length || arg->length_arg >= 0;
	switch (arg->type->kind) {
	case ETW_MC_VALUE:
	case ETW_MC_OBJECT:
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
	arg->pieces = arg->type->kind == ETW_MC_COUNTED && !arg->array ? 2 : 1;
	return 0;
}

/* The part of the name after the letter. */
static char *numbers(struct etw_mc *mc, const struct etw_mc_arg *arg)
{
	unsigned long constant = arg->count * (arg->length ? arg->length : 1ul);
	char *text = etw_mc_text(mc, "%s", "");

	/* Packed strings are written as one block, whatever their number. */
	if (arg->type->kind == ETW_MC_STRING && arg->block)
		return etw_mc_text(mc, "R");
	if (constant > 1 || arg->length)
		text = etw_mc_text(mc, "%lu", constant);
	if (arg->length_arg >= 0)
		text = etw_mc_text(mc, "%sr%d", text, arg->length_arg);
	if (arg->count_arg < 0)
		return text;
	if (arg->length)
		return etw_mc_text(mc, "%sr%d", text, arg->count_arg);
	return etw_mc_text(mc, "%sR%d", text, arg->count_arg);
}

const char *etw_mc_function(struct etw_mc *mc, const struct etw_mf_template *t)
{
	unsigned int i, pieces = 1;
	struct etw_mc_arg arg;
	char *name = NULL;
	size_t size = 0;
	FILE *text = open_memstream(&name, &size);
	const char *result;

	if (!text)
		longjmp(mc->no_memory, 1);
	fprintf(text, "McTemplate%s%c0", mc->options->callout ? "Co" : "", mc->mode->letter);
	for (i = 0; t && i < t->top; i++) {
		if (etw_mc_arg(&t->fields[i], &arg)) {
			etw_problem_add(mc->problems, t->fields[i].line, false,
					"\"%s\": no generated code can write this inType",
					t->fields[i].name);
			mc->error = -EINVAL;
			continue;
		}
		pieces += arg.pieces;
		fprintf(text, "%c%s", arg.array ? arg.type->letter - 'a' + 'A' :
			arg.type->letter, numbers(mc, &arg));
	}
	if (fclose(text)) {
		free(name);
		longjmp(mc->no_memory, 1);
	}
	result = etw_mc_text(mc, "%s", name);
	free(name);
	if (pieces > MAX_EVENT_DATA_DESCRIPTORS) {
		etw_problem_add(mc->problems, t->line, false,
				"template \"%s\": generated code can write %d pieces of data, this has %u",
				t->id, MAX_EVENT_DATA_DESCRIPTORS - 1, pieces - 1);
		mc->error = -EINVAL;
	}
	return result;
}
