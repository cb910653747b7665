/* SPDX-License-Identifier: MIT */
/*
 * etl_image.h - log files in memory: their times, payloads that show damage, and damage
 */
#ifndef ETW_SELFTESTS_ETL_IMAGE_H
#define ETW_SELFTESTS_ETL_IMAGE_H

#include "etl_make.h"

#include <string.h>

#include "lib/pick.h"

/* The wall clock, at this time by the session's clock */
static int64_t filetime(uint64_t clock)
{
	return MAKE_START + ((int64_t)clock - 1000) / 100;
}

/* Add less than so many words to the first ones of an event's payload; returns its size. */
static uint32_t pick_payload(uint32_t *words, uint32_t first, uint32_t more, uint32_t number)
{
	uint32_t count = first + pick(more), i;

	for (i = first; i < count; i++)
		words[i] = pick(8) ? 0x11111111 * i : number;
	return count * 4;
}

static void cut(unsigned char *data, size_t *len, size_t at, size_t n)
{
	memmove(data + at, data + at + n, *len - at - n);
	*len -= n;
}

/* There is room for n bytes more. */
__attribute__((__unused__))
static void insert(unsigned char *data, size_t *len, size_t at, const void *from, size_t n)
{
	memmove(data + at + n, data + at, *len - at);
	memcpy(data + at, from, n);
	*len += n;
}

#endif /* ETW_SELFTESTS_ETL_IMAGE_H */
