/* SPDX-License-Identifier: MIT */
/*
 * tsdl_root.c - the blocks of TSDL: trace, env, clock, stream, event
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tsdl.h"

/* An entry of a block: "key := TYPE;" or "key = VALUE;" */
struct entry {
	const char *key;
	const struct cm_type *type;
	const char *word;		/* a word or a string; NULL: a number */
	uint64_t number;
};

struct block {
	/* Take an entry; those that nobody knows are fine. */
	int (*take)(struct tsdl *t, void *context, const struct entry *e);
	void *context;
};

static int take_entry(struct tsdl *t, struct entry *e)
{
	int err = tsdl_dotted(t, &e->key);

	if (err)
		return err;
	if (t->token == TSDL_ASSIGN) {
		err = tsdl_next(t);
		if (!err)
			err = tsdl_type(t, &e->type);
	} else {
		err = tsdl_expect(t, '=');
		if (!err && t->token == TSDL_WORD) {
			err = tsdl_dotted(t, &e->word);
		} else if (!err && t->token == TSDL_STRING) {
			e->word = t->word;
			err = tsdl_next(t);
		} else if (!err) {
			err = tsdl_number(t, &e->number);
		}
	}
	return err ? err : tsdl_expect(t, ';');
}

static int take_block(struct tsdl *t, const struct block *block)
{
	unsigned int mark = t->alias_count;
	int err = tsdl_expect(t, '{');
	bool was;

	while (!err && !tsdl_is(t, '}')) {
		struct entry e = { .key = NULL };

		err = tsdl_alias(t, &was);
		if (err || was)
			continue;
		if (tsdl_is_word(t, "struct") || tsdl_is_word(t, "enum") ||
		    tsdl_is_word(t, "variant")) {
			err = tsdl_declaration(t);
			continue;
		}
		err = take_entry(t, &e);
		if (!err)
			err = block->take(t, block->context, &e);
	}
	t->alias_count = mark;
	if (!err)
		err = tsdl_next(t);
	return err ? err : tsdl_expect(t, ';');
}

static int take_struct(struct tsdl *t, const struct entry *e, const struct cm_type **to)
{
	if (!e->type || e->type->kind != CM_STRUCT)
		return tsdl_fail(t, "%.100s is no structure", e->key);
	*to = e->type;
	return 0;
}

static int on_trace(struct tsdl *t, void *context, const struct entry *e)
{
	struct cm_meta *meta = context;

	if (!strcmp(e->key, "packet.header"))
		return take_struct(t, e, &meta->packet_header);
	if (!strcmp(e->key, "major") && (e->word || e->number != 1))
		return tsdl_fail(t, "this is not version 1 of the format");
	return 0;
}

/* "field_CLASS_NUMBER_NAME" of our own traces */
static int take_true_name(struct tsdl *t, const struct entry *e)
{
	struct cm_true_name *name;
	char *rest;
	uint64_t event = strtoull(e->key + 6, &rest, 10);

	if (*rest != '_')
		return 0;
	strtoull(rest + 1, &rest, 10);
	if (*rest != '_' || !rest[1])
		return 0;
	name = cm_alloc(t->meta, sizeof(*name));
	if (!name)
		return -ENOMEM;
	*name = (struct cm_true_name){ event, rest + 1, e->word, t->meta->true_names };
	t->meta->true_names = name;
	return 0;
}

static int on_env(struct tsdl *t, void *context, const struct entry *e)
{
	struct cm_meta *meta = context;

	if (e->word && !strncmp(e->key, "field_", 6))
		return take_true_name(t, e);
	if (!strcmp(e->key, "tracer_name"))
		meta->tracer = e->word;
	else if (!strcmp(e->key, "hostname"))
		meta->hostname = e->word;
	else if (!strcmp(e->key, "trace_name"))
		meta->trace_name = e->word;
	return 0;
}

static int on_clock(struct tsdl *t, void *context, const struct entry *e)
{
	struct cm_clock *clock = context;

	if (!strcmp(e->key, "name"))
		clock->name = e->word;
	else if (!strcmp(e->key, "freq"))
		clock->frequency = e->number;
	else if (!strcmp(e->key, "offset_s"))
		clock->offset_s = (int64_t)e->number;
	else if (!strcmp(e->key, "offset"))
		clock->offset = (int64_t)e->number;
	if (!strcmp(e->key, "freq") && (e->word || !e->number))
		return tsdl_fail(t, "a clock has no frequency");
	return 0;
}

struct cm_clock *tsdl_clock(struct tsdl *t, const char *name)
{
	struct cm_clock *clock;
	unsigned int count = 0;

	for (clock = t->meta->clocks; clock && count < TSDL_STREAMS; clock = clock->next, count++)
		if (clock->name == name)
			return clock;
	clock = count < TSDL_STREAMS ? cm_alloc(t->meta, sizeof(*clock)) : NULL;
	if (!clock)
		return NULL;
	*clock = (struct cm_clock){ name, 1000000000, 0, 0, t->meta->clocks };
	t->meta->clocks = clock;
	return clock;
}

static int take_clock(struct tsdl *t)
{
	struct cm_clock said = { .frequency = 1000000000 }, *clock;
	int err = take_block(t, &(struct block){ on_clock, &said });

	if (err)
		return err;
	if (!said.name)
		return tsdl_fail(t, "a clock has no name");
	clock = tsdl_clock(t, said.name);
	if (!clock)
		return -ENOMEM;
	said.next = clock->next;
	*clock = said;
	return 0;
}

static int on_stream(struct tsdl *t, void *context, const struct entry *e)
{
	struct cm_stream *stream = context;

	if (!strcmp(e->key, "id"))
		stream->id = e->number;
	else if (!strcmp(e->key, "packet.context"))
		return take_struct(t, e, &stream->packet_context);
	else if (!strcmp(e->key, "event.header"))
		return take_struct(t, e, &stream->event_header);
	else if (!strcmp(e->key, "event.context"))
		return take_struct(t, e, &stream->event_context);
	return 0;
}

/* The stream of an id, which may be described behind its events */
static struct cm_stream *stream_of(struct tsdl *t, uint64_t id)
{
	struct cm_stream *stream = (struct cm_stream *)cm_stream(t->meta, id);

	if (stream || t->stream_count == TSDL_STREAMS)
		return stream;
	stream = cm_alloc(t->meta, sizeof(*stream));
	if (!stream)
		return NULL;
	t->stream_count++;
	stream->id = id;
	stream->next = t->meta->streams;
	t->meta->streams = stream;
	return stream;
}

static int take_stream(struct tsdl *t)
{
	struct cm_stream said = { .id = 0 }, *stream;
	int err = take_block(t, &(struct block){ on_stream, &said });

	if (err)
		return err;
	stream = stream_of(t, said.id);
	if (!stream)
		return tsdl_fail(t, "too many streams");
	stream->packet_context = said.packet_context;
	stream->event_header = said.event_header;
	stream->event_context = said.event_context;
	return 0;
}

struct event_block {
	struct cm_event *event;
	uint64_t stream;
};

static int on_event(struct tsdl *t, void *context, const struct entry *e)
{
	struct event_block *b = context;

	if (!strcmp(e->key, "id"))
		b->event->id = e->number;
	else if (!strcmp(e->key, "name"))
		b->event->name = e->word ? e->word : "";
	else if (!strcmp(e->key, "stream_id"))
		b->stream = e->number;
	else if (!strcmp(e->key, "loglevel") && !e->word && e->number < 256)
		b->event->loglevel = (int)e->number;
	else if (!strcmp(e->key, "model.emf.uri"))
		b->event->uri = e->word;
	else if (!strcmp(e->key, "context"))
		return take_struct(t, e, &b->event->context);
	else if (!strcmp(e->key, "fields"))
		return take_struct(t, e, &b->event->fields);
	return 0;
}

static int take_event(struct tsdl *t)
{
	struct event_block b = { cm_alloc(t->meta, sizeof(*b.event)), 0 };
	struct cm_stream *stream;
	int err;

	if (!b.event)
		return -ENOMEM;
	b.event->name = "";
	b.event->loglevel = -1;
	err = take_block(t, &(struct block){ on_event, &b });
	if (err)
		return err;
	stream = stream_of(t, b.stream);
	if (!stream)
		return tsdl_fail(t, "too many streams");
	b.event->next = stream->events;
	stream->events = b.event;
	stream->event_count++;
	return 0;
}

static int skip_entry(struct tsdl *t, void *context, const struct entry *e)
{
	(void)t, (void)context, (void)e;
	return 0;
}

static int take_root(struct tsdl *t)
{
	const char *word = t->token == TSDL_WORD ? t->word : "";
	bool was;
	int err = tsdl_alias(t, &was);

	if (err || was)
		return err;
	if (!strcmp(word, "struct") || !strcmp(word, "enum") || !strcmp(word, "variant"))
		return tsdl_declaration(t);
	if (t->token != TSDL_WORD)
		return tsdl_is(t, ';') ? tsdl_next(t) : tsdl_fail(t, "a block is missing");
	err = tsdl_next(t);
	if (err)
		return err;
	if (!strcmp(word, "trace")) {
		t->meta->has_trace = true;
		return take_block(t, &(struct block){ on_trace, t->meta });
	}
	if (!strcmp(word, "env"))
		return take_block(t, &(struct block){ on_env, t->meta });
	if (!strcmp(word, "clock"))
		return take_clock(t);
	if (!strcmp(word, "stream"))
		return take_stream(t);
	if (!strcmp(word, "event"))
		return take_event(t);
	if (!strcmp(word, "callsite"))
		return take_block(t, &(struct block){ skip_entry, NULL });
	return tsdl_fail(t, "there is no block \"%.100s\"", word);
}

/*
 * The trace's byte order is that of types which are declared before it: look for it
 * first.
 */
static int find_order(struct tsdl *t)
{
	unsigned int depth = 0;
	bool trace = false;
	int err;

	while (!(err = tsdl_next(t)) && t->token != TSDL_END) {
		if (tsdl_is(t, '{'))
			depth++;
		else if (tsdl_is(t, '}') && depth)
			depth--;
		else if (!depth && t->token == TSDL_WORD)
			trace = tsdl_is_word(t, "trace");
		else if (trace && depth == 1 && tsdl_is_word(t, "byte_order"))
			break;
	}
	if (err || t->token == TSDL_END)
		return err;
	err = tsdl_next(t);
	if (!err)
		err = tsdl_expect(t, '=');
	t->meta->big_endian = !err && (tsdl_is_word(t, "be") || tsdl_is_word(t, "network"));
	return err;
}

int cm_parse_tsdl(struct cm_meta *meta, const char *text, size_t size)
{
	struct tsdl *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->meta = meta;
	t->at = text;
	t->end = text + size;
	t->line = 1;
	err = find_order(t);
	t->at = text;
	t->line = 1;
	if (!err)
		err = tsdl_next(t);
	while (!err && t->token != TSDL_END)
		err = take_root(t);
	free(t);
	return err;
}
