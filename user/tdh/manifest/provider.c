/* SPDX-License-Identifier: MIT */
/*
 * provider.c - <provider> and its <traits>
 */
#include <string.h>

#include "manifest.h"
#include "base/guid.h"

static const char *const attributes[] = {
	"name", "guid", "symbol", "resourceFileName", "messageFileName", "parameterFileName",
	"helpLink", "message", "source", "controlGuid", "namespace",
	"warnOnApplicationCompatibilityError", NULL
};
enum {
	NAME, GUID_, SYMBOL, RESOURCE_FILE, MESSAGE_FILE, PARAMETER_FILE, HELP_LINK, MESSAGE,
	SOURCE, CONTROL_GUID, NAMESPACE, WARN
};

static bool is_zero(const GUID *guid)
{
	static const GUID zero;

	return !memcmp(guid, &zero, sizeof(zero));
}

/* Characters of UTF-8 text */
static size_t characters(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += (*s & 0xC0) != 0x80;
	return n;
}

static void check_name(struct etw_mx *x, const char *name)
{
	const char *p;

	if (characters(name) > MX_NAME_MAX)
		etw_mx_error(x, x->line, "provider", name, "a name has at most %u characters",
			     MX_NAME_MAX);
	for (p = name; *p; p++) {
		if ((unsigned char)*p >= ' ')
			continue;
		etw_mx_error(x, x->line, "provider", name,
			     "a name has no control characters");
		break;
	}
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

static void provider_guids(struct etw_mx *x, struct etw_mf_provider *p)
{
	if (!x->values[GUID_].s)
		etw_mx_error(x, x->line, "provider", p->name, "attribute guid is missing");
	if (etw_mx_guid(x, GUID_, "provider", p->name, &p->guid) && is_zero(&p->guid))
		etw_mx_error(x, x->line, "provider", p->name, "guid must not be zero");
	p->control_guid = p->guid;
	if (!etw_mx_guid(x, CONTROL_GUID, "provider", p->name, &p->control_guid))
		return;
	p->has_control_guid = true;
	if (is_zero(&p->control_guid))
		etw_mx_error(x, x->line, "provider", p->name, "controlGuid must not be zero");
	if (memcmp(&p->guid, &p->control_guid, sizeof(GUID)) && !name_ends_in(p->name, &p->guid))
		etw_mx_error(x, x->line, "provider", p->name,
			     "with a controlGuid the name must end in the provider's guid");
}

static void provider_begin(struct etw_mx *x)
{
	static const char *const sources[] = { "Xml", "Wbem", "WPP", NULL };
	struct manifest_provider *draft = etw_mx_add(x, &x->providers, sizeof(*draft));
	struct etw_mf_provider *p;
	bool warn;

	if (!draft)
		return;
	x->provider = draft;
	p = &draft->p;
	p->line = x->line;
	p->message_id = ETW_MESSAGE_NONE;
	p->name = etw_mx_require(x, NAME, "provider");
	check_name(x, p->name);
	provider_guids(x, p);
	p->symbol = etw_mx_symbol(x, SYMBOL, "provider", p->name);
	if (!p->symbol && !x->err) {
		etw_mx_error(x, x->line, "provider", p->name, "attribute symbol is missing");
		p->symbol = "";
	}
	p->namespace_name = etw_mx_keep(x, NAMESPACE);
	p->source = etw_mx_keep(x, SOURCE);
	etw_mx_choice(x, SOURCE, "provider", p->name, sources);
	p->resource_file = etw_mx_keep(x, RESOURCE_FILE);
	p->message_file = etw_mx_keep(x, MESSAGE_FILE);
	p->parameter_file = etw_mx_keep(x, PARAMETER_FILE);
	p->help_link = etw_mx_keep(x, HELP_LINK);
	draft->message = etw_mx_note_raw(x, MESSAGE);
	etw_mx_bool(x, WARN, "provider", p->name, &warn);
	if (x->providers.count == MX_PROVIDERS_MAX + 1)
		etw_mx_error(x, x->line, "provider", p->name,
			     "a manifest has at most %u providers", MX_PROVIDERS_MAX);
}

static const char *const traits_attributes[] = { "groupGuid", "includeName", NULL };
enum { GROUP_GUID, INCLUDE_NAME };

static void traits_begin(struct etw_mx *x)
{
	struct etw_mf_provider *p = &x->provider->p;

	if (p->has_traits)
		etw_mx_error(x, x->line, "provider", p->name, "has a second element traits");
	p->has_traits = true;
	etw_mx_guid(x, GROUP_GUID, "traits", p->name, &p->group_guid);
	etw_mx_bool(x, INCLUDE_NAME, "traits", p->name, &p->include_name);
}

static const struct manifest_element traits = {
	.name = "traits", .attributes = traits_attributes, .begin = traits_begin,
};

const struct manifest_element etw_mx_provider = {
	.name = "provider", .attributes = attributes, .begin = provider_begin,
	.children = (const struct manifest_element *const[]){
		&traits, &etw_mx_channels, &etw_mx_levels, &etw_mx_tasks, &etw_mx_opcodes,
		&etw_mx_keywords, &etw_mx_maps, &etw_mx_value_map, &etw_mx_bit_map,
		&etw_mx_queries, &etw_mx_templates, &etw_mx_events, &etw_mx_filters, NULL },
};
