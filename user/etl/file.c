/* SPDX-License-Identifier: MIT */
/*
 * file.c - the events of a log file, all CPUs in time order
 *
 * One buffer of each CPU is in memory. When its last record has been handed out, the
 * CPU's next buffer follows (feed.c), so the merge always knows the first remaining
 * record of every CPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "block_ref.h"
#include "file_private.h"
#include "record.h"

/* ------------------------------------------------------------------ reading */

static void complete(struct etw_etl_file *f, struct etw_block *block,
		     struct etw_event *event)
{
	int64_t timestamp = event->record.header->timestamp;

	event->buffer = &block->header;
	event->raw_size = event->record.header->size;
	event->cpu = block->header.processor;
	event->logger_id = block->header.logger_id;
	event->time = etw_etl_time(&f->time, timestamp, &event->nanos);
	if (f->count.events++ && timestamp < f->last)
		f->count.disorder++;
	else
		f->last = timestamp;
}

/*
 * Take the next record of the header buffer; its records come before all others. 1: *event;
 * 0: no more, and the buffer is released.
 */
static int next_of_head(struct etw_etl_file *f, struct etw_event *event)
{
	struct etw_block *block = f->head;
	uint32_t end = block->header.offset, ahead;
	struct etw_record_view view;
	int ret;

	event->classic.time = f->head_view.time;
	event->raw = block->data + block->offset;
	ret = etw_etl_record(block->data, end, &block->offset, &event->record,
			     &event->classic);
	f->head_view.time = event->classic.time;
	if (ret != 1) {
		if (ret < 0) {
			f->merge.corrupt++;
			etw_etl_tell_record(f, block);
		}
		etw_block_release(block);
		f->head = NULL;
		return 0;
	}
	ahead = block->offset;
	event->buffer_done = etw_etl_record(block->data, end, &ahead, &view,
					    &f->head_view) != 1;
	f->head_view.time = event->classic.time;
	complete(f, block, event);
	return 1;
}

/* All buffers have been read: check the data after the last one. */
static int finish(struct etw_etl_file *f)
{
	struct etw_buffer_header header;
	const char *what;
	uint64_t at, bad;
	int ret;

	f->finished = true;
	while ((ret = etw_etl_walk_next(&f->space, &f->walk, &header, &at, &what, &bad)))
		if (ret == -EBADMSG) {
			etw_etl_report(f, at, what);
			f->count.corrupt += bad - 1;
		} else if (ret < 0) {
			return ret;
		}
	return 0;
}

int etw_etl_next(struct etw_etl_file *file, struct etw_event *event)
{
	struct etw_etl_file *f = file;
	struct etw_block *block;
	uint64_t corrupt;
	int64_t first;
	int err = 0;

	memset(event, 0, sizeof(*event));
	if (f->head && next_of_head(f, event))
		return 1;
	if (!f->primed)
		err = etw_etl_prime(f);
	if (f->spent) {
		uint16_t cpu = f->spent->header.processor;

		etw_block_release(f->spent);
		f->spent = NULL;
		err = etw_etl_feed(f, cpu);
	}
	if (err)
		return err;
	if (!etw_merge_first(&f->merge, &first))
		return f->finished ? 0 : finish(f);
	corrupt = f->merge.corrupt;
	event->buffer_done = etw_merge_take(&f->merge, &event->record, &event->classic,
					    &block);
	event->raw = f->merge.taken;
	if (event->buffer_done)
		f->spent = block;
	if (f->merge.corrupt > corrupt)
		etw_etl_tell_record(f, block);
	complete(f, block, event);
	return 1;
}

const struct etw_etl_info *etw_etl_info(const struct etw_etl_file *file)
{
	return &file->info;
}

struct etw_etl_time *etw_etl_times_of(struct etw_etl_file *file)
{
	return &file->time;
}

void etw_etl_counts(const struct etw_etl_file *file, struct etw_etl_count *count)
{
	*count = file->count;
	count->corrupt += file->merge.corrupt;
}

bool etw_etl_cut_off(const struct etw_etl_file *file)
{
	return !file->info.header.EndTime.QuadPart;
}

bool etw_etl_is_file(const struct etw_etl_file *file, const struct stat *st)
{
	struct stat own;

	return !fstat(file->space.fd, &own) && own.st_dev == st->st_dev &&
	       own.st_ino == st->st_ino;
}

/* ------------------------------------------------------- etw_etl_all_after() */

/*
 * One late record proves nothing, since its time may be wrong. Each CPU's records are
 * in time order, so all remaining records are late if three conditions hold: the rest
 * of each buffer in memory is late, these buffers were closed late, and the buffers to
 * come were opened and closed late. This reads the headers of the rest of the file, but
 * none of its records.
 */

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
	/* In buffers from Windows this field may hold other data, mostly negative. */
	return is_late(f, header->timestamp, time) &&
	       (header->ref_clock <= 0 || is_late(f, header->ref_clock, time));
}

/* Check the buffers in memory. */
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

/* Check the buffers that the walk has passed. 1, 0 or -errno. */
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
