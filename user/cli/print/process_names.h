/* SPDX-License-Identifier: MIT */
/*
 * process_names.h - the names of processes and threads that wrote events
 *
 * From /proc, when an event is printed.  An id is given to one process after the
 * other, so a name is shown only if it is sure that its process wrote the event: it
 * lived from before the event until it was looked at, or the event has a start key,
 * which no other process has.  Names are those that the processes go by when they are
 * looked at: an exec() or prctl() since the event shows.
 */
#ifndef ETW_CLI_PROCS_H
#define ETW_CLI_PROCS_H

#include <stdint.h>

struct procs;

/* NULL: /proc does not tell of the processes by the ids that events have. */
struct procs *procs_new(void);
void procs_free(struct procs *procs);

/*
 * The name of thread tid of process pid, of the process itself if they are equal; time:
 * of the event; key: its start key, or NULL.  NULL: not known.  Valid until the next
 * call but one; not escaped.
 */
const char *procs_get(struct procs *procs, uint32_t pid, uint32_t tid, int64_t time,
		      const uint64_t *key);

#endif /* ETW_CLI_PROCS_H */
