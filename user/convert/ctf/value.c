/* SPDX-License-Identifier: MIT */
/*
 * value.c - an event's values, as its class says
 */
#include <string.h>

#include "ctf.h"

void ctf_put_number(struct etw_text *to, uint64_t value, size_t size)
{
	char *at = etw_text_room(to, sizeof(value));

	if (!at)
		return;
	memcpy(at, &value, sizeof(value));
	etw_text_end(to, at + size);
}

void ctf_put_text(struct etw_text *to, const char *text, size_t len)
{
	const char *nul;

	while ((nul = len ? memchr(text, 0, len) : NULL)) {
		etw_text_add(to, text, (size_t)(nul - text));
		etw_text_puts(to, "\xE2\x90\x80");
		len -= (size_t)(nul - text) + 1;
		text = nul + 1;
	}
	etw_text_add(to, len ? text : "", len);
	etw_text_char(to, '\0');
}

void ctf_put_bytes(struct etw_text *to, const void *data, size_t size)
{
	ctf_put_number(to, size, 4);
	if (size)
		etw_text_add(to, data, size);
}

static void put_text(struct etw_text *to, const struct etw_field *field)
{
	size_t start = to->len;
	struct etw_text copy = { .data = NULL };

	/* Mostly there is no NUL in it, and it can stay where it is. */
	etw_format_value(to, field, ETW_FORMAT_RAW);
	if (to->len == start || !memchr(to->data + start, 0, to->len - start)) {
		etw_text_char(to, '\0');
		return;
	}
	etw_text_add(&copy, to->data + start, to->len - start);
	etw_text_cut(to, start);
	ctf_put_text(to, copy.data ? copy.data : "", copy.len);
	if (copy.error)
		to->error = copy.error;
	etw_text_free(&copy);
}

static void put_value(struct etw_text *to, const struct ctf_node *node,
		      const struct etw_field *field)
{
	float f;

	switch (node->type) {
	case CTF_INT:
		ctf_put_number(to, field->value.u, node->size);
		break;
	case CTF_FLOAT:
		f = (float)field->value.f;
		etw_text_add(to, (const char *)&f, sizeof(f));
		break;
	case CTF_DOUBLE:
		etw_text_add(to, (const char *)&field->value.f, sizeof(field->value.f));
		break;
	case CTF_TEXT:
		put_text(to, field);
		break;
	default:
		ctf_put_bytes(to, field->data, field->size);
	}
}

/* The field at *at, and all that is in it; *at: behind it. */
static void put(struct etw_text *to, const struct ctf_shape *shape, uint32_t index, size_t *at)
{
	const struct ctf_node *node = &shape->nodes[index];
	const struct etw_field *field = &shape->fields[(*at)++];
	uint32_t child;

	if (node->type == CTF_STRUCT) {
		for (child = node->first; child; child = shape->nodes[child].next)
			put(to, shape, child, at);
		++*at;
	} else if (node->type == CTF_ARRAY) {
		ctf_put_number(to, field->count, 4);
		while (shape->fields[*at].kind != ETW_FIELD_ARRAY_END)
			put(to, shape, node->first, at);
		++*at;
	} else {
		put_value(to, node, field);
	}
}

void ctf_put_fields(struct etw_text *to, const struct ctf_shape *shape)
{
	uint32_t child;
	size_t at = 0;

	for (child = shape->nodes[0].first; child; child = shape->nodes[child].next)
		put(to, shape, child, &at);
	if (shape->rest_size)
		ctf_put_bytes(to, shape->rest, shape->rest_size);
}
