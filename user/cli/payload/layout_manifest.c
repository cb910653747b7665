/* SPDX-License-Identifier: MIT */
/*
 * layout_manifest.c - the fields of an event, as its manifest has them
 *
 * Members of a structure stand for themselves, where the structure is.  An array of
 * structures cannot be walked over: it becomes a field of a type that nobody knows.
 */
#include <string.h>
#include "layout.h"

#define NEST_MAX	8	/* of structures within structures; manifests have 1 */

/* Where a field of the template has come to, for lengths and counts that refer to it */
struct places {
	const struct etw_mf_template *template;
	int16_t of[LAYOUT_FIELDS];
};

static void note(struct places *places, unsigned int index, int place)
{
	if (index < LAYOUT_FIELDS)
		places->of[index] = (int16_t)place;
}

static int16_t place_of(const struct places *places, unsigned int index)
{
	return index < LAYOUT_FIELDS ? places->of[index] : -1;
}

/* false: it depends on a field that is nowhere. */
static bool fill(const struct places *places, const struct etw_mf_field *from,
		 struct etw_payload_field *to)
{
	*to = (struct etw_payload_field){ .name = from->name, .in_type = from->in_type, .count = 1,
					  .count_field = -1, .length_field = -1 };
	if (from->flags & ETW_MF_COUNT_FIELD) {
		to->count_field = place_of(places, from->count);
		if (to->count_field < 0)
			return false;
	} else {
		to->count = from->count;
	}
	if (from->flags & ETW_MF_LENGTH_FIELD) {
		to->length_field = place_of(places, from->length);
		if (to->length_field < 0)
			return false;
	} else if (from->in_type == TDH_INTYPE_BINARY && !from->length &&
		   from->out_type == TDH_OUTTYPE_IPV6) {
		to->length = 16;
	} else {
		to->length = from->length;
	}
	return true;
}

static bool is_array(const struct etw_mf_field *field)
{
	return field->flags & (ETW_MF_COUNT_FIELD | ETW_MF_COUNT_FIXED) || field->count != 1;
}

/* Fields first to end of the template, in the order of the payload. */
static void add_fields(struct layout *layout, struct places *places, unsigned int first,
		       unsigned int end, unsigned int nest)
{
	unsigned int i;

	for (i = first; i < end && i < places->template->count; i++) {
		const struct etw_mf_field *from = &places->template->fields[i];
		struct etw_payload_field *to = &layout->fields[layout->event.count];

		if (from->flags & ETW_MF_STRUCT && !is_array(from) && nest < NEST_MAX) {
			add_fields(layout, places, from->first,
				   from->first + from->members, nest + 1);
			continue;
		}
		if (layout->event.count == LAYOUT_FIELDS)
			return;
		if (!fill(places, from, to))
			to->in_type = 0;
		layout->maps[layout->event.count] = from->map;
		note(places, i, layout->event.count++);
	}
}

void layout_manifest(const struct etw_mf_event *event, const char *what, struct layout *layout)
{
	struct places places = { .template = event->template };

	memset(layout, 0, sizeof(*layout));
	memset(places.of, -1, sizeof(places.of));
	layout->what = what;
	layout->event.id = event->desc.Id;
	layout->event.version = event->desc.Version;
	layout->event.fields = layout->fields;
	if (event->template)
		add_fields(layout, &places, 0, event->template->top, 0);
}
