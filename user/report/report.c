/* SPDX-License-Identifier: MIT */
/*
 * report.c - take the events of a trace
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "convert/slices/slices.h"
#include "report_private.h"
#include "tdh/decode/decoder.h"

#define LEVEL_ERROR	2	/* and 1, critical */

char *report_name(const char *name)
{
	return strndup(name, REPORT_NAME);
}

struct report *report_new(const struct report_host *host)
{
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->host = *host;
	r->recent_generation = 1;
	r->complete = true;
	r->since = INT64_MIN;
	r->until = INT64_MAX;
	report_bounded_init(&r->kinds, REPORT_KINDS, sizeof(struct report_kind),
			    report_kind_release);
	report_bounded_init(&r->providers, REPORT_PROVIDERS, sizeof(struct report_provider),
			    report_provider_release);
	report_bounded_init(&r->processes, REPORT_PROCESSES, sizeof(struct report_process),
			    report_process_release);
	report_bounded_init(&r->threads, REPORT_THREADS, sizeof(struct report_thread),
			    report_thread_release);
	report_bounded_init(&r->containers, REPORT_CONTAINERS, sizeof(struct report_container),
			    NULL);
	report_bounded_init(&r->operations, REPORT_OPERATIONS, sizeof(struct report_operation),
			    report_operation_release);
	report_bounded_init(&r->losers, REPORT_LOSERS, sizeof(struct report_loser),
			    report_loser_release);
	r->by = host->by;
	if (host->frames && report_stacks_init(&r->stacks, REPORT_STACK_NODES)) {
		report_free(r);
		return NULL;
	}
	if (host->frames) {
		frame_names_keep(host->frames);
		report_stacks_keep(&r->stacks);
	}
	r->decoder = etw_decoder_new();
	if (r->decoder)
		etw_decoder_hold(r->decoder, REPORT_SCHEMAS_AGAIN);
	if (r->decoder && !report_rows_init(&r->table, REPORT_ROWS) &&
	    !report_rows_init(&r->firsts, REPORT_FIRSTS) &&
	    !report_rows_init(&r->errors, REPORT_ERRORS))
		return r;
	report_free(r);
	return NULL;
}

void report_free(struct report *r)
{
	unsigned int i;

	if (!r)
		return;
	report_around_free(r);
	report_bounded_free(&r->kinds);
	report_bounded_free(&r->providers);
	report_bounded_free(&r->processes);
	report_bounded_free(&r->threads);
	report_bounded_free(&r->containers);
	report_bounded_free(&r->operations);
	report_distinct_free(&r->all_kinds);
	report_distinct_free(&r->all_providers);
	report_distinct_free(&r->all_processes);
	report_distinct_free(&r->all_threads);
	report_distinct_free(&r->all_containers);
	report_distinct_free(&r->all_operations);
	etw_decoder_free(r->decoder);
	etw_event_items_free(&r->items);
	report_rows_free(&r->table);
	report_rows_free(&r->firsts);
	report_rows_free(&r->errors);
	report_stacks_free(&r->stacks);
	report_losses_free(r);
	for (i = 0; i < 256; i++)
		free(r->level_names[i]);
	free(r->cpus);
	etw_text_free(&r->scratch);
	etw_text_free(&r->key);
	free(r);
}

static int count_level(struct report *r, const struct convert_event *e)
{
	const uint8_t level = e->event->record.header->desc.level;

	if (!r->levels[level]++ && e->decoded->level) {
		r->level_names[level] = report_name(e->decoded->level);
		if (!r->level_names[level])
			return -ENOMEM;
	}
	return 0;
}

static void count_time(struct report *r, struct report_place *place)
{
	const struct report_series before = r->rate;

	if (!r->events || place->ns > r->last)
		r->last = place->ns;
	place->bucket = report_scale_bucket(&r->scale, place->ns);
	if (r->rate.shift != r->scale.shift) {
		report_series_fold(&r->rate, &r->scale, r->rate_events, REPORT_BUCKETS);
		r->rate = before;
		report_series_fold(&r->rate, &r->scale, r->rate_bytes, REPORT_BUCKETS);
	}
	r->rate_events[place->bucket]++;
	r->rate_bytes[place->bucket] += place->bytes;
	r->events++;
	r->bytes += place->bytes;
}

static int count_stack(struct report *r, const struct report_place *place)
{
	/* No stack describes a kind of events. */
	if (!r->host.frames || !etw_decoder_own_items(place->event->decoder))
		return 0;
	return report_stacks_event(&r->stacks, r->host.frames, place->event->event,
				   place->process->name, place->process->pid);
}

static int count_error(struct report *r, struct report_place *place)
{
	const uint8_t level = place->event->event->record.header->desc.level;

	if (!level || level > LEVEL_ERROR)
		return 0;
	place->thread->errors++;
	return report_rows_error(r, place);
}

int report_event(struct report *r, const struct convert_event *e)
{
	struct report_place place = { .event = e, .ns = slices_time(e->event),
				      .bytes = e->event->raw_size };
	int err;

	count_time(r, &place);
	r->undecoded += !e->known;
	err = count_level(r, e);
	if (!err)
		err = report_kind_find(r, &place);
	if (!err)
		err = report_places_count(r, &place);
	r->latest = err ? NULL : place.kind;
	r->latest_thread = place.thread;
	if (!err && place.kind->operation_name)
		err = report_operations_count(r, &place);
	if (!err)
		err = report_fields_count(r, &place);
	if (!err)
		err = count_stack(r, &place);
	if (!err)
		err = count_error(r, &place);
	return err ? err : report_rows_sample(r, &place);
}
