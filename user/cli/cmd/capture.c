/* SPDX-License-Identifier: MIT */
/*
 * capture.c - etw capture: ask a provider to write its state, once or periodically
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "cli/request/filter.h"
#include "cli/provider.h"
#include "cli/session.h"
#include "device/kdev.h"

static struct request {
	struct etw_enable enable;
	struct blob blob;
	struct provider_names names;
	const char *about;
	bool once;		/* an option for a single request was given */
	bool every;		/* --every, with period_s */
	uint32_t period_s;
	bool show;
	bool json;
} request = { .enable.control = ETW_CONTROL_CAPTURE };

enum { OPT_DATA = 256, OPT_ABOUT, OPT_EVERY };

static const struct cli_option options[] = {
	PROVIDER_OPTION_P,
	{ "data", OPT_DATA, "ID:HEX", "pass the provider these bytes; or ID.VERSION:HEX", NULL },
	{ "about", OPT_ABOUT, "SESSION", "ask what the provider knows about that session", NULL },
	PROVIDER_OPTIONS,
	{ "every", OPT_EVERY, "TIME", "ask these providers periodically; 0: stop asking", NULL },
	{ "show", 0, NULL, "show which providers are asked, and how often",
	  CLI_FLAG(request.show) },
	{ "json", 'j', NULL, "print that as JSON, one object per line", CLI_FLAG(request.json) },
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Ask a provider to write its state into a session (capture state).\n"
		"The provider decides what it writes.  With --every, ask up to 64 providers\n"
		"again and again, instead of the providers given before.",
	.operands = { "SESSION", "[PROVIDER]..." },
	.options = options,
	.example = "etw capture demo Sample-Block",
};

/* -------------------------------------------------------------------- once */

static int ask_once(struct request *r, char **operands)
{
	static struct session about;
	struct etw_filter filter;
	char **providers;
	int fd;

	if (operands[1] && operands[2])
		cli_usage("unexpected argument %s", cli_quote(operands[2]));
	providers = provider_names_all(&r->names, operands + 1, true);
	if (r->about && r->blob.header.size)
		cli_usage("either --data or --about");
	r->enable.filters = (uintptr_t)&filter;
	r->enable.filter_count = r->about || r->blob.header.size;
	if (r->about) {
		fd = session_open(cli_name("--about", r->about), &about);
		if (fd < 0)
			return 1;
		etw_kdev_close(fd);
		filter = (struct etw_filter){ (uintptr_t)&about.s.handle, sizeof(about.s.handle),
					      ETW_FILTER_TRACEHANDLE };
	} else {
		filter = blob_filter(&r->blob);
	}
	return provider_control(operands[0], providers, &r->enable);
}

/* ------------------------------------------------------------- periodically */

static int show(int fd, uint64_t session, bool json)
{
	struct etw_guid guids[ETW_CAPTURE_MAX];
	struct etw_session_capture c = {
		.handle = session, .guids = (uintptr_t)guids, .count = ETW_CAPTURE_MAX };
	struct etw_text line = { 0 };
	int err;

	err = etw_kdev_session_capture(fd, &c);
	if (err)
		return err;
	if (json) {
		json_writer_open(&line, NULL, '{');
		json_writer_unsigned(&line, "every_s", c.period_s);
		provider_json_guids(&line, "providers", guids, c.count);
		json_print(&line);
	} else if (!c.count) {
		puts("no providers");
	} else {
		printf("every %u s\n", c.period_s);
		provider_print_guids(guids, c.count);
	}
	return 0;
}

/* Returns 0 or a negative errno; 1 after a message. */
static int run_every(int fd, uint64_t session, const struct request *r, char **providers,
		     unsigned int count)
{
	struct etw_guid guids[ETW_CAPTURE_MAX];
	struct etw_session_capture c = {
		.flags = ETW_CAPTURE_SET, .handle = session, .guids = (uintptr_t)guids,
		.count = count, .period_s = r->period_s };

	if (r->show)
		return show(fd, session, r->json);
	return provider_resolve_all(fd, providers, guids) ? etw_kdev_session_capture(fd, &c) : 1;
}

static int ask_every(struct request *r, char **operands)
{
	const char *takes = r->show ? TAKES_QUERY :
		"the rights \"control\" on the session and \"enable\" on each provider";
	static struct session session;
	unsigned int count;
	char **providers;
	int fd, err;

	cli_name("SESSION", operands[0]);
	providers = provider_names_all(&r->names, operands + 1, false);
	count = provider_operands(providers, ETW_CAPTURE_MAX);
	if (r->every && r->show)
		cli_usage("either --every or --show");
	if (r->show && count)
		cli_usage("--show: give no provider");
	if (r->every && !r->period_s != !count)
		cli_usage(count ? "--every: 0 is for all, give no provider" : "missing PROVIDER");
	if (r->once)
		cli_usage("--every and --show: cannot be combined with other options");
	fd = session_open(operands[0], &session);
	if (fd < 0)
		return 1;
	err = run_every(fd, session.s.handle, r, providers, count);
	etw_kdev_close(fd);
	return err < 0 ? session_fail(operands[0], err, takes) : err;
}

static void take_option(struct request *r, int option)
{
	switch (option) {
	case OPT_EVERY:
		r->every = true;
		r->period_s = cli_seconds("--every", optarg, 0, UINT32_MAX);
		break;
	case OPT_DATA:
		blob_parse(&r->blob, "--data", optarg);
		r->once = true;
		break;
	case 'p':
		provider_names_add(&r->names, optarg);
		break;
	case OPT_ABOUT:
		r->about = optarg;
		r->once = true;
		break;
	default:
		provider_option(option, optarg, &r->enable);
		r->once = true;
	}
}

int cmd_capture(int argc, char **argv)
{
	struct request *r = &request;
	char **operands;
	int option;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		take_option(r, option);
	operands = cli_operands(&syntax, argc, argv);
	if (r->json && !r->show)
		cli_usage("--json: only with --show");
	return r->every || r->show ? ask_every(r, operands) : ask_once(r, operands);
}
