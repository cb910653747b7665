/* SPDX-License-Identifier: MIT */
/*
 * read.c - traces of a folder, merged by time into one log file
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream.h"
#include "etl/write.h"

#define FOLDERS_DEEP	8		/* below the one that is given */
#define STREAMS_MAX	16384
#define FILETIME_1970	116444736000000000LL
#define BUFFER_SIZE	131072		/* the largest event fits */
#define LOOK_EVENTS	4096		/* between two of progress() */

struct trace {
	struct cm_meta *meta;
	struct trace *next;
};

struct run {
	const struct ctfin_options *options;
	struct ctfin_result *result;
	struct trace *traces;
	struct cs **heap;		/* streams by the time of their event */
	uint32_t count, room;
	struct ctffiles files;
	struct etw_etl_writer *writer;
	uint64_t size;
	int64_t last;			/* time of the last event */
};

static int fail(struct run *run, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int fail(struct run *run, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(run->result->problem, sizeof(run->result->problem), fmt, ap);
	va_end(ap);
	return err;
}

static int no_memory(struct run *run)
{
	return fail(run, -ENOMEM, "out of memory");
}

/* -------------------------------------------------------------------- the heap */

static bool earlier(const struct cs *a, const struct cs *b)
{
	return a->time != b->time ? a->time < b->time : strcmp(a->file.path, b->file.path) < 0;
}

static void sink(struct run *run, uint32_t at)
{
	struct cs **heap = run->heap, *moved = heap[at];
	uint32_t child;

	while ((child = 2 * at + 1) < run->count) {
		if (child + 1 < run->count && earlier(heap[child + 1], heap[child]))
			child++;
		if (!earlier(heap[child], moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static void close_stream(struct cs *s)
{
	cs_close(s);
	free((char *)s->file.path);
	free(s);
}

/* --------------------------------------------------------------------- folders */

static int add_stream(struct run *run, const struct cm_meta *meta, const char *path, uint64_t size)
{
	struct cs *s, **heap;

	if (run->count == STREAMS_MAX)
		return fail(run, -E2BIG, "more than %u streams", STREAMS_MAX);
	if (run->count == run->room) {
		uint32_t room = run->room ? 2 * run->room : 16;

		heap = realloc(run->heap, room * sizeof(*heap));
		if (!heap)
			return no_memory(run);
		run->heap = heap;
		run->room = room;
	}
	s = calloc(1, sizeof(*s));
	if (s)
		s->file.path = strdup(path);
	if (!s || !s->file.path) {
		free(s);
		return no_memory(run);
	}
	s->meta = meta;
	s->r.meta = meta;
	s->files = &run->files;
	s->size = size;
	s->options = run->options;
	s->result = run->result;
	run->heap[run->count++] = s;
	run->size += size;
	return 0;
}

static int read_metadata(struct run *run, const char *path, struct cm_meta **meta)
{
	char problem[256] = "";
	struct trace *trace;
	struct stat st;
	char *data;
	ssize_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0;

	if (fd < 0 || fstat(fd, &st))
		err = fail(run, -errno, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		err = fail(run, -EINVAL, "%s: no file", path);
	else if (st.st_size > (off_t)CM_TEXT_MAX)
		err = fail(run, -EFBIG, "%s: larger than %u MB", path, CM_TEXT_MAX >> 20);
	data = err ? NULL : malloc((size_t)st.st_size + 1);
	if (data)
		n = read(fd, data, (size_t)st.st_size);
	if (n < 0)
		err = fail(run, -errno, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (err) {
		free(data);
		return err;
	}
	trace = calloc(1, sizeof(*trace));
	if (data && trace)
		trace->meta = cm_parse(data, (size_t)n, problem, sizeof(problem));
	free(data);
	if (!trace || !trace->meta) {
		free(trace);
		return problem[0] ? fail(run, -EBADMSG, "%s: %s", path, problem) : no_memory(run);
	}
	trace->next = run->traces;
	run->traces = trace;
	*meta = trace->meta;
	return 0;
}

static int walk(struct run *run, const char *folder, unsigned int depth);

/* A file of a trace, or a folder in which others may be */
static int one_entry(struct run *run, const struct cm_meta *meta, const char *path,
		     unsigned int depth)
{
	struct stat st;

	if (lstat(path, &st))
		return fail(run, -errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return meta || depth == FOLDERS_DEEP ? 0 : walk(run, path, depth + 1);
	if (!meta || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	return add_stream(run, meta, path, (uint64_t)st.st_size);
}

static int walk_entries(struct run *run, const char *folder, struct dirent **list, int n,
			unsigned int depth)
{
	const struct cm_meta *known;
	struct cm_meta *meta = NULL;
	char path[4096];
	int i, err = 0;

	snprintf(path, sizeof(path), "%s/metadata", folder);
	if (!access(path, F_OK))
		err = read_metadata(run, path, &meta);
	known = meta;
	for (i = 0; i < n && !err; i++) {
		const char *name = list[i]->d_name;

		if (name[0] == '.' || !strcmp(name, "metadata"))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
			err = fail(run, -ENAMETOOLONG, "%s: the name is too long", folder);
		else
			err = one_entry(run, known, path, depth);
	}
	return err;
}

static int walk(struct run *run, const char *folder, unsigned int depth)
{
	struct dirent **list = NULL;
	int n = scandir(folder, &list, NULL, alphasort), i, err;

	if (n < 0)
		return fail(run, -errno, "%s: %s", folder, strerror(errno));
	err = walk_entries(run, folder, list, n, depth);
	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return err;
}

/* ----------------------------------------------------------------------- merge */

/* The first event of each stream; those without any are closed. */
static int fill_heap(struct run *run)
{
	uint32_t i, kept = 0;
	int ret = 0;

	for (i = 0; i < run->count; i++) {
		struct cs *s = run->heap[i];

		if (ret >= 0) {
			ret = cs_next(s);
			if (ret < 0)
				fail(run, ret, "%s: %s", s->file.path, strerror(-ret));
		}
		if (ret < 0 || ret == 1) {
			run->heap[kept++] = s;
			continue;
		}
		close_stream(s);
	}
	run->count = kept;
	if (ret < 0)
		return ret;
	for (i = kept / 2; i--;)
		sink(run, i);
	return 0;
}

static int create(struct run *run, const char *out)
{
	struct etw_etl_options options = { .replace = run->options->replace,
					   .buffer_size = BUFFER_SIZE };
	const struct cm_meta *meta = run->traces->meta;
	int64_t start = run->count ? run->heap[0]->time : 0;
	struct etw_etl_info info;
	int err;

	etw_etl_info_here(&info);
	/* The clock counts ns; at a whole step of FILETIME both are the same moment. */
	start -= start % 100;
	info.start_clock = start;
	info.header.StartTime.QuadPart = start / 100 + FILETIME_1970;
	info.header.BootTime.QuadPart = 0;
	info.header.NumberOfProcessors = 1;
	options.like = &info;
	options.logger = meta->trace_name && *meta->trace_name ? meta->trace_name :
			 meta->tracer && *meta->tracer ? meta->tracer : "CTF";
	err = etw_etl_create(out, &options, &run->writer);
	return err ? fail(run, err, "%s: %s", out, strerror(-err)) : 0;
}

static bool is_due(struct run *run)
{
	uint64_t done = 0;
	uint32_t i;

	if (run->result->events % LOOK_EVENTS || !run->options->progress)
		return false;
	for (i = 0; i < run->count; i++)
		done += run->heap[i]->size - run->heap[i]->offset;
	return run->options->progress(run->options->context, run->size - done, run->size,
				      run->result->events);
}

static int write_event(struct run *run, struct cs *s, const char *out)
{
	int err = etw_etl_write(run->writer, s->cpu, s->record, s->record_size);

	if (err == -EMSGSIZE) {
		run->result->too_large++;
		return 0;
	}
	if (err)
		return fail(run, err, "%s: %s", out, strerror(-err));
	run->result->events++;
	run->last = s->time;
	return 0;
}

static int merge(struct run *run, const char *out)
{
	int ret;

	while (run->count) {
		struct cs *s = run->heap[0];

		ret = write_event(run, s, out);
		if (ret)
			return ret;
		if (is_due(run))
			return -EINTR;
		ret = cs_next(s);
		if (ret < 0)
			return fail(run, ret, "%s: %s", s->file.path, strerror(-ret));
		if (!ret) {
			close_stream(s);
			run->heap[0] = run->heap[--run->count];
		}
		if (run->count)
			sink(run, 0);
	}
	return 0;
}

static int finish(struct run *run, const char *out)
{
	const struct ctfin_result *r = run->result;
	int err;

	etw_etl_lost(run->writer, r->discarded + r->too_large, 0);
	err = etw_etl_finish(run->writer, run->last / 100 + FILETIME_1970, NULL);
	run->writer = NULL;
	return err ? fail(run, err, "%s: %s", out, strerror(-err)) : 0;
}

int convert_from_ctf(const char *folder, const char *out, const struct ctfin_options *options,
		     struct ctfin_result *result)
{
	struct run run = { .options = options, .result = result };
	struct trace *next;
	int err;

	memset(result, 0, sizeof(*result));
	ctffiles_init(&run.files);
	err = walk(&run, folder, 0);
	if (!err && !run.traces)
		err = fail(&run, -ENOENT, "%s: no CTF trace: no metadata in it", folder);
	result->streams = run.count;
	if (!err)
		err = fill_heap(&run);
	if (!err)
		err = create(&run, out);
	if (!err)
		err = merge(&run, out);
	if (!err)
		err = finish(&run, out);
	if (run.writer)
		etw_etl_discard(run.writer);
	while (run.count)
		close_stream(run.heap[--run.count]);
	free(run.heap);
	for (; run.traces; run.traces = next) {
		next = run.traces->next;
		cm_free(run.traces->meta);
		free(run.traces);
	}
	return err;
}
