/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * decode.h - decode events without sizing buffers first
 *
 * Not a Windows API; tdh.h has that one.  Link with -ltdh.  A decoder takes one event at
 * a time and walks its fields in payload order:
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
 * Schemas come from an event's own TraceLogging metadata, from manifests that are
 * loaded or installed (see tdh.h: TdhLoadManifest(); "etw manifest install"), and from
 * built-in schemas of classic events.
 *
 * An event may contain anything: no length in it or in its metadata is trusted.  An
 * event that is shorter than its schema, or contradicts it, yields the fields that are
 * present and then an error.  Decoding allocates memory only for the first event of a
 * kind.
 *
 * One thread at a time may use a decoder; any number of decoders may be used at once.
 * Strings are UTF-8, but strings of TraceLogging metadata are not validated.  Names from
 * the schema stay valid until the decoder's next etw_decode(), data in the event as long
 * as the event.
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
 * The names of an event; NULL if it has none or it is unknown.  Channel and opcode 0 mean
 * that none was set: they have a name only if the schema sets them explicitly, as
 * opcode="win:Info" does.  TDH's functions and "etw dump --json" return the same names.
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
	const char *mode;		/* that wrote it: "kernel" or "user"; NULL: not known */
};

/* etw_field.kind */
enum etw_field_kind {
	ETW_FIELD_VALUE,
	ETW_FIELD_STRUCT_BEGIN,		/* its members follow, one level deeper */
	ETW_FIELD_STRUCT_END,
	ETW_FIELD_ARRAY_BEGIN,		/* count elements follow, one level deeper */
	ETW_FIELD_ARRAY_END,
};

/* The kind of a value, and the members of etw_field that hold it */
enum etw_value_kind {
	ETW_VALUE_NONE,			/* no bytes, or an unknown type: data, size */
	ETW_VALUE_UNSIGNED,		/* u */
	ETW_VALUE_SIGNED,		/* i */
	ETW_VALUE_HEX,			/* u: shown in hexadecimal: addresses, masks, codes */
	ETW_VALUE_BOOLEAN,		/* u: 0 is false */
	ETW_VALUE_FLOAT,		/* f, of 4 bytes */
	ETW_VALUE_DOUBLE,		/* f, of 8 bytes */
	ETW_VALUE_STRING8,		/* data, size: UTF-8, or Windows-1252 if it has none */
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

/* NULL: out of memory.  The caller owns the decoder; NULL may be freed. */
ETW_API struct etw_decoder *etw_decoder_new(void);
ETW_API void etw_decoder_free(struct etw_decoder *decoder);

/*
 * Start decoding an event.  The decoder owns *event, which is valid until the next call.
 * Returns 0: the event has a schema; -ENOENT: unknown (standard names are set anyway, and
 * the whole payload is left over); -EBADMSG: malformed metadata (otherwise as -ENOENT);
 * -ENOMEM.
 */
ETW_API int etw_decode(struct etw_decoder *decoder, const EVENT_RECORD *record,
		       const struct etw_decoded **event);

/*
 * Get the next field.  Returns 1: *field is set; 0: no more fields; -EBADMSG: the payload
 * ends within this field, or its length is unknown: *field has the name and the available
 * bytes, and no more fields follow.
 */
ETW_API int etw_decode_next(struct etw_decoder *decoder, struct etw_field *field);

/*
 * Append the path of a field, such as "disk.parts[2].size": the names of its structures
 * and arrays, and array indexes.  field is the last result of etw_decode_next(), also
 * after -EBADMSG.  Names are escaped as by etw_format_fields(); with ETW_FORMAT_RAW only
 * invalid UTF-8 is escaped.  TraceLogging names may contain dots and brackets.
 */
ETW_API void etw_decode_path(struct etw_text *text, const struct etw_decoder *decoder,
			     const struct etw_field *field, ULONG flags);

/* Restart with the first field of the same event. */
ETW_API void etw_decode_rewind(struct etw_decoder *decoder);

/* The payload after the fields that etw_decode_next() has returned; *size in bytes. */
ETW_API const void *etw_decode_rest(const struct etw_decoder *decoder, size_t *size);

/*
 * The name of the i-th set keyword bit that has one, from 0; NULL: no more.  A bit of a
 * manifest's channel has the channel's name, as on Windows.
 */
ETW_API const char *etw_decode_keyword(struct etw_decoder *decoder, unsigned int i);

/*
 * The name of a value in a map, or of one bit of a bit map (the caller iterates over the
 * bits); NULL: it has none.
 */
ETW_API const char *etw_field_map_name(const struct etw_field_map *map, ULONG value);
ETW_API int etw_field_map_is_bits(const struct etw_field_map *map);

/* -------------------------------------------------------------- as text */

/* A growing text.  All zero is an empty text; data has len bytes and a NUL. */
struct etw_text {
	char *data;
	size_t len;
	size_t cap;
	int error;	/* -ENOMEM: later additions are missing */
};

ETW_API void etw_text_free(struct etw_text *text);

/* etw_format_*(): flags */
#define ETW_FORMAT_RAW		0x1	/* strings without quotes and escapes */
#define ETW_FORMAT_DIM		0x2	/* etw_format_fields(): names faint on a terminal (ECMA-48) */

/*
 * Append a VALUE in readable form: numbers by their out-type, map names, bits of bit maps
 * joined by "|", times in ISO 8601 and UTC, addresses, SIDs.  Strings are quoted, and
 * control characters and invalid bytes are escaped.
 */
ETW_API void etw_format_value(struct etw_text *text, const struct etw_field *field, ULONG flags);

/*
 * Append all fields of the last event passed to etw_decode() as name=value, with
 * structures in {} and arrays in [], except fields of out-type NOPRINT.  Fields that end
 * too early are followed by <truncated>; bytes that belong to no field appear as rest=,
 * the payload of an event without a schema as data=.  Returns 0; -EBADMSG: the fields
 * ended too early; -EMSGSIZE: cut at 8 MB.
 */
ETW_API int etw_format_fields(struct etw_text *text, struct etw_decoder *decoder, ULONG flags);

/*
 * Append all fields as one JSON object with typed values: see etw(8), "JSON".  Returns as
 * etw_format_fields(); incomplete fields are omitted, and etw_decode_rest() returns what
 * was not formatted.
 */
ETW_API int etw_format_json(struct etw_text *text, struct etw_decoder *decoder);

/*
 * Append the event's message with its inserts replaced.  Strings are not escaped, so the
 * text may contain control characters.  FALSE: no message, nothing appended.
 */
ETW_API BOOLEAN etw_format_message(struct etw_text *text, struct etw_decoder *decoder);

ETW_END_DECLS

#endif /* ETW_DECODE_H */
