/* SPDX-License-Identifier: MIT */
/*
 * record.h - records of every kind that a file may hold
 */
#ifndef ETW_ETL_RECORD_H
#define ETW_ETL_RECORD_H

#include <string.h>
#include <etw/format.h>

#include "core/classic.h"

/* Low byte of a record's type word; the high byte is 0xC0 */
#define ETW_ETL_SYSTEM32	1
#define ETW_ETL_SYSTEM64	2
#define ETW_ETL_COMPACT32	3
#define ETW_ETL_COMPACT64	4
#define ETW_ETL_FULL32		10
#define ETW_ETL_INSTANCE32	11
#define ETW_ETL_ERROR		13
#define ETW_ETL_MESSAGE		15
#define ETW_ETL_PERFINFO32	16
#define ETW_ETL_PERFINFO64	17
#define ETW_ETL_EVENT32		18
#define ETW_ETL_EVENT64		19
#define ETW_ETL_FULL64		20
#define ETW_ETL_INSTANCE64	21

/*
 * Like etw_record_any(), but also for the kernel logger's records (SYSTEM, COMPACT,
 * PERFINFO). They become events of the class of their hook id's group, with the type as
 * opcode and the hook id as desc.task. An unknown group has a zero GUID with the hook
 * id in its first word. Records of other types (ERROR, MESSAGE with the common marker)
 * become events without a provider, with all their bytes as payload.
 */
int etw_etl_record(const void *buf, uint32_t end, uint32_t *offset,
		   struct etw_record_view *view, struct etw_classic_view *classic);

/* Offsets of a record's fields; 0: it has none, except for size */
struct etw_etl_layout {
	uint8_t size, thread, process, time, times, provider, activity;
	uint8_t payload;	/* only of the kernel logger's records */
};

/* The layout of a record of at least 8 bytes. */
struct etw_etl_layout etw_etl_layout(const void *record);

/* Is it about the trace itself, or of the kernel logger? */
static inline bool etw_etl_is_system(const struct etw_event_header *header)
{
	return (header->type & 0xFF) == ETW_ETL_SYSTEM32 || (header->type & 0xFF) == ETW_ETL_SYSTEM64;
}

/* What a record counts as in the summaries of all commands */
enum etw_kind {
	ETW_KIND_EVENT,		/* of a provider */
	ETW_KIND_PROCESS,	/* of Etw-Process or Etw-Image, which name what the other events mean */
	ETW_KIND_MACHINE,	/* about the machine that the file was recorded on, see etw/format.h */
	ETW_KIND_TRACE,		/* about the trace: a file's header, a loss, a piece of a schema */
};

/* Did Etw-Process write it, in the kernel? */
static inline bool etw_kind_names_process(const struct etw_event_header *header)
{
	static const struct etw_guid guid = ETW_PROCESS_GUID;

	return !memcmp(&header->provider, &guid, sizeof(guid)) &&
	       header->flags & ETW_EVENT_KERNEL_MODE;
}

/* Did Etw-Image write it, in the kernel? */
static inline bool etw_kind_names_image(const struct etw_event_header *header)
{
	static const struct etw_guid guid = ETW_IMAGE_GUID;

	return !memcmp(&header->provider, &guid, sizeof(guid)) &&
	       header->flags & ETW_EVENT_KERNEL_MODE;
}

/* Does it describe the machine? Windows' own records of that are events. */
static inline bool etw_kind_is_machine(const struct etw_event_header *header)
{
	static const struct etw_guid guid = ETW_MACHINE_GUID;

	if (etw_etl_is_system(header))
		return header->desc.task >> 8 == ETW_CONFIG_GROUP &&
		       header->process_id == ETW_MACHINE_NOBODY &&
		       header->thread_id == ETW_CONFIG_THREAD;
	return !memcmp(&header->provider, &guid, sizeof(guid)) &&
	       (header->type == ETW_TYPE_EVENT64 || header->type == ETW_TYPE_EVENT32);
}

/* Has it the form of an RT_LostEvent record, which tells that something is missing before it? */
static inline bool etw_kind_is_lost_event(const struct etw_event_header *header)
{
	static const struct etw_guid guid = ETW_LOST_EVENT_GUID;

	return !memcmp(&header->provider, &guid, sizeof(guid)) && header->desc.opcode >= 32 &&
	       header->desc.opcode <= 34;
}

/* Is it a piece of an embedded schema? */
static inline bool etw_kind_is_schema(const struct etw_event_header *header)
{
	return (header->type == ETW_TYPE_EVENT64 || header->type == ETW_TYPE_EVENT32) &&
	       header->desc.id == 0xFFFE && header->desc.opcode == 0xFE &&
	       header->desc.task == 0xFFFE;
}

/*
 * Is it an event and none of the above, for sure? Most are, which this finds by the first words of
 * their providers. false: look at it.
 */
static inline bool etw_kind_is_common(const struct etw_event_header *header)
{
	static const struct etw_guid machine = ETW_MACHINE_GUID, process = ETW_PROCESS_GUID;
	static const struct etw_guid image = ETW_IMAGE_GUID, ledger = ETW_LEDGER_GUID;
	static const struct etw_guid lost = ETW_LOST_EVENT_GUID;
	const uint32_t first = header->provider.data1;

	return header->type == ETW_TYPE_EVENT64 && header->desc.id != 0xFFFE &&
	       first != machine.data1 && first != process.data1 && first != image.data1 &&
	       first != ledger.data1 && first != lost.data1;
}

/* What the record of no common event counts as */
enum etw_kind etw_kind_of_any(const struct etw_record_view *record);

static inline enum etw_kind etw_kind_of(const struct etw_record_view *record)
{
	return etw_kind_is_common(record->header) ? ETW_KIND_EVENT : etw_kind_of_any(record);
}

/* Is it a message of WPP? Its type with the common marker has an undocumented layout. */
static inline bool etw_etl_is_message(const void *record)
{
	uint16_t type;

	memcpy(&type, (const char *)record + 2, sizeof(type));
	return type == ETW_TYPE_MESSAGE;
}

/*
 * Is there a record of the kernel logger with this hook id, or one of the hook id's class
 * without any? Stops at one that makes no sense.
 */
bool etw_etl_has_hook(const void *buf, uint32_t offset, uint32_t end, uint16_t hook);

/* The class of a hook id; false: unknown, and *guid is made from the hook id. */
bool etw_etl_class(uint16_t hook, struct etw_guid *guid);

/* Was a record of this type written with 4-byte pointers? */
bool etw_etl_type_is_32(uint8_t type);

#endif /* ETW_ETL_RECORD_H */
