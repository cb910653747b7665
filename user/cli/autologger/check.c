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

/* All files, not only the ones to check: the boot starts them all. */
static struct autologger_conf *others;
static int other_count;

static void load_others(void)
{
	char **names = NULL;

	other_count = folder_names(autologger_dir(), ETW_AUTOLOG_SUFFIX, &names);
	if (other_count < 0)
		other_count = 0;
	others = cli_calloc((size_t)other_count, sizeof(*others));
	for (int i = 0; i < other_count; i++) {
		/* A wrong file may be corrected by then. */
		if (!autologger_load(names[i], &others[i], false))
			others[i].manual = false;
		autologger_unload(&others[i]);
	}
	folder_names_free(names, other_count);
}

static bool check_others(const struct autologger_conf *conf)
{
	const struct autologger_conf *other;
	bool good = true;

	for (other = others; other < others + other_count; other++) {
		/* Sessions share a name or GUID if one at most is started at boot. */
		if (!strcmp(other->name, conf->name) || other->manual || conf->manual)
			continue;
		if (!strcasecmp(other->name, conf->name)) {
			autologger_at(conf, 0);
			good = !cli_fail("the session's name is that of %s: case makes no difference",
					 other->path);
		}
		if (!etw_guid_is_zero(&conf->session.s.guid) &&
		    guid_equal(&other->session.s.guid, &conf->session.s.guid)) {
			autologger_at(conf, conf->start_line);
			good = !cli_fail("--guid: the session of %s has it", other->path);
		}
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
	autologger_at(conf, conf->start_line);
	snprintf(folder, sizeof(folder), "%s", path);
	strrchr(folder, '/')[strrchr(folder, '/') == folder] = '\0';
	if (stat(folder, &st))
		return !cli_fail("--file: folder %s: %s", cli_quote(folder), strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return !cli_fail("--file: %s is not a folder", cli_quote(folder));
	return true;
}

/*
 * Find a provider's GUID; zero and a warning if nothing has the name yet.  False: the name
 * is ambiguous.
 */
static bool find(int fd, const struct autologger_conf *conf, const struct autologger_enable *e,
		 struct etw_guid *guid)
{
	const char *provider = e->request.provider;
	unsigned int count;

	memset(guid, 0, sizeof(*guid));
	if (provider_known(provider, guid))
		return true;
	count = provider_named(fd, provider, guid);
	if (count == 1)
		return true;
	memset(guid, 0, sizeof(*guid));
	if (provider_looks_like_guid(provider))
		return !cli_fail("provider %s is not a complete GUID (8-4-4-4-12 hexadecimal digits)",
				 cli_quote(provider));
	if (count)
		return !cli_fail("provider %s is ambiguous, %u have the name: use a GUID",
				 cli_quote(provider), count);
	cli_note("%s:%u: warning: no manifest has a provider %s: it is enabled only if it is registered by then",
		 conf->path, e->line, cli_quote(provider));
	return true;
}

static bool check_providers(int fd, const struct autologger_conf *conf)
{
	struct etw_guid *guids = cli_calloc(conf->enable_count, sizeof(*guids));
	const struct autologger_enable *e;
	bool good = true;
	size_t i, j;

	for (i = 0; i < conf->enable_count; i++) {
		e = conf->enables[i];
		autologger_at(conf, e->line);
		good &= find(fd, conf, e, &guids[i]);
		for (j = 0; j < i && !guid_equal(&guids[i], &guids[j]); j++)
			;
		if (j < i && !etw_guid_is_zero(&guids[i]))
			good = !cli_fail("provider %s: line %u has it already",
					 cli_quote(e->request.provider), conf->enables[j]->line);
	}
	free(guids);
	return good;
}

int autologger_check(char **names)
{
	static struct autologger_conf conf;
	int fd = etw_kdev_open(), status = 0;
	bool good;

	load_others();
	for (; *names; names++) {
		good = autologger_load(*names, &conf, true);
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
