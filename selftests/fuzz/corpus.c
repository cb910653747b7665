// SPDX-License-Identifier: GPL-2.0-only
/* corpus.c - the programs to derive new ones from */
#define _GNU_SOURCE
#include "fuzz.h"

#define CORPUS_MAX	4096

struct prog *corpus;
unsigned int corpus_count;

/* Keep a program; write it to a file in dir unless dir is NULL. */
bool corpus_add(const struct prog *p, const char *dir)
{
	char path[512];

	if (!corpus)
		corpus = calloc(CORPUS_MAX, sizeof(*corpus));
	if (!corpus || !p->count)
		return false;
	corpus[corpus_count < CORPUS_MAX ? corpus_count++ : rnd_below(CORPUS_MAX)] = *p;
	if (!dir)
		return true;
	snprintf(path, sizeof(path), "%s/%016lx", dir, prog_hash(p));
	return prog_write(p, path);
}

/* Later programs reached further, so pick them more often. */
const struct prog *corpus_pick(void)
{
	unsigned int i, j;

	if (!corpus_count)
		return NULL;
	i = rnd_below(corpus_count);
	j = rnd_below(corpus_count);
	return &corpus[one_in(2) || i > j ? i : j];
}
