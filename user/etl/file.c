/* SPDX-License-Identifier: MIT */
/*
 * file.c - the events of a log file, all CPUs in time order
 *
 * One buffer of each CPU is in memory. When its last record has been handed out, the
 * CPU's next buffer follows, so the merge always knows the first remaining record of
 * every CPU.
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
#include "record.h"

#define HELD_MAX	((uint64_t)2 << 30)	/* bytes of buffers in memory ... */
#define HELD_MIN	((uint64_t)32 << 20)	/* ... for a small file: this ... */
#define HELD_TIMES	64			/* ... plus this many times its size */

static void report(struct etw_etl_file *f, uint64_t at, const char *what)
{
	f->count.corrupt++;
	if (f->report)
		f->report(f->context, at, what);
}

/* Report a record that cannot be read; the rest of its buffer is skipped. */
static void report_record(struct etw_etl_file *f, const struct etw_block *block)
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
		report(f, at, "the buffers of all processors take too much memory");
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
		report(f, at, *err == -ENODATA ? "the file has become shorter" :
			       "the compressed buffer cannot be decompressed");
		*err = 0;
	}
	return NULL;
}

/* ------------------------------------------------------------------- queue */

static uint32_t get_node(struct etw_etl_queue *queue)
{
	uint32_t i = queue->free;

	if (i) {
		queue->free = queue->nodes[i].next;
		return i;
	}
	if (queue->used + 1 >= queue->room) {
		uint32_t room = queue->room ? 2 * queue->room : 256;
		struct etw_etl_node *nodes;

		nodes = realloc(queue->nodes, room * sizeof(*nodes));
		if (!nodes)
			return 0;
		queue->nodes = nodes;
		queue->room = room;
	}
	return ++queue->used;
}

/* false: out of memory. */
static bool queue_put(struct etw_etl_queue *queue, uint16_t cpu, uint64_t at)
{
	struct etw_etl_cpu *c = &queue->cpus[cpu];
	uint32_t i = get_node(queue);

	if (!i)
		return false;
	queue->nodes[i].at = at;
	queue->nodes[i].next = 0;
	if (c->first)
		queue->nodes[c->last].next = i;
	else
		c->first = i;
	c->last = i;
	queue->kept++;
	return true;
}

/* false: no buffer is queued for the CPU. */
static bool queue_get(struct etw_etl_queue *queue, uint16_t cpu, uint64_t *at)
{
	struct etw_etl_cpu *c = &queue->cpus[cpu];
	uint32_t i = c->first;

	if (!i)
		return false;
	*at = queue->nodes[i].at;
	c->first = queue->nodes[i].next;
	queue->nodes[i].next = queue->free;
	queue->free = i;
	queue->kept--;
	return true;
}

static bool queue_full(const struct etw_etl_queue *queue)
{
	return queue->kept >= ETW_ETL_KEPT_MAX;
}

/* ------------------------------------------------------------------ feeding */

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
	report(f, at, what ? what : "the buffer has changed since the file was opened");
	return 0;
}

/* The walk's next buffer: 1 with *header and *at; 0: the end; -errno. */
static int walk_on(struct etw_etl_file *f, uint64_t *at, struct etw_buffer_header *header)
{
	int ret;

	while ((ret = etw_etl_walk_next(&f->space, &f->walk, header, at)) == -EBADMSG) {
		report(f, *at, f->walk.what);
		f->count.corrupt += f->walk.bad - 1;
	}
	return ret;
}

/* Keep the offset of a buffer that is not needed yet. The queue has room. */
static int keep(struct etw_etl_file *f, uint16_t cpu, uint64_t at)
{
	struct etw_etl_cpu *c = &f->queue.cpus[cpu];

	/* That CPU had no more buffers when the file was opened. */
	if (!c->left) {
		report(f, at, "the buffer has changed since the file was opened");
		return 0;
	}
	if (!queue_put(&f->queue, cpu, at))
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

	while (queue_get(&f->queue, cpu, at)) {
		c->left -= c->left > 0;
		ret = look_again(f, cpu, *at, header);
		if (ret)
			return ret;
	}
	while (c->left) {
		if (queue_full(&f->queue)) {
			c->late = true;
			f->late++;
			return 0;
		}
		ret = walk_on(f, at, header);
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

static void look_for_watched(struct etw_etl_file *f, const struct etw_block *block, uint32_t at)
{
	if (f->met && !*f->met)
		*f->met = etw_etl_has_hook(block->data, at, block->header.offset, f->watched);
}

static bool is_skipped(struct etw_etl_file *f, const struct etw_buffer_header *header)
{
	uint8_t nanos;

	return f->skip_until && etw_etl_time(&f->time, header->timestamp, &nanos) < f->skip_until;
}

/* Add a CPU's next buffer with records to the merge. */
static int feed_one(struct etw_etl_file *f, uint16_t cpu)
{
	struct etw_buffer_header header;
	struct etw_block *block;
	uint64_t at, corrupt;
	int ret;

	while ((ret = find_next(f, cpu, &at, &header)) == 1) {
		if (is_skipped(f, &header))
			continue;
		block = etw_etl_load(f, at, &header, &ret);
		if (ret)
			return ret;
		if (!block)
			continue;
		f->count.buffers_read++;
		look_for_watched(f, block, sizeof(block->header));
		corrupt = f->merge.corrupt;
		ret = etw_merge_add(&f->merge, block);
		if (ret > 0)
			return 0;
		if (f->merge.corrupt > corrupt)
			report_record(f, block);
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

	while (f->late && !queue_full(&f->queue)) {
		ret = walk_on(f, &at, &header);
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

static int feed(struct etw_etl_file *f, uint16_t cpu)
{
	int err = feed_one(f, cpu);

	while (!err && (f->found_count || (f->late && !queue_full(&f->queue))))
		err = feed_late(f);
	return err;
}

/* Load the first buffer of every CPU. */
static int prime(struct etw_etl_file *f)
{
	unsigned int cpu;
	int err;

	for (cpu = 0; cpu < ETW_ETL_CPUS; cpu++) {
		if (!f->queue.cpus[cpu].left)
			continue;
		err = feed(f, cpu);
		if (err)
			return err;
	}
	f->primed = true;
	return 0;
}

/* ------------------------------------------------------------------ reading */

static void complete(struct etw_etl_file *f, struct etw_event *event)
{
	int64_t timestamp = event->record.header->timestamp;

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
			report_record(f, block);
		}
		etw_block_release(block);
		f->head = NULL;
		return 0;
	}
	ahead = block->offset;
	event->buffer_done = etw_etl_record(block->data, end, &ahead, &view,
					    &f->head_view) != 1;
	f->head_view.time = event->classic.time;
	etw_block_describe(block, event);
	complete(f, event);
	return 1;
}

/* All buffers have been read: check the data after the last one. */
static int finish(struct etw_etl_file *f)
{
	struct etw_buffer_header header;
	uint64_t at;
	int ret;

	f->finished = true;
	while ((ret = walk_on(f, &at, &header)) > 0)
		;
	return ret;
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
		err = prime(f);
	if (f->spent) {
		uint16_t cpu = f->spent->header.processor;

		etw_block_release(f->spent);
		f->spent = NULL;
		err = feed(f, cpu);
	}
	if (err)
		return err;
	if (!etw_merge_first(&f->merge, &first))
		return f->finished ? 0 : finish(f);
	corrupt = f->merge.corrupt;
	etw_merge_take(&f->merge, event);
	block = etw_block_of(event->buffer);
	if (event->buffer_done)
		f->spent = block;
	if (f->merge.corrupt > corrupt)
		report_record(f, block);
	complete(f, event);
	f->count.beyond += event->record.header->timestamp > event->buffer->timestamp;
	return 1;
}

void etw_etl_skip_until(struct etw_etl_file *file, int64_t time)
{
	file->skip_until = time;
}

void etw_etl_watch(struct etw_etl_file *file, uint16_t hook, bool *met)
{
	file->watched = hook;
	file->met = met;
	if (file->head)
		look_for_watched(file, file->head, file->head->offset);
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

uint64_t etw_etl_lost_buffers(const struct etw_etl_file *file)
{
	struct etw_etl_count count;
	uint64_t lost;

	etw_etl_counts(file, &count);
	lost = file->info.header.BuffersLost + count.missing + count.corrupt;
	/* One that is cut off in its middle is both. */
	if (count.missing && count.corrupt && count.tail % file->space.step)
		lost--;
	/* A buffer that the header counts, or that is unreadable, leaves a gap in the numbers. */
	return lost > count.lost_buffers ? lost : count.lost_buffers;
}

bool etw_etl_cut_off(const struct etw_etl_file *file)
{
	return !file->info.header.EndTime.QuadPart;
}

int64_t etw_etl_end_time(struct etw_etl_file *file)
{
	uint8_t nanos;

	if (!etw_etl_cut_off(file))
		return file->info.header.EndTime.QuadPart;
	return file->count.buffers ? etw_etl_time(&file->time, file->newest, &nanos) :
				     file->info.header.StartTime.QuadPart;
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
	uint64_t at;
	int ret = 0;

	if (!file->primed)
		return 0;
	if (held_are_late(file, time))
		ret = kept_are_late(file, time);
	if (ret != 1)
		return ret;
	while ((ret = etw_etl_walk_next(&file->space, &walk, &header, &at)))
		if (ret == 1 ? !header_is_late(file, &header, time) : ret != -EBADMSG)
			return ret < 0 ? ret : 0;
	return 1;
}

/* ------------------------------------------------------------------- both ends */

#define WINDOW	(32u << 20)	/* bytes searched at the file's beginning and end */

static int take_block(const struct etw_block *block, etw_etl_take_fn *take, void *context)
{
	uint32_t offset = sizeof(block->header);
	struct etw_classic_view classic;
	struct etw_record_view view;
	int ret = 0;

	classic.time = 0;
	while (!ret && etw_etl_record(block->data, block->header.offset, &offset, &view,
				      &classic) == 1)
		ret = take(context, &view);
	return ret;
}

int etw_etl_ends(struct etw_etl_file *file, etw_etl_take_fn *take, void *context)
{
	const struct etw_etl_space *space = &file->space;
	const uint64_t all = space->end - space->begin;
	uint64_t at, passed;
	struct etw_buffer_header header;
	struct etw_etl_walk walk;
	struct etw_block *block;
	int ret, err, taken = 0;

	etw_etl_walk_begin(space, &walk);
	while (!taken && (ret = etw_etl_walk_next(space, &walk, &header, &at))) {
		if (ret < 0 && ret != -EBADMSG)
			return ret;
		/* The ends are those in time: a circular file begins and ends somewhere. */
		passed = at - space->start + (at < space->start ? all : 0);
		if (ret < 0 || (passed >= WINDOW && passed + WINDOW < all))
			continue;
		block = etw_etl_load(file, at, &header, &err);
		if (err)
			return err;
		if (block)
			taken = take_block(block, take, context);
		free(block);
	}
	return taken;
}
