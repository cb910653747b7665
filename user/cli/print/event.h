/* SPDX-License-Identifier: MIT */
/*
 * event.h - one event as a line of text or of JSON
 *
 * Lines gather in a text of the printer's, which goes to stdout as a whole when it is
 * large, and by event_flush().  Memory is only allocated when that text, the decoder or a
 * cache grows.
 */
#ifndef ETW_CLI_EVENT_H
#define ETW_CLI_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <etw/decode.h>
#include "cli/names.h"
#include "cli/input/operations.h"
#include "cli/input/processes.h"
#include "cli/machine/machine.h"
#include "cli/text.h"
#include "etl/file.h"
#include "etl/loss.h"
#include "lib/consumer/event_record.h"

enum event_time {
	EVENT_TIME_LOCAL,
	EVENT_TIME_UTC,
	EVENT_TIME_RELATIVE,	/* seconds since the first event printed */
	EVENT_TIME_DELTA,	/* since the previous event */
	EVENT_TIME_RAW,		/* ticks of the session's clock */
};

/* What an event is to the operation around which it happened */
enum event_place { EVENT_BESIDE, EVENT_STARTS, EVENT_STOPS };

struct event_format;
struct event_layout;
struct event_workers;
struct inputs;
struct symbols;
struct etw_identity;

/* Select Graphic Rendition of ECMA-48 */
#define EVENT_PLAIN	"\033[0m"
#define EVENT_BOLD	"\033[1m"
#define EVENT_FAINT	"\033[2m"
#define EVENT_RED	"\033[31m"
#define EVENT_YELLOW	"\033[33m"
#define EVENT_CYAN	"\033[36m"

/* All zero prints local times, without names of processes and without colour. */
struct event_printer {
	struct names *names;	/* of providers without a schema, or NULL */
	struct processes *processes;	/* NULL: do not print their names */
	struct event_format *format;
	const struct operation *operation;	/* that the event starts; NULL: none */
	unsigned int around;	/* the event is shown around the operation of this rank, from 1 */
	enum event_place place;	/* if it is */
	struct event_layout *layout;
	struct machines machines;	/* that the files describe, as far as anything printed needs it */
	unsigned int undescribed;	/* files that describe none */
	struct symbols *symbols;	/* print whole stacks, with names; NULL: as items */
	enum event_time time;
	bool hex;		/* payloads in hexadecimal, not decoded */
	bool message;		/* the message instead of the fields, if there is one */
	bool colour;
	/* the printer's own */
	struct event_workers *workers;	/* see workers.h, or NULL */
	bool gathers;		/* lines stay in out until somebody takes them */
	bool has_names;		/* another printer has names, and this one needs ... */
	bool lacks_names;	/* ... and has needed them */
	const struct etw_process *writer;	/* of the event, if gathers; name NULL: not known */
	struct etw_decoder *decoder;
	struct etw_text out;
	struct etw_text scratch;
	struct etw_text_second second;	/* of the previous event */
	int64_t first, before;	/* times of the first and of the previous event */
	bool begun;
	bool given;		/* decoder, decoded and known are the caller's */
	/* the current event */
	struct etw_event_items items;
	const struct etw_event *event;
	EVENT_RECORD record;
	const struct etw_decoded *decoded;
	bool known;		/* decode it by its schema */
	void (*const *parts)(struct event_printer *printer, struct etw_text *to);
	const struct etw_identity *prepared;	/* see prepared.h */
	bool is_loss;		/* it is a session's record of a loss ... */
	struct etw_loss loss;	/* ... of this one */
};

void event_print_text(struct event_printer *printer, const struct etw_event *event);
void event_print_json(struct event_printer *printer, const struct etw_event *event);
/* By printer->format. */
void event_print_format(struct event_printer *printer, const struct etw_event *event);
/* By printer->layout. */
void event_print_layout(struct event_printer *printer, const struct etw_event *event);
/* Is it the event in which a log file has its own header?  Print the file in a short line. */
bool event_is_file_header(const struct etw_event *event);
void event_print_file(struct event_printer *printer, const struct etw_event *event,
		      const char *path, struct etw_etl_file *file);
/*
 * Read what machines files are of, for event_print_file() if heads is set, and for the names in
 * stacks if there are symbols.
 */
void event_read_machines(struct event_printer *printer, const struct inputs *inputs, bool heads);
/* Does the event name a provider? Losses may be of one that has written nothing else. */
void event_learn_provider(struct event_printer *printer, const struct etw_event *event);
/* Is it a piece of a schema?  Then it is not printed, but given to the decoder. */
bool event_is_schema(struct event_printer *printer, const struct etw_event *event);
/*
 * Print an event next that has been decoded, by this decoder.  Either all of a printer's events
 * are given so, and the caller takes their lines from printer->out, or none.
 */
void event_give(struct event_printer *printer, struct etw_decoder *decoder,
		const struct etw_decoded *decoded, bool known);
/* Write to stdout what was printed; without flush: it may stay in stdio's buffer. */
void event_write(struct event_printer *printer);
void event_flush(struct event_printer *printer);
void event_printer_free(struct event_printer *printer);

/*
 * A format, see etw-dump(1).  NULL: *error is the reason and *column the
 * place, from 1.  text must stay.
 */
struct event_format *event_format_parse(const char *text, const char **error, size_t *column);
void event_format_free(struct event_format *format);
/* Does it print names or fields of the event's schema? */
bool event_format_decodes(const struct event_format *format);

/*
 * Aligned columns: those of a list, or those that fit a terminal. width: of the terminal, to
 * which lines are fitted; 0: they are not. A wrong name ends the command.
 */
struct event_layout *event_layout_new(unsigned int width, const char *columns);
void event_layout_free(struct event_layout *layout);

/* ------------------------------------------- between the files that print events */

/* Give a piece of a schema to the decoder; free what the printer has, without its workers. */
void event_learn(struct event_printer *printer, const struct etw_event *piece);
void event_release(struct event_printer *printer);

/* Take an event and decode it; end its line. */
void event_begin(struct event_printer *printer, const struct etw_event *event);
void event_end(struct event_printer *printer);

/* loss.c: a record of a loss as a sentence; as members of the JSON object "loss" */
void event_add_loss(struct event_printer *printer, struct etw_text *to);
void event_put_loss(struct event_printer *printer, struct etw_text *to);

const struct etw_event_header *event_header(const struct event_printer *printer);
/* Names, as unchecked bytes; NULL: unknown */
const char *event_provider(struct event_printer *printer);
const char *event_level(const struct event_printer *printer);
const char *event_process(const struct event_printer *printer);
/* Find the process that wrote the event; false: it is not known. */
bool event_find_process(const struct event_printer *printer, struct etw_process *process);
/*
 * Did the process that has the event's id now write it, as far as /proc can prove that?  The name
 * may be that of an earlier process, or of another machine's.
 */
bool event_process_runs(const struct event_printer *printer);
const char *event_thread(const struct event_printer *printer);
/* The thread's name if it differs from its process's */
const char *event_thread_own(const struct event_printer *printer, const char *process);
/* Parts of a line of text, escaped. */
void event_add_time(struct event_printer *printer, struct etw_text *to);
void event_add_provider(struct event_printer *printer, struct etw_text *to);
void event_add_name(struct event_printer *printer, struct etw_text *to);
void event_add_level(struct event_printer *printer, struct etw_text *to);
void event_add_payload(struct event_printer *printer, struct etw_text *to);
bool event_add_message(struct event_printer *printer, struct etw_text *to);
/* Two characters before the line of an event around an operation */
void event_add_place(struct event_printer *printer, struct etw_text *to);
/* A blank and all that the event says: the message or the payload, and of an operation more */
void event_add_body(struct event_printer *printer, struct etw_text *to);
void event_add_items(struct event_printer *printer, struct etw_text *to);
/* process-pid/thread-tid */
void event_add_source(struct event_printer *printer, struct etw_text *to);
/* A line for each frame, with the names of printer->symbols */
void event_add_stacks(struct event_printer *printer, struct etw_text *to);
/* The same as members of the JSON object */
void event_put_stacks(struct event_printer *printer, struct etw_text *to);

/* Add a sequence of those above if there are colours. */
static inline void event_paint(struct event_printer *printer, const char *how)
{
	if (printer->colour)
		etw_text_puts(&printer->out, how);
}

/* The colour of a level's name, and of an event's values; "": none */
const char *event_level_colour(uint8_t level);
const char *event_value_colour(uint8_t level);

#endif /* ETW_CLI_EVENT_H */
