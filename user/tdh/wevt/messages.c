// SPDX-License-Identifier: MIT
/*
 * messages.c - message tables: from numbers to texts
 *
 * For the layout see user/mc/msgtable.c. An invalid table is an error: its entries have
 * no signature, so nothing after the invalid entry can be trusted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "read.h"

#define BLOCK_SIZE	12
#define ENTRY_HEADER	4
#define ENTRY_UNICODE	1

static int by_id(const void *a, const void *b)
{
	const struct etw_wevt_text *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The entry's size in bytes including its header; 0: it does not lie within the table. */
static uint32_t entry_length(const struct etw_wevt_table *table, uint64_t offset)
{
	const uint8_t *p = table->data;
	uint32_t len;

	if (offset + ENTRY_HEADER > table->size)
		return 0;
	len = etw_wevt_u16(p + offset);
	return len < ENTRY_HEADER || offset + len > table->size ? 0 : len;
}

/* left: remaining entries, limited by the table's size. */
static bool open_block(struct etw_wevt_reader *r, struct etw_wevt_table *table,
		       const uint8_t *block, size_t *left)
{
	uint32_t low = etw_wevt_u32(block), high = etw_wevt_u32(block + 4), len;
	uint64_t offset = etw_wevt_u32(block + 8), id;

	if (low > high)
		etw_wevt_bad(r, "message table: numbers 0x%x to 0x%x", low, high);
	for (id = low; id <= high && !r->error; id++) {
		len = entry_length(table, offset);
		if (!len || !*left) {
			etw_wevt_bad(r, "message table: message 0x%llx does not lie in it",
				     (unsigned long long)id);
			break;
		}
		table->texts[table->count].id = id;
		table->texts[table->count++].offset = offset;
		offset += len;
		--*left;
	}
	return !r->error;
}

static int open_table(struct etw_wevt_reader *r, struct etw_wevt_table *table)
{
	const uint8_t *p = table->data;
	size_t left = table->size / ENTRY_HEADER, i;
	uint32_t blocks;

	if (table->size < 4 || table->size > UINT32_MAX) {
		etw_wevt_bad(r, "message table: %zu bytes are none", table->size);
		return r->error;
	}
	blocks = etw_wevt_u32(p);
	if (blocks > (table->size - 4) / BLOCK_SIZE) {
		etw_wevt_bad(r, "message table: %u blocks do not lie in it", blocks);
		return r->error;
	}
	table->texts = calloc(left + 1, sizeof(*table->texts));
	if (!table->texts)
		return -ENOMEM;
	for (i = 0; i < blocks; i++) {
		if (!open_block(r, table, p + 4 + BLOCK_SIZE * i, &left))
			return r->error;
	}
	qsort(table->texts, table->count, sizeof(*table->texts), by_id);
	return 0;
}

int etw_wevt_tables_open(struct etw_wevt_reader *r)
{
	size_t total = 0;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < r->table_count; i++) {
		r->tables[i].texts = NULL;
		r->tables[i].count = 0;
	}
	for (i = 0; i < r->table_count && !ret; i++) {
		r->text_left += 4 * (int64_t)r->tables[i].size;
		ret = open_table(r, &r->tables[i]);
		total += r->tables[i].count;
	}
	if (ret || !total)
		return ret;
	r->messages = etw_wevt_alloc(r, total, sizeof(*r->messages));
	r->manifest->messages = r->messages;
	return r->error;
}

void etw_wevt_tables_close(struct etw_wevt_reader *r)
{
	unsigned int i;

	for (i = 0; i < r->table_count; i++) {
		free(r->tables[i].texts);
		r->tables[i].texts = NULL;
	}
}

static struct etw_wevt_text *find_text(const struct etw_wevt_table *table, uint32_t id)
{
	size_t low = 0, high = table->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (table->texts[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < table->count && table->texts[low].id == id ? &table->texts[low] : NULL;
}

/* The text without its NUL padding and the line end that mc.exe adds; NULL: none. */
static const char *text_of(struct etw_wevt_reader *r, const struct etw_wevt_table *table,
			   uint32_t id)
{
	const struct etw_wevt_text *entry = find_text(table, id);
	const uint8_t *p;
	size_t len, unit, n = 0;

	if (!entry)
		return NULL;
	p = (const uint8_t *)table->data + entry->offset;
	len = etw_wevt_u16(p) - ENTRY_HEADER;
	unit = etw_wevt_u16(p + 2) & ENTRY_UNICODE ? 2 : 1;
	p += ENTRY_HEADER;
	while (n + unit <= len && (p[n] || (unit == 2 && p[n + 1])))
		n += unit;
	if (n >= 2 * unit && p[n - 2 * unit] == '\r' && p[n - unit] == '\n' &&
	    (unit == 1 || (!p[n - 3] && !p[n - 1])))
		n -= 2 * unit;
	r->text_left -= n + ENTRY_HEADER;
	if (r->text_left < 0)
		etw_wevt_bad(r, "message table: texts overlap");
	if (r->error)
		return NULL;
	etw_text_cut(&r->text, 0);
	if (unit == 2)
		etw_text_utf16(&r->text, p, n);
	else
		etw_text_cp1252(&r->text, p, n, ETW_TEXT_RAW);
	return etw_wevt_keep_text(r);
}

static struct etw_mf_message *new_message(struct etw_wevt_reader *r, uint32_t id)
{
	/* The array has room for the entries of all tables. */
	struct etw_mf_message *m = &r->messages[r->manifest->message_count];
	const char **text = etw_wevt_alloc(r, r->table_count, sizeof(*text));
	char name[12];
	unsigned int i;

	if (!text)
		return NULL;
	for (i = 0; i < r->table_count; i++)
		text[i] = text_of(r, &r->tables[i], id);
	snprintf(name, sizeof(name), "0x%08x", id);
	m->id = etw_wevt_keep(r, name);
	m->text = text;
	if (r->error)
		return NULL;
	r->manifest->message_count++;
	return m;
}

const struct etw_mf_message *etw_wevt_message_of(struct etw_wevt_reader *r, uint32_t id)
{
	struct etw_wevt_text *entry = NULL;
	unsigned int i;

	/* The first table that has the number stores the resulting message. */
	for (i = 0; i < r->table_count && !entry; i++)
		entry = find_text(&r->tables[i], id);
	if (r->error || id == ETW_MESSAGE_NONE || !entry)
		return NULL;
	if (!entry->message)
		entry->message = new_message(r, id);
	return entry->message;
}
