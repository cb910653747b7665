/* SPDX-License-Identifier: MIT */
/*
 * trace_event.c - make the kernel's trace events providers
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "probe_classes.h"
#include "probe_request.h"
#include "sample_request.h"
#include "trace_event.h"
#include "trace_provider.h"
#include "base/list.h"
#include "base/suggest.h"
#include "bridge/probe_spec.h"
#include "bridge/sample.h"
#include "bridge/system_class.h"
#include "bridge/trace_schema.h"
#include "device/provider_list.h"

#define CLASS_PREFIX	"system:"

bool trace_event_is_class(const char *provider)
{
	return !strncmp(provider, CLASS_PREFIX, strlen(CLASS_PREFIX));
}

bool trace_event_named(const char *provider)
{
	return !strncmp(provider, TRACE_EVENT_PREFIX, strlen(TRACE_EVENT_PREFIX)) ||
	       trace_event_is_class(provider) || probe_named(provider) || sample_named(provider);
}

const char *trace_event_name_end(const char *text)
{
	const char *colon = strchr(text, ':') + 1;

	if (probe_named(text))
		return probe_name_end(text);
	if (sample_named(text))
		return sample_name_end(text);
	colon += strcspn(colon, ":");
	if (*colon && !strncmp(text, TRACE_EVENT_PREFIX, strlen(TRACE_EVENT_PREFIX))) {
		colon++;
		colon += strcspn(colon, ":");
	}
	return colon;
}

const char *trace_event_form(const char *word)
{
	static const struct { const char *word, *form; } forms[] = {
		{ "tracepoint", TRACE_EVENT_PREFIX "SYSTEM:NAME" }, { "system", CLASS_PREFIX "CLASS" },
		{ "profile", "profile:HZ" }, { "pmu", "pmu:COUNTER" },
		{ "kprobe", "kprobe:FUNCTION" }, { "kretprobe", "kretprobe:FUNCTION" },
		{ "fentry", "kprobe:FUNCTION" }, { "fexit", "kretprobe:FUNCTION" },
		{ "uprobe", "uprobe:PATH:SYMBOL" }, { "uretprobe", "uretprobe:PATH:SYMBOL" },
		{ "usdt", "usdt:PATH:PROVIDER:NAME" },
	};
	size_t i = 0;

	while (i < sizeof(forms) / sizeof(*forms) && strcmp(forms[i].word, word))
		i++;
	return i < sizeof(forms) / sizeof(*forms) ? forms[i].form : NULL;
}

/* ------------------------------------------------------------------- finding */

static bool cannot(const char *provider, int err)
{
	const char *quoted = cli_quote(provider);

	if (err == -ENOMEM)
		cli_die("out of memory");
	if (err == -ENOENT)
		cli_fail("provider %s: tracefs is not mounted: mount -t tracefs tracefs /sys/kernel/tracing",
			 quoted);
	else
		cli_fail("provider %s: cannot read the kernel's trace events: %s", quoted,
			 cli_denied(-err, "root's rights on /sys/kernel/tracing"));
	return false;
}

/* false: an error was printed; finding none is no error. */
static bool add_pattern(const char *provider, const char *pattern, struct trace_set *set)
{
	int err = trace_set_add_events(set, pattern);

	return err ? cannot(provider, err) : true;
}

static bool fail_no_class(const char *provider)
{
	struct etw_text names = { 0 };
	size_t i;

	for (i = 0; system_class_name(i); i++)
		etw_text_printf(&names, "%s%s", i ? ", " : "", system_class_name(i));
	cli_fail("provider %s: no such class; there are %s", cli_quote(provider), text_data(&names));
	etw_text_free(&names);
	return false;
}

static bool add_classes(const char *provider, struct trace_set *set)
{
	const char *list = provider + strlen(CLASS_PREFIX), *word;
	size_t len;
	int ret, err;

	while ((ret = etw_list_next(&list, ",", &word, &len)) == 1) {
		err = system_class_add(set, word, len);
		if (!err)
			err = probe_classes_add(set, word, len);
		if (err)
			return err == -EINVAL ? fail_no_class(provider) : cannot(provider, err);
	}
	if (ret)
		cli_fail("provider %s: the name of a class is missing", cli_quote(provider));
	return !ret;
}

static bool find(const char *provider, struct trace_set *set)
{
	const char *event = provider + strlen(TRACE_EVENT_PREFIX);
	struct etw_text pattern = { 0 };
	bool ok;

	if (trace_event_is_class(provider))
		return add_classes(provider, set);
	etw_text_printf(&pattern, "%s%s", event, strchr(event, ':') ? "" : ":*");
	ok = add_pattern(provider, text_data(&pattern), set);
	etw_text_free(&pattern);
	return ok;
}

/* Of all, the one that is nearest; a name without a system is compared with those of events. */
static const char *nearest(const char *provider, const struct trace_set *all)
{
	const char *name = provider + strlen(TRACE_EVENT_PREFIX), *best = NULL;
	const bool alone = !strchr(name, ':');
	struct suggest s;
	unsigned int i;
	size_t before;

	suggest_begin(&s, alone ? name : provider);
	for (i = 0; i < all->count; i++) {
		before = s.distance;
		suggest_try(&s, alone ? strrchr(all->names[i], ':') + 1 : all->names[i]);
		if (s.distance != before)
			best = all->names[i];
	}
	return best;
}

static void fail_unknown(const char *provider)
{
	struct trace_set all = { .count = 0 };
	const char *quoted = cli_quote(provider), *best;

	find(TRACE_EVENT_PREFIX "*", &all);
	best = nearest(provider, &all);
	if (best)
		cli_fail("provider %s: the kernel has no such trace event; did you mean %s?", quoted,
			 cli_quote(best));
	else
		cli_fail("provider %s: the kernel has no such trace event; 'etw list providers \"tracepoint:*\"' shows all",
			 quoted);
	trace_set_free(&all);
}

bool trace_event_list(const char *provider, struct trace_set *set)
{
	bool ok;

	memset(set, 0, sizeof(*set));
	if (probe_named(provider))
		return probe_request_list(provider, set);
	if (sample_named(provider))
		return sample_request_list(provider, set);
	ok = find(provider, set);
	if (ok && !set->count)
		fail_unknown(provider);
	if (ok && set->count)
		return true;
	trace_set_free(set);
	return false;
}

bool trace_event_registered(int fd, const char *provider, struct trace_set *set)
{
	struct etw_provider found;
	unsigned int i = 0;

	if (probe_named(provider))
		return probe_request_registered(fd, provider, set);
	if (!trace_event_list(provider, set))
		return false;
	while (i < set->count) {
		if (etw_provider_query(fd, &set->guids[i], &found)) {
			trace_set_drop(set, i);
			continue;
		}
		etw_provider_free(&found);
		i++;
	}
	if (!set->count)
		cli_fail("provider %s: no session has one of these trace events enabled",
			 cli_quote(provider));
	if (set->count)
		return true;
	trace_set_free(set);
	return false;
}

/* -------------------------------------------------------------------- making */

bool trace_event_make(int fd, const char *provider, struct trace_set *set)
{
	static struct trace_schema schema;
	unsigned int i;
	int err = 0;

	if (probe_named(provider))
		return probe_request_make(fd, provider, set);
	if (sample_named(provider))
		return sample_request_make(fd, provider, set);
	if (!trace_event_list(provider, set))
		return false;
	for (i = 0; i < set->count; i++) {
		if (system_class_own(set->names[i]) || probe_named(set->names[i]))
			continue;
		err = trace_schema_read(set->names[i] + strlen(TRACE_EVENT_PREFIX), &schema);
		if (!err)
			err = trace_provider_make(fd, set, i, &schema);
		/* It may have gone with its module. */
		if (err && (err != -ENOENT || set->count == 1))
			break;
	}
	if (i < set->count)
		trace_provider_fail(set->names[i], err);
	else if (probe_request_make_among(fd, provider, set))
		return true;
	trace_set_free(set);
	return false;
}
