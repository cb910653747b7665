// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode - events per second as text and as JSON, compared with babeltrace2
 *
 *	decode [--json FILE] [--events N]
 *
 * The event is u32, u64, char[16] and a string of 31 characters, from a manifest, from
 * TraceLogging, and in a CTF trace.  Ours: find the schema, decode, format a line with
 * time, CPU, process, thread, provider, event, level and fields, write to /dev/null.
 * babeltrace2: read the trace from a file in memory, and its sink "text.pretty" to
 * /dev/null, minus the time for a trace of one event.
 *
 * All times are CPU seconds, user and system, because the machine may be shared; the
 * result is the best of several interleaved rounds.  JSON goes to FILE or to the file
 * named in $ETW_BENCH_JSON.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <etw/decode.h>
#include "bench/ctf.h"
#include "tdh/store/store.h"
#include "base/text.h"

#define ROUNDS		5
#define FLUSH		65536
#define POOL		1024	/* events kept in memory: as many as fit a buffer */
#define TEXT_AIM	10.0
#define JSON_AIM	5.0

static unsigned int events = 400000;
static int null_fd;

static const char manifest[] =
	"<instrumentationManifest xmlns=\"http://schemas.microsoft.com/win/2004/08/events\""
	" xmlns:win=\"http://manifests.microsoft.com/win/2004/08/windows/events\""
	" xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"><instrumentation><events>"
	"<provider name=\"Bench\" guid=\"{3f2b0fd4-41f3-4c8e-a2ad-3c8f9bb84c55}\" symbol=\"BENCH\""
	" resourceFileName=\"b\" messageFileName=\"b\">"
	"<tasks><task name=\"Transfer\" value=\"1\"/></tasks>"
	"<templates><template tid=\"T\"><data name=\"number\" inType=\"win:UInt32\"/>"
	"<data name=\"bytes\" inType=\"win:UInt64\"/>"
	"<data name=\"device\" inType=\"win:AnsiString\" length=\"16\"/>"
	"<data name=\"file\" inType=\"win:AnsiString\"/></template></templates>"
	"<events><event value=\"1\" task=\"Transfer\" level=\"win:Informational\" template=\"T\""
	" symbol=\"Transfer\"/></events></provider></events></instrumentation>"
	"</instrumentationManifest>";

/* u32, u64, counted string, string */
static const unsigned char metadata[] =
	"\x2b\0\0Transfer\0number\0\x08" "bytes\0\x0a" "device\0\x97\x02" "file\0\x82\x02";
static const unsigned char traits[] = "\x08\0Bench";

struct row {
	const char *key, *title;
	bool tracelogging, json;
	double best;	/* seconds of CPU time for all events */
};

static struct row rows[] = {
	{ "manifest_text", "manifest, text", false, false, 0 },
	{ "tracelogging_text", "TraceLogging, text", true, false, 0 },
	{ "manifest_json", "manifest, JSON", false, true, 0 },
	{ "tracelogging_json", "TraceLogging, JSON", true, true, 0 },
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

static double cpu_seconds(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* An event as a consumer gets it. */
struct event {
	EVENT_RECORD record;
	EVENT_HEADER_EXTENDED_DATA_ITEM items[2];
	unsigned char payload[64];
};

static void make_event(struct event *e, unsigned int i, bool tracelogging)
{
	static const GUID guid = {
		0x3f2b0fd4, 0x41f3, 0x4c8e, { 0xa2, 0xad, 0x3c, 0x8f, 0x9b, 0xb8, 0x4c, 0x55 }
	};
	EVENT_HEADER *header = &e->record.EventHeader;
	unsigned int size = bench_payload(e->payload, i);

	header->ProviderId = guid;
	header->Flags = EVENT_HEADER_FLAG_64_BIT_HEADER | EVENT_HEADER_FLAG_PROCESSOR_INDEX;
	header->TimeStamp.QuadPart = 133600000000000000 + (LONGLONG)(bench_ns(i) / 100);
	header->ProcessId = 4711;
	header->ThreadId = 4712;
	header->EventDescriptor.Level = 4;
	e->record.BufferContext.ProcessorIndex = 3;
	e->record.UserData = e->payload;
	if (tracelogging) {
		e->items[0].ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL;
		e->items[0].DataSize = metadata[0];
		e->items[0].DataPtr = (uintptr_t)metadata;
		e->items[1].ExtType = EVENT_HEADER_EXT_TYPE_PROV_TRAITS;
		e->items[1].DataSize = traits[0];
		e->items[1].DataPtr = (uintptr_t)traits;
		e->record.ExtendedData = e->items;
		e->record.ExtendedDataCount = 2;
		/* A counted string starts with its length. */
		memmove(e->payload + 14, e->payload + 12, size - 12);
		memcpy(e->payload + 12, "\x10", 2);
		size += 2;
	} else {
		header->EventDescriptor.Id = 1;
		header->EventDescriptor.Task = 1;
	}
	e->record.UserDataLength = (USHORT)size;
}

/* Many events share a second, so cache the second's text, as the command does. */
static void put_time(struct etw_text *out, uint64_t time)
{
	static struct etw_text last;
	static uint64_t last_second;

	if (!last.len || time / 10000000 != last_second) {
		etw_text_cut(&last, 0);
		etw_text_time(&last, time);
		etw_text_cut(&last, sizeof("2026-01-31T12:34:56.") - 1);
		last_second = time / 10000000;
	}
	etw_text_add(out, last.data, last.len);
	etw_text_unsigned(out, time % 10000000, 7);
	etw_text_char(out, 'Z');
}

static const char *name_of(const struct etw_decoded *event)
{
	return event->event ? event->event : event->task;
}

static void text_line(struct etw_text *out, struct etw_decoder *decoder,
		      const EVENT_RECORD *record, const struct etw_decoded *event)
{
	put_time(out, (uint64_t)record->EventHeader.TimeStamp.QuadPart);
	etw_text_puts(out, " [");
	etw_text_unsigned(out, GetEventProcessorIndex((PEVENT_RECORD)record), 3);
	etw_text_puts(out, "] ");
	etw_text_unsigned(out, record->EventHeader.ProcessId, 1);
	etw_text_char(out, '/');
	etw_text_unsigned(out, record->EventHeader.ThreadId, 1);
	etw_text_char(out, ' ');
	etw_text_escape(out, event->provider, strlen(event->provider));
	etw_text_char(out, ' ');
	etw_text_escape(out, name_of(event), strlen(name_of(event)));
	etw_text_char(out, ' ');
	etw_text_puts(out, event->level);
	etw_text_char(out, ' ');
	etw_format_fields(out, decoder, 0);
	etw_text_char(out, '\n');
}

static void json_line(struct etw_text *out, struct etw_decoder *decoder,
		      const EVENT_RECORD *record, const struct etw_decoded *event)
{
	etw_text_puts(out, "{\"time\":\"");
	put_time(out, (uint64_t)record->EventHeader.TimeStamp.QuadPart);
	etw_text_puts(out, "\",\"provider\":\"");
	etw_text_guid(out, &record->EventHeader.ProviderId);
	etw_text_puts(out, "\",\"provider_name\":");
	etw_text_json_string(out, event->provider, strlen(event->provider));
	etw_text_puts(out, ",\"id\":");
	etw_text_unsigned(out, record->EventHeader.EventDescriptor.Id, 1);
	etw_text_puts(out, ",\"level\":");
	etw_text_unsigned(out, record->EventHeader.EventDescriptor.Level, 1);
	etw_text_puts(out, ",\"keyword\":\"");
	etw_text_0x(out, record->EventHeader.EventDescriptor.Keyword);
	etw_text_puts(out, "\",\"pid\":");
	etw_text_unsigned(out, record->EventHeader.ProcessId, 1);
	etw_text_puts(out, ",\"tid\":");
	etw_text_unsigned(out, record->EventHeader.ThreadId, 1);
	etw_text_puts(out, ",\"cpu\":");
	etw_text_unsigned(out, GetEventProcessorIndex((PEVENT_RECORD)record), 1);
	etw_text_puts(out, ",\"event\":");
	etw_text_json_string(out, name_of(event), strlen(name_of(event)));
	etw_text_puts(out, ",\"fields\":");
	etw_format_json(out, decoder);
	etw_text_puts(out, "}\n");
}

static void flush(struct etw_text *out)
{
	if (write(null_fd, out->data, out->len) != (ssize_t)out->len)
		exit(1);
	etw_text_cut(out, 0);
}

static int run(struct row *row)
{
	struct etw_decoder *decoder = etw_decoder_new();
	struct event *list = calloc(POOL, sizeof(*list));
	const struct etw_decoded *event;
	struct etw_text out = { 0 };
	double took;
	unsigned int i;
	int ret = 0;

	if (!decoder || !list)
		return -1;
	for (i = 0; i < POOL; i++)
		make_event(&list[i], i, row->tracelogging);
	took = cpu_seconds(RUSAGE_SELF);
	for (i = 0; i < events && !ret; i++) {
		const EVENT_RECORD *record = &list[i % POOL].record;

		ret = etw_decode(decoder, record, &event);
		if (!ret)
			(row->json ? json_line : text_line)(&out, decoder, record, event);
		if (out.len >= FLUSH)
			flush(&out);
	}
	flush(&out);
	took = cpu_seconds(RUSAGE_SELF) - took;
	if (!row->best || took < row->best)
		row->best = took;
	if (ret)
		fprintf(stderr, "decode: an event cannot be decoded: %s\n", strerror(-ret));
	etw_decoder_free(decoder);
	etw_text_free(&out);
	free(list);
	return ret;
}

/* Seconds of CPU time that babeltrace2 takes; negative: it failed. */
static double babeltrace(const char *dir)
{
	double before = cpu_seconds(RUSAGE_CHILDREN);
	int status;
	pid_t pid = fork();

	if (!pid) {
		dup2(null_fd, 1);
		execlp("babeltrace2", "babeltrace2", dir, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -1;
	return cpu_seconds(RUSAGE_CHILDREN) - before;
}

static int make_traces(char *one, char *all)
{
	const char *tmp = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	sprintf(one, "%s/etw-bench-one-XXXXXX", tmp);
	sprintf(all, "%s/etw-bench-all-XXXXXX", tmp);
	if (!mkdtemp(one) || !mkdtemp(all) || ctf_write(one, 1) || ctf_write(all, events)) {
		perror("decode: CTF trace");
		return -1;
	}
	return 0;
}

static void remove_trace(const char *dir)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/metadata", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/stream", dir);
	unlink(path);
	rmdir(dir);
}

static int measure(double *peer)
{
	char one[64], all[64];
	unsigned int round, i;
	int ret;

	ret = make_traces(one, all);
	for (round = 0; round < ROUNDS && !ret; round++) {
		double start = babeltrace(one), took = babeltrace(all);

		if (start < 0 || took < 0) {
			fprintf(stderr, "decode: babeltrace2 failed; see scripts/setup\n");
			ret = -1;
			break;
		}
		if (!*peer || took - start < *peer)
			*peer = took - start;
		for (i = 0; i < ROWS && !ret; i++)
			ret = run(&rows[i]);
	}
	remove_trace(one);
	remove_trace(all);
	return ret;
}

static int print_json(const char *path, double peer)
{
	FILE *f = fopen(path, "we");
	unsigned int i;

	if (!f) {
		perror(path);
		return -1;
	}
	fprintf(f, "{\n    \"unit\": \"events per CPU second\",\n    \"events\": %u,\n"
		"    \"babeltrace2\": %.0f,\n    \"rows\": [\n", events, events / peer);
	for (i = 0; i < ROWS; i++)
		fprintf(f, "      {\"key\": \"%s\", \"per_second\": %.0f, \"ratio\": %.2f}%s\n",
			rows[i].key, events / rows[i].best, peer / rows[i].best,
			i + 1 < ROWS ? "," : "");
	fprintf(f, "    ]\n  }\n");
	return fclose(f) ? -1 : 0;
}

static void print_table(double peer)
{
	unsigned int i;

	printf("\n%-42s %12s %8s %6s\n", "decoding, per second of CPU time", "events", "ratio",
	       "aim");
	printf("%-42s %12.0f\n", "babeltrace2, text", events / peer);
	for (i = 0; i < ROWS; i++)
		printf("%-42s %12.0f %8.1f %6.1f\n", rows[i].title, events / rows[i].best,
		       peer / rows[i].best, rows[i].json ? JSON_AIM : TEXT_AIM);
}

static int load_manifest(void)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *m;
	int ret = etw_manifest_read_memory(manifest, sizeof(manifest) - 1, "bench", &m, &problems);

	if (ret) {
		fprintf(stderr, "decode: manifest: %s\n",
			problems.count ? problems.list[0].text : strerror(-ret));
		return ret;
	}
	ret = etw_store_add(m);
	etw_manifest_put(m);
	etw_problems_free(&problems);
	return ret;
}

int main(int argc, char **argv)
{
	const char *json = getenv("ETW_BENCH_JSON");
	double peer = 0;
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--json"))
			json = argv[i + 1];
		else if (!strcmp(argv[i], "--events") && atoi(argv[i + 1]) > 0)
			events = (unsigned int)atoi(argv[i + 1]);
		else
			break;
	}
	if (i < argc) {
		fprintf(stderr, "usage: decode [--json FILE] [--events N]\n");
		return 2;
	}
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null_fd < 0 || load_manifest() || measure(&peer))
		return 1;
	if (json && print_json(json, peer))
		return 1;
	print_table(peer);
	return 0;
}
