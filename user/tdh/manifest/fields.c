/* SPDX-License-Identifier: MIT */
/*
 * fields.c - templates: lay out fields as one array, and resolve the fields that counts
 * and lengths name
 */
#include <stdio.h>
#include <string.h>

#include "manifest.h"

#define DESCRIPTORS_MAX	128u	/* data descriptors in one write of an event */

static void __attribute__((format(printf, 4, 5)))
wrong(struct etw_mx *x, const struct manifest_template *t, const struct manifest_field *field,
      const char *fmt, ...)
{
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	etw_mx_error(x, field->f.line, "template", t->t.id, "field \"%.200s\": %s",
		     field->f.name, what);
}

static bool is_integer(uint16_t in_type)
{
	switch (in_type) {
	case TDH_INTYPE_INT8:
	case TDH_INTYPE_UINT8:
	case TDH_INTYPE_INT16:
	case TDH_INTYPE_UINT16:
	case TDH_INTYPE_INT32:
	case TDH_INTYPE_UINT32:
	case TDH_INTYPE_HEXINT32:
		return true;
	}
	return false;
}

/* The earlier field with this name; the same structure's members are searched first */
static const struct manifest_field *earlier(struct etw_mx *x, const struct manifest_template *t,
				      const struct manifest_field *of, const struct manifest_field *in,
				      const char *name)
{
	const struct manifest_field *found = NULL;

	if (in)
		found = etw_mx_find(x, in, name);
	if (found && found->index < of->index)
		return found;
	/*
	 * Members are stored after the whole top level: compare with the structure's
	 * position.
	 */
	found = etw_mx_find(x, t, name);
	if (found && found->index < (in ? in->index : of->index))
		return found;
	return NULL;
}

static bool is_array(const struct manifest_field *field)
{
	return field->f.flags & (ETW_MF_COUNT_FIELD | ETW_MF_COUNT_FIXED);
}

/* The field that a count or a length names; NULL: not a valid one, and reported. */
static const struct manifest_field *named_field(struct etw_mx *x, const struct manifest_template *t,
					  const struct manifest_field *field,
					  const struct manifest_field *in, const char *attribute,
					  const char *value)
{
	const struct manifest_field *named = earlier(x, t, field, in, value);
	const char *what;

	if (!named)
		what = "none";
	else if (!is_integer(named->f.in_type))
		what = "no integer";
	else if (is_array(named))
		what = "an array";
	else
		return named;
	if (!named && *value >= '0' && *value <= '9')
		wrong(x, t, field, "%s \"%.100s\" must be a number from 1 to 65535 "
		      "or an earlier field's name", attribute, value);
	else
		wrong(x, t, field, "%s must name an earlier integer field, and \"%.100s\" is %s",
		      attribute, value, what);
	return NULL;
}

/*
 * Resolve a count or a length: the number, or the index of the named field. 0 means
 * none, as in mc.exe. True: *out is set, and *is_field says which of the two it is.
 */
static bool resolve(struct etw_mx *x, const struct manifest_template *t, const struct manifest_field *field,
		    const struct manifest_field *in, const char *attribute, const char *value,
		    uint16_t *out, bool *is_field)
{
	const struct manifest_field *named;
	uint64_t number;

	if (etw_mx_parse_number((struct manifest_value){ value, strlen(value) }, &number) &&
	    number <= UINT16_MAX) {
		*is_field = false;
		*out = (uint16_t)number;
		return number > 0;
	}
	named = named_field(x, t, field, in, attribute, value);
	if (!named)
		return false;
	*is_field = true;
	*out = (uint16_t)named->index;
	return true;
}

/* Types that can have a length. mc.exe accepts SID, too. */
static bool takes_length(uint16_t in_type)
{
	return in_type == TDH_INTYPE_UNICODESTRING || in_type == TDH_INTYPE_ANSISTRING ||
	       in_type == TDH_INTYPE_BINARY || in_type == TDH_INTYPE_SID;
}

static void resolve_length(struct etw_mx *x, const struct manifest_template *t, struct manifest_field *field,
			   const struct manifest_field *in)
{
	struct etw_mf_field *f = &field->f;
	bool is_field, given = false;

	if (field->length) {
		if (f->in_type && !takes_length(f->in_type)) {
			wrong(x, t, field, "length does not go with inType %s",
			      etw_mx_in_type_name(f->in_type));
			return;
		}
		given = resolve(x, t, field, in, "length", field->length, &f->length, &is_field);
		/* A SID knows its length: mc.exe stores the number, but does not use it. */
		if (given && (is_field || f->in_type != TDH_INTYPE_SID))
			f->flags |= is_field ? ETW_MF_LENGTH_FIELD : ETW_MF_LENGTH_FIXED;
	}
	if (f->in_type != TDH_INTYPE_BINARY)
		return;
	if (f->out_type == TDH_OUTTYPE_IPV6) {
		if (f->flags & ETW_MF_LENGTH_FIXED && f->length != 16)
			wrong(x, t, field, "length of an IPv6 address must be 16");
	} else if (!given && (!field->length || *field->length == '0')) {
		wrong(x, t, field, "inType Binary needs a length");
	}
}

static void resolve_count(struct etw_mx *x, const struct manifest_template *t, struct manifest_field *field,
			  const struct manifest_field *in)
{
	bool is_field;

	if (field->count && resolve(x, t, field, in, "count", field->count, &field->f.count,
				    &is_field))
		field->f.flags |= is_field ? ETW_MF_COUNT_FIELD : ETW_MF_COUNT_FIXED;
	else
		field->f.count = 1;
}

static void resolve_map(struct etw_mx *x, const struct manifest_provider *p,
			const struct manifest_template *t, struct manifest_field *field)
{
	const struct etw_mf_map *map;
	uint16_t in_type = field->f.in_type;
	bool fits;

	if (!field->map)
		return;
	map = etw_mx_find(x, &p->maps, field->map);
	if (!map) {
		wrong(x, t, field, "map \"%.100s\" is not defined", field->map);
		return;
	}
	if (map->kind == ETW_MAP_PATTERN)
		fits = in_type == TDH_INTYPE_UNICODESTRING || in_type == TDH_INTYPE_ANSISTRING;
	else
		fits = in_type == TDH_INTYPE_UINT8 || in_type == TDH_INTYPE_UINT16 ||
		       in_type == TDH_INTYPE_UINT32 || in_type == TDH_INTYPE_HEXINT32;
	if (fits)
		field->f.map = map;
	else if (in_type)
		wrong(x, t, field, "map \"%.100s\" does not go with inType %s", field->map,
		      etw_mx_in_type_name(in_type));
}

/* Minimum size of one element in bytes */
static uint64_t size_of_one(const struct etw_mf_field *f)
{
	unsigned int size = etw_mx_type_size(f->in_type);

	if (f->in_type == TDH_INTYPE_BINARY && f->out_type == TDH_OUTTYPE_IPV6)
		size = 16;
	if (!(f->flags & ETW_MF_LENGTH_FIXED))
		return size;
	return f->in_type == TDH_INTYPE_UNICODESTRING ? 2ull * f->length : f->length;
}

static uint64_t times(const struct etw_mf_field *f, uint64_t size)
{
	return f->flags & ETW_MF_COUNT_FIELD ? 0 : size * f->count;
}

static void resolve_field(struct etw_mx *x, const struct manifest_provider *p,
			  const struct manifest_template *t, struct manifest_field *field,
			  const struct manifest_field *in)
{
	const void *scope = in ? (const void *)in : t;

	if (*field->f.name && etw_mx_claim(x, scope, field->f.name, field) != NULL)
		wrong(x, t, field, "another field has this name, too");
	resolve_count(x, t, field, in);
	if (field->f.flags & ETW_MF_STRUCT)
		return;
	resolve_length(x, t, field, in);
	resolve_map(x, p, t, field);
}

/* Lay out the members of a structure from index on. */
static uint64_t build_members(struct etw_mx *x, const struct manifest_provider *p,
			      const struct manifest_template *t, struct manifest_field *structure,
			      struct etw_mf_field *fields, unsigned int index)
{
	struct manifest_field *member;
	uint64_t size = 0;

	structure->f.first = (uint16_t)index;
	structure->f.members = (uint16_t)structure->members.count;
	manifest_for_each(member, &structure->members) {
		member->index = index++;
		resolve_field(x, p, t, member, structure);
		fields[member->index] = member->f;
		size += times(&member->f, size_of_one(&member->f));
	}
	return size;
}

static void build_fields(struct etw_mx *x, const struct manifest_provider *p,
			 const struct manifest_template *t, struct etw_mf_field *fields)
{
	unsigned int index = 0, behind = t->fields.count, pieces = 0;
	struct manifest_field *field;
	uint64_t size = 0;

	manifest_for_each(field, &t->fields) {
		if (x->err)
			return;
		field->index = index++;
		resolve_field(x, p, t, field, NULL);
		if (field->f.flags & ETW_MF_STRUCT) {
			size += times(&field->f,
				      build_members(x, p, t, field, fields, behind));
			behind += field->members.count;
		} else {
			size += times(&field->f, size_of_one(&field->f));
		}
		fields[field->index] = field->f;
		/* A field with its size in front takes two descriptors. */
		pieces += field->f.in_type >= TDH_INTYPE_MANIFEST_COUNTEDSTRING ? 2 : 1;
	}
	if (size > MX_DATA_MAX)
		etw_mx_error(x, t->t.line, "template", t->t.id,
			     "fields of fixed size have %llu bytes, and an event at most %u",
			     (unsigned long long)size, MX_DATA_MAX);
	if (pieces > DESCRIPTORS_MAX)
		etw_mx_warn(x, t->t.line, "template", t->t.id,
			    "has fields for %u data descriptors, "
			     "and an event is written with at most %u",
			    pieces, DESCRIPTORS_MAX);
}

void etw_mx_build_templates(struct etw_mx *x, struct manifest_provider *p)
{
	struct etw_mf_template *t = etw_mx_array(x, p->templates.count, sizeof(*t));
	const struct manifest_template *draft;
	struct etw_mf_field *fields;
	unsigned int count;

	p->p.templates = t;
	p->p.template_count = p->templates.count;
	manifest_for_each(draft, &p->templates) {
		if (x->err)
			return;
		count = draft->fields.count + draft->members;
		*t = draft->t;
		t->top = draft->fields.count;
		t->count = count;
		if (*t->id && etw_mx_claim(x, &p->templates, t->id, t))
			etw_mx_error(x, t->line, "template", t->id,
				     "another template has this tid, too");
		fields = etw_mx_array(x, count, sizeof(*fields));
		t->fields = fields;
		if (count > UINT16_MAX)
			etw_mx_error(x, t->line, "template", t->id, "more than 65535 fields");
		else if (!x->err)
			build_fields(x, p, draft, fields);
		if (t->user_data && etw_mx_inserts(t->user_data) > t->top)
			etw_mx_error(x, t->line, "template", t->id,
				     "UserData has %%%u, and the template %u fields",
				     etw_mx_inserts(t->user_data), t->top);
		t++;
	}
}
