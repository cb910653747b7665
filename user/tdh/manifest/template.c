/* SPDX-License-Identifier: MIT */
/*
 * template.c - templates: lay out fields as one array, and resolve the fields that counts
 * and lengths name
 */
#include <stdio.h>
#include <string.h>

#include "manifest.h"

#define DESCRIPTORS_MAX	128u	/* data descriptors in one write of an event */

/* A template being built */
struct layout {
	struct manifest_reader *r;
	const struct etw_mf_provider *provider;
	struct etw_mf_template *template;
	struct etw_mf_field *fields;
	unsigned int behind;	/* members that are laid out follow the top level up to here */
	uint64_t size;		/* of the fields that have a fixed one */
	unsigned int pieces;	/* data descriptors of an event */
};

/* Only the structure's members can name other members as counts and lengths. */
struct field {
	const struct manifest_node *node;
	struct etw_mf_field *f;
	const struct etw_mf_field *in;	/* the structure, or NULL */
};

/* ------------------------------------------------------------------------- types */

static void in_type(struct manifest_reader *r, const char *name, struct etw_mf_field *f)
{
	f->in_type = name ? etw_manifest_in_type(name) : 0;
	if (f->in_type || !name)
		return;
	if (r->lenient)
		f->in_type = etw_manifest_in_type_number(name);
	r->at.cost = f->in_type ? NULL : MANIFEST_COST_FIELD;
	if (!strncmp(name, "trace:", 6))
		etw_manifest_error(r, "inType \"%s\": types of the trace namespace are Windows' own "
				   "and not supported", name);
	else
		etw_manifest_error(r, "inType \"%s\" is not a known type", name);
	r->at.cost = NULL;
}

static void out_type(struct manifest_reader *r, const char *name, struct etw_mf_field *f)
{
	f->out_type = name ? etw_manifest_out_type(name) :
		      etw_manifest_default_out_type(f->in_type);
	if (!name)
		return;
	if (!f->out_type) {
		etw_manifest_error(r, "outType \"%s\" is not a known type", name);
		if (r->lenient)
			f->out_type = etw_manifest_out_type_number(name) ?:
				      etw_manifest_default_out_type(f->in_type);
	} else if (f->in_type && !etw_manifest_types_fit(f->in_type, f->out_type)) {
		etw_manifest_error(r, "outType \"%s\" does not go with inType %s", name,
				   etw_manifest_in_type_name(f->in_type));
	}
}

/* wide: those of 64 bits, too, which the decoder takes */
static bool is_integer(uint16_t in_type, bool wide)
{
	switch (in_type) {
	case TDH_INTYPE_INT64:
	case TDH_INTYPE_UINT64:
	case TDH_INTYPE_HEXINT64:
		return wide;
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

/* Types that can have a length. mc.exe accepts SID, too. */
static bool takes_length(uint16_t in_type)
{
	return in_type == TDH_INTYPE_UNICODESTRING || in_type == TDH_INTYPE_ANSISTRING ||
	       in_type == TDH_INTYPE_BINARY || in_type == TDH_INTYPE_SID;
}

/* -------------------------------------------------------------- counts and lengths */

/* The earlier field with this name; the same structure's members are searched first */
static const struct etw_mf_field *earlier(const struct layout *l, const struct field *of,
					  const char *name)
{
	const struct etw_mf_field *found = of->in ? etw_manifest_find(l->r, of->in, name) : NULL;

	if (found && found < of->f)
		return found;
	/*
	 * Members are stored after the whole top level: compare with the structure's
	 * position.
	 */
	found = etw_manifest_find(l->r, l->template, name);
	return found && found < (of->in ? of->in : of->f) ? found : NULL;
}

/* The field that a count or a length names; NULL: not a valid one, and reported. */
static const struct etw_mf_field *named_field(const struct layout *l, const struct field *field,
					      const char *attribute, const char *value)
{
	const struct etw_mf_field *named = earlier(l, field, value);
	const char *what;

	if (!named)
		what = "none";
	else if (!is_integer(named->in_type, l->r->lenient))
		what = "no integer";
	else if (named->flags & (ETW_MF_COUNT_FIELD | ETW_MF_COUNT_FIXED))
		what = "an array";
	else
		return named;
	l->r->at.cost = MANIFEST_COST_FIELD;
	if (!named && *value >= '0' && *value <= '9')
		etw_manifest_error(l->r, "%s \"%.100s\" must be a number from 1 to 65535 "
				   "or an earlier field's name", attribute, value);
	else
		etw_manifest_error(l->r, "%s must name an earlier integer field, and \"%.100s\" is %s",
				   attribute, value, what);
	l->r->at.cost = NULL;
	return NULL;
}

/*
 * Resolve a count or a length: the number, or the index of the named field. Returns
 * which of the two flags applies; 0: there is none (0 means none, as in mc.exe), or it
 * is invalid.
 */
static uint16_t resolve(const struct layout *l, const struct field *field, const char *attribute,
			uint16_t fixed, uint16_t by_field, uint16_t *out)
{
	const char *value = etw_manifest_value(field->node, attribute);
	const struct etw_mf_field *named;
	uint64_t number;

	if (!value)
		return 0;
	if (etw_manifest_number(value, &number) && number <= UINT16_MAX) {
		*out = number ? (uint16_t)number : *out;
		return number ? fixed : 0;
	}
	named = named_field(l, field, attribute, value);
	if (!named)
		return 0;
	*out = (uint16_t)(named - l->fields);
	return by_field;
}

/* Does nothing follow the field, so that it can be the event's rest? */
static bool is_last(const struct layout *l, const struct field *field)
{
	const struct etw_mf_field *f = field->f, *in = field->in;

	return !(f->flags & ETW_MF_COUNT_FIELD) && f->count == 1 &&
	       !etw_manifest_of(l->r, field->node->next, MANIFEST_FIELDS) &&
	       (!in || (in == &l->fields[l->template->top - 1] && in->count == 1 &&
			!(in->flags & ETW_MF_COUNT_FIELD)));
}

static void resolve_length(const struct layout *l, const struct field *field)
{
	const char *value = etw_manifest_value(field->node, "length");
	struct etw_mf_field *f = field->f;
	uint16_t flag;

	if (value && f->in_type && !takes_length(f->in_type)) {
		etw_manifest_error(l->r, "length does not go with inType %s",
				   etw_manifest_in_type_name(f->in_type));
		return;
	}
	flag = resolve(l, field, "length", ETW_MF_LENGTH_FIXED, ETW_MF_LENGTH_FIELD, &f->length);
	/* A SID knows its length: mc.exe stores the number, but does not use it. */
	if (flag == ETW_MF_LENGTH_FIELD || f->in_type != TDH_INTYPE_SID)
		f->flags |= flag;
	if (f->in_type != TDH_INTYPE_BINARY)
		return;
	if (f->out_type == TDH_OUTTYPE_IPV6) {
		if (f->flags & ETW_MF_LENGTH_FIXED && f->length != 16)
			etw_manifest_error(l->r, "length of an IPv6 address must be 16");
	} else if (!flag && (!value || *value == '0')) {
		l->r->at.cost = is_last(l, field) ? NULL : MANIFEST_COST_FIELD;
		etw_manifest_error(l->r, "inType Binary needs a length: without one it is the rest of "
				   "the event");
		l->r->at.cost = NULL;
	}
}

static void resolve_map(const struct layout *l, const struct field *field)
{
	const char *name = etw_manifest_value(field->node, "map");
	const struct etw_mf_map *map;
	uint16_t type = field->f->in_type;
	bool fits;

	if (!name)
		return;
	map = etw_manifest_find(l->r, &l->provider->maps, name);
	if (!map) {
		etw_manifest_error(l->r, "map \"%.100s\" is not defined", name);
		return;
	}
	if (l->r->lenient)
		fits = true;
	else if (map->kind == ETW_MAP_PATTERN)
		fits = type == TDH_INTYPE_UNICODESTRING || type == TDH_INTYPE_ANSISTRING ||
		       type == TDH_INTYPE_MANIFEST_COUNTEDSTRING ||
		       type == TDH_INTYPE_MANIFEST_COUNTEDANSISTRING;
	else
		fits = type == TDH_INTYPE_UINT8 || type == TDH_INTYPE_UINT16 ||
		       type == TDH_INTYPE_UINT32 || type == TDH_INTYPE_HEXINT32;
	if (fits)
		field->f->map = map;
	else if (type)
		etw_manifest_error(l->r, "map \"%.100s\" does not go with inType %s", name,
				   etw_manifest_in_type_name(type));
}

/* ------------------------------------------------------------------------- fields */

/* The least bytes that the field has, an array's elements included */
static uint64_t size_of(const struct etw_mf_field *f)
{
	uint64_t size = etw_manifest_type_size(f->in_type);

	if (f->in_type == TDH_INTYPE_BINARY && f->out_type == TDH_OUTTYPE_IPV6)
		size = 16;
	if (f->flags & ETW_MF_LENGTH_FIXED)
		size = f->in_type == TDH_INTYPE_UNICODESTRING ? 2ull * f->length : f->length;
	return f->flags & ETW_MF_COUNT_FIELD ? 0 : size * f->count;
}

static void name_field(const struct layout *l, struct etw_mf_field *f)
{
	char name[32];

	snprintf(name, sizeof(name), "field%u", (unsigned int)(f - l->fields) + 1);
	f->name = etw_manifest_strdup(l->r->manifest, name, strlen(name));
	if (!f->name) {
		f->name = "";
		etw_manifest_no_memory(l->r);
	}
}

static void build_field(const struct layout *l, const struct manifest_node *node,
			struct etw_mf_field *f, const struct etw_mf_field *in)
{
	const struct field field = { node, f, in };
	struct manifest_reader *r = l->r;

	f->count = 1;
	f->flags = node->element == &etw_element_struct ? ETW_MF_STRUCT : 0;
	etw_manifest_read_attributes(r, node, f);
	if (r->lenient && !*f->name)
		name_field(l, f);
	if (!(f->flags & ETW_MF_STRUCT)) {
		in_type(r, etw_manifest_value(node, "inType"), f);
		out_type(r, etw_manifest_value(node, "outType"), f);
		f->flags |= etw_manifest_value(node, "tags") ? ETW_MF_TAGS : 0;
	}
	etw_manifest_at(r, f->line, "template", l->template->id);
	r->at.part = "field";
	r->at.part_name = f->name;
	if (*f->name && etw_manifest_claim(r, in ? (const void *)in : l->template, f->name, f))
		etw_manifest_error(r, "another field has this name, too");
	f->flags |= resolve(l, &field, "count", ETW_MF_COUNT_FIXED, ETW_MF_COUNT_FIELD, &f->count);
	if (f->flags & ETW_MF_STRUCT)
		return;
	resolve_length(l, &field);
	resolve_map(l, &field);
}

/*
 * Is it a field of a known kind? Report structures in structures, and binary. parent: the
 * template or structure
 */
static bool is_field(struct manifest_reader *r, const struct manifest_node *node,
		     const struct manifest_node *parent)
{
	if (node->element->attribute_count)
		return true;
	etw_manifest_at(r, node->line, parent->element->name, parent->values[0]);
	r->at.cost = MANIFEST_COST_FIELD;
	if (!strcmp(node->element->name, "binary"))
		etw_manifest_error(r, "element binary is not supported: "
				   "take data with inType win:Binary");
	else
		etw_manifest_error(r, "must not have a struct in it");
	r->at.cost = NULL;
	return false;
}

/*
 * The decoder cannot lay out what follows a field without a known size: let the field be
 * the event's rest, and the last one. behind: the end of the members before it
 */
static void cut(struct layout *l, struct etw_mf_field *f, unsigned int behind)
{
	struct etw_mf_template *t = l->template;
	unsigned int top = (unsigned int)(f - l->fields) + 1, gone = t->top - top, i;

	if (!f->name)
		name_field(l, f);
	*f = (struct etw_mf_field){
		.name = f->name, .in_type = TDH_INTYPE_BINARY, .out_type = TDH_OUTTYPE_HEXBINARY,
		.count = 1, .line = f->line,
	};
	memmove(l->fields + top, l->fields + t->top, (behind - t->top) * sizeof(*f));
	for (i = 0; i < behind - gone; i++) {
		f = &l->fields[i];
		if (f->flags & ETW_MF_STRUCT)
			f->first -= gone;
		if (f->flags & ETW_MF_COUNT_FIELD && f->count >= t->top)
			f->count -= gone;
		if (f->flags & ETW_MF_LENGTH_FIELD && f->length >= t->top)
			f->length -= gone;
	}
	t->top = top;
	t->count = behind - gone;
	l->r->lost = false;
}

/* Lay out the members of a structure. */
static void build_members(struct layout *l, const struct manifest_node *parent,
			  struct etw_mf_field *structure)
{
	const struct manifest_node *node;
	uint64_t size = 0;

	structure->first = (uint16_t)l->behind;
	manifest_for_each(node, l->r, parent, MANIFEST_FIELDS) {
		struct etw_mf_field *f = &l->fields[l->behind];

		if (!is_field(l->r, node, parent)) {
			if (l->r->lost)
				return;
			continue;
		}
		l->behind++;
		structure->members++;
		build_field(l, node, f, structure);
		if (l->r->lost)
			return;
		size += size_of(f);
	}
	l->size += structure->flags & ETW_MF_COUNT_FIELD ? 0 : size * structure->count;
	if (structure->members)
		return;
	etw_manifest_at(l->r, structure->line, parent->element->name, structure->name);
	etw_manifest_error(l->r, "has no element data");
}

static void build_fields(struct layout *l, const struct manifest_node *parent)
{
	struct etw_mf_field *f = l->fields;
	const struct manifest_node *node;

	manifest_for_each(node, l->r, parent, MANIFEST_FIELDS) {
		unsigned int behind = l->behind;

		l->r->lost = false;
		if (is_field(l->r, node, parent))
			build_field(l, node, f, NULL);
		if (f->flags & ETW_MF_STRUCT && !l->r->lost)
			build_members(l, node, f);
		else
			l->size += size_of(f);
		if (l->r->lost) {
			cut(l, f, behind);
			return;
		}
		/* A field with its size in front takes two descriptors. */
		l->pieces += f->in_type >= TDH_INTYPE_MANIFEST_COUNTEDSTRING ? 2 : 1;
		f++;
	}
}

static unsigned int count_members(struct manifest_reader *r, const struct manifest_node *parent)
{
	const struct manifest_node *node, *member;
	unsigned int count = 0;

	manifest_for_each(node, r, parent, MANIFEST_FIELDS)
		manifest_for_each(member, r, node, MANIFEST_FIELDS)
			count += member->element->attribute_count > 0;
	return count;
}

/* ---------------------------------------------------------------------- templates */

static void read_rest(struct manifest_reader *r, const struct manifest_node *parent,
		      struct etw_mf_template *t)
{
	const struct manifest_place place = r->at;
	const struct manifest_node *node;

	manifest_for_each(node, r, parent, MANIFEST_USER_DATA) {
		r->at.line = node->line;
		if (t->user_data)
			etw_manifest_error(r, "has a second element UserData");
		else
			etw_manifest_convert(r, node, t);
	}
	r->at = place;
}

static void check_template(struct manifest_reader *r, const struct layout *l)
{
	const struct etw_mf_template *t = l->template;
	unsigned int inserts = t->user_data ? etw_manifest_inserts(t->user_data) : 0;

	if (l->size > MANIFEST_DATA_MAX)
		etw_manifest_error(r, "fields of fixed size have %llu bytes, and an event at most %u",
				   (unsigned long long)l->size, MANIFEST_DATA_MAX);
	if (l->pieces > DESCRIPTORS_MAX)
		etw_manifest_warn(r, "has fields for %u data descriptors, "
				  "and an event is written with at most %u",
				  l->pieces, DESCRIPTORS_MAX);
	if (inserts > t->top)
		etw_manifest_error(r, "UserData has %%%u, and the template %u fields", inserts,
				   t->top);
}

/* False: the decoder leaves it out. */
static bool build_template(struct manifest_reader *r, const struct manifest_node *node,
			   const struct etw_mf_provider *p, struct etw_mf_template *t)
{
	struct layout layout = { .r = r, .provider = p, .template = t };
	struct manifest_place place;

	if (!etw_manifest_read_attributes(r, node, t))
		return false;
	if (*t->id && etw_manifest_claim(r, &p->templates, t->id, t))
		etw_manifest_error(r, "another template has this tid, too");
	read_rest(r, node, t);
	place = r->at;
	t->top = layout.behind = etw_manifest_count(r, node, MANIFEST_FIELDS);
	t->count = t->top + count_members(r, node);
	if (t->count > UINT16_MAX) {
		t->count = t->top = 0;
		etw_manifest_error(r, "more than 65535 fields");
		return true;
	}
	t->fields = layout.fields = etw_manifest_array(r, t->count, sizeof(*layout.fields));
	build_fields(&layout, node);
	r->at = place;
	check_template(r, &layout);
	return true;
}

void etw_manifest_build_templates(struct manifest_reader *r, const struct manifest_node *parent,
				  struct etw_mf_provider *p)
{
	const struct manifest_node *node;
	struct etw_mf_template *t;

	t = etw_manifest_array_of(r, parent, MANIFEST_TEMPLATES, sizeof(*t), &p->template_count);
	p->templates = t;
	manifest_for_each(node, r, parent, MANIFEST_TEMPLATES) {
		if (build_template(r, node, p, t))
			t++;
		else
			manifest_drop(t, p->template_count);
	}
}
