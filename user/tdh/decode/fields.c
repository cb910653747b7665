/* SPDX-License-Identifier: MIT */
/*
 * fields.c - walk through an event's fields in the order of the payload; a field's path
 *
 * The decoder holds the position as a stack of levels, one for each open structure or
 * array. Each call takes one step. The payload's size limits the number of steps: each
 * step costs one of decoder->work.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "decoder.h"
#include "base/text.h"

/* Steps per byte of the payload: a byte may be in several structures */
#define WORK_PER_BYTE	16
#define WORK_ALWAYS	1024
#define WORK_PER_FIELD	4

void etw_decode_rewind(struct etw_decoder *decoder)
{
	const struct etw_mf_template *template = decoder->plan ? decoder->plan->template : NULL;

	if (decoder->is_fresh)
		return;
	decoder->is_fresh = true;
	decoder->at = 0;
	decoder->depth = 0;
	decoder->ended = !template;
	if (!template)
		return;
	decoder->levels[0] = (struct etw_level){ .end = UINT16_MAX };
	if (template->top < UINT16_MAX)
		decoder->levels[0].end = (uint16_t)template->top;
	decoder->work = WORK_ALWAYS + WORK_PER_BYTE * decoder->size +
		WORK_PER_FIELD * template->count;
	if (decoder->plan->keeps)
		memset(decoder->kept, 0, template->count * sizeof(*decoder->kept));
}

const void *etw_decode_rest(const struct etw_decoder *decoder, size_t *size)
{
	*size = decoder->size - decoder->at;
	return decoder->data + decoder->at;
}

/* Fill in what all parts of a field have in common. */
static inline __attribute__((always_inline))
void begin_field(const struct etw_decoder *d, struct etw_field *out, unsigned int index,
			enum etw_field_kind kind, const struct etw_level *level)
{
	const struct etw_mf_field *field = &d->plan->template->fields[index];

	out->kind = kind;
	out->value_kind = ETW_VALUE_NONE;
	out->name = field->name;
	out->depth = d->depth;
	out->position = index;
	out->index = level && level->is_array ? level->index : 0;
	out->count = 1;
	out->in_type = field->in_type;
	out->out_type = field->out_type;
	out->tags = field->tags;
	out->data = d->data + d->at;
	out->size = 0;
	out->offset = d->at;
	out->length = 0;
	out->value.u = 0;
	out->map = d->plan->steps[index].map;
}

/* The field's end is not in the payload. */
static int fail(struct etw_decoder *d, struct etw_field *out)
{
	d->ended = -EBADMSG;
	out->kind = ETW_FIELD_VALUE;
	out->value_kind = ETW_VALUE_NONE;
	out->size = out->length = d->size - d->at;
	out->data = d->data + d->at;
	return -EBADMSG;
}

/* levels[0] is the top level, at depth 0. */
static struct etw_level *push(struct etw_decoder *d)
{
	return d->depth + 1 < ETW_LEVELS ? &d->levels[++d->depth] : NULL;
}

static int begin_struct(struct etw_decoder *d, struct etw_field *out, unsigned int index)
{
	const struct etw_mf_field *field = &d->plan->template->fields[index];
	struct etw_level *level = push(d);

	if (!level)
		return fail(d, out);
	*level = (struct etw_level){
		.next = field->first, .end = (uint16_t)(field->first + field->members),
		.field = (uint16_t)index, .index = out->index, .start = d->at,
	};
	out->kind = ETW_FIELD_STRUCT_BEGIN;
	return 1;
}

static int begin_array(struct etw_decoder *d, struct etw_field *out, unsigned int index)
{
	const struct etw_mf_field *field = &d->plan->template->fields[index];
	struct etw_level *level;
	size_t start = d->at;
	uint32_t count;
	uint16_t inlined;

	if (field->flags & ETW_MF_COUNT_FIELD) {
		count = d->kept[field->count];
	} else if (!(field->flags & ETW_MF_COUNT_INLINE)) {
		count = field->count;
	} else {
		if (d->size - d->at < sizeof(inlined))
			return fail(d, out);
		memcpy(&inlined, d->data + d->at, sizeof(inlined));
		d->at += sizeof(inlined);
		count = inlined;
	}
	level = push(d);
	if (!level)
		return fail(d, out);
	*level = (struct etw_level){
		.is_array = true, .field = (uint16_t)index, .left = count, .count = count,
		.start = start,
	};
	out->kind = ETW_FIELD_ARRAY_BEGIN;
	out->count = count;
	return 1;
}

static size_t length_of(const struct etw_decoder *d, const struct etw_mf_field *field)
{
	return field->flags & ETW_MF_LENGTH_FIELD ? d->kept[field->length] : field->length;
}

/* Lengths and counts are not negative, and no payload has 4 GB. */
static uint32_t as_length(const struct etw_field *field)
{
	if (field->value_kind == ETW_VALUE_SIGNED && field->value.i < 0)
		return UINT32_MAX;
	return field->value.u > UINT32_MAX ? UINT32_MAX : (uint32_t)field->value.u;
}

/* Plain numbers, as in most fields; false: not a number, or incomplete. */
static inline bool take_number(struct etw_decoder *d, struct etw_field *out,
			       const struct etw_field_step *step)
{
	if (step->how != ETW_HOW_FIXED || d->size - d->at < step->size)
		return false;
	if (step->value_kind == ETW_VALUE_UNSIGNED || step->value_kind == ETW_VALUE_HEX)
		out->value.u = etw_load(d->data + d->at, step->size);
	else if (step->value_kind == ETW_VALUE_SIGNED)
		out->value.i = etw_extend(etw_load(d->data + d->at, step->size), step->size);
	else
		return false;
	out->value_kind = step->value_kind;
	out->size = out->length = step->size;
	d->at += step->size;
	return true;
}

static inline int take_value(struct etw_decoder *d, struct etw_field *out, unsigned int index)
{
	const struct etw_field_step *step = &d->plan->steps[index];
	size_t length = 0;

	if (!(step->flags & ETW_STEP_KEEP) && take_number(d, out, step))
		return 1;
	if (step->how == ETW_HOW_SIZED)
		length = length_of(d, &d->plan->template->fields[index]);
	if (etw_value_read(step, length, d->pointer_size, d->data + d->at, d->size - d->at, out))
		return fail(d, out);
	d->at += out->length;
	if (step->flags & ETW_STEP_KEEP)
		d->kept[index] = as_length(out);
	return 1;
}

/* Take one element of an array, or a field that is not an array */
static inline int take_one(struct etw_decoder *d, struct etw_field *out, unsigned int index)
{
	switch (d->plan->steps[index].how) {
	case ETW_HOW_STRUCT:
		return begin_struct(d, out, index);
	case ETW_HOW_UNKNOWN:
		return fail(d, out);
	default:
		return take_value(d, out, index);
	}
}

static int end_level(struct etw_decoder *d, struct etw_field *out, enum etw_field_kind kind)
{
	const struct etw_level *level = &d->levels[d->depth];

	d->depth--;
	begin_field(d, out, level->field, kind, NULL);
	out->index = level->is_array ? 0 : level->index;
	out->count = level->is_array ? level->count : 1;
	out->offset = level->start;
	out->length = d->at - level->start;
	out->data = d->data + level->start;
	return 1;
}

int etw_decode_next(struct etw_decoder *d, struct etw_field *out)
{
	struct etw_level *level = &d->levels[d->depth];
	unsigned int index;
	int ret;

	if (d->ended)
		return 0;
	if (!d->depth && level->next < level->end && etw_decode_plain(d, out))
		return 1;
	d->is_fresh = false;
	if (__builtin_expect(level->is_array, 0)) {
		if (!level->left)
			return end_level(d, out, ETW_FIELD_ARRAY_END);
		begin_field(d, out, level->field, ETW_FIELD_VALUE, level);
		if (!d->work--)
			return fail(d, out);
		ret = take_one(d, out, level->field);
		level->left--;
		level->index++;
		return ret;
	}
	if (level->next == level->end) {
		if (d->depth)
			return end_level(d, out, ETW_FIELD_STRUCT_END);
		d->ended = 1;
		return 0;
	}
	index = level->next++;
	begin_field(d, out, index, ETW_FIELD_VALUE, level);
	if (!d->work--)
		return fail(d, out);
	if (d->plan->steps[index].flags & ETW_STEP_ARRAY)
		return begin_array(d, out, index);
	return take_one(d, out, index);
}

static void add_part(struct etw_path_part *parts, unsigned int *count, bool is_element,
		     const char *name, unsigned int index)
{
	if (!is_element) {
		parts[(*count)++] = (struct etw_path_part){ name, false, 0 };
		return;
	}
	parts[*count - 1].indexed = true;
	parts[*count - 1].index = index;
}

/*
 * levels[1] to levels[depth] are open around a field at that depth; a field that has
 * just begun is one level higher.
 */
unsigned int etw_field_path(const struct etw_decoder *d, const struct etw_field *field,
			    struct etw_path_part parts[ETW_LEVELS])
{
	unsigned int depth = field->depth < d->depth ? field->depth : d->depth, count = 0, i;
	const struct etw_level *level = d->levels;

	for (i = 1; i <= depth; i++, level++)
		add_part(parts, &count, level->is_array,
			 d->plan->template->fields[level[1].field].name, level[1].index);
	add_part(parts, &count, level->is_array, field->name, field->index);
	return count;
}

void etw_decode_path(struct etw_text *text, const struct etw_decoder *decoder,
		     const struct etw_field *field, ULONG flags)
{
	struct etw_path_part parts[ETW_LEVELS];
	unsigned int count, i;

	if (!decoder->plan || !decoder->plan->template)
		return;
	count = etw_field_path(decoder, field, parts);
	for (i = 0; i < count; i++) {
		if (i)
			etw_text_char(text, '.');
		if (flags & ETW_FORMAT_RAW)
			etw_text_utf8(text, parts[i].name, strlen(parts[i].name));
		else
			etw_text_escape(text, parts[i].name, strlen(parts[i].name));
		if (parts[i].indexed)
			etw_text_printf(text, "[%" PRIu32 "]", parts[i].index);
	}
}
