// SPDX-License-Identifier: MIT
/*
 * Common Trace Format out: babeltrace2 prints every event of converted log files, in
 * order, with its time and all values
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "unit/decode/decode_event.h"

#include <errno.h>
#include <glob.h>
#include <unistd.h>

#include "convert/convert.h"
#include "lib/consumer/event_record.h"
#include "convert_ctf.h"
#include "convert_make.h"
#include "lib/shell.h"

#define CPUS	64

static char dir[] = "/tmp/etw-ctf-XXXXXX";

/* ----------------------------------------------- expected lines */

struct line {
	struct line *next;
	char text[];
};

static struct line *first_of[CPUS], **end_of[CPUS];
static unsigned int wanted, clamped;
static int64_t last_of[CPUS];		/* times in ns since 1970 */

static void forget_lines(void)
{
	struct line *line;
	int i;

	for (i = 0; i < CPUS; i++) {
		while ((line = first_of[i])) {
			first_of[i] = line->next;
			free(line);
		}
		end_of[i] = &first_of[i];
		last_of[i] = 0;
	}
	wanted = clamped = 0;
}

/* Time never decreases within a stream: an earlier event gets the time of the event before it. */
static void clamp_time(struct etw_event *event)
{
	__int128 now = (__int128)event->time * 100 + event->nanos;
	int64_t ns = (int64_t)(now - (__int128)FILETIME_1970 * 100), *last = &last_of[event->cpu];

	clamped += ns < *last;
	*last = ns < *last ? *last : ns;
	event->time = *last / 100 + FILETIME_1970;
	event->nanos = (uint8_t)(*last % 100);
}

static void keep_line(unsigned int cpu, const struct etw_text *text)
{
	struct line *line = malloc(sizeof(*line) + text->len + 1);

	if (!line || text->error || cpu >= CPUS)
		abort();
	memcpy(line->text, text->data, text->len + 1);
	line->next = NULL;
	*end_of[cpu] = line;
	end_of[cpu] = &line->next;
	wanted++;
}

/* Convert a file as the command does.  0 or -errno. */
static int convert(const char *path, const struct convert_format *format, const char *to)
{
	const struct etw_etl_info *info;
	struct convert c = { .format = format, .path = to, .sources = &info, .source_count = 1 };
	struct etw_event_items items = { .list = NULL };
	struct etw_decoder *d = etw_decoder_new();
	struct etw_text text = { .data = NULL };
	struct etw_etl_file *file;
	struct etw_event event;
	EVENT_RECORD record;
	int err;

	forget_lines();
	if (etw_etl_open(path, NULL, NULL, &file))
		abort();
	info = etw_etl_info(file);
	c.state = calloc(1, format->size);
	err = format->open(&c);
	while (!err && etw_etl_next(file, &event) == 1) {
		struct convert_event e = { .event = &event, .record = &record, .decoder = d };

		etw_event_record(&record, &event, &items, false);
		e.known = !etw_decode(d, &record, &e.decoded);
		err = format->event(&c, &e);
		etw_decode_rewind(d);
		etw_text_cut(&text, 0);
		clamp_time(&event);
		want_line(&text, &event, &record, e.decoded, d, e.known);
		keep_line(event.cpu, &text);
	}
	c.lost_events = info->header.EventsLost;
	if (format->close(&c, !err) || err) {
		printf("# %s\n", c.problem);
		err = err ? err : -EIO;
	}
	free(c.state);
	etw_text_free(&text);
	etw_event_items_free(&items);
	etw_decoder_free(d);
	etw_etl_close(file);
	return err;
}

static void show_difference(const char *got, const char *want)
{
	int same = 0;

	while (got[same] && got[same] == want[same])
		same++;
	printf("# %.70s\n# at %d got  %.200s\n# at %d want %.200s\n", got, same, got + same, same,
	       want + same);
}

/*
 * Compare each line of babeltrace2 with the next expected one of its CPU; returns the
 * number of differences.
 */
static unsigned int compare(const char *trace, unsigned int *count)
{
	char command[512], *line = NULL, *at;
	unsigned int wrong = 0;
	size_t size = 0;
	double last = -1;
	FILE *f;

	*count = 0;
	snprintf(command, sizeof(command),
		 "exec babeltrace2 --clock-seconds --no-delta '%s' 2>%s/err", trace, dir);
	f = popen(command, "r");
	while (f && getline(&line, &size, f) > 0) {
		unsigned int cpu = CPUS;
		struct line *want;
		double now = strtod(line + 1, NULL);

		at = strstr(line, ": { cpu_id = ");
		if (at)
			cpu = (unsigned int)strtoul(at + 13, NULL, 10);
		want = cpu < CPUS ? first_of[cpu] : NULL;
		trim_line(line);
		if (!want || strcmp(line, want->text) || now < last) {
			if (!wrong++)
				show_difference(line, want ? want->text : "?");
		}
		last = now;
		if (want) {
			first_of[cpu] = want->next;
			free(want);
			if (!first_of[cpu])
				end_of[cpu] = &first_of[cpu];
		}
		++*count;
	}
	free(line);
	if (!f || pclose(f))
		wrong++;
	return wrong;
}

/* beside: text that each line except the log file header's also has; or NULL */
static void check_with(const char *path, const char *name, const char *beside)
{
	unsigned int count;
	char to[128];

	snprintf(to, sizeof(to), "%s/trace", dir);
	if (!ok(!convert(path, &convert_ctf, to), "%s is converted", name))
		return;
	if (!ok(!compare(to, &count), "%s: babeltrace2 says what it should", name) &&
	    !shell("head -c 2000 %s/err | sed 's/^/# /'", dir))
		printf("# no errors\n");
	is(count, wanted, "of every event");
	if (beside)
		ok(shell("n=$(babeltrace2 '%s' 2>/dev/null | grep -cF '%s'); echo \"# $n\"; test $n = %u",
			 to, beside, wanted - 1), "with all attached data");
	if (!shell("rm -rf %s", to))
		abort();
}

static void check(const char *path, const char *name)
{
	check_with(path, name, NULL);
}

/* ------------------------------------------------------------------------ tests */

static void test_items(const char *path)
{
	make_items = true;
	make_file(path, samples, SAMPLES, 2);
	make_items = false;
	check_with(path, "extended items",
		   "sid = \"S-1-5-32-544\", process_start_key = 10, event_key = 9, "
		   "container_id = \"box\", psm_key = \"app\", terminal_session = 7, "
		   "instance = 3, parent_instance = 2 }");
}

/* A manifest's fields with named values */
static void test_maps(const char *path)
{
	static const char *const names[] = { "zero", "a \"quoted\" name", "zero", "minus" };
	static const struct etw_mf_message messages[] = {
		{ .text = &names[0] }, { .text = &names[1] }, { .text = &names[2] },
		{ .text = &names[3] },
	};
	static const struct etw_mf_map_entry entries[] = {
		{ .value = 0, .message = &messages[0] }, { .value = 1, .message = &messages[1] },
		{ .value = 0xFFFFFFFE, .message = &messages[2] },
		{ .value = 0xFFFFFFFD, .message = &messages[3] },
	};
	static const uint32_t by_value[] = { 0, 1, 3, 2 };
	static const struct etw_mf_map map = {
		.name = "M", .entries = entries, .count = 4, .by_value = by_value,
		.by_value_count = 4,
	};
	static const struct etw_mf_field fields[] = {
		{ .name = "small", .in_type = TDH_INTYPE_UINT8, .count = 1, .map = &map },
		{ .name = "large", .in_type = TDH_INTYPE_UINT32, .count = 1, .map = &map },
		{ .name = "narrow", .in_type = TDH_INTYPE_INT8, .count = 1, .map = &map },
		{ .name = "wide", .in_type = TDH_INTYPE_INT64, .count = 1, .map = &map },
	};
	static const struct sample one[] = {
		{ NULL, "00 01000000 01 0100000000000000" }, { NULL, "07 01000000 07 0700000000000000" },
		{ NULL, "01" },
		/* Numbers below 0 */
		{ NULL, "01 01000000 fd fdffffffffffffff" },
	};

	load(fields, 4, 4, NULL);
	make_file(path, one, 4, 1);
	check(path, "names of values");
	unload();
}

/* Events that arrive after later ones, and lost events */
static void test_disorder(const char *path)
{
	make_disorder = true;
	make_file(path, samples, 13, 4);
	make_disorder = false;
	check(path, "times that go back");
	ok(clamped, "%u of them", clamped);
	ok(shell("grep -q 'discarded 5 events' %s/err", dir), "babeltrace2 reports lost events");
}

/*
 * The start of the clock is damaged, and its events have times that CTF cannot express:
 * all events are present and marked.  Late events have the last time that readers accept;
 * early ones have the first, or the file header's, which is before them.
 */
static void test_no_time(const char *path)
{
	static const struct { int byte; const char *time, *what; } cases[] = {
		{ 0x80, "9223372036.854775806", "after 2262" }, { 0x7f, "", "before 1970" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *f;

		make_file(path, samples, 13, 1);
		f = fopen(path, "r+");
		if (!f || fseek(f, 72 + 16 + 7, SEEK_SET) || fputc(cases[i].byte, f) == EOF || fclose(f))
			abort();
		ok(shell("build/etw convert -q --to ctf -o %s.ctf %s", path, path) &&
		   shell("babeltrace2 --clock-seconds %s.ctf >%s/out", path, dir),
		   "%s: it is converted and read", cases[i].what);
		ok(shell("test $(wc -l <%s/out) = 14", dir), "every event");
		ok(shell("test $(grep -F '[%s' %s/out | grep -c '[{,] time = ') = 13", cases[i].time,
			 dir), "but the file's header is marked");
		shell("rm -rf %s.ctf", path);
	}
}

/* Every event has a new kind: memory use is bounded, and no file is left. */
static void test_kinds(const char *path)
{
	enum { COUNT = 60000, NAME = 240 };
	static char meta[2 * NAME + 32] = "00 6500 ";
	struct sample *list = calloc(COUNT, sizeof(*list));
	unsigned int i;

	for (i = 0; i < NAME; i++)
		strcat(meta, "2b");	/* _x2B in metadata */
	strcat(meta, "00 04");
	for (i = 0; i < COUNT; i++)
		list[i] = (struct sample){ meta, "01" };
	make_file(path, list, COUNT, 1);
	ok(shell("build/etw convert -q %s -o %s.ctf 2>&1 | "
		 "grep -q 'too many kinds of events for CTF: [0-9]* have more than 64 MB'", path, path),
	   "too many kinds of events are reported");
	ok(shell("test ! -e %s.ctf", path), "and nothing is left");
	free(list);
}

static void test_corpus(void)
{
	const char *corpus = getenv("ETW_CORPUS") ?: "../shared/corpus";
	char pattern[1024];
	glob_t files;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/etl/*.etl", corpus);
	if (glob(pattern, 0, NULL, &files)) {
		skip("no log files in %s/etl", corpus);
		return;
	}
	for (i = 0; i < files.gl_pathc; i++)
		check(files.gl_pathv[i], strrchr(files.gl_pathv[i], '/') + 1);
	globfree(&files);
}

int main(void)
{
	char path[64];

	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/in.etl", dir);
	make_file(path, samples, SAMPLES, 1);
	check(path, "events of all kinds");
	make_file(path, samples, SAMPLES, 300);
	check(path, "many packets");
	test_items(path);
	test_maps(path);
	test_disorder(path);
	test_no_time(path);
	test_kinds(path);
	test_corpus();
	forget_lines();
	etw_text_free(&want_names);
	if (!shell("rm -rf %s", dir))
		abort();
	clean_up();
	return done_testing();
}
