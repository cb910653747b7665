/* SPDX-License-Identifier: GPL-2.0-only */
/* load.h - log files for bench/report: what traces have most of, and one that takes memory */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/record.h"
#include "etl/write.h"

#define LOAD_CPUS	4
#define LOAD_START	1
#define LOAD_STOP	2
#define LOAD_FRAMES	16		/* of a stack */
#define LOAD_SPREAD	2654435761u	/* times a number: others, in no visible order */

struct load_writer {
	struct etw_etl_writer *writer;
	uint64_t time;
	int err;
	_Alignas(8) unsigned char record[4096];
};

struct load_event {
	const char *name;
	const void *fields;	/* name, NUL and type of each */
	uint32_t fields_len;
	const void *data;
	uint32_t data_len;
	uint8_t opcode, provider;
	uint32_t pid, tid;
	const struct etw_guid *activity;
	const uint64_t *stack;	/* LOAD_FRAMES; NULL: none */
};

/* Metadata of TraceLogging: its size, then the rest */
static uint32_t load_sized(unsigned char *to, uint32_t len)
{
	const uint16_t size = (uint16_t)(len + 2);

	memcpy(to, &size, 2);
	return size;
}

static void load_put(struct load_writer *w, unsigned int i, const struct load_event *e)
{
	struct etw_guid guid = { 0x10ad0000u + e->provider, 1, 2, { 3, 4, 5, 6, 7, 8, 9, 10 } };
	struct etw_event_descriptor desc = {
		.level = 4, .channel = 11, .keyword = 1, .opcode = e->opcode,
	};
	struct etw_data_descriptor data = { .ptr = (uintptr_t)e->data, .size = e->data_len };
	struct etw_record_extra extra = { .count = 0 };
	const struct etw_record_items items = { .extra = &extra };
	struct etw_record_source source = {
		.provider = &guid, .desc = &desc, .data = &data, .count = e->data_len != 0,
		.thread_id = e->tid, .process_id = e->pid, .type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_NO_CPUTIME, .activity = e->activity,
	};
	unsigned char traits[32], schema[1024];
	uint64_t stack[1 + LOAD_FRAMES] = { 0 };
	const uint32_t name = (uint32_t)strlen(e->name) + 1;

	if (w->err)
		return;
	etw_record_add_extra(&extra, ETW_EXT_PROV_TRAITS, traits,
			     load_sized(traits, (uint32_t)sprintf((char *)traits + 2, "Load-%u",
								  e->provider) + 1));
	schema[2] = 0;
	memcpy(schema + 3, e->name, name);
	memcpy(schema + 3 + name, e->fields, e->fields_len);
	etw_record_add_extra(&extra, ETW_EXT_EVENT_SCHEMA, schema,
			     load_sized(schema, 1 + name + e->fields_len));
	if (e->stack) {
		memcpy(stack + 1, e->stack, LOAD_FRAMES * sizeof(*stack));
		etw_record_add_extra(&extra, ETW_EXT_STACK_TRACE64, stack, sizeof(stack));
	}
	w->err = etw_record_measure_items(&source, &items);
	if (w->err)
		return;
	w->time += 800 + i * LOAD_SPREAD % 900;
	etw_record_write_items(w->record, &source, &items, w->time);
	w->err = etw_etl_write(w->writer, (uint16_t)(i / 100 % LOAD_CPUS), w->record, source.size);
}

/* ----------------------------------------------------------------------- the loads */

/* Bench's event, as bench/etl has it */
static void load_transfers(struct load_writer *w, unsigned int i)
{
	static const char fields[] = "number\0\x08" "bytes\0\x0a" "device\0\x02" "file\0\x02";
	unsigned char data[96];
	uint64_t bytes = (uint64_t)i * 4096;
	int len = 12;

	memcpy(data, &i, 4);
	memcpy(data + 4, &bytes, 8);
	len += sprintf((char *)data + len, "nvme0n1-queue-%02u", i % 16) + 1;
	len += sprintf((char *)data + len, "/var/log/journal/system.journal") + 1;
	load_put(w, i, &(struct load_event){ .name = "Transfer", .fields = fields,
		 .fields_len = sizeof(fields) - 1, .data = data, .data_len = (uint32_t)len,
		 .pid = 4711, .tid = 4712 });
}

/*
 * Starts and stops of 40 operations by 200 threads of 50 processes, half of them with an activity:
 * each thread starts, and stops when its turn comes again.
 */
static void load_operations(struct load_writer *w, unsigned int i)
{
	static const char start[] = "offset\0\x0a" "file\0\x02", stop[] = "bytes\0\x08" "status\0\x07";
	const unsigned int thread = i % 200, turn = i / 200, what = (turn / 2 * 7 + thread) % 40;
	const struct etw_guid activity = { .data1 = i % 200 + 1, .data2 = (uint16_t)(turn / 2) };
	unsigned char data[64];
	uint64_t offset = (uint64_t)i * LOAD_SPREAD % 1000000007u;
	int32_t status = i % 97 ? 0 : -5;
	char name[16];
	struct load_event e = {
		.name = name, .fields = start, .fields_len = sizeof(start) - 1, .data = data,
		.opcode = turn & 1 ? LOAD_STOP : LOAD_START, .provider = (uint8_t)(what % 8),
		.pid = 1000 + thread / 4, .tid = 5000 + thread, .activity = thread & 1 ? &activity : NULL,
	};

	sprintf(name, "Operation%u", what);
	memcpy(data, &offset, 8);
	e.data_len = (uint32_t)(8 + sprintf((char *)data + 8, "/srv/data/part-%u", thread) + 1);
	if (turn & 1) {
		memcpy(data + 4, &status, 4);
		e.fields = stop;
		e.fields_len = sizeof(stop) - 1;
		e.data_len = 8;
	}
	load_put(w, i, &e);
}

/* 200 kinds of events with four numbers and a text, of 20 providers, by 400 threads */
static void load_kinds(struct load_writer *w, unsigned int i)
{
	static const char fields[] = "size\0\x08" "offset\0\x0a" "delta\0\x07" "flags\0\x06" "path\0\x02";
	const unsigned int thread = i / 7 % 400, what = i * LOAD_SPREAD / 21474837u % 200;
	uint32_t size = i * LOAD_SPREAD >> 12, delta = i % 1000 - 500;
	uint64_t offset = (uint64_t)i << 9;
	uint16_t flags = (uint16_t)(i & 7);
	unsigned char data[64];
	char name[16];
	int len = 18;

	memcpy(data, &size, 4);
	memcpy(data + 4, &offset, 8);
	memcpy(data + 12, &delta, 4);
	memcpy(data + 16, &flags, 2);
	len += sprintf((char *)data + len, "/usr/lib/module-%u", what) + 1;
	sprintf(name, "Kind%u", what);
	load_put(w, i, &(struct load_event){ .name = name, .fields = fields,
		 .fields_len = sizeof(fields) - 1, .data = data, .data_len = (uint32_t)len,
		 .provider = (uint8_t)(what % 20), .pid = 1000 + thread / 4, .tid = 5000 + thread });
}

/* Samples with stacks of 16 functions, of about 10,000 branches */
static void load_stacks(struct load_writer *w, unsigned int i)
{
	static const char fields[] = "period\0\x08";
	uint64_t stack[LOAD_FRAMES];
	uint32_t at = i * LOAD_SPREAD >> 8, period = 1000;

	for (unsigned int n = 0; n < LOAD_FRAMES; n++)
		stack[LOAD_FRAMES - 1 - n] = 0x550000001000ull + (n < 3 ? n * 64 : n < 9 ?
					     (at >> (n - 3) & 1) * 4096 + n * 64 :
					     at % 160 * 65536 + n * 64);
	load_put(w, i, &(struct load_event){ .name = "Sample", .fields = fields,
		 .fields_len = sizeof(fields) - 1, .data = &period, .data_len = 4,
		 .pid = 1000 + i / 64 % 20, .tid = 5000 + i / 64 % 80, .stack = stack });
}

/*
 * As much of everything as there is room for: fields of 64-bit numbers without an order, threads,
 * processes, names, starts without a stop with long texts, and stacks
 */
static void load_hostile(struct load_writer *w, unsigned int i)
{
	static const char started[] = "text\0\x02";
	uint64_t numbers[31], stack[LOAD_FRAMES];
	const uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ull;
	const struct etw_guid activity = { .data1 = i };
	char fields[31 * 6], name[64], text[200];
	struct load_event e = {
		.name = name, .fields = fields, .provider = (uint8_t)i, .pid = 1000 + i % 100000,
		.tid = i, .activity = &activity, .stack = stack, .data = numbers,
	};

	for (unsigned int n = 0; n < 31; n++) {
		const uint64_t number = (mixed ^ mixed >> 29) * (2 * n + 1);

		numbers[n] = number >> number % 64;
		e.fields_len += (uint32_t)sprintf(fields + e.fields_len, "f%02u", n) + 1;
		fields[e.fields_len++] = 0x0a;
	}
	for (unsigned int n = 0; n < LOAD_FRAMES; n++)
		stack[n] = 0x550000000000ull + (mixed >> n) % 1000003 * 4096;
	e.data_len = sizeof(numbers);
	sprintf(name, "Kind%u", i % 8);
	if (i % 4 == 1) {
		memset(text, 'x', sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		e.opcode = LOAD_START;
		e.fields = started;
		e.fields_len = sizeof(started) - 1;
		e.data = text;
		e.data_len = sizeof(text);
	} else if (i % 4 == 3) {
		sprintf(name, "Rare%u-with-a-name-of-its-own-that-is-quite-long", i);
	}
	load_put(w, i, &e);
}

struct load {
	const char *key, *title;
	void (*put)(struct load_writer *w, unsigned int i);
	unsigned int most;	/* events; 0: any number */
};

static const struct load loads[] = {
	{ "transfers", "one kind of event, one thread", load_transfers, 0 },
	{ "operations", "starts and stops, 200 threads", load_operations, 0 },
	{ "kinds", "200 kinds of events, 400 threads", load_kinds, 0 },
	{ "stacks", "events with stacks", load_stacks, 0 },
	{ "hostile", "made to take memory", load_hostile, 1200000 },
};

#define LOADS	(sizeof(loads) / sizeof(loads[0]))

static unsigned int load_events(const struct load *load, unsigned int events)
{
	return load->most && events > load->most ? load->most : events;
}

/* Write a log file of so many events. 0 or -errno */
static int load_write(const char *path, const struct load *load, unsigned int events)
{
	struct etw_etl_options options = { .replace = true, .name = "load.etl" };
	struct load_writer w = { .err = etw_etl_create(path, &options, &w.writer) };

	if (w.err)
		return w.err;
	w.time = (uint64_t)etw_etl_writer_info(w.writer)->start_clock;
	for (unsigned int i = 0; i < load_events(load, events) && !w.err; i++)
		load->put(&w, i);
	if (!w.err)
		return etw_etl_finish(w.writer, 0, NULL);
	etw_etl_discard(w.writer);
	return w.err;
}

#endif /* BENCH_LOAD_H */
