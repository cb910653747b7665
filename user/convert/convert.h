/* SPDX-License-Identifier: MIT */
/*
 * convert.h - traces in the formats of other tools
 *
 * One file, or several that begin alike, for each format: it fills a struct
 * convert_format, which convert.c lists.  The command (user/cli/cmd/convert.c) opens the
 * sources, merges their events by time and hands them over one by one:
 *
 *	open(c)  event(c, e)...  close(c, ok)
 *
 * Memory does not grow with the number of events.  What is kept of them has bounds: see
 * slices.h, intern.h, seen.h, and ctf.c for kinds of events; the decoder keeps schemas.
 * Functions return 0 or a negative errno after convert_fail(), which keeps a text that
 * names what was wrong.
 */
#ifndef ETW_CONVERT_CONVERT_H
#define ETW_CONVERT_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/decode.h>
#include "etl/info.h"
#include "etl/event.h"

struct convert;

/* One event */
struct convert_event {
	const struct etw_event *event;	/* raw: as in the file */
	const EVENT_RECORD *record;		/* its time is FILETIME */
	const struct etw_decoded *decoded;	/* names; never NULL */
	struct etw_decoder *decoder;		/* at the first field: etw_decode_next() */
	bool known;				/* it has a schema */
	unsigned int source;			/* index in convert.sources */
};

struct convert_format {
	const char *name;	/* of --to */
	const char *suffix;	/* of files, ".json"; the format is chosen by it; or NULL */
	const char *help;	/* a line */
	const char *option;	/* what --option says, a line; NULL: it takes none */
	bool fields;		/* --fields is for it */
	bool binary;		/* nothing for a terminal */
	bool folder;		/* the output is a folder, made by open() */
	const char *mark;	/* of a folder: a file that all such have; for --replace */
	size_t size;		/* of its own state, at convert.state, zeroed */
	int (*open)(struct convert *c);
	int (*event)(struct convert *c, const struct convert_event *e);
	/* ok: false after an error, also of open(); the command removes what was made then. */
	int (*close)(struct convert *c, bool ok);
};

struct convert {
	const struct convert_format *format;
	const char *path;	/* of the output; NULL: stdout, at out */
	int out;		/* file descriptor, unless format->folder */
	void *state;
	const struct etw_etl_info *const *sources;	/* what each source says of itself */
	unsigned int source_count;
	uint64_t lost_events, lost_buffers;	/* of all sources, known at close() */
	uint64_t written;	/* bytes, by convert_flush() */
	const char *option;	/* --option TEXT for the format, or NULL */
	const char *fields;	/* --fields LIST, or NULL */
	char problem[512];	/* by convert_fail() */
	char notes[1024];	/* by convert_note() */
};

/* Keep a text for the user.  Returns err. */
int convert_fail(struct convert *c, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A line, worth knowing, for when all went well; those beyond the room are left out. */
void convert_note(struct convert *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Write what a text holds to c->out and empty it, if that is least bytes or more.  Also
 * tells of a text whose memory ran out.
 */
int convert_flush(struct convert *c, struct etw_text *text, size_t least);

#define CONVERT_BLOCK	65536	/* bytes to write at once */

#endif /* ETW_CONVERT_CONVERT_H */
