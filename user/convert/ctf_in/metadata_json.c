/* SPDX-License-Identifier: MIT */
/*
 * metadata_json.c - field classes of CTF 2
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "metadata_json.h"

int cj_fail(struct cj *r, const char *fmt, ...)
{
	char *to = r->meta->problem;
	size_t room = sizeof(r->meta->problem);
	int n = snprintf(to, room, "metadata: fragment %u: ", r->fragment);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to + n, room - (size_t)n, fmt, ap);
	va_end(ap);
	return -EBADMSG;
}

struct json_object *cj_get(struct json_object *o, const char *key, enum json_type type)
{
	struct json_object *value;

	return json_object_is_type(o, json_type_object) &&
	       json_object_object_get_ex(o, key, &value) && json_object_is_type(value, type) ?
	       value : NULL;
}

const char *cj_text(struct json_object *o, const char *key)
{
	struct json_object *value = cj_get(o, key, json_type_string);

	return value ? json_object_get_string(value) : NULL;
}

/* A member that is there; one that is no integer is bad. */
static struct json_object *get_integer(struct cj *r, struct json_object *o, const char *key)
{
	struct json_object *value = cj_get(o, key, json_type_int);

	if (!value && json_object_is_type(o, json_type_object) &&
	    json_object_object_get_ex(o, key, NULL))
		r->bad = key;
	return value;
}

uint64_t cj_number(struct cj *r, struct json_object *o, const char *key, uint64_t otherwise,
		   uint64_t most)
{
	struct json_object *value = get_integer(r, o, key);

	if (!value)
		return r->bad == key ? 0 : otherwise;
	if (json_object_get_int64(value) >= 0 && json_object_get_uint64(value) <= most)
		return json_object_get_uint64(value);
	r->bad = key;
	return 0;
}

int64_t cj_signed(struct cj *r, struct json_object *o, const char *key)
{
	struct json_object *value = get_integer(r, o, key);

	if (!value)
		return 0;
	if (json_object_get_uint64(value) > INT64_MAX)
		r->bad = key;
	return json_object_get_int64(value);
}

const char *cj_keep(struct cj *r, const char *s)
{
	return s ? cm_name(r->meta, s, strlen(s)) : NULL;
}

/* -------------------------------------------------------------- field classes */

static int take_numeric(struct cj *r, struct json_object *o, struct cm_type *type)
{
	const char *order = cj_text(o, "byte-order");
	uint64_t bits = cj_number(r, o, "length", 0, UINT64_MAX);
	uint64_t align = cj_number(r, o, "alignment", 1, UINT64_MAX);

	if (!bits || bits > 64)
		return cj_fail(r, "integers have 1 to 64 bits");
	if (!align || align > 65536 || align & (align - 1))
		return cj_fail(r, "an alignment is a power of 2");
	type->bits = (uint32_t)bits;
	type->align = (uint32_t)align;
	type->big_endian = order && !strcmp(order, "big-endian");
	type->base = (uint8_t)cj_number(r, o, "preferred-display-base", 10, 36);
	return 0;
}

static const char *const roles[CM_ROLES] = {
	[CM_MAGIC] = "packet-magic-number", [CM_STREAM_ID] = "data-stream-class-id",
	[CM_CONTENT_SIZE] = "packet-content-length", [CM_PACKET_SIZE] = "packet-total-length",
	[CM_BEGIN] = "default-clock-timestamp",
	[CM_END] = "packet-end-default-clock-timestamp",
	[CM_DISCARDED] = "discarded-event-record-counter-snapshot",
	[CM_EVENT_ID] = "event-record-class-id",
};

/* The clock that the role means is that of the stream; any will mark it as a time. */
static const struct cm_clock default_clock = { "", 1000000000, 0, 0, NULL };

static void take_roles(struct json_object *o, struct cm_type *type)
{
	struct json_object *list = cj_get(o, "roles", json_type_array);
	size_t i, n = list ? json_object_array_length(list) : 0;
	unsigned int role;

	for (i = 0; i < n && i < 16; i++) {
		const char *s = json_object_get_string(json_object_array_get_idx(list, i));

		for (role = 1; s && role < CM_ROLES; role++)
			if (!strcmp(s, roles[role]))
				type->role = (uint8_t)role;
	}
	if (type->role == CM_BEGIN || type->role == CM_END)
		type->clock = &default_clock;
}

static int take_mappings(struct cj *r, struct json_object *o, struct cm_type *type)
{
	struct json_object *mappings = cj_get(o, "mappings", json_type_object);
	uint32_t count = 0;

	if (!mappings)
		return 0;
	json_object_object_foreach(mappings, name, ranges) {
		(void)name;
		if (!json_object_is_type(ranges, json_type_array))
			return cj_fail(r, "a mapping has no ranges");
		count += (uint32_t)json_object_array_length(ranges);
	}
	type->labels = cm_alloc(r->meta, (count + 1) * sizeof(*type->labels));
	if (!type->labels)
		return -ENOMEM;
	json_object_object_foreach(mappings, label, list) {
		size_t i, n = json_object_array_length(list);

		for (i = 0; i < n; i++) {
			struct json_object *range = json_object_array_get_idx(list, i);

			if (!json_object_is_type(range, json_type_array) ||
			    json_object_array_length(range) != 2)
				return cj_fail(r, "a range has two ends");
			struct json_object *low = json_object_array_get_idx(range, 0);
			struct json_object *high = json_object_array_get_idx(range, 1);

			if (!type->is_signed && (json_object_get_int64(low) < 0 ||
						 json_object_get_int64(high) < 0))
				r->bad = "mappings";
			type->labels[type->label_count++] = (struct cm_label){
				type->is_signed ? (uint64_t)json_object_get_int64(low) :
						  json_object_get_uint64(low),
				type->is_signed ? (uint64_t)json_object_get_int64(high) :
						  json_object_get_uint64(high),
				cj_keep(r, label),
			};
			if (!type->labels[type->label_count - 1].name)
				return -ENOMEM;
		}
	}
	return 0;
}

static int take_integer(struct cj *r, struct json_object *o, struct cm_type *type)
{
	int err = take_numeric(r, o, type);

	type->kind = CM_INT;
	if (err)
		return err;
	take_roles(o, type);
	return take_mappings(r, o, type);
}

static int take_float(struct cj *r, struct json_object *o, struct cm_type *type)
{
	int err = take_numeric(r, o, type);

	type->kind = CM_FLOAT;
	if (!err && type->bits != 32 && type->bits != 64)
		err = cj_fail(r, "floating-point numbers have 32 or 64 bits");
	return err;
}

/* {"origin": ..., "path": [...]} */
static int take_location(struct cj *r, struct json_object *o, const char *key,
			 struct cm_path *path)
{
	static const char *const origins[CM_SCOPES] = {
		"packet-header", "packet-context", "event-record-header",
		"event-record-common-context", "event-record-specific-context",
		"event-record-payload",
	};
	struct json_object *location = cj_get(o, key, json_type_object);
	struct json_object *list = cj_get(location, "path", json_type_array);
	const char *origin = cj_text(location, "origin");
	size_t i, n = list ? json_object_array_length(list) : 0;

	if (!n || n > CM_PATH_MAX)
		return cj_fail(r, "\"%s\" leads nowhere", key);
	path->scope = CM_SCOPES;
	for (i = 0; origin && i < CM_SCOPES; i++)
		if (!strcmp(origin, origins[i]))
			path->scope = (uint8_t)i;
	for (i = 0; i < n; i++) {
		struct json_object *step = json_object_array_get_idx(list, i);

		/* References are looked for outwards anyway. */
		if (!json_object_is_type(step, json_type_string))
			continue;
		path->name[path->count] = cj_keep(r, json_object_get_string(step));
		if (!path->name[path->count++])
			return -ENOMEM;
	}
	return path->count ? 0 : cj_fail(r, "\"%s\" leads nowhere", key);
}

static int take_element(struct cj *r, struct json_object *o, struct cm_type *type)
{
	int err = cj_class(r, cj_get(o, "element-field-class", json_type_object), &type->element);

	if (err)
		return err;
	type->align = type->element->align;
	type->has_variant = type->element->has_variant;
	return 0;
}

/* Bytes, or characters if text: elements of our own making */
static int set_bytes(struct cj *r, struct cm_type *type, bool is_text)
{
	struct cm_type *byte = cm_alloc(r->meta, sizeof(*byte));

	if (!byte)
		return -ENOMEM;
	*byte = (struct cm_type){ .kind = CM_INT, .bits = 8, .align = 8, .base = 16,
				  .is_text = is_text };
	type->element = byte;
	type->is_bytes = !is_text;
	type->align = 8;
	return 0;
}

static int take_members(struct cj *r, struct json_object *list, struct cm_type *type)
{
	size_t i, n = list ? json_object_array_length(list) : 0;
	int err = 0;

	type->members = cm_alloc(r->meta, (n + 1) * sizeof(*type->members));
	if (!type->members)
		return -ENOMEM;
	for (i = 0; i < n && !err; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		struct cm_member *m = &type->members[type->member_count++];

		m->name = m->shown = cj_keep(r, cj_text(o, "name") ? cj_text(o, "name") : "");
		err = m->name ? cj_class(r, cj_get(o, "field-class", json_type_object), &m->type) :
				-ENOMEM;
	}
	return err;
}

static int take_struct(struct cj *r, struct json_object *o, struct cm_type *type)
{
	uint64_t align = cj_number(r, o, "minimum-alignment", 1, UINT64_MAX);
	int err;

	if (!align || align > 65536 || align & (align - 1))
		return cj_fail(r, "an alignment is a power of 2");
	type->kind = CM_STRUCT;
	type->align = (uint32_t)align;
	err = take_members(r, cj_get(o, "member-classes", json_type_array), type);
	if (!err)
		cm_finish_struct(type);
	return err;
}

static bool is(const char *type, const char *what)
{
	return !strcmp(type, what);
}

static int take_many(struct cj *r, struct json_object *o, const char *name,
		     struct cm_type *type)
{
	bool dynamic = !strncmp(name, "dynamic-", 8);
	const char *what = name + (dynamic ? sizeof("dynamic-length-") : sizeof("static-length-")) - 1;
	int err = 0;

	type->kind = dynamic ? CM_SEQUENCE : CM_ARRAY;
	type->count = cj_number(r, o, "length", 0, UINT64_MAX);
	if (dynamic)
		err = take_location(r, o, "length-field-location", &type->path);
	if (err)
		return err;
	if (is(what, "array"))
		return take_element(r, o, type);
	if (is(what, "blob") || is(what, "string"))
		return set_bytes(r, type, what[0] == 's');
	return cj_fail(r, "there is no field class \"%.60s\"", name);
}

static int take_kind(struct cj *r, struct json_object *o, const char *name,
		     struct cm_type *type)
{
	if (is(name, "fixed-length-unsigned-integer") || is(name, "fixed-length-bit-array") ||
	    is(name, "fixed-length-bit-map"))
		return take_integer(r, o, type);
	if (is(name, "fixed-length-signed-integer")) {
		type->is_signed = true;
		return take_integer(r, o, type);
	}
	if (is(name, "fixed-length-boolean")) {
		type->is_bool = true;
		return take_integer(r, o, type);
	}
	if (is(name, "fixed-length-floating-point-number"))
		return take_float(r, o, type);
	if (is(name, "null-terminated-string")) {
		type->kind = CM_STRING;
		type->align = 8;
		return 0;
	}
	if (is(name, "structure"))
		return take_struct(r, o, type);
	if (!strncmp(name, "dynamic-length-", 15) || !strncmp(name, "static-length-", 14))
		return take_many(r, o, name, type);
	return cj_fail(r, "field classes \"%.60s\" cannot be read", name);
}

static const struct cm_type *find_alias(const struct cj *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->alias_count; i++)
		if (!strcmp(r->aliases[i].name, name))
			return r->aliases[i].type;
	return NULL;
}

int cj_class(struct cj *r, struct json_object *o, const struct cm_type **out)
{
	const char *name = cj_text(o, "type");
	struct cm_type *type;
	int err;

	if (!name)
		return cj_fail(r, "a field class is missing");
	if (is(name, "alias")) {
		*out = cj_text(o, "name") ? find_alias(r, cj_text(o, "name")) : NULL;
		return *out ? 0 : cj_fail(r, "there is no such alias");
	}
	if (r->nest == CM_NEST_MAX)
		return cj_fail(r, "more than %u field classes within each other", CM_NEST_MAX);
	type = cm_alloc(r->meta, sizeof(*type));
	if (!type)
		return -ENOMEM;
	*out = type;
	r->nest++;
	err = take_kind(r, o, name, type);
	r->nest--;
	return err;
}
