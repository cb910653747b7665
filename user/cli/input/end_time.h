/* SPDX-License-Identifier: MIT */
/*
 * end_time.h - end the reading of a session at a time, even if no event comes
 */
#ifndef ETW_CLI_INPUT_END_TIME_H
#define ETW_CLI_INPUT_END_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct end_time {
	int64_t at;	/* FILETIME; INT64_MAX: never */
	bool owned;	/* whoever ends the session sees that all is delivered */
	bool late;	/* at is when what was written before has been delivered */
};

/*
 * How long to wait for the next event of a session, in ms; 0, once: the time has come, and what was
 * written before is delivered, by a flush or, without the right to one, by the session's timer.
 */
int end_time_wait(struct end_time *end, int fd, uint64_t session);

#endif /* ETW_CLI_INPUT_END_TIME_H */
