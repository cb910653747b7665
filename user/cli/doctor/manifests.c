/* SPDX-License-Identifier: MIT */
/*
 * manifests.c - the installed manifests: can each be read?
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/text.h"
#include "checks.h"
#include "report.h"
#include "tdh/store/folder.h"
#include "tdh/store/store.h"

/* Does a link of the folder, by which events are decoded, refer to the file? */
static bool is_linked(const char *folder, char **names, int count, const char *name)
{
	char path[PATH_MAX], target[NAME_MAX + 1];
	ssize_t len;
	int i;

	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s.man", folder, names[i]);
		len = readlink(path, target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		if (!strcmp(target, name))
			return true;
	}
	return false;
}

/* Files that were copied into the folder: nothing finds them. */
static void check_links(const char *folder)
{
	char **names, path[PATH_MAX];
	int count = folder_names(folder, ".man", &names), i;
	const char *name = path + strlen(folder) + 1;

	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s.man", folder, names[i]);
		if (etw_folder_is_link_name(name) || is_linked(folder, names, count, name))
			continue;
		doctor_warn("manifests", doctor_fix("sudo etw manifest install %s", doctor_word(path)),
			    "%s is in the folder, but not installed: it decodes nothing", path);
	}
	if (count >= 0)
		folder_names_free(names, count);
}

static unsigned int check_folders(struct etw_text *names)
{
	static struct etw_folder folders[ETW_FOLDERS_MAX];
	unsigned int count = etw_folders(folders), i, bad = 0;
	int fd;

	for (i = 0; i < count; i++) {
		fd = etw_folder_open(folders[i].path);
		if (fd >= 0) {
			close(fd);
			etw_text_puts(names, names->len ? ", " : "");
			etw_text_puts(names, folders[i].path);
			check_links(folders[i].path);
		} else if (fd == -EPERM) {
			bad++;
			doctor_wrong("manifests", doctor_fix("sudo chown root:root %s && sudo chmod go-w %s",
							      doctor_word(folders[i].path),
							      doctor_word(folders[i].path)),
				     "%s is not read: others could have written what is in it",
				     folders[i].path);
		} else if (fd != -ENOENT && fd != -ENOTDIR) {
			bad++;
			doctor_wrong("manifests", doctor_fix("sudo chmod go+rx %s",
							      doctor_word(folders[i].path)),
				     "%s: %s", folders[i].path, strerror(-fd));
		}
	}
	return bad;
}

/* "PATH: what" or "PATH:LINE: what"; the path, in place. */
static char *path_of(char *problem)
{
	char *end = strstr(problem, ": ");
	char *line;

	if (!end)
		return problem;
	*end = '\0';
	line = strrchr(problem, ':');
	if (line && line[1] && !line[1 + strspn(line + 1, "0123456789")])
		*line = '\0';
	return problem;
}

static unsigned int check_files(void)
{
	char *problem, *path;
	unsigned int i;

	for (i = 0; (problem = etw_store_problem(i)); i++) {
		path = path_of(cli_strdup(problem));
		doctor_wrong("manifests", access(path, R_OK) ?
			     doctor_fix("sudo chmod go+r %s", doctor_word(path)) :
			     doctor_fix("etw manifest check %s", doctor_word(path)),
			     "%s", problem);
		free(path);
		free(problem);
	}
	return i;
}

void doctor_manifests(const struct doctor *doctor)
{
	struct etw_store_list all = { .count = 0 };
	struct etw_text names = { 0 };
	unsigned int bad = check_folders(&names);
	int err = etw_store_all(&all);

	(void)doctor;
	bad += check_files();
	if (err)
		doctor_unknown("manifests", "%s", strerror(-err));
	else if (all.count || bad)
		doctor_ok("manifests", "%zu manifest%s can be read (%s)", all.count, cli_s(all.count),
			  text_data(&names));
	else
		doctor_ok("manifests", "none installed; TraceLogging and the kernel's events need none");
	etw_store_list_free(&all);
	etw_text_free(&names);
}
