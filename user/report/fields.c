/* SPDX-License-Identifier: MIT */
/*
 * fields.c - the distribution of numeric fields, and their mean over time
 *
 * Integers of the top level that are shown as numbers; addresses, masks and codes are not. The
 * first event of a kind that is whole says which fields these are and where, so that events
 * without any are not decoded, and none is decoded beyond its last one. Events of one name whose
 * schemas differ (TraceLogging) are one kind: the first event of each schema adds its fields, which
 * the decoder's identities tell (kinds.c).
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

int report_fields_count(struct report *r, const struct report_place *place)
{
	struct report_kind *kind = place->kind;
	struct etw_decoder *decoder = place->event->decoder;
	struct report_field *own;
	struct etw_field field;
	unsigned int next = 0;
	__int128 number;
	int ret, err;

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
	etw_decode_rewind(decoder);
	while ((ret = etw_decode_next(decoder, &field)) == 1) {
		if (!number_of(&field, &number)) {
			if (kind->fields_known && !field.depth && field.position + 1u >= kind->field_end)
				return 0;
			continue;
		}
		own = find_field(kind, field.name, &next);
		if (!own && !kind->fields_known)
			own = new_field(r, kind, &field);
		if (!own && !kind->fields_known && !kind->fields_left_out)
			return -ENOMEM;
		if (own && field.position >= kind->field_end)
			kind->field_end = field.position + 1u;
		err = own ? count_field(r, place, own, number) : 0;
		if (err)
			return err;
		if (kind->fields_known && field.position + 1u >= kind->field_end)
			return 0;
	}
	/* A whole event: later ones of its kind have the same fields. */
	if (!ret)
		kind->fields_known = true;
	return 0;
}
