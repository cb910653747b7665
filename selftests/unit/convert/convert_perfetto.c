// SPDX-License-Identifier: MIT
/* etw convert --to perfetto: read back with a small Protocol Buffers reader, and with protoc */
#include "convert_test.h"
#include "perfetto_read.h"
#include "unit/etl/etl_loss.h"

#include <sys/wait.h>
#include "convert/proto.h"
#include "tdh/decode/format.h"

/* ---------------------------------------------------------------------- tests */

static const struct etw_guid one = { 0xA1, 0, 0, { 1 } }, two = { 0xA2, 0, 0, { 2 } };

/* A struct of a float, an array of two bytes, a mask, a boolean, a negative number */
static const char schema[] = "In\0\x98\x02" "F\0\x0b" "A\0\x24\2\0" "M\0\x14" "B\0\x0d" "I\0\x07";
static const char data[] = "\0\0\x20\x40" "\1\2" "\xff\0\0\x80" "\1\0\0\0" "\xfe\xff\xff\xff";

static const uint64_t stack[] = { 0, 0xffff800000001234, 0x5678 };

static const struct spec specs[] = {
	{ 1234, "Pro", "Work", 10, 11, &one, .task = 1, .opcode = 1,
	  .field = "In", .value = "x", .value_len = 1 },
	{ 2000, "Pro", "Step", 10, 11, &two, &one, .task = 2, .opcode = 1 },
	{ 3000, "Pro", "Point", 10, 11,
	  .schema = schema, .schema_len = sizeof(schema) - 1, .data = data,
	  .data_len = sizeof(data) - 1, .stack = stack, .stack_len = sizeof(stack) },
	{ 4000, "Pro", "StepDone", 10, 11, &two, .task = 2, .opcode = 2 },
	{ 5000, "Pro", "WorkDone", 10, 11, &one, .task = 1, .opcode = 2,
	  .field = "Out", .value = "y", .value_len = 1 },
	{ 6000, "Pro", "Moves", 10, 11, &one, .task = 1, .opcode = 1 },
	{ 7000, "Pro", "Moved", 10, 12, &one, .task = 1, .opcode = 2 },
	{ 8000, "Pro", "Never", 10, 13, &two, .task = 1, .opcode = 1 },
	{ 9000, "P\xc0\xaf", "n\n\x01\xff", 0xffffffff, 0xffffffff,
	  .field = "\xfe", .value = "\0\xff\"", .value_len = 3 },
};

#define NS(n)	((MAKE_START - ETW_UNIX_EPOCH_100NS) * 100 + (n))

static void is_event(unsigned int i, uint64_t type, int64_t time, const char *name,
		     const char *what)
{
	const struct seen_event *e = &seen[i];

	if (!ok(i < seen_count && e->type == type && e->time == NS(time) &&
		!strcmp(e->name, name), "%s", what))
		printf("# type %d at %lld: %s\n", (int)e->type, (long long)(e->time - NS(0)),
		       e->name);
}

static void test_fields(const struct seen_event *e)
{
	struct bytes note, inner;
	struct proto f;

	ok(find_note(e->body, TRACK_EVENT_ANNOTATION, "In", &note) &&
	   find_note(note, ANNOTATION_DICT, "F", &inner) &&
	   value_is(inner, ANNOTATION_DOUBLE, NULL, 0x4004000000000000ULL), "2.5 in a structure");
	ok(find_note(note, ANNOTATION_DICT, "A", &inner) &&
	   proto_find(inner, ANNOTATION_ARRAY, 1, &f) &&
	   value_is(f.in, ANNOTATION_UINT, NULL, 2) &&
	   !proto_find(inner, ANNOTATION_ARRAY, 2, &f), "an array of two");
	ok(find_note(e->body, TRACK_EVENT_ANNOTATION, "M", &note) &&
	   value_is(note, ANNOTATION_POINTER, NULL, 0x800000ff), "a mask");
	ok(find_note(e->body, TRACK_EVENT_ANNOTATION, "B", &note) &&
	   value_is(note, ANNOTATION_BOOL, NULL, 1), "a boolean");
	ok(find_note(e->body, TRACK_EVENT_ANNOTATION, "I", &note) &&
	   value_is(note, ANNOTATION_INT, NULL, (uint64_t)-2), "a number below 0");
	ok(find_note(e->body, TRACK_EVENT_ANNOTATION, "etw", &note) &&
	   find_note(note, ANNOTATION_DICT, "tid", &inner) &&
	   value_is(inner, ANNOTATION_UINT, NULL, 11), "and the event's name");
	ok(find_note(note, ANNOTATION_DICT, "provider", &inner) &&
	   proto_find(inner, ANNOTATION_STRING_IID, 0, &f) &&
	   !strcmp(strings[VALUES][f.value % STRINGS], "0000feed-0000-0000-0100-000000000000"),
	   "and the event's provider");
	ok(find_note(note, ANNOTATION_DICT, "keyword", &inner) &&
	   proto_find(inner, ANNOTATION_STRING_IID, 0, &f) &&
	   !strcmp(strings[VALUES][f.value % STRINGS], "0x1"), "with its keyword");
	ok(find_note(note, ANNOTATION_DICT, "stack", &inner) &&
	   proto_find(inner, ANNOTATION_ARRAY, 0, &f) &&
	   value_is(f.in, ANNOTATION_POINTER, NULL, 0xffff800000001234) &&
	   proto_find(inner, ANNOTATION_ARRAY, 1, &f) &&
	   !proto_find(inner, ANNOTATION_ARRAY, 2, &f), "with its stack");
}

static void test_tracks(void)
{
	const struct track *t = track_of(seen[2].track), *alone = track_of(seen[6].track), *parent;
	const struct track *none = track_of(seen[seen_count - 3].track);
	struct bytes note;

	ok(t && t->pid == 10 && t->tid == 11, "a slice is on its thread");
	parent = t ? track_of(t->parent) : NULL;
	ok(parent && parent->pid == 10 && parent->tid == -1, "which is in its process");
	ok(alone && alone->tid == -1 && parent && alone->parent == parent->uuid,
	   "one that ends elsewhere has a track in the process");
	ok(none && none->tid == -1 && !strcmp(none->name, "Thread 4294967295"),
	   "an event of no thread");
	ok(find_note(seen[seen_count - 1].body, TRACK_EVENT_ANNOTATION, "unfinished", &note),
	   "an unfinished slice is marked");
	ok(seen[2].flows[0] && seen[2].flows[1] && seen[2].flows[1] == seen[4].flows[0] &&
	   !seen[4].flows[1], "the inner slice came from the outer one's activity");
	ok(has_text(&seen[4], "In", "x"), "fields of a start");
	ok(find_note(seen[5].body, TRACK_EVENT_ANNOTATION, "stop", &note) &&
	   find_note(note, ANNOTATION_DICT, "Out", &note) &&
	   value_is(note, ANNOTATION_STRING, "y", 0), "and of its stop");
}

static void test_made(void)
{
	static struct make m;
	struct converted got;
	struct bytes note;
	struct proto f;

	make_begin(&m, 1);
	put_specs(&m, specs, sizeof(specs) / sizeof(specs[0]));
	make_end(&m);
	is(convert_file(&got, "perfetto", m.path), 0, "events are written");
	ok(read_trace(got.data, got.len), "a trace that can be read");
	is(seen_count, got.events + 1, "each event once, and the end without an event");
	ok(boottime == (uint64_t)NS(0) && realtime == boottime, "its clock is the wall clock");
	is_event(1, TYPE_INSTANT, 3000, "Point", "an instant");
	ok(!strcmp(seen[1].category, "Pro"), "of its provider");
	test_fields(&seen[1]);
	is_event(2, TYPE_SLICE_BEGIN, 2000, "Step", "the inner slice");
	is_event(3, TYPE_SLICE_END, 4000, "", "ends");
	is_event(4, TYPE_SLICE_BEGIN, 1234, "Work", "the outer slice, to the nanosecond");
	is_event(5, TYPE_SLICE_END, 5000, "", "ends");
	is_event(8, TYPE_INSTANT, 9000, "n\n\x01\xef\xbf\xbd", "any bytes in a name");
	ok(find_note(seen[8].body, TRACK_EVENT_ANNOTATION, "\xef\xbf\xbd", &note),
	   "in a field's");
	ok(proto_find(note, ANNOTATION_STRING, 0, &f) && f.value == 4 &&
	   !memcmp(f.in.at, "\0\xc3\xbf\"", 4), "and in a field");
	test_tracks();
	converted_free(&got);
	unlink(m.path);
}

/* Errors of system calls are names, other results are numbers. */
static void test_results(void)
{
	static const int64_t error = -2, result = 4096;
	struct spec e[2] = { {
		.time = 1000, .provider = "tracepoint:syscalls:sys_exit_read", .name = "sys_exit_read",
		.schema = "ret\0\x09", .schema_len = 5, .data = &error, .data_len = 8,
	} };
	static struct make m;
	struct converted got;
	struct bytes note;

	e[1] = e[0];
	e[1].time = 2000;
	e[1].data = &result;
	make_begin(&m, 1);
	put_specs(&m, e, 2);
	make_end(&m);
	is(convert_file(&got, "perfetto", m.path), 0, "results of a system call are written");
	ok(read_trace(got.data, got.len) && seen_count >= 3, "and can be read");
	ok(has_text(&seen[1], "ret", "ENOENT"), "an error has its name");
	ok(find_note(seen[2].body, TRACK_EVENT_ANNOTATION, "ret", &note) &&
	   value_is(note, ANNOTATION_INT, NULL, 4096), "another result is a number");
	converted_free(&got);
	unlink(m.path);
}

static bool has_track(const char *name, int64_t pid, int64_t tid)
{
	unsigned int i;

	for (i = 0; i < track_count; i++)
		if (!strcmp(tracks[i].name, name) && tracks[i].pid == pid && tracks[i].tid == tid)
			return true;
	return false;
}

/* Are the slices of every track consecutive? Returns the number of tracks with slices. */
static unsigned int used_tracks(unsigned int *wrong_count)
{
	unsigned int i, j, n = 0;
	int64_t last;

	*wrong_count = 0;
	for (i = 0; i < track_count; i++) {
		for (j = 0, last = 0; j < seen_count; j++) {
			if (seen[j].track != tracks[i].uuid || seen[j].type == TYPE_INSTANT)
				continue;
			*wrong_count += seen[j].time < last;
			last = seen[j].time;
		}
		n += last > 0;
	}
	return n;
}

/* Slices that move to another thread: at_once concurrent ones, n in all */
static void put_moves(struct make *m, unsigned int at_once, unsigned int n)
{
	static struct etw_guid ids[80];
	struct spec e = { .provider = "P", .name = "Moves", .pid = 10, .task = 1 };
	uint64_t sequence = 0;
	unsigned int i;

	make_buffer(m, 0, ++sequence);
	for (i = 0; i < n + at_once; i++) {
		e.activity = &ids[i % at_once];
		ids[i % at_once].data1 = i % at_once + 1;
		for (e.opcode = 2; e.opcode; e.opcode--) {
			if (e.opcode == 2 ? i < at_once : i >= n)
				continue;
			e.time = i * 1000 + (e.opcode == 1) * 300;
			e.tid = e.opcode == 1 ? 1 : 2;
			if (put_spec(&m->feed, &e))
				continue;
			make_put(m);
			make_buffer(m, 0, ++sequence);
			put_spec(&m->feed, &e);
		}
	}
	make_put(m);
}

static void test_lanes(unsigned int at_once, unsigned int least, unsigned int most)
{
	static struct make m;
	struct converted got;
	unsigned int bad, used;

	make_begin(&m, 1);
	put_moves(&m, at_once, 500);
	make_end(&m);
	is(convert_file(&got, "perfetto", m.path), 0, "slices by themselves");
	ok(read_trace(got.data, got.len) && seen_count == 1001, "can be read");
	used = used_tracks(&bad);
	is(bad, 0, "none overlaps another on its track");
	ok(used >= least && used <= most, "%u at once are on %u tracks", at_once, used);
	converted_free(&got);
	unlink(m.path);
}

static void test_switches(void)
{
	static struct make m;
	struct converted got;
	const struct track *cpu;

	make_begin(&m, 1);
	make_buffer(&m, 3, 1);
	put_switches(&m.feed);
	make_put(&m);
	make_end(&m);
	is(convert_file(&got, "perfetto", m.path), 0, "context switches");
	ok(read_trace(got.data, got.len), "can be read");
	ok(has_track("run\"er.exe", 100, -1), "a process has its name");
	ok(has_track("work\xc3\xbc", 100, 5), "and a thread");
	cpu = seen_count > 6 ? track_of(seen[5].track) : NULL;
	ok(cpu && !strcmp(cpu->name, "CPU 3") && track_of(cpu->parent) &&
	   !strcmp(track_of(cpu->parent)->name, "Processors"), "a processor has a track");
	is_event(5, TYPE_SLICE_BEGIN, 100, "work\xc3\xbc (5)", "on which a thread runs");
	is_event(6, TYPE_SLICE_END, 1100, "", "until the index is full");
	converted_free(&got);
	unlink(m.path);
}

/* More strings than can be interned: the others are written where they are used. */
static void test_strings(void)
{
	static struct perfetto_strings table;
	struct etw_text to = { .len = 0 };
	unsigned int i;
	char name[32];
	struct bytes all;
	struct proto f;

	for (i = 0; i < INTERNED_MAX + 10; i++) {
		to.len = 0;
		table.pending.len = 0;
		snprintf(name, sizeof(name), "name %u", i);
		perfetto_string(&table, &to, INTERNED_NAMES, 10, 23, name, strlen(name));
	}
	all = (struct bytes){ (uint8_t *)to.data, (uint8_t *)to.data + to.len };
	ok(proto_find(all, 23, 0, &f) && proto_is(&f, name) && !table.pending.len,
	   "the index is bounded");
	to.len = 0;
	perfetto_string(&table, &to, INTERNED_NAMES, 10, 23, "name 7", 6);
	all = (struct bytes){ (uint8_t *)to.data, (uint8_t *)to.data + to.len };
	ok(proto_find(all, 10, 0, &f) && f.value == 8, "and its entries stay");
	etw_interner_clear(&table.names);
	etw_text_free(&table.pending);
	etw_text_free(&to);
}

/* A long name for each byte of a payload, when no more names can be interned */
static void test_long_names(void)
{
	static struct perfetto_strings table = { .annotations.bytes = INTERNED_BYTES };
	enum { NAME = 30000, COUNT = 1000 };
	static uint8_t meta[NAME + 32], payload[2 + COUNT];
	EVENT_HEADER_EXTENDED_DATA_ITEM item = { .ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL };
	EVENT_RECORD record = { .ExtendedData = &item, .ExtendedDataCount = 1,
				.UserData = payload, .UserDataLength = sizeof(payload) };
	struct etw_text scratch = { .len = 0 }, to = { .len = 0 };
	struct etw_event event = { .time = 0 };
	struct convert_event e = { .event = &event, .record = &record,
				   .decoder = etw_decoder_new() };
	uint16_t size = 2;

	/* "e", an array "a" of structures of one byte with that name */
	memcpy(meta + size, "\0e\0a\0\xd8\1", 7);
	size += 7;
	memset(meta + size, 'x', NAME);
	size += NAME;
	memcpy(meta + size, "\0\4", 2);
	size += 2;
	memcpy(meta, &size, 2);
	item.DataSize = size;
	item.DataPtr = (uintptr_t)meta;
	memcpy(payload, &(uint16_t){ COUNT }, 2);
	e.known = !etw_decode(e.decoder, &record, &e.decoded);
	perfetto_annotations(&table, &e, SLICE_INSTANT, &scratch, &to);
	ok(e.known && to.len > ETW_FORMAT_MAX && to.len < ETW_FORMAT_MAX + 2 * NAME,
	   "an event's output is bounded: %zu bytes", to.len);
	perfetto_strings_free(&table);
	etw_text_free(&scratch);
	etw_text_free(&to);
	etw_decoder_free(e.decoder);
}

/* protoc reads it as well, if available. */
static void test_protoc(const struct converted *got, const char *name)
{
	FILE *to;

	if (system("command -v protoc >/dev/null 2>&1")) {
		skip("no protoc (Debian: protobuf-compiler)");
		return;
	}
	to = popen("protoc --decode_raw >/dev/null", "w");
	fwrite(got->data, 1, got->len, to);
	is(pclose(to), 0, name);
}

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void test_corpus(const char *path)
{
	static int64_t times[EVENTS];
	struct converted got;
	struct bytes note;
	size_t i, n = 0, differ = 0;
	int err = convert_file(&got, "perfetto", path);

	ok(!err && read_trace(got.data, got.len), "%s can be read", strrchr(path, '/') + 1);
	for (i = 0; i < seen_count; i++)
		if (!find_note(seen[i].body, TRACK_EVENT_ANNOTATION, "unfinished", &note))
			times[n++] = seen[i].time / 100 + ETW_UNIX_EPOCH_100NS;
	qsort(times, n, sizeof(*times), by_time);
	qsort(got.times, got.events, sizeof(*got.times), by_time);
	for (i = 0; i < n && i < got.events; i++)
		differ += times[i] != got.times[i];
	ok(n == got.events && !differ, "%zu events, each once, at its time", n);
	test_protoc(&got, "protoc reads it");
	converted_free(&got);
}

static void is_loss(unsigned int i, int64_t begin, int64_t end, const char *name, const char *on)
{
	const struct track *track, *parent;
	struct bytes note;

	is_event(i, TYPE_SLICE_BEGIN, begin, name, "a loss begins with its first event");
	is_event(i + 1, TYPE_SLICE_END, end, "", "and ends with its last");
	track = track_of(seen[i].track);
	parent = track ? track_of(track->parent) : NULL;
	ok(track && !strcmp(track->name, on) && parent && !strcmp(parent->name, "Lost events"),
	   "on a track of its own");
	ok(find_note(seen[i].body, TRACK_EVENT_ANNOTATION, "Events", &note) &&
	   !find_note(seen[i + 1].body, TRACK_EVENT_ANNOTATION, "unfinished", &note),
	   "with its number of events");
}

static void test_losses(void)
{
	static const struct lost one = { .first = 10, .last = 30, .noted = 50, .code = 0,
					 .cpu = 2, .events = 12 },
				 other = { .first = 20, .last = 40, .noted = 50, .code = 1,
					   .cpu = 2, .events = 3 },
				 of_any = { .first = 20, .last = 20, .noted = 50, .code = 0x100,
					    .cpu = -1, .events = 1 };
	static struct make m;
	struct converted got;

	make_begin(&m, 1);
	make_buffer(&m, 0, 1);
	put_lost(&m.feed, &one, "s");
	put_lost(&m.feed, &other, "s");
	put_lost(&m.feed, &of_any, "s");
	make_put(&m);
	make_end(&m);
	ok(!convert_file(&got, "perfetto", m.path) && read_trace(got.data, got.len), "losses");
	/* The first event is that of the file's header. */
	is_loss(1, 1000, 3000, "lost on CPU 2: no free buffer", "CPU 2");
	is_loss(3, 2000, 4000, "lost on CPU 2: larger than a buffer", "CPU 2");
	ok(seen[1].track != seen[3].track, "losses that overlap are on different tracks");
	is_loss(5, 2000, 2000, "lost: in buffers that a writer never completed", "CPU not known");
	test_protoc(&got, "protoc reads them");
	converted_free(&got);
	unlink(m.path);
}

int main(void)
{
	test_made();
	test_results();
	test_losses();
	test_switches();
	test_lanes(1, 1, 1);
	test_lanes(10, 10, 10);
	test_lanes(64, 64, 64);
	/* More tracks than are kept: new tracks are made. */
	test_lanes(80, 81, 500);
	test_strings();
	test_long_names();
	each_of_corpus(test_corpus);
	return done_testing();
}
