// SPDX-License-Identifier: MIT
/*
 * cli_stack_items - stacks of Windows' kernel logger become parts of the events they belong to
 */
#include "unit/etl/etl_write.h"

#include "cli/stacks.h"

#define THREAD_SWITCH	0x0524	/* Thread/CSwitch: without a thread in the record */
#define PROCESS_START	0x0301
#define SAMPLE		0x0F2E	/* PerfInfo/SampleProf */
#define STACK_WALK	0x1820
#define FRAME		0xfffff80000001000ull

static struct etw_stacks stacks;
static struct etw_event events[8];	/* what comes out; its record is gone */
static uint8_t opcodes[8];
static uint32_t lengths[8];		/* of payloads */
static uint64_t frames[8][512];		/* their stacks' */
static unsigned int counts[8], sources[8];
static unsigned int items[8];		/* how many items they have */
static unsigned int n;

/* One record in a buffer, and the event it makes */
struct given {
	_Alignas(8) unsigned char raw[4200];
	struct etw_buffer_header buffer;
	struct etw_event event;
};

static struct given given;
static struct etw_stacks_place place;	/* of what is given next */
static size_t most;			/* bytes that were ever held */

static void take_event(uint32_t size, int64_t time, uint16_t cpu)
{
	struct etw_event *e = &given.event;
	uint32_t at = 0;

	memset(e, 0, sizeof(*e));
	e->raw = given.raw;
	e->raw_size = size;
	e->cpu = cpu;
	e->buffer = &given.buffer;
	e->time = time;
	if (etw_etl_record(given.raw, (size + 7) / 8 * 8, &at, &e->record, &e->classic) != 1)
		abort();
}

/* A record of the kernel logger; the raw time is the event's, in ns. */
static const struct etw_event *record(uint8_t type, uint16_t hook, int64_t time, uint32_t thread,
				      uint16_t cpu, const void *payload, uint16_t len)
{
	bool compact = type == ETW_ETL_PERFINFO32 || type == ETW_ETL_PERFINFO64;
	uint16_t size = (uint16_t)((compact ? 16 : 32) + len), version = 2;
	uint32_t process = 7;
	int64_t raw = time * 100;
	unsigned char *r = given.raw;

	memset(r, 0, sizeof(given.raw));
	memcpy(r, &version, 2);
	r[2] = type;
	r[3] = 0xC0;
	memcpy(r + 4, &size, 2);
	memcpy(r + 6, &hook, 2);
	if (compact) {
		memcpy(r + 8, &raw, 8);
	} else {
		memcpy(r + 8, &thread, 4);
		memcpy(r + 12, &process, 4);
		memcpy(r + 16, &raw, 8);
	}
	memcpy(r + size - len, payload, len);
	take_event(size, time, cpu);
	return &given.event;
}

static const struct etw_event *stack(uint8_t type, int64_t of, int64_t time, uint32_t thread,
				     uint16_t cpu, uint64_t first, unsigned int count)
{
	unsigned char payload[16 + 500 * 8];
	size_t pointer = type == ETW_ETL_SYSTEM32 || type == ETW_ETL_PERFINFO32 ? 4 : 8;
	uint32_t process = 7;
	int64_t raw = of * 100;

	memcpy(payload, &raw, 8);
	memcpy(payload + 8, &process, 4);
	memcpy(payload + 12, &thread, 4);
	for (unsigned int i = 0; i < count; i++) {
		uint64_t frame = FRAME + first + i;

		memcpy(payload + 16 + i * pointer, &frame, pointer);
	}
	return record(type, STACK_WALK, time, thread, cpu, payload, (uint16_t)(16 + count * pointer));
}

static void keep(const struct etw_event *event, unsigned int source)
{
	struct etw_ext_view item;
	uint32_t at = 0;

	if (n == 8)
		return;
	events[n] = *event;
	sources[n] = source;
	opcodes[n] = event->record.header->desc.opcode;
	lengths[n] = event->record.data_len;
	counts[n] = items[n] = 0;
	while (etw_ext_next(&event->record, &at, &item) == 1) {
		size_t width = item.type == ETW_EXT_STACK_TRACE32 ? 4 : 8;

		items[n]++;
		if (item.type != ETW_EXT_STACK_TRACE32 && item.type != ETW_EXT_STACK_TRACE64)
			continue;
		for (size_t i = 8; i + width <= item.data_len && counts[n] < 512; i += width) {
			frames[n][counts[n]] = 0;
			memcpy(&frames[n][counts[n]++], (const char *)item.data + i, width);
		}
	}
	n++;
}

static void drain(bool all)
{
	const struct etw_event *event;
	unsigned int source;

	while ((event = etw_stacks_take(&stacks, all, &source)))
		keep(event, source);
}

static void give(const struct etw_event *event)
{
	if (etw_stacks_add(&stacks, event, place))
		abort();
	most = stacks.bytes + stacks.spare_bytes > most ? stacks.bytes + stacks.spare_bytes : most;
	drain(false);
}

static void begin(void)
{
	etw_stacks_free(&stacks);
	n = 0;
	most = 0;
	place = (struct etw_stacks_place){ .source = 3 };
}

static void give_frames(int64_t of, uint32_t thread, uint16_t cpu, uint64_t first)
{
	give(stack(ETW_ETL_SYSTEM64, of, of, thread, cpu, first, 1));
}

static void test_parts(uint8_t compact, uint8_t system, uint64_t mask)
{
	begin();
	give(record(system, PROCESS_START, 1000, 11, 1, "abcd", 4));
	give(record(compact, THREAD_SWITCH, 1001, 0, 2, "abcd", 4));
	give(stack(system, 1000, 1002, 11, 1, 0, 3));
	give(stack(compact == ETW_ETL_PERFINFO32 ? ETW_ETL_SYSTEM32 : ETW_ETL_SYSTEM64,
		   1001, 1003, 12, 2, 10, 2));
	is(n, 0, "events wait");
	give(stack(system, 1000, 1500, 11, 3, 20, 2));
	drain(true);
	is(n, 2, "the stacks are no events of their own");
	ok(counts[0] == 5 && frames[0][0] == (FRAME & mask) && frames[0][2] == ((FRAME + 2) & mask) &&
	   frames[0][3] == ((FRAME + 20) & mask) && frames[0][4] == ((FRAME + 21) & mask),
	   "the part of the process comes after that of the kernel, from another CPU");
	ok(counts[1] == 2 && frames[1][0] == ((FRAME + 10) & mask), "without a thread in the record");
	ok(events[0].time == 1000 && events[1].time == 1001 && sources[0] == 3 &&
	   events[1].cpu == 2, "in their order, and unchanged");
}

static void test_which(void)
{
	begin();
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "a", 1));
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 12, 1, "b", 1));
	give(record(ETW_ETL_PERFINFO64, THREAD_SWITCH, 1000, 0, 2, "c", 1));
	give(record(ETW_ETL_PERFINFO64, THREAD_SWITCH, 1000, 0, 3, "d", 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1001, 12, 5, 0, 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1001, 14, 4, 2, 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1001, 13, 3, 1, 1));
	give(stack(ETW_ETL_SYSTEM64, 999, 1001, 11, 0, 3, 1));
	drain(true);
	is(n, 6, "two stacks belong to no event");
	ok(!counts[0] && counts[1] == 1 && frames[1][0] == FRAME, "of events at one time: by thread");
	ok(!counts[2] && counts[3] == 1 && frames[3][0] == FRAME + 1, "by CPU where there is no thread");
	ok(opcodes[4] == 32 && lengths[5] == 24,
	   "and those two are shown as they are");
}

static void test_wait(void)
{
	begin();
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "a", 1));
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000 + ETW_STACKS_WAIT - 1, 11, 0, "a", 1));
	is(n, 0, "for just less than a tenth of a second");
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000 + ETW_STACKS_WAIT, 11, 0, "a", 1));
	is(n, 1, "and no longer");
	give(stack(ETW_ETL_SYSTEM64, 1000, 1001 + ETW_STACKS_WAIT, 11, 0, 0, 1));
	drain(true);
	ok(n == 4 && !counts[0], "a stack that comes later is an event");
	begin();
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "a", 1));
	for (unsigned int i = 0; i < ETW_STACKS_EVENTS; i++)
		give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "a", 1));
	ok(n >= 1 && stacks.events < ETW_STACKS_EVENTS + 1, "no more events wait than that");
	begin();
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, INT64_MAX / 100, 11, 0, "a", 1));
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, -5, 11, 0, "a", 1));
	is(n, 1, "a time that goes back does not hold events for ever");
}

/* Events of another kind, with items of their own, in a trace with stacks */
static void test_items(void)
{
	struct etw_ext_item item;
	struct etw_event kept;
	uint32_t size = make_event(given.raw, 100200, 3, 5);

	begin();
	take_event(size, 1002, 0);
	give(&given.event);
	give(stack(ETW_ETL_SYSTEM64, 1002, 1003, 5, 0, 7, 2));
	drain(true);
	ok(n == 1 && items[0] == 2 && counts[0] == 2 && frames[0][1] == FRAME + 8,
	   "they are given a stack besides their own items");
	is(lengths[0], 5, "and keep their payload");

	begin();
	make_event(given.raw, 100200, 3, 5);
	memcpy(&item, given.raw + sizeof(struct etw_event_header), sizeof(item));
	item.type = ETW_EXT_STACK_TRACE64;
	memcpy(given.raw + sizeof(struct etw_event_header), &item, sizeof(item));
	take_event(size, 1002, 0);
	give(&given.event);
	give(stack(ETW_ETL_SYSTEM64, 1002, 1003, 5, 0, 7, 2));
	drain(true);
	ok(n == 2 && items[0] == 1 && opcodes[1] == 32, "one that has a stack is not given another");

	begin();
	make_event(given.raw, 100200, 3, 5);
	take_event(size, 1002, 0);
	kept = given.event;
	item.size = 4;
	memcpy(given.raw + sizeof(struct etw_event_header), &item, sizeof(item));
	give(&kept);
	give(stack(ETW_ETL_SYSTEM64, 1002, 1003, 5, 0, 7, 2));
	drain(true);
	ok(n == 2 && opcodes[1] == 32, "nor is one whose items make no sense");
}

/* Two files, with the same times and threads */
static void give_two(unsigned int clock, unsigned int other_clock)
{
	begin();
	place = (struct etw_stacks_place){ 1, clock };
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "a", 1));
	place = (struct etw_stacks_place){ 2, other_clock };
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "b", 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1001, 11, 0, 1, 1));
	place = (struct etw_stacks_place){ 1, clock };
	give(stack(ETW_ETL_SYSTEM64, 1000, 1001, 11, 0, 5, 1));
	place = (struct etw_stacks_place){ 3, clock };
	give(stack(ETW_ETL_SYSTEM64, 1000, 1002, 11, 0, 0x10, 1));
	drain(true);
}

static void test_files(void)
{
	give_two(1, 2);
	ok(counts[0] == 2 && frames[0][0] == FRAME + 5 && counts[1] == 1 && frames[1][0] == FRAME + 1,
	   "each file's stacks go to its own events");
	ok(n == 2 && frames[0][1] == FRAME + 0x10, "or to those of a file of the same machine");
	give_two(1, 1);
	ok(counts[0] >= 1 && frames[0][0] == FRAME + 5 && counts[1] >= 1 && frames[1][0] == FRAME + 1,
	   "to their own first, also if both are of one machine");
	give_two(0, 0);
	ok(n == 3 && counts[0] == 1 && counts[1] == 1 && opcodes[2] == 32,
	   "never to those of a machine that is not known");
}

/* A sample has its thread in the payload, not in the record. */
static void give_samples(uint8_t type, uint8_t system)
{
	unsigned char sample[16] = { 0 };
	size_t pointer = type == ETW_ETL_PERFINFO32 ? 4 : 8;

	begin();
	sample[pointer] = 11;
	give(record(type, SAMPLE, 1000, 0, 2, sample, (uint16_t)(pointer + 8)));
	sample[pointer] = 12;
	give(record(type, SAMPLE, 1000, 0, 3, sample, (uint16_t)(pointer + 8)));
	give(stack(system, 1000, 1001, 11, 3, 0, 1));
	give(stack(system, 1000, 1001, 12, 2, 1, 1));
	give(stack(system, 1000, 1001, 13, 2, 2, 1));
	drain(true);
	ok(n == 3 && counts[0] == 1 && counts[1] == 1 && (uint8_t)frames[0][0] == 0 &&
	   (uint8_t)frames[1][0] == 1 && opcodes[2] == 32, "a sample has the stack of its thread");
}

/* The clock is so coarse that several events have one time. */
static void test_coarse(void)
{
	const uint64_t process = 0x1000 - FRAME;	/* from the first frame on */

	begin();
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "a", 1));
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "b", 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1000, 11, 0, 1, 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1000, 11, 0, 2, 1));
	give_frames(1000, 11, 3, process + 3);
	give_frames(1000, 11, 3, process + 4);
	drain(true);
	ok(n == 2 && counts[0] == 2 && frames[0][0] == FRAME + 1 && frames[0][1] == 0x1003 &&
	   counts[1] == 2 && frames[1][0] == FRAME + 2 && frames[1][1] == 0x1004,
	   "stacks of events of one time come in their order, each part of them");

	begin();
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "a", 1));
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 1, "b", 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1000, 11, 1, 1, 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1000, 11, 0, 2, 1));
	drain(true);
	ok(n == 2 && frames[0][0] == FRAME + 2 && frames[1][0] == FRAME + 1, "and are of their CPU");

	begin();
	give(record(ETW_ETL_PERFINFO64, THREAD_SWITCH, 1000, 0, 2, "c", 1));
	give(record(ETW_ETL_PERFINFO64, THREAD_SWITCH, 1000, 0, 2, "d", 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1000, 11, 2, 1, 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1000, 12, 2, 2, 1));
	give_frames(1000, 12, 5, process + 4);
	give_frames(1000, 11, 2, process + 3);
	drain(true);
	ok(n == 2 && frames[0][0] == FRAME + 1 && frames[0][1] == 0x1003 &&
	   frames[1][0] == FRAME + 2 && frames[1][1] == 0x1004,
	   "an event whose record has no thread is of that of its stack's first part");

	begin();
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 12, 0, "a", 1));
	for (unsigned int i = 0; i < 1000; i++)
		give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 13, 0, "b", 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1000, 12, 0, 1, 1));
	drain(true);
	ok(counts[0] == 1, "however many events other threads have at that time");
}

/* All memory counts, that of stacks and that which is kept for later events. */
static void test_memory(void)
{
	static const unsigned char large[4000];
	unsigned int i;

	begin();
	for (i = 0; i < 20000; i++) {
		give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000 + i, 11, 0, "a", 1));
		give(stack(ETW_ETL_SYSTEM64, 1000 + i, 1000 + i, 11, 0, 0, 500));
	}
	ok(n && most >= ETW_STACKS_BYTES, "stacks count as memory");
	ok(most < ETW_STACKS_BYTES + 16384, "of which there is a limit");
	drain(true);
	is(stacks.bytes, 0, "all is given back");
	for (i = 0; i < 20000; i++)
		give(record(ETW_ETL_SYSTEM64, PROCESS_START, 30000 + i, 11, 0, large, 4000));
	ok(most < ETW_STACKS_BYTES + 16384, "what is kept for later is part of it");
}

/* Parts that together exceed an item, and widths that differ */
static void test_limits(void)
{
	unsigned int i;

	begin();
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "a", 1));
	for (i = 0; i < 17; i++)
		give(stack(ETW_ETL_SYSTEM64, 1000, 1001, 11, 0, 0, 500));
	drain(true);
	is(n, 2, "more frames than an item holds are an event of their own");
	begin();
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "a", 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1001, 11, 0, 0, 2));
	give(stack(ETW_ETL_SYSTEM32, 1000, 1001, 11, 0, 0, 2));
	give(record(ETW_ETL_SYSTEM64, STACK_WALK, 1001, 11, 0, "short", 5));
	drain(true);
	ok(n == 3 && counts[0] == 2, "so are those of another width, and what is no stack");
	begin();
	given.event.lost_buffers = 0;
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1000, 11, 0, "a", 1));
	stack(ETW_ETL_SYSTEM64, 1000, 1001, 11, 0, 0, 2);
	given.event.lost_buffers = 1;
	give(&given.event);
	drain(true);
	ok(n == 2 && events[1].lost_buffers == 1, "a stack that reports a loss stays an event");
}

int main(void)
{
	test_parts(ETW_ETL_PERFINFO64, ETW_ETL_SYSTEM64, UINT64_MAX);
	test_parts(ETW_ETL_PERFINFO32, ETW_ETL_SYSTEM32, UINT32_MAX);
	test_which();
	test_wait();
	test_items();
	test_files();
	give_samples(ETW_ETL_PERFINFO64, ETW_ETL_SYSTEM64);
	give_samples(ETW_ETL_PERFINFO32, ETW_ETL_SYSTEM32);
	test_coarse();
	test_memory();
	test_limits();
	etw_stacks_free(&stacks);
	return done_testing();
}
