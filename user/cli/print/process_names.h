/* SPDX-License-Identifier: MIT */
/*
 * process_names.h - the names of processes and threads that wrote events
 *
 * Names are read from /proc when an event is printed.  Ids are reused, so a name is shown only
 * if its process certainly wrote the event: it lived from before the event until the lookup, or
 * the event has its start key.  The name is the current one: an exec() or prctl() since the
 * event changes it.
 */
#ifndef ETW_CLI_PROCS_H
#define ETW_CLI_PROCS_H

#include <stdint.h>

struct procs;

/* NULL: the ids in /proc are not those of events. */
struct procs *procs_new(void);
void procs_free(struct procs *procs);

/*
 * The name of thread tid of process pid, or of the process if both are equal.  time: of the
 * event; key: its start key, or NULL.  NULL: unknown.  Valid until the second call after this
 * one; not escaped.
 */
const char *procs_get(struct procs *procs, uint32_t pid, uint32_t tid, int64_t time,
		      const uint64_t *key);

#endif /* ETW_CLI_PROCS_H */
