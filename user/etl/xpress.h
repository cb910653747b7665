/* SPDX-License-Identifier: MIT */
/*
 * xpress.h - the compression of compressed buffers
 *
 * Plain LZ77, the format that Windows calls XPRESS.  Source: Microsoft's open
 * specification [MS-XCA], "Xpress Compression Algorithm", sections 2.3 and 2.4.
 */
#ifndef ETW_ETL_XPRESS_H
#define ETW_ETL_XPRESS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decompress to exactly out_len bytes. 0, or -EINVAL: the input ends too early or
 * refers to missing data. Never accesses memory outside the two buffers.
 */
int etw_xpress_decompress(const uint8_t *in, size_t in_len, uint8_t *out, size_t out_len);

#define ETW_XPRESS_MAX		(16u << 20)	/* bytes compressed at once */
#define ETW_XPRESS_HASH_BITS	13

/* Working memory for compression; needs no initialisation. */
struct etw_xpress_work {
	uint32_t last[1u << ETW_XPRESS_HASH_BITS];
	uint32_t older[8192];
};

/*
 * Compress; returns the size, or 0: more than room, or in_len exceeds ETW_XPRESS_MAX.
 * Time: linear.
 */
size_t etw_xpress_compress(const uint8_t *in, size_t in_len, uint8_t *out, size_t room,
			   struct etw_xpress_work *work);

#endif /* ETW_ETL_XPRESS_H */
