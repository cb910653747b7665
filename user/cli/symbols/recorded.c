/* SPDX-License-Identifier: MIT */
/*
 * recorded.c - the names of functions that a log file has itself
 *
 * Anybody may have written them: what does not fit together is left out, and names are bounded as
 * all are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "etl/file.h"
#include "etl/record.h"
#include "lib/consumer/event_record.h"
#include "recorded.h"

/* The elements of an event's arrays */
struct functions {
	char path[4096];
	struct image_file file;
	uint32_t pid;
	uint64_t *places, *offsets;
	uint8_t *counts;
	const char **names, **images;	/* kept */
	size_t place_count, offset_count, count_count, name_count, image_count;
};

struct reading {
	struct symbolizer *symbolizer;
	bool of_one;
	struct etw_decoder *decoder;
	struct etw_event_items items;
	struct functions f;
};

#define ADD(list, count, value)							\
	do {									\
		void *grown = etw_grow((list), (count), sizeof(*(list)));	\
										\
		if (!grown)							\
			return -ENOMEM;						\
		(list) = grown;							\
		(list)[(count)++] = (value);					\
	} while (0)

static int take_name(struct reading *r, const struct etw_field *field, bool is_image)
{
	struct functions *f = &r->f;
	const char *kept = field->size ? symbolizer_keep(r->symbolizer, field->data, field->size) :
			   NULL;

	if (is_image)
		ADD(f->images, f->image_count, kept);
	else
		ADD(f->names, f->name_count, kept);
	return 0;
}

static int take_number(struct functions *f, const struct etw_field *field)
{
	if (!strcmp(field->name, "Places") && field->size == sizeof(uint64_t))
		ADD(f->places, f->place_count, field->value.u);
	else if (!strcmp(field->name, "Offsets") && field->size == sizeof(uint64_t))
		ADD(f->offsets, f->offset_count, field->value.u);
	else if (!strcmp(field->name, "Counts") && field->size == sizeof(uint8_t))
		ADD(f->counts, f->count_count, (uint8_t)field->value.u);
	else if (!strcmp(field->name, "ProcessId") && field->size == sizeof(uint32_t))
		f->pid = (uint32_t)field->value.u;
	return 0;
}

static int take_field(struct reading *r, const struct etw_field *field)
{
	struct functions *f = &r->f;

	switch (field->value_kind) {
	case ETW_VALUE_STRING8:
		if (!strcmp(field->name, "Names"))
			return take_name(r, field, false);
		if (!strcmp(field->name, "Images"))
			return take_name(r, field, true);
		if (!strcmp(field->name, "FileName") && field->size < sizeof(f->path)) {
			memcpy(f->path, field->data, field->size);
			f->path[field->size] = '\0';
			f->file.path = f->path;
		}
		return 0;
	case ETW_VALUE_BINARY:
		if (!strcmp(field->name, "BuildId") && field->size <= sizeof(f->file.build_id)) {
			memcpy(f->file.build_id, field->data, field->size);
			f->file.build_id_len = (uint8_t)field->size;
		}
		return 0;
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_HEX:
		return take_number(f, field);
	default:
		return 0;
	}
}

static void forget(struct functions *f)
{
	free(f->places);
	free(f->offsets);
	free(f->counts);
	free(f->names);
	free(f->images);
	memset(f, 0, sizeof(*f));
}

/* Learn place after place, as long as there are names for it. */
static int learn(struct reading *r)
{
	struct functions *f = &r->f;
	struct symbol_frame frames[SYMBOLIZER_FRAMES];
	struct symbol_location location = { .pid = f->pid };
	size_t i, next = 0;
	unsigned int k;
	int err = 0;

	if (f->file.path)
		location.file = images_file(symbolizer_images(r->symbolizer), &f->file);
	if (f->file.path ? !location.file || !f->file.build_id_len : !r->of_one)
		return 0;
	for (i = 0; i < f->place_count && i < f->offset_count && i < f->count_count && !err; i++) {
		if (!f->counts[i] || f->counts[i] > SYMBOLIZER_FRAMES ||
		    f->counts[i] > f->name_count - next || f->counts[i] > f->image_count - next)
			return 0;
		for (k = 0; k < f->counts[i]; k++)
			frames[k] = (struct symbol_frame){
				.function = f->names[next + k], .image = f->images[next + k],
				.offset = k + 1 == f->counts[i] ? f->offsets[i] : 0,
				.inlined = k + 1 < f->counts[i],
				.kernel = !f->file.path && !f->pid,
			};
		next += f->counts[i];
		location.at = f->places[i];
		err = symbolizer_learn(r->symbolizer, &location, frames, f->counts[i]);
	}
	return err;
}

static int take(void *context, const struct etw_record_view *record)
{
	static const struct etw_buffer_header buffer;
	const struct etw_event event = { .record = *record, .buffer = &buffer };
	struct reading *r = context;
	const struct etw_decoded *decoded;
	struct etw_field field;
	EVENT_RECORD own;
	int err;

	if (etw_etl_is_system(record->header) || !etw_kind_is_machine(record->header))
		return 0;
	etw_event_record(&own, &event, &r->items, false);
	err = etw_decode(r->decoder, &own, &decoded);
	if (err || !decoded->event || strcmp(decoded->event, ETW_MACHINE_FUNCTIONS))
		return err == -ENOMEM ? err : 0;
	while (!err && etw_decode_next(r->decoder, &field) == 1)
		if (field.kind == ETW_FIELD_VALUE)
			err = take_field(r, &field);
	if (!err)
		err = learn(r);
	forget(&r->f);
	return err;
}

int recorded_read(struct symbolizer *symbolizer, const char *path, bool of_one)
{
	struct reading reading = { .symbolizer = symbolizer, .of_one = of_one,
				   .decoder = etw_decoder_new() };
	struct etw_etl_file *file;
	int err = reading.decoder ? etw_etl_open(path, NULL, NULL, &file) : -ENOMEM;

	if (!err) {
		err = etw_etl_ends(file, take, &reading);
		etw_etl_close(file);
	}
	etw_event_items_free(&reading.items);
	etw_decoder_free(reading.decoder);
	return err;
}
