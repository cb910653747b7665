/* SPDX-License-Identifier: MIT */
/*
 * files.h - many files to read, of which a few are open at a time
 *
 * Of those that are open, the one that was read longest ago is closed for another.
 */
#ifndef ETW_CONVERT_CTFFILES_H
#define ETW_CONVERT_CTFFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CTFFILES_OPEN_MAX	256	/* and no more than a quarter of what the process may open */

struct ctffile {
	const char *path;		/* the caller's */
	struct ctffile *older, *newer;	/* of those that are open */
	int fd;
	bool open;
};

struct ctffiles {
	struct ctffile *oldest, *newest;
	unsigned int count, most;
};

void ctffiles_init(struct ctffiles *files);

/* -EIO: it ends before; else what open(2) and read(2) say. */
int ctffiles_read(struct ctffiles *files, struct ctffile *file, uint64_t offset, void *to,
		  size_t size);
/* Nothing is kept of it; it may be read again. */
void ctffiles_close(struct ctffiles *files, struct ctffile *file);

#endif /* ETW_CONVERT_CTFFILES_H */
