/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_access.h - access lists of sessions and providers; abi.h includes it
 *
 * The GUID of a session or provider may have its own access list.  All other GUIDs,
 * and objects without a GUID yet, use the list of ETW_ACCESS_DEFAULT_GUID.  If that
 * GUID has no list either, the rules are
 *	allow everyone			REGISTER, LOG_EVENT, JOIN_GROUP
 *	allow capability CAP_PERFMON	all
 *
 * The kernel evaluates a list from its first entry to its last, and uses only the
 * entries that match the caller.  An allow entry grants its rights.  A deny entry
 * that holds a requested right not granted by an earlier entry ends the evaluation.
 * A right that no entry grants is denied, so an empty list denies everything.
 *
 * Callers are identified by their credentials in the initial user namespace:
 * effective user id, effective and supplementary group ids, effective capabilities.
 * Root of a container is an ordinary user there, without capabilities.  A caller with
 * CAP_SYS_ADMIN there has every right, whatever the lists say, so that lists cannot
 * lock out the administrator; only such a caller changes lists.  Kernel modules are
 * not checked.
 *
 * The rights that each command needs.  On a session that only writes a log file, CREATE_ONDISK
 * takes the place of CREATE_REALTIME for all commands.
 *	START, STOP, UPDATE, FLUSH	CREATE_REALTIME on the session
 *	START, REAL_TIME with a file	CREATE_REALTIME and CREATE_ONDISK
 *	UPDATE, FLUSH that name a file	in addition CREATE_ONDISK
 *	UPDATE that ends the file	in addition CREATE_REALTIME
 *	QUERY, STAT			QUERY or ACCESS_REALTIME on the session
 *	ENUM				lists sessions on which the caller has QUERY
 *	ENABLE, all controls		GUID_ENABLE on the provider or on the group,
 *					and CREATE_REALTIME on the session
 *	ENABLE, of the kernel's events	in addition CAP_PERFMON, whatever the lists say
 *	DISALLOW_SET, _QUERY		CREATE_REALTIME; as QUERY
 *	SESSION_SYSTEM			as UPDATE; to query, as QUERY, too
 *	SESSION_MISSED			CREATE_REALTIME on the session
 *	SESSION_CAPTURE			as QUERY; with SET
 *					CREATE_REALTIME on the session and
 *					GUID_ENABLE on each provider
 *	CONSUMER_OPEN			ACCESS_REALTIME on the session
 *	REGISTER			REGISTER_GUIDS on the provider, and also
 *					REGISTER_KERNEL if a kernel module holds its GUID
 *	PROVIDER_SET			JOIN_GROUP on the group that the traits name,
 *					REGISTER_KERNEL on their decode GUID if a kernel
 *					module holds that
 *	PROVIDER_ENUM, _QUERY		QUERY on the provider
 *	GROUP_ENUM, _QUERY		QUERY on the group; _QUERY lists members on which
 *					the caller has QUERY, too
 *	ACCESS_QUERY			QUERY on the GUID
 *	TRACE_EVENT, BPF_PROVIDER	CAP_PERFMON, whatever the lists say, and
 *					REGISTER_GUIDS on the provider
 *	WRITE, lost over 1		CAP_PERFMON, whatever the lists say
 * A changed list does not affect consumers already opened, registrations already made,
 * or providers already enabled.
 *
 * Writing needs a right only in sessions of ETW_MODE_SECURE: they enable only
 * registrations whose creator has LOG_EVENT on the session.  The kernel checks the
 * credentials that the creator had when registering: when the session enables the
 * provider or its group, when the provider registers or joins the group, and whenever a
 * list changes.  A classic provider that loses its session by such a change gets a new
 * one when a session enables it.
 *
 * ACCESS_REALTIME gives access to the whole content of a session: the payloads of
 * every enabled provider in every process, and the extended items requested for them.
 * ETW_ENABLE_STACK_TRACE and USER_STACK in addition need CAP_PERFMON (or CAP_SYS_ADMIN),
 * whatever the lists say, because stacks hold addresses of the kernel and of other users'
 * processes, and copies hold what those had in memory.
 * So do the kernel's own events: tracepoints, probes, samples, BPF programs and
 * Etw-Image.  Once a caller with that capability has requested stacks, every reader of
 * the session sees them.  A provider's QUERY shows only sessions that the caller may
 * QUERY; a TRACEHANDLE filter accepts only those.
 *
 * A kernel module holds the GUIDs of its registrations.  REGISTER_KERNEL lets a process
 * write events under them, which otherwise only the module does, and see how sessions
 * have enabled them.  It is not part of ALL, and no list has it unless it is named.  If
 * the process registered first, its registration is refused from the moment the module
 * registers until the module unregisters or a list grants the right: its writes fail
 * with EACCES and are counted (etw_provider_reg), and no session enables it.
 *
 * A caller without the right gets EPERM whether or not the session or provider exists,
 * but EACCES without REGISTER_KERNEL.  Who may enable a provider learns by EPERM that it has
 * the kernel's events.
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

/*
 * Rights: WMIGUID_* and TRACELOG_*, and REGISTER_KERNEL of this project, outside of their
 * range.  Bits not listed have no effect.
 */
#define ETW_RIGHT_QUERY			0x0001
#define ETW_RIGHT_CREATE_REALTIME	0x0020	/* start and control without a file */
#define ETW_RIGHT_CREATE_ONDISK		0x0040	/* start and control with a file */
#define ETW_RIGHT_GUID_ENABLE		0x0080
#define ETW_RIGHT_LOG_EVENT		0x0200	/* write, to SECURE sessions */
#define ETW_RIGHT_ACCESS_REALTIME	0x0400	/* consume */
#define ETW_RIGHT_REGISTER_GUIDS	0x0800
#define ETW_RIGHT_JOIN_GROUP		0x1000
#define ETW_RIGHT_ALL			0x1fff	/* all rights of Windows */
#define ETW_RIGHT_REGISTER_KERNEL	0x2000	/* a GUID that a kernel module holds */
#define ETW_RIGHT_VALID			0x3fff	/* all bits that an entry may hold */

/* etw_access_entry.type */
#define ETW_ACCESS_ALLOW	0
#define ETW_ACCESS_DENY		1

/* etw_access_entry.who */
#define ETW_ACCESS_EVERYONE	0	/* id is 0 */
#define ETW_ACCESS_USER		1	/* id: uid in the initial user namespace */
#define ETW_ACCESS_GROUP	2	/* id: gid in the initial user namespace */
#define ETW_ACCESS_CAPABILITY	3	/* id: CAP_* */

#define ETW_ACCESS_ENTRIES_MAX	64	/* entries of one list */
#define ETW_ACCESS_LISTS_MAX	1024	/* lists of the machine */

struct etw_access_entry {
	__u8  type;		/* ETW_ACCESS_ALLOW or _DENY */
	__u8  who;		/* ETW_ACCESS_EVERYONE... */
	__u16 reserved;		/* 0 */
	__u32 id;
	__u32 rights;		/* ETW_RIGHT_*, at least one */
};

/*
 * SET: give the GUID its own list, or replace that list.  REMOVE: make the GUID use
 * the default list again; entries, count and capacity are 0.  Both need CAP_SYS_ADMIN
 * in the initial user namespace and are in force when they return.  ENOSPC: more than
 * ETW_ACCESS_ENTRIES_MAX entries or ETW_ACCESS_LISTS_MAX lists.
 * QUERY: get the list that applies to the GUID.  With ETW_ACCESS_NEXT: get the list of
 * the next GUID after this one, in byte order, that has its own list and that the
 * caller may query.  ESRCH: there is none.
 */
struct etw_access {
	__u32 size;
	__u32 flags;		/* QUERY: ETW_ACCESS_NEXT; else 0 */
	struct etw_guid guid;	/* in: zero only with NEXT; NEXT: also out */
	__u64 entries;		/* struct etw_access_entry *; SET: in, QUERY: out */
	__u32 count;		/* SET: in; QUERY: out, may exceed capacity */
	__u32 capacity;		/* QUERY: in, room at entries; else 0 */
	__u32 own;		/* QUERY: out: the list is the GUID's own; in: 0 */
	__u32 reserved;		/* 0 */
};

#define ETW_ACCESS_NEXT		0x1

#endif /* ETW_ABI_ACCESS_H */
