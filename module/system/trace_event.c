// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_event.c - the kernel's trace events as providers: what such a provider consists of
 *
 * How long one lasts, and the locks, are those of held_provider.c.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "alloc.h"
#include "trace_event.h"
#include "write/write_kernel.h"

static struct etw_trace_provider *trace_of(const struct etw_held_provider *p)
{
	return container_of(p, struct etw_trace_provider, held);
}

static void trace_start(struct etw_held_provider *p)
{
	struct etw_trace_provider *t = trace_of(p);
	int err = etw_trace_counters_start(t);

	if (err)
		etw_trace_record_missing(t);
	if (err && t->id)
		pr_warn_ratelimited("etw: the trace event with id %u is not traced: error %d\n",
				    t->id, err);
	else if (err)
		pr_warn_ratelimited("etw: the counter 0x%llx of type %u is not sampled: error %d\n",
				    t->config, t->counter, err);
}

static void trace_stop(struct etw_held_provider *p)
{
	etw_trace_counters_stop(trace_of(p));
}

static bool trace_active(const struct etw_held_provider *p)
{
	return READ_ONCE(trace_of(p)->active);
}

static int trace_publish(struct etw_held_provider *p)
{
	return etw_trace_record_room();
}

static void trace_free(struct etw_held_provider *p)
{
	struct etw_trace_provider *t = trace_of(p);

	free_percpu(t->counters);
	kfree(t->layout.schema);
	kfree(t->manifest);
	kfree(t);
}

static bool trace_same(const struct etw_held_provider *one, const struct etw_held_provider *other)
{
	const struct etw_trace_provider *a = trace_of(one), *b = trace_of(other);

	return a->id == b->id && a->counter == b->counter && a->config == b->config &&
	       a->period == b->period && a->frequency == b->frequency &&
	       a->layout.schema_len == b->layout.schema_len &&
	       a->layout.piece_count == b->layout.piece_count &&
	       !memcmp(&a->desc, &b->desc, sizeof(a->desc)) &&
	       !memcmp(a->layout.schema, b->layout.schema, a->layout.schema_len) &&
	       !memcmp(a->pieces, b->pieces,
		       array_size(a->layout.piece_count, sizeof(a->pieces[0])));
}

#define PIECE_MAX	2048	/* bytes, so that one fits into the smallest buffers */

/* The event that holds a piece of a manifest begins so. */
struct trace_piece_head {
	u8 format, major, minor, magic;
	u16 total, number;
};

/*
 * A manifest is embedded in a trace as on Windows.  Nothing is lost without being counted: a
 * session counts a piece as any event.
 */
static bool trace_describe(struct etw_held_provider *p, u64 sessions)
{
	static const struct etw_event_descriptor desc = {
		.id = 0xFFFE, .version = 1, .opcode = 0xFE, .task = 0xFFFE,
		.keyword = 0x00FFFFFFFFFFFFFFULL,	/* all but those of channels */
	};
	const struct etw_trace_provider *t = trace_of(p);
	struct trace_piece_head head = {
		.format = 1, .major = 1, .magic = 0x5B,
		.total = DIV_ROUND_UP(t->manifest_len, PIECE_MAX),
	};
	bool whole = true;
	u32 at;

	for (at = 0; at < t->manifest_len; at += PIECE_MAX, head.number++) {
		const struct etw_data_descriptor data[] = {
			etw_data(&head, sizeof(head)),
			etw_data(t->manifest + at, min_t(u32, t->manifest_len - at, PIECE_MAX)),
		};

		if (etw_write_describing(p->provider, sessions, &desc, ARRAY_SIZE(data), data))
			whole = false;
	}
	return whole;
}

static struct etw_held_kind trace_kind = {
	.max = ETW_TRACE_EVENTS_MAX,
	.one_event = true,
	.same = trace_same,
	.free = trace_free,
	.publish = trace_publish,
	.describe = trace_describe,
	.start = trace_start,
	.stop = trace_stop,
	.active = trace_active,
};

static struct etw_trace_provider *trace_new(const struct etw_trace_event *arg, const void *schema,
					    const struct etw_trace_piece *pieces,
					    const void *manifest)
{
	struct etw_trace_provider *t = kzalloc(struct_size(t, pieces, arg->piece_count), ETW_GFP);

	if (!t)
		return NULL;
	etw_held_provider_prepare(&t->held, &trace_kind);
	t->desc.channel = ETW_CHANNEL_TRACELOGGING;
	t->desc.level = arg->level;
	t->desc.opcode = arg->opcode;
	t->desc.task = arg->task;
	t->desc.keyword = arg->keyword;
	t->id = arg->id;
	t->counter = arg->counter;
	t->config = arg->config;
	t->period = arg->period;
	t->frequency = arg->flags & ETW_TRACE_FREQUENCY;
	t->layout.schema_len = arg->schema_len;
	t->layout.piece_count = arg->piece_count;
	t->layout.pieces = t->pieces;
	memcpy(t->pieces, pieces, array_size(arg->piece_count, sizeof(*pieces)));
	t->layout.schema = kmemdup(schema, arg->schema_len, ETW_GFP);
	if (arg->manifest_len)
		t->manifest = kmemdup(manifest, arg->manifest_len, ETW_GFP);
	t->manifest_len = arg->manifest_len;
	t->counters = alloc_percpu_gfp(struct perf_event *, ETW_GFP);
	if (!t->layout.schema || !t->counters || (t->manifest_len && !t->manifest)) {
		trace_free(&t->held);
		return NULL;
	}
	return t;
}

/**
 * etw_trace_provider_make() - make a trace event a provider, or find the one it is
 * @holder: the open file that holds it from now on
 * @arg: its numbers, which were checked
 * @name: the provider's
 * @schema: @arg->schema_len bytes
 * @pieces: @arg->piece_count of them
 * @manifest: @arg->manifest_len bytes; one that exists keeps what it has
 *
 * May sleep.
 *
 * Return: 0; -EEXIST, also if a module has the GUID; -ENOSPC; -ENOMEM; errors of
 * etw_register_handle().
 */
int etw_trace_provider_make(struct etw_process *holder, const struct etw_trace_event *arg,
			    const char *name, const void *schema,
			    const struct etw_trace_piece *pieces, const void *manifest)
{
	struct etw_trace_provider *new = trace_new(arg, schema, pieces, manifest);

	if (!new)
		return -ENOMEM;
	return PTR_ERR_OR_ZERO(etw_held_provider_make(holder, &arg->provider, name, &new->held));
}

static void trace_renew(struct etw_held_provider *p)
{
	etw_trace_counters_renew(trace_of(p));
}

void etw_trace_renew_all(void)
{
	etw_held_provider_for_each(&trace_kind, trace_renew);
}
