/* SPDX-License-Identifier: MIT */
/*
 * bpf_describe.c - TraceLogging metadata, and the parts of a record, of BPF programs' events
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <etw/tracelogging/base.h>

#include "bpf_describe.h"

/* How each type is stored and shown. size: of a value; 0: any */
static const struct {
	uint8_t kind, in, out, size;
} types[ETW_BPF_TYPES] = {
	[ETW_BPF_u8] = { ETW_TRACE_COPY, TlgInUINT8, 0, 1 },
	[ETW_BPF_u16] = { ETW_TRACE_COPY, TlgInUINT16, 0, 2 },
	[ETW_BPF_u32] = { ETW_TRACE_COPY, TlgInUINT32, 0, 4 },
	[ETW_BPF_u64] = { ETW_TRACE_COPY, TlgInUINT64, 0, 8 },
	[ETW_BPF_s8] = { ETW_TRACE_COPY, TlgInINT8, 0, 1 },
	[ETW_BPF_s16] = { ETW_TRACE_COPY, TlgInINT16, 0, 2 },
	[ETW_BPF_s32] = { ETW_TRACE_COPY, TlgInINT32, 0, 4 },
	[ETW_BPF_s64] = { ETW_TRACE_COPY, TlgInINT64, 0, 8 },
	[ETW_BPF_hex8] = { ETW_TRACE_COPY, TlgInUINT8, TlgOutHEX, 1 },
	[ETW_BPF_hex16] = { ETW_TRACE_COPY, TlgInUINT16, TlgOutHEX, 2 },
	[ETW_BPF_hex32] = { ETW_TRACE_COPY, TlgInHEXINT32, 0, 4 },
	[ETW_BPF_hex64] = { ETW_TRACE_COPY, TlgInHEXINT64, 0, 8 },
	[ETW_BPF_boolean] = { ETW_TRACE_COPY, TlgInUINT8, TlgOutBOOLEAN, 1 },
	[ETW_BPF_pid] = { ETW_TRACE_COPY, TlgInUINT32, TlgOutPID, 4 },
	[ETW_BPF_tid] = { ETW_TRACE_COPY, TlgInUINT32, TlgOutTID, 4 },
	[ETW_BPF_pointer] = { ETW_TRACE_COPY, TlgInHEXINT64, 0, 8 },
	[ETW_BPF_ipv4] = { ETW_TRACE_COPY, TlgInUINT32, TlgOutIPV4, 4 },
	[ETW_BPF_ipv6] = { ETW_TRACE_BYTES, TlgInBINARY, TlgOutIPV6, 16 },
	[ETW_BPF_port] = { ETW_TRACE_COPY, TlgInUINT16, TlgOutPORT, 2 },
	[ETW_BPF_guid] = { ETW_TRACE_COPY, TlgInGUID, 0, 16 },
	[ETW_BPF_filetime] = { ETW_TRACE_COPY, TlgInFILETIME, 0, 8 },
	[ETW_BPF_text] = { ETW_TRACE_TEXT, TlgInCOUNTEDANSISTRING, TlgOutUTF8, 0 },
	[ETW_BPF_bytes] = { ETW_TRACE_BYTES, TlgInBINARY, 0, 0 },
	[ETW_BPF_user_text] = { ETW_TRACE_USER_TEXT, TlgInCOUNTEDANSISTRING, TlgOutUTF8, 8 },
};

static bool put(struct etw_bpf_description *d, const void *data, size_t size)
{
	if (size > sizeof(d->schemas) - d->schemas_len)
		return false;
	memcpy(d->schemas + d->schemas_len, data, size);
	d->schemas_len += size;
	return true;
}

static bool put_byte(struct etw_bpf_description *d, uint8_t byte)
{
	return put(d, &byte, 1);
}

/* What is copied from beside the part before goes with it. */
static bool put_piece(struct etw_bpf_description *d, struct etw_bpf_event *event,
		      const struct etw_trace_piece *piece)
{
	struct etw_trace_piece *last = d->pieces + d->piece_count - 1;

	if (event->piece_count && piece->kind == ETW_TRACE_COPY && last->kind == ETW_TRACE_COPY &&
	    last->offset + last->size == piece->offset) {
		last->size += piece->size;
		return true;
	}
	if (d->piece_count == ETW_BPF_PIECES_MAX || event->piece_count == ETW_TRACE_PIECES_MAX)
		return false;
	d->pieces[d->piece_count++] = *piece;
	event->piece_count++;
	return true;
}

/* What the metadata say of a field */
static bool put_name(struct etw_bpf_description *d, const struct etw_bpf_field *field)
{
	const uint8_t out = types[field->type].out;

	return put(d, field->name, strlen(field->name) + 1) &&
	       put_byte(d, types[field->type].in | (out ? TlgInChain : 0)) &&
	       (!out || put_byte(d, out));
}

static bool put_field(struct etw_bpf_description *d, struct etw_bpf_event *event,
		      const struct etw_bpf_field *field)
{
	struct etw_trace_piece piece = { .offset = field->offset, .size = field->size };

	if ((unsigned int)field->type >= ETW_BPF_TYPES || !field->size ||
	    field->offset > ETW_BPF_RECORD_MAX || field->size > ETW_BPF_RECORD_MAX ||
	    (types[field->type].size && field->size != types[field->type].size))
		return false;
	piece.kind = types[field->type].kind;
	return put_name(d, field) && put_piece(d, event, &piece);
}

static bool put_event(struct etw_bpf_description *d, struct etw_bpf_event *event,
		      const struct etw_bpf_event_info *info, const struct etw_bpf_field *more,
		      unsigned int more_count)
{
	const uint32_t begin = d->schemas_len;
	uint16_t size = 0;
	uint32_t i;

	event->keyword = info->keyword;
	event->level = info->level;
	event->opcode = info->opcode;
	event->task = info->task;
	event->record_size = info->size;
	if (!put(d, &size, sizeof(size)) || !put_byte(d, 0) ||
	    !put(d, info->name, strlen(info->name) + 1))
		return false;
	for (i = 0; i < info->field_count; i++)
		if (!put_field(d, event, &info->fields[i]))
			return false;
	for (i = 0; i < more_count; i++)
		if (!put_name(d, &more[i]))
			return false;
	event->schema_len = d->schemas_len - begin;
	if (event->schema_len > ETW_TRACE_SCHEMA_MAX)
		return false;
	size = event->schema_len;
	memcpy(d->schemas + begin, &size, sizeof(size));
	return true;
}

int etw_bpf_describe(struct etw_bpf_description *d, const struct etw_bpf_event_info *events,
		     unsigned int count, const struct etw_bpf_field *more, unsigned int more_count)
{
	unsigned int i;

	if (!count || count > ETW_BPF_EVENTS_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++)
		if (!put_event(d, &d->events[i], &events[i], more, more_count))
			return -EINVAL;
	return 0;
}
