/* SPDX-License-Identifier: MIT */
/*
 * sha256.h - SHA-256 of one piece of memory (FIPS 180-4)
 */
#ifndef ETW_BASE_SHA256_H
#define ETW_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

void etw_sha256(const void *data, size_t len, uint8_t out[32]);

#endif /* ETW_BASE_SHA256_H */
