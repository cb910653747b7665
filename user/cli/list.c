/* SPDX-License-Identifier: MIT */
/*
 * list.c - etw list: sessions, and providers with who registered and enabled them
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "list.h"
#include "provider.h"
#include "session.h"
#include "table.h"
#include "text.h"
#include "lib/kdev.h"

static const struct session *find_session(const struct sessions *sessions,
					  uint32_t logger_id)
{
	unsigned int i;

	for (i = 0; i < sessions->count; i++) {
		if (sessions->list[i].s.logger_id == logger_id)
			return &sessions->list[i];
	}
	return NULL;
}

static void print_sessions(const struct sessions *sessions)
{
	static const char *const headings[] = {
		"SESSION", ">ID", "MODE", "CLOCK", ">SIZE KB", ">BUFFERS",
		">MAX", ">FREE", ">DELIVERED", ">EVENTS LOST", ">RT LOST", NULL
	};
	struct table table = { .headings = headings };
	struct text name = { 0 };
	unsigned int i;

	if (!sessions->count) {
		puts("no sessions");
		return;
	}
	for (i = 0; i < sessions->count; i++) {
		const struct session *session = &sessions->list[i];
		const struct etw_session *s = &session->s;

		name.len = 0;
		text_escape(&name, session->name, strlen(session->name));
		table_cell(&table, "%s", name.data);
		table_cell(&table, "%u", s->logger_id);
		table_cell(&table, "%s", session_mode(session));
		table_cell(&table, "%s", clock_name(s->clock));
		table_cell(&table, "%u", s->buffer_kb);
		table_cell(&table, "%u", s->buffers);
		table_cell(&table, "%u", s->max_buffers);
		table_cell(&table, "%u", s->free_buffers);
		table_cell(&table, "%u", s->buffers_written);
		table_cell(&table, "%u", s->events_lost);
		table_cell(&table, "%u", s->rt_buffers_lost);
	}
	table_print(&table);
	table_free(&table);
	text_free(&name);
}

/* Names of the sessions in a mask of logger ids. */
static void add_session_names(struct text *line, uint64_t mask,
			      const struct sessions *sessions)
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

static bool guid_is_zero(const struct etw_guid *guid)
{
	static const struct etw_guid zero;

	return guid_equal(guid, &zero);
}

static size_t module_len(const struct etw_provider_reg *reg)
{
	return strnlen(reg->module, sizeof(reg->module));
}

/* Who registered it, and who enabled that. */
void list_add_reg(struct text *line, const struct etw_provider_reg *reg,
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
	if (tell_group && !guid_is_zero(&reg->group)) {
		text_puts(line, ", in group ");
		text_guid(line, &reg->group);
	}
	if (reg->sessions) {
		text_puts(line, ", enabled by ");
		add_session_names(line, reg->sessions, sessions);
	}
	text_puts(line, "\n");
}

struct word {
	uint32_t bit;
	const char *word;
};

static const struct word filter_words[] = {
	{ ETW_FILTER_PID & 0xffff, "pid" },
	{ ETW_FILTER_EXECUTABLE_NAME & 0xffff, "exe" },
	{ ETW_FILTER_CONTAINER & 0xffff, "container" },
	{ ETW_FILTER_PACKAGE_ID & 0xffff, "package" },
	{ ETW_FILTER_PACKAGE_APP_ID & 0xffff, "app" },
	{ ETW_FILTER_SCHEMATIZED, "data" },
	{ ETW_FILTER_PAYLOAD & 0xffff, "payload" },
	{ ETW_FILTER_EVENT_ID & 0xffff, "event id" },
	{ ETW_FILTER_EVENT_NAME & 0xffff, "event name" },
	{ ETW_FILTER_STACKWALK & 0xffff, "event id for stacks" },
	{ ETW_FILTER_STACKWALK_NAME & 0xffff, "event name for stacks" },
	{ ETW_FILTER_STACKWALK_LEVEL_KW & 0xffff, "level for stacks" },
	{ 0, NULL }
};

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

static void add_words(struct text *line, const char *before, const struct word *words,
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

static struct json_object *words_json(const struct word *words, uint32_t mask)
{
	struct json_object *array = json_new_array();

	for (; words->word; words++)
		if (mask & words->bit)
			json_append(array, json_object_new_string(words->word));
	return array;
}

void list_add_enable(struct text *line, const struct etw_provider_enable *enable,
		     const struct sessions *sessions)
{
	const char *level = level_name(enable->level);

	text_puts(line, "    enabled     ");
	add_session_names(line, 1ULL << ((enable->logger_id - 1) & 63), sessions);
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
	add_words(line, ", by ", filter_words, enable->filters);
	add_words(line, ", with ", item_words, enable->property);
	text_puts(line, "\n");
}

static void print_provider(const struct provider *provider,
			   const struct sessions *sessions)
{
	const char *name = provider_name(provider);
	struct text line = { 0 };
	unsigned int i;

	if (name)
		text_escape(&line, name, strlen(name));
	else
		text_puts(&line, "(no name)");
	text_puts(&line, "  ");
	text_guid(&line, &provider->guid);
	text_puts(&line, "\n");
	for (i = 0; i < provider->reg_count; i++) {
		text_puts(&line, "    registered  ");
		list_add_reg(&line, &provider->regs[i], sessions, true);
	}
	for (i = 0; i < provider->enable_count; i++)
		list_add_enable(&line, &provider->enables[i], sessions);
	fputs(line.data, stdout);
	text_free(&line);
}

/* The sessions of a mask as an array of names; a number where one is gone. */
static struct json_object *names_json(uint64_t mask,
				      const struct sessions *sessions)
{
	struct json_object *names = json_new_array();
	struct text name = { 0 };
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
		json_append(names, json_object_new_string(name.data));
	}
	text_free(&name);
	return names;
}

struct json_object *list_reg_json(const struct etw_provider_reg *reg,
				  const struct sessions *sessions)
{
	struct json_object *o = json_new();

	if (!(reg->flags & ETW_REG_KERNEL))
		json_unsigned(o, "pid", reg->pid);
	json_string(o, reg->flags & ETW_REG_KERNEL ? "module" : "comm", reg->module,
		    module_len(reg));
	if (!guid_is_zero(&reg->group))
		json_guid(o, "group", &reg->group);
	json_put(o, "sessions", names_json(reg->sessions, sessions));
	return o;
}

struct json_object *list_enable_json(const struct etw_provider_enable *enable,
				     const struct sessions *sessions)
{
	const struct session *session = find_session(sessions, enable->logger_id);
	struct json_object *o = json_new();

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
	json_put(o, "filters", words_json(filter_words, enable->filters));
	json_put(o, "items", words_json(item_words, enable->property));
	return o;
}

static struct json_object *provider_json(const struct provider *provider,
					 const struct sessions *sessions)
{
	const char *name = provider_name(provider);
	struct json_object *o = json_new();
	struct json_object *regs = json_new_array();
	struct json_object *enables = json_new_array();
	unsigned int i;

	json_guid(o, "provider", &provider->guid);
	if (name)
		json_string(o, "provider_name", name, strlen(name));
	else
		json_word(o, "provider_name", NULL);
	for (i = 0; i < provider->reg_count; i++)
		json_append(regs, list_reg_json(&provider->regs[i], sessions));
	for (i = 0; i < provider->enable_count; i++)
		json_append(enables, list_enable_json(&provider->enables[i], sessions));
	json_put(o, "registrations", regs);
	json_put(o, "enabled_by", enables);
	return o;
}

static int list_providers(int fd, const struct sessions *sessions,
			  struct json_object *json)
{
	struct json_object *array = json ? json_new_array() : NULL;
	struct provider *list;
	unsigned int count, i;
	int err;

	err = provider_list(fd, &list, &count);
	if (err)
		return cli_fail("cannot list the providers: %s", cli_reason(-err));
	if (!json && !count)
		puts("no providers");
	for (i = 0; i < count; i++) {
		if (json)
			json_append(array, provider_json(&list[i], sessions));
		else
			print_provider(&list[i], sessions);
	}
	if (json)
		json_put(json, "providers", array);
	provider_list_free(list, count);
	return 0;
}

static void list_sessions(const struct sessions *sessions,
			  struct json_object *json)
{
	struct json_object *array;
	unsigned int i;

	if (!json) {
		print_sessions(sessions);
		return;
	}
	array = json_new_array();
	for (i = 0; i < sessions->count; i++)
		json_append(array, session_json(&sessions->list[i]));
	json_put(json, "sessions", array);
}

/* What is to be listed */
#define SESSIONS	0x1
#define PROVIDERS	0x2
#define GROUPS		0x4

static int list(int fd, unsigned int what, bool want_json)
{
	struct json_object *json = want_json ? json_new() : NULL;
	struct sessions sessions;
	int err, status = 0;

	err = session_list(fd, &sessions.list, &sessions.count);
	if (err)
		return cli_fail("cannot list the sessions: %s", cli_reason(-err));
	if (what & SESSIONS)
		list_sessions(&sessions, json);
	if (what & SESSIONS && what & PROVIDERS && !json)
		puts("");
	if (what & PROVIDERS)
		status = list_providers(fd, &sessions, json);
	if (what & GROUPS && !status)
		status = list_groups(&sessions, json, what == GROUPS);
	if (json && !status)
		json_print(json);
	free(sessions.list);
	return status;
}

int cmd_list(int argc, char **argv)
{
	static const struct cli_option options[] = {
		CLI_OPTION_JSON, CLI_OPTION_END
	};
	static const struct cli_syntax syntax = {
		.what = "List the running sessions; the providers with who registered them and\n"
			"which sessions have them enabled; and the provider groups with their members.\n"
			"WHAT is 'sessions', 'providers' or 'groups'; without it, all.",
		.operands = { "[WHAT]" },
		.options = options,
		.example = "etw list providers",
	};
	unsigned int wanted;
	bool json = false;
	const char *what;
	int fd, status;

	while (cli_next(&syntax, argc, argv) != -1)
		json = true;
	what = cli_operands(&syntax, argc, argv)[0];
	wanted = !what ? SESSIONS | PROVIDERS | GROUPS :
		 !strcmp(what, "sessions") ? SESSIONS :
		 !strcmp(what, "providers") ? PROVIDERS : !strcmp(what, "groups") ? GROUPS : 0;
	if (!wanted)
		cli_usage("%s: neither 'sessions' nor 'providers' nor 'groups'",
			  cli_quote(what));
	fd = device_open();
	if (fd < 0)
		return 1;
	status = list(fd, wanted, json);
	etw_kdev_close(fd);
	return status;
}
