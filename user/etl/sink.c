/* SPDX-License-Identifier: MIT */
/*
 * sink.c - the file that a writer of log files writes to
 *
 * A new file has its name once it is complete, see atomic_file.h; one that is open is written
 * where it is, and so is a device.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "write_private.h"

#define GATHER		(256u << 10)	/* bytes written at once, if pieces are small */

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

static int flush(struct etw_etl_sink *sink)
{
	size_t len = sink->gathered;

	sink->gathered = 0;
	return write_all(sink->fd, sink->gather, len, sink->at - len);
}

/* -------------------------------------------------------------------- opening */

static int open_device(struct etw_etl_sink *sink, const char *path)
{
	struct stat st;

	/* One that nobody reads would be -ENXIO. */
	if (!stat(path, &st) && S_ISFIFO(st.st_mode))
		return -ESPIPE;
	sink->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (sink->fd < 0)
		return -errno;
	return lseek(sink->fd, 0, SEEK_CUR) < 0 ? -errno : 0;
}

static int begin(struct etw_etl_sink *sink, uint64_t keep)
{
	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
	sink->keep = keep;
	sink->at = keep;
	sink->gather = malloc(GATHER);
	return sink->gather ? 0 : -ENOMEM;
}

int etw_etl_sink_create(struct etw_etl_sink *sink, const char *path, bool replace)
{
	int err = begin(sink, 0);

	if (!err)
		err = etw_atomic_file_open(&sink->file, path, replace);
	if (err == 1)
		err = open_device(sink, path);
	else if (!err)
		sink->fd = sink->file.fd;
	if (err)
		etw_etl_sink_drop(sink);
	return err;
}

int etw_etl_sink_append(struct etw_etl_sink *sink, int fd, uint64_t keep)
{
	int err = begin(sink, keep);

	sink->fd = fd;
	if (err)
		etw_etl_sink_drop(sink);
	return err;
}

/* -------------------------------------------------------------------- writing */

int etw_etl_sink_put(struct etw_etl_sink *sink, const void *data, size_t len)
{
	int err = 0;

	if (sink->gathered + len > GATHER)
		err = flush(sink);
	if (err)
		return err;
	if (len >= GATHER / 4) {
		if (sink->gathered)
			err = flush(sink);
		if (!err)
			err = write_all(sink->fd, data, len, sink->at);
	} else {
		memcpy(sink->gather + sink->gathered, data, len);
		sink->gathered += len;
	}
	sink->at += len;
	return err;
}

int etw_etl_sink_cut(struct etw_etl_sink *sink)
{
	sink->gathered = 0;
	sink->at = sink->keep;
	return ftruncate(sink->fd, sink->keep) ? -errno : 0;
}

int etw_etl_sink_patch(struct etw_etl_sink *sink, const void *data, size_t len, uint64_t at)
{
	int err = flush(sink);

	return err ? err : write_all(sink->fd, data, len, at);
}

/* --------------------------------------------------------------------- ending */

static void release(struct etw_etl_sink *sink)
{
	free(sink->gather);
	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
}

void etw_etl_sink_drop(struct etw_etl_sink *sink)
{
	int saved = errno;

	if (sink->file.path)
		etw_atomic_file_drop(&sink->file);
	else if (sink->fd >= 0)
		close(sink->fd);
	release(sink);
	errno = saved;
}

int etw_etl_sink_commit(struct etw_etl_sink *sink)
{
	int err = flush(sink);

	if (err) {
		etw_etl_sink_drop(sink);
		return err;
	}
	if (sink->file.path)
		err = etw_atomic_file_commit(&sink->file);
	else if (close(sink->fd))
		err = -errno;
	release(sink);
	return err;
}
