/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioctl_file.h - copying the structs of a session's log file in and out
 */
#ifndef ETW_CONTROL_IOCTL_FILE_H
#define ETW_CONTROL_IOCTL_FILE_H

#include "logfile/logfile.h"

int etw_ioctl_file_in(u64 ptr, struct etw_session_file *file);
int etw_ioctl_log_room(u64 ptr);
int etw_ioctl_log_out(struct etw_trace_session *s, u64 ptr);

#endif /* ETW_CONTROL_IOCTL_FILE_H */
