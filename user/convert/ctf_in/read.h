/* SPDX-License-Identifier: MIT */
/*
 * read.h - a CTF trace becomes a log file (.etl)
 *
 * Events are TraceLogging's, which describe themselves.  "provider:event", as LTTng-UST
 * calls its events, is taken apart; others are of the tracer's name.  A provider's GUID
 * is made of its name, as TraceLogging does it; those that "etw convert" has written
 * keep theirs, and their descriptors.
 */
#ifndef ETW_CONVERT_CTFIN_H
#define ETW_CONVERT_CTFIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ctfin_options {
	bool replace;		/* a log file that is there */
	/* Something makes no sense: the rest of that packet is left out.  May be NULL. */
	void (*report)(void *context, const char *file, uint64_t offset, const char *what);
	/* From time to time; true ends it with -EINTR.  May be NULL. */
	bool (*progress)(void *context, uint64_t read, uint64_t size, uint64_t events);
	void *context;
};

struct ctfin_result {
	uint64_t events;	/* written */
	uint64_t discarded;	/* by the tracer */
	uint64_t too_large;	/* events of more than 64 KB, or that no event can hold */
	uint64_t corrupt;	/* packets left out, wholly or in part */
	uint64_t streams;
	char problem[512];	/* if it failed */
};

/*
 * Convert the trace, or all traces, in a folder.  Memory: a packet of each stream; of
 * their files a few are open at a time, see files.h.  out is complete or not there.
 * 0 or a negative errno with result->problem.
 */
int convert_from_ctf(const char *folder, const char *out, const struct ctfin_options *options,
		     struct ctfin_result *result);

#endif /* ETW_CONVERT_CTFIN_H */
