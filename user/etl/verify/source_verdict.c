/* SPDX-License-Identifier: MIT */
/*
 * source_verdict.c - what a file that is made of others has to tell of them
 */
#include <errno.h>
#include <stdlib.h>

#include "core/ledger.h"
#include "source_verdict.h"
#include "verify.h"

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

static void take(const struct etw_verdict *v, struct etw_source_verdict *to)
{
	uint32_t i;

	*to = (struct etw_source_verdict){
		.since = v->since && !v->since_noted,
		.since_time = v->since_time,
		.silent = v->more != 0,
		.end = v->end,
	};
	for (i = 0; i < v->gap_count; i++)
		to->silent |= is_silent(v, &v->gaps[i]);
}

int etw_source_verdicts(char *const *paths, unsigned int count, struct etw_source_verdict *list,
			unsigned int *failed)
{
	struct etw_verdict *verdicts = calloc(count + 1, sizeof(*verdicts));
	unsigned int i, n = 0;
	int err = verdicts ? 0 : -ENOMEM;

	while (!err && n < count) {
		err = etw_etl_verify_buffers(paths[n], &verdicts[n]);
		n += !err;
	}
	*failed = n;
	if (!err)
		err = etw_verdict_finish(verdicts, n);
	for (i = 0; i < n; i++) {
		if (!err)
			take(&verdicts[i], &list[i]);
		etw_verdict_free(&verdicts[i]);
	}
	free(verdicts);
	return err;
}

uint32_t etw_source_loss(uint32_t code, int64_t first, int64_t last, int64_t noted, int64_t key,
			 void *slot)
{
	const struct etw_loss_payload loss = {
		.code = code, .cpu = -1, .events = -1, .buffers = -1,
		.first = first < last ? first : last, .last = last, .noted = noted,
	};

	etw_loss_build(slot, &loss, "", 0, key, ETW_EVENT_NO_CPUTIME);
	return ((const struct etw_event_header *)slot)->size;
}
