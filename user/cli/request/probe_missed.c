// SPDX-License-Identifier: MIT
/*
 * probe_missed.c - what the kernel missed of the probes of a session that runs without a command
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "probe_missed.h"
#include "probe_request.h"
#include "bridge/probe.h"
#include "bridge/probe_off.h"
#include "device/kdev.h"
#include "device/provider_list.h"

/* A probe of the session, and the kernel's count that the session has */
struct probe_recorded {
	char event[PROBE_EVENT_SIZE];
	struct etw_guid provider;
	char *name;		/* of the provider */
	unsigned long long count;
};

static struct probe_recorded *recorded;
static unsigned int recorded_count;

/* Where they are recorded */
struct recording {
	int fd;
	uint64_t session;
};

/* NULL: nobody has registered it. */
static char *name_of(int fd, const struct etw_guid *guid)
{
	struct etw_provider provider;
	char *name;

	if (etw_provider_query(fd, guid, &provider))
		return NULL;
	name = cli_strdup(provider.name);
	etw_provider_free(&provider);
	return name;
}

static void record_off(const struct recording *to, const struct probe_recorded *one)
{
	struct etw_session_missed arg = {
		.handle = to->session, .provider = one->provider, .events = 1,
	};
	const char *why = probe_off(one->name);

	if (!why)
		return;
	cli_note("provider %s: %s, so that events are missing; nobody counts them, and the trace has them as 1 lost event",
		 cli_quote(one->name), why);
	etw_kdev_session_missed(to->fd, &arg);
}

static bool record(void *context, const char *event, const struct etw_guid *provider)
{
	const struct recording *to = context;
	struct etw_session_missed arg = {
		.flags = ETW_MISSED_SINCE, .handle = to->session, .provider = *provider,
		.events = probe_event_missed(event),
	};
	struct probe_recorded *one;
	char *name;

	/* One that the session has not enabled, or that a command counts, as etw record does */
	if (etw_kdev_session_missed(to->fd, &arg))
		return true;
	name = name_of(to->fd, provider);
	if (!name)
		return true;
	recorded = cli_grow(recorded, recorded_count, sizeof(*recorded));
	one = &recorded[recorded_count++];
	*one = (struct probe_recorded){ .provider = *provider, .name = name, .count = arg.events };
	strcpy(one->event, event);
	record_off(to, one);
	return true;
}

static void forget(void)
{
	while (recorded_count)
		free(recorded[--recorded_count].name);
	free(recorded);
	recorded = NULL;
}

void probe_missed_record(int fd, uint64_t session)
{
	struct recording to = { fd, session };

	forget();
	probe_events_each(record, &to);
}

void probe_missed_end(int fd, uint64_t session)
{
	struct etw_session_missed arg = { .flags = ETW_MISSED_SINCE, .handle = session };
	unsigned int i;

	for (i = 0; i < recorded_count; i++) {
		arg.provider = recorded[i].provider;
		arg.events = probe_event_missed(recorded[i].event);
		/* A session that has it no longer does not know the count any more. */
		if (arg.events > recorded[i].count && etw_kdev_session_missed(fd, &arg) == -ENOENT)
			probe_request_count(fd, session, &recorded[i].provider, recorded[i].name,
					    arg.events - recorded[i].count);
	}
	forget();
}
