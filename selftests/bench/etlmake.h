/* SPDX-License-Identifier: GPL-2.0-only */
/* etlmake.h - writes and reads log files for bench/etl with the library */
#ifndef BENCH_ETLMAKE_H
#define BENCH_ETLMAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/ctf.h"
#include "etl/file.h"
#include "etl/write.h"

#define ETLMAKE_CPUS	4

/* An EVENT64 with provider traits and schema; number and bytes vary. */
static const unsigned char metadata[] =
	"\x2b\0\0Transfer\0number\0\x08" "bytes\0\x0a" "device\0\x97\x02" "file\0\x82\x02";
static const unsigned char traits[] = "\x08\0Bench";
#define TRAITS_AT	80
#define SCHEMA_AT	(TRAITS_AT + 8 + 8)
#define PAYLOAD_AT	(SCHEMA_AT + 8 + 48)
#define RECORD		(PAYLOAD_AT + 62)

static void item(unsigned char *to, uint16_t type, uint16_t more, const void *data, uint16_t len)
{
	uint16_t head[4] = { (uint16_t)(8 + (len + 7) / 8 * 8), type, more, len };

	memcpy(to, head, sizeof(head));
	memcpy(to + 8, data, len);
}

static void make_record(unsigned char *r)
{
	static const unsigned char guid[16] = "the bench's guid";
	uint16_t head[3] = { RECORD, 0xC013, 1 };
	uint32_t task[2] = { 4712, 4711 };

	memset(r, 0, RECORD);
	memcpy(r, head, sizeof(head));
	memcpy(r + 8, task, sizeof(task));
	memcpy(r + 24, guid, sizeof(guid));
	r[43] = 11;	/* channel */
	r[44] = 4;
	item(r + TRAITS_AT, 12, 1, traits, traits[0]);
	item(r + SCHEMA_AT, 11, 0, metadata, metadata[0]);
}

static void set_record(unsigned char *r, uint64_t time, unsigned int i)
{
	unsigned char payload[64];

	memcpy(r + 16, &time, 8);
	bench_payload(payload, i);
	memcpy(r + PAYLOAD_AT, payload, 12);
	memcpy(r + PAYLOAD_AT + 12, "\x10", 2);
	memcpy(r + PAYLOAD_AT + 14, payload + 12, 48);
}

/* Write every step-th event from first on; each CPU's events come in blocks of 100. */
static int etlmake_write(const char *path, unsigned int first, unsigned int step, unsigned int count,
		      bool compress)
{
	struct etw_etl_options options = {
		.replace = true, .name = "bench.etl", .compress = compress,
	};
	_Alignas(8) unsigned char record[RECORD + 8];
	struct etw_etl_writer *writer;
	int err = etw_etl_create(path, &options, &writer);
	uint64_t start;

	if (err)
		return err;
	start = (uint64_t)etw_etl_writer_info(writer)->start_clock;
	make_record(record);
	for (unsigned int i = first; i < count && !err; i += step) {
		set_record(record, start + bench_ns(i), i);
		err = etw_etl_write(writer, (uint16_t)(i / 100 % ETLMAKE_CPUS), record, RECORD);
	}
	if (!err)
		return etw_etl_finish(writer, 0, NULL);
	etw_etl_discard(writer);
	return err;
}

/* The number of events apart from the header, or an error */
static int64_t etlmake_read(const char *path)
{
	struct etw_etl_file *file;
	struct etw_event event;
	int64_t n = -1;
	int err = etw_etl_open(path, NULL, NULL, &file);

	if (err)
		return err;
	while ((err = etw_etl_next(file, &event)) == 1)
		n++;
	etw_etl_close(file);
	return err ? err : n;
}

#endif /* BENCH_ETLMAKE_H */
