/* SPDX-License-Identifier: MIT */
/*
 * rights.c - what the access lists let this user do
 */
#include <errno.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "core/access.h"
#include "checks.h"
#include "files.h"
#include "report.h"
#include "lib/access/access.h"

/* What watching and recording takes */
#define TRACING	(ETW_RIGHT_QUERY | ETW_RIGHT_CREATE_REALTIME | ETW_RIGHT_CREATE_ONDISK | \
		 ETW_RIGHT_GUID_ENABLE | ETW_RIGHT_ACCESS_REALTIME)

struct caller {
	const struct doctor *doctor;
	gid_t *groups;
	int group_count;
};

static bool is_caller(const struct etw_access_entry *entry, const void *context)
{
	const struct caller *caller = context;
	int i;

	switch (entry->who) {
	case ETW_ACCESS_EVERYONE:
		return true;
	case ETW_ACCESS_USER:
		return entry->id == geteuid();
	case ETW_ACCESS_GROUP:
		for (i = 0; i < caller->group_count; i++)
			if (caller->groups[i] == entry->id)
				return true;
		return entry->id == getegid();
	default:
		return entry->id < 64 && caller->doctor->caps & UINT64_C(1) << entry->id;
	}
}

/* The rights that the list gives the caller */
static uint32_t granted(const struct etw_access_list *list, const struct caller *caller)
{
	uint32_t rights = 0, bit;

	for (bit = 1; bit <= ETW_RIGHT_VALID; bit <<= 1)
		if (bit & ETW_RIGHT_VALID && etw_access_grants(list->entries, list->count, bit,
							       is_caller, caller))
			rights |= bit;
	return rights;
}

/* etw access adds an entry behind the others, where it has no effect on what one of them denies. */
static bool adding_helps(const struct etw_access_list *list, const struct caller *caller)
{
	static struct etw_access_list with;

	if (list->count == ETW_ACCESS_ENTRIES_MAX)
		return false;
	with = *list;
	with.entries[with.count++] = (struct etw_access_entry){
		.type = ETW_ACCESS_ALLOW, .who = ETW_ACCESS_USER, .id = geteuid(), .rights = TRACING,
	};
	return (granted(&with, caller) & TRACING) == TRACING;
}

/* list: the default list, or NULL: the built-in one, or not known */
static const char *allow_fix(const struct etw_access_list *list, const struct caller *caller)
{
	const struct passwd *user = getpwuid(geteuid());
	char number[16];

	if (list && !adding_helps(list, caller))
		return NULL;
	snprintf(number, sizeof(number), "%u", geteuid());
	return doctor_fix("sudo etw access add default --allow user:%s=query,control,control-file,enable,consume",
			   user ? doctor_word(user->pw_name) : number);
}

static void report(const struct etw_access_list *list, bool own, const struct caller *caller)
{
	uint32_t rights = granted(list, caller);
	char text[ETW_ACCESS_RIGHTS_TEXT];

	etw_access_format_rights(rights, text);
	if ((rights & TRACING) == TRACING)
		doctor_ok("rights", "you may trace: the %s access list gives you %s",
			  own ? "default" : "built-in", text);
	else
		doctor_warn("rights", allow_fix(list, caller),
			    "the default access list gives you only %s", rights ? text : "no right");
}

/* As "etw access load" reads the file */
static void ignore(const struct etw_access_error *error)
{
	(void)error;
}

/* The list is not for this user to query, but its file may be readable. */
static void report_unread(const struct caller *caller)
{
	static const struct etw_guid standard = ETW_ACCESS_DEFAULT_GUID;
	const struct etw_access_list *list = NULL;
	struct etw_access_conf conf = { .count = 0 };
	struct etw_access_error error;
	size_t size;
	char *text = doctor_read(&size, "%s", etw_access_path());

	if (text && !etw_access_parse(text, size, ignore, &conf, &error))
		list = etw_access_conf_find(&conf, &standard);
	doctor_warn("rights", allow_fix(list, caller),
		    "you may register providers and write events, unless access lists forbid it, but you may not trace");
	etw_access_conf_free(&conf);
	free(text);
}

void doctor_rights(const struct doctor *doctor)
{
	static const struct etw_guid standard = ETW_ACCESS_DEFAULT_GUID;
	static struct etw_access_list list;
	struct caller caller = { .doctor = doctor, .group_count = getgroups(0, NULL) };
	bool own;
	int err;

	if (doctor->fd < 0) {
		doctor_unknown("rights", "not known without the device");
		return;
	}
	if (doctor->caps & UINT64_C(1) << CAP_SYS_ADMIN) {
		doctor_ok("rights", "all, by CAP_SYS_ADMIN");
		return;
	}
	if (!doctor->initial_user_ns) {
		doctor_unknown("rights", "access lists have users and groups of the initial user namespace; in this one root has no privilege");
		return;
	}
	caller.groups = cli_calloc((size_t)(caller.group_count + 1), sizeof(*caller.groups));
	caller.group_count = getgroups(caller.group_count + 1, caller.groups);
	err = etw_access_get(doctor->fd, &standard, &list, &own);
	if (!err)
		report(&list, own, &caller);
	else
		report_unread(&caller);
	free(caller.groups);
}
