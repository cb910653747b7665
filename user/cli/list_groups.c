/* SPDX-License-Identifier: MIT */
/*
 * list_groups.c - etw list groups: provider groups, their members, who enabled them
 */
#include <stdio.h>
#include <stdlib.h>
#include <etw/winerror.h>
#include "cli.h"
#include "list.h"
#include "text.h"
#include "lib/groups.h"

static void print_group(const struct etw_guid *guid, const struct etw_group *group,
			const struct sessions *sessions)
{
	struct text line = { 0 };
	unsigned int i;

	text_puts(&line, "group  ");
	text_guid(&line, guid);
	text_puts(&line, "\n");
	for (i = 0; i < group->member_count; i++) {
		text_puts(&line, "    member      ");
		text_guid(&line, &group->members[i].provider);
		text_puts(&line, "  ");
		list_add_reg(&line, &group->members[i].reg, sessions, false);
	}
	for (i = 0; i < group->enable_count; i++)
		list_add_enable(&line, &group->enables[i], sessions);
	fputs(line.data, stdout);
	text_free(&line);
}

static struct json_object *group_json(const struct etw_guid *guid, const struct etw_group *group,
				      const struct sessions *sessions)
{
	struct json_object *o = json_new(), *member;
	struct json_object *members = json_new_array();
	struct json_object *enables = json_new_array();
	unsigned int i;

	json_guid(o, "group", guid);
	for (i = 0; i < group->member_count; i++) {
		member = list_reg_json(&group->members[i].reg, sessions);
		json_guid(member, "provider", &group->members[i].provider);
		json_append(members, member);
	}
	for (i = 0; i < group->enable_count; i++)
		json_append(enables, list_enable_json(&group->enables[i], sessions));
	json_put(o, "members", members);
	json_put(o, "enables", enables);
	return o;
}

/* GUIDs of the groups, to be freed; a Win32 code. */
static ULONG group_guids(struct etw_guid **guids, ULONG *size)
{
	ULONG ret;

	*guids = NULL;
	*size = 0;
	do {
		free(*guids);
		*guids = calloc(1, *size + 1);
		if (!*guids)
			return ERROR_NOT_ENOUGH_MEMORY;
		ret = etw_groups_list(*guids, *size, size);
	} while (ret == ERROR_INSUFFICIENT_BUFFER);
	return ret;
}

/* alone: nothing else is listed, so having none is said. */
int list_groups(const struct sessions *sessions, struct json_object *json, bool alone)
{
	struct json_object *array = json ? json_new_array() : NULL;
	struct etw_group group;
	struct etw_guid *guids;
	ULONG i, size, ret;

	ret = group_guids(&guids, &size);
	if (!ret && !json && !size && alone)
		puts("no groups");
	for (i = 0; !ret && i < size / sizeof(*guids); i++) {
		/* One that is not there has gone meanwhile. */
		if (etw_group_query((const GUID *)&guids[i], &group))
			continue;
		if (json)
			json_append(array, group_json(&guids[i], &group, sessions));
		else
			print_group(&guids[i], &group, sessions);
		etw_group_free(&group);
	}
	free(guids);
	if (json)
		json_put(json, "groups", array);
	return ret ? cli_fail("cannot list the groups: error %u", (unsigned int)ret) : 0;
}
