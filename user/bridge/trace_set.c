/* SPDX-License-Identifier: MIT */
/*
 * trace_set.c - the providers that one name of trace events or probes stands for
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
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

/* Make room for one more text; those that were there stay, also on failure. */
static bool grow_texts(char ***list, size_t count)
{
	char **texts = etw_grow(*list, count, sizeof(*texts));

	if (texts)
		*list = texts;
	return texts;
}

static bool grow(struct trace_set *set)
{
	struct etw_guid *guids;

	if (!grow_texts(&set->names, set->count) || !grow_texts(&set->fields, set->count) ||
	    !grow_texts(&set->value_names, set->count))
		return false;
	guids = etw_grow(set->guids, set->count, sizeof(*guids));
	if (guids)
		set->guids = guids;
	return guids;
}

int trace_set_append(struct trace_set *set, const char *name, const struct etw_guid *guid)
{
	char *copy;

	if (!grow(set))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	set->fields[set->count] = set->value_names[set->count] = NULL;
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

static void drop_text(char **list, unsigned int i, unsigned int count)
{
	free(list[i]);
	memmove(&list[i], &list[i + 1], (count - i - 1) * sizeof(*list));
}

void trace_set_drop(struct trace_set *set, unsigned int i)
{
	drop_text(set->names, i, set->count);
	drop_text(set->fields, i, set->count);
	drop_text(set->value_names, i, set->count);
	set->count--;
	memmove(&set->guids[i], &set->guids[i + 1], (set->count - i) * sizeof(*set->guids));
}

void trace_set_free(struct trace_set *set)
{
	while (set->count) {
		free(set->names[--set->count]);
		free(set->fields[set->count]);
		free(set->value_names[set->count]);
	}
	free(set->value_names);
	free(set->fields);
	free(set->names);
	free(set->guids);
	memset(set, 0, sizeof(*set));
}

void trace_set_manifest(const struct trace_set *set, unsigned int i, struct etw_text *to)
{
	if (set->value_names[i] && *set->value_names[i])
		trace_names_manifest(to, set->names[i], &set->guids[i], set->value_names[i]);
}

/* With the names of values, which an older module does not take. */
static int make(int fd, struct etw_trace_event *event, const struct trace_set *set, unsigned int i)
{
	struct etw_text manifest = { 0 };
	int err;

	event->size = sizeof(*event);
	trace_set_manifest(set, i, &manifest);
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

static bool keep_text(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to;
}

static int register_schema(int fd, struct trace_set *set, unsigned int i,
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
	if (!keep_text(&set->fields[i], schema->fields) ||
	    !keep_text(&set->value_names[i], schema->names))
		return -ENOMEM;
	return make(fd, &event, set, i);
}

int trace_set_register(int fd, struct trace_set *set, unsigned int i,
		       const struct trace_schema *schema)
{
	int err = register_schema(fd, set, i, schema);
	struct trace_schema *older;

	if (err != -EINVAL || !schema->reads_bytes)
		return err;
	/* The module is older: it has such arguments as numbers. */
	older = malloc(sizeof(*older));
	err = older ? trace_schema_read_older(set->names[i] + strlen(TRACE_EVENT_PREFIX), older) :
		      -ENOMEM;
	if (!err)
		err = register_schema(fd, set, i, older);
	free(older);
	return err;
}
