/* SPDX-License-Identifier: MIT */
/*
 * provider_counts.c - events of each provider, and why there are none
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli.h"
#include "provider.h"
#include "provider_counts.h"
#include "schema.h"
#include "text.h"
#include "tdh/process/process_table.h"

/* The entry of a GUID in the list, or that of the rest */
static struct provider_count *find(struct provider_counts *counts, const struct etw_guid *guid)
{
	uint32_t number;
	bool fresh;

	counts->index.max = PROVIDER_COUNTS_MAX;
	number = etw_intern(&counts->index, guid, sizeof(*guid), &fresh);
	if (!number) {
		counts->rest.known = true;	/* nobody asks */
		return &counts->rest;
	}
	counts->last = number - 1;
	if (fresh) {
		counts->list = cli_grow(counts->list, counts->count, sizeof(*counts->list));
		counts->list[counts->count++] = (struct provider_count){ .guid = *guid };
	}
	return counts->list + counts->last;
}

struct provider_count *provider_counts_add(struct provider_counts *counts,
					   const struct etw_guid *guid, uint64_t events)
{
	struct provider_count *p = counts->list + counts->last;

	/* Events of one provider often follow each other. */
	if (counts->last >= counts->count || !guid_equal(&p->guid, guid))
		p = find(counts, guid);
	p->events += events;
	return p;
}

void provider_counts_claim(struct provider_counts *counts, const struct etw_event *event)
{
	struct etw_guid guid;
	const char *name = etw_process_provider_name(event, &guid);
	size_t i;

	if (!name || counts->claim_count == PROVIDER_CLAIMS_MAX)
		return;
	for (i = 0; i < counts->claim_count; i++)
		if (guid_equal(&counts->claims[i].guid, &guid) &&
		    !strcmp(counts->claims[i].name, name))
			return;
	counts->claims = cli_grow(counts->claims, counts->claim_count, sizeof(*counts->claims));
	counts->claims[counts->claim_count++] = (struct provider_claim){ guid, cli_strdup(name) };
}

struct provider_count *provider_counts_event(struct provider_counts *counts,
					     const struct etw_event *event)
{
	const struct etw_event_header *header = event->record.header;
	struct provider_count *p = provider_counts_add(counts, &header->provider, 1);

	p->tracelogging += header->desc.channel == ETW_CHANNEL_TRACELOGGING;
	return p;
}

/* Events of a provider may have another GUID than the one that controls it. */
static bool is_of(const struct etw_guid *guid, const struct enable_request *request)
{
	const struct etw_mf_provider *provider;

	if (enable_request_is_for(request, guid))
		return true;
	provider = schema_provider(guid);
	return provider && provider->has_control_guid &&
	       !memcmp(&provider->control_guid, &request->enable.provider, sizeof(*guid));
}

uint64_t provider_counts_of(const struct provider_counts *counts, const struct enable_list *list,
			    unsigned int index)
{
	const struct enable_request *request = list->list[index];
	bool group = request->enable.property & ETW_ENABLE_PROVIDER_GROUP, own;
	uint64_t events = group ? counts->rest.events : 0;
	unsigned int k;
	size_t i;

	for (i = 0; i < counts->count; i++) {
		own = !group && is_of(&counts->list[i].guid, request);
		/* Of a group those that are not asked for themselves */
		for (k = 0; group && k < list->count &&
		     !is_of(&counts->list[i].guid, list->list[k]); k++)
			;
		if (own || (group && k == list->count))
			events += counts->list[i].events;
	}
	return events;
}

void provider_counts_free(struct provider_counts *counts)
{
	while (counts->claim_count)
		free(counts->claims[--counts->claim_count].name);
	free(counts->claims);
	free(counts->list);
	etw_interner_clear(&counts->index);
	memset(counts, 0, sizeof(*counts));
}

/* ------------------------------------------------------------------ diagnosis */

static const char *comma(const struct etw_text *t)
{
	return t->len ? ", " : "";
}

/* Describe which events were selected; empty: all of them */
static void put_selection(const struct enable_request *request, struct etw_text *t)
{
	const struct etw_enable *enable = &request->enable;
	const struct filters *filters = &request->filters;
	bool processes = filters->pid_count || filters->exe.len || filters->container.len ||
			 filters->package.len || filters->app.len;

	if (enable->level && enable->level != UINT8_MAX)
		etw_text_printf(t, "up to level %u", enable->level);
	if (enable->any)
		etw_text_printf(t, "%swith one of the keywords 0x%" PRIx64, comma(t),
				(uint64_t)enable->any);
	if (enable->all)
		etw_text_printf(t, "%swith all of the keywords 0x%" PRIx64, comma(t),
				(uint64_t)enable->all);
	if (processes)
		etw_text_printf(t, "%sof the selected processes", comma(t));
	if (filters->ids.given || filters->events.given || filters->event_filter.count)
		etw_text_printf(t, "%sthat pass the filters", comma(t));
}

/* 1: it is registered; 0: it is not; -1: unknown */
static int is_registered(int fd, const struct etw_enable *enable)
{
	struct etw_provider found;
	int err;

	if (enable->property & ETW_ENABLE_PROVIDER_GROUP)
		return -1;
	err = etw_provider_query(fd, &enable->provider, &found);
	if (err)
		return err == -ESRCH ? 0 : -1;
	etw_provider_free(&found);
	return found.reg_count > 0;
}

/* One that a process has claimed meanwhile */
static bool find_claim(const struct provider_counts *counts, const char *name,
		       const struct etw_guid *but, struct etw_guid *guid)
{
	size_t i;

	for (i = 0; i < counts->claim_count; i++) {
		if (strcasecmp(counts->claims[i].name, name) ||
		    guid_equal(&counts->claims[i].guid, but))
			continue;
		*guid = counts->claims[i].guid;
		return true;
	}
	return false;
}

/* A program that announces the name of -p *NAME with another GUID than the one made of it */
static bool report_announced(int fd, const struct enable_request *request,
			     const struct provider_counts *counts)
{
	const struct etw_guid *own = &request->enable.provider;
	const char *name = provider_hashed(request->provider, own);
	char text[GUID_TEXT_SIZE], other_text[GUID_TEXT_SIZE];
	struct etw_guid other;
	bool ended = false;

	if (!name)
		return false;
	if (!provider_announced(fd, name, own, &other)) {
		ended = find_claim(counts, name, own, &other);
		if (!ended)
			return false;
	}
	cli_note("provider %s: nobody has registered %s, the GUID made of this name; a program %s the name with another GUID: -p %s",
		 cli_quote(request->provider), guid_text(own, text),
		 ended ? "that has ended announced" : "announces", guid_text(&other, other_text));
	return true;
}

void provider_silent(int fd, const struct enable_request *request,
		     const struct provider_counts *counts, bool command_ended, const char *done)
{
	struct etw_text selection = { 0 };
	const char *name = cli_quote(request->provider);
	int registered = is_registered(fd, &request->enable);
	const char *selected;

	if (!registered && report_announced(fd, request, counts))
		return;
	put_selection(request, &selection);
	selected = text_data(&selection);
	if (!registered)
		cli_note("provider %s is not registered%s: check its name or GUID%s%s",
			 name, command_ended ? " now that the command has ended" : "",
			 *selected ? "; selected were events " : "", selected);
	else
		cli_note("provider %s%s no event was %s%s%s", name,
			 registered > 0 ? " is registered, but" : ":", done,
			 *selected ? "; selected were events " : "", selected);
	etw_text_free(&selection);
}

/* The option that the kernel cannot test a TraceLogging event by, or NULL */
static const char *untested_option(const struct enable_request *request)
{
	const struct filters *filters = &request->filters;

	/* The kernel knows the only event of each. */
	if (request->traced.count && filters->event_filter.count)
		return NULL;
	if (filters->event_filter.kernel.program)
		return "--filter";
	return !filters->ids.given ? NULL : filters->event_filter.count ? "--filter" : "--id";
}

void provider_untested(const struct provider_counts *counts, const struct enable_list *list,
		       const char *remedy)
{
	const struct enable_request *request;
	const char *option;
	uint64_t events;
	unsigned int i;
	size_t k;

	for (i = 0; i < list->count; i++) {
		request = list->list[i];
		option = untested_option(request);
		events = 0;
		for (k = 0; k < counts->count; k++)
			if (is_of(&counts->list[k].guid, request))
				events += counts->list[k].tracelogging;
		if (option && events)
			cli_note("provider %s: %" PRIu64 " TraceLogging event%s passed %s untested, because the kernel does not know %s fields: use %s",
				 cli_quote(request->provider), events, cli_s(events), option,
				 events == 1 ? "its" : "their", remedy);
	}
}

/* A program with traits that no manifest describes */
static bool may_be_tracelogging(int fd, const struct enable_request *request)
{
	struct etw_provider found;
	bool traits = false;
	uint32_t i;

	if (request->filters.providers.count ||
	    etw_provider_query(fd, &request->enable.provider, &found))
		return false;
	for (i = 0; i < found.reg_count; i++)
		traits |= (found.regs[i].flags & ETW_REG_TRAITS) != 0;
	etw_provider_free(&found);
	return traits;
}

void provider_may_be_untested(int fd, const struct enable_list *list, const char *remedy)
{
	const struct enable_request *request;
	unsigned int i;

	for (i = 0; i < list->count; i++) {
		request = list->list[i];
		if (request->filters.event_filter.count && untested_option(request) &&
		    may_be_tracelogging(fd, request))
			cli_note("provider %s: if it writes TraceLogging events, all of them pass --filter, because the kernel does not know their fields: use %s",
				 cli_quote(request->provider), remedy);
	}
}
