/* SPDX-License-Identifier: MIT */
/*
 * format.c - format a value as text: TdhFormatProperty()
 */
#include <string.h>

#include "use.h"
#include "base/text.h"
#include "base/utf.h"

/* ---------------------------------------------------------------------- maps */

/* Add the name of an entry, without its trailing blank. */
static void add_name(struct etw_text *text, PEVENT_MAP_INFO map, PEVENT_MAP_ENTRY entry)
{
	const WCHAR *name = EMI_MAP_OUTPUT(map, entry);
	size_t len = name ? etw_utf16_len(name, SIZE_MAX) : 0;

	if (len && name[len - 1] == ' ')
		len--;
	etw_text_utf16(text, name, len * sizeof(*name));
}

static bool add_value(struct etw_text *text, PEVENT_MAP_INFO map, ULONG value)
{
	ULONG i;

	for (i = 0; i < map->EntryCount; i++) {
		if (map->MapEntryArray[i].Value == value) {
			add_name(text, map, &map->MapEntryArray[i]);
			return true;
		}
	}
	return false;
}

/* Add the names of several bits that are all set, in the map's order. Returns the other bits. */
static ULONG add_groups(struct etw_text *text, PEVENT_MAP_INFO map, ULONG value)
{
	ULONG i, group;

	for (i = 0; i < map->EntryCount; i++) {
		group = map->MapEntryArray[i].Value;
		if (!(group & (group - 1)) || (value & group) != group)
			continue;
		if (text->len)
			etw_text_char(text, '|');
		add_name(text, map, &map->MapEntryArray[i]);
		value &= ~group;
	}
	return value;
}

/* Add what names the whole value, or groups of bits and then the others, the lowest first. */
static bool add_bits(struct etw_text *text, PEVENT_MAP_INFO map, ULONG value)
{
	ULONG bit;

	if (add_value(text, map, value))
		return true;
	if (!value)
		return false;
	value = add_groups(text, map, value);
	for (bit = 1; bit; bit <<= 1) {
		if (!(value & bit))
			continue;
		if (text->len)
			etw_text_char(text, '|');
		if (!add_value(text, map, bit))
			return false;
	}
	return true;
}

/* Maps have values of 32 bits. *value: those of the field; false: it needs more. */
static bool take_value(const struct etw_field *field, ULONG *value)
{
	const uint8_t *p = field->data;
	uint64_t all = 0;
	size_t i;

	if (field->size > sizeof(all))
		return false;
	for (i = 0; i < field->size; i++)
		all |= (uint64_t)p[i] << 8 * i;
	*value = (ULONG)all;
	return all <= UINT32_MAX || (field->value_kind == ETW_VALUE_SIGNED &&
				     (int64_t)all == (int32_t)all);
}

/* false: the map has no name for it. */
static bool add_mapped(struct etw_text *text, PEVENT_MAP_INFO map, const struct etw_field *field)
{
	const ULONG bits = EVENTMAP_INFO_FLAG_MANIFEST_BITMAP | EVENTMAP_INFO_FLAG_WBEM_BITMAP |
			   EVENTMAP_INFO_FLAG_WBEM_FLAG;
	ULONG value;

	if (map->Flag & EVENTMAP_INFO_FLAG_MANIFEST_PATTERNMAP || !take_value(field, &value))
		return false;
	return (map->Flag & bits ? add_bits : add_value)(text, map, value);
}

/* ---------------------------------------------------------------------- values */

static bool is_sized(USHORT in_type)
{
	return in_type == TDH_INTYPE_UNICODESTRING || in_type == TDH_INTYPE_ANSISTRING ||
	       in_type == TDH_INTYPE_BINARY;
}

struct request {
	PEVENT_MAP_INFO map;
	ULONG pointer_size;
	USHORT in_type, out_type, length;
	const void *data;
	USHORT size;
};

/* Binary data may be empty; a string without a length has a NUL, or is the event's last. */
static ULONG take(const struct request *r, struct etw_field *field)
{
	struct etw_value_type type = {
		.in_type = r->in_type, .out_type = r->out_type, .length = r->length,
		.pointer_size = (uint8_t)r->pointer_size,
	};

	if ((!r->data && r->size) || (r->pointer_size != 4 && r->pointer_size != 8))
		return ERROR_INVALID_PARAMETER;
	if (r->in_type == TDH_INTYPE_BINARY && r->out_type == TDH_OUTTYPE_IPV6 && !r->length)
		type.length = 16;
	type.has_length = is_sized(r->in_type) &&
			  (type.length || r->in_type == TDH_INTYPE_BINARY);
	return etw_tdh_error(etw_value_take(field, &type, r->data ? r->data : "", r->size));
}

static void format_string(struct etw_text *text, const struct etw_field *field)
{
	if (etw_utf8_valid(field->data, field->size))
		etw_text_add(text, field->data, field->size);
	else if (etw_utf8_has_wide(field->data, field->size))
		etw_text_utf8(text, field->data, field->size);
	else
		etw_text_cp1252(text, field->data, field->size, ETW_TEXT_RAW);
}

/*
 * Format as UTF-8; the caller handles UTF-16 strings. GUIDs have braces and bytes 0x,
 * as on Windows.
 */
static void format(struct etw_text *text, const struct etw_field *field)
{
	switch (field->value_kind) {
	case ETW_VALUE_STRING8:
		format_string(text, field);
		break;
	case ETW_VALUE_GUID:
		etw_text_char(text, '{');
		etw_format_value(text, field, ETW_FORMAT_RAW);
		etw_text_char(text, '}');
		break;
	case ETW_VALUE_BINARY:
		if (field->size)
			etw_text_puts(text, "0x");
		etw_text_hex(text, field->data, field->size);
		break;
	default:
		etw_format_value(text, field, ETW_FORMAT_RAW);
	}
}

/* Take the value and format it, except for UTF-16 strings, which stay in field. */
static ULONG make_text(const struct request *r, struct etw_field *field, struct etw_text *text)
{
	ULONG ret = take(r, field);

	if (ret)
		return ret;
	if (r->map) {
		if (!add_mapped(text, r->map, field))
			return ERROR_EVT_INVALID_EVENT_DATA;
		field->value_kind = ETW_VALUE_NONE;
	} else if (field->value_kind != ETW_VALUE_STRING16) {
		format(text, field);
	}
	return text->error ? ERROR_NOT_ENOUGH_MEMORY : ERROR_SUCCESS;
}

/* ------------------------------------------------------------- into the buffer */

/* Copy the bytes and add a NUL of unit bytes. */
static ULONG put_bytes(const void *data, size_t bytes, size_t unit, PULONG size, char *buffer)
{
	const ULONG room = *size;

	*size = (ULONG)(bytes + unit);
	if (room < *size)
		return ERROR_INSUFFICIENT_BUFFER;
	if (bytes)
		memcpy(buffer, data, bytes);
	memset(buffer + bytes, 0, unit);
	return ERROR_SUCCESS;
}

static ULONG put_as_16(const struct etw_text *text, PULONG size, PWCHAR buffer)
{
	const ULONG room = *size;
	ssize_t units = etw_utf8_to_utf16(text->data, text->len, NULL, 0);

	if (units < 0)
		return ERROR_EVT_INVALID_EVENT_DATA;
	*size = (ULONG)(((size_t)units + 1) * sizeof(WCHAR));
	if (room < *size)
		return ERROR_INSUFFICIENT_BUFFER;
	etw_utf8_to_utf16(text->data, text->len, buffer, (size_t)units);
	buffer[units] = 0;
	return ERROR_SUCCESS;
}

static ULONG put(const struct etw_field *field, struct etw_text *text, PULONG size, void *buffer,
		 bool wide)
{
	const bool units = field->value_kind == ETW_VALUE_STRING16;

	if (wide && units)
		return put_bytes(field->data, field->size & ~(size_t)1, sizeof(WCHAR), size, buffer);
	if (wide)
		return put_as_16(text, size, buffer);
	if (units)
		etw_text_utf16(text, field->data, field->size);
	return text->error ? ERROR_NOT_ENOUGH_MEMORY :
			     put_bytes(text->data, text->len, 1, size, buffer);
}

static ULONG format_property(const struct request *r, PTRACE_EVENT_INFO info, PULONG size,
			     void *buffer, PUSHORT consumed, bool wide)
{
	struct etw_text text = { .data = NULL };
	struct etw_field field;
	ULONG ret;

	if (!info || !size || (*size && !buffer) || !consumed)
		return ERROR_INVALID_PARAMETER;
	ret = make_text(r, &field, &text);
	if (!ret) {
		*consumed = (USHORT)field.length;
		ret = put(&field, &text, size, buffer, wide);
	}
	etw_text_free(&text);
	return ret;
}

TDHSTATUS TdhFormatProperty(PTRACE_EVENT_INFO EventInfo, PEVENT_MAP_INFO MapInfo,
			    ULONG PointerSize, USHORT PropertyInType, USHORT PropertyOutType,
			    USHORT PropertyLength, USHORT UserDataLength, PBYTE UserData,
			    PULONG BufferSize, PWCHAR Buffer, PUSHORT UserDataConsumed)
{
	const struct request r = { MapInfo, PointerSize, PropertyInType, PropertyOutType,
				   PropertyLength, UserData, UserDataLength };

	return format_property(&r, EventInfo, BufferSize, Buffer, UserDataConsumed, true);
}

TDHSTATUS TdhFormatPropertyA(PTRACE_EVENT_INFO EventInfo, PEVENT_MAP_INFO MapInfo,
			     ULONG PointerSize, USHORT PropertyInType, USHORT PropertyOutType,
			     USHORT PropertyLength, USHORT UserDataLength, PBYTE UserData,
			     PULONG BufferSize, PCHAR Buffer, PUSHORT UserDataConsumed)
{
	const struct request r = { MapInfo, PointerSize, PropertyInType, PropertyOutType,
				   PropertyLength, UserData, UserDataLength };

	return format_property(&r, EventInfo, BufferSize, Buffer, UserDataConsumed, false);
}
