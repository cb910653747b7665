/* SPDX-License-Identifier: MIT */
/*
 * losses.c - what the sources of a new trace have lost, in that trace
 */
#include <errno.h>
#include <stdlib.h>

#include "etl/loss.h"
#include "etl/verify/source_verdict.h"
#include "relogger_private.h"

/* A source has nothing older than this FILETIME of its own clock. */
static void take_since(struct etw_relogger *r, struct etw_relog_stream *s, int64_t time)
{
	int64_t ticks;
	uint8_t nanos;

	if (r->streams[0]->reader) {
		ticks = etw_relog_ticks(r, time);
	} else {
		ticks = etw_etl_shift(&s->shift, etw_etl_ticks(etw_etl_times_of(s->file), time, 99));
		time = etw_etl_time(&r->streams[0]->line, ticks, &nanos);
	}
	if (r->has_since && ticks <= r->since)
		return;
	r->has_since = true;
	r->since = ticks;
	r->since_time = time;
}

int etw_relog_judge(struct etw_relogger *r)
{
	struct etw_source_verdict *list = calloc(r->count, sizeof(*list));
	char **paths = calloc(r->count, sizeof(*paths));
	unsigned int i, n = 0, failed;
	int err = -ENOMEM;

	if (list && paths) {
		for (i = 0; i < r->count; i++)
			if (r->streams[i]->file)
				paths[n++] = r->streams[i]->path;
		err = etw_source_verdicts(paths, n, list, &failed);
	}
	for (i = 0, n = 0; i < r->count && !err; i++) {
		if (!r->streams[i]->file)
			continue;
		r->silent |= list[n].silent;
		if (list[n].since)
			take_since(r, r->streams[i], list[n].since_time);
		n++;
	}
	free(paths);
	free(list);
	return err;
}

static void add_counts(struct etw_relogger *r, int64_t *end)
{
	struct etw_consumer_info info;
	unsigned int i;

	*end = 0;
	for (i = 0; i < r->count; i++) {
		const struct etw_relog_stream *s = r->streams[i];

		if (s->reader) {
			if (!etw_reader_stat(s->reader, &info))
				etw_etl_lost(r->writer, info.events_lost, info.buffers_lost);
			continue;
		}
		etw_etl_lost(r->writer, etw_etl_info(s->file)->header.EventsLost,
			     etw_etl_lost_buffers(s->file));
		if (etw_etl_cut_off(s->file))
			etw_etl_doubt(r->writer);
		if (etw_etl_info(s->file)->header.EndTime.QuadPart > *end)
			*end = etw_etl_info(s->file)->header.EndTime.QuadPart;
	}
	if (r->session)
		*end = 0;
}

/* What no record of the sources tells */
static int write_doubts(struct etw_relogger *r, int64_t end)
{
	const int64_t start = r->info.header.StartTime.QuadPart;
	_Alignas(8) uint8_t slot[ETW_LOSS_SLOT_MAX];
	int err = 0;

	if (r->has_since)
		err = etw_etl_write(r->writer, 0, slot,
				    etw_source_loss(ETW_LOSS_BEFORE_FILE, start, r->since_time,
						    r->since_time, r->since, slot));
	if (err || !r->silent)
		return err;
	return etw_etl_write(r->writer, 0, slot,
			     etw_source_loss(ETW_LOSS_UNRECORDED, start, end > r->now ? end : r->now,
					     r->now, etw_relog_ticks(r, r->now), slot));
}

int etw_relog_write_losses(struct etw_relogger *r, int64_t *end)
{
	add_counts(r, end);
	return write_doubts(r, *end);
}
