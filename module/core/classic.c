// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * classic.c - records of classic providers: build them, and read them as events
 */
#include "core/classic.h"

static_assert(sizeof(struct etw_trace_header) == 48);
static_assert(offsetof(struct etw_trace_header, event_type) == 4);
static_assert(offsetof(struct etw_trace_header, timestamp) == 16);
static_assert(offsetof(struct etw_trace_header, guid) == 24);
static_assert(sizeof(struct etw_instance_header) == 72);
static_assert(offsetof(struct etw_instance_header, instance) == 48);
static_assert(offsetof(struct etw_instance_header, parent_guid) == 56);
static_assert(sizeof(struct etw_message_header) == 8);

/* ----------------------------------------------------------------- building */

/* Bytes of a message's prefix. */
static u32 prefix_size(u32 options)
{
	u32 size = 0;

	if (options & ETW_MESSAGE_SEQUENCE)
		size += sizeof(u32);
	if (options & ETW_MESSAGE_GUID)
		size += sizeof(struct etw_guid);
	else if (options & ETW_MESSAGE_COMPONENT)
		size += sizeof(u32);
	if (options & ETW_MESSAGE_TIMESTAMP)
		size += sizeof(s64);
	if (options & ETW_MESSAGE_SYSTEMINFO)
		size += 2 * sizeof(u32);
	return size;
}

static bool is_instance(u32 type)
{
	return type == ETW_TYPE_INSTANCE64 || type == ETW_TYPE_INSTANCE32;
}

static bool is_full(u32 type)
{
	return type == ETW_TYPE_FULL64 || type == ETW_TYPE_FULL32;
}

static u32 head_size(const struct etw_classic *c)
{
	if (c->type == ETW_TYPE_MESSAGE)
		return sizeof(struct etw_message_header) + prefix_size(c->options);
	return is_instance(c->type) ? sizeof(struct etw_instance_header) :
				      sizeof(struct etw_trace_header);
}

/* Bytes of the record; more than ETW_RECORD_MAX cannot be written. */
u64 etw_classic_size(const struct etw_classic *c)
{
	return (u64)head_size(c) + c->len;
}

static u8 *put(u8 *at, const void *from, u32 len)
{
	memcpy(at, from, len);
	return at + len;
}

static u8 *put_message(u8 *at, const struct etw_classic *c, u32 size, u64 timestamp,
		       u32 sequence)
{
	struct etw_message_header head = {
		.size = size, .type = c->type, .number = c->number, .options = c->options,
	};

	at = put(at, &head, sizeof(head));
	if (c->options & ETW_MESSAGE_SEQUENCE)
		at = put(at, &sequence, sizeof(sequence));
	if (c->options & ETW_MESSAGE_GUID)
		at = put(at, &c->guid, sizeof(c->guid));
	else if (c->options & ETW_MESSAGE_COMPONENT)
		at = put(at, &c->guid.data1, sizeof(c->guid.data1));
	if (c->options & ETW_MESSAGE_TIMESTAMP)
		at = put(at, &timestamp, sizeof(timestamp));
	if (c->options & ETW_MESSAGE_SYSTEMINFO) {
		at = put(at, &c->thread_id, sizeof(c->thread_id));
		at = put(at, &c->process_id, sizeof(c->process_id));
	}
	return at;
}

static u8 *put_head(u8 *at, const struct etw_classic *c, u32 size, u64 timestamp)
{
	struct etw_instance_header head = {
		.trace = {
			.size = size,
			.type = c->type,
			.event_type = c->event_type,
			.level = c->level,
			.version = c->version,
			.thread_id = c->thread_id,
			.process_id = c->process_id,
			.timestamp = timestamp,
			.guid = c->guid,
		},
		.instance = c->instance,
		.parent = c->parent,
		.parent_guid = c->parent_guid,
	};

	return put(at, &head, head_size(c));
}

/*
 * Fill every byte of a slot of etw_record_slot() of the record's size.  sequence is used
 * only in a message that has one.
 */
void etw_classic_write(u8 *slot, const struct etw_classic *c, u64 timestamp, u32 sequence)
{
	u32 size = etw_classic_size(c);
	u8 *at;

	memset(slot + etw_record_slot(size) - 8, 0, 8);
	if (c->type == ETW_TYPE_MESSAGE)
		at = put_message(slot, c, size, timestamp, sequence);
	else
		at = put_head(slot, c, size, timestamp);
	memcpy(at, c->data, c->len);
}

/* ------------------------------------------------------------------ reading */

/* Members of an event that a classic record lacks are zero. */
static void begin_view(struct etw_classic_view *classic, u16 size, u16 type, u16 flags)
{
	memset(&classic->header, 0, sizeof(classic->header));
	classic->header.size = size;
	classic->header.type = type;
	classic->header.flags = flags | ETW_EVENT_NO_CPUTIME;
}

static void view_instance(const struct etw_instance_header *head,
			  struct etw_record_view *view, struct etw_classic_view *classic)
{
	memset(&classic->item, 0, sizeof(classic->item));
	classic->item.head.size = sizeof(classic->item);
	classic->item.head.type = ETW_EXT_INSTANCE_INFO;
	classic->item.head.data_size = sizeof(classic->item) - sizeof(classic->item.head);
	classic->item.instance = head->instance;
	classic->item.parent = head->parent;
	classic->item.parent_guid = head->parent_guid;
	classic->header.flags |= ETW_EVENT_EXTENDED_INFO;
	view->ext = &classic->item;
	view->ext_len = sizeof(classic->item);
}

/* -EINVAL: the record is shorter than its header. */
static int view_trace(const u8 *at, u32 size, u32 type, struct etw_record_view *view,
		      struct etw_classic_view *classic)
{
	u32 len = is_instance(type) ? sizeof(struct etw_instance_header) :
				      sizeof(struct etw_trace_header);
	struct etw_instance_header head;
	struct etw_event_header *h = &classic->header;

	if (size < len)
		return -EINVAL;
	memcpy(&head, at, len);
	begin_view(classic, size, type, ETW_EVENT_CLASSIC_HEADER);
	h->thread_id = head.trace.thread_id;
	h->process_id = head.trace.process_id;
	h->timestamp = head.trace.timestamp;
	h->provider = head.trace.guid;
	h->desc.opcode = head.trace.event_type;
	h->desc.level = head.trace.level;
	h->desc.version = head.trace.version;
	view->ext_len = 0;
	view->ext = NULL;
	if (is_instance(type))
		view_instance(&head, view, classic);
	view->data = at + len;
	view->data_len = size - len;
	return 0;
}

static const u8 *get(void *to, const u8 *at, u32 len)
{
	memcpy(to, at, len);
	return at + len;
}

/* The payload of a message begins with its prefix, as on Windows. */
static int view_message(const u8 *at, u32 size, struct etw_record_view *view,
			struct etw_classic_view *classic)
{
	struct etw_event_header *h = &classic->header;
	struct etw_message_header head;

	if (size < sizeof(head))
		return -EINVAL;
	view->data = get(&head, at, sizeof(head));
	view->data_len = size - sizeof(head);
	view->ext = NULL;
	view->ext_len = 0;
	if (head.options & ~ETW_MESSAGE_ALL || prefix_size(head.options) > view->data_len)
		return -EINVAL;
	begin_view(classic, size, head.type, ETW_EVENT_TRACE_MESSAGE);
	h->desc.id = head.number;
	h->desc.task = head.options;
	h->timestamp = classic->time;
	at = view->data;
	if (head.options & ETW_MESSAGE_SEQUENCE)
		at += sizeof(u32);
	if (head.options & ETW_MESSAGE_GUID)
		at = get(&h->provider, at, sizeof(h->provider));
	else if (head.options & ETW_MESSAGE_COMPONENT)
		at = get(&h->provider.data1, at, sizeof(h->provider.data1));
	if (head.options & ETW_MESSAGE_TIMESTAMP)
		at = get(&h->timestamp, at, sizeof(h->timestamp));
	if (head.options & ETW_MESSAGE_SYSTEMINFO) {
		at = get(&h->thread_id, at, sizeof(h->thread_id));
		get(&h->process_id, at, sizeof(h->process_id));
	}
	return 0;
}

/*
 * Like etw_record_next(), for records of every kind.  The view of a classic record points
 * into *classic, until the next call with it.
 */
int etw_record_any(const void *buf, u32 end, u32 *offset, struct etw_record_view *view,
		   struct etw_classic_view *classic)
{
	const u8 *at = (const u8 *)buf + *offset;
	u16 size, type;
	int ret;

	if (*offset >= end)
		return 0;
	if (!IS_ALIGNED(*offset, (u32)ETW_RECORD_ALIGN) ||
	    end - *offset < sizeof(struct etw_message_header))
		return -EINVAL;
	memcpy(&size, at, sizeof(size));
	memcpy(&type, at + sizeof(size), sizeof(type));
	if (!is_full(type) && !is_instance(type) && type != ETW_TYPE_MESSAGE) {
		ret = etw_record_next(buf, end, offset, view);
		if (ret == 1)
			classic->time = view->header->timestamp;
		return ret;
	}
	if (size > end - *offset)
		return -EINVAL;
	ret = type == ETW_TYPE_MESSAGE ? view_message(at, size, view, classic) :
					 view_trace(at, size, type, view, classic);
	if (ret)
		return ret;
	view->header = &classic->header;
	classic->time = classic->header.timestamp;
	*offset += etw_record_slot(size);
	return 1;
}

/* Make the view independent of from: what it points to there is copied to *to. */
void etw_record_move(struct etw_record_view *view, const struct etw_classic_view *from,
		     struct etw_classic_view *to)
{
	if (view->header != &from->header)
		return;
	*to = *from;
	view->header = &to->header;
	if (view->ext == &from->item)
		view->ext = &to->item;
}
