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

static void put_escaped(struct manifest_capture *capture, const char *s, size_t len)
{
	etw_text_xml(&capture->text, s, len, ETW_XML_ATTRIBUTE);
}

/* prefix: or NULL */
static void put_name(struct manifest_capture *capture, const char *before, const char *prefix,
		     const char *name)
{
	etw_text_printf(&capture->text, "%s%s%s%s", before, prefix ?: "", prefix ? ":" : "", name);
}

static void close_tag(struct manifest_capture *capture)
{
	if (capture->tag_open)
		etw_text_char(&capture->text, '>');
	capture->tag_open = false;
}

static void put_binding(struct manifest_capture *capture, const char *prefix, const char *uri)
{
	etw_text_printf(&capture->text, " xmlns%s%s=\"", prefix ? ":" : "", prefix ?: "");
	put_escaped(capture, uri ?: "", strlen(uri ?: ""));
	etw_text_char(&capture->text, '"');
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
static void rebind(struct manifest_capture *capture, const char *prefix, const char *uri, int namespaces,
		   const unsigned char **list)
{
	if (prefix && uri && strcmp(prefix, "xml") && !is_bound(prefix, namespaces, list))
		put_binding(capture, prefix, uri);
}

void etw_manifest_capture_begin(struct manifest_capture *capture, const char *name, const char *prefix,
			  const char *uri, int namespaces,
			  const unsigned char **namespace_list, int attributes,
			  const unsigned char **attribute_list)
{
	int i, j;

	close_tag(capture);
	put_name(capture, "<", prefix, name);
	for (i = 0; i < namespaces; i++)
		put_binding(capture, (const char *)namespace_list[2 * i],
			    (const char *)namespace_list[2 * i + 1]);
	rebind(capture, prefix, uri, namespaces, namespace_list);
	for (i = 0; i < attributes; i++) {
		const unsigned char **a = attribute_list + (size_t)i * ATTRIBUTE;
		const char *used = (const char *)a[1];

		/* Once for each prefix of the tag */
		for (j = 0; used && j < i; j++)
			if (attribute_list[(size_t)j * ATTRIBUTE + 1] == a[1])
				used = NULL;
		if (used && (!prefix || strcmp(used, prefix)))
			rebind(capture, used, (const char *)a[2], namespaces, namespace_list);
		put_name(capture, " ", (const char *)a[1], (const char *)a[0]);
		etw_text_add(&capture->text, "=\"", 2);
		put_escaped(capture, (const char *)a[3], a[4] - a[3]);
		etw_text_char(&capture->text, '"');
	}
	capture->tag_open = true;
	capture->depth++;
}

void etw_manifest_capture_text(struct manifest_capture *capture, const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && memchr(" \t\r\n", s[i], 4))
		i++;
	if (i == len)
		return;
	close_tag(capture);
	put_escaped(capture, s, len);
}

void etw_manifest_capture_end(struct manifest_capture *capture, const char *name, const char *prefix)
{
	if (capture->tag_open) {
		etw_text_add(&capture->text, "/>", 2);
		capture->tag_open = false;
	} else {
		put_name(capture, "</", prefix, name);
		etw_text_char(&capture->text, '>');
	}
	capture->depth--;
}
