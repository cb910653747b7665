/* SPDX-License-Identifier: MIT */
/*
 * filter_names.c - names in the options of etw enable that a manifest defines
 */
#include <string.h>
#include "cli/cli.h"
#include "filter.h"
#include "cli/schema.h"
#include "cli/text.h"

#define NAMES_MAX	1024	/* bytes of a list in an option */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c & 0x80;
}

/* Is the level a name, and not a standard one? */
bool filters_named_level(const char *text)
{
	uint8_t level;

	return is_letter(*text) && !cli_is_level(text, &level);
}

/* Does a list of ids contain a name? */
bool filters_named_ids(const char *text)
{
	for (; text; text = strchr(text, ',')) {
		text += *text == ',';
		if (is_letter(*text))
			return true;
	}
	return false;
}

/* Ends the command; names lists those that the provider has. */
static _Noreturn void unknown(const struct filters *filters, const char *option, const char *what,
			      const char *name, struct etw_text *names)
{
	cli_usage("%s: %s has no %s %s%s%s", option, cli_quote(filters->provider->name), what,
		  cli_quote(name), names->len ? "; it has " : "", names->len ? names->data : "");
}

uint8_t filters_level(const struct filters *filters, const char *option, const char *text)
{
	struct etw_text names = { 0 };
	uint8_t level;

	if (!filters->provider || !filters_named_level(text))
		return cli_level(option, text);
	if (!schema_level(filters->provider, text, &level)) {
		schema_print_levels(filters->provider, &names);
		unknown(filters, option, "level", text, &names);
	}
	return level;
}

uint64_t filters_keywords(const struct filters *filters, const char *option, const char *text)
{
	char copy[NAMES_MAX], *word, *rest = copy;
	struct etw_text names = { 0 };
	uint64_t all = 0, mask;

	if (strlen(text) >= sizeof(copy))
		cli_usage("%s: more than %d bytes", option, NAMES_MAX);
	strcpy(copy, text);
	while ((word = strsep(&rest, ","))) {
		if (!*word)
			cli_usage("%s: a name is empty", option);
		if (!schema_keyword(filters->provider, word, &mask)) {
			schema_print_keywords(filters->provider, &names);
			unknown(filters, option, "keyword", word, &names);
		}
		all |= mask;
	}
	return all;
}

void filters_event_ids(const struct filters *filters, struct filter_ids *ids, const char *option,
		       const char *name)
{
	const struct etw_mf_event *event = NULL;
	struct etw_text none = { 0 };
	bool found = false;

	while ((event = schema_event(filters->provider, name, event))) {
		filters_add_id(ids, option, event->desc.Id);
		found = true;
	}
	if (!found)
		unknown(filters, option, "event", name, &none);
}
