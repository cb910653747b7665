// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c - checks .etl files against the format's page (rules.h).
 *
 *     check [-o] FILE...    -o: files of a running session or of a crashed machine
 *     check -l              lists the rules
 *
 * A line per violation, "FILE: offset: rule N: the rule: the value found"; at most 20 per
 * file.  The exit status is 1 if there is any violation.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "rules.h"

#define MOST 20

struct printed {
	const char *path;
	unsigned int lines;
};

static void print_error(void *context, enum rule rule, uint64_t offset, const char *text)
{
	struct printed *t = context;

	if (t->lines++ < MOST)
		printf("%s: %" PRIu64 ": rule %d: %s: %s\n", t->path, offset, (int)rule,
		       rule_text(rule), text);
}

static int list(void)
{
	for (unsigned int i = 0; i < RULE_END; i++)
		if (rule_text(i))
			printf("%u\t%s\n", i, rule_text(i));
	return 0;
}

static int one(const char *path, unsigned int options)
{
	struct printed t = { .path = path };
	struct check c;
	int64_t n = check_file(path, options, print_error, &t, &c);

	if (n < 0) {
		fprintf(stderr, "check: %s: %s\n", path, strerror(errno));
		return 1;
	}
	printf("%s: %u buffers, %" PRIu64 " records, %" PRId64 " violations\n", path, c.buffers,
	       c.records, n);
	return n != 0;
}

int main(int argc, char **argv)
{
	unsigned int options = 0;
	int bad = 0, i = 1;

	if (argc == 2 && !strcmp(argv[1], "-l"))
		return list();
	if (argc > 1 && !strcmp(argv[1], "-o")) {
		options = CHECK_OPEN;
		i++;
	}
	if (i >= argc) {
		fprintf(stderr, "usage: check [-o] FILE... | check -l\n");
		return 2;
	}
	for (; i < argc; i++)
		bad |= one(argv[i], options);
	return bad;
}
