/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_bpf.h - providers whose events BPF programs write; abi.h includes it
 *
 * A process makes the provider and gives its number to the programs, which call the kfuncs
 * bpf_etw_enabled() and bpf_etw_write() with it: see bpf.h.
 */
#ifndef ETW_ABI_BPF_H
#define ETW_ABI_BPF_H

#include <linux/types.h>
#include <etw/abi_trace.h>
#include <etw/format.h>

#define ETW_BPF_PROVIDERS_MAX	1024	/* made by ETW_IOC_BPF_PROVIDER */
#define ETW_BPF_EVENTS_MAX	256	/* of one provider */
#define ETW_BPF_RECORD_MAX	32768	/* bytes of a program's record that must be there */
#define ETW_BPF_SCHEMAS_MAX	65536	/* bytes of one provider's metadata */
#define ETW_BPF_PIECES_MAX	4096	/* of one provider's events together */

/*
 * An event.  A program passes a record of at least record_size bytes; the parts say what
 * becomes of it, as for trace events, and may be of any kind.  A data location may lead behind
 * these bytes.
 */
struct etw_bpf_event {
	__u64 keyword;
	__u8  level;
	__u8  opcode;
	__u16 task;
	__u32 record_size;	/* at most ETW_BPF_RECORD_MAX */
	__u32 schema_len;	/* bytes of its metadata, at most ETW_TRACE_SCHEMA_MAX */
	__u32 piece_count;	/* at most ETW_TRACE_PIECES_MAX */
};

/*
 * ETW_IOC_BPF_PROVIDER: make a kernel provider for BPF programs, with TraceLogging events.
 * The metadata of all events, each beginning with its size as a u16, lie one after the other,
 * and so do their parts.
 *
 * The provider lasts while this file is open, and after that until no session has it enabled
 * any more.  A call for a provider that exists, with the same events, makes it last for
 * this file, too, and returns its number.  A number is not used again after its provider has gone
 * until 2^22 others have been in its place; programs that have it then write nothing.
 *
 * BPF programs read the memory of the kernel and of all processes, so enabling the provider needs
 * CAP_PERFMON as for ETW_IOC_TRACE_EVENT.
 *
 * Needs what ETW_IOC_TRACE_EVENT needs, else EPERM.  EEXIST: the provider exists with other
 * events, or is a kernel module's, or etw.ko's own.  ENOSPC: there are ETW_BPF_PROVIDERS_MAX.
 * EOPNOTSUPP: this kernel does not let etw.ko have kfuncs; the module's parameter bpf says why.
 */
struct etw_bpf_provider {
	__u32 size;
	__u32 flags;		/* 0 */
	struct etw_guid provider;
	__u64 name;		/* char *, the provider's: 1 to ETW_NAME_MAX bytes */
	__u32 name_len;
	__u32 event_count;	/* 1 to ETW_BPF_EVENTS_MAX */
	__u64 events;		/* struct etw_bpf_event * */
	__u64 schemas;		/* the events' metadata */
	__u64 pieces;		/* struct etw_trace_piece *: the events' parts */
	__u32 schemas_len;	/* bytes, at most ETW_BPF_SCHEMAS_MAX */
	__u32 piece_count;	/* at most ETW_BPF_PIECES_MAX */
	__u32 number;		/* out: for the programs; never 0 */
	__u32 reserved;		/* 0 */
};

#endif /* ETW_ABI_BPF_H */
