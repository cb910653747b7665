/* SPDX-License-Identifier: MIT */
/*
 * losses.c - what etw top has not seen
 */
#include <inttypes.h>
#include <string.h>
#include "cli/sample.h"
#include "core/ledger.h"
#include "device/kdev.h"
#include "losses.h"

static int read_stat(const struct losses *l, struct etw_session_stat *stat)
{
	struct etw_session_stat s = { .handle = l->session };
	int err = etw_kdev_session_stat(l->fd, &s);

	if (!err)
		*stat = s;
	return err;
}

void losses_begin(struct losses *l, int fd, struct etw_reader *reader)
{
	*l = (struct losses){
		.fd = fd, .reader = reader, .session = etw_session_info(reader)->handle,
	};
	read_stat(l, &l->before);
}

/* See etw_stat_dropped(). */
static void set_dropped(struct etw_session_stat *stat, unsigned int cause, uint64_t events)
{
	if (cause < ETW_DROP_FIRST_CAUSES)
		stat->dropped[cause] = events;
	else
		stat->dropped_later[cause - ETW_DROP_FIRST_CAUSES] = events;
}

void losses_update(struct losses *l)
{
	struct etw_session_stat now;
	struct etw_reader_count counts;
	struct etw_consumer_info info;
	unsigned int i;

	etw_reader_counts(l->reader, &counts);
	l->unreadable = counts.corrupt;
	if (!etw_reader_stat(l->reader, &info)) {
		l->events = info.events_lost;
		l->buffers = info.buffers_lost;
	} else if (counts.lost_buffers > l->buffers) {
		l->buffers = counts.lost_buffers;
		l->at_least = true;
	}
	if (l->final)
		return;
	if (read_stat(l, &now)) {
		l->at_least |= counts.lost_marks != 0;
		return;
	}
	for (i = 0; i < ETW_DROP_CAUSES; i++)
		set_dropped(&l->lost, i, etw_stat_dropped(&now, i) -
			    etw_stat_dropped(&l->before, i));
	l->lost.abandoned_events = now.abandoned_events - l->before.abandoned_events;
	l->lost.abandoned_buffers = now.abandoned_buffers - l->before.abandoned_buffers;
}

void losses_end(struct losses *l)
{
	losses_update(l);
	l->final = true;
}

/* An event that was not finished is counted as its buffer only. */
static uint64_t abandoned(const struct losses *l)
{
	return l->lost.abandoned_events + l->lost.abandoned_buffers;
}

static uint64_t when_written(const struct losses *l)
{
	uint64_t all = abandoned(l);
	unsigned int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++)
		all += etw_stat_dropped(&l->lost, i);
	return all;
}

bool losses_any(const struct losses *l)
{
	return when_written(l) || l->buffers || l->unreadable;
}

static void add_cause(struct etw_text *to, const char **before, uint64_t count, const char *cause)
{
	if (!count)
		return;
	etw_text_printf(to, "%s%" PRIu64 " %s", *before, count, cause);
	*before = ", ";
}

void losses_line(const struct losses *l, struct etw_text *to)
{
	const uint64_t events = when_written(l) + l->events;
	const char *before = ": ";
	unsigned int i;

	etw_text_printf(to, "LOST %s%" PRIu64 " event%s", l->at_least ? "at least " : "", events,
			cli_s(events));
	add_cause(to, &before, l->events, "this reader was too slow");
	for (i = 0; i < ETW_DROP_CAUSES; i++)
		add_cause(to, &before, etw_stat_dropped(&l->lost, i), etw_loss_text(i));
	add_cause(to, &before, abandoned(l), "writer died");
	if (!l->events)
		add_cause(to, &before, l->buffers, l->buffers == 1 ? "buffer" : "buffers");
	add_cause(to, &before, l->unreadable,
		  l->unreadable == 1 ? "buffer not readable" : "buffers not readable");
}

void losses_report(const struct losses *l)
{
	const char *before = l->at_least ? "at least " : "";
	unsigned int i;

	sample_report_unread(l->buffers, l->events, "");
	sample_report_unreadable(l->unreadable);
	for (i = 0; i < ETW_DROP_CAUSES; i++)
		sample_report_lost(before, etw_stat_dropped(&l->lost, i), etw_loss_text(i));
	sample_report_lost(before, abandoned(l), "a writer died");
}

void losses_json(const struct losses *l, struct etw_text *to)
{
	sample_json_lost(to, &l->lost);
	json_writer_unsigned(to, "abandoned_events", l->lost.abandoned_events);
	json_writer_unsigned(to, "abandoned_buffers", l->lost.abandoned_buffers);
	json_writer_unsigned(to, "reader_events_lost", l->events);
	json_writer_unsigned(to, "reader_buffers_lost", l->buffers);
	json_writer_unsigned(to, "unreadable_buffers", l->unreadable);
}
