/* SPDX-License-Identifier: MIT */
/*
 * binxml.h - binary XML as templates have it, and the same as text
 *
 * Both are written at once: the text is what a template's identifier is a hash of.
 * Names lie where they are used, with their hash ([MS-EVEN6] 2.2.12).
 */
#ifndef ETW_MC_BINXML_H
#define ETW_MC_BINXML_H

#include "base/bytes.h"
#include "base/text.h"

struct etw_binxml {
	struct etw_bytes *out;
	struct etw_text text;		/* UTF-8; the caller frees it */
	const uint8_t *types;		/* of the values %1, %2, ... */
	unsigned int type_count;
	bool too_long;			/* a name or a text is longer than 65,535 units */
	size_t begin;
	bool open;			/* the text of a start tag is not closed yet */
};

/* An element: where its lengths are */
struct etw_binxml_element {
	size_t length;
	size_t attributes;		/* 0: it has none */
	const char *name;
};

void etw_binxml_begin(struct etw_binxml *xml);
/* Fills to 4 bytes. */
void etw_binxml_end(struct etw_binxml *xml);

void etw_binxml_open(struct etw_binxml *xml, struct etw_binxml_element *element,
		     const char *name, bool attributes);
void etw_binxml_attribute(struct etw_binxml *xml, const char *name, const char *value, bool more);
/* All attributes are there; the content follows. */
void etw_binxml_content(struct etw_binxml *xml, const struct etw_binxml_element *element);
/* Text, in which %n stands for a value. */
void etw_binxml_put(struct etw_binxml *xml, const char *text);
void etw_binxml_close(struct etw_binxml *xml, const struct etw_binxml_element *element);

/*
 * The element within a template's UserData, which is given as XML.  0, -EINVAL: it is
 * no XML or has no element; -ENOMEM.
 */
int etw_binxml_user_data(struct etw_binxml *xml, const char *user_data);

#endif /* ETW_MC_BINXML_H */
