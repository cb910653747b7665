/* SPDX-License-Identifier: MIT */
/*
 * names.c - the name of an event
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "names.h"
#include "base/text.h"

/* Skip the "win:" that standard names have in manifests. */
static const char *plain_name(const char *name)
{
	return *name == 'w' && !strncmp(name, "win:", 4) ? name + 4 : name;
}

const char *convert_event_name(const struct etw_decoded *decoded, const char **opcode)
{
	const EVENT_DESCRIPTOR *desc = &decoded->record->EventHeader.EventDescriptor;
	/* Classic events have no task: the class is their task, and each type has a name. */
	bool class = decoded->source == ETW_DECODE_CLASSIC;

	*opcode = NULL;
	if (decoded->event && *decoded->event)
		return decoded->event;
	if (!decoded->task || !*decoded->task || (!desc->Task && !class))
		return decoded->symbol;
	/* Opcode 0 (win:Info) adds nothing. */
	if (decoded->opcode && *decoded->opcode && (desc->Opcode || class))
		*opcode = plain_name(decoded->opcode);
	return plain_name(decoded->task);
}

static void add_string(struct etw_text *to, const char *s, enum convert_string how)
{
	if (how == CONVERT_RAW)
		etw_text_puts(to, s);
	else
		etw_text_escape(to, s, strlen(s));
}

void convert_add_name(const struct etw_decoded *decoded, enum convert_string how,
		      struct etw_text *to)
{
	const EVENT_HEADER *header = &decoded->record->EventHeader;
	const char *opcode, *name = convert_event_name(decoded, &opcode);

	if (name) {
		add_string(to, name, how);
		if (opcode) {
			etw_text_char(to, '/');
			add_string(to, opcode, how);
		}
		return;
	}
	if (header->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER)
		etw_text_printf(to, "type(%u)", header->EventDescriptor.Opcode);
	else if (header->Flags & EVENT_HEADER_FLAG_TRACE_MESSAGE)
		etw_text_printf(to, "message(%u)", header->EventDescriptor.Id);
	else
		etw_text_printf(to, "event(%u)", header->EventDescriptor.Id);
}

void convert_add_provider(const struct convert_event *e, struct etw_text *to)
{
	if (e->decoded->provider && *e->decoded->provider)
		etw_text_puts(to, e->decoded->provider);
	else
		etw_text_guid(to, &e->record->EventHeader.ProviderId);
}

const GUID *convert_related(const EVENT_RECORD *record)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = record->ExtendedData;
	unsigned int i;

	for (i = 0; i < record->ExtendedDataCount; i++)
		if (item[i].ExtType == EVENT_HEADER_EXT_TYPE_RELATED_ACTIVITYID &&
		    item[i].DataSize >= sizeof(GUID))
			return (const GUID *)(uintptr_t)item[i].DataPtr;
	return NULL;
}
