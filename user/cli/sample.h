/* SPDX-License-Identifier: MIT */
/*
 * sample.h - a session's counters at one moment
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

int sample_take(int fd, const struct session *session, struct sample *sample);

/* Print "BEFORE N events lost when written: CAUSE", unless count is 0; cause: NULL, unknown. */
void sample_report_lost(const char *before, uint64_t count, const char *cause);
/* The same for what a reader of this process has lost; shown: to add to it.  Unless buffers is 0 */
void sample_report_unread(uint64_t buffers, uint64_t events, const char *shown);
void sample_report_unreadable(uint64_t buffers);
/* The events lost by cause, as a member of a JSON object */
void sample_json_lost(struct etw_text *to, const struct etw_session_stat *stat);

#endif /* ETW_CLI_SAMPLE_H */
