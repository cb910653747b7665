/* SPDX-License-Identifier: MIT */
/*
 * select.c - select events of a trace
 *
 * Tests of the record's header come first, so that most events that are not selected
 * need no decoding.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/cli.h"
#include "cli/input/log_contents.h"
#include "cli/input/operations.h"
#include "cli/provider.h"
#include "event_filter.h"
#include "cli/schema.h"
#include "select.h"
#include "select_count.h"
#include "select_names.h"
#include "lib/consumer/event_record.h"
#include "base/guid.h"
#include "base/name_guid.h"
#include "tdh/decode/embed.h"
#include "tdh/expr/time_expr.h"

#define PROVIDERS_MAX	1024
#define PIDS_MAX	4096
#define IDS		65536

/* A provider by its GUID; or by its name and the GUIDs that the name stands for */
struct wanted {
	const char *text;
	const char *name;	/* NULL: given by its GUID */
	unsigned int guid_count;
	struct etw_guid guid[2];
	bool seen;
};

struct bound {
	const char *option;	/* the option that set it */
	const char *text;	/* NULL: none */
	struct etw_time_expr when;
	int64_t time;
};

struct select {
	struct wanted *providers;
	unsigned int provider_count;
	bool by_name;		/* a provider was given by its name */
	uint8_t *ids;		/* a bit for each, or NULL: all */
	uint32_t *pids;
	unsigned int pid_count;
	bool has_level, has_keyword;
	uint8_t level;
	uint64_t keyword;
	/* beside these numbers; level_name: instead of one, at most one */
	struct select_names id_names, keyword_names, level_name;
	struct bound since, until;
	struct filter {
		const char *option;	/* that gave it */
		struct etw_expr *expr;
		const char *text;
	} *filters;
	unsigned int filter_count;
	bool filters_decode;
	struct etw_expr_ask ask;
	const struct etw_expr_operation *operation;	/* at hand, or NULL */
	int64_t start, end;	/* of the trace, FILETIMEs */
	struct select_count count;
	bool counts;		/* count has the event at hand */
	unsigned int seen_all;	/* the first filters, to which all events have come */
	/* for select_event() */
	struct etw_decoder *decoder;
	struct etw_event_items items;
};

/* -------------------------------------------------------------------- options */

static void take_provider(struct select *s, const char *text)
{
	struct wanted *w;

	if (s->provider_count == PROVIDERS_MAX)
		cli_usage("--provider: given more than %d times", PROVIDERS_MAX);
	s->providers = cli_grow(s->providers, s->provider_count, sizeof(*w));
	w = &s->providers[s->provider_count++];
	memset(w, 0, sizeof(*w));
	w->text = text;
	if (!etw_guid_parse(text, &w->guid[0])) {
		w->guid_count = 1;
		return;
	}
	if (provider_looks_like_guid(text))
		cli_usage("--provider: %s is not a complete GUID (8-4-4-4-12 hexadecimal digits)",
			  cli_quote(text));
	w->name = text + (*text == '*');
	/* Most TraceLogging providers derive their GUID from their name. */
	if (etw_guid_from_name(w->name, strlen(w->name), &w->guid[0]))
		cli_usage("--provider: %s is not a name in UTF-8 of 1 to %d bytes", cli_quote(text),
			  ETW_NAME_MAX);
	w->guid_count = 1;
	s->by_name = true;
}

/* Numbers and ranges of them, and names if there are any: "1,5-9,Start". */
static void take_list(const char *option, const char *text, uint32_t max, struct select *s,
		      void (*take)(struct select *s, uint32_t low, uint32_t high),
		      struct select_names *names)
{
	char **words = cli_list(option, text, ",");
	uint32_t low, high;
	size_t i;

	for (i = 0; words[i]; i++) {
		if (names && cli_is_name(words[i])) {
			select_names_add(names, words[i]);
			continue;
		}
		cli_range(option, words[i], 0, max, &low, &high);
		take(s, low, high);
	}
	free(words);
}

static void take_ids(struct select *s, uint32_t low, uint32_t high)
{
	if (!s->ids)
		s->ids = cli_calloc(IDS / 8, 1);
	for (; low <= high; low++)
		s->ids[low / 8] |= (uint8_t)(1u << low % 8);
}

/* Each range of processes takes two entries. */
static void take_pids(struct select *s, uint32_t low, uint32_t high)
{
	if (s->pid_count == PIDS_MAX)
		cli_usage("--pid: more than %d", PIDS_MAX);
	s->pids = cli_grow(s->pids, s->pid_count, 2 * sizeof(*s->pids));
	s->pids[2 * s->pid_count] = low;
	s->pids[2 * s->pid_count++ + 1] = high;
}

static void take_level(struct select *s, const char *text)
{
	select_names_free(&s->level_name);
	s->has_level = cli_is_level(text, &s->level);
	if (s->has_level)
		return;
	if (!cli_is_name(text))
		cli_level("--level", text);
	select_names_add(&s->level_name, text);
}

static void take_keywords(struct select *s, const char *text)
{
	char **words = cli_list("--keyword", text, ",");
	size_t i;

	for (i = 0; words[i]; i++) {
		if (cli_is_name(words[i]))
			select_names_add(&s->keyword_names, words[i]);
		else
			s->keyword |= cli_hex("--keyword", words[i]);
	}
	free(words);
	s->has_keyword = true;
}

static void take_time(const char *option, struct bound *bound, const char *text)
{
	if (bound->option && strcmp(bound->option, option))
		cli_usage("give either %s or %s", bound->option, option);
	if (!etw_time_expr_parse(text, strlen(text), &bound->when))
		cli_usage("%s: %s is not a time: see etw-filter(7)", option, cli_quote(text));
	bound->option = option;
	bound->text = text;
}

/* --last 5s is --since -5s. */
static void take_last(struct bound *bound, const char *text)
{
	char *word = cli_calloc(strlen(text) + 2, 1);

	if (*text < '0' || *text > '9')
		cli_usage("--last: %s is not a time like 5s, 2m or 200ms", cli_quote(text));
	*word = '-';
	strcpy(word + 1, text);
	take_time("--last", bound, word);
	free(word);
	bound->text = text;
}

void select_between(struct select **select, const char *option, const char *since,
		    const char *until)
{
	struct select *s = *select;

	if (!s)
		s = *select = cli_calloc(1, sizeof(*s));
	if (*since)
		take_time(option, &s->since, since);
	if (*until)
		take_time(option, &s->until, until);
}

static void take_filter(struct select *s, const char *option, const char *text)
{
	struct etw_expr *expr = event_filter_parse(option, text);

	s->filters = cli_grow(s->filters, s->filter_count, sizeof(*s->filters));
	s->filters[s->filter_count++] = (struct filter){ option, expr, text };
	s->filters_decode |= etw_expr_decodes(expr);
}

bool select_option(struct select **select, int option, const char *value)
{
	struct select *s = *select;

	if (option != SELECT_OPT_PROVIDER && (option < SELECT_OPT || option >= SELECT_OPT_END))
		return false;
	if (!s)
		s = *select = cli_calloc(1, sizeof(*s));
	switch (option) {
	case SELECT_OPT_PROVIDER:
		take_provider(s, value);
		break;
	case SELECT_OPT_ID:
		take_list("--id", value, IDS - 1, s, take_ids, &s->id_names);
		break;
	case SELECT_OPT_LEVEL:
		take_level(s, value);
		break;
	case SELECT_OPT_KEYWORD:
		take_keywords(s, value);
		break;
	case SELECT_OPT_PID:
		take_list("--pid", value, UINT32_MAX, s, take_pids, NULL);
		break;
	case SELECT_OPT_SINCE:
		take_time("--since", &s->since, value);
		break;
	case SELECT_OPT_UNTIL:
		take_time("--until", &s->until, value);
		break;
	case SELECT_OPT_LAST:
		take_last(&s->since, value);
		break;
	default:
		take_filter(s, option == SELECT_OPT_SHOW ? "--show" : "--filter", value);
	}
	return true;
}

/* Add the GUID that a manifest gives this name. */
static void find_provider(struct wanted *w)
{
	struct etw_guid guid;

	if (w->name && w->name == w->text && schema_find_name(w->name, &guid))
		w->guid[w->guid_count++] = guid;
}

void select_check(const struct select *s, bool processes, bool operations)
{
	unsigned int i;

	for (i = 0; s && i < s->filter_count; i++) {
		const struct filter *filter = &s->filters[i];

		if (!processes && etw_expr_asks_process(filter->expr))
			cli_usage("%s: process: --no-names leaves out the names of processes",
				  filter->option);
		if (!operations && etw_expr_needs_operation(filter->expr))
			cli_usage("%s: duration: only operations have one, so --operations is missing",
				  filter->option);
	}
}

void select_ready(struct select *s, int64_t start, int64_t end, const struct etw_expr_ask *ask)
{
	static const struct etw_expr_ask nobody;
	unsigned int i;

	if (!s)
		return;
	s->ask = ask ? *ask : nobody;
	s->start = start;
	s->end = end;
	s->seen_all = s->filter_count;
	for (i = 0; i < s->provider_count; i++)
		find_provider(&s->providers[i]);
	for (i = 0; i < s->filter_count; i++)
		etw_expr_ask(s->filters[i].expr, &s->ask);
	if (s->since.text)
		s->since.time = etw_time_expr_at(&s->since.when, start, end);
	if (s->until.text)
		s->until.time = etw_time_expr_at(&s->until.when, start, end);
	if (s->since.text && s->until.text && s->until.time < s->since.time)
		cli_usage("%s: %s is before %s, which is %s", s->until.option,
			  cli_quote(s->until.text), s->since.text, s->since.option);
}

/* Were names given where numbers may stand? */
static bool has_names(const struct select *s)
{
	return s->id_names.count || s->keyword_names.count || s->level_name.count;
}

bool select_decodes(const struct select *select)
{
	return select && (select->by_name || select->filters_decode || has_names(select));
}

/* -------------------------------------------------------------------- choosing */

static bool has_pid(const struct select *s, uint32_t pid)
{
	unsigned int i;

	for (i = 0; i < s->pid_count; i++)
		if (pid >= s->pids[2 * i] && pid <= s->pids[2 * i + 1])
			return true;
	return false;
}

/* The provider that has this GUID, or NULL */
static struct wanted *find_guid(const struct select *s, const struct etw_guid *guid)
{
	struct wanted *w;
	unsigned int i;

	for (w = s->providers; w < s->providers + s->provider_count; w++)
		for (i = 0; i < w->guid_count; i++)
			if (!memcmp(&w->guid[i], guid, sizeof(*guid)))
				return w;
	return NULL;
}

bool select_names_guid(const struct select *select, const struct etw_guid *guid)
{
	return select && find_guid(select, guid);
}

static struct wanted *find_name(const struct select *s, const EVENT_RECORD *record,
				const struct etw_decoded *decoded)
{
	const char *name = decoded ? decoded->provider : NULL;
	struct wanted *w;

	if (!name && s->ask.provider)
		name = s->ask.provider(s->ask.context, &record->EventHeader.ProviderId);
	for (w = s->providers; name && w < s->providers + s->provider_count; w++)
		if (w->name && !strcasecmp(w->name, name))
			return w;
	return NULL;
}

static bool has_id(const struct select *s, uint16_t id)
{
	return s->ids && s->ids[id / 8] >> id % 8 & 1;
}

static bool has_keyword(const struct select *s, uint64_t keyword)
{
	return keyword & s->keyword;
}

/* The tests of the header except that of the provider; names may select the event, too. */
static enum select_test test_header(const struct select *s, int64_t time,
				    const struct etw_event_header *h)
{
	if (s->since.text && time < s->since.time)
		return SELECT_SINCE;
	if (s->until.text && time > s->until.time)
		return SELECT_UNTIL;
	if (s->has_level && h->desc.level > s->level)
		return SELECT_LEVEL;
	if (s->has_keyword && !has_keyword(s, h->desc.keyword) &&
	    !(s->keyword_names.count && h->desc.keyword))
		return SELECT_KEYWORD;
	if (s->pid_count && !has_pid(s, h->process_id))
		return SELECT_PID;
	return !s->ids || has_id(s, h->desc.id) || s->id_names.count ? SELECT_TESTS : SELECT_ID;
}

/* The tests that only names pass.  All are made: names that no event has are reported. */
static enum select_test test_names(struct select *s, const EVENT_DESCRIPTOR *desc,
				   const struct etw_decoded *decoded, struct etw_decoder *decoder)
{
	enum select_test failed = SELECT_TESTS;

	if (s->id_names.count && !select_names_event(&s->id_names, decoded, decoder) &&
	    !has_id(s, desc->Id))
		failed = SELECT_ID;
	if (s->keyword_names.count && !select_names_keyword(&s->keyword_names, decoder) &&
	    !has_keyword(s, desc->Keyword))
		failed = SELECT_KEYWORD;
	if (s->level_name.count && !select_names_level(&s->level_name, decoded, decoder))
		failed = SELECT_LEVEL;
	return failed;
}

static enum select_test test_undecoded(const struct select *s, const struct etw_event *event)
{
	const struct etw_event_header *header = event->record.header;
	enum select_test failed = test_header(s, event->time, header);

	if (failed == SELECT_TESTS && s->provider_count && !s->by_name &&
	    !find_guid(s, &header->provider))
		return SELECT_PROVIDER;
	return failed;
}

static enum select_test test_filters(struct select *s, const EVENT_RECORD *record,
				     const struct etw_decoded *decoded, struct etw_decoder *decoder)
{
	unsigned int i;

	for (i = 0; i < s->filter_count; i++) {
		if (etw_expr_match_operation(s->filters[i].expr, record, decoded, decoder,
					     s->operation))
			continue;
		if (i + 1 < s->seen_all)
			s->seen_all = i + 1;
		return SELECT_FILTER;
	}
	return SELECT_TESTS;
}

static enum select_test test_record(struct select *s, const EVENT_RECORD *record,
				    const struct etw_decoded *decoded, struct etw_decoder *decoder)
{
	/* They have the same layout: see lib/consumer/event_record.c. */
	const void *header = &record->EventHeader;
	enum select_test failed;
	struct wanted *w;

	failed = test_header(s, record->EventHeader.TimeStamp.QuadPart, header);
	if (failed != SELECT_TESTS)
		return failed;
	if (s->provider_count) {
		w = find_guid(s, &((const struct etw_event_header *)header)->provider);
		if (!w && s->by_name)
			w = find_name(s, record, decoded);
		if (!w)
			return SELECT_PROVIDER;
		w->seen |= !etw_embed_is(record);
	}
	if (has_names(s))
		failed = test_names(s, &record->EventHeader.EventDescriptor, decoded, decoder);
	return failed == SELECT_TESTS ? test_filters(s, record, decoded, decoder) : failed;
}

static enum select_test test_event(struct select *s, const struct etw_event *event, bool is_piece)
{
	const enum select_test failed = test_undecoded(s, event);
	const struct etw_decoded *decoded = NULL;
	EVENT_RECORD record;
	struct wanted *w;

	/* Decode every piece of a schema: later events need it. */
	if (failed != SELECT_TESTS && !(is_piece && select_decodes(s)))
		return failed;
	if (!s->filter_count && !has_names(s) && s->provider_count && !(is_piece && s->by_name)) {
		w = find_guid(s, &event->record.header->provider);
		if (w)
			w->seen |= !is_piece;
		if (w || !s->by_name)
			return w ? SELECT_TESTS : SELECT_PROVIDER;
	} else if (!s->filter_count && !has_names(s) && !s->by_name) {
		return SELECT_TESTS;
	}
	s->items.keeps = true;
	etw_event_record(&record, event, &s->items, false);
	if (!select_decodes(s))
		return test_record(s, &record, NULL, NULL);
	if (!s->decoder)
		s->decoder = etw_decoder_new();
	if (!s->decoder || etw_decode(s->decoder, &record, &decoded) == -ENOMEM)
		cli_die("out of memory");
	return test_record(s, &record, decoded, s->decoder);
}

static void begin_event(struct select *s, const struct etw_event *event)
{
	s->counts = !event_is_about_trace(event);
	if (s->counts)
		select_count_looked(&s->count, event->time);
}

/* Returns whether the event at hand has passed. */
static bool end_event(struct select *s, enum select_test failed)
{
	if (failed == SELECT_TESTS) {
		s->count.matched++;
		return true;
	}
	if (s->counts)
		s->count.left_out[failed]++;
	if (s->counts && failed != SELECT_FILTER)
		s->seen_all = 0;
	return false;
}

bool select_may(struct select *s, const struct etw_event *event)
{
	enum select_test failed;

	if (!s)
		return true;
	begin_event(s, event);
	failed = test_undecoded(s, event);
	return failed == SELECT_TESTS || end_event(s, failed);
}

bool select_loss(struct select *s, const struct etw_loss *loss)
{
	static const struct etw_guid ledger_guid = ETW_LEDGER_GUID;

	/* Nothing was lost: its mode leaves these out, as the file does that began later. */
	if (loss->payload.code == ETW_LOSS_BEFORE_FILE)
		return false;
	if (!s)
		return true;
	if ((s->since.text && loss->last < s->since.time) ||
	    (s->until.text && loss->first > s->until.time))
		return false;
	select_saw(s, &ledger_guid);
	return true;
}

void select_saw(struct select *s, const struct etw_guid *guid)
{
	struct wanted *w = s ? find_guid(s, guid) : NULL;

	if (!w)
		return;
	w->seen = true;
	s->count.matched++;
}

bool select_wants(struct select *s, const EVENT_RECORD *record,
		  const struct etw_decoded *decoded, struct etw_decoder *decoder)
{
	return !s || end_event(s, test_record(s, record, decoded, decoder));
}

bool select_event(struct select *s, const struct etw_event *event)
{
	const bool is_piece = s && etw_embed_is_piece(event->record.header);

	if (!s)
		return true;
	if (is_piece)
		return test_event(s, event, true) == SELECT_TESTS;
	begin_event(s, event);
	return end_event(s, test_event(s, event, false));
}

bool select_operation(struct select *s, const struct operation *operation)
{
	const struct etw_expr_operation of = { operation->ns,
					       operation->known ? operation->decoder : NULL };
	bool wanted;

	if (!s)
		return true;
	s->operation = &of;
	wanted = select_event(s, &operation->start);
	s->operation = NULL;
	return wanted;
}

int64_t select_since(const struct select *select)
{
	return select && select->since.text ? select->since.time : INT64_MIN;
}

int64_t select_until(const struct select *select)
{
	return select && select->until.text ? select->until.time : INT64_MAX;
}

bool select_is_over(const struct select *select, int64_t time)
{
	return select && select->until.text && time > select->until.time;
}

/* Did an earlier test have the same name missing? */
static bool was_missing(const struct filter *filter, const struct etw_expr_place *of)
{
	struct etw_expr_place place;
	size_t next = 0;

	while (etw_expr_missing(filter->expr, &next, &place) && place.at != of->at)
		if (place.what && place.len == of->len && !strcmp(place.what, of->what) &&
		    !memcmp(filter->text + place.at, filter->text + of->at, of->len))
			return true;
	return false;
}

/* A name that no event has is most likely misspelt.  in_some: not all events came here. */
static void report_missing(const struct filter *filter, bool in_some)
{
	struct etw_expr_place place;
	const char *first, *which;
	size_t next = 0, quote;
	char *path;

	while (etw_expr_missing(filter->expr, &next, &place)) {
		first = filter->text + place.at;
		which = in_some || place.in_some ? " that the other tests let pass" : "";
		if (!place.what) {
			cli_note("%s: column %zu: no event%s has a value that \"%.*s\" could compare",
				 filter->option, place.at + 1, which, (int)place.len, first);
			continue;
		}
		if (was_missing(filter, &place))
			continue;
		quote = *first == '"' || *first == '\'';
		path = strndup(first + quote, place.len - 2 * quote);
		if (!path)
			cli_die("out of memory");
		cli_note("%s: column %zu: no event%s is known to have %s %s %s", filter->option,
			 place.at + 1, which, strchr("aeiou", place.what[0]) ? "an" : "a",
			 place.what, cli_quote(path));
		free(path);
	}
}

/* Without the names of processes a test of them fails in silence. */
static void report_unanswered(const struct select *s)
{
	const char *word = NULL;
	unsigned int i;

	for (i = 0; i < s->filter_count && !word; i++)
		word = etw_expr_unanswered(s->filters[i].expr);
	if (word)
		cli_note("%s: no event has a value that %s could be compared with: the trace does not name the processes that wrote them, see --processes in etw-start(1)",
			 s->filters[i - 1].option, cli_quote(word));
}

void select_bound(const struct select *select, struct inputs *inputs)
{
	if (select && select->until.text)
		inputs_until(inputs, select->until.time);
}

/* Nothing was selected: say what was looked at, and which options have left it out. */
static void report_none(const struct select *s, bool operations)
{
	const char *const options[SELECT_TESTS] = {
		[SELECT_SINCE] = s->since.text ? s->since.option : NULL,
		[SELECT_UNTIL] = s->until.text ? s->until.option : NULL,
		[SELECT_LEVEL] = s->has_level || s->level_name.count ? "--level" : NULL,
		[SELECT_KEYWORD] = s->has_keyword ? "--keyword" : NULL,
		[SELECT_PID] = s->pid_count ? "--pid" : NULL,
		[SELECT_ID] = s->ids || s->id_names.count ? "--id" : NULL,
		[SELECT_PROVIDER] = s->provider_count ? "--provider" : NULL,
		[SELECT_FILTER] = s->filter_count ? s->filters[0].option : NULL,
	};
	struct select_count count = s->count;

	count.operations = operations;
	select_count_report(&count, options,
			    s->provider_count == 1 ? s->providers[0].text : NULL, s->start, s->end);
}

static void report_providers(const struct select *s)
{
	const uint64_t *out = s->count.left_out;
	const bool in_some = out[SELECT_SINCE] || out[SELECT_UNTIL] || out[SELECT_LEVEL] ||
			     out[SELECT_KEYWORD] || out[SELECT_PID] || out[SELECT_ID];
	unsigned int i, unseen = 0;

	for (i = 0; i < s->provider_count; i++)
		unseen += !s->providers[i].seen;
	/* Then the line about all of them has said it. */
	if (!s->count.matched && unseen == s->provider_count)
		return;
	for (i = 0; i < s->provider_count; i++)
		if (!s->providers[i].seen)
			cli_note("no event%s is of provider %s",
				 in_some ? " that the other tests let pass" : "",
				 cli_quote(s->providers[i].text));
}

bool select_has_looked(const struct select *s)
{
	return s && (s->count.looked || s->count.matched);
}

void select_report(const struct select *s, bool operations)
{
	unsigned int i;

	if (!s)
		return;
	if (!s->count.matched)
		report_none(s, operations);
	report_providers(s);
	for (i = 0; i < s->filter_count; i++)
		report_missing(&s->filters[i], i >= s->seen_all);
	report_unanswered(s);
	select_names_report(&s->id_names, "--id", "the name");
	select_names_report(&s->keyword_names, "--keyword", "a keyword");
	select_names_report(&s->level_name, "--level", "a level");
}

void select_free(struct select *s)
{
	unsigned int i;

	if (!s)
		return;
	for (i = 0; i < s->filter_count; i++)
		etw_expr_free(s->filters[i].expr);
	etw_decoder_free(s->decoder);
	etw_event_items_free(&s->items);
	select_names_free(&s->id_names);
	select_names_free(&s->keyword_names);
	select_names_free(&s->level_name);
	free(s->filters);
	free(s->providers);
	free(s->ids);
	free(s->pids);
	free(s);
}
