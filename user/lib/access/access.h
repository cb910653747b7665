/* SPDX-License-Identifier: MIT */
/*
 * access.h - change access lists in the kernel and in the file together
 */
#ifndef ETW_LIB_ACCESS_ACCESS_H
#define ETW_LIB_ACCESS_ACCESS_H

#include "conf.h"

/*
 * All functions return 0, or a negative errno after which nothing has changed.
 * -EUCLEAN: the file has an error, described in error; error also describes other
 * failures of the file.
 */

/* The list that applies to the GUID; own: it is the GUID's own list. */
int etw_access_get(int fd, const struct etw_guid *guid, struct etw_access_list *list,
		   bool *own);
/* The list of the next GUID after list->guid with a list of its own; -ESRCH: none. */
int etw_access_get_next(int fd, struct etw_access_list *list);
/* Set the GUID's list; list NULL: remove it. */
int etw_access_store(int fd, const struct etw_guid *guid, const struct etw_access_list *list,
		     struct etw_access_error *error);
/*
 * Append to the list in force for the GUID, all entries or none; -ENOSPC: no room.
 * -ENOTUNIQ: the list in the file, or its default if it has none for the GUID, differs
 * from the one in force; error describes it.
 */
int etw_access_append(int fd, const struct etw_guid *guid,
		      const struct etw_access_entry *entries, uint32_t count,
		      struct etw_access_error *error);
/*
 * Replace the kernel's lists with those of the file. path NULL: the default file. skipped:
 * see etw_access_parse(). Functions that change the file refuse what it would be called for.
 */
int etw_access_load(int fd, const char *path, etw_access_skipped *skipped,
		    struct etw_access_error *error);

const char *etw_access_path(void);

#endif /* ETW_LIB_ACCESS_ACCESS_H */
