/* SPDX-License-Identifier: MIT */
/*
 * session.c - find sessions, show them
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "cli/print/clock.h"
#include "session.h"
#include "text.h"
#include "device/kdev.h"

#define FLUSH_SECONDS_MAX	86400

static void want_name(struct session *session)
{
	session->s.name_out = (uintptr_t)session->name;
	session->s.name_cap = ETW_NAME_MAX;
	etw_log_status_init(&session->log);
	session->s.log = (uintptr_t)&session->log.log;
}

/* The kernel writes no NUL; a name may have been cut to the room there is. */
static void end_name(struct session *session)
{
	uint32_t len = session->s.name_out_len;

	session->name[len < ETW_NAME_MAX ? len : ETW_NAME_MAX] = '\0';
	etw_log_status_done(&session->log);
}

/**
 * session_do() - issue a command on a session named by the user
 * @fd: the device
 * @command: what to do
 * @name: its name
 * @session: in: what the command reads; out: the session's state after it
 *
 * Return: 0 or a negative errno.
 */
int session_do(int fd, session_command command, const char *name,
	       struct session *session)
{
	int err;

	want_name(session);
	etw_kdev_name_session(&session->s, name);
	err = command(fd, &session->s);
	if (!err)
		end_name(session);
	return err;
}

int session_by_handle(int fd, uint64_t handle, struct session *session)
{
	int err;

	memset(session, 0, sizeof(*session));
	session->s.handle = handle;
	want_name(session);
	err = etw_kdev_session_query(fd, &session->s);
	if (!err)
		end_name(session);
	return err;
}

/**
 * session_list() - all running sessions
 * @fd: the device
 * @list: set to an array to free()
 * @count: set to its length
 *
 * A session that stops meanwhile is left out.
 */
int session_list(int fd, struct session **list, unsigned int *count)
{
	uint64_t handles[ETW_SESSIONS_MAX];
	struct etw_session_enum all = {
		.handles = (uintptr_t)handles,
		.capacity = ETW_SESSIONS_MAX,
	};
	uint32_t found, i;
	int err;

	err = etw_kdev_session_enum(fd, &all);
	if (err)
		return err;
	found = all.count < ETW_SESSIONS_MAX ? all.count : ETW_SESSIONS_MAX;
	*list = calloc(found + 1, sizeof(**list));
	if (!*list)
		return -ENOMEM;
	*count = 0;
	for (i = 0; i < found; i++) {
		if (!session_by_handle(fd, handles[i], &(*list)[*count]))
			(*count)++;
	}
	return 0;
}

/*
 * Say why a command on a session failed, or that it takes some right.  Returns
 * the exit status.
 */
int session_fail(const char *name, int err, const char *takes)
{
	switch (-err) {
	case ENOENT:
		return cli_fail("no session %s", cli_quote(name));
	case EEXIST:
		return cli_fail("session %s already exists", cli_quote(name));
	default:
		return cli_fail("session %s: %s", cli_quote(name), cli_denied(-err, takes));
	}
}

int session_too_large(const char *name)
{
	return cli_fail("session %s: its buffers would take more than 1/8 of memory or be more than %u",
			cli_quote(name), ETW_BUFFERS_MAX);
}

/* A flush timer, in seconds with decimals, as milliseconds. */
uint32_t session_flush_ms(const char *option, const char *text)
{
	return cli_millis(option, text, 1000, FLUSH_SECONDS_MAX);
}

const char *session_mode(const struct session *session)
{
	if (session->s.mode & ETW_MODE_BUFFERING)
		return "buffering";
	return session->s.mode & ETW_MODE_REAL_TIME ? "real-time" : "file";
}

/* What the numbers of its messages count, or "". */
static const char *session_sequence(const struct session *session)
{
	if (session->s.mode & ETW_MODE_LOCAL_SEQUENCE)
		return "local";
	return session->s.mode & ETW_MODE_GLOBAL_SEQUENCE ? "global" : "";
}

void session_print(const struct session *session)
{
	const struct etw_session *s = &session->s;
	struct etw_text t = { 0 };
	char guid[GUID_TEXT_SIZE];

	text_escape(&t, session->name, strlen(session->name));
	printf("session      %s\n", t.data);
	printf("id           %u\n", s->logger_id);
	printf("guid         %s\n", guid_text(&s->guid, guid));
	printf("mode         %s%s%s%s%s\n", session_mode(session),
	       s->mode & ETW_MODE_INDEPENDENT ? ", independent" : "",
	       s->mode & ETW_MODE_SECURE ? ", secure" : "",
	       s->mode & ETW_MODE_NO_PER_PROCESSOR ? ", one buffer for all CPUs" : "",
	       *session_sequence(session) ? ", numbered messages" : "");
	printf("buffers      %u of %u KB, %u free (minimum %u, maximum %u)\n",
	       s->buffers, s->buffer_kb, s->free_buffers, s->min_buffers,
	       s->max_buffers);
	if (s->flush_ms)
		printf("flush timer  %u.%03u s\n", s->flush_ms / 1000,
		       s->flush_ms % 1000);
	else
		printf("flush timer  off\n");
	printf("clock        %s, %" PRIu64 " ticks per second\n",
	       clock_name(s->clock), (uint64_t)s->clock_freq);
	t.len = 0;
	clock_local(&t, (int64_t)s->start_wall);
	printf("started      %s\n", t.data);
	printf("delivered    %u buffer%s\n", s->buffers_written, cli_s(s->buffers_written));
	printf("lost         %u event%s when written, %u buffer%s by slow readers\n",
	       s->events_lost, cli_s(s->events_lost), s->rt_buffers_lost,
	       cli_s(s->rt_buffers_lost));
	session_print_log(session);
	etw_text_free(&t);
}

struct json *session_json(const struct session *session)
{
	const struct etw_session *s = &session->s;
	struct json *o = json_new();

	json_string(o, "session", session->name, strlen(session->name));
	json_unsigned(o, "id", s->logger_id);
	json_guid(o, "guid", &s->guid);
	json_word(o, "mode", session_mode(session));
	json_flag(o, "independent", s->mode & ETW_MODE_INDEPENDENT);
	json_flag(o, "secure", s->mode & ETW_MODE_SECURE);
	json_flag(o, "per_cpu", !(s->mode & ETW_MODE_NO_PER_PROCESSOR));
	if (*session_sequence(session))
		json_word(o, "sequence", session_sequence(session));
	json_unsigned(o, "buffer_kb", s->buffer_kb);
	json_unsigned(o, "min_buffers", s->min_buffers);
	json_unsigned(o, "max_buffers", s->max_buffers);
	json_unsigned(o, "buffers", s->buffers);
	json_unsigned(o, "free_buffers", s->free_buffers);
	json_unsigned(o, "flush_ms", s->flush_ms);
	json_word(o, "clock", clock_name(s->clock));
	json_unsigned(o, "clock_freq", s->clock_freq);
	json_time(o, "started", (int64_t)s->start_wall);
	json_unsigned(o, "buffers_delivered", s->buffers_written);
	json_unsigned(o, "events_lost", s->events_lost);
	json_unsigned(o, "rt_buffers_lost", s->rt_buffers_lost);
	session_json_log(o, session);
	return o;
}

/**
 * session_main() - a subcommand that does one thing to one named session
 * @syntax: its operand is the name, --json its one option
 * @command: what to do
 * @argc: of the subcommand
 * @argv: of the subcommand
 * @takes: the right that it takes
 * @show: prints the session after it; NULL: nothing is printed without --json
 *
 * Return: exit status.
 */
int session_main(const struct cli_syntax *syntax, session_command command,
		 int argc, char **argv, const char *takes,
		 void (*show)(const struct session *session))
{
	static struct session session;
	const char *name;
	bool json = false;
	int fd, err;

	while (cli_next(syntax, argc, argv) != -1)
		json = true;
	name = cli_name("SESSION", cli_operands(syntax, argc, argv)[0]);
	fd = device_open();
	if (fd < 0)
		return 1;
	err = session_do(fd, command, name, &session);
	etw_kdev_close(fd);
	if (err)
		return session_fail(name, err, takes);
	if (json)
		json_print(session_json(&session));
	else if (show)
		show(&session);
	return 0;
}
