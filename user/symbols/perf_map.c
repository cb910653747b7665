/* SPDX-License-Identifier: MIT */
/*
 * perf_map.c - the functions that a process compiled at run time
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/read_all.h"
#include "perf_map.h"

struct compiled {
	uint64_t begin, end;
	size_t number;		/* of its line */
	const char *name;
};

struct perf_map {
	char *text;
	struct compiled *list;
	size_t count;
};

static int open_map(const char *below, uint32_t pid)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/tmp/perf-%u.map", below, pid) >= sizeof(path))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
			(st.st_uid && st.st_uid != geteuid()))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* 3ef414c0 398 LazyCompile:~f a.js:1 */
static bool parse(char *line, struct compiled *to)
{
	char *at;

	to->begin = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return false;
	line = at + 1;
	to->end = to->begin + strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !at[1] || to->end <= to->begin)
		return false;
	to->name = at + 1;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct compiled *one = a, *other = b;

	if (one->begin != other->begin)
		return one->begin < other->begin ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

static bool read_lines(struct perf_map *map)
{
	struct compiled next, *grown;
	char *line, *rest = map->text;
	size_t number = 0;

	while ((line = strsep(&rest, "\n"))) {
		if (!parse(line, &next))
			continue;
		next.number = number++;
		grown = etw_grow(map->list, map->count, sizeof(*grown));
		if (!grown)
			return false;
		map->list = grown;
		map->list[map->count++] = next;
	}
	if (map->count)
		qsort(map->list, map->count, sizeof(*map->list), compare);
	return true;
}

struct perf_map *perf_map_read(const char *below, uint32_t pid)
{
	struct perf_map *map = calloc(1, sizeof(*map));
	int fd = open_map(below, pid);
	bool whole = map;
	size_t size;

	/* One that cannot be read, or is too large, is empty. */
	if (map && fd >= 0 && !etw_read_all(fd, PERF_MAP_BYTES, &map->text, &size))
		whole = read_lines(map);
	if (fd >= 0)
		close(fd);
	if (whole)
		return map;
	perf_map_free(map);
	return NULL;
}

void perf_map_free(struct perf_map *map)
{
	if (!map)
		return;
	free(map->list);
	free(map->text);
	free(map);
}

/*
 * Memory of functions that are gone is used again, so ranges may overlap: of those that begin at
 * the same place the last one counts, and of others the one that begins nearest.
 */
const char *perf_map_find(const struct perf_map *map, uint64_t address, uint64_t *offset)
{
	size_t low = 0, high = map->count, middle;
	const struct compiled *found;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (map->list[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	found = &map->list[low - 1];
	*offset = address - found->begin;
	return address < found->end ? found->name : NULL;
}
