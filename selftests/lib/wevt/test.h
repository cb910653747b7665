/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * test.h - what the tests of WEVT_TEMPLATE share
 */
#ifndef UNIT_WEVT_TEST_H
#define UNIT_WEVT_TEST_H

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mc/wevt.h"
#include "tdh/model/message_ids.h"
#include "tdh/wevt/wevt.h"
#include "read.h"
#include "lib/tap.h"

/* The folder of the corpus; NULL: none. */
__attribute__((__unused__))
static const char *corpus(void)
{
	const char *path = getenv("ETW_CORPUS");

	if (!path || !*path)
		path = "../shared/corpus";
	return access(path, R_OK) ? NULL : path;
}

__attribute__((__unused__))
static unsigned char *load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	unsigned char *data;
	long n;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	data = malloc(n + 1);
	*size = fread(data, 1, n, f);
	fclose(f);
	return data;
}

__attribute__((__unused__))
static void show(struct etw_problems *problems)
{
	unsigned int i;

	for (i = 0; i < problems->count; i++)
		printf("# line %u: %s\n", problems->list[i].line, problems->list[i].text);
	etw_problems_free(problems);
}

__attribute__((__unused__))
static struct etw_manifest *read_xml(const char *xml)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *m = NULL;

	if (etw_manifest_read_memory(xml, strlen(xml), "test", &m, &problems))
		show(&problems);
	etw_problems_free(&problems);
	return m;
}

/* A rich manifest: everything that a binary can hold. */
extern const char rich_manifest[];

/*
 * Do two manifests say the same about all that decoding uses?  culture: of both, by
 * index.  Prints where they first differ.
 */
int same_manifest(const struct etw_manifest *a, const struct etw_manifest *b);

/*
 * A walk of the format that shares no code with the reader: lengths, offsets, signatures,
 * order.  false: prints what is wrong.
 */
int well_formed(const unsigned char *d, size_t size);

#endif /* UNIT_WEVT_TEST_H */
