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
#define SAMPLE		0x0F2E	/* PerfInfo/SampleProf */
#define COUNTER_SAMPLE	0x0F2F	/* PerfInfo/PmcCounterProf */
#define USUAL		256	/* bytes of a record; most are smaller */
#define USUAL_SIZE	(sizeof(struct etw_held) + USUAL)
#define LOOK_MAX	256	/* events that a stack is compared with */
#define LACKING		4	/* of the rank of an event that this stack is missing to */

enum { PART_KERNEL = 1, PART_PROCESS = 2 };

struct etw_held {
	struct etw_held *next;		/* in time order */
	struct etw_held *older, *newer;	/* of the same slot */
	struct etw_event event;
	struct etw_buffer_header buffer;
	struct etw_stacks_place place;
	uint32_t thread;		/* that its stack is of, if has_thread */
	bool has_thread;
	bool usual;			/* it has room for a record of USUAL bytes */
	uint8_t parts;			/* PART_*: those of the stack that have come */
	struct etw_stacks_slot *slot;
	uint8_t *items;			/* the event's own, then the stack's item; or NULL */
	size_t items_size;
	size_t stack_at;		/* in items, of the stack's item */
	size_t size;			/* what this takes of stacks->bytes */
	_Alignas(8) uint8_t raw[];
};

/* What a record about a stack says, and where it is */
struct walk {
	int64_t time;
	struct etw_stacks_place place;
	uint32_t thread;
	uint16_t cpu;
	uint8_t part;
	bool is_32;
	const uint8_t *frames;
	size_t size;
};

static const struct etw_guid stack_class =
	ETW_GUID(0xdef2fe46, 0x7bd6, 0x4b80, 0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d, 0x0c, 0xe3);

static uint8_t type_of(const struct etw_event *event)
{
	return event->record.header->type & 0xFF;
}

static size_t pointer_of(const struct etw_event *event)
{
	return etw_etl_type_is_32(type_of(event)) ? 4 : 8;
}

/*
 * The thread of an event; false: its record does not say. Records that have no thread are in
 * the buffer of the CPU where they happened; those of a sample have it in their payload.
 */
static bool get_thread(const struct etw_event *event, uint32_t *thread)
{
	const struct etw_event_header *header = event->record.header;
	size_t at = pointer_of(event);

	*thread = header->thread_id;
	if (type_of(event) != ETW_ETL_PERFINFO32 && type_of(event) != ETW_ETL_PERFINFO64)
		return true;
	*thread = 0;
	if ((header->desc.task != SAMPLE && header->desc.task != COUNTER_SAMPLE) ||
	    event->record.data_len < at + sizeof(*thread))
		return false;
	memcpy(thread, (const uint8_t *)event->record.data + at, sizeof(*thread));
	return true;
}

static bool get_walk(struct walk *walk, const struct etw_event *event,
		     struct etw_stacks_place place)
{
	const struct etw_event_header *header = event->record.header;
	const uint8_t *data = event->record.data;
	size_t pointer = pointer_of(event);

	if (!(header->flags & ETW_EVENT_CLASSIC_HEADER) || header->desc.opcode != STACK_TYPE ||
	    memcmp(&header->provider, &stack_class, sizeof(stack_class)))
		return false;
	if (event->record.data_len < STACK_HEAD + pointer)
		return false;
	memcpy(&walk->time, data, sizeof(walk->time));
	memcpy(&walk->thread, data + 12, sizeof(walk->thread));
	walk->place = place;
	walk->cpu = event->cpu;
	walk->is_32 = pointer == 4;
	walk->frames = data + STACK_HEAD;
	walk->size = (event->record.data_len - STACK_HEAD) / pointer * pointer;
	/* The kernel's addresses are those with the highest bit. */
	walk->part = walk->frames[pointer - 1] & 0x80 ? PART_KERNEL : PART_PROCESS;
	return true;
}

static struct etw_stacks_slot *slot_of(struct etw_stacks *stacks, int64_t time, bool has_thread,
				       uint32_t thread)
{
	uint64_t key = (uint64_t)time * 31 + (has_thread ? thread + UINT64_C(1) : 0);

	return &stacks->slots[etw_hash_number(etw_hash_seed(), key) % ETW_STACKS_SLOTS];
}

/* A reader would not find a second stack, nor one behind items that make no sense. */
static bool takes_stack(const struct etw_held *held)
{
	struct etw_ext_view item;
	uint32_t at = 0;
	int ret;

	if (held->items)
		return true;
	while ((ret = etw_ext_next(&held->event.record, &at, &item)) == 1)
		if (item.type == ETW_EXT_STACK_TRACE32 || item.type == ETW_EXT_STACK_TRACE64)
			return false;
	return !ret;
}

/* Is the stack one of this event, for all that time, thread and file say? */
static bool fits(const struct etw_held *held, const struct walk *walk, bool same_file)
{
	return held->event.record.header->timestamp == walk->time &&
	       (!held->has_thread || held->thread == walk->thread) &&
	       (same_file ? held->place.source == walk->place.source :
		walk->place.clock && held->place.clock == walk->place.clock) &&
	       takes_stack(held);
}

/*
 * How well a stack fits an event; 0: perhaps. The clock may be so coarse that several events
 * have one time: each has one stack, and those of a thread come in the order of its events,
 * the part of the kernel on their CPU.
 */
static unsigned int rank(const struct etw_held *held, const struct walk *walk)
{
	bool same_cpu = held->event.cpu == walk->cpu;

	if (!held->has_thread && !same_cpu)
		return 0;
	return 1 + same_cpu + 2 * held->has_thread + LACKING * !(held->parts & walk->part);
}

/*
 * The event of this time and thread. One without a thread must be of the same CPU, or the
 * only one: the part of a process may be recorded on another CPU.
 */
static struct etw_held *find_in(struct etw_stacks *stacks, const struct walk *walk, bool same_file)
{
	struct etw_held *held, *best = NULL, *only = NULL;
	unsigned int now, most = 0, without = 0, slot, look = LOOK_MAX;

	for (slot = 0; slot < 2; slot++) {
		held = slot_of(stacks, walk->time, slot == 0, walk->thread)->newest;
		for (; held && look; held = held->older, look--) {
			if (!fits(held, walk, same_file))
				continue;
			now = rank(held, walk);
			if (!now) {
				only = held;
				without++;
			} else if (now > most || (now == most && now > LACKING)) {
				best = held;
				most = now;
			}
		}
	}
	return best ? best : without == 1 ? only : NULL;
}

/*
 * A trace may have been split into several files, so the stack is perhaps in another one
 * than its event; but several sessions, too, may have recorded the same.
 */
static struct etw_held *find(struct etw_stacks *stacks, const struct walk *walk)
{
	struct etw_held *held = find_in(stacks, walk, true);

	return held || !walk->place.clock ? held : find_in(stacks, walk, false);
}

static void free_spares(struct etw_stacks *stacks, size_t most)
{
	struct etw_held *held;

	while ((held = stacks->spare) && stacks->bytes + stacks->spare_bytes > most) {
		stacks->spare = held->next;
		stacks->spare_bytes -= USUAL_SIZE;
		free(held);
	}
}

static void account(struct etw_stacks *stacks, struct etw_held *held, size_t size)
{
	held->size += size;
	stacks->bytes += size;
	free_spares(stacks, ETW_STACKS_BYTES);
}

static uint16_t item_type(const struct walk *walk)
{
	return walk->is_32 ? ETW_EXT_STACK_TRACE32 : ETW_EXT_STACK_TRACE64;
}

/* The event's own items, and the head of one for the stack */
static int begin_items(struct etw_stacks *stacks, struct etw_held *held, const struct walk *walk)
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
	account(stacks, held, held->items_size);
	return 0;
}

/* 1: the stack is the event's now; 0: it cannot be; -ENOMEM. */
static int attach(struct etw_stacks *stacks, struct etw_held *held, const struct walk *walk)
{
	size_t before, size, padded;
	struct etw_ext_item item;
	uint8_t *items;

	if (!held->items && begin_items(stacks, held, walk))
		return -ENOMEM;
	memcpy(&item, held->items + held->stack_at, sizeof(item));
	before = sizeof(item) + item.data_size;
	size = before + walk->size;
	padded = (size + 7) / 8 * 8;
	if (item.type != item_type(walk) || size > ITEM_MAX)
		return 0;
	items = realloc(held->items, held->stack_at + padded);
	if (!items)
		return -ENOMEM;
	memcpy(items + held->stack_at + before, walk->frames, walk->size);
	memset(items + held->stack_at + size, 0, padded - size);
	item.data_size = (uint16_t)(size - sizeof(item));
	item.size = (uint16_t)padded;
	memcpy(items + held->stack_at, &item, sizeof(item));
	account(stacks, held, held->stack_at + padded - held->items_size);
	held->items = items;
	held->items_size = held->stack_at + padded;
	held->event.record.ext = items;
	held->event.record.ext_len = (uint32_t)held->items_size;
	held->parts |= walk->part;
	/* It stays in the slot of those without a thread. */
	held->thread = walk->thread;
	held->has_thread = true;
	return 1;
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

	if (held && usual) {
		stacks->spare = held->next;
		stacks->spare_bytes -= USUAL_SIZE;
	} else {
		held = malloc(usual ? USUAL_SIZE : sizeof(*held) + size);
	}
	if (held)
		held->usual = usual;
	return held;
}

static void free_held(struct etw_stacks *stacks, struct etw_held *held)
{
	if (!held)
		return;
	free(held->items);
	if (held->usual && stacks->bytes + stacks->spare_bytes + USUAL_SIZE <= ETW_STACKS_BYTES) {
		held->next = stacks->spare;
		stacks->spare = held;
		stacks->spare_bytes += USUAL_SIZE;
	} else {
		free(held);
	}
}

/* A copy that has all that the event points to */
static struct etw_held *copy(struct etw_stacks *stacks, const struct etw_event *event,
			     struct etw_stacks_place place)
{
	struct etw_held *held = new_held(stacks, event->raw_size);

	if (!held)
		return NULL;
	held->next = held->newer = NULL;
	held->place = place;
	held->has_thread = get_thread(event, &held->thread);
	held->parts = 0;
	held->items = NULL;
	held->size = 0;
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

/* Put an event at the end of the list and of its slot. */
static void append(struct etw_stacks *stacks, struct etw_held *held)
{
	struct etw_stacks_slot *slot = slot_of(stacks, held->event.record.header->timestamp,
					       held->has_thread, held->thread);

	held->slot = slot;
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
	account(stacks, held, held->usual ? USUAL_SIZE : sizeof(*held) + held->event.raw_size);
}

int etw_stacks_add(struct etw_stacks *stacks, const struct etw_event *event,
		   struct etw_stacks_place place)
{
	struct etw_held *held;
	struct walk walk;
	int ret;

	/* What it says about losses must not vanish with it. */
	if (!event->lost_buffers && !event->lost_events && !event->lost_file &&
	    get_walk(&walk, event, place)) {
		held = find(stacks, &walk);
		ret = held ? attach(stacks, held, &walk) : 0;
		if (ret)
			return ret < 0 ? ret : 0;
	}
	held = copy(stacks, event, place);
	if (!held)
		return -ENOMEM;
	append(stacks, held);
	return 0;
}

/* Take the first event out of the list and of its slot, where it is the oldest. */
static void remove_first(struct etw_stacks *stacks)
{
	struct etw_held *held = stacks->first;

	held->slot->oldest = held->newer;
	if (held->newer)
		held->newer->older = NULL;
	else
		held->slot->newest = NULL;
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
	*source = held->place.source;
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
	stacks->bytes = 0;
	free_spares(stacks, 0);
	memset(stacks, 0, sizeof(*stacks));
}
