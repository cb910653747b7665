/* SPDX-License-Identifier: MIT */
/*
 * start.c - start one session as its file says
 *
 * The whole file is parsed first, so that a wrong one starts nothing.  If a provider cannot
 * be enabled the session runs without it, and the provider's status says why, as on Windows.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "autologger.h"
#include "cli/cli.h"
#include "cli/provider.h"
#include "cli/request/probe_request.h"
#include "cli/request/process_events.h"
#include "cli/request/start_options.h"
#include "cli/request/trace_request.h"
#include "lib/controller/enable.h"
#include "base/guid.h"
#include "device/kdev.h"

/* The file's name, numbered if there are to be several; empty: no file.  False: that failed. */
static bool choose_file(const struct autologger_conf *conf, char out[ETW_FILE_NAME_MAX + 1],
			struct etw_atomic_file *state)
{
	const char *path = conf->file.path;
	uint32_t number;

	snprintf(out, ETW_FILE_NAME_MAX + 1, "%s", path ? path : "");
	if (path == conf->default_path && mkdir(AUTOLOGGER_LOGS, 0750) && errno != EEXIST)
		return !cli_fail(AUTOLOGGER_LOGS ": %s", strerror(errno));
	if (!conf->file_max)
		return true;
	number = autologger_next_file(conf->name, conf->file_max, state);
	if (number)
		snprintf(out, ETW_FILE_NAME_MAX + 1, "%s.%04u", path, number);
	return number;
}

/* True: the session runs, with the status ERROR_SUCCESS. */
static bool start_with_file(int fd, struct autologger_conf *conf, struct autologger_result *result)
{
	struct etw_atomic_file state = { .fd = -1 };
	mode_t mask;
	int err;

	if (!choose_file(conf, result->file, &state)) {
		result->status = ERROR_BAD_PATHNAME;
		return false;
	}
	if (conf->file.path)
		conf->file.path = result->file;
	/* Events of all users: only root may read them. */
	mask = umask(077);
	/* With --file-max the numbers begin again: that many files are kept. */
	conf->file.replace |= conf->file_max;
	err = start_session(fd, conf->name, &conf->session, &conf->file);
	umask(mask);
	if (!err) {
		older_log_drop(&conf->file);
		process_events_begin(fd, conf->name, &conf->session, false);
	}
	result->status = conf->file.path && err != -ENOSPC ? etw_win32_from_file(err) :
							     etw_win32_from_errno(err);
	return (!conf->file_max || autologger_end_file(conf->name, &state, !err)) && !err;
}

/* ---------------------------------------------------------------- providers */

/* An enable line, as cli_try() hands it to its functions */
struct resolving {
	int fd;
	struct enable_request *request;
	unsigned int traced;	/* which of its trace events */
};

/* Find the provider; its GUID is zero if there is none, which is printed. */
static void resolve(void *context)
{
	const struct resolving *r = context;
	struct etw_guid *guid = &r->request->enable.provider;
	bool traced = trace_event_named(r->request->provider);

	if (traced ? !trace_request_make(r->request, r->fd) :
		     !provider_resolve(r->fd, r->request->provider, guid))
		memset(guid, 0, sizeof(*guid));
	else if (!traced)
		enable_request_prepare(r->request, guid);
}

static void use_traced(void *context)
{
	const struct resolving *r = context;

	trace_request_use(r->request, r->traced);
}

static int enable_traced(struct resolving *r)
{
	struct etw_enable *enable = &r->request->enable;
	char what[192];
	int err = 0;

	/* They begin when the provider's callback has run. */
	if (!enable->timeout_ms)
		enable->timeout_ms = TRACE_REQUEST_MS;
	for (r->traced = 0; r->traced < r->request->traced.count && !err; r->traced++) {
		if (!cli_try(use_traced, r, what, sizeof(what))) {
			cli_fail("%s", what);
			return -EINVAL;
		}
		err = provider_control_late(r->fd, r->request->traced.names[r->traced], enable);
	}
	return err;
}

static uint32_t enable(int fd, const struct autologger_conf *conf, size_t index)
{
	struct enable_request *request = &conf->enables[index]->request;
	struct etw_enable *enable = &request->enable;
	struct resolving resolving = { .fd = fd, .request = request };
	char what[192];
	int err;

	if (!cli_try(resolve, &resolving, what, sizeof(what))) {
		cli_fail("%s", what);
		return ERROR_INVALID_PARAMETER;
	}
	if (etw_guid_is_zero(&enable->provider))
		return ERROR_WMI_GUID_NOT_FOUND;
	while (index--)
		if (guid_equal(&conf->enables[index]->request.enable.provider, &enable->provider)) {
			cli_fail("provider %s: line %u has it already", cli_quote(request->provider),
				 conf->enables[index]->line);
			return ERROR_ALREADY_EXISTS;
		}
	enable->session = conf->session.s.handle;
	err = request->traced.count ? enable_traced(&resolving) : etw_enable_and_wait(fd, enable);
	if (err)
		cli_fail("provider %s: %s", cli_quote(request->provider), cli_reason(-err));
	return etw_win32_from_errno(err);
}

static bool enable_all(int fd, const struct autologger_conf *conf, struct autologger_result *result)
{
	struct autologger_provider *to;
	bool good = true;

	result->providers = cli_calloc(conf->enable_count, sizeof(*result->providers));
	for (; result->provider_count < conf->enable_count; result->provider_count++) {
		struct autologger_enable *e = conf->enables[result->provider_count];

		autologger_at(conf, e->line);
		to = &result->providers[result->provider_count];
		to->name = cli_strdup(e->request.provider);
		to->status = enable(fd, conf, result->provider_count);
		good &= !to->status;
	}
	probe_request_begin(fd, conf->session.s.handle);
	return good;
}

/*
 * Was it started before, and not stopped?  Then its recorded result and the number of its
 * log file stay, even if its configuration has changed.
 */
static bool runs_already(int fd, const char *name)
{
	static struct autologger_result before;
	bool runs;

	if (!autologger_read_result(name, &before))
		return false;
	runs = !before.status && !autologger_find(fd, name, &before.guid);
	autologger_result_free(&before);
	return runs;
}

bool autologger_start(int fd, struct autologger_conf *conf)
{
	static struct autologger_result result;
	bool good;

	if (runs_already(fd, conf->name))
		return !cli_fail("session %s runs already", cli_quote(conf->name));
	result.guid = conf->session.s.guid;
	result.status = conf->status;
	strcpy(result.what, conf->what);
	autologger_at(conf, conf->start_line);
	good = !conf->status && start_with_file(fd, conf, &result) && enable_all(fd, conf, &result);
	cli_begin("autologger");
	good &= autologger_write_result(conf->name, &result);
	autologger_result_free(&result);
	return good;
}
