/* SPDX-License-Identifier: MIT */
/*
 * lib_fake_access.h - the access lists of the model; include lib_fake.h
 *
 * All functions need the model's lock.
 */
#ifndef ETW_LIB_FAKE_ACCESS_H
#define ETW_LIB_FAKE_ACCESS_H

static int fake_access_find(const struct etw_guid *guid)
{
	int i;

	for (i = 0; i < FAKE_LISTS; i++)
		if (fake->access[i].used &&
		    !memcmp(&fake->access[i].guid, guid, sizeof(*guid)))
			return i;
	return -1;
}

static int fake_access_set(const struct etw_access *a)
{
	int i = fake_access_find(&a->guid);

	for (; i < 0 || (fake->access[i].used &&
			 memcmp(&fake->access[i].guid, &a->guid, sizeof(a->guid))); i++)
		if (i == FAKE_LISTS - 1)
			return -ENOSPC;
	fake->access[i].used = true;
	fake->access[i].guid = a->guid;
	fake->access[i].count = a->count;
	memcpy(fake->access[i].entries, (void *)(uintptr_t)a->entries,
	       a->count * sizeof(struct etw_access_entry));
	return 0;
}

/* Index of the smallest GUID after this one. */
static int fake_access_next(const struct etw_guid *guid)
{
	int i, next = -1;

	for (i = 0; i < FAKE_LISTS; i++)
		if (fake->access[i].used &&
		    memcmp(&fake->access[i].guid, guid, sizeof(*guid)) > 0 &&
		    (next < 0 || memcmp(&fake->access[i].guid, &fake->access[next].guid,
					sizeof(*guid)) < 0))
			next = i;
	return next;
}

static int fake_access_query(struct etw_access *a)
{
	static const struct etw_guid by_default = ETW_ACCESS_DEFAULT_GUID;
	static const struct etw_access_entry builtin[] = {
		{ ETW_ACCESS_ALLOW, ETW_ACCESS_EVERYONE, 0, 0, 0x1a00 },
		{ ETW_ACCESS_ALLOW, ETW_ACCESS_CAPABILITY, 0, 38, 0x1fff } };
	const struct etw_access_entry *from = builtin;
	int i = a->flags ? fake_access_next(&a->guid) : fake_access_find(&a->guid);

	if (a->flags && i < 0)
		return -ESRCH;
	a->own = i >= 0;
	if (i < 0)
		i = fake_access_find(&by_default);
	a->count = i < 0 ? 2 : fake->access[i].count;
	if (i >= 0)
		from = fake->access[i].entries;
	if (a->flags)
		a->guid = fake->access[i].guid;
	memcpy((void *)(uintptr_t)a->entries, from,
	       (a->count < a->capacity ? a->count : a->capacity) * sizeof(*from));
	return 0;
}

static int fake_access_remove(const struct etw_access *a)
{
	int i = fake_access_find(&a->guid);

	if (i >= 0)
		fake->access[i].used = false;
	return 0;
}

#endif /* ETW_LIB_FAKE_ACCESS_H */
