// SPDX-License-Identifier: MIT
/*
 * km_template.c - generate the functions of -km that write events
 *
 * Because a kernel stack is small, numbers do not get a descriptor each.  Adjacent numbers
 * are copied into a packed structure, called a run, which is one piece of data.  So are
 * GUIDs and times, which are no larger than a descriptor, and the sizes before counted
 * data.  Every other field gets a descriptor.  A template whose function would need more
 * than ETW_MC_KM_STACK is refused.
 *
 * Kernel code has no floating-point registers for arguments.  Floats and doubles are
 * passed by address; a macro with the function's name takes their addresses.
 */
#include <errno.h>
#include <string.h>

#include "args.h"
#include "km.h"

/* How an argument is written */
struct part {
	struct etw_mc_arg arg;
	bool value;		/* a number, GUID or time: stored in a run */
	bool real;		/* a value that is a float or double */
	bool data;		/* needs a descriptor */
	unsigned int run;	/* index of the run with its value or size */
};

struct plan {
	const struct etw_mf_template *t;
	const char *name;	/* name of the function */
	struct part *parts;	/* one for each field */
	unsigned int runs;	/* number of runs */
	unsigned int pieces;	/* number of descriptors */
	unsigned int stack;	/* bytes of descriptors, runs and arguments */
	bool real;		/* an argument is a float or double */
};

static unsigned int value_size(char letter)
{
	switch (letter) {
	case 'c':
	case 'u':
		return 1;
	case 'l':
	case 'h':
		return 2;
	case 'y':
	case 'j':
		return 16;
	case 'i':
	case 'x':
	case 'p':
	case 'g':
	case 'm':
		return 8;
	default:
		return 4;
	}
}

/* Is the argument's value or size in a run? */
static bool in_run(const struct part *part)
{
	return part->value || part->arg.pieces == 2;
}

static void plan_part(struct plan *plan, unsigned int i, bool *open)
{
	struct part *part = &plan->parts[i];
	const struct etw_mc_type *type;

	if (etw_mc_arg(&plan->t->fields[i], &part->arg))
		return;
	type = part->arg.type;
	/* Compilers copy arguments passed on the stack; a length is a second argument. */
	plan->stack += part->arg.block ? 16 : 8;
	part->value = !part->arg.array &&
		      (type->kind == ETW_MC_VALUE || type->kind == ETW_MC_OBJECT);
	part->data = !part->value;
	part->real = part->value && (type->letter == 'f' || type->letter == 'g');
	plan->real |= part->real;
	if (in_run(part)) {
		if (!*open) {
			plan->runs++;
			plan->pieces++;
		}
		*open = true;
		part->run = plan->runs - 1;
		plan->stack += part->value ? value_size(type->letter) : 2;
	}
	if (part->data) {
		*open = false;
		plan->pieces++;
	}
}

static void plan_make(struct etw_mc *mc, struct plan *plan)
{
	bool open = false;
	unsigned int i, top = plan->t ? plan->t->top : 0;

	plan->parts = etw_mc_alloc(mc, (top + 1) * sizeof(*plan->parts));
	for (i = 0; i < top; i++)
		plan_part(plan, i, &open);
	plan->stack += plan->pieces * sizeof(EVENT_DATA_DESCRIPTOR);
	if (plan->stack <= ETW_MC_KM_STACK)
		return;
	etw_problem_add(mc->problems, plan->t->line, false,
			"template \"%s\": its fields would take %u bytes of a kernel stack, -km gives %u",
			plan->t->id, plan->stack, ETW_MC_KM_STACK);
	mc->error = -EINVAL;
}

static unsigned int top(const struct plan *plan)
{
	return plan->t ? plan->t->top : 0;
}

/* ", type _ArgN", preceded by its length. */
static void parameters(struct etw_mc *mc, const struct plan *plan)
{
	unsigned int i;

	etw_mc_print(mc, "(\n\tPMCGEN_TRACE_CONTEXT Context,\n\tPCEVENT_DESCRIPTOR Descriptor,"
		     "\n\tconst GUID* Activity");
	for (i = 0; i < top(plan); i++) {
		const struct part *part = &plan->parts[i];
		const struct etw_mc_arg *arg = &part->arg;
		bool sized = arg->length || arg->length_arg >= 0;

		if (arg->block)
			etw_mc_print(mc, ",\n\tULONG _Arg%u_Len_", i);
		if (arg->type->kind == ETW_MC_SID)
			sized = arg->array;
		etw_mc_print(mc, ",\n\t%s%s_Arg%u", sized ? arg->type->sized : arg->type->param,
			     part->real || (arg->array && arg->type->kind == ETW_MC_VALUE) ?
			     "*" : "", i);
	}
	etw_mc_print(mc, ")\n");
}

/* A member of a run; types other than integers are arrays of bytes. */
static void member(struct etw_mc *mc, const struct part *part, unsigned int i)
{
	const struct etw_mc_type *type = part->arg.type;

	if (!part->value)
		etw_mc_print(mc, "\t\t\tUSHORT _Arg%u_Size_;\n", i);
	else if (part->real || type->kind == ETW_MC_OBJECT)
		etw_mc_print(mc, "\t\t\tUCHAR _Arg%u[sizeof(*_Arg%u)];\n", i, i);
	else if (type->letter == 'p')
		etw_mc_print(mc, "\t\t\tconst VOID* _Arg%u;\n", i);
	else
		etw_mc_print(mc, "\t\t\t%s_Arg%u;\n", type->param + strlen("const "), i);
}

static void declare_runs(struct etw_mc *mc, const struct plan *plan)
{
	unsigned int i, run = 0;
	bool open = false;

	if (!plan->runs)
		return;
	etw_mc_print(mc, "\tstruct {\n");
	for (i = 0; i < top(plan); i++) {
		const struct part *part = &plan->parts[i];

		if (in_run(part) && !open)
			etw_mc_print(mc, "\t\tstruct {\n");
		open |= in_run(part);
		if (in_run(part))
			member(mc, part, i);
		if (open && part->data) {
			etw_mc_print(mc, "\t\t} __packed _Run%u;\n", run++);
			open = false;
		}
	}
	if (open)
		etw_mc_print(mc, "\t\t} __packed _Run%u;\n", run);
	etw_mc_print(mc, "\t} _Values;\n");
}

static void fill_runs(struct etw_mc *mc, const struct plan *plan)
{
	unsigned int i;

	for (i = 0; i < top(plan); i++) {
		const struct part *part = &plan->parts[i];
		unsigned int run = part->run;

		if (!in_run(part))
			continue;
		if (!part->value)
			etw_mc_print(mc, "\t_Values._Run%u._Arg%u_Size_ = "
				     "_mcgen_km_counted(sizeof(%s), _Arg%u_Len_);\n",
				     run, i, part->arg.type->unit, i);
		else if (part->real || part->arg.type->kind == ETW_MC_OBJECT)
			etw_mc_print(mc, "\t_mcgen_km_copy(_Values._Run%u._Arg%u, _Arg%u, "
				     "sizeof(*_Arg%u));\n", run, i, i, i);
		else
			etw_mc_print(mc, "\t_Values._Run%u._Arg%u = _Arg%u;\n", run, i, i);
	}
}

/* C expression for the bytes of an argument. */
static const char *size_of(struct etw_mc *mc, const struct part *part, unsigned int i)
{
	const struct etw_mc_arg *arg = &part->arg;
	const char *text;

	if (arg->pieces == 2)
		return etw_mc_text(mc, "_Values._Run%u._Arg%u_Size_", part->run, i);
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
static void describe(struct etw_mc *mc, const struct part *part, unsigned int i,
		     unsigned int piece)
{
	const struct etw_mc_arg *arg = &part->arg;
	bool sized = arg->array || arg->length || arg->length_arg >= 0;

	if (arg->type->kind == ETW_MC_STRING && !sized)
		etw_mc_print(mc, "\t_mcgen_km_text%s(&EventData[%u], _Arg%u);\n",
			     arg->type->letter == 'z' ? "16" : "8", piece, i);
	else if (arg->type->kind == ETW_MC_SID && !arg->array)
		etw_mc_print(mc, "\t_mcgen_km_sid(&EventData[%u], _Arg%u);\n", piece, i);
	else
		etw_mc_print(mc, "\t_mcgen_km_bytes(&EventData[%u], _Arg%u, %s);\n", piece, i,
			     size_of(mc, part, i));
}

static void descriptors(struct etw_mc *mc, const struct plan *plan)
{
	unsigned int i, piece = 0;
	bool open = false;

	for (i = 0; i < top(plan); i++) {
		const struct part *part = &plan->parts[i];

		if (in_run(part) && !open)
			etw_mc_print(mc, "\tEventDataDescCreate(&EventData[%u], &_Values._Run%u, "
				     "sizeof(_Values._Run%u));\n", piece++, part->run, part->run);
		open |= in_run(part);
		if (part->data) {
			describe(mc, part, i, piece++);
			open = false;
		}
	}
}

static void body(struct etw_mc *mc, const struct plan *plan)
{
	const char *data = plan->pieces ? "EventData" : "NULL";
	bool callout = mc->options->callout;

	etw_mc_print(mc, "{\n");
	if (plan->pieces)
		etw_mc_print(mc, "\tEVENT_DATA_DESCRIPTOR EventData[%s_ARGCOUNT];\n", plan->name);
	declare_runs(mc, plan);
	if (callout)
		etw_mc_print(mc, "\tNTSTATUS Result;\n");
	if (plan->pieces || callout)
		etw_mc_print(mc, "\n");
	fill_runs(mc, plan);
	descriptors(mc, plan);
	etw_mc_print(mc, "\t%s McGenEventWrite(Context, Descriptor, Activity, %s_ARGCOUNT, %s);\n",
		     callout ? "Result =" : "return", plan->name, data);
	if (callout)
		etw_mc_print(mc, "#ifdef MCGEN_CALLOUT\n"
			     "\tMCGEN_CALLOUT(Context->RegistrationHandle, Descriptor, "
			     "%s_ARGCOUNT, %s);\n#endif\n\treturn Result;\n", plan->name, data);
	etw_mc_print(mc, "}\n");
}

/* The macro for a function with floats: it has the function's parameters. */
static void by_address(struct etw_mc *mc, const struct plan *plan, const char *function)
{
	unsigned int i, pass;

	for (pass = 0; pass < 2; pass++) {
		if (!pass)
			etw_mc_print(mc, "#define %s(_Context, _Descriptor, _Activity", function);
		else
			etw_mc_print(mc, " \\\n\t_%s(_Context, _Descriptor, _Activity", function);
		for (i = 0; i < top(plan); i++) {
			const struct part *part = &plan->parts[i];

			if (part->arg.block)
				etw_mc_print(mc, ", _%u_Len_", i);
			if (pass && part->real)
				etw_mc_print(mc, ", &(const %s){ _%u }",
					     part->arg.type->letter == 'f' ? "float" : "double",
					     i);
			else
				etw_mc_print(mc, ", _%u", i);
		}
		etw_mc_print(mc, ")");
	}
	etw_mc_print(mc, "\n");
}

void etw_mc_km_function(struct etw_mc *mc, const struct etw_mf_template *t, const char *name)
{
	struct plan plan = { .t = t, .name = name };
	const char *function = etw_mc_text(mc, "%s_EtwWriteTransfer", name);

	plan_make(mc, &plan);
	etw_mc_print(mc, "\n#ifndef %s_def\n#define %s_def\n#define %s_ARGCOUNT %u\n", name, name,
		     name, plan.pieces);
	if (plan.real)
		by_address(mc, &plan, function);
	etw_mc_print(mc, "static noinline __maybe_unused NTSTATUS %s%s", plan.real ? "_" : "",
		     function);
	parameters(mc, &plan);
	body(mc, &plan);
	etw_mc_print(mc, "#endif\n");
}
