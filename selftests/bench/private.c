// SPDX-License-Identifier: MIT
/*
 * private - what an event of a private session costs, beside the least it could
 *
 *	private [--json FILE] [--lttng-ust NS]
 *
 * The event has a u32, a u64 and 16 characters. The floor is what no tracer can do without: a
 * clock is read and the record's bytes are copied. Times are the best of many short runs, since
 * the machine does other things as well. --lttng-ust is the figure that lttng/measure.sh
 * measured in the same way. The JSON goes to FILE or to the file named in $ETW_BENCH_JSON.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <evntprov.h>
#include <evntrace.h>
#include <TraceLoggingProvider.h>
#include "bench/ran.h"
#include "bench/sort.h"

#define BATCH		2000
#define BATCHES		2000
#define TO_FILE		1000000
#define EACH		1000000		/* events of each thread */
#define PAIRS		15
#define RECORD		112		/* bytes of the event in a buffer */

TRACELOGGING_DEFINE_PROVIDER(tl_provider, "Etw-Bench-Private",
	(0xB1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 1));

static const GUID guid = { 0xB2, 2, 3, { 4 } }, tl_guid = { 0xB1, 2, 3, { 4, 0, 0, 0, 0, 0, 0, 1 } };
static const EVENT_DESCRIPTOR event = { .Id = 1, .Level = 4, .Keyword = 1 };
static const char text[16] = "fifteen letters";

static REGHANDLE prov;

enum row { FLOOR, DISABLED, MEMORY, TWO, TRACELOGGING, FILTERED, TO_A_FILE, LTTNG, ROWS };

static struct {
	const char *key, *title;
	double ns;
} rows[ROWS] = {
	[FLOOR] = { "floor", "floor: a clock and a copy", 0 },
	[DISABLED] = { "disabled", "not enabled", 0 },
	[MEMORY] = { "memory", "to a private session", 0 },
	[TWO] = { "two", "to two private sessions", 0 },
	[TRACELOGGING] = { "tracelogging", "the same with TraceLogging", 0 },
	[FILTERED] = { "filtered", "rejected by level", 0 },
	[TO_A_FILE] = { "file", "into a file, both threads' CPU time", 0 },
	[LTTNG] = { "lttng_ust", "LTTng-UST, to a snapshot session", 0 },
};

static double speedup;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static __attribute__((__noinline__)) void write_one(uint32_t a, uint64_t b)
{
	EVENT_DATA_DESCRIPTOR data[3];

	EventDataDescCreate(&data[0], &a, sizeof(a));
	EventDataDescCreate(&data[1], &b, sizeof(b));
	EventDataDescCreate(&data[2], text, sizeof(text));
	EventWrite(prov, &event, 3, data);
}

static __attribute__((__noinline__)) void write_tl(uint32_t a, uint64_t b)
{
	TraceLoggingWrite(tl_provider, "Event", TraceLoggingLevel(4), TraceLoggingUInt32(a, "a"),
			  TraceLoggingUInt64(b, "b"),
			  TraceLoggingCharFixedArray(text, sizeof(text), "c"));
}

static char copied[BATCH * RECORD];

static __attribute__((__noinline__)) void floor_one(uint32_t a, uint64_t b)
{
	uint64_t *to = (uint64_t *)(copied + a % BATCH * RECORD);

#ifdef __x86_64__
	to[0] = __builtin_ia32_rdtsc();
#else
	to[0] = (uint64_t)now_ns();
#endif
	to[1] = b;
	memcpy(to + 2, copied + sizeof(copied) - RECORD + 16, RECORD - 16);
	__asm__ volatile("" : : : "memory");
}

/* ns of one call, the best of many runs */
static double best(void (*fn)(uint32_t, uint64_t))
{
	double least = 1e9, took;
	uint32_t batch, i;

	for (batch = 0; batch < BATCHES; batch++) {
		took = now_ns();
		for (i = 0; i < BATCH; i++)
			fn(i, batch);
		took = (now_ns() - took) / BATCH;
		least = took < least ? took : least;
	}
	return least;
}

/* ---------------------------------------------------------------- sessions */

struct block {
	EVENT_TRACE_PROPERTIES p;
	char name[64], file[64];
};

static void begin(struct block *b, const char *file)
{
	memset(b, 0, sizeof(*b));
	b->p.Wnode.BufferSize = sizeof(*b);
	b->p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
	b->p.LoggerNameOffset = offsetof(struct block, name);
	b->p.LogFileNameOffset = offsetof(struct block, file);
	strcpy(b->file, file ? file : "");
}

static TRACEHANDLE start(const char *name, const GUID *provider, const char *file)
{
	struct block b;
	TRACEHANDLE h = 0;

	begin(&b, file);
	b.p.Wnode.Guid = *provider;
	b.p.LogFileMode = EVENT_TRACE_PRIVATE_LOGGER_MODE | EVENT_TRACE_PRIVATE_IN_PROC |
			  (file ? 0 : EVENT_TRACE_BUFFERING_MODE);
	/* A file gets all of them, however late its thread is. */
	b.p.MinimumBuffers = file ? TO_FILE / 500 : 16;
	if (StartTraceA(&h, name, &b.p) ||
	    EnableTraceEx2(h, provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 4, 0, 0, 0, NULL)) {
		fprintf(stderr, "private: session %s does not start\n", name);
		exit(1);
	}
	return h;
}

/* Events that were lost */
static ULONG stop(TRACEHANDLE h)
{
	struct block b;

	begin(&b, NULL);
	if (ControlTraceA(h, NULL, &b.p, EVENT_TRACE_CONTROL_STOP)) {
		fputs("private: a session does not stop\n", stderr);
		exit(1);
	}
	return b.p.EventsLost;
}

static double to_file(void)
{
	char path[] = "/dev/shm/etw-bench-XXXXXX";
	int fd = mkstemp(path);
	TRACEHANDLE h;
	double took;
	uint32_t i;

	if (fd < 0)
		return 0;
	h = start("file", &guid, path);
	took = ran_self();
	for (i = 0; i < TO_FILE; i++)
		write_one(i, i);
	if (stop(h)) {
		fputs("private: events were lost on their way to the file\n", stderr);
		exit(1);
	}
	took = ran_self() - took;
	close(fd);
	unlink(path);
	return took / TO_FILE;
}

/* ----------------------------------------------------------------- threads */

static void *write_many(void *arg)
{
	uint32_t i;

	for (i = 0; i < EACH; i++)
		write_one(i, (uintptr_t)arg);
	return NULL;
}

/*
 * Events per ns that each of the threads runs: the machine need not be idle, but what they wait
 * for each other's cache lines counts.
 */
static double rate(bool two)
{
	double took = ran_self();
	pthread_t other;

	if (two && pthread_create(&other, NULL, write_many, NULL))
		exit(1);
	write_many(NULL);
	if (two)
		pthread_join(other, NULL);
	took = ran_self() - took;
	return (two ? 2 : 1) * (two ? 2 : 1) * EACH / took;
}

/* How many times as many events two threads write as one would: the median of pairs of runs */
static double threads(void)
{
	double ratio[PAIRS];
	int i;

	for (i = 0; i < PAIRS; i++) {
		ratio[i] = rate(true);
		ratio[i] /= rate(false);
	}
	sort_figures(ratio, PAIRS);
	return ratio[PAIRS / 2];
}

/* ------------------------------------------------------------------ results */

static void above_level(uint32_t a, uint64_t b)
{
	static const EVENT_DESCRIPTOR verbose = { .Id = 1, .Level = 5, .Keyword = 1 };

	(void)a;
	(void)b;
	EventWrite(prov, &verbose, 0, NULL);
}

static void measure(void)
{
	TRACEHANDLE one, two;

	rows[FLOOR].ns = best(floor_one);
	rows[DISABLED].ns = best(write_one);
	one = start("one", &guid, NULL);
	rows[MEMORY].ns = best(write_one);
	rows[FILTERED].ns = best(above_level);
	speedup = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? threads() : 0;
	two = start("two", &guid, NULL);
	rows[TWO].ns = best(write_one);
	stop(one);
	stop(two);
	one = start("tl", &tl_guid, NULL);
	rows[TRACELOGGING].ns = best(write_tl);
	stop(one);
	rows[TO_A_FILE].ns = to_file();
}

static void print(void)
{
	int i;

	printf("%-42s %14s %8s\n", "an event of a program", "ns", "of LTTng");
	for (i = 0; i < ROWS; i++) {
		if (!rows[i].ns)
			continue;
		printf("%-42s %14.1f", rows[i].title, rows[i].ns);
		if (rows[LTTNG].ns)
			printf(" %8.2f", rows[i].ns / rows[LTTNG].ns);
		putchar('\n');
	}
	if (speedup)
		printf("%-50s %6.2f\n", "two threads, times the events of one, by CPU time", speedup);
}

static int write_json(const char *path)
{
	FILE *f = fopen(path, "we");
	int i;

	if (!f)
		return 1;
	fprintf(f, "{\n    \"unit\": \"ns\",\n    \"two_threads\": %.2f,\n    \"rows\": [", speedup);
	for (i = 0; i < ROWS; i++)
		if (rows[i].ns)
			fprintf(f, "%s\n      {\"key\": \"%s\", \"ns\": %.1f}", i ? "," : "",
				rows[i].key, rows[i].ns);
	fputs("\n    ]\n  }\n", f);
	return fclose(f) != 0;
}

int main(int argc, char **argv)
{
	const char *json = getenv("ETW_BENCH_JSON");
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--json"))
			json = argv[i + 1];
		else if (!strcmp(argv[i], "--lttng-ust"))
			rows[LTTNG].ns = atof(argv[i + 1]);
		else
			break;
	}
	if (i < argc) {
		fputs("usage: private [--json FILE] [--lttng-ust NS]\n", stderr);
		return 2;
	}
	if (EventRegister(&guid, NULL, NULL, &prov) || TraceLoggingRegister(tl_provider)) {
		fputs("private: the providers cannot be registered\n", stderr);
		return 1;
	}
	measure();
	print();
	TraceLoggingUnregister(tl_provider);
	EventUnregister(prov);
	return json ? write_json(json) : 0;
}
