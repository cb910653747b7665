/* SPDX-License-Identifier: MIT */
/*
 * session_log.c - show the log file of a session
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "session.h"
#include "text.h"

static const char *kind(const struct session *session)
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
 * A session whose file was ended is a real-time one with no mode of files left, and still
 * tells of that file.  So is one that was started so, with a file in the default mode:
 * of both it is the last file, and neither its kind nor the unit of its limit is known.
 */
static bool may_be_over(const struct session *session)
{
	return session->s.mode & ETW_MODE_REAL_TIME && !(session->s.mode & ETW_MODE_FILE);
}

static bool has_log(const struct session *session)
{
	return session->log.log.name_len || session->s.mode & ETW_MODE_DELAY_OPEN;
}

void session_print_log(const struct session *session)
{
	const struct etw_session_log *log = &session->log.log;
	struct etw_text t = { 0 };

	if (!has_log(session))
		return;
	text_escape(&t, session->log.name, log->name_len);
	if (may_be_over(session))
		printf("last file    %s", t.data);
	else
		printf("file         %s, %s%s", log->name_len ? t.data : "(not begun)",
		       kind(session),
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

void session_json_log(struct json *to, const struct session *session)
{
	const struct etw_session_log *log = &session->log.log;
	struct json *o;

	if (!has_log(session))
		return;
	o = json_new();
	json_string(o, "name", session->log.name, log->name_len);
	json_word(o, "kind", may_be_over(session) ? NULL : kind(session));
	json_flag(o, "preallocated", session->s.mode & ETW_MODE_PREALLOCATE);
	if (may_be_over(session))
		json_word(o, "max_bytes", NULL);
	else
		json_unsigned(o, "max_bytes", (uint64_t)log->max_size <<
			      (session->s.mode & ETW_MODE_KBYTES ? 10 : 20));
	json_unsigned(o, "buffers", log->buffers);
	json_unsigned(o, "bytes", log->bytes);
	json_unsigned(o, "buffers_lost", log->buffers_lost);
	json_unsigned(o, "events_lost", log->events_lost);
	json_flag(o, "full", log->full);
	json_word(o, "error", log->error ? strerror((int)log->error) : NULL);
	json_put(to, "file", o);
}
