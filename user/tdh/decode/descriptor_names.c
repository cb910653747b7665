// SPDX-License-Identifier: MIT
/*
 * descriptor_names.c - all names of a part of an event's descriptor
 *
 * The displayed name is a message in the user's language. Manifests and programs also
 * have names that do not depend on the language: "win:Stop", "Stop", a symbol, a
 * channel's id.
 */
#include "decoder.h"

struct part {
	const char *name, *symbol, *id;
	const struct etw_mf_message *message;
};

#define PART(p)		((struct part){ (p)->name, (p)->symbol, NULL, (p)->message })
#define CHANNEL(c)	((struct part){ (c)->name, (c)->symbol, (c)->id, (c)->message })

/* The i-th name, from 0; the displayed one comes first; NULL: no more. */
static const char *part_name(const struct part *part, const struct etw_manifest *manifest,
			     unsigned int i)
{
	const char *names[] = {
		part->name, strncmp(part->name, "win:", 4) ? NULL : part->name + 4,
		part->symbol, part->id,
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
 * The part's definition: the event's own, the provider's, or the standard one. A channel
 * or an opcode of 0 has no name unless the event's schema names it, since 0 means unset.
 */
static bool find_part(const struct etw_decoder *d, enum etw_part what, struct part *part)
{
	const EVENT_DESCRIPTOR *desc = &d->record->EventHeader.EventDescriptor;
	const struct etw_mf_provider *provider = d->keywords ? d->keywords->provider : NULL;
	const struct etw_mf_event *event = d->plan ? d->plan->event : NULL;
	const struct etw_mf_channel *channel;
	const struct etw_mf_named *named;
	const struct etw_mf_task *task;

	switch (what) {
	case ETW_PART_LEVEL:
		named = event && event->desc.Level == desc->Level ? event->level : NULL;
		if (!named)
			named = provider ? etw_mf_level(provider, desc->Level) :
					   etw_standard_level(desc->Level);
		return named && (*part = PART(named), true);
	case ETW_PART_OPCODE:
		named = event && (!provider || event->desc.Opcode == desc->Opcode) ?
			event->opcode : NULL;
		if (!named && desc->Opcode)
			named = provider ? etw_mf_opcode(provider, desc->Task, desc->Opcode) :
					   etw_standard_opcode(desc->Opcode);
		return named && (*part = PART(named), true);
	case ETW_PART_TASK:
		task = event && (!provider || event->desc.Task == desc->Task) ? event->task : NULL;
		if (!task && provider && desc->Task)
			task = etw_mf_task(provider, desc->Task);
		return task && (*part = PART(task), true);
	default:
		channel = event && event->desc.Channel == desc->Channel ? event->channel : NULL;
		if (!channel && desc->Channel)
			channel = provider ? etw_mf_channel(provider, desc->Channel) :
					     etw_standard_channel(desc->Channel);
		return channel && (*part = CHANNEL(channel), true);
	}
}

const char *etw_decode_part(const struct etw_decoder *d, enum etw_part what)
{
	struct part part;

	if (!find_part(d, what, &part))
		return NULL;
	return what == ETW_PART_CHANNEL ? part.name :
		etw_label(d->keywords ? d->keywords->manifest : NULL, part.message, part.name);
}

/* The i-th name of one bit */
static const char *keyword_name(const struct etw_schema_plan *plan, uint64_t bit, unsigned int i)
{
	const struct etw_mf_channel *channel = NULL;
	const struct etw_mf_keyword *keyword;
	struct part part;

	if (plan)
		channel = etw_mf_keyword_channel(plan->provider, bit);
	if (channel) {
		part = CHANNEL(channel);
		/* TDH uses the name here, not the message. */
		return i ? part_name(&part, plan->manifest, i - 1) : channel->name;
	}
	keyword = plan ? etw_mf_keyword(plan->provider, bit) : etw_standard_keyword(bit);
	if (!keyword)
		return NULL;
	part = PART(keyword);
	return part_name(&part, plan ? plan->manifest : NULL, i);
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
	struct part part;

	if (!d->record)
		return NULL;
	if (what == ETW_PART_KEYWORD)
		return any_keyword_name(d, i);
	if (!shown || !i)
		return shown;
	return find_part(d, what, &part) ?
		part_name(&part, d->keywords ? d->keywords->manifest : NULL, i - 1) : NULL;
}
