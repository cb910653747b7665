/* SPDX-License-Identifier: MIT */
/*
 * list.c - etw list: list sessions, providers and provider groups
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/guid.h"
#include "cli/cli.h"
#include "cli/provider.h"
#include "cli/request/enable_request.h"
#include "cli/session.h"
#include "cli/table.h"
#include "cli/text.h"
#include "cli/request/trace_event.h"
#include "list_bpf.h"
#include "list_trace.h"
#include "device/kdev.h"
#include "device/provider_list.h"

/* The state that all parts use */
struct list {
	int fd;
	struct session *sessions;	/* those that the caller may see */
	unsigned int session_count;
	struct etw_text *json;		/* NULL: text */
	struct table table;		/* rows, without --verbose */
	const char *pattern;		/* of providers' names; NULL: all */
	bool verbose;
	bool alone;			/* the only part: report an empty list */
	bool follows;			/* another part is above: print an empty line first */
	bool any;			/* something of this part was shown */
};

/* ------------------------------------------------------------------- sessions */

static void add_session_row(struct table *table, const struct session *session)
{
	const struct etw_session *s = &session->s;

	table_text(table, session->name);
	table_cell(table, "%u", s->logger_id);
	table_cell(table, "%s", session_mode(session));
	table_cell(table, "%s", clock_name(s->clock));
	table_cell(table, "%u", s->buffer_kb);
	table_cell(table, "%u", s->buffers);
	table_cell(table, "%u", s->max_buffers);
	table_cell(table, "%u", s->free_buffers);
	table_cell(table, "%u", s->buffers_written);
	table_cell(table, "%u", s->events_lost);
	table_cell(table, "%u", s->rt_buffers_lost);
}

/* What can be left out on a narrow terminal is marked: see table.h. */
static const char *const session_headings[] = {
	"SESSION", "?>ID", "MODE", "?CLOCK", "?>SIZE KB", "?>BUFFERS",
	"?>MAX", "?>FREE", ">DELIVERED", ">EVENTS LOST", "?>RT LOST", NULL
};

static const char *const provider_headings[] = {
	"PROVIDER", "?GUID", "?>REGISTERED", "ENABLED BY", NULL
};

static const char *const group_headings[] = { "GROUP", "?>MEMBERS", "ENABLED BY", NULL };

static int list_sessions(struct list *list)
{
	unsigned int i;

	if (list->json)
		json_writer_open(list->json, "sessions", '[');
	else if (!list->session_count)
		puts("no sessions");
	for (i = 0; i < list->session_count; i++) {
		const struct session *session = &list->sessions[i];

		if (list->json) {
			json_writer_open(list->json, NULL, '{');
			session_json(list->json, session);
			json_writer_close(list->json, '}');
		} else if (list->verbose) {
			fputs(i ? "\n" : "", stdout);
			session_print(session);
		} else {
			add_session_row(&list->table, session);
		}
	}
	if (list->json)
		json_writer_close(list->json, ']');
	table_print(&list->table, session_headings);
	return 0;
}

static const struct session *find_session(const struct list *list, uint32_t logger_id)
{
	unsigned int i;

	for (i = 0; i < list->session_count; i++)
		if (list->sessions[i].s.logger_id == logger_id)
			return &list->sessions[i];
	return NULL;
}

/* The name of a session; "#ID" if the caller may not see it */
static const char *name_of(const struct list *list, uint32_t logger_id)
{
	const struct session *session = find_session(list, logger_id);
	static char number[16];

	snprintf(number, sizeof(number), "#%u", logger_id);
	return session ? session->name : number;
}

/* Append the names of the sessions in a mask of logger ids. */
static void add_sessions(struct etw_text *line, uint64_t mask, const struct list *list)
{
	const char *between = "", *name;

	for (; mask; mask &= mask - 1) {
		name = name_of(list, (uint32_t)__builtin_ctzll(mask) + 1);
		etw_text_puts(line, between);
		etw_text_escape(line, name, strlen(name));
		between = ", ";
	}
}

/* ------------------------------------------------------- providers and groups */

/* A provider with its registrations, or a group with those of its members */
struct subject {
	const struct etw_guid *guid;
	const struct etw_provider *provider;	/* NULL: it is a group */
	const struct etw_group *group;
	const struct etw_provider_enable *enables;
	unsigned int reg_count, enable_count;
};

/* Whose the registration is */
static const struct etw_guid *provider_at(const struct subject *s, unsigned int i)
{
	return s->provider ? s->guid : &s->group->members[i].provider;
}

static const struct etw_provider_reg *reg_at(const struct subject *s, unsigned int i)
{
	return s->provider ? &s->provider->regs[i] : &s->group->members[i].reg;
}

static uint64_t enable_bit(const struct etw_provider_enable *enable)
{
	return 1ULL << ((enable->logger_id - 1) & 63);
}

/* The sessions that enabled the provider or a group of its registrations, or the group. */
static uint64_t enabled_by(const struct subject *s)
{
	uint64_t mask = 0;
	unsigned int i;

	for (i = 0; i < s->enable_count; i++)
		mask |= enable_bit(&s->enables[i]);
	for (i = 0; s->provider && i < s->reg_count; i++)
		mask |= s->provider->regs[i].sessions;
	return mask;
}

/* Words for the bits of a mask */
struct word {
	uint32_t bit;
	const char *kind;	/* text: printed before the first word of a kind */
	const char *text;
	const char *json;	/* NULL: text */
};

static const struct word filter_words[] = {
	{ ETW_FILTER_PID & 0xffff, ", processes by ", "pid", NULL },
	{ ETW_FILTER_EXECUTABLE_NAME & 0xffff, ", processes by ", "exe", NULL },
	{ ETW_FILTER_CONTAINER & 0xffff, ", processes by ", "container", NULL },
	{ ETW_FILTER_PACKAGE_ID & 0xffff, ", processes by ", "package", NULL },
	{ ETW_FILTER_PACKAGE_APP_ID & 0xffff, ", processes by ", "app", NULL },
	{ ETW_FILTER_SCHEMATIZED, ", callbacks get ", "data", NULL },
	{ ETW_FILTER_PAYLOAD & 0xffff, ", events by ", "payload", NULL },
	{ ETW_FILTER_EVENT_ID & 0xffff, ", events by ", "event id", NULL },
	{ ETW_FILTER_EVENT_NAME & 0xffff, ", events by ", "event name", NULL },
	{ ETW_FILTER_STACKWALK & 0xffff, ", stacks by ", "event id", "event id for stacks" },
	{ ETW_FILTER_STACKWALK_NAME & 0xffff, ", stacks by ", "event name",
	  "event name for stacks" },
	{ ETW_FILTER_STACKWALK_LEVEL_KW & 0xffff, ", stacks by ", "level", "level for stacks" },
	{ 0, NULL, NULL, NULL }
};

static void add_filters(struct etw_text *line, uint32_t mask)
{
	const struct word *word;
	const char *kind = "";

	for (word = filter_words; word->bit; word++) {
		if (!(mask & word->bit))
			continue;
		etw_text_puts(line, strcmp(word->kind, kind) ? word->kind : ", ");
		etw_text_puts(line, word->text);
		kind = word->kind;
	}
}

/* A copy of the program's stack comes with the stack. */
static bool has_item(uint32_t property, const struct enable_item *item)
{
	if (item->property == ETW_ENABLE_STACK_TRACE)
		return (property & (ETW_ENABLE_STACK_TRACE | ETW_ENABLE_USER_STACK)) == item->property;
	return property & item->property & ~ETW_ENABLE_STACK_TRACE;
}

static void add_items(struct etw_text *line, uint32_t property)
{
	const struct enable_item *item;
	const char *before = ", with ";

	for (item = enable_items; item->name; item++) {
		if (!has_item(property, item))
			continue;
		etw_text_puts(line, before);
		etw_text_puts(line, item->name);
		before = ", ";
	}
}

static void add_enable(struct etw_text *line, const struct etw_provider_enable *enable,
		       const struct list *list)
{
	const char *level = level_name(enable->level);

	etw_text_puts(line, "    enabled     ");
	add_sessions(line, enable_bit(enable), list);
	if (!enable->level)
		etw_text_puts(line, ": level all");
	else if (level)
		etw_text_printf(line, ": level %s", level);
	else
		etw_text_printf(line, ": level %u", enable->level);
	etw_text_printf(line, ", any 0x%" PRIx64 ", all 0x%" PRIx64,
			(uint64_t)enable->any, (uint64_t)enable->all);
	if (enable->property & ETW_ENABLE_IGNORE_KEYWORD_0)
		etw_text_puts(line, ", ignore keyword 0");
	if (enable->property & ETW_ENABLE_EXCLUDE_INPRIVATE)
		etw_text_puts(line, ", exclude private");
	add_filters(line, enable->filters);
	add_items(line, enable->property);
	etw_text_puts(line, "\n");
}

static size_t module_len(const struct etw_provider_reg *reg)
{
	return strnlen(reg->module, sizeof(reg->module));
}

/* Append the process or module of a registration, and the sessions that enabled it. */
static void add_reg(struct etw_text *line, const struct etw_provider_reg *reg,
		    const struct etw_guid *provider, const struct list *list, bool with_group)
{
	if (reg->flags & ETW_REG_KERNEL)
		etw_text_puts(line, "kernel module ");
	else if (reg->pid)
		etw_text_printf(line, "pid %u (", reg->pid);
	else
		etw_text_puts(line, "another PID namespace (");
	etw_text_escape(line, reg->module, module_len(reg));
	if (!(reg->flags & ETW_REG_KERNEL))
		etw_text_puts(line, ")");
	if (reg->flags & ETW_REGISTER_CLASSIC)
		etw_text_puts(line, ", classic");
	if (list_forwards_bpf(reg, provider))
		etw_text_puts(line, ", forwards a BPF ring");
	if (reg->flags & ETW_REG_REFUSED)
		etw_text_puts(line, ", refused because a kernel module has the GUID");
	if (reg->refused)
		etw_text_printf(line, ", writes refused: %" PRIu64, (uint64_t)reg->refused);
	if (with_group && !etw_guid_is_zero(&reg->group)) {
		etw_text_puts(line, ", in group ");
		etw_text_guid(line, &reg->group);
	}
	if (reg->sessions) {
		etw_text_puts(line, ", enabled by ");
		add_sessions(line, reg->sessions, list);
	}
	etw_text_puts(line, "\n");
}

static void print_details(const struct subject *s, const struct list *list)
{
	const char *name = s->provider ? provider_name(s->provider) : "group";
	struct etw_text line = { 0 };
	unsigned int i;

	if (name)
		etw_text_escape(&line, name, strlen(name));
	else
		etw_text_puts(&line, "(no name)");
	etw_text_puts(&line, "  ");
	etw_text_guid(&line, s->guid);
	etw_text_puts(&line, "\n");
	for (i = 0; i < s->reg_count; i++) {
		etw_text_puts(&line, s->provider ? "    registered" : "    member      ");
		if (s->group)
			etw_text_guid(&line, &s->group->members[i].provider);
		etw_text_puts(&line, "  ");
		add_reg(&line, reg_at(s, i), provider_at(s, i), list, s->provider);
	}
	for (i = 0; i < s->enable_count; i++)
		add_enable(&line, &s->enables[i], list);
	fputs(text_data(&line), stdout);
	etw_text_free(&line);
}

static void add_row(struct table *table, const struct subject *s, const struct list *list)
{
	struct etw_text enabled = { 0 };
	char guid[GUID_TEXT_SIZE];
	const char *name;

	add_sessions(&enabled, enabled_by(s), list);
	if (s->provider) {
		name = provider_name(s->provider);
		table_text(table, name ? name : "(no name)");
	}
	table_cell(table, "%s", guid_text(s->guid, guid));
	table_cell(table, "%u", s->reg_count);
	table_cell(table, "%s", *text_data(&enabled) ? enabled.data : "-");
	etw_text_free(&enabled);
}

/* ----------------------------------------------------------------------- JSON */

static void reg_json(struct etw_text *to, const struct etw_provider_reg *reg,
		     const struct etw_guid *provider, const struct etw_guid *member,
		     const struct list *list)
{
	uint64_t mask;

	json_writer_open(to, NULL, '{');
	if (!(reg->flags & ETW_REG_KERNEL))
		json_writer_unsigned(to, "pid", reg->pid);
	json_writer_string(to, reg->flags & ETW_REG_KERNEL ? "module" : "comm", reg->module,
			   module_len(reg));
	json_writer_flag(to, "classic", reg->flags & ETW_REGISTER_CLASSIC);
	if (list_forwards_bpf(reg, provider))
		json_writer_flag(to, "bpf_ring", true);
	if (reg->flags & ETW_REG_REFUSED)
		json_writer_flag(to, "refused", true);
	if (reg->refused)
		json_writer_unsigned(to, "writes_refused", reg->refused);
	if (!etw_guid_is_zero(&reg->group))
		json_writer_guid(to, "group", &reg->group);
	json_writer_open(to, "sessions", '[');
	for (mask = reg->sessions; mask; mask &= mask - 1)
		json_writer_word(to, NULL, name_of(list, (uint32_t)__builtin_ctzll(mask) + 1));
	json_writer_close(to, ']');
	if (member)
		json_writer_guid(to, "provider", member);
	json_writer_close(to, '}');
}

static void enable_json(struct etw_text *to, const struct etw_provider_enable *enable,
			const struct list *list)
{
	const struct session *session = find_session(list, enable->logger_id);
	const struct enable_item *item;
	const struct word *word;

	json_writer_open(to, NULL, '{');
	if (session)
		json_writer_word(to, "session", session->name);
	json_writer_unsigned(to, "session_id", enable->logger_id);
	json_writer_unsigned(to, "level", enable->level);
	json_writer_mask(to, "any", enable->any);
	json_writer_mask(to, "all", enable->all);
	json_writer_flag(to, "ignore_keyword_0", enable->property & ETW_ENABLE_IGNORE_KEYWORD_0);
	json_writer_flag(to, "exclude_private", enable->property & ETW_ENABLE_EXCLUDE_INPRIVATE);
	json_writer_flag(to, "pid_filtered", enable->pid_filtered);
	json_writer_open(to, "filters", '[');
	for (word = filter_words; word->bit; word++)
		if (enable->filters & word->bit)
			json_writer_word(to, NULL, word->json ? word->json : word->text);
	json_writer_close(to, ']');
	json_writer_open(to, "items", '[');
	for (item = enable_items; item->name; item++)
		if (has_item(enable->property, item))
			json_writer_word(to, NULL, item->name);
	json_writer_close(to, ']');
	json_writer_close(to, '}');
}

static void subject_json(struct etw_text *to, const struct subject *s, const struct list *list)
{
	unsigned int i;

	json_writer_open(to, NULL, '{');
	json_writer_guid(to, s->provider ? "provider" : "group", s->guid);
	if (s->provider)
		json_writer_word(to, "provider_name", provider_name(s->provider));
	json_writer_open(to, s->provider ? "registrations" : "members", '[');
	for (i = 0; i < s->reg_count; i++)
		reg_json(to, reg_at(s, i), provider_at(s, i),
			 s->group ? provider_at(s, i) : NULL, list);
	json_writer_close(to, ']');
	json_writer_open(to, "enabled_by", '[');
	for (i = 0; i < s->enable_count; i++)
		enable_json(to, &s->enables[i], list);
	json_writer_close(to, ']');
	json_writer_close(to, '}');
}

/* ---------------------------------------------------------------------- parts */

static void show_subject(struct list *list, const struct subject *s)
{
	if (!list->any && !list->json && list->follows)
		puts("");
	list->any = true;
	if (list->json)
		subject_json(list->json, s, list);
	else if (list->verbose)
		print_details(s, list);
	else
		add_row(&list->table, s, list);
}

static bool is_chosen(const struct list *list, const struct etw_provider *provider)
{
	const char *name = provider_name(provider);

	return !list->pattern || (name && !fnmatch(list->pattern, name, FNM_CASEFOLD));
}

static int show_provider(struct list *list, const struct etw_guid *guid)
{
	struct etw_provider provider;
	int err = etw_provider_query(list->fd, guid, &provider);

	if (err)
		return err;
	if (is_chosen(list, &provider))
		show_subject(list, &(struct subject){
			.guid = guid, .provider = &provider, .enables = provider.enables,
			.reg_count = provider.reg_count, .enable_count = provider.enable_count });
	etw_provider_free(&provider);
	return 0;
}

static int show_group(struct list *list, const struct etw_guid *guid)
{
	struct etw_group group;
	int err = etw_group_query(list->fd, guid, &group);

	if (err)
		return err;
	show_subject(list, &(struct subject){
		.guid = guid, .group = &group, .enables = group.enables,
		.reg_count = group.member_count, .enable_count = group.enable_count });
	etw_group_free(&group);
	return 0;
}

/* List all GUIDs of a kind; 0 or a negative errno. */
static int list_guids(struct list *list, const char *what,
		      int (*fill)(int fd, struct etw_provider_enum *all),
		      int (*show)(struct list *list, const struct etw_guid *guid),
		      const char *const *headings)
{
	struct etw_guid *guids;
	uint32_t count, i;
	int err = etw_provider_guids(list->fd, fill, &guids, &count);

	if (err)
		return err;
	list->any = false;
	if (list->json)
		json_writer_open(list->json, what, '[');
	for (i = 0; !err && i < count; i++) {
		err = show(list, &guids[i]);
		/* It, or the right to query it, has gone meanwhile. */
		if (err == -ESRCH || err == -EPERM)
			err = 0;
	}
	if (list->json)
		json_writer_close(list->json, ']');
	else if (!err && !list->any && (list->alone || show == show_provider))
		printf("%sno %s\n", list->follows ? "\n" : "", what);
	/* Also after a failure: print those found so far. */
	table_print(&list->table, headings);
	free(guids);
	return err;
}

static int list_providers(struct list *list)
{
	return list_guids(list, "providers", etw_kdev_provider_enum, show_provider,
			  provider_headings);
}

static int list_groups(struct list *list)
{
	return list_guids(list, "groups", etw_kdev_group_enum, show_group, group_headings);
}

/* In the order in which they are listed */
static const struct part {
	const char *name;
	int (*list)(struct list *list);
	const char *const *headings;
} parts[] = {
	{ "sessions", list_sessions, session_headings },
	{ "providers", list_providers, provider_headings },
	{ "groups", list_groups, group_headings },
	{ NULL, NULL, NULL }
};

static int list_fail(unsigned int part, int err)
{
	return cli_fail("cannot list the %s: %s", parts[part].name,
			cli_denied(-err, "the right \"query\" on one of them"));
}

/* List the parts that the caller may see; fail only if there are none. */
static int list_all(struct list *list, bool sessions_seen)
{
	unsigned int i;
	int err;

	for (i = sessions_seen ? 0 : 1; parts[i].name; i++) {
		err = parts[i].list(list);
		if (err && err != -EPERM)
			return list_fail(i, err);
		list->follows |= !err;
	}
	return list->follows ? 0 : list_fail(0, -EPERM);
}

/* part: -1: all of them */
static int list_parts(struct list *list, int part, bool want_json)
{
	struct etw_text json = { 0 };
	int err = session_list(list->fd, &list->sessions, &list->session_count), status;

	/* A caller who may see no session may see providers; their sessions have no names. */
	if (err && (err != -EPERM || !part))
		return list_fail(0, err);
	if (want_json) {
		list->json = &json;
		json_writer_open(&json, NULL, '{');
	}
	list->alone = part >= 0;
	if (part < 0) {
		status = list_all(list, !err);
	} else {
		err = parts[part].list(list);
		status = err ? list_fail((unsigned int)part, err) : 0;
	}
	if (want_json && !status)
		json_print(&json);
	etw_text_free(&json);
	free(list->sessions);
	return status;
}

static struct list list;
static bool json;
static const char *columns;

static const struct cli_option options[] = {
	{ "verbose", 'v', NULL, "show registrations, and how each is enabled",
	  CLI_FLAG(list.verbose) },
	{ "columns", 0, "COLUMNS", "only these, by their headings: session,events-lost",
	  CLI_TEXT(columns) },
	CLI_OPTION_JSON(json),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "List the running sessions, the providers and the provider groups: the number of\n"
		"registrations or members, and the sessions that have them enabled; with\n"
		"--verbose also each registration and member.\n"
		"WHAT is 'sessions', 'providers' or 'groups'; default: all of them.\n"
		"PATTERN selects providers by name.  'tracepoint:*' lists the trace events of the\n"
		"kernel, 'kprobe:vfs_*' functions and 'usdt:PATH' static probes, each of which is\n"
		"a provider when it is enabled.",
	.operands = { "[WHAT]", "[PATTERN]" },
	.options = options,
	.example = "etw list providers -v",
};

int cmd_list(int argc, char **argv)
{
	char **operands = cli_parse(&syntax, argc, argv);
	const char *name = operands[0];
	const char *const *tables[4] = { session_headings, provider_headings, group_headings, NULL };
	int status, part = -1;

	if (name)
		part = (int)cli_choice("WHAT", name, parts, sizeof(*parts));
	list.pattern = name ? operands[1] : NULL;
	if (list.pattern && parts[part].list != list_providers)
		cli_usage("PATTERN: only with 'providers'");
	if (columns && (json || list.verbose))
		cli_usage("--columns: not with --json or --verbose");
	if (name) {
		tables[0] = parts[part].headings;
		tables[1] = NULL;
	}
	if (columns)
		table_choose("--columns", columns, tables);
	if (list.pattern && trace_event_named(list.pattern))
		return list_trace(list.pattern, json);
	list.fd = device_open();
	if (list.fd < 0)
		return 1;
	status = list_parts(&list, part, json);
	etw_kdev_close(list.fd);
	return status;
}
