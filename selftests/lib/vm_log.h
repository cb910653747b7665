/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_log.h - sessions with log files, and the contents of the files
 */
#ifndef ETW_SELFTEST_VM_LOG_H
#define ETW_SELFTEST_VM_LOG_H

#include "vm_lib.h"

#include <sys/mount.h>
#include <sys/stat.h>

#include "etl_agree.h"
#include "etl/file.h"

#define LOG_DIR		"/run/etw-log"
#define LOG_KB		8		/* of a buffer */
/* An event of a vl_logger takes 80 + 1,000 bytes, so a buffer holds 7. */
#define LOG_PAYLOAD	1000
#define LOG_PER_BUFFER	7

struct vl_log_props {
	EVENT_TRACE_PROPERTIES p;
	char name[256];
	char file[256];
};

struct vl_log_props vl_log_props(ULONG mode, const char *file, ULONG size);

static inline ULONG vl_log_control(TRACEHANDLE session, ULONG code, struct vl_log_props *props)
{
	*props = vl_log_props(0, NULL, 0);
	return ControlTraceA(session, NULL, &props->p, code);
}

/* The kernel's status of the session's file; vm is a descriptor of the device. */
struct etw_session_log vl_log_status(int vm, TRACEHANDLE session);

/* A session named "log", and the provider that writes numbered events to it. */
struct vl_logger {
	int fd;			/* the device */
	TRACEHANDLE session;
	REGHANDLE reg;
	ULONG written;		/* numbers used */
};

ULONG vl_logger_start(struct vl_logger *l, ULONG mode, const char *file, ULONG size);

/* Write n events and continue the numbering; refused events use a number, too. */
void vl_logger_write(struct vl_logger *l, ULONG n);

ULONG vl_logger_stop(struct vl_logger *l);

/* Stop the session; the last status of its file. */
struct etw_session_log vl_logger_stop_status(struct vl_logger *l);

/* The contents of a file, read from beginning to end. */
struct vl_log {
	int error;		/* of opening or reading; -EBADMSG: a rule is violated */
	struct etw_etl_count count;
	struct etw_etl_info info;
	bool cut_off;
	ULONG events;		/* not of the header, the processes or the machine */
	ULONG first, last;	/* their numbers */
	bool in_order;		/* each number is one more than that before */
	bool in_time;
	off_t size;
	struct etl_agree agree;	/* .why: the rule that the checker of log files found violated */
};

struct vl_log vl_log_read(const char *path);

/* Does etw-verify(1) call this file complete? */
bool vl_log_is_complete(const char *path);

/* An empty directory on a file system of its own, of this size in KB. */
bool vl_log_dir(unsigned int kb);

/* Leave no space in LOG_DIR, until vl_log_dir_free(). */
bool vl_log_dir_fill(void);

void vl_log_dir_free(void);

static inline void vl_log_dir_end(void)
{
	umount2(LOG_DIR, MNT_DETACH);
	rmdir(LOG_DIR);
}

/* Begin in an empty LOG_DIR of this size in KB; NULL, or what is missing for it. */
const char *vl_logger_begin(struct vl_logger *l, unsigned int kb);

void vl_logger_end(struct vl_logger *l);

static inline ULONG vl_logger_flush(const struct vl_logger *l)
{
	return vl_control(l->session, EVENT_TRACE_CONTROL_FLUSH);
}

#endif /* ETW_SELFTEST_VM_LOG_H */
