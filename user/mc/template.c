// SPDX-License-Identifier: MIT
/*
 * template.c - generate the functions that write events, one for each kind of template
 *
 * Each header tests the macro <name>_def first, so that a function of several headers is
 * defined once.
 *
 * Because a kernel stack is small, numbers do not get a descriptor each with -km.  Adjacent
 * numbers are copied into a packed structure, called a run, which is one piece of data.  So
 * are GUIDs and times, which are no larger than a descriptor, and the sizes before counted
 * data.  Every other field gets a descriptor.  A template whose function would need more
 * than STACK_MAX is refused. A payload of one run and nothing else is written as one object.
 *
 * Kernel code has no floating-point registers for arguments.  Floats and doubles are
 * passed by address; a macro with the function's name takes their addresses.
 */
#include <string.h>

#include "emit.h"

/* Bytes of kernel stack that the fields of a write may use; see <etw/mc/kernel.h>. */
#define STACK_MAX	1792

/* Begin the code for a kind of template; pieces: the data descriptors of its payload. */
static void begin(struct etw_mc *mc, const char *name, unsigned int pieces)
{
	etw_mc_print(mc, "\n#ifndef %s_def\n#define %s_def\n#define %s_ARGCOUNT %u\n", name, name,
		     name, pieces);
}

/* "(type _Arg0, ...)"; a block's length precedes it. */
static void parameters(struct etw_mc *mc, const struct etw_mc_event *e, bool activity,
		       bool real_by_address)
{
	unsigned int i;

	etw_mc_print(mc, "(\n\tPMCGEN_TRACE_CONTEXT Context,\n\tPCEVENT_DESCRIPTOR Descriptor");
	if (activity)
		etw_mc_print(mc, ",\n\tconst GUID* Activity");
	for (i = 0; i < e->arg_count; i++) {
		const struct etw_mc_arg *arg = &e->args[i];
		bool sized = arg->type->kind == ETW_MC_SID ? arg->array :
			     arg->length || arg->length_arg >= 0;
		bool address = arg->array ? arg->type->kind == ETW_MC_VALUE :
			       arg->real && real_by_address;

		if (arg->block)
			etw_mc_print(mc, ",\n\tULONG _Arg%u_Len_", i);
		etw_mc_print(mc, ",\n\t%s%s_Arg%u", sized ? arg->type->sized : arg->type->param,
			     address ? "*" : "", i);
	}
	etw_mc_print(mc, ")\n");
}

/* Write the data descriptors, and end the function.  count: their number */
static void write_call(struct etw_mc *mc, const char *count, const char *data)
{
	etw_mc_print(mc, "\t%s McGenEventWrite(Context, Descriptor, Activity, %s, %s);\n",
		     mc->options->callout ? "Result =" : "return", count, data);
	if (mc->options->callout)
		etw_mc_print(mc, "#ifdef MCGEN_CALLOUT\n"
			     "\tMCGEN_CALLOUT(Context->RegistrationHandle, Descriptor, %s, %s);\n"
			     "#endif\n\treturn Result;\n", count, data);
	etw_mc_print(mc, "}\n");
}

/* ------------------------------------------------------------------ user mode */

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

/* Is it a string that ends with a NUL? */
static bool is_terminated(const struct etw_mc_arg *arg)
{
	return arg->type->kind == ETW_MC_STRING && !arg->array && !arg->length &&
	       arg->length_arg < 0;
}

/* Fill the descriptors of an argument. */
static void describe_um(struct etw_mc *mc, const struct etw_mc_arg *arg, unsigned int i,
			unsigned int piece)
{
	const struct etw_mc_type *type = arg->type;

	if (arg->counted)
		etw_mc_print(mc, "\tEventDataDescCreate(&EventData[%u], &_Arg%u_Size_, sizeof(_Arg%u_Size_));\n",
			     piece++, i, i);
	if (is_terminated(arg)) {
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
		etw_mc_print(mc, "MCGEN_GETLENGTHSID(_Arg%u)", i);
	} else {
		etw_mc_print(mc, "sizeof(*_Arg%u)", i);
		factors(mc, arg);
	}
	etw_mc_print(mc, "));\n");
}

static void body_um(struct etw_mc *mc, const struct etw_mc_event *e)
{
	unsigned int i, piece = 1;

	etw_mc_print(mc, "{\n\tEVENT_DATA_DESCRIPTOR EventData[%s_ARGCOUNT + 1];\n%s", e->function,
		     mc->options->callout ? "\tULONG Result;\n" : "");
	for (i = 0; i < e->arg_count; i++)
		if (e->args[i].counted)
			etw_mc_print(mc, "\tUSHORT _Arg%u_Size_ = (USHORT)(sizeof(%s) * _Arg%u_Len_);\n",
				     i, e->args[i].type->unit, i);
	etw_mc_print(mc, "\n");
	for (i = 0; i < e->arg_count; i++) {
		describe_um(mc, &e->args[i], i, piece);
		piece += 1 + e->args[i].counted;
	}
	write_call(mc, etw_mc_text(mc, "%s_ARGCOUNT + 1", e->function), "EventData");
}

void etw_mc_function_um(struct etw_mc *mc, const struct etw_mc_event *e)
{
	unsigned int i, pieces = e->arg_count;
	const char *name = e->function;

	for (i = 0; i < e->arg_count; i++)
		pieces += e->args[i].counted;
	begin(mc, name, pieces);
	etw_mc_print(mc, "ETW_INLINE ULONG _mcgen_PASTE2(%sActivity_, MCGEN_EVENTWRITETRANSFER)", name);
	parameters(mc, e, true, false);
	body_um(mc, e);
	/* The function for macros without an activity calls the other one with NULL. */
	etw_mc_print(mc, "\nETW_INLINE ULONG _mcgen_PASTE2(%s_, MCGEN_EVENTWRITETRANSFER)", name);
	parameters(mc, e, false, false);
	etw_mc_print(mc, "{\n\treturn _mcgen_PASTE2(%sActivity_, MCGEN_EVENTWRITETRANSFER)(Context, Descriptor, NULL", name);
	for (i = 0; i < e->arg_count; i++) {
		if (e->args[i].block)
			etw_mc_print(mc, ", _Arg%u_Len_", i);
		etw_mc_print(mc, ", _Arg%u", i);
	}
	etw_mc_print(mc, ");\n}\n");
}

/* ---------------------------------------------------------------- kernel mode */

/* Is the argument's value or size in a run? */
static bool in_run(const struct etw_mc_arg *arg)
{
	return arg->value || arg->counted;
}

/* Number the runs, and refuse what needs too much stack.  Returns the number of descriptors. */
static unsigned int plan_runs(struct etw_mc *mc, const struct etw_mc_event *e)
{
	const struct etw_mf_template *t = e->event->template;
	unsigned int i, runs = 0, pieces = 0, stack = 0;
	bool open = false;

	for (i = 0; i < e->arg_count; i++) {
		struct etw_mc_arg *arg = &e->args[i];

		/* Compilers copy arguments passed on the stack; a length is a second argument. */
		stack += arg->block ? 16 : 8;
		if (in_run(arg)) {
			runs += !open;
			pieces += !open;
			arg->run = runs - 1;
			stack += arg->value ? arg->type->size : 2;
		}
		pieces += !arg->value;
		open = arg->value;
	}
	stack += pieces * sizeof(EVENT_DATA_DESCRIPTOR);
	if (stack > STACK_MAX)
		etw_mc_error(mc, t->line,
			     "template \"%s\": its fields would take %u bytes of a kernel stack, -km gives %u",
			     t->id, stack, STACK_MAX);
	return pieces;
}

/* A member of a run; types other than integers are arrays of bytes. */
static void member(struct etw_mc *mc, const struct etw_mc_arg *arg, unsigned int i)
{
	if (!arg->value)
		etw_mc_print(mc, "\t\t\tUSHORT _Arg%u_Size_;\n", i);
	else if (arg->real || arg->type->kind == ETW_MC_OBJECT)
		etw_mc_print(mc, "\t\t\tUCHAR _Arg%u[sizeof(*_Arg%u)];\n", i, i);
	else if (arg->type->letter == 'p')
		etw_mc_print(mc, "\t\t\tconst VOID* _Arg%u;\n", i);
	else
		etw_mc_print(mc, "\t\t\t%s_Arg%u;\n", arg->type->param + strlen("const "), i);
}

static void declare_runs(struct etw_mc *mc, const struct etw_mc_event *e)
{
	unsigned int i, run = 0;
	bool open = false, any = false;

	for (i = 0; i < e->arg_count; i++) {
		const struct etw_mc_arg *arg = &e->args[i];

		if (in_run(arg)) {
			if (!open)
				etw_mc_print(mc, "%s\t\tstruct {\n", any ? "" : "\tstruct {\n");
			open = any = true;
			member(mc, arg, i);
		}
		if (open && (!arg->value || i + 1 == e->arg_count)) {
			etw_mc_print(mc, "\t\t} __packed _Run%u;\n", run++);
			open = false;
		}
	}
	if (any)
		etw_mc_print(mc, "\t} _Values;\n");
}

static void fill_runs(struct etw_mc *mc, const struct etw_mc_event *e)
{
	unsigned int i;

	for (i = 0; i < e->arg_count; i++) {
		const struct etw_mc_arg *arg = &e->args[i];

		if (arg->counted)
			etw_mc_print(mc, "\t_Values._Run%u._Arg%u_Size_ = "
				     "_mcgen_km_counted(sizeof(%s), _Arg%u_Len_);\n",
				     arg->run, i, arg->type->unit, i);
		else if (arg->real || (arg->value && arg->type->kind == ETW_MC_OBJECT))
			etw_mc_print(mc, "\t_mcgen_km_copy(_Values._Run%u._Arg%u, _Arg%u, "
				     "sizeof(*_Arg%u));\n", arg->run, i, i, i);
		else if (arg->value)
			etw_mc_print(mc, "\t_Values._Run%u._Arg%u = _Arg%u;\n", arg->run, i, i);
	}
}

/* C expression for the bytes of an argument. */
static const char *size_of(struct etw_mc *mc, const struct etw_mc_arg *arg, unsigned int i)
{
	const char *text;

	if (arg->counted)
		return etw_mc_text(mc, "_Values._Run%u._Arg%u_Size_", arg->run, i);
	if (arg->block)
		return etw_mc_text(mc, "_mcgen_km_product(sizeof(%s), _Arg%u_Len_)",
				   arg->type->unit, i);
	text = etw_mc_text(mc, "sizeof(*_Arg%u)", i);
	if (arg->count_arg < 0 && arg->count > 1)
		text = etw_mc_text(mc, "%s * %u", text, arg->count);
	if (arg->length_arg < 0 && arg->length)
		text = etw_mc_text(mc, "%s * %u", text, arg->length);
	if (arg->count_arg >= 0)
		text = etw_mc_text(mc, "_mcgen_km_product(%s, _Arg%d)", text, arg->count_arg);
	if (arg->length_arg >= 0)
		text = etw_mc_text(mc, "_mcgen_km_product(%s, _Arg%d)", text, arg->length_arg);
	return text;
}

/* Fill the descriptor of an argument that is not in a run. */
static void describe_km(struct etw_mc *mc, const struct etw_mc_arg *arg, unsigned int i,
			unsigned int piece)
{
	if (is_terminated(arg))
		etw_mc_print(mc, "\t_mcgen_km_text%s(&EventData[%u], _Arg%u);\n",
			     arg->type->letter == 'z' ? "16" : "8", piece, i);
	else if (arg->type->kind == ETW_MC_SID && !arg->array)
		etw_mc_print(mc, "\t_mcgen_km_sid(&EventData[%u], _Arg%u);\n", piece, i);
	else
		etw_mc_print(mc, "\t_mcgen_km_bytes(&EventData[%u], _Arg%u, %s);\n", piece, i,
			     size_of(mc, arg, i));
}

static void descriptors(struct etw_mc *mc, const struct etw_mc_event *e)
{
	unsigned int i, piece = 0;
	bool open = false;

	for (i = 0; i < e->arg_count; i++) {
		const struct etw_mc_arg *arg = &e->args[i];

		if (in_run(arg) && !open)
			etw_mc_print(mc, "\tEventDataDescCreate(&EventData[%u], &_Values._Run%u, "
				     "sizeof(_Values._Run%u));\n", piece++, arg->run, arg->run);
		if (!arg->value)
			describe_km(mc, arg, i, piece++);
		open = arg->value;
	}
}

/* Is the payload one run, and so of a size that the compiler knows? */
static bool is_fixed(const struct etw_mc_event *e)
{
	unsigned int i = 0;

	while (i < e->arg_count && e->args[i].value)
		i++;
	return e->arg_count && i == e->arg_count;
}

static void body_fixed(struct etw_mc *mc, const struct etw_mc_event *e)
{
	etw_mc_print(mc, "{\n");
	declare_runs(mc, e);
	etw_mc_print(mc, "\n");
	fill_runs(mc, e);
	etw_mc_print(mc, "\treturn McGenEventWriteFixed(Context, Descriptor, Activity, &_Values._Run0,\n"
		     "\t\t\t\t    sizeof(_Values._Run0));\n}\n");
}

static void body_km(struct etw_mc *mc, const struct etw_mc_event *e, unsigned int pieces)
{
	if (is_fixed(e) && !mc->options->callout) {
		body_fixed(mc, e);
		return;
	}
	etw_mc_print(mc, "{\n");
	if (pieces)
		etw_mc_print(mc, "\tEVENT_DATA_DESCRIPTOR EventData[%s_ARGCOUNT];\n", e->function);
	declare_runs(mc, e);
	if (mc->options->callout)
		etw_mc_print(mc, "\tNTSTATUS Result;\n");
	if (pieces || mc->options->callout)
		etw_mc_print(mc, "\n");
	fill_runs(mc, e);
	descriptors(mc, e);
	write_call(mc, etw_mc_text(mc, "%s_ARGCOUNT", e->function), pieces ? "EventData" : "NULL");
}

/* The macro for a function with floats: it has the function's parameters. */
static void by_address(struct etw_mc *mc, const struct etw_mc_event *e, const char *function)
{
	unsigned int i, pass;

	for (pass = 0; pass < 2; pass++) {
		etw_mc_print(mc, "%s%s(_Context, _Descriptor, _Activity",
			     pass ? " \\\n\t_" : "#define ", function);
		for (i = 0; i < e->arg_count; i++) {
			const struct etw_mc_arg *arg = &e->args[i];

			if (arg->block)
				etw_mc_print(mc, ", _%u_Len_", i);
			if (pass && arg->real)
				etw_mc_print(mc, ", &(const %s){ _%u }",
					     arg->type->letter == 'f' ? "float" : "double", i);
			else
				etw_mc_print(mc, ", _%u", i);
		}
		etw_mc_print(mc, ")");
	}
	etw_mc_print(mc, "\n");
}

void etw_mc_function_km(struct etw_mc *mc, const struct etw_mc_event *e)
{
	const char *function = etw_mc_text(mc, "%s_EtwWriteTransfer", e->function);
	unsigned int pieces = plan_runs(mc, e), i;
	bool real = false;

	for (i = 0; i < e->arg_count; i++)
		real |= e->args[i].real;
	begin(mc, e->function, pieces);
	if (real)
		by_address(mc, e, function);
	etw_mc_print(mc, "static noinline __maybe_unused NTSTATUS %s%s", real ? "_" : "", function);
	parameters(mc, e, true, true);
	body_km(mc, e, pieces);
}

void etw_mc_templates(struct etw_mc *mc)
{
	unsigned int i, j;

	etw_mc_print(mc, "\n/* ------------- functions of the macros above */\n");
	for (i = 0; i < mc->manifest->provider_count; i++) {
		const struct etw_mc_provider *p = &mc->providers[i];

		for (j = 0; j < p->event_count; j++) {
			const struct etw_mc_event *e = &p->events[j];

			if (etw_mc_add(mc, mc->mode, e->function, e->function, 0))
				continue;
			mc->mode->function(mc, e);
			etw_mc_print(mc, "#endif\n");
		}
	}
}
