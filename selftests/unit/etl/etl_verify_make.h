/* SPDX-License-Identifier: MIT */
/*
 * etl_verify_make.h - log files of each writer, to be damaged and then judged
 */
#ifndef ETW_SELFTESTS_ETL_VERIFY_MAKE_H
#define ETW_SELFTESTS_ETL_VERIFY_MAKE_H

#include "etl_image.h"

#include <sys/stat.h>

#include "etl/file.h"
#include "etl/verify/verify.h"
#include "etl/write.h"
#include "lib/tap.h"

#define SIZE		1024		/* bytes of a buffer */
#define CPUS		4
#define EVENTS		240
#define BUFFERS		200		/* at most, in a file */
#define BYTES		(SIZE * (BUFFERS + 50))	/* with what damage inserts */

enum kind { SESSION, APPENDED, WINDOWS, PROGRAM, PACKED, KINDS };

/* A file, and where its buffers are */
static struct image {
	unsigned char data[BYTES];
	size_t len;
	size_t at[BUFFERS], size[BUFFERS];	/* of the buffers; [0] is the header's */
	unsigned int count;
	unsigned int events;
} good, bad;

static char path[] = "/tmp/etw-verify-XXXXXX";

static void save(const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	if (!f || (len && fwrite(data, len, 1, f) != 1) || fclose(f))
		abort();
}

/* ----------------------------------------------------------- undamaged files */

/* Number and its complement: an altered payload shows. */
static uint32_t payload_of(uint32_t number, uint32_t out[40])
{
	out[0] = number;
	out[1] = ~number;
	return pick_payload(out, 2, 37, number);
}

static void begin(struct image *m, uint32_t mode, uint32_t os)
{
	struct etw_log_head head = { .header = {
		.buffer_size = SIZE, .version = { 10, 0, 1, 5 }, .processors = CPUS, .mode = mode,
		.pointer_size = 8, .start_buffers = 1, .frequency = 1000000000,
		.start_time = MAKE_START, .clock = ETW_CLOCK_QPC, .provider_version = os,
	}, .start_clock = 1000, .logger_id = 3, .logger = "s", .logger_len = 1, .file = "/f", .file_len = 2 };

	memset(m, 0, sizeof(*m));
	etw_log_head_build(m->data, &head);
	m->size[0] = SIZE;
	m->len = SIZE;
	m->count = 1;
}

static struct etw_log_header *header(struct image *m)
{
	return (void *)(m->data + ETW_LOG_HEADER_AT);
}

static struct etw_buffer_header *buffer(struct image *m, unsigned int i)
{
	return (void *)(m->data + m->at[i]);
}

#define CLOSED	(1000 + 1000000000LL)	/* session clock when a file was closed */

static void finish(struct image *m)
{
	struct etw_buffer_header *first = (void *)m->data;

	/* Other systems have something else there. */
	if (!header(m)->provider_version) {
		first->ref_time = filetime(CLOSED);
		first->ref_clock = CLOSED;
	}
	header(m)->end_time = MAKE_START + 10000000;
	header(m)->buffers_written = m->count;
}

static void deliver(struct image *m, const void *data)
{
	if (m->count == BUFFERS)
		abort();
	memcpy(m->data + m->len, data, SIZE);
	m->at[m->count] = m->len;
	m->size[m->count++] = SIZE;
	m->len += SIZE;
}

struct writer {
	unsigned char data[CPUS][SIZE] __attribute__((__aligned__(16)));
	struct feed feed[CPUS];
	uint64_t clock, sequence;
	bool lost;		/* events, since the last buffer */
};

static void close_buffer(struct image *m, struct writer *w, unsigned int cpu, enum kind kind)
{
	struct etw_buffer_header *h = (void *)w->data[cpu];

	if (!w->feed[cpu].data)
		return;
	h->timestamp = (int64_t)++w->clock;
	if (kind != WINDOWS)
		h->sequence = (int64_t)w->sequence++;
	h->flags |= w->lost ? ETW_BUFFER_EVENTS_LOST : 0;
	w->lost = false;
	deliver(m, w->data[cpu]);
	w->feed[cpu].data = NULL;
}

/* Write events of all CPUs. */
static void write_events(struct image *m, struct writer *w, enum kind kind, unsigned int n)
{
	uint32_t words[40], len;
	unsigned int cpu;

	while (n--) {
		cpu = pick(pick(3) ? 2 : CPUS);
		len = payload_of(m->events, words);
		w->clock += 100 + pick(2000);
		if (w->feed[cpu].data &&
		    feed_event(&w->feed[cpu], w->clock, m->events & 0xFFFF, NULL, words, len)) {
			m->events++;
			continue;
		}
		close_buffer(m, w, cpu, kind);
		feed_start(&w->feed[cpu], w->data[cpu], SIZE, cpu, w->sequence);
		w->sequence += kind == WINDOWS;
		w->clock += 10;
		feed_event(&w->feed[cpu], w->clock, m->events & 0xFFFF, NULL, words, len);
		m->events++;
	}
}

static void write_session(struct image *m, enum kind kind, unsigned int events)
{
	static struct writer w;
	unsigned int cpu;

	memset(&w, 0, sizeof(w));
	w.clock = 1000 + 3000ull * m->events;
	w.sequence = kind == WINDOWS;
	write_events(m, &w, kind, events);
	for (cpu = 0; cpu < CPUS; cpu++)
		close_buffer(m, &w, cpu, kind);
}

/* A file that a program writes, with the library's writer */
static void write_program(struct image *m, bool compress)
{
	struct etw_etl_options options = { .buffer_size = SIZE, .compress = compress,
					   .replace = true };
	_Alignas(8) unsigned char record[SIZE];
	struct etw_etl_writer *w;
	struct etw_buffer_header h;
	struct feed feed;
	uint32_t words[40], len;
	FILE *f;

	if (etw_etl_create(path, &options, &w))
		abort();
	memset(m, 0, sizeof(*m));
	for (; m->events < EVENTS; m->events++) {
		len = payload_of(m->events, words);
		feed_start(&feed, record, SIZE, 0, 0);
		feed_event(&feed, 2000 + m->events * 50, m->events & 0xFFFF, NULL, words, len);
		len += ETW_EVENT_HEADER_SIZE;
		if (etw_etl_write(w, pick(CPUS), record + ETW_BUFFER_HEADER_SIZE, len))
			abort();
	}
	if (etw_etl_finish(w, 0, NULL))
		abort();
	f = fopen(path, "r");
	if (!f)
		abort();
	m->len = fread(m->data, 1, BYTES, f);
	fclose(f);
	for (size_t at = 0; at < m->len; at += h.buffer_size) {
		memcpy(&h, m->data + at, sizeof(h));
		m->at[m->count] = at;
		m->size[m->count++] = h.buffer_size;
	}
}

static void make(struct image *m, enum kind kind)
{
	if (kind == PROGRAM || kind == PACKED) {
		write_program(m, kind == PACKED);
		return;
	}
	begin(m, kind == APPENDED ? EVENT_TRACE_FILE_MODE_APPEND : EVENT_TRACE_FILE_MODE_SEQUENTIAL,
	      kind == WINDOWS ? 19045 : 0);
	write_session(m, kind, kind == APPENDED ? EVENTS / 2 : EVENTS);
	if (kind == APPENDED)
		write_session(m, kind, EVENTS / 2);
	finish(m);
}

/* ------------------------------------------------------------------- judging */

static bool judge(struct etw_verdict *v)
{
	return !etw_etl_verify(path, v) && !etw_verdict_finish(v, 1);
}

/* Judge a file that has been changed. */
static bool judge_bad(struct etw_verdict *v)
{
	save(bad.data, bad.len);
	return judge(v);
}

static bool has_gap(const struct etw_verdict *v, enum etw_gap_cause cause)
{
	uint32_t i;

	for (i = 0; i < v->gap_count; i++)
		if (v->gaps[i].cause == cause)
			return true;
	return false;
}

/* Is this the only gap of a session's file that has been changed? */
static bool finds(enum etw_gap_cause cause)
{
	struct etw_verdict v;
	bool found;

	if (!judge_bad(&v))
		return false;
	found = has_gap(&v, cause) && v.gap_count == 1;
	if (!found)
		printf("# %u gaps\n", v.gap_count);
	etw_verdict_free(&v);
	return found;
}

#endif /* ETW_SELFTESTS_ETL_VERIFY_MAKE_H */
