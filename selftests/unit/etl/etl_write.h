/* SPDX-License-Identifier: MIT */
/* etl_write.h - shared by the tests that write log files */
#ifndef ETW_SELFTESTS_ETL_WRITE_H
#define ETW_SELFTESTS_ETL_WRITE_H

#include "etl_make.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "etl/file.h"
#include "etl/record.h"
#include "etl/write.h"
#include "lib/tap.h"

#define BUFFER	4096
#define CPUS	5	/* CPUs that write_some() writes for */

/* etw_etl_append_fd() for the file of this name */
static inline int append_path(const char *name, struct etw_etl_writer **out)
{
	/* O_NONBLOCK: reject a FIFO or a tape without waiting. */
	int fd = open(name, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -errno : etw_etl_append_fd(fd, out);
}

static char dir[] = "/tmp/etw-write-XXXXXX";
static char path[64];
static struct etw_etl_info like;	/* 1 GHz; MAKE_START at clock 1000 */

__attribute__((__unused__))
static void set_like(void)
{
	etw_etl_info_here(&like);
	like.start_clock = 1000;
	like.header.StartTime.QuadPart = MAKE_START;
	like.header.NumberOfProcessors = 2;
	strcpy(like.logger, "of the source");
}

/* Make an event as in a buffer; returns its size. */
__attribute__((__unused__))
static uint32_t make_event(void *to, uint64_t time, uint16_t id, uint32_t payload)
{
	static const struct etw_guid guid = { 0xABCD, 1, 2, { 3 } }, related = { 9, 9, 9, { 9 } };
	static unsigned char bytes[70000];
	struct etw_event_descriptor desc = { .id = id, .level = 4 };
	struct etw_data_descriptor data = { .ptr = (uintptr_t)bytes, .size = payload };
	struct etw_record_source source = {
		.provider = &guid, .desc = &desc, .data = &data, .count = 1, .thread_id = 5,
		.process_id = 4, .type = ETW_TYPE_EVENT64, .flags = ETW_EVENT_NO_CPUTIME,
		.related = id % 3 ? NULL : &related,
	};

	memset(bytes, id, payload);
	if (etw_record_measure(&source))
		return 0;
	etw_record_write(to, &source, time);
	return source.size;
}

/* -------------------------------------------------------------- round trip */

/* A number that depends on the event, its CPU and time, but not on its position */
static uint64_t fingerprint(uint16_t cpu, int64_t time, const uint8_t *raw, uint32_t size)
{
	uint64_t h = cpu * 1000003ull + time;

	while (size--)
		h = (h ^ *raw++) * 0x100000001b3ull;
	return h;
}

/* A generator without state */
__attribute__((__unused__))
static uint32_t mix(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352d;
	x = (x ^ x >> 15) * 0x846ca68b;
	return x ^ x >> 16;
}

/* Every CPU's events in order, or sometimes an event with an earlier time */
__attribute__((__unused__))
static void write_some(struct etw_etl_writer *w, int i, int n, bool disorder, uint64_t *sum,
		       uint64_t *per_cpu)
{
	_Alignas(8) unsigned char record[4096];

	for (; i < n; i++) {
		uint16_t cpu = mix(i) % CPUS;
		uint64_t time = 12000 + i * 100ull;
		uint32_t size;

		if (disorder && i % 17 == 3)
			time -= 5000;
		size = make_event(record, time, i, mix(i + 7) % 900);
		if (etw_etl_write(w, cpu, record, size)) {
			ok(0, "write event %d", i);
			return;
		}
		*sum += fingerprint(cpu, MAKE_START + (int64_t)(time - 1000) / 100, record, size);
		per_cpu[cpu] = per_cpu[cpu] * 31 + (uint16_t)i;
	}
}

__attribute__((__unused__))
static void write_many(struct etw_etl_writer *w, int n, bool disorder, uint64_t *sum,
		       uint64_t *per_cpu)
{
	write_some(w, 0, n, disorder, sum, per_cpu);
}

__attribute__((__unused__))
static void read_many(uint64_t *sum, uint64_t *per_cpu, uint64_t *events,
		      struct etw_etl_count *count, struct etw_etl_info *info)
{
	struct etw_etl_file *file;
	struct etw_event e;
	int ret = etw_etl_open(path, NULL, NULL, &file);

	is(ret, 0, "it opens");
	if (ret)
		return;
	ok(etw_etl_next(file, &e) == 1 && !e.record.header->desc.task &&
	   e.raw_size == e.record.header->size && e.raw_size > 312, "the header's record first");
	while ((ret = etw_etl_next(file, &e)) == 1) {
		++*events;
		*sum += fingerprint(e.cpu, e.time, e.raw, e.raw_size);
		per_cpu[e.cpu] = per_cpu[e.cpu] * 31 + e.record.header->desc.id;
	}
	is(ret, 0, "and ends");
	etw_etl_counts(file, count);
	*info = *etw_etl_info(file);
	ok(!etw_etl_cut_off(file), "it was closed");
	etw_etl_close(file);
}

__attribute__((__unused__))
static void put_text(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

__attribute__((__unused__))
static bool has_text(const char *name, const char *text)
{
	char line[64] = "";
	FILE *f = fopen(name, "r");
	bool same = f && fgets(line, sizeof(line), f) && !strcmp(line, text);

	if (f)
		fclose(f);
	return same;
}

/* Set up dir, a path in it and like; at the end nothing may be left. */
__attribute__((__unused__))
static void set_up(void)
{
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/a.etl", dir);
	set_like();
}

__attribute__((__unused__))
static void tear_down(void)
{
	is(rmdir(dir), 0, "nothing is left");
}

#endif /* ETW_SELFTESTS_ETL_WRITE_H */
