// SPDX-License-Identifier: MIT
/*
 * event.c - generate the macros that test and write an event
 *
 * A macro evaluates its arguments only if the event is enabled.
 */
#include <string.h>

#include "emit.h"

/* Is a name part of the macro's text, so that no parameter may have it? */
static bool taken(const struct etw_mc_provider *p, const struct etw_mc_event *event,
		  const char *name)
{
	static const char *const words[] = {
		"MCGEN_EVENT_ENABLED", "MCGEN_EVENT_ENABLED_FORCONTEXT", "Context", "pContext",
		"Activity", "__VA_ARGS__", "defined",
	};
	size_t len = strlen(p->symbol);
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(name, words[i]))
			return true;
	return !strcmp(name, event->symbol) || !strcmp(name, event->macro) ||
	       !strncmp(name, "_mcgen_", 7) ||
	       (!strncmp(name, p->symbol, len) && !strcmp(name + len, "_Context"));
}

static bool take(struct etw_mc *mc, const struct etw_mc_provider *p,
		 const struct etw_mc_event *event, const void *used, const char *name)
{
	return !taken(p, event, name) && !etw_mc_add(mc, used, name, name, 0);
}

/* ", a_Len_, a, b", or "".  Duplicate and taken names get a "_" appended. */
static const char *arguments(struct etw_mc *mc, const struct etw_mc_provider *p,
			     const struct etw_mc_event *e)
{
	const void *used = etw_mc_alloc(mc, 1);
	unsigned int i;

	mc->scratch.len = 0;
	for (i = 0; i < e->arg_count; i++) {
		const char *name = etw_mc_identifier(mc, e->event->template->fields[i].name);
		bool block = e->args[i].block;

		while (!take(mc, p, e, used, name) ||
		       (block && !take(mc, p, e, used, etw_mc_text(mc, "%s_Len_", name))))
			name = etw_mc_text(mc, "%s_", name);
		if (block)
			etw_text_printf(&mc->scratch, ", %s_Len_", name);
		etw_text_printf(&mc->scratch, ", %s", name);
	}
	return etw_mc_scratch(mc);
}

/* The macros of one event, with or without an activity before its arguments. */
static void event_macros(struct etw_mc *mc, const struct etw_mc_provider *p,
			 const struct etw_mc_event *event, bool activity)
{
	const char *prefix = mc->options->prefix, *x = event->macro;
	const char *args = arguments(mc, p, event);
	const char *in = activity ? "Activity" : "", *pass = activity ? ", Activity" : "";
	/* The first parameter has no comma before it. */
	const char *params = activity || !*args ? args : args + 2;

	etw_mc_print(mc, "\n#define _mcgen_TEMPLATE_FOR_%s _mcgen_PASTE2(%s%s_, %s)\n",
		     x, event->function, activity && !mc->mode->activity ? "Activity" : "",
		     mc->mode->write);
	etw_mc_print(mc, "#define %s%s(%s%s) \\\n"
		     "\t(MCGEN_EVENT_ENABLED(%s) ? _mcgen_TEMPLATE_FOR_%s(&%s_Context, &%s%s%s) : 0)\n",
		     prefix, x, in, params, x, x, p->symbol, event->symbol, pass, args);
	etw_mc_print(mc, "#define %s%s_AssumeEnabled(%s%s) \\\n"
		     "\t_mcgen_TEMPLATE_FOR_%s(&%s_Context, &%s%s%s)\n",
		     prefix, x, in, params, x, p->symbol, event->symbol, pass, args);
	etw_mc_print(mc, "#define %s%s_ForContext(pContext%s%s) \\\n"
		     "\t(MCGEN_EVENT_ENABLED_FORCONTEXT(pContext, %s) ? "
		     "_mcgen_TEMPLATE_FOR_%s(&(pContext)->Context, &%s%s%s) : 0)\n",
		     prefix, x, pass, args, x, x, event->symbol, pass, args);
	etw_mc_print(mc, "#define %s%s_ForContextAssumeEnabled(pContext%s%s) \\\n"
		     "\t_mcgen_TEMPLATE_FOR_%s(&_mcgen_CheckContextType_%s(pContext)->Context, &%s%s%s)\n",
		     prefix, x, pass, args, x, p->symbol, event->symbol, pass, args);
}

static void all_events(struct etw_mc *mc, const struct etw_mc_provider *p, bool activity)
{
	unsigned int i;

	for (i = 0; i < p->event_count; i++)
		event_macros(mc, p, &p->events[i], activity);
}

void etw_mc_macros(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	unsigned int i;

	for (i = 0; i < p->event_count; i++)
		mc->mode->enabled(mc, p, &p->events[i]);
	if (mc->mode->activity) {
		all_events(mc, p, true);
		return;
	}
	etw_mc_print(mc, "\n#if %s_EventWriteActivity\n", p->symbol);
	all_events(mc, p, true);
	etw_mc_print(mc, "\n#else\n");
	all_events(mc, p, false);
	etw_mc_print(mc, "\n#endif\n");
}
