/* SPDX-License-Identifier: MIT */
/*
 * report.h - what a trace says as a whole: who wrote how much and when, how long operations took,
 * what was lost
 *
 * The caller reads events in the order of time and decodes them; everything is computed as they
 * pass, in memory that does not depend on their number: tables by key keep the largest (bounded.h),
 * series over time become coarser (scale.h), distributions have logarithmic bins (histogram.h).
 *
 * Functions return 0 or -ENOMEM, after which the report can only be freed.
 */
#ifndef ETW_REPORT_REPORT_H
#define ETW_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <etw/decode.h>
#include "convert/convert.h"
#include "etl/verify/verify.h"
#include "tdh/process/process_table.h"

struct frame_names;
struct report;

/* What the caller knows and events do not hold */
struct report_host {
	/* As etw_process_find(); or NULL */
	bool (*process)(void *context, uint32_t pid, int64_t time, const uint64_t *key,
			struct etw_process *process);
	const char *by;		/* "activity", "thread" or a field; NULL: whatever events have */
	/* The name of a provider without a schema, or NULL; the function may be NULL, too. */
	const char *(*provider)(void *context, const struct etw_guid *guid);
	void *context;
	struct frame_names *frames;	/* for stacks; NULL: they are not added up */
};

/* NULL: no memory. The host's context must stay. */
struct report *report_new(const struct report_host *host);
void report_free(struct report *report);	/* NULL is fine */

/*
 * Take an event of a provider, decoded by a decoder that nobody else puts marks into
 * (tdh/decode/decoder.h); the decoder is left anywhere among the fields.
 */
int report_event(struct report *report, const struct convert_event *event);
/* A piece of an embedded schema (tdh/decode/embed.h), which later events may need */
int report_schema(struct report *report, const EVENT_RECORD *piece);
/* What the host knows about processes has changed. */
void report_processes_changed(struct report *report);

/* What report_pair() may know a start by, of the event that was taken last; 0: nothing */
uint64_t report_mark(const struct report *report);

/*
 * A start event and the stop that ended it after ns. Both are events that were taken, the stop as the
 * last one.
 */
struct report_pair {
	const struct etw_event *start, *stop;
	uint64_t mark;			/* of the start, or 0 */
	struct etw_decoder *decoder;	/* of the stop */
	const struct etw_decoded *decoded;
	bool known;
	uint64_t ns;
};

int report_pair(struct report *report, const struct report_pair *pair);

/*
 * After all events, and before output: they may come once more, for what is around the slowest
 * operations. begin: 1: they shall, *until is the last FILETIME that matters; 0: that is not
 * needed; -ENOMEM. Give those events that it wants, decoded as for report_event().
 */
int report_around_begin(struct report *report, int64_t *until);
bool report_around_wants(const struct report *report, const struct etw_event *event);
/*
 * The FILETIME before which no event is wanted any more, if they come in the order of time and this
 * was the latest one; NULL: before the first. INT64_MAX: none is wanted at all.
 */
int64_t report_around_next(const struct report *report, const struct etw_event *event);
int report_around_event(struct report *report, const struct convert_event *event);
int report_around_end(struct report *report);

/* What a file says of the machine that it was recorded on */
struct report_machine {
	const char *host, *kernel;	/* empty: not known */
	struct etw_guid boot;		/* zero: not known */
	unsigned int count;		/* of machines or boots in the file; this is the first */
};

/*
 * After all events: a file and the verdict on it, of etw_etl_verify(); machine: NULL if it
 * describes none
 */
int report_file(struct report *report, const char *path, uint64_t bytes,
		const struct etw_verdict *verdict, const struct report_machine *machine);
/* Call before report_file(): leave out gaps that lie outside, FILETIMEs. */
void report_between(struct report *report, int64_t since, int64_t until);
/* What of the files it is about, for people, if that is not the selection of all; it must stay. */
void report_part(struct report *report, const char *part);
/* When the files begin and end, FILETIMEs, for rates; 0: not known */
void report_range(struct report *report, int64_t begin, int64_t end);

/* --------------------------------------------------------------------- output */

struct report_about {
	const char *generator;
	const char *filter;	/* all of them as one expression; NULL: none */
	/* The options that selected events, as words like "--pid 7"; NULL ends them, or is all. */
	const char *const *selection;
	bool selects;		/* they select by more than time */
	struct report *base;	/* to compare with, in JSON; or NULL */
};

/*
 * One JSON object: printable ASCII and UTF-8, without the characters that mean something in HTML,
 * so that it may stand in a page as it is. The text is emptied first.
 */
int report_json(struct report *report, const struct report_about *about, struct etw_text *to);

/* How a terminal shows text */
struct report_screen {
	unsigned int width;	/* columns, from 40 on */
	bool utf8;		/* it has characters beyond ASCII */
	bool colour;
};

int report_text(struct report *report, const struct report_about *about,
		const struct report_screen *screen, struct etw_text *to);

/* What differs from a to b */
int report_text_diff(struct report *a, struct report *b, const struct report_about *about,
		     const struct report_screen *screen, struct etw_text *to);

#endif /* ETW_REPORT_REPORT_H */
