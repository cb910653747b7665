/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_print.c - events as lines of text, by formats, and in colour
 */
#include "cli_print.h"
#include "cli_print_manifest.h"

/* The text after the ids of the writer */
static void prints(struct sample *s, const char *want, const char *name)
{
	const char *line = print(s, event_print_text), *got = strstr(line, " 12/13 ");

	if (!ok(got && !strcmp(got + 7, want), "%s", name))
		printf("# got  %s# want %s", got ? got + 7 : line, want);
}

static void contains(const char *line, const char *part, const char *name)
{
	if (!ok(strstr(line, part), "%s", name))
		printf("# got %s", line);
}

static void formats(struct sample *s, const char *format, const char *want)
{
	const char *error, *got;
	size_t column;

	s->printer.format = event_format_parse(format, &error, &column);
	if (!s->printer.format) {
		ok(false, "%s: column %zu: %s", format, column, error);
		return;
	}
	got = print(s, event_print_format);
	if (!ok(!strncmp(got, want, strlen(want)) && !strcmp(got + strlen(want), "\n"), "%s", format))
		printf("# got  %s# want %s\n", got, want);
	event_format_free(s->printer.format);
	s->printer.format = NULL;
}

static void test_unknown(struct sample *s)
{
	begin(s, &nobody, 7);
	prints(s, NOBODY " event(7) info\n", "no schema, no payload");
	add(s, "\x1b[2J", 4);
	prints(s, NOBODY " event(7) info data=1b5b324a\n", "no schema, a payload");
	s->header.desc.level = 17;
	prints(s, NOBODY " event(7) 17 data=1b5b324a\n", "a level by number");
	s->header.flags = ETW_EVENT_TRACE_MESSAGE;
	prints(s, NOBODY " message(7) 17 data=1b5b324a\n", "a message");
	s->header.flags = ETW_EVENT_CLASSIC_HEADER;
	s->header.desc.opcode = 3;
	s->len = 0;
	s->header.activity.data1 = 1;
	prints(s, NOBODY " type(3) 17 activity=00000001-0000-0000-0000-000000000000\n",
	       "a classic event, an activity id");
	s->printer.names = (struct names *)s;
	provider_is = "a\x1b[31m b";
	s->header.activity.data1 = 0;
	prints(s, "a\\u001b[31m b type(3) 17\n", "a hostile name of a provider");
	provider_is = NULL;
	s->printer.names = NULL;
}

static void test_string(struct sample *s)
{
	begin(s, &nobody, 0);
	s->header.desc.level = 0;
	s->header.flags = ETW_EVENT_STRING_ONLY;
	add(s, u"u\u00fc\n", 8);
	prints(s, NOBODY " String always message=\"u\xc3\xbc\\n\"\n", "a string event");
	s->len = 5;
	prints(s, NOBODY " String always message=\"u\xc3\xbc\" rest=0a\n",
	       "its string cut within a character");
}

/* u32 Number, "str" Text, struct Pair { u8 A, u8 B }, u16 List[] */
#define STEP	"\0Step\0" "Number\0\x08" "Text\0\x02" "Pair\0\x98\x02" "A\0\x04" "B\0\x04"	\
		"List\0\x46"

static void begin_step(struct sample *s)
{
	begin(s, &nobody, 0);
	add_traits(s, "My-Provider");
	add_schema(s, STEP, sizeof(STEP) - 1);
	add_u32(s, 7);
	add(s, "hi \x1b\"", 6);
	add(s, "\1\2", 2);
	add(s, "\2\0\x10\0\x20\0", 6);
}

static void test_tracelogging(struct sample *s)
{
	begin_step(s);
	prints(s, "My-Provider Step info Number=7 Text=\"hi \\u001b\\\"\" Pair={A=1 B=2} List=[16, 32]\n",
	       "TraceLogging");
	add(s, "xy", 2);
	prints(s, "My-Provider Step info Number=7 Text=\"hi \\u001b\\\"\" Pair={A=1 B=2} List=[16, 32] rest=7879\n",
	       "bytes after the fields");
	s->len = 2;
	prints(s, "My-Provider Step info Number=<truncated> rest=0700\n", "a number cut short");
	s->printer.hex = true;
	prints(s, "My-Provider Step info data=0700\n", "its bytes by wish");
	s->printer.hex = false;
	begin(s, &nobody, 0);
	add_traits(s, "\x1b]0;title\x07");
	add_schema(s, "\0\x1b[31mred\0" "\x1b[0m\0\x04", 16);
	add(s, "\1", 1);
	prints(s, "\\u001b]0;title\\u0007 \\u001b[31mred info \\u001b[0m=1\n", "hostile names");
	begin(s, &nobody, 0);
	add_schema(s, "\0Bad\0Field\0\x1f", 12);
	add(s, "\1", 1);
	prints(s, NOBODY " Bad info Field=<truncated> rest=01\n", "an invalid type");
	begin(s, &nobody, 0);
	add_schema(s, "\0Bad\0Field", 10);
	add(s, "\1", 1);
	prints(s, NOBODY " Bad info data=01\n", "metadata that end too early");
}

/* What begins and what ends an activity have the same name. */
static void test_opcodes(struct sample *s)
{
	begin(s, &nobody, 0);
	add_schema(s, "\0Work\0", 6);
	prints(s, NOBODY " Work info\n", "no opcode");
	s->header.desc.opcode = 1;
	prints(s, NOBODY " Work/Start info\n", "what starts");
	s->header.desc.opcode = 2;
	prints(s, NOBODY " Work/Stop info\n", "what stops");
	s->header.desc.opcode = 77;
	prints(s, NOBODY " Work info\n", "an opcode without a name");
	begin(s, &nobody, 0);
	add_schema(s, "\0WorkStart\0", 11);
	s->header.desc.opcode = 1;
	prints(s, NOBODY " WorkStart info\n", "a name that says it");
	begin(s, &nobody, 0);
	add_schema(s, "\0Bad\0Field", 10);
	s->header.desc.opcode = 1;
	prints(s, NOBODY " Bad/Start info\n", "metadata that end too early, and an opcode");
}

static void test_names(struct sample *s)
{
	const char *line;

	begin(s, &nobody, 7);
	s->printer.processes = &named;
	process_is = thread_is = "bash";
	line = print(s, event_print_text);
	contains(line, " [000] bash-12/13 " NOBODY, "a process");
	thread_is = "a \x1b[m";
	line = print(s, event_print_text);
	contains(line, " [000] bash-12/a \\u001b[m-13 " NOBODY, "a thread's own name");
	process_is = NULL;
	line = print(s, event_print_text);
	contains(line, " [000] 12/a \\u001b[m-13 " NOBODY, "one without its process");
	process_is = "init";
	s->header.thread_id = 12;
	line = print(s, event_print_text);
	contains(line, " [000] init-12/12 " NOBODY, "the first thread");
	ok(!key_was, "without a key");
	add_item(s, ETW_EXT_PROCESS_START_KEY, "\1\2\3\4\5\6\7\x08", 8);
	print(s, event_print_text);
	ok(key_was == 0x0807060504030201, "with its key");
	s->printer.processes = NULL;
	line = print(s, event_print_text);
	contains(line, " [000] 12/12 " NOBODY, "no names");
}

static void test_times(struct sample *s)
{
	begin(s, &nobody, 7);
	setenv("TZ", "CET-1", 1);
	tzset();
	formats(s, "%t", "1970-01-01 01:00:00.0000000+01:00");
	s->printer.time = EVENT_TIME_UTC;
	formats(s, "%t", "1970-01-01T00:00:00.0000000Z");
	s->printer.time = EVENT_TIME_RAW;
	formats(s, "%t", "99");
	s->printer.time = EVENT_TIME_RELATIVE;
	s->event.time += 12345678;
	formats(s, "%t", "1.2345678");
	s->printer.time = EVENT_TIME_DELTA;
	s->event.time += 10;
	formats(s, "%t", "0.0000010");
	s->printer.time = EVENT_TIME_LOCAL;
}

static void test_formats(struct sample *s)
{
	begin_step(s);
	s->header.desc.keyword = 0x30;
	s->header.desc.opcode = 1;
	s->header.desc.task = 9;
	s->header.desc.version = 2;
	s->header.activity.data1 = 1;
	add_item(s, ETW_EXT_RELATED_ACTIVITY, &nobody, 16);
	s->event.cpu = 3;
	formats(s, "", "");
	formats(s, "100%% \\\\ a\\tb\\nc", "100% \\ a\tb\nc");
	formats(s, "%c %p %s %T", "3 12 13 99");
	formats(s, "%P %G", "My-Provider " NOBODY);
	formats(s, "%e %i %v %l %L", "Step/Start 0 2 info 4");
	formats(s, "%k %O %a", "0x30 1 9");
	formats(s, "%A %R", "00000001-0000-0000-0000-000000000000 " NOBODY);
	formats(s, "[%n|%S|%K]", "[||]");
	formats(s, "%{Number},%{Text},%{Pair}", "7,hi \\u001b\\\",{A=1 B=2}");
	formats(s, "%{Pair.B} %{List}", "2 [16, 32]");
	formats(s, "<%{Pair.C}%{None}%{Number.A}%{Pair.B.C}>", "<>");
	formats(s, "%m", "Number=7 Text=\"hi \\u001b\\\"\" Pair={A=1 B=2} List=[16, 32]");
	formats(s, "%x", "activity=00000001-0000-0000-0000-000000000000 related=" NOBODY);
	formats(s, "|%5p|%-5p|%05p|%1p|", "|   12|12   |00012|12|");
	formats(s, "|%12e|%-12e|%3{Number}|%-3{Number}|",
		"|  Step/Start|Step/Start  |  7|7  |");
	formats(s, "%D", "07000000686920" "1b2200" "0102" "020010002000");
	s->len = 2;
	formats(s, "%{Number}|%{Text}|%{List}|%f", "|||Number=<truncated> rest=0700");
	s->event.cpu = 0;
}

static void test_colours(struct sample *s)
{
	const char *line, *at;

	begin(s, &nobody, 0);
	add_schema(s, "\0E\x1b[7m\0F\0\x02", 10);
	add(s, "\x1b[8m\x9b" "1m", 7);
	s->header.desc.level = 2;
	ok(!strchr(print(s, event_print_text), '\033'), "no colours unless they are wanted");
	s->printer.colour = true;
	line = print(s, event_print_text);
	ok(strstr(line, "\033[31merror\033[0m") && strstr(line, "\033[36m" NOBODY "\033[0m"),
	   "an error in red");
	/* Only the command's own escape sequences reach the terminal. */
	for (at = line; (at = strchr(at, '\033')); at++)
		ok(!strncmp(at, "\033[0m", 4) || !strncmp(at, "\033[1m", 4) ||
		   !strncmp(at, "\033[2m", 4) || !strncmp(at, "\033[22m", 5) || !strncmp(at, "\033[31m", 5) ||
		   !strncmp(at, "\033[36m", 5), "an escape of our own");
	s->printer.colour = false;
}

/* Put every byte value in every place that the provider fills. */
static void test_hostile(struct sample *s)
{
	char schema[16], name[8];
	unsigned int byte, bad = 0;
	const char *line;

	for (byte = 1; byte < 256; byte++) {
		begin(s, &nobody, 0);
		snprintf(name, sizeof(name), "P%cx", byte);
		add_traits(s, name);
		memcpy(schema, "\0E_x\0F_x\0\x02", 11);
		schema[2] = schema[6] = (char)byte;
		add_schema(s, schema, 10);
		add(s, &byte, 1);
		add(s, &byte, 2);
		line = print(s, event_print_text);
		for (; line[1]; line++)
			bad += (unsigned char)*line < 0x20 || *line == 0x7f;
		line = print(s, event_print_text);
		bad += !etw_utf8_valid(line, strlen(line)) || strstr(line, "\xc2\x80") ||
		       strstr(line, "\xc2\x9b");
	}
	ok(!bad, "no byte of an event's controls a terminal");
}

static void test_manifest(struct sample *s)
{
	begin_known(s, 1, 1, u"/a\033", 4);
	prints(s, "Known-Provider Opened error Op=write Path=\"/a\\u001b\"\n",
	       "an event of a manifest");
	formats(s, "%e %K %{Op} %{Path}", "Opened Read|Write write /a\\u001b");
	formats(s, "%m", "/a\\u001b was opened for \"write\"\\n.");
	s->printer.message = true;
	prints(s, "Known-Provider Opened error /a\\u001b was opened for \"write\"\\n.\n",
	       "its message");
	begin_known(s, 2, 7, u"x", 2);
	prints(s, "Known-Provider Disk/Spin Loud Op=7 Path=\"x\"\n", "no message: the fields");
	s->printer.message = false;
	formats(s, "%a %o %h", "Disk Spin 0");
	s->header.desc.version = 1;
	prints(s, "Known-Provider Disk/Spin Loud data=070000007800" "0000\n",
	       "another version: names for the descriptor's numbers");
	begin_known(s, 0, 0, u"", 0);
	s->len = 0;
	s->header.desc.level = 17;
	s->header.desc.keyword = 2;
	s->header.flags = ETW_EVENT_STRING_ONLY;
	add(s, u"hi", 6);
	prints(s, "Known-Provider String Loud message=\"hi\"\n", "its provider's string");
	formats(s, "%P %K", "Known-Provider Write");
	s->header.provider = nobody;
	prints(s, NOBODY " String 17 message=\"hi\"\n", "a string of another provider");
	begin(s, &known, 3);
	prints(s, "Known-Provider Symbolic info\n", "a symbol is a name");
	begin(s, &known, 4);
	prints(s, "Known-Provider event(4) info\n", "an event that is not in the manifest");
}

static void test_flush(struct sample *s)
{
	FILE *real = stdout;
	char *text = NULL;
	size_t size = 0, i, at;

	begin(s, &nobody, 1);
	s->printer.out.len = 0;
	s->event.record = (struct etw_record_view){ .header = &s->header };
	stdout = open_memstream(&text, &size);
	for (i = 0; i < 2000; i++)
		event_print_text(&s->printer, &s->event);
	at = size;
	event_flush(&s->printer);
	fclose(stdout);
	stdout = real;
	ok(at > 60000 && at < size && !s->printer.out.len,
	   "blocks as they fill, the rest by a flush");
	for (i = 0, at = 0; at < size; at++)
		i += text[at] == '\n';
	is(i, 2000, "and no line is lost");
	free(text);
}

/* What one way has prepared must not meet the other. */
static void print_both(struct event_printer *printer, const struct etw_event *event)
{
	event_print_text(printer, event);
	event_print_json(printer, event);
}

int main(void)
{
	static struct sample sample;
	struct etw_manifest *manifest;

	test_times(&sample);
	test_unknown(&sample);
	test_string(&sample);
	test_tracelogging(&sample);
	test_opcodes(&sample);
	test_names(&sample);
	test_formats(&sample);
	test_colours(&sample);
	test_hostile(&sample);
	test_flush(&sample);
	manifest = load_manifest();
	test_manifest(&sample);
	unload_manifest(manifest);
	test_kinds(&sample, "lines of text and JSON in turn", print_both);
	test_kinds(&sample, "lines of text do not depend on the events before", event_print_text);
	event_printer_free(&sample.printer);
	return done_testing();
}
