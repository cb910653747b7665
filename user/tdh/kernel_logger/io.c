/* SPDX-License-Identifier: MIT */
/*
 * io.c - disks, files, page faults and the registry of Windows' kernel logger
 *
 * Sources: Microsoft's pages "DiskIo_TypeGroup1 class" (whose remarks have the older forms), 2 and
 * 3, "SplitIo_Info class", "FileIo_Name class", "FileIo_Create class", "FileIo_DirEnum class",
 * "FileIo_Info class", "FileIo_OpEnd class", "FileIo_ReadWrite class", "FileIo_SimpleOp class",
 * "PageFault_TypeGroup1 class", "PageFault_HardFault class", "PageFault_ImageLoadBacked class",
 * "Registry_TypeGroup1 class" and its V0 and V1 forms; version 3 of FileIo has no page: its layouts
 * are those that two public programs agree on, EtwTools (KernelFileIoProvider.cs, generated from
 * what Windows has registered) and one that reads the classes FileIo_V3_* by their field names.
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
};

const struct etw_kernel_class etw_kernel_disk = {
	KERNEL_GUID(0x3d6fa8d4), disk_types, KERNEL_COUNT(disk_types)
};

KERNEL_TEMPLATE(split_fields, POINTER("ParentIrp"), POINTER("ChildIrp"));

static const struct etw_mf_task split = { .name = "SplitIo" };

static const struct etw_kernel_type split_types[] = {
	KERNEL_TYPE(split, 32, 0, 255, "VolMgr", split_fields),
};

const struct etw_kernel_class etw_kernel_split = {
	{ 0xd837ca92, 0x12b9, 0x44a5, { 0xad, 0x6a, 0x3a, 0x65, 0xb3, 0x57, 0x8a, 0xa8 } },
	split_types, KERNEL_COUNT(split_types)
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
	FILE_OPS(2, 2, v2),
	FILE_OPS(3, 255, v3),
	KERNEL_TYPE(file, 76, 2, 255, "OperationEnd", file_end),
};

const struct etw_kernel_class etw_kernel_file = {
	{ 0x90cbdc39, 0x4a3e, 0x11d1, { 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 } },
	file_types, KERNEL_COUNT(file_types)
};

/* ------------------------------------------------------------------ page faults */

KERNEL_TEMPLATE(soft_fault, POINTER("VirtualAddress"), POINTER("ProgramCounter"));

KERNEL_TEMPLATE(hard_fault,
	U64("InitialTime"), X64("ReadOffset"), POINTER("VirtualAddress"), POINTER("FileObject"),
	X32("TThreadId"), U32("ByteCount"));

KERNEL_TEMPLATE(backed_image,
	POINTER("FileObject"), X32("DeviceChar"), X16("FileChar"), X16("LoadFlags"));

static const struct etw_mf_task fault = { .name = "PageFault" };

static const struct etw_kernel_type fault_types[] = {
	KERNEL_TYPE(fault, 10, 0, 255, "TransitionFault", soft_fault),
	KERNEL_TYPE(fault, 11, 0, 255, "DemandZeroFault", soft_fault),
	KERNEL_TYPE(fault, 12, 0, 255, "CopyOnWrite", soft_fault),
	KERNEL_TYPE(fault, 13, 0, 255, "GuardPageFault", soft_fault),
	KERNEL_TYPE(fault, 14, 0, 255, "HardPageFault", soft_fault),
	KERNEL_TYPE(fault, 15, 0, 255, "AccessViolation", soft_fault),
	KERNEL_TYPE(fault, 32, 2, 255, "HardFault", hard_fault),
	KERNEL_TYPE(fault, 105, 2, 255, "ImageLoadBacked", backed_image),
};

const struct etw_kernel_class etw_kernel_fault = {
	KERNEL_GUID(0x3d6fa8d3), fault_types, KERNEL_COUNT(fault_types)
};

/* --------------------------------------------------------------------- registry */

KERNEL_TEMPLATE(registry_v0,
	POINTER("Status"), POINTER("KeyHandle"), S64("ElapsedTime"), TEXT16("KeyName"));

KERNEL_TEMPLATE(registry_v1,
	POINTER("Status"), POINTER("KeyHandle"), S64("ElapsedTime"), U32("Index"),
	TEXT16("KeyName"));

/* The page calls Status a pointer as well; the kernel writes the 32 bits of an NTSTATUS. */
KERNEL_TEMPLATE(registry_v2,
	S64("InitialTime"), X32("Status"), U32("Index"), POINTER("KeyHandle"), TEXT16("KeyName"));

static const struct etw_mf_task registry = { .name = "Registry" };

#define REGISTRY(from, to, its_fields)						\
	KERNEL_TYPE(registry, 10, from, to, "Create", its_fields),		\
	KERNEL_TYPE(registry, 11, from, to, "Open", its_fields),		\
	KERNEL_TYPE(registry, 12, from, to, "Delete", its_fields),		\
	KERNEL_TYPE(registry, 13, from, to, "Query", its_fields),		\
	KERNEL_TYPE(registry, 14, from, to, "SetValue", its_fields),		\
	KERNEL_TYPE(registry, 15, from, to, "DeleteValue", its_fields),		\
	KERNEL_TYPE(registry, 16, from, to, "QueryValue", its_fields),		\
	KERNEL_TYPE(registry, 17, from, to, "EnumerateKey", its_fields),	\
	KERNEL_TYPE(registry, 18, from, to, "EnumerateValueKey", its_fields),	\
	KERNEL_TYPE(registry, 19, from, to, "QueryMultipleValue", its_fields),	\
	KERNEL_TYPE(registry, 20, from, to, "SetInformation", its_fields),	\
	KERNEL_TYPE(registry, 21, from, to, "Flush", its_fields)

static const struct etw_kernel_type registry_types[] = {
	REGISTRY(0, 0, registry_v0),
	REGISTRY(1, 1, registry_v1),
	KERNEL_TYPE(registry, 22, 1, 1, "RunDown", registry_v1),
	REGISTRY(2, 255, registry_v2),
	KERNEL_TYPE(registry, 22, 2, 255, "KCBCreate", registry_v2),
	KERNEL_TYPE(registry, 23, 2, 255, "KCBDelete", registry_v2),
	KERNEL_TYPE(registry, 24, 2, 255, "KCBRundownBegin", registry_v2),
	KERNEL_TYPE(registry, 25, 2, 255, "KCBRundownEnd", registry_v2),
	KERNEL_TYPE(registry, 26, 2, 255, "Virtualize", registry_v2),
	KERNEL_TYPE(registry, 27, 2, 255, "Close", registry_v2),
};

const struct etw_kernel_class etw_kernel_registry = {
	{ 0xae53722e, 0xc863, 0x11d2, { 0x86, 0x59, 0x00, 0xc0, 0x4f, 0xa3, 0x21, 0xa1 } },
	registry_types, KERNEL_COUNT(registry_types)
};
