// SPDX-License-Identifier: MIT
/*
 * filter.c - a private session's filters by event id, name and payload
 *
 * Which filter applies to which event is as in the module: see module/write/match.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/enable_entry.h"
#include "core/names.h"
#include "core/payload.h"
#include "filter.h"
#include "private.h"

struct etw_private_filter {
	struct etw_event_ids ids;
	struct etw_event_names *names;
	void *payload;				/* a checked program */
	struct etw_private_filter *kept;
};

static int read_ids(struct etw_private_filter *to, const struct etw_filter *from)
{
	const uint32_t head = offsetof(struct etw_filter_event_id, ids);
	struct etw_filter_event_id given = { 0 };

	if (from->len < head)
		return -EINVAL;
	memcpy(&given, (const void *)(uintptr_t)from->ptr,
	       from->len < sizeof(given) ? from->len : sizeof(given));
	if (given.in > 1 || given.count > ETW_FILTER_EVENT_IDS ||
	    from->len < head + given.count * sizeof(given.ids[0]))
		return -EINVAL;
	etw_ids_set(&to->ids, &given);
	return 0;
}

static int read_names(struct etw_private_filter *to, const struct etw_filter *from)
{
	const void *given = (const void *)(uintptr_t)from->ptr;
	size_t size = etw_names_size(given, from->len);

	if (!size)
		return -EINVAL;
	to->names = calloc(1, size);
	if (!to->names)
		return -ENOMEM;
	etw_names_compile(to->names, given, from->len);
	return 0;
}

static int read_payload(struct etw_private_filter *to, const struct etw_filter *from)
{
	to->payload = malloc(ALIGN(from->len, 8u));
	if (!to->payload)
		return -ENOMEM;
	memcpy(to->payload, (const void *)(uintptr_t)from->ptr, from->len);
	return etw_payload_load(to->payload, from->len);
}

static int read_one(struct etw_private_filter *to, const struct etw_filter *from, bool *any)
{
	switch (from->type) {
	case ETW_FILTER_NONE:
	case ETW_FILTER_SCHEMATIZED:		/* for callbacks */
		return 0;
	case ETW_FILTER_EVENT_ID:
		*any = true;
		return read_ids(to, from);
	case ETW_FILTER_EVENT_NAME:
		*any = true;
		return read_names(to, from);
	case ETW_FILTER_PAYLOAD:
		*any = true;
		return read_payload(to, from);
	case ETW_FILTER_STACKWALK:
	case ETW_FILTER_STACKWALK_NAME:
	case ETW_FILTER_STACKWALK_LEVEL_KW:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

int etw_private_filter_read(const struct etw_filter *filters, uint32_t count,
			    struct etw_private_filter **out)
{
	struct etw_private_filter *filter = calloc(1, sizeof(*filter));
	bool any = false;
	uint32_t i;
	int err = 0;

	*out = NULL;
	if (!filter)
		return -ENOMEM;
	for (i = 0; i < count && !err; i++)
		err = read_one(filter, &filters[i], &any);
	if (err || !any) {
		etw_private_filter_free(filter);
		return err;
	}
	*out = filter;
	return 0;
}

void etw_private_filter_free(struct etw_private_filter *filter)
{
	if (!filter)
		return;
	free(filter->names);
	free(filter->payload);
	free(filter);
}

void etw_private_filter_keep(struct etw_private_filter *filter)
{
	static _Atomic(struct etw_private_filter *) last;

	filter->kept = atomic_exchange(&last, filter);
}

bool etw_private_filter_pass(const struct etw_private_filter *filter,
			     const struct etw_record_source *source, const struct etw_typed *typed)
{
	bool schema = typed && typed->schema;

	if (!schema && source->desc->channel != ETW_CHANNEL_TRACELOGGING &&
	    !etw_ids_pass(&filter->ids, source->desc->id))
		return false;
	if (filter->names && typed &&
	    !etw_names_pass(filter->names, source->desc, typed->schema, typed->schema_len))
		return false;
	/* TraceLogging events have no ids by which the filter could know their fields. */
	return !filter->payload || schema || source->desc->channel == ETW_CHANNEL_TRACELOGGING ||
	       etw_payload_pass(filter->payload, source, typed);
}
