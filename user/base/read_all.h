/* SPDX-License-Identifier: MIT */
/*
 * read_all.h - read a whole file
 */
#ifndef ETW_BASE_READ_ALL_H
#define ETW_BASE_READ_ALL_H

#include <stddef.h>

/*
 * Read from the position to the end, at most "most" bytes. 0, -ENOMEM, or an error of
 * read(). *data is malloc()ed, and a NUL follows.
 */
int etw_read_all(int fd, size_t most, char **data, size_t *size);

#endif /* ETW_BASE_READ_ALL_H */
