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

/* ---------------------------------------------------------- the size of pointers */

/* Bytes of a NUL-terminated text with units of that size; more than left: not terminated. */
static size_t text_size(const uint8_t *p, size_t left, size_t unit)
{
	size_t i;

	for (i = 0; i + unit <= left; i += unit)
		if (!p[i] && !p[i + unit - 1])
			return i + unit;
	return left + 1;
}

#define SID_HEAD	8	/* bytes before the sub-authorities */
#define SID_PARTS	15	/* sub-authorities at most */

/*
 * No user is four zero bytes. Some writers write zeros in place of the pointers: then a
 * SID follows, with a form that no text has.
 */
bool etw_classic_has_sid(const uint8_t *p, size_t left, unsigned int pointer_size)
{
	static const uint8_t zero[2 * 8];
	const size_t head = 2 * pointer_size;
	const uint8_t *sid = p + head;

	if (left < 4 || memcmp(p, zero, 4))
		return true;
	return left >= head + SID_HEAD && !memcmp(p, zero, head) && sid[0] == 1 &&
	       sid[1] && sid[1] <= SID_PARTS && !memcmp(sid + 2, zero, 4);
}

/* TOKEN_USER, which is two pointers, and a SID; or 32 bits of 0. */
static size_t sid_size(const uint8_t *p, size_t left, size_t pointer)
{
	if (!etw_classic_has_sid(p, left, (unsigned int)pointer))
		return 4;
	if (left < 2 * pointer + 8 || p[2 * pointer] != 1)
		return left + 1;
	return 2 * pointer + 8 + 4u * p[2 * pointer + 1];
}

/* The size of one field; 0: a type that does not occur in these tables here. */
static size_t field_size(const struct etw_mf_field *field, const uint8_t *p, size_t left,
			 size_t pointer)
{
	switch (field->in_type) {
	case TDH_INTYPE_INT32:
	case TDH_INTYPE_UINT32:
	case TDH_INTYPE_HEXINT32:
		return 4;
	case TDH_INTYPE_POINTER:
	case TDH_INTYPE_SIZET:
		return pointer;
	case TDH_INTYPE_WBEMSID:
		return sid_size(p, left, pointer);
	case TDH_INTYPE_ANSISTRING:
		return text_size(p, left, 1);
	case TDH_INTYPE_UNICODESTRING:
		return text_size(p, left, 2);
	default:
		return 0;
	}
}

static bool fits(const struct etw_mf_template *template, const EVENT_RECORD *record,
		 size_t pointer)
{
	const uint8_t *p = record->UserData;
	size_t left = record->UserDataLength, size;
	unsigned int i;

	for (i = 0; i < template->count; i++) {
		size = field_size(&template->fields[i], p, left, pointer);
		if (!size || size > left)
			return false;
		p += size;
		left -= size;
	}
	return !left;
}

unsigned int etw_kernel_pointer(const struct etw_mf_event *event, const EVENT_RECORD *record,
				unsigned int own)
{
	const struct etw_mf_template *template = event->template;
	unsigned int other = own == 4 ? 8 : 4, i;

	/* Only if a match cannot be accidental: a SID is recognised by its form. */
	for (i = 0; i < template->count; i++)
		if (template->fields[i].in_type == TDH_INTYPE_WBEMSID)
			break;
	if (i == template->count || !record->UserData || fits(template, record, own))
		return own;
	return fits(template, record, other) ? other : own;
}

/* ----------------------------------------------------------------------- finding */

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
