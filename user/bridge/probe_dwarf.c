/* SPDX-License-Identifier: MIT */
/*
 * probe_dwarf.c - the arguments of a program's functions, from its debug information
 *
 * At a function's begin its arguments are where x86-64's convention puts them.  The debug
 * information of optimized code says where that is, or that the compiler has left an argument out.
 * Without optimization it has their later places only; then the convention counts them, up to the
 * first one, a structure for instance, of which it takes more than its size to know what it takes.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "probe_dwarf.h"

#define REGISTERS	6

/* The kernel's names of registers, by DWARF's numbers */
static const char *const registers[] = {
	"ax", "dx", "cx", "bx", "si", "di", "bp", "sp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

/* Those of arguments, in their order */
static const uint8_t convention[REGISTERS] = { 5, 4, 1, 2, 8, 9 };

/* ----------------------------------------------------------------------- types */

/* The type of what this describes, without names and qualifiers; false: void. */
static bool plain_type(Dwarf_Die *of, Dwarf_Die *type, bool *is_pid)
{
	Dwarf_Attribute attribute;
	const char *name;
	unsigned int depth;

	*is_pid = false;
	for (depth = 0; depth < 32; depth++) {
		if (!dwarf_formref_die(dwarf_attr_integrate(of, DW_AT_type, &attribute), type))
			return false;
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
			name = dwarf_diename(type);
			*is_pid |= name && (!strcmp(name, "pid_t") || !strcmp(name, "__pid_t"));
			break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			break;
		default:
			return true;
		}
		of = type;
	}
	return false;
}

/* Of a base type, or of what an enumeration is based on; 0: not known */
static Dwarf_Word encoding_of(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding = 0;

	dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute), &encoding);
	return encoding;
}

static bool points_to_char(Dwarf_Die *pointer)
{
	Dwarf_Die type;
	const char *name;
	bool is_pid;

	if (!plain_type(pointer, &type, &is_pid) || dwarf_tag(&type) != DW_TAG_base_type)
		return false;
	name = dwarf_diename(&type);
	return name && !strcmp(name, "char");
}

static struct probe_type enumeration(Dwarf_Die *type)
{
	struct probe_type to = { .kind = PROBE_TYPE_INTEGER };
	Dwarf_Die base;
	bool is_pid;

	if (plain_type(type, &base, &is_pid))
		to.is_signed = encoding_of(&base) == DW_ATE_signed;
	return to;
}

static struct probe_type base_type(Dwarf_Die *type)
{
	struct probe_type to = { .kind = PROBE_TYPE_INTEGER };

	switch (encoding_of(type)) {
	case DW_ATE_boolean:
		to.kind = PROBE_TYPE_BOOL;
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		to.is_signed = true;
		break;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		break;
	default:
		to.kind = PROBE_TYPE_OTHER;
	}
	return to;
}

static struct probe_type describe(Dwarf_Die *type, bool is_pid)
{
	struct probe_type to = { .kind = PROBE_TYPE_OTHER };
	Dwarf_Word size;

	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
		to = (struct probe_type){ .kind = PROBE_TYPE_POINTER, .to_char = points_to_char(type) };
		break;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		to.kind = PROBE_TYPE_POINTER;
		break;
	case DW_TAG_enumeration_type:
		to = enumeration(type);
		break;
	case DW_TAG_base_type:
		to = base_type(type);
		break;
	}
	to.is_pid = is_pid;
	if (!dwarf_aggregate_size(type, &size))
		to.size = size;
	return to;
}

/* ------------------------------------------------------------------- parameters */

struct function {
	Dwarf_Addr begin;
	Dwarf_Die die;
	bool found;
};

/* Where the arguments are that the compiler has not said */
struct counting {
	unsigned int used;	/* registers */
	bool lost;		/* they cannot be counted any more */
};

static bool is_float(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_base_type && encoding_of(type) == DW_ATE_float;
}

/* The register of the next parameter by the convention; -1: not in one, or not known. */
static int by_convention(struct counting *c, Dwarf_Die *type, const struct probe_type *as)
{
	/* These are in registers of their own. */
	if (is_float(type))
		return -1;
	if (as->kind == PROBE_TYPE_OTHER || as->size > sizeof(uint64_t))
		c->lost = true;
	if (c->lost || c->used == REGISTERS)
		return -1;
	return convention[c->used++];
}

/* The register where the compiler says that the parameter is; -1: another place, -2: none. */
static int by_compiler(Dwarf_Die *param, Dwarf_Addr at)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *op;
	size_t count;

	if (!dwarf_attr_integrate(param, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, at, &op, &count, 1) != 1 || !count)
		return -2;
	if (count == 1 && op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg15)
		return op->atom - DW_OP_reg0;
	return -1;
}

static void add_parameter(Dwarf_Die *param, unsigned int index, Dwarf_Addr at, struct counting *c,
			  struct probe_args *args)
{
	struct probe_type as = { .kind = PROBE_TYPE_OTHER };
	const char *name = dwarf_diename(param);
	int reg, counted = -1;
	char from[8] = "";
	Dwarf_Die type;
	bool is_pid;

	if (plain_type(param, &type, &is_pid)) {
		as = describe(&type, is_pid);
		counted = by_convention(c, &type, &as);
	} else {
		c->lost = true;
	}
	reg = by_compiler(param, at);
	if (reg == -1)
		reg = counted;
	if (reg < 0)
		as.kind = PROBE_TYPE_OTHER;
	else
		snprintf(from, sizeof(from), "%%%s", registers[reg]);
	probe_args_add(args, name ? name : "", index, &as, from);
}

/* A value that is larger than two registers is returned where the first argument says. */
static bool returns_in_registers(Dwarf_Die *function)
{
	struct probe_type as;
	Dwarf_Die type;
	bool is_pid;

	if (!plain_type(function, &type, &is_pid) || is_float(&type))
		return true;
	as = describe(&type, is_pid);
	return as.kind != PROBE_TYPE_OTHER;
}

static void add_parameters(struct function *f, struct probe_args *args)
{
	struct counting c = { .lost = !returns_in_registers(&f->die) };
	unsigned int index = 0;
	Dwarf_Die param;

	if (dwarf_child(&f->die, &param))
		return;
	do {
		if (dwarf_tag(&param) == DW_TAG_formal_parameter)
			add_parameter(&param, index++, f->begin, &c, args);
	} while (!dwarf_siblingof(&param, &param));
}

static void add_value(struct function *f, struct probe_args *args)
{
	struct probe_type as;
	Dwarf_Die type;
	bool is_pid;

	if (!plain_type(&f->die, &type, &is_pid))
		return;
	as = describe(&type, is_pid);
	probe_args_add(args, "ret", 0, &as, "$retval");
}

/* ---------------------------------------------------------------------- finding */

static int take_function(Dwarf_Die *die, void *context)
{
	struct function *f = context;
	Dwarf_Addr begin;

	if (dwarf_entrypc(die, &begin) || begin != f->begin)
		return DWARF_CB_OK;
	f->die = *die;
	f->found = true;
	return DWARF_CB_ABORT;
}

/* The address is one of the file's; the debug information may be moved against it. */
static bool find_function(Dwfl_Module *module, uint64_t address, struct function *f)
{
	GElf_Addr moved;
	Dwarf_Addr bias;
	Dwarf_Die *unit = NULL;

	if (!dwfl_module_getelf(module, &moved))
		return false;
	while (!f->found && (unit = dwfl_module_nextcu(module, unit, &bias))) {
		f->begin = address + moved - bias;
		if (dwarf_haspc(unit, f->begin) == 1)
			dwarf_getfuncs(unit, take_function, f, 0);
	}
	return f->found;
}

int probe_dwarf_args(const char *path, uint64_t address, bool returns, struct probe_args *args)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	struct function f = { .found = false };
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;

	memset(args, 0, sizeof(*args));
	if (!dwfl)
		return -ENOMEM;
	module = dwfl_report_offline(dwfl, path, path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module && find_function(module, address, &f)) {
		if (returns)
			add_value(&f, args);
		else
			add_parameters(&f, args);
	}
	dwfl_end(dwfl);
	return f.found ? 0 : -ENOENT;
}
