/* SPDX-License-Identifier: MIT */
/*
 * hash.h - hashes of what comes out of traces, for tables in memory
 *
 * They are different in each process: nobody can make a file whose keys all fall into
 * one place.  So nothing of them may get into an output.
 */
#ifndef ETW_CONVERT_HASH_H
#define ETW_CONVERT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from a hash before, or from 0. */
uint64_t hash_bytes(uint64_t before, const void *data, size_t len);

#endif /* ETW_CONVERT_HASH_H */
