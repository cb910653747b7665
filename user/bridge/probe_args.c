/* SPDX-License-Identifier: MIT */
/*
 * probe_args.c - what a probe fetches of a parameter, by its type
 */
#include <stdio.h>
#include <string.h>
#include <etw/tracelogging/base.h>
#include "probe_args.h"

static bool is_buffer(const char *name)
{
	static const char *const buffers[] = {
		"buf", "ubuf", "kbuf", "buffer", "data", "ptr", "dst", "dest", "to", "page", NULL,
	};
	const char *const *word = buffers;

	while (*word && strcmp(name, *word))
		word++;
	return *word;
}

unsigned int probe_args_texts(const struct probe_args *args)
{
	unsigned int i, n = 0;

	for (i = 0; i < args->count; i++)
		n += args->list[i].out == TlgOutUTF8;
	return n;
}

static bool is_taken(const struct probe_args *args, const char *name)
{
	unsigned int i = 0;

	while (i < args->count && strcmp(args->list[i].name, name))
		i++;
	return i < args->count;
}

/* The kernel takes no other names; a field of a record's begin must not be hidden. */
static bool is_good(const struct probe_args *args, const char *name)
{
	const char *c = name;

	while (*c == '_' || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
	       (c > name && *c >= '0' && *c <= '9'))
		c++;
	return *name && !*c && c - name < PROBE_ARG_NAME && !is_taken(args, name) &&
	       strncmp(name, "common_", 7) && strncmp(name, "__probe_", 8);
}

static bool is_number_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void fetch_pointer(struct probe_arg *arg, const char *from, bool as_text)
{
	arg->out = as_text ? TlgOutUTF8 : TlgOutHEX;
	if (as_text)
		snprintf(arg->fetch, sizeof(arg->fetch), "+0(%s):string", from);
	else
		snprintf(arg->fetch, sizeof(arg->fetch), "%s:x64", from);
}

static void fetch_number(struct probe_arg *arg, const struct probe_type *type, const char *from)
{
	arg->out = type->kind == PROBE_TYPE_BOOL ? TlgOutBOOLEAN :
		   type->is_pid && type->size == 4 ? TlgOutPID : TlgOutNULL;
	snprintf(arg->fetch, sizeof(arg->fetch), "%s:%c%u", from,
		 type->is_signed && !arg->out ? 's' : 'u', (unsigned int)type->size * 8);
}

void probe_args_name(struct probe_args *args, const char *name, unsigned int index)
{
	struct probe_arg *arg = &args->list[args->count];

	if (is_good(args, name)) {
		snprintf(arg->name, sizeof(arg->name), "%s", name);
	} else {
		do
			snprintf(arg->name, sizeof(arg->name), "arg%u", ++index);
		while (is_taken(args, arg->name));
	}
	args->count++;
}

void probe_args_add(struct probe_args *args, const char *name, unsigned int index,
		    const struct probe_type *type, const char *from)
{
	struct probe_arg *arg = &args->list[args->count];
	const bool is_pointer = type->kind == PROBE_TYPE_POINTER;

	if (args->count == PROBE_ARGS_MAX || type->kind == PROBE_TYPE_OTHER ||
	    (!is_pointer && !is_number_size(type->size))) {
		args->missing++;
		return;
	}
	if (is_pointer)
		fetch_pointer(arg, from, type->to_char && !is_buffer(name) &&
					 probe_args_texts(args) < PROBE_TEXTS_MAX);
	else
		fetch_number(arg, type, from);
	probe_args_name(args, name, index);
}
