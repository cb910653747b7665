/* SPDX-License-Identifier: MIT */
/*
 * sink.c - buffered writes of a log file writer
 *
 * A new file goes through atomic_file.h; a file that the caller opened is written in place.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "write_private.h"

#define GATHER		(256u << 10)	/* small pieces are gathered up to this size */

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
		err = etw_atomic_file_open(&sink->file, path, replace ? ETW_ATOMIC_REPLACE |
					   ETW_ATOMIC_DEVICE : 0);
	sink->fd = sink->file.path ? sink->file.fd : -1;
	if (!err && lseek(sink->fd, 0, SEEK_CUR) < 0)
		err = -errno;
	if (err)
		etw_etl_sink_drop(sink);
	return err;
}

int etw_etl_sink_append(struct etw_etl_sink *sink, int fd, uint64_t keep)
{
	int err = begin(sink, keep);

	sink->fd = fd;
	if (!err && lseek(fd, 0, SEEK_CUR) < 0)
		err = -errno;
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
		etw_atomic_file_rollback(&sink->file);
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
