/* SPDX-License-Identifier: MIT */
/*
 * sid.c - convert SIDs to access entries and back
 *
 * The table is in etw/winsec.h. A SID may lie at any address.
 */
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>

#include <etw/winerror.h>
#include "conf.h"
#include "sid.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON		38
#endif

#define SID_HEAD		8
#define AUTHORITY_WORLD		1
#define AUTHORITY_NT		5
#define AUTHORITY_UNIX		22

enum sort {
	FIXED,		/* exactly this SID and this entry */
	NUMBERED,	/* the SID's second part is the entry's id */
	LOG_GROUP,	/* the entry's id is the gid of the group for Performance Log Users */
};

/* An entry has the SID of the first row that fits, or that of the first row. */
static const struct row {
	uint8_t authority, parts;
	uint32_t part[2];
	uint8_t who;
	uint32_t id;
	enum sort sort;
} table[] = {
	{ AUTHORITY_WORLD, 1, { SECURITY_WORLD_RID }, ETW_ACCESS_EVERYONE, 0, FIXED },
	{ AUTHORITY_NT, 2, { SECURITY_BUILTIN_DOMAIN_RID, DOMAIN_ALIAS_RID_ADMINS },
	  ETW_ACCESS_CAPABILITY, CAP_SYS_ADMIN, FIXED },
	{ AUTHORITY_NT, 2, { SECURITY_BUILTIN_DOMAIN_RID, DOMAIN_ALIAS_RID_MONITORING_USERS },
	  ETW_ACCESS_CAPABILITY, CAP_PERFMON, FIXED },
	{ AUTHORITY_NT, 2, { SECURITY_BUILTIN_DOMAIN_RID, DOMAIN_ALIAS_RID_LOGGING_USERS },
	  ETW_ACCESS_GROUP, 0, LOG_GROUP },
	{ AUTHORITY_UNIX, 2, { ETW_UNIX_USER_RID }, ETW_ACCESS_USER, 0, NUMBERED },
	{ AUTHORITY_UNIX, 2, { ETW_UNIX_GROUP_RID }, ETW_ACCESS_GROUP, 0, NUMBERED },
	{ AUTHORITY_UNIX, 2, { ETW_CAPABILITY_RID }, ETW_ACCESS_CAPABILITY, 0, NUMBERED },
	{ AUTHORITY_NT, 1, { SECURITY_AUTHENTICATED_USER_RID }, ETW_ACCESS_EVERYONE, 0, FIXED },
	{ AUTHORITY_NT, 1, { SECURITY_LOCAL_SYSTEM_RID }, ETW_ACCESS_USER, 0, FIXED },
};

#define ROWS	(sizeof(table) / sizeof(table[0]))

/* false: there is no such group. */
static bool log_group(uint32_t *gid)
{
	struct etw_access_entry entry;
	struct etw_access_error error;
	bool found = etw_access_parse_who("group:" ETW_LOG_GROUP, &entry, &error);

	if (found)
		*gid = entry.id;
	return found;
}

ULONG etw_sid_to_entry(const void *sid, struct etw_access_entry *entry)
{
	static const unsigned char zeros[5];
	uint32_t part[SID_MAX_SUB_AUTHORITIES];
	unsigned char head[SID_HEAD];
	const struct row *row;

	memcpy(head, sid, sizeof(head));
	if (head[0] != SID_REVISION || head[1] > SID_MAX_SUB_AUTHORITIES)
		return ERROR_INVALID_PARAMETER;
	memcpy(part, (const char *)sid + SID_HEAD, head[1] * sizeof(*part));
	if (memcmp(head + 2, zeros, sizeof(zeros)))
		return ERROR_NONE_MAPPED;
	for (row = table; row < table + ROWS; row++) {
		if (row->authority != head[7] || row->parts != head[1] || row->part[0] != part[0] ||
		    (row->sort != NUMBERED && row->parts == 2 && row->part[1] != part[1]))
			continue;
		entry->who = row->who;
		entry->id = row->sort == NUMBERED ? part[1] : row->id;
		if (row->sort != LOG_GROUP || log_group(&entry->id))
			return ERROR_SUCCESS;
	}
	return ERROR_NONE_MAPPED;
}

static bool fits(const struct row *row, const struct etw_access_entry *entry)
{
	uint32_t id = row->id;

	if (row->who != entry->who || (row->sort == LOG_GROUP && !log_group(&id)))
		return false;
	return row->sort == NUMBERED || id == entry->id;
}

uint32_t etw_sid_of_entry(const struct etw_access_entry *entry,
			  unsigned char sid[SECURITY_MAX_SID_SIZE])
{
	const struct row *row = table;
	uint32_t part[2];

	while (row < table + ROWS && !fits(row, entry))
		row++;
	if (row == table + ROWS)
		row = table;
	memcpy(part, row->part, sizeof(part));
	if (row->sort == NUMBERED)
		part[1] = entry->id;
	memset(sid, 0, SID_HEAD);
	sid[0] = SID_REVISION;
	sid[1] = row->parts;
	sid[7] = row->authority;
	memcpy(sid + SID_HEAD, part, row->parts * sizeof(*part));
	return SID_HEAD + row->parts * sizeof(*part);
}
