// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge - rewrites a log file with another clock: every readable event can be written and
 * read back
 *
 *	input := u8 what clock  the file
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* memfd_create() */
#endif
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "etl/clock.h"
#include "etl/file.h"
#include "etl/record.h"
#include "etl/write.h"
#include "libfuzzer/event.h"

#define EVENTS_MAX	2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The target clock, set in the header fields of the output */
static void choose_clock(struct etw_etl_info *like, uint8_t what)
{
	like->header.ReservedFlags = what & 1 ? ETW_CLOCK_SYSTEM : ETW_CLOCK_QPC;
	like->header.PerfFreq.QuadPart = what & 2 ? 10000000 : 2893437001;
	if (what & 4)
		like->header.StartTime.QuadPart = 133000000000000000;
	if (what & 8)
		like->start_clock = 0;
	like->header.BufferSize = what & 16 ? 0 : 131072;
}

/* All bytes except the times are unchanged. */
static void check_stamp(const uint8_t *before, const uint8_t *after, uint32_t size)
{
	uint32_t at[ETW_ETL_TIMES];
	unsigned int n = etw_etl_times(before, size, at), i, k;

	for (i = 0; i < size; i++) {
		for (k = 0; k < n; k++)
			if (i >= at[k] && i < at[k] + 8)
				break;
		if (k == n && before[i] != after[i])
			abort();
	}
}

static bool is_header(const struct etw_event *event)
{
	uint8_t type = event->record.header->type & 0xFF;

	return (type == ETW_ETL_SYSTEM32 || type == ETW_ETL_SYSTEM64) &&
	       !event->record.header->desc.task;
}

static unsigned int write_all(struct etw_etl_file *file, struct etw_etl_writer *writer)
{
	static uint8_t copy[65536];
	static struct etw_etl_time to;
	struct etw_etl_shift shift = { .from = etw_etl_times_of(file), .to = &to };
	struct etw_event event;
	unsigned int events = 0, n;
	int err;

	etw_etl_time_init(&to, etw_etl_writer_info(writer));
	for (n = 0; n < EVENTS_MAX && etw_etl_next(file, &event) == 1; n++) {
		if (event.raw_size > sizeof(copy))
			abort();
		memcpy(copy, event.raw, event.raw_size);
		etw_etl_restamp(copy, event.raw_size, &shift);
		check_stamp(event.raw, copy, event.raw_size);
		etw_etl_bytes_with(writer, event.cpu, event.raw_size, 200000);
		err = etw_etl_write(writer, event.cpu, copy, event.raw_size);
		if (err && err != -EMSGSIZE && err != -EINVAL)
			abort();
		events += !err && !is_header(&event);
	}
	return events;
}

static void check_written(const char *path, unsigned int events)
{
	struct etw_etl_count count;
	struct etw_event event;
	struct etw_etl_file *file;
	unsigned int n = 0;

	if (etw_etl_open(path, NULL, NULL, &file))
		abort();
	while (etw_etl_next(file, &event) == 1)
		n += !is_header(&event);
	etw_etl_counts(file, &count);
	if (n != events || count.corrupt || etw_etl_cut_off(file))
		abort();
	etw_etl_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct etw_etl_options options = { .replace = true };
	uint8_t what = take8(&in);
	int fd = memfd_create("input", 0);
	struct etw_etl_writer *writer;
	struct etw_etl_file *file;
	struct etw_etl_info like;
	unsigned int events;
	char path[64];

	if (fd < 0 || write(fd, in.p, in.left) != (ssize_t)in.left)
		abort();
	if (etw_etl_open_fd(fd, NULL, NULL, &file)) {
		close(fd);
		return 0;
	}
	like = *etw_etl_info(file);
	choose_clock(&like, what);
	options.like = &like;
	snprintf(path, sizeof(path), "/dev/shm/etw-fuzz-merge-%d.etl", getpid());
	if (etw_etl_create(path, &options, &writer))
		abort();
	events = write_all(file, writer);
	if (etw_etl_finish(writer, 133000000000000000, NULL))
		abort();
	check_written(path, events);
	unlink(path);
	etw_etl_close(file);
	return 0;
}
