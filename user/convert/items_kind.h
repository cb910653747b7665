/* SPDX-License-Identifier: MIT */
/*
 * items_kind.h - the kinds of extended items
 */
#ifndef ETW_CONVERT_ITEMS_KIND_H
#define ETW_CONVERT_ITEMS_KIND_H

#include "items.h"

#define ITEMS_STACK_HEAD	8	/* MatchId */
#define ITEMS_GUID		16	/* size of a member that is a GUID; others are numbers */

enum items_shape { ITEM_GUID, ITEM_SID, ITEM_NUMBER, ITEM_HEX, ITEM_UTF16, ITEM_UTF8, ITEM_STACK,
		   ITEM_NAMESPACE, ITEM_INSTANCE, ITEM_SCHEMA, ITEM_TRAITS,
		   ITEM_CONTEXT };

struct items_kind {
	uint16_t type;
	const char *name;	/* in text */
	const char *key;	/* in JSON */
	enum items_shape shape;
	unsigned int bit;	/* unique for each key */
	unsigned int least;	/* bytes; shorter items are left out */
	unsigned int width;	/* STACK: bytes of an address */
	const struct items_member {
		const char *key;
		unsigned int at, size;
	} *members;		/* NAMESPACE, INSTANCE; the last has no key */
};

struct items_walk {
	const struct etw_record_view *record;
	unsigned int flags;	/* ITEMS_SCHEMA, ITEMS_SHARED */
	bool once;		/* only the first of each key */
	uint32_t offset, had;
};

/* The next item that is whole, and its kind; NULL: there are no more. */
const struct items_kind *items_next(struct items_walk *walk, struct etw_ext_view *item);
uint64_t items_number(const void *data, size_t at, size_t size);
/* Append an item that is a string, GUID, SID or HEX; strings as UTF-8 up to their NUL. */
void items_add_string(struct etw_text *to, const struct items_kind *kind,
		      const struct etw_ext_view *item);

#endif /* ETW_CONVERT_ITEMS_KIND_H */
