/* SPDX-License-Identifier: MIT */
/*
 * session.c - find sessions, show them
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/suggest.h"
#include "cli.h"
#include "cli/print/clock.h"
#include "session.h"
#include "text.h"
#include "device/kdev.h"

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

int session_open(const char *name, struct session *session)
{
	int fd = device_open(), err;

	if (fd < 0)
		return -1;
	err = session_do(fd, etw_kdev_session_query, name, session);
	if (!err)
		return fd;
	etw_kdev_close(fd);
	session_fail(name, err, TAKES_QUERY);
	return -1;
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

int session_missing(const char *name)
{
	struct session *list;
	struct suggest near;
	unsigned int count, i;
	int fd = etw_kdev_open();

	suggest_begin(&near, name);
	if (fd >= 0 && !session_list(fd, &list, &count)) {
		for (i = 0; i < count; i++)
			suggest_try(&near, list[i].name);
		free(list);
	}
	etw_kdev_close(fd);
	return cli_fail("no session %s%s", cli_quote(name), cli_suggested(&near, ""));
}

/*
 * Say why a command on a session failed, or that it takes some right.  Returns
 * the exit status.
 */
int session_fail(const char *name, int err, const char *takes)
{
	switch (-err) {
	case ENOENT:
		return session_missing(name);
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

const char *session_mode(const struct session *session)
{
	if (session->s.mode & ETW_MODE_BUFFERING)
		return "buffering";
	return session->s.mode & ETW_MODE_REAL_TIME ? "real-time" : "file";
}

/* Report EINVAL, and whether its cause is that the session only writes a file. */
static int no_readers(int fd, const char *name)
{
	static struct session session;

	if (session_do(fd, etw_kdev_session_query, name, &session) ||
	    session.s.mode & ETW_MODE_REAL_TIME || !session.log.log.name_len)
		return cli_fail("session %s: %s", cli_quote(name), cli_reason(EINVAL));
	return cli_fail("session %s has no readers, it writes a file: dump %s, or start it with --real-time",
			cli_quote(name), cli_quote(session.log.name));
}

int session_read_fail(int fd, const char *name, int err)
{
	switch (-err) {
	case EINVAL:
		return no_readers(fd, name);
	case ENOENT:
		return session_missing(name);
	case ENOSPC:
		return cli_fail("session %s has %d readers already",
				cli_quote(name), ETW_CONSUMERS_MAX);
	default:
		return cli_fail("session %s: %s", cli_quote(name),
				cli_denied(-err, TAKES_CONSUME));
	}
}

/* What the numbers of its messages count, or "". */
static const char *session_sequence(const struct session *session)
{
	if (session->s.mode & ETW_MODE_LOCAL_SEQUENCE)
		return "local";
	return session->s.mode & ETW_MODE_GLOBAL_SEQUENCE ? "global" : "";
}

/* --------------------------------------------------------------------- log file */

static const char *log_kind(const struct session *session)
{
	uint32_t mode = session->s.mode;

	if (mode & ETW_MODE_CIRCULAR)
		return "circular";
	if (mode & ETW_MODE_NEWFILE)
		return "new-files";
	if (mode & ETW_MODE_BUFFERING)
		return "snapshots";
	return mode & ETW_MODE_APPEND ? "append" : "sequential";
}

/*
 * A session whose file was ended is a real-time one without a mode of files, and still
 * reports that file.  So is one that was started in real-time mode with a file in the default
 * mode.  For both it is the last file; its kind and the unit of its limit are unknown.
 */
static bool may_be_over(const struct session *session)
{
	return session->s.mode & ETW_MODE_REAL_TIME && !(session->s.mode & ETW_MODE_FILE);
}

static bool has_log(const struct session *session)
{
	return session->log.log.name_len || session->s.mode & ETW_MODE_DELAY_OPEN;
}

static void print_log(const struct session *session)
{
	const struct etw_session_log *log = &session->log.log;
	struct etw_text t = { 0 };

	etw_text_escape(&t, session->log.name, log->name_len);
	if (may_be_over(session))
		printf("last file    %s", text_data(&t));
	else
		printf("file         %s, %s%s", log->name_len ? text_data(&t) : "(not begun)",
		       log_kind(session),
		       session->s.mode & ETW_MODE_PREALLOCATE ? ", preallocated" : "");
	if (log->max_size && !may_be_over(session))
		printf(", at most %u %s", log->max_size,
		       session->s.mode & ETW_MODE_KBYTES ? "KB" : "MB");
	printf("\nin the file  %u buffer%s, %" PRIu64 " bytes; %" PRIu64 " buffer%s (%" PRIu64
	       " event%s) lost%s\n", log->buffers, cli_s(log->buffers), (uint64_t)log->bytes,
	       (uint64_t)log->buffers_lost, cli_s(log->buffers_lost),
	       (uint64_t)log->events_lost, cli_s(log->events_lost),
	       log->full ? ": it is full" : "");
	if (log->error)
		printf("last error   %s\n", strerror((int)log->error));
	if (log->former_error)
		printf("earlier file %s\n", strerror((int)log->former_error));
	etw_text_free(&t);
}

void session_print_file(const struct session *session)
{
	const struct etw_session_log *log = &session->log.log;

	if (!log->name_len)
		return;
	printf("file %s: %u buffer%s, %" PRIu64 " bytes; %" PRIu64 " buffer%s (%" PRIu64
	       " event%s) lost%s%s\n", cli_quote(session->log.name), log->buffers,
	       cli_s(log->buffers), (uint64_t)log->bytes, (uint64_t)log->buffers_lost,
	       cli_s(log->buffers_lost), (uint64_t)log->events_lost, cli_s(log->events_lost),
	       log->full || (log->buffers_lost && log->error) ? ": " : "",
	       log->full ? "it is full" :
	       log->buffers_lost && log->error ? strerror((int)log->error) : "");
}

bool session_file_failed(const struct session *session)
{
	return session->log.log.error || session->log.log.former_error;
}

int session_file_error(const struct session *session)
{
	const struct etw_session_log *log = &session->log.log;
	int former = (int)log->former_error, error = (int)log->error;

	if (former)
		cli_fail("session %s: an earlier file is incomplete: %s",
			 cli_quote(session->name), strerror(former));
	if (error)
		cli_fail("%s: the file is incomplete: %s", cli_quote(session->log.name),
			 error == ENOENT ? "it was deleted while it was written" : strerror(error));
	return former || error;
}

static void json_log(struct etw_text *to, const struct session *session)
{
	const struct etw_session_log *log = &session->log.log;
	const unsigned int unit = session->s.mode & ETW_MODE_KBYTES ? 10 : 20;

	json_writer_open(to, "file", '{');
	json_writer_string(to, "name", session->log.name, log->name_len);
	json_writer_word(to, "kind", may_be_over(session) ? NULL : log_kind(session));
	json_writer_flag(to, "preallocated", session->s.mode & ETW_MODE_PREALLOCATE);
	if (may_be_over(session))
		json_writer_word(to, "max_bytes", NULL);
	else
		json_writer_unsigned(to, "max_bytes", (uint64_t)log->max_size << unit);
	json_writer_unsigned(to, "buffers", log->buffers);
	json_writer_unsigned(to, "bytes", log->bytes);
	json_writer_unsigned(to, "buffers_lost", log->buffers_lost);
	json_writer_unsigned(to, "events_lost", log->events_lost);
	json_writer_flag(to, "full", log->full);
	json_writer_word(to, "error", log->error ? strerror((int)log->error) : NULL);
	json_writer_word(to, "former_error",
			 log->former_error ? strerror((int)log->former_error) : NULL);
	json_writer_close(to, '}');
}

/* ---------------------------------------------------------------------- session */

void session_print(const struct session *session)
{
	const struct etw_session *s = &session->s;
	struct etw_text t = { 0 };
	char guid[GUID_TEXT_SIZE];

	etw_text_escape(&t, session->name, strlen(session->name));
	printf("session      %s\n", text_data(&t));
	printf("id           %u\n", s->logger_id);
	printf("guid         %s\n", guid_text(&s->guid, guid));
	printf("mode         %s%s%s%s%s%s\n", session_mode(session),
	       s->mode & ETW_MODE_INDEPENDENT ? ", independent" : "",
	       s->mode & ETW_MODE_SECURE ? ", secure" : "",
	       s->mode & ETW_MODE_SYSTEM ? ", of the system" : "",
	       s->mode & ETW_MODE_NO_PER_PROCESSOR ? ", one buffer for all CPUs" : "",
	       *session_sequence(session) ? ", numbered messages" : "");
	printf("buffers      %u of %u KB, %u free (minimum %u, maximum %u)\n",
	       s->buffers, s->buffer_kb, s->free_buffers, s->min_buffers,
	       s->max_buffers);
	if (s->reserve_buffers)
		printf("reserve      %u buffers for others than a flooding program\n",
		       s->reserve_buffers);
	if (s->user_budget_kb)
		printf("user budget  %u KB per second\n", s->user_budget_kb);
	if (s->flush_ms)
		printf("flush timer  %u.%03u s\n", s->flush_ms / 1000,
		       s->flush_ms % 1000);
	else
		printf("flush timer  off\n");
	printf("clock        %s, %" PRIu64 " ticks per second\n",
	       clock_name(s->clock), (uint64_t)s->clock_freq);
	t.len = 0;
	clock_local(&t, (int64_t)s->start_wall);
	printf("started      %s\n", text_data(&t));
	printf("delivered    %u buffer%s\n", s->buffers_written, cli_s(s->buffers_written));
	printf("lost         %u event%s when written, %u buffer%s by slow readers\n",
	       s->events_lost, cli_s(s->events_lost), s->rt_buffers_lost,
	       cli_s(s->rt_buffers_lost));
	if (has_log(session))
		print_log(session);
	etw_text_free(&t);
}

void session_json(struct etw_text *to, const struct session *session)
{
	const struct etw_session *s = &session->s;

	json_writer_word(to, "session", session->name);
	json_writer_unsigned(to, "id", s->logger_id);
	json_writer_guid(to, "guid", &s->guid);
	json_writer_word(to, "mode", session_mode(session));
	json_writer_flag(to, "independent", s->mode & ETW_MODE_INDEPENDENT);
	json_writer_flag(to, "secure", s->mode & ETW_MODE_SECURE);
	json_writer_flag(to, "system", s->mode & ETW_MODE_SYSTEM);
	json_writer_flag(to, "per_cpu", !(s->mode & ETW_MODE_NO_PER_PROCESSOR));
	if (*session_sequence(session))
		json_writer_word(to, "sequence", session_sequence(session));
	json_writer_unsigned(to, "buffer_kb", s->buffer_kb);
	json_writer_unsigned(to, "min_buffers", s->min_buffers);
	json_writer_unsigned(to, "max_buffers", s->max_buffers);
	json_writer_unsigned(to, "buffers", s->buffers);
	json_writer_unsigned(to, "free_buffers", s->free_buffers);
	json_writer_unsigned(to, "reserve_buffers", s->reserve_buffers);
	json_writer_unsigned(to, "user_budget_kb", s->user_budget_kb);
	json_writer_unsigned(to, "flush_ms", s->flush_ms);
	json_writer_word(to, "clock", clock_name(s->clock));
	json_writer_unsigned(to, "clock_freq", s->clock_freq);
	json_writer_time(to, "started", (int64_t)s->start_wall);
	json_writer_unsigned(to, "buffers_delivered", s->buffers_written);
	json_writer_unsigned(to, "events_lost", s->events_lost);
	json_writer_unsigned(to, "rt_buffers_lost", s->rt_buffers_lost);
	json_writer_unsigned(to, "discarded_buffers", s->discarded_buffers);
	json_writer_unsigned(to, "discarded_events", s->discarded_events);
	if (has_log(session))
		json_log(to, session);
}

void session_show(const struct session *session, bool json)
{
	struct etw_text line = { 0 };

	if (!json) {
		session_print(session);
		return;
	}
	json_writer_open(&line, NULL, '{');
	session_json(&line, session);
	json_print(&line);
}
