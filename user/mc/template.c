// SPDX-License-Identifier: MIT
/*
 * template.c - generate the functions that write events, one for each kind of template
 *
 * In C an unused static inline function costs nothing.  Each header tests the macro
 * <name>_def first, so that a function of several headers is defined once.
 */
#include "args.h"

/* ", type _ArgN", preceded by its length if it is a block. */
static void parameter(struct etw_mc *mc, const struct etw_mc_arg *arg, unsigned int i)
{
	const struct etw_mc_type *type = arg->type;
	const char *name = type->param;

	if (arg->block)
		etw_mc_print(mc, ",\n\tULONG _Arg%u_Len_", i);
	if (type->kind == ETW_MC_SID ? arg->array : arg->length || arg->length_arg >= 0)
		name = type->sized;
	etw_mc_print(mc, ",\n\t%s%s_Arg%u", name,
		     arg->array && type->kind == ETW_MC_VALUE ? "*" : "", i);
}

/* " * count" and " * length" */
static void factors(struct etw_mc *mc, const struct etw_mc_arg *arg)
{
	if (arg->count_arg >= 0)
		etw_mc_print(mc, " * (ULONG)_Arg%d", arg->count_arg);
	else if (arg->count > 1)
		etw_mc_print(mc, " * %u", arg->count);
	if (arg->length_arg >= 0)
		etw_mc_print(mc, " * (ULONG)_Arg%d", arg->length_arg);
	else if (arg->length)
		etw_mc_print(mc, " * %u", arg->length);
}

static void counted(struct etw_mc *mc, const struct etw_mc_arg *arg, unsigned int i,
		    unsigned int piece)
{
	etw_mc_print(mc,
		     "\tEventDataDescCreate(&EventData[%u], &_Arg%u_Size_, sizeof(_Arg%u_Size_));\n"
		     "\tEventDataDescCreate(&EventData[%u], _Arg%u, "
		     "(ULONG)(sizeof(%s) * _Arg%u_Len_));\n",
		     piece, i, i, piece + 1, i, arg->type->unit, i);
}

/* Fill the descriptors of an argument. */
static void data(struct etw_mc *mc, const struct etw_mc_arg *arg, unsigned int i,
		 unsigned int piece)
{
	const struct etw_mc_type *type = arg->type;

	if (arg->pieces == 2) {
		counted(mc, arg, i, piece);
		return;
	}
	if (type->kind == ETW_MC_STRING && !arg->array && !arg->length && arg->length_arg < 0) {
		etw_mc_print(mc, "\t_mcgen_Data%c(&EventData[%u], _Arg%u);\n",
			     type->letter - 'a' + 'A', piece, i);
		return;
	}
	etw_mc_print(mc, "\tEventDataDescCreate(&EventData[%u], ", piece);
	if (type->kind == ETW_MC_VALUE && !arg->array) {
		etw_mc_print(mc, "&_Arg%u, sizeof(_Arg%u));\n", i, i);
		return;
	}
	etw_mc_print(mc, "_Arg%u, (ULONG)(", i);
	if (arg->block) {
		etw_mc_print(mc, "sizeof(%s) * _Arg%u_Len_", type->unit, i);
	} else if (type->kind == ETW_MC_SID && !arg->array) {
		etw_mc_print(mc, "%s(_Arg%u)", mc->mode->sid_size, i);
	} else {
		etw_mc_print(mc, "sizeof(*_Arg%u)", i);
		factors(mc, arg);
	}
	etw_mc_print(mc, "));\n");
}

static void parameters(struct etw_mc *mc, const struct etw_mf_template *t, bool activity)
{
	struct etw_mc_arg arg;
	unsigned int i;

	etw_mc_print(mc, "(\n\tPMCGEN_TRACE_CONTEXT Context,\n\tPCEVENT_DESCRIPTOR Descriptor");
	if (activity)
		etw_mc_print(mc, ",\n\tconst GUID* Activity");
	for (i = 0; t && i < t->top; i++)
		if (!etw_mc_arg(&t->fields[i], &arg))
			parameter(mc, &arg, i);
	etw_mc_print(mc, ")\n");
}

/* Skips fields of unknown type, which etw_mc_function() has reported. */
static void body(struct etw_mc *mc, const struct etw_mf_template *t, const char *name)
{
	unsigned int i, piece = 1;
	struct etw_mc_arg arg;

	etw_mc_print(mc, "{\n\tEVENT_DATA_DESCRIPTOR EventData[%s_ARGCOUNT + 1];\n", name);
	if (mc->options->callout)
		etw_mc_print(mc, "\tULONG Result;\n");
	for (i = 0; t && i < t->top; i++) {
		if (!etw_mc_arg(&t->fields[i], &arg) && arg.pieces == 2)
			etw_mc_print(mc, "\tUSHORT _Arg%u_Size_ = (USHORT)(sizeof(%s) * _Arg%u_Len_);\n",
				     i, arg.type->unit, i);
	}
	etw_mc_print(mc, "\n");
	for (i = 0; t && i < t->top; i++) {
		if (etw_mc_arg(&t->fields[i], &arg))
			continue;
		data(mc, &arg, i, piece);
		piece += arg.pieces;
	}
	etw_mc_print(mc, "\t%s McGenEventWrite(Context, Descriptor, Activity, %s_ARGCOUNT + 1, EventData);\n",
		     mc->options->callout ? "Result =" : "return", name);
	if (mc->options->callout)
		etw_mc_print(mc, "#ifdef MCGEN_CALLOUT\n"
			     "\tMCGEN_CALLOUT(Context->RegistrationHandle, Descriptor, %s_ARGCOUNT + 1, EventData);\n"
			     "#endif\n"
			     "\treturn Result;\n", name);
	etw_mc_print(mc, "}\n");
}

/* The function for macros without an activity: calls the other one with NULL. */
static void forward(struct etw_mc *mc, const struct etw_mf_template *t, const char *name)
{
	struct etw_mc_arg arg;
	unsigned int i;

	etw_mc_print(mc, "\nETW_INLINE ULONG _mcgen_PASTE2(%s_, MCGEN_EVENTWRITETRANSFER)", name);
	parameters(mc, t, false);
	etw_mc_print(mc, "{\n\treturn _mcgen_PASTE2(%sActivity_, MCGEN_EVENTWRITETRANSFER)(Context, Descriptor, NULL", name);
	for (i = 0; t && i < t->top; i++) {
		if (etw_mc_arg(&t->fields[i], &arg))
			continue;
		if (arg.block)
			etw_mc_print(mc, ", _Arg%u_Len_", i);
		etw_mc_print(mc, ", _Arg%u", i);
	}
	etw_mc_print(mc, ");\n}\n");
}

void etw_mc_function_um(struct etw_mc *mc, const struct etw_mf_template *t, const char *name)
{
	unsigned int i, pieces = 0;
	struct etw_mc_arg arg;

	for (i = 0; t && i < t->top; i++)
		if (!etw_mc_arg(&t->fields[i], &arg))
			pieces += arg.pieces;
	etw_mc_print(mc, "\n#ifndef %s_def\n#define %s_def\n#define %s_ARGCOUNT %u\n", name, name,
		     name, pieces);
	etw_mc_print(mc, "ETW_INLINE ULONG _mcgen_PASTE2(%s%s_, MCGEN_EVENTWRITETRANSFER)", name,
		     mc->mode->activity ? "" : "Activity");
	parameters(mc, t, true);
	body(mc, t, name);
	if (!mc->mode->activity)
		forward(mc, t, name);
	etw_mc_print(mc, "#endif\n");
}

void etw_mc_templates(struct etw_mc *mc)
{
	unsigned int i, j;

	etw_mc_print(mc, "\n/* ------------- functions of the macros above */\n");
	for (i = 0; i < mc->manifest->provider_count; i++) {
		const struct etw_mc_provider *p = &mc->providers[i];

		for (j = 0; j < p->event_count; j++) {
			const char *name = p->events[j].function;

			if (!etw_mc_set_add(mc, &mc->templates, name, name, 0))
				mc->mode->function(mc, p->events[j].event->template, name);
		}
	}
}
