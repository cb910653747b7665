/* SPDX-License-Identifier: MIT */
/*
 * build.c - build the model from the tree: providers, and the lists of names and maps
 */
#include <string.h>

#include "manifest.h"
#include "base/guid.h"

/* ------------------------------------------------------------------------ lists */

/* The name of something that the provider defines, at r->at */
static void claim_own_name(struct manifest_reader *r, const void *scope, const char *name,
			   const void *thing)
{
	if (!strncmp(name, "win:", 4))
		etw_manifest_error(r, "names with win: are Windows' own");
	etw_manifest_claim_name(r, scope, name, thing);
}

/* Levels, opcodes or keywords; the scope of opcodes is their provider's list or their task. */
static const struct etw_mf_named *build_named(struct manifest_reader *r,
					      const struct manifest_node *parent,
					      enum manifest_list list, const void *scope,
					      unsigned int *count)
{
	struct etw_mf_named *named = etw_manifest_array_of(r, parent, list, sizeof(*named), count);
	struct etw_mf_named *n = named;
	const struct manifest_node *node;

	manifest_for_each(node, r, parent, list) {
		if (!etw_manifest_read_attributes(r, node, n)) {
			manifest_drop(n, *count);
			continue;
		}
		claim_own_name(r, scope, n->name, n);
		if (list != MANIFEST_KEYWORDS)
			etw_manifest_claim_value(r, scope, n->value, n);
		else if (n->value && etw_manifest_claim_number(r, scope, n->value, n))
			etw_manifest_error(r, "another keyword has mask 0x%llx, too",
					   (unsigned long long)n->value);
		etw_manifest_claim_symbol(r, n->symbol, r->at.kind, n->value);
		n++;
	}
	return named;
}

static void build_tasks(struct manifest_reader *r, const struct manifest_node *parent,
			struct etw_mf_provider *p)
{
	const struct manifest_node *node;
	struct etw_mf_task *t;

	t = etw_manifest_array_of(r, parent, MANIFEST_TASKS, sizeof(*t), &p->task_count);
	p->tasks = t;
	manifest_for_each(node, r, parent, MANIFEST_TASKS) {
		if (!etw_manifest_read_attributes(r, node, t)) {
			manifest_drop(t, p->task_count);
			continue;
		}
		claim_own_name(r, &p->tasks, t->name, t);
		etw_manifest_claim_value(r, &p->tasks, t->value, t);
		etw_manifest_claim_symbol(r, t->symbol, "task", t->value);
		t->opcodes = build_named(r, node, MANIFEST_OPCODES, t, &t->opcode_count);
		t++;
	}
}

/* In the generated header, which only the compiler makes, an entry's name begins with its map's. */
static void claim_entry(struct manifest_reader *r, const struct etw_mf_map *map,
			const struct etw_mf_map_entry *e)
{
	const char *of = map->symbol ?: "";
	char *symbol;

	if (r->lenient || !e->symbol || map->kind == ETW_MAP_PATTERN)
		return;
	symbol = etw_manifest_alloc(r->scratch, strlen(of) + strlen(e->symbol) + 1);
	if (!symbol) {
		etw_manifest_no_memory(r);
		return;
	}
	strcat(strcpy(symbol, of), e->symbol);
	etw_manifest_claim_symbol(r, symbol, "map entry", e->value);
}

static void build_entries(struct manifest_reader *r, const struct manifest_node *parent,
			  struct etw_mf_map *map)
{
	const struct manifest_place place = r->at;
	const struct manifest_node *node;
	struct etw_mf_map_entry *e;

	e = etw_manifest_array_of(r, parent, MANIFEST_ENTRIES, sizeof(*e), &map->count);
	map->entries = e;
	manifest_for_each(node, r, parent, MANIFEST_ENTRIES) {
		r->at = place;
		r->at.line = e->line = node->line;
		r->at.part = "map";
		r->lost = false;
		etw_manifest_convert(r, node, e);
		r->at.part = NULL;
		if (r->lost) {
			manifest_drop(e, map->count);
			continue;
		}
		if (map->kind != ETW_MAP_PATTERN &&
		    etw_manifest_claim_number(r, &map->entries, e->value, e))
			etw_manifest_warn(r, "value 0x%x is there twice: the first one counts",
					  e->value);
		claim_entry(r, map, e);
		e++;
	}
	r->at = place;
	if (!map->count)
		etw_manifest_error(r, "has no element map");
}

static void build_maps(struct manifest_reader *r, const struct manifest_node *parent,
		       struct etw_mf_provider *p)
{
	const struct manifest_node *node;
	struct etw_mf_map *map;

	map = etw_manifest_array_of(r, parent, MANIFEST_MAPS, sizeof(*map), &p->map_count);
	p->maps = map;
	manifest_for_each(node, r, parent, MANIFEST_MAPS) {
		map->kind = node->element - etw_element_maps;
		if (!etw_manifest_read_attributes(r, node, map)) {
			manifest_drop(map, p->map_count);
			continue;
		}
		build_entries(r, node, map);
		/* All kinds share their names. */
		r->at.kind = "map";
		etw_manifest_claim_name(r, &p->maps, map->name, map);
		etw_manifest_claim_symbol(r, map->symbol, "map", (uintptr_t)map);
		map++;
	}
}

static void build_filters(struct manifest_reader *r, const struct manifest_node *parent,
			  struct etw_mf_provider *p)
{
	const struct manifest_node *node;
	struct etw_mf_filter *f;
	const char *template;

	f = etw_manifest_array_of(r, parent, MANIFEST_FILTERS, sizeof(*f), &p->filter_count);
	p->filters = f;
	manifest_for_each(node, r, parent, MANIFEST_FILTERS) {
		if (!etw_manifest_read_attributes(r, node, f)) {
			manifest_drop(f, p->filter_count);
			continue;
		}
		claim_own_name(r, &p->filters, f->name, f);
		if (etw_manifest_claim_number(r, &p->filters, f->version << 8 | f->value, f))
			etw_manifest_error(r, "another filter has value %u and version %u, too",
					   f->value, f->version);
		etw_manifest_claim_symbol(r, f->symbol, "filter", (uintptr_t)f);
		template = etw_manifest_value(node, "tid");
		f->template = template ? etw_manifest_find(r, &p->templates, template) : NULL;
		if (template && !f->template)
			etw_manifest_error(r, "template \"%s\" is not defined", template);
		f++;
	}
}

/* --------------------------------------------------------------------- providers */

static bool is_zero(const GUID *guid)
{
	static const GUID zero;

	return !memcmp(guid, &zero, sizeof(zero));
}

static void check_name(struct manifest_reader *r, const char *name)
{
	size_t characters = 0, i;
	char which[48];

	for (i = 0; name[i]; i++)
		characters += (name[i] & 0xC0) != 0x80;
	if (characters > MANIFEST_NAME_MAX)
		etw_manifest_error(r, "a name has at most %u characters", MANIFEST_NAME_MAX);
	for (i = 0; name[i] && (unsigned char)name[i] >= ' '; i++)
		;
	if (!name[i])
		return;
	etw_manifest_character(name, i, which, sizeof(which));
	etw_manifest_error(r, "a name has no control characters: %s", which);
}

/*
 * The name is registered under the control GUID, and its last 32 letters and digits are
 * the GUID that decodes the events.
 */
static bool name_ends_in(const char *name, const GUID *guid)
{
	char text[ETW_GUID_TEXT];
	struct etw_guid plain;
	size_t at = strlen(name), digit = sizeof(text) - 1;

	memcpy(&plain, guid, sizeof(plain));
	etw_guid_format(&plain, text);
	while (digit-- > 0) {
		char want = text[digit];

		if (want == '{' || want == '-' || want == '}')
			continue;
		do {
			if (!at--)
				return false;
		} while (!((name[at] >= '0' && name[at] <= '9') ||
			   ((name[at] | 0x20) >= 'a' && (name[at] | 0x20) <= 'z')));
		if ((name[at] | 0x20) != want)
			return false;
	}
	return true;
}

static void check_guids(struct manifest_reader *r, const struct manifest_node *node,
			struct etw_mf_provider *p)
{
	unsigned int i;

	/* One that is not a GUID was reported. */
	p->has_control_guid = etw_manifest_value(node, "controlGuid") &&
			      (!r->lenient || !is_zero(&p->control_guid));
	if (!p->has_control_guid)
		p->control_guid = p->guid;
	else if (!is_zero(&p->control_guid) && memcmp(&p->guid, &p->control_guid, sizeof(GUID)) &&
		 !name_ends_in(p->name, &p->guid))
		etw_manifest_error(r, "with a controlGuid the name must end in the provider's guid");
	for (i = 0; i < r->manifest->provider_count; i++)
		if (!memcmp(&p->guid, &r->manifest->providers[i].guid, sizeof(GUID)))
			etw_manifest_error(r, "provider \"%s\" has this guid, too",
					   r->manifest->providers[i].name);
}

/* Dumps of unregistered providers have no names. */
static void name_by_guid(struct manifest_reader *r, struct etw_mf_provider *p)
{
	char text[ETW_GUID_TEXT];
	struct etw_guid plain;

	memcpy(&plain, &p->guid, sizeof(plain));
	etw_guid_format(&plain, text);
	p->name = etw_manifest_strdup(r->manifest, text, strlen(text));
	if (!p->name)
		etw_manifest_no_memory(r);
}

/* False: the decoder leaves it out. */
static bool read_provider(struct manifest_reader *r, const struct manifest_node *node,
			  struct etw_mf_provider *p)
{
	const struct manifest_node *traits;

	if (!etw_manifest_read_attributes(r, node, p))
		return false;
	if (r->lenient && !*p->name)
		name_by_guid(r, p);
	if (r->err)
		return false;
	check_name(r, p->name);
	check_guids(r, node, p);
	etw_manifest_claim_name(r, r->document, p->name, p);
	/* Different from those of other providers, and from its own elements' */
	etw_manifest_claim_symbol(r, p->symbol, "provider", (uintptr_t)p);
	r->symbols = p;
	etw_manifest_claim_symbol(r, p->symbol, "provider", (uintptr_t)p);
	manifest_for_each(traits, r, node, MANIFEST_TRAITS) {
		r->at.line = traits->line;
		if (p->has_traits)
			etw_manifest_error(r, "has a second element traits");
		p->has_traits = true;
		r->at.kind = traits->element->name;
		etw_manifest_convert(r, traits, p);
		r->at.kind = node->element->name;
	}
	return true;
}

static bool build_provider(struct manifest_reader *r, const struct manifest_node *node,
			   struct etw_mf_provider *p)
{
	r->symbols = NULL;
	if (!read_provider(r, node, p))
		return false;
	etw_manifest_build_channels(r, node, p);
	p->levels = build_named(r, node, MANIFEST_LEVELS, &p->levels, &p->level_count);
	p->opcodes = build_named(r, node, MANIFEST_OPCODES, &p->opcodes, &p->opcode_count);
	build_tasks(r, node, p);
	p->keywords = build_named(r, node, MANIFEST_KEYWORDS, &p->keywords, &p->keyword_count);
	build_maps(r, node, p);
	etw_manifest_build_templates(r, node, p);
	build_filters(r, node, p);
	etw_manifest_build_events(r, node, p);
	return true;
}

/* An empty manifest is right: mc.exe makes empty resources of it. */
static void report_empty(struct manifest_reader *r)
{
	etw_manifest_at(r, r->damage ? r->damage_line : r->document->line, NULL, NULL);
	if (r->damage)
		etw_manifest_fatal(r, "%s", r->damage);
	else if (r->others)
		etw_manifest_fatal(r, "no events here: there is no element provider, "
				   "only instrumentation of other kinds");
	else
		etw_manifest_warn(r, "no events here: there is no element provider");
}

/* Returns the number of providers to build. */
static unsigned int check_count(struct manifest_reader *r)
{
	const struct manifest_node *node;
	unsigned int count = 0, most;

	most = r->lenient ? MANIFEST_PROVIDERS_READ : MANIFEST_PROVIDERS_MAX;
	manifest_for_each(node, r, r->document, MANIFEST_PROVIDERS) {
		if (count++ < most)
			continue;
		etw_manifest_at(r, node->line, node->element->name, etw_manifest_value(node, "name"));
		r->at.cost = MANIFEST_COST_ELEMENT;
		etw_manifest_error(r, "a manifest has at most %u providers", most);
		return most;
	}
	if (!count && !r->manifest->entry_count)
		report_empty(r);
	return count;
}

void etw_manifest_build(struct manifest_reader *r)
{
	const struct manifest_node *node;
	struct etw_mf_provider *providers;
	unsigned int count, left;

	etw_manifest_build_messages(r);
	count = check_count(r);
	providers = etw_manifest_array(r, count, sizeof(*providers));
	r->manifest->providers = providers;
	left = count;
	manifest_for_each(node, r, r->document, MANIFEST_PROVIDERS) {
		if (!left--)
			break;
		struct etw_mf_provider *p = &providers[r->manifest->provider_count];

		if (build_provider(r, node, p))
			r->manifest->provider_count++;
		else
			memset(p, 0, sizeof(*p));
	}
	if (!r->wrong && !r->err)
		etw_manifest_import_types(r);
}
