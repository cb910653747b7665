// SPDX-License-Identifier: MIT
/*
 * word.c - the words of an expression, which name what every event has
 */
#include <string.h>

#include "private.h"
#include "base/event_context.h"
#include "base/event_mode.h"

#define IN_HEADER(member)	.at = offsetof(EVENT_HEADER, member), \
				.size = sizeof(((EVENT_HEADER *)0)->member)
#define NUMBER(member)		.has = ETW_EXPR_HAS_NUMBER, IN_HEADER(member)
#define PART(member, of_part)	.has = ETW_EXPR_HAS_NUMBER | ETW_EXPR_HAS_TEXT | ETW_EXPR_HAS_NAMES, \
				.part = ETW_PART_##of_part, IN_HEADER(EventDescriptor.member)

const struct etw_expr_word_info etw_expr_words[] = {
	[ETW_EXPR_FIELD] = { .name = "field" },
	[ETW_EXPR_PROVIDER] = { .name = "provider", .has = ETW_EXPR_HAS_GUID | ETW_EXPR_HAS_TEXT },
	[ETW_EXPR_EVENT] = { .name = "event", .has = ETW_EXPR_HAS_TEXT },
	[ETW_EXPR_ID] = { .name = "id", NUMBER(EventDescriptor.Id) },
	[ETW_EXPR_VERSION] = { .name = "version", NUMBER(EventDescriptor.Version) },
	[ETW_EXPR_CHANNEL] = { .name = "channel", PART(Channel, CHANNEL) },
	[ETW_EXPR_LEVEL] = { .name = "level", PART(Level, LEVEL) },
	[ETW_EXPR_OPCODE] = { .name = "opcode", PART(Opcode, OPCODE) },
	[ETW_EXPR_TASK] = { .name = "task", PART(Task, TASK) },
	[ETW_EXPR_KEYWORD] = { .name = "keyword", PART(Keyword, KEYWORD) },
	[ETW_EXPR_PID] = { .name = "pid", NUMBER(ProcessId) },
	[ETW_EXPR_TID] = { .name = "tid", NUMBER(ThreadId) },
	[ETW_EXPR_CPU] = { .name = "cpu", .has = ETW_EXPR_HAS_NUMBER },
	[ETW_EXPR_TIME] = { .name = "time", .has = ETW_EXPR_HAS_TIME },
	[ETW_EXPR_ACTIVITY] = { .name = "activity", .has = ETW_EXPR_HAS_GUID },
	[ETW_EXPR_RELATED] = { .name = "related", .has = ETW_EXPR_HAS_GUID },
	[ETW_EXPR_PROCESS] = { .name = "process", .has = ETW_EXPR_HAS_TEXT },
	[ETW_EXPR_PROCESS_PATH] = { .name = "process_path", .has = ETW_EXPR_HAS_TEXT },
	[ETW_EXPR_PROCESS_PARENT] = { .name = "process_parent", .has = ETW_EXPR_HAS_TEXT },
	[ETW_EXPR_MODE] = { .name = "mode", .has = ETW_EXPR_HAS_TEXT },
	[ETW_EXPR_CONTEXT] = { .name = "context", .has = ETW_EXPR_HAS_TEXT },
};

enum etw_expr_word etw_expr_word_find(const char *name, size_t len)
{
	enum etw_expr_word word = ETW_EXPR_WORDS - 1;

	while (word && (strlen(etw_expr_words[word].name) != len ||
			memcmp(etw_expr_words[word].name, name, len)))
		word--;
	return word;
}

/* As "etw dump" shows it */
static void name_event(struct etw_expr *expr, const struct etw_expr_event *event,
		       struct etw_expr_value *value)
{
	struct etw_text *text = &expr->text;
	const char *opcode;

	if (!event->decoded)
		return;
	value->name = etw_decoded_name(event->decoded, &opcode);
	if (!value->name || !opcode)
		return;
	if (text->error)
		etw_text_free(text);
	etw_text_cut(text, 0);
	etw_text_puts(text, value->name);
	etw_text_char(text, '/');
	etw_text_puts(text, opcode);
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

/* The first item of this type, with at least that many bytes; NULL: there is none. */
static const void *find_item(const EVENT_RECORD *record, USHORT type, size_t size)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = record->ExtendedData;
	USHORT left;

	for (left = record->ExtendedDataCount; left; left--, item++)
		if (item->ExtType == type && item->DataSize >= size)
			return (const void *)(uintptr_t)item->DataPtr;
	return NULL;
}

static const char *context_of(const EVENT_RECORD *record)
{
	const void *item = find_item(record, EVENT_HEADER_EXT_TYPE_CONTEXT,
				     sizeof(struct etw_ext_context));

	return item ? etw_event_context_name(etw_event_context_load(item).context) : NULL;
}

/* NULL: not known */
static const char *process_text(struct etw_expr *expr, enum etw_expr_word word,
				const EVENT_RECORD *record)
{
	struct etw_process process;
	const char *text;

	expr->asked |= 1ull << word;
	if (!expr->ask.process || !expr->ask.process(expr->ask.context, record,
						     word == ETW_EXPR_PROCESS_PARENT, &process))
		return NULL;
	text = word == ETW_EXPR_PROCESS_PATH ? process.path : process.name;
	if (text)
		expr->answered |= 1ull << word;
	return text;
}

const char *etw_expr_unanswered(const struct etw_expr *expr)
{
	const uint64_t unanswered = expr->asked & ~expr->answered;

	return unanswered ? etw_expr_words[__builtin_ctzll(unanswered)].name : NULL;
}

static void set_number(struct etw_expr_value *value, enum etw_expr_word word,
		       const EVENT_RECORD *record)
{
	const struct etw_expr_word_info *info = &etw_expr_words[word];
	const uint8_t *header = (const uint8_t *)&record->EventHeader;

	value->has_number = true;
	value->number.kind = ETW_EXPR_U64;
	value->number.u = info->size ? etw_load(header + info->at, info->size) :
				       GetEventProcessorIndex(record);
}

/* Note which names of the expression an event has had, for etw_expr_missing(). */
static void note_names(struct etw_expr *expr, const struct etw_expr_test *test, const char *name)
{
	uint32_t i;

	for (i = 0; i < test->count; i++) {
		struct etw_expr_const *c = &expr->consts[test->first + i];

		c->looked = true;
		if (c->names && name && !c->found)
			c->found = etw_expr_is_called(name, c);
	}
}

/* Of several names, one has to pass; returns whether the test wants none to. */
static bool test_of_one(struct etw_expr_test *one, const struct etw_expr_test *test)
{
	*one = *test;
	one->negate = false;
	if (one->op == ETW_EXPR_BITS || one->op == ETW_EXPR_NE)
		one->op = ETW_EXPR_EQ;
	return test->negate != (test->op == ETW_EXPR_NE);
}

/* An event "Work/Start" of TraceLogging is also found by its own name, "Work". */
static bool event_holds(struct etw_expr *expr, const struct etw_expr_test *test,
			const struct etw_expr_event *event)
{
	struct etw_expr_value value = { .has_number = false }, own = value;
	struct etw_expr_test one;
	bool unequal, holds;

	name_event(expr, event, &value);
	if (!value.has_text || event->decoded->source != ETW_DECODE_TRACELOGGING)
		return etw_expr_value_passes(expr, test, &value);
	unequal = test_of_one(&one, test);
	own.name = event->decoded->event;
	holds = etw_expr_value_passes(expr, &one, &value) ||
		etw_expr_value_passes(expr, &one, &own);
	return holds != unequal;
}

/* Does one of its names pass: that of the number, or of one of the keywords? */
static bool names_hold(struct etw_expr *expr, const struct etw_expr_test *test,
		       const struct etw_expr_event *event)
{
	const enum etw_part part = etw_expr_words[test->word].part;
	struct etw_expr_test one;
	struct etw_expr_value value;
	const char *name;
	unsigned int i;
	bool holds = false, unequal;

	if (!event->decoder)
		return false;
	unequal = test_of_one(&one, test);
	note_names(expr, test, NULL);
	for (i = 0; (name = etw_decode_descriptor_name(event->decoder, part, i)); i++) {
		value = (struct etw_expr_value){ .name = name };
		set_number(&value, test->word, event->record);
		note_names(expr, test, name);
		holds = holds || etw_expr_value_passes(expr, &one, &value);
	}
	if (i || test->word == ETW_EXPR_KEYWORD)
		return holds != unequal;
	value = (struct etw_expr_value){ .name = NULL };
	set_number(&value, test->word, event->record);
	return etw_expr_value_passes(expr, test, &value);
}

/* Does the test compare numbers only? */
static bool is_numeric(const struct etw_expr *expr, const struct etw_expr_test *test)
{
	uint32_t i;

	for (i = 0; i < test->count; i++)
		if (!(expr->consts[test->first + i].is & ETW_EXPR_IS_NUMBER))
			return false;
	return test->count && (test->op < ETW_EXPR_CONTAINS || test->op > ETW_EXPR_REGEX);
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
		return event_holds(expr, test, event);
	case ETW_EXPR_TIME:
		value.has_time = true;
		value.time = event->record->EventHeader.TimeStamp.QuadPart;
		break;
	case ETW_EXPR_ACTIVITY:
		value.guid = &event->record->EventHeader.ActivityId;
		break;
	case ETW_EXPR_RELATED:
		value.guid = find_item(event->record, EVENT_HEADER_EXT_TYPE_RELATED_ACTIVITYID,
				       sizeof(GUID));
		if (!value.guid)
			return false;
		break;
	case ETW_EXPR_PROCESS:
	case ETW_EXPR_PROCESS_PATH:
	case ETW_EXPR_PROCESS_PARENT:
		value.name = process_text(expr, test->word, event->record);
		break;
	case ETW_EXPR_MODE:
		value.name = etw_event_mode(event->record->EventHeader.Flags);
		break;
	case ETW_EXPR_CONTEXT:
		value.name = context_of(event->record);
		break;
	default:
		if (etw_expr_words[test->word].has & ETW_EXPR_HAS_NAMES && !is_numeric(expr, test))
			return names_hold(expr, test, event);
		set_number(&value, test->word, event->record);
	}
	return etw_expr_value_passes(expr, test, &value);
}
