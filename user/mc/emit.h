/* SPDX-License-Identifier: MIT */
/*
 * emit.h - the parts of the header generator
 *
 * header.c writes the whole header: provider.c writes a provider's constants, event.c the
 * macros of events, template.c the functions that the macros call, messages.c the ids of
 * messages.  struct etw_mc_mode holds the differences between user mode and kernel mode.
 */
#ifndef ETW_MC_EMIT_H
#define ETW_MC_EMIT_H

#include <setjmp.h>
#include "mc.h"
#include "base/table.h"
#include "tdh/model/message_ids.h"

struct etw_mc;
struct etw_mc_provider;

/* A set of strings; an all-zero set is empty.  Keys and values are not copied. */
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
	const char *symbol;		/* name of the descriptor */
	const char *macro;		/* macro names after EventWrite and EventEnabled */
	const char *function;		/* the template function's name up to the last _ */
	unsigned int bit;		/* index in the provider's EnableBits */
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

/* One per mode: mode_um.c, mode_km.c */
struct etw_mc_mode {
	const char *option;		/* "um" */
	char letter;			/* McTemplateU0... */
	/* Macros that write always take an activity first; else only on request. */
	bool activity;
	/* Macro that defines an object in several translation units: "%s(type, name)" */
	const char *object;
	/* End of template functions' names, after a "_"; may be a macro */
	const char *write;
	/* Function or macro that returns the bytes of a SID */
	const char *sid_size;
	/* Start of the header: #include lines */
	void (*begin)(struct etw_mc *mc);
	/* The provider's state, and the macros that register it */
	void (*provider)(struct etw_mc *mc, const struct etw_mc_provider *p);
	/* EventEnabledX() and EventEnabledX_ForContext() */
	void (*enabled)(struct etw_mc *mc, const struct etw_mc_provider *p,
			const struct etw_mc_event *event);
	/* The function that writes the events of a template; NULL: events without one */
	void (*function)(struct etw_mc *mc, const struct etw_mf_template *t, const char *name);
};

extern const struct etw_mc_mode etw_mc_mode_um, etw_mc_mode_km;

/* The header being generated */
struct etw_mc {
	const struct etw_manifest *manifest;
	const struct etw_mc_options *options;
	const struct etw_mc_mode *mode;	/* never NULL; the mode of -um if none is set */
	bool code;			/* generate code, not only constants */
	struct etw_problems *problems;
	FILE *out;
	int error;			/* -EINVAL: discard the output */
	jmp_buf no_memory;		/* target of etw_mc_alloc() if memory is exhausted */
	struct etw_mc_provider *providers;
	struct etw_table words;		/* entries of all sets */
	unsigned int set_count;
	struct etw_mc_set symbols;	/* symbols of the header, with their values */
	struct etw_mc_set templates;	/* template functions */
	struct etw_message_ids ids;
	void *memory;			/* list of allocated blocks */
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
/* Add a key.  Returns the existing entry of the key, or NULL if it is new. */
const struct etw_mc_entry *etw_mc_set_add(struct etw_mc *mc, struct etw_mc_set *set,
					  const char *key, const char *value,
					  unsigned int line);
void etw_mc_free(struct etw_mc *mc);

void etw_mc_print(struct etw_mc *mc, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A GUID as a C initializer, "{0x..., ...}". */
char *etw_mc_guid(struct etw_mc *mc, const GUID *guid);
bool etw_mc_guid_equal(const GUID *a, const GUID *b);
/* Print a comment on its own line; text may contain anything. */
void etw_mc_comment(struct etw_mc *mc, const char *before, const char *text,
		    const char *after);
/*
 * Record that the header defines a symbol.  Returns true the first time.  Defining it
 * again with the same value is allowed; another value, and a keyword of C or C++, is an
 * error.
 */
bool etw_mc_symbol(struct etw_mc *mc, const char *symbol, const char *value,
		   unsigned int line);

/* provider.c */
void etw_mc_prepare(struct etw_mc *mc);
void etw_mc_constants(struct etw_mc *mc, const struct etw_mc_provider *p);
/* state.c: the arrays for testing events; the type of the program's own contexts */
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
/* mangle.c: the name of a template's function; mc->error is set if it cannot have one */
const char *etw_mc_function(struct etw_mc *mc, const struct etw_mf_template *t);
/* template.c: all functions; one function of user mode */
void etw_mc_templates(struct etw_mc *mc);
void etw_mc_function_um(struct etw_mc *mc, const struct etw_mf_template *t, const char *name);
/* messages.c */
void etw_mc_messages(struct etw_mc *mc);

#endif /* ETW_MC_EMIT_H */
