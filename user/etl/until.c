/* SPDX-License-Identifier: MIT */
/*
 * until.c - is all that is left of a log file later than some time?
 *
 * One record that is late says nothing, for its time may be wrong.  Records are in the
 * order of time for each CPU: so all are late that are left of the buffers in memory,
 * these buffers were closed late, and those that come were opened and closed late.
 * That takes the headers of what is left of the file, and none of its records.
 */
#include <errno.h>

#include "file_private.h"
#include "record.h"

static bool is_late(struct etw_etl_file *f, int64_t clock, int64_t time)
{
	uint8_t nanos;

	return etw_etl_time(&f->time, clock, &nanos) > time;
}

static bool block_is_late(struct etw_etl_file *f, const struct etw_block *block,
			  int64_t last, int64_t time)
{
	struct etw_classic_view classic = { .time = last };
	struct etw_record_view view;
	uint32_t at = block->offset;
	int ret;

	if (!is_late(f, block->header.timestamp, time))
		return false;
	while ((ret = etw_etl_record(block->data, block->header.offset, &at, &view,
				     &classic)) == 1)
		if (!is_late(f, view.header->timestamp, time))
			return false;
	return true;
}

static bool header_is_late(struct etw_etl_file *f, const struct etw_buffer_header *header,
			   int64_t time)
{
	/* Where buffers of Windows have something else it is mostly negative. */
	return is_late(f, header->timestamp, time) &&
	       (header->ref_clock <= 0 || is_late(f, header->ref_clock, time));
}

/* Buffers in memory */
static bool held_are_late(struct etw_etl_file *f, int64_t time)
{
	const struct etw_block *block;
	size_t i;

	if (f->head)
		return false;
	if (f->spent && !is_late(f, f->spent->header.timestamp, time))
		return false;
	for (i = 0; i < f->merge.heap_count; i++) {
		const struct etw_stream *s = f->merge.heap[i];
		int64_t last = s->view.header->timestamp;

		if (!is_late(f, last, time))
			return false;
		for (block = s->first; block; block = block->next)
			if (!block_is_late(f, block, last, time))
				return false;
	}
	return true;
}

/* Those that the walk has passed.  1, 0 or -errno. */
static int kept_are_late(struct etw_etl_file *f, int64_t time)
{
	struct etw_buffer_header header;
	unsigned int cpu;
	uint32_t i;
	int err;

	for (cpu = 0; cpu < ETW_ETL_CPUS; cpu++)
		for (i = f->queue.cpus[cpu].first; i; i = f->queue.nodes[i].next) {
			if (etw_etl_header_check(&f->space, f->queue.nodes[i].at, &header, &err))
				return err;
			if (!header_is_late(f, &header, time))
				return 0;
		}
	return 1;
}

int etw_etl_all_after(struct etw_etl_file *file, int64_t time)
{
	struct etw_etl_walk walk = file->walk;
	struct etw_buffer_header header;
	const char *what;
	uint64_t at, bad;
	int ret = 0;

	if (!file->primed)
		return 0;
	if (held_are_late(file, time))
		ret = kept_are_late(file, time);
	if (ret != 1)
		return ret;
	while ((ret = etw_etl_walk_next(&file->space, &walk, &header, &at, &what, &bad)))
		if (ret == 1 ? !header_is_late(file, &header, time) : ret != -EBADMSG)
			return ret < 0 ? ret : 0;
	return 1;
}
