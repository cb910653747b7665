/* SPDX-License-Identifier: MIT */
/*
 * sample.c - a session's counters at one moment
 */
#include <inttypes.h>
#include <string.h>
#include "cli.h"
#include "core/ledger.h"
#include "print/clock.h"
#include "sample.h"
#include "device/kdev.h"

void sample_report_lost(const char *before, uint64_t count, const char *cause)
{
	if (count)
		cli_note("%s%" PRIu64 " event%s lost when written%s%s", before, count,
			 cli_s(count), cause ? ": " : "", cause ? cause : "");
}

void sample_report_unread(uint64_t buffers, uint64_t events, const char *shown)
{
	if (buffers)
		cli_note("%" PRIu64 " buffer%s (%" PRIu64 " event%s) lost: this reader was too slow%s",
			 buffers, cli_s(buffers), events, cli_s(events), shown);
}

void sample_report_unreadable(uint64_t buffers)
{
	if (buffers)
		cli_note("%" PRIu64 " buffer%s could not be read to the end", buffers,
			 cli_s(buffers));
}

void sample_json_lost(struct etw_text *to, const struct etw_session_stat *stat)
{
	unsigned int i;

	json_writer_open(to, "lost", '{');
	for (i = 0; i < ETW_DROP_CAUSES; i++)
		json_writer_unsigned(to, etw_loss_cause(i), etw_stat_dropped(stat, i));
	json_writer_close(to, '}');
}

/**
 * sample_take() - read a session's counters
 * @fd: the device
 * @session: the session, just queried
 * @sample: filled on success
 */
int sample_take(int fd, const struct session *session, struct sample *sample)
{
	int err;

	memset(sample, 0, sizeof(*sample));
	sample->session = *session;
	sample->stat.handle = session->s.handle;
	sample->stat.consumers = (uintptr_t)sample->readers;
	sample->stat.consumer_cap = ETW_CONSUMERS_MAX;
	err = etw_kdev_session_stat(fd, &sample->stat);
	if (err)
		return err;
	sample->reader_count = sample->stat.consumer_count;
	if (sample->reader_count > ETW_CONSUMERS_MAX)
		sample->reader_count = ETW_CONSUMERS_MAX;
	clock_gettime(CLOCK_MONOTONIC, &sample->when);
	sample->time = clock_now();
	return 0;
}
