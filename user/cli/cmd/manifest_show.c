/* SPDX-License-Identifier: MIT */
/*
 * manifest_show.c - etw manifest show and list: what a provider's events look like, and
 * which providers are installed
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "cli/cli.h"
#include "manifest.h"
#include "cli/schema.h"
#include "cli/table.h"
#include "cli/text.h"
#include "base/guid.h"
#include "tdh/manifest/manifest.h"
#include "tdh/store/store.h"

/* "UInt32", "UnicodeString[Count]", "Binary(Size)" */
static void add_type(struct etw_text *text, const struct etw_mf_template *template,
		     const struct etw_mf_field *field)
{
	const char *type = etw_manifest_in_type_name(field->in_type);

	etw_text_puts(text, field->flags & ETW_MF_STRUCT ? "struct" : type);
	if (field->flags & ETW_MF_LENGTH_FIELD)
		etw_text_printf(text, "(%s)", manifest_text(template->fields[field->length].name));
	else if (field->flags & ETW_MF_LENGTH_FIXED)
		etw_text_printf(text, "(%u)", field->length);
	if (field->flags & ETW_MF_COUNT_FIELD)
		etw_text_printf(text, "[%s]", manifest_text(template->fields[field->count].name));
	else if (field->flags & ETW_MF_COUNT_FIXED || field->count != 1)
		etw_text_printf(text, "[%u]", field->count);
	if (field->map)
		etw_text_printf(text, " {%s}", manifest_text(field->map->name));
}

static void print_fields(const struct etw_mf_template *template, unsigned int first,
			 unsigned int count, int indent)
{
	unsigned int i;

	for (i = first; i < first + count; i++) {
		const struct etw_mf_field *field = &template->fields[i];
		struct etw_text type = { 0 };

		add_type(&type, template, field);
		printf("%*s%s  %s\n", indent, "", manifest_text(field->name), text_data(&type));
		etw_text_free(&type);
		if (field->flags & ETW_MF_STRUCT)
			print_fields(template, field->first, field->members, indent + 4);
	}
}

static void add_keywords(struct etw_text *text, const struct etw_mf_provider *provider,
			 uint64_t bits)
{
	const struct etw_mf_named *keyword;

	for (; bits; bits &= bits - 1) {
		keyword = etw_mf_part(provider, ETW_PART_KEYWORD, bits & -bits);
		if (text->len)
			etw_text_puts(text, ",");
		if (keyword)
			etw_text_puts(text, manifest_text(keyword->name));
		else
			etw_text_printf(text, "0x%" PRIx64, bits & -bits);
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
	if (*text_data(&keywords))
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
		printf("keyword 0x%" PRIx64 " %s\n", provider->keywords[i].value,
		       manifest_text(provider->keywords[i].name));
	for (i = 0; i < provider->event_count; i++)
		print_event(provider, &provider->events[i]);
}

/* ----------------------------------------------------------------------- JSON */

static void put_text(struct etw_text *to, const char *key, const char *s)
{
	if (s && *s)
		json_writer_word(to, key, s);
}

static void put_fields(struct etw_text *to, const char *key, const struct etw_mf_template *template,
		       unsigned int first, unsigned int count)
{
	const struct etw_mf_field *field;
	unsigned int i;

	json_writer_open(to, key, '[');
	for (i = first; i < first + count; i++) {
		field = &template->fields[i];
		json_writer_open(to, NULL, '{');
		put_text(to, "name", field->name);
		if (field->flags & ETW_MF_STRUCT) {
			put_fields(to, "members", template, field->first, field->members);
		} else {
			put_text(to, "type", etw_manifest_in_type_name(field->in_type));
			put_text(to, "shown_as", etw_manifest_out_type_name(field->out_type));
		}
		if (field->flags & ETW_MF_COUNT_FIELD)
			put_text(to, "count", template->fields[field->count].name);
		else if (field->flags & ETW_MF_COUNT_FIXED || field->count != 1)
			json_writer_unsigned(to, "count", field->count);
		if (field->flags & ETW_MF_LENGTH_FIELD)
			put_text(to, "length", template->fields[field->length].name);
		else if (field->flags & ETW_MF_LENGTH_FIXED)
			json_writer_unsigned(to, "length", field->length);
		if (field->map)
			put_text(to, "map", field->map->name);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
}

static void put_event(struct etw_text *to, const struct etw_mf_provider *provider,
		      const struct etw_mf_event *event)
{
	const struct etw_mf_template *template = event->template;

	json_writer_open(to, NULL, '{');
	json_writer_unsigned(to, "id", event->desc.Id);
	json_writer_unsigned(to, "version", event->desc.Version);
	put_text(to, "name", event->name);
	put_text(to, "symbol", event->symbol);
	json_writer_unsigned(to, "level", event->desc.Level);
	put_text(to, "level_name", event->level ? event->level->name : NULL);
	put_text(to, "task", event->task ? event->task->name : NULL);
	put_text(to, "opcode", event->opcode ? event->opcode->name : NULL);
	put_text(to, "channel", event->channel ? event->channel->name : NULL);
	json_writer_mask(to, "keyword", event->desc.Keyword);
	put_text(to, "message", etw_mf_text(provider->manifest, event->message));
	put_text(to, "attributes", event->attributes);
	put_fields(to, "fields", template, 0, template ? template->top : 0);
	json_writer_close(to, '}');
}

static void print_provider_json(const struct etw_mf_provider *provider)
{
	struct etw_text line = { 0 };
	unsigned int i;

	json_writer_open(&line, NULL, '{');
	put_text(&line, "provider", provider->name);
	json_writer_guid(&line, "guid", (const struct etw_guid *)&provider->guid);
	if (provider->has_control_guid)
		json_writer_guid(&line, "control_guid",
				 (const struct etw_guid *)&provider->control_guid);
	put_text(&line, "file", provider->manifest->file);
	json_writer_open(&line, "keywords", '[');
	for (i = 0; i < provider->keyword_count; i++) {
		json_writer_open(&line, NULL, '{');
		put_text(&line, "name", provider->keywords[i].name);
		json_writer_mask(&line, "mask", provider->keywords[i].value);
		json_writer_close(&line, '}');
	}
	json_writer_close(&line, ']');
	json_writer_open(&line, "events", '[');
	for (i = 0; i < provider->event_count; i++)
		put_event(&line, provider, &provider->events[i]);
	json_writer_close(&line, ']');
	json_print(&line);
}

/* -------------------------------------------------------------------- finding */

static void show(const struct etw_mf_provider *provider, bool json)
{
	(json ? print_provider_json : print_provider)(provider);
}

static int show_file(const char *path, bool json)
{
	struct etw_manifest *manifest = NULL;
	unsigned int i;

	if (!manifest_read(path, &manifest, NULL, NULL))
		return 1;
	for (i = 0; i < manifest->provider_count; i++)
		show(&manifest->providers[i], json);
	etw_manifest_put(manifest);
	return 0;
}

int manifest_show(const struct manifest_request *request)
{
	const char *wanted = request->operands[0];
	struct etw_providers providers;
	struct etw_guid guid;
	unsigned int i;

	memset(&guid, 0, sizeof(guid));
	if (etw_guid_parse(wanted, &guid))
		schema_find_name(wanted, &guid);
	/* All manifests that complement each other, in the order in which they count */
	providers = schema_providers(&guid);
	for (i = 0; i < providers.count; i++)
		show(providers.list[i], request->json);
	if (providers.count)
		return 0;
	if (!access(wanted, F_OK))
		return show_file(wanted, request->json);
	manifest_report_problems();
	return cli_fail("%s: no such provider is installed, and no such file is there",
			cli_quote(wanted));
}

/* ------------------------------------------------------------------------- list */

/* The kind of folder that a manifest is in */
static const char *folder_name(const char *file)
{
	static const char *const names[] = {
		[ETW_FOLDER_GIVEN] = "given", [ETW_FOLDER_USER] = "user",
		[ETW_FOLDER_MACHINE] = "machine", [ETW_FOLDER_PACKAGE] = "package",
	};
	static struct etw_folder folders[ETW_FOLDERS_MAX];
	unsigned int count = etw_folders(folders), i;
	size_t len;

	for (i = 0; i < count; i++) {
		len = strlen(folders[i].path);
		if (!strncmp(folders[i].path, file, len) && file[len] == '/')
			return names[folders[i].kind];
	}
	return "-";
}

/* How many of its events this manifest describes for the decoder, others being earlier */
static unsigned int served(const struct etw_mf_provider *provider)
{
	const struct etw_mf_event *event, *found;
	struct etw_manifest *manifest;
	unsigned int count = 0;

	for (event = provider->events; event < provider->events + provider->event_count; event++) {
		if (!etw_store_find_event(&provider->guid, event->desc.Id, event->desc.Version,
					  &found, &manifest))
			continue;
		count += found == event;
		etw_manifest_put(manifest);
	}
	return count;
}

/* Does an earlier manifest have the provider, and all of its events, too? */
static bool is_hidden(const struct etw_mf_provider *provider, unsigned int serves)
{
	const struct etw_mf_provider *found;
	struct etw_manifest *manifest;

	found = etw_store_find(&provider->guid, &manifest);
	if (found)
		etw_manifest_put(manifest);
	return found && found != provider && !serves;
}

static void add_row(struct table *table, const struct etw_mf_provider *provider)
{
	unsigned int serves = served(provider);
	char guid[GUID_TEXT_SIZE];

	table_cell(table, "%s", manifest_text(provider->name));
	table_cell(table, "%s", guid_text((const struct etw_guid *)&provider->guid, guid));
	table_cell(table, "%u", provider->event_count);
	table_cell(table, "%u", serves);
	table_cell(table, "%s", is_hidden(provider, serves) ? "hidden" : folder_name(provider->manifest->file));
	table_cell(table, "%s", manifest_text(provider->manifest->file));
}

static void print_row_json(const struct etw_mf_provider *provider)
{
	unsigned int serves = served(provider);
	struct etw_text line = { 0 };

	json_writer_open(&line, NULL, '{');
	json_writer_word(&line, "provider", provider->name);
	json_writer_guid(&line, "guid", (const struct etw_guid *)&provider->guid);
	if (provider->has_control_guid)
		json_writer_guid(&line, "control_guid",
				 (const struct etw_guid *)&provider->control_guid);
	json_writer_unsigned(&line, "events", provider->event_count);
	json_writer_word(&line, "folder", folder_name(provider->manifest->file));
	json_writer_unsigned(&line, "serves", serves);
	json_writer_flag(&line, "hidden", is_hidden(provider, serves));
	json_writer_word(&line, "file", provider->manifest->file);
	json_print(&line);
}

/* Is the file the target of a GUID's link in the folder, or itself named by a GUID? */
static bool is_found(int fd, struct dirent **names, int count, const char *file)
{
	char target[NAME_MAX + 1];
	ssize_t len;
	int i;

	for (i = 0; i < count; i++) {
		if (!etw_folder_is_link_name(names[i]->d_name))
			continue;
		len = readlinkat(fd, names[i]->d_name, target, NAME_MAX);
		target[len > 0 ? len : 0] = '\0';
		if (!strcmp(target, file) || !strcmp(names[i]->d_name, file))
			return true;
	}
	return false;
}

/* Report files that no link leads to, for example copied there without "install". */
static void report_unlinked(void)
{
	static struct etw_folder folders[ETW_FOLDERS_MAX];
	unsigned int folder_count = etw_folders(folders), i;
	struct dirent **names;
	int count, j, fd;

	for (i = 0; i < folder_count; i++) {
		fd = etw_folder_open(folders[i].path);
		count = fd < 0 ? -1 : scandir(folders[i].path, &names, NULL, alphasort);
		for (j = 0; j < count; j++)
			if (names[j]->d_name[0] != '.' && names[j]->d_type != DT_DIR &&
			    !is_found(fd, names, count, names[j]->d_name))
				cli_note("%s/%s: no GUID links to it, so it is not used; 'etw manifest install' makes links",
					 manifest_text(folders[i].path),
					 manifest_text(names[j]->d_name));
		for (j = 0; j < count; j++)
			free(names[j]);
		if (count >= 0)
			free(names);
		if (fd >= 0)
			close(fd);
	}
}

int manifest_list(const struct manifest_request *request)
{
	static const char *const headings[] = { "PROVIDER", "GUID", ">EVENTS", ">SERVES", "FOLDER", "FILE", NULL };
	struct table table = { .cells = NULL };
	struct etw_store_list all;
	unsigned int j;
	size_t i;

	if (etw_store_all(&all))
		return cli_fail("out of memory");
	for (i = 0; i < all.count; i++)
		for (j = 0; j < all.list[i]->provider_count; j++)
			if (request->json)
				print_row_json(&all.list[i]->providers[j]);
			else
				add_row(&table, &all.list[i]->providers[j]);
	if (!request->json && !table.count)
		cli_note("no manifests are installed");
	table_print(&table, headings);
	etw_store_list_free(&all);
	manifest_report_problems();
	report_unlinked();
	return 0;
}
