/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * loghead.h - build the first buffer of a log file
 */
#ifndef ETW_CORE_LOGHEAD_H
#define ETW_CORE_LOGHEAD_H

#include "core/port.h"
#include <etw/format.h>

/* The content of the header buffer; names are UTF-8, and are cut if they do not fit. */
struct etw_log_head {
	struct etw_log_header header;
	s64 start_clock;	/* session clock at header.start_time */
	u32 thread_id, process_id;	/* of the task that started the session */
	u16 logger_id;
	const char *logger;
	u32 logger_len;
	const char *file;
	u32 file_len;
};

/* Offset of head->header in the buffer. */
#define ETW_LOG_HEADER_AT (sizeof(struct etw_buffer_header) + sizeof(struct etw_system_header))

/* The minimum size of a header buffer, without names. */
#define ETW_LOG_HEAD_MIN (sizeof(struct etw_buffer_header) +		\
			  sizeof(struct etw_system_header) +		\
			  sizeof(struct etw_log_header) + 2 * sizeof(u16))

u32 etw_log_head_build(u8 *buffer, const struct etw_log_head *head);

#endif /* ETW_CORE_LOGHEAD_H */
