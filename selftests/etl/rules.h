/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rules.h - a checker of the invariants that hold in every .etl file
 *
 * Written from the format's page without the project's code, like read.h.  Each rule has
 * a number and a sentence (rules.c); where Windows' own files differ, the sentence says
 * so.
 */
#ifndef ETL_SELFTEST_RULES_H
#define ETL_SELFTEST_RULES_H

#include "read.h"

enum rule {
	/* the file */
	RULE_HAS_BUFFER = 1,
	RULE_BUFFER_SIZE,
	RULE_BUFFER_INSIDE,
	RULE_NO_REST,
	RULE_WRITTEN,
	RULE_MAXIMUM,
	/* the first buffer */
	RULE_FIRST_TYPE = 10,
	RULE_FIRST_PLAIN,
	RULE_FIRST_RECORD,
	RULE_FIRST_SIZE,
	RULE_HEADER_SIZE,
	RULE_NAMES,
	RULE_NAMES_END,
	RULE_POINTER_SIZE,
	RULE_CPUS,
	RULE_LAYOUT,
	RULE_CLOCK,
	RULE_FREQUENCY,
	RULE_LOGICAL_SIZE,
	RULE_END_TIME,
	RULE_BOOT_TIME,
	/* every buffer */
	RULE_ONE_HEADER = 30,
	RULE_BUFFER_FLAG,
	RULE_BUFFER_TYPE,
	RULE_STATE,
	RULE_BUFFER_CLOCK,
	RULE_CPU,
	RULE_PLAIN_SIZE,
	RULE_FILL_SMALL,
	RULE_FILL_LARGE,
	RULE_FILL_ALIGNED,
	RULE_SAVED,
	RULE_TAIL,
	RULE_SEQUENCE,
	RULE_SEQUENCE_ORDER,
	RULE_CODED,
	RULE_CODED_ALL,
	RULE_CODED_MODE,
	/* records */
	RULE_MARK = 50,
	RULE_TYPE,
	RULE_RECORD_SIZE,
	RULE_RECORD_INSIDE,
	RULE_ORDER,
	RULE_WRAP_ORDER,
	/* extended items */
	RULE_ITEM_INSIDE = 60,
	RULE_ITEM_SIZE,
	RULE_ITEM_ALIGNED,
	RULE_ITEM_LINK,
	RULE_ITEM_TYPE,
	RULE_ITEM_DATA,
	RULE_ITEM_ORDER,
	RULE_END,
};

/* The sentence of a rule; NULL: no rule has this number. */
const char *rule_text(unsigned int number);

/* check_file(): the file was not closed; it has no end time, and its end may be missing. */
#define CHECK_OPEN 1

/* The violated rule; the offset in the file, or in the uncompressed buffer from @at on. */
typedef void rule_fn(void *context, enum rule rule, uint64_t offset, const char *text);

/* State of one CPU, for rules about all of its buffers. */
struct check_cpu {
	int seen;
	int64_t seq;		/* of its last buffer */
	int64_t first, last;	/* times of its records, header buffer left out */
	int any;		/* first and last are set */
	int wrapped;		/* the older part of a circular file has begun */
	int64_t wrap_last;	/* the last time of the older part */
};

struct check {
	unsigned int options;
	rule_fn *report;
	void *context;
	uint64_t violations, records;
	uint32_t buffers;
	struct etl_head head;
	int have_head;
	uint32_t cpus, buffer_size;	/* from the header; 0: unknown or wrong */
	struct check_cpu *cpu;	/* 65,536 entries; the first top were touched */
	uint32_t top;
	int64_t *seq;		/* of all buffers after the first */
	size_t seqs, seq_cap;
};

void check_bad(struct check *c, enum rule rule, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* check_buf.c and check_rec.c: a buffer's header, and its records; parts of check_file(). */
void check_buffer(struct check *c, const struct etl_buf *b);
void check_tail(struct check *c, const struct etl_buf *b);
void check_saved(struct check *c, const struct etl_buf *b, uint32_t first_end);
void check_records(struct check *c, const struct etl_buf *b);
void check_head(struct check *c, const struct etl_buf *b, const struct etl_rec *r);

/* A mode's bit in LogFileMode */
#define MODE_CIRCULAR 0x2u
#define MODE_APPEND 0x4u
#define MODE_PREALLOCATE 0x20u
#define MODE_KBYTES 0x2000u
#define MODE_RELOG 0x10000u
#define MODE_COMPRESSED 0x4000000u

/*
 * Check a file.  Calls @report for each violation; returns their number, or -1 with errno
 * if the file cannot be read.  @out may be NULL; its fields violations, records, buffers
 * and head are valid afterwards.
 */
int64_t check_file(const char *path, unsigned int options, rule_fn *report, void *context,
		   struct check *out);

#endif
