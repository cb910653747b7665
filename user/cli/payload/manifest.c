/* SPDX-License-Identifier: MIT */
/*
 * manifest.c - payload filters of events whose fields a manifest tells
 *
 *	Number >= 3
 *	Step: Number >= 3 && Message contains "x"
 *	7.2: Size in 1..9
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "payload.h"
#include "cli/schema.h"

/* The events that an expression is for */
struct choice {
	char name[256];		/* empty: by id, or all */
	bool by_id, by_version;
	uint32_t id, version;
};

/* Take "EVENT:" if it is there. */
static bool parse_choice(struct scan *s, struct choice *choice)
{
	const char *name;
	size_t column = scan_column(s), len;

	memset(choice, 0, sizeof(*choice));
	if (scan_number(s, UINT16_MAX, &choice->id)) {
		choice->by_id = true;
		choice->by_version = scan_token(s, ".");
		if (choice->by_version && !scan_number(s, UINT8_MAX, &choice->version))
			return scan_fail(s, scan_column(s), "a version from 0 to %u is missing",
					 UINT8_MAX);
		return scan_token(s, ":") || scan_fail(s, scan_column(s), ": is missing");
	}
	/* Names of tasks may be anything; in an expression these come before a colon does. */
	name = s->at;
	len = strcspn(name, ":\"=<>!&|%");
	if (name[len] != ':')
		return true;
	s->at += len + 1;
	while (len && (name[len - 1] == ' ' || name[len - 1] == '\t'))
		len--;
	if (!len || len >= sizeof(choice->name))
		return scan_fail(s, column, len ? "the name is too long" :
				 "an event's name is missing");
	memcpy(choice->name, name, len);
	return true;
}

/* The next event that is chosen, after the one before (NULL: the first). */
static const struct etw_mf_event *next_event(const struct etw_mf_provider *provider,
					     const struct choice *choice,
					     const struct etw_mf_event *before)
{
	const struct etw_mf_event *end = provider->events + provider->event_count, *event;

	if (choice->name[0])
		return schema_event(provider, choice->name, before);
	for (event = before ? before + 1 : provider->events; event < end; event++)
		if (!choice->by_id || (event->desc.Id == choice->id &&
				       (!choice->by_version ||
					event->desc.Version == choice->version)))
			return event;
	return NULL;
}

static void describe(const struct etw_mf_event *event, char *what, size_t size)
{
	const char *name = event->name ? event->name : event->symbol;

	snprintf(what, size, "event %u.%u%s%.64s", event->desc.Id, event->desc.Version,
		 name ? " " : "", name ? name : "");
}

/* What is chosen: "event Disk of Acme-Shop", or "event of Acme-Shop" */
static void describe_choice(const struct etw_mf_provider *provider, const struct choice *choice,
			    char *what, size_t size)
{
	char number[16] = "";	/* 65535.255 */

	if (choice->by_version)
		snprintf(number, sizeof(number), " %u.%u", choice->id, choice->version);
	else if (choice->by_id)
		snprintf(number, sizeof(number), " %u", choice->id);
	snprintf(what, size, "event%s%.32s of %.48s", choice->name[0] ? " " : number,
		 choice->name, provider->name);
}

/* No event has all of the fields; the best attempt came upon one that its event lacks. */
static bool no_fields(struct scan *s, const struct scan *best, struct layout *layout,
		      const struct etw_mf_provider *provider, const struct choice *choice)
{
	struct scan at = { .text = best->text, .at = best->text + best->column - 1 };
	const struct etw_mf_event *event = NULL;
	const char *name;
	size_t len = scan_name(&at, &name);
	char what[112];

	describe_choice(provider, choice, what, sizeof(what));
	while ((event = next_event(provider, choice, event))) {
		layout_manifest(event, "", layout);
		if (layout_find(layout, name, len) >= 0)
			return scan_fail(s, best->column, "no %s has all of the fields: %.64s", what,
					 best->error);
	}
	return scan_fail(s, best->column, "no %s has a field %.*s", what, (int)len, name);
}

static bool no_event(struct scan *s, const struct etw_mf_provider *provider,
		     const struct choice *choice)
{
	if (choice->name[0])
		return scan_fail(s, 1, "%.64s has no event %.64s", provider->name, choice->name);
	if (choice->by_version)
		return scan_fail(s, 1, "%.64s has no event %u.%u", provider->name, choice->id,
				 choice->version);
	if (choice->by_id)
		return scan_fail(s, 1, "%.64s has no event %u", provider->name, choice->id);
	return scan_fail(s, 1, "%.64s has no events", provider->name);
}

/* Try the expression on each event; those that have not the fields pass as they are. */
static bool add_all(struct payload *payload, struct scan *s, struct layout *layout,
		    const struct etw_mf_provider *provider, const struct choice *choice)
{
	const struct etw_mf_event *event = NULL;
	unsigned int tried = 0, added = 0;
	struct scan best = *s, attempt;
	char what[96];
	bool lacks;

	while ((event = next_event(provider, choice, event))) {
		describe(event, what, sizeof(what));
		layout_manifest(event, what, layout);
		layout->manifest = provider->manifest;
		attempt = *s;
		if (payload_add(payload, &attempt, layout, &lacks)) {
			added++;
		} else if (!lacks) {
			*s = attempt;
			return false;
		} else if (!tried++ || attempt.column > best.column) {
			best = attempt;
		}
	}
	if (added)
		return true;
	if (!tried)
		return no_event(s, provider, choice);
	if (tried > 1)
		return no_fields(s, &best, layout, provider, choice);
	*s = best;
	return false;
}

bool payload_manifest(struct payload *payload, struct scan *s,
		      const struct etw_mf_provider *provider)
{
	struct layout *layout = malloc(sizeof(*layout));
	struct choice choice;
	bool good;

	if (!layout)
		return scan_fail(s, 1, "out of memory");
	good = parse_choice(s, &choice) && add_all(payload, s, layout, provider, &choice);
	free(layout);
	return good;
}
