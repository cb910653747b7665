// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_provider.c - providers whose events BPF programs write: what they consist of, and numbers
 *
 * How long one lasts is a matter of held_provider.c.  A provider's number is an index into the
 * table and a generation, so that a program with the number of a provider that has gone does not
 * find another one.
 *
 * The table changes under the lock of held_provider.c.  Programs read it with preemption
 * disabled; what they find there is freed after a grace period.
 */
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "alloc.h"
#include "bpf_provider.h"

static struct etw_bpf_target __rcu *targets[ETW_BPF_PROVIDERS_MAX];
/* How often each place was taken, without the upper bits, which a number has no room for. */
static u32 generations[ETW_BPF_PROVIDERS_MAX];
static unsigned int last_place;

static struct etw_bpf_target *target_of(const struct etw_held_provider *p)
{
	return container_of(p, struct etw_bpf_target, held);
}

/* Preemption is disabled, and stays so while the target is used.  NULL: there is none. */
const struct etw_bpf_target *etw_bpf_target_find(u32 number)
{
	const u32 place = array_index_nospec(number % ETW_BPF_PROVIDERS_MAX,
					     ETW_BPF_PROVIDERS_MAX);
	const struct etw_bpf_target *t = rcu_dereference_sched(targets[place]);

	return t && t->number == number ? t : NULL;
}

static int target_publish(struct etw_held_provider *p)
{
	const u32 generation_max = U32_MAX / ETW_BPF_PROVIDERS_MAX;
	struct etw_bpf_target *t = target_of(p);
	unsigned int tries = 0, place = last_place;
	int err = etw_trace_record_room();

	if (err)
		return err;
	/* Round about, so that each is used as rarely as possible.  The kind's count limits them. */
	do {
		if (tries++ == ETW_BPF_PROVIDERS_MAX)
			return -ENOSPC;
		place = (place + 1) % ETW_BPF_PROVIDERS_MAX;
	} while (rcu_access_pointer(targets[place]));
	last_place = place;
	/* From 1, so that no number is 0. */
	generations[place] = generations[place] % generation_max + 1;
	t->number = generations[place] * ETW_BPF_PROVIDERS_MAX + place;
	rcu_assign_pointer(targets[place], t);
	return 0;
}

static void target_withdraw(struct etw_held_provider *p)
{
	RCU_INIT_POINTER(targets[target_of(p)->number % ETW_BPF_PROVIDERS_MAX], NULL);
}

void etw_bpf_input_free(struct etw_bpf_input *in)
{
	kvfree(in->events);
	kvfree(in->schemas);
	kvfree(in->pieces);
}

static void target_free(struct etw_held_provider *p)
{
	struct etw_bpf_target *t = target_of(p);

	etw_bpf_input_free(&t->described);
	kvfree(t);
}

static bool target_same(const struct etw_held_provider *one, const struct etw_held_provider *other)
{
	const struct etw_bpf_target *a = target_of(one), *b = target_of(other);
	const struct etw_bpf_input *x = &a->described, *y = &b->described;

	return a->event_count == b->event_count && a->schemas_len == b->schemas_len &&
	       a->piece_count == b->piece_count &&
	       !memcmp(x->events, y->events, array_size(a->event_count, sizeof(*x->events))) &&
	       !memcmp(x->schemas, y->schemas, a->schemas_len) &&
	       !memcmp(x->pieces, y->pieces, array_size(a->piece_count, sizeof(*x->pieces)));
}

static struct etw_held_kind bpf_kind = {
	.max = ETW_BPF_PROVIDERS_MAX,
	.same = target_same,
	.free = target_free,
	.publish = target_publish,
	.withdraw = target_withdraw,
};

static void target_describe(struct etw_bpf_target *t)
{
	const struct etw_bpf_event *from = t->described.events;
	const struct etw_trace_piece *pieces = t->described.pieces;
	struct etw_bpf_kept_event *to;
	u8 *schema = t->described.schemas;

	for (to = t->events; to < t->events + t->event_count; to++, from++) {
		to->desc.channel = ETW_CHANNEL_TRACELOGGING;
		to->desc.level = from->level;
		to->desc.opcode = from->opcode;
		to->desc.task = from->task;
		to->desc.keyword = from->keyword;
		to->record_size = from->record_size;
		to->layout.schema = schema;
		to->layout.schema_len = from->schema_len;
		to->layout.pieces = pieces;
		to->layout.piece_count = from->piece_count;
		to->whole = from->piece_count == 1 && pieces->kind == ETW_TRACE_COPY &&
			    !pieces->offset && pieces->size == from->record_size;
		schema += from->schema_len;
		pieces += from->piece_count;
	}
}

/**
 * etw_bpf_provider_make() - make a provider for BPF programs, or find the one that is the same
 * @holder: the open file that holds it from now on
 * @arg: its numbers, which were checked
 * @name: the provider's
 * @in: its arrays, which were checked; emptied
 * @number: result: for the programs
 *
 * May sleep.
 *
 * Return: 0; -EEXIST, also if a module has the GUID; -ENOSPC; -ENOMEM; errors of
 * etw_register_handle().
 */
int etw_bpf_provider_make(struct etw_process *holder, const struct etw_bpf_provider *arg,
			  const char *name, struct etw_bpf_input *in, u32 *number)
{
	struct etw_bpf_target *t = kvzalloc(struct_size(t, events, arg->event_count), ETW_GFP);
	struct etw_held_provider *p;

	if (!t)
		return -ENOMEM;
	etw_held_provider_prepare(&t->held, &bpf_kind);
	t->event_count = arg->event_count;
	t->schemas_len = arg->schemas_len;
	t->piece_count = arg->piece_count;
	t->described = *in;
	memset(in, 0, sizeof(*in));
	target_describe(t);
	p = etw_held_provider_make(holder, &arg->provider, name, &t->held);
	if (IS_ERR(p))
		return PTR_ERR(p);
	*number = target_of(p)->number;
	return 0;
}
