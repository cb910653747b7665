/* SPDX-License-Identifier: MIT */
/*
 * suggest.h - which name was meant by one that does not exist
 */
#ifndef ETW_BASE_SUGGEST_H
#define ETW_BASE_SUGGEST_H

#include <stddef.h>

#define SUGGEST_MAX	64	/* bytes of a name that is compared */

struct suggest {
	const char *word;
	size_t len;
	size_t distance;	/* of best, in half mistakes; at first more than is suggested */
	char best[SUGGEST_MAX + 1];	/* a copy: "" is none */
};

/* Begin with what was typed. */
void suggest_begin(struct suggest *s, const char *word);
void suggest_begin_len(struct suggest *s, const char *word, size_t len);
/* Offer a name that exists. */
void suggest_try(struct suggest *s, const char *name);

#endif /* ETW_BASE_SUGGEST_H */
