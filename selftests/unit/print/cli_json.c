/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_json.c - events as lines of JSON: every line parses, has only the members that
 * etw-dump(1) describes, of their types, and all that each event has
 */
#include "cli_print.h"
#include "cli_print_manifest.h"

#define ALWAYS	true

static const struct {
	const char *key;
	enum json_type type;
	bool always;
	bool or_null;
} members[] = {
	{ "time", json_type_string, ALWAYS, false },
	{ "timestamp", json_type_int, ALWAYS, false },
	{ "provider", json_type_string, ALWAYS, false },
	{ "provider_name", json_type_string, ALWAYS, true },
	{ "id", json_type_int, ALWAYS, false },
	{ "version", json_type_int, ALWAYS, false },
	{ "channel", json_type_int, ALWAYS, false },
	{ "level", json_type_int, ALWAYS, false },
	{ "opcode", json_type_int, ALWAYS, false },
	{ "task", json_type_int, ALWAYS, false },
	{ "keyword", json_type_string, ALWAYS, false },
	{ "pid", json_type_int, ALWAYS, false },
	{ "tid", json_type_int, ALWAYS, false },
	{ "cpu", json_type_int, ALWAYS, false },
	{ "mode", json_type_string, false, false },
	{ "process_name", json_type_string, false, false },
	{ "process_path", json_type_string, false, false },
	{ "thread_name", json_type_string, false, false },
	{ "activity", json_type_string, false, false },
	{ "related", json_type_string, false, false },
	{ "sid", json_type_string, false, false },
	{ "login_session", json_type_int, false, false },
	{ "app", json_type_string, false, false },
	{ "container", json_type_string, false, false },
	{ "pid_namespace", json_type_object, false, false },
	{ "given_time", json_type_string, false, false },
	{ "context", json_type_object, false, false },
	{ "process_start_key", json_type_string, false, false },
	{ "event_key", json_type_string, false, false },
	{ "stack", json_type_array, false, false },
	{ "event_schema", json_type_object, false, false },
	{ "provider_traits", json_type_object, false, false },
	{ "control_guid", json_type_string, false, false },
	{ "instance", json_type_object, false, false },
	{ "level_name", json_type_string, false, false },
	{ "channel_name", json_type_string, false, false },
	{ "task_name", json_type_string, false, false },
	{ "opcode_name", json_type_string, false, false },
	{ "keyword_names", json_type_array, false, false },
	{ "attributes", json_type_string, false, false },
	{ "tags", json_type_string, false, false },
	{ "schema", json_type_string, ALWAYS, true },
	{ "event", json_type_string, ALWAYS, true },
	{ "fields", json_type_object, false, false },
	{ "truncated", json_type_boolean, false, false },
	{ "data", json_type_string, false, false },
	{ "rest", json_type_string, false, false },
	{ "message", json_type_string, false, false },
};

#define MEMBERS	(sizeof(members) / sizeof(members[0]))

static bool is_member(const char *key, struct json_object *value)
{
	size_t i;

	for (i = 0; i < MEMBERS; i++)
		if (!strcmp(members[i].key, key))
			return value ? json_object_get_type(value) == members[i].type :
				       members[i].or_null;
	return false;
}

/* The event as an object with checked members; NULL: the line is not an object. */
static struct json_object *object_of(struct sample *s)
{
	static struct json_object *object;
	struct json_tokener *tokener = json_tokener_new();
	const char *line = print(s, event_print_json);
	size_t i, had = 0, len = strlen(line);
	bool good = true;

	json_object_put(object);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, line, (int)len - 1);
	good = object && json_object_is_type(object, json_type_object) &&
	       json_tokener_get_parse_end(tokener) == len - 1 && line[len - 1] == '\n';
	json_tokener_free(tokener);
	if (good) {
		json_object_object_foreach(object, key, value) {
			if (!is_member(key, value)) {
				printf("# %s is not described\n", key);
				good = false;
			}
		}
	}
	for (i = 0; good && i < MEMBERS; i++) {
		had = json_object_object_get_ex(object, members[i].key, NULL);
		if (members[i].always && !had) {
			printf("# there is no %s\n", members[i].key);
			good = false;
		}
	}
	if (!good)
		printf("# %s", line);
	return good ? object : NULL;
}

/* The member of this name has this value as JSON; NULL: the member is absent. */
static void has(struct json_object *object, const char *key, const char *want)
{
	struct json_object *value = NULL;
	bool there = json_object_object_get_ex(object, key, &value);
	const char *got = there ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
						JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;

	if (!ok(want ? got && !strcmp(got, want) : !got, "%s: %s", key, want ? want : "none"))
		printf("# got %s\n", got ? got : "none");
}

static void test_unknown(struct sample *s)
{
	struct json_object *o;

	begin(s, &nobody, 65535);
	s->header.desc = (struct etw_event_descriptor){ .id = 65535, .version = 255, .level = 200,
							.keyword = UINT64_MAX };
	s->header.timestamp = INT64_MAX;
	s->header.process_id = UINT32_MAX;
	add(s, "\0\xff", 2);
	o = object_of(s);
	if (!ok(o, "an event without a schema"))
		return;
	has(o, "time", "\"1970-01-01T00:00:00.0000000Z\"");
	has(o, "timestamp", "9223372036854775807");
	has(o, "provider", "\"" NOBODY "\"");
	has(o, "provider_name", "null");
	has(o, "keyword", "\"0xffffffffffffffff\"");
	has(o, "pid", "4294967295");
	has(o, "mode", NULL);
	has(o, "level_name", NULL);
	has(o, "event", "null");
	s->header.flags |= ETW_EVENT_KERNEL_MODE;
	has(object_of(s), "mode", "\"kernel\"");
	s->header.flags ^= ETW_EVENT_KERNEL_MODE | ETW_EVENT_USER_MODE;
	o = object_of(s);
	has(o, "mode", "\"user\"");
	has(o, "schema", "null");
	has(o, "data", "\"00ff\"");
	has(o, "fields", NULL);
	has(o, "message", NULL);
}

/* u64 Big, i32 Less, f64 Half, bool Yes, GUID Id, str16 Wide, u16 List[], struct S { u8 A } */
#define ALL	"\x02" "All\0" "Big\0\x0a" "Less\0\x07" "Half\0\x0c" "Yes\0\x0d" "Id\0\x0f"	\
		"Wide\0\x01" "List\0\x46" "S\0\x98\x01" "A\0\x04"

static void test_tracelogging(struct sample *s)
{
	const uint64_t big = UINT64_MAX;
	const int32_t less = -5;
	const double half = 0.5;
	struct json_object *o;

	begin(s, &nobody, 0);
	add_traits(s, "My-Provider");
	add_schema(s, ALL, sizeof(ALL) - 1);
	s->header.desc.level = 5;
	add(s, &big, 8);
	add(s, &less, 4);
	add(s, &half, 8);
	add_u32(s, 1);
	add(s, &nobody, 16);
	add(s, u"\u00fc\"\n", 8);
	add(s, "\2\0\1\0\2\0", 6);
	add(s, "\7", 1);
	o = object_of(s);
	if (!ok(o, "TraceLogging"))
		return;
	has(o, "schema", "\"tracelogging\"");
	has(o, "event", "\"All\"");
	has(o, "provider_name", "\"My-Provider\"");
	has(o, "level_name", "\"verbose\"");
	has(o, "channel", "11");
	has(o, "fields", "{\"Big\":18446744073709551615,\"Less\":-5,\"Half\":0.5,\"Yes\":true,\"Id\":\""
	    NOBODY "\",\"Wide\":\"\xc3\xbc\\\"\\n\",\"List\":[1,2],\"S\":{\"A\":7}}");
	has(o, "tags", "\"0x400000\"");
	has(o, "opcode_name", NULL);
	s->header.desc.opcode = 2;
	o = object_of(s);
	has(o, "event", "\"All/Stop\"");
	has(o, "opcode_name", "\"Stop\"");
	s->header.desc.opcode = 0;
	o = object_of(s);
	has(o, "rest", NULL);
	has(o, "truncated", NULL);
	add(s, "x", 1);
	has(object_of(s), "rest", "\"78\"");
	s->len = 10;
	o = object_of(s);
	if (!ok(o, "one cut short"))
		return;
	has(o, "truncated", "true");
	has(o, "fields", "{\"Big\":18446744073709551615}");
	has(o, "rest", "\"fbff\"");
	s->printer.hex = true;
	o = object_of(s);
	s->printer.hex = false;
	if (!ok(o, "its bytes by wish"))
		return;
	has(o, "data", "\"fffffffffffffffffbff\"");
	has(o, "event", "null");
}

static void test_source(struct sample *s)
{
	struct json_object *o;

	begin(s, &nobody, 1);
	s->header.activity.data1 = 1;
	s->printer.processes = &named;
	process_is = "a \"b\" \x1b\xff";
	thread_is = "worker";
	path_is = "/bin/\"a\"";
	add_item(s, ETW_EXT_RELATED_ACTIVITY, &nobody, 16);
	add_item(s, ETW_EXT_SID, "\1\2\0\0\0\0\0\x16\1\0\0\0\xe8\3\0\0", 16);
	add_item(s, ETW_EXT_TS_ID, "\7\0\0\0", 4);
	add_item(s, ETW_EXT_PROCESS_START_KEY, "\1\0\0\0\0\0\0\x80", 8);
	add_item(s, ETW_EXT_EVENT_KEY, "\2\0\0\0\0\0\0\0", 8);
	add_item(s, ETW_EXT_PSM_KEY, "a\0\0", 4);
	add_item(s, ETW_EXT_CONTAINER_ID, "/\x9b\"", 4);
	add_item(s, ETW_EXT_STACK_TRACE64, "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16);
	add_item(s, ETW_EXT_STACK_TRACE32, "\0\0\0\0\0\0\0\0\1\0\0\0", 12);
	add_item(s, ETW_EXT_PID_NAMESPACE, "\1\0\0\0\2\0\0\0\3\0\0\0\0\0\0\0", 16);
	add_item(s, ETW_EXT_GIVEN_TIME, "\3\0\0\0\0\0\0\0", 8);
	add_item(s, ETW_EXT_CONTEXT, "\2\5\1\0\0\0\0\0", 8);
	add_item(s, ETW_EXT_CONTROL_GUID, &nobody, 16);
	add_item(s, ETW_EXT_INSTANCE_INFO, "\1\0\0\0\2\0\0\0xxxxxxxxxxxxxxxx", 24);
	add_item(s, ETW_EXT_SID, "\1\0", 2);
	o = object_of(s);
	s->printer.processes = NULL;
	if (!ok(o, "all that is known of the writer"))
		return;
	has(o, "process_name", "\"a \\\"b\\\" \\u001b\xef\xbf\xbd\"");
	has(o, "process_path", "\"/bin/\\\"a\\\"\"");
	has(o, "thread_name", "\"worker\"");
	has(o, "activity", "\"00000001-0000-0000-0000-000000000000\"");
	has(o, "sid", "\"S-1-22-1-1000\"");
	has(o, "process_start_key", "\"0x8000000000000001\"");
	has(o, "container", "\"/\xef\xbf\xbd\\\"\"");
	has(o, "stack", "[\"0x1\"]");
	has(o, "given_time", "\"0x3\"");
	has(o, "context", "{\"type\":\"hardirq\",\"over\":\"softirq\",\"irqs_off\":true,"
	    "\"bh_off\":false,\"preempt_depth\":1}");
	has(o, "pid_namespace", "{\"pid\":1,\"tid\":2,\"namespace\":3}");
}

static void test_string(struct sample *s)
{
	struct json_object *o;

	begin(s, &nobody, 0);
	s->header.flags = ETW_EVENT_STRING_ONLY;
	add(s, u"u\u00fc\n", 8);
	o = object_of(s);
	if (!ok(o, "a string event"))
		return;
	has(o, "schema", "\"string\"");
	has(o, "event", "\"String\"");
	has(o, "fields", "{\"message\":\"u\xc3\xbc\\n\"}");
}

static void test_manifest(struct sample *s)
{
	struct json_object *o;

	begin_known(s, 1, 1, u"/a", 3);
	o = object_of(s);
	if (!ok(o, "an event of a manifest"))
		return;
	has(o, "schema", "\"manifest\"");
	has(o, "provider_name", "\"Known-Provider\"");
	has(o, "event", "\"Opened\"");
	has(o, "level_name", "\"error\"");
	has(o, "channel_name", NULL);
	has(o, "opcode_name", NULL);
	has(o, "keyword_names", "[\"Read\",\"Write\"]");
	has(o, "fields", "{\"Op\":\"write\",\"Path\":\"/a\"}");
	has(o, "message", "\"/a was opened for \\\"write\\\"\\n.\"");
	begin_known(s, 2, 9, u"/a", 3);
	o = object_of(s);
	if (!ok(o, "one by its task"))
		return;
	has(o, "event", "\"Disk/Spin\"");
	has(o, "task_name", "\"Disk\"");
	has(o, "opcode_name", "\"Spin\"");
	has(o, "level_name", "\"Loud\"");
	has(o, "fields", "{\"Op\":9,\"Path\":\"/a\"}");
	has(o, "message", NULL);
	begin_known(s, 14, 9, u"/a", 3);
	o = object_of(s);
	if (!ok(o, "one whose channel and opcode are 0 by name"))
		return;
	has(o, "channel_name", "\"TraceClassic\"");
	has(o, "opcode_name", "\"Info\"");
	begin_known(s, 2, 9, u"/a", 3);
	s->header.desc.version = 9;
	o = object_of(s);
	if (!ok(o, "a version that is not in it"))
		return;
	has(o, "schema", "null");
	has(o, "provider_name", "\"Known-Provider\"");
	has(o, "task_name", "\"Disk\"");
}

/* With any bytes in names and strings, a line parses and contains no control characters. */
static void test_hostile(struct sample *s)
{
	unsigned int byte, bad = 0;
	const char *line;
	char schema[16], name[8];

	for (byte = 1; byte < 256; byte++) {
		begin(s, &nobody, 0);
		snprintf(name, sizeof(name), "P%cx", byte);
		add_traits(s, name);
		memcpy(schema, "\0E_x\0F_x\0\x02", 11);
		schema[2] = schema[6] = (char)byte;
		add_schema(s, schema, 10);
		add(s, &byte, 1);
		add(s, "", 1);
		bad += !object_of(s);
		for (line = print(s, event_print_json); line[1]; line++)
			bad += (unsigned char)*line < 0x20 || *line == 0x7f;
	}
	is(bad, 0, "bytes of all values in names and strings");
}

int main(void)
{
	static struct sample sample;
	struct etw_manifest *manifest = load_manifest();

	test_unknown(&sample);
	test_tracelogging(&sample);
	test_source(&sample);
	test_string(&sample);
	test_manifest(&sample);
	test_hostile(&sample);
	unload_manifest(manifest);
	test_kinds(&sample, "lines of JSON do not depend on the events before", event_print_json);
	event_printer_free(&sample.printer);
	return done_testing();
}
