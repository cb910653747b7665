// SPDX-License-Identifier: MIT
/* Every event keeps its time, to the nanosecond: merged, and by way of CTF */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "convert_make.h"

#include <unistd.h>

#include "convert/ctfin.h"
#include "lib/etlfile.h"

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

/*
 * Two hours of events of three CPUs; step: ticks that all times are multiples of; drift: so
 * many millionths the clock is slow, which buffers tell.
 */
static void make(uint64_t frequency, uint64_t step, unsigned int drift)
{
	struct etw_etl_options options = { .replace = true, .buffer_size = 1024 };
	_Alignas(8) static unsigned char record[4096];
	struct etw_etl_writer *writer;
	struct etw_etl_info here;
	uint64_t ticks, random = 1;
	unsigned int i;
	char path[64];

	etw_etl_info_here(&here);
	here.header.NumberOfProcessors = 3;
	here.header.PerfFreq.QuadPart = (int64_t)frequency;
	here.start_clock = 777000000;
	options.like = &here;
	ticks = (uint64_t)here.start_clock;
	snprintf(path, sizeof(path), "%s/in.etl", dir);
	if (etw_etl_create(path, &options, &writer))
		abort();
	for (i = 0; i < EVENTS; i++) {
		uint64_t since = ticks - (uint64_t)here.start_clock;
		uint32_t size;

		if (drift)
			etw_etl_pair(writer, (int64_t)ticks, here.header.StartTime.QuadPart +
				     (int64_t)((double)since * (10 + drift / 1e5) * 1e6 /
					       (double)frequency));
		random = random * 6364136223846793005u + 1442695040888963407u;
		ticks += (random >> 34) / step * step;
		size = make_record(record, &samples[3], ticks, 3);
		if (etw_etl_write(writer, (uint16_t)(random >> 20 & 1 ? 0 : i % 3), record, size))
			abort();
	}
	if (etw_etl_finish(writer, 0, NULL))
		abort();
}

/* The times of a file's events but its header's */
static unsigned int read_times(const char *name, struct moment *to)
{
	struct etw_rt_event event;
	struct etw_etl_file *file;
	unsigned int n = 0;
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (etw_etl_open(path, NULL, NULL, &file))
		return 0;
	while (etw_etl_next(file, &event) == 1 && n < EVENTS)
		if (event.record.header->process_id == 4)
			to[n++] = (struct moment){ event.time, event.nanos };
	etw_etl_close(file);
	return n;
}

static void compare(const char *name, const char *what)
{
	static struct moment before[EVENTS], after[EVENTS];
	unsigned int n = read_times("in.etl", before), i, differ = 0;

	is(n, EVENTS, "there is a file");
	is(read_times(name, after), n, "as many events");
	for (i = 0; i < n; i++) {
		if (before[i].time == after[i].time && before[i].nanos == after[i].nanos)
			continue;
		if (!differ++)
			printf("# event %u: %lld.%02u became %lld.%02u\n", i,
			       (long long)before[i].time, before[i].nanos,
			       (long long)after[i].time, after[i].nanos);
	}
	is(differ, 0, what);
}

static void test_merged(void)
{
	run("build/etw merge -q %s/in.etl -o %s/merged.etl", dir, dir);
	compare("merged.etl", "merged");
	run("build/etw merge -q %s/merged.etl -o %s/again.etl", dir, dir);
	compare("again.etl", "merged again");
	run("rm %s/merged.etl %s/again.etl", dir, dir);
}

static void test_ctf(void)
{
	struct ctfin_options options = { .replace = true };
	struct ctfin_result result;
	char folder[64], out[64];

	run("build/etw convert -q %s/in.etl -o %s/trace.ctf", dir, dir);
	snprintf(folder, sizeof(folder), "%s/trace.ctf", dir);
	snprintf(out, sizeof(out), "%s/back.etl", dir);
	is(convert_from_ctf(folder, out, &options, &result), 0, "CTF is read");
	compare("back.etl", "by way of CTF");
	run("build/etw merge -q %s/back.etl -o %s/last.etl", dir, dir);
	compare("last.etl", "and merged");
	run("rm -r %s/trace.ctf %s/back.etl %s/last.etl", dir, dir, dir);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	make(1000000000, 1, 0);
	test_merged();
	test_ctf();
	/* All times are whole units of FILETIME. */
	make(1000000000, 100, 0);
	test_merged();
	test_ctf();
	make(2893437000, 1, 0);
	test_merged();
	test_ctf();
	make(10000000, 1, 0);
	test_merged();
	test_ctf();
	make(1000000000, 1, 40);
	test_ctf();
	run("rm -r %s", dir);
	return done_testing();
}
