/* SPDX-License-Identifier: MIT */
/*
 * absolute_path.h - a file's name that does not depend on the working directory
 */
#ifndef ETW_BASE_ABSOLUTE_PATH_H
#define ETW_BASE_ABSOLUTE_PATH_H

#include <stddef.h>

/*
 * Write the name to out, behind the working directory unless it is absolute. size: of out, with the
 * NUL. 0, -ENAMETOOLONG, -errno of getcwd().
 */
int etw_absolute_path(const char *name, char *out, size_t size);

#endif /* ETW_BASE_ABSOLUTE_PATH_H */
