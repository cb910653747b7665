// SPDX-License-Identifier: MIT
/*
 * templates.c - WEVT_TEMPLATE: templates and their fields
 */
#include <stdio.h>
#include <string.h>

#include "read.h"

#define FIELDS_MAX	65535u		/* indexes have 16 bits */

static void read_field(struct etw_wevt_reader *r, const uint8_t *p, struct etw_mf_field *f)
{
	uint32_t flags = etw_wevt_u32(p);

	f->name = etw_wevt_name_at(r, etw_wevt_u32(p + 16));
	f->count = etw_wevt_u16(p + 12);
	f->length = etw_wevt_u16(p + 14);
	if (flags & ETW_WEVT_STRUCT) {
		f->flags |= ETW_MF_STRUCT;
		f->first = etw_wevt_u16(p + 4);
		f->members = etw_wevt_u16(p + 6);
	} else {
		f->in_type = p[4];
		f->out_type = p[5];
		f->map = etw_wevt_at(r, ETW_WEVT_MAPS, etw_wevt_u32(p + 8));
	}
	if (flags & ETW_WEVT_LENGTH_FIELD)
		f->flags |= ETW_MF_LENGTH_FIELD;
	else if (flags & ETW_WEVT_LENGTH_FIXED)
		f->flags |= ETW_MF_LENGTH_FIXED;
	if (flags & ETW_WEVT_COUNT_FIELD)
		f->flags |= ETW_MF_COUNT_FIELD;
	else if (flags & ETW_WEVT_COUNT_FIXED)
		f->flags |= ETW_MF_COUNT_FIXED;
	else
		f->count = 1;
}

/*
 * A count or a length must refer to a single number that the decoder has passed: of the
 * top level before field "before", or, from first on, among the members of the same
 * structure before own. For fields of the top level, first equals own and before.
 */
static bool refers_back(const struct etw_mf_field *fields, unsigned int before,
			unsigned int first, unsigned int own, unsigned int at)
{
	if (at >= before && (at < first || at >= own))
		return false;
	return !(fields[at].flags & (ETW_MF_STRUCT | ETW_MF_COUNT_FIELD | ETW_MF_COUNT_FIXED));
}

static bool check_field(const struct etw_mf_field *fields, unsigned int before,
			unsigned int first, unsigned int i)
{
	const struct etw_mf_field *f = &fields[i];

	if (f->flags & ETW_MF_COUNT_FIELD && !refers_back(fields, before, first, i, f->count))
		return false;
	return !(f->flags & ETW_MF_LENGTH_FIELD) ||
	       refers_back(fields, before, first, i, f->length);
}

/*
 * Members of structures follow the top level, one structure after the other, each once:
 * so no event makes a decoder walk more fields than exist.
 */
static bool check_fields(const struct etw_mf_template *t)
{
	const struct etw_mf_field *f = t->fields;
	unsigned int next = t->top, i, j;

	for (i = 0; i < t->top; i++) {
		if (!check_field(f, i, i, i))
			return false;
		if (!(f[i].flags & ETW_MF_STRUCT))
			continue;
		if (f[i].first != next || f[i].members > t->count - next)
			return false;
		for (j = next; j < next + f[i].members; j++) {
			if (f[j].flags & ETW_MF_STRUCT || !check_field(f, i, next, j))
				return false;
		}
		next += f[i].members;
	}
	return next == t->count;
}

static void read_fields(struct etw_wevt_reader *r, struct etw_mf_template *t, const uint8_t *temp,
			uint32_t offset)
{
	uint32_t top = etw_wevt_u32(temp + 8), count = etw_wevt_u32(temp + 12), i;
	const uint8_t *p;
	struct etw_mf_field *fields;

	if (top > count || count > FIELDS_MAX) {
		etw_wevt_bad(r, "template at 0x%x: %u of %u fields", offset, top, count);
		return;
	}
	p = etw_wevt_entries(r, etw_wevt_u32(temp + 16), count, ETW_WEVT_PROPERTY_SIZE);
	fields = p ? etw_wevt_alloc(r, count, sizeof(*fields)) : NULL;
	if (!fields)
		return;
	for (i = 0; i < count && !r->error; i++)
		read_field(r, p + i * ETW_WEVT_PROPERTY_SIZE, &fields[i]);
	t->fields = fields;
	t->count = count;
	t->top = top;
	if (!r->error && !check_fields(t))
		etw_wevt_bad(r, "template at 0x%x: fields refer to none before them, or "
			     "structures share members", offset);
}

/* The binary XML lies between the header and the fields, or the end without fields. */
static void read_xml(struct etw_wevt_reader *r, struct etw_mf_template *t, uint32_t offset,
		     uint32_t length)
{
	uint32_t fields = etw_wevt_u32(r->data + offset + 16);
	uint32_t begin = offset + ETW_WEVT_TEMPLATE_SIZE, end = offset + length;

	if (fields >= begin && fields < end)
		end = fields;
	if (!r->error)
		etw_wevt_read_binxml(r, r->data + begin, end - begin, &t->name, &t->user_data);
}

static uint32_t read_template(struct etw_wevt_reader *r, struct etw_mf_template *t,
			      uint32_t offset, unsigned int number)
{
	const uint8_t *p = etw_wevt_bytes(r, offset, ETW_WEVT_TEMPLATE_SIZE);
	uint32_t length = p ? etw_wevt_u32(p + 4) : 0;
	char id[24];

	if (!p)
		return 0;
	if (memcmp(p, "TEMP", 4) || length < ETW_WEVT_TEMPLATE_SIZE) {
		etw_wevt_bad(r, "offset 0x%x: no template of signature TEMP", offset);
		return 0;
	}
	if (!etw_wevt_bytes(r, offset, length))
		return 0;
	snprintf(id, sizeof(id), "template%u", number);
	t->id = etw_wevt_keep(r, id);
	read_fields(r, t, p, offset);
	read_xml(r, t, offset, length);
	return length;
}

/* Templates are contiguous. */
void etw_wevt_read_templates(struct etw_wevt_reader *r)
{
	uint32_t count, at, i;
	const uint8_t *p = etw_wevt_list(r, ETW_WEVT_TEMPLATES, 12, ETW_WEVT_TEMPLATE_SIZE, &count);
	struct etw_mf_template *t = etw_wevt_alloc(r, count, sizeof(*t));

	if (!p || !t)
		return;
	r->provider->templates = t;
	at = p - r->data;
	for (i = 0; i < count && !r->error; i++, t++) {
		etw_wevt_define(r, ETW_WEVT_TEMPLATES, at, t);
		at += read_template(r, t, at, i + 1);
	}
	r->provider->template_count = i;
}
