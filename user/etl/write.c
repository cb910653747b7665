/* SPDX-License-Identifier: MIT */
/*
 * write.c - write a log file (.etl) from records
 *
 * lane.c keeps the buffers being filled, and clock_pairs.c their clock pairs. The sink
 * gathers small writes; a new file goes through atomic_file.h, a file that the caller
 * opened is written in place.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "file_private.h"
#include "record.h"
#include "write_private.h"

#define GATHER		(256u << 10)	/* small pieces are gathered up to this size */
#define SIZE_USUAL	(64u << 10)
#define HEADER		ETW_BUFFER_HEADER_SIZE

/* ---------------------------------------------------------------------- sink */

static int write_all(int fd, const void *data, size_t len, uint64_t at)
{
	const char *p = data;

	while (len) {
		ssize_t n = pwrite(fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		p += n;
		at += n;
		len -= n;
	}
	return 0;
}

static int sink_flush(struct etw_etl_sink *sink)
{
	size_t len = sink->gathered;

	sink->gathered = 0;
	return write_all(sink->fd, sink->gather, len, sink->at - len);
}

static void sink_release(struct etw_etl_sink *sink)
{
	free(sink->gather);
	free(sink->file.kept);
	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
}

/* Remove a new file; keep the contents of an appended one. */
static void sink_drop(struct etw_etl_sink *sink)
{
	int saved = errno;

	if (sink->file.path)
		etw_atomic_file_rollback(&sink->file);
	else if (sink->fd >= 0)
		close(sink->fd);
	sink_release(sink);
	errno = saved;
}

static int sink_begin(struct etw_etl_sink *sink, uint64_t keep)
{
	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
	sink->keep = keep;
	sink->at = keep;
	sink->gather = malloc(GATHER);
	return sink->gather ? 0 : -ENOMEM;
}

/* -EEXIST: it exists, and is neither to be replaced nor kept; -ESPIPE: cannot seek. */
static int sink_create(struct etw_etl_sink *sink, const char *path, unsigned int flags)
{
	int err = sink_begin(sink, 0);

	if (!err)
		err = etw_atomic_file_open(&sink->file, path, flags ? flags | ETW_ATOMIC_DEVICE : 0);
	sink->fd = sink->file.path ? sink->file.fd : -1;
	if (!err && lseek(sink->fd, 0, SEEK_CUR) < 0)
		err = -errno;
	if (err)
		sink_drop(sink);
	return err;
}

/* Append after the first keep bytes of an open file; the sink always owns fd. */
static int sink_append(struct etw_etl_sink *sink, int fd, uint64_t keep)
{
	int err = sink_begin(sink, keep);

	sink->fd = fd;
	if (!err && lseek(fd, 0, SEEK_CUR) < 0)
		err = -errno;
	if (err)
		sink_drop(sink);
	return err;
}

int etw_etl_sink_put(struct etw_etl_sink *sink, const void *data, size_t len)
{
	int err = 0;

	if (sink->gathered + len > GATHER)
		err = sink_flush(sink);
	if (err)
		return err;
	if (len >= GATHER / 4) {
		if (sink->gathered)
			err = sink_flush(sink);
		if (!err)
			err = write_all(sink->fd, data, len, sink->at);
	} else {
		memcpy(sink->gather + sink->gathered, data, len);
		sink->gathered += len;
	}
	sink->at += len;
	return err;
}

/* Remove everything written after keep. */
static int sink_cut(struct etw_etl_sink *sink)
{
	sink->gathered = 0;
	sink->at = sink->keep;
	return ftruncate(sink->fd, sink->keep) ? -errno : 0;
}

/* Overwrite bytes that are in the file after the call. */
static int sink_patch(struct etw_etl_sink *sink, const void *data, size_t len, uint64_t at)
{
	int err = sink_flush(sink);

	return err ? err : write_all(sink->fd, data, len, at);
}

/* Complete the file. Always closes it; on error, drops it. */
static int sink_commit(struct etw_etl_sink *sink)
{
	int err = sink_flush(sink);

	if (err) {
		sink_drop(sink);
		return err;
	}
	if (sink->file.path)
		err = etw_atomic_file_commit(&sink->file);
	else if (close(sink->fd))
		err = -errno;
	sink_release(sink);
	return err;
}

/* ------------------------------------------------------------------- records */

static bool is_head(const uint8_t *record, size_t size)
{
	uint16_t hook;

	if (size < 32 || record[3] != 0xC0 ||
	    (record[2] != ETW_ETL_SYSTEM32 && record[2] != ETW_ETL_SYSTEM64))
		return false;
	memcpy(&hook, record + 6, sizeof(hook));
	return !hook;
}

int etw_etl_write(struct etw_etl_writer *writer, uint16_t cpu, const void *record, size_t size)
{
	struct etw_etl_writer *w = writer;
	struct etw_classic_view classic;
	struct etw_record_view view;
	uint32_t slot, at, times[ETW_ETL_TIMES];
	struct etw_etl_lane *lane;
	int err;

	if (w->error)
		return w->error;
	if (size > ETW_RECORD_MAX || cpu >= ETW_ETL_CPUS)
		return -EINVAL;
	slot = etw_record_slot(size);
	if (slot > w->size - HEADER)
		return -EMSGSIZE;
	if (is_head(record, size))
		return 0;
	err = etw_etl_lane_get(w, cpu, slot);
	if (err)
		return err;
	lane = &w->lanes[cpu];
	at = lane->used;
	memset(lane->data + at + (slot ? slot - ETW_RECORD_ALIGN : 0), 0,
	       slot ? ETW_RECORD_ALIGN : 0);
	memcpy(lane->data + at, record, size);
	classic.time = lane->time;
	if (etw_etl_record(lane->data, at + size, &at, &view, &classic) != 1 ||
	    view.header->size != size)
		return -EINVAL;
	lane->time = view.header->timestamp;
	if (lane->used == HEADER) {
		lane->opened = w->buffers;
		lane->ref = lane->time;
		lane->timeless = !etw_etl_times(record, size, times);
		lane->latest = lane->time;
	}
	if (lane->time > lane->latest)
		lane->latest = lane->time;
	lane->used += slot;
	w->events++;
	return 0;
}

int64_t etw_etl_raw_time(const struct etw_etl_writer *writer, int64_t time)
{
	__extension__ typedef __int128 wide;
	wide ticks = (wide)time - writer->base.time;

	if (writer->info.header.ReservedFlags == ETW_CLOCK_SYSTEM)
		return time;
	ticks *= etw_etl_frequency(&writer->info);
	/* Round up, so that it converts back to the same time. */
	ticks = (ticks + (ticks > 0 ? 9999999 : 0)) / 10000000 + writer->base.clock;
	return ticks > INT64_MAX ? INT64_MAX : ticks < INT64_MIN ? INT64_MIN : (int64_t)ticks;
}

void etw_etl_lost(struct etw_etl_writer *writer, uint64_t events, uint64_t buffers)
{
	writer->lost_events += events;
	writer->lost_buffers += buffers;
}

void etw_etl_doubt(struct etw_etl_writer *writer)
{
	writer->doubt = true;
}

uint64_t etw_etl_bytes_with(const struct etw_etl_writer *writer, uint16_t cpu, size_t size,
			    uint64_t limit)
{
	const struct etw_etl_writer *w = writer;
	const struct etw_etl_lane *own = cpu < w->lane_count ? &w->lanes[cpu] : NULL;
	uint64_t bytes = w->sink.at + (uint64_t)(w->lane_count + 2) * w->size;
	unsigned int i;

	if (bytes <= limit)
		return bytes;
	bytes = w->sink.at;
	for (i = 0; i < w->lane_count; i++)
		if (w->lanes[i].data && w->lanes[i].used > HEADER)
			bytes += w->size;
	if (!own || !own->data || own->used == HEADER ||
	    own->used + etw_record_slot(size) > w->size)
		bytes += w->size;
	return bytes;
}

const struct etw_etl_info *etw_etl_writer_info(const struct etw_etl_writer *writer)
{
	return &writer->info;
}

/* ---------------------------------------------------------------- begin, end */

static void free_writer(struct etw_etl_writer *w)
{
	unsigned int i;

	if (!w)
		return;
	for (i = 0; i < w->lane_count; i++)
		free(w->lanes[i].data);
	free(w->lanes);
	free(w->pack);
	free(w->old);
	free(w);
}

/* Copy text into a header's field; cut only between characters. */
static void copy_name(char to[ETW_ETL_NAME_MAX + 1], const char *from)
{
	size_t len = strlen(from);

	if (len > ETW_ETL_NAME_MAX) {
		len = ETW_ETL_NAME_MAX;
		while (len && ((unsigned char)from[len] & 0xC0) == 0x80)
			len--;
	}
	memmove(to, from, len);
	to[len] = '\0';
}

/* Other programs read the name: it must not depend on the working directory. */
static int absolute_name(const char *path, char to[ETW_ETL_NAME_MAX + 1])
{
	char *cwd = *path == '/' ? NULL : getcwd(NULL, 0), *all;
	size_t room;

	if (*path == '/' || !cwd) {
		copy_name(to, path);
		return 0;
	}
	room = strlen(cwd) + strlen(path) + 2;
	all = malloc(room);
	if (all) {
		strcpy(all, cwd);
		strcat(strcat(all, "/"), path);
		copy_name(to, all);
	}
	free(all);
	free(cwd);
	return all ? 0 : -ENOMEM;
}

uint32_t etw_etl_size_like(uint32_t size)
{
	return size > SIZE_USUAL ? 2 * SIZE_USUAL : SIZE_USUAL;
}

static int describe(struct etw_etl_writer *w, const char *path,
		    const struct etw_etl_options *options)
{
	TRACE_LOGFILE_HEADER *h = &w->info.header;
	uint32_t size = options->buffer_size;
	int err = 0;

	if (options->like)
		w->info = *options->like;
	else
		etw_etl_info_here(&w->info);
	if (!size)
		size = etw_etl_size_like(h->BufferSize);
	if (!etw_etl_size_ok(size))
		return -EINVAL;
	w->size = size;
	h->BufferSize = size;
	h->MaximumFileSize = 0;
	h->LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL;
	if (options->compress) {
		h->LogFileMode |= EVENT_TRACE_COMPRESSED_MODE;
		/* File layout 2.0 */
		h->VersionDetail.SubVersion = 2;
		h->VersionDetail.SubMinorVersion = 0;
	}
	h->StartBuffers = 1;
	h->EndTime.QuadPart = 0;
	h->BuffersWritten = 1;
	h->EventsLost = 0;
	h->BuffersLost = 0;
	if (options->logger)
		copy_name(w->info.logger, options->logger);
	if (options->name)
		copy_name(w->info.file, options->name);
	else
		err = absolute_name(path, w->info.file);
	return err;
}

/* Set up the clock's line and compression, for both new and appended files. */
static int start(struct etw_etl_writer *w)
{
	struct etw_time_pair start = {
		.clock = w->info.start_clock,
		.time = w->info.header.StartTime.QuadPart,
	};

	etw_timebase_init(&w->base, etw_etl_frequency(&w->info), &start);
	if (w->info.header.LogFileMode & EVENT_TRACE_COMPRESSED_MODE) {
		w->pack = malloc(sizeof(*w->pack) + w->size);
		if (!w->pack)
			return -ENOMEM;
	}
	return 0;
}

static int put_head(struct etw_etl_writer *w)
{
	uint8_t *buffer = aligned_alloc(16, (w->size + 15u) / 16 * 16);
	uint32_t len;
	int err;

	if (!buffer)
		return -ENOMEM;
	len = etw_etl_head_build(buffer, &w->info, w->pack != NULL);
	err = etw_etl_sink_put(&w->sink, buffer, len);
	free(buffer);
	w->buffers = 1;
	return err;
}

int etw_etl_create(const char *path, const struct etw_etl_options *options,
		   struct etw_etl_writer **out)
{
	struct etw_etl_writer *w = calloc(1, sizeof(*w));
	int err;

	err = w ? describe(w, path, options) : -ENOMEM;
	if (!err && options->into)
		err = sink_append(&w->sink, options->fd, 0);
	else if (!err)
		err = sink_create(&w->sink, path, options->replace ? ETW_ATOMIC_REPLACE :
				  options->keep ? ETW_ATOMIC_KEEP : 0);
	else if (options->into)
		close(options->fd);
	if (err) {
		free_writer(w);
		return err;
	}
	w->wide = w->info.header.PointerSize != 4;
	err = start(w);
	if (!err)
		err = put_head(w);
	if (err) {
		etw_etl_discard(w);
		return err;
	}
	*out = w;
	return 0;
}

/* Write the header fields that closing fills in; the rest stays unchanged. */
static int patch_head(struct etw_etl_writer *w, const TRACE_LOGFILE_HEADER *h)
{
	const uint8_t *from = (const uint8_t *)h;
	uint64_t lost = offsetof(TRACE_LOGFILE_HEADER, BuffersLost) - (w->wide ? 0 : 8);
	const size_t head = offsetof(TRACE_LOGFILE_HEADER, LoggerName);
	int err = sink_patch(&w->sink, from, head, ETW_LOG_HEADER_AT);

	if (err)
		return err;
	return sink_patch(&w->sink, &h->BuffersLost, sizeof(h->BuffersLost),
				  ETW_LOG_HEADER_AT + lost);
}

static ULONG clamp(uint64_t n)
{
	return n < UINT32_MAX ? n : UINT32_MAX;
}

/* What is appended may not fit in the size that the session had for its events. */
static void raise_maximum(struct etw_etl_writer *w)
{
	TRACE_LOGFILE_HEADER *h = &w->info.header;
	const unsigned int unit = h->LogFileMode & EVENT_TRACE_USE_KBYTES_FOR_SIZE ? 10 : 20;

	if (h->MaximumFileSize && w->sink.at > (uint64_t)h->MaximumFileSize << unit)
		h->MaximumFileSize = clamp((w->sink.at + (1u << unit) - 1) >> unit);
}

static void complete(struct etw_etl_writer *w, int64_t end_time)
{
	TRACE_LOGFILE_HEADER *h = &w->info.header;
	struct timespec now;

	if (!end_time) {
		clock_gettime(CLOCK_REALTIME, &now);
		end_time = now.tv_sec * 10000000ll + now.tv_nsec / 100 + ETW_UNIX_EPOCH_100NS;
	}
	raise_maximum(w);
	h->EndTime.QuadPart = end_time;
	h->BuffersWritten = clamp(w->buffers);
	h->EventsLost = clamp(w->lost_events);
	h->BuffersLost = clamp(w->lost_buffers);
	if (h->NumberOfProcessors < w->lane_count)
		h->NumberOfProcessors = w->lane_count;
}

int etw_etl_finish(struct etw_etl_writer *writer, int64_t end_time,
		   struct etw_etl_written *count)
{
	struct etw_etl_writer *w = writer;
	int err;

	etw_etl_follow_end(w);
	err = etw_etl_lanes_put(w);
	if (!err) {
		complete(w, end_time);
		err = patch_head(w, &w->info.header);
	}
	/* What was appended to may have been on its disk, with a header that said so. */
	if (!err && w->old && fsync(w->sink.fd) && errno != EINVAL)
		err = -errno;
	if (err) {
		etw_etl_discard(w);
		return err;
	}
	if (count)
		*count = (struct etw_etl_written){
			.events = w->events,
			.buffers = w->buffers,
			.bytes = w->sink.at,
		};
	err = sink_commit(&w->sink);
	free_writer(w);
	return err;
}

/* -------------------------------------------------------------------- appending */

/* The number of the file's last buffer. */
static int last_sequence(struct etw_etl_file *f, uint64_t *sequence)
{
	struct etw_buffer_header header;
	struct etw_etl_walk walk;
	uint64_t at;
	int ret;

	etw_etl_walk_begin(&f->space, &walk);
	do {
		ret = etw_etl_walk_next(&f->space, &walk, &header, &at);
		if (ret == 1 && header.sequence > (int64_t)*sequence)
			*sequence = header.sequence;
	} while (ret == 1 || ret == -EBADMSG);
	return ret;
}

/* Read the file's own description; -EINVAL: cannot append to it. */
static int survey(struct etw_etl_writer *w, int fd)
{
	struct etw_etl_file *f;
	int err = etw_etl_open_fd(fd, NULL, NULL, &f);

	if (err)
		return err;
	w->info = f->info;
	w->size = f->info.header.BufferSize;
	w->wide = f->wide;
	w->buffers = f->count.buffers;
	w->lost_events = f->info.header.EventsLost;
	w->lost_buffers = f->info.header.BuffersLost;
	w->sink.keep = f->space.end;
	etw_etl_pair_again(w, &f->time);
	if (etw_etl_cut_off(f) || f->count.tail || !etw_etl_size_ok(w->size) ||
	    f->info.header.LogFileMode & EVENT_TRACE_FILE_MODE_CIRCULAR)
		err = -EINVAL;
	if (!err)
		err = last_sequence(f, &w->sequence);
	f->space.fd = -1;	/* owned by the caller */
	etw_etl_close(f);
	return err;
}

/*
 * Take a write lock, which needs write access; a lock by flock(2) would not, so a process that may
 * only read the file could block writers with it. A reader's read lock makes ours fail, too, but
 * does not mean that anyone appends, so it is ignored. If two processes append beside such a
 * reader, the second one finds the file marked as incomplete in its header.
 */
int etw_etl_lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

	if (!fcntl(fd, F_OFD_SETLK, &lock) || (errno != EAGAIN && errno != EACCES))
		return 0;
	/* The conflicting lock may have been released meanwhile: report it as held. */
	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type == F_RDLCK ? 0 : -EBUSY;
}

int etw_etl_append_fd(int fd, struct etw_etl_writer **out)
{
	struct etw_etl_writer *w = calloc(1, sizeof(*w));
	int err = -ENOMEM;

	if (w)
		w->old = malloc(sizeof(*w->old));
	if (w && w->old)
		err = etw_etl_lock(fd);
	if (!err)
		err = survey(w, fd);
	if (!err)
		err = start(w);
	if (!err)
		err = sink_append(&w->sink, fd, w->sink.keep);
	else
		close(fd);
	if (err) {
		free_writer(w);
		return err;
	}
	*w->old = w->info;
	/* The file has no end time until it is closed again. */
	w->info.header.EndTime.QuadPart = 0;
	err = patch_head(w, &w->info.header);
	if (err) {
		etw_etl_discard(w);
		return err;
	}
	*out = w;
	return 0;
}

void etw_etl_discard(struct etw_etl_writer *writer)
{
	if (!writer)
		return;
	/* If truncation fails, the header keeps marking the file as incomplete. */
	if (writer->old && !sink_cut(&writer->sink))
		patch_head(writer, &writer->old->header);
	sink_drop(&writer->sink);
	free_writer(writer);
}
