// SPDX-License-Identifier: GPL-2.0-only
/*
 * same.c - do two manifests decode alike?
 *
 * Compared is what names, values and texts come from; what only the XML has (symbols,
 * ids of templates and strings, types of channels, lines) is not.
 */
#include "test.h"

static int differs(const char *what, const char *where)
{
	printf("# %s of %s differs\n", what, where ? where : "(none)");
	return 0;
}

static int same_text(const char *a, const char *b)
{
	return !a == !b && (!a || !strcmp(a, b));
}

static int same_message(const struct etw_manifest *a, const struct etw_mf_message *x,
			const struct etw_manifest *b, const struct etw_mf_message *y)
{
	return same_text(x ? etw_mf_text(a, x) : NULL, y ? etw_mf_text(b, y) : NULL);
}

/* Compare only the texts of patterns, in their order. */
static int same_patterns(const struct etw_mf_map *x, const struct etw_mf_map *y)
{
	unsigned int i;

	for (i = 0; i < x->count; i++) {
		if (!same_text(x->entries[i].name, y->entries[i].name) ||
		    !same_text(x->entries[i].text, y->entries[i].text))
			return 0;
	}
	return same_text(x->format, y->format);
}

static int same_map(const struct etw_manifest *a, const struct etw_mf_map *x,
		    const struct etw_manifest *b, const struct etw_mf_map *y)
{
	unsigned int i;

	if (!x || !y)
		return !x == !y;
	if (strcmp(x->name, y->name) || x->kind != y->kind || x->count != y->count)
		return 0;
	if (x->kind == ETW_MAP_PATTERN)
		return same_patterns(x, y);
	for (i = 0; i < x->count; i++) {
		const struct etw_mf_map_entry *e = etw_mf_map_find(x, x->entries[i].value);
		const struct etw_mf_map_entry *f = etw_mf_map_find(y, x->entries[i].value);

		if (!e || !f || !same_message(a, e->message, b, f->message))
			return 0;
	}
	return 1;
}

static int same_field(const struct etw_manifest *a, const struct etw_mf_field *x,
		      const struct etw_manifest *b, const struct etw_mf_field *y)
{
	return !strcmp(x->name, y->name) && (x->flags & ~ETW_MF_TAGS) == y->flags &&
	       x->in_type == y->in_type && x->out_type == y->out_type && x->count == y->count &&
	       x->length == y->length && x->first == y->first && x->members == y->members &&
	       same_map(a, x->map, b, y->map);
}

static int same_template(const struct etw_manifest *a, const struct etw_mf_template *x,
			 const struct etw_manifest *b, const struct etw_mf_template *y)
{
	unsigned int i;

	if (!x || !y)
		return !x == !y || differs("template", x ? x->id : y->id);
	if (x->count != y->count || x->top != y->top || !same_text(x->name, y->name))
		return differs("size or name", x->id);
	if (!same_text(x->user_data, y->user_data)) {
		printf("# %s\n# %s\n", x->user_data, y->user_data);
		return differs("user data", x->id);
	}
	for (i = 0; i < x->count; i++) {
		if (same_field(a, &x->fields[i], b, &y->fields[i]))
			continue;
		printf("# flags %x %x, types %u/%u %u/%u, count %u %u, length %u %u\n",
		       x->fields[i].flags, y->fields[i].flags, x->fields[i].in_type,
		       x->fields[i].out_type, y->fields[i].in_type, y->fields[i].out_type,
		       x->fields[i].count, y->fields[i].count, x->fields[i].length,
		       y->fields[i].length);
		return differs("field", x->fields[i].name);
	}
	return 1;
}

/* Things with a name and a message, each of which is optional */
#define SAME_NAMED(a, x, b, y)	\
	(!(x) == !(y) && (!(x) || (!strcmp((x)->name, (y)->name) && \
				   same_message(a, (x)->message, b, (y)->message))))

static int same_event(const struct etw_manifest *a, const struct etw_mf_event *x,
		      const struct etw_manifest *b, const struct etw_mf_event *y)
{
	char where[64];

	snprintf(where, sizeof(where), "event %u version %u", x->desc.Id, x->desc.Version);
	if (!y)
		return differs("existence", where);
	if (memcmp(&x->desc, &y->desc, sizeof(x->desc)))
		return differs("descriptor", where);
	if (!same_text(x->name, y->name) || !same_text(x->attributes, y->attributes))
		return differs("name or attributes", where);
	if (x->keywords != y->keywords || !same_message(a, x->message, b, y->message))
		return differs("keywords or message", where);
	if (!SAME_NAMED(a, x->level, b, y->level) || !SAME_NAMED(a, x->opcode, b, y->opcode) ||
	    !SAME_NAMED(a, x->task, b, y->task))
		return differs("level, task or opcode", where);
	if (!x->channel != !y->channel || (x->channel && strcmp(x->channel->name, y->channel->name)))
		return differs("channel", where);
	return same_template(a, x->template, b, y->template);
}

static int same_opcodes(const struct etw_mf_provider *x, const struct etw_mf_provider *y,
			uint16_t task)
{
	unsigned int v;

	for (v = 0; v < 256; v++) {
		const struct etw_mf_named *o = etw_mf_opcode(x, task, v);
		const struct etw_mf_named *p = etw_mf_opcode(y, task, v);

		if (!SAME_NAMED(x->manifest, o, y->manifest, p))
			return differs("opcode", o ? o->name : p->name);
	}
	return 1;
}

static int same_names(const struct etw_mf_provider *x, const struct etw_mf_provider *y)
{
	unsigned int v;

	for (v = 0; v < 256; v++) {
		const struct etw_mf_named *l = etw_mf_part(x, ETW_PART_LEVEL, v);
		const struct etw_mf_named *m = etw_mf_part(y, ETW_PART_LEVEL, v);
		const struct etw_mf_channel *c = etw_mf_part(x, ETW_PART_CHANNEL, v);
		const struct etw_mf_channel *d = etw_mf_part(y, ETW_PART_CHANNEL, v);

		if (!SAME_NAMED(x->manifest, l, y->manifest, m))
			return differs("level", l ? l->name : m->name);
		/* The provider that defines an imported channel has its message. */
		if (!c != !d || (c && !c->imported && !SAME_NAMED(x->manifest, c, y->manifest, d)) ||
		    (c && (strcmp(c->name, d->name) || c->keyword != d->keyword ||
			   c->imported != d->imported)))
			return differs("channel", c ? c->name : d->name);
	}
	for (v = 0; v < 64; v++) {
		const struct etw_mf_named *k = etw_mf_part(x, ETW_PART_KEYWORD, 1ull << v);
		const struct etw_mf_named *l = etw_mf_part(y, ETW_PART_KEYWORD, 1ull << v);

		if (!SAME_NAMED(x->manifest, k, y->manifest, l))
			return differs("keyword", k ? k->name : l->name);
	}
	for (v = 0; v < x->task_count; v++) {
		const struct etw_mf_task *t = &x->tasks[v];
		const struct etw_mf_task *u = etw_mf_part(y, ETW_PART_TASK, t->value);

		if (!SAME_NAMED(x->manifest, t, y->manifest, u) ||
		    memcmp(&t->event_guid, &u->event_guid, sizeof(GUID)))
			return differs("task", t->name);
		if (!same_opcodes(x, y, t->value))
			return 0;
	}
	return same_opcodes(x, y, 0);
}

static int same_filters(const struct etw_mf_provider *x, const struct etw_mf_provider *y)
{
	unsigned int i;

	for (i = 0; i < x->filter_count; i++) {
		const struct etw_mf_filter *f = &x->filters[i], *g = &y->filters[i];

		if (!SAME_NAMED(x->manifest, f, y->manifest, g) || f->value != g->value ||
		    f->version != g->version ||
		    !same_template(x->manifest, f->template, y->manifest, g->template))
			return differs("filter", f->name);
	}
	return 1;
}

/* Each map by its name; they are few. */
static int same_maps(const struct etw_mf_provider *x, const struct etw_mf_provider *y)
{
	unsigned int i, j;

	for (i = 0; i < x->map_count; i++) {
		for (j = 0; j < y->map_count; j++) {
			if (same_map(x->manifest, &x->maps[i], y->manifest, &y->maps[j]))
				break;
		}
		if (j == y->map_count)
			return differs("map", x->maps[i].name);
	}
	return 1;
}

static int same_provider(const struct etw_mf_provider *x, const struct etw_mf_provider *y)
{
	unsigned int i;

	if (memcmp(&x->guid, &y->guid, sizeof(GUID)) || strcmp(x->name, y->name) ||
	    memcmp(&x->control_guid, &y->control_guid, sizeof(GUID)) ||
	    memcmp(&x->group_guid, &y->group_guid, sizeof(GUID)) ||
	    x->has_control_guid != y->has_control_guid ||
	    !same_message(x->manifest, x->message, y->manifest, y->message))
		return differs("provider", x->name);
	if (x->channel_count != y->channel_count || x->level_count != y->level_count ||
	    x->task_count != y->task_count || x->opcode_count != y->opcode_count ||
	    x->keyword_count != y->keyword_count || x->map_count != y->map_count ||
	    x->template_count != y->template_count || x->event_count != y->event_count ||
	    x->filter_count != y->filter_count)
		return differs("number of things", x->name);
	if (!same_names(x, y))
		return 0;
	for (i = 0; i < x->event_count; i++) {
		const struct etw_mf_event *e = &x->events[i];

		if (!same_event(x->manifest, e, y->manifest,
				etw_mf_event_find(y, e->desc.Id, e->desc.Version)))
			return 0;
	}
	return same_maps(x, y) && same_filters(x, y);
}

int same_manifest(const struct etw_manifest *a, const struct etw_manifest *b)
{
	unsigned int i;

	if (!a || !b || a->provider_count != b->provider_count)
		return differs("number of providers", a ? a->file : "one");
	for (i = 0; i < a->provider_count; i++) {
		if (!same_provider(&a->providers[i], &b->providers[i]))
			return 0;
	}
	return 1;
}
