/* SPDX-License-Identifier: MIT */
/*
 * trace_provider.c - make the providers of a set, with the command's messages
 */
#include <errno.h>
#include "cli/cli.h"
#include "trace_provider.h"

int trace_provider_make(int fd, struct trace_set *set, unsigned int i,
			const struct trace_schema *schema)
{
	if (schema->cut)
		cli_note("provider %s: its last fields are left out: there are too many",
			 cli_quote(set->names[i]));
	return trace_set_register(fd, set, i, schema);
}

void trace_provider_fail(const char *name, int err)
{
	const char *quoted = cli_quote(name);

	if (err == -ENOTTY)
		cli_fail("provider %s: the loaded etw.ko is older than this command, and does not know trace events",
			 quoted);
	else if (err == -EEXIST)
		cli_fail("provider %s: a session has an older version of this trace event enabled",
			 quoted);
	else if (err == -ENOSPC)
		cli_fail("provider %s: %u trace events are providers already", quoted,
			 ETW_TRACE_EVENTS_MAX);
	else
		cli_fail("provider %s: cannot make the trace event a provider: %s", quoted,
			 cli_denied(-err, "CAP_PERFMON, and a kernel that is not locked down"));
}

void trace_provider_added(int err)
{
	if (err)
		cli_die("out of memory");
}
