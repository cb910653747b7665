/* SPDX-License-Identifier: MIT */
/*
 * payload.c - payload filters, as --payload gives them
 *
 *	Size >= 4096 && (File contains "log" || Port in 1..1023)
 *
 * The kernel knows predicates in groups, AND or OR, and groups that must all
 * hold or of which one must.  So an expression is an AND of ORs, or an OR of
 * ANDs; && binds closer than ||.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "payload.h"
#include "error.h"

#define NODES		64
#define PREDICATES	32
#define VALUE		512	/* bytes of a value */
#define DEPTH		16	/* of parentheses */

enum kind { PREDICATE, ALL_OF, ANY_OF };

/* What an expression is made of; a predicate, or others. */
struct node {
	enum kind kind;
	size_t column;		/* where it begins */
	int predicate;
	int first, next;	/* nodes; -1: none */
};

struct expression {
	struct scan *s;
	const struct layout *layout;
	bool lacks;		/* the layout has not all of the fields */
	int field;		/* of the predicate at hand */
	struct node nodes[NODES];
	int node_count;
	struct etw_payload_predicate predicates[PREDICATES];
	char values[PREDICATES][VALUE];
	struct payload_place places[PREDICATES];
	int predicate_count;
	int depth;
};

static int parse_any(struct expression *e);

static int fail(struct expression *e, size_t column, const char *what)
{
	scan_fail(e->s, column, "%s", what);
	return -1;
}

static int new_node(struct expression *e, enum kind kind, size_t column)
{
	if (e->node_count == NODES)
		return fail(e, column, "the expression is too long");
	e->nodes[e->node_count] = (struct node){ .kind = kind, .column = column,
						 .predicate = -1, .first = -1, .next = -1 };
	return e->node_count++;
}

/* -------------------------------------------------------------------- values */

/* A value, the second one of a range in the end, begins here. */
static void note_value(struct expression *e, size_t column)
{
	struct payload_place *place = &e->places[e->predicate_count];

	place->low = place->high;
	place->high = column;
}

static bool parse_string(struct expression *e, char *value)
{
	size_t column = scan_column(e->s), len = 0;
	const char *at = e->s->at;

	if (*at++ != '"')
		return scan_fail(e->s, column, "a string in double quotes is missing");
	note_value(e, column);
	for (; *at && *at != '"'; at++) {
		if (*at == '\\' && (at[1] == '"' || at[1] == '\\'))
			at++;
		if (len == VALUE - 1)
			return scan_fail(e->s, column, "the string is too long");
		value[len++] = *at;
	}
	if (!*at)
		return scan_fail(e->s, column, "the string does not end");
	value[len] = '\0';
	e->s->at = at + 1;
	return true;
}

/* The characters up to where a number, a word or a GUID ends. */
static bool parse_plain(struct expression *e, char *value, size_t room)
{
	static const char chars[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-{}";
	size_t column = scan_column(e->s), len;

	len = strspn(e->s->at, chars);
	if (!len || len >= room)
		return scan_fail(e->s, column, len ? "the value is too long" : "a value is missing");
	note_value(e, column);
	memcpy(value, e->s->at, len);
	value[len] = '\0';
	e->s->at += len;
	return true;
}

static bool parse_range(struct expression *e, char *value)
{
	char low[64], high[64];

	if (!parse_plain(e, low, sizeof(low)))
		return false;
	if (!scan_token(e->s, ".."))
		return scan_fail(e->s, scan_column(e->s), ".. is missing");
	if (!parse_plain(e, high, sizeof(high)))
		return false;
	snprintf(value, VALUE, "%s,%s", low, high);
	return true;
}

/* ---------------------------------------------------------------- predicates */

/* The name of a value, which its number stands for then. */
static bool parse_mapped(struct expression *e, uint16_t *op, bool equal, char *value)
{
	note_value(e, scan_column(e->s));
	*op = equal ? ETW_PAYLOAD_EQ : ETW_PAYLOAD_NE;
	return payload_mapped(e->s, e->layout, e->field, value, VALUE);
}

/* == and != of what is no number; is and is not. */
static bool parse_same(struct expression *e, uint16_t *op, bool equal, char *value)
{
	if (payload_is_mapped(e->s, e->layout, e->field))
		return parse_mapped(e, op, equal, value);
	if (*e->s->at == '"' || *e->s->at == '{')
		*op = equal ? ETW_PAYLOAD_IS : ETW_PAYLOAD_ISNOT;
	else
		*op = equal ? ETW_PAYLOAD_EQ : ETW_PAYLOAD_NE;
	return *e->s->at == '"' ? parse_string(e, value) : parse_plain(e, value, VALUE);
}

static bool parse_words(struct expression *e, uint16_t *op, char *value)
{
	size_t column = scan_column(e->s);
	bool not;

	if (scan_word(e->s, "is"))
		return parse_same(e, op, !scan_word(e->s, "not"), value);
	not = scan_word(e->s, "not");
	if (scan_word(e->s, "contains")) {
		*op = not ? ETW_PAYLOAD_DOESNTCONTAIN : ETW_PAYLOAD_CONTAINS;
		return parse_string(e, value);
	}
	if (scan_word(e->s, "in")) {
		*op = not ? ETW_PAYLOAD_NOTBETWEEN : ETW_PAYLOAD_BETWEEN;
		return parse_range(e, value);
	}
	return scan_fail(e->s, column,
			 "an operator is missing: == != < <= > >= %% in contains is");
}

static bool parse_operator(struct expression *e, uint16_t *op, char *value)
{
	static const struct {
		const char *token;
		uint16_t op;
	} orders[] = {
		{ "<=", ETW_PAYLOAD_LE }, { ">=", ETW_PAYLOAD_GE }, { "<", ETW_PAYLOAD_LT },
		{ ">", ETW_PAYLOAD_GT }, { "%", ETW_PAYLOAD_MODULO },
	};
	size_t i;

	if (scan_token(e->s, "=="))
		return parse_same(e, op, true, value);
	if (scan_token(e->s, "!="))
		return parse_same(e, op, false, value);
	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (!scan_token(e->s, orders[i].token))
			continue;
		*op = orders[i].op;
		return parse_plain(e, value, VALUE);
	}
	return parse_words(e, op, value);
}


static int parse_predicate(struct expression *e)
{
	struct etw_payload_predicate *p = &e->predicates[e->predicate_count];
	size_t column = scan_column(e->s), len;
	const char *name;
	int node;

	len = scan_name(e->s, &name);
	if (!len)
		return fail(e, column, "a field is missing");
	if (e->predicate_count == PREDICATES)
		return fail(e, column, "the expression is too long");
	e->field = layout_find(e->layout, name, len);
	if (e->field < 0) {
		e->lacks = !e->s->column;
		scan_fail(e->s, column, "%s has no %.*s", e->layout->what, (int)len, name);
		return -1;
	}
	p->field = e->layout->fields[e->field].name;
	p->value = e->values[e->predicate_count];
	e->places[e->predicate_count].field = column;
	if (!parse_operator(e, &p->op, e->values[e->predicate_count]))
		return -1;
	node = new_node(e, PREDICATE, column);
	if (node >= 0)
		e->nodes[node].predicate = e->predicate_count++;
	return node;
}

/* --------------------------------------------------------------- expressions */

static int parse_one(struct expression *e)
{
	size_t column = scan_column(e->s);
	int node;

	if (!scan_token(e->s, "("))
		return parse_predicate(e);
	if (e->depth == DEPTH)
		return fail(e, column, "too many parentheses");
	e->depth++;
	node = parse_any(e);
	e->depth--;
	if (node >= 0 && !scan_token(e->s, ")"))
		return fail(e, scan_column(e->s), ") is missing");
	return node;
}

/*
 * Nodes of one kind with this token between them.  Those of the same kind among
 * them become part of it.
 */
static int parse_list(struct expression *e, enum kind kind, const char *token,
		      int (*parse)(struct expression *e))
{
	size_t column = scan_column(e->s);
	int node = parse(e), list, *last;
	bool done = false;

	if (node < 0 || !scan_token(e->s, token))
		return node;
	list = new_node(e, kind, column);
	if (list < 0)
		return -1;
	last = &e->nodes[list].first;
	for (;;) {
		*last = e->nodes[node].kind == kind ? e->nodes[node].first : node;
		while (*last >= 0)
			last = &e->nodes[*last].next;
		if (done)
			return list;
		node = parse(e);
		if (node < 0)
			return -1;
		done = !scan_token(e->s, token);
	}
}

static int parse_all(struct expression *e)
{
	return parse_list(e, ALL_OF, "&&", parse_one);
}

static int parse_any(struct expression *e)
{
	return parse_list(e, ANY_OF, "||", parse_all);
}

/* -------------------------------------------------------------------- groups */

/* Predicates that become one filter. */
struct group {
	struct etw_payload_predicate predicates[ETW_PAYLOAD_PREDICATES];
	const struct payload_place *places[ETW_PAYLOAD_PREDICATES];
	unsigned int count;
};

static bool refused(struct scan *s, const struct layout *layout, const struct group *group,
		    unsigned int wrong, ULONG error)
{
	const char *field = group->predicates[wrong].field;
	size_t column = group->places[wrong]->field;
	int i;

	switch (error) {
	case ERROR_INVALID_PARAMETER:
		for (i = 0; layout->fields[i].name != field; i++)
			;
		return payload_explain(s, &layout->fields[i], &group->predicates[wrong],
				       group->places[wrong]);
	case ERROR_NOT_SUPPORTED:
		return scan_fail(s, column, "%s lies behind a field that cannot be skipped", field);
	case ERROR_INSUFFICIENT_BUFFER:
		return scan_fail(s, column, "the filter has more than %d bytes",
				 ETW_PAYLOAD_SIZE_MAX);
	default:
		return scan_fail(s, column, "out of memory");
	}
}

/* all: this one must hold, among the event's others. */
static bool put_group(struct payload *payload, const struct expression *e, struct group *group,
		      bool any, bool all)
{
	struct scan *s = e->s;
	unsigned int wrong;
	ULONG ret;

	if (!group->count)
		return true;
	if (payload->count == PAYLOAD_FILTERS)
		return scan_fail(s, group->places[0]->field, "more than %d groups of predicates",
				 PAYLOAD_FILTERS);
	ret = etw_payload_create(&e->layout->event, any, group->predicates, group->count,
				 &payload->filters[payload->count], &wrong);
	if (ret)
		return refused(s, e->layout, group, wrong, ret);
	payload->all[payload->count++] = all;
	group->count = 0;
	return true;
}

static void put_predicate(const struct expression *e, struct group *group,
			  const struct node *node)
{
	group->places[group->count] = &e->places[node->predicate];
	group->predicates[group->count++] = e->predicates[node->predicate];
}

/* A list within the other kind of list. */
static bool put_inner(struct payload *payload, const struct expression *e,
		      const struct node *list, bool all)
{
	struct group group = { .count = 0 };
	int i;

	for (i = list->first; i >= 0; i = e->nodes[i].next) {
		const struct node *node = &e->nodes[i];

		if (node->kind != PREDICATE)
			return scan_fail(e->s, node->column,
					 "an expression is an AND of ORs or an OR of ANDs, no deeper");
		if (group.count == ETW_PAYLOAD_PREDICATES)
			return scan_fail(e->s, node->column, "more than %d predicates in parentheses",
					 ETW_PAYLOAD_PREDICATES);
		put_predicate(e, &group, node);
	}
	return put_group(payload, e, &group, list->kind == ANY_OF, all);
}

static bool put_outer(struct payload *payload, const struct expression *e,
		      const struct node *list)
{
	const bool any = list->kind == ANY_OF;
	struct group plain = { .count = 0 };
	int i;

	if (list->kind == PREDICATE) {
		put_predicate(e, &plain, list);
		return put_group(payload, e, &plain, false, true);
	}
	for (i = list->first; i >= 0; i = e->nodes[i].next) {
		const struct node *node = &e->nodes[i];

		if (node->kind != PREDICATE) {
			if (!put_inner(payload, e, node, !any))
				return false;
			continue;
		}
		put_predicate(e, &plain, node);
		if (plain.count == ETW_PAYLOAD_PREDICATES &&
		    !put_group(payload, e, &plain, any, !any))
			return false;
	}
	return put_group(payload, e, &plain, any, !any);
}

/* --------------------------------------------------------------------- whole */

/* The same event a second time: how the two were to go together would be a riddle. */
static bool is_known(const struct payload *payload, const struct layout *layout)
{
	uint32_t i;

	for (i = 0; i < payload->count; i++) {
		const struct etw_payload_header *head = payload->filters[i];
		const struct etw_payload_event *event = (const void *)(head + 1);

		if (event->id == layout->event.id && event->version == layout->event.version)
			return true;
	}
	return false;
}

bool payload_fields(struct payload *payload, struct scan *s)
{
	if (payload->given && !payload->used)
		return scan_fail(s, 1, "the one before has no --payload");
	payload->given = true;
	payload->used = false;
	if (!layout_parse(s, &payload->layout))
		return false;
	return !is_known(payload, &payload->layout) ||
	       scan_fail(s, 1, "the event has a --payload already");
}

static bool parse_whole(struct payload *payload, struct expression *e)
{
	int node = parse_any(e);

	if (node < 0)
		return false;
	if (!scan_end(e->s))
		return scan_fail(e->s, scan_column(e->s), "&& or || or the end is missing");
	return put_outer(payload, e, &e->nodes[node]);
}

bool payload_add(struct payload *payload, struct scan *s, const struct layout *layout,
		 bool *lacks)
{
	struct expression *e = calloc(1, sizeof(*e));
	bool good;

	*lacks = false;
	if (!e)
		return scan_fail(s, 1, "out of memory");
	if (is_known(payload, layout)) {
		free(e);
		return scan_fail(s, 1, "%s has a --payload already", layout->what);
	}
	e->s = s;
	e->layout = layout;
	good = parse_whole(payload, e);
	*lacks = e->lacks;
	free(e);
	return good;
}

bool payload_is_next(const struct payload *payload)
{
	return payload->given && !payload->used;
}

bool payload_expression(struct payload *payload, struct scan *s)
{
	bool lacks;

	if (!payload->given)
		return scan_fail(s, 1, "--fields has to come before, with the event's fields");
	if (payload->used)
		return scan_fail(s, 1, "a second one for the same --fields; use && or ||");
	payload->used = true;
	return payload_add(payload, s, &payload->layout, &lacks);
}

const char *payload_finish(struct payload *payload)
{
	if (payload->given && !payload->used)
		return "--fields has no --payload";
	if (!payload->count)
		return NULL;
	switch (etw_payload_aggregate((const void *const *)payload->filters, payload->all,
				      payload->count, &payload->program, &payload->size)) {
	case ERROR_SUCCESS:
		return NULL;
	case ERROR_INVALID_PARAMETER:
		return "--payload: too much for one event: at most 16 predicates in 8 groups";
	case ERROR_INSUFFICIENT_BUFFER:
		return "--payload: all filters together have more than 4096 bytes";
	default:
		return "--payload: out of memory";
	}
}

void payload_free(struct payload *payload)
{
	uint32_t i;

	for (i = 0; i < payload->count; i++)
		free(payload->filters[i]);
	free(payload->program);
	payload->count = 0;
	payload->program = NULL;
}
