/* SPDX-License-Identifier: MIT */
/*
 * use.c - what TDH's functions share: a decoder for a call, contexts, errors
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "use.h"
#include "base/utf.h"

/* The number of idle decoders kept; others are freed. */
#define IDLE_MAX	8

static struct {
	pthread_mutex_t lock;
	struct etw_decoder *list[IDLE_MAX];
	unsigned int count;
} idle = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct etw_decoder *take_decoder(void)
{
	struct etw_decoder *decoder = NULL;

	pthread_mutex_lock(&idle.lock);
	if (idle.count)
		decoder = idle.list[--idle.count];
	pthread_mutex_unlock(&idle.lock);
	return decoder ? decoder : etw_decoder_new();
}

static void give_decoder(struct etw_decoder *decoder)
{
	pthread_mutex_lock(&idle.lock);
	if (idle.count < IDLE_MAX) {
		idle.list[idle.count++] = decoder;
		decoder = NULL;
	}
	pthread_mutex_unlock(&idle.lock);
	etw_decoder_free(decoder);
}

/* Runs when the library is unloaded */
__attribute__((destructor))
static void free_idle(void)
{
	while (idle.count)
		etw_decoder_free(idle.list[--idle.count]);
}

ULONG etw_tdh_error(int err)
{
	switch (err) {
	case 0:
		return ERROR_SUCCESS;
	case -ENOENT:
		return ERROR_NOT_FOUND;
	case -EBADMSG:
		return ERROR_EVT_INVALID_EVENT_DATA;
	case -ENOMEM:
		return ERROR_NOT_ENOUGH_MEMORY;
	case -EACCES:
	case -EPERM:
		return ERROR_ACCESS_DENIED;
	default:
		return ERROR_INVALID_PARAMETER;
	}
}

char *etw_tdh_utf8(const WCHAR *s, int *error)
{
	size_t len = etw_utf16_len(s, SIZE_MAX);
	ssize_t bytes = etw_utf16_to_utf8(s, len, NULL, 0);
	char *text;

	*error = bytes < 0 ? -EINVAL : -ENOMEM;
	text = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
	if (!text)
		return NULL;
	etw_utf16_to_utf8(s, len, text, (size_t)bytes);
	text[bytes] = '\0';
	*error = 0;
	return text;
}

/* Only the pointer size has an effect; other contexts are ignored. */
static ULONG apply_contexts(EVENT_RECORD *record, ULONG count, const TDH_CONTEXT *contexts)
{
	const USHORT sizes = EVENT_HEADER_FLAG_32_BIT_HEADER | EVENT_HEADER_FLAG_64_BIT_HEADER;
	unsigned int seen = 0;
	ULONG i;

	if (count && !contexts)
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < count; i++) {
		const TDH_CONTEXT *c = &contexts[i];

		if ((unsigned int)c->ParameterType >= TDH_CONTEXT_MAXIMUM ||
		    seen & 1u << c->ParameterType)
			return ERROR_INVALID_PARAMETER;
		seen |= 1u << c->ParameterType;
		if (c->ParameterType != TDH_CONTEXT_POINTERSIZE)
			continue;
		if (c->ParameterValue != 4 && c->ParameterValue != 8)
			return ERROR_INVALID_PARAMETER;
		record->EventHeader.Flags &= (USHORT)~sizes;
		record->EventHeader.Flags |= c->ParameterValue == 4 ?
			EVENT_HEADER_FLAG_32_BIT_HEADER : EVENT_HEADER_FLAG_64_BIT_HEADER;
	}
	return ERROR_SUCCESS;
}

ULONG etw_use_begin(struct etw_use *use, const EVENT_RECORD *record, ULONG count,
		    const TDH_CONTEXT *contexts)
{
	ULONG ret;

	memset(use, 0, sizeof(*use));
	if (!record)
		return ERROR_INVALID_PARAMETER;
	use->record = *record;
	ret = apply_contexts(&use->record, count, contexts);
	if (ret)
		return ret;
	if (record->EventHeader.Flags & EVENT_HEADER_FLAG_TRACE_MESSAGE)
		return ERROR_NOT_SUPPORTED;
	use->decoder = take_decoder();
	if (!use->decoder)
		return ERROR_NOT_ENOUGH_MEMORY;
	ret = etw_tdh_error(etw_decode(use->decoder, &use->record, &use->event));
	use->plan = use->decoder->plan;
	/* A string has no schema: callers check its flag. */
	if (!ret && use->plan->source == ETW_DECODE_STRING)
		ret = ERROR_NOT_FOUND;
	if (ret)
		etw_use_end(use);
	return ret;
}

void etw_use_end(struct etw_use *use)
{
	give_decoder(use->decoder);
	use->decoder = NULL;
}
