/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_look.h - looking at providers; part of abi.h
 */
#ifndef ETW_ABI_LOOK_H
#define ETW_ABI_LOOK_H

#ifndef ETW_ABI_H
#error "include <etw/abi.h>"
#endif

struct etw_provider_enum {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 guids;		/* out: struct etw_guid * */
	__u32 capacity;
	__u32 count;		/* out: GUIDs registered or enabled */
};

/* etw_provider_reg.flags: a kernel module's registration */
#define ETW_REG_KERNEL	0x80000000
#define ETW_REG_TRAITS	0x40000000	/* it has traits */

struct etw_provider_reg {
	__u32 pid;		/* in the caller's PID namespace; 0: not in it */
	__u32 flags;		/* ETW_REGISTER_*, ETW_REG_* */
	__u64 sessions;		/* bit i: enabled by the session with logger id i + 1 */
	char  module[56];	/* kernel module or comm of the process */
	struct etw_guid group;	/* zero: it is a member of none */
};

struct etw_provider_enable {
	__u64 session;		/* handle */
	__u64 any;
	__u64 all;
	__u32 property;
	__u16 logger_id;
	__u8  level;
	__u8  pid_filtered;	/* 1: by PID filter */
	__u32 filters;		/* low halves of the types of its filters, or'ed; ETW_FILTER_SCHEMATIZED */
	__u32 reserved;
};

/*
 * name is what a kernel module gave; what a process gave only where no module
 * has the GUID registered, for anybody may register a GUID with a name.
 */
struct etw_provider_query {
	__u32 size;
	__u32 flags;		/* 0 */
	struct etw_guid provider;
	__u64 name_out;		/* out: char *, or 0 */
	__u32 name_cap;
	__u32 name_len;		/* out: 0 if there is none */
	__u64 regs;		/* out: struct etw_provider_reg * */
	__u32 reg_cap;
	__u32 reg_count;	/* out */
	__u64 enables;		/* out: struct etw_provider_enable * */
	__u32 enable_cap;
	__u32 enable_count;	/* out */
};

#endif /* ETW_ABI_LOOK_H */
