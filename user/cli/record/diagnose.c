/* SPDX-License-Identifier: MIT */
/*
 * diagnose.c - why a recording may have got no event: what is true of its providers
 */
#include <errno.h>
#include <inttypes.h>
#include "cli/cli.h"
#include "cli/provider.h"
#include "record.h"
#include "cli/text.h"

#define TOLD_MAX	8	/* providers */

static const char *comma(const struct etw_text *t)
{
	return t->len ? ", " : "";
}

/* Which of its events were asked for: all of them, if that is empty */
static void put_asked(const struct enable_request *request, struct etw_text *t)
{
	const struct etw_enable *enable = &request->enable;
	const struct filters *filters = &request->filters;
	bool processes = filters->pid_count || filters->exe.len || filters->container.len ||
			 filters->package.len || filters->app.len;

	if (enable->level && enable->level != UINT8_MAX)
		text_printf(t, "up to level %u", enable->level);
	if (enable->any)
		text_printf(t, "%swith one of the keywords 0x%" PRIx64, comma(t),
			    (uint64_t)enable->any);
	if (enable->all)
		text_printf(t, "%swith all of the keywords 0x%" PRIx64, comma(t),
			    (uint64_t)enable->all);
	if (processes)
		text_printf(t, "%sof the processes that were chosen", comma(t));
	if (filters->ids.given || filters->events.given || filters->event_filter.count)
		text_printf(t, "%sthat its filters let pass", comma(t));
	text_puts(t, "");
}

/* 1: somebody has it registered, 0: nobody, -1: that is not to be known */
static int is_registered(int fd, const struct etw_enable *enable)
{
	struct etw_provider found;
	int err;

	if (enable->property & ETW_ENABLE_PROVIDER_GROUP)
		return -1;
	err = etw_provider_query(fd, &enable->provider, &found);
	if (err)
		return err == -ESRCH ? 0 : -1;
	etw_provider_free(&found);
	return found.reg_count > 0;
}

static void tell_provider(const struct record *r, const struct enable_request *request,
			  bool command_ended)
{
	struct etw_text asked = { 0 };
	const char *name = cli_quote(request->provider);
	int registered = is_registered(r->fd, &request->enable);

	put_asked(request, &asked);
	if (!registered)
		cli_note("provider %s: nobody has registered it%s: is that its name or GUID?%s%s",
			 name, command_ended ? ", now that the command is over" : "",
			 asked.len ? "  Asked for were events " : "", asked.data);
	else
		cli_note("provider %s: %sno event came%s%s", name,
			 registered > 0 ? "it is registered, but " : "",
			 asked.len ? " of those asked for: " : "", asked.data);
	etw_text_free(&asked);
}

void record_diagnose(const struct record *r, enum record_end end)
{
	unsigned int i;

	for (i = 0; i < r->provider_count && i < TOLD_MAX; i++)
		tell_provider(r, r->providers[i], end == RECORD_COMMAND);
	if (i < r->provider_count)
		cli_note("nor did one of the %u other providers", r->provider_count - i);
}
