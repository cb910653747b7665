/* SPDX-License-Identifier: MIT */
/*
 * trace_set.c - the providers that one name of trace events or probes stands for
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "trace_set.h"
#include "base/guid.h"
#include "base/name_guid.h"
#include "bridge/trace_schema.h"
#include "device/kdev.h"

#define LEVEL_INFO	4

bool trace_set_has(const struct trace_set *set, const struct etw_guid *guid)
{
	unsigned int i = 0;

	while (i < set->count && !guid_equal(&set->guids[i], guid))
		i++;
	return i < set->count;
}

void trace_set_append(struct trace_set *set, const char *name, const struct etw_guid *guid)
{
	/* The room doubles: there are many functions. */
	if (!(set->count & (set->count - 1))) {
		const size_t last = set->count ? 2 * (size_t)set->count - 1 : 0;

		set->names = cli_grow(set->names, last, sizeof(*set->names));
		set->guids = cli_grow(set->guids, last, sizeof(*set->guids));
		set->fields = cli_grow(set->fields, last, sizeof(*set->fields));
	}
	set->fields[set->count] = NULL;
	set->names[set->count] = cli_strdup(name);
	set->guids[set->count++] = *guid;
}

void trace_set_add(struct trace_set *set, const char *name)
{
	struct etw_guid guid;

	if (!etw_guid_from_name(name, strlen(name), &guid) && !trace_set_has(set, &guid))
		trace_set_append(set, name, &guid);
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

int trace_set_register(int fd, struct trace_set *set, unsigned int i,
		       const struct trace_schema *schema)
{
	const char *name = set->names[i];
	struct etw_trace_event event = {
		.provider = set->guids[i], .name = (uintptr_t)name, .name_len = strlen(name),
		.level = LEVEL_INFO,
	};

	if (schema->cut)
		cli_note("provider %s: its last fields are left out: there are too many",
			 cli_quote(name));
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
	set->fields[i] = cli_strdup(schema->fields);
	return etw_kdev_trace_event(fd, &event);
}

void trace_set_fail(const char *name, int err)
{
	const char *quoted = cli_quote(name);

	if (err == -ENOTTY)
		cli_fail("provider %s: the loaded etw.ko is older than this command, and does not know trace events",
			 quoted);
	else if (err == -EEXIST)
		cli_fail("provider %s: a session has an older version of this trace event enabled",
			 quoted);
	else if (err == -ENOSPC)
		cli_fail("provider %s: %u trace events are providers already", quoted,
			 ETW_TRACE_EVENTS_MAX);
	else
		cli_fail("provider %s: cannot make the trace event a provider: %s", quoted,
			 cli_denied(-err, "CAP_PERFMON, and a kernel that is not locked down"));
}
