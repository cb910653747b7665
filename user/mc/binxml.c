// SPDX-License-Identifier: MIT
/*
 * binxml.c - write the binary XML of templates, and the same XML as text
 */
#include <string.h>

#include "binxml.h"
#include "base/xml_escape.h"
#include "tdh/wevt/format.h"

#define UNITS_MAX	0xffffu

void etw_binxml_begin(struct etw_binxml *xml)
{
	xml->begin = xml->out->len;
	etw_bytes_put8(xml->out, ETW_BINXML_FRAGMENT);
	etw_bytes_put8(xml->out, 1);
	etw_bytes_put8(xml->out, 1);
	etw_bytes_put8(xml->out, 0);
}

void etw_binxml_end(struct etw_binxml *xml)
{
	etw_bytes_put8(xml->out, ETW_BINXML_END);
	etw_bytes_zero_to(xml->out, xml->begin + (xml->out->len - xml->begin + 3) / 4 * 4);
}

/* Store the number of UTF-16 units of a name or text at its offset. */
static void count_units(struct etw_binxml *xml, size_t at, size_t units)
{
	if (units > UNITS_MAX)
		xml->too_long = true;
	if (!xml->out->error) {
		xml->out->data[at] = units;
		xml->out->data[at + 1] = units >> 8;
	}
}

static void name(struct etw_binxml *xml, const char *s)
{
	size_t at = xml->out->len, units, i;
	uint16_t hash = 0, unit;

	etw_bytes_put32(xml->out, 0);
	units = etw_bytes_utf16(xml->out, s);
	for (i = 0; i < units && !xml->out->error; i++) {
		memcpy(&unit, xml->out->data + at + 4 + 2 * i, sizeof(unit));
		hash = hash * 65599u + unit;
	}
	etw_bytes_put16(xml->out, 0);
	if (!xml->out->error)
		memcpy(xml->out->data + at, &hash, sizeof(hash));
	count_units(xml, at + 2, units);
}

/* Write text as a value. */
static void value(struct etw_binxml *xml, const char *s)
{
	size_t at;

	etw_bytes_put8(xml->out, ETW_BINXML_TEXT);
	etw_bytes_put8(xml->out, ETW_BINXML_STRING);
	at = xml->out->len;
	etw_bytes_put16(xml->out, 0);
	count_units(xml, at, etw_bytes_utf16(xml->out, s));
}

void etw_binxml_open(struct etw_binxml *xml, struct etw_binxml_element *element,
		     const char *what, bool attributes)
{
	if (xml->open)
		etw_text_puts(&xml->text, ">");
	etw_text_puts(&xml->text, "<");
	etw_text_puts(&xml->text, what);
	xml->open = true;

	element->name = what;
	etw_bytes_put8(xml->out, ETW_BINXML_OPEN | (attributes ? ETW_BINXML_MORE : 0));
	etw_bytes_put16(xml->out, 0xffff);	/* does not depend on a value */
	element->length = xml->out->len;
	etw_bytes_put32(xml->out, 0);
	name(xml, what);
	element->attributes = attributes ? xml->out->len : 0;
	if (attributes)
		etw_bytes_put32(xml->out, 0);
}

void etw_binxml_attribute(struct etw_binxml *xml, const char *what, const char *is, bool more)
{
	etw_text_puts(&xml->text, " ");
	etw_text_puts(&xml->text, what);
	etw_text_puts(&xml->text, "=\"");
	etw_text_xml(&xml->text, is, strlen(is), ETW_XML_QUOTED);
	etw_text_puts(&xml->text, "\"");

	etw_bytes_put8(xml->out, ETW_BINXML_ATTRIBUTE | (more ? ETW_BINXML_MORE : 0));
	name(xml, what);
	value(xml, is);
}

void etw_binxml_content(struct etw_binxml *xml, const struct etw_binxml_element *element)
{
	if (element->attributes)
		etw_bytes_set32(xml->out, element->attributes,
				xml->out->len - element->attributes - 4);
	etw_bytes_put8(xml->out, ETW_BINXML_CLOSE_START);
}

/* The length of the %n at s, 0 if it is text; *index: the value. */
static size_t substitution(const struct etw_binxml *xml, const char *s, unsigned int *index)
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

void etw_binxml_put(struct etw_binxml *xml, const char *text)
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
				value(xml, (const char *)literal.data);
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

void etw_binxml_close(struct etw_binxml *xml, const struct etw_binxml_element *element)
{
	if (xml->open) {
		etw_text_puts(&xml->text, "/>");
	} else {
		etw_text_puts(&xml->text, "</");
		etw_text_puts(&xml->text, element->name);
		etw_text_puts(&xml->text, ">");
	}
	xml->open = false;
	etw_bytes_put8(xml->out, ETW_BINXML_END_ELEMENT);
	etw_bytes_set32(xml->out, element->length, xml->out->len - element->length - 4);
}
