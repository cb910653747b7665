// SPDX-License-Identifier: MIT
/*
 * kernel_filter.c - compile expressions into the filters that the kernel runs
 *
 * Expressions are folded once for each event that a schema describes, and once for each
 * range of ids without a description.  What folds to true or false decides about ids;
 * what is left becomes the event's part of the payload program.
 */
#include <errno.h>
#include <stdlib.h>

#include "kernel_private.h"

#define ID_CONSTANTS_MAX	1023	/* constants that ids are compared with */

/* --------------------------------------------------- levels and keywords as such */

static bool take_level(struct etw_kernel_filter *filter, const struct etw_expr_test *test,
		       const struct etw_expr_const *k)
{
	uint64_t level = k->number.u;

	if (test->op == ETW_EXPR_LT && level)
		level--;
	else if (test->op != ETW_EXPR_LE)
		return false;
	/* The kernel takes 0 for all levels. */
	if (test->masked || !level || level > UINT8_MAX)
		return false;
	if (!filter->level || level < filter->level)
		filter->level = (uint8_t)level;
	return true;
}

static bool take_keywords(struct etw_kernel_filter *filter, const struct etw_expr_test *test,
			  const struct etw_expr_const *k)
{
	const uint64_t bits = test->masked ? test->mask : k->number.u;

	if (!bits || (test->masked ? test->op != ETW_EXPR_EQ || k->number.u != bits :
				     test->op != ETW_EXPR_BITS))
		return false;
	if (test->masked || !(bits & (bits - 1)))
		filter->all |= bits;
	else if (!filter->any)
		filter->any = bits;
	else
		return false;
	filter->ignore_keyword0 = true;
	return true;
}

/* Can the kernel's level and keywords do the whole test? */
static bool take_header_test(struct etw_kernel_filter *filter, const struct etw_expr *expr,
			     const struct etw_expr_test *test)
{
	const struct etw_expr_const *k;

	if (test->negate || test->count != 1)
		return false;
	k = &expr->consts[test->first];
	if (!(k->is & ETW_EXPR_IS_NUMBER) || k->number.kind != ETW_EXPR_U64)
		return false;
	if (test->word == ETW_EXPR_LEVEL)
		return take_level(filter, test, k);
	return test->word == ETW_EXPR_KEYWORD && take_keywords(filter, test, k);
}

/* The parts of an AND that is the whole expression */
static void take_conjuncts(struct etw_kernel_filter *filter, const struct etw_expr *expr, uint32_t at)
{
	const struct etw_expr_node *node = &expr->nodes[at];

	if (node->kind == ETW_EXPR_AND) {
		take_conjuncts(filter, expr, node->left);
		take_conjuncts(filter, expr, node->right);
	} else if (node->kind == ETW_EXPR_TEST) {
		expr->tests[node->left].in_header =
			take_header_test(filter, expr, &expr->tests[node->left]);
	}
}

/* ------------------------------------------------------------------- fold a test */

static bool is_of_session(enum etw_expr_word word)
{
	return word == ETW_EXPR_PID || word == ETW_EXPR_TID || word == ETW_EXPR_CPU ||
	       word == ETW_EXPR_TIME || word == ETW_EXPR_ACTIVITY || word == ETW_EXPR_RELATED ||
	       etw_expr_is_process(word) || word == ETW_EXPR_MODE || word == ETW_EXPR_CONTEXT;
}

/* A word other than these two is known only of events that a manifest describes. */
static int word_test(struct etw_kernel_compiler *c, const struct etw_expr_test *test)
{
	const struct etw_expr_event event = { &c->record, c->decoded, c->decoder };

	if (is_of_session(test->word))
		return etw_kernel_refuse(c, test, "events differ in it from one to the next");
	if (test->word == ETW_EXPR_VERSION && !c->event)
		return ETW_KERNEL_UNKNOWN;
	if (test->word != ETW_EXPR_ID && test->word != ETW_EXPR_VERSION && !c->has_descriptor) {
		if (!c->schema->providers.count)
			return etw_kernel_refuse(c, test, "no manifest describes the provider's events");
		if (c->event)
			return etw_kernel_refuse(c, test, "the manifest lacks an event of --fields");
		if (etw_expr_words[test->word].has & ETW_EXPR_HAS_NAMES)
			return ETW_KERNEL_UNKNOWN;
	}
	return etw_expr_word_holds(c->sources[c->source].expr, test, &event) ? ETW_KERNEL_TRUE :
									       ETW_KERNEL_FALSE;
}

static int fold_test(struct etw_kernel_compiler *c, struct etw_expr_test *test)
{
	if (test->in_header)
		return ETW_KERNEL_TRUE;
	return test->word ? word_test(c, test) : etw_kernel_field_test(c, test);
}

/* Both sides of an operator are folded even if one decides, to refuse what cannot run. */
static int fold(struct etw_kernel_compiler *c, uint32_t at)
{
	const struct etw_expr *expr = c->sources[c->source].expr;
	const struct etw_expr_node *node = &expr->nodes[at];
	int left, right;

	if (node->kind == ETW_EXPR_TEST)
		return fold_test(c, &expr->tests[node->left]);
	left = fold(c, node->left);
	if (node->kind == ETW_EXPR_NOT)
		return etw_kernel_not(c, left);
	right = left < 0 ? left : fold(c, node->right);
	return etw_kernel_join(c, node->kind, left, right);
}

/* All expressions, for the event at hand */
static int fold_all(struct etw_kernel_compiler *c)
{
	int node = ETW_KERNEL_TRUE;

	c->node_count = ETW_KERNEL_FIRST_NODE;
	c->leaf_count = 0;
	for (c->source = 0; c->source < c->source_count; c->source++) {
		node = etw_kernel_join(c, ETW_EXPR_AND, node,
				       fold(c, c->sources[c->source].expr->node_count - 1));
		if (node < 0)
			break;
	}
	return node;
}

/* -------------------------------------------------------------- events of a schema */

static bool set_event(struct etw_kernel_compiler *c, const EVENT_DESCRIPTOR *desc)
{
	/* A provider may be enabled by another GUID than its events are decoded by. */
	c->record = (EVENT_RECORD){
		.EventHeader = {
			.ProviderId = c->provider ? c->provider->guid : *c->schema->guid,
			.EventDescriptor = *desc,
		},
	};
	if (etw_decode(c->decoder, &c->record, &c->decoded) == -ENOMEM)
		return etw_kernel_fail(c, 0, "out of memory") >= 0;
	return true;
}

/*
 * First find out whether such events can pass, which is noted by their id; then, with
 * adding, add the groups of those whose id passes.
 */
static bool visit(struct etw_kernel_compiler *c, const struct etw_mf_event *event,
		  const EVENT_DESCRIPTOR *desc, bool adding)
{
	bool good;
	int node;

	if (adding && !c->pass[desc->Id])
		return true;
	c->event = event;
	if (!set_event(c, desc))
		return false;
	if (etw_payload_layout_of(event, &c->layout))
		return etw_kernel_fail(c, 0, "out of memory") >= 0;
	node = fold_all(c);
	good = node >= 0;
	if (good && !adding && node != ETW_KERNEL_FALSE)
		c->pass[desc->Id] = true;
	else if (good && adding && node == ETW_KERNEL_FALSE)
		good = etw_kernel_add_never(c);
	else if (adding && node >= ETW_KERNEL_FIRST_NODE)
		good = etw_kernel_add_groups(c, node);
	etw_payload_layout_free(&c->layout);
	return good;
}

static bool is_described(const struct etw_kernel_schema *schema, const EVENT_DESCRIPTOR *desc)
{
	size_t i;

	for (i = 0; i < schema->event_count; i++)
		if (schema->events[i].desc.Id == desc->Id &&
		    schema->events[i].desc.Version == desc->Version)
			return true;
	return false;
}

static bool visit_provider(struct etw_kernel_compiler *c, bool adding)
{
	unsigned int i;

	for (i = 0; i < c->provider->event_count; i++) {
		const struct etw_mf_event *event = &c->provider->events[i];

		/* The decoder takes the first of two with one id and version. */
		if (is_described(c->schema, &event->desc) ||
		    etw_providers_event(&c->schema->providers, event->desc.Id, event->desc.Version,
					NULL) != event)
			continue;
		if (!visit(c, event, &event->desc, adding))
			return false;
	}
	return true;
}

static bool visit_all(struct etw_kernel_compiler *c, bool adding)
{
	const struct etw_kernel_schema *schema = c->schema;
	const struct etw_providers *all = &schema->providers;
	const struct etw_mf_event *event, *known;
	size_t i;

	for (i = 0; i < schema->event_count; i++) {
		event = &schema->events[i];
		c->names = schema->value_names ? &schema->value_names[i] : NULL;
		c->provider = all->count ? all->list[0] : NULL;
		known = etw_providers_event(all, event->desc.Id, event->desc.Version, &c->provider);
		c->has_descriptor = known;
		if (!visit(c, event, known ? &known->desc : &event->desc, adding))
			return false;
	}
	c->has_descriptor = true;
	c->names = NULL;
	for (i = 0; i < all->count; i++) {
		c->provider = all->list[i];
		if (!visit_provider(c, adding))
			return false;
	}
	c->provider = all->count ? all->list[0] : NULL;
	return true;
}

/* ------------------------------------------------------ ids without a description */

/* Mark the ids where a comparison with this constant changes its outcome. */
static void mark_borders(struct etw_kernel_compiler *c, const struct etw_expr_const *k)
{
	const double at = k->number.kind == ETW_EXPR_U64 ? (double)k->number.u :
			  k->number.kind == ETW_EXPR_FLOAT ? k->number.f : -1;

	if (at >= 0 && at < ETW_KERNEL_IDS)
		c->border[(uint32_t)at] = c->border[(uint32_t)at + 1] = true;
}

/* false: the error is set. */
static bool find_borders(struct etw_kernel_compiler *c)
{
	uint32_t i, j, count = 0;

	for (c->source = 0; c->source < c->source_count; c->source++) {
		const struct etw_expr *expr = c->sources[c->source].expr;

		for (i = 0; i < expr->test_count; i++) {
			const struct etw_expr_test *test = &expr->tests[i];

			if (test->word != ETW_EXPR_ID)
				continue;
			if (test->masked || test->op == ETW_EXPR_BITS || test->op == ETW_EXPR_MULTIPLE)
				return etw_kernel_refuse(c, test, "it only compares ids") >= 0;
			count += test->count;
			if (count > ID_CONSTANTS_MAX)
				return etw_kernel_fail(c, test->at + 1, "the kernel takes at most %d ids",
						       ETW_FILTER_EVENT_IDS) >= 0;
			for (j = 0; j < test->count; j++)
				mark_borders(c, &expr->consts[test->first + j]);
		}
	}
	return true;
}

/* The first id after a border is as good as all up to the next one. */
static bool pass_undescribed(struct etw_kernel_compiler *c)
{
	int node = ETW_KERNEL_FALSE;
	uint32_t id;

	if (!find_borders(c))
		return false;
	c->event = NULL;
	c->has_descriptor = false;
	for (id = 0; id < ETW_KERNEL_IDS; id++) {
		if (!id || c->border[id]) {
			if (!set_event(c, &(EVENT_DESCRIPTOR){ .Id = (USHORT)id }))
				return false;
			node = fold_all(c);
			if (node < 0)
				return false;
		}
		c->pass[id] |= node != ETW_KERNEL_FALSE;
	}
	return true;
}

/* The ids that pass as the filter's list */
static bool list_ids(struct etw_kernel_compiler *c)
{
	struct etw_kernel_filter *filter = c->filter;
	uint32_t id, count = 0;
	bool want;

	for (id = 0; id < ETW_KERNEL_IDS; id++)
		count += c->pass[id];
	if (!count)
		return etw_kernel_fail(c, 0, "no event of the provider can pass the filter") >= 0;
	filter->id_count = 0;
	filter->ids_are = count == ETW_KERNEL_IDS ? ETW_KERNEL_ALL_IDS :
			  count <= ETW_FILTER_EVENT_IDS ? ETW_KERNEL_ONLY_IDS : ETW_KERNEL_NOT_IDS;
	want = filter->ids_are == ETW_KERNEL_ONLY_IDS;
	if (!want && ETW_KERNEL_IDS - count > ETW_FILTER_EVENT_IDS)
		return etw_kernel_fail(c, 0, "the kernel lists at most %d ids of events, and this takes %u",
				       ETW_FILTER_EVENT_IDS,
				       count < ETW_KERNEL_IDS / 2 ? count : ETW_KERNEL_IDS - count) >= 0;
	for (id = 0; id < ETW_KERNEL_IDS; id++)
		if (filter->ids_are != ETW_KERNEL_ALL_IDS && c->pass[id] == want)
			filter->ids[filter->id_count++] = (uint16_t)id;
	return true;
}

/* ------------------------------------------------------------------------- whole */

/* A field that no event has is most likely misspelt. */
static bool check_fields(struct etw_kernel_compiler *c)
{
	const struct etw_kernel_schema *schema = c->schema;
	const char *who = schema->providers.count && !schema->event_count ?
			  schema->providers.list[0]->name : NULL;
	uint32_t i;

	for (c->source = 0; c->source < c->source_count; c->source++) {
		const struct etw_kernel_source *source = &c->sources[c->source];

		for (i = 0; i < source->expr->test_count; i++) {
			const struct etw_expr_test *test = &source->expr->tests[i];

			if (test->word || test->in_schema)
				continue;
			if (!schema->providers.count && !schema->event_count)
				return etw_kernel_fail(c, test->at + 1, "the fields of events are not known: no manifest of the provider is installed or given by --manifest, and --fields is missing") >= 0;
			return etw_kernel_fail(c, test->at + 1, "no event%s%.64s has a field %.*s",
					       who ? " of " : "", who ? who : "",
					       test->len > 80 ? 80 : (int)test->len,
					       source->text + test->at) >= 0;
		}
	}
	return true;
}

/* Fold the tests that the filter's level and keywords cover, or nothing. */
static void begin(struct etw_kernel_compiler *c, bool take)
{
	size_t i;
	uint32_t j;

	for (i = 0; i < c->source_count; i++) {
		struct etw_expr *expr = c->sources[i].expr;

		for (j = 0; j < expr->test_count; j++)
			expr->tests[j].in_header = expr->tests[j].in_schema = false;
		if (take)
			take_conjuncts(c->filter, expr, expr->node_count - 1);
	}
}

static bool check(struct etw_kernel_compiler *c)
{
	begin(c, false);
	return visit_all(c, false) && check_fields(c);
}

static bool compile(struct etw_kernel_compiler *c)
{
	begin(c, true);
	if (c->schema->only_event) {
		c->pass[c->schema->events->desc.Id] = true;
		return visit_all(c, true) && etw_kernel_finish(c);
	}
	return visit_all(c, false) && check_fields(c) && pass_undescribed(c) && list_ids(c) &&
	       visit_all(c, true) && etw_kernel_finish(c);
}

static bool run(const struct etw_kernel_source *sources, size_t count,
		const struct etw_kernel_schema *schema, struct etw_kernel_filter *filter,
		struct etw_kernel_error *error, bool (*what)(struct etw_kernel_compiler *c))
{
	struct etw_kernel_compiler *c = calloc(1, sizeof(*c));
	bool good = false;
	size_t i;

	*error = (struct etw_kernel_error){ .text = "out of memory" };
	if (!c)
		return false;
	c->sources = sources;
	c->source_count = count;
	c->schema = schema;
	c->filter = filter;
	c->error = error;
	c->decoder = etw_decoder_new();
	for (i = 0; i < count && !etw_expr_needs_operation(sources[i].expr); i++)
		;
	c->source = i;
	if (i < count)
		etw_kernel_fail(c, 0, "the kernel cannot test durations: it sees single events");
	else if (c->decoder)
		good = what(c);
	for (i = 0; i < c->groups.len / sizeof(void *); i++)
		free(((void **)(void *)c->groups.data)[i]);
	etw_bytes_free(&c->groups);
	etw_bytes_free(&c->all);
	etw_decoder_free(c->decoder);
	free(c);
	return good;
}

bool etw_kernel_filter_check(const struct etw_kernel_source *sources, size_t count,
			     const struct etw_kernel_schema *schema, struct etw_kernel_error *error)
{
	struct etw_kernel_filter none = { .program = NULL };

	return run(sources, count, schema, &none, error, check);
}

bool etw_kernel_filter_make(const struct etw_kernel_source *sources, size_t count,
			    const struct etw_kernel_schema *schema,
			    struct etw_kernel_filter *filter, struct etw_kernel_error *error)
{
	filter->program = NULL;
	filter->size = 0;
	return run(sources, count, schema, filter, error, compile);
}
