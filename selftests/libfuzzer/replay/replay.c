// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay - runs a target of libFuzzer without libFuzzer
 *
 *	NAME [FILE]...
 *
 * Linked with one target.  Runs an empty input, each file, and changed copies of each, the same
 * ones in every run.  The sanitizers end the program if the target does wrong.
 * Prints to stderr how many inputs it ran.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/pick.h"

#define INPUT_MAX	16384
#define CHANGES_MAX	4
#define COPIES		200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long inputs;

/* A copy of the exact size, so that a sanitizer sees reads beyond it. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	inputs++;
}

/* Cut the input, or change, insert or repeat some of its bytes.  Returns the new size. */
static size_t change(uint8_t *data, size_t size)
{
	size_t at = size ? pick(size) : 0, n = size ? 1 + pick(size - at) : 0;

	switch (pick(5)) {
	case 0:
		return at;
	case 1:
		if (size)
			data[at] ^= 1 << pick(8);
		return size;
	case 2:
		if (size)
			data[at] = pick(2) ? 0xff : 0;
		return size;
	case 3:
		if (size == INPUT_MAX)
			return size;
		memmove(data + at + 1, data + at, size - at);
		data[at] = pick(256);
		return size + 1;
	default:
		if (size + n > INPUT_MAX)
			return size;
		memmove(data + at + n, data + at, size - at);
		return size + n;
	}
}

static void run_changed(const uint8_t *data, size_t size)
{
	static uint8_t changed[INPUT_MAX];
	uint32_t i, k, changes;
	size_t now;

	for (i = 0; i < COPIES; i++) {
		memcpy(changed, data, size);
		now = size;
		changes = 1 + pick(CHANGES_MAX);
		for (k = 0; k < changes; k++)
			now = change(changed, now);
		run(changed, now);
	}
}

static void run_file(const char *name)
{
	static uint8_t data[INPUT_MAX];
	FILE *file = fopen(name, "rb");
	size_t size;

	if (!file) {
		perror(name);
		exit(1);
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	run(data, size);
	run_changed(data, size);
}

int main(int argc, char **argv)
{
	int i;

	run((const uint8_t *)"", 0);
	run_changed((const uint8_t *)"", 0);
	for (i = 1; i < argc; i++)
		run_file(argv[i]);
	fprintf(stderr, "%lu inputs\n", inputs);	/* a target may have taken stdout */
	return 0;
}
