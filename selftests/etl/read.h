/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read.h - a second reader of .etl files, used by tests only
 *
 * This directory exists to be independent.  Its files were written from the format's page
 * (reference/etl-format.md and sections 2.3 and 7 of etw-surface.md) without knowledge of
 * the project's reader and writer; they include no header and call no code of the
 * project.  Facts not on the page are marked "not on the page" below and in read.c.
 *
 * All numbers in a file are little-endian; offsets and sizes are in bytes.  A file is
 * read one buffer at a time: memory use does not depend on the file's length.
 */
#ifndef ETL_SELFTEST_READ_H
#define ETL_SELFTEST_READ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BUF_HEAD 72u		/* every buffer starts with a header of this size */
#define BUF_MOST (64u << 20)	/* larger buffers are refused: no trace has them */

/* BufferFlag */
#define BUF_FLUSH_MARKER 0x01
#define BUF_EVENTS_LOST 0x02
#define BUF_BUFFER_LOST 0x04
#define BUF_RTBACKUP_CORRUPT 0x08
#define BUF_RTBACKUP 0x10
#define BUF_PROC_INDEX 0x20
#define BUF_COMPRESSED 0x40

#define BUF_TYPE_HEADER 4
#define BUF_TYPE_LAST 7

/* byte 2 of a record */
enum rec_type {
	REC_SYSTEM32 = 1, REC_SYSTEM64, REC_COMPACT32, REC_COMPACT64,
	REC_FULL32 = 10, REC_INSTANCE32, REC_ERROR = 13, REC_MESSAGE = 15,
	REC_PERFINFO32 = 16, REC_PERFINFO64, REC_EVENT32, REC_EVENT64,
	REC_FULL64, REC_INSTANCE64,
};

/* One buffer; @data is owned by the etl_file and valid until the next etl_buffer(). */
struct etl_buf {
	uint64_t offset;	/* of the buffer within the file */
	uint32_t index;		/* 0 for the first */
	uint32_t size;		/* BufferSize: bytes on disk */
	uint32_t saved;		/* SavedOffset */
	uint32_t current;	/* CurrentOffset */
	int64_t time;		/* TimeStamp */
	int64_t seq;		/* SequenceNumber */
	uint64_t clock;		/* clock type and frequency */
	uint16_t cpu;
	uint16_t logger;
	uint32_t state;
	uint32_t fill;		/* Offset: header and records, uncompressed */
	uint16_t flag;
	uint16_t type;
	uint32_t coded;		/* number of compressed bytes consumed */
	const unsigned char *disk;	/* @size bytes, as stored in the file */
	const unsigned char *data;	/* header and records, uncompressed: @fill bytes */
};

/* One record; the pointers go into the buffer's @data. */
struct etl_rec {
	uint32_t at;		/* its offset in the uncompressed buffer */
	uint32_t size;		/* header, extended items and payload, without padding */
	unsigned int type;	/* enum rec_type */
	uint32_t head;		/* bytes of the fixed header */
	int64_t time;
	uint32_t pid, tid;	/* 0 where the type has none */
	const unsigned char *guid;	/* provider or event class, NULL for hooks */
	uint16_t hook;		/* SYSTEM, COMPACT, PERFINFO */
	uint16_t id;		/* EVENT */
	uint16_t version;
	uint8_t channel, level, opcode;
	uint16_t task, flags, property;
	uint64_t keyword;
	const unsigned char *activity;	/* EVENT */
	const unsigned char *raw;	/* @size bytes */
	const unsigned char *items;	/* extended items, NULL without */
	const unsigned char *payload;
	uint32_t payload_len;
};

/* One extended item. */
struct etl_item {
	uint32_t at;		/* offset in the uncompressed buffer */
	uint16_t size, type, link, len;
	const unsigned char *data;	/* @len bytes */
};

/* The members of TRACE_LOGFILE_HEADER that tests use. */
struct etl_head {
	uint32_t buffer_size;
	uint8_t version[4];	/* major, minor, sub, subminor */
	uint32_t cpus;
	int64_t end_time;
	uint32_t timer_resolution;
	uint32_t max_size, mode, written, start_buffers, pointer_size, events_lost, mhz;
	int64_t boot_time, freq, start_time;
	uint32_t clock, buffers_lost;
	uint32_t fixed;		/* bytes before the names: 280, or 272 with 4-byte pointers */
	const unsigned char *names;	/* @names_len bytes; in the record */
	uint32_t names_len;
};

struct etl_file {
	FILE *f;
	uint64_t size, next;	/* @next: where the next buffer starts */
	uint32_t buffers;	/* read so far */
	unsigned char *disk, *plain;
	size_t disk_cap, plain_cap;
};

uint16_t le16(const unsigned char *p);
uint32_t le32(const unsigned char *p);
uint64_t le64(const unsigned char *p);

/* 0, or -1 with errno. */
int etl_open(struct etl_file *e, const char *path);
void etl_close(struct etl_file *e);

/* Faults; functions below return them negated. */
enum etl_fault {
	ETL_MEMORY = 1,
	ETL_READ,
	ETL_BUF_CUT,		/* of a buffer: no next buffer can be found */
	ETL_BUF_SMALL,
	ETL_BUF_PAST_END,
	ETL_BUF_HUGE,
	ETL_FILL_SMALL,		/* its contents cannot be read, but the next buffer can */
	ETL_FILL_LARGE,
	ETL_CODED,
	ETL_REC_CUT,		/* of a record: the next record cannot be found */
	ETL_REC_MARK,
	ETL_REC_TYPE,
	ETL_REC_SMALL,
	ETL_REC_PAST_END,
	ETL_ITEM_CUT,		/* of an extended item: the next record can be found */
	ETL_ITEM_SMALL,
	ETL_ITEM_ALIGN,
	ETL_ITEM_PAST_END,
};

const char *etl_fault_text(int fault);

/*
 * The next buffer: 1; 0 at the end of the file; or a fault.  From ETL_FILL_SMALL on the
 * buffer is skipped: @b has the header's fields and @disk, but no @data.
 */
int etl_buffer(struct etl_file *e, struct etl_buf *b);

/*
 * The record at *@pos (BUF_HEAD first); advances *@pos: 1; 0 at the end of the fill; or a
 * fault. From ETL_ITEM_CUT on the record is skipped, and r->payload is everything after
 * the last good item.
 */
int etl_record(const struct etl_buf *b, uint32_t *pos, struct etl_rec *r);

/* Item at *@p (r->items first): 1 and *@p moved to the next, to NULL after the last; or a fault. */
int etl_item(const struct etl_rec *r, const unsigned char **p, struct etl_item *it);

/* Parse the log file header in record @r (SYSTEM, hook 0): 0, or -1 if it is too short. */
int etl_head(const struct etl_rec *r, struct etl_head *h);

const char *etl_type_name(unsigned int type);	/* "EVENT64", or NULL when unknown */
int etl_is_system(unsigned int type);		/* SYSTEM32 or SYSTEM64 */
int etl_is_event(unsigned int type);		/* EVENT32 or EVENT64 */

/* "8e805eb3-6a8f-4a1e-90fa-a831d94e54a1" into @out. */
void etl_guid_text(const unsigned char *g, char out[37]);

/*
 * lz77.c: plain LZ77 of MS-XCA. Writes @out_len bytes.  Returns the number of input bytes
 * consumed, or -1 if the input ends early or points before the output's start.
 */
long lz77_decode(const unsigned char *in, size_t in_len, unsigned char *out, size_t out_len);

/* sha1.c: the first six bytes of SHA-1 as twelve hex digits. */
void sha1_text(const unsigned char *p, size_t n, char out[13]);

#endif
