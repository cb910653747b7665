/* SPDX-License-Identifier: MIT */
/*
 * guid.c - GUIDs as text
 */
#include <errno.h>
#include <string.h>

#include "guid.h"

/* Byte of struct etw_guid that each pair of digits is, as GUIDs are written */
static const unsigned char order[16] = {
	3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15
};

/* Does a hyphen precede the pair? */
static bool hyphen_before(int pair)
{
	return pair == 4 || pair == 6 || pair == 8 || pair == 10;
}

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
	bool brace;
	int i;

	if (!text)
		return -EINVAL;
	brace = *text == '{';
	text += brace;
	for (i = 0; i < 16; i++) {
		int high, low;

		if (hyphen_before(i) && *text++ != '-')
			return -EINVAL;
		high = digit(text[0]);
		if (high < 0)
			return -EINVAL;
		low = digit(text[1]);
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

void etw_guid_format(const struct etw_guid *guid, char out[ETW_GUID_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[16];
	char *at = out;
	int i;

	memcpy(bytes, guid, sizeof(bytes));
	*at++ = '{';
	for (i = 0; i < 16; i++) {
		if (hyphen_before(i))
			*at++ = '-';
		*at++ = digits[bytes[order[i]] >> 4];
		*at++ = digits[bytes[order[i]] & 15];
	}
	*at++ = '}';
	*at = '\0';
}

bool etw_guid_is_zero(const struct etw_guid *guid)
{
	static const struct etw_guid zero;

	return !memcmp(guid, &zero, sizeof(zero));
}
