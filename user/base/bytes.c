// SPDX-License-Identifier: MIT
/*
 * bytes.c - growing bytes, little-endian
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "utf.h"

void etw_bytes_free(struct etw_bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}

/* Make room for len more bytes; NULL: out of memory. */
static uint8_t *room(struct etw_bytes *bytes, size_t len)
{
	size_t cap = bytes->cap ? bytes->cap : 256;
	uint8_t *data;

	if (bytes->error)
		return NULL;
	if (len > SIZE_MAX / 2 - bytes->len) {
		bytes->error = -ENOMEM;
		return NULL;
	}
	while (cap < bytes->len + len)
		cap *= 2;
	if (cap != bytes->cap) {
		data = realloc(bytes->data, cap);
		if (!data) {
			bytes->error = -ENOMEM;
			return NULL;
		}
		bytes->data = data;
		bytes->cap = cap;
	}
	return bytes->data + bytes->len;
}

void etw_bytes_put(struct etw_bytes *bytes, const void *data, size_t len)
{
	uint8_t *at = room(bytes, len);

	if (!at || !len)
		return;
	memcpy(at, data, len);
	bytes->len += len;
}

/* Hosts are little-endian, see etw/format.h. */
void etw_bytes_put8(struct etw_bytes *bytes, uint8_t value)
{
	etw_bytes_put(bytes, &value, sizeof(value));
}

void etw_bytes_put16(struct etw_bytes *bytes, uint16_t value)
{
	etw_bytes_put(bytes, &value, sizeof(value));
}

void etw_bytes_put32(struct etw_bytes *bytes, uint32_t value)
{
	etw_bytes_put(bytes, &value, sizeof(value));
}

void etw_bytes_put64(struct etw_bytes *bytes, uint64_t value)
{
	etw_bytes_put(bytes, &value, sizeof(value));
}

void etw_bytes_text(struct etw_bytes *bytes, const char *text)
{
	etw_bytes_put(bytes, text, strlen(text));
}

void etw_bytes_zero_to(struct etw_bytes *bytes, size_t len)
{
	uint8_t *at;

	if (len <= bytes->len)
		return;
	at = room(bytes, len - bytes->len);
	if (!at)
		return;
	memset(at, 0, len - bytes->len);
	bytes->len = len;
}

void etw_bytes_align(struct etw_bytes *bytes, size_t from, size_t to)
{
	etw_bytes_zero_to(bytes, from + (bytes->len - from + to - 1) / to * to);
}

void etw_bytes_set32(struct etw_bytes *bytes, size_t at, uint32_t value)
{
	if (!bytes->error)
		memcpy(bytes->data + at, &value, sizeof(value));
}

size_t etw_bytes_utf16(struct etw_bytes *bytes, const char *text)
{
	/* No more units than bytes. */
	size_t len = strlen(text);
	WCHAR *units = malloc((len + 1) * sizeof(*units));
	ssize_t n;

	if (!units) {
		bytes->error = -ENOMEM;
		return 0;
	}
	n = etw_utf8_to_utf16(text, len, units, len);
	if (n > 0)
		etw_bytes_put(bytes, units, n * sizeof(*units));
	free(units);
	return n > 0 && !bytes->error ? n : 0;
}

void etw_bytes_cut(struct etw_bytes *bytes, size_t len)
{
	if (len < bytes->len)
		bytes->len = len;
}

/*
 * The order of UTF-8's bytes is that of code points; UTF-16 differs where surrogates
 * (lead byte 0xf0 and up) meet U+E000 to U+FFFF (0xee, 0xef).
 */
int etw_utf16_order(const char *a, const char *b)
{
	const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	if ((*x >= 0xf0) != (*y >= 0xf0) && *x >= 0xee && *y >= 0xee)
		return *x >= 0xf0 ? -1 : 1;
	return (*x > *y) - (*x < *y);
}
