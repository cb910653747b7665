/* SPDX-License-Identifier: MIT */
/*
 * file.c - the events of a log file, all CPUs in time order
 *
 * Of each CPU one buffer is in memory; when its last record is handed out the CPU's
 * next one follows (feed.c), so the merge always knows the first record of every CPU
 * that has any left.
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

/* The header buffer's records come before all others.  1, or 0: no more there. */
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

/* All buffers were read: look at what is behind the last one. */
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
