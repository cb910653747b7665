/* SPDX-License-Identifier: MIT */
/*
 * etlout.h - log files that merge and split write
 */
#ifndef ETW_CLI_ETLOUT_H
#define ETW_CLI_ETLOUT_H

#include <stdbool.h>
#include <stdint.h>
#include "etlmerge.h"
#include "lib/etlwrite.h"

/* What both commands have */
struct etlout_options {
	bool compress;
	bool replace;
	bool quiet;
};

enum { ETLOUT_OPT_COMPRESS = 0x1800, ETLOUT_OPT_REPLACE };

#define ETLOUT_OPTIONS								\
	{ "compress", ETLOUT_OPT_COMPRESS, NULL, "each buffer, by XPRESS" },	\
	{ "replace", ETLOUT_OPT_REPLACE, NULL, "an output that exists" },	\
	{ "quiet", 'q', NULL, "no progress and no summary; losses are told" }

/* false: it is none of these. */
bool etlout_option(struct etlout_options *options, int option);

/* One file.  All zero is none. */
struct etlout {
	char *path;
	struct etw_etl_writer *writer;
	int64_t pair;			/* when the last pair of clock and time was told */
	int64_t last;			/* key of the latest record */
	bool there;			/* it was finished once */
	struct etw_etl_written count;	/* then */
};

/*
 * Make one with the merge's header; path is copied.  Refuses one of inputs.  Returns the
 * exit status, as all of these do.
 */
int etlout_create(struct etlout *out, const char *path, const struct etlout_options *options,
		  const struct etlmerge *merge, const struct inputs *inputs);
/* A record that cannot be written is counted in merge->skipped. */
int etlout_write(struct etlout *out, struct etlmerge *merge,
		 const struct etlmerge_record *record);
/* The same of a record that is not in its place by time. */
int etlout_put(struct etlout *out, struct etlmerge *merge, uint16_t cpu, const void *data,
	       uint32_t size);
/* Go on with one that is finished. */
int etlout_reopen(struct etlout *out);
/* It is complete; end_time: FILETIME. */
int etlout_finish(struct etlout *out, int64_t end_time);
/* It will not be: nothing stays.  One that is finished is removed, too. */
void etlout_discard(struct etlout *out);
void etlout_free(struct etlout *out);

/*
 * SIGINT, SIGTERM and SIGHUP make etlout_caught() true, the second one kills; a file
 * that grows over the limit is an error of writing.
 */
void etlout_catch_signals(void);
bool etlout_caught(void);
/* End as the signal would have ended it, if there was one. */
void etlout_raise(void);

#endif /* ETW_CLI_ETLOUT_H */
