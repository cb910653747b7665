/* SPDX-License-Identifier: MIT */
/*
 * records.c - the records of log files in one order and one clock
 */
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/input/processes.h"
#include "records.h"
#include "cli/input/log_contents.h"
#include "core/classic.h"
#include "core/ledger.h"
#include "etl/record.h"

#define SEEN_MAX	65536	/* records about the trace that are remembered */

/* ---------------------------------------------------------------------- clocks */

/*
 * Choose the clock with the finest ticks, so that no time loses precision; of its files, the
 * one that begins first.
 */
static unsigned int choose_clock(const struct etw_etl_clock *clocks, unsigned int count)
{
	unsigned int i, best = 0, first;

	for (i = 1; i < count; i++)
		if (clocks[i].frequency > clocks[best].frequency)
			best = i;
	for (first = best, i = 0; i < count; i++)
		if (etw_etl_clock_same(&clocks[i], &clocks[best]) &&
		    clocks[i].time < clocks[first].time)
			first = i;
	return first;
}

/*
 * Files with the same clock share one line to the wall clock, so that equal ticks stay equal.
 * It is stored at the file that begins first, or at the chosen one.
 */
static unsigned int line_of(const struct etw_etl_clock *clocks, unsigned int count,
			    unsigned int i, unsigned int best)
{
	unsigned int j, first = i;

	if (i == best || etw_etl_clock_same(&clocks[i], &clocks[best]))
		return best;
	for (j = 0; j < count; j++)
		if (etw_etl_clock_same(&clocks[i], &clocks[j]) &&
		    !etw_etl_clock_same(&clocks[j], &clocks[best]) &&
		    clocks[j].time < clocks[first].time)
			first = j;
	return first;
}

/* Fit each clock's line to the times in the buffers of all its files. */
static void draw_lines(struct etlmerge *m, const struct etw_etl_clock *clocks, unsigned int best)
{
	struct etw_etl_time *line;
	unsigned int i, at;

	for (i = 0; i < m->count; i++) {
		at = line_of(clocks, m->count, i, best);
		line = &m->lines[at];
		if (!line->count)
			etw_etl_time_init(line, etw_etl_info(m->sources[at].file));
		etw_etl_time_join(line, etw_etl_times_of(m->sources[i].file));
		m->sources[i].shift.same = at == best;
		m->sources[i].shift.from = line;
	}
	for (i = 0; i < m->count; i++)
		if (m->lines[i].count)
			etw_etl_time_ready(&m->lines[i]);
}

/* -------------------------------------------------------------------- beginning */

/*
 * Combine the headers; names come from the file that begins first.  The clock starts at its
 * value of that time, or at 0 if the clock's machine was booted later.
 */
static void describe(struct etlmerge *m, const struct inputs *inputs, unsigned int best)
{
	const struct etw_etl_info *info, *of_clock = etw_etl_info(inputs_file(inputs, best));
	TRACE_LOGFILE_HEADER *h = &m->like.header;
	int64_t start = inputs_start(inputs), ticks = of_clock->start_clock;
	unsigned int i;

	for (i = m->count; i--;) {
		info = etw_etl_info(inputs_file(inputs, i));
		if (info->header.StartTime.QuadPart == start)
			m->like = *info;
	}
	for (i = 0; i < m->count; i++) {
		info = etw_etl_info(inputs_file(inputs, i));
		if (info->header.NumberOfProcessors > h->NumberOfProcessors)
			h->NumberOfProcessors = info->header.NumberOfProcessors;
		/* The largest record of any file must fit. */
		if (info->header.BufferSize > h->BufferSize)
			h->BufferSize = info->header.BufferSize;
		if (info->header.PointerSize > h->PointerSize)
			h->PointerSize = info->header.PointerSize;
	}
	h->ProviderVersion = of_clock->header.ProviderVersion;
	h->ReservedFlags = of_clock->header.ReservedFlags;
	h->PerfFreq = of_clock->header.PerfFreq;
	h->CpuSpeedInMHz = of_clock->header.CpuSpeedInMHz;
	h->TimerResolution = of_clock->header.TimerResolution;
	/* If the machine was booted later, keep the boot time of the first file. */
	if (of_clock->header.BootTime.QuadPart <= start)
		h->BootTime = of_clock->header.BootTime;
	if (of_clock->header.StartTime.QuadPart != start)
		ticks = etw_etl_ticks(m->clock, start, 0);
	m->offset = ticks < 0 ? ticks : 0;
	m->like.start_clock = ticks - m->offset;
}

void etlmerge_begin(struct etlmerge *m, const struct inputs *inputs)
{
	struct etw_etl_clock *clocks = calloc(inputs->count, sizeof(*clocks));
	unsigned int i, best;

	memset(m, 0, sizeof(*m));
	m->count = inputs->count;
	m->sources = calloc(m->count, sizeof(*m->sources));
	m->lines = calloc(m->count, sizeof(*m->lines));
	m->copy = malloc(ETW_RECORD_MAX + 1);
	m->seen.max = SEEN_MAX;
	if (!clocks || !m->sources || !m->lines || !m->copy)
		cli_die("out of memory");
	for (i = 0; i < m->count; i++) {
		m->sources[i].file = inputs_file(inputs, i);
		m->sources[i].last = INT64_MIN;
		etw_etl_clock_of(etw_etl_info(m->sources[i].file), &clocks[i]);
	}
	best = choose_clock(clocks, m->count);
	draw_lines(m, clocks, best);
	free(clocks);
	m->clock = &m->lines[best];
	describe(m, inputs, best);
	for (i = 0; i < m->count; i++) {
		m->sources[i].shift.to = m->clock;
		m->sources[i].shift.offset = m->offset;
	}
}

void etlmerge_end(struct etlmerge *m)
{
	free(m->sources);
	free(m->lines);
	free(m->copy);
	free(m->seen_in);
	etw_interner_clear(&m->seen);
	memset(m, 0, sizeof(*m));
}

/* ---------------------------------------------------------------------- reading */

/*
 * 1: the source has its next record; 0: no more.  A record later than --until is not the end:
 * schemas come last, and one wrong time must not hide all records behind it.
 */
static int fill(struct etlmerge_source *s, const struct select *select)
{
	int ret;

	if (s->has)
		return 1;
	if (s->done)
		return 0;
	ret = etw_etl_next(s->file, &s->event);
	if (ret == 1) {
		s->key = etw_etl_shift(&s->shift, s->event.record.header->timestamp);
		if (s->key > s->last && !select_is_over(select, s->event.time))
			s->last = s->key;
		s->has = true;
		return 1;
	}
	s->done = true;
	return ret < 0 ? ret : 0;
}

/* Find the source with the earliest next record; on a tie, the first one. */
static int find_first(struct etlmerge *m, const struct select *select)
{
	struct etlmerge_source *s;
	int ret;

	m->current = NULL;
	for (s = m->sources; s < m->sources + m->count; s++) {
		ret = fill(s, select);
		if (ret < 0) {
			m->current = s;
			return ret;
		}
		if (ret && (!m->current || s->key < m->current->key))
			m->current = s;
	}
	return m->current != NULL;
}

/* A file's header; the writer makes a new one */
static bool is_header(const struct etw_event_header *h)
{
	return etw_etl_is_system(h) && !h->desc.task;
}

static void hash_more(uint64_t hash[2], const void *data, size_t size)
{
	const uint8_t *p = data;

	/* FNV-1a, twice with different primes */
	for (; size--; p++) {
		hash[0] = (hash[0] ^ *p) * 0x100000001b3u;
		hash[1] = (hash[1] ^ *p) * 0x9e3779b97f4a7c15u;
	}
}

/*
 * Did another file have the same record?  All parts of a split trace share their records about
 * the trace, and all traces of a program share its schema, with different times.
 */
static bool is_repeated(struct etlmerge *m, const struct etlmerge_record *record)
{
	const struct etw_record_view *view = &record->event->record;
	const struct etlmerge_source *source = &m->sources[record->source];
	uint64_t hash[2] = { 0xcbf29ce484222325u, 0x84222325cbf29ce4u };
	uint32_t number;
	bool fresh;

	if (etw_etl_is_system(view->header) || etw_kind_is_lost_event(view->header)) {
		hash_more(hash, record->data, record->size);
	} else {
		hash_more(hash, &view->header->provider, sizeof(view->header->provider));
		hash_more(hash, view->data, view->data_len);
	}
	number = etw_intern(&m->seen, hash, sizeof(hash), &fresh);
	if (number && !fresh)
		return m->seen_in[number - 1] != source;
	if (number) {
		m->seen_in = cli_grow(m->seen_in, number - 1, sizeof(*m->seen_in));
		m->seen_in[number - 1] = source;
	}
	return false;
}

/*
 * Is it a reader's record of a loss, of which nobody knows what is missing? A session's is told by
 * a record in the ledger, too, if the header counts it.
 */
static bool is_readers_loss(const struct etlmerge_source *s)
{
	const struct etw_event_header *h = s->event.record.header;
	const TRACE_LOGFILE_HEADER *file;

	if (!etw_kind_is_lost_event(h))
		return false;
	file = &etw_etl_info(s->file)->header;
	if (file->ProviderVersion)
		return true;
	return !(h->flags & ETW_EVENT_USER_MODE) &&
	       !(h->flags & ETW_EVENT_KERNEL_MODE && file->EventsLost);
}

static bool is_about_trace(const struct etlmerge_source *s)
{
	return event_is_about_trace(&s->event) || is_readers_loss(s);
}

static void take(struct etlmerge *m, struct etlmerge_source *s, struct etlmerge_record *record)
{
	record->event = &s->event;
	record->data = s->event.raw;
	record->size = s->event.raw_size;
	record->key = s->key;
	record->source = (unsigned int)(s - m->sources);
	record->about_trace = is_about_trace(s);
	record->counts = !record->about_trace &&
			 (m->processes ? !processes_hides(m->processes, &s->event) :
			  !etw_process_is_own_event(&s->event));
	m->far += (s->key == INT64_MAX || s->key == INT64_MIN) && !record->about_trace;
	if ((s->shift.same && !s->shift.offset) || record->size > ETW_RECORD_MAX)
		return;
	memcpy(m->copy, record->data, record->size);
	etw_etl_restamp(m->copy, record->size, &s->shift);
	record->data = m->copy;
}

static bool is_selected(struct etlmerge *m, struct select *select, const struct etlmerge_source *s)
{
	const struct etw_event *event = &s->event;
	struct etw_loss loss;

	if (m->processes)
		processes_event(m->processes, event);
	if (is_about_trace(s)) {
		/* In a file of ours it would be a process's. */
		m->silent |= is_readers_loss(s) &&
			     event->record.header->flags & ETW_EVENT_USER_MODE;
		if (etw_loss_of(event, &loss) || is_readers_loss(s))
			select_saw(select, &event->record.header->provider);
		return true;
	}
	/* What is selected needs its names. */
	return select_event(select, event) || etw_process_is_own_event(event) || images_is(event);
}

int etlmerge_next(struct etlmerge *m, struct select *select, struct etlmerge_record *record)
{
	int ret;

	while ((ret = find_first(m, select)) == 1) {
		struct etlmerge_source *s = m->current;
		const struct etw_event_header *h = s->event.record.header;

		s->has = false;
		if (is_header(h) || !is_selected(m, select, s))
			continue;
		take(m, s, record);
		if (!record->about_trace || !is_repeated(m, record))
			return 1;
	}
	return ret;
}

/* ------------------------------------------------------------------------ ending */

/*
 * The headers of a session's files, one after the other, each count what it had lost until then:
 * does another file count all that this one does?
 */
static bool another_counts(const struct etlmerge *m, unsigned int at)
{
	const ULONG series = EVENT_TRACE_FILE_MODE_NEWFILE | EVENT_TRACE_BUFFERING_MODE;
	const struct etw_etl_info *own = etw_etl_info(m->sources[at].file), *other;
	uint64_t lost = (uint64_t)own->header.EventsLost + own->header.BuffersLost, more;
	unsigned int i;

	for (i = 0; i < m->count; i++) {
		other = etw_etl_info(m->sources[i].file);
		more = (uint64_t)other->header.EventsLost + other->header.BuffersLost;
		if (i != at && own->header.LogFileMode & other->header.LogFileMode & series &&
		    etw_etl_same_session(own, other) && (more > lost || (more == lost && i > at)))
			return true;
	}
	return false;
}

void etlmerge_losses(struct etlmerge *m)
{
	struct etw_etl_count count;
	unsigned int i;

	m->lost_events = m->skipped;
	m->lost_buffers = 0;
	m->end_time = m->has_since ? etlmerge_time(m, m->since_key) : 0;
	for (i = 0; i < m->count; i++) {
		const struct etlmerge_source *s = &m->sources[i];
		const TRACE_LOGFILE_HEADER *h = &etw_etl_info(s->file)->header;
		int64_t key = s->has_end ? s->end : s->last;
		int64_t end = key == INT64_MIN ? 0 : etlmerge_time(m, key);

		m->lost_buffers += etw_etl_lost_buffers(s->file);
		if (another_counts(m, i))
			m->lost_buffers -= h->BuffersLost;
		else
			m->lost_events += h->EventsLost;
		m->unclosed |= etw_etl_cut_off(s->file);
		etw_etl_counts(s->file, &count);
		m->damaged |= count.missing || count.corrupt;
		if (end > m->end_time)
			m->end_time = end;
	}
}

int64_t etlmerge_time(const struct etlmerge *m, int64_t key)
{
	uint8_t nanos;
	int64_t ticks;

	if (__builtin_add_overflow(key, m->offset, &ticks))
		ticks = key;
	return etw_etl_time(m->clock, ticks, &nanos);
}
