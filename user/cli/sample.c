/* SPDX-License-Identifier: MIT */
/*
 * sample.c - a session's counters at one moment, and what changed since another
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "cli/print/clock.h"
#include "loss.h"
#include "sample.h"
#include "table.h"
#include "text.h"
#include "device/kdev.h"

/**
 * sample_take() - read a session's counters
 * @fd: the device
 * @session: the session, just queried
 * @sample: filled on success
 */
int sample_take(int fd, const struct session *session, struct sample *sample)
{
	struct timespec wall;
	int err;

	memset(sample, 0, sizeof(*sample));
	sample->session = *session;
	sample->stat.handle = session->s.handle;
	sample->stat.consumers = (uintptr_t)sample->readers;
	sample->stat.consumer_cap = ETW_CONSUMERS_MAX;
	err = etw_kdev_session_stat(fd, &sample->stat);
	if (err)
		return err;
	sample->reader_count = sample->stat.consumer_count;
	if (sample->reader_count > ETW_CONSUMERS_MAX)
		sample->reader_count = ETW_CONSUMERS_MAX;
	clock_gettime(CLOCK_MONOTONIC, &sample->when);
	clock_gettime(CLOCK_REALTIME, &wall);
	sample->time = wall.tv_sec * 10000000LL + wall.tv_nsec / 100 +
		       ETW_UNIX_EPOCH_100NS;
	return 0;
}

const struct sample *samples_find(const struct samples *samples,
				  uint64_t handle)
{
	unsigned int i;

	for (i = 0; i < samples->count; i++) {
		if (samples->list[i].session.s.handle == handle)
			return &samples->list[i];
	}
	return NULL;
}

static double to_seconds(struct timespec t)
{
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds between the two samples, or since the session's start. */
static double elapsed(const struct sample *now, const struct sample *before)
{
	double from = before ? to_seconds(before->when) :
			       (double)now->session.s.start_mono / 1e9;
	double seconds = to_seconds(now->when) - from;

	return seconds > 0 ? seconds : 0;
}

static double rate(uint64_t now, uint64_t before, double seconds)
{
	return seconds > 0 && now >= before ? (double)(now - before) / seconds : 0;
}

static void add_row(struct table *table, const char *what, uint64_t now,
		    uint64_t before, double seconds)
{
	table_cell(table, "  %s", what);
	table_cell(table, "%" PRIu64, now);
	table_cell(table, "%.1f", rate(now, before, seconds));
}

static void print_events(const struct sample *now, const struct sample *before)
{
	static const char *const headings[] = {
		"  EVENTS", ">TOTAL", ">PER SECOND", NULL
	};
	static const struct etw_session_stat zero;
	const struct etw_session_stat *s = &now->stat;
	const struct etw_session_stat *b = before ? &before->stat : &zero;
	struct table table = { .headings = headings };
	double seconds = elapsed(now, before);
	char what[64];
	int i;

	add_row(&table, "written", s->written, b->written, seconds);
	for (i = 0; i < ETW_DROP_CAUSES; i++) {
		snprintf(what, sizeof(what), "lost: %s", loss_causes[i].text);
		add_row(&table, what, s->dropped[i], b->dropped[i], seconds);
	}
	add_row(&table, "delivered", s->events_delivered, b->events_delivered,
		seconds);
	add_row(&table, "discarded: no reader", s->discarded_events,
		b->discarded_events, seconds);
	if (now->session.s.mode & ETW_MODE_BUFFERING)
		add_row(&table, "overwritten", s->overwritten_events,
			b->overwritten_events, seconds);
	table_print(&table);
	table_free(&table);
}

/* The same reader in the sample before: one process may have several. */
static const struct etw_consumer_info *
find_reader(const struct sample *before, const struct sample *now,
	    unsigned int index)
{
	unsigned int nth = 0, i;

	for (i = 0; i < index; i++)
		nth += now->readers[i].pid == now->readers[index].pid;
	for (i = 0; before && i < before->reader_count; i++) {
		if (before->readers[i].pid == now->readers[index].pid && !nth--)
			return &before->readers[i];
	}
	return NULL;
}

static void print_readers(const struct sample *now, const struct sample *before)
{
	static const char *const headings[] = {
		"  READER", ">EVENTS", ">PER SECOND", ">LOST EVENTS",
		">LOST BUFFERS", ">BACKLOG", ">HELD", NULL
	};
	struct table table = { .headings = headings };
	double seconds = before ? elapsed(now, before) : 0;
	unsigned int i;

	for (i = 0; i < now->reader_count; i++) {
		const struct etw_consumer_info *r = &now->readers[i];
		const struct etw_consumer_info *b = find_reader(before, now, i);

		table_cell(&table, "  pid %u", r->pid);
		table_cell(&table, "%" PRIu64, (uint64_t)r->events);
		table_cell(&table, "%.1f", rate(r->events, b ? b->events : 0,
						seconds));
		table_cell(&table, "%" PRIu64, (uint64_t)r->events_lost);
		table_cell(&table, "%" PRIu64, (uint64_t)r->buffers_lost);
		table_cell(&table, "%" PRIu64, (uint64_t)r->backlog);
		table_cell(&table, "%u", r->held);
	}
	if (now->reader_count)
		table_print(&table);
	table_free(&table);
}

void sample_print_text(const struct sample *now, const struct sample *before)
{
	const struct etw_session *s = &now->session.s;
	struct etw_text line = { 0 };

	text_puts(&line, "session ");
	text_escape(&line, now->session.name, strlen(now->session.name));
	text_printf(&line, " (id %u, %s, %u of %u buffers free, %u KB each)  ",
		    s->logger_id, session_mode(&now->session), s->free_buffers,
		    s->buffers, s->buffer_kb);
	clock_local(&line, now->time);
	printf("%s\n", line.data);
	etw_text_free(&line);
	print_events(now, before);
	print_readers(now, before);
	puts("");
}

static void put_double(struct json *to, const char *key, double value)
{
	char s[48];

	snprintf(s, sizeof(s), "%.1f", value);
	json_number(to, key, s);
}

static struct json *readers_json(const struct sample *now)
{
	struct json *array = json_new_array();
	unsigned int i;

	for (i = 0; i < now->reader_count; i++) {
		const struct etw_consumer_info *r = &now->readers[i];
		struct json *o = json_new();

		json_unsigned(o, "pid", r->pid);
		json_unsigned(o, "events", r->events);
		json_unsigned(o, "buffers", r->buffers);
		json_unsigned(o, "events_lost", r->events_lost);
		json_unsigned(o, "buffers_lost", r->buffers_lost);
		json_unsigned(o, "backlog", r->backlog);
		json_unsigned(o, "held", r->held);
		json_append(array, o);
	}
	return array;
}

void sample_print_json(const struct sample *now, const struct sample *before)
{
	const struct etw_session_stat *s = &now->stat;
	struct json *o = session_json(&now->session);
	struct json *lost = json_new();
	double seconds = elapsed(now, before);
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++)
		json_unsigned(lost, loss_causes[i].key, s->dropped[i]);
	json_time(o, "time", now->time);
	put_double(o, "seconds", seconds);
	json_unsigned(o, "written", s->written);
	put_double(o, "written_per_second",
		   rate(s->written, before ? before->stat.written : 0, seconds));
	json_put(o, "lost", lost);
	json_unsigned(o, "events_delivered", s->events_delivered);
	put_double(o, "delivered_per_second",
		   rate(s->events_delivered,
			before ? before->stat.events_delivered : 0, seconds));
	json_unsigned(o, "discarded_events", s->discarded_events);
	json_unsigned(o, "discarded_buffers", s->discarded_buffers);
	json_unsigned(o, "overwritten_events", s->overwritten_events);
	json_unsigned(o, "overwritten_buffers", s->overwritten_buffers);
	json_put(o, "readers", readers_json(now));
	json_print(o);
}
