/* SPDX-License-Identifier: MIT */
/*
 * gaps.c - the losses that the sources record, in the packets of the streams
 *
 * A reader takes the difference of two packets' counters of discarded events for what was lost
 * from the end of the one to the end of the other.  So a packet ends where a loss begins and
 * another one where it ends, even if it has no event.
 */
#include <errno.h>
#include <stdlib.h>

#include "trace.h"

uint64_t ctf_time(int64_t filetime, unsigned int nanos)
{
	if (filetime <= ETW_UNIX_EPOCH_100NS)
		return 0;
	if (filetime - ETW_UNIX_EPOCH_100NS >= INT64_MAX / 100)
		return CTF_TIME_MAX;
	return (uint64_t)(filetime - ETW_UNIX_EPOCH_100NS) * 100 + nanos;
}

static int by_stream(const void *a, const void *b)
{
	const struct ctf_gap *x = a, *y = b;

	if (x->cpu % CTF_STREAMS != y->cpu % CTF_STREAMS)
		return x->cpu % CTF_STREAMS < y->cpu % CTF_STREAMS ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return 0;
}

/* Join gaps of a stream that overlap or touch: a packet has one counter.  Returns their number. */
static size_t join(struct ctf_gap *gaps, size_t count)
{
	size_t i, to = 0;

	for (i = 1; i < count; i++) {
		struct ctf_gap *last = &gaps[to];

		if (gaps[i].cpu % CTF_STREAMS != last->cpu % CTF_STREAMS ||
		    gaps[i].first > last->last) {
			gaps[++to] = gaps[i];
			continue;
		}
		if (gaps[i].last > last->last)
			last->last = gaps[i].last;
		if (__builtin_add_overflow(last->events, gaps[i].events, &last->events))
			last->events = UINT64_MAX;
	}
	return count ? to + 1 : 0;
}

int ctf_gaps_make(const struct convert *c, struct ctf_stream *streams, struct ctf_gap **gaps,
		  uint64_t *events)
{
	struct ctf_gap *list = calloc(c->loss_count + 1, sizeof(*list));
	size_t i, count;

	*gaps = list;
	*events = 0;
	if (!list)
		return -ENOMEM;
	for (i = 0; i < c->loss_count; i++) {
		const struct convert_loss *loss = &c->losses[i];

		list[i].first = ctf_time(loss->first, 0);
		list[i].last = ctf_time(loss->last, 0);
		/* Of an unknown number, one shows that there were some. */
		list[i].events = loss->events > 0 ? (uint64_t)loss->events : 1;
		list[i].cpu = loss->cpu;
		if (loss->of_session && loss->events > 0 &&
		    __builtin_add_overflow(*events, (uint64_t)loss->events, events))
			*events = UINT64_MAX;
	}
	qsort(list, c->loss_count, sizeof(*list), by_stream);
	count = join(list, c->loss_count);
	for (i = 0; i < count; i++) {
		struct ctf_stream *stream = &streams[list[i].cpu % CTF_STREAMS];

		if (!stream->gap)
			stream->gap = &list[i];
		stream->gaps_end = &list[i + 1];
	}
	return 0;
}

void ctf_gap_share(struct ctf_stream *stream)
{
	__extension__ typedef unsigned __int128 wide;
	struct ctf_gap *gap = stream->gap;
	uint64_t share = 0;

	if (!stream->in_gap)
		return;
	if (stream->last >= gap->last)
		share = gap->events;
	else if (stream->last > stream->gap_at)
		share = (uint64_t)((wide)gap->events * (stream->last - stream->gap_at) /
				   (gap->last - stream->gap_at));
	stream->gap_at = stream->last;
	gap->events -= share;
	stream->discarded += share;
}

/* End a packet at this time, an empty one if there is none. */
static int cut(struct convert *c, struct ctf_stream *streams, uint32_t cpu, uint64_t time)
{
	struct ctf_stream *stream = &streams[cpu % CTF_STREAMS];
	int err;

	if (!stream->open)
		stream = ctf_stream_of(c, streams, cpu, stream->used ? stream->last : time, &err);
	if (!stream)
		return err;
	if (time > stream->last)
		stream->last = time;
	return ctf_stream_flush(c, stream);
}

int ctf_stream_pass(struct convert *c, struct ctf_stream *streams, uint32_t cpu, uint64_t time)
{
	struct ctf_stream *stream = &streams[cpu % CTF_STREAMS];
	int err = 0;

	while (!err && stream->gap != stream->gaps_end) {
		const struct ctf_gap *gap = stream->gap;

		if (!stream->in_gap) {
			if (gap->first > time)
				return 0;
			err = cut(c, streams, gap->cpu, gap->first);
			stream->in_gap = true;
			stream->gap_at = stream->last;
		}
		/* Events of the time in which others were lost are in its packet. */
		if (err || gap->last >= time)
			return err;
		err = cut(c, streams, gap->cpu, gap->last);
		stream->in_gap = false;
		stream->gap++;
	}
	return err;
}
