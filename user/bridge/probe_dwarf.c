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
#include "probe_fields.h"

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

/* The register where the next parameter is, of this type; -1: in none, or not known. */
static int register_of(Dwarf_Die *param, Dwarf_Addr at, struct counting *c, Dwarf_Die *type,
		       bool *is_pid)
{
	struct probe_type as;
	int reg, counted;

	if (!plain_type(param, type, is_pid)) {
		c->lost = true;
		return -1;
	}
	as = describe(type, *is_pid);
	counted = by_convention(c, type, &as);
	reg = by_compiler(param, at);
	return reg == -1 ? counted : reg < 0 ? -1 : reg;
}

static void add_parameter(Dwarf_Die *param, unsigned int index, Dwarf_Addr at, struct counting *c,
			  struct probe_args *args)
{
	struct probe_type as = { .kind = PROBE_TYPE_OTHER };
	const char *name = dwarf_diename(param);
	char from[8] = "";
	Dwarf_Die type;
	bool is_pid;
	int reg = register_of(param, at, c, &type, &is_pid);

	if (reg >= 0) {
		as = describe(&type, is_pid);
		snprintf(from, sizeof(from), "%%%s", registers[reg]);
	}
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

/* The next one behind *param; the first if that is all zero. */
static bool next_parameter(struct function *f, Dwarf_Die *param)
{
	int end = param->addr ? dwarf_siblingof(param, param) : dwarf_child(&f->die, param);

	while (!end && dwarf_tag(param) != DW_TAG_formal_parameter)
		end = dwarf_siblingof(param, param);
	return !end;
}

static void add_parameters(struct function *f, void *context)
{
	struct probe_args *args = context;
	struct counting c = { .lost = !returns_in_registers(&f->die) };
	Dwarf_Die param = { .addr = NULL };
	unsigned int index = 0;

	while (next_parameter(f, &param))
		add_parameter(&param, index++, f->begin, &c, args);
}

static void add_value(struct function *f, void *context)
{
	struct probe_type as;
	Dwarf_Die type;
	bool is_pid;

	if (!plain_type(&f->die, &type, &is_pid))
		return;
	as = describe(&type, is_pid);
	probe_args_add(context, "ret", 0, &as, "$retval");
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

/* Call take with the function; false: the debug information does not have it. */
static bool with_function(const char *path, uint64_t address,
			  void (*take)(struct function *f, void *context), void *context)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	struct function f = { .found = false };
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;

	if (!dwfl)
		return false;
	module = dwfl_report_offline(dwfl, path, path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module && find_function(module, address, &f))
		take(&f, context);
	dwfl_end(dwfl);
	return f.found;
}

int probe_dwarf_args(const char *path, uint64_t address, bool returns, struct probe_args *args)
{
	memset(args, 0, sizeof(*args));
	return with_function(path, address, returns ? add_value : add_parameters, args) ? 0 : -ENOENT;
}

/* ------------------------------------------------------------------------- members */

#define LOOKS_MAX	65536	/* members that are looked at for one name */

struct cursor {
	struct function *function;
	bool returns;
	Dwarf_Die type;
	bool is_pid;
	unsigned int looks;	/* left: damaged types may be made of themselves */
};

static bool is_composite(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

static bool take_parameter(void *context, struct suggest *name, char from[16])
{
	struct cursor *c = context;
	struct counting counting = { .lost = !returns_in_registers(&c->function->die) };
	Dwarf_Die param = { .addr = NULL };
	int reg;

	if (c->returns) {
		strcpy(from, "$retval");
		return plain_type(&c->function->die, &c->type, &c->is_pid) &&
		       probe_fields_named(name, "ret");
	}
	while (next_parameter(c->function, &param)) {
		reg = register_of(&param, c->function->begin, &counting, &c->type, &c->is_pid);
		if (!dwarf_diename(&param) || !probe_fields_named(name, dwarf_diename(&param)))
			continue;
		snprintf(from, 16, "%s%s", reg < 0 ? "" : "%", reg < 0 ? "" : registers[reg]);
		return true;
	}
	return false;
}

static enum probe_shape shape_of(void *context)
{
	struct cursor *c = context;

	switch (dwarf_tag(&c->type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return PROBE_SHAPE_POINTER;
	case DW_TAG_array_type:
		return PROBE_SHAPE_ARRAY;
	}
	return is_composite(&c->type) ? PROBE_SHAPE_STRUCTURE : PROBE_SHAPE_VALUE;
}

/* A structure that this unit only declares is not known here. */
static bool follow_type(void *context)
{
	struct cursor *c = context;
	Dwarf_Die of = c->type;

	return plain_type(&of, &c->type, &c->is_pid) && !dwarf_hasattr(&c->type, DW_AT_declaration);
}

/* false: there is no such number. */
static bool number_of(Dwarf_Die *die, unsigned int attribute, uint64_t *number)
{
	Dwarf_Attribute found;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, attribute, &found), &value))
		return false;
	*number = value;
	return true;
}

/* Where a member is in what has it; false: nowhere, or only the program knows. */
static bool place_of(Dwarf_Die *die, Dwarf_Die *type, struct probe_member *place)
{
	uint64_t bits = 0, bit, at = 0, before, size;
	Dwarf_Word own;

	if (dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr(die, DW_AT_external))
		return false;
	if (dwarf_hasattr(die, DW_AT_data_member_location) &&
	    !number_of(die, DW_AT_data_member_location, &at))
		return false;
	number_of(die, DW_AT_bit_size, &bits);
	/* Before version 4 bits were counted from the other end of an integer. */
	if (!number_of(die, DW_AT_data_bit_offset, &bit)) {
		bit = at * 8;
		if (number_of(die, DW_AT_bit_offset, &before)) {
			if (!number_of(die, DW_AT_byte_size, &size))
				size = dwarf_aggregate_size(type, &own) ? 0 : own;
			if (size * 8 < before + bits)
				return false;
			bit += size * 8 - before - bits;
		}
	}
	*place = (struct probe_member){ .offset = bit / 8, .bit = bit % 8, .bits = (unsigned int)bits };
	return true;
}

/* What is found: a member, or one without a name, whose members are looked at next */
struct found {
	Dwarf_Die type;
	struct probe_member place;
	const char *name;		/* NULL: it has none, or is what a class is made of */
	bool is_pid;
};

/* The next one behind *die; the first if that is all zero. */
static bool next_member(struct cursor *c, Dwarf_Die *in, Dwarf_Die *die, struct found *found)
{
	int end = die->addr ? dwarf_siblingof(die, die) : dwarf_child(in, die);

	for (; !end && c->looks; end = dwarf_siblingof(die, die)) {
		const int tag = dwarf_tag(die);

		c->looks--;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !plain_type(die, &found->type, &found->is_pid) ||
		    !place_of(die, &found->type, &found->place))
			continue;
		found->name = tag == DW_TAG_member ? dwarf_diename(die) : NULL;
		return true;
	}
	return false;
}

/* Those of the structure itself hide those of what it is made of. */
static bool find_member(struct cursor *c, Dwarf_Die *in, struct suggest *name, uint64_t offset,
			struct probe_member *member)
{
	Dwarf_Die at = { .addr = NULL };
	struct found found;

	while (next_member(c, in, &at, &found)) {
		if (!found.name || !probe_fields_named(name, found.name))
			continue;
		c->type = found.type;
		c->is_pid = found.is_pid;
		*member = found.place;
		member->offset += offset;
		return true;
	}
	at = (Dwarf_Die){ .addr = NULL };
	while (next_member(c, in, &at, &found))
		if (!found.name && is_composite(&found.type) &&
		    find_member(c, &found.type, name, offset + found.place.offset, member))
			return true;
	return false;
}

static bool take_member(void *context, struct suggest *name, struct probe_member *member)
{
	struct cursor *c = context;
	Dwarf_Die in = c->type;

	c->looks = LOOKS_MAX;
	return find_member(c, &in, name, 0, member);
}

static struct probe_type describe_type(void *context)
{
	struct cursor *c = context;
	struct probe_type type = describe(&c->type, c->is_pid);

	if (dwarf_tag(&c->type) == DW_TAG_array_type)
		type.to_char = points_to_char(&c->type);
	return type;
}

struct wanted {
	const char *fields;
	bool returns, good;
	struct probe_args *args;
	char *why;
	size_t why_size;
};

static void take_fields(struct function *f, void *context)
{
	struct wanted *w = context;
	struct cursor c = { .function = f, .returns = w->returns };
	const struct probe_types types = {
		.context = &c, .parameter = take_parameter, .shape = shape_of,
		.follow = follow_type, .member = take_member, .describe = describe_type,
	};

	w->good = probe_fields(w->fields, &types, w->args, w->why, w->why_size);
}

int probe_dwarf_fields(const char *path, uint64_t address, bool returns, const char *fields,
		       struct probe_args *args, char *why, size_t why_size)
{
	struct wanted w = { .fields = fields, .returns = returns, .args = args, .why = why,
			    .why_size = why_size };

	if (!with_function(path, address, take_fields, &w))
		return -ENOENT;
	return w.good ? 0 : -EINVAL;
}
