/* SPDX-License-Identifier: MIT */
/*
 * manifest.h - convert an XML manifest to a struct etw_manifest
 *
 * There are two steps, since elements may come in any order. The first step makes
 * drafts from elements as the parser meets them: attributes are checked on their own
 * and stored in the model's struct; references stay text. The second step, after all is
 * read, resolves references, checks what depends on other elements, and lays out the
 * drafts as the model's arrays. An invalid element is reported and then kept as far as
 * possible, so that one pass finds many errors.
 *
 * Drafts lie in an arena of their own, freed when reading ends. Strings that the model
 * keeps are allocated in the manifest's arena at once.
 */
#ifndef ETW_TDH_MANIFEST_MANIFEST_H
#define ETW_TDH_MANIFEST_MANIFEST_H

#include <stdarg.h>
#include "base/text.h"
#include "tdh/model/model.h"

/* docs/manifests.md states these limits. */
#define MX_SIZE_MAX	(32u * 1024 * 1024)	/* bytes of a manifest */
#define MX_DEPTH_MAX	100u		/* elements within elements */
#define MX_CULTURES_MAX	256u
#define MX_TEXTS_MAX	(8u * 1024 * 1024)	/* strings times cultures */
#define MX_PROVIDERS_MAX	16u
#define MX_CHANNELS_MAX	8u		/* per provider; they use keyword bits 63 to 56 */
#define MX_DATA_MAX	65535u		/* of an event's fixed fields */
#define MX_NAME_MAX	255u		/* characters of a provider's or channel's name */
#define MX_ATTRIBUTES_MAX	256u	/* per element */
#define MX_PREFIXES_MAX	64u		/* namespaces in scope at one place */
#define MX_SLOTS	24u		/* attributes of any element in the schema */

/* An attribute's value, not terminated; s is NULL if the attribute is missing. */
struct manifest_value {
	const char *s;
	size_t len;
};

/* Drafts of one kind, in source order. Each begins with its next pointer. */
struct manifest_list {
	void *first;
	void *last;
	unsigned int count;
};

#define manifest_for_each(p, list)	for ((p) = (list)->first; (p); (p) = (p)->next)

struct manifest_channel {
	struct manifest_channel *next;
	struct etw_mf_channel c;
	const char *message;
	bool has_value;
};

struct manifest_named {
	struct manifest_named *next;
	struct etw_mf_named n;
	const char *message;
};

struct manifest_keyword {
	struct manifest_keyword *next;
	struct etw_mf_keyword k;
	const char *message;
};

struct manifest_task {
	struct manifest_task *next;
	struct etw_mf_task t;
	struct manifest_list opcodes;
	const char *message;
	const struct etw_mf_task *built;
};

struct manifest_entry {
	struct manifest_entry *next;
	struct etw_mf_map_entry e;
	const char *message;
};

struct manifest_map {
	struct manifest_map *next;
	struct etw_mf_map m;
	struct manifest_list entries;
};

struct manifest_field {
	struct manifest_field *next;
	struct etw_mf_field f;
	const char *count, *length, *map;
	struct manifest_list members;
	unsigned int index;	/* in the template's fields */
};

struct manifest_template {
	struct manifest_template *next;
	struct etw_mf_template t;
	struct manifest_list fields;
	unsigned int members;	/* of all structures */
};

struct manifest_event {
	struct manifest_event *next;
	struct etw_mf_event e;
	const char *channel, *level, *task, *opcode, *keywords, *template, *message;
};

struct manifest_filter {
	struct manifest_filter *next;
	struct etw_mf_filter f;
	const char *template, *message;
};

struct manifest_provider {
	struct manifest_provider *next;
	struct etw_mf_provider p;
	const char *message;
	struct manifest_list channels, levels, tasks, opcodes, keywords, maps, templates;
	struct manifest_list events, filters;
};

/* A message of <messageTable> */
struct manifest_table_entry {
	struct manifest_table_entry *next;
	struct etw_mf_entry e;
	const char *message;
};

/* A string of a string table */
struct manifest_string {
	struct manifest_string *next;
	const char *id, *text;
	unsigned int culture;
	unsigned int line;
};

/* A message being built, and its highest %N (in all cultures) */
struct manifest_message {
	struct etw_mf_message *message;
	unsigned int inserts;
	unsigned int line;
};

struct etw_mx;

/* An element of the schema */
struct manifest_element {
	const char *name;
	const char *const *attributes;		/* NULL-terminated; NULL: any, unchecked */
	const struct manifest_element *const *children;	/* NULL-terminated, or NULL */
	void (*begin)(struct etw_mx *x);	/* NULL: nothing to do; likewise end */
	void (*end)(struct etw_mx *x);
	bool text;		/* its text is collected for end() */
	bool xml;		/* all of it is collected, as XML */
	bool any_children;	/* skip unknown ones silently */
};

struct manifest_prefix;
struct manifest_names;

/* A manifest being read */
struct etw_mx {
	struct etw_manifest *manifest, *draft;
	struct etw_problems *problems;
	struct manifest_names *names;
	int err;		/* -ENOMEM: stop */
	bool wrong;		/* an error was reported */
	bool broken;		/* an error made it impossible to read on */
	void *xml;		/* the parser */

	/* current position */
	const struct manifest_element *stack[MX_DEPTH_MAX + 1];
	unsigned int depth;
	unsigned int skipped;	/* open elements below a skipped one */
	unsigned int captured;	/* open elements below UserData */
	bool tag_open;		/* the last captured tag lacks its ">" */
	unsigned int line;
	struct manifest_value values[MX_SLOTS];
	struct etw_text text;	/* collected */
	struct manifest_prefix *prefixes;
	unsigned int bound;	/* namespaces in scope; by each open element: */
	unsigned int bound_by[MX_DEPTH_MAX + 1];
	bool odd_prefix;	/* the standard names use a prefix other than win: */
	const void *last_uri;
	bool last_uri_ours, no_namespace_said;

	/* the open elements */
	struct manifest_provider *provider;
	struct manifest_channel *channel;
	struct manifest_task *task;
	struct manifest_map *map;
	struct manifest_template *template;
	struct manifest_field *structure;
	unsigned int culture;

	/* the drafts */
	struct manifest_list providers, cultures, strings, table;
	bool others;		/* other namespaces had elements: counters, ... */
};

struct manifest_culture {
	struct manifest_culture *next;
	const char *name;
};

extern const char *const etw_mx_no_attributes[];

/* Elements: root.c, _provider.c, _channel.c, _named.c, _map.c, _template.c, _event.c */
extern const struct manifest_element etw_mx_root, etw_mx_provider, etw_mx_channels, etw_mx_levels,
	etw_mx_tasks, etw_mx_opcodes, etw_mx_keywords, etw_mx_maps, etw_mx_value_map,
	etw_mx_bit_map, etw_mx_queries, etw_mx_templates, etw_mx_events, etw_mx_filters;

/* report.c: reports KIND "NAME": what. name may be NULL. */
void etw_mx_error(struct etw_mx *x, unsigned int line, const char *kind, const char *name,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void etw_mx_warn(struct etw_mx *x, unsigned int line, const char *kind, const char *name,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void *etw_mx_no_memory(struct etw_mx *x);	/* NULL */
/* Append a draft of this size to the list; NULL: out of memory */
void *etw_mx_add(struct etw_mx *x, struct manifest_list *list, size_t size);
/* Zeroed memory of the manifest for an array; NULL if count is 0 or out of memory */
void *etw_mx_array(struct etw_mx *x, size_t count, size_t size);

/* sax.c */
int etw_mx_parse(struct etw_mx *x, const char *data, size_t size, bool converted);
/* prefix.c: the prefixes of names in values */
void etw_mx_prefix_bind(struct etw_mx *x, const char *prefix, const char *uri);
void etw_mx_prefix_unbind(struct etw_mx *x);
void etw_mx_prefix_free(struct etw_mx *x);
const char *etw_mx_standard_prefix(struct etw_mx *x, const char *names);
/* userdata.c; the strings of SAX2's startElementNs */
void etw_mx_capture_begin(struct etw_mx *x, const char *name, const char *prefix,
			  const char *uri, int namespaces,
			  const unsigned char **namespace_list, int attributes,
			  const unsigned char **attribute_list);
void etw_mx_capture_text(struct etw_mx *x, const char *s, size_t len);
void etw_mx_capture_end(struct etw_mx *x, const char *name, const char *prefix);

/* attributes.c: attributes of the current element */
const char *etw_mx_keep(struct etw_mx *x, unsigned int slot);	/* NULL: missing */
const char *etw_mx_note(struct etw_mx *x, unsigned int slot);	/* the same, in the drafts' arena */
const char *etw_mx_keep_raw(struct etw_mx *x, unsigned int slot);	/* blanks are kept */
const char *etw_mx_note_raw(struct etw_mx *x, unsigned int slot);
const char *etw_mx_note_names(struct etw_mx *x, unsigned int slot);	/* win: resolved */
/* Like etw_mx_keep(); if missing or empty, an error and "" */
const char *etw_mx_require(struct etw_mx *x, unsigned int slot, const char *kind);
const char *etw_mx_symbol(struct etw_mx *x, unsigned int slot, const char *kind,
			  const char *name);
/* True: *out is set. False: missing, or invalid and reported. */
bool etw_mx_number(struct etw_mx *x, unsigned int slot, const char *kind, const char *name,
		   uint64_t least, uint64_t most, uint64_t *out);
bool etw_mx_required_number(struct etw_mx *x, unsigned int slot, const char *kind,
			    const char *name, uint64_t least, uint64_t most, uint64_t *out);
bool etw_mx_bool(struct etw_mx *x, unsigned int slot, const char *kind, const char *name,
		 bool *out);
bool etw_mx_guid(struct etw_mx *x, unsigned int slot, const char *kind, const char *name,
		 GUID *out);
/* Index in the NULL-terminated list, or -1 as above */
int etw_mx_choice(struct etw_mx *x, unsigned int slot, const char *kind, const char *name,
		  const char *const *list);
struct manifest_value etw_mx_trim(struct manifest_value v);
bool etw_mx_parse_number(struct manifest_value v, uint64_t *out);
bool etw_mx_is(struct manifest_value v, const char *s);	/* ignores case */
bool etw_mx_is_symbol(const char *s);

/* scopes.c: things by scope and name, or by scope and number */
struct manifest_names *etw_mx_names_new(void);
void etw_mx_names_free(struct manifest_names *names);
/* Returns the thing that already has the key; NULL: added (or x->err is set). */
void *etw_mx_claim(struct etw_mx *x, const void *scope, const char *name, void *thing);
void *etw_mx_claim_number(struct etw_mx *x, const void *scope, uint64_t number, void *thing);
void *etw_mx_find(struct etw_mx *x, const void *scope, const char *name);
void *etw_mx_find_len(struct etw_mx *x, const void *scope, const char *name, size_t len);

/* types.c */
uint16_t etw_mx_in_type(struct manifest_value name);	/* 0: unknown type */
uint16_t etw_mx_out_type(struct manifest_value name);
uint16_t etw_mx_default_out_type(uint16_t in_type);
bool etw_mx_types_fit(uint16_t in_type, uint16_t out_type);
unsigned int etw_mx_type_size(uint16_t in_type);	/* minimum bytes of one element */
const char *etw_mx_in_type_name(uint16_t in_type);	/* without win: */
const char *etw_mx_out_type_name(uint16_t out_type);	/* without win: or xs: */

/* The second step. build.c and the functions it calls */
void etw_mx_build(struct etw_mx *x);
void etw_mx_build_messages(struct etw_mx *x);
void etw_mx_build_table(struct etw_mx *x);
/* The message of an attribute's value: NULL if that is NULL, or invalid and reported */
const struct manifest_message *etw_mx_message(struct etw_mx *x, const char *value,
					unsigned int line, const char *kind,
					const char *name);
const struct etw_mf_message *etw_mx_message_of(struct etw_mx *x, const char *value,
					       unsigned int line, const char *kind,
					       const char *name);
unsigned int etw_mx_inserts(const char *text);	/* the highest %N */
void etw_mx_build_channels(struct etw_mx *x, struct manifest_provider *p);
void etw_mx_build_templates(struct etw_mx *x, struct manifest_provider *p);
void etw_mx_build_events(struct etw_mx *x, struct manifest_provider *p);
void etw_mx_check_symbols(struct etw_mx *x);

#endif /* ETW_TDH_MANIFEST_MANIFEST_H */
