/* SPDX-License-Identifier: MIT */
/*
 * bpf_batch.c - events that wait to be written to the kernel's sessions by one command
 *
 * A module that is older than the library may not have that command: then each is written alone.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_batch.h"
#include "device/kdev.h"
#include "registration.h"

#define ENOUGH	32768	/* bytes; more would not stay in the caches */

static struct etw_many_event *event_at(const struct etw_bpf_batch *batch, uint32_t at)
{
	return (struct etw_many_event *)(batch->events + at);
}

void etw_bpf_count_lost(uint64_t handle, uint64_t excluded, const struct etw_event_descriptor *desc,
			uint64_t count)
{
	struct etw_event_write event = {
		.flags = ETW_WRITE_LOST, .filter = excluded, .desc = *desc };
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

/*
 * Does the module have the command? Without events it does nothing, and a file that was opened for
 * this has no registration that a refusal could have made anew. If no file can be opened, the other
 * way is right, too, and the next batch asks again.
 */
static bool module_takes_many(void)
{
	static _Atomic(enum { UNKNOWN, HAS, LACKS }) answer;
	struct etw_write_many none = { 0 };
	int fd;

	if (atomic_load(&answer) != UNKNOWN)
		return atomic_load(&answer) == HAS;
	fd = etw_kdev_open();
	if (fd < 0)
		return false;
	atomic_store(&answer, etw_kdev_command(fd, ETW_IOC_WRITE_MANY, &none, sizeof(none)) ==
		     -ENOTTY ? LACKS : HAS);
	etw_kdev_close(fd);
	return atomic_load(&answer) == HAS;
}

static int write_alone(const struct etw_bpf_batch *batch, struct etw_reg *reg, uint64_t handle,
		       const struct etw_many_event *event)
{
	const unsigned char *schema = batch->events + event->schema;
	const struct etw_data_descriptor data[] = {
		{ .ptr = (uintptr_t)schema, .size = schema[0] | schema[1] << 8,
		  .reserved = ETW_DATA_EVENT_METADATA },
		{ .ptr = (uintptr_t)(event + 1), .size = event->payload_len },
		{ .ptr = (uintptr_t)&event->time, .size = sizeof(event->time),
		  .reserved = ETW_DATA_TIMESTAMP },
	};
	struct etw_event_write write = {
		.data_count = event->flags & ETW_MANY_TIME ? 3 : 2, .data = (uintptr_t)data,
		.filter = batch->excluded, .desc = event->desc,
	};

	return etw_reg_write(reg, handle, ETW_IOC_WRITE, &write, sizeof(write));
}

static int write_each(const struct etw_bpf_batch *batch, struct etw_reg *reg, uint64_t handle,
		      uint32_t bytes)
{
	int err, ret = 0;
	uint32_t at;

	for (at = 0; at < bytes; at += event_at(batch, at)->size) {
		err = write_alone(batch, reg, handle, event_at(batch, at));
		if (err && err != -ENOENT)
			ret = -ENOBUFS;
	}
	return ret;
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
	if (!module_takes_many())
		return write_each(batch, reg, handle, many.bytes);
	ret = etw_reg_write(reg, handle, ETW_IOC_WRITE_MANY, &many, sizeof(many));
	/* Nobody has it enabled any more. */
	if (ret == -ENOENT)
		return 0;
	for (at = ret ? 0 : many.done; at < many.bytes; at += event_at(batch, at)->size)
		etw_bpf_count_lost(handle, batch->excluded, &event_at(batch, at)->desc, 1);
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
		etw_bpf_count_lost(handle, excluded, &in->head.desc, 1);
		return -ENOMEM;
	}
	put_event(batch, in);
	return batch->used < ENOUGH ? ret : etw_bpf_batch_write(batch, handle) ?: ret;
}

void etw_bpf_batch_free(struct etw_bpf_batch *batch)
{
	free(batch->events);
}
