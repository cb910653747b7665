/* SPDX-License-Identifier: MIT */
/*
 * sample.h - a session's counters at one moment, and what changed since another
 */
#ifndef ETW_CLI_SAMPLE_H
#define ETW_CLI_SAMPLE_H

#include <time.h>
#include "session.h"

struct sample {
	struct session session;
	struct etw_session_stat stat;
	struct etw_consumer_info readers[ETW_CONSUMERS_MAX];
	unsigned int reader_count;
	struct timespec when;	/* CLOCK_MONOTONIC */
	int64_t time;		/* 100 ns since 1601 */
};

struct samples {
	struct sample *list;
	unsigned int count;
};

int sample_take(int fd, const struct session *session, struct sample *sample);
const struct sample *samples_find(const struct samples *samples,
				  uint64_t handle);

/* before is an earlier sample of the same session, or NULL. */
void sample_print_text(const struct sample *now, const struct sample *before);
void sample_print_json(const struct sample *now, const struct sample *before);

#endif /* ETW_CLI_SAMPLE_H */
