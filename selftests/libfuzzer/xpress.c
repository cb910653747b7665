// SPDX-License-Identifier: GPL-2.0-only
/*
 * xpress - compression round trip, and decompression of arbitrary bytes without overrun
 *
 *	input := u16 how many bytes, the bytes; to compress, repeated to fill it
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "etl/xpress.h"

static struct etw_xpress_work work;

static void round_trip(const uint8_t *in, size_t len)
{
	size_t room = len + len / 8 + 64, n;
	uint8_t *packed = malloc(room), *out = malloc(len + 1);

	if (!packed || !out)
		abort();
	n = etw_xpress_compress(in, len, packed, room, &work);
	if (!n || n > room)
		abort();
	/* Decompression reads and writes exactly these bytes. */
	packed = realloc(packed, n);
	if (etw_xpress_decompress(packed, n, out, len) || memcmp(in, out, len))
		abort();
	free(packed);
	/* With less room compression fails. */
	packed = malloc(n / 2 + 1);
	if (packed && etw_xpress_compress(in, len, packed, n / 2, &work))
		abort();
	free(packed);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes;
	uint16_t len;
	size_t i;

	if (size <= sizeof(len))
		return 0;
	memcpy(&len, data, sizeof(len));
	data += sizeof(len);
	size -= sizeof(len);
	bytes = malloc(len + 1u);
	if (!bytes)
		abort();
	for (i = 0; i < len; i++)
		bytes[i] = data[i % size] + (i / size % 3 == 2);
	round_trip(bytes, len);
	etw_xpress_decompress(data, size, bytes, len);
	free(bytes);
	return 0;
}
