/* SPDX-License-Identifier: MIT */
/*
 * ctf_reader.h - what the files of etw-ctf-reader share
 *
 * main.c opens a trace with libbabeltrace2 and merges its streams, event.c makes a
 * TraceLogging record of each event and writes it to the log file, field.c converts the
 * fields.  The trace is untrusted: what exceeds a record's or TraceLogging's limits is
 * refused with -EMSGSIZE and counted.
 */
#ifndef ETW_CTF_READER_H
#define ETW_CTF_READER_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "core/record.h"
#include "etl/write.h"

/* A name that TSDL cannot have, from the environment of a trace by "etw convert" */
struct true_name {
	uint64_t event_class;
	const char *legal, *name;
};

struct trace {
	const bt_trace *bt;
	const char *tracer;
	bool own;		/* written by "etw convert" */
	struct true_name *names;	/* sorted */
	size_t name_count;
	struct trace *next;
};

/* The fields of an event as TraceLogging metadata and payload */
struct fields {
	struct etw_text meta, payload;
	unsigned int count;	/* of the fields at this level */
	const struct trace *trace;
	uint64_t event_class;
};

struct writer {
	const char *path;
	bool replace;
	struct etw_etl_writer *etl;	/* NULL before the first event */
	struct trace *traces;
	struct fields fields, context;
	struct etw_text traits, schema;
	uint8_t *record;
	uint32_t record_room;
	int64_t last;		/* time of the last event ... */
	int64_t lost;		/* ... and of the last one that was lost */
	uint64_t events, discarded, refused;
	bool discarded_more;	/* than is known */
};

/* event.c; functions return 0 or, with the reason printed, -1. */
int write_event(struct writer *w, const bt_message *message);
int finish_file(struct writer *w);
void free_writer(struct writer *w);
/* The field's real name, if "etw convert" had to change it. */
const char *true_name(const struct fields *f, const char *name);

/* field.c: 0; -EMSGSIZE: TraceLogging cannot hold it; -ENOMEM */
int add_fields(struct fields *f, const bt_field *structure);	/* NULL: adds nothing */
void empty_fields(struct fields *f);
/* An integer's bits; an enumeration's first label, or "" */
uint64_t field_number(const bt_field *field);
const char *field_label(const bt_field *field);

#endif /* ETW_CTF_READER_H */
