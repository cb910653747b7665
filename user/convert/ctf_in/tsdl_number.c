/* SPDX-License-Identifier: MIT */
/*
 * tsdl_number.c - integers, floats, strings and enumerations of TSDL
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tsdl.h"

/* "key = value;" of a type */
struct attribute {
	const char *key;
	const char *word;	/* of a word, a string or a dotted name; NULL: a number */
	uint64_t number;
};

static int take_attribute(struct tsdl *t, struct attribute *a)
{
	int err = tsdl_dotted(t, &a->key);

	if (!err)
		err = tsdl_expect(t, '=');
	if (err)
		return err;
	a->word = NULL;
	if (t->token == TSDL_WORD) {
		err = tsdl_dotted(t, &a->word);
	} else if (t->token == TSDL_STRING) {
		a->word = t->word;
		err = tsdl_next(t);
	} else {
		err = tsdl_number(t, &a->number);
	}
	return err ? err : tsdl_expect(t, ';');
}

static bool is_true(const struct attribute *a)
{
	return a->word ? !strcmp(a->word, "true") : a->number != 0;
}

static int take_order(struct tsdl *t, const struct attribute *a, bool *big_endian)
{
	if (a->word && (!strcmp(a->word, "le") || !strcmp(a->word, "be") ||
			!strcmp(a->word, "network")))
		*big_endian = strcmp(a->word, "le") != 0;
	else if (!a->word || strcmp(a->word, "native"))
		return tsdl_fail(t, "no such byte order");
	return 0;
}

static int take_align(struct tsdl *t, const struct attribute *a, uint32_t *align)
{
	if (a->word || !a->number || a->number > 65536 || a->number & (a->number - 1))
		return tsdl_fail(t, "an alignment is a power of 2");
	*align = (uint32_t)a->number;
	return 0;
}

static uint8_t base_of(const struct attribute *a)
{
	if (!a->word)
		return a->number == 2 || a->number == 8 || a->number == 16 ?
			(uint8_t)a->number : 10;
	if (!strcmp(a->word, "x") || !strcmp(a->word, "X") || !strcmp(a->word, "p") ||
	    !strncmp(a->word, "hex", 3))
		return 16;
	if (!strcmp(a->word, "o") || !strncmp(a->word, "oct", 3))
		return 8;
	return !strcmp(a->word, "b") || !strncmp(a->word, "bin", 3) ? 2 : 10;
}

static bool is_encoding(const struct attribute *a)
{
	return a->word && (!strcmp(a->word, "UTF8") || !strcmp(a->word, "utf8") ||
			   !strcmp(a->word, "UTF-8") || !strcmp(a->word, "ASCII") ||
			   !strcmp(a->word, "ascii"));
}

/* "clock.NAME.value" */
static int take_map(struct tsdl *t, const struct attribute *a, struct cm_type *type)
{
	size_t len = a->word ? strlen(a->word) : 0;
	const char *name;

	if (len < 13 || strncmp(a->word, "clock.", 6) || strcmp(a->word + len - 6, ".value"))
		return tsdl_fail(t, "\"map\" does not lead to a clock");
	name = cm_name(t->meta, a->word + 6, len - 12);
	type->clock = name ? tsdl_clock(t, name) : NULL;
	return type->clock ? 0 : -ENOMEM;
}

static int integer_attribute(struct tsdl *t, const struct attribute *a, struct cm_type *type)
{
	if (!strcmp(a->key, "size")) {
		if (a->word || !a->number || a->number > 64)
			return tsdl_fail(t, "integers have 1 to 64 bits");
		type->bits = (uint32_t)a->number;
	} else if (!strcmp(a->key, "align")) {
		return take_align(t, a, &type->align);
	} else if (!strcmp(a->key, "signed")) {
		type->is_signed = is_true(a);
	} else if (!strcmp(a->key, "byte_order")) {
		return take_order(t, a, &type->big_endian);
	} else if (!strcmp(a->key, "base")) {
		type->base = base_of(a);
	} else if (!strcmp(a->key, "encoding")) {
		type->is_text = is_encoding(a);
	} else if (!strcmp(a->key, "map")) {
		return take_map(t, a, type);
	}
	return 0;
}

int tsdl_integer(struct tsdl *t, const struct cm_type **out)
{
	struct cm_type *type = cm_alloc(t->meta, sizeof(*type));
	struct attribute a;
	int err;

	if (!type)
		return -ENOMEM;
	*type = (struct cm_type){ .kind = CM_INT, .base = 10, .big_endian = t->meta->big_endian };
	*out = type;
	err = tsdl_expect(t, '{');
	while (!err && !tsdl_is(t, '}')) {
		err = take_attribute(t, &a);
		if (!err)
			err = integer_attribute(t, &a, type);
	}
	if (err)
		return err;
	if (!type->bits)
		return tsdl_fail(t, "an integer has no size");
	if (!type->align)
		type->align = type->bits % 8 ? 1 : 8;
	return tsdl_next(t);
}

int tsdl_float(struct tsdl *t, const struct cm_type **out)
{
	struct cm_type *type = cm_alloc(t->meta, sizeof(*type));
	uint64_t exponent = 0, mantissa = 0;
	struct attribute a;
	int err;

	if (!type)
		return -ENOMEM;
	*type = (struct cm_type){ .kind = CM_FLOAT, .big_endian = t->meta->big_endian };
	*out = type;
	err = tsdl_expect(t, '{');
	while (!err && !tsdl_is(t, '}')) {
		err = take_attribute(t, &a);
		if (err)
			break;
		if (!strcmp(a.key, "exp_dig"))
			exponent = a.word ? 0 : a.number;
		else if (!strcmp(a.key, "mant_dig"))
			mantissa = a.word ? 0 : a.number;
		else if (!strcmp(a.key, "byte_order"))
			err = take_order(t, &a, &type->big_endian);
		else if (!strcmp(a.key, "align"))
			err = take_align(t, &a, &type->align);
	}
	if (err)
		return err;
	if (!(exponent == 8 && mantissa == 24) && !(exponent == 11 && mantissa == 53))
		return tsdl_fail(t, "floating-point numbers have 8 and 24 or 11 and 53 digits");
	type->bits = (uint32_t)(exponent + mantissa);
	if (!type->align)
		type->align = 8;
	return tsdl_next(t);
}

int tsdl_string(struct tsdl *t, const struct cm_type **out)
{
	struct cm_type *type = cm_alloc(t->meta, sizeof(*type));
	struct attribute a;
	int err = 0;

	if (!type)
		return -ENOMEM;
	*type = (struct cm_type){ .kind = CM_STRING, .align = 8 };
	*out = type;
	if (!tsdl_is(t, '{'))
		return 0;
	err = tsdl_next(t);
	while (!err && !tsdl_is(t, '}'))
		err = take_attribute(t, &a);
	return err ? err : tsdl_next(t);
}

/* ------------------------------------------------------------- enumerations */

struct labels {
	struct cm_label *list;
	uint32_t count, room;
	uint64_t next;
};

static int take_label(struct tsdl *t, struct labels *labels)
{
	struct cm_label *label;
	int err;

	if (t->token != TSDL_WORD && t->token != TSDL_STRING)
		return tsdl_fail(t, "the name of a value is missing");
	if (labels->count == labels->room) {
		uint32_t room = labels->room ? 2 * labels->room : 16;
		struct cm_label *list = room > TSDL_MEMBERS ? NULL :
					realloc(labels->list, room * sizeof(*list));

		if (!list)
			return room > TSDL_MEMBERS ? tsdl_fail(t, "too many names") : -ENOMEM;
		labels->list = list;
		labels->room = room;
	}
	label = &labels->list[labels->count++];
	*label = (struct cm_label){ labels->next, labels->next, t->word };
	err = tsdl_next(t);
	if (!err && tsdl_is(t, '=')) {
		err = tsdl_next(t);
		if (!err)
			err = tsdl_number(t, &label->low);
		label->high = label->low;
		if (!err && t->token == TSDL_DOTS) {
			err = tsdl_next(t);
			if (!err)
				err = tsdl_number(t, &label->high);
		}
	}
	labels->next = label->high + 1;
	return err;
}

static int take_labels(struct tsdl *t, struct cm_type *type)
{
	struct labels labels = { .count = 0 };
	int err = tsdl_next(t);

	while (!err && !tsdl_is(t, '}')) {
		err = take_label(t, &labels);
		if (!err && tsdl_is(t, ','))
			err = tsdl_next(t);
		else if (!err && !tsdl_is(t, '}'))
			err = tsdl_fail(t, "\"}\" is missing");
	}
	type->labels = err ? NULL : cm_alloc(t->meta, (labels.count + 1) * sizeof(*labels.list));
	if (type->labels && labels.count)
		memcpy(type->labels, labels.list, labels.count * sizeof(*labels.list));
	type->label_count = labels.count;
	free(labels.list);
	if (err)
		return err;
	return type->labels ? tsdl_next(t) : -ENOMEM;
}

/* Behind "enum": [name] [: type] { ... }, or the name of one that is there. */
int tsdl_enum(struct tsdl *t, const struct cm_type **out)
{
	const struct cm_type *integer = NULL;
	const char *name = NULL;
	struct cm_type *type;
	int err = 0;

	if (t->token == TSDL_WORD) {
		name = t->word;
		err = tsdl_next(t);
	}
	if (!err && name && !tsdl_is(t, ':') && !tsdl_is(t, '{')) {
		*out = tsdl_find(t, TSDL_ENUM, name);
		return *out ? 0 : tsdl_fail(t, "there is no enum %.100s", name);
	}
	if (!err && tsdl_is(t, ':')) {
		err = tsdl_next(t);
		if (!err)
			err = tsdl_type(t, &integer);
	} else if (!err) {
		integer = tsdl_find(t, TSDL_ALIAS, cm_name(t->meta, "int", 3));
	}
	if (err)
		return err;
	if (!integer || integer->kind != CM_INT)
		return tsdl_fail(t, "an enum is not of integers");
	if (!tsdl_is(t, '{'))
		return tsdl_fail(t, "\"{\" is missing");
	type = cm_alloc(t->meta, sizeof(*type));
	if (!type)
		return -ENOMEM;
	*type = *integer;
	*out = type;
	err = take_labels(t, type);
	return err || !name ? err : tsdl_keep(t, TSDL_ENUM, name, type);
}
