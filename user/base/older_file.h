/* SPDX-License-Identifier: MIT */
/*
 * older_file.h - keep the file that has a name when a new one takes the name
 *
 * Internal to the library and the tools beside it; not installed.  FILE becomes FILE.old, as
 * with perf.  An earlier FILE.old is deleted only by etw_older_drop(), once the new file is
 * there; until then etw_older_restore() gives both their names back.
 *
 * A symbolic link is renamed itself: somebody else may have made it.
 */
#ifndef ETW_BASE_OLDER_FILE_H
#define ETW_BASE_OLDER_FILE_H

#include <stdbool.h>

#define ETW_OLDER_SUFFIX	".old"

/* All zero: nothing was moved. */
struct etw_older {
	char *path;
	char *moved;	/* FILE.old; NULL: it is not kept */
	char *backup;	/* what is deleted in the end: an earlier FILE.old, or FILE if that is not kept */
	bool folder;
};

/*
 * Move a file, or a folder, away; keep: to FILE.old, which may be a folder only if it is empty or
 * has the file mark.  0 or -errno; then all is as it was.  -ESPIPE: it is a device or a pipe.
 */
int etw_older_move(struct etw_older *older, const char *path, bool folder, bool keep,
		   const char *mark);

/* Undo that.  0, or -errno with older unchanged: its names are where the files are. */
int etw_older_restore(struct etw_older *older);

/* Is there an earlier FILE.old that etw_older_drop() will delete? */
static inline bool etw_older_loses(const struct etw_older *older)
{
	return older->moved && older->backup;
}

/* Delete what is not kept.  0 or -errno; older is empty then. */
int etw_older_drop(struct etw_older *older);

/* Leave all files where they are. */
void etw_older_forget(struct etw_older *older);

#endif /* ETW_BASE_OLDER_FILE_H */
