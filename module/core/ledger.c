// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ledger.c - build and read the records of losses
 */
#include "core/ledger.h"
#include <etw/abi.h>

static_assert(sizeof(struct etw_loss_payload) == 64);

static const struct etw_guid ledger_guid = ETW_LEDGER_GUID;

/*
 * TraceLogging metadata.  Types: 7 INT32, 8 UINT32, 9 INT64, 15 GUID, 17 FILETIME, 2 a string
 * with its NUL, +128 with a format, 35 UTF-8.
 */
#define EVENT_NAME	"\0Lost\0"
#define FIELDS		"Code\0\10Cpu\0\7Events\0\11Buffers\0\11First\0\21Last\0\21Noted\0\21" \
			"Provider\0\17Cause\0\202\43Session\0\202\43"
#define PROVIDER_NAME	"Etw-Ledger"

/* With a NUL that does not count. */
static const struct {
	u16 size;
	char text[sizeof(EVENT_NAME FIELDS)];
} schema = { sizeof(u16) + sizeof(EVENT_NAME FIELDS) - 1, EVENT_NAME FIELDS };

static const struct {
	u16 size;
	char text[sizeof(PROVIDER_NAME)];
} traits = { sizeof(u16) + sizeof(PROVIDER_NAME), PROVIDER_NAME };

static_assert(sizeof(traits.text) == sizeof(PROVIDER_NAME));

/* All causes: the word of the record and of JSON, and what people read. */
static const struct loss_cause {
	u32 code;
	const char *word, *text;
} causes[] = {
	{ ETW_DROP_NO_BUFFER, "no_buffer", "no free buffer" },
	{ ETW_DROP_BUFFER_SIZE, "buffer_size", "larger than a buffer" },
	{ ETW_DROP_EVENT_SIZE, "event_size", "over 64 KB" },
	{ ETW_DROP_NESTING, "nesting", "writers nested too deep" },
	{ ETW_DROP_COPY_FAULT, "copy_fault", "payload not readable" },
	{ ETW_DROP_DRAIN, "drain", "process could not write" },
	{ ETW_DROP_FAIR_SHARE, "fair_share", "user above the fair share of buffers" },
	{ ETW_DROP_BUDGET, "budget", "user above the budget of the session" },
	{ ETW_DROP_PROBE, "probe_missed", "the kernel missed their probe" },
	{ ETW_LOSS_ABANDONED, "abandoned", "in buffers that a writer never completed" },
	{ ETW_LOSS_CONSUMER, "consumer_slow", "the reader was too slow" },
	{ ETW_LOSS_UNREAD, "unread", "nobody read them in time" },
	{ ETW_LOSS_FILE_SLOW, "file_slow", "the disk was too slow" },
	{ ETW_LOSS_FILE_ERROR, "file_error", "writing to the file failed" },
	{ ETW_LOSS_DISK_FULL, "disk_full", "the disk or a quota was full" },
	{ ETW_LOSS_FILE_FULL, "file_full", "the file had its greatest size" },
	{ ETW_LOSS_FILE_CUT, "file_cut", "another process shortened the file" },
	{ ETW_LOSS_FILE_UNCLOSED, "file_unclosed", "who wrote the file before did not close it" },
	{ ETW_LOSS_UNRECORDED, "unrecorded", "the file that had them does not record which" },
	{ ETW_LOSS_BEFORE_FILE, "before_file", "older than the file that had the next ones" },
};

static const struct loss_cause other_cause = { 0, "other", "for another reason" };

#define CAUSE_MAX	24	/* bytes of a cause, with its NUL */

static const struct loss_cause *loss_cause(u32 code)
{
	unsigned int i;

	for (i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (causes[i].code == code)
			return &causes[i];
	return &other_cause;
}

/* The word for a cause, as in the record. */
const char *etw_loss_cause(u32 code)
{
	return loss_cause(code)->word;
}

/* A cause for people, to follow "events lost" or a colon */
const char *etw_loss_text(u32 code)
{
	return loss_cause(code)->text;
}

static u8 *put_item(u8 *at, u16 type, const void *data, u16 len, bool more)
{
	struct etw_ext_item *item = (struct etw_ext_item *)at;

	memset(at, 0, etw_item_size(len));
	item->size = etw_item_size(len);
	item->type = type;
	item->linkage = more;
	item->data_size = len;
	memcpy(item + 1, data, len);
	return at + item->size;
}

/* Copy at most room - 1 bytes of UTF-8, without half a character, and a NUL. */
static u8 *put_text(u8 *at, const char *text, u32 len, u32 room)
{
	if (len > room - 1) {
		len = room - 1;
		while (len && ((u8)text[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(at, text, len);
	at[len] = 0;
	return at + len + 1;
}

static_assert(ETW_EVENT_HEADER_SIZE + 2 * ETW_EXT_ITEM_SIZE + ALIGN(sizeof(schema), 8UL) +
	      ALIGN(sizeof(traits), 8UL) + sizeof(struct etw_loss_payload) + CAUSE_MAX +
	      ETW_LOSS_SESSION_MAX <= ETW_LOSS_SLOT_MAX);

/**
 * etw_loss_build() - build a record, with its padding
 * @slot: ETW_LOSS_SLOT_MAX bytes, 8-byte aligned
 * @loss: its content
 * @session: UTF-8, cut if it is long
 * @session_len: bytes
 * @timestamp: ticks of the clock of the buffer; loss->noted is the same time
 * @flags: ETW_EVENT_* besides EXTENDED_INFO
 *
 * Return: the bytes that it takes in the buffer.
 */
u32 etw_loss_build(u8 *slot, const struct etw_loss_payload *loss, const char *session,
		   u32 session_len, s64 timestamp, u16 flags)
{
	struct etw_event_header *header = (struct etw_event_header *)slot;
	const char *cause = etw_loss_cause(loss->code);
	u8 *at = slot + sizeof(*header);
	u32 size;

	memset(header, 0, sizeof(*header));
	header->type = ETW_TYPE_EVENT64;
	header->flags = flags | ETW_EVENT_EXTENDED_INFO;
	header->timestamp = timestamp;
	header->provider = ledger_guid;
	header->desc.channel = ETW_CHANNEL_TRACELOGGING;
	header->desc.level = 3;
	at = put_item(at, ETW_EXT_PROV_TRAITS, &traits, traits.size, true);
	at = put_item(at, ETW_EXT_EVENT_SCHEMA, &schema, schema.size, false);
	memcpy(at, loss, sizeof(*loss));
	at = put_text(at + sizeof(*loss), cause, strlen(cause), CAUSE_MAX);
	at = put_text(at, session, session_len, ETW_LOSS_SESSION_MAX);
	size = at - slot;
	header->size = size;
	memset(at, 0, etw_record_slot(size) - size);
	return etw_record_slot(size);
}

/* Read a record.  False: it is no record of a loss, or a process wrote it. */
bool etw_loss_parse(const struct etw_record_view *view, struct etw_loss_payload *loss)
{
	const struct etw_event_header *header = view->header;

	if (memcmp(&header->provider, &ledger_guid, sizeof(ledger_guid)) ||
	    header->type != ETW_TYPE_EVENT64 || header->flags & ETW_EVENT_USER_MODE ||
	    header->desc.channel != ETW_CHANNEL_TRACELOGGING ||
	    view->data_len < sizeof(*loss))
		return false;
	memcpy(loss, view->data, sizeof(*loss));
	return loss->events >= -1 && loss->buffers >= -1 && loss->first <= loss->last;
}
