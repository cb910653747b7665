/* SPDX-License-Identifier: MIT */
/*
 * loss.h - why a session's events were not written
 */
#ifndef ETW_CLI_LOSS_H
#define ETW_CLI_LOSS_H

#include <etw/abi.h>

struct loss_cause {
	const char *key;	/* in JSON */
	const char *text;
};

/* By ETW_DROP_*. */
extern const struct loss_cause loss_causes[ETW_DROP_CAUSES];

#endif /* ETW_CLI_LOSS_H */
