// SPDX-License-Identifier: GPL-2.0-only
/* check_rec.c - the rules of the log file header, of records and extended items (rules.h). */
#include <inttypes.h>
#include <string.h>

#include "rules.h"

/* ------------------------------------------------------------ the log file header */

/* Size of a UTF-16 name with its NUL in bytes; 0: no NUL. */
static uint32_t name_size(const unsigned char *p, uint32_t len)
{
	for (uint32_t i = 0; i + 2 <= len; i += 2)
		if (!p[i] && !p[i + 1])
			return i + 2;
	return 0;
}

static void check_names(struct check *c, const struct etl_buf *b, const struct etl_rec *r)
{
	const struct etl_head *h = &c->head;
	uint64_t at = b->offset + (uint64_t)(h->names - b->data);
	uint32_t logger = name_size(h->names, h->names_len);
	uint32_t file = logger ? name_size(h->names + logger, h->names_len - logger) : 0;

	if (!logger || !file)
		check_bad(c, RULE_NAMES, at, "the %s name in %u bytes", logger ? "file" : "logger",
			  h->names_len);
	else if (logger + file != h->names_len)
		check_bad(c, RULE_NAMES_END, at + logger + file, "%u bytes do in a record of %u",
			  h->names_len - logger - file, r->size);
}

static void check_times(struct check *c, uint64_t at)
{
	const struct etl_head *h = &c->head;

	if (!(c->options & CHECK_OPEN) && h->end_time < h->start_time)
		check_bad(c, RULE_END_TIME, at + 16, "%" PRId64 " and %" PRId64, h->end_time,
			  h->start_time);
	if (h->boot_time > h->start_time)
		check_bad(c, RULE_BOOT_TIME, at + h->fixed - 32, "%" PRId64 " and %" PRId64,
			  h->boot_time, h->start_time);
	if (h->clock < 1 || h->clock > 3)
		check_bad(c, RULE_CLOCK, at + h->fixed - 8, "it is %u", h->clock);
	if (h->freq <= 0)
		check_bad(c, RULE_FREQUENCY, at + h->fixed - 24, "it is %" PRId64, h->freq);
}

static int may_be_small(const struct etl_head *h, const struct etl_buf *b)
{
	return b->size == 1024 && h->mode & (MODE_RELOG | MODE_COMPRESSED);
}

void check_head(struct check *c, const struct etl_buf *b, const struct etl_rec *r)
{
	const struct etl_head *h = &c->head;
	uint64_t at = b->offset + (uint64_t)(r->payload - b->data);

	if (!etl_is_system(r->type) || r->hook || r->version != 2) {
		check_bad(c, RULE_FIRST_RECORD, b->offset + r->at, "type %u, hook 0x%04x, version %u",
			  r->type, r->hook, r->version);
		return;
	}
	if (etl_head(r, &c->head)) {
		check_bad(c, RULE_HEADER_SIZE, b->offset + r->at, "%u bytes", r->payload_len);
		return;
	}
	c->have_head = 1;
	c->cpus = h->cpus;
	c->buffer_size = h->buffer_size;
	check_names(c, b, r);
	if (h->pointer_size != (r->type == REC_SYSTEM32 ? 4u : 8u))
		check_bad(c, RULE_POINTER_SIZE, at + 44, "it is %u in %s", h->pointer_size,
			  etl_type_name(r->type));
	if (h->cpus < 1 || h->cpus > 65536) {
		check_bad(c, RULE_CPUS, at + 12, "it is %u", h->cpus);
		c->cpus = 0;
	}
	if (!(h->version[2] == 1 && h->version[3] == 5) &&
	    !(h->version[2] == 2 && h->version[3] == 0))
		check_bad(c, RULE_LAYOUT, at + 4, "it is %u.%u", h->version[2], h->version[3]);
	if (h->buffer_size < BUF_HEAD || h->buffer_size > BUF_MOST) {
		check_bad(c, RULE_LOGICAL_SIZE, at, "it is %u", h->buffer_size);
		c->buffer_size = 0;
	} else if (b->size != h->buffer_size && !may_be_small(h, b)) {
		check_bad(c, RULE_FIRST_SIZE, b->offset, "%u, not %u", b->size, h->buffer_size);
	}
	check_times(c, at);
}

/* ------------------------------------------------------------------ extended items */

/* The fixed data size of an item; 0 if it varies. */
static unsigned int data_size(unsigned int type)
{
	static const unsigned char size[] = {
		[1] = 16,	/* RELATED_ACTIVITYID */
		[3] = 4,	/* TS_ID */
		[4] = 24,	/* INSTANCE_INFO */
		[7] = 8,	/* PEBS_INDEX */
		[10] = 8,	/* EVENT_KEY */
		[13] = 8,	/* PROCESS_START_KEY */
		[14] = 16,	/* CONTROL_GUID */
		[17] = 16,	/* STACK_KEY32 */
		[18] = 16,	/* STACK_KEY64 */
	};

	return type < sizeof(size) ? size[type] : 0;
}

/* Checks for items whose data has no fixed size */
static int data_fits(const struct etl_item *it)
{
	unsigned int fixed = data_size(it->type);

	if (fixed)
		return it->len == fixed;
	switch (it->type) {
	case 2:		/* SID: revision, number of parts, authority, parts */
		return it->len >= 8 && it->len == 8 + 4 * it->data[1];
	case 5:		/* STACK_TRACE32: match id, addresses */
		return it->len >= 8 && it->len % 4 == 0;
	case 6:		/* STACK_TRACE64 */
		return it->len >= 8 && it->len % 8 == 0;
	case 8:		/* PMC_COUNTERS */
		return it->len % 8 == 0;
	case 11:	/* EVENT_SCHEMA_TL, PROV_TRAITS: the data begins with its size */
	case 12:
		return it->len >= 2 && le16(it->data) == it->len;
	}
	return 1;
}

static void check_item(struct check *c, uint64_t at, const struct etl_item *it)
{
	if (it->size != ((8u + it->len + 7) & ~7u))
		check_bad(c, RULE_ITEM_SIZE, at, "%u with %u bytes of data", it->size, it->len);
	if (it->link & ~1)
		check_bad(c, RULE_ITEM_LINK, at + 4, "it is 0x%04x", it->link);
	if (!it->type || it->type > 18)
		check_bad(c, RULE_ITEM_TYPE, at + 2, "it is %u", it->type);
	else if (!data_fits(it))
		check_bad(c, RULE_ITEM_DATA, at + 6, "%u bytes for type %u", it->len, it->type);
}

static void item_fault(struct check *c, uint64_t at, const struct etl_item *it, int fault)
{
	if (fault == -ETL_ITEM_SMALL)
		check_bad(c, RULE_ITEM_SIZE, at, "%u with %u bytes of data", it->size, it->len);
	else if (fault == -ETL_ITEM_ALIGN)
		check_bad(c, RULE_ITEM_ALIGNED, at, "it is %u", it->size);
	else
		check_bad(c, RULE_ITEM_INSIDE, at, "%s", etl_fault_text(fault));
}

static void check_items(struct check *c, const struct etl_buf *b, const struct etl_rec *r)
{
	const unsigned char *p = r->items;
	struct etl_item it;
	int schema = 0, rc;

	while (p) {
		rc = etl_item(r, &p, &it);
		if (rc < 0) {
			item_fault(c, b->offset + it.at, &it, rc);
			return;
		}
		check_item(c, b->offset + it.at, &it);
		if (it.type == 12 && schema)
			check_bad(c, RULE_ITEM_ORDER, b->offset + it.at, "they do not");
		schema |= it.type == 11;
	}
}

/* ------------------------------------------------------------------------ records */

/* The page defines no time for ERROR and MESSAGE records. */
static void check_order(struct check *c, const struct etl_buf *b, const struct etl_rec *r)
{
	struct check_cpu *cpu = &c->cpu[b->cpu];
	int64_t *last = cpu->wrapped ? &cpu->wrap_last : &cpu->last;

	if (!b->index || r->type == REC_ERROR || r->type == REC_MESSAGE)
		return;
	if (cpu->wrapped == 1) {
		cpu->wrapped = 2;
	} else if (cpu->any && r->time < *last) {
		check_bad(c, RULE_ORDER, b->offset + r->at, "CPU %u: %" PRId64 " after %" PRId64,
			  b->cpu, r->time, *last);
		return;
	}
	if (!cpu->any) {
		cpu->any = 1;
		cpu->first = r->time;
	}
	*last = r->time;
}

static void record_fault(struct check *c, const struct etl_buf *b, const struct etl_rec *r,
			 int fault)
{
	uint64_t at = b->offset + r->at;

	switch (fault) {
	case -ETL_REC_MARK:
		check_bad(c, RULE_MARK, at + 3, "it is 0x%02x", r->raw[3]);
		break;
	case -ETL_REC_TYPE:
		check_bad(c, RULE_TYPE, at + 2, "it is %u", r->raw[2]);
		break;
	case -ETL_REC_SMALL:
		check_bad(c, RULE_RECORD_SIZE, at, "%u bytes of %s", r->size,
			  etl_type_name(r->type));
		break;
	case -ETL_REC_CUT:
		break;		/* the fill is not aligned; already reported */
	default:
		check_bad(c, RULE_RECORD_INSIDE, at, "%u bytes, and %u are left", r->size,
			  b->fill - r->at);
	}
}

void check_records(struct check *c, const struct etl_buf *b)
{
	uint32_t pos = BUF_HEAD, saved_end = 0;
	struct etl_rec r;
	int rc;

	while ((rc = etl_record(b, &pos, &r)) != 0) {
		if (rc < 0 && rc > -ETL_ITEM_CUT) {
			record_fault(c, b, &r, rc);
			return;
		}
		if (!b->index && r.at == BUF_HEAD)
			check_head(c, b, &r);
		check_order(c, b, &r);
		if (r.items)
			check_items(c, b, &r);
		if (pos == b->saved)
			saved_end = pos;
		c->records++;
	}
	if (!b->index && pos == BUF_HEAD)
		check_bad(c, RULE_FIRST_RECORD, b->offset + BUF_HEAD, "there is none");
	check_saved(c, b, saved_end);
}
