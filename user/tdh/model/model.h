/* SPDX-License-Identifier: MIT */
/*
 * model.h - a manifest's contents as a C structure
 *
 * The readers of schemas fill it: of XML manifests, of WEVT_TEMPLATE resources, and of
 * the built-in tables. The message compiler, the store, the decoder and TDH read it. It
 * is complete and immutable once etw_manifest_finish() has returned; after that any
 * thread may read it.
 *
 * All of it lies in the arena of its struct etw_manifest and is freed with it. Strings
 * are UTF-8, NUL-terminated, and never NULL unless stated. Arrays are in source order.
 * line: where the element begins in its source, or 0.
 *
 * Source: Microsoft's "EventManifest schema" pages and the pages of its elements.
 */
#ifndef ETW_TDH_MODEL_MODEL_H
#define ETW_TDH_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <evntprov.h>
#include <tdh.h>
#include "base/table.h"

#define ETW_MESSAGE_NONE	0xFFFFFFFFu	/* no message id */

/*
 * A message, from a string table ($(string.ID)) or literal. One object for each string
 * of the tables: elements that refer to the same string share it.
 */
struct etw_mf_message {
	const char *id;		/* in the string table; NULL: none, text[0] only */
	const char *const *text;	/* by culture of the manifest; NULL: missing */
	/*
	 * Of a standard thing: has only text[0], in English, and the id that winmeta.xml
	 * gives it ("level.Error").
	 */
	bool standard;
	uint16_t inserts;	/* the highest %N in any culture; only XML manifests set it */
	unsigned int line;	/* of its first string */
};

/* The parts of an event's descriptor to which a manifest gives names */
enum etw_part {
	ETW_PART_LEVEL, ETW_PART_OPCODE, ETW_PART_TASK, ETW_PART_CHANNEL, ETW_PART_KEYWORD, ETW_PARTS
};

#define ETW_MF_NAMED_MEMBERS								\
	const char *name;	/* "win:Error" and the like for standard ones */	\
	const char *symbol;	/* NULL: none given */					\
	uint64_t value;		/* of a keyword: one bit */				\
	const struct etw_mf_message *message;	/* or NULL; likewise for all others */	\
	unsigned int line

/* A level, an opcode, a keyword, or the beginning of a task or channel */
struct etw_mf_named {
	ETW_MF_NAMED_MEMBERS;
};

#define ETW_MF_NAMED	union { struct etw_mf_named named; struct { ETW_MF_NAMED_MEMBERS; }; }

struct etw_mf_channel {
	ETW_MF_NAMED;		/* as registered: "My-Provider/Operational" */
	const char *id;		/* chid, used by events */
	bool imported;		/* importChannel: defined by another provider */
	uint64_t keyword;	/* its bit in the keyword of its events */
	uint8_t type;		/* enum etw_mf_channel_type; imported: if known, else ADMIN */
	uint8_t isolation;	/* 0 Application, 1 System, 2 Custom */
	bool enabled;
	const char *access;	/* SDDL, or NULL */
};

enum etw_mf_channel_type {
	ETW_CHANNEL_ADMIN,
	ETW_CHANNEL_OPERATIONAL,
	ETW_CHANNEL_ANALYTIC,
	ETW_CHANNEL_DEBUG,
};

struct etw_mf_task {
	ETW_MF_NAMED;
	GUID event_guid;	/* zero: none */
	const struct etw_mf_named *opcodes;	/* its own */
	unsigned int opcode_count;
};

struct etw_mf_map_entry {
	uint32_t value;		/* of a bitMap: one bit */
	const char *symbol;	/* NULL: none given */
	const char *name;	/* patternMap: expression that matches a text; else NULL */
	const char *text;	/* patternMap: replacement expression; else NULL */
	const struct etw_mf_message *message;
	unsigned int line;
};

enum etw_mf_map_kind {
	ETW_MAP_VALUE,		/* valueMap */
	ETW_MAP_BITS,		/* bitMap */
	ETW_MAP_PATTERN,	/* patternMap: text to text; no decoder applies it */
};

struct etw_mf_map {
	const char *name;
	const char *symbol;
	enum etw_mf_map_kind kind;
	const char *format;	/* of a patternMap; else NULL */
	const struct etw_mf_map_entry *entries;
	unsigned int count;
	/* entries by ascending value, the first of equal ones only */
	const uint32_t *by_value;
	unsigned int by_value_count;
	bool sparse;		/* a few values of a quantity have names: the others are numbers */
	unsigned int line;
};

/* etw_mf_field.flags: PROPERTY_FLAGS of TDH */
#define ETW_MF_STRUCT	0x1
#define ETW_MF_LENGTH_FIELD	0x2	/* length is the index of an earlier field */
#define ETW_MF_COUNT_FIELD	0x4	/* likewise for count */
#define ETW_MF_LENGTH_FIXED	0x10	/* length was given */
#define ETW_MF_COUNT_FIXED	0x20	/* count was given: an array, even of 1 */
#define ETW_MF_TAGS		0x40	/* tags was given */
#define ETW_MF_CUSTOM	0x80	/* TraceLogging's custom types */
/* Not in TDH: what precedes the value in the payload of TraceLogging events */
#define ETW_MF_COUNT_INLINE	0x1000	/* u16 number of elements, once */
#define ETW_MF_LENGTH_INLINE	0x2000	/* u16 number of bytes, for each element */

/*
 * A field of a template. A template's fields are one array: first the top level, then
 * the members of each structure in turn, then members of structures within structures
 * (only in TraceLogging).
 */
struct etw_mf_field {
	const char *name;
	uint16_t flags;		/* ETW_MF_ */
	uint16_t in_type;	/* TDH_INTYPE_, 0 for a structure */
	uint16_t out_type;	/* TDH_OUTTYPE_; never 0 where the in-type has a default */
	uint16_t count;		/* elements, or an index; 1 if none was given */
	uint16_t length;	/* units or bytes, see TDH_INTYPE_, or an index; 0: none */
	uint16_t first;		/* structure: index of its first member */
	uint16_t members;	/* structure: how many */
	uint32_t tags;		/* 28 bits */
	const struct etw_mf_map *map;	/* or NULL */
	const uint8_t *schema;	/* CUSTOM: u16 protocol, u16 length, bytes; else NULL */
	unsigned int line;
};

struct etw_mf_template {
	const char *id;		/* tid */
	const char *name;	/* NULL: none given */
	const struct etw_mf_field *fields;
	unsigned int count;	/* all fields */
	unsigned int top;	/* fields of the top level */
	const char *user_data;	/* the UserData element as XML, or NULL */
	unsigned int line;
};

struct etw_mf_event {
	EVENT_DESCRIPTOR desc;	/* complete: with the channel's bits in Keyword */
	const char *symbol;	/* NULL: none given */
	const char *name;	/* the event's own (attribute "name"), or NULL */
	const char *attributes;	/* "k=v;...", or NULL */
	bool not_logged;
	/* Definitions of the descriptor's parts; NULL: 0, or undefined */
	const struct etw_mf_channel *channel;
	const struct etw_mf_named *level;
	const struct etw_mf_task *task;
	const struct etw_mf_named *opcode;
	const struct etw_mf_template *template;
	const struct etw_mf_message *message;
	uint64_t keywords;	/* the manifest's, without the channel's */
	unsigned int line;
};

struct etw_mf_filter {
	const char *name;
	const char *symbol;
	uint8_t value;
	uint8_t version;
	const struct etw_mf_template *template;	/* or NULL */
	const struct etw_mf_message *message;
	unsigned int line;
};

struct etw_mf_provider {
	const char *name;
	const char *symbol;
	GUID guid;		/* events are decoded by it */
	GUID control_guid;	/* registered and enabled by it; usually the same */
	bool has_control_guid;	/* it was given */
	GUID group_guid;	/* zero: none */
	bool has_traits;	/* a traits element was there */
	bool include_name;	/* in the traits */
	const char *namespace_name;	/* NULL: none given; so for the next five */
	const char *source;
	const char *resource_file;
	const char *message_file;
	const char *parameter_file;
	const char *help_link;
	const struct etw_mf_message *message;
	unsigned int index;	/* in the manifest, from 0 */
	unsigned int line;

	const struct etw_mf_channel *channels;	/* including imported ones, in place */
	const struct etw_mf_named *levels;	/* defined here; so for the next three */
	const struct etw_mf_task *tasks;
	const struct etw_mf_named *opcodes;	/* without tasks' own opcodes */
	const struct etw_mf_named *keywords;
	const struct etw_mf_map *maps;
	const struct etw_mf_template *templates;
	const struct etw_mf_event *events;
	const struct etw_mf_filter *filters;
	unsigned int channel_count, level_count, task_count, opcode_count;
	unsigned int keyword_count, map_count, template_count, event_count, filter_count;

	struct etw_table events_by_id;	/* see etw_mf_event_find() */
	const struct etw_manifest *manifest;
};

/* An entry of the manifest's own <messageTable>, or of a message file. */
struct etw_mf_entry {
	uint32_t value;
	const char *symbol;
	const char *mid;
	const struct etw_mf_message *message;
	unsigned int line;
};

struct etw_arena;

struct etw_manifest {
	const char *file;	/* for messages to the user */
	const struct etw_mf_provider *providers;
	unsigned int provider_count;
	const char *const *cultures;	/* "en-US"; at least one if there are messages */
	unsigned int culture_count;
	const unsigned int *culture_order;	/* indexes, in the user's order of preference */
	const struct etw_mf_message *messages;	/* of the string tables */
	unsigned int message_count;
	const struct etw_mf_entry *entries;
	unsigned int entry_count;
	struct etw_arena *arena;
	unsigned int references;	/* see etw_manifest_get(); atomic */
};

/* The number of problems kept; further ones are only counted. */
#define ETW_PROBLEMS_MAX	50

/* A problem in a source: "FILE:LINE: error: what, and the rule". */
struct etw_problem {
	unsigned int line;	/* 0: the file as a whole */
	bool warning;
	bool tolerated;		/* a warning that is an error to the compiler */
	char *text;		/* one line that is safe to print, without file and line; malloc() */
};

/* All zero at first. */
struct etw_problems {
	struct etw_problem list[ETW_PROBLEMS_MAX];
	unsigned int count;	/* in list */
	unsigned int errors;	/* including those not kept */
	unsigned int warnings;
};

void etw_problem_add(struct etw_problems *problems, unsigned int line, bool warning,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Make room for a problem that must be shown: the last one kept is only counted. */
void etw_problems_make_room(struct etw_problems *problems);
/* Drop those after an earlier state. */
void etw_problems_cut(struct etw_problems *problems, const struct etw_problems *before);
/* Sort them by line; problems of one line keep their order. */
void etw_problems_sort(struct etw_problems *problems);
void etw_problems_free(struct etw_problems *problems);

/*
 * Read a manifest for decoding: whatever breaks a rule is a warning, and costs at most the
 * broken element; only a file that is no manifest is invalid. 0 and *out with one
 * reference, or -EINVAL (invalid: problems say why), -ENOMEM, or the error of opening and
 * reading. Warnings may come with 0. name: for messages. Nothing that the file names is
 * ever fetched.
 */
int etw_manifest_read_file(const char *path, struct etw_manifest **out,
			   struct etw_problems *problems);
int etw_manifest_read_memory(const void *data, size_t size, const char *name,
			     struct etw_manifest **out, struct etw_problems *problems);
/* The same, with the compiler's rules: each broken one is an error. */
int etw_manifest_check_file(const char *path, struct etw_manifest **out,
			    struct etw_problems *problems);
int etw_manifest_check_memory(const void *data, size_t size, const char *name,
			      struct etw_manifest **out, struct etw_problems *problems);
/*
 * etw_manifest_read_file() for a regular file only: -EISDIR, or -ENXIO for other kinds;
 * never waits for a FIFO's writer.
 */
int etw_manifest_read_regular(const char *path, struct etw_manifest **out,
			      struct etw_problems *problems);

/*
 * For readers that fill a manifest: create one (NULL: out of memory), allocate from its
 * arena (zeroed, aligned to 16; NULL: out of memory), and finish it, which sets
 * by_value, events_by_id and the like. 0 or -ENOMEM.
 */
struct etw_manifest *etw_manifest_new(const char *file);
void *etw_manifest_alloc(struct etw_manifest *manifest, size_t size);
char *etw_manifest_strdup(struct etw_manifest *manifest, const char *s, size_t len);
int etw_manifest_finish(struct etw_manifest *manifest);

/* References; the last put frees.  put of NULL does nothing. */
struct etw_manifest *etw_manifest_get(struct etw_manifest *manifest);
void etw_manifest_put(struct etw_manifest *manifest);

/* Orders uint64_t for qsort(). */
int etw_mf_compare_u64(const void *a, const void *b);

/* By id and version; NULL: none.  A hash lookup. */
const struct etw_mf_event *etw_mf_event_find(const struct etw_mf_provider *provider,
					     uint16_t id, uint8_t version);

/*
 * The providers of several manifests that decode events of one GUID. They complement each
 * other: of two events with one id and version, the first counts.
 */
struct etw_providers {
	const struct etw_mf_provider *const *list;
	unsigned int count;
};

/* The event, and its provider (may be NULL); NULL: none describes it. */
const struct etw_mf_event *etw_providers_event(const struct etw_providers *providers, uint16_t id,
					       uint8_t version,
					       const struct etw_mf_provider **provider);

/* The definitions of one part */
struct etw_mf_parts {
	const void *first;
	unsigned int count;
	size_t size;		/* of one: struct etw_mf_named, _task or _channel */
};

static inline const struct etw_mf_named *etw_mf_part_at(const struct etw_mf_parts *parts,
							unsigned int i)
{
	return (const void *)((const char *)parts->first + i * parts->size);
}

/* The provider's own; tasks' own opcodes are not among them. */
struct etw_mf_parts etw_mf_parts(const struct etw_mf_provider *provider, enum etw_part part);

/*
 * A definition by value or name: a struct etw_mf_task, etw_mf_channel, or etw_mf_named;
 * NULL: none. First the standard ones, of winmeta.xml; those with a name include
 * win:AnyKeyword, whose value is 0. Then the provider's (NULL: none has one), else the
 * standard one; a task's own opcodes take precedence.
 */
const void *etw_standard(enum etw_part part, uint64_t value);
const void *etw_standard_named(enum etw_part part, const char *name);
const void *etw_mf_part(const struct etw_mf_provider *provider, enum etw_part part,
			uint64_t value);
const struct etw_mf_named *etw_mf_opcode(const struct etw_mf_provider *provider,
					 uint16_t task, uint8_t value);
/* The event's own definition of a part other than keywords; NULL: none */
const void *etw_mf_event_part(const struct etw_mf_event *event, enum etw_part part);
/* The value of a part */
uint64_t etw_part_value(const EVENT_DESCRIPTOR *desc, enum etw_part part);
/* The channel of a bit of keywords, as Windows lists it; NULL: none. */
const struct etw_mf_channel *etw_mf_keyword_channel(const struct etw_mf_provider *provider,
						    uint64_t bit);

/* The entry of a value map, or of exactly one bit; NULL: none. A binary search. */
const struct etw_mf_map_entry *etw_mf_map_find(const struct etw_mf_map *map, uint32_t value);

/*
 * The text of a message in the user's language (LC_ALL, LC_MESSAGES, LANG at the time
 * of etw_manifest_finish(); then English, then the first culture that has it); NULL:
 * the message is NULL or has no text.
 */
const char *etw_mf_text(const struct etw_manifest *manifest,
			const struct etw_mf_message *message);

#endif /* ETW_TDH_MODEL_MODEL_H */
