/* SPDX-License-Identifier: MIT */
/*
 * format_special.c - addresses, identities, times and codes as text
 *
 * Sources: Microsoft's pages "SID Components", "SYSTEMTIME structure", "sockaddr" and
 * "HRESULT"; RFC 5952 for IPv6.
 */
#include <arpa/inet.h>

#include "format.h"

/* Address families as Windows numbers them, and Linux where it does not */
#define FAMILY_UNIX	1
#define FAMILY_INET	2
#define FAMILY_INET6	23
#define FAMILY_INET6_LINUX	10

static unsigned int u16_at(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

static unsigned int be16_at(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static void put_ipv4(struct etw_text *text, const uint8_t *p)
{
	int i;

	for (i = 0; i < 4; i++) {
		if (i)
			etw_text_char(text, '.');
		etw_text_unsigned(text, p[i], 1);
	}
}

static void put_ipv6(struct etw_text *text, const uint8_t *p)
{
	char s[INET6_ADDRSTRLEN];

	if (inet_ntop(AF_INET6, p, s, sizeof(s)))
		etw_text_puts(text, s);
}

/* family, then port, flow, address, scope */
static void put_sockaddr6(struct etw_text *text, const uint8_t *p, size_t size)
{
	etw_text_char(text, '[');
	put_ipv6(text, p + 8);
	if (size >= 28 && u32_at(p + 24)) {
		etw_text_char(text, '%');
		etw_text_unsigned(text, u32_at(p + 24), 1);
	}
	etw_text_add(text, "]:", 2);
	etw_text_unsigned(text, be16_at(p + 2), 1);
}

static void put_sockaddr(struct etw_text *text, const uint8_t *p, size_t size)
{
	unsigned int family = size >= 2 ? u16_at(p) : 0;

	if (family == FAMILY_INET && size >= 8) {
		put_ipv4(text, p + 4);
		etw_text_char(text, ':');
		etw_text_unsigned(text, be16_at(p + 2), 1);
	} else if ((family == FAMILY_INET6 || family == FAMILY_INET6_LINUX) && size >= 24) {
		put_sockaddr6(text, p, size);
	} else if (family == FAMILY_UNIX) {
		etw_text_add(text, "unix:", 5);
		etw_text_escape(text, (const char *)p + 2,
				strnlen((const char *)p + 2, size - 2));
	} else {
		etw_text_hex(text, p, size);
	}
}

static void put_sid(struct etw_text *text, const uint8_t *p, size_t size)
{
	uint64_t authority = 0;
	size_t i;

	for (i = 2; i < 8; i++)
		authority = authority << 8 | p[i];
	etw_text_add(text, "S-", 2);
	etw_text_unsigned(text, p[0], 1);
	etw_text_char(text, '-');
	if (authority >> 32)
		etw_text_0x(text, authority);
	else
		etw_text_unsigned(text, authority, 1);
	for (i = 8; i + 4 <= size; i += 4) {
		etw_text_char(text, '-');
		etw_text_unsigned(text, u32_at(p + i), 1);
	}
}

/* Year, month, day of the week, day, hour, minute, second, millisecond */
static void put_systemtime(struct etw_text *text, const uint8_t *p, uint16_t out_type)
{
	static const struct {
		uint8_t at, digits;
		char before;
	} parts[] = {
		{ 0, 4, 0 }, { 2, 2, '-' }, { 6, 2, '-' }, { 8, 2, 'T' }, { 10, 2, ':' },
		{ 12, 2, ':' }, { 14, 3, '.' },
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].before)
			etw_text_char(text, parts[i].before);
		etw_text_unsigned(text, u16_at(p + parts[i].at), parts[i].digits);
	}
	if (out_type == TDH_OUTTYPE_DATETIME_UTC)
		etw_text_char(text, 'Z');
}

void etw_format_special(struct etw_text *text, const struct etw_field *field)
{
	const uint8_t *p = field->data;

	switch (field->value_kind) {
	case ETW_VALUE_GUID:
		etw_text_guid(text, p);
		break;
	case ETW_VALUE_TIME:
		etw_text_time(text, field->value.u);
		break;
	case ETW_VALUE_SYSTEMTIME:
		put_systemtime(text, p, field->out_type);
		break;
	case ETW_VALUE_SID:
		put_sid(text, p, field->size);
		break;
	case ETW_VALUE_IPV4:
		put_ipv4(text, p);
		break;
	case ETW_VALUE_IPV6:
		put_ipv6(text, p);
		break;
	case ETW_VALUE_SOCKADDR:
		put_sockaddr(text, p, field->size);
		break;
	default:
		etw_text_hex(text, p, field->size);
	}
}
