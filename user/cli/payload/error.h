/* SPDX-License-Identifier: MIT */
/*
 * error.h - what is wrong with a predicate that the library refused
 */
#ifndef ETW_CLI_PAYLOAD_ERROR_H
#define ETW_CLI_PAYLOAD_ERROR_H

#include "lib/controller/payload.h"
#include "cli/scan.h"

/* Where a predicate's parts stand */
struct payload_place {
	size_t field;
	size_t low, high;	/* of its value, or of the two of a range */
};

/* false, s says what is wrong, and where */
bool payload_explain(struct scan *s, const struct etw_payload_field *field,
		     const struct etw_payload_predicate *predicate,
		     const struct payload_place *place);

#endif /* ETW_CLI_PAYLOAD_ERROR_H */
