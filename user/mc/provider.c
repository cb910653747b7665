// SPDX-License-Identifier: MIT
/*
 * provider.c - generate a provider's names, GUIDs, traits and descriptors
 */
#include <stdlib.h>
#include <string.h>

#include "emit.h"

/*
 * The symbol of an event, or the name that it gets if it has none, or one that is an
 * object of another provider or a keyword.
 */
static const char *event_symbol(struct etw_mc *mc, const struct etw_mc_provider *p,
				const struct etw_mf_event *event)
{
	const EVENT_DESCRIPTOR *d = &event->desc;
	const struct etw_mc_entry *old = NULL;
	const char *name;

	if (event->symbol)
		old = etw_mc_claim(mc, event->symbol, "an event", event->line);
	if (event->symbol && !old)
		return event->symbol;
	name = etw_mc_text(mc, "%s_EVENT_0x%x_%x_%x_%x_%x_%x_%llx", p->symbol, d->Id, d->Version,
			   d->Channel, d->Level, d->Opcode, d->Task, d->Keyword);
	if (old)
		etw_mc_warn(mc, event->line, "symbol \"%s\" is %s already: this event is %s",
			    event->symbol, etw_mc_where(mc, old), name);
	etw_mc_symbol(mc, name, "an event", event->line);
	return name;
}

static const char *control_symbol(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	return etw_mc_text(mc, "%s_ControlGuid", p->symbol);
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

/* Names that are alike as identifiers, such as A-B and A.B, get the symbol at their end. */
static void prepare_names(struct etw_mc *mc, struct etw_mc_provider *p)
{
	const char *objects;
	struct etw_mc_entry *old;

	p->suffix = etw_mc_word(mc, p->provider->name);
	p->name = etw_mc_identifier(mc, p->provider->name);
	p->symbol = p->provider->symbol ? p->provider->symbol : p->name;
	objects = etw_mc_text(mc, "%sEnableBits", p->name);
	old = etw_mc_claim(mc, objects, "the EnableBits of a provider", p->provider->line);
	if (!old)
		return;
	p->suffix = etw_mc_text(mc, "%s_%s", p->suffix, p->symbol);
	p->name = etw_mc_text(mc, "%s_%s", p->name, p->symbol);
	etw_mc_warn(mc, p->provider->line,
		    "the name as an identifier is that of the provider in line %u: macros have %s instead",
		    old->line, p->suffix);
	etw_mc_symbol(mc, etw_mc_text(mc, "%sEnableBits", p->name), "the EnableBits of a provider",
		      p->provider->line);
}

static void prepare_provider(struct etw_mc *mc, struct etw_mc_provider *p)
{
	const struct etw_mf_provider *provider = p->provider;

	prepare_names(mc, p);
	p->traits = provider->has_traits ||
		    (provider->has_control_guid &&
		     !etw_mc_guid_equal(&provider->control_guid, &provider->guid));
	etw_mc_symbol(mc, p->symbol, "the GUID of a provider", provider->line);
	if (provider->has_control_guid)
		etw_mc_symbol(mc, control_symbol(mc, p), "the GUID of a provider", provider->line);
}

/* Objects come first: constants with their names give way. */
void etw_mc_prepare(struct etw_mc *mc)
{
	unsigned int i;

	mc->providers = etw_mc_alloc(mc, mc->manifest->provider_count * sizeof(*mc->providers));
	for (i = 0; i < mc->manifest->provider_count; i++) {
		mc->providers[i].provider = &mc->manifest->providers[i];
		prepare_provider(mc, &mc->providers[i]);
	}
	for (i = 0; i < mc->manifest->provider_count; i++)
		prepare_events(mc, &mc->providers[i]);
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

void etw_mc_guid_object(struct etw_mc *mc, const char *symbol, const char *value)
{
	etw_mc_print(mc, ETW_MC_SELECTANY "const GUID %s = %s;\n", symbol, value);
}

static void descriptors(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	unsigned int i;

	etw_mc_print(mc, "\n/* Events */\n");
	for (i = 0; i < p->event_count; i++) {
		const EVENT_DESCRIPTOR *d = &p->events[i].event->desc;
		const char *symbol = p->events[i].symbol;

		etw_mc_print(mc, ETW_MC_SELECTANY "const EVENT_DESCRIPTOR %s = "
			     "{0x%x, 0x%x, 0x%x, 0x%x, 0x%x, 0x%x, 0x%llx};\n"
			     "#define %s_value 0x%x\n", symbol, d->Id, d->Version, d->Channel,
			     d->Level, d->Opcode, d->Task, d->Keyword, symbol, d->Id);
	}
}

void etw_mc_provider(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const struct etw_mf_provider *provider = p->provider;

	etw_mc_print(mc, "\n");
	etw_mc_comment(mc, "Provider \"", provider->name,
		       etw_mc_text(mc, "\", %u events", provider->event_count));
	etw_mc_guid_object(mc, p->symbol, etw_mc_guid(mc, &provider->guid));
	if (provider->has_control_guid)
		etw_mc_guid_object(mc, control_symbol(mc, p),
				   etw_mc_guid(mc, &provider->control_guid));
	traits(mc, p);
	etw_mc_constants(mc, p);
	descriptors(mc, p);
}
