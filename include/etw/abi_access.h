/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_access.h - access lists of sessions and providers; abi.h includes it
 *
 * A GUID, a session's or a provider's, may have a list of its own that says
 * who has which rights on it; all other GUIDs, and what has no GUID yet, go by
 * the list of ETW_ACCESS_DEFAULT_GUID; and where that has none either, by
 *	allow everyone			REGISTER, LOG_EVENT, JOIN_GROUP
 *	allow capability CAP_PERFMON	all
 *
 * A list is read from its first entry to its last.  An entry concerns a caller
 * if he is whom it names.  An allowing entry gives the rights that it holds; a
 * denying one ends it if it holds a right that is wanted and was not given by
 * an entry before.  What no entry gives is denied, so an empty list gives
 * nobody anything.
 *
 * Callers are judged by what they are in the initial user namespace: effective
 * user id, effective and supplementary group ids, effective capabilities.  Root
 * of a container is the user that he is outside, and has no capability here.
 * Who has CAP_SYS_ADMIN there has every right whatever the lists say, so that
 * nobody can be locked out of his own machine; only he changes lists.  Kernel
 * modules are not asked.
 *
 * Which right is asked for, and when:
 *	START, STOP, UPDATE, FLUSH	CREATE_REALTIME on the session; of one that has a
 *					log file and is not REAL_TIME CREATE_ONDISK
 *	START of one that is both	CREATE_REALTIME and CREATE_ONDISK
 *	UPDATE, FLUSH that name a file	CREATE_ONDISK besides
 *	UPDATE that ends the file	CREATE_REALTIME besides
 *	QUERY, STAT			QUERY or ACCESS_REALTIME on the session
 *	ENUM				QUERY on the session; tells only those
 *	ENABLE, all controls		GUID_ENABLE on the provider or on the group,
 *					and CREATE_REALTIME on the session
 *	DISALLOW_SET, _QUERY		CREATE_REALTIME; as QUERY
 *	SESSION_CAPTURE			as QUERY; with SET
 *					CREATE_REALTIME on it and GUID_ENABLE on
 *					each provider
 *	CONSUMER_OPEN			ACCESS_REALTIME on the session
 *	REGISTER			REGISTER_GUIDS on the provider
 *	PROVIDER_SET			JOIN_GROUP on the group that the traits name
 *	PROVIDER_ENUM, _QUERY		QUERY on the provider
 *	GROUP_ENUM, _QUERY		QUERY on the group; _QUERY tells only of
 *					members on which the caller has it, too
 *	ACCESS_QUERY			QUERY on the GUID
 * What was opened, registered or enabled once stays so when a list changes.
 * Writing needs no right but to sessions of ETW_MODE_SECURE, which enable only
 * registrations made by somebody who has LOG_EVENT on the session.  He is
 * judged as he was when he registered: when the session enables the provider or
 * its group, when he registers or joins the group, and again whenever a list
 * changes.  A classic provider that
 * lost its session by that gets one again when one enables it.
 *
 * ACCESS_REALTIME shows all that is in the session: of every provider that it has
 * enabled, in whatever process, the payloads, and the items that whoever enabled
 * them asked for.  ETW_ENABLE_STACK_TRACE takes CAP_PERFMON (or CAP_SYS_ADMIN)
 * besides, whatever lists say, for stacks hold addresses of the kernel and of
 * other users' processes; who may read a session in which somebody with that
 * capability asked for them sees those.  A provider's QUERY tells only of those
 * sessions that the caller may QUERY, and so does a TRACEHANDLE filter.
 *
 * Without the right: EPERM, whether there is such a session or provider or not.
 *
 * Source: Microsoft's EventAccessControl page.
 */
#ifndef ETW_ABI_ACCESS_H
#define ETW_ABI_ACCESS_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <etw/format.h>

/* DefaultTraceSecurityGuid */
#define ETW_ACCESS_DEFAULT_GUID						\
	ETW_GUID(0x0811c1af, 0x7a07, 0x4a06, 0x82, 0xed, 0x86, 0x94, 0x55, 0xcd, 0xf7, 0x13)

/* Rights, WMIGUID_* and TRACELOG_*; those not listed here mean nothing. */
#define ETW_RIGHT_QUERY			0x0001
#define ETW_RIGHT_CREATE_REALTIME	0x0020	/* start and control without a file */
#define ETW_RIGHT_CREATE_ONDISK		0x0040	/* start and control with a file */
#define ETW_RIGHT_GUID_ENABLE		0x0080
#define ETW_RIGHT_LOG_EVENT		0x0200	/* write, to SECURE sessions */
#define ETW_RIGHT_ACCESS_REALTIME	0x0400	/* consume */
#define ETW_RIGHT_REGISTER_GUIDS	0x0800
#define ETW_RIGHT_JOIN_GROUP		0x1000
#define ETW_RIGHT_ALL			0x1fff	/* that an entry may hold */

/* etw_access_entry.type */
#define ETW_ACCESS_ALLOW	0
#define ETW_ACCESS_DENY		1

/* etw_access_entry.who */
#define ETW_ACCESS_EVERYONE	0	/* id is 0 */
#define ETW_ACCESS_USER		1	/* id: uid in the initial user namespace */
#define ETW_ACCESS_GROUP	2	/* id: gid in the initial user namespace */
#define ETW_ACCESS_CAPABILITY	3	/* id: CAP_* */

#define ETW_ACCESS_ENTRIES_MAX	64	/* of one list */
#define ETW_ACCESS_LISTS_MAX	1024

struct etw_access_entry {
	__u8  type;		/* ETW_ACCESS_ALLOW or _DENY */
	__u8  who;		/* ETW_ACCESS_EVERYONE... */
	__u16 reserved;		/* 0 */
	__u32 id;
	__u32 rights;		/* ETW_RIGHT_*, at least one */
};

/*
 * SET: the list becomes the GUID's own, in place of the one it had.  REMOVE:
 * the GUID goes by the default again; entries, count and capacity are 0.  Both
 * need CAP_SYS_ADMIN in the initial user namespace and are in force when they
 * return.  ENOSPC: more entries or lists than there may be.
 * QUERY: the list by which the GUID goes; with ETW_ACCESS_NEXT that of the
 * GUID which follows this one among those with their own list, in the order of
 * their bytes, and which the caller may query.  ESRCH: there is none.
 */
struct etw_access {
	__u32 size;
	__u32 flags;		/* QUERY: ETW_ACCESS_NEXT; else 0 */
	struct etw_guid guid;	/* never zero but with NEXT; NEXT: out too */
	__u64 entries;		/* struct etw_access_entry *; SET: in, QUERY: out */
	__u32 count;		/* SET: in; QUERY: out, may exceed capacity */
	__u32 capacity;		/* QUERY: room at entries; else 0 */
	__u32 own;		/* QUERY: out: the list is the GUID's own; in: 0 */
	__u32 reserved;		/* 0 */
};

#define ETW_ACCESS_NEXT		0x1

#endif /* ETW_ABI_ACCESS_H */
