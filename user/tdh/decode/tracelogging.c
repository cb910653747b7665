/* SPDX-License-Identifier: MIT */
/*
 * tracelogging.c - convert an event's TraceLogging metadata to a schema
 *
 *	metadata := u16 size  tags  name NUL  field*
 *	field    := name NUL  u8 in  [u8 out  [tags]]  [u16 count]  [u16 n  n bytes]
 *
 * The metadata list fields as a tree in preorder; the template has all children of one
 * parent side by side.
 *
 * Source: TraceLoggingProvider.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <etw/format.h>
#include "decoder.h"

#define IN_MASK		0x1F
#define SHAPE_MASK	0x60
#define SHAPE_CCOUNT	0x20
#define SHAPE_VCOUNT	0x40
#define SHAPE_CUSTOM	0x60
#define CHAIN		0x80

struct reader {
	const uint8_t *p, *end;
};

/* A field as encoded. */
struct raw_field {
	const char *name;
	uint8_t in, out;	/* without the chain bits; in includes its shape */
	bool has_out;
	uint32_t tags;
	uint16_t count;		/* Ccount */
	const uint8_t *info;	/* of a custom field */
	uint16_t info_size;
};

/* In the order of the metadata. */
struct node {
	struct raw_field raw;
	uint32_t end;		/* the first node that is not a descendant */
};

static const char *take_name(struct reader *r)
{
	const uint8_t *nul = r->p < r->end ? memchr(r->p, 0, (size_t)(r->end - r->p)) : NULL;
	const char *name = (const char *)r->p;

	if (!nul)
		return NULL;
	r->p = nul + 1;
	return name;
}

static bool take_u8(struct reader *r, uint8_t *value)
{
	if (r->p == r->end)
		return false;
	*value = *r->p++;
	return true;
}

static bool take_u16(struct reader *r, uint16_t *value)
{
	if (r->end - r->p < 2)
		return false;
	*value = (uint16_t)(r->p[0] | r->p[1] << 8);
	r->p += 2;
	return true;
}

/* Seven bits in each of four bytes, the highest first; ignores further bytes. */
static bool take_tags(struct reader *r, uint32_t *tags)
{
	int shift = 21;
	uint8_t byte;

	*tags = 0;
	do {
		if (!take_u8(r, &byte))
			return false;
		if (shift >= 0)
			*tags |= (uint32_t)(byte & 0x7F) << shift;
		shift -= 7;
	} while (byte & CHAIN);
	return true;
}

static bool take_field(struct reader *r, struct raw_field *f)
{
	memset(f, 0, sizeof(*f));
	f->name = take_name(r);
	if (!f->name || !take_u8(r, &f->in))
		return false;
	f->has_out = f->in & CHAIN;
	if (f->has_out) {
		if (!take_u8(r, &f->out))
			return false;
		if (f->out & CHAIN && !take_tags(r, &f->tags))
			return false;
	}
	f->in &= (uint8_t)~CHAIN;
	f->out &= (uint8_t)~CHAIN;
	if ((f->in & SHAPE_MASK) == SHAPE_CCOUNT)
		return take_u16(r, &f->count);
	if ((f->in & SHAPE_MASK) != SHAPE_CUSTOM)
		return true;
	if (!take_u16(r, &f->info_size) || r->end - r->p < f->info_size)
		return false;
	f->info = r->p;
	r->p += f->info_size;
	return true;
}

static bool is_struct(const struct raw_field *f)
{
	return (f->in & IN_MASK) == TDH_INTYPE_RESERVED24 &&
	       (f->in & SHAPE_MASK) != SHAPE_CUSTOM;
}

/* Open structures during the walk, with their remaining members. */
struct open_structs {
	uint32_t node[ETW_NEST_MAX];
	uint8_t left[ETW_NEST_MAX];
	unsigned int depth;
};

/* Account for a field: structures that it completes end before next. */
static bool place(struct open_structs *open, const struct raw_field *f, uint32_t at,
		  struct node *nodes)
{
	if (open->depth)
		open->left[open->depth - 1]--;
	if (is_struct(f)) {
		if (!f->has_out || open->depth == ETW_NEST_MAX)
			return false;
		open->node[open->depth] = at;
		open->left[open->depth++] = f->out;
	}
	while (open->depth && !open->left[open->depth - 1]) {
		open->depth--;
		nodes[open->node[open->depth]].end = at + 1;
	}
	return true;
}

/* Read all fields; info: bytes of their custom schemas. */
static bool walk(struct reader r, struct node *nodes, uint32_t *count, size_t *info)
{
	struct open_structs open = { .depth = 0 };
	struct raw_field *f;
	uint32_t n = 0;

	*info = 0;
	for (; r.p < r.end; n++) {
		f = &nodes[n].raw;
		nodes[n].end = n + 1;
		if (!take_field(&r, f) || !place(&open, f, n, nodes))
			return false;
		if (f->info)
			*info += 4u + f->info_size;
	}
	*count = n;
	return !open.depth;
}

/* Convert TraceLogging's out-type numbers to TDH's; from 32 on they are equal. */
static uint16_t out_type(uint8_t in, uint8_t out)
{
	static const uint16_t same[] = {
		0, TDH_OUTTYPE_NOPRINT, TDH_OUTTYPE_STRING, TDH_OUTTYPE_BOOLEAN, 0,
		TDH_OUTTYPE_PID, TDH_OUTTYPE_TID, TDH_OUTTYPE_PORT, TDH_OUTTYPE_IPV4,
		TDH_OUTTYPE_IPV6, TDH_OUTTYPE_SOCKETADDRESS, TDH_OUTTYPE_XML,
		TDH_OUTTYPE_JSON, TDH_OUTTYPE_WIN32ERROR, TDH_OUTTYPE_NTSTATUS,
		TDH_OUTTYPE_HRESULT, TDH_OUTTYPE_DATETIME,
	};
	/* By the size of an integer */
	static const uint16_t hex[] = {
		[1] = TDH_OUTTYPE_HEXINT8, [2] = TDH_OUTTYPE_HEXINT16,
		[4] = TDH_OUTTYPE_HEXINT32, [8] = TDH_OUTTYPE_HEXINT64,
	}, signs[] = {
		[1] = TDH_OUTTYPE_BYTE, [2] = TDH_OUTTYPE_SHORT,
		[4] = TDH_OUTTYPE_INT, [8] = TDH_OUTTYPE_LONG,
	}, unsigns[] = {
		[1] = TDH_OUTTYPE_UNSIGNEDBYTE, [2] = TDH_OUTTYPE_UNSIGNEDSHORT,
		[4] = TDH_OUTTYPE_UNSIGNEDINT, [8] = TDH_OUTTYPE_UNSIGNEDLONG,
	};
	unsigned int size = etw_integer_size(in);
	uint16_t type = 0;

	if (out == 4)
		type = hex[size];
	else if (out == 17)
		type = signs[size];
	else if (out == 18)
		type = unsigns[size];
	else if (out < sizeof(same) / sizeof(same[0]))
		type = same[out];
	else if (out >= 32)
		type = out;
	return type ? type : etw_out_type_default(in);
}

/* Store protocol, length and bytes in TDH's form. */
static void set_custom(struct etw_mf_field *to, const struct raw_field *raw, uint8_t **info)
{
	uint16_t head[2] = { raw->in & IN_MASK, raw->info_size };

	memcpy(*info, head, sizeof(head));
	memcpy(*info + sizeof(head), raw->info, raw->info_size);
	to->schema = *info;
	*info += sizeof(head) + raw->info_size;
	to->flags |= ETW_MF_CUSTOM;
	to->in_type = TDH_INTYPE_MANIFEST_COUNTEDBINARY;
	to->out_type = TDH_OUTTYPE_HEXBINARY;
}

static void set_field(struct etw_mf_field *to, const struct raw_field *raw, uint8_t **info)
{
	uint8_t in = raw->in & IN_MASK, shape = raw->in & SHAPE_MASK;

	to->name = raw->name;
	to->count = 1;
	to->tags = raw->tags;
	to->flags = raw->tags ? ETW_MF_TAGS : 0;
	if (shape == SHAPE_CUSTOM) {
		set_custom(to, raw, info);
		return;
	}
	if (shape == SHAPE_CCOUNT) {
		to->flags |= ETW_MF_COUNT_FIXED;
		to->count = raw->count;
	} else if (shape == SHAPE_VCOUNT) {
		to->flags |= ETW_MF_COUNT_INLINE;
	}
	if (is_struct(raw)) {
		to->flags |= ETW_MF_STRUCT;
		to->members = raw->out;
		return;
	}
	if (in == TDH_INTYPE_BINARY)
		to->flags |= ETW_MF_LENGTH_INLINE;
	to->in_type = in;
	to->out_type = out_type(in, raw->out);
}

/*
 * Lay out the children of each structure side by side, in the order of their parents;
 * at holds the node of each field.
 */
static void lay_out(struct etw_mf_field *fields, uint32_t *at, const struct node *nodes,
		    uint32_t count, uint8_t *info, unsigned int *top)
{
	uint32_t i, n = 0, child;

	for (child = 0; child < count; child = nodes[child].end)
		at[n++] = child;
	*top = n;
	for (i = 0; i < count; i++) {
		set_field(&fields[i], &nodes[at[i]].raw, &info);
		if (!(fields[i].flags & ETW_MF_STRUCT))
			continue;
		fields[i].first = (uint16_t)n;
		for (child = at[i] + 1; child < nodes[at[i]].end; child = nodes[child].end)
			at[n++] = child;
	}
}

/* Everything of a schema in one block. */
struct block {
	struct etw_schema_plan plan;
	struct etw_mf_template template;
	/* followed by the fields, their steps, their maps, the key, and custom schemas */
};

/* Let the fields of the top level have their maps. */
static void find_maps(struct block *block, struct etw_mf_field *fields, struct etw_field_map *maps,
		      const struct etw_value_names *names)
{
	unsigned int i;

	for (i = 0; names && i < block->template.top; i++)
		if (etw_integer_size(fields[i].in_type) &&
		    etw_value_names_find(names, fields[i].name, &maps[i]))
			fields[i].map = maps[i].map;
}

/* The same for the steps, once the plan is finished */
static void set_step_maps(struct block *block, const struct etw_field_map *maps)
{
	unsigned int i;

	for (i = 0; i < block->template.top; i++)
		if (block->template.fields[i].map)
			block->plan.steps[i].map = &maps[i];
}

/* names: of its values, or NULL; they are a part of the plan's key. */
static struct etw_schema_plan *build(const uint8_t *meta, size_t size, const struct node *nodes,
				     uint32_t count, size_t info_size,
				     const struct etw_value_names *names)
{
	size_t guid_size = names ? sizeof(names->guid) : 0;
	size_t bytes = sizeof(struct block) + count * (sizeof(struct etw_mf_field) +
						       sizeof(struct etw_field_step)) +
		(names ? count * sizeof(struct etw_field_map) : 0) + guid_size;
	struct block *block = calloc(1, bytes + size + info_size);
	uint32_t *at = malloc((count + 1) * sizeof(*at)), i;
	struct etw_mf_field *fields;
	struct etw_field_map *maps;
	uint8_t *copy;

	if (!block || !at) {
		free(block);
		free(at);
		return NULL;
	}
	fields = (struct etw_mf_field *)(block + 1);
	block->plan.steps = (struct etw_field_step *)(fields + count);
	copy = (uint8_t *)block + bytes;
	memcpy(copy, meta, size);
	lay_out(fields, at, nodes, count, copy + size, &block->template.top);
	free(at);
	for (i = 0; i < count; i++)
		fields[i].name = (const char *)copy + (fields[i].name - (const char *)meta);
	block->template.id = "";
	block->template.fields = fields;
	block->template.count = count;
	block->plan.source = ETW_DECODE_TRACELOGGING;
	block->plan.template = &block->template;
	block->plan.event_name = etw_tlmeta_name(copy, size, &block->plan.tags);
	if (names)
		memcpy(copy - guid_size, &names->guid, guid_size);
	block->plan.key = copy - guid_size;
	block->plan.key_size = guid_size + size;
	block->plan.bytes = bytes + size + info_size;
	maps = (struct etw_field_map *)(block->plan.steps + count);
	find_maps(block, fields, maps, names);
	if (etw_plan_finish(&block->plan)) {
		etw_plan_free(&block->plan);
		return NULL;
	}
	set_step_maps(block, maps);
	return &block->plan;
}

/* Limit the metadata to their own size, and read the name; false: malformed. */
static bool head_of(const uint8_t *meta, size_t size, struct reader *r, const char **name,
		    uint32_t *tags)
{
	uint16_t own;

	*r = (struct reader){ meta, meta + size };
	if (!take_u16(r, &own) || own > size)
		return false;
	r->end = meta + own;
	if (own < 2 || !take_tags(r, tags))
		return false;
	*name = take_name(r);
	return *name;
}

const char *etw_tlmeta_name(const uint8_t *meta, size_t size, uint32_t *tags)
{
	const char *name;
	struct reader r;

	return head_of(meta, size, &r, &name, tags) ? name : NULL;
}

struct etw_schema_plan *etw_tlmeta_parse(const uint8_t *meta, size_t size,
					 const struct etw_value_names *names, int *error)
{
	struct etw_schema_plan *schema = NULL;
	const char *name;
	struct node *nodes;
	struct reader r;
	uint32_t count, tags;
	size_t info;

	*error = -EBADMSG;
	if (!head_of(meta, size, &r, &name, &tags))
		return NULL;
	/* A field has at least the NUL of its name and a type. */
	nodes = malloc(((size_t)(r.end - r.p) / 2 + 1) * sizeof(*nodes));
	if (!nodes || walk(r, nodes, &count, &info)) {
		schema = nodes ? build(meta, (size_t)(r.end - meta), nodes, count, info, names) : NULL;
		*error = schema ? 0 : -ENOMEM;
	}
	free(nodes);
	return schema;
}

const char *etw_traits_name(const uint8_t *traits, size_t size, const uint8_t **decode)
{
	struct reader r = { traits, traits + size };
	uint16_t own, chunk;
	const char *name;

	*decode = NULL;
	if (!take_u16(&r, &own) || own > size || own < 2)
		return NULL;
	r.end = traits + own;
	name = take_name(&r);
	while (name && r.end - r.p >= 3) {
		const uint8_t *start = r.p;

		take_u16(&r, &chunk);
		if (chunk < 3 || chunk > r.end - start)
			break;
		if (*r.p == ETW_TRAIT_DECODE && chunk == 3 + sizeof(struct etw_guid))
			*decode = r.p + 1;
		r.p = start + chunk;
	}
	return name;
}
