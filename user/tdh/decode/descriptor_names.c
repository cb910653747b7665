// SPDX-License-Identifier: MIT
/*
 * descriptor_names.c - all names of a part of an event's descriptor
 *
 * The displayed name is a message in the user's language. Manifests and programs also
 * have names that do not depend on the language: "win:Stop", "Stop", a symbol, a
 * channel's id.
 */
#include "decoder.h"

/* The i-th name, from 0; the displayed one comes first; id: or NULL. NULL: no more. */
static const char *part_name(const struct etw_mf_named *part, const char *id,
			     const struct etw_manifest *manifest, unsigned int i)
{
	const char *names[] = {
		part->name, strncmp(part->name, "win:", 4) ? NULL : part->name + 4,
		part->symbol, id,
	};
	const char *label = etw_label(manifest, part->message, part->name);
	size_t n;

	if (!i--)
		return label;
	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		if (names[n] && strcmp(names[n], label) && !i--)
			return names[n];
	return NULL;
}

/*
 * The part's definition: the event's own, the provider's, or the standard one; NULL: none.
 * A 0 has no name unless it is a level or the event's schema names it, since 0 means unset.
 */
static const void *find_part(const struct etw_decoder *d, enum etw_part what)
{
	const uint64_t value = etw_part_value(&d->record->EventHeader.EventDescriptor, what);
	const struct etw_mf_provider *provider = d->keywords ? d->keywords->provider : NULL;
	const struct etw_mf_event *event = d->plan ? d->plan->event : NULL;
	const void *own = NULL;

	/* The descriptors of built-in events are empty. */
	if (event && (!provider || etw_part_value(&event->desc, what) == value))
		own = etw_mf_event_part(event, what);
	if (own || (!value && what != ETW_PART_LEVEL))
		return own;
	if (what == ETW_PART_OPCODE)
		return etw_mf_opcode(provider, d->record->EventHeader.EventDescriptor.Task,
				     (uint8_t)value);
	return etw_mf_part(provider, what, value);
}

const char *etw_decode_part(const struct etw_decoder *d, enum etw_part what)
{
	const struct etw_mf_named *part = find_part(d, what);

	if (!part || what == ETW_PART_CHANNEL)
		return part ? part->name : NULL;
	return etw_label(d->keywords ? d->keywords->manifest : NULL, part->message, part->name);
}

/* The i-th name of one bit */
static const char *keyword_name(const struct etw_schema_plan *plan, uint64_t bit, unsigned int i)
{
	const struct etw_mf_channel *channel = NULL;
	const struct etw_mf_named *keyword;

	if (plan)
		channel = etw_mf_keyword_channel(plan->provider, bit);
	/* TDH uses a channel's name here, not the message. */
	if (channel)
		return i ? part_name(&channel->named, channel->id, plan->manifest, i - 1) :
			   channel->name;
	keyword = etw_mf_part(plan ? plan->provider : NULL, ETW_PART_KEYWORD, bit);
	return keyword ? part_name(keyword, NULL, plan ? plan->manifest : NULL, i) : NULL;
}

const char *etw_decode_keyword(struct etw_decoder *d, unsigned int i)
{
	const char *name;
	uint64_t bits;

	if (!d->record)
		return NULL;
	for (bits = d->record->EventHeader.EventDescriptor.Keyword; bits; bits &= bits - 1) {
		name = keyword_name(d->keywords, bits & (0 - bits), 0);
		if (name && !i--)
			return name;
	}
	return NULL;
}

static const char *any_keyword_name(const struct etw_decoder *d, unsigned int i)
{
	const char *name;
	unsigned int n;
	uint64_t bits;

	for (bits = d->record->EventHeader.EventDescriptor.Keyword; bits; bits &= bits - 1)
		for (n = 0; (name = keyword_name(d->keywords, bits & (0 - bits), n)); n++)
			if (!i--)
				return name;
	return NULL;
}

const char *etw_decode_descriptor_name(const struct etw_decoder *d, enum etw_part what, unsigned int i)
{
	const char *shown = what == ETW_PART_LEVEL ? d->event.level :
		what == ETW_PART_OPCODE ? d->event.opcode :
		what == ETW_PART_TASK ? d->event.task : d->event.channel;
	const struct etw_mf_named *part;

	if (!d->record)
		return NULL;
	if (what == ETW_PART_KEYWORD)
		return any_keyword_name(d, i);
	if (!shown || !i)
		return shown;
	part = find_part(d, what);
	if (!part)
		return NULL;
	return part_name(part, what == ETW_PART_CHANNEL ? ((const struct etw_mf_channel *)part)->id :
			 NULL, d->keywords ? d->keywords->manifest : NULL, i - 1);
}
