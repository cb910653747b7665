/* SPDX-License-Identifier: MIT */
/*
 * event.c - events: resolve their references into a descriptor
 */
#include <stdio.h>
#include <string.h>

#include "manifest.h"
#include "tdh/model/winmeta.h"

#define INSERTS_MAX	99u
#define PROVIDER_METADATA	12	/* the channel of events without one, see below */

/* How messages refer to an event */
struct title {
	char text[128];
};

static const char *title_of(const struct etw_mf_event *e, struct title *title)
{
	if (e->symbol)
		return e->symbol;
	snprintf(title->text, sizeof(title->text), "value %u, version %u", e->desc.Id,
		 e->desc.Version);
	return title->text;
}

static void undefined(struct etw_mx *x, const struct etw_mf_event *e, const char *kind,
		      const char *name)
{
	struct title title;

	etw_mx_error(x, e->line, "event", title_of(e, &title), "%s \"%s\" is not defined", kind,
		     name);
}

/*
 * If a provider has a control GUID of its own, its events carry the decode GUID in
 * their traits; events without a channel get a special channel that marks this.
 */
static void set_channel(struct etw_mx *x, const struct manifest_provider *p,
			const struct manifest_event *draft, struct etw_mf_event *e)
{
	if (!draft->channel) {
		if (memcmp(&p->p.guid, &p->p.control_guid, sizeof(GUID)))
			e->channel = etw_standard_channel(PROVIDER_METADATA);
	} else {
		e->channel = etw_mx_find(x, &p->channels, draft->channel);
		if (!e->channel)
			e->channel = etw_standard_channel_named(draft->channel);
		if (!e->channel)
			undefined(x, e, "channel", draft->channel);
	}
	if (!e->channel)
		return;
	e->desc.Channel = e->channel->value;
	/* 0 for standard channels that are not imported */
	e->desc.Keyword |= e->channel->keyword;
}

static void set_level(struct etw_mx *x, const struct manifest_provider *p,
		      const struct manifest_event *draft, struct etw_mf_event *e)
{
	if (!draft->level)
		return;
	e->level = etw_mx_find(x, &p->levels, draft->level);
	if (!e->level)
		e->level = etw_standard_level_named(draft->level);
	if (e->level)
		e->desc.Level = e->level->value;
	else
		undefined(x, e, "level", draft->level);
}

/* A task's own opcode takes precedence over the provider's of the same name. */
static void set_task_and_opcode(struct etw_mx *x, const struct manifest_provider *p,
				const struct manifest_event *draft, struct etw_mf_event *e)
{
	const struct manifest_task *task = NULL;

	if (draft->task) {
		task = etw_mx_find(x, &p->tasks, draft->task);
		e->task = task ? task->built : etw_standard_task_named(draft->task);
		if (e->task)
			e->desc.Task = e->task->value;
		else
			undefined(x, e, "task", draft->task);
	}
	if (!draft->opcode)
		return;
	if (task)
		e->opcode = etw_mx_find(x, &task->opcodes, draft->opcode);
	if (!e->opcode)
		e->opcode = etw_mx_find(x, &p->opcodes, draft->opcode);
	if (!e->opcode)
		e->opcode = etw_standard_opcode_named(draft->opcode);
	if (e->opcode)
		e->desc.Opcode = e->opcode->value;
	else
		undefined(x, e, "opcode", draft->opcode);
}

static void set_keywords(struct etw_mx *x, const struct manifest_provider *p,
			 const struct manifest_event *draft, struct etw_mf_event *e)
{
	const char *s = draft->keywords;
	const struct etw_mf_keyword *keyword;
	char name[256];
	size_t len;

	for (; s && *s; s += len) {
		s += strspn(s, " \t\r\n");
		len = strcspn(s, " \t\r\n");
		if (!len)
			break;
		keyword = etw_mx_find_len(x, &p->keywords, s, len);
		snprintf(name, sizeof(name), "%.*s", (int)(len < 255 ? len : 255), s);
		if (!keyword && len < sizeof(name))
			keyword = etw_standard_keyword_named(name);
		if (keyword)
			e->keywords |= keyword->mask;
		else
			undefined(x, e, "keyword", name);
	}
	e->desc.Keyword |= e->keywords;
}

static void set_message(struct etw_mx *x, const struct manifest_event *draft, struct etw_mf_event *e)
{
	unsigned int fields = e->template ? e->template->top : 0;
	const struct manifest_message *message;
	struct title title;

	message = etw_mx_message(x, draft->message, e->line, "event", title_of(e, &title));
	if (!message)
		return;
	e->message = message->message;
	if (message->inserts > INSERTS_MAX)
		etw_mx_error(x, e->line, "event", title_of(e, &title),
			     "message has %%%u, and inserts are %%1 to %%%u", message->inserts,
			     INSERTS_MAX);
	else if (message->inserts > fields)
		etw_mx_error(x, e->line, "event", title_of(e, &title),
			     "message has %%%u, and the event %u fields", message->inserts,
			     fields);
}

/*
 * The rules of Windows' event log for its Admin channels; those for other channels are
 * not documented.
 */
static void check_admin(struct etw_mx *x, const struct etw_mf_event *e)
{
	const struct etw_mf_channel *c = e->channel;
	struct title title;

	if (!c || c->type != ETW_CHANNEL_ADMIN)
		return;
	if (c->imported && !etw_standard_channel_named(c->name))
		return;
	if (!e->message)
		etw_mx_error(x, e->line, "event", title_of(e, &title),
			     "events in channel \"%s\" of type Admin need a message", c->name);
	if (e->desc.Level < 1 || e->desc.Level > 4)
		etw_mx_error(x, e->line, "event", title_of(e, &title),
			     "events in channel \"%s\" of type Admin need a level "
			     "from win:Critical to win:Informational",
			     c->name);
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

static void build_event(struct etw_mx *x, const struct manifest_provider *p,
			const struct manifest_event *draft, struct etw_mf_event *e)
{
	struct title title;

	*e = draft->e;
	if (etw_mx_claim_number(x, &p->events, (uint64_t)e->desc.Version << 16 | e->desc.Id, e))
		etw_mx_error(x, e->line, "event", e->symbol,
			     "another event has value %u and version %u, too", e->desc.Id,
			     e->desc.Version);
	if (e->attributes && !are_attributes(e->attributes))
		etw_mx_error(x, e->line, "event", title_of(e, &title),
			     "attributes must be KEY=VALUE;..., "
			     "with quotes around a value that has ; or \" in it");
	set_channel(x, p, draft, e);
	set_level(x, p, draft, e);
	set_task_and_opcode(x, p, draft, e);
	set_keywords(x, p, draft, e);
	if (draft->template) {
		e->template = etw_mx_find(x, &p->templates, draft->template);
		if (!e->template)
			undefined(x, e, "template", draft->template);
	}
	/* If the template is unknown, so are the fields. */
	if (!draft->template || e->template)
		set_message(x, draft, e);
	if (!draft->message || e->message)
		check_admin(x, e);
}

void etw_mx_build_events(struct etw_mx *x, struct manifest_provider *p)
{
	struct etw_mf_event *e = etw_mx_array(x, p->events.count, sizeof(*e));
	const struct manifest_event *draft;

	p->p.events = e;
	p->p.event_count = p->events.count;
	manifest_for_each(draft, &p->events) {
		if (x->err)
			return;
		build_event(x, p, draft, e++);
	}
}
