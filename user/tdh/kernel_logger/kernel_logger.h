/* SPDX-License-Identifier: MIT */
/*
 * kernel_logger.h - schemas of the classes of Windows' kernel logger
 *
 * Internal to the library. The tables hold facts of Microsoft's MOF classes, by class
 * version: the pages that "Event Tracing MOF Classes" lists, and wmicore.mof of the WDK,
 * which also has the classes since Windows 8 and prevails, since Windows' own tools take
 * the names from it. A newer event may have bytes after the known fields; these are
 * returned as the rest.
 */
#ifndef ETW_TDH_KERNEL_LOGGER_KERNEL_LOGGER_H
#define ETW_TDH_KERNEL_LOGGER_KERNEL_LOGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tdh/model/model.h"

#define KERNEL_COUNT(a)	(sizeof(a) / sizeof((a)[0]))

#define KERNEL_FIELD(what, in, out) \
	{ .name = what, .in_type = TDH_INTYPE_##in, .out_type = TDH_OUTTYPE_##out, .count = 1 }
#define KERNEL_SIZED(what, in, out, units) \
	{ .name = what, .in_type = TDH_INTYPE_##in, .out_type = TDH_OUTTYPE_##out, .count = 1, \
	  .flags = ETW_MF_LENGTH_FIXED, .length = (units) }

#define U8(what)	KERNEL_FIELD(what, UINT8, UNSIGNEDBYTE)
#define U16(what)	KERNEL_FIELD(what, UINT16, UNSIGNEDSHORT)
#define U32(what)	KERNEL_FIELD(what, UINT32, UNSIGNEDINT)
#define U64(what)	KERNEL_FIELD(what, UINT64, UNSIGNEDLONG)
#define S8(what)	KERNEL_FIELD(what, INT8, BYTE)
#define S16(what)	KERNEL_FIELD(what, INT16, SHORT)
#define S32(what)	KERNEL_FIELD(what, INT32, INT)
#define S64(what)	KERNEL_FIELD(what, INT64, LONG)
#define X8(what)		KERNEL_FIELD(what, UINT8, HEXINT8)
#define X16(what)	KERNEL_FIELD(what, UINT16, HEXINT16)
#define X32(what)	KERNEL_FIELD(what, HEXINT32, HEXINT32)
#define X64(what)	KERNEL_FIELD(what, HEXINT64, HEXINT64)
#define POINTER(what)	KERNEL_FIELD(what, POINTER, HEXINT64)
#define SIZE_T(what)	KERNEL_FIELD(what, SIZET, HEXINT64)
#define SID(what)	KERNEL_FIELD(what, WBEMSID, STRING)
#define TEXT8(what)	KERNEL_FIELD(what, ANSISTRING, STRING)
#define TEXT16(what)	KERNEL_FIELD(what, UNICODESTRING, STRING)
#define CHARS16(what, n)	KERNEL_SIZED(what, UNICODESTRING, STRING, n)
#define IPV4(what)	KERNEL_FIELD(what, UINT32, IPV4)
#define IPV6(what)	KERNEL_SIZED(what, BINARY, IPV6, 16)
#define PORT(what)	KERNEL_FIELD(what, UINT16, PORT)
#define FILE_TIME(what)	KERNEL_FIELD(what, FILETIME, DATETIME)
#define BOOL8(what)	KERNEL_FIELD(what, UINT8, BOOLEAN)
#define UUID(what)	KERNEL_FIELD(what, GUID, GUID)
/* n elements; as many as the field of that index says */
#define KERNEL_ARRAY(what, in, out, n) \
	{ .name = what, .in_type = TDH_INTYPE_##in, .out_type = TDH_OUTTYPE_##out, \
	  .flags = ETW_MF_COUNT_FIXED, .count = (n) }
#define KERNEL_COUNTED(what, in, out, index) \
	{ .name = what, .in_type = TDH_INTYPE_##in, .out_type = TDH_OUTTYPE_##out, \
	  .flags = ETW_MF_COUNT_FIELD, .count = (index) }

/* The fields of an event, as a template of that name. */
#define KERNEL_TEMPLATE(of_name, ...)						\
	static const struct etw_mf_field of_name##_fields[] = { __VA_ARGS__ };	\
	static const struct etw_mf_template of_name = {				\
		.id = "", .fields = of_name##_fields,				\
		.count = KERNEL_COUNT(of_name##_fields),			\
		.top = KERNEL_COUNT(of_name##_fields),				\
	}

/* The events of one type (an opcode) in the versions first to last of their class. */
struct etw_kernel_type {
	uint8_t type, first, last;
	struct etw_mf_event event;
};

struct etw_kernel_class {
	GUID guid;
	const struct etw_kernel_type *types;
	size_t count;
	const struct etw_mf_provider *provider;	/* NULL: the kernel, MSNT_SystemTrace */
};

/* its_task: the class, a struct etw_mf_task. */
#define KERNEL_TYPE(its_task, of_type, from, to, called, its_fields)		\
	{									\
		.type = (of_type), .first = (from), .last = (to),		\
		.event = {							\
			.task = &(its_task), .template = &(its_fields),		\
			.opcode = &(const struct etw_mf_named){			\
				.name = (called), .value = (of_type) },		\
		},								\
	}

/* The same for an event without fields. */
#define KERNEL_BARE(its_task, of_type, from, to, called)			\
	{									\
		.type = (of_type), .first = (from), .last = (to),		\
		.event = {							\
			.task = &(its_task),					\
			.opcode = &(const struct etw_mf_named){			\
				.name = (called), .value = (of_type) },		\
		},								\
	}

/* Most of the classes' GUIDs differ only in their first word. */
#define KERNEL_GUID(d1) \
	{ d1, 0xfe05, 0x11d0, { 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c } }

/* Classes, each of several events */
extern const struct etw_kernel_class etw_kernel_process, etw_kernel_thread, etw_kernel_image;
extern const struct etw_kernel_class etw_kernel_disk, etw_kernel_file, etw_kernel_split;
extern const struct etw_kernel_class etw_kernel_fault, etw_kernel_pool, etw_kernel_registry;
extern const struct etw_kernel_class etw_kernel_tcp, etw_kernel_udp;
extern const struct etw_kernel_class etw_kernel_perf, etw_kernel_stack_walk, etw_kernel_power;
extern const struct etw_kernel_class etw_kernel_object, etw_kernel_alpc, etw_kernel_debugger;
extern const struct etw_kernel_class etw_kernel_config;
/* User-mode classes that a kernel session records, and those that merging tools add */
extern const struct etw_kernel_class etw_kernel_heap, etw_kernel_critical_section;
extern const struct etw_kernel_class etw_kernel_thread_pool, etw_kernel_notification;
extern const struct etw_kernel_class etw_kernel_mmcss;
extern const struct etw_kernel_class etw_kernel_image_id, etw_kernel_config_ex;

extern const struct etw_kernel_class *const etw_kernel_classes[];
extern const size_t etw_kernel_class_count;

/* The GUID and the type of the events that hold the stack of another event */
extern const GUID etw_kernel_stack_guid;
#define ETW_KERNEL_STACK_TYPE	32
#define ETW_KERNEL_STACK_HEAD	16	/* bytes before the addresses */

/*
 * Events with n return addresses, from 1 to 192; NULL: n is neither. The first is a
 * stack, the second a stack by its key, of one of the types 34 to 36.
 */
const struct etw_mf_event *etw_kernel_stack(size_t n);
const struct etw_mf_event *etw_kernel_stack_key(uint8_t type, size_t n);

/*
 * What distinguishes events of the same class, version and type: the number of
 * addresses in a stack; 0 for other events.
 */
uint16_t etw_kernel_variant(const EVENT_RECORD *record);

/* The event of a classic record of the kernel logger, static; NULL: unknown. */
const struct etw_mf_event *etw_kernel_find(const EVENT_RECORD *record, uint16_t variant,
					   const struct etw_mf_provider **provider);

/*
 * The version that an event's layout has: usually its own. Partition records are of
 * version 2 in the header, and state their own version in the payload.
 */
#define ETW_PARTITION_TYPE	80
uint8_t etw_classic_version(const EVENT_RECORD *record);

/* May the class be one of the events about the trace itself? These need no mark as classic. */
bool etw_classic_is_own(const GUID *guid);

/* A static event by its class, type and version; NULL: the tables lack it. */
const struct etw_mf_event *etw_classic_find(const GUID *guid, uint8_t type, uint8_t version,
					    const struct etw_mf_provider **provider);

#endif /* ETW_TDH_KERNEL_LOGGER_KERNEL_LOGGER_H */
