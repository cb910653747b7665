// SPDX-License-Identifier: MIT
/*
 * process_read.c - what an event says about a process
 *
 * Sources of the kernel logger's class: see tdh/kernel_logger/task.c.
 */
#include <errno.h>
#include <string.h>
#include <etw/decode.h>
#include <etw/format.h>

#include "etl/record.h"
#include "process_private.h"

#define HOOK_PROCESS	0x0300	/* a group, see etw_etl_class() */

/* Types of the kernel logger's class */
enum { START = 1, END = 2, DC_START = 3, DC_END = 4 };

_Static_assert(ETW_PROCESS_START == (int)START && ETW_PROCESS_STOP == (int)END &&
	       ETW_PROCESS_RUNDOWN == (int)DC_START, "both count alike");

static bool is_of(const struct etw_event_header *header, const struct etw_guid *guid)
{
	return !memcmp(&header->provider, guid, sizeof(*guid));
}

bool etw_process_is_own_event(const struct etw_event *event)
{
	return etw_kind_names_process(event->record.header);
}

const char *etw_process_provider_name(const struct etw_event *event, struct etw_guid *provider)
{
	const struct etw_record_view *record = &event->record;
	const char *name = (const char *)record->data + sizeof(*provider);

	if (!etw_process_is_own_event(event) || record->header->desc.opcode != ETW_PROCESS_PROVIDER ||
	    record->data_len <= sizeof(*provider) ||
	    !memchr(name, '\0', record->data_len - sizeof(*provider)))
		return NULL;
	memcpy(provider, record->data, sizeof(*provider));
	return name;
}

/* The length of a text that is kept, in whole characters */
static size_t kept_len(const char *text, size_t len)
{
	size_t i;

	if (len < ETW_PROCESS_TEXT)
		return len;
	for (i = len = ETW_PROCESS_TEXT - 1; i > len - 4; i--)
		if ((text[i] & 0xC0) != 0x80)
			return i;
	return len;
}

static void keep(char to[ETW_PROCESS_TEXT], const char *text, size_t len)
{
	len = kept_len(text, len);
	memcpy(to, text, len);
	to[len] = '\0';
}

/* ---------------------------------------------------------------- Etw-Process */

/* A text with its NUL; NULL: there is none.  *at moves beyond it. */
static const char *take_text(const char **at, const char *end, size_t *len)
{
	const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));

	if (!nul)
		return NULL;
	*len = (size_t)(nul - text);
	*at = nul + 1;
	return text;
}

static int read_own(const struct etw_event *event, struct etw_process_note *note)
{
	const struct etw_record_view *record = &event->record;
	const char *at = record->data, *end = at + record->data_len, *text;
	struct etw_process_payload payload;
	size_t len;

	if (record->header->desc.opcode == ETW_PROCESS_PROVIDER ||
	    record->data_len < sizeof(payload))
		return 0;
	memcpy(&payload, at, sizeof(payload));
	at += sizeof(payload);
	note->what = record->header->desc.opcode;
	note->pid = payload.pid;
	note->parent = payload.parent;
	note->key = payload.start_key;
	note->start = payload.start;
	note->time = event->time;
	note->changed = note->what == ETW_PROCESS_EXEC || note->what == ETW_PROCESS_RENAME;
	text = take_text(&at, end, &len);
	if (!text)
		return 0;
	keep(note->name, text, len);
	text = take_text(&at, end, &len);
	if (text)
		keep(note->path, text, len);
	return note->pid && note->key;
}

/* -------------------------------------------------------------- kernel logger */

static void take_field(struct etw_process_reader *reader, const struct etw_field *field,
		       struct etw_process_note *note)
{
	struct etw_text *text = &reader->text;

	if (!strcmp(field->name, "ProcessId")) {
		note->pid = (uint32_t)field->value.u;
	} else if (!strcmp(field->name, "ParentId")) {
		note->parent = (uint32_t)field->value.u;
	} else if (!strcmp(field->name, "ImageFileName")) {
		etw_text_cut(text, 0);
		etw_format_value(text, field, ETW_FORMAT_RAW);
		if (!text->error && text->len)
			keep(note->name, text->data, strlen(text->data));
	}
}

static int read_kernel(struct etw_process_reader *reader, const struct etw_event *event,
		       struct etw_process_note *note)
{
	const struct etw_decoded *decoded;
	struct etw_field field;
	EVENT_RECORD record;
	int err;

	if (!reader->decoder)
		reader->decoder = etw_decoder_new();
	if (!reader->decoder)
		return -ENOMEM;
	etw_event_record(&record, event, &reader->items, false);
	err = etw_decode(reader->decoder, &record, &decoded);
	if (err)
		return err == -ENOMEM ? err : 0;
	note->what = record.EventHeader.EventDescriptor.Opcode;
	if (note->what == DC_END)
		note->what = ETW_PROCESS_RUNDOWN;
	note->time = event->time;
	while (etw_decode_next(reader->decoder, &field) == 1)
		if (field.kind == ETW_FIELD_VALUE && !field.depth)
			take_field(reader, &field, note);
	if (reader->text.error)
		return -ENOMEM;
	return note->pid != 0;
}

int etw_process_read(struct etw_process_reader *reader, const struct etw_event *event,
		     struct etw_process_note *note)
{
	const struct etw_event_header *header = event->record.header;
	const unsigned int type = header->desc.opcode;
	const bool own = etw_process_is_own_event(event);
	struct etw_guid guid;

	if (!own && (!(header->flags & ETW_EVENT_CLASSIC_HEADER) || type < START || type > DC_END))
		return 0;
	memset(note, 0, sizeof(*note));
	if (own)
		return read_own(event, note);
	etw_etl_class(HOOK_PROCESS, &guid);
	return is_of(header, &guid) ? read_kernel(reader, event, note) : 0;
}

void etw_process_reader_free(struct etw_process_reader *reader)
{
	etw_decoder_free(reader->decoder);
	etw_event_items_free(&reader->items);
	etw_text_free(&reader->text);
}
