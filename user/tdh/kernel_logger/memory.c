/* SPDX-License-Identifier: MIT */
/*
 * memory.c - page faults, virtual memory and pools of Windows' kernel logger
 *
 * Sources: Microsoft's pages "PageFault_TypeGroup1 class", "PageFault_HardFault class" and
 * "PageFault_ImageLoadBacked class"; for the rest, wmicore.mof of the WDK.
 */
#include "kernel_logger.h"
KERNEL_TEMPLATE(soft_fault, POINTER("VirtualAddress"), POINTER("ProgramCounter"));

KERNEL_TEMPLATE(hard_fault,
	U64("InitialTime"), X64("ReadOffset"), POINTER("VirtualAddress"), POINTER("FileObject"),
	X32("TThreadId"), U32("ByteCount"));

KERNEL_TEMPLATE(backed_image,
	POINTER("FileObject"), X32("DeviceChar"), X16("FileChar"), X16("LoadFlags"));

KERNEL_TEMPLATE(range_rundown_v2,
	POINTER("HeapHandle"), X32("HRFlags"), X32("HRPid"), U32("HRRangeCount"));
KERNEL_TEMPLATE(range_rundown_v3,
	POINTER("HeapHandle"), X32("HRFlags"), X32("HRPid"), U32("HRRangeCount"), U32("Reserved"));
KERNEL_TEMPLATE(range_rundown_v4,
	POINTER("HeapHandle"), X32("HRFlags"), X32("HRPid"), U32("HRRangeCount"),
	U64("HRHeapTag"));
KERNEL_TEMPLATE(range_create, POINTER("HeapHandle"), SIZE_T("FirstRangeSize"), X32("HRCreateFlags"));
KERNEL_TEMPLATE(range, POINTER("HeapHandle"), POINTER("HRAddress"), SIZE_T("HRSize"));
KERNEL_TEMPLATE(range_destroy, POINTER("HeapHandle"));
KERNEL_TEMPLATE(virtual_alloc,
	POINTER("BaseAddress"), SIZE_T("RegionSize"), U32("ProcessId"), X32("Flags"));
KERNEL_TEMPLATE(virtual_rundown,
	POINTER("BaseAddress"), SIZE_T("RegionSize"), U32("ProcessId"), X32("Flags"),
	SIZE_T("CommitSizeInBytes"));
KERNEL_TEMPLATE(virtual_change, POINTER("BaseAddress"), SIZE_T("SizeInBytes"), U32("Flags"));

static const struct etw_mf_task fault = { .name = "PageFault" };

static const struct etw_kernel_type fault_types[] = {
	KERNEL_TYPE(fault, 10, 0, 255, "TransitionFault", soft_fault),
	KERNEL_TYPE(fault, 11, 0, 255, "DemandZeroFault", soft_fault),
	KERNEL_TYPE(fault, 12, 0, 255, "CopyOnWrite", soft_fault),
	KERNEL_TYPE(fault, 13, 0, 255, "GuardPageFault", soft_fault),
	KERNEL_TYPE(fault, 14, 0, 255, "HardPageFault", soft_fault),
	KERNEL_TYPE(fault, 15, 0, 255, "AccessViolation", soft_fault),
	KERNEL_TYPE(fault, 32, 2, 255, "HardFault", hard_fault),
	KERNEL_TYPE(fault, 98, 2, 255, "VirtualAlloc", virtual_alloc),
	KERNEL_TYPE(fault, 99, 2, 255, "VirtualFree", virtual_alloc),
	KERNEL_TYPE(fault, 100, 2, 2, "HRRundown", range_rundown_v2),
	KERNEL_TYPE(fault, 100, 3, 3, "HRRundown", range_rundown_v3),
	KERNEL_TYPE(fault, 100, 4, 255, "HRRundown", range_rundown_v4),
	KERNEL_TYPE(fault, 101, 2, 255, "HRCreate", range_create),
	KERNEL_TYPE(fault, 102, 2, 255, "HRReserve", range),
	KERNEL_TYPE(fault, 103, 2, 255, "HRRelease", range),
	KERNEL_TYPE(fault, 104, 2, 255, "HRDestroy", range_destroy),
	KERNEL_TYPE(fault, 105, 2, 255, "ImageLoadBacked", backed_image),
	KERNEL_TYPE(fault, 127, 2, 255, "VirtualRotate", virtual_change),
	KERNEL_TYPE(fault, 128, 2, 255, "VirtualAllocDCStart", virtual_rundown),
	KERNEL_TYPE(fault, 129, 2, 255, "VirtualAllocDCEnd", virtual_rundown),
	KERNEL_TYPE(fault, 134, 2, 255, "MemResetInfo", virtual_change),
};

const struct etw_kernel_class etw_kernel_fault = {
	KERNEL_GUID(0x3d6fa8d3), fault_types, KERNEL_COUNT(fault_types), NULL
};

/* ------------------------------------------------------------------------ pools */

KERNEL_TEMPLATE(pool_block, U32("Type"), X32("Tag"), SIZE_T("NumberOfBytes"), POINTER("Entry"));
KERNEL_TEMPLATE(session_block,
	U32("Type"), X32("Tag"), SIZE_T("NumberOfBytes"), POINTER("Entry"), U32("SessionId"));

static const struct etw_mf_task pool = { .name = "Pool" };

/* Nothing describes the payloads of snapshots. */
static const struct etw_kernel_type pool_types[] = {
	KERNEL_TYPE(pool, 32, 0, 255, "PoolAllocation", pool_block),
	KERNEL_TYPE(pool, 33, 0, 255, "SessionPoolAllocation", session_block),
	KERNEL_TYPE(pool, 34, 0, 255, "PoolFree", pool_block),
	KERNEL_TYPE(pool, 35, 0, 255, "SessionPoolFree", session_block),
	KERNEL_BARE(pool, 40, 0, 255, "PoolSnapDCStart"),
	KERNEL_BARE(pool, 41, 0, 255, "PoolSnapDCEnd"),
	KERNEL_BARE(pool, 42, 0, 255, "BigPoolSnapDCStart"),
	KERNEL_BARE(pool, 43, 0, 255, "BigPoolSnapDCEnd"),
	KERNEL_BARE(pool, 44, 0, 255, "SessionPoolSnapDCStart"),
	KERNEL_BARE(pool, 45, 0, 255, "SessionPoolSnapDCEnd"),
	KERNEL_BARE(pool, 46, 0, 255, "SessionBigPoolSnapDCStart"),
	KERNEL_BARE(pool, 47, 0, 255, "SessionBigPoolSnapDCEnd"),
};

const struct etw_kernel_class etw_kernel_pool = {
	{ 0x0268a8b6, 0x74fd, 0x4302, { 0x9d, 0xd0, 0x6e, 0x8f, 0x17, 0x95, 0xc0, 0xcf } },
	pool_types, KERNEL_COUNT(pool_types), NULL
};
