/* SPDX-License-Identifier: MIT */
/*
 * dump.c - etw dump: print a session's events as they come
 *
 * Ctrl-C, SIGTERM and the end of --duration all wake the reader, which then
 * hands out what was waiting and ends: nothing delivered is left unprinted.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "cli.h"
#include "event.h"
#include "loss.h"
#include "lib/kdev.h"
#include "lib/rtreader.h"

#define LOOK_MS		500	/* between two looks at stdout */
#define DURATION_MAX	(40 * 86400)	/* seconds; as ms still a uint32_t */

enum { OPT_DURATION = 256, OPT_RAW };

static const struct cli_option options[] = {
	CLI_OPTION_JSON,
	{ "count", 'n', "N", "end after N events" },
	{ "duration", OPT_DURATION, "SECONDS", "end after that time" },
	{ "raw", OPT_RAW, NULL, "timestamps in clock ticks, payloads in hex" },
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Print a session's events as they come, all CPUs in the order of time, until\n"
		"the session stops or Ctrl-C.  What was lost is told at the end on stderr.",
	.operands = { "SESSION" },
	.options = options,
	.example = "etw dump demo --json | jq .fields",
};

struct dump {
	bool json;
	uint32_t count;		/* 0: no limit */
	uint32_t duration_ms;	/* 0: no limit */
	int fd;
	uint64_t handle;
	struct etw_session_stat before;
	struct etw_session_stat now;	/* the last known */
	time_t refreshed;	/* when that was read */
	bool stopped;		/* the session is gone: now may be too old */
	bool marked;		/* events were lost after now was read */
	struct event_printer printer;
};

static struct etw_rt_reader *reader;

static void on_signal(int number)
{
	int saved = errno;

	(void)number;
	etw_rt_wake(reader);
	errno = saved;
}

/* The second Ctrl-C kills, should the reader or stdout be stuck. */
static void catch_signals(uint32_t duration_ms)
{
	struct sigaction action = {
		.sa_handler = on_signal,
		.sa_flags = SA_RESTART | (int)SA_RESETHAND,
	};
	struct itimerval timer = {
		.it_value.tv_sec = duration_ms / 1000,
		.it_value.tv_usec = duration_ms % 1000 * 1000,
	};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!duration_ms)
		return;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Before the reader goes away: a late signal kills, as it would without us. */
static void release_signals(void)
{
	static const struct itimerval off;

	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGALRM, SIG_IGN);
}

static int read_stat(struct dump *dump, struct etw_session_stat *stat)
{
	struct etw_session_stat s = { .handle = dump->handle };
	int err = etw_kdev_session_stat(dump->fd, &s);

	if (!err)
		*stat = s;
	return err;
}

/* Once the session has stopped its counters are gone: keep a recent copy. */
static void refresh_stat(struct dump *dump)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec == dump->refreshed)
		return;
	dump->refreshed = now.tv_sec;
	read_stat(dump, &dump->now);
}

/* Does nobody read any more what is printed?  Without events nothing else tells. */
static bool unread(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	return poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
}

/* Wait for the next event; show what there is before going to sleep. */
static int next_event(struct dump *dump, struct etw_rt_event *event)
{
	int err = etw_rt_next(reader, event, 0);

	if (err != -EAGAIN)
		return err;
	fflush(stdout);
	refresh_stat(dump);
	while (!unread()) {
		err = etw_rt_next(reader, event, LOOK_MS);
		if (err != -EAGAIN)
			return err;
	}
	raise(SIGPIPE);		/* as printing the next event would */
	return -ECANCELED;
}

static int dump_events(struct dump *dump)
{
	struct etw_rt_event event;
	uint32_t printed = 0;
	int err;

	while ((err = next_event(dump, &event)) == 1) {
		if (event.lost_events)
			dump->marked = read_stat(dump, &dump->now) != 0;
		if (dump->json)
			event_print_json(&dump->printer, &event);
		else
			event_print_text(&dump->printer, &event);
		if (ferror(stdout))
			return 0;	/* cli_finish() tells */
		if (dump->count && ++printed == dump->count)
			return 0;
	}
	return err == -ECANCELED ? 0 : err;
}

static void tell_drops(const struct dump *dump)
{
	bool told = false;
	int i;

	for (i = 0; i < ETW_DROP_CAUSES; i++) {
		uint64_t n = dump->now.dropped[i] - dump->before.dropped[i];

		if (!n)
			continue;
		cli_note("%s%" PRIu64 " event%s lost when written: %s",
			 dump->stopped ? "at least " : "", n, cli_s(n),
			 loss_causes[i].text);
		told = true;
	}
	if (dump->marked && !told)
		cli_note("events were lost when written; the session is gone, so their number is not known");
}

/* What this dump does not show although it was written, or tried to be. */
static void tell_losses(struct dump *dump)
{
	struct etw_consumer_info info;
	struct etw_rt_count counts;

	etw_rt_counts(reader, &counts);
	if (etw_rt_stat(reader, &info)) {
		info.buffers_lost = counts.lost_buffers;
		info.events_lost = 0;
	}
	if (info.buffers_lost)
		cli_note("%" PRIu64 " buffer%s (%" PRIu64 " event%s) lost: this reader was too slow",
			 (uint64_t)info.buffers_lost, cli_s(info.buffers_lost),
			 (uint64_t)info.events_lost, cli_s(info.events_lost));
	if (counts.corrupt)
		cli_note("%" PRIu64 " buffer%s could not be read to the end",
			 counts.corrupt, cli_s(counts.corrupt));
	dump->stopped = read_stat(dump, &dump->now) != 0;
	if (!dump->stopped)
		dump->marked = false;
	tell_drops(dump);
}

static int open_fail(const char *name, int err)
{
	switch (-err) {
	case ENOENT:
		return cli_fail("no session %s", cli_quote(name));
	case ENOSPC:
		return cli_fail("session %s has %d readers already",
				cli_quote(name), ETW_CONSUMERS_MAX);
	default:
		return cli_fail("session %s: %s", cli_quote(name),
				cli_denied(-err, TAKES_CONSUME));
	}
}

static int run(struct dump *dump, const char *name)
{
	int err = etw_rt_open(name, &reader);

	if (err)
		return open_fail(name, err);
	dump->handle = etw_rt_info(reader)->handle;
	read_stat(dump, &dump->before);
	dump->now = dump->before;
	dump->printer.names = names_new(dump->fd);
	catch_signals(dump->duration_ms);
	err = dump_events(dump);
	release_signals();
	tell_losses(dump);
	etw_rt_close(reader);
	names_free(dump->printer.names);
	text_free(&dump->printer.line);
	text_free(&dump->printer.decoded.strings);
	if (err)
		return cli_fail("session %s: reading failed: %s",
				cli_quote(name), cli_reason(-err));
	return 0;
}

int cmd_dump(int argc, char **argv)
{
	struct dump dump = { .count = 0 };
	const char *name;
	int option, status;

	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		switch (option) {
		case 'n':
			dump.count = cli_number("--count", optarg, 1, UINT32_MAX);
			break;
		case OPT_DURATION:
			dump.duration_ms = cli_millis("--duration", optarg, 1,
						      DURATION_MAX);
			break;
		case OPT_RAW:
			dump.printer.raw = true;
			break;
		default:
			dump.json = true;
		}
	}
	name = cli_name("SESSION", cli_operands(&syntax, argc, argv)[0]);
	dump.fd = device_open();
	if (dump.fd < 0)
		return 1;
	status = run(&dump, name);
	etw_kdev_close(dump.fd);
	return status;
}
