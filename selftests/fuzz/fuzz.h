/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h - shared by the parts of etw_fuzz
 *
 * A program is a list of calls; a call is an operation of the table in ops.c with one
 * value per field.  The parent generates programs; each runs in a child, which returns
 * its results through struct shared.
 */
#ifndef ETW_FUZZ_H
#define ETW_FUZZ_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <etw/abi.h>

#define CALLS_MAX	64	/* of one program */
#define ARGS_MAX	20	/* of one call */
#define OPS_MAX		128	/* above every id */
#define THREADS		3	/* that run a program, besides the flipper */
#define PROG_BYTES	16384	/* of a program in a file */

/* ----------------------------------------------------------------- programs */

enum arg_mode {
	ARG_DEFAULT,		/* the value most likely to succeed */
	ARG_PICK,		/* value selects one of the kind's choices */
	ARG_RAW,		/* value is used unchanged */
	ARG_MODES
};

struct arg {
	uint8_t mode;
	uint64_t value;
};

/* struct call.flags */
#define CALL_COMPAT	0x1	/* as a 32-bit program calls it */
#define CALL_FLAGS	0x1

struct call {
	uint8_t op;		/* its id, see ops.c */
	uint8_t thread;
	uint8_t flags;
	uint8_t fail_nth;	/* the n-th allocation or user copy fails; 0: none */
	struct arg args[ARGS_MAX];
};

/* struct prog.flags */
#define PROG_THREADED	0x1	/* calls of different threads run at once */
#define PROG_FLIP	0x2	/* argument memory changes meanwhile */
#define PROG_FLAGS	0x3

struct prog {
	uint8_t flags;
	uint8_t count;
	struct call calls[CALLS_MAX];
};

/* -------------------------------------------------------------- descriptions */

enum kind {
	KIND_INT,		/* any number; param is the usual one */
	KIND_RESERVED,		/* must be 0 */
	KIND_SIZE,		/* the struct's size; larger ones have a tail */
	KIND_FLAGS,		/* param: valid bits */
	KIND_ENUM,		/* param: index into enum_tables */
	KIND_FD,		/* param: enum fd_kind */
	KIND_HANDLE,		/* of a session */
	KIND_SLOT,		/* of a registration */
	KIND_INDEX,		/* of a buffer */
	KIND_GUID,
	KIND_PLACE,		/* where the struct lies */
	KIND_NAME,		/* pointer to a name */
	KIND_OUT,		/* pointer to room for results */
	KIND_PIECES,		/* pointer to data descriptors */
	KIND_FILTERS,		/* pointer to filters */
	KIND_TRAITS,		/* pointer to traits */
	KIND_LEN,		/* size of the target of the preceding pointer */
	KIND_KEYWORD,
	KIND_LEVEL,
	KIND_MAP,		/* one of the areas for mappings */
	KIND_ENTRIES,		/* pointer to entries of an access list */
	KIND_LOGFILE,		/* pointer to a session's log file */
	KIND_LOGOUT,		/* pointer to room for the log file's description */
};

enum fd_kind { FD_ANY, FD_DEV, FD_CONSUMER, FD_TEST, FD_OTHER, FD_KINDS };

struct field {
	const char *name;
	uint16_t offset;	/* in the struct; of a plain operation: unused */
	uint16_t size;
	enum kind kind;
	uint64_t param;
};

struct exec;			/* state of the running program, exec.h */

struct op {
	uint8_t id;		/* in corpus files: never changes, never reused */
	const char *name;
	unsigned int weight;	/* how often it is chosen */
	unsigned int cost;	/* in time, of 12 for a whole program; mostly 0 */
	uint32_t cmd;		/* ioctl number, 0: a plain operation */
	uint32_t issues;	/* the ioctl that a plain operation makes up by itself; mostly 0 */
	uint16_t size;		/* of the ioctl's struct */
	/* Plain operations: the values of the fields; result or -errno. */
	long (*run)(struct exec *x, int thread, const uint64_t *v);
	/* After an ioctl that succeeded: keeps its results. */
	void (*done)(struct exec *x, const void *arg);
	struct field fields[ARGS_MAX];
};

struct enum_table {
	unsigned int count;
	const uint64_t *values;
};

extern const struct op *const fuzz_ops[];
extern const unsigned int fuzz_op_count;
extern const struct enum_table enum_tables[];

#define GUIDS		8	/* GUIDs that programs use; the last two are the test modules' */
extern const struct etw_guid fuzz_guids[GUIDS];

#define PLACES		13
extern const char *const place_names[PLACES];

const struct op *op_by_id(unsigned int id);
const char *ops_error(void);
unsigned int op_fields(const struct op *op);

/* --------------------------------------------------------------------- random */

uint64_t rnd_mix(uint64_t x);
void rnd_seed(uint64_t seed);
uint64_t rnd(void);
static inline unsigned int rnd_below(unsigned int n)
{
	return n ? rnd() % n : 0;
}

static inline bool one_in(unsigned int n)
{
	return !rnd_below(n);
}

/* A value that cannot be mistaken for leaked kernel data. */
uint64_t harmless(uint64_t value);

/* ------------------------------------------------------------ files of programs */

size_t prog_save(const struct prog *p, uint8_t *bytes);
const char *prog_load(struct prog *p, const uint8_t *bytes, size_t len);
const char *prog_read(struct prog *p, const char *path);
bool prog_write(const struct prog *p, const char *path);
void prog_show(const struct prog *p, FILE *to);
uint64_t prog_hash(const struct prog *p);

/* ------------------------------------------------------------------ generation */

unsigned int scenario_count(void);
void scenario_get(struct prog *p, unsigned int i);
void gen_prog(struct prog *p);
void gen_mutate(struct prog *p, const struct prog *(*pick)(void));
bool gen_hint(struct prog *p);
void prog_remove_call(struct prog *p, unsigned int i);

/* -------------------------------------------------- shared with the children */

#define EDGES		(1u << 14)
#define TEXT_MAX	(1u << 19)	/* bytes of module text covered */
#define TEXT_STEP	4		/* covered points are at least this far apart */
#define NEW_MAX		256
#define HINTS_MAX	4096

struct hint {
	uint64_t seen, wanted;
	uint8_t call;
};

/* How programs end. */
enum { END_WHOLE, END_CUT, END_STUCK, END_KILLED, END_FAULT, ENDS };

struct shared {
	/*
	 * Coverage.  Kept small: every page that a child touches costs a fault.
	 * edge_run: the last run that had a pair, 0: none; text: for each TEXT_STEP bytes
	 * of text, the last covered point's offset plus 1.
	 */
	uint32_t edge_run[EDGES];
	uint8_t text[TEXT_MAX / TEXT_STEP];
	uint32_t run;
	uint32_t edge_count;
	uint32_t text_count;
	uint32_t fresh[NEW_MAX];	/* edges that this run reached first */
	uint32_t fresh_count;
	/* statistics */
	uint64_t calls;
	uint64_t ok[OPS_MAX], failed[OPS_MAX], us[OPS_MAX];
	uint64_t runs[ENDS];
	uint64_t buffers, records;	/* audited */
	bool stacks;			/* this run's program requested stacks */
	bool typed;			/* its events may carry their own time */
	uint64_t accounts;		/* sessions with consistent counts */
	/* operands of comparisons, on request */
	struct hint hints[HINTS_MAX];
	uint32_t hint_count;
	/* description of the finding; empty: none */
	char finding[512];
};

extern struct shared *shared;
void finding(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ------------------------------------------------------------------- coverage */

#define COVER_CHILD	THREADS		/* forked children */
#define COVER_WEATHER	(THREADS + 1)
#define COVER_FDS	(THREADS + 2)

bool cover_init(void);
bool cover_works(void);
void cover_thread_start(int n, bool operands);
void cover_thread_stop(int n);
void cover_call_begin(int n);
void cover_call_end(int n, unsigned int call, const struct op *op, long ret, bool operands);
void cover_take(int n);
void cover_write(const char *path);
void cover_signal(uint32_t edge);

/* ------------------------------------------------------------------- execution */

/* struct run_how.flags */
#define RUN_OPERANDS	0x1	/* collect operands of comparisons */
#define RUN_VERBOSE	0x2	/* print each call and its result */
#define RUN_WHOLE	0x4	/* run to the end, even if it takes long */

/* false: a finding, see shared->finding */
bool exec_run(const struct prog *p, unsigned int flags);

/* ------------------------------------------------------------------ the checks */

/* NULL, or a description of the error in a buffer that a consumer received. */
const char *audit_buffer(const void *buf, uint32_t size, uint64_t *records);
const char *audit_leak(const void *mem, size_t len);
bool check_init(bool has_test, const char *bad_log, const char *harmless);
bool check_after(void);
bool check_log(void);
void check_restore(void);
void check_open_gate(void);
int own_fd(const char *path, int flags);
long long now_us(void);
long long now_ms(void);

/* --------------------------------------------------------------------- weather */

void weather_start(bool stress, bool hotplug);
void weather_stop(void);

/* ---------------------------------------------------------------------- corpus */

extern struct prog *corpus;
extern unsigned int corpus_count;

bool corpus_add(const struct prog *p, const char *dir);
const struct prog *corpus_pick(void);

#endif /* ETW_FUZZ_H */
