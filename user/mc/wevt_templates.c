// SPDX-License-Identifier: MIT
/*
 * wevt_templates.c - WEVT_TEMPLATE: templates, their fields, binary XML and identifiers
 *
 * A template's XML is written as binary XML and as text at the same time; the template's
 * identifier is a hash of the text.  Names are stored inline, with their hash ([MS-EVEN6]
 * 2.2.12).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "wevt_write.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/xml_escape.h"
#include "tdh/wevt/format.h"

#define UNITS_MAX	0xffffu		/* of a name or a text */

struct xml {
	struct etw_bytes *out;
	struct etw_text text;		/* UTF-8 */
	const uint8_t *types;		/* types of the values %1, %2, ... */
	unsigned int type_count;
	bool too_long;			/* a name or a text is longer than UNITS_MAX */
	bool open;			/* the text of a start tag lacks its ">" */
};

/* An element: offsets of its lengths in out */
struct element {
	size_t length;
	size_t attributes;		/* 0: no attributes */
	const char *name;
};

static void put_name(struct xml *xml, const char *name)
{
	size_t at = xml->out->len, units, i;
	uint16_t hash = 0, unit;

	etw_bytes_put32(xml->out, 0);
	units = etw_bytes_utf16(xml->out, name);
	for (i = 0; i < units && !xml->out->error; i++) {
		memcpy(&unit, xml->out->data + at + 4 + 2 * i, sizeof(unit));
		hash = hash * 65599u + unit;
	}
	etw_bytes_put16(xml->out, 0);
	etw_bytes_set32(xml->out, at, (uint32_t)units << 16 | hash);
	xml->too_long |= units > UNITS_MAX;
}

/* Put text as a value. */
static void put_value(struct xml *xml, const char *text)
{
	size_t at = xml->out->len, units;

	etw_bytes_put32(xml->out, 0);
	units = etw_bytes_utf16(xml->out, text);
	etw_bytes_set32(xml->out, at, (uint32_t)units << 16 | ETW_BINXML_STRING << 8 |
			ETW_BINXML_TEXT);
	xml->too_long |= units > UNITS_MAX;
}

static void open_element(struct xml *xml, struct element *element, const char *name,
			 bool attributes)
{
	etw_text_puts(&xml->text, xml->open ? "><" : "<");
	etw_text_puts(&xml->text, name);
	xml->open = true;

	element->name = name;
	etw_bytes_put8(xml->out, ETW_BINXML_OPEN | (attributes ? ETW_BINXML_MORE : 0));
	etw_bytes_put16(xml->out, 0xffff);	/* does not depend on a value */
	element->length = xml->out->len;
	etw_bytes_put32(xml->out, 0);
	put_name(xml, name);
	element->attributes = attributes ? xml->out->len : 0;
	if (attributes)
		etw_bytes_put32(xml->out, 0);
}

static void put_attribute(struct xml *xml, const char *name, const char *value, bool more)
{
	etw_text_puts(&xml->text, " ");
	etw_text_puts(&xml->text, name);
	etw_text_puts(&xml->text, "=\"");
	etw_text_xml(&xml->text, value, strlen(value), ETW_XML_QUOTED);
	etw_text_puts(&xml->text, "\"");

	etw_bytes_put8(xml->out, ETW_BINXML_ATTRIBUTE | (more ? ETW_BINXML_MORE : 0));
	put_name(xml, name);
	put_value(xml, value);
}

/* End the attributes; the content follows. */
static void begin_content(struct xml *xml, const struct element *element)
{
	if (element->attributes)
		etw_bytes_set32(xml->out, element->attributes,
				xml->out->len - element->attributes - 4);
	etw_bytes_put8(xml->out, ETW_BINXML_CLOSE_START);
}

/* The length of the %n at s, 0 if it is text; *index: the value. */
static size_t substitution(const struct xml *xml, const char *s, unsigned int *index)
{
	size_t len = 1;
	unsigned int n = 0;

	if (*s != '%')
		return 0;
	for (; s[len] >= '0' && s[len] <= '9' && n <= UNITS_MAX; len++)
		n = 10 * n + s[len] - '0';
	if (!n || n > xml->type_count)
		return 0;
	*index = n - 1;
	return len;
}

/* Put text; %n in it stands for a value. */
static void put_content(struct xml *xml, const char *text)
{
	struct etw_bytes literal = { .len = 0 };
	unsigned int index;
	size_t len;

	if (xml->open)
		etw_text_puts(&xml->text, ">");
	xml->open = false;
	etw_text_xml(&xml->text, text, strlen(text), ETW_XML_CONTENT);
	while (*text) {
		len = substitution(xml, text, &index);
		if (!len)
			etw_bytes_put8(&literal, *text++);
		if (literal.len && (len || !*text)) {
			etw_bytes_put8(&literal, 0);
			if (literal.error)
				xml->out->error = literal.error;
			else
				put_value(xml, (const char *)literal.data);
			etw_bytes_cut(&literal, 0);
		}
		if (!len)
			continue;
		etw_bytes_put8(xml->out, ETW_BINXML_SUBSTITUTION);
		etw_bytes_put16(xml->out, index);
		etw_bytes_put8(xml->out, xml->types[index]);
		text += len;
	}
	etw_bytes_free(&literal);
}

static void close_element(struct xml *xml, const struct element *element)
{
	if (xml->open)
		etw_text_puts(&xml->text, "/>");
	else
		etw_text_printf(&xml->text, "</%s>", element->name);
	xml->open = false;
	etw_bytes_put8(xml->out, ETW_BINXML_END_ELEMENT);
	etw_bytes_set32(xml->out, element->length, xml->out->len - element->length - 4);
}

/* --------------------------------------------------------------------- UserData */

static const char *string(const xmlChar *s)
{
	return s ? (const char *)s : "";
}

/* Like mc.exe, puts names without prefix, and a namespace as an attribute "xmlns". */
static void put_attributes(struct xml *xml, xmlNode *node)
{
	xmlAttr *attribute;
	xmlChar *is;
	xmlNs *ns;

	for (ns = node->nsDef; ns; ns = ns->next)
		put_attribute(xml, "xmlns", string(ns->href), ns->next || node->properties);
	for (attribute = node->properties; attribute; attribute = attribute->next) {
		is = xmlNodeListGetString(node->doc, attribute->children, 1);
		put_attribute(xml, string(attribute->name), string(is), attribute->next);
		xmlFree(is);
	}
}

/* Recursion is bounded: the parser accepts at most 256 levels. */
static void put_element(struct xml *xml, xmlNode *node)
{
	struct element element;
	xmlNode *child;
	xmlChar *text;

	open_element(xml, &element, string(node->name), node->nsDef || node->properties);
	put_attributes(xml, node);
	begin_content(xml, &element);
	for (child = node->children; child; child = child->next) {
		if (child->type == XML_ELEMENT_NODE) {
			put_element(xml, child);
		} else if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) {
			text = xmlNodeGetContent(child);
			put_content(xml, string(text));
			xmlFree(text);
		}
	}
	close_element(xml, &element);
}

static xmlNode *first_element(xmlNode *node)
{
	while (node && node->type != XML_ELEMENT_NODE)
		node = node->next;
	return node;
}

/* Put the element in UserData, given as XML.  0; -EINVAL: malformed, or no element; -ENOMEM */
static int put_user_data(struct xml *xml, const char *user_data)
{
	size_t len = strlen(user_data);
	xmlNode *root;
	xmlDoc *doc;

	if (len > INT_MAX)
		return -EINVAL;
	doc = xmlReadMemory(user_data, len, NULL, "UTF-8", XML_PARSE_NONET | XML_PARSE_NOBLANKS |
			    XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	root = doc ? xmlDocGetRootElement(doc) : NULL;
	if (root && !strcmp(string(root->name), "UserData"))
		root = first_element(root->children);
	if (root)
		put_element(xml, root);
	xmlFreeDoc(doc);
	if (!doc && xmlGetLastError() && xmlGetLastError()->code == XML_ERR_NO_MEMORY)
		return -ENOMEM;
	return root ? 0 : -EINVAL;
}

/* -------------------------------------------------------------------- templates */

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

static void event_data(struct xml *xml, const struct etw_mf_template *t)
{
	struct element all, data;
	char insert[16];
	unsigned int i;

	open_element(xml, &all, "EventData", t->name);
	if (t->name)
		put_attribute(xml, "Name", t->name, false);
	begin_content(xml, &all);
	for (i = 0; i < t->top; i++) {
		bool structure = t->fields[i].flags & ETW_MF_STRUCT;

		open_element(xml, &data, structure ? "ComplexData" : "Data", true);
		put_attribute(xml, "Name", t->fields[i].name, false);
		begin_content(xml, &data);
		snprintf(insert, sizeof(insert), "%%%u", i + 1);
		put_content(xml, insert);
		close_element(xml, &data);
	}
	close_element(xml, &all);
}

/*
 * The template's identifier: the first half of the SHA-256 of a fixed word, the XML as
 * UTF-16, and each value's type as 32 bits, marked as a version 5 GUID.
 */
static int identify(struct xml *xml, uint8_t guid[16])
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
	struct xml xml = { .out = w->out, .types = types, .type_count = t->top };
	size_t begin = w->out->len;
	unsigned int i;
	int ret = 0;

	if (!types)
		return -ENOMEM;
	for (i = 0; i < t->top; i++)
		types[i] = value_type(&t->fields[i]);
	etw_bytes_put32(w->out, ETW_BINXML_FRAGMENT | 1 << 8 | 1 << 16);
	if (t->user_data)
		ret = put_user_data(&xml, t->user_data);
	else
		event_data(&xml, t);
	etw_bytes_put8(w->out, ETW_BINXML_END);
	etw_bytes_align(w->out, begin, 4);
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
