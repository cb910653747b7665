// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_classic.c - write records of classic providers, the kind before manifests
 *
 * enable.c ensures that the snapshot of a classic registration has at most one session.
 * A process names the session that it writes to, and the write fails unless that session
 * is in the snapshot, so the right to register is the right to write.  The whole record
 * comes from the process; it is copied before a slot is reserved, as in write_user.c.
 */
#include <linux/compat.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/classic.h"
#include "alloc.h"
#include "guid.h"
#include "hot.h"
#include "hotpath.h"
#include "reserve.h"
#include "snapshot.h"
#include "write_classic.h"
#include "write_user.h"

#define STACK_BYTES	256	/* payload kept on the stack */

/* The session of the registration, if it has this id; preemption is off. */
static struct etw_session_hot *classic_session(const struct etw_registration_hot *reg,
					       u32 logger_id)
{
	const struct etw_snapshot *snapshot;

	/* F of change.c */
	snapshot = rcu_dereference_sched(reg->own.snapshot);
	if (!snapshot || snapshot->count != 1 ||
	    snapshot->entries[0].session->logger_id != logger_id)
		return NULL;
	return snapshot->entries[0].session;
}

/* The errors are those of struct etw_classic_write in abi.h. */
static int check_owner(struct etw_registration_hot *reg, const struct etw_classic_write *w)
{
	if (!reg)
		return -EBADF;
	if (reg->tgid != task_tgid(current) && w->kind != ETW_CLASSIC_LOST)
		return -ESTALE;
	if (!etw_hot_is_classic(reg))
		return -EINVAL;
	return etw_hot_refuses(reg) ? -EACCES : 0;
}

static int classic_write_record(struct etw_session_hot *s,
				const struct etw_registration_hot *reg,
				const struct etw_classic *c)
{
	u32 sequence = 0;
	struct etw_slot slot;
	int err;

	if (c->options & ETW_MESSAGE_SEQUENCE)
		sequence = etw_reserve_sequence(s);
	this_cpu_inc(etw_hotpath_nesting);
	if (etw_reserve_slot(s, etw_record_slot(etw_classic_size(c)), &reg->own.guid, reg->payer,
			     &slot, &err)) {
		etw_classic_write(slot.at, c, slot.now, sequence);
		etw_reserve_commit(s, &slot);
		err = 0;
	}
	this_cpu_dec(etw_hotpath_nesting);
	return err;
}

/*
 * Write record c.  If c is NULL, count a record as lost for this cause and return err, or
 * 0 if the session is INDEPENDENT.
 */
static int classic_with_session(struct etw_process_hot *p, const struct etw_classic_write *w,
				const struct etw_classic *c, u32 cause, int err)
{
	struct etw_session_hot *s = NULL;
	struct etw_registration_hot *reg;
	int ret;

	rcu_read_lock();
	reg = etw_process_find(p, w->slot);
	ret = check_owner(reg, w);
	if (ret)
		goto out;
	preempt_disable();
	s = classic_session(reg, w->logger_id);
	if (!s)
		ret = -ENOENT;
	else if (c)
		ret = classic_write_record(s, reg, c);
	else
		ret = etw_reserve_count_drop(s, cause, &reg->own.guid) ? err : 0;
	preempt_enable();
out:
	rcu_read_unlock();
	return ret;
}

static int classic_drop(struct etw_process_hot *p, const struct etw_classic_write *w, u32 cause,
			int err)
{
	return classic_with_session(p, w, NULL, cause, err);
}

static u16 type_of(u32 kind)
{
	bool narrow = in_compat_syscall();

	switch (kind) {
	case ETW_CLASSIC_INSTANCE:
		return narrow ? ETW_TYPE_INSTANCE32 : ETW_TYPE_INSTANCE64;
	case ETW_CLASSIC_MESSAGE:
		return ETW_TYPE_MESSAGE;
	default:
		return narrow ? ETW_TYPE_FULL32 : ETW_TYPE_FULL64;
	}
}

static int write_pieces(struct etw_process_hot *p, const struct etw_classic_write *w,
			const struct etw_data_descriptor *pieces)
{
	struct etw_classic c = {
		.type = type_of(w->kind),
		.options = w->options,
		.number = w->number,
		.event_type = w->type,
		.level = w->level,
		.version = w->version,
		.instance = w->instance,
		.parent = w->parent,
		.thread_id = current->pid,
		.process_id = current->tgid,
		.guid = w->guid,
		.parent_guid = w->parent_guid,
	};
	u8 on_stack[STACK_BYTES], *payload = on_stack;
	u64 len = 0;
	u32 i;
	int err;

	for (i = 0; i < w->data_count; i++)
		len += pieces[i].size;
	c.len = min_t(u64, len, ETW_RECORD_MAX);
	if (len > ETW_RECORD_MAX || etw_classic_size(&c) > ETW_RECORD_MAX)
		return classic_drop(p, w, ETW_DROP_EVENT_SIZE, -EOVERFLOW);
	if (len > sizeof(on_stack)) {
		payload = kmalloc(len, ETW_GFP);
		if (!payload)
			return classic_drop(p, w, ETW_DROP_NO_BUFFER, -ENOMEM);
	}
	c.data = payload;
	err = etw_gather(payload, pieces, w->data_count);
	if (err)
		err = classic_drop(p, w, ETW_DROP_COPY_FAULT, err);
	else
		err = classic_with_session(p, w, &c, 0, 0);
	if (payload != on_stack)
		kfree(payload);
	return err;
}

/* Is every member valid, and zero where the kind does not use it? */
static bool is_valid(const struct etw_classic_write *w)
{
	u32 guids = ETW_MESSAGE_GUID | ETW_MESSAGE_COMPONENT;

	if (w->kind > ETW_CLASSIC_LOST || w->data_count > ETW_DATA_MAX || w->reserved)
		return false;
	if (w->kind == ETW_CLASSIC_MESSAGE) {
		if (w->type || w->level || w->version || w->options & ~ETW_MESSAGE_ALL ||
		    (w->options & guids) == guids)
			return false;
	} else if (w->number || w->options) {
		return false;
	}
	return w->kind == ETW_CLASSIC_INSTANCE ||
	       (!w->instance && !w->parent && etw_guid_is_null(&w->parent_guid));
}

/* Of this class only the kernel writes: it says that events are missing from the trace. */
static const struct etw_guid lost_event = ETW_LOST_EVENT_GUID;

/* Is there a session to write to?  Checked before any data is copied. */
static int classic_wanted(struct etw_process_hot *p, const struct etw_classic_write *w)
{
	struct etw_registration_hot *reg;
	int err;

	rcu_read_lock();
	reg = etw_process_find(p, w->slot);
	err = check_owner(reg, w);
	if (!err) {
		preempt_disable();
		if (!classic_session(reg, w->logger_id))
			err = -ENOENT;
		preempt_enable();
	}
	rcu_read_unlock();
	return err;
}

/* The command ETW_IOC_CLASSIC. */
long etw_write_classic(struct file *file, void *arg)
{
	const struct etw_classic_write *w = arg;
	struct etw_process_hot *p = file->private_data;
	struct etw_data_descriptor *pieces;
	int err;

	if (!is_valid(w))
		return -EINVAL;
	if (etw_guid_equal(&w->guid, &lost_event))
		return -EACCES;
	err = classic_wanted(p, w);
	if (err)
		return err;
	if (w->kind == ETW_CLASSIC_LOST)
		return classic_drop(p, w, ETW_DROP_DRAIN, -ENOMEM);
	pieces = memdup_user(u64_to_user_ptr(w->data), w->data_count * sizeof(*pieces));
	if (IS_ERR(pieces)) {
		err = PTR_ERR(pieces);
		return classic_drop(p, w, err == -ENOMEM ? ETW_DROP_NO_BUFFER : ETW_DROP_COPY_FAULT,
			    err);
	}
	err = write_pieces(p, w, pieces);
	kfree(pieces);
	return err;
}
