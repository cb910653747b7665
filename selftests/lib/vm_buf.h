/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_buf.h - check and walk the buffers that a consumer reads
 *
 * Written from format.h alone, so that it does not share a mistake with the
 * code under test.
 */
#ifndef ETW_SELFTEST_VM_BUF_H
#define ETW_SELFTEST_VM_BUF_H

#include "vm_dev.h"

struct vm_record {
	const struct etw_event_header *head;
	const uint8_t *ext;	/* extended items, NULL if there are none */
	const uint8_t *data;
	uint32_t len;		/* bytes of data */
};

typedef void (*vm_record_fn)(void *ctx, const struct etw_buffer_header *buf,
			     const struct vm_record *rec);

struct vm_reader {
	int fd;
	uint32_t size;		/* of a buffer */
	uint8_t *buf;
	uint64_t buffers;
	uint64_t stand_ins;	/* buffers that tell of lost ones */
	uint64_t events;
	int64_t last_sequence;	/* -1 before the first buffer */
	const char *error;	/* what was wrong with a buffer, or NULL */
};

/* Gets the records that tell losses, if it is set; they are not events. */
extern void (*vm_loss_fn)(const struct etw_buffer_header *b, const struct vm_record *r);

/*
 * Check every byte of one buffer and hand its events to fn.  Returns NULL or
 * what is wrong; *events counts them.
 */
const char *vm_walk(const void *buf, uint32_t size, vm_record_fn fn, void *ctx, uint64_t *events);

/* Open a consumer and make it ready to read; 0 or a negative errno. */
int vm_reader_open(struct vm_reader *r, int fd, uint64_t session, uint32_t flags);

void vm_reader_close(struct vm_reader *r);

/*
 * Read one buffer.  1: one was read, 0: end of the session, negative errno:
 * nothing there (-EAGAIN), or something went wrong (-EBADMSG and r->error).
 */
int vm_read_one(struct vm_reader *r, vm_record_fn fn, void *ctx);

/* Read all buffers there are: 0 at the end of the session, else as vm_read_one(). */
int vm_drain(struct vm_reader *r, vm_record_fn fn, void *ctx);

/* ------------------------------------------------------- numbered events */

/* Events whose payload begins with a number, as a reader finds them. */
struct vm_seen {
	uint64_t records;
	uint32_t first, last;
	bool ordered;		/* each number is one more than that before it */
};

/* A vm_record_fn for a struct vm_seen. */
void vm_see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r);

#endif /* ETW_SELFTEST_VM_BUF_H */
