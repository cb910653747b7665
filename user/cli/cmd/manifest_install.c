/* SPDX-License-Identifier: MIT */
/*
 * manifest_install.c - etw manifest install and remove
 *
 * The folder holds an unchanged copy of the manifest, and a link for each GUID of its
 * providers.  File and links are first created under temporary names, then renamed, so
 * that a concurrent reader finds the old or the new manifest, never a part of one.
 */
#include <limits.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cli.h"
#include "manifest.h"
#include "base/guid.h"
#include "tdh/store/installed.h"

#define LINKS_MAX	64	/* two for each of at most 16 providers, and spare ones */
#define TEMPORARY	".etw-new"
#define LOCK		".lock"

/* The links of one manifest. */
struct links {
	char names[LINKS_MAX][ETW_FOLDER_LINK];
	unsigned int count;
};

struct place {
	struct etw_folder folder;
	int fd;
	int lock;
};

/* --------------------------------------------------------------------- folder */

/* Make a folder and its missing parents. */
static int make_folder(const char *path)
{
	char copy[PATH_MAX];
	char *slash = copy;

	snprintf(copy, sizeof(copy), "%s", path);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(copy, 0755) && errno != EEXIST ? -errno : 0;
}

static const char *folder_reason(int err)
{
	if (err == -EPERM)
		return "others than root and you may write to it, or own it";
	return strerror(-err);
}

/*
 * Only one command at a time changes a folder.  The lock is a file that only its owner can
 * open: a lock on the folder itself could be held forever by any user who can read it.
 */
static int take_lock(struct place *place)
{
	place->lock = openat(place->fd, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (place->lock < 0)
		return -errno;
	while (flock(place->lock, LOCK_EX)) {
		int err = errno;

		if (err == EINTR)
			continue;
		close(place->lock);
		return -err;
	}
	return 0;
}

static bool open_place(const struct manifest_request *request, bool make, struct place *place)
{
	int err;

	if (!manifest_folder(request, &place->folder))
		return false;
	umask(022);
	err = make ? make_folder(place->folder.path) : 0;
	place->fd = err ? err : etw_folder_open(place->folder.path);
	if (place->fd < 0) {
		cli_fail("%s: %s", cli_quote(place->folder.path), folder_reason(place->fd));
		return false;
	}
	err = take_lock(place);
	if (err) {
		cli_fail("%s: %s", cli_quote(place->folder.path), strerror(-err));
		close(place->fd);
		return false;
	}
	return true;
}

static void close_place(const struct place *place)
{
	close(place->lock);
	close(place->fd);
}

/* The target of a link in the folder; false: name is not a link. */
static bool target_of(const struct place *place, const char *name, char target[NAME_MAX + 1])
{
	ssize_t len = readlinkat(place->fd, name, target, NAME_MAX);

	if (len < 0)
		return false;
	target[len] = '\0';
	return true;
}

static bool is_among(const struct links *links, const char *name)
{
	unsigned int i;

	for (i = 0; links && i < links->count; i++)
		if (!strcmp(links->names[i], name))
			return true;
	return false;
}

/* Count the links to a file; if remove is set, remove those not in keep instead. */
static unsigned int links_to(const struct place *place, const char *file,
			     const struct links *keep, bool remove)
{
	char target[NAME_MAX + 1], **names;
	int n = folder_names(place->folder.path, "", &names), i;
	unsigned int count = 0;

	for (i = 0; i < n; i++) {
		if (!target_of(place, names[i], target) || strcmp(target, file))
			continue;
		if (remove && !is_among(keep, names[i]))
			unlinkat(place->fd, names[i], 0);
		else
			count++;
	}
	folder_names_free(names, n);
	return count;
}

/* -------------------------------------------------------------------- install */

static void add_link(struct links *links, const GUID *guid)
{
	char name[ETW_FOLDER_LINK];

	etw_folder_link_name(guid, name);
	if (links->count < LINKS_MAX && !is_among(links, name))
		strcpy(links->names[links->count++], name);
}

static void make_links(struct links *links, const struct etw_manifest *manifest)
{
	unsigned int i;

	links->count = 0;
	for (i = 0; i < manifest->provider_count; i++)
		add_link(links, &manifest->providers[i].guid);
	for (i = 0; i < manifest->provider_count; i++)
		if (manifest->providers[i].has_control_guid)
			add_link(links, &manifest->providers[i].control_guid);
}

static void temporary(char name[32], unsigned int i)
{
	snprintf(name, 32, TEMPORARY "-%u", i);
}

/* Remove temporary names, also those that a killed command left behind. */
static void clean(const struct place *place, unsigned int links)
{
	char name[32];
	unsigned int i;

	unlinkat(place->fd, TEMPORARY, 0);
	for (i = 0; i < links; i++) {
		temporary(name, i);
		unlinkat(place->fd, name, 0);
	}
}

static int write_file(const struct place *place, const void *data, size_t size)
{
	int fd = openat(place->fd, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	int err = 0;

	if (!f || fwrite(data, 1, size, f) != size || fflush(f) || fsync(fd))
		err = -errno;
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return err;
}

static int write_links(const struct place *place, const char *file, const struct links *links)
{
	char name[32];
	unsigned int i;

	for (i = 0; i < links->count; i++) {
		temporary(name, i);
		if (strcmp(links->names[i], file) && symlinkat(file, place->fd, name))
			return -errno;
	}
	return 0;
}

/* Files that the links led to before */
struct others {
	char names[LINKS_MAX][NAME_MAX + 1];
	unsigned int count;
};

static void note_others(const struct place *place, const char *file, const struct links *links,
			struct others *others)
{
	char other[NAME_MAX + 1];
	unsigned int i;

	for (i = 0; i < links->count; i++)
		if (target_of(place, links->names[i], other) && strcmp(other, file) &&
		    !strchr(other, '/'))
			strcpy(others->names[others->count++], other);
}

/* Remove files that no link leads to any more. */
static void drop_others(const struct place *place, const struct others *others)
{
	unsigned int i;

	for (i = 0; i < others->count; i++)
		if (!links_to(place, others->names[i], NULL, false) &&
		    !etw_folder_is_link_name(others->names[i]))
			unlinkat(place->fd, others->names[i], 0);
}

static int rename_all(const struct place *place, const char *file, const struct links *links)
{
	struct others others = { .count = 0 };
	char name[32];
	unsigned int i;

	note_others(place, file, links, &others);
	if (renameat(place->fd, TEMPORARY, place->fd, file))
		return -errno;
	for (i = 0; i < links->count; i++) {
		temporary(name, i);
		if (strcmp(links->names[i], file) &&
		    renameat(place->fd, name, place->fd, links->names[i]))
			return -errno;
	}
	links_to(place, file, links, true);
	drop_others(place, &others);
	return fsync(place->fd) ? -errno : 0;
}

/* The file's name in the folder; NULL after a message. */
static const char *name_for(const char *path, const struct links *links)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (*name == '.' || strlen(name) > NAME_MAX) {
		cli_fail("%s: hidden files are not used as manifests", cli_quote(path));
		return NULL;
	}
	if (etw_folder_is_link_name(name) && !is_among(links, name)) {
		cli_fail("%s: its name is a GUID that none of its providers has",
			 cli_quote(path));
		return NULL;
	}
	return name;
}

static int install_one(const struct place *place, const char *path)
{
	struct etw_manifest *manifest;
	struct links links;
	const char *name;
	size_t size;
	void *data;
	int err;

	if (!manifest_read(path, &manifest, &data, &size))
		return 1;
	make_links(&links, manifest);
	etw_manifest_put(manifest);
	name = name_for(path, &links);
	if (!links.count)
		cli_fail("%s: it has no providers", cli_quote(path));
	if (!name || !links.count) {
		free(data);
		return 1;
	}
	clean(place, LINKS_MAX);
	err = write_file(place, data, size);
	if (!err)
		err = write_links(place, name, &links);
	if (!err)
		err = rename_all(place, name, &links);
	clean(place, links.count);
	free(data);
	return err ? cli_fail("%s/%s: %s", manifest_text(place->folder.path),
			      manifest_text(name), strerror(-err)) : 0;
}

int manifest_install(const struct manifest_request *request)
{
	struct place place;
	int status = 0;
	char **path;

	if (!open_place(request, true, &place))
		return 1;
	for (path = request->operands; *path; path++)
		status |= install_one(&place, *path);
	close_place(&place);
	return status;
}

/* --------------------------------------------------------------------- remove */

/* Does the link's target have the provider?  A malformed file has none. */
static bool has_provider(const struct place *place, const char *name, const char *wanted)
{
	struct etw_folder_file file = { .data = NULL };
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest;
	bool found = false;
	unsigned int i;

	if (etw_folder_read(place->fd, name, &file))
		return false;
	if (!etw_manifest_read_memory(file.data, file.size, name, &manifest, &problems)) {
		for (i = 0; i < manifest->provider_count; i++)
			found |= !strcasecmp(manifest->providers[i].name, wanted);
		etw_manifest_put(manifest);
	}
	etw_problems_free(&problems);
	free(file.data);
	return found;
}

/* Find an installed file by the name of it or of a provider, or by a provider's GUID. */
static bool find_file(const struct place *place, const char *wanted, char file[NAME_MAX + 1])
{
	char link[ETW_FOLDER_LINK] = "", **names;
	int n = folder_names(place->folder.path, "", &names), i;
	struct etw_guid guid;
	bool found = false;
	GUID copy;

	if (!etw_guid_parse(wanted, &guid)) {
		memcpy(&copy, &guid, sizeof(copy));
		etw_folder_link_name(&copy, link);
	}
	for (i = 0; i < n && !found; i++) {
		if (*link)
			found = !strcmp(link, names[i]);
		else
			found = !strcmp(wanted, names[i]) ||
				(etw_folder_is_link_name(names[i]) &&
				 has_provider(place, names[i], wanted));
		if (found && !target_of(place, names[i], file))
			snprintf(file, NAME_MAX + 1, "%s", names[i]);
	}
	folder_names_free(names, n);
	return found;
}

static int remove_one(const struct place *place, const char *wanted)
{
	char file[NAME_MAX + 1];

	if (!find_file(place, wanted, file) || strchr(file, '/'))
		return cli_fail("%s: not installed in %s", cli_quote(wanted),
				manifest_text(place->folder.path));
	if (unlinkat(place->fd, file, 0) && errno != ENOENT)
		return cli_fail("%s/%s: %s", manifest_text(place->folder.path),
				manifest_text(file), strerror(errno));
	links_to(place, file, NULL, true);
	return 0;
}

int manifest_remove(const struct manifest_request *request)
{
	struct place place;
	int status = 0;
	char **wanted;

	if (!open_place(request, false, &place))
		return 1;
	for (wanted = request->operands; *wanted; wanted++)
		status |= remove_one(&place, *wanted);
	close_place(&place);
	return status;
}
