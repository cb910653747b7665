/* SPDX-License-Identifier: MIT */
/*
 * find.c - find the schema of an event of Windows' kernel logger
 */
#include <string.h>

#include "kernel_logger.h"

static const GUID stack_class = {
	0xdef2fe46, 0x7bd6, 0x4b80, { 0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d, 0x0c, 0xe3 }
};

#define STACK_TYPE	32
#define STACK_HEAD	16	/* bytes before the addresses */

static const struct etw_kernel_class *const classes[] = {
	&etw_kernel_thread, &etw_kernel_perf, &etw_kernel_file, &etw_kernel_fault,
	&etw_kernel_disk, &etw_kernel_process, &etw_kernel_image, &etw_kernel_registry,
	&etw_kernel_tcp, &etw_kernel_udp, &etw_kernel_split, &etw_kernel_config,
};

static const struct etw_kernel_class *class_of(const GUID *guid)
{
	size_t i;

	for (i = 0; i < KERNEL_COUNT(classes); i++)
		if (guid->Data1 == classes[i]->guid.Data1 &&
		    !memcmp(guid, &classes[i]->guid, sizeof(*guid)))
			return classes[i];
	return NULL;
}

static const struct etw_mf_event *find_stack(const EVENT_RECORD *record, uint16_t *variant)
{
	size_t pointer = record->EventHeader.Flags & EVENT_HEADER_FLAG_32_BIT_HEADER ? 4 : 8;
	size_t size = record->UserDataLength;

	if (record->EventHeader.EventDescriptor.Opcode != STACK_TYPE || size < STACK_HEAD)
		return NULL;
	*variant = (uint16_t)((size - STACK_HEAD) / pointer);
	return etw_kernel_stack(*variant);
}

const struct etw_mf_event *etw_kernel_find(const EVENT_RECORD *record, uint16_t *variant)
{
	const EVENT_DESCRIPTOR *desc = &record->EventHeader.EventDescriptor;
	const GUID *guid = &record->EventHeader.ProviderId;
	const struct etw_kernel_class *class;
	size_t i;

	*variant = 0;
	if (guid->Data1 == stack_class.Data1 && !memcmp(guid, &stack_class, sizeof(*guid)))
		return find_stack(record, variant);
	class = class_of(guid);
	for (i = 0; class && i < class->count; i++) {
		const struct etw_kernel_type *type = &class->types[i];

		if (type->type == desc->Opcode && type->first <= desc->Version &&
		    desc->Version <= type->last)
			return &type->event;
	}
	return NULL;
}
