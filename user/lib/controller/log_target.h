/* SPDX-License-Identifier: MIT */
/*
 * log_target.h - a file that a session is to be written to
 */
#ifndef ETW_LIB_CONTROLLER_LOG_TARGET_H
#define ETW_LIB_CONTROLLER_LOG_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include <etw/abi.h>
#include <etw/winerror.h>
#include <etw/wintypes.h>

struct etw_log_target {
	struct etw_session_file file;
	char name[ETW_FILE_NAME_MAX + 1];	/* absolute, UTF-8 */
	TIME_ZONE_INFORMATION zone;
	bool made;				/* it did not exist before */
};

/* What a session says of its file; point etw_session.log to log. */
struct etw_log_status {
	struct etw_session_log log;
	char name[ETW_FILE_NAME_MAX + 1];
};

/*
 * Open what a session with this mode (ETW_MODE_*) needs for a file of this name: the
 * file itself, or its directory; for one snapshot of a BUFFERING session, mode 0.  max_size: as MaximumFileSize.  target may not move
 * until it is closed.  0, or -errno of opening; -ENAMETOOLONG.
 */
int etw_log_target_open(struct etw_log_target *target, const char *name, uint32_t mode,
			uint32_t max_size);
/* keep: the kernel has taken it over; else a file that was made goes. */
void etw_log_target_close(struct etw_log_target *target, bool keep);

void etw_log_status_init(struct etw_log_status *status);
/* NUL-terminate what the kernel told. */
void etw_log_status_done(struct etw_log_status *status);

/* What opening a file said, and what START and UPDATE say about it. */
ULONG etw_win32_from_file(int err);

#endif /* ETW_LIB_CONTROLLER_LOG_TARGET_H */
