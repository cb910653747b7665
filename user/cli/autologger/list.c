/* SPDX-License-Identifier: MIT */
/*
 * list.c - etw autologger list: the sessions, and the results of their starts
 */
#include <inttypes.h>
#include <stdio.h>
#include <etw/winerror.h>
#include <tdh.h>
#include "autologger.h"
#include "cli/cli.h"
#include "cli/session.h"
#include "cli/table.h"
#include "cli/text.h"
#include "device/kdev.h"
#include "tdh/decode/error_names.h"

/* Everything that is known about a session */
struct known {
	struct autologger_conf conf;
	struct autologger_result result;
	bool tried;		/* result is there */
	bool running;
};

static const char *status_name(uint32_t status)
{
	const char *name = etw_error_name(TDH_OUTTYPE_WIN32ERROR, status);

	return name ? name : "";
}

static void put_status(struct etw_text *to, uint32_t status)
{
	json_writer_unsigned(to, "status", status);
	json_writer_word(to, "status_name", status_name(status));
}

static void show_json(const struct known *k)
{
	struct etw_text line = { 0 };
	size_t i;

	json_writer_open(&line, NULL, '{');
	json_writer_word(&line, "session", k->conf.name);
	json_writer_word(&line, "path", k->conf.path);
	json_writer_flag(&line, "start", !k->conf.manual && !k->conf.status);
	json_writer_word(&line, "problem", k->conf.what[0] ? k->conf.what : NULL);
	json_writer_flag(&line, "running", k->running);
	if (k->tried) {
		put_status(&line, k->result.status);
		json_writer_word(&line, "log_file", k->result.file[0] ? k->result.file : NULL);
		json_writer_open(&line, "providers", '[');
		for (i = 0; i < k->result.provider_count; i++) {
			json_writer_open(&line, NULL, '{');
			json_writer_word(&line, "provider", k->result.providers[i].name);
			put_status(&line, k->result.providers[i].status);
			json_writer_close(&line, '}');
		}
		json_writer_close(&line, ']');
	}
	json_print(&line);
}

/* The first of its providers that was not enabled */
static const struct autologger_provider *failed_provider(const struct autologger_result *r)
{
	size_t i;

	for (i = 0; i < r->provider_count; i++)
		if (r->providers[i].status)
			return &r->providers[i];
	return NULL;
}

static void add_row(struct table *table, const struct known *k)
{
	const struct autologger_provider *failed = failed_provider(&k->result);

	table_text(table, k->conf.name);
	table_cell(table, "%s", k->conf.what[0] ? "?" : k->conf.manual ? "no" : "yes");
	table_cell(table, "%s", k->running ? "yes" : "no");
	if (k->tried)
		table_cell(table, "%" PRIu32, k->result.status);
	else
		table_cell(table, "-");
	if (k->conf.what[0])
		table_message(table, k->conf.what);
	else if (k->tried && k->result.status)
		table_message(table, k->result.what[0] ? k->result.what :
			      status_name(k->result.status));
	else if (failed)
		table_cell(table, "%s: %s (%" PRIu32 ")", cli_quote(failed->name),
			   status_name(failed->status), failed->status);
	else
		table_text(table, k->result.file);
}

static void show_one(int fd, const char *name, struct table *table)
{
	static struct known k;

	autologger_load(name, &k.conf, false);
	k.tried = autologger_read_result(name, &k.result);
	/* No also without the module, or the right to query the session */
	k.running = fd >= 0 && !autologger_find(fd, name, k.tried ? &k.result.guid :
						&k.conf.session.s.guid);
	if (table)
		add_row(table, &k);
	else
		show_json(&k);
	autologger_unload(&k.conf);
	autologger_result_free(&k.result);
}

int autologger_list(char **names, bool json)
{
	static const char *const headings[] = {
		"SESSION", "START", "RUNNING", ">STATUS", "FILE OR PROBLEM", NULL
	};
	struct table table = { .cells = NULL };
	int fd = etw_kdev_open(), i;

	for (i = 0; names[i]; i++)
		show_one(fd, names[i], json ? NULL : &table);
	if (!json && !i)
		printf("no sessions in %s\n", autologger_dir());
	table_print(&table, headings);
	if (fd >= 0)
		etw_kdev_close(fd);
	return 0;
}
