/* SPDX-License-Identifier: MIT */
/*
 * sample_request.c - turn perf's counters into providers
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "sample_request.h"
#include "trace_provider.h"
#include "base/suggest.h"
#include "bridge/sample.h"

#define PMU	"pmu:"

static bool fail_unknown(const char *provider)
{
	const char *quoted = cli_quote(provider), *counter = provider + strlen(PMU);
	size_t len = strcspn(counter, ":"), i;
	char name[SAMPLE_NAME];
	struct suggest s;

	suggest_begin(&s, provider);
	for (i = 0; sample_counter(i); i++) {
		if (strlen(sample_counter(i)) == len && !strncmp(sample_counter(i), counter, len)) {
			cli_fail("provider %s: this machine does not count that", quoted);
			return false;
		}
		snprintf(name, sizeof(name), PMU "%s", sample_counter(i));
		suggest_try(&s, name);
	}
	if (*s.best)
		cli_fail("provider %s: there is no such counter; did you mean %s?", quoted,
			 cli_quote(s.best));
	else
		cli_fail("provider %s: there is no such counter; 'etw list providers \"pmu:*\"' shows all",
			 quoted);
	return false;
}

static bool fail(const char *provider, int err)
{
	const char *quoted = cli_quote(provider);

	if (err == -ENOENT && !strncmp(provider, PMU, strlen(PMU)))
		return fail_unknown(provider);
	if (err == -EINVAL && !strncmp(provider, PMU, strlen(PMU)))
		cli_fail("provider %s: the period must be at least 1", quoted);
	else if (err == -EINVAL)
		cli_fail("provider %s: give a rate in samples per second and CPU, 1 to %d", quoted,
			 ETW_TRACE_FREQUENCY_MAX);
	else
		cli_fail("provider %s: %s", quoted, cli_denied(-err, "CAP_PERFMON"));
	return false;
}

/* Add this machine's counters that match a pattern. */
static bool add_pattern(const char *provider, struct trace_set *set)
{
	static struct trace_schema schema;
	char name[SAMPLE_NAME], whole[SAMPLE_NAME];
	int err, denied = 0;
	size_t i;

	for (i = 0; sample_counter(i); i++) {
		snprintf(name, sizeof(name), PMU "%s", sample_counter(i));
		if (fnmatch(provider, name, 0))
			continue;
		err = sample_read(name, whole, &schema);
		if (!err)
			trace_provider_added(trace_set_add(set, whole));
		else if (err == -EACCES)
			denied = err;
	}
	if (set->count)
		return true;
	return denied ? fail(provider, denied) : fail_unknown(provider);
}

/*
 * Where perf is refused to all but root, as by kernel.perf_event_paranoid of 3, etw.ko may still
 * make the counter for this process.
 */
static int sample_known(const char *text, char name[SAMPLE_NAME], struct trace_schema *schema)
{
	int err = sample_read(text, name, schema);

	return err == -EACCES ? 0 : err;
}

bool sample_request_list(const char *provider, struct trace_set *set)
{
	static struct trace_schema schema;
	char name[SAMPLE_NAME];
	int err;

	memset(set, 0, sizeof(*set));
	if (!strncmp(provider, PMU, strlen(PMU)) && strpbrk(provider, "*?["))
		return add_pattern(provider, set);
	err = sample_known(provider, name, &schema);
	if (err)
		return fail(provider, err);
	trace_provider_added(trace_set_add(set, name));
	return true;
}

bool sample_request_make(int fd, const char *provider, struct trace_set *set)
{
	static struct trace_schema schema;
	char name[SAMPLE_NAME];
	unsigned int i;
	int err = 0;

	if (!sample_request_list(provider, set))
		return false;
	for (i = 0; i < set->count && !err; i++) {
		err = sample_known(set->names[i], name, &schema);
		if (!err)
			err = trace_provider_make(fd, set, i, &schema);
	}
	if (!err)
		return true;
	trace_provider_fail(set->names[i - 1], err);
	trace_set_free(set);
	return false;
}
