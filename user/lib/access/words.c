/* SPDX-License-Identifier: MIT */
/*
 * words.c - the subject and the rights of an access entry, as words
 *
 * Users and groups are written as numbers: their names may not be known yet when the
 * file is read at boot.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "base/guid.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

#define NAMES_TEXT	65536	/* room for a user or a group, with its members */

struct word {
	const char *word;
	uint32_t value;
};

/* NULL ends each table. */
static const struct word rights_words[] = {
	{ "query", ETW_RIGHT_QUERY },
	{ "control", ETW_RIGHT_CREATE_REALTIME },
	{ "control-file", ETW_RIGHT_CREATE_ONDISK },
	{ "enable", ETW_RIGHT_GUID_ENABLE },
	{ "log", ETW_RIGHT_LOG_EVENT },
	{ "consume", ETW_RIGHT_ACCESS_REALTIME },
	{ "register", ETW_RIGHT_REGISTER_GUIDS },
	{ "join", ETW_RIGHT_JOIN_GROUP },
	{ "register-kernel", ETW_RIGHT_REGISTER_KERNEL },
	{ NULL, 0 }
};

static const struct word capability_words[] = {
	{ "perfmon", CAP_PERFMON },
	{ "sys_admin", CAP_SYS_ADMIN },
	{ NULL, 0 }
};

static bool wrong(struct etw_access_error *error, const char *what)
{
	snprintf(error->what, sizeof(error->what), "%s", what);
	return false;
}

static const struct word *find(const struct word *words, const char *word, size_t len)
{
	for (; words->word; words++)
		if (strlen(words->word) == len && !memcmp(words->word, word, len))
			return words;
	return NULL;
}

static const char *word_of(const struct word *words, uint32_t value)
{
	for (; words->word; words++)
		if (words->value == value)
			return words->word;
	return NULL;
}

bool etw_access_parse_guid(const char *word, struct etw_guid *guid)
{
	static const struct etw_guid by_default = ETW_ACCESS_DEFAULT_GUID;

	if (!strcmp(word, "default")) {
		*guid = by_default;
		return true;
	}
	return !etw_guid_parse(word, guid) && !etw_guid_is_zero(guid);
}

/* Parse a decimal number up to max, digits only. */
static bool number(const char *text, uint32_t max, uint32_t *value)
{
	unsigned long long n;

	if (!*text || strlen(text) > 10 || text[strspn(text, "0123456789")])
		return false;
	n = strtoull(text, NULL, 10);
	*value = n;
	return n <= max;
}

/* The id of a user or of a group, by number or by name. */
static bool account(const char *name, bool is_group, uint32_t *id)
{
	struct passwd user, *found_user = NULL;
	struct group group, *found_group = NULL;
	char *text;

	if (number(name, UINT32_MAX - 1, id))
		return true;
	text = malloc(NAMES_TEXT);
	if (!text)
		return false;
	if (is_group && !getgrnam_r(name, &group, text, NAMES_TEXT, &found_group) && found_group)
		*id = found_group->gr_gid;
	if (!is_group && !getpwnam_r(name, &user, text, NAMES_TEXT, &found_user) && found_user)
		*id = found_user->pw_uid;
	free(text);
	return found_user || found_group;
}

static bool capability(const char *name, uint32_t *id)
{
	const struct word *word = find(capability_words, name, strlen(name));

	if (!word)
		return number(name, CAP_LAST_CAP, id);
	*id = word->value;
	return true;
}

bool etw_access_parse_who(const char *word, struct etw_access_entry *entry,
			  struct etw_access_error *error)
{
	const char *name = strchr(word, ':');
	size_t len = name ? (size_t)(name - word) : 0;

	entry->id = 0;
	entry->who = ETW_ACCESS_EVERYONE;
	if (!strcmp(word, "everyone"))
		return true;
	if (len == 4 && !memcmp(word, "user", 4)) {
		entry->who = ETW_ACCESS_USER;
		return account(name + 1, false, &entry->id) || wrong(error, "no such user");
	}
	if (len == 5 && !memcmp(word, "group", 5)) {
		entry->who = ETW_ACCESS_GROUP;
		return account(name + 1, true, &entry->id) || wrong(error, "no such group");
	}
	if (len == 3 && !memcmp(word, "cap", 3)) {
		entry->who = ETW_ACCESS_CAPABILITY;
		return capability(name + 1, &entry->id) || wrong(error, "no such capability");
	}
	return wrong(error, "neither everyone, user:U, group:G nor cap:C");
}

bool etw_access_parse_rights(const char *word, uint32_t *rights,
			     struct etw_access_error *error)
{
	const struct word *right;
	char *end;
	size_t len;

	*rights = 0;
	if (!strncmp(word, "0x", 2) && strlen(word) <= 6 && word[2] &&
	    !word[2 + strspn(word + 2, "0123456789abcdef")]) {
		*rights = strtoul(word, &end, 16);
		return (*rights && !(*rights & ~ETW_RIGHT_VALID)) ||
		       wrong(error, "the rights are 0 or have unknown bits");
	}
	for (;; word += len + 1) {
		len = strcspn(word, ",");
		right = find(rights_words, word, len);
		if (right)
			*rights |= right->value;
		else if (len == 3 && !memcmp(word, "all", 3))
			*rights |= ETW_RIGHT_ALL;
		else
			return wrong(error, "unknown right");
		if (!word[len])
			return true;
	}
}

void etw_access_format_who(const struct etw_access_entry *entry, char out[ETW_ACCESS_WHO_TEXT])
{
	static const char *const sorts[] = {
		[ETW_ACCESS_USER] = "user", [ETW_ACCESS_GROUP] = "group",
		[ETW_ACCESS_CAPABILITY] = "cap",
	};
	const char *word = NULL;

	if (entry->who == ETW_ACCESS_CAPABILITY)
		word = word_of(capability_words, entry->id);
	if (entry->who == ETW_ACCESS_EVERYONE)
		snprintf(out, ETW_ACCESS_WHO_TEXT, "everyone");
	else if (word)
		snprintf(out, ETW_ACCESS_WHO_TEXT, "cap:%s", word);
	else
		snprintf(out, ETW_ACCESS_WHO_TEXT, "%s:%u", sorts[entry->who & 3], entry->id);
}

void etw_access_format_rights(uint32_t rights, char out[ETW_ACCESS_RIGHTS_TEXT])
{
	const struct word *word;
	uint32_t named = 0;
	size_t at = 0;

	for (word = rights_words; word->word; word++)
		named |= word->value;
	if ((rights & ETW_RIGHT_ALL) == ETW_RIGHT_ALL) {
		at = snprintf(out, ETW_ACCESS_RIGHTS_TEXT, "all");
		rights &= ~ETW_RIGHT_ALL;
	} else if (rights & ~named || !rights) {
		snprintf(out, ETW_ACCESS_RIGHTS_TEXT, "0x%x", rights);
		return;
	}
	for (word = rights_words; word->word; word++)
		if (rights & word->value)
			at += snprintf(out + at, ETW_ACCESS_RIGHTS_TEXT - at, "%s%s",
				       at ? "," : "", word->word);
}

void etw_access_format_entry(const struct etw_access_entry *entry,
			     char out[ETW_ACCESS_ENTRY_TEXT])
{
	char who[ETW_ACCESS_WHO_TEXT], rights[ETW_ACCESS_RIGHTS_TEXT];

	etw_access_format_who(entry, who);
	etw_access_format_rights(entry->rights, rights);
	snprintf(out, ETW_ACCESS_ENTRY_TEXT, "%s %s %s",
		 entry->type == ETW_ACCESS_DENY ? "deny" : "allow", who, rights);
}
