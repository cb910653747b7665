/* SPDX-License-Identifier: MIT */
/*
 * trace_schema.c - a trace event's format, as TraceLogging metadata and parts of its record
 *
 * libtraceevent parses the format. The members that all records have ("common_...") are left
 * out: the event's header has what they say.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <etw/tracelogging/base.h>
#include "probe_args.h"
#include "trace_names.h"
#include "trace_pair.h"
#include "trace_schema.h"
#include "tracefs_library.h"

/* How a field is stored and shown */
struct field {
	struct etw_trace_piece piece;
	uint8_t in, out;	/* enum TlgIn_t, TlgOut_t */
	uint16_t count;		/* in has TlgInCcount: the elements */
};

/* The type, as a word of the declaration */
static bool of_type(const struct tep_format_field *f, const char *type)
{
	const char *found = strstr(f->type, type);
	size_t len = strlen(type);

	return found && (found == f->type || found[-1] == ' ') &&
	       (!found[len] || found[len] == ' ' || found[len] == '[');
}

/* Bits, which nobody reads as a decimal number */
static bool is_mask(const struct tep_format_field *f)
{
	size_t len = strlen(f->name);

	return (len >= 5 && !strcmp(f->name + len - 5, "flags")) ||
	       (len >= 4 && !strcmp(f->name + len - 4, "mask"));
}

/* The types of a number of so many bytes; false: there is none. */
static bool number(const struct tep_format_field *f, unsigned int size, struct field *to)
{
	static const uint8_t kinds[] = { [1] = TlgInUINT8, [2] = TlgInUINT16, [4] = TlgInUINT32,
					 [8] = TlgInUINT64 };

	if (size >= sizeof(kinds) || !kinds[size])
		return false;
	to->in = kinds[size];
	if (f->flags & (TEP_FIELD_IS_POINTER | TEP_FIELD_IS_FLAG) || is_mask(f))
		to->out = TlgOutHEX;
	else if (f->flags & TEP_FIELD_IS_SIGNED)
		to->in = kinds[size] - 1;	/* the signed one is always beside it */
	if (of_type(f, "pid_t") && size == 4) {
		to->in = TlgInUINT32;
		to->out = TlgOutPID;
	} else if (of_type(f, "bool") && size == 1) {
		to->in = TlgInUINT8;
		to->out = TlgOutBOOLEAN;
	}
	return true;
}

/* The library takes arrays of bytes for texts; "unsigned char" are bytes, too, with any NULs. */
static bool is_text(const struct tep_format_field *f)
{
	return f->flags & TEP_FIELD_IS_STRING && !of_type(f, "unsigned") &&
	       (of_type(f, "char") || strstr(f->type, "char["));
}

/* Of an array that is elsewhere; the library does not say. */
static unsigned int element_size(const struct tep_format_field *f)
{
	static const struct { const char *type; unsigned int size; } types[] = {
		{ "long", 8 }, { "u64", 8 }, { "__u64", 8 }, { "s64", 8 }, { "size_t", 8 },
		{ "short", 2 }, { "u16", 2 }, { "__u16", 2 },
		{ "u32", 4 }, { "__u32", 4 }, { "s32", 4 }, { "int", 4 }, { "pid_t", 4 },
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (of_type(f, types[i].type))
			return types[i].size;
	return 1;
}

/* What a data location points to */
static void located(const struct tep_format_field *f, struct field *to)
{
	if (f->flags & TEP_FIELD_IS_RELATIVE)
		to->piece.flags = ETW_TRACE_RELATIVE;
	to->piece.kind = is_text(f) ? ETW_TRACE_TEXT_AT : ETW_TRACE_ARRAY_AT;
	if (is_text(f)) {
		to->in = TlgInCOUNTEDANSISTRING;
		to->out = TlgOutUTF8;
		to->piece.size = 0;
	} else if (element_size(f) == 1) {
		to->in = TlgInBINARY;
		to->piece.size = 1;
	} else {
		number(f, element_size(f), to);
		to->in |= TlgInVcount;
		to->piece.size = element_size(f);
	}
}

static bool of_types(const struct tep_format_field *f, const char *const *types)
{
	while (*types && !of_type(f, *types))
		types++;
	return *types;
}

/*
 * The record of a system call has each argument in the 8 bytes of a register, of which an int
 * fills the lower half.
 */
static unsigned int argument_size(const struct tep_format_field *f)
{
	static const char *const narrow[] = {
		"int", "unsigned", "umode_t", "pid_t", "uid_t", "gid_t", "u32", "__u32", "__s32",
		"qid_t", "key_serial_t", "mqd_t", "clockid_t", "timer_t", "key_t", "rwf_t", "enum",
		NULL,
	};

	if (f->flags & TEP_FIELD_IS_POINTER || of_type(f, "long") || !of_types(f, narrow))
		return f->size;
	return sizeof(int);
}

/* The kernel says of no argument that it is signed.  A process id is: -1 is any process. */
static bool argument_is_signed(const struct tep_format_field *f)
{
	static const char *const types[] = {
		"int", "long", "pid_t", "__s32", "key_serial_t", "key_t", "mqd_t", "clockid_t",
		"timer_t", "off_t", "loff_t", "ssize_t", NULL,
	};

	return !(f->flags & TEP_FIELD_IS_POINTER) && !of_type(f, "unsigned") && of_types(f, types);
}

/* Of the arguments that are texts, those that end with a NUL: const char *filename */
static bool is_user_text(const struct tep_format_field *f)
{
	static const char *const others[] = { "buf", "ubuf", "optval", "u_msg_ptr", "msg_ptr",
					      "uargs", "umod", "vec" };
	size_t i;

	if (!(f->flags & TEP_FIELD_IS_POINTER) || strncmp(f->type, "const char *", 12) ||
	    strstr(f->type, "* const") || strstr(f->type, "**"))
		return false;
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(f->name, others[i]))
			return false;
	return true;
}

/*
 * A socket's address that the caller gives, with its length: struct sockaddr *addr, int addr_len.
 * One that the kernel fills in has a pointer to the length.
 */
static bool is_user_address(const struct tep_format_field *f)
{
	const struct tep_format_field *length = f->next;

	return f->flags & TEP_FIELD_IS_POINTER && of_type(f, "struct sockaddr") &&
	       !strstr(f->type, "**") && length && length->size == 8 && of_type(length, "int") &&
	       !(length->flags & TEP_FIELD_IS_POINTER) && strstr(length->name, "len");
}

/* texts: how many the event has so far; older: the module does not read addresses. */
static struct field describe_argument(const struct tep_format_field *f, bool older,
				      unsigned int *texts)
{
	struct field to = { .piece = { .offset = f->offset, .size = argument_size(f) } };

	if (is_user_text(f) && *texts < ETW_TRACE_USER_TEXTS) {
		++*texts;
		to.piece.kind = ETW_TRACE_USER_TEXT;
		to.in = TlgInCOUNTEDANSISTRING;
		to.out = TlgOutUTF8;
	} else if (!older && is_user_address(f) && *texts < ETW_TRACE_USER_TEXTS) {
		++*texts;
		to.piece.kind = ETW_TRACE_USER_BYTES;
		to.piece.size = sizeof(struct sockaddr_storage);
		to.piece.length_offset = f->next->offset;
		to.in = TlgInBINARY;
		to.out = TlgOutSOCKETADDRESS;
	} else {
		number(f, to.piece.size, &to);
		if (argument_is_signed(f) && to.out != TlgOutHEX) {
			to.in = to.piece.size == sizeof(int) ? TlgInINT32 : TlgInINT64;
			to.out = TlgOutNULL;
		}
	}
	return to;
}

/*
 * An address of the network, which the kernel declares as so many bytes: of IPv4, of IPv6, or with
 * room for either one's struct sockaddr.
 */
static bool address(const struct tep_format_field *f, struct field *to)
{
	static const char *const types[] = { "u8", "__u8", NULL };

	if (!(f->flags & TEP_FIELD_IS_ARRAY) || !of_types(f, types) ||
	    (strncmp(f->name, "saddr", 5) && strncmp(f->name, "daddr", 5)))
		return false;
	if (f->size == 4) {
		to->in = TlgInUINT32;
		to->out = TlgOutIPV4;
		return true;
	}
	if (f->size != 16 && f->size != 28)
		return false;
	to->piece.kind = ETW_TRACE_BYTES;
	to->in = TlgInBINARY;
	to->out = f->size == 16 ? TlgOutIPV6 : TlgOutSOCKETADDRESS;
	return true;
}

static struct field describe(const struct tep_format_field *f)
{
	struct field to = { .piece = { .offset = f->offset, .size = f->size } };

	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		located(f, &to);
	} else if (address(f, &to)) {
		/* It is all said. */
	} else if (is_text(f)) {
		to.piece.kind = ETW_TRACE_TEXT;
		to.in = TlgInCOUNTEDANSISTRING;
		to.out = TlgOutUTF8;
	} else if (f->flags & TEP_FIELD_IS_ARRAY && f->arraylen &&
		   number(f, f->size / f->arraylen, &to)) {
		to.in |= TlgInCcount;
		to.count = f->arraylen;
	} else if (!number(f, f->size, &to)) {
		to.piece.kind = ETW_TRACE_BYTES;
		to.in = TlgInBINARY;
	}
	return to;
}

/* ------------------------------------------------------------------- metadata */

static bool put(struct trace_schema *s, const void *data, size_t size)
{
	if (size > sizeof(s->metadata) - s->metadata_len)
		return false;
	memcpy(s->metadata + s->metadata_len, data, size);
	s->metadata_len += size;
	return true;
}

static bool put_byte(struct trace_schema *s, uint8_t byte)
{
	return put(s, &byte, 1);
}

/* Text for filters; false: there is no room. */
static bool put_text(struct trace_schema *s, const char *name, const struct field *f)
{
	static const char *const types[] = {
		[TlgInINT8] = "i8", [TlgInUINT8] = "u8", [TlgInINT16] = "i16",
		[TlgInUINT16] = "u16", [TlgInINT32] = "i32", [TlgInUINT32] = "u32",
		[TlgInINT64] = "i64", [TlgInUINT64] = "u64", [TlgInBINARY] = "cbin",
		[TlgInCOUNTEDANSISTRING] = "cstr",
	};
	const char *type = types[f->in & TlgInTypeMask];
	size_t at = strlen(s->fields), room = sizeof(s->fields) - at;
	char count[24] = "", before[32] = "";
	int n;

	if (f->in & TlgInCcount) {
		snprintf(count, sizeof(count), "[%u]", f->count);
	} else if (f->in & TlgInVcount) {
		/* There its number is a field by itself, with a name that the kernel does not use. */
		snprintf(count, sizeof(count), "[_%zu]", at);
		snprintf(before, sizeof(before), "u16 _%zu, ", at);
	}
	n = snprintf(s->fields + at, room, "%s %s%s%s %s", at ? "," : "id=0:", before, type, count,
		     name);
	if (n >= 0 && (size_t)n < room)
		return true;
	s->fields[at] = '\0';
	return false;
}

static bool put_field(struct trace_schema *s, const char *name, const struct field *f)
{
	return put(s, name, strlen(name) + 1) &&
	       put_byte(s, f->in | (f->out ? TlgInChain : 0)) &&
	       (!f->out || put_byte(s, f->out)) &&
	       (!(f->in & TlgInCcount) || put(s, &f->count, sizeof(f->count)));
}

/* Bytes that follow those of the last piece in the record as they do in the event go with it. */
static bool put_piece(struct trace_schema *s, const struct etw_trace_piece *piece)
{
	struct etw_trace_piece *last = s->pieces + s->piece_count - 1;

	if (s->piece_count && piece->kind == ETW_TRACE_COPY && last->kind == ETW_TRACE_COPY &&
	    last->offset + last->size == piece->offset) {
		last->size += piece->size;
		return true;
	}
	if (s->piece_count == ETW_TRACE_PIECES_MAX)
		return false;
	s->pieces[s->piece_count++] = *piece;
	return true;
}

/* What the format does not say of a probe's argument */
static void refine(const struct probe_args *args, const char *name, struct field *field)
{
	unsigned int i = 0;

	while (i < args->count && strcmp(args->list[i].name, name))
		i++;
	if (i < args->count && args->list[i].out && field->piece.kind == ETW_TRACE_COPY)
		field->out = args->list[i].out;
}

/* args: of a probe, or NULL; older: as above */
static void add_fields(struct trace_schema *s, const struct tep_format_field *f, bool arguments,
		       const struct probe_args *args, bool older)
{
	unsigned int texts = 0;
	struct field field;
	size_t text;
	uint32_t len;

	for (; f && !s->cut; f = f->next) {
		if (!strcmp(f->name, "__syscall_nr"))	/* the event's name says it */
			continue;
		if (args && !strncmp(f->name, "__probe_", strlen("__probe_")))	/* and the stack */
			continue;
		field = arguments && f->size == 8 ? describe_argument(f, older, &texts) :
						    describe(f);
		s->reads_bytes |= field.piece.kind == ETW_TRACE_USER_BYTES;
		if (args)
			refine(args, f->name, &field);
		len = s->metadata_len;
		text = strlen(s->fields);
		s->cut = !put_field(s, f->name, &field) || !put_text(s, f->name, &field) ||
			 !put_piece(s, &field.piece);
		if (s->cut) {
			s->metadata_len = len;
			s->fields[text] = '\0';
		}
	}
}

static int translate(const struct tep_event *event, const char *name,
		     const struct probe_args *args, bool older, struct trace_schema *s)
{
	uint16_t size = 0;

	s->id = event->id;
	if (!put(s, &size, sizeof(size)) || !put_byte(s, 0) || !put(s, name, strlen(name) + 1))
		return -EINVAL;
	add_fields(s, event->format.fields,
		   !args && !strncmp(name, "sys_enter_", strlen("sys_enter_")), args, older);
	size = s->metadata_len;
	memcpy(s->metadata, &size, sizeof(size));
	return args ? 0 : trace_names_find(event, name, s);
}

static int parse(const char *text, size_t len, const char *name, const struct probe_args *args,
		 bool older, struct trace_schema *schema)
{
	const struct tracefs_library *library = tracefs_library();
	const struct tep_event *event;
	struct tep_handle *tep;
	enum tep_errno ret;
	int err = -EINVAL;

	if (!library)
		return -ELIBACC;
	tep = library->alloc();
	if (!tep)
		return -ENOMEM;
	memset(schema, 0, sizeof(*schema));
	/* An event whose text it cannot make is there as well. */
	library->set_loglevel(TEP_LOG_NONE);
	ret = library->parse_event(tep, text, len, "");
	event = library->first_event(tep);
	if (event && ret != TEP_ERRNO__READ_FORMAT_FAILED && ret != TEP_ERRNO__READ_ID_FAILED)
		err = translate(event, name, args, older, schema);
	library->free(tep);
	return err;
}

int trace_schema_parse(const char *text, size_t len, const char *name, bool older,
		       struct trace_schema *schema)
{
	return parse(text, len, name, NULL, older, schema);
}

int trace_schema_parse_probe(const char *text, size_t len, const char *name,
			     const struct probe_args *args, struct trace_schema *schema)
{
	return parse(text, len, name, args, false, schema);
}

/* Names of files in tracefs: they lead nowhere else, whoever chose them. */
static bool is_file_name(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..");
}

/* name: of the event in what becomes of it; NULL: the same */
static int read_event(const char *event, const char *name, const struct probe_args *args,
		      bool older, struct trace_schema *schema)
{
	const struct tracefs_library *library = tracefs_library();
	const char *colon = strchr(event, ':');
	char system[256], *text;
	int len, err;

	if (!library)
		return -ELIBACC;
	if (!colon || (size_t)(colon - event) >= sizeof(system))
		return -ENOENT;
	snprintf(system, sizeof(system), "%.*s", (int)(colon - event), event);
	if (!is_file_name(system) || !is_file_name(colon + 1))
		return -EINVAL;
	text = library->event_file_read(NULL, system, colon + 1, "format", &len);
	if (!text)
		return errno ? -errno : -ENOENT;
	err = parse(text, len, name ? name : colon + 1, args, older, schema);
	free(text);
	if (!err && !args)
		trace_pair_find(system, colon + 1, schema);
	return err;
}

int trace_schema_read(const char *event, struct trace_schema *schema)
{
	return read_event(event, NULL, NULL, false, schema);
}

int trace_schema_read_older(const char *event, struct trace_schema *schema)
{
	return read_event(event, NULL, NULL, true, schema);
}

int trace_schema_read_probe(const char *event, const char *name, const struct probe_args *args,
			    struct trace_schema *schema)
{
	return read_event(event, name, args, false, schema);
}
