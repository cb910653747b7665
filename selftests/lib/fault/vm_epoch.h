/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_epoch.h - sessions that are written to while their clock changes
 */
#ifndef ETW_SELFTEST_VM_EPOCH_H
#define ETW_SELFTEST_VM_EPOCH_H

#include "lib/vm_buf.h"
#include "lib/vm_clock.h"

#include <pthread.h>

#define VM_EPOCH_CPUS		2
#define VM_EPOCH_RECORDS	8

/* A record of a change, as format.h describes it. */
struct vm_change {
	char cause[64], clock[64];
	uint64_t from, to, from_time, to_time, asleep_ns;
	int64_t timestamp;
};

struct vm_epoch {
	int fd;
	int slot;
	struct etw_session s;
	struct vm_reader r;
	pthread_t writer[VM_EPOCH_CPUS];
	uint32_t written[VM_EPOCH_CPUS];
	int error;
	bool over, quiet;
	/* what was read */
	int64_t first, last[VM_EPOCH_CPUS];
	uint64_t events;
	unsigned int back, bad;
	struct vm_change change[VM_EPOCH_RECORDS];
	unsigned int changes;
};

/* Start a session of this clock and mode, and write to it on two CPUs from now on. */
int vm_epoch_begin(struct vm_epoch *e, const char *name, uint32_t clock, uint32_t mode);

/* Both writers have gone on. */
bool vm_epoch_go_on(struct vm_epoch *e);

/* Read what was delivered; 0, or a negative errno. */
int vm_epoch_take(struct vm_epoch *e);

/* Flush and read; 0, or a negative errno. */
int vm_epoch_read(struct vm_epoch *e);

/* End the writers: nothing happens in the session any more. */
int vm_epoch_quiet(struct vm_epoch *e);

/* End the writers, flush, read all; 0: nothing was lost and no time ran backwards. */
int vm_epoch_end(struct vm_epoch *e);

/* The same without a flush: what the session still has is read after it was stopped. */
int vm_epoch_stop(struct vm_epoch *e);

#endif /* ETW_SELFTEST_VM_EPOCH_H */
