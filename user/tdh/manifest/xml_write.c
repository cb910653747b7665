/* SPDX-License-Identifier: MIT */
/*
 * xml_write.c - write a provider's schema as an XML manifest
 *
 * The XML is written from the model, independent of its source, and without the file's
 * other providers. It is read back before it is returned.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest.h"
#include "xml_write.h"
#include "base/xml_escape.h"

/* The manifest being written */
struct xml {
	struct etw_text *out;
	const struct etw_mf_provider *provider;
	bool *used;	/* messages that the XML refers to, by index in the manifest */
	bool plain;	/* leave out the types of channels, which have their own rules */
};

static void puts_(struct xml *x, const char *s)
{
	etw_text_puts(x->out, s);
}

/* ---------------------------------------------------------------- attributes */

static void put_attr(struct xml *x, const char *name, const char *value)
{
	if (!value)
		return;
	etw_text_printf(x->out, " %s=\"", name);
	etw_text_xml(x->out, value, strlen(value), ETW_XML_ATTRIBUTE);
	etw_text_char(x->out, '"');
}

static void put_number(struct xml *x, const char *name, uint64_t value)
{
	etw_text_printf(x->out, " %s=\"%llu\"", name, (unsigned long long)value);
}

static void put_guid(struct xml *x, const char *name, const GUID *guid)
{
	static const GUID none;

	if (!memcmp(guid, &none, sizeof(none)))
		return;
	etw_text_printf(x->out, " %s=\"{", name);
	etw_text_guid(x->out, guid);
	puts_(x, "}\"");
}

static void put_message(struct xml *x, const struct etw_mf_message *message)
{
	const struct etw_manifest *manifest = x->provider->manifest;
	struct etw_text ref = { 0 };

	if (!message || message->standard)
		return;
	if (!message->id || message < manifest->messages ||
	    message >= manifest->messages + manifest->message_count) {
		put_attr(x, "message", message->text[0]);
		return;
	}
	x->used[message - manifest->messages] = true;
	etw_text_printf(&ref, "$(string.%s)", message->id);
	if (ref.error)
		x->out->error = ref.error;
	else
		put_attr(x, "message", ref.data);
	etw_text_free(&ref);
}

/* The inverse of etw_manifest_convert() */
static void put_member(struct xml *x, const struct manifest_attribute *a, const void *member)
{
	const void *const *pointer = member;
	uint64_t number = 0;

	memcpy(&number, member, a->size < sizeof(number) ? a->size : sizeof(number));
	switch (a->type) {
	case MANIFEST_NUMBER:
		if (number >= a->least && number <= a->most)
			put_number(x, a->name, number);
		break;
	case MANIFEST_BIT:
		etw_text_printf(x->out, " %s=\"0x%llx\"", a->name, (unsigned long long)number);
		break;
	case MANIFEST_BOOL:
		put_attr(x, a->name, number ? "true" : NULL);
		break;
	case MANIFEST_GUID:
		put_guid(x, a->name, member);
		break;
	case MANIFEST_CHOICE:
		put_attr(x, a->name, a->choices[number]);
		break;
	case MANIFEST_MESSAGE:
	case MANIFEST_EVENT_MESSAGE:
		put_message(x, *pointer);
		if (a->required && !*pointer)
			put_attr(x, a->name, "");
		break;
	case MANIFEST_REFERENCE:
	case MANIFEST_NAMES:
		if (*pointer)
			put_attr(x, a->name, *(const char *const *)((const char *)*pointer + a->most));
		break;
	default:
		put_attr(x, a->name, *pointer);
	}
}

/* The beginning of the element's tag, with all attributes that are members */
static void open_tag(struct xml *x, const struct manifest_element *element, const void *object)
{
	const struct manifest_attribute *a = element->attributes;

	etw_text_printf(x->out, " <%s", element->name);
	for (; a < element->attributes + element->attribute_count; a++)
		if (a->size)
			put_member(x, a, (const char *)object + a->offset);
}

static void put_element(struct xml *x, const struct manifest_element *element, const void *object)
{
	open_tag(x, element, object);
	puts_(x, "/>\n");
}

/* The tag of a section; nothing if it is empty */
static void section(struct xml *x, const char *slash, const char *name, unsigned int count)
{
	if (count)
		etw_text_printf(x->out, "<%s%s>\n", slash, name);
}

/* A section whose elements are alike */
static void list(struct xml *x, const char *name, const struct manifest_element *element,
		 const void *objects, size_t size, unsigned int count)
{
	unsigned int i;

	section(x, "", name, count);
	for (i = 0; i < count; i++)
		put_element(x, element, (const char *)objects + i * size);
	section(x, "/", name, count);
}

/* ----------------------------------------------------------------------- maps */

static void map(struct xml *x, const struct etw_mf_map *m)
{
	const struct manifest_element *element = &etw_element_maps[m->kind];
	unsigned int i;

	open_tag(x, element, m);
	puts_(x, ">\n");
	for (i = 0; i < m->count; i++)
		put_element(x, element->children[0], &m->entries[i]);
	etw_text_printf(x->out, " </%s>\n", element->name);
}

static void maps(struct xml *x, const char *name, bool patterns)
{
	const struct etw_mf_provider *p = x->provider;
	unsigned int i, count = 0;

	for (i = 0; i < p->map_count; i++)
		count += (p->maps[i].kind == ETW_MAP_PATTERN) == patterns;
	section(x, "", name, count);
	for (i = 0; i < p->map_count; i++)
		if ((p->maps[i].kind == ETW_MAP_PATTERN) == patterns)
			map(x, &p->maps[i]);
	section(x, "/", name, count);
}

/* ------------------------------------------------------------------ templates */

/* Is the type also defined by XML Schema? */
static bool is_xs(uint16_t out_type)
{
	return out_type <= TDH_OUTTYPE_HEXBINARY;
}

static void field(struct xml *x, const struct etw_mf_template *t, const struct etw_mf_field *f)
{
	if (f->flags & ETW_MF_COUNT_FIELD)
		put_attr(x, "count", t->fields[f->count].name);
	else if (f->flags & ETW_MF_COUNT_FIXED)
		put_number(x, "count", f->count);
	if (f->flags & ETW_MF_STRUCT)
		return;
	etw_text_printf(x->out, " inType=\"win:%s\"", etw_manifest_in_type_name(f->in_type));
	if (f->out_type && f->out_type != etw_manifest_default_out_type(f->in_type))
		etw_text_printf(x->out, " outType=\"%s:%s\"", is_xs(f->out_type) ? "xs" : "win",
				etw_manifest_out_type_name(f->out_type));
	if (f->flags & ETW_MF_LENGTH_FIELD)
		put_attr(x, "length", t->fields[f->length].name);
	else if (f->length)
		put_number(x, "length", f->length);
	if (f->map)
		put_attr(x, "map", f->map->name);
	if (f->flags & ETW_MF_TAGS)
		put_number(x, "tags", f->tags);
}

static void fields(struct xml *x, const struct etw_mf_template *t)
{
	const struct etw_mf_field *f, *member;
	unsigned int i;

	for (i = 0; i < t->top; i++) {
		bool is_struct;

		f = &t->fields[i];
		is_struct = f->flags & ETW_MF_STRUCT;

		puts_(x, is_struct ? "  <struct" : "  <data");
		put_attr(x, "name", f->name);
		field(x, t, f);
		if (!is_struct) {
			puts_(x, "/>\n");
			continue;
		}
		puts_(x, ">\n");
		member = t->fields + f->first;
		for (; member < t->fields + f->first + f->members; member++) {
			puts_(x, "   <data");
			put_attr(x, "name", member->name);
			field(x, t, member);
			puts_(x, "/>\n");
		}
		puts_(x, "  </struct>\n");
	}
}

static void templates(struct xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_template *t;
	unsigned int i;

	section(x, "", "templates", p->template_count);
	for (i = 0; i < p->template_count; i++) {
		t = &p->templates[i];
		open_tag(x, &etw_element_template, t);
		puts_(x, ">\n");
		fields(x, t);
		puts_(x, " </template>\n");
	}
	section(x, "/", "templates", p->template_count);
}

/* -------------------------------------------------------- channels, tasks, events */

static void channels(struct xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	unsigned int i;

	section(x, "", "channels", p->channel_count);
	for (i = 0; i < p->channel_count; i++) {
		struct etw_mf_channel c = p->channels[i];

		if (x->plain)
			c.type = ETW_CHANNEL_OPERATIONAL;
		put_element(x, c.imported ? &etw_element_import : &etw_element_channel, &c);
	}
	section(x, "/", "channels", p->channel_count);
}

static void opcodes(struct xml *x, const struct etw_mf_named *opcode, unsigned int count)
{
	list(x, "opcodes", &etw_element_opcode, opcode, sizeof(*opcode), count);
}

static void tasks(struct xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_task *t;
	unsigned int i;

	section(x, "", "tasks", p->task_count);
	for (i = 0; i < p->task_count; i++) {
		t = &p->tasks[i];
		open_tag(x, &etw_element_task, t);
		puts_(x, ">\n");
		opcodes(x, t->opcodes, t->opcode_count);
		puts_(x, " </task>\n");
	}
	section(x, "/", "tasks", p->task_count);
}

static void keyword_names(struct xml *x, uint64_t bits)
{
	struct etw_text names = { 0 };
	const struct etw_mf_named *k;

	for (; bits; bits &= bits - 1) {
		k = etw_mf_part(x->provider, ETW_PART_KEYWORD, bits & -bits);
		if (k && names.len)
			etw_text_char(&names, ' ');
		if (k)
			etw_text_puts(&names, k->name);
	}
	if (names.error)
		x->out->error = names.error;
	else if (names.len)
		put_attr(x, "keywords", names.data);
	etw_text_free(&names);
}

static void events(struct xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_event *e;
	unsigned int i;

	puts_(x, "<events>\n");
	for (i = 0; i < p->event_count; i++) {
		e = &p->events[i];
		open_tag(x, &etw_element_event, e);
		keyword_names(x, e->keywords);
		puts_(x, "/>\n");
	}
	puts_(x, "</events>\n");
}

/* ------------------------------------------------------------------- the document */

static void strings(struct xml *x)
{
	const struct etw_manifest *m = x->provider->manifest;
	unsigned int culture, i;

	puts_(x, "<localization>\n");
	for (culture = 0; culture < m->culture_count; culture++) {
		puts_(x, "<resources");
		put_attr(x, "culture", m->cultures[culture]);
		puts_(x, ">\n<stringTable>\n");
		for (i = 0; i < m->message_count; i++) {
			const char *text = m->messages[i].text[culture];

			if (!x->used[i] || !text)
				continue;
			puts_(x, " <string");
			put_attr(x, "id", m->messages[i].id);
			put_attr(x, "value", text);
			puts_(x, "/>\n");
		}
		puts_(x, "</stringTable>\n</resources>\n");
	}
	puts_(x, "</localization>\n");
}

static void provider(struct xml *x)
{
	struct etw_mf_provider p = *x->provider;

	if (!p.has_control_guid)
		memset(&p.control_guid, 0, sizeof(p.control_guid));
	if (!p.symbol || !etw_manifest_is_symbol(p.symbol))
		p.symbol = "Provider";
	/* Windows' tools require both. */
	if (!p.resource_file)
		p.resource_file = p.name;
	if (!p.message_file)
		p.message_file = p.name;
	open_tag(x, &etw_element_provider, &p);
	puts_(x, ">\n");
	if (p.has_traits)
		put_element(x, &etw_element_traits, &p);
	channels(x);
	list(x, "levels", &etw_element_level, p.levels, sizeof(*p.levels), p.level_count);
	tasks(x);
	opcodes(x, p.opcodes, p.opcode_count);
	list(x, "keywords", &etw_element_keyword, p.keywords, sizeof(*p.keywords), p.keyword_count);
	maps(x, "maps", false);
	maps(x, "namedQueries", true);
	templates(x);
	events(x);
	list(x, "filters", &etw_element_filter, p.filters, sizeof(*p.filters), p.filter_count);
	puts_(x, "</provider>\n");
}

static void document(struct xml *x)
{
	puts_(x, "<instrumentationManifest "
	      "xmlns=\"http://schemas.microsoft.com/win/2004/08/events\">\n"
	      "<instrumentation xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" "
	      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
	      "xmlns:win=\"http://manifests.microsoft.com/win/2004/08/windows/events\">\n"
	      "<events xmlns=\"http://schemas.microsoft.com/win/2004/08/events\">\n");
	provider(x);
	puts_(x, "</events>\n</instrumentation>\n");
	strings(x);
	puts_(x, "</instrumentationManifest>\n");
}

/* Can the XML be read, strictly or for decoding, with the same number of events? */
static int check(const struct etw_mf_provider *p, bool strict, const char *data, size_t size)
{
	struct etw_manifest *again;
	struct etw_problems problems = { .count = 0 };
	int err = strict ? etw_manifest_check_memory(data, size, "", &again, &problems) :
			   etw_manifest_read_memory(data, size, "", &again, &problems);

	etw_problems_free(&problems);
	if (err)
		return err;
	if (!again->provider_count || again->providers[0].event_count != p->event_count)
		err = -EINVAL;
	etw_manifest_put(again);
	return err;
}

int etw_manifest_xml(const struct etw_mf_provider *provider, struct etw_text *out)
{
	struct xml x = { .out = out, .provider = provider };
	size_t start = out->len;
	int err, i;

	/* Other tools' readers have the compiler's rules, so try to follow them first. */
	for (i = 0; i < 3; i++) {
		x.plain = i == 1;
		x.used = calloc(provider->manifest->message_count + 1, sizeof(*x.used));
		if (!x.used)
			return -ENOMEM;
		document(&x);
		free(x.used);
		if (out->error)
			return -ENOMEM;
		err = check(provider, i < 2, out->data + start, out->len - start);
		if (err != -EINVAL)
			return err;
		etw_text_cut(out, start);
	}
	return err;
}
