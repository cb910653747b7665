/* SPDX-License-Identifier: MIT */
/*
 * items_kind.h - the kinds of extended items
 */
#ifndef ETW_CONVERT_ITEMS_KIND_H
#define ETW_CONVERT_ITEMS_KIND_H

#include "items.h"

#define ITEMS_STACK_HEAD	8	/* MatchId */
#define ITEMS_INSTANCE_PARENT	8	/* the parent's class follows both ids */

enum items_shape { ITEM_GUID, ITEM_SID, ITEM_U32, ITEM_U64, ITEM_UTF16, ITEM_UTF8,
		   ITEM_STACK32, ITEM_STACK64, ITEM_PID_NAMESPACE, ITEM_SCHEMA, ITEM_TRAITS,
		   ITEM_INSTANCE };

struct items_kind {
	uint16_t type;
	const char *name;	/* in text */
	const char *key;	/* in JSON */
	enum items_shape shape;
	unsigned int bit;	/* unique for each key */
};

/* Items that only describe how to decode the event */
static inline bool items_is_schema(const struct items_kind *kind)
{
	return kind->shape == ITEM_SCHEMA || kind->shape == ITEM_TRAITS;
}

/* NULL: the type is unknown, or the item is too short for it. */
const struct items_kind *items_kind(const struct etw_ext_view *item);
uint64_t items_number(const void *data, size_t at, size_t size);
void items_add_sid(struct etw_text *to, const uint8_t *sid);
/* Append a string item as UTF-8, up to its NUL if there is one. */
void items_add_string(struct etw_text *to, enum items_shape shape,
		      const struct etw_ext_view *item);
/* The name in metadata or traits; NULL: there is none. */
const char *items_name(enum items_shape shape, const struct etw_ext_view *item, uint32_t *len);

#endif /* ETW_CONVERT_ITEMS_KIND_H */
