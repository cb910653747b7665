// SPDX-License-Identifier: MIT
/* Every event keeps its time to the nanosecond when merged, and when converted to CTF and back */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "convert_make.h"

#include <math.h>
#include <unistd.h>

#include "etl/file.h"

#define EVENTS	9000

static char dir[] = "/tmp/etw-times-XXXXXX";

struct moment {
	int64_t time;
	uint8_t nanos;
};

static bool run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool run(const char *format, ...)
{
	char command[512];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return ok(!system(command), "%s", strchr(command, ' ') + 1);
}

/* A file of events of three CPUs */
struct kind {
	uint64_t frequency;
	uint64_t step;		/* all times are multiples of this many ticks; 0: 1 */
	unsigned int drift;	/* millionths by which the clock is slow, as buffers show ... */
	unsigned int wander;	/* ... and its variation, in periods of ten minutes */
	unsigned int shorter;	/* halve the two hours this many times */
	unsigned int after;	/* uptime of its clock at the start, in seconds */
	uint32_t boot;		/* files with different values have different clocks */
};

/* FILETIME of the wall clock this many seconds after the common start */
static int64_t wall(const struct kind *k, double seconds)
{
	return (int64_t)((seconds * (1 + k->drift * 1e-6) +
			  k->wander * 1e-6 * 100 * (1 - cos(seconds / 100))) * 1e7);
}

static void make(const char *name, const struct kind *k)
{
	struct etw_etl_options options = { .replace = true, .buffer_size = 1024 };
	_Alignas(8) static unsigned char record[4096];
	const int64_t begin = 777000000, start = 133000000000000000;
	uint64_t ticks, random = 1, step = k->step ? k->step : 1;
	struct etw_etl_writer *writer;
	struct etw_etl_info here;
	unsigned int i;
	char path[64];

	etw_etl_info_here(&here);
	here.header.NumberOfProcessors = 3;
	here.header.PerfFreq.QuadPart = (int64_t)k->frequency;
	here.header.StartTime.QuadPart = start + wall(k, k->after);
	here.header.BootTime.QuadPart = start - k->boot * 36000000000;
	here.start_clock = begin + (int64_t)(k->after * k->frequency);
	options.like = &here;
	ticks = (uint64_t)here.start_clock;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (etw_etl_create(path, &options, &writer))
		abort();
	for (i = 0; i < EVENTS; i++) {
		uint64_t since = ticks - (uint64_t)begin;
		uint32_t size;

		if (k->drift)
			etw_etl_pair(writer, (int64_t)ticks,
				     start + wall(k, (double)since / (double)k->frequency));
		random = random * 6364136223846793005u + 1442695040888963407u;
		ticks += (random >> 34 >> k->shorter) / step * step;
		size = make_record(record, &samples[3], ticks, 3);
		if (etw_etl_write(writer, (uint16_t)(random >> 20 & 1 ? 0 : i % 3), record, size))
			abort();
	}
	if (etw_etl_finish(writer, 0, NULL))
		abort();
}

/* The times of a file's events, without its header's */
static unsigned int read_times(const char *name, struct moment *to, unsigned int room)
{
	struct etw_event event;
	struct etw_etl_file *file;
	unsigned int n = 0;
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (etw_etl_open(path, NULL, NULL, &file))
		return 0;
	while (etw_etl_next(file, &event) == 1 && n < room)
		if (event.record.header->process_id == 4)
			to[n++] = (struct moment){ event.time, event.nanos };
	etw_etl_close(file);
	return n;
}

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time) - (x->time < y->time) :
	       x->nanos - y->nanos;
}

/* The times of in.etl, and of other.etl if both, match those of the parts within nanos ns. */
static void compare_parts(const char *const *parts, bool both, int nanos, const char *what)
{
	static struct moment before[2 * EVENTS], after[2 * EVENTS];
	unsigned int n = read_times("in.etl", before, EVENTS), count = 0, i, differ = 0;
	int64_t off, most = 0;

	is(n, EVENTS, "there is a file");
	if (both)
		n += read_times("other.etl", before + n, EVENTS);
	for (; *parts; parts++)
		count += read_times(*parts, after + count, 2 * EVENTS - count);
	is(count, n, "as many events");
	qsort(before, n, sizeof(*before), by_time);
	qsort(after, count, sizeof(*after), by_time);
	for (i = 0; i < n; i++) {
		off = (after[i].time - before[i].time) * 100 + after[i].nanos - before[i].nanos;
		off = off < 0 ? -off : off;
		most = off > most ? off : most;
		if (off > nanos && !differ++)
			printf("# event %u: %lld.%02u became %lld.%02u\n", i,
			       (long long)before[i].time, before[i].nanos,
			       (long long)after[i].time, after[i].nanos);
	}
	printf("# %s: up to %lld ns\n", what, (long long)most);
	is(differ, 0, what);
}

static void compare(const char *name, const char *what)
{
	compare_parts((const char *const[]){ name, NULL }, false, 0, what);
}

/* Merge in.etl, and other.etl if both; then merge the result again */
static void test_merged(bool both, int nanos)
{
	char other[64] = "";

	if (both)
		snprintf(other, sizeof(other), " %s/other.etl", dir);
	run("build/etw merge -q %s/in.etl%s -o %s/merged.etl", dir, other, dir);
	compare_parts((const char *const[]){ "merged.etl", NULL }, both, nanos, "merged");
	run("build/etw merge -q %s/merged.etl -o %s/again.etl", dir, dir);
	compare_parts((const char *const[]){ "again.etl", NULL }, both, nanos, "merged again");
	run("rm %s/merged.etl %s/again.etl", dir, dir);
}

static void test_split(const char *by, int nanos)
{
	static const char *const parts[] = { "p0.etl", "p1.etl", "p2.etl", "p3.etl", NULL };

	run("build/etw split -q --by %s %s/in.etl -o %s/p%%d.etl", by, dir, dir);
	compare_parts(parts, false, nanos, by);
	run("rm %s/p*.etl", dir);
}

static void test_ctf(void)
{
	if (access("build/etw-ctf-reader", X_OK)) {
		skip("etw-ctf-reader was not built");
		return;
	}
	run("build/etw convert -q %s/in.etl -o %s/trace.ctf", dir, dir);
	run("build/etw convert -q --from ctf %s/trace.ctf -o %s/back.etl", dir, dir);
	compare("back.etl", "by way of CTF");
	run("build/etw merge -q %s/back.etl -o %s/last.etl", dir, dir);
	compare("last.etl", "and merged");
	run("rm -r %s/trace.ctf %s/back.etl %s/last.etl", dir, dir, dir);
}

/* Either each pair of clock and time gets a buffer of its own, or there are few buffers. */
static void test_drift(void)
{
	const struct kind few = { 1000000000, .drift = 40 };
	const struct kind many = { 1000000000, .drift = 40, .wander = 30, .shorter = 8 };
	const struct kind odd = { 2893437000, .drift = 90, .wander = 30, .shorter = 7, .boot = 1 };
	const struct kind later = { 1000000000, .drift = 40, .wander = 30, .shorter = 8,
				    .after = 400 };

	make("in.etl", &few);
	test_ctf();
	test_merged(false, 100);
	test_split("cpu", 100);
	test_split("events=3000", 100);
	make("in.etl", &many);
	test_merged(false, 0);
	make("other.etl", &odd);
	test_merged(true, 100);
	/* One clock: the merged file has the clock pairs of both files. */
	make("other.etl", &later);
	test_merged(true, 10);
	run("mv %s/in.etl %s/x && mv %s/other.etl %s/in.etl && mv %s/x %s/other.etl", dir, dir,
	    dir, dir, dir, dir);
	test_merged(true, 10);
}

int main(void)
{
	static const struct kind kinds[] = {
		{ .frequency = 1000000000 },
		/* All times are whole units of FILETIME. */
		{ .frequency = 1000000000, .step = 100 },
		{ .frequency = 2893437000 },
		{ .frequency = 10000000 },
	};
	unsigned int i;

	if (!mkdtemp(dir))
		return 1;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		make("in.etl", &kinds[i]);
		test_merged(false, 0);
		test_ctf();
	}
	test_drift();
	run("rm -r %s", dir);
	return done_testing();
}
