/* SPDX-License-Identifier: MIT */
/*
 * winmeta.c - levels, opcodes, tasks, keywords and channels: the standard ones, and lookups
 *
 * Names, values and symbols are facts of Windows' winmeta.xml, which every manifest
 * refers to as win:NAME. The Reserved ones keep their values from being used.
 */
#include <stdint.h>
#include <string.h>

#include "model.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

#define MESSAGE(what, english) \
	&(const struct etw_mf_message){ \
		.id = what, .text = (const char *const[]){ english }, .standard = true }
#define NAMED(number, what, sym, text, english) \
	{ .name = "win:" what, .symbol = "WINEVENT_" sym, .value = number, \
	  .message = MESSAGE(text, english) }
#define RESERVED(kind, sym, number) \
	{ .name = "win:Reserved" kind #number, .symbol = "WINEVENT_" sym "_RESERVED_" #number, \
	  .value = number }
#define LEVEL(number)	RESERVED("Level", "LEVEL", number)
#define OPCODE(number)	RESERVED("Opcode", "OPCODE", number)

static const struct etw_mf_named levels[] = {
	NAMED(0, "LogAlways", "LEVEL_LOG_ALWAYS", "level.LogAlways", "Log Always"),
	NAMED(1, "Critical", "LEVEL_CRITICAL", "level.Critical", "Critical"),
	NAMED(2, "Error", "LEVEL_ERROR", "level.Error", "Error"),
	NAMED(3, "Warning", "LEVEL_WARNING", "level.Warning", "Warning"),
	NAMED(4, "Informational", "LEVEL_INFO", "level.Informational", "Information"),
	NAMED(5, "Verbose", "LEVEL_VERBOSE", "level.Verbose", "Verbose"),
	LEVEL(6), LEVEL(7), LEVEL(8), LEVEL(9), LEVEL(10),
	LEVEL(11), LEVEL(12), LEVEL(13), LEVEL(14), LEVEL(15),
};

static const struct etw_mf_named opcodes[] = {
	NAMED(0, "Info", "OPCODE_INFO", "opcode.Info", "Info"),
	NAMED(1, "Start", "OPCODE_START", "opcode.Start", "Start"),
	NAMED(2, "Stop", "OPCODE_STOP", "opcode.Stop", "Stop"),
	NAMED(3, "DC_Start", "OPCODE_DC_START", "opcode.DCStart", "DCStart"),
	NAMED(4, "DC_Stop", "OPCODE_DC_STOP", "opcode.DCStop", "DCStop"),
	NAMED(5, "Extension", "OPCODE_EXTENSION", "opcode.Extension", "Extension"),
	NAMED(6, "Reply", "OPCODE_REPLY", "opcode.Reply", "Reply"),
	NAMED(7, "Resume", "OPCODE_RESUME", "opcode.Resume", "Resume"),
	NAMED(8, "Suspend", "OPCODE_SUSPEND", "opcode.Suspend", "Suspend"),
	NAMED(9, "Send", "OPCODE_SEND", "opcode.Send", "Send"),
	NAMED(240, "Receive", "OPCODE_RECEIVE", "opcode.Receive", "Receive"),
	OPCODE(241), OPCODE(242), OPCODE(243), OPCODE(244), OPCODE(245),
	OPCODE(246), OPCODE(247), OPCODE(248), OPCODE(249), OPCODE(250),
	OPCODE(251), OPCODE(252), OPCODE(253), OPCODE(254), OPCODE(255),
};

static const struct etw_mf_task none = {
	.name = "win:None", .symbol = "WINEVENT_TASK_NONE",
	.message = MESSAGE("task.None", "None"),
};

#define KEYWORD(bit, what, sym, text, english) \
	{ .name = "win:" what, .symbol = "WINEVENT_KEYWORD_" sym, .value = 1ull << (bit), \
	  .message = MESSAGE(text, english) }
#define RESERVED_KEYWORD(bit) \
	{ .name = "win:ReservedKeyword" #bit, .symbol = "WINEVENT_KEYWORD_RESERVED_" #bit, \
	  .value = 1ull << (bit) }

static const struct etw_mf_named keywords[] = {
	KEYWORD(48, "ResponseTime", "RESPONSE_TIME", "keyword.ResponseTime", "Response Time"),
	RESERVED_KEYWORD(49),
	KEYWORD(50, "WDIDiag", "WDI_DIAG", "keyword.WDIDiag", "WDI Diag"),
	KEYWORD(51, "SQM", "SQM", "keyword.SQM", "SQM"),
	KEYWORD(52, "AuditFailure", "AUDIT_FAILURE", "keyword.AuditFailure", "Audit Failure"),
	KEYWORD(53, "AuditSuccess", "AUDIT_SUCCESS", "keyword.AuditSuccess", "Audit Success"),
	KEYWORD(54, "CorrelationHint", "CORRELATION_HINT", "keyword.CorrelationHint", "Correlation Hint"),
	KEYWORD(55, "EventlogClassic", "EVENTLOG_CLASSIC", "keyword.Classic", "Classic"),
	RESERVED_KEYWORD(56), RESERVED_KEYWORD(57), RESERVED_KEYWORD(58), RESERVED_KEYWORD(59),
	RESERVED_KEYWORD(60), RESERVED_KEYWORD(61), RESERVED_KEYWORD(62), RESERVED_KEYWORD(63),
};

static const struct etw_mf_named any_keyword = {
	.name = "win:AnyKeyword", .symbol = "WINEVT_KEYWORD_ANY",
	.message = MESSAGE("keyword.AnyKeyword", "AnyKeyword"),
};

#define CHANNEL(number, what, sym, kind, isolated, text, english) \
	{ .name = what, .id = what, .symbol = "WINEVENT_CHANNEL_" sym, .value = number, \
	  .type = ETW_CHANNEL_##kind, .isolation = isolated, .message = MESSAGE(text, english) }

static const struct etw_mf_channel channels[] = {
	CHANNEL(0, "TraceClassic", "CLASSIC_TRACE", DEBUG, 0,
		"channel.TraceClassic", "TraceClassic"),
	CHANNEL(8, "System", "GLOBAL_SYSTEM", ADMIN, 1,
		"channel.System", "System"),
	CHANNEL(9, "Application", "GLOBAL_APPLICATION", ADMIN, 0,
		"channel.Application", "Application"),
	CHANNEL(10, "Security", "GLOBAL_SECURITY", ADMIN, 1,
		"channel.Security", "Security"),
	CHANNEL(11, "TraceLogging", "TRACELOGGING", DEBUG, 0,
		"channel.TraceLogging", "TraceLogging"),
	CHANNEL(12, "ProviderMetadata", "PROVIDERMETADATA", DEBUG, 0,
		"channel.ProviderMetadata", "ProviderMetadata"),
};

#define PARTS(list)	{ list, COUNT(list), sizeof((list)[0]) }

static const struct etw_mf_parts standard[ETW_PARTS] = {
	[ETW_PART_LEVEL] = PARTS(levels), [ETW_PART_OPCODE] = PARTS(opcodes),
	[ETW_PART_TASK] = { &none, 1, sizeof(none) }, [ETW_PART_CHANNEL] = PARTS(channels),
	[ETW_PART_KEYWORD] = PARTS(keywords),
};

static const void *by_value(const struct etw_mf_parts *parts, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < parts->count; i++)
		if (etw_mf_part_at(parts, i)->value == value)
			return etw_mf_part_at(parts, i);
	return NULL;
}

const void *etw_standard(enum etw_part part, uint64_t value)
{
	return by_value(&standard[part], value);
}

const void *etw_standard_named(enum etw_part part, const char *name)
{
	unsigned int i;

	for (i = 0; i < standard[part].count; i++)
		if (!strcmp(etw_mf_part_at(&standard[part], i)->name, name))
			return etw_mf_part_at(&standard[part], i);
	return part == ETW_PART_KEYWORD && !strcmp(any_keyword.name, name) ? &any_keyword : NULL;
}

/* -------------------------------------------- the provider's own, or else a standard one */

struct etw_mf_parts etw_mf_parts(const struct etw_mf_provider *p, enum etw_part part)
{
	switch (part) {
	case ETW_PART_LEVEL:
		return (struct etw_mf_parts){ p->levels, p->level_count, sizeof(*p->levels) };
	case ETW_PART_OPCODE:
		return (struct etw_mf_parts){ p->opcodes, p->opcode_count, sizeof(*p->opcodes) };
	case ETW_PART_TASK:
		return (struct etw_mf_parts){ p->tasks, p->task_count, sizeof(*p->tasks) };
	case ETW_PART_CHANNEL:
		return (struct etw_mf_parts){ p->channels, p->channel_count, sizeof(*p->channels) };
	default:
		return (struct etw_mf_parts){ p->keywords, p->keyword_count, sizeof(*p->keywords) };
	}
}

const void *etw_mf_part(const struct etw_mf_provider *provider, enum etw_part part, uint64_t value)
{
	struct etw_mf_parts own;
	const void *found;

	if (!provider)
		return etw_standard(part, value);
	own = etw_mf_parts(provider, part);
	found = by_value(&own, value);
	return found ? found : etw_standard(part, value);
}

const struct etw_mf_named *etw_mf_opcode(const struct etw_mf_provider *provider,
					 uint16_t task, uint8_t value)
{
	const struct etw_mf_task *of = etw_mf_part(provider, ETW_PART_TASK, task);
	unsigned int i;

	for (i = 0; of && i < of->opcode_count; i++)
		if (of->opcodes[i].value == value)
			return &of->opcodes[i];
	return etw_mf_part(provider, ETW_PART_OPCODE, value);
}

const void *etw_mf_event_part(const struct etw_mf_event *event, enum etw_part part)
{
	const void *const parts[ETW_PARTS] = {
		[ETW_PART_LEVEL] = event->level, [ETW_PART_OPCODE] = event->opcode,
		[ETW_PART_TASK] = event->task, [ETW_PART_CHANNEL] = event->channel,
	};

	return parts[part];
}

uint64_t etw_part_value(const EVENT_DESCRIPTOR *desc, enum etw_part part)
{
	const uint64_t values[ETW_PARTS] = {
		[ETW_PART_LEVEL] = desc->Level, [ETW_PART_OPCODE] = desc->Opcode,
		[ETW_PART_TASK] = desc->Task, [ETW_PART_CHANNEL] = desc->Channel,
		[ETW_PART_KEYWORD] = desc->Keyword,
	};

	return values[part];
}

const struct etw_mf_channel *etw_mf_keyword_channel(const struct etw_mf_provider *provider,
						    uint64_t bit)
{
	unsigned int i;

	for (i = 0; i < provider->channel_count; i++)
		if (provider->channels[i].keyword == bit)
			return &provider->channels[i];
	return NULL;
}
