/* SPDX-License-Identifier: MIT */
/*
 * userdata.c - convert a UserData element back to text
 *
 * The text is well-formed on its own: prefixes bound outside of it are bound where they
 * are used. Blanks between elements are dropped, since they have no meaning.
 */
#include <string.h>

#include "manifest.h"
#include "base/xml_escape.h"

#define ATTRIBUTE	5	/* see SAX2's startElementNs */

static void put(struct etw_mx *x, const char *s)
{
	etw_text_puts(&x->text, s);
}

static void put_name(struct etw_mx *x, const char *prefix, const char *name)
{
	if (prefix) {
		put(x, prefix);
		put(x, ":");
	}
	put(x, name);
}

static void put_escaped(struct etw_mx *x, const char *s, size_t len)
{
	etw_text_xml(&x->text, s, len, ETW_XML_ATTRIBUTE);
}

static void close_tag(struct etw_mx *x)
{
	if (x->tag_open)
		put(x, ">");
	x->tag_open = false;
}

static void put_binding(struct etw_mx *x, const char *prefix, const char *uri)
{
	put(x, prefix ? " xmlns:" : " xmlns");
	if (prefix)
		put(x, prefix);
	put(x, "=\"");
	if (uri)
		put_escaped(x, uri, strlen(uri));
	put(x, "\"");
}

static bool is_bound(const char *prefix, int namespaces, const unsigned char **list)
{
	int i;

	for (i = 0; i < namespaces; i++)
		if (list[2 * i] && !strcmp((const char *)list[2 * i], prefix))
			return true;
	return false;
}

/* Bind a prefix of this tag again, unless the tag does so itself. */
static void rebind(struct etw_mx *x, const char *prefix, const char *uri, int namespaces,
		   const unsigned char **list)
{
	if (prefix && uri && strcmp(prefix, "xml") && !is_bound(prefix, namespaces, list))
		put_binding(x, prefix, uri);
}

void etw_mx_capture_begin(struct etw_mx *x, const char *name, const char *prefix,
			  const char *uri, int namespaces,
			  const unsigned char **namespace_list, int attributes,
			  const unsigned char **attribute_list)
{
	int i, j;

	close_tag(x);
	put(x, "<");
	put_name(x, prefix, name);
	for (i = 0; i < namespaces; i++)
		put_binding(x, (const char *)namespace_list[2 * i],
			    (const char *)namespace_list[2 * i + 1]);
	rebind(x, prefix, uri, namespaces, namespace_list);
	for (i = 0; i < attributes; i++) {
		const unsigned char **a = attribute_list + (size_t)i * ATTRIBUTE;
		const char *used = (const char *)a[1];

		/* Once for each prefix of the tag */
		for (j = 0; used && j < i; j++)
			if (attribute_list[(size_t)j * ATTRIBUTE + 1] == a[1])
				used = NULL;
		if (used && (!prefix || strcmp(used, prefix)))
			rebind(x, used, (const char *)a[2], namespaces, namespace_list);
		put(x, " ");
		put_name(x, (const char *)a[1], (const char *)a[0]);
		put(x, "=\"");
		put_escaped(x, (const char *)a[3], a[4] - a[3]);
		put(x, "\"");
	}
	x->tag_open = true;
	x->captured++;
}

void etw_mx_capture_text(struct etw_mx *x, const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && memchr(" \t\r\n", s[i], 4))
		i++;
	if (i == len)
		return;
	close_tag(x);
	put_escaped(x, s, len);
}

void etw_mx_capture_end(struct etw_mx *x, const char *name, const char *prefix)
{
	if (x->tag_open) {
		put(x, "/>");
		x->tag_open = false;
	} else {
		put(x, "</");
		put_name(x, prefix, name);
		put(x, ">");
	}
	x->captured--;
}
