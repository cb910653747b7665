/* SPDX-License-Identifier: MIT */
/*
 * bpf_batch.h - events that wait to be written to the kernel's sessions by one command
 */
#ifndef ETW_LIB_PROVIDER_BPF_BATCH_H
#define ETW_LIB_PROVIDER_BPF_BATCH_H

#include <stdint.h>

#include <etw/abi.h>

/* Of one provider, for sessions that have the same clock. All zero at first. */
struct etw_bpf_batch {
	uint64_t excluded;		/* bit i: not to the session with logger id i + 1 */
	uint64_t number;		/* of such commands before it */
	uint32_t used;			/* bytes */
	unsigned char *events;		/* struct etw_many_event; NULL: never used */
};

/* Where a batch has the metadata of a kind of events; all zero at first. */
struct etw_bpf_batch_schema {
	uint64_t number;		/* of that batch */
	uint32_t at;			/* 0: nowhere yet */
};

/* An event to add */
struct etw_bpf_event_in {
	struct etw_many_event head;	/* without its size and schema */
	const void *payload;
	const void *schema;
	uint32_t schema_len;		/* at most ETW_TRACE_SCHEMA_MAX */
	struct etw_bpf_batch_schema *of_batch;	/* of its kind of events, in this batch */
};

/*
 * Add an event. The batch is written before if its sessions are others, or after if it is large. 0;
 * -ENOBUFS: sessions have lost events, and counted them; -ENOMEM: so is this one.
 */
int etw_bpf_batch_add(struct etw_bpf_batch *batch, uint64_t handle, uint64_t excluded,
		      const struct etw_bpf_event_in *event);

/* Write what waits. As etw_bpf_batch_add(). */
int etw_bpf_batch_write(struct etw_bpf_batch *batch, uint64_t handle);

/*
 * Count so many events like desc as lost in the sessions that want them and are not excluded: one
 * after the other without CAP_PERFMON.
 */
void etw_bpf_count_lost(uint64_t handle, uint64_t excluded, const struct etw_event_descriptor *desc,
			uint64_t count);

void etw_bpf_batch_free(struct etw_bpf_batch *batch);

#endif /* ETW_LIB_PROVIDER_BPF_BATCH_H */
