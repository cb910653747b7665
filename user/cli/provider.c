/* SPDX-License-Identifier: MIT */
/*
 * provider.c - find providers by name or GUID
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "builtin.h"
#include "provider.h"
#include "text.h"
#include "lib/guid.h"
#include "lib/kdev.h"

#define FIRST_REGS	8
#define SPARE		8	/* room for what comes between two calls */
#define MATCHES_SHOWN	8

void provider_done(struct provider *provider)
{
	free(provider->regs);
	free(provider->enables);
	provider->regs = NULL;
	provider->enables = NULL;
}

static int make_room(struct provider *provider, uint32_t regs, uint32_t enables)
{
	provider_done(provider);
	provider->regs = calloc(regs, sizeof(*provider->regs));
	provider->enables = calloc(enables, sizeof(*provider->enables));
	return provider->regs && provider->enables ? 0 : -ENOMEM;
}

/**
 * provider_query() - all about one provider
 * @fd: the device
 * @guid: the provider
 * @provider: filled on success; hand it to provider_done() then
 *
 * Return: 0 or a negative errno, -ESRCH if it is neither registered nor enabled.
 */
int provider_query(int fd, const struct etw_guid *guid,
		   struct provider *provider)
{
	struct etw_provider_query query;
	uint32_t regs = FIRST_REGS, enables = ETW_PROVIDER_SESSIONS;
	int err;

	memset(provider, 0, sizeof(*provider));
	for (;;) {
		err = make_room(provider, regs, enables);
		if (err)
			break;
		query = (struct etw_provider_query){
			.provider = *guid,
			.name_out = (uintptr_t)provider->name,
			.name_cap = ETW_NAME_MAX,
			.regs = (uintptr_t)provider->regs,
			.reg_cap = regs,
			.enables = (uintptr_t)provider->enables,
			.enable_cap = enables,
		};
		err = etw_kdev_provider_query(fd, &query);
		if (err || (query.reg_count <= regs && query.enable_count <= enables))
			break;
		regs = query.reg_count + SPARE;
		enables = query.enable_count + SPARE;
	}
	if (err) {
		provider_done(provider);
		return err;
	}
	provider->guid = *guid;
	provider->name[query.name_len < ETW_NAME_MAX ? query.name_len : ETW_NAME_MAX] = '\0';
	provider->reg_count = query.reg_count;
	provider->enable_count = query.enable_count;
	return 0;
}

/**
 * provider_guids() - GUIDs of all providers or groups
 * @fd: the device
 * @fill: etw_kdev_provider_enum() or etw_kdev_group_enum()
 * @guids: set to an array to free()
 * @count: set to its length
 */
int provider_guids(int fd, int (*fill)(int fd, struct etw_provider_enum *list),
		   struct etw_guid **guids, uint32_t *count)
{
	struct etw_provider_enum all = { .capacity = 0 };
	int err;

	*guids = NULL;
	do {
		all.capacity = all.count + SPARE;
		free(*guids);
		*guids = calloc(all.capacity, sizeof(**guids));
		if (!*guids)
			return -ENOMEM;
		all.guids = (uintptr_t)*guids;
		err = fill(fd, &all);
		if (err) {
			free(*guids);
			return err;
		}
	} while (all.count > all.capacity);
	*count = all.count;
	return 0;
}

/**
 * provider_list() - all providers that are registered or enabled
 * @fd: the device
 * @list: set to an array for provider_list_free()
 * @count: set to its length
 */
int provider_list(int fd, struct provider **list, unsigned int *count)
{
	struct etw_guid *guids;
	uint32_t found, i;
	int err;

	err = provider_guids(fd, etw_kdev_provider_enum, &guids, &found);
	if (err)
		return err;
	*count = 0;
	*list = calloc((size_t)found + 1, sizeof(**list));
	if (!*list)
		err = -ENOMEM;
	for (i = 0; !err && i < found; i++) {
		err = provider_query(fd, &guids[i], &(*list)[*count]);
		if (!err)
			(*count)++;
		else if (err == -ESRCH || err == -EPERM)
			err = 0;	/* gone meanwhile, or the right to see it */
	}
	free(guids);
	if (err && *list)
		provider_list_free(*list, *count);
	return err;
}

void provider_list_free(struct provider *list, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		provider_done(&list[i]);
	free(list);
}

/* Its registered name, else the one in the built-in table, else NULL. */
const char *provider_name(const struct provider *provider)
{
	const struct builtin_provider *builtin;

	if (provider->name[0])
		return provider->name;
	builtin = builtin_by_guid(&provider->guid);
	return builtin ? builtin->name : NULL;
}

/*
 * Anybody may register any GUID under any name, so that a process's name must
 * not decide what an operator enables; a kernel module's may.
 */
static bool name_is_trusted(const struct provider *provider)
{
	unsigned int i;

	for (i = 0; i < provider->reg_count; i++)
		if (provider->regs[i].flags & ETW_REG_KERNEL)
			return true;
	return false;
}

static unsigned int match_name(const struct provider *list, unsigned int count,
			       const char *name, struct etw_guid *guid,
			       struct text *all)
{
	unsigned int matches = 0, i;

	for (i = 0; i < count; i++) {
		if (strcasecmp(list[i].name, name) || !name_is_trusted(&list[i]))
			continue;
		if (!matches)
			*guid = list[i].guid;
		if (matches < MATCHES_SHOWN) {
			text_puts(all, matches ? ", " : "");
			text_guid(all, &list[i].guid);
		}
		matches++;
	}
	return matches;
}

/* Digits, dashes and braces only: a GUID was meant. */
static bool looks_like_guid(const char *text)
{
	return strchr(text, '-') && text[strspn(text, "{}-0123456789abcdefABCDEF")] == '\0';
}

static bool resolve_name(int fd, const char *name, struct etw_guid *guid)
{
	const struct builtin_provider *builtin;
	struct provider *list;
	struct text all = { 0 };
	unsigned int count, matches;
	int err;

	err = provider_list(fd, &list, &count);
	builtin = builtin_by_name(name);
	if (err == -EPERM && builtin) {
		*guid = builtin->guid;
		return true;
	}
	if (err) {
		cli_fail("provider %s: cannot list the providers: %s",
			 cli_quote(name), cli_denied(-err, "the right \"query\" on it"));
		return false;
	}
	matches = match_name(list, count, name, guid, &all);
	provider_list_free(list, count);
	if (matches > 1)
		cli_fail("provider %s is ambiguous, use a GUID: %s%s",
			 cli_quote(name), all.data,
			 matches > MATCHES_SHOWN ? ", ..." : "");
	text_free(&all);
	if (matches)
		return matches == 1;
	if (!builtin && looks_like_guid(name)) {
		cli_fail("%s is no whole GUID (8-4-4-4-12 hexadecimal digits)",
			 cli_quote(name));
		return false;
	}
	if (!builtin) {
		cli_fail("no kernel provider named %s is registered (a GUID works at any time)",
			 cli_quote(name));
		return false;
	}
	*guid = builtin->guid;
	return true;
}

/**
 * provider_resolve() - the GUID of what the user calls a provider
 * @fd: the device
 * @text: a GUID, or a name that a kernel module or the built-in table gave
 * @guid: set on success
 *
 * Return: false after printing what is wrong.
 */
bool provider_resolve(int fd, const char *text, struct etw_guid *guid)
{
	if (!etw_guid_parse(text, guid))
		return true;
	return resolve_name(fd, text, guid);
}
