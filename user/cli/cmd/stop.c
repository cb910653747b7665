/* SPDX-License-Identifier: MIT */
/*
 * stop.c - etw stop: stop a session
 */
#include <stdio.h>
#include "cli/cli.h"
#include "cli/session.h"
#include "device/kdev.h"

static void show_totals(const struct session *session)
{
	const struct etw_session *s = &session->s;

	if (session->log.log.name_len && !(s->mode & ETW_MODE_REAL_TIME)) {
		printf("session %s stopped: %u event%s lost when written\n",
		       cli_quote(session->name), s->events_lost, cli_s(s->events_lost));
		session_print_file(session);
		return;
	}
	printf("session %s stopped: %u buffer%s delivered, %u event%s lost when written, %u buffer%s lost by slow readers\n",
	       cli_quote(session->name), s->buffers_written, cli_s(s->buffers_written),
	       s->events_lost, cli_s(s->events_lost), s->rt_buffers_lost,
	       cli_s(s->rt_buffers_lost));
	session_print_file(session);
}

int cmd_stop(int argc, char **argv)
{
	static const struct cli_option options[] = {
		CLI_OPTION_JSON, CLI_OPTION_END
	};
	static const struct cli_syntax syntax = {
		.what = "Stop a session and print its totals.  Its providers are disabled for\n"
			"it; readers still get what was written before.",
		.operands = { "SESSION" },
		.options = options,
		.example = "etw stop demo",
	};

	return session_main(&syntax, etw_kdev_session_stop, argc, argv,
			    TAKES_CONTROL, show_totals);
}
