/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - debug information from a server that the user names
 */
#ifndef ETW_SYMBOLS_DEBUGINFOD_H
#define ETW_SYMBOLS_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

struct debuginfod;

/* NULL: no memory. The library is loaded when it is first needed. */
struct debuginfod *debuginfod_new(const char *url);
void debuginfod_free(struct debuginfod *server);	/* NULL is fine */

/* The debug information of a build as an open file, or -1 */
int debuginfod_find(struct debuginfod *server, const uint8_t *build_id, size_t len);

#endif /* ETW_SYMBOLS_DEBUGINFOD_H */
