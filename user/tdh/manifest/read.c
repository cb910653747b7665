/* SPDX-License-Identifier: MIT */
/*
 * read.c - read an XML manifest
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "manifest.h"
#include "base/read_all.h"

static void run(struct manifest_reader *r, const char *data, size_t size)
{
	struct manifest_input input;
	bool parsed = etw_manifest_prepare(r, data, size, &input) &&
		      etw_manifest_parse(r, &input);

	free(input.own);
	if (parsed)
		etw_manifest_build(r);
	if (parsed && !r->err && !r->wrong)
		r->err = etw_manifest_finish(r->manifest);
	if (!parsed)
		r->wrong = true;
}

static int read_memory(const void *data, size_t size, const char *name, bool lenient,
		       struct etw_manifest **out, struct etw_problems *problems)
{
	struct manifest_reader r = { .problems = problems, .lenient = lenient };
	int err;

	r.manifest = etw_manifest_new(name);
	r.scratch = etw_manifest_new("");
	if (r.manifest && r.scratch)
		run(&r, data, size);
	else
		r.err = -ENOMEM;
	err = r.err ? r.err : r.wrong ? -EINVAL : 0;
	/* Problems were found step by step. */
	if (problems)
		etw_problems_sort(problems);
	etw_names_clear(&r.names);
	etw_manifest_put(r.scratch);
	if (err)
		etw_manifest_put(r.manifest);
	else
		*out = r.manifest;
	return err;
}

int etw_manifest_read_memory(const void *data, size_t size, const char *name,
			     struct etw_manifest **out, struct etw_problems *problems)
{
	return read_memory(data, size, name, true, out, problems);
}

int etw_manifest_check_memory(const void *data, size_t size, const char *name,
			      struct etw_manifest **out, struct etw_problems *problems)
{
	return read_memory(data, size, name, false, out, problems);
}

/* Opening a FIFO without O_NONBLOCK waits for a writer. */
static int read_file(const char *path, bool regular, bool lenient, struct etw_manifest **out,
		     struct etw_problems *problems)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (regular ? O_NONBLOCK : 0)), err;
	struct stat st;
	char *data;
	size_t size;

	if (fd < 0)
		return -errno;
	if (regular && fstat(fd, &st))
		err = -errno;
	else if (regular && !S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? -EISDIR : -ENXIO;
	else
		err = etw_read_all(fd, (size_t)MANIFEST_SIZE_MAX + 1, &data, &size);
	close(fd);
	if (err)
		return err;
	err = read_memory(data, size, path, lenient, out, problems);
	free(data);
	return err;
}

int etw_manifest_read_file(const char *path, struct etw_manifest **out,
			   struct etw_problems *problems)
{
	return read_file(path, false, true, out, problems);
}

int etw_manifest_check_file(const char *path, struct etw_manifest **out,
			    struct etw_problems *problems)
{
	return read_file(path, false, false, out, problems);
}

int etw_manifest_read_regular(const char *path, struct etw_manifest **out,
			      struct etw_problems *problems)
{
	return read_file(path, true, true, out, problems);
}
