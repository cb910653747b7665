/* SPDX-License-Identifier: MIT */
/*
 * block.c - buffers in memory, decompressed, and their owners
 */
#include <errno.h>
#include <pthread.h>
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

/* ------------------------------------------------------------ kept buffers */

/* A buffer kept by a callback */
struct kept {
	struct kept *next;
	struct etw_block *block;
	uint64_t owner;
	unsigned long count;
	bool dropped;		/* the reader no longer needs it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t forgotten = PTHREAD_COND_INITIALIZER;
static struct kept *all;	/* under lock; only a few */

/* The link to the buffer, or to the list's end. */
static struct kept **find(const void *data)
{
	struct kept **p = &all;

	while (*p && (*p)->block->data != data)
		p = &(*p)->next;
	return p;
}

int etw_block_keep(struct etw_block *block, uint64_t owner)
{
	struct kept *kept, *spare = malloc(sizeof(*spare));
	int err = 0;

	pthread_mutex_lock(&lock);
	kept = *find(block->data);
	if (kept) {
		kept->count++;
	} else if (spare) {
		*spare = (struct kept){ .next = all, .block = block, .owner = owner, .count = 1 };
		all = spare;
		spare = NULL;
	} else {
		err = -ENOMEM;
	}
	pthread_mutex_unlock(&lock);
	free(spare);
	return err;
}

int etw_block_forget(const void *data)
{
	struct etw_block *block = NULL;
	struct kept **p, *kept;
	int err = -ENOENT;

	pthread_mutex_lock(&lock);
	p = find(data);
	kept = *p;
	if (kept) {
		err = 0;
		if (!--kept->count)
			*p = kept->next;
		else
			kept = NULL;
	}
	if (kept) {
		if (kept->dropped)
			block = kept->block;
		pthread_cond_broadcast(&forgotten);
	}
	pthread_mutex_unlock(&lock);
	free(kept);
	free(block);
	return err;
}

bool etw_block_drop(struct etw_block *block)
{
	struct kept *kept;

	if (!block)
		return false;
	pthread_mutex_lock(&lock);
	kept = *find(block->data);
	if (kept)
		kept->dropped = true;
	pthread_mutex_unlock(&lock);
	return !kept;
}

void etw_block_release(struct etw_block *block)
{
	if (etw_block_drop(block))
		free(block);
}

static bool any_kept(uint64_t owner)
{
	struct kept *kept;

	for (kept = all; kept; kept = kept->next)
		if (kept->owner == owner)
			return true;
	return false;
}

static void unlock(void *arg)
{
	(void)arg;
	pthread_mutex_unlock(&lock);
}

void etw_block_wait(uint64_t owner)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, NULL);
	while (any_kept(owner))
		pthread_cond_wait(&forgotten, &lock);
	pthread_cleanup_pop(1);
}
