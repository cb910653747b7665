/* SPDX-License-Identifier: MIT */
/*
 * live_session.c - a session that exists as long as the command runs, with its providers
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "base/guid.h"
#include "cli/input/log_contents.h"
#include "cli/request/probe_request.h"
#include "cli/request/process_events.h"
#include "cli/screen.h"
#include "device/kdev.h"
#include "live_session.h"

bool live_session_option(struct live_session *live, int option, char *value)
{
	if (option == LIVE_SESSION_OPT_NAME) {
		live->name = cli_name("--session", value);
		return true;
	}
	return enable_list_take(&live->providers, option, value) ||
	       start_option(option, value, &live->session.s, NULL);
}

void live_session_name(struct live_session *live, const char *prefix)
{
	static struct session other;
	struct etw_guid *guid = &live->session.s.guid;
	int len;

	if (etw_guid_is_zero(guid) && getrandom(guid, sizeof(*guid), 0) != sizeof(*guid))
		cli_die("no random numbers: %s", strerror(errno));
	if (live->name)
		return;
	live->name = live->own_name;
	len = snprintf(live->own_name, sizeof(live->own_name), "%s%d", prefix, (int)getpid());
	/* Another PID namespace may have a process of this number that does the same. */
	if (session_do(live->fd, etw_kdev_session_query, live->name, &other) != -ENOENT)
		snprintf(live->own_name + len, sizeof(live->own_name) - (size_t)len, "-%08x",
			 guid->data1);
}

int live_session_begin(struct live_session *live)
{
	int err = session_guard_begin(&live->guard, live->fd, live->name, &live->session.s.guid);

	if (err)
		return cli_fail("no guard for the session: %s", strerror(-err));
	live->session.processes = !live->no_processes;
	if (start_session(live->fd, live->name, &live->session, NULL))
		return 1;
	process_events_begin(live->fd, live->name, &live->session, false);
	return 0;
}

void live_session_quiesce(struct live_session *live)
{
	struct etw_session flushed = { .handle = live->session.s.handle };

	if (live->session.processes)
		process_events_end(live->fd, &live->session);
	enable_list_disable(&live->providers, live->fd, &live->session);
	probe_request_missed(live->fd, live->session.s.handle);
	etw_kdev_session_flush(live->fd, &flushed);
}

void live_session_stop(struct live_session *live)
{
	struct etw_session stopped = { .handle = live->session.s.handle };

	live->stopped = etw_kdev_session_stop(live->fd, &stopped) == -ENOENT;
}

void live_session_end(struct live_session *live)
{
	session_guard_end(&live->guard);
}

void live_session_count(struct live_session *live, const struct etw_event *event)
{
	if (!event_is_about_trace(event))
		provider_counts_event(&live->counts, event);
	provider_counts_claim(&live->counts, event);
}

void live_session_report(const struct live_session *live, bool command_ended, const char *done)
{
	const struct enable_list *list = &live->providers;
	unsigned int i;

	if (live->stopped) {
		cli_note("session %s was stopped by another process", cli_quote(live->name));
		return;
	}
	if (screen_is_unread())
		return;
	for (i = 0; i < list->count; i++)
		if (!provider_counts_of(&live->counts, list, i))
			provider_silent(live->fd, list->list[i], &live->counts, command_ended, done);
	provider_untested(&live->counts, list, "--show");
}

void live_session_free(struct live_session *live)
{
	enable_list_free(&live->providers);
	provider_counts_free(&live->counts);
}

void live_session_end_unread(void)
{
	if (!screen_is_unread())
		return;
	probe_request_end();
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}
