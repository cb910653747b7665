/* SPDX-License-Identifier: MIT */
/*
 * xml_write.c - a provider's schema as the XML of a manifest
 *
 * Written from the model, so it does not matter where that came from, and what a file
 * has of other providers stays behind.  It is read again before anybody gets it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest.h"
#include "xml_write.h"

static void puts_(struct etw_xml *x, const char *s)
{
	etw_text_puts(x->out, s);
}

/* ---------------------------------------------------------------- attributes */

/* Line ends and tabs would become blanks; other control characters are none of XML's. */
static void add_char(struct etw_text *out, unsigned char c)
{
	switch (c) {
	case '&':
		etw_text_puts(out, "&amp;");
		break;
	case '<':
		etw_text_puts(out, "&lt;");
		break;
	case '>':
		etw_text_puts(out, "&gt;");
		break;
	case '"':
		etw_text_puts(out, "&quot;");
		break;
	case '\n':
	case '\r':
	case '\t':
		etw_text_printf(out, "&#%u;", c);
		break;
	default:
		if (c < ' ')
			etw_text_puts(out, "\xEF\xBF\xBD");
		else
			etw_text_char(out, c);
	}
}

void etw_xml_attr(struct etw_xml *x, const char *name, const char *value)
{
	if (!value)
		return;
	etw_text_printf(x->out, " %s=\"", name);
	while (*value)
		add_char(x->out, *value++);
	etw_text_char(x->out, '"');
}

void etw_xml_number(struct etw_xml *x, const char *name, uint64_t value)
{
	etw_text_printf(x->out, " %s=\"%llu\"", name, (unsigned long long)value);
}

static void guid_attr(struct etw_xml *x, const char *name, const GUID *guid)
{
	etw_text_printf(x->out, " %s=\"{", name);
	etw_text_guid(x->out, guid);
	puts_(x, "}\"");
}

static void hex_attr(struct etw_xml *x, const char *name, uint64_t value)
{
	etw_text_printf(x->out, " %s=\"0x%llx\"", name, (unsigned long long)value);
}

void etw_xml_message(struct etw_xml *x, const struct etw_mf_message *message)
{
	const struct etw_manifest *manifest = x->provider->manifest;
	struct etw_text ref = { 0 };

	if (!message || etw_standard_message(message))
		return;
	if (!message->id || message < manifest->messages ||
	    message >= manifest->messages + manifest->message_count) {
		etw_xml_attr(x, "message", message->text[0]);
		return;
	}
	x->used[message - manifest->messages] = true;
	etw_text_printf(&ref, "$(string.%s)", message->id);
	if (ref.error)
		x->out->error = ref.error;
	else
		etw_xml_attr(x, "message", ref.data);
	etw_text_free(&ref);
}

/* -------------------------------------------------------------- lists of names */

static void channels(struct etw_xml *x)
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
		etw_xml_attr(x, "name", c->name);
		etw_xml_attr(x, "chid", c->id);
		etw_xml_attr(x, "symbol", c->symbol);
		if (!c->imported) {
			etw_xml_attr(x, "type", x->plain ? "Operational" : types[c->type & 3]);
			etw_xml_attr(x, "isolation", isolations[c->isolation % 3]);
			etw_xml_attr(x, "enabled", c->enabled ? "true" : "false");
			if (c->value >= 16)
				etw_xml_number(x, "value", c->value);
			etw_xml_message(x, c->message);
		}
		puts_(x, "/>\n");
	}
	puts_(x, "</channels>\n");
}

/* Levels, or opcodes */
static void named(struct etw_xml *x, const char *list, const char *element,
		  const struct etw_mf_named *n, unsigned int count)
{
	if (!count)
		return;
	etw_text_printf(x->out, "<%s>\n", list);
	for (; count; count--, n++) {
		etw_text_printf(x->out, " <%s", element);
		etw_xml_attr(x, "name", n->name);
		etw_xml_attr(x, "symbol", n->symbol);
		etw_xml_number(x, "value", n->value);
		etw_xml_message(x, n->message);
		puts_(x, "/>\n");
	}
	etw_text_printf(x->out, "</%s>\n", list);
}

static void tasks(struct etw_xml *x)
{
	static const GUID none;
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_task *t;

	if (!p->task_count)
		return;
	puts_(x, "<tasks>\n");
	for (t = p->tasks; t < p->tasks + p->task_count; t++) {
		puts_(x, " <task");
		etw_xml_attr(x, "name", t->name);
		etw_xml_attr(x, "symbol", t->symbol);
		etw_xml_number(x, "value", t->value);
		if (memcmp(&t->event_guid, &none, sizeof(none)))
			guid_attr(x, "eventGUID", &t->event_guid);
		etw_xml_message(x, t->message);
		puts_(x, ">\n");
		named(x, "opcodes", "opcode", t->opcodes, t->opcode_count);
		puts_(x, " </task>\n");
	}
	puts_(x, "</tasks>\n");
}

static void keywords(struct etw_xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_keyword *k;

	if (!p->keyword_count)
		return;
	puts_(x, "<keywords>\n");
	for (k = p->keywords; k < p->keywords + p->keyword_count; k++) {
		puts_(x, " <keyword");
		etw_xml_attr(x, "name", k->name);
		etw_xml_attr(x, "symbol", k->symbol);
		hex_attr(x, "mask", k->mask);
		etw_xml_message(x, k->message);
		puts_(x, "/>\n");
	}
	puts_(x, "</keywords>\n");
}

static void filters(struct etw_xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_filter *f;

	if (!p->filter_count)
		return;
	puts_(x, "<filters>\n");
	for (f = p->filters; f < p->filters + p->filter_count; f++) {
		puts_(x, " <filter");
		etw_xml_attr(x, "name", f->name);
		etw_xml_attr(x, "symbol", f->symbol);
		etw_xml_number(x, "value", f->value);
		etw_xml_number(x, "version", f->version);
		if (f->template)
			etw_xml_attr(x, "tid", f->template->id);
		etw_xml_message(x, f->message);
		puts_(x, "/>\n");
	}
	puts_(x, "</filters>\n");
}

/* --------------------------------------------------------------------- events */

static void keyword_names(struct etw_xml *x, uint64_t bits)
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
		etw_xml_attr(x, "keywords", names.data);
	etw_text_free(&names);
}

static void events(struct etw_xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_event *e;

	puts_(x, "<events>\n");
	for (e = p->events; e < p->events + p->event_count; e++) {
		puts_(x, " <event");
		etw_xml_number(x, "value", e->desc.Id);
		etw_xml_number(x, "version", e->desc.Version);
		etw_xml_attr(x, "symbol", e->symbol);
		etw_xml_attr(x, "name", e->name);
		etw_xml_attr(x, "attributes", e->attributes);
		etw_xml_attr(x, "level", e->level ? e->level->name : NULL);
		etw_xml_attr(x, "channel", e->channel ? e->channel->id : NULL);
		etw_xml_attr(x, "task", e->task ? e->task->name : NULL);
		etw_xml_attr(x, "opcode", e->opcode ? e->opcode->name : NULL);
		keyword_names(x, e->keywords);
		etw_xml_attr(x, "template", e->template ? e->template->id : NULL);
		if (e->not_logged)
			etw_xml_attr(x, "notLogged", "true");
		etw_xml_message(x, e->message);
		puts_(x, "/>\n");
	}
	puts_(x, "</events>\n");
}

/* ------------------------------------------------------------------- the whole */

static void strings(struct etw_xml *x)
{
	const struct etw_manifest *m = x->provider->manifest;
	unsigned int culture, i;

	puts_(x, "<localization>\n");
	for (culture = 0; culture < m->culture_count; culture++) {
		puts_(x, "<resources");
		etw_xml_attr(x, "culture", m->cultures[culture]);
		puts_(x, ">\n<stringTable>\n");
		for (i = 0; i < m->message_count; i++) {
			const char *text = m->messages[i].text[culture];

			if (!x->used[i] || !text)
				continue;
			puts_(x, " <string");
			etw_xml_attr(x, "id", m->messages[i].id);
			etw_xml_attr(x, "value", text);
			puts_(x, "/>\n");
		}
		puts_(x, "</stringTable>\n</resources>\n");
	}
	puts_(x, "</localization>\n");
}

static void traits(struct etw_xml *x)
{
	static const GUID none;
	const struct etw_mf_provider *p = x->provider;

	if (!p->has_traits)
		return;
	puts_(x, "<traits");
	if (memcmp(&p->group_guid, &none, sizeof(none)))
		guid_attr(x, "groupGuid", &p->group_guid);
	etw_xml_attr(x, "includeName", p->include_name ? "true" : "false");
	puts_(x, "/>\n");
}

static void document(struct etw_xml *x)
{
	const struct etw_mf_provider *p = x->provider;

	puts_(x, "<instrumentationManifest "
	      "xmlns=\"http://schemas.microsoft.com/win/2004/08/events\">\n"
	      "<instrumentation xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" "
	      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
	      "xmlns:win=\"http://manifests.microsoft.com/win/2004/08/windows/events\">\n"
	      "<events xmlns=\"http://schemas.microsoft.com/win/2004/08/events\">\n<provider");
	etw_xml_attr(x, "name", p->name);
	guid_attr(x, "guid", &p->guid);
	if (p->has_control_guid)
		guid_attr(x, "controlGuid", &p->control_guid);
	etw_xml_attr(x, "symbol", p->symbol && etw_mx_is_symbol(p->symbol) ? p->symbol :
		     "Provider");
	/* Windows' tools want both. */
	etw_xml_attr(x, "resourceFileName", p->resource_file ? p->resource_file : p->name);
	etw_xml_attr(x, "messageFileName", p->message_file ? p->message_file : p->name);
	etw_xml_attr(x, "namespace", p->namespace_name);
	etw_xml_attr(x, "source", p->source);
	etw_xml_message(x, p->message);
	puts_(x, ">\n");
	traits(x);
	channels(x);
	named(x, "levels", "level", p->levels, p->level_count);
	tasks(x);
	named(x, "opcodes", "opcode", p->opcodes, p->opcode_count);
	keywords(x);
	etw_xml_maps(x);
	etw_xml_templates(x);
	events(x);
	filters(x);
	puts_(x, "</provider>\n</events>\n</instrumentation>\n");
	strings(x);
	puts_(x, "</instrumentationManifest>\n");
}

/* Does it read, with as many events? */
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
	struct etw_xml x = { .out = out, .provider = provider };
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
