/* SPDX-License-Identifier: MIT */
/*
 * start.c - start one session as its file says
 *
 * All that can be looked at is looked at first, so that a wrong file starts nothing.
 * A provider that cannot be enabled does not keep the session from running: its own
 * status tells, as on Windows.
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
#include "cli/enable_request.h"
#include "cli/provider.h"
#include "cli/session.h"
#include "lib/controller/enable.h"
#include "base/guid.h"
#include "device/kdev.h"
#include "tdh/decode/format.h"

/* One provider of a file, and what it is enabled with */
struct entry {
	const struct autologger_conf *conf;
	const struct etw_autolog_provider *provider;
	const struct etw_autolog_option *option;	/* that is being taken */
	struct enable_request request;
	int fd;
};

/* Messages are of that line from here on; 0: of none. */
static void at_line(const struct autologger_conf *conf, unsigned int line)
{
	static char place[sizeof(conf->path) + 32];

	snprintf(place, sizeof(place), "%s:%u", conf->path, line);
	cli_begin(line ? place : "autologger");
}

static int option_value(const char *name)
{
	const struct cli_option *option = enable_options;

	while (option->name && strcmp(option->name, name))
		option++;
	return option->value;
}

/* Wrong usage ends cli_try(), in this and the next two. */
static void take_provider(void *context)
{
	struct entry *entry = context;
	const struct etw_autolog_provider *from = entry->provider;

	at_line(entry->conf, from->line);
	entry->request.enable.level = (uint8_t)from->level;
	entry->request.enable.any = from->any;
	entry->request.enable.all = from->all;
	entry->request.enable.property = from->property;
	provider_check(from->name);
	provider_check_group(from->name, &entry->request.enable);
}

/* An option of etw enable */
static void take_option(void *context)
{
	struct entry *entry = context;

	at_line(entry->conf, entry->option->line);
	optarg = entry->option->value;
	enable_request_take(&entry->request, option_value(entry->option->name));
}

static void take_whole(void *context)
{
	struct entry *entry = context;

	at_line(entry->conf, entry->provider->line);
	enable_request_ready(&entry->request, entry->provider->name);
}

/* All that is wrong is told, not only the first of it. */
static bool take_entry(struct entry *entry)
{
	const struct etw_autolog_provider *from = entry->provider;
	bool good;
	size_t i;

	enable_request_init(&entry->request);
	good = cli_try(take_provider, entry);
	for (i = 0; i < from->option_count; i++) {
		entry->option = &from->options[i];
		good &= cli_try(take_option, entry);
	}
	return good && cli_try(take_whole, entry);
}

static void find(void *context)
{
	struct entry *entry = context;
	struct etw_enable *enable = &entry->request.enable;

	at_line(entry->conf, entry->provider->line);
	if (provider_resolve(entry->fd, entry->provider->name, &enable->provider))
		enable_request_prepare(&entry->request, &enable->provider);
	else
		memset(&enable->provider, 0, sizeof(enable->provider));
}

static void free_entries(struct entry *entries, size_t count)
{
	size_t i;

	for (i = 0; entries && i < count; i++)
		enable_request_free(&entries[i].request);
	free(entries);
}

/* What is to be enabled; NULL: something is wrong with an option, and was told. */
static struct entry *take_entries(int fd, const struct autologger_conf *conf, size_t *count)
{
	struct entry *entries = calloc(conf->conf.provider_count + 1, sizeof(*entries));
	bool good = true;
	size_t i;

	if (!entries)
		cli_die("out of memory");
	*count = 0;
	for (i = 0; i < conf->conf.provider_count; i++) {
		struct entry *entry = &entries[*count];

		entry->conf = conf;
		entry->provider = &conf->conf.providers[i];
		entry->fd = fd;
		good &= take_entry(entry);
		*count += 1;
	}
	at_line(conf, 0);
	if (good)
		return entries;
	free_entries(entries, *count);
	return NULL;
}

bool autologger_check_options(const struct autologger_conf *conf)
{
	size_t count;
	struct entry *entries = take_entries(-1, conf, &count);

	if (!entries)
		return false;
	free_entries(entries, count);
	return true;
}

/* ------------------------------------------------------------------ session */

struct properties {
	EVENT_TRACE_PROPERTIES p;
	char name[ETW_NAME_MAX + 1];
	char file[ETW_FILE_NAME_MAX + 1];
};

/* The file's name, numbered if there are to be several.  False: that failed. */
static bool choose_file(const struct autologger_conf *conf, char out[ETW_FILE_NAME_MAX + 1])
{
	const struct etw_autolog_conf *c = &conf->conf;
	uint32_t number;
	int len;

	out[0] = '\0';
	if (!etw_autolog_has_file(c))
		return true;
	if (c->file_name)
		len = snprintf(out, ETW_FILE_NAME_MAX + 1, "%s", c->file_name);
	else
		len = snprintf(out, ETW_FILE_NAME_MAX + 1, AUTOLOGGER_LOGS "/%s.etl", conf->name);
	if (!c->file_name && mkdir(AUTOLOGGER_LOGS, 0750) && errno != EEXIST) {
		cli_fail(AUTOLOGGER_LOGS ": %s", strerror(errno));
		return false;
	}
	if (!c->file_max)
		return true;
	number = autologger_next_file(conf->name, c->file_max);
	if (number)
		snprintf(out + len, ETW_FILE_NAME_MAX + 1 - (size_t)len, ".%04u", number);
	return number;
}

static uint32_t start_session(const struct autologger_conf *conf, struct autologger_result *result)
{
	const struct etw_autolog_conf *c = &conf->conf;
	static struct properties props;
	TRACEHANDLE handle;

	if (!choose_file(conf, result->file))
		return ERROR_BAD_PATHNAME;
	memset(&props, 0, sizeof(props));
	props.p.Wnode.BufferSize = sizeof(props);
	props.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
	props.p.Wnode.ClientContext = c->clock;
	memcpy(&props.p.Wnode.Guid, &c->guid, sizeof(c->guid));
	props.p.BufferSize = c->buffer_kb;
	props.p.MinimumBuffers = c->min_buffers;
	props.p.MaximumBuffers = c->max_buffers;
	props.p.MaximumFileSize = result->file[0] ? c->max_size : 0;
	props.p.LogFileMode = c->mode;
	props.p.FlushTimer = c->flush_s;
	props.p.LoggerNameOffset = offsetof(struct properties, name);
	if (result->file[0])
		props.p.LogFileNameOffset = offsetof(struct properties, file);
	strcpy(props.file, result->file);
	return StartTraceA(&handle, conf->name, &props.p);
}

/* ---------------------------------------------------------------- providers */

static uint32_t enable(struct entry *entries, struct entry *entry, const struct session *session)
{
	struct etw_enable *enable = &entry->request.enable;
	const struct entry *before = entry;
	int err;

	if (!cli_try(find, entry))
		return ERROR_INVALID_PARAMETER;
	if (etw_guid_is_zero(&enable->provider))
		return ERROR_WMI_GUID_NOT_FOUND;
	while (--before >= entries)
		if (guid_equal(&before->request.enable.provider, &enable->provider)) {
			cli_fail("provider %s: line %u has it already",
				 cli_quote(entry->provider->name), before->provider->line);
			return ERROR_ALREADY_EXISTS;
		}
	enable->session = session->s.handle;
	err = etw_enable_and_wait(entry->fd, enable);
	if (err)
		cli_fail("provider %s: %s", cli_quote(entry->provider->name), cli_reason(-err));
	return etw_win32_from_errno(err);
}

static bool enable_all(int fd, struct entry *entries, size_t count, const char *name,
		       struct autologger_result *result)
{
	static struct session session;
	bool good = true;
	size_t i;

	if (session_do(fd, etw_kdev_session_query, name, &session))
		return false;
	result->providers = calloc(count + 1, sizeof(*result->providers));
	if (!result->providers)
		cli_die("out of memory");
	for (i = 0; i < count; i++) {
		struct autologger_provider *to = &result->providers[result->provider_count];

		if (!entries[i].provider->enabled)
			continue;
		to->name = strdup(entries[i].provider->name);
		if (!to->name)
			cli_die("out of memory");
		to->status = enable(entries, &entries[i], &session);
		good &= !to->status;
		result->provider_count++;
	}
	cli_begin("autologger");
	return good;
}

static void tell(const struct autologger_conf *conf, const struct autologger_result *result)
{
	const char *name = etw_error_name(TDH_OUTTYPE_WIN32ERROR, result->status);

	cli_fail("session %s: %s%s%s%s (%u)", cli_quote(conf->name), result->file,
		 result->file[0] ? ": " : "",
		 result->status == ERROR_ALREADY_EXISTS ?
		 "a session of this name or GUID runs already: " : "", name ? name : "error",
		 result->status);
}

/*
 * Started before and not stopped: then what was recorded of it and the number of its
 * file stay as they are, whatever its file says by now.
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

/* False: it does not run, or not all of it; why was told, and is recorded. */
bool autologger_start(int fd, const struct autologger_conf *conf)
{
	static struct autologger_result result;
	struct entry *entries = NULL;
	mode_t mask;
	size_t count = 0;
	bool good = false, kept;

	if (runs_already(fd, conf->name))
		return !cli_fail("session %s runs already", cli_quote(conf->name));
	autologger_result_free(&result);
	result.guid = conf->conf.guid;
	result.status = conf->status;
	strcpy(result.what, conf->what);
	if (!result.status) {
		entries = take_entries(fd, conf, &count);
		if (!entries) {
			result.status = ERROR_INVALID_PARAMETER;
			strcpy(result.what, "an option of a provider is wrong");
		}
	}
	if (entries) {
		/* Events of all users: nobody else may read them. */
		mask = umask(077);
		result.status = start_session(conf, &result);
		umask(mask);
		kept = !conf->conf.file_max ||
		       autologger_end_file(conf->name, !result.status);
		if (result.status)
			tell(conf, &result);
		else
			good = enable_all(fd, entries, count, conf->name, &result) && kept;
	}
	good &= autologger_write_result(conf->name, &result);
	free_entries(entries, count);
	autologger_result_free(&result);
	return good;
}
