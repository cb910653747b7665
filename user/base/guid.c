/* SPDX-License-Identifier: MIT */
/*
 * guid.c - GUIDs as text
 */
#include <errno.h>
#include <string.h>

#include "guid.h"

/* Byte of struct etw_guid that each pair of digits is, as GUIDs are written; 16: a hyphen */
static const unsigned char order[] = {
	3, 2, 1, 0, 16, 5, 4, 16, 7, 6, 16, 8, 9, 16, 10, 11, 12, 13, 14, 15
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int etw_guid_parse(const char *text, struct etw_guid *guid)
{
	unsigned char bytes[16];
	int high, low;
	bool brace;
	size_t i;

	if (!text)
		return -EINVAL;
	brace = *text == '{';
	text += brace;
	for (i = 0; i < sizeof(order); i++) {
		if (order[i] == 16) {
			if (*text++ != '-')
				return -EINVAL;
			continue;
		}
		high = digit(text[0]);
		low = high < 0 ? -1 : digit(text[1]);
		if (low < 0)
			return -EINVAL;
		bytes[order[i]] = high << 4 | low;
		text += 2;
	}
	if (brace && *text++ != '}')
		return -EINVAL;
	if (*text)
		return -EINVAL;
	memcpy(guid, bytes, sizeof(bytes));
	return 0;
}

char *etw_guid_digits(char *to, const void *guid)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *bytes = guid;
	size_t i;

	for (i = 0; i < sizeof(order); i++) {
		if (order[i] == 16) {
			*to++ = '-';
			continue;
		}
		*to++ = digits[bytes[order[i]] >> 4];
		*to++ = digits[bytes[order[i]] & 15];
	}
	return to;
}

void etw_guid_format(const struct etw_guid *guid, char out[ETW_GUID_TEXT])
{
	char *end = etw_guid_digits(out + 1, guid);

	out[0] = '{';
	end[0] = '}';
	end[1] = '\0';
}

bool etw_guid_is_zero(const struct etw_guid *guid)
{
	static const struct etw_guid zero;

	return !memcmp(guid, &zero, sizeof(zero));
}
