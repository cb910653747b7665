/* SPDX-License-Identifier: MIT */
/*
 * manifest.h - convert an XML manifest to a struct etw_manifest
 *
 * schema.c describes the elements: their attributes, the type of each, and the member of
 * the model that it sets. There are two steps, since elements may come in any order.
 * parse.c makes a tree of the elements, with the attributes' values still text. Then
 * build.c and the files that it calls convert the tree to the model's arrays, list by
 * list; each list comes after the lists that it refers to. An invalid element is
 * reported and then kept as far as possible, so that one pass finds many errors.
 *
 * One flag, lenient, decides what a broken rule means. To the compiler it is an error. To
 * the decoder it is a warning: the element is taken as it is, or, where the place says
 * what the problem costs, without its broken part. Only etw_manifest_fatal() ends both.
 *
 * Strings that the model keeps are allocated in the manifest's arena at once; the tree
 * lies in an arena of its own, freed when reading ends.
 */
#ifndef ETW_TDH_MANIFEST_MANIFEST_H
#define ETW_TDH_MANIFEST_MANIFEST_H

#include "base/text.h"
#include "tdh/model/model.h"
#include "tdh/model/names.h"

/* docs/manifests.md states these limits. */
#define MANIFEST_SIZE_MAX	(32u * 1024 * 1024)	/* bytes of a manifest */
#define MANIFEST_DEPTH_MAX	100u		/* elements within elements */
#define MANIFEST_CULTURES_MAX	256u
#define MANIFEST_TEXTS_MAX	(8u * 1024 * 1024)	/* strings times cultures */
#define MANIFEST_PROVIDERS_MAX	16u	/* compiled */
#define MANIFEST_SYMBOL_MAX	255u	/* characters; the generated header combines symbols */
#define MANIFEST_PROVIDERS_READ	4096u	/* decoded */
#define MANIFEST_CHANNELS_MAX	8u	/* per provider; they use keyword bits 63 to 56 */
#define MANIFEST_CHANNELS_READ	256u	/* likewise, decoded: those from the 9th on have no bit */
#define MANIFEST_CHANNEL_FIRST	16u	/* value of channels other than Windows' own */
#define MANIFEST_DATA_MAX	65535u	/* of an event's fixed fields */
#define MANIFEST_NAME_MAX	255u	/* characters of a provider's or channel's name */
#define MANIFEST_ATTRIBUTES_MAX	256u	/* per element */
#define MANIFEST_PREFIXES_MAX	64u	/* namespaces in scope at one place */

/* ------------------------------------------------------------------- the schema */

enum manifest_type {
	/* strings of the model */
	MANIFEST_NAME,		/* must not be empty */
	MANIFEST_TEXT,		/* of choices, if there are any */
	MANIFEST_RAW,		/* text with the blanks around it */
	MANIFEST_SYMBOL,	/* a C identifier */
	/* other values */
	MANIFEST_NUMBER,	/* least to most */
	MANIFEST_BIT,		/* one bit, at most "most"; or 0, if that is least */
	MANIFEST_BOOL,
	MANIFEST_GUID,		/* least: 1 if it must not be zero */
	MANIFEST_CHOICE,	/* an index of choices */
	MANIFEST_MESSAGE,
	/* The element's own code reads these. */
	MANIFEST_REFERENCE,	/* the member points to something with a name, at "most" in it */
	MANIFEST_NAMES,		/* likewise; the prefixes win: and xs: are resolved */
	MANIFEST_EVENT_MESSAGE,	/* MANIFEST_MESSAGE */
	MANIFEST_IGNORED,
};

struct manifest_attribute {
	const char *name;
	enum manifest_type type;
	bool required;
	bool title;		/* problems refer to the element by this value */
	bool needed;		/* the decoder leaves out an element in which it is wrong */
	bool dumped;		/* only dumps have it: not known to the compiler */
	uint16_t offset, size;	/* the member; size 0: only checked */
	uint64_t least, most;
	uint64_t widest;	/* what the decoder takes instead of least to most; 0: just those */
	const char *const *choices;	/* NULL-terminated */
};

/* Elements of one list become one array of the model. */
enum manifest_list {
	MANIFEST_SECTION,	/* no list: its elements belong to the one around it */
	MANIFEST_PROVIDERS,
	MANIFEST_TABLE,
	MANIFEST_RESOURCES,
	MANIFEST_STRINGS,
	MANIFEST_TRAITS,
	MANIFEST_CHANNELS,
	MANIFEST_SETTINGS,
	MANIFEST_LEVELS,
	MANIFEST_TASKS,
	MANIFEST_OPCODES,
	MANIFEST_KEYWORDS,
	MANIFEST_MAPS,
	MANIFEST_ENTRIES,
	MANIFEST_TEMPLATES,
	MANIFEST_FIELDS,
	MANIFEST_USER_DATA,
	MANIFEST_EVENTS,
	MANIFEST_FILTERS,
};

struct manifest_element {
	const char *name;
	enum manifest_list list;
	const struct manifest_attribute *attributes;
	unsigned int attribute_count;
	unsigned int line;	/* offset of the member for the line */
	bool any_attributes, any_children;	/* skip unknown ones silently */
	bool text;		/* its text is the value of its only attribute */
	bool xml;		/* likewise all of it, as XML */
	const struct manifest_element *const *children;	/* NULL-terminated, or NULL */
};

/* The elements that are written, or differ from others of their list */
extern const struct manifest_element etw_element_document, etw_element_fragment, etw_element_provider,
	etw_element_traits, etw_element_channel, etw_element_import, etw_element_level,
	etw_element_task, etw_element_opcode, etw_element_keyword, etw_element_template,
	etw_element_struct, etw_element_event, etw_element_filter, etw_element_string;
/* By enum etw_mf_map_kind */
extern const struct manifest_element etw_element_maps[];

/* ----------------------------------------------------------------- the first step */

/* A string of a string table, or (without value) a culture */
struct etw_mf_string {
	const char *id, *value;
	unsigned int line;
};

/* An element of the schema, as read */
struct manifest_node {
	const struct manifest_element *element;
	struct manifest_node *next, *children, *last;
	unsigned int line;
	const char *values[];	/* by attribute; NULL: missing */
};

/* An element that is converted back to text */
struct manifest_capture {
	struct etw_text text;
	unsigned int depth;	/* of the open element; 0: none */
	bool tag_open;		/* the last tag lacks its ">" */
};

/* What problems are about: KIND "NAME": PART "NAME": what */
struct manifest_place {
	unsigned int line;
	const char *kind, *name;	/* name may be NULL; likewise kind, and all the rest */
	const char *part, *part_name;
	const char *cost;	/* what the decoder loses by an error here; NULL: nothing */
};

#define MANIFEST_COST_ELEMENT	"left out"
#define MANIFEST_COST_FIELD	"the event's rest is shown as bytes"

/* A manifest being read */
struct manifest_reader {
	struct etw_manifest *manifest;
	struct etw_manifest *scratch;	/* memory until reading ends */
	struct etw_problems *problems;
	struct etw_names names;
	struct manifest_node *document;	/* its line is that of the root element */
	const void *symbols;	/* the scope of symbols: a provider; NULL: outside of all */
	struct manifest_place at;
	int err;		/* -ENOMEM: stop */
	bool lenient;		/* read for decoding: see above */
	bool lost;		/* lenient: an error had a cost; reset by who looks at it */
	bool tolerating;	/* the problem being reported is an error to the compiler */
	bool wrong;		/* an error was reported */
	bool broken;		/* an error made it impossible to read on */
	const char *damage;	/* lenient: the first error of the XML parser, at damage_line */
	unsigned int damage_line;
	bool others;		/* other namespaces had elements: counters, ... */
};

/* report.c: problems at r->at. The first is an error only to the compiler, see above. */
void etw_manifest_error(struct manifest_reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void etw_manifest_fatal(struct manifest_reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void etw_manifest_warn(struct manifest_reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static inline void etw_manifest_at(struct manifest_reader *r, unsigned int line, const char *kind,
				   const char *name)
{
	r->at = (struct manifest_place){ .line = line, .kind = kind, .name = name };
}

void *etw_manifest_no_memory(struct manifest_reader *r);	/* NULL */
/* Zeroed memory of the manifest for an array; NULL if count is 0 or out of memory */
void *etw_manifest_array(struct manifest_reader *r, size_t count, size_t size);

/* The bytes passed to the parser */
struct manifest_input {
	const char *data;
	size_t size;
	char *own;		/* backing of data after conversion to UTF-8; malloc() */
	bool converted;
};

/*
 * input.c: convert UTF-16 to UTF-8, and reject input that would take the parser too long.
 * The caller frees input->own. False: the problem is in r, or r->err is set.
 */
bool etw_manifest_prepare(struct manifest_reader *r, const char *data, size_t size,
			  struct manifest_input *input);
/* input.c: put begins of wrapping elements before the root. False: out of memory */
#define MANIFEST_WRAPPER	"_"
bool etw_manifest_wrap(struct manifest_reader *r, struct manifest_input *input, unsigned int count);
/* parse.c: set r->document. False as above. */
bool etw_manifest_parse(struct manifest_reader *r, const struct manifest_input *input);

/* userdata.c; the strings of SAX2's startElementNs */
void etw_manifest_capture_begin(struct manifest_capture *capture, const char *name,
				const char *prefix, const char *uri, int namespaces,
				const unsigned char **namespace_list, int attributes,
				const unsigned char **attribute_list);
void etw_manifest_capture_text(struct manifest_capture *capture, const char *s, size_t len);
void etw_manifest_capture_end(struct manifest_capture *capture, const char *name,
			      const char *prefix);

/* ---------------------------------------------------------------- the second step */

/* attributes.c */
/* The node itself or the next one that is of the list; NULL: none, or out of memory */
const struct manifest_node *etw_manifest_of(const struct manifest_reader *r,
					    const struct manifest_node *node,
					    enum manifest_list list);

#define manifest_for_each(node, r, parent, list)					\
	for ((node) = etw_manifest_of(r, (parent)->children, list); (node);		\
	     (node) = etw_manifest_of(r, (node)->next, list))

unsigned int etw_manifest_count(const struct manifest_reader *r, const struct manifest_node *parent,
				enum manifest_list list);
/* An array with room for all elements of the list, as etw_manifest_array() */
void *etw_manifest_array_of(struct manifest_reader *r, const struct manifest_node *parent,
			    enum manifest_list list, size_t size, unsigned int *count);

const char *etw_manifest_value(const struct manifest_node *node, const char *attribute);
/*
 * Convert the values to the object's members, and set its line and r->at. The member of a
 * missing or invalid value is unchanged, except for a required string, which becomes "".
 * False: the decoder leaves the element out.
 */
bool etw_manifest_read_attributes(struct manifest_reader *r, const struct manifest_node *node,
				  void *object);
/* Only convert and check, at r->at. */
void etw_manifest_convert(struct manifest_reader *r, const struct manifest_node *node,
			  void *object);
/* Leave out what those returned false for: the next element takes its place. */
#define manifest_drop(object, count)	(memset((object), 0, sizeof(*(object))), (count)--)
bool etw_manifest_number(const char *s, uint64_t *out);
bool etw_manifest_is_symbol(const char *s);
/* "character 3 is "-"": the one at this offset, which is in out then */
void etw_manifest_character(const char *text, size_t at, char *out, size_t size);

/*
 * names.c: things by scope and name, or by scope and number. A scope is any address.
 * Returns the thing that already has the key; NULL: added (or r->err is set).
 */
void *etw_manifest_claim(struct manifest_reader *r, const void *scope, const char *name,
			 const void *thing);
void *etw_manifest_claim_number(struct manifest_reader *r, const void *scope, uint64_t number,
				const void *thing);
void *etw_manifest_find(const struct manifest_reader *r, const void *scope, const char *name);
/* The same, with an error if another thing has the name or the value */
void etw_manifest_claim_name(struct manifest_reader *r, const void *scope, const char *name,
			     const void *thing);
void etw_manifest_claim_value(struct manifest_reader *r, const void *scope, uint64_t value,
			      const void *thing);
/*
 * The symbols of a provider share one name space, r->symbols. A constant may occur twice
 * with the same kind and value, as #define allows: opcodes of two tasks are often equal.
 * value: unique for what is no constant.
 */
void etw_manifest_claim_symbol(struct manifest_reader *r, const char *symbol, const char *kind,
			       uint64_t value);

/* types.c; names without a prefix, or "" */
uint16_t etw_manifest_in_type(const char *name);	/* 0: unknown type */
/* Types that dumps give by number; 0: none, or no type of manifests */
uint16_t etw_manifest_in_type_number(const char *name);
uint16_t etw_manifest_out_type_number(const char *name);
uint16_t etw_manifest_out_type(const char *name);
uint16_t etw_manifest_default_out_type(uint16_t in_type);
bool etw_manifest_types_fit(uint16_t in_type, uint16_t out_type);
unsigned int etw_manifest_type_size(uint16_t in_type);	/* minimum bytes of one element */
const char *etw_manifest_in_type_name(uint16_t in_type);
const char *etw_manifest_out_type_name(uint16_t out_type);

/* message.c */
void etw_manifest_build_messages(struct manifest_reader *r);
/* The message of an attribute's value: NULL if that is NULL, or invalid and reported */
const struct etw_mf_message *etw_manifest_message(struct manifest_reader *r, const char *value);
unsigned int etw_manifest_inserts(const char *text);	/* the highest %N */

/* build.c, and the lists of a provider */
void etw_manifest_build(struct manifest_reader *r);
void etw_manifest_build_channels(struct manifest_reader *r, const struct manifest_node *node,
				 struct etw_mf_provider *p);
/* Imported channels take the type that another provider in this manifest gives them. */
void etw_manifest_import_types(struct manifest_reader *r);
void etw_manifest_build_templates(struct manifest_reader *r, const struct manifest_node *node,
				  struct etw_mf_provider *p);
void etw_manifest_build_events(struct manifest_reader *r, const struct manifest_node *node,
			       struct etw_mf_provider *p);

#endif /* ETW_TDH_MANIFEST_MANIFEST_H */
