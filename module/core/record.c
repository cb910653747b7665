// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * record.c - a record's extended items; walking the records of an untrusted buffer
 */
#include "core/record.h"

static_assert(sizeof(struct etw_guid) == 16);
static_assert(sizeof(struct etw_event_descriptor) == 16);
static_assert(sizeof(struct etw_data_descriptor) == 16);
static_assert(sizeof(struct etw_buffer_header) == ETW_BUFFER_HEADER_SIZE);
static_assert(offsetof(struct etw_buffer_header, timestamp) == 0x10);
static_assert(offsetof(struct etw_buffer_header, sequence) == 0x18);
static_assert(offsetof(struct etw_buffer_header, clock) == 0x20);
static_assert(offsetof(struct etw_buffer_header, processor) == 0x28);
static_assert(offsetof(struct etw_buffer_header, logger_id) == 0x2a);
static_assert(offsetof(struct etw_buffer_header, state) == 0x2c);
static_assert(offsetof(struct etw_buffer_header, offset) == 0x30);
static_assert(offsetof(struct etw_buffer_header, flags) == 0x34);
static_assert(offsetof(struct etw_buffer_header, type) == 0x36);
static_assert(offsetof(struct etw_buffer_header, ref_time) == 0x38);
static_assert(sizeof(struct etw_event_header) == ETW_EVENT_HEADER_SIZE);
static_assert(offsetof(struct etw_event_header, flags) == 4);
static_assert(offsetof(struct etw_event_header, thread_id) == 8);
static_assert(offsetof(struct etw_event_header, timestamp) == 16);
static_assert(offsetof(struct etw_event_header, provider) == 24);
static_assert(offsetof(struct etw_event_header, desc) == 40);
static_assert(offsetof(struct etw_event_header, processor_time) == 56);
static_assert(offsetof(struct etw_event_header, activity) == 64);
static_assert(sizeof(struct etw_ext_item) == ETW_EXT_ITEM_SIZE);

/* Can all pieces with bytes be read, as far as their addresses tell? */
bool etw_record_pieces_ok(const struct etw_record_source *source)
{
	u32 i;

	for (i = 0; i < source->count; i++)
		if (source->data[i].size && !etw_may_read(source->data[i].ptr))
			return false;
	return true;
}

/* Most items are a few words long, for which calling memcpy costs more than the copy. */
static void copy_item(u8 *to, const struct etw_ext_item *item)
{
	const u8 *from = (const u8 *)item;
	u32 at;

	if (unlikely(item->size > 64)) {
		memcpy(to, from, item->size);
		return;
	}
	for (at = 0; at < item->size; at += ETW_RECORD_ALIGN)
		__builtin_memcpy(to + at, from + at, ETW_RECORD_ALIGN);
}

/*
 * Store the related activity and the items after the header, and return their size, or
 * -EFAULT if one cannot be read.
 */
s32 etw_record_put_items(u8 *at, const struct etw_record_source *source,
			 const struct etw_record_items *items)
{
	struct etw_ext_item *item = NULL;
	const struct etw_record_extra *extra = items ? items->extra : NULL;
	u8 *start = at;
	u32 i;

	if (source->related) {
		if (!etw_record_put_related(at, source->related))
			return -EFAULT;
		item = (struct etw_ext_item *)at;
		item->linkage = 1;
		at += ETW_RELATED_ITEM_SIZE;
	}
	for (i = 0; extra && i < extra->count; i++) {
		if (unlikely(!etw_record_put_item(at, extra->item[i].type, true,
						  extra->item[i].data, extra->item[i].len)))
			return -EFAULT;
		item = (struct etw_ext_item *)at;
		at += item->size;
	}
	for (i = 0; items && i < items->count; i++) {
		item = (struct etw_ext_item *)at;
		copy_item(at, items->item[i]);
		item->linkage = 1;
		at += item->size;
	}
	if (item)
		item->linkage = 0;
	return at - start;
}

static const struct etw_guid lost_guid = ETW_LOST_EVENT_GUID;

#define LOST_EVENT	32	/* its event type: one event */

/* Fill a slot whose event could not be read with a record that says that an event is lost. */
void etw_record_write_lost(u8 *slot, const struct etw_record_source *source, u64 timestamp)
{
	struct etw_event_header *header = (struct etw_event_header *)slot;

	memset(slot, 0, etw_record_slot(source->size));
	header->size = source->size;
	header->type = source->type;
	header->flags = source->flags & (ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE);
	header->thread_id = source->thread_id;
	header->process_id = source->process_id;
	header->timestamp = timestamp;
	header->provider = lost_guid;
	header->desc.opcode = LOST_EVENT;
}

/*
 * Copy the header of a buffer of len bytes and check that a walk is safe: hdr->offset
 * is within the buffer.  0 or -EINVAL.
 */
int etw_buffer_check(const void *buf, size_t len, struct etw_buffer_header *hdr)
{
	if (len < sizeof(*hdr))
		return -EINVAL;
	memcpy(hdr, buf, sizeof(*hdr));
	if (hdr->buffer_size > len || hdr->offset < sizeof(*hdr) ||
	    hdr->offset > hdr->buffer_size)
		return -EINVAL;
	return 0;
}

/* Return the total length of the extended items, or -EINVAL. */
static s64 ext_length(const u8 *at, u32 room)
{
	struct etw_ext_item item;
	u32 len = 0;

	do {
		if (room - len < sizeof(item))
			return -EINVAL;
		memcpy(&item, at + len, sizeof(item));
		if (item.size < sizeof(item) ||
		    !IS_ALIGNED((u32)item.size, (u32)ETW_RECORD_ALIGN) ||
		    item.size > room - len ||
		    item.data_size > item.size - sizeof(item))
			return -EINVAL;
		len += item.size;
	} while (item.linkage & 1);
	return len;
}

/*
 * Find the record at *offset of a buffer whose records end at end.  Start with *offset at
 * ETW_BUFFER_HEADER_SIZE.  buf is 8-byte aligned.
 *
 * 1: *view is the record, and *offset is after it; 0: no more; -EINVAL: there is no valid
 * EVENT_HEADER record, and *offset is unchanged.
 */
int etw_record_next(const void *buf, u32 end, u32 *offset,
		    struct etw_record_view *view)
{
	const struct etw_event_header *header;
	u32 at = *offset, size;
	s64 ext = 0;

	if (at >= end)
		return 0;
	if (!IS_ALIGNED(at, (u32)ETW_RECORD_ALIGN) || end - at < sizeof(*header))
		return -EINVAL;
	header = (const void *)((const u8 *)buf + at);
	size = header->size;
	if ((header->type != ETW_TYPE_EVENT64 && header->type != ETW_TYPE_EVENT32) ||
	    size < sizeof(*header) || size > end - at)
		return -EINVAL;
	if (header->flags & ETW_EVENT_EXTENDED_INFO) {
		ext = ext_length((const u8 *)(header + 1), size - sizeof(*header));
		if (ext < 0)
			return -EINVAL;
	}
	view->header = header;
	view->ext = header + 1;
	view->ext_len = ext;
	view->data = (const u8 *)(header + 1) + ext;
	view->data_len = size - sizeof(*header) - ext;
	*offset = at + etw_record_slot(size);
	return 1;
}

/*
 * Find the extended item at *offset, which starts at 0.  1: *ext is the item; 0: no more;
 * -EINVAL: malformed, which etw_record_next() rules out for its views.
 */
int etw_ext_next(const struct etw_record_view *view, u32 *offset,
		 struct etw_ext_view *ext)
{
	struct etw_ext_item item;

	if (*offset >= view->ext_len)
		return 0;
	if (view->ext_len - *offset < sizeof(item))
		return -EINVAL;
	memcpy(&item, (const u8 *)view->ext + *offset, sizeof(item));
	if (item.size < sizeof(item) || item.size > view->ext_len - *offset ||
	    item.data_size > item.size - sizeof(item))
		return -EINVAL;
	ext->type = item.type;
	ext->data_len = item.data_size;
	ext->data = (const u8 *)view->ext + *offset + sizeof(item);
	*offset += item.size;
	return 1;
}
