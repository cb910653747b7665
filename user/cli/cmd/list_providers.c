/* SPDX-License-Identifier: MIT */
/*
 * list_providers.c - etw list providers: their registrations and sessions
 */
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "list.h"
#include "cli/provider.h"
#include "cli/table.h"
#include "cli/text.h"

static void add_name(struct etw_text *line, const struct etw_provider *provider)
{
	const char *name = provider_name(provider);

	if (name)
		text_escape(line, name, strlen(name));
	else
		text_puts(line, "(no name)");
}

/* The sessions that enabled the provider itself or a group of its registrations. */
static uint64_t enabled_by(const struct etw_provider *p)
{
	uint64_t mask = list_enable_mask(p->enables, p->enable_count);
	unsigned int i;

	for (i = 0; i < p->reg_count; i++)
		mask |= p->regs[i].sessions;
	return mask;
}

static void print_table(const struct etw_provider *providers, unsigned int count,
			const struct sessions *sessions)
{
	static const char *const headings[] = {
		"PROVIDER", "GUID", ">REGISTERED", "ENABLED BY", NULL
	};
	struct table table = { .headings = headings };
	struct etw_text name = { 0 }, enabled = { 0 };
	char guid[GUID_TEXT_SIZE];
	unsigned int i;

	for (i = 0; i < count; i++) {
		const struct etw_provider *p = &providers[i];

		name.len = enabled.len = 0;
		add_name(&name, p);
		list_add_sessions(&enabled, enabled_by(p), sessions);
		table_cell(&table, "%s", name.data);
		table_cell(&table, "%s", guid_text(&p->guid, guid));
		table_cell(&table, "%u", p->reg_count);
		table_cell(&table, "%s", enabled.len ? enabled.data : "-");
	}
	table_print(&table);
	table_free(&table);
	etw_text_free(&name);
	etw_text_free(&enabled);
}

static void print_details(const struct etw_provider *provider,
			  const struct sessions *sessions)
{
	struct etw_text line = { 0 };
	unsigned int i;

	add_name(&line, provider);
	text_puts(&line, "  ");
	text_guid(&line, &provider->guid);
	text_puts(&line, "\n");
	for (i = 0; i < provider->reg_count; i++) {
		text_puts(&line, "    registered  ");
		list_add_reg(&line, &provider->regs[i], sessions, true);
	}
	for (i = 0; i < provider->enable_count; i++)
		list_add_enable(&line, &provider->enables[i], sessions);
	fputs(line.data, stdout);
	etw_text_free(&line);
}

static struct json *provider_json(const struct etw_provider *provider, const struct sessions *sessions)
{
	const char *name = provider_name(provider);
	struct json *o = json_new();
	struct json *regs = json_new_array();
	struct json *enables = json_new_array();
	unsigned int i;

	json_guid(o, "provider", &provider->guid);
	if (name)
		json_string(o, "provider_name", name, strlen(name));
	else
		json_word(o, "provider_name", NULL);
	for (i = 0; i < provider->reg_count; i++)
		json_append(regs, list_reg_json(&provider->regs[i], sessions));
	for (i = 0; i < provider->enable_count; i++)
		json_append(enables, list_enable_json(&provider->enables[i], sessions));
	json_put(o, "registrations", regs);
	json_put(o, "enabled_by", enables);
	return o;
}

int list_providers(struct list *list)
{
	struct json *array;
	struct etw_provider *providers;
	unsigned int count, i;
	int err;

	err = provider_list(list->fd, &providers, &count);
	if (err)
		return err;
	if (!list->json && list->follows)
		puts("");
	if (list->json) {
		array = json_new_array();
		for (i = 0; i < count; i++)
			json_append(array, provider_json(&providers[i], &list->sessions));
		json_put(list->json, "providers", array);
	} else if (!count) {
		puts("no providers");
	} else if (!list->verbose) {
		print_table(providers, count, &list->sessions);
	} else {
		for (i = 0; i < count; i++)
			print_details(&providers[i], &list->sessions);
	}
	provider_list_free(providers, count);
	return 0;
}
