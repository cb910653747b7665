/* SPDX-License-Identifier: MIT */
/*
 * ctf.h - what the files that write the Common Trace Format 1.8 share
 *
 * The fields of an event, as etw_decode_next() returns them, make a tree: the shape.
 * Events with the same shape and descriptor form a class.  Its metadata is made from the
 * first event; all other events of the class add only values.  All values are
 * little-endian and unaligned.
 *
 * Source: the Common Trace Format specification 1.8.3.
 */
#ifndef ETW_CONVERT_CTF_H
#define ETW_CONVERT_CTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/decode.h>
#include "convert/convert.h"
#include "base/text.h"

#define CTF_MAGIC	0xC1FC1FC1u
#define CTF_SOURCES_MAX	64	/* that metadata tells of */

/* ----------------------------------------------------------------- the shape */

enum ctf_type {
	CTF_UNKNOWN,	/* elements of an array that has none */
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
	const char *name;	/* not of elements; what the schema says, any bytes */
	const struct etw_field_map *map;
	uint32_t first;		/* child of a structure or array, index of node; 0: none */
	uint32_t next;		/* sibling; 0: none */
};

/* The fields of one event; memory is kept from one to the next. */
struct ctf_shape {
	struct etw_field *fields;	/* of whole top-level fields, in turn */
	size_t count, room;
	struct ctf_node *nodes;		/* 0: the top level, a structure */
	size_t node_count, node_room;
	const void *rest;		/* payload behind them */
	size_t rest_size;
	bool truncated;			/* they end before their schema does */
	bool no_memory;
};

/* Walk the fields of an event at its first field.  0 or -ENOMEM. */
int ctf_shape_take(struct ctf_shape *shape, const struct convert_event *e);
void ctf_shape_free(struct ctf_shape *shape);
/* How the value of a field is stored, by itself */
void ctf_node_of(struct ctf_node *node, const struct etw_field *field);
/* Append what tells shapes apart. */
void ctf_shape_key(struct etw_text *key, const struct ctf_shape *shape);

/* --------------------------------------- what else an event has, if it has it */

enum ctf_extra {
	CTF_EXTRA_TIME,		/* its own, if it comes after a later one of its stream */
	CTF_EXTRA_TRUNCATED,
	CTF_EXTRA_ACTIVITY,
	CTF_EXTRA_RELATED,
	CTF_EXTRA_SID,
	CTF_EXTRA_START_KEY,
	CTF_EXTRA_EVENT_KEY,
	CTF_EXTRA_CONTAINER,
	CTF_EXTRA_PACKAGE,
	CTF_EXTRA_TERMINAL,
	CTF_EXTRA_STACK,
	CTF_EXTRA_INSTANCE,
	CTF_EXTRA_PARENT,
	CTF_EXTRA_COUNT,
};

/*
 * Those that are fields, behind all others of the payload: babeltrace2 2.0 aborts at a
 * sequence in the context of an event class.
 */
#define CTF_EXTRAS_FIELDS	(1u << CTF_EXTRA_STACK)

struct ctf_extra_kind {
	const char *name;
	struct ctf_node node;
};

extern const struct ctf_extra_kind ctf_extra_kinds[CTF_EXTRA_COUNT];

/* Those of an event, found once */
struct ctf_extras {
	uint32_t set;			/* bits of enum ctf_extra */
	uint64_t time;			/* ns since 1970 */
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item[CTF_EXTRA_COUNT];
};

void ctf_extras_take(struct ctf_extras *extras, const EVENT_RECORD *record);
/* Append the values of those that are set and among these kinds, bits of enum ctf_extra. */
void ctf_extras_put(struct etw_text *to, const struct ctf_extras *extras, uint32_t kinds,
		    const EVENT_RECORD *record);

/* ------------------------------------------------------------------- values */

void ctf_put_number(struct etw_text *to, uint64_t value, size_t size);
/* Text whose NULs become U+2400, and a NUL. */
void ctf_put_text(struct etw_text *to, const char *text, size_t len);
void ctf_put_bytes(struct etw_text *to, const void *data, size_t size);
void ctf_put_fields(struct etw_text *to, const struct ctf_shape *shape);

/* ----------------------------------------------------------------- metadata */

/* One event class, when its first event is there */
struct ctf_class {
	uint32_t id;
	const struct convert_event *event;
	const struct ctf_shape *shape;
	uint32_t extras;		/* bits of enum ctf_extra */
	const char *name;		/* "Provider:Event" */
};

/* What the whole trace says; names: UTF-8 */
struct ctf_trace {
	const struct convert *convert;
	const char *const *providers;	/* by the number that events have; all different */
	uint32_t provider_count;
	const struct etw_text *classes;	/* by ctf_metadata_add() */
};

/* metadata.c: append an event class, or all of the metadata at the end. */
void ctf_metadata_add(struct etw_text *to, const struct ctf_class *class);
void ctf_metadata_write(struct etw_text *to, const struct ctf_trace *trace);

/* Append a string of TSDL with its quotes. */
void ctf_tsdl_quote(struct etw_text *to, const char *text, size_t len);
/*
 * The name of each child of a structure, in turn: as it is, or with "_2" or the like
 * behind it where an earlier one has it.  legal: as an identifier of TSDL, with other
 * bytes as _xHH.
 */
struct ctf_names {
	struct etw_text text;		/* one behind the other, each with a NUL */
	uint32_t *at;			/* hash table of offsets, plus 1 */
	size_t room, count;
	bool legal;
};

void ctf_names_begin(struct ctf_names *names, bool legal);
/* Valid until the next call; NULL: no memory. */
const char *ctf_names_add(struct ctf_names *names, const char *name, size_t len);
void ctf_names_free(struct ctf_names *names);

/* What the syslog calls a level, as in CTF's loglevel; -1: none. */
int ctf_loglevel(unsigned int level);

/*
 * Entries of a field's map that are of use: numbers that it may have, with a label that no
 * other one of them has.  false: there is none.
 */
typedef void ctf_map_fn(struct etw_text *to, int64_t number, const char *label, bool first);
bool ctf_map_each(struct etw_text *to, const struct ctf_node *node, ctf_map_fn *put);

/* ------------------------------------------------------------------ streams */

#define CTF_STREAMS	256		/* CPU n is in stream n % CTF_STREAMS */

struct ctf_stream {
	int fd;				/* if used */
	uint32_t cpu;
	struct etw_text packet;		/* from its header on */
	bool open;			/* there is a packet */
	bool used;			/* its file is there */
	uint64_t begin, last;		/* ns since 1970: of the packet, of all */
	uint64_t sequence;
	uint64_t discarded;		/* events, up to the packet's end */
};

/*
 * Room in the stream of a CPU: events are appended to its packet.  NULL after
 * convert_fail(): *err.
 */
struct ctf_stream *ctf_stream_of(struct convert *c, struct ctf_stream *streams, uint32_t cpu,
				 uint64_t time, int *err);
/* An event is whole. */
int ctf_stream_end_event(struct convert *c, struct ctf_stream *stream, uint64_t time);
/* The packet ends here; those that follow come after so many lost events more. */
int ctf_stream_lost(struct convert *c, struct ctf_stream *stream, uint64_t events);
int ctf_stream_flush(struct convert *c, struct ctf_stream *stream);
/* Everything is written; whether or not it was, memory is given back. */
int ctf_stream_close(struct convert *c, struct ctf_stream *stream);
int ctf_write_file(struct convert *c, const char *name, const struct etw_text *text);

#endif /* ETW_CONVERT_CTF_H */
