/* SPDX-License-Identifier: MIT */
/*
 * packet.c - bits, scopes and references of CTF packets
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"

#define LOOKS	4	/* values that may be looked at for the work of a field */

int cr_fail(struct cr *r, const char *problem)
{
	if (!r->problem)
		r->problem = problem;
	return -EBADMSG;
}

int cr_spend(struct cr *r, uint32_t work)
{
	if (r->work < work)
		return cr_fail(r, "an event has too many fields");
	r->work -= work;
	return 0;
}

int cr_align(struct cr *r, uint32_t align)
{
	uint64_t at = align > 1 ? (r->at + align - 1) / align * align : r->at;

	if (at > r->end)
		return cr_fail(r, "the packet ends within a field");
	r->at = at;
	return 0;
}

/* Little-endian: the first bit is a byte's lowest; big-endian: its highest. */
static uint64_t gather(const uint8_t *data, uint64_t at, uint32_t bits, bool big_endian)
{
	uint64_t value = 0;
	uint32_t done = 0, shift, take, byte;

	while (done < bits) {
		shift = (uint32_t)(at & 7);
		take = 8 - shift < bits - done ? 8 - shift : bits - done;
		byte = data[at >> 3];
		if (big_endian)
			value = value << take |
				(byte >> (8 - shift - take) & ((1u << take) - 1));
		else
			value |= (uint64_t)(byte >> shift & ((1u << take) - 1)) << done;
		done += take;
		at += take;
	}
	return value;
}

int cr_bits(struct cr *r, const struct cm_type *type, uint64_t *value)
{
	uint32_t bits = type->bits;
	int err = cr_align(r, type->align);

	if (err)
		return err;
	if (r->end - r->at < bits)
		return cr_fail(r, "the packet ends within a field");
	if (!((r->at | bits) & 7) && !type->big_endian && r->end - r->at >= 64) {
		/* Mostly so: whole bytes, and more behind them */
		memcpy(value, r->data + r->at / 8, 8);
		if (bits < 64)
			*value &= (1ull << bits) - 1;
	} else {
		*value = gather(r->data, r->at, bits, type->big_endian);
	}
	r->at += bits;
	if (type->is_signed && bits < 64 && *value >> (bits - 1) & 1)
		*value |= ~0ull << bits;
	return 0;
}

/* ---------------------------------------------------------- values and frames */

int cr_keep(struct cr *r, const char *name, uint32_t frame, uint64_t value,
	    const struct cm_type *type)
{
	if (r->value_count == r->value_room) {
		size_t room = r->value_room ? 2 * r->value_room : 64;
		struct cr_value *values = realloc(r->values, room * sizeof(*values));

		if (!values)
			return -ENOMEM;
		r->values = values;
		r->value_room = room;
	}
	r->values[r->value_count++] = (struct cr_value){ name, frame, value, type };
	return 0;
}

/* UINT32_MAX: no memory. */
uint32_t cr_frame(struct cr *r, const char *name, uint32_t parent)
{
	if (r->frame_count == r->frame_room) {
		size_t room = r->frame_room ? 2 * r->frame_room : 16;
		struct cr_frame *frames = realloc(r->frames, room * sizeof(*frames));

		if (!frames)
			return UINT32_MAX;
		r->frames = frames;
		r->frame_room = room;
	}
	if (parent == UINT32_MAX)
		parent = (uint32_t)r->frame_count;
	r->frames[r->frame_count] = (struct cr_frame){ name, parent };
	return (uint32_t)r->frame_count++;
}

/* Is the frame where the path's names before the last lead to from base? */
static bool leads(const struct cr *r, const struct cm_path *path, uint32_t base, uint32_t frame)
{
	unsigned int i;

	for (i = path->count - 1u; i--;) {
		if (frame == base || r->frames[frame].name != path->name[i])
			return false;
		frame = r->frames[frame].parent;
	}
	return frame == base;
}

/* Values that are looked at cost work, each time. */
static const struct cr_value *find_from(struct cr *r, const struct cm_path *path, uint32_t base)
{
	size_t i;

	if (cr_spend(r, 1))
		return NULL;
	for (i = r->value_count; i--;) {
		if (!(i % LOOKS) && cr_spend(r, 1))
			return NULL;
		if (r->values[i].name == path->name[path->count - 1] &&
		    leads(r, path, base, r->values[i].frame))
			return &r->values[i];
	}
	return NULL;
}

const struct cr_value *cr_find(struct cr *r, const struct cm_path *path, uint32_t frame)
{
	const struct cr_value *value;
	int scope;

	if (!path->count)
		return NULL;
	if (path->scope < CM_SCOPES)
		return r->root[path->scope] ?
			find_from(r, path, r->root[path->scope] - 1) : NULL;
	for (;;) {
		value = find_from(r, path, frame);
		if (value || r->frames[frame].parent == frame)
			break;
		frame = r->frames[frame].parent;
	}
	for (scope = (int)r->scope; !value && scope >= 0; scope--)
		if (r->root[scope])
			value = find_from(r, path, r->root[scope] - 1);
	return value;
}

bool cr_value(const struct cr *r, enum cm_scope scope, const char *name, uint64_t *value)
{
	size_t i;

	for (i = 0; i < r->value_count && r->root[scope]; i++) {
		const char *own = r->values[i].name;

		own += own[0] == '_';
		if (r->values[i].frame != r->root[scope] - 1 || own[0] != name[0] ||
		    strcmp(own, name))
			continue;
		*value = r->values[i].value;
		return true;
	}
	return false;
}

/* Values and frames come in the order of scopes. */
void cr_forget(struct cr *r, enum cm_scope scope)
{
	unsigned int i;

	for (i = scope; i < CM_SCOPES; i++) {
		if (r->root[i] && r->root[i] - 1 < r->frame_count)
			r->frame_count = r->root[i] - 1;
		r->root[i] = 0;
	}
	while (r->value_count && r->values[r->value_count - 1].frame >= r->frame_count)
		r->value_count--;
}

int cr_scope(struct cr *r, enum cm_scope scope, const struct cm_type *type)
{
	uint32_t frame;
	int err;

	cr_forget(r, scope);
	r->scope = scope;
	r->has_role = scope == CM_PACKET_CONTEXT || scope == CM_STREAM_CONTEXT ? r->has_role : 0;
	r->work = CR_WORK;
	r->depth = 0;
	r->mute = 0;
	if (!type)
		return 0;
	frame = cr_frame(r, "", UINT32_MAX);
	if (frame == UINT32_MAX)
		return -ENOMEM;
	r->root[scope] = frame + 1;
	err = cr_align(r, type->align);
	return err ? err : cr_members(r, type, frame);
}

void cr_free(struct cr *r)
{
	free(r->values);
	free(r->frames);
	etw_text_free(&r->context.meta);
	etw_text_free(&r->context.payload);
	etw_text_free(&r->fields.meta);
	etw_text_free(&r->fields.payload);
}
