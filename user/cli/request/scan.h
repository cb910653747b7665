/* SPDX-License-Identifier: MIT */
/*
 * scan.h - the words of an option's value that has a syntax of its own
 */
#ifndef ETW_CLI_REQUEST_SCAN_H
#define ETW_CLI_REQUEST_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan {
	const char *text;	/* the whole value */
	const char *at;
	size_t column;		/* of what is wrong, from 1; 0: nothing is */
	char error[160];
};

void scan_begin(struct scan *s, const char *text);
size_t scan_column(struct scan *s);
bool scan_end(struct scan *s);
bool scan_token(struct scan *s, const char *token);
bool scan_word(struct scan *s, const char *word);
size_t scan_name(struct scan *s, const char **name);
bool scan_number(struct scan *s, uint32_t max, uint32_t *value);
bool scan_fail(struct scan *s, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* ETW_CLI_REQUEST_SCAN_H */
