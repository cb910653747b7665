/* SPDX-License-Identifier: MIT */
/*
 * manifest.c - read an XML manifest
 */
#include <errno.h>
#include <stdlib.h>

#include "manifest.h"
#include "input.h"

static void run(struct manifest_reader *r, const char *data, size_t size)
{
	struct manifest_input input;
	bool parsed = etw_manifest_prepare(r, data, size, &input) &&
		      etw_manifest_parse(r, input.data, input.size, input.converted);

	free(input.own);
	if (parsed)
		etw_manifest_build(r);
	if (parsed && !r->err && !r->wrong)
		r->err = etw_manifest_finish(r->manifest);
	if (!parsed)
		r->wrong = true;
}

int etw_manifest_read_memory(const void *data, size_t size, const char *name,
			     struct etw_manifest **out, struct etw_problems *problems)
{
	struct manifest_reader r = { .problems = problems };
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

static int read_file(const char *path, bool regular, struct etw_manifest **out,
		     struct etw_problems *problems)
{
	size_t size;
	char *data;
	int err;

	err = etw_manifest_load(path, regular, &data, &size);
	if (err)
		return err;
	err = etw_manifest_read_memory(data, size, path, out, problems);
	free(data);
	return err;
}

int etw_manifest_read_file(const char *path, struct etw_manifest **out,
			   struct etw_problems *problems)
{
	return read_file(path, false, out, problems);
}

int etw_manifest_read_regular(const char *path, struct etw_manifest **out,
			      struct etw_problems *problems)
{
	return read_file(path, true, out, problems);
}
