// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * etw_blk.c - every disk request of the machine as ETW events
 *
 * etw_blk.man describes the provider "Sample-Block" and its events RequestIssue and
 * RequestComplete; "etw mc -km" generates etw_blk_events.h from it.  The field op is the
 * number of a REQ_OP_*.  The field request identifies a request in flight: it has the same
 * value at issue and completion, and is not a kernel address.  A request that completes in
 * parts has an event for each part, with the bytes of that part.
 *
 * Issue and completion happen in different tasks and interrupts.  So the completion says who
 * issued the request, and the activity id links the two.  It consists of request and the number
 * of the issue, because the block layer reuses the memory of requests.
 *
 * The block layer's tracepoints are not exported, so this module looks them up by name.
 * The probes are attached only while a session has the provider enabled: loaded and idle,
 * the module costs the block layer nothing.
 *
 * Latency starts at the issue event.  The timestamps in struct request are no
 * substitute: start_time_ns is taken before the request waits in the queue, and
 * io_start_time_ns is set only if the queue's statistics are collected.  So a small table
 * here keeps the issue times.  A request that is not in the table (issued before the
 * probes were attached, or evicted by too many others in flight) has latency 0.
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
#include <linux/siphash.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
static void on_enable(u32 control);

/* Called when sessions enable or disable the provider; process context, one at a time */
#define MCGEN_PRIVATE_ENABLE_CALLBACK_V2(SourceId, ControlCode, Level, MatchAnyKeyword, \
					 MatchAllKeyword, FilterData, CallbackContext)	\
	on_enable(ControlCode)
#include "etw_blk_events.h"

/* The fields that both events start with */
struct request_fields {
	dev_t dev;
	u64 sector;
	u32 op;
	u64 request;
};

/*
 * Requests in flight and what their issue knows: a hash table of small sets.
 * An issue claims a slot of its set; the completion frees it.  Both may happen
 * on any CPU and in interrupts, so only cmpxchg() changes the owner of a slot.
 *
 * A completion reads a slot before it releases the slot.  If another request
 * has taken the slot in between, rq has changed, the release fails, and the
 * values read are discarded.
 */
#define SET_BITS	8
#define SET_SLOTS	8

/* All 0 if unknown */
struct issue {
	u64 time;		/* CLOCK_MONOTONIC, ns */
	u64 number;		/* from 1 */
	u32 pid;		/* of the process that issued it; 0: an interrupt */
	char name[TASK_COMM_LEN];
};

struct slot {
	struct request *rq;
	struct issue issue;
};

static struct slot slots[1 << SET_BITS][SET_SLOTS];

static siphash_key_t pointer_key;

static atomic64_t issues = ATOMIC64_INIT(0);

static void slot_fill(struct slot *slot, const struct issue *issue)
{
	/* Whoever reads it while it changes finds another rq, and discards it. */
	data_race(slot->issue = *issue);
}

static void issue_note(struct request *rq, const struct issue *issue)
{
	struct slot *set = slots[hash_ptr(rq, SET_BITS)];
	struct slot *oldest = set;
	struct request *old;
	int i;

	/* The request was issued before and requeued without completing. */
	for (i = 0; i < SET_SLOTS; i++) {
		if (READ_ONCE(set[i].rq) == rq) {
			slot_fill(&set[i], issue);
			return;
		}
	}
	for (i = 0; i < SET_SLOTS; i++) {
		if (!READ_ONCE(set[i].rq) && !cmpxchg(&set[i].rq, NULL, rq)) {
			slot_fill(&set[i], issue);
			return;
		}
		if (READ_ONCE(set[i].issue.time) < READ_ONCE(oldest->issue.time))
			oldest = &set[i];
	}
	old = READ_ONCE(oldest->rq);
	if (cmpxchg(&oldest->rq, old, rq) == old)
		slot_fill(oldest, issue);
}

/* last: the request is complete, free its slot. */
static struct issue issue_of(struct request *rq, bool last)
{
	struct slot *set = slots[hash_ptr(rq, SET_BITS)];
	struct issue issue;
	int i;

	for (i = 0; i < SET_SLOTS; i++) {
		if (READ_ONCE(set[i].rq) != rq)
			continue;
		/* If it changes meanwhile, so does rq, and it is discarded. */
		data_race(issue = set[i].issue);
		if (cmpxchg(&set[i].rq, rq, last ? NULL : rq) == rq)
			return issue;
	}
	return (struct issue){ 0 };
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
		.request = siphash_1u64((unsigned long)rq, &pointer_key),
	};
}

/* A zero id means no activity: the issue is unknown. */
static GUID activity_of(const struct request_fields *f, const struct issue *issue)
{
	GUID id = { 0 };

	if (!issue->number)
		return id;
	memcpy(&id, &issue->number, sizeof(issue->number));
	memcpy((u8 *)&id + sizeof(issue->number), &f->request, sizeof(f->request));
	return id;
}

static void on_issue(void *unused, struct request *rq)
{
	struct issue issue = { ktime_get_ns(), atomic64_inc_return(&issues) };

	if (in_task()) {
		issue.pid = task_tgid_nr(current);
		strscpy(issue.name, current->comm, sizeof(issue.name));
	}
	issue_note(rq, &issue);
	if (EventEnabledRequestIssue()) {
		struct request_fields f = describe(rq);
		const GUID id = activity_of(&f, &issue);

		EventWriteRequestIssue_AssumeEnabled(&id, MAJOR(f.dev), MINOR(f.dev), f.sector,
						     blk_rq_bytes(rq), f.op, f.request);
	}
}

static void on_complete(void *unused, struct request *rq, blk_status_t status,
			unsigned int bytes)
{
	u64 now = ktime_get_ns();
	struct issue issue = issue_of(rq, bytes >= blk_rq_bytes(rq));

	if (EventEnabledRequestComplete()) {
		struct request_fields f = describe(rq);
		const GUID id = activity_of(&f, &issue);

		EventWriteRequestComplete_AssumeEnabled(&id, MAJOR(f.dev), MINOR(f.dev),
							f.sector, bytes, f.op, f.request,
							blk_status_to_errno(status),
							issue.time ? now - issue.time : 0,
							issue.pid, issue.name);
	}
}

static struct probe {
	const char *name;
	void *function;
	struct tracepoint *tp;
} probes[] = {
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

	get_random_bytes(&pointer_key, sizeof(pointer_key));
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
