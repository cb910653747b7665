/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * decode.h - names and values of events, without buffers to size first
 *
 * Not of Windows; tdh.h has what is.  Link with -ltdh.  A decoder takes one event at
 * a time and walks its fields in the order of the payload:
 *
 *	struct etw_decoder *decoder = etw_decoder_new();
 *	const struct etw_decoded *event;
 *	struct etw_field field;
 *
 *	etw_decode(decoder, record, &event);		in an EventRecordCallback
 *	while (etw_decode_next(decoder, &field) == 1)
 *		if (field.kind == ETW_FIELD_VALUE)
 *			... field.name, field.value ...
 *
 * Schemas come from TraceLogging's metadata within the event, from manifests that
 * are loaded or installed (see tdh.h: TdhLoadManifest(); "etw manifest install"), and
 * from those of the trace's own classic events that are built in.
 *
 * An event may hold anything: no length in it or in its metadata is trusted, and an
 * event that ends before its schema does, or contradicts it, yields the fields that
 * are there and then a mark.  Nothing is allocated for an event once the decoder has
 * seen one of its kind.
 *
 * A decoder belongs to one thread at a time; any number of them may be used at once.
 * Strings are UTF-8; those of TraceLogging are as the event has them, which may be
 * anything.  What an event's schema names stays valid until the next
 * etw_decode() of that decoder, what lies in the event while the event does.
 */
#ifndef ETW_DECODE_H
#define ETW_DECODE_H

#include <evntcons.h>
#include <tdh.h>

ETW_BEGIN_DECLS

struct etw_decoder;
struct etw_text;	/* see below */

/* Where an event's schema came from: DECODING_SOURCE of tdh.h, and none */
enum etw_decode_source {
	ETW_DECODE_MANIFEST = 0,
	ETW_DECODE_CLASSIC = 1,		/* built-in schemas of classic events */
	ETW_DECODE_TRACELOGGING = 3,
	ETW_DECODE_STRING = 100,	/* written by EventWriteString(): one field */
	ETW_DECODE_NONE = 101,		/* no schema */
};

/*
 * One event: what it is called.  NULL: has none, or nobody knows.  Channel and opcode 0
 * mean that none was set: they have a name only where the event's schema gives it, as
 * opcode="win:Info" does.  TDH's functions and "etw dump --json" tell the same.
 */
struct etw_decoded {
	const EVENT_RECORD *record;
	enum etw_decode_source source;
	const char *provider;		/* name */
	const char *event;		/* its own name: TraceLogging's, or attribute "name" */
	const char *task;
	const char *opcode;
	const char *level;		/* "Error"; standard ones for any provider */
	const char *channel;
	const char *message;		/* with inserts as %1, in the user's language */
	const char *attributes;		/* "name=value;..." */
	GUID decode_guid;		/* of the provider whose schema this is */
	ULONG tags;			/* 28 bits */
	USHORT field_count;		/* of the top level */
	const char *symbol;		/* of a manifest's event */
	GUID control_guid;		/* that its provider is enabled by */
};

/* etw_field.kind */
enum etw_field_kind {
	ETW_FIELD_VALUE,
	ETW_FIELD_STRUCT_BEGIN,		/* its members follow, one level deeper */
	ETW_FIELD_STRUCT_END,
	ETW_FIELD_ARRAY_BEGIN,		/* count elements follow, one level deeper */
	ETW_FIELD_ARRAY_END,
};

/* What a value is, and which member of etw_field.value holds it */
enum etw_value_kind {
	ETW_VALUE_NONE,			/* no bytes, or of a type nobody knows: data, size */
	ETW_VALUE_UNSIGNED,		/* u */
	ETW_VALUE_SIGNED,		/* i */
	ETW_VALUE_HEX,			/* u: shown in hexadecimal: addresses, masks, codes */
	ETW_VALUE_BOOLEAN,		/* u: 0 is false */
	ETW_VALUE_FLOAT,		/* f, of 4 bytes */
	ETW_VALUE_DOUBLE,		/* f, of 8 bytes */
	ETW_VALUE_STRING8,		/* data, size: UTF-8, or Windows-1252 where it is none */
	ETW_VALUE_STRING16,		/* data, size in bytes: UTF-16, at any address */
	ETW_VALUE_BINARY,		/* data, size */
	ETW_VALUE_GUID,			/* data: 16 bytes */
	ETW_VALUE_TIME,			/* u: FILETIME, 100 ns since 1601, UTC */
	ETW_VALUE_SYSTEMTIME,		/* data: 16 bytes */
	ETW_VALUE_SID,			/* data, size */
	ETW_VALUE_IPV4,			/* data: 4 bytes in network order */
	ETW_VALUE_IPV6,			/* data: 16 bytes in network order */
	ETW_VALUE_SOCKADDR,		/* data, size */
	ETW_VALUE_PORT,			/* u: in host order */
	ETW_VALUE_ERROR,		/* u: a code of out_type (WIN32ERROR, NTSTATUS, HRESULT) */
};

/*
 * Names of values; see etw_field_map_name().  A string's is a pattern map: the schema of
 * manifests has those, but nobody uses them, and strings stay as they are.
 */
struct etw_field_map;

/* A field, an element of an array, or the begin or end of what holds some */
struct etw_field {
	enum etw_field_kind kind;
	enum etw_value_kind value_kind;
	const char *name;		/* of elements: that of their array */
	unsigned int depth;		/* 0: top level; see etw_decode_path() */
	unsigned int position;		/* of the field in its template, from 0 */
	unsigned int index;		/* of an element in its array, else 0 */
	unsigned int count;		/* elements of an ARRAY_BEGIN, else 1 */
	USHORT in_type;			/* TDH_INTYPE_ */
	USHORT out_type;		/* TDH_OUTTYPE_ */
	ULONG tags;			/* 28 bits */
	const void *data;		/* the value's bytes, without length and NUL; unaligned */
	size_t size;			/* how many */
	size_t offset;			/* of the field in the payload, its length included */
	size_t length;			/* bytes it takes there */
	union {
		ULONGLONG u;
		LONGLONG i;
		double f;
	} value;
	const struct etw_field_map *map;	/* or NULL */
};

/* NULL: no memory. */
ETW_API struct etw_decoder *etw_decoder_new(void);
ETW_API void etw_decoder_free(struct etw_decoder *decoder);

/*
 * Take an event.  *event is the decoder's, valid until the next call.  0: it has a
 * schema; -ENOENT: none is known (names that are standard are there all the same, and
 * the whole payload is left over); -EBADMSG: its own metadata are malformed (likewise);
 * -ENOMEM.
 */
ETW_API int etw_decode(struct etw_decoder *decoder, const EVENT_RECORD *record,
		       const struct etw_decoded **event);

/*
 * The next field.  1: *field; 0: there is no more; -EBADMSG: the payload ends within
 * this field, or its length cannot be known: *field has the name and what bytes are
 * there, and no more follow.
 */
ETW_API int etw_decode_next(struct etw_decoder *decoder, struct etw_field *field);

/*
 * Append where a field is: what it is in and itself, as "disk.parts[2].size": names of
 * structures and arrays, and places in arrays.  field: what etw_decode_next() gave last,
 * also with -EBADMSG.  Names are escaped as etw_format_fields() does it, or with
 * ETW_FORMAT_RAW as they are, but for bytes that are no UTF-8; TraceLogging's may have
 * dots and brackets of their own.
 */
ETW_API void etw_decode_path(struct etw_text *text, const struct etw_decoder *decoder,
			     const struct etw_field *field, ULONG flags);

/* Start again with the first field of the same event. */
ETW_API void etw_decode_rewind(struct etw_decoder *decoder);

/* The payload behind the fields that etw_decode_next() has passed. */
ETW_API const void *etw_decode_rest(const struct etw_decoder *decoder, size_t *size);

/*
 * The keywords' names, of the i-th set bit that has one, from 0; NULL: no more.  A bit
 * that stands for a channel of the manifest has that channel's name, as on Windows.
 */
ETW_API const char *etw_decode_keyword(struct etw_decoder *decoder, unsigned int i);

/*
 * The name of a value in a map, or of one bit of a bit map (which the caller takes
 * apart); NULL: it has none.
 */
ETW_API const char *etw_field_map_name(const struct etw_field_map *map, ULONG value);
ETW_API int etw_field_map_is_bits(const struct etw_field_map *map);

/* -------------------------------------------------------------- as text */

/* A growing text.  All zero is an empty one; len bytes at data, then a NUL. */
struct etw_text {
	char *data;
	size_t len;
	size_t cap;
	int error;	/* -ENOMEM: what was added since is not there */
};

ETW_API void etw_text_free(struct etw_text *text);

/* etw_format_*(): flags */
#define ETW_FORMAT_RAW		0x1	/* strings as they are, without quotes and escapes */

/*
 * Append a VALUE as people read it: numbers by their out-type, names of maps, bits of
 * bit maps joined by "|", times in ISO 8601 and UTC, addresses, SIDs; strings are
 * quoted, control characters and bytes that are no text escaped.
 */
ETW_API void etw_format_value(struct etw_text *text, const struct etw_field *field, ULONG flags);

/*
 * Append all fields of the event that etw_decode() took last, as name=value with
 * structures in {} and arrays in [], but those of out-type NOPRINT; where they end too
 * early <truncated>, and bytes that belong to no field as rest=.  Without a schema all
 * of them as data=.  0; -EBADMSG: the fields ended too early; -EMSGSIZE: this is not
 * all, as it would be over 8 MB.
 */
ETW_API int etw_format_fields(struct etw_text *text, struct etw_decoder *decoder, ULONG flags);

/*
 * Append all fields as one JSON object, values typed: see etw(8), "JSON".  Returns as
 * etw_format_fields(); a field that is not whole is not in it, and
 * etw_decode_rest() has what was not shown.
 */
ETW_API int etw_format_json(struct etw_text *text, struct etw_decoder *decoder);

/*
 * Append the event's message with its inserts replaced, strings as they are: it may
 * hold control characters.  FALSE: it has none, and nothing was added.
 */
ETW_API BOOLEAN etw_format_message(struct etw_text *text, struct etw_decoder *decoder);

ETW_END_DECLS

#endif /* ETW_DECODE_H */
