/* SPDX-License-Identifier: MIT */
/*
 * etlwrite_sink.c - the file that a writer of log files writes to
 *
 * A new file has its name from the beginning: when the program dies, what there is can
 * be read.  A file that takes the place of another one has a name of its own until it
 * is complete, so the old one can be an input as well, and stays if anything fails.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "etlwritepriv.h"

#define GATHER		(256u << 10)	/* bytes written at once, if pieces are small */
#define OPEN_FLAGS	(O_RDWR | O_CLOEXEC | O_NOCTTY)
#define TEMP_TRIES	100

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

/* Whose the file is that is replaced; who may not give files away keeps what he makes. */
static int take_after(int fd, const struct stat *there)
{
	mode_t mode = there->st_mode & 0777;

	if (fchown(fd, there->st_uid, there->st_gid) && fchown(fd, -1, there->st_gid))
		mode &= 0707;	/* meant for another group */
	return fchmod(fd, mode) ? -errno : 0;
}

/* A file beside the one that it is to replace, with that one's owner and permissions. */
static int open_temp(struct etw_etl_sink *sink, const struct stat *there)
{
	size_t room = strlen(sink->path) + 32;
	int i;

	sink->temp = malloc(room);
	if (!sink->temp)
		return -ENOMEM;
	for (i = 0; i < TEMP_TRIES; i++) {
		snprintf(sink->temp, room, "%s.%d-%d", sink->path, getpid(), i);
		sink->fd = open(sink->temp, OPEN_FLAGS | O_CREAT | O_EXCL, 0600);
		if (sink->fd >= 0) {
			sink->fresh = true;
			return take_after(sink->fd, there);
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* The file is there: take its place, or write into it if it is a device. */
static int open_there(struct etw_etl_sink *sink, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (S_ISREG(st.st_mode)) {
		/* The name of the file itself: a link to it stays a link. */
		sink->path = realpath(path, NULL);
		/* Whoever may not write to it may not replace it. */
		if (!sink->path || access(path, W_OK))
			return -errno;
		return open_temp(sink, &st);
	}
	sink->regular = false;
	sink->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (sink->fd < 0)
		return -errno;
	return lseek(sink->fd, 0, SEEK_CUR) < 0 ? -errno : 0;
}

static int open_sink(struct etw_etl_sink *sink, const char *path, bool replace)
{
	sink->gather = malloc(GATHER);
	if (!sink->gather)
		return -ENOMEM;
	sink->fd = open(path, OPEN_FLAGS | O_CREAT | O_EXCL, 0666);
	if (sink->fd >= 0) {
		sink->fresh = true;
		sink->path = strdup(path);
		return sink->path ? 0 : -ENOMEM;
	}
	if (errno != EEXIST || !replace)
		return -errno;
	return open_there(sink, path);
}

int etw_etl_sink_create(struct etw_etl_sink *sink, const char *path, bool replace)
{
	int err;

	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
	sink->regular = true;
	err = open_sink(sink, path, replace);
	if (err) {
		if (sink->fresh && !sink->path)
			unlink(path);
		etw_etl_sink_drop(sink);
	}
	return err;
}

int etw_etl_sink_append(struct etw_etl_sink *sink, const char *path, uint64_t keep)
{
	int err = 0;

	memset(sink, 0, sizeof(*sink));
	sink->regular = true;
	sink->keep = keep;
	sink->at = keep;
	sink->fd = open(path, OPEN_FLAGS);
	if (sink->fd < 0)
		return -errno;
	sink->gather = malloc(GATHER);
	sink->path = strdup(path);
	if (!sink->gather || !sink->path)
		err = -ENOMEM;
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
	free(sink->path);
	free(sink->temp);
	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
}

void etw_etl_sink_drop(struct etw_etl_sink *sink)
{
	int saved = errno;

	if (sink->fresh && (sink->temp || sink->path))
		unlink(sink->temp ? sink->temp : sink->path);
	else if (sink->fd >= 0 && sink->regular)
		etw_etl_sink_cut(sink);
	if (sink->fd >= 0)
		close(sink->fd);
	release(sink);
	errno = saved;
}

int etw_etl_sink_commit(struct etw_etl_sink *sink)
{
	int err = flush(sink);

	/* The old one goes once the new one is on the disk. */
	if (!err && sink->temp && fsync(sink->fd))
		err = -errno;
	/* Some file systems tell only now that there was no room. */
	if (!err && close(sink->fd))
		err = -errno;
	else if (!err)
		err = sink->temp && rename(sink->temp, sink->path) ? -errno : 0;
	else
		close(sink->fd);
	sink->fd = -1;
	if (err)
		etw_etl_sink_drop(sink);
	else
		release(sink);
	return err;
}
