/* SPDX-License-Identifier: MIT */
/*
 * packet_type.c - types of CTF as those of TraceLogging
 *
 * Source: TraceLoggingProvider.h, for the metadata.
 */
#include <errno.h>
#include <string.h>

#include "convert/ctf/ctf.h"
#include "packet.h"

#define CHAIN		0x80	/* an out-type follows */
#define ARRAY		0x40	/* u16 elements first */
#define IN_STRUCT	24
#define OUT_STRING	2
#define OUT_BOOLEAN	3
#define OUT_HEX		4
#define OUT_UTF8	35

static unsigned int bytes_of(const struct cm_type *type)
{
	return type->bits <= 8 ? 1 : type->bits <= 16 ? 2 : type->bits <= 32 ? 4 : 8;
}

static bool is_byte(const struct cm_type *type)
{
	return type->kind == CM_INT && type->bits == 8 && type->align <= 8 && !type->labels;
}

static bool is_many(const struct cm_type *type)
{
	return type->kind == CM_ARRAY || type->kind == CM_SEQUENCE;
}

bool cr_is_binary(const struct cm_type *type)
{
	return is_many(type) && is_byte(type->element) && !type->element->is_text &&
	       !type->element->is_signed && (type->element->base == 16 || type->is_bytes);
}

bool cr_is_text(const struct cm_type *type)
{
	return is_many(type) && is_byte(type->element) && type->element->is_text;
}

/* A boolean of ours, or of CTF 2 */
bool cr_is_bool(const struct cm_type *type)
{
	if (type->bits != 8 && type->bits != 32)
		return false;
	if (type->is_bool)
		return true;
	return type->label_count == 2 && !strcmp(type->labels[0].name, "false") &&
	       !type->labels[0].low && !type->labels[0].high &&
	       !strcmp(type->labels[1].name, "true") && type->labels[1].low == 1;
}

/* In-type and out-type of a number */
static void number_type(const struct cm_type *type, uint8_t *in, uint8_t *out)
{
	static const uint8_t ins[] = { 4, 6, 8, 10 };
	unsigned int size = bytes_of(type), i = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;

	*out = 0;
	*in = (uint8_t)(ins[i] - type->is_signed);
	if (cr_is_bool(type)) {
		*in = size == 4 ? 13 : 4;
		*out = size == 4 ? 0 : OUT_BOOLEAN;
	} else if (type->is_text && size == 1) {
		*in = 4;
		*out = OUT_STRING;
	} else if (type->base == 16 && !type->is_signed) {
		*in = size < 4 ? ins[i] : size == 4 ? 20 : 21;
		*out = size < 4 ? OUT_HEX : 0;
	}
}

static void put_head(struct cr *r, const char *name, uint8_t in, uint8_t out)
{
	struct etw_text *meta = &r->half->meta;

	etw_text_puts(meta, name);
	etw_text_char(meta, '\0');
	etw_text_char(meta, (char)(out ? in | CHAIN : in));
	if (out)
		etw_text_char(meta, (char)out);
	r->half->fields++;
}

/* What bytes as an element are in our own traces: a length and they, nothing else */
static bool is_sized(const struct cm_type *type)
{
	return type->member_count == 2 && type->members[0].is_length &&
	       cr_is_binary(type->members[1].type);
}

static int describe_struct(struct cr *r, const struct cm_type *type, const char *name,
			   uint8_t shape, unsigned int depth)
{
	uint32_t before = r->half->fields, i;
	size_t at;
	int err = 0;

	put_head(r, name, IN_STRUCT | shape, 1);
	at = r->half->meta.len - 1;
	r->half->fields = 0;
	for (i = 0; i < type->member_count && !err; i++) {
		err = cr_spend(r, 1);
		if (!err && !type->members[i].is_length)
			err = cr_describe(r, type->members[i].type, type->members[i].shown, false,
					  depth + 1);
	}
	if (err)
		return err;
	if (r->half->fields > 127)
		return cr_fail(r, "a structure has more fields than one of TraceLogging may have");
	if (!r->half->meta.error)
		r->half->meta.data[at] = (char)r->half->fields;
	r->half->fields = before + 1;
	return 0;
}

static void describe_number(struct cr *r, const struct cm_type *type, const char *name,
			    uint8_t shape)
{
	uint8_t in, out;
	char label[256];
	size_t n = strnlen(name, sizeof(label) - 8);

	number_type(type, &in, &out);
	put_head(r, name, in | shape, out);
	if (!type->labels || cr_is_bool(type))
		return;
	memcpy(label, name, n);
	memcpy(label + n, "_label", 7);
	put_head(r, label, 23 | shape, OUT_UTF8);
}

/*
 * Elements of arrays that are no numbers, text or structures, and enumerations, whose
 * number and label are two fields, are in a structure.
 */
static bool wants_struct(const struct cm_type *type)
{
	if (cr_is_binary(type) || cr_is_text(type))
		return false;
	return is_many(type) || (type->kind == CM_INT && type->labels && !cr_is_bool(type));
}

int cr_describe(struct cr *r, const struct cm_type *type, const char *name, bool array,
		unsigned int depth)
{
	uint8_t shape = array ? ARRAY : 0;

	if (depth == CR_DEPTH)
		return cr_fail(r, "structures are too deep in each other");
	if (array && wants_struct(type)) {
		uint32_t before = r->half->fields;
		size_t at;
		int err;

		put_head(r, name, IN_STRUCT | ARRAY, 1);
		at = r->half->meta.len - 1;
		r->half->fields = 0;
		err = cr_describe(r, type, "value", false, depth + 1);
		if (!err && !r->half->meta.error)
			r->half->meta.data[at] = (char)r->half->fields;
		r->half->fields = before + 1;
		return err;
	}
	switch (type->kind) {
	case CM_INT:
		describe_number(r, type, name, shape);
		return 0;
	case CM_FLOAT:
		put_head(r, name, (type->bits == 32 ? 11 : 12) | shape, 0);
		return 0;
	case CM_STRING:
		put_head(r, name, 23 | shape, OUT_UTF8);
		return 0;
	case CM_STRUCT:
		if (array && is_sized(type))
			return cr_describe(r, type->members[1].type, name, true, depth + 1);
		return describe_struct(r, type, name, shape, depth);
	case CM_VARIANT:
		return cr_fail(r, "a variant is in an array");
	default:
		if (cr_is_text(type))
			put_head(r, name, 23 | shape, OUT_UTF8);
		else if (cr_is_binary(type))
			put_head(r, name, 14 | shape, 0);
		else
			return cr_describe(r, type->element, name, true, depth + 1);
		return 0;
	}
}

int cr_put_number(struct cr *r, const struct cm_type *type, uint64_t value)
{
	ctf_put_number(&r->half->payload, value, bytes_of(type));
	return 0;
}

int cr_put_sized(struct cr *r, const void *data, size_t size)
{
	if (size > UINT16_MAX)
		return cr_fail(r, "a field is too long for an event");
	ctf_put_number(&r->half->payload, size, 2);
	if (size)
		etw_text_add(&r->half->payload, data, size);
	return 0;
}
