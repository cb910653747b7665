// SPDX-License-Identifier: GPL-2.0-only
/*
 * extended_items.c - extended items: the event's writer, its stack, and the event's key
 *
 * The items that any session of an event asks for are built once, with preemption
 * off, in memory of this CPU and this depth of nesting.  That memory is allocated for
 * all CPUs when a session first asks for items, that for copies of stacks when one asks
 * for those; it is not charged to any cgroup and stays until the module is unloaded.
 *
 * Pairing: I of core/ring.h, between etw_items_prepare() and etw_items_build().
 */
#include <linux/audit.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <asm/local64.h>

#include "core/scope.h"
#include "core/utf8.h"
#include "alloc.h"
#include "cgroup.h"
#include "context.h"
#include "extended_items.h"
#include "opts.h"
#include "stack.h"

#define KEY_CPU_SHIFT	48
#define START_PID_BITS	22	/* of a process id */
#define START_SHIFT	20	/* from ns to about a millisecond */

#define ITEM(_name, _room)						\
	struct {							\
		struct etw_ext_item head;				\
		u8 data[ALIGN((_room), ETW_RECORD_ALIGN)];		\
	} _name __aligned(ETW_RECORD_ALIGN)

/* The items of one event; only those in built are valid. */
struct etw_items {
	u32 built;		/* ETW_ENABLE_* */
	bool inner;		/* pid_namespace is valid, if the container is */

	ITEM(sid, 16);
	ITEM(ts_id, 4);
	ITEM(start_key, 8);
	ITEM(event_key, 8);
	ITEM(context, sizeof(struct etw_ext_context));
	ITEM(app, 2 * ETW_CGROUP_PATH);
	ITEM(container, ETW_CGROUP_PATH);
	ITEM(pid_namespace, sizeof(struct etw_ext_pid_namespace));
	ITEM(stack, 8 + 8 * (ETW_STACK_MAX + ETW_STACK_OWN));
	const struct etw_ext_item *copy;	/* USER_STACK, in copies */
};

/* Events that interrupt more writers than these have no copy: it takes much memory. */
#define COPY_LEVELS	4

/* Apart from the others, because few sessions ask for it */
struct etw_copied_stack {
	ITEM(stack, sizeof(struct etw_ext_user_stack) + ETW_USER_STACK_MAX);
};

static DEFINE_PER_CPU(struct etw_items *, scratch);
static DEFINE_PER_CPU(struct etw_copied_stack *, copies);
static DEFINE_PER_CPU(local64_t, event_keys);
static DEFINE_MUTEX(scratch_lock);	/* while scratch is allocated */

/* ------------------------------------------------------------------- memory */

/*
 * Each CPU's keys start at the number of microseconds since boot.  At fewer than one event
 * per microsecond, all keys from an earlier load of the module are lower.
 */
void etw_items_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		local64_set(per_cpu_ptr(&event_keys, cpu), ktime_get_boottime_ns() / 1000);
}

void etw_items_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(scratch, cpu));
		kvfree(per_cpu(copies, cpu));
	}
}

/* Allocate a CPU's memory, unless it has it.  0 or -ENOMEM */
static int prepare(void **at, int cpu, size_t size)
{
	if (!*at)
		/* I: zeroed memory before the pointer */
		smp_store_release(at, kvzalloc_node(size, GFP_KERNEL | __GFP_NOWARN, cpu_to_node(cpu)));
	return *at ? 0 : -ENOMEM;
}

/* 0 or -ENOMEM; the next call uses memory that was allocated before a failure. */
int etw_items_prepare(u32 properties)
{
	int cpu, err = 0;

	mutex_lock(&scratch_lock);
	for_each_possible_cpu(cpu) {
		err = prepare((void **)per_cpu_ptr(&scratch, cpu), cpu,
			      ETW_NESTING_LEVELS * sizeof(struct etw_items));
		if (!err && properties & ETW_ENABLE_USER_STACK && IS_ENABLED(CONFIG_X86_64))
			err = prepare((void **)per_cpu_ptr(&copies, cpu), cpu,
				      COPY_LEVELS * sizeof(struct etw_copied_stack));
		if (err)
			break;
	}
	mutex_unlock(&scratch_lock);
	return err;
}

/* -------------------------------------------------------------------- items */

/* Finish an item whose data is in place; zeroes the padding, which few kinds of items have. */
static __always_inline void item_seal(struct etw_ext_item *head, u16 type, u32 len)
{
	u8 *data = (u8 *)(head + 1);

	if (!IS_ALIGNED(len, ETW_RECORD_ALIGN))
		memset(data + len, 0, ALIGN(len, ETW_RECORD_ALIGN) - len);
	head->type = type;
	head->size = sizeof(*head) + ALIGN(len, ETW_RECORD_ALIGN);
	head->data_size = len;
}

/* S-1-22-1-uid, the SID that Samba gives to Unix users. */
static void put_sid(struct etw_items *items)
{
	static const u8 head[12] = { 1, 2, 0, 0, 0, 0, 0, 22, 1, 0, 0, 0 };
	u32 uid = from_kuid(&init_user_ns, current_euid());

	memcpy(items->sid.data, head, sizeof(head));
	memcpy(items->sid.data + sizeof(head), &uid, sizeof(uid));
	item_seal(&items->sid.head, ETW_EXT_SID, 16);
}

static void put_ts_id(struct etw_items *items)
{
	u32 id = audit_get_sessionid(current);

	if (id == AUDIT_SID_UNSET)
		id = 0;
	memcpy(items->ts_id.data, &id, sizeof(id));
	item_seal(&items->ts_id.head, ETW_EXT_TS_ID, sizeof(id));
}

/*
 * A process's start time and id; the kernel does not reuse an id within one unit of this
 * time.  leader: the process's first thread.
 */
u64 etw_process_start_key(const struct task_struct *leader)
{
	return leader->start_boottime >> START_SHIFT << START_PID_BITS | (u32)leader->tgid;
}

static u32 put_start_key(struct etw_items *items)
{
	u64 key;

	/* A reaped thread's group leader may be gone. */
	if (!pid_alive(current) && !thread_group_leader(current))
		return 0;
	key = etw_process_start_key(current->group_leader);
	memcpy(items->start_key.data, &key, sizeof(key));
	item_seal(&items->start_key.head, ETW_EXT_PROCESS_START_KEY, sizeof(key));
	return ETW_ENABLE_PROCESS_START_KEY;
}

/* Never 0, and unique since the machine booted: see etw_items_init(). */
static void put_event_key(struct etw_items *items)
{
	u64 key = (u64)(smp_processor_id() + 1) << KEY_CPU_SHIFT |
		  local64_inc_return(this_cpu_ptr(&event_keys));

	memcpy(items->event_key.data, &key, sizeof(key));
	item_seal(&items->event_key.head, ETW_EXT_EVENT_KEY, sizeof(key));
}

/* user: written by a process, whose context is always the same. */
static void put_context(struct etw_items *items, bool user)
{
	struct etw_ext_context *context = (void *)items->context.data;

	memset(context, 0, sizeof(*context));
	if (!user)
		etw_context_describe(context);
	item_seal(&items->context.head, ETW_EXT_CONTEXT, sizeof(*context));
}

/* Returns the size of the string in bytes, with its NUL. */
static u32 to_utf16(u16 *to, struct etw_piece from)
{
	u32 n = etw_utf16_lossy(to, from.at, from.len);

	to[n] = 0;
	return (n + 1) * sizeof(*to);
}

/* The writer's ids in its own PID namespace, if that is not the initial one. */
static bool put_pid_namespace(struct etw_items *items)
{
	struct etw_ext_pid_namespace *inner = (void *)items->pid_namespace.data;
	struct pid_namespace *ns = task_active_pid_ns(current);

	/* NULL: an exiting task that has been reaped. */
	if (!ns || ns == &init_pid_ns)
		return false;
	inner->process_id = task_tgid_nr_ns(current, ns);
	inner->thread_id = task_pid_nr_ns(current, ns);
	inner->pid_namespace = ns->ns.inum;
	inner->reserved = 0;
	item_seal(&items->pid_namespace.head, ETW_EXT_PID_NAMESPACE, sizeof(*inner));
	return true;
}

/* Both items come from the path of the control group. */
static u32 put_paths(struct etw_items *items, u32 properties)
{
	char *path = (char *)items->container.data;
	u32 len = etw_cgroup_path(current, path, ETW_CGROUP_PATH);
	struct etw_piece app;
	u32 built = 0;

	if (properties & ETW_ENABLE_PSM_KEY) {
		app = etw_scope_application(path);
		if (app.len) {
			item_seal(&items->app.head, ETW_EXT_PSM_KEY,
				  to_utf16((u16 *)items->app.data, app));
			built |= ETW_ENABLE_PSM_KEY;
		}
	}
	if (properties & ETW_ENABLE_CONTAINER) {
		item_seal(&items->container.head, ETW_EXT_CONTAINER_ID, len + 1);
		items->inner = put_pid_namespace(items);
		built |= ETW_ENABLE_CONTAINER;
	}
	return built;
}

/*
 * A 64-bit stack unless the writer is a 32-bit process.  A process's own event gets no
 * kernel frames, which would only show its system call.
 */
static u32 put_stack(struct etw_items *items, const struct etw_record_source *source,
		     const struct etw_write_opts *opts)
{
	u64 *frames = (u64 *)(items->stack.data + 8);
	u32 *narrow = (u32 *)frames, n = 0, i;
	bool whole = true;

	memset(items->stack.data, 0, 8);	/* MatchId 0: the whole stack is in this event */
	if (opts && opts->stack_count) {
		n = min_t(u32, opts->stack_count, ETW_STACK_MAX);
		memcpy(frames, opts->stack, n * sizeof(*frames));
	} else if (etw_stack_allowed()) {
		if (!opts || !opts->user)
			n = etw_stack_kernel(frames, ETW_STACK_MAX, opts ? opts->regs : NULL, &whole);
		if (whole)
			n += etw_stack_user(frames + n, ETW_STACK_MAX - n);
	}
	if (!n)
		return 0;
	if (source->type == ETW_TYPE_EVENT32) {
		for (i = 0; i < n; i++)
			narrow[i] = frames[i];
		item_seal(&items->stack.head, ETW_EXT_STACK_TRACE32, 8 + n * sizeof(*narrow));
	} else {
		item_seal(&items->stack.head, ETW_EXT_STACK_TRACE64, 8 + n * sizeof(*frames));
	}
	return ETW_ENABLE_STACK_TRACE;
}

/* The stack that a process gave is better than a copy. */
static u32 put_copy(struct etw_items *items, unsigned int depth, const struct etw_write_opts *opts)
{
	/* I */
	struct etw_copied_stack *copy = smp_load_acquire(this_cpu_ptr(&copies));
	u32 size;

	if (!copy || depth > COPY_LEVELS || (opts && opts->stack_count) || !etw_stack_allowed())
		return 0;
	copy += depth - 1;
	size = etw_stack_copy((void *)copy->stack.data);
	if (!size)
		return 0;
	item_seal(&copy->stack.head, ETW_EXT_USER_STACK, size);
	items->copy = &copy->stack.head;
	return ETW_ENABLE_USER_STACK;
}

/*
 * Build the items that these properties ask for.  depth: nesting depth, from 1.  NULL:
 * there is no memory for them.  The items are valid until preemption is enabled again.
 */
const struct etw_items *etw_items_build(u32 properties, unsigned int depth,
					const struct etw_record_source *source,
					const struct etw_write_opts *opts)
{
	/* I */
	struct etw_items *items = smp_load_acquire(this_cpu_ptr(&scratch));
	u32 simple = ETW_ENABLE_SID | ETW_ENABLE_TS_ID | ETW_ENABLE_EVENT_KEY |
		     ETW_ENABLE_CONTEXT;

	if (!items || depth > ETW_NESTING_LEVELS)
		return NULL;
	items += depth - 1;
	items->built = properties & simple;
	if (properties & ETW_ENABLE_SID)
		put_sid(items);
	if (properties & ETW_ENABLE_TS_ID)
		put_ts_id(items);
	if (properties & ETW_ENABLE_PROCESS_START_KEY)
		items->built |= put_start_key(items);
	if (properties & ETW_ENABLE_EVENT_KEY)
		put_event_key(items);
	if (properties & ETW_ENABLE_CONTEXT)
		put_context(items, opts && opts->user);
	if (properties & (ETW_ENABLE_PSM_KEY | ETW_ENABLE_CONTAINER))
		items->built |= put_paths(items, properties);
	if (properties & ETW_ENABLE_USER_STACK)
		items->built |= put_copy(items, depth, opts);
	if (properties & ETW_ENABLE_STACK_TRACE)
		items->built |= put_stack(items, source, opts);
	return items;
}

static void item_add(struct etw_record_items *to, const struct etw_ext_item *item)
{
	to->item[to->count++] = item;
	to->size += item->size;
}

/* Select the items that one session asked for. */
void etw_items_select(struct etw_record_items *to, const struct etw_items *from,
		      u32 properties)
{
	u32 want = from ? from->built & properties : 0;

	to->count = 0;
	to->size = 0;
	if (want & ETW_ENABLE_SID)
		item_add(to, &from->sid.head);
	if (want & ETW_ENABLE_TS_ID)
		item_add(to, &from->ts_id.head);
	if (want & ETW_ENABLE_PROCESS_START_KEY)
		item_add(to, &from->start_key.head);
	if (want & ETW_ENABLE_EVENT_KEY)
		item_add(to, &from->event_key.head);
	if (want & ETW_ENABLE_CONTEXT)
		item_add(to, &from->context.head);
	if (want & ETW_ENABLE_PSM_KEY)
		item_add(to, &from->app.head);
	if (want & ETW_ENABLE_CONTAINER)
		item_add(to, &from->container.head);
	if (want & ETW_ENABLE_CONTAINER && from->inner)
		item_add(to, &from->pid_namespace.head);
	if (want & ETW_ENABLE_STACK_TRACE)
		item_add(to, &from->stack.head);
	if (want & ETW_ENABLE_USER_STACK)
		item_add(to, from->copy);
}
