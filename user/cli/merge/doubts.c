/* SPDX-License-Identifier: MIT */
/*
 * doubts.c - what files lack, and nothing that is copied from them tells
 */
#include <stdlib.h>
#include "cli/cli.h"
#include "cli/verify/verify.h"
#include "doubts.h"

/* Does a source show in no other way that it has this gap? */
static bool is_silent(const struct etw_verdict *v, const struct etw_gap *gap)
{
	switch (gap->cause) {
	case ETW_GAP_FLAGGED:
		return v->closed && !v->info.header.EventsLost;
	case ETW_GAP_NUMBERS:
		/* Each session of the file has its own, and all together may have no gap. */
		return v->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_APPEND;
	case ETW_GAP_FLAGGED_BUFFER:
	case ETW_GAP_DUPLICATE:
	case ETW_GAP_DISORDER:
	case ETW_GAP_STRANGE:
	case ETW_GAP_SURPLUS:
	case ETW_GAP_RECORD:
	case ETW_GAP_FILES:
		return true;
	default:
		/* A record, a count of the header, or that it was not closed */
		return false;
	}
}

/* A time by the clock of a source; in the merge's clock it is not earlier. */
static int64_t key_of(const struct etlmerge_source *s, int64_t time)
{
	return etw_etl_shift(&s->shift, etw_etl_ticks(etw_etl_times_of(s->file), time, 99));
}

static void take(struct etlmerge *m, struct etlmerge_source *s, const struct etw_verdict *v)
{
	uint32_t i;
	int64_t key;

	if (v->since && !v->since_noted) {
		key = key_of(s, v->since_time);
		if (!m->has_since || key > m->since_key)
			m->since_key = key;
		m->has_since = true;
	}
	s->has_end = v->end != 0;
	if (s->has_end)
		s->end = key_of(s, v->end);
	m->silent |= v->more != 0;
	for (i = 0; i < v->gap_count; i++)
		m->silent |= is_silent(v, &v->gaps[i]);
}

int etlmerge_judge(struct etlmerge *merge, char **paths)
{
	struct etw_verdict *list = cli_calloc(merge->count, sizeof(*list));
	unsigned int i, n = 0;
	int err = 0;

	while (n < merge->count && !err) {
		err = etw_etl_verify_buffers(paths[n], &list[n]);
		n += !err;
	}
	if (!err && etw_verdict_finish(list, n))
		cli_die("out of memory");
	for (i = 0; i < n; i++) {
		if (!err)
			take(merge, &merge->sources[i], &list[i]);
		etw_verdict_free(&list[i]);
	}
	free(list);
	return err ? verify_fail(paths[n], err) : 0;
}

/* From the start of the trace to a time, on any CPU */
static uint32_t make(const struct etlmerge *m, uint32_t code, int64_t last, int64_t key, void *slot)
{
	struct etw_loss_payload loss = {
		.code = code, .cpu = -1, .events = -1, .buffers = -1,
		.first = m->like.header.StartTime.QuadPart, .last = last,
		.noted = etlmerge_time(m, key),
	};

	if (loss.first > loss.last)
		loss.first = loss.last;
	etw_loss_build(slot, &loss, "", 0, key, ETW_EVENT_NO_CPUTIME);
	return ((const struct etw_event_header *)slot)->size;
}

int etlmerge_put_before(struct etlmerge *merge, struct merge_output *out, int64_t key)
{
	_Alignas(8) uint8_t slot[ETW_LOSS_SLOT_MAX];
	uint32_t size = make(merge, ETW_LOSS_BEFORE_FILE, etlmerge_time(merge, key), key, slot);

	if (key > out->last)
		out->last = key;
	etw_etl_follow(out->writer, merge->clock, merge->offset, key);
	return merge_output_put(out, merge, 0, slot, size);
}

uint32_t etlmerge_unrecorded(const struct etlmerge *merge, int64_t key, void *slot)
{
	int64_t time = etlmerge_time(merge, key);

	return make(merge, ETW_LOSS_UNRECORDED, merge->end_time > time ? merge->end_time : time, key,
		    slot);
}
