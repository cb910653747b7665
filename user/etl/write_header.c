/* SPDX-License-Identifier: MIT */
/*
 * write_header.c - the header of a log file that this library writes
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* gettid() */
#endif
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "write_private.h"
#include "logfile_header.h"

_Static_assert(sizeof(TRACE_LOGFILE_HEADER) == sizeof(struct etw_log_header), "the same");

#define SHORT_STEP	1024	/* short header buffers are a multiple of this */
#define POINTERS_AT	(ETW_LOG_HEADER_AT + offsetof(struct etw_log_header, logger_name))
#define SYSTEM32	1	/* record type, its low byte */

/*
 * Convert from the 64-bit to the 32-bit layout: each pointer shrinks by 4 bytes, and
 * everything after it moves. Returns the bytes used afterwards.
 */
static uint32_t make_narrow(uint8_t *buffer)
{
	const uint32_t less = 8;
	struct etw_buffer_header top;
	struct etw_system_header record;
	uint32_t end;

	memcpy(&top, buffer, sizeof(top));
	memcpy(&record, buffer + sizeof(top), sizeof(record));
	end = sizeof(top) + record.size;
	memmove(buffer + POINTERS_AT + 8, buffer + POINTERS_AT + 16,
		end - (POINTERS_AT + 16));
	end -= less;
	record.size -= less;
	record.type = (record.type & 0xFF00) | SYSTEM32;
	top.offset = (end + ETW_RECORD_ALIGN - 1) / ETW_RECORD_ALIGN * ETW_RECORD_ALIGN;
	memset(buffer + end, 0, top.offset - end);
	memset(buffer + top.offset, ETW_TAIL_BYTE, less);
	top.saved_offset = top.offset;
	top.current_offset = top.offset;
	memcpy(buffer, &top, sizeof(top));
	memcpy(buffer + sizeof(top), &record, sizeof(record));
	return top.offset;
}

uint32_t etw_etl_head_build(uint8_t *buffer, const struct etw_etl_info *info, bool short_head)
{
	struct etw_log_head head = {
		.start_clock = info->start_clock,
		.thread_id = gettid(),
		.process_id = getpid(),
		.logger = info->logger,
		.logger_len = strlen(info->logger),
		.file = info->file,
		.file_len = strlen(info->file),
	};
	uint32_t size = info->header.BufferSize, used;
	struct etw_buffer_header top;

	memcpy(&head.header, &info->header, sizeof(head.header));
	head.header.logger_name = 0;
	head.header.file_name = 0;
	etw_log_head_build(buffer, &head);
	if (info->header.PointerSize == 4)
		make_narrow(buffer);
	if (!short_head)
		return size;
	memcpy(&top, buffer, sizeof(top));
	used = (top.offset + SHORT_STEP - 1) / SHORT_STEP * SHORT_STEP;
	if (used > size)
		used = size;
	top.buffer_size = used;
	memcpy(buffer, &top, sizeof(top));
	return used;
}

void etw_etl_info_session(struct etw_etl_info *info, const struct etw_session_info *session)
{
	memset(info, 0, sizeof(*info));
	etw_logfile_header(&info->header, session);
	info->start_clock = session->start_clock;
	strcpy(info->logger, session->name);
}

void etw_etl_info_here(struct etw_etl_info *info)
{
	struct etw_session_info here = {
		.clock = ETW_CLOCK_QPC,
		.clock_freq = 1000000000,
	};
	struct timespec mono, wall;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &wall);
	here.start_clock = mono.tv_sec * 1000000000ull + mono.tv_nsec;
	here.start_wall = wall.tv_sec * 10000000ull + wall.tv_nsec / 100 + ETW_UNIX_EPOCH_100NS;
	etw_etl_info_session(info, &here);
}
