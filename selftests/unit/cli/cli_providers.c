/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_providers.c - the cache of provider names is bounded
 */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"

#include "cli/names.c"

/* What the file above wants of the rest of the command: providers named by their number */

static unsigned int asked;

bool guid_equal(const struct etw_guid *a, const struct etw_guid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

int etw_provider_query(int fd, const struct etw_guid *guid, struct etw_provider *provider)
{
	(void)fd;
	asked++;
	memset(provider, 0, sizeof(*provider));
	snprintf(provider->name, sizeof(provider->name), "P%u", guid->data1);
	return 0;
}

void etw_provider_free(struct etw_provider *provider)
{
	(void)provider;
}

const char *provider_name(const struct etw_provider *provider)
{
	return provider->name;
}

static bool is_right(struct names *names, unsigned int number)
{
	const struct etw_guid guid = { .data1 = number };
	char want[16];

	snprintf(want, sizeof(want), "P%u", number);
	return !strcmp(names_get(names, &guid), want);
}

void *cli_calloc(size_t count, size_t size)
{
	return calloc(count, size);
}

char *cli_strdup(const char *text)
{
	return strdup(text);
}

int main(void)
{
	struct names *names = names_new(1);
	unsigned int i, wrong = 0;

	for (i = 1; i < 100000; i++) {
		wrong += !is_right(names, i);
		/* One provider has an event now and then. */
		wrong += i % 64 == 0 && !is_right(names, 1);
	}
	is(wrong, 0, "100,000 providers");
	ok(asked < 100000 + 10, "a provider in use stays, while others are forgotten");
	i = asked;
	ok(is_right(names, 99999) && asked == i, "the last name is still known");
	ok(is_right(names, 2) && asked == i + 1, "a name that was dropped is looked up again");
	for (i = 200000; i < 200050; i++)
		is_right(names, i);
	asked = 0;
	for (i = 200000; i < 200050; i++)
		wrong += !is_right(names, i);
	ok(!wrong && !asked, "50 providers have room");
	names_free(names);
	return done_testing();
}
