/* SPDX-License-Identifier: MIT */
/*
 * winmeta.c - levels, opcodes, tasks, keywords and channels: the standard ones, and lookups
 *
 * Names, values and symbols are facts of Windows' winmeta.xml, which every manifest
 * refers to as win:NAME. The Reserved ones keep their values from being used.
 */
#include <stdint.h>
#include <string.h>

#include "winmeta.h"

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
	{ .name = "win:" what, .symbol = "WINEVENT_KEYWORD_" sym, .mask = 1ull << (bit), \
	  .message = MESSAGE(text, english) }
#define RESERVED_KEYWORD(bit) \
	{ .name = "win:ReservedKeyword" #bit, .symbol = "WINEVENT_KEYWORD_RESERVED_" #bit, \
	  .mask = 1ull << (bit) }
#define FIRST_KEYWORD	48	/* the bit of keywords[0] */

static const struct etw_mf_keyword keywords[] = {
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

static const struct etw_mf_keyword any_keyword = {
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

#define BY_VALUE(list, value)	by_value(list, COUNT(list), value)
#define BY_NAME(list, name)	by_name(list, COUNT(list), sizeof((list)[0]), name)

static const struct etw_mf_named *by_value(const struct etw_mf_named *list, size_t count,
					   uint8_t value)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (list[i].value == value)
			return &list[i];
	return NULL;
}

/* All definitions begin with their name. */
static const void *by_name(const void *list, size_t count, size_t size, const char *name)
{
	const char *thing = list;

	for (; count; count--, thing += size)
		if (!strcmp(*(const char *const *)thing, name))
			return thing;
	return NULL;
}

const struct etw_mf_named *etw_standard_level(uint8_t value)
{
	return BY_VALUE(levels, value);
}

const struct etw_mf_named *etw_standard_level_named(const char *name)
{
	return BY_NAME(levels, name);
}

const struct etw_mf_named *etw_standard_opcode(uint8_t value)
{
	return BY_VALUE(opcodes, value);
}

const struct etw_mf_named *etw_standard_opcode_named(const char *name)
{
	return BY_NAME(opcodes, name);
}

const struct etw_mf_task *etw_standard_task(uint16_t value)
{
	return value ? NULL : &none;
}

const struct etw_mf_task *etw_standard_task_named(const char *name)
{
	return strcmp(name, none.name) ? NULL : &none;
}

const struct etw_mf_keyword *etw_standard_keyword(uint64_t bit)
{
	if (!bit || bit & (bit - 1) || bit < keywords[0].mask)
		return NULL;
	return &keywords[__builtin_ctzll(bit) - FIRST_KEYWORD];
}

const struct etw_mf_keyword *etw_standard_keyword_named(const char *name)
{
	return strcmp(name, any_keyword.name) ? BY_NAME(keywords, name) : &any_keyword;
}

const struct etw_mf_channel *etw_standard_channel(uint8_t value)
{
	size_t i;

	for (i = 0; i < COUNT(channels); i++)
		if (channels[i].value == value)
			return &channels[i];
	return NULL;
}

const struct etw_mf_channel *etw_standard_channel_named(const char *name)
{
	return BY_NAME(channels, name);
}

/* -------------------------------------------- the provider's own, or else a standard one */

static const struct etw_mf_task *own_task(const struct etw_mf_provider *provider, uint16_t value)
{
	unsigned int i;

	for (i = 0; i < provider->task_count; i++)
		if (provider->tasks[i].value == value)
			return &provider->tasks[i];
	return NULL;
}

const struct etw_mf_named *etw_mf_level(const struct etw_mf_provider *provider, uint8_t value)
{
	const struct etw_mf_named *level = by_value(provider->levels, provider->level_count, value);

	return level ? level : etw_standard_level(value);
}

const struct etw_mf_task *etw_mf_task(const struct etw_mf_provider *provider, uint16_t value)
{
	const struct etw_mf_task *task = own_task(provider, value);

	return task ? task : etw_standard_task(value);
}

const struct etw_mf_named *etw_mf_opcode(const struct etw_mf_provider *provider,
					 uint16_t task, uint8_t value)
{
	const struct etw_mf_task *of = own_task(provider, task);
	const struct etw_mf_named *opcode = NULL;

	if (of)
		opcode = by_value(of->opcodes, of->opcode_count, value);
	if (!opcode)
		opcode = by_value(provider->opcodes, provider->opcode_count, value);
	return opcode ? opcode : etw_standard_opcode(value);
}

const struct etw_mf_channel *etw_mf_channel(const struct etw_mf_provider *provider,
					    uint8_t value)
{
	unsigned int i;

	for (i = 0; i < provider->channel_count; i++)
		if (provider->channels[i].value == value)
			return &provider->channels[i];
	return etw_standard_channel(value);
}

const struct etw_mf_keyword *etw_mf_keyword(const struct etw_mf_provider *provider,
					    uint64_t bit)
{
	unsigned int i;

	for (i = 0; i < provider->keyword_count; i++)
		if (provider->keywords[i].mask == bit)
			return &provider->keywords[i];
	return etw_standard_keyword(bit);
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
