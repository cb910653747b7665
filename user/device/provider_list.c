/* SPDX-License-Identifier: MIT */
/*
 * provider_list.c - read the kernel's lists of providers
 *
 * If a list grows between two calls, it is read again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "provider_list.h"

#define SPARE	8	/* room for providers added between two calls */

int etw_provider_list_guids(int fd, struct etw_guid **guids, uint32_t *count)
{
	struct etw_provider_enum list = { .capacity = 0 };
	uint32_t room = 64;
	int err;

	for (;;) {
		*guids = calloc(room, sizeof(**guids));
		if (!*guids)
			return -ENOMEM;
		list.guids = (uintptr_t)*guids;
		list.capacity = room;
		err = etw_kdev_provider_enum(fd, &list);
		if (!err && list.count <= room)
			break;
		free(*guids);
		*guids = NULL;
		if (err)
			return err;
		room = list.count + SPARE;
	}
	*count = list.count;
	return 0;
}

void etw_provider_list_free(struct etw_provider_list *look)
{
	free(look->regs);
	free(look->enables);
	memset(look, 0, sizeof(*look));
}

int etw_provider_list_provider(int fd, const struct etw_guid *guid, struct etw_provider_list *look)
{
	struct etw_provider_query query = { .provider = *guid };
	uint32_t room = SPARE;
	int err;

	memset(look, 0, sizeof(*look));
	look->enables = calloc(ETW_PROVIDER_SESSIONS, sizeof(*look->enables));
	if (!look->enables)
		return -ENOMEM;
	query.enables = (uintptr_t)look->enables;
	query.enable_cap = ETW_PROVIDER_SESSIONS;
	for (;;) {
		free(look->regs);
		look->regs = calloc(room, sizeof(*look->regs));
		err = -ENOMEM;
		if (!look->regs)
			break;
		query.regs = (uintptr_t)look->regs;
		query.reg_cap = room;
		err = etw_kdev_provider_query(fd, &query);
		if (err || query.reg_count <= room)
			break;
		room = query.reg_count + SPARE;
	}
	if (err) {
		etw_provider_list_free(look);
		return err;
	}
	look->reg_count = query.reg_count;
	look->enable_count = query.enable_count < ETW_PROVIDER_SESSIONS ?
			     query.enable_count : ETW_PROVIDER_SESSIONS;
	return 0;
}
