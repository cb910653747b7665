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

static void add_arguments(const struct btf *btf, const struct btf_type *proto,
			  struct probe_args *args)
{
	const struct btf_param *param = btf_params(proto);
	unsigned int i, count = btf_vlen(proto), used = 0, takes;
	struct probe_type type;
	struct plain plain;
	const char *name;
	char from[16];

	for (i = 0; i < count && args->count < PROBE_ARGS_MAX; i++) {
		plain = plain_type(btf, param[i].type);
		/* Those of "..." have no type. */
		if (!plain.type)
			return;
		name = btf__str_by_offset(btf, param[i].name_off);
		takes = registers_of(plain.type);
		type = describe(btf, &plain);
		if (!takes || used + takes > REGISTERS)
			type.kind = PROBE_TYPE_OTHER;
		snprintf(from, sizeof(from), "$arg%u", used + 1);
		probe_args_add(args, name ? name : "", i, &type, from);
		if (used + takes <= REGISTERS)
			used += takes;
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

int probe_btf_args(const struct btf *btf, const char *function, bool returns,
		   struct probe_args *args)
{
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);

	memset(args, 0, sizeof(*args));
	type = type ? btf__type_by_id(btf, type->type) : NULL;
	if (!type || !btf_is_func_proto(type))
		return -ENOENT;
	if (returns)
		add_value(btf, type, args);
	else
		add_arguments(btf, type, args);
	return 0;
}

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
