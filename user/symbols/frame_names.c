/* SPDX-License-Identifier: MIT */
/*
 * frame_names.c - numbers for the functions of stacks
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/table.h"
#include "frame_names.h"
#include "stack.h"

#define UNKNOWN	0	/* the number of what nothing is known about */
#define KNOWN	16384	/* addresses whose number is kept */
#define FOREVER	UINT32_MAX

/* The only function at an address */
struct known {
	uint64_t address;
	int64_t since, until;	/* it holds in this time, ... */
	uint32_t pid;		/* of the kernel 0 */
	uint32_t version;	/* ... with that of the images, or FOREVER; 0: it is free */
	uint32_t number;
};

struct frame_names {
	struct symbolizer *symbolizer;
	struct etw_interner numbers;	/* of a struct frame_name: strings of one value are one */
	struct frame_name *list;
	uint32_t count;
	struct known *known;		/* by a hash; NULL: nothing is kept */
};

static bool grow(struct frame_names *names)
{
	struct frame_name *grown = etw_grow(names->list, names->count, sizeof(*grown));

	if (grown)
		names->list = grown;
	return grown;
}

/* The number; without room for it UNKNOWN */
static uint32_t number_of(struct frame_names *names, const struct frame_name *name)
{
	uint32_t number;
	bool is_new;

	if (!grow(names))
		return UNKNOWN;
	number = etw_intern(&names->numbers, name, sizeof(*name), &is_new);
	if (!number)
		return UNKNOWN;
	if (is_new)
		names->list[names->count++] = *name;
	return number - 1;
}

struct frame_names *frame_names_new(struct symbolizer *symbolizer)
{
	struct frame_names *names = calloc(1, sizeof(*names));
	struct frame_name unknown;

	if (!names)
		return NULL;
	names->symbolizer = symbolizer;
	names->numbers.max = FRAME_NAMES_MAX;
	memset(&unknown, 0, sizeof(unknown));
	number_of(names, &unknown);
	if (names->count)
		return names;
	frame_names_free(names);
	return NULL;
}

void frame_names_free(struct frame_names *names)
{
	if (!names)
		return;
	etw_interner_clear(&names->numbers);
	free(names->list);
	free(names->known);
	free(names);
}

void frame_names_keep(struct frame_names *names)
{
	if (!names->known)
		names->known = calloc(KNOWN, sizeof(*names->known));
}

uint32_t frame_names_version(const struct frame_names *names)
{
	return names->known ? images_version(symbolizer_images(names->symbolizer)) : 0;
}

uint32_t frame_names_period(const struct frame_names *names, const struct etw_event *event,
			    int64_t *since, int64_t *until)
{
	const struct images *images = symbolizer_images(names->symbolizer);
	const uint32_t pid = event->record.header->process_id;

	return names->known ? images_period(images, pid, event->time, since, until) : 0;
}

/* Where a place is kept: key is filled in, apart from what holds when, and the number. */
static struct known *known_at(const struct frame_names *names, const struct symbol_place *place,
			      struct known *key)
{
	const uint64_t address = place->address - (place->returns && place->address);
	uint64_t hash;

	key->address = address;
	key->pid = address >= SYMBOLIZER_KERNEL ? 0 : place->pid;
	hash = etw_hash_number(etw_hash_seed(), address ^ (uint64_t)key->pid << 40);
	return &names->known[hash % KNOWN];
}

static bool holds(const struct frame_names *names, const struct known *known,
		  const struct known *key, int64_t time)
{
	if (known->address != key->address || known->pid != key->pid || !known->version)
		return false;
	return known->version == FOREVER ||
	       (known->version == images_version(symbolizer_images(names->symbolizer)) &&
		time >= known->since && time < known->until);
}

/* Keep the number of a place; key: by known_at() */
static void keep(const struct frame_names *names, const struct etw_event *event,
		 struct known *known, struct known *key, uint32_t number)
{
	key->version = FOREVER;
	if (key->address < SYMBOLIZER_KERNEL)
		key->version = frame_names_period(names, event, &key->since, &key->until);
	key->number = number;
	*known = *key;
}

/* The functions at a place: how many; 0: more than there is room for */
static unsigned int find(struct frame_names *names, const struct symbol_place *place,
			 uint32_t *stack, unsigned int room)
{
	struct symbol_frame frames[SYMBOLIZER_FRAMES];
	const unsigned int found = symbolizer_find(names->symbolizer, place, frames);
	struct frame_name name;
	unsigned int i;

	if (found > room)
		return 0;
	for (i = 0; i < found; i++) {
		memset(&name, 0, sizeof(name));		/* its bytes are compared */
		name.function = frames[i].function;
		name.image = frames[i].image;
		name.kernel = frames[i].kernel;
		stack[i] = number_of(names, &name);
	}
	return found;
}

unsigned int frame_names_of(struct frame_names *names, const struct etw_event *event,
			    uint32_t *stack, bool *cut)
{
	struct known *known = NULL, key = { .since = 0 };
	struct symbol_stack walk;
	struct symbol_place place;
	unsigned int count = 0, found;

	*cut = false;
	symbol_stack_begin(&walk, names->symbolizer, event);
	while (symbol_stack_next(&walk, &place)) {
		if (names->known)
			known = known_at(names, &place, &key);
		if (known && holds(names, known, &key, event->time) && count < FRAME_NAMES_STACK) {
			stack[count++] = known->number;
			continue;
		}
		found = find(names, &place, stack + count, FRAME_NAMES_STACK - count);
		if (!found) {
			*cut = true;
			break;
		}
		if (known && found == 1)
			keep(names, event, known, &key, stack[count]);
		count += found;
	}
	*cut |= walk.cut;
	return count;
}

uint32_t frame_names_count(const struct frame_names *names)
{
	return names->count;
}

const struct frame_name *frame_names_get(const struct frame_names *names, uint32_t number)
{
	return &names->list[number];
}

void frame_names_title(const struct frame_name *name, struct etw_text *to)
{
	if (name->function)
		etw_text_puts(to, name->function);
	else
		etw_text_printf(to, "[%s]", name->image ? name->image :
				name->kernel ? "kernel" : "unknown");
}
