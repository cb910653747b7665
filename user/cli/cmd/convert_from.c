/* SPDX-License-Identifier: MIT */
/*
 * convert_from.c - etw convert --from: traces of other tools become log files
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "convert.h"
#include "cli/progress.h"
#include "convert/ctf_in/read.h"

#define REPORTS_MAX	20	/* those beyond are only counted */

struct from {
	struct progress progress;
	uint64_t reports;
};

static void on_report(void *context, const char *file, uint64_t offset, const char *what)
{
	struct from *from = context;

	if (from->reports++ >= REPORTS_MAX)
		return;
	progress_end(&from->progress);
	cli_note("%s: at offset %" PRIu64 ": %s", cli_quote(file), offset, what);
}

static bool on_progress(void *context, uint64_t read, uint64_t size, uint64_t events)
{
	struct from *from = context;

	if (progress_due(&from->progress))
		progress_show(&from->progress, size ? (unsigned int)(read * 1000.0 / size) : 0,
			      events);
	return cli_ending();
}

/* What is not in the file, whatever the options. */
static void tell(const struct from *from, const struct convert_source *source,
		 const struct ctfin_result *r)
{
	if (from->reports > REPORTS_MAX)
		cli_note("%s: %" PRIu64 " more places that make no sense",
			 cli_quote(source->folder), from->reports - REPORTS_MAX);
	if (r->discarded)
		cli_note("%s: %" PRIu64 " event%s lost by the tracer", cli_quote(source->folder),
			 r->discarded, cli_s(r->discarded));
	if (r->too_large)
		cli_note("%s: %" PRIu64 " event%s too large, left out", cli_quote(source->folder),
			 r->too_large, cli_s(r->too_large));
	if (!source->quiet)
		cli_note("%s: %" PRIu64 " event%s", cli_quote(source->out), r->events,
			 cli_s(r->events));
}

/* The problem may quote the trace, which may hold what a terminal obeys. */
static int tell_problem(struct ctfin_result *result, int err)
{
	unsigned char *at = (unsigned char *)result->problem;

	if (!*at)
		return cli_fail("%s", strerror(-err));
	for (; *at; at++)
		/* C1 is two bytes of UTF-8. */
		if (*at < ' ' || *at == 0x7F || (*at == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0))
			*at = '?';
	return cli_fail("%s", result->problem);
}

int convert_from(const struct convert_source *source)
{
	struct from from = { .reports = 0 };
	struct ctfin_options options = {
		.replace = source->replace, .report = on_report, .progress = on_progress,
		.context = &from,
	};
	struct ctfin_result result;
	int err;

	progress_begin(&from.progress, source->quiet);
	err = convert_from_ctf(source->folder, source->out, &options, &result);
	progress_end(&from.progress);
	if (err == -EINTR)
		return 1;
	if (err == -EEXIST)
		return cli_fail("%s exists; --replace replaces it", cli_quote(source->out));
	if (err)
		return tell_problem(&result, err);
	tell(&from, source, &result);
	return 0;
}
