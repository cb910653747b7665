/* SPDX-License-Identifier: MIT */
/*
 * check.c - etw autologger check: find the errors in the files before the next boot
 *
 * What may change until then, such as which modules are loaded, is a warning.
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

/* Names and GUIDs, which no two files may share */
struct other {
	char name[256];
	char path[4096];
	struct etw_guid guid;	/* zero: none, or a wrong one */
	bool starts;		/* at boot */
};

static struct other *others;
static size_t other_count;

/* All files count, not only those that are to be checked: the boot starts them all. */
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

		/* A wrong file may be corrected by then. */
		other->starts = !autologger_load(names[i], &conf, AUTOLOGGER_REPORT_NONE) ||
				conf.at_boot;
		memcpy(other->name, conf.name, sizeof(other->name));
		memcpy(other->path, conf.path, sizeof(other->path));
		other->guid = conf.session.s.guid;
		autologger_unload(&conf);
	}
	autologger_names_free(names, count);
}

static bool check_others(const struct autologger_conf *conf)
{
	const struct other *other;
	bool good = true;

	for (other = others; other < others + other_count; other++) {
		/* Sessions share a name or GUID if one at most is started at boot. */
		if (!strcmp(other->name, conf->name) || !other->starts || !conf->at_boot)
			continue;
		if (!strcasecmp(other->name, conf->name))
			good = cli_fail("%s: the session's name is that of %s: case makes no difference",
					conf->path, other->path) == 0;
		if (!etw_guid_is_zero(&conf->session.s.guid) &&
		    guid_equal(&other->guid, &conf->session.s.guid))
			good = cli_fail("%s:%u: --guid: the session of %s has it", conf->path,
					conf->conf.start.line, other->path) == 0;
	}
	return good;
}

static bool check_folder(const struct autologger_conf *conf)
{
	const char *path = conf->file.path;
	char folder[PATH_MAX];
	struct stat st;

	if (!path || path == conf->default_path || *path != '/')
		return true;
	snprintf(folder, sizeof(folder), "%s", path);
	strrchr(folder, '/')[strrchr(folder, '/') == folder] = '\0';
	if (stat(folder, &st))
		return !cli_fail("%s:%u: --file: folder %s: %s", conf->path,
				 conf->conf.start.line, cli_quote(folder), strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return !cli_fail("%s:%u: --file: %s is no folder", conf->path,
				 conf->conf.start.line, cli_quote(folder));
	return true;
}

/*
 * Find a provider's GUID; zero and a warning if nothing has the name yet.  False: the name
 * is ambiguous.
 */
static bool find(int fd, const struct autologger_enable *e, struct etw_guid *guid)
{
	unsigned int count;

	memset(guid, 0, sizeof(*guid));
	if (provider_known(e->provider, guid))
		return true;
	count = provider_named(fd, e->provider, guid);
	if (count == 1)
		return true;
	memset(guid, 0, sizeof(*guid));
	if (provider_looks_like_guid(e->provider))
		return !cli_fail("%s:%u: provider %s is no whole GUID (8-4-4-4-12 hexadecimal digits)",
				 e->conf->path, e->command->line, cli_quote(e->provider));
	if (count)
		return !cli_fail("%s:%u: provider %s is ambiguous, %u have the name: use a GUID",
				 e->conf->path, e->command->line, cli_quote(e->provider), count);
	cli_note("%s:%u: warning: no manifest has a provider %s: it is enabled only if it is registered by then",
		 e->conf->path, e->command->line, cli_quote(e->provider));
	return true;
}

static bool check_providers(int fd, const struct autologger_enable *list, size_t count)
{
	struct etw_guid *guids = calloc(count + 1, sizeof(*guids));
	bool good = true;
	size_t i, j;

	if (!guids)
		cli_die("out of memory");
	for (i = 0; i < count; i++) {
		if (!list[i].provider)
			continue;
		good &= find(fd, &list[i], &guids[i]);
		for (j = 0; j < i && !guid_equal(&guids[i], &guids[j]); j++)
			;
		if (j < i && !etw_guid_is_zero(&guids[i]))
			good = cli_fail("%s:%u: provider %s: line %u has it already",
					list[i].conf->path, list[i].command->line,
					cli_quote(list[i].provider), list[j].command->line) == 0;
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
		bool good = autologger_load(names[i], &conf, AUTOLOGGER_REPORT_ALL);
		struct autologger_enable *list = autologger_enables(-1, &conf, &good);

		cli_begin(NULL);
		good &= check_folder(&conf);
		good &= check_providers(fd, list, conf.conf.enable_count);
		good &= check_others(&conf);
		cli_begin("autologger");
		if (good)
			printf("%s: good\n", conf.path);
		status |= !good;
		autologger_enables_free(list, conf.conf.enable_count);
		autologger_unload(&conf);
	}
	free(others);
	if (fd >= 0)
		etw_kdev_close(fd);
	return status;
}
