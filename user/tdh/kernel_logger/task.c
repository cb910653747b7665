/* SPDX-License-Identifier: MIT */
/*
 * task.c - processes, threads and images of Windows' kernel logger
 *
 * Sources: Microsoft's pages "Process_TypeGroup1 class" and its V0, V1, V2 forms, "Process_V2_
 * TypeGroup2 class", "Thread_TypeGroup1 class" and its V0, V1, V2 forms, "CSwitch class",
 * "ReadyThread class", "Image_Load class" and its V0, V1 forms; for version 4 of Process, which
 * has no page, the class as wmicore.mof of the WDK has it.
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
	KERNEL_TYPE(process, 39, 4, 255, "Defunct", process_v4),
};

const struct etw_kernel_class etw_kernel_process = {
	KERNEL_GUID(0x3d6fa8d0), process_types, KERNEL_COUNT(process_types)
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

KERNEL_TEMPLATE(context_switch,
	X32("NewThreadId"), X32("OldThreadId"), S8("NewThreadPriority"),
	S8("OldThreadPriority"), U8("PreviousCState"), S8("SpareByte"),
	S8("OldThreadWaitReason"), S8("OldThreadWaitMode"), S8("OldThreadState"),
	S8("OldThreadWaitIdealProcessor"), X32("NewThreadWaitTime"), U32("Reserved"));

KERNEL_TEMPLATE(ready_thread,
	X32("TThreadId"), S8("AdjustReason"), S8("AdjustIncrement"), S8("Flag"), S8("Reserved"));

static const struct etw_mf_task thread = { .name = "Thread" };

#define THREAD(from, to, its_start, its_end)				\
	KERNEL_TYPE(thread, 1, from, to, "Start", its_start),		\
	KERNEL_TYPE(thread, 2, from, to, "End", its_end),		\
	KERNEL_TYPE(thread, 3, from, to, "DCStart", its_start),		\
	KERNEL_TYPE(thread, 4, from, to, "DCEnd", its_end)

static const struct etw_kernel_type thread_types[] = {
	KERNEL_TYPE(thread, 36, 2, 255, "CSwitch", context_switch),
	KERNEL_TYPE(thread, 50, 2, 255, "ReadyThread", ready_thread),
	THREAD(0, 0, thread_v0, thread_v0),
	THREAD(1, 1, thread_v1_start, thread_v1_end),
	THREAD(2, 2, thread_v2, thread_v2),
	THREAD(3, 255, thread_v3, thread_v3),
};

const struct etw_kernel_class etw_kernel_thread = {
	KERNEL_GUID(0x3d6fa8d1), thread_types, KERNEL_COUNT(thread_types)
};

/* ----------------------------------------------------------------------- images */

KERNEL_TEMPLATE(image_v0, POINTER("BaseAddress"), U32("ModuleSize"), TEXT16("ImageFileName"));

KERNEL_TEMPLATE(image_v1,
	POINTER("ImageBase"), SIZE_T("ImageSize"), U32("ProcessId"), TEXT16("FileName"));

KERNEL_TEMPLATE(image_v2,
	POINTER("ImageBase"), SIZE_T("ImageSize"), U32("ProcessId"), U32("ImageCheckSum"),
	U32("TimeDateStamp"), U32("Reserved0"), POINTER("DefaultBase"), U32("Reserved1"),
	U32("Reserved2"), U32("Reserved3"), U32("Reserved4"), TEXT16("FileName"));

static const struct etw_mf_task image = { .name = "Image" };

/* The page of version 1 has Load only; files of that version have all four. */
#define IMAGE(from, to, its_fields)					\
	KERNEL_TYPE(image, 10, from, to, "Load", its_fields),		\
	KERNEL_TYPE(image, 2, from, to, "Unload", its_fields),		\
	KERNEL_TYPE(image, 3, from, to, "DCStart", its_fields),		\
	KERNEL_TYPE(image, 4, from, to, "DCEnd", its_fields)

static const struct etw_kernel_type image_types[] = {
	IMAGE(0, 0, image_v0), IMAGE(1, 1, image_v1), IMAGE(2, 255, image_v2),
};

const struct etw_kernel_class etw_kernel_image = {
	{ 0x2cb15d1d, 0x5fc1, 0x11d2, { 0xab, 0xe1, 0x00, 0xa0, 0xc9, 0x11, 0xf5, 0x18 } },
	image_types, KERNEL_COUNT(image_types)
};
