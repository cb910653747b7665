/* SPDX-License-Identifier: MIT */
/*
 * trace_event.c - providers that the kernel's own trace events are made
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "probe_request.h"
#include "sample_request.h"
#include "trace_event.h"
#include "base/list.h"
#include "base/suggest.h"
#include "bridge/probe_spec.h"
#include "bridge/sample.h"
#include "bridge/trace_events.h"
#include "bridge/trace_schema.h"
#include "device/provider_list.h"

#define CLASS_PREFIX	"system:"
#define PATTERNS_MAX	9

/* What the NT Kernel Logger's flags are here; a pattern that no event matches is left out. */
static const struct trace_class {
	const char *name;
	const char *patterns[PATTERNS_MAX];
} classes[] = {
	{ "disk", { "block:block_rq_issue", "block:block_rq_complete" } },
	{ "fault", { "exceptions:page_fault_*" } },
	{ "file", { "syscalls:sys_*_open*", "syscalls:sys_*_read", "syscalls:sys_*_write",
		    "syscalls:sys_*_close", "syscalls:sys_*_pread*", "syscalls:sys_*_pwrite*",
		    "syscalls:sys_*_unlink*", "syscalls:sys_*_rename*",
		    "syscalls:sys_*_f*sync" } },
	{ "irq", { "irq:irq_handler_*", "irq:softirq_entry", "irq:softirq_exit",
		   "irq_vectors:*" } },
	{ "module", { "module:module_load", "module:module_free" } },
	{ "net", { "net:net_dev_xmit", "net:netif_receive_skb", "tcp:*",
		   "sock:inet_sock_set_state", "skb:kfree_skb" } },
	{ "power", { "power:cpu_frequency", "power:cpu_idle", "power:suspend_resume" } },
	{ "process", { "sched:sched_process_fork", "sched:sched_process_exec",
		       "sched:sched_process_exit" } },
	{ "sched", { "sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new",
		     "sched:sched_migrate_task" } },
	{ "signal", { "signal:*" } },
	{ "syscall", { "syscalls:*" } },
};

bool trace_event_named(const char *provider)
{
	return !strncmp(provider, TRACE_EVENT_PREFIX, strlen(TRACE_EVENT_PREFIX)) ||
	       !strncmp(provider, CLASS_PREFIX, strlen(CLASS_PREFIX)) || probe_named(provider) ||
	       sample_named(provider);
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

void trace_event_classes(struct etw_text *to)
{
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		etw_text_printf(to, "%s%s", i ? ", " : "", classes[i].name);
}

/* ------------------------------------------------------------------- finding */

static void add(struct trace_set *set, const char *event)
{
	struct etw_text name = { 0 };

	etw_text_printf(&name, TRACE_EVENT_PREFIX "%s", event);
	trace_set_add(set, text_data(&name));
	etw_text_free(&name);
}

static bool cannot(const char *provider, int err)
{
	const char *quoted = cli_quote(provider);

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
	struct trace_events events;
	unsigned int i;
	int err = trace_events_find(pattern, &events);

	if (err)
		return cannot(provider, err);
	for (i = 0; i < events.count; i++)
		add(set, events.names[i]);
	trace_events_free(&events);
	return true;
}

static bool add_class(const char *provider, const char *name, size_t len, struct trace_set *set)
{
	const struct trace_class *class = classes, *end = classes + sizeof(classes) / sizeof(*classes);
	struct etw_text names = { 0 };
	unsigned int i;

	while (class < end && (strlen(class->name) != len || strncmp(class->name, name, len)))
		class++;
	if (class == end) {
		trace_event_classes(&names);
		cli_fail("provider %s: no such class; there are %s", cli_quote(provider),
			 text_data(&names));
		etw_text_free(&names);
		return false;
	}
	for (i = 0; i < PATTERNS_MAX && class->patterns[i]; i++)
		if (!add_pattern(provider, class->patterns[i], set))
			return false;
	return true;
}

static bool add_classes(const char *provider, struct trace_set *set)
{
	const char *list = provider + strlen(CLASS_PREFIX), *word;
	size_t len;
	int ret;

	while ((ret = etw_list_next(&list, ",", &word, &len)) == 1)
		if (!add_class(provider, word, len, set))
			return false;
	if (ret)
		cli_fail("provider %s: the name of a class is missing", cli_quote(provider));
	return !ret;
}

static bool find(const char *provider, struct trace_set *set)
{
	const char *event = provider + strlen(TRACE_EVENT_PREFIX);
	struct etw_text pattern = { 0 };
	bool ok;

	if (!strncmp(provider, CLASS_PREFIX, strlen(CLASS_PREFIX)))
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
		err = trace_schema_read(set->names[i] + strlen(TRACE_EVENT_PREFIX), &schema);
		if (!err)
			err = trace_set_register(fd, set, i, &schema);
		/* It may have gone with its module. */
		if (err && (err != -ENOENT || set->count == 1))
			break;
	}
	if (i == set->count)
		return true;
	trace_set_fail(set->names[i], err);
	trace_set_free(set);
	return false;
}
