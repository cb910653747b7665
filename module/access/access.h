/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * access.h - who may do what; the rules are in etw/abi_access.h
 */
#ifndef ETW_ACCESS_H
#define ETW_ACCESS_H

#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/types.h>
#include <etw/abi.h>

struct etw_registration;
struct etw_trace_session;

extern const struct etw_guid etw_access_default;

/*
 * Judging many GUIDs in one go of etw_control: what goes for all of them is
 * judged once, and then only those that have their own list.
 */
struct etw_access_scan {
	u32 rights;
	bool all;		/* whatever the lists say */
	bool others;		/* GUIDs without a list of their own */
};

/* All but _may() under etw_control; they judge the caller unless said otherwise. */
bool etw_access_granted(const struct etw_guid *guid, u32 rights);
bool etw_access_may(const struct etw_guid *guid, u32 rights);
bool etw_access_may_log(const struct etw_trace_session *s, const struct etw_registration *reg);
void etw_access_scan(struct etw_access_scan *scan, u32 rights);
bool etw_access_scan_grants(const struct etw_access_scan *scan, const struct etw_guid *guid);
bool etw_access_scan_any(const struct etw_access_scan *scan);
u64 etw_access_visible(void);
struct etw_trace_session *etw_access_session(u64 handle, const char *name, u32 name_len,
					     u32 rights);
int etw_access_set(const struct etw_guid *guid, const struct etw_access_entry *entries,
		   u32 count);
int etw_access_remove(const struct etw_guid *guid);
const struct etw_access_entry *etw_access_list(const struct etw_guid *guid, u32 *count,
					       bool *own);
const struct etw_guid *etw_access_next(const struct etw_access_scan *scan,
				       const struct etw_guid *guid);
void etw_access_exit(void);

/* One more reference to cred. */
static inline const struct cred *etw_access_cred(const struct cred *cred)
{
	/*
	 * Whoever takes one writes the same 0 to cred->non_rcu, and the threads of a process
	 * share their credentials: a race of the kernel's own that changes nothing, but
	 * get_cred() is inline, so KCSAN would find it in this module.
	 */
	return data_race(get_cred(cred));
}

/* May the caller's providers join the group with this GUID? */
static inline bool etw_access_may_join(const struct etw_guid *group)
{
	return etw_access_granted(group, ETW_RIGHT_JOIN_GROUP);
}

#endif /* ETW_ACCESS_H */
