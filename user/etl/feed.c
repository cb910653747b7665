/* SPDX-License-Identifier: MIT */
/*
 * feed.c - pass a log file's buffers from the file to the merge
 *
 * open.c has counted the buffers of each CPU. The walk meets buffers in the order in
 * which they were written, and keeps the offsets of those that are not needed yet, up
 * to a limit. A CPU whose next buffer lies beyond that limit is late: the merge goes on
 * without it until the walk reaches the buffer. So memory is bounded, and the file is
 * walked once, however long it is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "file_private.h"

#define HELD_MAX	((uint64_t)2 << 30)	/* bytes of buffers in memory ... */
#define HELD_MIN	((uint64_t)32 << 20)	/* ... for a small file: this ... */
#define HELD_TIMES	64			/* ... plus this many times its size */

void etw_etl_report(struct etw_etl_file *f, uint64_t at, const char *what)
{
	f->count.corrupt++;
	if (f->report)
		f->report(f->context, at, what);
}

/* A record could not be read; skip the rest of its buffer. */
void etw_etl_tell_record(struct etw_etl_file *f, const struct etw_block *block)
{
	/* A record in a compressed buffer has no offset of its own in the file. */
	bool packed = block->header.flags & ETW_BUFFER_COMPRESSED;

	if (f->report)
		f->report(f->context, block->file_at + (packed ? 0 : block->offset),
			  "a record makes no sense");
}

static int unpack(struct etw_etl_file *f, uint64_t at, struct etw_block *block)
{
	size_t len = etw_etl_block_stored(block);
	int err;

	if (len > f->packed_room) {
		uint8_t *packed = realloc(f->packed, len);

		if (!packed)
			return -ENOMEM;
		f->packed = packed;
		f->packed_room = len;
	}
	err = etw_etl_read(f->space.fd, at + sizeof(block->header), f->packed, len);
	return err ? err : etw_etl_block_fill(block, f->packed);
}

static uint64_t held_max(const struct etw_etl_file *f)
{
	uint64_t size = f->space.end;

	return size < (HELD_MAX - HELD_MIN) / HELD_TIMES ? HELD_MIN + size * HELD_TIMES : HELD_MAX;
}

struct etw_block *etw_etl_load(struct etw_etl_file *f, uint64_t at,
			       const struct etw_buffer_header *header, int *err)
{
	struct etw_block *block;

	*err = 0;
	if (f->merge.bytes + header->offset > held_max(f)) {
		etw_etl_report(f, at, "the buffers of all processors take too much memory");
		return NULL;
	}
	block = etw_etl_block(header);
	if (!block) {
		*err = -ENOMEM;
		return NULL;
	}
	block->file_at = at;
	/* Read uncompressed data directly to its place. */
	if (header->flags & ETW_BUFFER_COMPRESSED)
		*err = unpack(f, at, block);
	else
		*err = etw_etl_read(f->space.fd, at + sizeof(*header),
				    block->data + sizeof(*header),
				    block->size - sizeof(*header));
	if (!*err)
		return block;
	free(block);
	if (*err == -EBADMSG || *err == -ENODATA) {
		etw_etl_report(f, at, *err == -ENODATA ? "the file has become shorter" :
			       "the compressed buffer cannot be decompressed");
		*err = 0;
	}
	return NULL;
}

/* Is the buffer seen at this offset still there? Another program may write to the file. */
static int look_again(struct etw_etl_file *f, uint16_t cpu, uint64_t at,
		      struct etw_buffer_header *header)
{
	const char *what;
	int err;

	what = etw_etl_header_check(&f->space, at, header, &err);
	if (err)
		return err;
	if (!what && header->processor == cpu)
		return 1;
	etw_etl_report(f, at, what ? what : "the buffer has changed since the file was opened");
	return 0;
}

/* The walk's next buffer: 1 with *header and *at; 0: the end; -errno. */
static int walk(struct etw_etl_file *f, uint64_t *at, struct etw_buffer_header *header)
{
	const char *what;
	uint64_t bad;
	int ret;

	while ((ret = etw_etl_walk_next(&f->space, &f->walk, header, at, &what,
					&bad)) == -EBADMSG) {
		etw_etl_report(f, *at, what);
		f->count.corrupt += bad - 1;
	}
	return ret;
}

/* Keep the offset of a buffer that is not needed yet. The queue has room. */
static int keep(struct etw_etl_file *f, uint16_t cpu, uint64_t at)
{
	struct etw_etl_cpu *c = &f->queue.cpus[cpu];

	/* That CPU had no more buffers when the file was opened. */
	if (!c->left) {
		etw_etl_report(f, at, "the buffer has changed since the file was opened");
		return 0;
	}
	if (!etw_etl_queue_put(&f->queue, cpu, at))
		return -ENOMEM;
	if (c->late) {
		c->late = false;
		f->late--;
		f->found[f->found_count++] = cpu;
	}
	return 0;
}

/*
 * Find a CPU's next buffer. 1: *at and *header; 0: it has none, or the buffer lies so far
 * ahead that the CPU is late; -errno.
 */
static int find_next(struct etw_etl_file *f, uint16_t cpu, uint64_t *at,
		     struct etw_buffer_header *header)
{
	struct etw_etl_cpu *c = &f->queue.cpus[cpu];
	int ret;

	while (etw_etl_queue_get(&f->queue, cpu, at)) {
		c->left -= c->left > 0;
		ret = look_again(f, cpu, *at, header);
		if (ret)
			return ret;
	}
	while (c->left) {
		if (etw_etl_queue_full(&f->queue)) {
			c->late = true;
			f->late++;
			return 0;
		}
		ret = walk(f, at, header);
		if (ret <= 0)
			return ret;
		if (header->processor == cpu) {
			c->left--;
			return 1;
		}
		ret = keep(f, header->processor, *at);
		if (ret)
			return ret;
	}
	return 0;
}

/* Add a CPU's next buffer with records to the merge. */
static int feed_one(struct etw_etl_file *f, uint16_t cpu)
{
	struct etw_buffer_header header;
	struct etw_block *block;
	uint64_t at, corrupt;
	int ret;

	while ((ret = find_next(f, cpu, &at, &header)) == 1) {
		block = etw_etl_load(f, at, &header, &ret);
		if (ret)
			return ret;
		if (!block)
			continue;
		f->count.buffers_read++;
		corrupt = f->merge.corrupt;
		ret = etw_merge_add(&f->merge, block);
		if (ret > 0)
			return 0;
		if (f->merge.corrupt > corrupt)
			etw_etl_tell_record(f, block);
		free(block);
		if (ret)
			return ret;
	}
	return ret;
}

/*
 * Resume late CPUs: the walk continues once there is room, and the CPUs whose buffers
 * it meets rejoin the merge. Their buffers lie so far ahead in the file that they
 * should be later than the merge's current time.
 */
static int feed_late(struct etw_etl_file *f)
{
	struct etw_buffer_header header;
	uint64_t at;
	int ret;

	while (f->late && !etw_etl_queue_full(&f->queue)) {
		ret = walk(f, &at, &header);
		if (ret < 0)
			return ret;
		if (!ret) {
			f->late = 0;
			break;
		}
		ret = keep(f, header.processor, at);
		if (ret)
			return ret;
	}
	while (f->found_count) {
		ret = feed_one(f, f->found[--f->found_count]);
		if (ret)
			return ret;
	}
	return 0;
}

int etw_etl_feed(struct etw_etl_file *f, uint16_t cpu)
{
	int err = feed_one(f, cpu);

	while (!err && (f->found_count || (f->late && !etw_etl_queue_full(&f->queue))))
		err = feed_late(f);
	return err;
}

/* Load the first buffer of every CPU. */
int etw_etl_prime(struct etw_etl_file *f)
{
	unsigned int cpu;
	int err;

	for (cpu = 0; cpu < ETW_ETL_CPUS; cpu++) {
		if (!f->queue.cpus[cpu].left)
			continue;
		err = etw_etl_feed(f, cpu);
		if (err)
			return err;
	}
	f->primed = true;
	return 0;
}
