/* SPDX-License-Identifier: MIT */
/*
 * schema.c - what manifests say of providers: names for the command line
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/suggest.h"
#include "cli.h"
#include "schema.h"
#include "text.h"
#include "tdh/store/store.h"

/* Manifests from which something was returned, and the manifests of --manifest */
static struct {
	struct etw_manifest **held;
	size_t count;
	struct etw_manifest **loaded;
	size_t loaded_count;
	struct etw_providers *lists;	/* that were returned */
	size_t list_count;
} manifests;

static void append(struct etw_manifest ***list, size_t *count, struct etw_manifest *manifest)
{
	*list = cli_grow(*list, *count, sizeof(**list));
	(*list)[(*count)++] = manifest;
}

const char *schema_first_error(const char *path, const struct etw_problems *problems, int err)
{
	static struct etw_text text;
	unsigned int i;

	text.len = 0;
	etw_text_puts(&text, cli_quote(path));
	for (i = 0; i < problems->count && problems->list[i].warning; i++)
		;
	if (i == problems->count) {
		etw_text_printf(&text, ": %s", strerror(-err));
		return text_data(&text);
	}
	etw_text_printf(&text, ":%u: ", problems->list[i].line);
	etw_text_safe(&text, problems->list[i].text, strlen(problems->list[i].text));
	if (problems->errors > 1)
		etw_text_printf(&text, ", and %u more: see 'etw manifest check'",
				problems->errors - 1);
	return text_data(&text);
}

void schema_note_warnings(const char *path, const struct etw_problems *problems)
{
	struct etw_text text = { 0 };
	unsigned int i = 0;

	while (i < problems->count && !problems->list[i].tolerated)
		i++;
	if (i == problems->count)
		return;
	etw_text_printf(&text, "%s:%u: warning: ", cli_quote(path), problems->list[i].line);
	etw_text_safe(&text, problems->list[i].text, strlen(problems->list[i].text));
	if (problems->warnings > 1)
		etw_text_printf(&text, ", and %u more: see 'etw manifest check'",
				problems->warnings - 1);
	cli_note("%s", text_data(&text));
	etw_text_free(&text);
}

void schema_load(const char *option, const char *path, bool needed)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest;
	int err = etw_manifest_read_file(path, &manifest, &problems);

	if (err == -EINVAL && !needed) {
		cli_note("%s: %s: left out", option, schema_first_error(path, &problems, err));
		etw_problems_free(&problems);
		return;
	}
	if (err)
		cli_die("%s: %s", option, schema_first_error(path, &problems, err));
	schema_note_warnings(path, &problems);
	etw_problems_free(&problems);
	if (etw_store_add(manifest))
		cli_die("out of memory");
	append(&manifests.loaded, &manifests.loaded_count, manifest);
}

void schema_unload(void)
{
	while (manifests.loaded_count) {
		struct etw_manifest *manifest = manifests.loaded[--manifests.loaded_count];

		etw_store_remove(manifest);
		etw_manifest_put(manifest);
	}
	while (manifests.count)
		etw_manifest_put(manifests.held[--manifests.count]);
	while (manifests.list_count)
		etw_providers_free(&manifests.lists[--manifests.list_count]);
	free(manifests.lists);
	free(manifests.loaded);
	free(manifests.held);
	memset(&manifests, 0, sizeof(manifests));
}

/* ----------------------------------------------------------------- providers */

const struct etw_mf_provider *schema_provider(const struct etw_guid *guid)
{
	const struct etw_mf_provider *provider;
	struct etw_manifest *manifest;
	GUID copy;
	size_t i;

	memcpy(&copy, guid, sizeof(copy));
	provider = etw_store_find(&copy, &manifest);
	if (!provider)
		return NULL;
	for (i = 0; i < manifests.count && manifests.held[i] != manifest; i++)
		;
	if (i < manifests.count)
		etw_manifest_put(manifest);
	else
		append(&manifests.held, &manifests.count, manifest);
	return provider;
}

struct etw_providers schema_providers(const struct etw_guid *guid)
{
	struct etw_providers all;
	GUID copy;

	memcpy(&copy, guid, sizeof(copy));
	if (etw_store_find_all(&copy, &all))
		cli_die("out of memory");
	manifests.lists = cli_grow(manifests.lists, manifests.list_count, sizeof(*manifests.lists));
	manifests.lists[manifests.list_count++] = all;
	return all;
}

const char *schema_provider_name(const struct etw_guid *guid)
{
	const struct etw_mf_provider *provider = schema_provider(guid);

	return provider ? provider->name : NULL;
}

unsigned int schema_find_name(const char *name, struct etw_guid *guid)
{
	const struct etw_mf_provider *provider;
	unsigned int matches = 0, j;
	struct etw_store_list all;
	size_t i;

	if (etw_store_all(&all))
		cli_die("out of memory");
	for (i = 0; i < all.count; i++)
		for (j = 0; j < all.list[i]->provider_count; j++) {
			provider = &all.list[i]->providers[j];
			if (strcasecmp(provider->name, name) ||
			    (matches && !memcmp(guid, &provider->guid, sizeof(*guid))))
				continue;
			if (!matches++)
				memcpy(guid, &provider->guid, sizeof(*guid));
		}
	etw_store_list_free(&all);
	return matches;
}

void schema_suggest(struct suggest *near)
{
	struct etw_store_list all;
	unsigned int j;
	size_t i;

	if (etw_store_all(&all))
		cli_die("out of memory");
	for (i = 0; i < all.count; i++)
		for (j = 0; j < all.list[i]->provider_count; j++)
			suggest_try(near, all.list[i]->providers[j].name);
	etw_store_list_free(&all);
}

/* --------------------------------------------------------------------- names */

/* A name as such, without the prefix of standard ones, or as its symbol */
static bool matches(const char *word, const char *name, const char *symbol)
{
	if (symbol && !strcasecmp(word, symbol))
		return true;
	if (!name)
		return false;
	return !strcasecmp(word, name) ||
	       (!strncmp(name, "win:", 4) && !strcasecmp(word, name + 4));
}

static bool own_value(const struct etw_mf_provider *provider, enum etw_part part, const char *name,
		      uint64_t *value)
{
	const struct etw_mf_parts own = etw_mf_parts(provider, part);
	const struct etw_mf_named *named;
	unsigned int i;

	for (i = 0; i < own.count; i++) {
		named = etw_mf_part_at(&own, i);
		if (matches(name, named->name, named->symbol)) {
			*value = named->value;
			return true;
		}
	}
	return false;
}

bool schema_value(const struct etw_providers *providers, enum etw_part part, const char *name,
		  uint64_t *value)
{
	const bool bits = part == ETW_PART_KEYWORD;
	const struct etw_mf_named *named;
	unsigned int i;

	for (i = 0; i < providers->count; i++)
		if (own_value(providers->list[i], part, name, value))
			return true;
	for (i = 0; i < (bits ? 64 : 256); i++) {
		named = etw_standard(part, bits ? 1ull << i : i);
		if (named && matches(name, named->name, NULL)) {
			*value = named->value;
			return true;
		}
	}
	return false;
}

/* What is shown in place of a name */
static bool is_label(const struct etw_mf_provider *provider, const struct etw_mf_message *message,
		     const char *word)
{
	const char *text = etw_mf_text(provider->manifest, message);

	return text && !strcasecmp(word, text);
}

static bool by_task(const struct etw_mf_provider *provider, const struct etw_mf_event *event,
		    const char *name)
{
	const struct etw_mf_task *task = event->task;

	return task && (matches(name, task->name, task->symbol) ||
			is_label(provider, task->message, name));
}

/* TASK/OPCODE, either of which may have a / in it */
static bool by_both(const struct etw_mf_provider *provider, const struct etw_mf_event *event,
		    const char *name)
{
	const struct etw_mf_named *opcode = event->opcode;
	const char *slash = strchr(name, '/');
	char task[256];

	if (!opcode)
		return false;
	for (; slash && slash - name < (ptrdiff_t)sizeof(task); slash = strchr(slash + 1, '/')) {
		memcpy(task, name, slash - name);
		task[slash - name] = '\0';
		if (by_task(provider, event, task) &&
		    (matches(slash + 1, opcode->name, opcode->symbol) ||
		     is_label(provider, opcode->message, slash + 1)))
			return true;
	}
	return false;
}

static bool by_name(const struct etw_mf_provider *provider, const struct etw_mf_event *event,
		    const char *name)
{
	(void)provider;
	return matches(name, event->name, event->symbol);
}

typedef bool is_named(const struct etw_mf_provider *provider, const struct etw_mf_event *event,
		      const char *name);

/* The next event that is named so, after *before (NULL: the first); clears *before */
static const struct etw_mf_event *next_event(const struct etw_providers *providers, is_named *is,
					     const char *name, const struct etw_mf_event **before)
{
	const struct etw_mf_provider *p;
	const struct etw_mf_event *event;
	unsigned int i, j;

	for (i = 0; i < providers->count; i++) {
		p = providers->list[i];
		for (j = 0; j < p->event_count; j++) {
			event = &p->events[j];
			if (*before) {
				*before = event == *before ? NULL : *before;
				continue;
			}
			if (is(p, event, name) &&
			    etw_providers_event(providers, event->desc.Id, event->desc.Version, NULL) == event)
				return event;
		}
	}
	return NULL;
}

const struct etw_mf_event *schema_event(const struct etw_providers *providers, const char *name,
					const struct etw_mf_event *before)
{
	static is_named *const kinds[] = { by_name, by_both, by_task };
	const struct etw_mf_event *none = NULL;
	unsigned int i = 0;

	while (i < 2 && !next_event(providers, kinds[i], name, &none))
		i++;
	return next_event(providers, kinds[i], name, &before);
}

static void add_name(struct etw_text *to, const char *name)
{
	if (!name || to->len > 200)
		return;
	if (to->len)
		etw_text_puts(to, ", ");
	etw_text_escape(to, name, strlen(name));
}

void schema_print_names(const struct etw_providers *providers, enum etw_part part,
			struct etw_text *to)
{
	unsigned int i, j;

	for (i = 0; i < providers->count; i++) {
		const struct etw_mf_parts own = etw_mf_parts(providers->list[i], part);

		for (j = 0; j < own.count; j++)
			add_name(to, etw_mf_part_at(&own, j)->name);
	}
}
