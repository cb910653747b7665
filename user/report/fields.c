/* SPDX-License-Identifier: MIT */
/*
 * fields.c - the distribution of numeric fields, and their mean over time
 *
 * Integers of the top level that are shown as numbers; addresses, masks and codes are not. The
 * first event of a kind that is whole says which fields these are and where, so that events
 * without any are not decoded, and none is decoded beyond its last one. Events of one name whose
 * schemas differ (TraceLogging) are one kind: the first event of each schema adds its fields, which
 * the decoder's identities tell (kinds.c). Where the numbers are in the events of a schema is kept for
 * the latest one: these are read without the fields around them.
 *
 * There is room for REPORT_FIELDS. A kind that comes when they are taken is looked at again each
 * time its events have doubled: then it takes the place of the rarest kind that has fields, if that
 * has less than half as many events. What a field missed until it had a place is counted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report_private.h"
#include "base/grow.h"
#include "tdh/decode/decoder.h"

#define OF_A_KIND	32	/* fields of a kind that are counted */
#define LOOK_AGAIN	256	/* events of a kind before it may take another's place */

static void free_field(struct report_field *field)
{
	report_histogram_free(&field->values);
	free(field->name);
	free(field);
}

void report_fields_free(struct report_kind *kind)
{
	unsigned int i;

	for (i = 0; i < kind->field_count; i++)
		free_field(kind->fields[i]);
	free(kind->fields);
	if (kind->field_count)
		*kind->field_room -= kind->field_count;
	kind->fields = NULL;
	kind->field_count = kind->field_end = 0;
	kind->numbers_plan = NULL;
}

void report_fields_forget(struct report_kind *kind)
{
	kind->fields_known = kind->status_known = false;
	kind->numbers_plan = kind->status_plan = NULL;
}

/* As report_series_fold(), of numbers with signs */
void report_sums_update(const struct report *r, struct report_field *field)
{
	__int128 *sums = field->sums;
	unsigned int i;

	for (; field->series.shift < r->scale.shift; field->series.shift++) {
		for (i = 0; i < REPORT_SERIES / 2; i++)
			sums[i] = sums[2 * i] + sums[2 * i + 1];
		for (; i < REPORT_SERIES; i++)
			sums[i] = 0;
	}
}

/* Free the fields of the rarest kind for one that is more than twice as frequent. */
static bool make_room(struct report *r, const struct report_kind *kind)
{
	struct report_kind *rarest = NULL, *other;
	uint32_t i;

	for (i = 0; i < r->kinds.count; i++) {
		other = (struct report_kind *)r->kinds.entries[i];
		if (other->field_count && other != kind &&
		    (!rarest || other->entry.events < rarest->entry.events))
			rarest = other;
	}
	if (!rarest || rarest->entry.events >= kind->entry.events / 2)
		return false;
	report_fields_free(rarest);
	rarest->fields_left_out = true;
	return true;
}

/* Is it time to look whether there is room for the fields that were left out? */
static bool looks_again(struct report *r, struct report_kind *kind)
{
	const uint64_t events = kind->entry.events;

	if (events < LOOK_AGAIN || events & (events - 1) || kind->field_count == OF_A_KIND)
		return false;
	return r->field_count < REPORT_FIELDS || make_room(r, kind);
}

/* The field's number; false: it is not a number that is counted. */
static bool number_of(const struct etw_field *field, __int128 *number)
{
	if (field->depth || field->kind != ETW_FIELD_VALUE ||
	    (field->map && !etw_field_map_is_sparse(field->map)))
		return false;
	if (field->value_kind == ETW_VALUE_UNSIGNED)
		*number = field->value.u;
	else if (field->value_kind == ETW_VALUE_SIGNED)
		*number = field->value.i;
	else
		return false;
	return true;
}

/* NULL: no memory, or no room, which sets kind->fields_left_out */
static struct report_field *new_field(struct report *r, struct report_kind *kind,
				      const struct etw_field *field)
{
	struct report_field *own;
	void *list;

	if (kind->field_count == OF_A_KIND || r->field_count == REPORT_FIELDS) {
		kind->fields_left_out = true;
		return NULL;
	}
	list = etw_grow(kind->fields, kind->field_count, sizeof(*kind->fields));
	if (!list)
		return NULL;
	kind->fields = list;
	own = calloc(1, sizeof(*own));
	if (own)
		own->name = report_name(field->name);
	if (!own || !own->name) {
		free(own);
		return NULL;
	}
	own->series.shift = r->scale.shift;
	own->series_counts.shift = r->scale.shift;
	own->missed = kind->fields_missed ? kind->entry.events - 1 : 0;
	kind->field_room = &r->field_count;
	kind->fields[kind->field_count++] = own;
	r->field_count++;
	return own;
}

/* The field of this name; mostly the one after that of the last call, which *next is. */
static struct report_field *find_field(struct report_kind *kind, const char *name,
				       unsigned int *next)
{
	unsigned int i, at;

	for (i = 0; i < kind->field_count; i++) {
		at = (*next + i) % kind->field_count;
		if (strcmp(kind->fields[at]->name, name))
			continue;
		*next = at + 1;
		return kind->fields[at];
	}
	return NULL;
}

static int count_field(struct report *r, const struct report_place *place,
		       struct report_field *field, __int128 number)
{
	const unsigned int bucket = place->bucket / (REPORT_BUCKETS / REPORT_SERIES);

	report_sums_update(r, field);
	report_series_update(&field->series_counts, &r->scale, field->counts, REPORT_SERIES);
	field->sums[bucket] += number;
	field->counts[bucket]++;
	return report_histogram_add(&field->values, number);
}

/* Count the numbers of an event at known positions. 1: all of them; 0: they are not known; -ENOMEM */
static int count_numbers(struct report *r, const struct report_place *place)
{
	const struct report_kind *kind = place->kind;
	const struct etw_decoder *decoder = place->event->decoder;
	uint64_t numbers[REPORT_PLAIN];
	unsigned int i;
	int err = 0;

	/* The plan of an event without an identity may be gone, and another one in its place. */
	if (!kind->fields_known || !decoder->identity || kind->numbers_plan != decoder->plan ||
	    etw_decode_numbers(decoder, numbers, kind->numbers_end) < kind->numbers_end)
		return 0;
	for (i = 0; i < kind->numbers_end && !err; i++) {
		if (!kind->numbers[i])
			continue;
		err = count_field(r, place, kind->fields[kind->numbers[i] - 1],
				  decoder->plan->steps[i].plain == ETW_PLAIN_SIGNED ?
				  (__int128)(int64_t)numbers[i] : (__int128)numbers[i]);
	}
	return err ? err : 1;
}

/* Note where an event has a field that is counted, if that is among the first ones. */
static void note_number(struct report_kind *kind, unsigned int position, unsigned int number)
{
	if (position >= REPORT_PLAIN)
		return;
	while (kind->numbers_end <= position)
		kind->numbers[kind->numbers_end++] = 0;
	kind->numbers[position] = (uint8_t)number;
}

static int take_number(struct report *r, const struct report_place *place,
		       const struct etw_field *field, __int128 number, unsigned int *next)
{
	struct report_kind *kind = place->kind;
	struct report_field *own = find_field(kind, field->name, next);

	if (!own && !kind->fields_known) {
		own = new_field(r, kind, field);
		*next = kind->field_count;
	}
	if (!own)
		return kind->fields_known || kind->fields_left_out ? 0 : -ENOMEM;
	if (field->position >= kind->field_end)
		kind->field_end = field->position + 1u;
	note_number(kind, field->position, *next);
	return count_field(r, place, own, number);
}

/* Decode an event and count its numbers. 1: all of them; 0: it is not whole; -ENOMEM */
static int decode_fields(struct report *r, const struct report_place *place)
{
	struct report_kind *kind = place->kind;
	struct etw_decoder *decoder = place->event->decoder;
	struct etw_field field;
	unsigned int next = 0;
	__int128 number;
	int ret, err;

	kind->numbers_plan = NULL;
	kind->numbers_end = 0;
	etw_decode_rewind(decoder);
	while ((ret = etw_decode_next(decoder, &field)) == 1) {
		if (number_of(&field, &number)) {
			err = take_number(r, place, &field, number, &next);
			if (err)
				return err;
		}
		if (kind->fields_known && !field.depth && field.position + 1u >= kind->field_end)
			return 1;
	}
	return !ret;
}

int report_fields_count(struct report *r, const struct report_place *place)
{
	struct report_kind *kind = place->kind;
	int ret;

	if (!place->event->known)
		return 0;
	if (kind->fields_left_out) {
		/* Whichever of its events gives them room, earlier ones were not counted. */
		kind->fields_missed = true;
		if (looks_again(r, kind))
			kind->fields_known = kind->fields_left_out = false;
	}
	if (kind->fields_known && !kind->field_end)
		return 0;
	ret = count_numbers(r, place);
	if (ret)
		return ret < 0 ? ret : 0;
	ret = decode_fields(r, place);
	if (ret != 1)
		return ret;
	/* A whole event: later ones of its kind have the same fields. */
	kind->fields_known = true;
	if (kind->field_end <= REPORT_PLAIN)
		kind->numbers_plan = place->event->decoder->plan;
	return 0;
}
