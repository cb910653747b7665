/* SPDX-License-Identifier: MIT */
/*
 * processes.h - the names of the processes that wrote events, for the commands that read them
 *
 * They come from the events of the trace itself, and for a running session also from /proc,
 * which has only those that are still there.
 */
#ifndef ETW_CLI_PROCESSES_H
#define ETW_CLI_PROCESSES_H

#include "cli/print/process_names.h"
#include "tdh/expr/expr.h"
#include "symbols/images.h"
#include "tdh/process/process_table.h"

/* In a command's table of options; to: processes->show */
#define CLI_OPTION_PROCESSES(to)	\
	{ "processes", 0, NULL, "show the events of Etw-Process and Etw-Image, too", CLI_FLAG(to) }

#define CLI_OPTION_MACHINE(to)		\
	{ "machine", 0, NULL, "show the events that describe the machine, too", CLI_FLAG(to) }

/* All zero knows no names. */
struct processes {
	struct etw_process_table *table;
	struct procs *procs;	/* NULL: not of a running session, or not of this system's ids */
	struct images *images;	/* the caller's: learn what is mapped, or NULL */
	bool show;		/* the caller's: do not hide the events of Etw-Process ... */
	bool show_images;	/* ... and those of Etw-Image */
	bool show_machine;	/* the caller's: do not hide those of Etw-Machine */
	uint64_t hidden;	/* of Etw-Process and Etw-Image */
	uint64_t learned;	/* events that said something about a process */
};

/* Ends the command if there is no memory. */
void processes_open(struct processes *processes, bool live);
void processes_close(struct processes *processes);

/*
 * Read ahead what files say about processes, so that events before that have names, too.
 * Large files are left out unless they overwrite what their session wrote at its start.
 * paths ends with NULL.
 */
void processes_ahead(struct processes *processes, char **paths);

/*
 * Learn from an event. false: it is one that the command keeps for the names only, or by which
 * it describes the machine, so do not show it.
 */
bool processes_event(struct processes *processes, const struct etw_event *event);

/* Is it an event that only gives others names, and that the command does not show? */
bool processes_hides(const struct processes *processes, const struct etw_event *event);

/* Find a process; from /proc comes only its name. key: its start key, or NULL. */
bool processes_find(const struct processes *processes, uint32_t pid, int64_t time,
		    const uint64_t *key, struct etw_process *process);
/* etw_expr_ask.process; the context is the struct processes. */
bool processes_ask(void *context, const EVENT_RECORD *record, bool parent,
		   struct etw_process *process);

/* Does the process that wrote an event of a running session run still? */
bool processes_runs(const struct processes *processes, const EVENT_RECORD *record);

/* At the end: a line on stderr if nothing but hidden events was found, or names were lost. */
void processes_report(const struct processes *processes, bool nothing_else);

#endif /* ETW_CLI_PROCESSES_H */
