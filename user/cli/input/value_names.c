/* SPDX-License-Identifier: MIT */
/*
 * value_names.c - the kernel's names of values, for a session that runs already
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "bridge/trace_names.h"
#include "bridge/trace_set.h"
#include "cli/session.h"
#include "device/provider_list.h"
#include "tdh/store/store.h"
#include "value_names.h"

/* Only a name that the kernel gave may lead to a file. */
static bool is_trace_event(const struct etw_provider *provider, uint64_t session)
{
	uint32_t i = 0;

	while (i < provider->enable_count && provider->enables[i].session != session)
		i++;
	return i < provider->enable_count && etw_provider_is_of_kernel(provider) &&
	       !strncmp(provider->name, TRACE_EVENT_PREFIX, strlen(TRACE_EVENT_PREFIX));
}

static void load(const struct etw_provider *provider, struct trace_schema *schema)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_text text = { 0 };
	struct etw_manifest *manifest;

	if (trace_schema_read(provider->name + strlen(TRACE_EVENT_PREFIX), schema) ||
	    !*schema->names)
		return;
	trace_names_manifest(&text, provider->name, &provider->guid, schema->names);
	if (!text.error &&
	    !etw_manifest_read_memory(text.data, text.len, "tracefs", &manifest, &problems)) {
		etw_store_add(manifest);
		etw_manifest_put(manifest);
	}
	etw_problems_free(&problems);
	etw_text_free(&text);
}

void value_names_of_session(int fd, const char *name)
{
	struct trace_schema *schema = malloc(sizeof(*schema));
	struct etw_guid *guids = NULL;
	struct etw_provider provider;
	struct session session = { .s.handle = 0 };
	uint32_t count = 0, i;

	if (!schema || session_do(fd, etw_kdev_session_query, name, &session) ||
	    etw_provider_guids(fd, etw_kdev_provider_enum, &guids, &count))
		count = 0;
	for (i = 0; i < count; i++) {
		if (etw_provider_query(fd, &guids[i], &provider))
			continue;
		if (is_trace_event(&provider, session.s.handle))
			load(&provider, schema);
		etw_provider_free(&provider);
	}
	free(guids);
	free(schema);
}
