/* SPDX-License-Identifier: MIT */
/*
 * json.c - a report as JSON
 *
 * The names of the members and their meaning are in etw-report(1), "JSON".
 */
#include <errno.h>
#include <string.h>
#include "base/guid.h"
#include "base/utf.h"
#include "json_private.h"

#define DIGITS		40	/* of the largest number, with a sign */

void report_put_number(struct etw_text *to, const char *key, __int128 value)
{
	unsigned __int128 left = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
	char digits[DIGITS], *at = digits + DIGITS;

	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	if (value < 0)
		*--at = '-';
	json_writer_key(to, key);
	etw_text_add(to, at, (size_t)(digits + DIGITS - at));
}

void report_put_time(const struct report *r, struct etw_text *to, const char *key, int64_t ns)
{
	report_put_number(to, key, (__int128)ns - r->scale.start);
}

void report_put_name(struct etw_text *to, const char *key, const char *name)
{
	json_writer_word(to, key, name);
}

void report_put_buckets(struct etw_text *to, const char *key, const uint64_t *buckets,
			unsigned int count)
{
	unsigned int i;

	json_writer_open(to, key, '[');
	for (i = 0; i < count; i++) {
		if (i)
			etw_text_char(to, ',');
		etw_text_unsigned(to, buckets[i], 1);
	}
	json_writer_close(to, ']');
}

void report_put_other(struct etw_text *to, const char *key, const struct report_bounded *b,
		      const struct report_distinct *all, unsigned int listed)
{
	uint64_t events = b->other.events, bytes = b->other.bytes;
	uint32_t i;

	for (i = listed; i < b->count; i++) {
		events += b->entries[i]->events;
		bytes += b->entries[i]->bytes;
	}
	if (listed > b->count)
		listed = b->count;
	json_writer_open(to, key, '{');
	report_put_number(to, "count", all->count > listed ? all->count - listed : 0);
	report_put_number(to, "events", events);
	report_put_number(to, "bytes", bytes);
	/* So many events of a listed one may be counted here instead. */
	report_put_number(to, "missing_at_most", b->other.missing);
	json_writer_close(to, '}');
}

void report_put_row(const struct report *r, struct etw_text *to, const struct report_row *row)
{
	json_writer_open(to, NULL, '{');
	report_put_time(r, to, "t_ns", row->ns);
	report_put_number(to, "cpu", row->cpu);
	report_put_number(to, "pid", row->pid);
	report_put_number(to, "tid", row->tid);
	report_put_name(to, "process", row->process);
	report_put_number(to, "level", row->level);
	report_put_name(to, "event", row->title);
	report_put_name(to, "text", row->text);
	json_writer_close(to, '}');
}

/* ----------------------------------------------------------------- the parts */

static void put_boot(struct etw_text *to, const struct etw_guid *boot)
{
	if (etw_guid_is_zero(boot))
		json_writer_word(to, "boot", NULL);
	else
		json_writer_guid(to, "boot", boot);
}

static void put_files(const struct report *r, struct etw_text *to)
{
	unsigned int i;

	json_writer_open(to, "files", '[');
	for (i = 0; i < r->file_count; i++) {
		json_writer_open(to, NULL, '{');
		report_put_name(to, "path", r->files[i].path);
		report_put_number(to, "bytes", r->files[i].bytes);
		report_put_verdict(r, to, &r->files[i]);
		report_put_name(to, "host", r->files[i].host);
		report_put_name(to, "kernel", r->files[i].kernel);
		put_boot(to, &r->files[i].boot);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
	json_writer_flag(to, "mixed", r->mixed);
}

static void put_selection(const struct report_about *about, struct etw_text *to)
{
	const char *const *option = about->selection;

	json_writer_open(to, "selection", '[');
	for (; option && *option; option++)
		report_put_name(to, NULL, *option);
	json_writer_close(to, ']');
	json_writer_flag(to, "selects", about->selects);
}

/* 2026-01-31T12:34:56.123456789Z */
static void put_start(const struct report *r, struct etw_text *to)
{
	const uint64_t ns = r->scale.start > 0 ? (uint64_t)r->scale.start : 0;

	json_writer_key(to, "start");
	if (!r->scale.begun) {
		etw_text_puts(to, "null");
		return;
	}
	etw_text_char(to, '"');
	etw_text_time(to, ns / 100 + ETW_UNIX_EPOCH_100NS);
	/* Two digits more, in place of the Z */
	if (!to->error && to->data[to->len - 1] == 'Z')
		etw_text_cut(to, to->len - 1);
	etw_text_unsigned(to, ns % 100, 2);
	etw_text_puts(to, "Z\"");
}

static void put_times(const struct report *r, struct etw_text *to)
{
	json_writer_open(to, "time", '{');
	put_start(r, to);
	json_writer_key(to, "start_ns");
	etw_text_char(to, '"');
	etw_text_signed(to, r->scale.start);
	etw_text_char(to, '"');
	report_put_number(to, "duration_ns", (__int128)r->last - r->scale.start);
	json_writer_close(to, '}');
}

static void put_totals(const struct report *r, struct etw_text *to)
{
	uint64_t cpus = 0;
	unsigned int i;

	for (i = 0; i < r->cpu_count; i++)
		cpus += r->cpus[i].events != 0;
	json_writer_open(to, "totals", '{');
	report_put_number(to, "events", r->events);
	report_put_number(to, "bytes", r->bytes);
	report_put_number(to, "providers", r->all_providers.count);
	report_put_number(to, "event_kinds", r->all_kinds.count);
	report_put_number(to, "processes", r->all_processes.count);
	report_put_number(to, "threads", r->all_threads.count);
	report_put_number(to, "cpus", cpus);
	report_put_number(to, "containers", r->all_containers.count);
	report_put_number(to, "undecoded", r->undecoded);
	report_put_number(to, "lost_events", r->lost_events);
	report_put_number(to, "lost_buffers", r->lost_buffers);
	json_writer_flag(to, "at_least", r->all_providers.full || r->all_kinds.full ||
			 r->all_processes.full || r->all_threads.full || r->all_containers.full);
	json_writer_close(to, '}');
}

static void put_rate(const struct report *r, struct etw_text *to)
{
	json_writer_open(to, "rate", '{');
	report_put_number(to, "bucket_ns", (__int128)1 << r->scale.shift);
	report_put_buckets(to, "events", r->rate_events, r->scale.used);
	report_put_buckets(to, "bytes", r->rate_bytes, r->scale.used);
	report_put_buckets(to, "lost", r->rate_lost, r->scale.used);
	report_put_buckets(to, "lost_buffers", r->rate_lost_buffers, r->scale.used);
	report_put_buckets(to, "gaps", r->rate_gaps, r->scale.used);
	report_put_number(to, "lost_unplaced", r->unplaced_events);
	report_put_number(to, "lost_buffers_unplaced", r->unplaced_buffers);
	json_writer_close(to, '}');
}

static void put_table(const struct report *r, struct etw_text *to)
{
	const uint64_t count = r->table.count + r->firsts.count;
	struct report_rows_at at = { 0 };
	const struct report_row *row;

	json_writer_open(to, "table", '{');
	report_put_number(to, "limit", r->table.max + r->firsts.max);
	report_put_number(to, "stride", r->table.stride);
	report_put_number(to, "firsts", r->firsts.count);
	json_writer_open(to, "rows", '[');
	while ((row = report_rows_next(r, &at)))
		report_put_row(r, to, row);
	json_writer_close(to, ']');
	report_put_number(to, "more", r->events - count);
	json_writer_close(to, '}');
}

static void put_all(struct report *r, const struct report_about *about, struct etw_text *to)
{
	json_writer_open(to, NULL, '{');
	report_put_number(to, "version", 1);
	json_writer_word(to, "generator", about->generator);
	put_files(r, to);
	json_writer_word(to, "filter", about->filter);
	put_selection(about, to);
	put_times(r, to);
	put_totals(r, to);
	report_put_losses(r, to);
	put_rate(r, to);
	report_put_lists(r, to);
	report_put_errors(r, to);
	report_put_operations(r, to);
	report_put_timeline(r, to);
	report_put_fields(r, to);
	report_put_stacks(r, to);
	put_table(r, to);
	report_put_diff(about->base, r, to);
	json_writer_close(to, '}');
	etw_text_char(to, '\n');
}

/* ------------------------------------------------------------- safe characters */

/* Means something in a page, or moves or hides what is around it */
static bool is_unsafe(uint32_t code)
{
	return code == '<' || code == '>' || code == '&' || code == 0xAD || code == 0xFFFC ||
	       (code <= 0xFFFF && etw_text_is_unsafe(code));
}

/* Such characters occur only inside strings; json_writer leaves valid UTF-8. */
static void make_safe(const struct etw_text *json, struct etw_text *to)
{
	size_t at = 0, from = 0, begin;
	int32_t code;

	while (at < json->len) {
		begin = at;
		if (!(json->data[at] & 0x80) && json->data[at] != '<' && json->data[at] != '>' &&
		    json->data[at] != '&' && json->data[at] != 0x7F) {
			at++;
			continue;
		}
		code = etw_utf8_take(json->data, json->len, &at);
		if (code < 0) {
			code = 0xFFFD;
			at = begin + 1;
		} else if (!is_unsafe((uint32_t)code)) {
			continue;
		}
		etw_text_add(to, json->data + from, begin - from);
		etw_text_printf(to, "\\u%04x", (unsigned int)code);
		from = at;
	}
	etw_text_add(to, json->data + from, json->len - from);
}

int report_json(struct report *r, const struct report_about *about, struct etw_text *to)
{
	struct etw_text json = { .data = NULL };
	int err;

	etw_text_cut(to, 0);
	put_all(r, about, &json);
	if (!json.error)
		make_safe(&json, to);
	err = json.error ? json.error : to->error;
	etw_text_free(&json);
	return err;
}
