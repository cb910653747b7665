/* SPDX-License-Identifier: GPL-2.0-only */
/* cli_event.c - the parts of an event line: times, items, untrusted bytes */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/tap.h"

#include "cli/print/clock.c"
#include "convert/items.c"
#include "base/json_writer.c"
#include "cli/text.c"

/* Replacements for the rest of the command, for the files above */

void cli_die(const char *fmt, ...)
{
	printf("Bail out! %s\n", fmt);
	exit(1);
}

static void same_text(struct etw_text *text, const char *want, const char *name)
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
	struct etw_text text = { 0 };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		etw_text_escape(&text, cases[i].in, strlen(cases[i].in));
		same_text(&text, cases[i].out, cases[i].name);
	}
	etw_text_escape(&text, "a\0b", 3);
	same_text(&text, "a\\u0000b", "a NUL within a string");
	etw_text_free(&text);
}

static void test_encodings(void)
{
	static const unsigned char utf16[] = {
		'a', 0, 0x3d, 0xd8, 0x00, 0xde, 0x00, 0xd8, 'b', 0, 0x00, 0xdc, 0xff
	};
	static const char json[] = "a\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81\xc3\xbc";
	struct etw_text text = { 0 };

	etw_text_utf16(&text, utf16, sizeof(utf16));
	same_text(&text, "a\xf0\x9f\x98\x80\xef\xbf\xbd" "b\xef\xbf\xbd",
		  "UTF-16 with a pair, lone surrogates and an odd byte");
	etw_text_utf8(&text, "a\xff" "b", 3);
	same_text(&text, "a\xef\xbf\xbd" "b", "U+FFFD for invalid UTF-8");
	etw_text_json_string(&text, json, sizeof(json) - 1);
	same_text(&text, "\"a\\u007f\\u009b\\u202e\\udb40\\udc01\xc3\xbc\"",
		  "JSON: unsafe characters as \\uNNNN");
	etw_text_hex(&text, "\x00\x7f\xff", 3);
	same_text(&text, "007fff", "hexadecimal");
	etw_text_unsigned(&text, 7, 7);
	etw_text_unsigned(&text, UINT64_MAX, 1);
	same_text(&text, "000000718446744073709551615", "numbers");
	etw_text_free(&text);
}

static void test_clock(void)
{
	struct etw_text text = { 0 };

	etw_text_time(&text, ETW_UNIX_EPOCH_100NS);
	same_text(&text, "1970-01-01T00:00:00.0000000Z", "the Unix epoch");
	etw_text_time(&text, ETW_UNIX_EPOCH_100NS - 1);
	same_text(&text, "1969-12-31T23:59:59.9999999Z", "just before it");
	etw_text_time(&text, 0);
	same_text(&text, "1601-01-01T00:00:00.0000000Z", "time 0");
	etw_text_time(&text, INT64_MAX);
	same_text(&text, "030828-09-14T02:48:05.4775807Z", "the last time there is");
	etw_text_time(&text, (uint64_t)INT64_MIN);
	ok(text.len == 30, "one that overflows: %s", text.data);
	text.len = 0;
	setenv("TZ", "CET-1", 1);
	tzset();
	clock_local(&text, ETW_UNIX_EPOCH_100NS + 1234567);
	same_text(&text, "1970-01-01 01:00:00.1234567+01:00", "local time");
	clock_seconds(&text, 123456789);
	same_text(&text, "12.3456789", "a time that passed");
	clock_seconds(&text, -1);
	same_text(&text, "-0.0000001", "a negative time");
	clock_seconds(&text, INT64_MIN);
	same_text(&text, "-922337203685.4775808", "the least there is");
	etw_text_free(&text);
}

/* Print one item with its data. */
static const char *item_of(uint16_t type, const void *data, uint16_t len)
{
	static struct etw_text line;
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
	etw_text_puts(&line, "");
	items_text(&line, &view, ITEMS_SCHEMA);
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
	ITEM(ETW_EXT_SID, "", "a SID with too large a length", 1, 3, 0, 0, 0, 0, 0, 22, 1, 0, 0, 0,
	     0xe8, 3, 0, 0);
	ITEM(ETW_EXT_SID, "", "a SID with too many parts", 1, 255, 0, 0, 0, 0, 0, 22);
	ITEM(ETW_EXT_TS_ID, " login=7", "a login session", 7, 0, 0, 0);
	ITEM(ETW_EXT_EVENT_KEY, " event-key=0x1000000000002", "an event key", 2, 0, 0, 0, 0, 0, 1, 0);
	ITEM(ETW_EXT_PROCESS_START_KEY, "", "a key cut off", 2, 0, 0, 0, 0, 0, 1);
	ITEM(ETW_EXT_PSM_KEY, " app=\"a\"", "an application", 'a', 0, 0, 0);
	ITEM(ETW_EXT_PSM_KEY, " app=\"a\"", "half a character after it", 'a', 0, 'b');
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
	ITEM(ETW_EXT_CONTEXT, " context=task", "a task", 0, 0, 0, 0, 0, 0, 0, 0);
	ITEM(ETW_EXT_CONTEXT, " context=nmi,over-hardirq,irqs-off,bh-off,preempt=258", "an NMI", 3,
	     ETW_CONTEXT_IRQS_OFF | ETW_CONTEXT_BH_OFF | ETW_CONTEXT_IN_SOFTIRQ |
	     ETW_CONTEXT_IN_HARDIRQ, 2, 1, 0, 0, 0, 0);
	ITEM(ETW_EXT_CONTEXT, "", "an unknown context", 4, 0, 0, 0, 0, 0, 0, 0);
	ITEM(ETW_EXT_CONTEXT, "", "a context cut off", 1, 0, 0, 0);
	ITEM(ETW_EXT_EVENT_SCHEMA, " event=\"Ev\\u001b\"(7 bytes)", "metadata", 7, 0, 0, 'E', 'v', 27, 0);
	ITEM(ETW_EXT_EVENT_SCHEMA, " event=(3 bytes)", "metadata without a name", 3, 0, 0);
	ITEM(ETW_EXT_PROV_TRAITS, " traits=\"P\"(4 bytes)", "traits", 4, 0, 'P', 0);
	ITEM(ETW_EXT_PROV_TRAITS, " traits=(5 bytes)", "invalid traits", 5, 0, 'P', 0, 1);
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

/* Numeric members have their own types; an item that occurs twice gives one member. */
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
	struct etw_text line = { 0 };

	etw_text_puts(&line, "{");
	items_json(&line, &view, true);
	ok(!strcmp(line.data, "{\"pid_namespace\":{\"pid\":1,\"tid\":7,\"namespace\":4026532640}"),
	   "%s", line.data);
	etw_text_free(&line);
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
	struct etw_text line = { 0 };

	etw_text_puts(&line, "{");
	items_json(&line, &view, true);
	ok(!strcmp(line.data, "{\"instance\":{\"id\":7,\"parent\":3,\"parent_class\":"
		   "\"00000001-0002-0003-0405-060708090a0b\"}"), "%s", line.data);
	etw_text_free(&line);
}

static void test_stack_json(void)
{
	static const struct {
		struct etw_ext_item item;
		uint64_t match, addresses[2];
		struct etw_ext_item key;
		uint64_t value;
	} ext = { { 32, ETW_EXT_STACK_TRACE64, 1, 24 }, 0, { 1, 0xffffffff81000000 },
		  { 16, ETW_EXT_EVENT_KEY, 0, 8 }, 0x1000000000002 };
	struct etw_record_view view = { .ext = &ext, .ext_len = sizeof(ext) };
	struct etw_text line = { 0 };

	etw_text_puts(&line, "{");
	items_json(&line, &view, true);
	ok(!strcmp(line.data, "{\"stack\":[\"0x1\",\"0xffffffff81000000\"],"
		   "\"event_key\":\"0x1000000000002\""), "%s", line.data);
	etw_text_free(&line);
}

static void test_find(void)
{
	static const struct {
		struct etw_ext_item item;
		uint64_t key;
	} ext = { { sizeof(ext), ETW_EXT_PROCESS_START_KEY, 0, 8 }, 7 };
	struct etw_record_view view = { .ext = &ext, .ext_len = sizeof(ext) };

	ok(items_find(&view, ETW_EXT_PROCESS_START_KEY, 8) == &ext.key, "an item by its type");
	ok(!items_find(&view, ETW_EXT_PROCESS_START_KEY, 9), "one that is too short");
	ok(!items_find(&view, ETW_EXT_EVENT_KEY, 8), "one that is not there");
}

int main(void)
{
	test_escape();
	test_encodings();
	test_clock();
	test_items();
	test_items_json();
	test_instance_json();
	test_stack_json();
	test_find();
	return done_testing();
}
