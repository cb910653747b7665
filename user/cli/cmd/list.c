/* SPDX-License-Identifier: MIT */
/*
 * list.c - etw list: list sessions, providers and provider groups
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "list.h"
#include "cli/table.h"
#include "cli/text.h"
#include "device/kdev.h"

static void print_sessions(const struct sessions *sessions)
{
	static const char *const headings[] = {
		"SESSION", ">ID", "MODE", "CLOCK", ">SIZE KB", ">BUFFERS",
		">MAX", ">FREE", ">DELIVERED", ">EVENTS LOST", ">RT LOST", NULL
	};
	struct table table = { .headings = headings };
	struct etw_text name = { 0 };
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
	etw_text_free(&name);
}

static int list_sessions(struct list *list)
{
	const struct sessions *sessions = &list->sessions;
	struct json *array;
	unsigned int i;

	if (list->json) {
		array = json_new_array();
		for (i = 0; i < sessions->count; i++)
			json_append(array, session_json(&sessions->list[i]));
		json_put(list->json, "sessions", array);
		return 0;
	}
	if (!list->verbose || !sessions->count)
		print_sessions(sessions);
	for (i = 0; list->verbose && i < sessions->count; i++) {
		if (i)
			puts("");
		session_print(&sessions->list[i]);
	}
	return 0;
}

/* In the order in which they are listed */
static const struct part {
	const char *name;
	int (*run)(struct list *list);
} parts[] = {
	{ "sessions", list_sessions },
	{ "providers", list_providers },
	{ "groups", list_groups },
};

#define PARTS	(sizeof(parts) / sizeof(parts[0]))

static int list_fail(const struct part *part, int err)
{
	return cli_fail("cannot list the %s: %s", part->name,
			cli_denied(-err, "the right \"query\" on one of them"));
}

/* List the parts that the caller may see; fail only if there are none. */
static int list_all(struct list *list, bool sessions_seen)
{
	unsigned int i;
	int err;

	for (i = sessions_seen ? 0 : 1; i < PARTS; i++) {
		err = parts[i].run(list);
		if (err && err != -EPERM)
			return list_fail(&parts[i], err);
		list->follows |= !err;
	}
	return list->follows ? 0 : list_fail(&parts[0], -EPERM);
}

static int list_part(struct list *list, const struct part *part)
{
	int err = part->run(list);

	return err ? list_fail(part, err) : 0;
}

/* part: NULL: all of them */
static int list(struct list *list, const struct part *part, bool want_json)
{
	int err, status;

	err = session_list(list->fd, &list->sessions.list, &list->sessions.count);
	/* A caller who may see no session may see providers; their sessions have no names. */
	if (err && (err != -EPERM || part == parts))
		return list_fail(&parts[0], err);
	list->json = want_json ? json_new() : NULL;
	list->alone = part;
	status = part ? list_part(list, part) : list_all(list, !err);
	if (list->json && !status)
		json_print(list->json);
	free(list->sessions.list);
	return status;
}

static const struct part *find_part(const char *what)
{
	size_t i;

	for (i = 0; i < PARTS; i++)
		if (!strcmp(parts[i].name, what))
			return &parts[i];
	cli_usage("%s: neither 'sessions' nor 'providers' nor 'groups'", cli_quote(what));
}

int cmd_list(int argc, char **argv)
{
	static const struct cli_option options[] = {
		{ "verbose", 'v', NULL, "show registrations, and how each is enabled" },
		CLI_OPTION_JSON, CLI_OPTION_END
	};
	static const struct cli_syntax syntax = {
		.what = "List the running sessions, the providers and the provider groups: the number of\n"
			"registrations or members, and the sessions that have them enabled; with\n"
			"--verbose also each registration and member.\n"
			"WHAT is 'sessions', 'providers' or 'groups'; default: all of them.",
		.operands = { "[WHAT]" },
		.options = options,
		.example = "etw list providers -v",
	};
	static struct list what;
	const struct part *part;
	bool json = false;
	const char *name;
	int option, status;

	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		if (option == 'v')
			what.verbose = true;
		else
			json = true;
	}
	name = cli_operands(&syntax, argc, argv)[0];
	part = name ? find_part(name) : NULL;
	what.fd = device_open();
	if (what.fd < 0)
		return 1;
	status = list(&what, part, json);
	etw_kdev_close(what.fd);
	return status;
}
