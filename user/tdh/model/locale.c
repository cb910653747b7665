/* SPDX-License-Identifier: MIT */
/*
 * locale.c - choose a manifest's culture for the user
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "locale.h"

/* The user's locale, as setlocale() would take it from the environment */
static const char *user_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return "";
}

static bool is_end(char c)
{
	return !c || c == '.' || c == '@';
}

static char lower(char c)
{
	if (c == '_')
		return '-';
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/*
 * How well a culture ("de-AT") matches a locale ("de_AT.UTF-8"): 2 equal, 1 the same
 * language, 0 not at all.
 */
static unsigned int fits(const char *culture, const char *locale)
{
	size_t i = 0;

	while (!is_end(locale[i]) && lower(culture[i]) == lower(locale[i]))
		i++;
	if (is_end(locale[i]) && !culture[i])
		return 2;
	/* They differ: after the end of both languages? */
	if (!i)
		return 0;
	if ((!culture[i] || culture[i] == '-') && (is_end(locale[i]) || lower(locale[i]) == '-'))
		return 1;
	return memchr(culture, '-', i) ? 1 : 0;
}

/* Higher is better. */
static unsigned int rank(const char *culture, const char *locale)
{
	return fits(culture, locale) * 3 + fits(culture, "en-US");
}

int etw_manifest_order_cultures(struct etw_manifest *manifest)
{
	const char *locale = user_locale();
	unsigned int *order;
	unsigned int i, j;

	if (!manifest->culture_count)
		return 0;
	order = etw_manifest_alloc(manifest, manifest->culture_count * sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (i = 0; i < manifest->culture_count; i++) {
		unsigned int mine = rank(manifest->cultures[i], locale);

		for (j = i; j > 0 && rank(manifest->cultures[order[j - 1]], locale) < mine; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	manifest->culture_order = order;
	return 0;
}

const char *etw_mf_text(const struct etw_manifest *manifest,
			const struct etw_mf_message *message)
{
	unsigned int i;

	if (!message)
		return NULL;
	if (!message->id || etw_standard_message(message))
		return message->text[0];
	for (i = 0; i < manifest->culture_count; i++) {
		unsigned int culture = manifest->culture_order ? manifest->culture_order[i] : i;

		if (message->text[culture])
			return message->text[culture];
	}
	return NULL;
}
