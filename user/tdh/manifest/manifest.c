/* SPDX-License-Identifier: MIT */
/*
 * manifest.c - read an XML manifest
 */
#include <errno.h>
#include <stdlib.h>

#include "manifest.h"
#include "input.h"

static void run(struct etw_mx *x, const char *data, size_t size)
{
	struct manifest_input input;

	if (etw_mx_prepare(x, data, size, &input))
		etw_mx_parse(x, input.data, input.size, input.converted);
	else
		x->broken = true;
	free(input.own);
	/* Input that is not well-formed was not read to its end. */
	if (x->err || x->broken)
		return;
	etw_mx_build(x);
	if (!x->err && !x->wrong)
		x->err = etw_manifest_finish(x->manifest);
}

int etw_manifest_read_memory(const void *data, size_t size, const char *name,
			     struct etw_manifest **out, struct etw_problems *problems)
{
	struct etw_mx x = { .problems = problems };
	int err;

	x.manifest = etw_manifest_new(name);
	x.draft = etw_manifest_new("");
	x.names = etw_mx_names_new();
	if (x.manifest && x.draft && x.names)
		run(&x, data, size);
	else
		x.err = -ENOMEM;
	err = x.err ? x.err : x.wrong ? -EINVAL : 0;
	/* Problems were found element by element, then reference by reference. */
	if (problems)
		etw_problems_sort(problems);
	etw_mx_prefix_free(&x);
	etw_mx_names_free(x.names);
	etw_manifest_put(x.draft);
	etw_text_free(&x.text);
	if (err)
		etw_manifest_put(x.manifest);
	else
		*out = x.manifest;
	return err;
}

static int read_file(const char *path, bool regular, struct etw_manifest **out,
		     struct etw_problems *problems)
{
	size_t size;
	char *data;
	int err;

	err = etw_mx_read_file(path, regular, &data, &size);
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
