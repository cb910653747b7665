/* SPDX-License-Identifier: MIT */
/*
 * sessions.c - sessions that lose events, their log files, and those that did not start at boot
 */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include "cli/autologger/autologger.h"
#include "cli/cli.h"
#include "cli/sample.h"
#include "cli/text.h"
#include "cli/verify/verify.h"
#include "checks.h"
#include "report.h"

#define PERCENT_FULL	90	/* of its largest size, from which a file is near it */
#define LEAST_FREE	(UINT64_C(64) << 20)	/* bytes of a disk that is not near full */

/* ------------------------------------------------------------------- losses */

static void add_loss(struct etw_text *to, const struct verify_loss *loss)
{
	char text[96];

	etw_text_puts(to, to->len ? "; " : "");
	if (loss->events)
		snprintf(text, sizeof(text), "%" PRIu64 " event%s ", loss->events, cli_s(loss->events));
	else
		snprintf(text, sizeof(text), "%" PRIu64 " buffer%s ", loss->buffers, cli_s(loss->buffers));
	if (loss->events || loss->buffers)
		etw_text_puts(to, text);
	etw_text_puts(to, loss->text);
	if (loss->pid) {
		snprintf(text, sizeof(text), " (process %u)", loss->pid);
		etw_text_puts(to, text);
	}
}

/* More buffers help against bursts and slow readers; most other causes are not for the session. */
static const char *loss_fix(const struct sample *sample, const struct verify_losses *losses)
{
	const struct etw_session *s = &sample->session.s;
	const char *name = doctor_word(sample->session.name);
	const uint64_t buffers = UINT64_C(2) * s->max_buffers;
	const uint64_t budget = UINT64_C(2) * s->user_budget_kb;
	bool few = etw_stat_dropped(&sample->stat, ETW_DROP_NO_BUFFER) ||
		   etw_stat_dropped(&sample->stat, ETW_DROP_FAIR_SHARE);
	uint32_t i;

	for (i = 0; i < losses->count; i++)
		few |= losses->list[i].pid != 0;
	if (few && buffers <= ETW_BUFFERS_MAX)
		return doctor_fix("sudo etw update %s --max-buffers %" PRIu64, name, buffers);
	if (etw_stat_dropped(&sample->stat, ETW_DROP_BUDGET) && budget && budget < ETW_BUDGET_NONE)
		return doctor_fix("sudo etw update %s --user-budget %" PRIu64, name, budget);
	return doctor_fix("sudo etw verify %s", name);
}

/* What no command fixes while the session runs */
static void add_advice(struct etw_text *to, const struct sample *sample)
{
	char text[96];

	if (!sample->stat.dropped[ETW_DROP_BUFFER_SIZE])
		return;
	snprintf(text, sizeof(text), "; start it anew with --buffer-size %u for larger events",
		 4 * sample->session.s.buffer_kb);
	etw_text_puts(to, text);
}

/* Returns whether something was reported. */
static bool check_losses(const struct sample *sample)
{
	struct verify_losses losses;
	struct etw_text text = { 0 };
	unsigned int i;

	verify_session(&sample->session, &sample->stat, &losses);
	/* A session without a reader keeps the last events for the first one. */
	for (i = 0; i < losses.count; i++)
		if (strcmp(losses.list[i].key, "no_reader"))
			add_loss(&text, &losses.list[i]);
	if (text.len)
		add_advice(&text, sample);
	if (text.len)
		doctor_warn("sessions", loss_fix(sample, &losses), "%s has lost: %s",
			    cli_quote(sample->session.name), text_data(&text));
	i = text.len;
	etw_text_free(&text);
	return i;
}

static bool check_readers(const struct sample *sample)
{
	const uint32_t most = sample->session.s.max_buffers / 2;
	bool found = false;
	unsigned int i;

	for (i = 0; i < sample->reader_count; i++) {
		const struct etw_consumer_info *reader = &sample->readers[i];

		/* Process 0 is the thread that writes the log file. */
		if (reader->backlog <= most || sample->session.s.mode & ETW_MODE_BUFFERING)
			continue;
		found = true;
		if (reader->pid)
			doctor_warn("sessions", doctor_fix("sudo etw stat %s", doctor_word(sample->session.name)),
				    "%s: process %u is slow to read it: %" PRIu64 " buffers wait",
				    cli_quote(sample->session.name), reader->pid, (uint64_t)reader->backlog);
		else
			doctor_warn("sessions", doctor_fix("sudo etw stat %s", doctor_word(sample->session.name)),
				    "%s: the disk of its log file is slow: %" PRIu64 " buffers wait",
				    cli_quote(sample->session.name), (uint64_t)reader->backlog);
	}
	return found;
}

/* ---------------------------------------------------------------- log files */

/* The bytes that the folder's disk has for this user */
static bool disk_free(const char *path, uint64_t *bytes)
{
	char *copy = cli_strdup(path);
	struct statvfs st;
	bool good = *path == '/' && !statvfs(dirname(copy), &st);

	free(copy);
	if (good)
		*bytes = (uint64_t)st.f_bavail * st.f_frsize;
	return good;
}

static bool check_file(const struct session *session)
{
	const struct etw_session_log *log = &session->log.log;
	const char *name = cli_quote(session->name), *file = cli_quote(session->log.name);
	const unsigned int unit = session->s.mode & ETW_MODE_KBYTES ? 10 : 20;
	uint64_t most = (uint64_t)log->max_size << unit, left;

	/* The mode tells whether there is a file now, and whether it ends at its largest size. */
	if (!log->name_len || !(session->s.mode & ETW_MODE_FILE))
		return false;
	if (log->error)
		doctor_wrong("sessions", doctor_fix("sudo etw query %s", doctor_word(session->name)),
			     "%s: its log file %s is incomplete: %s", name, file, strerror((int)log->error));
	else if (log->full)
		doctor_wrong("sessions", doctor_fix("sudo etw stop %s", doctor_word(session->name)),
			     "%s: its log file %s is full: it records no more", name, file);
	else if (most && !(session->s.mode & (ETW_MODE_CIRCULAR | ETW_MODE_NEWFILE)) &&
		 log->bytes / PERCENT_FULL >= most / 100)
		doctor_warn("sessions", doctor_fix("sudo etw stop %s", doctor_word(session->name)),
			    "%s: its log file %s has %" PRIu64 " of at most %" PRIu64 " bytes", name,
			    file, (uint64_t)log->bytes, most);
	else if (!(session->s.mode & (ETW_MODE_CIRCULAR | ETW_MODE_PREALLOCATE)) &&
		 disk_free(session->log.name, &left) && left < LEAST_FREE)
		doctor_warn("sessions", doctor_fix("df -h %s", doctor_word(session->log.name)),
			    "%s: the disk of its log file %s has %" PRIu64 " MB left", name, file,
			    left >> 20);
	else
		return false;
	return true;
}

void doctor_sessions(const struct doctor *doctor)
{
	unsigned int count = 0, i, found = 0;
	static struct sample sample;
	struct session *list = NULL;
	bool reported;
	int err;

	err = doctor->fd < 0 ? doctor->fd : session_list(doctor->fd, &list, &count);
	if (err) {
		doctor_unknown("sessions", doctor->fd < 0 ? "not known without the device" :
			       "you may not query sessions");
		return;
	}
	for (i = 0; i < count; i++) {
		if (sample_take(doctor->fd, &list[i], &sample))
			continue;
		reported = check_losses(&sample);
		reported |= check_readers(&sample);
		reported |= check_file(&sample.session);
		found += reported;
	}
	if (!found)
		doctor_ok("sessions", count ? "%u session%s; nothing is lost, no file is full" : "none runs", count,
			  cli_s(count));
	free(list);
}

/* --------------------------------------------------------------- autologger */

void doctor_autologger(const struct doctor *doctor)
{
	static struct autologger_result result;
	int count, i, failed = 0, tried = 0;
	char **names;

	(void)doctor;
	count = folder_names(autologger_dir(), ".conf", &names);
	if (count < 0) {
		doctor_unknown("autologger", "%s: %s", autologger_dir(), strerror(-count));
		return;
	}
	for (i = 0; i < count; i++) {
		if (!autologger_read_result(names[i], &result))
			continue;
		tried++;
		if (result.status) {
			failed++;
			doctor_wrong("autologger", doctor_fix("sudo etw autologger check %s",
							       doctor_word(names[i])),
				     "session %s was not started: %s", cli_quote(names[i]),
				     *result.what ? result.what : "see etw autologger list");
		}
		autologger_result_free(&result);
	}
	if (!failed)
		doctor_ok("autologger", "%d session%s configured, %d started since boot", count,
			  cli_s((uint64_t)count), tried);
	folder_names_free(names, count);
}
