/* SPDX-License-Identifier: MIT */
/*
 * binxml.h - write the binary XML of templates, and the same XML as text
 *
 * Both are written together; the template's identifier is a hash of the text.  Names are
 * stored inline, with their hash ([MS-EVEN6] 2.2.12).
 */
#ifndef ETW_MC_BINXML_H
#define ETW_MC_BINXML_H

#include "base/bytes.h"
#include "base/text.h"

struct etw_binxml {
	struct etw_bytes *out;
	struct etw_text text;		/* UTF-8; the caller frees it */
	const uint8_t *types;		/* types of the values %1, %2, ... */
	unsigned int type_count;
	bool too_long;			/* a name or a text is longer than 65,535 units */
	size_t begin;			/* offset of the fragment in out */
	bool open;			/* the text of a start tag lacks its ">" */
};

/* An element: offsets of its lengths in out */
struct etw_binxml_element {
	size_t length;
	size_t attributes;		/* 0: no attributes */
	const char *name;
};

void etw_binxml_begin(struct etw_binxml *xml);
/* End the fragment and pad it to a multiple of 4 bytes. */
void etw_binxml_end(struct etw_binxml *xml);

void etw_binxml_open(struct etw_binxml *xml, struct etw_binxml_element *element,
		     const char *name, bool attributes);
void etw_binxml_attribute(struct etw_binxml *xml, const char *name, const char *value, bool more);
/* End the attributes; the content follows. */
void etw_binxml_content(struct etw_binxml *xml, const struct etw_binxml_element *element);
/* Write text; %n in it stands for a value. */
void etw_binxml_put(struct etw_binxml *xml, const char *text);
void etw_binxml_close(struct etw_binxml *xml, const struct etw_binxml_element *element);

/*
 * Write the element in a template's UserData, given as XML.  0; -EINVAL: malformed XML or
 * no element; -ENOMEM.
 */
int etw_binxml_user_data(struct etw_binxml *xml, const char *user_data);

#endif /* ETW_MC_BINXML_H */
