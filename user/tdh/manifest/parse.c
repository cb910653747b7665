/* SPDX-License-Identifier: MIT */
/*
 * parse.c - make a tree of a manifest's elements from the XML parser's events
 *
 * Only elements of the schema become nodes. A DOCTYPE is rejected before it is read, so
 * there are no entities except XML's own five: nothing is fetched, and nothing expands.
 */
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "manifest.h"

#define EVENTS_URI	"http://schemas.microsoft.com/win/2004/08/events"
#define ASSEMBLY_URI	"urn:schemas-microsoft-com:asm."	/* and a version */
#define ATTRIBUTE	5	/* strings for each: name, prefix, URI, value, its end */

#define ERRORS_MAX	1000u	/* of the XML parser that the decoder reads on after */
#define OPEN_MAX	65536u	/* elements without an end that it takes */
#define WRAPPERS	ERRORS_MAX	/* for ends too many, each an error */

/* An open element */
struct level {
	const struct manifest_element *element;
	struct manifest_node *node;	/* of a section: that of the element around it */
	unsigned int line;
};

/* A namespace in scope. The strings belong to the parser and stay valid as long as it does. */
struct binding {
	const char *prefix;
	const char *standard;	/* the usual prefix; NULL: another namespace */
	unsigned int depth;	/* of the element that binds the prefix */
};

struct parser {
	struct manifest_reader *reader;
	xmlParserCtxt *xml;
	unsigned int depth;	/* open elements */
	unsigned int skipped;	/* those of them from a skipped one on */
	unsigned int errors;
	bool misnested;		/* ends that do not match, or several roots: see read_again() */
	bool mending;
	unsigned int wrappers;	/* still to come */
	bool stopped;		/* the rest is not read */
	char end_name[64];	/* mending: of an end that does not match, cut; or empty */
	struct level stack[MANIFEST_DEPTH_MAX + 1];
	unsigned int top;	/* of the stack; neither skipped nor captured elements */
	struct manifest_capture capture;	/* or text of an element */
	struct binding bindings[MANIFEST_PREFIXES_MAX];	/* the innermost last */
	unsigned int bound;
	bool odd_prefix;	/* the standard names use a prefix other than win: */
	const xmlChar *last_uri;
	bool last_uri_ours, no_namespace_reported;
};

/*
 * The line where the current tag begins. The parser reports the tag's end; the tag is
 * still in its buffer and contains no other "<".
 */
static unsigned int line_of_tag(const xmlParserCtxt *xml)
{
	const xmlChar *p = xml->input->cur;
	int line = xml->input->line;

	while (p > xml->input->base && *--p != '<')
		line -= *p == '\n';
	return line > 0 ? line : 1;
}

static void stop(struct parser *p)
{
	p->reader->broken = true;
	xmlStopParser(p->xml);
}

static void stop_on_error(struct parser *p)
{
	if (p->capture.text.error)
		etw_manifest_no_memory(p->reader);
	if (p->reader->err)
		stop(p);
}

/* --------------------------------------------------------------------- prefixes */

/*
 * "win:Error" is Windows' name Error under the prefix that the document binds to its
 * namespace. Such prefixes are replaced with the usual ones as soon as they are read;
 * prefixes of other namespaces are part of the name.
 */
static const struct {
	const char *uri, *prefix;
} known[] = {
	{ "http://manifests.microsoft.com/win/2004/08/windows/events", "win" },
	{ "http://www.w3.org/2001/XMLSchema", "xs" },
	{ "http://schemas.microsoft.com/win/2004/08/events/trace", "trace" },
};

static void bind_prefix(struct parser *p, const char *prefix, const char *uri)
{
	struct binding *binding = &p->bindings[p->bound++];
	size_t i;

	*binding = (struct binding){ .prefix = prefix ? prefix : "", .depth = p->depth };
	for (i = 0; prefix && uri && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(uri, known[i].uri))
			binding->standard = known[i].prefix;
	if (binding->standard && strcmp(binding->standard, prefix))
		p->odd_prefix = true;
}

static const char *standard_prefix(const struct parser *p, const char *prefix, size_t len)
{
	unsigned int i;

	for (i = p->bound; i; i--)
		if (strlen(p->bindings[i - 1].prefix) == len &&
		    !memcmp(p->bindings[i - 1].prefix, prefix, len))
			return p->bindings[i - 1].standard;
	return NULL;
}

/* The names, separated by blanks, with the usual prefixes */
static const char *standard_names(struct parser *p, const char *names)
{
	/* The longest prefix has 5 characters, the shortest one name 2: "a:". */
	char *out = etw_manifest_alloc(p->reader->scratch, strlen(names) * 3 + 8), *to = out;

	while (out && *names) {
		size_t blanks = strspn(names, " \t\r\n"), len;
		const char *usual = NULL, *colon;

		to = mempcpy(to, names, blanks);
		names += blanks;
		len = strcspn(names, " \t\r\n");
		colon = memchr(names, ':', len);
		if (colon)
			usual = standard_prefix(p, names, colon - names);
		if (usual) {
			to = stpcpy(to, usual);
			len -= colon - names;
			names = colon;
		}
		to = mempcpy(to, names, len);
		names += len;
	}
	return out;
}

/* --------------------------------------------------------------------- elements */

/* A copy of a value; strings of the model are copied to the manifest's memory. */
static const char *keep_value(struct parser *p, const struct manifest_attribute *a,
			      const char *s, size_t len)
{
	struct manifest_reader *r = p->reader;
	bool exact = a->type == MANIFEST_RAW || a->type == MANIFEST_MESSAGE ||
		     a->type == MANIFEST_EVENT_MESSAGE;
	const char *copy;

	while (!exact && len && strchr(" \t\r\n", s[0])) {
		s++;
		len--;
	}
	while (!exact && len && strchr(" \t\r\n", s[len - 1]))
		len--;
	copy = etw_manifest_strdup(a->type <= MANIFEST_SYMBOL ? r->manifest : r->scratch, s, len);
	if (copy && a->type == MANIFEST_NAMES && p->odd_prefix)
		copy = standard_names(p, copy);
	return copy ? copy : etw_manifest_no_memory(r);
}

static void read_attribute(struct parser *p, const struct level *level, const xmlChar *const *a)
{
	const struct manifest_element *element = level->element;
	const char *name = (const char *)a[0];
	unsigned int i;

	/* Attributes with a prefix are not the schema's: xsi:schemaLocation, xml:space, ... */
	if (a[2] || element->any_attributes)
		return;
	for (i = 0; !element->text && i < element->attribute_count; i++) {
		if (strcmp(element->attributes[i].name, name) ||
		    (element->attributes[i].dumped && !p->reader->lenient))
			continue;
		level->node->values[i] = keep_value(p, &element->attributes[i], (const char *)a[3],
						    a[4] - a[3]);
		return;
	}
	etw_manifest_warn(p->reader, "attribute %s is not known: ignored", name);
}

static struct manifest_node *add_node(struct manifest_reader *r,
				      const struct manifest_element *element,
				      struct manifest_node *parent)
{
	struct manifest_node *node;

	node = etw_manifest_alloc(r->scratch, sizeof(*node) +
				  element->attribute_count * sizeof(node->values[0]));
	if (!node)
		return etw_manifest_no_memory(r);
	node->element = element;
	node->line = r->at.line;
	if (parent && parent->last)
		parent->last->next = node;
	else if (parent)
		parent->children = node;
	if (parent)
		parent->last = node;
	return node;
}

static void begin(struct parser *p, const struct manifest_element *element, const xmlChar *uri,
		  int attributes, const xmlChar **list)
{
	struct manifest_reader *r = p->reader;
	struct level *level = &p->stack[p->top];
	struct manifest_node *parent = (level++)->node;
	int i;

	if (!uri && !p->no_namespace_reported) {
		p->no_namespace_reported = true;
		etw_manifest_warn(r, "elements have no namespace: xmlns=\"" EVENTS_URI
				  "\" is missing");
	}
	r->at.kind = element->name;
	level->element = element;
	level->line = r->at.line;
	level->node = element->list == MANIFEST_SECTION ? parent : add_node(r, element, parent);
	if (!level->node)
		return;
	p->top++;
	for (i = 0; i < attributes; i++)
		read_attribute(p, level, list + (size_t)i * ATTRIBUTE);
	etw_text_cut(&p->capture.text, 0);
}

/* The element's text or XML becomes its value. */
static void end(struct parser *p)
{
	const struct level *level = &p->stack[p->top--];
	struct etw_text *text = &p->capture.text;

	if (level->element->text || level->element->xml)
		level->node->values[0] = keep_value(p, level->element->attributes,
						    text->len ? text->data : "", text->len);
	etw_text_cut(text, 0);
}

/* Is an element of this namespace one of the schema's? */
static bool is_ours(struct parser *p, const xmlChar *uri)
{
	const char *s = (const char *)uri;

	if (!uri)
		return true;
	/* The parser has one copy of each URI. */
	if (uri != p->last_uri)
		p->last_uri_ours = !strcmp(s, EVENTS_URI) ||
				   !strncmp(s, ASSEMBLY_URI, strlen(ASSEMBLY_URI));
	p->last_uri = uri;
	return p->last_uri_ours;
}

static const struct manifest_element *child_of(const struct manifest_element *parent,
					       const xmlChar *name)
{
	const struct manifest_element *const *child = parent->children;

	for (; child && *child; child++)
		if (!strcmp((*child)->name, (const char *)name))
			return *child;
	return NULL;
}

static void skip(struct parser *p, const xmlChar *name, bool ours)
{
	const struct manifest_element *parent = p->stack[p->top].element;
	struct manifest_reader *r = p->reader;

	p->skipped = 1;
	if (!p->top && r->document->line) {
		etw_manifest_error(r, "a second root element %s: ignored", name);
	} else if (!p->top) {
		etw_manifest_fatal(r, "the root element %s is not a manifest: "
				   "it must be instrumentationManifest, instrumentation or assembly",
				   name);
		stop(p);
	} else if (!ours) {
		r->others = true;
	} else if (!parent->any_children) {
		r->at.kind = parent->name;
		etw_manifest_warn(r, "element %s is not known here: ignored", name);
	}
}

/* An element that is in no other. The decoder may find several, and parts of a manifest. */
static const struct manifest_element *root_of(struct parser *p, const xmlChar *name)
{
	struct manifest_reader *r = p->reader;
	const struct manifest_element *whole = child_of(&etw_element_document, name), *element = whole;

	if (!element && r->lenient)
		element = child_of(&etw_element_fragment, name);
	if (!element)
		return NULL;
	if (r->document->line) {
		etw_manifest_error(r, "a second root element %s", name);
		return element;
	}
	if (!whole)
		etw_manifest_error(r, "the root element %s is not a manifest but part of one", name);
	r->document->line = r->at.line;
	return element;
}

/* ----------------------------------------------------------------------- nesting */

/* Is it an element data without any attribute?  A template ends there. */
static bool is_mark(const struct manifest_node *node)
{
	unsigned int i;

	if (!node || node->element != etw_element_template.children[0])
		return false;
	for (i = 0; i < node->element->attribute_count; i++)
		if (node->values[i])
			return false;
	return true;
}

/*
 * The decoder reads on after an error. What the error cost is not known: in a template, at
 * least a field, so that later ones could be anywhere. An element without attributes marks
 * the place.
 */
static void mark_damage(struct parser *p)
{
	const struct level *level = &p->stack[p->top];

	if (p->capture.depth)
		return;
	while (level > p->stack && level->element == etw_element_template.children[0])
		level--;
	if ((level->element == &etw_element_template || level->element == &etw_element_struct) &&
	    !is_mark(level->node->last))
		add_node(p->reader, etw_element_template.children[0], level->node);
}

/*
 * After an element without an end the parser takes all that follows for its children, so
 * a document with ends that do not match is read a second time, by the schema: an element
 * that the open ones do not know is that of the innermost one around them that does, and
 * an end closes the innermost element of its name, or none. The parser's own elements
 * then differ from ours: WRAPPERS around the document keep it from ending too early, and
 * other documents may follow it.
 *
 * Fields behind a structure without an end look like its members: which are is not known.
 */
static void close_to(struct parser *p, unsigned int top)
{
	struct manifest_reader *r = p->reader;
	const struct manifest_place place = r->at;

	while (p->top > top) {
		const struct level *level = &p->stack[p->top];

		etw_manifest_at(r, level->line, level->element->name, NULL);
		etw_manifest_error(r, "has no end");
		if (level->element == &etw_element_struct)
			mark_damage(p);
		end(p);
	}
	r->at = place;
	p->skipped = 0;
}

static void close_for(struct parser *p, const xmlChar *name)
{
	unsigned int top = p->top + 1;

	while (top-- && !child_of(p->stack[top].element, name))
		;
	if (top < p->top || (top == p->top && p->skipped))
		close_to(p, top);
}

/* Of damaged XML in a UserData element nothing is kept. */
static void drop_capture(struct parser *p, struct manifest_node *node)
{
	p->capture.depth = 0;
	p->capture.tag_open = false;
	node->values[0] = NULL;
}

static bool can_contain(const struct manifest_element *element, const char *name)
{
	const struct manifest_element *const *child = element->children;

	for (; child && *child; child++)
		if (!strcmp((*child)->name, name) || can_contain(*child, name))
			return true;
	return false;
}

/*
 * The innermost open element of this name; 0: none. "events" is around a provider and in
 * it: a name that a provider can contain is not searched around the open one.
 */
static unsigned int level_named(const struct parser *p, const char *name)
{
	unsigned int top = p->top;

	while (top && strcmp(p->stack[top].element->name, name)) {
		if (p->stack[top].element == &etw_element_provider &&
		    can_contain(&etw_element_provider, name))
			return 0;
		top--;
	}
	return top;
}

/* An end that need not match */
static void close_named(struct parser *p, const char *name)
{
	struct manifest_node *captured = p->capture.depth ? p->stack[p->top].node : NULL;
	const char *colon = strchr(name, ':');
	unsigned int top;

	name = colon ? colon + 1 : name;
	top = level_named(p, name);
	if (top) {
		close_to(p, top);
		end(p);
		if (captured)
			drop_capture(p, captured);
	} else if (p->skipped) {
		p->skipped--;
	} else if (*name) {
		etw_manifest_at(p->reader, p->xml->input->line, NULL, NULL);
		etw_manifest_error(p->reader, "the end </%s> has no begin: ignored", name);
	}
}

/* --------------------------------------------------------------------- SAX events */

/* The parser searches all namespaces in scope for each element. */
static bool within_limits(struct parser *p, int namespaces)
{
	unsigned int most = p->mending ? OPEN_MAX : MANIFEST_DEPTH_MAX;

	p->reader->at = (struct manifest_place){ .line = line_of_tag(p->xml) };
	/* Elements without an end may be the reason. */
	if (p->depth > most && p->reader->lenient && !p->mending)
		p->misnested = true;
	else if (p->depth > most)
		etw_manifest_fatal(p->reader, "elements are nested deeper than %u", most);
	else if (p->bound + namespaces > MANIFEST_PREFIXES_MAX)
		etw_manifest_fatal(p->reader, "more than %u namespaces are bound",
				   MANIFEST_PREFIXES_MAX);
	else
		return true;
	return false;
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix,
		     const xmlChar *uri, int namespaces, const xmlChar **namespace_list,
		     int attributes, int defaulted, const xmlChar **list)
{
	struct parser *p = context;
	const struct manifest_element *element;
	int i;

	(void)defaulted;
	if (p->reader->broken || p->stopped || (p->wrappers && p->wrappers--))
		return;
	p->depth++;
	if (!within_limits(p, namespaces)) {
		stop(p);
		return;
	}
	for (i = 0; i < namespaces; i++)
		bind_prefix(p, (const char *)namespace_list[2 * i],
			    (const char *)namespace_list[2 * i + 1]);
	p->end_name[0] = '\0';
	if (p->mending && !p->capture.depth && is_ours(p, uri))
		close_for(p, name);
	if (p->skipped) {
		p->skipped++;
		return;
	}
	if (!p->capture.depth) {
		element = !is_ours(p, uri) ? NULL :
			  p->top ? child_of(p->stack[p->top].element, name) : root_of(p, name);
		if (element)
			begin(p, element, uri, attributes, list);
		else
			skip(p, name, is_ours(p, uri));
	}
	if (!p->skipped && p->stack[p->top].element->xml)
		etw_manifest_capture_begin(&p->capture, (const char *)name, (const char *)prefix,
					   (const char *)uri, namespaces, namespace_list,
					   attributes, list);
	stop_on_error(p);
}

static void end_innermost(struct parser *p, const xmlChar *name, const xmlChar *prefix)
{
	if (p->capture.depth)
		etw_manifest_capture_end(&p->capture, (const char *)name, (const char *)prefix);
	if (!p->capture.depth && p->top)
		end(p);
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix,
		   const xmlChar *uri)
{
	struct parser *p = context;

	(void)uri;
	/* After a fatal error, begins are no longer counted. */
	if (p->reader->broken || p->stopped || !p->depth)
		return;
	if (*p->end_name || (p->mending && !p->skipped && !p->capture.depth))
		close_named(p, *p->end_name ? p->end_name : (const char *)name);
	else if (p->skipped)
		p->skipped--;
	else
		end_innermost(p, name, prefix);
	p->end_name[0] = '\0';
	while (p->bound && p->bindings[p->bound - 1].depth == p->depth)
		p->bound--;
	p->depth--;
	stop_on_error(p);
}

static void on_text(void *context, const xmlChar *s, int len)
{
	struct parser *p = context;

	if (p->capture.depth)
		etw_manifest_capture_text(&p->capture, (const char *)s, len);
	else if (!p->skipped && p->stack[p->top].element->text)
		etw_text_add(&p->capture.text, (const char *)s, len);
	stop_on_error(p);
}

/* --------------------------------------------------------------------- document */

static void on_doctype(void *context, const xmlChar *name, const xmlChar *external,
		       const xmlChar *system)
{
	struct parser *p = context;

	(void)name;
	(void)external;
	(void)system;
	p->reader->at = (struct manifest_place){ .line = p->xml->input->line };
	etw_manifest_fatal(p->reader, "a document type definition (DOCTYPE) is not allowed: "
			   "entities are neither fetched nor expanded");
	stop(p);
}

/*
 * Accept encodings that contain ASCII unchanged, as the check of the file's tags
 * requires; UTF-16 has been converted to UTF-8 before.
 */
static void on_document(void *context)
{
	static const char *const families[] = { "ISO-8859-", "windows-125" };
	static const char *const names[] = { "UTF-8", "UTF8", "US-ASCII", "ASCII" };
	struct parser *p = context;
	const xmlParserCtxt *xml = p->xml;
	const xmlChar *encoding = xml->encoding ? xml->encoding : xml->input->encoding;
	size_t i;

	if (!encoding || xml->options & XML_PARSE_IGNORE_ENC)
		return;
	for (i = 0; i < 2; i++)
		if (!xmlStrncasecmp(encoding, (const xmlChar *)families[i], strlen(families[i])))
			return;
	for (i = 0; i < 4; i++)
		if (!xmlStrcasecmp(encoding, (const xmlChar *)names[i]))
			return;
	/*
	 * Programs write UTF-16 in the declaration of a text that they then store as UTF-8.  The
	 * parser ignores these two names only: by UTF-16LE it would read the rest as something
	 * that nobody has checked.
	 */
	if (p->reader->lenient && (!xmlStrcasecmp(encoding, (const xmlChar *)"UTF-16") ||
				   !xmlStrcasecmp(encoding, (const xmlChar *)"UTF16")))
		return;
	p->reader->at.line = xml->input->line;
	etw_manifest_fatal(p->reader, "the encoding %s is not supported: take UTF-8", encoding);
	stop(p);
}

/* An error is long to report, and a hostile file has millions. */
static void give_up(struct parser *p)
{
	etw_problems_make_room(p->reader->problems);
	etw_manifest_error(p->reader, "more than %u errors in the XML: the rest is not read",
			   ERRORS_MAX);
	p->stopped = true;
	xmlStopParser(p->xml);
}

static void keep_damage(struct manifest_reader *r, const xmlError *error)
{
	struct etw_text text = { .data = NULL };

	etw_text_printf(&text, "not well-formed XML: %.*s", (int)strcspn(error->message, "\n"),
			error->message);
	if (text.error)
		etw_manifest_no_memory(r);
	else
		r->damage = etw_manifest_strdup(r->scratch, text.data, text.len);
	r->damage_line = r->at.line;
	etw_text_free(&text);
}

static void read_on(struct parser *p, const xmlError *error)
{
	struct manifest_reader *r = p->reader;

	const bool ends = error->code == XML_ERR_TAG_NAME_MISMATCH;

	if (!r->damage)
		keep_damage(r, error);
	/* The error is freed before the end is reported, which it is not always. */
	p->end_name[0] = '\0';
	if (p->mending && ends)
		snprintf(p->end_name, sizeof(p->end_name), "%s", error->str2 ?: "");
	else
		etw_manifest_error(r, "not well-formed XML: %.*s",
				   (int)strcspn(error->message, "\n"), error->message);
	/* All begins were read. */
	if (!ends)
		mark_damage(p);
	/* The element's end will not be reported: its begin was, without its ">". */
	if (error->code == XML_ERR_GT_REQUIRED && error->str1 && p->depth)
		on_end(p, (const xmlChar *)"", NULL, NULL);
	if (ends || error->code == XML_ERR_GT_REQUIRED ||
	    error->code == XML_ERR_DOCUMENT_END)
		p->misnested = true;
	if (++p->errors > ERRORS_MAX)
		give_up(p);
}

/* The compiler reports only the parser's first error; others follow from it. */
static void on_xml_error(void *context, xmlErrorPtr error)
{
	struct parser *p = context;
	struct manifest_reader *r = p->reader;

	if (error->code == XML_ERR_NO_MEMORY) {
		etw_manifest_no_memory(r);
		return;
	}
	if (error->level <= XML_ERR_WARNING || r->broken || p->stopped || !error->message)
		return;
	if (error->code == XML_ERR_TAG_NOT_FINISHED && error->str1 &&
	    !strcmp(error->str1, MANIFEST_WRAPPER))
		return;
	r->at = (struct manifest_place){ .line = error->line > 0 ? error->line : 1 };
	if (r->lenient) {
		read_on(p, error);
		return;
	}
	r->broken = true;
	etw_manifest_fatal(r, "not well-formed XML: %.*s", (int)strcspn(error->message, "\n"),
			   error->message);
}

static void set_up(struct parser *p, const struct manifest_input *input)
{
	/*
	 * NOENT: replaces character references; there are no other references. HUGE:
	 * our own size limit applies, and the parser's limits reject some files of more
	 * than 10 MB, depending on their last bytes.
	 */
	int options = XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_HUGE;
	xmlSAXHandler *sax = p->xml->sax;

	if (p->reader->lenient)
		options |= XML_PARSE_RECOVER;
	if (input->converted)
		options |= XML_PARSE_IGNORE_ENC;
	xmlCtxtUseOptions(p->xml, options);
	memset(sax, 0, sizeof(*sax));
	sax->initialized = XML_SAX2_MAGIC;
	sax->startDocument = on_document;
	sax->startElementNs = on_start;
	sax->endElementNs = on_end;
	sax->characters = on_text;
	sax->ignorableWhitespace = on_text;
	sax->cdataBlock = on_text;
	sax->internalSubset = on_doctype;
	sax->serror = on_xml_error;
	p->xml->userData = p;
}

static void init_xml(void)
{
	xmlInitParser();
}

/* False: out of memory */
static bool run(struct parser *p, const struct manifest_input *input)
{
	struct manifest_reader *r = p->reader;

	r->document = add_node(r, &etw_element_document, NULL);
	if (!r->document)
		return false;
	r->document->line = 0;	/* until there is a root */
	p->stack[0] = (struct level){ .element = &etw_element_document, .node = r->document };
	p->xml = xmlCreateMemoryParserCtxt(input->data, (int)input->size);
	if (!p->xml) {
		etw_manifest_no_memory(r);
		return false;
	}
	set_up(p, input);
	xmlParseDocument(p->xml);
	if (!p->xml->wellFormed && !r->broken && !r->err && !r->lenient) {
		r->at = (struct manifest_place){ .line = 1 };
		etw_manifest_fatal(r, "not well-formed XML");
		r->broken = true;
	}
	xmlFreeParserCtxt(p->xml);
	etw_text_free(&p->capture.text);
	return true;
}

/* Free all that was allocated there. False: out of memory */
static bool clear(struct etw_manifest **arena)
{
	struct etw_manifest *empty = etw_manifest_new((*arena)->file);

	if (!empty)
		return false;
	etw_manifest_put(*arena);
	*arena = empty;
	return true;
}

/* Forget the first reading, and read again. */
static void read_again(struct parser *p, const struct manifest_input *input,
			 const struct etw_problems *before)
{
	struct manifest_reader *r = p->reader;
	struct manifest_input wrapped = *input;

	if (r->problems)
		etw_problems_cut(r->problems, before);
	r->broken = false;
	r->damage = NULL;
	*p = (struct parser){ .reader = r, .mending = true, .wrappers = WRAPPERS };
	if (clear(&r->manifest) && clear(&r->scratch) &&
	    etw_manifest_wrap(r, &wrapped, WRAPPERS))
		run(p, &wrapped);
	else
		etw_manifest_no_memory(r);
}

bool etw_manifest_parse(struct manifest_reader *r, const struct manifest_input *input)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct etw_problems before = r->problems ? *r->problems : (struct etw_problems){ .count = 0 };
	struct parser p = { .reader = r };
	xmlStructuredErrorFunc old;
	void *old_context;

	pthread_once(&once, init_xml);
	/* Conversion errors go to the thread's handler, which would print them. */
	old = xmlStructuredError;
	old_context = xmlStructuredErrorContext;
	xmlSetStructuredErrorFunc(&p, on_xml_error);
	if (run(&p, input) && p.misnested && !r->wrong && !r->err)
		read_again(&p, input, &before);
	xmlSetStructuredErrorFunc(old_context, old);
	return !r->err && !r->broken;
}
