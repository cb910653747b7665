/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * etl_check_make.h - log files for the tests of the checker, made from the format's page
 *
 * They are built byte by byte without code of the library, so that they do not share a
 * misreading of its writer and reader.
 */
#ifndef ETL_CHECK_MAKE_H
#define ETL_CHECK_MAKE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define IMG_BUF		4096u		/* bytes of a buffer */
#define IMG_BUFS	5u		/* the header's buffer, two of CPU 0, two of CPU 1 */
#define IMG_HEAD	72u
#define IMG_LOG		(IMG_HEAD + 32u)	/* where TRACE_LOGFILE_HEADER begins */
#define IMG_NAMES	(IMG_LOG + 280u)
#define IMG_FREQ	1000000000u
#define IMG_START	133000000000000000u

struct image {
	unsigned char *p;
	size_t n;
};

static inline void put16(unsigned char *p, unsigned int v)
{
	p[0] = (unsigned char)v;
	p[1] = (unsigned char)(v >> 8);
}

static inline void put32(unsigned char *p, uint32_t v)
{
	put16(p, v & 0xffff);
	put16(p + 2, v >> 16);
}

static inline void put64(unsigned char *p, uint64_t v)
{
	put32(p, (uint32_t)v);
	put32(p + 4, (uint32_t)(v >> 32));
}

static inline uint32_t get32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Buffer number i of an image without compressed buffers. */
static inline unsigned char *img_buf(const struct image *m, unsigned int i)
{
	return m->p + (size_t)i * IMG_BUF;
}

/* The header of an empty buffer, and its tail. */
static inline void img_start(unsigned char *b, unsigned int cpu, uint64_t seq)
{
	memset(b, 0, IMG_HEAD);
	memset(b + IMG_HEAD, 0xff, IMG_BUF - IMG_HEAD);
	put32(b, IMG_BUF);
	put64(b + 0x18, seq);
	put64(b + 0x20, 1 | (uint64_t)IMG_FREQ << 3);
	put16(b + 0x28, cpu);
	put16(b + 0x2a, 7);
	put32(b + 0x2c, 3);
	put16(b + 0x34, 0x20);
}

static inline void img_fill(unsigned char *b, uint32_t fill)
{
	put32(b + 4, fill);
	put32(b + 8, fill);
	put32(b + 0x30, fill);
}

/*
 * Append a record of len bytes to the buffer and return it; it is zero except for size
 * and type.
 */
static inline unsigned char *img_record(unsigned char *b, unsigned int type, unsigned int len)
{
	uint32_t fill = get32(b + 0x30), padded = (len + 7) & ~7u;
	unsigned char *r = b + (fill ? fill : IMG_HEAD);

	memset(r, 0, padded);
	put16(type <= 4 || type == 16 || type == 17 ? r + 4 : r, len);
	r[2] = (unsigned char)type;
	r[3] = 0xc0;
	img_fill(b, (uint32_t)(r - b) + padded);
	return r;
}

/* Append an EVENT64 record with room for items and payload after its 80 bytes. */
static inline unsigned char *img_event(unsigned char *b, int64_t time, unsigned int more)
{
	unsigned char *r = img_record(b, 19, 80 + more);

	put64(r + 16, (uint64_t)time);
	memset(r + 24, 0x11, 16);
	return r;
}

/* Write an extended item at p; returns the next one's place. */
static inline unsigned char *img_item(unsigned char *p, unsigned int type, unsigned int len,
				      int more)
{
	unsigned int size = (8 + len + 7) & ~7u;

	put16(p, size);
	put16(p + 2, type);
	put16(p + 4, more);
	put16(p + 6, len);
	if (type == 11 || type == 12)
		put16(p + 8, len);
	if (type == 2)
		p[9] = 1;
	return p + size;
}

static inline void img_names(unsigned char *p)
{
	static const char text[] = "session\0f";

	for (unsigned int i = 0; i < sizeof(text); i++)
		put16(p + 2 * i, (unsigned char)text[i]);
}

static inline void img_header(unsigned char *b, uint32_t mode)
{
	unsigned char *r, *h;

	img_start(b, 0, 0);
	put16(b + 0x36, 4);
	r = img_record(b, 2, 32 + 280 + 20);
	put16(r, 2);
	put64(r + 16, 1000);
	h = r + 32;
	put32(h, IMG_BUF);
	h[4] = 10;
	h[6] = 2;
	put32(h + 12, 2);
	put64(h + 16, IMG_START + 100);
	put32(h + 32, mode);
	put32(h + 36, IMG_BUFS);
	put32(h + 40, 1);
	put32(h + 44, 8);
	put64(h + 248, IMG_START - 100);
	put64(h + 256, IMG_FREQ);
	put64(h + 264, IMG_START);
	put32(h + 272, 1);
	img_names(h + 280);
}

/*
 * The first data buffer has a record of each kind; IMG_ITEMS is the offset of the items
 * of its second record: 1 RELATED_ACTIVITYID (24 bytes), 12 (24), 11 (32), 2 SID (24), 6
 * stack (32).
 */
#define IMG_ITEMS (IMG_HEAD + 88u + 80u)
static inline void img_kinds(unsigned char *b)
{
	static const unsigned int system[] = { 1, 2, 3, 4, 16, 17 }, classic[] = { 10, 20, 11, 21 };
	unsigned char *r, *p;
	unsigned int i;

	img_event(b, 2000, 8);
	r = img_event(b, 2001, 136 + 12);
	put16(r + 4, 1);
	p = img_item(r + 80, 1, 16, 1);
	p = img_item(p, 12, 15, 1);
	p = img_item(p, 11, 24, 1);
	p = img_item(p, 2, 12, 1);
	img_item(p, 6, 24, 0);
	for (i = 0; i < 6; i++) {
		r = img_record(b, system[i], 40);
		put64(r + (system[i] >= 16 ? 8 : 16), 2002 + i);
	}
	for (i = 0; i < 4; i++)
		put64(img_record(b, classic[i], 80) + 16, 2010 + i);
	img_record(b, 13, 16);
	img_record(b, 15, 16);
	r = img_record(b, 15, 16);	/* as WPP writes it: no options, no arguments */
	put16(r + 2, 0x9000);
	put32(r + 4, 42);
	memset(r + 8, 0x33, 8);
	put64(img_record(b, 18, 80) + 16, 2020);
}

/*
 * A file of IMG_BUFS buffers: CPU 0 has the sequence numbers 1 and 3, CPU 1 has 2 and 4,
 * in this order.  Every buffer ends with an event without payload.
 */
static inline struct image img_make(uint32_t mode)
{
	struct image m = { .n = IMG_BUFS * IMG_BUF };
	unsigned int i;

	m.p = malloc(m.n);
	if (!m.p)
		abort();
	img_header(m.p, mode);
	for (i = 1; i < IMG_BUFS; i++) {
		unsigned char *b = img_buf(&m, i);

		img_start(b, (i - 1) % 2, i);
		if (i == 1)
			img_kinds(b);
		img_event(b, 2000 + 100 * i, 12);
		img_event(b, 2001 + 100 * i, 0);
	}
	return m;
}

/* Remove n bytes at at, or (n < 0) insert zeros. */
static inline void img_cut(struct image *m, size_t at, long n)
{
	size_t tail = m->n - at;

	if (n > 0) {
		memmove(m->p + at, m->p + at + n, tail - (size_t)n);
		m->n -= (size_t)n;
		return;
	}
	m->p = realloc(m->p, m->n + (size_t)-n);
	if (!m->p)
		abort();
	memmove(m->p + at - n, m->p + at, tail);
	memset(m->p + at, 0, (size_t)-n);
	m->n += (size_t)-n;
}

/* Encode len bytes as a stream of literals only; returns its size. */
static inline size_t img_code(const unsigned char *p, size_t len, unsigned char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (i % 32 == 0) {
			memset(out + n, 0, 4);
			n += 4;
		}
		out[n++] = p[i];
	}
	return n;
}

/* Compress the last buffer; its offset remains that of img_buf(m, IMG_BUFS - 1). */
static inline void img_compress(struct image *m)
{
	unsigned char *b = img_buf(m, IMG_BUFS - 1), coded[2 * IMG_BUF];
	size_t n = img_code(b + IMG_HEAD, get32(b + 0x30) - IMG_HEAD, coded);

	memcpy(b + IMG_HEAD, coded, n);
	put32(b, (uint32_t)(IMG_HEAD + n));
	put16(b + 0x34, 0x60);
	m->n = (size_t)(b - m->p) + IMG_HEAD + n;
}

#endif
