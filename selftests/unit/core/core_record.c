// SPDX-License-Identifier: GPL-2.0-only
/*
 * core_record.c - writes records, checks every byte, and reads them back
 *
 * The walker against damaged buffers is in core_walk.c.
 */
#include <stdlib.h>

#include "core/record.h"
#include "lib/tap.h"

#define POISON		0xA5
#define MARGIN		64

static const struct etw_guid provider =
	ETW_GUID(0x01020304, 0x0506, 0x0708, 9, 10, 11, 12, 13, 14, 15, 16);
static const struct etw_guid activity =
	ETW_GUID(0x21222324, 0x2526, 0x2728, 41, 42, 43, 44, 45, 46, 47, 48);
static const struct etw_guid related =
	ETW_GUID(0x31323334, 0x3536, 0x3738, 57, 58, 59, 60, 61, 62, 63, 64);
static const struct etw_event_descriptor desc = {
	.id = 0x1122, .version = 3, .channel = 11, .level = 4, .opcode = 5,
	.task = 0x6677, .keyword = 0x8899AABBCCDDEEFFULL,
};

/* The header of a record of 80 bytes, byte for byte, as the reader sees it. */
static const u8 golden[ETW_EVENT_HEADER_SIZE] = {
	80, 0, 0x13, 0xC0, 0x10, 0, 0, 0,
	0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55,
	0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01,
	4, 3, 2, 1, 6, 5, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16,
	0x22, 0x11, 3, 11, 4, 5, 0x77, 0x66,
	0xFF, 0xEE, 0xDD, 0xCC, 0xBB, 0xAA, 0x99, 0x88,
	0, 0, 0, 0, 0, 0, 0, 0,
	0x24, 0x23, 0x22, 0x21, 0x26, 0x25, 0x28, 0x27,
	41, 42, 43, 44, 45, 46, 47, 48,
};

static const u8 golden_item[ETW_RELATED_ITEM_SIZE] = {
	24, 0, 1, 0, 0, 0, 16, 0,
	0x34, 0x33, 0x32, 0x31, 0x36, 0x35, 0x38, 0x37,
	57, 58, 59, 60, 61, 62, 63, 64,
};

static u8 payload[ETW_RECORD_MAX + 1];
static struct etw_data_descriptor pieces[ETW_DATA_MAX + 1];

static struct etw_record_source source_of(u32 count)
{
	return (struct etw_record_source){
		.provider = &provider, .desc = &desc, .activity = &activity,
		.data = pieces, .count = count,
		.thread_id = 0x11223344, .process_id = 0x55667788,
		.type = ETW_TYPE_EVENT64, .flags = ETW_EVENT_NO_CPUTIME,
	};
}

/* Cut len bytes of the payload into count pieces, uneven ones. */
static void cut(u32 len, u32 count)
{
	u32 i, at = 0, n;

	for (i = 0; i < count; i++) {
		n = i + 1 == count ? len - at : (len - at) * (i % 3) / 3;
		pieces[i].ptr = (unsigned long)(payload + at);
		pieces[i].size = n;
		pieces[i].reserved = 0xFFFFFFFF;
		at += n;
	}
}

static bool all_bytes(const u8 *at, u32 n, u8 value)
{
	while (n--)
		if (*at++ != value)
			return false;
	return true;
}

/* A slot between margins, all of it poisoned. */
static u8 *slot_alloc(u32 len)
{
	u8 *memory = aligned_alloc(8, MARGIN + len + MARGIN);

	memset(memory, POISON, MARGIN + len + MARGIN);
	return memory + MARGIN;
}

static bool slot_margins(const u8 *slot, u32 len)
{
	return all_bytes(slot - MARGIN, MARGIN, POISON) &&
	       all_bytes(slot + len, MARGIN, POISON);
}

static void slot_free(u8 *slot)
{
	free(slot - MARGIN);
}

/* Is the record in the slot exactly what the source describes? */
static const char *record_fault(const u8 *slot, const struct etw_record_source *source,
				u32 len)
{
	u32 items = source->related ? ETW_RELATED_ITEM_SIZE : 0;
	u32 slot_len = etw_record_slot(source->size), offset = 0, at = 0;
	u8 head[ETW_EVENT_HEADER_SIZE];
	struct etw_record_view view;
	struct etw_ext_view ext;

	memcpy(head, golden, sizeof(head));
	head[0] = source->size;
	head[1] = source->size >> 8;
	head[4] |= source->related ? ETW_EVENT_EXTENDED_INFO : 0;
	if (!source->activity)
		memset(head + 64, 0, 16);
	if (memcmp(slot, head, sizeof(head)))
		return "header";
	if (memcmp(slot + sizeof(head), golden_item, items))
		return "related activity item";
	if (memcmp(slot + sizeof(head) + items, payload, len))
		return "payload";
	if (!all_bytes(slot + source->size, slot_len - source->size, 0))
		return "padding";
	if (!slot_margins(slot, slot_len))
		return "bytes around the slot";

	if (etw_record_next(slot, slot_len, &offset, &view) != 1 ||
	    offset != slot_len || (const u8 *)view.header != slot ||
	    view.ext_len != items || view.data_len != len ||
	    (const u8 *)view.data != slot + sizeof(head) + items ||
	    etw_record_next(slot, slot_len, &offset, &view) != 0)
		return "walk";
	if (items && (etw_ext_next(&view, &at, &ext) != 1 ||
		      ext.type != ETW_EXT_RELATED_ACTIVITY || ext.data_len != 16 ||
		      memcmp(ext.data, &related, 16)))
		return "item walk";
	if (etw_ext_next(&view, &at, &ext) != 0)
		return "end of items";
	return NULL;
}

static const char *one_record(u32 len, u32 count, bool with_related, bool with_activity)
{
	struct etw_record_source source = source_of(count);
	const char *fault;
	u8 *slot;

	cut(len, count);
	source.related = with_related ? &related : NULL;
	source.activity = with_activity ? &activity : NULL;
	if (etw_record_measure(&source) || source.size !=
	    ETW_EVENT_HEADER_SIZE + len + (with_related ? ETW_RELATED_ITEM_SIZE : 0))
		return "measure";
	slot = slot_alloc(etw_record_slot(source.size));
	etw_record_write(slot, &source, 0x0123456789ABCDEFULL);
	fault = record_fault(slot, &source, len);
	slot_free(slot);
	return fault;
}

static void test_sizes(void)
{
	static const u32 counts[] = { 1, 2, 3, 7, 64, 128 };
	u32 len, i, kind, wrong = 0;
	const char *fault;

	for (len = 0; len <= 300; len++)
		for (i = 0; i < 6; i++)
			for (kind = 0; kind < 4; kind++) {
				fault = one_record(len, counts[i], kind & 1, kind & 2);
				if (fault && !wrong++)
					printf("# %u bytes in %u pieces, kind %u: %s\n",
					       len, counts[i], kind, fault);
			}
	is(wrong, 0, "payloads of 0 to 300 bytes, every byte right");
	fault = one_record(0, 0, false, true);
	ok(!fault, "no descriptors: %s", fault ? fault : "header only");
}

#define ITEM_DATA	64

struct sized_item {
	struct etw_ext_item head;
	u8 data[ITEM_DATA];
};

/* Write items with these data sizes, with and without a related activity. */
static const char *with_items(const u32 *len, u32 count, bool with_related)
{
	struct etw_record_source source = source_of(1);
	static struct sized_item item[ETW_ITEMS_MAX];
	struct etw_record_items items = { 0 };
	u32 offset = 0, at = 0, i;
	struct etw_record_view view;
	struct etw_ext_view ext;
	const char *fault = NULL;
	u8 *slot;

	for (i = 0; i < count; i++) {
		/* The linkage in the input is ignored; the item's place counts. */
		item[i].head = (struct etw_ext_item){ 8 + (len[i] + 7) / 8 * 8, 100 + i, i & 1, len[i] };
		memset(item[i].data, i + 1, sizeof(item[i].data));
		items.item[items.count++] = &item[i].head;
		items.size += item[i].head.size;
	}
	cut(33, 1);
	source.related = with_related ? &related : NULL;
	if (etw_record_measure_items(&source, &items) || source.size != ETW_EVENT_HEADER_SIZE + 33 +
	    items.size + (with_related ? ETW_RELATED_ITEM_SIZE : 0))
		return "measure";
	slot = slot_alloc(etw_record_slot(source.size));
	etw_record_write_items(slot, &source, &items, 1);
	if (etw_record_next(slot, etw_record_slot(source.size), &offset, &view) != 1 ||
	    view.data_len != 33 || memcmp(view.data, payload, 33))
		fault = "walk";
	if (!fault && with_related && (etw_ext_next(&view, &at, &ext) != 1 ||
				       ext.type != ETW_EXT_RELATED_ACTIVITY))
		fault = "the related activity";
	for (i = 0; i < count && !fault; i++)
		if (etw_ext_next(&view, &at, &ext) != 1 || ext.type != 100 + i ||
		    ext.data_len != len[i] || !all_bytes(ext.data, len[i], i + 1))
			fault = "an item";
	if (!fault && etw_ext_next(&view, &at, &ext))
		fault = "the end of the items";
	if (!slot_margins(slot, etw_record_slot(source.size)))
		fault = "bytes around the slot";
	slot_free(slot);
	return fault;
}

static void test_items(void)
{
	static const u32 len[ETW_ITEMS_MAX] = { 16, 4, 0, 8, 1, 64, 63, 7, 9, 15, 17, 2, 3, 5, 6, 31 };
	const char *fault = NULL;
	u32 count, kind;

	for (count = 1; count <= ETW_ITEMS_MAX; count++)
		for (kind = 0; kind < 2 && !fault; kind++)
			fault = with_items(len, count, kind);
	ok(!fault, "1 to 16 items, beside a related activity and alone: %s", fault ?: "right");
}

/* Write an extra item of this size among typed descriptors, with or without others. */
static const char *with_extra(u32 len, u32 others)
{
	struct etw_record_extra extra = { .typed = true, .timestamp_given = true, .timestamp = 77 };
	struct etw_record_source source = source_of(4);
	struct etw_record_items items = { .extra = &extra };
	static struct sized_item other;
	struct etw_record_view view;
	struct etw_ext_view ext;
	const char *fault = NULL;
	u32 offset = 0, at = 0;
	u8 *slot;

	other.head = (struct etw_ext_item){ 16, 100, 0, 3 };
	memset(other.data, 1, 3);
	for (; items.count < others; items.size += 16)
		items.item[items.count++] = &other.head;
	cut(40, 4);
	pieces[0].reserved = pieces[2].reserved = 0;
	pieces[1].reserved = ETW_DATA_EVENT_METADATA;
	pieces[3].reserved = ETW_DATA_TIMESTAMP;
	if (len && !etw_record_add_extra(&extra, 11, payload, len))
		return "the size";
	if (etw_record_measure_items(&source, &items))
		return "measure";
	slot = slot_alloc(etw_record_slot(source.size));
	/* A time later than the present one is ignored. */
	etw_record_write_items(slot, &source, &items, others ? 78 : 76);
	if (etw_record_next(slot, etw_record_slot(source.size), &offset, &view) != 1 ||
	    view.data_len != pieces[0].size + pieces[2].size ||
	    memcmp(view.data, (void *)(unsigned long)pieces[0].ptr, pieces[0].size) ||
	    memcmp((u8 *)view.data + pieces[0].size, (void *)(unsigned long)pieces[2].ptr,
		   pieces[2].size))
		fault = "the payload";
	if (!fault && (view.header->timestamp != (others ? 77 : 76) ||
		       !(view.header->flags & ETW_EVENT_EXTENDED_INFO) != !(len || others)))
		fault = "the header";
	if (!fault && len && (etw_ext_next(&view, &at, &ext) != 1 || ext.type != 11 ||
			      ext.data_len != len || memcmp(ext.data, payload, len) ||
			      !all_bytes((u8 *)ext.data + len, -len & 7, 0)))
		fault = "the extra item";
	for (; others && !fault; others--)
		if (etw_ext_next(&view, &at, &ext) != 1 || ext.type != 100)
			fault = "another item";
	if (!fault && etw_ext_next(&view, &at, &ext))
		fault = "the end of the items";
	if (!slot_margins(slot, etw_record_slot(source.size)))
		fault = "bytes around the slot";
	slot_free(slot);
	return fault;
}

/* B81, B83: extra items are not part of the payload; a given time is used. */
static void test_extra(void)
{
	static const u32 len[] = { 0, 1, 7, 8, 9, 1000, 65000 };
	struct etw_record_extra extra = { 0 };
	const char *fault = NULL;
	u32 i, others;

	for (i = 0; i < 7; i++)
		for (others = 0; others < 3 && !fault; others++)
			fault = with_extra(len[i], others);
	ok(!fault, "items whose data lies elsewhere: %s", fault ?: "right");
	ok(!etw_record_add_extra(&extra, 11, payload, ETW_RECORD_MAX - 87) && !extra.count &&
	   etw_record_add_extra(&extra, 11, payload, ETW_RECORD_MAX - 88),
	   "none is larger than an event");
}

static void test_limits(void)
{
	const u32 most = ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE;
	struct etw_record_source source = source_of(1);
	u32 len, wrong = 0;
	int i;

	for (len = most - 16; len <= most; len++)
		wrong += one_record(len, 1, false, true) != NULL;
	for (len = most - 40; len <= most - 24; len++)
		wrong += one_record(len, 3, true, true) != NULL;
	is(wrong, 0, "payloads up to a record of 65535 bytes");

	pieces[0].size = most + 1;
	is(etw_record_measure(&source), -EOVERFLOW, "one byte more");
	pieces[0].size = most - 23;
	is(etw_record_measure(&source), 0, "it would fit");
	source.related = &related;
	is(etw_record_measure(&source), -EOVERFLOW, "but for the related activity");
	source.related = NULL;

	for (i = 0; i < ETW_DATA_MAX + 1; i++)
		pieces[i] = (struct etw_data_descriptor){ .size = 0xFFFFFFFF };
	source.count = ETW_DATA_MAX;
	is(etw_record_measure(&source), -EOVERFLOW, "128 times 4 GB");
	source.count = 2;
	pieces[0].size = 0x80000000;
	pieces[1].size = 0x80000000;
	is(etw_record_measure(&source), -EOVERFLOW, "sizes whose sum is 0 in 32 bits");
	source.count = ETW_DATA_MAX;
	for (i = 0; i < ETW_DATA_MAX + 1; i++)
		pieces[i].size = 0;
	is(etw_record_measure(&source), 0, "128 descriptors");
	is(source.size, ETW_EVENT_HEADER_SIZE, "of nothing");
	source.count = ETW_DATA_MAX + 1;
	is(etw_record_measure(&source), -EINVAL, "129 descriptors");
	source.count = ~0U;
	is(etw_record_measure(&source), -EINVAL, "4 billion descriptors");
}

/* User space may change its descriptors after they were measured. */
static void test_changed(void)
{
	struct etw_record_source source = source_of(3);
	u32 slot_len;
	u8 *slot;

	cut(99, 3);
	etw_record_measure(&source);
	slot_len = etw_record_slot(source.size);

	slot = slot_alloc(slot_len);
	pieces[0].ptr = (unsigned long)payload;
	pieces[0].size = 60000;
	etw_record_write(slot, &source, 0);
	ok(slot_margins(slot, slot_len) && !memcmp(slot + 80, payload, 99) &&
	   all_bytes(slot + source.size, slot_len - source.size, 0),
	   "a list that grew is cut");
	slot_free(slot);

	slot = slot_alloc(slot_len);
	pieces[0].size = 10;
	pieces[1].size = 0;
	pieces[2].size = 0;
	etw_record_write(slot, &source, 0);
	ok(slot_margins(slot, slot_len) && !memcmp(slot + 80, payload, 10) &&
	   all_bytes(slot + 90, slot_len - 90, 0),
	   "a list that shrank is filled with zeros");
	slot_free(slot);
}

static void test_buffer_check(void)
{
	struct etw_buffer_header good = { .buffer_size = 4096, .offset = 72 }, h, out;
	u8 *buf = calloc(1, 4096);

	memcpy(buf, &good, sizeof(good));
	is(etw_buffer_check(buf, 4096, &out), 0, "an empty buffer");
	ok(!memcmp(&out, &good, sizeof(good)), "its header copied");
	is(etw_buffer_check(buf, 4095, &out), -EINVAL, "shorter than it says");
	is(etw_buffer_check(buf, 71, &out), -EINVAL, "shorter than a header");
	is(etw_buffer_check(buf, 0, &out), -EINVAL, "nothing");

#define CHECK(member, value, want, name)				\
	do {								\
		h = good;						\
		h.member = (value);					\
		memcpy(buf, &h, sizeof(h));				\
		is(etw_buffer_check(buf, 4096, &out), want, name);	\
	} while (0)

	CHECK(offset, 4096, 0, "a full buffer");
	CHECK(offset, 4097, -EINVAL, "offset beyond the end");
	CHECK(offset, 0xFFFFFFFF, -EINVAL, "offset far beyond the end");
	CHECK(offset, 71, -EINVAL, "offset inside the header");
	CHECK(buffer_size, 4097, -EINVAL, "size beyond the end");
	CHECK(buffer_size, 71, -EINVAL, "size smaller than the header");
	CHECK(buffer_size, 72, 0, "size of the header alone");
	free(buf);
}

int main(void)
{
	u32 i;

	for (i = 0; i < sizeof(payload); i++)
		payload[i] = 1 + i % 251;
	test_sizes();
	test_items();
	test_extra();
	test_limits();
	test_changed();
	test_buffer_check();
	return done_testing();
}
