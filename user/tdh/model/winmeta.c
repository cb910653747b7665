/* SPDX-License-Identifier: MIT */
/*
 * winmeta.c - the standard levels, opcodes, tasks, keywords and channels
 *
 * Names, values and symbols are facts of Windows' winmeta.xml, which every manifest
 * refers to as win:NAME. The Reserved ones keep their values from being used.
 */
#include <stdint.h>
#include <string.h>

#include "winmeta.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* All messages are in one array, so that etw_standard_message() can recognise them. */
enum message {
	LEVEL_LOG_ALWAYS,
	LEVEL_CRITICAL,
	LEVEL_ERROR,
	LEVEL_WARNING,
	LEVEL_INFORMATIONAL,
	LEVEL_VERBOSE,
	OPCODE_INFO,
	OPCODE_START,
	OPCODE_STOP,
	OPCODE_DCSTART,
	OPCODE_DCSTOP,
	OPCODE_EXTENSION,
	OPCODE_REPLY,
	OPCODE_RESUME,
	OPCODE_SUSPEND,
	OPCODE_SEND,
	OPCODE_RECEIVE,
	TASK_NONE,
	KEYWORD_ANY_KEYWORD,
	KEYWORD_RESPONSE_TIME,
	KEYWORD_WDIDIAG,
	KEYWORD_SQM,
	KEYWORD_AUDIT_FAILURE,
	KEYWORD_AUDIT_SUCCESS,
	KEYWORD_CORRELATION_HINT,
	KEYWORD_CLASSIC,
	CHANNEL_TRACE_CLASSIC,
	CHANNEL_SYSTEM,
	CHANNEL_APPLICATION,
	CHANNEL_SECURITY,
	CHANNEL_TRACE_LOGGING,
	CHANNEL_PROVIDER_METADATA,
};

#define TEXT(number, name, english) \
	[number] = { .id = name, .text = (const char *const[]){ english } }

static const struct etw_mf_message messages[] = {
	TEXT(LEVEL_LOG_ALWAYS, "level.LogAlways", "Log Always"),
	TEXT(LEVEL_CRITICAL, "level.Critical", "Critical"),
	TEXT(LEVEL_ERROR, "level.Error", "Error"),
	TEXT(LEVEL_WARNING, "level.Warning", "Warning"),
	TEXT(LEVEL_INFORMATIONAL, "level.Informational", "Information"),
	TEXT(LEVEL_VERBOSE, "level.Verbose", "Verbose"),
	TEXT(OPCODE_INFO, "opcode.Info", "Info"),
	TEXT(OPCODE_START, "opcode.Start", "Start"),
	TEXT(OPCODE_STOP, "opcode.Stop", "Stop"),
	TEXT(OPCODE_DCSTART, "opcode.DCStart", "DCStart"),
	TEXT(OPCODE_DCSTOP, "opcode.DCStop", "DCStop"),
	TEXT(OPCODE_EXTENSION, "opcode.Extension", "Extension"),
	TEXT(OPCODE_REPLY, "opcode.Reply", "Reply"),
	TEXT(OPCODE_RESUME, "opcode.Resume", "Resume"),
	TEXT(OPCODE_SUSPEND, "opcode.Suspend", "Suspend"),
	TEXT(OPCODE_SEND, "opcode.Send", "Send"),
	TEXT(OPCODE_RECEIVE, "opcode.Receive", "Receive"),
	TEXT(TASK_NONE, "task.None", "None"),
	TEXT(KEYWORD_ANY_KEYWORD, "keyword.AnyKeyword", "AnyKeyword"),
	TEXT(KEYWORD_RESPONSE_TIME, "keyword.ResponseTime", "Response Time"),
	TEXT(KEYWORD_WDIDIAG, "keyword.WDIDiag", "WDI Diag"),
	TEXT(KEYWORD_SQM, "keyword.SQM", "SQM"),
	TEXT(KEYWORD_AUDIT_FAILURE, "keyword.AuditFailure", "Audit Failure"),
	TEXT(KEYWORD_AUDIT_SUCCESS, "keyword.AuditSuccess", "Audit Success"),
	TEXT(KEYWORD_CORRELATION_HINT, "keyword.CorrelationHint", "Correlation Hint"),
	TEXT(KEYWORD_CLASSIC, "keyword.Classic", "Classic"),
	TEXT(CHANNEL_TRACE_CLASSIC, "channel.TraceClassic", "TraceClassic"),
	TEXT(CHANNEL_SYSTEM, "channel.System", "System"),
	TEXT(CHANNEL_APPLICATION, "channel.Application", "Application"),
	TEXT(CHANNEL_SECURITY, "channel.Security", "Security"),
	TEXT(CHANNEL_TRACE_LOGGING, "channel.TraceLogging", "TraceLogging"),
	TEXT(CHANNEL_PROVIDER_METADATA, "channel.ProviderMetadata", "ProviderMetadata"),
};

bool etw_standard_message(const struct etw_mf_message *message)
{
	uintptr_t p = (uintptr_t)message;

	return p >= (uintptr_t)messages && p < (uintptr_t)(messages + COUNT(messages));
}

#define NAMED(number, what, sym, text) \
	{ .name = "win:" what, .symbol = "WINEVENT_" sym, .value = number, \
	  .message = &messages[text] }
#define RESERVED(kind, sym, number) \
	{ .name = "win:Reserved" kind #number, .symbol = "WINEVENT_" sym "_RESERVED_" #number, \
	  .value = number }

static const struct etw_mf_named levels[] = {
	NAMED(0, "LogAlways", "LEVEL_LOG_ALWAYS", LEVEL_LOG_ALWAYS),
	NAMED(1, "Critical", "LEVEL_CRITICAL", LEVEL_CRITICAL),
	NAMED(2, "Error", "LEVEL_ERROR", LEVEL_ERROR),
	NAMED(3, "Warning", "LEVEL_WARNING", LEVEL_WARNING),
	NAMED(4, "Informational", "LEVEL_INFO", LEVEL_INFORMATIONAL),
	NAMED(5, "Verbose", "LEVEL_VERBOSE", LEVEL_VERBOSE),
	RESERVED("Level", "LEVEL", 6),
	RESERVED("Level", "LEVEL", 7),
	RESERVED("Level", "LEVEL", 8),
	RESERVED("Level", "LEVEL", 9),
	RESERVED("Level", "LEVEL", 10),
	RESERVED("Level", "LEVEL", 11),
	RESERVED("Level", "LEVEL", 12),
	RESERVED("Level", "LEVEL", 13),
	RESERVED("Level", "LEVEL", 14),
	RESERVED("Level", "LEVEL", 15),
};

static const struct etw_mf_named opcodes[] = {
	NAMED(0, "Info", "OPCODE_INFO", OPCODE_INFO),
	NAMED(1, "Start", "OPCODE_START", OPCODE_START),
	NAMED(2, "Stop", "OPCODE_STOP", OPCODE_STOP),
	NAMED(3, "DC_Start", "OPCODE_DC_START", OPCODE_DCSTART),
	NAMED(4, "DC_Stop", "OPCODE_DC_STOP", OPCODE_DCSTOP),
	NAMED(5, "Extension", "OPCODE_EXTENSION", OPCODE_EXTENSION),
	NAMED(6, "Reply", "OPCODE_REPLY", OPCODE_REPLY),
	NAMED(7, "Resume", "OPCODE_RESUME", OPCODE_RESUME),
	NAMED(8, "Suspend", "OPCODE_SUSPEND", OPCODE_SUSPEND),
	NAMED(9, "Send", "OPCODE_SEND", OPCODE_SEND),
	NAMED(240, "Receive", "OPCODE_RECEIVE", OPCODE_RECEIVE),
	RESERVED("Opcode", "OPCODE", 241),
	RESERVED("Opcode", "OPCODE", 242),
	RESERVED("Opcode", "OPCODE", 243),
	RESERVED("Opcode", "OPCODE", 244),
	RESERVED("Opcode", "OPCODE", 245),
	RESERVED("Opcode", "OPCODE", 246),
	RESERVED("Opcode", "OPCODE", 247),
	RESERVED("Opcode", "OPCODE", 248),
	RESERVED("Opcode", "OPCODE", 249),
	RESERVED("Opcode", "OPCODE", 250),
	RESERVED("Opcode", "OPCODE", 251),
	RESERVED("Opcode", "OPCODE", 252),
	RESERVED("Opcode", "OPCODE", 253),
	RESERVED("Opcode", "OPCODE", 254),
	RESERVED("Opcode", "OPCODE", 255),
};

static const struct etw_mf_task none = {
	.name = "win:None", .symbol = "WINEVENT_TASK_NONE", .message = &messages[TASK_NONE],
};

#define KEYWORD(bit, what, sym, text) \
	{ .name = "win:" what, .symbol = "WINEVENT_KEYWORD_" sym, .mask = 1ull << (bit), \
	  .message = &messages[text] }
#define RESERVED_KEYWORD(bit) \
	{ .name = "win:ReservedKeyword" #bit, .symbol = "WINEVENT_KEYWORD_RESERVED_" #bit, \
	  .mask = 1ull << (bit) }
#define FIRST_KEYWORD	48	/* the bit of keywords[0] */

static const struct etw_mf_keyword keywords[] = {
	KEYWORD(48, "ResponseTime", "RESPONSE_TIME", KEYWORD_RESPONSE_TIME),
	RESERVED_KEYWORD(49),
	KEYWORD(50, "WDIDiag", "WDI_DIAG", KEYWORD_WDIDIAG),
	KEYWORD(51, "SQM", "SQM", KEYWORD_SQM),
	KEYWORD(52, "AuditFailure", "AUDIT_FAILURE", KEYWORD_AUDIT_FAILURE),
	KEYWORD(53, "AuditSuccess", "AUDIT_SUCCESS", KEYWORD_AUDIT_SUCCESS),
	KEYWORD(54, "CorrelationHint", "CORRELATION_HINT", KEYWORD_CORRELATION_HINT),
	KEYWORD(55, "EventlogClassic", "EVENTLOG_CLASSIC", KEYWORD_CLASSIC),
	RESERVED_KEYWORD(56),
	RESERVED_KEYWORD(57),
	RESERVED_KEYWORD(58),
	RESERVED_KEYWORD(59),
	RESERVED_KEYWORD(60),
	RESERVED_KEYWORD(61),
	RESERVED_KEYWORD(62),
	RESERVED_KEYWORD(63),
};

static const struct etw_mf_keyword any_keyword = {
	.name = "win:AnyKeyword", .symbol = "WINEVT_KEYWORD_ANY",
	.message = &messages[KEYWORD_ANY_KEYWORD],
};

#define CHANNEL(number, what, sym, kind, isolated, text) \
	{ .name = what, .id = what, .symbol = "WINEVENT_CHANNEL_" sym, .value = number, \
	  .type = ETW_CHANNEL_##kind, .isolation = isolated, .message = &messages[text] }

static const struct etw_mf_channel channels[] = {
	CHANNEL(0, "TraceClassic", "CLASSIC_TRACE", DEBUG, 0,
		CHANNEL_TRACE_CLASSIC),
	CHANNEL(8, "System", "GLOBAL_SYSTEM", ADMIN, 1,
		CHANNEL_SYSTEM),
	CHANNEL(9, "Application", "GLOBAL_APPLICATION", ADMIN, 0,
		CHANNEL_APPLICATION),
	CHANNEL(10, "Security", "GLOBAL_SECURITY", ADMIN, 1,
		CHANNEL_SECURITY),
	CHANNEL(11, "TraceLogging", "TRACELOGGING", DEBUG, 0,
		CHANNEL_TRACE_LOGGING),
	CHANNEL(12, "ProviderMetadata", "PROVIDERMETADATA", DEBUG, 0,
		CHANNEL_PROVIDER_METADATA),
};

static const struct etw_mf_named *by_value(const struct etw_mf_named *list, size_t count,
					   uint8_t value)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (list[i].value == value)
			return &list[i];
	return NULL;
}

static const struct etw_mf_named *by_name(const struct etw_mf_named *list, size_t count,
					  const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	return NULL;
}

const struct etw_mf_named *etw_standard_level(uint8_t value)
{
	return by_value(levels, COUNT(levels), value);
}

const struct etw_mf_named *etw_standard_level_named(const char *name)
{
	return by_name(levels, COUNT(levels), name);
}

const struct etw_mf_named *etw_standard_opcode(uint8_t value)
{
	return by_value(opcodes, COUNT(opcodes), value);
}

const struct etw_mf_named *etw_standard_opcode_named(const char *name)
{
	return by_name(opcodes, COUNT(opcodes), name);
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
	size_t i;

	if (!strcmp(name, any_keyword.name))
		return &any_keyword;
	for (i = 0; i < COUNT(keywords); i++)
		if (!strcmp(keywords[i].name, name))
			return &keywords[i];
	return NULL;
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
	size_t i;

	for (i = 0; i < COUNT(channels); i++)
		if (!strcmp(channels[i].name, name))
			return &channels[i];
	return NULL;
}
