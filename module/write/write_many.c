// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_many.c - write many events of a process in one command
 *
 * Each is copied to kernel memory and checked before anything is done with it.  Metadata are
 * copied once for events that have the same, one behind the other.  Most events are for one
 * session, and go the way of plain_typed.h with the time that the process gives; the others go to
 * write_user.c.
 */
#include <linux/compat.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/traits.h"
#include "alloc.h"
#include "plain_typed.h"
#include "write_user.h"

/* Memory that grows; all but its own is allocated. */
struct many_room {
	u8 *at;			/* NULL: its own */
	u32 size;		/* of what is at */
	u8 own[256];
};

/* A command, and the event that it has come to */
struct many {
	struct etw_process_hot *p;
	const struct etw_write_many *arg;
	struct etw_many_event head;
	const u8 *payload;
	const u8 *schema;	/* NULL: the event has none */
	u32 schema_len;
	u32 schema_at;		/* where those in schema_room were; 0: nowhere */
	struct many_room payload_room, schema_room;
};

/* NULL: there is no memory. */
static u8 *many_room(struct many_room *room, u32 size)
{
	if (size <= sizeof(room->own))
		return room->own;
	if (size > room->size) {
		kvfree(room->at);
		room->at = kvmalloc(size, ETW_GFP);
		room->size = room->at ? size : 0;
	}
	return room->at;
}

/* Copy size bytes that lie at this place of the command's; NULL with *err: they cannot be copied. */
static const u8 *many_read(const struct many *m, struct many_room *room, u32 at, u32 size, int *err)
{
	const u8 __user *from = u64_to_user_ptr(m->arg->events + at);
	u8 *to = many_room(room, size);

	*err = -ENOMEM;
	if (!to)
		return NULL;
	*err = -EFAULT;
	if (size <= sizeof(room->own) ? !etw_user_read(to, from, size) : copy_from_user(to, from, size))
		return NULL;
	*err = 0;
	return to;
}

/* Read the event's metadata, unless they are there. */
static int many_read_schema(struct many *m)
{
	const u32 at = m->head.schema, bytes = m->arg->bytes;
	u16 size, again;
	int err;

	if (at && at == m->schema_at)
		return 0;
	m->schema_at = 0;
	m->schema = NULL;
	m->schema_len = 0;
	if (!at)
		return 0;
	if (at > bytes || bytes - at < sizeof(size))
		return -EINVAL;
	if (!etw_user_read((u8 *)&size, u64_to_user_ptr(m->arg->events + at), sizeof(size)))
		return -EFAULT;
	if (size < sizeof(size) || size > bytes - at)
		return -EINVAL;
	m->schema = many_read(m, &m->schema_room, at, size, &err);
	if (err)
		return err;
	/* The process may have changed it. */
	memcpy(&again, m->schema, sizeof(again));
	if (again != size)
		return -EINVAL;
	m->schema_len = size;
	m->schema_at = at;
	return 0;
}

/* Read the event at this place. */
static int many_read_event(struct many *m, u32 at)
{
	const u32 room = m->arg->bytes - at;
	struct etw_many_event *head = &m->head;
	int err;

	if (room < sizeof(*head))
		return -EINVAL;
	if (!etw_user_read((u8 *)head, u64_to_user_ptr(m->arg->events + at), sizeof(*head)))
		return -EFAULT;
	if (head->size < sizeof(*head) || head->size > room ||
	    !IS_ALIGNED((u32)head->size, (u32)sizeof(u64)) || head->flags & ~ETW_MANY_TIME ||
	    head->payload_len > head->size - sizeof(*head))
		return -EINVAL;
	err = many_read_schema(m);
	if (!err)
		m->payload = many_read(m, &m->payload_room, at + sizeof(*head), head->payload_len,
				       &err);
	return err;
}

/* As etw_write_small(), for an event of one session that is excluded or has a schema. */
static noinline bool many_write_plain(const struct many *m, const struct etw_registration_hot *reg,
				      int *result)
{
	const struct etw_snapshot *snapshot = rcu_dereference_sched(reg->own.snapshot);
	const struct etw_data_descriptor data[] = {
		etw_data_typed(ETW_DATA_EVENT_METADATA, m->schema, m->schema_len),
		etw_data(m->payload, m->head.payload_len),
	};
	const u64 time = m->head.flags & ETW_MANY_TIME ? m->head.time : U64_MAX;
	struct etw_record_source source UNINITIALIZED;

	if (!snapshot || snapshot->way != ETW_WAY_TYPED || snapshot->count != 1 || !m->schema)
		return false;
	*result = 0;
	if (m->arg->filter & BIT_ULL(snapshot->entries[0].session->logger_id - 1))
		return true;
	etw_plain_describe(&source, &reg->own, &m->head.desc, NULL, NULL, ARRAY_SIZE(data), data);
	source.type = in_compat_syscall() ? ETW_TYPE_EVENT32 : ETW_TYPE_EVENT64;
	source.flags = ETW_EVENT_NO_CPUTIME | ETW_EVENT_USER_MODE;
	return etw_plain_write_typed(snapshot, 1, reg->payer, &time, &source, result);
}

static noinline int many_write_general(const struct many *m)
{
	const struct etw_event_write w = {
		.slot = m->arg->slot, .filter = m->arg->filter, .desc = m->head.desc,
	};
	const struct etw_typed typed = {
		.schema = m->schema,
		.schema_len = m->schema_len,
		.timestamp_given = m->head.flags & ETW_MANY_TIME,
		.timestamp = m->head.time,
	};

	return etw_write_copied(m->p, &w, m->payload, m->head.payload_len,
				m->schema || typed.timestamp_given ? &typed : NULL, NULL);
}

static int many_write_event(const struct many *m)
{
	struct etw_registration_hot *reg;
	bool done = true;
	int ret;

	preempt_disable_notrace();
	reg = etw_process_find(m->p, m->arg->slot);
	/* Reading the event may have taken long. */
	ret = etw_registration_check(reg, true);
	if (!ret)
		done = many_write_plain(m, reg, &ret);
	preempt_enable_notrace();
	return done ? ret : many_write_general(m);
}

/* 0, or why the first event was not written. */
static int many_write(struct many *m, struct etw_write_many *arg)
{
	int err = 0;

	arg->done = 0;
	arg->lost = 0;
	while (arg->done < arg->bytes && !fatal_signal_pending(current)) {
		err = many_read_event(m, arg->done);
		if (err)
			break;
		if (many_write_event(m))
			arg->lost++;
		arg->done += m->head.size;
		if (need_resched())
			cond_resched();
	}
	return arg->done ? 0 : err;
}

/* The command ETW_IOC_WRITE_MANY. */
long etw_write_many(struct file *file, void *arg)
{
	struct etw_write_many *command = arg;
	struct many m UNINITIALIZED;
	int err;

	if (command->flags || command->bytes > ETW_MANY_BYTES_MAX)
		return -EINVAL;
	m.p = file->private_data;
	m.arg = command;
	m.schema_at = 0;
	m.payload_room.at = NULL;
	m.payload_room.size = 0;
	m.schema_room.at = NULL;
	m.schema_room.size = 0;
	err = etw_process_may_write(m.p, command->slot);
	if (!err)
		err = many_write(&m, command);
	kvfree(m.payload_room.at);
	kvfree(m.schema_room.at);
	return err;
}
