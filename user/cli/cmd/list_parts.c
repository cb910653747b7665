/* SPDX-License-Identifier: MIT */
/*
 * list_parts.c - registrations and enabling sessions, for the lists of providers and groups
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "list.h"
#include "cli/text.h"
#include "base/guid.h"

struct word {
	uint32_t bit;
	const char *word;
};

static const struct word scope_words[] = {
	{ ETW_FILTER_PID & 0xffff, "pid" },
	{ ETW_FILTER_EXECUTABLE_NAME & 0xffff, "exe" },
	{ ETW_FILTER_CONTAINER & 0xffff, "container" },
	{ ETW_FILTER_PACKAGE_ID & 0xffff, "package" },
	{ ETW_FILTER_PACKAGE_APP_ID & 0xffff, "app" },
	{ 0, NULL }
};

static const struct word data_words[] = {
	{ ETW_FILTER_SCHEMATIZED, "data" },
	{ 0, NULL }
};

static const struct word event_words[] = {
	{ ETW_FILTER_PAYLOAD & 0xffff, "payload" },
	{ ETW_FILTER_EVENT_ID & 0xffff, "event id" },
	{ ETW_FILTER_EVENT_NAME & 0xffff, "event name" },
	{ 0, NULL }
};

static const struct word stack_words[] = {
	{ ETW_FILTER_STACKWALK & 0xffff, "event id" },
	{ ETW_FILTER_STACKWALK_NAME & 0xffff, "event name" },
	{ ETW_FILTER_STACKWALK_LEVEL_KW & 0xffff, "level" },
	{ 0, NULL }
};

/* Filters, grouped by what they select */
static const struct filter_kind {
	const char *before;		/* text: printed before the first word */
	const char *suffix;		/* JSON: appended to each word */
	const struct word *words;
} filter_kinds[] = {
	{ ", processes by ", "", scope_words },
	{ ", callbacks get ", "", data_words },
	{ ", events by ", "", event_words },
	{ ", stacks by ", " for stacks", stack_words },
};

#define FILTER_KINDS	(sizeof(filter_kinds) / sizeof(filter_kinds[0]))

static const struct word item_words[] = {
	{ ETW_ENABLE_SID, "sid" },
	{ ETW_ENABLE_TS_ID, "login" },
	{ ETW_ENABLE_STACK_TRACE, "stack" },
	{ ETW_ENABLE_PSM_KEY, "app" },
	{ ETW_ENABLE_PROCESS_START_KEY, "process-key" },
	{ ETW_ENABLE_EVENT_KEY, "event-key" },
	{ ETW_ENABLE_CONTAINER, "container" },
	{ 0, NULL }
};

static const struct session *find_session(const struct sessions *sessions, uint32_t logger_id)
{
	unsigned int i;

	for (i = 0; i < sessions->count; i++) {
		if (sessions->list[i].s.logger_id == logger_id)
			return &sessions->list[i];
	}
	return NULL;
}

uint64_t list_enable_mask(const struct etw_provider_enable *enables, unsigned int count)
{
	uint64_t mask = 0;

	while (count--)
		mask |= 1ULL << ((enables[count].logger_id - 1) & 63);
	return mask;
}

/* Append the names of the sessions in a mask of logger ids. */
void list_add_sessions(struct etw_text *line, uint64_t mask, const struct sessions *sessions)
{
	const char *between = "";
	uint32_t i;

	for (i = 0; i < 64; i++) {
		const struct session *session;

		if (!(mask >> i & 1))
			continue;
		text_puts(line, between);
		session = find_session(sessions, i + 1);
		if (session)
			text_escape(line, session->name, strlen(session->name));
		else
			text_printf(line, "#%u", i + 1);
		between = ", ";
	}
}

/* ----------------------------------------------------------------------- text */

static size_t module_len(const struct etw_provider_reg *reg)
{
	return strnlen(reg->module, sizeof(reg->module));
}

/* Append the process or module of a registration, and the sessions that enabled it. */
void list_add_reg(struct etw_text *line, const struct etw_provider_reg *reg,
		  const struct sessions *sessions, bool tell_group)
{
	if (reg->flags & ETW_REG_KERNEL)
		text_puts(line, "kernel module ");
	else if (reg->pid)
		text_printf(line, "pid %u (", reg->pid);
	else
		text_puts(line, "another PID namespace (");
	text_escape(line, reg->module, module_len(reg));
	if (!(reg->flags & ETW_REG_KERNEL))
		text_puts(line, ")");
	if (reg->flags & ETW_REGISTER_CLASSIC)
		text_puts(line, ", classic");
	if (tell_group && !etw_guid_is_zero(&reg->group)) {
		text_puts(line, ", in group ");
		text_guid(line, &reg->group);
	}
	if (reg->sessions) {
		text_puts(line, ", enabled by ");
		list_add_sessions(line, reg->sessions, sessions);
	}
	text_puts(line, "\n");
}

static void add_words(struct etw_text *line, const char *before, const struct word *words,
		      uint32_t mask)
{
	for (; words->word; words++) {
		if (!(mask & words->bit))
			continue;
		text_puts(line, before);
		text_puts(line, words->word);
		before = ", ";
	}
}

void list_add_enable(struct etw_text *line, const struct etw_provider_enable *enable,
		     const struct sessions *sessions)
{
	const char *level = level_name(enable->level);
	size_t i;

	text_puts(line, "    enabled     ");
	list_add_sessions(line, list_enable_mask(enable, 1), sessions);
	if (!enable->level)
		text_puts(line, ": level all");
	else if (level)
		text_printf(line, ": level %s", level);
	else
		text_printf(line, ": level %u", enable->level);
	text_printf(line, ", any 0x%" PRIx64 ", all 0x%" PRIx64,
		    (uint64_t)enable->any, (uint64_t)enable->all);
	if (enable->property & ETW_ENABLE_IGNORE_KEYWORD_0)
		text_puts(line, ", ignore keyword 0");
	if (enable->property & ETW_ENABLE_EXCLUDE_INPRIVATE)
		text_puts(line, ", exclude private");
	for (i = 0; i < FILTER_KINDS; i++)
		add_words(line, filter_kinds[i].before, filter_kinds[i].words,
			  enable->filters);
	add_words(line, ", with ", item_words, enable->property);
	text_puts(line, "\n");
}

/* ----------------------------------------------------------------------- JSON */

static void append_words(struct json *array, const struct word *words, const char *suffix,
			 uint32_t mask)
{
	char name[64];

	for (; words->word; words++) {
		if (!(mask & words->bit))
			continue;
		snprintf(name, sizeof(name), "%s%s", words->word, suffix);
		json_append_word(array, name);
	}
}

/* The sessions of a mask as an array of names; "#ID" for a session without a name. */
static struct json *names_json(uint64_t mask, const struct sessions *sessions)
{
	struct json *names = json_new_array();
	struct etw_text name = { 0 };
	uint32_t i;

	for (i = 0; i < 64; i++) {
		const struct session *session;

		if (!(mask >> i & 1))
			continue;
		session = find_session(sessions, i + 1);
		name.len = 0;
		if (session)
			text_utf8(&name, session->name, strlen(session->name));
		else
			text_printf(&name, "#%u", i + 1);
		json_append_word(names, name.data);
	}
	etw_text_free(&name);
	return names;
}

struct json *list_reg_json(const struct etw_provider_reg *reg, const struct sessions *sessions)
{
	struct json *o = json_new();

	if (!(reg->flags & ETW_REG_KERNEL))
		json_unsigned(o, "pid", reg->pid);
	json_string(o, reg->flags & ETW_REG_KERNEL ? "module" : "comm", reg->module,
		    module_len(reg));
	json_flag(o, "classic", reg->flags & ETW_REGISTER_CLASSIC);
	if (!etw_guid_is_zero(&reg->group))
		json_guid(o, "group", &reg->group);
	json_put(o, "sessions", names_json(reg->sessions, sessions));
	return o;
}

struct json *list_enable_json(const struct etw_provider_enable *enable,
			      const struct sessions *sessions)
{
	const struct session *session = find_session(sessions, enable->logger_id);
	struct json *o = json_new(), *words;
	size_t i;

	if (session)
		json_string(o, "session", session->name, strlen(session->name));
	json_unsigned(o, "session_id", enable->logger_id);
	json_unsigned(o, "level", enable->level);
	json_mask(o, "any", enable->any);
	json_mask(o, "all", enable->all);
	json_flag(o, "ignore_keyword_0",
		  enable->property & ETW_ENABLE_IGNORE_KEYWORD_0);
	json_flag(o, "exclude_private",
		  enable->property & ETW_ENABLE_EXCLUDE_INPRIVATE);
	json_flag(o, "pid_filtered", enable->pid_filtered);
	words = json_new_array();
	for (i = 0; i < FILTER_KINDS; i++)
		append_words(words, filter_kinds[i].words, filter_kinds[i].suffix,
			     enable->filters);
	json_put(o, "filters", words);
	words = json_new_array();
	append_words(words, item_words, "", enable->property);
	json_put(o, "items", words);
	return o;
}
