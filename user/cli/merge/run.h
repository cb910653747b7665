/* SPDX-License-Identifier: MIT */
/*
 * run.h - the common part of merge and split: read files, choose records, write log files
 */
#ifndef ETW_CLI_MERGE_RUN_H
#define ETW_CLI_MERGE_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include "records.h"
#include "base/atomic_file.h"
#include "cli/input/inputs.h"
#include "cli/input/processes.h"
#include "cli/text.h"
#include "cli/progress.h"
#include "cli/request/select.h"

enum { ETLRUN_OPT_MANIFEST = 0x1800 };

/* In a command's table of options; r: the struct etlrun */
#define ETLRUN_OPTIONS(r)							\
	SELECT_OPTIONS,								\
	{ "compress", 0, NULL, "compress each buffer with XPRESS", CLI_FLAG((r).compress) }, \
	{ "replace", 0, NULL, "do not keep existing output as FILE.old", CLI_FLAG((r).replace) }, \
	{ "quiet", 'q', NULL, "no progress and no summary; only losses", CLI_FLAG((r).quiet) }, \
	CLI_OPTION_JSON((r).json),						\
	{ "manifest", ETLRUN_OPT_MANIFEST, "FILE", "take names from this manifest first", NULL }, \
	CLI_HEADING("more selection"),						\
	SELECT_MORE_OPTIONS

/* All zero before the options are taken */
struct etlrun {
	bool compress, replace, quiet, json;
	struct select *select;
	struct processes processes;
	struct inputs inputs;
	struct etlmerge merge;
	struct progress progress;
	uint64_t records;
};

/* false: another option */
bool etlrun_option(struct etlrun *run, int option, const char *value);

/*
 * Open the files and call write, which cleans up if it fails.  After a signal, the process ends
 * by this signal.  Returns the exit status, as all of these do.
 */
int etlrun(struct etlrun *run, char **files, int (*write)(struct etlrun *run));

/* For write: call one for every selected record.  Returns 1 without a message after a signal. */
int etlrun_records(struct etlrun *run,
		   int (*one)(struct etlrun *run, const struct etlmerge_record *record));

/* Once it is written: report what is wrong with the files that were read. */
void etlrun_report(struct etlrun *run);

/* One file.  All zero is unused. */
struct merge_output {
	char *path;			/* as the user gave it */
	struct etw_etl_writer *writer;
	int64_t last;			/* key of the latest record */
	uint64_t events;		/* those that are not about the trace */
	struct etw_atomic_file file;
	struct etw_etl_written count;	/* valid once it is finished */
};

/*
 * Create a log file with the merge's header; path is copied.  Refuses to write over one of
 * the inputs.  Returns the exit status, as all of these do.
 */
int merge_output_create(struct merge_output *out, const char *path, const struct etlrun *run);
/* A record that cannot be written is counted in merge->skipped. */
int merge_output_write(struct merge_output *out, struct etlmerge *merge,
		       const struct etlmerge_record *record);
/* The same for a record that is out of order in time. */
int merge_output_put(struct merge_output *out, struct etlmerge *merge, uint16_t cpu,
		     const void *data, uint32_t size);
/* Append to a file that is finished. */
int merge_output_reopen(struct merge_output *out);
/* Complete the log file; end_time: FILETIME. */
int merge_output_finish(struct merge_output *out, int64_t end_time);
/* Give finished files their names, all or none; after an error discard them. */
int merge_output_commit(struct merge_output *const *list, unsigned int count);
/* After the commit: members of a JSON object that describe it */
void merge_output_json(struct etw_text *to, const struct merge_output *out);
/* After the commit: a note about older files that were kept */
void merge_output_note(struct merge_output *const *list, unsigned int count);
/* Remove a file that is not committed, and restore what it replaced. */
void merge_output_discard(struct merge_output *out);
void merge_output_free(struct merge_output *out);

#endif /* ETW_CLI_MERGE_RUN_H */
