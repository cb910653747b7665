/* SPDX-License-Identifier: MIT */
/*
 * log_target.h - open the file that a session writes to
 */
#ifndef ETW_LIB_CONTROLLER_LOG_TARGET_H
#define ETW_LIB_CONTROLLER_LOG_TARGET_H

#include <stdbool.h>

#include <etw/abi.h>
#include <etw/winerror.h>
#include <etw/wintypes.h>

struct etw_log_target {
	struct etw_session_file file;
	char name[ETW_FILE_NAME_MAX + 1];	/* absolute, UTF-8 */
	TIME_ZONE_INFORMATION zone;
	bool made;				/* the file did not exist before */
};

/* The state of a session's file; set etw_session.log to the address of log. */
struct etw_log_status {
	struct etw_session_log log;
	char name[ETW_FILE_NAME_MAX + 1];
};

/*
 * Open what a session with this mode (ETW_MODE_*) needs for a file of this name: the
 * file itself, or its directory. For a snapshot of a BUFFERING session, mode is 0.
 * max_size: as MaximumFileSize. Do not move target until it is closed. 0, or -errno of
 * opening; -ENAMETOOLONG.
 */
int etw_log_target_open(struct etw_log_target *target, const char *name, uint32_t mode,
			uint32_t max_size);
/* keep: the kernel uses the file; otherwise remove it if it was created here. */
void etw_log_target_close(struct etw_log_target *target, bool keep);

void etw_log_status_init(struct etw_log_status *status);
/* NUL-terminate the names that the kernel returned. */
void etw_log_status_done(struct etw_log_status *status);

/* The Win32 code for an error of opening a file, or of START and UPDATE because of one. */
ULONG etw_win32_from_file(int err);

#endif /* ETW_LIB_CONTROLLER_LOG_TARGET_H */
