/* SPDX-License-Identifier: MIT */
/*
 * open.c - open a log file
 *
 * Opening walks the buffers' headers once, to count the buffers of each CPU and to find
 * the start of a circular file. Reading walks the file again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "block.h"
#include "file_private.h"

#define STEP_MIN	1024	/* step for finding the next buffer */

/*
 * Closing a preallocated file cuts off the space that it has not used. A power cut just then may
 * leave the file closed and not cut, or without its last buffers: the zeros at its end are no
 * buffers. Those that the header promises are missing.
 */
static void cut_unused(struct etw_etl_space *space)
{
	struct etw_buffer_header header;
	uint64_t at;

	while (space->end > space->begin) {
		at = space->begin + (space->end - space->begin - 1) / space->step * space->step;
		if (space->end - at < sizeof(header) ||
		    etw_etl_read(space->fd, at, &header, sizeof(header)) ||
		    !etw_etl_header_zero(&header))
			return;
		space->end = at;
	}
}

/* Read the first record, the log file header, which holds the buffer size. */
static int read_head(struct etw_etl_file *f)
{
	struct etw_buffer_header header;
	const char *what;
	int err;

	what = etw_etl_header_check(&f->space, 0, &header, &err);
	if (what || header.type != ETW_BUFFER_TYPE_HEADER)
		return err ? err : -EINVAL;
	f->head = etw_etl_load(f, 0, &header, &err);
	if (!f->head)
		return err ? err : -EINVAL;
	err = etw_etl_info_read(f->head->data, header.offset, &f->info, &f->wide);
	if (err)
		return err;
	f->space.begin = header.buffer_size;
	f->space.start = f->space.begin;
	f->space.step = f->info.header.BufferSize;
	if (f->space.step < STEP_MIN)
		f->space.step = STEP_MIN;
	f->space.open = !f->info.header.EndTime.QuadPart;
	f->space.packed = f->info.header.LogFileMode & EVENT_TRACE_COMPRESSED_MODE;
	if (!f->space.open && f->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_PREALLOCATE)
		cut_unused(&f->space);
	f->count.buffers = 1;
	f->count.buffers_read = 1;
	return 0;
}

/*
 * Detects whether a circular file has wrapped. Then its oldest buffer follows the
 * largest backward step of the flush times, and that step exceeds the rise from the
 * first buffer to the last. Small backward steps occur where buffers of several CPUs
 * passed each other. Sequence numbers are less reliable: stopping a session flushes
 * them in any order.
 */
struct turn {
	int64_t first, last;
	uint64_t drop, at;
	bool any;			/* some value is not 0 */
};

static void look_for_turn(struct turn *turn, int64_t value, uint64_t at, bool first)
{
	if (first)
		turn->first = value;
	else if (value < turn->last && (uint64_t)turn->last - value > turn->drop) {
		turn->drop = (uint64_t)turn->last - value;
		turn->at = at;
	}
	turn->last = value;
	turn->any |= value != 0;
}

/* The offset of the oldest buffer; 0: at the beginning. */
static uint64_t find_turn(const struct turn *turn)
{
	if (turn->last > turn->first && (uint64_t)turn->last - turn->first >= turn->drop)
		return 0;
	return turn->at;
}

/* The gaps between and after buffers */
struct gaps {
	uint64_t open;			/* bytes since the last buffer */
	uint64_t steps;			/* buffers that may have been in them */
};

static void close_gap(struct gaps *gaps, uint32_t step)
{
	gaps->steps += (gaps->open + step - 1) / step;
	gaps->open = 0;
}

/*
 * The number of buffers in a closed file according to its header; 0: unknown. In a
 * circular file, the number may include overwritten buffers.
 */
static uint64_t promised(const TRACE_LOGFILE_HEADER *header)
{
	uint64_t room = header->MaximumFileSize;

	room <<= header->LogFileMode & EVENT_TRACE_USE_KBYTES_FOR_SIZE ? 10 : 20;
	if (!header->EndTime.QuadPart)
		return 0;
	if (header->LogFileMode & EVENT_TRACE_FILE_MODE_CIRCULAR &&
	    header->BuffersWritten > room / header->BufferSize)
		return 0;
	return header->BuffersWritten;
}

/*
 * The number of buffers missing at the end. In a gap, each step may have held one
 * buffer, or any number of compressed ones.
 */
static uint64_t missing(const struct etw_etl_file *f, const struct gaps *gaps, bool packed)
{
	uint64_t there = f->count.buffers + gaps->steps + gaps->open / f->space.step;
	uint64_t all = promised(&f->info.header);

	if (packed && there > f->count.buffers)
		return 0;
	return all > there ? all - there : 0;
}

/* Does it stand for missing buffers of a session of ours, the last of which had its number? */
static bool stands_for_others(const struct etw_etl_file *f, const struct etw_buffer_header *header)
{
	return header->flags & ETW_BUFFER_BUFFER_LOST && header->logger_id &&
	       !f->info.header.ProviderVersion;
}

/* Count the buffers of each CPU. Reading reports any errors. */
static int survey(struct etw_etl_file *f)
{
	struct turn times = { .at = 0 }, numbers = { .at = 0 };
	int64_t low = INT64_MAX, high = 0;
	struct etw_buffer_header header;
	struct gaps gaps = { .open = 0 };
	struct etw_etl_walk walk;
	uint64_t at, n = 0, stand_ins = 0, numbered;
	int ret;

	etw_etl_walk_begin(&f->space, &walk);
	for (;;) {
		ret = etw_etl_walk_next(&f->space, &walk, &header, &at);
		if (ret == -EBADMSG) {
			f->count.tail = f->space.end - at;
			gaps.open = walk.at > at ? walk.at - at : 0;
			continue;
		}
		if (ret <= 0)
			break;
		if (header.sequence < 0)
			header.sequence = 0;
		low = header.sequence < low ? header.sequence : low;
		high = header.sequence > high ? header.sequence : high;
		look_for_turn(&times, header.timestamp, at, !n);
		look_for_turn(&numbers, header.sequence, at, !n++);
		stand_ins += stands_for_others(f, &header);
		etw_etl_time_learn(&f->time, &header);
		if (header.timestamp > f->newest)
			f->newest = header.timestamp;
		f->queue.cpus[header.processor].left++;
		f->count.tail = 0;
		close_gap(&gaps, f->space.step);
	}
	f->count.buffers += n;
	f->count.missing = missing(f, &gaps, walk.packed);
	at = find_turn(times.any ? &times : &numbers);
	if (at && f->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_CIRCULAR)
		f->space.start = at;
	if (n) {
		numbered = (uint64_t)high - (uint64_t)low + 1;
		f->count.lost_buffers = numbered > n - stand_ins ? numbered - (n - stand_ins) : 0;
	}
	etw_etl_walk_begin(&f->space, &f->walk);
	return ret;
}

static int open_file(struct etw_etl_file *f)
{
	struct stat st;
	off_t end;
	int err;

	if (fstat(f->space.fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	end = lseek(f->space.fd, 0, SEEK_END);
	if (end < 0)
		return -errno;
	f->space.end = end;
	f->count.size = end;
	f->last = INT64_MIN;
	err = read_head(f);
	if (err)
		return err;
	etw_etl_time_init(&f->time, &f->info);
	err = survey(f);
	etw_etl_time_ready(&f->time);
	return err;
}

int etw_etl_open_fd(int fd, etw_etl_report_fn *report_fn, void *context,
		    struct etw_etl_file **out)
{
	struct etw_etl_file *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->space.fd = fd;
	f->report = report_fn;
	f->context = context;
	err = open_file(f);
	if (err) {
		f->space.fd = -1;
		etw_etl_close(f);
		return err;
	}
	*out = f;
	return 0;
}

int etw_etl_open(const char *path, etw_etl_report_fn *report_fn, void *context,
		 struct etw_etl_file **out)
{
	/* O_NONBLOCK: reject a FIFO or a tape without waiting. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int err;

	if (fd < 0)
		return -errno;
	err = etw_etl_open_fd(fd, report_fn, context, out);
	if (err)
		close(fd);
	return err;
}

void etw_etl_close(struct etw_etl_file *file)
{
	if (!file)
		return;
	if (file->space.fd >= 0)
		close(file->space.fd);
	etw_merge_free(&file->merge);
	free(file->queue.nodes);
	etw_block_release(file->head);
	etw_block_release(file->spent);
	free(file->packed);
	free(file);
}
