/* SPDX-License-Identifier: MIT */
/*
 * list.h - the elements of a list like "1, 5-9, Start"
 *
 *	while ((ret = etw_list_next(&text, ",", &word, &len)) == 1)
 *		use(word, len);
 */
#ifndef ETW_BASE_LIST_H
#define ETW_BASE_LIST_H

#include <stddef.h>

/*
 * The next element, without the blanks around it; *at is the list, and NULL after its last
 * element. 1: *word of *len bytes; 0: there are no more; -EINVAL: it is empty.
 */
int etw_list_next(const char **at, const char *separators, const char **word, size_t *len);

#endif /* ETW_BASE_LIST_H */
