/* SPDX-License-Identifier: MIT */
/*
 * check.c - etw autologger check: tell all that is wrong before boot does
 *
 * What may be otherwise by then, such as which modules are loaded, is a warning.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "autologger.h"
#include "cli/cli.h"
#include "cli/provider.h"
#include "base/guid.h"
#include "device/kdev.h"

/* What no two files may share */
struct other {
	char name[256];
	char path[4096];
	struct etw_guid guid;	/* zero: none that is right */
	bool starts;		/* at boot, named or not */
};

static struct other *others;
static size_t other_count;

/* Those that are not named count, too: with what is started at boot. */
static void load_others(void)
{
	static struct autologger_conf conf;
	char **names = NULL;
	int count = autologger_names(autologger_dir(), ETW_AUTOLOG_SUFFIX, &names), i;

	others = calloc(count > 0 ? (size_t)count : 1, sizeof(*others));
	if (!others)
		cli_die("out of memory");
	for (i = 0; i < count; i++) {
		struct other *other = &others[other_count++];

		/* What is wrong now may be right then. */
		other->starts = !autologger_load(names[i], &conf, AUTOLOGGER_TELL_NONE) ||
				conf.conf.start;
		memcpy(other->name, conf.name, sizeof(other->name));
		memcpy(other->path, conf.path, sizeof(other->path));
		other->guid = conf.guid;
		autologger_unload(&conf);
	}
	autologger_names_free(names, count);
}

static bool check_others(const struct autologger_conf *conf)
{
	const struct other *other;
	bool good = true;

	for (other = others; other < others + other_count; other++) {
		/* Of two, the one that is not started waits until its time comes. */
		if (!strcmp(other->name, conf->name) || !other->starts || !conf->conf.start)
			continue;
		if (!strcasecmp(other->name, conf->name))
			good = cli_fail("%s: the session's name is that of %s: case makes no difference",
					conf->path, other->path) == 0;
		if (!etw_guid_is_zero(&conf->guid) && guid_equal(&other->guid, &conf->guid))
			good = cli_fail("%s:%u: Guid: the session of %s has it", conf->path,
					conf->conf.guid_line, other->path) == 0;
	}
	return good;
}

static bool check_folder(const struct autologger_conf *conf)
{
	char folder[PATH_MAX];
	struct stat st;

	if (!conf->conf.file_name)
		return true;
	snprintf(folder, sizeof(folder), "%s", conf->conf.file_name);
	strrchr(folder, '/')[strrchr(folder, '/') == folder] = '\0';
	if (stat(folder, &st))
		return !cli_fail("%s:%u: FileName: folder %s: %s", conf->path,
				 conf->conf.file_line, cli_quote(folder), strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return !cli_fail("%s:%u: FileName: %s is no folder", conf->path,
				 conf->conf.file_line, cli_quote(folder));
	return true;
}

/* Its GUID, or zero with a warning; false: its name can mean several. */
static bool find(int fd, const struct autologger_conf *conf,
		 const struct etw_autolog_provider *provider, struct etw_guid *guid)
{
	unsigned int count;

	memset(guid, 0, sizeof(*guid));
	if (provider_known(provider->name, guid))
		return true;
	count = provider_named(fd, provider->name, guid);
	if (count == 1)
		return true;
	memset(guid, 0, sizeof(*guid));
	if (provider_looks_like_guid(provider->name))
		return !cli_fail("%s:%u: provider %s is no whole GUID (8-4-4-4-12 hexadecimal digits)",
				 conf->path, provider->line, cli_quote(provider->name));
	if (count)
		return !cli_fail("%s:%u: provider %s is ambiguous, %u have the name: use a GUID",
				 conf->path, provider->line, cli_quote(provider->name), count);
	cli_note("%s:%u: warning: no manifest has a provider %s: it is enabled only if it is registered by then",
		 conf->path, provider->line, cli_quote(provider->name));
	return true;
}

static bool check_providers(int fd, const struct autologger_conf *conf)
{
	size_t count = conf->conf.provider_count, i, j;
	const struct etw_autolog_provider *list = conf->conf.providers;
	struct etw_guid *guids = calloc(count + 1, sizeof(*guids));
	bool good = true;

	if (!guids)
		cli_die("out of memory");
	for (i = 0; i < count; i++) {
		good &= find(fd, conf, &list[i], &guids[i]);
		for (j = 0; j < i && !guid_equal(&guids[i], &guids[j]); j++)
			;
		if (j < i && !etw_guid_is_zero(&guids[i]))
			good = cli_fail("%s:%u: provider %s: line %u has it already", conf->path,
					list[i].line, cli_quote(list[i].name), list[j].line) == 0;
	}
	free(guids);
	return good;
}

int autologger_check(char **names)
{
	static struct autologger_conf conf;
	int fd = etw_kdev_open(), status = 0, i;

	load_others();
	for (i = 0; names[i]; i++) {
		bool good = autologger_load(names[i], &conf, AUTOLOGGER_TELL_ALL);

		cli_begin(NULL);
		good &= autologger_check_options(&conf);
		cli_begin(NULL);
		good &= check_folder(&conf);
		good &= check_providers(fd, &conf);
		good &= check_others(&conf);
		cli_begin("autologger");
		if (good)
			printf("%s: good\n", conf.path);
		status |= !good;
		autologger_unload(&conf);
	}
	free(others);
	if (fd >= 0)
		etw_kdev_close(fd);
	return status;
}
