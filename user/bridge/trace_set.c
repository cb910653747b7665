/* SPDX-License-Identifier: MIT */
/*
 * trace_set.c - the providers that one name of trace events or probes stands for
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/name_guid.h"
#include "base/text.h"
#include "device/kdev.h"
#include "trace_events.h"
#include "trace_names.h"
#include "trace_schema.h"
#include "trace_set.h"

#define LEVEL_INFO	4

bool trace_set_has(const struct trace_set *set, const struct etw_guid *guid)
{
	unsigned int i = 0;

	while (i < set->count && memcmp(&set->guids[i], guid, sizeof(*guid)))
		i++;
	return i < set->count;
}

/* Room for so many elements; those that were there stay, also on failure. */
static bool grow(struct trace_set *set, size_t room)
{
	char **names = realloc(set->names, room * sizeof(*names)), **fields;
	struct etw_guid *guids;

	if (!names)
		return false;
	set->names = names;
	fields = realloc(set->fields, room * sizeof(*fields));
	if (!fields)
		return false;
	set->fields = fields;
	guids = realloc(set->guids, room * sizeof(*guids));
	if (guids)
		set->guids = guids;
	return guids;
}

int trace_set_append(struct trace_set *set, const char *name, const struct etw_guid *guid)
{
	char *copy;

	/* The room doubles: there are many functions. */
	if (!(set->count & (set->count - 1)) && !grow(set, set->count ? 2 * (size_t)set->count : 1))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	set->fields[set->count] = NULL;
	set->names[set->count] = copy;
	set->guids[set->count++] = *guid;
	return 0;
}

int trace_set_add(struct trace_set *set, const char *name)
{
	struct etw_guid guid;

	if (etw_guid_from_name(name, strlen(name), &guid) || trace_set_has(set, &guid))
		return 0;
	return trace_set_append(set, name, &guid);
}

int trace_set_add_events(struct trace_set *set, const char *pattern)
{
	struct trace_events events;
	char name[ETW_NAME_MAX + 1];
	unsigned int i;
	int err = trace_events_find(pattern, &events);

	if (err)
		return err;
	for (i = 0; i < events.count && !err; i++) {
		snprintf(name, sizeof(name), TRACE_EVENT_PREFIX "%s", events.names[i]);
		err = trace_set_add(set, name);
	}
	trace_events_free(&events);
	return err;
}

void trace_set_drop(struct trace_set *set, unsigned int i)
{
	free(set->names[i]);
	free(set->fields[i]);
	set->count--;
	memmove(&set->fields[i], &set->fields[i + 1], (set->count - i) * sizeof(*set->fields));
	memmove(&set->names[i], &set->names[i + 1], (set->count - i) * sizeof(*set->names));
	memmove(&set->guids[i], &set->guids[i + 1], (set->count - i) * sizeof(*set->guids));
}

void trace_set_free(struct trace_set *set)
{
	while (set->count) {
		free(set->names[--set->count]);
		free(set->fields[set->count]);
	}
	free(set->fields);
	free(set->names);
	free(set->guids);
	memset(set, 0, sizeof(*set));
}

/* With the names of values, which an older module does not take. */
static int make(int fd, struct etw_trace_event *event, const char *names)
{
	struct etw_text manifest = { 0 };
	int err;

	event->size = sizeof(*event);
	if (*names)
		trace_names_manifest(&manifest, (const char *)(uintptr_t)event->name,
				     &event->provider, names);
	event->manifest = (uintptr_t)manifest.data;
	event->manifest_len = manifest.len;
	err = manifest.error ? -ENOMEM : etw_kdev_trace_event(fd, event);
	if (err == -E2BIG) {
		event->manifest = 0;
		event->manifest_len = 0;
		err = etw_kdev_trace_event(fd, event);
	}
	etw_text_free(&manifest);
	return err;
}

int trace_set_register(int fd, struct trace_set *set, unsigned int i,
		       const struct trace_schema *schema)
{
	const char *name = set->names[i];
	struct etw_trace_event event = {
		.provider = set->guids[i], .name = (uintptr_t)name, .name_len = strlen(name),
		.level = LEVEL_INFO,
	};

	event.flags = schema->flags;
	event.counter = schema->counter;
	event.config = schema->config;
	event.period = schema->period;
	event.id = schema->id;
	event.opcode = schema->opcode;
	event.task = schema->task;
	event.schema = (uintptr_t)schema->metadata;
	event.schema_len = schema->metadata_len;
	event.pieces = (uintptr_t)schema->pieces;
	event.piece_count = schema->piece_count;
	free(set->fields[i]);
	set->fields[i] = strdup(schema->fields);
	return set->fields[i] ? make(fd, &event, schema->names) : -ENOMEM;
}
