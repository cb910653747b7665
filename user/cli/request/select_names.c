/* SPDX-License-Identifier: MIT */
/*
 * select_names.c - names in the options that select events, where numbers may stand
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/cli.h"
#include "cli/schema.h"
#include "select_names.h"
#include "tdh/decode/decoder.h"

/* A plan's mark: is the event selected?  0: not decided yet */
enum { MARK_NO = 1, MARK_YES };

void select_names_add(struct select_names *names, const char *text)
{
	struct select_name *name;

	names->list = cli_grow(names->list, names->count, sizeof(*names->list));
	name = &names->list[names->count++];
	*name = (struct select_name){ .text = strdup(text) };
	if (!name->text)
		cli_die("out of memory");
}

/* ---------------------------------------------------------------------- events */

static bool is_shown_as(const struct etw_decoded *decoded, const char *word)
{
	const char *opcode, *name = etw_decoded_name(decoded, &opcode);
	const size_t len = name ? strlen(name) : 0;

	if (!name || strncasecmp(word, name, len))
		return false;
	return !word[len] ||
	       (opcode && word[len] == '/' && !strcasecmp(word + len + 1, opcode));
}

static bool has_task(const struct etw_decoder *decoder, const char *word)
{
	const char *task;
	unsigned int i;

	for (i = 0; (task = etw_decode_descriptor_name(decoder, ETW_PART_TASK, i)); i++)
		if (!strcasecmp(task, word))
			return true;
	return false;
}

/* Would "etw enable --id" take this event of a manifest for the name? */
static bool is_event_of(const struct etw_schema_plan *plan, const char *word, bool *known)
{
	const struct etw_providers own = { &plan->provider, 1 };
	const struct etw_mf_event *event = NULL;

	while ((event = schema_event(&own, word, event))) {
		*known = true;
		if (event == plan->event)
			return true;
	}
	return false;
}

static bool is_one(struct select_names *names, const struct etw_decoded *decoded,
		   const struct etw_decoder *decoder)
{
	const struct etw_schema_plan *plan = decoder->plan;
	bool known, wanted, any = false;
	unsigned int i;

	for (i = 0; i < names->count; i++) {
		const char *word = names->list[i].text;

		if (plan && plan->event && plan->source == ETW_DECODE_MANIFEST) {
			known = false;
			wanted = is_event_of(plan, word, &known);
		} else {
			wanted = known = is_shown_as(decoded, word) || has_task(decoder, word);
		}
		names->list[i].found |= known;
		any |= wanted;
	}
	return any;
}

/* All events of a manifest's plan have one answer. */
bool select_names_event(struct select_names *names, const struct etw_decoded *decoded,
			struct etw_decoder *decoder)
{
	struct etw_schema_plan *plan = decoder->plan;
	const bool keeps = plan && plan->event && plan->source == ETW_DECODE_MANIFEST;

	names->looked = true;
	if (!keeps)
		return is_one(names, decoded, decoder);
	if (!plan->mark)
		plan->mark = is_one(names, decoded, decoder) ? MARK_YES : MARK_NO;
	return plan->mark == MARK_YES;
}

/* ------------------------------------------------------------ keywords and levels */

bool select_names_keyword(struct select_names *names, struct etw_decoder *decoder)
{
	const char *keyword;
	unsigned int i, n;
	bool any = false;

	names->looked = true;
	for (i = 0; (keyword = etw_decode_descriptor_name(decoder, ETW_PART_KEYWORD, i)); i++)
		for (n = 0; n < names->count; n++)
			if (!strcasecmp(keyword, names->list[n].text))
				any = names->list[n].found = true;
	return any;
}

bool select_names_level(struct select_names *names, const struct etw_decoded *decoded,
			const struct etw_decoder *decoder)
{
	const struct etw_mf_provider *provider = decoder->keywords ? decoder->keywords->provider : NULL;
	const struct etw_providers own = { &provider, provider ? 1 : 0 };
	const UCHAR level = decoded->record->EventHeader.EventDescriptor.Level;
	uint64_t highest;

	names->looked = true;
	if (!schema_value(&own, ETW_PART_LEVEL, names->list[0].text, &highest))
		return !level;
	names->list[0].found = true;
	return level <= highest;
}

void select_names_report(const struct select_names *names, const char *option, const char *what)
{
	unsigned int i;

	for (i = 0; names->looked && i < names->count; i++)
		if (!names->list[i].found)
			cli_note("%s: no event is known to have %s %s", option, what,
				 cli_quote(names->list[i].text));
}

void select_names_free(struct select_names *names)
{
	while (names->count)
		free(names->list[--names->count].text);
	free(names->list);
	names->list = NULL;
}
