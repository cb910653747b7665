/* SPDX-License-Identifier: MIT */
/*
 * groups.c - provider groups, and a session's list of providers excluded from them
 *
 * Semantics: Microsoft's pages "Provider Traits" and "TRACE_QUERY_INFO_CLASS
 * enumeration".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <etw/winerror.h>
#include "groups.h"

#define SPARE	8	/* room for GUIDs added between two calls */

ULONG etw_groups_disallow(TRACEHANDLE session, const void *guids, ULONG size)
{
	struct etw_disallow disallow = {
		.session = session,
		.guids = (uintptr_t)guids,
		.count = size / sizeof(GUID),
	};
	int fd, err;

	if (!session || size % sizeof(GUID) || (size && !guids))
		return ERROR_INVALID_PARAMETER;
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = etw_kdev_disallow_set(fd, &disallow);
	etw_kdev_close(fd);
	return etw_win32_from_errno(err);
}

/*
 * Return the whole array of GUIDs or nothing: fill sets the number of GUIDs and stores
 * at most as many as there is room for.
 */
static ULONG take_guids(int (*fill)(int fd, uint64_t session, struct etw_guid *guids,
				    uint32_t *count),
			uint64_t session, void *out, ULONG size, ULONG *needed)
{
	uint32_t room = 0, count = 0;
	struct etw_guid *guids = NULL;
	int fd = etw_kdev_open(), err;

	if (fd < 0)
		return etw_win32_from_open(fd);
	do {
		room = count + SPARE;
		free(guids);
		guids = calloc(room, sizeof(*guids));
		count = room;
		err = guids ? fill(fd, session, guids, &count) : -ENOMEM;
	} while (!err && count > room);
	etw_kdev_close(fd);
	if (!err && needed)
		*needed = count * sizeof(*guids);
	if (!err && count * sizeof(*guids) <= size && count)
		memcpy(out, guids, count * sizeof(*guids));
	free(guids);
	if (!err && count * sizeof(*guids) > size)
		return ERROR_INSUFFICIENT_BUFFER;
	return etw_win32_from_errno(err);
}

static int fill_disallowed(int fd, uint64_t session, struct etw_guid *guids, uint32_t *count)
{
	struct etw_disallow disallow = {
		.session = session, .guids = (uintptr_t)guids, .capacity = *count };
	int err = etw_kdev_disallow_query(fd, &disallow);

	*count = disallow.count;
	return err;
}

static int fill_groups(int fd, uint64_t session, struct etw_guid *guids, uint32_t *count)
{
	struct etw_provider_enum list = { .guids = (uintptr_t)guids, .capacity = *count };
	int err = etw_kdev_group_enum(fd, &list);

	(void)session;
	*count = list.count;
	return err;
}

ULONG etw_groups_disallowed(TRACEHANDLE session, void *guids, ULONG size, ULONG *needed)
{
	if (!session || (size && !guids))
		return ERROR_INVALID_PARAMETER;
	return take_guids(fill_disallowed, session, guids, size, needed);
}

ULONG etw_groups_list(void *guids, ULONG size, ULONG *needed)
{
	if (size && !guids)
		return ERROR_INVALID_PARAMETER;
	return take_guids(fill_groups, 0, guids, size, needed);
}

/* -EAGAIN: more entries than there is room for; query holds their number. */
static int query_once(int fd, struct etw_group_query *query, struct etw_group *group)
{
	uint32_t members = query->member_count + SPARE;
	uint32_t enables = query->enable_count + SPARE;
	int err;

	group->members = calloc(members, sizeof(*group->members));
	group->enables = calloc(enables, sizeof(*group->enables));
	query->members = (uintptr_t)group->members;
	query->member_cap = members;
	query->enables = (uintptr_t)group->enables;
	query->enable_cap = enables;
	err = group->members && group->enables ? etw_kdev_group_query(fd, query) : -ENOMEM;
	if (!err && (query->member_count > members || query->enable_count > enables))
		err = -EAGAIN;
	if (err)
		etw_group_free(group);
	return err;
}

int etw_group_look(int fd, const struct etw_guid *guid, struct etw_group *group)
{
	struct etw_group_query query = { .group = *guid };
	int err;

	while ((err = query_once(fd, &query, group)) == -EAGAIN)
		;
	if (!err) {
		group->member_count = query.member_count;
		group->enable_count = query.enable_count;
	}
	return err;
}

ULONG etw_group_query(const GUID *guid, struct etw_group *group)
{
	struct etw_guid copy;
	int fd, err;

	if (!guid)
		return ERROR_INVALID_PARAMETER;
	memcpy(&copy, guid, sizeof(copy));
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = etw_group_look(fd, &copy, group);
	etw_kdev_close(fd);
	return etw_win32_from_errno(err);
}

void etw_group_free(struct etw_group *group)
{
	free(group->members);
	free(group->enables);
	memset(group, 0, sizeof(*group));
}
