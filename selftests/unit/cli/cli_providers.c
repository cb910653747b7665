/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_providers.c - names of providers that events are of: a bounded number is kept
 */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"

#include "cli/names.c"

/* What the file above wants of the rest of the command: providers named by their number */

static unsigned int asked;

void cli_die(const char *fmt, ...)
{
	printf("Bail out! %s\n", fmt);
	exit(1);
}

bool guid_equal(const struct etw_guid *a, const struct etw_guid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

int provider_query(int fd, const struct etw_guid *guid, struct provider *provider)
{
	(void)fd;
	asked++;
	memset(provider, 0, sizeof(*provider));
	snprintf(provider->name, sizeof(provider->name), "P%u", guid->data1);
	return 0;
}

void provider_done(struct provider *provider)
{
	(void)provider;
}

const char *provider_name(const struct provider *provider)
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

int main(void)
{
	struct names *names = names_new(-1);
	const struct name *name;
	unsigned int i, wrong = 0, kept = 0;

	for (i = 0; i < 100000; i++) {
		wrong += !is_right(names, i);
		/* One of them has an event now and then. */
		wrong += i % 64 == 0 && !is_right(names, 0);
	}
	is(wrong, 0, "100,000 providers");
	is(asked, 100000, "each is asked for once, one that goes on having events too");
	for (i = 0; i < BUCKETS; i++)
		for (name = names->bucket[i]; name; name = name->next)
			kept++;
	is(kept, BUCKETS * NAMES_MAX, "so many are kept");
	ok(is_right(names, 99999) && asked == 100000, "the last ones");
	ok(is_right(names, 1) && asked == 100001, "one that was forgotten is asked for again");
	names_free(names);
	return done_testing();
}
