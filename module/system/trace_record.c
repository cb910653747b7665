// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_record.c - write the record of a trace event as an event
 *
 * The record is perf's: the fixed members of the trace event, then the data that its data
 * locations point to.  Its source may be a probe that reads user memory, so a location is
 * believed only as far as the record reaches.
 *
 * Runs where the tracepoint is, up to NMI, with preemption disabled.  perf admits one record at
 * a time in each of its four contexts of a CPU, and so does the scratch memory here.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "trace_event.h"

#define CONTEXTS	4	/* task, softirq, hardirq, NMI */

struct trace_scratch {
	struct etw_data_descriptor data[1 + 2 * ETW_TRACE_PIECES_MAX];
	u16 lengths[ETW_TRACE_PIECES_MAX];
	char texts[ETW_TRACE_USER_TEXTS][ETW_TRACE_USER_TEXT_MAX];
	u32 text_count;
};

struct trace_scratches {
	struct trace_scratch of[CONTEXTS];
};

static struct trace_scratches __percpu *scratches;

/* Allocate the scratch memory, once.  The caller holds a lock against others. */
int etw_trace_record_room(void)
{
	if (!scratches)
		scratches = alloc_percpu(struct trace_scratches);
	return scratches ? 0 : -ENOMEM;
}

void etw_trace_record_exit(void)
{
	free_percpu(scratches);
}

struct trace_record {
	const u8 *at;
	u32 size;
};

/* len bytes of the record; none where it does not have them. */
static struct etw_data_descriptor trace_part(const struct trace_record *r, u32 offset, u32 len)
{
	if (offset > r->size || len > r->size - offset)
		return etw_data(r->at, 0);
	return etw_data(r->at + offset, len);
}

static struct etw_data_descriptor trace_located(const struct trace_record *r,
						const struct etw_trace_piece *piece)
{
	struct etw_data_descriptor where = trace_part(r, piece->offset, sizeof(u32));
	u32 location, offset;

	if (!where.size)
		return where;
	memcpy(&location, r->at + piece->offset, sizeof(location));
	offset = location & 0xffff;
	if (piece->flags & ETW_TRACE_RELATIVE)
		offset += piece->offset + sizeof(u32);
	return trace_part(r, offset, location >> 16);
}

/* Page by page, so that what follows the text need not be there. */
static u32 trace_user_copy(char *to, unsigned long address)
{
	u32 done = 0, chunk, len;

	while (done < ETW_TRACE_USER_TEXT_MAX) {
		chunk = min_t(u32, ETW_TRACE_USER_TEXT_MAX - done,
			      PAGE_SIZE - offset_in_page(address + done));
		if (copy_from_user_nofault(to + done, (void __user *)(address + done), chunk))
			break;
		len = strnlen(to + done, chunk);
		done += len;
		if (len < chunk)
			break;
	}
	return done;
}

static struct etw_data_descriptor trace_user_text(struct trace_scratch *scratch,
						  const struct trace_record *r, u32 offset)
{
	struct etw_data_descriptor where = trace_part(r, offset, sizeof(u64));
	char *to = scratch->texts[scratch->text_count++];
	u64 address;

	if (!where.size)
		return where;
	memcpy(&address, r->at + offset, sizeof(address));
	return etw_data(to, trace_user_copy(to, address));
}

/* A descriptor or two for a piece; returns the next place for one. */
static struct etw_data_descriptor *trace_piece(struct etw_data_descriptor *d,
					       struct trace_scratch *scratch, u16 *length,
					       const struct trace_record *r,
					       const struct etw_trace_piece *piece)
{
	struct etw_data_descriptor part;

	switch (piece->kind) {
	case ETW_TRACE_USER_TEXT:
		part = trace_user_text(scratch, r, piece->offset);
		break;
	case ETW_TRACE_TEXT_AT:
	case ETW_TRACE_ARRAY_AT:
		part = trace_located(r, piece);
		break;
	default:
		part = trace_part(r, piece->offset, piece->size);
		break;
	}
	*length = part.size;
	switch (piece->kind) {
	case ETW_TRACE_COPY:
		*d++ = part;
		return d;
	case ETW_TRACE_TEXT:
	case ETW_TRACE_TEXT_AT:
		part.size = strnlen((const char *)(unsigned long)part.ptr, part.size);
		*length = part.size;
		break;
	case ETW_TRACE_ARRAY_AT:
		*length = part.size / piece->size;
		part.size = *length * piece->size;
		break;
	}
	*d++ = etw_data(length, sizeof(*length));
	*d++ = part;
	return d;
}

/* The counter's handler */
void etw_trace_record_write(struct perf_event *counter, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
	const struct etw_trace_provider *t = counter->overflow_handler_context;
	const struct perf_raw_record *raw = data->raw;
	struct etw_data_descriptor *d;
	struct trace_scratch *scratch;
	struct trace_record r;
	u32 i;

	if (!raw || !ETW_HANDLE_ENABLED(t->held.provider, &t->desc))
		return;
	r = (struct trace_record){ .at = raw->frag.data, .size = raw->frag.size };
	scratch = &this_cpu_ptr(scratches)->of[interrupt_context_level()];
	scratch->text_count = 0;
	d = scratch->data;
	*d++ = etw_data_typed(ETW_DATA_EVENT_METADATA, t->schema, t->schema_len);
	for (i = 0; i < t->piece_count; i++)
		d = trace_piece(d, scratch, &scratch->lengths[i], &r, &t->pieces[i]);
	etw_write(t->held.provider, &t->desc, d - scratch->data, scratch->data);
}
