/* SPDX-License-Identifier: GPL-2.0-only */
/* cli_access.c - how etw access reports deny entries without effect */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "core/access.h"

#include "cli/cmd/access.c"

/* "allow user:1 log; deny ..." as a list */
static void fill(struct etw_access_list *list, const char *text)
{
	struct etw_access_error error;
	char copy[256], *entry, *word, *rest = copy;

	memset(list, 0, sizeof(*list));
	strncpy(copy, text, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = '\0';
	while ((entry = strsep(&rest, ";"))) {
		struct etw_access_entry *e = &list->entries[list->count++];

		word = strsep(&entry, " ");
		e->type = strcmp(word, "deny") ? ETW_ACCESS_ALLOW : ETW_ACCESS_DENY;
		word = strsep(&entry, " ");
		if (!etw_access_parse_who(word, e, &error) ||
		    !etw_access_parse_rights(entry, &e->rights, &error)) {
			printf("Bail out! %s: %s\n", text, error.what);
			exit(1);
		}
	}
}

/* For the last entry: which rights an earlier entry already grants, and that entry's number */
static void shadowed(const char *text, uint32_t rights, uint32_t by)
{
	struct etw_access_list list;
	uint32_t got, at = 0;

	fill(&list, text);
	got = access_shadowed(&list, list.count - 1, &at);
	if (!ok(got == rights && (!rights || at == by), "%s", text))
		printf("# %#x by %u\n", got, at);
}

struct subject {
	uint32_t who, id;
};

static bool is_whom(const struct etw_access_entry *entry, const void *context)
{
	const struct subject *s = context;

	return entry->who == ETW_ACCESS_EVERYONE || (entry->who == s->who && entry->id == s->id);
}

/* The kernel's evaluation agrees: the last entry changes the result, or does not. */
static void same(const char *text, bool want)
{
	struct etw_access_list list;
	const struct etw_access_entry *last;
	struct subject whom;
	uint32_t right;
	bool all = true;

	fill(&list, text);
	last = &list.entries[list.count - 1];
	whom = (struct subject){ last->who, last->id };
	for (right = 1; right <= last->rights; right <<= 1)
		if (right & last->rights)
			all &= etw_access_grants(list.entries, list.count, right, is_whom, &whom);
	ok(all == want, "%s: %s", text, want ? "denies nothing" : "denies");
}

int main(void)
{
	shadowed("deny user:1 register", 0, 0);
	shadowed("allow everyone register,log;deny user:1 register", ETW_RIGHT_REGISTER_GUIDS, 0);
	shadowed("allow user:1 register;deny user:1 all", ETW_RIGHT_REGISTER_GUIDS, 0);
	shadowed("allow user:2 register;allow group:1 all;deny user:1 all", 0, 0);
	shadowed("allow user:2 all;allow cap:perfmon all;allow everyone log;deny cap:perfmon log",
		 ETW_RIGHT_LOG_EVENT, 1);
	shadowed("allow everyone query;deny user:1 register", 0, 0);
	/* Rights that an earlier entry denies stay denied. */
	shadowed("deny user:1 register;allow everyone register;deny user:1 register", 0, 0);
	shadowed("deny user:1 register;allow everyone all;deny user:1 register,log",
		 ETW_RIGHT_LOG_EVENT, 1);
	shadowed("deny everyone all;allow user:1 all;deny user:1 all", 0, 0);
	shadowed("allow everyone log;allow user:1 log", 0, 0);
	shadowed("allow user:1 log;deny everyone log", 0, 0);
	same("allow everyone register,log;deny user:1 register", true);
	same("allow user:1 register;deny user:1 register", true);
	same("deny user:1 register;allow everyone register;deny user:1 register", false);
	same("allow user:2 register;deny user:1 register", false);
	return done_testing();
}
