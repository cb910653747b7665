// SPDX-License-Identifier: MIT
/* etw convert --to chrome: read back with json-c */
#include "convert_test.h"

#include <json-c/json.h>

static struct json_object *trace, *events;

static struct json_object *member(struct json_object *of, const char *name)
{
	struct json_object *found = NULL;

	json_object_object_get_ex(of, name, &found);
	return found;
}

static const char *text(struct json_object *of, const char *name)
{
	const char *s = json_object_get_string(member(of, name));

	return s ? s : "";
}

static bool parse(const struct converted *got)
{
	struct json_tokener *tokener = json_tokener_new();

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	trace = json_tokener_parse_ex(tokener, got->data, (int)got->len);
	if (!trace)
		printf("# %s at %zu\n", json_tokener_error_desc(json_tokener_get_error(tokener)),
		       json_tokener_get_parse_end(tokener));
	json_tokener_free(tokener);
	events = member(trace, "traceEvents");
	return json_object_is_type(events, json_type_array);
}

/* The n-th event of a phase, from 0 */
static struct json_object *event(char phase, unsigned int n)
{
	size_t i;

	for (i = 0; i < json_object_array_length(events); i++) {
		struct json_object *e = json_object_array_get_idx(events, i);

		if (text(e, "ph")[0] == phase && !n--)
			return e;
	}
	return NULL;
}

static unsigned int count(char phase)
{
	unsigned int n = 0;

	while (event(phase, n))
		n++;
	return n;
}

static void says(char phase, unsigned int n, const char *want, const char *name)
{
	const char *got = json_object_to_json_string_ext(event(phase, n), JSON_C_TO_STRING_PLAIN |
							 JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!ok(got && strstr(got, want), "%s", name))
		printf("# got  %s\n# want %s\n", got, want);
}

static const struct etw_guid one = { 0xA1, 0, 0, { 1 } }, two = { 0xA2, 0, 0, { 2 } };

static const uint64_t stack[] = { 0, 0xffff800000001234, 0x5678 };

static const struct spec specs[] = {
	{ 1234, "Pro", "Work", 10, 11, &one, .task = 1, .opcode = 1,
	  .field = "In", .value = "x", .value_len = 1 },
	{ 2000, "Pro", "Step", 10, 11, &two, &one, .task = 2, .opcode = 1 },
	{ 3000, "Pro", "Point", 10, 11, .stack = stack, .stack_len = sizeof(stack),
	  .field = "Name", .value = "a\"b\0\xff\x1b", .value_len = 6 },
	{ 4000, "Pro", "StepDone", 10, 11, &two, .task = 2, .opcode = 2 },
	{ 5000, "Pro", "WorkDone", 10, 11, &one, .task = 1, .opcode = 2,
	  .field = "Out", .value = "y", .value_len = 1 },
	{ 6000, "Pro", "Moves", 10, 11, &one, .task = 1, .opcode = 1 },
	{ 7000, "Pro", "Moved", 10, 12, &one, .task = 1, .opcode = 2 },
	{ 8000, "Pro", "Never", 10, 13, &two, .task = 1, .opcode = 1 },
	{ 8100, "Pro", "Issue", 10, 13, .task = 3, .opcode = 1,
	  .field = "Where", .value = "sector 7", .value_len = 8 },
	{ 8200, "Pro", "Complete", 0, 0, .task = 3, .opcode = 2,
	  .field = "Where", .value = "sector 7", .value_len = 8 },
	{ 9000, "P\"\\\xc0\xaf", "n\n\x01\xff\",\"args\":{\"etw\":", 0xffffffff, 0xffffffff,
	  .opcode = 0 },
};

static void test_slices(void)
{
	says('B', 0, "\"ts\":2.000,", "the inner slice begins");
	says('B', 0, "\"pid\":10,\"tid\":11,", "on its thread");
	says('B', 0, "\"name\":\"Step\"", "called by its start");
	says('B', 0, "\"related\":\"000000a1-0000-0000-0100-000000000000\"",
	     "with where it came from");
	says('E', 0, "\"ts\":4.000,", "it ends");
	says('B', 1, "\"ts\":1.234,", "the outer slice, to the nanosecond");
	says('B', 1, "\"In\":\"x\"", "with the fields of its start");
	says('E', 1, "\"args\":{\"stop\":{\"etw\":{", "and with those of its stop");
	says('E', 1, "\"cat\":\"Pro\",\"name\":\"Work\",\"args\":{\"stop\":",
	     "it has the name of its begin, so that viewers pair them");
	says('e', 0, "\"cat\":\"Pro\",\"name\":\"Moves\",\"args\":{\"stop\":", "also async");
	says('E', 1, "\"event\":\"WorkDone/Stop\"", "the stop's own name is with its arguments");
	says('E', 1, "\"Out\":\"y\"", "which are these");
	says('b', 0, "\"tid\":11,\"ts\":6.000,\"id\":\"0x1\"", "one that ends elsewhere is async");
	says('e', 0, "\"ts\":7.000,\"id\":\"0x1\"", "and ends");
	says('b', 1, "\"pid\":10,\"tid\":13,\"ts\":8.100,\"id\":\"0x2\",\"cat\":\"Pro\","
	     "\"name\":\"Issue\"", "a request that an interrupt completes");
	says('e', 1, "\"pid\":10,\"tid\":13,\"ts\":8.200,\"id\":\"0x2\",\"cat\":\"Pro\","
	     "\"name\":\"Issue\"", "ends where it began");
	says('B', 2, "\"name\":\"Never\"", "one that does not end");
	says('E', 2, "\"cat\":\"Pro\",\"name\":\"Never\",\"args\":{\"unfinished\":true}",
	     "is marked");
	says('E', 2, "\"ts\":9.000,", "and ends with the trace");
	says('s', 0, "\"ts\":1.234,", "an arrow from its activity");
	says('f', 0, "\"ts\":2.000,", "to the slice");
	is(count('s'), 1, "and no other");
}

static void test_made(void)
{
	static struct make m;
	struct converted got;

	m.head.header.events_lost = 7;
	make_begin(&m, 1);
	put_specs(&m, specs, sizeof(specs) / sizeof(specs[0]));
	make_end(&m);
	is(convert_file(&got, "chrome", m.path), 0, "events are written");
	got.c.problem[0] = 0;
	if (!ok(parse(&got), "it is valid JSON"))
		return;
	is(count('B') + count('E') + count('b') + count('e') + count('i'), got.events + 1,
	   "each event once, and the end without an event");
	says('i', 1, "\"name\":\"Point\"", "an instant");
	says('i', 1, "\"stack\":[\"0xffff800000001234\",\"0x5678\"]}", "with its stack");
	says('i', 1, "\"Name\":\"a\\\"b\\u0000\xc3\xbf\\u001b\"", "any bytes in a field");
	says('i', 2, "\"cat\":\"P\\\"\\\\\xef\xbf\xbd\xef\xbf\xbd\"", "in a provider's name");
	says('i', 2, "\"name\":\"n\\n\\u0001\xef\xbf\xbd\\\",\\\"args\\\":{\\\"etw\\\":\"",
	     "and in an event's");
	test_slices();
	ok(!strcmp(text(member(trace, "otherData"), "start"), "2022-06-18T04:26:40.0000000Z"),
	   "the start time");
	ok(strstr(got.c.notes, "1 activities were not finished"),
	   "unfinished activities are reported");
	json_object_put(trace);
	converted_free(&got);
	unlink(m.path);
}

static void test_switches(void)
{
	static struct make m;
	struct converted got;

	make_begin(&m, 1);
	make_buffer(&m, 3, 1);
	put_switches(&m.feed);
	make_put(&m);
	make_end(&m);
	is(convert_file(&got, "chrome", m.path), 0, "context switches");
	if (!ok(parse(&got), "as JSON"))
		return;
	says('X', 0, "\"tid\":3,\"ts\":0.100,\"dur\":1.000,", "a thread runs on its processor");
	says('X', 0, "\"name\":\"work\xc3\xbc (5)\"", "and is named");
	says('M', 1, "\"pid\":100,\"tid\":5,\"name\":\"thread_name\","
	     "\"args\":{\"name\":\"work\xc3\xbc\"}",
	     "on its track, too");
	says('X', 1, "\"name\":\"Idle\"", "then the idle thread");
	says('X', 2, "\"name\":\"run\\\"er.exe (6)\"",
	     "then one whose process is known, until the end");
	says('M', 0, "\"pid\":100,\"tid\":0,\"name\":\"process_name\","
	     "\"args\":{\"name\":\"run\\\"er.exe\"}",
	     "which is named");
	says('M', 3, "\"args\":{\"name\":\"CPU 3\"}", "the processor is named");
	is(count('X') + count('i'), got.events, "a slice that is too short is an instant");
	json_object_put(trace);
	converted_free(&got);
	unlink(m.path);
}

/* Thread_TypeGroup1 of version 4, where the name follows 72 bytes */
static void test_named_thread(void)
{
	static const char thread_8[72 + 6] = { 100, 0, 0, 0, 8, [72] = 'i', 0, 'o' };
	struct converted got;
	static struct make m;

	make_begin(&m, 1);
	make_buffer(&m, 3, 1);
	put_kernel_version(&m.feed, 4, 0x0503, 98, thread_8, sizeof(thread_8));
	make_put(&m);
	make_end(&m);
	is(convert_file(&got, "chrome", m.path), 0, "a thread with a name");
	if (!ok(parse(&got), "as JSON"))
		return;
	says('M', 0, "\"pid\":100,\"tid\":8,\"name\":\"thread_name\",\"args\":{\"name\":\"io\"}",
	     "names its track");
	json_object_put(trace);
	converted_free(&got);
	unlink(m.path);
}

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void test_corpus(const char *path)
{
	struct converted got;
	int err = convert_file(&got, "chrome", path);
	size_t i, n = 0, differ = 0;
	int64_t *times;

	if (!ok(!err && parse(&got), "%s is JSON", strrchr(path, '/') + 1))
		return;
	times = calloc(json_object_array_length(events) + 1, sizeof(*times));
	for (i = 0; i < json_object_array_length(events); i++) {
		struct json_object *e = json_object_array_get_idx(events, i);

		/* Ends without an event are not events. */
		if (!strchr("BEbeiX", text(e, "ph")[0]) ||
		    member(member(e, "args"), "unfinished"))
			continue;
		times[n++] = got.times[0] +
			     (int64_t)(json_object_get_double(member(e, "ts")) * 10 + 0.001);
	}
	qsort(times, n, sizeof(*times), by_time);
	qsort(got.times, got.events, sizeof(*got.times), by_time);
	for (i = 0; i < n && i < got.events; i++)
		differ += times[i] != got.times[i];
	ok(n == got.events && !differ, "%zu events, each once, at its time: %zu differ", n, differ);
	free(times);
	json_object_put(trace);
	converted_free(&got);
}

int main(void)
{
	test_made();
	test_switches();
	test_named_thread();
	each_of_corpus(test_corpus);
	return done_testing();
}
