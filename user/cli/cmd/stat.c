/* SPDX-License-Identifier: MIT */
/*
 * stat.c - etw stat: show rates and losses, by cause and by reader
 *
 * On a terminal each block redraws the screen; in a pipe the blocks follow one another.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/sample.h"
#include "cli/session.h"
#include "device/kdev.h"

#define INTERVAL_MAX	3600
#define CLEAR_SCREEN	"\033[H\033[2J"

enum { OPT_ONCE = 256 };

static const struct cli_option options[] = {
	{ "interval", 'i', "SECONDS", "time between two blocks, 1 by default" },
	{ "count", 'n', "N", "end after N blocks" },
	{ "once", OPT_ONCE, NULL, "print one block and end" },
	CLI_OPTION_JSON,
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Show how many events a session, or every session, has written, delivered\n"
		"and lost, by cause and by reader.  The rates in the first block are averages\n"
		"since the session's start, those in later blocks since the block before.",
	.operands = { "[SESSION]" },
	.options = options,
	.example = "etw stat demo --interval 2",
};

struct stat_run {
	const char *name;	/* NULL: all sessions */
	bool json;
	uint32_t interval_ms;
	uint32_t count;		/* 0: no limit */
	int fd;
	struct samples last;
};

/* The sessions to show; the caller frees *list.  -ENOENT: no session has the name. */
static int find_sessions(struct stat_run *run, struct session **list,
			 unsigned int *count)
{
	int err;

	if (!run->name)
		return session_list(run->fd, list, count);
	*list = calloc(1, sizeof(**list));
	if (!*list)
		return -ENOMEM;
	*count = 1;
	err = session_do(run->fd, etw_kdev_session_query, run->name, *list);
	if (err)
		free(*list);
	return err;
}

static int take_samples(struct stat_run *run, struct samples *now)
{
	struct session *list;
	unsigned int count, i;
	int err;

	err = find_sessions(run, &list, &count);
	if (err)
		return err;
	now->list = calloc(count + 1, sizeof(*now->list));
	if (!now->list)
		cli_die("out of memory");
	now->count = 0;
	for (i = 0; i < count; i++) {
		err = sample_take(run->fd, &list[i], &now->list[now->count]);
		if (!err)
			now->count++;
		else if (run->name || err != -ENOENT)
			break;
		else
			err = 0;	/* stopped meanwhile */
	}
	free(list);
	if (err)
		free(now->list);
	return err;
}

static void show(struct stat_run *run, const struct samples *now, bool redraw)
{
	unsigned int i;

	if (redraw)
		fputs(CLEAR_SCREEN, stdout);
	if (!now->count && !run->json)
		puts("no sessions");
	for (i = 0; i < now->count; i++) {
		const struct sample *before;

		before = samples_find(&run->last, now->list[i].session.s.handle);
		if (run->json)
			sample_print_json(&now->list[i], before);
		else
			sample_print_text(&now->list[i], before);
	}
	fflush(stdout);
}

static int fail(const struct stat_run *run, int err)
{
	if (run->name)
		return session_fail(run->name, err, TAKES_QUERY);
	return cli_fail("cannot list the sessions: %s", cli_denied(-err, TAKES_QUERY));
}

static void wait_interval(uint32_t ms)
{
	struct timespec left = {
		.tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000L,
	};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static int run_stat(struct stat_run *run)
{
	bool redraw = !run->json && run->count != 1 && isatty(STDOUT_FILENO);
	struct samples now;
	uint32_t shown;
	int err;

	for (shown = 0; !run->count || shown < run->count; shown++) {
		if (shown)
			wait_interval(run->interval_ms);
		err = take_samples(run, &now);
		if (err == -ENOENT && shown)
			return 0;	/* the session has stopped */
		if (err)
			return fail(run, err);
		show(run, &now, redraw);
		free(run->last.list);
		run->last = now;
		if (ferror(stdout))
			break;
	}
	return 0;
}

int cmd_stat(int argc, char **argv)
{
	struct stat_run run = { .interval_ms = 1000 };
	int option, status;

	while ((option = cli_next(&syntax, argc, argv)) != -1) {
		switch (option) {
		case 'i':
			run.interval_ms = cli_millis("--interval", optarg, 1,
						     INTERVAL_MAX);
			break;
		case 'n':
			run.count = cli_number("--count", optarg, 1, UINT32_MAX);
			break;
		case OPT_ONCE:
			run.count = 1;
			break;
		default:
			run.json = true;
		}
	}
	run.name = cli_operands(&syntax, argc, argv)[0];
	if (run.name)
		cli_name("SESSION", run.name);
	run.fd = device_open();
	if (run.fd < 0)
		return 1;
	status = run_stat(&run);
	free(run.last.list);
	etw_kdev_close(run.fd);
	return status;
}
