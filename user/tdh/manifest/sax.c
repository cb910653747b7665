/* SPDX-License-Identifier: MIT */
/*
 * sax.c - map the XML parser's events to the elements of the schema
 *
 * No document tree is built. A DOCTYPE is rejected before it is read, so there are no
 * entities except XML's own five: nothing is fetched, and nothing expands.
 */
#include <errno.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <pthread.h>
#include <string.h>

#include "manifest.h"

#define EVENTS_URI	"http://schemas.microsoft.com/win/2004/08/events"
#define ASSEMBLY_URI	"urn:schemas-microsoft-com:asm."	/* and a version */
#define ATTRIBUTE	5	/* strings for each: name, prefix, URI, value, its end */

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

static void stop(struct etw_mx *x)
{
	x->broken = true;
	xmlStopParser(x->xml);
}

/* Is an element of this namespace one of the schema's? */
static bool is_ours(struct etw_mx *x, const xmlChar *uri)
{
	const char *s = (const char *)uri;

	/* The parser has one copy of each URI. */
	if (uri && uri == x->last_uri)
		return x->last_uri_ours;
	if (!uri)
		return true;
	x->last_uri = uri;
	x->last_uri_ours = !strcmp(s, EVENTS_URI) ||
			   !strncmp(s, ASSEMBLY_URI, strlen(ASSEMBLY_URI));
	return x->last_uri_ours;
}

static const struct manifest_element *child_of(const struct manifest_element *parent, const xmlChar *name)
{
	const struct manifest_element *const *child = parent->children;

	for (; child && *child; child++)
		if (!strcmp((*child)->name, (const char *)name))
			return *child;
	return NULL;
}

static void attribute(struct etw_mx *x, const struct manifest_element *element,
		      const xmlChar *const *a)
{
	const char *name = (const char *)a[0];
	unsigned int slot;

	/* Attributes with a prefix are not the schema's: xsi:schemaLocation, xml:space, ... */
	if (a[2] || !element->attributes)
		return;
	for (slot = 0; element->attributes[slot]; slot++) {
		if (strcmp(element->attributes[slot], name))
			continue;
		x->values[slot].s = (const char *)a[3];
		x->values[slot].len = a[4] - a[3];
		return;
	}
	etw_mx_warn(x, x->line, element->name, NULL, "attribute %s is not known: ignored", name);
}

static void stop_on_error(struct etw_mx *x)
{
	if (x->text.error)
		etw_mx_no_memory(x);
	if (x->err)
		stop(x);
}

/* The number of open elements */
static unsigned int open_elements(const struct etw_mx *x)
{
	return x->depth + x->skipped + x->captured;
}

/* The parser searches all namespaces in scope for each element. */
static bool within_limits(struct etw_mx *x, int namespaces)
{
	if (open_elements(x) >= MX_DEPTH_MAX) {
		etw_mx_error(x, line_of_tag(x->xml), NULL, NULL,
			     "elements are nested deeper than %u", MX_DEPTH_MAX);
		return false;
	}
	if (x->bound + namespaces > MX_PREFIXES_MAX) {
		etw_mx_error(x, line_of_tag(x->xml), NULL, NULL,
			     "more than %u namespaces are bound", MX_PREFIXES_MAX);
		return false;
	}
	x->bound += namespaces;
	x->bound_by[open_elements(x)] = namespaces;
	return true;
}

static void say_no_namespace(struct etw_mx *x)
{
	if (!x->no_namespace_said)
		etw_mx_warn(x, x->line, NULL, NULL,
			    "elements have no namespace: xmlns=\"" EVENTS_URI "\" is missing");
	x->no_namespace_said = true;
}

static void begin(struct etw_mx *x, const struct manifest_element *element, const xmlChar *uri,
		  int attributes, const xmlChar **list)
{
	int i;

	if (!uri)
		say_no_namespace(x);

	x->stack[x->depth++] = element;
	memset(x->values, 0, sizeof(x->values));
	for (i = 0; i < attributes; i++)
		attribute(x, element, list + (size_t)i * ATTRIBUTE);
	etw_text_cut(&x->text, 0);
	if (element->begin)
		element->begin(x);
}

static void pass_over(struct etw_mx *x, const xmlChar *name, const xmlChar *uri)
{
	const struct manifest_element *parent = x->stack[x->depth - 1];

	x->skipped = 1;
	if (parent == &etw_mx_root) {
		etw_mx_error(x, x->line, NULL, NULL,
			     "the root element %s is no manifest: "
			     "it must be instrumentationManifest, instrumentation or assembly",
			     name);
		stop(x);
	} else if (uri && !x->last_uri_ours) {
		x->others = true;
	} else if (!parent->any_children) {
		etw_mx_warn(x, x->line, parent->name, NULL,
			    "element %s is not known here: ignored", name);
	}
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix,
		     const xmlChar *uri, int namespaces, const xmlChar **namespace_list,
		     int attributes, int defaulted, const xmlChar **list)
{
	struct etw_mx *x = context;
	const struct manifest_element *element;
	int i;

	(void)defaulted;
	if (x->broken)
		return;
	if (!within_limits(x, namespaces)) {
		stop(x);
		return;
	}
	if (x->skipped) {
		x->skipped++;
		return;
	}
	if (!x->captured) {
		x->line = line_of_tag(x->xml);
		for (i = 0; i < namespaces; i++)
			etw_mx_prefix_bind(x, (const char *)namespace_list[2 * i],
					   (const char *)namespace_list[2 * i + 1]);
		element = is_ours(x, uri) ? child_of(x->stack[x->depth - 1], name) : NULL;
		if (element)
			begin(x, element, uri, attributes, list);
		else
			pass_over(x, name, uri);
	}
	if (x->captured || (!x->skipped && x->stack[x->depth - 1]->xml))
		etw_mx_capture_begin(x, (const char *)name, (const char *)prefix,
				     (const char *)uri, namespaces, namespace_list, attributes,
				     list);
	stop_on_error(x);
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix,
		   const xmlChar *uri)
{
	struct etw_mx *x = context;
	const struct manifest_element *element = x->stack[x->depth - 1];

	(void)uri;
	/* After a fatal error, begins are no longer counted. */
	if (x->broken)
		return;
	if (x->captured) {
		etw_mx_capture_end(x, (const char *)name, (const char *)prefix);
		x->bound -= x->bound_by[open_elements(x)];
		if (x->captured)
			return;
	} else if (x->skipped) {
		x->skipped--;
		x->bound -= x->bound_by[open_elements(x)];
		etw_mx_prefix_unbind(x);
		return;
	}
	if (element->end)
		element->end(x);
	x->depth--;
	if (!element->xml)
		x->bound -= x->bound_by[open_elements(x)];
	etw_text_cut(&x->text, 0);
	etw_mx_prefix_unbind(x);
	stop_on_error(x);
}

static void on_text(void *context, const xmlChar *s, int len)
{
	struct etw_mx *x = context;

	if (x->captured)
		etw_mx_capture_text(x, (const char *)s, len);
	else if (!x->skipped && x->stack[x->depth - 1]->text)
		etw_text_add(&x->text, (const char *)s, len);
	stop_on_error(x);
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *external,
		       const xmlChar *system)
{
	struct etw_mx *x = context;
	xmlParserCtxt *xml = x->xml;

	(void)name;
	(void)external;
	(void)system;
	etw_mx_error(x, xml->input->line, NULL, NULL,
		     "a document type definition (DOCTYPE) is not allowed: "
		     "entities are neither fetched nor expanded");
	stop(x);
}

/*
 * Accept encodings that contain ASCII unchanged, as the check of the file's tags
 * requires; UTF-16 has been converted to UTF-8 before.
 */
static void on_document(void *context)
{
	static const char *const families[] = { "ISO-8859-", "windows-125" };
	static const char *const names[] = { "UTF-8", "UTF8", "US-ASCII", "ASCII" };
	struct etw_mx *x = context;
	const xmlParserCtxt *xml = x->xml;
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
	etw_mx_error(x, xml->input->line, NULL, NULL,
		     "the encoding %s is not supported: take UTF-8", encoding);
	stop(x);
}

/* Report only the parser's first error; others follow from it. */
static void on_xml_error(void *context, xmlErrorPtr error)
{
	struct etw_mx *x = context;
	size_t len;

	if (error->code == XML_ERR_NO_MEMORY) {
		etw_mx_no_memory(x);
		return;
	}
	if (error->level <= XML_ERR_WARNING || x->broken || !error->message)
		return;
	x->broken = true;
	len = strcspn(error->message, "\n");
	etw_mx_error(x, error->line > 0 ? error->line : 0, NULL, NULL, "not well-formed XML: %.*s",
		     (int)len, error->message);
}

static void set_up(struct etw_mx *x, xmlParserCtxt *xml, bool converted)
{
	/*
	 * NOENT: replaces character references; there are no other references. HUGE:
	 * our own size limit applies, and the parser's limits reject some files of more
	 * than 10 MB, depending on their last bytes.
	 */
	int options = XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_HUGE;

	if (converted)
		options |= XML_PARSE_IGNORE_ENC;
	xmlCtxtUseOptions(xml, options);
	memset(xml->sax, 0, sizeof(*xml->sax));
	xml->sax->initialized = XML_SAX2_MAGIC;
	xml->sax->startDocument = on_document;
	xml->sax->startElementNs = on_start;
	xml->sax->endElementNs = on_end;
	xml->sax->characters = on_text;
	xml->sax->ignorableWhitespace = on_text;
	xml->sax->cdataBlock = on_text;
	xml->sax->internalSubset = on_doctype;
	xml->sax->serror = on_xml_error;
	xml->userData = x;
	x->xml = xml;
	x->stack[0] = &etw_mx_root;
	x->depth = 1;
}

static void init_xml(void)
{
	xmlInitParser();
}

int etw_mx_parse(struct etw_mx *x, const char *data, size_t size, bool converted)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	xmlStructuredErrorFunc old;
	xmlParserCtxt *xml;
	void *old_context;

	pthread_once(&once, init_xml);
	/* Conversion errors go to the thread's handler, which would print them. */
	old = xmlStructuredError;
	old_context = xmlStructuredErrorContext;
	xmlSetStructuredErrorFunc(x, on_xml_error);
	xml = xmlCreateMemoryParserCtxt(data, (int)size);
	if (xml) {
		set_up(x, xml, converted);
		xmlParseDocument(xml);
		if (!xml->wellFormed && !x->broken && !x->err) {
			etw_mx_error(x, 0, NULL, NULL, "not well-formed XML");
			x->broken = true;
		}
		xmlFreeParserCtxt(xml);
	} else {
		etw_mx_no_memory(x);
	}
	xmlSetStructuredErrorFunc(old_context, old);
	x->xml = NULL;
	return x->err;
}
