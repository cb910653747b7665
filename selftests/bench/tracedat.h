/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracedat.h - a trace.dat for trace-cmd, with the events of bench/ctf.h
 *
 * Version 6 of the format, as in trace-cmd.dat.v6(5): one CPU, one event format, and the
 * pages of a kernel's ring buffer.
 */
#ifndef BENCH_TRACEDAT_H
#define BENCH_TRACEDAT_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/ctf.h"

#define TRACEDAT_PAGE	4096u
#define TRACEDAT_HEAD	16u	/* of a page: time, bytes used */
#define TRACEDAT_EVENT	76u	/* after the four bytes of length and time */

static const char tracedat_page_format[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char tracedat_event_format[] =
	"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
	"\tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n"
	"\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";

static const char tracedat_format[] =
	"name: Transfer\nID: 1000\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u32 number;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 bytes;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char device[16];\toffset:24;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] file;\toffset:40;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"number=%u bytes=%llu device=%s file=%s\", REC->number, REC->bytes, "
	"REC->device, __get_str(file)\n";

static void tracedat_sized(FILE *f, const char *text)
{
	uint64_t size = strlen(text);

	fwrite(&size, sizeof(size), 1, f);
	fwrite(text, size, 1, f);
}

static void tracedat_u32(FILE *f, uint32_t v)
{
	fwrite(&v, sizeof(v), 1, f);
}

/* Everything before the pages, which begin at the next multiple of their size */
static void tracedat_head(FILE *f, uint64_t pages)
{
	uint64_t where[2] = { 0, pages * TRACEDAT_PAGE };

	fwrite("\x17\x08\x44tracing6\0\0\x08", 14, 1, f);
	tracedat_u32(f, TRACEDAT_PAGE);
	fwrite("header_page", 12, 1, f);
	tracedat_sized(f, tracedat_page_format);
	fwrite("header_event", 13, 1, f);
	tracedat_sized(f, tracedat_event_format);
	tracedat_u32(f, 0);	/* formats of ftrace's own */
	tracedat_u32(f, 1);	/* systems */
	fwrite("bench", 6, 1, f);
	tracedat_u32(f, 1);
	tracedat_sized(f, tracedat_format);
	tracedat_u32(f, 0);	/* symbols */
	tracedat_u32(f, 0);	/* formats of printk */
	tracedat_sized(f, "4712 bench\n");
	tracedat_u32(f, 1);	/* CPUs */
	fwrite("options  \0\0", 12, 1, f);
	fwrite("flyrecord", 10, 1, f);
	where[0] = ((uint64_t)ftell(f) + sizeof(where) + TRACEDAT_PAGE - 1) / TRACEDAT_PAGE *
		   TRACEDAT_PAGE;
	fwrite(where, sizeof(where), 1, f);
	while ((uint64_t)ftell(f) < where[0])
		fputc(0, f);
}

static void tracedat_event(unsigned char *to, unsigned int i, uint64_t delta)
{
	unsigned char payload[64];
	uint32_t head = TRACEDAT_EVENT / 4 | (uint32_t)delta << 5, task = 4712;
	uint32_t file = 44 | 32 << 16;
	uint16_t type = 1000;

	bench_payload(payload, i);
	memset(to, 0, 4 + TRACEDAT_EVENT);
	memcpy(to, &head, 4);
	to += 4;
	memcpy(to, &type, 2);
	memcpy(to + 4, &task, 4);
	memcpy(to + 8, payload, 4);
	memcpy(to + 16, payload + 4, 8);
	memcpy(to + 24, payload + 12, 16);
	memcpy(to + 40, &file, 4);
	memcpy(to + 44, payload + 28, 32);
}

/* Write a trace of @events events. 0 or -errno. */
static int tracedat_write(const char *path, unsigned int events)
{
	const unsigned int each = (TRACEDAT_PAGE - TRACEDAT_HEAD) / (4 + TRACEDAT_EVENT);
	static unsigned char page[TRACEDAT_PAGE];
	FILE *f = fopen(path, "we");
	unsigned int i = 0;
	int err;

	if (!f)
		return -errno;
	tracedat_head(f, (events + each - 1) / each);
	while (i < events) {
		uint64_t at = TRACEDAT_HEAD, time = bench_ns(i), used;

		memset(page, 0, sizeof(page));
		memcpy(page, &time, 8);
		for (; i < events && at + 4 + TRACEDAT_EVENT <= TRACEDAT_PAGE; i++) {
			tracedat_event(page + at, i, bench_ns(i) - time);
			time = bench_ns(i);
			at += 4 + TRACEDAT_EVENT;
		}
		used = at - TRACEDAT_HEAD;
		memcpy(page + 8, &used, 8);
		fwrite(page, sizeof(page), 1, f);
	}
	err = ferror(f) ? -EIO : 0;
	return fclose(f) ? -EIO : err;
}

#endif /* BENCH_TRACEDAT_H */
