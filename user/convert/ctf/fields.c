/* SPDX-License-Identifier: MIT */
/*
 * fields.c - the fields of an event: their shape, and their values in the stream
 *
 * Recursion goes as deep as structures and arrays are nested, which the decoder limits to
 * 33 levels.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"
#include "tdh/decode/decoder.h"

#define FIELDS_MAX	(1u << 20)	/* beyond that, the payload becomes bytes */

static bool is_int_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void node_of(struct ctf_node *node, const struct etw_field *field)
{
	*node = (struct ctf_node){ .type = CTF_TEXT, .size = (uint8_t)field->size };
	switch (field->value_kind) {
	case ETW_VALUE_SIGNED:
		node->is_signed = true;
		node->type = CTF_INT;
		break;
	case ETW_VALUE_ERROR:
		node->is_hex = field->out_type == TDH_OUTTYPE_NTSTATUS ||
			       field->out_type == TDH_OUTTYPE_HRESULT;
		node->type = CTF_INT;
		break;
	case ETW_VALUE_HEX:
	case ETW_VALUE_BOOLEAN:
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_PORT:
		node->is_hex = field->value_kind == ETW_VALUE_HEX;
		node->is_bool = field->value_kind == ETW_VALUE_BOOLEAN;
		node->type = CTF_INT;
		break;
	case ETW_VALUE_FLOAT:
		node->type = CTF_FLOAT;
		break;
	case ETW_VALUE_DOUBLE:
		node->type = CTF_DOUBLE;
		break;
	case ETW_VALUE_BINARY:
	case ETW_VALUE_NONE:
		node->type = CTF_BYTES;
		break;
	default:
		break;
	}
	if (node->type == CTF_INT && !is_int_size(field->size))
		node->type = CTF_BYTES;
	if (node->type == CTF_INT && field->map)
		node->map = field->map;
	if (node->type != CTF_INT)
		node->size = 0;
}

/* Make room for one more in a list of so many; it may move. */
static void *grow(struct ctf_shape *shape, void *list, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;

	if (count < *room)
		return list;
	list = reallocarray(list, more, size);
	if (list)
		*room = more;
	else
		shape->no_memory = true;
	return list;
}

static bool keep_field(struct ctf_shape *shape, const struct etw_field *field)
{
	struct etw_field *fields = grow(shape, shape->fields, shape->count, &shape->room,
					sizeof(*fields));

	if (!fields)
		return false;
	shape->fields = fields;
	shape->fields[shape->count++] = *field;
	return true;
}

/* Nodes move when there are more of them, so they are referred to by index. */
static uint32_t new_node(struct ctf_shape *shape, const struct ctf_node *from)
{
	struct ctf_node *nodes = grow(shape, shape->nodes, shape->node_count, &shape->node_room,
				      sizeof(*nodes));

	if (!nodes)
		return 0;
	shape->nodes = nodes;
	shape->nodes[shape->node_count] = *from;
	return (uint32_t)shape->node_count++;
}

static uint32_t build(struct ctf_shape *shape, size_t *at);

/*
 * Make one shape for all elements of an array.  They may differ in arrays that are empty in
 * some elements, and in values without data; types that do not agree become text.
 */
static void merge(struct ctf_shape *shape, uint32_t into, uint32_t from)
{
	struct ctf_node *a = &shape->nodes[into], *b = &shape->nodes[from];
	uint32_t i, j, next = a->next;

	if (a->type == CTF_UNKNOWN) {
		*a = *b;
		a->next = next;
	} else if (b->type == CTF_UNKNOWN) {
		return;
	} else if (a->type == CTF_STRUCT || a->type == CTF_ARRAY) {
		for (i = a->first, j = b->first; i && j;
		     i = shape->nodes[i].next, j = shape->nodes[j].next)
			merge(shape, i, j);
	} else if (a->type != b->type || a->size != b->size || a->is_signed != b->is_signed) {
		a->type = CTF_TEXT;
		a->size = 0;
		a->is_signed = a->is_hex = a->is_bool = false;
		a->map = NULL;
	}
}

/* fields[*at] is the first element, or the end of the array. */
static void build_elements(struct ctf_shape *shape, size_t *at, uint32_t array)
{
	size_t mark;
	uint32_t element = 0, more;

	while (shape->fields[*at].kind != ETW_FIELD_ARRAY_END && !shape->no_memory) {
		mark = shape->node_count;
		more = build(shape, at);
		if (!element) {
			element = more;
			continue;
		}
		merge(shape, element, more);
		/* merge() may have taken over nodes behind the mark. */
		if (shape->nodes[more].type != CTF_STRUCT && shape->nodes[more].type != CTF_ARRAY)
			shape->node_count = mark;
	}
	if (!element)
		element = new_node(shape, &(struct ctf_node){ .type = CTF_UNKNOWN });
	if (shape->no_memory)
		return;
	shape->nodes[element].name = NULL;
	shape->nodes[element].name_len = 0;
	shape->nodes[array].first = element;
	++*at;
}

static void build_members(struct ctf_shape *shape, size_t *at, uint32_t parent, size_t end)
{
	uint32_t last = 0, node;

	while (*at < end && shape->fields[*at].kind != ETW_FIELD_STRUCT_END && !shape->no_memory) {
		node = build(shape, at);
		if (shape->no_memory)
			return;
		if (last)
			shape->nodes[last].next = node;
		else
			shape->nodes[parent].first = node;
		last = node;
	}
	++*at;
}

/* Make the nodes of a field and of its members; *at moves behind it. */
static uint32_t build(struct ctf_shape *shape, size_t *at)
{
	const struct etw_field *field = &shape->fields[*at];
	const char *name = field->name ? field->name : "";
	struct ctf_node node;
	uint32_t index;

	if (field->kind == ETW_FIELD_VALUE)
		node_of(&node, field);
	else
		node = (struct ctf_node){ .type = field->kind == ETW_FIELD_STRUCT_BEGIN ?
					  CTF_STRUCT : CTF_ARRAY };
	node.name = name;
	node.name_len = (uint16_t)strnlen(name, UINT16_MAX);
	index = new_node(shape, &node);
	++*at;
	if (shape->no_memory)
		return 0;
	if (node.type == CTF_STRUCT)
		build_members(shape, at, index, shape->count);
	else if (node.type == CTF_ARRAY)
		build_elements(shape, at, index);
	return index;
}

/* Keep the top-level fields that are complete, and the payload behind them. */
static void walk(struct ctf_shape *shape, const struct convert_event *e)
{
	const uint8_t *payload = e->record->UserData;
	size_t whole = 0, end = 0;
	struct etw_field field;
	int ret;

	while ((ret = etw_decode_next(e->decoder, &field)) == 1) {
		if (shape->count == FIELDS_MAX || !keep_field(shape, &field))
			break;
		if (field.depth || field.kind == ETW_FIELD_STRUCT_BEGIN ||
		    field.kind == ETW_FIELD_ARRAY_BEGIN)
			continue;
		whole = shape->count;
		end = field.offset + field.length;
	}
	shape->truncated = ret != 0;
	shape->count = whole;
	shape->rest = payload + end;
	shape->rest_size = e->record->UserDataLength - end;
}

int ctf_shape_take(struct ctf_shape *shape, const struct convert_event *e)
{
	size_t at = 0;

	shape->count = 0;
	shape->node_count = 0;
	shape->truncated = false;
	shape->no_memory = false;
	shape->rest = e->record->UserData;
	shape->rest_size = e->record->UserDataLength;
	if (e->known)
		walk(shape, e);
	new_node(shape, &(struct ctf_node){ .type = CTF_STRUCT });
	if (!shape->no_memory)
		build_members(shape, &at, 0, shape->count);
	return shape->no_memory ? -ENOMEM : 0;
}

void ctf_shape_free(struct ctf_shape *shape)
{
	free(shape->fields);
	free(shape->nodes);
}

static void node_key(struct etw_text *key, const struct ctf_shape *shape, uint32_t index)
{
	const struct ctf_node *node = &shape->nodes[index];
	uint32_t i;
	struct {
		const void *map;
		uint16_t len;
		uint8_t type, size, flags;
	} head;

	memset(&head, 0, sizeof(head));
	head.map = node->map;
	head.len = node->name_len;
	head.type = node->type;
	head.size = node->size;
	head.flags = (uint8_t)(node->is_signed | node->is_hex << 1 | node->is_bool << 2);
	etw_text_add(key, (const char *)&head, sizeof(head));
	etw_text_add(key, node->name_len ? node->name : "", node->name_len);
	for (i = node->first; i; i = shape->nodes[i].next)
		node_key(key, shape, i);
	if (node->type == CTF_STRUCT)
		etw_text_char(key, (char)0xFF);
}

void ctf_shape_key(struct etw_text *key, const struct ctf_shape *shape)
{
	char tail[2] = { (char)(shape->rest_size != 0), (char)shape->truncated };

	node_key(key, shape, 0);
	etw_text_add(key, tail, sizeof(tail));
}

/* ---------------------------------------------------------------------- values */

void ctf_put_number(struct etw_text *to, uint64_t value, size_t size)
{
	char *at = etw_text_room(to, sizeof(value));

	if (!at)
		return;
	memcpy(at, &value, sizeof(value));
	etw_text_end(to, at + size);
}

static void put_clean(struct etw_text *to, const char *text, size_t len)
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

static void put_bytes(struct etw_text *to, const void *data, size_t size)
{
	ctf_put_number(to, size, 4);
	if (size)
		etw_text_add(to, data, size);
}

static void put_text(struct etw_text *to, const struct etw_field *field)
{
	size_t start = to->len;
	struct etw_text copy = { .data = NULL };

	/* Usually there is no NUL in it, and it can stay in place. */
	etw_format_value(to, field, ETW_FORMAT_RAW);
	if (to->len == start || !memchr(to->data + start, 0, to->len - start)) {
		etw_text_char(to, '\0');
		return;
	}
	etw_text_add(&copy, to->data + start, to->len - start);
	etw_text_cut(to, start);
	put_clean(to, copy.data ? copy.data : "", copy.len);
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
		put_bytes(to, field->data, field->size);
	}
}

/* Put the field at *at and its members; *at moves behind it. */
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
		put_bytes(to, shape->rest, shape->rest_size);
}

bool ctf_put_plain(struct etw_text *to, const struct convert_event *e)
{
	struct etw_decoder *d = e->decoder;
	struct etw_field field;
	size_t left;
	int ret;

	if (!d->identity)
		return false;
	while ((ret = etw_decode_next(d, &field)) == 1) {
		switch (d->plan->steps[field.position].plain) {
		case ETW_PLAIN_NONE:
			return false;
		case ETW_PLAIN_UNSIGNED:
		case ETW_PLAIN_SIGNED:
		case ETW_PLAIN_HEX:
		case ETW_PLAIN_POINTER:
			ctf_put_number(to, field.value.u, field.size);
			break;
		default:
			put_text(to, &field);
		}
	}
	etw_decode_rest(d, &left);
	return !ret && !left;
}
