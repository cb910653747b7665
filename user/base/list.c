/* SPDX-License-Identifier: MIT */
/*
 * list.c - the elements of a list
 */
#include <errno.h>
#include <string.h>

#include "list.h"

#define BLANKS	" \t"

int etw_list_next(const char **at, const char *separators, const char **word, size_t *len)
{
	const char *text = *at;
	size_t all;

	if (!text)
		return 0;
	all = strcspn(text, separators);
	*at = text[all] ? text + all + 1 : NULL;
	*word = text + strspn(text, BLANKS);
	*len = *word < text + all ? (size_t)(text + all - *word) : 0;
	while (*len && strchr(BLANKS, (*word)[*len - 1]))
		--*len;
	return *len ? 1 : -EINVAL;
}
