/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_filter.h - the filters of ETW_IOC_ENABLE; part of abi.h
 *
 * A malformed filter of any type refuses the call as a whole: EINVAL.  Reserved
 * members are not looked at here: Microsoft's structs have padding in their
 * place, in which callers leave what was there.  Filters that make no sense with
 * the control code are checked too, and ignored.
 *
 * Source: Microsoft's EVENT_FILTER_DESCRIPTOR, EVENT_FILTER_EVENT_ID,
 * EVENT_FILTER_EVENT_NAME and EVENT_FILTER_LEVEL_KW pages.
 */
#ifndef ETW_ABI_FILTER_H
#define ETW_ABI_FILTER_H

#include <linux/types.h>

/*
 * etw_filter.type: EVENT_FILTER_TYPE_* known here.  PID to PACKAGE_APP_ID are
 * scope filters: they select the user registrations that the session enables,
 * all of them together, and no kernel registration.  Their names are UTF-8
 * without a NUL, with ';' between them; unlike PIDs they go for later registrations
 * too.  What identifies an application is the path of its control group (v2), for
 * systemd and the container engines give each a group of its own:
 *	EXECUTABLE_NAME	the last component of the program's path
 *	CONTAINER	a path that starts with '/': that group and all below it; else a
 *			component of the path, or 12 or more digits of the hexadecimal
 *			id that docker, podman, containerd and CRI-O put into one
 *	PACKAGE_APP_ID	of the innermost systemd unit: X for app[-LAUNCHER]-X-RANDOM.scope
 *			and app[-LAUNCHER]-X[@RANDOM].service (flatpaks are such), NAME.APP
 *			for a snap, else the unit's name
 *	PACKAGE_ID	NAME for a snap, else as PACKAGE_APP_ID
 * systemd's escapes in the names of units, like \x2d, stay as they are.
 */
#define ETW_FILTER_NONE			0
#define ETW_FILTER_SCHEMATIZED		0x80000000	/* etw_filter_header, data */
#define ETW_FILTER_TRACEHANDLE		0x80000002	/* __u64: handle of a session */
#define ETW_FILTER_PID			0x80000004	/* __u32 pids[1..8] */
#define ETW_FILTER_EXECUTABLE_NAME	0x80000008	/* names, 1536 bytes at most */
#define ETW_FILTER_PACKAGE_ID		0x80000010	/* likewise */
#define ETW_FILTER_PACKAGE_APP_ID	0x80000020	/* likewise */
#define ETW_FILTER_PAYLOAD		0x80000100	/* a program, abi_payload.h */
#define ETW_FILTER_EVENT_ID		0x80000200	/* etw_filter_event_id */
#define ETW_FILTER_EVENT_NAME		0x80000400	/* etw_filter_event_name */
#define ETW_FILTER_STACKWALK		0x80001000	/* etw_filter_event_id */
#define ETW_FILTER_STACKWALK_NAME	0x80002000	/* etw_filter_event_name */
#define ETW_FILTER_STACKWALK_LEVEL_KW	0x80004000	/* etw_filter_level_kw */
#define ETW_FILTER_CONTAINER		0x80008000	/* names, 1536 bytes at most */

#define ETW_FILTERS_MAX		13	/* filters of one enable call */
#define ETW_PID_FILTER_MAX	8	/* PIDs of one PID scope filter */
#define ETW_FILTER_NAMES_MAX	1536	/* bytes of one scope filter */
#define ETW_FILTER_EVENT_IDS	64
#define ETW_FILTER_EVENT_NAME_MAX	4096	/* bytes of a filter by names */
#define ETW_FILTER_DATA_MAX	1024	/* bytes of a SCHEMATIZED filter, its header included */
#define ETW_FILTER_CHAIN_MAX	8192	/* bytes of those of all sessions, as told */

/*
 * SCHEMATIZED: data that only the provider understands.  It stays with what the
 * session enabled and is told to the provider's callbacks, with each change and
 * when one registers, together with those of the other sessions that have
 * enabled it: one after the other, each at a multiple of 8 bytes.  Where a
 * session enabled the provider and its group with one each, the provider's own
 * is told.  With CAPTURE it is told to them with that request alone, as is
 * TRACEHANDLE, which goes with CAPTURE only: the provider is asked for what there
 * is to say about that session, which runs (ENOENT).  A CAPTURE has one of the
 * two, not both.
 */
struct etw_filter_header {
	__u16 id;		/* the provider's business, as is */
	__u8  version;		/* this */
	__u8  reserved[5];
	__u64 instance;		/* told: 1 << (logger id - 1), for etw_event_write.filter */
	__u32 size;		/* bytes of the filter, this header included */
	__u32 next;		/* 0; told: bytes from this header to the next, 0: last */
};

/*
 * TraceLogging's events, which have a schema or are of channel 11, pass whatever
 * the ids are.
 * EVENT_FILTER_EVENT_ID: the first 4 + 2 * count bytes; len may be more.
 */
struct etw_filter_event_id {
	__u8  in;		/* 1: only these; 0: all but these */
	__u8  reserved;
	__u16 count;
	__u16 ids[ETW_FILTER_EVENT_IDS];
};

/*
 * EVENT_FILTER_EVENT_NAME: the first 20 bytes, then count names, each with its
 * NUL; len may be more.  Names are compared whole, as bytes, with the one in the
 * event's schema (format.h).  Events without a schema, and those that are not of
 * the filter's own level and keywords, are none of its business.
 */
struct etw_filter_event_name {
	__u64 any;		/* 0 counts as all ones */
	__u64 all;
	__u8  level;		/* 0 counts as 255 */
	__u8  in;		/* 1: only these; 0: all but these */
	__u16 count;
	__u8  names[4];
};

/* EVENT_FILTER_LEVEL_KW */
struct etw_filter_level_kw {
	__u64 any;		/* 0 counts as all ones */
	__u64 all;
	__u8  level;		/* 0 counts as 255 */
	__u8  in;		/* 1: only such events; 0: all but such */
	__u8  reserved[6];
};

struct etw_filter {
	__u64 ptr;		/* user address of the filter's data */
	__u32 len;		/* bytes */
	__u32 type;		/* ETW_FILTER_* */
};

#endif /* ETW_ABI_FILTER_H */
