/* SPDX-License-Identifier: MIT */
/*
 * progress.c - a bar on stderr while something long runs
 *
 *	[=========>            ]  42.0%  1234567 events  250000/s  0:12 left
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/monotonic.h"
#include "cli.h"
#include "progress.h"

#define WIPE		"\r\033[K"
#define FIRST_MS	700	/* what is done by then shows none */
#define NEXT_MS		200
#define WIDTH_USUAL	80	/* columns */
#define WIDTH_LEAST	60	/* with fewer there is no bar, only numbers */
#define BAR_MAX		30

void progress_begin(struct progress *p, bool quiet)
{
	const char *term = getenv("TERM");

	p->on = !quiet && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
	p->shown = false;
	p->start = etw_monotonic_ms();
	p->next = p->start + FIRST_MS;
}

bool progress_due(struct progress *p)
{
	int64_t now;

	if (!p->on)
		return false;
	now = etw_monotonic_ms();
	if (now < p->next)
		return false;
	p->next = now + NEXT_MS;
	return true;
}

static void draw_bar(char *bar, unsigned int length, unsigned int done)
{
	unsigned int full = done * length / 1000;

	memset(bar, ' ', length);
	memset(bar, '=', full);
	if (full < length)
		bar[full] = '>';
	bar[length] = '\0';
}

void progress_line(char *to, size_t size, unsigned int width, unsigned int done,
		   uint64_t events, double seconds)
{
	char bar[BAR_MAX + 1], left[32] = "", rate[32] = "";
	double rest;

	draw_bar(bar, width < WIDTH_USUAL ? BAR_MAX / 2 : BAR_MAX, done);
	if (done >= 10 && done < 1000) {
		rest = seconds * (1000 - done) / done;
		if (rest < 360000)
			snprintf(left, sizeof(left), "  %u:%02u left", (unsigned int)rest / 60,
				 (unsigned int)rest % 60);
	}
	if (seconds > 0 && (double)events >= seconds)
		snprintf(rate, sizeof(rate), "  %.0f/s", (double)events / seconds);
	if (width < WIDTH_LEAST)
		snprintf(to, size, "%3u.%u%%%s", done / 10, done % 10, left);
	else
		snprintf(to, size, "[%s] %3u.%u%%  %" PRIu64 " events%s%s", bar, done / 10,
			 done % 10, events, rate, left);
	/* A line that wraps cannot be wiped off. */
	if (width && strlen(to) >= width)
		to[width - 1] = '\0';
}

void progress_show(struct progress *p, unsigned int done, uint64_t events)
{
	struct winsize size = { .ws_col = 0 };
	char line[160];

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		size.ws_col = WIDTH_USUAL;
	progress_line(line, sizeof(line), size.ws_col, done, events,
		      (double)(etw_monotonic_ms() - p->start) / 1000);
	fprintf(stderr, WIPE "%s", line);
	fflush(stderr);
	p->shown = true;
	cli_wipe(WIPE);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs(WIPE, stderr);
	fflush(stderr);
	p->shown = false;
	cli_wipe("");
}
