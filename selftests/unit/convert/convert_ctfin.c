// SPDX-License-Identifier: MIT
/*
 * Common Trace Format in: there and back, what babeltrace2 writes, and traces by hand
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "convert_make.h"

#include <sys/stat.h>
#include <unistd.h>

#include "convert/ctf_in/read.h"
#include "etl/file.h"
#include "lib/consumer/event_record.h"

static char dir[] = "/tmp/etw-ctfin-XXXXXX";
static struct ctfin_result result;
static unsigned int reports;
static char reported[256];

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command))
		printf("# failed: %s\n", command);
}

static void on_report(void *context, const char *file, uint64_t offset, const char *what)
{
	(void)context, (void)file;
	reports++;
	snprintf(reported, sizeof(reported), "%llu: %s", (unsigned long long)offset, what);
}

/* From the folder "trace" to "out.etl", both in dir. */
static int from_ctf(const char *trace)
{
	struct ctfin_options options = { .replace = true, .report = on_report };
	char folder[128], out[128];
	int err;

	reports = 0;
	snprintf(folder, sizeof(folder), "%s/%s", dir, trace);
	snprintf(out, sizeof(out), "%s/out.etl", dir);
	unlink(out);
	err = convert_from_ctf(folder, out, &options, &result);
	if (err || reports)
		printf("# %s %s\n", result.problem, reports ? reported : "");
	return err;
}

/* -------------------------------------------------------------- events of a file */

struct reading {
	struct etw_etl_file *file;
	struct etw_event event;
	struct etw_event_items items;
	EVENT_RECORD record;
	struct etw_decoder *decoder;
	const struct etw_decoded *decoded;
	struct etw_text text;
};

static bool open_file(struct reading *r, const char *name)
{
	char path[128];

	memset(r, 0, sizeof(*r));
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	r->decoder = etw_decoder_new();
	return !etw_etl_open(path, NULL, NULL, &r->file);
}

static void close_file(struct reading *r)
{
	etw_etl_close(r->file);
	etw_event_items_free(&r->items);
	etw_decoder_free(r->decoder);
	etw_text_free(&r->text);
}

/* The next event but the header's, with its fields as text; *whole: all are there. */
static bool next(struct reading *r, bool *whole)
{
	static const GUID header = { 0x68fdd900, 0x4a3e, 0x11d1,
				     { 0x84, 0xf4, 0, 0, 0xf8, 4, 0x64, 0xe3 } };

	do {
		if (etw_etl_next(r->file, &r->event) != 1)
			return false;
		etw_event_record(&r->record, &r->event, &r->items, false);
	} while (!memcmp(&r->record.EventHeader.ProviderId, &header, sizeof(header)) &&
		 r->record.EventHeader.Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER);
	etw_decode(r->decoder, &r->record, &r->decoded);
	etw_text_cut(&r->text, 0);
	*whole = !etw_format_fields(&r->text, r->decoder, ETW_FORMAT_RAW);
	return true;
}

/* ------------------------------------------------------------------ there and back */

static bool same_header(const struct reading *a, const struct reading *b)
{
	const EVENT_HEADER *x = &a->record.EventHeader, *y = &b->record.EventHeader;

	return a->event.time == b->event.time && a->event.nanos == b->event.nanos && a->event.cpu == b->event.cpu &&
	       x->ProcessId == y->ProcessId && x->ThreadId == y->ThreadId &&
	       !memcmp(&x->ProviderId, &y->ProviderId, sizeof(GUID)) &&
	       !memcmp(&x->EventDescriptor, &y->EventDescriptor, sizeof(EVENT_DESCRIPTOR)) &&
	       !memcmp(&x->ActivityId, &y->ActivityId, sizeof(GUID));
}

/*
 * What changes on the way: numbers of errors lose their names, NULs become U+2400, and
 * what is not whole becomes bytes; in CTF 2 namesakes get other names.
 */
static bool is_other(const char *text, bool ctf2)
{
	if (ctf2 && (strstr(text, "e=1 e=2") || strstr(text, "a. =1 =2")))
		return true;
	return strstr(text, "NT") || strstr(text, "(5)") || strstr(text, "ERROR") ||
	       strstr(text, "STATUS");
}

static void compare(const char *before, unsigned int want, unsigned int want_others,
		    const char *what)
{
	struct reading a, b;
	bool whole, ignored, ctf2 = strstr(what, "CTF 2");
	unsigned int count = 0, headers = 0, fields = 0, others = 0;

	if (!ok(open_file(&a, before) && open_file(&b, "out.etl"), "%s: there are files", what))
		return;
	while (next(&a, &whole)) {
		if (!next(&b, &ignored))
			break;
		count++;
		headers += same_header(&a, &b);
		if (!whole || (a.text.len && (memchr(a.text.data, 0, a.text.len) ||
					      is_other(a.text.data, ctf2)))) {
			others++;
		} else if (a.text.len == b.text.len && (!a.text.len ||
			   !memcmp(a.text.data, b.text.data, a.text.len))) {
			fields++;
		} else {
			printf("# before %s\n# after  %s\n", a.text.data ?: "", b.text.data ?: "");
		}
	}
	ok(!next(&a, &whole) && !next(&b, &ignored), "%s: as many events", what);
	is(count, want, "all of them");
	is(headers, count, "the same times, CPUs, processes, providers and descriptors");
	is(fields + others, count, "the same fields");
	is(others, want_others, "but for those that cannot be");
	close_file(&a);
	close_file(&b);
}

static void test_back(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/in.etl", dir);
	make_file(path, samples, SAMPLES, 1);
	run("build/etw convert -q %s -o %s/one.ctf 2>/dev/null", path, dir);
	is(from_ctf("one.ctf"), 0, "CTF 1.8 is read");
	is(result.events, SAMPLES, "all events of it");
	is(result.discarded, 5, "and how many were lost");
	compare("in.etl", SAMPLES, 4, "CTF 1.8 and back");
	run("build/etw convert -q %s -o %s/two.ctf2 2>/dev/null", path, dir);
	is(from_ctf("two.ctf2"), 0, "CTF 2 is read");
	compare("in.etl", SAMPLES, 6, "CTF 2 and back");
	/* It cannot write sequences that are in structures, which are further down. */
	make_file(path, samples, 13, 1);
	run("build/etw convert -q %s -o %s/four.ctf 2>/dev/null", path, dir);
	run("babeltrace2 %s/four.ctf -o ctf -w %s/three 2>/dev/null >&2", dir, dir);
	is(from_ctf("three"), 0, "what babeltrace2 has made of it");
	compare("in.etl", 13, 1, "by way of babeltrace2");
}

/* Stacks that we have written come back as the fields that they are in CTF. */
static void test_stacks(void)
{
	static const struct sample one = { "00 6500 6900 03", "f8" };
	static const char *const names[] = { "stack.ctf", "stack.ctf2" };
	struct reading r;
	unsigned int i;
	char path[64];
	bool whole;

	make_items = true;
	snprintf(path, sizeof(path), "%s/in.etl", dir);
	make_file(path, &one, 1, 1);
	make_items = false;
	for (i = 0; i < 2; i++) {
		run("build/etw convert -q %s/in.etl -o %s/%s 2>/dev/null", dir, dir, names[i]);
		ok(!from_ctf(names[i]), "%s is read", names[i]);
		if (!ok(open_file(&r, "out.etl") && next(&r, &whole), "there is an event"))
			continue;
		is_text(r.text.data ?: "", "i=-8 callstack=[0x456789abcdef, 0x1000]", "its fields");
		close_file(&r);
	}
}

/* ------------------------------------------------------------------ traces by hand */

static void put_file(const char *name, const void *data, size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/hand", dir);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/hand/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

static void put_metadata(const char *text)
{
	put_file("metadata", text, strlen(text));
}

static void put_stream(const char *hex)
{
	unsigned char bytes[4096];
	size_t n = from_hex(hex, bytes);

	put_file("stream", bytes, n);
}

/* The events of out.etl as "seconds provider event fields", one a line */
static void is_events(const char *want, const char *what)
{
	struct etw_text all = { .data = NULL };
	struct reading r;
	bool whole;

	if (!ok(open_file(&r, "out.etl"), "%s: a file", what))
		return;
	while (next(&r, &whole)) {
		int64_t time = r.event.time - 116444736000000000LL;

		etw_text_printf(&all, "%lld.%07lld %s %s %s\n", (long long)time / 10000000,
				(long long)time % 10000000, r.decoded->provider, r.decoded->event,
				r.text.data ?: "");
	}
	is_text(all.data ?: "", want, what);
	etw_text_free(&all);
	close_file(&r);
}

#define TYPES							\
	"/* CTF 1.8 */ typealias integer { size = 8; } := u8;"	\
	"typealias integer { size = 16; } := unsigned short;"	\
	"typealias integer { size = 32; } := u32;"		\
	"clock { name = c; freq = 1000; offset_s = 100; offset = 500; };"

/* Integers of any size, in either order, with wraps of a clock of 4 bits */
static void test_bits(void)
{
	static const char fields[] =
		"event { id = 1; name = \"bits\"; fields := struct {"
		" integer { size = 3; align = 1; } a;"
		" integer { size = 13; align = 1; signed = true; } b;"
		" integer { size = 5; align = 1; base = 16; } c;"
		" unsigned short d; }; };";
	char text[2048];

	snprintf(text, sizeof(text), TYPES "trace { major = 1; minor = 8; byte_order = le; };"
		 "stream { event.header := struct { integer { size = 4; align = 1; } id;"
		 " integer { size = 4; align = 1; map = clock.c.value; } t; }; }; %s", fields);
	put_metadata(text);
	/* a = 5, b = -2, c = 0x11: 101 0111111111111 (from the lowest bit) 10001 */
	put_stream("e1 f5ff 11 3412   11 0200 00 0100");
	is(from_ctf("hand"), 0, "bits, little-endian");
	is_events("100.5140000 ctf bits a=5 b=-2 c=0x11 d=4660\n"
		  "100.5170000 ctf bits a=2 b=0 c=0x0 d=1\n", "little-endian");
	snprintf(text, sizeof(text), TYPES "trace { major = 1; minor = 8; byte_order = be; };"
		 "stream { event.header := struct { integer { size = 4; align = 1; } id;"
		 " integer { size = 4; align = 1; map = clock.c.value; } t; }; }; %s", fields);
	put_metadata(text);
	put_stream("1e bffe 88 1234   11 4000 00 0001");
	is(from_ctf("hand"), 0, "bits, big-endian");
	is_events("100.5140000 ctf bits a=5 b=-2 c=0x11 d=4660\n"
		  "100.5170000 ctf bits a=2 b=0 c=0x0 d=1\n", "big-endian");
}

/* LTTng's compact header, variants, structures, sequences, enumerations, text, floats */
static void test_types(void)
{
	put_metadata(TYPES
		"trace { major = 1; minor = 8; byte_order = le;"
		" packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };"
		"env { tracer_name = \"hand\"; };"
		"struct head { enum : u8 { compact = 0 ... 254, extended = 255 } id;"
		" variant <id> { struct { integer { size = 16; map = clock.c.value; } t; } compact;"
		" struct { u32 id; integer { size = 64; map = clock.c.value; } t; } extended; } v;"
		"} align(8);"
		"stream { id = 7; packet.context := struct { u32 content_size; u32 packet_size;"
		" u8 cpu_id; u32 events_discarded; }; event.header := struct head;"
		" event.context := struct { u32 _vpid; u32 _vtid;"
		" integer { size = 8; encoding = UTF8; } _procname[4]; }; };"
		"event { id = 2; stream_id = 7; name = \"p:all\"; loglevel = 3; fields := struct {"
		" enum kind : u8 { NUMBER, TEXT = 5 ... 9 } _kind;"
		" variant <_kind> { u32 NUMBER; string TEXT; } _what;"
		" struct { u8 n; u8 list[n]; } _in;"
		" struct { u8 x; string s; } _pairs[2];"
		" floating_point { exp_dig = 8; mant_dig = 24; byte_order = be; } _f;"
		" u8 __b_length; integer { size = 8; base = 16; } _b[__b_length];"
		" u8 _two[2][2]; }; };"
		"event { id = 3; stream_id = 7; name = \"p:none\"; };");
	put_stream("c11ffcc1 00000000000000000000000000000000 07000000 48040000 58040000 02"
		   " 03000000"
		   " 02 0a00 01000000 02000000 61620000 00 04030201 02 0708 01 6100 02 6263 00"
		   " 3fc00000 03 010203 01020304"
		   " ff 02000000 0100010000000000 01000000 02000000 61626364 06 6869 00 00"
		   " 01 00 02 00 c0000000 00 05060708"
		   " 03 0200 00000000 00000000 00000000 0000");
	is(from_ctf("hand"), 0, "all types");
	is(result.discarded, 3, "discarded events are counted");
	is_events("100.5100000 p all kind=0 kind_label=NUMBER what=16909060 "
		  "in={n=2 list=[7, 8]} pairs=[{x=1 s=a}, {x=2 s=bc}] f=1.5 b=010203 "
		  "two=[{value=[1, 2]}, {value=[3, 4]}] context={vpid=1 vtid=2 procname=ab}\n"
		  "166.0370000 p all kind=6 kind_label=TEXT what=hi in={n=0 list=[]} "
		  "pairs=[{x=1 s=}, {x=2 s=}] f=-2 b= two=[{value=[5, 6]}, {value=[7, 8]}] "
		  "context={vpid=1 vtid=2 procname=abcd}\n"
		  "166.0380000 p none context={vpid=0 vtid=0 procname=}\n", "all types");
}

#define PREAMBLE	"\x1e{\"type\":\"preamble\",\"version\":2}"
#define TRACE		"\x1e{\"type\":\"trace-class\"}"
#define U8		"\"type\":\"fixed-length-unsigned-integer\",\"length\":8,"	\
			"\"alignment\":8,\"byte-order\":\"little-endian\""
#define U16		"\"type\":\"fixed-length-unsigned-integer\",\"length\":16,"	\
			"\"alignment\":8,\"byte-order\":\"little-endian\""

/* A clock that begins before 1970; more names than there are places for at first */
static void test_ctf2(void)
{
	struct etw_text text = { .data = NULL };
	unsigned int i;

	etw_text_puts(&text, PREAMBLE TRACE
		"\x1e{\"type\":\"clock-class\",\"name\":\"c\",\"frequency\":1000,"
		"\"offset-from-origin\":{\"seconds\":-100,\"cycles\":200000}}"
		"\x1e{\"type\":\"data-stream-class\",\"default-clock-class-name\":\"c\","
		"\"event-record-header-field-class\":{\"type\":\"structure\",\"member-classes\":["
		"{\"name\":\"t\",\"field-class\":{" U8 ",\"roles\":[\"default-clock-timestamp\"]}}]}}"
		"\x1e{\"type\":\"event-record-class\",\"name\":\"e\",\"payload-field-class\":"
		"{\"type\":\"structure\",\"member-classes\":["
		"{\"name\":\"v\",\"field-class\":{" U16 ",\"mappings\":{");
	for (i = 0; i < 10000; i++)
		etw_text_printf(&text, "%s\"k%u\":[[%u,%u]]", i ? "," : "", i, i, i);
	etw_text_puts(&text, "}}}]}}");
	put_metadata(text.data);
	put_stream("05 0100 06 0f27");
	is(from_ctf("hand"), 0, "CTF 2 by hand");
	is_events("100.0050000 ctf e v=1 v_label=k1\n100.0060000 ctf e v=9999 v_label=k9999\n",
		  "times and names");
	etw_text_free(&text);
}

/* Memory is bounded, whatever is in a fragment. */
static void test_many(void)
{
	struct etw_text text = { .data = NULL };
	unsigned int i;

	etw_text_puts(&text, PREAMBLE "\x1e{\"type\":\"trace-class\",\"x\":[{}");
	for (i = 0; i < 100000; i++)
		etw_text_puts(&text, ",{}");
	etw_text_puts(&text, "]}");
	put_metadata(text.data);
	ok(from_ctf("hand") < 0 && strstr(result.problem, "fragment 2: its 3000"),
	   "too many values");
	etw_text_free(&text);
}

/* Looking far for each of many lengths is work as well. */
static void test_work(unsigned int lengths, unsigned int others, uint64_t events)
{
	struct etw_text text = { .data = NULL };
	static char bytes[2048];
	unsigned int i;

	etw_text_puts(&text, TYPES "trace { major = 1; minor = 8; byte_order = le; };"
		      "event { fields := struct { u8 n; ");
	for (i = 0; i < others; i++)
		etw_text_printf(&text, "u8 x%u; ", i);
	for (i = 0; i < 20; i++)
		etw_text_puts(&text, "struct { ");
	etw_text_printf(&text, "u8 s[%u][n];", lengths);
	for (i = 0; i < 20; i++)
		etw_text_printf(&text, " } s%u;", i);
	etw_text_puts(&text, " }; };");
	put_metadata(text.data);
	put_file("stream", bytes, 1 + others);
	ok(!from_ctf("hand") && result.events == events && (events || strstr(reported, "too many")),
	   "%u lengths, %u numbers before them", lengths, others);
	etw_text_free(&text);
}

static void test_bad(void)
{
	static const struct {
		const char *text, *problem;
	} bad[] = {
		{ "", "no trace is described" },
		{ "trace { major = 2; };", "not version 1" },
		{ "\n\ntrace { packet.header := struct { nothing x; }; };", "line 3: there is no type" },
		{ "trace { major = 1; ", "a name is missing" },
		{ "trace { }; event { fields := struct { integer { size = 65; } x; }; };", "1 to 64" },
		{ "trace { }; /* ", "a comment does not end" },
		{ "trace { }; event { name = \"x", "a string does not end" },
		{ "trace { }; event { id = 1; }; event { id = 1; };", "two events" },
		{ "\x1e{\"type\":\"preamble\",\"version\":3}", "not version 2" },
		{ "\x1e{\"type\":", "fragment 1" },
		{ PREAMBLE "\x1e{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":"
		  "{\"type\":\"structure\",\"member-classes\":[{\"name\":\"x\",\"field-class\":"
		  "{\"type\":\"alias\",\"name\":\"a\"}}]}}", "no such alias" },
		{ PREAMBLE TRACE "\x1e{\"type\":\"data-stream-class\",\"id\":-1}",
		  "fragment 3: \"id\" is no such number" },
		{ PREAMBLE TRACE "\x1e{\"type\":\"data-stream-class\",\"id\":\"1\"}",
		  "fragment 3: \"id\" is no such number" },
		{ PREAMBLE TRACE "\x1e{\"type\":\"clock-class\",\"name\":\"c\",\"frequency\":1,"
		  "\"offset-from-origin\":{\"seconds\":9223372036854775808}}",
		  "fragment 3: \"seconds\" is no such number" },
		{ PREAMBLE TRACE "\x1e{\"type\":\"data-stream-class\"}\x1e{\"type\":"
		  "\"event-record-class\",\"attributes\":{\"etw\":{\"provider\":\"p\",\"id\":65536}}}",
		  "fragment 4: \"id\" is no such number" },
	};
	char out[128], deep[4096] = "trace { }; event { fields := ";
	unsigned int i;

	snprintf(out, sizeof(out), "%s/out.etl", dir);
	for (i = 0; i < COUNT(bad); i++) {
		put_metadata(bad[i].text);
		ok(from_ctf("hand") < 0 && strstr(result.problem, bad[i].problem) &&
		   access(out, F_OK), "refused: %s", bad[i].problem);
	}
	for (i = 0; i < 100; i++)
		strcat(deep, "struct { ");
	put_metadata(deep);
	ok(from_ctf("hand") < 0 && strstr(result.problem, "within each other"), "too deep");
	run("rm -rf %s/hand && mkdir -p %s/hand && mkfifo %s/hand/metadata", dir, dir, dir);
	ok(from_ctf("hand") < 0 && strstr(result.problem, "no file"), "a pipe");
	ok(from_ctf("nothing") < 0 && strstr(result.problem, "No such file"), "no folder");
}

/* What is whole is there, and the rest is told of. */
static void test_damage(void)
{
	put_metadata(TYPES "trace { major = 1; minor = 8; byte_order = le;"
		     " packet.header := struct { u32 magic; }; };"
		     "stream { packet.context := struct { u32 packet_size; };"
		     " event.header := struct { u8 id; }; };"
		     "event { id = 1; name = \"one\"; fields := struct { string s; }; };");
	put_stream("c11ffcc1 60000000 01 6100 01  c11ffcc1 58000000 01 6200");
	is(from_ctf("hand"), 0, "an event is cut off");
	is_events("0.0000000 ctf one s=a\n0.0000000 ctf one s=b\n", "the others are there");
	is(result.corrupt, 1, "and it is counted");
	ok(reports == 1 && !strncmp(reported, "11: a string", 12), "and told with its offset");
	put_stream("c11ffcc1 58000000 01 6100  c11ffcc1 f8000000 01 6200");
	is(from_ctf("hand"), 0, "a packet is cut off");
	is_events("0.0000000 ctf one s=a\n", "those before it are there");
	ok(reports == 1 && strstr(reported, "11: the file ends"), "and it is told");
	put_stream("c11ffcc1 58000000 02 6100");
	is(from_ctf("hand"), 0, "an unknown class");
	ok(!result.events && reports == 1, "is told");
	put_stream("c11ffcc2 58000000 01 6100");
	is(from_ctf("hand"), 0, "no packet");
	ok(reports == 1 && strstr(reported, "no packet begins"), "is told");
}

int main(void)
{
	if (!mkdtemp(dir))
		abort();
	test_back();
	test_stacks();
	test_bits();
	test_types();
	test_damage();
	test_ctf2();
	test_many();
	test_work(4000, 20, 1);
	test_work(4000, 1000, 0);
	test_bad();
	run("rm -rf %s", dir);
	clean_up();
	return done_testing();
}
