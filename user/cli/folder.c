/* SPDX-License-Identifier: MIT */
/*
 * folder.c - the names in a folder
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"

static bool has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), end = strlen(suffix);

	return name[0] != '.' && len > end && !strcmp(name + len - end, suffix);
}

int folder_names(const char *folder, const char *suffix, char ***list)
{
	struct dirent **entries;
	int n, i, count = 0;

	*list = NULL;
	n = scandir(folder, &entries, NULL, alphasort);
	if (n < 0)
		return errno == ENOENT ? 0 : -errno;
	*list = cli_calloc((size_t)n + 1, sizeof(**list));
	for (i = 0; i < n; i++) {
		if (has_suffix(entries[i]->d_name, suffix)) {
			entries[i]->d_name[strlen(entries[i]->d_name) - strlen(suffix)] = '\0';
			(*list)[count++] = cli_strdup(entries[i]->d_name);
		}
		free(entries[i]);
	}
	free(entries);
	return count;
}

void folder_names_free(char **list, int count)
{
	while (count > 0)
		free(list[--count]);
	free(list);
}
