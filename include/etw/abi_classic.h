/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_classic.h - classic providers at the device; include <etw/abi.h>
 *
 * A registration with ETW_REGISTER_CLASSIC is enabled by one session at a time:
 * the one that enabled it last.  When that one disables it or stops, no other
 * session takes its place.  Its notifications tell level and any as that session
 * asked for them, of any the low half, and the session.  Levels and keywords
 * filter none of its records: the provider looks at them.
 */
#ifndef ETW_ABI_CLASSIC_H
#define ETW_ABI_CLASSIC_H

#include <linux/types.h>
#include <etw/format_classic.h>

#define ETW_CLASSIC_EVENT	0
#define ETW_CLASSIC_INSTANCE	1
#define ETW_CLASSIC_MESSAGE	2

/*
 * ETW_IOC_CLASSIC: write one record to the session that has a classic
 * registration of the calling process enabled.  ENOENT: it is not (or not any
 * more) the session of that logger id, and nothing is counted; EINVAL: the
 * registration is no classic one.  A record that was lost is an error, unless
 * the session is INDEPENDENT.  Members that the kind does not use are 0.
 */
struct etw_classic_write {
	__u32 size;
	__u32 slot;
	__u32 kind;		/* ETW_CLASSIC_* */
	__u32 logger_id;
	struct etw_guid guid;	/* event class; of a message, or its component in data1 */
	__u8  type;		/* EVENT, INSTANCE */
	__u8  level;		/* EVENT, INSTANCE */
	__u16 version;		/* EVENT, INSTANCE */
	__u16 number;		/* MESSAGE */
	__u16 options;		/* MESSAGE: ETW_MESSAGE_* */
	__u32 instance;		/* INSTANCE */
	__u32 parent;		/* INSTANCE */
	struct etw_guid parent_guid;	/* INSTANCE */
	__u64 data;		/* struct etw_data_descriptor * */
	__u32 data_count;	/* at most 128 */
	__u32 reserved;		/* 0 */
};

#endif /* ETW_ABI_CLASSIC_H */
