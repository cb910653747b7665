/* SPDX-License-Identifier: MIT */
/*
 * provider.c - find providers by name or GUID
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/suggest.h"
#include "provider.h"
#include "schema.h"
#include "text.h"
#include "base/guid.h"
#include "device/kdev.h"
#include "base/name_guid.h"
#include "request/trace_event.h"

#define MATCHES_SHOWN	8

/**
 * provider_list() - all providers that are registered or enabled
 * @fd: the device
 * @list: set to an array for provider_list_free()
 * @count: set to its length
 */
int provider_list(int fd, struct etw_provider **list, unsigned int *count)
{
	struct etw_guid *guids;
	uint32_t found, i;
	int err;

	err = etw_provider_guids(fd, etw_kdev_provider_enum, &guids, &found);
	if (err)
		return err;
	*count = 0;
	*list = calloc((size_t)found + 1, sizeof(**list));
	if (!*list)
		err = -ENOMEM;
	for (i = 0; !err && i < found; i++) {
		err = etw_provider_query(fd, &guids[i], &(*list)[*count]);
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

void provider_list_free(struct etw_provider *list, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		etw_provider_free(&list[i]);
	free(list);
}

/* Its registered name, else the one in its manifest, else NULL. */
const char *provider_name(const struct etw_provider *provider)
{
	if (provider->name[0])
		return provider->name;
	return schema_provider_name(&provider->guid);
}

/* Providers of one name */
struct matches {
	unsigned int count;
	struct etw_guid guid;	/* of the first */
	struct etw_text all;	/* their GUIDs */
};

/*
 * trusted: those that the kernel named, else the others: a process's name must not decide what an
 * operator enables.
 */
static void match_name(const struct etw_provider *list, unsigned int count, const char *name,
		       bool trusted, struct matches *matches)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (strcasecmp(list[i].name, name) || etw_provider_is_of_kernel(&list[i]) != trusted)
			continue;
		if (!matches->count)
			matches->guid = list[i].guid;
		if (matches->count < MATCHES_SHOWN) {
			etw_text_puts(&matches->all, matches->count ? ", " : "");
			etw_text_guid(&matches->all, &list[i].guid);
		}
		matches->count++;
	}
}

bool provider_looks_like_guid(const char *text)
{
	return strchr(text, '-') && text[strspn(text, "{}-0123456789abcdefABCDEF")] == '\0';
}

/*
 * What manifests call so: a system's by its administrator's will, a user's by their own.
 * A provider with a GUID of its own to be controlled by has that.
 */
static unsigned int resolve_manifest(const char *name, struct etw_guid *guid)
{
	unsigned int count = schema_find_name(name, guid);
	const struct etw_mf_provider *provider = count ? schema_provider(guid) : NULL;

	if (provider && provider->has_control_guid)
		memcpy(guid, &provider->control_guid, sizeof(*guid));
	return count;
}

/* The GUID that a name gives, if somebody has it registered or enabled. */
static bool resolve_hash(int fd, const char *name, struct etw_guid *guid)
{
	struct etw_provider provider;

	if (etw_guid_from_name(name, strlen(name), guid) || etw_provider_query(fd, guid, &provider))
		return false;
	etw_provider_free(&provider);
	return true;
}

/* Names that would be taken: a process's is not. */
static const char *nearest(const char *name, const struct etw_provider *list, unsigned int count)
{
	static struct suggest near;
	unsigned int i;

	suggest_begin(&near, name);
	for (i = 0; i < count; i++)
		if (etw_provider_is_of_kernel(&list[i]))
			suggest_try(&near, list[i].name);
	schema_suggest(&near);
	return cli_suggested(&near, "");
}

/* No module and no manifest has the name. */
static bool resolve_other(int fd, const char *name, const struct etw_provider *list,
			  unsigned int count, struct etw_guid *guid)
{
	struct matches claims = { .count = 0 };
	const char *form = trace_event_form(name);

	if (provider_looks_like_guid(name)) {
		cli_fail("%s is not a complete GUID (8-4-4-4-12 hexadecimal digits)", cli_quote(name));
		return false;
	}
	if (resolve_hash(fd, name, guid))
		return true;
	match_name(list, count, name, false, &claims);
	if (claims.count)
		cli_fail("provider %s: only processes say that this is their name: use the GUID, %s%s",
			 cli_quote(name), text_data(&claims.all),
			 claims.count > MATCHES_SHOWN ? ", ..." : "");
	else if (form)
		cli_fail("no provider is named %s; did you mean %s?", cli_quote(name), form);
	else
		cli_fail("no kernel provider and no manifest is named %s (a GUID works at any time, *NAME takes TraceLogging's)%s",
			 cli_quote(name), nearest(name, list, count));
	etw_text_free(&claims.all);
	return false;
}

static bool resolve_name(int fd, const char *name, struct etw_guid *guid)
{
	struct matches matches = { .count = 0 };
	unsigned int count = 0, named = 0;
	struct etw_provider *list = NULL;
	bool found = false;
	int err;

	err = fd < 0 ? -ENODEV : provider_list(fd, &list, &count);
	if (!err)
		match_name(list, count, name, true, &matches);
	if (!matches.count)
		named = resolve_manifest(name, guid);
	else
		*guid = matches.guid;
	if (matches.count > 1)
		cli_fail("provider %s is ambiguous, use a GUID: %s%s", cli_quote(name),
			 text_data(&matches.all), matches.count > MATCHES_SHOWN ? ", ..." : "");
	else if (named > 1)
		cli_fail("provider %s is ambiguous: %u manifests have the name; use a GUID",
			 cli_quote(name), named);
	else if (matches.count || named)
		found = true;
	else if (fd < 0)
		cli_fail("provider %s: no manifest has this name; give the GUID, or *NAME if the GUID is made of the name",
			 cli_quote(name));
	else if (err)
		cli_fail("provider %s: cannot list the providers: %s", cli_quote(name),
			 cli_denied(-err, "the right \"query\" on it"));
	else
		found = resolve_other(fd, name, list, count, guid);
	etw_text_free(&matches.all);
	if (!err)
		provider_list_free(list, count);
	return found;
}

unsigned int provider_named(int fd, const char *name, struct etw_guid *guid)
{
	struct matches matches = { .count = 0 };
	unsigned int count = 0;
	struct etw_provider *list;

	if (fd >= 0 && !provider_list(fd, &list, &count)) {
		match_name(list, count, name, true, &matches);
		provider_list_free(list, count);
	}
	etw_text_free(&matches.all);
	if (matches.count) {
		*guid = matches.guid;
		return matches.count;
	}
	count = resolve_manifest(name, guid);
	return !count && fd >= 0 ? resolve_hash(fd, name, guid) : count;
}

/* A GUID or *NAME, which need no device and no manifest */
bool provider_known(const char *text, struct etw_guid *guid)
{
	return !etw_guid_parse(text, guid) ||
	       (text[0] == '*' && !etw_guid_from_name(text + 1, strlen(text + 1), guid));
}

/**
 * provider_resolve() - the GUID of what the user calls a provider
 * @fd: the device
 * @text: a GUID; a name that a kernel module or a manifest gave; *NAME, or the name of
 *	a provider that has the GUID which TraceLogging's tools make of it
 * @guid: set on success
 *
 * Return: false after printing what is wrong.
 */
bool provider_resolve(int fd, const char *text, struct etw_guid *guid)
{
	if (provider_known(text, guid))
		return true;
	if (text[0] != '*')
		return resolve_name(fd, text, guid);
	cli_fail("provider %s: a name in UTF-8 must follow the *", cli_quote(text));
	return false;
}

const char *provider_hashed(const char *text, const struct etw_guid *guid)
{
	const char *name = text + (text[0] == '*');
	struct etw_guid made;

	if (!etw_guid_parse(text, &made) || etw_guid_from_name(name, strlen(name), &made) ||
	    memcmp(&made, guid, sizeof(made)) || schema_provider(guid))
		return NULL;
	return name;
}

bool provider_announced(int fd, const char *name, const struct etw_guid *but,
			struct etw_guid *guid)
{
	struct etw_provider *list;
	unsigned int count, i;
	bool found = false;

	if (provider_list(fd, &list, &count))
		return false;
	for (i = 0; i < count && !found; i++) {
		found = list[i].reg_count && !strcasecmp(list[i].name, name) &&
			memcmp(&list[i].guid, but, sizeof(*but));
		*guid = list[i].guid;
	}
	provider_list_free(list, count);
	return found;
}

/* ---------------------------------------------------------- several providers */

/* How many operands there are up to the NULL, all of them good as providers. */
unsigned int provider_operands(char **operands, unsigned int max)
{
	unsigned int count = 0;

	for (; operands[count]; count++) {
		if (count == max)
			cli_usage("more than %u providers", max);
		provider_check(operands[count]);
	}
	return count;
}

void provider_names_add(struct provider_names *names, char *text)
{
	names->list = cli_grow(names->list, names->count + 1, sizeof(*names->list));
	names->list[names->count++] = text;
	names->list[names->count] = NULL;
}

char **provider_names_all(struct provider_names *names, char **operands, bool needed)
{
	for (; *operands; operands++)
		provider_names_add(names, *operands);
	if (needed && !names->count)
		cli_usage("missing PROVIDER");
	return names->list ? names->list : operands;
}

const char *provider_operand(const char *option, const char *operand)
{
	if (option && operand)
		cli_usage("unexpected argument %s: -p gave the provider", cli_quote(operand));
	if (!option && !operand)
		cli_usage("missing PROVIDER");
	return option ? option : operand;
}

/* Their GUIDs; false after printing what is wrong. */
bool provider_resolve_all(int fd, char **operands, struct etw_guid *guids)
{
	for (; *operands; operands++, guids++)
		if (!provider_resolve(fd, *operands, guids))
			return false;
	return true;
}

void provider_print_guids(const struct etw_guid *guids, unsigned int count)
{
	char text[GUID_TEXT_SIZE];

	while (count--)
		puts(guid_text(guids++, text));
}

void provider_json_guids(struct etw_text *to, const char *key, const struct etw_guid *guids,
			 unsigned int count)
{
	json_writer_open(to, key, '[');
	while (count--)
		json_writer_guid(to, NULL, guids++);
	json_writer_close(to, ']');
}
