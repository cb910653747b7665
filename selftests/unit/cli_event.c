/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_event.c - events as lines of text, and making foreign bytes printable
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "unit/tap.h"

#include "cli/args.c"
#include "cli/builtin.c"
#include "cli/clock.c"
#include "cli/decode.c"
#include "cli/event_text.c"
#include "cli/items.c"
#include "cli/json.c"
#include "cli/text.c"

/* What the files above want of the rest of the command. */

void cli_die(const char *fmt, ...)
{
	printf("Bail out! %s\n", fmt);
	exit(1);
}

void cli_usage(const char *fmt, ...)
{
	printf("Bail out! %s\n", fmt);
	exit(1);
}

const char *cli_quote(const char *s)
{
	return s;
}

bool guid_equal(const struct etw_guid *a, const struct etw_guid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

const char *names_get(struct names *names, const struct etw_guid *guid)
{
	const struct builtin_provider *builtin = builtin_by_guid(guid);

	(void)names;
	return builtin ? builtin->name : NULL;
}

static void same_text(struct text *text, const char *want, const char *name)
{
	const char *got = text->len ? text->data : "";

	if (!ok(!strcmp(got, want), "%s", name))
		printf("# got  %s\n# want %s\n", got, want);
	text->len = 0;
}

static void test_escape(void)
{
	static const struct {
		const char *in, *out, *name;
	} cases[] = {
		{ "plain ~", "plain ~", "plain text" },
		{ "a\"b\\c", "a\\\"b\\\\c", "quotes and backslashes" },
		{ "\n\r\t", "\\n\\r\\t", "white space" },
		{ "\x1b[2J\x01\x7f", "\\u001b[2J\\u0001\\u007f", "C0 controls and DEL" },
		{ "\xc2\x9b" "31m", "\\u009b31m", "a C1 control" },
		{ "\xe2\x80\xae" "x", "\\u{202e}x", "a bidirectional override" },
		{ "\xf3\xa0\x80\x81", "\\u{e0001}", "an invisible tag" },
		{ "Gr\xc3\xbc\xc3\x9f" "e \xf0\x9f\x98\x80", "Gr\xc3\xbc\xc3\x9f" "e \xf0\x9f\x98\x80",
		  "UTF-8 of 2 and 4 bytes" },
		{ "\xff\xc3", "\\xff\\xc3", "bytes that are no UTF-8" },
		{ "\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf", "overlong forms" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "a surrogate" },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "beyond U+10FFFF" },
	};
	struct text text = { 0 };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text_escape(&text, cases[i].in, strlen(cases[i].in));
		same_text(&text, cases[i].out, cases[i].name);
	}
	text_escape(&text, "a\0b", 3);
	same_text(&text, "a\\u0000b", "a NUL within a string");
	text_free(&text);
}

static void test_encodings(void)
{
	static const unsigned char utf16[] = {
		'a', 0, 0x3d, 0xd8, 0x00, 0xde, 0x00, 0xd8, 'b', 0, 0x00, 0xdc, 0xff
	};
	static const char json[] = "\"a\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81\xc3\xbc\"";
	struct text text = { 0 };

	text_utf16(&text, utf16, sizeof(utf16));
	same_text(&text, "a\xf0\x9f\x98\x80\xef\xbf\xbd" "b\xef\xbf\xbd",
		  "UTF-16 with a pair, lone surrogates and an odd byte");
	text_utf8(&text, "a\xff" "b", 3);
	same_text(&text, "a\xef\xbf\xbd" "b", "U+FFFD for what is no UTF-8");
	text_json(&text, json, sizeof(json) - 1);
	same_text(&text, "\"a\\u007f\\u009b\\u202e\\udb40\\udc01\xc3\xbc\"",
		  "JSON: unsafe characters as \\uNNNN");
	text_hex(&text, "\x00\x7f\xff", 3);
	same_text(&text, "007fff", "hexadecimal");
	text_unsigned(&text, 7, 7);
	text_unsigned(&text, UINT64_MAX, 1);
	same_text(&text, "000000718446744073709551615", "numbers");
	text_free(&text);
}

static void test_clock(void)
{
	struct text text = { 0 };

	clock_utc(&text, ETW_UNIX_EPOCH_100NS);
	same_text(&text, "1970-01-01T00:00:00.0000000Z", "the Unix epoch");
	clock_utc(&text, ETW_UNIX_EPOCH_100NS - 1);
	same_text(&text, "1969-12-31T23:59:59.9999999Z", "just before it");
	clock_utc(&text, 0);
	same_text(&text, "1601-01-01T00:00:00.0000000Z", "time 0");
	setenv("TZ", "CET-1", 1);
	tzset();
	clock_local(&text, ETW_UNIX_EPOCH_100NS + 1234567);
	same_text(&text, "1970-01-01 01:00:00.1234567", "local time");
	text_free(&text);
}

/* One event, and its payload, which may be cut short. */
struct sample {
	struct etw_event_header header;
	uint8_t payload[256];
	uint32_t len;
	struct etw_rt_event event;
	struct event_printer printer;
};

static void begin(struct sample *s, const char *provider, uint16_t id)
{
	memset(&s->header, 0, sizeof(s->header));
	s->len = 0;
	s->header.provider = builtin_by_name(provider)->guid;
	s->header.desc.id = id;
	s->header.desc.level = 4;
	s->header.process_id = 12;
	s->header.thread_id = 13;
	s->header.timestamp = 99;
}

static void add(struct sample *s, const void *data, size_t len)
{
	memcpy(s->payload + s->len, data, len);
	s->len += (uint32_t)len;
}

static void add_u32(struct sample *s, uint32_t value)
{
	add(s, &value, sizeof(value));
}

static void add_u64(struct sample *s, uint64_t value)
{
	add(s, &value, sizeof(value));
}

/*
 * Print the event with its payload in memory of exactly its size, so that the
 * sanitizer sees every byte read too far, and compare what comes after the
 * provider's name.
 */
static void prints(struct sample *s, const char *want, const char *name)
{
	uint8_t *exact = malloc(s->len ? s->len : 1);
	char line[1024] = "";
	char *got;
	FILE *real = stdout;
	FILE *to = fmemopen(line, sizeof(line), "w");

	memcpy(exact, s->payload, s->len);
	s->event.record.header = &s->header;
	s->event.record.data = exact;
	s->event.record.data_len = s->len;
	s->event.record.ext_len = 0;
	s->event.time = ETW_UNIX_EPOCH_100NS;
	stdout = to;
	event_print_text(&s->printer, &s->event);
	stdout = real;
	fclose(to);
	free(exact);
	got = strstr(line, " 12/13 ");
	if (!ok(got && !strcmp(got + 7, want), "%s", name))
		printf("# got  %s# want %s", got ? got + 7 : line, want);
}

static void add_request(struct sample *s, uint32_t op)
{
	add_u32(s, 252);
	add_u32(s, 1);
	add_u64(s, 123456789012);
	add_u32(s, 4096);
	add_u32(s, op);
	add_u64(s, 0xffff888012345678);
}

static void test_block(struct sample *s)
{
	static const char request[] =
		"major=252 minor=1 sector=123456789012 bytes=4096 op=";
	char want[512];

	begin(s, "sample-block", 1);
	add_request(s, 1);
	snprintf(want, sizeof(want),
		 "Sample-Block RequestIssue info %swrite request=0xffff888012345678\n",
		 request);
	prints(s, want, "an event of the block sample");
	begin(s, "Sample-Block", 2);
	add_request(s, 4);
	add_u32(s, (uint32_t)-5);
	add_u64(s, 42);
	snprintf(want, sizeof(want),
		 "Sample-Block RequestComplete info %s4 request=0xffff888012345678 error=-5 latency_ns=42\n",
		 request);
	prints(s, want, "an operation without a name, a negative number");
	s->len--;
	prints(s, "Sample-Block event(2) info data=fc00000001000000141a99be1c0000000010000004000000785634128088fffffbffffff2a000000000000\n",
	       "one byte short of the last field: as hexadecimal");
}

static void test_app(struct sample *s)
{
	begin(s, "Sample-App", 1);
	add_u32(s, 7);
	add(s, "hi \x1b\"", 6);
	prints(s, "Sample-App Step info number=7 message=\"hi \\u001b\\\"\"\n",
	       "a string");
	add(s, "xy", 2);
	prints(s, "Sample-App Step info number=7 message=\"hi \\u001b\\\"\" rest=7879\n",
	       "bytes behind the fields");
	s->len = 6;
	prints(s, "Sample-App Step info number=7 message=\"hi\"\n",
	       "a string without its NUL");
	s->len = 4;
	prints(s, "Sample-App Step info number=7 message=\"\"\n",
	       "a string of no bytes");
	s->len = 3;
	prints(s, "Sample-App event(1) info data=070000\n", "a number cut short");
	s->len = 0;
	prints(s, "Sample-App event(1) info\n", "no payload");
	s->header.desc.version = 1;
	add_u32(s, 7);
	prints(s, "Sample-App event(1) info data=07000000\n", "another version");
	s->header.desc.level = 17;
	s->printer.raw = true;
	prints(s, "Sample-App event(1) 17 data=07000000\n", "raw, and a level by number");
	s->printer.raw = false;
}

static void test_string_event(struct sample *s)
{
	begin(s, "Sample-App", 0);
	s->header.desc.level = 0;
	s->header.flags = ETW_EVENT_STRING_ONLY;
	add(s, u"u\u00fc\n", 8);
	prints(s, "Sample-App String always message=\"u\xc3\xbc\\n\"\n",
	       "a string event");
	s->len = 5;
	prints(s, "Sample-App String always message=\"u\xc3\xbc\"\n",
	       "its string cut within a character");
	s->header.provider.data1++;
	s->len = 0;
	s->header.activity.data1 = 1;
	prints(s, "b7d1f6a5-3c0e-4f52-a1d8-5e9c7b2a6f13 String always message=\"\" activity=00000001-0000-0000-0000-000000000000\n",
	       "an unknown provider, an activity id");
}

/* One item with its data, printed. */
static const char *item_of(uint16_t type, const void *data, uint16_t len)
{
	static struct text line;
	static struct {
		struct etw_ext_item item;
		uint8_t data[120];
	} ext[2];
	struct etw_record_view view = { .ext = ext, .ext_len = sizeof(ext) };

	memset(ext, 0, sizeof(ext));
	ext[0].item = (struct etw_ext_item){ sizeof(ext[0]), 0x7000, 1, 3 };
	ext[1].item = (struct etw_ext_item){ sizeof(ext[1]), type, 0, len };
	memcpy(ext[1].data, data, len);
	line.len = 0;
	text_puts(&line, "");
	items_text(&line, &view);
	return line.data;
}

#define ITEM(type, text, what, ...) do {				\
	static const uint8_t _bytes[] = { __VA_ARGS__ };		\
	const char *_got = item_of(type, _bytes, sizeof(_bytes));	\
									\
	ok(!strcmp(_got, text), "%s: %s", what, _got);			\
} while (0)

static void test_items(void)
{
	ITEM(ETW_EXT_RELATED_ACTIVITY, " related=00000001-0002-0003-0405-060708090a0b",
	     "a related activity", 1, 0, 0, 0, 2, 0, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11);
	ITEM(ETW_EXT_RELATED_ACTIVITY, "", "one that is too short", 1, 0, 0, 0, 2, 0, 3, 0, 4, 5,
	     6, 7, 8, 9, 10);
	ITEM(ETW_EXT_SID, " sid=S-1-22-1-1000", "a user", 1, 2, 0, 0, 0, 0, 0, 22, 1, 0, 0, 0,
	     0xe8, 3, 0, 0);
	ITEM(ETW_EXT_SID, "", "a SID that says it is longer", 1, 3, 0, 0, 0, 0, 0, 22, 1, 0, 0, 0,
	     0xe8, 3, 0, 0);
	ITEM(ETW_EXT_SID, "", "a SID with too many parts", 1, 255, 0, 0, 0, 0, 0, 22);
	ITEM(ETW_EXT_TS_ID, " login=7", "a login session", 7, 0, 0, 0);
	ITEM(ETW_EXT_EVENT_KEY, " event-key=0x1000000000002", "an event key", 2, 0, 0, 0, 0, 0, 1, 0);
	ITEM(ETW_EXT_PROCESS_START_KEY, "", "a key cut off", 2, 0, 0, 0, 0, 0, 1);
	ITEM(ETW_EXT_PSM_KEY, " app=\"a\"", "an application", 'a', 0, 0, 0);
	ITEM(ETW_EXT_PSM_KEY, " app=\"a\"", "half a character behind it", 'a', 0, 'b');
	ITEM(ETW_EXT_CONTAINER_ID, " container=\"/a\"", "a group", '/', 'a', 0);
	ITEM(ETW_EXT_CONTAINER_ID, " container=\"/a\\u001b\"", "no NUL, and an escape", '/', 'a', 27);
	ITEM(ETW_EXT_STACK_TRACE64, " stack=[0x1 0x2]", "a stack, with half a frame", 0, 0, 0, 0, 0, 0, 0,
	     0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0);
	ITEM(ETW_EXT_STACK_TRACE32, " stack=[0x1]", "a 32-bit stack", 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
	     0, 0);
	ITEM(ETW_EXT_STACK_TRACE64, " stack=[]", "no frames", 0, 0, 0, 0, 0, 0, 0, 0);
	ITEM(ETW_EXT_PID_NAMESPACE, " inside=1/7@4026532640", "a container's ids", 1, 0, 0, 0,
	     7, 0, 0, 0, 0x20, 3, 0, 0xf0, 0, 0, 0, 0);
	ITEM(ETW_EXT_PID_NAMESPACE, "", "without their end", 1, 0, 0, 0, 7, 0, 0, 0, 0x20, 3, 0);
	ITEM(ETW_EXT_EVENT_SCHEMA, " event=\"Ev\\u001b\"(7 bytes)", "metadata", 7, 0, 0, 'E', 'v', 27, 0);
	ITEM(ETW_EXT_EVENT_SCHEMA, " event=(3 bytes)", "metadata without a name", 3, 0, 0);
	ITEM(ETW_EXT_PROV_TRAITS, " traits=\"P\"(4 bytes)", "traits", 4, 0, 'P', 0);
	ITEM(ETW_EXT_PROV_TRAITS, " traits=(5 bytes)", "traits that are none", 5, 0, 'P', 0, 1);
	ITEM(ETW_EXT_CONTROL_GUID, " control=00000001-0002-0003-0405-060708090a0b",
	     "a control GUID", 1, 0, 0, 0, 2, 0, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11);
	ITEM(ETW_EXT_INSTANCE_INFO,
	     " instance=5 parent=258@00000001-0002-0003-0405-060708090a0b", "an instance",
	     5, 0, 0, 0, 2, 1, 0, 0, 1, 0, 0, 0, 2, 0, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11);
	ITEM(ETW_EXT_INSTANCE_INFO, " instance=5", "one without a parent", 5, 0, 0, 0, 0, 0, 0, 0,
	     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	ITEM(ETW_EXT_INSTANCE_INFO, "", "one cut off", 5, 0, 0, 0, 2, 0, 0, 0,
	     1, 0, 0, 0, 2, 0, 3, 0, 4, 5, 6, 7, 8, 9, 10);
	ITEM(0x7001, "", "an unknown item", 1, 2, 3);
}

/* Numbers of their own, and one member only of an item that is there twice. */
static void test_items_json(void)
{
	static const struct {
		struct etw_ext_item item;
		struct etw_ext_pid_namespace inside;
	} ext[2] = {
		{ { sizeof(ext[0]), ETW_EXT_PID_NAMESPACE, 1, 16 }, { 1, 7, 4026532640u, 0 } },
		{ { sizeof(ext[0]), ETW_EXT_PID_NAMESPACE, 0, 16 }, { 2, 2, 2, 0 } },
	};
	struct etw_record_view view = { .ext = ext, .ext_len = sizeof(ext) };
	struct json_object *object = json_new();
	const char *got;

	items_json(object, &view);
	got = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	ok(!strcmp(got, "{\"pid_namespace\":{\"pid\":1,\"tid\":7,\"namespace\":4026532640}}"),
	   "%s", got);
	json_object_put(object);
}

static void test_instance_json(void)
{
	static const struct {
		struct etw_ext_item item;
		uint32_t own, parent;
		struct etw_guid of;
	} ext = { { sizeof(ext), ETW_EXT_INSTANCE_INFO, 0, 24 }, 7, 3,
		  { 1, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } } };
	struct etw_record_view view = { .ext = &ext, .ext_len = sizeof(ext) };
	struct json_object *object = json_new();
	const char *got;

	items_json(object, &view);
	got = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	ok(!strcmp(got, "{\"instance\":{\"id\":7,\"parent\":3,\"parent_class\":"
		   "\"00000001-0002-0003-0405-060708090a0b\"}}"), "%s", got);
	json_object_put(object);
}

int main(void)
{
	static struct sample sample;

	test_escape();
	test_encodings();
	test_clock();
	test_block(&sample);
	test_app(&sample);
	test_string_event(&sample);
	test_items();
	test_items_json();
	test_instance_json();
	text_free(&sample.printer.line);
	text_free(&sample.printer.decoded.strings);
	return done_testing();
}
