/* SPDX-License-Identifier: MIT */
/*
 * emit.h - the parts of the header generator
 *
 * header.c writes the whole header: constants.c writes a provider's constants, provider.c
 * its GUIDs, traits and descriptors, mode.c its state, event.c the macros of events, template.c the functions that the macros call.
 * struct etw_mc_mode holds the differences between user mode and kernel mode.
 */
#ifndef ETW_MC_EMIT_H
#define ETW_MC_EMIT_H

#include <setjmp.h>
#include "mc.h"
#include "base/text.h"
#include "tdh/model/message_ids.h"
#include "tdh/model/names.h"

/*
 * What an object's definition begins with: mc.exe's words, which other tools look for.  All
 * files of a program or module that include the header share the object; see
 * <etw/windeclspec.h>.
 */
#define ETW_MC_SELECTANY	"EXTERN_C __declspec(selectany) "

struct etw_mc;
struct etw_mc_provider;

/* The value of a word */
struct etw_mc_entry {
	const char *value;
	unsigned int line;
};

enum etw_mc_kind {
	ETW_MC_VALUE,		/* passed by value; arrays by pointer */
	ETW_MC_OBJECT,		/* fixed size, passed by pointer */
	ETW_MC_STRING,		/* NUL-terminated, or with a length */
	ETW_MC_BINARY,		/* with a length */
	ETW_MC_SID,		/* contains its length */
	ETW_MC_COUNTED,		/* the payload has its length before it */
	ETW_MC_STRUCT,		/* packed by the caller */
};

struct etw_mc_type {
	char letter;
	enum etw_mc_kind kind;
	const char *param;	/* C type of an argument, with the space before its name */
	const char *sized;	/* the same with a length, or as a block; NULL: has none */
	const char *unit;	/* C type of the unit of lengths */
	unsigned int size;	/* of a value or object */
};

/* A field of a template as an argument of generated functions */
struct etw_mc_arg {
	const struct etw_mc_type *type;
	bool array;
	bool block;		/* the argument _Len_ before it is its length in units */
	bool counted;		/* its size is a piece of data of its own */
	bool value;		/* a single number, GUID or time */
	bool real;		/* a value that is a float or double */
	unsigned int count;	/* number of elements, if count_arg is -1 */
	int count_arg;		/* index of the argument with the count */
	unsigned int length;	/* units of an element; 0: none, or in length_arg */
	int length_arg;		/* index of the argument with the length, or -1 */
	unsigned int run;	/* -km: the structure with its value or size */
};

/* An event that has a descriptor */
struct etw_mc_event {
	const struct etw_mf_event *event;
	const char *symbol;		/* name of the descriptor */
	const char *macro;		/* macro names after EventWrite and EventEnabled */
	const char *function;		/* the template function's name up to the last _ */
	unsigned int bit;		/* index in the provider's EnableBits */
	struct etw_mc_arg *args;	/* one for each top-level field */
	unsigned int arg_count;
};

/* A level and a keyword, tested by one bit */
struct etw_mc_bit {
	unsigned long long keyword;
	unsigned char level;
};

struct etw_mc_provider {
	const struct etw_mf_provider *provider;
	const char *symbol;		/* "MyProvider" */
	const char *suffix;		/* the name as the end of an identifier */
	const char *name;		/* the name as an identifier */
	bool traits;			/* <symbol>_Traits is not NULL */
	struct etw_mc_event *events;
	unsigned int event_count;
	struct etw_mc_bit *bits;
	unsigned int bit_count;
};

/* One per mode, in mode.c */
struct etw_mc_mode {
	const char *option;		/* "um" */
	char letter;			/* McTemplateU0... */
	/* Macros that write always take an activity first; else only on request. */
	bool activity;
	/* End of template functions' names, after a "_"; may be a macro */
	const char *write;
	const char *status;		/* type of what registering returns */
	const char *includes;		/* start of the header */
	/* The provider's objects */
	void (*context)(struct etw_mc *mc, const struct etw_mc_provider *p);
	/* EventEnabledX() and EventEnabledX_ForContext() */
	void (*enabled)(struct etw_mc *mc, const struct etw_mc_provider *p,
			const struct etw_mc_event *event);
	/* The function that writes the events of a template, up to its #endif */
	void (*function)(struct etw_mc *mc, const struct etw_mc_event *event);
};

extern const struct etw_mc_mode etw_mc_mode_um, etw_mc_mode_km;

/* The header being generated */
struct etw_mc {
	const struct etw_manifest *manifest;
	const struct etw_mc_options *options;
	const struct etw_mc_mode *mode;	/* never NULL; the mode of -um if none is set */
	bool code;			/* generate code, not only constants */
	struct etw_problems *problems;
	struct etw_text *out;
	int error;			/* -EINVAL: discard the output */
	jmp_buf no_memory;		/* target of etw_mc_alloc() if memory is exhausted */
	struct etw_mc_provider *providers;
	struct etw_names words;		/* struct etw_mc_entry by scope and word */
	struct etw_text scratch;
	struct etw_manifest *memory;	/* all that is allocated */
};

/*
 * text.c: memory and names.  These functions never return NULL: if memory is exhausted,
 * they jump to mc->no_memory.  Allocated memory is zeroed and lives as long as mc.
 */
void *etw_mc_alloc(struct etw_mc *mc, size_t size);
char *etw_mc_text(struct etw_mc *mc, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* name with "_" instead of characters that C does not allow inside an identifier. */
char *etw_mc_word(struct etw_mc *mc, const char *name);
/* The same; also a valid start of an identifier. */
char *etw_mc_identifier(struct etw_mc *mc, const char *name);
/*
 * Add a word to a scope, which is any address.  Returns the existing entry of the word, or NULL
 * if it is new.  Words and values are not copied.
 */
struct etw_mc_entry *etw_mc_add(struct etw_mc *mc, const void *scope, const char *word,
				const char *value, unsigned int line);
/* A copy of mc->scratch. */
const char *etw_mc_scratch(struct etw_mc *mc);

/* Report an error: the output is discarded. */
void etw_mc_error(struct etw_mc *mc, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void etw_mc_warn(struct etw_mc *mc, unsigned int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void etw_mc_print(struct etw_mc *mc, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A GUID as a C initializer, "{0x..., ...}". */
char *etw_mc_guid(struct etw_mc *mc, const GUID *guid);
/* The inside of a C string literal; an octal escape ends after three digits. */
const char *etw_mc_literal(struct etw_mc *mc, const char *text);
bool etw_mc_guid_equal(const GUID *a, const GUID *b);
/* Print a comment on its own line; text may contain anything. */
void etw_mc_comment(struct etw_mc *mc, const char *before, const char *text,
		    const char *after);
/*
 * Record that the header defines a symbol.  NULL: it is free.  Else what it is already: the
 * value of a constant ("0x1"), or words for anything else; a keyword of C or C++ is one
 * already, in no line.
 */
struct etw_mc_entry *etw_mc_claim(struct etw_mc *mc, const char *symbol, const char *value,
				  unsigned int line);
/* The same for a symbol that can have no other name: it is an error if it is not free. */
void etw_mc_symbol(struct etw_mc *mc, const char *symbol, const char *value, unsigned int line);
/* "0x1 (line 7)" */
const char *etw_mc_where(struct etw_mc *mc, const struct etw_mc_entry *entry);
/* Define a constant.  The last one of a name counts, as for compilers on Windows. */
void etw_mc_define(struct etw_mc *mc, const char *symbol, unsigned long long value,
		   const char *suffix, unsigned int line);

/* provider.c */
void etw_mc_prepare(struct etw_mc *mc);
void etw_mc_provider(struct etw_mc *mc, const struct etw_mc_provider *p);
/* constants.c: those with a symbol; then, of all providers, those without one */
void etw_mc_constants(struct etw_mc *mc, const struct etw_mc_provider *p);
void etw_mc_unnamed(struct etw_mc *mc);
void etw_mc_messages(struct etw_mc *mc, const struct etw_message_ids *ids);
void etw_mc_guid_object(struct etw_mc *mc, const char *symbol, const char *value);
/* mode.c: the provider's state, and the macros that register it */
void etw_mc_code(struct etw_mc *mc, const struct etw_mc_provider *p);
/* event.c */
void etw_mc_macros(struct etw_mc *mc, const struct etw_mc_provider *p);
/* arguments.c: fill the event's arguments and the name of its template's function. */
void etw_mc_arguments(struct etw_mc *mc, struct etw_mc_event *event);
/* template.c: all functions; the function of an event */
void etw_mc_templates(struct etw_mc *mc);
void etw_mc_function_um(struct etw_mc *mc, const struct etw_mc_event *event);
void etw_mc_function_km(struct etw_mc *mc, const struct etw_mc_event *event);

#endif /* ETW_MC_EMIT_H */
