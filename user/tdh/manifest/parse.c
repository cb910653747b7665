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
#include <string.h>

#include "manifest.h"

#define EVENTS_URI	"http://schemas.microsoft.com/win/2004/08/events"
#define ASSEMBLY_URI	"urn:schemas-microsoft-com:asm."	/* and a version */
#define ATTRIBUTE	5	/* strings for each: name, prefix, URI, value, its end */

/* An open element */
struct level {
	const struct manifest_element *element;
	struct manifest_node *node;	/* of a section: that of the element around it */
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
		if (strcmp(element->attributes[i].name, name))
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
	/* The decoder may find more than one root. */
	if (!p->top && r->document->children) {
		etw_manifest_error(r, "a second root element %s: ignored", name);
	} else if (!p->top) {
		etw_manifest_fatal(r, "the root element %s is no manifest: "
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

/* The parser searches all namespaces in scope for each element. */
static bool within_limits(struct parser *p, int namespaces)
{
	p->reader->at = (struct manifest_place){ .line = line_of_tag(p->xml) };
	if (p->depth > MANIFEST_DEPTH_MAX)
		etw_manifest_fatal(p->reader, "elements are nested deeper than %u",
				   MANIFEST_DEPTH_MAX);
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
	if (p->reader->broken)
		return;
	p->depth++;
	if (!within_limits(p, namespaces)) {
		stop(p);
		return;
	}
	for (i = 0; i < namespaces; i++)
		bind_prefix(p, (const char *)namespace_list[2 * i],
			    (const char *)namespace_list[2 * i + 1]);
	if (p->skipped) {
		p->skipped++;
		return;
	}
	if (!p->capture.depth) {
		element = is_ours(p, uri) ? child_of(p->stack[p->top].element, name) : NULL;
		if (!element && !p->top && p->reader->lenient && is_ours(p, uri)) {
			element = child_of(&etw_element_fragment, name);
			if (element)
				etw_manifest_error(p->reader, "the root element %s is no manifest, "
						   "but part of one", name);
		}
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

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix,
		   const xmlChar *uri)
{
	struct parser *p = context;

	(void)uri;
	/* After a fatal error, begins are no longer counted. */
	if (p->reader->broken || !p->depth)
		return;
	if (p->capture.depth)
		etw_manifest_capture_end(&p->capture, (const char *)name, (const char *)prefix);
	if (p->skipped)
		p->skipped--;
	else if (!p->capture.depth && p->top)
		end(p);
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

/*
 * The decoder reads on after an error. What the error cost is not known: in a template, at
 * least a field, so that later ones could be anywhere. An element without attributes marks
 * the place.
 */
static void mark_damage(struct parser *p)
{
	const struct level *level = &p->stack[p->top];

	if (level->element == &etw_element_template || level->element == &etw_element_struct)
		add_node(p->reader, etw_element_template.children[0], level->node);
}

static void read_on(struct parser *p, const xmlError *error)
{
	struct manifest_reader *r = p->reader;
	struct etw_text text = { .data = NULL };

	etw_text_printf(&text, "not well-formed XML: %.*s", (int)strcspn(error->message, "\n"),
			error->message);
	if (text.error) {
		etw_manifest_no_memory(r);
	} else {
		etw_manifest_error(r, "%s", text.data);
		if (!r->damage) {
			r->damage = etw_manifest_strdup(r->scratch, text.data, text.len);
			r->damage_line = r->at.line;
		}
	}
	etw_text_free(&text);
	mark_damage(p);
	/* The element's end will not be reported: its begin was, without its ">". */
	if (error->code == XML_ERR_GT_REQUIRED && error->str1 && p->depth)
		on_end(p, (const xmlChar *)"", NULL, NULL);
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
	if (error->level <= XML_ERR_WARNING || r->broken || !error->message)
		return;
	r->at = (struct manifest_place){ .line = error->line > 0 ? error->line : 0 };
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

bool etw_manifest_parse(struct manifest_reader *r, const struct manifest_input *input)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct parser p = { .reader = r };
	xmlStructuredErrorFunc old;
	void *old_context;

	r->document = add_node(r, &etw_element_document, NULL);
	if (!r->document)
		return false;
	p.stack[0] = (struct level){ &etw_element_document, r->document };
	pthread_once(&once, init_xml);
	/* Conversion errors go to the thread's handler, which would print them. */
	old = xmlStructuredError;
	old_context = xmlStructuredErrorContext;
	xmlSetStructuredErrorFunc(&p, on_xml_error);
	p.xml = xmlCreateMemoryParserCtxt(input->data, (int)input->size);
	if (p.xml) {
		set_up(&p, input);
		xmlParseDocument(p.xml);
		if (!p.xml->wellFormed && !r->broken && !r->err && !r->lenient) {
			r->at = (struct manifest_place){ .line = 0 };
			etw_manifest_fatal(r, "not well-formed XML");
			r->broken = true;
		}
		xmlFreeParserCtxt(p.xml);
	} else {
		etw_manifest_no_memory(r);
	}
	xmlSetStructuredErrorFunc(old_context, old);
	etw_text_free(&p.capture.text);
	return !r->err && !r->broken;
}
