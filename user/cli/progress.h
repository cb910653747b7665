/* SPDX-License-Identifier: MIT */
/*
 * progress.h - a bar on stderr while something long runs; none if that is no terminal
 */
#ifndef ETW_CLI_PROGRESS_H
#define ETW_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool on;
	bool shown;
	int64_t start, next;	/* CLOCK_MONOTONIC, ms */
};

/* quiet: never show one. */
void progress_begin(struct progress *p, bool quiet);
/* Is it time to show how far it is?  Asks the clock: call it now and then. */
bool progress_due(struct progress *p);
/* done: of 1000. */
void progress_show(struct progress *p, unsigned int done, uint64_t events);
/* Wipe it off, so that something else can be printed. */
void progress_end(struct progress *p);

/* The line, without what moves the cursor; for progress.c and its test. */
void progress_line(char *to, size_t size, unsigned int width, unsigned int done,
		   uint64_t events, double seconds);

#endif /* ETW_CLI_PROGRESS_H */
