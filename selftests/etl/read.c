// SPDX-License-Identifier: GPL-2.0-only
/*
 * read.c - buffers and records of an .etl file, written from the format's page alone
 * (read.h).
 *
 * Not on the page, and taken from what the page implies: the headers of SYSTEM records
 * have 32 bytes (the log file header of 280, or 272, bytes follows them at that distance
 * in every file), u16 version at 0, u16 size at 4, u16 hook at 6, thread at 8, process at
 * 12, time at 16; COMPACT is the same without the times of use (24); PERFINFO has its
 * time at 8 (16). INSTANCE records have the first 72 bytes of EVENT_TRACE. ERROR and
 * MESSAGE records have no known layout: they are listed without a time, and everything
 * after their first 8 bytes is payload.  MESSAGE records have a marker of their own,
 * 0x90, as in evntrace.h (TRACE_HEADER_FLAG and TRACE_MESSAGE).
 */
#include "read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint16_t le16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

uint32_t le32(const unsigned char *p)
{
	return le16(p) | (uint32_t)le16(p + 2) << 16;
}

uint64_t le64(const unsigned char *p)
{
	return le32(p) | (uint64_t)le32(p + 4) << 32;
}

static int64_t le64s(const unsigned char *p)
{
	return (int64_t)le64(p);
}

int etl_open(struct etl_file *e, const char *path)
{
	off_t end;

	memset(e, 0, sizeof(*e));
	e->f = fopen(path, "rb");
	if (!e->f)
		return -1;
	if (fseeko(e->f, 0, SEEK_END) || (end = ftello(e->f)) < 0 || fseeko(e->f, 0, SEEK_SET)) {
		fclose(e->f);
		return -1;
	}
	e->size = (uint64_t)end;
	return 0;
}

void etl_close(struct etl_file *e)
{
	fclose(e->f);
	free(e->disk);
	free(e->plain);
}

static int room(unsigned char **p, size_t *cap, size_t need)
{
	unsigned char *n;

	if (need <= *cap)
		return 0;
	n = realloc(*p, need);
	if (!n)
		return -1;
	*p = n;
	*cap = need;
	return 0;
}

static void parse_buffer(struct etl_buf *b, const unsigned char *p)
{
	b->size = le32(p);
	b->saved = le32(p + 4);
	b->current = le32(p + 8);
	b->time = le64s(p + 0x10);
	b->seq = le64s(p + 0x18);
	b->clock = le64(p + 0x20);
	b->logger = le16(p + 0x2a);
	b->state = le32(p + 0x2c);
	b->fill = le32(p + 0x30);
	b->flag = le16(p + 0x34);
	b->type = le16(p + 0x36);
	b->cpu = b->flag & BUF_PROC_INDEX ? le16(p + 0x28) : p[0x28];
}

static int inflate_buffer(struct etl_file *e, struct etl_buf *b)
{
	long used;

	if (b->fill > BUF_MOST)
		return -ETL_FILL_LARGE;
	if (room(&e->plain, &e->plain_cap, b->fill))
		return -ETL_MEMORY;
	memcpy(e->plain, e->disk, BUF_HEAD);
	used = lz77_decode(e->disk + BUF_HEAD, b->size - BUF_HEAD, e->plain + BUF_HEAD,
			   b->fill - BUF_HEAD);
	if (used < 0)
		return -ETL_CODED;
	b->coded = (uint32_t)used;
	b->data = e->plain;
	return 1;
}

int etl_buffer(struct etl_file *e, struct etl_buf *b)
{
	unsigned char head[BUF_HEAD];
	uint64_t left = e->size - e->next;

	memset(b, 0, sizeof(*b));
	b->offset = e->next;
	b->index = e->buffers;
	if (!left)
		return 0;
	if (left < BUF_HEAD)
		return -ETL_BUF_CUT;
	if (fseeko(e->f, (off_t)e->next, SEEK_SET) || fread(head, BUF_HEAD, 1, e->f) != 1)
		return -ETL_READ;
	parse_buffer(b, head);
	if (b->size < BUF_HEAD)
		return -ETL_BUF_SMALL;
	if (b->size > left)
		return -ETL_BUF_PAST_END;
	if (b->size > BUF_MOST)
		return -ETL_BUF_HUGE;
	if (room(&e->disk, &e->disk_cap, b->size))
		return -ETL_MEMORY;
	memcpy(e->disk, head, BUF_HEAD);
	if (b->size > BUF_HEAD && fread(e->disk + BUF_HEAD, b->size - BUF_HEAD, 1, e->f) != 1)
		return -ETL_READ;
	b->disk = e->disk;
	e->next += b->size;
	e->buffers++;
	if (b->fill < BUF_HEAD)
		return -ETL_FILL_SMALL;
	if (b->flag & BUF_COMPRESSED)
		return inflate_buffer(e, b);
	if (b->fill > b->size)
		return -ETL_FILL_LARGE;
	b->data = b->disk;
	return 1;
}

/*
 * Size of the fixed header in bytes; 0 for an unknown type.  *@wide: the size is the u16
 * at 4, not at 0.
 */
static uint32_t fixed_head(unsigned int type, int *wide)
{
	*wide = 0;
	switch (type) {
	case REC_SYSTEM32:
	case REC_SYSTEM64:
		*wide = 1;
		return 32;
	case REC_COMPACT32:
	case REC_COMPACT64:
		*wide = 1;
		return 24;
	case REC_PERFINFO32:
	case REC_PERFINFO64:
		*wide = 1;
		return 16;
	case REC_FULL32:
	case REC_FULL64:
		return 48;
	case REC_INSTANCE32:
	case REC_INSTANCE64:
		return 72;
	case REC_ERROR:
	case REC_MESSAGE:
		return 8;
	case REC_EVENT32:
	case REC_EVENT64:
		return 80;
	}
	return 0;
}

static void parse_event(struct etl_rec *r, const unsigned char *p)
{
	r->flags = le16(p + 4);
	r->property = le16(p + 6);
	r->guid = p + 24;
	r->id = le16(p + 40);
	r->version = p[42];
	r->channel = p[43];
	r->level = p[44];
	r->opcode = p[45];
	r->task = le16(p + 46);
	r->keyword = le64(p + 48);
	r->activity = p + 64;
	if (r->flags & 1)
		r->items = p + r->head;
}

static void parse_record(struct etl_rec *r)
{
	const unsigned char *p = r->raw;

	r->payload = p + r->head;
	r->payload_len = r->size - r->head;
	if (r->type == REC_ERROR || r->type == REC_MESSAGE)
		return;
	if (r->head == 16) {
		r->version = le16(p);
		r->hook = le16(p + 6);
		r->time = le64s(p + 8);
		return;
	}
	r->tid = le32(p + 8);
	r->pid = le32(p + 12);
	r->time = le64s(p + 16);
	if (r->head <= 32) {
		r->version = le16(p);
		r->hook = le16(p + 6);
	} else if (r->head == 80) {
		parse_event(r, p);
	} else {
		r->opcode = p[4];
		r->level = p[5];
		r->version = le16(p + 6);
		r->guid = p + 24;
	}
}

/* Skip the extended items, so that the payload starts after them. */
static int skip_items(struct etl_rec *r)
{
	const unsigned char *p = r->items;
	struct etl_item it;
	int rc = 1;

	while (p && rc == 1) {
		rc = etl_item(r, &p, &it);
		if (rc == 1)
			r->payload = it.data - 8 + it.size;
	}
	r->payload_len = (uint32_t)(r->raw + r->size - r->payload);
	return rc;
}

int etl_record(const struct etl_buf *b, uint32_t *pos, struct etl_rec *r)
{
	const unsigned char *p = b->data + *pos;
	uint32_t left;
	int wide;

	if (*pos >= b->fill)
		return 0;
	left = b->fill - *pos;
	memset(r, 0, sizeof(*r));
	r->at = *pos;
	r->raw = p;
	if (left < 8)
		return -ETL_REC_CUT;
	/* A MESSAGE record's marker has a form of its own: 0x90, and no type. */
	if (p[3] != 0xc0 && p[3] != 0x90)
		return -ETL_REC_MARK;
	r->type = p[3] == 0x90 ? REC_MESSAGE : p[2];
	r->head = fixed_head(r->type, &wide);
	if (!r->head || (p[3] == 0x90 && p[2]))
		return -ETL_REC_TYPE;
	r->size = wide ? le16(p + 4) : le16(p);
	if (r->size < r->head)
		return -ETL_REC_SMALL;
	if (r->size > left)
		return -ETL_REC_PAST_END;
	parse_record(r);
	*pos += (r->size + 7) & ~7u;
	return r->items ? skip_items(r) : 1;
}

int etl_item(const struct etl_rec *r, const unsigned char **p, struct etl_item *it)
{
	uint32_t left = (uint32_t)(r->raw + r->size - *p);

	it->at = r->at + (uint32_t)(*p - r->raw);
	if (left < 8)
		return -ETL_ITEM_CUT;
	it->size = le16(*p);
	it->type = le16(*p + 2);
	it->link = le16(*p + 4);
	it->len = le16(*p + 6);
	it->data = *p + 8;
	if (it->size < 8u + it->len)
		return -ETL_ITEM_SMALL;
	if (it->size % 8)
		return -ETL_ITEM_ALIGN;
	if (it->size > left)
		return -ETL_ITEM_PAST_END;
	*p = it->link & 1 ? *p + it->size : NULL;
	return 1;
}

int etl_head(const struct etl_rec *r, struct etl_head *h)
{
	const unsigned char *p = r->payload, *t;
	uint32_t fixed = r->type == REC_SYSTEM32 ? 272 : 280;

	memset(h, 0, sizeof(*h));
	if (r->payload_len < fixed)
		return -1;
	h->buffer_size = le32(p);
	memcpy(h->version, p + 4, 4);
	h->cpus = le32(p + 12);
	h->end_time = le64s(p + 16);
	h->timer_resolution = le32(p + 24);
	h->max_size = le32(p + 28);
	h->mode = le32(p + 32);
	h->written = le32(p + 36);
	h->start_buffers = le32(p + 40);
	h->pointer_size = le32(p + 44);
	h->events_lost = le32(p + 48);
	h->mhz = le32(p + 52);
	t = p + fixed - 32;	/* the fields after TIME_ZONE_INFORMATION and its padding */
	h->boot_time = le64s(t);
	h->freq = le64s(t + 8);
	h->start_time = le64s(t + 16);
	h->clock = le32(t + 24);
	h->buffers_lost = le32(t + 28);
	h->fixed = fixed;
	h->names = p + fixed;
	h->names_len = r->payload_len - fixed;
	return 0;
}

const char *etl_type_name(unsigned int type)
{
	static const char *const name[] = {
		[REC_SYSTEM32] = "SYSTEM32", [REC_SYSTEM64] = "SYSTEM64",
		[REC_COMPACT32] = "COMPACT32", [REC_COMPACT64] = "COMPACT64",
		[REC_FULL32] = "FULL32", [REC_FULL64] = "FULL64",
		[REC_INSTANCE32] = "INSTANCE32", [REC_INSTANCE64] = "INSTANCE64",
		[REC_ERROR] = "ERROR", [REC_MESSAGE] = "MESSAGE",
		[REC_PERFINFO32] = "PERFINFO32", [REC_PERFINFO64] = "PERFINFO64",
		[REC_EVENT32] = "EVENT32", [REC_EVENT64] = "EVENT64",
	};

	return type < sizeof(name) / sizeof(*name) ? name[type] : NULL;
}

int etl_is_system(unsigned int type)
{
	return type == REC_SYSTEM32 || type == REC_SYSTEM64;
}

int etl_is_event(unsigned int type)
{
	return type == REC_EVENT32 || type == REC_EVENT64;
}

void etl_guid_text(const unsigned char *g, char out[37])
{
	snprintf(out, 37, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", le32(g),
		 le16(g + 4), le16(g + 6), g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15]);
}

const char *etl_fault_text(int fault)
{
	static const char *const text[] = {
		[ETL_MEMORY] = "out of memory",
		[ETL_READ] = "read error",
		[ETL_BUF_CUT] = "the file ends inside a buffer header",
		[ETL_BUF_SMALL] = "BufferSize is less than a buffer header",
		[ETL_BUF_PAST_END] = "BufferSize is past the end of the file",
		[ETL_BUF_HUGE] = "BufferSize is out of range",
		[ETL_FILL_SMALL] = "the fill does not cover the buffer header",
		[ETL_FILL_LARGE] = "the fill is larger than the buffer",
		[ETL_CODED] = "the compressed bytes do not decode",
		[ETL_REC_CUT] = "fewer than 8 bytes are left for a record",
		[ETL_REC_MARK] = "byte 3 of the record is neither 0xC0 nor 0x90",
		[ETL_REC_TYPE] = "the type of the record is unknown",
		[ETL_REC_SMALL] = "the size of the record is less than its header",
		[ETL_REC_PAST_END] = "the record is larger than what is left of the buffer",
		[ETL_ITEM_CUT] = "the chain of extended items leaves the record",
		[ETL_ITEM_SMALL] = "the size of an extended item is less than its data",
		[ETL_ITEM_ALIGN] = "the size of an extended item is no multiple of 8",
		[ETL_ITEM_PAST_END] = "an extended item is larger than what is left of its record",
	};

	if (fault < 0)
		fault = -fault;
	return fault < (int)(sizeof(text) / sizeof(*text)) && text[fault] ? text[fault] : "?";
}
