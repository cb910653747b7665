/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * format_classic.h - the records of classic providers; see format.h
 *
 * Their size and type words lie where those of an etw_event_header lie, so a
 * reader can tell them apart; the same padding follows them.  They have no
 * extended items.
 *
 *	event    := trace_header  payload
 *	instance := instance_header  payload
 *	message  := message_header  prefix  payload
 *	prefix   := [sequence u32] [GUID | component u32] [timestamp s64]
 *		    [thread u32, process u32]	as etw_message_header.options tells
 *
 * A message without a timestamp is of the time of the record before it in its
 * buffer, or of the buffer's reference time.
 *
 * Sources of the layout: Microsoft's EVENT_TRACE_HEADER and EVENT_TRACE pages,
 * and the headers of Windows' own .etl files.
 */
#ifndef ETW_FORMAT_CLASSIC_H
#define ETW_FORMAT_CLASSIC_H

#include <etw/format.h>

/* EVENT_TRACE_HEADER, 48 bytes */
struct etw_trace_header {
	__u16 size;		/* header and payload */
	__u16 type;		/* ETW_TYPE_FULL* */
	__u8  event_type;
	__u8  level;
	__u16 version;
	__u32 thread_id;	/* in the initial PID namespace */
	__u32 process_id;
	__s64 timestamp;	/* ticks of the session's clock */
	struct etw_guid guid;	/* event class */
	__u64 processor_time;	/* 0 */
};

/* The same of an instance of something, 72 bytes */
struct etw_instance_header {
	struct etw_trace_header trace;	/* type: ETW_TYPE_INSTANCE* */
	__u32 instance;
	__u32 parent;
	struct etw_guid parent_guid;
};

/* 8 bytes */
struct etw_message_header {
	__u16 size;		/* header, prefix and payload */
	__u16 type;		/* ETW_TYPE_MESSAGE */
	__u16 number;
	__u16 options;		/* ETW_MESSAGE_* */
};

#define ETW_TYPE_FULL32		0xC00A	/* written by a 32-bit process */
#define ETW_TYPE_FULL64		0xC014
#define ETW_TYPE_INSTANCE32	0xC00B
#define ETW_TYPE_INSTANCE64	0xC015
#define ETW_TYPE_MESSAGE	0x9000

/* etw_message_header.options: what stands in the prefix */
#define ETW_MESSAGE_SEQUENCE	0x01
#define ETW_MESSAGE_GUID	0x02
#define ETW_MESSAGE_COMPONENT	0x04	/* not with GUID */
#define ETW_MESSAGE_TIMESTAMP	0x08
#define ETW_MESSAGE_PERFORMANCE	0x10	/* no difference here: it is the session's clock */
#define ETW_MESSAGE_SYSTEMINFO	0x20	/* thread and process */
#define ETW_MESSAGE_ALL		0x3f

#endif /* ETW_FORMAT_CLASSIC_H */
