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
#include <etw/tracelogging/base.h>
#include "probe_btf.h"

#define REGISTERS	6
#define REGISTER_SIZE	8
/* The kernel reads up to 4096 bytes of each, and warns of a record of more than 8192. */
#define TEXTS_MAX	1

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

static bool is_word(const char *name, const char *const *words)
{
	while (*words && strcmp(name, *words))
		words++;
	return *words;
}

/* What a pointer to char points to is a text, unless its name says that it is a buffer. */
static bool is_text(const struct btf *btf, const struct btf_type *pointer, const char *name)
{
	static const char *const buffers[] = {
		"buf", "ubuf", "kbuf", "buffer", "data", "ptr", "dst", "dest", "to", "page", NULL,
	};
	const struct btf_type *type = plain_type(btf, pointer->type).type;

	return type && btf_is_int(type) && type->size == 1 &&
	       !strcmp(btf__str_by_offset(btf, type->name_off), "char") && !is_word(name, buffers);
}

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool is_signed(const struct btf_type *type)
{
	if (btf_is_int(type))
		return btf_int_encoding(type) & BTF_INT_SIGNED;
	return btf_kflag(type);	/* of enumerations */
}

static unsigned int texts_of(const struct probe_args *args)
{
	unsigned int i, n = 0;

	for (i = 0; i < args->count; i++)
		n += args->list[i].out == TlgOutUTF8;
	return n;
}

/*
 * What comes behind the others; from: "$arg1".  false: nothing that a probe can fetch from a
 * register.
 */
static bool describe(const struct btf *btf, const struct plain *plain, const char *name,
		     const char *from, struct probe_args *args)
{
	const struct btf_type *type = plain->type;
	struct probe_arg *arg = &args->list[args->count];

	snprintf(arg->name, sizeof(arg->name), "%s", name);
	arg->out = TlgOutNULL;
	if (btf_is_ptr(type)) {
		arg->out = TlgOutHEX;
		if (is_text(btf, type, name) && texts_of(args) < TEXTS_MAX) {
			arg->out = TlgOutUTF8;
			snprintf(arg->fetch, sizeof(arg->fetch), "+0(%s):string", from);
		} else {
			snprintf(arg->fetch, sizeof(arg->fetch), "%s:x64", from);
		}
		return true;
	}
	if (!(btf_is_int(type) || btf_is_any_enum(type)) || !is_number_size(type->size))
		return false;
	if (btf_is_int(type) && btf_int_encoding(type) & BTF_INT_BOOL)
		arg->out = TlgOutBOOLEAN;
	else if (plain->is_pid && type->size == 4)
		arg->out = TlgOutPID;
	snprintf(arg->fetch, sizeof(arg->fetch), "%s:%c%u", from,
		 is_signed(type) && !arg->out ? 's' : 'u', type->size * 8);
	return true;
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

static bool is_taken(const struct probe_args *args, const char *name)
{
	unsigned int i = 0;

	while (i < args->count && strcmp(args->list[i].name, name))
		i++;
	return i < args->count;
}

/* The kernel takes no other names; a field of a record's begin must not be hidden. */
static const char *good_name(const struct probe_args *args, const char *name, unsigned int index,
			     char own[PROBE_ARG_NAME])
{
	const char *c = name;

	while (*c == '_' || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
	       (c > name && *c >= '0' && *c <= '9'))
		c++;
	if (*name && !*c && c - name < PROBE_ARG_NAME && !is_taken(args, name) &&
	    strncmp(name, "common_", 7) && strncmp(name, "__probe_", 8))
		return name;
	snprintf(own, PROBE_ARG_NAME, "arg%u", index + 1);
	return own;
}

static void add_arguments(const struct btf *btf, const struct btf_type *proto,
			  struct probe_args *args)
{
	const struct btf_param *param = btf_params(proto);
	unsigned int i, count = btf_vlen(proto), used = 0, takes;
	char from[16], own[PROBE_ARG_NAME];
	const char *name;
	struct plain plain;

	for (i = 0; i < count && args->count < PROBE_ARGS_MAX; i++) {
		plain = plain_type(btf, param[i].type);
		/* Those of "..." have no type. */
		if (!plain.type)
			return;
		name = btf__str_by_offset(btf, param[i].name_off);
		takes = registers_of(plain.type);
		snprintf(from, sizeof(from), "$arg%u", used + 1);
		if (!takes || used + takes > REGISTERS ||
		    !describe(btf, &plain, good_name(args, name ? name : "", i, own), from, args))
			args->missing++;
		else
			args->count++;
		if (used + takes <= REGISTERS)
			used += takes;
	}
}

static void add_value(const struct btf *btf, const struct btf_type *proto, struct probe_args *args)
{
	struct plain plain = plain_type(btf, proto->type);

	if (!plain.type)
		return;
	if (describe(btf, &plain, "ret", "$retval", args))
		args->count = 1;
	else
		args->missing = 1;
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
