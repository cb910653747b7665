/* SPDX-License-Identifier: MIT */
/*
 * session.c - what a session has lost, by its counters
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/request/probe_missed.h"
#include "core/ledger.h"
#include "device/kdev.h"
#include "verify.h"

/* Add a loss; nothing was lost if both counts are 0. */
static void add(struct verify_losses *losses, const char *key, const char *text, uint64_t events,
		uint64_t buffers)
{
	if (events || buffers)
		losses->list[losses->count++] = (struct verify_loss){
			.key = key, .text = text, .events = events, .buffers = buffers,
		};
}

/* Add an error of the log file, an errno or 0; its extent is not known. */
static void add_error(struct verify_losses *losses, const char *key, const char *text,
		      uint32_t error)
{
	if (error)
		losses->list[losses->count++] = (struct verify_loss){
			.key = key, .text = text, .error = (int)error,
		};
}

static void add_drops(struct verify_losses *losses, const struct session *session,
		      const struct etw_session_stat *stat)
{
	uint64_t known = 0;
	uint32_t before;
	int i;

	for (i = 0; stat && i < ETW_DROP_CAUSES; i++) {
		known += etw_stat_dropped(stat, i);
		before = losses->count;
		add(losses, etw_loss_cause(i), etw_loss_text(i), etw_stat_dropped(stat, i), 0);
		if (losses->count > before)
			losses->list[before].unwritten = true;
	}
	if (stat) {
		add(losses, "abandoned", "in buffers that a writer never completed",
		    stat->abandoned_events, stat->abandoned_buffers);
		/* One event of each was not written to its end. */
		known += stat->abandoned_events + stat->abandoned_buffers;
	}
	/* The counters of the session may be newer. */
	if (session->s.events_lost > known)
		add(losses, "not_written", "lost when written", session->s.events_lost - known, 0);
}

static void add_log(struct verify_losses *losses, const struct session *session)
{
	const struct etw_session_log *log = &session->log.log;

	if (!log->name_len)
		return;
	add(losses, "file", log->full ? "lost to the file: it is full" : "lost to the file",
	    log->events_lost, log->buffers_lost);
	add_error(losses, "file_error", "the file is incomplete after an error", log->error);
	add_error(losses, "former_error", "an earlier file is incomplete after an error",
		  log->former_error);
}

/*
 * Buffers that the log file's thread was too slow for, which count as lost by a reader, too.  The
 * thread is the consumer without a process.  Once it has left, the losses of its files are the
 * only bound; they include what a disk refused and what another process cut off.
 */
static uint64_t missed_by_file(const struct session *session,
			       const struct etw_consumer_info *readers, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!readers[i].pid)
			return readers[i].buffers_lost;
	return session->log.log.name_len ? session->log.log.buffers_lost : 0;
}

static void add_readers(struct verify_losses *losses, const struct session *session,
			const struct etw_session_stat *stat)
{
	const struct etw_consumer_info *readers = NULL;
	unsigned int count = 0, i;
	uint64_t known;

	if (stat)
		readers = (const void *)(uintptr_t)stat->consumers;
	if (readers)
		count = stat->consumer_count;
	if (readers && count > stat->consumer_cap)
		count = stat->consumer_cap;
	known = missed_by_file(session, readers, count);
	for (i = 0; i < count; i++) {
		uint32_t before = losses->count;

		/* add_log() has the losses of the file's thread. */
		if (!readers[i].pid)
			continue;
		known += readers[i].buffers_lost;
		add(losses, "reader", "lost by a reader that was too slow", readers[i].events_lost,
		    readers[i].buffers_lost);
		if (losses->count > before)
			losses->list[before].pid = readers[i].pid;
	}
	if (session->s.rt_buffers_lost > known)
		add(losses, "former_reader", "lost by readers that were too slow or ended", 0,
		    session->s.rt_buffers_lost - known);
}

/* What STOP returned is newer than the statistics; an older module returns 0 there. */
static void add_discarded(struct verify_losses *losses, const struct session *session,
			  const struct etw_session_stat *stat)
{
	uint64_t events = session->s.discarded_events, buffers = session->s.discarded_buffers;

	if (stat && stat->discarded_buffers > buffers) {
		events = stat->discarded_events;
		buffers = stat->discarded_buffers;
	}
	add(losses, "no_reader", "discarded: there was no reader", events, buffers);
}

void verify_session(const struct session *session, const struct etw_session_stat *stat,
		    struct verify_losses *losses)
{
	memset(losses, 0, sizeof(*losses));
	add_drops(losses, session, stat);
	add_log(losses, session);
	add_readers(losses, session, stat);
	add_discarded(losses, session, stat);
	if (stat)
		losses->overwritten = stat->overwritten_events;
}

/* ----------------------------------------------------------------- printing */

static void print_text(const struct sample *sample, const struct verify_losses *losses)
{
	unsigned int i;

	printf("session %s: %s so far: %" PRIu64 " event%s written\n",
	       cli_quote(sample->session.name), losses->count ? "incomplete" : "complete",
	       (uint64_t)sample->stat.written, cli_s(sample->stat.written));
	for (i = 0; i < losses->count; i++) {
		const struct verify_loss *loss = &losses->list[i];

		printf("  ");
		if (loss->buffers)
			printf("%" PRIu64 " buffer%s ", loss->buffers, cli_s(loss->buffers));
		if (loss->events)
			printf(loss->buffers ? "(%" PRIu64 " event%s) " : "%" PRIu64 " event%s ",
			       loss->events, cli_s(loss->events));
		printf("%s%s", loss->unwritten ? "lost when written: " : "", loss->text);
		if (loss->error)
			printf(": %s", strerror(loss->error));
		if (loss->pid)
			printf(", process %u", loss->pid);
		putchar('\n');
	}
	if (losses->overwritten)
		printf("  (%" PRIu64 " older event%s overwritten by newer ones)\n",
		       losses->overwritten, losses->overwritten == 1 ? " was" : "s were");
}

static void print_json(const struct sample *sample, const struct verify_losses *losses)
{
	struct etw_text line = { 0 };
	unsigned int i;

	json_writer_open(&line, NULL, '{');
	json_writer_word(&line, "session", sample->session.name);
	json_writer_word(&line, "verdict", losses->count ? "incomplete" : "complete");
	json_writer_unsigned(&line, "written", sample->stat.written);
	json_writer_unsigned(&line, "overwritten_events", losses->overwritten);
	json_writer_open(&line, "gaps", '[');
	for (i = 0; i < losses->count; i++) {
		const struct verify_loss *loss = &losses->list[i];

		json_writer_open(&line, NULL, '{');
		json_writer_word(&line, "cause", loss->key);
		json_writer_unsigned(&line, "buffers", loss->buffers);
		json_writer_unsigned(&line, "events", loss->events);
		if (loss->error)
			json_writer_word(&line, "error", strerror(loss->error));
		if (loss->pid)
			json_writer_unsigned(&line, "pid", loss->pid);
		json_writer_close(&line, '}');
	}
	json_writer_close(&line, ']');
	json_print(&line);
}

int verify_session_named(const char *name, bool json)
{
	static struct session session;
	static struct sample sample;
	struct verify_losses losses;
	int fd = session_open(name, &session), err;

	if (fd < 0)
		return 1;
	probe_missed_record(fd, session.s.handle);
	err = sample_take(fd, &session, &sample);
	etw_kdev_close(fd);
	if (err)
		return session_fail(name, err, TAKES_QUERY);
	verify_session(&sample.session, &sample.stat, &losses);
	if (json)
		print_json(&sample, &losses);
	else
		print_text(&sample, &losses);
	return losses.count ? VERIFY_EXIT_LOST : 0;
}
