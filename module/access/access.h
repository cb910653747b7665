/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * access.h - who may do what; the rules are in etw/abi_access.h
 */
#ifndef ETW_ACCESS_ACCESS_H
#define ETW_ACCESS_ACCESS_H

#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/types.h>
#include <etw/abi.h>

struct etw_access_list;

extern const struct etw_guid etw_access_default;

/*
 * For checking many GUIDs while etw_control is held once: what is the same for all of
 * them is checked once, and then only GUIDs that have their own list.
 */
struct etw_access_scan {
	u32 rights;
	bool all;		/* granted on every GUID, whatever the lists say */
	bool others;		/* granted on GUIDs without a list of their own */
};

/*
 * All but _may(), _alloc() and _free() under etw_control.  They check the caller, except for
 * _granted_to().
 */
bool etw_access_granted(const struct etw_guid *guid, u32 rights);
bool etw_access_may(const struct etw_guid *guid, u32 rights);
bool etw_access_granted_to(const struct cred *cred, const struct etw_guid *guid, u32 rights);
void etw_access_scan(struct etw_access_scan *scan, u32 rights);
bool etw_access_scan_grants(const struct etw_access_scan *scan, const struct etw_guid *guid);
bool etw_access_scan_any(const struct etw_access_scan *scan);
struct etw_access_list *etw_access_alloc(const struct etw_guid *guid,
					 const struct etw_access_entry *entries, u32 count);
int etw_access_set(struct etw_access_list *list, struct etw_access_list **old);
struct etw_access_list *etw_access_take(const struct etw_guid *guid);
void etw_access_restore(const struct etw_guid *guid, struct etw_access_list *old);
void etw_access_free(struct etw_access_list *list);
const struct etw_access_entry *etw_access_list(const struct etw_guid *guid, u32 *count,
					       bool *own);
const struct etw_guid *etw_access_next(const struct etw_access_scan *scan,
				       const struct etw_guid *guid);
void etw_access_exit(void);

/* One more reference to cred. */
static inline const struct cred *etw_access_cred(const struct cred *cred)
{
	/*
	 * get_cred() writes 0 to cred->non_rcu, and threads share their credentials.  The
	 * race is the kernel's own and harmless, because all write the same value, but
	 * get_cred() is inline, so KCSAN would report it in this module.
	 */
	return data_race(get_cred(cred));
}

/* May the caller's providers join the group with this GUID? */
static inline bool etw_access_may_join(const struct etw_guid *group)
{
	return etw_access_granted(group, ETW_RIGHT_JOIN_GROUP);
}

#endif /* ETW_ACCESS_ACCESS_H */
