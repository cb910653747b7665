/* SPDX-License-Identifier: MIT */
/*
 * bpf_batch.c - events that wait to be written to the kernel's sessions by one command
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_batch.h"
#include "registration.h"

#define ENOUGH	32768	/* bytes; more would not stay in the caches */

static struct etw_many_event *event_at(const struct etw_bpf_batch *batch, uint32_t at)
{
	return (struct etw_many_event *)(batch->events + at);
}

void etw_bpf_count_lost(uint64_t handle, const struct etw_event_descriptor *desc, uint64_t count)
{
	struct etw_event_write event = { .flags = ETW_WRITE_LOST, .desc = *desc };
	struct etw_reg *reg = etw_reg_find(handle);
	uint64_t most = UINT32_MAX;

	if (!reg)
		return;
	while (count && etw_reg_wants(reg, desc->level, desc->keyword)) {
		event.lost = count < most ? count : most;
		/* A loader may have given up CAP_PERFMON since it loaded the programs. */
		if (etw_reg_write(reg, handle, ETW_IOC_WRITE, &event, sizeof(event)) == -EPERM &&
		    event.lost > 1)
			most = 1;
		else
			count -= event.lost;
	}
}

int etw_bpf_batch_write(struct etw_bpf_batch *batch, uint64_t handle)
{
	struct etw_write_many many = {
		.bytes = batch->used, .events = (uintptr_t)batch->events,
		.filter = batch->excluded,
	};
	struct etw_reg *reg = etw_reg_find(handle);
	int ret = 0;
	uint32_t at;

	batch->used = 0;
	batch->number++;
	if (!many.bytes || !reg)
		return 0;
	ret = etw_reg_write(reg, handle, ETW_IOC_WRITE_MANY, &many, sizeof(many));
	/* Nobody has it enabled any more. */
	if (ret == -ENOENT)
		return 0;
	for (at = ret ? 0 : many.done; at < many.bytes; at += event_at(batch, at)->size)
		etw_bpf_count_lost(handle, &event_at(batch, at)->desc, 1);
	return ret || many.lost || many.done < many.bytes ? -ENOBUFS : 0;
}

/* Write the batch if it is for other sessions, or has no room. */
static int make_room(struct etw_bpf_batch *batch, uint64_t handle, uint64_t excluded,
		     uint32_t size)
{
	int ret = 0;

	if (batch->excluded != excluded || batch->used > ETW_MANY_BYTES_MAX - size)
		ret = etw_bpf_batch_write(batch, handle);
	batch->excluded = excluded;
	if (!batch->events)
		batch->events = malloc(ETW_MANY_BYTES_MAX);
	return ret;
}

/* Put an event behind the others, with its metadata if the batch does not have them. */
static void put_event(struct etw_bpf_batch *batch, const struct etw_bpf_event_in *in)
{
	struct etw_many_event *event = event_at(batch, batch->used);
	uint32_t end = batch->used + sizeof(*event) + in->head.payload_len;

	*event = in->head;
	memcpy(event + 1, in->payload, in->head.payload_len);
	if (!in->of_batch->at || in->of_batch->number != batch->number) {
		memcpy(batch->events + end, in->schema, in->schema_len);
		in->of_batch->number = batch->number;
		in->of_batch->at = end;
		end += in->schema_len;
	}
	event->schema = in->of_batch->at;
	memset(batch->events + end, 0, -end & 7);
	event->size = ((end + 7) & ~7u) - batch->used;
	batch->used += event->size;
}

int etw_bpf_batch_add(struct etw_bpf_batch *batch, uint64_t handle, uint64_t excluded,
		      const struct etw_bpf_event_in *in)
{
	const uint32_t most = sizeof(in->head) + in->schema_len + in->head.payload_len + 7;
	int ret;

	_Static_assert(sizeof(in->head) + ETW_TRACE_SCHEMA_MAX + ETW_RECORD_MAX + 7 <=
		       ETW_MANY_BYTES_MAX, "any event has room");
	ret = make_room(batch, handle, excluded, most);
	if (!batch->events) {
		etw_bpf_count_lost(handle, &in->head.desc, 1);
		return -ENOMEM;
	}
	put_event(batch, in);
	return batch->used < ENOUGH ? ret : etw_bpf_batch_write(batch, handle) ?: ret;
}

void etw_bpf_batch_free(struct etw_bpf_batch *batch)
{
	free(batch->events);
}
