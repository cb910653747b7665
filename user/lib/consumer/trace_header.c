// SPDX-License-Identifier: MIT
/*
 * trace_header.c - the first buffer of a running session's trace
 *
 * Semantics: Microsoft's pages "EventTrace_Header class" and "TRACE_LOGFILE_HEADER
 * structure".
 */
#include <stdlib.h>
#include <string.h>

#include "core/loghead.h"
#include "etl/record.h"
#include "trace_header.h"

_Static_assert(sizeof(TRACE_LOGFILE_HEADER) == sizeof(struct etw_log_header),
	       "the same bytes");

struct etw_block *etw_tracehead_make(const struct etw_session_info *info,
				     const TRACE_LOGFILE_HEADER *header)
{
	struct etw_log_head head = {
		.start_clock = info->start_clock,
		.logger_id = info->logger_id,
		.logger = info->name,
		.logger_len = strlen(info->name),
		.file = "",
	};
	uint32_t size = etw_record_slot(ETW_LOG_HEAD_MIN + 2 * head.logger_len);
	struct etw_block *block = calloc(1, sizeof(*block) + size);

	if (!block)
		return NULL;
	memcpy(&head.header, header, sizeof(head.header));
	/* The header describes this buffer, which is only as large as needed. */
	head.header.buffer_size = size;
	etw_log_head_build(block->data, &head);
	memcpy(block->data + ETW_LOG_HEADER_AT + offsetof(struct etw_log_header, buffer_size),
	       &header->BufferSize, sizeof(header->BufferSize));
	memcpy(&block->header, block->data, sizeof(block->header));
	block->size = size;
	return block;
}

void etw_tracehead_event(struct etw_block *block, int64_t start, struct etw_event *event)
{
	memset(event, 0, sizeof(*event));
	block->offset = sizeof(block->header);
	event->raw = block->data + block->offset;
	etw_etl_record(block->data, block->header.offset, &block->offset, &event->record,
		       &event->classic);
	etw_block_describe(block, event);
	event->time = start;
}
