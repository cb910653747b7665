/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - the stacks of a trace's events as one tree of functions
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks.h"
#include "symbols/stack.h"

#define NAMES_MAX	(2 * FRAME_NAMES_MAX)	/* those of processes are names, too */
#define NAME_BYTES	128			/* of names, for each node of a tree */
#define NAME_OTHER	0			/* the name of what there is no room for */
#define LEAVES		16384

/* Where stacks of this hash end */
struct report_stack_leaf {
	uint64_t hash;
	int64_t since, until;		/* it holds in this time, ... */
	uint32_t version;		/* ... with that of the names; 0: it is free ... */
	uint32_t generation;		/* ... and that of the tree */
	uint32_t node;
	bool cut;
};

static int names_init(struct report_stacks *s)
{
	static const char other[] = "[other]";
	bool is_new;

	memset(&s->names, 0, sizeof(s->names));
	memset(&s->text, 0, sizeof(s->text));
	s->names.max = NAMES_MAX;
	s->names.max_bytes = (size_t)s->max * NAME_BYTES;
	s->name_at = calloc(NAMES_MAX, sizeof(*s->name_at));
	etw_text_add(&s->text, other, sizeof(other));
	return s->name_at && !s->text.error &&
	       etw_intern(&s->names, other, sizeof(other), &is_new) ? 0 : -ENOMEM;
}

int report_stacks_init(struct report_stacks *s, uint32_t max)
{
	uint32_t size = 2;

	while (size / 2 < max)
		size *= 2;
	memset(s, 0, sizeof(*s));
	s->max = max;
	s->index_mask = size - 1;
	s->nodes = calloc(max, sizeof(*s->nodes));
	s->index = calloc(size, sizeof(*s->index));
	s->titles = calloc(FRAME_NAMES_MAX, sizeof(*s->titles));
	if (s->nodes && s->index && s->titles && !names_init(s))
		return 0;
	report_stacks_free(s);
	return -ENOMEM;
}

void report_stacks_free(struct report_stacks *s)
{
	free(s->nodes);
	free(s->index);
	free(s->leaves);
	free(s->name_at);
	free(s->titles);
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

/* Where in the index a node is, or would be: less than half of it is used */
static uint32_t *index_at(const struct report_stacks *s, uint32_t caller, uint32_t name)
{
	const uint64_t hash = etw_hash_number(etw_hash_seed(), (uint64_t)caller << 32 | name);
	uint32_t i = (uint32_t)hash & s->index_mask;

	for (; s->index[i]; i = (i + 1) & s->index_mask) {
		const struct report_stack_node *node = &s->nodes[s->index[i] - 1];

		if (node->caller == caller && node->name == name)
			break;
	}
	return &s->index[i];
}

/* Index the nodes anew, after some are gone. */
static void index_nodes(struct report_stacks *s)
{
	uint32_t i;

	memset(s->index, 0, ((size_t)s->index_mask + 1) * sizeof(*s->index));
	for (i = 0; i < s->count; i++)
		*index_at(s, s->nodes[i].caller, s->nodes[i].name) = i + 1;
	s->generation++;
}

void report_stacks_total(const struct report_stacks *s)
{
	struct report_stack_node *nodes = s->nodes;
	uint32_t i;

	for (i = 0; i < s->count; i++)
		nodes[i].total[0] = nodes[i].self[0] + nodes[i].gone;
	/* Callees stand behind their callers. */
	for (i = s->count; i--;)
		if (nodes[i].caller != REPORT_STACK_ROOT)
			nodes[nodes[i].caller].total[0] += nodes[i].total[0];
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

/* Forget the names that no node has. */
static int keep_names(struct report_stacks *s)
{
	struct report_stacks old = *s;
	uint32_t i;
	int err = names_init(s);

	for (i = 0; i < s->count && !err; i++)
		err = name_get(s, report_stacks_name(&old, s->nodes[i].name), &s->nodes[i].name);
	etw_interner_clear(&old.names);
	etw_text_free(&old.text);
	free(old.name_at);
	memset(s->titles, 0, FRAME_NAMES_MAX * sizeof(*s->titles));
	memset(s->recent, 0, sizeof(s->recent));
	if (!err)
		index_nodes(s);
	return err;
}

/* Give up the nodes with the smallest totals. */
static int give_up_half(struct report_stacks *s)
{
	uint32_t *moved = calloc(s->count, sizeof(*moved)), i, kept = 0;
	uint64_t least;
	int err;

	report_stacks_total(s);
	err = moved ? middle_total(s, &least) : -ENOMEM;
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
	return keep_names(s);
}

/* The node of a function that this node calls; there is room for one more. */
static uint32_t node_get(struct report_stacks *s, uint32_t caller, uint32_t name)
{
	uint32_t *at = index_at(s, caller, name);

	if (!*at) {
		s->nodes[s->count] = (struct report_stack_node){ .name = name, .caller = caller };
		*at = ++s->count;
	}
	return *at - 1;
}

/* The name of a process, or its id, as a function's */
static int process_get(struct report_stacks *s, const char *process, uint32_t pid, uint32_t *name)
{
	struct report_stack_process *recent = &s->recent[pid % REPORT_STACK_RECENT];
	char plain[sizeof("process 4294967295")];
	int err;

	if (process)
		return name_get(s, process, name);
	if (recent->pid == pid && recent->name) {
		*name = recent->name;
		return 0;
	}
	snprintf(plain, sizeof(plain), "process %u", pid);
	err = name_get(s, plain, name);
	if (!err)
		*recent = (struct report_stack_process){ pid, *name };
	return err;
}

/* Add the functions of a stack below the process of that name. */
static int add(struct report_stacks *s, const struct frame_names *frames, const uint32_t *stack,
	       unsigned int count, uint32_t name, uint32_t *leaf)
{
	unsigned int i;
	int err = 0;

	*leaf = node_get(s, REPORT_STACK_ROOT, name);
	for (i = count; i && !err; i--) {
		err = title_get(s, frames, stack[i - 1], &name);
		if (!err)
			*leaf = node_get(s, *leaf, name);
	}
	return err;
}

static void count_leaf(struct report_stacks *s, uint32_t node, bool cut)
{
	s->events[0]++;
	s->cut += cut;
	s->nodes[node].self[0]++;
}

static bool holds(const struct report_stacks *s, const struct report_stack_leaf *leaf,
		  uint64_t hash, const struct frame_names *frames, int64_t time)
{
	return leaf->hash == hash && leaf->generation == s->generation && leaf->version &&
	       leaf->version == frame_names_version(frames) && time >= leaf->since &&
	       time < leaf->until;
}

void report_stacks_keep(struct report_stacks *s)
{
	if (!s->leaves)
		s->leaves = calloc(LEAVES, sizeof(*s->leaves));
}

/* An event whose stack has to be looked up; name: its process's. *leaf: where it ends */
static int look_up(struct report_stacks *s, struct frame_names *frames,
		   const struct etw_event *event, uint32_t name, struct report_stack_leaf *leaf)
{
	uint32_t stack[FRAME_NAMES_STACK];
	unsigned int count;
	int err;

	count = frame_names_of(frames, event, stack, &leaf->cut);
	if (!count)
		return 0;
	err = add(s, frames, stack, count, name, &leaf->node);
	if (err)
		return err;
	count_leaf(s, leaf->node, leaf->cut);
	leaf->generation = s->generation;
	leaf->version = frame_names_period(frames, event, &leaf->since, &leaf->until);
	return 0;
}

int report_stacks_event(struct report_stacks *s, struct frame_names *frames,
			const struct etw_event *event, const char *process, uint32_t pid)
{
	struct report_stack_leaf unkept = { .hash = 0 }, *leaf = &unkept;
	uint32_t key[2] = { pid };
	uint64_t hash;
	int err = 0;

	if (!symbol_stack_is(event, &hash))
		return 0;
	/* For all its functions and its process: numbers of names and nodes do not change below. */
	if (s->max - s->count <= FRAME_NAMES_STACK)
		err = give_up_half(s);
	if (!err)
		err = process_get(s, process, pid, &key[1]);
	if (err)
		return err;
	if (s->leaves && hash) {
		hash = etw_hash(hash, key, sizeof(key));
		leaf = &s->leaves[hash % LEAVES];
		if (holds(s, leaf, hash, frames, event->time)) {
			count_leaf(s, leaf->node, leaf->cut);
			return 0;
		}
		*leaf = (struct report_stack_leaf){ .hash = hash };
	}
	return look_up(s, frames, event, key[1], leaf);
}

/* --------------------------------------------------------------------- joining */

static int join_side(struct report_stacks *to, const struct report_stacks *from, unsigned int side)
{
	uint32_t *moved = calloc(from->count ? from->count : 1, sizeof(*moved)), i, name;
	int err = moved ? 0 : -ENOMEM;

	report_stacks_total(from);
	for (i = 0; i < from->count && !err; i++) {
		const struct report_stack_node *node = &from->nodes[i];

		err = name_get(to, report_stacks_name(from, node->name), &name);
		if (err)
			break;
		moved[i] = node_get(to, node->caller == REPORT_STACK_ROOT ? node->caller :
				    moved[node->caller], name);
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
