/* SPDX-License-Identifier: GPL-2.0-only */
/* tl_bytes.h - compares the event captured by tl_capture.h with bytes in hexadecimal */
#ifndef TL_BYTES_H
#define TL_BYTES_H

#include "lib/tap.h"

static size_t tl_unhex(const char *hex, unsigned char *to)
{
	size_t n = 0;
	unsigned int byte;

	for (; *hex; hex++) {
		if (*hex == ' ')
			continue;
		if (sscanf(hex, "%2x", &byte) != 1)
			abort();
		to[n++] = (unsigned char)byte;
		hex++;
	}
	return n;
}

static void tl_print(const char *what, const unsigned char *bytes, size_t size)
{
	size_t i;

	printf("# %s", what);
	for (i = 0; i < size && i < 600; i++)
		printf(" %02x", bytes[i]);
	printf("\n");
}

static int tl_same(const char *what, const unsigned char *got, size_t size, const char *hex)
{
	static unsigned char want[140000];
	size_t n = tl_unhex(hex, want);

	if (n == size && !memcmp(got, want, n))
		return 1;
	tl_print(what, got, size);
	tl_print("wanted", want, n);
	return 0;
}

/* The metadata without its size, which is checked separately, and the payload */
__attribute__((__unused__))
static int tl_is(const char *meta, const char *payload)
{
	return (int)(tl_caught.count == 1) & (int)!tl_caught.bad &
	       tl_same("metadata", tl_caught.meta + 2, tl_caught.meta_size - 2, meta) &
	       tl_same("payload", tl_caught.payload, tl_caught.payload_size, payload);
}

#endif /* TL_BYTES_H */
