// SPDX-License-Identifier: GPL-2.0-only
/*
 * live - how soon a reader has an event, and how long a flush takes
 *
 *	live [--json FILE]
 *
 * Run it with scripts/bench, or under scripts/vm as root with etw.ko loaded, on two CPUs and not
 * with --icount: it measures time, in which the machine also waits.  One event is written at a
 * time, and its reader sleeps.  The JSON goes to FILE or to the file named in $ETW_BENCH_JSON.
 */
#include "lib/vm_buf.h"
#include "bench/guest.h"
#include "bench/sort.h"

#define EVENTS	200

struct row {
	const char *key, *title;
	uint32_t flush_ms;
	bool flush;			/* FLUSH after each event, and measure that */
	double us[EVENTS];
};

static struct row rows[] = {
	{ "live_1", "event to reader, flush timer of 1 ms", 1, false, { 0 } },
	{ "live_10", "event to reader, flush timer of 10 ms", 10, false, { 0 } },
	{ "live_100", "event to reader, flush timer of 100 ms", 100, false, { 0 } },
	{ "flush", "flush of a session with an event", 3600000, true, { 0 } },
};

static void count_event(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	(void)b;
	(void)r;
	++*(int *)ctx;
}

static int one_event(int fd, int slot, uint64_t session, struct vm_reader *r, struct row *row, int i)
{
	int seen = 0, ret = vm_write(fd, slot, 1, 1, 1, &i, sizeof(i));
	uint64_t begin = now(), end = 0;

	if (!ret && row->flush) {
		ret = vm_flush(fd, session);
		end = now();
	}
	while (!ret && !seen)
		ret = vm_read_one(r, count_event, &seen) == 1 ? 0 : -EIO;
	row->us[i] = (double)((row->flush ? end : now()) - begin) / 1e3;
	return ret;
}

static int measure(int fd, int slot, struct row *row)
{
	struct etw_session s = vm_session("etw-bench-live");
	struct vm_reader r;
	int i, ret;

	s.flush_ms = row->flush_ms;
	ret = vm_start(fd, &s);
	ret = ret ? ret : vm_enable(fd, s.handle, vm_guid(1), 0, 0, 0);
	ret = ret ? ret : vm_reader_open(&r, fd, s.handle, 0);
	if (ret)
		return ret;
	for (i = 0; i < EVENTS && !ret; i++)
		ret = one_event(fd, slot, s.handle, &r, row, i);
	vm_reader_close(&r);
	sort_figures(row->us, EVENTS);
	return ret ? ret : vm_stop(fd, s.handle);
}

#define MEDIAN(row)	((row)->us[EVENTS / 2])
#define P99(row)	((row)->us[EVENTS * 99 / 100])

static int write_json(const char *path)
{
	FILE *f = fopen(path, "we");
	size_t i;

	if (!f)
		return fail(path, -errno);
	fputs("{\n    \"unit\": \"microseconds\",\n    \"rows\": [", f);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		fprintf(f, "%s\n      {\"key\": \"%s\", \"p50\": %.0f, \"p99\": %.0f}", i ? "," : "",
			rows[i].key, MEDIAN(&rows[i]), P99(&rows[i]));
	fputs("\n    ]\n  }\n", f);
	return fclose(f) ? fail(path, -errno) : 0;
}

int main(int argc, char **argv)
{
	const char *json = json_path(argc, argv);
	int fd, slot, ret;
	size_t i;

	fd = vm_open();
	if (fd < 0)
		return fail(ETW_DEVICE_PATH, fd) ? 1 : 0;
	vm_stop_all(fd);
	slot = vm_register(fd, vm_guid(1));
	ret = slot < 0 ? slot : 0;
	for (i = 0; i < ARRAY_SIZE(rows) && !ret; i++) {
		ret = measure(fd, slot, &rows[i]);
		if (!ret)
			printf("%-45s median %8.0f us, p99 %8.0f us\n", rows[i].title,
			       MEDIAN(&rows[i]), P99(&rows[i]));
	}
	vm_stop_all(fd);
	close(fd);
	if (ret)
		return fail("a session", ret) ? 1 : 0;
	return json && write_json(json);
}
