/* SPDX-License-Identifier: MIT */
/*
 * report.c - what etw record prints: progress, what is in the files, what was lost and why
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/cli.h"
#include "cli/input/log_contents.h"
#include "cli/provider_counts.h"
#include "cli/schema.h"
#include "cli/text.h"
#include "core/ledger.h"
#include "recording.h"

#define SHOWN_MAX	8	/* providers */
#define CLEAR_LINE	"\r\033[K"

static double seconds_between(struct timespec from, struct timespec to)
{
	return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static uint64_t events_dropped(const struct sample *s)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++)
		sum += etw_stat_dropped(&s->stat, i);
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

/* Print one line, which the next one replaces. */
void record_show_progress(const struct record *r, const struct sample *before)
{
	const struct sample *s = &r->last;
	double seconds = seconds_between(before->when, s->when);
	uint64_t lost = events_dropped(s) + s->session.log.log.events_lost;
	uint64_t events = s->stat.written - r->rundown;
	char size[32];

	fprintf(stderr, CLEAR_LINE "%.0f s: %" PRIu64 " events, %.0f/s, %s, %" PRIu64 " lost",
		seconds_between(r->begin, s->when), events,
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

/* ---------------------------------------------------------------------- files */

static void count_bytes(struct record *r)
{
	const struct etw_session_log *log = &r->last.session.log.log;
	char path[ETW_FILE_NAME_MAX + 1];
	struct stat st;
	uint32_t number;

	r->bytes = log->bytes;
	if (!(r->session.s.mode & ETW_MODE_NEWFILE))
		return;
	r->bytes = 0;
	for (number = r->file.first; number <= log->number; number++) {
		if (log_file_number(r->file.path, number, path) && !stat(path, &st)) {
			r->bytes += (uint64_t)st.st_size;
			r->files++;
		}
	}
}

static bool is_gone(const char *path)
{
	struct stat st;

	return stat(path, &st) && (errno == ENOENT || errno == ENOTDIR);
}

/*
 * The session counts what was written into its buffers and what was lost on the way to a file;
 * what a circular file overwrote shows in the file only.
 */
static void count_files(struct record *r)
{
	const struct session *s = &r->last.session;
	uint64_t gone = s->log.log.events_lost + r->last.stat.overwritten_events +
			r->last.stat.abandoned_events;

	r->in_files = r->last.stat.written > gone ? r->last.stat.written - gone : 0;
	if (!s->log.log.name_len)
		return;
	/* With --delay-open the file has no buffer until the first event. */
	r->gone = s->log.log.buffers && is_gone(s->log.name);
	if (r->counted) {
		const uint64_t all = r->contents.events + r->contents.names;

		if (r->session.s.mode & ETW_MODE_CIRCULAR && all < r->in_files &&
		    s->log.log.buffers_written > s->log.log.buffers)
			r->replaced = r->in_files - all;
		r->in_files = r->contents.events;
	}
	count_bytes(r);
}

/* ------------------------------------------------------------------ diagnosis */

static const char *provider_name_of(const struct record *r, const struct provider_count *p)
{
	const char *name = enable_list_name(&r->providers, &p->guid);

	return name ? name : schema_provider_name(&p->guid);
}

static const char *name_of(const struct record *r, const struct provider_count *p,
			   char text[GUID_TEXT_SIZE])
{
	const char *name = provider_name_of(r, p);

	return name ? cli_quote(name) : guid_text(&p->guid, text);
}

/* How many events each provider has, if there are several: one has all. */
static void report_providers(const struct record *r)
{
	const struct provider_counts *counts = &r->contents.counts;
	unsigned int shown = 0;
	char text[GUID_TEXT_SIZE];
	uint64_t others = counts->rest.events;
	size_t i;

	if (counts->count < 2 && r->providers.count < 2)
		return;
	for (i = 0; i < counts->count; i++) {
		const struct provider_count *p = &counts->list[i];

		if (p->events && shown++ < SHOWN_MAX)
			cli_note("%" PRIu64 " event%s of %s", p->events, cli_s(p->events),
				 name_of(r, p, text));
		else
			others += p->events;
	}
	if (others)
		cli_note("%" PRIu64 " event%s of %s%u other provider%s", others, cli_s(others),
			 counts->rest.events ? "more than " : "", shown - SHOWN_MAX,
			 cli_s(shown - SHOWN_MAX));
}

/* Each provider without an event: why? */
static void report_silent(const struct record *r, enum record_end end)
{
	unsigned int i, silent = 0;

	for (i = 0; i < r->providers.count; i++)
		if (!provider_counts_of(&r->contents.counts, &r->providers, i) &&
		    silent++ < SHOWN_MAX)
			provider_silent(r->fd, r->providers.list[i], &r->contents.counts,
					end == RECORD_COMMAND, "recorded");
	if (silent > SHOWN_MAX)
		cli_note("%u other provider%s no event either", silent - SHOWN_MAX,
			 silent - SHOWN_MAX == 1 ? " has" : "s have");
}

/* --------------------------------------------------------------------- summary */

static void report_drops(const struct sample *s)
{
	uint64_t abandoned = s->stat.abandoned_events + s->stat.abandoned_buffers;
	uint64_t known = events_dropped(s) + abandoned;
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++)
		sample_report_lost("", etw_stat_dropped(&s->stat, i), etw_loss_text(i));
	sample_report_lost("", abandoned, "a writer died");
	if (s->session.s.events_lost > known)
		sample_report_lost("", s->session.s.events_lost - known, NULL);
}

static void report_file(const struct record *r)
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
		cli_note("%" PRIu64 " event%s overwritten by newer ones",
			 (uint64_t)r->last.stat.overwritten_events,
			 cli_s(r->last.stat.overwritten_events));
	if (r->replaced)
		cli_note("the file has the newest events only: %" PRIu64 " other%s overwritten",
			 r->replaced, r->replaced == 1 ? " was" : "s were");
}

/* Events, bytes and files that belong together */
static void report_sum(const struct record *r)
{
	const struct etw_log_status *log = &r->last.session.log;
	char first[ETW_FILE_NAME_MAX + 1], size[32];
	bool several = r->files > 1 && log_file_number(r->file.path, r->file.first, first);

	cli_note("%s%s%s: %" PRIu64 " %sevent%s, %s%s, in %.3f seconds%s",
		 several ? cli_quote(first) : "", several ? " to " : "", cli_quote(log->name),
		 r->in_files, r->session.s.mode & ETW_MODE_APPEND ? "more " : "",
		 cli_s(r->in_files), size_text(r->bytes, size), several ? " together" : "",
		 seconds_between(r->begin, r->end), log_contents_besides(r->contents.names));
}

void record_report(struct record *r, enum record_end end)
{
	const struct session *s = &r->last.session;

	count_files(r);
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
		report_sum(r);
	else
		cli_note("no events in %.3f seconds, and no file", seconds_between(r->begin, r->end));
	if (r->manifests)
		cli_note("with the manifest%s of %u provider%s", cli_s(r->manifests), r->manifests,
			 cli_s(r->manifests));
	older_log_note(&r->file);
	report_drops(&r->last);
	report_file(r);
	if (r->counted) {
		report_providers(r);
		provider_untested(&r->contents.counts, &r->providers, "etw dump --filter");
	}
	if (r->counted && end != RECORD_STOPPED)
		report_silent(r, end);
}

static void put_providers(struct etw_text *to, const struct record *r)
{
	const struct provider_counts *counts = &r->contents.counts;
	size_t i;

	json_writer_open(to, "providers", '[');
	for (i = 0; i < counts->count; i++) {
		json_writer_open(to, NULL, '{');
		json_writer_guid(to, "provider", &counts->list[i].guid);
		json_writer_word(to, "provider_name", schema_provider_name(&counts->list[i].guid));
		json_writer_unsigned(to, "events", counts->list[i].events);
		json_writer_close(to, '}');
	}
	if (counts->rest.events) {
		json_writer_open(to, NULL, '{');
		json_writer_word(to, "provider", NULL);
		json_writer_word(to, "provider_name", NULL);
		json_writer_unsigned(to, "events", counts->rest.events);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
}

void record_report_json(const struct record *r, int status)
{
	struct etw_text line = { 0 };

	json_writer_open(&line, NULL, '{');
	session_json(&line, &r->last.session);
	json_writer_unsigned(&line, "written", r->last.stat.written);
	sample_json_lost(&line, &r->last.stat);
	json_writer_unsigned(&line, "overwritten_events", r->last.stat.overwritten_events);
	json_writer_double(&line, "seconds", 3, seconds_between(r->begin, r->end));
	if (r->with_manifests)
		json_writer_unsigned(&line, "manifests", r->manifests);
	json_writer_word(&line, "moved", older_log_kept(&r->file));
	if (r->counted)
		put_providers(&line, r);
	if (r->counted)
		json_writer_unsigned(&line, "process_events", r->contents.names);
	if (r->command.argv)
		json_writer_unsigned(&line, "exit_status", (uint64_t)status);
	json_print(&line);
}
