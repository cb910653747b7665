/* SPDX-License-Identifier: MIT */
/*
 * start.c - etw start: start a session
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "session.h"
#include "text.h"
#include "lib/guid.h"
#include "lib/kdev.h"

enum {
	OPT_BUFFER_SIZE = 256,
	OPT_MIN_BUFFERS,
	OPT_MAX_BUFFERS,
	OPT_FLUSH,
	OPT_CLOCK,
	OPT_BUFFERING,
	OPT_INDEPENDENT,
	OPT_SECURE,
	OPT_GUID,
	OPT_ONE_BUFFER,
	OPT_SEQUENCE,
};

static const struct cli_option options[] = {
	{ "buffer-size", OPT_BUFFER_SIZE, "KB", "size of one buffer, 4 to 16384; default 64" },
	{ "min-buffers", OPT_MIN_BUFFERS, "N", "buffers to start with; default, least: 2 per CPU" },
	{ "max-buffers", OPT_MAX_BUFFERS, "N", "buffers to grow to; default: 20 more" },
	{ "flush", OPT_FLUSH, "SECONDS", "deliver a buffer that is not full after that long" },
	{ "clock", OPT_CLOCK, "CLOCK", "qpc (default), system or cycles" },
	{ "buffering", OPT_BUFFERING, NULL, "keep the newest events in memory until a flush" },
	{ "independent", OPT_INDEPENDENT, NULL, "its losses are no errors for the writers" },
	{ "secure", OPT_SECURE, NULL, "only who has the right to log may write" },
	{ "guid", OPT_GUID, "GUID", "its GUID, which access lists go by; default: made" },
	{ "no-per-cpu", OPT_ONE_BUFFER, NULL, "one buffer for all CPUs" },
	{ "sequence", OPT_SEQUENCE, "SCOPE", "number classic messages: local or global" },
	CLI_OPTION_JSON,
	CLI_OPTION_END
};

static const struct cli_syntax syntax = {
	.what = "Start a session and print it as created.  It runs until 'etw stop'.\n"
		"Sizes that were not given, or do not fit, are corrected.",
	.operands = { "SESSION" },
	.options = options,
	.example = "etw start demo --buffer-size 64 --max-buffers 128",
};

static uint32_t sequence_mode(const char *scope)
{
	if (!strcmp(scope, "local"))
		return ETW_MODE_LOCAL_SEQUENCE;
	if (!strcmp(scope, "global"))
		return ETW_MODE_GLOBAL_SEQUENCE;
	cli_usage("--sequence: %s is neither local nor global", cli_quote(scope));
}

static bool take_option(int option, struct etw_session *s)
{
	switch (option) {
	case OPT_BUFFER_SIZE:
		s->buffer_kb = cli_number("--buffer-size", optarg,
					  ETW_BUFFER_KB_MIN, ETW_BUFFER_KB_MAX);
		break;
	case OPT_MIN_BUFFERS:
		s->min_buffers = cli_number("--min-buffers", optarg, 1,
					    ETW_BUFFERS_MAX);
		break;
	case OPT_MAX_BUFFERS:
		s->max_buffers = cli_number("--max-buffers", optarg, 1,
					    ETW_BUFFERS_MAX);
		break;
	case OPT_FLUSH:
		s->flush_ms = session_flush_ms("--flush", optarg);
		break;
	case OPT_CLOCK:
		s->clock = cli_clock("--clock", optarg);
		break;
	case OPT_BUFFERING:
		s->mode = (s->mode & ~ETW_MODE_REAL_TIME) | ETW_MODE_BUFFERING;
		break;
	case OPT_INDEPENDENT:
		s->mode |= ETW_MODE_INDEPENDENT;
		break;
	case OPT_SECURE:
		s->mode |= ETW_MODE_SECURE;
		break;
	case OPT_GUID:
		if (etw_guid_parse(optarg, &s->guid))
			cli_usage("--guid: %s is not a GUID", cli_quote(optarg));
		break;
	case OPT_ONE_BUFFER:
		s->mode |= ETW_MODE_NO_PER_PROCESSOR;
		break;
	case OPT_SEQUENCE:
		s->mode &= ~(ETW_MODE_LOCAL_SEQUENCE | ETW_MODE_GLOBAL_SEQUENCE);
		s->mode |= sequence_mode(optarg);
		break;
	default:
		return true;
	}
	return false;
}

/* ENOSPC has two causes; which one it was shows in how many sessions there are. */
static int no_space(int fd, const char *name)
{
	struct etw_session_enum all = { .capacity = 0 };

	if (!etw_kdev_session_enum(fd, &all) && all.count >= all.limit)
		return cli_fail("session %s: too many sessions: %u run already, and %u may",
				cli_quote(name), all.count, all.limit);
	return session_too_large(name);
}

/*
 * EEXIST, too, has two causes: the name or the GUID that was given.  Who may not
 * look at the session that is in the way cannot be told which of them.
 */
static int taken(int fd, const char *name, const struct etw_guid *guid)
{
	struct session *list, same;
	char text[GUID_TEXT_SIZE];
	unsigned int count, i;
	int err;

	memset(&same, 0, sizeof(same));
	err = session_do(fd, etw_kdev_session_query, name, &same);
	if (!err || etw_guid_is_zero(guid))
		return session_fail(name, -EEXIST, NULL);
	guid_text(guid, text);
	if (session_list(fd, &list, &count))
		return cli_fail("session %s: another one has this name or GUID %s already",
				cli_quote(name), text);
	for (i = 0; i < count && !guid_equal(&list[i].s.guid, guid); i++)
		;
	if (i < count)
		cli_fail("session %s: session %s has GUID %s already", cli_quote(name),
			 cli_quote(list[i].name), text);
	else
		cli_fail("session %s: another one has %sGUID %s already", cli_quote(name),
			 err == -ENOENT ? "" : "this name or ", text);
	free(list);
	return 1;
}

static int start_fail(int fd, const char *name, const struct etw_guid *guid, int err)
{
	switch (-err) {
	case EEXIST:
		return taken(fd, name, guid);
	case ENOSPC:
		return no_space(fd, name);
	case EINVAL:
		return cli_fail("session %s: name or settings refused",
				cli_quote(name));
	default:
		return session_fail(name, err, TAKES_CONTROL);
	}
}

int cmd_start(int argc, char **argv)
{
	static struct session session = { .s.mode = ETW_MODE_REAL_TIME };
	struct etw_guid guid;
	const char *name;
	bool json = false;
	int option, fd, err;

	while ((option = cli_next(&syntax, argc, argv)) != -1)
		json |= take_option(option, &session.s);
	name = cli_name("SESSION", cli_operands(&syntax, argc, argv)[0]);
	guid = session.s.guid;
	fd = device_open();
	if (fd < 0)
		return 1;
	err = session_do(fd, etw_kdev_session_start, name, &session);
	if (err)
		err = start_fail(fd, name, &guid, err);
	etw_kdev_close(fd);
	if (err)
		return err;
	if (json)
		json_print(session_json(&session));
	else
		session_print(&session);
	return 0;
}
