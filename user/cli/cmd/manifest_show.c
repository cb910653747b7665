/* SPDX-License-Identifier: MIT */
/*
 * manifest_show.c - etw manifest show: what a provider's events look like
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/json.h"
#include "manifest.h"
#include "cli/table.h"
#include "cli/text.h"
#include "base/guid.h"
#include "tdh/manifest/manifest.h"
#include "tdh/store/store.h"

static const char *name_of(const struct etw_mf_named *named)
{
	return named ? named->name : "";
}

/* "UInt32", "UnicodeString[Count]", "Binary(Size)" */
static void add_type(struct etw_text *text, const struct etw_mf_template *template,
		     const struct etw_mf_field *field)
{
	const char *type = etw_mx_in_type_name(field->in_type);

	text_puts(text, field->flags & ETW_MF_STRUCT ? "struct" : type);
	if (field->flags & ETW_MF_LENGTH_FIELD)
		text_printf(text, "(%s)", manifest_text(template->fields[field->length].name));
	else if (field->flags & ETW_MF_LENGTH_FIXED)
		text_printf(text, "(%u)", field->length);
	if (field->flags & ETW_MF_COUNT_FIELD)
		text_printf(text, "[%s]", manifest_text(template->fields[field->count].name));
	else if (field->flags & ETW_MF_COUNT_FIXED || field->count != 1)
		text_printf(text, "[%u]", field->count);
	if (field->map)
		text_printf(text, " {%s}", manifest_text(field->map->name));
}

static void print_fields(const struct etw_mf_template *template, unsigned int first,
			 unsigned int count, int indent)
{
	unsigned int i;

	for (i = first; i < first + count; i++) {
		const struct etw_mf_field *field = &template->fields[i];
		struct etw_text type = { 0 };

		add_type(&type, template, field);
		printf("%*s%s  %s\n", indent, "", manifest_text(field->name), type.data);
		etw_text_free(&type);
		if (field->flags & ETW_MF_STRUCT)
			print_fields(template, field->first, field->members, indent + 4);
	}
}

static void add_keywords(struct etw_text *text, const struct etw_mf_provider *provider,
			 uint64_t bits)
{
	const struct etw_mf_keyword *keyword;

	for (; bits; bits &= bits - 1) {
		keyword = etw_mf_keyword(provider, bits & -bits);
		if (text->len)
			text_puts(text, ",");
		if (keyword)
			text_puts(text, manifest_text(keyword->name));
		else
			text_printf(text, "0x%" PRIx64, bits & -bits);
	}
}

static void print_event(const struct etw_mf_provider *provider, const struct etw_mf_event *event)
{
	const char *message = etw_mf_text(provider->manifest, event->message);
	struct etw_text keywords = { 0 };

	add_keywords(&keywords, provider, event->keywords);
	printf("event %u", event->desc.Id);
	if (event->desc.Version)
		printf(" version %u", event->desc.Version);
	if (event->name || event->symbol)
		printf(" %s", manifest_text(event->name ? event->name : event->symbol));
	if (event->level)
		printf(", level %s", manifest_text(event->level->name));
	if (event->task)
		printf(", task %s", manifest_text(event->task->name));
	if (event->opcode)
		printf(", opcode %s", manifest_text(event->opcode->name));
	if (event->channel)
		printf(", channel %s", manifest_text(event->channel->name));
	if (keywords.len)
		printf(", keywords %s", keywords.data);
	putchar('\n');
	if (message)
		printf("    \"%s\"\n", manifest_text(message));
	if (event->template)
		print_fields(event->template, 0, event->template->top, 4);
	etw_text_free(&keywords);
}

static void print_provider(const struct etw_mf_provider *provider)
{
	char guid[GUID_TEXT_SIZE];
	unsigned int i;

	printf("provider %s\n", manifest_text(provider->name));
	printf("    guid     %s\n", guid_text((const struct etw_guid *)&provider->guid, guid));
	if (provider->has_control_guid)
		printf("    control  %s\n",
		       guid_text((const struct etw_guid *)&provider->control_guid, guid));
	printf("    file     %s\n", manifest_text(provider->manifest->file));
	for (i = 0; i < provider->keyword_count; i++)
		printf("keyword 0x%" PRIx64 " %s\n", provider->keywords[i].mask,
		       manifest_text(provider->keywords[i].name));
	for (i = 0; i < provider->event_count; i++)
		print_event(provider, &provider->events[i]);
}

/* ----------------------------------------------------------------------- JSON */

static void put_text(struct json *to, const char *key, const char *s)
{
	if (s && *s)
		json_string(to, key, s, strlen(s));
}

static struct json *fields_json(const struct etw_mf_template *template, unsigned int first,
				unsigned int count)
{
	struct json *list = json_new_array(), *o;
	unsigned int i;

	for (i = first; i < first + count; i++) {
		const struct etw_mf_field *field = &template->fields[i];

		o = json_new();
		put_text(o, "name", field->name);
		if (field->flags & ETW_MF_STRUCT) {
			json_put(o, "members", fields_json(template, field->first, field->members));
		} else {
			put_text(o, "type", etw_mx_in_type_name(field->in_type));
			put_text(o, "shown_as", etw_mx_out_type_name(field->out_type));
		}
		if (field->flags & ETW_MF_COUNT_FIELD)
			put_text(o, "count", template->fields[field->count].name);
		else if (field->flags & ETW_MF_COUNT_FIXED || field->count != 1)
			json_unsigned(o, "count", field->count);
		if (field->flags & ETW_MF_LENGTH_FIELD)
			put_text(o, "length", template->fields[field->length].name);
		else if (field->flags & ETW_MF_LENGTH_FIXED)
			json_unsigned(o, "length", field->length);
		if (field->map)
			put_text(o, "map", field->map->name);
		json_append(list, o);
	}
	return list;
}

static struct json *event_json(const struct etw_mf_provider *provider,
			       const struct etw_mf_event *event)
{
	const struct etw_mf_template *template = event->template;
	struct json *o = json_new();

	json_unsigned(o, "id", event->desc.Id);
	json_unsigned(o, "version", event->desc.Version);
	put_text(o, "name", event->name);
	put_text(o, "symbol", event->symbol);
	json_unsigned(o, "level", event->desc.Level);
	put_text(o, "level_name", name_of(event->level));
	put_text(o, "task", event->task ? event->task->name : NULL);
	put_text(o, "opcode", name_of(event->opcode));
	put_text(o, "channel", event->channel ? event->channel->name : NULL);
	json_mask(o, "keyword", event->desc.Keyword);
	put_text(o, "message", etw_mf_text(provider->manifest, event->message));
	put_text(o, "attributes", event->attributes);
	json_put(o, "fields", template ? fields_json(template, 0, template->top) :
		 json_new_array());
	return o;
}

static struct json *provider_json(const struct etw_mf_provider *provider)
{
	struct json *o = json_new(), *keywords = json_new_array(), *one;
	struct json *events = json_new_array();
	unsigned int i;

	put_text(o, "provider", provider->name);
	json_guid(o, "guid", (const struct etw_guid *)&provider->guid);
	if (provider->has_control_guid)
		json_guid(o, "control_guid", (const struct etw_guid *)&provider->control_guid);
	put_text(o, "file", provider->manifest->file);
	for (i = 0; i < provider->keyword_count; i++) {
		one = json_new();
		put_text(one, "name", provider->keywords[i].name);
		json_mask(one, "mask", provider->keywords[i].mask);
		json_append(keywords, one);
	}
	for (i = 0; i < provider->event_count; i++)
		json_append(events, event_json(provider, &provider->events[i]));
	json_put(o, "keywords", keywords);
	json_put(o, "events", events);
	return o;
}

/* -------------------------------------------------------------------- finding */

static const struct etw_mf_provider *by_name(const char *name, struct etw_manifest **manifest)
{
	const struct etw_mf_provider *found = NULL;
	struct etw_store_list all;
	unsigned int j;
	size_t i;

	if (etw_store_all(&all))
		cli_die("out of memory");
	for (i = 0; i < all.count && !found; i++) {
		for (j = 0; j < all.list[i]->provider_count && !found; j++)
			if (!strcasecmp(all.list[i]->providers[j].name, name))
				found = &all.list[i]->providers[j];
		if (found)
			*manifest = etw_manifest_get(all.list[i]);
	}
	etw_store_list_free(&all);
	return found;
}

static void show(const struct etw_mf_provider *provider, bool json)
{
	if (json)
		json_print(provider_json(provider));
	else
		print_provider(provider);
}

int manifest_show(const struct manifest_request *request)
{
	const char *wanted = request->operands[0];
	const struct etw_mf_provider *provider;
	struct etw_manifest *manifest = NULL;
	struct etw_guid guid;
	unsigned int i;
	GUID copy;

	if (!etw_guid_parse(wanted, &guid)) {
		memcpy(&copy, &guid, sizeof(copy));
		provider = etw_store_find(&copy, &manifest);
	} else {
		provider = by_name(wanted, &manifest);
	}
	if (provider) {
		show(provider, request->json);
	} else if (!access(wanted, F_OK)) {
		if (!manifest_read(wanted, &manifest, NULL, NULL))
			return 1;
		for (i = 0; i < manifest->provider_count; i++)
			show(&manifest->providers[i], request->json);
	} else {
		manifest_report_problems();
		return cli_fail("%s: no such provider is installed, and no such file is there",
				cli_quote(wanted));
	}
	etw_manifest_put(manifest);
	return 0;
}
