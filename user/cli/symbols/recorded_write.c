/* SPDX-License-Identifier: MIT */
/*
 * recorded_write.c - write the names of functions into a log file
 *
 * An event has the functions at many places of one file, process or kernel, as many as fit in a
 * record and in a buffer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "cli/machine/event.h"
#include "recorded.h"

#define HEAD_MAX	2048	/* bytes of a record without its arrays: a path, names of fields */
#define EVENT_MAX	60000	/* bytes of its arrays */
#define PLACES_MAX	8192	/* of an event */

struct place {
	struct symbol_location location;
	const struct symbol_frame *frames;
	unsigned int count;
};

/* The arrays of the event that is being filled */
struct batch {
	struct machine_out out;
	size_t most;			/* bytes of them */
	struct etw_text places, counts, names, images, offsets;
	uint16_t place_count, name_count;
	struct symbol_location of;	/* what all of them belong to */
	struct recorded_count *written;
};

static int put(void *writer, const void *record, size_t size)
{
	return etw_etl_write(writer, 0, record, size);
}

static size_t batch_size(const struct batch *b)
{
	return b->places.len + b->counts.len + b->names.len + b->images.len + b->offsets.len;
}

static void batch_free(struct batch *b)
{
	etw_text_free(&b->places);
	etw_text_free(&b->counts);
	etw_text_free(&b->names);
	etw_text_free(&b->images);
	etw_text_free(&b->offsets);
	b->place_count = b->name_count = 0;
}

static void add_array(struct machine_event *e, const char *name, uint8_t in, uint8_t out,
		      uint16_t count, const struct etw_text *elements)
{
	machine_event_array(e, name, in, out, count, elements->data, elements->len);
	if (elements->error)
		e->payload.error = elements->error;
}

/* Write what the batch has, and empty it. */
static int batch_put(struct batch *b)
{
	struct machine_event e = { .meta_len = 0 };
	int err;

	if (!b->place_count)
		return 0;
	machine_event_begin(&e, ETW_MACHINE_FUNCTIONS);
	if (b->of.file) {
		machine_event_text(&e, "FileName", b->of.file->path);
		machine_event_binary(&e, "BuildId", b->of.file->build_id,
				     b->of.file->build_id_len);
	} else if (b->of.pid) {
		machine_event_u32(&e, "ProcessId", b->of.pid);
	}
	add_array(&e, "Places", TlgInHEXINT64, 0, b->place_count, &b->places);
	add_array(&e, "Counts", TlgInUINT8, 0, b->place_count, &b->counts);
	add_array(&e, "Names", TlgInANSISTRING, TlgOutUTF8, b->name_count, &b->names);
	add_array(&e, "Images", TlgInANSISTRING, TlgOutUTF8, b->name_count, &b->images);
	add_array(&e, "Offsets", TlgInUINT64, 0, b->place_count, &b->offsets);
	err = machine_event_put(&b->out, &e);
	if (err == -EMSGSIZE)
		b->written->left_out += b->place_count;
	else if (!err)
		b->written->places += b->place_count;
	batch_free(b);
	return err == -EMSGSIZE ? 0 : err;
}

static size_t place_size(const struct place *place)
{
	size_t size = 2 * sizeof(uint64_t) + 1;
	unsigned int i;

	for (i = 0; i < place->count; i++) {
		size += strlen(place->frames[i].function ? place->frames[i].function : "?") + 1;
		size += (place->frames[i].image ? strlen(place->frames[i].image) : 0) + 1;
	}
	return size;
}

static bool same_owner(const struct symbol_location *one, const struct symbol_location *other)
{
	return one->file == other->file && one->pid == other->pid;
}

static int batch_add(struct batch *b, const struct place *place)
{
	const size_t size = place_size(place);
	const struct symbol_frame *frame;
	unsigned int i;
	int err = 0;

	if (size > b->most) {
		b->written->left_out++;
		return 0;
	}
	if (!same_owner(&b->of, &place->location) || batch_size(b) + size > b->most ||
	    b->place_count == PLACES_MAX || b->name_count > UINT16_MAX - place->count)
		err = batch_put(b);
	if (err)
		return err;
	b->of = place->location;
	b->place_count++;
	etw_text_add(&b->places, (const char *)&place->location.at, sizeof(uint64_t));
	etw_text_char(&b->counts, (char)place->count);
	etw_text_add(&b->offsets, (const char *)&place->frames[place->count - 1].offset,
		     sizeof(uint64_t));
	for (i = 0; i < place->count; i++) {
		frame = &place->frames[i];
		etw_text_puts(&b->names, frame->function ? frame->function : "?");
		etw_text_char(&b->names, '\0');
		etw_text_puts(&b->images, frame->image ? frame->image : "");
		etw_text_char(&b->images, '\0');
		b->name_count++;
	}
	return 0;
}

/* The order of hashes must not be seen. */
static int compare(const void *a, const void *b)
{
	const struct place *one = a, *other = b;
	const struct image_file *x = one->location.file, *y = other->location.file;
	int order;

	if (x != y) {
		if (!x || !y)
			return x ? 1 : -1;
		order = strcmp(x->path, y->path);
		return order ? order : memcmp(x->build_id, y->build_id, sizeof(x->build_id));
	}
	if (one->location.pid != other->location.pid)
		return one->location.pid < other->location.pid ? -1 : 1;
	return one->location.at < other->location.at ? -1 :
	       one->location.at > other->location.at;
}

static int list_places(const struct symbolizer *symbolizer, struct place **list, size_t *count)
{
	struct place place, *grown;
	size_t at = 0;

	*list = NULL;
	*count = 0;
	while ((place.count = symbolizer_found(symbolizer, &at, &place.location, &place.frames))) {
		grown = etw_grow(*list, *count, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		*list = grown;
		(*list)[(*count)++] = place;
	}
	if (*count)
		qsort(*list, *count, sizeof(**list), compare);
	return 0;
}

int recorded_write(const struct symbolizer *symbolizer, struct etw_etl_writer *writer,
		   const struct etw_etl_info *info, struct recorded_count *written)
{
	const size_t buffer = info->header.BufferSize;
	struct batch b = { .out = { etw_etl_end_clock(info), put, writer }, .written = written };
	struct place *list;
	size_t count, i;
	int err;

	b.most = buffer > 2 * HEAD_MAX ? buffer - HEAD_MAX : buffer / 2;
	b.most = b.most < EVENT_MAX ? b.most : EVENT_MAX;
	err = list_places(symbolizer, &list, &count);
	for (i = 0; i < count && !err; i++)
		err = batch_add(&b, &list[i]);
	if (!err)
		err = batch_put(&b);
	batch_free(&b);
	free(list);
	return err;
}
