// SPDX-License-Identifier: MIT
/*
 * file.c - the log file of a private session: a header, then buffers as they come
 *
 * Each buffer is written whole as soon as it is complete, so what is in the file stays
 * readable if the process dies. The first buffer is completed at the end.
 *
 * Two processes must not write one file. The one that writes it holds a lock on it
 * (flock(2)), which ends with the process; another one takes the name with its process id.
 *
 * The program does not know of the descriptor and may close it, as one that closes all it does
 * not know; its number can be another file's then. So the file behind it is looked at before each
 * use, and opened again if it is not ours. What no look can prevent is a descriptor that is
 * replaced between the look and the use.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/absolute_path.h"
#include "core/loghead.h"
#include "etl/logfile_header.h"
#include "file.h"
#include "private.h"

#define NUMBER_MAX	10	/* digits of a file's number */
#define NAMES_MAX	1000	/* names beside a file that are tried */
#define OPEN_FLAGS	(O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
#define FD_MIN		512	/* programs expect the low numbers for themselves */

/* ---------------------------------------------------------------- settings */

/* The %d of the file's own name, not of its folder; NULL: there is none, or there are several. */
static const char *number_at(const char *pattern)
{
	const char *place = strstr(strrchr(pattern, '/'), "%d");

	return place && !strstr(place + 2, "%d") ? place : NULL;
}

static uint64_t size_limit(uint32_t mode, uint32_t max_size)
{
	return (uint64_t)max_size << (mode & ETW_MODE_KBYTES ? 10 : 20);
}

int etw_private_file_init(struct private_file *file, const char *path, uint32_t mode,
			  uint32_t max_size, uint32_t buffer_size)
{
	int err;

	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->mode = mode;
	file->max_size = max_size;
	file->limit = size_limit(mode, max_size);
	file->size = buffer_size;
	file->number = 1;
	/* Other processes see the name. */
	err = etw_absolute_path(path, file->pattern, sizeof(file->pattern));
	if (err)
		return err;
	strcpy(file->path, file->pattern);
	if (mode & ETW_MODE_NEWFILE &&
	    (!number_at(file->pattern) || strlen(file->pattern) > ETW_FILE_NAME_MAX - NUMBER_MAX))
		return -EINVAL;
	return file->limit && file->limit < 3ull * buffer_size ? -EINVAL : 0;
}

/* ------------------------------------------------------------------ naming */

/* The name of the present file; other: 0, or how many names were in use. False: too long. */
static bool make_name(struct private_file *file, unsigned int other)
{
	const char *number = file->mode & ETW_MODE_NEWFILE ? number_at(file->pattern) : NULL;
	size_t room = sizeof(file->path);
	int len;

	if (number)
		len = snprintf(file->path, room, "%.*s%u%s", (int)(number - file->pattern),
			       file->pattern, file->number, number + 2);
	else
		len = snprintf(file->path, room, "%s", file->pattern);
	if (other && len >= 0 && (size_t)len < room)
		len += snprintf(file->path + len, room - len, "_%d", (int)getpid());
	if (other > 1 && len >= 0 && (size_t)len < room)
		len += snprintf(file->path + len, room - len, "_%u", other);
	return len >= 0 && (size_t)len < room;
}

/* ----------------------------------------------------------------- opening */

/*
 * What is open, for a child of fork(): a copy of the descriptor would keep the lock. A session
 * has two files while it changes from one to the other.
 */
static struct private_open {
	_Atomic int fd;			/* + 1; 0: unused, -1: not complete yet */
	dev_t dev;
	ino_t ino;
} all_open[2 * ETW_PRIVATE_SESSIONS];

static bool is_file(int fd, dev_t dev, ino_t ino)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_dev == dev && st.st_ino == ino;
}

static bool is_ours(const struct private_file *file)
{
	return is_file(file->fd, file->dev, file->ino);
}

static void note_open(struct private_file *file)
{
	struct private_open *o;

	for (o = all_open; o < all_open + 2 * ETW_PRIVATE_SESSIONS; o++) {
		int unused = 0;

		if (!atomic_compare_exchange_strong(&o->fd, &unused, -1))
			continue;
		o->dev = file->dev;
		o->ino = file->ino;
		atomic_store(&o->fd, file->fd + 1);
		file->open = o;
		return;
	}
}

/* The descriptor is closed, or the program's. */
static void note_closed(struct private_file *file)
{
	if (file->open)
		atomic_store(&file->open->fd, 0);
	file->open = NULL;
	file->fd = -1;
}

void etw_private_files_inherited(void)
{
	struct private_open *o;

	for (o = all_open; o < all_open + 2 * ETW_PRIVATE_SESSIONS; o++) {
		int fd = atomic_exchange(&o->fd, 0) - 1;

		if (is_file(fd, o->dev, o->ino))
			close(fd);
	}
}

/* Lock an open file, and move its descriptor out of the program's way. It is closed on errors. */
static int adopt(struct private_file *file, int fd)
{
	struct stat st;
	int high, err = 0;

	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -ESPIPE;
	else if (flock(fd, LOCK_EX | LOCK_NB))
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	high = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);
	if (high >= 0)
		close(fd);
	file->fd = high >= 0 ? high : fd;
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	note_open(file);
	return 0;
}

/*
 * Open the file of this name, locked. -EEXIST: it must not exist; -EWOULDBLOCK: another
 * process writes it.
 */
static int open_name(struct private_file *file)
{
	int fd = open(file->path, OPEN_FLAGS | O_CREAT | O_EXCL, 0666);

	file->made = fd >= 0;
	if (fd < 0 && errno == EEXIST && !file->fresh)
		fd = open(file->path, OPEN_FLAGS | O_CREAT, 0666);
	return fd < 0 ? -errno : adopt(file, fd);
}

static int open_file(struct private_file *file)
{
	unsigned int other = 0;
	int err;

	do {
		if (!make_name(file, other))
			return -ENAMETOOLONG;
		err = open_name(file);
	} while ((err == -EEXIST || err == -EWOULDBLOCK) && ++other < NAMES_MAX);
	return err == -EWOULDBLOCK ? -ETXTBSY : err;
}

static int close_file(struct private_file *file)
{
	int err = is_ours(file) && close(file->fd) ? -errno : 0;

	note_closed(file);
	return err;
}

/* Does the file still begin with the header's record, which names this process and a time? */
static bool has_head(const struct private_file *file)
{
	struct etw_system_header record;

	return pread(file->fd, &record, sizeof(record), ETW_BUFFER_HEADER_SIZE) == sizeof(record) &&
	       !memcmp(&record, file->head + ETW_BUFFER_HEADER_SIZE, sizeof(record));
}

/* Before each use of the descriptor: open the file again unless it is still there; 0 or -EIO. */
static int keep_open(struct private_file *file)
{
	int fd;

	if (is_ours(file))
		return 0;
	note_closed(file);
	fd = open(file->path, OPEN_FLAGS);
	if (fd < 0 || adopt(file, fd))
		return -EIO;
	if (has_head(file))
		return 0;
	/* Another process has begun it anew. */
	close_file(file);
	return -EIO;
}

/* ----------------------------------------------------------------- writing */

static int write_at(struct private_file *file, const void *data, size_t len, uint64_t at)
{
	int err = keep_open(file);
	const char *p = data;

	if (err)
		return err;
	while (len) {
		ssize_t n = pwrite(file->fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		at += n;
		len -= n;
	}
	return 0;
}

/* Cut off what lies behind size. */
static int cut(struct private_file *file, uint64_t size)
{
	int err = keep_open(file);

	return !err && ftruncate(file->fd, size) ? -errno : err;
}

static int build_head(struct private_file *file, const struct etw_session_info *info)
{
	struct etw_log_head head = {
		.start_clock = info->start_clock,
		.thread_id = gettid(),
		.process_id = getpid(),
		.logger_id = info->logger_id,
		.logger = info->name,
		.logger_len = strlen(info->name),
		.file = file->path,
		.file_len = strlen(file->path),
	};
	TRACE_LOGFILE_HEADER header;

	if (!file->head)
		file->head = aligned_alloc(16, file->size);
	if (!file->head)
		return -ENOMEM;
	etw_logfile_header(&header, info);
	memcpy(&head.header, &header, sizeof(head.header));
	head.header.max_file_size = file->max_size;
	head.header.buffers_written = 1;
	file->head_used = etw_log_head_build(file->head, &head);
	file->start_clock = info->start_clock;
	return 0;
}

/* The old content is cut off last, when nothing else can fail. */
int etw_private_file_begin(struct private_file *file, const struct etw_session_info *info)
{
	int err = open_file(file);

	if (err)
		return err;
	err = build_head(file, info);
	if (!err)
		err = write_at(file, file->head, file->size, 0);
	if (!err)
		err = cut(file, file->size);
	if (err) {
		etw_private_file_undo(file);
		return err;
	}
	file->at = file->size;
	file->bytes = file->size;
	file->full = false;
	return 0;
}

/*
 * Write a buffer over an older one. A write that a kill interrupts ends at a page, and what is there
 * then must not pass for one buffer: it has no records until it is whole.
 */
static int write_over(struct private_file *file, const void *data)
{
	const uint32_t top = ETW_BUFFER_HEADER_SIZE;
	struct etw_buffer_header none;
	int err;

	memcpy(&none, data, top);
	none.offset = top;
	none.saved_offset = top;
	none.current_offset = top;
	err = write_at(file, &none, top, file->at);
	if (!err)
		err = write_at(file, (const char *)data + top, file->size - top, file->at + top);
	return err ? err : write_at(file, data, top, file->at);
}

/* Let the next buffer have a place. */
static int make_room(struct private_file *file)
{
	if (!file->limit || file->at + file->size <= file->limit)
		return 0;
	if (!(file->mode & ETW_MODE_CIRCULAR))
		return -EFBIG;
	file->at = file->size;
	return 0;
}

/* Continue in the file of the next number. */
int etw_private_file_next(struct private_file *file, const struct etw_session_info *info,
			  const struct private_file_end *end)
{
	if (file->head) {
		etw_private_file_end(file, end, NULL);
		file->number++;
	}
	return etw_private_file_begin(file, info);
}

int etw_private_file_write(struct private_file *file, const struct etw_session_info *info,
			   const struct private_file_end *end, const void *data)
{
	int err = file->head ? 0 : etw_private_file_begin(file, info);

	if (!err)
		err = make_room(file);
	if (err == -EFBIG && file->mode & ETW_MODE_NEWFILE)
		err = etw_private_file_next(file, info, end);
	file->full = err == -EFBIG;
	if (!err)
		err = file->at < file->bytes ? write_over(file, data) :
					       write_at(file, data, file->size, file->at);
	if (err)
		return err;
	file->at += file->size;
	if (file->bytes < file->at)
		file->bytes = file->at;
	file->buffers_written++;
	return 0;
}

/* ------------------------------------------------------------------ ending */

/* Record losses behind the header's record, with its time. */
static void put_losses(struct private_file *file, const char *session, struct etw_losses *losses)
{
	struct etw_log_header *header = (void *)(file->head + ETW_LOG_HEADER_AT);
	struct etw_loss_output output = {
		.data = file->head,
		.at = file->head_used,
		.end = file->size,
		.timestamp = file->start_clock,
		.noted = header->start_time,
		.session = session,
		.session_len = strlen(session),
	};

	if (!losses->present)
		return;
	etw_losses_clear(losses, etw_losses_build(losses, &output));
	file->head_used = output.at;
}

static void complete_head(struct private_file *file, const struct private_file_end *end)
{
	struct etw_log_header *header = (void *)(file->head + ETW_LOG_HEADER_AT);
	struct etw_buffer_header *top = (void *)file->head;
	uint64_t most = UINT32_MAX;

	header->end_time = end->wall;
	header->buffers_written = file->bytes / file->size;
	header->events_lost = end->events_lost < most ? end->events_lost : most;
	header->buffers_lost = file->buffers_lost < most ? file->buffers_lost : most;
	header->continued = end->continued ? ETW_LOG_CONTINUED : 0;
	top->ref_time = end->wall;
	top->ref_clock = end->clock;
	top->offset = file->head_used;
	top->saved_offset = file->head_used;
	top->current_offset = file->head_used;
}

/*
 * A circular file gets its end when the disk has the rest: after a power cut that left the end but
 * not the newest buffers, older ones in their places would look whole.
 */
static int sync_rest(struct private_file *file)
{
	int err;

	if (!(file->mode & ETW_MODE_CIRCULAR))
		return 0;
	err = keep_open(file);
	return err || !fdatasync(file->fd) || errno == EINVAL ? err : -errno;
}

int etw_private_file_end(struct private_file *file, const struct private_file_end *end,
			 struct etw_losses *losses)
{
	int synced = sync_rest(file), err, closed;

	if (losses)
		put_losses(file, end->session, losses);
	put_losses(file, end->session, &file->missed);
	complete_head(file, end);
	if (synced)
		((struct etw_log_header *)(file->head + ETW_LOG_HEADER_AT))->end_time = 0;
	err = write_at(file, file->head, file->size, 0);
	/* A part of a buffer, for which the disk had no room */
	if (!err)
		err = cut(file, file->bytes);
	closed = close_file(file);
	free(file->head);
	file->head = NULL;
	if (!err)
		err = synced;
	return err ? err : closed;
}

void etw_private_file_undo(struct private_file *file)
{
	if (file->made)
		unlink(file->path);
	close_file(file);
	free(file->head);
	file->head = NULL;
}
