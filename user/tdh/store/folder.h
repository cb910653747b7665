/* SPDX-License-Identifier: MIT */
/*
 * folder.h - the folders of installed manifests
 *
 *	$ETW_MANIFEST_PATH		instead of all others: folders with ':' between them
 *	$XDG_DATA_HOME/etw/manifests	the user's, or ~/.local/share/etw/manifests
 *	/etc/etw/manifests		the administrator's
 *	/usr/local/share/etw/manifests, /usr/share/etw/manifests	packages'
 *
 * A folder holds manifests under any name, and for each GUID that they are looked for by,
 * decode GUIDs and control GUIDs, a file or a link within the folder that is named
 * GUID.man (lower case, no braces).  One that a provider's manifest is found in hides
 * the later ones.
 *
 * What somebody else could have written is not read: folder and file must belong to root
 * or to the process's user, and nobody else may have the right to write to them; links
 * must not lead out of the folder.  Processes of root have no folder of a user, and those
 * that have more rights than their caller (set-user-id and the like) nothing of the
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
#define ETW_FOLDER_LINK		42		/* "GUID.man" with its NUL, and one to spare */

enum etw_folder_kind {
	ETW_FOLDER_GIVEN,	/* of ETW_MANIFEST_PATH */
	ETW_FOLDER_USER,
	ETW_FOLDER_MACHINE,
	ETW_FOLDER_PACKAGE,
};

struct etw_folder {
	enum etw_folder_kind kind;
	char path[PATH_MAX];
};

/*
 * The folders in their order, without those whose path is relative or too long for a file's
 * path; returns how many.  Whether they exist nobody has asked.
 */
unsigned int etw_folders(struct etw_folder folders[ETW_FOLDERS_MAX]);

/* The name of a GUID's link. */
void etw_folder_link_name(const GUID *guid, char name[ETW_FOLDER_LINK]);
/* Is it the name of such a link? */
bool etw_folder_is_link_name(const char *name);

/* A descriptor of the folder; -EPERM: it is not to be trusted; or -errno. */
int etw_folder_open(const char *path);

/* A file of a folder, as it was read. */
struct etw_folder_file {
	char name[NAME_MAX + 1];	/* the file's own; a link's, if it must not be followed */
	bool seen;			/* there is such a name: stat is what it was, even if
					   it could not be opened; otherwise stat is 0 */
	struct stat stat;
	void *data;			/* malloc(); a NUL follows */
	size_t size;
};

/*
 * Look at the file of that name, or the one that a link of that name stands for: fills
 * name, seen and stat, with an error, too, and data and size if that is wanted.  0;
 * -ENOENT; -EPERM: it is not to be trusted, or no regular file; -EFBIG; or -errno.  What
 * is no regular file is not opened, nor waited for.
 */
int etw_folder_look(int folder, const char *name, struct etw_folder_file *file);
int etw_folder_read(int folder, const char *name, struct etw_folder_file *file);

#endif /* ETW_TDH_STORE_FOLDER_H */
