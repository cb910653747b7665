// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * etw_blk.c - every disk request of the machine as ETW events
 *
 * etw_blk.man describes the provider "Sample-Block" and its events RequestQueue, RequestIssue
 * and RequestComplete; "etw mc -km" generates etw_blk_events.h from it.  The field op is the
 * number of a REQ_OP_*.  The field request numbers the requests, and the activity id, which is
 * unique, links the events of one.  A request may complete in parts, and the data of a write
 * with a flush before or behind it completes before the whole: that is one event, at the end,
 * with all bytes and the latency of the data.
 *
 * A request is queued by the process that asked for it.  A kworker may issue it, and the
 * interrupt of its completion hits anybody.  So RequestQueue is the start of the operation, and
 * RequestComplete says who queued it.  A request without a bio, such as a flush that the block
 * layer adds, is queued when it is issued.
 *
 * The block layer's tracepoints are not exported, so this module looks them up by name.
 * The probes are attached only while a session has the provider enabled: loaded and idle,
 * the module costs the block layer nothing.
 *
 * Latency starts at the issue event.  The timestamps in struct request are no
 * substitute: start_time_ns is taken before the request waits in the queue, and
 * io_start_time_ns is set only if the queue's statistics are collected.  So a small table
 * here keeps the times.  A request that is not in the table (queued before the probes were
 * attached, or evicted by too many others in flight) has latency 0 and no issuer.
 *
 * Probes run in process, softirq and hardirq context.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
static void on_enable(u32 control);

/* Called when sessions enable or disable the provider; process context, one at a time */
#define MCGEN_PRIVATE_ENABLE_CALLBACK_V2(SourceId, ControlCode, Level, MatchAnyKeyword, \
					 MatchAllKeyword, FilterData, CallbackContext)	\
	on_enable(ControlCode)
#include "etw_blk_events.h"

/* The fields that all events start with */
struct request_fields {
	dev_t dev;
	u64 sector;
	u32 op;
};

/*
 * Requests in flight and what is known of them: a hash table of small sets.  The key is the
 * bio from the allocation of its request to the issue, then the request.  An event claims a
 * slot of its set, and a later one frees it.  Both may happen on any CPU and in interrupts, so
 * only cmpxchg() changes the owner of a slot.
 *
 * A reader reads a slot before it releases the slot.  If another key has taken the slot in
 * between, the release fails, and the values read are discarded.
 */
#define SET_BITS	8
#define SET_SLOTS	8

/* All 0 if unknown */
struct note {
	u64 queued, issued;	/* CLOCK_MONOTONIC, ns; issued: 0: not yet */
	u64 number;		/* from 1 */
	u64 data_ns;		/* latency of the parts that are complete */
	u32 data_bytes;		/* of these */
	u32 pid;		/* of the process that queued it; 0: an interrupt */
	char name[TASK_COMM_LEN];
};

struct slot {
	const void *key;
	struct note note;
};

static struct slot slots[1 << SET_BITS][SET_SLOTS];

/* The other half of activity ids: numbers begin again when the module is loaded again. */
static u64 load_id;

static atomic64_t requests = ATOMIC64_INIT(0);

static struct note note_new(void)
{
	struct note note = {
		.queued = ktime_get_ns(),
		.number = atomic64_inc_return(&requests),
	};

	if (in_task()) {
		note.pid = task_tgid_nr(current);
		strscpy(note.name, current->comm, sizeof(note.name));
	}
	return note;
}

static void slot_fill(struct slot *slot, const struct note *note)
{
	/* Whoever reads it while it changes finds another key, and discards it. */
	data_race(slot->note = *note);
}

static void note_put(const void *key, const struct note *note)
{
	struct slot *set = slots[hash_ptr((void *)key, SET_BITS)];
	struct slot *oldest = set;
	const void *old;
	int i;

	/* The memory of a bio is used again: it was not freed by an event. */
	for (i = 0; i < SET_SLOTS; i++) {
		if (READ_ONCE(set[i].key) == key) {
			slot_fill(&set[i], note);
			return;
		}
	}
	for (i = 0; i < SET_SLOTS; i++) {
		if (!READ_ONCE(set[i].key) && !cmpxchg(&set[i].key, NULL, key)) {
			slot_fill(&set[i], note);
			return;
		}
		if (READ_ONCE(set[i].note.queued) < READ_ONCE(oldest->note.queued))
			oldest = &set[i];
	}
	old = READ_ONCE(oldest->key);
	if (cmpxchg(&oldest->key, old, key) == old)
		slot_fill(oldest, note);
}

/* free: the slot is not needed any more. */
static struct note note_get(const void *key, bool free)
{
	struct slot *set = slots[hash_ptr((void *)key, SET_BITS)];
	struct note note;
	int i;

	for (i = 0; i < SET_SLOTS; i++) {
		if (READ_ONCE(set[i].key) != key)
			continue;
		/* If it changes meanwhile, so does the key, and it is discarded. */
		data_race(note = set[i].note);
		if (cmpxchg(&set[i].key, key, free ? NULL : key) == key)
			return note;
	}
	return (struct note){ 0 };
}

/* Of a request that is not issued yet; bios that were merged in front of its own have none. */
static struct note note_of_bios(struct request *rq)
{
	struct note note = { 0 };
	struct bio *bio;

	__rq_for_each_bio(bio, rq) {
		note = note_get(bio, true);
		if (note.number)
			break;
	}
	return note;
}

/* 0 for requests without a position on the disk, such as a flush. */
static u64 first_sector(struct request *rq)
{
	if (blk_rq_is_passthrough(rq) || blk_rq_pos(rq) == (sector_t)-1)
		return 0;
	return blk_rq_pos(rq);
}

static struct request_fields describe(struct request *rq)
{
	return (struct request_fields){
		.dev = rq->q->disk ? disk_devt(rq->q->disk) : 0,
		.sector = first_sector(rq),
		.op = (__force u32)req_op(rq),
	};
}

static struct request_fields describe_bio(struct bio *bio)
{
	const sector_t sector = bio->bi_iter.bi_sector;

	return (struct request_fields){
		.dev = disk_devt(bio->bi_bdev->bd_disk),
		.sector = sector == (sector_t)-1 ? 0 : sector,
		.op = (__force u32)bio_op(bio),
	};
}

/* A zero id means no activity: the request is unknown. */
static GUID activity_of(const struct note *note)
{
	GUID id = { 0 };

	if (!note->number)
		return id;
	memcpy(&id, &note->number, sizeof(note->number));
	memcpy((u8 *)&id + sizeof(note->number), &load_id, sizeof(load_id));
	return id;
}

static void write_queue(const struct request_fields *f, u32 bytes, const struct note *note)
{
	const GUID id = activity_of(note);

	EventWriteRequestQueue_AssumeEnabled(&id, MAJOR(f->dev), MINOR(f->dev), f->sector,
					     bytes, f->op, note->number);
}

/* A request is allocated for the bio, by the process that wants it. */
static void on_queue(void *unused, struct bio *bio)
{
	struct note note = note_new();

	note_put(bio, &note);
	if (EventEnabledRequestQueue()) {
		struct request_fields f = describe_bio(bio);

		write_queue(&f, bio->bi_iter.bi_size, &note);
	}
}

/* The request becomes part of another one: it is neither issued nor completed. */
static void on_merge(void *unused, struct request *rq)
{
	note_of_bios(rq);
}

static void on_issue(void *unused, struct request *rq)
{
	struct note note = note_get(rq, true);	/* there is one if it was requeued */

	if (!note.number)
		note = note_of_bios(rq);
	if (!note.number) {
		note = note_new();
		if (EventEnabledRequestQueue()) {
			struct request_fields f = describe(rq);

			write_queue(&f, blk_rq_bytes(rq), &note);
		}
	}
	note.issued = ktime_get_ns();
	note_put(rq, &note);
	if (EventEnabledRequestIssue()) {
		struct request_fields f = describe(rq);
		const GUID id = activity_of(&note);

		EventWriteRequestIssue_AssumeEnabled(&id, MAJOR(f.dev), MINOR(f.dev), f.sector,
						     blk_rq_bytes(rq), f.op, note.number);
	}
}

/*
 * Is this the data of a flush sequence?  The block layer completes the request itself when the
 * flushes are done, without this flag and with 0 bytes.  The flushes have requests of their own.
 */
static bool is_flushed_data(struct request *rq)
{
	return rq->rq_flags & RQF_FLUSH_SEQ && req_op(rq) != REQ_OP_FLUSH;
}

/* A part is complete, or all data before a flush. */
static void on_part(struct request *rq, unsigned int bytes, u64 now)
{
	struct note note = note_get(rq, false);

	note.data_ns = note.issued ? now - note.issued : 0;
	note.data_bytes += bytes;
	note_put(rq, &note);
}

static void on_complete(void *unused, struct request *rq, blk_status_t status,
			unsigned int bytes)
{
	u64 now = ktime_get_ns();
	struct note note;

	if (is_flushed_data(rq) || bytes < blk_rq_bytes(rq)) {
		on_part(rq, bytes, now);
		return;
	}
	note = note_get(rq, true);
	/* A flush of an empty cache completes without having been issued. */
	if (!note.number && !note.data_bytes)
		note = note_of_bios(rq);
	if (note.issued && (bytes || !note.data_ns))
		note.data_ns = now - note.issued;
	note.data_bytes += bytes;
	if (EventEnabledRequestComplete()) {
		struct request_fields f = describe(rq);
		const GUID id = activity_of(&note);

		EventWriteRequestComplete_AssumeEnabled(&id, MAJOR(f.dev), MINOR(f.dev), f.sector,
							note.data_bytes, f.op, note.number,
							blk_status_to_errno(status), note.data_ns,
							note.pid, note.name);
	}
}

static struct probe {
	const char *name;
	void *function;
	struct tracepoint *tp;
} probes[] = {
	{ "block_getrq", on_queue },
	{ "block_rq_merge", on_merge },
	{ "block_rq_issue", on_issue },
	{ "block_rq_complete", on_complete },
};

static bool attached;	/* changed only by the enable callback, one call at a time */

static void find_probe(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!strcmp(tp->name, probes[i].name))
			probes[i].tp = tp;
	}
}

static int find_probes(void)
{
	int i;

	for_each_kernel_tracepoint(find_probe, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probes[i].tp) {
			pr_err("this kernel has no tracepoint %s\n", probes[i].name);
			return -ENOENT;
		}
	}
	return 0;
}

/* Unregister the first count probes and wait until none is running. */
static void detach(int count)
{
	while (count--)
		tracepoint_probe_unregister(probes[count].tp,
					    probes[count].function, NULL);
	tracepoint_synchronize_unregister();
}

static void attach(void)
{
	int i, err;

	memset(slots, 0, sizeof(slots));
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		err = tracepoint_probe_register(probes[i].tp,
						probes[i].function, NULL);
		if (err) {
			pr_err("no probe on %s: %d\n", probes[i].name, err);
			detach(i);
			return;
		}
	}
	attached = true;
}

static void on_enable(u32 control)
{
	if (control == ETW_CONTROL_ENABLE && !attached) {
		attach();
	} else if (control == ETW_CONTROL_DISABLE && attached) {
		detach(ARRAY_SIZE(probes));
		attached = false;
	}
}

static int __init etw_blk_init(void)
{
	int err;

	get_random_bytes(&load_id, sizeof(load_id));
	err = find_probes();
	if (err)
		return err;
	return etw_nt_errno(EventRegisterSample_Block());
}

static void __exit etw_blk_exit(void)
{
	/* No callback runs after this, so attached no longer changes. */
	EventUnregisterSample_Block();
	if (attached)
		detach(ARRAY_SIZE(probes));
}

module_init(etw_blk_init);
module_exit(etw_blk_exit);

MODULE_DESCRIPTION("ETW sample: block requests as events");
MODULE_LICENSE("Dual MIT/GPL");
