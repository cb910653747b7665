// SPDX-License-Identifier: MIT
/*
 * event_name.c - the name of an event as "etw dump" shows it
 */
#include "decoder.h"

/* Skip the "win:" that standard names have in manifests. */
static const char *plain_name(const char *name)
{
	return *name == 'w' && !strncmp(name, "win:", 4) ? name + 4 : name;
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len >= end_len && !memcmp(name + len - end_len, end, end_len);
}

/* A TraceLogging event that is named "Work" or "WorkStart" */
static const char *own_name(const struct etw_decoded *decoded, const char **opcode)
{
	if (decoded->source != ETW_DECODE_TRACELOGGING || !decoded->opcode || !*decoded->opcode ||
	    !decoded->record->EventHeader.EventDescriptor.Opcode)
		return decoded->event;
	*opcode = plain_name(decoded->opcode);
	if (ends_with(decoded->event, *opcode))
		*opcode = NULL;
	return decoded->event;
}

const char *etw_decoded_name(const struct etw_decoded *decoded, const char **opcode)
{
	const EVENT_DESCRIPTOR *desc = &decoded->record->EventHeader.EventDescriptor;
	/* Classic events have no task: the class is their task, and each type has a name. */
	bool class = decoded->source == ETW_DECODE_CLASSIC;

	*opcode = NULL;
	if (decoded->event && *decoded->event)
		return own_name(decoded, opcode);
	if (!decoded->task || !*decoded->task || (!desc->Task && !class))
		return decoded->symbol;
	/* Opcode 0 (win:Info) adds nothing. */
	if (decoded->opcode && *decoded->opcode && (desc->Opcode || class))
		*opcode = plain_name(decoded->opcode);
	return plain_name(decoded->task);
}
