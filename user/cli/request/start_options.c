/* SPDX-License-Identifier: MIT */
/*
 * start_options.c - the options of etw start for the session itself, and why it fails
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "start_options.h"
#include "cli/text.h"
#include "base/guid.h"
#include "device/kdev.h"

static uint32_t sequence_mode(const char *scope)
{
	if (!strcmp(scope, "local"))
		return ETW_MODE_LOCAL_SEQUENCE;
	if (!strcmp(scope, "global"))
		return ETW_MODE_GLOBAL_SEQUENCE;
	cli_usage("--sequence: %s is neither local nor global", cli_quote(scope));
}

bool start_option(int option, const char *value, struct etw_session *s)
{
	switch (option) {
	case START_OPT_BUFFER_SIZE:
		s->buffer_kb = cli_number("--buffer-size", value,
					  ETW_BUFFER_KB_MIN, ETW_BUFFER_KB_MAX);
		break;
	case START_OPT_MIN_BUFFERS:
		s->min_buffers = cli_number("--min-buffers", value, 1,
					    ETW_BUFFERS_MAX);
		break;
	case START_OPT_MAX_BUFFERS:
		s->max_buffers = cli_number("--max-buffers", value, 1,
					    ETW_BUFFERS_MAX);
		break;
	case START_OPT_FLUSH:
		s->flush_ms = session_flush_ms("--flush", value);
		break;
	case START_OPT_CLOCK:
		s->clock = cli_clock("--clock", value);
		break;
	case START_OPT_BUFFERING:
		s->mode = (s->mode & ~ETW_MODE_REAL_TIME) | ETW_MODE_BUFFERING;
		break;
	case START_OPT_INDEPENDENT:
		s->mode |= ETW_MODE_INDEPENDENT;
		break;
	case START_OPT_SECURE:
		s->mode |= ETW_MODE_SECURE;
		break;
	case START_OPT_GUID:
		if (etw_guid_parse(value, &s->guid))
			cli_usage("--guid: %s is not a GUID", cli_quote(value));
		break;
	case START_OPT_ONE_BUFFER:
		s->mode |= ETW_MODE_NO_PER_PROCESSOR;
		break;
	case START_OPT_SEQUENCE:
		s->mode &= ~(ETW_MODE_LOCAL_SEQUENCE | ETW_MODE_GLOBAL_SEQUENCE);
		s->mode |= sequence_mode(value);
		break;
	default:
		return false;
	}
	return true;
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

int start_fail(int fd, const char *name, const struct etw_guid *guid, int err)
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
