/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_filter.h - the filters of ETW_IOC_ENABLE; part of abi.h
 *
 * A malformed filter of any type refuses the call as a whole: EINVAL.  Reserved
 * members are not looked at here: Microsoft's structs have padding in their
 * place, in which callers leave what was there.
 *
 * Source: Microsoft's EVENT_FILTER_DESCRIPTOR, EVENT_FILTER_EVENT_ID and
 * EVENT_FILTER_LEVEL_KW pages.
 */
#ifndef ETW_ABI_FILTER_H
#define ETW_ABI_FILTER_H

#include <linux/types.h>

/*
 * etw_filter.type: EVENT_FILTER_TYPE_* known here.  PID to PACKAGE_APP_ID are
 * scope filters: they select the user registrations that the session enables,
 * all of them together, and no kernel registration.  Their names are UTF-8
 * without a NUL, with ';' between them, as module/core/scope.h explains; unlike
 * PIDs they go for later registrations too.
 */
#define ETW_FILTER_NONE			0
#define ETW_FILTER_PID			0x80000004	/* __u32 pids[1..8] */
#define ETW_FILTER_EXECUTABLE_NAME	0x80000008	/* names, 1536 bytes at most */
#define ETW_FILTER_PACKAGE_ID		0x80000010	/* likewise */
#define ETW_FILTER_PACKAGE_APP_ID	0x80000020	/* likewise */
#define ETW_FILTER_EVENT_ID		0x80000200	/* etw_filter_event_id */
#define ETW_FILTER_STACKWALK		0x80001000	/* etw_filter_event_id */
#define ETW_FILTER_STACKWALK_LEVEL_KW	0x80004000	/* etw_filter_level_kw */
#define ETW_FILTER_CONTAINER		0x80008000	/* names, 1536 bytes at most */

#define ETW_FILTERS_MAX		13	/* filters of one enable call */
#define ETW_PID_FILTER_MAX	8	/* PIDs of one PID scope filter */
#define ETW_FILTER_NAMES_MAX	1536	/* bytes of one scope filter */
#define ETW_FILTER_EVENT_IDS	64

/*
 * Events of channel 11, TraceLogging's, pass whatever the ids are.
 * EVENT_FILTER_EVENT_ID: the first 4 + 2 * count bytes; len may be more.
 */
struct etw_filter_event_id {
	__u8  in;		/* 1: only these; 0: all but these */
	__u8  reserved;
	__u16 count;
	__u16 ids[ETW_FILTER_EVENT_IDS];
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
