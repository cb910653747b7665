// SPDX-License-Identifier: MIT
/* etl_over - recognises when the rest of a log file is after a given time */
#include "etl_write.h"

#define EVENTS	400
#define FAR	(1ull << 50)	/* ticks: an error of time */

static int64_t until;		/* FILETIME */

/*
 * An event every 100 ticks, of one CPU or several, in small buffers; count events from
 * number wrong on have a wrong time.
 */
static void make_file(unsigned int cpus, unsigned int wrong, unsigned int count)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = 1024 };
	_Alignas(8) unsigned char record[1024];
	struct etw_etl_writer *w;
	unsigned int i;
	uint64_t time;
	int err;

	err = etw_etl_create(path, &options, &w);
	for (i = 0; i < EVENTS && !err; i++) {
		time = 2000 + 100 * i;
		if (i >= wrong && i < wrong + count)
			time += FAR;
		err = etw_etl_write(w, (uint16_t)(mix(i) % cpus), record,
				    make_event(record, time, (uint16_t)i, mix(i + 7) % 300));
	}
	if (err || etw_etl_finish(w, 5, NULL))
		abort();
}

/*
 * Read it: the number of late events before the reader reports the end; EVENTS + 1: a
 * wrong report.
 */
static unsigned int late_before_over(bool ask)
{
	unsigned int late = 0, first = EVENTS;
	struct etw_etl_file *file;
	struct etw_event e;
	bool over = false;

	if (etw_etl_open(path, NULL, NULL, &file))
		abort();
	over = etw_etl_all_after(file, until);	/* nothing has been read yet */
	while (etw_etl_next(file, &e) == 1) {
		if (over && e.time <= until) {
			etw_etl_close(file);
			return EVENTS + 1;
		}
		late += e.time > until;
		if (over || (!ask && e.time <= until))
			continue;
		over = etw_etl_all_after(file, until) == 1;
		if (over)
			first = late;
	}
	/* All is read. */
	if (etw_etl_all_after(file, INT64_MAX - 1) != 1)
		first = EVENTS + 1;
	etw_etl_close(file);
	return first;
}

int main(void)
{
	unsigned int cpus, wrong, most = 0, n;

	set_up();
	until = MAKE_START + (2000 + 100 * EVENTS / 2 - 1000) / 100;
	for (cpus = 1; cpus <= 4; cpus += 3) {
		make_file(cpus, 0, 0);
		is(late_before_over(false), 1, "in order: over with the first that is late");
		ok(late_before_over(true) <= 1, "or with the last that is not");
		unlink(path);
		for (wrong = 0; wrong < EVENTS; wrong += 3) {
			make_file(cpus, wrong, 1);
			n = late_before_over(true);
			if (n > most)
				most = n;
			unlink(path);
		}
		ok(most <= EVENTS, "%u CPUs, one wrong time: never too early", cpus);
	}
	/* A buffer of wrong times: the end is still found, a bit later. */
	make_file(1, 20, 3);
	n = late_before_over(true);
	ok(n > 1 && n < 40, "a buffer of wrong times: over after %u late events", n);
	unlink(path);
	tear_down();
	return done_testing();
}
