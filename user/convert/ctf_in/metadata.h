/* SPDX-License-Identifier: MIT */
/*
 * metadata.h - what the metadata of a CTF trace say: types, clocks, streams, events
 *
 * Everything lies in one arena, and goes with it.  Names are kept once: two are the same
 * if their pointers are.  Nothing in the text is trusted: it is refused with a line
 * number, or all of it makes sense.
 *
 * Sources: the Common Trace Format specification 1.8.3, and CTF2-SPEC-2.0.
 */
#ifndef ETW_CONVERT_CTFMETA_H
#define ETW_CONVERT_CTFMETA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cm_kind { CM_INT, CM_FLOAT, CM_STRING, CM_STRUCT, CM_VARIANT, CM_ARRAY, CM_SEQUENCE };

/* Where a reference begins: scopes in the order in which they are read */
enum cm_scope {
	CM_PACKET_HEADER,
	CM_PACKET_CONTEXT,
	CM_EVENT_HEADER,
	CM_STREAM_CONTEXT,
	CM_EVENT_CONTEXT,
	CM_EVENT_FIELDS,
	CM_SCOPES,		/* also: none, relative */
};

/* What an integer is for, beside its value; by its name in CTF 1.8, by roles in CTF 2 */
enum cm_role {
	CM_NO_ROLE,
	CM_MAGIC,
	CM_STREAM_ID,
	CM_CONTENT_SIZE,
	CM_PACKET_SIZE,
	CM_BEGIN,
	CM_END,
	CM_DISCARDED,
	CM_EVENT_ID,
	CM_ROLES,
};

#define CM_PATH_MAX	8

struct cm_path {
	uint8_t scope;		/* enum cm_scope; CM_SCOPES: from where the field is, outwards */
	uint8_t count;
	const char *name[CM_PATH_MAX];
};

struct cm_label {
	uint64_t low, high;	/* as the integer's own sign has it, extended */
	const char *name;
};

struct cm_clock {
	const char *name;
	uint64_t frequency;
	int64_t offset_s, offset;	/* seconds and ticks since 1970 */
	struct cm_clock *next;
};

struct cm_type;

struct cm_member {
	const char *name;	/* as the metadata have it; shown: without "_" of TSDL */
	const char *shown;
	const struct cm_type *type;
	uint8_t role;		/* enum cm_role */
	bool is_length;		/* of the array that follows: not a value of its own */
};

struct cm_type {
	uint8_t kind;		/* enum cm_kind */
	uint8_t base;		/* of integers: 2, 8, 10, 16 */
	uint8_t role;		/* of integers in CTF 2 */
	bool is_signed, big_endian;
	bool is_text;		/* integer: a character */
	bool is_bool, is_bytes;	/* CTF 2 */
	bool has_variant;	/* or is one */
	uint32_t bits;		/* of integers and floats, 1 to 64 */
	uint32_t align;		/* bits, a power of 2 */
	uint64_t count;		/* elements of an array */
	struct cm_path path;	/* tag of a variant, length of a sequence; count 0: none yet */
	const struct cm_clock *clock;
	const struct cm_type *element;
	struct cm_member *members;	/* of structures; options of variants */
	uint32_t member_count;
	struct cm_label *labels;	/* of enumerations, else NULL */
	uint32_t label_count;
};

struct cm_event {
	uint64_t id;
	const char *name;	/* or "" */
	const char *uri;	/* model.emf.uri, or NULL */
	int loglevel;		/* -1: none */
	const struct cm_type *context, *fields;	/* or NULL */
	struct cm_event *next;
};

struct cm_stream {
	uint64_t id;
	const struct cm_type *packet_context, *event_header, *event_context;	/* or NULL */
	const struct cm_clock *clock;	/* CTF 2: of its time stamps */
	struct cm_event *events;	/* as they come ... */
	struct cm_event **by_id;	/* ... and sorted, made at the end */
	uint32_t event_count;
	struct cm_stream *next;
};

/* What a field of ours is really called; see metadata_tsdl.c */
struct cm_true_name {
	uint64_t event;			/* id of its class */
	const char *legal, *name;
	struct cm_true_name *next;
};

struct cm_meta {
	struct cm_arena *arena;
	const struct cm_type *packet_header;	/* or NULL */
	struct cm_stream *streams;
	struct cm_clock *clocks;
	const char *tracer, *hostname, *trace_name;	/* of env, or NULL */
	struct cm_true_name *true_names;	/* the last one first */
	bool big_endian;
	bool is_ctf2;
	bool has_trace;
	char problem[256];
};

/*
 * Read metadata, plain or in packets.  NULL: no memory, or problem (of size bytes)
 * says what is wrong.
 */
struct cm_meta *cm_parse(const char *data, size_t size, char *problem, size_t problem_size);
void cm_free(struct cm_meta *meta);	/* NULL is fine */

/* NULL: there is none.  A stream without an event of this id, but with one event, has that. */
const struct cm_stream *cm_stream(const struct cm_meta *meta, uint64_t id);
const struct cm_event *cm_event(const struct cm_stream *stream, uint64_t id);

/* ------------------------------------------ between the files that read metadata */

#define CM_MEMORY_MAX	(256u << 20)	/* bytes of an arena */
#define CM_TEXT_MAX	(64u << 20)	/* of metadata */
#define CM_NEST_MAX	32		/* declarations within each other */

/* Zeroed; NULL: no memory, or too much. */
void *cm_alloc(struct cm_meta *meta, size_t size);
/* The one copy of a name; NULL: no memory. */
const char *cm_name(struct cm_meta *meta, const char *s, size_t len);
/* What a member is by its name, in CTF 1.8 */
enum cm_role cm_role_of(const char *name);
/* The largest of its members' alignments, and marks those that are lengths of others. */
void cm_finish_struct(struct cm_type *type);
bool cm_has_clock(const struct cm_meta *meta);

/* Give fields the names that they really have, once events are sorted. */
void cm_use_true_names(struct cm_meta *meta);

/* The whole of TSDL, or of CTF 2.  0, -ENOMEM; -EBADMSG: meta->problem. */
int cm_parse_tsdl(struct cm_meta *meta, const char *text, size_t size);
int cm_parse_json(struct cm_meta *meta, const char *text, size_t size);

#endif /* ETW_CONVERT_CTFMETA_H */
