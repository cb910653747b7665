/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * abi_file.h - sessions that write a log file
 *
 * A thread of the kernel writes what the session delivers, whoever else reads it, with
 * the credentials of the process that gave the file; that may exit.  The kernel
 * resolves no path: it gets an open file, or a directory in which it makes files by
 * their last name alone.  What the file is called is for its header only.
 *
 * A buffer that cannot be written (no space, an error, a file that cannot be made) is
 * lost to the file and counted; the session goes on, and so does the file with the
 * next buffer that can be written.  A file is complete when it is closed: at STOP, or
 * when another one takes its place.  The file system stays in use until then.
 *
 *	SEQUENTIAL	to max_size; then everything is lost to the file
 *	CIRCULAR	at max_size the oldest buffers are overwritten
 *	NEWFILE		at max_size the next file is made: dir is needed, and %d in name
 *	APPEND		behind what there is, with SEQUENTIAL or by itself: fd is needed,
 *			open for reading too.  An empty file is begun; another one must
 *			be a log of this boot with the same clock and buffer size:
 *			EINVAL
 *	PREALLOCATE	each file has max_size while it is written
 *	DELAY_OPEN	the file is made for the first buffer: dir is needed
 *	KBYTES		max_size counts KB
 *
 * Permissions of files that are made are file_mode less the umask of who makes them: the
 * caller, or a kernel thread with 022 for those that are made later.  A limit of the
 * caller's to the size of files (RLIMIT_FSIZE) holds for what is written before START or
 * UPDATE return, and not later.  A file that loses its last name while it is written is
 * written on, and its error is ENOENT.
 *
 * BUFFERING (abi.h) with a file: nothing is written until FLUSH, each of which makes the
 * file again, with what the session holds then and what no reader took before; dir is
 * needed.  FLUSH of any BUFFERING session may name a file of its own: fd or dir.  That it
 * has enough space is seen to first, where the file system can tell, so that without it an
 * old file stays as it was; after any other error the file is empty.  Until a file is
 * complete all of it stays with the session, for the next FLUSH or reader.  max_size is of
 * no meaning.
 *
 * At most one of SEQUENTIAL, CIRCULAR and NEWFILE; APPEND not with the other two.  A
 * file without any of them is SEQUENTIAL.  CIRCULAR, NEWFILE and PREALLOCATE need a
 * max_size, of three buffers or more.
 */
#ifndef ETW_ABI_FILE_H
#define ETW_ABI_FILE_H

#include <linux/types.h>

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

#endif /* ETW_ABI_FILE_H */
