/* SPDX-License-Identifier: MIT */
/*
 * convert.h - the interface of the formats that etw convert writes
 *
 * Each format is a struct convert_format, in a file or folder of its own.  The command
 * (user/cli/cmd/convert.c) opens the sources, merges their events by time and calls
 *
 *	open(c)  event(c, e)...  close(c, ok)
 *
 * Memory does not grow with the number of events: everything that a format keeps has a
 * limit.  Functions return 0, or a negative errno after convert_fail(), which keeps the
 * message.
 */
#ifndef ETW_CONVERT_CONVERT_H
#define ETW_CONVERT_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/decode.h>
#include "etl/info.h"
#include "etl/event.h"
#include "etl/loss.h"
#include "tdh/process/process_table.h"

struct convert;
struct symbolizer;

/* One event */
struct convert_event {
	const struct etw_event *event;	/* as in the file */
	const EVENT_RECORD *record;		/* with FILETIME */
	const struct etw_decoded *decoded;	/* names; never NULL */
	struct etw_decoder *decoder;		/* at the first field */
	bool known;				/* it has a schema */
	const struct etw_loss *loss;		/* the event records it; NULL: it does not */
	unsigned int source;			/* index in convert.sources */
};

/* A loss, for formats that ask for all of them ahead */
struct convert_loss {
	int64_t first, last;	/* FILETIME */
	int64_t events;		/* -1: not known */
	uint16_t cpu;		/* of the events, or else of the buffer that has the record */
	bool of_session;	/* the header's count of lost events includes them */
};

struct convert_format {
	const char *name;	/* for --to */
	const char *suffix;	/* of outputs that select the format, such as ".json"; or NULL */
	const char *help;	/* one line */
	const char *option;	/* one line of help for --option; NULL: there is none */
	bool fields;		/* takes --fields */
	bool binary;		/* not to be written to a terminal */
	bool ahead;		/* needs convert.losses at open(): the sources are read twice */
	bool stacks;		/* needs convert.symbolizer ... */
	bool may_stack;		/* ... or has whole stacks if it gets one: takes --stack */
	bool folder;		/* the output is a folder, made by open() */
	const char *mark;	/* a file that all such folders have; for --replace */
	size_t size;		/* of convert.state, which is zeroed */
	int (*open)(struct convert *c);	/* or NULL */
	int (*event)(struct convert *c, const struct convert_event *e);
	/* ok: false after an error, even of open(); then the command removes the output. */
	int (*close)(struct convert *c, bool ok);
};

struct convert {
	const struct convert_format *format;
	const char *path;	/* of the output; NULL: standard output */
	int out;		/* file descriptor, unless format->folder */
	void *state;
	const struct etw_etl_info *const *sources;	/* the header of each source */
	unsigned int source_count;
	uint64_t lost_events, lost_buffers;	/* by all sources, known at close() */
	bool doubtful;		/* likewise: a source lacks more than that and its records tell */
	struct convert_loss *losses;	/* if format->ahead: in any order ... */
	size_t loss_count;
	uint64_t losses_left_out;	/* ... and how many there was no room for */
	uint64_t written;	/* bytes, by convert_flush() */
	/* The processes of the sources' events; NULL: nobody asked.  Formats do not feed it. */
	struct etw_process_table *processes;
	struct symbolizer *symbolizer;	/* if format->stacks, or with --stack */
	const char *option;	/* --option TEXT for the format, or NULL */
	const char *fields;	/* --fields LIST, or NULL */
	char problem[512];	/* by convert_fail() */
	char notes[1024];	/* by convert_note() */
};

extern const struct convert_format convert_csv, convert_chrome, convert_perfetto, convert_ctf,
				   convert_folded, convert_speedscope, convert_pprof;
/* format_list.c: all of these, in the order of --help; ends with NULL */
extern const struct convert_format *const convert_formats[];

/* Keep the message of an error.  Returns err. */
int convert_fail(struct convert *c, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

int convert_no_memory(struct convert *c);

/* Add a line to print after success; lines that do not fit are left out. */
void convert_note(struct convert *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Note that so many stacks are cut off, if any is. */
void convert_note_cut(struct convert *c, uint64_t stacks);

/*
 * Write text to c->out and empty it, if it has at least this many bytes.  Fails if the text
 * ran out of memory.
 */
int convert_flush(struct convert *c, struct etw_text *text, size_t least);

#define CONVERT_BLOCK	65536	/* bytes to write at once */

#endif /* ETW_CONVERT_CONVERT_H */
