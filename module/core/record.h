/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * record.h - build one record in a reserved slot; walk the records of a buffer
 *
 * etw_record_measure() finds all errors before the slot is reserved, except memory of a
 * driver that cannot be read.  etw_record_write_lost() fills such a slot if it cannot be
 * given back.
 * Walking trusts nothing in the buffer.
 */
#ifndef ETW_CORE_RECORD_H
#define ETW_CORE_RECORD_H

#include "core/port.h"
#include <etw/format.h>

#define ETW_ITEMS_MAX	16	/* of one record, besides the related activity */

#define ETW_EXTRA_MAX	4	/* of one record */

/* An event's additions for all sessions: items whose data is elsewhere, and a timestamp. */
struct etw_record_extra {
	u32 count;
	u32 size;	/* of all of them, as items */
	struct {
		const void *data;
		u16 type;
		u16 len;
	} item[ETW_EXTRA_MAX];
	bool typed;	/* data descriptors that have a type are not payload */
	bool timestamp_given;
	u64 timestamp;	/* instead of the time of writing, if earlier */
};

/* Bytes of an item with len bytes of data. */
static __always_inline u32 etw_item_size(u32 len)
{
	return sizeof(struct etw_ext_item) + ALIGN(len, (u32)ETW_RECORD_ALIGN);
}

/* Add an item.  false: it is too large for any event. */
static __always_inline bool
etw_record_add_extra(struct etw_record_extra *to, u16 type, const void *data, u32 len)
{
	if (len > ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE - ETW_EXT_ITEM_SIZE)
		return false;
	to->item[to->count].data = data;
	to->item[to->count].type = type;
	to->item[to->count].len = len;
	to->count++;
	to->size += etw_item_size(len);
	return true;
}

/* Extended items, each complete with its padding; their linkage is ignored. */
struct etw_record_items {
	const struct etw_record_extra *extra;	/* further items, or NULL */
	u32 count;
	u32 size;	/* of all of them */
	const struct etw_ext_item *item[ETW_ITEMS_MAX];
};

static __always_inline bool etw_record_is_typed(const struct etw_record_items *items)
{
	return items && items->extra && items->extra->typed;
}

/* Bytes of all items, without the related activity. */
static __always_inline u32 etw_record_items_size(const struct etw_record_items *items)
{
	if (!items)
		return 0;
	return items->size + (items->extra ? items->extra->size : 0);
}

/* The sources of a record's bytes; all pointers are valid until the record is written. */
struct etw_record_source {
	const struct etw_guid *provider;
	const struct etw_event_descriptor *desc;
	const struct etw_guid *activity;	/* NULL: all zero */
	const struct etw_guid *related;		/* NULL: no item */
	const struct etw_data_descriptor *data;	/* addresses that can be read here */
	u32 count;	/* of data */
	u64 size;	/* by etw_record_measure(), including its items */
	union {
		struct {
			u32 thread_id;
			u32 process_id;
		};
		u64 ids;	/* ETW_RECORD_IDS() */
	};
	u16 type;	/* ETW_TYPE_* */
	u16 flags;	/* ETW_EVENT_*, without EXTENDED_INFO */
};

/* The compiler combines loads of adjacent members into one. */
#define ETW_RECORD_IDS(thread, process)	((u64)(u32)(process) << 32 | (u32)(thread))

#define ETW_RELATED_ITEM_SIZE	(ETW_EXT_ITEM_SIZE + sizeof(struct etw_guid))

/* Bytes a record of this size takes in a buffer. */
static __always_inline u64 etw_record_slot(u64 size)
{
	return ALIGN(size, (u64)ETW_RECORD_ALIGN);
}

/* As etw_record_measure_items(), and compute the AND of the addresses of all pieces. */
static __always_inline int
etw_record_measure_all(struct etw_record_source *source, const struct etw_record_items *items,
		       u64 *addresses)
{
	const bool typed = etw_record_is_typed(items);
	const struct etw_data_descriptor *data = source->data, *end = data + source->count;
	u64 size = ETW_EVENT_HEADER_SIZE;

	*addresses = ~0ULL;
	if (source->count > ETW_DATA_MAX)
		return -EINVAL;
	if (source->related)
		size += ETW_RELATED_ITEM_SIZE;
	size += etw_record_items_size(items);
	for (; data < end; data++) {
		if (!typed || !(u8)data->reserved)
			size += data->size;
		*addresses &= data->ptr;
	}
	if (size > ETW_RECORD_MAX)
		return -EOVERFLOW;
	source->size = size;
	return 0;
}

/*
 * Compute source->size, with these items or NULL.  -EINVAL: too many
 * descriptors; -EOVERFLOW: over 64 KB.
 */
static __always_inline int
etw_record_measure_items(struct etw_record_source *source,
			 const struct etw_record_items *items)
{
	u64 addresses;

	return etw_record_measure_all(source, items, &addresses);
}

bool etw_record_pieces_ok(const struct etw_record_source *source);

/*
 * As etw_record_measure_items(), without items.  -EFAULT: the event was measured, but a
 * piece cannot be read, unless etw_record_pieces_ok() finds that it has no bytes.
 */
static __always_inline int etw_record_measure(struct etw_record_source *source)
{
	u64 addresses;
	int err = etw_record_measure_all(source, NULL, &addresses);

	if (unlikely(err))
		return err;
	return likely(etw_may_read(addresses)) ? 0 : -EFAULT;
}

/*
 * Copy a payload piece, whose address etw_may_read().  Most pieces are a few bytes, for
 * which calling memcpy and starting "rep movs" cost more than the copy itself.  What is no
 * multiple of 8 bytes long ends with a move that overlaps the one before.  false: it cannot
 * be read; some of the bytes may have been copied.
 */
static __always_inline bool etw_record_copy(u8 *to, const u8 *from, u64 n)
{
	const u8 *start = from;
	u64 left = n;

	if (n == 4) {
		ETW_MOVE(u32, to, from, fault);
	} else if (n == 8) {
		ETW_MOVE(u64, to, from, fault);
	} else if (n == 16) {
		ETW_MOVE(u64, to, from, fault);
		ETW_MOVE(u64, to + 8, from + 8, fault);
	} else if (n > 8) {
		if (unlikely(left > 128)) {
			if (!etw_read_words(&to, &from, left / 8))
				return false;
			left &= 7;
		}
		for (; left > 8; left -= 8, to += 8, from += 8)
			ETW_MOVE(u64, to, from, fault);
		to += left;
		from += left;
		ETW_MOVE(u64, to - 8, from - 8, fault);
	} else if (n > 4) {
		ETW_MOVE(u32, to, from, fault);
		ETW_MOVE(u32, to + n - 4, from + n - 4, fault);
	} else if (n) {
		ETW_MOVE(u8, to, from, fault);
		ETW_MOVE(u8, to + n / 2, from + n / 2, fault);
		ETW_MOVE(u8, to + n - 1, from + n - 1, fault);
	}
	etw_was_read(start, n);
	return true;
fault:
	return false;
}

/* Copy a GUID from any address, also one that cannot be read: false. */
static __always_inline bool etw_record_copy_guid(void *to, const struct etw_guid *from)
{
	return likely(etw_may_read((unsigned long)from)) &&
	       etw_record_copy(to, (const u8 *)from, sizeof(*from));
}

/*
 * Store the related activity as an item; its linkage says that no other item follows.
 * false: the activity cannot be read.
 */
static __always_inline bool
etw_record_put_related(u8 *at, const struct etw_guid *related)
{
	struct etw_ext_item *item = (struct etw_ext_item *)at;

	item->size = ETW_RELATED_ITEM_SIZE;
	item->type = ETW_EXT_RELATED_ACTIVITY;
	item->linkage = 0;
	item->data_size = sizeof(struct etw_guid);
	return etw_record_copy_guid(item + 1, related);
}

/*
 * Copy the data into an item and zero its padding; followed: another item comes after it.
 * false: the data cannot be read.
 */
static __always_inline bool etw_record_put_item(u8 *at, u16 type, bool followed, const void *data,
						u32 len)
{
	struct etw_ext_item *item = (struct etw_ext_item *)at;

	__builtin_memset(at + etw_item_size(len) - ETW_RECORD_ALIGN, 0, ETW_RECORD_ALIGN);
	item->size = etw_item_size(len);
	item->type = type;
	item->linkage = followed;
	item->data_size = len;
	return etw_record_copy((u8 *)(item + 1), data, len);
}

s32 etw_record_put_items(u8 *at, const struct etw_record_source *source,
			 const struct etw_record_items *items);

/* Copy 16 bytes.  For an object of that size some compilers would align the stack. */
static __always_inline void etw_record_put_words(void *to, const void *from)
{
	const u64 *word = from;

	__builtin_memcpy(to, word, 8);
	__builtin_memcpy((u8 *)to + 8, word + 1, 8);
}

/* The header but for the activity; its start in two stores.  Records are little-endian. */
static __always_inline void
etw_record_put_header(u8 *slot, const struct etw_record_source *source, u16 flags, u64 timestamp)
{
	const u64 start = ((u64)flags << 32 | (u32)source->type << 16) + source->size;
	struct etw_event_header *header = (struct etw_event_header *)slot;

	__builtin_memcpy(slot, &start, sizeof(start));
	__builtin_memcpy(slot + sizeof(start), &source->ids, sizeof(source->ids));
	header->timestamp = timestamp;
	etw_record_put_words(&header->provider, source->provider);
	etw_record_put_words(&header->desc, source->desc);
	header->processor_time = 0;
}

static __always_inline void etw_record_put_activity(u8 *slot, const struct etw_guid *activity)
{
	etw_record_put_words(&((struct etw_event_header *)slot)->activity, activity);
}

/* All but the payload of an event without activities and items, whose slot has len bytes. */
static __always_inline void
etw_record_put_start(u8 *slot, const struct etw_record_source *source, u64 len, u64 timestamp)
{
	struct etw_event_header *header = (struct etw_event_header *)slot;

	/* The padding is in the slot's last word, which the payload may overwrite next. */
	__builtin_memset(slot + len - 8, 0, 8);
	etw_record_put_header(slot, source, source->flags, timestamp);
	memset(&header->activity, 0, sizeof(header->activity));
}

/*
 * Fill left bytes with the payload.  If the descriptors have grown since they were measured, it
 * is cut; if they have shrunk, zeros follow.  false: a piece cannot be read.
 */
static __always_inline bool etw_record_put_pieces(u8 *at, u64 left,
						  const struct etw_data_descriptor *data,
						  const struct etw_data_descriptor *end)
{
	u64 n;

	for (; data < end; data++, at += n) {
		n = READ_ONCE(data->size);
		if (unlikely(__builtin_sub_overflow(left, n, &left))) {
			n += left;
			left = 0;
		}
		if (unlikely(!etw_record_copy(at, (const u8 *)(unsigned long)data->ptr, n)))
			return false;
	}
	if (unlikely(left))
		memset(at, 0, left);
	return true;
}

/*
 * As etw_record_write(), for an event without activities.  false: a piece could not be read.
 */
static __always_inline bool
etw_record_write_plain(u8 *slot, const struct etw_record_source *source, u64 timestamp)
{
	etw_record_put_start(slot, source, etw_record_slot(source->size), timestamp);
	return etw_record_put_pieces(slot + ETW_EVENT_HEADER_SIZE,
				     source->size - ETW_EVENT_HEADER_SIZE, source->data,
				     source->data + source->count);
}

/* For etw_record_copy_whole(): where the first 32 bytes begin that are not only header. */
static __always_inline u64 etw_record_copy_start(u64 len)
{
	return len - ALIGN(len - ETW_EVENT_HEADER_SIZE, (u64)32);
}

/*
 * Copy a record of len bytes, its padding included: the header, then 32 bytes at a time from
 * at = etw_record_copy_start(len) on, of which the first may overlap it.
 */
static __always_inline void etw_record_copy_whole(u8 *to, const u8 *from, u64 at, u64 len)
{
	__builtin_memcpy(to, from, 16);
	__builtin_memcpy(to + 16, from + 16, 16);
	__builtin_memcpy(to + 32, from + 32, 16);
	__builtin_memcpy(to + 48, from + 48, 16);
	__builtin_memcpy(to + 64, from + 64, 16);
	for (; at < len; at += 32) {
		etw_record_put_words(to + at, from + at);
		etw_record_put_words(to + at + 16, from + at + 16);
	}
}

/*
 * Fill every byte of a slot of etw_record_slot(source->size) bytes, 8-byte aligned.  If the
 * descriptors have grown since they were measured, the payload is cut.  items: those that
 * source was measured with, or NULL.
 *
 * -EFAULT: an activity, an item or a piece of the payload could not be read.  The slot then
 * has undefined bytes, which no reader may see.
 */
static __always_inline int
etw_record_write_items(u8 *slot, const struct etw_record_source *source,
		       const struct etw_record_items *items, u64 timestamp)
{
	struct etw_event_header *header = (struct etw_event_header *)slot;
	const bool typed = etw_record_is_typed(items);
	u32 left = source->size - ETW_EVENT_HEADER_SIZE, i, n;
	u16 flags = source->flags;
	s32 bytes;
	u8 *at = slot + ETW_EVENT_HEADER_SIZE;

	/* The padding is in the slot's last word, which the payload may overwrite next. */
	__builtin_memset(slot + etw_record_slot(source->size) - 8, 0, 8);

	if (source->related || etw_record_items_size(items))
		flags |= ETW_EVENT_EXTENDED_INFO;
	/*
	 * Readers keep events until everything earlier has been written, so an event with
	 * a future time would delay all others.
	 */
	if (items && items->extra && items->extra->timestamp_given &&
	    items->extra->timestamp < timestamp)
		timestamp = items->extra->timestamp;
	etw_record_put_header(slot, source, flags, timestamp);
	if (!source->activity)
		memset(&header->activity, 0, sizeof(header->activity));
	else if (unlikely(!etw_record_copy_guid(&header->activity, source->activity)))
		return -EFAULT;

	if (items) {
		bytes = etw_record_put_items(at, source, items);
		if (unlikely(bytes < 0))
			return bytes;
		at += bytes;
		left -= bytes;
	} else if (unlikely(source->related)) {
		if (!etw_record_put_related(at, source->related))
			return -EFAULT;
		at += ETW_RELATED_ITEM_SIZE;
		left -= ETW_RELATED_ITEM_SIZE;
	}
	for (i = 0; i < source->count; i++) {
		if (typed && (u8)source->data[i].reserved)
			continue;
		n = source->data[i].size;
		if (unlikely(n > left))
			n = left;
		if (unlikely(!etw_record_copy(at, (const u8 *)(unsigned long)source->data[i].ptr,
					      n)))
			return -EFAULT;
		at += n;
		left -= n;
	}
	/* If the descriptors have shrunk, leave no old bytes in the slot. */
	if (unlikely(left))
		memset(at, 0, left);
	return 0;
}

static __always_inline int
etw_record_write(u8 *slot, const struct etw_record_source *source, u64 timestamp)
{
	return etw_record_write_items(slot, source, NULL, timestamp);
}

void etw_record_write_lost(u8 *slot, const struct etw_record_source *source, u64 timestamp);

/* One record of a buffer; the pointers point into the buffer. */
struct etw_record_view {
	const struct etw_event_header *header;
	const void *ext;	/* extended items, ext_len bytes */
	const void *data;	/* payload, data_len bytes, unaligned */
	u32 ext_len;
	u32 data_len;
};

struct etw_ext_view {
	u16 type;
	u16 data_len;
	const void *data;
};

int etw_buffer_check(const void *buf, size_t len, struct etw_buffer_header *hdr);
int etw_record_next(const void *buf, u32 end, u32 *offset,
		    struct etw_record_view *view);
int etw_ext_next(const struct etw_record_view *view, u32 *offset,
		 struct etw_ext_view *ext);

#endif /* ETW_CORE_RECORD_H */
