/* SPDX-License-Identifier: MIT */
/*
 * perf_map.h - the functions that a process compiled at run time, from the map that it leaves for
 * perf(1): /tmp/perf-PID.map, with lines of "begin size name"
 */
#ifndef ETW_SYMBOLS_PERF_MAP_H
#define ETW_SYMBOLS_PERF_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define PERF_MAP_BYTES	(64u << 20)	/* of a file that are read */

struct perf_map;

/*
 * below: a folder, or "". Never NULL but for no memory: it may be empty. Files of others than
 * root and the caller are not read, as perf does.
 */
struct perf_map *perf_map_read(const char *below, uint32_t pid);
void perf_map_free(struct perf_map *map);	/* NULL is fine */

/* The function that was compiled last for an address; NULL: none. Valid as long as the map. */
const char *perf_map_find(const struct perf_map *map, uint64_t address, uint64_t *offset);

#endif /* ETW_SYMBOLS_PERF_MAP_H */
