/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_capture.h - asking providers for their state again and again; include
 * <etw/abi.h>
 */
#ifndef ETW_ABI_CAPTURE_H
#define ETW_ABI_CAPTURE_H

#include <linux/types.h>

#define ETW_CAPTURE_MAX		64	/* providers of one session */

#define ETW_CAPTURE_SET		0x1

/*
 * ETW_IOC_SESSION_CAPTURE: with SET, every period_s seconds each of these
 * providers is asked for its state, as ETW_CONTROL_CAPTURE asks, as long as the
 * session has it enabled; in place of what was set before, and count 0 ends it.
 * EINVAL: more than 64, a zero GUID, or a period of 0.  Without SET: what is set.
 * SET takes the rights that asking once would, for all of them, when it is called.
 */
struct etw_session_capture {
	__u32 size;
	__u32 flags;		/* ETW_CAPTURE_* */
	__u64 handle;
	__u64 guids;		/* struct etw_guid *: in with SET, else out */
	__u32 count;		/* in: of guids, or room; out: how many are set */
	__u32 period_s;		/* in/out */
};

#endif /* ETW_ABI_CAPTURE_H */
