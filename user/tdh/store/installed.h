/* SPDX-License-Identifier: MIT */
/*
 * installed.h - manifests out of the folders, as far as they have been asked for
 *
 * One thread at a time: store.c holds its lock around all of these.
 */
#ifndef ETW_TDH_STORE_INSTALLED_H
#define ETW_TDH_STORE_INSTALLED_H

#include "tdh/model/model.h"

/*
 * The provider that events of this GUID are decoded by, from the first folder that has
 * it; NULL: none.  *manifest stays ours, until etw_installed_forget().
 */
const struct etw_mf_provider *etw_installed_find(const GUID *guid,
						 struct etw_manifest **manifest);

/*
 * Read all manifests of all folders; take() gets each once, those of the first folder
 * first, and its return value other than 0 ends it and is returned.  -ENOMEM: some may
 * be missing.
 */
int etw_installed_each(int (*take)(struct etw_manifest *manifest, void *context),
		       void *context);

/*
 * Have folders changed, or files that were read or could not be, since they were looked
 * at?  Yes, too, if they changed so shortly before that their times may not show it, or
 * if there was an error, like -ENOMEM, that has nothing to do with them.
 */
bool etw_installed_changed(void);

/* Forget all that was read, and what the environment said. */
void etw_installed_forget(void);

/*
 * What is wrong with installed manifests that were asked for, "PATH:LINE: what", in the
 * order in which they were read, each thing once; NULL: no more.  Valid until etw_installed_forget().
 */
const char *etw_installed_problem(unsigned int i);

/* The provider of a manifest that has this decode GUID, or this control GUID; or NULL. */
const struct etw_mf_provider *etw_manifest_provider(const struct etw_manifest *manifest,
						    const GUID *guid);

#endif /* ETW_TDH_STORE_INSTALLED_H */
