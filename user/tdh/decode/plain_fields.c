/* SPDX-License-Identifier: MIT */
/*
 * plain_fields.c - most fields, from the payload straight to text
 *
 * Numbers and strings of the top level are what most events consist of. They need neither
 * a struct etw_field nor levels. Whatever is not plain is left to format.c, with the
 * decoder before it: structures, arrays, maps, strings with escapes, fields that end too
 * early.
 */
#include "plain_fields.h"

struct cursor {
	const uint8_t *p, *end;		/* the rest of the payload */
	char *to;			/* the end of the text */
};

/* An integer of 1, 2, 4 or 8 bytes */
static inline uint64_t take(const struct cursor *c, size_t size)
{
	uint64_t value;

	if (c->end - c->p < 8)
		return etw_load(c->p, size);
	memcpy(&value, c->p, 8);
	return value & (~0ull >> (64 - 8 * size));
}

static inline void put_signed(struct cursor *c, size_t size)
{
	int64_t number = etw_extend(take(c, size), size);

	if (number < 0)
		*c->to++ = '-';
	c->to = etw_text_digits(c->to, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

static inline void put_hex(struct cursor *c, size_t size, bool json)
{
	if (json)
		*c->to++ = '"';
	c->to = etw_text_digits_0x(c->to, take(c, size));
	if (json)
		*c->to++ = '"';
}

/* A value's bytes, and what follows them that belongs to it */
struct string {
	const uint8_t *p;
	size_t size, after;
};

/* false: its end is not in the payload. */
static inline bool find_string(const struct cursor *c, unsigned int plain, struct string *s)
{
	const size_t left = (size_t)(c->end - c->p);
	const uint8_t *nul;

	s->p = c->p;
	s->after = 0;
	switch (plain) {
	case ETW_PLAIN_NUL8:
		nul = left ? memchr(c->p, 0, left) : NULL;
		s->size = nul ? (size_t)(nul - c->p) : 0;
		s->after = 1;
		return nul;
	case ETW_PLAIN_NUL16:
		s->after = 2;
		for (s->size = 0; left - s->size >= 2; s->size += 2)
			if (!etw_load(c->p + s->size, 2))
				return true;
		return false;
	default:
		if (left < 2)
			return false;
		s->size = etw_load(c->p, 2);
		s->p += 2;
		return s->size <= left - 2;
	}
}

/* false: it needs escapes. */
static inline bool put_string(struct cursor *c, const struct string *s, bool wide)
{
	char *to = c->to;

	*to++ = '"';
	to = wide ? etw_text_copy_plain16(to, s->p, s->size & ~(size_t)1) :
		    etw_text_copy_plain(to, (const char *)s->p, s->size);
	if (!to)
		return false;
	*to++ = '"';
	c->to = to;
	c->p = s->p + s->size + s->after;
	return true;
}

/* Set the parts of a field that are the same for all values of the top level. */
static inline void begin_field(const struct etw_decoder *d, struct etw_field *out,
			       unsigned int index, const struct etw_field_step *step)
{
	const struct etw_mf_field *field = &d->plan->template->fields[index];

	out->kind = ETW_FIELD_VALUE;
	out->value_kind = step->value_kind;
	out->name = field->name;
	out->depth = 0;
	out->position = index;
	out->index = 0;
	out->count = 1;
	out->in_type = field->in_type;
	out->out_type = field->out_type;
	out->tags = field->tags;
	out->offset = d->at;
	out->map = NULL;
}

bool etw_decode_plain(struct etw_decoder *d, struct etw_field *out)
{
	const struct cursor c = { .p = d->data + d->at, .end = d->data + d->size };
	struct etw_level *level = &d->levels[0];
	const struct etw_field_step *step;
	struct string s;

	if (!d->work)
		return false;
	step = &d->plan->steps[level->next];
	if (step->plain >= ETW_PLAIN_COUNTED8) {
		if (!find_string(&c, step->plain, &s))
			return false;
		out->data = s.p;
		out->size = step->value_kind == ETW_VALUE_STRING16 ? s.size & ~(size_t)1 : s.size;
		out->length = (size_t)(s.p - c.p) + s.size + s.after;
		out->value.u = 0;
	} else {
		out->size = step->plain == ETW_PLAIN_POINTER ? d->pointer_size : step->size;
		if (!step->plain || (size_t)(c.end - c.p) < out->size)
			return false;
		out->data = c.p;
		out->length = out->size;
		out->value.u = take(&c, out->size);
		if (step->plain == ETW_PLAIN_SIGNED)
			out->value.i = etw_extend(out->value.u, out->size);
	}
	begin_field(d, out, level->next, step);
	d->at += out->length;
	d->work--;
	d->is_fresh = false;
	level->next++;
	return true;
}

unsigned int etw_decode_numbers(const struct etw_decoder *d, uint64_t *numbers, unsigned int count)
{
	const struct etw_mf_template *template = d->plan ? d->plan->template : NULL;
	struct cursor c = { .p = d->data, .end = d->data + d->size };
	const struct etw_field_step *step;
	struct string s;
	unsigned int i;
	size_t size;

	for (i = 0; template && i < count && i < template->top; i++) {
		step = &d->plan->steps[i];
		if (step->plain >= ETW_PLAIN_COUNTED8) {
			if (!find_string(&c, step->plain, &s))
				break;
			numbers[i] = 0;
			c.p = s.p + s.size + s.after;
			continue;
		}
		size = step->plain == ETW_PLAIN_POINTER ? d->pointer_size : step->size;
		if (!step->plain || (size_t)(c.end - c.p) < size)
			break;
		numbers[i] = take(&c, size);
		if (step->plain == ETW_PLAIN_SIGNED)
			numbers[i] = (uint64_t)etw_extend(numbers[i], size);
		c.p += size;
	}
	return i;
}

/* Add a field's label and value, and pass it; false: it is not plain. */
static inline __attribute__((always_inline))
bool put_field(struct etw_text *text, struct cursor *c, const struct etw_field_step *step,
	       const char *label, size_t len, size_t pointer_size, const bool json)
{
	size_t size = step->plain == ETW_PLAIN_POINTER ? pointer_size : step->size;
	struct string s = { .size = 0 };

	if (step->plain >= ETW_PLAIN_COUNTED8) {
		if (!find_string(c, step->plain, &s))
			return false;
	} else if ((size_t)(c->end - c->p) < size) {
		return false;
	}
	c->to = etw_text_room(text, len + s.size + ETW_TEXT_DIGITS + 2);
	if (!c->to)
		return false;
	c->to = etw_text_copy(c->to, label, len);
	switch (step->plain) {
	case ETW_PLAIN_UNSIGNED:
		c->to = etw_text_digits(c->to, take(c, size));
		break;
	case ETW_PLAIN_SIGNED:
		put_signed(c, size);
		break;
	case ETW_PLAIN_HEX:
	case ETW_PLAIN_POINTER:
		put_hex(c, size, json);
		break;
	default:
		return put_string(c, &s, step->plain == ETW_PLAIN_COUNTED16 ||
					 step->plain == ETW_PLAIN_NUL16);
	}
	c->p += size;
	return true;
}

static inline __attribute__((always_inline))
void put_plain(struct etw_text *text, struct etw_decoder *d, size_t start, bool *begun,
	       const bool json)
{
	struct cursor c = { .p = d->data + d->at, .end = d->data + d->size };
	const struct etw_field_step *step, *first;
	struct etw_level *level = &d->levels[0];
	const char *label;
	size_t len;

	if (d->depth || d->ended)
		return;
	first = d->plan->steps + level->next;
	for (step = first; level->next < level->end && d->work; level->next++, step++, d->work--) {
		if (!step->plain || (!json && step->hidden) || text->len - start > ETW_FORMAT_MAX)
			break;
		label = d->plan->labels + step->label + (json ? step->label_len : 0) + !*begun;
		len = (json ? step->json_len : step->label_len) - !*begun;
		if (!put_field(text, &c, step, label, len, d->pointer_size, json))
			break;
		text->len = (size_t)(c.to - text->data);
		*begun = true;
	}
	if (step == first)
		return;
	text->data[text->len] = '\0';
	d->at = (size_t)(c.p - d->data);
	d->is_fresh = false;
}

void etw_format_plain_text(struct etw_text *text, struct etw_decoder *d, size_t start, bool *begun)
{
	put_plain(text, d, start, begun, false);
}

void etw_format_plain_json(struct etw_text *text, struct etw_decoder *d, size_t start, bool *begun)
{
	put_plain(text, d, start, begun, true);
}
