/* SPDX-License-Identifier: MIT */
/*
 * event.c - events: resolve their references into a descriptor
 */
#include <stdio.h>
#include <string.h>

#include "manifest.h"

#define INSERTS_MAX	99u
#define PROVIDER_METADATA	12	/* the channel of events without one, see below */

/*
 * Names that dumps write for Windows' own, from the names that .NET's libraries give them,
 * without win:
 */
static const struct {
	enum etw_part part;
	const char *name, *standard;
} dumped[] = {
	{ ETW_PART_LEVEL, "Always", "LogAlways" },
	{ ETW_PART_OPCODE, "DCStart", "DC_Start" },
	{ ETW_PART_OPCODE, "DCStop", "DC_Stop" },
	{ ETW_PART_OPCODE, "DataCollectionStart", "DC_Start" },
	{ ETW_PART_OPCODE, "DataCollectionStop", "DC_Stop" },
};

/* thing: what the name refers to, or NULL */
static void check_defined(struct manifest_reader *r, const char *kind, const char *name,
			  const void *thing)
{
	if (!thing)
		etw_manifest_error(r, "%s \"%s\" is not defined", kind, name);
}

/* The names in use where an event refers to something */
struct scopes {
	enum etw_part part;
	const void *task;	/* or NULL */
	const void *provider;
};

static const struct etw_mf_named *find_exact(const struct manifest_reader *r,
					     const struct scopes *in, const char *name)
{
	return (in->task ? etw_manifest_find(r, in->task, name) : NULL) ?:
	       etw_manifest_find(r, in->provider, name) ?: etw_standard_named(in->part, name);
}

/* As dumps name it: with win: too much or too little, or by a name of theirs */
static const struct etw_mf_named *find_dumped(const struct manifest_reader *r,
					      const struct scopes *in, const char *name)
{
	const struct etw_mf_named *found;
	char text[256];
	size_t i;

	if (!strncmp(name, "win:", 4)) {
		name += 4;
		found = find_exact(r, in, name);
	} else {
		snprintf(text, sizeof(text), "win:%s", name);
		found = find_exact(r, in, text);
	}
	for (i = 0; i < sizeof(dumped) / sizeof(dumped[0]) && !found; i++) {
		if (dumped[i].part != in->part || strcmp(dumped[i].name, name))
			continue;
		snprintf(text, sizeof(text), "win:%s", dumped[i].standard);
		found = find_exact(r, in, text);
	}
	return found;
}

/*
 * What a name refers to. The decoder also takes a number, which may have no definition:
 * then only *value is set.
 */
static const struct etw_mf_named *find(struct manifest_reader *r, const char *kind,
				       const struct scopes *in, const char *name, uint64_t most,
				       uint64_t *value)
{
	const struct etw_mf_named *found = find_exact(r, in, name);

	if (!found)
		check_defined(r, kind, name, NULL);
	if (!found && r->lenient) {
		found = find_dumped(r, in, name);
		if (!found && (!etw_manifest_number(name, value) || *value > most))
			*value = 0;
	}
	if (found)
		*value = found->value;
	return found;
}

/* Like find(), of an attribute's value; a number finds its definition, too. */
static const void *find_part(struct manifest_reader *r, const struct manifest_node *node,
			     const struct etw_mf_provider *p, const struct scopes *in,
			     uint64_t most, uint64_t *value)
{
	static const char *const attributes[] = {
		[ETW_PART_LEVEL] = "level", [ETW_PART_OPCODE] = "opcode",
		[ETW_PART_TASK] = "task", [ETW_PART_CHANNEL] = "channel",
	};
	const char *name = etw_manifest_value(node, attributes[in->part]);
	const struct etw_mf_named *found;

	*value = 0;
	if (!name)
		return NULL;
	found = find(r, attributes[in->part], in, name, most, value);
	if (found || !*value)
		return found;
	return in->part == ETW_PART_OPCODE && in->task ?
		etw_mf_opcode(p, (uint16_t)((const struct etw_mf_task *)in->task)->value,
			      (uint8_t)*value) :
		etw_mf_part(p, in->part, *value);
}

static void set_parts(struct manifest_reader *r, const struct manifest_node *node,
		      const struct etw_mf_provider *p, struct etw_mf_event *e)
{
	uint64_t channel, level, task, opcode;

	e->channel = find_part(r, node, p, &(struct scopes){ ETW_PART_CHANNEL, NULL, &p->channels },
			       UINT8_MAX, &channel);
	/*
	 * If a provider has a control GUID of its own, its events carry the decode GUID in
	 * their traits; events without a channel get a special channel that marks this.
	 */
	if (!etw_manifest_value(node, "channel") &&
	    memcmp(&p->guid, &p->control_guid, sizeof(GUID))) {
		e->channel = etw_standard(ETW_PART_CHANNEL, PROVIDER_METADATA);
		channel = PROVIDER_METADATA;
	}
	e->level = find_part(r, node, p, &(struct scopes){ ETW_PART_LEVEL, NULL, &p->levels },
			     UINT8_MAX, &level);
	e->task = find_part(r, node, p, &(struct scopes){ ETW_PART_TASK, NULL, &p->tasks },
			    UINT16_MAX, &task);
	e->opcode = find_part(r, node, p, &(struct scopes){ ETW_PART_OPCODE, e->task, &p->opcodes },
			      UINT8_MAX, &opcode);
	e->desc.Channel = (uint8_t)channel;
	/* 0 for standard channels that are not imported */
	e->desc.Keyword |= e->channel ? e->channel->keyword : 0;
	e->desc.Level = (uint8_t)level;
	e->desc.Task = (uint16_t)task;
	e->desc.Opcode = (uint8_t)opcode;
}

static void set_keywords(struct manifest_reader *r, const struct manifest_node *node,
			 const struct etw_mf_provider *p, struct etw_mf_event *e)
{
	const char *s = etw_manifest_value(node, "keywords");
	const struct scopes in = { ETW_PART_KEYWORD, NULL, &p->keywords };
	const struct etw_mf_named *keyword;
	uint64_t value;
	char name[256];
	size_t len;

	for (; s && *s; s += len) {
		s += strspn(s, " \t\r\n");
		len = strcspn(s, " \t\r\n");
		if (!len)
			break;
		keyword = etw_names_find(&r->names, &p->keywords, s, len);
		value = keyword ? keyword->value : 0;
		snprintf(name, sizeof(name), "%.*s", (int)(len < 255 ? len : 255), s);
		if (!keyword && len < sizeof(name))
			find(r, "keyword", &in, name, UINT64_MAX, &value);
		else
			check_defined(r, "keyword", name, keyword);
		e->keywords |= value;
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

/* False: the decoder leaves it out. */
static bool build_event(struct manifest_reader *r, const struct manifest_node *node,
			const struct etw_mf_provider *p, struct etw_mf_event *e)
{
	char title[64];

	if (!etw_manifest_read_attributes(r, node, e))
		return false;
	if (etw_manifest_claim_number(r, &p->events, (uint64_t)e->desc.Version << 16 | e->desc.Id, e))
		etw_manifest_error(r, "another event has value %u and version %u, too: "
				   "the first one counts", e->desc.Id, e->desc.Version);
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
	return true;
}

void etw_manifest_build_events(struct manifest_reader *r, const struct manifest_node *parent,
			       struct etw_mf_provider *p)
{
	const struct manifest_node *node;
	struct etw_mf_event *e;

	e = etw_manifest_array_of(r, parent, MANIFEST_EVENTS, sizeof(*e), &p->event_count);
	p->events = e;
	manifest_for_each(node, r, parent, MANIFEST_EVENTS) {
		if (build_event(r, node, p, e))
			e++;
		else
			manifest_drop(e, p->event_count);
	}
}
