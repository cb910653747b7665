/* SPDX-License-Identifier: MIT */
/*
 * task.c - processes and threads of Windows' kernel logger
 *
 * Sources: Microsoft's pages "Process_TypeGroup1 class" and its V0, V1, V2 forms, "Process_V2_
 * TypeGroup2 class", "Thread_TypeGroup1 class" and its V0, V1, V2 forms, "CSwitch class",
 * "ReadyThread class"; for versions 4 and 5 of Process, 4 of Thread, and events without a page,
 * wmicore.mof of the WDK.
 */
#include "kernel_logger.h"

/* -------------------------------------------------------------------- processes */

KERNEL_TEMPLATE(process_v0,
	POINTER("ProcessId"), POINTER("ParentId"), SID("UserSID"), TEXT8("ImageFileName"));

KERNEL_TEMPLATE(process_v1,
	POINTER("PageDirectoryBase"), U32("ProcessId"), U32("ParentId"), U32("SessionId"),
	S32("ExitStatus"), SID("UserSID"), TEXT8("ImageFileName"));

KERNEL_TEMPLATE(process_v2,
	POINTER("UniqueProcessKey"), X32("ProcessId"), X32("ParentId"), U32("SessionId"),
	S32("ExitStatus"), SID("UserSID"), TEXT8("ImageFileName"), TEXT16("CommandLine"));

KERNEL_TEMPLATE(process_v3,
	POINTER("UniqueProcessKey"), X32("ProcessId"), X32("ParentId"), U32("SessionId"),
	S32("ExitStatus"), POINTER("DirectoryTableBase"), SID("UserSID"), TEXT8("ImageFileName"),
	TEXT16("CommandLine"));

KERNEL_TEMPLATE(process_v4,
	POINTER("UniqueProcessKey"), X32("ProcessId"), X32("ParentId"), U32("SessionId"),
	S32("ExitStatus"), POINTER("DirectoryTableBase"), U32("Flags"), SID("UserSID"),
	TEXT8("ImageFileName"), TEXT16("CommandLine"), TEXT16("PackageFullName"),
	TEXT16("ApplicationId"));

/* Only "Defunct" has a version 5. */
KERNEL_TEMPLATE(process_v5,
	POINTER("UniqueProcessKey"), X32("ProcessId"), X32("ParentId"), U32("SessionId"),
	S32("ExitStatus"), POINTER("DirectoryTableBase"), U32("Flags"), SID("UserSID"),
	TEXT8("ImageFileName"), TEXT16("CommandLine"), TEXT16("PackageFullName"),
	TEXT16("ApplicationId"), U64("ExitTime"));

KERNEL_TEMPLATE(process_id, X32("ProcessId"));
KERNEL_TEMPLATE(process_swap, POINTER("DirectoryTableBase"), X32("ProcessId"));
KERNEL_TEMPLATE(process_wake,
	POINTER("Object"), POINTER("Tag"), X32("ProcessId"), U32("Count"));
KERNEL_TEMPLATE(process_wake_event, POINTER("Object"));

KERNEL_TEMPLATE(process_counters,
	X32("ProcessId"), U32("PageFaultCount"), U32("HandleCount"), U32("Reserved"),
	SIZE_T("PeakVirtualSize"), SIZE_T("PeakWorkingSetSize"), SIZE_T("PeakPagefileUsage"),
	SIZE_T("QuotaPeakPagedPoolUsage"), SIZE_T("QuotaPeakNonPagedPoolUsage"),
	SIZE_T("VirtualSize"), SIZE_T("WorkingSetSize"), SIZE_T("PagefileUsage"),
	SIZE_T("QuotaPagedPoolUsage"), SIZE_T("QuotaNonPagedPoolUsage"),
	SIZE_T("PrivatePageCount"));

static const struct etw_mf_task process = { .name = "Process" };

#define PROCESS(from, to, its_fields)					\
	KERNEL_TYPE(process, 1, from, to, "Start", its_fields),		\
	KERNEL_TYPE(process, 2, from, to, "End", its_fields),		\
	KERNEL_TYPE(process, 3, from, to, "DCStart", its_fields),	\
	KERNEL_TYPE(process, 4, from, to, "DCEnd", its_fields)

/* Five kinds of references that keep a process awake; the last has no event. */
#define WAKE(of_type, what)								\
	KERNEL_TYPE(process, (of_type), 2, 255, what "User", process_wake),		\
	KERNEL_TYPE(process, (of_type) + 1, 2, 255, what "Execution", process_wake),	\
	KERNEL_TYPE(process, (of_type) + 2, 2, 255, what "Kernel", process_wake),	\
	KERNEL_TYPE(process, (of_type) + 3, 2, 255, what "Instrumentation", process_wake), \
	KERNEL_TYPE(process, (of_type) + 4, 2, 255, what "PreserveProcess", process_wake)

static const struct etw_kernel_type process_types[] = {
	PROCESS(0, 0, process_v0),
	PROCESS(1, 1, process_v1),
	PROCESS(2, 2, process_v2),
	PROCESS(3, 3, process_v3),
	PROCESS(4, 255, process_v4),
	KERNEL_TYPE(process, 32, 2, 255, "PerfCtr", process_counters),
	KERNEL_TYPE(process, 33, 2, 255, "PerfCtrRundown", process_counters),
	KERNEL_TYPE(process, 39, 2, 2, "Defunct", process_v2),
	KERNEL_TYPE(process, 39, 3, 3, "Defunct", process_v3),
	KERNEL_TYPE(process, 39, 4, 4, "Defunct", process_v4),
	KERNEL_TYPE(process, 39, 5, 255, "Defunct", process_v5),
	KERNEL_TYPE(process, 11, 2, 255, "Terminate", process_id),
	KERNEL_TYPE(process, 35, 2, 255, "InSwap", process_swap),
	WAKE(48, "WakeCharge"),
	WAKE(64, "WakeRelease"),
	WAKE(80, "WakeDrop"),
	KERNEL_TYPE(process, 96, 2, 255, "WakeEventUser", process_wake_event),
	KERNEL_TYPE(process, 97, 2, 255, "WakeEventExecution", process_wake_event),
	KERNEL_TYPE(process, 98, 2, 255, "WakeEventKernel", process_wake_event),
	KERNEL_TYPE(process, 99, 2, 255, "WakeEventInstrumentation", process_wake_event),
};

const struct etw_kernel_class etw_kernel_process = {
	KERNEL_GUID(0x3d6fa8d0), process_types, KERNEL_COUNT(process_types), NULL
};

/* ---------------------------------------------------------------------- threads */

KERNEL_TEMPLATE(thread_v0, X32("TThreadId"), X32("ProcessId"));

KERNEL_TEMPLATE(thread_v1_start,
	U32("ProcessId"), U32("TThreadId"), POINTER("StackBase"), POINTER("StackLimit"),
	POINTER("UserStackBase"), POINTER("UserStackLimit"), POINTER("StartAddr"),
	POINTER("Win32StartAddr"), S8("WaitMode"));

KERNEL_TEMPLATE(thread_v1_end, U32("ProcessId"), U32("TThreadId"));

KERNEL_TEMPLATE(thread_v2,
	X32("ProcessId"), X32("TThreadId"), POINTER("StackBase"), POINTER("StackLimit"),
	POINTER("UserStackBase"), POINTER("UserStackLimit"), POINTER("StartAddr"),
	POINTER("Win32StartAddr"), POINTER("TebBase"), X32("SubProcessTag"));

KERNEL_TEMPLATE(thread_v3,
	X32("ProcessId"), X32("TThreadId"), POINTER("StackBase"), POINTER("StackLimit"),
	POINTER("UserStackBase"), POINTER("UserStackLimit"), POINTER("Affinity"),
	POINTER("Win32StartAddr"), POINTER("TebBase"), X32("SubProcessTag"),
	U8("BasePriority"), U8("PagePriority"), U8("IoPriority"), U8("ThreadFlags"));

KERNEL_TEMPLATE(thread_v4,
	X32("ProcessId"), X32("TThreadId"), POINTER("StackBase"), POINTER("StackLimit"),
	POINTER("UserStackBase"), POINTER("UserStackLimit"), POINTER("Affinity"),
	POINTER("Win32StartAddr"), POINTER("TebBase"), X32("SubProcessTag"),
	U8("BasePriority"), U8("PagePriority"), U8("IoPriority"), U8("ThreadFlags"),
	TEXT16("ThreadName"));

KERNEL_TEMPLATE(thread_name, X32("ProcessId"), X32("ThreadId"), TEXT16("ThreadName"));

KERNEL_TEMPLATE(context_switch_v1,
	X32("NewThreadId"), X32("OldThreadId"), S8("NewThreadPriority"),
	S8("OldThreadPriority"), S8("NewThreadQuantum"), S8("OldThreadQuantum"),
	S8("OldThreadWaitReason"), S8("OldThreadWaitMode"), S8("OldThreadState"),
	S8("OldThreadWaitIdealProcessor"));

#define SWITCH(its_eighth)							\
	X32("NewThreadId"), X32("OldThreadId"), S8("NewThreadPriority"),	\
	S8("OldThreadPriority"), U8("PreviousCState"), S8("SpareByte"),		\
	S8("OldThreadWaitReason"), S8(its_eighth), S8("OldThreadState"),	\
	S8("OldThreadWaitIdealProcessor"), X32("NewThreadWaitTime"), U32("Reserved")

KERNEL_TEMPLATE(context_switch_v2, SWITCH("OldThreadWaitMode"));
KERNEL_TEMPLATE(context_switch_v3, SWITCH("ThreadFlags"));

KERNEL_TEMPLATE(ready_thread,
	X32("TThreadId"), S8("AdjustReason"), S8("AdjustIncrement"), S8("Flag"), S8("Reserved"));

KERNEL_TEMPLATE(spin_lock,
	POINTER("SpinLockAddress"), POINTER("CallerAddress"), U64("AcquireTime"),
	U64("ReleaseTime"), U32("WaitTimeInCycles"), U32("SpinCount"), U32("ThreadId"),
	U32("InterruptCount"), U8("Irql"), U8("AcquireDepth"), U8("Flag"),
	KERNEL_ARRAY("Reserved", UINT8, UNSIGNEDBYTE, 5));

KERNEL_TEMPLATE(thread_priority,
	X32("ThreadId"), U8("OldPriority"), U8("NewPriority"), U16("Reserved"));

KERNEL_TEMPLATE(thread_affinity,
	POINTER("Affinity"), X32("ThreadId"), U16("Group"), U16("Reserved"));

KERNEL_TEMPLATE(worker_thread, X32("TThreadId"), U64("StartTime"), POINTER("ThreadRoutine"));

KERNEL_TEMPLATE(starvation_boost,
	X32("ThreadId"), U16("ProcessorIndex"), U8("Priority"), U8("Reserved"));

KERNEL_TEMPLATE(thread_migration,
	X32("ThreadId"), U16("SourceProcessorIndex"), U16("TargetProcessorIndex"),
	U8("Priority"), BOOL8("IdealProcessorAdjust"), U16("OldIdealProcessorIndex"));

KERNEL_TEMPLATE(queue_enqueue, POINTER("Entry"), X32("ThreadId"));

KERNEL_TEMPLATE(queue_dequeue,
	X32("ThreadId"), U32("EntryCount"), KERNEL_COUNTED("Entries", POINTER, HEXINT64, 1));

KERNEL_TEMPLATE(worker_callback, POINTER("CallbackRoutine"));

KERNEL_TEMPLATE(boost_set,
	POINTER("Lock"), X32("ThreadId"), U8("NewCpuPriorityFloor"), U8("OldCpuPriority"),
	U8("IoPriorities"), U8("BoostFlags"));

KERNEL_TEMPLATE(boost_clear, POINTER("LockAddress"), X32("ThreadId"), U32("BoostBitmap"));
KERNEL_TEMPLATE(boost_exhausted, POINTER("LockAddress"), X32("ThreadId"));
KERNEL_TEMPLATE(thread_tag, X32("OldTag"), X32("NewTag"));

static const struct etw_mf_task thread = { .name = "Thread" };

#define THREAD(from, to, its_start, its_end)				\
	KERNEL_TYPE(thread, 1, from, to, "Start", its_start),		\
	KERNEL_TYPE(thread, 2, from, to, "End", its_end),		\
	KERNEL_TYPE(thread, 3, from, to, "DCStart", its_start),		\
	KERNEL_TYPE(thread, 4, from, to, "DCEnd", its_end)

static const struct etw_kernel_type thread_types[] = {
	KERNEL_TYPE(thread, 36, 0, 1, "CSwitch", context_switch_v1),
	KERNEL_TYPE(thread, 36, 2, 2, "CSwitch", context_switch_v2),
	KERNEL_TYPE(thread, 36, 3, 255, "CSwitch", context_switch_v3),
	KERNEL_TYPE(thread, 50, 2, 255, "ReadyThread", ready_thread),
	THREAD(0, 0, thread_v0, thread_v0),
	THREAD(1, 1, thread_v1_start, thread_v1_end),
	THREAD(2, 2, thread_v2, thread_v2),
	THREAD(3, 3, thread_v3, thread_v3),
	THREAD(4, 255, thread_v4, thread_v4),
	KERNEL_BARE(thread, 37, 2, 255, "CompCS"),
	KERNEL_TYPE(thread, 41, 2, 255, "SpinLock", spin_lock),
	KERNEL_TYPE(thread, 48, 2, 255, "SetPriority", thread_priority),
	KERNEL_TYPE(thread, 49, 2, 255, "SetBasePriority", thread_priority),
	KERNEL_TYPE(thread, 51, 2, 255, "SetPagePriority", thread_priority),
	KERNEL_TYPE(thread, 52, 2, 255, "SetIoPriority", thread_priority),
	KERNEL_TYPE(thread, 53, 2, 255, "ThreadAffinity", thread_affinity),
	KERNEL_TYPE(thread, 57, 1, 255, "WorkerThread", worker_thread),
	KERNEL_TYPE(thread, 60, 2, 255, "AntiStarvationBoost", starvation_boost),
	KERNEL_TYPE(thread, 61, 2, 255, "Thread Migration", thread_migration),
	KERNEL_TYPE(thread, 62, 2, 255, "Kernel Queue Enqueue", queue_enqueue),
	KERNEL_TYPE(thread, 63, 2, 255, "Kernel Queue Dequeue", queue_dequeue),
	KERNEL_TYPE(thread, 64, 2, 255, "Start", worker_callback),
	KERNEL_TYPE(thread, 65, 2, 255, "End", worker_callback),
	KERNEL_TYPE(thread, 66, 2, 255, "AutoBoost Set Floor", boost_set),
	KERNEL_TYPE(thread, 67, 2, 255, "AutoBoost Clear Floor", boost_clear),
	KERNEL_TYPE(thread, 68, 2, 255, "AutoBoost Entry Exhaustion", boost_exhausted),
	KERNEL_TYPE(thread, 69, 2, 255, "SubProcessTag Changed", thread_tag),
	KERNEL_TYPE(thread, 72, 2, 255, "SetName", thread_name),
};

const struct etw_kernel_class etw_kernel_thread = {
	KERNEL_GUID(0x3d6fa8d1), thread_types, KERNEL_COUNT(thread_types), NULL
};
