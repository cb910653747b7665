/* SPDX-License-Identifier: MIT */
/*
 * etl_make.h - make log files of any shape
 */
#ifndef ETW_SELFTESTS_ETL_MAKE_H
#define ETW_SELFTESTS_ETL_MAKE_H

#include "unit/lib/lib_fake.h"
#include "unit/lib/lib_feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/loghead.h"

#ifndef MAKE_SIZE
#define MAKE_SIZE	4096			/* bytes of a buffer */
#endif
#define MAKE_START	133000000000000000LL	/* FILETIME at clock 1000, of 1 GHz */

struct make {
	char path[64];
	FILE *file;
	struct feed feed;
	struct etw_log_head head;
	uint32_t buffers;
	_Alignas(8) unsigned char data[MAKE_SIZE];
};

/*
 * A file in /tmp with its header buffer; set unusual values in m->head first. Its first buffer
 * has number 0, if it has no older ones.
 */
__attribute__((__unused__))
static void make_begin(struct make *m, uint32_t mode)
{
	struct etw_log_header *h = &m->head.header;

	strcpy(m->path, "/tmp/etw-etl-XXXXXX");
	m->file = fdopen(mkstemp(m->path), "w+");
	if (!m->file)
		abort();
	h->buffer_size = MAKE_SIZE;
	h->version[0] = 10;
	h->version[2] = 1;
	h->version[3] = 5;
	h->processors = 4;
	h->mode = mode;
	h->pointer_size = 8;
	h->start_buffers = 1;
	h->frequency = 1000000000;
	h->start_time = MAKE_START;
	if (!h->clock)
		h->clock = ETW_CLOCK_QPC;
	m->head.start_clock = 1000;
	if (!m->head.logger_id)
		m->head.logger_id = 3;	/* as feed_start() */
	m->head.logger = "the session";
	m->head.logger_len = 11;
	m->head.file = "/the/file.etl";
	m->head.file_len = 13;
	etw_log_head_build(m->data, &m->head);
	fwrite(m->data, 1, MAKE_SIZE, m->file);
	m->buffers = 1;
}

/* The next buffer: fill it with feed_*() at &m->feed. */
__attribute__((__unused__))
static void make_buffer(struct make *m, uint16_t cpu, uint64_t sequence)
{
	feed_start(&m->feed, m->data, MAKE_SIZE, cpu, sequence);
}

__attribute__((__unused__))
static void make_put(struct make *m)
{
	struct etw_buffer_header *h = feed_header(&m->feed);

	/* Delivered at once */
	if (!h->timestamp)
		h->timestamp = (int64_t)m->feed.newest;
	fwrite(m->data, 1, h->buffer_size, m->file);
	m->buffers++;
}

/* Put the buffer and begin the next one of CPU 0. */
__attribute__((__unused__))
static void make_next(struct make *m, uint64_t *sequence)
{
	make_put(m);
	make_buffer(m, 0, ++*sequence);
}

/* Add a driver's event with its id as keyword, in the next buffer if this one is full. */
__attribute__((__unused__))
static struct etw_event_header *make_driver_event(struct make *m, uint64_t *sequence,
						  uint64_t us, uint16_t id,
						  const void *data, uint32_t len)
{
	uint32_t at = feed_header(&m->feed)->offset;
	struct etw_event_header *h;

	if (!feed_event(&m->feed, 1000 + us * 1000, id, NULL, data, len)) {
		make_next(m, sequence);
		at = feed_header(&m->feed)->offset;
		if (!feed_event(&m->feed, 1000 + us * 1000, id, NULL, data, len))
			abort();
	}
	h = (void *)(m->data + at);
	h->desc.keyword = id;
	h->flags |= ETW_EVENT_KERNEL_MODE;
	return h;
}

/* A buffer with the events a and b, at a and b times 100 ticks from the start */
__attribute__((__unused__))
static void make_two(struct make *m, uint16_t cpu, uint64_t sequence, int a, int b)
{
	make_buffer(m, cpu, sequence);
	feed_event(&m->feed, 1000 + a * 100, a, NULL, "abc", 3);
	feed_event(&m->feed, 1000 + b * 100, b, NULL, "abc", 3);
	make_put(m);
}

__attribute__((__unused__))
static void make_end(struct make *m)
{
	m->head.header.end_time = MAKE_START + 10000000;
	m->head.header.buffers_written = m->buffers;
	etw_log_head_build(m->data, &m->head);
	rewind(m->file);
	fwrite(m->data, 1, MAKE_SIZE, m->file);
	fclose(m->file);
}

#endif /* ETW_SELFTESTS_ETL_MAKE_H */
