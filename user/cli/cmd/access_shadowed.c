/* SPDX-License-Identifier: MIT */
/*
 * access_shadowed.c - find deny entries that an earlier allow entry overrides
 *
 * The first entry that names a right decides.  "etw access add" appends entries, so a
 * deny entry it adds has no effect on rights that an entry above allows.
 */
#include "access_shadowed.h"

/* Does other match every caller that entry matches?  Group members are not looked up. */
static bool covers(const struct etw_access_entry *other, const struct etw_access_entry *entry)
{
	return other->who == ETW_ACCESS_EVERYONE ||
	       (other->who == entry->who && other->id == entry->id);
}

/**
 * access_shadowed() - find rights that a deny entry does not deny
 * @list: the list
 * @n: index of the entry
 * @by: set to the index of the first earlier entry that allows one of its rights
 *
 * Return: the rights that entry @by allows; 0 if there is none, or if @n is an allow
 * entry.
 */
uint32_t access_shadowed(const struct etw_access_list *list, uint32_t n, uint32_t *by)
{
	const struct etw_access_entry *entry = &list->entries[n], *other;
	uint32_t rights = entry->rights;

	if (entry->type != ETW_ACCESS_DENY)
		return 0;
	for (*by = 0; *by < n; ++*by) {
		other = &list->entries[*by];
		if (!(other->rights & rights) || !covers(other, entry))
			continue;
		if (other->type == ETW_ACCESS_ALLOW)
			return other->rights & rights;
		rights &= ~other->rights;	/* denied by other already */
	}
	return 0;
}
