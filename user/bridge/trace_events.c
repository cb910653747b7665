/* SPDX-License-Identifier: MIT */
/*
 * trace_events.c - the trace events of the running kernel, as tracefs has them
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/grow.h"
#include "trace_events.h"
#include "tracefs_library.h"

/* Add SYSTEM:NAME if it matches. */
static int add(struct trace_events *events, const char *system, const char *name,
	       const char *pattern)
{
	char **names, *text;

	if (asprintf(&text, "%s:%s", system, name) < 0)
		return -ENOMEM;
	if (fnmatch(pattern, text, 0)) {
		free(text);
		return 0;
	}
	names = etw_grow(events->names, events->count, sizeof(*names));
	if (!names) {
		free(text);
		return -ENOMEM;
	}
	events->names = names;
	names[events->count++] = text;
	return 0;
}

static int add_system(struct trace_events *events, const char *dir, const char *system,
		      const char *pattern)
{
	const struct tracefs_library *library = tracefs_library();
	char **list = library->system_events(dir, system);
	int i, err = 0;

	for (i = 0; list && list[i] && !err; i++)
		err = add(events, system, list[i], pattern);
	library->list_free(list);
	return err;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int trace_events_find(const char *pattern, struct trace_events *events)
{
	const struct tracefs_library *library = tracefs_library();
	const char *dir;
	char **systems;
	int i, err = 0;

	*events = (struct trace_events){ .count = 0 };
	if (!library)
		return -ELIBACC;
	dir = library->tracing_dir();
	if (!dir)
		return -ENOENT;
	if (access(dir, R_OK | X_OK))
		return -errno;
	systems = library->event_systems(dir);
	if (!systems)
		return -EACCES;
	for (i = 0; systems[i] && !err; i++) {
		/* Records of the kernel's own tracers, which no program can ask for. */
		if (strcmp(systems[i], "ftrace"))
			err = add_system(events, dir, systems[i], pattern);
	}
	library->list_free(systems);
	if (err)
		trace_events_free(events);
	else if (events->count)
		qsort(events->names, events->count, sizeof(*events->names), by_name);
	return err;
}

void trace_events_free(struct trace_events *events)
{
	while (events->count)
		free(events->names[--events->count]);
	free(events->names);
	events->names = NULL;
}
