/* SPDX-License-Identifier: MIT */
/*
 * process_table.h - which process an id stood for at a time, from a trace's own events
 *
 * The events are those of Etw-Process (see "processes" in etw/format.h) and of the class
 * Process of Windows' kernel logger. They may come in any order and more than once: an event
 * that comes late names what was before it, too.
 *
 * Ids are used again and programs execute others, so an answer holds for one time. Internal to
 * the tools beside the library; not installed.
 */
#ifndef ETW_TDH_PROCESS_PROCESS_TABLE_H
#define ETW_TDH_PROCESS_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "etl/event.h"

#define ETW_PROCESSES_MAX	65536		/* processes ... */
#define ETW_PROCESSES_BYTES	(32u << 20)	/* ... and bytes of their names that are kept */
#define ETW_PROCESS_NAMES	64		/* names of one process that are kept */
#define ETW_PROCESS_LIVES	128		/* processes of one id that are kept */

struct etw_process_table;

/* A process at a time. Texts are not escaped, and valid until the table takes an event. */
struct etw_process {
	uint32_t pid;
	uint32_t parent;	/* 0: not known, or it has none */
	uint64_t start_key;	/* 0: not known */
	const char *name;	/* never NULL */
	const char *path;	/* of its executable; NULL: not known */
};

/* max: processes; 0: ETW_PROCESSES_MAX. NULL: no memory. */
struct etw_process_table *etw_process_table_new(size_t max);
void etw_process_table_free(struct etw_process_table *table);	/* NULL is fine */

/* Is it an event that Etw-Process wrote in the kernel? */
bool etw_process_is_own_event(const struct etw_event *event);

/* The name, and the provider's GUID, in an event that names a provider; NULL: in no other event */
const char *etw_process_provider_name(const struct etw_event *event, struct etw_guid *provider);

/*
 * Learn from an event; others than the above are fine. 1: it was about a process; 0: it was
 * not; -ENOMEM. Beyond the limits the table forgets the process that was not used for longest.
 */
int etw_process_learn(struct etw_process_table *table, const struct etw_event *event);

/*
 * Find the process that had this id at this time (FILETIME), or that with this start key if
 * key is not NULL. false: it is not known.
 */
bool etw_process_find(struct etw_process_table *table, uint32_t pid, int64_t time,
		      const uint64_t *key, struct etw_process *process);
/* The same for its parent, as it was when the process started. */
bool etw_process_find_parent(struct etw_process_table *table, uint32_t pid, int64_t time,
			     const uint64_t *key, struct etw_process *parent);

/* How often a process was forgotten because of the limits; its events may bring it back. */
uint64_t etw_process_forgotten(const struct etw_process_table *table);

#endif /* ETW_TDH_PROCESS_PROCESS_TABLE_H */
