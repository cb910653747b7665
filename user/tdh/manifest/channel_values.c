/* SPDX-License-Identifier: MIT */
/*
 * channel_values.c - channels get their values and their bits of the keyword
 *
 * Values that are given are taken first; the others get the lowest free ones from 16
 * on, in order.  Bits go down from 63 in the order of all channels, imported ones
 * included.
 */
#include <string.h>

#include "manifest.h"
#include "tdh/model/winmeta.h"

#define FIRST_VALUE	16u
#define FIRST_BIT	63u

static void claim_value(struct etw_mx *x, const struct manifest_list *channels, struct manifest_channel *draft)
{
	const struct manifest_channel *other;

	if (!draft->has_value)
		return;
	other = etw_mx_claim_number(x, channels, draft->c.value, draft);
	if (other)
		etw_mx_error(x, draft->c.line, "channel", draft->c.name,
			     "channel \"%s\" has value %u, too", other->c.name, draft->c.value);
}

static void give_values(struct etw_mx *x, const struct manifest_list *channels)
{
	unsigned int next = FIRST_VALUE;
	struct manifest_channel *draft;

	manifest_for_each(draft, channels)
		claim_value(x, channels, draft);
	manifest_for_each(draft, channels) {
		if (draft->has_value)
			continue;
		while (next <= UINT8_MAX && etw_mx_claim_number(x, channels, next, draft))
			next++;
		draft->c.value = (uint8_t)next++;
	}
}

/*
 * Events refer to a channel by its chid or its name; one's name may be another's chid,
 * and then the first one in the list that has it is meant.
 */
static void claim_names(struct etw_mx *x, const struct manifest_list *channels,
			struct etw_mf_channel *c)
{
	/* Scopes of their own: any other addresses do. */
	const void *names = &channels->count, *ids = (const char *)names + 1;
	const struct etw_mf_channel *other;

	if (!*c->name)
		return;
	other = etw_mx_claim(x, names, c->name, c);
	if (other)
		etw_mx_error(x, c->line, "channel", c->name,
			     "channel \"%s\" has this name, too", other->name);
	other = etw_mx_claim(x, ids, c->id, c);
	if (other && strcmp(other->name, c->name))
		etw_mx_error(x, c->line, "channel", c->name,
			     "channel \"%s\" has chid \"%s\", too", other->name, c->id);
	etw_mx_claim(x, channels, c->id, c);
	etw_mx_claim(x, channels, c->name, c);
}

/* An imported channel is of the type that another provider here gives it. */
static void learn_type(struct etw_mx *x, struct etw_mf_channel *c)
{
	const struct manifest_provider *p;
	const struct manifest_channel *other;

	manifest_for_each(p, &x->providers) {
		manifest_for_each(other, &p->channels) {
			if (other->c.imported || strcmp(other->c.name, c->name))
				continue;
			c->type = other->c.type;
			c->isolation = other->c.isolation;
			c->enabled = other->c.enabled;
			return;
		}
	}
}

void etw_mx_build_channels(struct etw_mx *x, struct manifest_provider *p)
{
	struct etw_mf_channel *c = etw_mx_array(x, p->channels.count, sizeof(*c));
	unsigned int bit = FIRST_BIT;
	struct manifest_channel *draft;

	p->p.channels = c;
	p->p.channel_count = p->channels.count;
	if (x->err)
		return;
	/* More than that were reported. */
	if (p->channels.count > MX_CHANNELS_MAX || x->providers.count > MX_PROVIDERS_MAX)
		return;
	give_values(x, &p->channels);
	manifest_for_each(draft, &p->channels) {
		*c = draft->c;
		if (c->imported && !etw_standard_channel_named(c->name))
			learn_type(x, c);
		c->keyword = 1ull << bit--;
		c->message = etw_mx_message_of(x, draft->message, c->line, "channel", c->name);
		claim_names(x, &p->channels, c);
		c++;
	}
}
