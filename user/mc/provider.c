// SPDX-License-Identifier: MIT
/*
 * provider.c - generate a provider's names, GUIDs, traits, constants and descriptors
 */
#include <stdlib.h>
#include <string.h>

#include "emit.h"

/* The symbol of an event, or a generated name if it has none. */
static const char *event_symbol(struct etw_mc *mc, const struct etw_mc_provider *p,
				const struct etw_mf_event *event)
{
	const EVENT_DESCRIPTOR *d = &event->desc;

	if (event->symbol)
		return event->symbol;
	return etw_mc_text(mc, "%s_EVENT_0x%x_%x_%x_%x_%x_%x_%llx", p->symbol, d->Id, d->Version,
			   d->Channel, d->Level, d->Opcode, d->Task, d->Keyword);
}

/* The bit for a level and keyword; new pairs get the next number. */
static unsigned int bit_of(struct etw_mc *mc, struct etw_mc_provider *p,
			   const EVENT_DESCRIPTOR *d)
{
	const char *key = etw_mc_text(mc, "%x:%llx", d->Level, d->Keyword);
	const char *number = etw_mc_text(mc, "%u", p->bit_count);
	const struct etw_mc_entry *old = etw_mc_add(mc, p->bits, key, number, 0);

	if (old)
		return (unsigned int)strtoul(old->value, NULL, 10);
	p->bits[p->bit_count].level = d->Level;
	p->bits[p->bit_count].keyword = d->Keyword;
	return p->bit_count++;
}

static void prepare_events(struct etw_mc *mc, struct etw_mc_provider *p)
{
	const char *strip = mc->options->strip;
	unsigned int i;

	p->events = etw_mc_alloc(mc, p->provider->event_count * sizeof(*p->events));
	/* One more, because etw_mc_bits() prints the first one even if there are none. */
	p->bits = etw_mc_alloc(mc, (p->provider->event_count + 1ul) * sizeof(*p->bits));
	for (i = 0; i < p->provider->event_count; i++) {
		const struct etw_mf_event *event = &p->provider->events[i];
		struct etw_mc_event *e = &p->events[p->event_count];

		if (event->not_logged)
			continue;
		e->event = event;
		e->symbol = event_symbol(mc, p, event);
		e->macro = e->symbol;
		if (strip && !strncmp(e->symbol, strip, strlen(strip)) && e->symbol[strlen(strip)])
			e->macro += strlen(strip);
		etw_mc_arguments(mc, e);
		e->bit = bit_of(mc, p, &event->desc);
		p->event_count++;
	}
	if (p->bit_count > 0xFFFF)
		etw_mc_error(mc, p->provider->line,
			     "provider \"%s\": %u pairs of level and keyword, at most 65535 are supported",
			     p->provider->name, p->bit_count);
}

void etw_mc_prepare(struct etw_mc *mc)
{
	unsigned int i;

	mc->providers = etw_mc_alloc(mc, mc->manifest->provider_count * sizeof(*mc->providers));
	for (i = 0; i < mc->manifest->provider_count; i++) {
		const struct etw_mf_provider *provider = &mc->manifest->providers[i];
		struct etw_mc_provider *p = &mc->providers[i];

		p->provider = provider;
		p->suffix = etw_mc_word(mc, provider->name);
		p->name = etw_mc_identifier(mc, provider->name);
		p->symbol = provider->symbol ? provider->symbol : p->name;
		p->traits = provider->has_traits ||
			    (provider->has_control_guid &&
			     !etw_mc_guid_equal(&provider->control_guid, &provider->guid));
		prepare_events(mc, p);
	}
}

/* Bytes as part of a string literal. */
static void bytes(struct etw_mc *mc, const void *data, size_t size)
{
	const unsigned char *b = data;
	size_t i;

	etw_mc_print(mc, "\"");
	for (i = 0; i < size; i++)
		etw_mc_print(mc, "\\x%02x", b[i]);
	etw_mc_print(mc, "\"");
}

static void chunk(struct etw_mc *mc, unsigned char type, const GUID *guid)
{
	const unsigned char head[3] = { 3 + sizeof(*guid), 0, type };

	etw_mc_print(mc, " \\\n\t");
	bytes(mc, head, sizeof(head));
	etw_mc_print(mc, " ");
	bytes(mc, guid, sizeof(*guid));
}

/* The traits, in the layout of EventSetInformation(): size, name and chunks. */
static void traits(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	static const GUID none;
	const struct etw_mf_provider *provider = p->provider;
	bool group = !etw_mc_guid_equal(&provider->group_guid, &none);
	bool decode = provider->has_control_guid &&
		      !etw_mc_guid_equal(&provider->control_guid, &provider->guid);
	const char *name = provider->include_name ? provider->name : "";
	unsigned int total = 2 + strlen(name) + 1 + (group + decode) * (3 + sizeof(GUID));
	const unsigned char size[2] = { total & 0xFF, total >> 8 };

	etw_mc_print(mc, "\n#ifndef %s_Traits\n#define %s_Traits ", p->symbol, p->symbol);
	if (p->traits) {
		bytes(mc, size, sizeof(size));
		etw_mc_print(mc, " ");
		etw_mc_print(mc, "\"%s\\000\"", etw_mc_literal(mc, name));
		if (decode)
			chunk(mc, 2, &provider->guid);
		if (group)
			chunk(mc, 1, &provider->group_guid);
	} else {
		etw_mc_print(mc, "NULL");
	}
	etw_mc_print(mc, "\n#endif\n");
}

static void define(struct etw_mc *mc, const char *symbol, unsigned long long value,
		   unsigned int line)
{
	const char *text = etw_mc_text(mc, "0x%llx", value);

	if (symbol && *symbol && etw_mc_symbol(mc, symbol, text, line))
		etw_mc_print(mc, "#define %s %s\n", symbol, text);
}

static void object_guid(struct etw_mc *mc, const char *symbol, const GUID *guid,
			unsigned int line)
{
	const char *value = etw_mc_guid(mc, guid);

	if (etw_mc_symbol(mc, symbol, value, line))
		etw_mc_print(mc, ETW_MC_SELECTANY "const GUID %s = %s;\n", symbol, value);
}

static void channel(struct etw_mc *mc, const struct etw_mc_provider *p,
		    const struct etw_mf_channel *c, const char *symbol)
{
	if (!symbol)
		symbol = etw_mc_text(mc, "%s_CHANNEL_%s", p->symbol,
				     etw_mc_word(mc, c->id ? c->id : c->name));
	define(mc, symbol, c->value, c->line);
	if (c->keyword)
		define(mc, etw_mc_text(mc, "%s_KEYWORD", symbol), c->keyword, c->line);
}

static const char *channel_word(struct etw_mc *mc, const struct etw_mf_channel *c)
{
	return etw_mc_text(mc, "%llu", (unsigned long long)c->value);
}

/* The provider's channels, and standard channels that events use without importChannel. */
static void channels(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const struct etw_mf_provider *provider = p->provider;
	unsigned int i;

	etw_mc_print(mc, "\n/* Channels */\n");
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

static void named(struct etw_mc *mc, const char *what, const struct etw_mf_named *list,
		  unsigned int count)
{
	unsigned int i;

	if (*what)
		etw_mc_print(mc, "\n/* %s */\n", what);
	for (i = 0; i < count; i++)
		define(mc, list[i].symbol, list[i].value, list[i].line);
}

static void tasks(struct etw_mc *mc, const struct etw_mf_provider *provider)
{
	static const GUID none;
	unsigned int i;

	etw_mc_print(mc, "\n/* Tasks, and their own opcodes */\n");
	for (i = 0; i < provider->task_count; i++) {
		const struct etw_mf_task *task = &provider->tasks[i];

		define(mc, task->symbol, task->value, task->line);
		if (!etw_mc_guid_equal(&task->event_guid, &none))
			object_guid(mc, etw_mc_text(mc, "%sId", etw_mc_identifier(mc, task->name)),
				    &task->event_guid, task->line);
		named(mc, "", task->opcodes, task->opcode_count);
	}
}

static void keywords_maps_filters(struct etw_mc *mc, const struct etw_mf_provider *provider)
{
	unsigned int i, j;

	named(mc, "Keywords", provider->keywords, provider->keyword_count);
	etw_mc_print(mc, "\n/* Maps */\n");
	for (i = 0; i < provider->map_count; i++)
		for (j = 0; j < provider->maps[i].count; j++)
			define(mc, provider->maps[i].entries[j].symbol,
			       provider->maps[i].entries[j].value,
			       provider->maps[i].entries[j].line);
	etw_mc_print(mc, "\n/* Filters */\n");
	for (i = 0; i < provider->filter_count; i++)
		define(mc, provider->filters[i].symbol, provider->filters[i].value,
		       provider->filters[i].line);
}

static void descriptors(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	unsigned int i;

	etw_mc_print(mc, "\n/* Events */\n");
	for (i = 0; i < p->event_count; i++) {
		const struct etw_mc_event *e = &p->events[i];
		const EVENT_DESCRIPTOR *d = &e->event->desc;
		char *value = etw_mc_text(mc, "{0x%x, 0x%x, 0x%x, 0x%x, 0x%x, 0x%x, 0x%llx}",
					  d->Id, d->Version, d->Channel, d->Level, d->Opcode,
					  d->Task, d->Keyword);

		/* Reading the manifest refuses two events with the same symbol. */
		if (!etw_mc_symbol(mc, e->symbol, value, e->event->line))
			continue;
		etw_mc_print(mc, ETW_MC_SELECTANY "const EVENT_DESCRIPTOR %s = %s;\n"
			     "#define %s_value 0x%x\n", e->symbol, value, e->symbol, d->Id);
	}
}

void etw_mc_constants(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const struct etw_mf_provider *provider = p->provider;

	etw_mc_print(mc, "\n");
	etw_mc_comment(mc, "Provider \"", provider->name,
		       etw_mc_text(mc, "\", %u events", provider->event_count));
	object_guid(mc, p->symbol, &provider->guid, provider->line);
	if (provider->has_control_guid)
		object_guid(mc, etw_mc_text(mc, "%s_ControlGuid", p->symbol),
			    &provider->control_guid, provider->line);
	traits(mc, p);
	channels(mc, p);
	named(mc, "Levels", provider->levels, provider->level_count);
	named(mc, "Opcodes", provider->opcodes, provider->opcode_count);
	tasks(mc, provider);
	keywords_maps_filters(mc, provider);
	descriptors(mc, p);
}
