/* SPDX-License-Identifier: MIT */
/*
 * split_parts.h - the files that etw split writes
 */
#ifndef ETW_CLI_SPLITPARTS_H
#define ETW_CLI_SPLITPARTS_H

#include <etw/format.h>
#include "base/bytes.h"
#include "run.h"

#define SPLIT_PARTS_MAX	99999	/* in all */
#define SPLIT_OPEN_MAX	256	/* at once: each holds a file and buffers */

struct split_part {
	struct merge_output out;
	unsigned int number;
	struct etw_guid guid;	/* of a provider */
	int64_t from, until;	/* losses later than from, up to until, are this part's */
	size_t kept;		/* bytes of parts->kept that this file has or does not want */
	int64_t end_time;
	int64_t least;		/* key of its earliest record */
	bool has_since;		/* it tells that the sources have nothing older */
};

/* What a part is one of */
enum split_kind { SPLIT_TIMES, SPLIT_CPUS, SPLIT_PROVIDERS };

struct split_parts {
	enum split_kind kind;
	struct split_part *list;
	unsigned int count, room;
	const char *pattern;	/* of their names */
	struct etlrun *run;
	struct etw_bytes kept;	/* records about the trace, each behind a struct kept */
	uint64_t kept_lost;	/* records beyond its limit */
	uint64_t counted;	/* lost events that a part's header counts with their record */
	uint64_t buffers;	/* lost buffers that have a record */
	bool has_since;		/* a part tells since when the sources have all */
};

/* Is there one %d, or %03d, and no other % than %%?  Else the command ends. */
void split_check_pattern(const char *pattern);

/*
 * Add a part, which begins with what it needs of what was kept.  like: its number, guid and
 * until.  NULL: that failed, which was reported.
 */
struct split_part *split_begin(struct split_parts *parts, const struct split_part *like);
/* Keep a record for all parts that need it; those that are open get it. */
int split_keep(struct split_parts *parts, const struct etlmerge_record *record);
/* Before a record with this key is written to it; INT64_MAX: it is the last one of the trace. */
int split_since(struct split_parts *parts, struct split_part *part, int64_t key);
int split_finish(struct split_parts *parts, struct split_part *part, int64_t end_time);
/*
 * The last records are read: a loss that no part wants goes to one of those that are open.
 * What has no record may be missing in any part: each gets a record of that, without a number.
 */
int split_place(struct split_parts *parts);
/* Give all parts what they do not have yet. */
int split_complete(struct split_parts *parts);
/* Give all parts their names; after an error split_free() rolls back. */
int split_commit(struct split_parts *parts);
/* Also removes the files, and restores what they replaced, unless all went well. */
void split_free(struct split_parts *parts, bool good);

#endif /* ETW_CLI_SPLITPARTS_H */
