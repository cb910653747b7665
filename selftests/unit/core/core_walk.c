// SPDX-License-Identifier: GPL-2.0-only
/*
 * core_walk.c - the record walker on untrusted buffers
 *
 * Each buffer is copied into an allocation of its exact size, so that the address
 * sanitizer sees the first byte read outside.
 */
#include <stdlib.h>

#include "core/record.h"
#include "lib/pick.h"
#include "lib/tap.h"

#define MUTATIONS	200000
#define BUFFER_MAX	2048

/* A record at buf + at with these items (data sizes, ends with -1). */
static u32 put_record(u8 *buf, u32 at, const int *items, u32 data_len)
{
	struct etw_event_header *header = (void *)(buf + at);
	u32 end = at + ETW_EVENT_HEADER_SIZE;
	u32 i;

	memset(header, 0, sizeof(*header));
	header->type = at & 16 ? ETW_TYPE_EVENT64 : ETW_TYPE_EVENT32;
	header->flags = items[0] >= 0 ? ETW_EVENT_EXTENDED_INFO : 0;
	for (i = 0; items[i] >= 0; i++) {
		struct etw_ext_item item = {
			.size = ALIGN(ETW_EXT_ITEM_SIZE + items[i], 8),
			.type = 1 + i,
			.linkage = items[i + 1] >= 0,
			.data_size = items[i],
		};

		memcpy(buf + end, &item, sizeof(item));
		end += item.size;
	}
	memset(buf + end, 0x11 * (1 + data_len % 14), data_len);
	end += data_len;
	header->size = end - at;
	return etw_record_slot(end);
}

static const int no_items[] = { -1 };
static const int one_item[] = { 16, -1 };
static const int many_items[] = { 0, 16, 5, 8, 33, 1, -1 };

/* A well-formed buffer; its length */
static u32 put_buffer(u8 *buf)
{
	struct etw_buffer_header *header = (void *)buf;
	u32 end = ETW_BUFFER_HEADER_SIZE, i;

	memset(buf, ETW_TAIL_BYTE, BUFFER_MAX);
	memset(header, 0, sizeof(*header));
	for (i = 0; i < 3; i++) {
		end = put_record(buf, end, no_items, 13 * i);
		end = put_record(buf, end, one_item, 5 + i);
		end = put_record(buf, end, many_items, 3 - i);
	}
	header->buffer_size = end + 96;
	header->offset = end;
	return end + 96;
}

static volatile u8 sink;

static void touch(const void *at, u32 n)
{
	const u8 *byte = at;

	while (n--)
		sink ^= *byte++;
}

static bool inside(const void *at, u32 n, const u8 *buf, u32 len)
{
	const u8 *first = at;

	return first >= buf && first <= buf + len && n <= (size_t)(buf + len - first);
}

struct walked {
	u32 records;
	u32 items;
	bool wrong;
	int end;	/* last result of etw_record_next() */
};

static void walk_items(const struct etw_record_view *view, struct walked *walked)
{
	struct etw_ext_view ext;
	u32 at = 0, turns = 0;
	int got;

	while ((got = etw_ext_next(view, &at, &ext)) == 1) {
		walked->items++;
		if (++turns > view->ext_len / ETW_EXT_ITEM_SIZE ||
		    !inside(ext.data, ext.data_len, view->ext, view->ext_len)) {
			walked->wrong = true;
			return;
		}
		touch(ext.data, ext.data_len);
	}
	/* Items of a record that etw_record_next() accepted must be complete. */
	if (got || at != view->ext_len)
		walked->wrong = true;
}

static struct walked walk(const u8 *buf, u32 end)
{
	u32 offset = ETW_BUFFER_HEADER_SIZE, before = offset, turns = 0;
	struct walked walked = { 0 };
	struct etw_record_view view;

	while ((walked.end = etw_record_next(buf, end, &offset, &view)) == 1) {
		walked.records++;
		if (++turns > end / ETW_EVENT_HEADER_SIZE ||
		    offset < before + ETW_EVENT_HEADER_SIZE ||
		    (const u8 *)view.header != buf + before ||
		    !inside(view.header, sizeof(*view.header), buf, end) ||
		    !inside(view.ext, view.ext_len, buf, end) ||
		    !inside(view.data, view.data_len, buf, end)) {
			walked.wrong = true;
			return walked;
		}
		touch(view.header, sizeof(*view.header));
		touch(view.data, view.data_len);
		walk_items(&view, &walked);
		before = offset;
	}
	if (offset != before)	/* neither 0 nor -EINVAL changes it */
		walked.wrong = true;
	return walked;
}

static void test_good(void)
{
	static u8 buf[BUFFER_MAX] __attribute__((aligned(8)));
	struct etw_buffer_header header;
	struct walked walked;
	u32 len = put_buffer(buf);

	is(etw_buffer_check(buf, len, &header), 0, "a well-formed buffer");
	walked = walk(buf, header.offset);
	ok(!walked.wrong && walked.end == 0, "is walked to its end");
	is(walked.records, 9, "all records");
	is(walked.items, 21, "all items");
	walked = walk(buf, header.buffer_size);
	ok(!walked.wrong && walked.end == -EINVAL && walked.records == 9,
	   "the tail is no record");

	/* The last record of a buffer may lack its padding. */
	walked = walk(buf, header.offset - 7);
	ok(!walked.wrong && walked.end == 0 && walked.records == 9,
	   "a last record without its padding");
	walked = walk(buf, header.offset - 8);
	ok(!walked.wrong && walked.end == -EINVAL && walked.records == 8,
	   "a last record that is cut");
}

/* Single faults, each of which must be refused at the second record. */
static void test_faults(void)
{
	static u8 buf[BUFFER_MAX] __attribute__((aligned(8)));
	struct etw_event_header *record = (void *)(buf + 72 + 80);
	struct etw_ext_item *item = (void *)(record + 1);
	struct etw_record_view view;
	u32 offset = 72 + 84;

#define REFUSED(change, name)						\
	do {								\
		struct walked walked;					\
									\
		put_buffer(buf);					\
		change;							\
		walked = walk(buf, ((struct etw_buffer_header *)buf)->offset); \
		ok(!walked.wrong && walked.records == 1 &&		\
		   walked.end == -EINVAL, "%s is refused", name);	\
	} while (0)

	REFUSED(record->type = 0xC014, "another type");
	REFUSED(record->type = 0, "no type");
	REFUSED(record->size = 0, "size 0");
	REFUSED(record->size = 79, "a size below the header's");
	REFUSED(record->size = 65535, "a size beyond the buffer");
	REFUSED(record->size = 80, "no room for the item that flags promise");
	REFUSED(record->size = 80 + 23, "an item that is cut");
	REFUSED(item->size = 0, "an item of size 0");
	REFUSED(item->size = 7, "an item smaller than its head");
	REFUSED(item->size = 25, "an item of odd size");
	REFUSED(item->size = 32, "an item larger than the record");
	REFUSED(item->size = 0xFFF8, "an item larger than any record");
	REFUSED(item->data_size = 17, "data larger than its item");
	REFUSED(item->data_size = 0xFFFF, "data larger than any item");
	REFUSED(item->linkage = 1, "a link to an item that is not there");

	put_buffer(buf);
	is(etw_record_next(buf, BUFFER_MAX, &offset, &view), -EINVAL,
	   "an unaligned offset is refused");
	is(offset, 72 + 84, "and left alone");
	offset = ~0U;
	is(etw_record_next(buf, BUFFER_MAX, &offset, &view), 0,
	   "an offset beyond the end is the end");
}

static void mutate(u8 *buf, u32 len)
{
	static const u16 odd[] = {
		0, 1, 7, 8, 9, 16, 24, 79, 80, 81, 88, 0x7FFF, 0x8000, 0xC012,
		0xC013, 0xFFF8, 0xFFFF,
	};
	u32 i, n = 1 + pick(6), at;

	for (i = 0; i < n; i++) {
		/* Fields lie at even offsets: mostly change a whole one. */
		at = pick(len - 1);
		switch (pick(4)) {
		case 0:
			buf[at] = pick(256);
			break;
		case 1:
			buf[at] ^= 1 << pick(8);
			break;
		default:
			memcpy(buf + (at & ~1U), &odd[pick(sizeof(odd) / 2)], 2);
		}
	}
}

static void test_fuzz(void)
{
	static u8 good[BUFFER_MAX] __attribute__((aligned(8)));
	u32 len = put_buffer(good), i, part, refused = 0, wrong = 0, broken = 0;
	u32 records = 0, items = 0;
	struct etw_buffer_header header;
	struct walked walked;
	u8 *buf;

	for (i = 0; i < MUTATIONS; i++) {
		part = pick(4) ? len : ETW_BUFFER_HEADER_SIZE + pick(len - 72);
		buf = malloc(part);
		memcpy(buf, good, part);
		mutate(buf, part);
		if (etw_buffer_check(buf, part, &header) == 0) {
			walked = walk(buf, header.offset);
			wrong += walked.wrong || header.offset > part;
		} else {
			refused++;
		}
		/* Whatever the header says, walk all bytes of the buffer. */
		walked = walk(buf, part);
		wrong += walked.wrong;
		broken += walked.records < 9;
		records += walked.records;
		items += walked.items;
		free(buf);
	}
	is(wrong, 0, "200000 damaged buffers: nothing is found outside, walks end");
	ok(refused > MUTATIONS / 100 && refused < MUTATIONS / 2,
	   "%u headers refused", refused);
	ok(broken > MUTATIONS / 4 && records > MUTATIONS && items > MUTATIONS,
	   "%u walks cut short; %u records, %u items seen", broken, records, items);
}

int main(void)
{
	test_good();
	test_faults();
	test_fuzz();
	return done_testing();
}
