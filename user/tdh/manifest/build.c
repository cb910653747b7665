/* SPDX-License-Identifier: MIT */
/*
 * build.c - build the model from drafts: providers and their definitions
 */
#include <string.h>

#include "manifest.h"

/* Report an error if another thing in the scope has the name. */
static void claim_name(struct etw_mx *x, const void *scope, const char *kind, const char *name,
		       void *thing, unsigned int line)
{
	/* An empty name has been reported already. */
	if (*name && etw_mx_claim(x, scope, name, thing))
		etw_mx_error(x, line, kind, name, "another %s has this name, too", kind);
}

static void claim_value(struct etw_mx *x, const void *scope, const char *kind, const char *name,
			uint64_t value, void *thing, unsigned int line)
{
	if (etw_mx_claim_number(x, scope, value, thing))
		etw_mx_error(x, line, kind, name, "another %s has value %llu, too", kind,
			     (unsigned long long)value);
}

static struct etw_mf_named *named_array(struct etw_mx *x, const struct manifest_list *list,
					const char *kind)
{
	struct etw_mf_named *array = etw_mx_array(x, list->count, sizeof(*array)), *n = array;
	const struct manifest_named *draft;

	manifest_for_each(draft, list) {
		if (x->err)
			return NULL;
		*n = draft->n;
		n->message = etw_mx_message_of(x, draft->message, n->line, kind, n->name);
		claim_name(x, list, kind, n->name, n, n->line);
		claim_value(x, list, kind, n->name, n->value, n, n->line);
		n++;
	}
	return array;
}

static void build_tasks(struct etw_mx *x, struct manifest_provider *p)
{
	struct etw_mf_task *t = etw_mx_array(x, p->tasks.count, sizeof(*t));
	struct manifest_task *draft;

	p->p.tasks = t;
	p->p.task_count = p->tasks.count;
	manifest_for_each(draft, &p->tasks) {
		if (x->err)
			return;
		*t = draft->t;
		t->message = etw_mx_message_of(x, draft->message, t->line, "task", t->name);
		t->opcodes = named_array(x, &draft->opcodes, "opcode");
		t->opcode_count = draft->opcodes.count;
		/*
		 * Register the draft under the task's name, since it holds the list of
		 * opcodes.
		 */
		draft->t = *t;
		claim_name(x, &p->tasks, "task", t->name, draft, t->line);
		claim_value(x, &p->tasks, "task", t->name, t->value, t, t->line);
		draft->built = t++;
	}
}

static void build_keywords(struct etw_mx *x, struct manifest_provider *p)
{
	struct etw_mf_keyword *k = etw_mx_array(x, p->keywords.count, sizeof(*k));
	const struct manifest_keyword *draft;

	p->p.keywords = k;
	p->p.keyword_count = p->keywords.count;
	manifest_for_each(draft, &p->keywords) {
		if (x->err)
			return;
		*k = draft->k;
		k->message = etw_mx_message_of(x, draft->message, k->line, "keyword", k->name);
		claim_name(x, &p->keywords, "keyword", k->name, k, k->line);
		if (k->mask && etw_mx_claim_number(x, &p->keywords, k->mask, k))
			etw_mx_error(x, k->line, "keyword", k->name,
				     "another keyword has mask 0x%llx, too",
				     (unsigned long long)k->mask);
		k++;
	}
}

static void build_named(struct etw_mx *x, struct manifest_provider *p)
{
	p->p.levels = named_array(x, &p->levels, "level");
	p->p.level_count = p->levels.count;
	p->p.opcodes = named_array(x, &p->opcodes, "opcode");
	p->p.opcode_count = p->opcodes.count;
	build_tasks(x, p);
	build_keywords(x, p);
}

static void build_entries(struct etw_mx *x, const struct manifest_map *draft, struct etw_mf_map *map)
{
	struct etw_mf_map_entry *e = etw_mx_array(x, draft->entries.count, sizeof(*e));
	const char *kind = map->kind == ETW_MAP_BITS ? "bitMap" : "valueMap";
	const struct manifest_entry *entry;

	map->entries = e;
	map->count = draft->entries.count;
	manifest_for_each(entry, &draft->entries) {
		if (x->err)
			return;
		*e = entry->e;
		e->message = etw_mx_message_of(x, entry->message, e->line, kind, map->name);
		if (map->kind != ETW_MAP_PATTERN &&
		    etw_mx_claim_number(x, draft, e->value, e))
			etw_mx_warn(x, e->line, kind, map->name,
				    "value 0x%x is there twice: the first one counts", e->value);
		e++;
	}
}

static void build_maps(struct etw_mx *x, struct manifest_provider *p)
{
	struct etw_mf_map *map = etw_mx_array(x, p->maps.count, sizeof(*map));
	const struct manifest_map *draft;

	p->p.maps = map;
	p->p.map_count = p->maps.count;
	manifest_for_each(draft, &p->maps) {
		if (x->err)
			return;
		*map = draft->m;
		claim_name(x, &p->maps, "map", map->name, map, map->line);
		build_entries(x, draft, map);
		map++;
	}
}

static void build_filters(struct etw_mx *x, struct manifest_provider *p)
{
	struct etw_mf_filter *f = etw_mx_array(x, p->filters.count, sizeof(*f));
	const struct manifest_filter *draft;

	p->p.filters = f;
	p->p.filter_count = p->filters.count;
	manifest_for_each(draft, &p->filters) {
		if (x->err)
			return;
		*f = draft->f;
		f->message = etw_mx_message_of(x, draft->message, f->line, "filter", f->name);
		claim_name(x, &p->filters, "filter", f->name, f, f->line);
		if (etw_mx_claim_number(x, &p->filters, f->version << 8 | f->value, f))
			etw_mx_error(x, f->line, "filter", f->name,
				     "another filter has value %u and version %u, too",
				     f->value, f->version);
		if (draft->template) {
			f->template = etw_mx_find(x, &p->templates, draft->template);
			if (!f->template)
				etw_mx_error(x, f->line, "filter", f->name,
					     "template \"%s\" is not defined", draft->template);
		}
		f++;
	}
}

static void claim_provider(struct etw_mx *x, struct manifest_provider *p)
{
	const struct etw_mf_provider *other = x->manifest->providers;
	unsigned int i;

	claim_name(x, &x->providers, "provider", p->p.name, p, p->p.line);
	for (i = 0; i < x->manifest->provider_count; i++, other++)
		if (!memcmp(&p->p.guid, &other->guid, sizeof(GUID)))
			etw_mx_error(x, p->p.line, "provider", p->p.name,
				     "provider \"%s\" has this guid, too", other->name);
}

static void build_provider(struct etw_mx *x, struct manifest_provider *p)
{
	claim_provider(x, p);
	p->p.message = etw_mx_message_of(x, p->message, p->p.line, "provider", p->p.name);
	etw_mx_build_channels(x, p);
	build_named(x, p);
	build_maps(x, p);
	etw_mx_build_templates(x, p);
	etw_mx_build_events(x, p);
	build_filters(x, p);
}

static void check_content(struct etw_mx *x)
{
	if (x->providers.count || x->table.count)
		return;
	etw_mx_error(x, 0, NULL, NULL, "no events here: there is no element provider%s",
		     x->others ? ", only instrumentation of other kinds" : "");
}

void etw_mx_build(struct etw_mx *x)
{
	struct etw_mf_provider *providers;
	struct manifest_provider *draft;

	check_content(x);
	etw_mx_build_messages(x);
	if (!x->err)
		etw_mx_build_table(x);
	providers = etw_mx_array(x, x->providers.count, sizeof(*providers));
	x->manifest->providers = providers;
	manifest_for_each(draft, &x->providers) {
		/* A higher count has been reported already. */
		if (x->err || x->manifest->provider_count == MX_PROVIDERS_MAX)
			break;
		build_provider(x, draft);
		providers[x->manifest->provider_count++] = draft->p;
	}
	if (!x->err)
		etw_mx_check_symbols(x);
}
