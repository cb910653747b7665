/* SPDX-License-Identifier: MIT */
/*
 * probe_request.c - providers that probes of functions and programs are made
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cli/cli.h"
#include "probe_request.h"
#include "trace_provider.h"
#include "base/name_guid.h"
#include "bridge/probe.h"
#include "device/kdev.h"
#include "device/provider_list.h"

#define TRIES		200	/* of 10 ms */

/* What this process holds */
static struct held {
	struct probe_hold hold;
	char *name;
} *held;

static unsigned int held_count;
static bool all_reported;	/* what was missed while a session had them enabled */

static void pause_10_ms(void)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	nanosleep(&pause, NULL);
}

/* ------------------------------------------------------------------- finding */

static bool fail(const char *provider, int err, const char *why)
{
	const char *quoted = cli_quote(provider);

	if (*why)
		cli_fail("provider %s: %s", quoted, why);
	else if (err == -ENOEXEC)
		cli_fail("provider %s: the file is not a 64-bit program or library of this machine",
			 quoted);
	else if (err == -EINVAL)
		cli_fail("provider %s: the kernel does not take a path with blanks, colons or parentheses",
			 quoted);
	else
		cli_fail("provider %s: %s", quoted,
			 cli_denied(-err, "root's rights on /sys/kernel/tracing"));
	return false;
}

static bool fail_unknown(const char *provider, const struct probe_names *names)
{
	const char *quoted = cli_quote(provider);
	struct probe_spec spec;
	char why[PROBE_TEXT];
	const char *what;

	probe_spec_parse(provider, &spec, why);
	what = !*spec.path ? "the kernel has no such function that can be traced" :
	       spec.kind == PROBE_USDT ? "the file has no such probe" : "the file has no such function";
	if (*names->near)
		cli_fail("provider %s: %s; did you mean %s?", quoted, what, cli_quote(names->near));
	else
		cli_fail("provider %s: %s", quoted, what);
	return false;
}

/* max: 0: no limit */
static bool find(const char *provider, struct trace_set *set, size_t max)
{
	struct probe_names names;
	struct etw_guid guid;
	char why[PROBE_TEXT];
	size_t i;
	int err = probe_find(provider, &names, why);
	bool ok;

	memset(set, 0, sizeof(*set));
	if (err)
		return fail(provider, err, why);
	ok = names.count && (!max || names.count <= max);
	if (!names.count)
		fail_unknown(provider, &names);
	else if (!ok)
		cli_fail("provider %s: it stands for %zu probes, and at most %zu can be enabled by one name",
			 cli_quote(provider), names.count, max);
	/* Each is there once, and there may be 50,000 of them. */
	for (i = 0; ok && i < names.count; i++)
		if (!etw_guid_from_name(names.list[i], strlen(names.list[i]), &guid))
			trace_provider_added(trace_set_append(set, names.list[i], &guid));
	probe_names_free(&names);
	return ok;
}

bool probe_request_list(const char *provider, struct trace_set *set)
{
	return find(provider, set, 0);
}

/* What is in parentheses at the end is no pattern. */
static bool matches(const char *pattern, const char *name)
{
	const char *fields = strchrnul(pattern, '('), *its = strchrnul(name, '(');
	char head[3 * PROBE_TEXT], its_head[3 * PROBE_TEXT];

	snprintf(head, sizeof(head), "%.*s", (int)(fields - pattern), pattern);
	snprintf(its_head, sizeof(its_head), "%.*s", (int)(its - name), name);
	return !strcmp(fields, its) && !fnmatch(head, its_head, 0);
}

/* Add the probe that is this provider if it is meant; a name that is no pattern is compared. */
static void add_registered(int fd, const struct etw_guid *guid, const char *name, bool is_pattern,
			   struct trace_set *set)
{
	struct etw_provider found;

	if (etw_provider_query(fd, guid, &found))
		return;
	if (probe_named(found.name) &&
	    (is_pattern ? matches(name, found.name) : !strcmp(name, found.name)))
		trace_provider_added(trace_set_add(set, found.name));
	etw_provider_free(&found);
}

/* What the function was in may have gone, so the providers are asked for their names. */
bool probe_request_registered(int fd, const char *provider, struct trace_set *set)
{
	char pattern[3 * PROBE_TEXT], why[PROBE_TEXT];
	struct probe_spec spec;
	struct etw_guid *guids;
	uint32_t count, i;
	bool is_pattern;

	memset(set, 0, sizeof(*set));
	if (!probe_spec_parse(provider, &spec, why))
		return fail(provider, -EINVAL, why);
	is_pattern = probe_spec_is_pattern(&spec);
	if (!probe_spec_name(&spec, pattern, sizeof(pattern)))
		return fail(provider, -EINVAL, "the name is too long");
	if (etw_provider_guids(fd, etw_kdev_provider_enum, &guids, &count))
		return fail(provider, -EIO, "the providers cannot be listed");
	for (i = 0; i < count; i++)
		add_registered(fd, &guids[i], is_pattern ? pattern : provider, is_pattern, set);
	free(guids);
	if (!set->count)
		cli_fail("provider %s: no session has one of these probes enabled",
			 cli_quote(provider));
	return set->count;
}

/* -------------------------------------------------------------------- making */

static void keep(const struct probe_hold *hold, const char *name)
{
	held = cli_grow(held, held_count, sizeof(*held));
	held[held_count].hold = *hold;
	held[held_count++].name = cli_strdup(name);
}

/* A provider that is ending may still stand for an event that was removed. */
static int register_one(int fd, struct trace_set *set, unsigned int i,
			const struct trace_schema *schema)
{
	int err, tries = TRIES;

	while ((err = trace_provider_make(fd, set, i, schema)) == -EEXIST && tries--)
		pause_10_ms();
	return err;
}

static int make(int fd, struct trace_set *set, unsigned int i, char why[PROBE_TEXT], bool alone)
{
	const char *name = set->names[i];
	static struct trace_schema schema;
	struct probe_hold hold;
	char note[PROBE_TEXT];
	int err = probe_make(name, &set->guids[i], &schema, &hold, note, why);

	if (err)
		return err;
	if (*note && alone)
		cli_note("provider %s: %s", cli_quote(name), note);
	keep(&hold, name);
	err = register_one(fd, set, i, &schema);
	if (err)
		trace_provider_fail(name, err);
	return err ? -ECANCELED : 0;
}

static bool is_refused(int err)
{
	return err == -EINVAL || err == -EADDRNOTAVAIL || err == -EILSEQ;
}

/*
 * Make those of the set that are probes.  Of many, those that the kernel refuses leave the set; of
 * a class, those that fail for any other reason, too.
 */
static bool make_all(int fd, const char *provider, struct trace_set *set, bool is_class)
{
	const bool alone = !is_class && set->count == 1;
	char why[PROBE_TEXT] = "", refused[PROBE_TEXT] = "";
	unsigned int i = 0, all = 0, left_out = 0;
	int err = 0;

	while (i < set->count) {
		err = 0;
		if (probe_named(set->names[i])) {
			all++;
			err = make(fd, set, i, why, alone);
		}
		if (!err) {
			i++;
			continue;
		}
		if (alone || err == -ENOMEM || err == -ECANCELED || !(is_class || is_refused(err)))
			break;
		snprintf(refused, sizeof(refused), "%s", *why ? why : is_refused(err) ?
			 "the kernel refuses them" : strerror(-err));
		trace_set_drop(set, i);
		left_out++;
	}
	if (i < set->count || (!is_class && !i)) {
		if (err != -ECANCELED)
			fail(i < set->count ? set->names[i] : provider, err, why);
		return false;
	}
	if (left_out)
		cli_note("provider %s: %u of its %u probes %s left out: %s", cli_quote(provider),
			 left_out, all, left_out == 1 ? "is" : "are", refused);
	return true;
}

bool probe_request_make_among(int fd, const char *provider, struct trace_set *set)
{
	return make_all(fd, provider, set, true);
}

bool probe_request_make(int fd, const char *provider, struct trace_set *set)
{
	if (find(provider, set, PROBE_MAX) && make_all(fd, provider, set, false))
		return true;
	trace_set_free(set);
	return false;
}

/* ----------------------------------------------------------------------- end */

static enum probe_use use_of(void *context, const struct etw_guid *guid)
{
	int *fd = context;
	struct etw_provider provider;
	enum probe_use use;

	if (*fd < 0)
		*fd = etw_kdev_open();
	if (*fd < 0 || etw_provider_query(*fd, guid, &provider))
		return PROBE_UNUSED;
	/* Without a session etw.ko lets go of it a moment later. */
	use = !provider.reg_count ? PROBE_UNUSED : provider.enable_count ? PROBE_USED : PROBE_ENDING;
	etw_provider_free(&provider);
	return use;
}

static void note_missed(const struct held *h, unsigned long long missed)
{
	if (missed)
		cli_note("provider %s: the kernel missed it %llu time%s: it was handling another probe, or too many calls had not returned",
			 cli_quote(h->name), missed, cli_s(missed));
}

uint64_t probe_request_count(int fd, uint64_t session, const struct etw_guid *provider,
			     const char *name, unsigned long long missed)
{
	struct etw_session_missed arg = {
		.handle = session, .provider = *provider,
		.events = missed < UINT32_MAX ? missed : UINT32_MAX,
	};
	int err = missed ? etw_kdev_session_missed(fd, &arg) : 0;

	if (!err)
		return 0;
	cli_note("provider %s: the trace does not say that %llu event%s %s missed: %s",
		 cli_quote(name), missed, cli_s(missed), missed == 1 ? "was" : "were",
		 err == -ENOENT || err == -ESHUTDOWN ? "the session has ended" : strerror(-err));
	return missed;
}

uint64_t probe_request_missed(int fd, uint64_t session)
{
	unsigned long long missed;
	uint64_t uncounted = 0;
	unsigned int i;

	all_reported = true;
	for (i = 0; i < held_count; i++) {
		missed = probe_missed(&held[i].hold);
		note_missed(&held[i], missed);
		uncounted += probe_request_count(fd, session, &held[i].hold.provider, held[i].name,
						 missed);
	}
	return uncounted;
}

void probe_request_begin(int fd, uint64_t session)
{
	struct etw_session_missed arg = { .flags = ETW_MISSED_BEGIN, .handle = session };
	unsigned int i;

	/* An older module refuses it, and counts nothing later. */
	for (i = 0; i < held_count; i++) {
		if (!held[i].hold.kernel)
			continue;
		arg.provider = held[i].hold.provider;
		arg.events = held[i].hold.missed;
		etw_kdev_session_missed(fd, &arg);
	}
	all_reported = true;
}

static void let_go(void)
{
	unsigned long long missed;
	unsigned int i;

	for (i = 0; i < held_count; i++) {
		missed = probe_let_go(&held[i].hold);
		/* What is missed after the session has disabled them is no loss. */
		if (!all_reported)
			note_missed(&held[i], missed);
		free(held[i].name);
	}
	free(held);
	held = NULL;
	held_count = 0;
}

void probe_request_end(void)
{
	int fd = -1, tries = TRIES;

	let_go();
	while (probe_collect(use_of, &fd) && tries--)
		pause_10_ms();
	if (fd >= 0)
		etw_kdev_close(fd);
}
