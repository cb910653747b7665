// SPDX-License-Identifier: MIT
/* Times of log files: from the clock pairs in their buffers, or from the header alone */
#include "etl_make.h"

#include "etl/file.h"
#include "etl/time.h"
#include "etl/write.h"
#include "lib/tap.h"

#define SECOND	10000000LL	/* FILETIME */

/* How a machine's clocks run: what each clock shows this many seconds after the start */
struct world {
	double rate;		/* true ticks of the 1 GHz clock per stated tick */
	int stepped_at;		/* the wall clock is set at this time ... */
	double step;		/* ... by this many seconds */
	int seconds;		/* length of the recording */
	int first;		/* first second that is in the file */
	int every;		/* seconds between a CPU's buffers */
};

struct outcome {
	double worst;		/* largest error in seconds */
	double last;		/* error at the end */
	int64_t back;		/* the largest step backwards, 100 ns */
	int events;
};

static int64_t ticks(const struct world *w, double t)
{
	return 1000 + (int64_t)(t * 1e9 * w->rate);
}

static int64_t wall(const struct world *w, double t)
{
	return MAKE_START + (int64_t)((t + (w->stepped_at && t >= w->stepped_at ? w->step : 0)) *
				      SECOND);
}

static struct make m;

static void make_world(const struct world *w, uint32_t build)
{
	uint64_t sequence = 0;
	int t, i;

	memset(&m, 0, sizeof(m));
	m.head.header.provider_version = build;
	make_begin(&m, w->first ? 2 : 1);
	for (t = w->first; t < w->seconds; t += w->every) {
		/* Two CPUs; the second one's buffer comes half an interval later. */
		int cpu = ++sequence & 1;

		make_buffer(&m, cpu, sequence);
		feed_header(&m.feed)->ref_clock = ticks(w, t);
		feed_header(&m.feed)->ref_time = wall(w, t);
		for (i = 0; i < 4; i++) {
			double at = t + 0.01 + i * w->every * 0.45;

			feed_event(&m.feed, ticks(w, at), 1, NULL, &at, sizeof(at));
		}
		make_put(&m);
	}
	make_end(&m);
}

/* Compare the reader's times with the time since the start that each event carries. */
static struct outcome look(void)
{
	struct outcome o = { 0 };
	struct etw_etl_file *file;
	struct etw_event e;
	int64_t last = INT64_MIN;
	double at, off;

	if (etw_etl_open(m.path, NULL, NULL, &file))
		abort();
	while (etw_etl_next(file, &e) == 1) {
		if (e.time < last && last - e.time > o.back)
			o.back = last - e.time;
		last = e.time;
		if (e.record.header->desc.id != 1)
			continue;
		memcpy(&at, e.record.data, sizeof(at));
		off = (double)(e.time - MAKE_START) / SECOND - at;
		o.last = off < 0 ? -off : off;
		if (o.last > o.worst)
			o.worst = o.last;
		o.events++;
	}
	etw_etl_close(file);
	unlink(m.path);
	return o;
}

static struct outcome run(const struct world *w, uint32_t build)
{
	struct outcome o;

	make_world(w, build);
	o = look();
	printf("# %d events, %.6f s off at worst, %.6f at the end\n", o.events, o.worst, o.last);
	return o;
}

static void test_drift(void)
{
	struct world w = { .rate = 1.0002, .seconds = 36000, .every = 5 };
	struct outcome o = run(&w, 0);

	ok(o.worst < 0.01 && o.last < 0.0001 && !o.back && o.events == 4 * 7200,
	   "ten hours of a clock that is fast by 200 in a million");
	w.rate = 0.9995;
	o = run(&w, 0);
	ok(o.worst < 0.01 && o.last < 0.0001 && !o.back, "and slow by 500");
	o = run(&w, 19041);
	ok(o.worst > 17 && !o.back, "a Windows file has no pairs: its times come from the header");
	w.rate = 1.03;
	w.seconds = 3600;
	o = run(&w, 0);
	ok(o.last < 0.01 && !o.back, "a clock that is emulated, and 3 in 100 off");
	w = (struct world){ .rate = 1.0001, .seconds = 200000, .first = 190000, .every = 5 };
	o = run(&w, 0);
	ok(o.worst < 0.01 && !o.back, "a circular file that begins two days after its start");
}

static void test_steps(void)
{
	struct world w = { .rate = 1.0001, .seconds = 7200, .every = 5, .stepped_at = 3600 };
	struct outcome o;

	w.step = 3600;
	o = run(&w, 0);
	ok(o.worst < 0.01 && !o.back, "the wall clock is set by an hour: nothing jumps");
	w.step = -3600;
	o = run(&w, 0);
	ok(o.worst < 0.01 && !o.back, "and back");
	w.step = -100000000.0;
	o = run(&w, 0);
	ok(o.worst < 0.01 && !o.back, "and by three years");
}

/* Copy the file record by record, and replace it with the copy. */
static void copy_it(void)
{
	struct etw_etl_options options = { .replace = true };
	struct etw_etl_writer *writer;
	struct etw_etl_file *file;
	struct etw_event e;
	char path[80];

	snprintf(path, sizeof(path), "%s.copy", m.path);
	if (etw_etl_open(m.path, NULL, NULL, &file))
		abort();
	options.like = etw_etl_info(file);
	if (etw_etl_create(path, &options, &writer))
		abort();
	while (etw_etl_next(file, &e) == 1) {
		etw_etl_pair(writer, e.record.header->timestamp, e.time);
		if (etw_etl_write(writer, e.cpu, e.raw, e.raw_size))
			abort();
	}
	if (etw_etl_finish(writer, 0, NULL))
		abort();
	etw_etl_close(file);
	if (rename(path, m.path))
		abort();
}

static void test_copies(void)
{
	struct world w = { .rate = 1.0002, .seconds = 36000, .every = 5 };
	struct outcome o;

	make_world(&w, 0);
	copy_it();
	o = look();
	printf("# %d events, %.6f s off at worst\n", o.events, o.worst);
	ok(o.worst < 0.01 && !o.back, "a copy has the times of the original");
	make_world(&w, 19041);
	copy_it();
	o = look();
	ok(o.worst > 7 && !o.back, "also of a file that has no pairs");
}

/* Clock pairs that make no sense: times still follow the raw ones. */
static void test_nonsense(void)
{
	int i, k, n, back = 0;

	srand(7);
	for (i = 0; i < 200; i++) {
		memset(&m, 0, sizeof(m));
		m.head.header.clock = i % 4 ? ETW_CLOCK_QPC : ETW_CLOCK_CYCLES;
		make_begin(&m, 1);
		m.head.header.frequency = i % 3 ? 1000000000LL >> rand() % 30 : INT64_MAX >> rand() % 63;
		for (k = 1; k < 20; k++) {
			make_buffer(&m, k % 3, k);
			feed_header(&m.feed)->ref_clock = (int64_t)rand() << rand() % 33;
			feed_header(&m.feed)->ref_time = (int64_t)rand() << rand() % 33;
			for (n = 0; n < 3; n++)
				feed_event(&m.feed, k * 3000000000LL + n * 1000000000LL, 2, NULL,
					   "", 0);
			make_put(&m);
		}
		make_end(&m);
		back += look().back > 0;
	}
	is(back, 0, "pairs of all kinds, and clocks: no time runs backwards");
}

static void test_system(void)
{
	struct outcome o;
	struct world w = { .rate = 1, .seconds = 10, .every = 5 };

	make_world(&w, 0);
	o = look();
	ok(o.worst < 0.000001, "a clock that is right: nothing is steered");
}

/*
 * An exact clock, with pairs whose times are whole units: for a stream and for a file,
 * whatever the pairs, the times equal those from the header.
 */
static void test_rounded(void)
{
	static struct etw_etl_time stream, file;
	struct etw_etl_info info = { .start_clock = 12345 };
	struct etw_buffer_header header = { .buffer_size = 4096 };
	int64_t ns, time, last = 12345;
	unsigned int wrong = 0, pass;
	uint8_t nanos;

	info.header.ReservedFlags = ETW_CLOCK_QPC;
	info.header.PerfFreq.QuadPart = 1000000000;
	info.header.StartTime.QuadPart = MAKE_START;
	etw_etl_time_init(&stream, &info);
	etw_etl_time_init(&file, &info);
	for (pass = 0; pass < 2; pass++) {
		for (ns = 0; ns < 3600000000000; ns += 3000000101) {
			header.ref_clock = 12345 + ns;
			header.ref_time = MAKE_START + ns / 100;
			if (!pass) {
				etw_etl_time_learn(&file, &header);
				etw_etl_time_steer(&stream, &header, last);
			}
			last = 12345 + ns;
			time = etw_etl_time(pass ? &file : &stream, last, &nanos);
			wrong += time != MAKE_START + ns / 100 || nanos != ns % 100;
		}
		etw_etl_time_ready(&file);
	}
	is(wrong, 0, "roundings are no drift");
}

int main(void)
{
	test_drift();
	test_steps();
	test_copies();
	test_nonsense();
	test_rounded();
	test_system();
	return done_testing();
}
