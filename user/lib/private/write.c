// SPDX-License-Identifier: MIT
/*
 * write.c - write events to private sessions
 *
 * Any thread, and signal handlers that interrupt a write. No lock and no system call, except
 * that a full buffer wakes the session's thread. The buffers are one per CPU, whose words
 * all threads share, because a thread may lose its CPU at any moment.
 */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "core/classic.h"
#include "filter.h"
#include "private_session.h"

union thread_ids {
	struct { uint32_t thread, process; };
	uint64_t both;
};

/* The thread's ids, as of the process whose id is there */
static __thread union thread_ids ids __attribute__((__tls_model__("initial-exec")));

static noinline uint64_t find_ids(const struct private_session *s)
{
	const union thread_ids here = { { gettid(), s->pid } };

	/* A vfork child has its parent's variables, but is another thread. */
	if (getpid() == s->pid)
		ids = here;
	return here.both;
}

static inline uint64_t thread_ids(const struct private_session *s)
{
	return likely(ids.process == (uint32_t)s->pid) ? ids.both : find_ids(s);
}

static inline struct private_cpu *this_cpu(const struct private_session *s)
{
	unsigned int cpu = sched_getcpu();

	return &s->cpus[likely(cpu < s->cpu_count) ? cpu : cpu % s->cpu_count];
}

/* An event is lost; returns err. */
static noinline int drop(struct private_session *s, uint32_t cause, int err)
{
	struct private_loss *note = &this_cpu(s)->lost[cause];
	uint64_t now = private_clock_read(s->clock);

	if (!atomic_load(&note->events))
		atomic_store(&note->first, now);
	atomic_store(&note->last, now);
	atomic_fetch_add(&note->events, 1);
	atomic_store(&s->losing, true);
	return err;
}

/* A reserved slot, which must be filled and committed. */
struct slot {
	u8 *at;
	struct etw_buf *buf;
	uint64_t now;
};

/* The buffer at cur has no room: take another one. 0 or -errno; the loss is counted. */
static noinline int make_room(struct private_session *s, struct etw_ring_cpu *rc, u64 cur,
			      uint32_t len)
{
	if (!etw_ring_fits(&s->ring, len))
		return drop(s, ETW_DROP_BUFFER_SIZE, -EMSGSIZE);
	if (etw_ring_switch(ETW_SHARED, &s->ring, rc, cur, NULL))
		return drop(s, ETW_DROP_NO_BUFFER, -ENOBUFS);
	return 0;
}

/* Reserve len bytes. False: *err says why, and the loss is counted. */
static __always_inline bool reserve(struct private_session *s, uint32_t len, struct slot *slot,
				    int *err)
{
	struct etw_ring_cpu *rc = &this_cpu(s)->ring;
	u64 cur;

	for (;;) {
		cur = etw_word_read_acquire(&rc->cur);
		if (unlikely(!etw_ring_room(s->ring.size, cur, len))) {
			*err = make_room(s, rc, cur, len);
			if (*err)
				return false;
			continue;
		}
		slot->now = private_clock_read(s->clock);
		slot->at = etw_ring_reserve(ETW_SHARED, &s->ring, rc, cur, len, &slot->buf);
		if (likely(slot->at))
			return true;
	}
}

static __always_inline int write_record(struct private_session *s,
					struct etw_record_source *source,
					const struct etw_record_items *items)
{
	uint32_t len = etw_record_slot(source->size);
	struct slot slot;
	int err;

	source->ids = thread_ids(s);
	if (unlikely(!reserve(s, len, &slot, &err)))
		return err;
	etw_record_write_items(slot.at, source, items, slot.now);
	((struct etw_event_header *)slot.at)->processor_time = private_is_tsc(s->clock) ?
							       slot.now : private_tsc();
	etw_ring_commit(ETW_SHARED, &s->ring, slot.buf, len);
	return 0;
}

/* ------------------------------------------------------- described events */

/* What an event has besides its payload, and its items of that */
struct described {
	struct etw_typed typed;
	struct etw_traits_view traits;
	struct etw_record_extra extra;
	struct etw_record_items items;
};

static int split(struct described *to, struct etw_record_source *source)
{
	const struct etw_data_descriptor *data = source->data;
	struct etw_typed_at at;
	int err = etw_typed_find(&at, data, source->count);

	if (err)
		return err;
	if (at.payload > ETW_RECORD_MAX)
		return -EOVERFLOW;
	source->size = ETW_EVENT_HEADER_SIZE + at.payload +
		       (source->related ? ETW_RELATED_ITEM_SIZE : 0);
	if (source->size > ETW_RECORD_MAX)
		return -EOVERFLOW;
	return etw_typed_read(&to->typed, at.schema < 0 ? NULL : &data[at.schema],
			      at.provider < 0 ? NULL : &data[at.provider],
			      at.timestamp < 0 ? NULL : &data[at.timestamp]);
}

/* As the module does it: see module/write/described.h. */
static int describe(struct described *to, struct etw_record_source *source,
		    const struct etw_private_event *event)
{
	struct etw_record_extra *extra = &to->extra;
	const unsigned char *traits = event->traits;
	bool whole = true;
	int err;

	to->traits.decode = NULL;
	extra->count = 0;
	extra->size = 0;
	extra->typed = true;
	err = split(to, source);
	if (err)
		return err;
	if (to->typed.provider)
		traits = to->typed.provider;
	else if (event->has_traits && !event->guarded)
		return -EAGAIN;
	if (traits)
		whole = etw_record_add_extra(extra, ETW_EXT_PROV_TRAITS, traits, etw_u16_at(traits));
	if (traits && event->decodes)
		etw_traits_parse(traits, etw_u16_at(traits), &to->traits);
	if (to->typed.schema)
		whole &= etw_record_add_extra(extra, ETW_EXT_EVENT_SCHEMA, to->typed.schema,
					      to->typed.schema_len);
	if (to->traits.decode) {
		etw_record_add_extra(extra, ETW_EXT_CONTROL_GUID, source->provider,
				     sizeof(struct etw_guid));
		source->provider = to->traits.decode;
		source->flags |= ETW_EVENT_DECODE_GUID;
	}
	extra->timestamp_given = to->typed.timestamp_given;
	extra->timestamp = to->typed.timestamp;
	to->items = (struct etw_record_items){ .extra = extra };
	return whole && source->size + extra->size <= ETW_RECORD_MAX ? 0 : -EOVERFLOW;
}

/* ------------------------------------------------------------------ events */

/* The sessions that want the event by level, keywords and the writer's options */
static __always_inline uint32_t wanted(struct etw_private_provider *p,
				       const struct etw_private_event *event, bool *filtered)
{
	uint32_t left = atomic_load_explicit(&p->sessions, memory_order_acquire), mask = 0;
	const struct etw_event_descriptor *desc = event->source.desc;

	for (; left; left &= left - 1) {
		struct etw_private_entry *entry = &p->entry[__builtin_ctz(left)];

		if (!etw_entry_wants(&entry->filter, desc->level, desc->keyword) ||
		    (event->inprivate &&
		     ETW_LOAD(entry->filter.properties) & ETW_ENABLE_EXCLUDE_INPRIVATE))
			continue;
		*filtered |= atomic_load_explicit(&entry->events, memory_order_relaxed) != NULL;
		mask |= left & -left;
	}
	return mask;
}

/* Those of the mask whose filters let the event pass; the writer is guarded. */
static uint32_t filter(struct etw_private_provider *p, uint32_t mask,
		       const struct etw_record_source *source, const struct etw_typed *typed)
{
	uint32_t left = mask;

	for (; left; left &= left - 1) {
		const struct etw_private_filter *events =
			atomic_load(&p->entry[__builtin_ctz(left)].events);

		if (events && !etw_private_filter_pass(events, source, typed))
			mask &= ~(left & -left);
	}
	return mask;
}

/* Count the event as lost for the sessions of the mask. */
static int drop_all(uint32_t mask, uint32_t cause, int err)
{
	for (; mask; mask &= mask - 1) {
		struct private_session *s = private_session_at(__builtin_ctz(mask));

		if (s)
			drop(s, cause, err);
	}
	return err;
}

static noinline int write_slow(struct etw_private_provider *p, uint32_t mask,
			       struct etw_private_event *event)
{
	struct etw_record_source *source = &event->source;
	struct etw_record_items *items = NULL;
	struct etw_typed *typed = NULL;
	struct described described;
	int ret = 0, err;

	if (event->typed) {
		err = describe(&described, source, event);
		if (err == -EOVERFLOW)
			return drop_all(mask, ETW_DROP_EVENT_SIZE, err);
		if (err)
			return err;
		items = &described.items;
		typed = &described.typed;
	}
	if (event->guarded)
		mask = filter(p, mask, source, typed);
	if (items)
		source->size += described.extra.size;
	for (; mask; mask &= mask - 1) {
		struct private_session *s = private_session_at(__builtin_ctz(mask));

		if (s && items && event->times) {
			described.extra.timestamp_given = true;
			described.extra.timestamp = event->times[s->clock];
		}
		err = s ? write_record(s, source, items) : 0;
		ret = err ? err : ret;
	}
	return ret;
}

/* The sessions are the parent's: the environment may want one for this child of fork(). */
static noinline int write_absent(struct etw_private_provider *p, struct etw_private_event *event)
{
	if (!etw_private_is_child())
		return 0;
	etw_private_inherit();
	return etw_private_here() ? etw_private_write(p, event) : 0;
}

int etw_private_write(struct etw_private_provider *p, struct etw_private_event *event)
{
	struct etw_record_source *source = &event->source;
	bool filtered = false;
	uint32_t mask = wanted(p, event, &filtered);
	struct private_session *s;

	if (!mask)
		return 0;
	if (unlikely(!etw_private_here()))
		return write_absent(p, event);
	if (filtered && !event->guarded)
		return -EAGAIN;
	source->type = ETW_TYPE_EVENT64;
	source->flags |= ETW_EVENT_PRIVATE_SESSION;
	if (unlikely(event->typed))
		return write_slow(p, mask, event);
	if (unlikely(etw_record_measure(source)))
		return drop_all(mask, ETW_DROP_EVENT_SIZE, -EOVERFLOW);
	if (unlikely(event->guarded || mask & (mask - 1)))
		return write_slow(p, mask, event);
	s = private_session_at(__builtin_ctz(mask));
	return likely(s) ? write_record(s, source, NULL) : 0;
}

/* --------------------------------------------------------- classic records */

static uint16_t classic_type(uint32_t kind)
{
	switch (kind) {
	case ETW_CLASSIC_INSTANCE:
		return ETW_TYPE_INSTANCE64;
	case ETW_CLASSIC_MESSAGE:
		return ETW_TYPE_MESSAGE;
	default:
		return ETW_TYPE_FULL64;
	}
}

/* Messages are counted per session, or, if it says so, all together. */
static uint32_t next_sequence(struct private_session *s)
{
	static _Atomic uint32_t all;

	return atomic_fetch_add(s->mode & ETW_MODE_GLOBAL_SEQUENCE ? &all : &s->sequence, 1) + 1;
}

/*
 * Fill a slot. The pieces of the payload need not be joined: the head is that of an empty
 * record, whose size, which comes first in all types, is set afterwards.
 */
static void put_classic(u8 *slot, struct etw_classic c, const struct etw_classic_write *record,
			uint64_t now, uint32_t sequence)
{
	const struct etw_data_descriptor *piece = (const void *)(uintptr_t)record->data;
	uint16_t size = etw_classic_size(&c);
	u8 *at = slot + size - c.len;

	memset(slot + etw_record_slot(size) - 8, 0, 8);
	c.len = 0;
	c.data = slot;
	etw_classic_write(slot, &c, now, sequence);
	memcpy(slot, &size, sizeof(size));
	for (; at < slot + size; at += piece->size, piece++)
		memcpy(at, (const void *)(uintptr_t)piece->ptr, piece->size);
}

static int write_classic(struct private_session *s, struct etw_classic *c,
			 const struct etw_classic_write *record)
{
	uint32_t size = etw_classic_size(c), sequence = 0;
	struct slot slot;
	int err;

	c->thread_id = (uint32_t)thread_ids(s);
	c->process_id = s->pid;
	if (c->options & ETW_MESSAGE_SEQUENCE)
		sequence = next_sequence(s);
	if (!reserve(s, etw_record_slot(size), &slot, &err))
		return err;
	put_classic(slot.at, *c, record, slot.now, sequence);
	etw_ring_commit(ETW_SHARED, &s->ring, slot.buf, etw_record_slot(size));
	return 0;
}

/* As write_absent(); the child's session may have the logger id of the parent's. */
static noinline int write_classic_absent(struct etw_private_provider *p,
					 const struct etw_classic_write *record)
{
	if (!etw_private_is_child())
		return -ENOENT;
	etw_private_inherit();
	return etw_private_here() ? etw_private_write_classic(p, record) : -ENOENT;
}

int etw_private_write_classic(struct etw_private_provider *p,
			      const struct etw_classic_write *record)
{
	const struct etw_data_descriptor *pieces = (const void *)(uintptr_t)record->data;
	uint32_t slot = (record->logger_id & ~ETW_PRIVATE_LOGGER) - 1, i;
	struct etw_classic c = {
		.type = classic_type(record->kind),
		.options = record->options,
		.number = record->number,
		.event_type = record->type,
		.level = record->level,
		.version = record->version,
		.instance = record->instance,
		.parent = record->parent,
		.guid = record->guid,
		.parent_guid = record->parent_guid,
	};
	struct private_session *s;
	uint64_t len = 0;

	if (slot >= ETW_PRIVATE_SESSIONS || !(atomic_load(&p->sessions) >> slot & 1))
		return -ENOENT;
	s = private_session_at(slot);
	if (!s)
		return write_classic_absent(p, record);
	for (i = 0; i < record->data_count; i++)
		len += pieces[i].size;
	c.len = len < ETW_RECORD_MAX ? len : ETW_RECORD_MAX;
	if (len > ETW_RECORD_MAX || etw_classic_size(&c) > ETW_RECORD_MAX)
		return drop(s, ETW_DROP_EVENT_SIZE, -EOVERFLOW);
	return write_classic(s, &c, record);
}
