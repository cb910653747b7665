/* SPDX-License-Identifier: MIT */
/*
 * trace.h - the parts of a trace in the Common Trace Format 1.8
 *
 * The fields of an event, as etw_decode_next() returns them, make a tree: the shape.
 * Events with the same shape and descriptor form a class.  Its metadata is made from the
 * first event; all other events of the class add only values.  All values are
 * little-endian and unaligned.
 *
 * Source: the Common Trace Format specification 1.8.3.
 */
#ifndef ETW_CONVERT_CTF_TRACE_H
#define ETW_CONVERT_CTF_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/decode.h>
#include "base/table.h"
#include "convert/convert.h"
#include "base/text.h"

#define CTF_MAGIC	0xC1FC1FC1u
#define CTF_TIME_MAX	(INT64_MAX - 1)	/* readers refuse a trace with a later time */
#define CTF_SOURCES_MAX	64	/* in the environment of the trace */

/* ----------------------------------------------------------------- the shape */

enum ctf_type {
	CTF_UNKNOWN,	/* element of an empty array */
	CTF_INT,
	CTF_FLOAT,
	CTF_DOUBLE,
	CTF_TEXT,	/* UTF-8 and a NUL */
	CTF_BYTES,	/* u32 of bytes first */
	CTF_STRUCT,
	CTF_ARRAY,	/* u32 of elements first */
};

struct ctf_node {
	uint8_t type;		/* enum ctf_type */
	uint8_t size;		/* of CTF_INT: 1, 2, 4, 8 bytes */
	bool is_signed, is_hex, is_bool;
	uint16_t name_len;
	const char *name;	/* from the schema, any bytes; NULL for elements */
	const struct etw_field_map *map;
	uint32_t first;		/* index of the first child; 0: none */
	uint32_t next;		/* sibling; 0: none */
};

/* The fields of one event; the memory is used again for the next. */
struct ctf_shape {
	struct etw_field *fields;	/* complete top-level fields with their members */
	size_t count, room;
	struct ctf_node *nodes;		/* nodes[0] is the top level, a structure */
	size_t node_count, node_room;
	const void *rest;		/* payload behind them */
	size_t rest_size;
	bool truncated;			/* the payload ends before the schema does */
	bool no_memory;
};

/* Read the fields of an event, whose decoder is at the first.  0 or -ENOMEM. */
int ctf_shape_take(struct ctf_shape *shape, const struct convert_event *e);
void ctf_shape_free(struct ctf_shape *shape);
/* Append bytes that are different for different shapes. */
void ctf_shape_key(struct etw_text *key, const struct ctf_shape *shape);

/* ------------------------------------------------------------- optional parts */

enum ctf_extra {
	CTF_EXTRA_TIME,		/* the event's own time, if the stream has a later one */
	CTF_EXTRA_TRUNCATED,
	CTF_EXTRA_MODE,		/* who wrote it */
	CTF_EXTRA_ACTIVITY,
	CTF_EXTRA_PROCNAME,	/* of the process that wrote it, under LTTng's name */
	CTF_EXTRA_RELATED,	/* this and the following are extended items */
	CTF_EXTRA_SID,
	CTF_EXTRA_START_KEY,
	CTF_EXTRA_EVENT_KEY,
	CTF_EXTRA_CONTAINER,
	CTF_EXTRA_PACKAGE,
	CTF_EXTRA_TERMINAL,
	CTF_EXTRA_CONTEXT,	/* task, softirq, hardirq, NMI */
	CTF_EXTRA_STACK,
	CTF_EXTRA_INSTANCE,
	CTF_EXTRA_PARENT,
	CTF_EXTRA_COUNT,
};

/*
 * Extras that are fields behind those of the payload: babeltrace2 2.0 aborts at a sequence
 * in the context of an event class.
 */
#define CTF_EXTRAS_FIELDS	(1u << CTF_EXTRA_STACK)

struct ctf_extra_kind {
	const char *name;
	struct ctf_node node;
	uint16_t item, item_size;	/* type of the extended item, and its least size */
};

extern const struct ctf_extra_kind ctf_extra_kinds[CTF_EXTRA_COUNT];

/* The extras of an event */
struct ctf_extras {
	uint32_t set;			/* bits of enum ctf_extra */
	uint64_t time;			/* ns since 1970 */
	const char *procname;
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item[CTF_EXTRA_COUNT];
	EVENT_HEADER_EXTENDED_DATA_ITEM stack;	/* by ctf_extras_take_stack() */
};

void ctf_extras_take(struct ctf_extras *extras, const EVENT_RECORD *record);
/*
 * Replace the stack by that of symbol_stack_begin(), if there is one; bytes has its addresses, until
 * the values are appended.
 */
void ctf_extras_take_stack(struct ctf_extras *extras, struct symbolizer *symbolizer,
			   const struct etw_event *event, struct etw_text *bytes);
/* Append the values of the extras that are set and in kinds, bits of enum ctf_extra. */
void ctf_extras_put(struct etw_text *to, const struct ctf_extras *extras, uint32_t kinds,
		    const EVENT_RECORD *record);

/* ------------------------------------------------------------------- values */

void ctf_put_number(struct etw_text *to, uint64_t value, size_t size);
void ctf_put_fields(struct etw_text *to, const struct ctf_shape *shape);

/*
 * Append the fields of an event whose shape follows from its kind: numbers and strings, all
 * of them and nothing behind.  false: it is not such an event, and text has anything.
 */
bool ctf_put_plain(struct etw_text *to, const struct convert_event *e);

/* ----------------------------------------------------------------- metadata */

/* An event class and its first event */
struct ctf_class {
	uint32_t id;
	const struct convert_event *event;
	const struct ctf_shape *shape;
	uint32_t extras;		/* bits of enum ctf_extra */
	const char *name;		/* "Provider:Event" */
};

/* The whole trace */
struct ctf_trace {
	const struct convert *convert;
	const struct etw_text *providers;	/* entries of an enumeration */
	const struct etw_text *classes;	/* by ctf_metadata_add() */
};

/* metadata.c: append an event class, or all of the metadata at the end. */
void ctf_metadata_add(struct etw_text *to, const struct ctf_class *class);
void ctf_metadata_write(struct etw_text *to, const struct ctf_trace *trace);

/* Append a string of TSDL with its quotes. */
void ctf_tsdl_quote(struct etw_text *to, const char *text, size_t len);
/* ------------------------------------------------------------------ streams */

#define CTF_STREAMS	256		/* CPU n is in stream n % CTF_STREAMS */

/* Where events were lost: no two of a stream overlap. */
struct ctf_gap {
	uint64_t first, last;		/* ns since 1970 */
	uint64_t events;		/* not yet in the stream's counter */
	uint32_t cpu;
};

struct ctf_stream {
	int fd;				/* if used */
	uint32_t cpu;
	struct etw_text packet;		/* its header and events */
	bool open;			/* packet is not empty */
	bool used;			/* the file exists */
	uint64_t begin, last;		/* ns since 1970: the packet's begin, the last event */
	uint64_t sequence;
	uint64_t discarded;		/* events, until the end of the packet */
	struct ctf_gap *gap, *gaps_end;	/* those that have not ended, in the order of time */
	bool in_gap;			/* the first of them has begun ... */
	uint64_t gap_at;		/* ... and is in the counter up to this time */
};

/*
 * The stream of a CPU, with a packet that an event can be appended to.  NULL: *err, after
 * convert_fail().
 */
struct ctf_stream *ctf_stream_of(struct convert *c, struct ctf_stream *streams, uint32_t cpu,
				 uint64_t time, int *err);
/*
 * An event of this time comes next: end packets where losses begin and end before, so that
 * readers know the interval in which they happened.
 */
int ctf_stream_pass(struct convert *c, struct ctf_stream *streams, uint32_t cpu, uint64_t time);
/* The event is complete. */
int ctf_stream_end_event(struct convert *c, struct ctf_stream *stream, uint64_t time);
/* End the packet; so many more events were lost before the next one. */
int ctf_stream_lost(struct convert *c, struct ctf_stream *stream, uint64_t events);
int ctf_stream_flush(struct convert *c, struct ctf_stream *stream);
/* Write what is left; free the memory, even after an error. */
int ctf_stream_close(struct convert *c, struct ctf_stream *stream);
/* Count what a packet that ends in a loss has of it: a part by its time. */
void ctf_gap_share(struct ctf_stream *stream);
/*
 * Give each stream its gaps.  *gaps: to be freed; *events: how many they have of those that the
 * headers of the sources count.  0 or -ENOMEM
 */
int ctf_gaps_make(const struct convert *c, struct ctf_stream *streams, struct ctf_gap **gaps,
		  uint64_t *events);
/* FILETIME as ns since 1970, within what readers accept */
uint64_t ctf_time(int64_t filetime, unsigned int nanos);
int ctf_write_file(struct convert *c, const char *name, const struct etw_text *text);

#endif /* ETW_CONVERT_CTF_TRACE_H */
