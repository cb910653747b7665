/* SPDX-License-Identifier: MIT */
/*
 * decoder.h - internals of <etw/decode.h>, for TDH
 *
 * A plan is a schema with a step for each field, which says how to find the field's
 * bytes. It is built once, so that single events do not pay for it. The decoder keeps
 * plans in hash tables by the events' own identification; see schema_cache.c.
 */
#ifndef ETW_TDH_DECODE_DECODER_H
#define ETW_TDH_DECODE_DECODER_H

#include <stdbool.h>
#include <string.h>
#include <etw/decode.h>
#include "base/table.h"
#include "base/text.h"
#include "tdh/model/model.h"

/* Nesting limit of structures; a schema that exceeds it is malformed. */
#define ETW_NEST_MAX	16

/*
 * Limit of one event's text: hostile metadata could have a long name for each byte of
 * the payload.
 */
#define ETW_FORMAT_MAX	(8u << 20)

/* How to find the end of a value's bytes */
enum etw_how {
	ETW_HOW_UNKNOWN,	/* unknown */
	ETW_HOW_FIXED,		/* step.size */
	ETW_HOW_POINTER,	/* 4 or 8, as on the writer's machine */
	ETW_HOW_NUL8,
	ETW_HOW_NUL16,
	ETW_HOW_SIZED,		/* a length, in units of step.size */
	ETW_HOW_COUNTED,	/* u16 number of bytes first */
	ETW_HOW_COUNTED_BE,	/* the same, big-endian */
	ETW_HOW_DUMP,		/* u32 number of bytes first */
	ETW_HOW_REST,		/* the rest of the payload */
	ETW_HOW_SID,
	ETW_HOW_WBEMSID,
	ETW_HOW_STRUCT,
};

#define ETW_STEP_ARRAY	0x1
#define ETW_STEP_LAST	0x2	/* last field: a string may lack its NUL or be missing */
#define ETW_STEP_KEEP	0x4	/* holds a length or count of a later field */

/* What plain_fields.c can format of a field without the general way */
enum etw_plain {
	ETW_PLAIN_NONE,		/* nothing */
	ETW_PLAIN_UNSIGNED, ETW_PLAIN_SIGNED, ETW_PLAIN_HEX, ETW_PLAIN_POINTER,
	ETW_PLAIN_COUNTED8, ETW_PLAIN_COUNTED16, ETW_PLAIN_NUL8, ETW_PLAIN_NUL16,
};

struct etw_field_step {
	uint8_t how;		/* enum etw_how */
	uint8_t size;
	uint8_t value_kind;	/* enum etw_value_kind */
	uint8_t flags;		/* ETW_STEP_ */
	uint8_t plain;		/* enum etw_plain */
	bool hidden;		/* text does not show it */
	uint16_t suffix;	/* JSON: number that distinguishes equal names, or 0 */
	uint16_t in;		/* the enclosing structure plus 1; 0: top level */
	uint32_t mark;		/* for the decoder's user; 0 at first */
	uint32_t label;		/* " name=" in plan->labels, then ",\"name\":" */
	uint32_t label_len, json_len;
	const struct etw_field_map *map;
};

struct etw_field_map {
	const struct etw_mf_map *map;
	const struct etw_manifest *manifest;	/* or NULL */
};

/* Is the field, in spite of its map, a quantity, which can be added and compared? */
static inline bool etw_field_map_is_sparse(const struct etw_field_map *map)
{
	return map && map->map->sparse;
}

/* The schema of one kind of event, in one block of malloc() */
struct etw_schema_plan {
	enum etw_decode_source source;
	const struct etw_mf_template *template;	/* NULL: no fields */
	struct etw_field_step *steps;			/* for its fields */
	bool keeps;				/* some steps have ETW_STEP_KEEP */
	char *labels;				/* a block of its own */
	uint32_t tags;
	const char *event_name, *message;	/* as in struct etw_decoded */
	/* Manifests: NULL for others */
	const struct etw_mf_provider *provider;
	const struct etw_mf_event *event;
	struct etw_manifest *manifest;		/* a reference */
	bool sizes_pointers;			/* see etw_kernel_sizes_pointers() */
	/*
	 * The names of events with this descriptor: all but TraceLogging's provider,
	 * which is in each event
	 */
	struct etw_decoded named;
	uint64_t named_for;
	USHORT named_flags;
	bool is_named;
	uint8_t mark;				/* for the decoder's user; 0 at first */
	/* used by schema_cache.c */
	size_t key_size, bytes;
	const void *key;
};

/* A structure or array being decoded; the lowest level is the top level. */
struct etw_level {
	uint16_t next, end;	/* remaining members */
	uint16_t field;		/* the structure or array itself */
	bool is_array;
	uint32_t left;		/* remaining elements */
	uint32_t index;		/* of the next element; structure: its own */
	uint32_t count;
	size_t start;		/* offset in the payload */
};

#define ETW_LEVELS	(2 * ETW_NEST_MAX + 1)

struct etw_schema_cache {
	struct etw_table table;
	struct etw_schema_plan *last;	/* the last plan found */
	size_t bytes, most;		/* most: 0: the usual */
	bool emptied;			/* plans are gone; for identity.c */
};

#define ETW_IDENTITY_SETS	128
#define ETW_IDENTITY_WAYS	4
#define ETW_PREPARED	4

/*
 * What all events that are alike have in common; see identity.c. A decoder that is used for
 * an output is used for no other one: the text, the marks and those of fields are its.
 */
struct etw_identity {
	struct etw_schema_plan *plan;
	const struct etw_schema_plan *keywords;
	struct etw_decoded event;
	unsigned int items;		/* those that are in the key ... */
	bool has_control;		/* ... and whether one is the controlling GUID */
	/* What the decoder's user prepared of their text: parts, each to its end ... */
	struct etw_text text;
	size_t ends[ETW_PREPARED];
	unsigned int prepared;		/* ... and how many ... */
	const void *prepared_by;	/* ... and what made them, if there is more than one */
	uint32_t marks[3];		/* the user's, at first 0 */
	size_t key_size;
	uint8_t key[];
};

struct etw_decoder {
	struct etw_decoded event;
	const EVENT_RECORD *record;
	struct etw_schema_plan *plan;			/* of the event, or NULL */
	const struct etw_schema_plan *named;		/* the plan of event's names, or NULL */
	struct etw_identity *identity;		/* of the event, or NULL */
	const uint8_t *data;			/* the payload */
	size_t size, at;			/* its size, and the bytes passed */
	unsigned int pointer_size;		/* the writer's: 4 or 8 */
	bool is_fresh;				/* no step has been taken yet */
	int ended;				/* no more fields: 1, or -EBADMSG */
	size_t work;				/* remaining steps */
	unsigned int depth;			/* of the current level */
	struct etw_level levels[ETW_LEVELS];
	uint32_t *kept;				/* values of fields, by field index */
	size_t kept_room;

	const struct etw_schema_plan *keywords;	/* plan whose provider defines names, or NULL */

	struct etw_text scratch;		/* of etw_format_message() */

	struct etw_schema_cache manifests, tracelogging, classic;
	unsigned int generation;		/* the store's, when manifests was filled */
	struct etw_embedded *embedded;		/* schemas from the trace, or NULL */
	struct etw_identity_slot {
		uint64_t hash;
		struct etw_identity *identity;	/* NULL: free */
	} identities[ETW_IDENTITY_SETS][ETW_IDENTITY_WAYS];	/* of a set, latest first */
};

/* The default TDH_OUTTYPE_ of an in-type; 0: none. */
uint16_t etw_out_type_default(uint16_t in_type);

/* The bytes of an in-type's values; 0: they vary. */
unsigned int etw_in_type_size(uint16_t in_type, unsigned int pointer_size);
/* The same if they are integers; 0: they are not, or are pointers. */
unsigned int etw_integer_size(uint16_t in_type);

/* Fill in how to read a field, apart from map. */
void etw_step_fill(struct etw_field_step *step, const struct etw_mf_field *field);
/* Fill in all steps of a template. Returns whether other fields refer to any field. */
bool etw_field_steps_fill(struct etw_field_step *steps, const struct etw_mf_template *template);

/* Plans of each kind take at most so many bytes; beyond that all are forgotten. */
void etw_decoder_hold(struct etw_decoder *decoder, size_t bytes);

/* Call last: completes a plan's steps. 0 or -ENOMEM. */
int etw_plan_finish(struct etw_schema_plan *plan);
void etw_plan_free(struct etw_schema_plan *plan);

/* One name of a field's path, and the index of an array's element */
struct etw_path_part {
	const char *name;
	bool indexed;
	uint32_t index;
};

/*
 * What etw_decode_next() does, for a plain field of the top level: the decoder is there, and
 * there is another field.
 * false: the next field is not plain or not whole; *field has anything, the decoder has not
 * moved.
 */
bool etw_decode_plain(struct etw_decoder *d, struct etw_field *field);

/*
 * The values of the first fields of the top level, up to count, as in etw_field.value; 0 for those
 * that are no numbers. Returns how many there are before one that is not plain or not whole. The
 * decoder does not move.
 */
unsigned int etw_decode_numbers(const struct etw_decoder *d, uint64_t *numbers, unsigned int count);

/* The path of the last field that etw_decode_next() returned. Returns the number of parts. */
unsigned int etw_field_path(const struct etw_decoder *decoder, const struct etw_field *field,
			    struct etw_path_part parts[ETW_LEVELS]);

/*
 * Read one value from left bytes at p; length: for ETW_HOW_SIZED, in units. Sets data,
 * size, length, value and value_kind of *field. 0, or -EBADMSG: the value does not end
 * within the bytes; data and size then cover the available part.
 */
int etw_value_read(const struct etw_field_step *step, size_t length, unsigned int pointer_size,
		   const uint8_t *p, size_t left, struct etw_field *field);

/* A little-endian number at any address; size: 1, 2, 4 or 8. */
static inline uint64_t etw_load(const uint8_t *p, size_t size)
{
	uint64_t value = 0;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&value, p, 2);
		return value;
	case 4:
		memcpy(&value, p, 4);
		return value;
	default:
		memcpy(&value, p, 8);
		return value;
	}
}

static inline int64_t etw_extend(uint64_t value, size_t size)
{
	const unsigned int unused = 64 - 8 * (unsigned int)size;

	return (int64_t)(value << unused) >> unused;
}

/* Where the names of the values of a TraceLogging event's fields are; see value_names.c */
struct etw_value_names {
	GUID guid;			/* of the provider */
	const char *provider;		/* its name */
	const struct etw_mf_event *event;	/* with a map for each field, or NULL */
	struct etw_manifest *manifest;	/* a reference, or NULL */
};

/*
 * Find those of the record being decoded, by its provider's name and decode GUID, and that of the
 * event. false: there are none.
 */
bool etw_value_names_of(const struct etw_decoder *d, const char *provider, const void *guid,
			const char *event, struct etw_value_names *names);
/*
 * The same of a trace event's provider and its manifest, of which they take a reference, or NULL.
 * Ends with etw_value_names_put().
 */
void etw_value_names_take(struct etw_value_names *names, const char *provider,
			  struct etw_manifest *manifest);
void etw_value_names_put(struct etw_value_names *names);
/* The map of a field, by name; false: it has none. */
bool etw_value_names_find(const struct etw_value_names *names, const char *field,
			  struct etw_field_map *map);

/*
 * Convert TraceLogging's event metadata to a plan in one block; NULL and *error:
 * -EBADMSG: malformed; -ENOMEM. names: or NULL; the plan's key is then their GUID and the
 * metadata, else the metadata.
 */
struct etw_schema_plan *etw_tlmeta_parse(const uint8_t *meta, size_t size,
					 const struct etw_value_names *names, int *error);
/* The event's name within the metadata, NUL-terminated; NULL: malformed. */
const char *etw_tlmeta_name(const uint8_t *meta, size_t size, uint32_t *tags);
/* The provider's name within traits, and its decode GUID (*decode: or NULL) */
const char *etw_traits_name(const uint8_t *traits, size_t size, const uint8_t **decode);

/*
 * Find the plan of a key, or NULL. Put: insert a malloc()ed plan with key, key_size and
 * bytes set; returns it, or NULL: it is freed for lack of memory.
 */
struct etw_schema_plan *etw_schema_cache_find(struct etw_schema_cache *plans, const void *key,
				    size_t size);
struct etw_schema_plan *etw_schema_cache_put(struct etw_schema_cache *plans,
					     struct etw_schema_plan *plan);
void etw_schema_cache_clear(struct etw_schema_cache *plans);

/*
 * As etw_decode(); repeated: the record's items have the bytes of those of the record before.
 */
int etw_decode_repeated(struct etw_decoder *d, const EVENT_RECORD *record, bool repeated,
			const struct etw_decoded **event);

/*
 * The identity of a record that equals an earlier one in all that its plan and names follow
 * from, or NULL. Put: keep what was found out about the decoder's event, which has none and is
 * no piece of a schema, for such records.
 */
struct etw_identity *etw_identity_find(struct etw_decoder *d, const EVENT_RECORD *record,
				       bool repeated);
void etw_identity_put(struct etw_decoder *d);
void etw_identities_clear(struct etw_decoder *d);

static inline void etw_identity_part(const struct etw_identity *identity, unsigned int i,
				     struct etw_text *to)
{
	const size_t start = i ? identity->ends[i - 1] : 0;

	etw_text_add(to, identity->text.data + start, identity->ends[i] - start);
}

/* May the event have items that are not the same in all events of its kind? */
static inline bool etw_decoder_own_items(const struct etw_decoder *d)
{
	return !d->identity || d->record->ExtendedDataCount != d->identity->items;
}

/* May it have items that say more than its names and fields? */
static inline bool etw_decoder_has_items(const struct etw_decoder *d)
{
	return etw_decoder_own_items(d) || d->identity->has_control;
}

/*
 * The pointer size in this record: own, as the record says, unless the fields use
 * exactly the whole payload with the other pointer size and not with own. Tools that
 * relayed events of a 64-bit kernel in a 32-bit session wrote such records. Only for
 * events that have a SID, since its form excludes accidental matches.
 */
bool etw_kernel_sizes_pointers(const struct etw_mf_event *event);
unsigned int etw_kernel_pointer(const struct etw_mf_event *event, const EVENT_RECORD *record,
				unsigned int own);

/* A plan of a manifest's event; event NULL: for an unknown provider or event. */
struct etw_schema_plan *etw_plan_of_event(const struct etw_mf_event *event,
				       const struct etw_mf_provider *provider,
				       const void *key, size_t key_size);

/*
 * Take one piece of a schema from the trace: the payload of its event, by provider and
 * process. True: the piece completes a new schema, which is used from now on.
 */
bool etw_embedded_feed(struct etw_decoder *decoder, const GUID *guid, uint32_t process,
		       const void *payload, size_t size);
/*
 * The provider of the record being decoded, and its event if known: first from the
 * schemas in the trace, which the writer used, then from etw_store_find(); returns the
 * same. *event may be NULL.
 */
const struct etw_mf_provider *etw_embedded_find(const struct etw_decoder *decoder,
						const GUID *guid,
						const struct etw_mf_event **event,
						struct etw_manifest **manifest);
void etw_embedded_free(struct etw_embedded *embedded);	/* NULL is fine */

/* The displayed name of a part other than keywords; NULL: it has none. */
const char *etw_decode_part(const struct etw_decoder *decoder, enum etw_part what);

/*
 * All names of a part of the last event of etw_decode(), from 0: first the displayed
 * name, then the schema's language-independent ones; for keywords, those of each bit.
 * Names may repeat. NULL: no more.
 */
const char *etw_decode_descriptor_name(const struct etw_decoder *decoder, enum etw_part what,
				 unsigned int i);

/*
 * The event's name: its own, its task's, or its symbol; NULL: it has none of these. *opcode:
 * the opcode's name, to show after it and a slash, or NULL: a TraceLogging event's name may
 * end in it already. Names are unchecked bytes.
 */
const char *etw_decoded_name(const struct etw_decoded *decoded, const char **opcode);

/* "win:Error" as "Error", or the message's text. */
const char *etw_label(const struct etw_manifest *manifest,
		      const struct etw_mf_message *message, const char *name);

/* The encoding of a value in a payload */
struct etw_value_type {
	uint16_t in_type;	/* TDH_INTYPE_ */
	uint16_t out_type;	/* TDH_OUTTYPE_, 0: the in-type's default */
	bool has_length;	/* for strings and BINARY */
	uint16_t length;	/* characters of UNICODESTRING, else bytes */
	uint8_t pointer_size;	/* 4 or 8 */
};

/*
 * Take one value from the front of size bytes, as etw_decode_next() would for an
 * event's last field, so that a string may be missing. Sets value_kind, in_type,
 * out_type, data, size, length and value of *field, and zeroes the rest. 0; -EBADMSG:
 * too few bytes; -EINVAL: no such in-type, or it needs a length.
 */
int etw_value_take(struct etw_field *field, const struct etw_value_type *type,
		   const void *data, size_t size);

#endif /* ETW_TDH_DECODE_DECODER_H */
