/* SPDX-License-Identifier: MIT */
/*
 * manifest_list.c - etw manifest list: list the installed providers and their files
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/json.h"
#include "manifest.h"
#include "cli/table.h"
#include "cli/text.h"
#include "tdh/store/store.h"

/* The kind of folder that a manifest is in */
static const char *whose(const char *file)
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

/* Does a folder that is searched earlier have the provider, too? */
static bool is_hidden(const struct etw_mf_provider *provider)
{
	struct etw_manifest *manifest;
	bool hidden = false;

	if (etw_store_find(&provider->guid, &manifest)) {
		hidden = manifest != provider->manifest;
		etw_manifest_put(manifest);
	}
	return hidden;
}

static void add_row(struct table *table, const struct etw_mf_provider *provider)
{
	char guid[GUID_TEXT_SIZE];

	table_cell(table, "%s", manifest_text(provider->name));
	table_cell(table, "%s", guid_text((const struct etw_guid *)&provider->guid, guid));
	table_cell(table, "%u", provider->event_count);
	table_cell(table, "%s", is_hidden(provider) ? "hidden" : whose(provider->manifest->file));
	table_cell(table, "%s", manifest_text(provider->manifest->file));
}

static void print_json(const struct etw_mf_provider *provider)
{
	struct json *o = json_new();

	json_string(o, "provider", provider->name, strlen(provider->name));
	json_guid(o, "guid", (const struct etw_guid *)&provider->guid);
	if (provider->has_control_guid)
		json_guid(o, "control_guid", (const struct etw_guid *)&provider->control_guid);
	json_unsigned(o, "events", provider->event_count);
	json_word(o, "folder", whose(provider->manifest->file));
	json_flag(o, "hidden", is_hidden(provider));
	json_string(o, "file", provider->manifest->file, strlen(provider->manifest->file));
	json_print(o);
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
static void tell_lost(void)
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
	static const char *const headings[] = { "PROVIDER", "GUID", ">EVENTS", "FOLDER", "FILE", NULL };
	struct table table = { .headings = headings };
	struct etw_store_list all;
	unsigned int j;
	size_t i;

	if (etw_store_all(&all))
		return cli_fail("out of memory");
	for (i = 0; i < all.count; i++)
		for (j = 0; j < all.list[i]->provider_count; j++)
			if (request->json)
				print_json(&all.list[i]->providers[j]);
			else
				add_row(&table, &all.list[i]->providers[j]);
	if (!request->json && table.count)
		table_print(&table);
	else if (!request->json)
		cli_note("no manifests are installed");
	table_free(&table);
	etw_store_list_free(&all);
	manifest_report_problems();
	tell_lost();
	return 0;
}
