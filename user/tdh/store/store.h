/* SPDX-License-Identifier: MIT */
/*
 * store.h - the manifests that this process knows
 *
 * Loaded manifests take precedence over those installed in the folders of folder.h.
 * Installed ones are searched by the provider's GUID when an event first needs them.
 * Changes in the folders take effect within a second, and errors there never stop a
 * caller. Thread-safe.
 */
#ifndef ETW_TDH_STORE_STORE_H
#define ETW_TDH_STORE_STORE_H

#include "tdh/model/model.h"

/*
 * The provider whose schema decodes events of this GUID, with a reference on its manifest,
 * which the caller puts. It is the first, in the order of etw_store_all(), with this decode
 * GUID; only if there is none, the first with this control GUID. NULL: unknown; this
 * result is cached, too.
 */
const struct etw_mf_provider *etw_store_find(const GUID *guid, struct etw_manifest **manifest);

/*
 * The same for an event. Several manifests of one provider complement each other: the
 * provider is that of the first manifest that describes this id and version. *event NULL:
 * none does, and the provider is that of etw_store_find().
 */
const struct etw_mf_provider *etw_store_find_event(const GUID *guid, uint16_t id, uint8_t version,
						   const struct etw_mf_event **event,
						   struct etw_manifest **manifest);

/*
 * All providers that those may return, in their order, each with a reference on its
 * manifest; reads all installed manifests of the GUID. 0 or -ENOMEM.
 */
int etw_store_find_all(const GUID *guid, struct etw_providers *all);
void etw_providers_free(struct etw_providers *all);

/*
 * Changes whenever results of etw_store_find() may change. Costs one load and a read of
 * a coarse clock, and once a second a check of the folders. Earlier results stay valid
 * while their reference is held.
 */
unsigned int etw_store_generation(void);

/* Takes a reference of its own; a provider's newest manifest takes precedence. */
int etw_store_add(struct etw_manifest *manifest);
/* 0, or -ENOENT: not loaded. */
int etw_store_remove(struct etw_manifest *manifest);

/*
 * All loaded and installed manifests: the newest loaded one first, each with a
 * reference; reads all installed ones. 0 or -ENOMEM. A provider may occur twice: then
 * etw_store_find() returns the first.
 */
struct etw_store_list {
	struct etw_manifest **list;
	size_t count, room;
};

int etw_store_all(struct etw_store_list *all);
/* Append a manifest with a reference. 0 or -ENOMEM. */
int etw_store_list_add(struct etw_store_list *to, struct etw_manifest *manifest);
void etw_store_list_free(struct etw_store_list *all);

/*
 * The i-th problem of the requested installed manifests, "PATH:LINE: what", malloc();
 * NULL: no more.
 */
char *etw_store_problem(unsigned int i);

/* Check the folders and the environment again at once. */
void etw_store_refresh(void);

#endif /* ETW_TDH_STORE_STORE_H */
