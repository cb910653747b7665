/* SPDX-License-Identifier: MIT */
/*
 * clock.h - times of the trace, 100 ns since 1601-01-01 UTC, as text
 */
#ifndef ETW_CLI_CLOCK_H
#define ETW_CLI_CLOCK_H

#include "cli/text.h"

/* 2026-01-31 12:34:56.1234567+01:00, in the local time zone and with its offset */
#define CLOCK_LOCAL_COLUMNS	33
void clock_local(struct etw_text *text, int64_t time);
/* Now, in that unit */
int64_t clock_now(void);
/* A number of 100 ns in seconds: 12.1234567, -0.0000001 */
void clock_seconds(struct etw_text *text, int64_t time);

#endif /* ETW_CLI_CLOCK_H */
