/* SPDX-License-Identifier: MIT */
/*
 * print.c - print the verdict on a log file
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/input/log_contents.h"
#include "cli/machine/machine.h"
#include "cli/print/clock.h"
#include "cli/schema.h"
#include "verify.h"

static const char *verdict_word(const struct etw_verdict *v)
{
	if (!etw_verdict_whole(v))
		return "incomplete";
	return v->since ? "complete_since" : "complete";
}

/* ------------------------------------------------------------------- claims */

#define CLAIMS_MAX	7

/* What the verdict rests on, and what a file of this kind cannot show */
static unsigned int claims(const struct etw_verdict *v, const char *out[CLAIMS_MAX])
{
	unsigned int n = 0;

	if (!v->numbered)
		out[n++] = "its writer does not number buffers: lost buffers would not show unless counted in the header";
	else if (v->author == ETW_AUTHOR_KERNEL)
		out[n++] = "a session of etw wrote it and numbered its buffers: a missing one would show";
	else if (v->author == ETW_AUTHOR_LIBRARY)
		out[n++] = "a program wrote it: it has what its sources counted and recorded as lost, and does not say what was left out on purpose";
	else
		out[n++] = "another system wrote it and numbered its buffers: a missing one would show, and lost events would show if that system counted them";
	if (v->closed && v->counted)
		out[n++] = "the header has the number of buffers: a file that was cut off would show";
	else if (v->closed)
		out[n++] = "the header's number of buffers includes overwritten ones: buffers missing at the end would not show";
	if (v->since && v->overwritten)
		out[n++] = "older events were overwritten by newer ones";
	else if (v->since_noted)
		out[n++] = "a file that it was made from had no older events, as its mode allows";
	else if (v->since)
		out[n++] = "its session has earlier buffers, which are not in these files";
	if (v->continued)
		out[n++] = "its session went on: events that it had not delivered by then are not in this file";
	out[n++] = "there are no checksums: altered bytes that leave all records readable would not show";
	return n;
}

/* --------------------------------------------------------------------- text */

static void put_time(struct etw_text *t, int64_t time)
{
	if (time)
		clock_local(t, time);
	else
		etw_text_puts(t, "an unknown time");
}

static void put_count(struct etw_text *t, uint64_t count, const char *what)
{
	if (count == ETW_GAP_UNKNOWN)
		etw_text_printf(t, "some %ss", what);
	else
		etw_text_printf(t, "%" PRIu64 " %s%s", count, what, cli_s(count));
}

static void put_what(struct etw_text *t, const struct etw_gap *gap)
{
	if (gap->cause == ETW_GAP_NOT_CLOSED || gap->cause == ETW_GAP_FLAGGED ||
	    gap->cause == ETW_GAP_FLAGGED_BUFFER || gap->cause == ETW_GAP_UNRECORDED)
		return;
	if (gap->buffers)
		put_count(t, gap->buffers, "buffer");
	else if (gap->cause == ETW_GAP_DISORDER || gap->cause == ETW_GAP_DUPLICATE)
		etw_text_puts(t, "a buffer is");
	else if (gap->unfinished && gap->events != ETW_GAP_UNKNOWN)
		etw_text_printf(t, "at least %" PRIu64 " event%s", gap->events, cli_s(gap->events));
	else
		put_count(t, gap->events, "event");
	/* Only then is it known how many events they had. */
	if (gap->buffers && gap->cause == ETW_GAP_LOST) {
		etw_text_puts(t, " with ");
		put_count(t, gap->events, "event");
	}
	etw_text_puts(t, " ");
}

static void put_place(struct etw_text *t, const struct etw_gap *gap)
{
	const char *name;

	if (gap->from >= 0 && gap->to > gap->from)
		etw_text_printf(t, ", numbers %" PRId64 " to %" PRId64, gap->from, gap->to);
	else if (gap->from >= 0)
		etw_text_printf(t, ", number %" PRId64, gap->from);
	if (gap->cpu >= 0)
		etw_text_printf(t, ", CPU %d", gap->cpu);
	if (gap->has_provider) {
		name = schema_provider_name(&gap->provider);
		etw_text_puts(t, ", provider ");
		if (name)
			etw_text_escape(t, name, strlen(name));
		else
			etw_text_guid(t, &gap->provider);
	}
	if (gap->offset)
		etw_text_printf(t, ", at offset %" PRIu64, gap->offset);
	if (gap->detail)
		etw_text_printf(t, ": %s", gap->detail);
}

static void print_gap(const struct etw_gap *gap)
{
	struct etw_text t = { 0 };

	put_what(&t, gap);
	etw_text_puts(&t, etw_gap_texts[gap->cause].text);
	put_place(&t, gap);
	etw_text_puts(&t, "; written from ");
	put_time(&t, gap->first);
	etw_text_puts(&t, " to ");
	put_time(&t, gap->last);
	printf("  %s\n", text_data(&t));
	etw_text_free(&t);
}

static void print_bounds(const struct etw_verdict *v)
{
	uint64_t least, most;

	if (etw_verdict_whole(v))
		return;
	etw_verdict_lost(v, &least, &most);
	if (!most)
		printf("  no event is missing\n");
	else if (!least && most == ETW_GAP_UNKNOWN)
		printf("  an unknown number of events is missing, if any\n");
	else if (!least)
		printf("  at most %" PRIu64 " event%s missing\n", most, most == 1 ? " is" : "s are");
	else if (most == ETW_GAP_UNKNOWN)
		printf("  at least %" PRIu64 " event%s missing\n", least,
		       least == 1 ? " is" : "s are");
	else if (least == most)
		printf("  exactly %" PRIu64 " event%s missing\n", least,
		       least == 1 ? " is" : "s are");
	else
		printf("  at least %" PRIu64 ", at most %" PRIu64 " events are missing\n", least,
		       most);
}

/* That a circular file, for instance, is not complete does not mean these. */
static void print_since(const struct etw_verdict *v)
{
	struct etw_text t = { 0 };

	if (!v->since || etw_verdict_whole(v))
		return;
	put_time(&t, v->since_time);
	printf("  besides, events from before %s may be missing, as its mode allows\n", text_data(&t));
	etw_text_free(&t);
}

/* A file that cannot be read has been reported before. */
static void print_machines(const char *path)
{
	struct machines machines = { 0 };
	unsigned int undescribed = 0;
	struct etw_text t = { 0 };
	size_t i;

	machines_read(&machines, path, &undescribed);
	for (i = 0; i < machines.count; i++) {
		etw_text_cut(&t, 0);
		machine_summary(&t, &machines.list[i]);
		printf("  of %s\n", text_data(&t));
	}
	etw_text_free(&t);
	machines_free(&machines);
}

static void json_machines(struct etw_text *to, const char *path)
{
	struct machines machines = { 0 };
	unsigned int undescribed = 0;

	machines_read(&machines, path, &undescribed);
	machines_json(to, "machines", &machines);
	machines_free(&machines);
}

void verify_print(const char *path, const struct etw_verdict *v)
{
	const char *list[CLAIMS_MAX];
	struct etw_text t = { 0 };
	unsigned int i, n;

	etw_text_escape(&t, path, strlen(path));
	etw_text_printf(&t, ": %s", etw_verdict_whole(v) ? "complete" : "incomplete");
	if (v->since && etw_verdict_whole(v)) {
		etw_text_puts(&t, " since ");
		put_time(&t, v->since_time);
	}
	printf("%s: %" PRIu64 " event%s in %" PRIu64 " buffer%s%s\n", text_data(&t), v->events,
	       cli_s(v->events), v->buffers, cli_s(v->buffers), log_contents_besides(v->names));
	etw_text_free(&t);
	print_machines(path);
	print_bounds(v);
	print_since(v);
	for (i = 0; i < v->gap_count; i++)
		print_gap(&v->gaps[i]);
	if (v->more)
		printf("  and %" PRIu64 " more\n", v->more);
	n = claims(v, list);
	for (i = 0; i < n; i++)
		printf("  (%s)\n", list[i]);
}

/* --------------------------------------------------------------------- JSON */

static void json_count(struct etw_text *to, const char *key, uint64_t value)
{
	if (value == ETW_GAP_UNKNOWN)
		json_writer_word(to, key, NULL);
	else
		json_writer_unsigned(to, key, value);
}

static void json_time(struct etw_text *to, const char *key, int64_t time)
{
	if (time > 0)
		json_writer_time(to, key, (uint64_t)time);
	else
		json_writer_word(to, key, NULL);
}

static void json_provider(struct etw_text *to, const struct etw_gap *gap)
{
	char text[GUID_TEXT_SIZE];

	json_writer_word(to, "provider", gap->has_provider ? guid_text(&gap->provider, text) : NULL);
}

static void json_gap(struct etw_text *to, const struct etw_gap *gap)
{
	json_writer_open(to, NULL, '{');
	json_writer_word(to, "cause", etw_gap_texts[gap->cause].key);
	json_count(to, "buffers", gap->buffers);
	json_count(to, "events", gap->events);
	json_time(to, "first", gap->first);
	json_time(to, "last", gap->last);
	json_count(to, "cpu", gap->cpu < 0 ? ETW_GAP_UNKNOWN : (uint64_t)gap->cpu);
	json_count(to, "first_buffer", gap->from < 0 ? ETW_GAP_UNKNOWN : (uint64_t)gap->from);
	json_count(to, "last_buffer", gap->to < 0 ? ETW_GAP_UNKNOWN : (uint64_t)gap->to);
	json_count(to, "offset", gap->offset ? gap->offset : ETW_GAP_UNKNOWN);
	json_writer_word(to, "detail", gap->detail);
	json_provider(to, gap);
	json_writer_close(to, '}');
}

void verify_print_json(const char *path, const struct etw_verdict *v)
{
	static const char *const authors[] = {
		[ETW_AUTHOR_KERNEL] = "session",
		[ETW_AUTHOR_LIBRARY] = "program",
		[ETW_AUTHOR_FOREIGN] = "foreign",
	};
	const char *list[CLAIMS_MAX];
	struct etw_text line = { 0 };
	unsigned int i, n = claims(v, list);
	uint64_t least, most;

	etw_verdict_lost(v, &least, &most);
	json_writer_open(&line, NULL, '{');
	json_writer_string(&line, "file", path, strlen(path));
	json_writer_word(&line, "verdict", verdict_word(v));
	json_time(&line, "since", v->since ? v->since_time : 0);
	json_writer_word(&line, "writer", authors[v->author]);
	json_writer_flag(&line, "continued", v->continued);
	json_writer_flag(&line, "closed", v->closed);
	json_writer_flag(&line, "numbered", v->numbered);
	json_writer_flag(&line, "counted", v->counted);
	json_writer_unsigned(&line, "buffers", v->buffers);
	json_writer_unsigned(&line, "events", v->events);
	json_writer_unsigned(&line, "process_events", v->names);
	json_count(&line, "first_buffer", v->low <= v->high ? (uint64_t)v->low : ETW_GAP_UNKNOWN);
	json_count(&line, "last_buffer", v->low <= v->high ? (uint64_t)v->high : ETW_GAP_UNKNOWN);
	json_count(&line, "lost_at_least", least);
	json_count(&line, "lost_at_most", most);
	json_writer_open(&line, "gaps", '[');
	for (i = 0; i < v->gap_count; i++)
		json_gap(&line, &v->gaps[i]);
	json_writer_close(&line, ']');
	json_writer_unsigned(&line, "more_gaps", v->more);
	json_machines(&line, path);
	json_writer_open(&line, "claims", '[');
	for (i = 0; i < n; i++)
		json_writer_word(&line, NULL, list[i]);
	json_writer_close(&line, ']');
	json_print(&line);
}
