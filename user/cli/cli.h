/* SPDX-License-Identifier: MIT */
/*
 * cli.h - what every subcommand of etw is built from
 *
 * A subcommand is a function int cmd_NAME(int argc, char **argv) in a file of
 * its own, listed in the table of main.c; argv[0] is its name.  It returns the
 * exit status: 0, or 1 after cli_fail().  Wrong usage never returns to it:
 * the functions here print one line and exit with status 2.
 */
#ifndef ETW_CLI_H
#define ETW_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/abi.h>

#define CLI_EXIT_USAGE	2

#ifndef ETW_VERSION
#define ETW_VERSION	"0.1.0"
#endif

/* options.c: one table per subcommand drives parsing and --help */

struct cli_option {
	const char *name;	/* long name; NULL ends the table; "": see CLI_HEADING() */
	int value;		/* what cli_next() returns; a letter is the short name too */
	const char *arg;	/* name of its argument, NULL if it takes none */
	const char *help;	/* NULL: an old option that --help leaves out */
	const struct cli_set {
		bool *flag;
		const char **text;
		uint32_t *bits, *number, *kilobytes, *millis;
		uint32_t min, max;
	} *set;			/* what cli_next() sets; NULL: it returns the option */
};

#define CLI_FLAG(to)	&(const struct cli_set){ .flag = &(to) }
#define CLI_TEXT(to)	&(const struct cli_set){ .text = &(to) }
#define CLI_BITS(to, all)	&(const struct cli_set){ .bits = &(to), .max = (all) }
/* As cli_number(), cli_kilobytes() and cli_millis(); an option without an argument sets the least. */
#define CLI_NUMBER(to, least, most)	\
	&(const struct cli_set){ .number = &(to), .min = (least), .max = (most) }
#define CLI_KILOBYTES(to, least, most)	\
	&(const struct cli_set){ .kilobytes = &(to), .min = (least), .max = (most) }
#define CLI_MILLIS(to, min_ms, max_seconds)	\
	&(const struct cli_set){ .millis = &(to), .min = (min_ms), .max = (max_seconds) }

#define CLI_DURATION_MAX	(40 * 86400)	/* seconds; as ms still a uint32_t */

struct cli_syntax {
	const char *what;		/* what the subcommand does */
	/* names; one in brackets is optional, the last with dots may be repeated */
	const char *operands[4];
	const struct cli_option *options;
	const char *example;
	bool command;	/* the first operand is one, and all behind it are its own */
	bool in_file;	/* it describes a line of a file, which has no --help */
};

#define CLI_OPTION_JSON(to)	\
	{ "json", 'j', NULL, "print JSON, one object per line", CLI_FLAG(to) }
#define CLI_OPTION_END	{ NULL, 0, NULL, NULL, NULL }
/* --help prints it above the options that follow.  Those before the first are the common ones. */
#define CLI_HEADING(text)	{ "", 0, NULL, text, NULL }

static inline bool cli_is_heading(const struct cli_option *option)
{
	return !*option->name;
}

/* Make one table of two; it has room for max options, the end included. */
void cli_join(struct cli_option *to, size_t max, const struct cli_option *first,
	      const struct cli_option *second);
int cli_next(const struct cli_syntax *syntax, int argc, char **argv);
void cli_restart(const char *command);
void cli_help_by(void (*fn)(const struct cli_syntax *syntax, const char *command));
char **cli_operands(const struct cli_syntax *syntax, int argc, char **argv);
/* All options, none of which cli_next() returns, and the operands */
char **cli_parse(const struct cli_syntax *syntax, int argc, char **argv);

/* error.c: one line each, "etw: what: why" */

void cli_begin(const char *command);
_Noreturn void cli_usage(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
bool cli_try(void (*fn)(void *context), void *context, char *what, size_t size);
_Noreturn void cli_die(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
int cli_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_wipe(const char *s);
const char *cli_quote(const char *s);
struct suggest;
/* For the end of a message: `: did you mean "NAME"?` with before in front of it; "" if none is near */
const char *cli_suggested(const struct suggest *near, const char *before);
const char *cli_reason(int err);
const char *cli_denied(int err, const char *takes);
int cli_finish(int status);

/* "1 event", "2 events" */
static inline const char *cli_s(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* Memory, or the end of the command; cli_grow() makes room for an element behind count */
void *cli_calloc(size_t count, size_t size);
void *cli_grow(void *list, size_t count, size_t size);
char *cli_strdup(const char *s);

/* For cli_denied() */
#define TAKES_QUERY	"the right \"query\" on the session"
#define TAKES_CONTROL	"the right \"control\" on the session, \"control-file\" if it writes a file"
#define TAKES_FILE	"the right \"control-file\" on the session"
#define TAKES_FILE_TOO	"the rights \"control\" and \"control-file\" on the session"
#define TAKES_CONSUME	"the right \"consume\" on the session"

/* args.c: the values of options and operands */

uint32_t cli_number(const char *option, const char *text, uint32_t min,
		    uint32_t max);
/* A time: 90, 1.5, 500ms, 90s, 2m or 1h; in seconds if it has no unit */
uint32_t cli_millis(const char *option, const char *text, uint32_t min_ms,
		    uint32_t max_seconds);
/* The same in milliseconds if it has no unit, and one that is whole seconds */
uint32_t cli_timeout(const char *option, const char *text, uint32_t min, uint32_t max);
uint32_t cli_seconds(const char *option, const char *text, uint32_t min, uint32_t max);
/* A size that is in KB if it has no unit */
uint32_t cli_kilobytes(const char *option, const char *text, uint32_t min, uint32_t max);
/* A size with K, M, G or T (powers of 1024) behind it; false: it is none, or too large */
bool cli_size(const char *text, bool need_unit, uint64_t *size);
/*
 * The elements of a list like "1, 5-9, Start", and a NULL; free() the result. Every option
 * that takes a list takes it so, and adds to it if it is repeated.
 */
char **cli_list(const char *option, const char *text, const char *separators);
/* A number or a range like 5-9; the word is changed */
void cli_range(const char *option, char *word, uint32_t min, uint32_t max, uint32_t *low,
	       uint32_t *high);
uint64_t cli_hex(const char *option, const char *text);
uint8_t cli_level(const char *option, const char *text);
bool cli_is_name(const char *text);
bool cli_is_level(const char *text, uint8_t *level);
/*
 * The index of the row whose name the text is, in either case.  Each row begins with its
 * name; one without a name ends them.
 */
unsigned int cli_choice(const char *option, const char *text, const void *rows, size_t row_size);
uint32_t cli_clock(const char *option, const char *text);
const char *cli_name(const char *what, const char *text);

const char *level_name(uint8_t level);
const char *clock_name(uint32_t clock);

/*
 * folder.c: the names in a folder that end in a suffix, without it, sorted; hidden files are
 * left out.  Returns their number, 0 if there is no folder, or -errno; a NULL follows them.
 */

int folder_names(const char *folder, const char *suffix, char ***list);
void folder_names_free(char **list, int count);

/* device.c */

int device_open(void);
const char *device_path(void);
bool guid_equal(const struct etw_guid *a, const struct etw_guid *b);

/*
 * signals.c, for commands that have something to clean up: SIGINT, SIGTERM and SIGHUP, unless
 * they are ignored, and SIGPIPE make cli_ending() true, the second of one of the former kills.
 * A file that grows over the limit is an error of write(2).  With cli_end() the command ends
 * as the signal would have ended it, if there was one.
 */
void cli_catch_ending(void);
/* Catch a signal unless it is ignored. */
void cli_catch(int number, void (*handler)(int number), int flags);
bool cli_ending(void);
/* Does a signal that is to end the command wait, because it is held? */
bool cli_held_ending(void);
void cli_end(void);

/* The subcommands */

struct cli_command {
	const char *name;
	int (*fn)(int argc, char **argv);
	const char *help;
	const char *group;	/* the heading above it in the summary */
};

int cmd_start(int argc, char **argv);
int cmd_update(int argc, char **argv);
int cmd_stop(int argc, char **argv);
int cmd_query(int argc, char **argv);
int cmd_flush(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_enable(int argc, char **argv);
int cmd_disable(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_disallow(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_access(int argc, char **argv);
int cmd_autologger(int argc, char **argv);
int cmd_mc(int argc, char **argv);
int cmd_manifest(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_split(int argc, char **argv);
int cmd_symbolize(int argc, char **argv);
int cmd_convert(int argc, char **argv);

#endif /* ETW_CLI_H */
