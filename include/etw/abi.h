/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi.h - /dev/etw: ioctl numbers, structs and shared pages
 *
 * Rules that hold for every command:
 *  - The argument points to a struct whose first member is its size in bytes
 *    as the caller knows it.  A shorter struct than the first published one
 *    is EINVAL.  A longer one is fine while the bytes the kernel does not know
 *    are zero, else E2BIG.  The kernel writes back at most size bytes.
 *  - Unknown flags, non-zero reserved members: EINVAL.  Unknown command: ENOTTY.
 *  - A pointer the kernel cannot read or write: EFAULT; nothing has changed then.
 *    That goes for places of results too: they are probed before the command acts.
 *    (An event whose payload cannot be read is counted as lost.)  If another
 *    thread takes the memory away in between, START, REGISTER, NOTIFY and
 *    CONSUMER_OPEN are undone; STOP, UPDATE, FLUSH and ENABLE have been done; a
 *    buffer of TAKE goes back and counts as lost to that consumer.
 *    No pointer needs to be aligned.
 *  - Everything but UNREGISTER, NOTIFY, WRITE, CLASSIC and the commands on a
 *    consumer's file needs a right, see abi_access.h, PROVIDER_SET only where it joins
 *    a group; unless lists say otherwise anybody may REGISTER and join, and the rest,
 *    looking included, needs CAP_PERFMON in the initial user namespace.  EPERM,
 *    before anything is told of what exists.
 *  - Pointers are u64, so a 32-bit caller on a 64-bit kernel uses the same
 *    structs and numbers.
 *  - Names are UTF-8 without a terminating NUL, their length given in bytes.
 *    An output name is a buffer with room for *_cap bytes; *_len comes back as
 *    the length the whole name has, and no more than *_cap bytes are written.
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
 *	ENOBUFS      no free buffer, event lost    ERROR_NOT_ENOUGH_MEMORY
 *	EMSGSIZE     event larger than the buffer, or too little room for filter
 *	             data                          ERROR_MORE_DATA
 *	EOVERFLOW    event over 64 KB              ERROR_ARITHMETIC_OVERFLOW
 *	EPERM        not allowed                   ERROR_ACCESS_DENIED
 *	EBADF        no such registration          ERROR_INVALID_HANDLE
 *	ESTALE       the registration belongs to another process (after fork)
 *	             the library registers anew, or drops the event in a vfork child
 *	ETIMEDOUT    callbacks did not finish      ERROR_TIMEOUT
 *	ESHUTDOWN    session is stopping           ERROR_ACTIVE_CONNECTIONS
 *	ENAMETOOLONG name over 1024 bytes          ERROR_INVALID_PARAMETER
 *	EMFILE       no descriptor is free         ERROR_NO_SYSTEM_RESOURCES
 *	EAGAIN       nothing waits (NOTIFY, TAKE, read with O_NONBLOCK)
 *	ENODATA      the session has stopped and all was taken (TAKE); the event
 *	             wants the writer's stack (WRITE)
 *	EBUSY        two buffers are held already (TAKE)
 *	ENXIO        no such buffer (mmap of a consumer)
 *	EINTR        a signal ended the wait of ENABLE; the change is in force
 *	E2BIG, ENOTTY  see above                  ERROR_NOT_SUPPORTED
 *	EDQUOT       no space for a file           ERROR_DISK_FULL
 *	EIO          its disk failed               ERROR_IO_DEVICE
 *	             of files: see "log files" below
 *
 * Commands may sleep and may be issued by several threads at once.
 */
#ifndef ETW_ABI_H
#define ETW_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <etw/abi_access.h>
#include <etw/abi_filter.h>
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
#define ETW_IOC_WRITE		ETW_IOC(0x30)	/* etw_event_write */
#define ETW_IOC_CLASSIC		ETW_IOC(0x31)	/* etw_classic_write */
#define ETW_IOC_CONSUMER_OPEN	ETW_IOC(0x40)	/* etw_consumer_open */
#define ETW_IOC_ACCESS_SET	ETW_IOC(0x50)	/* etw_access */
#define ETW_IOC_ACCESS_QUERY	ETW_IOC(0x51)	/* etw_access */
#define ETW_IOC_ACCESS_REMOVE	ETW_IOC(0x52)	/* etw_access */
/* On the file that ETW_IOC_CONSUMER_OPEN returns */
#define ETW_IOC_BUFFER_TAKE	ETW_IOC(0x41)	/* etw_buffer_take */
#define ETW_IOC_BUFFER_GIVE	ETW_IOC(0x42)	/* etw_buffer_give */
#define ETW_IOC_CONSUMER_STAT	ETW_IOC(0x43)	/* etw_consumer_stat */

/* ------------------------------------------------------------- sessions */

/* etw_session.mode: the EVENT_TRACE_* logging modes that are known here */
#define ETW_MODE_SECURE			0x00000080	/* see abi_access.h */
#define ETW_MODE_REAL_TIME		0x00000100
#define ETW_MODE_BUFFERING		0x00000400
#define ETW_MODE_GLOBAL_SEQUENCE	0x00004000	/* numbers of messages: of all such */
#define ETW_MODE_LOCAL_SEQUENCE		0x00008000	/* sessions, or of this one */
#define ETW_MODE_INDEPENDENT		0x08000000
#define ETW_MODE_NO_PER_PROCESSOR	0x10000000	/* all CPUs share one buffer */

/*
 * A session by handle or by name.  When name_len is not 0 the name decides
 * and the handle is ignored.  On success of every command all members marked
 * "out" hold the session's state after the command.
 *
 * START: in name, guid (zero: one is made), buffer_kb, min_buffers,
 * max_buffers, flush_ms, clock, mode.  The three sizes are corrected as ETW
 * corrects them, never refused, and come back as used: buffer_kb (0: 64)
 * rounds up to whole pages within 4..16384, min_buffers is at least 2 per
 * online CPU (2 with NO_PER_PROCESSOR), max_buffers (0: min_buffers + 20) at least min_buffers.  More
 * than 60,000 buffers or 1/8 of RAM is ENOSPC.  mode holds REAL_TIME or
 * BUFFERING, never both, nor both kinds of SEQUENCE; with a file neither of them is
 * needed, and without BUFFERING there are the modes of "log files" below.  Only a session that is REAL_TIME or
 * BUFFERING has consumers.  A BUFFERING session has
 * min_buffers buffers, and as many again once a snapshot was taken.  SECURE:
 * only who has the right to LOG_EVENT writes to it.
 * UPDATE: max_buffers and flush_ms, 0 leaves them as they are; file, if given, takes
 * the place of the one there is, or ends it: ETW_FILE_END.  The name of
 * a started session is free again as soon as STOP returns.
 * FLUSH: returns once every event written before the call is in a delivered
 * buffer, and in the file if there is one; a BUFFERING session hands its ring over to
 * the consumers, or, if it was started with a file or the command names one, to that.
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
	__u32 flush_ms;		/* in/out; 0 at start: 1000 if REAL_TIME; at least 1000 */
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
	__u64 start_mono;	/* CLOCK_MONOTONIC, ns */
	__u64 start_wall;	/* 100 ns since 1601 */
	__u64 sync_clock;
	__u64 sync_mono;
	__u64 sync_wall;
	__u64 file;		/* in: struct etw_session_file *; START, UPDATE, FLUSH; else 0 */
	__u64 log;		/* in: struct etw_session_log *, filled if there is a file; 0 */
};

struct etw_session_enum {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 handles;		/* out: __u64 *, room for capacity handles */
	__u32 capacity;
	__u32 count;		/* out: sessions running, may exceed capacity */
	__u32 limit;		/* out: sessions that may run at once */
	__u32 reserved;		/* 0 */
};

/* Why an event of a session was not written. */
#define ETW_DROP_NO_BUFFER	0	/* every buffer was full */
#define ETW_DROP_BUFFER_SIZE	1	/* larger than the session's buffers */
#define ETW_DROP_EVENT_SIZE	2	/* over 64 KB */
#define ETW_DROP_NESTING	3	/* too many writers nested on one CPU */
#define ETW_DROP_COPY_FAULT	4	/* the writer's memory could not be read */
#define ETW_DROP_DRAIN		5	/* lost between a process buffer and the session */
#define ETW_DROP_CAUSES		6

/*
 * Delivery to one consumer.  events + events_lost = what the session delivered
 * since the consumer was opened, with the backlog it found, less its backlog.
 */
struct etw_consumer_info {
	__u32 pid;		/* opener, in the initial PID namespace */
	__u32 held;		/* buffers it holds at the moment */
	__u64 buffers;		/* delivered to it */
	__u64 events;
	__u64 buffers_lost;	/* dropped because it was slow */
	__u64 events_lost;
	__u64 backlog;		/* buffers waiting for it */
};

struct etw_session_stat {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 handle;		/* in, or by name as in etw_session */
	__u64 name;
	__u32 name_len;
	__u32 consumer_cap;	/* room at consumers */
	__u64 consumers;	/* out: struct etw_consumer_info *, or 0 */
	__u32 consumer_count;	/* out: consumers open, may exceed consumer_cap */
	__u32 reserved;		/* 0 */
	__u64 written;		/* out: events written */
	__u64 dropped[ETW_DROP_CAUSES];	/* out: events not written, by cause */
	__u64 buffers_delivered;	/* out */
	__u64 events_delivered;	/* out: events in those buffers */
	__u64 overwritten_buffers;	/* out: BUFFERING, evicted as the oldest */
	__u64 overwritten_events;	/* out */
	/* out: of the delivered, those for which nobody was there at stop */
	__u64 discarded_buffers;
	__u64 discarded_events;
};

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
 * another file replaces it.  Its file system stays in use until then.
 *
 *	SEQUENTIAL	up to max_size; after that every buffer is lost to the file
 *	CIRCULAR	at max_size, new buffers overwrite the oldest
 *	NEWFILE		at max_size, creates the next file; needs dir, and %d in name
 *	APPEND		adds to an existing file, with SEQUENTIAL or alone; needs fd, open
 *			for reading too.  An empty file is started; any other must be a log
 *			of this boot with the same clock and buffer size: else EINVAL
 *	PREALLOCATE	gives each file max_size while it is written
 *	DELAY_OPEN	creates the file for the first buffer; needs dir
 *	KBYTES		max_size is in KB
 *
 * A created file has the permissions file_mode, less the umask of whoever creates it: the
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

/* etw_session_file.flags */
#define ETW_FILE_NEXT		0x1	/* UPDATE of a NEWFILE session: begin the next file */
/*
 * UPDATE: end the file, and be REAL_TIME without one.  What was written before is in the
 * file, what comes after it is for readers, for the first of them if there is none yet.
 * Takes CREATE_REALTIME.  EINVAL: the session has no file, or is BUFFERING.
 */
#define ETW_FILE_END		0x2

/*
 * etw_session.file of START; of UPDATE, which goes on in the new file; and of FLUSH of a
 * BUFFERING session.  With ETW_FILE_NEXT or ETW_FILE_END only flags count.  Other
 * errors than those of abi.h: EBADF, not a file or not open for writing; EISDIR,
 * ESPIPE, no regular file; ENOTDIR, no directory; ETXTBSY, another session writes it;
 * EINVAL, open with O_APPEND or O_DIRECT; EDQUOT, no space for the first buffer; and
 * what making or writing the file says.
 */
struct etw_session_file {
	__u32 size;
	__u32 flags;		/* ETW_FILE_* */
	__s32 fd;		/* in: the file, truncated unless APPEND; -1: made in dir */
	__s32 dir;		/* in: where files are made; -1: nowhere */
	__u64 name;		/* in: char *; the part after the last / is made in dir */
	__u32 name_len;		/* at most ETW_FILE_NAME_MAX, 10 less with %d */
	__u32 file_mode;	/* in: permissions of files that are made, see open(2) */
	__u32 max_size;		/* in: MB or KB; 0: no limit */
	__u32 first;		/* in: number of the first file of NEWFILE; 0: 1 */
	__u32 max_number;	/* in: after it comes 1 again; 0: no such */
	__u32 reserved;		/* 0 */
	__u64 zone;		/* in: struct etw_time_zone * for the header, or 0 */
};

/*
 * etw_session.log: out, the file that is written, or the last one.  error is also what the
 * disk said later of something that it had taken (EIO and the like): how many buffers are
 * lost by that nobody knows, so it stays until the next file.
 */
struct etw_session_log {
	__u32 size;
	__u32 name_cap;		/* in: bytes of room at name */
	__u64 name;		/* in: char *, or 0 */
	__u32 name_len;		/* out: of the whole name */
	__u32 error;		/* out: errno of the last buffer that was tried; 0: written */
	__u32 max_size;		/* out: as given */
	__u32 number;		/* out: of NEWFILE */
	__u32 buffers;		/* out: in the file */
	__u32 full;		/* out: 1: SEQUENTIAL, at its max_size */
	__u64 bytes;		/* out: its length */
	__u64 buffers_lost;	/* out: to the session's files, all of them */
	__u64 events_lost;	/* out: in these */
	__u64 buffers_written;	/* out: to all of them */
};

/* ----------------------------------------------------------- capture state */

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

/* --------------------------------------------------------------- enable */

#define ETW_CONTROL_DISABLE	0
#define ETW_CONTROL_ENABLE	1
#define ETW_CONTROL_CAPTURE	2
#define ETW_CONTROL_WAIT	3	/* only ENABLE, after EINTR; see there */

/*
 * etw_enable.property: EVENT_ENABLE_PROPERTY_* known here.  Those that ask for
 * an extended item (format.h) concern the events of this provider in this
 * session alone.
 */
#define ETW_ENABLE_SID			0x1
#define ETW_ENABLE_TS_ID		0x2
#define ETW_ENABLE_STACK_TRACE		0x4	/* at most ETW_STACK_MAX frames */
#define ETW_ENABLE_PSM_KEY		0x8
#define ETW_ENABLE_IGNORE_KEYWORD_0	0x10	/* not the events without a keyword */
#define ETW_ENABLE_PROVIDER_GROUP	0x20	/* etw_enable.provider is a group's GUID */
#define ETW_ENABLE_PROCESS_START_KEY	0x80
#define ETW_ENABLE_EVENT_KEY		0x100
#define ETW_ENABLE_EXCLUDE_INPRIVATE	0x200	/* not those with ETW_WRITE_INPRIVATE */
#define ETW_ENABLE_CONTAINER		0x800	/* SOURCE_CONTAINER_TRACKING */

#define ETW_STACK_MAX		192	/* frames of an event; the innermost are kept */

/*
 * Enable or disable a provider for a session, or ask it for its state.
 * ENABLE replaces what the session had set for this provider.  The provider
 * need not be registered yet.  DISABLE of one that is not enabled succeeds.
 * The ninth session of one provider is ENOSPC; of a classic one it takes the place
 * of the first, if one after that selects every program.  A PID filter selects, once,
 * among the user registrations that exist at the call, by PIDs of the caller's
 * PID namespace.  EVENT_ID and PAYLOAD drop events, STACKWALK and
 * STACKWALK_LEVEL_KW only their stacks; several filters must all agree.
 * timeout_ms 0 returns at once; else the call waits for the callbacks, at most
 * that long, then ETIMEDOUT (the change stays in force).  After EINTR, which leaves
 * it in force too, ETW_CONTROL_WAIT with nothing but timeout_ms goes on waiting
 * for the file's last call that a signal ended, without telling anybody again;
 * ENOENT if there is none.
 */
struct etw_enable {
	__u32 size;
	__u32 flags;		/* 0 */
	__u64 session;		/* handle */
	struct etw_guid provider;
	struct etw_guid source;	/* SourceId handed to the callback */
	__u32 control;		/* ETW_CONTROL_* */
	__u32 property;		/* ETW_ENABLE_* */
	__u64 any;		/* 0 counts as all ones */
	__u64 all;
	__u64 filters;		/* struct etw_filter * */
	__u32 filter_count;	/* at most one of a type */
	__u32 timeout_ms;	/* 0xFFFFFFFF: wait for ever */
	__u8  level;		/* 0 counts as 255 */
	__u8  reserved[7];	/* 0 */
};

/* ------------------------------------------------ user-mode registrations */

#define ETW_REGISTER_NOTIFY	0x1	/* queue enable notifications */
#define ETW_REGISTER_CLASSIC	0x2	/* one session at a time; ETW_IOC_CLASSIC writes */

/*
 * Register a provider for the calling process.  The registration dies with
 * the open file; used from another process than the one that made it, it is
 * ESTALE.  At most 1,024 on one file, and as many of one user as the module
 * parameter max_user_registrations says: ENOSPC.
 */
struct etw_register {
	__u32 size;
	__u32 flags;		/* ETW_REGISTER_* */
	struct etw_guid provider;
	__u64 name;		/* optional: char *, shown by PROVIDER_QUERY */
	__u32 name_len;
	__u32 slot;		/* out: index into the enable area */
	__u64 cookie;		/* in: handed back in notifications */
};

struct etw_unregister {
	__u32 size;
	__u32 slot;
};

/*
 * The next enable notification of this file's registrations; EAGAIN when
 * there is none (poll reports POLLIN).  Taking one tells that the one taken
 * before it has been handled: an enable call with a timeout waits for that.
 * At most 64 wait per registration; older ones are dropped then, since each
 * carries the whole state.  Too little room for filter data is EMSGSIZE, and the
 * notification is still to come.
 */
struct etw_notify {
	__u32 size;
	__u32 slot;		/* out */
	__u64 cookie;		/* out */
	struct etw_guid source;	/* out: SourceId, zero if not known */
	__u32 control;		/* out: ETW_CONTROL_*, the provider's state */
	__u32 level;		/* out: composite; classic: as the session asked */
	__u64 any;		/* out: composite; classic: as the session asked */
	__u64 all;		/* out: composite */
	__u32 dropped;		/* out: notifications dropped before this one */
	__u32 logger_id;	/* out: session of a classic registration; in: 0 */
	__u64 filter;		/* out: filter data go here; 0: they are not wanted */
	__u32 filter_cap;	/* bytes of room there; ETW_FILTER_CHAIN_MAX always do */
	__u32 filter_len;	/* out: bytes there are, 0: none */
	__u32 filter_type;	/* out: ETW_FILTER_SCHEMATIZED, _TRACEHANDLE or _NONE */
	__u32 reserved2;	/* 0 */
};

/*
 * The enable area: mmap of /dev/etw at offset 0, PROT_READ, MAP_SHARED,
 * ETW_ENABLE_AREA_SIZE bytes.  Entry i belongs to registration slot i.  The
 * kernel alone writes it.  An update widens before it narrows, so a reader may
 * pass an event that the kernel then rejects, never the reverse.
 * An event may be wanted when
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
	__u32 properties;	/* ETW_ENABLE_* that some session asked for */
	__u32 reserved;
};

#define ETW_ENABLE_AREA_SIZE	(ETW_REGISTRATIONS_MAX * sizeof(struct etw_enable_entry))

/* etw_event_write.flags */
#define ETW_WRITE_STRING_ONLY	0x1	/* payload is one NUL-terminated UTF-16 string */
#define ETW_WRITE_INPRIVATE	0x2	/* EVENT_WRITE_FLAG_INPRIVATE */
#define ETW_WRITE_ACTIVITY	0x4	/* activity is set */
#define ETW_WRITE_RELATED	0x8	/* related is set */
#define ETW_WRITE_CAN_WALK	0x10	/* the caller can tell its stack, if asked */

/*
 * Write one event.  Succeeds, doing nothing, when no session wants it.  An
 * event that a session wanted and did not get is an error, unless all such
 * sessions are INDEPENDENT; the other sessions have it nevertheless.
 *
 * Where data descriptors have types (format.h) all of them together, without
 * what their items take, may have 64 KB less the header.
 * Of a process the kernel finds only frames that frame pointers link.  A caller
 * that knows better gives its stack; with CAN_WALK it need not do so before the
 * event is known to want one: ENODATA then, nothing is written, and the caller
 * writes again with its stack, or without CAN_WALK.
 */
struct etw_event_write {
	__u32 size;
	__u32 slot;
	__u32 flags;
	__u32 data_count;	/* at most 128 */
	__u64 data;		/* struct etw_data_descriptor * */
	__u64 filter;		/* bit i: not to the session with logger id i + 1 */
	struct etw_event_descriptor desc;
	struct etw_guid activity;
	struct etw_guid related;
	__u64 stack;		/* __u64 *: return addresses, the innermost first */
	__u32 stack_count;	/* at most ETW_STACK_MAX; 0: the kernel walks it */
	__u32 reserved;		/* 0 */
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

/* --------------------------------------------------- enumerating providers */

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

/* ------------------------------------------------------- traits and groups */

/* Source: Microsoft's "Provider Traits", EventSetInformation, TRACE_QUERY_INFO_CLASS pages. */

/* etw_provider_set.flags */
#define ETW_SET_TRAITS	0x1	/* once: then EEXIST */
#define ETW_SET_TYPES	0x2

/*
 * What a registration of the caller's, not a classic one, says of itself.
 * Traits (their layout is in format.h) go with each event as an item PROV_TRAITS,
 * make it a member of a group, which needs JOIN_GROUP on it, have its events decoded by another GUID,
 * and name it if it has no name.  They turn types of data descriptors on, which
 * otherwise are ignored.  ENOSPC: with these, the traits of the caller's user have
 * more bytes than the module parameter max_user_traits says.
 */
struct etw_provider_set {
	__u32 size;
	__u32 slot;
	__u32 flags;		/* ETW_SET_*, at least one */
	__u32 types;		/* SET_TYPES: 1 look at the types of data descriptors; 0 */
	__u64 traits;		/* SET_TRAITS: address */
	__u32 traits_len;	/* bytes; must be what the traits say */
	__u32 reserved;		/* 0 */
};

/*
 * Provider groups.  A registration joins one by its traits (PROVIDER_SET).  With
 * PROVIDER_GROUP all three controls of ENABLE concern a group: its members, and
 * those that join later.  GUIDs of groups and of providers are not related.
 * Filters by event ids, names or payloads are refused (EINVAL).  At most eight
 * sessions enable a group (ENOSPC).
 * A session that enables a provider and its group gets each event once that
 * either of the two takes, with the items of those that take it.  A registration
 * has eight sessions at most: those that enable the provider itself, and of its
 * group's as many as there is room for.  One that is left out comes in when
 * another goes; etw_provider_reg.sessions tells who is in.
 *
 * DISALLOW_SET replaces the session's list of providers that its groups leave
 * out, at once and also in what it has enabled; ENABLE of such a provider by
 * itself is as ever.  DISALLOW_QUERY tells it.
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
 * GROUP_ENUM: the GUIDs of groups that have members or are enabled, as
 * PROVIDER_ENUM does providers.  GROUP_QUERY: those of its members whose providers
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
 * Open a consumer: its own file, on which read, poll, mmap and the BUFFER
 * commands work.  The first consumer of a session starts with what was
 * delivered before it came, a later one with what is delivered from now on.
 * The file is a right in itself and may be passed to another process.
 *
 * read: as many whole buffers as fit, at least one; less room than one buffer
 * is EINVAL.  Blocks, or EAGAIN with O_NONBLOCK; 0 once the session has
 * stopped and everything was read.
 * mmap: PROT_READ, MAP_SHARED, whole buffers, offset = buffer index * buffer
 * size.  Indices start at 1; ENXIO for a buffer that does not exist (yet).
 */
struct etw_consumer_open {
	__u32 size;
	__u32 flags;		/* O_NONBLOCK, O_CLOEXEC */
	__u64 session;		/* handle, or by name */
	__u64 name;
	__u32 name_len;
	__s32 fd;		/* out */
	__u32 buffer_size;	/* out: bytes */
	__u32 clock;		/* out */
	__u64 clock_freq;	/* out */
};

/*
 * Take the next buffer without copying it: it lies at index * buffer_size of
 * the mapping and is the caller's until given back or the file is closed.  At
 * most two are held at once (EBUSY).  EAGAIN when none waits (index is 0 then,
 * and the complete_* members are valid), ENODATA when the session has stopped
 * and all was taken.
 *
 * complete_through: every event with a timestamp up to it is in a buffer with
 * a sequence number below complete_sequence (raw session clock, 0 = not known).
 * A consumer that has read that far may merge the CPUs up to this time.  poll
 * reports POLLPRI when complete_through has changed since a TAKE told it.  The
 * promise does not hold for a wall clock that is set back (ETW_CLOCK_SYSTEM).
 */
struct etw_buffer_take {
	__u32 size;
	__u32 flags;		/* ETW_TAKE_PEEK */
	__u32 index;		/* out */
	__u32 used;		/* out: bytes filled */
	__u64 sequence;		/* out */
	__u64 events;		/* out: records in it */
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
