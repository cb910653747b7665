// SPDX-License-Identifier: MIT
/*
 * word.c - the words of an expression, which name what every event has
 */
#include <string.h>

#include "tdh/decode/decoder.h"
#include "private.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *name;
	enum etw_expr_word word;
	unsigned int has;
} words[] = {
	{ "provider", ETW_EXPR_PROVIDER, ETW_EXPR_HAS_GUID | ETW_EXPR_HAS_TEXT },
	{ "event", ETW_EXPR_EVENT, ETW_EXPR_HAS_TEXT },
	{ "id", ETW_EXPR_ID, ETW_EXPR_HAS_NUMBER },
	{ "version", ETW_EXPR_VERSION, ETW_EXPR_HAS_NUMBER },
	{ "channel", ETW_EXPR_CHANNEL, ETW_EXPR_HAS_NUMBER | ETW_EXPR_HAS_TEXT },
	{ "level", ETW_EXPR_LEVEL, ETW_EXPR_HAS_NUMBER | ETW_EXPR_HAS_TEXT },
	{ "opcode", ETW_EXPR_OPCODE, ETW_EXPR_HAS_NUMBER | ETW_EXPR_HAS_TEXT },
	{ "task", ETW_EXPR_TASK, ETW_EXPR_HAS_NUMBER | ETW_EXPR_HAS_TEXT },
	{ "keyword", ETW_EXPR_KEYWORD, ETW_EXPR_HAS_NUMBER | ETW_EXPR_HAS_TEXT },
	{ "pid", ETW_EXPR_PID, ETW_EXPR_HAS_NUMBER },
	{ "tid", ETW_EXPR_TID, ETW_EXPR_HAS_NUMBER },
	{ "cpu", ETW_EXPR_CPU, ETW_EXPR_HAS_NUMBER },
	{ "time", ETW_EXPR_TIME, ETW_EXPR_HAS_TIME },
	{ "activity", ETW_EXPR_ACTIVITY, ETW_EXPR_HAS_GUID },
	{ "related", ETW_EXPR_RELATED, ETW_EXPR_HAS_GUID },
	{ "process", ETW_EXPR_PROCESS, ETW_EXPR_HAS_TEXT },
};

enum etw_expr_word etw_expr_word_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < COUNT(words); i++)
		if (strlen(words[i].name) == len && !memcmp(words[i].name, name, len))
			return words[i].word;
	return ETW_EXPR_FIELD;
}

unsigned int etw_expr_word_has(enum etw_expr_word word)
{
	size_t i;

	for (i = 0; i < COUNT(words); i++)
		if (words[i].word == word)
			return words[i].has;
	return ETW_EXPR_HAS_NUMBER | ETW_EXPR_HAS_TEXT | ETW_EXPR_HAS_GUID | ETW_EXPR_HAS_TIME;
}

const char *etw_expr_word_name(enum etw_expr_word word)
{
	size_t i;

	for (i = 0; i < COUNT(words); i++)
		if (words[i].word == word)
			return words[i].name;
	return "field";
}

bool etw_expr_word_is_part(enum etw_expr_word word)
{
	const unsigned int both = ETW_EXPR_HAS_NUMBER | ETW_EXPR_HAS_TEXT;

	return word && etw_expr_word_has(word) == both;
}

bool etw_expr_level(const char *name, uint64_t *level)
{
	static const struct {
		const char *name;
		uint64_t level;
	} levels[] = {
		{ "always", 0 }, { "critical", 1 }, { "error", 2 }, { "warning", 3 },
		{ "info", 4 }, { "information", 4 }, { "informational", 4 }, { "verbose", 5 },
	};
	size_t i;

	for (i = 0; i < COUNT(levels); i++) {
		if (!strcmp(levels[i].name, name)) {
			*level = levels[i].level;
			return true;
		}
	}
	return false;
}

/* Without the prefix that standard names have in manifests */
static const char *plain(const char *name)
{
	return name && !strncmp(name, "win:", 4) ? name + 4 : name;
}

/* As "etw dump" shows it: its own name, task and opcode, or its symbol */
static void name_event(struct etw_expr *expr, const struct etw_expr_event *event,
		       struct etw_expr_value *value)
{
	const struct etw_decoded *d = event->decoded;
	const EVENT_DESCRIPTOR *desc = &event->record->EventHeader.EventDescriptor;
	struct etw_text *text = &expr->text;

	if (!d)
		return;
	if (d->event && *d->event) {
		value->name = d->event;
		return;
	}
	if (!d->task || !*d->task || !desc->Task) {
		value->name = d->symbol;
		return;
	}
	value->name = plain(d->task);
	if (!d->opcode || !*d->opcode || !desc->Opcode)
		return;
	if (text->error)
		etw_text_free(text);
	etw_text_cut(text, 0);
	etw_text_puts(text, value->name);
	etw_text_char(text, '/');
	etw_text_puts(text, plain(d->opcode));
	value->has_text = !text->error;
}

static void name_provider(const struct etw_expr *expr, const struct etw_expr_event *event,
			  struct etw_expr_value *value)
{
	const GUID *guid = &event->record->EventHeader.ProviderId;

	value->guid = guid;
	if (event->decoded)
		value->name = event->decoded->provider;
	if (!value->name && expr->ask.provider)
		value->name = expr->ask.provider(expr->ask.context, guid);
}

static const void *related_activity(const EVENT_RECORD *record)
{
	USHORT i;

	for (i = 0; i < record->ExtendedDataCount; i++)
		if (record->ExtendedData[i].ExtType == EVENT_HEADER_EXT_TYPE_RELATED_ACTIVITYID &&
		    record->ExtendedData[i].DataSize >= sizeof(GUID))
			return (const void *)(uintptr_t)record->ExtendedData[i].DataPtr;
	return NULL;
}

static void set_number(struct etw_expr_value *value, uint64_t number)
{
	value->has_number = true;
	value->number.kind = ETW_EXPR_U64;
	value->number.u = number;
}

static void take_number(struct etw_expr_value *value, enum etw_expr_word word,
			const struct etw_expr_event *event)
{
	const EVENT_HEADER *header = &event->record->EventHeader;
	const EVENT_DESCRIPTOR *desc = &header->EventDescriptor;

	switch (word) {
	case ETW_EXPR_ID:
		return set_number(value, desc->Id);
	case ETW_EXPR_VERSION:
		return set_number(value, desc->Version);
	case ETW_EXPR_CHANNEL:
		return set_number(value, desc->Channel);
	case ETW_EXPR_LEVEL:
		return set_number(value, desc->Level);
	case ETW_EXPR_OPCODE:
		return set_number(value, desc->Opcode);
	case ETW_EXPR_TASK:
		return set_number(value, desc->Task);
	case ETW_EXPR_KEYWORD:
		return set_number(value, desc->Keyword);
	case ETW_EXPR_PID:
		return set_number(value, header->ProcessId);
	case ETW_EXPR_TID:
		return set_number(value, header->ThreadId);
	default:
		return set_number(value, GetEventProcessorIndex(event->record));
	}
}

static enum etw_part part_of(enum etw_expr_word word)
{
	switch (word) {
	case ETW_EXPR_LEVEL:
		return ETW_PART_LEVEL;
	case ETW_EXPR_OPCODE:
		return ETW_PART_OPCODE;
	case ETW_EXPR_TASK:
		return ETW_PART_TASK;
	case ETW_EXPR_CHANNEL:
		return ETW_PART_CHANNEL;
	default:
		return ETW_PART_KEYWORD;
	}
}

/* Note which names of the expression an event has had, for etw_expr_missing(). */
static void note_names(struct etw_expr *expr, const struct etw_expr_test *test, const char *name)
{
	uint32_t i, n = test->op == ETW_EXPR_IN ? 2 * test->count : test->count;

	for (i = 0; i < n; i++) {
		struct etw_expr_const *c = &expr->consts[test->first + i];

		c->looked = true;
		if (c->names && name && !c->found)
			c->found = etw_expr_is_called(name, c);
	}
}

/* Does one of its names pass: that of the number, or of one of the keywords? */
static bool names_hold(struct etw_expr *expr, const struct etw_expr_test *test,
		       const struct etw_expr_event *event)
{
	const bool unequal = test->negate != (test->op == ETW_EXPR_NE);
	const enum etw_part part = part_of(test->word);
	struct etw_expr_test one = *test;
	struct etw_expr_value value;
	const char *name;
	unsigned int i;
	bool holds = false;

	if (!event->decoder)
		return false;
	one.negate = false;
	if (one.op == ETW_EXPR_BITS || one.op == ETW_EXPR_NE)
		one.op = ETW_EXPR_EQ;
	note_names(expr, test, NULL);
	for (i = 0; (name = etw_decode_descriptor_name(event->decoder, part, i)); i++) {
		memset(&value, 0, sizeof(value));
		take_number(&value, test->word, event);
		value.name = name;
		note_names(expr, test, name);
		holds = holds || etw_expr_value_passes(expr, &one, &value);
	}
	if (i || test->word == ETW_EXPR_KEYWORD)
		return holds != unequal;
	memset(&value, 0, sizeof(value));
	take_number(&value, test->word, event);
	return etw_expr_value_passes(expr, test, &value);
}

/* Does the test compare numbers only? */
static bool is_numeric(const struct etw_expr *expr, const struct etw_expr_test *test)
{
	uint32_t i, n = test->op == ETW_EXPR_IN ? 2 * test->count : test->count;

	for (i = 0; i < n; i++)
		if (!(expr->consts[test->first + i].is & ETW_EXPR_IS_NUMBER))
			return false;
	return n && (test->op < ETW_EXPR_CONTAINS || test->op > ETW_EXPR_REGEX);
}

bool etw_expr_word_holds(struct etw_expr *expr, const struct etw_expr_test *test,
			 const struct etw_expr_event *event)
{
	struct etw_expr_value value = { .has_number = false };

	switch (test->word) {
	case ETW_EXPR_PROVIDER:
		name_provider(expr, event, &value);
		break;
	case ETW_EXPR_EVENT:
		name_event(expr, event, &value);
		break;
	case ETW_EXPR_TIME:
		value.has_time = true;
		value.time = event->record->EventHeader.TimeStamp.QuadPart;
		break;
	case ETW_EXPR_ACTIVITY:
		value.guid = &event->record->EventHeader.ActivityId;
		break;
	case ETW_EXPR_RELATED:
		value.guid = related_activity(event->record);
		if (!value.guid)
			return false;
		break;
	case ETW_EXPR_PROCESS:
		if (expr->ask.process)
			value.name = expr->ask.process(expr->ask.context, event->record);
		break;
	default:
		if (etw_expr_word_is_part(test->word) && !is_numeric(expr, test))
			return names_hold(expr, test, event);
		take_number(&value, test->word, event);
	}
	return etw_expr_value_passes(expr, test, &value);
}
