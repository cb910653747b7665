/* SPDX-License-Identifier: MIT */
/*
 * installed.h - manifests from the folders, read on demand
 *
 * One thread at a time: store.c holds its lock around all calls.
 */
#ifndef ETW_TDH_STORE_INSTALLED_H
#define ETW_TDH_STORE_INSTALLED_H

#include "store.h"

/*
 * The provider that decodes events of this GUID, from the first folder that has it;
 * NULL: none. The store keeps *manifest until etw_installed_forget().
 */
const struct etw_mf_provider *etw_installed_find(const GUID *guid,
						 struct etw_manifest **manifest);

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

/*
 * The event's description in the first folder that has one; NULL: none has. *provider: the
 * one that it is of, in *manifest, without a reference.
 */
const struct etw_mf_event *etw_installed_find_event(const GUID *guid, uint16_t id, uint8_t version,
						    const struct etw_mf_provider **provider,
						    struct etw_manifest **manifest);

/* The same in one manifest, whose providers may have one GUID several times */
const struct etw_mf_event *etw_manifest_event(const struct etw_manifest *manifest, const GUID *guid,
					      uint16_t id, uint8_t version,
					      const struct etw_mf_provider **provider);

/* The manifest's provider with this decode GUID or control GUID; or NULL. */
const struct etw_mf_provider *etw_manifest_provider(const struct etw_manifest *manifest,
						    const GUID *guid);

#endif /* ETW_TDH_STORE_INSTALLED_H */
