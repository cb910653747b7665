/* SPDX-License-Identifier: MIT */
/*
 * probe_fields.c - members of structures that a probe fetches
 *
 * A field is walked from the left: "file->f_path.dentry" begins in the register of an argument, adds
 * the member's offset to an address, and has the kernel read a pointer only where the next step
 * needs what it leads to. The kernel reads safely: what is not there is 0 or empty.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <etw/tracelogging/base.h>
#include "probe_fields.h"

#define FETCH_MAX	63		/* characters that the kernel takes of one */
#define INDEX_MAX	0x7fffffff
#define MANY_STEPS	"%.*s has more steps than the kernel takes"

struct walk {
	const struct probe_types *types;
	struct probe_args *args;
	const char *at;			/* in the text */
	const char *field;		/* its begin, for messages ... */
	int field_len;			/* ... and what is walked of it */
	char name[64];			/* of the last step */
	bool as_text;			/* str() is around it */
	char base[128];			/* where the value is, or if it is in memory its address ... */
	bool in_memory;
	uint64_t offset;		/* ... and the bytes from there on */
	struct probe_member member;	/* the last one, if it is a bit field */
	char *why;
	size_t why_size;
};

__attribute__((format(printf, 2, 3)))
static bool fail(struct walk *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(w->why, w->why_size, fmt, args);
	va_end(args);
	return false;
}

static void skip_blanks(struct walk *w)
{
	while (*w->at == ' ')
		w->at++;
}

static bool take_name(struct walk *w)
{
	size_t len = 0;

	skip_blanks(w);
	while (isalnum((unsigned char)w->at[len]) || w->at[len] == '_')
		len++;
	if (!len)
		return fail(w, "a name is missing at \"%.40s\"", w->at);
	if (len >= sizeof(w->name))
		return fail(w, "the name %.64s... is too long", w->at);
	snprintf(w->name, sizeof(w->name), "%.*s", (int)len, w->at);
	w->at += len;
	return true;
}

bool probe_fields_named(struct suggest *name, const char *its)
{
	if (!strcmp(name->word, its))
		return true;
	suggest_try(name, its);
	return false;
}

/* The name is none of those that there are. */
static bool fail_name(struct walk *w, const char *what, const struct suggest *name)
{
	if (*name->best)
		return fail(w, "%s %s; did you mean %s?", what, w->name, name->best);
	return fail(w, "%s %s", what, w->name);
}

/* -------------------------------------------------------------------------- steps */

/* The pointer at hand becomes the address of what it leads to. */
static bool follow_pointer(struct walk *w)
{
	char inner[sizeof(w->base)];
	int len;

	if (w->in_memory) {
		strcpy(inner, w->base);
		len = snprintf(w->base, sizeof(w->base), "+%llu(%s)",
			       (unsigned long long)w->offset, inner);
		if (len > FETCH_MAX)
			return fail(w, MANY_STEPS, w->field_len, w->field);
	}
	w->in_memory = true;
	w->offset = 0;
	return w->types->follow(w->types->context) ||
	       fail(w, "the type that %.*s points to is not known", w->field_len, w->field);
}

/* The kernel's offsets are of int. */
static bool add_offset(struct walk *w, uint64_t bytes)
{
	w->offset += bytes;
	return w->offset <= INT_MAX ||
	       fail(w, "%.*s is too far from where it begins", (int)(w->at - w->field), w->field);
}

static bool step_member(struct walk *w)
{
	void *context = w->types->context;
	struct suggest name;

	if (!take_name(w))
		return false;
	if (w->types->shape(context) == PROBE_SHAPE_POINTER && !follow_pointer(w))
		return false;
	if (w->types->shape(context) != PROBE_SHAPE_STRUCTURE)
		return fail(w, "%.*s is no structure", w->field_len, w->field);
	if (!w->in_memory)
		return fail(w, "%.*s is in registers, of which members cannot be fetched", w->field_len,
			    w->field);
	suggest_begin(&name, w->name);
	if (!w->types->member(context, &name, &w->member))
		return fail_name(w, "there is no member", &name);
	return add_offset(w, w->member.offset);
}

static bool step_index(struct walk *w)
{
	void *context = w->types->context;
	unsigned long index;
	char *end = NULL;
	uint64_t size;

	errno = 0;
	index = isdigit((unsigned char)*w->at) ? strtoul(w->at, &end, 0) : ULONG_MAX;
	if (index > INDEX_MAX || errno || *end != ']')
		return fail(w, "the index of %.*s is not a number", w->field_len, w->field);
	w->at = end + 1;
	switch (w->types->shape(context)) {
	case PROBE_SHAPE_POINTER:
		if (!follow_pointer(w))
			return false;
		break;
	case PROBE_SHAPE_ARRAY:
		if (!w->types->follow(context))
			return fail(w, "the type of %.*s is not known", w->field_len, w->field);
		break;
	default:
		return fail(w, "%.*s is neither an array nor a pointer", w->field_len, w->field);
	}
	size = w->types->describe(context).size;
	if (!size || size > INT_MAX)
		return fail(w, "the size of the elements of %.*s is not known", w->field_len, w->field);
	w->member.bits = 0;
	return add_offset(w, index * size);
}

/* ------------------------------------------------------------------------ results */

/* Bits are taken out of the aligned integer around them. */
static bool put_bits(struct walk *w, struct probe_arg *arg)
{
	const uint64_t first = w->offset * 8 + w->member.bit;
	const unsigned int size = first % 32 + w->member.bits > 32 ? 64 : 32;
	int len;

	if (first % size + w->member.bits > size)
		return fail(w, "%.*s is a bit field that no probe can fetch", w->field_len, w->field);
	len = snprintf(arg->fetch, sizeof(arg->fetch), "+%llu(%s):b%u@%u/%u",
		       (unsigned long long)(first / size * size / 8), w->base, w->member.bits,
		       (unsigned int)(first % size), size);
	return len <= FETCH_MAX || fail(w, MANY_STEPS, w->field_len, w->field);
}

/* An array, or what a pointer leads to */
static bool put_text(struct walk *w, struct probe_arg *arg, enum probe_shape shape, const char *from)
{
	if (shape != PROBE_SHAPE_POINTER && (shape != PROBE_SHAPE_ARRAY || !w->in_memory))
		return fail(w, "%.*s is neither a pointer nor an array", w->field_len, w->field);
	if (probe_args_texts(w->args) >= PROBE_TEXTS_MAX)
		return fail(w, "%.*s is a second text: the kernel has room for one", w->field_len,
			    w->field);
	arg->out = TlgOutUTF8;
	snprintf(arg->fetch, sizeof(arg->fetch), shape == PROBE_SHAPE_POINTER ?
		 "+0(%.52s):string" : "%.52s:string", from);
	return true;
}

static bool put(struct walk *w, unsigned int index)
{
	struct probe_type type = w->types->describe(w->types->context);
	const enum probe_shape shape = w->types->shape(w->types->context);
	const bool is_text = w->as_text ||
			     (shape == PROBE_SHAPE_ARRAY && type.to_char && w->in_memory);
	const bool is_bits = w->in_memory && w->member.bits;
	struct probe_arg *arg = &w->args->list[w->args->count];
	char from[sizeof(w->base) + 24];

	if (w->in_memory)
		snprintf(from, sizeof(from), "+%llu(%s)", (unsigned long long)w->offset, w->base);
	else
		snprintf(from, sizeof(from), "%s", w->base);
	if (strlen(from) + strlen("+0():string") > FETCH_MAX)
		return fail(w, MANY_STEPS, w->field_len, w->field);
	if (is_text || is_bits) {
		if (!(is_text ? put_text(w, arg, shape, from) : put_bits(w, arg)))
			return false;
		probe_args_name(w->args, w->name, index);
		return true;
	}
	probe_args_add(w->args, w->name, index, &type, from);
	return !w->args->missing ||
	       fail(w, "%.*s is %s", w->field_len, w->field,
		    shape == PROBE_SHAPE_STRUCTURE && w->in_memory ?
		    "a structure: name one of its members" : "nothing that a probe can fetch");
}

static bool take_field(struct walk *w, unsigned int index)
{
	struct suggest name;
	bool good;

	skip_blanks(w);
	w->as_text = !strncmp(w->at, "str(", 4);
	if (w->as_text)
		w->at += 4;
	skip_blanks(w);
	w->field = w->at;
	w->in_memory = false;
	w->offset = 0;
	w->member.bits = 0;
	if (!take_name(w))
		return false;
	suggest_begin(&name, w->name);
	if (!w->types->parameter(w->types->context, &name, w->base))
		return fail_name(w, "the function has no argument", &name);
	if (!*w->base)
		return fail(w, "the argument %s is in no register", w->name);
	for (;;) {
		w->field_len = (int)(w->at - w->field);
		skip_blanks(w);
		if (!strncmp(w->at, "->", 2)) {
			w->at += 2;
			good = step_member(w);
		} else if (*w->at == '.') {
			w->at++;
			good = step_member(w);
		} else if (*w->at == '[') {
			w->at++;
			good = step_index(w);
		} else {
			break;
		}
		if (!good)
			return false;
	}
	if (w->as_text) {
		if (*w->at != ')')
			return fail(w, "\")\" is missing behind %.*s", w->field_len, w->field);
		w->at++;
		skip_blanks(w);
	}
	return put(w, index);
}

bool probe_fields(const char *fields, const struct probe_types *types, struct probe_args *args,
		  char *why, size_t why_size)
{
	struct walk w = { .types = types, .args = args, .at = fields, .why = why,
			  .why_size = why_size };
	unsigned int index;

	memset(args, 0, sizeof(*args));
	skip_blanks(&w);
	for (index = 0; *w.at; index++) {
		if (index == PROBE_ARGS_MAX)
			return fail(&w, "there are more than %u fields", PROBE_ARGS_MAX);
		if (!take_field(&w, index))
			return false;
		if (*w.at && *w.at != ',')
			return fail(&w, "\"%.40s\" follows %.*s", w.at, w.field_len, w.field);
		if (*w.at && !*++w.at)
			return fail(&w, "a name is missing behind the last comma");
	}
	return true;
}
