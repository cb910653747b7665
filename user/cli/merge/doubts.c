/* SPDX-License-Identifier: MIT */
/*
 * doubts.c - what files lack, and nothing that is copied from them tells
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "doubts.h"
#include "etl/verify.h"

/* Does a source show in no other way that it has this gap? */
static bool is_silent(const struct etw_gap *gap)
{
	switch (gap->cause) {
	case ETW_GAP_FLAGGED_BUFFER:
	case ETW_GAP_DUPLICATE:
	case ETW_GAP_DISORDER:
	case ETW_GAP_STRANGE:
	case ETW_GAP_SURPLUS:
	case ETW_GAP_FILES:
		return true;
	default:
		/* A record, a count of the header, or that it was not closed */
		return false;
	}
}

static void take(struct etlmerge *m, const struct etw_verdict *v)
{
	uint32_t i;

	if (v->since && !v->since_noted && v->since_time > m->since)
		m->since = v->since_time;
	m->silent |= v->more != 0;
	for (i = 0; i < v->gap_count; i++)
		m->silent |= is_silent(&v->gaps[i]);
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
		if (!err) {
			take(merge, &list[i]);
			merge->sources[i].end = list[i].end;
		}
		etw_verdict_free(&list[i]);
	}
	free(list);
	return err ? cli_fail("%s: %s", cli_quote(paths[n]), strerror(-err)) : 0;
}

/* From the start of the trace to the time last, on any CPU */
static int put_loss(const struct etlmerge *m, int64_t key, uint32_t code, int64_t last,
		    etlmerge_doubt_fn *put, void *context)
{
	struct etw_loss_payload loss = {
		.code = code, .cpu = -1, .events = -1, .buffers = -1,
		.first = m->like.header.StartTime.QuadPart, .last = last,
		.noted = etlmerge_time(m, key),
	};
	_Alignas(8) uint8_t slot[ETW_LOSS_SLOT_MAX];

	if (loss.first > last)
		loss.first = last;
	etw_loss_build(slot, &loss, "", 0, key, ETW_EVENT_NO_CPUTIME);
	return put(context, slot, ((const struct etw_event_header *)slot)->size, last);
}

int etlmerge_doubts(const struct etlmerge *merge, int64_t key, bool unrecorded,
		    etlmerge_doubt_fn *put, void *context)
{
	const int64_t noted = etlmerge_time(merge, key);
	/* The end in a header may be wrong. */
	const int64_t end = merge->end_time > noted ? merge->end_time : noted;
	int ret = 0;

	if (merge->since)
		ret = put_loss(merge, key, ETW_LOSS_BEFORE_FILE, merge->since, put, context);
	if (!ret && unrecorded)
		ret = put_loss(merge, key, ETW_LOSS_UNRECORDED, end, put, context);
	return ret;
}
