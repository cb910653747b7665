/* SPDX-License-Identifier: MIT */
/*
 * channel.c - <channels>, their values and their bits of the keyword
 *
 * Channels without a value get the lowest free ones from 16 on, in order. Bits are
 * assigned downwards from 63 in the order of all channels, including imported ones.
 */
#include <stdint.h>
#include <string.h>

#include "manifest.h"

#define FIRST_BIT	63u
#define SIZE_LEAST	(1024u * 1024)	/* of a log */
#define CUSTOM		2		/* isolation */

static void check_name(struct manifest_reader *r, const char *name)
{
	size_t bad = strcspn(name, "<>&\"|\\:?*"), i;
	char which[48];

	if (strlen(name) > MANIFEST_NAME_MAX)
		etw_manifest_error(r, "a name has at most %u characters", MANIFEST_NAME_MAX);
	for (i = 0; name[i] && (unsigned char)name[i] >= ' '; i++)
		;
	etw_manifest_character(name, name[i] ? i : bad, which, sizeof(which));
	if (name[i])
		etw_manifest_error(r, "a name has no control characters: %s", which);
	else if (name[bad])
		etw_manifest_error(r, "a name has no character %c: %s", name[bad], which);
}

static void check_settings(struct manifest_reader *r, const struct manifest_node *parent)
{
	const struct manifest_node *node;
	uint64_t size;
	GUID unused;

	manifest_for_each(node, r, parent, MANIFEST_SETTINGS) {
		const char *name = node->element->name, *value = node->values[0];

		r->at.line = node->line;
		etw_manifest_convert(r, node, &unused);
		if (value && !strcmp(name, "maxSize") && etw_manifest_number(value, &size) &&
		    size < SIZE_LEAST)
			etw_manifest_warn(r, "maxSize %llu is less than 1 MB, "
					  "which is what Windows takes then",
					  (unsigned long long)size);
	}
	r->at.line = parent->line;
}

/* given: has it a value?  False: the decoder leaves the channel out. */
static bool read_channel(struct manifest_reader *r, const struct manifest_node *node,
			 struct etw_mf_channel *c, bool *given)
{
	const struct etw_mf_channel *standard;

	c->imported = node->element == &etw_element_import;
	/* Do not treat an unknown type as Admin, which has its own rules. */
	if (!c->imported)
		c->type = ETW_CHANNEL_DEBUG;
	if (!etw_manifest_read_attributes(r, node, c))
		return false;
	*given = c->value || etw_manifest_value(node, "id");
	if (!c->id)
		c->id = c->name;
	if (c->imported) {
		standard = etw_standard_named(ETW_PART_CHANNEL, c->name);
		if (!standard)
			return true;
		c->value = standard->value;
		c->type = standard->type;
		c->isolation = standard->isolation;
		*given = true;
		return true;
	}
	check_name(r, c->name);
	if (c->access && c->isolation != CUSTOM)
		etw_manifest_warn(r, "access has a meaning only where isolation is Custom");
	check_settings(r, node);
	return true;
}

/* Channels with a value keep it, so claim these first. */
static void give_values(struct manifest_reader *r, struct etw_mf_channel *channels,
			unsigned int count, const bool *given)
{
	const struct etw_mf_channel *other;
	unsigned int next = MANIFEST_CHANNEL_FIRST, i;

	for (i = 0; i < count; i++) {
		struct etw_mf_channel *c = &channels[i];

		if (!given[i])
			continue;
		etw_manifest_at(r, c->line, "channel", c->name);
		other = etw_manifest_claim_number(r, channels, c->value, c);
		if (other)
			etw_manifest_error(r, "channel \"%s\" has value %u, too", other->name,
					   (unsigned int)c->value);
	}
	for (i = 0; i < count && !r->err; i++) {
		if (given[i])
			continue;
		while (next <= UINT8_MAX && etw_manifest_claim_number(r, channels, next, channels))
			next++;
		if (next <= UINT8_MAX) {
			channels[i].value = next++;
			continue;
		}
		etw_manifest_at(r, channels[i].line, "channel", channels[i].name);
		etw_manifest_error(r, "no value up to %u is left", UINT8_MAX);
	}
}

/*
 * Events refer to a channel by chid or name. If one channel's name is another's chid,
 * the first channel in the list with that name or chid is meant.
 */
static void claim_names(struct manifest_reader *r, const struct etw_mf_provider *p,
			const struct etw_mf_channel *c)
{
	/* Separate scopes; the addresses only need to be unique. */
	const void *names = &p->channel_count, *ids = p->channels;
	const struct etw_mf_channel *other;

	if (!*c->name)
		return;
	other = etw_manifest_claim(r, names, c->name, c);
	if (other)
		etw_manifest_error(r, "channel \"%s\" has this name, too", other->name);
	other = etw_manifest_claim(r, ids, c->id, c);
	if (other && strcmp(other->name, c->name))
		etw_manifest_error(r, "channel \"%s\" has chid \"%s\", too", other->name, c->id);
	etw_manifest_claim(r, &p->channels, c->id, c);
	etw_manifest_claim(r, &p->channels, c->name, c);
}

void etw_manifest_build_channels(struct manifest_reader *r, const struct manifest_node *parent,
				 struct etw_mf_provider *p)
{
	unsigned int most = r->lenient ? MANIFEST_CHANNELS_READ : MANIFEST_CHANNELS_MAX, i = 0;
	struct etw_mf_channel *channels;
	bool given[MANIFEST_CHANNELS_READ];
	const struct manifest_node *node;

	channels = etw_manifest_array_of(r, parent, MANIFEST_CHANNELS, sizeof(*channels),
					 &p->channel_count);
	p->channels = channels;
	manifest_for_each(node, r, parent, MANIFEST_CHANNELS) {
		if (i == most) {
			etw_manifest_at(r, node->line, "provider", p->name);
			etw_manifest_error(r, "has more than %u channels", most);
			break;
		}
		if (read_channel(r, node, &channels[i], &given[i]))
			i++;
		else
			memset(&channels[i], 0, sizeof(channels[i]));
	}
	p->channel_count = i;
	/* Out of memory, not all channels were read. */
	if (r->err)
		return;
	give_values(r, channels, p->channel_count, given);
	for (i = 0; i < p->channel_count && !r->err; i++) {
		struct etw_mf_channel *c = &channels[i];

		etw_manifest_at(r, c->line, "channel", c->name);
		c->keyword = i < MANIFEST_CHANNELS_MAX ? 1ull << (FIRST_BIT - i) : 0;
		claim_names(r, p, c);
		etw_manifest_claim_symbol(r, c->symbol, "channel", c->value);
		/* For the imports of other providers */
		if (!c->imported)
			etw_manifest_claim(r, r->manifest, c->name, c);
	}
}


void etw_manifest_import_types(struct manifest_reader *r)
{
	const struct etw_manifest *m = r->manifest;
	const struct etw_mf_channel *other;
	unsigned int i, j;

	for (i = 0; i < m->provider_count; i++) {
		for (j = 0; j < m->providers[i].channel_count; j++) {
			struct etw_mf_channel *c =
				(struct etw_mf_channel *)&m->providers[i].channels[j];

			other = c->imported && !etw_standard_named(ETW_PART_CHANNEL, c->name) ?
				etw_manifest_find(r, m, c->name) : NULL;
			if (!other)
				continue;
			c->type = other->type;
			c->isolation = other->isolation;
			c->enabled = other->enabled;
		}
	}
}
