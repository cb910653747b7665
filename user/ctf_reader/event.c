/* SPDX-License-Identifier: MIT */
/*
 * event.c - an event of a CTF trace as a TraceLogging record in the log file
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guid.h"
#include "base/name_guid.h"
#include "cli/cli.h"
#include "ctf_reader.h"

#define CHANNEL		11	/* TraceLogging's */
#define NAME_MAX_LEN	1024	/* bytes of a provider's or an event's name */
#define CONTEXT_MAX	127	/* fields of the structure "context" */
#define TRUE_NAMES_MAX	(1u << 20)
#define CPUS		2048	/* each takes a buffer; events of others count as CPU 0's */
#define BUFFER_SIZE	131072	/* holds the largest event */

/* What an event's record header holds */
struct identity {
	const char *provider, *event;
	size_t provider_len, event_len;
	struct etw_guid guid, activity, related;
	bool has_activity, has_related;
	struct etw_event_descriptor desc;
	uint32_t pid, tid;
	uint16_t cpu;
	int64_t time;		/* ns since 1970 */
};

static int no_memory(void)
{
	cli_fail("out of memory");
	return -1;
}

/* ---------------------------------------------------------------------- traces */

static const char *environment(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

static int by_class_and_name(const void *a, const void *b)
{
	const struct true_name *x = a, *y = b;

	if (x->event_class != y->event_class)
		return x->event_class < y->event_class ? -1 : 1;
	return strcmp(x->legal, y->legal);
}

/* "field_CLASS_NUMBER_LEGAL" in the environment, see convert/ctf/metadata.c */
static bool parse_true_name(const char *key, const bt_value *value, struct true_name *name)
{
	int n = 0;
	unsigned long long class;

	if (!bt_value_is_string(value) || sscanf(key, "field_%llu_%*u_%n", &class, &n) != 1 || !n)
		return false;
	*name = (struct true_name){ class, key + n, bt_value_string_get(value) };
	return true;
}

static bool find_true_names(struct trace *trace)
{
	uint64_t i, count = bt_trace_get_environment_entry_count(trace->bt);
	const bt_value *value;
	const char *key;

	if (!trace->own || count > TRUE_NAMES_MAX)
		return true;
	trace->names = calloc(count + 1, sizeof(*trace->names));
	if (!trace->names)
		return false;
	for (i = 0; i < count; i++) {
		bt_trace_borrow_environment_entry_by_index_const(trace->bt, i, &key, &value);
		if (parse_true_name(key, value, &trace->names[trace->name_count]))
			trace->name_count++;
	}
	qsort(trace->names, trace->name_count, sizeof(*trace->names), by_class_and_name);
	return true;
}

const char *true_name(const struct fields *f, const char *name)
{
	const struct true_name key = { f->event_class, name, NULL }, *found = NULL;

	if (f->trace && f->trace->name_count)
		found = bsearch(&key, f->trace->names, f->trace->name_count, sizeof(key),
				by_class_and_name);
	return found ? found->name : name;
}

/* NULL: no memory. */
static struct trace *trace_of(struct writer *w, const bt_event *event)
{
	const bt_trace *bt = bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event));
	struct trace *trace;

	for (trace = w->traces; trace; trace = trace->next)
		if (trace->bt == bt)
			return trace;
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return NULL;
	/* The reference keeps the address and the strings. */
	bt_trace_get_ref(bt);
	trace->bt = bt;
	trace->tracer = environment(bt, "tracer_name");
	trace->own = !strcmp(trace->tracer, "etw");
	trace->next = w->traces;
	w->traces = trace;
	return find_true_names(trace) ? trace : NULL;
}

/* -------------------------------------------------------------------- identity */

static const bt_field *member(const bt_field *structure, const char *name, bt_field_class_type type)
{
	const bt_field *field = structure ?
		bt_field_structure_borrow_member_field_by_name_const(structure, name) : NULL;

	return field && bt_field_class_type_is(bt_field_get_class_type(field), type) ? field : NULL;
}

/* A number of the common or of the specific context; NULL: it has none of this name. */
static const bt_field *number_field(const bt_event *event, const char *name)
{
	const bt_field *field = member(bt_event_borrow_common_context_field_const(event), name,
				       BT_FIELD_CLASS_TYPE_INTEGER);

	return field ? field : member(bt_event_borrow_specific_context_field_const(event), name,
				      BT_FIELD_CLASS_TYPE_INTEGER);
}

static uint64_t number(const bt_event *event, const char *name)
{
	const bt_field *field = number_field(event, name);

	return field ? field_number(field) : 0;
}

/* LTTng's levels, from 0 (emergency) to 14 (debug), as ETW's */
static uint8_t level_of(const bt_event_class *class)
{
	bt_event_class_log_level level;

	if (bt_event_class_get_log_level(class, &level) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
		return 4;
	if (level <= 2)
		return 1;
	return level <= 4 ? (uint8_t)(level - 1) : level <= 6 ? 4 : 5;
}

/* "provider:event"; the provider of other names is the tracer. */
static void take_names(const struct trace *trace, const bt_event *event, struct identity *id)
{
	const char *name = bt_event_class_get_name(bt_event_borrow_class_const(event));
	const bt_field *label = member(bt_event_borrow_common_context_field_const(event),
				       "provider", BT_FIELD_CLASS_TYPE_ENUMERATION);
	const char *provider = trace->own && label ? field_label(label) : "";
	size_t len = strlen(provider);
	const char *colon;

	name = name ? name : "";
	colon = strchr(name, ':');
	/* Our own providers may have colons in their names. */
	if (len && !strncmp(name, provider, len) && name[len] == ':')
		colon = name + len;
	id->provider = *trace->tracer ? trace->tracer : "ctf";
	id->provider_len = strlen(id->provider);
	id->event = name;
	if (colon && colon > name && colon[1]) {
		id->provider = name;
		id->provider_len = (size_t)(colon - name);
		id->event = colon + 1;
	}
	id->event_len = strnlen(id->event, NAME_MAX_LEN);
	if (id->provider_len > NAME_MAX_LEN)
		id->provider_len = NAME_MAX_LEN;
}

/* "etw:GUID/id/version" */
static bool take_uri(const char *uri, struct etw_guid *guid)
{
	char text[37];

	if (!uri || strncmp(uri, "etw:", 4) || strlen(uri) < 40)
		return false;
	memcpy(text, uri + 4, 36);
	text[36] = '\0';
	return !etw_guid_parse(text, guid);
}

static bool take_guid(const bt_event *event, const char *name, struct etw_guid *guid)
{
	const bt_field *field = member(bt_event_borrow_specific_context_field_const(event), name,
				       BT_FIELD_CLASS_TYPE_STRING);

	return field && !etw_guid_parse(bt_field_string_get_value(field), guid);
}

/* What "etw convert" has put into the contexts */
static void take_own(const bt_event *event, struct identity *id)
{
	const bt_field *time = member(bt_event_borrow_specific_context_field_const(event), "time",
				      BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER);
	uint64_t value = time ? field_number(time) : 0;

	id->desc = (struct etw_event_descriptor){
		.id = (uint16_t)number(event, "id"),
		.version = (uint8_t)number(event, "version"),
		.channel = (uint8_t)number(event, "channel"),
		.level = (uint8_t)number(event, "level"),
		.opcode = (uint8_t)number(event, "opcode"),
		.task = (uint16_t)number(event, "task"),
		.keyword = number(event, "keyword"),
	};
	id->has_activity = take_guid(event, "activity", &id->activity);
	id->has_related = take_guid(event, "related_activity", &id->related);
	if (time)
		id->time = value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static uint16_t cpu_of(const bt_event *event)
{
	const bt_packet *packet = bt_event_borrow_packet_const(event);
	const bt_field *cpu = packet ? member(bt_packet_borrow_context_field_const(packet),
					      "cpu_id", BT_FIELD_CLASS_TYPE_INTEGER) : NULL;
	uint64_t value = cpu ? field_number(cpu) : 0;

	return value < CPUS ? (uint16_t)value : 0;
}

/* 0 without a clock, and before 1970 */
static int64_t time_of(const bt_message *message, const bt_event *event)
{
	const bt_clock_snapshot *clock;
	int64_t time = 0;

	if (!bt_stream_class_borrow_default_clock_class_const(
			bt_stream_borrow_class_const(bt_event_borrow_stream_const(event))))
		return 0;
	clock = bt_message_event_borrow_default_clock_snapshot_const(message);
	if (bt_clock_snapshot_get_ns_from_origin(clock, &time) !=
	    BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return INT64_MAX;
	return time < 0 ? 0 : time;
}

static void take_identity(const struct trace *trace, const bt_message *message,
			  const bt_event *event, struct identity *id)
{
	const bt_event_class *class = bt_event_borrow_class_const(event);

	*id = (struct identity){
		.desc = { .channel = CHANNEL, .level = level_of(class) },
		.pid = (uint32_t)number(event, number_field(event, "vpid") ? "vpid" : "pid"),
		.tid = (uint32_t)number(event, number_field(event, "vtid") ? "vtid" : "tid"),
		.cpu = cpu_of(event), .time = time_of(message, event),
	};
	take_names(trace, event, id);
	if (trace->own)
		take_own(event, id);
	/* A name that is not UTF-8 has no GUID of its own. */
	if (!(trace->own && take_uri(bt_event_class_get_emf_uri(class), &id->guid)) &&
	    etw_guid_from_name(id->provider, id->provider_len, &id->guid))
		etw_guid_from_name("ctf", 3, &id->guid);
}

/* The header event of the log file that the trace was made of: the new file has its own. */
static bool is_header(const struct identity *id)
{
	static const struct etw_guid guid = {
		0x68fdd900, 0x4a3e, 0x11d1, { 0x84, 0xf4, 0, 0, 0xf8, 0x04, 0x64, 0xe3 }
	};

	return !id->desc.id && !id->desc.opcode && !memcmp(&id->guid, &guid, sizeof(guid));
}

/* ---------------------------------------------------------------------- record */

static void put_size(struct etw_text *to)
{
	uint16_t size = (uint16_t)to->len;

	if (!to->error)
		memcpy(to->data, &size, sizeof(size));
}

/* The provider's name, and the event's with its fields, each after its size */
static int put_metadata(struct writer *w, const struct identity *id)
{
	struct etw_text *traits = &w->traits, *schema = &w->schema;

	traits->len = schema->len = 0;
	etw_text_add(traits, "\0\0", 2);
	etw_text_add(traits, id->provider, id->provider_len);
	etw_text_char(traits, '\0');
	put_size(traits);
	etw_text_add(schema, "\0\0\0", 3);
	etw_text_add(schema, id->event, id->event_len);
	etw_text_char(schema, '\0');
	if (w->fields.meta.len)
		etw_text_add(schema, w->fields.meta.data, w->fields.meta.len);
	if (w->context.count) {
		etw_text_add(schema, "context\0\x98", 9);
		etw_text_char(schema, (char)w->context.count);
		etw_text_add(schema, w->context.meta.data, w->context.meta.len);
	}
	put_size(schema);
	return traits->error ? traits->error : schema->error ? schema->error :
	       schema->len > UINT16_MAX ? -EMSGSIZE : 0;
}

static int make_room(struct writer *w, uint32_t size)
{
	uint8_t *record;

	if (size <= w->record_room)
		return 0;
	record = realloc(w->record, size);
	if (!record)
		return -ENOMEM;
	w->record = record;
	w->record_room = size;
	return 0;
}

/* The record's size, or -errno. */
static int put_record(struct writer *w, const struct identity *id)
{
	struct etw_record_extra extra = { .count = 0 };
	struct etw_record_items items = { .extra = &extra };
	const struct etw_text *fields = &w->fields.payload, *context = &w->context.payload;
	struct etw_data_descriptor data[2] = {
		{ .ptr = (uintptr_t)fields->data, .size = (uint32_t)fields->len },
		{ .ptr = (uintptr_t)context->data, .size = (uint32_t)context->len },
	};
	struct etw_record_source source = {
		.provider = &id->guid, .desc = &id->desc, .data = data, .count = 2,
		.activity = id->has_activity ? &id->activity : NULL,
		.related = id->has_related ? &id->related : NULL,
		.thread_id = id->tid, .process_id = id->pid,
		.type = ETW_TYPE_EVENT64, .flags = ETW_EVENT_NO_CPUTIME,
	};

	if (fields->len > ETW_RECORD_MAX || context->len > ETW_RECORD_MAX ||
	    !etw_record_add_extra(&extra, EVENT_HEADER_EXT_TYPE_PROV_TRAITS, w->traits.data,
				  (uint32_t)w->traits.len) ||
	    !etw_record_add_extra(&extra, EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, w->schema.data,
				  (uint32_t)w->schema.len) ||
	    etw_record_measure_items(&source, &items))
		return -EMSGSIZE;
	if (make_room(w, etw_record_slot(source.size)))
		return -ENOMEM;
	etw_record_write_items(w->record, &source, &items, (uint64_t)id->time);
	return (int)source.size;
}

/* ------------------------------------------------------------------------ file */

static int file_error(const struct writer *w, int err)
{
	cli_fail("%s: %s", cli_quote(w->path), strerror(-err));
	return -1;
}

/* The clock counts ns since 1970; at a whole unit of FILETIME both are the same moment. */
static int create_file(struct writer *w, int64_t start, const char *logger)
{
	struct etw_etl_options options = {
		.replace = w->replace, .keep = !w->replace, .buffer_size = BUFFER_SIZE, .logger = logger,
	};
	struct etw_etl_info info;
	int err;

	etw_etl_info_here(&info);
	start -= start % 100;
	info.start_clock = start;
	info.header.StartTime.QuadPart = start / 100 + ETW_UNIX_EPOCH_100NS;
	info.header.BootTime.QuadPart = 0;
	info.header.NumberOfProcessors = 1;
	options.like = &info;
	err = etw_etl_create(w->path, &options, &w->etl);
	return err ? file_error(w, err) : 0;
}

static int write_record(struct writer *w, const struct trace *trace, const struct identity *id,
			size_t size)
{
	const char *name = environment(trace->bt, "trace_name");
	int err;

	if (!w->etl && create_file(w, id->time, *name ? name : *trace->tracer ? trace->tracer : "CTF"))
		return -1;
	err = etw_etl_write(w->etl, id->cpu, w->record, size);
	if (err == -EMSGSIZE) {
		w->refused++;
		return 0;
	}
	if (err)
		return file_error(w, err);
	w->events++;
	w->last = id->time;
	return 0;
}

static int take_fields(struct writer *w, const struct trace *trace, const bt_event *event)
{
	uint64_t class = bt_event_class_get_id(bt_event_borrow_class_const(event));
	int err;

	empty_fields(&w->fields);
	empty_fields(&w->context);
	w->fields.trace = trace;
	w->fields.event_class = class;
	err = add_fields(&w->fields, bt_event_borrow_payload_field_const(event));
	/* The contexts of our own traces are in the record's header. */
	if (err || trace->own)
		return err;
	err = add_fields(&w->context, bt_event_borrow_common_context_field_const(event));
	if (!err)
		err = add_fields(&w->context, bt_event_borrow_specific_context_field_const(event));
	if (w->context.count > CONTEXT_MAX)
		empty_fields(&w->context);
	return err;
}

/* CTF has times as text, so it is no record of a loss any more; its own counts tell the loss. */
static bool is_loss(const struct identity *id)
{
	static const struct etw_guid ledger = ETW_LEDGER_GUID;

	return !memcmp(&id->guid, &ledger, sizeof(ledger));
}

int write_event(struct writer *w, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	struct trace *trace = trace_of(w, event);
	struct identity id;
	int ret;

	if (!trace)
		return no_memory();
	take_identity(trace, message, event, &id);
	if (trace->own && (is_header(&id) || is_loss(&id)))
		return 0;
	ret = take_fields(w, trace, event);
	if (!ret)
		ret = put_metadata(w, &id);
	if (!ret)
		ret = put_record(w, &id);
	if (ret == -EMSGSIZE) {
		w->refused++;
		return 0;
	}
	return ret < 0 ? no_memory() : write_record(w, trace, &id, (size_t)ret);
}

int finish_file(struct writer *w)
{
	int err;

	if (!w->etl && create_file(w, 0, "CTF"))
		return -1;
	etw_etl_lost(w->etl, w->discarded + w->refused, 0);
	err = etw_etl_finish(w->etl, (w->lost > w->last ? w->lost : w->last) / 100 +
			     ETW_UNIX_EPOCH_100NS, NULL);
	w->etl = NULL;
	return err ? file_error(w, err) : 0;
}

void free_writer(struct writer *w)
{
	struct trace *next;

	etw_etl_discard(w->etl);
	for (; w->traces; w->traces = next) {
		next = w->traces->next;
		bt_trace_put_ref(w->traces->bt);
		free(w->traces->names);
		free(w->traces);
	}
	etw_text_free(&w->fields.meta);
	etw_text_free(&w->fields.payload);
	etw_text_free(&w->context.meta);
	etw_text_free(&w->context.payload);
	etw_text_free(&w->traits);
	etw_text_free(&w->schema);
	free(w->record);
}
