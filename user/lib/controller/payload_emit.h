/* SPDX-License-Identifier: MIT */
/*
 * payload_emit.h - the events of a payload program before it is written
 */
#ifndef ETW_LIB_CONTROLLER_PAYLOAD_EMIT_H
#define ETW_LIB_CONTROLLER_PAYLOAD_EMIT_H

#include "payload.h"

/* A test; its text, if any, is owned elsewhere. */
struct etw_payload_part {
	struct etw_payload_test test;
	const void *text;
};

struct etw_payload_build {
	uint16_t id;
	uint8_t version;
	uint8_t ors, all, any;	/* groups, as in etw_payload_event */
	unsigned int groups;
	unsigned int step_count, test_count;
	struct etw_payload_step steps[ETW_PAYLOAD_STEPS];
	struct etw_payload_part tests[ETW_PAYLOAD_TESTS];	/* ascending by step */
};

/* Insert a test at its step's position; the caller ensures that there is room. */
void etw_payload_insert(struct etw_payload_build *event, const struct etw_payload_test *test,
			const void *text);

/*
 * Write the program for events, ascending by id and version. ERROR_INSUFFICIENT_BUFFER,
 * ERROR_NOT_ENOUGH_MEMORY.
 */
ULONG etw_payload_emit(const struct etw_payload_build *events, unsigned int count,
		       void **program, ULONG *size);

#endif /* ETW_LIB_CONTROLLER_PAYLOAD_EMIT_H */
