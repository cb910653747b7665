/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_record.h - write a record as an event, by a list of what becomes of its parts
 */
#ifndef ETW_SYSTEM_TRACE_RECORD_H
#define ETW_SYSTEM_TRACE_RECORD_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <etw/abi.h>
#include <etw/kernel.h>

/**
 * struct etw_trace_layout - how a record becomes an event
 * @schema: metadata of the event
 * @pieces: the parts, in the event's order
 * @schema_len: bytes, at most ETW_TRACE_SCHEMA_MAX
 * @piece_count: length of @pieces, at most ETW_TRACE_PIECES_MAX, with at most
 *	ETW_TRACE_USER_TEXTS that read user memory
 */
struct etw_trace_layout {
	void *schema;
	const struct etw_trace_piece *pieces;
	u32 schema_len;
	u32 piece_count;
};

u64 etw_trace_payer(void);
int etw_trace_record_room(void);
void etw_trace_record_exit(void);
int etw_trace_record_send(struct etw_provider *provider, const struct etw_event_descriptor *desc,
			  const struct etw_trace_layout *layout, const void *record, u32 size,
			  struct pt_regs *regs);
void etw_trace_record_write(struct perf_event *counter, struct perf_sample_data *data,
			    struct pt_regs *regs);

#endif /* ETW_SYSTEM_TRACE_RECORD_H */
