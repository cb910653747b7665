/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_group.h - provider traits and provider groups; part of abi.h
 *
 * Source: Microsoft's "Provider Traits", EventSetInformation and
 * TRACE_QUERY_INFO_CLASS pages.
 */
#ifndef ETW_ABI_GROUP_H
#define ETW_ABI_GROUP_H

#ifndef ETW_ABI_H
#error "include <etw/abi.h>"
#endif

/* etw_provider_set.flags */
#define ETW_SET_TRAITS	0x1	/* once: then EEXIST */
#define ETW_SET_TYPES	0x2

/*
 * What a registration of the caller's, not a classic one, says of itself.
 * Traits (their layout is in format.h) go with each event as an item PROV_TRAITS,
 * make it a member of a group, which needs JOIN_GROUP on it, have its events decoded by another GUID,
 * and name it if it has no name.  They turn types of data descriptors on, which
 * otherwise are ignored.  ENOSPC: with these, the traits of the caller's user have
 * more bytes than the module parameter max_user_traits says.
 */
struct etw_provider_set {
	__u32 size;
	__u32 slot;
	__u32 flags;		/* ETW_SET_*, at least one */
	__u32 types;		/* SET_TYPES: 1 look at the types of data descriptors; 0 */
	__u64 traits;		/* SET_TRAITS: address */
	__u32 traits_len;	/* bytes; must be what the traits say */
	__u32 reserved;		/* 0 */
};

/*
 * Provider groups.  A registration joins one by its traits (PROVIDER_SET).  With
 * PROVIDER_GROUP all three controls of ENABLE concern a group: its members, and
 * those that join later.  GUIDs of groups and of providers are not related.
 * Filters by event ids, names or payloads are refused (EINVAL).  At most eight
 * sessions enable a group (ENOSPC).
 * A session that enables a provider and its group gets each event once that
 * either of the two takes, with the items of those that take it.  A registration
 * has eight sessions at most: those that enable the provider itself, and of its
 * group's as many as there is room for.  One that is left out comes in when
 * another goes; etw_provider_reg.sessions tells who is in.
 *
 * DISALLOW_SET replaces the session's list of providers that its groups leave
 * out, at once and also in what it has enabled; ENABLE of such a provider by
 * itself is as ever.  DISALLOW_QUERY tells it.
 */
struct etw_disallow {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 session;		/* handle */
	__u64 guids;		/* SET: in; QUERY: out: struct etw_guid * */
	__u32 capacity;		/* QUERY: room at guids; SET: 0 */
	__u32 count;		/* SET: in, at most 1,024; QUERY: out, may exceed capacity */
};

struct etw_group_member {
	struct etw_guid provider;
	struct etw_provider_reg reg;
};

/*
 * GROUP_ENUM: the GUIDs of groups that have members or are enabled, as
 * PROVIDER_ENUM does providers.  GROUP_QUERY: those of its members whose providers
 * the caller may QUERY.  ESRCH: there is no such group.
 */
struct etw_group_query {
	__u32 size;
	__u32 flags;		/* 0 */
	struct etw_guid group;
	__u64 members;		/* out: struct etw_group_member * */
	__u32 member_cap;
	__u32 member_count;	/* out */
	__u64 enables;		/* out: struct etw_provider_enable * */
	__u32 enable_cap;
	__u32 enable_count;	/* out */
};

#endif /* ETW_ABI_GROUP_H */
