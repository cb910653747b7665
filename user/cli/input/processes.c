/* SPDX-License-Identifier: MIT */
/*
 * processes.c - the names of the processes that wrote events
 */
#include <string.h>
#include "cli/cli.h"
#include "etl/file.h"
#include "etl/record.h"
#include "log_contents.h"
#include "processes.h"

/* Bytes of a file that are read ahead: no more than a moment's work. */
#define AHEAD_MAX	(64u << 20)

void processes_open(struct processes *processes, bool live)
{
	processes->table = etw_process_table_new(0);
	if (!processes->table)
		cli_die("out of memory");
	processes->procs = live ? procs_new() : NULL;
}

void processes_close(struct processes *processes)
{
	etw_process_table_free(processes->table);
	procs_free(processes->procs);
	processes->table = NULL;
	processes->procs = NULL;
}

/* A session of the command names all processes first, unless that part is overwritten. */
static bool is_wanted_ahead(const struct etw_etl_file *file)
{
	struct etw_etl_count count;

	etw_etl_counts(file, &count);
	return count.size <= AHEAD_MAX ||
	       etw_etl_info(file)->header.LogFileMode & (ETW_MODE_CIRCULAR | ETW_MODE_BUFFERING);
}

static void take(struct processes *processes, const struct etw_event *event)
{
	const int ret = processes->table ? etw_process_learn(processes->table, event) : 0;

	if (ret < 0)
		cli_die("out of memory");
	processes->learned += ret == 1;
	if (processes->images && images_take(processes->images, event))
		cli_die("out of memory");
}

void processes_ahead(struct processes *processes, char **paths)
{
	struct etw_etl_file *file;
	struct etw_event event;

	for (; *paths; paths++) {
		/* Whatever is wrong is reported when it is read for the second time. */
		if (etw_etl_open(*paths, NULL, NULL, &file))
			continue;
		while (is_wanted_ahead(file) && etw_etl_next(file, &event) == 1)
			take(processes, &event);
		etw_etl_close(file);
	}
}

bool processes_hides(const struct processes *processes, const struct etw_event *event)
{
	if (processes->show)
		return false;
	return etw_process_is_own_event(event) || (!processes->show_images && images_is(event));
}

/* Does it name no process, for sure? The kernel logger's events have a classic header. */
static bool names_none(const struct etw_event_header *header)
{
	return etw_kind_is_common(header) && !(header->flags & ETW_EVENT_CLASSIC_HEADER);
}

bool processes_event(struct processes *processes, const struct etw_event *event)
{
	if (names_none(event->record.header)) {
		if (processes->images)
			images_pass(processes->images, event->time);
		return true;
	}
	take(processes, event);
	if (!processes->show_machine && event_is_about_machine(event))
		return false;
	if (!processes_hides(processes, event))
		return true;
	processes->hidden++;
	return false;
}

bool processes_find(const struct processes *processes, uint32_t pid, int64_t time,
		    const uint64_t *key, struct etw_process *process)
{
	const char *name;

	if (processes->table && etw_process_find(processes->table, pid, time, key, process))
		return true;
	name = processes->procs ? procs_get(processes->procs, pid, pid, time, key) : NULL;
	*process = (struct etw_process){ .pid = pid, .name = name };
	return name;
}

static const uint64_t *start_key(const EVENT_RECORD *record, uint64_t *key)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = record->ExtendedData;
	USHORT left;

	for (left = record->ExtendedDataCount; left; left--, item++) {
		if (item->ExtType != EVENT_HEADER_EXT_TYPE_PROCESS_START_KEY ||
		    item->DataSize < sizeof(*key))
			continue;
		memcpy(key, (const void *)(uintptr_t)item->DataPtr, sizeof(*key));
		return key;
	}
	return NULL;
}

bool processes_ask(void *context, const EVENT_RECORD *record, bool parent,
		   struct etw_process *process)
{
	const struct processes *processes = context;
	const EVENT_HEADER *header = &record->EventHeader;
	const int64_t time = header->TimeStamp.QuadPart;
	uint64_t number;
	const uint64_t *key = start_key(record, &number);

	if (!parent)
		return processes_find(processes, header->ProcessId, time, key, process);
	return processes->table &&
	       etw_process_find_parent(processes->table, header->ProcessId, time, key, process);
}

bool processes_runs(const struct processes *processes, const EVENT_RECORD *record)
{
	const EVENT_HEADER *header = &record->EventHeader;
	uint64_t key;

	return processes->procs &&
	       procs_get(processes->procs, header->ProcessId, header->ProcessId,
			 header->TimeStamp.QuadPart, start_key(record, &key));
}

void processes_report(const struct processes *processes, bool nothing_else)
{
	if (nothing_else && processes->hidden)
		cli_note("all events are of Etw-Process, which gives the others the names of their processes, or of Etw-Image: --processes shows them");
	/* Not how often: a process that was forgotten while reading ahead may come again. */
	if (processes->table && etw_process_forgotten(processes->table))
		cli_note("names of processes may be missing: there were more than %d processes, or %d of one id, or their names took more than %u MB",
			 ETW_PROCESSES_MAX, ETW_PROCESS_LIVES, ETW_PROCESSES_BYTES >> 20);
}
