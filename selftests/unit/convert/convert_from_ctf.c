// SPDX-License-Identifier: MIT
/*
 * etw convert --from ctf: log files to CTF and back, traces that babeltrace2 wrote,
 * handmade traces, and damaged ones
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "convert_make.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "etl/file.h"
#include "lib/consumer/event_record.h"

static char dir[] = "/tmp/etw-from-ctf-XXXXXX";
static char problem[4096];	/* what the command printed */

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

static void read_problem(void)
{
	char path[64];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/err", dir);
	f = fopen(path, "r");
	n = f ? fread(problem, 1, sizeof(problem) - 1, f) : 0;
	problem[n] = '\0';
	if (f)
		fclose(f);
}

/* Convert the folder "trace" to "out.etl", both in dir; returns the exit status. */
static int from_ctf(const char *trace)
{
	int status;

	run("rm -f %s/out.etl", dir);
	status = run("build/etw convert --from ctf %s/%s -o %s/out.etl 2>%s/err", dir, trace, dir,
		     dir);
	read_problem();
	printf("# %s", problem);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Does the conversion fail with this reason and leave no output? */
static bool is_refused(const char *trace, const char *reason)
{
	return from_ctf(trace) == 1 && strstr(problem, reason) &&
	       !run("test -z \"$(ls %s | grep out.etl)\"", dir);
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

/* The next event after the header's, with its fields as text; *whole: all fields are present. */
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

/* ------------------------------------------------------------------ round trip */

static bool same_header(const struct reading *a, const struct reading *b)
{
	const EVENT_HEADER *x = &a->record.EventHeader, *y = &b->record.EventHeader;

	return a->event.time == b->event.time && a->event.nanos == b->event.nanos && a->event.cpu == b->event.cpu &&
	       x->ProcessId == y->ProcessId && x->ThreadId == y->ThreadId &&
	       !memcmp(&x->ProviderId, &y->ProviderId, sizeof(GUID)) &&
	       !memcmp(&x->EventDescriptor, &y->EventDescriptor, sizeof(EVENT_DESCRIPTOR)) &&
	       !memcmp(&x->ActivityId, &y->ActivityId, sizeof(GUID));
}

/* CTF cannot hold everything: errors lose their names, and NULs become U+2400. */
static bool is_other(const char *text)
{
	return strstr(text, "NT") || strstr(text, "(5)") || strstr(text, "ERROR") ||
	       strstr(text, "STATUS");
}

static void compare(const char *before, unsigned int want, unsigned int want_others,
		    const char *what)
{
	struct reading a, b;
	bool whole, ignored;
	unsigned int count = 0, headers = 0, fields = 0, others = 0;

	if (!ok(open_file(&a, before) && open_file(&b, "out.etl"), "%s: there are files", what))
		return;
	while (next(&a, &whole)) {
		if (!next(&b, &ignored))
			break;
		count++;
		headers += same_header(&a, &b);
		if (!whole || (a.text.len && (memchr(a.text.data, 0, a.text.len) ||
					      is_other(a.text.data)))) {
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
	is(others, want_others, "except those that CTF cannot hold");
	close_file(&a);
	close_file(&b);
}

static void test_back(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/in.etl", dir);
	make_file(path, samples, SAMPLES, 1);
	run("build/etw convert -q %s -o %s/one.ctf 2>/dev/null", path, dir);
	is(from_ctf("one.ctf"), 0, "a trace that etw convert wrote is read");
	/* And one for a lost buffer, of which the number of events is not known */
	ok(strstr(problem, "6 events lost by the tracer"), "lost events are reported");
	compare("in.etl", SAMPLES, 4, "to CTF and back");
	is(run("build/etw dump %s/out.etl 2>&1 >/dev/null | grep -q '6 events lost'", dir), 0,
	   "the new file's header has the lost events");
	/* babeltrace2 cannot write sequences in structures, which the later samples have. */
	make_file(path, samples, 13, 1);
	run("build/etw convert -q %s -o %s/four.ctf 2>/dev/null", path, dir);
	run("babeltrace2 %s/four.ctf -o ctf -w %s/three 2>/dev/null >&2", dir, dir);
	is(from_ctf("three"), 0, "babeltrace2's copy of it is read");
	compare("in.etl", 13, 1, "by way of babeltrace2");
}

/* A trace with a call stack as a field gives a log file with the stack as a field. */
static void test_stacks(void)
{
	static const struct sample one = { "00 6500 6900 03", "f8" };
	struct reading r;
	char path[64];
	bool whole;

	make_items = true;
	snprintf(path, sizeof(path), "%s/in.etl", dir);
	make_file(path, &one, 1, 1);
	make_items = false;
	run("build/etw convert -q %s/in.etl -o %s/stack.ctf 2>/dev/null", dir, dir);
	is(from_ctf("stack.ctf"), 0, "a trace with stacks is read");
	if (!ok(open_file(&r, "out.etl") && next(&r, &whole), "there is an event"))
		return;
	is_text(r.text.data ?: "", "i=-8 callstack=[0x456789abcdef, 0x1000]", "its fields");
	close_file(&r);
}

/* ------------------------------------------------------------------ handmade traces */

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

/* The events of out.etl as "seconds provider event fields", one per line */
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
	ok(strstr(problem, "at least 1 event lost by the tracer"),
	   "discarded events are counted");
	is_events("100.5100000 p all kind=0 kind_label=NUMBER what=16909060 "
		  "in={n=2 list=[7, 8]} pairs=[{x=1 s=a}, {x=2 s=bc}] f=1.5 b=010203 "
		  "two=[{value=[1, 2]}, {value=[3, 4]}] context={vpid=1 vtid=2 procname=ab}\n"
		  "166.0370000 p all kind=6 kind_label=TEXT what=hi in={n=0 list=[]} "
		  "pairs=[{x=1 s=}, {x=2 s=}] f=-2 b= two=[{value=[5, 6]}, {value=[7, 8]}] "
		  "context={vpid=1 vtid=2 procname=abcd}\n"
		  "166.0380000 p none context={vpid=0 vtid=0 procname=}\n", "all types");
}

/* Array elements that are structures with variants become separate fields. */
static void test_apart(void)
{
	put_metadata(TYPES
		"trace { major = 1; minor = 8; byte_order = le; };"
		"event { name = \"e\"; fields := struct { enum : u8 { A, B } tag;"
		" struct { u8 x; variant <tag> { u8 A; string B; } v; } list[2]; }; };");
	put_stream("00 01 02 03 04   01 01 6100 02 6200");
	is(from_ctf("hand"), 0, "an array of variants");
	is_events("0.0000000 ctf e tag=0 tag_label=A list_0={x=1 v=2} list_1={x=3 v=4}\n"
		  "0.0000000 ctf e tag=1 tag_label=B list_0={x=1 v=a} list_1={x=2 v=b}\n",
		  "each element is a field");
}

/* Events too large for TraceLogging are dropped and counted. */
static void test_large(void)
{
	static unsigned char bytes[70010];
	struct etw_text text = { .data = NULL };
	unsigned int i;

	put_metadata(TYPES "trace { major = 1; minor = 8; byte_order = le; };"
		     "event { name = \"e\"; fields := struct { string s; }; };");
	memset(bytes, 'x', 70000);
	memcpy(bytes + 70000, "\0y", 3);
	put_file("stream", bytes, 70003);
	is(from_ctf("hand"), 0, "a field of 70,000 bytes");
	is_events("0.0000000 ctf e s=y\n", "the next event is there");
	ok(strstr(problem, "1 event left out"), "the large one is counted");
	etw_text_puts(&text, TYPES "trace { major = 1; minor = 8; byte_order = le; };"
		      "event { name = \"e\"; fields := struct { struct { ");
	for (i = 0; i < 128; i++)
		etw_text_printf(&text, "u8 x%u; ", i);
	etw_text_puts(&text, "} s; }; };");
	put_metadata(text.data);
	put_file("stream", bytes, 128);
	is(from_ctf("hand"), 0, "a structure of 128 members");
	ok(strstr(problem, "1 event left out"), "is counted, too");
	etw_text_cut(&text, 0);
	etw_text_puts(&text, TYPES "trace { major = 1; minor = 8; byte_order = le; };"
		      "event { name = \"");
	for (i = 0; i < 3000; i++)
		etw_text_char(&text, 'n');
	etw_text_puts(&text, "\"; fields := struct { u8 x; }; };");
	put_metadata(text.data);
	put_file("stream", bytes, 1);
	is(from_ctf("hand"), 0, "a name of 3,000 bytes");
	is(run("test $(build/etw dump --json %s/out.etl 2>/dev/null | grep -o 'nnn*' | tail -n 1 | "
	       "tr -d '\\n' | wc -c) = 1024", dir), 0, "is cut");
	etw_text_free(&text);
}

/* 600 stream files of 20 packets; the next event in time is always in the next stream. */
static void test_streams(void)
{
	static const char events[] =
		"build/etw dump --json %s/out.etl | grep -o '\"event\":\"e\".*' | wc -l";
	struct packet {
		uint32_t bits;
		uint8_t id;
		uint32_t time;
	} __attribute__((packed)) list[20];
	unsigned int i, k;
	char name[32], command[256];

	run("rm -r %s/hand", dir);
	put_metadata(TYPES "trace { major = 1; minor = 8; byte_order = le; };"
		     "stream { packet.context := struct { u32 packet_size; };"
		     " event.header := struct { u8 id;"
		     " integer { size = 32; map = clock.c.value; } t; }; };"
		     "event { id = 1; name = \"e\"; };");
	for (i = 0; i < 600; i++) {
		for (k = 0; k < 20; k++)
			list[k] = (struct packet){ 8 * sizeof(*list), 1, 1000 + k * 600 + i };
		snprintf(name, sizeof(name), "stream%u", i);
		put_file(name, list, sizeof(list));
	}
	is(run("ulimit -S -n 64 && rm %s/out.etl && "
	       "build/etw convert -q --from ctf %s/hand -o %s/out.etl", dir, dir, dir), 0,
	       "600 streams, when 64 files may be open");
	snprintf(command, sizeof(command), events, dir);
	is(run("test $(%s) = 12000", command), 0, "all events");
	is(run("build/etw dump --json %s/out.etl | grep '\"event\":\"e\"' | "
	       "sed 's/.*\"time\":\"\\([^\"]*\\).*/\\1/' | sort -c", dir), 0, "by time");
	run("rm -r %s/hand", dir);
}

static void test_refused(void)
{
	static const char *const bad[] = {
		"", "/* CTF 1.8 */ trace { major = 2; };",
		"/* CTF 1.8 */ trace { packet.header := struct { nothing x; }; };",
		"/* CTF 1.8 */ trace { major = 1; ",
		"/* CTF 1.8 */ trace { }; event { fields := struct { integer { size = 65; } x; }; };",
		"/* CTF 1.8 */ trace { }; event { name = \"x",
	};
	unsigned int i;

	put_stream("00");
	for (i = 0; i < COUNT(bad); i++) {
		put_metadata(bad[i]);
		ok(is_refused("hand", "hand\": libbabeltrace2: "), "refused: %s", bad[i]);
	}
	put_metadata("\x1e{\"type\":\"preamble\",\"version\":2}");
	ok(is_refused("hand", "CTF 2, which cannot be read; only CTF 1.8 can"), "CTF 2");
	run("rm -rf %s/hand && mkdir -p %s/hand && mkfifo %s/hand/metadata", dir, dir, dir);
	ok(is_refused("hand", "metadata\": Invalid argument"), "a pipe");
	run("rm -rf %s/hand && mkdir -p %s/hand && truncate -s 65M %s/hand/metadata", dir, dir, dir);
	ok(is_refused("hand", "larger than 64 MB"), "too much metadata");
	ok(is_refused("nothing", "No such file"), "no folder");
	run("mkdir %s/empty", dir);
	ok(is_refused("empty", "no CTF trace"), "a folder without a trace");
	run("rm -r %s/hand", dir);
}

/* Damage anywhere in a trace makes the conversion fail without a log file. */
static void test_damage(void)
{
	put_metadata(TYPES "trace { major = 1; minor = 8; byte_order = le;"
		     " packet.header := struct { u32 magic; }; };"
		     "stream { packet.context := struct { u32 packet_size; };"
		     " event.header := struct { u8 id; }; };"
		     "event { id = 1; name = \"one\"; fields := struct { string s; }; };");
	put_stream("c11ffcc1 58000000 01 6100  c11ffcc1 58000000 01 6200");
	is(from_ctf("hand"), 0, "packets that are whole");
	is_events("0.0000000 ctf one s=a\n0.0000000 ctf one s=b\n", "are read");
	put_stream("c11ffcc1 60000000 01 6100 01  c11ffcc1 58000000 01 6200");
	ok(is_refused("hand", "libbabeltrace2: "), "an event that is cut off");
	put_stream("c11ffcc1 58000000 01 6100  c11ffcc1 f8000000 01 6200");
	ok(is_refused("hand", "libbabeltrace2: "), "a packet that is cut off");
	put_stream("c11ffcc1 58000000 02 6100");
	ok(is_refused("hand", "libbabeltrace2: "), "an unknown event class");
	put_stream("c11ffcc2 58000000 01 6100");
	ok(is_refused("hand", "libbabeltrace2: "), "no packet");
	run("rm -r %s/hand", dir);
}

int main(void)
{
	if (access("build/etw-ctf-reader", X_OK)) {
		skip("etw-ctf-reader was not built");
		return done_testing();
	}
	if (!mkdtemp(dir))
		abort();
	test_back();
	test_stacks();
	test_bits();
	test_types();
	test_apart();
	test_large();
	test_streams();
	test_damage();
	test_refused();
	run("rm -rf %s", dir);
	clean_up();
	return done_testing();
}
