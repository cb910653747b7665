/* SPDX-License-Identifier: MIT */
/*
 * value.c - read one value from the front of some bytes
 *
 * Sources: Microsoft's page "EVENT_PROPERTY_INFO structure"; for WBEMSID, "TOKEN_USER
 * structure" and what Windows writes for no user.
 */
#include <errno.h>
#include <string.h>

#include "decoder.h"

#define SID_HEAD	8	/* bytes before the sub-authorities */
#define SID_PARTS	15	/* maximum number of sub-authorities */

/* data and size are set: compute the value. */
static void set_value(struct etw_field *field)
{
	float single;

	switch (field->value_kind) {
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_HEX:
	case ETW_VALUE_BOOLEAN:
	case ETW_VALUE_TIME:
	case ETW_VALUE_ERROR:
		field->value.u = etw_load(field->data, field->size);
		break;
	case ETW_VALUE_SIGNED:
		field->value.i = etw_extend(etw_load(field->data, field->size), field->size);
		break;
	case ETW_VALUE_PORT:
		field->value.u = __builtin_bswap16((uint16_t)etw_load(field->data, 2));
		break;
	case ETW_VALUE_FLOAT:
		memcpy(&single, field->data, sizeof(single));
		field->value.f = (double)single;
		break;
	case ETW_VALUE_DOUBLE:
		memcpy(&field->value.f, field->data, sizeof(field->value.f));
		break;
	default:
		field->value.u = 0;
	}
}

static size_t nul8(const uint8_t *p, size_t left)
{
	const uint8_t *nul = left ? memchr(p, 0, left) : NULL;

	return nul ? (size_t)(nul - p) : left;
}

/* Whole units before a NUL, in bytes. */
static size_t nul16(const uint8_t *p, size_t left)
{
	size_t n = 0;

	while (left - n >= 2 && (p[n] || p[n + 1]))
		n += 2;
	return n;
}

static bool is_string(const struct etw_field *field)
{
	return field->value_kind == ETW_VALUE_STRING8 || field->value_kind == ETW_VALUE_STRING16;
}

static int too_short(struct etw_field *field, const uint8_t *p, size_t left)
{
	field->data = p;
	field->size = field->length = left;
	return -EBADMSG;
}

static int take(struct etw_field *field, const uint8_t *p, size_t left, size_t head, size_t size)
{
	if (left < head || left - head < size)
		return too_short(field, p, left);
	field->data = p + head;
	field->size = size;
	field->length = head + size;
	return 0;
}

static int take_nul(const struct etw_field_step *step, const uint8_t *p, size_t left,
		    struct etw_field *field)
{
	size_t n = step->how == ETW_HOW_NUL8 ? nul8(p, left) : nul16(p, left);

	if (!left && !(step->flags & ETW_STEP_LAST))
		return too_short(field, p, left);
	field->data = p;
	field->size = n;
	field->length = left - n >= step->size ? n + step->size : n;
	return 0;
}

/* A string padded with NULs ends at the first. */
static int take_sized(const struct etw_field_step *step, size_t length, const uint8_t *p, size_t left,
		      struct etw_field *field)
{
	int ret = take(field, p, left, 0, length * step->size);

	if (!ret && is_string(field))
		field->size = step->size == 1 ? nul8(p, field->size) : nul16(p, field->size);
	return ret;
}

static int take_counted(const struct etw_field_step *step, const uint8_t *p, size_t left,
			struct etw_field *field)
{
	size_t head = step->how == ETW_HOW_DUMP ? 4 : 2;
	uint64_t size;

	if (left < head)
		return too_short(field, p, left);
	size = etw_load(p, head);
	if (step->how == ETW_HOW_COUNTED_BE)
		size = __builtin_bswap16((uint16_t)size);
	return take(field, p, left, head, size);
}

static int take_sid(const uint8_t *p, size_t left, size_t head, struct etw_field *field)
{
	if (left < head || left - head < SID_HEAD || p[head + 1] > SID_PARTS)
		return too_short(field, p, left);
	return take(field, p, left, head, SID_HEAD + 4u * p[head + 1]);
}

/*
 * No user is four zero bytes. Some writers write zeros in place of the pointers: then a
 * SID follows, with a form that no text has.
 */
static bool has_sid(const uint8_t *p, size_t left, unsigned int pointer_size)
{
	static const uint8_t zero[2 * 8];
	const size_t head = 2 * pointer_size;
	const uint8_t *sid = p + head;

	if (left < 4 || memcmp(p, zero, 4))
		return true;
	return left >= head + SID_HEAD && !memcmp(p, zero, head) && sid[0] == 1 &&
	       sid[1] && sid[1] <= SID_PARTS && !memcmp(sid + 2, zero, 4);
}

/* TOKEN_USER, which is two pointers, and a SID; or 32 bits of 0 */
static int take_wbemsid(const uint8_t *p, size_t left, unsigned int pointer_size,
			struct etw_field *field)
{
	int ret;

	if (has_sid(p, left, pointer_size))
		return take_sid(p, left, 2 * pointer_size, field);
	ret = take(field, p, left, 4, 0);
	field->value_kind = ETW_VALUE_NONE;
	return ret;
}

/* An address is 4 or 16 bytes, a SYSTEMTIME 16; other sizes are bytes. */
static void check_size(struct etw_field *field)
{
	if (field->value_kind == ETW_VALUE_IPV6 && field->size != 16)
		field->value_kind = field->size == 4 ? ETW_VALUE_IPV4 : ETW_VALUE_BINARY;
}

static int take_bytes(const struct etw_field_step *step, size_t length, unsigned int pointer_size,
		      const uint8_t *p, size_t left, struct etw_field *field)
{
	switch (step->how) {
	case ETW_HOW_FIXED:
		return take(field, p, left, 0, step->size);
	case ETW_HOW_POINTER:
		return take(field, p, left, 0, pointer_size);
	case ETW_HOW_NUL8:
	case ETW_HOW_NUL16:
		return take_nul(step, p, left, field);
	case ETW_HOW_SIZED:
		return take_sized(step, length, p, left, field);
	case ETW_HOW_COUNTED:
	case ETW_HOW_COUNTED_BE:
	case ETW_HOW_DUMP:
		return take_counted(step, p, left, field);
	case ETW_HOW_REST:
		return take(field, p, left, 0, left - left % step->size);
	case ETW_HOW_SID:
		return take_sid(p, left, 0, field);
	case ETW_HOW_WBEMSID:
		return take_wbemsid(p, left, pointer_size, field);
	default:
		return too_short(field, p, left);
	}
}

int etw_value_read(const struct etw_field_step *step, size_t length, unsigned int pointer_size,
		   const uint8_t *p, size_t left, struct etw_field *field)
{
	int ret;

	field->value_kind = step->value_kind;
	ret = take_bytes(step, length, pointer_size, p, left, field);
	if (ret) {
		field->value_kind = ETW_VALUE_NONE;
		field->value.u = 0;
		return ret;
	}
	if (field->value_kind == ETW_VALUE_STRING16)
		field->size -= field->size % 2;
	check_size(field);
	set_value(field);
	return 0;
}

int etw_value_take(struct etw_field *field, const struct etw_value_type *type,
		   const void *data, size_t size)
{
	struct etw_mf_field how = {
		.in_type = type->in_type,
		.out_type = type->out_type ? type->out_type : etw_out_type_default(type->in_type),
		.count = 1,
		.flags = type->has_length ? ETW_MF_LENGTH_FIXED : 0,
	};
	struct etw_field_step step;

	*field = (struct etw_field){ .kind = ETW_FIELD_VALUE, .count = 1,
		.in_type = how.in_type, .out_type = how.out_type };
	etw_step_fill(&step, &how);
	if (step.how == ETW_HOW_UNKNOWN)
		return -EINVAL;
	step.flags |= ETW_STEP_LAST;
	return etw_value_read(&step, type->length, type->pointer_size == 4 ? 4 : 8, data, size,
			      field);
}
