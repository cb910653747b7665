/* SPDX-License-Identifier: MIT */
/*
 * json_losses.c - what is missing, as JSON: the verdict, sums by cause and provider, losses
 */
#include "convert/slices/slices.h"
#include "json_private.h"

/* A time of a loss, or null */
static void put_filetime(const struct report *r, struct etw_text *to, const char *key, int64_t time)
{
	if (time && r->scale.begun)
		report_put_time(r, to, key, slices_ns(time));
	else
		json_writer_word(to, key, NULL);
}

static void put_count(struct etw_text *to, const char *key, uint64_t count)
{
	if (count == ETW_GAP_UNKNOWN)
		json_writer_word(to, key, NULL);
	else
		report_put_number(to, key, count);
}

static void put_verdict(const struct report *r, struct etw_text *to, bool complete, bool since,
			int64_t time, bool overwritten)
{
	json_writer_word(to, "verdict", !complete ? "incomplete" : since ? "complete_since" : "complete");
	put_filetime(r, to, "since_ns", since ? time : 0);
	json_writer_word(to, "since_reason", since ? report_since_reason(overwritten) : NULL);
}

void report_put_verdict(const struct report *r, struct etw_text *to, const struct report_file *file)
{
	put_verdict(r, to, file->complete, file->since, file->since_time, file->overwritten);
}

static void put_causes(const struct report *r, struct etw_text *to)
{
	unsigned int i;

	json_writer_open(to, "causes", '[');
	for (i = 0; i < r->loss_cause_count; i++) {
		const struct report_loss_cause *cause = &r->loss_causes[i];

		json_writer_open(to, NULL, '{');
		report_put_name(to, "cause", cause->cause);
		report_put_name(to, "key", cause->key);
		report_put_number(to, "losses", cause->losses);
		report_put_number(to, "events", cause->events);
		report_put_number(to, "buffers", cause->buffers);
		json_writer_flag(to, "at_least", cause->unknown);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
}

static void put_loss_providers(struct report *r, struct etw_text *to)
{
	const unsigned int count = r->losers.count < REPORT_LIST_LOSERS ? r->losers.count :
				   REPORT_LIST_LOSERS;
	unsigned int i;

	report_bounded_sort(&r->losers);
	json_writer_open(to, "providers", '[');
	for (i = 0; i < count; i++) {
		const struct report_loser *loser = (const struct report_loser *)r->losers.entries[i];

		json_writer_open(to, NULL, '{');
		report_put_name(to, "name", loser->name);
		report_put_number(to, "losses", loser->losses);
		report_put_number(to, "events", loser->entry.events);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
	report_put_other(to, "providers_other", &r->losers, &r->all_losers, count);
}

static void put_loss(const struct report *r, struct etw_text *to, const struct report_loss *loss)
{
	json_writer_open(to, NULL, '{');
	put_filetime(r, to, "first_ns", loss->first);
	put_filetime(r, to, "last_ns", loss->last);
	json_writer_flag(to, "placed", loss->placed);
	put_count(to, "count", loss->count);
	json_writer_word(to, "unit", loss->buffers ? "buffers" : "events");
	json_writer_flag(to, "missing", loss->missing);
	report_put_name(to, "key", loss->key);
	report_put_name(to, "cause", loss->cause);
	if (loss->cpu < 0)
		json_writer_word(to, "cpu", NULL);
	else
		report_put_number(to, "cpu", loss->cpu);
	report_put_name(to, "provider", loss->provider);
	report_put_name(to, "file", r->files[loss->file].path);
	json_writer_close(to, '}');
}

void report_put_losses(struct report *r, struct etw_text *to)
{
	unsigned int i;

	report_losses_sort(r);
	json_writer_open(to, "losses", '{');
	json_writer_flag(to, "complete", r->complete);
	put_verdict(r, to, r->complete, r->has_since, r->since_time, r->overwritten);
	put_count(to, "at_least", r->lost_least);
	put_count(to, "at_most", r->lost_most);
	put_causes(r, to);
	put_loss_providers(r, to);
	json_writer_open(to, "rows", '[');
	for (i = 0; i < r->loss_count; i++)
		put_loss(r, to, &r->losses[i]);
	json_writer_close(to, ']');
	report_put_number(to, "more", r->losses_more);
	json_writer_close(to, '}');
}
