/* SPDX-License-Identifier: MIT */
/*
 * channel.c - <channels>, their values and their bits of the keyword
 *
 * How a channel logs and publishes concerns only Windows' event log: it is checked but
 * not kept. Channels without a value get the lowest free ones from 16 on, in order.
 * Bits are assigned downwards from 63 in the order of all channels, including imported
 * ones.
 */
#include <stdint.h>
#include <string.h>

#include "manifest.h"
#include "tdh/model/winmeta.h"
#include "base/guid.h"

#define FIRST_VALUE	16u	/* for channels other than Windows' own */
#define FIRST_BIT	63u

#define SIZE_LEAST	(1024u * 1024)	/* of a log */

static const char *const attributes[] = {
	"name", "chid", "type", "isolation", "enabled", "access", "value", "symbol", "message",
	NULL
};
enum { NAME, CHID, TYPE, ISOLATION, ENABLED, ACCESS, VALUE, SYMBOL, MESSAGE };

static struct manifest_channel *add(struct etw_mx *x, const char *kind)
{
	struct manifest_channel *channel = etw_mx_add(x, &x->provider->channels, sizeof(*channel));
	struct etw_mf_channel *c;

	if (!channel)
		return NULL;
	x->channel = channel;
	c = &channel->c;
	c->line = x->line;
	c->message_id = ETW_MESSAGE_NONE;
	c->name = etw_mx_require(x, NAME, kind);
	c->id = etw_mx_keep(x, CHID);
	if (!c->id)
		c->id = c->name;
	if (x->provider->channels.count == MX_CHANNELS_MAX + 1)
		etw_mx_error(x, x->line, "provider", x->provider->p.name,
			     "has more than %u channels", MX_CHANNELS_MAX);
	return channel;
}

static void check_name(struct etw_mx *x, const char *name)
{
	size_t bad = strcspn(name, "<>&\"|\\:?*");
	const char *p;

	if (strlen(name) > MX_NAME_MAX)
		etw_mx_error(x, x->line, "channel", name, "a name has at most %u characters",
			     MX_NAME_MAX);
	for (p = name; *p && (unsigned char)*p >= ' '; p++)
		;
	if (*p)
		etw_mx_error(x, x->line, "channel", name, "a name has no control characters");
	else if (name[bad])
		etw_mx_error(x, x->line, "channel", name, "a name has no character %c",
			     name[bad]);
}

static void channel_begin(struct etw_mx *x)
{
	static const char *const types[] = { "Admin", "Operational", "Analytic", "Debug", NULL };
	static const char *const isolations[] = { "Application", "System", "Custom", NULL };
	struct manifest_channel *channel = add(x, "channel");
	struct etw_mf_channel *c;
	uint64_t value;
	int choice;

	if (!channel)
		return;
	c = &channel->c;
	check_name(x, c->name);
	if (!x->values[TYPE].s)
		etw_mx_error(x, x->line, "channel", c->name, "attribute type is missing");
	/* Do not treat an unknown type as Admin, which has its own rules. */
	choice = etw_mx_choice(x, TYPE, "channel", c->name, types);
	c->type = choice < 0 ? ETW_CHANNEL_DEBUG : choice;
	choice = etw_mx_choice(x, ISOLATION, "channel", c->name, isolations);
	c->isolation = choice < 0 ? 0 : choice;
	etw_mx_bool(x, ENABLED, "channel", c->name, &c->enabled);
	c->access = etw_mx_keep(x, ACCESS);
	if (c->access && c->isolation != 2)
		etw_mx_warn(x, x->line, "channel", c->name,
			    "access has a meaning only where isolation is Custom");
	channel->has_value = etw_mx_number(x, VALUE, "channel", c->name, FIRST_VALUE, UINT8_MAX,
					   &value);
	if (channel->has_value)
		c->value = (uint8_t)value;
	c->symbol = etw_mx_symbol(x, SYMBOL, "channel", c->name);
	channel->message = etw_mx_note_raw(x, MESSAGE);
}

static const char *const import_attributes[] = { "name", "chid", "symbol", NULL };

static void import_begin(struct etw_mx *x)
{
	const struct etw_mf_channel *known;
	struct manifest_channel *channel = add(x, "importChannel");
	struct etw_mf_channel *c;

	if (!channel)
		return;
	c = &channel->c;
	c->imported = true;
	c->symbol = etw_mx_symbol(x, 2, "importChannel", c->name);
	known = etw_standard_channel_named(c->name);
	if (!known)
		return;
	c->value = known->value;
	c->type = known->type;
	c->isolation = known->isolation;
	channel->has_value = true;
}

/* -------------------------------------------------- logging and publishing */

static struct manifest_value text_of(const struct etw_mx *x)
{
	return etw_mx_trim((struct manifest_value){ x->text.len ? x->text.data : "", x->text.len });
}

static void wrong_text(struct etw_mx *x, const char *must)
{
	struct manifest_value v = text_of(x);

	etw_mx_error(x, x->line, "channel", x->channel->c.name, "%s \"%.*s\" must be %s",
		     x->stack[x->depth - 1]->name, (int)v.len, v.s, must);
}

static void bool_end(struct etw_mx *x)
{
	struct manifest_value v = text_of(x);

	if (!etw_mx_is(v, "true") && !etw_mx_is(v, "false") && !etw_mx_is(v, "1") &&
	    !etw_mx_is(v, "0"))
		wrong_text(x, "true or false");
}

static void number_end(struct etw_mx *x)
{
	uint64_t number;

	if (!etw_mx_parse_number(text_of(x), &number))
		wrong_text(x, "a number");
}

static void size_end(struct etw_mx *x)
{
	uint64_t number;

	if (!etw_mx_parse_number(text_of(x), &number))
		wrong_text(x, "a number of bytes");
	else if (number < SIZE_LEAST)
		etw_mx_warn(x, x->line, "channel", x->channel->c.name,
			    "maxSize %llu is less than 1 MB, which is what Windows takes then",
			    (unsigned long long)number);
}

static void clock_end(struct etw_mx *x)
{
	if (!etw_mx_is(text_of(x), "SystemTime") && !etw_mx_is(text_of(x), "QPC"))
		wrong_text(x, "SystemTime or QPC");
}

static void sid_end(struct etw_mx *x)
{
	if (!etw_mx_is(text_of(x), "None") && !etw_mx_is(text_of(x), "Publishing"))
		wrong_text(x, "None or Publishing");
}

static void guid_end(struct etw_mx *x)
{
	struct manifest_value v = text_of(x);
	char text[ETW_GUID_TEXT] = "";
	struct etw_guid guid;

	if (v.len < sizeof(text))
		memcpy(text, v.s, v.len);
	if (etw_guid_parse(text, &guid))
		wrong_text(x, "a GUID");
	else if (x->channel->c.type != ETW_CHANNEL_DEBUG)
		etw_mx_error(x, x->line, "channel", x->channel->c.name,
			     "controlGuid is only for channels of type Debug");
}

#define LEAF(what, check) \
	(const struct manifest_element){ .name = what, .attributes = etw_mx_no_attributes, .text = true, \
				   .end = check }
#define LEAVES(...)	(const struct manifest_element *const[]){ __VA_ARGS__, NULL }

static const struct manifest_element logging = {
	.name = "logging", .attributes = etw_mx_no_attributes,
	.children = LEAVES(&LEAF("autoBackup", bool_end), &LEAF("retention", bool_end),
			   &LEAF("maxSize", size_end)),
};

static const struct manifest_element publishing = {
	.name = "publishing", .attributes = etw_mx_no_attributes,
	.children = LEAVES(&LEAF("bufferSize", number_end), &LEAF("clockType", clock_end),
			   &LEAF("controlGuid", guid_end), &LEAF("fileMax", number_end),
			   &LEAF("keywords", number_end), &LEAF("latency", number_end),
			   &LEAF("level", number_end), &LEAF("minBuffers", number_end),
			   &LEAF("maxBuffers", number_end), &LEAF("sidType", sid_end)),
};

static const struct manifest_element channel = {
	.name = "channel", .attributes = attributes, .begin = channel_begin,
	.children = LEAVES(&logging, &publishing),
};

static const struct manifest_element import_channel = {
	.name = "importChannel", .attributes = import_attributes, .begin = import_begin,
};

const struct manifest_element etw_mx_channels = {
	.name = "channels", .attributes = etw_mx_no_attributes,
	.children = LEAVES(&channel, &import_channel),
};

/* -------------------------------------------------------- values and keywords */

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
 * Events refer to a channel by chid or name. If one channel's name is another's chid,
 * the first channel in the list with that name or chid is meant.
 */
static void claim_names(struct etw_mx *x, const struct manifest_list *channels,
			struct etw_mf_channel *c)
{
	/* Separate scopes; the addresses only need to be unique. */
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

/* An imported channel takes the type that another provider in this manifest gives it. */
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
	/* A higher count has been reported already. */
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
