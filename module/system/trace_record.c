// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_record.c - write a record as an event: perf's of a trace event, or a BPF program's
 *
 * perf's record has the fixed members of the trace event, then the data that its data
 * locations point to.  A record's source may be a probe that reads user memory, or a map that
 * another CPU writes to, so a location is read once and believed only as far as the record
 * reaches.  The length that a process gives of its own memory is cut to the room for it.
 *
 * Runs where the tracepoint or the program is, up to NMI, with preemption disabled.  Writers
 * on a CPU nest strictly, so the depth, counted per CPU, gives each one scratch memory of its
 * own; that of a task that dies there is put right when it exits.  perf admits one record at a
 * time in each of its four contexts of a CPU; programs may also be called by what runs in
 * between, and so too deep.
 */
#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>

#include "access/user_limits.h"
#include "trace_event.h"
#include "write/fair.h"
#include "write/hotpath.h"
#include "write/loss.h"
#include "write/opts.h"
#include "write/scope.h"
#include "write/snapshot.h"
#include "write/stack.h"
#include "write/write_kernel.h"

#define SCRATCHES	6	/* of each CPU */

struct trace_scratch {
	struct etw_data_descriptor data[1 + 2 * ETW_TRACE_PIECES_MAX];
	u16 lengths[ETW_TRACE_PIECES_MAX];
	char texts[ETW_TRACE_USER_TEXTS][ETW_TRACE_USER_TEXT_MAX];
	u32 text_count;
};

/* Of a CPU; etw_hotpath_records counts those in use. */
struct trace_scratches {
	struct trace_scratch of[SCRATCHES];
};

static struct trace_scratches __percpu *scratches;

/*
 * Who pays for an event that occurs now: a program can cause system calls, faults and the like
 * as fast as events of its own.  Interrupts and the kernel's threads cannot be told from the
 * kernel; root can take what they want anyway, and a trace of their programs needs all the buffers
 * there are.  Any context.
 */
u64 etw_trace_payer(void)
{
	if (!in_task() || current->flags & PF_KTHREAD || uid_eq(current_uid(), GLOBAL_ROOT_UID))
		return 0;
	return ETW_PAYER(etw_user_number_current(), 0);
}

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
	OPTIMIZER_HIDE_VAR(location);
	offset = location & 0xffff;
	if (piece->flags & ETW_TRACE_RELATIVE)
		offset += piece->offset + sizeof(u32);
	return trace_part(r, offset, location >> 16);
}

/* Page by page, so that what follows a text, or the bytes that are there, need not be there. */
static u32 trace_user_copy(char *to, unsigned long address, u32 room, bool is_text)
{
	u32 done = 0, chunk, len;

	while (done < room) {
		chunk = min_t(u32, room - done, PAGE_SIZE - offset_in_page(address + done));
		if (!etw_stack_read_user(to + done, (void __user *)(address + done), chunk))
			break;
		len = is_text ? strnlen(to + done, chunk) : chunk;
		done += len;
		if (len < chunk)
			break;
	}
	return done;
}

/* How many bytes may be read for a piece: a length that makes no sense is an empty part. */
static u32 trace_user_room(const struct trace_record *r, const struct etw_trace_piece *piece)
{
	struct etw_data_descriptor where;
	s32 length;

	if (piece->kind == ETW_TRACE_USER_TEXT)
		return ETW_TRACE_USER_TEXT_MAX;
	where = trace_part(r, piece->length_offset, sizeof(length));
	if (!where.size)
		return 0;
	memcpy(&length, r->at + piece->length_offset, sizeof(length));
	OPTIMIZER_HIDE_VAR(length);
	return clamp_t(s32, length, 0, piece->size);
}

static struct etw_data_descriptor trace_user(struct trace_scratch *scratch,
					     const struct trace_record *r,
					     const struct etw_trace_piece *piece)
{
	struct etw_data_descriptor where = trace_part(r, piece->offset, sizeof(u64));
	char *to = scratch->texts[scratch->text_count++];
	u64 address;

	if (!where.size)
		return where;
	memcpy(&address, r->at + piece->offset, sizeof(address));
	OPTIMIZER_HIDE_VAR(address);
	return etw_data(to, trace_user_copy(to, address, trace_user_room(r, piece),
					    piece->kind == ETW_TRACE_USER_TEXT));
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
	case ETW_TRACE_USER_BYTES:
		part = trace_user(scratch, r, piece);
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

/* What a record becomes an event by, and for whom */
struct trace_event_of {
	struct etw_provider *provider;
	const struct etw_event_descriptor *desc;
	const struct etw_trace_layout *layout;
	struct pt_regs *regs;		/* where the stack begins; NULL: at the caller */
	struct etw_scope_answer answer;	/* the sessions that want it */
	bool general;			/* some may want more than the event, as its stack */
};

static __always_inline int trace_send(struct trace_scratch *scratch,
				      const struct trace_event_of *e,
				      const struct trace_record *r)
{
	const struct etw_trace_layout *layout = e->layout;
	struct etw_data_descriptor *d = scratch->data;
	u32 i;

	scratch->text_count = 0;
	*d++ = etw_data_typed(ETW_DATA_EVENT_METADATA, layout->schema, layout->schema_len);
	for (i = 0; i < layout->piece_count; i++)
		d = trace_piece(d, scratch, &scratch->lengths[i], r, &layout->pieces[i]);
	if (e->general)
		return etw_write_traced(etw_trace_payer(), e->provider, e->desc,
					e->answer.excluded, e->regs, d - scratch->data,
					scratch->data);
	return etw_write_asked(etw_trace_payer(), e->provider, e->desc, &e->answer,
			       d - scratch->data, scratch->data);
}

static noinline int trace_drop(const struct trace_event_of *e)
{
	const struct etw_write_opts opts = { .exclude = e->answer.excluded };

	return etw_hotpath_drop(e->provider, e->desc, &opts, ETW_DROP_NESTING);
}

/**
 * etw_trace_record_missing() - record that a CPU does not report a trace event, or did not so far
 * @t: its provider
 *
 * The sessions that have it enabled lack an unknown number of events.  May sleep.
 */
void etw_trace_record_missing(const struct etw_trace_provider *t)
{
	etw_hotpath_drop_events(t->held.provider, &t->desc, NULL, ETW_DROP_PROBE,
				ETW_LOSS_UNCOUNTED);
}

/**
 * etw_trace_record_send() - write a record as an event
 * @provider: whose event it is
 * @desc: the event's descriptor
 * @layout: what becomes of the record's parts
 * @record: @size bytes
 * @size: of @record
 * @regs: where a stack of the event begins; NULL: at the caller
 *
 * Any context, with preemption disabled, after etw_trace_record_room() has succeeded.  Sessions
 * that do not want what the running process does are asked before anything is read of the
 * record: where one process is traced, most events are others'.
 *
 * Return: as etw_write(), also if too many of these calls are nested on this CPU; the sessions
 * then count the event as lost.
 */
int etw_trace_record_send(struct etw_provider *provider, const struct etw_event_descriptor *desc,
			  const struct etw_trace_layout *layout, const void *record, u32 size,
			  struct pt_regs *regs)
{
	struct trace_event_of e = { .provider = provider, .desc = desc, .layout = layout,
				    .regs = regs };
	const struct trace_record r = { .at = record, .size = size };
	unsigned int depth;
	int ret;

	if (!etw_scope_ask(provider, &e.answer))
		return 0;
	e.general = e.answer.snapshot->filtered && e.answer.snapshot->way == ETW_WAY_GENERAL;
	depth = this_cpu_inc_return(etw_hotpath_records);
	if (likely(depth <= SCRATCHES))
		ret = trace_send(&this_cpu_ptr(scratches)->of[depth - 1], &e, &r);
	else
		ret = trace_drop(&e);
	this_cpu_dec(etw_hotpath_records);
	return ret;
}

/* The counter's handler */
void etw_trace_record_write(struct perf_event *counter, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
	const struct etw_trace_provider *t = counter->overflow_handler_context;
	const struct perf_raw_record *raw = data->raw;
	struct etw_trace_sample sample;

	if (!ETW_HANDLE_ENABLED(t->held.provider, &t->desc))
		return;
	if (t->id) {
		if (raw)
			etw_trace_record_send(t->held.provider, &t->desc, &t->layout,
					      raw->frag.data, raw->frag.size, regs);
		return;
	}
	sample = (struct etw_trace_sample){
		.address = instruction_pointer(regs),
		.counted = data->period,
		.in_kernel = !user_mode(regs),
		.cpu = raw_smp_processor_id(),
	};
	etw_trace_record_send(t->held.provider, &t->desc, &t->layout, &sample, sizeof(sample),
			      regs);
}
