// SPDX-License-Identifier: MIT
/*
 * wevt_write_templates.c - WEVT_TEMPLATE: templates, their fields and identifiers
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binxml.h"
#include "base/sha256.h"
#include "wevt_write.h"
#include "tdh/wevt/format.h"

/*
 * A count or length of 0 means none.  A SID's constant length has no flag either: mc.exe
 * keeps only the number.
 */
static uint32_t flags_of(const struct etw_mf_field *field)
{
	uint32_t flags = 0;

	if (field->flags & ETW_MF_STRUCT)
		flags |= ETW_WEVT_STRUCT;
	if (field->flags & ETW_MF_LENGTH_FIELD)
		flags |= ETW_WEVT_LENGTH_FIELD;
	else if (field->length && field->in_type != TDH_INTYPE_SID)
		flags |= ETW_WEVT_LENGTH_FIXED;
	if (field->flags & ETW_MF_COUNT_FIELD)
		flags |= ETW_WEVT_COUNT_FIELD;
	else if (field->flags & ETW_MF_COUNT_FIXED && field->count)
		flags |= ETW_WEVT_COUNT_FIXED;
	return flags;
}

/* The binary XML type of a value. */
static uint8_t value_type(const struct etw_mf_field *field)
{
	uint8_t type = field->flags & ETW_MF_STRUCT ? ETW_BINXML_BINARY : field->in_type;

	return flags_of(field) & (ETW_WEVT_COUNT_FIXED | ETW_WEVT_COUNT_FIELD) ?
	       type | ETW_BINXML_ARRAY : type;
}

static void event_data(struct etw_binxml *xml, const struct etw_mf_template *t)
{
	struct etw_binxml_element all, data;
	char insert[16];
	unsigned int i;

	etw_binxml_open(xml, &all, "EventData", t->name);
	if (t->name)
		etw_binxml_attribute(xml, "Name", t->name, false);
	etw_binxml_content(xml, &all);
	for (i = 0; i < t->top; i++) {
		bool structure = t->fields[i].flags & ETW_MF_STRUCT;

		etw_binxml_open(xml, &data, structure ? "ComplexData" : "Data", true);
		etw_binxml_attribute(xml, "Name", t->fields[i].name, false);
		etw_binxml_content(xml, &data);
		snprintf(insert, sizeof(insert), "%%%u", i + 1);
		etw_binxml_put(xml, insert);
		etw_binxml_close(xml, &data);
	}
	etw_binxml_close(xml, &all);
}

/*
 * The template's identifier: the first half of the SHA-256 of a fixed word, the XML as
 * UTF-16, and each value's type as 32 bits, marked as a version 5 GUID.
 */
static int identify(struct etw_binxml *xml, uint8_t guid[16])
{
	struct etw_bytes all = { .len = 0 };
	uint8_t digest[32];
	unsigned int i;
	int ret;

	etw_bytes_put(&all, "MS-WEVT", 8);
	if (!xml->text.error)
		etw_bytes_utf16(&all, xml->text.data);
	for (i = 0; i < xml->type_count; i++)
		etw_bytes_put32(&all, xml->types[i]);
	ret = xml->text.error ? xml->text.error : all.error;
	if (!ret) {
		etw_sha256(all.data, all.len, digest);
		memcpy(guid, digest, 16);
		guid[7] = (guid[7] & 0x0f) | 0x50;
	}
	etw_bytes_free(&all);
	return ret;
}

/* Append the binary XML to out and compute the identifier. */
static int write_xml(struct etw_wevt_writer *w, const struct etw_mf_template *t, uint8_t guid[16])
{
	uint8_t *types = calloc(t->top + 1, 1);
	struct etw_binxml xml = { .out = w->out, .types = types, .type_count = t->top };
	unsigned int i;
	int ret = 0;

	if (!types)
		return -ENOMEM;
	for (i = 0; i < t->top; i++)
		types[i] = value_type(&t->fields[i]);
	etw_binxml_begin(&xml);
	if (t->user_data)
		ret = etw_binxml_user_data(&xml, t->user_data);
	else
		event_data(&xml, t);
	etw_binxml_end(&xml);
	if (ret == -EINVAL)
		etw_wevt_error(w, t->line, "the UserData of template \"%s\" has no element", t->id);
	else if (xml.too_long)
		etw_wevt_error(w, t->line, "template \"%s\" has a name of more than 65,535 units",
			       t->id);
	else if (!ret)
		ret = identify(&xml, guid);
	etw_text_free(&xml.text);
	free(types);
	return ret;
}

static void write_field(struct etw_wevt_writer *w, const struct etw_mf_field *field)
{
	uint32_t flags = flags_of(field);
	bool counted = flags & (ETW_WEVT_COUNT_FIXED | ETW_WEVT_COUNT_FIELD);

	etw_bytes_put32(w->out, flags);
	if (flags & ETW_WEVT_STRUCT) {
		etw_bytes_put16(w->out, field->first);
		etw_bytes_put16(w->out, field->members);
		etw_bytes_put32(w->out, 0);
	} else {
		etw_bytes_put8(w->out, field->in_type);
		etw_bytes_put8(w->out, field->out_type);
		etw_bytes_put16(w->out, 0);
		etw_bytes_put32(w->out, etw_wevt_place_of(w, field->map));
	}
	etw_bytes_put16(w->out, counted ? field->count : 0);
	etw_bytes_put16(w->out, field->length);
	etw_bytes_put32(w->out, etw_wevt_name(w, field->name));
}

/* Refuse types that manifests do not have: a table stores types as bytes. */
static bool check_fields(struct etw_wevt_writer *w, const struct etw_mf_template *t)
{
	unsigned int i;

	for (i = 0; i < t->count; i++) {
		if (t->fields[i].in_type <= UINT8_MAX && t->fields[i].out_type <= UINT8_MAX)
			continue;
		etw_wevt_error(w, t->fields[i].line,
			       "the type of \"%s\" is none of manifests", t->fields[i].name);
		return false;
	}
	return true;
}

static void write_template(struct etw_wevt_writer *w, const struct etw_mf_template *t)
{
	size_t at = w->out->len;
	uint8_t guid[16] = { 0 };
	unsigned int i;
	int ret;

	if (!check_fields(w, t))
		return;
	etw_wevt_place(w, t, etw_wevt_here(w));
	etw_bytes_put(w->out, "TEMP", 4);
	etw_bytes_zero_to(w->out, at + ETW_WEVT_TEMPLATE_SIZE);
	ret = write_xml(w, t, guid);
	if (ret)
		w->error = w->error ? w->error : ret;
	if (w->error || w->out->error)
		return;
	etw_bytes_set32(w->out, at + 8, t->top);
	etw_bytes_set32(w->out, at + 12, t->count);
	etw_bytes_set32(w->out, at + 16, etw_wevt_here(w));
	etw_bytes_set32(w->out, at + 20, t->user_data ? ETW_WEVT_USER_DATA : ETW_WEVT_EVENT_DATA);
	memcpy(w->out->data + at + 24, guid, sizeof(guid));
	w->names_at = w->out->len + t->count * ETW_WEVT_PROPERTY_SIZE;
	etw_bytes_cut(&w->names, 0);
	for (i = 0; i < t->count; i++)
		write_field(w, &t->fields[i]);
	etw_bytes_put(w->out, w->names.data, w->names.len);
	etw_bytes_set32(w->out, at + 4, w->out->len - at);
}

void etw_wevt_templates(struct etw_wevt_writer *w)
{
	const struct etw_mf_provider *p = w->provider;
	size_t start = w->out->len;
	unsigned int i;

	etw_bytes_put(w->out, "TTBL", 4);
	etw_bytes_put32(w->out, 0);
	etw_bytes_put32(w->out, p->template_count);
	for (i = 0; i < p->template_count && !w->error && !w->out->error; i++)
		write_template(w, &p->templates[i]);
	etw_bytes_set32(w->out, start + 4, w->out->len - start);
}
