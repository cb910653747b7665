/* SPDX-License-Identifier: MIT */
/*
 * heap.c - heaps, critical sections, thread pools and notifications of processes on Windows
 *
 * Source: wmicore.mof of the WDK. These classes have providers of their own.
 */
#include "kernel_logger.h"

/* A class that is a provider of its own, with the class's GUID */
#define USER_CLASS(symbol, its_types, called, ...)				\
	static const struct etw_mf_provider symbol##_provider = {		\
		.name = (called), .guid = __VA_ARGS__,				\
	};									\
	const struct etw_kernel_class symbol = {				\
		__VA_ARGS__, its_types, KERNEL_COUNT(its_types), &symbol##_provider \
	}

#define HEAP	POINTER("HeapHandle")

KERNEL_TEMPLATE(heap_create_v2, HEAP, U32("HeapFlags"));
KERNEL_TEMPLATE(heap_create,
	HEAP, U32("HeapFlags"), SIZE_T("ReservedSpace"), SIZE_T("CommittedSpace"),
	SIZE_T("AllocatedSpace"));
KERNEL_TEMPLATE(heap_alloc,
	HEAP, SIZE_T("AllocSize"), POINTER("AllocAddress"), U32("SourceId"));
KERNEL_TEMPLATE(heap_realloc,
	HEAP, POINTER("NewAllocAddress"), POINTER("OldAllocAddress"), SIZE_T("NewAllocSize"),
	SIZE_T("OldAllocSize"), U32("SourceId"));
KERNEL_TEMPLATE(heap_free, HEAP, POINTER("FreeAddress"), U32("SourceId"));
KERNEL_TEMPLATE(heap_expand,
	HEAP, SIZE_T("CommittedSize"), POINTER("CommitAddress"), SIZE_T("FreeSpace"),
	SIZE_T("CommittedSpace"), SIZE_T("ReservedSpace"), U32("NoOfUCRs"),
	SIZE_T("AllocatedSpace"));
KERNEL_TEMPLATE(heap_contract,
	HEAP, SIZE_T("DeCommittedSize"), POINTER("DeCommitAddress"), SIZE_T("FreeSpace"),
	SIZE_T("CommittedSpace"), SIZE_T("ReservedSpace"), U32("NoOfUCRs"),
	SIZE_T("AllocatedSpace"));
KERNEL_TEMPLATE(heap_snapshot_v2,
	HEAP, SIZE_T("FreeSpace"), SIZE_T("CommittedSpace"), SIZE_T("ReservedSpace"),
	U32("HeapFlags"), U32("ProcessId"), SIZE_T("LargeUCRSpace"), U32("FreeListLength"),
	U32("UCRLength"));
KERNEL_TEMPLATE(heap_snapshot,
	HEAP, SIZE_T("FreeSpace"), SIZE_T("CommittedSpace"), SIZE_T("ReservedSpace"),
	U32("HeapFlags"), U32("ProcessId"), SIZE_T("LargeUCRSpace"), U32("FreeListLength"),
	U32("UCRLength"), SIZE_T("AllocatedSpace"));
KERNEL_TEMPLATE(heap_alone, HEAP);
KERNEL_TEMPLATE(heap_subsegment,
	HEAP, POINTER("SubSegment"), SIZE_T("SubSegmentSize"), SIZE_T("BlockSize"));
KERNEL_TEMPLATE(heap_commit, HEAP, POINTER("Block"), SIZE_T("Size"), U32("Caller"));
KERNEL_TEMPLATE(heap_subsegment_init,
	HEAP, POINTER("SubSegment"), SIZE_T("BlockSize"), SIZE_T("BlockCount"),
	U32("AffinityIndex"));
KERNEL_TEMPLATE(heap_affinity, HEAP, U32("BucketIndex"));
KERNEL_TEMPLATE(heap_slot, U32("SlotIndex"));
KERNEL_TEMPLATE(heap_subsegment_alone, HEAP, POINTER("SubSegment"));
KERNEL_TEMPLATE(heap_slot_changed, POINTER("Heap"), POINTER("SubSegment"), U32("SlotIndex"));
KERNEL_TEMPLATE(heap_reuse, POINTER("Heap"), POINTER("SubSegment"), U32("BucketIndex"));

static const struct etw_mf_task heap = { .name = "Heap" };

static const struct etw_kernel_type heap_types[] = {
	KERNEL_TYPE(heap, 32, 0, 2, "Create", heap_create_v2),
	KERNEL_TYPE(heap, 32, 3, 255, "Create", heap_create),
	KERNEL_TYPE(heap, 33, 0, 255, "Alloc", heap_alloc),
	KERNEL_TYPE(heap, 34, 0, 255, "ReAlloc", heap_realloc),
	KERNEL_TYPE(heap, 35, 0, 255, "Destroy", heap_alone),
	KERNEL_TYPE(heap, 36, 0, 255, "Free", heap_free),
	KERNEL_TYPE(heap, 37, 3, 255, "Expand", heap_expand),
	KERNEL_TYPE(heap, 38, 0, 2, "SnapShot", heap_snapshot_v2),
	KERNEL_TYPE(heap, 38, 3, 255, "SnapShot", heap_snapshot),
	KERNEL_TYPE(heap, 42, 3, 255, "Contract", heap_contract),
	KERNEL_TYPE(heap, 43, 0, 255, "Lock", heap_alone),
	KERNEL_TYPE(heap, 44, 0, 255, "Unlock", heap_alone),
	KERNEL_TYPE(heap, 45, 0, 255, "Validate", heap_alone),
	KERNEL_TYPE(heap, 46, 0, 255, "Walk", heap_alone),
	KERNEL_TYPE(heap, 47, 0, 255, "SubsegmentAlloc", heap_subsegment),
	KERNEL_TYPE(heap, 48, 0, 255, "SubsegmentFree", heap_subsegment),
	KERNEL_TYPE(heap, 49, 0, 255, "SubsegmentAllocCached", heap_subsegment),
	KERNEL_TYPE(heap, 50, 0, 255, "SubsegmentFreeCached", heap_subsegment),
	KERNEL_TYPE(heap, 51, 0, 255, "Commit", heap_commit),
	KERNEL_TYPE(heap, 52, 0, 255, "Decommit", heap_commit),
	KERNEL_TYPE(heap, 53, 0, 255, "SubsegmentInit", heap_subsegment_init),
	KERNEL_TYPE(heap, 54, 0, 255, "AffinityManagerEnable", heap_affinity),
	KERNEL_TYPE(heap, 55, 0, 255, "AffinitySlotAssigned", heap_slot),
	KERNEL_TYPE(heap, 56, 0, 255, "SubSegmentActivated", heap_subsegment_alone),
	KERNEL_TYPE(heap, 57, 0, 255, "AffinitySlotChanged", heap_slot_changed),
	KERNEL_TYPE(heap, 58, 0, 255, "SubsegmentReuseThresholdActivated", heap_reuse),
};

USER_CLASS(etw_kernel_heap, heap_types, "HeapTraceProvider",
	{ 0x222962ab, 0x6180, 0x4b88, { 0xa8, 0x25, 0x34, 0x6b, 0x75, 0xf2, 0xa2, 0x4a } });

/* ------------------------------------------------------------ critical sections */

KERNEL_TEMPLATE(section_collision,
	U32("LockCount"), U32("SpinCount"), POINTER("OwningThread"), POINTER("CritSecAddr"));
KERNEL_TEMPLATE(section_init, POINTER("SpinCount"), POINTER("CritSecAddr"));

static const struct etw_mf_task section = { .name = "CritSec" };

static const struct etw_kernel_type section_types[] = {
	KERNEL_TYPE(section, 34, 0, 255, "Collision", section_collision),
	KERNEL_TYPE(section, 35, 0, 255, "Initialize", section_init),
};

USER_CLASS(etw_kernel_critical_section, section_types, "CritSecTraceProvider",
	{ 0x3ac66736, 0xcc59, 0x4cff, { 0x81, 0x15, 0x8d, 0xf5, 0x0e, 0x39, 0x81, 0x6b } });

/* ----------------------------------------------------------------- thread pools */

KERNEL_TEMPLATE(callback,
	POINTER("PoolId"), POINTER("TaskId"), POINTER("CallbackFunction"),
	POINTER("CallbackContext"), POINTER("SubProcessTag"));
KERNEL_TEMPLATE(callback_end_v2, POINTER("TaskId"));
KERNEL_TEMPLATE(callback_cancel_v2, POINTER("TaskId"), U32("CancelCount"));
KERNEL_TEMPLATE(callback_cancel,
	POINTER("PoolId"), POINTER("TaskId"), POINTER("CallbackFunction"),
	POINTER("CallbackContext"), POINTER("SubProcessTag"), U32("CancelCount"));
KERNEL_TEMPLATE(pool_alone, POINTER("PoolId"));
KERNEL_TEMPLATE(pool_threads, POINTER("PoolId"), U32("ThreadNum"));
KERNEL_TEMPLATE(pool_node,
	POINTER("PoolId"), U32("CurrentNode"), U32("NextNode"), U16("CurrentGroup"),
	U16("NextGroup"), U32("CurrentWorkerCount"), U32("NextWorkerCount"));
KERNEL_TEMPLATE(timer_set,
	U64("DueTime"), POINTER("SubQueue"), POINTER("Timer"), U32("Period"),
	U32("WindowLength"), U32("Absolute"));
KERNEL_TEMPLATE(timer_cancelled, POINTER("SubQueue"), POINTER("Timer"));
KERNEL_TEMPLATE(timer_set_nt, U64("DueTime"), POINTER("SubQueue"), U32("TolerableDelay"));
KERNEL_TEMPLATE(timer_queue, POINTER("SubQueue"));
KERNEL_TEMPLATE(timer_expiration,
	U64("DueTime"), POINTER("SubQueue"), POINTER("Timer"), U32("Period"),
	U32("WindowLength"));

static const struct etw_mf_task pool = { .name = "ThreadPool" };

static const struct etw_kernel_type pool_types[] = {
	KERNEL_TYPE(pool, 32, 0, 255, "CBEnqueue", callback),
	KERNEL_TYPE(pool, 33, 0, 2, "CBDequeue", callback_end_v2),
	KERNEL_TYPE(pool, 33, 3, 255, "CBDequeue", callback),
	KERNEL_TYPE(pool, 34, 0, 255, "CBStart", callback),
	KERNEL_TYPE(pool, 35, 0, 2, "CBStop", callback_end_v2),
	KERNEL_TYPE(pool, 35, 3, 255, "CBStop", callback),
	KERNEL_TYPE(pool, 36, 0, 2, "CBCancel", callback_cancel_v2),
	KERNEL_TYPE(pool, 36, 3, 255, "CBCancel", callback_cancel),
	KERNEL_TYPE(pool, 37, 0, 255, "PoolCreate", pool_alone),
	KERNEL_TYPE(pool, 38, 0, 255, "PoolClose", pool_alone),
	KERNEL_TYPE(pool, 39, 0, 255, "ThreadMinSet", pool_threads),
	KERNEL_TYPE(pool, 40, 0, 255, "ThreadMaxSet", pool_threads),
	KERNEL_TYPE(pool, 41, 0, 255, "WTNodeSwitch", pool_node),
	KERNEL_TYPE(pool, 42, 0, 255, "TimerSet", timer_set),
	KERNEL_TYPE(pool, 43, 0, 255, "TimerCancelled", timer_cancelled),
	KERNEL_TYPE(pool, 44, 0, 255, "TimerSetNtTimer", timer_set_nt),
	KERNEL_TYPE(pool, 45, 0, 255, "TimerCancelNtTimer", timer_queue),
	KERNEL_TYPE(pool, 46, 0, 255, "TimerExpirationBegin", timer_queue),
	KERNEL_TYPE(pool, 47, 0, 255, "TimerExpirationEnd", timer_queue),
	KERNEL_TYPE(pool, 48, 0, 255, "TimerExpiration", timer_expiration),
};

USER_CLASS(etw_kernel_thread_pool, pool_types, "ThreadPool",
	{ 0xc861d0e2, 0xa2c1, 0x4d36, { 0x9f, 0x9c, 0x97, 0x0b, 0xab, 0x94, 0x3a, 0x12 } });

/* ---------------------------------------------------------------- notifications */

#define SUBSCRIPTION	X64("StateName"), POINTER("Subscription"), POINTER("NameSub"), \
			POINTER("Callback")

KERNEL_TEMPLATE(subscription, SUBSCRIPTION, U32("RefCount"), X32("DeliveryFlags"));
KERNEL_TEMPLATE(subscription_call,
	SUBSCRIPTION, U32("ChangeStamp"), X32("DeliveryFlags"), X32("Return"));
KERNEL_TEMPLATE(publication, X64("StateName"), U32("DataLength"));
KERNEL_TEMPLATE(subscription_name, X64("StateName"), POINTER("NameSub"));

static const struct etw_mf_task notification = { .name = "WNFTrace" };

static const struct etw_kernel_type notification_types[] = {
	KERNEL_TYPE(notification, 32, 0, 255, "Subscribe", subscription),
	KERNEL_TYPE(notification, 33, 0, 255, "Unsubscribe", subscription),
	KERNEL_TYPE(notification, 34, 0, 255, "Callback", subscription_call),
	KERNEL_TYPE(notification, 35, 0, 255, "Publish", publication),
	KERNEL_TYPE(notification, 36, 0, 255, "NameSubRundown", subscription_name),
};

USER_CLASS(etw_kernel_notification, notification_types, "WnfProvider",
	{ 0x42695762, 0xea50, 0x497a, { 0x90, 0x68, 0x5c, 0xbb, 0xb3, 0x5e, 0x0b, 0x95 } });

KERNEL_TEMPLATE(mmcss_schedule,
	X32("ScheduledPID"), X32("ScheduledTID"), U32("SchedulingPriority"), U32("TaskIndex"));
KERNEL_TEMPLATE(mmcss_wakeup, X32("Reason"));

static const struct etw_mf_task mmcss = { .name = "MMCSS" };

static const struct etw_kernel_type mmcss_types[] = {
	KERNEL_BARE(mmcss, 32, 0, 255, "Start"),
	KERNEL_BARE(mmcss, 33, 0, 255, "Stop"),
	KERNEL_TYPE(mmcss, 34, 0, 255, "Scheduler", mmcss_schedule),
	KERNEL_TYPE(mmcss, 35, 0, 255, "Wakeup", mmcss_wakeup),
	KERNEL_BARE(mmcss, 36, 0, 255, "Sleep"),
	KERNEL_BARE(mmcss, 37, 0, 255, "SleepResp"),
};

const struct etw_kernel_class etw_kernel_mmcss = {
	{ 0xf8f10121, 0xb617, 0x4a56, { 0x86, 0x8b, 0x9d, 0xf1, 0xb2, 0x7f, 0xe3, 0x2c } },
	mmcss_types, KERNEL_COUNT(mmcss_types), NULL
};
