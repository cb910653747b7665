/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi.h - /dev/etw: ioctl numbers, structs and shared pages
 *
 * Rules that hold for every command:
 *  - The argument points to a struct whose first member is its size in bytes
 *    as the caller knows it.  A struct shorter than the first published version
 *    is EINVAL.  In a longer one, the bytes unknown to the kernel must be zero,
 *    else E2BIG.  The kernel writes back at most size bytes.
 *    This is how versions agree, without a number of a version: a struct only grows at
 *    its end, members added later mean with 0 what the kernel did before, and its
 *    first size, ETW_..._SIZE_FIRST, is accepted for ever.  A program older than the
 *    kernel gets all that it knows of.  To a program that is newer, a command or a member
 *    that it uses and the kernel lacks is ENOTTY or E2BIG; results that the kernel lacks
 *    stay as they were, so set them to 0.
 *  - Unknown flags, non-zero reserved members: EINVAL.  Unknown command: ENOTTY.
 *  - A pointer that the kernel cannot read or write: EFAULT, and nothing has changed.
 *    The kernel also probes output pointers before the command acts.  (An event
 *    whose payload cannot be read counts as lost.)  If another thread unmaps the
 *    memory after the probe, the kernel undoes START, REGISTER, NOTIFY and
 *    CONSUMER_OPEN; STOP, UPDATE, FLUSH and ENABLE stay in force; the buffer of a
 *    TAKE is returned and counts as lost to that consumer.
 *    No pointer needs to be aligned.
 *  - All commands need a right (abi_access.h), except UNREGISTER, NOTIFY, WRITE,
 *    CLASSIC, the commands on a consumer's file, and a PROVIDER_SET that joins no
 *    group.  By default every user may REGISTER and join a group; all other
 *    commands, including queries, need CAP_PERFMON in the initial user namespace.
 *    EPERM does not reveal whether the session or provider exists.
 *  - Pointers are u64, so a 32-bit caller on a 64-bit kernel uses the same
 *    structs and numbers.
 *  - Names are UTF-8 without a terminating NUL, with their length in bytes.
 *    An output name is a buffer of *_cap bytes.  The kernel writes at most *_cap
 *    bytes and sets *_len to the length of the whole name.
 *
 * errno as the library maps it (Win32 code):
 *	EINVAL       bad argument                  ERROR_INVALID_PARAMETER
 *	EFAULT       bad pointer                   ERROR_NOACCESS
 *	ENOENT       no such session               ERROR_WMI_INSTANCE_NOT_FOUND
 *	ESRCH        no such provider GUID         ERROR_WMI_GUID_NOT_FOUND
 *	EEXIST       session name or GUID taken,   ERROR_ALREADY_EXISTS
 *	             traits are set already
 *	ENOSPC       a limit is reached            ERROR_NO_SYSTEM_RESOURCES
 *	ENOMEM       out of memory                 ERROR_NOT_ENOUGH_MEMORY
 *	ENOBUFS      no free buffer, event lost;   ERROR_NOT_ENOUGH_MEMORY
 *	             all sessions have too many
 *	EMSGSIZE     event larger than the buffer, or too little room for filter
 *	             data                          ERROR_MORE_DATA
 *	EOVERFLOW    event over 64 KB              ERROR_ARITHMETIC_OVERFLOW
 *	EPERM        not allowed                   ERROR_ACCESS_DENIED
 *	EBADF        no such registration          ERROR_INVALID_HANDLE
 *	ESTALE       the registration belongs to another process (after fork);
 *	             the library registers again, in a vfork child for one event
 *	ETIMEDOUT    callbacks did not finish      ERROR_TIMEOUT
 *	ESHUTDOWN    session is stopping           ERROR_ACTIVE_CONNECTIONS
 *	ENAMETOOLONG name over 1024 bytes          ERROR_INVALID_PARAMETER
 *	EMFILE       no descriptor is free         ERROR_NO_SYSTEM_RESOURCES
 *	EAGAIN       nothing is pending (NOTIFY, TAKE, read with O_NONBLOCK)
 *	ENODATA      the session has stopped and all buffers were taken (TAKE);
 *	             a session wants the writer's stack (WRITE)
 *	EBUSY        the consumer already holds two buffers (TAKE); another change of
 *	             the session's file is not made yet (UPDATE)         ERROR_BUSY
 *	ENXIO        no such buffer (mmap of a consumer)
 *	EINTR        a signal ended the wait of ENABLE; the change is in force
 *	E2BIG, ENOTTY  see above                  ERROR_NOT_SUPPORTED
 *	EDQUOT       no space for a log file       ERROR_DISK_FULL
 *	EIO          the log file's disk failed    ERROR_IO_DEVICE
 *	             other errors of log files: struct etw_session_file below
 *
 * Commands may sleep.  Several threads may issue them at the same time.
 */
#ifndef ETW_ABI_H
#define ETW_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <etw/abi_access.h>
#include <etw/abi_filter.h>
#include <etw/abi_bpf.h>
#include <etw/abi_trace.h>
#include <etw/format.h>

#define ETW_DEVICE_PATH		"/dev/etw"

#define ETW_SESSIONS_MAX	64	/* default of the module's max_sessions */
#define ETW_PROVIDER_SESSIONS	8	/* sessions that may enable one provider */
#define ETW_NAME_MAX		1024	/* bytes of a session or provider name */
#define ETW_REGISTRATIONS_MAX	1024	/* registrations of one open file */
#define ETW_CONSUMERS_MAX	16	/* consumers of one session */
#define ETW_DISALLOW_MAX	1024	/* GUIDs of a session's disallow list */
#define ETW_BUFFER_KB_MIN	4
#define ETW_BUFFER_KB_MAX	16384
#define ETW_BUFFERS_MAX		60000	/* buffers of one session */
#define ETW_BUDGET_NONE		0xffffffff	/* etw_session.user_budget_kb: no limit */

#define ETW_IOC_MAGIC		0xE7
#define ETW_IOC(nr)		_IO(ETW_IOC_MAGIC, (nr))

/* On /dev/etw */
#define ETW_IOC_SESSION_START	ETW_IOC(0x01)	/* etw_session */
#define ETW_IOC_SESSION_STOP	ETW_IOC(0x02)	/* etw_session */
#define ETW_IOC_SESSION_QUERY	ETW_IOC(0x03)	/* etw_session */
#define ETW_IOC_SESSION_UPDATE	ETW_IOC(0x04)	/* etw_session */
#define ETW_IOC_SESSION_FLUSH	ETW_IOC(0x05)	/* etw_session */
#define ETW_IOC_SESSION_ENUM	ETW_IOC(0x06)	/* etw_session_enum */
#define ETW_IOC_SESSION_STAT	ETW_IOC(0x07)	/* etw_session_stat */
#define ETW_IOC_SESSION_CAPTURE	ETW_IOC(0x08)	/* etw_session_capture */
#define ETW_IOC_SESSION_SYSTEM	ETW_IOC(0x09)	/* etw_session_system */
#define ETW_IOC_SESSION_MISSED	ETW_IOC(0x0a)	/* etw_session_missed */
#define ETW_IOC_ENABLE		ETW_IOC(0x10)	/* etw_enable */
#define ETW_IOC_DISALLOW_SET	ETW_IOC(0x11)	/* etw_disallow */
#define ETW_IOC_DISALLOW_QUERY	ETW_IOC(0x12)	/* etw_disallow */
#define ETW_IOC_REGISTER	ETW_IOC(0x20)	/* etw_register */
#define ETW_IOC_UNREGISTER	ETW_IOC(0x21)	/* etw_unregister */
#define ETW_IOC_NOTIFY		ETW_IOC(0x22)	/* etw_notify */
#define ETW_IOC_PROVIDER_ENUM	ETW_IOC(0x23)	/* etw_provider_enum */
#define ETW_IOC_PROVIDER_QUERY	ETW_IOC(0x24)	/* etw_provider_query */
#define ETW_IOC_PROVIDER_SET	ETW_IOC(0x25)	/* etw_provider_set */
#define ETW_IOC_GROUP_ENUM	ETW_IOC(0x26)	/* etw_provider_enum */
#define ETW_IOC_GROUP_QUERY	ETW_IOC(0x27)	/* etw_group_query */
#define ETW_IOC_TRACE_EVENT	ETW_IOC(0x28)	/* etw_trace_event */
#define ETW_IOC_BPF_PROVIDER	ETW_IOC(0x29)	/* etw_bpf_provider */
#define ETW_IOC_WRITE		ETW_IOC(0x30)	/* etw_event_write */
#define ETW_IOC_CLASSIC		ETW_IOC(0x31)	/* etw_classic_write */
#define ETW_IOC_WRITE_MANY	ETW_IOC(0x32)	/* etw_write_many */
#define ETW_IOC_CONSUMER_OPEN	ETW_IOC(0x40)	/* etw_consumer_open */
#define ETW_IOC_ACCESS_SET	ETW_IOC(0x50)	/* etw_access */
#define ETW_IOC_ACCESS_QUERY	ETW_IOC(0x51)	/* etw_access */
#define ETW_IOC_ACCESS_REMOVE	ETW_IOC(0x52)	/* etw_access */
/* On the file that ETW_IOC_CONSUMER_OPEN returns */
#define ETW_IOC_BUFFER_TAKE	ETW_IOC(0x41)	/* etw_buffer_take */
#define ETW_IOC_BUFFER_GIVE	ETW_IOC(0x42)	/* etw_buffer_give */
#define ETW_IOC_CONSUMER_STAT	ETW_IOC(0x43)	/* etw_consumer_stat */

/* ------------------------------------------------------------- sessions */

/* etw_session.mode: the supported EVENT_TRACE_* logging modes */
#define ETW_MODE_SECURE			0x00000080	/* see abi_access.h */
#define ETW_MODE_REAL_TIME		0x00000100
#define ETW_MODE_BUFFERING		0x00000400
#define ETW_MODE_GLOBAL_SEQUENCE	0x00004000	/* messages: one count for all */
#define ETW_MODE_LOCAL_SEQUENCE		0x00008000	/* messages: one count per session */
#define ETW_MODE_SYSTEM			0x02000000	/* see etw_session_system */
#define ETW_MODE_INDEPENDENT		0x08000000
#define ETW_MODE_NO_PER_PROCESSOR	0x10000000	/* all CPUs share one buffer */

/*
 * A session, by handle or by name.  If name_len is not 0, the name selects the
 * session and the handle is ignored.  After every successful command, all members
 * marked "out" hold the session's state.
 *
 * START: in: name, guid (zero: the kernel makes one), buffer_kb, min_buffers,
 * max_buffers, flush_ms, clock, mode.  The kernel adjusts the three sizes as ETW
 * does, never refuses them, and returns the sizes in use: buffer_kb (0: 64)
 * rounds up to whole pages within 4..16384; min_buffers is at least 2 per
 * online CPU (2 with NO_PER_PROCESSOR); max_buffers (0: min_buffers + 20) is at
 * least min_buffers.  More than 60,000 buffers or 1/8 of RAM is ENOSPC.  ENOBUFS: with this
 * session the buffers of all would take more than max_memory_mb of the module's parameters.
 * ENOMEM: there is no memory; or the caller lacks CAP_IPC_LOCK, and their user would have locked
 * more than RLIMIT_MEMLOCK, which also limits the session's later growth.
 * mode: REAL_TIME and BUFFERING exclude each other; without a file one of them is
 * required.  The two SEQUENCE modes exclude each other.  A session with a file that
 * is not BUFFERING also takes the modes of "log files" below.  Only a REAL_TIME or
 * BUFFERING session has consumers.  A BUFFERING session has min_buffers buffers,
 * and as many again after its first snapshot.  SECURE: only registrations with
 * the right LOG_EVENT write to the session.  SYSTEM: ENOSPC if ETW_SYSTEM_SESSIONS_MAX of
 * them run.
 *
 * STOP: the name of the session is free again when STOP returns.  What waits for consumers
 * stays for them; without one it is discarded, and so is the ring of a BUFFERING session.
 * discarded_events has that number.
 *
 * Beyond these a session that is not BUFFERING has a reserve.  Once no other buffer is free,
 * it is for kernel modules, for users who hold less than their share of the buffers, and for
 * registrations that hold less than their part of their user's; events of the others are
 * lost (ETW_DROP_FAIR_SHARE).  buffers and free_buffers are without the reserve.
 *
 * UPDATE: max_buffers, flush_ms and user_budget_kb; 0 keeps the current value, and
 * ETW_BUDGET_NONE ends the budget.  file, if given,
 * replaces the current file, or ends it (ETW_FILE_END).
 *
 * FLUSH: returns once every event written before the call is in a delivered
 * buffer, and in the file if there is one; the file is then synced to its disk as by
 * fsync(2), whose error FLUSH returns.  This includes the session's former files.
 * If one of them is incomplete, or a buffer could not be written since the last FLUSH, the next
 * FLUSH returns that error, or each of several FLUSHes that run at that time.  It is no error
 * that a file has reached max_size: that is in etw_session_log.full.  ETIMEDOUT: a process with
 * ETW_REGISTER_FORWARDS did not write what it had within two seconds; it comes later, and all
 * else is delivered; a BUFFERING session does not fail for that.  A BUFFERING session passes
 * its ring to the file if it was started with one or the command names one, else to the
 * consumers.  flush_ms does that so many milliseconds after the first event of a buffer.  A
 * FLUSH, and a flush_ms below 100, interrupt the CPUs once or twice, but those that are idle or,
 * with nohz_full, in user mode.
 */
struct etw_session {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 handle;		/* in/out; never 0 */
	__u64 name;		/* in: char * */
	__u32 name_len;
	__u32 name_cap;		/* bytes of room at name_out */
	__u64 name_out;		/* out: char *, or 0 */
	__u32 name_out_len;	/* out */
	__u32 mode;		/* in/out ETW_MODE_* */
	struct etw_guid guid;	/* in/out */
	__u32 buffer_kb;	/* in/out */
	__u32 min_buffers;	/* in/out */
	__u32 max_buffers;	/* in/out */
	__u32 flush_ms;		/* in/out; 0 at start: 1000 if REAL_TIME */
	__u32 clock;		/* in/out ETW_CLOCK_*; 0: QPC */
	__u32 logger_id;	/* out, 1..64 */
	__u32 buffers;		/* out: buffers allocated */
	__u32 free_buffers;	/* out */
	__u32 buffers_written;	/* out: buffers delivered so far */
	__u32 events_lost;	/* out: events dropped by the write side, saturating */
	__u32 rt_buffers_lost;	/* out: buffers some consumer lost, saturating */
	__u32 worker_id;	/* out: 0, delivery has no thread of its own */
	__u64 clock_freq;	/* out: ticks per second of the session's clock */
	/* out: the same moment on three clocks, at start and at the last flush */
	__u64 start_clock;	/* session clock */
	__u64 start_mono;	/* CLOCK_MONOTONIC, ns; sync_mono adds time asleep since */
	__u64 start_wall;	/* 100 ns since 1601 */
	__u64 sync_clock;
	__u64 sync_mono;
	__u64 sync_wall;
	__u64 file;		/* in: struct etw_session_file *; START, UPDATE, FLUSH; else 0 */
	__u64 log;		/* in: struct etw_session_log *, filled if there is a file; or 0 */
	__u32 reserve_buffers;	/* out: further buffers, kept for others than a flooding process */
	__u32 user_budget_kb;	/* in/out: KB a second from each user's processes; 0: no limit */
	/* out: no consumer had taken them when the session stopped */
	__u64 discarded_buffers;
	__u64 discarded_events;
};

#define ETW_SESSION_SIZE_FIRST		184	/* before reserve_buffers */

struct etw_session_enum {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 handles;		/* out: __u64 *, room for capacity handles */
	__u32 capacity;
	__u32 count;		/* out: running sessions, may exceed capacity */
	__u32 limit;		/* out: sessions that may run at the same time */
	__u32 reserved;		/* 0 */
};

/* Why an event of a session was not written. */
#define ETW_DROP_NO_BUFFER	0	/* every buffer was full */
#define ETW_DROP_BUFFER_SIZE	1	/* larger than the session's buffers */
#define ETW_DROP_EVENT_SIZE	2	/* over 64 KB */
#define ETW_DROP_NESTING	3	/* too many writers nested on one CPU */
#define ETW_DROP_COPY_FAULT	4	/* the writer's memory could not be read */
#define ETW_DROP_DRAIN		5	/* a process could not write it (ETW_WRITE_LOST) */
#define ETW_DROP_FAIR_SHARE	6	/* few buffers were free, and its user had taken the most */
#define ETW_DROP_BUDGET		7	/* its user had written user_budget_kb that second */
#define ETW_DROP_PROBE		8	/* the kernel missed the probe (ETW_IOC_SESSION_MISSED), or
					 * does not report a trace event on a CPU: counts as one
					 */
#define ETW_DROP_CAUSES		9
#define ETW_DROP_FIRST_CAUSES	6	/* in etw_session_stat.dropped; see etw_stat_dropped() */
#define ETW_DROP_ROOM		16	/* more causes than that need another member */

/*
 * Delivery to one consumer.  events + events_lost + the events in the backlog = the
 * events delivered since the consumer was opened + those waiting when it was opened.
 */
struct etw_consumer_info {
	__u32 pid;		/* opener, in the initial PID namespace */
	__u32 held;		/* buffers the consumer holds now */
	__u64 buffers;		/* delivered to the consumer */
	__u64 events;
	__u64 buffers_lost;	/* dropped because the consumer was slow */
	__u64 events_lost;
	__u64 backlog;		/* buffers waiting for the consumer */
};

struct etw_session_stat {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 handle;		/* in; or name, as in etw_session */
	__u64 name;
	__u32 name_len;
	__u32 consumer_cap;	/* room at consumers, in entries */
	__u64 consumers;	/* out: struct etw_consumer_info *, or 0 */
	__u32 consumer_count;	/* out: open consumers, may exceed consumer_cap */
	union {
		__u32 reserved;		/* in: 0 */
		__u32 growth_refused;	/* out: times that memory for a buffer was refused */
	};
	__u64 written;		/* out: events written */
	__u64 dropped[ETW_DROP_FIRST_CAUSES];	/* out: events not written, by cause */
	__u64 buffers_delivered;	/* out */
	__u64 events_delivered;	/* out: events in those buffers */
	__u64 overwritten_buffers;	/* out: BUFFERING, evicted as the oldest */
	__u64 overwritten_events;	/* out */
	__u64 discarded_buffers;	/* out: delivered, but see etw_session */
	__u64 discarded_events;
	/*
	 * out: lost because a writer in the buffer died before it finished an event.  Once the
	 * session has stopped, written = events_delivered + overwritten + abandoned_events;
	 * the unfinished events, one or more in each buffer, are in none of these.
	 */
	__u64 abandoned_buffers;
	__u64 abandoned_events;
	/* out: events not written, by the causes after those of dropped */
	__u64 dropped_later[ETW_DROP_ROOM - ETW_DROP_FIRST_CAUSES];
	__u64 undecided;	/* out: filters that an event passed undecided: abi_filter.h */
};

#define ETW_SESSION_STAT_SIZE_FIRST	168	/* before dropped_later */

/* The number of events that were not written for a cause below ETW_DROP_ROOM. */
static inline __u64 etw_stat_dropped(const struct etw_session_stat *stat, __u32 cause)
{
	return cause < ETW_DROP_FIRST_CAUSES ? stat->dropped[cause] :
	       stat->dropped_later[cause - ETW_DROP_FIRST_CAUSES];
}

/* --------------------------------------------------------------- log files */

/*
 * A session that writes a log file.  A kernel thread writes the session's buffers, even
 * while others read them, with the credentials of the process that supplied the file; that
 * process may exit.  The kernel resolves no path: it gets an open file, or a directory in
 * which it creates files by their last path component.  The file's name is otherwise used
 * only in the file's header.
 *
 * A buffer that cannot be written (no space, an I/O error, a file that cannot be created)
 * is lost to the file and counted; the session continues, and so does the file with the
 * next buffer that can be written.  A file is complete once it is closed: at STOP, or when
 * another file replaces it.  STOP waits until the file is synced to its disk; a file that is
 * replaced is synced later, but UPDATE waits for a CIRCULAR one, which gets its end after that.
 * Its file system stays in use until then.
 *
 * If another process shortens the file, it is started again at the next write.  The buffers
 * of the session that it had are then lost to the file and counted with their events, but not
 * those that newer ones of a CIRCULAR file had overwritten.  To know the events of each buffer in
 * the circle takes 4 bytes of memory for each; without that memory, or with more than 1,048,576
 * buffers, events_lost counts only those since the circle last began again, and the record of the
 * loss (format.h) says that their number is not known.  So does the record for a file that was
 * appended to: it includes the buffers of earlier sessions, whose events nobody counted.
 *
 *	SEQUENTIAL	up to max_size; after that every buffer is lost to the file
 *	CIRCULAR	at max_size, new buffers overwrite the oldest
 *	NEWFILE		at max_size, creates the next file; needs dir, and %d in name
 *	APPEND		adds to an existing file, with SEQUENTIAL or alone; needs fd, open
 *			for reading too.  An empty file is started; any other must be a log
 *			with the same clock and buffer size, not CIRCULAR, and of this boot
 *			unless the clock is SYSTEM: else EINVAL.  If it was not closed or has
 *			lost its end, a record in its first buffer says so
 *	PREALLOCATE	gives each file max_size while it is written
 *	DELAY_OPEN	creates the file for the first buffer; needs dir
 *	KBYTES		max_size is in KB
 *
 * A created file has the permissions file_mode, less the umask of the creating task: the
 * caller, or a kernel thread with umask 022 for files created later.  The caller's limit on
 * file sizes (RLIMIT_FSIZE) applies to what is written before START or UPDATE returns, and
 * not later.  A file that loses its last name while it is written is still written, and its
 * error is ENOENT.
 *
 * BUFFERING with a file: nothing is written until FLUSH.  Each FLUSH creates the file
 * again, with what the session holds at that time and no reader has taken; dir is needed.
 * FLUSH of any BUFFERING session may name its own file: fd or dir.  FLUSH reserves the
 * space first where the file system can do so, so that running out of space leaves an old
 * file unchanged; after any other error the file is empty.  Until the file is complete, the
 * session keeps all of its content for the next FLUSH or reader.  max_size is ignored.
 *
 * At most one of SEQUENTIAL, CIRCULAR and NEWFILE; APPEND excludes the last two.  A file
 * without any of them is SEQUENTIAL.  CIRCULAR, NEWFILE and PREALLOCATE need a max_size of
 * three buffers or more.
 */
#define ETW_MODE_SEQUENTIAL		0x00000001
#define ETW_MODE_CIRCULAR		0x00000002
#define ETW_MODE_APPEND			0x00000004
#define ETW_MODE_NEWFILE		0x00000008
#define ETW_MODE_PREALLOCATE		0x00000020
#define ETW_MODE_DELAY_OPEN		0x00000200
#define ETW_MODE_KBYTES			0x00002000
#define ETW_MODE_FILE			0x0000222f	/* all of these */

#define ETW_FILE_NAME_MAX		1024	/* bytes of a file's name, %d replaced */
#define ETW_SYNC_MS_MIN			100	/* of etw_session_file.sync_ms */

/* etw_session_file.flags */
#define ETW_FILE_NEXT		0x1	/* UPDATE of a NEWFILE session: begin the next file */
/*
 * UPDATE: end the file and continue as a REAL_TIME session without one.  Events written
 * before the call are in the file.  Later ones go to the consumers; until the first consumer
 * opens, they wait for it.  Needs CREATE_REALTIME.  EINVAL: the session has no file, or is
 * BUFFERING.
 */
#define ETW_FILE_END		0x2

/*
 * etw_session.file of START; of UPDATE, which continues in the new file; and of FLUSH of a
 * BUFFERING session.  With ETW_FILE_NEXT or ETW_FILE_END the kernel reads only flags.
 * Errors besides those above: EBADF, not a file or not open for writing; EISDIR,
 * ESPIPE, not a regular file; ENOTDIR, dir is not a directory; ETXTBSY, another session
 * writes the file; EINVAL, open with O_APPEND or O_DIRECT; EDQUOT, no space for the first
 * buffer; and errors of the file system from creating or writing the file.
 */
struct etw_session_file {
	__u32 size;
	__u32 flags;		/* ETW_FILE_* */
	__s32 fd;		/* in: the file, truncated unless APPEND; -1: create in dir */
	__s32 dir;		/* in: directory for created files; -1: none */
	__u64 name;		/* in: char *; the part after the last / is created in dir */
	__u32 name_len;		/* in: at most ETW_FILE_NAME_MAX, 10 less with %d */
	__u32 file_mode;	/* in: permissions of created files, see open(2) */
	__u32 max_size;		/* in: MB, or KB with KBYTES; 0: no limit */
	__u32 first;		/* in: number of the first file of NEWFILE; 0: 1 */
	__u32 max_number;	/* in: the number after this one is 1; 0: no limit */
	__u32 sync_ms;		/* in: sync the file this often, at least 100; 0: never */
	__u64 zone;		/* in: struct etw_time_zone * for the header, or 0 */
};

/*
 * etw_session.log: out: the current file, or the last one.  error also reports a late
 * write-back error of the disk (EIO and the like).  The number of buffers lost by such an
 * error is unknown, so it stays set until the next file; from then on it is in former_error,
 * together with errors that are found when the former file is synced, and errors by which a
 * buffer of it was not written; those of the last file are in error once the session has stopped.
 */
struct etw_session_log {
	__u32 size;
	__u32 name_cap;		/* in: bytes of room at name */
	__u64 name;		/* in: char *, or 0 */
	__u32 name_len;		/* out: length of the whole name, bytes */
	__u32 error;		/* out: errno of the last buffer write; 0: it succeeded */
	__u32 max_size;		/* out: as given */
	__u32 number;		/* out: NEWFILE: number of the current file */
	__u32 buffers;		/* out: buffers in the file */
	__u32 full;		/* out: 1: a SEQUENTIAL file has reached max_size */
	__u64 bytes;		/* out: length of the file */
	__u64 buffers_lost;	/* out: by all of the session's files */
	__u64 events_lost;	/* out: events in buffers_lost */
	__u64 buffers_written;	/* out: to all of the session's files */
	__u32 former_error;	/* out: errno of the last former file that is incomplete; or 0 */
	__u32 sync_ms;		/* out: as given; 0 if no file is open */
};

/* ----------------------------------------------------------- capture state */

#define ETW_CAPTURE_MAX		64	/* providers of one session */

#define ETW_CAPTURE_SET		0x1

/*
 * ETW_IOC_SESSION_CAPTURE.  With SET: every period_s seconds the kernel sends
 * ETW_CONTROL_CAPTURE to each listed provider that the session has enabled.  The
 * list replaces the previous one; count 0 ends the requests.  EINVAL: more than 64
 * GUIDs, a zero GUID, or a period of 0.  SET checks, when called, the rights that
 * ETW_CONTROL_CAPTURE needs, for every provider listed.  Without SET: returns the
 * current list.
 */
struct etw_session_capture {
	__u32 size;
	__u32 flags;		/* ETW_CAPTURE_* */
	__u64 handle;
	__u64 guids;		/* struct etw_guid *: in with SET, else out */
	__u32 count;		/* in: entries at guids, or room for them; out: entries set */
	__u32 period_s;		/* in/out: seconds */
};

/* ----------------------------------------------------- the system's events */

#define ETW_SYSTEM_SESSIONS_MAX	8	/* sessions with ETW_MODE_SYSTEM */
#define ETW_SYSTEM_WORDS	8	/* of PERFINFO_GROUPMASK; the first are EVENT_TRACE_FLAG_ */

#define ETW_SYSTEM_SET		0x1

/*
 * ETW_IOC_SESSION_SYSTEM: what of the operating system a session with ETW_MODE_SYSTEM is to
 * record.  The kernel only keeps it, so that each controller finds what another one set; who
 * sets it enables the providers as well.  With SET: sets it and returns what was set before,
 * with the right to control the session.  Without: returns it, with that right or to query.
 * EINVAL: the session is none.
 */
struct etw_session_system {
	__u32 size;
	__u32 flags;		/* ETW_SYSTEM_SET */
	__u64 handle;
	__u32 enable[ETW_SYSTEM_WORDS];	/* in with SET; out */
	__u32 sample_interval;	/* in with SET; out: 100 ns between samples; 0: the usual one */
	__u32 reserved;		/* 0 */
};

/*
 * ETW_IOC_SESSION_MISSED: count events of a provider as lost, since the session's start at the
 * earliest (ETW_DROP_PROBE).  A controller that has made a probe knows how often the kernel
 * passed it without an event; etw.ko does not.  The right to control the session is needed.
 *
 * What a controller counts may go on when it has ended.  So the session keeps a count, which only
 * grows, as long as it has the provider enabled: with BEGIN the one that it begins with, unless it
 * has one; with SINCE it counts as lost what has come to it since, and keeps the new one.  ENOENT:
 * the session does not have the provider enabled, or, for SINCE, has not begun.
 */
#define ETW_MISSED_BEGIN	0x00000001
#define ETW_MISSED_SINCE	0x00000002

struct etw_session_missed {
	__u32 size;
	__u32 flags;		/* 0, or one of ETW_MISSED_ */
	__u64 handle;
	struct etw_guid provider;
	__u64 events;		/* 1 to 0xffffffff; with a flag the count, which may be any */
};

/* --------------------------------------------------------------- enable */

#define ETW_CONTROL_DISABLE	0
#define ETW_CONTROL_ENABLE	1
#define ETW_CONTROL_CAPTURE	2
#define ETW_CONTROL_WAIT	3	/* ETW_IOC_ENABLE only: after EINTR, see etw_enable */

/*
 * etw_enable.property: the supported EVENT_ENABLE_PROPERTY_*.  Properties that request
 * an extended item (format.h) apply to the events of this provider in this
 * session only.
 */
#define ETW_ENABLE_SID			0x1
#define ETW_ENABLE_TS_ID		0x2
#define ETW_ENABLE_STACK_TRACE		0x4	/* at most ETW_STACK_MAX frames */
#define ETW_ENABLE_PSM_KEY		0x8
#define ETW_ENABLE_IGNORE_KEYWORD_0	0x10	/* drop events without a keyword */
#define ETW_ENABLE_PROVIDER_GROUP	0x20	/* etw_enable.provider is a group's GUID */
#define ETW_ENABLE_PROCESS_START_KEY	0x80
#define ETW_ENABLE_EVENT_KEY		0x100
#define ETW_ENABLE_EXCLUDE_INPRIVATE	0x200	/* drop events with ETW_WRITE_INPRIVATE */
#define ETW_ENABLE_CONTAINER		0x800	/* SOURCE_CONTAINER_TRACKING */
/*
 * Of this project, far above Microsoft's: the item CONTEXT of format.h; and of the kernel's own
 * events (abi_trace.h), those as well that the session's readers cause, or its log file's thread
 */
#define ETW_ENABLE_CONTEXT		0x40000000
#define ETW_ENABLE_READERS		0x20000000
/*
 * Likewise the item USER_STACK of format.h: it makes events up to 32.2 KB larger.  Not for events
 * that bring their stack (stack_count), that it would make too large for the session's buffers or
 * for a record, nor for those of 32-bit programs and kernel threads.
 */
#define ETW_ENABLE_USER_STACK		0x10000000

#define ETW_STACK_MAX		192	/* frames of an event; the innermost are kept */

/*
 * Enable or disable a provider for a session, or request the provider's state.
 *
 * ENABLE replaces the session's earlier settings for this provider.  The provider
 * need not be registered yet.  DISABLE of a provider that is not enabled succeeds.
 * The ninth session of a provider gets ENOSPC; with a classic provider it replaces
 * the first session, if a later session selects every program.
 *
 * A PID filter selects once, among the user registrations that exist at the call, by
 * PIDs of the caller's PID namespace.  EVENT_ID and PAYLOAD filters drop events;
 * STACKWALK and STACKWALK_LEVEL_KW filters drop only their stacks.  An event must
 * pass all filters.
 *
 * With timeout_ms 0 the call returns at once.  Otherwise it waits at most that long for
 * the provider's callbacks, then returns ETIMEDOUT; the change stays in force.  It also
 * stays in force after EINTR.  ETW_CONTROL_WAIT, with no other member set but size and
 * timeout_ms, then resumes the wait of the last call on this file that a signal ended,
 * without calling the callbacks again; ENOENT if there is no such call.
 */
struct etw_enable {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 session;		/* handle */
	struct etw_guid provider;
	struct etw_guid source;	/* SourceId passed to the callback */
	__u32 control;		/* ETW_CONTROL_* */
	__u32 property;		/* ETW_ENABLE_* */
	__u64 any;		/* 0 counts as all ones */
	__u64 all;
	__u64 filters;		/* struct etw_filter * */
	__u32 filter_count;	/* at most one filter of each type */
	__u32 timeout_ms;	/* 0xFFFFFFFF: wait forever */
	__u8  level;		/* 0 counts as 255 */
	__u8  reserved[7];	/* 0 */
};

/* ------------------------------------------------ user-mode registrations */

#define ETW_REGISTER_NOTIFY	0x1	/* queue enable notifications */
#define ETW_REGISTER_CLASSIC	0x2	/* one session at a time; ETW_IOC_CLASSIC writes */
/*
 * With NOTIFY: the process writes events of other places, as those of a BPF program's ring, which
 * it has not written yet.  Before a session is flushed or stopped, disables the provider or enables
 * it anew, it asks for them as for state (ETW_CONTROL_CAPTURE), and waits, at most two seconds in
 * all, until the process has taken its next notification.  If it waited in vain, but for a flush,
 * and if the process ends without ETW_IOC_UNREGISTER, an unknown number of events counts as lost
 * (ETW_DROP_DRAIN).  EPERM without CAP_PERFMON.
 */
#define ETW_REGISTER_FORWARDS	0x4

/*
 * Register a provider for the calling process.  Closing the file ends the
 * registration.  Only the process that registered may use it; others get ESTALE.
 * ENOSPC: more than 1,024 registrations on one file, or more of one user than the
 * module parameter max_user_registrations allows.
 */
struct etw_register {
	__u32 size;
	__u32 flags;		/* ETW_REGISTER_* */
	struct etw_guid provider;
	__u64 name;		/* optional: char *, shown by PROVIDER_QUERY */
	__u32 name_len;
	__u32 slot;		/* out: index into the enable area */
	__u64 cookie;		/* in: returned in notifications */
};

struct etw_unregister {
	__u32 size;
	__u32 slot;
};

/*
 * Take the next enable notification of this file's registrations; EAGAIN if there
 * is none (poll reports POLLIN when there is one).  Taking a notification
 * acknowledges the one taken before it: an enable call with a timeout waits for the
 * acknowledgement.  A registration queues at most 8 notifications, then drops the
 * oldest, because each one holds the whole state.  Too little room for filter data
 * is EMSGSIZE; the notification stays queued.
 */
struct etw_notify {
	__u32 size;
	__u32 slot;		/* out */
	__u64 cookie;		/* out */
	struct etw_guid source;	/* out: SourceId, zero if not known */
	__u32 control;		/* out: ETW_CONTROL_*, the provider's state */
	__u32 level;		/* out: composite; classic: the session's */
	__u64 any;		/* out: composite; classic: the session's */
	__u64 all;		/* out: composite */
	__u32 dropped;		/* out: notifications dropped before this one */
	__u32 logger_id;	/* out: session of a classic registration; in: 0 */
	__u64 filter;		/* in: address for filter data, or 0: not wanted */
	__u32 filter_cap;	/* in: room there, bytes; ETW_FILTER_CHAIN_MAX always suffice */
	__u32 filter_len;	/* out: bytes of filter data, 0: none */
	__u32 filter_type;	/* out: ETW_FILTER_SCHEMATIZED, _TRACEHANDLE or _NONE */
	__u32 reserved2;	/* 0 */
};

/*
 * The enable area: mmap of /dev/etw at offset 0, PROT_READ, MAP_SHARED,
 * ETW_ENABLE_AREA_SIZE bytes.  Entry i belongs to registration slot i.  Only the
 * kernel writes it.  An update widens before it narrows, so a reader may
 * pass an event that the kernel then rejects, never the reverse.  An entry passes every
 * event after its registration has ended, for children that inherited the mapping.
 * A session may want an event if
 *	enabled && level <= entry.level &&
 *	(keyword ? (keyword & any) && (keyword & all) == all : keyword0)
 */
struct etw_enable_entry {
	__u8  enabled;		/* a session has this registration enabled */
	__u8  level;		/* highest level wanted; 255 for all */
	__u8  keyword0;		/* events with keyword 0 are wanted */
	__u8  sessions;		/* bit per enabling session */
	__u32 generation;	/* changes with every update */
	__u64 any;
	__u64 all;
	__u32 properties;	/* ETW_ENABLE_* of all enabling sessions */
	__u32 reserved;
};

#define ETW_ENABLE_AREA_SIZE	(ETW_REGISTRATIONS_MAX * sizeof(struct etw_enable_entry))

/* etw_event_write.flags */
#define ETW_WRITE_STRING_ONLY	0x1	/* payload is one NUL-terminated UTF-16 string */
#define ETW_WRITE_INPRIVATE	0x2	/* EVENT_WRITE_FLAG_INPRIVATE */
#define ETW_WRITE_ACTIVITY	0x4	/* activity is set */
#define ETW_WRITE_RELATED	0x8	/* related is set */
#define ETW_WRITE_CAN_WALK	0x10	/* the caller can supply its stack, see below */
#define ETW_WRITE_LOST		0x20	/* do not write but count, see below */

/*
 * Write one event.  Returns 0 and does nothing if no session wants the event.  If a
 * session wanted the event and did not get it, the call fails, unless all such
 * sessions are INDEPENDENT; the other sessions have the event in either case.
 *
 * If data descriptors have types (format.h), their total size, without the extended
 * items, is limited to 64 KB less the header.
 *
 * The kernel walks a process's stack by frame pointers only.  A caller with a better
 * unwinder supplies its stack.  With CAN_WALK it can first wait to see whether a
 * session wants one: the call then fails with ENODATA and writes nothing, and the
 * caller writes again with its stack, or without CAN_WALK.
 *
 * A child process that inherited the file but cannot open the device itself, so that it
 * has no registration, reports each event with LOST; a process that learns too late of several
 * gives their number, for which it needs CAP_PERFMON (EPERM).  They are counted as lost in the
 * sessions that would take them from the process that registered, and the call fails with ENOMEM
 * if they were counted in one that is not INDEPENDENT.  The data is not read.
 */
struct etw_event_write {
	__u32 size;
	__u32 slot;
	__u32 flags;
	__u32 data_count;	/* at most 128 */
	__u64 data;		/* struct etw_data_descriptor * */
	__u64 filter;		/* bit i excludes the session with logger id i + 1 */
	struct etw_event_descriptor desc;
	struct etw_guid activity;
	struct etw_guid related;
	__u64 stack;		/* __u64 *: return addresses, the innermost first */
	__u32 stack_count;	/* at most ETW_STACK_MAX; 0: the kernel walks it */
	__u32 lost;		/* with LOST: so many events, over 1 with CAP_PERFMON only; 0: one.
				 * Else 0
				 */
};

#define ETW_MANY_BYTES_MAX	262144	/* of the events of one ETW_IOC_WRITE_MANY */
#define ETW_MANY_TIME		0x1	/* etw_many_event.flags: time is set */

/*
 * An event of ETW_IOC_WRITE_MANY.  Its payload follows at once.  Its TraceLogging metadata, which
 * begin with their size as a u16, lie anywhere among the bytes of the command, and several events
 * can have the same: mostly behind the payload of the first one.
 */
struct etw_many_event {
	__u32 size;		/* up to the next event, a multiple of 8 */
	__u32 flags;		/* ETW_MANY_* */
	__u32 schema;		/* bytes from the first event to the metadata; 0: none */
	__u32 payload_len;	/* bytes */
	__u64 time;		/* as the data of ETW_DATA_TIMESTAMP: ticks of a session's clock */
	struct etw_event_descriptor desc;
};

/*
 * Write many events of one registration, in their order; each is written or lost as if
 * ETW_IOC_WRITE had written it, with activity 0.  For a process that writes what happened before,
 * elsewhere: it has no stack of its own that the events could have.
 *
 * The command ends at an event that is malformed or cannot be read, or for which there is no
 * memory, and when the process is being killed.  It fails if that is the first one, as
 * ETW_IOC_WRITE would; that event and those behind it are neither written nor counted.
 */
struct etw_write_many {
	__u32 size;
	__u32 slot;
	__u32 flags;		/* 0 */
	__u32 bytes;		/* at events; at most ETW_MANY_BYTES_MAX */
	__u64 events;		/* struct etw_many_event, one behind the other */
	__u64 filter;		/* as in etw_event_write */
	__u32 done;		/* out: bytes of the events before the command's end */
	__u32 lost;		/* out: of those, for so many ETW_IOC_WRITE would have failed */
};

/* ------------------------------------------------------- classic providers */

/*
 * A registration with ETW_REGISTER_CLASSIC is enabled by one session at a time: the last
 * one that enabled it.  When that session disables the registration or stops, no other
 * session replaces it.  Notifications carry the session, its level, and the low half of its
 * any mask, as that session requested them.  Levels and keywords do not filter the
 * provider's records: the provider itself checks them.
 */
#define ETW_CLASSIC_EVENT	0
#define ETW_CLASSIC_INSTANCE	1
#define ETW_CLASSIC_MESSAGE	2
#define ETW_CLASSIC_LOST	3	/* as ETW_WRITE_LOST; uses slot and logger_id only */

/*
 * ETW_IOC_CLASSIC: write one record to the session that has enabled a classic
 * registration of the calling process.  ENOENT: the session with that logger id has
 * not enabled it, or no longer; no loss is counted.  EINVAL: the registration is not
 * classic.  EACCES: the class is ETW_LOST_EVENT_GUID, or a kernel module holds the
 * registration's GUID.  The call fails if the record was lost, unless the session is INDEPENDENT.
 * Members that the kind does not use are 0.
 */
struct etw_classic_write {
	__u32 size;
	__u32 slot;
	__u32 kind;		/* ETW_CLASSIC_* */
	__u32 logger_id;
	struct etw_guid guid;	/* event class; MESSAGE: its GUID, or its component in data1 */
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

/* --------------------------------------------------- enumerating providers */

struct etw_provider_enum {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 guids;		/* out: struct etw_guid * */
	__u32 capacity;		/* room at guids, in entries */
	__u32 count;		/* out: GUIDs registered or enabled, may exceed capacity */
};

/* etw_provider_reg.flags, besides ETW_REGISTER_* */
#define ETW_REG_KERNEL	0x80000000	/* a kernel module's registration */
#define ETW_REG_TRAITS	0x40000000	/* the registration has traits */
#define ETW_REG_REFUSED	0x20000000	/* a kernel module holds its GUID, see abi_access.h */
#define ETW_REG_SYSTEM	0x10000000	/* KERNEL, and its events come from processes, which filters select */

struct etw_provider_reg {
	__u32 pid;		/* in the caller's PID namespace; 0: not visible there */
	__u32 flags;		/* ETW_REGISTER_*, ETW_REG_* */
	__u64 sessions;		/* bit i: enabled by the session with logger id i + 1 */
	char  module[56];	/* kernel module or comm of the process */
	struct etw_guid group;	/* zero: member of no group */
	__u64 refused;		/* writes that failed because of ETW_REG_REFUSED */
};

struct etw_provider_enable {
	__u64 session;		/* handle */
	__u64 any;
	__u64 all;
	__u32 property;
	__u16 logger_id;
	__u8  level;
	__u8  pid_filtered;	/* 1: the session uses a PID filter */
	__u32 filters;		/* OR of the low 16 bits of their types, and SCHEMATIZED */
	__u32 reserved;
};

/*
 * name is the name that a kernel module registered.  A name registered by a process
 * is returned only if no module has registered the GUID, because every user may
 * register any GUID under any name.
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

/* ------------------------------------------------------- traits and groups */

/* Source: Microsoft's "Provider Traits", EventSetInformation, TRACE_QUERY_INFO_CLASS pages. */

/* etw_provider_set.flags */
#define ETW_SET_TRAITS	0x1	/* once: then EEXIST */
#define ETW_SET_TYPES	0x2

/*
 * Set properties of one of the caller's registrations; it must not be classic.
 * Traits (layout: format.h) are attached to each event as an item PROV_TRAITS.  They can
 * also make the registration a member of a group (needs JOIN_GROUP on the group), give
 * the GUID that decodes its events, and name it if it has no name.  Traits switch on
 * the types of data descriptors, which are otherwise ignored.  ENOSPC: the traits of the
 * caller's user would exceed the bytes that the module parameter max_user_traits allows.
 */
struct etw_provider_set {
	__u32 size;
	__u32 slot;
	__u32 flags;		/* ETW_SET_*, at least one */
	__u32 types;		/* SET_TYPES: 1: data descriptors have types; 0: they do not */
	__u64 traits;		/* SET_TRAITS: address */
	__u32 traits_len;	/* bytes; must match the size in the traits */
	__u32 reserved;		/* 0 */
};

/*
 * Provider groups.  A registration joins a group by its traits (PROVIDER_SET).  With
 * PROVIDER_GROUP all three controls of ENABLE apply to a group: to its members, and
 * to registrations that join later.  A group and a provider may have the same GUID
 * without being related.  Filters by event ids, names or payloads are refused (EINVAL).
 * At most eight sessions enable a group (ENOSPC).
 *
 * A session that enables both a provider and its group gets an event, once, if either
 * of the two settings accepts it, with the items that the accepting settings request.
 * A registration has at most eight sessions: first those that enable the provider
 * itself, then those that enable its group.  A session left out gets a place when
 * another session gives one up; etw_provider_reg.sessions shows the sessions in place.
 *
 * DISALLOW_SET replaces the session's list of providers that its groups exclude.  It
 * takes effect at once, also for groups already enabled.  ENABLE of the provider
 * itself is not affected.  DISALLOW_QUERY returns the list.
 */
struct etw_disallow {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 session;		/* handle */
	__u64 guids;		/* SET: in; QUERY: out: struct etw_guid * */
	__u32 capacity;		/* QUERY: room at guids; SET: 0 */
	__u32 count;		/* SET: in, at most 1,024; QUERY: out, may exceed capacity */
};

struct etw_group_member {
	struct etw_guid provider;
	struct etw_provider_reg reg;
};

/*
 * GROUP_ENUM returns the GUIDs of groups that have members or are enabled, like
 * PROVIDER_ENUM for providers.  GROUP_QUERY returns the group's members whose providers
 * the caller may QUERY.  ESRCH: there is no such group.
 */
struct etw_group_query {
	__u32 size;
	__u32 flags;		/* 0 */
	struct etw_guid group;
	__u64 members;		/* out: struct etw_group_member * */
	__u32 member_cap;
	__u32 member_count;	/* out */
	__u64 enables;		/* out: struct etw_provider_enable * */
	__u32 enable_cap;
	__u32 enable_count;	/* out */
};

/* -------------------------------------------------------------- consumers */

/*
 * Open a consumer: a file of its own, for read, poll, mmap and the BUFFER
 * commands.  The first consumer of a session starts with the buffers delivered before
 * it was opened; later ones start with buffers delivered from now on.
 * The file needs no further rights and may be passed to another process.
 *
 * read: returns as many whole buffers as fit; room for less than one buffer is
 * EINVAL.  Blocks, or EAGAIN with O_NONBLOCK.  Returns 0 once the session has
 * stopped and everything was read.
 * mmap: PROT_READ, MAP_SHARED, whole buffers, offset = buffer index * buffer
 * size.  Indices start at 1 and go on through the reserve and a buffer for each consumer;
 * ENXIO for a buffer that does not exist (yet), or whose memory was given back.  Memory that a
 * consumer has mapped once is not given back before the session ends, so map what TAKE
 * returns.
 *
 * Where the consumer lost buffers, one that records them comes first (format.h, "losses").
 * No counter includes it.
 */
struct etw_consumer_open {
	__u32 size;
	__u32 flags;		/* O_NONBLOCK, O_CLOEXEC */
	__u64 session;		/* handle; or name, as in etw_session */
	__u64 name;
	__u32 name_len;
	__s32 fd;		/* out */
	__u32 buffer_size;	/* out: bytes */
	__u32 clock;		/* out: ETW_CLOCK_* */
	__u64 clock_freq;	/* out: ticks per second */
};

/*
 * Take the next buffer without copying it.  It starts at index * buffer_size of
 * the mapping and belongs to the caller until GIVE or until the file is closed.  A
 * consumer holds at most two buffers, and one of those that record losses (EBUSY).  EAGAIN
 * if no buffer is waiting (index is 0 then, and the complete_* members are valid); ENODATA
 * if the session has stopped and all buffers were taken.
 *
 * complete_through (session clock, ticks; 0: not known): every event with a timestamp
 * up to this one is in a buffer with a sequence number below complete_sequence.  A
 * consumer that has read those buffers may merge the CPUs' events up to this time.
 * poll reports POLLPRI when complete_through has changed since the last TAKE returned
 * it.  The promise does not hold if a wall clock is set back (ETW_CLOCK_SYSTEM).
 */
struct etw_buffer_take {
	__u32 size;
	__u32 flags;		/* ETW_TAKE_PEEK */
	__u32 index;		/* out */
	__u32 used;		/* out: bytes filled */
	__u64 sequence;		/* out */
	__u64 events;		/* out: records in it, without those of format.h's "losses" */
	__u64 complete_through;	/* out */
	__u64 complete_sequence;	/* out */
};

#define ETW_TAKE_PEEK	0x1	/* only the complete_* members, take nothing */

struct etw_buffer_give {
	__u32 size;
	__u32 index;
};

struct etw_consumer_stat {
	__u32 size;
	__u32 flags;		/* 0 */
	struct etw_consumer_info info;	/* out */
};

#endif /* ETW_ABI_H */
