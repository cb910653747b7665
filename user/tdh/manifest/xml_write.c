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

static void guid_attr(struct xml *x, const char *name, const GUID *guid)
{
	etw_text_printf(x->out, " %s=\"{", name);
	etw_text_guid(x->out, guid);
	puts_(x, "}\"");
}

static void hex_attr(struct xml *x, const char *name, uint64_t value)
{
	etw_text_printf(x->out, " %s=\"0x%llx\"", name, (unsigned long long)value);
}

static void put_message(struct xml *x, const struct etw_mf_message *message)
{
	const struct etw_manifest *manifest = x->provider->manifest;
	struct etw_text ref = { 0 };

	if (!message || etw_standard_message(message))
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

/* ----------------------------------------------------------------------- maps */

static void map(struct xml *x, const struct etw_mf_map *m)
{
	static const char *const kinds[] = {
		[ETW_MAP_VALUE] = "valueMap", [ETW_MAP_BITS] = "bitMap",
		[ETW_MAP_PATTERN] = "patternMap",
	};
	const struct etw_mf_map_entry *e;

	etw_text_printf(x->out, " <%s", kinds[m->kind]);
	put_attr(x, "name", m->name);
	put_attr(x, "symbol", m->symbol);
	put_attr(x, "format", m->format);
	etw_text_puts(x->out, ">\n");
	for (e = m->entries; e < m->entries + m->count; e++) {
		etw_text_puts(x->out, "  <map");
		put_attr(x, "symbol", e->symbol);
		if (m->kind == ETW_MAP_PATTERN) {
			put_attr(x, "name", e->name);
			put_attr(x, "value", e->text);
		} else {
			put_number(x, "value", e->value);
			if (e->message)
				put_message(x, e->message);
			else
				put_attr(x, "message", "");
		}
		etw_text_puts(x->out, "/>\n");
	}
	etw_text_printf(x->out, " </%s>\n", kinds[m->kind]);
}

static void some_maps(struct xml *x, const char *element, bool patterns)
{
	const struct etw_mf_provider *p = x->provider;
	bool any = false;
	unsigned int i;

	for (i = 0; i < p->map_count; i++) {
		if ((p->maps[i].kind == ETW_MAP_PATTERN) != patterns)
			continue;
		if (!any)
			etw_text_printf(x->out, "<%s>\n", element);
		any = true;
		map(x, &p->maps[i]);
	}
	if (any)
		etw_text_printf(x->out, "</%s>\n", element);
}

static void maps(struct xml *x)
{
	some_maps(x, "maps", false);
	some_maps(x, "namedQueries", true);
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
	etw_text_printf(x->out, " inType=\"win:%s\"", etw_mx_in_type_name(f->in_type));
	if (f->out_type && f->out_type != etw_mx_default_out_type(f->in_type))
		etw_text_printf(x->out, " outType=\"%s:%s\"", is_xs(f->out_type) ? "xs" : "win",
				etw_mx_out_type_name(f->out_type));
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

	for (f = t->fields; f < t->fields + t->top; f++) {
		bool is_struct = f->flags & ETW_MF_STRUCT;

		etw_text_puts(x->out, is_struct ? "  <struct" : "  <data");
		put_attr(x, "name", f->name);
		field(x, t, f);
		if (!is_struct) {
			etw_text_puts(x->out, "/>\n");
			continue;
		}
		etw_text_puts(x->out, ">\n");
		member = t->fields + f->first;
		for (; member < t->fields + f->first + f->members; member++) {
			etw_text_puts(x->out, "   <data");
			put_attr(x, "name", member->name);
			field(x, t, member);
			etw_text_puts(x->out, "/>\n");
		}
		etw_text_puts(x->out, "  </struct>\n");
	}
}

static void templates(struct xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_template *t;

	if (!p->template_count)
		return;
	etw_text_puts(x->out, "<templates>\n");
	for (t = p->templates; t < p->templates + p->template_count; t++) {
		etw_text_puts(x->out, " <template");
		put_attr(x, "tid", t->id);
		put_attr(x, "name", t->name);
		etw_text_puts(x->out, ">\n");
		fields(x, t);
		etw_text_puts(x->out, " </template>\n");
	}
	etw_text_puts(x->out, "</templates>\n");
}

/* -------------------------------------------------------------- lists of names */

static void channels(struct xml *x)
{
	static const char *const types[] = { "Admin", "Operational", "Analytic", "Debug" };
	static const char *const isolations[] = { "Application", "System", "Custom" };
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_channel *c;

	if (!p->channel_count)
		return;
	puts_(x, "<channels>\n");
	for (c = p->channels; c < p->channels + p->channel_count; c++) {
		puts_(x, c->imported ? " <importChannel" : " <channel");
		put_attr(x, "name", c->name);
		put_attr(x, "chid", c->id);
		put_attr(x, "symbol", c->symbol);
		if (!c->imported) {
			put_attr(x, "type", x->plain ? "Operational" : types[c->type & 3]);
			put_attr(x, "isolation", isolations[c->isolation % 3]);
			put_attr(x, "enabled", c->enabled ? "true" : "false");
			if (c->value >= 16)
				put_number(x, "value", c->value);
			put_message(x, c->message);
		}
		puts_(x, "/>\n");
	}
	puts_(x, "</channels>\n");
}

/* Levels, or opcodes */
static void named(struct xml *x, const char *list, const char *element,
		  const struct etw_mf_named *n, unsigned int count)
{
	if (!count)
		return;
	etw_text_printf(x->out, "<%s>\n", list);
	for (; count; count--, n++) {
		etw_text_printf(x->out, " <%s", element);
		put_attr(x, "name", n->name);
		put_attr(x, "symbol", n->symbol);
		put_number(x, "value", n->value);
		put_message(x, n->message);
		puts_(x, "/>\n");
	}
	etw_text_printf(x->out, "</%s>\n", list);
}

static void tasks(struct xml *x)
{
	static const GUID none;
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_task *t;

	if (!p->task_count)
		return;
	puts_(x, "<tasks>\n");
	for (t = p->tasks; t < p->tasks + p->task_count; t++) {
		puts_(x, " <task");
		put_attr(x, "name", t->name);
		put_attr(x, "symbol", t->symbol);
		put_number(x, "value", t->value);
		if (memcmp(&t->event_guid, &none, sizeof(none)))
			guid_attr(x, "eventGUID", &t->event_guid);
		put_message(x, t->message);
		puts_(x, ">\n");
		named(x, "opcodes", "opcode", t->opcodes, t->opcode_count);
		puts_(x, " </task>\n");
	}
	puts_(x, "</tasks>\n");
}

static void keywords(struct xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_keyword *k;

	if (!p->keyword_count)
		return;
	puts_(x, "<keywords>\n");
	for (k = p->keywords; k < p->keywords + p->keyword_count; k++) {
		puts_(x, " <keyword");
		put_attr(x, "name", k->name);
		put_attr(x, "symbol", k->symbol);
		hex_attr(x, "mask", k->mask);
		put_message(x, k->message);
		puts_(x, "/>\n");
	}
	puts_(x, "</keywords>\n");
}

static void filters(struct xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_filter *f;

	if (!p->filter_count)
		return;
	puts_(x, "<filters>\n");
	for (f = p->filters; f < p->filters + p->filter_count; f++) {
		puts_(x, " <filter");
		put_attr(x, "name", f->name);
		put_attr(x, "symbol", f->symbol);
		put_number(x, "value", f->value);
		put_number(x, "version", f->version);
		if (f->template)
			put_attr(x, "tid", f->template->id);
		put_message(x, f->message);
		puts_(x, "/>\n");
	}
	puts_(x, "</filters>\n");
}

/* --------------------------------------------------------------------- events */

static void keyword_names(struct xml *x, uint64_t bits)
{
	struct etw_text names = { 0 };
	const struct etw_mf_keyword *k;

	for (; bits; bits &= bits - 1) {
		k = etw_mf_keyword(x->provider, bits & -bits);
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

	puts_(x, "<events>\n");
	for (e = p->events; e < p->events + p->event_count; e++) {
		puts_(x, " <event");
		put_number(x, "value", e->desc.Id);
		put_number(x, "version", e->desc.Version);
		put_attr(x, "symbol", e->symbol);
		put_attr(x, "name", e->name);
		put_attr(x, "attributes", e->attributes);
		put_attr(x, "level", e->level ? e->level->name : NULL);
		put_attr(x, "channel", e->channel ? e->channel->id : NULL);
		put_attr(x, "task", e->task ? e->task->name : NULL);
		put_attr(x, "opcode", e->opcode ? e->opcode->name : NULL);
		keyword_names(x, e->keywords);
		put_attr(x, "template", e->template ? e->template->id : NULL);
		if (e->not_logged)
			put_attr(x, "notLogged", "true");
		put_message(x, e->message);
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

static void traits(struct xml *x)
{
	static const GUID none;
	const struct etw_mf_provider *p = x->provider;

	if (!p->has_traits)
		return;
	puts_(x, "<traits");
	if (memcmp(&p->group_guid, &none, sizeof(none)))
		guid_attr(x, "groupGuid", &p->group_guid);
	put_attr(x, "includeName", p->include_name ? "true" : "false");
	puts_(x, "/>\n");
}

static void document(struct xml *x)
{
	const struct etw_mf_provider *p = x->provider;

	puts_(x, "<instrumentationManifest "
	      "xmlns=\"http://schemas.microsoft.com/win/2004/08/events\">\n"
	      "<instrumentation xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" "
	      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
	      "xmlns:win=\"http://manifests.microsoft.com/win/2004/08/windows/events\">\n"
	      "<events xmlns=\"http://schemas.microsoft.com/win/2004/08/events\">\n<provider");
	put_attr(x, "name", p->name);
	guid_attr(x, "guid", &p->guid);
	if (p->has_control_guid)
		guid_attr(x, "controlGuid", &p->control_guid);
	put_attr(x, "symbol", p->symbol && etw_mx_is_symbol(p->symbol) ? p->symbol :
		     "Provider");
	/* Windows' tools require both. */
	put_attr(x, "resourceFileName", p->resource_file ? p->resource_file : p->name);
	put_attr(x, "messageFileName", p->message_file ? p->message_file : p->name);
	put_attr(x, "namespace", p->namespace_name);
	put_attr(x, "source", p->source);
	put_message(x, p->message);
	puts_(x, ">\n");
	traits(x);
	channels(x);
	named(x, "levels", "level", p->levels, p->level_count);
	tasks(x);
	named(x, "opcodes", "opcode", p->opcodes, p->opcode_count);
	keywords(x);
	maps(x);
	templates(x);
	events(x);
	filters(x);
	puts_(x, "</provider>\n</events>\n</instrumentation>\n");
	strings(x);
	puts_(x, "</instrumentationManifest>\n");
}

/* Can the XML be read, with the same number of events? */
static int check(const struct etw_mf_provider *p, const char *data, size_t size)
{
	struct etw_manifest *again;
	struct etw_problems problems = { .count = 0 };
	int err = etw_manifest_read_memory(data, size, "", &again, &problems);

	etw_problems_free(&problems);
	if (err)
		return err;
	if (again->providers[0].event_count != p->event_count)
		err = -EINVAL;
	etw_manifest_put(again);
	return err;
}

int etw_manifest_xml(const struct etw_mf_provider *provider, struct etw_text *out)
{
	struct xml x = { .out = out, .provider = provider };
	size_t start = out->len;
	int err, i;

	for (i = 0; i < 2; i++) {
		x.plain = i;
		x.used = calloc(provider->manifest->message_count + 1, sizeof(*x.used));
		if (!x.used)
			return -ENOMEM;
		document(&x);
		free(x.used);
		if (out->error)
			return -ENOMEM;
		err = check(provider, out->data + start, out->len - start);
		if (err != -EINVAL)
			return err;
		etw_text_cut(out, start);
	}
	return err;
}
