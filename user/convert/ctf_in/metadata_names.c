/* SPDX-License-Identifier: MIT */
/*
 * metadata_names.c - names of fields that TSDL cannot have
 *
 * Where they stand within an event does not matter: a name that is made of another one
 * is one, wherever it is.
 */
#include <string.h>

#include "metadata.h"

#define WORK	(1u << 24)	/* members that are looked at, of all events */

struct search {
	const char *legal, *name;
	unsigned int work, depth;
};

static void rename_in(struct search *s, const struct cm_type *type)
{
	uint32_t i;

	if (s->depth == CM_NEST_MAX)
		return;
	s->depth++;
	if (type->kind == CM_ARRAY || type->kind == CM_SEQUENCE)
		rename_in(s, type->element);
	for (i = 0; type->kind == CM_STRUCT && i < type->member_count && s->work; i++) {
		struct cm_member *m = &type->members[i];

		s->work--;
		if (!strcmp(m->name + (m->name[0] == '_'), s->legal))
			m->shown = s->name;
		else
			rename_in(s, m->type);
	}
	s->depth--;
}

void cm_use_true_names(struct cm_meta *meta)
{
	const struct cm_stream *stream = cm_stream(meta, 0);
	struct search s = { .work = WORK };
	const struct cm_true_name *t;
	const struct cm_event *event;

	if (!stream || !meta->tracer || strcmp(meta->tracer, "etw"))
		return;
	for (t = meta->true_names; t && s.work; t = t->next) {
		event = cm_event(stream, t->event);
		s.legal = t->legal;
		s.name = t->name;
		s.depth = 0;
		if (event && event->fields)
			rename_in(&s, event->fields);
	}
}
