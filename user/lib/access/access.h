/* SPDX-License-Identifier: MIT */
/*
 * access.h - access lists in the kernel and in the file, changed together
 */
#ifndef ETW_LIB_ACCESS_ACCESS_H
#define ETW_LIB_ACCESS_ACCESS_H

#include "conf.h"

/*
 * All return 0 or a negative errno, and have changed nothing then.  -EUCLEAN:
 * the file has an error, which error tells, as it does of other failures that
 * have to do with the file.
 */

/* The list by which the GUID goes; own: it is its own. */
int etw_access_get(int fd, const struct etw_guid *guid, struct etw_access_list *list,
		   bool *own);
/* The list of the next GUID that has its own, after list->guid; -ESRCH: none. */
int etw_access_get_next(int fd, struct etw_access_list *list);
/* Take list, or, with only a GUID given, none. */
int etw_access_store(int fd, const struct etw_guid *guid, const struct etw_access_list *list,
		     struct etw_access_error *error);
/*
 * Append to what is in force for the GUID, all or none; -ENOSPC: no room.
 * -ENOTUNIQ: the file has another list for it, or where it has none another
 * default, than is in force; error tells.
 */
int etw_access_append(int fd, const struct etw_guid *guid,
		      const struct etw_access_entry *entries, uint32_t count,
		      struct etw_access_error *error);
/* Let the kernel have what the file says, and nothing else.  path: NULL: the file. */
int etw_access_load(int fd, const char *path, struct etw_access_error *error);

const char *etw_access_path(void);

#endif /* ETW_LIB_ACCESS_ACCESS_H */
