/* SPDX-License-Identifier: MIT */
/*
 * io.c - disks and files of Windows' kernel logger
 *
 * Sources: Microsoft's pages "DiskIo_TypeGroup1 class" (whose remarks have the older forms), 2 and
 * 3, "DriverMajorFunctionCall class" and the pages beside it, "SplitIo_Info class", "FileIo_Name
 * class", "FileIo_Create class", "FileIo_DirEnum class", "FileIo_Info class", "FileIo_OpEnd class",
 * "FileIo_ReadWrite class", "FileIo_SimpleOp class"; wmicore.mof of the WDK for version 3 of FileIo,
 * for drivers' calls in version 1 of DiskIo, and for events without a page ("DletePath" is its
 * spelling).
 */
#include "kernel_logger.h"

/* ------------------------------------------------------------------------ disks */

KERNEL_TEMPLATE(disk_v0,
	U32("DiskNumber"), X32("IrpFlags"), U32("TransferSize"), U32("ResponseTime"),
	U64("ByteOffset"), POINTER("FileObject"), U64("HighResResponseTime"));

KERNEL_TEMPLATE(disk_v2,
	U32("DiskNumber"), X32("IrpFlags"), U32("TransferSize"), U32("Reserved"),
	S64("ByteOffset"), POINTER("FileObject"), POINTER("Irp"), U64("HighResResponseTime"));

KERNEL_TEMPLATE(disk_v3,
	U32("DiskNumber"), X32("IrpFlags"), U32("TransferSize"), U32("Reserved"),
	S64("ByteOffset"), POINTER("FileObject"), POINTER("Irp"), U64("HighResResponseTime"),
	U32("IssuingThreadId"));

KERNEL_TEMPLATE(disk_init_v2, POINTER("Irp"));
KERNEL_TEMPLATE(disk_init_v3, POINTER("Irp"), U32("IssuingThreadId"));

KERNEL_TEMPLATE(disk_flush_v2,
	U32("DiskNumber"), X32("IrpFlags"), U64("HighResResponseTime"), POINTER("Irp"));

KERNEL_TEMPLATE(disk_flush_v3,
	U32("DiskNumber"), X32("IrpFlags"), U64("HighResResponseTime"), POINTER("Irp"),
	U32("IssuingThreadId"));

/* Calls of drivers; version 1 has the number first. */
KERNEL_TEMPLATE(driver_call_v1,
	U32("UniqMatchId"), POINTER("RoutineAddr"), POINTER("Irp"), U32("MajorFunction"),
	U32("MinorFunction"), POINTER("FileObject"));
KERNEL_TEMPLATE(driver_call,
	U32("MajorFunction"), U32("MinorFunction"), POINTER("RoutineAddr"), POINTER("FileObject"),
	POINTER("Irp"), U32("UniqMatchId"));
KERNEL_TEMPLATE(driver_return_v1, U32("UniqMatchId"), POINTER("Irp"));
KERNEL_TEMPLATE(driver_return, POINTER("Irp"), U32("UniqMatchId"));
KERNEL_TEMPLATE(driver_routine, POINTER("Routine"), POINTER("IrpPtr"), U32("UniqMatchId"));
KERNEL_TEMPLATE(driver_complete, POINTER("RoutineAddr"), POINTER("Irp"), U32("UniqMatchId"));

static const struct etw_mf_task disk = { .name = "DiskIo" };

#define DISK(from, to, its_fields)				\
	KERNEL_TYPE(disk, 10, from, to, "Read", its_fields),	\
	KERNEL_TYPE(disk, 11, from, to, "Write", its_fields)
#define DISK_INIT(from, to, its_fields)				\
	KERNEL_TYPE(disk, 12, from, to, "ReadInit", its_fields),	\
	KERNEL_TYPE(disk, 13, from, to, "WriteInit", its_fields),	\
	KERNEL_TYPE(disk, 15, from, to, "FlushInit", its_fields)

static const struct etw_kernel_type disk_types[] = {
	DISK(0, 1, disk_v0), DISK(2, 2, disk_v2), DISK(3, 255, disk_v3),
	DISK_INIT(0, 2, disk_init_v2), DISK_INIT(3, 255, disk_init_v3),
	KERNEL_TYPE(disk, 14, 0, 2, "FlushBuffers", disk_flush_v2),
	KERNEL_TYPE(disk, 14, 3, 255, "FlushBuffers", disk_flush_v3),
	KERNEL_TYPE(disk, 34, 0, 1, "DrvMjFnCall", driver_call_v1),
	KERNEL_TYPE(disk, 34, 2, 255, "DrvMjFnCall", driver_call),
	KERNEL_TYPE(disk, 35, 0, 1, "DrvMjFnRet", driver_return_v1),
	KERNEL_TYPE(disk, 35, 2, 255, "DrvMjFnRet", driver_return),
	KERNEL_TYPE(disk, 37, 0, 255, "DrvComplRout", driver_routine),
	KERNEL_TYPE(disk, 52, 0, 255, "DrvComplReq", driver_complete),
	KERNEL_TYPE(disk, 53, 0, 255, "DrvComplReqRet", driver_return),
	KERNEL_TYPE(disk, 55, 3, 255, "OpticalRead", disk_v3),
	KERNEL_TYPE(disk, 56, 3, 255, "OpticalWrite", disk_v3),
	KERNEL_TYPE(disk, 57, 3, 255, "OpticalFlushBuffers", disk_flush_v3),
	KERNEL_TYPE(disk, 58, 3, 255, "OpticalReadInit", disk_init_v3),
	KERNEL_TYPE(disk, 59, 3, 255, "OpticalWriteInit", disk_init_v3),
	KERNEL_TYPE(disk, 60, 3, 255, "OpticalFlushInit", disk_init_v3),
};

const struct etw_kernel_class etw_kernel_disk = {
	KERNEL_GUID(0x3d6fa8d4), disk_types, KERNEL_COUNT(disk_types), NULL
};

KERNEL_TEMPLATE(split_fields, POINTER("ParentIrp"), POINTER("ChildIrp"));

static const struct etw_mf_task split = { .name = "SplitIo" };

static const struct etw_kernel_type split_types[] = {
	KERNEL_TYPE(split, 32, 0, 255, "VolMgr", split_fields),
};

const struct etw_kernel_class etw_kernel_split = {
	{ 0xd837ca92, 0x12b9, 0x44a5, { 0xad, 0x6a, 0x3a, 0x65, 0xb3, 0x57, 0x8a, 0xa8 } },
	split_types, KERNEL_COUNT(split_types), NULL
};

/* ------------------------------------------------------------------------ files */

KERNEL_TEMPLATE(file_name, POINTER("FileObject"), TEXT16("FileName"));

KERNEL_TEMPLATE(file_create_v2,
	POINTER("IrpPtr"), POINTER("TTID"), POINTER("FileObject"), U32("CreateOptions"),
	U32("FileAttributes"), U32("ShareAccess"), TEXT16("OpenPath"));

KERNEL_TEMPLATE(file_create_v3,
	POINTER("IrpPtr"), POINTER("FileObject"), U32("TTID"), U32("CreateOptions"),
	U32("FileAttributes"), U32("ShareAccess"), TEXT16("OpenPath"));

KERNEL_TEMPLATE(file_simple_v2,
	POINTER("IrpPtr"), POINTER("TTID"), POINTER("FileObject"), POINTER("FileKey"));

KERNEL_TEMPLATE(file_simple_v3,
	POINTER("IrpPtr"), POINTER("FileObject"), POINTER("FileKey"), U32("TTID"));

KERNEL_TEMPLATE(file_io_v2,
	U64("Offset"), POINTER("IrpPtr"), POINTER("TTID"), POINTER("FileObject"),
	POINTER("FileKey"), U32("IoSize"), U32("IoFlags"));

KERNEL_TEMPLATE(file_io_v3,
	U64("Offset"), POINTER("IrpPtr"), POINTER("FileObject"), POINTER("FileKey"),
	U32("TTID"), U32("IoSize"), U32("IoFlags"));

KERNEL_TEMPLATE(file_info_v2,
	POINTER("IrpPtr"), POINTER("TTID"), POINTER("FileObject"), POINTER("FileKey"),
	POINTER("ExtraInfo"), U32("InfoClass"));

KERNEL_TEMPLATE(file_info_v3,
	POINTER("IrpPtr"), POINTER("FileObject"), POINTER("FileKey"), POINTER("ExtraInfo"),
	U32("TTID"), U32("InfoClass"));

/* The page's syntax has 32 bits for InfoClass, which its list calls a pointer as well. */
KERNEL_TEMPLATE(file_dir_v2,
	POINTER("IrpPtr"), POINTER("TTID"), POINTER("FileObject"), POINTER("FileKey"),
	U32("Length"), U32("InfoClass"), U32("FileIndex"), TEXT16("FileName"));

KERNEL_TEMPLATE(file_dir_v3,
	POINTER("IrpPtr"), POINTER("FileObject"), POINTER("FileKey"), U32("TTID"),
	U32("Length"), U32("InfoClass"), U32("FileIndex"), TEXT16("FileName"));

KERNEL_TEMPLATE(file_end, POINTER("IrpPtr"), POINTER("ExtraInfo"), X32("NtStatus"));

KERNEL_TEMPLATE(file_map,
	POINTER("ViewBase"), POINTER("FileObject"), X64("MiscInfo"), SIZE_T("ViewSize"),
	U32("ProcessId"));

KERNEL_TEMPLATE(file_path,
	POINTER("IrpPtr"), POINTER("FileObject"), POINTER("FileKey"), POINTER("ExtraInfo"),
	U32("TTID"), U32("InfoClass"), TEXT16("FileName"));

#define FILTER \
	POINTER("RoutineAddr"), POINTER("FileObject"), POINTER("FileContext"), POINTER("IrpPtr"), \
	POINTER("CallbackDataPtr"), U32("MajorFunction")

KERNEL_TEMPLATE(filter_init, FILTER);
KERNEL_TEMPLATE(filter_done, U64("InitialTime"), FILTER);
KERNEL_TEMPLATE(filter_failed, FILTER, X32("Status"));

static const struct etw_mf_task file = { .name = "FileIo" };

#define FILE_OPS(from, to, v)							\
	KERNEL_TYPE(file, 64, from, to, "Create", file_create_##v),		\
	KERNEL_TYPE(file, 65, from, to, "Cleanup", file_simple_##v),		\
	KERNEL_TYPE(file, 66, from, to, "Close", file_simple_##v),		\
	KERNEL_TYPE(file, 67, from, to, "Read", file_io_##v),			\
	KERNEL_TYPE(file, 68, from, to, "Write", file_io_##v),			\
	KERNEL_TYPE(file, 69, from, to, "SetInfo", file_info_##v),		\
	KERNEL_TYPE(file, 70, from, to, "Delete", file_info_##v),		\
	KERNEL_TYPE(file, 71, from, to, "Rename", file_info_##v),		\
	KERNEL_TYPE(file, 72, from, to, "DirEnum", file_dir_##v),		\
	KERNEL_TYPE(file, 73, from, to, "Flush", file_simple_##v),		\
	KERNEL_TYPE(file, 74, from, to, "QueryInfo", file_info_##v),		\
	KERNEL_TYPE(file, 75, from, to, "FSControl", file_info_##v),		\
	KERNEL_TYPE(file, 77, from, to, "DirNotify", file_dir_##v)

static const struct etw_kernel_type file_types[] = {
	KERNEL_TYPE(file, 0, 0, 255, "Name", file_name),
	KERNEL_TYPE(file, 32, 0, 255, "FileCreate", file_name),
	KERNEL_TYPE(file, 35, 0, 255, "FileDelete", file_name),
	KERNEL_TYPE(file, 36, 0, 255, "FileRundown", file_name),
	KERNEL_TYPE(file, 37, 2, 255, "MapFile", file_map),
	KERNEL_TYPE(file, 38, 2, 255, "UnmapFile", file_map),
	KERNEL_TYPE(file, 39, 2, 255, "MapFileDCStart", file_map),
	KERNEL_TYPE(file, 40, 2, 255, "MapFileDCEnd", file_map),
	FILE_OPS(2, 2, v2),
	FILE_OPS(3, 255, v3),
	KERNEL_TYPE(file, 76, 2, 255, "OperationEnd", file_end),
	KERNEL_TYPE(file, 79, 3, 255, "DletePath", file_path),
	KERNEL_TYPE(file, 80, 3, 255, "RenamePath", file_path),
	KERNEL_TYPE(file, 81, 3, 255, "SetLinkPath", file_path),
	KERNEL_TYPE(file, 96, 3, 255, "PreOpInit", filter_init),
	KERNEL_TYPE(file, 97, 3, 255, "PostOpInit", filter_init),
	KERNEL_TYPE(file, 98, 3, 255, "PreOpCompletion", filter_done),
	KERNEL_TYPE(file, 99, 3, 255, "PostOpCompletion", filter_done),
	KERNEL_TYPE(file, 100, 3, 255, "PreOpFailure", filter_failed),
	KERNEL_TYPE(file, 101, 3, 255, "PostOpFailure", filter_failed),
};

const struct etw_kernel_class etw_kernel_file = {
	{ 0x90cbdc39, 0x4a3e, 0x11d1, { 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 } },
	file_types, KERNEL_COUNT(file_types), NULL
};
