// SPDX-License-Identifier: MIT
/*
 * msgtable.c - write message tables: the texts of one culture by id
 *
 * Blocks of consecutive ids (low, high, offset of the first text), then the texts:
 * length, flags (1: UTF-16), the text with CR LF NUL, padded to 4 bytes.
 * Source: Microsoft's MESSAGE_RESOURCE_DATA, _BLOCK and _ENTRY.
 */
#include <errno.h>

#include "base/bytes.h"
#include "base/text.h"
#include "tdh/model/message_ids.h"

#define ENTRY_HEADER	4
#define ENTRY_MAX	0xffffu
#define ENTRY_UNICODE	1

/* The text of the culture, else of the first culture that has one; NULL: none. */
static const char *text_of(const struct etw_manifest *m, const struct etw_mf_message *message,
			   unsigned int culture)
{
	unsigned int i;

	if (!message->id || message->standard)
		return message->text[0];
	if (culture < m->culture_count && message->text[culture])
		return message->text[culture];
	for (i = 0; i < m->culture_count; i++) {
		if (message->text[i])
			return message->text[i];
	}
	return NULL;
}

/* Lines end in CR LF, as mc.exe writes them. */
static void put_text(struct etw_bytes *out, const char *text)
{
	struct etw_text lines = { .data = NULL };
	const char *p;

	for (p = text; *p; p++) {
		if (*p == '\n' && (p == text || p[-1] != '\r'))
			etw_text_char(&lines, '\r');
		etw_text_char(&lines, *p);
	}
	if (lines.error)
		out->error = lines.error;
	else if (lines.len)
		etw_bytes_utf16(out, lines.data);
	etw_text_free(&lines);
}

static bool put_entry(struct etw_bytes *out, const char *text)
{
	size_t at = out->len, len;

	etw_bytes_put32(out, 0);
	put_text(out, text);
	etw_bytes_put16(out, '\r');
	etw_bytes_put16(out, '\n');
	etw_bytes_put16(out, 0);
	etw_bytes_align(out, at, 4);
	len = out->len - at;
	if (len > ENTRY_MAX)
		return false;
	etw_bytes_set32(out, at, ENTRY_UNICODE << 16 | len);
	return true;
}

/* Remove ids without a text in any culture. */
static unsigned int drop_empty(const struct etw_manifest *m, struct etw_message_ids *ids,
			       unsigned int culture)
{
	unsigned int n = 0, i;

	for (i = 0; i < ids->count; i++) {
		if (text_of(m, ids->list[i].message, culture))
			ids->list[n++] = ids->list[i];
	}
	ids->count = n;
	return n;
}

static bool begins_block(const struct etw_message_ids *ids, unsigned int i)
{
	return !i || ids->list[i].id != ids->list[i - 1].id + 1;
}

static int put_table(const struct etw_manifest *m, const struct etw_message_ids *ids,
		     unsigned int culture, struct etw_bytes *out, struct etw_problems *problems)
{
	size_t begin = out->len, block;
	unsigned int blocks = 0, i;

	for (i = 0; i < ids->count; i++)
		blocks += begins_block(ids, i);
	etw_bytes_put32(out, blocks);
	block = out->len;
	etw_bytes_zero_to(out, out->len + 12 * (size_t)blocks);
	for (i = 0; i < ids->count && !out->error; i++) {
		const struct etw_message_id *entry = &ids->list[i];

		if (begins_block(ids, i)) {
			etw_bytes_set32(out, block, entry->id);
			etw_bytes_set32(out, block + 8, out->len - begin);
			block += 12;
		}
		etw_bytes_set32(out, block - 8, entry->id);
		if (put_entry(out, text_of(m, entry->message, culture)))
			continue;
		etw_problem_add(problems, entry->line, false,
				"message \"%s\" is longer than a message table can hold "
				"(32,760 characters)",
				entry->message->id ? entry->message->id : "");
		return -EINVAL;
	}
	return out->error;
}

int etw_msgtable_write(const struct etw_manifest *manifest, unsigned int culture,
		       struct etw_bytes *out, struct etw_problems *problems)
{
	struct etw_message_ids ids;
	size_t begin = out->len;
	int ret = etw_message_ids_make(manifest, &ids, problems);

	if (ret)
		return ret;
	ret = drop_empty(manifest, &ids, culture) ?
	      put_table(manifest, &ids, culture, out, problems) : -ENOENT;
	if (ret)
		etw_bytes_cut(out, begin);
	etw_message_ids_free(&ids);
	return ret;
}
