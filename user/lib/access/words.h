/* SPDX-License-Identifier: MIT */
/*
 * words.h - the words of access lists: rights and capabilities
 */
#ifndef ETW_LIB_ACCESS_WORDS_H
#define ETW_LIB_ACCESS_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct etw_access_word {
	const char *word;
	uint32_t value;
};

extern const struct etw_access_word etw_access_rights[];	/* ends with NULL */
extern const struct etw_access_word etw_access_capabilities[];	/* likewise */

#endif /* ETW_LIB_ACCESS_WORDS_H */
