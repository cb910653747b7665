/* SPDX-License-Identifier: MIT */
/*
 * metadata.c - CTF metadata in the Trace Stream Description Language (TSDL)
 *
 * Field names begin with an underscore, as LTTng's do, so that none is a keyword; readers
 * remove it.  A byte that an identifier cannot have becomes _xHH, and the environment of
 * the trace has the real name, as field_CLASS_NUMBER_NAME.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "trace.h"
#include "etl/info.h"
#include "tdh/decode/decoder.h"

void ctf_tsdl_quote(struct etw_text *to, const char *text, size_t len)
{
	struct etw_text clean = { .data = NULL };
	size_t i;

	etw_text_utf8(&clean, text, len);
	etw_text_char(to, '"');
	for (i = 0; i < clean.len; i++) {
		uint8_t c = (uint8_t)clean.data[i];

		if (c == '"' || c == '\\')
			etw_text_char(to, '\\');
		if (c == 0)
			etw_text_puts(to, "\xE2\x90\x80");
		else if (c < 0x20 || c == 0x7F)
			etw_text_printf(to, "\\%03o", c);
		else
			etw_text_char(to, (char)c);
	}
	etw_text_char(to, '"');
	if (clean.error)
		to->error = clean.error;
	etw_text_free(&clean);
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/*
 * Unique names for the members of a structure: "_2" or the like is appended to a name that
 * is taken.  legal: make identifiers of TSDL, with all other bytes as _xHH.
 */
struct names {
	struct etw_text text;		/* the last one, with a NUL */
	struct etw_interner all;
	bool legal;
};

static void put_name(struct names *names, const char *name, size_t len)
{
	size_t i;

	if (!names->legal) {
		etw_text_utf8(&names->text, name, len);
		return;
	}
	for (i = 0; i < len; i++) {
		if (is_plain(name[i]))
			etw_text_char(&names->text, name[i]);
		else
			etw_text_printf(&names->text, "_x%02X", (uint8_t)name[i]);
	}
}

/*
 * Valid until the next call; NULL: no memory.  The numbers of equal names start at how many
 * names there are, so that a thousand of them do not take a million tries.
 */
static const char *names_add(struct names *names, const char *name, size_t len)
{
	size_t end, number = 2;
	bool is_new;

	etw_text_cut(&names->text, 0);
	put_name(names, name, len);
	if (!names->text.len)
		etw_text_puts(&names->text, "unnamed");
	end = names->text.len;
	for (;;) {
		if (names->text.error ||
		    !etw_intern(&names->all, names->text.data, names->text.len, &is_new))
			return NULL;
		if (is_new)
			break;
		etw_text_cut(&names->text, end);
		etw_text_printf(&names->text, "_%zu", number);
		number = number == 2 ? names->all.table.count + 1 : number + 1;
		if (number == 2)
			number++;
	}
	etw_text_char(&names->text, '\0');
	return names->text.error ? NULL : names->text.data;
}

static void names_free(struct names *names)
{
	etw_text_free(&names->text);
	etw_interner_clear(&names->all);
}

/* CTF's log level for a level of ETW; -1: none */
static int loglevel_of(unsigned int level)
{
	static const int levels[] = { -1, 2, 3, 4, 6, 14 };

	return level < sizeof(levels) / sizeof(levels[0]) ? levels[level] : -1;
}

struct writer {
	struct etw_text *to;
	const struct ctf_shape *shape;
	uint32_t class;			/* its id */
	uint32_t extras;		/* those that are fields */
	unsigned int renamed;
	struct etw_text env;		/* real names of fields that were renamed */
};

static void indent(struct etw_text *to, unsigned int depth)
{
	while (depth--)
		etw_text_char(to, '\t');
}

static void put_integer(struct etw_text *to, const struct ctf_node *node)
{
	etw_text_printf(to, "%c%u", node->is_signed ? 's' : node->is_hex ? 'x' : 'u',
			node->size * 8u);
}

/* Is this number, which has 32 bits, among those of the field? */
static bool fits(const struct ctf_node *node, int64_t number)
{
	const unsigned int bits = node->size * 8u;

	if (bits >= 32)
		return true;
	return node->is_signed ? number >= -(INT64_C(1) << (bits - 1)) && number < INT64_C(1) << (bits - 1) :
				 !(number >> bits);
}

/*
 * Put the entries of a field's map whose number fits the field, with unique labels.  false:
 * there is none.
 */
static bool put_map(struct etw_text *to, const struct ctf_node *node)
{
	const struct etw_mf_map *map = node->map->map;
	struct names labels = { .legal = false };
	unsigned int i;
	bool any = false;

	for (i = 0; i < map->by_value_count; i++) {
		uint32_t value = map->entries[map->by_value[i]].value;
		int64_t number = node->is_signed ? (int32_t)value : (int64_t)value;
		const char *label = etw_field_map_name(node->map, value);

		if (!label || !*label || !fits(node, number))
			continue;
		label = names_add(&labels, label, strlen(label));
		if (!label)
			continue;
		etw_text_puts(to, any ? ", " : " ");
		ctf_tsdl_quote(to, label, strlen(label));
		etw_text_printf(to, " = %" PRId64, number);
		any = true;
	}
	names_free(&labels);
	return any;
}

/* A map without a named value that fits the field makes a plain integer. */
static void put_enum(struct etw_text *to, const struct ctf_node *node)
{
	size_t start = to->len;
	uint64_t most = UINT64_MAX >> (64 - 8 * node->size);
	bool any = true;

	etw_text_puts(to, "enum : ");
	put_integer(to, node);
	etw_text_puts(to, " {");
	if (node->map)
		any = put_map(to, node);
	else
		etw_text_printf(to, " \"false\" = 0, \"true\" = 1 ... %" PRIu64, most);
	if (any) {
		etw_text_puts(to, " }");
		return;
	}
	etw_text_cut(to, start);
	put_integer(to, node);
}

static void put_struct(struct writer *w, uint32_t index, unsigned int depth, bool top);

/* The type of an element or field that is not an array */
static void put_type(struct writer *w, uint32_t index, unsigned int depth)
{
	const struct ctf_node *node = &w->shape->nodes[index];

	switch (node->type) {
	case CTF_INT:
		if (node->map || node->is_bool)
			put_enum(w->to, node);
		else
			put_integer(w->to, node);
		break;
	case CTF_FLOAT:
		etw_text_puts(w->to, "f32");
		break;
	case CTF_DOUBLE:
		etw_text_puts(w->to, "f64");
		break;
	case CTF_TEXT:
		etw_text_puts(w->to, "string");
		break;
	case CTF_BYTES:	/* as an element */
		etw_text_puts(w->to, "struct { u32 __data_length; x8 _data[__data_length]; }");
		break;
	case CTF_STRUCT:
		put_struct(w, index, depth, false);
		break;
	default:
		etw_text_puts(w->to, "u8");
	}
}

/* Make a member's name, and keep the real one if it is different. */
static void add_name(struct writer *w, struct names *names, const char *name, size_t len,
		     struct etw_text *out)
{
	const char *legal = names_add(names, name, len);

	etw_text_cut(out, 0);
	if (!legal) {
		w->to->error = -ENOMEM;
		return;
	}
	etw_text_puts(out, legal);
	if (strlen(legal) == len && !memcmp(legal, name, len))
		return;
	etw_text_printf(&w->env, "env { field_%u_%u_%s = ", w->class, w->renamed++, legal);
	ctf_tsdl_quote(&w->env, name, len);
	etw_text_puts(&w->env, "; };\n");
}

/* Make a unique name for the length before an array or bytes. */
static void add_length(struct writer *w, struct names *names, const char *name, size_t len,
		       struct etw_text *out)
{
	struct etw_text plain = { .data = NULL };
	const char *legal;

	etw_text_char(&plain, '_');
	etw_text_add(&plain, name, len);
	etw_text_puts(&plain, "_length");
	legal = plain.error ? NULL : names_add(names, plain.data, plain.len);
	etw_text_cut(out, 0);
	if (legal)
		etw_text_puts(out, legal);
	else
		w->to->error = -ENOMEM;
	etw_text_free(&plain);
}

static void put_member(struct writer *w, struct names *names, uint32_t index,
		       unsigned int depth)
{
	const struct ctf_node *node = &w->shape->nodes[index];
	struct etw_text name = { .data = NULL }, length = { .data = NULL };
	bool many = node->type == CTF_ARRAY || node->type == CTF_BYTES;

	add_name(w, names, node->name, node->name_len, &name);
	indent(w->to, depth);
	if (many) {
		add_length(w, names, node->name, node->name_len, &length);
		etw_text_printf(w->to, "u32 _%s;\n", length.data ? length.data : "");
		indent(w->to, depth);
	}
	if (node->type == CTF_BYTES)
		etw_text_puts(w->to, "x8");
	else
		put_type(w, node->type == CTF_ARRAY ? node->first : index, depth);
	etw_text_printf(w->to, " _%s", name.data ? name.data : "");
	if (many)
		etw_text_printf(w->to, "[_%s]", length.data ? length.data : "");
	etw_text_puts(w->to, ";\n");
	etw_text_free(&name);
	etw_text_free(&length);
}

/* Put a sequence of integers at the top level, behind the fields. */
static void put_sequence(struct writer *w, struct names *names, const char *plain,
			 const char *type)
{
	struct etw_text name = { .data = NULL }, length = { .data = NULL };
	size_t len = strlen(plain);

	add_name(w, names, plain, len, &name);
	add_length(w, names, plain, len, &length);
	etw_text_printf(w->to, "\t\tu32 _%s;\n\t\t%s _%s[_%s];\n", length.data ? length.data : "",
			type, name.data ? name.data : "", length.data ? length.data : "");
	etw_text_free(&name);
	etw_text_free(&length);
}

static void put_struct(struct writer *w, uint32_t index, unsigned int depth, bool top)
{
	const struct ctf_shape *shape = w->shape;
	struct names names = { .legal = true };
	uint32_t child;

	etw_text_puts(w->to, "struct {\n");
	for (child = shape->nodes[index].first; child; child = shape->nodes[child].next)
		put_member(w, &names, child, depth + 1);
	if (top && shape->rest_size)
		put_sequence(w, &names, shape->node_count > 1 ? "rest" : "data", "x8");
	if (top && w->extras & 1u << CTF_EXTRA_STACK)
		put_sequence(w, &names, ctf_extra_kinds[CTF_EXTRA_STACK].name, "x64");
	indent(w->to, depth);
	etw_text_char(w->to, '}');
	names_free(&names);
}

static void put_extras(struct etw_text *to, uint32_t extras)
{
	unsigned int kind;

	if (!extras)
		return;
	etw_text_puts(to, "\tcontext := struct {\n");
	for (kind = 0; kind < CTF_EXTRA_COUNT; kind++) {
		const struct ctf_extra_kind *k = &ctf_extra_kinds[kind];

		if (!(extras & 1u << kind))
			continue;
		etw_text_puts(to, "\t\t");
		if (k->node.type == CTF_TEXT)
			etw_text_printf(to, "string _%s;\n", k->name);
		else if (k->node.is_bool)
			etw_text_printf(to, "boolean _%s;\n", k->name);
		else
			etw_text_printf(to, "u%u _%s;\n", k->node.size * 8u, k->name);
	}
	etw_text_puts(to, "\t};\n");
}

void ctf_metadata_add(struct etw_text *to, const struct ctf_class *class)
{
	struct writer w = { .to = to, .shape = class->shape, .class = class->id,
			    .extras = class->extras & CTF_EXTRAS_FIELDS };
	const EVENT_HEADER *header = &class->event->record->EventHeader;
	const EVENT_DESCRIPTOR *desc = &header->EventDescriptor;

	etw_text_puts(to, "event {\n\tname = ");
	ctf_tsdl_quote(to, class->name, strlen(class->name));
	etw_text_printf(to, ";\n\tid = %u;\n\tstream_id = 0;\n", class->id);
	if (loglevel_of(desc->Level) >= 0)
		etw_text_printf(to, "\tloglevel = %d;\n", loglevel_of(desc->Level));
	etw_text_puts(to, "\tmodel.emf.uri = \"etw:");
	etw_text_guid(to, &header->ProviderId);
	etw_text_printf(to, "/%u/%u\";\n", desc->Id, desc->Version);
	put_extras(to, class->extras & ~CTF_EXTRAS_FIELDS);
	etw_text_puts(to, "\tfields := ");
	put_struct(&w, 0, 1, true);
	etw_text_puts(to, ";\n};\n");
	if (w.env.len)
		etw_text_add(to, w.env.data, w.env.len);
	etw_text_char(to, '\n');
	if (w.env.error)
		to->error = w.env.error;
	etw_text_free(&w.env);
}

/* ------------------------------------------------------------ the whole trace */

static void put_types(struct etw_text *to)
{
	static const char signs[] = "usx";
	unsigned int i, size;

	for (i = 0; i < 3; i++)
		for (size = 8; size <= 64; size *= 2)
			etw_text_printf(to, "typealias integer { size = %u; align = 8; signed = %s; "
					"base = %u; } := %c%u;\n", size, i == 1 ? "true" : "false",
					i == 2 ? 16 : 10, signs[i], size);
	etw_text_puts(to,
		"typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := f32;\n"
		"typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;\n"
		"typealias enum : u8 { \"false\" = 0, \"true\" = 1 ... 255 } := boolean;\n\n");
}

static void put_env(struct etw_text *to, const struct ctf_trace *trace)
{
	const struct convert *c = trace->convert;
	unsigned int i;

	etw_text_puts(to, "env {\n\ttracer_name = \"etw\";\n");
	for (i = 0; i < c->source_count && i < CTF_SOURCES_MAX; i++) {
		const struct etw_etl_info *info = c->sources[i];

		if (!info)
			continue;
		etw_text_printf(to, "\tlogger_%u = ", i);
		ctf_tsdl_quote(to, info->logger, strlen(info->logger));
		etw_text_printf(to, ";\n\tlogger_%u_start = \"", i);
		etw_text_time(to, (uint64_t)info->header.StartTime.QuadPart);
		etw_text_printf(to, "\";\n\tlogger_%u_cpus = %u;\n", i,
				info->header.NumberOfProcessors);
	}
	etw_text_printf(to, "\tlost_events = \"%" PRIu64 "\";\n\tlost_buffers = \"%" PRIu64
			"\";\n};\n\n", c->lost_events, c->lost_buffers);
}

static void put_stream(struct etw_text *to, const struct ctf_trace *trace)
{
	etw_text_puts(to,
		"stream {\n\tid = 0;\n\tpacket.context := struct {\n"
		"\t\tclocked timestamp_begin;\n\t\tclocked timestamp_end;\n"
		"\t\tu64 content_size;\n\t\tu64 packet_size;\n\t\tu64 packet_seq_num;\n"
		"\t\tu64 events_discarded;\n\t\tu32 cpu_id;\n\t};\n"
		"\tevent.header := struct { u32 id; clocked timestamp; };\n"
		"\tevent.context := struct {\n\t\tenum : u32 {");
	etw_text_add(to, trace->providers->len ? trace->providers->data : "",
		     trace->providers->len);
	/* An enumeration must not be empty. */
	etw_text_puts(to, trace->providers->len ? "\n\t\t} _provider;\n" :
		      " \"\" = 0 } _provider;\n");
	etw_text_puts(to,
		"\t\tu16 _id;\n\t\tu8 _version;\n\t\tu8 _channel;\n\t\tu8 _level;\n"
		"\t\tu8 _opcode;\n\t\tu16 _task;\n\t\tx64 _keyword;\n\t\tu32 _pid;\n"
		"\t\tu32 _tid;\n\t};\n};\n\n");
}

void ctf_metadata_write(struct etw_text *to, const struct ctf_trace *trace)
{
	etw_text_puts(to, "/* CTF 1.8 */\n\n");
	put_types(to);
	etw_text_puts(to,
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
		"\tpacket.header := struct { u32 magic; u32 stream_id; "
		"u64 stream_instance_id; };\n};\n\n");
	put_env(to, trace);
	etw_text_puts(to,
		"clock {\n\tname = wall;\n\tdescription = \"UTC, in nanoseconds since 1970\";\n"
		"\tfreq = 1000000000;\n\tprecision = 1;\n\toffset_s = 0;\n\toffset = 0;\n"
		"\tabsolute = true;\n};\n"
		"typealias integer { size = 64; align = 8; signed = false; "
		"map = clock.wall.value; } := clocked;\n\n");
	put_stream(to, trace);
	if (trace->classes->len)
		etw_text_add(to, trace->classes->data, trace->classes->len);
}
