/* SPDX-License-Identifier: MIT */
/*
 * store.h - the manifests that this process knows
 *
 * Those that it has loaded come before those that are installed in the folders of
 * folder.h.  Installed ones are looked for, by the provider's GUID, when an event asks
 * for them first; changes in the folders are seen a second later, at most, and what
 * is wrong there never stops anybody.  Thread-safe.
 */
#ifndef ETW_TDH_STORE_STORE_H
#define ETW_TDH_STORE_STORE_H

#include "tdh/model/model.h"

/*
 * The provider whose schema decodes events of this GUID (its decode GUID, or its
 * control GUID), and a reference on its manifest, which the caller puts.  NULL: nobody
 * knows it; that is remembered, too.
 */
const struct etw_mf_provider *etw_store_find(const GUID *guid, struct etw_manifest **manifest);

/*
 * Changes whenever what etw_store_find() says might.  One load and a look at a coarse
 * clock, once a second at the folders; what was found before stays valid while its
 * reference is held.
 */
unsigned int etw_store_generation(void);

/* Takes a reference of its own; the newest one of a provider is found first. */
int etw_store_add(struct etw_manifest *manifest);
/* 0, or -ENOENT: it is not loaded. */
int etw_store_remove(struct etw_manifest *manifest);

/*
 * All that is known, loaded or installed: the newest loaded one first, each with a
 * reference; reads all installed ones.  0 or -ENOMEM.  A provider may occur twice:
 * then etw_store_find() gives the first one.
 */
struct etw_store_list {
	struct etw_manifest **list;
	size_t count, room;
};

int etw_store_all(struct etw_store_list *all);
void etw_store_list_free(struct etw_store_list *all);

/*
 * The i-th thing that is wrong with those installed manifests that were asked for,
 * "PATH:LINE: what", malloc(); NULL: no more.
 */
char *etw_store_problem(unsigned int i);

/* Look at the folders, and at what the environment says of them, again at once. */
void etw_store_refresh(void);

#endif /* ETW_TDH_STORE_STORE_H */
