/* SPDX-License-Identifier: MIT */
/*
 * payload_layout.c - the fields of an event in the form that payload filters use
 *
 * The kernel walks one flat list of fields: the members of a structure follow each
 * other, once for each element of an array of structures.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "payload_layout.h"

#define FIELDS_MAX	4096	/* more than a program has steps for */

/* Marks a field of unknown length; no real field has this in-type. */
#define NO_WALK		TDH_INTYPE_NULL

struct making {
	const struct etw_mf_template *from;
	struct etw_payload_field *fields;
	unsigned int count;
	int16_t place[FIELDS_MAX];	/* index in fields for each field of the template, or -1 */
	bool no_memory;
};

/* The place of another field; -1 if it has none. */
static int16_t place_of(const struct making *m, unsigned int field)
{
	return field < FIELDS_MAX ? m->place[field] : -1;
}

/* A field whose count or length refers to a field without a place cannot be skipped. */
static void set_counts(const struct making *m, struct etw_payload_field *to,
		       const struct etw_mf_field *from)
{
	to->count_field = -1;
	to->length_field = -1;
	if (from->flags & ETW_MF_COUNT_FIELD) {
		to->count_field = place_of(m, from->count);
		if (to->count_field < 0)
			to->in_type = NO_WALK;
	} else {
		to->count = from->count;
	}
	if (from->flags & ETW_MF_LENGTH_FIELD) {
		to->length_field = place_of(m, from->length);
		if (to->length_field < 0)
			to->in_type = NO_WALK;
	} else if (from->flags & ETW_MF_LENGTH_FIXED || from->length) {
		to->length = from->length;
	}
}

static char *name_of(const char *structure, const char *name)
{
	char *text;

	if (!structure)
		return strdup(name);
	return asprintf(&text, "%s.%s", structure, name) < 0 ? NULL : text;
}

/* in: the structure that holds it, or NULL.  named: can a predicate refer to it? */
static void add_field(struct making *m, unsigned int i, const char *in, bool named)
{
	const struct etw_mf_field *from = &m->from->fields[i];
	struct etw_payload_field *to = &m->fields[m->count];
	char *name = NULL;

	if (m->count == FIELDS_MAX)
		return;
	if (named) {
		name = name_of(in, from->name);
		m->no_memory |= !name;
	}
	memset(to, 0, sizeof(*to));
	to->name = name;
	to->in_type = from->in_type;
	to->count = 1;
	/* IPv6 addresses need no length. */
	if (from->in_type == TDH_INTYPE_BINARY && from->out_type == TDH_OUTTYPE_IPV6)
		to->length = 16;
	set_counts(m, to, from);
	if (i < FIELDS_MAX)
		m->place[i] = (int16_t)m->count;
	m->count++;
}

static void add_no_walk(struct making *m, const char *name)
{
	if (m->count == FIELDS_MAX)
		return;
	m->fields[m->count] = (struct etw_payload_field){
		.name = strdup(name), .in_type = NO_WALK, .count = 1,
		.count_field = -1, .length_field = -1,
	};
	m->no_memory |= !m->fields[m->count].name;
	m->count++;
}

static void add_struct(struct making *m, const struct etw_mf_field *from)
{
	unsigned int element, i;

	if (from->flags & ETW_MF_COUNT_FIELD) {
		add_no_walk(m, from->name);
		return;
	}
	for (element = 0; element < from->count && m->count < FIELDS_MAX; element++)
		for (i = 0; i < from->members; i++)
			add_field(m, from->first + i, from->name, from->count == 1);
}

int etw_payload_layout_of(const struct etw_mf_event *event, struct etw_payload_layout *layout)
{
	struct making m = { .from = event->template };
	unsigned int i;

	memset(layout, 0, sizeof(*layout));
	memset(m.place, -1, sizeof(m.place));
	m.fields = calloc(FIELDS_MAX, sizeof(*m.fields));
	if (!m.fields)
		return -ENOMEM;
	for (i = 0; m.from && i < m.from->top; i++) {
		if (m.from->fields[i].flags & ETW_MF_STRUCT)
			add_struct(&m, &m.from->fields[i]);
		else
			add_field(&m, i, NULL, true);
	}
	layout->id = event->desc.Id;
	layout->version = event->desc.Version;
	layout->count = (uint16_t)m.count;
	layout->fields = m.fields;
	if (!m.no_memory)
		return 0;
	etw_payload_layout_free(layout);
	return -ENOMEM;
}

void etw_payload_layout_free(struct etw_payload_layout *layout)
{
	unsigned int i;

	for (i = 0; i < layout->count; i++)
		free((char *)(uintptr_t)layout->fields[i].name);
	free((void *)(uintptr_t)layout->fields);
	memset(layout, 0, sizeof(*layout));
}
