/* SPDX-License-Identifier: MIT */
/*
 * image.c - images and their loader in Windows' kernel logger, and what merging tools add
 *
 * Sources: Microsoft's pages "Image_Load class" and its V0, V1 forms; for version 3 and the loader,
 * wmicore.mof of the WDK. Tools that merge files on Windows add the events of ImageId and
 * SystemConfigEx, whose layouts are those of PerfView's SymbolTraceEventParser.cs and of files.
 */
#include "kernel_logger.h"
KERNEL_TEMPLATE(image_v0, POINTER("BaseAddress"), U32("ModuleSize"), TEXT16("ImageFileName"));

KERNEL_TEMPLATE(image_v1,
	POINTER("ImageBase"), SIZE_T("ImageSize"), U32("ProcessId"), TEXT16("FileName"));

KERNEL_TEMPLATE(image_v2,
	POINTER("ImageBase"), SIZE_T("ImageSize"), U32("ProcessId"), U32("ImageChecksum"),
	U32("TimeDateStamp"), U32("Reserved0"), POINTER("DefaultBase"), U32("Reserved1"),
	U32("Reserved2"), U32("Reserved3"), U32("Reserved4"), TEXT16("FileName"));

KERNEL_TEMPLATE(image_v3,
	POINTER("ImageBase"), SIZE_T("ImageSize"), U32("ProcessId"), U32("ImageChecksum"),
	U32("TimeDateStamp"), U8("SignatureLevel"), U8("SignatureType"), U16("Reserved0"),
	POINTER("DefaultBase"), U32("Reserved1"), U32("Reserved2"), U32("Reserved3"),
	U32("Reserved4"), TEXT16("FileName"));

KERNEL_TEMPLATE(image_base, POINTER("ImageBase"));
KERNEL_TEMPLATE(hypercall_page, POINTER("HypercallPageVa"));
KERNEL_TEMPLATE(loader_base, X64("BaseAddress"));
KERNEL_TEMPLATE(loader_coded, X64("BaseAddress"), X8("ErrorOpcode"), S8("Code"), TEXT16("String"));
KERNEL_TEMPLATE(loader_path,
	X64("BaseAddress"), X8("ErrorOpcode"), S8("Code"), TEXT16("String1"), TEXT16("String2"));
KERNEL_TEMPLATE(loader_new,
	POINTER("NewDllBaseAddress"), POINTER("ParentDllBaseAddress"), X32("LoadReason"),
	TEXT16("FilePath"));
KERNEL_TEMPLATE(loader_search,
	X32("LdrLoadFlags"), X32("LdrSearchFlags"), X32("SearchInfo"), X32("LoadReason"),
	TEXT16("FullDllName"));
KERNEL_TEMPLATE(loader_search_path,
	X32("SearchInfo"), TEXT16("Cwd"), TEXT16("AppDir"), TEXT16("DllDir"), TEXT16("DllLoadDir"));

static const struct etw_mf_task image = { .name = "Image" };

/* The page of version 1 has Load only; files of that version have all four. */
#define IMAGE(from, to, its_fields)					\
	KERNEL_TYPE(image, 10, from, to, "Load", its_fields),		\
	KERNEL_TYPE(image, 2, from, to, "UnLoad", its_fields),		\
	KERNEL_TYPE(image, 3, from, to, "DCStart", its_fields),		\
	KERNEL_TYPE(image, 4, from, to, "DCEnd", its_fields)

static const struct etw_kernel_type image_types[] = {
	IMAGE(0, 0, image_v0), IMAGE(1, 1, image_v1), IMAGE(2, 2, image_v2), IMAGE(3, 255, image_v3),
	KERNEL_TYPE(image, 33, 2, 255, "KernelBase", image_base),
	KERNEL_TYPE(image, 34, 2, 255, "HypercallPage", hypercall_page),
	KERNEL_BARE(image, 128, 2, 255, "LoaderLockAttempt"),
	KERNEL_BARE(image, 129, 2, 255, "LoaderLockAcquire"),
	KERNEL_BARE(image, 130, 2, 255, "LoaderLockTriedAndFailed"),
	KERNEL_BARE(image, 131, 2, 255, "LoaderLockWait"),
	KERNEL_BARE(image, 132, 2, 255, "ProcessInitDone"),
	KERNEL_BARE(image, 133, 2, 255, "CreateSectionBegin"),
	KERNEL_BARE(image, 134, 2, 255, "CreateSectionEnd"),
	KERNEL_BARE(image, 135, 2, 255, "MapViewBegin"),
	KERNEL_TYPE(image, 144, 2, 255, "RelocateImageBegin", loader_base),
	KERNEL_TYPE(image, 145, 2, 255, "RelocateImageEnd", loader_base),
	KERNEL_TYPE(image, 146, 2, 255, "HandleOldDescsBegin", loader_base),
	KERNEL_TYPE(image, 147, 2, 255, "HandleOldDescsEnd", loader_base),
	KERNEL_TYPE(image, 148, 2, 255, "HandleNewDescsBegin", loader_base),
	KERNEL_TYPE(image, 149, 2, 255, "HandleNewDescsEnd", loader_base),
	KERNEL_TYPE(image, 150, 2, 255, "DllMainExit", loader_base),
	KERNEL_TYPE(image, 160, 2, 255, "FindDllByName", loader_coded),
	KERNEL_TYPE(image, 161, 2, 255, "MapViewEnd", loader_coded),
	KERNEL_TYPE(image, 162, 2, 255, "LoaderLockRelease", loader_coded),
	KERNEL_TYPE(image, 163, 2, 255, "DllMainEnter", loader_coded),
	KERNEL_TYPE(image, 164, 2, 255, "LoaderError", loader_coded),
	KERNEL_TYPE(image, 165, 2, 255, "MapViewStart", loader_coded),
	KERNEL_TYPE(image, 166, 2, 255, "SnappingStart", loader_coded),
	KERNEL_TYPE(image, 167, 2, 255, "SnappingEnd", loader_coded),
	KERNEL_TYPE(image, 168, 2, 255, "LoadingStart", loader_coded),
	KERNEL_TYPE(image, 169, 2, 255, "LoadingEnd", loader_coded),
	KERNEL_TYPE(image, 170, 2, 255, "FoundKnownDll", loader_coded),
	KERNEL_TYPE(image, 171, 2, 255, "AbnormalTermination", loader_coded),
	KERNEL_TYPE(image, 172, 2, 255, "ModulePlaceHolder", loader_coded),
	KERNEL_TYPE(image, 173, 2, 255, "ReadyToInit", loader_coded),
	KERNEL_TYPE(image, 174, 2, 255, "ReadyToRun", loader_coded),
	KERNEL_TYPE(image, 176, 2, 255, "NewDllLoad", loader_new),
	KERNEL_TYPE(image, 177, 2, 255, "NewDllLoadAsData", loader_new),
	KERNEL_TYPE(image, 192, 2, 255, "DllSearchPathExternal", loader_path),
	KERNEL_TYPE(image, 193, 2, 255, "DllSearchPathInternal", loader_path),
	KERNEL_TYPE(image, 208, 2, 255, "ApiSetResolving", loader_coded),
	KERNEL_TYPE(image, 209, 2, 255, "ApiSetHosted", loader_coded),
	KERNEL_TYPE(image, 210, 2, 255, "ApiSetUnhosted", loader_coded),
	KERNEL_TYPE(image, 211, 2, 255, "ApiSetUnresolved", loader_coded),
	KERNEL_TYPE(image, 212, 2, 255, "DllSearchResults", loader_search),
	KERNEL_TYPE(image, 213, 2, 255, "DllPathSearchResults", loader_search_path),
};

const struct etw_kernel_class etw_kernel_image = {
	{ 0x2cb15d1d, 0x5fc1, 0x11d2, { 0xab, 0xe1, 0x00, 0xa0, 0xc9, 0x11, 0xf5, 0x18 } },
	image_types, KERNEL_COUNT(image_types), NULL
};

/* ---------------------------------------------------------- added while merging */

KERNEL_TEMPLATE(id_info,
	POINTER("ImageBase"), SIZE_T("ImageSize"), U32("ProcessId"), U32("TimeDateStamp"),
	TEXT16("OriginalFileName"));
KERNEL_TEMPLATE(id_none, POINTER("ImageBase"), U32("ProcessId"));
KERNEL_TEMPLATE(id_debug,
	POINTER("ImageBase"), U32("ProcessId"), UUID("GuidSig"), U32("Age"), TEXT8("PdbFileName"));
KERNEL_TEMPLATE(id_portable,
	POINTER("ImageBase"), U32("ProcessId"), U32("TimeDateStamp"), U16("MajorVersion"),
	U16("MinorVersion"));
KERNEL_TEMPLATE(id_version,
	U32("ImageSize"), U32("TimeDateStamp"), TEXT16("OrigFileName"), TEXT16("FileDescription"),
	TEXT16("FileVersion"), TEXT16("BinFileVersion"), TEXT16("VerLanguage"),
	TEXT16("ProductName"), TEXT16("CompanyName"), TEXT16("ProductVersion"), TEXT16("FileId"),
	TEXT16("ProgramId"));

static const struct etw_mf_task image_id = { .name = "ImageId" };

static const struct etw_kernel_type image_id_types[] = {
	KERNEL_TYPE(image_id, 0, 0, 255, "Info", id_info),
	KERNEL_TYPE(image_id, 32, 0, 255, "None", id_none),
	KERNEL_TYPE(image_id, 36, 0, 255, "DbgID_RSDS", id_debug),
	KERNEL_TYPE(image_id, 37, 0, 255, "DbgID_ILRSDS", id_debug),
	KERNEL_TYPE(image_id, 38, 0, 255, "DbgPPDB", id_portable),
	KERNEL_TYPE(image_id, 40, 0, 255, "DbgDeterm", id_none),
	KERNEL_TYPE(image_id, 64, 0, 255, "FileVersion", id_version),
};

static const struct etw_mf_provider trace_control = {
	.name = "KernelTraceControl",
	.guid = { 0x28ad2447, 0x105b, 0x4fe2,
		  { 0x95, 0x99, 0xe5, 0x9b, 0x2a, 0xa9, 0xa6, 0x34 } },
};

const struct etw_kernel_class etw_kernel_image_id = {
	{ 0xb3e675d7, 0x2554, 0x4f18, { 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde } },
	image_id_types, KERNEL_COUNT(image_id_types), &trace_control
};

KERNEL_TEMPLATE(build_info, FILE_TIME("InstallDate"), TEXT16("BuildLab"), TEXT16("ProductName"));
KERNEL_TEMPLATE(system_paths, TEXT16("SystemDirectory"), TEXT16("SystemWindowsDirectory"));
KERNEL_TEMPLATE(unknown_volume, TEXT16("NtPath"));
KERNEL_TEMPLATE(volume_mapping, TEXT16("NtPath"), TEXT16("DosPath"));

static const struct etw_mf_task config_ex = { .name = "SystemConfigEx" };

static const struct etw_kernel_type config_ex_types[] = {
	KERNEL_TYPE(config_ex, 32, 0, 255, "BuildInfo", build_info),
	KERNEL_TYPE(config_ex, 33, 0, 255, "SystemPaths", system_paths),
	KERNEL_TYPE(config_ex, 34, 0, 255, "UnknownVolume", unknown_volume),
	KERNEL_TYPE(config_ex, 35, 0, 255, "VolumeMapping", volume_mapping),
};

const struct etw_kernel_class etw_kernel_config_ex = {
	{ 0x9b79ee91, 0xb5fd, 0x41c0, { 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 } },
	config_ex_types, KERNEL_COUNT(config_ex_types), &trace_control
};
