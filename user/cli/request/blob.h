/* SPDX-License-Identifier: MIT */
/*
 * blob.h - filter data that only the provider understands, as --data gives them
 */
#ifndef ETW_CLI_REQUEST_BLOB_H
#define ETW_CLI_REQUEST_BLOB_H

#include <stdint.h>
#include <etw/abi.h>

struct blob {
	struct etw_filter_header header;	/* size 0: not given */
	uint8_t data[ETW_FILTER_DATA_MAX - sizeof(struct etw_filter_header)];
};

void blob_parse(struct blob *blob, const char *option, const char *text);
struct etw_filter blob_filter(const struct blob *blob);

#endif /* ETW_CLI_REQUEST_BLOB_H */
