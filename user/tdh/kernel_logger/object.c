/* SPDX-License-Identifier: MIT */
/*
 * object.c - handles, objects, local calls and debug output of Windows' kernel logger
 *
 * Sources: Microsoft's pages "ALPC class" and those of its events, whose strings have 8 bits
 * where no format says otherwise, as TraceEvent reads them; wmicore.mof of the WDK for
 * Object and Debugger.
 */
#include "kernel_logger.h"

KERNEL_TEMPLATE(handle,
	POINTER("Object"), X32("Handle"), U16("ObjectType"), TEXT16("ObjectName"));
KERNEL_TEMPLATE(handle_duplicate,
	POINTER("Object"), X32("SourceHandle"), X32("TargetHandle"), X32("TargetProcessId"),
	U16("ObjectType"));
KERNEL_TEMPLATE(object_type, U16("ObjectType"), U16("Reserved"), TEXT16("TypeName"));
KERNEL_TEMPLATE(handle_rundown,
	POINTER("Object"), X32("ProcessId"), X32("Handle"), U16("ObjectType"),
	TEXT16("ObjectName"));
KERNEL_TEMPLATE(object_life, POINTER("Object"), U16("ObjectType"));
KERNEL_TEMPLATE(object_reference, POINTER("Object"), X32("Tag"), U32("Count"));

static const struct etw_mf_task object = { .name = "Object" };

static const struct etw_kernel_type object_types[] = {
	KERNEL_TYPE(object, 32, 0, 255, "CreateHandle", handle),
	KERNEL_TYPE(object, 33, 0, 255, "CloseHandle", handle),
	KERNEL_TYPE(object, 34, 0, 255, "DuplicateHandle", handle_duplicate),
	KERNEL_TYPE(object, 36, 0, 255, "TypeDCStart", object_type),
	KERNEL_TYPE(object, 37, 0, 255, "TypeDCEnd", object_type),
	KERNEL_TYPE(object, 38, 0, 255, "HandleDCStart", handle_rundown),
	KERNEL_TYPE(object, 39, 0, 255, "HandleDCEnd", handle_rundown),
	KERNEL_TYPE(object, 48, 0, 255, "CreateObject", object_life),
	KERNEL_TYPE(object, 49, 0, 255, "DeleteObject", object_life),
	KERNEL_TYPE(object, 50, 0, 255, "ReferenceObject", object_reference),
	KERNEL_TYPE(object, 51, 0, 255, "DereferenceObject", object_reference),
};

const struct etw_kernel_class etw_kernel_object = {
	{ 0x89497f50, 0xeffe, 0x4440, { 0x8c, 0xf2, 0xce, 0x6b, 0x1c, 0xdc, 0xac, 0xa7 } },
	object_types, KERNEL_COUNT(object_types), NULL
};

KERNEL_TEMPLATE(alpc_message, U32("MessageID"));
KERNEL_TEMPLATE(alpc_wait, U32("IsServerPort"), TEXT8("PortName"));
KERNEL_TEMPLATE(alpc_unwait, U32("Status"));

static const struct etw_mf_task alpc = { .name = "ALPC" };

static const struct etw_kernel_type alpc_types[] = {
	KERNEL_TYPE(alpc, 33, 0, 255, "ALPC-Send-Message", alpc_message),
	KERNEL_TYPE(alpc, 34, 0, 255, "ALPC-Receive-Message", alpc_message),
	KERNEL_TYPE(alpc, 35, 0, 255, "ALPC-Wait-For-Reply", alpc_message),
	KERNEL_TYPE(alpc, 36, 0, 255, "ALPC-Wait-For-New-Message", alpc_wait),
	KERNEL_TYPE(alpc, 37, 0, 255, "ALPC-Unwait", alpc_unwait),
};

const struct etw_kernel_class etw_kernel_alpc = {
	{ 0x45d8cccd, 0x539f, 0x4b72, { 0xa8, 0xb7, 0x5c, 0x68, 0x31, 0x42, 0x60, 0x9a } },
	alpc_types, KERNEL_COUNT(alpc_types), NULL
};

KERNEL_TEMPLATE(debug_print, U32("Component"), U32("Level"), TEXT8("Message"));

static const struct etw_mf_task debugger = { .name = "Debugger" };

static const struct etw_kernel_type debugger_types[] = {
	KERNEL_TYPE(debugger, 32, 0, 255, "DebugPrint", debug_print),
};

const struct etw_kernel_class etw_kernel_debugger = {
	{ 0x13976d09, 0xa327, 0x438c, { 0x95, 0x0b, 0x7f, 0x03, 0x19, 0x28, 0x15, 0xc7 } },
	debugger_types, KERNEL_COUNT(debugger_types), NULL
};
