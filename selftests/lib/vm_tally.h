/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_tally.h - numbered events of several writers, against their own tally
 *
 * Each writer has a stream of numbers from 0.  At the end a session must have
 * every number exactly once, or must have counted the event as lost.
 */
#ifndef ETW_SELFTEST_VM_TALLY_H
#define ETW_SELFTEST_VM_TALLY_H

#include "vm_buf.h"

#include "kmod/etw_stress/etw_stress.h"
#include "kmod/etw_test/etw_test.h"

#define TALLY_LIMIT	100000	/* events of one stream */
#define TALLY_CPUS	2	/* of the streams of etw_stress */

/*
 * The provider 0 of etw_test, with numbered events; its provider 1, which has
 * vm_guid(1), by a trap; a process's provider vm_guid(2); and etw_stress.
 */
enum {
	TALLY_WRITER, TALLY_TRAP, TALLY_USER, TALLY_STRESS,
	TALLY_STREAMS = TALLY_STRESS + ETW_STRESS_SOURCES * TALLY_CPUS,
};

/* Events written in each stream, and writes that returned an error. */
struct tally {
	uint64_t attempted[TALLY_STREAMS];
	uint64_t failed;
};

/* The records that one session's reader found. */
struct tally_view {
	uint64_t session;
	uint32_t streams;	/* bit i: the session takes stream i */
	struct vm_reader r;
	uint8_t *seen[TALLY_STREAMS];
	int64_t time[TALLY_CPUS];	/* of the latest record */
	uint64_t strange, twice, backwards;
};

static inline bool tally_is(const struct vm_record *r, struct etw_guid guid)
{
	return !memcmp(&r->head->provider, &guid, sizeof(guid));
}

/* A vm_record_fn for a struct tally_view. */
void tally_look(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r);

/* Start reading a session; 0 or a negative errno. */
int tally_open(struct tally_view *v, int fd, uint64_t session, uint32_t streams);

void tally_close(struct tally_view *v);

/* Read all buffers there are; false if one is wrong. */
static inline bool tally_drain(struct tally_view *v)
{
	return vm_drain(&v->r, tally_look, v) == -EAGAIN;
}

/*
 * Flush and stop the session, read the rest and compare: NULL, or what is
 * wrong.  *dropped: events that the session lost as they were written.
 */
const char *tally_check(struct tally_view *v, int fd, const struct tally *t, uint64_t *dropped);

#endif /* ETW_SELFTEST_VM_TALLY_H */
