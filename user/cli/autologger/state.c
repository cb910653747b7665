/* SPDX-License-Identifier: MIT */
/*
 * state.c - the results of starts, and the numbers of log files
 *
 * Windows keeps both in the registry.  Here a result is lost at the next boot; the number
 * of a log file is kept.
 */
#include <errno.h>
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
#include "device/kdev.h"

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

/* Write a file that etw_atomic_file_commit() is to put in place; a failure is printed. */
static bool prepare(struct etw_atomic_file *file, const char *dir, const char *name,
		    const char *text)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	err = make_dirs(dir) ? etw_atomic_file_open(file, path, ETW_ATOMIC_REPLACE) : -errno;
	if (!err) {
		err = etw_write_all(file->fd, text, strlen(text));
		if (err)
			etw_atomic_file_rollback(file);
	}
	return !err || !cli_fail("%s: %s", path, strerror(-err));
}

static bool commit(struct etw_atomic_file *file, const char *dir, const char *name)
{
	int err = etw_atomic_file_commit(file);

	return !err || !cli_fail("%s/%s: %s", dir, name, strerror(-err));
}

bool autologger_write_result(const char *name, const struct autologger_result *result)
{
	struct etw_atomic_file file;
	struct etw_text t = { 0 };
	char guid[GUID_TEXT_SIZE];
	size_t i;
	bool good;

	etw_text_printf(&t, "Status = %u\nGuid = %s\n", result->status,
			guid_text(&result->guid, guid));
	if (result->file[0])
		etw_text_printf(&t, "FileName = %s\n", result->file);
	if (result->what[0])
		etw_text_printf(&t, "What = %s\n", result->what);
	for (i = 0; i < result->provider_count; i++)
		etw_text_printf(&t, "Provider = %u %s\n", result->providers[i].status,
				result->providers[i].name);
	good = prepare(&file, AUTOLOGGER_RUN, name, text_data(&t)) &&
	       commit(&file, AUTOLOGGER_RUN, name);
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
	list = cli_grow(result->providers, result->provider_count, sizeof(*list));
	result->providers = list;
	list[result->provider_count].status = status;
	list[result->provider_count++].name = cli_strdup(text + at);
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

uint32_t autologger_next_file(const char *name, uint32_t max, struct etw_atomic_file *state)
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
	return prepare(state, AUTOLOGGER_STATE, name, text) ? last : 0;
}

bool autologger_end_file(const char *name, struct etw_atomic_file *state, bool started)
{
	if (started)
		return commit(state, AUTOLOGGER_STATE, name);
	etw_atomic_file_rollback(state);
	return true;
}

/* ------------------------------------------------------------------- sessions */

int autologger_find(int fd, const char *name, const struct etw_guid *guid)
{
	static struct session session;
	int err;

	memset(&session, 0, sizeof(session));
	err = session_do(fd, etw_kdev_session_query, name, &session);
	/* A session of that name may be somebody else's. */
	return err || guid_equal(&session.s.guid, guid) ? err : -ENOENT;
}
