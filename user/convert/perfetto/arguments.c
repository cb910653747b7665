/* SPDX-License-Identifier: MIT */
/*
 * arguments.c - the fields of an event as debug annotations
 */
#include <string.h>
#include "base/event_context.h"
#include "convert/items_kind.h"
#include "convert/names.h"
#include "perfetto.h"
#include "convert/proto.h"
#include "tdh/decode/format.h"

#define NEST_MAX	64	/* levels of structures and arrays; deeper ones are left out */

static struct etw_interner *index_of(struct perfetto_strings *strings, enum interned_data index)
{
	switch (index) {
	case INTERNED_CATEGORIES:
		return &strings->categories;
	case INTERNED_NAMES:
		return &strings->names;
	case INTERNED_ANNOTATIONS:
		return &strings->annotations;
	default:
		return &strings->values;
	}
}

void perfetto_strings_free(struct perfetto_strings *strings)
{
	etw_interner_clear(&strings->categories);
	etw_interner_clear(&strings->names);
	etw_interner_clear(&strings->annotations);
	etw_interner_clear(&strings->values);
	etw_text_free(&strings->pending);
}

uint32_t perfetto_string(struct perfetto_strings *strings, struct etw_text *to,
			 enum interned_data index, unsigned int iid, unsigned int plain,
			 const char *s, size_t len)
{
	struct etw_interner *interner = index_of(strings, index);
	uint32_t number;
	size_t begun;
	bool is_new;

	interner->max = INTERNED_MAX;
	interner->max_bytes = INTERNED_BYTES;
	number = etw_intern(interner, s, len, &is_new);
	if (!number) {
		proto_string(to, plain, s, len);
		return 0;
	}
	proto_uint(to, iid, number);
	if (!is_new)
		return number;
	begun = proto_begin(&strings->pending, index);
	proto_uint(&strings->pending, INTERNED_IID, number);
	proto_string(&strings->pending, INTERNED_STRING, s, len);
	proto_end(&strings->pending, begun);
	return number;
}

struct args {
	struct perfetto_strings *strings;
	struct etw_text *to, *scratch;
};

/* The number of a field's name is kept with the plan. */
static void put_name(struct args *args, struct etw_field_step *step, const char *name)
{
	if (step->mark)
		proto_uint(args->to, ANNOTATION_NAME_IID, step->mark);
	else
		step->mark = perfetto_string(args->strings, args->to, INTERNED_ANNOTATIONS,
					     ANNOTATION_NAME_IID, ANNOTATION_NAME, name,
					     strlen(name));
}

/* Begin an annotation in field "in" of a message; name is a literal. */
static size_t begin_named(struct args *args, unsigned int in, const char *name)
{
	struct perfetto_strings *strings = args->strings;
	const size_t at = ((uintptr_t)name >> 2) % (sizeof(strings->own) / sizeof(strings->own[0]));
	size_t begun = proto_begin(args->to, in);

	if (strings->own[at].literal == name) {
		proto_uint(args->to, ANNOTATION_NAME_IID, strings->own[at].number);
		return begun;
	}
	strings->own[at].number = perfetto_string(strings, args->to, INTERNED_ANNOTATIONS,
						  ANNOTATION_NAME_IID, ANNOTATION_NAME, name,
						  strlen(name));
	strings->own[at].literal = strings->own[at].number ? name : NULL;
	return begun;
}

static void put_uint(struct args *args, const char *name, uint64_t value)
{
	size_t begun = begin_named(args, ANNOTATION_DICT, name);

	proto_uint(args->to, ANNOTATION_UINT, value);
	proto_end(args->to, begun);
}

static void put_scratch(struct args *args, unsigned int in, const char *name)
{
	size_t begun = begin_named(args, in, name);

	proto_string(args->to, ANNOTATION_STRING, args->scratch->data ? args->scratch->data : "",
		     args->scratch->len);
	proto_end(args->to, begun);
}

/* A text in scratch, or the number that it had before.  The number that it has. */
static uint32_t put_common(struct args *args, const char *name, uint32_t number)
{
	size_t begun = begin_named(args, ANNOTATION_DICT, name);

	if (number)
		proto_uint(args->to, ANNOTATION_STRING_IID, number);
	else if (args->scratch->data)
		number = perfetto_string(args->strings, args->to, INTERNED_VALUES,
					 ANNOTATION_STRING_IID, ANNOTATION_STRING,
					 args->scratch->data, args->scratch->len);
	proto_end(args->to, begun);
	return number;
}

/* A GUID or a 64-bit mask that most events share with the one before */
static void put_shared(struct args *args, const char *name, struct perfetto_shared *last,
		       const void *value, size_t size)
{
	uint64_t mask;

	args->scratch->len = 0;
	if (!last->number || memcmp(last->value, value, size)) {
		last->number = 0;
		memcpy(last->value, value, size);
		memcpy(&mask, value, sizeof(mask));
		if (size == sizeof(GUID))
			etw_text_guid(args->scratch, value);
		else
			etw_text_0x(args->scratch, mask);
	}
	last->number = put_common(args, name, last->number);
}

static void put_guid(struct args *args, const char *name, const void *guid)
{
	args->scratch->len = 0;
	etw_text_guid(args->scratch, guid);
	put_scratch(args, ANNOTATION_DICT, name);
}

/* ------------------------------------------------------------- extended items */

static void put_stack(struct args *args, const struct etw_ext_view *item, size_t width)
{
	size_t at, entry;

	for (at = ITEMS_STACK_HEAD; at + width <= item->data_len; at += width) {
		entry = proto_begin(args->to, ANNOTATION_ARRAY);
		proto_uint(args->to, ANNOTATION_POINTER, items_number(item->data, at, width));
		proto_end(args->to, entry);
	}
}

static void put_members(struct args *args, const struct items_member *m, const void *data)
{
	for (; m->key; m++) {
		if (m->size == ITEMS_GUID)
			put_guid(args, m->key, (const uint8_t *)data + m->at);
		else
			put_uint(args, m->key, items_number(data, m->at, m->size));
	}
}

static void put_context(struct args *args, const void *data)
{
	const struct etw_ext_context context = etw_event_context_load(data);
	const char *below = etw_event_context_below(&context);

	args->scratch->len = 0;
	etw_text_puts(args->scratch, etw_event_context_name(context.context));
	put_scratch(args, ANNOTATION_DICT, "type");
	if (below) {
		args->scratch->len = 0;
		etw_text_puts(args->scratch, below);
		put_scratch(args, ANNOTATION_DICT, "over");
	}
	put_uint(args, "irqs_off", !!(context.flags & ETW_CONTEXT_IRQS_OFF));
	put_uint(args, "bh_off", !!(context.flags & ETW_CONTEXT_BH_OFF));
	put_uint(args, "preempt_depth", context.preempt_depth);
}

/* Put the first item of each kind. */
static void put_items(struct args *args, const struct etw_record_view *record)
{
	struct items_walk walk = { .record = record, .once = true };
	const struct items_kind *kind;
	struct etw_ext_view item;
	size_t begun;

	while ((kind = items_next(&walk, &item))) {
		if (kind->shape == ITEM_NUMBER) {
			put_uint(args, kind->key, items_number(item.data, 0, 4));
		} else if (kind->shape == ITEM_STACK || kind->shape == ITEM_CONTEXT ||
			   kind->members) {
			begun = begin_named(args, ANNOTATION_DICT, kind->key);
			if (kind->members)
				put_members(args, kind->members, item.data);
			else if (kind->shape == ITEM_CONTEXT)
				put_context(args, item.data);
			else
				put_stack(args, &item, kind->width);
			proto_end(args->to, begun);
		} else {
			args->scratch->len = 0;
			items_add_string(args->scratch, kind, &item);
			put_scratch(args, ANNOTATION_DICT, kind->key);
		}
	}
}

static void put_provider(struct args *args, const EVENT_HEADER *header)
{
	put_shared(args, "provider", &args->strings->provider, &header->ProviderId, sizeof(GUID));
}

static void put_descriptor(struct args *args, const EVENT_HEADER *header)
{
	const EVENT_DESCRIPTOR *desc = &header->EventDescriptor;

	put_uint(args, "id", desc->Id);
	put_uint(args, "version", desc->Version);
	put_uint(args, "level", desc->Level);
	put_uint(args, "opcode", desc->Opcode);
	put_uint(args, "task", desc->Task);
	put_shared(args, "keyword", &args->strings->keyword, &desc->Keyword, sizeof(desc->Keyword));
}

/* Put a part that all events of one kind share; it is made for the first of them. */
static void put_part(struct args *args, const struct convert_event *e, unsigned int i,
		     void (*put)(struct args *args, const EVENT_HEADER *header))
{
	const struct args own = *args;
	struct etw_identity *identity = e->decoder->identity;

	if (!identity) {
		put(args, &e->record->EventHeader);
		return;
	}
	if (identity->prepared == i) {
		args->to = &identity->text;
		put(args, &e->record->EventHeader);
		args->to = own.to;
		identity->ends[i] = identity->text.len;
		identity->prepared++;
	}
	if (identity->text.error)
		args->to->error = identity->text.error;
	etw_identity_part(identity, i, args->to);
}

static void put_identity(struct args *args, const struct convert_event *e, enum slice_part part,
			 unsigned int in)
{
	const EVENT_HEADER *header = &e->record->EventHeader;
	size_t begun = begin_named(args, in, "etw");
	static const GUID none;

	put_part(args, e, 0, put_provider);
	if (part != SLICE_INSTANT) {
		args->scratch->len = 0;
		convert_add_name(e->decoded, CONVERT_RAW, args->scratch);
		put_common(args, "event", 0);
	}
	put_part(args, e, 1, put_descriptor);
	put_uint(args, "cpu", e->event->cpu);
	put_uint(args, "pid", header->ProcessId);
	put_uint(args, "tid", header->ThreadId);
	if (e->decoded->mode) {
		args->scratch->len = 0;
		etw_text_puts(args->scratch, e->decoded->mode);
		put_scratch(args, ANNOTATION_DICT, "mode");
	}
	if (memcmp(&header->ActivityId, &none, sizeof(none)))
		put_guid(args, "activity", &header->ActivityId);
	if (etw_decoder_has_items(e->decoder))
		put_items(args, &e->event->record);
	proto_end(args->to, begun);
}

/* ---------------------------------------------------------------------- fields */

static void put_value(struct args *args, const struct etw_field *field)
{
	struct etw_text *to = args->to;

	switch (etw_field_is_named(field) ? ETW_VALUE_NONE : field->value_kind) {
	case ETW_VALUE_UNSIGNED:
		proto_uint(to, ANNOTATION_UINT, field->value.u);
		return;
	case ETW_VALUE_SIGNED:
		proto_int(to, ANNOTATION_INT, field->value.i);
		return;
	case ETW_VALUE_HEX:
		proto_uint(to, ANNOTATION_POINTER, field->value.u);
		return;
	case ETW_VALUE_BOOLEAN:
		proto_uint(to, ANNOTATION_BOOL, field->value.u != 0);
		return;
	case ETW_VALUE_FLOAT:
	case ETW_VALUE_DOUBLE:
		proto_double(to, ANNOTATION_DOUBLE, field->value.f);
		return;
	case ETW_VALUE_STRING8:
		/* Valid text stays as it is. */
		if (etw_utf8_valid(field->data, field->size)) {
			proto_bytes(to, ANNOTATION_STRING, field->data, field->size);
			return;
		}
		/* fallthrough */
	default:
		args->scratch->len = 0;
		etw_format_value(args->scratch, field, ETW_FORMAT_RAW);
		proto_string(to, ANNOTATION_STRING, args->scratch->data ? args->scratch->data : "",
			     args->scratch->len);
	}
}

/* Structures and arrays that are open */
struct nest {
	size_t begun[NEST_MAX];
	bool array[NEST_MAX];
	unsigned int depth, too_deep;
};

static void put_field(struct args *args, struct nest *nest, const struct etw_field *field,
		      struct etw_field_step *step, unsigned int in)
{
	const bool element = nest->depth && nest->array[nest->depth - 1];
	const bool begins = field->kind == ETW_FIELD_STRUCT_BEGIN ||
			    field->kind == ETW_FIELD_ARRAY_BEGIN;
	size_t begun;

	if (nest->too_deep || (begins && nest->depth == NEST_MAX)) {
		nest->too_deep += begins;
		return;
	}
	if (nest->depth)
		in = element ? ANNOTATION_ARRAY : ANNOTATION_DICT;
	begun = proto_begin(args->to, in);
	if (!element)
		put_name(args, step, field->name);
	if (begins) {
		nest->array[nest->depth] = field->kind == ETW_FIELD_ARRAY_BEGIN;
		nest->begun[nest->depth++] = begun;
		return;
	}
	put_value(args, field);
	proto_end(args->to, begun);
}

static void leave(struct args *args, struct nest *nest)
{
	if (nest->too_deep)
		nest->too_deep--;
	else if (nest->depth)
		proto_end(args->to, nest->begun[--nest->depth]);
}

static void put_fields(struct args *args, const struct convert_event *e, unsigned int in)
{
	const size_t start = args->to->len;
	struct nest nest = { .depth = 0 };
	struct etw_field field;
	const void *rest;
	size_t left;

	etw_decode_rewind(e->decoder);
	while (e->known && args->to->len - start <= ETW_FORMAT_MAX &&
	       etw_decode_next(e->decoder, &field) == 1) {
		if (field.kind == ETW_FIELD_STRUCT_END || field.kind == ETW_FIELD_ARRAY_END)
			leave(args, &nest);
		else
			put_field(args, &nest, &field, &e->decoder->plan->steps[field.position], in);
	}
	/* The event may end too early, or be too large. */
	nest.too_deep = 0;
	while (nest.depth)
		leave(args, &nest);
	rest = etw_decode_rest(e->decoder, &left);
	if (!left)
		return;
	args->scratch->len = 0;
	etw_text_hex(args->scratch, rest, left);
	put_scratch(args, in, e->known ? "rest" : "data");
}

void perfetto_annotations(struct perfetto_strings *strings, const struct convert_event *e,
			  enum slice_part part, struct etw_text *scratch, struct etw_text *to)
{
	struct args args = { strings, to, scratch };
	unsigned int in = TRACK_EVENT_ANNOTATION;
	size_t begun = 0;

	if (part == SLICE_STOP) {
		begun = begin_named(&args, in, "stop");
		in = ANNOTATION_DICT;
	}
	put_fields(&args, e, in);
	put_identity(&args, e, part, in);
	if (part == SLICE_STOP)
		proto_end(to, begun);
	if (scratch->error && !to->error)
		to->error = scratch->error;
}
