/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * format_file.h - the first buffer of an .etl file; see format.h
 *
 *	file    := header_buffer  buffer*
 *	header_buffer := buffer_header (type HEADER)  system_header  log_header
 *			 logger name, file name (UTF-16, with their NULs)  0xFF...
 *
 * The header buffer's record is of hook id 0, version 2.  It is written when the file
 * is begun; end_time, buffers_written and the losses are filled in when it is closed,
 * so a file whose end_time is 0 was not closed.
 *
 * Sources of the layout: Microsoft's TRACE_LOGFILE_HEADER page and Windows' own files.
 */
#ifndef ETW_FORMAT_FILE_H
#define ETW_FORMAT_FILE_H

#include <etw/format.h>

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
	__s32 bias;		/* minutes that UTC is ahead */
	__u16 standard_name[32];
	__u16 standard_date[8];	/* SYSTEMTIME */
	__s32 standard_bias;
	__u16 daylight_name[32];
	__u16 daylight_date[8];
	__s32 daylight_bias;
};

/* TRACE_LOGFILE_HEADER as of 64 bits, 280 bytes */
struct etw_log_header {
	__u32 buffer_size;	/* bytes */
	__u8  version[4];	/* major, minor, sub, sub minor: 10, 0, 1, 5 */
	__u32 provider_version;	/* build of the system */
	__u32 processors;
	__s64 end_time;		/* FILETIME; 0: not closed */
	__u32 timer_resolution;	/* 100 ns */
	__u32 max_file_size;	/* MB, or KB as the mode says; 0: none */
	__u32 mode;		/* EVENT_TRACE_* */
	__u32 buffers_written;	/* in the file, this one included */
	__u32 start_buffers;	/* 1 */
	__u32 pointer_size;	/* 8 */
	__u32 events_lost;
	__u32 cpu_mhz;
	__u64 logger_name;	/* 0: the names follow the structure */
	__u64 file_name;
	struct etw_time_zone zone;
	__u32 pad;
	__s64 boot_time;	/* FILETIME */
	__s64 frequency;	/* ticks of the clock in a second */
	__s64 start_time;	/* FILETIME */
	__u32 clock;		/* ETW_CLOCK_* */
	__u32 buffers_lost;
};

#endif /* ETW_FORMAT_FILE_H */
