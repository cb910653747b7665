/* SPDX-License-Identifier: MIT */
/*
 * record.c - records of every kind that a file may hold
 *
 * The kernel logger's records begin with
 *
 *	u16 version, u8 type, u8 0xC0, u16 size, u16 hook id
 *	SYSTEM	 u32 thread, u32 process, s64 time, u32 kernel time, u32 user time
 *	COMPACT	 u32 thread, u32 process, s64 time
 *	PERFINFO s64 time
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "loss.h"
#include "record.h"

#define MARK	0xC0

struct head {
	uint16_t version;
	uint8_t type;
	uint8_t mark;
	uint16_t size;
	uint16_t hook;
};

#define CLASS(d1, d2, d3, ...) ETW_GUID(d1, d2, d3, __VA_ARGS__)
#define KERNEL_CLASS(d1) CLASS(d1, 0xfe05, 0x11d0, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c)
#define TRACE_CLASS(d1) CLASS(d1, 0x4a3e, 0x11d1, 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3)

/* By group, the high byte of the hook id; zero: unknown */
static const struct etw_guid classes[] = {
	[0x00] = TRACE_CLASS(0x68fdd900),	/* EventTrace */
	[0x01] = KERNEL_CLASS(0x3d6fa8d4),	/* DiskIo */
	[0x02] = KERNEL_CLASS(0x3d6fa8d3),	/* PageFault */
	[0x03] = KERNEL_CLASS(0x3d6fa8d0),	/* Process */
	[0x04] = TRACE_CLASS(0x90cbdc39),	/* FileIo */
	[0x05] = KERNEL_CLASS(0x3d6fa8d1),	/* Thread */
	[0x06] = CLASS(0x9a280ac0, 0xc8e0, 0x11d1, 0x84, 0xe2, 0x00, 0xc0, 0x4f, 0xb9, 0x98, 0xa2),
	[0x07] = CLASS(0x3282fc76, 0xfeed, 0x498e, 0x8a, 0xa7, 0xe7, 0x0f, 0x45, 0x9d, 0x43, 0x0e),
	[0x08] = CLASS(0xbf3a50c5, 0xa9c9, 0x4988, 0xa0, 0x05, 0x2d, 0xf0, 0xb7, 0xc8, 0x0f, 0x80),
	[0x09] = CLASS(0xae53722e, 0xc863, 0x11d2, 0x86, 0x59, 0x00, 0xc0, 0x4f, 0xa3, 0x21, 0xa1),
	[0x0A] = CLASS(0x13976d09, 0xa327, 0x438c, 0x95, 0x0b, 0x7f, 0x03, 0x19, 0x28, 0x15, 0xc7),
	[0x0B] = CLASS(0x01853a65, 0x418f, 0x4f36, 0xae, 0xfc, 0xdc, 0x0f, 0x1d, 0x2f, 0xd2, 0x35),
	[0x0D] = CLASS(0x42695762, 0xea50, 0x497a, 0x90, 0x68, 0x5c, 0xbb, 0xb3, 0x5e, 0x0b, 0x95),
	[0x0E] = CLASS(0x0268a8b6, 0x74fd, 0x4302, 0x9d, 0xd0, 0x6e, 0x8f, 0x17, 0x95, 0xc0, 0xcf),
	[0x0F] = CLASS(0xce1dbfb4, 0x137e, 0x4da6, 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc),
	[0x10] = CLASS(0x222962ab, 0x6180, 0x4b88, 0xa8, 0x25, 0x34, 0x6b, 0x75, 0xf2, 0xa2, 0x4a),
	[0x11] = CLASS(0x89497f50, 0xeffe, 0x4440, 0x8c, 0xf2, 0xce, 0x6b, 0x1c, 0xdc, 0xac, 0xa7),
	[0x12] = CLASS(0xe43445e0, 0x0903, 0x48c3, 0xb8, 0x78, 0xff, 0x0f, 0xcc, 0xeb, 0xdd, 0x04),
	[0x14] = CLASS(0x2cb15d1d, 0x5fc1, 0x11d2, 0xab, 0xe1, 0x00, 0xa0, 0xc9, 0x11, 0xf5, 0x18),
	[0x17] = CLASS(0x3ac66736, 0xcc59, 0x4cff, 0x81, 0x15, 0x8d, 0xf5, 0x0e, 0x39, 0x81, 0x6b),
	[0x18] = CLASS(0xdef2fe46, 0x7bd6, 0x4b80, 0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d, 0x0c, 0xe3),
	[0x1A] = CLASS(0x45d8cccd, 0x539f, 0x4b72, 0xa8, 0xb7, 0x5c, 0x68, 0x31, 0x42, 0x60, 0x9a),
	[0x1B] = CLASS(0xd837ca92, 0x12b9, 0x44a5, 0xad, 0x6a, 0x3a, 0x65, 0xb3, 0x57, 0x8a, 0xa8),
	[0x1C] = CLASS(0xc861d0e2, 0xa2c1, 0x4d36, 0x9f, 0x9c, 0x97, 0x0b, 0xab, 0x94, 0x3a, 0x12),
};

bool etw_etl_class(uint16_t hook, struct etw_guid *guid)
{
	static const struct etw_guid none;
	unsigned int group = hook >> 8;

	if (group < sizeof(classes) / sizeof(classes[0]) &&
	    memcmp(&classes[group], &none, sizeof(none))) {
		*guid = classes[group];
		return true;
	}
	*guid = none;
	guid->data1 = hook;
	return false;
}

bool etw_etl_type_is_32(uint8_t type)
{
	const uint32_t types = 1u << ETW_ETL_SYSTEM32 | 1u << ETW_ETL_COMPACT32 |
			       1u << ETW_ETL_FULL32 | 1u << ETW_ETL_INSTANCE32 |
			       1u << ETW_ETL_PERFINFO32 | 1u << ETW_ETL_EVENT32;

	return type < 32 && types >> type & 1;
}

/* By type; size, thread, process, time, times, provider, activity, payload */
static const struct etw_etl_layout layouts[] = {
	[ETW_ETL_SYSTEM32 ... ETW_ETL_SYSTEM64] = { 4, 8, 12, 16, 24, 0, 0, 32 },
	[ETW_ETL_COMPACT32 ... ETW_ETL_COMPACT64] = { 4, 8, 12, 16, 0, 0, 0, 24 },
	[ETW_ETL_PERFINFO32 ... ETW_ETL_PERFINFO64] = { 4, 0, 0, 8, 0, 0, 0, 16 },
	[ETW_ETL_FULL32 ... ETW_ETL_INSTANCE32] = { 0, 8, 12, 16, 40, 24, 0, 0 },
	[ETW_ETL_FULL64 ... ETW_ETL_INSTANCE64] = { 0, 8, 12, 16, 40, 24, 0, 0 },
	[ETW_ETL_EVENT32 ... ETW_ETL_EVENT64] = { 0, 8, 12, 16, 56, 24, 64, 0 },
};

/* The options of a message determine the fields before its payload. */
static struct etw_etl_layout message_layout(const void *record)
{
	struct etw_etl_layout layout = { 0 };
	struct etw_message_header head;
	uint8_t at = sizeof(head);

	memcpy(&head, record, sizeof(head));
	if (head.options & ETW_MESSAGE_SEQUENCE)
		at += sizeof(uint32_t);
	if (head.options & ETW_MESSAGE_GUID) {
		layout.provider = at;
		at += sizeof(struct etw_guid);
	} else if (head.options & ETW_MESSAGE_COMPONENT) {
		at += sizeof(uint32_t);
	}
	if (head.options & ETW_MESSAGE_TIMESTAMP) {
		layout.time = at;
		at += sizeof(int64_t);
	}
	if (head.options & ETW_MESSAGE_SYSTEMINFO) {
		layout.thread = at;
		layout.process = at + sizeof(uint32_t);
	}
	return layout;
}

struct etw_etl_layout etw_etl_layout(const void *record)
{
	uint8_t type = ((const uint8_t *)record)[2];

	if (etw_etl_is_message(record))
		return message_layout(record);
	return type < sizeof(layouts) / sizeof(layouts[0]) ? layouts[type] : layouts[0];
}

/* Bytes before the payload; 0: not a record of the kernel logger. */
static uint32_t head_size(uint8_t type)
{
	return type < sizeof(layouts) / sizeof(layouts[0]) ? layouts[type].payload : 0;
}

/* Types with an undocumented layout. WPP's records have another marker (etw_record_any()). */
static bool is_other(uint8_t type)
{
	return type == ETW_ETL_ERROR || type == ETW_ETL_MESSAGE;
}

static void begin_view(struct etw_event_header *h, const struct head *head, uint32_t size)
{
	memset(h, 0, sizeof(*h));
	h->size = size;
	h->type = (uint16_t)MARK << 8 | head->type;
	h->flags = ETW_EVENT_CLASSIC_HEADER;
}

static void view_system(const uint8_t *at, const struct head *head,
			struct etw_record_view *view, struct etw_classic_view *classic)
{
	struct etw_event_header *h = &classic->header;
	uint32_t len = head_size(head->type);

	begin_view(h, head, head->size);
	etw_etl_class(head->hook, &h->provider);
	h->desc.opcode = head->hook & 0xFF;
	h->desc.task = head->hook;
	h->desc.version = head->version;
	if (len == 16) {
		memcpy(&h->timestamp, at + 8, sizeof(h->timestamp));
	} else {
		memcpy(&h->thread_id, at + 8, sizeof(h->thread_id));
		memcpy(&h->process_id, at + 12, sizeof(h->process_id));
		memcpy(&h->timestamp, at + 16, sizeof(h->timestamp));
	}
	if (len == 32)
		memcpy(&h->processor_time, at + 24, sizeof(h->processor_time));
	else
		h->flags |= ETW_EVENT_NO_CPUTIME;
	view->data = at + len;
	view->data_len = head->size - len;
}

/* A record of a type without a known layout: use the time of the previous record. */
static void view_other(const uint8_t *at, const struct head *head, uint32_t size,
		       struct etw_record_view *view, struct etw_classic_view *classic)
{
	begin_view(&classic->header, head, size);
	classic->header.flags |= ETW_EVENT_NO_CPUTIME;
	classic->header.timestamp = classic->time;
	view->data = at + 4;
	view->data_len = size - 4;
}

int etw_etl_record(const void *buf, uint32_t end, uint32_t *offset,
		   struct etw_record_view *view, struct etw_classic_view *classic)
{
	const uint8_t *at = (const uint8_t *)buf + *offset;
	struct head head;
	uint32_t size;
	int ret;

	if (*offset >= end)
		return 0;
	if (*offset % ETW_RECORD_ALIGN || end - *offset < sizeof(head))
		return -EINVAL;
	memcpy(&head, at, sizeof(head));
	/* Most records; they are found as they are. */
	if (head.mark == MARK && (head.type == ETW_ETL_EVENT64 || head.type == ETW_ETL_EVENT32)) {
		ret = etw_record_next(buf, end, offset, view);
		if (ret == 1)
			classic->time = view->header->timestamp;
		return ret;
	}
	if (head.mark != MARK || (!head_size(head.type) && !is_other(head.type)))
		return etw_record_any(buf, end, offset, view, classic);
	size = is_other(head.type) ? head.version : head.size;
	if (size < sizeof(head) || size < head_size(head.type) || size > end - *offset)
		return -EINVAL;
	if (head_size(head.type))
		view_system(at, &head, view, classic);
	else
		view_other(at, &head, size, view, classic);
	view->header = &classic->header;
	view->ext = NULL;
	view->ext_len = 0;
	classic->time = classic->header.timestamp;
	*offset += etw_record_slot(size);
	return 1;
}

/* Is it of this class, without a hook id? Tools that write kernel traces anew do so. */
static bool is_of_class(const uint8_t *record, uint32_t left, const struct etw_guid *class)
{
	uint8_t at = etw_etl_layout(record).provider;

	return at && left >= at + sizeof(*class) && !memcmp(record + at, class, sizeof(*class));
}

bool etw_etl_has_hook(const void *buf, uint32_t offset, uint32_t end, uint16_t hook)
{
	struct etw_guid class;
	const uint8_t *at;
	struct head head;
	uint32_t size;

	etw_etl_class(hook, &class);
	while (offset < end && end - offset >= sizeof(head)) {
		at = (const uint8_t *)buf + offset;
		memcpy(&head, at, sizeof(head));
		if (head.mark == MARK && head_size(head.type)) {
			if (head.hook == hook)
				return true;
			size = head.size;
		} else {
			if (is_of_class(at, end - offset, &class))
				return true;
			size = head.version;
		}
		if (size < sizeof(head))
			break;
		offset += etw_record_slot(size);
	}
	return false;
}

enum etw_kind etw_kind_of_any(const struct etw_record_view *record)
{
	const struct etw_event_header *header = record->header;
	struct etw_loss_payload loss;

	if (etw_kind_is_machine(header))
		return ETW_KIND_MACHINE;
	/* The kernel logger's other groups are events. */
	if (etw_etl_is_system(header))
		return header->desc.task >> 8 ? ETW_KIND_EVENT : ETW_KIND_TRACE;
	if (etw_kind_is_schema(header) || etw_loss_parse(record, &loss))
		return ETW_KIND_TRACE;
	return etw_kind_names_process(header) || etw_kind_names_image(header) ? ETW_KIND_PROCESS :
										 ETW_KIND_EVENT;
}
