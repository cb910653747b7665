/* SPDX-License-Identifier: MIT */
/*
 * around.h - the events around the longest operations of a trace
 *
 * Which operations these are is known at the end. So the events of a session are kept as they
 * come, as many as AROUND_BYTES hold, and as many again of those around an operation that is
 * among the longest so far. Files are read a second time instead, when all is known.
 */
#ifndef ETW_CLI_AROUND_H
#define ETW_CLI_AROUND_H

#include <stdbool.h>
#include <stdint.h>
#include "cli/input/operations.h"
#include "etl/event.h"

#define AROUND_BYTES	(64u << 20)

struct around;

/* span: 100 ns before the start and after the stop; max: operations, as operations_keep() has it */
struct around *around_new(int64_t span, unsigned int max);
void around_free(struct around *around);	/* NULL is fine */

/* Take an event of a session, in the order of time; or of files, after around_reread(). */
void around_event(struct around *around, const struct etw_event *event);
/* The operation has this rank now; those from there on move back, and the last may fall out. */
void around_operation(struct around *around, unsigned int rank, const struct operation *operation);
/* All operations are known, and all events come once more.  The last time that matters. */
int64_t around_reread(struct around *around);

/* Begin with the events around the operation of this rank; then each, until false */
void around_begin(struct around *around, unsigned int rank);
bool around_next(struct around *around, struct etw_event *event);
/* Report on stderr which of them could not be kept. */
void around_report(const struct around *around, unsigned int rank);

#endif /* ETW_CLI_AROUND_H */
