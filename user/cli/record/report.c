/* SPDX-License-Identifier: MIT */
/*
 * report.c - what etw record says: how it goes, what it got, what was lost
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "record.h"
#include "cli/text.h"

#define CLEAR_LINE	"\r\033[K"

static uint64_t events_dropped(const struct sample *s)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++)
		sum += s->stat.dropped[i];
	return sum;
}

/* 999 bytes, 1.5 MB, 12.0 GB */
static const char *size_text(uint64_t bytes, char out[32])
{
	static const char *const units[] = { "KB", "MB", "GB", "TB", "PB" };
	double value = (double)bytes / 1024;
	unsigned int i;

	if (bytes < 1024) {
		snprintf(out, 32, "%u bytes", (unsigned int)bytes);
		return out;
	}
	for (i = 0; value >= 1000 && i < sizeof(units) / sizeof(units[0]) - 1; i++)
		value /= 1024;
	snprintf(out, 32, "%.1f %s", value, units[i]);
	return out;
}

/* One line that the next one takes the place of. */
void record_show_progress(const struct record *r, const struct sample *before)
{
	const struct sample *s = &r->last;
	double seconds = record_seconds(before->when, s->when);
	uint64_t lost = events_dropped(s) + s->session.log.log.events_lost;
	char size[32];

	fprintf(stderr, CLEAR_LINE "%.0f s: %" PRIu64 " events, %.0f/s, %s, %" PRIu64 " lost",
		record_seconds(r->begin, s->when), (uint64_t)s->stat.written,
		seconds > 0 ? (double)(s->stat.written - before->stat.written) / seconds : 0,
		size_text(s->session.log.log.bytes, size), lost);
	fflush(stderr);
}

void record_clear_progress(const struct record *r)
{
	if (!r->progress)
		return;
	fputs(CLEAR_LINE, stderr);
	fflush(stderr);
}

static void tell_drops(const struct sample *s)
{
	uint64_t known = events_dropped(s);
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++)
		if (s->stat.dropped[i])
			cli_note("%" PRIu64 " event%s lost when written: %s",
				 (uint64_t)s->stat.dropped[i], cli_s(s->stat.dropped[i]),
				 loss_causes[i].text);
	if (s->session.s.events_lost > known)
		cli_note("%" PRIu64 " event%s lost when written",
			 s->session.s.events_lost - known,
			 cli_s(s->session.s.events_lost - known));
}

static void tell_file(const struct record *r)
{
	const struct etw_session_log *log = &r->last.session.log.log;

	if (log->buffers_lost)
		cli_note("%" PRIu64 " buffer%s (%" PRIu64 " event%s) lost to the file%s%s",
			 (uint64_t)log->buffers_lost, cli_s(log->buffers_lost),
			 (uint64_t)log->events_lost, cli_s(log->events_lost),
			 log->full || log->error ? ": " : "",
			 log->full ? "it is full" :
			 log->error ? strerror((int)log->error) : "");
	if (r->last.stat.overwritten_events)
		cli_note("%" PRIu64 " event%s overwritten by newer ones, as asked for",
			 (uint64_t)r->last.stat.overwritten_events,
			 cli_s(r->last.stat.overwritten_events));
	if (r->replaced)
		cli_note("the file has the newest events only: %" PRIu64 " other%s overwritten",
			 r->replaced, r->replaced == 1 ? " was" : "s were");
}

/* Events, bytes and files that belong together */
static void tell_sum(const struct record *r)
{
	const struct etw_log_status *log = &r->last.session.log;
	char first[ETW_FILE_NAME_MAX + 1], size[32];
	bool several = r->files > 1 && record_file_number(r->file.path, r->file.first, first);

	cli_note("%s%s%s: %" PRIu64 " %sevent%s, %s%s, in %.3f seconds",
		 several ? cli_quote(first) : "", several ? " to " : "", cli_quote(log->name),
		 r->in_files, r->session.s.mode & ETW_MODE_APPEND ? "more " : "",
		 cli_s(r->in_files), size_text(r->bytes, size), several ? " together" : "",
		 record_seconds(r->begin, r->end));
}

void record_report(const struct record *r, enum record_end end)
{
	const struct session *s = &r->last.session;

	if (end == RECORD_STOPPED)
		cli_note("session %s was stopped by another process: these are its last known figures",
			 cli_quote(r->name));
	if (end == RECORD_FULL)
		cli_note("the file is full");
	if (r->gone)
		cli_fail("%s: is gone: it was removed or renamed while it was recorded into",
			 cli_quote(s->log.name));
	if (r->quiet)
		return;
	if (s->log.log.name_len)
		tell_sum(r);
	else
		cli_note("no events in %.3f seconds, and no file", record_seconds(r->begin, r->end));
	if (r->manifests)
		cli_note("with the manifest%s of %u provider%s", cli_s(r->manifests), r->manifests,
			 cli_s(r->manifests));
	if (r->old.moved[0])
		cli_note("the file of this name is now %s", cli_quote(r->old.moved));
	tell_drops(&r->last);
	tell_file(r);
	if (end != RECORD_STOPPED && !r->last.stat.written && !events_dropped(&r->last) &&
	    !s->s.events_lost)
		record_diagnose(r, end);
}

void record_report_json(const struct record *r, int status)
{
	struct etw_text line = { 0 };

	json_writer_open(&line, NULL, '{');
	session_json(&line, &r->last.session);
	json_writer_unsigned(&line, "written", r->last.stat.written);
	sample_json_lost(&line, &r->last);
	json_writer_unsigned(&line, "overwritten_events", r->last.stat.overwritten_events);
	json_writer_double(&line, "seconds", 3, record_seconds(r->begin, r->end));
	if (r->with_manifests)
		json_writer_unsigned(&line, "manifests", r->manifests);
	json_writer_word(&line, "moved", r->old.moved[0] ? r->old.moved : NULL);
	if (r->command)
		json_writer_unsigned(&line, "exit_status", (uint64_t)status);
	json_print(&line);
}

/* Sessions of recordings whose command was killed: nobody else stops them. */
void record_report_leftovers(int fd)
{
	struct session *list;
	unsigned int count, i;
	int pid, len;

	if (session_list(fd, &list, &count))
		return;
	for (i = 0; i < count; i++) {
		len = 0;
		if (sscanf(list[i].name, "etw-record-%9d%n", &pid, &len) != 1 || pid <= 0 ||
		    list[i].name[len] || !kill(pid, 0) || errno != ESRCH)
			continue;
		cli_note("%s still runs, though its etw record is gone: etw stop %s",
			 list[i].name, list[i].name);
	}
	free(list);
}
