/* SPDX-License-Identifier: MIT */
/*
 * symbols.c - symbols share one name space in the generated header
 *
 * A constant may occur twice with the same kind and value, as #define allows: opcodes
 * of two tasks or tasks of two providers are often equal.
 */
#include <string.h>

#include "manifest.h"

/* The owner of a symbol */
struct owner {
	const char *kind;
	uint64_t value;
	bool constant;		/* may occur twice with the same value */
	unsigned int line;
};

static void take(struct etw_mx *x, const char *symbol, const char *kind, uint64_t value,
		 bool constant, unsigned int line)
{
	static const char scope;
	const struct owner *other;
	struct owner *owner;

	if (!symbol || !*symbol || x->err)
		return;
	owner = etw_manifest_alloc(x->draft, sizeof(*owner));
	if (!owner) {
		etw_mx_no_memory(x);
		return;
	}
	*owner = (struct owner){ kind, value, constant, line };
	other = etw_mx_claim(x, &scope, symbol, owner);
	if (!other || (other->constant && constant && !strcmp(other->kind, kind) &&
		       other->value == value))
		return;
	etw_mx_error(x, line, kind, symbol, "symbol is that of another %s, too (line %u)",
		     other->kind, other->line);
}

static void take_named(struct etw_mx *x, const struct etw_mf_named *n, unsigned int count,
		       const char *kind)
{
	for (; count; count--, n++)
		take(x, n->symbol, kind, n->value, true, n->line);
}

static void take_maps(struct etw_mx *x, const struct etw_mf_provider *p)
{
	const struct etw_mf_map_entry *e;
	unsigned int i, j;

	for (i = 0; i < p->map_count; i++) {
		take(x, p->maps[i].symbol, "map", i, false, p->maps[i].line);
		for (j = 0; j < p->maps[i].count; j++) {
			e = &p->maps[i].entries[j];
			take(x, e->symbol, "map entry", e->value, true, e->line);
		}
	}
}

static void take_provider(struct etw_mx *x, const struct etw_mf_provider *p)
{
	unsigned int i;

	take(x, p->symbol, "provider", 0, false, p->line);
	for (i = 0; i < p->channel_count; i++)
		take(x, p->channels[i].symbol, "channel", p->channels[i].value, true,
		     p->channels[i].line);
	take_named(x, p->levels, p->level_count, "level");
	take_named(x, p->opcodes, p->opcode_count, "opcode");
	for (i = 0; i < p->task_count; i++) {
		take(x, p->tasks[i].symbol, "task", p->tasks[i].value, true, p->tasks[i].line);
		take_named(x, p->tasks[i].opcodes, p->tasks[i].opcode_count, "opcode");
	}
	for (i = 0; i < p->keyword_count; i++)
		take(x, p->keywords[i].symbol, "keyword", p->keywords[i].mask, true,
		     p->keywords[i].line);
	take_maps(x, p);
	for (i = 0; i < p->filter_count; i++)
		take(x, p->filters[i].symbol, "filter", p->filters[i].value, false,
		     p->filters[i].line);
	for (i = 0; i < p->event_count; i++)
		take(x, p->events[i].symbol, "event", 0, false, p->events[i].line);
}

void etw_mx_check_symbols(struct etw_mx *x)
{
	const struct etw_manifest *m = x->manifest;
	unsigned int i;

	for (i = 0; i < m->provider_count; i++)
		take_provider(x, &m->providers[i]);
	for (i = 0; i < m->entry_count; i++)
		take(x, m->entries[i].symbol, "message", m->entries[i].value, false,
		     m->entries[i].line);
}
