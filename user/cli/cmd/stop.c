/* SPDX-License-Identifier: MIT */
/*
 * stop.c - etw stop: stop a session
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/machine/append.h"
#include "cli/machine/session.h"
#include "cli/request/probe_missed.h"
#include "cli/request/process_events.h"
#include "cli/session.h"
#include "cli/verify/verify.h"
#include "device/kdev.h"

static void show_totals(const struct session *session)
{
	const struct etw_session *s = &session->s;

	if (session->log.log.name_len && !(s->mode & ETW_MODE_REAL_TIME))
		printf("session %s stopped: %u event%s lost when written\n",
		       cli_quote(session->name), s->events_lost, cli_s(s->events_lost));
	else
		printf("session %s stopped: %u buffer%s delivered, %u event%s lost when written, %u buffer%s lost by slow readers\n",
		       cli_quote(session->name), s->buffers_written, cli_s(s->buffers_written),
		       s->events_lost, cli_s(s->events_lost), s->rt_buffers_lost,
		       cli_s(s->rt_buffers_lost));
	if (s->discarded_buffers)
		printf("%" PRIu64 " event%s in %" PRIu64 " buffer%s that nobody read %s discarded\n",
		       (uint64_t)s->discarded_events, cli_s(s->discarded_events),
		       (uint64_t)s->discarded_buffers, cli_s(s->discarded_buffers),
		       s->discarded_events == 1 ? "was" : "were");
	session_print_file(session);
}

static bool json, strict;

static const struct cli_option options[] = {
	CLI_OPTION_JSON(json),
	CLI_OPTION_STRICT(strict),
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Stop a session and print its totals.  Its providers are disabled for\n"
		"it; readers still get what was written before.",
	.operands = { "SESSION" },
	.options = options,
	.example = "etw stop demo",
};

/* Stop the session; *stat: its counters shortly before.  Returns the exit status. */
static int stop(const char *name, struct session *session, struct sample *before)
{
	int fd = device_open(), err;
	uint64_t handle = 0;

	if (fd < 0)
		return 1;
	process_events_refresh(fd, name, false);
	err = session_do(fd, etw_kdev_session_query, name, session);
	if (!err) {
		handle = session->s.handle;
		probe_missed_record(fd, handle);
		machine_write(name, session, false);
		sample_take(fd, session, before);
	}
	memset(session, 0, sizeof(*session));
	err = session_do(fd, etw_kdev_session_stop, name, session);
	probe_missed_end(fd, handle);
	etw_kdev_close(fd);
	if (err)
		return session_fail(name, err, TAKES_CONTROL);
	machine_describe_log(session);
	return 0;
}

int cmd_stop(int argc, char **argv)
{
	static struct session session;
	static struct sample before;
	const char *name = cli_name("SESSION", cli_parse(&syntax, argc, argv)[0]);
	struct verify_losses losses;
	int status = stop(name, &session, &before);

	if (status)
		return status;
	if (json)
		session_show(&session, true);
	else
		show_totals(&session);
	verify_session(&session, &before.stat, &losses);
	if (session_file_error(&session))
		return 1;
	return strict && losses.count ? VERIFY_EXIT_LOST : 0;
}
