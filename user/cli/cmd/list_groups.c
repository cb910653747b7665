/* SPDX-License-Identifier: MIT */
/*
 * list_groups.c - etw list groups: provider groups, their members and their sessions
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli/cli.h"
#include "list.h"
#include "cli/provider.h"
#include "cli/table.h"
#include "cli/text.h"
#include "device/provider_list.h"
#include "device/kdev.h"

static void add_row(struct table *table, const struct etw_guid *guid,
		    const struct etw_group *group, const struct sessions *sessions)
{
	struct etw_text enabled = { 0 };
	char text[GUID_TEXT_SIZE];

	list_add_sessions(&enabled, list_enable_mask(group->enables, group->enable_count),
			  sessions);
	table_cell(table, "%s", guid_text(guid, text));
	table_cell(table, "%u", group->member_count);
	table_cell(table, "%s", enabled.len ? enabled.data : "-");
	etw_text_free(&enabled);
}

static void print_details(const struct etw_guid *guid, const struct etw_group *group,
			  const struct sessions *sessions)
{
	struct etw_text line = { 0 };
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
	etw_text_free(&line);
}

static struct json *group_json(const struct etw_guid *guid, const struct etw_group *group,
			       const struct sessions *sessions)
{
	struct json *o = json_new(), *member;
	struct json *members = json_new_array();
	struct json *enables = json_new_array();
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
	json_put(o, "enabled_by", enables);
	return o;
}

/* Where the groups are printed */
struct output {
	struct list *list;
	struct table *rows;		/* for the table */
	struct json *array;	/* for JSON, else NULL */
	bool any;			/* one was shown */
};

/* 0 or a negative errno */
static int list_group(struct output *out, const struct etw_guid *guid)
{
	const struct list *list = out->list;
	struct etw_group group;
	int err;

	err = etw_group_query(list->fd, guid, &group);
	/* The group, or the right to query it, has gone meanwhile. */
	if (err == -ESRCH || err == -EPERM)
		return 0;
	if (err)
		return err;
	/* The first group that is shown. */
	if (!out->any && !out->array && list->follows)
		puts("");
	out->any = true;
	if (out->array)
		json_append(out->array, group_json(guid, &group, &list->sessions));
	else if (list->verbose)
		print_details(guid, &group, &list->sessions);
	else
		add_row(out->rows, guid, &group, &list->sessions);
	etw_group_free(&group);
	return 0;
}

int list_groups(struct list *list)
{
	static const char *const headings[] = { "GROUP", ">MEMBERS", "ENABLED BY", NULL };
	struct table table = { .headings = headings };
	struct output out = { .list = list, .rows = &table };
	struct etw_guid *guids;
	uint32_t count, i;
	int err;

	err = etw_provider_guids(list->fd, etw_kdev_group_enum, &guids, &count);
	if (err)
		return err;
	out.array = list->json ? json_new_array() : NULL;
	for (i = 0; !err && i < count; i++)
		err = list_group(&out, &guids[i]);
	if (!err && !out.any && !out.array && list->alone)
		puts("no groups");
	/* Also after a failure: print the groups found so far. */
	if (table.count)
		table_print(&table);
	if (out.array)
		json_put(list->json, "groups", out.array);
	table_free(&table);
	free(guids);
	return err;
}
