/* SPDX-License-Identifier: MIT */
/*
 * file.h - the log file of a private session
 */
#ifndef ETW_LIB_PRIVATE_FILE_H
#define ETW_LIB_PRIVATE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/losses.h"
#include "etl/event.h"

struct private_file {
	int fd;				/* -1: not open, or the program has closed it */
	dev_t dev;			/* of the file that fd must still be */
	ino_t ino;
	struct private_open *open;	/* where a child of fork() finds it */
	bool made;			/* this process created it */
	bool fresh;			/* only a file that does not exist yet */
	uint32_t mode;			/* ETW_MODE_* */
	uint32_t max_size;
	uint32_t number;		/* NEWFILE: of this file */
	char pattern[ETW_FILE_NAME_MAX + 1];	/* as given, absolute */
	char path[ETW_FILE_NAME_MAX + 1];
	uint8_t *head;			/* the first buffer; NULL: there is no file yet */
	uint32_t size;			/* of a buffer */
	uint32_t head_used;
	uint64_t start_clock;
	uint64_t at;			/* where the next buffer goes */
	uint64_t bytes;
	uint64_t limit;			/* 0: none */
	uint64_t buffers_written;	/* to all files */
	uint64_t buffers_lost, events_lost;	/* of all files */
	struct etw_losses missed;	/* not recorded yet */
	bool full;
};

/*
 * Set the settings. 0, -ENAMETOOLONG, -errno of getcwd(); -EINVAL: the mode needs %d in the
 * name, or the size allows less than three buffers.
 */
int etw_private_file_init(struct private_file *file, const char *path, uint32_t mode,
			  uint32_t max_size, uint32_t buffer_size);

/*
 * Create the file and write its header. A file that another process writes keeps it; this
 * one gets the process's id behind its name. After an error the file is as it was.
 */
int etw_private_file_begin(struct private_file *file, const struct etw_session_info *info);

/* What a file says of its end */
struct private_file_end {
	uint64_t wall, clock;		/* the same moment */
	uint64_t events_lost;
	const char *session;
	bool continued;			/* the session goes on */
};

/*
 * Write a buffer; -EFBIG: the file is full, so the buffer is not in it. A file that is not open
 * yet begins. end: for a file that another one follows.
 */
int etw_private_file_write(struct private_file *file, const struct etw_session_info *info,
			   const struct private_file_end *end, const void *data);
/* Continue in the file of the next number. */
int etw_private_file_next(struct private_file *file, const struct etw_session_info *info,
			  const struct private_file_end *end);

/*
 * Complete the header, record losses there (NULL: only the file's own), and close the file. 0 or
 * -errno.
 */
int etw_private_file_end(struct private_file *file, const struct private_file_end *end,
			 struct etw_losses *losses);

/* In a child of fork(): close what its parent had open. */
void etw_private_files_inherited(void);

/* Close it without an end; what was created is removed. */
void etw_private_file_undo(struct private_file *file);

#endif /* ETW_LIB_PRIVATE_FILE_H */
