/* SPDX-License-Identifier: MIT */
/*
 * access_shadowed.c - entries of access lists that deny in vain
 *
 * The first entry that says something about a right decides, so that what is
 * denied behind the entry that allows it, as etw access add does, is allowed.
 */
#include "access_shadowed.h"

/* Does other concern all whom the entry does?  Members of groups are not known. */
static bool covers(const struct etw_access_entry *other, const struct etw_access_entry *entry)
{
	return other->who == ETW_ACCESS_EVERYONE ||
	       (other->who == entry->who && other->id == entry->id);
}

/**
 * access_shadowed() - the rights that a denying entry denies in vain
 * @list: the list
 * @n: number of the entry
 * @by: set to the number of the first one that gives some of them
 *
 * Return: those that this one gives; 0: none does, or the entry allows.
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
		rights &= ~other->rights;	/* they are denied as it is */
	}
	return 0;
}
