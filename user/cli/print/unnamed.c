/* SPDX-License-Identifier: MIT */
/*
 * unnamed.c - count the events that were printed without names, for lack of a manifest
 */
#include <inttypes.h>
#include "cli/cli.h"
#include "cli/input/log_contents.h"
#include "unnamed.h"

#define SHOWN_MAX	4	/* providers in the line */

bool unnamed_is(const struct event_printer *printer)
{
	if (printer->known || printer->hex || printer->is_loss ||
	    !record_needs_manifest(&printer->record))
		return false;
	/* A format may print nothing that has a name. */
	return !printer->format || event_format_decodes(printer->format);
}

void unnamed_count(struct unnamed *unnamed, const struct etw_guid *provider)
{
	unnamed->events++;
	provider_counts_add(&unnamed->counts, provider, 1);
}

void unnamed_add(struct unnamed *unnamed, const struct event_printer *printer)
{
	if (!printer->workers && unnamed_is(printer))
		unnamed_count(unnamed, &event_header(printer)->provider);
}

/* "3 of 01234567-..., 2 of 01234568-... and 9 of others" */
static void add_providers(const struct unnamed *unnamed, struct etw_text *to)
{
	uint64_t others = unnamed->events;
	char text[GUID_TEXT_SIZE];
	size_t i;

	for (i = 0; i < unnamed->counts.count && i < SHOWN_MAX; i++) {
		const struct provider_count *p = &unnamed->counts.list[i];

		etw_text_printf(to, "%s%" PRIu64 " of %s", i ? ", " : "", p->events,
				guid_text(&p->guid, text));
		others -= p->events;
	}
	if (others)
		etw_text_printf(to, " and %" PRIu64 " of others", others);
}

void unnamed_report(const struct unnamed *unnamed)
{
	struct etw_text text = { 0 };

	if (!unnamed->events)
		return;
	add_providers(unnamed, &text);
	text_check(&text);
	cli_note("%" PRIu64 " event%s %s shown without names, because no manifest describes %s: %s; --manifest FILE or etw manifest install gives one",
		 unnamed->events, cli_s(unnamed->events), unnamed->events == 1 ? "is" : "are",
		 unnamed->events == 1 ? "it" : "them", text.data);
	etw_text_free(&text);
}

void unnamed_free(struct unnamed *unnamed)
{
	provider_counts_free(&unnamed->counts);
}
