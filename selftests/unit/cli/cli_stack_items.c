// SPDX-License-Identifier: MIT
/*
 * cli_stack_items - stacks of Windows' kernel logger become parts of the events they belong to
 */
#include "unit/etl/etl_write.h"

#include "cli/stacks.h"

#define THREAD_SWITCH	0x0524	/* Thread/CSwitch: without a thread in the record */
#define PROCESS_START	0x0301
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
				     uint16_t cpu, unsigned int first, unsigned int count)
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
	if (!etw_stacks_wants(&stacks, event))
		keep(event, 0);
	else if (etw_stacks_add(&stacks, event, 3))
		abort();
	drain(false);
}

static void begin(void)
{
	etw_stacks_free(&stacks);
	n = 0;
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
	give(stack(ETW_ETL_SYSTEM64, 1000, 1001, 13, 3, 1, 1));
	give(stack(ETW_ETL_SYSTEM64, 1000, 1001, 14, 4, 2, 1));
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

/* An event of another kind, with an item of its own, in a trace with stacks */
static void test_items(void)
{
	uint32_t size = make_event(given.raw, 100000, 3, 5);

	begin();
	take_event(size, 1000, 0);
	give(&given.event);
	is(n, 1, "events before the first of the kernel logger do not wait");
	give(record(ETW_ETL_SYSTEM64, PROCESS_START, 1001, 5, 0, "a", 1));
	size = make_event(given.raw, 100200, 3, 5);
	take_event(size, 1002, 0);
	give(&given.event);
	give(stack(ETW_ETL_SYSTEM64, 1002, 1003, 5, 0, 7, 2));
	drain(true);
	is(n, 3, "they are given a stack, too");
	ok(items[2] == items[0] + 1 && counts[2] == 2 && frames[2][1] == FRAME + 8,
	   "besides their own items");
	is(lengths[2], 5, "and keep their payload");
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
	test_limits();
	etw_stacks_free(&stacks);
	return done_testing();
}
