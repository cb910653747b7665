/* SPDX-License-Identifier: MIT */
/*
 * doubts.c - what merge and split write of their sources, because nothing copied tells it
 */
#include <stdlib.h>
#include "cli/cli.h"
#include "cli/verify/verify.h"
#include "doubts.h"
#include "etl/verify/source_verdict.h"

/* A time by the clock of a source; in the merge's clock it is not earlier. */
static int64_t key_of(const struct etlmerge_source *s, int64_t time)
{
	return etw_etl_shift(&s->shift, etw_etl_ticks(etw_etl_times_of(s->file), time, 99));
}

static void take(struct etlmerge *m, struct etlmerge_source *s, const struct etw_source_verdict *v)
{
	int64_t key;

	if (v->since) {
		key = key_of(s, v->since_time);
		if (!m->has_since || key > m->since_key)
			m->since_key = key;
		m->has_since = true;
	}
	s->has_end = v->end != 0;
	if (s->has_end)
		s->end = key_of(s, v->end);
	m->silent |= v->silent;
}

int etlmerge_judge(struct etlmerge *merge, char **paths)
{
	struct etw_source_verdict *list = cli_calloc(merge->count, sizeof(*list));
	unsigned int i, failed;
	int err = etw_source_verdicts(paths, merge->count, list, &failed);

	for (i = 0; i < merge->count && !err; i++)
		take(merge, &merge->sources[i], &list[i]);
	free(list);
	return err ? verify_fail(paths[failed], err) : 0;
}

int etlmerge_put_before(struct etlmerge *merge, struct merge_output *out, int64_t key)
{
	_Alignas(8) uint8_t slot[ETW_LOSS_SLOT_MAX];
	int64_t time = etlmerge_time(merge, key);
	uint32_t size = etw_source_loss(ETW_LOSS_BEFORE_FILE, merge->like.header.StartTime.QuadPart,
					time, time, key, slot);

	if (key > out->last)
		out->last = key;
	etw_etl_follow(out->writer, merge->clock, merge->offset, key);
	return merge_output_put(out, merge, 0, slot, size);
}

uint32_t etlmerge_unrecorded(const struct etlmerge *merge, int64_t key, void *slot)
{
	int64_t time = etlmerge_time(merge, key);

	return etw_source_loss(ETW_LOSS_UNRECORDED, merge->like.header.StartTime.QuadPart,
			       merge->end_time > time ? merge->end_time : time, time, key, slot);
}
