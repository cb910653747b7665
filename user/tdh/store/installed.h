/* SPDX-License-Identifier: MIT */
/*
 * installed.h - manifests from the folders, read on demand
 *
 * One thread at a time: store.c holds its lock around all calls.
 */
#ifndef ETW_TDH_STORE_INSTALLED_H
#define ETW_TDH_STORE_INSTALLED_H

#include "store.h"

unsigned int etw_installed_folders(void);
/*
 * The manifest that one of the folders has for events of this GUID; NULL: none. The store
 * keeps it until etw_installed_forget().
 */
struct etw_manifest *etw_installed_in(unsigned int folder, const GUID *guid);

/*
 * Read all manifests of all folders and append each once, in the order of folders. 0 or
 * -ENOMEM: some may be missing.
 */
int etw_installed_all(struct etw_store_list *all);

/*
 * Have folders, files that were read, or unreadable files changed since the last check?
 * Also true if they changed so recently that their times may not show it, or after an
 * unrelated error such as -ENOMEM.
 */
bool etw_installed_changed(void);

/* Forget everything read, including the environment. */
void etw_installed_forget(void);

/*
 * Problems of the requested installed manifests, "PATH:LINE: what", in reading order
 * without duplicates; NULL: no more. Valid until etw_installed_forget().
 */
const char *etw_installed_problem(unsigned int i);

/* The manifest's provider with this decode GUID or control GUID; or NULL. */
const struct etw_mf_provider *etw_manifest_provider(const struct etw_manifest *manifest,
						    const GUID *guid);

#endif /* ETW_TDH_STORE_INSTALLED_H */
