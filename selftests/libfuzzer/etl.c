// SPDX-License-Identifier: GPL-2.0-only
/*
 * etl - a log file from its first to its last byte: each event is decoded, and the buffers
 * are read once more as a stream
 *
 *	input := the file
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* memfd_create() */
#endif
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/consumer/buffer_stream.h"
#include "etl/file.h"
#include "lib/consumer/event_record.h"
#include "etl/merge.h"
#include "libfuzzer/event.h"

#define EVENTS_MAX	2000	/* that are decoded; all events are read */

static struct etw_decoder *decoder;
static struct etw_text text;
static struct etw_event_items items;

static volatile uint8_t sink;

/* Read all bytes of an event, so that a sanitizer sees bytes that do not exist. */
static void touch(const struct etw_event *event)
{
	uint8_t sum = 0;
	const uint8_t *raw = event->raw;
	uint32_t i;

	for (i = 0; i < event->raw_size; i++)
		sum += raw[i];
	for (i = 0; i < event->record.data_len; i++)
		sum += ((const uint8_t *)event->record.data)[i];
	for (i = 0; i < event->record.ext_len; i++)
		sum += ((const uint8_t *)event->record.ext)[i];
	sink = sum;
}

static void use(const struct etw_event *event)
{
	const struct etw_decoded *decoded;
	EVENT_RECORD record;

	etw_event_record(&record, event, &items, false);
	etw_decode(decoder, &record, &decoded);
	use_event(decoder, &text);
}

/* The invariants of an event, given the previous one */
static void check(const struct etw_event *event, int64_t *raw, int64_t *time)
{
	int64_t now = event->record.header->timestamp;

	touch(event);
	if (now >= *raw && event->time < *time)
		abort();
	if (now >= *raw) {
		*raw = now;
		*time = event->time;
	}
}

static void on_report(void *context, uint64_t offset, const char *what)
{
	if (offset > *(size_t *)context || !*what)
		abort();
}

static void read_stream(struct etw_source *stream)
{
	struct etw_event event;

	etw_source_stop(stream);
	while (etw_source_next(stream, &event, -1) == 1)
		touch(&event);
	etw_source_close(stream);
}

static void read_file(int fd, size_t size)
{
	int64_t raw = INT64_MIN, time = INT64_MIN;
	struct etw_source stream = { .ops = NULL };
	struct etw_event event;
	struct etw_etl_file *file;
	struct etw_etl_count count;
	unsigned int events = 0;

	if (etw_etl_open_fd(fd, on_report, &size, &file)) {
		close(fd);
		return;
	}
	if (etw_source_open_stream(&stream, NULL, NULL))
		abort();
	while (etw_etl_next(file, &event) == 1) {
		check(&event, &raw, &time);
		if (events++ < EVENTS_MAX)
			use(&event);
		if (event.buffer_done && events < EVENTS_MAX) {
			const struct etw_block *block = etw_block_of(event.buffer);

			etw_bufstream_add(etw_source_stream(&stream), block->data, block->size);
		}
	}
	etw_etl_counts(file, &count);
	if (count.events != events || count.buffers_read > count.buffers)
		abort();
	etw_etl_close(file);
	read_stream(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned int runs;
	static int memory = -1;

	if (memory < 0)
		memory = memfd_create("etl", MFD_CLOEXEC);
	if (memory < 0 || ftruncate(memory, 0) || pwrite(memory, data, size, 0) != (ssize_t)size)
		abort();
	/* The schemas of earlier inputs stay cached; they are not a leak. */
	if (!decoder || !(++runs % 4096)) {
		etw_decoder_free(decoder);
		decoder = etw_decoder_new();
	}
	read_file(dup(memory), size);
	return 0;
}
