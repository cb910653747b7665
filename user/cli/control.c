/* SPDX-License-Identifier: MIT */
/*
 * control.c - what enable, disable and capture share
 */
#include <errno.h>
#include "provider.h"
#include "session.h"
#include "text.h"
#include "lib/guid.h"
#include "lib/kdev.h"

static int control_fail(const char *session, const char *provider, int err)
{
	switch (-err) {
	case ENOENT:
		return cli_fail("no session %s", cli_quote(session));
	case ENOSPC:
		return cli_fail("provider %s: %d sessions have it enabled already",
				cli_quote(provider), ETW_PROVIDER_SESSIONS);
	case ETIMEDOUT:
		return cli_fail("provider %s: its callbacks did not finish in time; the change is in force",
				cli_quote(provider));
	default:
		return cli_fail("provider %s: %s", cli_quote(provider),
				cli_reason(-err));
	}
}

/* Something that is meant to be a GUID must not be looked up as a name. */
static void check_provider(const char *text)
{
	struct etw_guid guid;

	cli_name("PROVIDER", text);
	if (text[0] == '{' && etw_guid_parse(text, &guid))
		cli_usage("PROVIDER: %s is not a GUID", cli_quote(text));
}

/**
 * provider_control() - enable, disable or capture
 * @session: the session's name
 * @provider: GUID or name of the provider
 * @enable: all but the session and the provider
 *
 * Return: exit status.
 */
int provider_control(const char *session, const char *provider,
		     struct etw_enable *enable)
{
	static struct session found;
	int fd, err, status = 1;

	cli_name("SESSION", session);
	check_provider(provider);
	if (enable->property & ETW_ENABLE_PROVIDER_GROUP &&
	    etw_guid_parse(provider, &enable->provider))
		cli_usage("--group: %s is not a GUID, and groups have no names",
			  cli_quote(provider));
	fd = device_open();
	if (fd < 0)
		return 1;
	err = session_do(fd, etw_kdev_session_query, session, &found);
	if (err) {
		session_fail(session, err);
	} else if (provider_resolve(fd, provider, &enable->provider)) {
		enable->session = found.s.handle;
		err = etw_kdev_enable(fd, enable);
		status = err ? control_fail(session, provider, err) : 0;
	}
	etw_kdev_close(fd);
	return status;
}

/* A subcommand without options but --group: disable. */
int provider_main(const struct cli_syntax *syntax, uint32_t control, int argc,
		  char **argv)
{
	struct etw_enable enable = { .control = control };
	char **operands;

	while (cli_next(syntax, argc, argv) != -1)
		enable.property = ETW_ENABLE_PROVIDER_GROUP;
	operands = cli_operands(syntax, argc, argv);
	return provider_control(operands[0], operands[1], &enable);
}
