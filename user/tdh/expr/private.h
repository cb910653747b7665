/* SPDX-License-Identifier: MIT */
/*
 * private.h - the inside of an expression
 *
 * An expression is a tree whose leaves are tests. A chain of one operator leans to the
 * left: a && b && c is (a && b) && c.
 */
#ifndef ETW_TDH_EXPR_PRIVATE_H
#define ETW_TDH_EXPR_PRIVATE_H

#include <regex.h>
#include <stdint.h>
#include <evntcons.h>

#include "expr.h"
#include "base/text.h"
#include "tdh/decode/decoder.h"

#define ETW_EXPR_TEXT_MAX	65536	/* bytes of an expression */
#define ETW_EXPR_TESTS_MAX	1024
#define ETW_EXPR_DEPTH_MAX	64	/* parentheses and nots within each other */
#define ETW_EXPR_GLOB_MAX	256	/* bytes of a pattern; matching may scan the text as many times */

/* What a test looks at; etw_expr_words[] describes them. */
enum etw_expr_word {
	ETW_EXPR_FIELD,
	ETW_EXPR_PROVIDER, ETW_EXPR_EVENT, ETW_EXPR_ID, ETW_EXPR_VERSION, ETW_EXPR_CHANNEL,
	ETW_EXPR_LEVEL, ETW_EXPR_OPCODE, ETW_EXPR_TASK, ETW_EXPR_KEYWORD, ETW_EXPR_PID,
	ETW_EXPR_TID, ETW_EXPR_CPU, ETW_EXPR_TIME, ETW_EXPR_ACTIVITY, ETW_EXPR_RELATED,
	ETW_EXPR_PROCESS, ETW_EXPR_PROCESS_PATH, ETW_EXPR_PROCESS_PARENT,
	ETW_EXPR_MODE, ETW_EXPR_CONTEXT,
	ETW_EXPR_WORDS
};

/* The kinds of constants that a word can be compared with */
#define ETW_EXPR_HAS_NUMBER	0x1
#define ETW_EXPR_HAS_TEXT	0x2
#define ETW_EXPR_HAS_GUID	0x4
#define ETW_EXPR_HAS_TIME	0x8
#define ETW_EXPR_HAS_NAMES	0x10	/* a schema can name the number */

struct etw_expr_word_info {
	const char *name;
	unsigned int has;	/* ETW_EXPR_HAS_ */
	uint8_t part;		/* HAS_NAMES: enum etw_part */
	uint8_t at, size;	/* HAS_NUMBER: where it is in the EVENT_HEADER; size 0: CPU */
};

extern const struct etw_expr_word_info etw_expr_words[ETW_EXPR_WORDS];

enum etw_expr_op {
	ETW_EXPR_EQ, ETW_EXPR_NE, ETW_EXPR_LT, ETW_EXPR_LE, ETW_EXPR_GT, ETW_EXPR_GE,
	ETW_EXPR_BITS,		/* one of these bits, or of this name, is set */
	ETW_EXPR_MULTIPLE,
	ETW_EXPR_IN,
	ETW_EXPR_CONTAINS, ETW_EXPR_STARTS, ETW_EXPR_ENDS, ETW_EXPR_GLOB, ETW_EXPR_REGEX,
	ETW_EXPR_TRUTH,		/* neither 0 nor empty */
	ETW_EXPR_EXISTS,
};

struct etw_expr_number {
	enum { ETW_EXPR_U64, ETW_EXPR_NEGATIVE, ETW_EXPR_FLOAT } kind;
	union {
		uint64_t u;
		int64_t i;	/* below 0 */
		double f;
	};
};

struct etw_expr_const {
	const char *text;	/* ASCII letters in lower case, NUL-terminated */
	size_t len;
	uint8_t is;		/* ETW_EXPR_IS_ */
	bool truth;
	bool no_unit;		/* a time, but nobody knows the unit of the field */
	bool has_unit;
	struct etw_expr_number number;
	int64_t time;
	GUID guid;
	enum etw_expr_word names;	/* whose name it is; 0: none, or not to be reported */
	bool looked, found;		/* looked for in events; an event had the name */
	size_t at, at_len;		/* in the expression's text */
};

/* What else a constant can be read as; it is always a text. */
#define ETW_EXPR_IS_NUMBER	0x1
#define ETW_EXPR_IS_BOOLEAN	0x2
#define ETW_EXPR_IS_TIME	0x4
#define ETW_EXPR_IS_GUID	0x8

struct etw_expr_test {
	enum etw_expr_word word;
	enum etw_expr_op op;
	bool negate;
	bool masked;		/* compare only the bits in mask */
	bool anywhere;		/* a field at any depth */
	bool duration;		/* "duration": of an operation if there is one, in ns */
	bool holds;		/* for the current event; tests of fields only */
	bool found;		/* an event had the field */
	bool tried, compared;	/* ... with a value; and that could be compared */
	size_t at, len;		/* of the path in the expression's text */
	size_t whole;		/* length of the test, from at */
	uint64_t mask;
	uint32_t first, count;	/* constants; of IN: low, high, low, high, ... */
	uint32_t part, parts;
	regex_t *regex;
	/* For the compiler of kernel filters */
	bool in_header;		/* the kernel's level or keywords test it */
	bool in_schema;		/* a described event has the field */
};

struct etw_expr_node {
	enum { ETW_EXPR_TEST, ETW_EXPR_NOT, ETW_EXPR_AND, ETW_EXPR_OR } kind;
	uint32_t left, right;	/* nodes; TEST: left is the test; NOT: only left */
};

struct etw_expr {
	struct etw_expr_node *nodes;	/* the last one is the root */
	struct etw_expr_test *tests;
	struct etw_expr_const *consts;
	struct etw_path_part *parts;	/* of fields' paths; name NULL: any */
	uint32_t node_count, test_count, const_count, part_count;
	uint32_t node_room, test_room, const_room, part_room;
	uint32_t field_tests;
	char *strings;		/* of constants and parts */
	size_t strings_len;
	bool decodes, asks_process, needs_operation;
	const struct etw_expr_operation *operation;	/* that is matched, or NULL */
	struct etw_expr_ask ask;
	struct etw_text text;	/* the current value as text */
	bool compared;		/* the last test could compare the value with a constant */
	bool walked;		/* the tests of fields ran for the current event */
	bool passed_over;	/* ... and did not for an earlier one */
	bool looked;		/* ... or for an earlier one */
	uint64_t asked, answered;	/* words about processes, by number: tested; had a value */
};

/* The current event */
struct etw_expr_event {
	const EVENT_RECORD *record;
	const struct etw_decoded *decoded;	/* or NULL */
	struct etw_decoder *decoder;
};

/*
 * A value in every form in which it can be compared.  Its text is made on demand.
 */
struct etw_expr_value {
	bool has_number, has_time;
	struct etw_expr_number number;
	int64_t time;
	const void *guid;		/* 16 bytes at any address, or NULL */
	const char *name;		/* its text if it exists already, or NULL */
	const struct etw_field *field;	/* or NULL */
	bool has_text, is_lower;	/* expr->text holds its text; in lower case */
};

/* Does a value pass a test?  value.c */
bool etw_expr_value_passes(struct etw_expr *expr, const struct etw_expr_test *test,
			   struct etw_expr_value *value);
/* Is name the text of the constant, ignoring the case of ASCII letters? */
bool etw_expr_is_called(const char *name, const struct etw_expr_const *c);
/* field.c: the value of a field that is no structure and no array */
void etw_expr_take_value(struct etw_expr_value *value, const struct etw_field *field);
/* field.c: set holds of all tests of fields. */
void etw_expr_walk(struct etw_expr *expr, struct etw_decoder *decoder);
/* word.c */
bool etw_expr_word_holds(struct etw_expr *expr, const struct etw_expr_test *test,
			 const struct etw_expr_event *event);
/* Is it one of those that etw_expr_ask.process answers? */
static inline bool etw_expr_is_process(enum etw_expr_word word)
{
	return word >= ETW_EXPR_PROCESS && word <= ETW_EXPR_PROCESS_PARENT;
}

/* The word of that name (len bytes), or ETW_EXPR_FIELD if there is none */
enum etw_expr_word etw_expr_word_find(const char *name, size_t len);

static inline char etw_expr_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* ------------------------------------------------- scan.c, for the parser */

struct etw_expr_scan {
	struct etw_expr *expr;
	const char *text, *at;
	const char *error;	/* NULL with failed: no memory */
	const char *error_at;
	bool failed;
	unsigned int depth;	/* of parentheses and nots */
	bool in_field;		/* a test of a field is read ... */
	const char *field;	/* ... of this name; NULL: of any */
};

/* Records the first error at at (NULL: the next word).  Returns false. */
bool etw_expr_fail(struct etw_expr_scan *s, const char *at, const char *error);
/* Skip white space; returns where the next word begins. */
const char *etw_expr_skip(struct etw_expr_scan *s);
/* If these characters, or this whole word, come next, skip them. */
bool etw_expr_take(struct etw_expr_scan *s, const char *token);
bool etw_expr_take_word(struct etw_expr_scan *s, const char *word);
/* Append the next constant to the expression; false: failed. */
bool etw_expr_take_const(struct etw_expr_scan *s);
/* Read a regular expression, in which escapes keep their backslash; false: failed. */
bool etw_expr_take_regex(struct etw_expr_scan *s, regex_t **regex);
enum etw_expr_unit {
	ETW_EXPR_UNIT_NONE,		/* this is no unit */
	ETW_EXPR_UNIT_UNKNOWN,		/* it is, but the name of the field does not say its own */
	ETW_EXPR_UNIT_CONVERTED,
};

/* unit.c: convert a number, before this unit, to the unit that the field's name ends in. */
enum etw_expr_unit etw_expr_read_unit(const char *unit, const char *field,
				      struct etw_expr_number *number);
/* regex.c: compile text, which begins at at; false: failed. */
bool etw_expr_regex(struct etw_expr_scan *s, const char *at, const char *text, regex_t **out);
/* Read the path of a field, or a word, into the test; false: failed. */
bool etw_expr_take_path(struct etw_expr_scan *s, struct etw_expr_test *test);
/* Make room for one more element; false: out of memory. */
bool etw_expr_room(struct etw_expr_scan *s, void *list, uint32_t count, uint32_t *room,
		   size_t size);

#endif /* ETW_TDH_EXPR_PRIVATE_H */
