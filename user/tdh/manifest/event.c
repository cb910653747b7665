/* SPDX-License-Identifier: MIT */
/*
 * event.c - events: resolve their references into a descriptor
 */
#include <stdio.h>
#include <string.h>

#include "manifest.h"

#define INSERTS_MAX	99u
#define PROVIDER_METADATA	12	/* the channel of events without one, see below */

/* thing: what the name refers to, or NULL */
static void check_defined(struct manifest_reader *r, const char *kind, const char *name,
			  const void *thing)
{
	if (!thing)
		etw_manifest_error(r, "%s \"%s\" is not defined", kind, name);
}

/* What the attribute names, in its task (or NULL), its provider or the standard; NULL: nothing */
static const void *find(struct manifest_reader *r, const struct manifest_node *node,
			const char *attribute, enum etw_part part, const void *task,
			const void *provider)
{
	const char *name = etw_manifest_value(node, attribute);
	const void *found;

	if (!name)
		return NULL;
	found = (task ? etw_manifest_find(r, task, name) : NULL) ?:
		etw_manifest_find(r, provider, name) ?: etw_standard_named(part, name);
	check_defined(r, attribute, name, found);
	return found;
}

static void set_parts(struct manifest_reader *r, const struct manifest_node *node,
		      const struct etw_mf_provider *p, struct etw_mf_event *e)
{
	e->channel = find(r, node, "channel", ETW_PART_CHANNEL, NULL, &p->channels);
	/*
	 * If a provider has a control GUID of its own, its events carry the decode GUID in
	 * their traits; events without a channel get a special channel that marks this.
	 */
	if (!etw_manifest_value(node, "channel") &&
	    memcmp(&p->guid, &p->control_guid, sizeof(GUID)))
		e->channel = etw_standard(ETW_PART_CHANNEL, PROVIDER_METADATA);
	e->level = find(r, node, "level", ETW_PART_LEVEL, NULL, &p->levels);
	e->task = find(r, node, "task", ETW_PART_TASK, NULL, &p->tasks);
	e->opcode = find(r, node, "opcode", ETW_PART_OPCODE, e->task, &p->opcodes);
	e->desc.Channel = e->channel ? e->channel->value : 0;
	/* 0 for standard channels that are not imported */
	e->desc.Keyword |= e->channel ? e->channel->keyword : 0;
	e->desc.Level = e->level ? e->level->value : 0;
	e->desc.Task = e->task ? e->task->value : 0;
	e->desc.Opcode = e->opcode ? e->opcode->value : 0;
}

static void set_keywords(struct manifest_reader *r, const struct manifest_node *node,
			 const struct etw_mf_provider *p, struct etw_mf_event *e)
{
	const char *s = etw_manifest_value(node, "keywords");
	const struct etw_mf_named *keyword;
	char name[256];
	size_t len;

	for (; s && *s; s += len) {
		s += strspn(s, " \t\r\n");
		len = strcspn(s, " \t\r\n");
		if (!len)
			break;
		keyword = etw_names_find(&r->names, &p->keywords, s, len);
		snprintf(name, sizeof(name), "%.*s", (int)(len < 255 ? len : 255), s);
		if (!keyword && len < sizeof(name))
			keyword = etw_standard_named(ETW_PART_KEYWORD, name);
		check_defined(r, "keyword", name, keyword);
		e->keywords |= keyword ? keyword->value : 0;
	}
	e->desc.Keyword |= e->keywords;
}

static void set_message(struct manifest_reader *r, const char *value, struct etw_mf_event *e)
{
	unsigned int fields = e->template ? e->template->top : 0, inserts;

	e->message = etw_manifest_message(r, value);
	if (!e->message)
		return;
	inserts = e->message->inserts;
	if (inserts > INSERTS_MAX)
		etw_manifest_error(r, "message has %%%u, and inserts are %%1 to %%%u", inserts,
				   INSERTS_MAX);
	else if (inserts > fields)
		etw_manifest_error(r, "message has %%%u, and the event %u fields", inserts, fields);
}

/*
 * The rules of Windows' event log for its Admin channels; those for other channels are
 * not documented.
 */
static void check_admin(struct manifest_reader *r, const struct etw_mf_event *e)
{
	const struct etw_mf_channel *c = e->channel;

	if (!c || c->type != ETW_CHANNEL_ADMIN)
		return;
	if (c->imported && !etw_standard_named(ETW_PART_CHANNEL, c->name))
		return;
	if (!e->message)
		etw_manifest_error(r, "events in channel \"%s\" of type Admin need a message",
				   c->name);
	if (e->desc.Level < 1 || e->desc.Level > 4)
		etw_manifest_error(r, "events in channel \"%s\" of type Admin need a level "
				   "from win:Critical to win:Informational", c->name);
}

/* KEY=VALUE;KEY="VALUE";..., quotes within quotes are doubled */
static bool are_attributes(const char *s)
{
	while (*s) {
		size_t key = strcspn(s, "=;\"");

		if (!key || s[key] != '=')
			return false;
		s += key + 1;
		if (*s == '"') {
			do {
				s = strchr(s + 1, '"');
				if (!s)
					return false;
				s++;
			} while (*s == '"');
			if (*s && *s != ';')
				return false;
		} else {
			s += strcspn(s, ";\"");
			if (*s == '"')
				return false;
		}
		if (*s)
			s++;
	}
	return true;
}

static void resolve(struct manifest_reader *r, const struct manifest_node *node,
		    const struct etw_mf_provider *p, struct etw_mf_event *e)
{
	const char *template = etw_manifest_value(node, "template");
	const char *message = etw_manifest_value(node, "message");

	set_parts(r, node, p, e);
	set_keywords(r, node, p, e);
	if (template) {
		e->template = etw_manifest_find(r, &p->templates, template);
		check_defined(r, "template", template, e->template);
	}
	/* If the template is unknown, so are the fields. */
	if (!template || e->template)
		set_message(r, message, e);
	if (!message || e->message)
		check_admin(r, e);
}

static void build_event(struct manifest_reader *r, const struct manifest_node *node,
			const struct etw_mf_provider *p, struct etw_mf_event *e)
{
	char title[64];

	etw_manifest_read_attributes(r, node, e);
	if (etw_manifest_claim_number(r, &p->events, (uint64_t)e->desc.Version << 16 | e->desc.Id, e))
		etw_manifest_error(r, "another event has value %u and version %u, too", e->desc.Id,
				   e->desc.Version);
	if (!e->symbol) {
		snprintf(title, sizeof(title), "value %u, version %u", e->desc.Id, e->desc.Version);
		r->at.name = title;
	}
	if (e->attributes && !are_attributes(e->attributes))
		etw_manifest_error(r, "attributes must be KEY=VALUE;..., "
				   "with quotes around a value that has ; or \" in it");
	resolve(r, node, p, e);
	etw_manifest_claim_symbol(r, e->symbol, "event", (uintptr_t)e);
	r->at.name = NULL;
}

void etw_manifest_build_events(struct manifest_reader *r, const struct manifest_node *parent,
			       struct etw_mf_provider *p)
{
	const struct manifest_node *node;
	struct etw_mf_event *e;

	e = etw_manifest_array_of(r, parent, MANIFEST_EVENTS, sizeof(*e), &p->event_count);
	p->events = e;
	manifest_for_each(node, r, parent, MANIFEST_EVENTS)
		build_event(r, node, p, e++);
}
