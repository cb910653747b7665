/* SPDX-License-Identifier: MIT */
/*
 * grow.h - arrays to which elements are appended one by one
 *
 *	grown = etw_grow(list, count, sizeof(*list));
 *	if (!grown)
 *		return -ENOMEM;
 *	list = grown;
 *	list[count++] = element;
 */
#ifndef ETW_BASE_GROW_H
#define ETW_BASE_GROW_H

#include <stdlib.h>

/*
 * Make room for one more element.  The room is at least the next power of two, so it needs no count
 * of its own, as long as all growth goes through this and nobody trims the list; removing elements
 * is fine.  NULL: there is no memory, and the list is as it was.
 */
static inline void *etw_grow(void *list, size_t count, size_t size)
{
	if (count & (count - 1))
		return list;
	return reallocarray(list, count ? 2 * count : 1, size);
}

#endif /* ETW_BASE_GROW_H */
