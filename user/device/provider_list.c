/* SPDX-License-Identifier: MIT */
/*
 * provider_list.c - read the kernel's lists of providers and groups
 *
 * If a list grows between two calls, it is read again.
 */
#include <stdlib.h>

#include "provider_list.h"

#define SPARE	8	/* room for entries added between two calls */

int etw_provider_guids(int fd, int (*fill)(int fd, struct etw_provider_enum *list),
		       struct etw_guid **guids, uint32_t *count)
{
	struct etw_provider_enum list = { .capacity = 0 };
	int err;

	*guids = NULL;
	do {
		free(*guids);
		list.capacity = list.count + SPARE;
		*guids = calloc(list.capacity, sizeof(**guids));
		list.guids = (uintptr_t)*guids;
		err = *guids ? fill(fd, &list) : -ENOMEM;
	} while (!err && list.count > list.capacity);
	*count = list.count;
	if (!err)
		return 0;
	free(*guids);
	*guids = NULL;
	*count = 0;
	return err;
}

/* Room for a list, and for entries added meanwhile. */
static void *make_room(uint32_t count, size_t size, uint32_t *cap, __u64 *at)
{
	void *room;

	*cap = count + SPARE;
	room = calloc(*cap, size);
	*at = (uintptr_t)room;
	return room;
}

int etw_provider_query(int fd, const struct etw_guid *guid, struct etw_provider *provider)
{
	struct etw_provider_query query = {
		.provider = *guid, .name_out = (uintptr_t)provider->name, .name_cap = ETW_NAME_MAX,
	};
	int err;

	memset(provider, 0, sizeof(*provider));
	do {
		etw_provider_free(provider);
		provider->regs = make_room(query.reg_count, sizeof(*provider->regs),
					   &query.reg_cap, &query.regs);
		provider->enables = make_room(query.enable_count, sizeof(*provider->enables),
					      &query.enable_cap, &query.enables);
		err = provider->regs && provider->enables ? etw_kdev_provider_query(fd, &query) :
							    -ENOMEM;
	} while (!err && (query.reg_count > query.reg_cap || query.enable_count > query.enable_cap));
	if (err) {
		etw_provider_free(provider);
		return err;
	}
	provider->guid = *guid;
	provider->name[query.name_len < ETW_NAME_MAX ? query.name_len : ETW_NAME_MAX] = '\0';
	provider->reg_count = query.reg_count;
	provider->enable_count = query.enable_count;
	return 0;
}

void etw_provider_free(struct etw_provider *provider)
{
	free(provider->regs);
	free(provider->enables);
	provider->regs = NULL;
	provider->enables = NULL;
}

bool etw_provider_is_of_kernel(const struct etw_provider *provider)
{
	uint32_t i = 0;

	while (i < provider->reg_count && !(provider->regs[i].flags & ETW_REG_KERNEL))
		i++;
	return i < provider->reg_count;
}

int etw_group_query(int fd, const struct etw_guid *guid, struct etw_group *group)
{
	struct etw_group_query query = { .group = *guid };
	int err;

	memset(group, 0, sizeof(*group));
	do {
		etw_group_free(group);
		group->members = make_room(query.member_count, sizeof(*group->members),
					   &query.member_cap, &query.members);
		group->enables = make_room(query.enable_count, sizeof(*group->enables),
					   &query.enable_cap, &query.enables);
		err = group->members && group->enables ? etw_kdev_group_query(fd, &query) : -ENOMEM;
	} while (!err && (query.member_count > query.member_cap ||
			  query.enable_count > query.enable_cap));
	if (err) {
		etw_group_free(group);
		return err;
	}
	group->member_count = query.member_count;
	group->enable_count = query.enable_count;
	return 0;
}

void etw_group_free(struct etw_group *group)
{
	free(group->members);
	free(group->enables);
	memset(group, 0, sizeof(*group));
}
