/* SPDX-License-Identifier: MIT */
/* lib_feed.h - makes buffers like those that the module delivers */
#ifndef ETW_LIB_FEED_H
#define ETW_LIB_FEED_H

#include "core/classic.h"
#include "core/record.h"
#include "lib_fake.h"

struct feed {
	unsigned char *data;	/* 8-byte aligned */
	uint32_t size;
	uint64_t newest;	/* time of a record */
};

static const struct etw_guid feed_guid = { 0xFEED, 0, 0, { 1 } };

__attribute__((__unused__))
static struct etw_buffer_header *feed_header(const struct feed *f)
{
	return (void *)f->data;
}

__attribute__((__unused__))
static void feed_start(struct feed *f, void *data, uint32_t size, uint16_t cpu,
		       uint64_t sequence)
{
	f->data = data;
	f->size = size;
	f->newest = 0;
	memset(data, 0xFF, size);
	*feed_header(f) = (struct etw_buffer_header){
		.buffer_size = size,
		.sequence = sequence,
		.clock = ETW_CLOCK_QPC | 1000000000ULL << ETW_CLOCK_FREQ_SHIFT,
		.processor = cpu,
		.logger_id = 3,
		.state = ETW_BUFFER_STATE_FLUSH,
		.offset = ETW_BUFFER_HEADER_SIZE,
		.flags = ETW_BUFFER_PROCESSOR_INDEX,
	};
}

static inline void feed_grow(struct feed *f, uint32_t len, uint64_t time)
{
	struct etw_buffer_header *h = feed_header(f);

	h->offset += len;
	h->saved_offset = h->offset;
	h->current_offset = h->offset;
	if (time > f->newest)
		f->newest = time;
}

/* Append a record; false if it does not fit. */
__attribute__((__unused__))
static bool feed_event(struct feed *f, uint64_t time, uint16_t id,
		       const struct etw_guid *related, const void *data, uint32_t len)
{
	struct etw_event_descriptor desc = { .id = id, .version = 2, .level = 4,
					     .opcode = 9, .keyword = 1 };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)data, .size = len };
	struct etw_record_source source = {
		.provider = &feed_guid, .desc = &desc, .related = related, .data = &piece,
		.count = 1, .thread_id = 11, .process_id = 10, .type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_NO_CPUTIME,
	};
	struct etw_buffer_header *h = feed_header(f);

	if (etw_record_measure(&source) || h->offset + etw_record_slot(source.size) > f->size)
		return false;
	etw_record_write(f->data + h->offset, &source, time);
	feed_grow(f, etw_record_slot(source.size), time);
	return true;
}

/* Append a classic record; false if it does not fit. */
__attribute__((__unused__))
static bool feed_classic(struct feed *f, const struct etw_classic *c, uint64_t time,
			 uint32_t sequence)
{
	uint32_t len = etw_record_slot(etw_classic_size(c));
	struct etw_buffer_header *h = feed_header(f);

	if (h->offset + len > f->size)
		return false;
	etw_classic_write(f->data + h->offset, c, time, sequence);
	feed_grow(f, len, time);
	return true;
}

/* Start the next buffer of the fake session; feed_deliver() delivers it. */
__attribute__((__unused__))
static void feed_fake(struct feed *f, uint16_t cpu, uint64_t sequence)
{
	feed_start(f, fake->buffers[fake->buffer_count % FAKE_BUFFERS], FAKE_BUFFER_SIZE, cpu,
		   sequence);
}

/* Deliver the buffer to the fake consumer. */
__attribute__((__unused__))
static void feed_deliver(void)
{
	pthread_mutex_lock(&fake->lock);
	fake->buffer_count++;
	pthread_mutex_unlock(&fake->lock);
	if (write(fake->consumer_wake, "", 1) < 0)
		abort();
}

#endif /* ETW_LIB_FEED_H */
