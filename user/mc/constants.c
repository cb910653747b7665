// SPDX-License-Identifier: MIT
/*
 * constants.c - generate the constants of a provider: values, map entries, message numbers
 *
 * One header may get the same symbol for several things, since symbols differ only within
 * a provider.  Of two constants the last one counts, as for compilers on Windows, which
 * only warn.  A constant with the symbol of an object, or of a map's entry, is not defined.
 * Names that mc.exe makes for what has no symbol come last, if they are free then.
 */
#include <limits.h>
#include <string.h>

#include "emit.h"

const char *etw_mc_where(struct etw_mc *mc, const struct etw_mc_entry *entry)
{
	return entry->line ? etw_mc_text(mc, "%s (line %u)", entry->value, entry->line) :
	       entry->value;
}

void etw_mc_symbol(struct etw_mc *mc, const char *symbol, const char *value, unsigned int line)
{
	const struct etw_mc_entry *old = etw_mc_claim(mc, symbol, value, line);

	if (old)
		etw_mc_error(mc, line, "symbol \"%s\" is %s already", symbol, etw_mc_where(mc, old));
}

/* Claim a symbol; false, with a warning unless it is the same: it is something else. */
static bool take(struct etw_mc *mc, const char *symbol, const char *value, unsigned int line)
{
	struct etw_mc_entry *old = etw_mc_claim(mc, symbol, value, line);

	if (old && strcmp(old->value, value))
		etw_mc_warn(mc, line, "symbol \"%s\" is %s already: not defined as %s", symbol,
			    etw_mc_where(mc, old), value);
	return !old;
}

void etw_mc_define(struct etw_mc *mc, const char *symbol, unsigned long long value,
		   const char *suffix, unsigned int line)
{
	const char *text = etw_mc_text(mc, *suffix ? "0x%08llX%s" : "0x%llx%s", value, suffix);
	struct etw_mc_entry *old;

	if (!symbol || !*symbol)
		return;
	old = etw_mc_claim(mc, symbol, text, line);
	if (old && !strcmp(old->value, text))
		return;
	if (old && strncmp(old->value, "0x", 2)) {
		etw_mc_warn(mc, line, "symbol \"%s\" is %s already: not defined as %s", symbol,
			    etw_mc_where(mc, old), text);
		return;
	}
	if (old) {
		etw_mc_warn(mc, line, "symbol \"%s\" is %s already: %s replaces it", symbol,
			    etw_mc_where(mc, old), text);
		*old = (struct etw_mc_entry){ text, line };
		etw_mc_print(mc, "#undef %s\n", symbol);
	}
	etw_mc_print(mc, "#define %s %s\n", symbol, text);
}

static void named(struct etw_mc *mc, const char *what, const struct etw_mf_named *list,
		  unsigned int count)
{
	unsigned int i;

	if (*what)
		etw_mc_print(mc, "\n/* %s */\n", what);
	for (i = 0; i < count; i++)
		etw_mc_define(mc, list[i].symbol, list[i].value, "", list[i].line);
}

static void tasks(struct etw_mc *mc, const struct etw_mf_provider *provider)
{
	static const GUID none;
	unsigned int i;

	etw_mc_print(mc, "\n/* Tasks, and their own opcodes */\n");
	for (i = 0; i < provider->task_count; i++) {
		const struct etw_mf_task *task = &provider->tasks[i];
		const char *id = etw_mc_text(mc, "%sId", etw_mc_identifier(mc, task->name));
		const char *guid = etw_mc_guid(mc, &task->event_guid);

		etw_mc_define(mc, task->symbol, task->value, "", task->line);
		if (!etw_mc_guid_equal(&task->event_guid, &none) && take(mc, id, guid, task->line))
			etw_mc_guid_object(mc, id, guid);
		named(mc, "", task->opcodes, task->opcode_count);
	}
}

/* ------------------------------------------------------------------------- maps */

/* What two maps must have in common for one definition to serve both */
static const char *map_text(struct etw_mc *mc, const struct etw_mf_map *m)
{
	struct etw_text text = { .data = NULL };
	const char *result;
	unsigned int i;

	etw_text_printf(&text, "map {");
	for (i = 0; i < m->count; i++)
		if (m->entries[i].symbol)
			etw_text_printf(&text, " %s = 0x%x", m->entries[i].symbol, m->entries[i].value);
	etw_text_printf(&text, " }");
	result = etw_mc_text(mc, "%s", text.error ? "" : text.data);
	etw_text_free(&text);
	return result;
}

/*
 * typedef enum _Map { MapEntry = 0x1, ... } Map;  An enumerator is an int, in ISO C as on
 * Windows.  The symbols of entries whose map has none are constants.
 */
static void map(struct etw_mc *mc, const struct etw_mf_map *m)
{
	bool open = false;
	unsigned int i;

	for (i = 0; i < m->count; i++) {
		const struct etw_mf_map_entry *e = &m->entries[i];
		const char *name, *value;

		if (!m->symbol)
			etw_mc_define(mc, e->symbol, e->value, "", e->line);
		if (!m->symbol || !e->symbol)
			continue;
		if (!open && !take(mc, m->symbol, map_text(mc, m), m->line))
			return;
		name = etw_mc_text(mc, "%s%s", m->symbol, e->symbol);
		value = etw_mc_text(mc, e->value > INT_MAX ? "(int)0x%xu" : "0x%x", e->value);
		if (!open)
			etw_mc_print(mc, "typedef enum _%s {\n", m->symbol);
		open = true;
		if (take(mc, name, etw_mc_text(mc, "a map's %s", value), e->line))
			etw_mc_print(mc, "\t%s = %s,\n", name, value);
	}
	if (open)
		etw_mc_print(mc, "} %s;\n", m->symbol);
}

void etw_mc_constants(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const struct etw_mf_provider *provider = p->provider;
	unsigned int i;

	etw_mc_print(mc, "\n/* Channels */\n");
	for (i = 0; i < provider->channel_count; i++)
		etw_mc_define(mc, provider->channels[i].symbol, provider->channels[i].value, "",
			      provider->channels[i].line);
	named(mc, "Levels", provider->levels, provider->level_count);
	named(mc, "Opcodes", provider->opcodes, provider->opcode_count);
	tasks(mc, provider);
	named(mc, "Keywords", provider->keywords, provider->keyword_count);
	etw_mc_print(mc, "\n/* Maps */\n");
	for (i = 0; i < provider->map_count; i++)
		if (provider->maps[i].kind != ETW_MAP_PATTERN)
			map(mc, &provider->maps[i]);
	etw_mc_print(mc, "\n/* Filters */\n");
	for (i = 0; i < provider->filter_count; i++)
		etw_mc_define(mc, provider->filters[i].symbol, provider->filters[i].value, "",
			      provider->filters[i].line);
}

/* ------------------------------------------------------- what has no symbol */

/* A constant with a name that mc.exe makes, unless the name is something already */
static void unnamed(struct etw_mc *mc, const char *symbol, unsigned long long value,
		    unsigned int line)
{
	if (!etw_mc_claim(mc, symbol, etw_mc_text(mc, "0x%llx", value), line))
		etw_mc_print(mc, "#define %s 0x%llx\n", symbol, value);
}

static void channel(struct etw_mc *mc, const struct etw_mc_provider *p,
		    const struct etw_mf_channel *c, const char *symbol)
{
	if (!symbol) {
		symbol = etw_mc_text(mc, "%s_CHANNEL_%s", p->symbol,
				     etw_mc_word(mc, c->id ? c->id : c->name));
		unnamed(mc, symbol, c->value, c->line);
	}
	if (c->keyword)
		unnamed(mc, etw_mc_text(mc, "%s_KEYWORD", symbol), c->keyword, c->line);
}

static const char *channel_word(struct etw_mc *mc, const struct etw_mf_channel *c)
{
	return etw_mc_text(mc, "%llu", (unsigned long long)c->value);
}

/*
 * The provider's channels, and standard channels that events use without importChannel, whose
 * symbols are those of winmeta.xml
 */
static void channels(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const struct etw_mf_provider *provider = p->provider;
	unsigned int i;

	for (i = 0; i < provider->channel_count; i++) {
		channel(mc, p, &provider->channels[i], provider->channels[i].symbol);
		etw_mc_add(mc, p->events, channel_word(mc, &provider->channels[i]), "", 0);
	}
	for (i = 0; i < provider->event_count; i++) {
		const struct etw_mf_channel *c = provider->events[i].channel;

		if (c && !etw_mc_add(mc, p->events, channel_word(mc, c), "", 0))
			channel(mc, p, c, NULL);
	}
}

static void names(struct etw_mc *mc, const struct etw_mc_provider *p, const char *kind,
		  const struct etw_mf_named *list, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!list[i].symbol)
			unnamed(mc, etw_mc_text(mc, "%s_%s_%s", p->symbol, kind,
						etw_mc_word(mc, list[i].name)),
				list[i].value, list[i].line);
}

void etw_mc_unnamed(struct etw_mc *mc)
{
	unsigned int i, j;

	for (i = 0; i < mc->manifest->provider_count; i++) {
		const struct etw_mc_provider *p = &mc->providers[i];
		const struct etw_mf_provider *provider = p->provider;

		etw_mc_print(mc, "\n");
		etw_mc_comment(mc, "Channels, tasks and opcodes without a symbol, of \"",
			       provider->name, "\"");
		channels(mc, p);
		names(mc, p, "OPCODE", provider->opcodes, provider->opcode_count);
		for (j = 0; j < provider->task_count; j++) {
			const struct etw_mf_task *task = &provider->tasks[j];

			names(mc, p, "TASK", &task->named, 1);
			names(mc, p, "OPCODE", task->opcodes, task->opcode_count);
		}
	}
}

/* --------------------------------------------------------------------- messages */

/* MSG_ and the id of the string, or of winmeta.xml's: those give way to the manifest's own. */
static void message(struct etw_mc *mc, const struct etw_message_id *id)
{
	const char *symbol = id->symbol;

	if (!symbol && !id->message->id)
		return;
	if (!symbol)
		symbol = etw_mc_text(mc, "MSG_%s", etw_mc_word(mc, id->message->id));
	if (!id->standard)
		etw_mc_define(mc, symbol, id->id, "L", id->line);
	else if (!etw_mc_claim(mc, symbol, etw_mc_text(mc, "0x%08XL", id->id), 0))
		etw_mc_print(mc, "#define %s 0x%08XL\n", symbol, id->id);
}

void etw_mc_messages(struct etw_mc *mc, const struct etw_message_ids *ids)
{
	unsigned int pass, i;

	if (ids->count)
		etw_mc_print(mc, "\n/* Messages */\n");
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < ids->count; i++)
			if (ids->list[i].standard == pass)
				message(mc, &ids->list[i]);
}
