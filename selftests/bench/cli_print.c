// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_print - output speed of "etw dump", in events per second of CPU time
 *
 *	cli_print [--json FILE] [--events N]
 *
 * The event is u32, u64, char[16] and a string of 31 characters, from a manifest and from
 * TraceLogging, as in the benchmark "decode"; the difference is the cost of the command
 * itself.  Records pass from their session format through decoding and the look-up of the
 * process name to lines in /dev/null.  The result is the best of several rounds.
 */
#include <fcntl.h>
#include <sys/resource.h>

#include "unit/print/cli_print.h"

#define ROUNDS	5
#define POOL	256	/* events kept in memory, used in turn */

static const char manifest_text[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
	" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>"
	"<instrumentation><events><provider name='Bench' symbol='BENCH' resourceFileName='b'"
	" messageFileName='b' guid='{00000001-0002-0003-0405-060708090a0b}'>"
	"<tasks><task name='Transfer' value='1'/></tasks>"
	"<templates><template tid='T'><data name='number' inType='win:UInt32'/>"
	"<data name='bytes' inType='win:UInt64'/>"
	"<data name='device' inType='win:AnsiString' length='16'/>"
	"<data name='file' inType='win:AnsiString'/></template></templates>"
	"<events><event value='1' task='Transfer' level='win:Informational' template='T'"
	" symbol='Transfer'/></events></provider></events></instrumentation>"
	"</instrumentationManifest>";

static const char schema[] = "\0Transfer\0number\0\x08" "bytes\0\x0a" "device\0\x17" "file\0\x02";

static struct {
	const char *key, *title;
	bool tracelogging;
	void (*print)(struct event_printer *printer, const struct etw_event *event);
	const char *format;
	bool no_names;
	double best;	/* seconds for all events */
} rows[] = {
	{ "manifest_text", "manifest, text", false, event_print_text, NULL, false, 0 },
	{ "manifest_text_no_names", "manifest, text, --no-names", false, event_print_text, NULL,
	  true, 0 },
	{ "tracelogging_text", "TraceLogging, text", true, event_print_text, NULL, false, 0 },
	{ "manifest_format", "manifest, --format '%t %P %e %f'", false, event_print_format,
	  "%t %P %e %f", false, 0 },
	{ "manifest_json", "manifest, JSON", false, event_print_json, NULL, false, 0 },
	{ "tracelogging_json", "TraceLogging, JSON", true, event_print_json, NULL, false, 0 },
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void make_event(struct sample *s, bool tracelogging, uint32_t number)
{
	const uint64_t bytes = 123456789ull * number;
	const uint16_t len = 16;

	begin(s, &nobody, tracelogging ? 0 : 1);
	s->event.time += number * 1000;
	if (tracelogging) {
		add_traits(s, "Bench");
		add_schema(s, schema, sizeof(schema) - 1);
	} else {
		s->header.desc.task = 1;
	}
	add_u32(s, number);
	add(s, &bytes, 8);
	if (tracelogging)
		add(s, &len, 2);
	add(s, "/dev/nvme0n1p123", 16);
	add(s, "/usr/share/doc/some/changelog.gz", 33);
	s->event.record = (struct etw_record_view){
		.header = &s->header, .data = s->payload, .data_len = s->len, .ext = s->ext,
		.ext_len = s->ext_len };
	s->event.buffer = &s->buffer;
}

static void run_row(struct event_printer *printer, struct sample *pool, unsigned int row,
		    unsigned int events)
{
	struct processes processes = { .procs = (struct procs *)pool };
	const char *error;
	size_t column;
	unsigned int i;
	double begin_at, took;

	for (i = 0; i < POOL; i++)
		make_event(&pool[i], rows[row].tracelogging, i);
	printer->processes = rows[row].no_names ? NULL : &processes;
	if (rows[row].format)
		printer->format = event_format_parse(rows[row].format, &error, &column);
	begin_at = cpu_seconds();
	for (i = 0; i < events; i++)
		rows[row].print(printer, &pool[i % POOL].event);
	event_flush(printer);
	took = cpu_seconds() - begin_at;
	if (!rows[row].best || took < rows[row].best)
		rows[row].best = took;
	event_format_free(printer->format);
	printer->format = NULL;
}

static int write_json(const char *path, unsigned int events)
{
	FILE *file = fopen(path, "w");
	unsigned int i;

	if (!file)
		return -1;
	fprintf(file, "{\n    \"unit\": \"events per CPU second\",\n    \"events\": %u,\n"
		"    \"rows\": [\n", events);
	for (i = 0; i < ROWS; i++)
		fprintf(file, "      {\"key\": \"%s\", \"per_second\": %.0f}%s\n", rows[i].key,
			events / rows[i].best, i + 1 < ROWS ? "," : "");
	fputs("    ]\n  }\n", file);
	return fclose(file);
}

static int load(void)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest;
	int err = etw_manifest_read_memory(manifest_text, sizeof(manifest_text) - 1, "bench",
					   &manifest, &problems);

	if (err)
		fprintf(stderr, "cli_print: manifest: %s\n",
			problems.count ? problems.list[0].text : strerror(-err));
	return err ? err : etw_store_add(manifest);
}

int main(int argc, char **argv)
{
	static struct sample pool[POOL];
	static struct event_printer printer;
	const char *json = getenv("ETW_BENCH_JSON");
	unsigned int events = 400000, round, i;
	FILE *table = stdout;

	for (i = 1; i + 1 < (unsigned int)argc; i += 2) {
		if (!strcmp(argv[i], "--json"))
			json = argv[i + 1];
		else if (!strcmp(argv[i], "--events"))
			events = (unsigned int)atoi(argv[i + 1]);
		else
			break;
	}
	if (i < (unsigned int)argc || !events) {
		fputs("usage: cli_print [--json FILE] [--events N]\n", stderr);
		return 2;
	}
	if (load())
		return 1;
	stdout = fopen("/dev/null", "w");
	/* The replacement for /proc answers from one slot, as for a batch. */
	process_is = thread_is = "postgres";
	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < ROWS; i++)
			run_row(&printer, pool, i, events);
	fprintf(table, "%-42s %14s\n", "etw dump, u32, u64, char[16], string", "events/s of CPU");
	for (i = 0; i < ROWS; i++)
		fprintf(table, "%-42s %14.0f\n", rows[i].title, events / rows[i].best);
	return json && write_json(json, events) ? 1 : 0;
}
