/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * format.h - the bytes in buffers and in .etl files
 *
 * One layout is used in three places: the per-CPU buffers that writers fill, the
 * buffers that a real-time consumer reads, and the file on disk.  Everything is
 * little-endian and naturally aligned.
 *
 *	buffer := buffer_header (72 bytes)  record*  0xFF...
 *	record := event_header (80 bytes)  ext_item*  payload  zero pad to 8
 *		| a classic provider's record, see below
 *
 * A record starts on a multiple of 8 within its buffer.  event_header.size
 * counts header, items and payload, but not the padding after them.  Extended
 * items are present if flags has ETW_EVENT_EXTENDED_INFO.  Each is padded to
 * 8 bytes; bit 0 of its linkage is set if another item follows.
 *
 * A writer fills its own record, padding included.  The CPU that installs a buffer
 * fills buffer_size, clock, processor, logger_id, flags and the reference time.  The
 * delivery worker fills the rest and the 0xFF tail.
 *
 * Sources of the layout: Microsoft's EVENT_HEADER and EVENT_DESCRIPTOR pages
 * and Windows' own .etl files.
 */
#ifndef ETW_FORMAT_H
#define ETW_FORMAT_H

#include <linux/types.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "etw needs a little-endian machine"
#endif

/* A GUID as Windows lays it out; data1 to data3 are little endian. */
struct etw_guid {
	__u32 data1;
	__u16 data2;
	__u16 data3;
	__u8  data4[8];
};

/* Braced initializer of a struct etw_guid, in the order in which GUIDs are written. */
#define ETW_GUID(d1, d2, d3, b0, b1, b2, b3, b4, b5, b6, b7) \
	{ (d1), (d2), (d3), { (b0), (b1), (b2), (b3), (b4), (b5), (b6), (b7) } }

/* EVENT_DESCRIPTOR: the part of an event that enable settings and filters test. */
struct etw_event_descriptor {
	__u16 id;
	__u8  version;
	__u8  channel;
	__u8  level;	/* 0 passes every session's level */
	__u8  opcode;
	__u16 task;
	__u64 keyword;	/* 0 passes every session's keywords, see filter.h */
};

#define ETW_CHANNEL_TRACELOGGING	11	/* the event's id means nothing */

/* EVENT_DATA_DESCRIPTOR: one piece of an event's payload. */
struct etw_data_descriptor {
	__u64 ptr;	/* address of the piece in the writer's address space */
	__u32 size;	/* bytes, may be 0 */
	__u32 reserved;	/* ETW_DATA_* in the low byte, if descriptors have types */
};

/*
 * EVENT_DATA_DESCRIPTOR.Type.  Data descriptors have types if the registration has
 * traits or has switched types on; otherwise the value is ignored.  All types but PAYLOAD
 * are not part of the payload, and an event may have at most one descriptor of each.
 * Other values are refused.
 */
#define ETW_DATA_PAYLOAD		0
#define ETW_DATA_EVENT_METADATA		1	/* becomes EVENT_SCHEMA */
#define ETW_DATA_PROVIDER_METADATA	2	/* becomes PROV_TRAITS, if there are no traits */
#define ETW_DATA_TIMESTAMP		3	/* __u64: header timestamp, see GIVEN_TIME */

/*
 * Traits are	u16 size of all the traits, a name (UTF-8) with its NUL, and chunks of
 *		u16 size, u8 type, data; all unaligned, little-endian
 * Chunk types 3 to 127 are reserved; 128 to 255 belong to the provider.  Event metadata
 * (TraceLogging) start with
 *		u16 size of all the metadata, tag bytes of which only the last has bit 7
 *		clear, the event's name with its NUL
 * Source: Microsoft's "Provider Traits" page and TraceLoggingProvider.h.
 */
#define ETW_TRAIT_GROUP		1	/* etw_guid: the provider's group */
#define ETW_TRAIT_DECODE	2	/* etw_guid: the provider whose schemas decode the events */

/* WMI_BUFFER_HEADER, 72 bytes at the start of every buffer. */
struct etw_buffer_header {
	__u32 buffer_size;	/* bytes this buffer takes on disk */
	__u32 saved_offset;	/* end of the last whole record */
	__u32 current_offset;	/* end of the last whole record */
	__s32 reference_count;	/* 0 */
	__s64 timestamp;	/* session clock, when the buffer was delivered */
	__s64 sequence;		/* 0, 1, 2... within the session, as delivered */
	__u64 clock;		/* ETW_CLOCK_* in bits 0-2, ticks per second above */
	__u16 processor;	/* CPU that wrote the events */
	__u16 logger_id;	/* session id */
	__u32 state;		/* ETW_BUFFER_STATE_FLUSH */
	__u32 offset;		/* bytes used, this header included */
	__u16 flags;		/* ETW_BUFFER_* */
	__u16 type;		/* ETW_BUFFER_TYPE_* */
	__s64 ref_time;		/* wall clock, 100 ns since 1601 ... */
	__s64 ref_clock;	/* ... and the session clock, when the buffer was begun or, in
				 * a file's first buffer, when the file was closed
				 */
};

/* EVENT_HEADER in a buffer, 80 bytes. */
struct etw_event_header {
	__u16 size;		/* header, items and payload; at most 65535 */
	__u16 type;		/* ETW_TYPE_* */
	__u16 flags;		/* ETW_EVENT_* */
	__u16 property;		/* 0 */
	__u32 thread_id;	/* in the initial PID namespace */
	__u32 process_id;	/* in the initial PID namespace */
	__s64 timestamp;	/* ticks of the session's clock */
	struct etw_guid provider;
	struct etw_event_descriptor desc;
	__u64 processor_time;	/* 0: ETW_EVENT_NO_CPUTIME is set */
	struct etw_guid activity;
};

/* Head of an extended item; data and padding follow. */
struct etw_ext_item {
	__u16 size;		/* head, data and padding; a multiple of 8 */
	__u16 type;		/* ETW_EXT_* */
	__u16 linkage;		/* bit 0: another item follows this one */
	__u16 data_size;	/* bytes of data after this head */
};

#define ETW_BUFFER_HEADER_SIZE	72
#define ETW_EVENT_HEADER_SIZE	80
#define ETW_EXT_ITEM_SIZE	8
#define ETW_RECORD_ALIGN	8
#define ETW_RECORD_MAX		65535	/* header, items and payload of one event */
#define ETW_DATA_MAX		128	/* data descriptors of one event */
#define ETW_TAIL_BYTE		0xFF	/* fills a buffer after its last record */

/* etw_event_header.type */
#define ETW_TYPE_EVENT64	0xC013	/* written by a 64-bit process or the kernel */
#define ETW_TYPE_EVENT32	0xC012	/* written by a 32-bit process */

/*
 * etw_event_header.flags; buffers hold only the first five, DECODE_GUID and one of the
 * last two
 */
#define ETW_EVENT_EXTENDED_INFO		0x0001
#define ETW_EVENT_PRIVATE_SESSION	0x0002
#define ETW_EVENT_STRING_ONLY		0x0004
#define ETW_EVENT_TRACE_MESSAGE		0x0008
#define ETW_EVENT_NO_CPUTIME		0x0010
#define ETW_EVENT_32_BIT_HEADER		0x0020	/* the reader adds it from type */
#define ETW_EVENT_64_BIT_HEADER		0x0040	/* the reader adds it from type */
#define ETW_EVENT_DECODE_GUID		0x0080	/* provider is the traits' decode GUID */
#define ETW_EVENT_CLASSIC_HEADER	0x0100
#define ETW_EVENT_PROCESSOR_INDEX	0x0200	/* the reader adds it from the buffer */

/*
 * Whether the kernel or a process wrote the event.  etw.ko sets one of them in every
 * event of a session, and a writer has no say in it.  Events from elsewhere have neither:
 * those of Windows, and those that a program adds to a file.  Classic records have no
 * room for it; only processes write them.
 *
 * Windows has defined EVENT_HEADER.Flags from bit 0 up to 0x0200 so far; these are the
 * last two bits, as far from the next ones as possible.  A reader tests the flags that it
 * knows, and Windows passes the others to the callback unchanged.  EventProperty, which
 * Windows fills from bit 0 too, would be one more thing to store with each event.
 */
#define ETW_EVENT_KERNEL_MODE		0x4000
#define ETW_EVENT_USER_MODE		0x8000

/* etw_buffer_header.flags */
#define ETW_BUFFER_FLUSH_MARKER		0x0001
#define ETW_BUFFER_EVENTS_LOST		0x0002	/* events were lost since the last buffer */
#define ETW_BUFFER_BUFFER_LOST		0x0004
#define ETW_BUFFER_BACKUP_LOST		0x0008	/* of a real-time session's backing file */
#define ETW_BUFFER_PROCESSOR_INDEX	0x0020	/* processor is a 16-bit index */
#define ETW_BUFFER_COMPRESSED		0x0040

/* etw_buffer_header.type */
#define ETW_BUFFER_TYPE_GENERIC		0
#define ETW_BUFFER_TYPE_HEADER		4

#define ETW_BUFFER_STATE_FLUSH		3

/* etw_buffer_header.clock, bits 0-2, and etw_session.clock */
#define ETW_CLOCK_QPC		1	/* TSC where trusted, else CLOCK_BOOTTIME in ns */
#define ETW_CLOCK_SYSTEM	2	/* 100 ns since 1601-01-01 UTC */
#define ETW_CLOCK_CYCLES	3	/* the CPU's cycle counter, else like SYSTEM */
#define ETW_CLOCK_TYPE_MASK	7
#define ETW_CLOCK_FREQ_SHIFT	3

/*
 * The kernel's record of a change of a session's clock: a TraceLogging event "ClockChange"
 * of this provider, which needs no enabling.  A session that began with the TSC counts in
 * its ticks to the end, by whatever clock, and its time stamps go on where they were.
 *
 *	Cause		string: "suspend" or "hibernation": the machine slept, or tried to;
 *			"the TSC is unstable"; "the TSC has jumped"
 *	Clock		string: what the session reads from now on
 *	From, To	u64, ticks of the session's clock: when the machine slept; or since
 *			when the time stamps may be wrong, and until when
 *	FromTime, ToTime  FILETIME: the same moments on the wall clock
 *	AsleepNs	u64: how long no instruction was executed
 */
#define ETW_CLOCK_PROVIDER_NAME	"Etw-Clock"
#define ETW_CLOCK_PROVIDER_GUID	\
	ETW_GUID(0x2aa509f8, 0x3eb5, 0x57fe, 0x0f, 0xef, 0x90, 0xf8, 0x00, 0xe9, 0xe1, 0xa8)

/*
 * etw_ext_item.type: EVENT_HEADER_EXT_TYPE_*.  EVENT_SCHEMA, PROV_TRAITS and
 * CONTROL_GUID come from the provider; they and the related activity are in every
 * session.  Other items are only in sessions that requested them with an enable
 * property.  In an event written by an interrupt, they describe the interrupted task.
 * abi_filter.h defines an application.  Control groups are version 2.
 */
#define ETW_EXT_RELATED_ACTIVITY	1	/* etw_guid */
#define ETW_EXT_SID			2	/* S-1-22-1-uid, 16 bytes; the effective uid */
#define ETW_EXT_TS_ID			3	/* __u32: audit login session id; 0: none */
#define ETW_EXT_INSTANCE_INFO		4	/* by the reader: u32 own, u32 parent's, etw_guid */
#define ETW_EXT_STACK_TRACE32		5
#define ETW_EXT_STACK_TRACE64		6
#define ETW_EXT_PSM_KEY			9	/* UTF-16 with its NUL: application */
#define ETW_EXT_EVENT_KEY		10	/* __u64: event's id, the same in all sessions */
#define ETW_EXT_EVENT_SCHEMA		11	/* TraceLogging metadata, its u16 size first */
#define ETW_EXT_PROV_TRAITS		12	/* traits or provider metadata, u16 size first */
#define ETW_EXT_PROCESS_START_KEY	13	/* __u64: unique to the process in this boot */
#define ETW_EXT_CONTROL_GUID		14	/* etw_guid: registered GUID, if not provider */
#define ETW_EXT_CONTAINER_ID		16	/* UTF-8 with its NUL: path of the cgroup */

/*
 * Item types of this project, outside Microsoft's range (1 to 0x12 so far).  Readers
 * skip items of unknown type by their size.  Windows passes them to the callback
 * unchanged, and its tools do not show them.
 */
#define ETW_EXT_PID_NAMESPACE		0x8001	/* etw_ext_pid_namespace */
/*
 * __u64, ticks of the session's clock: the timestamp that the writer gave, if events of that
 * time were already complete (complete_through of abi.h).  The header has the first time
 * that was not.  A given time in the future is replaced by the time of writing, without
 * an item.
 */
#define ETW_EXT_GIVEN_TIME		0x8002
#define ETW_EXT_CONTEXT			0x8003	/* etw_ext_context */
#define ETW_EXT_USER_STACK		0x8004	/* etw_ext_user_stack and the bytes behind it */

/*
 * The writer's ids in its own PID namespace, if that is not the initial one; written
 * together with CONTAINER_ID.  The header has the ids of the initial namespace.
 */
struct etw_ext_pid_namespace {
	__u32 process_id;
	__u32 thread_id;
	__u32 pid_namespace;	/* inode number of /proc/PID/ns/pid */
	__u32 reserved;		/* 0 */
};

/*
 * What the CPU was doing when the event was written.  In an interrupt the header's process
 * is only the one that was interrupted, and the flags and preempt_depth include what the
 * interrupted code had disabled.  Events of processes have the context TASK and nothing else.
 */
struct etw_ext_context {
	__u8  context;		/* ETW_CONTEXT_*: the innermost */
	__u8  flags;		/* ETW_CONTEXT_IRQS_OFF ... */
	__u16 preempt_depth;	/* preempt_disable() calls in force, where the kernel counts */
	__u32 reserved;		/* 0 */
};

/* etw_ext_context.context */
#define ETW_CONTEXT_TASK	0
#define ETW_CONTEXT_SOFTIRQ	1
#define ETW_CONTEXT_HARDIRQ	2
#define ETW_CONTEXT_NMI		3
#define ETW_CONTEXTS		4

/* etw_ext_context.flags */
#define ETW_CONTEXT_IRQS_OFF	0x1
#define ETW_CONTEXT_BH_OFF	0x2	/* by local_bh_disable() */
#define ETW_CONTEXT_IN_SOFTIRQ	0x4	/* a softirq was interrupted */
#define ETW_CONTEXT_IN_HARDIRQ	0x8	/* a hardirq was interrupted, by an NMI */

#define ETW_USER_STACK_REGISTERS	17
#define ETW_USER_STACK_MAX		32768

/*
 * A copy of a program's stack, in which a reader that has the program's files finds the callers by
 * their unwind tables.  It has the registers of the program, which DWARF numbers rax, rdx, rcx,
 * rbx, rsi, rdi, rbp, rsp, r8 to r15, rip.  The memory from the stack pointer to the last page
 * that was present follows, at most ETW_USER_STACK_MAX bytes; absent pages in it are zeros.
 */
struct etw_ext_user_stack {
	__u16 machine;		/* EM_X86_64 of ELF */
	__u16 absent;		/* a bit for each page, from the stack pointer's on */
	__u16 reserved[2];	/* 0 */
	__u64 registers[ETW_USER_STACK_REGISTERS];	/* by DWARF's numbers */
};

/* 100 ns intervals from 1601-01-01 to 1970-01-01 */
#define ETW_UNIX_EPOCH_100NS	116444736000000000LL

/* ------------------------------------------------------------------- losses */

/*
 * The class RT_LostEvent of ETW: types 32 to 34 are lost events, buffers and files.  etw.ko
 * writes one, with ETW_EVENT_KERNEL_MODE, in place of a driver's event that could not be read,
 * and refuses classic records of that class.
 */
#define ETW_LOST_EVENT_GUID	\
	ETW_GUID(0x6a399ae0, 0x4bc6, 0x4de9, 0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e)

/*
 * What a session loses is recorded in its own buffers, by events of the provider Etw-Ledger:
 * how many events of one CPU one cause cost, and within which interval.  Such an event
 * stands where there was room for it, in the first buffer that is delivered a grace period
 * after the loss or later, and has the time of that place.  The three times of its payload
 * are on one scale, so that noted, which is the header's time, relates the other two to
 * the events around it, even after a conversion to another clock.
 *
 *	header	:= level 3, channel TRACELOGGING, an EVENT_SCHEMA item with the fields'
 *		   names, a PROV_TRAITS item with the provider's name
 *	payload	:= etw_loss_payload  cause  session	(both UTF-8 with their NUL)
 *
 * In a session only etw.ko writes them, with ETW_EVENT_KERNEL_MODE.  A process may
 * register the provider, too, but its events have ETW_EVENT_USER_MODE.
 */
#define ETW_LEDGER_GUID	\
	ETW_GUID(0x608c6a3d, 0x092f, 0x5d17, 0x92, 0x5b, 0xf7, 0x39, 0x6c, 0x96, 0x8c, 0x03)

struct etw_loss_payload {
	__u32 code;		/* ETW_DROP_* of abi.h, or ETW_LOSS_* */
	__s32 cpu;		/* -1: any, or several */
	__s64 events;		/* -1: not known */
	__s64 buffers;		/* that held these events; -1: not known */
	__s64 first;		/* FILETIME of the first attempt ... */
	__s64 last;		/* ... and of the last one */
	__s64 noted;		/* FILETIME of the header's timestamp */
	struct etw_guid provider;	/* of all these events; zero: not known, or several */
};

/*
 * etw_loss_payload.code: lost after they were written; the word is what the payload has as
 * cause.  All but the first are losses of one stream: of what one consumer reads, or of one
 * log file.  Their records are in that stream only, in a buffer of their own, which has the
 * number, the processor and the times of the last buffer that is missing, and the flag
 * ETW_BUFFER_BUFFER_LOST.  It also has the records of the missing buffers, added up by
 * cause.  If there is no room for it at the end of a log file, the records stand in the
 * file's first buffer, with the time of its header.  There is also the record of buffers that
 * the disk lost after it had taken them: FILE_ERROR or DISK_FULL, with unknown numbers.
 * UNRECORDED and BEFORE_FILE are of programs that make a log file of others, its sources.
 */
#define ETW_LOSS_ABANDONED	0x100	/* abandoned: their writer, or one in their buffer, died */
#define ETW_LOSS_CONSUMER	0x101	/* consumer_slow: the consumer left them in the queue */
#define ETW_LOSS_UNREAD		0x102	/* unread: there was no consumer */
#define ETW_LOSS_FILE_SLOW	0x103	/* file_slow: the disk was too slow */
#define ETW_LOSS_FILE_ERROR	0x104	/* file_error: writing to the file failed */
#define ETW_LOSS_DISK_FULL	0x105	/* disk_full: ... because the disk or a quota was full */
#define ETW_LOSS_FILE_FULL	0x106	/* file_full: the file had reached its greatest size */
#define ETW_LOSS_FILE_CUT	0x107	/* file_cut: another process shortened the file */
#define ETW_LOSS_FILE_UNCLOSED	0x108	/* file_unclosed: who wrote the file before did not close it */
#define ETW_LOSS_UNRECORDED	0x109	/* unrecorded: in a source, which does not record what */
#define ETW_LOSS_BEFORE_FILE	0x10a	/* before_file: a source began later, as its mode allows */
#define ETW_LOSS_END		0x10b

/* ---------------------------------------------------------------- processes */

/*
 * etw.ko's own provider Etw-Process tells which process an id stands for: by a TraceLogging
 * event when a process starts, executes another program, gets another name and ends, and, on
 * ETW_CONTROL_CAPTURE, one for each process that exists.  Keyword ETW_PROCESS_KEYWORD, level 4.
 *
 *	payload	:= etw_process_payload  name  path	(both UTF-8 with their NUL)
 *		   [exit code s32  exit signal u32]	only ETW_PROCESS_STOP
 *
 * By keyword ETW_PROCESS_PROVIDERS it also writes when a process gives a provider a name, which
 * tells what the process called a GUID after it has ended: ETW_PROCESS_PROVIDER, with the GUID and
 * the name (UTF-8 with its NUL) as payload.
 *
 * The name of a process is at most 15 bytes, as in /proc/PID/comm.  The path is that of the executable as
 * its process sees it, or its last part if it has over 255 bytes.  It is empty for threads of
 * the kernel, and for RENAME and STOP, where it is that of the event before.
 */
#define ETW_PROCESS_GUID	\
	ETW_GUID(0x35c3c148, 0xe03f, 0x57d1, 0x43, 0x49, 0x73, 0x22, 0x64, 0xb0, 0x0b, 0x22)
#define ETW_PROCESS_KEYWORD	0x1
#define ETW_PROCESS_PROVIDERS	0x2

/* etw_event_descriptor.opcode; the event's name in comments */
#define ETW_PROCESS_START	1	/* ProcessStart: it was forked */
#define ETW_PROCESS_STOP	2	/* ProcessStop: its last thread ends */
#define ETW_PROCESS_RUNDOWN	3	/* ProcessRundown: it exists */
#define ETW_PROCESS_EXEC	10	/* ProcessExec: it has executed another program */
#define ETW_PROCESS_RENAME	11	/* ProcessRename */
#define ETW_PROCESS_PROVIDER	12	/* ProviderName: it names a provider */

struct etw_process_payload {
	__u32 pid;		/* in the initial PID namespace, as in headers */
	__u32 parent;
	__u64 start_key;	/* as in an ETW_EXT_PROCESS_START_KEY item */
	__s64 start;		/* FILETIME; each event computes it anew, to about a microsecond */
	__u32 namespace_pid;	/* in its own PID namespace */
	__u32 uid;		/* real user id, in the initial user namespace */
};

/* ------------------------------------------------------------------- images */

/*
 * etw.ko's own provider Etw-Image tells which file a process can execute at an address: by a
 * TraceLogging event for each file that is mapped executable, be it the program or a shared
 * library; and for each that is mapped already, when a session enables the provider and on
 * ETW_CONTROL_CAPTURE.  Keyword ETW_IMAGE_KEYWORD, level 4.
 *
 *	payload	:= etw_image_payload  length u16  build id  path (UTF-8 with its NUL)
 *	unknown	:= from u64  start key u64  pid u32
 *
 * A process that is forked has its parent's mappings; one that executes a program has none of
 * those that it had.  A later mapping replaces an earlier one at its addresses; those that are
 * not executable files have no event, nor has the end of one.  The build id is that of the linker,
 * or empty if it is not in the file's first page, or that is not in memory, or it is longer than 20
 * bytes.  The path is as that of Etw-Process, in the rundown from the root of the machine.
 */
#define ETW_IMAGE_GUID	\
	ETW_GUID(0x8856b9a4, 0xb242, 0x5735, 0x0c, 0xfa, 0x86, 0xd7, 0xc5, 0x6d, 0x32, 0x66)
#define ETW_IMAGE_KEYWORD	0x1

/* etw_event_descriptor.opcode; the event's name in comments.  As in Windows' class Image. */
#define ETW_IMAGE_RUNDOWN	3	/* ImageRundown: it is mapped */
#define ETW_IMAGE_LOAD		10	/* ImageLoad: it is being mapped */
#define ETW_IMAGE_UNKNOWN	11	/* ImagesUnknown: a process could not be asked from here on */

struct etw_image_payload {
	__u64 base;		/* address of the mapping */
	__u64 size;		/* bytes, whole pages */
	__u64 offset;		/* bytes, of the mapping's begin in the file */
	__u64 start_key;	/* as in etw_process_payload */
	__u32 pid;
} __attribute__((packed));

/* ----------------------------------------------------------------- counters */

/*
 * etw.ko's own provider Etw-Counters writes, every ETW_COUNTERS_MS while a session has it enabled
 * and on ETW_CONTROL_CAPTURE, the TraceLogging events "Memory" and, for each CPU that is online,
 * "Processor".  Level 4.  Bytes, and nanoseconds since the machine booted; faults, ReadBytes,
 * WrittenBytes and those of the swap are counted since then, too.
 */
#define ETW_COUNTERS_GUID	\
	ETW_GUID(0x9230afc9, 0x304c, 0x5ae9, 0xe5, 0xa9, 0x8d, 0x55, 0xe3, 0x75, 0xcd, 0x94)
#define ETW_COUNTERS_MEMORY	0x1	/* keyword of "Memory" */
#define ETW_COUNTERS_PROCESSOR	0x2	/* keyword of "Processor" */
#define ETW_COUNTERS_MS		1000

/* ------------------------------------------------------------------ machine */

/*
 * What a log file was recorded on: TraceLogging events of the provider Etw-Machine, which the
 * command appends to a file that is complete, with ETW_MACHINE_NOBODY as process and thread; to a
 * circular file the command's process writes them last. Level 4, keyword ETW_MACHINE_KEYWORD.
 * What the writer could not see has no field, so each event has its own; no field is 0 or empty
 * instead. Nor have addresses in a file that others than the writer may read.
 *
 *	Machine	BootId GUID, HostName, KernelRelease, KernelVersion, Architecture,
 *		Distribution: strings; Processors u32: online; MemoryBytes u64; PageSize u32
 *	Kernel	BootId, BuildId binary; Text, TextBegin, TextEnd: addresses of _text, _stext
 *		and _etext in that boot
 *	Cpu	BootId, Processor, Package, Core, Node, MHz u32: MHz is the greatest; Model string
 *	Module	BootId, Name string, Address, Size u64, BuildId
 *	Functions	names of addresses in stacks, by "etw symbolize": FileName string and
 *		BuildId of the file that has them; or ProcessId u32 of the process that compiled
 *		them; or neither: of the kernel. Places u64[]: offsets in that file, or addresses;
 *		those of what a call returns to are one less. Counts u8[]: so many functions are at
 *		each place, innermost first, each inlined into the next; Names, Images string[]: of
 *		all these, the image is the file's last part or the kernel's module, or empty;
 *		Offsets u64[]: of each place from the begin of its last function
 *
 * Beside those that are appended stand records of Windows' class SystemConfig, with
 * ETW_MACHINE_NOBODY as process and ETW_CONFIG_THREAD as thread, by which readers tell them from
 * Windows' events, which may be nobody's as well:
 * CPU, of version 2, NumaNode and one of Processors for each CPU.
 */
#define ETW_MACHINE_PROVIDER_NAME	"Etw-Machine"
#define ETW_MACHINE_GUID	\
	ETW_GUID(0x87e763a3, 0x6203, 0x5879, 0x3f, 0x11, 0x51, 0xd9, 0x2a, 0xa0, 0x28, 0x07)
#define ETW_MACHINE_KEYWORD	0x1
#define ETW_MACHINE_FUNCTIONS	"Functions"
#define ETW_MACHINE_NOBODY	0xFFFFFFFFu	/* process_id and thread_id */

#define ETW_CONFIG_GROUP	0x0B	/* high byte of the hook id of SystemConfig; low: the type */
#define ETW_CONFIG_THREAD	0xFFFFFFFEu	/* thread_id; Windows' are multiples of 4, or -1 */
#define ETW_CONFIG_CPU		10
#define ETW_CONFIG_NUMA_NODE	24
#define ETW_CONFIG_PROCESSORS	35

/* ------------------------------------------------------- classic providers */

/*
 * Records of classic providers.  Their size and type words are at the same offsets as those
 * of an etw_event_header, so a reader can tell them apart; they have the same padding and
 * no extended items.
 *
 *	event    := trace_header  payload
 *	instance := instance_header  payload
 *	message  := message_header  prefix  payload
 *	prefix   := [sequence u32] [GUID | component u32] [timestamp s64]
 *		    [thread u32, process u32]	selected by etw_message_header.options
 *
 * A message without a timestamp has the time of the record before it in its buffer, or the
 * buffer's reference time.
 *
 * Sources of the layout: Microsoft's EVENT_TRACE_HEADER and EVENT_TRACE pages, and the
 * headers of Windows' own .etl files.
 */

/* EVENT_TRACE_HEADER, 48 bytes */
struct etw_trace_header {
	__u16 size;		/* header and payload */
	__u16 type;		/* ETW_TYPE_FULL* */
	__u8  event_type;
	__u8  level;
	__u16 version;
	__u32 thread_id;	/* in the initial PID namespace */
	__u32 process_id;
	__s64 timestamp;	/* ticks of the session's clock */
	struct etw_guid guid;	/* event class */
	__u64 processor_time;	/* 0 */
};

/* EVENT_INSTANCE_HEADER, 72 bytes */
struct etw_instance_header {
	struct etw_trace_header trace;	/* type: ETW_TYPE_INSTANCE* */
	__u32 instance;
	__u32 parent;
	struct etw_guid parent_guid;
};

/* 8 bytes */
struct etw_message_header {
	__u16 size;		/* header, prefix and payload */
	__u16 type;		/* ETW_TYPE_MESSAGE */
	__u16 number;
	__u16 options;		/* ETW_MESSAGE_* */
};

#define ETW_TYPE_FULL32		0xC00A	/* written by a 32-bit process */
#define ETW_TYPE_FULL64		0xC014
#define ETW_TYPE_INSTANCE32	0xC00B
#define ETW_TYPE_INSTANCE64	0xC015
#define ETW_TYPE_MESSAGE	0x9000

/* etw_message_header.options: parts of the prefix */
#define ETW_MESSAGE_SEQUENCE	0x01
#define ETW_MESSAGE_GUID	0x02
#define ETW_MESSAGE_COMPONENT	0x04	/* not with GUID */
#define ETW_MESSAGE_TIMESTAMP	0x08
#define ETW_MESSAGE_PERFORMANCE	0x10	/* no effect: timestamps use the session's clock */
#define ETW_MESSAGE_SYSTEMINFO	0x20	/* thread and process */
#define ETW_MESSAGE_ALL		0x3f

/* ---------------------------------------------- the first buffer of a file */

/*
 *	file    := header_buffer  buffer*
 *	header_buffer := buffer_header (type HEADER)  system_header  log_header
 *			 logger name, file name (UTF-16, NUL-terminated)  0xFF...
 *
 * The header buffer's record has hook id 0 and version 2.  It is written when the file is
 * started; end_time, buffers_written and the loss counters are set when the file is closed,
 * so end_time 0 marks a file that was not closed.
 *
 * Sources of the layout: Microsoft's TRACE_LOGFILE_HEADER page and Windows' own files.
 */

/* SYSTEM_TRACE_HEADER, 32 bytes */
struct etw_system_header {
	__u16 version;
	__u16 type;		/* ETW_TYPE_SYSTEM64 */
	__u16 size;		/* header and payload */
	__u16 hook;		/* 0 */
	__u32 thread_id;
	__u32 process_id;
	__s64 timestamp;	/* session clock at log_header.start_time */
	__u64 processor_time;	/* 0 */
};

#define ETW_TYPE_SYSTEM64	0xC002

/* TIME_ZONE_INFORMATION, 172 bytes */
struct etw_time_zone {
	__s32 bias;		/* UTC minus local time, minutes */
	__u16 standard_name[32];
	__u16 standard_date[8];	/* SYSTEMTIME */
	__s32 standard_bias;
	__u16 daylight_name[32];
	__u16 daylight_date[8];
	__s32 daylight_bias;
};

/* TRACE_LOGFILE_HEADER of 64-bit systems, 280 bytes */
struct etw_log_header {
	__u32 buffer_size;	/* bytes */
	__u8  version[4];	/* major, minor, sub, sub minor: 10, 0, 1, 5 */
	__u32 provider_version;	/* build number of the system */
	__u32 processors;
	__s64 end_time;		/* FILETIME; 0: not closed */
	__u32 timer_resolution;	/* 100 ns */
	__u32 max_file_size;	/* MB, or KB if mode has KBYTES; 0: no limit */
	__u32 mode;		/* EVENT_TRACE_* */
	__u32 buffers_written;	/* in the file, the header buffer included */
	__u32 start_buffers;	/* 1 */
	__u32 pointer_size;	/* 8 */
	__u32 events_lost;
	__u32 cpu_mhz;
	__u64 logger_name;	/* 0: the names follow the structure */
	__u64 file_name;
	struct etw_time_zone zone;
	__u32 continued;	/* ETW_LOG_CONTINUED; padding on Windows, which ignores it */
	__s64 boot_time;	/* FILETIME */
	__s64 frequency;	/* ticks of the clock per second */
	__s64 start_time;	/* FILETIME */
	__u32 clock;		/* ETW_CLOCK_* */
	__u32 buffers_lost;
};

/* The session has gone on after this file was closed, with another one or without any. */
#define ETW_LOG_CONTINUED	1

#endif /* ETW_FORMAT_H */
