/* SPDX-License-Identifier: MIT */
/*
 * probe_functions.c - the functions of the running kernel
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include "probe_functions.h"

#define NAME_MAX_BYTES	512

/* The part of a line behind the name is " [module]" or nothing. */
static const char *take_module(char *rest)
{
	char *begin = strchr(rest, '['), *end = begin ? strchr(begin, ']') : NULL;

	if (!end)
		return "";
	*end = '\0';
	return begin + 1;
}

static struct probe_function *functions;
static size_t function_count;

/* A line of the list, which then belongs to it.  0 or -ENOMEM. */
static int add(char *line)
{
	static size_t room;
	struct probe_function *list = functions;
	size_t len = strcspn(line, " \t\n");

	if (!strncmp(line, "__ftrace_invalid_address___", 27)) {
		free(line);
		return 0;
	}
	if (function_count == room) {
		room = room ? 2 * room : 1024;
		list = realloc(functions, room * sizeof(*list));
		if (!list) {
			room = function_count;
			free(line);
			return -ENOMEM;
		}
		functions = list;
	}
	list += function_count++;
	list->module = take_module(line + len);
	list->name = line;
	list->several = false;
	line[len] = '\0';
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct probe_function *f = a, *g = b;

	return strcmp(f->name, g->name);
}

/* Of each name one, of the kernel itself if that has it. */
static void merge(void)
{
	struct probe_function *f, *last = functions, *end = functions + function_count;

	if (!function_count)
		return;
	for (f = last + 1; f < end; f++) {
		if (strcmp(f->name, last->name)) {
			*++last = *f;
			continue;
		}
		last->several = true;
		if (!*f->module)
			last->module = "";
	}
	function_count = (size_t)(last + 1 - functions);
}

static int load(void)
{
	const char *dir = tracefs_tracing_dir();
	char path[512], line[NAME_MAX_BYTES], *copy;
	FILE *file;
	int err = 0;

	if (!dir)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/available_filter_functions", dir);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!err && fgets(line, sizeof(line), file)) {
		copy = strdup(line);
		err = copy ? add(copy) : -ENOMEM;
	}
	fclose(file);
	if (function_count)
		qsort(functions, function_count, sizeof(*functions), by_name);
	merge();
	return err;
}

int probe_functions(const struct probe_function **list, size_t *count)
{
	static int err = 1;

	if (err > 0)
		err = load();
	*list = functions;
	*count = function_count;
	return err;
}

const struct probe_function *probe_function_find(const char *name)
{
	const struct probe_function key = { .name = name }, *list;
	size_t count;

	if (probe_functions(&list, &count) || !count)
		return NULL;
	return bsearch(&key, list, count, sizeof(*list), by_name);
}

bool probe_function_exists(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[NAME_MAX_BYTES], *at;
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		/* ADDRESS TYPE NAME[\t[module]] */
		at = strchr(line, ' ');
		if (!at || !strchr("tTwW", at[1]) || at[2] != ' ')
			continue;
		at += 3;
		at[strcspn(at, " \t\n")] = '\0';
		found = !strcmp(at, name);
	}
	if (file)
		fclose(file);
	return found;
}
