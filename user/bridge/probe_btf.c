/* SPDX-License-Identifier: MIT */
/*
 * probe_btf.c - the arguments of the kernel's functions, from its type information
 *
 * The first six integers and pointers are in registers, in x86-64's convention; a structure of
 * up to 16 bytes takes one or two of them, a larger one is in memory.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "probe_btf.h"
#include "probe_fields.h"

#define REGISTERS	6
#define REGISTER_SIZE	8

/* A type without its names and qualifiers */
struct plain {
	const struct btf_type *type;	/* NULL: void, or damaged */
	bool is_pid;
};

static struct plain plain_type(const struct btf *btf, uint32_t id)
{
	struct plain to = { .type = btf__type_by_id(btf, id) };
	unsigned int depth;

	for (depth = 0; depth < 32 && to.type; depth++) {
		if (!btf_is_mod(to.type) && !btf_is_typedef(to.type))
			return btf_is_void(to.type) ? (struct plain){ .type = NULL } : to;
		if (btf_is_typedef(to.type) &&
		    !strcmp(btf__str_by_offset(btf, to.type->name_off), "pid_t"))
			to.is_pid = true;
		to.type = btf__type_by_id(btf, to.type->type);
	}
	return (struct plain){ .type = NULL };
}

static bool is_char(const struct btf *btf, const struct btf_type *type)
{
	return type && btf_is_int(type) && type->size == 1 &&
	       !strcmp(btf__str_by_offset(btf, type->name_off), "char");
}

static bool is_signed(const struct btf_type *type)
{
	if (btf_is_int(type))
		return btf_int_encoding(type) & BTF_INT_SIGNED;
	return btf_kflag(type);	/* of enumerations */
}

static struct probe_type describe(const struct btf *btf, const struct plain *plain)
{
	const struct btf_type *type = plain->type;

	if (btf_is_ptr(type))
		return (struct probe_type){ .kind = PROBE_TYPE_POINTER,
					    .to_char = is_char(btf, plain_type(btf, type->type).type) };
	if (!btf_is_int(type) && !btf_is_any_enum(type))
		return (struct probe_type){ .kind = PROBE_TYPE_OTHER };
	return (struct probe_type){
		.kind = btf_is_int(type) && btf_int_encoding(type) & BTF_INT_BOOL ?
			PROBE_TYPE_BOOL : PROBE_TYPE_INTEGER,
		.size = type->size, .is_signed = is_signed(type), .is_pid = plain->is_pid,
	};
}

/* The registers that an argument takes; 0: it is in memory. */
static unsigned int registers_of(const struct btf_type *type)
{
	if (btf_is_ptr(type))
		return 1;
	if (!type->size || type->size > 2 * REGISTER_SIZE)
		return 0;
	return (type->size + REGISTER_SIZE - 1) / REGISTER_SIZE;
}

/* The parameters in turn; all zero but for the types at first */
struct parameters {
	const struct btf *btf;
	const struct btf_type *proto;
	unsigned int next, used;	/* registers */
	const char *name;
	struct plain plain;
	char from[16];			/* "$arg1"; "": in no register */
};

/* The next parameter; false: there is none.  Those of "..." have no type. */
static bool next_parameter(struct parameters *at)
{
	const struct btf_param *param = btf_params(at->proto) + at->next;
	unsigned int takes;

	if (at->next == btf_vlen(at->proto))
		return false;
	at->plain = plain_type(at->btf, param->type);
	if (!at->plain.type)
		return false;
	at->next++;
	at->name = btf__str_by_offset(at->btf, param->name_off);
	if (!at->name)
		at->name = "";
	*at->from = '\0';
	takes = registers_of(at->plain.type);
	if (takes && at->used + takes <= REGISTERS)
		snprintf(at->from, sizeof(at->from), "$arg%u", at->used + 1);
	if (at->used + takes <= REGISTERS)
		at->used += takes;
	return true;
}

static void add_arguments(const struct btf *btf, const struct btf_type *proto,
			  struct probe_args *args)
{
	struct parameters at = { .btf = btf, .proto = proto };
	struct probe_type type;

	while (args->count < PROBE_ARGS_MAX && next_parameter(&at)) {
		type = describe(btf, &at.plain);
		if (!*at.from)
			type.kind = PROBE_TYPE_OTHER;
		probe_args_add(args, at.name, at.next - 1, &type, at.from);
	}
}

static void add_value(const struct btf *btf, const struct btf_type *proto, struct probe_args *args)
{
	struct plain plain = plain_type(btf, proto->type);
	struct probe_type type;

	if (!plain.type)
		return;
	type = describe(btf, &plain);
	probe_args_add(args, "ret", 0, &type, "$retval");
}

/* NULL: the types do not have the function. */
static const struct btf_type *proto_of(const struct btf *btf, const char *function)
{
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);

	type = type ? btf__type_by_id(btf, type->type) : NULL;
	return type && btf_is_func_proto(type) ? type : NULL;
}

int probe_btf_args(const struct btf *btf, const char *function, bool returns,
		   struct probe_args *args)
{
	const struct btf_type *proto = proto_of(btf, function);

	memset(args, 0, sizeof(*args));
	if (!proto)
		return -ENOENT;
	if (returns)
		add_value(btf, proto, args);
	else
		add_arguments(btf, proto, args);
	return 0;
}

/* ------------------------------------------------------------------------- members */

#define LOOKS_MAX	65536	/* members that are looked at for one name */

struct cursor {
	const struct btf *btf;
	const struct btf_type *proto;
	bool returns;
	struct plain plain;
	unsigned int looks;	/* left: damaged types may be made of themselves */
};

static bool take_parameter(void *context, struct suggest *name, char from[16])
{
	struct cursor *c = context;
	struct parameters at = { .btf = c->btf, .proto = c->proto };

	if (c->returns) {
		strcpy(from, "$retval");
		c->plain = plain_type(c->btf, c->proto->type);
		return c->plain.type && probe_fields_named(name, "ret");
	}
	while (next_parameter(&at)) {
		if (!probe_fields_named(name, at.name))
			continue;
		c->plain = at.plain;
		strcpy(from, at.from);
		return true;
	}
	return false;
}

static enum probe_shape shape_of(void *context)
{
	const struct btf_type *type = ((struct cursor *)context)->plain.type;

	return btf_is_ptr(type) ? PROBE_SHAPE_POINTER : btf_is_composite(type) ?
	       PROBE_SHAPE_STRUCTURE : btf_is_array(type) ? PROBE_SHAPE_ARRAY : PROBE_SHAPE_VALUE;
}

static bool follow_type(void *context)
{
	struct cursor *c = context;

	c->plain = plain_type(c->btf, btf_is_array(c->plain.type) ? btf_array(c->plain.type)->type :
			      c->plain.type->type);
	return c->plain.type && !btf_is_fwd(c->plain.type);
}

/* One of a structure without a name is one of the structure around it. */
static bool find_member(struct cursor *c, const struct btf_type *in, struct suggest *name,
			uint64_t bit, struct probe_member *member)
{
	const struct btf_member *m = btf_members(in);
	const char *its;
	unsigned int i;

	for (i = 0; i < btf_vlen(in) && c->looks; i++, c->looks--) {
		const uint64_t at = bit + btf_member_bit_offset(in, i);
		struct plain plain = plain_type(c->btf, m[i].type);

		its = btf__str_by_offset(c->btf, m[i].name_off);
		if (!*its && plain.type && btf_is_composite(plain.type) &&
		    find_member(c, plain.type, name, at, member))
			return true;
		if (!*its || !plain.type || !probe_fields_named(name, its))
			continue;
		c->plain = plain;
		*member = (struct probe_member){
			.offset = at / 8, .bit = at % 8, .bits = btf_member_bitfield_size(in, i),
		};
		return true;
	}
	return false;
}

static bool take_member(void *context, struct suggest *name, struct probe_member *member)
{
	struct cursor *c = context;

	c->looks = LOOKS_MAX;
	return find_member(c, c->plain.type, name, 0, member);
}

static struct probe_type describe_type(void *context)
{
	const struct cursor *c = context;
	struct probe_type type = { .kind = PROBE_TYPE_OTHER };
	const struct btf_array *array;
	int64_t size;

	if (btf_is_array(c->plain.type)) {
		array = btf_array(c->plain.type);
		size = btf__resolve_size(c->btf, array->type);
		type.size = size > 0 ? (uint64_t)size * array->nelems : 0;
		type.to_char = is_char(c->btf, plain_type(c->btf, array->type).type);
		return type;
	}
	type = describe(c->btf, &c->plain);
	if (btf_is_composite(c->plain.type))
		type.size = c->plain.type->size;
	else if (btf_is_ptr(c->plain.type))
		type.size = REGISTER_SIZE;
	return type;
}

int probe_btf_fields(const struct btf *btf, const char *function, bool returns, const char *fields,
		     struct probe_args *args, char *why, size_t why_size)
{
	struct cursor c = { .btf = btf, .proto = proto_of(btf, function), .returns = returns };
	const struct probe_types types = {
		.context = &c, .parameter = take_parameter, .shape = shape_of,
		.follow = follow_type, .member = take_member, .describe = describe_type,
	};

	if (!c.proto)
		return -ENOENT;
	return probe_fields(fields, &types, args, why, why_size) ? 0 : -EINVAL;
}

/* --------------------------------------------------------------------------- files */

const struct btf *probe_btf_load(const char *module)
{
	static struct btf *kernel, *last;
	static char last_module[64];
	static bool tried;

	if (!tried) {
		/* It would print what it cannot read. */
		libbpf_set_print(NULL);
		kernel = btf__load_vmlinux_btf();
	}
	tried = true;
	if (!kernel || !*module)
		return kernel;
	if (strcmp(module, last_module)) {
		btf__free(last);
		last = btf__load_module_btf(module, kernel);
		snprintf(last_module, sizeof(last_module), "%s", module);
	}
	return last;
}
