/* SPDX-License-Identifier: MIT */
/*
 * emit.h - what the parts of the header's generator share
 *
 * header.c writes a header from its begin to its end, provider.c what a provider is,
 * event.c its macros, template.c the functions that these call, messages.c the ids of
 * messages.  What is different in user mode and in kernel mode, and only that, is in
 * a struct etw_mc_mode.
 */
#ifndef ETW_MC_EMIT_H
#define ETW_MC_EMIT_H

#include <setjmp.h>
#include "mc.h"
#include "base/table.h"
#include "tdh/model/message_ids.h"

struct etw_mc;
struct etw_mc_provider;

/* A set of words; all zero is an empty one.  Keys and values are not copied. */
struct etw_mc_entry {
	const char *key;
	const char *value;
	unsigned int line;
	unsigned int set;	/* its id */
};

struct etw_mc_set {
	unsigned int id;	/* 0: still empty */
	unsigned int count;
};

/* An event that has a descriptor */
struct etw_mc_event {
	const struct etw_mf_event *event;
	const char *symbol;		/* of the descriptor */
	const char *macro;		/* what follows EventWrite and EventEnabled */
	const char *function;		/* its template function's name up to the last _ */
	unsigned int bit;		/* in the provider's EnableBits */
};

/* A level and a keyword, tested by one bit */
struct etw_mc_bit {
	unsigned long long keyword;
	unsigned char level;
};

struct etw_mc_provider {
	const struct etw_mf_provider *provider;
	const char *symbol;		/* "MyProvider" */
	const char *suffix;		/* its name as an end of identifiers */
	const char *name;		/* its name as an identifier */
	bool traits;			/* it has a <symbol>_Traits that is not NULL */
	struct etw_mc_event *events;
	unsigned int event_count;
	struct etw_mc_bit *bits;
	unsigned int bit_count;
};

/* One per mode: mode_um.c, mode_km.c */
struct etw_mc_mode {
	const char *option;		/* "um" */
	char letter;			/* McTemplateU0... */
	/* Macros that write take an activity first, always; else only on demand. */
	bool activity;
	/* Of an object that several translation units may define: "%s(type, name)". */
	const char *object;
	/* What names of template functions end in, after a "_"; may be a macro */
	const char *write;
	/* The function or macro that tells the bytes of a SID */
	const char *sid_size;
	/* #include lines, and what else must come first */
	void (*begin)(struct etw_mc *mc);
	/* The provider's state, and the macros that register it */
	void (*provider)(struct etw_mc *mc, const struct etw_mc_provider *p);
	/* EventEnabledX() and EventEnabledX_ForContext() */
	void (*enabled)(struct etw_mc *mc, const struct etw_mc_provider *p,
			const struct etw_mc_event *event);
	/* The function that writes the events of a template, NULL: of those without */
	void (*function)(struct etw_mc *mc, const struct etw_mf_template *t, const char *name);
};

extern const struct etw_mc_mode etw_mc_mode_um, etw_mc_mode_km;

/* One header that is being made */
struct etw_mc {
	const struct etw_manifest *manifest;
	const struct etw_mc_options *options;
	const struct etw_mc_mode *mode;	/* never NULL, that of -um for none */
	bool code;			/* not only constants */
	struct etw_problems *problems;
	FILE *out;
	int error;			/* -EINVAL: what was written is void */
	jmp_buf no_memory;		/* where etw_mc_alloc() goes then */
	struct etw_mc_provider *providers;
	struct etw_table words;		/* entries of all sets */
	unsigned int set_count;
	struct etw_mc_set symbols;	/* that the header defines, with their values */
	struct etw_mc_set templates;	/* template functions */
	struct etw_message_ids ids;
	void *memory;			/* list of what is to be freed */
};

/*
 * text.c: memory and names.  They never return NULL: without memory they do not
 * return.  What they return is zeroed at first and lives as long as mc.
 */
void *etw_mc_alloc(struct etw_mc *mc, size_t size);
char *etw_mc_text(struct etw_mc *mc, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* name with "_" for what C does not take in the middle of an identifier. */
char *etw_mc_word(struct etw_mc *mc, const char *name);
/* The same, and it does not begin with a digit. */
char *etw_mc_identifier(struct etw_mc *mc, const char *name);
/* The entry of a key that was there before, or NULL: it is new. */
const struct etw_mc_entry *etw_mc_set_add(struct etw_mc *mc, struct etw_mc_set *set,
					  const char *key, const char *value,
					  unsigned int line);
void etw_mc_free(struct etw_mc *mc);

/* Take the rest of the line as it is */
void etw_mc_print(struct etw_mc *mc, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The value of a GUID as C has it, "{0x..., ...}". */
char *etw_mc_guid(struct etw_mc *mc, const GUID *guid);
bool etw_mc_guid_equal(const GUID *a, const GUID *b);
/* A comment of its own line; whatever is in the text */
void etw_mc_comment(struct etw_mc *mc, const char *before, const char *text,
		    const char *after);
/*
 * Note that the header defines a symbol.  True: for the first time.  The same value
 * again is nothing, another value is an error, and so is a word of C or C++.
 */
bool etw_mc_symbol(struct etw_mc *mc, const char *symbol, const char *value,
		   unsigned int line);

/* provider.c */
void etw_mc_prepare(struct etw_mc *mc);
void etw_mc_constants(struct etw_mc *mc, const struct etw_mc_provider *p);
/* state.c: the arrays by which events are tested; a context type of the program's own */
void etw_mc_bits(struct etw_mc *mc, const struct etw_mc_provider *p);
void etw_mc_context_type(struct etw_mc *mc, const struct etw_mc_provider *p);
/*
 * registration.c: the macros that register and unregister.  status: what registering returns;
 * init_context: the function that fills a context of the caller's.
 */
void etw_mc_registration(struct etw_mc *mc, const struct etw_mc_provider *p, const char *status,
			 const char *init_context);
/* event.c */
void etw_mc_macros(struct etw_mc *mc, const struct etw_mc_provider *p);
/* mangle.c: the name of a template's function; "" and mc->error: it has none */
const char *etw_mc_function(struct etw_mc *mc, const struct etw_mf_template *t);
/* template.c: all functions; one as user mode has it */
void etw_mc_templates(struct etw_mc *mc);
void etw_mc_function_um(struct etw_mc *mc, const struct etw_mf_template *t, const char *name);
/* messages.c */
void etw_mc_messages(struct etw_mc *mc);

#endif /* ETW_MC_EMIT_H */
