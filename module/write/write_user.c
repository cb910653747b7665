// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_user.c - write events of processes
 *
 * All data is copied from user space before a slot is reserved, so a fault loses only
 * the event itself.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/traits.h"
#include "alloc.h"
#include "described.h"
#include "hot.h"
#include "hotpath.h"
#include "ioctl.h"
#include "match.h"
#include "opts.h"
#include "write_user.h"

#define STACK_PIECES	8	/* descriptors kept on the stack */
#define STACK_BYTES	256	/* payload kept on the stack */

#define WRITE_FLAGS	(ETW_WRITE_STRING_ONLY | ETW_WRITE_INPRIVATE |	\
			 ETW_WRITE_ACTIVITY | ETW_WRITE_RELATED | ETW_WRITE_CAN_WALK | \
			 ETW_WRITE_LOST)

/* The registration in that slot, under RCU; NULL: none. */
struct etw_registration_hot *etw_process_find(struct etw_process_hot *p, u32 slot)
{
	/* G of process.c */
	struct etw_registration_hot __rcu **regs = smp_load_acquire(&p->regs);

	if (!regs || slot >= ETW_REGISTRATIONS_MAX)
		return NULL;
	return rcu_dereference_check(regs[array_index_nospec(slot,
							     ETW_REGISTRATIONS_MAX)],
				     rcu_read_lock_any_held());
}

/* For an event without a schema descriptor. */
static const struct etw_typed no_schema;

/* typed: NULL if not known yet. */
static struct etw_write_opts opts_of(const struct etw_event_write *w, const struct etw_typed *typed)
{
	return (struct etw_write_opts){
		.exclude = w->filter,
		.typed = typed,
		.user = true,
		.inprivate = w->flags & ETW_WRITE_INPRIVATE,
	};
}

/*
 * 0; -EBADF: no such registration; -ESTALE: by_owner, and it is not the current process's; -EINVAL:
 * it is classic; -EACCES: it is refused.  Under RCU.  Once the writer has slept, the slot may have
 * another registration, or the registration may be refused.
 */
int etw_registration_check(struct etw_registration_hot *reg, bool by_owner)
{
	if (!reg)
		return -EBADF;
	if (by_owner && reg->tgid != task_tgid(current))
		return -ESTALE;
	if (etw_hot_is_classic(reg))
		return -EINVAL;	/* its events have no descriptor */
	return etw_hot_refuses(reg) ? -EACCES : 0;
}

/* May this process write through the registration in that slot?  0 or an error. */
int etw_process_may_write(struct etw_process_hot *p, u32 slot)
{
	int err;

	rcu_read_lock();
	err = etw_registration_check(etw_process_find(p, slot), true);
	rcu_read_unlock();
	return err;
}

/*
 * 1: a session may take the event; 0: none does; else an error of etw_registration_check().
 * *types: its pieces have types.
 */
static int user_wanted(struct etw_process_hot *p, const struct etw_event_write *w, bool *types)
{
	struct etw_registration_hot *reg;
	int ret;

	rcu_read_lock();
	reg = etw_process_find(p, w->slot);
	ret = etw_registration_check(reg, true);
	if (!ret) {
		ret = etw_entry_wants(&reg->own.enable, w->desc.level, w->desc.keyword);
		*types = READ_ONCE(reg->types);
	}
	rcu_read_unlock();
	return ret;
}

/* Does a session want the stack, and has the writer offered to walk it (CAN_WALK)? */
static bool wants_stack(struct etw_process_hot *p, const struct etw_event_write *w,
			const struct etw_typed *typed)
{
	struct etw_write_opts opts = opts_of(w, typed);
	struct etw_registration_hot *reg;
	bool ret;

	if (!(w->flags & ETW_WRITE_CAN_WALK) || w->stack_count)
		return false;
	rcu_read_lock();
	reg = etw_process_find(p, w->slot);
	ret = reg && etw_match_wants_stack(&reg->own, &w->desc, &opts);
	rcu_read_unlock();
	return ret;
}

/*
 * Count the event as lost, with LOST as many as it says.  Returns err if a session that would
 * have taken it is not INDEPENDENT, else 0; -EBADF: no such registration.
 */
static int user_drop(struct etw_process_hot *p, const struct etw_event_write *w,
		const struct etw_typed *typed, u32 cause, int err)
{
	struct etw_write_opts opts = opts_of(w, typed);
	struct etw_registration_hot *reg;
	int ret = -EBADF;

	rcu_read_lock();
	reg = etw_process_find(p, w->slot);
	if (reg)
		ret = etw_hotpath_drop_events(&reg->own, &w->desc, &opts, cause,
					      max(w->lost, 1U)) ? err : 0;
	rcu_read_unlock();
	return ret;
}

/* Count events that a process could not write, perhaps through another one's registration. */
static int write_lost(struct etw_process_hot *p, const struct etw_event_write *w)
{
	struct etw_registration_hot *reg;
	bool types = false;
	int err;

	rcu_read_lock();
	reg = etw_process_find(p, w->slot);
	err = etw_registration_check(reg, false);
	if (!err)
		types = READ_ONCE(reg->types);
	rcu_read_unlock();
	return err ?: user_drop(p, w, types ? NULL : &no_schema, ETW_DROP_DRAIN, -ENOMEM);
}

/*
 * Write the event, all of whose data have been copied to kernel memory; only the numbers in w
 * count.  typed: its schema and the like, or NULL; stack: of w->stack_count, or NULL.
 */
int etw_write_copied(struct etw_process_hot *p, const struct etw_event_write *w,
		     const void *payload, u32 len, const struct etw_typed *typed,
		     const u64 *stack)
{
	struct etw_data_descriptor piece = etw_data(payload, len);
	struct etw_record_source source = {
		.desc = &w->desc,
		.activity = w->flags & ETW_WRITE_ACTIVITY ? &w->activity : NULL,
		.related = w->flags & ETW_WRITE_RELATED ? &w->related : NULL,
		.data = &piece,
		.count = 1,
		.thread_id = current->pid,
		.process_id = current->tgid,
		.type = in_compat_syscall() ? ETW_TYPE_EVENT32 : ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_NO_CPUTIME | ETW_EVENT_USER_MODE,
	};
	struct etw_write_opts opts = opts_of(w, typed);
	struct etw_registration_hot *reg;
	int err;

	opts.plain = !typed && !w->filter && !opts.inprivate;
	opts.stack = stack;
	opts.stack_count = stack ? w->stack_count : 0;
	if (w->flags & ETW_WRITE_STRING_ONLY)
		source.flags |= ETW_EVENT_STRING_ONLY;
	err = etw_record_measure(&source);
	if (err)
		return user_drop(p, w, typed ?: &no_schema, ETW_DROP_EVENT_SIZE, err);
	rcu_read_lock();
	reg = etw_process_find(p, w->slot);
	err = etw_registration_check(reg, true);
	if (!err) {
		source.provider = &reg->own.guid;
		opts.payer = reg->payer;
		err = etw_hotpath_write(&reg->own, &source, &opts);
	}
	rcu_read_unlock();
	return err;
}

/* Copy the pieces, one after the other, to memory with room for all. */
int etw_gather(u8 *to, const struct etw_data_descriptor *pieces, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (copy_from_user(to, u64_to_user_ptr(pieces[i].ptr), pieces[i].size))
			return -EFAULT;
		to += pieces[i].size;
	}
	return 0;
}

/*
 * Copy the pieces of the payload, one after the other, and the typed pieces after them.
 * Set ptr of each typed piece to its copy.  There is room for all.
 */
static int gather_typed(u8 *to, u32 payload, struct etw_data_descriptor *pieces, u32 count)
{
	u8 *other = to + payload, **next;
	u32 i;

	for (i = 0; i < count; i++) {
		next = etw_data_type(&pieces[i]) ? &other : &to;
		if (copy_from_user(*next, u64_to_user_ptr(pieces[i].ptr), pieces[i].size))
			return -EFAULT;
		if (next == &other)
			pieces[i].ptr = (unsigned long)other;
		*next += pieces[i].size;
	}
	return 0;
}

static struct etw_data_descriptor *at(struct etw_data_descriptor *pieces, s32 i)
{
	return i < 0 ? NULL : &pieces[i];
}

/* Copy the stack that the writer walked itself, if it did. */
static int copy_stack(const struct etw_event_write *w, u64 **stack)
{
	u64 *copy;

	if (!w->stack_count)
		return 0;
	copy = memdup_user(u64_to_user_ptr(w->stack), w->stack_count * sizeof(*copy));
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	*stack = copy;
	return 0;
}

/* Copy all data of the event to room and write the event. */
static int copy_and_write(struct etw_process_hot *p, const struct etw_event_write *w,
			  struct etw_data_descriptor *pieces, u8 *room, u32 payload,
			  const struct etw_typed_at *typed_at, const struct etw_typed *known)
{
	struct etw_typed typed UNINITIALIZED;
	u64 *stack = NULL;
	int err;

	if (typed_at)
		err = gather_typed(room, payload, pieces, w->data_count);
	else
		err = etw_gather(room, pieces, w->data_count);
	if (!err && typed_at) {
		err = etw_typed_read(&typed, at(pieces, typed_at->schema),
				     at(pieces, typed_at->provider),
				     at(pieces, typed_at->timestamp));
		if (err)
			return err;
	}
	if (!err)
		err = copy_stack(w, &stack);
	if (err)
		return user_drop(p, w, known, err == -ENOMEM ? ETW_DROP_NO_BUFFER : ETW_DROP_COPY_FAULT,
			    err);
	err = etw_write_copied(p, w, room, payload, typed_at ? &typed : NULL, stack);
	kfree(stack);
	return err;
}

static int write_pieces(struct etw_process_hot *p, const struct etw_event_write *w,
			struct etw_data_descriptor *pieces, bool types)
{
	u8 on_stack[STACK_BYTES] UNINITIALIZED, *room = on_stack;
	const struct etw_typed *known = &no_schema;
	struct etw_typed_at typed_at UNINITIALIZED;
	u64 len = 0, payload = 0;
	int err = 0;
	u32 i;

	for (i = 0; i < w->data_count; i++) {
		len += pieces[i].size;
		if (!types || !etw_data_type(&pieces[i]))
			payload += pieces[i].size;
	}
	if (types)
		err = etw_typed_find(&typed_at, pieces, w->data_count);
	if (err)
		return err;
	if (types && typed_at.schema >= 0)
		known = NULL;
	if (wants_stack(p, w, known))
		return -ENODATA;
	if (len > ETW_RECORD_MAX - ETW_EVENT_HEADER_SIZE)
		return user_drop(p, w, known, ETW_DROP_EVENT_SIZE, -EOVERFLOW);
	if (len > sizeof(on_stack)) {
		room = kmalloc(len, ETW_GFP);
		if (!room)
			return user_drop(p, w, known, ETW_DROP_NO_BUFFER, -ENOMEM);
	}
	err = copy_and_write(p, w, pieces, room, payload, types ? &typed_at : NULL, known);
	if (room != on_stack)
		kfree(room);
	return err;
}

/* As etw_write_small(), for every event. */
static noinline int write_general(struct etw_process_hot *p, const struct etw_event_write *w)
{
	struct etw_data_descriptor on_stack[STACK_PIECES] UNINITIALIZED, *pieces = on_stack;
	bool types = false;
	size_t bytes;
	int err;

	err = user_wanted(p, w, &types);
	if (err <= 0)
		return err;
	bytes = w->data_count * sizeof(*pieces);
	if (w->data_count > STACK_PIECES) {
		pieces = kmalloc(bytes, ETW_GFP);
		if (!pieces)
			return user_drop(p, w, types ? NULL : &no_schema, ETW_DROP_NO_BUFFER,
				    -ENOMEM);
	}
	if (copy_from_user(pieces, u64_to_user_ptr(w->data), bytes))
		err = user_drop(p, w, types ? NULL : &no_schema, ETW_DROP_COPY_FAULT, -EFAULT);
	else
		err = write_pieces(p, w, pieces, types);
	if (pieces != on_stack)
		kfree(pieces);
	return err;
}

/* Copy the struct in; it has had one size only.  false: anything may be wrong with it. */
static __always_inline bool read_struct(struct etw_event_write *w, const void __user *arg)
{
	const u64 __user *from = arg;
	u64 *to = (u64 *)w;
	u32 i;

	static_assert(sizeof(*w) % sizeof(*to) == 0);
	if (!user_access_begin(from, sizeof(*w)))
		return false;
#pragma GCC unroll 16
	for (i = 0; i < sizeof(*w) / sizeof(*to); i++)
		unsafe_get_user(to[i], from + i, fault);
	user_access_end();
	return w->size == sizeof(*w);
fault:
	user_access_end();
	return false;
}

/* The command ETW_IOC_WRITE. */
long etw_write_command(struct file *file, const void __user *arg)
{
	struct etw_process_hot *p = file->private_data;
	struct etw_event_write w UNINITIALIZED;
	int ret;

	if (unlikely(!read_struct(&w, arg))) {
		ret = etw_ioctl_struct_in(&w, sizeof(w), sizeof(w), arg);
		if (ret)
			return ret;
	}
	if (w.flags & ~WRITE_FLAGS || w.data_count > ETW_DATA_MAX ||
	    w.stack_count > ETW_STACK_MAX || (w.lost && !(w.flags & ETW_WRITE_LOST)))
		return -EINVAL;
	if (likely(etw_write_small(p, &w, &ret)))
		return ret;
	if (!(w.flags & ETW_WRITE_LOST))
		return write_general(p, &w);
	/* One costs a call, as an event does that is too large; a number would cost nothing. */
	if (w.lost > 1 && !perfmon_capable())
		return -EPERM;
	return write_lost(p, &w);
}
