/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot.h - the sessions that enabled a provider, as writers read them
 *
 * provider/enable_snapshot.c builds a snapshot, provider/change.c publishes it, and writers
 * read it under RCU with preemption disabled.  It never changes; a new one replaces it.
 */
#ifndef ETW_WRITE_SNAPSHOT_H
#define ETW_WRITE_SNAPSHOT_H

#include <linux/rcupdate.h>
#include <etw/kernel.h>

#include "core/enable_entry.h"
#include "core/names.h"
#include "core/payload.h"

struct etw_scope;
struct etw_session_hot;
struct etw_user;

/* The checked program of a payload filter. */
struct etw_payload_filter {
	struct rcu_head rcu;
	u32 weight;		/* etw_payload_weight() */
	bool short_enough;	/* for quick */
	struct etw_payload_quick quick;
	u64 program[];
};

/* A compiled filter of event names. */
struct etw_name_filter {
	struct rcu_head rcu;
	struct etw_event_names names;	/* ends with an array */
};

/* Selects the events that a session takes, and those that it wants with the stack. */
struct etw_event_filter {
	struct rcu_head rcu;
	struct etw_event_ids ids;
	struct etw_event_ids stack_ids;
	bool stack_level_given;
	bool stack_level_in;
	struct etw_enable_entry stack_level;
	struct etw_payload_filter *payload;	/* NULL: any payload */
	struct etw_name_filter *names;		/* NULL: any name */
	struct etw_name_filter *stack_names;	/* NULL: any name */
};

/* A registration's traits: set once, freed with the registration. */
struct etw_traits {
	struct etw_user *user;		/* charged for them; NULL: no user */
	bool has_group;
	bool has_decode;
	struct etw_guid group;
	struct etw_guid decode;
	u32 len;
	u8 blob[];
};

struct etw_snapshot_entry {
	struct etw_enable_entry filter;
	struct etw_session_hot *session;
	const struct etw_event_filter *events;	/* NULL: every event */
	const struct etw_scope *scope;		/* of the kernel's own events, whose writer tests it */
};

/* The way of a driver's events: plain.h and plain_typed.h have those that are not GENERAL. */
enum etw_way {
	ETW_WAY_GENERAL,
	ETW_WAY_ONE,		/* one session, which selects by level and keyword only, and
				 * whose clock is the TSC when it enables the provider
				 */
	ETW_WAY_TYPED,		/* of a provider that gives the types of its data; any sessions
				 * whose clocks were the TSC, and which may select by name or
				 * payload, too
				 */
	ETW_WAY_STACK,		/* as the next three, but the session asks for the stacks of some
				 * events
				 */
	ETW_WAY_FILTERED,	/* as ETW_WAY_IDS, but the session selects by payload */
	ETW_WAY_IDS,		/* one session, which may select by id, too, and have any clock */
	ETW_WAY_NUMBER,		/* as ETW_WAY_ONE, but the session selects by a number in the
				 * payload, too
				 */
	ETW_WAY_SEVERAL,
};

#define ETW_SNAPSHOT_LEVELS	8	/* the last one and all above it count as one */

/*
 * entries[] has one entry per session, followed by a second entry for each session
 * that enabled both the provider and its group: it takes an event if either entry does.
 */
struct etw_snapshot {
	struct rcu_head rcu;
	u32 count;			/* sessions */
	u8 way;				/* enum etw_way */
	bool slow_path;			/* filtered, or has types or traits */
	bool filtered;			/* more than level and keyword decides, or some
					 * session wants items or is shared
					 */
	bool shared;			/* some session has one buffer for all CPUs */
	bool types;			/* data descriptors have types */
	bool one_event;			/* the provider has no other, so filters can test its fields */
	u8 group_entries;		/* second entries, after the first count */
	u8 group_entry_session[ETW_PROVIDER_SESSIONS];	/* index of each one's session */
	const struct etw_traits *traits;	/* of the registration */
	/*
	 * Keywords, by an event's level.  An event that has keywords, but none of some_want, is for
	 * no session; one that has any of all_want is for all of them.
	 */
	u64 some_want[ETW_SNAPSHOT_LEVELS];
	u64 all_want[ETW_SNAPSHOT_LEVELS];
	struct etw_snapshot_entry entries[];
};

#endif /* ETW_WRITE_SNAPSHOT_H */
