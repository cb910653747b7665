// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * loghead.c - build the first buffer of a log file
 */
#include "core/loghead.h"
#include "core/utf8.h"

static_assert(sizeof(struct etw_system_header) == 32);
static_assert(sizeof(struct etw_time_zone) == 172);
static_assert(sizeof(struct etw_log_header) == 280);
static_assert(offsetof(struct etw_log_header, logger_name) == 56);
static_assert(offsetof(struct etw_log_header, zone) == 72);
static_assert(offsetof(struct etw_log_header, boot_time) == 248);
static_assert(offsetof(struct etw_log_header, clock) == 272);

#define NAMES_AT (ETW_LOG_HEADER_AT + sizeof(struct etw_log_header))

/*
 * Store a name in at most room units, with its NUL, and return their number.  A byte
 * becomes at most one unit, so a name whose bytes fit fits.
 */
static u32 put_name(u8 *at, const char *name, u32 len, u32 room)
{
	u32 units = etw_utf16_lossy((u16 *)at, name, len < room ? len : room - 1);

	memset(at + units * sizeof(u16), 0, sizeof(u16));
	return units + 1;
}

/**
 * etw_log_head_build() - fill the first buffer of a file
 * @buffer: head->header.buffer_size bytes, at least ETW_LOG_HEAD_MIN; 8-byte aligned
 * @head: its content
 *
 * Return: the bytes that it uses; records may follow.
 */
u32 etw_log_head_build(u8 *buffer, const struct etw_log_head *head)
{
	u32 size = head->header.buffer_size, at = NAMES_AT, used;
	/* The record's size is 16 bits wide. */
	u32 end = size < ETW_RECORD_MAX ? size : ETW_RECORD_MAX;
	struct etw_system_header record = {
		.version = 2,
		.type = ETW_TYPE_SYSTEM64,
		.thread_id = head->thread_id,
		.process_id = head->process_id,
		.timestamp = head->start_clock,
	};
	struct etw_buffer_header top = {
		.buffer_size = size,
		.logger_id = head->logger_id,
		.state = ETW_BUFFER_STATE_FLUSH,
		.flags = ETW_BUFFER_FLUSH_MARKER | ETW_BUFFER_PROCESSOR_INDEX,
		.type = ETW_BUFFER_TYPE_HEADER,
	};

	memset(buffer, ETW_TAIL_BYTE, size);
	memcpy(buffer + ETW_LOG_HEADER_AT, &head->header, sizeof(head->header));
	/* Both names must have their NUL. */
	at += sizeof(u16) * put_name(buffer + at, head->logger, head->logger_len,
				     (end - at) / sizeof(u16) - 1);
	at += sizeof(u16) * put_name(buffer + at, head->file, head->file_len,
				     (end - at) / sizeof(u16));

	used = ALIGN(at, (u32)ETW_RECORD_ALIGN);
	memset(buffer + at, 0, used - at);
	record.size = at - sizeof(top);
	top.offset = used;
	top.saved_offset = used;
	top.current_offset = used;
	memcpy(buffer, &top, sizeof(top));
	memcpy(buffer + sizeof(top), &record, sizeof(record));
	return used;
}
