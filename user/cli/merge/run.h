/* SPDX-License-Identifier: MIT */
/*
 * run.h - what merge and split do alike: read files, choose records, write log files
 */
#ifndef ETW_CLI_ETLRUN_H
#define ETW_CLI_ETLRUN_H

#include <stdbool.h>
#include <stdint.h>
#include "records.h"
#include "output.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/request/select.h"

enum { ETLRUN_OPT = 0x1800, ETLRUN_OPT_COMPRESS = ETLRUN_OPT, ETLRUN_OPT_REPLACE,
       ETLRUN_OPT_MANIFEST };

/* In a command's table of options */
#define ETLRUN_OPTIONS								\
	{ "compress", ETLRUN_OPT_COMPRESS, NULL, "compress each buffer with XPRESS" },	\
	{ "replace", ETLRUN_OPT_REPLACE, NULL, "replace existing output" },	\
	{ "quiet", 'q', NULL, "no progress and no summary; only losses" },	\
	{ "manifest", ETLRUN_OPT_MANIFEST, "FILE", "take names from this manifest first" }, \
	SELECT_OPTIONS

/* All zero before the options are taken */
struct etlrun {
	struct merge_output_options how;
	bool quiet;
	struct select *select;
	struct inputs inputs;
	struct etlmerge merge;
	struct progress progress;
	uint64_t records;
};

/* false: it is none of these. */
bool etlrun_option(struct etlrun *run, int option, const char *value);

/*
 * Open the files, have them written, and end as a signal would have if one came; write
 * cleans up what it made if it fails.  Returns the exit status, as all of these do.
 */
int etlrun(struct etlrun *run, char **files, int (*write)(struct etlrun *run));

/* For write: every record that is wanted; 1 also if a signal came, which is not told. */
int etlrun_records(struct etlrun *run,
		   int (*one)(struct etlrun *run, const struct etlmerge_record *record));

/* It is written: what is to be told of the files that were read */
void etlrun_tell(struct etlrun *run);

#endif /* ETW_CLI_ETLRUN_H */
