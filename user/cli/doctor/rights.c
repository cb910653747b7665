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

static const char *allow_mend(void)
{
	const struct passwd *user = getpwuid(geteuid());
	char number[16];

	snprintf(number, sizeof(number), "%u", geteuid());
	return doctor_mend("sudo etw access add default --allow user:%s=query,control,control-file,enable,consume",
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
		doctor_warn("rights", allow_mend(), "the default access list gives you only %s",
			    rights ? text : "no right");
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
	caller.groups = cli_calloc((size_t)(caller.group_count + 1), sizeof(*caller.groups));
	caller.group_count = getgroups(caller.group_count + 1, caller.groups);
	err = etw_access_get(doctor->fd, &standard, &list, &own);
	if (!err)
		report(&list, own, &caller);
	else if (!doctor->initial_user_ns)
		doctor_warn("rights", NULL,
			    "you may register providers and write events; root of a container has no privilege here");
	else
		doctor_warn("rights", allow_mend(),
			    "you may register providers and write events, unless access lists forbid it; not trace");
	free(caller.groups);
}
