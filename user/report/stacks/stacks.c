/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - the stacks of a trace's events as one tree of functions
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks.h"

#define NAMES_MAX	(2 * FRAME_NAMES_MAX)	/* those of processes are names, too */
#define NAME_BYTES	128			/* of names, for each node of a tree */
#define NAME_OTHER	0			/* the name of what there is no room for */

int report_stacks_init(struct report_stacks *s, uint32_t max)
{
	static const char other[] = "[other]";
	bool is_new;

	memset(s, 0, sizeof(*s));
	s->max = max;
	s->names.max = NAMES_MAX;
	s->names.max_bytes = (size_t)max * NAME_BYTES;
	s->nodes = calloc(max, sizeof(*s->nodes));
	s->places = calloc(max, sizeof(*s->places));
	s->name_at = calloc(NAMES_MAX, sizeof(*s->name_at));
	s->titles = calloc(FRAME_NAMES_MAX, sizeof(*s->titles));
	etw_text_add(&s->text, other, sizeof(other));
	if (s->nodes && s->places && s->name_at && s->titles && !s->text.error &&
	    etw_intern(&s->names, other, sizeof(other), &is_new))
		return 0;
	report_stacks_free(s);
	return -ENOMEM;
}

void report_stacks_free(struct report_stacks *s)
{
	free(s->nodes);
	free(s->places);
	free(s->name_at);
	free(s->titles);
	etw_interner_clear(&s->index);
	etw_interner_clear(&s->names);
	etw_text_free(&s->text);
	etw_text_free(&s->title);
	memset(s, 0, sizeof(*s));
}

const char *report_stacks_name(const struct report_stacks *s, uint32_t name)
{
	return s->text.data + s->name_at[name];
}

/* ---------------------------------------------------------------------- names */

static int name_get(struct report_stacks *s, const char *text, uint32_t *name)
{
	const size_t len = strlen(text) + 1;
	bool is_new;
	uint32_t number = etw_intern(&s->names, text, len, &is_new);

	*name = number ? number - 1 : NAME_OTHER;
	if (!is_new)
		return 0;
	s->name_at[*name] = s->text.len;
	etw_text_add(&s->text, text, len);
	return s->text.error;
}

static int title_get(struct report_stacks *s, const struct frame_names *frames, uint32_t frame,
		     uint32_t *name)
{
	int err;

	if (s->titles[frame]) {
		*name = s->titles[frame] - 1;
		return 0;
	}
	etw_text_cut(&s->title, 0);
	frame_names_title(frame_names_get(frames, frame), &s->title);
	err = s->title.error ? s->title.error : name_get(s, s->title.data, name);
	if (!err)
		s->titles[frame] = *name + 1;
	return err;
}

/* ---------------------------------------------------------------------- nodes */

/* Index the nodes anew, after some are gone. */
static int index_nodes(struct report_stacks *s)
{
	uint32_t i, number;
	bool is_new;

	etw_interner_clear(&s->index);
	for (i = 0; i < s->count; i++) {
		const uint32_t key[2] = { s->nodes[i].caller, s->nodes[i].name };

		number = etw_intern(&s->index, key, sizeof(key), &is_new);
		if (!number)
			return -ENOMEM;
		s->places[number - 1] = i;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* The total that at most half of the nodes exceed, which may be all of them */
static int middle_total(const struct report_stacks *s, uint64_t *total)
{
	uint64_t *totals = calloc(s->count, sizeof(*totals));
	uint32_t i;

	if (!totals)
		return -ENOMEM;
	for (i = 0; i < s->count; i++)
		totals[i] = s->nodes[i].total[0];
	qsort(totals, s->count, sizeof(*totals), compare);
	*total = totals[s->count / 2];
	free(totals);
	return 0;
}

/* Give up the nodes with the smallest totals. */
static int give_up_half(struct report_stacks *s)
{
	uint32_t *moved = calloc(s->count, sizeof(*moved)), i, kept = 0;
	uint64_t least;
	int err = moved ? middle_total(s, &least) : -ENOMEM;

	for (i = 0; i < s->count && !err; i++) {
		struct report_stack_node node = s->nodes[i];
		const bool outermost = node.caller == REPORT_STACK_ROOT;

		/* Callers stand before, and have moved. */
		if (!outermost)
			node.caller = moved[node.caller];
		if (node.total[0] > least) {
			moved[i] = kept;
			s->nodes[kept++] = node;
			continue;
		}
		moved[i] = REPORT_STACK_ROOT;
		s->gone_nodes++;
		if (outermost)
			s->gone_events += node.total[0];
		else if (node.caller != REPORT_STACK_ROOT)
			s->nodes[node.caller].gone += node.total[0];
	}
	free(moved);
	if (err)
		return err;
	s->count = kept;
	return index_nodes(s);
}

/* The node of a function that this node calls; there is room for one more. */
static int node_get(struct report_stacks *s, uint32_t caller, uint32_t name, uint32_t *node)
{
	const uint32_t key[2] = { caller, name };
	bool is_new;
	uint32_t number = etw_intern(&s->index, key, sizeof(key), &is_new);

	if (!number)
		return -ENOMEM;
	if (is_new) {
		s->nodes[s->count] = (struct report_stack_node){ .name = name, .caller = caller };
		s->places[number - 1] = s->count++;
	}
	*node = s->places[number - 1];
	return 0;
}

/* The name of a process, or its id, as a function's */
static int process_get(struct report_stacks *s, const char *process, uint32_t pid, uint32_t *name)
{
	char plain[sizeof("process 4294967295")];

	if (process)
		return name_get(s, process, name);
	snprintf(plain, sizeof(plain), "process %u", pid);
	return name_get(s, plain, name);
}

int report_stacks_event(struct report_stacks *s, struct frame_names *frames,
			const struct etw_event *event, const char *process, uint32_t pid)
{
	uint32_t stack[FRAME_NAMES_STACK], name, node;
	unsigned int count, i;
	bool cut;
	int err;

	count = frame_names_of(frames, event, stack, &cut);
	if (!count)
		return 0;
	err = s->max - s->count <= count ? give_up_half(s) : 0;
	if (!err)
		err = process_get(s, process, pid, &name);
	if (!err)
		err = node_get(s, REPORT_STACK_ROOT, name, &node);
	if (err)
		return err;
	s->events[0]++;
	s->cut += cut;
	s->nodes[node].total[0]++;
	for (i = count; i && !err; i--) {
		err = title_get(s, frames, stack[i - 1], &name);
		if (!err)
			err = node_get(s, node, name, &node);
		if (!err)
			s->nodes[node].total[0]++;
	}
	s->nodes[node].self[0]++;
	return err;
}

/* --------------------------------------------------------------------- joining */

static int join_side(struct report_stacks *to, const struct report_stacks *from, unsigned int side)
{
	uint32_t *moved = calloc(from->count ? from->count : 1, sizeof(*moved)), i, name;
	int err = moved ? 0 : -ENOMEM;

	for (i = 0; i < from->count && !err; i++) {
		const struct report_stack_node *node = &from->nodes[i];

		err = name_get(to, report_stacks_name(from, node->name), &name);
		if (!err)
			err = node_get(to, node->caller == REPORT_STACK_ROOT ? node->caller :
				       moved[node->caller], name, &moved[i]);
		if (err)
			break;
		to->nodes[moved[i]].self[side] += node->self[0];
		to->nodes[moved[i]].total[side] += node->total[0];
	}
	free(moved);
	to->events[side] = from->events[0];
	to->cut += from->cut;
	to->gone_nodes += from->gone_nodes;
	to->gone_events += from->gone_events;
	return err;
}

int report_stacks_join(struct report_stacks *joined, const struct report_stacks *a,
		       const struct report_stacks *b)
{
	int err = report_stacks_init(joined, a->count + b->count + 1);

	if (!err)
		err = join_side(joined, a, 0);
	if (!err)
		err = join_side(joined, b, 1);
	if (err)
		report_stacks_free(joined);
	return err;
}

/* ---------------------------------------------------------------------- shares */

double report_stacks_share(const struct report_stacks *s, const struct report_stack_node *node)
{
	double shares[2];
	unsigned int i;

	for (i = 0; i < 2; i++)
		shares[i] = s->events[i] ? (double)node->total[i] / (double)s->events[i] : 0;
	return shares[0] > shares[1] ? shares[0] : shares[1];
}

static int compare_shares(const void *a, const void *b)
{
	const double one = *(const double *)a, other = *(const double *)b;

	return one < other ? 1 : one > other ? -1 : 0;
}

double report_stacks_least(const struct report_stacks *s, uint32_t most, int *err)
{
	double *shares, least;
	uint32_t i;

	if (s->count <= most)
		return 0;
	shares = calloc(s->count, sizeof(*shares));
	if (!shares) {
		*err = -ENOMEM;
		return 0;
	}
	for (i = 0; i < s->count; i++)
		shares[i] = report_stacks_share(s, &s->nodes[i]);
	qsort(shares, s->count, sizeof(*shares), compare_shares);
	/* Of equal ones all or none are taken: those that are larger than the first left out */
	for (i = most; i && shares[i - 1] <= shares[most]; i--)
		;
	least = i ? shares[i - 1] : 2;
	free(shares);
	return least;
}
