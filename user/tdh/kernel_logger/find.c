/* SPDX-License-Identifier: MIT */
/*
 * find.c - find the schema of an event of Windows' kernel logger
 */
#include <string.h>

#include "kernel_logger.h"

const struct etw_kernel_class *const etw_kernel_classes[] = {
	&etw_kernel_thread, &etw_kernel_perf, &etw_kernel_stack_walk, &etw_kernel_file,
	&etw_kernel_fault, &etw_kernel_disk, &etw_kernel_process, &etw_kernel_image,
	&etw_kernel_registry, &etw_kernel_tcp, &etw_kernel_udp, &etw_kernel_object,
	&etw_kernel_heap, &etw_kernel_pool, &etw_kernel_thread_pool, &etw_kernel_alpc,
	&etw_kernel_critical_section, &etw_kernel_split, &etw_kernel_power,
	&etw_kernel_notification, &etw_kernel_mmcss, &etw_kernel_debugger, &etw_kernel_config,
	&etw_kernel_image_id, &etw_kernel_config_ex,
};

const size_t etw_kernel_class_count = KERNEL_COUNT(etw_kernel_classes);

static const struct etw_kernel_class *class_of(const GUID *guid)
{
	size_t i;

	for (i = 0; i < etw_kernel_class_count; i++)
		if (guid->Data1 == etw_kernel_classes[i]->guid.Data1 &&
		    !memcmp(guid, &etw_kernel_classes[i]->guid, sizeof(*guid)))
			return etw_kernel_classes[i];
	return NULL;
}

static bool is_key(uint8_t type)
{
	return type >= 34 && type <= 36;
}

uint16_t etw_kernel_variant(const EVENT_RECORD *record)
{
	const EVENT_HEADER *header = &record->EventHeader;
	size_t pointer = header->Flags & EVENT_HEADER_FLAG_32_BIT_HEADER ? 4 : 8, head;
	uint8_t type = header->EventDescriptor.Opcode;

	if (header->ProviderId.Data1 != etw_kernel_stack_guid.Data1)
		return 0;
	if (type == ETW_KERNEL_STACK_TYPE)
		head = ETW_KERNEL_STACK_HEAD;
	else if (is_key(type))
		head = pointer;
	else
		return 0;
	return record->UserDataLength < head ? 0 :
		(uint16_t)((record->UserDataLength - head) / pointer);
}

const struct etw_mf_event *etw_kernel_find(const EVENT_RECORD *record, uint16_t variant,
					   const struct etw_mf_provider **provider)
{
	const EVENT_DESCRIPTOR *desc = &record->EventHeader.EventDescriptor;
	const struct etw_kernel_class *class = class_of(&record->EventHeader.ProviderId);
	size_t i;

	if (class && class->provider)
		*provider = class->provider;
	if (class == &etw_kernel_stack_walk && desc->Opcode == ETW_KERNEL_STACK_TYPE)
		return etw_kernel_stack(variant);
	if (class == &etw_kernel_stack_walk && is_key(desc->Opcode))
		return etw_kernel_stack_key(desc->Opcode, variant);
	for (i = 0; class && i < class->count; i++) {
		const struct etw_kernel_type *type = &class->types[i];

		if (type->type == desc->Opcode && type->first <= desc->Version &&
		    desc->Version <= type->last)
			return &type->event;
	}
	return NULL;
}
