/* SPDX-License-Identifier: MIT */
/*
 * sid.c - convert SIDs to access entries and back
 *
 * The table is in etw/winsec.h. A SID may lie at any address.
 */
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <etw/winerror.h>
#include "sid.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON		38
#endif

#define SID_HEAD		8
#define GROUP_TEXT		65536	/* room for the members of a group */

#define AUTHORITY_WORLD		1
#define AUTHORITY_NT		5
#define AUTHORITY_UNIX		22

/* Well-known SIDs that map to one entry; two-part ones are given as 32-n. */
static const struct {
	uint32_t rid;
	uint8_t who;
	uint32_t id;
} aliases[] = {
	{ DOMAIN_ALIAS_RID_ADMINS, ETW_ACCESS_CAPABILITY, CAP_SYS_ADMIN },
	{ DOMAIN_ALIAS_RID_MONITORING_USERS, ETW_ACCESS_CAPABILITY, CAP_PERFMON },
};

#define ALIASES	(sizeof(aliases) / sizeof(aliases[0]))

/* The gid of the group for Performance Log Users; false: there is no such group. */
static bool log_group(uint32_t *gid)
{
	struct group group, *found = NULL;
	char *text = malloc(GROUP_TEXT);

	if (!text)
		return false;
	if (!getgrnam_r(ETW_LOG_GROUP, &group, text, GROUP_TEXT, &found) && found)
		*gid = group.gr_gid;
	free(text);
	return found;
}

static ULONG name(struct etw_access_entry *entry, uint8_t who, uint32_t id)
{
	entry->who = who;
	entry->id = id;
	return ERROR_SUCCESS;
}

static ULONG from_builtin(uint32_t rid, struct etw_access_entry *entry)
{
	uint32_t gid = 0;
	size_t i;

	for (i = 0; i < ALIASES; i++)
		if (aliases[i].rid == rid)
			return name(entry, aliases[i].who, aliases[i].id);
	if (rid == DOMAIN_ALIAS_RID_LOGGING_USERS && log_group(&gid))
		return name(entry, ETW_ACCESS_GROUP, gid);
	return ERROR_NONE_MAPPED;
}

static ULONG from_nt(const uint32_t *part, unsigned int count,
		     struct etw_access_entry *entry)
{
	if (count == 2 && part[0] == SECURITY_BUILTIN_DOMAIN_RID)
		return from_builtin(part[1], entry);
	if (count != 1)
		return ERROR_NONE_MAPPED;
	switch (part[0]) {
	case SECURITY_AUTHENTICATED_USER_RID:
		return name(entry, ETW_ACCESS_EVERYONE, 0);
	case SECURITY_LOCAL_SYSTEM_RID:
		return name(entry, ETW_ACCESS_USER, 0);
	default:
		return ERROR_NONE_MAPPED;
	}
}

static ULONG from_unix(const uint32_t *part, unsigned int count,
		       struct etw_access_entry *entry)
{
	if (count != 2)
		return ERROR_NONE_MAPPED;
	switch (part[0]) {
	case ETW_UNIX_USER_RID:
		return name(entry, ETW_ACCESS_USER, part[1]);
	case ETW_UNIX_GROUP_RID:
		return name(entry, ETW_ACCESS_GROUP, part[1]);
	case ETW_CAPABILITY_RID:
		return name(entry, ETW_ACCESS_CAPABILITY, part[1]);
	default:
		return ERROR_NONE_MAPPED;
	}
}

ULONG etw_sid_to_entry(const void *sid, struct etw_access_entry *entry)
{
	static const unsigned char zeros[5];
	uint32_t part[SID_MAX_SUB_AUTHORITIES];
	unsigned char head[SID_HEAD];

	memcpy(head, sid, sizeof(head));
	if (head[0] != SID_REVISION || head[1] > SID_MAX_SUB_AUTHORITIES)
		return ERROR_INVALID_PARAMETER;
	memcpy(part, (const char *)sid + SID_HEAD, head[1] * sizeof(*part));
	if (memcmp(head + 2, zeros, sizeof(zeros)))
		return ERROR_NONE_MAPPED;
	switch (head[7]) {
	case AUTHORITY_WORLD:
		return head[1] == 1 && part[0] == SECURITY_WORLD_RID ?
		       name(entry, ETW_ACCESS_EVERYONE, 0) : ERROR_NONE_MAPPED;
	case AUTHORITY_NT:
		return from_nt(part, head[1], entry);
	case AUTHORITY_UNIX:
		return from_unix(part, head[1], entry);
	default:
		return ERROR_NONE_MAPPED;
	}
}

static uint32_t put(unsigned char *sid, unsigned char authority, uint32_t first,
		    const uint32_t *second)
{
	unsigned char count = second ? 2 : 1;

	memset(sid, 0, SID_HEAD);
	sid[0] = SID_REVISION;
	sid[1] = count;
	sid[7] = authority;
	memcpy(sid + SID_HEAD, &first, sizeof(first));
	if (second)
		memcpy(sid + SID_HEAD + sizeof(first), second, sizeof(*second));
	return SID_HEAD + count * sizeof(uint32_t);
}

uint32_t etw_sid_of_entry(const struct etw_access_entry *entry,
			  unsigned char sid[SECURITY_MAX_SID_SIZE])
{
	static const uint32_t log_users = DOMAIN_ALIAS_RID_LOGGING_USERS;
	uint32_t gid = 0;
	size_t i;

	for (i = 0; i < ALIASES; i++)
		if (aliases[i].who == entry->who && aliases[i].id == entry->id)
			return put(sid, AUTHORITY_NT, SECURITY_BUILTIN_DOMAIN_RID,
				   &aliases[i].rid);
	switch (entry->who) {
	case ETW_ACCESS_USER:
		return put(sid, AUTHORITY_UNIX, ETW_UNIX_USER_RID, &entry->id);
	case ETW_ACCESS_GROUP:
		if (log_group(&gid) && gid == entry->id)
			return put(sid, AUTHORITY_NT, SECURITY_BUILTIN_DOMAIN_RID, &log_users);
		return put(sid, AUTHORITY_UNIX, ETW_UNIX_GROUP_RID, &entry->id);
	case ETW_ACCESS_CAPABILITY:
		return put(sid, AUTHORITY_UNIX, ETW_CAPABILITY_RID, &entry->id);
	default:
		return put(sid, AUTHORITY_WORLD, SECURITY_WORLD_RID, NULL);
	}
}
