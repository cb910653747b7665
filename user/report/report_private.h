/* SPDX-License-Identifier: MIT */
/*
 * report_private.h - the report's data structures, shared by the files of user/report
 */
#ifndef ETW_REPORT_REPORT_PRIVATE_H
#define ETW_REPORT_REPORT_PRIVATE_H

#include "base/text.h"
#include "bounded.h"
#include "distinct.h"
#include "histogram.h"
#include "lib/consumer/event_record.h"
#include "report.h"
#include "scale.h"
#include "stacks/stacks.h"

/* Entries of the tables; each gives up half of them when it is full. */
#define REPORT_KINDS		4096
#define REPORT_PROVIDERS	2048
#define REPORT_PROCESSES	4096
#define REPORT_THREADS		2048
#define REPORT_CONTAINERS	2048
#define REPORT_OPERATIONS	256
#define REPORT_FIELDS		200	/* of all kinds; see fields.c */
#define REPORT_PLAIN		32	/* first fields of an event whose numbers are read at once */
#define REPORT_SLOWEST		5	/* of each operation */
#define REPORT_BEFORE		4	/* events that are shown before one of those */
#define REPORT_TIMES		(2 * REPORT_BEFORE)	/* of a thread's latest events */

/* Buckets over time of one of those */
#define REPORT_SERIES		60
#define REPORT_TIMELINE		200

/* Bytes of schemas that are kept for events that are decoded a second time */
#define REPORT_SCHEMAS_AGAIN	(1u << 20)

#define REPORT_ROWS		1600	/* of the table ... */
#define REPORT_FIRSTS		400	/* ... and besides, the first events of their kinds */
#define REPORT_ERRORS		50	/* latest ones */
#define REPORT_ROW_TEXT		512	/* bytes of a row's text that are kept */
#define REPORT_AROUND_THREADS	4096	/* slots for those whose events are kept a second time */
#define REPORT_LOSSES		1000	/* rows about losses */
#define REPORT_LOSS_CAUSES	64
#define REPORT_LOSERS		512
#define REPORT_NAME		256	/* bytes of a name that are kept */

struct report_provider {
	struct report_entry entry;	/* by GUID */
	struct etw_guid guid;
	char *name;			/* NULL: none is known */
	struct report_series series;
	uint64_t rate[REPORT_SERIES];
};

struct report_row;

/* One of the slowest */
struct report_slow {
	uint64_t ns;			/* how long it took */
	int64_t start;			/* ns since 1970 */
	int64_t before;			/* since when there are as many events as are shown before */
	uint32_t pid, tid;		/* of its start */
	uint16_t cpu;
	char *process, *fields;
	uint32_t stop_pid, stop_tid;
	struct report_row *context;	/* events of its threads; around.c */
	unsigned int context_count;
	unsigned int skipped_at;	/* the row before which so many events ... */
	uint64_t skipped;		/* ... of its threads were left out */
};

enum report_pairing { REPORT_BY_ACTIVITY, REPORT_BY_THREAD, REPORT_BY_PAYLOAD, REPORT_PAIRINGS };

/* Starts and stops of one name without their opcodes; entry.events counts both. */
struct report_operation {
	struct report_entry entry;
	char *provider, *name;
	bool provider_named;		/* provider is not a GUID */
	uint64_t starts, stops;
	uint64_t stopped;		/* stops that had a start, perhaps of another name */
	uint64_t paired[REPORT_PAIRINGS];
	uint64_t failed;
	bool has_status;		/* a stop says whether it failed */
	struct report_histogram times;	/* of those that were paired, by the name of their start */
	struct report_slow slow[REPORT_SLOWEST];	/* slowest first */
	unsigned int slow_count;
};

/* A numeric field of a kind of event */
struct report_field {
	char *name;
	struct report_histogram values;
	struct report_series series, series_counts;
	__int128 sums[REPORT_SERIES];
	uint64_t counts[REPORT_SERIES];
	uint64_t missed;	/* events of the kind before there was room for the field */
};

/* Events with the same provider, name and descriptor; keywords, task and channel may differ. */
struct report_kind {
	struct report_entry entry;
	struct report_provider *provider;	/* as long as the generation is this */
	uint32_t provider_generation;
	struct report_operation *operation;	/* likewise */
	uint32_t operation_generation;
	char *operation_name;			/* NULL: it is no start or stop */
	struct etw_guid guid;
	char *provider_name, *name;	/* NULL: it has none */
	char *title;			/* provider/event */
	uint16_t id;
	uint8_t version, opcode, level;
	int64_t first, last;		/* ns since 1970 */
	struct report_field **fields;
	unsigned int field_count;
	unsigned int field_end;		/* the position behind the last of them; 0: there is none */
	bool fields_known;		/* they are all that events of the kind have ... */
	bool fields_left_out;		/* ... apart from those that there was no room for */
	bool fields_missed;		/* ... for which there is room now */
	/* The numbers of the fields that are counted, by position, from 1; of the events with this plan */
	const void *numbers_plan;
	uint8_t numbers[REPORT_PLAIN], numbers_end;
	bool status_known;		/* the latest schema has no field that says what failed, or ... */
	bool has_status;		/* ... one of them has ... */
	uint8_t status, status_at;	/* ... this one, at this position, in events with this plan */
	const void *status_plan;
	const void *plan;		/* of the latest event without an identity that was looked up */
	unsigned int *field_room;	/* report.field_count */
};

struct report_process {
	struct report_entry entry;	/* by pid and start key */
	uint32_t pid;
	uint64_t start_key;		/* 0: not known */
	char *name, *container;		/* the latest; NULL: not known */
	uint64_t threads;
	int64_t first, last;
	struct report_series series;
	uint64_t rate[REPORT_SERIES];
};

struct report_thread {
	struct report_entry entry;	/* by pid, start key and tid */
	uint32_t pid, tid;
	uint64_t start_key;		/* of the process */
	char *process;			/* the name of its process at its latest event, or NULL */
	uint64_t errors;
	int64_t times[REPORT_TIMES];	/* ns since 1970: of its latest events, a ring */
	struct report_series series;
	uint64_t rate[REPORT_TIMELINE];
};

struct report_container {
	struct report_entry entry;	/* by name */
};

struct report_cpu {
	uint64_t events, bytes, lost;
};

struct report_row {
	uint64_t number;	/* of the event, from 0 */
	bool first;		/* of its kind */
	int64_t ns;		/* since 1970 */
	uint32_t pid, tid;
	uint16_t cpu;
	uint8_t level;
	char *process, *title, *text;	/* a block in process or title; see rows.c */
};

struct report_rows {
	struct report_row *rows;
	unsigned int count, max;
	uint64_t stride;	/* the table has about one of so many events */
	uint64_t seen;
};

struct report_loss {
	int64_t first, last;	/* FILETIME; 0: not known */
	uint64_t count;		/* ETW_GAP_UNKNOWN: not known */
	bool buffers;		/* what count counts */
	bool missing;		/* false: buffers are wrong, but none is missing */
	bool placed;		/* first and last are not just those of the file */
	const char *cause, *key;	/* literals */
	int32_t cpu;		/* -1: any */
	char *provider;		/* or NULL */
	uint32_t file;
};

struct report_loss_cause {
	const char *cause, *key;	/* as of a loss; key: NULL for several */
	uint64_t losses, events, buffers;
	bool unknown;			/* there may be more events */
};

struct report_loser {
	struct report_entry entry;	/* by GUID; events are lost ones */
	char *name;			/* NULL: not known whose they were */
	uint64_t losses;
};

struct report_file {
	char *path;
	uint64_t bytes;
	char *host, *kernel;	/* NULL: not known */
	struct etw_guid boot;	/* zero: not known */
	unsigned int machines;	/* that it describes, each boot as one */
	bool complete;
	bool since, overwritten;	/* as in the verdict */
	int64_t since_time;
};

/* The process and the thread of recent events */
#define REPORT_RECENT	1024

struct report_recent {
	uint32_t pid, tid;
	uint64_t key;			/* start key in the event, or 0 */
	uint32_t generation;		/* 0: free; else report.recent_generation */
	struct report_process *process;
	struct report_thread *thread;
};

struct report {
	struct report_host host;
	struct report_scale scale;
	int64_t last;			/* ns since 1970, of the latest event */
	uint64_t events, bytes, undecoded;
	struct report_series rate;
	uint64_t rate_events[REPORT_BUCKETS], rate_bytes[REPORT_BUCKETS];
	/* Filled by report_file(); gaps: how many losses each bucket is part of */
	uint64_t rate_lost[REPORT_BUCKETS], rate_lost_buffers[REPORT_BUCKETS];
	uint64_t rate_gaps[REPORT_BUCKETS];
	uint64_t levels[256];
	char *level_names[256];
	struct report_bounded kinds, providers, processes, threads, containers, operations;
	struct report_distinct all_kinds, all_providers, all_processes, all_threads, all_containers,
			       all_operations;
	struct etw_decoder *decoder;	/* of starts */
	struct etw_event_items items;
	struct report_kind *latest;	/* of the latest event, as ... */
	struct report_thread *latest_thread;
	unsigned int field_count;	/* of all kinds */
	const char *by;			/* what operations are paired by; NULL: what they have */
	struct report_cpu *cpus;
	unsigned int cpu_count;		/* in cpus; those without events are not listed */
	struct report_recent recent[REPORT_RECENT];
	uint32_t recent_generation;
	struct etw_text scratch, key;
	struct report_rows table, firsts, errors;
	struct report_stacks stacks;
	struct report_loss *losses;
	unsigned int loss_count;
	uint64_t losses_more;
	struct report_loss_cause loss_causes[REPORT_LOSS_CAUSES];
	unsigned int loss_cause_count;
	struct report_bounded losers;
	struct report_distinct all_losers;
	uint64_t lost_events, lost_buffers;
	uint64_t unplaced_events, unplaced_buffers;	/* of those, without a time */
	uint64_t lost_least, lost_most;	/* events, those of lost buffers included */
	bool complete;
	bool has_since, overwritten;	/* older events are not there; why */
	int64_t since_time;		/* FILETIME; 0: not known */
	struct report_file *files;
	unsigned int file_count;
	struct report_around *arounds;
	unsigned int around_count;
	/* By the hash of a process and thread: a link to those with it, or 0; see around.c */
	uint16_t around_threads[REPORT_AROUND_THREADS];
	int64_t around_from, around_to;	/* ns since 1970: when all of them are */
	bool mixed;			/* they are of several machines or boots */
	int64_t since, until;		/* FILETIME */
	const char *part;		/* NULL: nothing to tell */
	int64_t begin, end;		/* FILETIME, of the files; 0: not known */
};

/* The event that is being counted */
struct report_place {
	const struct convert_event *event;
	int64_t ns;
	uint64_t bytes;
	unsigned int bucket;		/* of the scale */
	struct report_kind *kind;
	struct report_process *process;
	struct report_thread *thread;
};

/* kinds.c */
int report_kind_find(struct report *report, struct report_place *place);
void report_kind_release(struct report_entry *entry);
void report_provider_release(struct report_entry *entry);
/* What is printed for a provider: its name, or its GUID */
void report_provider_title(const struct report_provider *provider, struct etw_text *to);

/* provider/event */
void report_event_title(const struct report *report, const struct convert_event *event,
			struct etw_text *to);

/* around.c */
void report_around_free(struct report *report);

/* places.c */
int report_places_count(struct report *report, struct report_place *place);
void report_process_release(struct report_entry *entry);
void report_thread_release(struct report_entry *entry);

/* operations.c */
int report_operations_count(struct report *report, const struct report_place *place);
/* Set the name of an operation that events of this kind start or stop, if they do. */
int report_operations_name(struct report_kind *kind, const struct convert_event *event);
/* All of them, by the sum of their times; list has room for REPORT_OPERATIONS. How many there are */
unsigned int report_operations_list(struct report *report, struct report_operation **list);
/* Entries of the table that are no operations, and not in that list */
unsigned int report_operations_empty(const struct report *report);
/* "activity", "thread", "payload" or "field NAME" */
void report_add_pairing(const struct report *report, const struct report_operation *operation,
			struct etw_text *to);
void report_operation_release(struct report_entry *entry);

/* fields.c */
/* Forget what was known about the fields of a kind's events: there is another schema. */
void report_fields_forget(struct report_kind *kind);
int report_fields_count(struct report *report, const struct report_place *place);
void report_fields_free(struct report_kind *kind);
void report_sums_update(const struct report *report, struct report_field *field);

/* rows.c: make a row's text of an event that was decoded by this decoder; NULL: no memory */
char *report_row_text(struct report *report, struct etw_decoder *decoder);
int report_rows_init(struct report_rows *rows, unsigned int max);
/* Take an event for the table if it is its turn; as one of the latest errors. */
int report_rows_sample(struct report *report, const struct report_place *place);
int report_rows_error(struct report *report, const struct report_place *place);
void report_rows_free(struct report_rows *rows);
void report_row_free(struct report_row *row);
/* The rows of the table, each kind's first events included; from all zero to NULL */
struct report_rows_at {
	unsigned int table, first;
};

const struct report_row *report_rows_next(const struct report *report, struct report_rows_at *at);

/* losses.c */
void report_losses_free(struct report *report);
void report_loser_release(struct report_entry *entry);
/* Largest first, and no more than REPORT_LOSSES */
void report_losses_sort(struct report *report);
/* Why older events are not there */
const char *report_since_reason(bool overwritten);

/* A copy of a name, cut to REPORT_NAME bytes; NULL: no memory */
char *report_name(const char *name);

#endif /* ETW_REPORT_REPORT_PRIVATE_H */
