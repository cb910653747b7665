/* SPDX-License-Identifier: MIT */
/*
 * field.c - CTF fields as TraceLogging fields
 *
 * A structure becomes a structure, an array or sequence an array, bytes in hexadecimal
 * binary data, and an enumeration two fields: its number and, as NAME_label, its label.  A
 * variant becomes the option that it holds.  TraceLogging describes all elements of an
 * array once, so an array with variants becomes one field for each element, NAME_0 and so
 * on.
 *
 * Source: TraceLoggingProvider.h, for the metadata.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ctf_reader.h"

#define CHAIN		0x80	/* an out-type follows */
#define ARRAY		0x40	/* the payload begins with a u16 element count */
#define IN_STRING	23
#define IN_BINARY	14
#define IN_STRUCT	24
#define OUT_BOOLEAN	3
#define OUT_HEX		4
#define OUT_UTF8	35
#define DEPTH_MAX	64	/* nested structures and arrays */
#define MEMBERS_MAX	127	/* members of a TraceLogging structure */
#define APART_MAX	256	/* elements of an array that become fields of their own */

/* --------------------------------------------------------------------- classes */

static bool is(const bt_field_class *class, bt_field_class_type type)
{
	return bt_field_class_type_is(bt_field_class_get_type(class), type);
}

static const bt_field_class *element_of(const bt_field_class *class)
{
	return bt_field_class_array_borrow_element_field_class_const(class);
}

static const bt_field_class *member_of(const bt_field_class *class, uint64_t i, const char **name)
{
	const bt_field_class_structure_member *member =
		bt_field_class_structure_borrow_member_by_index_const(class, i);

	*name = bt_field_class_structure_member_get_name(member);
	return bt_field_class_structure_member_borrow_field_class_const(member);
}

static unsigned int bits_of(const bt_field_class *class)
{
	return is(class, BT_FIELD_CLASS_TYPE_BOOL) ? 8 :
	       (unsigned int)bt_field_class_integer_get_field_value_range(class);
}

static unsigned int bytes_of(const bt_field_class *class)
{
	unsigned int bits = bits_of(class);

	return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static bool is_hex(const bt_field_class *class)
{
	return bt_field_class_integer_get_preferred_display_base(class) ==
	       BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL;
}

/* An array of unsigned bytes that are shown in hexadecimal */
static bool is_binary(const bt_field_class *class)
{
	const bt_field_class *element;

	if (!is(class, BT_FIELD_CLASS_TYPE_ARRAY))
		return false;
	element = element_of(class);
	return bt_field_class_get_type(element) == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER &&
	       bits_of(element) == 8 && is_hex(element);
}

static bool label_is(const bt_field_class *class, uint64_t i, const char *label)
{
	const bt_field_class_enumeration_unsigned_mapping *mapping =
		bt_field_class_enumeration_unsigned_borrow_mapping_by_index_const(class, i);
	const bt_integer_range_set_unsigned *ranges =
		bt_field_class_enumeration_unsigned_mapping_borrow_ranges_const(mapping);

	return !strcmp(label, bt_field_class_enumeration_mapping_get_label(
			bt_field_class_enumeration_unsigned_mapping_as_mapping_const(mapping))) &&
	       bt_integer_range_unsigned_get_lower(
			bt_integer_range_set_unsigned_borrow_range_by_index_const(ranges, 0)) == i;
}

/* "etw convert" writes a boolean as an enumeration of "false" and "true". */
static bool is_bool(const bt_field_class *class)
{
	if (is(class, BT_FIELD_CLASS_TYPE_BOOL))
		return true;
	return is(class, BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION) &&
	       (bits_of(class) == 8 || bits_of(class) == 32) &&
	       bt_field_class_enumeration_get_mapping_count(class) == 2 &&
	       label_is(class, 0, "false") && label_is(class, 1, "true");
}

static bool has_label(const bt_field_class *class)
{
	return is(class, BT_FIELD_CLASS_TYPE_ENUMERATION) && !is_bool(class);
}

/* Is this member only the length of the sequence behind it, as LTTng and we name it? */
static bool is_length(const bt_field_class *class, uint64_t i)
{
	const bt_field_class *sequence;
	const char *length, *name;
	size_t n;

	if (i + 1 >= bt_field_class_structure_get_member_count(class))
		return false;
	member_of(class, i, &length);
	sequence = member_of(class, i + 1, &name);
	n = strlen(name);
	return is(sequence, BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITH_LENGTH_FIELD) &&
	       length[0] == '_' && !strncmp(length + 1, name, n) &&
	       !strcmp(length + 1 + n, "_length");
}

/* "etw convert" writes binary elements as structures of a length and the bytes. */
static bool is_sized_binary(const bt_field_class *class)
{
	const char *name;

	return is(class, BT_FIELD_CLASS_TYPE_STRUCTURE) &&
	       bt_field_class_structure_get_member_count(class) == 2 && is_length(class, 0) &&
	       is_binary(member_of(class, 1, &name));
}

static bool has_variant(const bt_field_class *class, unsigned int depth)
{
	const char *name;
	uint64_t i;

	if (depth == DEPTH_MAX || is(class, BT_FIELD_CLASS_TYPE_VARIANT))
		return true;
	if (is(class, BT_FIELD_CLASS_TYPE_ARRAY))
		return has_variant(element_of(class), depth + 1);
	if (!is(class, BT_FIELD_CLASS_TYPE_STRUCTURE))
		return false;
	for (i = 0; i < bt_field_class_structure_get_member_count(class); i++)
		if (has_variant(member_of(class, i, &name), depth + 1))
			return true;
	return false;
}

/* -------------------------------------------------------------------- metadata */

static int describe_members(struct fields *f, const bt_field_class *class, const bt_field *field,
			    unsigned int depth);
static int describe(struct fields *f, const bt_field_class *class, const bt_field *field,
		    const char *name, uint8_t shape, unsigned int depth);

static void put_head(struct fields *f, const char *name, unsigned int in, unsigned int out)
{
	etw_text_add(&f->meta, name, strlen(name) + 1);
	etw_text_char(&f->meta, (char)(out ? in | CHAIN : in));
	if (out)
		etw_text_char(&f->meta, (char)out);
	f->count++;
}

static void describe_number(struct fields *f, const bt_field_class *class, const char *name,
			    uint8_t shape)
{
	const bool is_signed = is(class, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
	unsigned int size = bytes_of(class), in, out = 0;
	char label[256];

	in = (size == 1 ? 4 : size == 2 ? 6 : size == 4 ? 8 : 10) - is_signed;
	if (is_bool(class)) {
		in = size == 4 ? 13 : 4;
		out = size == 4 ? 0 : OUT_BOOLEAN;
	} else if (!is_signed && is_hex(class)) {
		in = size < 4 ? in : size == 4 ? 20 : 21;
		out = size < 4 ? OUT_HEX : 0;
	}
	put_head(f, name, in | shape, out);
	if (!has_label(class))
		return;
	snprintf(label, sizeof(label), "%.*s_label", (int)sizeof(label) - 7, name);
	put_head(f, label, IN_STRING | shape, OUT_UTF8);
}

/* The structure's head holds the member count, which is known at the end. */
static size_t begin_struct(struct fields *f, const char *name, uint8_t shape)
{
	put_head(f, name, IN_STRUCT | shape, 1);
	return f->meta.len - 1;
}

static int end_struct(struct fields *f, size_t at, unsigned int before)
{
	unsigned int members = f->count - before;

	if (members > MEMBERS_MAX)
		return -EMSGSIZE;
	if (!f->meta.error)
		f->meta.data[at] = (char)members;
	f->count = before;
	return 0;
}

static int describe_struct(struct fields *f, const bt_field_class *class, const bt_field *field,
			   const char *name, uint8_t shape, unsigned int depth)
{
	size_t at = begin_struct(f, name, shape);
	unsigned int before = f->count;
	int err = describe_members(f, class, field, depth + 1);

	return err ? err : end_struct(f, at, before);
}

static int describe_members(struct fields *f, const bt_field_class *class, const bt_field *field,
			    unsigned int depth)
{
	uint64_t i, count = bt_field_class_structure_get_member_count(class);
	const bt_field_class *member;
	const char *name;
	int err = 0;

	for (i = 0; i < count && !err; i++) {
		if (is_length(class, i))
			continue;
		member = member_of(class, i, &name);
		err = describe(f, member, field ?
			       bt_field_structure_borrow_member_field_by_index_const(field, i) :
			       NULL, true_name(f, name), 0, depth);
	}
	return err;
}

static int describe_apart(struct fields *f, const bt_field *field, const char *name,
			  unsigned int depth)
{
	uint64_t i, count = bt_field_array_get_length(field);
	const bt_field *element;
	char apart[256];
	int err = 0;

	if (count > APART_MAX)
		return -EMSGSIZE;
	for (i = 0; i < count && !err; i++) {
		element = bt_field_array_borrow_element_field_by_index_const(field, i);
		snprintf(apart, sizeof(apart), "%.200s_%u", name, (unsigned int)i);
		err = describe(f, bt_field_borrow_class_const(element), element, apart, 0,
			       depth + 1);
	}
	return err;
}

/* An element that takes two fields, or a count of its own, is in a structure. */
static bool needs_struct(const bt_field_class *class)
{
	return has_label(class) || (is(class, BT_FIELD_CLASS_TYPE_ARRAY) && !is_binary(class));
}

static int describe_array(struct fields *f, const bt_field_class *class, const bt_field *field,
			  const char *name, unsigned int depth)
{
	const bt_field_class *element = element_of(class);
	unsigned int before;
	size_t at;
	int err;

	/* From 0, as in put_array(): both must decide alike. */
	if (field && has_variant(element, 0))
		return describe_apart(f, field, name, depth);
	if (!needs_struct(element))
		return describe(f, element, NULL, name, ARRAY, depth + 1);
	at = begin_struct(f, name, ARRAY);
	before = f->count;
	err = describe(f, element, NULL, "value", 0, depth + 1);
	return err ? err : end_struct(f, at, before);
}

/* field: NULL for the elements of an array, of which all are described at once. */
static int describe(struct fields *f, const bt_field_class *class, const bt_field *field,
		    const char *name, uint8_t shape, unsigned int depth)
{
	const char *ignored;

	if (f->meta.len > UINT16_MAX || depth >= DEPTH_MAX)
		return -EMSGSIZE;
	if (is(class, BT_FIELD_CLASS_TYPE_VARIANT)) {
		if (!field)
			return -EMSGSIZE;
		field = bt_field_variant_borrow_selected_option_field_const(field);
		return describe(f, bt_field_borrow_class_const(field), field, name, shape,
				depth + 1);
	}
	if (shape && is_sized_binary(class))
		class = member_of(class, 1, &ignored);
	if (is(class, BT_FIELD_CLASS_TYPE_STRUCTURE))
		return describe_struct(f, class, field, name, shape, depth);
	if (is_binary(class))
		put_head(f, name, IN_BINARY | shape, 0);
	else if (is(class, BT_FIELD_CLASS_TYPE_ARRAY))
		return describe_array(f, class, field, name, depth);
	else if (is(class, BT_FIELD_CLASS_TYPE_STRING))
		put_head(f, name, IN_STRING | shape, OUT_UTF8);
	else if (is(class, BT_FIELD_CLASS_TYPE_REAL))
		put_head(f, name, shape |
			 (is(class, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) ? 11 : 12), 0);
	else if (is(class, BT_FIELD_CLASS_TYPE_INTEGER) || is(class, BT_FIELD_CLASS_TYPE_BOOL))
		describe_number(f, class, name, shape);
	else
		return -EMSGSIZE;
	return 0;
}

/* --------------------------------------------------------------------- payload */

static int put_field(struct fields *f, const bt_field *field);

static void put_number(struct fields *f, uint64_t value, unsigned int size)
{
	etw_text_add(&f->payload, (const char *)&value, size);
}

static int put_sized(struct fields *f, const char *data, size_t size)
{
	if (size > UINT16_MAX)
		return -EMSGSIZE;
	put_number(f, size, 2);
	etw_text_add(&f->payload, data, size);
	return 0;
}

const char *field_label(const bt_field *field)
{
	bt_field_class_enumeration_mapping_label_array labels = NULL;
	uint64_t count = 0;

	if (is(bt_field_borrow_class_const(field), BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION))
		bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &count);
	else
		bt_field_enumeration_signed_get_mapping_labels(field, &labels, &count);
	return count ? labels[0] : "";
}

uint64_t field_number(const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);

	if (is(class, BT_FIELD_CLASS_TYPE_BOOL))
		return bt_field_bool_get_value(field);
	if (is(class, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return (uint64_t)bt_field_integer_signed_get_value(field);
	return bt_field_integer_unsigned_get_value(field);
}

static int put_real(struct fields *f, const bt_field *field, const bt_field_class *class)
{
	double d;
	float s;

	if (is(class, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL)) {
		s = bt_field_real_single_precision_get_value(field);
		etw_text_add(&f->payload, (const char *)&s, sizeof(s));
	} else {
		d = bt_field_real_double_precision_get_value(field);
		etw_text_add(&f->payload, (const char *)&d, sizeof(d));
	}
	return 0;
}

static int put_array(struct fields *f, const bt_field *field, const bt_field_class *class)
{
	uint64_t i, count = bt_field_array_get_length(field);
	const bool binary = is_binary(class);
	const bt_field *element;
	int err = 0;

	if (count > UINT16_MAX)
		return -EMSGSIZE;
	if (binary || !has_variant(element_of(class), 0))
		put_number(f, count, 2);
	for (i = 0; i < count && !err; i++) {
		element = bt_field_array_borrow_element_field_by_index_const(field, i);
		err = put_field(f, element);
	}
	return err;
}

static int put_members(struct fields *f, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t i, count = bt_field_class_structure_get_member_count(class);
	int err = 0;

	for (i = 0; i < count && !err; i++)
		if (!is_length(class, i))
			err = put_field(f,
				bt_field_structure_borrow_member_field_by_index_const(field, i));
	return err;
}

/* The depth is bounded: the same field has been described. */
static int put_field(struct fields *f, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);

	if (f->payload.len > ETW_RECORD_MAX)
		return -EMSGSIZE;
	if (is(class, BT_FIELD_CLASS_TYPE_VARIANT))
		return put_field(f, bt_field_variant_borrow_selected_option_field_const(field));
	if (is(class, BT_FIELD_CLASS_TYPE_STRUCTURE))
		return put_members(f, field);
	if (is(class, BT_FIELD_CLASS_TYPE_ARRAY))
		return put_array(f, field, class);
	if (is(class, BT_FIELD_CLASS_TYPE_STRING))
		return put_sized(f, bt_field_string_get_value(field),
				 bt_field_string_get_length(field));
	if (is(class, BT_FIELD_CLASS_TYPE_REAL))
		return put_real(f, field, class);
	put_number(f, field_number(field), bytes_of(class));
	return has_label(class) ? put_sized(f, field_label(field), strlen(field_label(field))) : 0;
}

int add_fields(struct fields *f, const bt_field *field)
{
	int err;

	if (!field)
		return 0;
	err = describe_members(f, bt_field_borrow_class_const(field), field, 0);
	if (!err)
		err = put_members(f, field);
	return err ? err : f->meta.error ? f->meta.error : f->payload.error;
}

void empty_fields(struct fields *f)
{
	f->meta.len = f->payload.len = 0;
	f->count = 0;
}
