/* SPDX-License-Identifier: MIT */
/*
 * start.c - start one session as its file says
 *
 * The whole file is parsed first, so that a wrong one starts nothing.  If a provider cannot
 * be enabled the session runs without it, and the provider's status says why, as on Windows.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <evntrace.h>
#include <tdh.h>
#include "autologger.h"
#include "cli/cli.h"
#include "cli/request/enable_request.h"
#include "cli/provider.h"
#include "cli/session.h"
#include "lib/controller/enable.h"
#include "base/guid.h"
#include "device/kdev.h"
#include "tdh/decode/format.h"

static const struct cli_syntax enable_syntax = {
	.operands = { "PROVIDER" },
	.options = enable_options,
	.in_file = true,
};

/* Messages name that line from here on; 0: none. */
static void at_line(const struct autologger_conf *conf, unsigned int line)
{
	static char place[sizeof(conf->path) + 32];

	snprintf(place, sizeof(place), "%s:%u", conf->path, line);
	cli_begin(line ? place : "autologger");
}

/* Call a function for an enable line; false: its usage is wrong, which is printed. */
static bool try(void (*fn)(void *context), struct autologger_enable *e)
{
	char what[192];

	at_line(e->conf, e->command->line);
	return cli_try(fn, e, what, sizeof(what)) || !cli_fail("%s", what);
}

static void refuse_option(int option)
{
	switch (option) {
	case ENABLE_OPT_PID:
		cli_usage("--pid: not in a file, since a process gets another number at each boot");
	case ENABLE_OPT_CAPTURE:
		cli_usage("--capture: not in a file");
	case ENABLE_OPT_MANIFEST:
		cli_usage("--manifest: not in a file; install the manifest");
	}
}

/* Wrong usage ends cli_try(), here and in find(). */
static void take_enable(void *context)
{
	struct autologger_enable *e = context;
	const struct etw_autolog_command *command = e->command;
	const char *provider;
	int option;

	enable_request_init(&e->request);
	optind = 0;
	while ((option = cli_next(&enable_syntax, command->argc, command->argv)) != -1) {
		refuse_option(option);
		enable_request_take(&e->request, option);
	}
	provider = cli_operands(&enable_syntax, command->argc, command->argv)[0];
	provider_check(provider);
	provider_check_group(provider, &e->request.enable);
	enable_request_ready(&e->request, provider);
	e->provider = provider;
}

static void find(void *context)
{
	struct autologger_enable *e = context;
	struct etw_enable *enable = &e->request.enable;

	if (provider_resolve(e->fd, e->provider, &enable->provider))
		enable_request_prepare(&e->request, &enable->provider);
	else
		memset(&enable->provider, 0, sizeof(enable->provider));
}

void autologger_enables_free(struct autologger_enable *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		enable_request_free(&list[i].request);
	free(list);
}

struct autologger_enable *autologger_enables(int fd, const struct autologger_conf *conf,
					     bool *good)
{
	size_t count = conf->conf.enable_count, i;
	struct autologger_enable *list = calloc(count + 1, sizeof(*list));

	if (!list)
		cli_die("out of memory");
	for (i = 0; i < count; i++) {
		list[i].conf = conf;
		list[i].command = &conf->conf.enables[i];
		list[i].fd = fd;
		if (!try(take_enable, &list[i]))
			*good = false;
	}
	at_line(conf, 0);
	return list;
}

/* ------------------------------------------------------------------ session */

struct properties {
	EVENT_TRACE_PROPERTIES p;
	char name[ETW_NAME_MAX + 1];
	char file[ETW_FILE_NAME_MAX + 1];
};

/* The file's name, numbered if there are to be several; empty: no file.  False: that failed. */
static bool choose_file(const struct autologger_conf *conf, char out[ETW_FILE_NAME_MAX + 1])
{
	const char *path = conf->file.path;
	uint32_t number;

	snprintf(out, ETW_FILE_NAME_MAX + 1, "%s", path ? path : "");
	if (path == conf->default_path && mkdir(AUTOLOGGER_LOGS, 0750) && errno != EEXIST) {
		cli_fail(AUTOLOGGER_LOGS ": %s", strerror(errno));
		return false;
	}
	if (!conf->file_max)
		return true;
	number = autologger_next_file(conf->name, conf->file_max);
	if (number)
		snprintf(out, ETW_FILE_NAME_MAX + 1, "%s.%04u", path, number);
	return number;
}

static uint32_t start_session(const struct autologger_conf *conf, struct autologger_result *result)
{
	static struct properties props;
	struct session session = conf->session;
	struct startfile file = conf->file;
	const struct etw_session *s = &session.s;
	TRACEHANDLE handle;

	if (!choose_file(conf, result->file))
		return ERROR_BAD_PATHNAME;
	memset(&props, 0, sizeof(props));
	if (file.path)
		props.p.MaximumFileSize = startfile_mode(&file, &session);
	props.p.Wnode.BufferSize = sizeof(props);
	props.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
	props.p.Wnode.ClientContext = s->clock;
	memcpy(&props.p.Wnode.Guid, &s->guid, sizeof(s->guid));
	props.p.BufferSize = s->buffer_kb;
	props.p.MinimumBuffers = s->min_buffers;
	props.p.MaximumBuffers = s->max_buffers;
	props.p.LogFileMode = s->mode;
	props.p.FlushTimer = s->flush_ms;
	if (s->flush_ms % 1000)
		props.p.LogFileMode |= EVENT_TRACE_USE_MS_FLUSH_TIMER;
	else
		props.p.FlushTimer /= 1000;
	props.p.LoggerNameOffset = offsetof(struct properties, name);
	if (result->file[0])
		props.p.LogFileNameOffset = offsetof(struct properties, file);
	strcpy(props.file, result->file);
	return StartTraceA(&handle, conf->name, &props.p);
}

/* ---------------------------------------------------------------- providers */

static uint32_t enable(struct autologger_enable *list, struct autologger_enable *e,
		       const struct session *session)
{
	struct etw_enable *enable = &e->request.enable;
	const struct autologger_enable *before = e;
	int err;

	if (!try(find, e))
		return ERROR_INVALID_PARAMETER;
	if (etw_guid_is_zero(&enable->provider))
		return ERROR_WMI_GUID_NOT_FOUND;
	while (--before >= list)
		if (guid_equal(&before->request.enable.provider, &enable->provider)) {
			cli_fail("provider %s: line %u has it already", cli_quote(e->provider),
				 before->command->line);
			return ERROR_ALREADY_EXISTS;
		}
	enable->session = session->s.handle;
	err = etw_enable_and_wait(e->fd, enable);
	if (err)
		cli_fail("provider %s: %s", cli_quote(e->provider), cli_reason(-err));
	return etw_win32_from_errno(err);
}

static bool enable_all(int fd, struct autologger_enable *list, const struct autologger_conf *conf,
		       struct autologger_result *result)
{
	size_t count = conf->conf.enable_count, i;
	static struct session session;
	bool good = true;

	if (session_do(fd, etw_kdev_session_query, conf->name, &session))
		return false;
	result->providers = calloc(count + 1, sizeof(*result->providers));
	if (!result->providers)
		cli_die("out of memory");
	for (i = 0; i < count; i++) {
		struct autologger_provider *to = &result->providers[i];

		to->name = strdup(list[i].provider);
		if (!to->name)
			cli_die("out of memory");
		to->status = enable(list, &list[i], &session);
		good &= !to->status;
		result->provider_count++;
	}
	cli_begin("autologger");
	return good;
}

static void print_failure(const struct autologger_conf *conf, const struct autologger_result *result)
{
	const char *name = etw_error_name(TDH_OUTTYPE_WIN32ERROR, result->status);

	cli_fail("session %s: %s%s%s%s (%u)", cli_quote(conf->name), result->file,
		 result->file[0] ? ": " : "",
		 result->status == ERROR_ALREADY_EXISTS ?
		 "a session of this name or GUID runs already: " : "", name ? name : "error",
		 result->status);
}

/*
 * Was it started before, and not stopped?  Then its recorded result and the number of its
 * log file stay, even if its configuration has changed.
 */
static bool runs_already(int fd, const char *name)
{
	static struct autologger_result before;
	static struct session session;
	bool runs;

	if (!autologger_read_result(name, &before))
		return false;
	memset(&session, 0, sizeof(session));
	runs = !before.status && !session_do(fd, etw_kdev_session_query, name, &session) &&
	       guid_equal(&session.s.guid, &before.guid);
	autologger_result_free(&before);
	return runs;
}

bool autologger_start(int fd, const struct autologger_conf *conf)
{
	static struct autologger_result result;
	struct autologger_enable *list;
	bool good = true, kept;
	mode_t mask;

	if (runs_already(fd, conf->name))
		return !cli_fail("session %s runs already", cli_quote(conf->name));
	autologger_result_free(&result);
	result.guid = conf->session.s.guid;
	result.status = conf->status;
	strcpy(result.what, conf->what);
	list = autologger_enables(fd, conf, &good);
	if (!result.status && !good) {
		result.status = ERROR_INVALID_PARAMETER;
		strcpy(result.what, "an enable line is wrong");
	}
	good &= !result.status;
	if (good) {
		/* Events of all users: only root may read them. */
		mask = umask(077);
		result.status = start_session(conf, &result);
		umask(mask);
		kept = !conf->file_max || autologger_end_file(conf->name, !result.status);
		good = !result.status && kept;
		if (result.status)
			print_failure(conf, &result);
		else
			good &= enable_all(fd, list, conf, &result);
	}
	good &= autologger_write_result(conf->name, &result);
	autologger_enables_free(list, conf->conf.enable_count);
	autologger_result_free(&result);
	return good;
}
