/* SPDX-License-Identifier: MIT */
/*
 * block.c - a buffer of a log file in memory, decompressed
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "xpress.h"

struct etw_block *etw_etl_block(const struct etw_buffer_header *header)
{
	struct etw_block *block = malloc(sizeof(*block) + header->offset);
	struct etw_buffer_header own = *header;

	if (!block)
		return NULL;
	memset(block, 0, sizeof(*block));
	block->header = *header;
	block->size = header->offset;
	block->offset = sizeof(*header);
	own.buffer_size = header->offset;
	own.flags &= ~ETW_BUFFER_COMPRESSED;
	memcpy(block->data, &own, sizeof(own));
	return block;
}

int etw_etl_block_fill(struct etw_block *block, const void *stored)
{
	const size_t head = sizeof(block->header), len = etw_etl_block_stored(block);

	if (!(block->header.flags & ETW_BUFFER_COMPRESSED))
		memcpy(block->data + head, stored, len);
	else if (etw_xpress_decompress(stored, len, block->data + head, block->size - head))
		return -EBADMSG;
	return 0;
}
