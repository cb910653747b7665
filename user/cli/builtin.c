/* SPDX-License-Identifier: MIT */
/*
 * builtin.c - the events of the sample providers, known without a manifest
 *
 * Must agree with user/samples.
 */
#include <stddef.h>
#include <strings.h>
#include "builtin.h"
#include "cli.h"

/* enum req_op of the kernel; stable since 4.10 except for the zone commands. */
static const struct field_word block_ops[] = {
	{ 0, "read" },
	{ 1, "write" },
	{ 2, "flush" },
	{ 3, "discard" },
	{ 5, "secure_erase" },
	{ 7, "zone_append" },
	{ 9, "write_zeroes" },
	{ 11, "zone_open" },
	{ 13, "zone_close" },
	{ 15, "zone_finish" },
	{ 17, "zone_reset" },
	{ 19, "zone_reset_all" },
	{ 34, "drv_in" },
	{ 35, "drv_out" },
	{ 0, NULL }
};

#define BLOCK_REQUEST_FIELDS				\
	{ "major", FIELD_U32, NULL },			\
	{ "minor", FIELD_U32, NULL },			\
	{ "sector", FIELD_U64, NULL },			\
	{ "bytes", FIELD_U32, NULL },			\
	{ "op", FIELD_U32, block_ops },			\
	{ "request", FIELD_X64, NULL }

static const struct field block_issue[] = {
	BLOCK_REQUEST_FIELDS,
	{ NULL, 0, NULL }
};

static const struct field block_complete[] = {
	BLOCK_REQUEST_FIELDS,
	{ "error", FIELD_I32, NULL },
	{ "latency_ns", FIELD_U64, NULL },
	{ NULL, 0, NULL }
};

static const struct builtin_event block_events[] = {
	{ 1, 0, "RequestIssue", block_issue },
	{ 2, 0, "RequestComplete", block_complete },
	{ 0, 0, NULL, NULL }
};

static const struct field app_step[] = {
	{ "number", FIELD_U32, NULL },
	{ "message", FIELD_STRING8, NULL },
	{ NULL, 0, NULL }
};

static const struct field app_heartbeat[] = {
	{ "uptime_ms", FIELD_U64, NULL },
	{ NULL, 0, NULL }
};

static const struct builtin_event app_events[] = {
	{ 1, 0, "Step", app_step },
	{ 2, 0, "Heartbeat", app_heartbeat },
	{ 0, 0, NULL, NULL }
};

static const struct builtin_provider providers[] = {
	{
		.guid = ETW_GUID(0x6a5c2f0e, 0x8a43, 0x4d35, 0x9b, 0x7e,
				 0x2f, 0x1d, 0x0c, 0x9b, 0x8a, 0x71),
		.name = "Sample-Block",
		.events = block_events,
	}, {
		.guid = ETW_GUID(0xb7d1f6a4, 0x3c0e, 0x4f52, 0xa1, 0xd8,
				 0x5e, 0x9c, 0x7b, 0x2a, 0x6f, 0x13),
		.name = "Sample-App",
		.events = app_events,
	},
};

#define PROVIDERS	(sizeof(providers) / sizeof(providers[0]))

const struct builtin_provider *builtin_by_guid(const struct etw_guid *guid)
{
	size_t i;

	for (i = 0; i < PROVIDERS; i++) {
		if (guid_equal(&providers[i].guid, guid))
			return &providers[i];
	}
	return NULL;
}

const struct builtin_provider *builtin_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < PROVIDERS; i++) {
		if (!strcasecmp(providers[i].name, name))
			return &providers[i];
	}
	return NULL;
}

const struct builtin_event *
builtin_event(const struct builtin_provider *provider,
	      const struct etw_event_descriptor *desc)
{
	const struct builtin_event *event;

	for (event = provider->events; event->name; event++) {
		if (event->id == desc->id && event->version == desc->version)
			return event;
	}
	return NULL;
}
