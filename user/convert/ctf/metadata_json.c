/* SPDX-License-Identifier: MIT */
/*
 * metadata_json.c - metadata of CTF 2: a JSON text sequence (RFC 7464)
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "ctf.h"
#include "etl/info.h"

#define RS	0x1E	/* before each JSON text */

struct writer {
	struct etw_text *to;
	const struct ctf_shape *shape;
	uint32_t extras;		/* that are fields */
};

#define ADDRESSES	UINT32_MAX	/* put_many(): elements of no shape */

static void put_string(struct etw_text *to, const char *s)
{
	etw_text_json_string(to, s, strlen(s));
}

/* The beginning of a class of numbers */
static void put_number(struct etw_text *to, const char *type, unsigned int bits)
{
	etw_text_printf(to, "{\"type\":\"fixed-length-%s\",\"length\":%u,"
			"\"byte-order\":\"little-endian\",\"alignment\":8", type, bits);
}

/* role: of CTF 2, or "x": it is shown in hexadecimal */
static void put_unsigned(struct etw_text *to, unsigned int bits, const char *role)
{
	put_number(to, "unsigned-integer", bits);
	if (role && *role == 'x')
		etw_text_puts(to, ",\"preferred-display-base\":16");
	else if (role)
		etw_text_printf(to, ",\"roles\":[\"%s\"]", role);
	etw_text_char(to, '}');
}

static void put_entry(struct etw_text *to, int64_t number, const char *label, bool first)
{
	etw_text_puts(to, first ? ",\"mappings\":{" : ",");
	put_string(to, label);
	etw_text_printf(to, ":[[%" PRId64 ",%" PRId64 "]]", number, number);
}

static void put_integer(struct etw_text *to, const struct ctf_node *node)
{
	if (node->is_bool && !node->map) {
		put_number(to, "boolean", node->size * 8u);
		etw_text_char(to, '}');
		return;
	}
	put_number(to, node->is_signed ? "signed-integer" : "unsigned-integer", node->size * 8u);
	if (node->is_hex)
		etw_text_puts(to, ",\"preferred-display-base\":16");
	if (node->map && ctf_map_each(to, node, put_entry))
		etw_text_char(to, '}');
	etw_text_char(to, '}');
}

/* A location within the structure that the field is in */
static void put_length_of(struct etw_text *to, const char *name)
{
	etw_text_puts(to, "\"length-field-location\":{\"path\":[");
	put_string(to, name);
	etw_text_puts(to, "]}}");
}

static void put_member_begin(struct etw_text *to, bool *begun, const char *name)
{
	if (*begun)
		etw_text_char(to, ',');
	*begun = true;
	etw_text_puts(to, "{\"name\":");
	put_string(to, name);
	etw_text_puts(to, ",\"field-class\":");
}

static void put_blob(struct etw_text *to, const char *length)
{
	etw_text_puts(to, "{\"type\":\"dynamic-length-blob\",");
	put_length_of(to, length);
}

static void put_struct(struct writer *w, uint32_t index, bool top);

static void put_class(struct writer *w, uint32_t index)
{
	const struct ctf_node *node = &w->shape->nodes[index];
	bool begun = false;

	switch (node->type) {
	case CTF_INT:
		put_integer(w->to, node);
		break;
	case CTF_FLOAT:
	case CTF_DOUBLE:
		put_number(w->to, "floating-point-number", node->type == CTF_FLOAT ? 32 : 64);
		etw_text_char(w->to, '}');
		break;
	case CTF_TEXT:
		etw_text_puts(w->to, "{\"type\":\"null-terminated-string\"}");
		break;
	case CTF_BYTES:	/* as an element */
		etw_text_puts(w->to, "{\"type\":\"structure\",\"member-classes\":[");
		put_member_begin(w->to, &begun, "_data_length");
		put_unsigned(w->to, 32, NULL);
		etw_text_char(w->to, '}');
		put_member_begin(w->to, &begun, "data");
		put_blob(w->to, "_data_length");
		etw_text_puts(w->to, "}]}");
		break;
	case CTF_STRUCT:
		put_struct(w, index, false);
		break;
	default:
		put_unsigned(w->to, 8, NULL);
	}
}

/* Names of a field that has a length, and of that, in two texts */
struct pair {
	struct etw_text name, length;
};

static bool name_pair(struct ctf_names *names, const char *name, size_t len, struct pair *pair)
{
	const char *unique = ctf_names_add(names, name, len);

	if (!unique)
		return false;
	etw_text_puts(&pair->name, unique);
	etw_text_char(&pair->length, '_');
	etw_text_add(&pair->length, name, len);
	etw_text_puts(&pair->length, "_length");
	unique = pair->length.error ? NULL :
		 ctf_names_add(names, pair->length.data, pair->length.len);
	if (!unique)
		return false;
	etw_text_cut(&pair->length, 0);
	etw_text_puts(&pair->length, unique);
	return !pair->name.error && !pair->length.error;
}

/* Bytes, or an array if element is not 0: of it, or of ADDRESSES. */
static void put_many(struct writer *w, struct ctf_names *names, bool *begun, const char *name,
		     size_t len, uint32_t element)
{
	struct pair pair = { .name = { .data = NULL } };

	if (name_pair(names, name, len, &pair)) {
		put_member_begin(w->to, begun, pair.length.data);
		put_unsigned(w->to, 32, NULL);
		etw_text_char(w->to, '}');
		put_member_begin(w->to, begun, pair.name.data);
		if (element) {
			etw_text_puts(w->to, "{\"type\":\"dynamic-length-array\","
					     "\"element-field-class\":");
			if (element == ADDRESSES)
				put_unsigned(w->to, 64, "x");
			else
				put_class(w, element);
			etw_text_char(w->to, ',');
			put_length_of(w->to, pair.length.data);
		} else {
			put_blob(w->to, pair.length.data);
		}
		etw_text_char(w->to, '}');
	} else {
		w->to->error = -ENOMEM;
	}
	etw_text_free(&pair.name);
	etw_text_free(&pair.length);
}

static void put_struct(struct writer *w, uint32_t index, bool top)
{
	const struct ctf_shape *shape = w->shape;
	struct ctf_names names = { .count = 0 };
	bool begun = false;
	uint32_t child;

	ctf_names_begin(&names, false);
	etw_text_puts(w->to, "{\"type\":\"structure\",\"member-classes\":[");
	for (child = shape->nodes[index].first; child; child = shape->nodes[child].next) {
		const struct ctf_node *node = &shape->nodes[child];
		const char *name;

		if (node->type == CTF_ARRAY || node->type == CTF_BYTES) {
			put_many(w, &names, &begun, node->name, node->name_len,
				 node->type == CTF_ARRAY ? node->first : 0);
			continue;
		}
		name = ctf_names_add(&names, node->name, node->name_len);
		if (!name) {
			w->to->error = -ENOMEM;
			break;
		}
		put_member_begin(w->to, &begun, name);
		put_class(w, child);
		etw_text_char(w->to, '}');
	}
	if (top && shape->rest_size)
		put_many(w, &names, &begun, shape->node_count > 1 ? "rest" : "data", 4, 0);
	if (top && w->extras & 1u << CTF_EXTRA_STACK) {
		const char *name = ctf_extra_kinds[CTF_EXTRA_STACK].name;

		put_many(w, &names, &begun, name, strlen(name), ADDRESSES);
	}
	etw_text_puts(w->to, "]}");
	ctf_names_free(&names);
}

static void put_extra(struct etw_text *to, const struct ctf_extra_kind *kind, bool *begun)
{
	put_member_begin(to, begun, kind->name);
	if (kind->node.type == CTF_TEXT)
		etw_text_puts(to, "{\"type\":\"null-terminated-string\"}");
	else
		put_integer(to, &kind->node);
	etw_text_char(to, '}');
}

static void put_extras(struct etw_text *to, uint32_t extras)
{
	bool begun = false;
	unsigned int kind;

	etw_text_puts(to, ",\"specific-context-field-class\":"
			  "{\"type\":\"structure\",\"member-classes\":[");
	for (kind = 0; kind < CTF_EXTRA_COUNT; kind++)
		if (extras & 1u << kind)
			put_extra(to, &ctf_extra_kinds[kind], &begun);
	etw_text_puts(to, "]}");
}

static void put_attributes(struct etw_text *to, const struct ctf_class *class)
{
	static const char *const levels[] = {
		NULL, "critical", "error", "warning", "info", "debug"
	};
	const EVENT_HEADER *header = &class->event->record->EventHeader;
	const EVENT_DESCRIPTOR *desc = &header->EventDescriptor;

	etw_text_puts(to, ",\"attributes\":{\"etw\":{\"provider\":\"");
	etw_text_guid(to, &header->ProviderId);
	etw_text_printf(to, "\",\"id\":%u,\"version\":%u}", desc->Id, desc->Version);
	if (ctf_loglevel(desc->Level) >= 0)
		etw_text_printf(to, ",\"babeltrace.org,2020\":{\"log-level\":\"%s\"}",
				levels[desc->Level]);
	etw_text_char(to, '}');
}

static void add(struct etw_text *to, const struct ctf_class *class)
{
	struct writer w = { .to = to, .shape = class->shape,
			    .extras = class->extras & CTF_EXTRAS_FIELDS };

	etw_text_char(to, RS);
	etw_text_printf(to, "{\"type\":\"event-record-class\",\"data-stream-class-id\":0,"
			"\"id\":%u,\"name\":", class->id);
	put_string(to, class->name);
	put_attributes(to, class);
	if (class->extras & ~CTF_EXTRAS_FIELDS)
		put_extras(to, class->extras & ~CTF_EXTRAS_FIELDS);
	etw_text_puts(to, ",\"payload-field-class\":");
	put_struct(&w, 0, true);
	etw_text_puts(to, "}\n");
}

/* ------------------------------------------------------------ the whole trace */

static void put_environment(struct etw_text *to, const struct convert *c)
{
	unsigned int i;

	etw_text_puts(to, ",\"environment\":{\"tracer_name\":\"etw\"");
	for (i = 0; i < c->source_count && i < CTF_SOURCES_MAX; i++) {
		const struct etw_etl_info *info = c->sources[i];

		if (!info)
			continue;
		etw_text_printf(to, ",\"logger_%u\":", i);
		put_string(to, info->logger);
		etw_text_printf(to, ",\"logger_%u_start\":\"", i);
		etw_text_time(to, (uint64_t)info->header.StartTime.QuadPart);
		etw_text_printf(to, "\",\"logger_%u_cpus\":%u", i, info->header.NumberOfProcessors);
	}
	etw_text_printf(to, ",\"lost_events\":\"%" PRIu64 "\",\"lost_buffers\":\"%" PRIu64 "\"}",
			c->lost_events, c->lost_buffers);
}

struct member {
	const char *name;
	uint8_t bits;
	const char *role;
};

static void put_members(struct etw_text *to, const struct member *members, unsigned int count,
			bool begun)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		put_member_begin(to, &begun, members[i].name);
		put_unsigned(to, members[i].bits, members[i].role);
		etw_text_char(to, '}');
	}
	etw_text_puts(to, "]}");
}

#define STRUCT(key)	",\"" key "\":{\"type\":\"structure\",\"member-classes\":["
#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static void put_trace_class(struct etw_text *to, const struct convert *c)
{
	static const struct member header[] = {
		{ "magic", 32, "packet-magic-number" },
		{ "stream_id", 32, "data-stream-class-id" },
		{ "stream_instance_id", 64, "data-stream-id" },
	};

	etw_text_printf(to, "%c{\"type\":\"preamble\",\"version\":2}\n%c{\"type\":\"trace-class\"",
			RS, RS);
	put_environment(to, c);
	etw_text_puts(to, STRUCT("packet-header-field-class"));
	put_members(to, header, COUNT(header), false);
	etw_text_puts(to, "}\n");
}

static void put_clock(struct etw_text *to)
{
	etw_text_printf(to, "%c{\"type\":\"clock-class\",\"id\":\"wall\",\"name\":\"wall\","
			"\"description\":\"UTC, in nanoseconds since 1970\","
			"\"frequency\":1000000000,\"precision\":1,\"origin\":\"unix-epoch\"}\n",
			RS);
}

static void put_providers(struct etw_text *to, const struct ctf_trace *trace)
{
	uint32_t i;

	etw_text_puts(to, "{\"name\":\"provider\",\"field-class\":");
	put_number(to, "unsigned-integer", 32);
	for (i = 0; i < trace->provider_count; i++) {
		etw_text_puts(to, i ? "," : ",\"mappings\":{");
		put_string(to, trace->providers[i]);
		etw_text_printf(to, ":[[%u,%u]]", i, i);
	}
	etw_text_puts(to, i ? "}}}" : "}}");
}

static void put_stream_class(struct etw_text *to, const struct ctf_trace *trace)
{
	static const struct member packet[] = {
		{ "timestamp_begin", 64, "default-clock-timestamp" },
		{ "timestamp_end", 64, "packet-end-default-clock-timestamp" },
		{ "content_size", 64, "packet-content-length" },
		{ "packet_size", 64, "packet-total-length" },
		{ "packet_seq_num", 64, "packet-sequence-number" },
		{ "events_discarded", 64, "discarded-event-record-counter-snapshot" },
		{ "cpu_id", 32, NULL },
	}, header[] = {
		{ "id", 32, "event-record-class-id" },
		{ "timestamp", 64, "default-clock-timestamp" },
	}, context[] = {
		{ "id", 16, NULL }, { "version", 8, NULL }, { "channel", 8, NULL },
		{ "level", 8, NULL }, { "opcode", 8, NULL }, { "task", 16, NULL },
		{ "keyword", 64, "x" }, { "pid", 32, NULL }, { "tid", 32, NULL },
	};

	etw_text_printf(to, "%c{\"type\":\"data-stream-class\",\"id\":0,"
			"\"default-clock-class-id\":\"wall\"", RS);
	etw_text_puts(to, STRUCT("packet-context-field-class"));
	put_members(to, packet, COUNT(packet), false);
	etw_text_puts(to, STRUCT("event-record-header-field-class"));
	put_members(to, header, COUNT(header), false);
	etw_text_puts(to, STRUCT("event-record-common-context-field-class"));
	put_providers(to, trace);
	put_members(to, context, COUNT(context), true);
	etw_text_puts(to, "}\n");
}

static void write_all(struct etw_text *to, const struct ctf_trace *trace)
{
	put_trace_class(to, trace->convert);
	put_clock(to);
	put_stream_class(to, trace);
	if (trace->classes->len)
		etw_text_add(to, trace->classes->data, trace->classes->len);
}

const struct ctf_dialect ctf_json = { .add = add, .write = write_all };
