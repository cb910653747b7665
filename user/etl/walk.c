/* SPDX-License-Identifier: MIT */
/*
 * walk.c - walk from buffer to buffer of a log file
 *
 * Each buffer holds its size. If the size is invalid, the walk continues at the next
 * multiple of the session's buffer size, counted from the beginning of the file: one
 * wrong size costs one buffer. Compressed buffers may start anywhere; the walk then
 * searches for the next header. Holes are skipped without reading them.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "walk.h"

#define TYPE_MAX	7	/* Windows' debug information */
#define FLAGS_ALL	0x7F
#define CHUNK		(16u << 10)	/* bytes searched at once */

int etw_etl_read(int fd, uint64_t at, void *to, size_t len)
{
	char *p = to;

	while (len) {
		ssize_t n = pread(fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA;
		p += n;
		at += n;
		len -= n;
	}
	return 0;
}

const char *etw_etl_header_sane(struct etw_buffer_header *header, uint64_t left)
{
	if (header->buffer_size < sizeof(*header))
		return "the buffer's size is smaller than its header";
	if (header->offset < sizeof(*header))
		return "the buffer's used size is smaller than its header";
	if (header->offset > ETW_ETL_FILL_MAX || header->buffer_size > 2 * ETW_ETL_FILL_MAX)
		return "the buffer's size exceeds the maximum";
	if (!(header->flags & ETW_BUFFER_COMPRESSED) && header->offset > header->buffer_size)
		return "the buffer's used size exceeds its size";
	if (header->flags & ETW_BUFFER_COMPRESSED && !etw_etl_expands(header))
		return "the buffer's compression ratio is impossible";
	if (header->buffer_size > left)
		return "the file ends within the buffer";
	if (header->type > TYPE_MAX)
		return "the buffer's type is unknown";
	/* Without the flag, there are 8 bits of a CPU number and 8 bits of alignment. */
	if (!(header->flags & ETW_BUFFER_PROCESSOR_INDEX))
		header->processor &= 0xFF;
	if (header->processor >= ETW_ETL_CPUS)
		return "the buffer's processor number is invalid";
	return NULL;
}

const char *etw_etl_header_check(const struct etw_etl_space *space, uint64_t at,
				 struct etw_buffer_header *header, int *err)
{
	uint64_t left = space->end - at;

	*err = 0;
	if (left < sizeof(*header))
		return "the file ends within a buffer's header";
	*err = etw_etl_read(space->fd, at, header, sizeof(*header));
	if (*err == -ENODATA) {
		*err = 0;
		return "the file has become shorter";
	}
	if (*err)
		return "reading failed";
	return etw_etl_header_sane(header, left);
}

/* Strict check, for positions where any data may lie. */
static bool is_header(struct etw_buffer_header *header, uint64_t left)
{
	return header->state == ETW_BUFFER_STATE_FLUSH && !(header->flags & ~FLAGS_ALL) &&
	       header->type != ETW_BUFFER_TYPE_HEADER &&
	       (header->clock & ETW_CLOCK_TYPE_MASK) <= ETW_CLOCK_CYCLES &&
	       !etw_etl_header_sane(header, left);
}

static bool is_header_at(const struct etw_etl_space *space, uint64_t at)
{
	struct etw_buffer_header header;

	return at < space->end && space->end - at >= sizeof(header) &&
	       !etw_etl_read(space->fd, at, &header, sizeof(header)) &&
	       is_header(&header, space->end - at);
}

void etw_etl_walk_begin(const struct etw_etl_space *space, struct etw_etl_walk *walk)
{
	walk->at = space->start;
	walk->used = space->start;
	walk->packed = space->packed;
	walk->wrapped = false;
}

/* Are there more bytes? The walk of a circular file wraps at the end. */
static bool more(const struct etw_etl_space *space, struct etw_etl_walk *walk)
{
	if (!walk->wrapped && walk->at >= space->end && space->start > space->begin) {
		walk->wrapped = true;
		walk->at = space->begin;
		walk->used = space->begin;
	}
	return walk->at < (walk->wrapped ? space->start : space->end);
}

/* Step over a valid buffer. */
static void pass(const struct etw_etl_space *space, struct etw_etl_walk *walk,
		 const struct etw_buffer_header *header)
{
	bool packed = header->flags & ETW_BUFFER_COMPRESSED;
	uint64_t next = walk->at + space->step;

	walk->packed |= packed;
	walk->used = walk->at + (packed ? header->buffer_size : header->offset);
	/* If a header lies in this buffer's unused tail, this buffer's size is wrong. */
	if (!packed && header->buffer_size > space->step && walk->used <= next &&
	    is_header_at(space, next))
		walk->at = next;
	else
		walk->at += header->buffer_size;
}

/* The first data at or after at; the end if there are none. */
static uint64_t find_data(const struct etw_etl_space *space, uint64_t at)
{
	off_t data;

	if (at >= space->end)
		return space->end;
	data = lseek(space->fd, at, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? space->end : at;
	return (uint64_t)data > at ? (uint64_t)data : at;
}

/* The first header after at, at any offset; the end if there is none. */
static uint64_t search(const struct etw_etl_space *space, uint64_t at)
{
	struct etw_buffer_header header;
	uint8_t bytes[CHUNK];
	uint32_t state;
	size_t len, i;
	int err;

	for (at = find_data(space, at + 1); at < space->end; at = find_data(space, at + i)) {
		len = space->end - at < CHUNK ? space->end - at : CHUNK;
		if (len < sizeof(header))
			break;
		err = etw_etl_read(space->fd, at, bytes, len);
		if (err)
			/* The caller meets and reports the error there. */
			return err == -ENODATA ? space->end : at;
		for (i = 0; i + sizeof(header) <= len; i++) {
			memcpy(&state, bytes + i + offsetof(struct etw_buffer_header, state),
			       sizeof(state));
			if (state != ETW_BUFFER_STATE_FLUSH)
				continue;
			memcpy(&header, bytes + i, sizeof(header));
			if (is_header(&header, space->end - at - i))
				return at + i;
		}
	}
	return space->end;
}

/* Skip data that is not a buffer, and any hole; returns the number of steps. */
static uint64_t skip(const struct etw_etl_space *space, struct etw_etl_walk *walk)
{
	uint64_t at = walk->at, slot = (at - space->begin) / space->step * space->step;
	uint64_t data;

	slot += space->begin;
	if (walk->packed) {
		walk->at = search(space, at);
		return (walk->at - at + space->step - 1) / space->step;
	}
	/* A wrong size may have led into the next buffer. */
	if (slot < at && slot >= walk->used) {
		walk->at = slot;
		walk->used = at;
		return 1;
	}
	at = slot + space->step;
	data = find_data(space, at);
	walk->at = data < space->end ? at + (data - at) / space->step * space->step : data;
	return 1;
}

bool etw_etl_header_zero(const struct etw_buffer_header *header)
{
	static const struct etw_buffer_header zero;

	return !memcmp(header, &zero, sizeof(zero));
}

/* Is this space that was allocated for a file, but not written? */
static bool unused(const struct etw_etl_space *space, const struct etw_buffer_header *header)
{
	return space->open && etw_etl_header_zero(header);
}

int etw_etl_walk_next(const struct etw_etl_space *space, struct etw_etl_walk *walk,
		      struct etw_buffer_header *header, uint64_t *at)
{
	const char *wrong;
	int err;

	walk->bad = 0;
	while (more(space, walk)) {
		/* Not zero unless a whole header is read, for unused(). */
		memset(header, 0xFF, sizeof(*header));
		wrong = etw_etl_header_check(space, walk->at, header, &err);
		if (err)
			return err;
		if (!wrong && !walk->bad) {
			*at = walk->at;
			pass(space, walk, header);
			return 1;
		}
		if (!wrong)
			break;		/* the next call returns it; report the run before it */
		if (unused(space, header)) {
			skip(space, walk);
			continue;
		}
		if (!walk->bad) {
			*at = walk->at;
			walk->what = wrong;
		}
		walk->bad += skip(space, walk);
	}
	return walk->bad ? -EBADMSG : 0;
}
