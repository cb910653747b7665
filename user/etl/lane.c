/* SPDX-License-Identifier: MIT */
/*
 * lane.c - the buffers that a log file writer fills, one per CPU
 *
 * A slowly filling buffer is written before it is full: a reader that needs a CPU's
 * next buffer must remember all other CPUs' buffers in between, and old records should
 * not be lost if the program dies.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "write_private.h"

#define HEADER		ETW_BUFFER_HEADER_SIZE
#define AGE_MAX		1024			/* buffers written while one fills */
/* Bytes of buffers in memory: 128 KB per CPU; buffers without records are not allocated. */
#define HELD_MAX	((size_t)ETW_ETL_CPUS << 17)

static void fill_header(const struct etw_etl_writer *w, uint16_t cpu, uint16_t flags,
			struct etw_buffer_header *header)
{
	const struct etw_etl_lane *lane = &w->lanes[cpu];

	*header = (struct etw_buffer_header){
		.buffer_size = w->size,
		.saved_offset = lane->used,
		.current_offset = lane->used,
		.timestamp = lane->latest,
		.sequence = w->sequence,
		.clock = (w->info.header.ReservedFlags & ETW_CLOCK_TYPE_MASK) |
			 etw_etl_frequency(&w->info) << ETW_CLOCK_FREQ_SHIFT,
		.processor = cpu,
		.state = ETW_BUFFER_STATE_FLUSH,
		.offset = lane->used,
		.flags = ETW_BUFFER_PROCESSOR_INDEX | flags,
		.type = ETW_BUFFER_TYPE_GENERIC,
	};
}

/* false: the buffer does not get smaller. */
static bool put_packed(struct etw_etl_writer *w, const struct etw_etl_lane *lane,
		       struct etw_buffer_header *header, int *err)
{
	uint32_t len = lane->used - HEADER;
	size_t n = etw_xpress_compress(lane->data + HEADER, len, w->pack->data + HEADER, len,
				       &w->pack->work);
	struct etw_buffer_header packed;

	if (!n)
		return false;
	packed = *header;
	packed.buffer_size = HEADER + n;
	packed.flags |= ETW_BUFFER_COMPRESSED;
	/* Readers reject such a large expansion. */
	if (!etw_etl_expands(&packed))
		return false;
	*header = packed;
	memcpy(w->pack->data, header, sizeof(*header));
	*err = etw_etl_sink_put(&w->sink, w->pack->data, HEADER + n);
	return true;
}

/* Write a CPU's buffer, which has records, and empty it. */
static int put_lane(struct etw_etl_writer *w, uint16_t cpu, uint16_t flags)
{
	struct etw_etl_lane *lane = &w->lanes[cpu];
	struct etw_buffer_header header;
	int err = 0;

	w->sequence++;
	fill_header(w, cpu, flags, &header);
	etw_etl_pair_put(w, lane, &header);
	if (!w->pack || !put_packed(w, lane, &header, &err)) {
		memcpy(lane->data, &header, sizeof(header));
		memset(lane->data + lane->used, ETW_TAIL_BYTE, w->size - lane->used);
		err = etw_etl_sink_put(&w->sink, lane->data, w->size);
	}
	lane->used = HEADER;
	w->buffers++;
	if (err)
		w->error = err;
	return err;
}

/* Write buffers begun long ago; checked from time to time. */
static int put_aged(struct etw_etl_writer *w)
{
	unsigned int cpu;
	int err = 0;

	if (w->buffers - w->aged < AGE_MAX / 4)
		return 0;
	w->aged = w->buffers;
	for (cpu = 0; cpu < w->lane_count && !err; cpu++) {
		struct etw_etl_lane *lane = &w->lanes[cpu];

		if (lane->data && lane->used > HEADER &&
		    w->aged - lane->opened >= AGE_MAX)
			err = put_lane(w, cpu, 0);
	}
	return err;
}

/* Memory is short: write out the buffer that has been open for the longest time. */
static int give_up_lane(struct etw_etl_writer *w)
{
	struct etw_etl_lane *lane, *best = NULL;
	int err = 0;

	for (lane = w->lanes; lane < w->lanes + w->lane_count; lane++)
		if (lane->data && (!best || lane->opened < best->opened))
			best = lane;
	if (!best)
		return -ENOMEM;
	if (best->used > HEADER)
		err = put_lane(w, best - w->lanes, 0);
	free(best->data);
	best->data = NULL;
	w->held -= w->size;
	return err;
}

static int grow_lanes(struct etw_etl_writer *w, unsigned int count)
{
	struct etw_etl_lane *lanes = realloc(w->lanes, count * sizeof(*lanes));

	if (!lanes)
		return -ENOMEM;
	memset(lanes + w->lane_count, 0, (count - w->lane_count) * sizeof(*lanes));
	w->lanes = lanes;
	for (; w->lane_count < count; w->lane_count++)
		lanes[w->lane_count].time = w->info.start_clock;
	return 0;
}

/* Get the CPU's buffer with room for a slot of this many bytes. */
int etw_etl_lane_get(struct etw_etl_writer *w, uint16_t cpu, uint32_t slot)
{
	struct etw_etl_lane *lane;
	int err = 0;

	if (cpu >= w->lane_count)
		err = grow_lanes(w, cpu + 1u);
	if (err)
		return err;
	lane = &w->lanes[cpu];
	if (lane->data) {
		if (lane->used + slot <= w->size)
			return 0;
		err = put_lane(w, cpu, 0);
		return err ? err : put_aged(w);
	}
	if (w->held + w->size > HELD_MAX)
		err = give_up_lane(w);
	if (err)
		return err;
	lane->data = aligned_alloc(16, (w->size + 15u) / 16 * 16);
	if (!lane->data)
		return -ENOMEM;
	lane->used = HEADER;
	w->held += w->size;
	return 0;
}

/* Write all buffers that have records; the last one is marked as the last. */
int etw_etl_lanes_put(struct etw_etl_writer *w)
{
	uint16_t last = ETW_BUFFER_FLUSH_MARKER | (w->doubt ? ETW_BUFFER_BUFFER_LOST : 0);
	unsigned int cpu, end = w->lane_count;
	int err = w->error;

	while (end && w->lanes[end - 1].used <= HEADER)
		end--;
	/* There is no buffer to flag. */
	w->lost_buffers += w->doubt && !end;
	etw_etl_pair_last(w);
	for (cpu = 0; cpu < end && !err; cpu++)
		if (w->lanes[cpu].used > HEADER)
			err = put_lane(w, cpu, cpu == end - 1 ? last : 0);
	return err;
}
