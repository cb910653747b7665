// SPDX-License-Identifier: MIT
/* cli_workers - what etw dump prints with several threads is what it prints with one */
#define _GNU_SOURCE
#include <sched.h>

#include "unit/decode/decode_event.h"
#include "unit/etl/etl_loss.h"

#include <etw/abi.h>
#include "core/record.h"
#include "tdh/decode/embed.h"

#define EVENTS	20000
#define CPUS	3

static struct make make;
static unsigned int random_state;
static uint64_t sequence;
static int cpu;		/* one that this process may use */

static unsigned int any(unsigned int limit)
{
	random_state = random_state * 1103515245u + 12345;
	return (random_state >> 16) % limit;
}

static uint64_t clock_of(unsigned int i)
{
	return 1000 + i * 20000ull;
}

/* The next buffer, of another CPU */
static void next_buffer(void)
{
	if (sequence)
		make_put(&make);
	sequence++;
	make_buffer(&make, (uint16_t)(sequence % CPUS), sequence);
}

static void need(uint32_t room)
{
	if (feed_header(&make.feed)->offset + room > MAKE_SIZE)
		next_buffer();
}

/* Take a slot, whose record is complete. */
static void took(uint32_t size)
{
	struct etw_buffer_header *h = feed_header(&make.feed);

	h->offset += etw_record_slot(size);
	h->saved_offset = h->current_offset = h->offset;
}

/* A TraceLogging event: number, and a text that sometimes needs escapes or is long */
static void put_named(unsigned int i)
{
	static const unsigned char schema[] = "\x16\0\0Step\0number\0\x08text\0\x02";
	static const unsigned char traits[] = "\x08\0Named";
	struct etw_event_descriptor desc = { .level = (uint8_t)any(6), .keyword = any(3) };
	struct etw_record_extra extra = { .count = 0 };
	struct etw_record_items items = { .extra = &extra };
	struct etw_guid guid = { 0xABCD, 1, 2, { (uint8_t)any(3) } };
	unsigned char payload[700];
	size_t text = any(20) ? any(30) : any(600);
	struct etw_data_descriptor data = {
		.ptr = (uintptr_t)payload, .size = (uint32_t)(4 + text + 1) };
	struct etw_record_source source = {
		.provider = &guid, .desc = &desc, .data = &data, .count = 1,
		.thread_id = 20 + any(2), .process_id = 20, .type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_NO_CPUTIME | ETW_EVENT_USER_MODE,
	};

	memcpy(payload, &i, 4);
	memset(payload + 4, any(8) ? 'x' : '"', text);
	payload[4 + text] = 0;
	etw_record_add_extra(&extra, ETW_EXT_PROV_TRAITS, traits, traits[0]);
	etw_record_add_extra(&extra, ETW_EXT_EVENT_SCHEMA, schema, schema[0]);
	if (etw_record_measure_items(&source, &items))
		abort();
	need(etw_record_slot(source.size));
	etw_record_write_items(make.feed.data + feed_header(&make.feed)->offset, &source, &items,
			       clock_of(i));
	took(source.size);
}

/* An event of a provider that no schema names */
static void put_unknown(unsigned int i)
{
	need(200);
	feed_event(&make.feed, clock_of(i), (uint16_t)i, NULL, "abc", 3);
}

static void put_process(unsigned int i)
{
	static const struct etw_guid process = ETW_PROCESS_GUID;
	struct etw_process_payload payload = { .pid = 20, .parent = 1, .start_key = 20,
					       .start = MAKE_START };
	struct etw_event_header *h;
	char data[128];
	size_t len = sizeof(payload);

	memcpy(data, &payload, len);
	len += (size_t)snprintf(data + len, 32, "dd %u", i) + 1;
	len += (size_t)snprintf(data + len, 32, "/bin/dd %u", i) + 1;
	need(300);
	h = (void *)(make.data + feed_header(&make.feed)->offset);
	feed_event(&make.feed, clock_of(i), 0, NULL, data, (uint32_t)len);
	h->provider = process;
	h->desc.opcode = i < 10 ? ETW_PROCESS_RUNDOWN : ETW_PROCESS_RENAME;
	h->flags |= ETW_EVENT_KERNEL_MODE;
}

static void put_loss(unsigned int i)
{
	const struct lost lost = {
		.first = (int)i * 200 - 50, .last = (int)i * 200 - 20, .noted = (int)i * 200,
		.code = ETW_DROP_NO_BUFFER, .events = 3, .of_provider = true,
	};

	need(ETW_LOSS_SLOT_MAX);
	put_lost(&make.feed, &lost, "one");
}

static int put_piece(void *context, const void *record, size_t size)
{
	(void)context;
	need(etw_record_slot((uint32_t)size));
	memcpy(make.feed.data + feed_header(&make.feed)->offset, record, size);
	took((uint32_t)size);
	return 0;
}

/* A manifest for event 1 of test_guid, and such an event */
static void put_described(unsigned int i, bool schema)
{
	struct etw_event_header *h;

	if (schema && etw_embed_records(&test_guid, (int64_t)clock_of(i), 3000, put_piece, NULL))
		abort();
	need(200);
	h = (void *)(make.data + feed_header(&make.feed)->offset);
	feed_event(&make.feed, clock_of(i), 1, NULL, &i, 4);
	memcpy(&h->provider, &test_guid, sizeof(test_guid));
	h->desc = (struct etw_event_descriptor){ .id = 1, .level = 4 };
}

/* all: also events that need what only one thread has */
static void make_file(bool all)
{
	unsigned int i;

	random_state = 7;
	sequence = 0;
	make_begin(&make, 1);
	next_buffer();
	put_process(0);
	for (i = 1; i < EVENTS; i++) {
		if (i % 500 == 0)
			put_process(i);
		else if (all && i % 3000 == 2999)
			put_loss(i);
		else if (all && i % 700 == 699)
			put_described(i, i % 1400 == 699);
		else if (all && i > EVENTS / 2 && i % 1000 == 1)
			put_unknown(i);
		else
			put_named(i);
	}
	make_put(&make);
	make_end(&make);
}

static int shell(const char *prefix, const char *options, const char *out)
{
	char command[512];

	snprintf(command, sizeof(command), "TZ=UTC ETW_DEVICE=/nonexistent %s build/etw dump %s %s "
		 ">%s.%s 2>&1", prefix, make.path, options, make.path, out);
	return system(command);
}

static void agree(const char *options, const char *name)
{
	char one[64], compare[256];
	int a, b, same;

	snprintf(one, sizeof(one), "taskset -c %d", cpu);
	a = shell(one, options, "one");
	b = shell("", options, "all");
	snprintf(compare, sizeof(compare), "cmp %s.one %s.all && test -s %s.all", make.path,
		 make.path, make.path);
	same = system(compare);
	ok(!a && !b && !same, "%s: dump %s", name, options);
}

static void test_file(bool all, const char *name)
{
	static const char *const options[] = {
		"", "--json", "--no-names", "--no-names --json", "--time relative", "--time delta",
		"--message", "--raw", "--processes --json", "--filter 'number < 9000'",
		"--count 1 --json", "--count 9999", "--count 9999 --time delta",
	};
	char command[256];
	unsigned int i;

	make_file(all);
	for (i = 0; i < COUNT(options); i++)
		agree(options[i], name);
	/* A reader that goes away ends the command. */
	snprintf(command, sizeof(command), "ETW_DEVICE=/nonexistent build/etw dump %s | head -5 | "
		 "wc -l | grep -qx 5", make.path);
	ok(!system(command), "%s: a pipe that is closed", name);
	snprintf(command, sizeof(command), "rm -f %s %s.one %s.all", make.path, make.path, make.path);
	if (system(command))
		abort();
}

int main(void)
{
	static const struct etw_mf_field fields[] = { FIELD("described", UINT32, UNSIGNEDINT) };
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) || CPU_COUNT(&set) < 2) {
		skip("one processor: there are no threads");
		return done_testing();
	}
	for (cpu = 0; !CPU_ISSET(cpu, &set); cpu++)
		;
	load(fields, 1, 1, NULL);
	test_file(false, "threads do it all");
	test_file(true, "some needs the main thread");
	clean_up();
	return done_testing();
}
