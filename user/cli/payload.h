/* SPDX-License-Identifier: MIT */
/*
 * payload.h - payload filters, as --fields and --payload give them
 */
#ifndef ETW_CLI_PAYLOAD_H
#define ETW_CLI_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include "layout.h"

#define PAYLOAD_FILTERS	64	/* groups of predicates, of all events */

struct payload {
	struct layout layout;		/* of the last --fields */
	bool given;			/* ... and there was one */
	bool used;			/* ... and --payload told what for */
	void *filters[PAYLOAD_FILTERS];
	BOOLEAN all[PAYLOAD_FILTERS];
	uint32_t count;
	void *program;			/* what the kernel gets */
	ULONG size;
};

/* Both: false, s says what is wrong. */
bool payload_fields(struct payload *payload, struct scan *s);
bool payload_expression(struct payload *payload, struct scan *s);

/* Make program, if there is a filter; NULL or what is wrong. */
const char *payload_finish(struct payload *payload);
void payload_free(struct payload *payload);

#endif /* ETW_CLI_PAYLOAD_H */
