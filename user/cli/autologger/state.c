/* SPDX-License-Identifier: MIT */
/*
 * state.c - the results of starts, and the numbers of log files
 *
 * Windows keeps both in the registry.  Here a result is lost at the next boot; the number
 * of a log file is kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "autologger.h"
#include "cli/cli.h"
#include "cli/text.h"
#include "base/guid.h"

/* Make a directory and its parent, which everybody may read. */
static bool make_dirs(const char *dir)
{
	char above[PATH_MAX];
	mode_t mask = umask(022);
	bool made;

	snprintf(above, sizeof(above), "%s", dir);
	*strrchr(above, '/') = '\0';
	made = (!mkdir(above, 0755) || errno == EEXIST) && (!mkdir(dir, 0755) || errno == EEXIST);
	umask(mask);
	return made;
}

/* The temporary name of a file */
static void new_path(const char *dir, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/.%s.new", dir, name);
}

static bool prepare(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];
	bool good;
	FILE *f;

	new_path(dir, name, path);
	f = make_dirs(dir) ? fopen(path, "we") : NULL;
	good = f && fputs(text, f) >= 0;
	good = f && !fclose(f) && good;
	if (good)
		return true;
	cli_fail("%s/%s: %s", dir, name, strerror(errno));
	if (f)
		unlink(path);
	return false;
}

/* Replace the file by the new one at once. */
static bool put_in_place(const char *dir, const char *name)
{
	char path[PATH_MAX], new[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	new_path(dir, name, new);
	if (!rename(new, path))
		return true;
	cli_fail("%s: %s", path, strerror(errno));
	unlink(new);
	return false;
}

bool autologger_write_result(const char *name, const struct autologger_result *result)
{
	struct etw_text t = { 0 };
	char guid[GUID_TEXT_SIZE];
	size_t i;
	bool good;

	text_printf(&t, "Status = %u\nGuid = %s\n", result->status,
		    guid_text(&result->guid, guid));
	if (result->file[0])
		text_printf(&t, "FileName = %s\n", result->file);
	if (result->what[0])
		text_printf(&t, "What = %s\n", result->what);
	for (i = 0; i < result->provider_count; i++)
		text_printf(&t, "Provider = %u %s\n", result->providers[i].status,
			    result->providers[i].name);
	good = prepare(AUTOLOGGER_RUN, name, t.data) && put_in_place(AUTOLOGGER_RUN, name);
	etw_text_free(&t);
	return good;
}

static void add_provider(struct autologger_result *result, const char *text)
{
	struct autologger_provider *list;
	int at = 0;
	unsigned int status;

	if (sscanf(text, "%u %n", &status, &at) != 1 || !at)
		return;
	list = realloc(result->providers, (result->provider_count + 1) * sizeof(*list));
	if (!list)
		cli_die("out of memory");
	result->providers = list;
	list[result->provider_count].status = status;
	list[result->provider_count].name = strdup(text + at);
	if (!list[result->provider_count++].name)
		cli_die("out of memory");
}

static void take_line(struct autologger_result *result, char *line)
{
	char *value = strstr(line, " = ");

	line[strcspn(line, "\n")] = '\0';
	if (!value)
		return;
	*value = '\0';
	value += strlen(" = ");
	if (!strcmp(line, "Status"))
		result->status = (uint32_t)strtoul(value, NULL, 10);
	else if (!strcmp(line, "Guid"))
		etw_guid_parse(value, &result->guid);
	else if (!strcmp(line, "FileName"))
		snprintf(result->file, sizeof(result->file), "%s", value);
	else if (!strcmp(line, "What"))
		snprintf(result->what, sizeof(result->what), "%s", value);
	else if (!strcmp(line, "Provider"))
		add_provider(result, value);
}

bool autologger_read_result(const char *name, struct autologger_result *result)
{
	char path[PATH_MAX], *line = NULL;
	size_t room = 0;
	FILE *f;

	memset(result, 0, sizeof(*result));
	snprintf(path, sizeof(path), AUTOLOGGER_RUN "/%s", name);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (getline(&line, &room, f) > 0)
		take_line(result, line);
	free(line);
	fclose(f);
	return true;
}

void autologger_forget(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), AUTOLOGGER_RUN "/%s", name);
	unlink(path);
}

void autologger_result_free(struct autologger_result *result)
{
	size_t i;

	for (i = 0; i < result->provider_count; i++)
		free(result->providers[i].name);
	free(result->providers);
	memset(result, 0, sizeof(*result));
}

uint32_t autologger_next_file(const char *name, uint32_t max)
{
	char path[PATH_MAX], text[32];
	unsigned int last = 0;
	FILE *f;

	snprintf(path, sizeof(path), AUTOLOGGER_STATE "/%s", name);
	f = fopen(path, "re");
	if (f && fscanf(f, "FileCounter = %u", &last) != 1)
		last = 0;
	if (f)
		fclose(f);
	last = last < max ? last + 1 : 1;
	snprintf(text, sizeof(text), "FileCounter = %u\n", last);
	return prepare(AUTOLOGGER_STATE, name, text) ? last : 0;
}

bool autologger_end_file(const char *name, bool started)
{
	char path[PATH_MAX];

	if (started)
		return put_in_place(AUTOLOGGER_STATE, name);
	new_path(AUTOLOGGER_STATE, name, path);
	unlink(path);
	return true;
}
