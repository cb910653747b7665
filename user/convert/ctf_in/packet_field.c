/* SPDX-License-Identifier: MIT */
/*
 * packet_field.c - fields of CTF, read and handed on as those of TraceLogging
 *
 * Recursion is bounded by CR_DEPTH, and all that is done for an event by CR_WORK.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/ctf/ctf.h"
#include "packet.h"

#define ELEMENTS_APART	256	/* of an array that becomes a field for each */

const char *cr_label(const struct cm_type *type, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < type->label_count; i++) {
		const struct cm_label *l = &type->labels[i];

		if (type->is_signed ? (int64_t)value >= (int64_t)l->low &&
		    (int64_t)value <= (int64_t)l->high : value >= l->low && value <= l->high)
			return l->name;
	}
	return NULL;
}

/* A time stamp of fewer bits is the next one that ends so. */
static void take_time(struct cr *r, const struct cm_type *type, uint64_t value)
{
	uint64_t mask = type->bits < 64 ? (1ull << type->bits) - 1 : ~0ull;
	uint64_t now = (r->now & ~mask) | (value & mask);

	if (type->bits < 64 && (value & mask) < (r->now & mask))
		now += mask + 1;
	r->now = now;
	r->clock = type->clock;
}

static void take_role(struct cr *r, const struct cm_type *type, const struct cm_member *member,
		      uint64_t value)
{
	unsigned int role = type->role;

	if (!r->meta->is_ctf2 && r->scope <= CM_EVENT_HEADER && member)
		role = member->role;
	if (role) {
		r->role[role] = value;
		r->has_role |= 1u << role;
	}
	/* The end of a packet is not the time of anything in it. */
	if (type->clock && role != CM_END && r->scope <= CM_EVENT_HEADER)
		take_time(r, type, value);
}

static void keep_label(struct cr *r, const struct cm_member *member, const char *label)
{
	if (r->scope == CM_STREAM_CONTEXT && member && label && !strcmp(member->shown, "provider"))
		snprintf(r->provider, sizeof(r->provider), "%s", label);
}

static int read_int(struct cr *r, const struct cm_type *type, const struct cm_member *member,
		    const char *shown, uint32_t frame)
{
	const char *label = NULL;
	uint64_t value;
	int err = cr_bits(r, type, &value);

	if (err)
		return err;
	take_role(r, type, member, value);
	/* Elements of arrays cannot be referred to. */
	if (member) {
		err = cr_keep(r, member->name, frame, value, type);
		if (err)
			return err;
	}
	if (type->labels) {
		err = cr_spend(r, type->label_count / 16);
		label = err ? NULL : cr_label(type, value);
		keep_label(r, member, label);
	}
	if (err || !r->half || (member && member->is_length))
		return err;
	if (!r->mute)
		err = cr_describe(r, type, shown, false, 0);
	if (!err)
		err = cr_put_number(r, type, value);
	if (!err && type->labels && !cr_is_bool(type))
		err = cr_put_sized(r, label ? label : "", label ? strlen(label) : 0);
	return err;
}

static int read_float(struct cr *r, const struct cm_type *type, const char *shown)
{
	uint64_t value;
	int err = cr_bits(r, type, &value);

	if (err || !r->half)
		return err;
	if (!r->mute)
		err = cr_describe(r, type, shown, false, 0);
	ctf_put_number(&r->half->payload, value, type->bits / 8);
	return err;
}

static void keep_text(struct cr *r, const char *shown, const char *text, size_t len)
{
	char *to = !strcmp(shown, "activity") ? r->activity :
		   !strcmp(shown, "related_activity") ? r->related : NULL;

	if (r->scope == CM_EVENT_CONTEXT && to && len < CR_TEXT) {
		memcpy(to, text, len);
		to[len] = '\0';
	}
}

static int read_string(struct cr *r, const struct cm_type *type, const char *shown)
{
	const char *text, *nul;
	int err = cr_align(r, 8);

	if (err)
		return err;
	text = (const char *)r->data + r->at / 8;
	nul = r->end > r->at ? memchr(text, 0, (r->end - r->at) / 8) : NULL;
	if (!nul)
		return cr_fail(r, "a string does not end within the packet");
	r->at += 8 * (uint64_t)(nul - text + 1);
	keep_text(r, shown, text, (size_t)(nul - text));
	if (!r->half)
		return 0;
	if (!r->mute)
		err = cr_describe(r, type, shown, false, 0);
	return err ? err : cr_put_sized(r, text, (size_t)(nul - text));
}

/* Bytes or characters, all at once */
static int read_block(struct cr *r, const struct cm_type *type, const char *shown, uint64_t count)
{
	const char *data;
	size_t size;
	int err = cr_align(r, type->align > 8 ? type->align : 8);

	if (err)
		return err;
	if (count > (r->end - r->at) / 8)
		return cr_fail(r, "the packet ends within a field");
	data = (const char *)r->data + r->at / 8;
	r->at += 8 * count;
	if (!r->half)
		return 0;
	size = cr_is_text(type) ? strnlen(data, (size_t)count) : (size_t)count;
	if (!r->mute)
		err = cr_describe(r, type, shown, false, 0);
	return err ? err : cr_put_sized(r, data, size);
}

/* Each element as a field of its own */
static int read_apart(struct cr *r, const struct cm_type *type, const char *shown, uint64_t count,
		      uint32_t frame)
{
	char name[256];
	uint64_t i;
	int err = 0;

	if (count > ELEMENTS_APART)
		return cr_fail(r, "an array of variants is too long");
	for (i = 0; i < count && !err; i++) {
		snprintf(name, sizeof(name), "%.200s_%u", shown, (unsigned int)i);
		err = cr_field(r, type->element, NULL, name, frame);
	}
	return err;
}

static int read_elements(struct cr *r, const struct cm_type *type, const char *shown,
			 uint64_t count, uint32_t frame)
{
	uint64_t i;
	int err = 0;

	if (r->half) {
		if (count > UINT16_MAX)
			return cr_fail(r, "an array is too long for an event");
		if (!r->mute)
			err = cr_describe(r, type, shown, false, 0);
		if (err)
			return err;
		ctf_put_number(&r->half->payload, count, 2);
	}
	r->mute++;
	for (i = 0; i < count && !err; i++) {
		size_t values = r->value_count, frames = r->frame_count;

		err = cr_spend(r, 1);
		if (!err)
			err = cr_field(r, type->element, NULL, shown, frame);
		/* What an element has is of nobody else. */
		r->value_count = values;
		r->frame_count = frames;
	}
	r->mute--;
	return err;
}

static int read_array(struct cr *r, const struct cm_type *type, const char *shown, uint32_t frame)
{
	uint64_t count = type->count;
	const struct cr_value *value;
	int err;

	if (type->kind == CM_SEQUENCE) {
		value = cr_find(r, &type->path, frame);
		if (!value)
			return cr_fail(r, "the length of a sequence is not there");
		count = value->value;
	}
	if (cr_is_binary(type) || cr_is_text(type))
		return read_block(r, type, shown, count);
	err = cr_align(r, type->align);
	if (err)
		return err;
	if (r->half && !r->mute && type->has_variant)
		return read_apart(r, type, shown, count, frame);
	return read_elements(r, type, shown, count, frame);
}

static int read_variant(struct cr *r, const struct cm_type *type, const char *shown,
			uint32_t frame)
{
	const struct cr_value *value = cr_find(r, &type->path, frame);
	const char *label;
	uint32_t i;
	int err;

	if (!value || !value->type->labels)
		return cr_fail(r, "the tag of a variant is not there");
	err = cr_spend(r, value->type->label_count / 16 + type->member_count / 16);
	if (err)
		return err;
	label = cr_label(value->type, value->value);
	for (i = 0; label && i < type->member_count; i++)
		if (type->members[i].name == label || !strcmp(type->members[i].shown, label))
			return cr_field(r, type->members[i].type, NULL, shown, frame);
	return cr_fail(r, "a variant has no such option");
}

int cr_members(struct cr *r, const struct cm_type *type, uint32_t frame)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < type->member_count && !err; i++) {
		err = cr_spend(r, 1);
		if (!err)
			err = cr_field(r, type->members[i].type, &type->members[i],
				       type->members[i].shown, frame);
	}
	return err;
}

/* A structure's head says how many fields follow, which is known behind them. */
static int read_struct(struct cr *r, const struct cm_type *type, const struct cm_member *member,
		       const char *shown, uint32_t parent)
{
	bool describe = r->half && !r->mute;
	uint32_t frame, fields = 0;
	size_t at = 0;
	int err = cr_align(r, type->align);

	if (err)
		return err;
	frame = cr_frame(r, member ? member->name : "", parent);
	if (frame == UINT32_MAX)
		return -ENOMEM;
	if (describe) {
		etw_text_puts(&r->half->meta, shown);
		etw_text_add(&r->half->meta, "\0\x98\0", 3);
		at = r->half->meta.len - 1;
		fields = r->half->fields;
		r->half->fields = 0;
	}
	err = cr_members(r, type, frame);
	if (!describe || err)
		return err;
	if (r->half->fields > 127)
		return cr_fail(r, "a structure has more fields than one of TraceLogging may have");
	if (!r->half->meta.error)
		r->half->meta.data[at] = (char)r->half->fields;
	r->half->fields = fields + 1;
	return 0;
}

int cr_field(struct cr *r, const struct cm_type *type, const struct cm_member *member,
	     const char *shown, uint32_t frame)
{
	int err;

	if (r->depth == CR_DEPTH)
		return cr_fail(r, "structures are too deep in each other");
	r->depth++;
	switch (type->kind) {
	case CM_INT:
		err = read_int(r, type, member, shown, frame);
		break;
	case CM_FLOAT:
		err = read_float(r, type, shown);
		break;
	case CM_STRING:
		err = read_string(r, type, shown);
		break;
	case CM_STRUCT:
		err = read_struct(r, type, member, shown, frame);
		break;
	case CM_VARIANT:
		err = read_variant(r, type, shown, frame);
		break;
	default:
		err = read_array(r, type, shown, frame);
	}
	r->depth--;
	if (!err && r->half && (r->half->meta.error || r->half->payload.error))
		err = -ENOMEM;
	return err;
}
