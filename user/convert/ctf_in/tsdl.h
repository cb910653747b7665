/* SPDX-License-Identifier: MIT */
/*
 * tsdl.h - between the files that read the Trace Stream Description Language
 */
#ifndef ETW_CONVERT_TSDL_H
#define ETW_CONVERT_TSDL_H

#include "metadata.h"

enum tsdl_token {
	TSDL_END,
	TSDL_WORD,	/* word */
	TSDL_NUMBER,	/* number */
	TSDL_STRING,	/* word */
	TSDL_ASSIGN,	/* := */
	TSDL_DOTS,	/* ... */
	TSDL_MARK,	/* mark: one character */
};

enum tsdl_alias_kind { TSDL_ALIAS, TSDL_STRUCT, TSDL_ENUM, TSDL_VARIANT };

#define TSDL_ALIASES	4096	/* that are in scope at a time */
#define TSDL_STREAMS	1024
#define TSDL_MEMBERS	65536	/* of a structure, and labels of an enumeration */

struct tsdl_alias {
	enum tsdl_alias_kind kind;
	const char *name;
	const struct cm_type *type;
};

struct tsdl {
	struct cm_meta *meta;
	const char *at, *end;	/* behind the token at hand */
	unsigned int line;
	enum tsdl_token token;
	char mark;
	uint64_t number;
	const char *word;	/* interned */
	unsigned int nest, stream_count;
	unsigned int alias_count;
	struct tsdl_alias aliases[TSDL_ALIASES];
};

/* All return 0 or a negative errno; -EBADMSG: meta->problem says what and where. */
int tsdl_fail(struct tsdl *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int tsdl_next(struct tsdl *t);
bool tsdl_is(const struct tsdl *t, char mark);
bool tsdl_is_word(const struct tsdl *t, const char *word);
/* This mark, and go on. */
int tsdl_expect(struct tsdl *t, char mark);
/* A number with a sign, as 64 bits. */
int tsdl_number(struct tsdl *t, uint64_t *value);

/* "a.b.c" as one name; a value may also be a string or a number. */
int tsdl_dotted(struct tsdl *t, const char **name);

/* A type that stands alone, as behind ":=" */
int tsdl_type(struct tsdl *t, const struct cm_type **type);
/* "typealias ..." and "typedef ..."; false in *was: it is neither. */
int tsdl_alias(struct tsdl *t, bool *was);
/* A declaration of a structure and the like that stands alone at the root */
int tsdl_declaration(struct tsdl *t);
struct cm_clock *tsdl_clock(struct tsdl *t, const char *name);

/* Integers, floats and strings, behind their first word */
int tsdl_integer(struct tsdl *t, const struct cm_type **out);
int tsdl_float(struct tsdl *t, const struct cm_type **out);
int tsdl_string(struct tsdl *t, const struct cm_type **out);
int tsdl_enum(struct tsdl *t, const struct cm_type **out);
const struct cm_type *tsdl_find(const struct tsdl *t, enum tsdl_alias_kind kind,
				const char *name);
int tsdl_keep(struct tsdl *t, enum tsdl_alias_kind kind, const char *name,
	      const struct cm_type *type);

#endif /* ETW_CONVERT_TSDL_H */
