/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - give events the stacks that Windows' kernel logger records after them
 *
 * Source: Microsoft's page "StackWalk_Event class".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "etl/record.h"
#include "stacks.h"

#define STACK_TYPE	32
#define STACK_HEAD	16	/* u64 time, u32 process, u32 thread */
#define ITEM_HEAD	(sizeof(struct etw_ext_item) + sizeof(uint64_t))	/* with a match id */
#define ITEM_MAX	(UINT16_MAX - 7)
#define USUAL		256	/* bytes of a record; most are smaller */
#define LOOK_MAX	256	/* events of a slot that a stack is compared with */

struct etw_held {
	struct etw_held *next;		/* in time order */
	struct etw_held *older, *newer;	/* of the same slot */
	struct etw_event event;
	struct etw_buffer_header buffer;
	unsigned int source;
	uint8_t *items;			/* the event's own, then the stack's item; or NULL */
	size_t items_size;
	size_t stack_at;		/* in items, of the stack's item */
	size_t size;			/* what this takes of stacks->bytes */
	bool usual;			/* it has room for a record of USUAL bytes */
	_Alignas(8) uint8_t raw[];
};

/* What a record about a stack says */
struct walk {
	int64_t time;
	uint32_t thread;
	uint16_t cpu;
	bool is_32;
	const uint8_t *frames;
	size_t size;
};

static const struct etw_guid stack_class =
	ETW_GUID(0xdef2fe46, 0x7bd6, 0x4b80, 0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d, 0x0c, 0xe3);
static const struct etw_guid trace_class =
	ETW_GUID(0x68fdd900, 0x4a3e, 0x11d1, 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3);

static uint8_t type_of(const struct etw_event *event)
{
	return event->record.header->type & 0xFF;
}

/* Its record has no thread, but is in the buffer of the CPU where it happened. */
static bool lacks_thread(const struct etw_event *event)
{
	return type_of(event) == ETW_ETL_PERFINFO32 || type_of(event) == ETW_ETL_PERFINFO64;
}

/* A record of the kernel logger; every file has some about the file itself. */
static bool is_of_kernel(const struct etw_event *event)
{
	const struct etw_event_header *header = event->record.header;

	return ((type_of(event) >= ETW_ETL_SYSTEM32 && type_of(event) <= ETW_ETL_COMPACT64) ||
		lacks_thread(event)) && header->flags & ETW_EVENT_CLASSIC_HEADER &&
		memcmp(&header->provider, &trace_class, sizeof(trace_class));
}

static bool get_walk(struct walk *walk, const struct etw_event *event)
{
	const struct etw_event_header *header = event->record.header;
	const uint8_t *data = event->record.data;
	size_t pointer;

	if (!(header->flags & ETW_EVENT_CLASSIC_HEADER) || header->desc.opcode != STACK_TYPE ||
	    memcmp(&header->provider, &stack_class, sizeof(stack_class)))
		return false;
	walk->is_32 = etw_etl_type_is_32(type_of(event));
	pointer = walk->is_32 ? 4 : 8;
	if (event->record.data_len < STACK_HEAD + pointer)
		return false;
	memcpy(&walk->time, data, sizeof(walk->time));
	memcpy(&walk->thread, data + 12, sizeof(walk->thread));
	walk->cpu = event->cpu;
	walk->frames = data + STACK_HEAD;
	walk->size = (event->record.data_len - STACK_HEAD) / pointer * pointer;
	return true;
}

static struct etw_stacks_slot *slot_of(struct etw_stacks *stacks, int64_t time)
{
	return &stacks->slots[etw_hash_number(etw_hash_seed(), (uint64_t)time) % ETW_STACKS_SLOTS];
}

/*
 * The latest event of this time and thread. One without a thread must be of the same CPU,
 * or the only one: the part of a process may be recorded on another CPU.
 */
static struct etw_held *find(struct etw_stacks *stacks, const struct walk *walk)
{
	struct etw_held *held, *same_cpu = NULL, *only = NULL;
	unsigned int without = 0, look = LOOK_MAX;

	for (held = slot_of(stacks, walk->time)->newest; held && look--; held = held->older) {
		const struct etw_event *event = &held->event;

		if (event->record.header->timestamp != walk->time)
			continue;
		if (!lacks_thread(event)) {
			if (event->record.header->thread_id == walk->thread)
				return held;
			continue;
		}
		only = held;
		without++;
		if (!same_cpu && event->cpu == walk->cpu)
			same_cpu = held;
	}
	return same_cpu ? same_cpu : without == 1 ? only : NULL;
}

static uint16_t item_type(const struct walk *walk)
{
	return walk->is_32 ? ETW_EXT_STACK_TRACE32 : ETW_EXT_STACK_TRACE64;
}

/* The event's own items, and the head of one for the stack */
static int begin_items(struct etw_held *held, const struct walk *walk)
{
	struct etw_ext_item item = { .size = ITEM_HEAD, .type = item_type(walk),
				     .data_size = sizeof(uint64_t) };
	size_t own = held->event.record.ext_len;

	held->items = calloc(1, own + ITEM_HEAD);
	if (!held->items)
		return -ENOMEM;
	if (own)
		memcpy(held->items, held->event.record.ext, own);
	memcpy(held->items + own, &item, sizeof(item));
	held->stack_at = own;
	held->items_size = own + ITEM_HEAD;
	return 0;
}

/* 1: the stack is the event's now; 0: it cannot be; -ENOMEM. */
static int attach(struct etw_stacks *stacks, struct etw_held *held, const struct walk *walk)
{
	size_t before, size;
	struct etw_ext_item item;
	uint8_t *items;

	if (!held->items && begin_items(held, walk))
		return -ENOMEM;
	memcpy(&item, held->items + held->stack_at, sizeof(item));
	before = sizeof(item) + item.data_size;
	size = before + walk->size;
	if (item.type != item_type(walk) || size > ITEM_MAX)
		return 0;
	items = realloc(held->items, held->stack_at + (size + 7) / 8 * 8);
	if (!items)
		return -ENOMEM;
	memcpy(items + held->stack_at + before, walk->frames, walk->size);
	memset(items + held->stack_at + size, 0, (8 - size % 8) % 8);
	item.data_size = (uint16_t)(size - sizeof(item));
	item.size = (uint16_t)((size + 7) / 8 * 8);
	memcpy(items + held->stack_at, &item, sizeof(item));
	held->items = items;
	held->items_size = held->stack_at + item.size;
	held->event.record.ext = items;
	held->event.record.ext_len = (uint32_t)held->items_size;
	held->size += walk->size;
	stacks->bytes += walk->size;
	return 1;
}

bool etw_stacks_wants(struct etw_stacks *stacks, const struct etw_event *event)
{
	if (!stacks->active)
		stacks->active = is_of_kernel(event);
	return stacks->active;
}

static const void *moved(const struct etw_event *event, const struct etw_held *held, const void *p)
{
	uintptr_t at = (uintptr_t)p - (uintptr_t)event->raw;

	return at <= event->raw_size ? held->raw + at : p;
}

/* Most records are alike, and come and go by the million: use the same memory again. */
static struct etw_held *new_held(struct etw_stacks *stacks, size_t size)
{
	struct etw_held *held = stacks->spare;
	bool usual = size <= USUAL;

	if (held && usual)
		stacks->spare = held->next;
	else
		held = malloc(sizeof(*held) + (usual ? USUAL : size));
	if (held)
		held->usual = usual;
	return held;
}

static void free_held(struct etw_stacks *stacks, struct etw_held *held)
{
	if (!held)
		return;
	free(held->items);
	if (held->usual) {
		held->next = stacks->spare;
		stacks->spare = held;
	} else {
		free(held);
	}
}

/* A copy that has all that the event points to */
static struct etw_held *copy(struct etw_stacks *stacks, const struct etw_event *event,
			     unsigned int source)
{
	struct etw_held *held = new_held(stacks, event->raw_size);

	if (!held)
		return NULL;
	held->next = held->newer = NULL;
	held->source = source;
	held->items = NULL;
	held->size = sizeof(*held) + (held->usual ? USUAL : event->raw_size);
	held->event = *event;
	held->buffer = *event->buffer;
	held->event.buffer = &held->buffer;
	memcpy(held->raw, event->raw, event->raw_size);
	held->event.raw = held->raw;
	held->event.record.header = moved(event, held, event->record.header);
	held->event.record.ext = moved(event, held, event->record.ext);
	held->event.record.data = moved(event, held, event->record.data);
	etw_record_move(&held->event.record, &event->classic, &held->event.classic);
	return held;
}

int etw_stacks_add(struct etw_stacks *stacks, const struct etw_event *event, unsigned int source)
{
	struct etw_stacks_slot *slot;
	struct etw_held *held;
	struct walk walk;
	int ret;

	/* What it says about losses must not vanish with it. */
	if (!event->lost_buffers && !event->lost_events && !event->lost_file &&
	    get_walk(&walk, event)) {
		held = find(stacks, &walk);
		ret = held ? attach(stacks, held, &walk) : 0;
		if (ret)
			return ret < 0 ? ret : 0;
	}
	held = copy(stacks, event, source);
	if (!held)
		return -ENOMEM;
	slot = slot_of(stacks, held->event.record.header->timestamp);
	held->older = slot->newest;
	if (slot->newest)
		slot->newest->newer = held;
	else
		slot->oldest = held;
	slot->newest = held;
	if (stacks->last)
		stacks->last->next = held;
	else
		stacks->first = held;
	stacks->last = held;
	stacks->events++;
	stacks->bytes += held->size;
	return 0;
}

/* Take the first event out of the list and of its slot, where it is the oldest. */
static void remove_first(struct etw_stacks *stacks)
{
	struct etw_held *held = stacks->first;
	struct etw_stacks_slot *slot = slot_of(stacks, held->event.record.header->timestamp);

	slot->oldest = held->newer;
	if (slot->oldest)
		slot->oldest->older = NULL;
	else
		slot->newest = NULL;
	stacks->first = held->next;
	if (!stacks->first)
		stacks->last = NULL;
	stacks->events--;
	stacks->bytes -= held->size;
}

const struct etw_event *etw_stacks_take(struct etw_stacks *stacks, bool all,
					unsigned int *source)
{
	struct etw_held *held = stacks->first;

	free_held(stacks, stacks->taken);
	stacks->taken = NULL;
	if (!held || (!all && stacks->events < ETW_STACKS_EVENTS &&
		      stacks->bytes < ETW_STACKS_BYTES &&
		      (uint64_t)stacks->last->event.time - (uint64_t)held->event.time <
		      ETW_STACKS_WAIT))
		return NULL;
	remove_first(stacks);
	stacks->taken = held;
	*source = held->source;
	return &held->event;
}

void etw_stacks_free(struct etw_stacks *stacks)
{
	struct etw_held *held;

	while ((held = stacks->first)) {
		stacks->first = held->next;
		free_held(stacks, held);
	}
	free_held(stacks, stacks->taken);
	while ((held = stacks->spare)) {
		stacks->spare = held->next;
		free(held);
	}
	memset(stacks, 0, sizeof(*stacks));
}
