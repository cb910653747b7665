// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * etw_blk.c - every disk request of the machine as ETW events
 *
 * Provider "Sample-Block", {6a5c2f0e-8a43-4d35-9b7e-2f1d0c9b8a71}:
 *
 *	id  event            level  keyword  payload, without gaps
 *	1   RequestIssue     4      0x1      u32 major, u32 minor, u64 sector,
 *					     u32 bytes, u32 op, u64 request
 *	2   RequestComplete  4      0x2      the same, then
 *					     s32 error, u64 latency_ns
 *
 * op is the number of a REQ_OP_*.  request tells requests in flight apart: the
 * same value on issue and completion, and no kernel address.  A request that
 * completes in parts has an event for each part, with the bytes of that part.
 *
 * The block layer's tracepoints are not exported, so they are looked up by
 * name.  The probes are attached while a session has the provider enabled and
 * at no other time: loaded and idle, this module costs the block layer nothing.
 *
 * Latency is counted from the issue event.  The time stamps in struct request
 * do not serve: start_time_ns is taken before the request waits in the
 * queue, and io_start_time_ns only when somebody collects the queue's
 * statistics.  So issue times are kept in a small table here; a request that
 * is not in it (issued before the probes were attached, or pushed out by too
 * many others in flight) has latency 0.
 *
 * Probes run in process, softirq and hardirq context.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/tracepoint.h>
#include <etw/kernel.h>

ETW_DEFINE_PROVIDER(sample_block,
		    ETW_GUID(0x6a5c2f0e, 0x8a43, 0x4d35, 0x9b, 0x7e,
			     0x2f, 0x1d, 0x0c, 0x9b, 0x8a, 0x71));

static const struct etw_event_descriptor request_issue = {
	.id = 1, .level = 4, .opcode = 1, .keyword = 0x1
};

static const struct etw_event_descriptor request_complete = {
	.id = 2, .level = 4, .opcode = 2, .keyword = 0x2
};

/* What both events begin with; laid out without padding. */
struct request_fields {
	u32 major;
	u32 minor;
	u64 sector;
	u32 bytes;
	u32 op;
	u64 request;
};

static_assert(sizeof(struct request_fields) == 32);

/*
 * Requests in flight and when they were issued: a hash table of small sets.
 * An issue claims a slot of its set; the completion frees it.  Both may happen
 * on any CPU and in interrupts, so a slot changes hands by cmpxchg() only.
 *
 * A completion reads issued before it gives the slot up.  If another request
 * has pushed this one out in between, rq has changed, giving up fails, and what
 * was read is not used.
 */
#define SET_BITS	8
#define SET_SLOTS	8

struct slot {
	struct request *rq;
	u64 issued;		/* CLOCK_MONOTONIC, ns */
};

static struct slot slots[1 << SET_BITS][SET_SLOTS];

static siphash_key_t pointer_key;

static void issue_note(struct request *rq, u64 now)
{
	struct slot *set = slots[hash_ptr(rq, SET_BITS)];
	struct slot *oldest = set;
	struct request *old;
	int i;

	/* Issued before and never completed: it was put back into its queue. */
	for (i = 0; i < SET_SLOTS; i++) {
		if (READ_ONCE(set[i].rq) == rq) {
			WRITE_ONCE(set[i].issued, now);
			return;
		}
	}
	for (i = 0; i < SET_SLOTS; i++) {
		if (!READ_ONCE(set[i].rq) && !cmpxchg(&set[i].rq, NULL, rq)) {
			WRITE_ONCE(set[i].issued, now);
			return;
		}
		if (READ_ONCE(set[i].issued) < READ_ONCE(oldest->issued))
			oldest = &set[i];
	}
	old = READ_ONCE(oldest->rq);
	if (cmpxchg(&oldest->rq, old, rq) == old)
		WRITE_ONCE(oldest->issued, now);
}

/* When rq was issued, 0 if that is not known; last: forget it. */
static u64 issue_time(struct request *rq, bool last)
{
	struct slot *set = slots[hash_ptr(rq, SET_BITS)];
	u64 issued;
	int i;

	for (i = 0; i < SET_SLOTS; i++) {
		if (READ_ONCE(set[i].rq) != rq)
			continue;
		issued = READ_ONCE(set[i].issued);
		if (cmpxchg(&set[i].rq, rq, last ? NULL : rq) == rq)
			return issued;
	}
	return 0;
}

/* 0 for requests that name no place on the disk, such as a flush. */
static u64 first_sector(struct request *rq)
{
	if (blk_rq_is_passthrough(rq) || blk_rq_pos(rq) == (sector_t)-1)
		return 0;
	return blk_rq_pos(rq);
}

static struct request_fields describe(struct request *rq, u32 bytes)
{
	dev_t dev = rq->q->disk ? disk_devt(rq->q->disk) : 0;

	return (struct request_fields){
		.major = MAJOR(dev),
		.minor = MINOR(dev),
		.sector = first_sector(rq),
		.bytes = bytes,
		.op = (__force u32)req_op(rq),
		.request = siphash_1u64((unsigned long)rq, &pointer_key),
	};
}

static void on_issue(void *unused, struct request *rq)
{
	issue_note(rq, ktime_get_ns());
	if (ETW_EVENT_ENABLED(sample_block, &request_issue)) {
		struct request_fields fields = describe(rq, blk_rq_bytes(rq));
		struct etw_data_descriptor data[] = {
			etw_data(&fields, sizeof(fields)),
		};

		etw_write(&sample_block, &request_issue, ARRAY_SIZE(data), data);
	}
}

static void on_complete(void *unused, struct request *rq, blk_status_t status,
			unsigned int bytes)
{
	u64 now = ktime_get_ns();
	u64 issued = issue_time(rq, bytes >= blk_rq_bytes(rq));

	if (ETW_EVENT_ENABLED(sample_block, &request_complete)) {
		struct request_fields fields = describe(rq, bytes);
		s32 error = blk_status_to_errno(status);
		u64 latency = issued ? now - issued : 0;
		struct etw_data_descriptor data[] = {
			etw_data(&fields, sizeof(fields)),
			etw_data(&error, sizeof(error)),
			etw_data(&latency, sizeof(latency)),
		};

		etw_write(&sample_block, &request_complete, ARRAY_SIZE(data), data);
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

static bool attached;	/* changed by the enable callback, one at a time */

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

/* The first count probes go; none is running any more when this returns. */
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

static void on_enable(const struct etw_guid *source, u32 control, u8 level,
		      u64 any, u64 all, const struct etw_filter *filter,
		      void *context)
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
	return etw_register(&sample_block, "Sample-Block", on_enable, NULL);
}

static void __exit etw_blk_exit(void)
{
	/* No callback runs after this, so nobody else touches the probes. */
	etw_unregister(&sample_block);
	if (attached)
		detach(ARRAY_SIZE(probes));
}

module_init(etw_blk_init);
module_exit(etw_blk_exit);

MODULE_DESCRIPTION("ETW sample: block requests as events");
MODULE_LICENSE("Dual MIT/GPL");
