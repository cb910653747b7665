/* SPDX-License-Identifier: MIT */
/*
 * folder.h - the folders of installed manifests
 *
 *	$ETW_MANIFEST_PATH		replaces all others: folders separated by ':'
 *	$XDG_DATA_HOME/etw/manifests	the user's, or ~/.local/share/etw/manifests
 *	/etc/etw/manifests		the administrator's
 *	/usr/local/share/etw/manifests, /usr/share/etw/manifests	packages'
 *
 * A folder holds manifests under any names, and for each GUID by which they are found
 * (decode GUIDs and control GUIDs) a file or a link within the folder named GUID.man
 * (lower case, no braces). Manifests of one provider in several folders complement each
 * other; the first one that describes an event counts.
 *
 * Files that others could have written are not read: folder and file must belong to
 * root or to the process's user and must not be writable by anyone else, and links must
 * not lead out of the folder. Root's processes do not use a user's folder, and
 * processes with more rights than their caller (set-user-id and the like) ignore the
 * environment.
 */
#ifndef ETW_TDH_STORE_FOLDER_H
#define ETW_TDH_STORE_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <evntprov.h>

#define ETW_FOLDERS_MAX		16
#define ETW_FOLDER_FILE_MAX	(64u << 20)	/* bytes of a manifest */
#define ETW_FOLDER_LINK		42		/* "GUID.man" with its NUL, plus one byte */

enum etw_folder_kind {
	ETW_FOLDER_GIVEN,	/* from ETW_MANIFEST_PATH */
	ETW_FOLDER_USER,
	ETW_FOLDER_MACHINE,
	ETW_FOLDER_PACKAGE,
};

struct etw_folder {
	enum etw_folder_kind kind;
	char path[PATH_MAX];
};

/*
 * The folders in order, without relative paths and paths too long for a file's path;
 * returns their number. Does not check whether they exist.
 */
unsigned int etw_folders(struct etw_folder folders[ETW_FOLDERS_MAX]);

/* The name of a GUID's link. */
void etw_folder_link_name(const GUID *guid, char name[ETW_FOLDER_LINK]);
/* Is it the name of such a link? */
bool etw_folder_is_link_name(const char *name);

/* Open the folder; -EPERM: it is not trusted; or -errno. */
int etw_folder_open(const char *path);

/* A file of a folder, as read. */
struct etw_folder_file {
	char name[NAME_MAX + 1];	/* the file's own; an untrusted link's */
	bool seen;			/* the name exists, and stat is valid; else stat is 0 */
	struct stat stat;
	char *data;			/* malloc(); a NUL follows */
	size_t size;
};

/*
 * Examine the file with that name, or the file that a link with that name points to:
 * sets name, seen and stat, even on error, and data and size if requested. 0; -ENOENT;
 * -EPERM: not trusted, or not a regular file; -EFBIG; or -errno. Only regular files are
 * opened; never waits.
 */
int etw_folder_look(int folder, const char *name, struct etw_folder_file *file);
int etw_folder_read(int folder, const char *name, struct etw_folder_file *file);

#endif /* ETW_TDH_STORE_FOLDER_H */
